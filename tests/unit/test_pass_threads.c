/* Passes over thread axes: lift_thread_binding, unify_thread_binding, place_allocations. */
#include "pass_builder.h"


/* for bx: for k: {for t(16): S[t] = A[k, t]; for u(8): B[bx, u] = S[u]}: one axis of 16, the second phase guarded. */
PASS_TEST(siblings_share_an_axis)
{
    builder *b = user;
    const ir_var *bx = var(b, "bx"), *k = var(b, "k"), *t = var(b, "t"), *u = var(b, "u");
    ir_buffer *A = F32_GLOBAL(b, "A", 4, 16), *B = F32_GLOBAL(b, "B", 2, 8);
    ir_buffer *S = buffer(b, "S", IR_F32, IR_SCOPE_SHARED, DIMS(16));
    node first = threads(b, t, "threadIdx.x", 16, STORE(b, S, LOAD(b, A, use(b, k), use(b, t)), use(b, t)));
    node second = threads(b, u, "threadIdx.x", 8, STORE(b, B, LOAD(b, S, use(b, u)), use(b, bx), use(b, u)));
    node alloc = ir_make(&b->mem, ALLOC, alloc, (span){0}, IR_VOID, .buffer = S);
    node body = SEQUENCE(b, alloc, loop(b, k, 0, 4, SEQUENCE(b, first, second)));
    body = threads(b, bx, "blockIdx.x", 2, body);
    expect(b, after(b, pass_lift_thread_binding, body),
           "with T.launch_thread(\"blockIdx.x\", 2) as bx:\n"
           "    with T.launch_thread(\"threadIdx.x\", 16) as t:\n"
           "        S = T.alloc_buffer((16,), \"float32\", scope=\"shared\")\n"
           "        for k in range(4):\n"
           "            S[t] = A[k, t]\n"
           "            if t < 8:\n"
           "                B[bx, t] = S[t]\n");
}

/* A nest that is in order is the same node after lifting, and THREAD statements after unifying. */
PASS_TEST(nest_in_order)
{
    builder *b = user;
    const ir_var *bx = var(b, "bx"), *tx = var(b, "tx");
    ir_buffer *B = F32_GLOBAL(b, "B", 4, 32);
    node store = STORE(b, B, LOAD(b, B, num(b, 0), num(b, 0)), use(b, bx), use(b, tx));
    node body = threads(b, bx, "blockIdx.x", 4, threads(b, tx, "threadIdx.x", 32, store));
    assert_ptr_equal(after(b, pass_lift_thread_binding, body), body);
    node out = after(b, pass_unify_thread_binding, body);
    expect(b, out,
           "with T.launch_thread(\"blockIdx.x\", 4) as bx:\n"
           "    with T.launch_thread(\"threadIdx.x\", 32) as tx:\n"
           "        B[bx, tx] = B[0, 0]\n");
    assert_ptr_equal(after(b, pass_unify_thread_binding, out), out);
}

/* Two nests of the host stay two kernels. */
PASS_TEST(nests_stay_apart)
{
    builder *b = user;
    const ir_var *i = var(b, "i"), *j = var(b, "j");
    ir_buffer *B = F32_GLOBAL(b, "B", 32);
    node one = threads(b, i, "threadIdx.x", 32, STORE(b, B, LOAD(b, B, num(b, 0)), use(b, i)));
    node two = threads(b, j, "threadIdx.x", 16, STORE(b, B, LOAD(b, B, num(b, 1)), use(b, j)));
    node out = after(b, pass_unify_thread_binding, SEQUENCE(b, one, two));
    expect(b, out,
           "with T.launch_thread(\"threadIdx.x\", 32) as i:\n"
           "    B[i] = B[0]\n"
           "with T.launch_thread(\"threadIdx.x\", 16) as j:\n"
           "    B[j] = B[1]\n");
}

/* An axis bound again inside itself is the same axis. */
PASS_TEST(axis_bound_again)
{
    builder *b = user;
    const ir_var *i = var(b, "i"), *j = var(b, "j");
    ir_buffer *B = F32_GLOBAL(b, "B", 32);
    node inner = threads(b, j, "threadIdx.x", 32, STORE(b, B, LOAD(b, B, use(b, j)), use(b, i)));
    node body = after(b, pass_lift_thread_binding, threads(b, i, "threadIdx.x", 32, inner));
    expect(b, after(b, pass_unify_thread_binding, body), "with T.launch_thread(\"threadIdx.x\", 32) as i:\n    B[i] = B[i]\n");
}

PASS_TEST(axis_bound_again_differently)
{
    builder *b = user;
    const ir_var *i = var(b, "i"), *j = var(b, "j");
    ir_buffer *B = F32_GLOBAL(b, "B", 32);
    node inner = threads(b, j, "threadIdx.x", 16, STORE(b, B, LOAD(b, B, use(b, j)), use(b, i)));
    after(b, pass_unify_thread_binding, threads(b, i, "threadIdx.x", 32, inner));
    expect_error(b, "'threadIdx.x' is bound again in the same kernel, with another extent");
}

PASS_TEST(unknown_axis)
{
    builder *b = user;
    const ir_var *i = var(b, "i");
    ir_buffer *B = F32_GLOBAL(b, "B", 32);
    node body = threads(b, i, "threadIdx.w", 32, STORE(b, B, LOAD(b, B, num(b, 0)), use(b, i)));
    after(b, pass_lift_thread_binding, body);
    expect_error(b, "'threadIdx.w' is no thread axis: use blockIdx or threadIdx with .x, .y or .z");
}

/* The extent of a thread axis must be known at the launch. */
PASS_TEST(extent_inside_kernel)
{
    builder *b = user;
    const ir_var *bx = var(b, "bx"), *t = var(b, "t");
    ir_buffer *B = F32_GLOBAL(b, "B", 32);
    ir_for inner = *ir_as_for(threads(b, t, "threadIdx.x", 1, STORE(b, B, LOAD(b, B, num(b, 0)), use(b, t))));
    inner.extent = ADD(b, use(b, bx), num(b, 1));
    after(b, pass_unify_thread_binding, threads(b, bx, "blockIdx.x", 4, arena_copy(&b->mem, &inner, sizeof inner)));
    expect_error(b, "the extent of 'threadIdx.x' depends on 'bx', which is only known inside the kernel");
}

/* bx: {B[bx] = B[bx] + 1; for t: ...}: what is stored once a threadgroup is left to its first thread; what each thread
 * has to itself all of them store. */
PASS_TEST(stores_outside_of_an_axis)
{
    builder *b = user;
    const ir_var *bx = var(b, "bx"), *t = var(b, "t");
    ir_buffer *B = F32_GLOBAL(b, "B", 4), *C = F32_GLOBAL(b, "C", 4), *D = F32_GLOBAL(b, "D", 8);
    node one = ir_float_new(&b->mem, IR_F32, 1, (span){0});
    node count = STORE(b, B, ADD(b, LOAD(b, B, use(b, bx)), one), use(b, bx));
    node mark = STORE(b, C, one, use(b, bx));
    ir_buffer *L = buffer(b, "L", IR_F32, IR_SCOPE_LOCAL, DIMS(4));
    node own = STORE(b, L, one, use(b, bx));
    node body = SEQUENCE(b, count, mark, own, threads(b, t, "threadIdx.x", 8, STORE(b, D, one, use(b, t))));
    expect(b, after(b, pass_lift_thread_binding, threads(b, bx, "blockIdx.x", 4, body)),
           "with T.launch_thread(\"blockIdx.x\", 4) as bx:\n"
           "    with T.launch_thread(\"threadIdx.x\", 8) as t:\n"
           "        if t == 0:\n"
           "            B[bx] = B[bx] + T.float32(1.0)\n"
           "        if t == 0:\n"
           "            C[bx] = T.float32(1.0)\n"
           "        L[bx] = T.float32(1.0)\n"
           "        D[t] = T.float32(1.0)\n");
}

PASS_TEST(barrier_of_fewer_threads)
{
    builder *b = user;
    const ir_var *bx = var(b, "bx"), *t = var(b, "t"), *u = var(b, "u");
    ir_buffer *B = F32_GLOBAL(b, "B", 16);
    node one = threads(b, t, "threadIdx.x", 16, STORE(b, B, LOAD(b, B, num(b, 0)), use(b, t)));
    node scope = ir_string_new(&b->mem, STR("shared"), (span){0});
    node sync = ir_eval_new(&b->mem, ir_call_new(&b->mem, IR_FN_STORAGE_SYNC, IR_VOID, list(b, NODES(scope)), (span){0}));
    node two = threads(b, u, "threadIdx.x", 8, SEQUENCE(b, sync, STORE(b, B, LOAD(b, B, num(b, 0)), use(b, u))));
    after(b, pass_lift_thread_binding, threads(b, bx, "blockIdx.x", 2, SEQUENCE(b, one, two)));
    expect_error(b, "'threadIdx.x' has fewer threads here than elsewhere in the kernel, but they meet at a barrier");
}

/* ---- Allocations --------------------------------------------------------------------------------- */

static node rooted(builder *b, const ir_buffer *alloc, node body)
{
    ir_block *root = block(b, "root", NULL, 0, body);
    root->allocs = buffers_of(b, alloc);
    return &root->node;
}

/* Shared memory of the root block moves into the kernel that uses it, not into the kernel's loop. */
PASS_TEST(allocation_moves_into_kernel)
{
    builder *b = user;
    const ir_var *bx = var(b, "bx"), *k = var(b, "k"), *t = var(b, "t");
    ir_buffer *B = F32_GLOBAL(b, "B", 16), *S = buffer(b, "S", IR_F32, IR_SCOPE_SHARED, DIMS(16));
    node body = SEQUENCE(b, STORE(b, S, LOAD(b, B, use(b, t)), use(b, t)), STORE(b, B, LOAD(b, S, use(b, k)), use(b, t)));
    body = threads(b, bx, "blockIdx.x", 2, threads(b, t, "threadIdx.x", 16, loop(b, k, 0, 4, body)));
    node out = after(b, pass_place_allocations, rooted(b, S, SEQUENCE(b, STORE(b, B, LOAD(b, B, num(b, 1)), num(b, 0)), body)));
    expect(b, after(b, pass_lower_opaque_block, out),
           "B[0] = B[1]\n"
           "for bx in T.thread_binding(2, thread=\"blockIdx.x\"):\n"
           "    for t in T.thread_binding(16, thread=\"threadIdx.x\"):\n"
           "        S = T.alloc_buffer((16,), \"float32\", scope=\"shared\")\n"
           "        for k in range(4):\n"
           "            S[t] = B[t]\n"
           "            B[t] = S[k]\n");
}

/* Global memory between two kernels is allocated before the first. */
PASS_TEST(global_stays_on_the_host)
{
    builder *b = user;
    const ir_var *i = var(b, "i"), *j = var(b, "j");
    ir_buffer *B = F32_GLOBAL(b, "B", 16), *G = F32_GLOBAL(b, "G", 16);
    node one = threads(b, i, "threadIdx.x", 16, STORE(b, G, LOAD(b, B, use(b, i)), use(b, i)));
    node two = threads(b, j, "threadIdx.x", 16, STORE(b, B, LOAD(b, G, use(b, j)), use(b, j)));
    node out = after(b, pass_place_allocations, rooted(b, G, SEQUENCE(b, one, two)));
    expect(b, after(b, pass_unify_thread_binding, after(b, pass_lower_opaque_block, out)),
           "G = T.alloc_buffer((16,), \"float32\")\n"
           "with T.launch_thread(\"threadIdx.x\", 16) as i:\n"
           "    G[i] = B[i]\n"
           "with T.launch_thread(\"threadIdx.x\", 16) as j:\n"
           "    B[j] = G[j]\n");
}

/* Phases that share threadgroup memory are one kernel ... */
PASS_TEST(shared_memory_joins_siblings)
{
    builder *b = user;
    const ir_var *i = var(b, "i"), *j = var(b, "j");
    ir_buffer *B = F32_GLOBAL(b, "B", 16), *S = buffer(b, "S", IR_F32, IR_SCOPE_SHARED, DIMS(16));
    node one = threads(b, i, "threadIdx.x", 16, STORE(b, S, LOAD(b, B, use(b, i)), use(b, i)));
    node two = threads(b, j, "threadIdx.x", 16, STORE(b, B, LOAD(b, S, num(b, 3)), use(b, j)));
    node out = after(b, pass_place_allocations, rooted(b, S, SEQUENCE(b, one, two)));
    out = after(b, pass_lift_thread_binding, after(b, pass_lower_opaque_block, out));
    expect(b, out,
           "with T.launch_thread(\"threadIdx.x\", 16) as i:\n"
           "    S = T.alloc_buffer((16,), \"float32\", scope=\"shared\")\n"
           "    S[i] = B[i]\n"
           "    B[i] = S[3]\n");
}

/* ... unless each has a grid of its own. */
PASS_TEST(shared_memory_of_two_grids)
{
    builder *b = user;
    const ir_var *i = var(b, "i"), *j = var(b, "j");
    ir_buffer *B = F32_GLOBAL(b, "B", 16), *S = buffer(b, "S", IR_F32, IR_SCOPE_SHARED, DIMS(16));
    node one = threads(b, i, "blockIdx.x", 16, STORE(b, S, LOAD(b, B, use(b, i)), use(b, i)));
    node two = threads(b, j, "blockIdx.x", 16, STORE(b, B, LOAD(b, S, num(b, 3)), use(b, j)));
    node out = after(b, pass_place_allocations, rooted(b, S, SEQUENCE(b, one, two)));
    after(b, pass_lift_thread_binding, out);
    expect_error(b, "'S' in scope \"shared\" is used by more than one kernel");
}

/* Memory of the host, or of a thread, but not of a threadgroup. */
PASS_TEST(global_inside_a_kernel)
{
    builder *b = user;
    const ir_var *i = var(b, "i"), *t = var(b, "t");
    ir_buffer *G = F32_GLOBAL(b, "G", 16), *H = F32_GLOBAL(b, "H", 16);
    node alloc = ir_make(&b->mem, ALLOC, alloc, (span){0}, IR_VOID, .buffer = H);
    node own = SEQUENCE(b, alloc, STORE(b, H, LOAD(b, H, num(b, 1)), use(b, i)));
    after(b, pass_lift_thread_binding, threads(b, i, "blockIdx.x", 4, threads(b, t, "threadIdx.x", 16, own)));
    node inner = rooted(b, G, STORE(b, G, LOAD(b, G, num(b, 1)), use(b, i)));
    after(b, pass_place_allocations, threads(b, i, "threadIdx.x", 16, inner));
    assert_int_equal(b->diags.errors, 0);
    node group = SEQUENCE(b, alloc, threads(b, t, "threadIdx.x", 16, STORE(b, H, LOAD(b, H, num(b, 1)), use(b, t))));
    after(b, pass_lift_thread_binding, threads(b, i, "blockIdx.x", 4, group));
    expect_error(b, "'H' in scope \"global\" is allocated inside a kernel, for several threads: use \"shared\"");
    inner = rooted(b, G, threads(b, t, "threadIdx.x", 16, STORE(b, G, LOAD(b, G, num(b, 1)), use(b, t))));
    after(b, pass_place_allocations, threads(b, i, "blockIdx.x", 4, inner));
    assert_int_equal(b->diags.errors, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(siblings_share_an_axis),      cmocka_unit_test(nest_in_order),
        cmocka_unit_test(nests_stay_apart),            cmocka_unit_test(axis_bound_again),
        cmocka_unit_test(axis_bound_again_differently), cmocka_unit_test(unknown_axis),
        cmocka_unit_test(extent_inside_kernel),        cmocka_unit_test(stores_outside_of_an_axis),
        cmocka_unit_test(barrier_of_fewer_threads),    cmocka_unit_test(allocation_moves_into_kernel),
        cmocka_unit_test(global_stays_on_the_host),    cmocka_unit_test(shared_memory_joins_siblings),
        cmocka_unit_test(shared_memory_of_two_grids),  cmocka_unit_test(global_inside_a_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
