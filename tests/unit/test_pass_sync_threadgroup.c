/* sync_threadgroup: which accesses need a barrier, where it goes, and what happens under conditions. */
#include "pass_help.h"

typedef struct world {
    bench *b;
    const ir_buffer *A, *B, *S;
    const ir_var *tx, *ty;
    const ir_node *x, *y;
} world;

/* A and B in device memory, S of 1024 floats shared. */
static world make_world(bench *b)
{
    world w = {.b = b, .A = mk_buffer(b, "A", IR_F32, IR_SCOPE_GLOBAL, 1024), .B = mk_buffer(b, "B", IR_F32, IR_SCOPE_GLOBAL, 1024),
               .S = mk_buffer(b, "S", IR_F32, IR_SCOPE_SHARED, 1024), .tx = mk_var(b, "tx", IR_I32), .ty = mk_var(b, "ty", IR_I32)};
    w.x = mk_ref(b, w.tx);
    w.y = mk_ref(b, w.ty);
    return w;
}

static const ir_node *n_(world *w, int64_t v)
{
    return ir_i32(w->b->mem, v);
}

static const ir_node *plus(world *w, const ir_node *a, const ir_node *c)
{
    return ir_add(w->b->mem, a, c);
}

static const ir_node *times(world *w, const ir_node *a, int64_t c)
{
    return ir_mul(w->b->mem, a, n_(w, c));
}

static const ir_node *put(world *w, const ir_node *at)
{
    return mk_store(w->b, w->S, at, mk_load(w->b, w->A, w->x));
}

static const ir_node *get(world *w, const ir_node *at)
{
    return mk_store(w->b, w->B, w->x, mk_load(w->b, w->S, at));
}

/* The body after the pass, in 64 x 4 threads unless `nx` says otherwise. */
static const ir_node *sync_in(world *w, int64_t nx, int64_t ny, const ir_node *body)
{
    bench *b = w->b;
    const ir_node *inside = mk_seq(b, mk_alloc(b, w->S), body);
    const ir_node *threads = mk_thread(b, "threadIdx.y", w->ty, ny, mk_thread(b, "threadIdx.x", w->tx, nx, inside));
    const ir_module *m = mk_module(b, (const ir_buffer *const[]){w->A, w->B, NULL}, NULL, threads);
    return pass_sync_threadgroup(&b->cx, m)->funcs[0]->body;
}

static int barriers(world *w, int64_t nx, int64_t ny, const ir_node *body)
{
    const ir_node *out = sync_in(w, nx, ny, body);
    assert_int_equal(w->b->diags.errors, 0);
    return count_calls(out, IR_FN_STORAGE_SYNC);
}

/* ---- Straight code ------------------------------------------------------------------------------ */

BENCH_TEST(own_place_needs_none)
{
    world w = make_world(b);
    assert_int_equal(barriers(&w, 64, 1, mk_seq(b, put(&w, w.x), get(&w, w.x))), 0);
}

BENCH_TEST(neighbours_place_needs_one)
{
    world w = make_world(b);
    const ir_node *other = ir_sub(b->mem, n_(&w, 63), w.x);
    const ir_node *out = sync_in(&w, 64, 1, mk_seq(b, put(&w, w.x), get(&w, other)));
    assert_int_equal(count_calls(out, IR_FN_STORAGE_SYNC), 1);
    /* Right between the two: ALLOC, store, barrier, store. */
    const ir_seq *s = ir_as_seq(ir_as_thread(ir_as_thread(out)->body)->body);
    assert_int_equal(s->body.n, 4);
    assert_int_equal(s->body.at[2]->kind, IR_EVAL);
}

/* One place for all threads is no thread's own, even though the index is the same. */
BENCH_TEST(one_place_for_all_needs_one)
{
    world w = make_world(b);
    assert_int_equal(barriers(&w, 64, 1, mk_seq(b, put(&w, n_(&w, 0)), get(&w, n_(&w, 0)))), 1);
}

/* With two axes, S[tx] is shared by the threads of a column; S[ty * 64 + tx] is a thread's own. */
BENCH_TEST(every_axis_counts)
{
    world w = make_world(b);
    assert_int_equal(barriers(&w, 64, 4, mk_seq(b, put(&w, w.x), get(&w, w.x))), 1);
    const ir_node *own = plus(&w, times(&w, w.y, 64), w.x);
    world v = make_world(b);
    own = plus(&v, times(&v, v.y, 64), v.x);
    assert_int_equal(barriers(&v, 64, 4, mk_seq(b, put(&v, own), get(&v, own))), 0);
}

/* Rows of 60 overlap for 64 threads in x: 60 * 1 + 0 is 0 * 60 + 60. */
BENCH_TEST(overlapping_rows_need_one)
{
    world w = make_world(b);
    const ir_node *at = plus(&w, times(&w, w.y, 60), w.x);
    assert_int_equal(barriers(&w, 64, 4, mk_seq(b, put(&w, at), get(&w, at))), 1);
}

BENCH_TEST(apart_needs_none)
{
    world w = make_world(b);
    /* [0, 63] and [64, 127]; then [0, 63] and [63, 126], which meet in 63. */
    assert_int_equal(barriers(&w, 64, 1, mk_seq(b, put(&w, w.x), get(&w, plus(&w, w.x, n_(&w, 64))))), 0);
    world v = make_world(b);
    assert_int_equal(barriers(&v, 64, 1, mk_seq(b, put(&v, v.x), get(&v, plus(&v, v.x, n_(&v, 63))))), 1);
}

BENCH_TEST(two_reads_need_none)
{
    world w = make_world(b);
    assert_int_equal(barriers(&w, 64, 1, mk_seq(b, get(&w, n_(&w, 0)), get(&w, n_(&w, 0)))), 0);
}

BENCH_TEST(write_after_read_and_write_after_write)
{
    world w = make_world(b);
    const ir_node *other = ir_sub(b->mem, n_(&w, 63), w.x);
    assert_int_equal(barriers(&w, 64, 1, mk_seq(b, get(&w, w.x), put(&w, other))), 1);
    world v = make_world(b);
    other = ir_sub(b->mem, n_(&v, 63), v.x);
    assert_int_equal(barriers(&v, 64, 1, mk_seq(b, put(&v, v.x), put(&v, other))), 1);
}

BENCH_TEST(written_barriers_count)
{
    world w = make_world(b);
    const ir_node *other = ir_sub(b->mem, n_(&w, 63), w.x);
    assert_int_equal(barriers(&w, 64, 1, mk_seq(b, put(&w, w.x), mk_sync(b), get(&w, other))), 1);
}

/* Four elements each from 4 * tx are a thread's own; from 2 * tx they overlap. */
BENCH_TEST(vectors_count_whole)
{
    for (int64_t step = 2; step <= 4; step += 2) {
        world w = make_world(b);
        const ir_node *at = ir_make(b->mem, RAMP, ramp, (span){0}, ir_type_lanes(IR_I32, 4), .base = times(&w, w.x, step),
                                    .stride = n_(&w, 1));
        const ir_node *store = mk_store(b, w.S, at, ir_float_new(b->mem, ir_type_lanes(IR_F32, 4), 1, (span){0}));
        assert_int_equal(barriers(&w, 64, 1, mk_seq(b, store, get(&w, times(&w, w.x, step)))), step == 2);
    }
}

/* ---- Loops -------------------------------------------------------------------------------------- */

/* The tiled product: loads, barrier, sums over the tile, barrier before the next loads. */
BENCH_TEST(tiles_need_two)
{
    world w = make_world(b);
    const ir_var *ko = mk_var(b, "ko", IR_I32), *ki = mk_var(b, "ki", IR_I32);
    const ir_node *own = plus(&w, times(&w, w.y, 16), w.x);
    const ir_node *row = plus(&w, times(&w, w.y, 16), mk_ref(b, ki));
    const ir_node *sum = mk_for(b, IR_SERIAL, ki, n_(&w, 16), get(&w, row));
    const ir_node *loop = mk_for(b, IR_SERIAL, ko, n_(&w, 4), mk_seq(b, put(&w, own), sum));
    const ir_node *out = sync_in(&w, 16, 16, loop);
    assert_int_equal(b->diags.errors, 0);
    assert_int_equal(count_calls(out, IR_FN_STORAGE_SYNC), 2);
    /* One is before the inner loop, not inside of it. */
    const ir_seq *s = ir_as_seq(ir_as_thread(ir_as_thread(out)->body)->body);
    const ir_seq *body = ir_as_seq(ir_as_for(s->body.at[1])->body);
    assert_int_equal(body->body.n, 4);
    assert_int_equal(body->body.at[0]->kind, IR_EVAL);
    assert_int_equal(body->body.at[1]->kind, IR_STORE);
    assert_int_equal(body->body.at[2]->kind, IR_EVAL);
    assert_int_equal(body->body.at[3]->kind, IR_FOR);
}

/* Round i reads S[64 i + x] and writes S[64 i + 64 + y], y another thread's: with 128 apart no two rounds
 * meet; with 64 apart the next round reads what this one wrote. */
BENCH_TEST(rounds_that_meet_need_one)
{
    for (int64_t step = 64; step <= 128; step += 64) {
        world w = make_world(b);
        const ir_var *i = mk_var(b, "i", IR_I32);
        const ir_node *at = times(&w, mk_ref(b, i), step);
        const ir_node *next = plus(&w, at, ir_sub(b->mem, n_(&w, 127), w.x));
        const ir_node *body = mk_seq(b, get(&w, plus(&w, at, w.x)), put(&w, next));
        assert_int_equal(barriers(&w, 64, 1, mk_for(b, IR_SERIAL, i, n_(&w, 4), body)), step == 64);
    }
}

/* What a loop leaves behind meets what comes after it. */
BENCH_TEST(loops_leave_accesses)
{
    world w = make_world(b);
    const ir_var *i = mk_var(b, "i", IR_I32);
    const ir_node *at = plus(&w, times(&w, mk_ref(b, i), 64), w.x);
    const ir_node *loop = mk_for(b, IR_SERIAL, i, n_(&w, 4), put(&w, at));
    /* S[0:256] is written; 255 - x reads another thread's, 256 + x nobody's. */
    assert_int_equal(barriers(&w, 64, 1, mk_seq(b, loop, get(&w, ir_sub(b->mem, n_(&w, 255), w.x)))), 1);
    assert_int_equal(barriers(&w, 64, 1, mk_seq(b, loop, get(&w, plus(&w, w.x, n_(&w, 256))))), 0);
}

/* A tree reduction over a local counter: while (s > 0) { if (tx < s) S[tx] += S[tx + s]; s = s >> 1 }. The
 * rounds need one barrier each, at a place that every thread passes. */
BENCH_TEST(tree_reduction_by_while)
{
    world w = make_world(b);
    const ir_buffer *s = mk_buffer(b, "s", IR_I32, IR_SCOPE_LOCAL, 1);
    const ir_node *zero = n_(&w, 0), *step = mk_load(b, s, zero);
    const ir_node *sum = ir_add(b->mem, mk_load(b, w.S, w.x), mk_load(b, w.S, plus(&w, w.x, step)));
    const ir_node *add = mk_if(b, ir_lt(b->mem, w.x, step), mk_store(b, w.S, w.x, sum), NULL);
    const ir_node *half = mk_store(b, s, zero, ir_bin_new(b->mem, IR_SHR, step, n_(&w, 1)));
    const ir_node *loop = ir_make(b->mem, WHILE, while, (span){0}, IR_VOID, .cond = ir_gt(b->mem, step, zero),
                                  .body = mk_seq(b, add, half));
    const ir_node *body = mk_seq(b, mk_alloc(b, s), put(&w, w.x), mk_store(b, s, zero, n_(&w, 32)), loop, get(&w, zero));
    const ir_node *out = sync_in(&w, 64, 1, body);
    assert_int_equal(b->diags.errors, 0);
    /* Before the loop, in each round (outside of the if), after the loop: the last two may be one. */
    int n = count_calls(out, IR_FN_STORAGE_SYNC);
    assert_in_range(n, 2, 3);
}

/* ---- Conditions --------------------------------------------------------------------------------- */

/* One thread writes for all. */
BENCH_TEST(guarded_write_then_read_by_all)
{
    world w = make_world(b);
    const ir_node *first = mk_if(b, ir_eq(b->mem, w.x, n_(&w, 0)), put(&w, n_(&w, 0)), NULL);
    const ir_node *out = sync_in(&w, 64, 1, mk_seq(b, first, get(&w, n_(&w, 0))));
    assert_int_equal(count_calls(out, IR_FN_STORAGE_SYNC), 1);
}

/* The same single thread writes and reads. */
BENCH_TEST(guarded_to_one_thread_needs_none)
{
    world w = make_world(b);
    const ir_node *zero = n_(&w, 0);
    const ir_node *write = mk_if(b, ir_eq(b->mem, w.x, zero), put(&w, zero), NULL);
    const ir_node *read = mk_if(b, ir_lt(b->mem, w.x, n_(&w, 1)), get(&w, zero), NULL);
    assert_int_equal(barriers(&w, 64, 1, mk_seq(b, write, read)), 0);
}

/* if (tx < 32) { S[tx] = ..; B = S[31 - tx] }: the barrier comes between two ifs. */
BENCH_TEST(lifts_out_of_a_branch)
{
    world w = make_world(b);
    const ir_node *other = ir_sub(b->mem, n_(&w, 31), w.x);
    const ir_node *branch = mk_if(b, ir_lt(b->mem, w.x, n_(&w, 32)), mk_seq(b, put(&w, w.x), get(&w, other)), NULL);
    const ir_node *out = sync_in(&w, 64, 1, branch);
    assert_int_equal(b->diags.errors, 0);
    const ir_seq *s = ir_as_seq(ir_as_thread(ir_as_thread(out)->body)->body);
    assert_int_equal(s->body.n, 4);
    assert_int_equal(s->body.at[1]->kind, IR_IF);
    assert_int_equal(s->body.at[2]->kind, IR_EVAL);
    assert_int_equal(s->body.at[3]->kind, IR_IF);
}

/* A value bound before the barrier and used after it goes through memory of the thread. */
BENCH_TEST(lifting_keeps_values)
{
    world w = make_world(b);
    const ir_var *v = mk_var(b, "v", IR_F32);
    const ir_node *bind = ir_make(b->mem, BIND, bind, (span){0}, IR_VOID, .var = v, .value = mk_load(b, w.A, w.x));
    const ir_node *sum = ir_add(b->mem, mk_load(b, w.S, ir_sub(b->mem, n_(&w, 31), w.x)), mk_ref(b, v));
    const ir_node *branch = mk_if(b, ir_lt(b->mem, w.x, n_(&w, 32)),
                                  mk_seq(b, bind, put(&w, w.x), mk_store(b, w.B, w.x, sum)), NULL);
    const ir_node *out = sync_in(&w, 64, 1, branch);
    assert_int_equal(b->diags.errors, 0);
    const ir_seq *s = ir_as_seq(ir_as_thread(ir_as_thread(out)->body)->body);
    assert_int_equal(s->body.n, 5);
    assert_int_equal(s->body.at[1]->kind, IR_ALLOC);
    assert_false(ir_uses_var(s->body.at[4], v));
}

/* A condition that all threads share keeps its barrier. */
BENCH_TEST(uniform_branches_keep_theirs)
{
    world w = make_world(b);
    const ir_var *i = mk_var(b, "i", IR_I32);
    const ir_node *other = ir_sub(b->mem, n_(&w, 63), w.x);
    const ir_node *branch = mk_if(b, ir_lt(b->mem, mk_ref(b, i), n_(&w, 1)), mk_seq(b, put(&w, w.x), get(&w, other)), NULL);
    const ir_node *out = sync_in(&w, 64, 1, mk_for(b, IR_SERIAL, i, n_(&w, 1), branch));
    assert_int_equal(b->diags.errors, 0);
    assert_int_equal(count_nodes(out, IR_IF), 1);
    assert_in_range(count_calls(out, IR_FN_STORAGE_SYNC), 1, 2);
}

BENCH_TEST(refuses_loops_of_different_lengths)
{
    world w = make_world(b);
    const ir_var *i = mk_var(b, "i", IR_I32);
    const ir_node *other = ir_sub(b->mem, n_(&w, 63), w.x);
    sync_in(&w, 64, 1, mk_for(b, IR_SERIAL, i, w.x, mk_seq(b, put(&w, w.x), get(&w, other))));
    assert_one_error(b, "a barrier is needed in this loop");
}

/* A written barrier where not all threads come is lifted as well. */
BENCH_TEST(lifts_written_barriers)
{
    world w = make_world(b);
    const ir_node *branch = mk_if(b, ir_lt(b->mem, w.x, n_(&w, 32)), mk_seq(b, put(&w, w.x), mk_sync(b)), NULL);
    const ir_node *out = sync_in(&w, 64, 1, branch);
    assert_int_equal(b->diags.errors, 0);
    const ir_seq *s = ir_as_seq(ir_as_thread(ir_as_thread(out)->body)->body);
    assert_int_equal(s->body.n, 3);
    assert_int_equal(s->body.at[2]->kind, IR_EVAL);
}

/* ---- Matrices ----------------------------------------------------------------------------------- */

static const ir_node *tile(world *w, ir_builtin fn, const ir_buffer *matrix, const ir_node *at)
{
    bench *b = w->b;
    const ir_node *place = mk_load(b, w->S, at);
    const ir_node *args[] = {mk_ref(b, matrix->data), n_(w, 0), mk_call(b, IR_FN_ADDRESS_OF, IR_POINTER, 1, &place),
                             n_(w, 32)};
    return ir_eval_new(b->mem, mk_call(b, fn, IR_VOID, 4, args));
}

/* An 8x8 tile with rows 32 apart spans 7 * 32 + 8 = 232 elements: a tile at 231 overlaps it, one at 232 not. */
BENCH_TEST(tiles_count_whole)
{
    for (int64_t at = 231; at <= 232; ++at) {
        world w = make_world(b);
        const ir_buffer *c = mk_buffer(b, "c", IR_F32, IR_SCOPE_SIMDGROUP, 64);
        const ir_node *body = mk_seq(b, mk_alloc(b, c), tile(&w, IR_FN_SIMD_STORE, c, n_(&w, 0)),
                                     tile(&w, IR_FN_SIMD_LOAD, c, n_(&w, at)));
        assert_int_equal(barriers(&w, 64, 1, body), at == 231);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_place_needs_none),
        cmocka_unit_test(neighbours_place_needs_one),
        cmocka_unit_test(one_place_for_all_needs_one),
        cmocka_unit_test(every_axis_counts),
        cmocka_unit_test(overlapping_rows_need_one),
        cmocka_unit_test(apart_needs_none),
        cmocka_unit_test(two_reads_need_none),
        cmocka_unit_test(write_after_read_and_write_after_write),
        cmocka_unit_test(written_barriers_count),
        cmocka_unit_test(vectors_count_whole),
        cmocka_unit_test(tiles_need_two),
        cmocka_unit_test(rounds_that_meet_need_one),
        cmocka_unit_test(loops_leave_accesses),
        cmocka_unit_test(tree_reduction_by_while),
        cmocka_unit_test(guarded_write_then_read_by_all),
        cmocka_unit_test(guarded_to_one_thread_needs_none),
        cmocka_unit_test(lifts_out_of_a_branch),
        cmocka_unit_test(lifting_keeps_values),
        cmocka_unit_test(uniform_branches_keep_theirs),
        cmocka_unit_test(refuses_loops_of_different_lengths),
        cmocka_unit_test(lifts_written_barriers),
        cmocka_unit_test(tiles_count_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
