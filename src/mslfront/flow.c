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
