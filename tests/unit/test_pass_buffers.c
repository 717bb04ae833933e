/* Passes over buffers: lower_match_buffer, flatten_buffer. */
#include "pass_builder.h"

/* ---- flatten_buffer ------------------------------------------------------------------------------ */

PASS_TEST(row_major)
{
    builder *b = user;
    const ir_var *i = var(b, "i"), *j = var(b, "j"), *k = var(b, "k");
    ir_buffer *S = buffer(b, "S", IR_F32, IR_SCOPE_SHARED, DIMS(3, 5, 7));
    node alloc = ir_make(&b->mem, ALLOC, alloc, (span){0}, IR_VOID, .buffer = S);
    node store = STORE(b, S, LOAD(b, S, num(b, 2), num(b, 4), num(b, 6)), use(b, i), use(b, j), use(b, k));
    node body = SEQUENCE(b, alloc, loop(b, i, 0, 3, loop(b, j, 0, 5, loop(b, k, 0, 7, store))));
    /* 2 * 35 + 4 * 7 + 6 = 104 */
    expect(b, after(b, pass_flatten_buffer, body),
           "S = T.alloc_buffer((105,), \"float32\", scope=\"shared\")\n"
           "for i in range(3):\n"
           "    for j in range(5):\n"
           "        for k in range(7):\n"
           "            S[i * 35 + j * 7 + k] = S[104]\n");
}

PASS_TEST(no_dimension)
{
    builder *b = user;
    ir_buffer *S = buffer(b, "S", IR_F32, IR_SCOPE_LOCAL, DIMS(0));
    node alloc = ir_make(&b->mem, ALLOC, alloc, (span){0}, IR_VOID, .buffer = S);
    node store = ir_store_new(&b->mem, S, (ir_list){0}, ir_load_new(&b->mem, S, (ir_list){0}, (span){0}), (span){0});
    expect(b, after(b, pass_flatten_buffer, SEQUENCE(b, alloc, store)),
           "S = T.alloc_buffer((1,), \"float32\", scope=\"local\")\n"
           "S[0] = S[0]\n");
}

/* A parameter keeps its shape; the body has a flat view with strides and offset worked in. */
PASS_TEST(strided_parameter)
{
    builder *b = user;
    const ir_var *o = var(b, "o"), *i = var(b, "i"), *handle = ir_var_new(&b->mem, STR("A"), IR_POINTER, (span){0});
    ir_buffer *A = F32_GLOBAL(b, "A", 4, 8);
    A->strides = list(b, NODES(num(b, 10), num(b, 1)));
    A->elem_offset = use(b, o);
    ir_param params[] = {{.var = handle, .buffer = A}, {.var = o}};
    node body = loop(b, i, 0, 4, STORE(b, A, LOAD(b, A, num(b, 3), num(b, 7)), use(b, i), num(b, 2)));
    const ir_module *m = pass_flatten_buffer(&b->cx, module_of(b, body, params, 2));
    assert_ptr_equal(m->funcs[0]->params[0].buffer, A);
    node out = m->funcs[0]->body;
    assert_int_equal(out->kind, IR_SEQ);
    const ir_decl *view = ir_as_decl(ir_as_seq(out)->body.at[0]);
    assert_ptr_equal(view->buffer->data, A->data);
    assert_int_equal(view->buffer->shape.n, 1);
    assert_int_equal(view->buffer->strides.n, 0);
    assert_null(view->buffer->elem_offset);
    /* 3 * 10 + 7 * 1 = 37; with an offset that may be 2^31 - 1 that is more than 32 bits hold. */
    expect(b, ir_as_seq(out)->body.at[1],
           "for i in range(4):\n"
           "    A[T.Cast(\"int64\", i) * T.int64(10) + T.int64(2) + T.Cast(\"int64\", o)] = "
           "A[T.int64(37) + T.Cast(\"int64\", o)]\n");
}

/* More than 2^31 elements: the index is computed in int64. */
PASS_TEST(large_buffer)
{
    builder *b = user;
    const ir_var *i = var(b, "i");
    ir_buffer *A = F32_GLOBAL(b, "A", 65536, 65536);
    node out = after(b, pass_flatten_buffer, STORE(b, A, LOAD(b, A, num(b, 0), num(b, 0)), use(b, i), use(b, i)));
    node index = ir_as_store(out)->index.at[0];
    assert_true(ir_type_eq(index->type, IR_I64));
    expect(b, out, "A[T.Cast(\"int64\", i) * T.int64(65536) + T.Cast(\"int64\", i)] = A[T.int64(0)]\n");
}

PASS_TEST(vector_index)
{
    builder *b = user;
    const ir_var *i = var(b, "i");
    ir_buffer *A = F32_GLOBAL(b, "A", 8, 8);
    node lanes = ir_make(&b->mem, RAMP, ramp, (span){0}, ir_type_lanes(IR_I32, 4), .base = num(b, 2), .stride = num(b, 1));
    node across = ir_make(&b->mem, RAMP, ramp, (span){0}, ir_type_lanes(IR_I32, 4), .base = num(b, 1), .stride = num(b, 1));
    /* Along a row: base i * 8 + 2, stride 1. Down a column: base 8 + 3, stride 8. */
    node store = STORE(b, A, LOAD(b, A, across, num(b, 3)), use(b, i), lanes);
    node out = after(b, pass_flatten_buffer, store);
    assert_int_equal(b->diags.errors, 0);
    const ir_ramp *to = ir_as_ramp(ir_as_store(out)->index.at[0]);
    const ir_ramp *from = ir_as_ramp(ir_as_load(ir_as_store(out)->value)->index.at[0]);
    assert_true(ir_is_const(to->stride, 1));
    assert_true(ir_equal(to->base, ADD(b, MUL(b, use(b, i), num(b, 8)), num(b, 2))));
    assert_true(ir_is_const(from->stride, 8));
    assert_true(ir_is_const(from->base, 11));
    assert_int_equal(to->node.type.lanes, 4);
}

PASS_TEST(two_vector_indices)
{
    builder *b = user;
    ir_buffer *A = F32_GLOBAL(b, "A", 8, 8);
    node lanes = ir_make(&b->mem, RAMP, ramp, (span){0}, ir_type_lanes(IR_I32, 2), .base = num(b, 0), .stride = num(b, 1));
    after(b, pass_flatten_buffer, ir_eval_new(&b->mem, LOAD(b, A, lanes, lanes)));
    expect_error(b, "'A' is accessed with 2 vector indices; one is supported");
}

PASS_TEST(flat_already)
{
    builder *b = user;
    const ir_var *i = var(b, "i");
    ir_buffer *A = F32_GLOBAL(b, "A", 8);
    node body = loop(b, i, 0, 8, STORE(b, A, LOAD(b, A, num(b, 0)), use(b, i)));
    assert_ptr_equal(after(b, pass_flatten_buffer, body), body);
}

/* ---- lower_match_buffer -------------------------------------------------------------------------- */

typedef struct match_case {
    ir_buffer *A, *V;
    ir_match match;
    const ir_var *i, *s0, *s1, *e;
} match_case;

/* V (4, 8) is A[2, i * 4 : i * 4 + 4, 0:8] of A (3, 16, 8), with names for its strides and offset. */
static match_case tile(builder *b)
{
    match_case c = {.i = var(b, "i"), .s0 = var(b, "s0"), .s1 = var(b, "s1"), .e = var(b, "e")};
    c.A = F32_GLOBAL(b, "A", 3, 16, 8);
    c.V = F32_GLOBAL(b, "V", 4, 8);
    c.V->strides = list(b, NODES(use(b, c.s0), use(b, c.s1)));
    c.V->elem_offset = use(b, c.e);
    ir_range *ranges = arena_array(&b->mem, ir_range, 3);
    ranges[0] = (ir_range){num(b, 2), num(b, 1)};
    ranges[1] = (ir_range){MUL(b, use(b, c.i), num(b, 4)), num(b, 4)};
    ranges[2] = (ir_range){num(b, 0), num(b, 8)};
    c.match = (ir_match){.buffer = c.V, .source = {.buffer = c.A, .ranges = ranges, .n = 3}};
    return c;
}

static ir_matches matches_of(builder *b, ir_match one)
{
    return (ir_matches){arena_copy(&b->mem, &one, sizeof one), 1};
}

PASS_TEST(view_of_a_region)
{
    builder *b = user;
    match_case c = tile(b);
    ir_buffer *O = buffer(b, "O", IR_I32, IR_SCOPE_GLOBAL, DIMS(3));
    node body = SEQUENCE(b, STORE(b, c.V, LOAD(b, c.V, num(b, 1), num(b, 2)), num(b, 3), num(b, 4)),
                         STORE(b, O, use(b, c.s0), num(b, 0)), STORE(b, O, use(b, c.s1), num(b, 1)),
                         STORE(b, O, use(b, c.e), num(b, 2)));
    ir_block *x = block(b, "tile", NULL, 0, body);
    x->matches = matches_of(b, c.match);
    node out = after(b, pass_lower_match_buffer, loop(b, c.i, 0, 4, &x->node));
    /* A is row-major: strides 128, 8, 1; the region begins at 2 * 128 + i * 4 * 8. */
    expect(b, after(b, pass_lower_opaque_block, out),
           "for i in range(4):\n"
           "    A[2, i * 4 + 3, 4] = A[2, i * 4 + 1, 2]\n"
           "    O[0] = 8\n"
           "    O[1] = 1\n"
           "    O[2] = 256 + i * 4 * 8\n");
}

/* A view of a view: V2 (8,) is V[3, 0:8]. */
PASS_TEST(view_of_a_view)
{
    builder *b = user;
    match_case c = tile(b);
    ir_buffer *V2 = F32_GLOBAL(b, "V2", 8);
    ir_range *ranges = arena_array(&b->mem, ir_range, 2);
    ranges[0] = (ir_range){num(b, 3), num(b, 1)};
    ranges[1] = (ir_range){num(b, 0), num(b, 8)};
    ir_block *inner = block(b, "row", NULL, 0, STORE(b, V2, LOAD(b, V2, num(b, 7)), num(b, 5)));
    inner->matches = matches_of(b, (ir_match){.buffer = V2, .source = {.buffer = c.V, .ranges = ranges, .n = 2}});
    ir_block *outer = block(b, "tile", NULL, 0, &inner->node);
    outer->matches = matches_of(b, c.match);
    node out = after(b, pass_lower_match_buffer, loop(b, c.i, 0, 4, &outer->node));
    expect(b, after(b, pass_lower_opaque_block, out),
           "for i in range(4):\n"
           "    A[2, i * 4 + 3, 5] = A[2, i * 4 + 3, 7]\n");
}

PASS_TEST(view_of_another_shape)
{
    builder *b = user;
    match_case c = tile(b);
    c.V->shape = list(b, NODES(num(b, 4), num(b, 7)));
    ir_block *x = block(b, "tile", NULL, 0, STORE(b, c.V, LOAD(b, c.V, num(b, 1), num(b, 2)), num(b, 3), num(b, 4)));
    x->matches = matches_of(b, c.match);
    after(b, pass_lower_match_buffer, loop(b, c.i, 0, 4, &x->node));
    expect_error(b, "the shape of view 'V' is not shown to be that of the region that it matches");
}

PASS_TEST(view_of_another_type)
{
    builder *b = user;
    match_case c = tile(b);
    c.V->type = IR_F16;
    ir_block *x = block(b, "tile", NULL, 0, ir_nop(&b->mem));
    x->matches = matches_of(b, c.match);
    after(b, pass_lower_match_buffer, loop(b, c.i, 0, 4, &x->node));
    expect_error(b, "view 'V' is float16, but 'A' is float32");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(row_major),          cmocka_unit_test(no_dimension),
        cmocka_unit_test(strided_parameter),  cmocka_unit_test(large_buffer),
        cmocka_unit_test(vector_index),       cmocka_unit_test(two_vector_indices),
        cmocka_unit_test(flat_already),       cmocka_unit_test(view_of_a_region),
        cmocka_unit_test(view_of_a_view),     cmocka_unit_test(view_of_another_shape),
        cmocka_unit_test(view_of_another_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
