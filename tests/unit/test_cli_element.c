/* Elements of every dtype against values worked out by hand; summaries of small buffers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/element.h"
#include "cli/summary.h"

static cli_element of(unsigned code, unsigned bits)
{
    return cli_element_of((DLDataType){(uint8_t)code, (uint8_t)bits, 1});
}

static double decode(unsigned code, unsigned bits, uint64_t pattern)
{
    cli_element e = of(code, bits);
    return cli_element_real(&e, &pattern, 0);
}

static uint64_t encode(unsigned code, unsigned bits, double value)
{
    cli_element e = of(code, bits);
    uint64_t out = 0;
    cli_element_set_real(&e, &out, 0, value);
    return out;
}

static void reads_small_floats(void **state)
{
    (void)state;
    assert_true(decode(kDLFloat, 16, 0x3C00) == 1.0);
    assert_true(decode(kDLFloat, 16, 0xC000) == -2.0);
    assert_true(decode(kDLFloat, 16, 0x7BFF) == 65504.0);
    assert_true(decode(kDLFloat, 16, 0x0001) == ldexp(1, -24));
    assert_true(decode(kDLFloat, 16, 0xFC00) == -(double)INFINITY);
    assert_true(isnan(decode(kDLFloat, 16, 0x7E00)));
    assert_true(decode(kDLBfloat, 16, 0x3F80) == 1.0);
    assert_true(decode(kDLBfloat, 16, 0x7F7F) == ldexp(255, 120)); /* 1.9921875 * 2^127 */
    assert_true(decode(kDLFloat8_e4m3fn, 8, 0x7E) == 448.0);
    assert_true(isnan(decode(kDLFloat8_e4m3fn, 8, 0x7F)));
    assert_true(decode(kDLFloat8_e5m2, 8, 0x7B) == 57344.0);
    assert_true(decode(kDLFloat8_e5m2, 8, 0x7C) == (double)INFINITY);
    assert_true(decode(kDLFloat8_e4m3fnuz, 8, 0x7F) == 240.0);
    assert_true(isnan(decode(kDLFloat8_e4m3fnuz, 8, 0x80)));
    assert_true(decode(kDLFloat8_e4m3, 8, 0x77) == 240.0);
    assert_true(decode(kDLFloat8_e3m4, 8, 0x6F) == 15.5);
}

static void rounds_to_nearest_even(void **state)
{
    (void)state;
    assert_int_equal(encode(kDLFloat, 16, 1.0), 0x3C00);
    assert_int_equal(encode(kDLFloat, 16, 2049.0), 0x6800);  /* tie between 2048 and 2050: even */
    assert_int_equal(encode(kDLFloat, 16, 2051.0), 0x6802);  /* tie between 2050 and 2052 */
    assert_int_equal(encode(kDLFloat, 16, 65519.0), 0x7BFF); /* below the half-way point to 2^16 */
    assert_int_equal(encode(kDLFloat, 16, 65520.0), 0x7C00);
    assert_int_equal(encode(kDLFloat, 16, ldexp(1, -25)), 0); /* tie with 0 */
    assert_int_equal(encode(kDLFloat, 16, ldexp(3, -26)), 1);
    assert_int_equal(encode(kDLFloat, 16, -0.0), 0x8000);
    assert_int_equal(encode(kDLFloat, 16, -(double)INFINITY), 0xFC00);
    assert_int_equal(encode(kDLFloat8_e4m3fn, 8, 448.0), 0x7E);
    assert_int_equal(encode(kDLFloat8_e4m3fn, 8, 1000.0), 0x7F);
    assert_int_equal(encode(kDLFloat8_e4m3fnuz, 8, -0.0), 0);
    assert_int_equal(encode(kDLFloat8_e4m3fnuz, 8, 1000.0), 0x80);
    assert_int_equal(encode(kDLFloat, 32, 0.1), 0x3DCCCCCD);
}

/* Every bit pattern of the small formats survives reading and storing. */
static void stores_what_it_reads(void **state)
{
    (void)state;
    static const unsigned codes[] = {kDLFloat8_e3m4,    kDLFloat8_e4m3,     kDLFloat8_e4m3b11fnuz,
                                     kDLFloat8_e4m3fn,  kDLFloat8_e4m3fnuz, kDLFloat8_e5m2,
                                     kDLFloat8_e5m2fnuz};
    for (size_t c = 0; c < sizeof codes / sizeof codes[0]; c++) {
        for (unsigned bits = 0; bits < 256; bits++) {
            double value = decode(codes[c], 8, bits);
            if (!isnan(value)) assert_int_equal(encode(codes[c], 8, value), bits);
        }
    }
    for (unsigned bits = 0; bits < 65536; bits++) {
        double half = decode(kDLFloat, 16, bits), brain = decode(kDLBfloat, 16, bits);
        if (!isnan(half)) assert_int_equal(encode(kDLFloat, 16, half), bits);
        if (!isnan(brain)) assert_int_equal(encode(kDLBfloat, 16, brain), bits);
    }
}

static const char *print(unsigned code, unsigned bits, const void *data)
{
    static char text[CLI_ELEMENT_TEXT];
    cli_element e = of(code, bits);
    cli_element_print(&e, data, 0, text);
    return text;
}

static void prints_shortly(void **state)
{
    (void)state;
    float tenth = 0.1F, inf = -INFINITY, third = 1.0F / 3.0F;
    double real = 0.1 + 0.2;
    uint16_t half = 0x2E66; /* the half nearest to 0.1 */
    int64_t least = INT64_MIN;
    uint64_t most = UINT64_MAX;
    int8_t small = -128;
    assert_string_equal(print(kDLFloat, 32, &tenth), "0.1");
    assert_string_equal(print(kDLFloat, 32, &third), "0.33333334");
    assert_string_equal(print(kDLFloat, 32, &inf), "-inf");
    assert_string_equal(print(kDLFloat, 64, &real), "0.30000000000000004");
    assert_string_equal(print(kDLFloat, 16, &half), "0.1");
    assert_string_equal(print(kDLInt, 64, &least), "-9223372036854775808");
    assert_string_equal(print(kDLUInt, 64, &most), "18446744073709551615");
    assert_string_equal(print(kDLInt, 8, &small), "-128");
}

static void knows_what_it_cannot_read(void **state)
{
    (void)state;
    assert_int_equal(of(kDLInt, 4).class, CLI_ELEMENT_NONE);
    assert_int_equal(of(kDLFloat4_e2m1fn, 4).class, CLI_ELEMENT_NONE);
    assert_int_equal(of(kDLComplex, 64).class, CLI_ELEMENT_NONE);
    assert_int_equal(of(kDLOpaqueHandle, 64).class, CLI_ELEMENT_NONE);
    assert_int_equal(of(kDLBool, 8).class, CLI_ELEMENT_UINT);
    assert_int_equal(of(kDLBool, 8).bytes, 1);
}

static void summarizes(void **state)
{
    (void)state;
    cli_element f = of(kDLFloat, 32), i = of(kDLInt, 64), u = of(kDLUInt, 8);
    const float reals[] = {NAN, 3.0F, -1.0F, 4.0F, NAN};
    cli_summary s = cli_summarize(&f, reals, 5);
    assert_true(s.nans == 2 && s.infinities == 0 && s.numbers == 3 && s.least == 2 &&
                s.greatest == 3);
    assert_true(s.mean == 2.0);
    const float wide[] = {1.0F, INFINITY};
    s = cli_summarize(&f, wide, 2);
    assert_true(s.infinities == 1 && s.greatest == 1 && isinf(s.mean));
    /* Neighbours that a double cannot tell apart. */
    const int64_t whole[] = {INT64_MAX - 1, INT64_MAX, INT64_MAX - 2};
    s = cli_summarize(&i, whole, 3);
    assert_true(s.least == 2 && s.greatest == 1);
    const uint8_t bytes[] = {200, 100};
    s = cli_summarize(&u, bytes, 2);
    assert_true(s.least == 1 && s.greatest == 0 && s.mean == 150.0);
    s = cli_summarize(&f, reals, 0);
    assert_true(s.numbers == 0 && s.count == 0);
    const float hard[] = {1.0F, 1e20F, 1.0F, -1e20F}; /* sums to 2; a plain sum gives 0 */
    s = cli_summarize(&f, hard, 4);
    assert_true(s.mean == 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_small_floats),        cmocka_unit_test(rounds_to_nearest_even),
        cmocka_unit_test(stores_what_it_reads),      cmocka_unit_test(prints_shortly),
        cmocka_unit_test(knows_what_it_cannot_read), cmocka_unit_test(summarizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
