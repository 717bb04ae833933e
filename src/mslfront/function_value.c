/* Functions as values: a value of a function's type is the number of a function whose name was used as one, from 1 on in order; 0 is none.
 * A call by such a value is a call of a dispatcher, a function of one type that chooses by the number; its body is written when all are known. */
#include "mslfront/template.h"

/* A dispatcher's functions: those of its type among all that are named as values. */
struct mf_dispatcher {
    const mf_type *type;
    mf_candidate *c;
    struct mf_dispatcher *next;
};

const mf_type *mf_type_of_function(mf_parser *p, const mf_type *result, const mf_exprs *params)
{
    const mf_type **types = arena_array(p->mem, const mf_type *, params->n + 1);
    for (size_t i = 0; i < params->n; ++i) {
        const mf_expr *e = params->at[i];
        const bool reference = e->lvalue && e->kind == MF_EXPR_VAR && e->var->type->kind == MF_TYPE_REFERENCE;
        types[i] = reference ? e->var->type : e->type;
    }
    return mf_function_type(&p->types, result, types, params->n);
}

static const mf_type *type_of(mf_parser *p, const mf_function *f)
{
    const mf_type **types = arena_array(p->mem, const mf_type *, f->param_count + 1);
    for (size_t i = 0; i < f->param_count; ++i) types[i] = f->params[i]->type;
    return mf_function_type(&p->types, f->result, types, f->param_count);
}

/* The value that stands for the function; its body is needed. */
static mf_expr *value_of(mf_parser *p, mf_candidate *c, span at)
{
    mf_function *f = c->function;
    if (f->kernel || c->compiled_as.n != 0 || (c->self != NULL && !c->is_static)) {
        diag_unsupported(p->diags, at, "%s as a value is not supported", f->kernel ? "a kernel" : c->self != NULL ? "a member function" : "a function of the compiler's own");
        return mf_error(p, at);
    }
    if (c->is_auto && !p->unevaluated) mf_read_body(p, c);
    size_t n = 0;
    while (n < p->named.n && p->named.at[n] != c) ++n;
    if (!p->unevaluated) {
        mf_use_instance(p, c, at);
        mf_need_body(p, c, at);
        mf_add_call(p, c, at);
        if (n == p->named.n) mf_candidates_push(p->mem, &p->named, c);
    }
    return mf_int(p, at, type_of(p, f), (int64_t)n + 1);
}

/* The one function that the name means where nothing says of which type; NULL where there are none or several. */
static mf_candidate *only_one(mf_parser *p, const mf_symbol *set, span at)
{
    mf_candidate *found = NULL;
    for (mf_candidate *c = set->functions; c != NULL; c = c->next) {
        mf_candidate *one = c;
        if (c->generic != NULL && set->given != NULL) {
            mf_targs args = *set->given;
            diag_list quiet;
            diag_list *loud = mf_quiet(p, &quiet);
            bool good = mf_complete_args(p, c->generic, &args, at);
            good = mf_loud(p, loud) && good;
            one = good ? mf_function_instance(p, c, &args, at) : NULL;
        } else if (c->generic != NULL || set->given != NULL) {
            if (c->generic == NULL) continue;
            return NULL;
        }
        if (one == NULL) continue;
        if (found != NULL) return NULL;
        found = one;
    }
    return found;
}

mf_expr *mf_function_value(mf_parser *p, const mf_ref *name, span at)
{
    mf_symbol *set = arena_copy(p->mem, name->symbol, sizeof *name->symbol);
    if (name->given != NULL) set->given = name->given;
    mf_candidate *c = only_one(p, set, at);
    if (c != NULL) return value_of(p, c, at);
    mf_expr *e = mf_new(p, MF_EXPR_ZERO, at, mf_set_type());
    e->set = set;
    return e;
}

mf_candidate *mf_function_of_type(mf_parser *p, const mf_symbol *set, const mf_type *type, span at)
{
    mf_exprs params = mf_exprs_none();
    for (uint64_t i = 0; i < type->count; ++i) {
        const mf_declarator d = {.type = {.type = type->params[i]}, .at = at};
        mf_exprs_push(p->mem, &params, mf_make_var(p, mf_new_var(p, MF_VAR_PARAM, &d), at));
    }
    for (mf_candidate *c = set->functions; c != NULL; c = c->next) {
        mf_candidate *one = c;
        if (c->generic != NULL) {
            mf_targs args;
            if (!mf_deduce_call(p, c->generic, set->given, &params, &args)) continue;
            diag_list quiet;
            diag_list *loud = mf_quiet(p, &quiet);
            bool good = mf_complete_args(p, c->generic, &args, at);
            good = mf_loud(p, loud) && good;
            one = good ? mf_function_instance(p, c, &args, at) : NULL;
        }
        if (one != NULL && type_of(p, one->function) == type) return one;
    }
    return NULL;
}

bool mf_is_set(const mf_expr *e)
{
    return e->type == mf_set_type();
}

mf_expr *mf_choose_function(mf_parser *p, const mf_expr *e, const mf_type *to)
{
    mf_candidate *c = mf_function_of_type(p, e->set, to, e->at);
    return c != NULL ? value_of(p, c, e->at) : NULL;
}

mf_expr *mf_refuse_set(mf_parser *p, const mf_expr *e)
{
    diag_error(p->diags, e->at, "which function '%.*s' is meant is not clear here", STR_ARG(e->set->name->text));
    for (const mf_candidate *c = e->set->functions; c != NULL; c = c->next) diag_note(p->diags, c->function->at, "it may be this one");
    return mf_error(p, e->at);
}

/* The dispatcher of a type. */
static mf_candidate *dispatcher_of(mf_parser *p, const mf_type *type, span at)
{
    for (struct mf_dispatcher *d = p->dispatchers; d != NULL; d = d->next)
        if (d->type == type) return d->c;
    mf_candidate *c = arena_new(p->mem, mf_candidate);
    mf_function *f = arena_new(p->mem, mf_function);
    f->name = f->label = STR("(a call of a function by its value)");
    f->at = at;
    f->result = type->elem;
    f->params = arena_array(p->mem, mf_var *, type->count + 1);
    for (uint64_t i = 0; i <= type->count; ++i) {
        const mf_declarator d = {.type = {.type = i == 0 ? type : type->params[i - 1]}, .at = at};
        f->params[i] = mf_new_var(p, MF_VAR_PARAM, &d);
        f->params[i]->index = (uint32_t)i;
    }
    f->param_count = (size_t)type->count + 1;
    c->function = f;
    c->required = f->param_count;
    c->needed = true;
    mf_candidates_push(p->mem, &p->candidates, c);
    struct mf_dispatcher *d = arena_new(p->mem, struct mf_dispatcher);
    *d = (struct mf_dispatcher){type, c, p->dispatchers};
    p->dispatchers = d;
    return c;
}

mf_expr *mf_call_value(mf_parser *p, mf_expr *value, mf_exprs *args, span at)
{
    const mf_type *type = value->type;
    for (size_t i = 0; i < args->n; ++i)
        if (mf_bad(args->at[i])) return mf_error(p, at);
    if (args->n != type->count) {
        diag_error(p->diags, at, "a function '%.*s' takes %llu argument%s, not %zu", STR_ARG(mf_type_text(p->mem, type)),
                   (unsigned long long)type->count, type->count == 1 ? "" : "s", args->n);
        return mf_error(p, at);
    }
    if (type->elem->kind == MF_TYPE_REFERENCE) {
        diag_unsupported(p->diags, at, "calling a function that returns a reference by its value is not supported");
        return mf_error(p, at);
    }
    mf_candidate *c = dispatcher_of(p, type, at);
    mf_expr *e = mf_new(p, MF_EXPR_CALL, at, type->elem);
    e->function = c->function;
    e->args = arena_array(p->mem, mf_expr *, args->n + 1);
    e->args[e->arg_count++] = mf_value(p, value);
    for (size_t i = 0; i < args->n; ++i) {
        const mf_type *t = type->params[i];
        mf_expr *a = t->kind == MF_TYPE_REFERENCE ? mf_bind_reference(p, args->at[i], t, "pass") : mf_convert(p, args->at[i], t, "pass");
        if (mf_bad(a)) return mf_error(p, at);
        e->args[e->arg_count++] = a;
    }
    if (!p->unevaluated) mf_add_call(p, c, at);
    return mf_finish(p, e);
}

mf_expr *mf_function_number(mf_parser *p, mf_expr *e)
{
    const mf_type *t = mf_scalar_type(MF_ULONG);
    e = mf_value(p, e);
    if (mf_bad(e) || e->type->kind == MF_TYPE_NULL) return mf_bad(e) ? e : mf_int(p, e->at, t, 0);
    return mf_cast_to(p, e, t, MF_CAST_CONVERT);
}

/* "if (value == number) return f(parameters);" */
static mf_stmt *choice(mf_parser *p, const mf_function *d, mf_candidate *c, size_t number)
{
    const span at = c->function->at;
    mf_expr *call = mf_new(p, MF_EXPR_CALL, at, d->result);
    call->function = c->function;
    call->args = arena_array(p->mem, mf_expr *, d->param_count);
    for (size_t i = 1; i < d->param_count; ++i) {
        mf_expr *a = mf_make_var(p, d->params[i], at);
        if (d->params[i]->type->kind != MF_TYPE_REFERENCE) { /* as it is: a copy was made for the call of the dispatcher */
            mf_expr *v = mf_new(p, MF_EXPR_LOAD, at, a->type);
            v->a = a;
            a = mf_finish(p, v);
        }
        call->args[call->arg_count++] = a;
    }
    mf_stmts items = mf_stmts_none();
    mf_stmt *end = mf_new_stmt(p, MF_STMT_RETURN, at);
    if (d->result->kind == MF_TYPE_VOID) {
        mf_stmt *s = mf_new_stmt(p, MF_STMT_EXPR, at);
        s->expr = mf_finish(p, call);
        mf_stmts_push(p->mem, &items, s);
    } else {
        end->expr = mf_finish(p, call);
    }
    mf_stmts_push(p->mem, &items, end);
    mf_stmt *body = mf_new_stmt(p, MF_STMT_BLOCK, at), *s = mf_new_stmt(p, MF_STMT_IF, at);
    body->items = items.at;
    body->item_count = items.n;
    s->body = body;
    s->cond = mf_make_binary(p, MF_OP_EQ, mf_function_number(p, mf_make_var(p, d->params[0], at)),
                             mf_int(p, at, mf_scalar_type(MF_ULONG), (int64_t)number));
    return s;
}

void mf_write_dispatchers(mf_parser *p)
{
    for (struct mf_dispatcher *d = p->dispatchers; d != NULL; d = d->next) {
        mf_function *f = d->c->function;
        mf_stmts items = mf_stmts_none();
        for (size_t i = 0; i < p->named.n; ++i) {
            mf_candidate *c = p->named.at[i];
            if (type_of(p, c->function) != d->type) continue;
            mf_stmts_push(p->mem, &items, choice(p, f, c, i + 1));
            p->function = d->c;
            mf_add_call(p, c, f->at);
            p->function = NULL;
        }
        f->body = mf_new_stmt(p, MF_STMT_BLOCK, f->at);
        f->body->items = items.at;
        f->body->item_count = items.n;
    }
}
