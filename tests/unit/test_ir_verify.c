/* The verifier: a good module passes, and each rule, broken alone, is reported by its words. */
#include "ir/verify.h"
#include "pass_help.h"

#define I(v)                        ir_i32(b->mem, (v))
#define F(v)                        ir_float_new(b->mem, IR_F32, (v), (span){0})
#define R(v)                        mk_ref(b, (v))
#define NODE(KIND, name, type, ...) ir_make(b->mem, KIND, name, (span){0}, (type), __VA_ARGS__)

/* What the verifier says of a body (over buffer A of 8 int32) with these properties; "" = nothing.
 */
static const char *said(bench *b, const ir_buffer *A, const ir_node *body, unsigned properties)
{
    const ir_buffer *const buffers[] = {A, NULL};
    ir_module m = *mk_module(b, buffers, NULL, body);
    m.properties = properties;
    diag_list diags = {.mem = b->mem, .sources = &b->sources};
    bool fine = ir_verify(b->mem, &diags, &m, "some_pass");
    assert_int_equal(fine, diags.errors == 0);
    ingot_allocator hook = arena_hook(b->mem);
    buf text = buf_make(&hook);
    diag_render_all(&diags, false, &text);
    buf_char(&text, '\0');
    return text.p;
}

static void expect(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) fail_msg("said: %s, not: %s", text, part);
}

#define GOOD(body)      assert_string_equal(said(b, A, (body), 0), "")
#define BAD(body, part) expect(said(b, A, (body), 0), part)
#define BREAKS(property, body, part)                                                               \
    do {                                                                                           \
        const ir_node *body_ = (body);                                                             \
        assert_string_equal(said(b, A, body_, 0), "");                                             \
        expect(said(b, A, body_, (property)), part);                                               \
    } while (0)

static const ir_buffer *make_a(bench *b)
{
    return mk_buffer(b, "A", IR_I32, IR_SCOPE_GLOBAL, 8);
}

static const ir_node *loop_with(bench *b, ir_for_kind kind, const ir_node *min, const char *tag,
                                const ir_node *body)
{
    return NODE(FOR, for, IR_VOID, .loop = kind, .var = mk_var(b, "k", IR_I32), .min = min, .extent = I(2),
                .tag = str_of(tag), .body = body);
}

static const ir_node *block_with(bench *b, ir_iters iters, const ir_node *init)
{
    return NODE(BLOCK, block, IR_VOID, .name = STR("b"), .iters = iters,
                .predicate = ir_bool(b->mem, true), .init = init, .body = ir_nop(b->mem));
}

BENCH_TEST(test_names)
{
    const ir_buffer *A = make_a(b), *S = mk_buffer(b, "S", IR_I32, IR_SCOPE_LOCAL, 1);
    const ir_var *i = mk_var(b, "i", IR_I32), *x = mk_var(b, "x", IR_I32);
    const ir_node *bind = NODE(BIND, bind, IR_VOID, .var = x, .value = I(3)),
                  *use = mk_store(b, A, R(x), I(0));
    GOOD(mk_for(b, IR_SERIAL, i, I(8), mk_store(b, A, R(i), R(i))));
    GOOD(mk_seq(b, bind, use));
    BAD(use, "variable 'x' is used where it is not defined");
    BAD(mk_seq(b, use, bind), "variable 'x' is used where it is not defined");
    /* A name holds for the rest of its sequence and no longer. */
    BAD(mk_seq(b, mk_if(b, ir_bool(b->mem, true), mk_seq(b, bind, use), NULL), use),
        "variable 'x' is used");
    BAD(mk_seq(b, bind, bind), "'x' is defined twice");
    BAD(mk_for(b, IR_SERIAL, i, R(i), ir_nop(b->mem)), "variable 'i' is used");
    GOOD(mk_seq(b, mk_alloc(b, S), mk_store(b, S, I(0), I(1))));
    BAD(mk_store(b, S, I(0), I(1)), "buffer 'S' is used where it is not defined");
    BAD(NODE(DECL, decl, IR_VOID, .buffer = S), "variable 'S' is used where it is not defined");
    expect(said(b, A, use, 0), "internal error after some_pass in 'main'");
}

BENCH_TEST(test_expression_types)
{
    const ir_buffer *A = make_a(b);
    const ir_node *a = mk_load(b, A, I(0)),
                  *mixed = NODE(BIN, bin, IR_I32, .op = IR_ADD, .a = I(1), .b = F(1));
    BAD(mk_store(b, A, I(0), mixed), "operands of '+' have types int32 and float32");
    BAD(mk_store(b, A, I(0), ir_bin_new(b->mem, IR_DIV, a, a)), "'/' is not defined on int32");
    BAD(mk_store(b, A, I(0), NODE(BIN, bin, IR_I32, .op = IR_LT, .a = a, .b = a)),
        "result has another type");
    BAD(mk_store(b, A, I(0), F(1)), "an access to 'A' has type float32, not int32");
    BAD(mk_store(b, A, F(0), I(1)), "an index of 'A' is no integer");
    BAD(mk_if(b, I(1), ir_nop(b->mem), NULL), "an if's condition must be a bool");
    BAD(NODE(WHILE, while, IR_VOID, .cond = I(0), .body = ir_nop(b->mem)),
        "a while's condition must be a bool");
    BAD(mk_store(b, A, I(0),
                 NODE(SELECT, select, IR_I32, .cond = ir_bool(b->mem, true), .yes = a, .no = F(0))),
        "a select's arms must have its type");
    BAD(mk_store(b, A, I(0), NODE(INT_IMM, int_imm, IR_TYPE(IR_INT, 8), .value = 300)),
        "does not fit its type");
    BAD(ir_eval_new(b->mem, NODE(FLOAT_IMM, float_imm, IR_F32, .value = 0.1)),
        "not rounded to its type");
    BAD(ir_eval_new(b->mem, mk_call(b, IR_FN_FMA, IR_F32, 1, (const ir_node *[]){F(1)})),
        "'fma' has 1 arguments");
    BAD(mk_store(b, A, I(0), mk_call(b, IR_FN_SQRT, IR_I32, 1, (const ir_node *[]){F(4)})),
        "a function of floats");
    BAD(ir_eval_new(b->mem, ir_load_new(b->mem, A, (ir_list){0}, (span){0})),
        "'A' has 1 dimensions, indexed with 0");
    BAD(ir_eval_new(b->mem, NODE(CAST, cast, ir_type_lanes(IR_F32, 4), .a = a)),
        "a cast must keep the lanes");
    BAD(ir_eval_new(b->mem, ir_not_new(b->mem, a)), "'not' must be of a bool");
    BAD(ir_eval_new(b->mem,
                    NODE(RAMP, ramp, ir_type_lanes(IR_I32, 4), .base = I(0), .stride = F(1))),
        "a ramp must be");
}

BENCH_TEST(test_statements)
{
    const ir_buffer *A = make_a(b);
    const ir_node *leave =
        arena_copy(b->mem, &(ir_node){.kind = IR_BREAK, .type = IR_VOID}, sizeof(ir_node));
    GOOD(loop_with(b, IR_SERIAL, I(0), "", leave));
    BAD(leave, "break or continue outside of a loop");
    BAD(loop_with(b, IR_THREAD_BOUND, I(0), "threadIdx.w", ir_nop(b->mem)),
        "'threadIdx.w' is no thread axis");
    BAD(loop_with(b, IR_THREAD_BOUND, I(0), "", ir_nop(b->mem)),
        "thread-bound loops, and only they, have a tag");
    BAD(loop_with(b, IR_SERIAL, ir_int_new(b->mem, IR_I64, 0, (span){0}), "", ir_nop(b->mem)),
        "must have one type");
    BAD(mk_thread(b, "warp", mk_var(b, "t", IR_I32), 4, ir_nop(b->mem)),
        "'warp' is no thread axis");
    BAD(mk_seq(b, I(1), leave), "an expression where a statement belongs");
    ir_iter unbound = {.var = mk_var(b, "v", IR_I32), .min = I(0), .extent = I(4)};
    BAD(block_with(b, (ir_iters){&unbound, 1}, NULL), "block variable 'v' has no binding");
    ir_region whole = {.buffer = A};
    BAD(NODE(BLOCK, block, IR_VOID, .predicate = ir_bool(b->mem, true), .reads = {&whole, 1},
             .body = ir_nop(b->mem)),
        "a region must have a range a dimension");
}

BENCH_TEST(test_properties)
{
    const ir_buffer *A = make_a(b);
    const ir_node *nop = ir_nop(b->mem);
    BREAKS(IR_UNIT_LOOPS, loop_with(b, IR_SERIAL, I(1), "", nop), "does not begin at 0");
    BREAKS(IR_NO_VECTOR_LOOPS, loop_with(b, IR_VECTORIZED, I(0), "", nop),
           "a vectorized loop is left");
    BREAKS(IR_NO_UNROLL, loop_with(b, IR_UNROLLED, I(0), "", nop), "a loop to be unrolled is left");
    BREAKS(IR_NO_VTHREAD, loop_with(b, IR_THREAD_BOUND, I(0), "vthread.x", nop),
           "a virtual thread is left");
    BREAKS(IR_ONE_THREAD_VAR, loop_with(b, IR_THREAD_BOUND, I(0), "threadIdx.x", nop),
           "a thread-bound loop is left");
    const ir_node *inner = mk_thread(b, "threadIdx.x", mk_var(b, "u", IR_I32), 4, nop);
    BREAKS(IR_ONE_THREAD_VAR, mk_thread(b, "threadIdx.x", mk_var(b, "t", IR_I32), 4, inner),
           "two variables run along thread axis 'threadIdx.x'");
    ir_iter it = {.var = mk_var(b, "v", IR_I32), .min = I(0), .extent = I(4), .binding = I(2)};
    BREAKS(IR_OPAQUE_BLOCKS, block_with(b, (ir_iters){&it, 1}, NULL),
           "a block with variables is left");
    BREAKS(IR_NO_INIT, block_with(b, (ir_iters){0}, mk_store(b, A, I(0), I(0))),
           "a block with an init is left");
    BREAKS(IR_NO_BLOCKS, block_with(b, (ir_iters){0}, NULL), "a block is left");
    ir_buffer wide = *mk_buffer(b, "W", IR_I32, IR_SCOPE_LOCAL, 2);
    wide.shape = ir_list_copy(b->mem, (const ir_node *[]){I(2), I(2)}, 2);
    BREAKS(IR_FLAT_BUFFERS, mk_alloc(b, &wide), "a buffer that is not flat");
    const ir_node *risky = NODE(SELECT, select, IR_I32, .cond = ir_bool(b->mem, true),
                                .yes = mk_load(b, A, I(0)), .no = I(0));
    BREAKS(IR_SAFE_SELECT, mk_store(b, A, I(0), risky), "a select's arm reads memory");
    BREAKS(IR_SPLIT, nop, "neither host part nor kernel");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_expression_types),
        cmocka_unit_test(test_statements),
        cmocka_unit_test(test_properties),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
