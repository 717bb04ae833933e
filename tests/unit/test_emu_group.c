/* labels: quick thread */
/* The software device: threadgroups. Barriers, simdgroups, atomics, matrices, batches of small threadgroups, workers. */
#include <math.h>

#include "emu_help.h"

/* A tree reduction in threadgroup memory, at every size of threadgroup from 1 up. */
static void test_reduction(void **state)
{
    (void)state;
    enum { MOST = 300 };
    static int32_t in[7 * MOST];
    int32_t out[7];
    for (int i = 0; i < 7 * MOST; ++i) in[i] = i * 37 % 1009;
    emu_library *l = emu_text("kernel void k(device const int *in, device int *out, uint b [[threadgroup_position_in_grid]],\n"
                              "  uint t [[thread_position_in_threadgroup]], uint n [[threads_per_threadgroup]]) {\n"
                              "  threadgroup int m[300]; m[t] = in[b * n + t]; threadgroup_barrier(mem_flags::mem_threadgroup);\n"
                              "  uint half_up = n; while (half_up > 1) { uint h = (half_up + 1) / 2; if (t + h < half_up) m[t] += m[t + h];\n"
                              "    half_up = h; threadgroup_barrier(mem_flags::mem_threadgroup); }\n"
                              "  if (t == 0) out[b] = m[0]; }");
    for (uint32_t n = 1; n <= MOST; n += n < 70 ? 1 : 23) {
        const emu_case c = {.groups = {7}, .threads = {n}, .buffers = {{in, sizeof in}, {out, sizeof out}}};
        emu_must(l, "k", &c);
        for (uint32_t b = 0; b < 7; ++b) {
            int32_t s = 0;
            for (uint32_t t = 0; t < n; ++t) s += in[b * n + t];
            assert_int_equal(out[b], s);
        }
    }
    emu_library_free(l);
}

/* 16 x 16 tiles, two barriers a tile. */
static void test_matmul(void **state)
{
    (void)state;
    enum { N = 96 };
    static float a[N * N], b[N * N], c[N * N], one[N * N];
    for (int i = 0; i < N * N; ++i) {
        a[i] = (float)(i * 7 % 13) - 6;
        b[i] = (float)(i * 5 % 11) - 5;
    }
    emu_library *l = emu_text("kernel void k(device const float *A, device const float *B, device float *C,\n"
                              "  uint2 g [[threadgroup_position_in_grid]], uint2 t [[thread_position_in_threadgroup]]) {\n"
                              "  threadgroup float As[256]; threadgroup float Bs[256]; float acc = 0;\n"
                              "  for (int k = 0; k < 6; ++k) { As[t.y * 16 + t.x] = A[(g.y * 16 + t.y) * 96 + k * 16 + t.x];\n"
                              "    Bs[t.y * 16 + t.x] = B[(k * 16 + t.y) * 96 + g.x * 16 + t.x]; threadgroup_barrier(mem_flags::mem_threadgroup);\n"
                              "    for (int i = 0; i < 16; ++i) acc += As[t.y * 16 + i] * Bs[i * 16 + t.x];\n"
                              "    threadgroup_barrier(mem_flags::mem_threadgroup); }\n"
                              "  C[(g.y * 16 + t.y) * 96 + g.x * 16 + t.x] = acc; }");
    emu_pool *pool = emu_pool_create(NULL, 3);
    for (unsigned isa = 0; emu_isa_name(isa) != NULL; ++isa) {
        emu_isa_select(l, isa);
        for (int threaded = 0; threaded < 2; ++threaded) {
            const emu_case run = {.groups = {6, 6}, .threads = {16, 16}, .pool = threaded != 0 ? pool : NULL,
                                  .buffers = {{a, sizeof a}, {b, sizeof b}, {c, sizeof c}}};
            memset(c, 0, sizeof c);
            emu_must(l, "k", &run);
            if (isa == 0 && threaded == 0) memcpy(one, c, sizeof one);
            assert_memory_equal(c, one, sizeof c);
        }
    }
    for (int y = 0; y < N; ++y) {
        for (int x = 0; x < N; ++x) {
            double s = 0; /* small integers: exact */
            for (int k = 0; k < N; ++k) s += (double)a[y * N + k] * (double)b[k * N + x];
            assert_true((double)c[y * N + x] == s);
        }
    }
    emu_pool_free(pool);
    emu_library_free(l);
}

/* Positions and sizes of a three-dimensional grid of three-dimensional threadgroups, and of batches along each axis. */
static void test_positions(void **state)
{
    (void)state;
    static const uint32_t shapes[][6] = {{3, 2, 4, 2, 5, 3}, {1, 9, 2, 4, 2, 1}, {2, 1, 11, 1, 1, 7}, {13, 1, 1, 3, 3, 3},
                                         {1, 1, 1, 8, 8, 8}, {5, 4, 3, 1, 1, 1}};
    emu_library *l = emu_text(
        "kernel void k(device uint *out, uint3 p [[thread_position_in_grid]], uint3 t [[thread_position_in_threadgroup]],\n"
        "  uint3 g [[threadgroup_position_in_grid]], uint3 n [[threads_per_threadgroup]], uint3 m [[threadgroups_per_grid]],\n"
        "  uint3 all [[threads_per_grid]], uint i [[thread_index_in_threadgroup]], ushort lane [[thread_index_in_simdgroup]],\n"
        "  uint simd [[simdgroup_index_in_threadgroup]], uint simds [[simdgroups_per_threadgroup]], uint w [[threads_per_simdgroup]]) {\n"
        "  uint at = (p.z * all.y + p.y) * all.x + p.x; uint bad = 0;\n"
        "  if (any(p != g * n + t)) bad |= 1; if (any(all != n * m)) bad |= 2; if (i != (t.z * n.y + t.y) * n.x + t.x) bad |= 4;\n"
        "  if (uint(lane) != i % 32 || simd != i / 32) bad |= 8; if (simds != (n.x * n.y * n.z + 31) / 32 || w != 32) bad |= 16;\n"
        "  if (any(t >= n) || any(g >= m)) bad |= 32; out[at] = bad == 0 ? at + 1 : bad << 24; }");
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s) {
        const uint32_t *d = shapes[s];
        const uint32_t total = d[0] * d[1] * d[2] * d[3] * d[4] * d[5];
        uint32_t *out = calloc(total, 4);
        assert_non_null(out);
        const emu_case c = {.groups = {d[0], d[1], d[2]}, .threads = {d[3], d[4], d[5]}, .buffers = {{out, total * 4}}};
        emu_must(l, "k", &c);
        for (uint32_t i = 0; i < total; ++i) assert_int_equal(out[i], i + 1);
        free(out);
    }
    emu_library_free(l);
}

/* Simdgroup functions against plain loops over the lanes, with whole and partial simdgroups. */
static void test_simdgroups(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {32, 64, 96, 40, 8, 256, 33};
    enum { RESULTS = 16, MOST = 5 * 256 };
    static int32_t in[MOST], out[RESULTS * MOST];
    static float fin[MOST], fout[4 * MOST];
    emu_library *l = emu_text(
        "kernel void k(device const int *in, device int *out, device const float *fin, device float *fout,\n"
        "  uint i [[thread_position_in_grid]], ushort lane [[thread_index_in_simdgroup]]) {\n"
        "  int x = in[i]; device int *o = out + i * 16; float f = fin[i]; device float *q = fout + i * 4;\n"
        "  o[0] = simd_shuffle(x, (lane * 5 + 3) % 32); o[1] = simd_shuffle_up(x, 3); o[2] = simd_shuffle_down(x, 7);\n"
        "  o[3] = simd_shuffle_xor(x, 5); o[4] = simd_broadcast(x, 2); o[5] = simd_sum(x); o[6] = simd_min(x); o[7] = simd_max(x);\n"
        "  o[8] = int(simd_all(x > -1000)) + 2 * int(simd_any(x > 900)); o[9] = simd_prefix_exclusive_sum(x);\n"
        "  o[10] = simd_prefix_inclusive_sum(x); o[11] = quad_broadcast(x, 3); o[12] = quad_sum(x); o[13] = quad_shuffle_xor(x, 1);\n"
        "  o[14] = int(simd_xor(uint(x))); o[15] = int(ulong(simd_ballot(x > 100)) & 0xffffffffu);\n"
        "  q[0] = simd_sum(f); q[1] = simd_max(f); q[2] = simd_shuffle_down(f, 16); q[3] = simd_product(1.0f + f * 0.001f); }");
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
        const uint32_t n = sizes[s], total = 5 * n;
        for (uint32_t i = 0; i < total; ++i) {
            in[i] = (int32_t)(i * 2654435761u % 1999) - 999;
            fin[i] = (float)in[i] * 0.25f;
        }
        const emu_case c = {.groups = {5}, .threads = {n},
                            .buffers = {{in, sizeof in}, {out, sizeof out}, {fin, sizeof fin}, {fout, sizeof fout}}};
        emu_must(l, "k", &c);
        for (uint32_t i = 0; i < total; ++i) {
            const uint32_t t = i % n, first = i - t % 32, lane = t % 32;
            const uint32_t width = n - (t - lane) < 32 ? n - (t - lane) : 32, quad = lane / 4 * 4;
            const uint32_t qwidth = width - quad < 4 ? width - quad : 4;
            const int32_t *o = out + (size_t)i * RESULTS, *x = in + first;
#define FROM(expr) ((expr) < width ? x[expr] : x[lane])
            assert_int_equal(o[0], FROM((lane * 5 + 3) % 32));
            assert_int_equal(o[1], lane >= 3 ? x[lane - 3] : x[lane]);
            assert_int_equal(o[2], FROM(lane + 7));
            assert_int_equal(o[3], FROM(lane ^ 5));
            assert_int_equal(o[4], FROM(2u));
            int32_t sum = 0, least = INT32_MAX, most = INT32_MIN, before = 0, qsum = 0;
            uint32_t mixed = 0, ballot = 0;
            double fsum = 0, product = 1;
            for (uint32_t k = 0; k < width; ++k) {
                sum += x[k];
                least = x[k] < least ? x[k] : least;
                most = x[k] > most ? x[k] : most;
                if (k < lane) before += x[k];
                mixed ^= (uint32_t)x[k];
                if (x[k] > 100) ballot |= 1u << k;
                fsum += (double)fin[first + k];
                product *= (double)(1.0f + fin[first + k] * 0.001f);
            }
            for (uint32_t k = 0; k < qwidth; ++k) qsum += x[quad + k];
            assert_int_equal(o[5], sum);
            assert_int_equal(o[6], least);
            assert_int_equal(o[7], most);
            assert_int_equal(o[8], 1 + (most > 900 ? 2 : 0));
            assert_int_equal(o[9], before);
            assert_int_equal(o[10], before + x[lane]);
            assert_int_equal(o[11], qwidth == 4 ? x[quad + 3] : x[lane]);
            assert_int_equal(o[12], qsum);
            assert_int_equal(o[13], (lane ^ 1) < width ? x[lane ^ 1] : x[lane]);
            assert_int_equal((uint32_t)o[14], mixed);
            assert_int_equal((uint32_t)o[15], ballot);
            assert_true(fabs((double)fout[i * 4] - fsum) < 1e-2 && fout[i * 4 + 1] == (float)most * 0.25f);
            assert_true(fout[i * 4 + 2] == (lane + 16 < width ? fin[first + lane + 16] : fin[i]));
            assert_true(fabs((double)fout[i * 4 + 3] / product - 1) < 1e-5);
        }
    }
    emu_library_free(l);
}

/* Only active lanes take part; what comes from an inactive one is 0. */
static void test_partial_simdgroup(void **state)
{
    (void)state;
    int32_t out[64] = {0}, down[64] = {0}, first[64] = {0};
    const emu_case c = {.groups = {2}, .threads = {32}, .buffers = {{out, sizeof out}, {down, sizeof down}, {first, sizeof first}}};
    emu_once("kernel void k(device int *out, device int *down, device int *first, uint i [[thread_position_in_grid]], uint t [[thread_index_in_simdgroup]]) {\n"
             "  if (t % 3 == 1) { out[i] = simd_sum(int(i)); down[i] = simd_shuffle_down(int(i) + 1, 3) + simd_shuffle_down(int(i) + 1, 1) * 1000;\n"
             "    first[i] = simd_broadcast_first(int(i)) + (simd_is_first() ? 5000 : 0); } }",
             &c);
    for (int g = 0; g < 2; ++g) {
        int32_t sum = 0;
        for (int t = 1; t < 32; t += 3) sum += g * 32 + t;
        for (int t = 1; t < 32; t += 3) {
            const int i = g * 32 + t;
            assert_int_equal(out[i], sum);
            /* t + 1 is never active, unless it is beyond the simdgroup: then the lane's own value */
            const int32_t near = t + 1 < 32 ? 0 : i + 1, far = t + 3 < 32 ? i + 4 : i + 1;
            assert_int_equal(down[i], far + near * 1000);
            assert_int_equal(first[i], g * 32 + 1 + (t == 1 ? 5000 : 0));
        }
    }
}

static const char *const atomics_text =
    "kernel void k(device atomic_uint *bins, device atomic_int *extremes, device atomic_uint *counter, device uint *tickets,\n"
    "  device atomic_uint *masks, device atomic_float *total, device atomic_uint *swapped,\n"
    "  uint i [[thread_position_in_grid]], uint t [[thread_position_in_threadgroup]]) {\n"
    "  threadgroup atomic_uint local[16]; if (t < 16) atomic_store_explicit(&local[t], 0u, memory_order_relaxed);\n"
    "  threadgroup_barrier(mem_flags::mem_threadgroup);\n"
    "  atomic_fetch_add_explicit(&local[i % 13], 1u, memory_order_relaxed); threadgroup_barrier(mem_flags::mem_threadgroup);\n"
    "  if (t < 16) atomic_fetch_add_explicit(&bins[t], atomic_load_explicit(&local[t], memory_order_relaxed), memory_order_relaxed);\n"
    "  atomic_fetch_min_explicit(&extremes[0], int(i) - 1000, memory_order_relaxed);\n"
    "  atomic_fetch_max_explicit(&extremes[1], int(i) - 1000, memory_order_relaxed);\n"
    "  tickets[i] = atomic_fetch_add_explicit(counter, 1u, memory_order_relaxed);\n"
    "  atomic_fetch_or_explicit(&masks[0], 1u << (i % 32), memory_order_relaxed);\n"
    "  atomic_fetch_and_explicit(&masks[1], ~(1u << (i % 7)), memory_order_relaxed);\n"
    "  atomic_fetch_xor_explicit(&masks[2], i, memory_order_relaxed); atomic_fetch_add_explicit(total, 0.5f, memory_order_relaxed);\n"
    "  uint expected = 9; if (i == 77 && atomic_compare_exchange_weak_explicit(&swapped[0], &expected, 4u, memory_order_relaxed, memory_order_relaxed))\n"
    "    atomic_store_explicit(&swapped[1], expected, memory_order_relaxed); }";

/* Atomics in device and threadgroup memory, on the workers of the pool. Only one worker alone takes the tickets in an order that is known, which
 * another engine must then have too. */
static void check_atomics(emu_pool *pool)
{
    enum { GROUPS = 500, THREADS = 64, BINS = 16 };
    uint32_t bins[BINS] = {0}, tickets[GROUPS * THREADS];
    int32_t extremes[2] = {INT32_MAX, INT32_MIN};
    uint32_t counter = 0, masks[3] = {0, UINT32_MAX, 0}, swapped[2] = {9, 0};
    float total = 0;
    const emu_case c = {.groups = {GROUPS}, .threads = {THREADS}, .pool = pool,
                        .buffers = {{bins, sizeof bins}, {extremes, sizeof extremes}, {&counter, 4}, {tickets, sizeof tickets},
                                    {masks, sizeof masks}, {&total, 4}, {swapped, sizeof swapped}}};
    emu_library *l = emu_text(atomics_text);
    ingot_error error;
    if (pool == NULL) emu_must(l, "k", &c);
    else assert_int_equal(emu_try(l, "k", &c, &error), INGOT_OK);
    emu_library_free(l);
    uint32_t want[BINS] = {0}, mixed = 0;
    uint8_t seen[GROUPS * THREADS] = {0};
    for (uint32_t i = 0; i < GROUPS * THREADS; ++i) {
        ++want[i % 13];
        mixed ^= i;
        assert_true(tickets[i] < GROUPS * THREADS && seen[tickets[i]] == 0);
        seen[tickets[i]] = 1;
    }
    for (int i = 0; i < BINS; ++i) assert_int_equal(bins[i], want[i]);
    assert_int_equal(extremes[0], -1000);
    assert_int_equal(extremes[1], GROUPS * THREADS - 1001);
    assert_int_equal(counter, GROUPS * THREADS);
    assert_int_equal(masks[0], UINT32_MAX);
    assert_int_equal(masks[1], UINT32_MAX << 7);
    assert_int_equal(masks[2], mixed);
    assert_true(total == GROUPS * THREADS * 0.5f);
    assert_int_equal(swapped[0], 4);
    assert_int_equal(swapped[1], 9);
}

static void test_atomics(void **state)
{
    (void)state;
    emu_pool *pool = emu_pool_create(NULL, 4);
    check_atomics(NULL);
    check_atomics(pool);
    emu_pool_free(pool);
}

/* 8 x 8 matrices of a simdgroup: load (plain, transposed, from an origin), multiply, accumulate, fill, store. */
static void test_matrices(void **state)
{
    (void)state;
    float a[16 * 16], b[8 * 8], out[3 * 64] = {0};
    for (int i = 0; i < 256; ++i) a[i] = (float)(i % 17) - 8;
    for (int i = 0; i < 64; ++i) b[i] = (float)(i % 5) - 2;
    const emu_case c = {.threads = {32}, .buffers = {{a, sizeof a}, {b, sizeof b}, {out, sizeof out}}};
    emu_once("kernel void k(device const float *a, device const float *b, device float *out) {\n"
             "  simdgroup_float8x8 x, y, t; simdgroup_load(x, a, 16, ulong2(8, 4)); simdgroup_load(y, b); simdgroup_load(t, b, 8, ulong2(0, 0), true);\n"
             "  simdgroup_float8x8 acc = make_filled_simdgroup_matrix<float, 8, 8>(3.0f); simdgroup_multiply_accumulate(acc, x, y, acc);\n"
             "  simdgroup_store(acc, out, 8); simdgroup_float8x8 p; simdgroup_multiply(p, x, t); simdgroup_store(p, out + 64, 8);\n"
             "  simdgroup_half8x8 d(2.0h); simdgroup_multiply(p, d, y); simdgroup_store(p, out + 128, 8); }",
             &c);
    for (int r = 0; r < 8; ++r) {
        for (int s = 0; s < 8; ++s) {
            double acc = 3, p = 0;
            for (int k = 0; k < 8; ++k) {
                const double x = (double)a[(r + 4) * 16 + k + 8];
                acc += x * (double)b[k * 8 + s];
                p += x * (double)b[s * 8 + k];
            }
            assert_true((double)out[r * 8 + s] == acc && (double)out[64 + r * 8 + s] == p && out[128 + r * 8 + s] == 2 * b[r * 8 + s]);
        }
    }
}

/* Products by cooperative tensors, plain and with both sides turned, against sums in double precision. */
static void test_tensors(void **state)
{
    (void)state;
    float a[16 * 16], b[16 * 32], out[2 * 16 * 32] = {0};
    for (int i = 0; i < 256; ++i) a[i] = (float)(i % 7) - 3;
    for (int i = 0; i < 512; ++i) b[i] = (float)(i % 11) - 5;
    const emu_case c = {.threads = {32}, .buffers = {{a, sizeof a}, {b, sizeof b}, {out, sizeof out}}};
    emu_once("#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>\n"
             "using namespace mpp::tensor_ops;\n"
             "template <bool turned> void product(device const float *A, device const float *B, device float *C, ushort lane) {\n"
             "  constexpr auto how = turned ? matmul2d_descriptor::mode::multiply : matmul2d_descriptor::mode::multiply_accumulate;\n"
             "  constexpr auto d = matmul2d_descriptor(16, 32, 16, turned, turned, true, how); matmul2d<d, execution_simdgroup> op;\n"
             "  auto a = op.template get_left_input_cooperative_tensor<half, float, float>(); auto b = op.template get_right_input_cooperative_tensor<half, float, float>();\n"
             "  auto c = op.template get_destination_cooperative_tensor<decltype(a), decltype(b), float>();\n"
             "  const ushort r = (lane >> 2 & 4) | (lane >> 1 & 3), q = ((lane >> 2 & 2) | (lane & 1)) * 4;\n"
             "  for (int i = 0; i < 8; ++i) { const int m = r + i / 4 * 8, n = q + i % 4; a[i] = half(A[m * 16 + n]); c[i] = 1; c[8 + i] = 2;\n"
             "    b[i] = turned ? B[m * 16 + n] : B[m * 32 + n]; b[8 + i] = turned ? B[(m + 16) * 16 + n] : B[m * 32 + 16 + n]; }\n"
             "  op.run(a, b, c);\n"
             "  for (int i = 0; i < 8; ++i) { const int m = r + i / 4 * 8, n = q + i % 4; C[m * 32 + n] = c[i]; C[m * 32 + 16 + n] = c[8 + i]; } }\n"
             "kernel void k(device const float *A, device const float *B, device float *C, ushort lane [[thread_index_in_simdgroup]]) {\n"
             "  product<false>(A, B, C, lane); product<true>(A, B, C + 512, lane); }",
             &c);
    for (int m = 0; m < 16; ++m) {
        for (int n = 0; n < 32; ++n) {
            double plain = n < 16 ? 1 : 2, turned = 0;
            for (int k = 0; k < 16; ++k) {
                plain += (double)a[m * 16 + k] * (double)b[k * 32 + n];
                turned += (double)a[k * 16 + m] * (double)b[n * 16 + k];
            }
            assert_true((double)out[m * 32 + n] == plain && (double)out[512 + m * 32 + n] == turned);
        }
    }
    emu_refused("#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>\n"
                "kernel void k() { constexpr auto d = mpp::tensor_ops::matmul2d_descriptor(8, 16, 16); mpp::tensor_ops::matmul2d<d, execution_simdgroup> op; }",
                "sides of a product by a simdgroup are multiples of 16 here");
}

/* A barrier that some threads of a threadgroup do not reach is an error; one that a whole threadgroup skips is none. */
static void test_divergent_barrier(void **state)
{
    (void)state;
    int32_t out[256] = {0};
    const emu_case c = {.groups = {4}, .threads = {64}, .buffers = {{out, sizeof out}}};
    emu_fails("kernel void k(device int *out, uint t [[thread_position_in_threadgroup]]) {\n"
              "  if (t < 40) { out[t] = 1;\n    threadgroup_barrier(mem_flags::mem_threadgroup); } out[t] = 2; }",
              &c, INGOT_DEVICE, "test.metal:5:5: barrier in divergent control flow");
    emu_fails("kernel void k(device int *out, uint t [[thread_position_in_threadgroup]]) {\n"
              "  for (uint n = 0; n < t; ++n) threadgroup_barrier(mem_flags::mem_threadgroup); out[t] = 2; }",
              &c, INGOT_DEVICE, "barrier in divergent control flow");
    memset(out, 0, sizeof out);
    emu_once("kernel void k(device int *out, uint i [[thread_position_in_grid]], uint b [[threadgroup_position_in_grid]],\n"
             "  uint t [[thread_position_in_threadgroup]]) { threadgroup int m[64];\n"
             "  for (uint n = 0; n < b; ++n) { m[t] = int(i + n); threadgroup_barrier(mem_flags::mem_threadgroup);\n"
             "    out[i] += m[63 - t]; threadgroup_barrier(mem_flags::mem_threadgroup); if (b == 3 && n == 1) return; } }",
             &c);
    for (int i = 0; i < 256; ++i) {
        const int b = i / 64, trips = b == 3 ? 2 : b;
        int32_t s = 0;
        for (int n = 0; n < trips; ++n) s += b * 64 + 63 - i % 64 + n;
        assert_int_equal(out[i], s);
    }
}

/* Threadgroup memory whose length the launch gives. */
static void test_lengths(void **state)
{
    (void)state;
    int32_t out[3 * 32];
    const emu_case c = {.groups = {3}, .threads = {32}, .buffers = {{out, sizeof out}}, .lengths = {0, 128, 64}};
    emu_once("kernel void k(device int *out, threadgroup int *m [[threadgroup(1)]], threadgroup short *h [[threadgroup(2)]],\n"
             "  uint i [[thread_position_in_grid]], uint t [[thread_position_in_threadgroup]]) {\n"
             "  m[t] = int(i) * 2; h[31 - t] = short(i); threadgroup_barrier(mem_flags::mem_threadgroup); out[i] = m[31 - t] + h[t]; }",
             &c);
    for (int i = 0; i < 96; ++i) {
        const int other = i / 32 * 32 + 31 - i % 32;
        assert_int_equal(out[i], other * 2 + other);
    }
}

/* The first fault in the order of the threadgroups is the one told, whoever runs first. */
static void test_first_fault(void **state)
{
    (void)state;
    int32_t out[64];
    emu_pool *pool = emu_pool_create(NULL, 4);
    const emu_case c = {.groups = {5000}, .threads = {128}, .pool = pool, .buffers = {{out, sizeof out}}};
    for (int round = 0; round < 5; ++round)
        emu_fails("kernel void k(device int *out, uint b [[threadgroup_position_in_grid]], uint t [[thread_position_in_threadgroup]])\n"
                  "{ int s = 0; for (uint n = 0; n < 20 + b % 50; ++n) s += int(n * t); if (b > 1234 && t == 17) out[b] = s; }",
                  &c, INGOT_DEVICE, "thread (17, 0, 0) of threadgroup (1235, 0, 0)");
    emu_pool_free(pool);
}

/* The same bits from one worker and from many, on every instruction set. */
static void test_same_everywhere(void **state)
{
    (void)state;
    enum { N = 60000 };
    static float in[N], out[N], first[N];
    uint32_t seed = 11;
    for (int i = 0; i < N; ++i) in[i] = (float)(int32_t)emu_random(&seed) * 0x1p-28f;
    emu_library *l = emu_text("kernel void k(device const float *in, device float *out, uint i [[thread_position_in_grid]]) { float x = in[i];\n"
                              "  float s = 0; for (int n = 0; n < int(abs(x) * 3); ++n) { s = s * 0.99f + exp(-x * float(n)) - tanh(x + s); if (s > 50) break; }\n"
                              "  half h = half(x) * half(s); out[i] = s + sin(x) * cos(s) + float(h) + pow(abs(x), 0.3f) + log(1 + abs(s)); }");
    emu_pool *pool = emu_pool_create(NULL, 4);
    bool begun = false;
    static const uint32_t sizes[] = {100, 300, 20, 1000};
    for (unsigned isa = 0; emu_isa_name(isa) != NULL; ++isa) {
        emu_isa_select(l, isa);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
            const emu_case c = {.groups = {N / sizes[s]}, .threads = {sizes[s]}, .pool = s % 2 == 0 ? pool : NULL,
                                .buffers = {{in, sizeof in}, {out, sizeof out}}};
            emu_must(l, "k", &c);
            if (!begun) memcpy(first, out, sizeof first);
            begun = true;
            assert_memory_equal(out, first, sizeof out);
        }
    }
    emu_pool_free(pool);
    emu_library_free(l);
}

/* Data moved within runs of `modulo` lanes, the gap filled from the other end of the filling. Lane l holds l, its filling 100 + l. */
static void test_shuffle_and_fill(void **state)
{
    (void)state;
    enum { N = 64 };
    int32_t up[N], down[N], by8[N], quads[N];
    const emu_case c = {.threads = {N}, .buffers = {{up, sizeof up}, {down, sizeof down}, {by8, sizeof by8}, {quads, sizeof quads}}};
    emu_once("kernel void k(device int *up, device int *down, device int *by8, device int *quads, uint i [[thread_position_in_grid]]) {\n"
             "  int x = int(i), f = 100 + x; up[i] = simd_shuffle_and_fill_up(x, f, 3); down[i] = simd_shuffle_and_fill_down(x, f, 5);\n"
             "  by8[i] = simd_shuffle_and_fill_up(x, f, ushort(2), ushort(8)); quads[i] = quad_shuffle_and_fill_down(int2(x, f), int2(f, x), 1).x; }",
             &c);
    for (int i = 0; i < N; ++i) {
        assert_int_equal(up[i], i % 32 >= 3 ? i - 3 : 100 + i + 29);
        assert_int_equal(down[i], i % 32 < 27 ? i + 5 : 100 + i - 27);
        assert_int_equal(by8[i], i % 8 >= 2 ? i - 2 : 100 + i + 6);
        assert_int_equal(quads[i], i % 4 < 3 ? i + 1 : 100 + i - 3);
    }
}

/* Which elements a lane holds, as kernels that fill matrices by hand have it: row = (q & 4) + (lane / 2) % 4 and column = (q & 2) * 2 +
 * (lane % 2) * 2 with q = lane / 4. Lane 13: q = 3, row 2, column 6. */
static void test_matrix_elements(void **state)
{
    (void)state;
    float in[64], out[64] = {0}, part[64] = {0};
    for (int i = 0; i < 64; ++i) in[i] = (float)i;
    const emu_case c = {.threads = {32}, .buffers = {{in, sizeof in}, {out, sizeof out}, {part, sizeof part}}};
    emu_once("kernel void k(device float *in, device float *out, device float *part, uint lane [[thread_index_in_simdgroup]]) {\n"
             "  simdgroup_float8x8 m; simdgroup_load(m, in); part[lane * 2] = m.thread_elements()[0]; part[lane * 2 + 1] = m.thread_elements()[1];\n"
             "  uint q = lane / 4, row = (q & 4) + (lane / 2) % 4, column = (q & 2) * 2 + (lane % 2) * 2; simdgroup_float8x8 n;\n"
             "  n.thread_elements()[0] = float(row * 10 + column); n.thread_elements()[1] = float(row * 10 + column + 1); simdgroup_store(n, out); }",
             &c);
    assert_true(part[26] == 22 && part[27] == 23); /* lane 13: elements 2 * 8 + 6 and 7 */
    assert_true(part[0] == 0 && part[63] == 63 && part[2] == 2 && part[16] == 4 && part[32] == 32);
    for (int r = 0; r < 8; ++r)
        for (int col = 0; col < 8; ++col) assert_true(out[r * 8 + col] == (float)(r * 10 + col));
}

/* A branch on what is the group's, with barriers, that ends in one on what is the lane's: one place where all three ways meet. */
static void test_ways_that_meet(void **state)
{
    (void)state;
    enum { N = 64 };
    int32_t a[N], o[2 * N] = {0};
    for (int i = 0; i < N; ++i) a[i] = i == 0 ? 1 : 2 * i;
    const emu_case c = {.threads = {N}, .buffers = {{a, sizeof a}, {o, sizeof o}}};
    emu_once("kernel void k(device const int *a, device int *o, uint t [[thread_position_in_threadgroup]]) { threadgroup int s[64]; int v = a[t];\n"
             "  if (a[0] == 1) { s[t] = v; threadgroup_barrier(mem_flags::mem_threadgroup); v += s[63 - t];\n"
             "    if (s[t] > 40) v += 1000; else o[64 + t] = 1; }\n"
             "  if (a[1] == 2) { threadgroup_barrier(mem_flags::mem_threadgroup); s[t] = v; threadgroup_barrier(mem_flags::mem_threadgroup); v += s[5]; }\n"
             "  o[t] = v; }",
             &c);
    for (int i = 0; i < N; ++i) {
        const int32_t fifth = 126, own = a[i] + a[N - 1 - i] + (a[i] > 40 ? 1000 : 0);
        assert_int_equal(o[i], own + fifth);
        assert_int_equal(o[N + i], a[i] > 40 ? 0 : 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ways_that_meet),
        cmocka_unit_test(test_reduction),     cmocka_unit_test(test_matmul),           cmocka_unit_test(test_positions),
        cmocka_unit_test(test_simdgroups),    cmocka_unit_test(test_partial_simdgroup), cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_matrices),
        cmocka_unit_test(test_tensors),      cmocka_unit_test(test_divergent_barrier), cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_first_fault),   cmocka_unit_test(test_same_everywhere),
        cmocka_unit_test(test_shuffle_and_fill),
        cmocka_unit_test(test_matrix_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
