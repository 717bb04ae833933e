/* Values of -D and --arg: each kind of literal, its limits, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/literal.h"

static cli_pool pool;

static int end(void **state)
{
    (void)state;
    cli_pool_free(&pool);
    return 0;
}

static ingot_value read(const char *text)
{
    cli_bytes why = {.pool = &pool};
    ingot_value v;
    if (!cli_literal(text, &pool, &v, &why)) fail_msg("%s: %s", text, why.data);
    return v;
}

static const char *refusal(const char *text)
{
    cli_bytes why = {.pool = &pool};
    ingot_value v;
    if (cli_literal(text, &pool, &v, &why)) fail_msg("%s was read", text);
    return why.data;
}

static void assert_int(const char *text, int64_t wanted)
{
    ingot_value v = read(text);
    assert_int_equal(v.kind, INGOT_VALUE_INT);
    assert_true(v.as.integer == wanted);
}

static void assert_real(const char *text, double wanted)
{
    ingot_value v = read(text);
    assert_int_equal(v.kind, INGOT_VALUE_FLOAT);
    assert_true(v.as.real == wanted && signbit(v.as.real) == signbit(wanted));
}

static void assert_text(const ingot_value *v, const char *wanted, size_t size)
{
    assert_int_equal(v->kind, INGOT_VALUE_STR);
    assert_int_equal(v->as.text.size, size);
    assert_memory_equal(v->as.text.data, wanted, size);
}

static void reads_whole_numbers(void **state)
{
    (void)state;
    assert_int("0", 0);
    assert_int("1024", 1024);
    assert_int("-7", -7);
    assert_int("+7", 7);
    assert_int("0x1F", 31);
    assert_int("0o17", 15);
    assert_int("-0b101", -5);
    assert_int("1_000_000", 1000000);
    assert_int("9223372036854775807", INT64_MAX);
    assert_int("-9223372036854775808", INT64_MIN);
    assert_int(" 3 ", 3);
    assert_int("000", 0);
    assert_non_null(
        strstr(refusal("9223372036854775808"), "outside the range of a 64-bit integer"));
    assert_non_null(strstr(refusal("-9223372036854775809"), "outside the range"));
    assert_non_null(strstr(refusal("99999999999999999999999"), "outside the range"));
}

static void reads_real_numbers(void **state)
{
    (void)state;
    assert_real("1.5", 1.5);
    assert_real("1.", 1.0);
    assert_real(".25", 0.25);
    assert_real("-1e-3", -0.001);
    assert_real("-0.0", -0.0);
    assert_real("1_0.5", 10.5);
    assert_real("inf", (double)INFINITY);
    assert_real("-inf", -(double)INFINITY);
    assert_real("+Infinity", (double)INFINITY);
    ingot_value nan = read("NaN");
    assert_int_equal(nan.kind, INGOT_VALUE_FLOAT);
    assert_true(isnan(nan.as.real));
    assert_non_null(strstr(refusal("1e999"), "outside the range of a double"));
}

static void reads_words_and_texts(void **state)
{
    (void)state;
    assert_int_equal(read("None").kind, INGOT_VALUE_NONE);
    assert_true(read("True").kind == INGOT_VALUE_BOOL && read("True").as.boolean == 1);
    assert_true(read("False").kind == INGOT_VALUE_BOOL && read("False").as.boolean == 0);
    ingot_value v = read("float16");
    assert_text(&v, "float16", 7);
    v = read("\"a b\"");
    assert_text(&v, "a b", 3);
    v = read("'it\\'s\\n\\0'");
    assert_text(&v, "it's\n\0", 6);
    v = read("\"\"");
    assert_text(&v, "", 0);
    v = read("'12'");
    assert_text(&v, "12", 2);
    v = read("threadIdx.x");
    assert_text(&v, "threadIdx.x", 11);
}

static void reads_tuples(void **state)
{
    (void)state;
    ingot_value v = read("(1, 2.5, float32, 'x,y', (True,), ())");
    assert_int_equal(v.kind, INGOT_VALUE_TUPLE);
    assert_int_equal(v.as.tuple.count, 6);
    assert_int_equal(v.as.tuple.items[0].as.integer, 1);
    assert_true(v.as.tuple.items[1].as.real == 2.5);
    assert_text(&v.as.tuple.items[2], "float32", 7);
    assert_text(&v.as.tuple.items[3], "x,y", 3);
    assert_int_equal(v.as.tuple.items[4].kind, INGOT_VALUE_TUPLE);
    assert_int_equal(v.as.tuple.items[4].as.tuple.count, 1);
    assert_int_equal(v.as.tuple.items[5].as.tuple.count, 0);
    assert_int("(7)", 7); /* parentheses alone make no tuple */
    assert_int_equal(read("(7,)").as.tuple.count, 1);
}

static void refuses_the_rest(void **state)
{
    (void)state;
    const char *const bad[] = {"",      "1o24",  "1e",     "0x",     "0xg", "010",    "1__0",
                               "1_",    "--1",   "2**10",  "4*1024", "a b", "a+b",    "'x",
                               "\"x",   "'\\q'", "(1",     "(1 2)",  "(,)", "(1,,2)", "(1))",
                               "1 2",   "true",  "NONE",   "0x1p3",  ".",   "-",      "+",
                               "1.2.3", "(1)x",  "'a' 'b'"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_true(strlen(refusal(bad[i])) > 10);
    }
    assert_non_null(strstr(refusal("true"), "True"));
    assert_non_null(strstr(refusal("1o24"), "quotes"));
    char deep[201];
    memset(deep, '(', 200);
    deep[200] = '\0';
    assert_non_null(strstr(refusal(deep), "nested too deeply"));
}

static void splits_assignments(void **state)
{
    (void)state;
    cli_bytes why = {.pool = &pool};
    const char *name, *value;
    assert_true(cli_assignment("n=1", &pool, &name, &value, &why));
    assert_string_equal(name, "n");
    assert_string_equal(value, "1");
    assert_true(cli_assignment("_a9=b=c", &pool, &name, &value, &why));
    assert_string_equal(name, "_a9");
    assert_string_equal(value, "b=c");
    assert_false(cli_assignment("n", &pool, &name, &value, &why));
    assert_string_equal(why.data, "'n' is not of the form NAME=VALUE");
    assert_false(cli_assignment("=1", &pool, &name, &value, &why));
    assert_false(cli_assignment("9n=1", &pool, &name, &value, &why));
    assert_false(cli_assignment("a-b=1", &pool, &name, &value, &why));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(reads_whole_numbers, end),
        cmocka_unit_test_teardown(reads_real_numbers, end),
        cmocka_unit_test_teardown(reads_words_and_texts, end),
        cmocka_unit_test_teardown(reads_tuples, end),
        cmocka_unit_test_teardown(refuses_the_rest, end),
        cmocka_unit_test_teardown(splits_assignments, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
