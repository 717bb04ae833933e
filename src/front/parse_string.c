/* String literals: several side by side are one; f-strings are taken apart into text and fields. */
#include "front/parser.h"

/* The span of bytes [begin, end) of a token. */
static span part_of(token t, size_t begin, size_t end)
{
    bool fixed = t.at.end - t.at.begin != t.text.n;
    if (fixed) return t.at;
    return (span){t.at.file, t.at.begin + (uint32_t)begin, t.at.begin + (uint32_t)end};
}

static void push_text(parser *p, ast_vec *parts, token t, str body, const string_literal *how)
{
    str value;
    const char *wrong = literal_unescape(p->mem, body, how, &value);
    if (wrong != NULL) {
        parser_fail(p, t.at, "%s", wrong);
        value = STR("");
    }
    bool as_it_stands = str_eq(value, body) && t.at.end - t.at.begin == t.text.n;
    size_t begin = (size_t)(body.p - t.text.p);
    span inside = as_it_stands ? part_of(t, begin, begin + body.n) : (span){0};
    ast_vec_push(p->mem, parts,
                 ast_make(p, STRING, string, t.at, 0, .value = value, .inside = inside));
}

/* The end of a field's expression: '!', ':' or '}' outside of brackets and strings. */
static size_t field_end(str body, size_t i)
{
    int depth = 0;
    char quote = '\0';
    for (; i < body.n; ++i) {
        char c = body.p[i];
        if (quote != '\0') {
            if (c == quote) quote = '\0';
            continue;
        }
        if (c == '"' || c == '\'') quote = c;
        if (c == '(' || c == '[' || c == '{') depth++;
        if (depth == 0 && (c == '}' || c == ':')) return i;
        if (depth == 0 && c == '!' && (i + 1 >= body.n || body.p[i + 1] != '=')) return i;
        if (c == ')' || c == ']' || c == '}') depth--;
    }
    return i;
}

/* A field from just after its '{'; returns where its '}' is. */
static size_t push_field(parser *p, ast_vec *parts, token t, str body, size_t begin)
{
    size_t end = field_end(body, begin), at = end;
    char conversion = '\0';
    str spec = STR("");
    if (at + 1 < body.n && body.p[at] == '!') {
        conversion = body.p[at + 1];
        at += 2;
    }
    if (at < body.n && body.p[at] == ':') {
        size_t from = ++at;
        while (at < body.n && body.p[at] != '}' && body.p[at] != '{') at++;
        spec = (str){body.p + from, at - from};
    }
    size_t offset = (size_t)(body.p - t.text.p);
    span where = part_of(t, offset + begin, offset + end);
    if (at >= body.n || body.p[at] != '}') {
        parser_fail(p, where, "this field of an f-string is not closed, or is too involved");
        return body.n;
    }
    if (begin == end) {
        parser_fail(p, t.at, "an empty field in an f-string");
        return at;
    }
    lex_input input = {.text = {body.p + begin, end - begin},
                       .file = where.file,
                       .offset = where.begin,
                       .is_fixed = where.begin == t.at.begin,
                       .fixed = where,
                       .inside = true};
    if (!parser_enter(p)) return at;
    const ast *value = parse_expression(p->mem, p->diags, input);
    parser_leave(p);
    if (value == NULL) {
        p->failed = true; /* reported */
        return at;
    }
    ast_vec_push(p->mem, parts,
                 ast_make(p, FIELD, field, where, value->height + 1, .value = value, .spec = spec,
                          .conversion = conversion));
    return at;
}

/* The text between two fields, with {{ and }} as one brace each. */
static str plain_part(parser *p, str body, size_t begin, size_t end)
{
    char *text = arena_alloc(p->mem, end - begin + 1);
    size_t n = 0;
    for (size_t i = begin; i < end; ++i) {
        text[n++] = body.p[i];
        if ((body.p[i] == '{' || body.p[i] == '}') && i + 1 < end && body.p[i + 1] == body.p[i])
            ++i;
    }
    return (str){text, n};
}

static void push_plain(parser *p, ast_vec *parts, token t, str body, const string_literal *how)
{
    if (body.n == 0) return;
    str value;
    const char *wrong = literal_unescape(p->mem, body, how, &value);
    if (wrong != NULL) {
        parser_fail(p, t.at, "%s", wrong);
        return;
    }
    ast_vec_push(p->mem, parts, ast_make(p, STRING, string, t.at, 0, .value = value));
}

static void push_format(parser *p, ast_vec *parts, token t, str body, const string_literal *how)
{
    size_t begin = 0;
    for (size_t i = 0; i < body.n && !p->failed; ++i) {
        char c = body.p[i];
        if (c != '{' && c != '}') continue;
        if (i + 1 < body.n && body.p[i + 1] == c) {
            ++i;
            continue;
        }
        if (c == '}') {
            parser_fail(p, t.at, "a single '}' in an f-string");
            return;
        }
        push_plain(p, parts, t, plain_part(p, body, begin, i), how);
        i = push_field(p, parts, t, body, i + 1);
        begin = i + 1;
    }
    if (begin < body.n) push_plain(p, parts, t, plain_part(p, body, begin, body.n), how);
}

const ast *parse_strings(parser *p)
{
    span at = parser_peek(p).at;
    ast_vec parts = {0};
    bool format = false;
    while (parser_is(p, TOKEN_STRING)) {
        token t = parser_take(p);
        string_literal how;
        const char *wrong = literal_string_parts(t.text, &how);
        if (wrong != NULL) {
            parser_fail(p, t.at, "%s", wrong);
            break;
        }
        str body = {t.text.p + how.begin, how.end - how.begin};
        format = format || how.is_format;
        if (how.is_format) {
            push_format(p, &parts, t, body, &how);
        } else {
            push_text(p, &parts, t, body, &how);
        }
    }
    span all = parser_since(p, at);
    ast_list list = ast_list_of(parts);
    if (format) return ast_make(p, FORMAT, format, all, ast_list_height(list) + 1, .parts = list);
    if (list.n == 1) return list.at[0];
    str joined = STR("");
    for (size_t i = 0; i < list.n; ++i) {
        str next = ast_as_string(list.at[i])->value;
        joined = str_format(p->mem, "%.*s%.*s", STR_ARG(joined), STR_ARG(next));
    }
    return ast_make(p, STRING, string, all, 0, .value = joined);
}
