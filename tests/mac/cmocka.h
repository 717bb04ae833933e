/* As much of cmocka's interface as the device suite uses, for machines that have no cmocka: tools/mac-check builds with
 * nothing but the command-line tools. A failed assertion leaves its test; what it held is not given back. */
#ifndef TESTS_MAC_CMOCKA_H
#define TESTS_MAC_CMOCKA_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CMUnitTest {
    const char *name;
    void (*run)(void **state);
    void *state; /* what *state is at first */
};
#define cmocka_unit_test(f) {#f, f, NULL}
#define cmocka_unit_test_prestate(f, first) {#f, f, first}

static jmp_buf shim_place;
enum { SHIM_FAILED = 1, SHIM_SKIPPED };

#define shim_fail(...)                                                                                                        \
    do {                                                                                                                      \
        printf("%s:%d: ", __FILE__, __LINE__);                                                                                \
        printf(__VA_ARGS__);                                                                                                  \
        printf("\n");                                                                                                         \
        longjmp(shim_place, SHIM_FAILED);                                                                                     \
    } while (0)
#define skip() longjmp(shim_place, SHIM_SKIPPED)
#define shim_check(condition, text)                                                                                           \
    do {                                                                                                                      \
        if (!(condition)) shim_fail("%s", text);                                                                              \
    } while (0)

#define fail_msg(...) shim_fail(__VA_ARGS__)
#define fail() shim_fail("fail()")
#define assert_true(c) shim_check(c, #c)
#define assert_false(c) shim_check(!(c), "not: " #c)
#define assert_null(p) shim_check((const void *)(p) == NULL, #p " is not NULL")
#define assert_non_null(p) shim_check((const void *)(p) != NULL, #p " is NULL")
#define assert_ptr_equal(a, b) shim_check((const void *)(a) == (const void *)(b), #a " == " #b)
#define assert_ptr_not_equal(a, b) shim_check((const void *)(a) != (const void *)(b), #a " != " #b)
#define assert_int_equal(a, b)                                                                                                \
    do {                                                                                                                      \
        long long shim_a = (long long)(a), shim_b = (long long)(b);                                                           \
        if (shim_a != shim_b) shim_fail("%s is %lld, expected %lld", #a, shim_a, shim_b);                                     \
    } while (0)
#define assert_int_not_equal(a, b) shim_check((long long)(a) != (long long)(b), #a " != " #b)
#define assert_string_equal(a, b)                                                                                             \
    do {                                                                                                                      \
        const char *shim_a = (a), *shim_b = (b);                                                                              \
        if (strcmp(shim_a, shim_b) != 0) shim_fail("%s is \"%s\", expected \"%s\"", #a, shim_a, shim_b);                      \
    } while (0)
#define assert_memory_equal(a, b, n) shim_check(memcmp(a, b, n) == 0, #a " == " #b)

static inline int shim_run(const struct CMUnitTest *tests, size_t count)
{
    int failed = 0;
    for (size_t i = 0; i < count; ++i) {
        void *state = tests[i].state;
        switch (setjmp(shim_place)) {
        case 0:
            tests[i].run(&state);
            printf("  passed %s\n", tests[i].name);
            break;
        case SHIM_SKIPPED: printf("  skipped %s\n", tests[i].name); break;
        default:
            ++failed;
            printf("  FAILED %s\n", tests[i].name);
        }
        fflush(stdout);
    }
    return failed;
}
#define cmocka_run_group_tests(tests, set_up, tear_down) shim_run(tests, sizeof(tests) / sizeof(tests)[0])

#endif
