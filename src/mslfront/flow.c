/* Where control goes: whether a function can come to its end without a return. */
#include "mslfront/parser.h"

/* Whether a break within `s` leaves the loop or switch around it. */
static bool breaks(const mf_stmt *s)
{
    if (s == NULL) return false;
    switch (s->kind) {
    case MF_STMT_BREAK: return true;
    case MF_STMT_IF: return breaks(s->body) || breaks(s->other);
    case MF_STMT_BLOCK:
        for (size_t i = 0; i < s->item_count; ++i) {
            if (breaks(s->items[i])) return true;
        }
        return false;
    case MF_STMT_EXPR:
    case MF_STMT_DECL:
    case MF_STMT_FOR:
    case MF_STMT_WHILE:
    case MF_STMT_DO:
    case MF_STMT_SWITCH:
    case MF_STMT_CASE:
    case MF_STMT_CONTINUE:
    case MF_STMT_RETURN:
    case MF_STMT_EMPTY: return false;
    }
    return false;
}

static bool loop_ends(const mf_stmt *s)
{
    mf_constant c;
    bool endless = s->cond == NULL || (mf_fold(s->cond, &c) && c.i != 0);
    return !endless || breaks(s->body);
}

static bool switch_ends(const mf_stmt *s)
{
    bool has_default = false;
    for (size_t i = 0; i < s->item_count; ++i) {
        has_default |= s->items[i]->kind == MF_STMT_CASE && s->items[i]->is_default;
        if (breaks(s->items[i])) return true;
    }
    return !has_default || mf_may_end(s->items[s->item_count - 1]);
}

bool mf_may_end(const mf_stmt *s)
{
    if (s == NULL) return true;
    switch (s->kind) {
    case MF_STMT_RETURN:
    case MF_STMT_BREAK:
    case MF_STMT_CONTINUE: return false;
    case MF_STMT_BLOCK:
        for (size_t i = 0; i < s->item_count; ++i) {
            if (!mf_may_end(s->items[i])) return false;
        }
        return true;
    case MF_STMT_IF: return s->other == NULL || mf_may_end(s->body) || mf_may_end(s->other);
    case MF_STMT_FOR:
    case MF_STMT_WHILE:
    case MF_STMT_DO: return loop_ends(s);
    case MF_STMT_SWITCH: return switch_ends(s);
    case MF_STMT_EXPR:
    case MF_STMT_DECL:
    case MF_STMT_CASE:
    case MF_STMT_EMPTY: return true;
    }
    return true;
}

/* Calls of a function by itself: all of them, and those that are the last thing it does. */
static size_t count_calls(const mf_expr *e, const mf_function *f)
{
    if (e == NULL) return 0;
    size_t n = e->kind == MF_EXPR_CALL && e->function == f ? 1 : 0;
    for (uint32_t i = 0; i < e->arg_count; ++i) n += count_calls(e->args[i], f);
    return n + count_calls(e->a, f) + count_calls(e->b, f) + count_calls(e->c, f);
}

static size_t count_in(const mf_stmt *s, const mf_function *f)
{
    if (s == NULL) return 0;
    size_t n = count_calls(s->expr, f) + count_calls(s->cond, f) + count_calls(s->step, f);
    if (s->var != NULL) n += count_calls(s->var->init, f);
    for (size_t i = 0; i < s->item_count; ++i) n += count_in(s->items[i], f);
    return n + count_in(s->init, f) + count_in(s->body, f) + count_in(s->other, f);
}

bool mf_is_self_call(const mf_stmt *s, const mf_function *f)
{
    const mf_expr *e = s->expr;
    if (e == NULL || (s->kind != MF_STMT_RETURN && s->kind != MF_STMT_EXPR)) return false;
    while (e->kind == MF_EXPR_CAST && e->cast == MF_CAST_TO_VOID) e = e->a;
    if (e->kind != MF_EXPR_CALL || e->function != f) return false;
    for (uint32_t i = 0; i < e->arg_count; ++i)
        if (count_calls(e->args[i], f) != 0) return false;
    return true;
}

static size_t count_tails(const mf_stmt *s, const mf_function *f, bool last)
{
    if (s == NULL) return 0;
    if (mf_is_self_call(s, f)) return s->kind == MF_STMT_RETURN || (last && f->result->kind == MF_TYPE_VOID);
    size_t n = 0;
    switch (s->kind) {
    case MF_STMT_BLOCK:
        for (size_t i = 0; i < s->item_count; ++i) {
            const bool returns = i + 1 < s->item_count && s->items[i + 1]->kind == MF_STMT_RETURN && s->items[i + 1]->expr == NULL;
            n += count_tails(s->items[i], f, returns || (last && i + 1 == s->item_count));
        }
        return n;
    case MF_STMT_IF: return count_tails(s->body, f, last) + count_tails(s->other, f, last);
    case MF_STMT_EXPR:
    case MF_STMT_DECL:
    case MF_STMT_FOR:
    case MF_STMT_WHILE:
    case MF_STMT_DO:
    case MF_STMT_SWITCH:
    case MF_STMT_CASE:
    case MF_STMT_BREAK:
    case MF_STMT_CONTINUE:
    case MF_STMT_RETURN:
    case MF_STMT_EMPTY: break;
    }
    return 0;
}

bool mf_recurs_at_end(const mf_function *f)
{
    return f->result->kind != MF_TYPE_REFERENCE && count_tails(f->body, f, true) == count_in(f->body, f);
}
