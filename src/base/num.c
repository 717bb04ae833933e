/* Small float formats and exact decimal text. */
#include "base/num.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const num_format num_half = {.exponent = 5, .mantissa = 10, .bias = 15, .infinities = true};
const num_format num_bfloat = {.exponent = 8, .mantissa = 7, .bias = 127, .infinities = true};
const num_format num_e4m3fn = {.exponent = 4, .mantissa = 3, .bias = 7, .nan_is_ones = true};
const num_format num_e5m2 = {.exponent = 5, .mantissa = 2, .bias = 15, .infinities = true};
const num_format num_e4m3fnuz = {.exponent = 4, .mantissa = 3, .bias = 8, .nan_is_negzero = true};
const num_format num_e5m2fnuz = {.exponent = 5, .mantissa = 2, .bias = 16, .nan_is_negzero = true};
const num_format num_e3m4 = {.exponent = 3, .mantissa = 4, .bias = 3, .infinities = true};
const num_format num_e4m3 = {.exponent = 4, .mantissa = 3, .bias = 7, .infinities = true};
const num_format num_e4m3b11fnuz = {.exponent = 4, .mantissa = 3, .bias = 11, .nan_is_negzero = true};
const num_format num_e2m1fn = {.exponent = 2, .mantissa = 1, .bias = 1};

const num_format num_e8m0fnu = {.exponent = 8, .mantissa = 0, .bias = 127, .is_scale = true};

static uint32_t sign_bit(const num_format *f)
{
    return 1u << (f->exponent + f->mantissa);
}

static uint32_t top_exponent(const num_format *f)
{
    return (1u << f->exponent) - 1;
}

static double decode_scale(const num_format *f, uint32_t bits)
{
    return bits == top_exponent(f) ? (double)NAN : ldexp(1.0, (int)bits - f->bias);
}

/* The nearest power of two, of two equally near ones that with the even code. */
static uint32_t encode_scale(const num_format *f, double value)
{
    uint32_t nan = top_exponent(f), most = nan - 1;
    if (isnan(value) || value < 0.0 || isinf(value)) return nan;
    double least = ldexp(1.0, -f->bias);
    if (value <= least) return 0;
    int exponent;
    double part = frexp(value, &exponent); /* value = part * 2^exponent, part from 0.5 to 1 */
    uint32_t code = (uint32_t)(exponent - 1 + f->bias);
    bool up = part > 0.75 || (part == 0.75 && code % 2 == 1);
    code += up ? 1 : 0;
    return code > most ? nan : code;
}

double num_decode(const num_format *f, uint32_t bits)
{
    if (f->is_scale) return decode_scale(f, bits);
    uint32_t mantissa = bits & ((1u << f->mantissa) - 1);
    uint32_t exponent = (bits >> f->mantissa) & top_exponent(f);
    bool negative = (bits & sign_bit(f)) != 0;
    if (f->infinities && exponent == top_exponent(f)) {
        if (mantissa != 0) return (double)NAN;
        return negative ? -(double)INFINITY : (double)INFINITY;
    }
    if (f->nan_is_negzero && negative && exponent == 0 && mantissa == 0) return (double)NAN;
    if (f->nan_is_ones && (bits & (sign_bit(f) - 1)) == sign_bit(f) - 1) return (double)NAN;
    double value = exponent == 0
                       ? ldexp((double)mantissa, 1 - f->bias - f->mantissa)
                       : ldexp((double)(mantissa | 1u << f->mantissa),
                               (int)exponent - f->bias - f->mantissa);
    return negative ? -value : value;
}

static uint32_t nan_bits(const num_format *f, uint32_t sign)
{
    if (f->infinities) return sign | top_exponent(f) << f->mantissa | 1u << (f->mantissa - 1);
    if (f->nan_is_negzero) return sign_bit(f);
    if (f->nan_is_ones) return sign | (sign_bit(f) - 1);
    return sign_bit(f) - 1; /* no NaN in the format: its largest value */
}

static uint32_t too_large(const num_format *f, uint32_t sign)
{
    if (f->infinities) return sign | top_exponent(f) << f->mantissa;
    if (f->nan_is_ones || f->nan_is_negzero) return nan_bits(f, sign);
    return sign | (sign_bit(f) - 1);
}

uint32_t num_encode(const num_format *f, double value)
{
    if (f->is_scale) return encode_scale(f, value);
    uint32_t sign = signbit(value) ? sign_bit(f) : 0;
    if (isnan(value)) return nan_bits(f, sign);
    double size = fabs(value);
    if (isinf(size)) return too_large(f, sign);
    int exponent = 0;
    if (size != 0.0) frexp(size, &exponent);
    exponent -= 1; /* size = 1.xxx * 2^exponent */
    int least = 1 - f->bias;
    if (size == 0.0 || exponent < least) exponent = least;
    /* In units of the last place; at most 2^(mantissa+1), so the double holds it exactly and
     * nearbyint's ties-to-even is the only rounding. */
    double units = nearbyint(ldexp(size, f->mantissa - exponent));
    uint32_t whole = (uint32_t)units;
    if (whole == 0) return f->nan_is_negzero ? 0 : sign;
    /* A normal number's hidden bit adds one to the exponent field by itself, carry included. */
    uint32_t bits = ((uint32_t)(exponent - least) << f->mantissa) + whole;
    uint32_t largest = f->infinities ? (top_exponent(f) << f->mantissa) - 1
                       : f->nan_is_ones ? sign_bit(f) - 2
                                        : sign_bit(f) - 1;
    if (bits > largest) return too_large(f, sign);
    return sign | bits;
}

double num_round(const num_format *f, double value)
{
    return num_decode(f, num_encode(f, value));
}

uint32_t num_float_bits(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

float num_bits_float(uint32_t bits)
{
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

uint64_t num_double_bits(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

double num_bits_double(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* printf and strtod follow LC_NUMERIC, which belongs to the process and not to us. */
static char decimal_point(void)
{
    return localeconv()->decimal_point[0];
}

/* Makes printf's %g text a literal: '.' as the point, and a mark that it is no integer. */
static size_t finish(char *out)
{
    char point = decimal_point();
    bool marked = false;
    size_t n = strlen(out);
    for (size_t i = 0; i < n; ++i) {
        if (out[i] == point) out[i] = '.';
        if (out[i] == '.' || out[i] == 'e') marked = true;
    }
    if (!marked) {
        memcpy(out + n, ".0", 3);
        n += 2;
    }
    return n;
}

static bool print_special(double v, char *out)
{
    if (isfinite(v)) return false;
    strcpy(out, isnan(v) ? "nan" : v < 0 ? "-inf" : "inf");
    return true;
}

/* 10 and not 1e+01: more digits than the shortest read back as well. */
static void print_plainly(double v, char *out)
{
    bool is_small = v > -1e7 && v < 1e7 && (v <= -1 || v >= 1);
    if (is_small && strchr(out, 'e') != NULL) snprintf(out, NUM_TEXT, "%.7g", v);
}

size_t num_print_double(double v, char *out)
{
    if (print_special(v, out)) return strlen(out);
    for (int digits = 1; digits <= 17; ++digits) {
        snprintf(out, NUM_TEXT, "%.*g", digits, v);
        if (strtod(out, NULL) == v) break;
    }
    print_plainly(v, out);
    return finish(out);
}

size_t num_print_float(float v, char *out)
{
    if (print_special((double)v, out)) return strlen(out);
    for (int digits = 1; digits <= 9; ++digits) {
        snprintf(out, NUM_TEXT, "%.*g", digits, (double)v);
        if (strtof(out, NULL) == v) break;
    }
    print_plainly((double)v, out);
    return finish(out);
}

bool num_parse_double(str text, double *out)
{
    char copy[512];
    if (text.n == 0 || text.n >= sizeof copy) return false;
    char point = decimal_point();
    for (size_t i = 0; i < text.n; ++i) {
        char c = text.p[i];
        bool known = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') ||
                     c == '.' || c == '+' || c == '-' || c == 'x' || c == 'X' || c == 'p' || c == 'P';
        if (!known) return false;
        copy[i] = c == '.' ? point : c;
    }
    copy[text.n] = '\0';
    char *end;
    *out = strtod(copy, &end);
    return end == copy + text.n;
}
