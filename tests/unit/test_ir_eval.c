/* The interpreter: threads, groups, memory, reductions and failures, against values worked out by
 * hand. */
#include "ir/eval.h"
#include "pass_help.h"

#define I(v) ir_i32(b->mem, (v))
#define F(v) ir_float_new(b->mem, IR_F32, (v), (span){0})
#define R(v) mk_ref(b, (v))
#define THREAD_LOOP(tag_, v, n, ...)                                                                \
    ir_make(b->mem, FOR, for, (span){0}, IR_VOID, .loop = IR_THREAD_BOUND, .var = (v), .min = I(0),  \
            .extent = I(n), .tag = STR(tag_), .body = (__VA_ARGS__))

/* Runs function 0 on one-dimensional arrays; NULL or the error. */
typedef struct array {
    void *data;
    int64_t n;
    ir_type type;
} array;

static const char *run_on(bench *b, const ir_module *m, const array *arrays, size_t n)
{
    str error;
    ir_eval_arg args[8] = {0};
    for (size_t i = 0; i < n; ++i) {
        args[i] = (ir_eval_arg){
            .data = arrays[i].data, .type = arrays[i].type, .shape = &arrays[i].n, .ndim = 1};
    }
    ir_eval_options options = {.max_steps = 1000000};
    return ir_eval_func(b->mem, m, m->funcs[0], args, n, &options, &error) ? NULL : error.p;
}

static void expect_error(const char *got, const char *part)
{
    if (got == NULL) fail_msg("no error, expected: %s", part);
    if (strstr(got, part) == NULL) fail_msg("%s: does not say: %s", got, part);
}

BENCH_TEST(test_add_one)
{
    const ir_buffer *A = mk_buffer(b, "A", IR_F32, IR_SCOPE_GLOBAL, 32),
                    *B = mk_buffer(b, "B", IR_F32, IR_SCOPE_GLOBAL, 32);
    const ir_var *bx = mk_var(b, "bx", IR_I32), *tx = mk_var(b, "tx", IR_I32);
    const ir_node *i = ir_add(b->mem, ir_mul(b->mem, R(bx), I(8)), R(tx));
    const ir_node *body = mk_store(b, B, i, ir_add(b->mem, mk_load(b, A, i), F(1)));
    body = THREAD_LOOP("blockIdx.x", bx, 4, THREAD_LOOP("threadIdx.x", tx, 8, body));
    float in[32], out[32] = {0};
    for (int k = 0; k < 32; ++k) in[k] = (float)k * 0.5f;
    const char *error = run_on(b, mk_module(b, (const ir_buffer *[]){A, B, NULL}, NULL, body),
                               (array[]){{in, 32, IR_F32}, {out, 32, IR_F32}}, 2);
    assert_null(error);
    for (int k = 0; k < 32; ++k) assert_true(out[k] == (float)k * 0.5f + 1.0f);
}

/* Two groups of 8 write shared memory, meet, and read it backwards. */
static const ir_module *reverse(bench *b, const ir_node *(*between)(bench *b, const ir_var *tx))
{
    const ir_buffer *A = mk_buffer(b, "A", IR_I32, IR_SCOPE_GLOBAL, 16),
                    *S = mk_buffer(b, "S", IR_I32, IR_SCOPE_SHARED, 8);
    const ir_var *bx = mk_var(b, "bx", IR_I32), *tx = mk_var(b, "tx", IR_I32);
    const ir_node *i = ir_add(b->mem, ir_mul(b->mem, R(bx), I(8)), R(tx));
    const ir_node *back = mk_load(b, S, ir_sub(b->mem, I(7), R(tx)));
    const ir_node *body = mk_seq(b, mk_alloc(b, S), mk_store(b, S, R(tx), mk_load(b, A, i)),
                                 between(b, tx), mk_store(b, A, i, back));
    body = mk_thread(b, "blockIdx.x", bx, 2, mk_thread(b, "threadIdx.x", tx, 8, body));
    return mk_module(b, (const ir_buffer *[]){A, NULL}, NULL, body);
}

static const ir_node *sync_all(bench *b, const ir_var *tx)
{
    (void)tx;
    return mk_sync(b);
}

static const ir_node *sync_some(bench *b, const ir_var *tx)
{
    return mk_if(b, ir_lt(b->mem, R(tx), I(5)), mk_sync(b), NULL);
}

BENCH_TEST(test_shared_memory)
{
    int32_t data[16];
    for (int k = 0; k < 16; ++k) data[k] = k * k;
    assert_null(run_on(b, reverse(b, sync_all), (array[]){{data, 16, IR_I32}}, 1));
    for (int k = 0; k < 8; ++k) {
        assert_int_equal(data[k], (7 - k) * (7 - k));
        assert_int_equal(data[8 + k], (15 - k) * (15 - k));
    }
    expect_error(run_on(b, reverse(b, sync_some), (array[]){{data, 16, IR_I32}}, 1),
                 "barrier that thread 5 does not reach");
}

/* Shared memory holds nothing useful when a group begins, least of all the group before's values.
 */
BENCH_TEST(test_shared_memory_is_stale)
{
    const ir_buffer *A = mk_buffer(b, "A", IR_I32, IR_SCOPE_GLOBAL, 2),
                    *S = mk_buffer(b, "S", IR_I32, IR_SCOPE_SHARED, 1);
    const ir_var *bx = mk_var(b, "bx", IR_I32);
    const ir_node *body = mk_seq(b, mk_alloc(b, S), mk_store(b, A, R(bx), mk_load(b, S, I(0))),
                                 mk_store(b, S, I(0), I(7)));
    int32_t data[2] = {0};
    const ir_module *m =
        mk_module(b, (const ir_buffer *[]){A, NULL}, NULL, mk_thread(b, "blockIdx.x", bx, 2, body));
    assert_null(run_on(b, m, (array[]){{data, 2, IR_I32}}, 1));
    assert_int_equal(data[0], (int32_t)0xcbcbcbcb);
    assert_int_equal(data[1], (int32_t)0xcbcbcbcb);
}

static ir_iter iter(bench *b, const ir_var *v, ir_iter_kind kind, int64_t extent,
                    const ir_node *binding)
{
    return (ir_iter){.var = v, .kind = kind, .min = I(0), .extent = I(extent), .binding = binding};
}

static const ir_node *block(bench *b, const ir_iter *iters, size_t n, const ir_node *init,
                            const ir_node *body)
{
    const ir_iter *at = arena_copy(b->mem, iters, n * sizeof *iters);
    return ir_make(b->mem, BLOCK, block, (span){0}, IR_VOID, .name = STR("sum"), .iters = {at, n},
                   .predicate = ir_bool(b->mem, true), .init = init, .body = body);
}

/* out[i] = sum over k of A[i * 4 + k], the init where k begins. */
BENCH_TEST(test_block_reduction)
{
    const ir_buffer *A = mk_buffer(b, "A", IR_I32, IR_SCOPE_GLOBAL, 12),
                    *C = mk_buffer(b, "C", IR_I32, IR_SCOPE_GLOBAL, 3);
    const ir_var *i = mk_var(b, "i", IR_I32), *k = mk_var(b, "k", IR_I32),
                 *vi = mk_var(b, "vi", IR_I32), *vk = mk_var(b, "vk", IR_I32);
    const ir_node *a = mk_load(b, A, ir_add(b->mem, ir_mul(b->mem, R(vi), I(4)), R(vk)));
    const ir_iter iters[] = {iter(b, vi, IR_SPATIAL, 3, R(i)), iter(b, vk, IR_REDUCE, 4, R(k))};
    const ir_node *body = block(b, iters, 2, mk_store(b, C, R(vi), I(0)),
                                mk_store(b, C, R(vi), ir_add(b->mem, mk_load(b, C, R(vi)), a)));
    body = mk_for(b, IR_SERIAL, i, I(3), mk_for(b, IR_SERIAL, k, I(4), body));
    int32_t in[12], out[3] = {99, 99, 99};
    for (int n = 0; n < 12; ++n) in[n] = n + 1;
    assert_null(run_on(b, mk_module(b, (const ir_buffer *[]){A, C, NULL}, NULL, body),
                       (array[]){{in, 12, IR_I32}, {out, 3, IR_I32}}, 2));
    assert_int_equal(out[0], 1 + 2 + 3 + 4);
    assert_int_equal(out[1], 5 + 6 + 7 + 8);
    assert_int_equal(out[2], 9 + 10 + 11 + 12);
}

/* The same sum over threads, into each thread's own accumulator, which all of them then hold. */
BENCH_TEST(test_cross_thread_reduction)
{
    const ir_buffer *A = mk_buffer(b, "A", IR_I32, IR_SCOPE_GLOBAL, 8),
                    *C = mk_buffer(b, "C", IR_I32, IR_SCOPE_GLOBAL, 8);
    const ir_buffer *L = mk_buffer(b, "L", IR_I32, IR_SCOPE_LOCAL, 1);
    const ir_var *ty = mk_var(b, "ty", IR_I32), *tx = mk_var(b, "tx", IR_I32),
                 *vk = mk_var(b, "vk", IR_I32);
    const ir_node *at = ir_add(b->mem, ir_mul(b->mem, R(ty), I(4)), R(tx));
    const ir_node *a = mk_load(b, A, ir_add(b->mem, ir_mul(b->mem, R(ty), I(4)), R(vk)));
    const ir_iter iters[] = {iter(b, vk, IR_REDUCE, 4, R(tx))};
    const ir_node *sum = block(b, iters, 1, mk_store(b, L, I(0), I(0)),
                               mk_store(b, L, I(0), ir_add(b->mem, mk_load(b, L, I(0)), a)));
    const ir_node *body = mk_seq(b, mk_alloc(b, L), sum, mk_store(b, C, at, mk_load(b, L, I(0))));
    body = THREAD_LOOP("threadIdx.y", ty, 2, THREAD_LOOP("threadIdx.x", tx, 4, body));
    int32_t in[8] = {1, 2, 3, 4, 50, 60, 70, 80}, out[8] = {0};
    assert_null(run_on(b, mk_module(b, (const ir_buffer *[]){A, C, NULL}, NULL, body),
                       (array[]){{in, 8, IR_I32}, {out, 8, IR_I32}}, 2));
    for (int k = 0; k < 8; ++k) assert_int_equal(out[k], k < 4 ? 10 : 260);
}

/* allreduce with max over tx, where the condition leaves thread 2 out. */
BENCH_TEST(test_allreduce)
{
    const ir_buffer *A = mk_buffer(b, "A", IR_I32, IR_SCOPE_GLOBAL, 4),
                    *L = mk_buffer(b, "L", IR_I32, IR_SCOPE_LOCAL, 1);
    const ir_var *tx = mk_var(b, "tx", IR_I32), *x = mk_var(b, "x", IR_I32),
                 *y = mk_var(b, "y", IR_I32);
    const ir_node *identity = I(INT32_MIN), *combine = ir_max(b->mem, R(x), R(y));
    const ir_node *reducer =
        ir_make(b->mem, REDUCER, reducer, (span){0}, IR_VOID, .lhs = {&x, 1}, .rhs = {&y, 1},
                .result = ir_list_one(b->mem, combine), .identity = ir_list_one(b->mem, identity));
    const ir_node *args[] = {ir_int_new(b->mem, IR_U32, 1, (span){0}), mk_load(b, A, R(tx)),
                             ir_ne(b->mem, R(tx), I(2)), mk_load(b, L, I(0)), R(tx)};
    const ir_node *all = ir_eval_new(b->mem, mk_call(b, IR_FN_ALLREDUCE, IR_VOID, 5, args));
    const ir_node *scope =
        ir_make(b->mem, ATTR, attr, (span){0}, IR_VOID, .key = STR("reduce_scope"),
                .subject = reducer, .value = I(0), .body = all);
    const ir_node *body =
        mk_seq(b, mk_alloc(b, L), scope, mk_store(b, A, R(tx), mk_load(b, L, I(0))));
    int32_t data[4] = {-3, 5, 100, 4};
    assert_null(run_on(b,
                       mk_module(b, (const ir_buffer *[]){A, NULL}, NULL,
                                 mk_thread(b, "threadIdx.x", tx, 4, body)),
                       (array[]){{data, 4, IR_I32}}, 1));
    for (int k = 0; k < 4; ++k) assert_int_equal(data[k], 5);
}

/* Five halvings with shuffle_down sum 32 lanes, not the whole group of 64. */
BENCH_TEST(test_simdgroups)
{
    const ir_buffer *A = mk_buffer(b, "A", IR_I32, IR_SCOPE_GLOBAL, 64),
                    *L = mk_buffer(b, "L", IR_I32, IR_SCOPE_LOCAL, 1);
    const ir_var *tx = mk_var(b, "tx", IR_I32);
    const ir_node *steps[8];
    size_t n = 0;
    steps[n++] = mk_alloc(b, L);
    steps[n++] = mk_store(b, L, I(0), mk_load(b, A, R(tx)));
    for (int offset = 16; offset > 0; offset /= 2) {
        const ir_node *args[] = {mk_load(b, L, I(0)), I(offset)};
        const ir_node *other = mk_call(b, IR_FN_SIMD_SHUFFLE_DOWN, IR_I32, 2, args);
        steps[n++] = mk_store(b, L, I(0), ir_add(b->mem, mk_load(b, L, I(0)), other));
    }
    steps[n++] = mk_store(b, A, R(tx), mk_load(b, L, I(0)));
    const ir_node *body = ir_seq_new(b->mem, steps, n, (span){0});
    int32_t data[64];
    for (int k = 0; k < 64; ++k) data[k] = k;
    assert_null(run_on(b,
                       mk_module(b, (const ir_buffer *[]){A, NULL}, NULL,
                                 mk_thread(b, "threadIdx.x", tx, 64, body)),
                       (array[]){{data, 64, IR_I32}}, 1));
    assert_int_equal(data[0], 31 * 32 / 2);
    assert_int_equal(data[32], 63 * 64 / 2 - 31 * 32 / 2);
}

/* D = A B with A[r][c] = r + c, B = 2 I, transposed on its way out; the fill is overwritten by 1 A
 * B + C. */
BENCH_TEST(test_matrices)
{
    const ir_buffer *A = mk_buffer(b, "A", IR_F32, IR_SCOPE_GLOBAL, 64),
                    *B = mk_buffer(b, "B", IR_F32, IR_SCOPE_GLOBAL, 64);
    const ir_buffer *M = mk_buffer(b, "M", IR_F32, IR_SCOPE_SIMDGROUP, 192);
    const ir_var *tx = mk_var(b, "tx", IR_I32);
    const ir_node *data = R(M->data), *a_load = mk_load(b, A, I(0)), *b_load = mk_load(b, B, I(0));
    const ir_node *pa = mk_call(b, IR_FN_ADDRESS_OF, IR_POINTER, 1, &a_load),
                  *pb = mk_call(b, IR_FN_ADDRESS_OF, IR_POINTER, 1, &b_load);
    const ir_node *no = ir_bool(b->mem, false), *yes = ir_bool(b->mem, true);
    const ir_node *fill[] = {data, I(2), F(0.5), I(8), I(8)},
                  *la[] = {data, I(0), pa, I(8), I(8), I(8), no},
                  *lb[] = {data, I(1), pb, I(8), I(8), I(8), no},
                  *mma[] = {data, I(2), data, I(0), data, I(1), data, I(2)},
                  *st[] = {data, I(2), pa, I(8), I(8), I(8), yes};
    const ir_node *body = mk_seq(b, mk_alloc(b, M),
                                 ir_eval_new(b->mem, mk_call(b, IR_FN_SIMD_FILL, IR_VOID, 5, fill)),
                                 ir_eval_new(b->mem, mk_call(b, IR_FN_SIMD_LOAD, IR_VOID, 7, la)),
                                 ir_eval_new(b->mem, mk_call(b, IR_FN_SIMD_LOAD, IR_VOID, 7, lb)),
                                 ir_eval_new(b->mem, mk_call(b, IR_FN_SIMD_MMA, IR_VOID, 8, mma)),
                                 ir_eval_new(b->mem, mk_call(b, IR_FN_SIMD_STORE, IR_VOID, 7, st)));
    float a[64], two[64] = {0};
    for (int k = 0; k < 64; ++k) a[k] = (float)(k / 8 + 10 * (k % 8));
    for (int k = 0; k < 8; ++k) two[k * 9] = 2.0f;
    assert_null(run_on(b,
                       mk_module(b, (const ir_buffer *[]){A, B, NULL}, NULL,
                                 mk_thread(b, "threadIdx.x", tx, 32, body)),
                       (array[]){{a, 64, IR_F32}, {two, 64, IR_F32}}, 2));
    for (int k = 0; k < 64; ++k) assert_true(a[k] == 2.0f * (float)(k % 8 + 10 * (k / 8)) + 0.5f);
}

static const ir_node *mk_leave(bench *b, ir_kind kind)
{
    return arena_copy(b->mem, &(const ir_node){.kind = kind, .type = IR_VOID}, sizeof(ir_node));
}

/* Thread t sums the odd i up to t, leaving at 5: 0 0(t=1) 1 1 1+3 ... */
BENCH_TEST(test_divergent_loops)
{
    const ir_buffer *A = mk_buffer(b, "A", IR_I32, IR_SCOPE_GLOBAL, 8);
    const ir_var *tx = mk_var(b, "tx", IR_I32), *i = mk_var(b, "i", IR_I32);
    const ir_node *leave = mk_leave(b, IR_BREAK), *skip = mk_leave(b, IR_CONTINUE);
    const ir_node *even = ir_eq(b->mem, ir_floormod(b->mem, R(i), I(2)), I(0));
    const ir_node *body =
        mk_seq(b, mk_if(b, ir_eq(b->mem, R(i), I(5)), leave, NULL), mk_if(b, even, skip, NULL),
               mk_store(b, A, R(tx), ir_add(b->mem, mk_load(b, A, R(tx)), R(i))));
    body = mk_thread(b, "threadIdx.x", tx, 8, mk_for(b, IR_SERIAL, i, R(tx), body));
    int32_t data[8] = {0};
    assert_null(run_on(b, mk_module(b, (const ir_buffer *[]){A, NULL}, NULL, body),
                       (array[]){{data, 8, IR_I32}}, 1));
    const int32_t expected[8] = {0, 0, 1, 1, 4, 4, 4, 4};
    assert_memory_equal(data, expected, sizeof data);
}

/* A while loop after a break of the loop around it must not wake the thread that left. */
BENCH_TEST(test_break_outside_of_a_while)
{
    const ir_buffer *A = mk_buffer(b, "A", IR_I32, IR_SCOPE_GLOBAL, 4);
    const ir_var *tx = mk_var(b, "tx", IR_I32), *i = mk_var(b, "i", IR_I32);
    const ir_node *leave = mk_leave(b, IR_BREAK);
    const ir_node *more = ir_lt(b->mem, mk_load(b, A, R(tx)), ir_add(b->mem, R(i), I(1)));
    const ir_node *loop =
        ir_make(b->mem, WHILE, while, (span){0}, IR_VOID, .cond = more,
                .body = mk_store(b, A, R(tx), ir_add(b->mem, mk_load(b, A, R(tx)), I(1))));
    const ir_node *body = mk_seq(b, mk_if(b, ir_eq(b->mem, R(i), R(tx)), leave, NULL), loop);
    body = mk_thread(b, "threadIdx.x", tx, 4, mk_for(b, IR_SERIAL, i, I(3), body));
    int32_t data[4] = {0};
    assert_null(run_on(b, mk_module(b, (const ir_buffer *[]){A, NULL}, NULL, body),
                       (array[]){{data, 4, IR_I32}}, 1));
    const int32_t expected[4] = {0, 1, 2, 3};
    assert_memory_equal(data, expected, sizeof data);
}

/* Each type computes as itself: uint8 wraps, half rounds after each step, int32 wraps. */
BENCH_TEST(test_types)
{
    const ir_buffer *U = mk_buffer(b, "U", IR_TYPE(IR_UINT, 8), IR_SCOPE_GLOBAL, 1),
                    *H = mk_buffer(b, "H", IR_F16, IR_SCOPE_GLOBAL, 1),
                    *N = mk_buffer(b, "N", IR_I32, IR_SCOPE_GLOBAL, 2);
    const ir_node *u = mk_load(b, U, I(0)), *h = mk_load(b, H, I(0)), *n = mk_load(b, N, I(0));
    const ir_node *one = ir_float_new(b->mem, IR_F16, 1.0, (span){0});
    const ir_node *body = mk_seq(
        b, mk_store(b, U, I(0), ir_add(b->mem, u, ir_int_like(b->mem, u, 10))),
        mk_store(b, H, I(0), ir_add(b->mem, ir_add(b->mem, h, one), one)),
        mk_store(b, N, I(1),
                 ir_fold_cast(b->mem, IR_I32, ir_float_new(b->mem, IR_F32, -2.75, (span){0}))),
        mk_store(b, N, I(0), ir_add(b->mem, n, I(1))));
    uint8_t bytes[1] = {250};
    uint16_t halves[1] = {0x6800}; /* 2048, where half's step is 2 */
    int32_t ints[2] = {INT32_MAX, 0};
    assert_null(run_on(
        b, mk_module(b, (const ir_buffer *[]){U, H, N, NULL}, NULL, body),
        (array[]){{bytes, 1, IR_TYPE(IR_UINT, 8)}, {halves, 1, IR_F16}, {ints, 2, IR_I32}}, 3));
    assert_int_equal(bytes[0], 4);
    assert_int_equal(halves[0], 0x6800); /* 2048 + 1 + 1 is 2048 both times, ties to even */
    assert_int_equal(ints[0], INT32_MIN);
    assert_int_equal(ints[1], -2);
}

BENCH_TEST(test_vectors)
{
    const ir_buffer *A = mk_buffer(b, "A", IR_I32, IR_SCOPE_GLOBAL, 8),
                    *V = mk_buffer(b, "V", ir_type_lanes(IR_I32, 4), IR_SCOPE_GLOBAL, 2);
    const ir_node *ramp = ir_make(b->mem, RAMP, ramp, (span){0}, ir_type_lanes(IR_I32, 4),
                                  .base = I(1), .stride = I(2));
    const ir_node *whole = ir_make(b->mem, RAMP, ramp, (span){0}, ir_type_lanes(IR_I32, 4),
                                   .base = I(0), .stride = I(1));
    const ir_node *sum = ir_add(b->mem, mk_load(b, A, ramp), whole);
    const ir_node *body =
        mk_seq(b, mk_store(b, V, I(1), sum), mk_store(b, A, whole, mk_load(b, V, I(1))));
    int32_t a[8] = {0, 10, 20, 30, 40, 50, 60, 70}, v[8] = {0};
    const ir_module *m = mk_module(b, (const ir_buffer *[]){A, V, NULL}, NULL, body);
    assert_null(run_on(b, m, (array[]){{a, 8, IR_I32}, {v, 2, ir_type_lanes(IR_I32, 4)}}, 2));
    const int32_t expected_v[8] = {0, 0, 0, 0, 10, 31, 52, 73},
                  expected_a[8] = {10, 31, 52, 73, 40, 50, 60, 70};
    assert_memory_equal(v, expected_v, sizeof v);
    assert_memory_equal(a, expected_a, sizeof a);
}

/* A shape that names n takes it from the first array; the second must agree. */
BENCH_TEST(test_symbolic_shapes)
{
    const ir_var *n = mk_var(b, "n", IR_I32), *i = mk_var(b, "i", IR_I32);
    ir_buffer A = *mk_buffer(b, "A", IR_I32, IR_SCOPE_GLOBAL, 1),
              B = *mk_buffer(b, "B", IR_I32, IR_SCOPE_GLOBAL, 1);
    A.shape = ir_list_one(b->mem, R(n));
    B.shape = ir_list_one(b->mem, ir_add(b->mem, R(n), I(1)));
    const ir_node *body = mk_for(b, IR_SERIAL, i, R(n),
                                 mk_store(b, &B, ir_add(b->mem, R(i), I(1)), mk_load(b, &A, R(i))));
    const ir_module *m = mk_module(b, (const ir_buffer *[]){&A, &B, NULL}, NULL, body);
    int32_t in[3] = {7, 8, 9}, out[4] = {0};
    assert_null(run_on(b, m, (array[]){{in, 3, IR_I32}, {out, 4, IR_I32}}, 2));
    const int32_t expected[4] = {0, 7, 8, 9};
    assert_memory_equal(out, expected, sizeof out);
    expect_error(run_on(b, m, (array[]){{in, 3, IR_I32}, {out, 3, IR_I32}}, 2),
                 "extent of 'B' is 3, expected 4");
}

/* A module after the split: the host launches a kernel with a pointer, a scalar and an extent. */
BENCH_TEST(test_launch)
{
    const ir_buffer *A = mk_buffer(b, "A", IR_I32, IR_SCOPE_GLOBAL, 6);
    const ir_var *p = ir_var_pointer(b->mem, STR("A_ptr"), IR_I32, IR_SCOPE_GLOBAL, (span){0}),
                 *s = mk_var(b, "s", IR_I32), *tx = mk_var(b, "tx", IR_I32),
                 *h = mk_var(b, "h", IR_I32);
    ir_buffer *view = arena_new(b->mem, ir_buffer);
    *view = *A;
    view->data = p;
    const ir_node *decl = ir_make(b->mem, DECL, decl, (span){0}, IR_VOID, .buffer = view);
    const ir_node *at = ir_add(b->mem, ir_mul(b->mem, R(s), I(3)), R(tx));
    const ir_node *kernel_body =
        mk_thread(b, "threadIdx.x", tx, 3, mk_seq(b, decl, mk_store(b, view, at, at)));
    ir_param params[] = {{.var = p}, {.var = s}};
    str tag = STR("threadIdx.x");
    ir_func kernel = {.name = STR("main_kernel"),
                      .kind = IR_FUNC_KERNEL,
                      .params = params,
                      .param_count = 2,
                      .result = IR_VOID,
                      .body = kernel_body,
                      .launch_tags = &tag,
                      .launch_tag_count = 1};
    const ir_node *args[] = {ir_string_new(b->mem, STR("main_kernel"), (span){0}), R(A->data), R(h),
                             I(3)};
    const ir_node *call = ir_eval_new(b->mem, mk_call(b, IR_FN_CALL_PACKED, IR_I32, 4, args));
    const ir_module *m =
        mk_module(b, (const ir_buffer *[]){A, NULL}, NULL, mk_for(b, IR_SERIAL, h, I(2), call));
    const ir_func *both[] = {m->funcs[0], &kernel};
    ir_module split = {.funcs = both, .func_count = 2, .properties = IR_SPLIT};
    int32_t data[6] = {9, 9, 9, 9, 9, 9};
    assert_null(run_on(b, &split, (array[]){{data, 6, IR_I32}}, 1));
    for (int k = 0; k < 6; ++k) assert_int_equal(data[k], k);
}

BENCH_TEST(test_failures_are_named)
{
    const ir_buffer *A = mk_buffer(b, "A", IR_I32, IR_SCOPE_GLOBAL, 4);
    const ir_var *x = mk_var(b, "x", IR_I32);
    int32_t data[4] = {0, 1, 2, 3};
    array given[] = {{data, 4, IR_I32}};
    const ir_buffer *const only[] = {A, NULL};
    const ir_node *zero = mk_load(b, A, I(0));
    expect_error(run_on(b, mk_module(b, only, NULL, mk_store(b, A, I(4), I(0))), given, 1),
                 "index 4 of 'A' is outside of dimension 0, which has 4");
    expect_error(run_on(b, mk_module(b, only, NULL, mk_store(b, A, I(-1), I(0))), given, 1),
                 "index -1");
    expect_error(
        run_on(b, mk_module(b, only, NULL, mk_store(b, A, I(0), ir_floordiv(b->mem, I(1), zero))),
               given, 1),
        "division by zero");
    expect_error(run_on(b, mk_module(b, only, NULL, mk_store(b, A, I(0), R(x))), given, 1),
                 "'x' has no value");
    const ir_node *forever = ir_make(b->mem, WHILE, while, (span){0}, IR_VOID,
                                     .cond = ir_bool(b->mem, true), .body = ir_nop(b->mem));
    expect_error(run_on(b, mk_module(b, only, NULL, forever), given, 1), "too many steps");
    expect_error(
        run_on(b, mk_module(b, only, NULL, ir_nop(b->mem)), (array[]){{data, 4, IR_F32}}, 1),
        "another type");
    /* The arm that is not taken is not evaluated. */
    const ir_node *lazy[] = {ir_lt(b->mem, zero, I(0)), mk_load(b, A, I(9)), I(5)};
    const ir_node *safe = mk_store(b, A, I(0), mk_call(b, IR_FN_IF_THEN_ELSE, IR_I32, 3, lazy));
    assert_null(run_on(b, mk_module(b, only, NULL, safe), given, 1));
    assert_int_equal(data[0], 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_add_one),
        cmocka_unit_test(test_shared_memory),
        cmocka_unit_test(test_shared_memory_is_stale),
        cmocka_unit_test(test_block_reduction),
        cmocka_unit_test(test_cross_thread_reduction),
        cmocka_unit_test(test_allreduce),
        cmocka_unit_test(test_simdgroups),
        cmocka_unit_test(test_matrices),
        cmocka_unit_test(test_divergent_loops),
        cmocka_unit_test(test_break_outside_of_a_while),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_symbolic_shapes),
        cmocka_unit_test(test_launch),
        cmocka_unit_test(test_failures_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
