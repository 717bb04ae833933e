/* Statements and expressions of scripts: what IR they become, seen through the printer. */
#include "front_help.h"

typedef struct row {
    const char *body;     /* statements of f (see SCRIPT_HEAD) */
    const char *expected; /* the body of the printed function, each line without its eight blanks */
} row;

/* The printed body with its indentation of eight taken off. */
static char *printed_body(const reading *r)
{
    const char *text = r->printed.p, *end = text + r->printed.n;
    for (int lines = 0; lines < 8 && text < end; ++text) lines += *text == '\n';
    char *body = malloc((size_t)(end - text) + 1), *out = body;
    assert_non_null(body);
    bool start = true;
    for (; text < end; ++text) {
        if (start && end - text > 8) text += 8;
        start = *text == '\n';
        *out++ = *text;
    }
    if (out > body) --out; /* the last newline */
    *out = '\0';
    return body;
}

static void check(const row *rows, size_t n)
{
    for (size_t k = 0; k < n; ++k) {
        char *text = script_of_body(SCRIPT_HEAD, rows[k].body);
        reading *r = script_good(str_of(text), (front_options){0});
        char *body = printed_body(r);
        if (strcmp(body, rows[k].expected) != 0)
            fail_msg("%s\nbecame\n%s\nexpected\n%s", rows[k].body, body, rows[k].expected);
        free(body);
        script_free(r);
        free(text);
    }
}
#define CHECK(rows) check(rows, sizeof(rows) / sizeof(rows)[0])

static void test_literals(void **state)
{
    (void)state;
    static const row rows[] = {
        {"A[0] = 1", "A[0] = T.float32(1.0)"},
        {"A[0] = 0.1", "A[0] = T.float32(0.1)"},
        {"H[0] = 0.1", "H[0] = T.float16(0.0999755859375)"},
        {"A[0] = T.float32(\"-inf\")", "A[0] = T.float32(\"-inf\")"},
        {"A[0] = float(\"nan\")", "A[0] = T.float32(\"nan\")"},
        {"A[0] = -0.0", "A[0] = T.float32(-0.0)"},
        {"B[0, 0] = 0x7fff_ffff", "B[0, 0] = 2147483647"},
        {"B[0, 0] = -2147483648", "B[0, 0] = -2147483648"},
        {"C[0] = 300", "C[0] = T.int8(44)"}, /* a store converts as a cast: 300 - 256 */
        {"B[0, 0] = 1.75", "B[0, 0] = 1"},   /* toward zero */
        {"B[0, 0] = True", "B[0, 0] = 1"},
        {"B[0, 0] = 7 // 2 - -7 // 2 + -7 % 4", "B[0, 0] = 8"}, /* 3 - -4 + 1 */
        {"B[0, 0] = 2 ** 5 + (1 << 4) | 1", "B[0, 0] = 49"},
        {"B[0, 0] = int(7 / 2) + len(\"abc\") + max(1, 2) + sum([1, 2])", "B[0, 0] = 11"},
        {"B[0, 0] = [k * k for k in range(6) if k % 2 == 1][2]", "B[0, 0] = 25"},
    };
    CHECK(rows);
}

static void test_promotion(void **state)
{
    (void)state;
    static const row rows[] = {
        /* a float literal is float32, an int literal takes the float's type; comparisons take the
           other's */
        {"H[0] = H[1] * 0.5",
         "H[0] = T.Cast(\"float16\", T.Cast(\"float32\", H[1]) * T.float32(0.5))"},
        {"H[0] = H[1] * 2", "H[0] = H[1] * T.float16(2.0)"},
        {"b2: T.let = H[0] > 0.5", "b2: T.let = H[0] > T.float16(0.5)"},
        {"B[0, 0] = C[0] + 1",
         "B[0, 0] = T.Cast(\"int32\", C[0]) + 1"}, /* an int literal beside int8 is int32 */
        {"C[0] = C[0] + T.int8(1)", "C[0] = C[0] + T.int8(1)"},
        {"y: T.let = i + j", "y: T.let = T.Cast(\"int64\", i) + j"},
        {"y: T.let = T.uint32(1) + i", "y: T.let = T.uint32(1) + T.Cast(\"uint32\", i)"},
        {"y: T.let = x + i", "y: T.let = x + T.Cast(\"float32\", i)"},
        {"y: T.let = j + 5000000000", "y: T.let = j + T.int64(5000000000)"},
        {"y: T.let = b + b", "y: T.let = T.Cast(\"int32\", b) + T.Cast(\"int32\", b)"},
        {"y: T.let = -x", "y: T.let = x * T.float32(-1.0)"},
        {"y: T.let = T.if_then_else(b, 1, x)", "y: T.let = T.if_then_else(b, T.float32(1.0), x)"},
        {"y: T.let = A[0:4] * 2.0",
         "y: T.let = A[T.Ramp(0, 1, 4)] * T.Broadcast(T.float32(2.0), 4)"},
    };
    CHECK(rows);
}

static void test_operators(void **state)
{
    (void)state;
    static const row rows[] = {
        {"y: T.let = (i - (i - 1)) * i // 2 % 3", "y: T.let = (i - (i - 1)) * i // 2 % 3"},
        {"y: T.let = 1 < i < 5", "y: T.let = 1 < i and i < 5"},
        {"y: T.let = not (b or i == 2) and b", "y: T.let = not (b or i == 2) and b"},
        {"y: T.let = i if b else 3", "y: T.let = T.if_then_else(b, i, 3)"},
        {"y: T.let = i if 1 < 2 else 3", "y: T.let = i"},
        {"y: T.let = i << 2 | i >> 1 & ~i ^ 3",
         "y: T.let = i << 2 | i >> 1 & T.bitwise_not(i) ^ 3"},
        {"y: T.let = T.ceildiv(i, 4) + T.truncdiv(i, 3)",
         "y: T.let = (i + 4 - 1) // 4 + T.truncdiv(i, 3)"},
        {"y: T.let = T.min(i, 3) + T.abs(i)", "y: T.let = T.min(i, 3) + T.abs(i)"},
        {"y: T.let = T.Add(1, 2)", "y: T.let = T.Add(1, 2)"}, /* the constructor folds nothing */
        {"y: T.let = T.Cast(\"float32\", i) / 3",
         "y: T.let = T.Cast(\"float32\", i) / T.float32(3.0)"},
        {"y: T.let = T.exp(i)", "y: T.let = T.exp(T.Cast(\"float32\", i))"},
        {"y: T.let = T.isnan(x)", "y: T.let = T.isnan(x)"},
        {"y: T.let = T.Select(b, 1, i)", "y: T.let = T.Select(b, 1, i)"},
        {"y: T.let = T.max_value(\"uint8\") ", "y: T.let = T.uint8(255)"},
        {"y: T.let = T.reinterpret(\"int32\", x)", "y: T.let = T.reinterpret(\"int32\", x)"},
        {"A[0] = T.call_extern(\"float32\", \"g\", x)",
         "A[0] = T.call_extern(\"float32\", \"g\", x)"},
        {"A[0] = T.call_extern(\"g\", x, dtype=\"float32\")",
         "A[0] = T.call_extern(\"float32\", \"g\", x)"},
    };
    CHECK(rows);
}

static void test_variables(void **state)
{
    (void)state;
    static const row rows[] = {
        {"y = x\ny += 1", "y = T.alloc_buffer((1,), \"float32\", scope=\"local\")\ny[0] = x\ny[0] "
                          "= y[0] + T.float32(1.0)"},
        {"y: T.int32 = x",
         "y = T.alloc_buffer((1,), \"int32\", scope=\"local\")\ny[0] = T.Cast(\"int32\", x)"},
        {"y: T.int32\ny = i", "y = T.alloc_buffer((1,), \"int32\", scope=\"local\")\ny[0] = i"},
        {"y: T.float32[4]\ny[1] = x",
         "y = T.alloc_buffer((4,), \"float32\", scope=\"local\")\ny[1] = x"},
        {"y: T.let[T.float32] = i", "y: T.let = T.Cast(\"float32\", i)"},
        {"y = T.bind(i + 1)\nB[0, 0] = y", "y: T.let = i + 1\nB[0, 0] = y"},
        {"k = T.meta_var(3)\nB[0, 0] = k", "B[0, 0] = 3"},
        {"p, q = 1, x\nA[p] = q",
         "p = T.alloc_buffer((1,), \"int32\", scope=\"local\")\np[0] = 1\n"
         "q = T.alloc_buffer((1,), \"float32\", scope=\"local\")\nq[0] = x\nA[p[0]] = q[0]"},
        {"B[0, 0] += 2", "B[0, 0] = B[0, 0] + 2"},
        {"B[i, 0] //= 2", "B[i, 0] = B[i, 0] // 2"},
        {"t = (i, 2)\nB[t[0], t[1]] = B[*t]", "B[i, 2] = B[i, 2]"},
        {"p = A.data\nV = T.decl_buffer((8,), \"float32\", data=p, elem_offset=4)\nV[0] = x",
         "p: T.let[T.handle(\"float32\")] = A.data\nV = T.decl_buffer((8,), \"float32\", data=p, "
         "elem_offset=4)\nV[0] = x"},
        {"p = T.ptr_byte_offset(A.data, 8, \"float16\")\nV = T.decl_buffer((8,), \"float16\", "
         "data=p)\nV[0] = x",
         "p: T.let[T.handle(\"float16\")] = T.handle_add_byte_offset(A.data, 8)\n"
         "V = T.decl_buffer((8,), \"float16\", data=p)\nV[0] = T.Cast(\"float16\", x)"},
        {"y = T.int32()\nB[0, 0] = T.Let(y * y, where={y: i + 1})",
         "y = T.int32()\nB[0, 0] = T.Let(y * y, where={y: i + 1})"},
    };
    CHECK(rows);
}

static void test_control(void **state)
{
    (void)state;
    static const row rows[] = {
        {"if 1 > 2:\n    A[0] = 1\nelse:\n    A[1] = x", "A[1] = x"},
        {"if i > 2:\n    A[0] = x\nelif b:\n    A[1] = x",
         "if i > 2:\n    A[0] = x\nelse:\n    if b:\n        A[1] = x"},
        {"while A[0] < 1.0:\n    A[0] += x\n    if b: break\n    continue",
         "while A[0] < T.float32(1.0):\n    A[0] = A[0] + x\n    if b:\n        break\n    "
         "continue"},
        {"assert i < 4, \"big\"", "assert i < 4, \"big\""},
        {"assert i < 4, (\"ValueError\", [\"a\", \"b\"])",
         "assert i < 4, (\"ValueError\", [\"ab\"])"},
        {"T.evaluate(i)", "T.evaluate(i)"},
        {"T.tvm_storage_sync(\"shared\")", "T.tvm_storage_sync(\"shared\")"},
        {"\"a docstring\"\npass\nA[0] = x", "A[0] = x"},
        {"with T.attr(A.data, \"k\", 1):\n    A[0] = x\nA[1] = x",
         "with T.attr(A.data, \"k\", 1):\n    A[0] = x\nA[1] = x"},
        {"T.attr(A.data, \"k\", 1)\nA[0] = x", "with T.attr(A.data, \"k\", 1):\n    A[0] = x"},
    };
    CHECK(rows);
}

static void test_loops(void **state)
{
    (void)state;
    static const row rows[] = {
        {"for k in range(3): A[k] = x", "for k in range(3):\n    A[k] = x"},
        {"for k in range(i, i + 3): A[k] = x", "for k in range(i, i + 3):\n    A[k] = x"},
        {"for k in range(1, 8, 3): A[k] = x",
         "for k in range(3):\n    A[1 + k * 3] = x"}, /* 1, 4, 7 */
        {"for k in range(0, i, 4): A[k] = x", "for k in range((i + 3) // 4):\n    A[k * 4] = x"},
        {"for k in T.serial(T.int64(4)): A[k] = x", "for k in range(T.int64(4)):\n    A[k] = x"},
        {"for p, q in T.grid(2, (1, 3)): B[p, q] = 0",
         "for p in range(2):\n    for q in range(1, 4):\n        B[p, q] = 0"},
        {"for pq in T.grid(2, 3): B[pq[0], pq[1]] = 0",
         "for pq_0 in range(2):\n    for pq_1 in range(3):\n        B[pq_0, pq_1] = 0"},
        {"for k in T.vectorized(4): A[k] = x", "for k in T.vectorized(4):\n    A[k] = x"},
        {"for k in T.serial(4, unroll=True): A[k] = x",
         "for k in T.serial(4, annotations={\"pragma_unroll\": True}):\n    A[k] = x"},
        {"for k in T.thread_binding(0, 4, thread=\"threadIdx.x\"): A[k] = x",
         "for k in T.thread_binding(4, thread=\"threadIdx.x\"):\n    A[k] = x"},
        {"for k in T.thread_binding(4, \"blockIdx.y\"): A[k] = x",
         "for k in T.thread_binding(4, thread=\"blockIdx.y\"):\n    A[k] = x"},
        {"bx = T.launch_thread(\"blockIdx.x\", 4)\nA[bx] = x",
         "with T.launch_thread(\"blockIdx.x\", 4) as bx:\n    A[bx] = x"},
        {"t = T.env_thread(\"threadIdx.x\")\nwith T.launch_thread(t, 4):\n    A[t] = x\nwith "
         "T.launch_thread(t, 8):\n    A[t] = x",
         "with T.launch_thread(\"threadIdx.x\", 4) as t:\n    A[t] = x\nwith "
         "T.launch_thread(\"threadIdx.x\", 8) as t_1:\n    A[t_1] = x"},
    };
    CHECK(rows);
}

static void test_vectors(void **state)
{
    (void)state;
    static const row rows[] = {
        {"A[0:4] = A[4:8]", "A[T.Ramp(0, 1, 4)] = A[T.Ramp(4, 1, 4)]"},
        {"A[i:i + 4:2] = T.Broadcast(x, 2)", "A[T.Ramp(i, 2, 2)] = T.Broadcast(x, 2)"},
        {"A[i:i + 1] = x", "A[i] = x"},
        {"A[T.ramp(3, 2, 2)] = T.float32x2(1)",
         "A[T.Ramp(3, 2, 2)] = T.Broadcast(T.float32(1.0), 2)"},
        {"A.vstore([2], A.vload([4], \"float32x2\"))", "A[T.Ramp(2, 1, 2)] = A[T.Ramp(4, 1, 2)]"},
        {"A[0] = T.Shuffle([A[0:4]], [3])", "A[0] = T.Shuffle([A[T.Ramp(0, 1, 4)]], [3])"},
        {"A[0:2] = T.vectorhigh(\"float32x2\", A[0:4])",
         "A[T.Ramp(0, 1, 2)] = T.Shuffle([A[T.Ramp(0, 1, 4)]], [2, 3])"},
    };
    CHECK(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_literals),  cmocka_unit_test(test_promotion),
        cmocka_unit_test(test_operators), cmocka_unit_test(test_variables),
        cmocka_unit_test(test_control),   cmocka_unit_test(test_loops),
        cmocka_unit_test(test_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
