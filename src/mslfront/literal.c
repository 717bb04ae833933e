/* Number and character literals to values, correctly rounded once. */
#include "mslfront/literal.h"

#include "base/num.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LONGEST = 400 };

static bool ends_with(str s, const char *suffix)
{
    size_t n = strlen(suffix);
    if (s.n < n) return false;
    for (size_t i = 0; i < n; ++i) {
        char c = s.p[s.n - n + i];
        if (c != suffix[i] && c != suffix[i] - 'a' + 'A') return false;
    }
    return true;
}

static bool is_hex(str s)
{
    return s.n > 2 && s.p[0] == '0' && (s.p[1] == 'x' || s.p[1] == 'X');
}

static bool is_floating(str s)
{
    bool hex = is_hex(s);
    for (size_t i = 0; i < s.n; ++i) {
        char c = s.p[i];
        if (c == '.' || (hex ? c == 'p' || c == 'P' : c == 'e' || c == 'E')) return true;
    }
    return !hex && (ends_with(s, "f") || ends_with(s, "h"));
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 99;
}

/* Takes u, l or ll, or both in either order, off the end. Apple's compiler has the literals of 'long long', of 64 bits too. */
static void integer_suffix(str *s, bool *is_unsigned, bool *is_long)
{
    while (s->n > 1) {
        char c = s->p[s->n - 1];
        if ((c == 'u' || c == 'U') && !*is_unsigned) {
            *is_unsigned = true;
        } else if ((c == 'l' || c == 'L') && !*is_long) {
            *is_long = true;
            if (s->n > 2 && s->p[s->n - 2] == c) --s->n;
        } else {
            return;
        }
        --s->n;
    }
}

static mf_scalar integer_type(uint64_t v, bool decimal, bool is_unsigned, bool is_long)
{
    if (!is_long && !is_unsigned && v <= INT32_MAX) return MF_INT;
    if (!is_long && (is_unsigned || !decimal) && v <= UINT32_MAX) return MF_UINT;
    if (!is_unsigned && v <= INT64_MAX) return MF_LONG;
    return MF_ULONG;
}

static const char *read_integer(str s, mf_literal *out)
{
    bool is_unsigned = false, is_long = false;
    integer_suffix(&s, &is_unsigned, &is_long);
    unsigned base = 10;
    size_t i = 0;
    if (is_hex(s)) {
        base = 16;
        i = 2;
    } else if (s.n > 2 && s.p[0] == '0' && (s.p[1] == 'b' || s.p[1] == 'B')) {
        base = 2;
        i = 2;
    } else if (s.n > 1 && s.p[0] == '0') {
        base = 8;
        i = 1;
    }
    uint64_t v = 0;
    for (; i < s.n; ++i) {
        int d = digit_value(s.p[i]);
        if (d >= (int)base) return "a number with a wrong digit or suffix stands";
        if (v > (UINT64_MAX - (unsigned)d) / base) return "a number too large for 64 bits stands";
        v = v * base + (unsigned)d;
    }
    if (base == 10 && !is_unsigned && v > INT64_MAX) return "a number too large for 'long' stands";
    out->type = integer_type(v, base == 10, is_unsigned, is_long);
    out->value.i = v;
    return NULL;
}

/* The digits of a decimal text without leading zeros, and the exponent e of 0.ddd x 10^e. */
static size_t decimal_digits(str text, char *digits, long *exponent)
{
    size_t n = 0, i = 0;
    bool after_point = false;
    *exponent = 0;
    for (; i < text.n && text.p[i] != 'e' && text.p[i] != 'E'; ++i) {
        char c = text.p[i];
        if (c == '.') {
            after_point = true;
        } else if (n == 0 && c == '0') {
            *exponent -= after_point;
        } else {
            digits[n++] = c;
            *exponent += !after_point;
        }
    }
    if (i < text.n) *exponent += strtol(text.p + i + 1, NULL, 10);
    return n;
}

/* Whether a decimal text lies below (-1), at (0) or above (1) a positive double, digit by digit. */
static int side_of(str text, double middle)
{
    char exact[1200], mine[LONGEST];
    long lead, exact_lead;
    size_t n = decimal_digits(text, mine, &lead);
    if (n == 0 || snprintf(exact, sizeof exact, "%.1074e", middle) <= 0) return 0;
    exact_lead = strtol(strrchr(exact, 'e') + 1, NULL, 10) + 1;
    if (lead != exact_lead) return lead < exact_lead ? -1 : 1;
    size_t k = 0;
    for (const char *p = exact; *p != 'e'; ++p) {
        if (*p < '0' || *p > '9') continue;
        char d = k < n ? mine[k] : '0';
        ++k;
        if (d != *p) return d < *p ? -1 : 1;
    }
    for (; k < n; ++k) {
        if (mine[k] != '0') return 1;
    }
    return 0;
}

/* The double rounded to the type. A decimal text whose double is a tie between two neighbours,
 * without being that tie, is moved off it first, so that it is rounded once and not twice. */
static double round_once(str text, double v, mf_scalar s)
{
    const num_format *format = s == MF_HALF ? &num_half : &num_bfloat;
    double down =
        s == MF_FLOAT ? (double)(float)nextafter(v, 0) : num_round(format, nextafter(v, 0));
    double up = s == MF_FLOAT ? (double)(float)nextafter(v, (double)INFINITY)
                              : num_round(format, nextafter(v, (double)INFINITY));
    double plain = s == MF_FLOAT ? (double)(float)v : num_round(format, v);
    if (down == up || is_hex(text)) return plain;
    int side = side_of(text, v);
    return side < 0 ? down : side > 0 ? up : plain;
}

static const char *read_floating(str s, mf_literal *out)
{
    out->type = MF_FLOAT;
    if (ends_with(s, "bf")) {
        out->type = MF_BFLOAT;
        s.n -= 2;
    } else if (ends_with(s, "h") || ends_with(s, "f")) {
        out->type = ends_with(s, "h") ? MF_HALF : MF_FLOAT;
        s.n -= 1;
    } else if (ends_with(s, "l")) {
        return "'long double' does not exist in MSL and its suffix stands";
    }
    double v;
    if (!num_parse_double(s, &v)) return "a number with a wrong digit or suffix stands";
    out->value.f = round_once(s, v, out->type);
    return NULL;
}

const char *mf_read_number(str text, mf_literal *out)
{
    char plain[LONGEST];
    size_t n = 0;
    if (text.n >= sizeof plain) return "a number longer than 399 characters stands";
    for (size_t i = 0; i < text.n; ++i) {
        if (text.p[i] != '\'') plain[n++] = text.p[i];
    }
    *out = (mf_literal){0};
    str s = {plain, n};
    if (!is_floating(s)) return read_integer(s, out);
    plain[n] = '\0';
    return read_floating(s, out);
}

/* The digits of "\x41" or "\101" from `at` on. */
static size_t coded(str text, size_t at, int64_t *out)
{
    const bool hex = text.p[at] == 'x';
    size_t n = at + (hex ? 1 : 0);
    const size_t begin = n;
    int64_t v = 0;
    for (; n < text.n && n < begin + (hex ? 2 : 3); ++n) {
        const char c = text.p[n];
        const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
        if (digit >= (hex ? 16 : 8)) break;
        v = v * (hex ? 16 : 8) + digit;
    }
    *out = (int8_t)v;
    return n > begin && v < 256 ? n - at : 0;
}

size_t mf_read_in_string(str text, size_t at, int64_t *out)
{
    static const char codes[] = "n\nt\tr\ra\ab\bf\fv\v\\\\\'\'\"\"??";
    *out = text.p[at];
    if (text.p[at] != '\\') return 1;
    if (at + 1 == text.n) return 0;
    for (size_t i = 0; i + 1 < sizeof codes; i += 2) {
        if (codes[i] != text.p[at + 1]) continue;
        *out = codes[i + 1];
        return 2;
    }
    const size_t n = coded(text, at + 1, out);
    return n != 0 ? n + 1 : 0;
}

bool mf_read_character(str text, int64_t *out)
{
    const str inner = {text.p + 1, text.n - 2};
    return text.n > 2 && (unsigned char)inner.p[0] < 128 && mf_read_in_string(inner, 0, out) == inner.n;
}
