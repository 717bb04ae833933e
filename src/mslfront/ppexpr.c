/* The arithmetic of #if. */
#include "mslfront/literal.h"
#include "mslfront/preproc.h"

enum { DEPTH = 200 };

typedef struct value {
    uint64_t v;
    bool is_unsigned;
} value;

typedef struct reader {
    mf_preproc *pp;
    mf_tokens words;
    size_t at;
    span line;
    span op; /* of the operator that is being computed */
    unsigned depth;
    bool failed;
} reader;

static const mf_token *peek(const reader *r)
{
    static const mf_token end = {.kind = MF_TOK_END};
    return r->at < r->words.n ? &r->words.at[r->at] : &end;
}

static value fail(reader *r, const char *what)
{
    if (!r->failed) {
        const mf_token *t = peek(r);
        diag_error(r->pp->diags, t->at.file != 0 ? t->at : r->line, "%s in the condition", what);
    }
    r->failed = true;
    return (value){0};
}

static value ternary(reader *r, bool live);

static value number(reader *r)
{
    mf_literal n;
    const char *fault = mf_read_number(mf_token_text(peek(r)), &n);
    if (fault != NULL) return fail(r, fault);
    if (mf_scalar_is_float(n.type)) return fail(r, "a floating number stands");
    ++r->at;
    return (value){n.value.i, mf_scalar_class(n.type) == MF_CLASS_UNSIGNED};
}

static value primary(reader *r, bool live)
{
    const mf_token *t = peek(r);
    if (++r->depth > DEPTH) return fail(r, "too deep nesting");
    value v = {0};
    if (t->kind == MF_TOK_NUMBER) {
        v = number(r);
    } else if (t->kind == MF_TOK_CHAR) {
        int64_t c = 0;
        if (!mf_read_character(mf_token_text(t), &c)) return fail(r, "a wrong character constant");
        v.v = (uint64_t)c;
        ++r->at;
    } else if (t->ident != NULL) {
        v.v = t->kind == MF_KW_TRUE;
        ++r->at;
        if (peek(r)->kind == MF_TOK_L_PAREN) return fail(r, "an unknown function");
    } else if (t->kind == MF_TOK_L_PAREN) {
        ++r->at;
        v = ternary(r, live);
        if (peek(r)->kind != MF_TOK_R_PAREN) return fail(r, "missing ')'");
        ++r->at;
    } else if (t->kind == MF_TOK_MINUS || t->kind == MF_TOK_PLUS || t->kind == MF_TOK_TILDE) {
        ++r->at;
        v = primary(r, live);
        v.v = t->kind == MF_TOK_MINUS ? 0 - v.v : t->kind == MF_TOK_TILDE ? ~v.v : v.v;
    } else if (t->kind == MF_TOK_BANG) {
        ++r->at;
        v = (value){primary(r, live).v == 0, false};
    } else {
        return fail(r, "an operand is missing");
    }
    --r->depth;
    return v;
}

static int precedence(const reader *r, size_t *length)
{
    *length = 1;
    switch ((int)peek(r)->kind) {
    case MF_TOK_STAR:
    case MF_TOK_SLASH:
    case MF_TOK_PERCENT: return 10;
    case MF_TOK_PLUS:
    case MF_TOK_MINUS: return 9;
    case MF_TOK_SHIFT_LEFT: return 8;
    case MF_TOK_GREATER:
        if (r->at + 1 < r->words.n && r->words.at[r->at + 1].kind == MF_TOK_GREATER) {
            *length = 2;
            return 8;
        }
        return 7;
    case MF_TOK_LESS:
    case MF_TOK_LESS_EQ:
    case MF_TOK_GREATER_EQ: return 7;
    case MF_TOK_EQ_EQ:
    case MF_TOK_BANG_EQ: return 6;
    case MF_TOK_AMP: return 5;
    case MF_TOK_CARET: return 4;
    case MF_TOK_PIPE: return 3;
    case MF_TOK_AMP_AMP: return 2;
    case MF_TOK_PIPE_PIPE: return 1;
    default: return 0; /* any other token ends the expression */
    }
}

static value divide(reader *r, value a, value b, bool remainder, bool is_unsigned)
{
    if (b.v == 0) {
        diag_error(r->pp->diags, r->op, "division by zero in the condition");
        r->failed = true;
        return b;
    }
    if (is_unsigned) return (value){remainder ? a.v % b.v : a.v / b.v, true};
    if ((int64_t)b.v == -1) return (value){remainder ? 0 : 0 - a.v, false};
    int64_t x = (int64_t)a.v, y = (int64_t)b.v;
    return (value){(uint64_t)(remainder ? x % y : x / y), false};
}

static value compute(reader *r, mf_token_kind op, size_t length, value a, value b)
{
    bool u = a.is_unsigned || b.is_unsigned;
    bool less = u ? a.v < b.v : (int64_t)a.v < (int64_t)b.v;
    uint64_t count = b.v & 63;
    switch ((int)op) {
    case MF_TOK_STAR: return (value){a.v * b.v, u};
    case MF_TOK_SLASH: return divide(r, a, b, false, u);
    case MF_TOK_PERCENT: return divide(r, a, b, true, u);
    case MF_TOK_PLUS: return (value){a.v + b.v, u};
    case MF_TOK_MINUS: return (value){a.v - b.v, u};
    case MF_TOK_SHIFT_LEFT: return (value){a.v << count, a.is_unsigned};
    case MF_TOK_GREATER:
        if (length == 1) return (value){!less && a.v != b.v, false};
        if (a.is_unsigned || (int64_t)a.v >= 0) return (value){a.v >> count, a.is_unsigned};
        return (value){~(~a.v >> count), false};
    case MF_TOK_LESS: return (value){less, false};
    case MF_TOK_LESS_EQ: return (value){less || a.v == b.v, false};
    case MF_TOK_GREATER_EQ: return (value){!less, false};
    case MF_TOK_EQ_EQ: return (value){a.v == b.v, false};
    case MF_TOK_BANG_EQ: return (value){a.v != b.v, false};
    case MF_TOK_AMP: return (value){a.v & b.v, u};
    case MF_TOK_CARET: return (value){a.v ^ b.v, u};
    case MF_TOK_PIPE: return (value){a.v | b.v, u};
    case MF_TOK_AMP_AMP: return (value){a.v != 0 && b.v != 0, false};
    case MF_TOK_PIPE_PIPE: return (value){a.v != 0 || b.v != 0, false};
    default: return a; /* not an operator: never asked */
    }
}

/* Operators that bind at least as tightly as `least`. Not `live`: read, its value not needed. */
static value binary(reader *r, int least, bool live)
{
    value a = primary(r, live);
    for (;;) {
        size_t length;
        int p = precedence(r, &length);
        if (p < least || p == 0 || r->failed) return a;
        mf_token_kind op = peek(r)->kind;
        span op_at = peek(r)->at;
        r->at += length;
        bool skip = (op == MF_TOK_AMP_AMP && a.v == 0) || (op == MF_TOK_PIPE_PIPE && a.v != 0);
        value b = binary(r, p + 1, live && !skip);
        r->op = op_at;
        if (live && !r->failed) a = compute(r, op, length, a, skip ? (value){0} : b);
    }
}

static value ternary(reader *r, bool live)
{
    value a = binary(r, 1, live);
    if (peek(r)->kind != MF_TOK_QUESTION || r->failed) return a;
    if (++r->depth > DEPTH) return fail(r, "too deep nesting");
    ++r->at;
    value b = ternary(r, live && a.v != 0);
    if (peek(r)->kind != MF_TOK_COLON) return fail(r, "missing ':'");
    ++r->at;
    value c = ternary(r, live && a.v == 0);
    --r->depth;
    return a.v != 0 ? b : c;
}

/* defined(X) and __has_include(<x>) to 1 or 0, before macros are expanded. */
static mf_tokens resolve(mf_preproc *pp, const mf_tokens *words)
{
    mf_tokens out = mf_tokens_none();
    for (size_t i = 0; i < words->n; ++i) {
        mf_token t = words->at[i];
        bool is_defined = t.ident != NULL && str_is(t.ident->text, "defined");
        bool has_include = t.ident != NULL && str_is(t.ident->text, "__has_include");
        if (!is_defined && !has_include) {
            mf_tokens_push(pp->mem, &out, t);
            continue;
        }
        bool paren = i + 1 < words->n && words->at[i + 1].kind == MF_TOK_L_PAREN;
        size_t first = i + (paren ? 2 : 1), last = first;
        while (paren && last < words->n && words->at[last].kind != MF_TOK_R_PAREN) ++last;
        bool yes = false;
        if (is_defined && first < words->n && words->at[first].ident != NULL) {
            yes = words->at[first].ident->macro != NULL;
        } else if (has_include && last > first &&
                   words->at[last - 1].at.end - words->at[first].at.begin > 2) {
            span at = span_join(words->at[first].at, words->at[last - 1].at);
            yes = mf_pp_known_header((str){pp->file.text + at.begin + 1, at.end - at.begin - 2});
        } else {
            diag_error(pp->diags, t.at, "'%.*s' needs a name", STR_ARG(t.ident->text));
        }
        t.kind = MF_TOK_NUMBER;
        t.ident = NULL;
        t.p = yes ? "1" : "0";
        t.n = 1;
        mf_tokens_push(pp->mem, &out, t);
        i = last;
    }
    return out;
}

bool mf_pp_condition(mf_preproc *pp, mf_tokens words, span at)
{
    mf_tokens resolved = resolve(pp, &words);
    reader r = {.pp = pp, .line = at};
    r.words = mf_pp_expand(pp, resolved.at, resolved.n);
    value v = ternary(&r, true);
    if (!r.failed && r.at < r.words.n) fail(&r, "unexpected words");
    return !r.failed && v.v != 0;
}
