/* A libtvm_ffi that lacks a function of the ABI is left alone: the registry works as without one. */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "ingot/ingot.h"

static ingot_status nothing(void *user, const ingot_value *args, size_t count, ingot_result *result, ingot_error *error)
{
    (void)user, (void)args, (void)count, (void)result, (void)error;
    return INGOT_OK;
}

static void count_name(void *user, const char *name)
{
    (void)name;
    ++*(int *)user;
}

static void test_left_alone(void **state)
{
    (void)state;
    void *handle = dlopen(STANDIN_PARTIAL, RTLD_NOW | RTLD_GLOBAL);
    if (handle == NULL) fail_msg("%s", dlerror());
    ingot_function *f;
    int names = 0;
    assert_int_equal(ingot_function_register("x", nothing, NULL, NULL, 0, NULL), INGOT_OK);
    assert_int_equal(ingot_function_get("x", &f, NULL), INGOT_OK);
    ingot_function_release(f);
    assert_int_equal(ingot_function_list(count_name, &names), INGOT_OK);
    assert_int_equal(names, 1);
    assert_int_equal(ingot_function_get("ffi.Array", &f, NULL), INGOT_NOT_FOUND);
    assert_int_equal(ingot_function_remove("x", NULL), INGOT_OK);
    dlclose(handle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_left_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
