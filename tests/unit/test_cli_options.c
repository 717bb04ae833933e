/* The command's words: every form of an option, every refusal, the suggestions and the help. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/options.h"

enum { OUTPUT = 1, DEFINE, EMIT, VERBOSE };

static const cli_option table[] = {
    {OUTPUT, 'o', false, "output", "FILE", "Where to."},
    {DEFINE, 'D', true, "define", "NAME=VALUE", "A name."},
    {EMIT, 0, false, "emit", "WHAT", "What instead."},
    {VERBOSE, 'v', false, "verbose", NULL, "Say more."},
    {0},
};

static cli_pool pool;

static int end(void **state)
{
    (void)state;
    cli_pool_free(&pool);
    return 0;
}

/* NULL where the words were read, else why not. `args` ends with NULL. */
static const char *parse(char **args, cli_words *out)
{
    cli_bytes why = {.pool = &pool};
    return cli_options_parse(table, args, &pool, out, &why) ? NULL : why.data;
}

#define ARGS(...) ((char *[]){__VA_ARGS__, NULL})

static void takes_every_form(void **state)
{
    (void)state;
    cli_words w;
    assert_null(parse(ARGS((char[]){"a.py"}, (char[]){"-ox"}, (char[]){"--define=n=1"},
                           (char[]){"-D"}, (char[]){"m=2"}, (char[]){"--emit"}, (char[]){"tir"},
                           (char[]){"-v"}, (char[]){"-"}, (char[]){"--"}, (char[]){"-o"}),
                      &w));
    assert_int_equal(w.count, 8);
    assert_string_equal(cli_words_value(&w, OUTPUT), "x");
    assert_string_equal(cli_words_value(&w, EMIT), "tir");
    assert_string_equal(cli_words_value(&w, VERBOSE), "");
    assert_string_equal(cli_words_value(&w, DEFINE), "n=1");
    assert_string_equal(w.items[3].text, "m=2");
    assert_string_equal(cli_words_plain(&w, 0), "a.py");
    assert_string_equal(cli_words_plain(&w, 1), "-");
    assert_string_equal(cli_words_plain(&w, 2), "-o");
    assert_null(cli_words_plain(&w, 3));
    assert_null(
        parse(ARGS((char[]){"-vo"}, (char[]){"--emit"}), &w)); /* a value may look like an option */
    assert_string_equal(cli_words_value(&w, OUTPUT), "--emit");
    assert_null(cli_words_value(&w, EMIT));
}

static void refuses_by_name(void **state)
{
    (void)state;
    cli_words w;
    assert_string_equal(parse(ARGS((char[]){"--emti=tir"}), &w),
                        "unknown option '--emti'; did you mean '--emit'?");
    assert_string_equal(parse(ARGS((char[]){"--frobnicate"}), &w), "unknown option '--frobnicate'");
    assert_string_equal(parse(ARGS((char[]){"-x"}), &w), "unknown option '-x'");
    assert_string_equal(parse(ARGS((char[]){"--emit"}), &w), "option '--emit' needs a value: WHAT");
    assert_string_equal(parse(ARGS((char[]){"-o"}), &w), "option '--output' needs a value: FILE");
    assert_string_equal(parse(ARGS((char[]){"--verbose=1"}), &w),
                        "option '--verbose' takes no value");
    assert_string_equal(parse(ARGS((char[]){"-oa"}, (char[]){"--output=b"}), &w),
                        "option '--output' is given twice");
    assert_string_equal(parse(ARGS((char[]){"-vv"}), &w), "option '--verbose' is given twice");
}

static void suggests_what_is_near(void **state)
{
    (void)state;
    const char *const names[] = {"compile", "run", "inspect", "devices"};
    assert_string_equal(cli_suggest("compiel", names, 4), "compile");
    assert_string_equal(cli_suggest("inspct", names, 4), "inspect");
    assert_string_equal(cli_suggest("rnu", names, 4), "run");
    assert_string_equal(cli_suggest("device", names, 4), "devices");
    assert_null(cli_suggest("link", names, 4));
    assert_null(cli_suggest("x", names, 4));
    assert_null(cli_suggest("", names, 4));
    assert_null(cli_suggest("a-word-that-is-far-too-long-to-be-any-option-of-ours", names, 4));
}

static void prints_the_table(void **state)
{
    (void)state;
    cli_bytes out = {.pool = &pool};
    cli_options_help(table, &out);
    assert_string_equal(out.data, "  -o, --output FILE\n        Where to.\n"
                                  "  -D, --define NAME=VALUE  (may be repeated)\n        A name.\n"
                                  "  --emit WHAT\n        What instead.\n"
                                  "  -v, --verbose\n        Say more.\n");
}

static void wraps_long_help(void **state)
{
    (void)state;
    static const cli_option one[] = {
        {1, 0, false, "x", NULL,
         "aaaaaaaaa bbbbbbbbb ccccccccc ddddddddd eeeeeeeee fffffffff ggggggggg hhhhhhhhh"},
        {0}};
    cli_bytes out = {.pool = &pool};
    cli_options_help(one, &out);
    assert_string_equal(
        out.data,
        "  --x\n        aaaaaaaaa bbbbbbbbb ccccccccc ddddddddd eeeeeeeee fffffffff ggggggggg\n"
        "        hhhhhhhhh\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(takes_every_form, end),
        cmocka_unit_test_teardown(refuses_by_name, end),
        cmocka_unit_test_teardown(suggests_what_is_near, end),
        cmocka_unit_test_teardown(prints_the_table, end),
        cmocka_unit_test_teardown(wraps_long_help, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
