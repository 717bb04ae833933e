/* Names and values of symbolic dimensions, and a small evaluator of index arithmetic. */
#include "cli/dims.h"

#include <string.h>

enum { DEEPEST = 64 };

typedef struct reader {
    const cli_dims *dims;
    const char *at;
    const char *missing;
    int depth;
    bool bad;
} reader;

static int64_t read_sum(reader *r);

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t name_size(const char *text)
{
    size_t size = 0;
    if (is_letter(text[0])) {
        while (is_letter(text[size]) || is_digit(text[size])) size++;
    }
    return size;
}

bool cli_dim_is_name(const char *text)
{
    size_t size = name_size(text);
    return size && !text[size];
}

bool cli_dim_mentions(const char *text, const char *name)
{
    size_t wanted = strlen(name);
    while (*text) {
        size_t size = name_size(text);
        if (size == wanted && memcmp(text, name, size) == 0) return true;
        text += size ? size : 1;
    }
    return false;
}

bool cli_dims_get(const cli_dims *dims, const char *name, int64_t *value)
{
    for (size_t i = 0; i < dims->count; i++) {
        if (strcmp(dims->items[i].name, name) != 0) continue;
        *value = dims->items[i].value;
        return true;
    }
    return false;
}

bool cli_dims_set(cli_dims *dims, const char *name, int64_t value, int64_t *old)
{
    if (cli_dims_get(dims, name, old)) return *old == value;
    dims->items = cli_pool_resize(dims->pool, dims->items, (dims->count + 1) * sizeof *dims->items);
    dims->items[dims->count++] =
        (struct cli_dim){cli_pool_text(dims->pool, name, strlen(name)), value};
    return true;
}

static void skip_blanks(reader *r)
{
    while (*r->at == ' ') r->at++;
}

static bool take(reader *r, const char *text)
{
    skip_blanks(r);
    size_t size = strlen(text);
    if (strncmp(r->at, text, size) != 0) return false;
    r->at += size;
    return true;
}

static int64_t bad(reader *r)
{
    r->bad = true;
    r->at += strlen(r->at); /* nothing more is read */
    return 0;
}

static int64_t read_number(reader *r)
{
    int64_t value = 0;
    for (; is_digit(*r->at); r->at++) {
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, *r->at - '0', &value))
            return bad(r);
    }
    return value;
}

/* Behind the name and "(". */
static int64_t read_call(reader *r, bool least)
{
    if (r->depth++ > DEEPEST) return bad(r);
    int64_t a = read_sum(r);
    if (!take(r, ",")) return bad(r);
    int64_t b = read_sum(r);
    if (!take(r, ")")) return bad(r);
    r->depth--;
    return (a < b) == least ? a : b;
}

static int64_t read_name(reader *r)
{
    const char *name = r->at;
    if (take(r, "T.min(") || take(r, "min(")) return read_call(r, true);
    if (take(r, "T.max(") || take(r, "max(")) return read_call(r, false);
    size_t size = name_size(name);
    r->at += size;
    for (size_t i = 0; i < r->dims->count; i++) {
        const struct cli_dim *dim = &r->dims->items[i];
        if (strlen(dim->name) == size && memcmp(dim->name, name, size) == 0) return dim->value;
    }
    if (!r->missing) r->missing = cli_pool_text(r->dims->pool, name, size);
    return 1; /* any value: the result is not used */
}

static int64_t read_leaf(reader *r)
{
    if (r->depth > DEEPEST) return bad(r);
    skip_blanks(r);
    if (take(r, "-")) {
        int64_t value = 0;
        r->depth++;
        if (__builtin_sub_overflow(0, read_leaf(r), &value)) return bad(r);
        r->depth--;
        return value;
    }
    if (take(r, "(")) {
        r->depth++;
        int64_t value = read_sum(r);
        r->depth--;
        return take(r, ")") ? value : bad(r);
    }
    if (is_digit(*r->at)) return read_number(r);
    return is_letter(*r->at) ? read_name(r) : bad(r);
}

/* Division rounds down, as Python's does. */
static int64_t divide(reader *r, int64_t a, int64_t b, bool rest)
{
    if (b == 0) return r->missing ? 0 : bad(r);
    if (b == -1) return rest ? 0 : (a == INT64_MIN ? bad(r) : -a);
    int64_t quotient = a / b, remainder = a % b;
    bool down = remainder && (remainder < 0) != (b < 0);
    if (rest) return down ? remainder + b : remainder;
    return down ? quotient - 1 : quotient;
}

static int64_t read_product(reader *r)
{
    int64_t value = read_leaf(r);
    for (;;) {
        if (take(r, "//")) {
            value = divide(r, value, read_leaf(r), false);
        } else if (take(r, "%")) {
            value = divide(r, value, read_leaf(r), true);
        } else if (take(r, "*")) {
            if (__builtin_mul_overflow(value, read_leaf(r), &value)) return bad(r);
        } else {
            return value;
        }
    }
}

static int64_t read_sum(reader *r)
{
    int64_t value = read_product(r);
    for (;;) {
        if (take(r, "+")) {
            if (__builtin_add_overflow(value, read_product(r), &value)) return bad(r);
        } else if (take(r, "-")) {
            if (__builtin_sub_overflow(value, read_product(r), &value)) return bad(r);
        } else {
            return value;
        }
    }
}

cli_dim_result cli_dim_value(const cli_dims *dims, const char *text, int64_t *value,
                             const char **missing)
{
    reader r = {.dims = dims, .at = text};
    int64_t result = read_sum(&r);
    skip_blanks(&r);
    if (r.bad || *r.at) return CLI_DIM_BAD;
    if (r.missing) {
        *missing = r.missing;
        return CLI_DIM_UNKNOWN;
    }
    *value = result;
    return CLI_DIM_OK;
}
