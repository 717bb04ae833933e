/* The values of Python's literals. */
#include "front/literal.h"

#include "base/buf.h"
#include "base/num.h"

str py_int_text(arena *mem, py_int value)
{
    char digits[48];
    size_t n = sizeof digits;
    bool negative = value < 0;
    do {
        int digit = (int)(value % 10);
        digits[--n] = (char)('0' + (digit < 0 ? -digit : digit));
        value /= 10;
    } while (value != 0);
    if (negative) digits[--n] = '-';
    return str_copy(mem, (str){digits + n, sizeof digits - n});
}

/* ---- Numbers --------------------------------------------------------------------------------- */

static int digit_value(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'z') return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
    return 99;
}

/* Digits with single underscores between them, from `i` on. */
static const char *read_integer(str text, size_t i, int base, py_int *out)
{
    py_int value = 0;
    bool digit_before = i > 0 && base != 10; /* an underscore may follow the prefix "0x" */
    bool any = false;
    for (; i < text.n; ++i) {
        if (text.p[i] == '_') {
            if (!digit_before) return "'_' in a number must stand between digits";
            digit_before = false;
            continue;
        }
        int digit = digit_value(text.p[i]);
        if (digit >= base) return "this is no number";
        if (value > (PY_INT_MAX - digit) / base)
            return "this integer is too large (127 bits are kept)";
        value = value * base + digit;
        digit_before = any = true;
    }
    if (!any || !digit_before) return "this is no number";
    *out = value;
    return NULL;
}

static bool is_float_text(str text)
{
    for (size_t i = 0; i < text.n; ++i) {
        if (text.p[i] == '.' || text.p[i] == 'e' || text.p[i] == 'E') return true;
    }
    return false;
}

static const char *read_float(str text, double *out)
{
    char digits[256];
    size_t n = 0;
    for (size_t i = 0; i < text.n; ++i) {
        if (text.p[i] == '_') {
            bool between = i > 0 && i + 1 < text.n && digit_value(text.p[i - 1]) < 10 &&
                           digit_value(text.p[i + 1]) < 10;
            if (!between) return "'_' in a number must stand between digits";
            continue;
        }
        bool known = digit_value(text.p[i]) < 10 || strchr(".eE+-", text.p[i]) != NULL;
        if (!known) return "this is no number";
        if (n == sizeof digits) return "this number has too many digits";
        digits[n++] = text.p[i];
    }
    return num_parse_double((str){digits, n}, out) ? NULL : "this is no number";
}

const char *literal_number(str text, number_literal *out)
{
    *out = (number_literal){0};
    char last = text.p[text.n - 1];
    if (text.n > 2 && text.p[0] == '0' && digit_value(text.p[1]) > 10) {
        char c = (char)(text.p[1] | 0x20);
        int base = c == 'x' ? 16 : c == 'o' ? 8 : c == 'b' ? 2 : 0;
        if (base != 0) return read_integer(text, 2, base, &out->integer);
    }
    if (last == 'j' || last == 'J') return "complex numbers are not supported";
    if (is_float_text(text)) {
        out->is_float = true;
        return read_float(text, &out->real);
    }
    const char *wrong = read_integer(text, 0, 10, &out->integer);
    if (wrong == NULL && text.p[0] == '0' && out->integer != 0)
        return "a decimal number may not begin with 0";
    return wrong;
}

/* ---- Strings --------------------------------------------------------------------------------- */

const char *literal_string_parts(str text, string_literal *out)
{
    *out = (string_literal){0};
    size_t i = 0;
    for (; text.p[i] != '"' && text.p[i] != '\''; ++i) {
        char c = (char)(text.p[i] | 0x20);
        if (c == 'r') out->is_raw = true;
        if (c == 'b') out->is_bytes = true;
        if (c == 'f') out->is_format = true;
    }
    if (i == 2 && !out->is_raw) return "no string begins with this prefix";
    if (i == 2 && !out->is_bytes && !out->is_format) return "no string begins with this prefix";
    size_t quotes =
        text.n >= i + 3 && text.p[i + 1] == text.p[i] && text.p[i + 2] == text.p[i] ? 3 : 1;
    if (text.n < i + 2 * quotes) return "this string is not closed";
    out->begin = i + quotes;
    out->end = text.n - quotes;
    return NULL;
}

static void put_code_point(buf *out, uint32_t c)
{
    if (c < 0x80) {
        buf_u8(out, (uint8_t)c);
        return;
    }
    if (c < 0x800) {
        buf_u8(out, (uint8_t)(0xC0 | (c >> 6)));
    } else {
        if (c < 0x10000) {
            buf_u8(out, (uint8_t)(0xE0 | (c >> 12)));
        } else {
            buf_u8(out, (uint8_t)(0xF0 | (c >> 18)));
            buf_u8(out, (uint8_t)(0x80 | ((c >> 12) & 0x3F)));
        }
        buf_u8(out, (uint8_t)(0x80 | ((c >> 6) & 0x3F)));
    }
    buf_u8(out, (uint8_t)(0x80 | (c & 0x3F)));
}

/* Exactly `most` hexadecimal digits, or up to `most` octal ones. */
static bool read_code(str body, size_t *at, int base, size_t most, uint32_t *out)
{
    size_t n = 0;
    *out = 0;
    while (n < most && *at < body.n && digit_value(body.p[*at]) < base) {
        *out = *out * (uint32_t)base + (uint32_t)digit_value(body.p[(*at)++]);
        n++;
    }
    return base == 8 ? n > 0 : n == most;
}

static const char *put_code_escape(buf *out, str body, size_t *at, char kind, bool bytes)
{
    uint32_t c;
    bool octal = kind >= '0' && kind <= '7';
    if (octal) --*at;
    size_t most = octal ? 3 : kind == 'x' ? 2 : kind == 'u' ? 4 : 8;
    if (!read_code(body, at, octal ? 8 : 16, most, &c)) return "this escape lacks digits";
    if (c == 0) return "a string may not hold the NUL character";
    if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) return "this escape is no character";
    if (bytes) {
        if (c > 0xFF) return "this escape is no byte";
        buf_u8(out, (uint8_t)c);
    } else {
        put_code_point(out, c);
    }
    return NULL;
}

/* `at` is just after the backslash. */
static const char *put_escape(buf *out, str body, size_t *at, bool bytes)
{
    static const char names[] = "\\\\''\"\"a\ab\bf\fn\nr\rt\tv\v";
    char c = body.p[(*at)++];
    if (c == '\n') return NULL;
    if (c == '\r') {
        if (*at < body.n && body.p[*at] == '\n') ++*at;
        return NULL;
    }
    for (size_t i = 0; i + 1 < sizeof names; i += 2) {
        if (names[i] != c) continue;
        buf_char(out, names[i + 1]);
        return NULL;
    }
    bool wide = (c == 'u' || c == 'U') && !bytes;
    if (c == 'x' || wide || (c >= '0' && c <= '7')) return put_code_escape(out, body, at, c, bytes);
    if (c == 'N' && !bytes) return "characters by name (\\N{...}) are not supported";
    buf_char(out, '\\'); /* as Python keeps an escape that it does not know */
    buf_char(out, c);
    return NULL;
}

const char *literal_unescape(arena *mem, str body, const string_literal *how, str *out)
{
    bool plain = body.n == 0 || (memchr(body.p, '\\', body.n) == NULL && memchr(body.p, '\r', body.n) == NULL);
    if (plain) {
        *out = str_copy(mem, body);
        return NULL;
    }
    ingot_allocator hook = arena_hook(mem);
    buf text = buf_make(&hook);
    for (size_t i = 0; i < body.n;) {
        char c = body.p[i++];
        if (c == '\r') {
            if (i < body.n && body.p[i] == '\n') i++;
            c = '\n';
        }
        if (c != '\\' || how->is_raw || i == body.n) {
            buf_char(&text, c);
            continue;
        }
        const char *wrong = put_escape(&text, body, &i, how->is_bytes);
        if (wrong != NULL) return wrong;
    }
    *out = str_copy(mem, buf_view(&text));
    return NULL;
}
