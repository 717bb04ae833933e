/* Commands as filters: bytes through, more than a pipe holds both ways, and each way to fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/filter.h"

static cli_pool pool;
static cli_bytes out, why;

static int begin(void **state)
{
    (void)state;
    out = why = (cli_bytes){.pool = &pool};
    return 0;
}

static int end(void **state)
{
    (void)state;
    cli_pool_free(&pool);
    return 0;
}

static void passes_bytes_through(void **state)
{
    (void)state;
    assert_true(cli_filter("tr a-z A-Z", "kernel\0void", 11, &out, &why));
    assert_int_equal(out.size, 11);
    assert_memory_equal(out.data, "KERNEL\0VOID", 11);
    assert_true(cli_filter("cat", "", 0, &out, &why)); /* appends, here nothing */
    assert_int_equal(out.size, 11);
}

static void moves_more_than_a_pipe_holds(void **state)
{
    (void)state;
    enum { SIZE = 3 << 20 };
    unsigned char *in = cli_pool_new(&pool, SIZE, 1);
    for (size_t i = 0; i < SIZE; i++) in[i] = (unsigned char)(i * 31 + (i >> 8));
    assert_true(cli_filter("cat", in, SIZE, &out, &why));
    assert_int_equal(out.size, SIZE);
    assert_memory_equal(out.data, in, SIZE);
    out.size = 0; /* all of the answer before any of the input is read */
    assert_true(cli_filter("head -c 1000000 /dev/zero; cat", in, SIZE, &out, &why));
    assert_int_equal(out.size, 1000000 + SIZE);
    assert_memory_equal(out.data + 1000000, in, SIZE);
}

static void needs_no_reader(void **state)
{
    (void)state;
    char *in = cli_pool_new(&pool, 1 << 20, 1);
    assert_true(cli_filter("echo done", in, 1 << 20, &out, &why));
    assert_string_equal(out.data, "done\n");
    out.size = 0;
    assert_true(cli_filter("head -c 5", in, 1 << 20, &out, &why));
    assert_int_equal(out.size, 5);
}

static void tells_how_it_failed(void **state)
{
    (void)state;
    assert_false(cli_filter("echo half; exit 3", "x", 1, &out, &why));
    assert_string_equal(why.data, "ended with status 3");
    why.size = 0;
    assert_false(cli_filter("kill -9 $$", "x", 1, &out, &why));
    assert_string_equal(why.data, "was ended by signal 9");
    why.size = 0;
    assert_false(cli_filter("exec 2>/dev/null; no-such-command-anywhere", "x", 1, &out, &why));
    assert_string_equal(why.data, "ended with status 127");
}

static void stops_an_endless_writer(void **state)
{
    (void)state;
    assert_false(cli_filter("exec cat /dev/zero", "x", 1, &out, &why));
    assert_string_equal(why.data, "wrote more than 256 MiB");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(passes_bytes_through, begin, end),
        cmocka_unit_test_setup_teardown(moves_more_than_a_pipe_holds, begin, end),
        cmocka_unit_test_setup_teardown(needs_no_reader, begin, end),
        cmocka_unit_test_setup_teardown(tells_how_it_failed, begin, end),
        cmocka_unit_test_setup_teardown(stops_an_endless_writer, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
