/* Passes over blocks and loops: canonicalize_loop, lower_init_block, blocks_to_opaque, lower_opaque_block. */
#include "pass_builder.h"

/* for i in range(4, 20): for j in range(i, i + 3): B[i] = A[j] */
PASS_TEST(loops_start_at_zero)
{
    builder *b = user;
    const ir_var *i = var(b, "i"), *j = var(b, "j");
    ir_buffer *A = F32_GLOBAL(b, "A", 64), *B = F32_GLOBAL(b, "B", 64);
    ir_for inner = *ir_as_for(loop(b, j, 0, 3, STORE(b, B, LOAD(b, A, use(b, j)), use(b, i))));
    inner.min = use(b, i);
    node body = loop(b, i, 4, 16, arena_copy(&b->mem, &inner, sizeof inner));
    node out = after(b, pass_canonicalize_loop, body);
    expect(b, out,
           "for i in range(16):\n"
           "    for j in range(3):\n"
           "        B[i + 4] = A[j + (i + 4)]\n");
    assert_ptr_equal(after(b, pass_canonicalize_loop, out), out);
}

static ir_block *row_sum(builder *b, node vi_is, node vk_is)
{
    const ir_var *vi = var(b, "vi"), *vk = var(b, "vk");
    ir_buffer *A = F32_GLOBAL(b, "A", 8, 16), *B = F32_GLOBAL(b, "B", 8);
    ir_iter iters[] = {iter(b, vi, IR_SPATIAL, 8, vi_is), iter(b, vk, IR_REDUCE, 16, vk_is)};
    node sum = ADD(b, LOAD(b, B, use(b, vi)), LOAD(b, A, use(b, vi), use(b, vk)));
    ir_block *x = block(b, "B", iters, 2, STORE(b, B, sum, use(b, vi)));
    x->init = STORE(b, B, ir_float_new(&b->mem, IR_F32, 0, (span){0}), use(b, vi));
    return x;
}

PASS_TEST(init_is_guarded)
{
    builder *b = user;
    const ir_var *i = var(b, "i"), *k = var(b, "k");
    node body = loop(b, i, 0, 8, loop(b, k, 0, 16, &row_sum(b, use(b, i), use(b, k))->node));
    node out = after(b, pass_lower_init_block, body);
    out = after(b, pass_blocks_to_opaque, out);
    expect(b, after(b, pass_lower_opaque_block, out),
           "for i in range(8):\n"
           "    for k in range(16):\n"
           "        if k == 0:\n"
           "            B[i] = T.float32(0.0)\n"
           "        B[i] = B[i] + A[i, k]\n");
}

/* Without reduction variables the init is simply first. */
PASS_TEST(init_without_reduction)
{
    builder *b = user;
    ir_buffer *B = F32_GLOBAL(b, "B", 8);
    ir_block *x = block(b, "B", NULL, 0, STORE(b, B, LOAD(b, B, num(b, 1)), num(b, 2)));
    x->init = STORE(b, B, LOAD(b, B, num(b, 3)), num(b, 1));
    node out = after(b, pass_lower_init_block, &x->node);
    expect(b, after(b, pass_lower_opaque_block, out), "B[1] = B[3]\nB[2] = B[1]\n");
}

/* An inner block's binding is over the outer block's variable. */
PASS_TEST(bindings_nest)
{
    builder *b = user;
    const ir_var *i = var(b, "i"), *vo = var(b, "vo"), *vi = var(b, "vi");
    ir_buffer *B = F32_GLOBAL(b, "B", 64);
    ir_iter inner = iter(b, vi, IR_SPATIAL, 64, ADD(b, MUL(b, use(b, vo), num(b, 4)), num(b, 3)));
    node store = STORE(b, B, LOAD(b, B, use(b, vi)), use(b, vi));
    ir_iter outer = iter(b, vo, IR_SPATIAL, 16, ADD(b, use(b, i), num(b, 1)));
    node body = loop(b, i, 0, 15, &block(b, "outer", &outer, 1, &block(b, "inner", &inner, 1, store)->node)->node);
    node out = after(b, pass_blocks_to_opaque, body);
    expect(b, after(b, pass_lower_opaque_block, out),
           "for i in range(15):\n"
           "    B[(i + 1) * 4 + 3] = B[(i + 1) * 4 + 3]\n");
}

/* A binding that reads memory is read once. */
PASS_TEST(bindings_from_memory)
{
    builder *b = user;
    const ir_var *v = var(b, "v");
    ir_buffer *P = buffer(b, "P", IR_I32, IR_SCOPE_GLOBAL, DIMS(8)), *B = F32_GLOBAL(b, "B", 64);
    ir_iter it = iter(b, v, IR_SPATIAL, 64, LOAD(b, P, num(b, 5)));
    node store = STORE(b, B, LOAD(b, B, ADD(b, use(b, v), num(b, 1))), use(b, v));
    node out = after(b, pass_blocks_to_opaque, &block(b, "B", &it, 1, store)->node);
    expect(b, after(b, pass_lower_opaque_block, out),
           "v: T.let = P[5]\n"
           "B[v] = B[v + 1]\n");
}

PASS_TEST(condition_and_memory)
{
    builder *b = user;
    const ir_var *u = var(b, "u"), *i = var(b, "i");
    ir_buffer *A = F32_GLOBAL(b, "A", 8), *S = buffer(b, "S", IR_F32, IR_SCOPE_LOCAL, DIMS(1));
    node body = SEQUENCE(b, STORE(b, S, LOAD(b, A, use(b, i)), use(b, u)), STORE(b, A, LOAD(b, S, num(b, 0)), use(b, u)));
    ir_block *x = block(b, "A", NULL, 0, body);
    x->predicate = ir_lt(&b->mem, use(b, i), num(b, 5));
    x->allocs = buffers_of(b, S);
    node out = after(b, pass_lower_opaque_block, loop(b, i, 0, 8, loop(b, u, 0, 1, &x->node)));
    expect(b, out,
           "for i in range(8):\n"
           "    if i < 5:\n"
           "        S = T.alloc_buffer((1,), \"float32\", scope=\"local\")\n"
           "        S[0] = A[i]\n"
           "        A[0] = S[0]\n");
}

/* A unit loop that is broken out of stays. */
PASS_TEST(unit_loop_with_break)
{
    builder *b = user;
    const ir_var *u = var(b, "u"), *w = var(b, "w");
    ir_buffer *A = F32_GLOBAL(b, "A", 8);
    ir_break *jump_node = arena_new(&b->mem, ir_break);
    jump_node->node = (ir_node){.kind = IR_BREAK, .type = IR_VOID};
    node jump = &jump_node->node;
    node stays = loop(b, u, 0, 1, SEQUENCE(b, jump, STORE(b, A, LOAD(b, A, num(b, 1)), use(b, u))));
    expect(b, after(b, pass_lower_opaque_block, stays), "for u in range(1):\n    break\n    A[u] = A[1]\n");
    node goes = loop(b, w, 0, 1, loop(b, u, 0, 2, SEQUENCE(b, jump, STORE(b, A, LOAD(b, A, num(b, 1)), use(b, w)))));
    expect(b, after(b, pass_lower_opaque_block, goes), "for u in range(2):\n    break\n    A[0] = A[1]\n");
}

static node annotated(builder *b, const char *key)
{
    ir_attr_entry *entry = arena_new(&b->mem, ir_attr_entry);
    *entry = (ir_attr_entry){str_of(key), num(b, 1)};
    ir_buffer *A = F32_GLOBAL(b, "A", 8);
    const ir_var *i = var(b, "i");
    ir_for f = *ir_as_for(loop(b, i, 0, 8, STORE(b, A, LOAD(b, A, num(b, 0)), use(b, i))));
    f.annotations = (ir_attrs){entry, 1};
    return arena_copy(&b->mem, &f, sizeof f);
}

PASS_TEST(annotations)
{
    builder *b = user;
    node kept = annotated(b, "pragma_unroll_explicit");
    assert_ptr_equal(after(b, pass_lower_opaque_block, kept), kept);
    assert_int_equal(b->diags.warnings, 0);
    node out = after(b, pass_lower_opaque_block, annotated(b, "be_quick"));
    assert_int_equal(ir_as_for(out)->annotations.n, 0);
    assert_int_equal(b->diags.warnings, 1);
    assert_true(str_is(b->diags.first->message, "annotation 'be_quick' is not known and has no effect"));
    after(b, pass_lower_opaque_block, annotated(b, "be_quick"));
    assert_int_equal(b->diags.warnings, 1);
    after(b, pass_lower_opaque_block, annotated(b, "pragma_import_c"));
    assert_int_equal(b->diags.errors, 1);
    assert_true(str_is(b->diags.last->message, "annotation 'pragma_import_c' is not supported: text cannot be pasted into a kernel"));
    for (int i = 0; i < 2; ++i) after(b, pass_lower_opaque_block, annotated(b, "software_pipeline_stage"));
    assert_int_equal(b->diags.warnings, 2);
    assert_true(str_is(b->diags.last->message, "annotation 'software_pipeline_stage' has no effect: statements of a later iteration are "
                                               "not started during an earlier one"));
    after(b, pass_lower_opaque_block, annotated(b, "layout_free_buffers"));
    assert_int_equal(b->diags.warnings, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_start_at_zero),    cmocka_unit_test(init_is_guarded),
        cmocka_unit_test(init_without_reduction), cmocka_unit_test(bindings_nest),
        cmocka_unit_test(bindings_from_memory),   cmocka_unit_test(condition_and_memory),
        cmocka_unit_test(unit_loop_with_break),   cmocka_unit_test(annotations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
