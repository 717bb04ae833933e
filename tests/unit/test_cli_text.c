/* Dimensions worked out, JSON written, files replaced. */
#define _XOPEN_SOURCE 700
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/dims.h"
#include "cli/file.h"
#include "cli/json.h"

static cli_pool pool;

static int end(void **state)
{
    (void)state;
    cli_pool_free(&pool);
    return 0;
}

static void assert_dim(const cli_dims *dims, const char *text, int64_t wanted)
{
    int64_t value = 0;
    const char *missing = NULL;
    if (cli_dim_value(dims, text, &value, &missing) != CLI_DIM_OK)
        fail_msg("%s cannot be worked out", text);
    if (value != wanted) fail_msg("%s is %lld", text, (long long)value);
}

static void works_dimensions_out(void **state)
{
    (void)state;
    cli_dims dims = {.pool = &pool};
    int64_t old, value;
    const char *missing;
    assert_true(cli_dims_set(&dims, "n", 100, &old));
    assert_true(cli_dims_set(&dims, "m", -7, &old));
    assert_true(cli_dims_set(&dims, "n", 100, &old));
    assert_false(cli_dims_set(&dims, "n", 101, &old));
    assert_int_equal(old, 100);
    assert_dim(&dims, "1024", 1024);
    assert_dim(&dims, "n", 100);
    assert_dim(&dims, "(n + 31) // 32", 4);
    assert_dim(&dims, "n + 2 * 3 - 1", 105);
    assert_dim(&dims, "m // 2", -4); /* rounds down */
    assert_dim(&dims, "m % 4", 1);
    assert_dim(&dims, "7 // -2", -4);
    assert_dim(&dims, "7 % -2", -1);
    assert_dim(&dims, "-n", -100);
    assert_dim(&dims, "T.min(n, 64) * T.max(2, m)", 128);
    assert_int_equal(cli_dim_value(&dims, "n + k", &value, &missing), CLI_DIM_UNKNOWN);
    assert_string_equal(missing, "k");
    const char *const bad[] = {"",
                               "n +",
                               "(n",
                               "n)",
                               "n / 2",
                               "1 // 0",
                               "n ** 2",
                               "9223372036854775807 + 1",
                               "9223372036854775808",
                               "f(1)",
                               "1.5",
                               "n n"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(cli_dim_value(&dims, bad[i], &value, &missing), CLI_DIM_BAD);
    char deep[5001];
    memset(deep, '(', 5000);
    deep[5000] = '\0';
    assert_int_equal(cli_dim_value(&dims, deep, &value, &missing), CLI_DIM_BAD);
    memset(deep, '-', 5000);
    assert_int_equal(cli_dim_value(&dims, deep, &value, &missing), CLI_DIM_BAD);
    assert_true(cli_dim_mentions("(n + m1) // 2", "m1"));
    assert_false(cli_dim_mentions("(n + m1) // 2", "m"));
    assert_true(cli_dim_is_name("n_1") && !cli_dim_is_name("n + 1") && !cli_dim_is_name("4") &&
                !cli_dim_is_name(""));
}

static void writes_json(void **state)
{
    (void)state;
    cli_bytes out = {.pool = &pool};
    cli_json j = {.out = &out};
    cli_json_object(&j, NULL);
    cli_json_string(&j, "name", "a\"b\\c\n\x01\x7F");
    cli_json_text(&j, "bytes", "\xC3\xA9\xFF\xC0\x80\xED\xA0\x80\xF0\x9F\x98\x80", 12);
    cli_json_string(&j, "none", NULL);
    cli_json_row(&j, "shape");
    cli_json_int(&j, NULL, 1);
    cli_json_int(&j, NULL, -2);
    cli_json_end(&j);
    cli_json_array(&j, "empty");
    cli_json_end(&j);
    cli_json_array(&j, "list");
    cli_json_object(&j, NULL);
    cli_json_number(&j, "x", "-inf");
    cli_json_number(&j, "y", "1e-05");
    cli_json_bool(&j, "z", true);
    cli_json_end(&j);
    cli_json_end(&j);
    cli_json_end(&j);
    assert_string_equal(
        out.data,
        "{\n"
        "  \"name\": \"a\\\"b\\\\c\\n\\u0001\\u007f\",\n"
        "  \"bytes\": \"\xC3\xA9\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"
        "\xEF\xBF\xBD\xF0\x9F\x98\x80\",\n"
        "  \"none\": null,\n"
        "  \"shape\": [1, -2],\n"
        "  \"empty\": [],\n"
        "  \"list\": [\n"
        "    {\n"
        "      \"x\": \"-inf\",\n"
        "      \"y\": 1e-05,\n"
        "      \"z\": true\n"
        "    }\n"
        "  ]\n"
        "}\n");
}

static char folder[] = "/tmp/ingot-cli-XXXXXX";

static const char *in_folder(const char *name)
{
    cli_bytes path = {.pool = &pool};
    cli_bytes_print(&path, "%s/%s", folder, name);
    return path.data;
}

static int count_files(void)
{
    int count = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (const struct dirent *e = readdir(dir); e; e = readdir(dir)) count += e->d_name[0] != '.';
    closedir(dir);
    return count;
}

static void assert_holds(const char *path, const char *text)
{
    cli_bytes got = {.pool = &pool}, why = {.pool = &pool};
    assert_true(cli_file_read(path, &got, &why));
    assert_string_equal(got.data, text);
}

static void replaces_files(void **state)
{
    (void)state;
    cli_bytes why = {.pool = &pool};
    struct stat st;
    assert_non_null(mkdtemp(folder));
    const char *file = in_folder("file"), *link = in_folder("link");
    assert_true(cli_file_write(file, "one", 3, &why));
    assert_holds(file, "one");
    assert_int_equal(chmod(file, 0640), 0);
    assert_int_equal(symlink("file", link), 0);
    assert_true(cli_file_write(link, "two", 3, &why));
    assert_holds(file, "two");
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode)); /* the link is still one */
    assert_int_equal(stat(file, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0640); /* and the file as open to others as before */
    assert_true(cli_file_write("/dev/null", "x", 1, &why));
    assert_int_equal(stat("/dev/null", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
    assert_int_equal(count_files(), 2);
}

static void tells_why_not(void **state)
{
    (void)state;
    cli_bytes why = {.pool = &pool}, out = {.pool = &pool};
    assert_false(cli_file_write(folder, "x", 1, &why));
    assert_non_null(strstr(why.data, "Is a directory"));
    why.size = 0;
    assert_false(cli_file_write(in_folder("no/file"), "x", 1, &why));
    assert_non_null(strstr(why.data, "no/file: No such file or directory"));
    why.size = 0;
    assert_false(cli_file_write("/dev/full", "x", 1, &why));
    assert_string_equal(why.data, "/dev/full: No space left on device");
    why.size = 0;
    assert_false(cli_file_read(in_folder("missing"), &out, &why));
    assert_non_null(strstr(why.data, "missing: No such file or directory"));
    why.size = 0;
    assert_false(cli_file_read(folder, &out, &why));
    assert_non_null(strstr(why.data, "Is a directory"));
    why.size = 0;
    assert_false(cli_folder_make(in_folder("file"), &why));
    assert_non_null(strstr(why.data, "Not a directory"));
    assert_true(cli_folder_make(in_folder("sub"), &why));
    assert_true(cli_folder_make(in_folder("sub"), &why));
    assert_int_equal(count_files(), 3);
    assert_int_equal(rmdir(in_folder("sub")), 0);
    assert_int_equal(unlink(in_folder("link")), 0);
    assert_int_equal(unlink(in_folder("file")), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(works_dimensions_out, end),
        cmocka_unit_test_teardown(writes_json, end),
        cmocka_unit_test_teardown(replaces_files, end),
        cmocka_unit_test_teardown(tells_why_not, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
