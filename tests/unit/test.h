/* What every unit test includes first: cmocka and the headers that it must come after. */
#ifndef TESTS_UNIT_TEST_H
#define TESTS_UNIT_TEST_H

/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
/* clang-format on */

#endif
