/* Calls: which overload takes the arguments best, the user's and the library's together. */
#include "mslfront/parser.h"

/* -1 where a is better than b, 1 where b is, 0 where neither is. */
static int compare(const mf_match *a, const mf_match *b, size_t args)
{
    bool a_wins = false, b_wins = false;
    for (size_t i = 0; i < args; ++i) {
        a_wins |= a->ranks[i] < b->ranks[i];
        b_wins |= b->ranks[i] < a->ranks[i];
    }
    return a_wins == b_wins ? 0 : a_wins ? -1 : 1;
}

void mf_keep_best(mf_matches *all, const mf_match *m, size_t args)
{
    size_t kept = 0;
    for (size_t i = 0; i < all->n; ++i) {
        int order = compare(&all->at[i], m, args);
        if (order < 0)
            return; /* then it beats none of the others: they would have been beaten before */
        if (order == 0) all->at[kept++] = all->at[i];
    }
    all->n = kept;
    if (all->n < MF_MATCHES) all->at[all->n++] = *m;
}

static mf_rank param_rank(const mf_expr *e, const mf_type *to)
{
    if (to->kind != MF_TYPE_REFERENCE) return mf_rank_to(e, to);
    if (!mf_can_bind(e, to)) return MF_NO_CONVERSION;
    return mf_rank_to(e, to->elem);
}

static bool match_user(mf_candidate *c, const mf_exprs *args, mf_match *out)
{
    const mf_function *f = c->function;
    if (args->n > f->param_count || args->n < c->required || args->n > MF_CALL_ARGS) return false;
    *out = (mf_match){.user = c, .builtin = -1};
    for (size_t i = 0; i < args->n; ++i) {
        mf_rank r = param_rank(args->at[i], f->params[i]->type);
        if (r == MF_NO_CONVERSION) return false;
        out->ranks[i] = (uint8_t)r;
    }
    return true;
}

static str signature(mf_parser *p, const mf_function *f)
{
    ingot_allocator hook = arena_hook(p->mem);
    buf out = buf_make(&hook);
    buf_printf(&out, "%.*s %.*s(", STR_ARG(mf_type_text(p->mem, f->result)), STR_ARG(f->label));
    for (size_t i = 0; i < f->param_count; ++i) {
        buf_printf(&out, "%s%.*s", i != 0 ? ", " : "",
                   STR_ARG(mf_type_text(p->mem, f->params[i]->type)));
    }
    buf_char(&out, ')');
    return str_copy(p->mem, buf_view(&out));
}

static str argument_types(mf_parser *p, const mf_exprs *args)
{
    ingot_allocator hook = arena_hook(p->mem);
    buf out = buf_make(&hook);
    for (size_t i = 0; i < args->n; ++i) {
        buf_printf(&out, "%s%.*s", i != 0 ? ", " : "",
                   STR_ARG(mf_type_text(p->mem, args->at[i]->type)));
    }
    return str_copy(p->mem, buf_view(&out));
}

/* Why a user function does not take the arguments. */
static void note_not_viable(mf_parser *p, const mf_candidate *c, const mf_exprs *args)
{
    const mf_function *f = c->function;
    if (args->n > f->param_count || args->n < c->required) {
        diag_note(p->diags, f->at, "candidate not viable: it takes %s%zu argument%s, not %zu",
                  c->required < f->param_count ? "up to " : "", f->param_count,
                  f->param_count == 1 ? "" : "s", args->n);
        return;
    }
    for (size_t i = 0; i < args->n; ++i) {
        if (param_rank(args->at[i], f->params[i]->type) != MF_NO_CONVERSION) continue;
        diag_note(p->diags, f->at,
                  "candidate not viable: argument %zu, '%.*s', does not go to '%.*s'", i + 1,
                  STR_ARG(mf_type_text(p->mem, args->at[i]->type)),
                  STR_ARG(mf_type_text(p->mem, f->params[i]->type)));
        return;
    }
}

static void add_call(mf_parser *p, mf_candidate *callee, span at)
{
    mf_candidate *caller = p->function;
    if (callee->called_at.file == 0) callee->called_at = at;
    if (caller == NULL) return;
    for (size_t i = caller->callee_count; i-- != 0 && i + 16 > caller->callee_count;) {
        if (caller->callees[i] == callee) return; /* the common repetition; others do no harm */
    }
    if (caller->callee_count == caller->callee_cap) {
        size_t cap = caller->callee_cap == 0 ? 4 : caller->callee_cap * 2;
        mf_candidate **grown = arena_array(p->mem, mf_candidate *, cap);
        for (size_t i = 0; i < caller->callee_count; ++i) grown[i] = caller->callees[i];
        caller->callees = grown;
        caller->callee_cap = cap;
    }
    caller->callees[caller->callee_count++] = callee;
}

static mf_expr *call_user(mf_parser *p, mf_candidate *c, const mf_exprs *args, span at)
{
    mf_function *f = c->function;
    const mf_type *r = f->result;
    mf_expr *e = r->kind == MF_TYPE_REFERENCE
                     ? mf_make_place(p, MF_EXPR_CALL, at, (mf_qtype){r->elem, r->space, r->quals})
                     : mf_new(p, MF_EXPR_CALL, at, r);
    e->function = f;
    e->args = arena_array(p->mem, mf_expr *, f->param_count);
    for (size_t i = 0; i < f->param_count; ++i) {
        const mf_type *t = f->params[i]->type;
        mf_expr *a = i < args->n ? args->at[i] : c->defaults[i];
        if (a == NULL) return mf_error(p, at); /* a default that was complained about */
        if (i < args->n) {
            a = t->kind == MF_TYPE_REFERENCE ? mf_bind_reference(p, a, t, "pass")
                                             : mf_convert(p, a, t, "pass");
        }
        if (mf_bad(a)) return mf_error(p, at);
        e->args[e->arg_count++] = a;
    }
    add_call(p, c, at);
    return mf_finish(p, e);
}

static mf_expr *ambiguous(mf_parser *p, const mf_ref *name, const mf_exprs *args,
                          const mf_matches *all, span at)
{
    diag_error(p->diags, at, "call of '%.*s' is ambiguous for (%.*s)", STR_ARG(name->id->text),
               STR_ARG(argument_types(p, args)));
    for (size_t i = 0; i < all->n; ++i) {
        const mf_match *m = &all->at[i];
        if (m->user != NULL) {
            diag_note(p->diags, m->user->function->at, "candidate: %.*s",
                      STR_ARG(signature(p, m->user->function)));
        } else {
            diag_note(p->diags, (span){0}, "candidate: %.*s", STR_ARG(mf_builtin_text(p, m)));
        }
    }
    return mf_error(p, at);
}

static mf_expr *none_viable(mf_parser *p, const mf_ref *name, const mf_exprs *args, span at)
{
    diag_error(p->diags, at, "no function '%.*s' takes (%.*s)", STR_ARG(name->id->text),
               STR_ARG(argument_types(p, args)));
    mf_candidate *c = name->symbol != NULL ? name->symbol->functions : NULL;
    for (; c != NULL; c = c->next) note_not_viable(p, c, args);
    if (name->builtin >= 0) {
        diag_note(p->diags, (span){0}, "the library has %.*s",
                  STR_ARG(mf_builtin_pattern(p, name->builtin)));
    }
    return mf_error(p, at);
}

mf_expr *mf_call_function(mf_parser *p, const mf_ref *name, mf_exprs *args, span at)
{
    for (size_t i = 0; i < args->n; ++i) {
        if (mf_bad(args->at[i])) return mf_error(p, at);
    }
    mf_matches all = {.n = 0};
    mf_candidate *first = name->symbol != NULL ? name->symbol->functions : NULL;
    bool alone = first != NULL && first->next == NULL && name->builtin < 0;
    if (alone && args->n >= first->required && args->n <= first->function->param_count) {
        return call_user(p, first, args, at); /* no choice: a misfit is reported at its argument */
    }
    for (mf_candidate *c = first; c != NULL; c = c->next) {
        mf_match m;
        if (match_user(c, args, &m)) mf_keep_best(&all, &m, args->n);
    }
    if (name->builtin >= 0) mf_match_builtin(p, name->builtin, args, &all);
    if (all.n == 0) return none_viable(p, name, args, at);
    if (all.n > 1) return ambiguous(p, name, args, &all, at);
    if (all.at[0].user != NULL) return call_user(p, all.at[0].user, args, at);
    return mf_call_builtin(p, &all.at[0], name->math, args, at);
}
