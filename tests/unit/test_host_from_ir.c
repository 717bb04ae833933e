/* Host functions lowered from hand-written IR: their signature, and what a call launches. */
#include "test.h"

#include <string.h>

#include "host/args.h"
#include "host/from_ir.h"
#include "ir/fold.h"

typedef const ir_node *node;

typedef struct fixture {
    arena mem;
    diag_list diags;
    pool out_mem;
    const ir_module *module;
    const host_program *program;
    ingot_error error;
    void (*make)(struct fixture *f);
} fixture;

static void run_make(void *user)
{
    fixture *f = user;
    f->make(f);
}

static ingot_status lower(fixture *f, void (*make)(fixture *f))
{
    memset(f, 0, sizeof *f);
    arena_init(&f->mem, NULL);
    f->diags = (diag_list){.mem = &f->mem};
    f->out_mem = pool_make(NULL);
    f->make = make;
    assert_true(arena_guard(&f->mem, run_make, f));
    return host_from_ir(&f->out_mem, &f->mem, f->module, &f->diags, &f->program, &f->error);
}

static void end(fixture *f)
{
    pool_free(&f->out_mem);
    arena_free(&f->mem);
}

/* ---- Making IR ------------------------------------------------------------------------------------ */

static const ir_var *var(fixture *f, const char *name, ir_type type)
{
    return ir_var_new(&f->mem, str_of(name), type, (span){0});
}

static node ref(fixture *f, const ir_var *v)
{
    return ir_ref(&f->mem, v, (span){0});
}

static ir_list list(fixture *f, size_t n, const node *items)
{
    return ir_list_copy(&f->mem, items, n);
}

static const ir_buffer *buffer(fixture *f, const char *name, ir_scope scope, size_t n, const node *shape)
{
    ir_buffer *b = arena_new(&f->mem, ir_buffer);
    *b = (ir_buffer){.name = str_of(name), .data = ir_var_pointer(&f->mem, str_of(name), IR_F32, scope, (span){0}),
                     .type = IR_F32, .shape = list(f, n, shape), .scope = scope};
    return b;
}

static node launch(fixture *f, size_t n, const node *items)
{
    return ir_eval_new(&f->mem, ir_call_new(&f->mem, IR_FN_CALL_PACKED, IR_I32, list(f, n, items), (span){0}));
}

/* The kernel "k": B[0] = A[0] + x, on blockIdx.x. */
static const ir_func *kernel(fixture *f)
{
    arena *mem = &f->mem;
    node one[] = {ir_i32(mem, 1)}, zero[] = {ir_i32(mem, 0)};
    const ir_buffer *a = buffer(f, "A", IR_SCOPE_GLOBAL, 1, one), *b = buffer(f, "B", IR_SCOPE_GLOBAL, 1, one);
    const ir_var *x = var(f, "x", IR_F32);
    node value = ir_add(mem, ir_load_new(mem, a, list(f, 1, zero), (span){0}), ref(f, x));
    ir_param *params = arena_array(mem, ir_param, 3);
    params[0].var = a->data;
    params[1].var = b->data;
    params[2].var = x;
    str *tags = arena_array(mem, str, 1);
    tags[0] = STR("blockIdx.x");
    ir_func *k = arena_new(mem, ir_func);
    *k = (ir_func){.name = STR("k"), .kind = IR_FUNC_KERNEL, .params = params, .param_count = 3, .result = IR_VOID,
                   .body = ir_store_new(mem, b, list(f, 1, zero), value, (span){0}), .launch_tags = tags, .launch_tag_count = 1};
    return k;
}

static void set_module(fixture *f, const ir_param *params, size_t count, ir_type result, node body)
{
    ir_func *host = arena_new(&f->mem, ir_func);
    *host = (ir_func){.name = STR("main"), .kind = IR_FUNC_HOST, .params = params, .param_count = count, .result = result, .body = body};
    const ir_func **funcs = arena_alloc(&f->mem, 2 * sizeof *funcs);
    funcs[0] = host;
    funcs[1] = kernel(f);
    ir_module *m = arena_new(&f->mem, ir_module);
    *m = (ir_module){.funcs = funcs, .func_count = 2};
    f->module = m;
}

/* main(A: (n, 4), B: (m, n * 2 + m), x: float32):
 *   t = alloc n floats (device)
 *   for i in range(3): if i % 2 == 0: k(A, t, x, n // 4 + i)
 *   return n + m */
static void make_whole(fixture *f)
{
    arena *mem = &f->mem;
    const ir_var *n = var(f, "n", IR_I32), *m = var(f, "m", IR_I32), *x = var(f, "x", IR_F32), *i = var(f, "i", IR_I32);
    node four = ir_i32(mem, 4), two = ir_i32(mem, 2);
    node a_shape[] = {ref(f, n), four}, b_shape[] = {ref(f, m), ir_add(mem, ir_mul(mem, ref(f, n), two), ref(f, m))};
    node t_shape[] = {ref(f, n)};
    const ir_buffer *a = buffer(f, "A", IR_SCOPE_GLOBAL, 2, a_shape), *b = buffer(f, "B", IR_SCOPE_GLOBAL, 2, b_shape),
                    *t = buffer(f, "t", IR_SCOPE_GLOBAL, 1, t_shape);
    ir_param *params = arena_array(mem, ir_param, 3);
    params[0] = (ir_param){var(f, "a", IR_POINTER), a};
    params[1] = (ir_param){var(f, "b", IR_POINTER), b};
    params[2] = (ir_param){x, NULL};
    node args[] = {ir_string_new(mem, STR("k"), (span){0}), ref(f, a->data), ref(f, t->data), ref(f, x),
                   ir_add(mem, ir_floordiv(mem, ref(f, n), four), ref(f, i))};
    node even = ir_eq(mem, ir_floormod(mem, ref(f, i), two), ir_i32(mem, 0));
    node guarded = ir_make(mem, IF, if, (span){0}, IR_VOID, .cond = even, .yes = launch(f, 5, args));
    node loop = ir_make(mem, FOR, for, (span){0}, IR_VOID, .loop = IR_SERIAL, .var = i, .min = ir_i32(mem, 0),
                        .extent = ir_i32(mem, 3), .body = guarded);
    node body[] = {ir_make(mem, ALLOC, alloc, (span){0}, IR_VOID, .buffer = t), loop,
                   ir_make(mem, RETURN, return, (span){0}, IR_VOID, .value = ir_add(mem, ref(f, n), ref(f, m)))};
    set_module(f, params, 3, IR_I32, ir_seq_new(mem, body, 3, (span){0}));
}

typedef struct world {
    int64_t extents[8], bytes;
    size_t count;
    void *first[8], *second[8];
    double x;
    char memory[3];
} world;

static ingot_status note_launch(void *user, const host_frame *frame, size_t index, ingot_error *error)
{
    (void)error;
    world *w = user;
    const host_launch *l = &frame->function->launches[index];
    assert_true(str_is(l->kernel, "k"));
    w->extents[w->count] = frame->regs[l->extents[0]].i;
    w->first[w->count] = frame->memories[frame->regs[l->args[0]].memory];
    w->second[w->count] = frame->memories[frame->regs[l->args[1]].memory];
    w->x = frame->regs[l->args[2]].f;
    ++w->count;
    return INGOT_OK;
}

static ingot_status give(void *user, uint64_t bytes, void **out, ingot_error *error)
{
    (void)error;
    world *w = user;
    w->bytes = (int64_t)bytes;
    *out = &w->memory[2];
    return INGOT_OK;
}

static void take(void *user, void *memory)
{
    assert_ptr_equal(memory, &((world *)user)->memory[2]);
}

static void *find(void *user, const void *data, size_t *size)
{
    world *w = user;
    *size = 4096;
    return data == &w->memory[0] ? &w->memory[0] : &w->memory[1];
}

static void test_whole(void **state)
{
    (void)state;
    fixture f;
    ingot_status status = lower(&f, make_whole);
    if (status != INGOT_OK) fail_msg("%s", f.error.message);
    const host_function *h = host_find(f.program, STR(""));
    buf signature = buf_make(NULL);
    host_signature(h, &signature);
    assert_true(str_is(buf_view(&signature), "main(A: Tensor([n, 4], float32), B: Tensor([m, n * 2 + m], float32), x: float32)"));
    buf_free(&signature);
    assert_string_equal(h->params[1].shape[1].shown.p, "A.shape[0] * 2 + B.shape[0]");
    assert_int_equal(h->params[1].shape[1].kind, HOST_DIM_EXPR);
    assert_true(h->params[0].is_read);
    assert_false(h->params[0].is_written);
    assert_false(h->params[1].is_read || h->params[1].is_written);

    world w = {.count = 0};
    int64_t shapes[2][2] = {{9, 4}, {3, 21}};
    DLTensor tensors[2];
    ingot_value values[3];
    for (int i = 0; i < 2; ++i) {
        tensors[i] = (DLTensor){.data = &w.memory[i], .device = {kDLMetal, 0}, .ndim = 2, .dtype = {kDLFloat, 32, 1}, .shape = shapes[i]};
        values[i] = ingot_tensor(&tensors[i]);
    }
    values[2] = ingot_float(0.25);
    host_device device = {.user = &w, .find = find};
    host_env env = {.user = &w, .launch = note_launch, .alloc = give, .free = take};
    host_storage storage;
    host_frame frame;
    host_value result = {.i = 0};
    assert_int_equal(host_frame_begin(&frame, h, &storage, NULL, NULL), INGOT_OK);
    if (host_bind(&frame, values, 3, &device, &f.error) != INGOT_OK) fail_msg("%s", f.error.message);
    assert_int_equal(host_run(&frame, &env, &result, &f.error), INGOT_OK);
    assert_int_equal(result.i, 12);
    assert_int_equal(w.bytes, 36);
    assert_int_equal(w.count, 2);
    assert_int_equal(w.extents[0], 2);
    assert_int_equal(w.extents[1], 4);
    assert_ptr_equal(w.first[0], &w.memory[0]);
    assert_ptr_equal(w.second[0], &w.memory[2]);
    assert_true(w.x == 0.25);
    shapes[1][1] = 20;
    assert_int_equal(host_bind(&frame, values, 3, &device, &f.error), INGOT_VALUE);
    assert_non_null(strstr(f.error.message, "expected A.shape[0] * 2 + B.shape[0] (21), got 20"));
    end(&f);
}

static node jump(arena *mem, ir_kind kind)
{
    return arena_copy(mem, &(ir_node){.kind = kind, .type = IR_VOID}, sizeof(ir_node));
}

/* main(): c = 0; while c < 10: c = c + 3; if c == 6: continue; if c > 8: break -- return c. */
static void make_loops(fixture *f)
{
    arena *mem = &f->mem;
    node one[] = {ir_i32(mem, 1)}, zero[] = {ir_i32(mem, 0)};
    ir_buffer *c = arena_new(mem, ir_buffer);
    *c = (ir_buffer){.name = STR("c"), .data = ir_var_pointer(mem, STR("c"), IR_I32, IR_SCOPE_LOCAL, (span){0}), .type = IR_I32,
                     .shape = list(f, 1, one), .scope = IR_SCOPE_LOCAL};
    node load = ir_load_new(mem, c, list(f, 1, zero), (span){0});
    node inner[] = {
        ir_store_new(mem, c, list(f, 1, zero), ir_add(mem, load, ir_i32(mem, 3)), (span){0}),
        ir_make(mem, IF, if, (span){0}, IR_VOID, .cond = ir_eq(mem, load, ir_i32(mem, 6)),
                .yes = jump(mem, IR_CONTINUE)),
        ir_make(mem, IF, if, (span){0}, IR_VOID, .cond = ir_gt(mem, load, ir_i32(mem, 8)), .yes = jump(mem, IR_BREAK)),
    };
    node body[] = {
        ir_make(mem, ALLOC, alloc, (span){0}, IR_VOID, .buffer = c),
        ir_make(mem, WHILE, while, (span){0}, IR_VOID, .cond = ir_lt(mem, load, ir_i32(mem, 10)), .body = ir_seq_new(mem, inner, 3, (span){0})),
        ir_make(mem, RETURN, return, (span){0}, IR_VOID, .value = load),
    };
    set_module(f, NULL, 0, IR_I32, ir_seq_new(mem, body, 3, (span){0}));
}

static void test_loops(void **state)
{
    (void)state;
    fixture f;
    assert_int_equal(lower(&f, make_loops), INGOT_OK);
    host_env env = {.budget = 1000};
    host_storage storage;
    host_frame frame;
    host_value result = {.i = 0};
    assert_int_equal(host_frame_begin(&frame, f.program->functions, &storage, NULL, NULL), INGOT_OK);
    assert_int_equal(host_run(&frame, &env, &result, NULL), INGOT_OK);
    assert_int_equal(result.i, 9);
    end(&f);
}

/* A dimension that no argument tells, device memory read by the host, and a packed function that is no kernel. */
static void make_wrong(fixture *f)
{
    arena *mem = &f->mem;
    node shape[] = {ir_add(mem, ref(f, var(f, "n", IR_I32)), ir_i32(mem, 1))}, zero[] = {ir_i32(mem, 0)};
    const ir_buffer *a = buffer(f, "A", IR_SCOPE_GLOBAL, 1, shape);
    ir_param *params = arena_array(mem, ir_param, 1);
    params[0] = (ir_param){var(f, "a", IR_POINTER), a};
    node name[] = {ir_string_new(mem, STR("print"), (span){0})};
    node body[] = {ir_make(mem, BIND, bind, (span){0}, IR_VOID, .var = var(f, "v", IR_F32), .value = ir_load_new(mem, a, list(f, 1, zero), (span){0})),
                   launch(f, 1, name)};
    set_module(f, params, 1, IR_VOID, ir_seq_new(mem, body, 2, (span){0}));
}

static void test_wrong(void **state)
{
    (void)state;
    fixture f;
    assert_int_equal(lower(&f, make_wrong), INGOT_UNSUPPORTED);
    assert_null(f.program);
    assert_int_equal(f.diags.errors, 3);
    assert_true(str_is(f.diags.first->message, "the host cannot tell 'n' from the arguments of 'main'"));
    assert_true(str_is(f.diags.first->next->message, "host code cannot read 'A', which is device memory"));
    assert_non_null(strstr(f.diags.last->message.p, "T.call_packed of 'print' is not supported"));
    assert_string_equal(f.error.message, "the host cannot tell 'n' from the arguments of 'main'");
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_whole), cmocka_unit_test(test_loops), cmocka_unit_test(test_wrong)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
