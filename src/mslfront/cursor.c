/* The parser's place among the tokens, and what happens after a syntax error. */
#include "mslfront/parser.h"

#include <stdarg.h>
#include <stdio.h>

const mf_token *mf_ahead(const mf_parser *p, size_t n)
{
    size_t at = p->at + n;
    return &p->tokens[at < p->token_count ? at : p->token_count - 1];
}

void mf_advance(mf_parser *p)
{
    if (!mf_at(p, MF_TOK_END)) ++p->at;
}

bool mf_accept(mf_parser *p, mf_token_kind k)
{
    if (!mf_at(p, k)) return false;
    mf_advance(p);
    return true;
}

span mf_last(const mf_parser *p)
{
    return p->at != 0 ? p->tokens[p->at - 1].at : p->tokens[0].at;
}

span mf_since(const mf_parser *p, span begin)
{
    return span_join(begin, mf_last(p));
}

__attribute__((format(printf, 4, 0)))
static void panic(mf_parser *p, span at, bool unsupported, const char *format, va_list args)
{
    char text[512];
    (void)vsnprintf(text, sizeof text, format, args);
    if (!p->panic && unsupported) diag_unsupported(p->diags, at, "%s", text);
    else if (!p->panic) diag_error(p->diags, at, "%s", text);
    p->panic = true;
}

void mf_syntax(mf_parser *p, span at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    panic(p, at, false, format, args);
    va_end(args);
}

void mf_unsupported(mf_parser *p, span at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    panic(p, at, true, format, args);
    va_end(args);
}

/* Where something is missing: just behind the last token when the next one stands on another line.
 */
static span missing_at(const mf_parser *p)
{
    const mf_token *t = mf_cur(p);
    if (p->at == 0 || ((t->flags & MF_AT_LINE) == 0 && t->kind != MF_TOK_END)) return t->at;
    span last = mf_last(p);
    return (span){last.file, last.end, last.end + 1};
}

bool mf_expect(mf_parser *p, mf_token_kind k, const char *where)
{
    if (mf_accept(p, k)) return true;
    mf_syntax(p, missing_at(p), "expected %s %s", mf_token_name(k), where);
    return false;
}

void mf_recover(mf_parser *p)
{
    p->panic = false;
    p->no_greater = false;
    unsigned depth = 0;
    while (!mf_at(p, MF_TOK_END)) {
        mf_token_kind k = mf_cur(p)->kind;
        if (k == MF_TOK_R_BRACE && depth == 0) return;
        mf_advance(p);
        if (k == MF_TOK_L_BRACE) ++depth;
        if (k == MF_TOK_R_BRACE && --depth == 0) return;
        if (k == MF_TOK_SEMI && depth == 0) return;
    }
}

bool mf_enter(mf_parser *p)
{
    ++p->depth;
    if (p->depth <= MF_PARSE_DEPTH && p->depth + p->outer_depth <= MF_NESTED_DEPTH) return true;
    --p->depth;
    mf_syntax(p, mf_cur(p)->at, "nested more than %d deep", MF_PARSE_DEPTH);
    return false;
}

void mf_leave(mf_parser *p)
{
    --p->depth;
}

bool mf_glued(const mf_parser *p, size_t n)
{
    const mf_token *a = mf_ahead(p, n), *b = mf_ahead(p, n + 1);
    return (b->flags & MF_AT_SPACE) == 0 && a->at.file == b->at.file &&
           (a->at.end == b->at.begin || a->at.begin == b->at.begin);
}
