/* Tokens of Python text. */
#include "front/lex.h"

#include "base/letters.h"

/* Python's own limits on nesting. */
enum { MAX_INDENTS = 100, MAX_BRACKETS = 200, TAB = 8 };
/* Tokens that there is room for at once. */
enum { MOST_RESERVED = 1 << 16 };

typedef struct token_row {
    str text;
    const char *name;
} token_row;

static const token_row rows[] = {
#define TOKEN_CLASS(KIND, text) [TOKEN_##KIND] = {{"", 0}, text},
#define TOKEN_WORD(KIND, text)  [TOKEN_##KIND] = {{text, sizeof text - 1}, "'" text "'"},
#define TOKEN_SIGN(KIND, text)  [TOKEN_##KIND] = {{text, sizeof text - 1}, "'" text "'"},
#include "front/tokens.def"
#undef TOKEN_CLASS
#undef TOKEN_WORD
#undef TOKEN_SIGN
};

typedef struct lexer {
    arena *mem;
    diag_list *diags;
    lex_input in;
    size_t at; /* of the next byte */
    token_vec out;
    uint8_t first[128], next[TOKEN_COUNT]; /* words and signs by their first character: a kind, and those after it; 0 ends */
    uint32_t columns[MAX_INDENTS],
        narrow[MAX_INDENTS]; /* with tabs of 8 and of 1: both must agree */
    size_t indents;
    char brackets[MAX_BRACKETS];
    span opened[MAX_BRACKETS];
    size_t depth;
    bool stop;
} lexer;

const char *token_name(token_kind kind)
{
    return rows[kind].name;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name_char(char c)
{
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c);
}

/* The byte `ahead` of the next one; NUL past the end (a NUL within the text never gets this far).
 */
static char peek(const lexer *l, size_t ahead)
{
    return l->at + ahead < l->in.text.n ? l->in.text.p[l->at + ahead] : '\0';
}

static span span_of(const lexer *l, size_t begin, size_t end)
{
    if (l->in.is_fixed) return l->in.fixed;
    return (span){.file = l->in.file,
                  .begin = l->in.offset + (uint32_t)begin,
                  .end = l->in.offset + (uint32_t)end};
}

static void push(lexer *l, token_kind kind, size_t begin, size_t end)
{
    token_vec_push(l->mem, &l->out,
                   (token){.kind = kind,
                           .at = span_of(l, begin, end),
                           .text = {l->in.text.p + begin, end - begin}});
}

/* ---- The bytes ------------------------------------------------------------------------------- */

static bool continues(str text, size_t i)
{
    return i < text.n && ((unsigned char)text.p[i] & 0xC0) == 0x80;
}

size_t lex_utf8(str text)
{
    if (text.n == 0) return 0;
    unsigned char c = (unsigned char)text.p[0];
    if (c < 0x80) return 1;
    unsigned char d = text.n > 1 ? (unsigned char)text.p[1] : 0;
    if (c >= 0xC2 && c <= 0xDF) return continues(text, 1) ? 2 : 0;
    if (c >= 0xE0 && c <= 0xEF) {
        bool overlong = c == 0xE0 && d < 0xA0, surrogate = c == 0xED && d > 0x9F;
        return continues(text, 1) && continues(text, 2) && !overlong && !surrogate ? 3 : 0;
    }
    if (c >= 0xF0 && c <= 0xF4) {
        bool overlong = c == 0xF0 && d < 0x90, past = c == 0xF4 && d > 0x8F;
        return continues(text, 1) && continues(text, 2) && continues(text, 3) && !overlong && !past
                   ? 4
                   : 0;
    }
    return 0;
}

/* False, and reported, where the text holds a NUL or is not UTF-8. */
static bool check_bytes(lexer *l)
{
    str text = l->in.text;
    for (size_t i = 0; i < text.n;) {
        unsigned char c = (unsigned char)text.p[i];
        if (c != 0 && c < 0x80) {
            ++i;
            continue;
        }
        if (c == 0) {
            diag_error(l->diags, span_of(l, i, i + 1),
                       "the text holds a NUL byte: this is not a script");
            return false;
        }
        size_t n = lex_utf8((str){text.p + i, text.n - i});
        if (n == 0) {
            diag_error(l->diags, span_of(l, i, i + 1), "the text is not UTF-8: byte 0x%02x", (unsigned)c);
            return false;
        }
        i += n;
    }
    return true;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* Length of the line end here: "\n", "\r\n" or "\r"; 0 where there is none. */
static size_t line_end(const lexer *l)
{
    if (peek(l, 0) == '\n') return 1;
    if (peek(l, 0) == '\r') return peek(l, 1) == '\n' ? 2 : 1;
    return 0;
}

static void skip_comment(lexer *l)
{
    while (l->at < l->in.text.n && line_end(l) == 0) l->at++;
}

static void set_indentation(lexer *l, size_t begin, uint32_t column, uint32_t narrow)
{
    uint32_t now = l->columns[l->indents], thin = l->narrow[l->indents];
    if (column == now && narrow == thin) return;
    if ((column > now) != (narrow > thin) || (column == now) != (narrow == thin)) {
        diag_error(l->diags, span_of(l, begin, l->at),
                   "inconsistent use of tabs and spaces in indentation");
        return;
    }
    if (column > now) {
        if (l->indents + 1 == MAX_INDENTS) {
            diag_error(l->diags, span_of(l, begin, l->at), "more than %d levels of indentation",
                       MAX_INDENTS - 1);
            l->stop = true;
            return;
        }
        l->indents++;
        l->columns[l->indents] = column;
        l->narrow[l->indents] = narrow;
        push(l, TOKEN_INDENT, begin, l->at);
        return;
    }
    while (column < l->columns[l->indents]) {
        l->indents--;
        push(l, TOKEN_DEDENT, l->at, l->at);
    }
    if (column != l->columns[l->indents]) {
        diag_error(l->diags, span_of(l, begin, l->at), "this indentation matches no outer level");
    }
}

/* At the beginning of a line: measures its indentation. Blank lines and comments have none. */
static void begin_line(lexer *l)
{
    size_t begin = l->at;
    uint32_t column = 0, narrow = 0;
    for (;; l->at++) {
        char c = peek(l, 0);
        if (c == ' ') {
            column++;
            narrow++;
        } else if (c == '\t') {
            column = (column / TAB + 1) * TAB;
            narrow++;
        } else if (c == '\f') {
            column = narrow = 0;
        } else {
            break;
        }
    }
    if (peek(l, 0) == '#') skip_comment(l);
    if (l->at >= l->in.text.n || line_end(l) != 0) return;
    if (l->depth == 0 && !l->in.inside) set_indentation(l, begin, column, narrow);
}

/* Has this logical line no tokens yet? */
static bool is_empty_line(const lexer *l)
{
    if (l->out.n == 0) return true;
    token_kind last = l->out.at[l->out.n - 1].kind;
    return last == TOKEN_NEWLINE || last == TOKEN_INDENT || last == TOKEN_DEDENT;
}

static void end_line(lexer *l, size_t length)
{
    if (l->depth == 0 && !l->in.inside && !is_empty_line(l)) push(l, TOKEN_NEWLINE, l->at, l->at);
    l->at += length;
    if (l->depth == 0 && !l->in.inside) begin_line(l);
}

/* ---- Tokens ---------------------------------------------------------------------------------- */

static str rest_of(const lexer *l)
{
    return (str){l->in.text.p + l->at, l->in.text.n - l->at};
}

/* The first word or sign that begins with `c`. */
static unsigned first_of(const lexer *l, char c)
{
    return (unsigned char)c < sizeof l->first ? l->first[(unsigned char)c] : 0;
}

static void take_word(lexer *l)
{
    size_t begin = l->at;
    for (;;) {
        while (is_name_char(peek(l, 0))) l->at++;
        size_t n = letters_continue(rest_of(l));
        if (n == 0) break;
        l->at += n;
    }
    str text = {l->in.text.p + begin, l->at - begin};
    token_kind kind = TOKEN_NAME;
    for (unsigned i = first_of(l, text.p[0]); i != 0; i = l->next[i]) {
        if (str_eq(text, rows[i].text)) kind = (token_kind)i;
    }
    push(l, kind, begin, l->at);
}

/* All that a number may consist of; front/literal.c says whether it is one. */
static void take_number(lexer *l)
{
    size_t begin = l->at;
    bool hex = peek(l, 0) == '0' && (peek(l, 1) == 'x' || peek(l, 1) == 'X');
    for (;; l->at++) {
        char c = peek(l, 0);
        if (is_name_char(c) || c == '.') continue;
        char last = l->in.text.p[l->at - 1];
        bool exponent =
            !hex && (last == 'e' || last == 'E') && (c == '+' || c == '-') && is_digit(peek(l, 1));
        if (!exponent) break;
    }
    push(l, TOKEN_NUMBER, begin, l->at);
}

/* Length of a string prefix (r, b, f, u, rb ...) if a quote follows, else -1. */
static int string_prefix(const lexer *l)
{
    for (int i = 0; i <= 2; ++i) {
        char c = peek(l, (size_t)i);
        if (c == '"' || c == '\'') return i;
        char small = (char)(c | 0x20);
        if (small != 'r' && small != 'b' && small != 'f' && small != 'u') return -1;
    }
    return -1;
}

static void take_string(lexer *l, size_t prefix)
{
    size_t begin = l->at;
    l->at += prefix;
    char quote = peek(l, 0);
    bool triple = peek(l, 1) == quote && peek(l, 2) == quote;
    l->at += triple ? 3 : 1;
    for (;;) {
        if (l->at >= l->in.text.n || (!triple && line_end(l) != 0)) {
            diag_error(l->diags, span_of(l, begin, triple ? begin + prefix + 3 : l->at),
                       "this string is not closed");
            break;
        }
        char c = peek(l, 0);
        if (c == '\\') {
            l->at++;
            size_t end = line_end(l);
            l->at += end != 0 ? end : 1;
            if (l->at > l->in.text.n) l->at = l->in.text.n;
            continue;
        }
        if (c == quote && (!triple || (peek(l, 1) == quote && peek(l, 2) == quote))) {
            l->at += triple ? 3 : 1;
            break;
        }
        l->at++;
    }
    push(l, TOKEN_STRING, begin, l->at);
}

static void open_bracket(lexer *l, size_t begin, char c)
{
    if (l->depth == MAX_BRACKETS) {
        diag_error(l->diags, span_of(l, begin, begin + 1), "more than %d nested brackets",
                   MAX_BRACKETS);
        l->stop = true;
        return;
    }
    l->opened[l->depth] = span_of(l, begin, begin + 1);
    l->brackets[l->depth++] = c;
}

static void close_bracket(lexer *l, size_t begin, char c)
{
    char opener = c == ')' ? '(' : c == ']' ? '[' : '{';
    if (l->depth == 0) {
        if (!l->in.inside)
            diag_error(l->diags, span_of(l, begin, begin + 1), "'%c' closes nothing", c);
        return;
    }
    if (l->brackets[l->depth - 1] != opener) {
        diag_error(l->diags, span_of(l, begin, begin + 1), "'%c' does not close '%c'", c,
                   l->brackets[l->depth - 1]);
        diag_note(l->diags, l->opened[l->depth - 1], "'%c' is opened here",
                  l->brackets[l->depth - 1]);
    }
    l->depth--;
}

static void take_sign(lexer *l)
{
    size_t begin = l->at, best = 0;
    token_kind kind = TOKEN_END;
    str rest = {l->in.text.p + begin, l->in.text.n - begin};
    for (unsigned i = first_of(l, rest.p[0]); i != 0; i = l->next[i]) {
        if (rows[i].text.n <= best || !str_starts(rest, rows[i].text)) continue;
        best = rows[i].text.n;
        kind = (token_kind)i;
    }
    if (best == 0) {
        size_t n = lex_utf8(rest);
        l->at += n;
        const char *why = n > 1 ? " (names have letters and digits that are their own NFKC form)" : "";
        diag_error(l->diags, span_of(l, begin, l->at), "'%.*s' is no part of the language%s",
                   (int)n, rest.p, why);
        return;
    }
    l->at += best;
    char c = best == 1 ? rest.p[0] : '\0';
    if (c == '(' || c == '[' || c == '{') open_bracket(l, begin, c);
    if (c == ')' || c == ']' || c == '}') close_bracket(l, begin, c);
    push(l, kind, begin, l->at);
}

static void take_token(lexer *l)
{
    char c = peek(l, 0);
    size_t end = line_end(l);
    int prefix = string_prefix(l);
    if (end != 0) {
        end_line(l, end);
    } else if (c == ' ' || c == '\t' || c == '\f') {
        l->at++;
    } else if (c == '#') {
        skip_comment(l);
    } else if (c == '\\') {
        l->at++;
        size_t length = line_end(l);
        if (length == 0)
            diag_error(l->diags, span_of(l, l->at - 1, l->at),
                       "'\\' must be the last character of a line");
        l->at += length;
    } else if (prefix >= 0) {
        take_string(l, (size_t)prefix);
    } else if (letters_begin(rest_of(l)) != 0) {
        take_word(l);
    } else if (is_digit(c) || (c == '.' && is_digit(peek(l, 1)))) {
        take_number(l);
    } else {
        take_sign(l);
    }
}

static void index_rows(lexer *l)
{
    for (unsigned i = TOKEN_FALSE; i < TOKEN_COUNT; ++i) {
        unsigned char c = (unsigned char)rows[i].text.p[0];
        l->next[i] = l->first[c];
        l->first[c] = (uint8_t)i;
    }
}

token_vec lex(arena *mem, diag_list *diags, lex_input input)
{
    lexer *l = arena_new(mem, lexer);
    l->mem = mem;
    l->diags = diags;
    l->in = input;
    index_rows(l);
    size_t likely = input.text.n / 3 + 16;
    l->out.cap = likely < MOST_RESERVED ? likely : MOST_RESERVED;
    l->out.at = arena_grow(mem, NULL, 0, l->out.cap, sizeof *l->out.at);
    if (check_bytes(l)) {
        if (str_starts(input.text, STR("\xEF\xBB\xBF"))) l->at = 3;
        begin_line(l);
        while (!l->stop && l->at < input.text.n) take_token(l);
    } else {
        l->at = input.text.n;
    }
    if (l->depth != 0 && !l->stop) {
        diag_error(diags, l->opened[l->depth - 1], "'%c' is not closed", l->brackets[l->depth - 1]);
        l->depth = 0;
    }
    if (!input.inside) {
        if (!is_empty_line(l)) push(l, TOKEN_NEWLINE, l->at, l->at);
        for (; l->indents > 0; l->indents--) push(l, TOKEN_DEDENT, l->at, l->at);
    }
    push(l, TOKEN_END, l->at, l->at);
    return l->out;
}
