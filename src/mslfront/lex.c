/* The raw lexer: bytes to tokens, without regard to directives. */
#include "mslfront/lex.h"

#include "mslfront/names.h"

static const char *const names[MF_TOKEN_KINDS] = {
    [MF_TOK_END] = "end of file",
    [MF_TOK_IDENT] = "identifier",
    [MF_TOK_NUMBER] = "number",
    [MF_TOK_STRING] = "string",
    [MF_TOK_CHAR] = "character",
    [MF_TOK_UNROLL] = "#pragma",
    [MF_TOK_UNKNOWN] = "unknown character",
#define MF_PUNCT(ID, text)   [MF_TOK_##ID] = "'" text "'",
#define MF_KEYWORD(ID, text) [MF_KW_##ID] = "'" text "'",
#include "mslfront/tokens.def"
#undef MF_PUNCT
#undef MF_KEYWORD
};

const char *mf_token_name(mf_token_kind kind)
{
    return names[kind];
}

static size_t find_slot(const mf_idents *set, str name, uint64_t hash)
{
    size_t mask = set->slot_count - 1;
    size_t at = (size_t)(hash ^ (hash >> 32)) & mask;
    while (set->slots[at] != NULL &&
           !(set->slots[at]->hash == hash && str_eq(set->slots[at]->text, name))) {
        at = (at + 1) & mask;
    }
    return at;
}

static void grow(arena *mem, mf_idents *set)
{
    mf_ident **old = set->slots;
    size_t old_count = set->slot_count;
    set->slot_count = old_count == 0 ? 128 : old_count * 2;
    set->slots = arena_array(mem, mf_ident *, set->slot_count);
    for (size_t i = 0; i < old_count; ++i) {
        if (old[i] != NULL) set->slots[find_slot(set, old[i]->text, old[i]->hash)] = old[i];
    }
}

mf_ident *mf_intern(arena *mem, mf_idents *set, str name)
{
    if (set->n * 2 >= set->slot_count) grow(mem, set);
    uint64_t hash = str_hash(name);
    size_t at = find_slot(set, name, hash);
    if (set->slots[at] == NULL) {
        mf_ident *id = arena_new(mem, mf_ident);
        id->text = name;
        id->hash = hash;
        mf_classify(mem, id);
        set->slots[at] = id;
        ++set->n;
    }
    return set->slots[at];
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}
static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

static char peek(const mf_lexer *x, uint32_t ahead)
{
    return ahead < x->end - x->at ? x->text[x->at + ahead] : '\0';
}

static span here(const mf_lexer *x, uint32_t begin)
{
    return (span){.file = x->file, .begin = begin, .end = x->at};
}

/* The length of a line splice (backslash, newline) at `at`, or 0. */
static uint32_t splice_length(const mf_lexer *x, uint32_t at)
{
    if (at >= x->end || x->text[at] != '\\') return 0;
    if (at + 1 < x->end && x->text[at + 1] == '\n') return 2;
    if (at + 2 < x->end && x->text[at + 1] == '\r' && x->text[at + 2] == '\n') return 3;
    return 0;
}

static void skip_line_comment(mf_lexer *x)
{
    while (x->at < x->end && x->text[x->at] != '\n') {
        uint32_t splice = splice_length(x, x->at);
        x->at += splice != 0 ? splice : 1;
    }
}

static void skip_block_comment(mf_lexer *x, uint8_t *flags)
{
    uint32_t begin = x->at;
    x->at += 2;
    while (x->at + 1 < x->end && !(x->text[x->at] == '*' && x->text[x->at + 1] == '/')) {
        if (x->text[x->at++] == '\n') *flags |= MF_AT_LINE;
    }
    if (x->at + 1 >= x->end) {
        x->at = x->end;
        if (!x->quiet)
            diag_error(x->diags, (span){x->file, begin, begin + 2}, "comment is not closed");
        return;
    }
    x->at += 2;
}

/* A splice joins two lines; one inside a word would glue its halves, which nobody writes and we
 * refuse. */
static void skip_splice(mf_lexer *x, uint32_t length)
{
    bool word_before = x->at > 0 && is_word(x->text[x->at - 1]);
    x->at += length;
    if (word_before && is_word(peek(x, 0)) && !x->quiet) {
        diag_unsupported(x->diags, here(x, x->at - length),
                         "a line splice inside a word is not supported");
    }
}

/* White space, comments and splices; the flags of the token that follows. */
static uint8_t skip_space(mf_lexer *x)
{
    uint8_t flags = x->at == 0 ? MF_AT_LINE : 0;
    while (x->at < x->end) {
        char c = x->text[x->at];
        uint32_t splice = splice_length(x, x->at);
        if (c == '\n') {
            flags |= MF_AT_LINE;
            ++x->at;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f') {
            ++x->at;
        } else if (splice != 0) {
            skip_splice(x, splice);
        } else if (c == '/' && peek(x, 1) == '/') {
            skip_line_comment(x);
        } else if (c == '/' && peek(x, 1) == '*') {
            skip_block_comment(x, &flags);
        } else {
            break;
        }
        flags |= MF_AT_SPACE;
    }
    return flags;
}

/* A preprocessing number: digits, letters, points, digit separators, signs after an exponent. */
static void lex_number(mf_lexer *x)
{
    bool hex = peek(x, 0) == '0' && (peek(x, 1) == 'x' || peek(x, 1) == 'X');
    for (;;) {
        char c = peek(x, 0);
        char next = peek(x, 1);
        bool exponent = hex ? c == 'p' || c == 'P' : c == 'e' || c == 'E';
        if (exponent && (next == '+' || next == '-')) {
            x->at += 2;
        } else if (is_word(c) || c == '.' || (c == '\'' && is_word(next))) {
            ++x->at;
        } else {
            return;
        }
    }
}

static void lex_quoted(mf_lexer *x, char quote)
{
    uint32_t begin = x->at++;
    while (x->at < x->end && x->text[x->at] != quote && x->text[x->at] != '\n') {
        x->at += x->text[x->at] == '\\' && x->at + 1 < x->end ? 2u : 1u;
    }
    if (x->at < x->end && x->text[x->at] == quote) {
        ++x->at;
        return;
    }
    if (x->at > x->end) x->at = x->end;
    if (!x->quiet)
        diag_error(x->diags, (span){x->file, begin, begin + 1}, "missing closing %c", quote);
}

/* The longest mark at the reader's place, or UNKNOWN for one byte (a whole character of UTF-8). */
static mf_token_kind lex_punct(mf_lexer *x)
{
#define THREE(a, b, c, K)                                                                          \
    if (c0 == (a) && c1 == (b) && c2 == (c)) return x->at += 3, MF_TOK_##K
#define TWO(a, b, K)                                                                               \
    if (c0 == (a) && c1 == (b)) return x->at += 2, MF_TOK_##K
    char c0 = peek(x, 0), c1 = peek(x, 1), c2 = peek(x, 2);
    THREE('.', '.', '.', ELLIPSIS);
    THREE('<', '<', '=', SHIFT_LEFT_EQ);
    TWO('-', '>', ARROW);
    TWO(':', ':', SCOPE);
    TWO('<', '<', SHIFT_LEFT);
    TWO('<', '=', LESS_EQ);
    TWO('>', '=', GREATER_EQ);
    TWO('=', '=', EQ_EQ);
    TWO('!', '=', BANG_EQ);
    TWO('&', '&', AMP_AMP);
    TWO('|', '|', PIPE_PIPE);
    TWO('+', '+', PLUS_PLUS);
    TWO('-', '-', MINUS_MINUS);
    TWO('+', '=', PLUS_EQ);
    TWO('-', '=', MINUS_EQ);
    TWO('*', '=', STAR_EQ);
    TWO('/', '=', SLASH_EQ);
    TWO('%', '=', PERCENT_EQ);
    TWO('&', '=', AMP_EQ);
    TWO('|', '=', PIPE_EQ);
    TWO('^', '=', CARET_EQ);
    TWO('#', '#', HASH_HASH);
#undef THREE
#undef TWO
    static const mf_token_kind single[128] = {
        ['('] = MF_TOK_L_PAREN,  [')'] = MF_TOK_R_PAREN,  ['['] = MF_TOK_L_SQUARE,
        [']'] = MF_TOK_R_SQUARE, ['{'] = MF_TOK_L_BRACE,  ['}'] = MF_TOK_R_BRACE,
        [';'] = MF_TOK_SEMI,     [','] = MF_TOK_COMMA,    ['.'] = MF_TOK_DOT,
        [':'] = MF_TOK_COLON,    ['?'] = MF_TOK_QUESTION, ['+'] = MF_TOK_PLUS,
        ['-'] = MF_TOK_MINUS,    ['*'] = MF_TOK_STAR,     ['/'] = MF_TOK_SLASH,
        ['%'] = MF_TOK_PERCENT,  ['&'] = MF_TOK_AMP,      ['|'] = MF_TOK_PIPE,
        ['^'] = MF_TOK_CARET,    ['~'] = MF_TOK_TILDE,    ['!'] = MF_TOK_BANG,
        ['<'] = MF_TOK_LESS,     ['>'] = MF_TOK_GREATER,  ['='] = MF_TOK_EQ,
        ['#'] = MF_TOK_HASH};
    ++x->at;
    unsigned char byte = (unsigned char)c0;
    if (byte < 128) return single[byte] != MF_TOK_END ? single[byte] : MF_TOK_UNKNOWN;
    while (((unsigned char)peek(x, 0) & 0xC0) == 0x80) ++x->at;
    return MF_TOK_UNKNOWN;
}

mf_token mf_lex(mf_lexer *x)
{
    mf_token t = {.flags = skip_space(x)};
    uint32_t begin = x->at;
    char c = peek(x, 0);
    if (x->at >= x->end) {
        t.kind = MF_TOK_END;
    } else if (is_digit(c) || (c == '.' && is_digit(peek(x, 1)))) {
        t.kind = MF_TOK_NUMBER;
        lex_number(x);
    } else if (is_word(c)) {
        while (is_word(peek(x, 0))) ++x->at;
        t.ident = mf_intern(x->mem, x->idents, (str){x->text + begin, x->at - begin});
        t.kind = t.ident->kind;
    } else if (c == '"' || c == '\'') {
        t.kind = c == '"' ? MF_TOK_STRING : MF_TOK_CHAR;
        lex_quoted(x, c);
    } else {
        t.kind = lex_punct(x);
    }
    t.p = x->text + begin;
    t.n = x->at - begin;
    t.at = here(x, begin);
    return t;
}
