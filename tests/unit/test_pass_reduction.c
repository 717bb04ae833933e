/* lower_cross_thread_reduction: which reducers are known, what they become, what is refused. */
#include "pass_builder.h"

#include <math.h>

/* for i (blocks): for r (serial 4): for t (32 threads): B[i] = B[i] op A[i, r * 32 + t] */
typedef struct rows {
    ir_buffer *A, *B;
    const ir_var *i, *r, *t, *vi, *vk;
    ir_iter iters[2];
} rows;

static rows make_rows(builder *b, ir_type type)
{
    rows x = {.i = var(b, "i"), .r = var(b, "r"), .t = var(b, "t"), .vi = var(b, "vi"), .vk = var(b, "vk")};
    x.A = buffer(b, "A", type, IR_SCOPE_GLOBAL, DIMS(8, 128));
    x.B = buffer(b, "B", type, IR_SCOPE_GLOBAL, DIMS(8));
    x.iters[0] = iter(b, x.vi, IR_SPATIAL, 8, use(b, x.i));
    x.iters[1] = iter(b, x.vk, IR_REDUCE, 128, ADD(b, MUL(b, use(b, x.r), num(b, 32)), use(b, x.t)));
    return x;
}

static ir_block *reduction(builder *b, const rows *x, ir_op op, node init)
{
    node value = ir_bin_new(&b->mem, op, LOAD(b, x->B, use(b, x->vi)), LOAD(b, x->A, use(b, x->vi), use(b, x->vk)));
    ir_block *block_ = block(b, "B", x->iters, 2, STORE(b, x->B, value, use(b, x->vi)));
    block_->init = STORE(b, x->B, init, use(b, x->vi));
    return block_;
}

static node nested(builder *b, const rows *x, const ir_block *inner)
{
    return threads(b, x->i, "blockIdx.x", 8, loop(b, x->r, 0, 4, threads(b, x->t, "threadIdx.x", 32, &inner->node)));
}

static node zero(builder *b)
{
    return ir_float_new(&b->mem, IR_F32, 0, (span){0});
}

static node lowered(builder *b, node body)
{
    static const pass_fn passes[] = {pass_lower_cross_thread_reduction, pass_lower_init_block,     pass_place_allocations,
                                     pass_blocks_to_opaque,             pass_lift_thread_binding,  pass_unify_thread_binding,
                                     pass_lower_match_buffer,           pass_compact_buffers,      pass_simplify,
                                     pass_lower_opaque_block};
    for (size_t i = 0; i < sizeof passes / sizeof *passes; ++i) body = after(b, passes[i], body);
    return body;
}

typedef struct finder {
    ir_kind kind;
    const ir_node *found;
} finder;

static void note_kind(void *user, const ir_node *n)
{
    finder *f = user;
    if (n->kind == f->kind && f->found == NULL) f->found = n;
}

static const ir_node *find_kind(const ir_node *root, ir_kind kind)
{
    finder f = {.kind = kind};
    ir_each(root, note_kind, &f);
    return f.found;
}

PASS_TEST(sum)
{
    builder *b = user;
    rows x = make_rows(b, IR_F32);
    node out = lowered(b, nested(b, &x, reduction(b, &x, IR_ADD, zero(b))));
    expect(b, out,
           "with T.launch_thread(\"blockIdx.x\", 8) as i:\n"
           "    with T.launch_thread(\"threadIdx.x\", 32) as t:\n"
           "        in_thread_B = T.alloc_buffer((1,), \"float32\", scope=\"local\")\n"
           "        cross_thread_B = T.alloc_buffer((1,), \"float32\", scope=\"local\")\n"
           "        in_thread_B[0] = T.float32(0.0)\n"
           "        for r in range(4):\n"
           "            in_thread_B[0] = in_thread_B[0] + A[i, r * 32 + t]\n"
           "        with T.attr(T.comm_reducer(lambda x0, y0: x0 + y0, [T.float32(0.0)]), \"reduce_scope\", 0):\n"
           "            T.tvm_thread_allreduce(T.uint32(1), in_thread_B[0], T.bool(True), cross_thread_B[0], t)\n"
           "        if t == 0:\n"
           "            B[i] = cross_thread_B[0]\n");
}

/* A condition guards what is accumulated; where the first iteration passes it, the result is stored. */
PASS_TEST(condition)
{
    builder *b = user;
    rows x = make_rows(b, IR_F32);
    ir_block *inner = reduction(b, &x, IR_ADD, zero(b));
    node in_row = ir_lt(&b->mem, ADD(b, MUL(b, use(b, x.r), num(b, 32)), use(b, x.t)), num(b, 100));
    inner->predicate = ir_and(&b->mem, ir_lt(&b->mem, use(b, x.i), num(b, 6)), in_row);
    node out = lowered(b, nested(b, &x, inner));
    const char *text = text_of(b, out);
    assert_non_null(strstr(text, "            if i < 6 and r * 32 + t < 100:\n                in_thread_B[0] = in_thread_B[0] + "));
    assert_non_null(strstr(text, "        if t == 0 and i < 6:\n            B[i] = cross_thread_B[0]\n"));
}

/* Each thread has its own copy of a local result. */
PASS_TEST(local_result)
{
    builder *b = user;
    rows x = make_rows(b, IR_F32);
    x.B = buffer(b, "B", IR_F32, IR_SCOPE_LOCAL, DIMS(8));
    node out = lowered(b, nested(b, &x, reduction(b, &x, IR_ADD, zero(b))));
    assert_null(find_kind(out, IR_IF));
    assert_non_null(strstr(text_of(b, out), "\n        B[i] = cross_thread_B[0]\n"));
}

/* An init that is not neutral is added once, at the end. */
PASS_TEST(init_apart)
{
    builder *b = user;
    rows x = make_rows(b, IR_F32);
    node out = lowered(b, nested(b, &x, reduction(b, &x, IR_ADD, ir_float_new(&b->mem, IR_F32, 2.5, (span){0}))));
    const char *text = text_of(b, out);
    assert_non_null(strstr(text, "in_thread_B[0] = T.float32(0.0)\n"));
    assert_non_null(strstr(text, "B[i] = T.float32(2.5) + cross_thread_B[0]\n"));
}

static const ir_reducer *reducer_of(node out)
{
    node attr = find_kind(out, IR_ATTR);
    assert_non_null(attr);
    return ir_as_reducer(ir_as_attr(attr)->subject);
}

static void check_float(builder *b, ir_op op, double init, double neutral)
{
    rows x = make_rows(b, IR_F32);
    node first = ir_float_new(&b->mem, IR_F32, init, (span){0});
    const ir_reducer *r = reducer_of(lowered(b, nested(b, &x, reduction(b, &x, op, first))));
    assert_int_equal(b->diags.errors, 0);
    assert_int_equal(ir_as_bin(r->result.at[0])->op, op);
    assert_true(ir_as_float_imm(r->identity.at[0])->value == neutral);
}

static void check_int(builder *b, ir_op op, ir_type type, int64_t init, int64_t neutral)
{
    rows x = make_rows(b, type);
    node first = ir_int_new(&b->mem, type, init, (span){0});
    const ir_reducer *r = reducer_of(lowered(b, nested(b, &x, reduction(b, &x, op, first))));
    assert_int_equal(b->diags.errors, 0);
    assert_int_equal(ir_as_int_imm(r->identity.at[0])->value, neutral);
}

PASS_TEST(known_operators)
{
    builder *b = user;
    check_float(b, IR_MUL, 1, 1);
    check_float(b, IR_MUL, 3, 1);
    check_float(b, IR_MAX, -(double)INFINITY, -(double)INFINITY);
    /* A constant that max starts with may be met any number of times. */
    check_float(b, IR_MAX, 7, 7);
    check_float(b, IR_MIN, 7, 7);
    check_int(b, IR_ADD, IR_I32, 0, 0);
    check_int(b, IR_MIN, IR_TYPE(IR_INT, 8), 127, 127);
    check_int(b, IR_BITAND, IR_U32, -1, 4294967295);
    check_int(b, IR_BITXOR, IR_I32, 5, 0);
    check_int(b, IR_OR, IR_B1, 0, 0);
}

/* An init in memory is not known while compiling: max starts with the least value and meets it at the end. */
PASS_TEST(init_from_memory)
{
    builder *b = user;
    rows x = make_rows(b, IR_F32);
    ir_buffer *C = F32_GLOBAL(b, "C", 8);
    node out = lowered(b, nested(b, &x, reduction(b, &x, IR_MAX, LOAD(b, C, use(b, x.vi)))));
    assert_true(ir_as_float_imm(reducer_of(out)->identity.at[0])->value == -(double)INFINITY);
    assert_non_null(strstr(text_of(b, out), "B[i] = T.max(C[i], cross_thread_B[0])\n"));
}

/* best = max with its index, by names. */
static ir_block *arg_max(builder *b, rows *x, ir_buffer *index, bool wrong)
{
    node kept = LOAD(b, x->B, use(b, x->vi)), fresh = LOAD(b, x->A, use(b, x->vi), use(b, x->vk));
    node kept_at = LOAD(b, index, use(b, x->vi)), fresh_at = use(b, x->vk);
    node keep = wrong ? ir_ge(&b->mem, kept_at, num(b, 3)) : ir_ge(&b->mem, kept, fresh);
    node at = ir_fold_select(&b->mem, keep, kept_at, fresh_at), value = ir_fold_select(&b->mem, keep, kept, fresh);
    const ir_var *v0 = var(b, "v0"), *v1 = ir_var_new(&b->mem, STR("v1"), IR_F32, (span){0});
    node body = SEQUENCE(b, ir_make(&b->mem, BIND, bind, (span){0}, IR_VOID, .var = v0, .value = at),
                         ir_make(&b->mem, BIND, bind, (span){0}, IR_VOID, .var = v1, .value = value),
                         STORE(b, index, use(b, v0), use(b, x->vi)), STORE(b, x->B, use(b, v1), use(b, x->vi)));
    ir_block *out = block(b, "best", x->iters, 2, body);
    node least = ir_float_new(&b->mem, IR_F32, -(double)INFINITY, (span){0});
    out->init = SEQUENCE(b, STORE(b, index, num(b, -1), use(b, x->vi)), STORE(b, x->B, least, use(b, x->vi)));
    return out;
}

PASS_TEST(index_of_the_largest)
{
    builder *b = user;
    rows x = make_rows(b, IR_F32);
    ir_buffer *index = buffer(b, "N", IR_I32, IR_SCOPE_GLOBAL, DIMS(8));
    node out = lowered(b, nested(b, &x, arg_max(b, &x, index, false)));
    assert_int_equal(b->diags.errors, 0);
    const ir_reducer *r = reducer_of(out);
    assert_int_equal(r->result.n, 2);
    assert_true(ir_is_const(r->identity.at[0], -1));
    /* (x0, x1), (y0, y1) -> x1 > y1 or (x1 == y1 and x0 <= y0) ? x : y */
    const ir_select *choice = ir_as_select(r->result.at[0]);
    assert_ptr_equal(ir_as_var_ref(choice->yes)->var, r->lhs.at[0]);
    assert_ptr_equal(ir_as_var_ref(choice->no)->var, r->rhs.at[0]);
    buf cond = buf_make(&b->hook);
    ir_print_expr(&b->mem, choice->cond, &cond);
    assert_string_equal(str_copy(&b->mem, buf_view(&cond)).p, "x1 > y1 or x1 == y1 and x0 <= y0");
    /* size, two values, condition, two results, one axis */
    const ir_call *call = ir_as_call(ir_as_eval(ir_as_attr(find_kind(out, IR_ATTR))->body)->value);
    assert_int_equal(call->args.n, 7);
    assert_true(ir_is_const(call->args.at[0], 2));
    const char *text = text_of(b, out);
    assert_non_null(strstr(text, "if t == 0:\n            N[i] = cross_thread_N[0]\n"));
    assert_non_null(strstr(text, "if t == 0:\n            B[i] = cross_thread_B[0]\n"));
}

PASS_TEST(no_order)
{
    builder *b = user;
    rows x = make_rows(b, IR_F32);
    ir_buffer *index = buffer(b, "N", IR_I32, IR_SCOPE_GLOBAL, DIMS(8));
    lowered(b, nested(b, &x, arg_max(b, &x, index, true)));
    expect_error(b, "No matched reducer for block 'best', which reduces over threads: known are sum, product, min, max, "
                    "bitwise and logical ones, argmin and argmax from a constant");
}

PASS_TEST(not_a_reducer)
{
    builder *b = user;
    rows x = make_rows(b, IR_F32);
    lowered(b, nested(b, &x, reduction(b, &x, IR_SUB, zero(b))));
    expect_error(b, "No matched reducer for block 'B', which reduces over threads: known are sum, product, min, max, "
                    "bitwise and logical ones, argmin and argmax from a constant");
}

PASS_TEST(over_threadgroups)
{
    builder *b = user;
    rows x = make_rows(b, IR_F32);
    const ir_block *inner = reduction(b, &x, IR_ADD, zero(b));
    lowered(b, loop(b, x.i, 0, 8, loop(b, x.r, 0, 4, threads(b, x.t, "blockIdx.x", 32, &inner->node))));
    expect_error(b, "block 'B' reduces over threads, but threadgroups cannot reduce together");
}

PASS_TEST(spatial_loop_inside)
{
    builder *b = user;
    rows x = make_rows(b, IR_F32);
    const ir_block *inner = reduction(b, &x, IR_ADD, zero(b));
    node body = loop(b, x.r, 0, 4, loop(b, x.i, 0, 8, threads(b, x.t, "threadIdx.x", 32, &inner->node)));
    lowered(b, body);
    expect_error(b, "block 'B' reduces over threads, but a loop that is not reduced lies inside one that is");
}

PASS_TEST(fused_axis)
{
    builder *b = user;
    rows x = make_rows(b, IR_F32);
    x.iters[0].binding = ir_floordiv(&b->mem, use(b, x.t), num(b, 4));
    const ir_block *inner = reduction(b, &x, IR_ADD, zero(b));
    lowered(b, nested(b, &x, inner));
    expect_error(b, "block 'B' reduces over threads, but a loop of the reduction also says where the result goes");
}

/* Reductions over loops alone are left to lower_init_block. */
PASS_TEST(serial_reduction)
{
    builder *b = user;
    rows x = make_rows(b, IR_F32);
    const ir_block *inner = reduction(b, &x, IR_ADD, zero(b));
    node body = threads(b, x.i, "threadIdx.x", 8, loop(b, x.r, 0, 4, loop(b, x.t, 0, 32, &inner->node)));
    assert_ptr_equal(after(b, pass_lower_cross_thread_reduction, body), body);
}

/* An update without init loses what other threads add, but not if only one thread does it. */
PASS_TEST(update_without_init)
{
    builder *b = user;
    rows x = make_rows(b, IR_F32);
    ir_block *inner = reduction(b, &x, IR_ADD, zero(b));
    inner->init = NULL;
    node body = nested(b, &x, inner);
    inner->predicate = ir_eq(&b->mem, use(b, x.t), num(b, 0));
    assert_ptr_equal(after(b, pass_lower_cross_thread_reduction, body), body);
    assert_int_equal(b->diags.errors, 0);
    inner->predicate = ir_bool(&b->mem, true);
    lowered(b, body);
    expect_error(b, "block 'B' reduces over threads, but it has no T.init, without which threads update one element at the "
                    "same time");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sum),
        cmocka_unit_test(condition),
        cmocka_unit_test(local_result),
        cmocka_unit_test(init_apart),
        cmocka_unit_test(known_operators),
        cmocka_unit_test(init_from_memory),
        cmocka_unit_test(index_of_the_largest),
        cmocka_unit_test(no_order),
        cmocka_unit_test(not_a_reducer),
        cmocka_unit_test(over_threadgroups),
        cmocka_unit_test(spatial_loop_inside),
        cmocka_unit_test(fused_axis),
        cmocka_unit_test(serial_reduction),
        cmocka_unit_test(update_without_init),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
