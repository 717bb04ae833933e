/* Structured bindings: "auto [a, b] = x;". The whole is a variable without a name, or a reference to one; each name is a reference to its part. A vector's
 * parts, which nothing can refer to, are copied, so only a copy of a vector is taken apart. */
#include "mslfront/template.h"

enum { BINDINGS = 64 };

typedef struct bound_names {
    mf_ident *at[BINDINGS];
    span where[BINDINGS];
    size_t n;
} bound_names;

bool mf_at_binding(const mf_parser *p, const mf_specs *specs)
{
    const size_t marks = mf_at(p, MF_TOK_AMP) ? 1 : 0;
    return specs->is_auto && mf_ahead(p, marks)->kind == MF_TOK_L_SQUARE && mf_ahead(p, marks + 1)->kind == MF_TOK_IDENT;
}

static bool read_names(mf_parser *p, bound_names *out)
{
    mf_advance(p);
    do {
        if (out->n == BINDINGS) {
            mf_syntax(p, mf_cur(p)->at, "more than %d names in a structured binding", BINDINGS);
            return false;
        }
        out->at[out->n] = mf_cur(p)->ident;
        out->where[out->n++] = mf_cur(p)->at;
        if (!mf_expect(p, MF_TOK_IDENT, "in a structured binding")) return false;
    } while (mf_accept(p, MF_TOK_COMMA));
    return mf_expect(p, MF_TOK_R_SQUARE, "after the names of a structured binding");
}

static mf_expr *read_whole(mf_parser *p)
{
    const mf_token_kind close = mf_at(p, MF_TOK_L_PAREN) ? MF_TOK_R_PAREN : MF_TOK_R_BRACE;
    if (mf_accept(p, MF_TOK_EQ)) return mf_parse_assignment(p);
    if (!mf_at(p, MF_TOK_L_PAREN) && !mf_at(p, MF_TOK_L_BRACE)) mf_syntax(p, mf_cur(p)->at, "a structured binding needs '=' and a value");
    if (p->panic) return mf_error(p, mf_cur(p)->at);
    mf_advance(p);
    mf_expr *e = mf_parse_assignment(p);
    mf_expect(p, close, "after what a structured binding takes apart");
    return e;
}

/* How many parts a type has; 0 after a complaint. */
static size_t parts_of(mf_parser *p, const mf_type *t, span at)
{
    if (t->kind == MF_TYPE_ARRAY) return (size_t)t->count;
    if (mf_is_vector(t)) return t->width;
    if (t->kind == MF_TYPE_RECORD && !t->record->is_union) {
        const mf_record *r = t->record;
        bool plain = r->complete;
        for (size_t i = 0; i < r->field_count; ++i) plain = plain && r->fields[i].name.n != 0;
        if (plain && r->field_count != 0) return r->field_count;
    }
    diag_error(p->diags, at, "'%.*s' cannot be taken apart by a structured binding", STR_ARG(mf_type_text(p->mem, t)));
    return 0;
}

static mf_expr *part(mf_parser *p, mf_expr *whole, size_t i, span at)
{
    if (whole->type->kind != MF_TYPE_RECORD) return mf_make_index(p, whole, mf_int(p, at, mf_scalar_type(MF_INT), (int64_t)i), at);
    return mf_make_member(p, whole, mf_intern(p->mem, p->idents, whole->type->record->fields[i].name), at);
}

static mf_var *referring(mf_parser *p, mf_stmts *out, mf_expr *e, unsigned quals, span at)
{
    const mf_type *t = mf_reference_type(&p->types, e->type, e->space, e->quals | quals);
    return mf_hidden_local(p, out, t, mf_bind_reference(p, e, t, "bind"), at);
}

/* A variable of its own with what `e` holds; of an array one element after another. */
static mf_var *copied(mf_parser *p, mf_stmts *out, mf_expr *e, unsigned quals, span at)
{
    const mf_type *t = e->type;
    if (t->kind == MF_TYPE_ARRAY && e->lvalue) {
        mf_var *from = referring(p, out, e, 0, at);
        mf_exprs parts = mf_exprs_none();
        for (size_t i = 0; i < t->count; ++i)
            mf_exprs_push(p->mem, &parts, mf_convert(p, part(p, mf_make_var(p, from, at), i, at), t->elem, "initialise with"));
        e = mf_new(p, MF_EXPR_AGGREGATE, at, t);
        e->args = parts.at;
        e->arg_count = (uint32_t)parts.n;
        e = mf_finish(p, e);
    } else {
        e = mf_convert(p, e, t, "initialise with");
    }
    mf_var *v = mf_hidden_local(p, out, t, mf_bad(e) ? NULL : e, at);
    v->quals = (uint8_t)quals;
    mf_note_alive(p, v);
    return v;
}

static void name_part(mf_parser *p, mf_stmts *out, mf_expr *e, const bound_names *names, size_t i, unsigned quals)
{
    if (mf_bad(e)) return;
    mf_var *v;
    if (e->lvalue) {
        v = referring(p, out, e, quals, names->where[i]);
    } else {
        v = mf_hidden_local(p, out, e->type, e, names->where[i]);
        v->quals = (uint8_t)quals;
    }
    v->name = names->at[i]->text;
    mf_symbol *s = mf_declare(p, MF_SYM_VAR, names->at[i], names->where[i]);
    if (s != NULL) s->var = v;
}

void mf_parse_binding(mf_parser *p, const mf_specs *specs, mf_stmts *out)
{
    const unsigned quals = specs->type.quals | (specs->is_constexpr ? MF_CONST : 0u);
    const bool refers = mf_accept(p, MF_TOK_AMP);
    bound_names names = {.n = 0};
    if (!read_names(p, &names)) return;
    const span at = mf_since(p, specs->at);
    mf_expr *e = read_whole(p);
    if (p->panic || mf_bad(e)) return;
    if (e->type->kind == MF_TYPE_RECORD) { /* metal::array */
        const mf_record *r = e->type->record;
        if (r->made_of != NULL && mf_in_library(p, r->at) && r->field_count == 1 && r->fields[0].type->kind == MF_TYPE_ARRAY) e = part(p, mf_materialize(p, e), 0, at);
    }
    const size_t n = parts_of(p, e->type, at);
    if (n == 0) return;
    if (n != names.n) {
        diag_error(p->diags, at, "'%.*s' has %zu parts, and %zu names are given for them", STR_ARG(mf_type_text(p->mem, e->type)), n, names.n);
        return;
    }
    if (refers && (!e->lvalue || mf_is_vector(e->type))) {
        if (e->lvalue)
            diag_unsupported(p->diags, at, "references to the elements of a vector are not supported");
        else
            diag_error(p->diags, e->at, "an 'auto' reference needs a place");
        return;
    }
    mf_var *whole = refers ? referring(p, out, e, quals, at) : copied(p, out, e, quals, at);
    for (size_t i = 0; i < n; ++i) {
        mf_expr *one = part(p, mf_make_var(p, whole, at), i, names.where[i]);
        if (mf_is_vector(whole->type)) one = mf_value(p, one);
        name_part(p, out, one, &names, i, quals);
    }
}
