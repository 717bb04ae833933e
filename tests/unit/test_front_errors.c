/* Refusals: each by name, at its place, several in one go, none that follow from others. */
#include "front_help.h"

typedef struct row {
    const char *body;      /* statements of f (see SCRIPT_HEAD) */
    unsigned line, column; /* within the body */
    const char *message;
} row;

/* The first message is at that line and column of the whole text and begins like that. */
static void assert_error(const char *text, unsigned line, unsigned column, const char *message)
{
    reading *r = script_read(text);
    char expected[512];
    snprintf(expected, sizeof expected, "x.py:%u:%u: error: %s", line, column, message);
    assert_null(r->module);
    if (strncmp(r->messages.p, expected, strlen(expected)) != 0) {
        fail_msg("%s\ngave\n%s\nexpected\n%s", text, r->messages.p, expected);
    }
    script_free(r);
}

static void check(const row *rows, size_t n)
{
    for (size_t k = 0; k < n; ++k) {
        char *text = script_of_body(SCRIPT_HEAD, rows[k].body);
        assert_error(text, rows[k].line + SCRIPT_HEAD_LINES, rows[k].column + 4, rows[k].message);
        free(text);
    }
}
#define CHECK(rows) check(rows, sizeof(rows) / sizeof(rows)[0])

static void test_values(void **state)
{
    (void)state;
    static const row rows[] = {
        {"A[0] = nothing", 1, 8, "undefined name 'nothing'"},
        {"B[0, 0] = 3000000000", 1, 11, "literal value 3000000000 does not fit int32"},
        {"C[0] = T.int8(300)", 1, 15, "literal value 300 does not fit int8"},
        {"y = i + T.uint8(-1)", 1, 17, "literal value -1 does not fit uint8"},
        {"y = i / 2", 1, 5, "'/' of integers"},
        {"y = x // 2", 1, 5, "operator // is for integers, these are float32"},
        {"y = x & 1", 1, 5, "operator & is for integers, these are float32"},
        {"y = i ** 2", 1, 5,
         "operator '**' is not supported on values of the program; write T.pow"},
        {"y = i @ i", 1, 5, "operator '@' is not supported"},
        {"y = i and b", 1, 5, "a condition must be bool, this is int32"},
        {"y = not i", 1, 5, "a condition must be bool, this is int32"},
        {"y = i < 1.5", 1, 5, "a float literal cannot be compared with int32"},
        {"y = 1 // 0", 1, 5, "division by zero"},
        {"y = A[0:4] + A[0:2]", 1, 5, "float32x4 and float32x2 do not mix"},
        {"y = \"a\" + i", 1, 5, "a string cannot be"},
        {"y = 170141183460469231731687303715884105728", 1, 5, "this integer is too large"},
        {"y = T.reinterpret(\"float64\", x)", 1, 5,
         "reinterpret keeps the bits: float32 and float64 differ in size"},
    };
    CHECK(rows);
}

static void test_buffers(void **state)
{
    (void)state;
    static const row rows[] = {
        {"A[0, 1] = x", 1, 1, "'A' has 1 dimension, indexed with 2"},
        {"B[0] = 1", 1, 1, "'B' has 2 dimensions, indexed with 1"},
        {"y = B[0] + 1", 1, 5, "a vector access needs both bounds"},
        {"A[x] = 1", 1, 1, "an integer is needed here, this is float32"},
        {"A[0:4] = x", 1, 10, "1 value is stored into 4 lanes"},
        {"A[0] = A[0:4]", 1, 8, "4 values are stored into 1 lane"},
        {"A[0:i] = x", 1, 1, "the length of this slice must be a constant"},
        {"S = T.alloc_buffer((4,), \"float32\", scope=\"wmma.matrix_a\")", 1, 43,
         "storage scope 'wmma.matrix_a' is not supported"},
        {"S = T.alloc_buffer((4,), \"float31\")", 1, 26, "'float31' is no type"},
        {"S = T.alloc_buffer((-4,))", 1, 20, "a buffer cannot have the extent -4"},
        {"S = T.alloc_buffer((4,), dtype=\"int8\", sope=\"local\")", 1, 45,
         "'alloc_buffer' has no parameter 'sope'"},
        {"S = T.decl_buffer((4,), \"float32\", data=A.data, scope=\"shared\")", 1, 55,
         "a view in scope 'shared' of memory in scope 'global'"},
        {"i[0] = 1", 1, 1, "only buffers can be stored to"},
        {"A.shape = 1", 1, 1, "this cannot be assigned to"},
        {"y = A.size", 1, 5, "a buffer has no attribute 'size' here"},
    };
    CHECK(rows);
}

static void test_statements(void **state)
{
    (void)state;
    static const row rows[] = {
        {"for k in [1, 2]: A[k] = x", 1, 10, "a for loop goes over range"},
        {"for k in T.thread_binding(4, thread=\"threadIdx.w\"): A[k] = x", 1, 37,
         "'threadIdx.w' is no thread axis"},
        {"for k in range(0, 8, 0): A[k] = x", 1, 10, "the step of a loop is 0"},
        {"for p, q in T.grid(2, 3, 4): A[p] = x", 1, 5, "3 loop variables are needed here"},
        {"i = 4", 1, 1, "'i' is already defined in this scope and cannot be assigned"},
        {"y = z = x", 1, 1, "one assignment at a time"},
        {"A[0], A[1] = x, x", 1, 1, "only names can be assigned together"},
        {"try:\n    pass\nexcept ValueError:\n    pass", 1, 1, "'try' is not supported here"},
        {"del y", 1, 1, "'del' is not supported here"},
        {"def g():\n    pass", 1, 5, "a function within a function must be T.inline or T.macro"},
        {"break", 1, 1, "'break' outside of a loop"},
        {"assert i < 4", 1, 1, "an assertion needs a message"},
        {"T.reads(A[0])", 1, 1, "T.reads belongs into a block"},
        {"v = T.axis.spatial(4, i)", 1, 5, "T.axis.spatial belongs into a block"},
        {"T.frobnicate(i)", 1, 1, "T.frobnicate is not supported"},
        {"for k in range(4):\n    y = k\nA[0] = y", 3, 8, "undefined name 'y'"},
        {"if b:\n    y = 1\nA[0] = y", 3, 8, "undefined name 'y'"},
        {"with T.sblock(\"a\"):\n    v = T.axis.remap(\"S\", [i])", 2, 27,
         "T.axis.remap takes loop variables"},
        {"with T.serial(4):\n    pass", 1, 6, "a loop is written with 'for'"},
        {"n = T.int32()\nA[n] = x", 1, 5,
         "'n' has no value: no parameter's shape consists of it alone"},
        {"y = (k := 3)", 1, 6, "':=' is not supported"},
    };
    CHECK(rows);
}

/* A thread axis has a variable from its launch on, and in the function that launches it only. */
static void test_thread_axes(void **state)
{
    (void)state;
    static const row rows[] = {
        {"t = T.env_thread(\"threadIdx.x\")\nA[t] = x", 2, 1, "the thread axis 't' is not launched here"},
        {"t = T.env_thread(\"threadIdx.x\")\ny = T.Cast(t.dtype, x)", 2, 12, "the thread axis 't' is not launched here"},
    };
    CHECK(rows);
    assert_error("from tvm.script import tirx as T\n"
                 "t = T.env_thread(\"threadIdx.x\")\n"
                 "@T.prim_func\n"
                 "def f(A: T.Buffer((32,), \"float32\")):\n"
                 "    with T.launch_thread(t, 32):\n"
                 "        A[t] = T.float32(1)\n"
                 "@T.prim_func\n"
                 "def g(A: T.Buffer((32,), \"float32\")):\n"
                 "    for i in T.thread_binding(32, thread=\"threadIdx.x\"):\n"
                 "        A[t] = T.float32(1)\n",
                 10, 9, "the thread axis 'thread' is not launched here");
}

static void test_signatures(void **state)
{
    (void)state;
#define HEAD "from tvm.script import tirx as T\n@T.prim_func\n"
    assert_error(HEAD "def f(A):\n    pass\n", 3, 7, "the parameter 'A' needs a type annotation");
    assert_error(HEAD "def f(i: T.int32 = 4):\n    pass\n", 3, 7,
                 "a parameter cannot have a default value");
    assert_error(HEAD "def f(*A: T.int32):\n    pass\n", 3, 7, "'*' parameters are not supported");
    assert_error(HEAD "def f(i: T.int32, i: T.int32):\n    pass\n", 3, 19,
                 "a second parameter 'i'");
    assert_error(HEAD "def f(i: 4):\n    pass\n", 3, 10, "an int is no type of a parameter");
    assert_error(HEAD "def f(A: T.Buffer((\"n + 1\",), \"int8\")):\n    A[n] = 1\n", 3, 20,
                 "'n' has no value");
    assert_error(HEAD "def f(A: T.Buffer((4,), strides=(1, 1))):\n    pass\n", 3, 10,
                 "2 strides for 1 dimensions");
    assert_error("from tvm.script import tirx as T\n@T.prim_func(persistent=True)\ndef f(i: "
                 "T.int32):\n    pass\n",
                 2, 14, "persistent kernels are not supported");
    assert_error("from tvm.script import tirx as T\n@T.jit\ndef f(i: T.int32):\n    pass\n", 2, 2,
                 "the decorator @T.jit is not supported");
#undef HEAD
}

static void test_texts(void **state)
{
    (void)state;
    assert_error("a = 1 +\n", 1, 8, "expected an expression, found end of line");
    assert_error("a = \"abc\n", 1, 5, "this string is not closed");
    assert_error("a = (1, 2\nb = 3\n", 1, 5, "'(' is not closed");
    assert_error("a = (1]\n", 1, 7, "']' does not close '('");
    assert_error("a = 1)\n", 1, 6, "')' closes nothing");
    assert_error("if 1:\n\ta = 1\n        b = 2\n", 3, 1, "inconsistent use of tabs and spaces");
    assert_error("if 1:\n    a = 1\n  b = 2\n", 3, 1, "this indentation matches no outer level");
    assert_error("a = 1\n  b = 2\n", 2, 1, "unexpected indentation");
    assert_error("a = 1 ? 2\n", 1, 7, "'?' is no part of the language");
    assert_error("a = \xC2\xB2\n", 1, 5, "'\xC2\xB2' is no part of the language (names have letters");
    assert_error("a = '\xff'\n", 1, 6, "the text is not UTF-8: byte 0xff");
    assert_error("a = 0777\n", 1, 5, "a decimal number may not begin with 0");
    assert_error("a = 1__0\n", 1, 5, "'_' in a number must stand between digits");
    assert_error("a = 0x\n", 1, 5, "this is no number");
    assert_error("a = 3j\n", 1, 5, "complex numbers are not supported");
    assert_error("a = '\\x4'\n", 1, 5, "this escape lacks digits");
    assert_error("a = f'{'\n", 1, 8, "this field of an f-string is not closed");
    assert_error("class\n", 1, 6, "expected name, found end of line");
    assert_error("", 1, 1, "no @I.ir_module class and no @T.prim_func function in this file");
    reading *r = script_read_with((str){"a = 1\0", 6}, (front_options){0});
    assert_null(r->module);
    assert_non_null(strstr(r->messages.p, "x.py:1:6: error: the text holds a NUL byte"));
    script_free(r);
}

static unsigned count(const char *text, const char *what)
{
    unsigned n = 0;
    for (const char *p = strstr(text, what); p != NULL; p = strstr(p + 1, what)) ++n;
    return n;
}

/* Syntax errors: one a statement, and the statements between are read. */
static void test_syntax_recovery(void **state)
{
    (void)state;
    reading *r =
        script_read("from tvm.script import tirx as T\n@T.prim_func\ndef f(A: T.Buffer((4,))):\n"
                    "    A[0] = = 1\n    for i in range(4)\n        A[i] = 1\n    A[1] = (1 +\n    "
                    "    2) 3\n    A[2] = 1\n");
    assert_null(r->module);
    assert_int_equal(count(r->messages.p, "error:"), 3);
    assert_non_null(strstr(r->messages.p, "x.py:4:12: error: expected an expression, found '='"));
    assert_non_null(strstr(r->messages.p, "x.py:5:22: error: expected ':', found end of line"));
    assert_non_null(strstr(r->messages.p, "x.py:8:12: error: expected end of line, found '3'"));
    script_free(r);
}

/* A name that could not be made is not complained about again. */
static void test_no_cascade(void **state)
{
    (void)state;
    char *text = script_of_body(
        SCRIPT_HEAD,
        "y = nothing\nz = y + 1\nA[z] = y\nS = T.alloc_buffer((4,), \"no\")\nS[0] = S[1] + z\n"
        "for k in 5:\n    A[k] = other\nwith T.sblock(3):\n    v = T.axis.S(4, nothing2)\n    A[v] "
        "= v");
    reading *r = script_read(text);
    assert_int_equal(count(r->messages.p, "error:"), 6);
    assert_non_null(strstr(r->messages.p, "undefined name 'nothing'"));
    assert_non_null(strstr(r->messages.p, "'no' is no type"));
    assert_non_null(strstr(r->messages.p, "not an int"));
    assert_non_null(strstr(r->messages.p, "undefined name 'other'"));
    assert_non_null(strstr(r->messages.p, "the name of a block must be a string"));
    assert_non_null(strstr(r->messages.p, "undefined name 'nothing2'"));
    script_free(r);
    free(text);
}

/* The source line and the caret under the place. */
static void test_caret(void **state)
{
    (void)state;
    char *text = script_of_body(SCRIPT_HEAD, "A[0] = x + nothing");
    reading *r = script_read(text);
    assert_string_equal(r->messages.p, "x.py:4:16: error: undefined name 'nothing'\n"
                                       "    4 |     A[0] = x + nothing\n"
                                       "      |                ^~~~~~~\n");
    script_free(r);
    free(text);
}

/* Depths that would exhaust a stack, and Python that would run for ever. */
static void test_limits(void **state)
{
    (void)state;
    static const char *const units[] = {"(",        "-",    "not ", "[",   "1+", "1 if 1 else ",
                                        "lambda: ", "a.b(", "f'{",  "{1:", "x[", "1<"};
    for (size_t k = 0; k < sizeof units / sizeof units[0]; ++k) {
        size_t n = strlen(units[k]), times = 20000;
        char *text = malloc(n * times + 8);
        assert_non_null(text);
        strcpy(text, "a = ");
        for (size_t i = 0; i < times; ++i) memcpy(text + 4 + i * n, units[k], n);
        strcpy(text + 4 + n * times, "1\n");
        reading *r = script_read(text);
        assert_null(r->module);
        script_free(r);
        free(text);
    }
    char *text = script_of_body(
        SCRIPT_HEAD, "y = len([0 for p in range(90000) for q in range(90000) if False])");
    reading *r = script_read(text);
    assert_non_null(strstr(r->messages.p, "this takes too many steps"));
    script_free(r);
    free(text);
    r = script_read("from tvm.script import tirx as T\n@T.macro\ndef m(k):\n    m(k + "
                    "1)\n@T.prim_func\ndef f(i: T.int32):\n    m(0)\n");
    assert_non_null(strstr(r->messages.p, "this is nested too deeply"));
    script_free(r);
}

/* What would become trees of any height: loops, axes on lines of their own, items of a `with`,
 * sums. */
static void test_nesting(void **state)
{
    (void)state;
    static const struct {
        const char *before, *unit, *after, *message;
    } rows[] = {
        {"", "T.attr(None, \"k\", 1)\n", "A[0] = x", "more than 90 levels"},
        {"with ", "T.attr(None, \"k\", 1), ", "T.attr(None, \"k\", 1):\n    A[0] = x",
         "more than 90 levels"},
        {"y = sum([", "i, ", "i])", "a sum of more than 400 values"},
        {"y = T.Let(i, where={", "T.int32(): 1, ", "T.int32(): 1})", "64 at most"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
        size_t n = strlen(rows[k].unit), times = 3000;
        char *body = malloc(strlen(rows[k].before) + n * times + strlen(rows[k].after) + 1),
             *end = body;
        assert_non_null(body);
        end += sprintf(end, "%s", rows[k].before);
        for (size_t i = 0; i < times; ++i) end += sprintf(end, "%s", rows[k].unit);
        sprintf(end, "%s", rows[k].after);
        char *text = script_of_body(SCRIPT_HEAD, body);
        reading *r = script_read(text);
        assert_null(r->module);
        assert_non_null(strstr(r->messages.p, rows[k].message));
        script_free(r);
        free(text);
        free(body);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),     cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_statements), cmocka_unit_test(test_thread_axes), cmocka_unit_test(test_signatures),
        cmocka_unit_test(test_texts),      cmocka_unit_test(test_syntax_recovery),
        cmocka_unit_test(test_no_cascade), cmocka_unit_test(test_caret),
        cmocka_unit_test(test_limits),     cmocka_unit_test(test_nesting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
