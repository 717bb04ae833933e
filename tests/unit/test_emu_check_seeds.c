/* Seeded faults, each check's in many shapes, and correct kernels that look like them: every fault is found at its place, with its
 * threads, and nothing else is. */
#include "check_help.h"

enum { COUNT = 256 };
static float a[COUNT], b[COUNT], c[16];
static int32_t n[COUNT];
static uint32_t v[COUNT];

/* Two threadgroups of two simdgroups. Values are the positions. */
static emu_case two_groups(void)
{
    for (int i = 0; i < COUNT; ++i) {
        a[i] = (float)i;
        b[i] = 0;
        n[i] = i;
        v[i] = 0;
    }
    for (int i = 0; i < 16; ++i) c[i] = (float)i;
    emu_case k = {.groups = {2}, .threads = {64},
                  .buffers = {{a, sizeof a}, {b, sizeof b}, {n, sizeof n}, {v, sizeof v}, {c, sizeof c}}};
    k.lengths[0] = 256;
    return k;
}

/* The body's first line is line 4. */
#define HEAD                                                                                                           \
    "struct pair { float x, y; }; kernel void k(device const float *a [[buffer(0)]], device float *b [[buffer(1)]], "  \
    "device int *n [[buffer(2)]], device uint *v [[buffer(3)]], constant float *c [[buffer(4)]], "                     \
    "threadgroup float *d [[threadgroup(0)]], uint i [[thread_position_in_grid]], "                                    \
    "uint t [[thread_position_in_threadgroup]], uint g [[threadgroup_position_in_grid]], "                             \
    "uint lane [[thread_index_in_simdgroup]]) {\n"
#define SYNC "threadgroup_barrier(mem_flags::mem_threadgroup);"
#define DEVICE "threadgroup_barrier(mem_flags::mem_device);"
/* More barriers than the clock of records counts, and more that records have in common than is kept at a time. */
#define ROUNDS                                                                                                         \
    "if (g == 0) for (uint r = 0; r < 70000; ++r) {\nb[t] += 1;\n" DEVICE "\nv[t] = uint(b[t ^ 32]);\n" DEVICE " }\n"

/* A fault: what is found, on which lines, in what, by which threads of their threadgroups. NOT: that is not looked at, or none. */
enum { NOT = -9999 };
typedef struct seed {
    const char *body;
    emu_rule rule;
    uint32_t first, second; /* lines; 0: none */
    const char *buffer;     /* or NULL */
    int64_t element;
    int thread, other;
} seed;

static bool is_found(const emu_findings *found, const seed *s)
{
    if (found->n != 1) return false;
    const emu_finding *f = &found->at[0];
    if (f->rule != s->rule || f->first.line != s->first || f->second.line != s->second) return false;
    if (s->buffer != NULL && strcmp(f->buffer, s->buffer) != 0) return false;
    if (s->element != NOT && f->element != s->element) return false;
    if (s->thread != NOT && f->first.thread[0] != (uint32_t)s->thread) return false;
    return s->other == NOT || f->second.thread[0] == (uint32_t)s->other;
}

/* What is wrong of all of them is told at once. */
static void find_all(const seed *seeds, size_t count, unsigned checks)
{
    buf wrong = buf_make(&mem_default);
    for (size_t k = 0; k < count; ++k) {
        const emu_case two = two_groups();
        char text[2048];
        (void)snprintf(text, sizeof text, "%s%s", HEAD, seeds[k].body);
        emu_findings found = check_run(text, &two, checks);
        if (!is_found(&found, &seeds[k])) {
            buf_printf(&wrong, "\n%s\n  to be found: %s, lines %u and %u, '%s' element %lld, threads %d and %d; found %zu:\n", seeds[k].body,
                       emu_rule_name(seeds[k].rule), (unsigned)seeds[k].first, (unsigned)seeds[k].second,
                       seeds[k].buffer != NULL ? seeds[k].buffer : "", (long long)seeds[k].element, seeds[k].thread, seeds[k].other, found.n);
            for (size_t i = 0; i < found.n; ++i) {
                emu_finding_render(&found.at[i], false, &wrong);
                buf_printf(&wrong, "  element %lld of '%s'\n", (long long)found.at[i].element, found.at[i].buffer);
            }
        }
        emu_findings_free(&found);
    }
    if (wrong.n != 0) fail_msg("%.*s", (int)wrong.n, wrong.p);
    buf_free(&wrong);
}

static void find_none(const char *const *bodies, size_t count)
{
    buf wrong = buf_make(&mem_default);
    for (size_t k = 0; k < count; ++k) {
        const emu_case two = two_groups();
        char text[2048];
        (void)snprintf(text, sizeof text, "%s%s", HEAD, bodies[k]);
        emu_findings found = check_run(text, &two, EMU_CHECK_ALL);
        for (size_t i = 0; i < found.n; ++i) emu_finding_render(&found.at[i], false, &wrong);
        emu_findings_free(&found);
    }
    if (wrong.n != 0) fail_msg("nothing was to be found:\n%.*s", (int)wrong.n, wrong.p);
    buf_free(&wrong);
}

#define FIND_ALL(seeds, checks) find_all(seeds, sizeof seeds / sizeof *seeds, checks)
#define FIND_NONE(bodies) find_none(bodies, sizeof bodies / sizeof *bodies)

static void test_races(void **state)
{
    (void)state;
    static const seed seeds[] = {
        /* in place, with a neighbour */
        {"float x = b[i + 1];\nb[i] = x; }", EMU_FAULT_RACE_GRID, 5, 4, "b", 64, 0, 63},
        /* by the place in the threadgroup instead of that in the grid */
        {"v[t] = i; }", EMU_FAULT_RACE_GRID, 4, 4, "v", 0, 0, 0},
        /* the last rounds of a tree without barriers, as if simdgroups ran in step */
        {"threadgroup float s[64]; s[t] = a[i]; " SYNC "\nfor (uint d = 32; d > 0; d /= 2) if (t < d)\ns[t] += s[t + d];\n"
         "if (t == 0) b[g] = s[0]; }",
         EMU_FAULT_RACE_SIMD, 6, 6, "s", 16, 0, 16},
        /* a barrier with the other memory's flag */
        {"b[i] = a[i];\n" SYNC "\nv[i] = uint(b[i ^ 32]); }", EMU_FAULT_RACE_GROUP, 6, 4, "b", 32, 0, 32},
        /* vectors that overlap in part */
        {"device packed_float3 *p = (device packed_float3 *)(b + t * 2);\nif (g == 0) *p = packed_float3(1); }", EMU_FAULT_RACE_GROUP,
         5, 5, "b", NOT, 32, 31},
        /* a byte of a word that another thread reads; halves of a float */
        {"device uchar *p = (device uchar *)v;\np[i] = 1;\nif (i % 4 == 0) b[i / 4] = v[i / 4]; }", EMU_FAULT_RACE_SIMD, 6, 5, "v", 0,
         0, 1},
        {"device half *p = (device half *)b;\np[i] = 1;\nif (i % 2 == 0) v[i] = uint(b[i / 2]); }", EMU_FAULT_RACE_SIMD, 6, 5, "b", 0,
         0, 1},
        /* one tile of two simdgroups' matrices */
        {"simdgroup_float8x8 m = simdgroup_float8x8(1);\nif (g == 0) simdgroup_store(m, b, 8); }", EMU_FAULT_RACE_GROUP, 5, 5, "b", NOT,
         NOT, NOT},
        /* counted by atomic operations, read by a plain one */
        {"atomic_fetch_add_explicit((device atomic_uint *)v, 1u, memory_order_relaxed);\nn[i] = int(v[0]); }", EMU_FAULT_RACE_ATOMIC, 5,
         4, "v", 0, 0, 63},
        /* a loop with one barrier in place of two */
        {"threadgroup float s[64]; float x = 0;\nfor (uint r = 0; r < 4; ++r) {\ns[t] = a[i] + r;\n" SYNC
         "\nx += s[t ^ 32]; }\nb[i] = x; }",
         EMU_FAULT_RACE_GROUP, 6, 8, "s", 0, 0, 32},
        /* what one thread sets for all */
        {"threadgroup float s[1]; if (t == 0)\ns[0] = a[i];\nb[i] = s[0]; }", EMU_FAULT_RACE_GROUP, 6, 5, "s", 0, 32, 0},
        /* memory used again before all have read it */
        {"threadgroup float s[64]; s[t] = a[i]; " SYNC "\nfloat x = s[63 - t];\ns[t] = x; b[i] = x; }", EMU_FAULT_RACE_GROUP, 6, 5, "s",
         0, 0, 63},
        /* several threads of one bucket */
        {"threadgroup uint h[4];\nh[t % 4] = t;\n" SYNC " if (t < 4) v[g * 4 + t] = h[t]; }", EMU_FAULT_RACE_GROUP, 5, 5, "h", 0, 32,
         28},
        /* read by the own threadgroup behind a barrier, and by the other */
        {"if (g == 0) b[t] = a[t];\n" DEVICE "\nv[i] = uint(b[t ^ 32]); }", EMU_FAULT_RACE_GRID, 6, 4, "b", 32, 0, 32},
        /* an atomic read before an atomic write by the thread whose plain write comes then */
        {"device atomic_uint *u = (device atomic_uint *)v;\nif (i == 0) n[0] = int(atomic_load_explicit(u, memory_order_relaxed));\n"
         "if (i == 40) atomic_store_explicit(u, 1u, memory_order_relaxed);\nif (i == 40) v[0] = 2; }",
         EMU_FAULT_RACE_ATOMIC, 7, 5, "v", 0, 40, 0},
        /* one member by two threads */
        {"device pair *p = (device pair *)b;\np[i / 2].x = a[i]; }", EMU_FAULT_RACE_SIMD, 5, 5, "b", 0, 1, 0},
        /* tiles that overlap by one element */
        {"b[g * 63 + t] = a[i]; }", EMU_FAULT_RACE_GRID, 4, 4, "b", 63, 0, 63},
        /* what was done at the end of many rounds is still known */
        {ROUNDS "else if (t == 0)\nv[100] = uint(b[5]); }", EMU_FAULT_RACE_GRID, 10, 5, "b", 5, 0, 5},
        /* a simdgroup's barrier for what two simdgroups exchange */
        {"threadgroup float s[64]; s[t] = a[i];\nsimdgroup_barrier(mem_flags::mem_threadgroup);\nb[i] = s[t ^ 32]; }",
         EMU_FAULT_RACE_GROUP, 6, 4, "s", 32, 0, 32},
    };
    FIND_ALL(seeds, 1u << EMU_CHECK_RACE);
}

static void test_no_races(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "b[i] = b[i] * 2 + a[i]; b[i] += 1; }",
        "b[i] = a[i]; " DEVICE " float x = b[i ^ 1] + b[i ^ 32]; " DEVICE " b[i] = x; }",
        "b[i] = a[i] + a[i + 1] + a[i + 2]; }",
        "device uchar *p = (device uchar *)v; p[i] = uchar(i); p[i] += 1; ((device half *)b)[i] = half(p[i]); }",
        "device packed_float3 *p = (device packed_float3 *)b; if (g == 0) p[t] = packed_float3(a[t], a[t + 1], a[t + 2]); }",
        "simdgroup_float8x8 m = simdgroup_float8x8(1), q; device float *p = b + 64 * (t / 32); if (g == 0) { simdgroup_store(m, p, 8); "
        "simdgroup_load(q, p, 8); simdgroup_store(q, p, 8); } }",
        "threadgroup atomic_uint h[4]; if (t < 4) atomic_store_explicit(&h[t], 0u, memory_order_relaxed); " SYNC
        " atomic_fetch_add_explicit(&h[t % 4], 1u, memory_order_relaxed); " SYNC
        " if (t < 4) v[g * 4 + t] = ((threadgroup uint *)h)[t]; }",
        "threadgroup float s[64]; float x = 0; for (uint r = 0; r < 4; ++r) { s[t] = a[i] + r; " SYNC " x += s[t ^ 32]; " SYNC
        " } b[i] = x; }",
        "threadgroup float s[1]; for (uint r = 0; r < 3; ++r) { if (t == r) s[0] = a[i]; " SYNC " b[i] += s[0]; " SYNC " } }",
        "device pair *p = (device pair *)b; if (i % 2 == 0) p[i / 2].x = 1; else p[i / 2].y = 2; }",
        "device atomic_uint *u = (device atomic_uint *)v; if (i == 0) n[0] = int(atomic_load_explicit(u, memory_order_relaxed)); "
        "if (i == 40) atomic_store_explicit(u, 1u, memory_order_relaxed); }",
        /* rows of two tiles side by side, each by its threadgroup: within one line of records */
        "b[(t / 8) * 16 + g * 8 + t % 8] = a[i]; b[(t / 8) * 16 + g * 8 + t % 8] += 1; }",
        "v[i] = uint(b[200 + t % 8]); if (t == 0) b[g] = 1; }",
        "threadgroup float s[64]; s[t] = a[i]; simdgroup_barrier(mem_flags::mem_threadgroup); b[i] = s[t ^ 16]; }",
        ROUNDS "}",
        /* one simdgroup hands to the next, round by round */
        "threadgroup float s[64]; s[t] = 0; " SYNC " for (uint r = 0; r < 2; ++r) { if (t / 32 == r) s[t] += s[t ^ 32] + 1; " SYNC
        " } b[i] = s[t]; }",
    };
    FIND_NONE(bodies);
}

static void test_bounds(void **state)
{
    (void)state;
    static const seed seeds[] = {
        {"b[i * 2 + 2] = 1; }", EMU_FAULT_BOUNDS, 4, 0, "b", 256, 63, NOT},
        {"b[i] = a[int(t) - 1]; }", EMU_FAULT_BOUNDS, 4, 0, "a", -1, 0, NOT},
        {"b[i] = ((device const float4 *)a)[i].x; }", EMU_FAULT_BOUNDS, 4, 0, "a", 256, 0, NOT},
        {"float2 w = *(device const float2 *)(a + 255); b[i] = w.x; }", EMU_FAULT_BOUNDS, 4, 0, "a", NOT, 0, NOT},
        {"packed_float3 p = ((device const packed_float3 *)a)[85]; b[i] = p.x; }", EMU_FAULT_BOUNDS, 4, 0, "a", 85, 0, NOT},
        {"device const float *p = a + 250;\nb[i] = p[t]; }", EMU_FAULT_BOUNDS, 5, 0, "a", 256, 6, NOT},
        {"d[t + 1] = 1; }", EMU_FAULT_BOUNDS, 4, 0, "d", 64, 63, NOT},
        {"float w[2][3]; for (int r = 0; r < 2; ++r) for (int q = 0; q < 3; ++q) w[r][q] = 0;\nb[i] = w[n[i] % 3][0]; }", EMU_FAULT_BOUNDS,
         5, 0, "w", 6, 2, NOT},
        {"b[i] = c[t]; }", EMU_FAULT_BOUNDS, 4, 0, "c", 16, 16, NOT},
        {"atomic_fetch_add_explicit((device atomic_uint *)v + t * 8, 1u, memory_order_relaxed); }", EMU_FAULT_BOUNDS, 4, 0, "v", 256, 32,
         NOT},
        {"simdgroup_float8x8 m;\nsimdgroup_load(m, a + 200, 8);\nsimdgroup_store(m, b, 8); }", EMU_FAULT_BOUNDS, 5, 0, "a", NOT, NOT, NOT},
        {"b[i - 64] = 1; }", EMU_FAULT_BOUNDS, 4, 0, "b", 4294967232, 0, NOT},
        {"device pair *p = (device pair *)b; p[i + 1].y = 1; }", EMU_FAULT_BOUNDS, 4, 0, "b", 257, 63, NOT},
        {"b[t * 128 + g] = 1; }", EMU_FAULT_BOUNDS, 4, 0, "b", 256, 2, NOT},
    };
    FIND_ALL(seeds, 1u << EMU_CHECK_BOUNDS);
    static const char *const bodies[] = {
        "b[255 - i] = a[i + 128]; }",
        "if (g == 0) ((device float4 *)b)[t] = ((device const float4 *)a)[t]; }",
        "if (i + 200 < 256) b[i] = a[i + 200]; }",
        "device const float *p = a + 256; b[i] = p[-1 - int(t)]; }",
        "b[i] = a[clamp(int(i) - 10, 0, 255)]; }",
        "float w[2][3]; for (int r = 0; r < 2; ++r) for (int q = 0; q < 3; ++q) w[r][q] = 0; b[i] = w[n[i] % 2][n[i] % 3]; }",
        "simdgroup_float8x8 m; simdgroup_load(m, a + 192, 8); if (i < 32) simdgroup_store(m, b + 192, 8); }",
        "b[i] = c[t % 16]; }",
        "d[63 - t] = 1; b[i] = d[63 - t]; }",
        "packed_float3 p = ((device const packed_float3 *)a)[84]; b[i] = p.x + p.z; }",
        "atomic_fetch_add_explicit((device atomic_uint *)v + 255, 1u, memory_order_relaxed); }",
        "device pair *p = (device pair *)b; p[i].y = 1; }",
    };
    FIND_NONE(bodies);
}

static void test_alignment(void **state)
{
    (void)state;
    static const seed seeds[] = {
        {"b[i] = ((device const float4 *)(a + 2))[t % 8].x; }", EMU_FAULT_MISALIGNED, 4, 0, "a", NOT, 0, NOT},
        {"b[i] = (*(device const float2 *)(a + t)).x; }", EMU_FAULT_MISALIGNED, 4, 0, "a", NOT, 1, NOT},
        {"((threadgroup float4 *)(d + 2))[t % 8] = float4(1); }", EMU_FAULT_MISALIGNED, 4, 0, "d", NOT, 0, NOT},
        {"((device half4 *)((device half *)b + 2))[t] = half4(1); }", EMU_FAULT_MISALIGNED, 4, 0, "b", NOT, 0, NOT},
        {"v[i] = *(device const uint *)((device const char *)n + t + 1); }", EMU_FAULT_MISALIGNED, 4, 0, "n", NOT, 0, NOT},
        {"b[i] = *(device const short *)((device const char *)n + t); }", EMU_FAULT_MISALIGNED, 4, 0, "n", NOT, 1, NOT},
        {"device const float4x4 *m = (device const float4x4 *)(a + 4 + t * 2);\nb[i] = (*m)[0].x; }", EMU_FAULT_MISALIGNED, 5, 0, "a", NOT, 1,
         NOT},
        {"b[i] = ((constant float2 *)(c + 1))[t % 4].x; }", EMU_FAULT_MISALIGNED, 4, 0, "c", NOT, 0, NOT},
        {"device long *q = (device long *)(n + 1 + t % 2);\nv[i] = uint(*q); }", EMU_FAULT_MISALIGNED, 5, 0, "n", NOT, 0, NOT},
        {"b[i] = ((device const float3 *)(a + 3))[t % 4].x; }", EMU_FAULT_MISALIGNED, 4, 0, "a", NOT, 0, NOT},
        {"device atomic_uint *u = (device atomic_uint *)((device char *)v + 2);\natomic_fetch_add_explicit(u, 1u, memory_order_relaxed); }",
         EMU_FAULT_ALIGN, 5, 0, "v", NOT, 0, NOT},
    };
    FIND_ALL(seeds, 1u << EMU_CHECK_ALIGNMENT);
    static const char *const bodies[] = {
        "b[i] = ((device const packed_float4 *)(a + 1))[t % 8].x; }",
        "b[i] = ((device const float4 *)(a + 8))[t % 8].x; }",
        "b[i] = (*(device const float2 *)(a + 2 * t)).y; }",
        "if (t < 16) ((threadgroup float4 *)d)[t] = float4(1); }",
        "if (g == 0) ((device half2 *)b)[t] = half2(1); }",
        "v[i] = *(device const uint *)((device const char *)n + 4 * t); }",
        "b[i] = ((constant packed_float2 *)(c + 1))[t % 4].x; }",
        "b[i] = *((device const char *)n + t + 1); }",
        "b[i] = ((device const packed_float3 *)(a + 1))[t].z; }",
        "b[i] = ((device const float3 *)a)[t % 16].z; }",
        "device const float4x4 *m = (device const float4x4 *)(a + 4 * t % 128); b[i] = (*m)[1].x; }",
    };
    FIND_NONE(bodies);
}

static void test_barriers(void **state)
{
    (void)state;
    static const seed seeds[] = {
        {"if (a[i] > 3) {\n" SYNC " } }", EMU_FAULT_BARRIER_BRANCH, 5, 4, NULL, NOT, 4, 3},
        {"for (uint r = 0; r < t; ++r) {\n" SYNC " } }", EMU_FAULT_BARRIER_LOOP, 5, 4, NULL, NOT, 1, 0},
        {"uint r = 0; while (true) {\nif (r++ == t) break;\n" SYNC " } }", EMU_FAULT_BARRIER_LOOP, 6, 5, NULL, NOT, 1, 0},
        {"uint r = 0; do {\n" SYNC "\n} while (++r < t % 4 + 1); }", EMU_FAULT_BARRIER_LOOP, 5, 6, NULL, NOT, 1, NOT},
        {"if (t == 63) return;\n" SYNC " b[i] = 1; }", EMU_FAULT_BARRIER_RETURN, 5, 4, NULL, NOT, 0, 63},
        {"if (t < 32) { if (n[i] % 64 > 2) {\n" SYNC " } } }", EMU_FAULT_BARRIER_BRANCH, 5, 4, NULL, NOT, 3, NOT},
        {"auto f = [&]() {\n" SYNC " };\nif (t < 2) f();\nb[i] = 1; }", EMU_FAULT_BARRIER_BRANCH, 5, 6, NULL, NOT, 0, 63},
        {"if (lane < 31)\nsimdgroup_barrier(mem_flags::mem_device);\nb[i] = 1; }", EMU_FAULT_BARRIER_BRANCH, 5, 4, NULL, NOT, 0, 31},
        {"simdgroup_float8x8 m = simdgroup_float8x8(1);\nif (lane != 3) simdgroup_multiply(m, m, m);\nsimdgroup_store(m, b, 8); }", EMU_FAULT_BARRIER_PARTIAL, 5, 0, NULL, NOT,
         NOT, NOT},
        {"if (t % 2 == 1) {\n" SYNC " } else {\n" SYNC " } }", EMU_FAULT_BARRIER_OTHER, 5, 6, NULL, NOT, 1, 62},
        {"switch (n[i] & 1) {\ncase 0:\n" SYNC " break;\ndefault: b[i] = 1; } }", EMU_FAULT_BARRIER_BRANCH, 6, 4, NULL, NOT, 0, 63},
    };
    FIND_ALL(seeds, 1u << EMU_CHECK_BARRIER);
    static const char *const bodies[] = {
        "if (g == 1) { " SYNC " } b[i] = 1; }",
        "for (uint r = 0; r < g + 2; ++r) { " SYNC " } }",
        "if (g == 0) return; " SYNC " b[i] = 1; }",
        "if (t < 32) simdgroup_barrier(mem_flags::mem_device); b[i] = 1; }",
        "if (t > 5) b[i] = 1; " SYNC " b[i] += 1; }",
        "for (uint r = 0; r < 8; ++r) { if (t > r) b[i] += 1; " SYNC " } }",
        SYNC " if (t < 5) return; b[i] = 1; }",
        "switch (g) { case 0: " SYNC " break; default: " SYNC " } b[i] = 1; }",
        "uint r = 0; while (r < uint(n[3])) { ++r; " SYNC " } }",
        "auto f = [&]() { " SYNC " }; f(); f(); }",
        "if (simd_all(t < 64)) { " SYNC " } }",
        "for (uint r = 0;; ++r) { if (r == uint(n[9])) break; " SYNC " } }",
        "for (uint r = 0; r < 4; ++r) { if (r == t) continue; b[i] += 1; } " SYNC " b[i] += 1; }",
    };
    FIND_NONE(bodies);
}

/* A matrix stored by a part of its simdgroup; by whole simdgroups. */
static void test_collective(void **state)
{
    (void)state;
    static const seed seeds[] = {
        {"simdgroup_float8x8 m = simdgroup_float8x8(1);\nif (g == 0 && t < 40) simdgroup_store(m, b + 64 * (t / 32), 8); }",
         EMU_FAULT_BARRIER_PARTIAL, 5, 0, NULL, NOT, 32, NOT},
        {"simdgroup_float8x8 m = simdgroup_float8x8(1);\nif (lane > 7) simdgroup_load(m, a, 8);\nif (i < 32) simdgroup_store(m, b, 8); }",
         EMU_FAULT_BARRIER_PARTIAL, 5, 0, NULL, NOT, 8, NOT},
    };
    FIND_ALL(seeds, EMU_CHECK_ALL);
    static const char *const bodies[] = {
        "simdgroup_float8x8 m = simdgroup_float8x8(1); if (t < 32) { simdgroup_multiply(m, m, m); simdgroup_store(m, b + 64 * g, 8); } }",
        "if (g == 1) return; simdgroup_float8x8 m; simdgroup_load(m, a + t / 32, 8); simdgroup_store(m, b + 64 * (t / 32), 8); }",
    };
    FIND_NONE(bodies);
}

static void test_unwritten(void **state)
{
    (void)state;
    static const seed seeds[] = {
        {"threadgroup float s[64]; if (t < 32) s[t] = 1; " SYNC "\nb[i] = s[t]; }", EMU_FAULT_UNINIT_THREADGROUP, 5, 0, "s", 32, 32, NOT},
        {"threadgroup float s[64]; if (g == 0) s[t] = 1; " SYNC "\nif (g == 1)\nb[i] = s[t]; }", EMU_FAULT_UNINIT_THREADGROUP, 6, 0, "s", 0,
         0, NOT},
        {"b[i] = d[t]; }", EMU_FAULT_UNINIT_THREADGROUP, 4, 0, "d", 0, 0, NOT},
        {"float4 w; w.x = a[i]; w.z = 1;\nb[i] = w.x + w.y; }", EMU_FAULT_UNINIT_LOCAL, 5, 0, NULL, NOT, 0, NOT},
        {"float w[8]; for (int r = 0; r < 7; ++r) w[r] = r;\nb[i] = w[n[i] & 7]; }", EMU_FAULT_UNINIT_ARRAY, 5, 0, "w", 7, 7, NOT},
        {"float x; switch (n[i] % 3) { case 0: x = 1; break; case 1: x = 2; break; }\nb[i] = x; }", EMU_FAULT_UNINIT_LOCAL, 5, 0, "x", NOT, 2,
         NOT},
        {"pair p; if (t != 4) p.y = 1; p.x = 2;\nb[i] = p.y; }", EMU_FAULT_UNINIT_LOCAL, 5, 0, NULL, NOT, 4, NOT},
        {"if (lane < 8)\nb[i] = simd_shuffle(a[i], 8); }", EMU_FAULT_UNINIT_LANE, 5, 0, NULL, NOT, 0, NOT},
        {"if (lane > 0)\nb[i] = simd_broadcast(a[i], 0); }", EMU_FAULT_UNINIT_LANE, 5, 0, NULL, NOT, 1, NOT},
        {"if (lane % 2 == 0)\nb[i] = simd_shuffle_down(a[i], 1); }", EMU_FAULT_UNINIT_LANE, 5, 0, NULL, NOT, 0, NOT},
        {"float x;\nx += a[i];\nb[i] = x; }", EMU_FAULT_UNINIT_LOCAL, 5, 0, "x", NOT, 0, NOT},
        {"threadgroup pair s[64]; s[t].x = a[i]; " SYNC "\nb[i] = s[t ^ 1].y; }", EMU_FAULT_UNINIT_THREADGROUP, 5, 0, "s", NOT, 0, NOT},
        /* copied into memory before it has all its values */
        {"threadgroup pair s[64]; pair p; p.x = 1; s[t] = p;\n" SYNC "\nb[i] = s[t].y; }", EMU_FAULT_UNINIT_THREADGROUP, 6, 0, "s", NOT,
         0, NOT},
        {"threadgroup pair s[64]; pair p; p.x = 1; if (t != 7) p.y = 2; s[t] = p;\n" SYNC "\nb[i] = s[t].x + s[t].y; }",
         EMU_FAULT_UNINIT_THREADGROUP, 6, 0, "s", NOT, 7, NOT},
        {"pair w[4], p; p.x = a[i]; for (int r = 0; r < 4; ++r) w[r] = p;\nb[i] = w[n[i] & 3].y; }", EMU_FAULT_UNINIT_ARRAY, 5, 0, "w",
         NOT, 0, NOT},
        {"uint q;\nv[i] = i + (q & 3); }", EMU_FAULT_UNINIT_LOCAL, 5, 0, "q", NOT, 0, NOT},
    };
    FIND_ALL(seeds, 1u << EMU_CHECK_UNINITIALISED);
    static const char *const bodies[] = {
        "threadgroup float s[64]; if (t < 32) s[t] = 1; else s[t] = 2; " SYNC " b[i] = s[63 - t]; }",
        "threadgroup float s[64]; if (t < 32) s[t] = 1; " SYNC " b[i] = t < 32 ? s[t] : 0; }",
        "float4 w; w.xy = float2(a[i]); w.zw = w.xy; b[i] = dot(w, w); }",
        "float w[8] = {}; b[i] = w[n[i] & 7]; }",
        "float x; if (n[i] > 3) x = 1; if (n[i] > 3) b[i] = x; }",
        "if (lane < 8) b[i] = simd_shuffle(a[i], 3); }",
        "if (lane % 2 == 0) b[i] = simd_shuffle_xor(a[i], 2); }",
        "if (lane < 16) b[i] = simd_sum(a[i]); }",
        "pair p = {}; b[i] = p.y; }",
        "threadgroup float s; if (t == 0) s = 1; " SYNC " b[i] = s; }",
        "float x; for (int r = 0; r < 3; ++r) { if (r == 0) x = 0; x += 1; } b[i] = x; }",
        "b[i] = simd_shuffle_down(a[i], 16); }",
        "threadgroup pair s[64]; pair p; p.x = a[i]; s[t] = p; " SYNC " b[i] = s[t ^ 1].x; }",
        "threadgroup pair s[64]; pair p; p.x = a[i]; s[t] = p; s[t].y = 1; " SYNC " b[i] = s[t ^ 1].y; }",
        "pair w[4], p; p.x = a[i]; if (i < 200) p.y = 2; for (int r = 0; r < 4; ++r) w[r] = p; b[i] = w[n[i] & 3].y + w[2].x; }",
    };
    FIND_NONE(bodies);
}

static void test_numbers(void **state)
{
    (void)state;
    static const seed seeds[] = {
        {"b[i] = sqrt(a[i] - 1); }", EMU_FAULT_NAN, 4, 0, NULL, NOT, 0, NOT},
        {"b[i] = log(-1 - a[i]); }", EMU_FAULT_NAN, 4, 0, NULL, NOT, 0, NOT},
        {"b[i] = 1 / a[i]; }", EMU_FAULT_INFINITY, 4, 0, NULL, NOT, 0, NOT},
        {"b[i] = rsqrt(a[i]); }", EMU_FAULT_INFINITY, 4, 0, NULL, NOT, 0, NOT},
        {"b[i] = fmod(a[i], 0.0f * a[i]); }", EMU_FAULT_NAN, 4, 0, NULL, NOT, 0, NOT},
        {"b[i] = pow(a[i], 40.0f); }", EMU_FAULT_INFINITY, 4, 0, NULL, NOT, 10, NOT}, /* 10^40 */
        {"half h = half(a[i] + 250);\nb[i] = h * h; }", EMU_FAULT_INFINITY, 5, 0, NULL, NOT, 6, NOT}, /* 256 * 256 */
        {"b[i] = n[i] % (n[i] - 3); }", EMU_FAULT_DIVISION, 4, 0, NULL, NOT, 3, NOT},
        {"b[i] = 7u / v[i]; }", EMU_FAULT_DIVISION, 4, 0, NULL, NOT, 0, NOT},
        {"v[i] = 1u << (n[i] + 1); }", EMU_FAULT_SHIFT, 4, 0, NULL, NOT, 31, NOT},
        {"v[i] = i >> (n[i] % 32 - 1); }", EMU_FAULT_SHIFT, 4, 0, NULL, NOT, 0, NOT},
        {"v[i] = uint(a[i] - 1); }", EMU_FAULT_CONVERSION, 4, 0, NULL, NOT, 0, NOT},
        {"n[i] = int(exp2(a[i])); }", EMU_FAULT_CONVERSION, 4, 0, NULL, NOT, 31, NOT},
        {"n[i] = char(a[i] + 100); }", EMU_FAULT_CONVERSION, 4, 0, NULL, NOT, 28, NOT},
        {"b[i] = a[(n[i] + 1) * 65536 * 65536]; }", EMU_FAULT_INDEX, 4, 0, NULL, NOT, 0, NOT},
        {"b[i] = acos(a[i]); }", EMU_FAULT_NAN, 4, 0, NULL, NOT, 2, NOT},
        {"float x = a[i] * 1e36f;\nb[i] = x * 10 - x; }", EMU_FAULT_INFINITY, 5, 0, NULL, NOT, 35, NOT},
        {"float3 w = float3(a[i], 1, 2) * 2e36f;\nb[i] = (w * 2).x; }", EMU_FAULT_INFINITY, 5, 0, NULL, NOT, 22, NOT}, /* 86 * 4e36 */
    };
    FIND_ALL(seeds, 1u << EMU_CHECK_NUMERICS);
    static const char *const bodies[] = {
        "b[i] = NAN + a[i]; }",
        "b[i] = as_type<float>(0x7fc00000u) * a[i]; }",
        "b[i] = INFINITY * 2 + a[i]; }",
        "float m = -INFINITY; for (int r = 0; r < 4; ++r) m = max(m, a[i + r]); b[i] = exp(a[i] - m); }",
        "v[i] = 1u << 31; n[i] = 1 << (n[i] % 32); }",
        "n[i] = int(2147483520.0f) + int(-2147483648.0f) + int(char(-128.9f)); }",
        "v[i] = uint(uchar(255.9f)) + uint(-0.9f); }",
        "b[i] = n[i] == 0 ? 0 : 7 / n[i]; if (n[i] != 3) b[i] += 9 % (n[i] - 3); }",
        "v[i] = (v[i] + i) * 2654435761u + 12345u; }",
        "b[i] = a[(i * 2654435761u) >> 24]; }",
        "b[i] = exp(-a[i] * 100) + pow(a[i], -0.0f) + atan2(0.0f, a[i]); }",
        "b[i] = isinf(a[i]) || isnan(a[i]) ? 1 : a[i] / max(a[i], 1e-30f); }",
        "half h = half(65504); b[i] = h - half(a[i]); }",
    };
    FIND_NONE(bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_races),    cmocka_unit_test(test_no_races),  cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_alignment), cmocka_unit_test(test_barriers), cmocka_unit_test(test_collective), cmocka_unit_test(test_unwritten),
        cmocka_unit_test(test_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
