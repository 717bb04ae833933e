/* The whole pipeline keeps the meaning: programs interpreted as written and as lowered give the same bytes. */
/* labels: full */
#include <math.h>
#include <stdlib.h>

#include "front/script.h"
#include "ir/eval.h"
#include "pass_help.h"

enum { MOST_PARAMS = 8 };

/* The same numbers in every run. */
static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Integers: small ones, and each type's ends; floats: likewise, with the special values. */
static ir_value some_value(ir_type t, size_t i, uint32_t *state)
{
    uint32_t r = next_random(state);
    if (ir_type_is_float(t)) {
        static const double special[] = {0.0, -0.0, 1.0, -1.0, 0.5, 1e30, -1e30, 127.5, -128.9, 255.9, 2147483648.0, -3e9};
        if (i % 7 == 3) return ir_value_float(t, special[r % 12]);
        if (i % 31 == 30) return ir_value_float(t, r % 3 == 0 ? (double)NAN : r % 3 == 1 ? HUGE_VAL : -HUGE_VAL);
        return ir_value_float(t, ((double)(r % 20001) - 10000) / 1000);
    }
    if (i % 9 == 4) return ir_value_int(t, ir_type_min(t));
    if (i % 9 == 7) return ir_value_int(t, ir_type_max(t));
    if (i % 9 == 1) return ir_value_int(t, -1);
    return ir_value_int(t, (int64_t)(r % 41) - 20);
}

static void put_value(void *data, size_t i, ir_value v)
{
    uint64_t bits = ir_value_bits(v);
    size_t bytes = v.type.bits / 8u;
    memcpy((char *)data + i * bytes, &bits, bytes);
}

static ir_value get_value(const void *data, size_t i, ir_type t)
{
    uint64_t bits = 0;
    size_t bytes = t.bits / 8u;
    memcpy(&bits, (const char *)data + i * bytes, bytes);
    return ir_value_from_bits(t, bits);
}

typedef struct run {
    ir_eval_arg args[MOST_PARAMS];
    size_t sizes[MOST_PARAMS]; /* elements */
    int64_t shapes[MOST_PARAMS][4];
} run;

static void make_args(bench *b, const ir_func *f, run *r)
{
    uint32_t state = 12345;
    assert_in_range(f->param_count, 1, MOST_PARAMS);
    for (size_t p = 0; p < f->param_count; ++p) {
        const ir_buffer *buffer = f->params[p].buffer;
        if (buffer == NULL) {
            r->args[p].value = ir_value_int(f->params[p].var->type, 7);
            if (ir_type_is_float(f->params[p].var->type)) r->args[p].value = ir_value_float(f->params[p].var->type, 7.5);
            continue;
        }
        size_t n = 1;
        for (size_t d = 0; d < buffer->shape.n; ++d) {
            int64_t extent = 24; /* symbolic ones */
            (void)ir_const_value(buffer->shape.at[d], &extent);
            r->shapes[p][d] = extent;
            n *= (size_t)extent;
        }
        r->sizes[p] = n;
        ir_type t = buffer->type;
        void *data = arena_zeroed(b->mem, n, t.bits / 8u);
        for (size_t i = 0; i < n; ++i) put_value(data, i, some_value(t, i, &state));
        r->args[p] = (ir_eval_arg){.data = data, .type = t, .shape = r->shapes[p], .ndim = buffer->shape.n};
    }
}

static const ir_module *parse(bench *b, const char *script)
{
    str text = str_format(b->mem, "%s%s", "from tvm.script import tirx as T\nfrom tvm.script import ir as I\n\n", script);
    uint32_t file = source_add(b->mem, &b->sources, STR("test.py"), text);
    front_options none = {0};
    return front_parse(b->mem, &b->sources, file, &none, &b->diags);
}

static void assert_quiet(bench *b)
{
    if (b->diags.errors == 0) return;
    ingot_allocator hook = arena_hook(b->mem);
    buf out = buf_make(&hook);
    diag_render_all(&b->diags, false, &out);
    fail_msg("%.*s", (int)out.n, out.p);
}

static bool close_to(ir_value a, ir_value b, double tolerance)
{
    if (!ir_type_is_float(a.type)) return a.i == b.i;
    if (isnan(a.f) || isnan(b.f)) return isnan(a.f) && isnan(b.f);
    if (a.f == b.f) return true;
    return fabs(a.f - b.f) <= tolerance * fmax(fabs(a.f), fabs(b.f));
}

static void compare(const ir_func *f, const run *want, const run *got, double tolerance)
{
    for (size_t p = 0; p < f->param_count; ++p) {
        if (f->params[p].buffer == NULL) continue;
        ir_type t = f->params[p].buffer->type;
        for (size_t i = 0; i < want->sizes[p]; ++i) {
            ir_value x = get_value(want->args[p].data, i, t), y = get_value(got->args[p].data, i, t);
            if (close_to(x, y, tolerance)) continue;
            if (ir_type_is_float(t)) fail_msg("parameter %zu, element %zu: %.9g, not %.9g", p, i, y.f, x.f);
            fail_msg("parameter %zu, element %zu: %lld, not %lld", p, i, (long long)y.i, (long long)x.i);
        }
    }
}

/* Interprets the script's first function as written and as lowered. */
static const ir_module *same(bench *b, const char *script, double tolerance)
{
    const ir_module *m = parse(b, script);
    assert_quiet(b);
    pass_options options = {.verify = true};
    const ir_module *lowered = pass_run(&b->cx, m, &options);
    assert_quiet(b);
    run want = {0}, got = {0};
    make_args(b, m->funcs[0], &want);
    make_args(b, m->funcs[0], &got);
    str error = {0};
    if (!ir_eval_func(b->mem, m, m->funcs[0], want.args, m->funcs[0]->param_count, NULL, &error)) {
        fail_msg("as written: %.*s", STR_ARG(error));
    }
    if (!ir_eval_func(b->mem, lowered, lowered->funcs[0], got.args, m->funcs[0]->param_count, NULL, &error)) {
        fail_msg("as lowered: %.*s", STR_ARG(error));
    }
    compare(m->funcs[0], &want, &got, tolerance);
    return lowered;
}

/* C[i] = `expression` of a = A[i] and b = B[i], 512 elements. */
static void elementwise(bench *b, const char *type, const char *result, const char *expression, double tolerance)
{
    str script = str_format(b->mem,
                            "@T.prim_func\n"
                            "def main(A: T.Buffer((512,), \"%s\"), B: T.Buffer((512,), \"%s\"), C: T.Buffer((512,), \"%s\")):\n"
                            "    for i in T.thread_binding(512, thread=\"blockIdx.x\"):\n"
                            "        C[i] = %s\n",
                            type, type, result, expression);
    same(b, script.p, tolerance);
}

/* ---- Integers ----------------------------------------------------------------------------------- */

static const char *const signed_types[] = {"int8", "int16", "int32", "int64"};
static const char *const unsigned_types[] = {"uint8", "uint16", "uint32", "uint64"};

BENCH_TEST(integer_arithmetic)
{
    static const char *const forms[] = {
        "A[i] + B[i]",        "A[i] - B[i]",
        "A[i] * B[i]",        "T.min(A[i], B[i])",
        "T.max(A[i], B[i])",  "(A[i] & B[i]) | (A[i] ^ B[i])",
        "T.bitwise_not(A[i])", "T.Select(A[i] < B[i], A[i] - B[i], A[i] * A[i])",
    };
    for (size_t f = 0; f < sizeof forms / sizeof *forms; ++f) {
        for (size_t t = 0; t < 4; ++t) {
            elementwise(b, signed_types[t], signed_types[t], forms[f], 0);
            elementwise(b, unsigned_types[t], unsigned_types[t], forms[f], 0);
        }
    }
}

/* Divisors: constants of both signs, powers of two, values of any sign but 0 (B | 1 is odd). */
BENCH_TEST(integer_division)
{
    static const char *const operators[] = {"T.floordiv", "T.floormod", "T.truncdiv", "T.truncmod"};
    static const char *const divisors[] = {"T.%s(3)", "T.%s(8)", "T.%s(1)", "T.%s(100)", "(B[i] | T.%s(1))"};
    static const char *const negative[] = {"T.%s(-3)", "T.%s(-8)", "T.%s(-1)"};
    for (size_t o = 0; o < 4; ++o) {
        for (size_t t = 0; t < 8; ++t) {
            const char *type = t < 4 ? signed_types[t] : unsigned_types[t - 4];
            for (size_t d = 0; d < (t < 4 ? 8u : 5u); ++d) {
                char divisor[40], expression[100];
                /* The formats are the table's own. */
                const char *form = d < 5 ? divisors[d] : negative[d - 5];
                const char *hole = strstr(form, "%s");
                snprintf(divisor, sizeof divisor, "%.*s%s%s", (int)(hole - form), form, type, hole + 2);
                snprintf(expression, sizeof expression, "%s(A[i], %s)", operators[o], divisor);
                elementwise(b, type, type, expression, 0);
            }
        }
    }
}

/* What ranges prove: an index from -8 on, by 3 and by a positive value. */
BENCH_TEST(division_with_known_ranges)
{
    same(b,
         "@T.prim_func\n"
         "def main(C: T.Buffer((64, 4), \"int32\"), n: T.int32):\n"
         "    for i in T.thread_binding(64, thread=\"threadIdx.x\"):\n"
         "        C[i, 0] = (i - 8) // 3\n"
         "        C[i, 1] = (i - 8) % 3\n"
         "        C[i, 2] = (i - 8) // (T.max(n, 1))\n"
         "        C[i, 3] = (i - 8) % (T.max(n, 1))\n",
         0);
}

BENCH_TEST(shifts)
{
    for (size_t t = 0; t < 8; ++t) {
        const char *type = t < 4 ? signed_types[t] : unsigned_types[t - 4];
        elementwise(b, type, type, "A[i] << 3", 0);
        elementwise(b, type, type, "A[i] >> 2", 0);
        elementwise(b, type, type, "A[i] << B[i]", 0); /* counts below 0 and past the width among them */
        elementwise(b, type, type, "A[i] >> B[i]", 0);
    }
}

BENCH_TEST(integer_builtins)
{
    for (size_t t = 0; t < 4; ++t) elementwise(b, signed_types[t], signed_types[t], "T.abs(A[i])", 0);
    for (size_t t = 2; t < 4; ++t) {
        elementwise(b, signed_types[t], "int32", "T.clz(A[i])", 0);
        elementwise(b, unsigned_types[t], unsigned_types[t], "T.popcount(A[i])", 0);
    }
}

/* ---- Floats -------------------------------------------------------------------------------------- */

/* Out of range to the nearest end, NaN to 0. */
BENCH_TEST(conversions)
{
    for (size_t t = 0; t < 8; ++t) {
        const char *type = t < 4 ? signed_types[t] : unsigned_types[t - 4];
        str cast = str_format(b->mem, "T.Cast(\"%s\", A[i])", type);
        elementwise(b, "float32", type, cast.p, 0);
        elementwise(b, "float16", type, cast.p, 0);
        elementwise(b, type, "float32", "T.Cast(\"float32\", A[i])", 0);
    }
    elementwise(b, "float32", "int8", "T.Cast(\"int8\", T.max(T.min(T.round(A[i]), T.float32(127)), T.float32(-128)))", 0);
}

BENCH_TEST(extremes_keep_nan)
{
    elementwise(b, "float32", "float32", "T.max(A[i], B[i])", 0);
    elementwise(b, "float32", "float32", "T.min(A[i], B[i])", 0);
    elementwise(b, "float32", "float32", "T.max(A[i], T.float32(0))", 0);
    elementwise(b, "float16", "float16", "T.min(T.float16(1), A[i])", 0);
}

BENCH_TEST(classification)
{
    elementwise(b, "float32", "bool", "T.isnan(A[i])", 0);
    elementwise(b, "float32", "bool", "T.isinf(A[i])", 0);
    elementwise(b, "float16", "bool", "T.isfinite(A[i])", 0);
}

/* 1e-6 is some 8 units in the last place. */
BENCH_TEST(mathematics)
{
    static const char *const forms[] = {
        "T.erf(A[i])", "T.sigmoid(A[i])", "T.log1p(T.abs(A[i]))", "T.tanh(A[i])", "T.hypot(A[i], B[i])",
        "T.if_then_else(A[i] > B[i], T.erf(A[i]), T.max(A[i], B[i]))",
    };
    for (size_t f = 0; f < sizeof forms / sizeof *forms; ++f) {
        elementwise(b, "float32", "float32", forms[f], 1e-6);
        elementwise(b, "float16", "float16", forms[f], 2e-3);
    }
    elementwise(b, "float32", "float32", "T.nextafter(A[i], B[i])", 0);
    elementwise(b, "float16", "float16", "T.nextafter(A[i], B[i])", 0);
}

/* Types that are stored as bits: each operation rounds to them. */
BENCH_TEST(small_floats)
{
    static const char *const types[] = {"bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e3m4", "float8_e4m3"};
    for (size_t t = 0; t < sizeof types / sizeof *types; ++t) {
        str cast = str_format(b->mem, "T.Cast(\"%s\", A[i])", types[t]);
        elementwise(b, "float32", types[t], cast.p, 0);
        elementwise(b, "float16", types[t], cast.p, 0);
        elementwise(b, types[t], "float32", "T.Cast(\"float32\", A[i])", 0);
        elementwise(b, types[t], types[t], "A[i] + B[i]", 0);
        elementwise(b, types[t], types[t], "A[i] * B[i] - A[i]", 0);
        elementwise(b, types[t], types[t], "T.max(A[i], B[i])", 0);
        elementwise(b, types[t], "bool", "A[i] < B[i]", 0);
        elementwise(b, types[t], types[t], "T.if_then_else(A[i] > B[i], A[i], -B[i])", 0);
    }
    elementwise(b, "bfloat16", "bfloat16", "T.sqrt(T.abs(A[i]))", 0);
    elementwise(b, "bfloat16", "uint16", "T.reinterpret(\"uint16\", A[i] + B[i] * T.bfloat16(0))", 0);
}

/* ---- Threads ------------------------------------------------------------------------------------- */

/* Sums over threads in each of the three ways, and over axes that are not the lowest. */
BENCH_TEST(reductions)
{
    static const struct {
        int z, y, x;
        const char *axes;
    } shapes[] = {
        {1, 1, 32, "tx"},   {1, 4, 16, "tx"},  {1, 4, 32, "tx"},      {1, 2, 64, "tx"}, {1, 1, 256, "tx"}, {1, 3, 12, "tx"},
        {1, 1, 100, "tx"},  {1, 8, 16, "ty"},  {1, 8, 16, "tx, ty"},  {2, 4, 8, "tx, tz"}, {2, 4, 8, "tx, ty, tz"}, {1, 1, 2, "tx"},
    };
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s) {
        int z = shapes[s].z, y = shapes[s].y, x = shapes[s].x;
        str script = str_format(
            b->mem,
            "@T.prim_func\n"
            "def main(A: T.Buffer((2, %d, %d, %d), \"int32\"), C: T.Buffer((2, %d, %d, %d), \"int32\")):\n"
            "    bx = T.launch_thread(\"blockIdx.x\", 2)\n"
            "    tz = T.launch_thread(\"threadIdx.z\", %d)\n"
            "    ty = T.launch_thread(\"threadIdx.y\", %d)\n"
            "    tx = T.launch_thread(\"threadIdx.x\", %d)\n"
            "    out = T.alloc_buffer((1,), \"int32\", scope=\"local\")\n"
            "    with T.attr(T.comm_reducer(lambda p, q: p + q, [T.int32(0)]), \"reduce_scope\", T.int32(0)):\n"
            "        T.evaluate(T.tvm_thread_allreduce(T.uint32(1), A[bx, tz, ty, tx], True, out[0], %s))\n"
            "    C[bx, tz, ty, tx] = out[0]\n",
            z, y, x, z, y, x, z, y, x, shapes[s].axes);
        const ir_module *m = same(b, script.p, 0);
        assert_int_equal(count_calls(m->funcs[1]->body, IR_FN_ALLREDUCE), 0);
    }
}

/* The same memory again in a loop: the next round must wait for the last one's readers. */
BENCH_TEST(reductions_in_a_loop)
{
    same(b,
         "@T.prim_func\n"
         "def main(A: T.Buffer((5, 64), \"int32\"), C: T.Buffer((5, 64), \"int32\")):\n"
         "    tx = T.launch_thread(\"threadIdx.x\", 64)\n"
         "    out = T.alloc_buffer((1,), \"int32\", scope=\"local\")\n"
         "    for k in range(5):\n"
         "        with T.attr(T.comm_reducer(lambda p, q: T.max(p, q), [T.int32(-2147483647)]), \"reduce_scope\", T.int32(0)):\n"
         "            T.evaluate(T.tvm_thread_allreduce(T.uint32(1), A[k, tx], tx != 3, out[0], tx))\n"
         "        C[k, tx] = out[0]\n",
         0);
}

BENCH_TEST(barriers_by_themselves)
{
    same(b,
         "@T.prim_func\n"
         "def main(A: T.Buffer((128,), \"int32\"), C: T.Buffer((128,), \"int32\")):\n"
         "    tx = T.launch_thread(\"threadIdx.x\", 128)\n"
         "    S = T.alloc_buffer((128,), \"int32\", scope=\"shared\")\n"
         "    S[tx] = A[tx]\n"
         "    for k in range(4):\n"
         "        x: T.let = S[(tx + 33) % 128]\n"
         "        S[tx] = x * 3 + k\n"
         "    if tx < 64:\n"
         "        S[tx] = S[127 - tx]\n"
         "        y: T.let = S[tx] + 1\n"
         "        C[tx] = S[63 - tx] + y\n"
         "    else:\n"
         "        C[tx] = S[tx]\n",
         0);
}

BENCH_TEST(virtual_threads)
{
    same(b,
         "@T.prim_func\n"
         "def main(A: T.Buffer((128,), \"int32\"), C: T.Buffer((128,), \"int32\")):\n"
         "    for vx in T.thread_binding(4, thread=\"vthread.x\"):\n"
         "        for tx in T.thread_binding(32, thread=\"threadIdx.x\"):\n"
         "            C[vx * 32 + tx] = A[vx * 32 + tx] * 2\n",
         0);
    same(b,
         "@T.prim_func\n"
         "def main(A: T.Buffer((64,), \"int32\"), C: T.Buffer((64,), \"int32\")):\n"
         "    for tx in T.thread_binding(32, thread=\"threadIdx.x\"):\n"
         "        for vx in T.thread_binding(2, thread=\"vthread\"):\n"
         "            a = T.alloc_buffer((1,), \"int32\", scope=\"local\")\n"
         "            a[0] = A[vx * 32 + tx]\n"
         "            for k in range(3):\n"
         "                a[0] = a[0] * 2 + k\n"
         "            C[vx * 32 + tx] = a[0]\n",
         0);
}

BENCH_TEST(vector_loops)
{
    same(b,
         "@T.prim_func\n"
         "def main(A: T.Buffer((32, 8), \"float32\"), C: T.Buffer((32, 8), \"float32\"), D: T.Buffer((32, 6), \"int8\")):\n"
         "    for tx in T.thread_binding(32, thread=\"threadIdx.x\"):\n"
         "        for v in T.vectorized(8):\n"
         "            C[tx, v] = A[tx, 7 - v] * T.float32(2) + T.Cast(\"float32\", v)\n"
         "        for v in T.vectorized(6):\n"
         "            D[tx, v] = D[tx, v] * T.int8(3) + T.Cast(\"int8\", tx // 5 + v)\n",
         0);
}

/* Vectors of 8, 6 and 3 lanes, as ramps, as elements and as bool vectors. */
BENCH_TEST(wide_vectors)
{
    same(b,
         "@T.prim_func\n"
         "def main(A: T.Buffer((128,), \"float32\"), C: T.Buffer((128,), \"float32\"), D: T.Buffer((96,), \"int8\")):\n"
         "    for tx in T.thread_binding(16, thread=\"threadIdx.x\"):\n"
         "        C[T.ramp(tx * 8, 1, 8)] = T.max(A[T.ramp(tx * 8, 1, 8)], T.broadcast(T.float32(0.5), 8)) + C[T.ramp(tx * 8 + 7, -1, 8)]\n"
         "        D[T.ramp(tx * 6, 1, 6)] = D[T.ramp(tx * 6, 1, 6)] * T.broadcast(T.int8(3), 6)\n",
         0);
    same(b,
         "@T.prim_func\n"
         "def main(A: T.Buffer((64,), \"float32\"), C: T.Buffer((64,), \"float32\")):\n"
         "    for tx in T.thread_binding(8, thread=\"threadIdx.x\"):\n"
         "        v: T.let = A[T.ramp(tx * 8, 1, 8)] * T.broadcast(T.float32(2), 8)\n"
         "        w: T.let = T.Select(v < T.broadcast(T.float32(1), 8), v, -v)\n"
         "        C[T.ramp(tx * 8, 1, 8)] = T.exp(w)\n",
         1e-6);
}

/* ---- Host ---------------------------------------------------------------------------------------- */

BENCH_TEST(host_loops_and_temporaries)
{
    same(b,
         "@T.prim_func\n"
         "def main(A: T.Buffer((\"n\",), \"int32\"), C: T.Buffer((\"n\",), \"int32\")):\n"
         "    n = T.int32()\n"
         "    D = T.alloc_buffer((n,), \"int32\")\n"
         "    for i in T.thread_binding(n, thread=\"blockIdx.x\"):\n"
         "        D[i] = A[i] + 1\n"
         "    for h in range(3):\n"
         "        for i in T.thread_binding((n + 7) // 8, thread=\"blockIdx.x\"):\n"
         "            for j in T.thread_binding(8, thread=\"threadIdx.x\"):\n"
         "                if i * 8 + j < n:\n"
         "                    C[i * 8 + j] = C[i * 8 + j] * h + D[i * 8 + j]\n",
         0);
}

/* ---- What is refused ------------------------------------------------------------------------------ */

static void refused(bench *b, const char *script, const char *part)
{
    const ir_module *m = parse(b, script);
    assert_quiet(b);
    assert_null(pass_run(&b->cx, m, NULL));
    assert_one_error(b, part);
}

BENCH_TEST(refuses_host_access)
{
    refused(b,
            "@T.prim_func\n"
            "def main(B: T.Buffer((16,), \"float32\")):\n"
            "    for i in range(16):\n"
            "        B[i] = T.float32(1)\n",
            "Did you forget to bind");
}

BENCH_TEST(refuses_too_many_threads)
{
    refused(b,
            "@T.prim_func\n"
            "def main(B: T.Buffer((2048,), \"float32\")):\n"
            "    for i in T.thread_binding(512, thread=\"threadIdx.x\"):\n"
            "        B[i] = T.float32(1)\n",
            "'main_kernel' has 512 threads a threadgroup, the target allows 256");
}

/* 15 * 547 + 1 floats are 32824 bytes, 32832 with the next 16-byte boundary. */
BENCH_TEST(refuses_too_much_memory)
{
    refused(b,
            "@T.prim_func\n"
            "def main(B: T.Buffer((16,), \"float32\")):\n"
            "    tx = T.launch_thread(\"threadIdx.x\", 16)\n"
            "    S = T.alloc_buffer((8206,), \"float32\", scope=\"shared\")\n"
            "    S[tx * 547] = T.float32(1)\n"
            "    B[tx] = S[tx * 547]\n",
            "uses 32832 bytes of threadgroup memory, the target allows 32768");
}

BENCH_TEST(refuses_device_memory_in_kernels)
{
    refused(b,
            "@T.prim_func\n"
            "def main(B: T.Buffer((16,), \"float32\")):\n"
            "    tx = T.launch_thread(\"threadIdx.x\", 16)\n"
            "    S = T.alloc_buffer((16,), \"float32\")\n"
            "    S[tx] = T.float32(1)\n"
            "    B[tx] = S[15 - tx]\n",
            "'S' is device memory allocated inside a kernel");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integer_arithmetic),
        cmocka_unit_test(integer_division),
        cmocka_unit_test(division_with_known_ranges),
        cmocka_unit_test(shifts),
        cmocka_unit_test(integer_builtins),
        cmocka_unit_test(conversions),
        cmocka_unit_test(extremes_keep_nan),
        cmocka_unit_test(classification),
        cmocka_unit_test(mathematics),
        cmocka_unit_test(small_floats),
        cmocka_unit_test(reductions),
        cmocka_unit_test(reductions_in_a_loop),
        cmocka_unit_test(barriers_by_themselves),
        cmocka_unit_test(virtual_threads),
        cmocka_unit_test(vector_loops),
        cmocka_unit_test(wide_vectors),
        cmocka_unit_test(host_loops_and_temporaries),
        cmocka_unit_test(refuses_host_access),
        cmocka_unit_test(refuses_too_many_threads),
        cmocka_unit_test(refuses_too_much_memory),
        cmocka_unit_test(refuses_device_memory_in_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
