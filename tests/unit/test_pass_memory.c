/* Passes that use what is known of indices: simplify, compact_buffers, place_allocations below loops. */
#include "pass_builder.h"

/* ---- simplify ------------------------------------------------------------------------------------ */

PASS_TEST(conditions_are_decided)
{
    builder *b = user;
    const ir_var *i = var(b, "i");
    ir_buffer *A = F32_GLOBAL(b, "A", 64);
    node index = ADD(b, MUL(b, use(b, i), num(b, 4)), num(b, 3));
    node always = ir_make(&b->mem, IF, if, (span){0}, IR_VOID, .cond = ir_lt(&b->mem, index, num(b, 64)),
                          .yes = STORE(b, A, LOAD(b, A, index), use(b, i)));
    node never = ir_make(&b->mem, IF, if, (span){0}, IR_VOID, .cond = ir_gt(&b->mem, index, num(b, 63)),
                         .yes = STORE(b, A, LOAD(b, A, index), use(b, i)));
    node sometimes = ir_make(&b->mem, IF, if, (span){0}, IR_VOID, .cond = ir_lt(&b->mem, index, num(b, 63)),
                             .yes = STORE(b, A, LOAD(b, A, num(b, 0)), use(b, i)));
    node body = loop(b, i, 0, 16, SEQUENCE(b, always, never, sometimes));
    node out = after(b, pass_simplify, body);
    ir_list inner = ir_as_seq(ir_as_for(out)->body)->body;
    assert_int_equal(inner.n, 2);
    assert_int_equal(inner.at[0]->kind, IR_STORE);
    assert_int_equal(inner.at[1]->kind, IR_IF);
}

PASS_TEST(loops_without_iterations)
{
    builder *b = user;
    const ir_var *i = var(b, "i"), *k = var(b, "k");
    ir_buffer *A = F32_GLOBAL(b, "A", 64);
    node out = after(b, pass_simplify, loop(b, i, 0, 0, STORE(b, A, LOAD(b, A, num(b, 0)), use(b, i))));
    assert_true(ir_is_nop(out));
    /* A condition that holds in the loop must not be taken to hold after it. */
    node cond = ir_lt(&b->mem, use(b, k), num(b, 2));
    node one = ir_make(&b->mem, IF, if, (span){0}, IR_VOID, .cond = cond, .yes = STORE(b, A, LOAD(b, A, num(b, 0)), use(b, k)));
    node two = ir_make(&b->mem, IF, if, (span){0}, IR_VOID, .cond = cond, .yes = STORE(b, A, LOAD(b, A, num(b, 1)), use(b, k)));
    expect(b, after(b, pass_simplify, loop(b, k, 0, 4, SEQUENCE(b, one, two))),
           "for k in range(4):\n"
           "    if k < 2:\n"
           "        A[k] = A[0]\n"
           "    if k < 2:\n"
           "        A[k] = A[1]\n");
}

/* ---- Staging through threadgroup memory ----------------------------------------------------------- */

/* for by, bx (2 x 2 groups): for k (8): {S[by * 16 + y, k * 16 + x] = A[...] over y (serial), x (16 threads);
 *                                        B[by * 16 + x] += S[by * 16 + x, k * 16 + r] over r (serial)}
 * with S as large as A, allocated by the root block. */
typedef struct staging {
    ir_buffer *A, *B, *S;
    const ir_var *by, *k, *y, *x, *t, *r, *vy, *vx, *vt, *vr;
    node copy, sum;
} staging;

static staging stage(builder *b)
{
    staging s = {.by = var(b, "by"), .k = var(b, "k"), .y = var(b, "y"), .x = var(b, "x"), .t = var(b, "t"),
                 .r = var(b, "r"), .vy = var(b, "vy"), .vx = var(b, "vx"), .vt = var(b, "vt"), .vr = var(b, "vr")};
    s.A = F32_GLOBAL(b, "A", 32, 128);
    s.B = F32_GLOBAL(b, "B", 32);
    s.S = buffer(b, "S", IR_F32, IR_SCOPE_SHARED, DIMS(32, 128));
    node row = ADD(b, MUL(b, use(b, s.by), num(b, 16)), use(b, s.y));
    node column = ADD(b, MUL(b, use(b, s.k), num(b, 16)), use(b, s.x));
    ir_iter copy[] = {iter(b, s.vy, IR_SPATIAL, 32, row), iter(b, s.vx, IR_SPATIAL, 128, column)};
    node store = STORE(b, s.S, LOAD(b, s.A, use(b, s.vy), use(b, s.vx)), use(b, s.vy), use(b, s.vx));
    s.copy = loop(b, s.y, 0, 16, threads(b, s.x, "threadIdx.x", 16, &block(b, "S", copy, 2, store)->node));
    node out = ADD(b, MUL(b, use(b, s.by), num(b, 16)), use(b, s.t));
    node term = ADD(b, MUL(b, use(b, s.k), num(b, 16)), use(b, s.r));
    ir_iter sum[] = {iter(b, s.vt, IR_SPATIAL, 32, out), iter(b, s.vr, IR_REDUCE, 128, term)};
    node value = ADD(b, LOAD(b, s.B, use(b, s.vt)), LOAD(b, s.S, use(b, s.vt), use(b, s.vr)));
    store = STORE(b, s.B, value, use(b, s.vt));
    s.sum = threads(b, s.t, "threadIdx.x", 16, loop(b, s.r, 0, 16, &block(b, "B", sum, 2, store)->node));
    return s;
}

static node lowered(builder *b, node body)
{
    static const pass_fn passes[] = {pass_place_allocations,    pass_blocks_to_opaque,    pass_lift_thread_binding,
                                     pass_unify_thread_binding, pass_lower_match_buffer, pass_compact_buffers,
                                     pass_simplify,             pass_lower_opaque_block};
    for (size_t i = 0; i < sizeof passes / sizeof *passes; ++i) body = after(b, passes[i], body);
    return body;
}

static node rooted(builder *b, const ir_buffer *alloc, node body)
{
    ir_block *root = block(b, "root", NULL, 0, body);
    root->allocs = buffers_of(b, alloc);
    return &root->node;
}

/* Each iteration of k fills what it reads, so S is 16 x 16 and lives inside the loop. */
PASS_TEST(a_tile_at_a_time)
{
    builder *b = user;
    staging s = stage(b);
    node body = threads(b, s.by, "blockIdx.y", 2, loop(b, s.k, 0, 8, SEQUENCE(b, s.copy, s.sum)));
    expect(b, lowered(b, rooted(b, s.S, body)),
           "with T.launch_thread(\"blockIdx.y\", 2) as by:\n"
           "    with T.launch_thread(\"threadIdx.x\", 16) as x:\n"
           "        for k in range(8):\n"
           "            S = T.alloc_buffer((16, 16), \"float32\", scope=\"shared\")\n"
           "            for y in range(16):\n"
           "                S[y, x] = A[by * 16 + y, k * 16 + x]\n"
           "            for r in range(16):\n"
           "                B[by * 16 + x] = B[by * 16 + x] + S[x, r]\n");
}

/* Where only the first iteration fills it, S must last over the loop: rows by * 16 + [0, 16), all columns. */
PASS_TEST(a_buffer_that_lasts)
{
    builder *b = user;
    staging s = stage(b);
    const ir_for *y = ir_as_for(s.copy);
    const ir_for *x = ir_as_for(y->body);
    ir_block *copy = arena_copy(&b->mem, ir_as_block(x->body), sizeof *copy);
    copy->predicate = ir_eq(&b->mem, use(b, s.k), num(b, 0));
    s.copy = loop(b, s.y, 0, 16, threads(b, s.x, "threadIdx.x", 16, &copy->node));
    node body = threads(b, s.by, "blockIdx.y", 2, loop(b, s.k, 0, 8, SEQUENCE(b, s.copy, s.sum)));
    expect(b, lowered(b, rooted(b, s.S, body)),
           "with T.launch_thread(\"blockIdx.y\", 2) as by:\n"
           "    with T.launch_thread(\"threadIdx.x\", 16) as x:\n"
           "        S = T.alloc_buffer((16, 128), \"float32\", scope=\"shared\")\n"
           "        for k in range(8):\n"
           "            for y in range(16):\n"
           "                if k == 0:\n"
           "                    S[y, k * 16 + x] = A[by * 16 + y, k * 16 + x]\n"
           "            for r in range(16):\n"
           "                B[by * 16 + x] = B[by * 16 + x] + S[x, k * 16 + r]\n");
}

/* An accumulator over k lasts as well, though each thread only has its own four elements of it. */
PASS_TEST(accumulator)
{
    builder *b = user;
    const ir_var *t = var(b, "t"), *k = var(b, "k"), *j = var(b, "j"), *vi = var(b, "vi"), *vk = var(b, "vk");
    ir_buffer *A = F32_GLOBAL(b, "A", 8, 32), *B = F32_GLOBAL(b, "B", 32);
    ir_buffer *L = buffer(b, "L", IR_F32, IR_SCOPE_LOCAL, DIMS(32));
    const ir_var *o = var(b, "o"), *vo = var(b, "vo");
    ir_iter sum[] = {iter(b, vi, IR_SPATIAL, 32, ADD(b, MUL(b, use(b, t), num(b, 4)), use(b, j))),
                     iter(b, vk, IR_REDUCE, 8, use(b, k))};
    node value = ADD(b, LOAD(b, L, use(b, vi)), LOAD(b, A, use(b, vk), use(b, vi)));
    ir_block *update = block(b, "L", sum, 2, STORE(b, L, value, use(b, vi)));
    update->init = STORE(b, L, ir_float_new(&b->mem, IR_F32, 0, (span){0}), use(b, vi));
    ir_iter out = iter(b, vo, IR_SPATIAL, 32, ADD(b, MUL(b, use(b, t), num(b, 4)), use(b, o)));
    node copy = &block(b, "B", &out, 1, STORE(b, B, LOAD(b, L, use(b, vo)), use(b, vo)))->node;
    node body = SEQUENCE(b, loop(b, k, 0, 8, loop(b, j, 0, 4, &update->node)), loop(b, o, 0, 4, copy));
    body = rooted(b, L, threads(b, t, "threadIdx.x", 8, body));
    expect(b, lowered(b, after(b, pass_lower_init_block, body)),
           "with T.launch_thread(\"threadIdx.x\", 8) as t:\n"
           "    L = T.alloc_buffer((4,), \"float32\", scope=\"local\")\n"
           "    for k in range(8):\n"
           "        for j in range(4):\n"
           "            if k == 0:\n"
           "                L[j] = T.float32(0.0)\n"
           "            L[j] = L[j] + A[k, t * 4 + j]\n"
           "    for o in range(4):\n"
           "        B[t * 4 + o] = L[o]\n");
}

/* A buffer whose address is taken keeps its size. */
PASS_TEST(addresses)
{
    builder *b = user;
    const ir_var *t = var(b, "t");
    ir_buffer *B = F32_GLOBAL(b, "B", 32), *L = buffer(b, "L", IR_F32, IR_SCOPE_LOCAL, DIMS(32));
    node alloc = ir_make(&b->mem, ALLOC, alloc, (span){0}, IR_VOID, .buffer = L);
    node store = STORE(b, L, LOAD(b, B, use(b, t)), use(b, t));
    node address = ir_call_new(&b->mem, IR_FN_ADDRESS_OF, IR_POINTER, list(b, NODES(LOAD(b, L, num(b, 0)))), (span){0});
    node body = threads(b, t, "threadIdx.x", 8, SEQUENCE(b, alloc, store, ir_eval_new(&b->mem, address)));
    assert_ptr_equal(after(b, pass_compact_buffers, body), body);
    node smaller = threads(b, t, "threadIdx.x", 8, SEQUENCE(b, alloc, store));
    expect(b, after(b, pass_compact_buffers, smaller),
           "for t in T.thread_binding(8, thread=\"threadIdx.x\"):\n"
           "    L = T.alloc_buffer((1,), \"float32\", scope=\"local\")\n"
           "    L[0] = B[t]\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conditions_are_decided), cmocka_unit_test(loops_without_iterations),
        cmocka_unit_test(a_tile_at_a_time),       cmocka_unit_test(a_buffer_that_lasts),
        cmocka_unit_test(accumulator),            cmocka_unit_test(addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
