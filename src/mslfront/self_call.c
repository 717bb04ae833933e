/* Functions that call themselves: what is a loop because each call is the last thing that the function does. */
#include "mslfront/parser.h"

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

/* Whether a value of the type may hold an address in thread memory. */
static bool holds_address(const mf_type *t)
{
    if (t->kind == MF_TYPE_POINTER) return t->space == MF_THREAD;
    if (t->kind == MF_TYPE_ARRAY || t->kind == MF_TYPE_REFERENCE) return holds_address(t->elem);
    if (t->kind != MF_TYPE_RECORD) return false;
    for (size_t i = 0; i < t->record->field_count; ++i)
        if (holds_address(t->record->fields[i].type)) return true;
    return false;
}

static bool is_decay(const mf_expr *e)
{
    return e->kind == MF_EXPR_CAST && e->cast == MF_CAST_DECAY;
}

/* An element of an array, not of what a pointer points at. */
static bool is_of_array(const mf_expr *e)
{
    return (e->kind == MF_EXPR_INDEX || e->kind == MF_EXPR_DEREF) && is_decay(e->a);
}

/* Whether the place lies in a variable of the function's own. */
static bool is_own(const mf_expr *e)
{
    for (;;) {
        if (e->kind == MF_EXPR_TEMPORARY) return true;
        if (e->kind == MF_EXPR_VAR) return e->var->kind != MF_VAR_GLOBAL && e->var->type->kind != MF_TYPE_REFERENCE;
        if (e->kind == MF_EXPR_COND) return is_own(e->b) || is_own(e->c);
        const bool is_part = e->kind == MF_EXPR_MEMBER || e->kind == MF_EXPR_ELEMENT || e->kind == MF_EXPR_SWIZZLE;
        const bool is_changed = e->kind == MF_EXPR_ASSIGN || e->kind == MF_EXPR_ASSIGN_OP || e->kind == MF_EXPR_PRE_INC || e->kind == MF_EXPR_PRE_DEC;
        if (e->kind == MF_EXPR_COMMA) e = e->b;
        else if (is_of_array(e)) e = e->a->a;
        else if (is_part || is_changed || (e->kind == MF_EXPR_CAST && e->cast == MF_CAST_PLACE)) e = e->a;
        else return false;
    }
}

/* Whether a variable of the function's own is pointed to, or handed to another function as itself. */
static bool takes_address(const mf_expr *e)
{
    if (e == NULL) return false;
    if ((e->kind == MF_EXPR_ADDRESS || is_decay(e)) && is_own(e->a)) return true;
    for (uint32_t i = 0; i < e->arg_count; ++i)
        if ((e->kind == MF_EXPR_CALL && e->args[i]->lvalue && is_own(e->args[i])) || takes_address(e->args[i])) return true;
    return takes_address(is_of_array(e) ? e->a->a : e->a) || takes_address(e->b) || takes_address(e->c);
}

static bool takes_address_in(const mf_stmt *s)
{
    if (s == NULL) return false;
    if (takes_address(s->expr) || takes_address(s->cond) || takes_address(s->step)) return true;
    const mf_expr *init = s->var != NULL ? s->var->init : NULL;
    if (init != NULL && ((s->var->type->kind == MF_TYPE_REFERENCE && is_own(init)) || takes_address(init))) return true;
    for (size_t i = 0; i < s->item_count; ++i)
        if (takes_address_in(s->items[i])) return true;
    return takes_address_in(s->init) || takes_address_in(s->body) || takes_address_in(s->other);
}

/* Whether a call may be given the address of a variable that is another one in each call: in a loop it would be the same. */
static bool may_hand_on_own(const mf_function *f)
{
    for (size_t i = 0; i < f->param_count; ++i)
        if (holds_address(f->params[i]->type)) return takes_address_in(f->body);
    return false;
}

bool mf_recurs_at_end(const mf_function *f)
{
    return f->result->kind != MF_TYPE_REFERENCE && count_tails(f->body, f, true) == count_in(f->body, f) && !may_hand_on_own(f);
}
