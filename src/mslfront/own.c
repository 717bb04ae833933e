/* Operators of the user's own, and packs of arguments. */
#include "mslfront/template.h"

static bool is_matrix(const mf_type *t)
{
    return t->kind == MF_TYPE_MATRIX || t->kind == MF_TYPE_SIMD_MATRIX;
}

static bool is_own(const mf_expr *e)
{
    if (e == NULL) return false;
    bool scoped = e->type->kind == MF_TYPE_ENUM && e->type->enumeration->underlying != NULL;
    return e->type->kind == MF_TYPE_RECORD || scoped || is_matrix(e->type);
}

static bool takes(mf_parser *p, const mf_ref *name, mf_expr *object, mf_exprs *args, mf_expr **out,
                  span at)
{
    diag_list quiet;
    diag_list *loud = mf_quiet(p, &quiet);
    bool outer = p->unevaluated;
    p->unevaluated = true;
    mf_expr *e = object != NULL ? mf_call_member(p, name, object, args, at)
                                : mf_call_function(p, name, args, at);
    p->unevaluated = outer;
    if (!mf_loud(p, loud) || mf_bad(e)) return false;
    *out = object != NULL ? mf_call_member(p, name, object, args, at)
                          : mf_call_function(p, name, args, at);
    return true;
}

/* Free operators: those seen from here, and those where a record is declared. */
static bool free_operator(mf_parser *p, mf_ident *id, mf_exprs *args, mf_expr **out, span at)
{
    const mf_scope *last = NULL;
    for (size_t i = 0; i <= args->n; ++i) {
        const mf_scope *s = p->scope;
        if (i != 0) {
            const mf_type *t = args->at[i - 1]->type;
            if (is_matrix(t) && p->metal != NULL)
                s = p->metal;
            else if (t->kind != MF_TYPE_RECORD || t->record->scope == NULL)
                continue;
            else
                s = t->record->scope->parent;
        }
        for (; s != NULL; s = s->parent) {
            mf_symbol *found = mf_find(s, id);
            for (size_t k = 0; found == NULL && k < s->used_count; ++k)
                found = mf_find(s->used[k], id);
            if (found == NULL || found->kind != MF_SYM_FUNCTION || s == last) continue;
            if (s->kind == MF_SCOPE_RECORD) continue;
            last = s;
            mf_ref name = {.id = id, .at = at, .symbol = found, .builtin = -1};
            if (takes(p, &name, NULL, args, out, at)) return true;
        }
    }
    return false;
}

mf_expr *mf_own_operator(mf_parser *p, str mark, mf_expr *a, mf_expr *b, span at)
{
    if (p->panic || mf_bad(a) || (b != NULL && mf_bad(b)) || (!is_own(a) && !is_own(b)))
        return NULL;
    mf_ident *id = mf_intern(p->mem, p->idents, str_format(p->mem, "operator%.*s", STR_ARG(mark)));
    mf_expr *out = NULL;
    mf_exprs args = mf_exprs_none();
    if (a->type->kind == MF_TYPE_RECORD) {
        mf_symbol *s = mf_find_member(a->type->record, id);
        mf_ref name = {.id = id, .at = at, .symbol = s, .builtin = -1};
        if (b != NULL) mf_exprs_push(p->mem, &args, b);
        if (s != NULL && s->kind == MF_SYM_FUNCTION) {
            if (takes(p, &name, a, &args, &out, at)) return out;
            if (str_is(mark, "[]"))
                return mf_call_member(p, &name, a, &args, at); /* to say why not */
        }
    }
    if (str_is(mark, "=") || str_is(mark, "[]") || str_is(mark, "&&")) return NULL;
    args = mf_exprs_none();
    mf_exprs_push(p->mem, &args, a);
    if (b != NULL) mf_exprs_push(p->mem, &args, b);
    return free_operator(p, id, &args, &out, at) ? out : NULL;
}

/* The pack that a name stands for in an expansion; NULL: it is none. */
static mf_symbol *pack_named(mf_parser *p, size_t at)
{
    const mf_token *t = &p->tokens[at];
    if (t->kind != MF_TOK_IDENT) return NULL;
    for (const mf_scope *s = p->scope; s != NULL; s = s->parent) {
        mf_symbol *found = mf_find(s, t->ident);
        if (found != NULL) return found->kind == MF_SYM_PACK ? found : NULL;
    }
    return NULL;
}

static size_t pack_size(const mf_symbol *s)
{
    return s->pack != NULL ? s->pack->pack_count : s->pack_vars->n;
}

void mf_packs_of(mf_parser *p, size_t begin, size_t end, mf_pack *out)
{
    *out = (mf_pack){.begin = begin, .end = end};
    for (size_t i = begin; i < end; ++i) {
        mf_symbol *s = pack_named(p, i);
        if (s == NULL || out->count == MF_PACKS) continue;
        out->names[out->count++] = s;
        out->n = pack_size(s);
    }
}

bool mf_find_pack(mf_parser *p, size_t at, mf_pack *out)
{
    size_t end = mf_skip_arg(p, at);
    size_t dots = end; /* at the end, or before the name of a parameter */
    if (end > at + 1 && p->tokens[end - 1].kind == MF_TOK_ELLIPSIS) dots = end - 1;
    if (end > at + 2 && p->tokens[end - 1].kind == MF_TOK_IDENT &&
        p->tokens[end - 2].kind == MF_TOK_ELLIPSIS)
        dots = end - 2;
    if (dots == end) return false;
    mf_packs_of(p, at, end, out);
    return out->count != 0;
}

void mf_enter_pack(mf_parser *p, const mf_pack *pack, size_t i)
{
    mf_scope *s = mf_push_scope(p, MF_SCOPE_BLOCK);
    p->at = pack->begin;
    for (size_t k = 0; k < pack->count; ++k) {
        const mf_symbol *one = pack->names[k];
        if (i >= pack_size(one) || mf_find(s, one->name) != NULL) continue;
        if (one->pack == NULL) {
            mf_add_symbol(p, s, MF_SYM_VAR, one->name, one->at)->var = one->pack_vars->at[i];
            continue;
        }
        const mf_targ *a = &one->pack->pack[i];
        bool type = a->kind == MF_TARG_TYPE;
        mf_symbol *made =
            mf_add_symbol(p, s, type ? MF_SYM_TYPE : MF_SYM_ENUMERATOR, one->name, one->at);
        made->type = a->type;
        made->value = (int64_t)a->value.i;
    }
}

/* simdgroup_matrix::thread_elements(): the two elements that this thread holds, as a vector. */
mf_expr *mf_thread_elements(mf_parser *p, mf_expr *e)
{
    span at = e->at;
    mf_advance(p);
    if (!mf_expect(p, MF_TOK_R_PAREN, "after 'thread_elements('")) return mf_error(p, at);
    e = mf_materialize(p, e);
    if (mf_bad(e)) return e;
    const mf_type *t = mf_vector_type(e->type->scalar, 2);
    mf_expr *c = mf_make_place(p, MF_EXPR_CAST, mf_since(p, at), (mf_qtype){t, e->space, e->quals});
    c->a = e;
    c->cast = MF_CAST_PLACE;
    return mf_finish(p, c);
}
