/* The printer on IR that no front end makes: what would fold, names that clash, and its way back
 * through the text. */
#include "front_help.h"
#include "ir/fold.h"

typedef struct world {
    arena mem;
    buf out;
    const ir_node *node;
    const ir_var *i;
    const ir_buffer *A;
} world;

static const ir_node *number(world *w, int64_t v)
{
    return ir_int_new(&w->mem, IR_I32, v, (span){0});
}

static const ir_node *ref(world *w)
{
    return ir_ref(&w->mem, w->i, (span){0});
}

static const ir_buffer *buffer(world *w, const char *name, ir_scope where)
{
    ir_buffer *b = arena_new(&w->mem, ir_buffer);
    *b = (ir_buffer){.name = str_of(name),
                     .type = IR_I32,
                     .scope = where,
                     .shape = ir_list_one(&w->mem, number(w, 8))};
    b->data = ir_var_pointer(&w->mem, b->name, b->type, where, (span){0});
    return b;
}

static void assert_expr(world *w, const ir_node *n, const char *expected)
{
    w->out.n = 0;
    ir_print_expr(&w->mem, n, &w->out);
    buf_char(&w->out, '\0');
    assert_string_equal(w->out.p, expected);
}

static const ir_node *bin(world *w, ir_op op, const ir_node *a, const ir_node *b)
{
    return ir_bin_new(&w->mem, op, a, b);
}

static void expressions(void *user)
{
    world *w = user;
    const ir_node *i = ref(w), *one = number(w, 1), *minus = number(w, -1);
    assert_expr(w, bin(w, IR_ADD, i, one), "i + 1");
    assert_expr(w, bin(w, IR_SUB, i, bin(w, IR_SUB, i, one)), "i - (i - 1)");
    assert_expr(w, bin(w, IR_SUB, bin(w, IR_SUB, i, one), one), "i - 1 - 1");
    assert_expr(w, bin(w, IR_MUL, bin(w, IR_ADD, i, one), i), "(i + 1) * i");
    assert_expr(w, bin(w, IR_MUL, i, minus), "i * -1");
    assert_expr(w, bin(w, IR_LT, bin(w, IR_BITAND, i, one), one), "i & 1 < 1");
    /* comparisons of comparisons would chain, and plain numbers would be computed */
    const ir_node *less = bin(w, IR_LT, i, one);
    assert_expr(w, bin(w, IR_EQ, less, less), "(i < 1) == (i < 1)");
    assert_expr(w, bin(w, IR_FLOORDIV, one, number(w, 0)), "T.FloorDiv(1, 0)");
    assert_expr(w, bin(w, IR_ADD, i, number(w, 0)), "T.Add(i, 0)");
    assert_expr(w, bin(w, IR_MAX, one, one), "T.Max(1, 1)");
    assert_expr(w, ir_not_new(&w->mem, ir_not_new(&w->mem, less)), "T.Not(not i < 1)");
    assert_expr(w, bin(w, IR_TRUNCDIV, i, i), "T.truncdiv(i, i)");
    assert_expr(w, bin(w, IR_AND, less, bin(w, IR_OR, less, less)), "i < 1 and (i < 1 or i < 1)");
    assert_expr(w, ir_int_new(&w->mem, IR_TYPE(IR_UINT, 64), -1, (span){0}),
                "T.uint64(18446744073709551615)");
    assert_expr(w, ir_int_new(&w->mem, IR_B1, 1, (span){0}), "T.bool(True)");
    assert_expr(w, ir_float_new(&w->mem, IR_F32, 16777217.0, (span){0}), "T.float32(16777216.0)");
    assert_expr(w, ir_string_new(&w->mem, STR("a\"\\\n\x01"), (span){0}), "\"a\\\"\\\\\\n\\x01\"");
}

/* Names that are taken, that are Python's, or that are none at all. */
static void names(void *user)
{
    world *w = user;
    static const char *const wanted[] = {"x", "x", "x_1", "for", "T", "A.b", "3d", ""};
    ir_node_vec body = {0};
    for (size_t k = 0; k < sizeof wanted / sizeof wanted[0]; ++k) {
        const ir_var *v = ir_var_new(&w->mem, str_of(wanted[k]), IR_I32, (span){0});
        ir_node_vec_push(&w->mem, &body,
                         ir_make(&w->mem, BIND, bind, (span){0}, IR_VOID, .var = v,
                                 .value = number(w, (int64_t)k)));
    }
    ir_print_stmt(&w->mem, ir_seq_new(&w->mem, body.at, body.n, (span){0}), &w->out);
    buf_char(&w->out, '\0');
    assert_string_equal(
        w->out.p,
        "x: T.let = 0\nx_1: T.let = 1\nx_1_1: T.let = 2\nfor_1: T.let = 3\nT_1: T.let = 4\n"
        "A_b: T.let = 5\n_3d: T.let = 6\nv: T.let = 7\n");
}

/* A module made by hand prints to text that reads back and prints the same. */
static void round_trip(void *user)
{
    world *w = user;
    const ir_buffer *A = buffer(w, "A", IR_SCOPE_GLOBAL), *S = buffer(w, "A", IR_SCOPE_SHARED);
    const ir_var *tx = ir_var_new(&w->mem, STR("threadIdx.x"), IR_I32, (span){0}),
                 *p = ir_var_pointer(&w->mem, STR("p"), IR_F16, IR_SCOPE_SHARED, (span){0});
    const ir_var *y = ir_var_new(&w->mem, STR("y"), IR_I32, (span){0});
    ir_buffer *V = arena_copy(&w->mem, S, sizeof *S);
    V->name = STR("V");
    const ir_node *at = ir_ref(&w->mem, tx, (span){0}),
                  *load = ir_load_new(&w->mem, S, ir_list_one(&w->mem, at), (span){0});
    const ir_node *let =
        ir_make(&w->mem, LET, let, (span){0}, IR_I32, .var = y, .value = load,
                .body = bin(w, IR_MUL, ir_ref(&w->mem, y, (span){0}), number(w, 1)));
    const ir_node *offset = ir_call_new(
        &w->mem, IR_FN_BYTE_OFFSET, IR_POINTER,
        ir_list_copy(&w->mem,
                     (const ir_node *const[]){ir_ref(&w->mem, S->data, (span){0}), number(w, 4)},
                     2),
        (span){0});
    const ir_node *stmts[] = {
        ir_make(&w->mem, ALLOC, alloc, (span){0}, IR_VOID, .buffer = S),
        ir_make(&w->mem, BIND, bind, (span){0}, IR_VOID, .var = p, .value = offset),
        ir_make(&w->mem, DECL, decl, (span){0}, IR_VOID, .buffer = V),
        ir_store_new(&w->mem, V, ir_list_one(&w->mem, at), let, (span){0}),
        ir_make(&w->mem, IF, if, (span){0}, IR_VOID,
                .cond = ir_int_new(&w->mem, IR_B1, 1, (span){0}), .yes = ir_nop(&w->mem)),
        ir_store_new(&w->mem, A, ir_list_one(&w->mem, at), load, (span){0}),
    };
    const ir_node *body = ir_seq_new(&w->mem, stmts, sizeof stmts / sizeof stmts[0], (span){0});
    body = ir_make(&w->mem, THREAD, thread, (span){0}, IR_VOID, .var = tx,
                   .tag = STR("threadIdx.x"), .extent = number(w, 8), .body = body);
    const ir_param param = {.var = A->data, .buffer = A};
    const str tags[] = {STR("threadIdx.x")};
    const ir_func f = {.name = STR("a.b"),
                       .kind = IR_FUNC_KERNEL,
                       .params = &param,
                       .param_count = 1,
                       .result = IR_VOID,
                       .body = body,
                       .launch_tags = tags,
                       .launch_tag_count = 1};
    const ir_func *funcs[] = {&f};
    const ir_module m = {.funcs = funcs, .func_count = 1};
    ir_print_module(&w->mem, &m, &w->out);
}

static const char printed[] =
    "from tvm.script import ir as I\nfrom tvm.script import tirx as T\n\n\n@I.ir_module\nclass "
    "Module:\n"
    "    @T.prim_func\n    def a_b(A: T.Buffer((8,), \"int32\")):\n"
    "        T.func_attr({\"global_symbol\": \"a.b\", \"calling_conv\": 2, "
    "\"tirx.kernel_launch_params\": [\"threadIdx.x\"]})\n"
    "        y = T.int32()\n        with T.launch_thread(\"threadIdx.x\", 8) as threadIdx_x:\n"
    "            A_1 = T.alloc_buffer((8,), \"int32\", scope=\"shared\")\n"
    "            p: T.let[T.handle(\"float16\", \"shared\")] = T.handle_add_byte_offset(A_1.data, "
    "4)\n"
    "            V = T.decl_buffer((8,), \"int32\", data=A_1.data, scope=\"shared\")\n"
    "            V[threadIdx_x] = T.Let(T.Mul(y, 1), where={y: A_1[threadIdx_x]})\n"
    "            if T.bool(True):\n                pass\n            A[threadIdx_x] = "
    "A_1[threadIdx_x]\n";

static void run(void (*body)(void *user), const char *text)
{
    world w = {.out = buf_make(NULL)};
    arena_init(&w.mem, NULL);
    w.i = NULL;
    assert_true(arena_guard(&w.mem, body, &w));
    if (text != NULL) {
        reading *r = script_good(buf_view(&w.out), (front_options){0});
        buf_char(&w.out, '\0');
        assert_string_equal(w.out.p, text);
        script_free(r);
    }
    buf_free(&w.out);
    arena_free(&w.mem);
}

static void expressions_of_i(void *user)
{
    world *w = user;
    w->i = ir_var_new(&w->mem, STR("i"), IR_I32, (span){0});
    expressions(w);
}

static void test_expressions(void **state)
{
    (void)state;
    run(expressions_of_i, NULL);
}

static void test_names(void **state)
{
    (void)state;
    run(names, NULL);
}

static void test_round_trip(void **state)
{
    (void)state;
    run(round_trip, printed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expressions),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
