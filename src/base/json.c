/* A small, strict JSON reader. */
#include "base/json.h"

enum { DEPTH_LIMIT = 64 };

typedef struct reader {
    arena *mem;
    str text;
    size_t at;
    const char *error;
    size_t error_at;
} reader;

static json *fail(reader *r, const char *what)
{
    if (r->error == NULL) {
        r->error = what;
        r->error_at = r->at;
    }
    return NULL;
}

static char peek(const reader *r)
{
    return r->at < r->text.n ? r->text.p[r->at] : '\0';
}

static void skip_space(reader *r)
{
    while (peek(r) == ' ' || peek(r) == '\t' || peek(r) == '\n' || peek(r) == '\r') ++r->at;
}

static bool take(reader *r, char c)
{
    skip_space(r);
    if (peek(r) != c) return false;
    ++r->at;
    return true;
}

static bool take_word(reader *r, str word)
{
    str rest = {r->text.p + r->at, r->text.n - r->at};
    if (!str_starts(rest, word)) return false;
    r->at += word.n;
    return true;
}

/* Four hexadecimal digits; -1 where there are none. */
static int32_t hex4(reader *r)
{
    int32_t v = 0;
    for (int i = 0; i < 4; ++i, ++r->at) {
        char c = peek(r);
        int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
        if (digit < 0) return -1;
        v = v * 16 + digit;
    }
    return v;
}

static size_t put_utf8(char *out, uint32_t c)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = n - 1; i > 0; --i, c >>= 6) out[i] = (char)(0x80 | (c & 0x3F));
    out[0] = (char)(lead[n] | c);
    return n;
}

/* The character after a backslash, written to `out`; 0 on a bad escape. */
static size_t escape(reader *r, char *out)
{
    char c = peek(r);
    ++r->at;
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *known = c != '\0' ? strchr(from, c) : NULL;
    if (known != NULL) {
        out[0] = to[known - from];
        return 1;
    }
    if (c != 'u') return 0;
    int32_t high = hex4(r);
    if (high < 0 || (high >= 0xDC00 && high < 0xE000)) return 0;
    if (high < 0xD800 || high >= 0xE000) return put_utf8(out, (uint32_t)high);
    if (!take_word(r, STR("\\u"))) return 0;
    int32_t low = hex4(r);
    if (low < 0xDC00 || low >= 0xE000) return 0;
    return put_utf8(out, 0x10000 + ((uint32_t)(high - 0xD800) << 10) + (uint32_t)(low - 0xDC00));
}

static bool string(reader *r, str *out)
{
    size_t room = r->text.n - r->at;
    char *p = arena_alloc(r->mem, room + 5);
    size_t n = 0;
    while (peek(r) != '"') {
        unsigned char c = (unsigned char)peek(r);
        if (r->at >= r->text.n || c < 0x20) return fail(r, "unterminated string") != NULL;
        ++r->at;
        if (c != '\\') {
            p[n++] = (char)c;
            continue;
        }
        size_t wrote = escape(r, p + n);
        if (wrote == 0) return fail(r, "bad escape in a string") != NULL;
        n += wrote;
    }
    ++r->at;
    p[n] = '\0';
    *out = (str){p, n};
    return true;
}

static size_t digits(reader *r)
{
    size_t n = 0;
    for (; peek(r) >= '0' && peek(r) <= '9'; ++r->at) ++n;
    return n;
}

static bool number(reader *r, str *out)
{
    size_t from = r->at;
    if (peek(r) == '-') ++r->at;
    bool zero = peek(r) == '0';
    size_t whole = digits(r);
    bool good = whole == 1 || (whole > 1 && !zero);
    if (good && peek(r) == '.') {
        ++r->at;
        good = digits(r) != 0;
    }
    if (good && (peek(r) == 'e' || peek(r) == 'E')) {
        ++r->at;
        if (peek(r) == '+' || peek(r) == '-') ++r->at;
        good = digits(r) != 0;
    }
    *out = (str){r->text.p + from, r->at - from};
    return good || fail(r, "malformed number") != NULL;
}

static json *value(reader *r, int depth);

/* Children up to the closing character; objects have keys. */
static bool children(reader *r, json *parent, char close, int depth)
{
    json **tail = &parent->first;
    if (take(r, close)) return true;
    do {
        str key = {0};
        if (close == '}') {
            if (!take(r, '"')) return fail(r, "expected a string as the key") != NULL;
            if (!string(r, &key)) return false;
            if (json_member(parent, key.p) != NULL) return fail(r, "key given twice") != NULL;
            if (!take(r, ':')) return fail(r, "expected ':'") != NULL;
        }
        json *child = value(r, depth + 1);
        if (child == NULL) return false;
        child->key = key;
        *tail = child;
        tail = &child->next;
    } while (take(r, ','));
    return take(r, close) || fail(r, close == '}' ? "expected ',' or '}'" : "expected ',' or ']'") != NULL;
}

static json *value(reader *r, int depth)
{
    skip_space(r);
    json *v = arena_new(r->mem, json);
    v->at = r->at;
    if (depth > DEPTH_LIMIT) return fail(r, "nested too deeply");
    if (take_word(r, STR("null"))) return v;
    v->truth = take_word(r, STR("true"));
    if (v->truth || take_word(r, STR("false"))) {
        v->kind = JSON_BOOL;
        return v;
    }
    char c = peek(r);
    if (c == '"') {
        ++r->at;
        v->kind = JSON_STRING;
        return string(r, &v->text) ? v : NULL;
    }
    if (c == '{' || c == '[') {
        ++r->at;
        v->kind = c == '{' ? JSON_OBJECT : JSON_ARRAY;
        return children(r, v, c == '{' ? '}' : ']', depth) ? v : NULL;
    }
    if (c == '-' || (c >= '0' && c <= '9')) {
        v->kind = JSON_NUMBER;
        return number(r, &v->text) ? v : NULL;
    }
    return fail(r, r->at < r->text.n ? "unexpected character" : "unexpected end of text");
}

const json *json_parse(arena *mem, str text, const char **error, size_t *error_at)
{
    reader r = {.mem = mem, .text = text};
    const json *v = value(&r, 0);
    skip_space(&r);
    if (v != NULL && r.at != text.n) v = fail(&r, "something follows the value");
    *error = r.error;
    *error_at = r.error_at;
    return v;
}

const json *json_member(const json *object, const char *key)
{
    if (object->kind != JSON_OBJECT) return NULL;
    for (const json *m = object->first; m != NULL; m = m->next) {
        if (str_is(m->key, key)) return m;
    }
    return NULL;
}

bool json_int(const json *v, int64_t *out)
{
    if (v->kind != JSON_NUMBER) return false;
    bool negative = v->text.p[0] == '-';
    int64_t total = 0;
    for (size_t i = negative; i < v->text.n; ++i) {
        char c = v->text.p[i];
        if (c < '0' || c > '9') return false;
        if (__builtin_mul_overflow(total, 10, &total)) return false;
        int digit = c - '0';
        if (__builtin_add_overflow(total, negative ? -digit : digit, &total)) return false;
    }
    *out = total;
    return true;
}
