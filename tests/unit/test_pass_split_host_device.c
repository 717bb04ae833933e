/* split_host_device: names, parameter order, launches, what moves into a kernel, what is refused. */
#include "pass_help.h"

static const ir_module *split(bench *b, const ir_module *m)
{
    return pass_split_host_device(&b->cx, m);
}

static void assert_name(str s, const char *text)
{
    if (!str_is(s, text)) fail_msg("'%.*s', not '%s'", STR_ARG(s), text);
}

/* Parameters: pointers by name as <buffer>_ptr, then scalars by name. The example is TVM's own order:
 * main(B, A, z, y, x, w, v) gives A_ptr, B_ptr, v, w, x, y, z. */
BENCH_TEST(orders_parameters)
{
    const ir_buffer *B = mk_buffer(b, "B", IR_F32, IR_SCOPE_GLOBAL, 32), *A = mk_buffer(b, "A", IR_F32, IR_SCOPE_GLOBAL, 32);
    const ir_buffer *unused = mk_buffer(b, "U", IR_F32, IR_SCOPE_GLOBAL, 32);
    const ir_var *z = mk_var(b, "z", IR_I32), *y = mk_var(b, "y", IR_I32), *x = mk_var(b, "x", IR_I32);
    const ir_var *tx = mk_var(b, "tx", IR_I32);
    const ir_node *at = ir_add(b->mem, mk_ref(b, z), ir_add(b->mem, mk_ref(b, x), mk_ref(b, y)));
    const ir_node *body = mk_store(b, B, mk_ref(b, tx), mk_load(b, A, at));
    const ir_module *m = mk_module(b, (const ir_buffer *const[]){B, A, unused, NULL},
                                   (const ir_var *const[]){z, y, x, NULL}, mk_thread(b, "threadIdx.x", tx, 32, body));
    const ir_module *out = split(b, m);
    assert_int_equal(b->diags.errors, 0);
    assert_int_equal(out->func_count, 2);
    assert_int_equal(out->funcs[0]->kind, IR_FUNC_HOST);
    const ir_func *k = out->funcs[1];
    assert_int_equal(k->kind, IR_FUNC_KERNEL);
    assert_name(k->name, "main_kernel");
    const char *names[] = {"A_ptr", "B_ptr", "x", "y", "z"};
    assert_int_equal(k->param_count, 5);
    for (size_t i = 0; i < 5; ++i) assert_name(k->params[i].var->name, names[i]);
    assert_int_equal(k->launch_tag_count, 1);
    assert_name(k->launch_tags[0], "threadIdx.x");
    assert_null(k->dyn_shared_bytes);

    const ir_call *launch = find_call(out->funcs[0]->body, IR_FN_CALL_PACKED);
    assert_int_equal(launch->args.n, 1 + 5 + 1);
    assert_name(ir_as_string(launch->args.at[0])->text, "main_kernel");
    const ir_param *host = out->funcs[0]->params; /* copies of B, A, U, z, y, x */
    assert_ptr_equal(ir_as_var_ref(launch->args.at[1])->var, host[1].buffer->data);
    assert_ptr_equal(ir_as_var_ref(launch->args.at[2])->var, host[0].buffer->data);
    assert_ptr_equal(ir_as_var_ref(launch->args.at[3])->var, host[5].var);
    assert_name(host[5].var->name, "x");
    assert_true(ir_is_const(launch->args.at[6], 32));
}

/* '1' sorts before '_': A1_ptr comes before A_ptr. */
BENCH_TEST(sorts_whole_names)
{
    const ir_buffer *A = mk_buffer(b, "A", IR_F32, IR_SCOPE_GLOBAL, 8), *A1 = mk_buffer(b, "A1", IR_F32, IR_SCOPE_GLOBAL, 8);
    const ir_var *tx = mk_var(b, "tx", IR_I32);
    const ir_node *body = mk_store(b, A, mk_ref(b, tx), mk_load(b, A1, mk_ref(b, tx)));
    const ir_module *m = mk_module(b, (const ir_buffer *const[]){A, A1, NULL}, NULL, mk_thread(b, "threadIdx.x", tx, 8, body));
    const ir_func *k = split(b, m)->funcs[1];
    assert_name(k->params[0].var->name, "A1_ptr");
    assert_name(k->params[1].var->name, "A_ptr");
}

/* Two regions, a function that has the first name already, axes in order of appearance. */
BENCH_TEST(names_kernels_apart)
{
    const ir_buffer *A = mk_buffer(b, "A", IR_F32, IR_SCOPE_GLOBAL, 64);
    const ir_node *regions[2];
    for (int i = 0; i < 2; ++i) {
        const ir_var *bx = mk_var(b, "bx", IR_I32), *tx = mk_var(b, "tx", IR_I32);
        const ir_node *at = ir_add(b->mem, ir_mul(b->mem, mk_ref(b, bx), ir_i32(b->mem, 32)), mk_ref(b, tx));
        const ir_node *body = mk_store(b, A, at, ir_float_new(b->mem, IR_F32, i, (span){0}));
        regions[i] = mk_thread(b, "threadIdx.x", tx, 32, mk_thread(b, "blockIdx.x", bx, 2, body));
    }
    const ir_module *m = mk_module(b, (const ir_buffer *const[]){A, NULL}, NULL, mk_seq(b, regions[0], regions[1]));
    ir_func *taken = arena_copy(b->mem, m->funcs[0], sizeof *taken);
    taken->name = STR("main_kernel");
    taken->body = ir_nop(b->mem);
    ir_module both = {.funcs = (const ir_func *const[]){m->funcs[0], taken}, .func_count = 2};
    const ir_module *out = split(b, &both);
    assert_int_equal(out->func_count, 4);
    assert_name(out->funcs[1]->name, "main_kernel_1");
    assert_name(out->funcs[2]->name, "main_kernel_2");
    assert_name(out->funcs[3]->name, "main_kernel");
    assert_name(out->funcs[1]->launch_tags[0], "threadIdx.x");
    assert_name(out->funcs[1]->launch_tags[1], "blockIdx.x");
    assert_int_equal(count_calls(out->funcs[0]->body, IR_FN_CALL_PACKED), 2);
}

/* A host loop launches; its variable is a scalar of the kernel; a temporary stays with the host. */
BENCH_TEST(keeps_host_work_on_the_host)
{
    const ir_buffer *A = mk_buffer(b, "A", IR_F32, IR_SCOPE_GLOBAL, 8), *T = mk_buffer(b, "T", IR_F32, IR_SCOPE_GLOBAL, 8);
    const ir_var *h = mk_var(b, "h", IR_I32), *tx = mk_var(b, "tx", IR_I32);
    const ir_node *at = ir_add(b->mem, mk_ref(b, tx), mk_ref(b, h));
    const ir_node *body = mk_seq(b, mk_store(b, T, mk_ref(b, tx), mk_load(b, A, at)));
    const ir_node *loop = mk_for(b, IR_SERIAL, h, ir_i32(b->mem, 3), mk_thread(b, "threadIdx.x", tx, 4, body));
    const ir_module *m = mk_module(b, (const ir_buffer *const[]){A, NULL}, NULL, mk_seq(b, mk_alloc(b, T), loop));
    const ir_module *out = split(b, m);
    assert_int_equal(count_nodes(out->funcs[0]->body, IR_FOR), 1);
    assert_int_equal(count_nodes(out->funcs[0]->body, IR_ALLOC), 1);
    const ir_func *k = out->funcs[1];
    assert_int_equal(count_nodes(k->body, IR_ALLOC), 0);
    assert_int_equal(k->param_count, 3);
    assert_name(k->params[0].var->name, "A_ptr");
    assert_name(k->params[1].var->name, "T_ptr");
    assert_name(k->params[2].var->name, "h");
}

/* Shared memory that stands before the one region that uses it belongs to the kernel. */
BENCH_TEST(moves_memory_in)
{
    const ir_buffer *A = mk_buffer(b, "A", IR_F32, IR_SCOPE_GLOBAL, 8), *S = mk_buffer(b, "S", IR_F32, IR_SCOPE_SHARED, 8);
    const ir_var *tx = mk_var(b, "tx", IR_I32);
    const ir_node *body = mk_seq(b, mk_store(b, S, mk_ref(b, tx), mk_load(b, A, mk_ref(b, tx))));
    const ir_module *m = mk_module(b, (const ir_buffer *const[]){A, NULL}, NULL,
                                   mk_seq(b, mk_alloc(b, S), mk_thread(b, "threadIdx.x", tx, 8, body)));
    const ir_module *out = split(b, m);
    assert_int_equal(count_nodes(out->funcs[0]->body, IR_ALLOC), 0);
    assert_int_equal(count_nodes(out->funcs[1]->body, IR_ALLOC), 1);
    assert_int_equal(out->funcs[1]->param_count, 1);
}

/* A mutable scalar of the host is read before the launch, and passed by value. */
BENCH_TEST(passes_host_scalars)
{
    const ir_buffer *A = mk_buffer(b, "A", IR_I32, IR_SCOPE_GLOBAL, 8), *s = mk_buffer(b, "s", IR_I32, IR_SCOPE_LOCAL, 1);
    const ir_var *tx = mk_var(b, "tx", IR_I32);
    const ir_node *zero = ir_i32(b->mem, 0);
    const ir_node *region = mk_thread(b, "threadIdx.x", tx, 8, mk_store(b, A, mk_ref(b, tx), mk_load(b, s, zero)));
    const ir_module *m = mk_module(b, (const ir_buffer *const[]){A, NULL}, NULL,
                                   mk_seq(b, mk_alloc(b, s), mk_store(b, s, zero, ir_i32(b->mem, 5)), region));
    const ir_module *out = split(b, m);
    assert_int_equal(b->diags.errors, 0);
    const ir_func *k = out->funcs[1];
    assert_int_equal(count_nodes(k->body, IR_LOAD), 0);
    assert_int_equal(k->param_count, 2);
    assert_name(k->params[1].var->name, "s");
    assert_int_equal(count_nodes(out->funcs[0]->body, IR_LOAD), 1);
    assert_int_equal(count_nodes(out->funcs[0]->body, IR_BIND), 1);
}

BENCH_TEST(refuses_writing_a_host_scalar)
{
    const ir_buffer *s = mk_buffer(b, "s", IR_I32, IR_SCOPE_LOCAL, 1);
    const ir_var *tx = mk_var(b, "tx", IR_I32);
    const ir_node *zero = ir_i32(b->mem, 0);
    const ir_node *region = mk_thread(b, "threadIdx.x", tx, 8, mk_store(b, s, zero, mk_ref(b, tx)));
    const ir_module *m = mk_module(b, NULL, NULL, mk_seq(b, mk_alloc(b, s), mk_store(b, s, zero, zero), region));
    split(b, m);
    assert_one_error(b, "'s' is local memory outside the threads of a kernel");
}

/* lower_asserts sees them in the kernel that they belong to; what is known to hold is gone. */
BENCH_TEST(asserts_move_into_kernels)
{
    const ir_var *tx = mk_var(b, "tx", IR_I32);
    const ir_node *cond = ir_lt(b->mem, mk_ref(b, tx), ir_i32(b->mem, 4));
    const ir_node *check = ir_make(b->mem, ASSERT, assert, (span){0}, IR_VOID, .cond = cond, .message = STR("x"));
    const ir_node *holds = ir_make(b->mem, ASSERT, assert, (span){0}, IR_VOID, .cond = ir_bool(b->mem, true), .message = STR("y"));
    const ir_module *m = split(b, mk_module(b, NULL, NULL, mk_thread(b, "threadIdx.x", tx, 8, mk_seq(b, check, holds))));
    assert_int_equal(count_nodes(m->funcs[1]->body, IR_ASSERT), 1);
    assert_int_equal(count_nodes(m->funcs[0]->body, IR_ASSERT), 0);
}

/* The first appearance of a tag gives the extent; later ones are the same axis. */
BENCH_TEST(joins_axes_of_one_tag)
{
    const ir_buffer *A = mk_buffer(b, "A", IR_I32, IR_SCOPE_GLOBAL, 64);
    const ir_var *bx = mk_var(b, "bx", IR_I32), *t0 = mk_var(b, "t0", IR_I32), *t1 = mk_var(b, "t1", IR_I32);
    const ir_node *one = mk_thread(b, "threadIdx.x", t0, 16, mk_store(b, A, mk_ref(b, t0), mk_ref(b, bx)));
    const ir_node *two = mk_thread(b, "threadIdx.x", t1, 16, mk_store(b, A, mk_ref(b, t1), mk_ref(b, t1)));
    const ir_module *m = mk_module(b, (const ir_buffer *const[]){A, NULL}, NULL,
                                   mk_thread(b, "blockIdx.x", bx, 2, mk_seq(b, one, two)));
    const ir_func *k = split(b, m)->funcs[1];
    assert_int_equal(count_nodes(k->body, IR_THREAD), 2);
    assert_int_equal(k->launch_tag_count, 2);
    assert_false(ir_uses_var(k->body, t1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_parameters),          cmocka_unit_test(sorts_whole_names),
        cmocka_unit_test(names_kernels_apart),        cmocka_unit_test(keeps_host_work_on_the_host),
        cmocka_unit_test(moves_memory_in),            cmocka_unit_test(passes_host_scalars),
        cmocka_unit_test(refuses_writing_a_host_scalar), cmocka_unit_test(asserts_move_into_kernels),
        cmocka_unit_test(joins_axes_of_one_tag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
