/* Elements of arrays: integers, IEEE floats, and the small float formats of elements.def. */
#include "cli/element.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cli_element cli_element_of(DLDataType t)
{
    bool whole_bytes = t.bits == 8 || t.bits == 16 || t.bits == 32 || t.bits == 64;
    cli_element e = {.class = CLI_ELEMENT_NONE, .bytes = t.bits / 8U};
    if (t.code == kDLBool && (t.bits == 1 || t.bits == 8))
        return (cli_element){.class = CLI_ELEMENT_UINT, .bytes = 1};
    if (!whole_bytes) return e;
    if (t.code == kDLInt) e.class = CLI_ELEMENT_INT;
    if (t.code == kDLUInt) e.class = CLI_ELEMENT_UINT;
    if (t.code == kDLFloat && t.bits >= 32) e.class = CLI_ELEMENT_FLOAT;
#define CLI_FLOAT(CODE, BITS, EXPONENT, MANTISSA, BIAS, INFINITIES, NAN_IS_ZERO)                   \
    if (t.code == (CODE) && t.bits == (BITS))                                                      \
        return (cli_element){CLI_ELEMENT_FLOAT, (BITS) / 8, EXPONENT, MANTISSA, BIAS,              \
                             INFINITIES,        NAN_IS_ZERO};
#include "cli/elements.def"
#undef CLI_FLOAT
    return e;
}

uint64_t cli_element_uint(const cli_element *e, const void *data, size_t i)
{
    const char *from = (const char *)data + i * e->bytes;
    uint8_t v1;
    uint16_t v2;
    uint32_t v4;
    uint64_t v8;
    switch (e->bytes) {
    case 1: memcpy(&v1, from, 1); return v1;
    case 2: memcpy(&v2, from, 2); return v2;
    case 4: memcpy(&v4, from, 4); return v4;
    default: memcpy(&v8, from, 8); return v8;
    }
}

void cli_element_set_int(const cli_element *e, void *data, size_t i, uint64_t value)
{
    char *to = (char *)data + i * e->bytes;
    uint8_t v1 = (uint8_t)value;
    uint16_t v2 = (uint16_t)value;
    uint32_t v4 = (uint32_t)value;
    switch (e->bytes) {
    case 1: memcpy(to, &v1, 1); break;
    case 2: memcpy(to, &v2, 2); break;
    case 4: memcpy(to, &v4, 4); break;
    default: memcpy(to, &value, 8); break;
    }
}

int64_t cli_element_int(const cli_element *e, const void *data, size_t i)
{
    uint64_t bits = cli_element_uint(e, data, i), sign = 1ULL << (e->bytes * 8 - 1);
    return (bits & sign) ? -(int64_t)(~bits & (sign - 1)) - 1 : (int64_t)bits;
}

static double decode(const cli_element *e, uint32_t bits)
{
    uint32_t sign = bits >> (e->exponent + e->mantissa) & 1;
    uint32_t top = (1U << e->exponent) - 1, exponent = bits >> e->mantissa & top;
    uint32_t ones = (1U << e->mantissa) - 1, mantissa = bits & ones;
    double value;
    if (e->infinities && exponent == top)
        value = mantissa ? (double)NAN : (double)INFINITY;
    else if (e->negative_zero_is_nan && sign && !exponent && !mantissa)
        return (double)NAN;
    else if (!e->infinities && !e->negative_zero_is_nan && exponent == top && mantissa == ones)
        value = (double)NAN;
    else if (exponent == 0)
        value = ldexp((double)mantissa, 1 - e->bias - e->mantissa);
    else
        value = ldexp((double)(mantissa | (ones + 1)), (int)exponent - e->bias - e->mantissa);
    return sign ? -value : value;
}

double cli_element_real(const cli_element *e, const void *data, size_t i)
{
    if (e->class == CLI_ELEMENT_INT) return (double)cli_element_int(e, data, i);
    if (e->class == CLI_ELEMENT_UINT) return (double)cli_element_uint(e, data, i);
    if (e->exponent) return decode(e, (uint32_t)cli_element_uint(e, data, i));
    if (e->bytes == 8) {
        double value;
        memcpy(&value, (const char *)data + i * 8, 8);
        return value;
    }
    float value;
    memcpy(&value, (const char *)data + i * 4, 4);
    return (double)value;
}

/* The bits of "not a number", or of infinity where the format has it and `value` is none. */
static uint32_t special(const cli_element *e, double value)
{
    uint32_t ones = (1U << e->mantissa) - 1, top = ((1U << e->exponent) - 1) << e->mantissa;
    if (e->negative_zero_is_nan) return 1U << (e->exponent + e->mantissa);
    if (!e->infinities) return top | ones;
    return isnan(value) ? top | (ones + 1) >> 1 : top;
}

static uint32_t encode(const cli_element *e, double value)
{
    double size = fabs(value);
    uint32_t sign = signbit(value) ? 1U << (e->exponent + e->mantissa) : 0,
             ones = (1U << e->mantissa) - 1;
    uint32_t top = (1U << e->exponent) - 1, bits = 0;
    if (isnan(value) || isinf(value))
        return e->infinities ? sign | special(e, value) : special(e, value);
    int exponent = 0;
    if (size > 0) frexp(size, &exponent); /* size = f * 2^exponent with f in [0.5, 1) */
    int scale = exponent - 1 < 1 - e->bias ? 1 - e->bias : exponent - 1;
    if (scale + e->bias <= (int)top + 1) {
        double steps = nearbyint(ldexp(size, e->mantissa - scale)); /* ties to even */
        bits = (uint32_t)steps;
        if (bits > ones)
            bits += (uint32_t)(scale + e->bias - 1) << e->mantissa; /* its leading one adds 1 */
    } else {
        bits = UINT32_MAX;
    }
    uint32_t largest = (top << e->mantissa | ones) - (e->infinities             ? ones + 1
                                                      : e->negative_zero_is_nan ? 0
                                                                                : 1);
    if (bits > largest)
        return e->infinities ? sign | special(e, (double)INFINITY) : special(e, (double)NAN);
    return bits == 0 && e->negative_zero_is_nan ? 0 : sign | bits;
}

void cli_element_set_real(const cli_element *e, void *data, size_t i, double value)
{
    if (e->exponent) {
        cli_element_set_int(e, data, i, encode(e, value));
    } else if (e->bytes == 8) {
        memcpy((char *)data + i * 8, &value, 8);
    } else {
        float single = (float)value;
        memcpy((char *)data + i * 4, &single, 4);
    }
}

static void print_special(double value, char out[CLI_ELEMENT_TEXT])
{
    snprintf(out, CLI_ELEMENT_TEXT, "%s", isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
}

void cli_real_print(double value, char out[CLI_ELEMENT_TEXT])
{
    if (!isfinite(value)) {
        print_special(value, out);
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(out, CLI_ELEMENT_TEXT, "%.*g", digits, value);
        if (strtod(out, NULL) == value) break; // NOLINT(cert-err34-c): we printed it ourselves
    }
}

void cli_element_print(const cli_element *e, const void *data, size_t i, char out[CLI_ELEMENT_TEXT])
{
    if (e->class == CLI_ELEMENT_INT) {
        snprintf(out, CLI_ELEMENT_TEXT, "%" PRId64, cli_element_int(e, data, i));
        return;
    }
    if (e->class == CLI_ELEMENT_UINT) {
        snprintf(out, CLI_ELEMENT_TEXT, "%" PRIu64, cli_element_uint(e, data, i));
        return;
    }
    double value = cli_element_real(e, data, i);
    if (!isfinite(value)) {
        print_special(value, out);
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        uint64_t back = 0;
        snprintf(out, CLI_ELEMENT_TEXT, "%.*g", digits, value);
        cli_element_set_real(e, &back, 0,
                             strtod(out, NULL)); // NOLINT(cert-err34-c): we printed it ourselves
        if (cli_element_real(e, &back, 0) == value) break;
    }
}
