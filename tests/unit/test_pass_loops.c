/* vectorize_loop, unroll_loop and guard_select: what becomes of loops and selects, and what stays. */
#include "pass_help.h"

typedef struct world {
    bench *b;
    const ir_buffer *A, *B, *acc;
    const ir_var *v, *tx;
    const ir_node *lane, *x;
} world;

static world make_world(bench *b)
{
    world w = {.b = b, .A = mk_buffer(b, "A", IR_F32, IR_SCOPE_GLOBAL, 256), .B = mk_buffer(b, "B", IR_F32, IR_SCOPE_GLOBAL, 256),
               .acc = mk_buffer(b, "acc", IR_F32, IR_SCOPE_LOCAL, 1), .v = mk_var(b, "v", IR_I32), .tx = mk_var(b, "tx", IR_I32)};
    w.lane = mk_ref(b, w.v);
    w.x = mk_ref(b, w.tx);
    return w;
}

static const ir_node *constant(world *w, int64_t v)
{
    return ir_i32(w->b->mem, v);
}

/* tx * 8 + v */
static const ir_node *place(world *w)
{
    return ir_add(w->b->mem, ir_mul(w->b->mem, w->x, constant(w, 8)), w->lane);
}

/* B[tx * 8 + v] = value */
static const ir_node *put(world *w, const ir_node *value)
{
    return mk_store(w->b, w->B, place(w), value);
}

static const ir_node *get(world *w)
{
    return mk_load(w->b, w->A, place(w));
}

/* What stands in the thread after the pass, of a loop of this kind over `body`. */
static const ir_node *pass(world *w, const ir_module *(*fn)(pass_context *, const ir_module *), ir_for_kind kind,
                           int64_t extent, const ir_node *body)
{
    const ir_node *loop = mk_for(w->b, kind, w->v, constant(w, extent), body);
    const ir_module *m = mk_module(w->b, (const ir_buffer *const[]){w->A, w->B, NULL}, NULL,
                                   mk_thread(w->b, "threadIdx.x", w->tx, 8, loop));
    const ir_node *out = fn(&w->b->cx, m)->funcs[0]->body;
    assert_int_equal(w->b->diags.errors, 0);
    return ir_as_thread(out)->body;
}

static void assert_serial(world *w, int64_t extent, const ir_node *body)
{
    const ir_node *out = pass(w, pass_vectorize_loop, IR_VECTORIZED, extent, body);
    assert_int_equal(out->kind, IR_FOR);
    assert_int_equal(ir_as_for(out)->loop, IR_SERIAL);
    assert_int_equal(count_nodes(out, IR_RAMP), 0);
    assert_true(ir_is_const(ir_as_for(out)->extent, extent));
}

/* ---- Vectorizing -------------------------------------------------------------------------------- */

BENCH_TEST(four_lanes)
{
    world w = make_world(b);
    const ir_node *out = pass(&w, pass_vectorize_loop, IR_VECTORIZED, 4, put(&w, ir_mul(b->mem, get(&w), ir_float_new(b->mem, IR_F32, 2, (span){0}))));
    const ir_store *s = ir_as_store(out);
    assert_int_equal(s->value->type.lanes, 4);
    const ir_ramp *r = ir_as_ramp(s->index.at[0]);
    assert_true(ir_is_const(r->stride, 1));
    assert_int_equal(r->base->kind, IR_BIN);
    assert_int_equal(ir_as_bin(s->value)->b->kind, IR_BROADCAST);
    assert_int_equal(ir_as_bin(s->value)->a->kind, IR_LOAD);
}

/* 8 = 2 * 4, 6 = 2 * 3, 7 has no divisor up to 4, 20 = 5 * 4 stays a loop of five. */
BENCH_TEST(wider_loops_in_pieces)
{
    world w = make_world(b);
    const ir_for *f = ir_as_for(pass(&w, pass_vectorize_loop, IR_VECTORIZED, 8, put(&w, get(&w))));
    assert_int_equal(f->loop, IR_UNROLLED);
    assert_true(ir_is_const(f->extent, 2));
    assert_int_equal(ir_as_store(f->body)->value->type.lanes, 4);
    world w6 = make_world(b);
    f = ir_as_for(pass(&w6, pass_vectorize_loop, IR_VECTORIZED, 6, put(&w6, get(&w6))));
    assert_true(ir_is_const(f->extent, 2));
    assert_int_equal(ir_as_store(f->body)->value->type.lanes, 3);
    world w7 = make_world(b);
    assert_serial(&w7, 7, put(&w7, get(&w7)));
    world w20 = make_world(b);
    f = ir_as_for(pass(&w20, pass_vectorize_loop, IR_VECTORIZED, 20, put(&w20, get(&w20))));
    assert_int_equal(f->loop, IR_SERIAL);
    assert_true(ir_is_const(f->extent, 5));
}

/* A sum over lanes, a shift by one, a shared place: vectors would give other numbers. */
BENCH_TEST(dependent_lanes_stay_serial)
{
    world w = make_world(b);
    const ir_node *zero = constant(&w, 0);
    assert_serial(&w, 4, mk_store(b, w.acc, zero, ir_add(b->mem, mk_load(b, w.acc, zero), get(&w))));
    world u = make_world(b);
    const ir_node *before = mk_load(b, u.B, ir_sub(b->mem, place(&u), constant(&u, 1)));
    assert_serial(&u, 4, put(&u, before));
    world s = make_world(b);
    const ir_node *half = ir_floordiv(b->mem, s.lane, constant(&s, 2));
    assert_serial(&s, 4, mk_store(b, s.B, half, ir_add(b->mem, mk_load(b, s.B, half), get(&s))));
}

BENCH_TEST(own_place_may_be_read)
{
    world w = make_world(b);
    const ir_node *out = pass(&w, pass_vectorize_loop, IR_VECTORIZED, 4, put(&w, ir_add(b->mem, mk_load(b, w.B, place(&w)), get(&w))));
    assert_int_equal(out->kind, IR_STORE);
}

/* if_then_else on the lane: lazy where an arm reads, a select where it does not. */
BENCH_TEST(conditions_on_lanes)
{
    world w = make_world(b);
    const ir_node *cond = ir_lt(b->mem, w.lane, constant(&w, 2)), *one = ir_float_new(b->mem, IR_F32, 1, (span){0});
    const ir_node *reads[] = {cond, get(&w), one};
    assert_serial(&w, 4, put(&w, mk_call(b, IR_FN_IF_THEN_ELSE, IR_F32, 3, reads)));
    world u = make_world(b);
    cond = ir_lt(b->mem, u.lane, constant(&u, 2));
    const ir_node *plain[] = {cond, one, ir_float_new(b->mem, IR_F32, 2, (span){0})};
    const ir_node *out = pass(&u, pass_vectorize_loop, IR_VECTORIZED, 4, put(&u, mk_call(b, IR_FN_IF_THEN_ELSE, IR_F32, 3, plain)));
    assert_int_equal(ir_as_store(out)->value->kind, IR_SELECT);
}

/* ---- Unrolling ---------------------------------------------------------------------------------- */

BENCH_TEST(unrolled_copies)
{
    world w = make_world(b);
    const ir_var *t = mk_var(b, "t", IR_F32);
    const ir_node *bind = ir_make(b->mem, BIND, bind, (span){0}, IR_VOID, .var = t, .value = get(&w));
    const ir_node *out = pass(&w, pass_unroll_loop, IR_UNROLLED, 3, mk_seq(b, bind, put(&w, mk_ref(b, t))));
    const ir_seq *s = ir_as_seq(out);
    assert_int_equal(s->body.n, 6);
    assert_int_equal(count_nodes(out, IR_FOR), 0);
    assert_false(ir_uses_var(out, w.v));
    /* Each copy has a variable of its own. */
    const ir_var *first = ir_as_bind(s->body.at[0])->var, *second = ir_as_bind(s->body.at[2])->var;
    assert_ptr_not_equal(first, second);
    assert_true(ir_uses_var(s->body.at[1], first));
    assert_true(ir_uses_var(s->body.at[3], second));
    assert_false(ir_uses_var(s->body.at[3], first));
}

BENCH_TEST(serial_loops_stay)
{
    world w = make_world(b);
    assert_int_equal(pass(&w, pass_unroll_loop, IR_SERIAL, 3, put(&w, get(&w)))->kind, IR_FOR);
}

BENCH_TEST(loops_with_breaks_stay)
{
    world w = make_world(b);
    const ir_node *leave = mk_if(b, ir_gt(b->mem, w.lane, w.x), ir_make(b->mem, BREAK, break, (span){0}, IR_VOID, ), NULL);
    const ir_node *out = pass(&w, pass_unroll_loop, IR_UNROLLED, 3, mk_seq(b, leave, put(&w, get(&w))));
    assert_int_equal(ir_as_for(out)->loop, IR_SERIAL);
}

BENCH_TEST(huge_loops_stay_and_say_so)
{
    world w = make_world(b);
    const ir_node *out = pass(&w, pass_unroll_loop, IR_UNROLLED, 1000000, put(&w, get(&w)));
    assert_int_equal(ir_as_for(out)->loop, IR_SERIAL);
    assert_int_equal(b->diags.warnings, 1);
}

/* ---- Selects ------------------------------------------------------------------------------------ */

BENCH_TEST(selects_of_memory_become_lazy)
{
    world w = make_world(b);
    const ir_node *cond = ir_lt(b->mem, w.x, constant(&w, 4)), *one = ir_float_new(b->mem, IR_F32, 1, (span){0});
    const ir_node *two = ir_float_new(b->mem, IR_F32, 2, (span){0});
    const ir_node *reads = ir_fold_select(b->mem, cond, get(&w), one), *plain = ir_fold_select(b->mem, cond, two, one);
    const ir_node *out = pass(&w, pass_guard_select, IR_SERIAL, 2, mk_seq(b, put(&w, reads), put(&w, plain)));
    assert_int_equal(count_nodes(out, IR_SELECT), 1);
    assert_int_equal(count_calls(out, IR_FN_IF_THEN_ELSE), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_lanes),
        cmocka_unit_test(wider_loops_in_pieces),
        cmocka_unit_test(dependent_lanes_stay_serial),
        cmocka_unit_test(own_place_may_be_read),
        cmocka_unit_test(conditions_on_lanes),
        cmocka_unit_test(unrolled_copies),
        cmocka_unit_test(serial_loops_stay),
        cmocka_unit_test(loops_with_breaks_stay),
        cmocka_unit_test(huge_loops_stay_and_say_so),
        cmocka_unit_test(selects_of_memory_become_lazy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
