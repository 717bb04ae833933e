/* Expressions that fold a pack: "(x + ...)", "(... + x)", "(x + ... + y)". Each element is read for itself, as a pack's are. */
#include "mslfront/template.h"

bool mf_find_fold(mf_parser *p, mf_pack_fold *out)
{
    const size_t end = mf_skip_balanced(p, p->at);
    size_t depth = 0, dots = 0;
    for (size_t i = p->at + 1; i + 1 < end && dots == 0; ++i) {
        const mf_token_kind k = p->tokens[i].kind;
        if (k == MF_TOK_L_PAREN || k == MF_TOK_L_BRACE || k == MF_TOK_L_SQUARE) ++depth;
        if (depth != 0 && (k == MF_TOK_R_PAREN || k == MF_TOK_R_BRACE || k == MF_TOK_R_SQUARE)) --depth;
        if (k == MF_TOK_ELLIPSIS && depth == 0 && p->tokens[i - 1].kind != MF_KW_SIZEOF) dots = i;
    }
    if (dots == 0) return false;
    *out = (mf_pack_fold){.dots = dots, .close = end - 1};
    if (dots > p->at + 1) {
        /* the longest mark that ends here: ">>" is two tokens */
        if (dots > p->at + 2 && mf_operator_tokens(p, dots - 2) == 2)
            out->before = dots - 2;
        else if (mf_operator_tokens(p, dots - 1) == 1)
            out->before = dots - 1;
        else
            return false;
    }
    if (dots + 1 < out->close) {
        if (mf_operator_tokens(p, dots + 1) == 0) return false;
        out->after = dots + 1;
    }
    return out->before != 0 || out->after != 0;
}

static mf_expr *operand(mf_parser *p, size_t end)
{
    mf_expr *e = mf_parse_unary(p);
    if (p->panic || p->at == end) return e;
    mf_syntax(p, mf_cur(p)->at, "what a pack is folded of stands in parentheses where it has operators");
    return mf_error(p, e->at);
}

static mf_expr *empty(mf_parser *p, size_t mark, span at)
{
    const mf_token_kind k = p->tokens[mark].kind;
    if (k == MF_TOK_COMMA) return mf_explicit(p, mf_int(p, at, mf_scalar_type(MF_INT), 0), (mf_qtype){.type = mf_void()}, at);
    if (k == MF_TOK_AMP_AMP || k == MF_TOK_PIPE_PIPE) return mf_int(p, at, mf_scalar_type(MF_BOOL), k == MF_TOK_AMP_AMP);
    diag_error(p->diags, at, "a pack of nothing is folded: only '&&', '||' and ',' have a value for that");
    return mf_error(p, at);
}

static mf_expr *folded(mf_parser *p, const mf_pack_fold *fold, span at)
{
    const size_t left = p->at + 1, left_end = fold->before, right = fold->after != 0 ? fold->after + mf_operator_tokens(p, fold->after) : 0;
    const size_t mark = fold->before != 0 ? fold->before : fold->after;
    if (fold->before != 0 && fold->after != 0 && p->tokens[fold->before].kind != p->tokens[fold->after].kind) {
        mf_syntax(p, p->tokens[fold->after].at, "a pack is folded by one operator: both sides of '...' have the same");
        return mf_error(p, at);
    }
    mf_pack pack = {0};
    bool from_right = left_end != 0;
    if (from_right) mf_packs_of(p, left, left_end, &pack);
    if (pack.count == 0 && right != 0) {
        from_right = false;
        mf_packs_of(p, right, fold->close, &pack);
    }
    if (pack.count == 0) {
        mf_syntax(p, at, "'...' is given no pack to fold");
        return mf_error(p, at);
    }
    mf_exprs parts = mf_exprs_none();
    const size_t begin = from_right ? right : left, end = from_right ? fold->close : left_end;
    const bool starts = left_end != 0 && right != 0;
    for (size_t i = 0; i < pack.n && !p->panic; ++i) {
        mf_enter_pack(p, &pack, i);
        mf_exprs_push(p->mem, &parts, operand(p, pack.end));
        mf_pop_scope(p);
    }
    mf_expr *e = NULL;
    if (starts && !p->panic) {
        p->at = begin;
        e = operand(p, end);
    }
    for (size_t i = 0; i < parts.n && !p->panic; ++i) {
        mf_expr *next = parts.at[from_right ? parts.n - 1 - i : i];
        e = e == NULL ? next : from_right ? mf_operate(p, mark, next, e) : mf_operate(p, mark, e, next);
    }
    return p->panic ? mf_error(p, at) : e == NULL ? empty(p, mark, at) : e;
}

mf_expr *mf_parse_fold(mf_parser *p, const mf_pack_fold *fold)
{
    const span at = span_join(mf_cur(p)->at, p->tokens[fold->close].at);
    if (!mf_enter(p)) return mf_error(p, at);
    const bool outer = p->no_greater;
    p->no_greater = false;
    mf_expr *e = folded(p, fold, at);
    p->no_greater = outer;
    mf_leave(p);
    if (!p->panic) p->at = fold->close + 1;
    return e;
}
