/* Numbers: the small float formats, and decimal text that reads back exactly. */
#ifndef BASE_NUM_H
#define BASE_NUM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* A small binary float format: 1 sign bit, `exponent` bits, `mantissa` bits. */
typedef struct num_format {
    int exponent, mantissa, bias;
    bool infinities;    /* the top exponent holds infinity and NaN, as IEEE 754 has it */
    bool nan_is_ones;   /* without infinities: all ones is NaN (the "fn" formats) */
    bool nan_is_negzero; /* without infinities or -0: sign bit alone is NaN (the "fnuz" formats) */
    bool is_scale;       /* powers of two: an exponent alone, all ones NaN; no sign and no zero */
} num_format;

extern const num_format num_half, num_bfloat, num_e4m3fn, num_e5m2, num_e4m3fnuz, num_e5m2fnuz,
    num_e3m4, num_e4m3, num_e4m3b11fnuz, num_e2m1fn, num_e8m0fnu;

/* The value of the bits, exactly. */
double num_decode(const num_format *f, uint32_t bits);

/* Nearest value, ties to even, from a double (one rounding). Out of range gives infinity where the
 * format has it, else NaN for the fn/fnuz formats that have one, else the largest finite value. Of
 * scales, what is negative is NaN, and 0 the least. */
uint32_t num_encode(const num_format *f, double value);

/* The value rounded to half, bfloat or float and widened again. */
double num_round(const num_format *f, double value);

/* IEEE bits of a float and back. */
uint32_t num_float_bits(float v);
float num_bits_float(uint32_t bits);
uint64_t num_double_bits(double v);
double num_bits_double(uint64_t bits);

/* Shortest decimal that reads back as the same float (24-bit) or double; always with a '.' or an
 * exponent ("1.0", "1e+30"); "inf", "-inf", "nan" for the rest. Never depends on the locale.
 * `out` has at least NUM_TEXT bytes; returns the length. */
enum { NUM_TEXT = 40 };
size_t num_print_float(float v, char *out);
size_t num_print_double(double v, char *out);

/* Reads a whole decimal or hexadecimal floating literal, locale-independent, correctly rounded to
 * double. False where the text is not one. */
bool num_parse_double(str text, double *out);

#endif
