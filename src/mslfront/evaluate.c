/* Calls of constexpr functions in constant expressions: bodies run over scalars, here and now. */
#include "mslfront/parser.h"

enum { STEPS = 100000, CALLS = 64, VALUES = 64 };

typedef struct cell {
    const mf_var *var;
    uint32_t field; /* of a record's variable: 1 and up; else 0 */
    mf_constant value;
} cell;

typedef struct frame {
    cell cells[VALUES];
    size_t n;
    mf_constant result;
    const mf_var *object; /* the record's variable that was returned */
} frame;

/* The work one constant may take, over all calls within it. */
typedef struct mf_work {
    unsigned steps, depth;
} work;

typedef enum flow { GOES_ON, BREAKS, CONTINUES, RETURNS, FAILS } flow;

static bool eval(work *w, frame *f, const mf_expr *e, mf_constant *out);

static cell *find(frame *f, const mf_var *v, uint32_t field)
{
    for (size_t i = 0; i < f->n; ++i) {
        if (f->cells[i].var == v && f->cells[i].field == field) return &f->cells[i];
    }
    return NULL;
}

static bool set_field(frame *f, const mf_var *v, uint32_t field, mf_constant value)
{
    cell *c = find(f, v, field);
    if (c == NULL && f->n < VALUES) c = &f->cells[f->n++];
    if (c == NULL) return false;
    *c = (cell){v, field, value};
    return true;
}

static bool set(frame *f, const mf_var *v, mf_constant value)
{
    return set_field(f, v, 0, value);
}

static bool is_number(const mf_type *t)
{
    return t->kind == MF_TYPE_SCALAR || t->kind == MF_TYPE_ENUM;
}

static cell *place(frame *f, const mf_expr *e)
{
    if (e->kind == MF_EXPR_MEMBER && e->a->kind == MF_EXPR_VAR)
        return find(f, e->a->var, e->field + 1);
    return e->kind == MF_EXPR_VAR ? find(f, e->var, 0) : NULL;
}

/* An operation on values, by folding a node of constants. */
static bool operate(mf_expr_kind kind, mf_op op, const mf_type *type, const mf_type *operand,
                    mf_constant a, mf_constant b, mf_constant *out)
{
    mf_expr x = {.kind = MF_EXPR_CONST, .type = operand, .constant = a};
    mf_expr y = {.kind = MF_EXPR_CONST, .type = operand, .constant = b};
    mf_expr e = {.kind = kind, .op = op, .type = type, .a = &x, .b = &y};
    return mf_fold(&e, out);
}

static bool assign_op(work *w, frame *f, const mf_expr *e, mf_constant *out)
{
    cell *c = place(f, e->a);
    mf_constant b, r;
    if (c == NULL || !is_number(e->a->type) || !is_number(e->compute) || !eval(w, f, e->b, &b))
        return false;
    mf_constant a = mf_convert_constant(e->a->type->scalar, c->value, e->compute->scalar);
    mf_expr x = {.kind = MF_EXPR_CONST, .type = e->compute, .constant = a};
    mf_expr y = {.kind = MF_EXPR_CONST, .type = e->b->type, .constant = b};
    mf_expr sum = {.kind = MF_EXPR_BINARY, .op = e->op, .type = e->compute, .a = &x, .b = &y};
    if (!mf_fold(&sum, &r)) return false;
    *out = c->value = mf_convert_constant(e->compute->scalar, r, e->a->type->scalar);
    return true;
}

static bool step(frame *f, const mf_expr *e, mf_constant *out)
{
    cell *c = place(f, e->a);
    const mf_type *t = e->a->type;
    if (c == NULL || !is_number(t) || mf_scalar_is_float(t->scalar)) return false;
    bool up = e->kind == MF_EXPR_PRE_INC || e->kind == MF_EXPR_POST_INC;
    mf_constant old = c->value;
    c->value = mf_wrap(t->scalar, up ? old.i + 1 : old.i - 1);
    *out = e->kind == MF_EXPR_PRE_INC || e->kind == MF_EXPR_PRE_DEC ? c->value : old;
    return true;
}

static flow run(work *w, frame *f, const mf_stmt *s);

/* The fields of a constant object that a reference is bound to. */
static bool enter_object(frame *own, const mf_var *param, const mf_expr *a)
{
    const mf_expr *init = a->kind == MF_EXPR_VAR ? a->var->init : NULL;
    if (init == NULL || init->kind != MF_EXPR_AGGREGATE || ((a->var->quals & MF_CONST) == 0 && a->var->space != MF_CONSTANT)) return true;
    for (uint32_t i = 0; i < init->arg_count; ++i) {
        const mf_expr *one = init->args[i];
        if (one->kind == MF_EXPR_CONST && !set_field(own, param, i + 1, one->constant)) return false;
    }
    return true;
}

/* The parameters that are numbers; others may be there, as long as nothing looks at them. */
static bool enter(work *w, frame *outer, const mf_expr *e, frame *own)
{
    const mf_function *g = e->function;
    for (uint32_t i = 0; i < e->arg_count; ++i) {
        mf_constant v = {0};
        const mf_type *t = g->params[i]->type;
        bool by_value = is_number(t),
             by_reference = t->kind == MF_TYPE_REFERENCE && is_number(t->elem);
        const mf_expr *a = e->args[i];
        if (by_reference && a->kind == MF_EXPR_TEMPORARY)
            a = a->a; /* const T & of a value */
        else if (!by_value) {
            const bool record = t->kind == MF_TYPE_REFERENCE && t->elem->kind == MF_TYPE_RECORD;
            if (record && !enter_object(own, g->params[i], a)) return false;
            continue;
        }
        if (!eval(w, outer, a, &v) || !set(own, g->params[i], v)) return false;
    }
    return true;
}

static bool call(work *w, frame *outer, const mf_expr *e, mf_constant *out)
{
    const mf_function *g = e->function;
    if (g->body == NULL || !is_number(g->result) || w->depth >= CALLS || g->param_count > VALUES)
        return false;
    frame own = {.n = 0};
    if (!enter(w, outer, e, &own)) return false;
    ++w->depth;
    flow how = run(w, &own, g->body);
    --w->depth;
    *out = own.result;
    return how == RETURNS;
}

static bool eval(work *w, frame *f, const mf_expr *e, mf_constant *out)
{
    mf_constant a, b;
    if (++w->steps > STEPS) return false;
    switch ((int)e->kind) {
    case MF_EXPR_LOAD: {
        const cell *c = place(f, e->a);
        if (c != NULL)
            *out = c->value;
        else if (e->a->lvalue && e->a->kind != MF_EXPR_VAR)
            return eval(w, f, e->a, out);
        return c != NULL || mf_fold(e, out);
    }
    case MF_EXPR_NEGATE:
    case MF_EXPR_COMPLEMENT:
    case MF_EXPR_NOT:
        return is_number(e->type) && eval(w, f, e->a, &a) &&
               operate(e->kind, MF_OPS, e->type, e->a->type, a, a, out);
    case MF_EXPR_BINARY:
        if (!is_number(e->a->type) || !is_number(e->b->type) || !eval(w, f, e->a, &a) ||
            !eval(w, f, e->b, &b))
            return false;
        return operate(MF_EXPR_BINARY, e->op, e->type, e->a->type, a, b, out);
    case MF_EXPR_AND:
    case MF_EXPR_OR:
        if (!eval(w, f, e->a, out)) return false;
        return (out->i != 0) == (e->kind == MF_EXPR_OR) || eval(w, f, e->b, out);
    case MF_EXPR_COND: return eval(w, f, e->a, &a) && eval(w, f, a.i != 0 ? e->b : e->c, out);
    case MF_EXPR_CAST:
        if (e->cast != MF_CAST_CONVERT || !is_number(e->type) || !is_number(e->a->type) ||
            !eval(w, f, e->a, &a))
            return false;
        *out = mf_convert_constant(e->a->type->scalar, a, e->type->scalar);
        return true;
    case MF_EXPR_COMMA: return eval(w, f, e->a, &a) && eval(w, f, e->b, out);
    case MF_EXPR_ASSIGN:
        if (e->a->kind == MF_EXPR_MEMBER && e->a->a->kind == MF_EXPR_VAR) {
            return is_number(e->type) && eval(w, f, e->b, out) &&
                   set_field(f, e->a->a->var, e->a->field + 1, *out);
        }
        return is_number(e->type) && place(f, e->a) != NULL && eval(w, f, e->b, out) &&
               set(f, e->a->var, *out);
    case MF_EXPR_ASSIGN_OP: return assign_op(w, f, e, out);
    case MF_EXPR_PRE_INC:
    case MF_EXPR_PRE_DEC:
    case MF_EXPR_POST_INC:
    case MF_EXPR_POST_DEC: return step(f, e, out);
    case MF_EXPR_CALL: return call(w, f, e, out);
    default: return mf_fold(e, out); /* constants; what is none fails */
    }
}

static flow run_list(work *w, frame *f, const mf_stmt *s, size_t from)
{
    for (size_t i = from; i < s->item_count; ++i) {
        flow how = run(w, f, s->items[i]);
        if (how != GOES_ON) return how;
    }
    return GOES_ON;
}

static flow run_loop(work *w, frame *f, const mf_stmt *s)
{
    mf_constant c = {.i = 1};
    if (s->init != NULL && run(w, f, s->init) != GOES_ON) return FAILS;
    for (bool first = s->kind == MF_STMT_DO;; first = false) {
        if (!first && s->cond != NULL && !eval(w, f, s->cond, &c)) return FAILS;
        if (!first && s->cond != NULL && c.i == 0) return GOES_ON;
        if (++w->steps > STEPS) return FAILS;
        flow how = run(w, f, s->body);
        if (how == BREAKS) return GOES_ON;
        if (how == RETURNS || how == FAILS) return how;
        mf_constant unused;
        if (s->step != NULL && !eval(w, f, s->step, &unused)) return FAILS;
    }
}

static flow run_switch(work *w, frame *f, const mf_stmt *s)
{
    mf_constant c;
    if (!eval(w, f, s->cond, &c)) return FAILS;
    size_t from = s->item_count;
    for (size_t i = 0; i < s->item_count; ++i) {
        const mf_stmt *one = s->items[i];
        if (one->kind != MF_STMT_CASE) continue;
        if (one->is_default && from == s->item_count) from = i;
        if (!one->is_default && (uint64_t)one->case_value == c.i) {
            from = i;
            break;
        }
    }
    flow how = run_list(w, f, s, from);
    return how == BREAKS ? GOES_ON : how;
}

static flow run(work *w, frame *f, const mf_stmt *s)
{
    mf_constant c;
    if (s == NULL) return GOES_ON;
    switch (s->kind) {
    case MF_STMT_EXPR:
        if (s->expr == NULL) return FAILS;
        return s->expr->type->kind == MF_TYPE_VOID || !eval(w, f, s->expr, &c) ? FAILS : GOES_ON;
    case MF_STMT_DECL:
        if (!is_number(s->var->type)) return s->var->init == NULL ? GOES_ON : FAILS;
        c = (mf_constant){0};
        if (s->var->init == NULL) return set(f, s->var, c) ? GOES_ON : FAILS;
        return eval(w, f, s->var->init, &c) && set(f, s->var, c) ? GOES_ON : FAILS;
    case MF_STMT_BLOCK: return run_list(w, f, s, 0);
    case MF_STMT_IF:
        if (!eval(w, f, s->cond, &c)) return FAILS;
        return run(w, f, c.i != 0 ? s->body : s->other);
    case MF_STMT_FOR:
    case MF_STMT_WHILE:
    case MF_STMT_DO: return run_loop(w, f, s);
    case MF_STMT_SWITCH: return run_switch(w, f, s);
    case MF_STMT_CASE:
    case MF_STMT_EMPTY: return GOES_ON;
    case MF_STMT_BREAK: return BREAKS;
    case MF_STMT_CONTINUE: return CONTINUES;
    case MF_STMT_RETURN:
        f->object =
            s->expr != NULL && s->expr->kind == MF_EXPR_LOAD && s->expr->a->kind == MF_EXPR_VAR
                ? s->expr->a->var
                : NULL;
        if (s->expr != NULL && s->expr->type->kind == MF_TYPE_RECORD) return RETURNS;
        return s->expr != NULL && eval(w, f, s->expr, &f->result) ? RETURNS : FAILS;
    }
    return FAILS;
}

bool mf_fold_call(const mf_expr *e, mf_constant *out)
{
    work w = {0};
    frame none = {.n = 0};
    return call(&w, &none, e, out);
}

mf_expr *mf_fold_object(mf_parser *p, const mf_expr *e)
{
    const mf_type *t = e->type;
    if (e->kind != MF_EXPR_CALL || e->function->body == NULL || t->kind != MF_TYPE_RECORD)
        return NULL;
    work w = {.depth = 1};
    frame none = {.n = 0}, own = {.n = 0};
    if (!enter(&w, &none, e, &own) || run(&w, &own, e->function->body) != RETURNS ||
        own.object == NULL)
        return NULL;
    mf_expr *made = mf_new(p, MF_EXPR_AGGREGATE, e->at, t);
    made->args = arena_array(p->mem, mf_expr *, t->record->field_count + 1);
    for (size_t i = 0; i < t->record->field_count; ++i) {
        const mf_type *ft = t->record->fields[i].type;
        const cell *c = find(&own, own.object, (uint32_t)i + 1);
        if (c == NULL || ft->kind != MF_TYPE_SCALAR) return NULL;
        made->args[made->arg_count++] = mf_make_constant(p, e->at, ft->scalar, c->value);
    }
    return mf_finish(p, made);
}
