/* Reads the values of -D and --arg: Python's literals, and bare words as text. */
#include "cli/literal.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 32 };

typedef struct reader {
    const char *whole, *at;
    cli_pool *pool;
    cli_bytes *why;
    int depth;
} reader;

static bool read_value(reader *r, ingot_value *out);

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool cli_assignment(const char *text, cli_pool *pool, const char **name, const char **value,
                    cli_bytes *why)
{
    const char *equals = strchr(text, '=');
    if (!equals) {
        cli_bytes_print(why, "'%s' is not of the form NAME=VALUE", text);
        return false;
    }
    bool ok = is_letter(text[0]) || (unsigned char)text[0] >= 0x80;
    for (const char *c = text; c < equals; c++)
        ok = ok && (is_letter(*c) || is_digit(*c) || (unsigned char)*c >= 0x80);
    *name = cli_pool_text(pool, text, (size_t)(equals - text));
    *value = equals + 1;
    if (!ok) cli_bytes_print(why, "'%s' is not a name", *name);
    return ok;
}

static void skip_blanks(reader *r)
{
    r->at += strspn(r->at, " \t\n");
}

/* The characters up to what ends a word: a comma or parenthesis inside a tuple, the end of the
 * text outside. */
static size_t word_size(const reader *r)
{
    size_t size = r->depth ? strcspn(r->at, ",() \t\n") : strlen(r->at);
    while (size && strchr(" \t\n", r->at[size - 1])) size--;
    return size;
}

static bool word_is(const char *word, size_t size, const char *text)
{
    return strlen(text) == size && memcmp(word, text, size) == 0;
}

static bool is_any_case(const char *word, const char *text)
{
    for (; *word && *text; word++, text++) {
        char c = *word >= 'A' && *word <= 'Z' ? (char)(*word - 'A' + 'a') : *word;
        if (c != *text) return false;
    }
    return *word == *text;
}

/* A copy of the word without the underscores that may stand between digits; NULL where one stands
 * elsewhere. */
static char *digits_of(reader *r, const char *word, size_t size)
{
    char *out = cli_pool_new(r->pool, size + 1, 1);
    size_t n = 0;
    for (size_t i = 0; i < size; i++) {
        if (word[i] != '_') {
            out[n++] = word[i];
            continue;
        }
        bool between = i > 0 && i + 1 < size && word[i - 1] != '_' && word[i + 1] != '_' &&
                       word[i - 1] != '.' && word[i + 1] != '.';
        if (!between) return NULL;
    }
    return out;
}

static bool refuse(reader *r, const char *word, size_t size, const char *what)
{
    cli_bytes_print(r->why, "'%.*s' %s", (int)(size < 200 ? size : 200), word, what);
    return false;
}

static int base_of(const char **digits)
{
    const char *d = *digits;
    if (d[0] != '0' || !d[1]) return 10;
    int base = (d[1] | 32) == 'x' ? 16 : (d[1] | 32) == 'o' ? 8 : (d[1] | 32) == 'b' ? 2 : 10;
    if (base != 10) *digits += 2;
    return base;
}

/* The magnitude of a whole number; 1, 0 where the text is none, -1 where it is too large. */
static int read_whole(const char *digits, uint64_t *out)
{
    int base = base_of(&digits);
    if (!*digits || (base == 10 && digits[0] == '0' && digits[strspn(digits, "0")]))
        return 0; /* "010": not Python */
    uint64_t value = 0;
    bool over = false;
    for (; *digits; digits++) {
        int c = is_digit(*digits)                                ? *digits - '0'
                : (*digits | 32) >= 'a' && (*digits | 32) <= 'f' ? (*digits | 32) - 'a' + 10
                                                                 : 99;
        if (c >= base) return 0;
        over = over || value > (UINT64_MAX - (uint64_t)c) / (uint64_t)base;
        value = value * (uint64_t)base + (uint64_t)c;
    }
    *out = value;
    return over ? -1 : 1;
}

/* Decimal digits with a point or an exponent; C's hexadecimal floats are not Python's. */
static bool read_real(const char *text, double *out)
{
    if (text[strspn(text, "0123456789.eE+-")] || text[strcspn(text, "0123456789")] == '\0')
        return false;
    if (!text[strcspn(text, ".eE")]) return false;
    if (!is_digit(text[0]) && text[0] != '.') return false;
    char *end;
    *out = strtod(text, &end);
    return *end == '\0';
}

static bool read_number(reader *r, const char *word, size_t size, ingot_value *out)
{
    bool minus = word[0] == '-';
    const char *digits =
        digits_of(r, word + (minus || word[0] == '+'), size - (minus || word[0] == '+'));
    if (!digits) return refuse(r, word, size, "is not a number; put it in quotes if it is a text");
    if (is_any_case(digits, "inf") || is_any_case(digits, "infinity") ||
        is_any_case(digits, "nan")) {
        double value = (digits[0] | 32) == 'n' ? (double)NAN : (double)INFINITY;
        *out = ingot_float(minus ? -value : value);
        return true;
    }
    uint64_t whole = 0;
    int kind = read_whole(digits, &whole);
    if (kind < 0 || (kind > 0 && whole > (uint64_t)INT64_MAX + (minus ? 1 : 0)))
        return refuse(r, word, size, "is outside the range of a 64-bit integer");
    if (kind > 0) {
        *out = ingot_int(!minus ? (int64_t)whole : whole ? -(int64_t)(whole - 1) - 1 : 0);
        return true;
    }
    double real = 0;
    if (!read_real(digits, &real))
        return refuse(r, word, size, "is not a number; put it in quotes if it is a text");
    if (isinf(real))
        return refuse(r, word, size, "is outside the range of a double; write inf for infinity");
    *out = ingot_float(minus ? -real : real);
    return true;
}

/* One escape of a quoted text, behind the backslash; false for one that is unknown. */
static bool read_escape(reader *r, cli_bytes *text)
{
    static const char from[] = "\\'\"ntr0", to[] = "\\'\"\n\t\r";
    const char *found = *r->at ? strchr(from, *r->at) : NULL;
    if (!found) return false;
    cli_bytes_put(text, *found == '0' ? "" : &to[found - from], 1);
    r->at++;
    return true;
}

static bool read_quoted(reader *r, ingot_value *out)
{
    const char *begin = r->at;
    char quote = *r->at++;
    cli_bytes text = {.pool = r->pool};
    while (*r->at && *r->at != quote) {
        if (*r->at == '\\') {
            r->at++;
            if (!read_escape(r, &text))
                return refuse(r, begin, strlen(begin), "has an unknown escape");
        } else {
            cli_bytes_put(&text, r->at++, 1);
        }
    }
    if (!*r->at) return refuse(r, begin, strlen(begin), "lacks its closing quote");
    r->at++;
    *out = ingot_str(text.data ? text.data : "", text.size);
    return true;
}

/* "(1, 2)", "(1,)", "()"; "(1)" is 1, as in Python. */
static bool read_tuple(reader *r, ingot_value *out)
{
    const char *begin = r->at++;
    if (++r->depth > DEEPEST) return refuse(r, r->whole, strlen(r->whole), "is nested too deeply");
    ingot_value *items = NULL;
    size_t count = 0;
    bool comma = false;
    for (skip_blanks(r); *r->at && *r->at != ')'; skip_blanks(r)) {
        if (count && !comma) return refuse(r, begin, strlen(begin), "lacks a comma");
        items = cli_pool_resize(r->pool, items, (count + 1) * sizeof *items);
        if (!read_value(r, &items[count++])) return false;
        skip_blanks(r);
        comma = *r->at == ',';
        r->at += comma;
    }
    if (*r->at != ')') return refuse(r, begin, strlen(begin), "lacks its closing parenthesis");
    r->at++;
    r->depth--;
    *out = count == 1 && !comma ? items[0] : ingot_tuple(items, count);
    return true;
}

/* None, True, False, a number, or a text without quotes. */
static bool read_word(reader *r, ingot_value *out)
{
    const char *word = r->at;
    size_t size = word_size(r);
    r->at += size;
    if (size == 0) return refuse(r, r->whole, strlen(r->whole), "lacks a value");
    *out = word_is(word, size, "None") ? ingot_none() : ingot_bool(word_is(word, size, "True"));
    if (word_is(word, size, "None") || word_is(word, size, "True") || word_is(word, size, "False"))
        return true;
    if (is_digit(word[0]) || strchr("+-.", word[0])) return read_number(r, word, size, out);
    char *text = cli_pool_text(r->pool, word, size);
    if (is_any_case(text, "inf") || is_any_case(text, "infinity") || is_any_case(text, "nan"))
        return read_number(r, word, size, out);
    if (is_any_case(text, "none") || is_any_case(text, "true") || is_any_case(text, "false"))
        return refuse(r, word, size,
                      "is written None, True or False; put it in quotes if it is a text");
    bool plain = true;
    for (const char *c = text; *c; c++)
        plain = plain &&
                (is_letter(*c) || is_digit(*c) || strchr("./:-", *c) || (unsigned char)*c >= 0x80);
    if (!plain) return refuse(r, word, size, "is no value; put it in quotes if it is a text");
    *out = ingot_str(text, size);
    return true;
}

static bool read_value(reader *r, ingot_value *out)
{
    skip_blanks(r);
    if (*r->at == '(') return read_tuple(r, out);
    if (*r->at == '"' || *r->at == '\'') return read_quoted(r, out);
    return read_word(r, out);
}

bool cli_literal(const char *text, cli_pool *pool, ingot_value *out, cli_bytes *why)
{
    reader r = {text, text, pool, why, 0};
    *out = ingot_none();
    if (!*text) {
        cli_bytes_text(why, "the value is empty; write \"\" for an empty text");
        return false;
    }
    if (!read_value(&r, out)) return false;
    skip_blanks(&r);
    if (!*r.at) return true;
    return refuse(&r, text, strlen(text), "has something behind its value");
}
