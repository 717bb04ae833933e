/* Questions about the tree that lowering asks before it goes into it. */
#include "emu/lower.h"

enum { CHEAP_NODES = 24 };

static bool cheap(const mf_expr *e, int *budget)
{
    if (e == NULL) return true;
    if (--*budget < 0) return false;
    switch (e->kind) {
    case MF_EXPR_CONST:
    case MF_EXPR_ZERO:
    case MF_EXPR_VAR: return true;
    case MF_EXPR_LOAD: /* of a variable in registers, by name */
        return e->a->space == MF_THREAD && e->a->type->kind != MF_TYPE_ARRAY && e->a->type->kind != MF_TYPE_RECORD &&
               cheap(e->a, budget);
    case MF_EXPR_SWIZZLE:
    case MF_EXPR_MEMBER:
    case MF_EXPR_NEGATE:
    case MF_EXPR_COMPLEMENT:
    case MF_EXPR_NOT:
    case MF_EXPR_TEMPORARY: return cheap(e->a, budget);
    case MF_EXPR_BINARY: {
        if (e->type->kind == MF_TYPE_POINTER) return false;
        return cheap(e->a, budget) && cheap(e->b, budget);
    }
    case MF_EXPR_AND:
    case MF_EXPR_OR: return cheap(e->a, budget) && cheap(e->b, budget);
    case MF_EXPR_COND: return !e->lvalue && cheap(e->a, budget) && cheap(e->b, budget) && cheap(e->c, budget);
    case MF_EXPR_CAST:
        return (e->cast == MF_CAST_CONVERT || e->cast == MF_CAST_SPLAT || e->cast == MF_CAST_BITS ||
                e->cast == MF_CAST_PACK) &&
               cheap(e->a, budget);
    case MF_EXPR_CONSTRUCT:
        for (uint32_t i = 0; i < e->arg_count; ++i)
            if (!cheap(e->args[i], budget)) return false;
        return true;
    case MF_EXPR_BUILTIN:
        if ((mf_builtin_traits(e->builtin) & MF_PURE) == 0) return false;
        *budget -= 4;
        for (uint32_t i = 0; i < e->arg_count; ++i)
            if (!cheap(e->args[i], budget)) return false;
        return true;
    case MF_EXPR_PRE_INC:
    case MF_EXPR_PRE_DEC:
    case MF_EXPR_POST_INC:
    case MF_EXPR_POST_DEC:
    case MF_EXPR_DEREF:
    case MF_EXPR_ADDRESS:
    case MF_EXPR_COMMA:
    case MF_EXPR_ASSIGN:
    case MF_EXPR_ASSIGN_OP:
    case MF_EXPR_AGGREGATE:
    case MF_EXPR_ELEMENT:
    case MF_EXPR_INDEX:
    case MF_EXPR_CALL:
    case MF_EXPR_ERROR: return false;
    }
    return false;
}

bool lower_is_cheap(const mf_expr *e)
{
    int budget = CHEAP_NODES;
    return cheap(e, &budget);
}

enum { HEAVIEST = 1 << 20 };

static size_t call_weight(const mf_function *f)
{
    return f->recurs ? HEAVIEST : lower_weight(f->body); /* a loop around all of it, which holds this very call */
}

static size_t expr_weight(const mf_expr *e)
{
    if (e == NULL) return 0;
    size_t n = e->kind == MF_EXPR_LOAD || e->kind == MF_EXPR_VAR || e->kind == MF_EXPR_CONST ? 0 : 1;
    if (e->kind == MF_EXPR_CALL) n += call_weight(e->function);
    n += expr_weight(e->a) + expr_weight(e->b) + expr_weight(e->c);
    for (uint32_t i = 0; i < e->arg_count; ++i) n += expr_weight(e->args[i]);
    return n;
}

size_t lower_weight(const mf_stmt *s)
{
    enum { TRIPS = 8 }; /* a loop inside counts as so many times its body */
    if (s == NULL) return 0;
    size_t n = 1 + expr_weight(s->expr) + lower_weight(s->init) + lower_weight(s->other);
    if (s->var != NULL) n += expr_weight(s->var->init);
    size_t inner = expr_weight(s->cond) + expr_weight(s->step) + lower_weight(s->body);
    if (s->kind == MF_STMT_FOR || s->kind == MF_STMT_WHILE || s->kind == MF_STMT_DO) inner *= TRIPS;
    n += inner;
    for (size_t i = 0; i < s->item_count && n < HEAVIEST; ++i) n += lower_weight(s->items[i]);
    return n < HEAVIEST ? n : HEAVIEST;
}

/* A break or continue that belongs to the loop or switch around s. */
static bool has_jump(const mf_stmt *s, mf_stmt_kind kind)
{
    if (s == NULL) return false;
    if (s->kind == kind) return true;
    if (s->kind == MF_STMT_FOR || s->kind == MF_STMT_WHILE || s->kind == MF_STMT_DO) return false;
    if (s->kind == MF_STMT_SWITCH && kind == MF_STMT_BREAK) return false;
    if (has_jump(s->body, kind) || has_jump(s->other, kind)) return true;
    for (size_t i = 0; i < s->item_count; ++i)
        if (has_jump(s->items[i], kind)) return true;
    return false;
}

bool lower_has_break(const mf_stmt *s)
{
    return has_jump(s, MF_STMT_BREAK);
}

bool lower_has_continue(const mf_stmt *s)
{
    return has_jump(s, MF_STMT_CONTINUE);
}

static bool has_return(const mf_stmt *s)
{
    if (s == NULL) return false;
    if (s->kind == MF_STMT_RETURN) return true;
    if (has_return(s->body) || has_return(s->other)) return true;
    for (size_t i = 0; i < s->item_count; ++i)
        if (has_return(s->items[i])) return true;
    return false;
}

/* Of a function's last statement: whether anything in it returns but what it does last. What an "if" of a constant leaves out is no part. */
static bool returns_early(const mf_stmt *s)
{
    if (s == NULL || s->kind == MF_STMT_RETURN) return false;
    if (s->kind == MF_STMT_IF && s->cond->kind == MF_EXPR_CONST) return returns_early(s->cond->constant.i != 0 ? s->body : s->other);
    if (s->kind != MF_STMT_BLOCK) return has_return(s);
    for (size_t i = 0; i + 1 < s->item_count; ++i)
        if (has_return(s->items[i])) return true;
    return s->item_count != 0 && returns_early(s->items[s->item_count - 1]);
}

bool lower_has_early_return(const mf_function *f)
{
    return returns_early(f->body);
}

/* The variable that a place is part of; NULL where that is found through a pointer. */
static mf_var *root_of(const mf_expr *e)
{
    while (e != NULL) {
        switch (e->kind) {
        case MF_EXPR_VAR: return e->var;
        case MF_EXPR_MEMBER:
        case MF_EXPR_SWIZZLE:
        case MF_EXPR_ELEMENT:
        case MF_EXPR_CAST:
        case MF_EXPR_INDEX:
        case MF_EXPR_PRE_INC:
        case MF_EXPR_PRE_DEC:
        case MF_EXPR_ASSIGN:
        case MF_EXPR_ASSIGN_OP: e = e->a; break;
        case MF_EXPR_COMMA: e = e->b; break;
        case MF_EXPR_CONST:
        case MF_EXPR_ZERO:
        case MF_EXPR_LOAD:
        case MF_EXPR_TEMPORARY:
        case MF_EXPR_NEGATE:
        case MF_EXPR_COMPLEMENT:
        case MF_EXPR_NOT:
        case MF_EXPR_POST_INC:
        case MF_EXPR_POST_DEC:
        case MF_EXPR_DEREF:
        case MF_EXPR_ADDRESS:
        case MF_EXPR_BINARY:
        case MF_EXPR_AND:
        case MF_EXPR_OR:
        case MF_EXPR_COND:
        case MF_EXPR_CONSTRUCT:
        case MF_EXPR_AGGREGATE:
        case MF_EXPR_CALL:
        case MF_EXPR_BUILTIN:
        case MF_EXPR_ERROR: return NULL;
        }
    }
    return NULL;
}

/* Everything that is not plainly read is taken as written: operands of assignments and ++, places whose address is
 * taken, arrays that become pointers, places given to calls. */
void lower_expr_writes(const mf_expr *e, void (*visit)(void *user, mf_var *v), void *user)
{
    if (e == NULL) return;
    const mf_expr *written = NULL;
    if (e->kind == MF_EXPR_ASSIGN || e->kind == MF_EXPR_ASSIGN_OP || e->kind == MF_EXPR_ADDRESS ||
        (e->kind >= MF_EXPR_PRE_INC && e->kind <= MF_EXPR_POST_DEC) ||
        (e->kind == MF_EXPR_CAST && (e->cast == MF_CAST_DECAY || e->cast == MF_CAST_PLACE)))
        written = e->a;
    if (e->kind == MF_EXPR_COND && e->lvalue) {
        if (root_of(e->b) != NULL) visit(user, root_of(e->b));
        written = e->c;
    }
    if (root_of(written) != NULL) visit(user, root_of(written));
    const bool element = e->kind == MF_EXPR_INDEX && e->a->kind == MF_EXPR_CAST && e->a->cast == MF_CAST_DECAY;
    lower_expr_writes(element ? e->a->a : e->a, visit, user);
    lower_expr_writes(e->b, visit, user);
    lower_expr_writes(e->c, visit, user);
    for (uint32_t i = 0; i < e->arg_count; ++i) {
        if (e->args[i]->lvalue && root_of(e->args[i]) != NULL) visit(user, root_of(e->args[i]));
        lower_expr_writes(e->args[i], visit, user);
    }
}

void lower_writes(const mf_stmt *s, void (*visit)(void *user, mf_var *v), void *user)
{
    if (s == NULL) return;
    lower_expr_writes(s->expr, visit, user);
    lower_expr_writes(s->cond, visit, user);
    lower_expr_writes(s->step, visit, user);
    if (s->var != NULL) {
        if (s->var->init != NULL && s->var->init->lvalue && root_of(s->var->init) != NULL)
            visit(user, root_of(s->var->init));
        lower_expr_writes(s->var->init, visit, user);
    }
    lower_writes(s->init, visit, user);
    lower_writes(s->body, visit, user);
    lower_writes(s->other, visit, user);
    for (size_t i = 0; i < s->item_count; ++i) lower_writes(s->items[i], visit, user);
}
