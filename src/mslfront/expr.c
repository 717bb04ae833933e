/* Making expression nodes: places and values, members, elements, unary operators. */
#include "mslfront/parser.h"

mf_expr *mf_new(mf_parser *p, mf_expr_kind kind, span at, const mf_type *type)
{
    mf_expr *e = arena_new(p->mem, mf_expr);
    e->kind = kind;
    e->at = at;
    e->type = type;
    return e;
}

mf_expr *mf_error(mf_parser *p, span at)
{
    return mf_new(p, MF_EXPR_ERROR, at, mf_error_type());
}

bool mf_bad(const mf_expr *e)
{
    return e->kind == MF_EXPR_ERROR;
}

mf_expr *mf_int(mf_parser *p, span at, const mf_type *type, int64_t v)
{
    mf_expr *e = mf_new(p, MF_EXPR_CONST, at, type);
    e->constant.i = (uint64_t)v;
    return e;
}

mf_expr *mf_make_constant(mf_parser *p, span at, mf_scalar s, mf_constant c)
{
    mf_expr *e = mf_new(p, MF_EXPR_CONST, at, mf_scalar_type(s));
    e->constant = c;
    return e;
}

static unsigned deepest(const mf_expr *e)
{
    unsigned most = 0;
    const mf_expr *children[] = {e->a, e->b, e->c};
    for (size_t i = 0; i < 3; ++i) {
        if (children[i] != NULL && children[i]->depth > most) most = children[i]->depth;
    }
    for (uint32_t i = 0; i < e->arg_count; ++i) {
        if (e->args[i]->depth > most) most = e->args[i]->depth;
    }
    return most;
}

mf_expr *mf_finish(mf_parser *p, mf_expr *e)
{
    unsigned depth = deepest(e) + 1;
    if (depth <= MF_EXPR_DEPTH) {
        e->depth = (uint16_t)depth;
        return e;
    }
    diag_error(p->diags, e->at, "the expression is more than %d operations deep", MF_EXPR_DEPTH);
    return mf_error(p, e->at);
}

mf_expr *mf_make_place(mf_parser *p, mf_expr_kind kind, span at, mf_qtype q)
{
    mf_expr *e = mf_new(p, kind, at, q.type);
    e->lvalue = true;
    e->space = q.space;
    e->quals = q.quals;
    return e;
}

static mf_qtype place_type(const mf_expr *e)
{
    return (mf_qtype){e->type, e->space, e->quals};
}

/* The value of a chosen place is the chosen one of two values: no consumer then needs to choose between places,
 * unless something is done to the place itself. */
static mf_expr *chosen_value(mf_parser *p, const mf_expr *e)
{
    mf_expr *yes = mf_value(p, e->b), *no = mf_value(p, e->c);
    if (mf_bad(yes) || mf_bad(no)) return mf_error(p, e->at);
    mf_expr *v = mf_new(p, MF_EXPR_COND, e->at, yes->type);
    v->a = e->a;
    v->b = yes;
    v->c = no;
    return mf_finish(p, v);
}

mf_expr *mf_value(mf_parser *p, mf_expr *e)
{
    if (!mf_bad(e) && mf_is_set(e)) return mf_refuse_set(p, e);
    if (mf_bad(e) || !e->lvalue) return e;
    if (e->kind == MF_EXPR_COND) return chosen_value(p, e);
    if (e->type->kind == MF_TYPE_ATOMIC) {
        diag_error(p->diags, e->at,
                   "an atomic has no plain value; there is atomic_load_explicit()");
        return mf_error(p, e->at);
    }
    if (e->type->kind == MF_TYPE_RECORD) return mf_copy(p, e);
    bool traits = e->kind == MF_EXPR_VAR && mf_in_library(p, e->var->at) && e->var->has_value;
    if (traits && mf_is_scalar(e->type)) return mf_make_constant(p, e->at, e->type->scalar, e->var->value);
    bool array = e->type->kind == MF_TYPE_ARRAY;
    const mf_type *type = e->type;
    if (array) type = mf_pointer_type(&p->types, e->type->elem, e->space, e->quals);
    mf_expr *v = mf_new(p, array ? MF_EXPR_CAST : MF_EXPR_LOAD, e->at, type);
    v->a = e;
    v->implicit = true;
    if (array) v->cast = MF_CAST_DECAY;
    return mf_finish(p, v);
}

mf_expr *mf_materialize(mf_parser *p, mf_expr *e)
{
    if (mf_bad(e) || e->lvalue) return e;
    if (!mf_check_temporary(p, e)) return mf_error(p, e->at);
    mf_expr *t =
        mf_make_place(p, MF_EXPR_TEMPORARY, e->at, (mf_qtype){e->type, MF_THREAD, MF_CONST});
    t->a = e;
    t->implicit = true;
    return mf_finish(p, t);
}

mf_expr *mf_make_var(mf_parser *p, mf_var *v, span at)
{
    if (v == NULL) { /* its declaration is still being read, or was refused */
        diag_error(p->diags, at, "this variable has no value here");
        return mf_error(p, at);
    }
    const mf_type *t = v->type;
    if (t->kind == MF_TYPE_ERROR) return mf_error(p, at);
    mf_qtype q = t->kind == MF_TYPE_REFERENCE ? (mf_qtype){t->elem, t->space, t->quals}
                                              : (mf_qtype){t, v->space, v->quals};
    mf_expr *e = mf_make_place(p, MF_EXPR_VAR, at, q);
    e->var = v;
    return e;
}

mf_expr *mf_make_deref(mf_parser *p, mf_expr *a, span at)
{
    a = mf_value(p, a);
    if (mf_bad(a)) return a;
    if (a->type->kind != MF_TYPE_POINTER) {
        diag_error(p->diags, at, "'*' needs a pointer, not '%.*s'",
                   STR_ARG(mf_type_text(p->mem, a->type)));
        return mf_error(p, at);
    }
    if (a->kind == MF_EXPR_ADDRESS) return a->a;
    if (!mf_check_object_type(p, a->type->elem, at, "dereference a pointer to"))
        return mf_error(p, at);
    mf_expr *e = mf_make_place(p, MF_EXPR_DEREF, at,
                               (mf_qtype){a->type->elem, a->type->space, a->type->quals});
    e->a = a;
    return mf_finish(p, e);
}

mf_expr *mf_make_address(mf_parser *p, mf_expr *a, span at)
{
    if (mf_bad(a)) return a;
    bool part = a->kind == MF_EXPR_SWIZZLE ||
                (a->kind == MF_EXPR_ELEMENT && a->a->type->kind != MF_TYPE_MATRIX);
    if (!a->lvalue || a->kind == MF_EXPR_TEMPORARY || part) {
        diag_error(p->diags, at,
                   part ? "the address of a vector's element cannot be taken"
                        : "the address of a value cannot be taken");
        return mf_error(p, at);
    }
    mf_expr *e =
        mf_new(p, MF_EXPR_ADDRESS, at, mf_pointer_type(&p->types, a->type, a->space, a->quals));
    e->a = a;
    return mf_finish(p, e);
}

static const char *unary_text(mf_expr_kind kind)
{
    return kind == MF_EXPR_NEGATE       ? "-"
           : kind == MF_EXPR_COMPLEMENT ? "~"
           : kind == MF_EXPR_NOT        ? "!"
                                        : "+";
}

mf_expr *mf_make_unary(mf_parser *p, mf_expr_kind kind, mf_expr *a, span at)
{
    a = mf_value(p, mf_as_number(p, a));
    if (mf_bad(a)) return a;
    if (a->type->kind == MF_TYPE_PACKED) {
        a = mf_cast_to(p, a, mf_vector_type(a->type->scalar, a->type->width), MF_CAST_PACK);
    }
    bool vector = a->type->kind == MF_TYPE_VECTOR;
    bool good;
    if (kind == MF_EXPR_NOT) {
        good = vector ? a->type->scalar == MF_BOOL : true;
        if (!vector) a = mf_condition_value(p, a);
    } else {
        if (!vector) a = mf_promote(p, a);
        bool boolean = vector && a->type->scalar == MF_BOOL;
        good = kind == MF_EXPR_COMPLEMENT ? mf_is_integer_like(a->type)
                                          : mf_is_numeric(a->type) && !boolean;
        if (kind == MF_EXPR_LOAD) good = good || a->type->kind == MF_TYPE_POINTER; /* unary plus */
    }
    if (mf_bad(a)) return a;
    if (!good) {
        diag_error(p->diags, at, "'%s' does not take '%.*s'", unary_text(kind),
                   STR_ARG(mf_type_text(p->mem, a->type)));
        return mf_error(p, at);
    }
    if (kind == MF_EXPR_LOAD) return a;
    mf_expr *e = mf_new(p, kind, at, a->type);
    e->a = a;
    mf_constant c;
    if (a->kind == MF_EXPR_CONST && mf_fold(e, &c))
        return mf_make_constant(p, at, a->type->scalar, c);
    return mf_finish(p, e);
}

bool mf_check_writable(mf_parser *p, const mf_expr *e, const char *what)
{
    const char *why = NULL;
    if (!e->lvalue || e->kind == MF_EXPR_TEMPORARY) {
        why = "it is a value, not a place";
    } else if (e->space == MF_CONSTANT) {
        why = "it lies in the constant address space";
    } else if ((e->quals & MF_CONST) != 0) {
        why = "it is const";
    }
    for (int i = 0; e->kind == MF_EXPR_SWIZZLE && i < e->swizzle_count; ++i) {
        for (int k = 0; k < i; ++k) {
            if (e->swizzle[i] == e->swizzle[k]) why = "an element stands in it twice";
        }
    }
    if (why == NULL) return true;
    diag_error(p->diags, e->at, "cannot %s this: %s", what, why);
    if (e->kind == MF_EXPR_VAR)
        diag_note(p->diags, e->var->at, "'%.*s' is declared here", STR_ARG(e->var->name));
    return false;
}

mf_expr *mf_make_step(mf_parser *p, mf_expr_kind kind, mf_expr *a, span at)
{
    if (mf_bad(a)) return a;
    bool up = kind == MF_EXPR_PRE_INC || kind == MF_EXPR_POST_INC;
    bool numeric = mf_is_numeric(a->type) && a->type->scalar != MF_BOOL;
    if (!numeric && a->type->kind != MF_TYPE_POINTER) {
        diag_error(p->diags, at, "'%s' does not take '%.*s'%s", up ? "++" : "--",
                   STR_ARG(mf_type_text(p->mem, a->type)),
                   a->type->kind == MF_TYPE_ATOMIC ? "; there is atomic_fetch_add_explicit() and its like" : "");
        return mf_error(p, at);
    }
    if (!mf_check_writable(p, a, up ? "increment" : "decrement")) return mf_error(p, at);
    bool before = kind == MF_EXPR_PRE_INC || kind == MF_EXPR_PRE_DEC;
    mf_expr *e = before ? mf_make_place(p, kind, at, place_type(a)) : mf_new(p, kind, at, a->type);
    e->a = a;
    return mf_finish(p, e);
}

/* v[i] of a vector or matrix: an element or a column. */
static mf_expr *element(mf_parser *p, mf_expr *a, mf_expr *b, span at)
{
    const mf_type *t = a->type->elem;
    unsigned n = a->type->kind == MF_TYPE_MATRIX ? a->type->columns : a->type->width;
    mf_constant c;
    if (mf_fold(b, &c) && c.i >= n) {
        diag_error(p->diags, b->at, "index %lld is out of range: '%.*s' has %u elements",
                   (long long)c.i, STR_ARG(mf_type_text(p->mem, a->type)), n);
        return mf_error(p, at);
    }
    mf_expr *e = a->lvalue
                     ? mf_make_place(p, MF_EXPR_ELEMENT, at, (mf_qtype){t, a->space, a->quals})
                     : mf_new(p, MF_EXPR_ELEMENT, at, t);
    e->a = a;
    e->b = b;
    return mf_finish(p, e);
}

mf_expr *mf_make_index(mf_parser *p, mf_expr *a, mf_expr *b, span at)
{
    b = mf_value(p, mf_as_number(p, b));
    if (mf_bad(a) || mf_bad(b)) return mf_error(p, at);
    bool parts = mf_is_vector(a->type) || a->type->kind == MF_TYPE_MATRIX;
    if (!parts) a = mf_value(p, a);
    if (!parts && mf_is_integer(a->type) && b->type->kind == MF_TYPE_POINTER) { /* i[p] */
        mf_expr *swap = a;
        a = b;
        b = swap;
    }
    if (!parts && a->type->kind != MF_TYPE_POINTER) {
        if (!mf_bad(a)) {
            diag_error(p->diags, at, "'%.*s' cannot be indexed",
                       STR_ARG(mf_type_text(p->mem, a->type)));
        }
        return mf_error(p, at);
    }
    b = mf_promote(p, b);
    if (!mf_is_integer(b->type)) {
        if (!mf_bad(b)) {
            diag_error(p->diags, b->at, "an index must be an integer, not '%.*s'",
                       STR_ARG(mf_type_text(p->mem, b->type)));
        }
        return mf_error(p, at);
    }
    if (parts) return element(p, a, b, at);
    if (!mf_check_object_type(p, a->type->elem, at, "index a pointer to")) return mf_error(p, at);
    mf_expr *e = mf_make_place(p, MF_EXPR_INDEX, at,
                               (mf_qtype){a->type->elem, a->type->space, a->type->quals});
    e->a = a;
    e->b = b;
    return mf_finish(p, e);
}

/* The element that a letter of a swizzle names, or -1; *set tells xyzw (1) from rgba (2). */
static int swizzle_element(char c, int *set)
{
    static const char *const names[] = {"xyzw", "rgba"};
    for (int s = 0; s < 2; ++s) {
        const char *at = strchr(names[s], c);
        if (at == NULL) continue;
        *set |= 1 << s;
        return (int)(at - names[s]);
    }
    return -1;
}

static mf_expr *swizzle(mf_parser *p, mf_expr *a, mf_ident *name, span name_at)
{
    span at = span_join(a->at, name_at);
    uint8_t elements[4] = {0};
    int set = 0;
    bool good = name->text.n <= 4;
    for (size_t i = 0; good && i < name->text.n; ++i) {
        int e = swizzle_element(name->text.p[i], &set);
        good = e >= 0 && set != 3;
        if (good && e >= a->type->width) {
            diag_error(p->diags, name_at, "'%.*s' has no element '%c'",
                       STR_ARG(mf_type_text(p->mem, a->type)), name->text.p[i]);
            return mf_error(p, at);
        }
        if (good) elements[i] = (uint8_t)e;
    }
    if (!good) {
        diag_error(p->diags, name_at, "'%.*s' names no elements of '%.*s'", STR_ARG(name->text),
                   STR_ARG(mf_type_text(p->mem, a->type)));
        return mf_error(p, at);
    }
    const mf_type *t = mf_vector_type(a->type->scalar, (unsigned)name->text.n);
    mf_expr *e = a->lvalue
                     ? mf_make_place(p, MF_EXPR_SWIZZLE, at, (mf_qtype){t, a->space, a->quals})
                     : mf_new(p, MF_EXPR_SWIZZLE, at, t);
    e->a = a;
    memcpy(e->swizzle, elements, sizeof elements);
    e->swizzle_count = (uint8_t)name->text.n;
    return mf_finish(p, e);
}

static mf_expr *field_place(mf_parser *p, mf_expr *a, uint32_t index, span at)
{
    const mf_field *f = &a->type->record->fields[index];
    uint8_t quals = (uint8_t)(a->quals | f->quals);
    mf_expr *e = mf_make_place(p, MF_EXPR_MEMBER, at, (mf_qtype){f->type, a->space, quals});
    e->a = a;
    e->field = index;
    if (!f->is_reference) return mf_finish(p, e);
    e->quals |= MF_CONST;
    return mf_make_deref(p, mf_finish(p, e), at);
}

mf_expr *mf_find_field(mf_parser *p, mf_expr *a, const mf_ident *name, span at)
{
    const mf_record *r = a->type->record;
    for (size_t i = 0; i < r->field_count; ++i) {
        if (r->fields[i].name.n != 0 && str_eq(r->fields[i].name, name->text)) {
            return field_place(p, a, (uint32_t)i, at);
        }
    }
    for (size_t i = 0; i < r->field_count; ++i) {
        if (r->fields[i].name.n != 0) continue;
        mf_expr *inner = mf_find_field(p, field_place(p, a, (uint32_t)i, at), name, at);
        if (inner != NULL) return inner;
    }
    return NULL;
}

mf_expr *mf_make_member(mf_parser *p, mf_expr *a, mf_ident *name, span name_at)
{
    if (mf_bad(a)) return a;
    span at = span_join(a->at, name_at);
    if (mf_is_vector(a->type)) return swizzle(p, a, name, name_at);
    if (a->type->kind != MF_TYPE_RECORD) {
        diag_error(p->diags, at, "'%.*s' has no members%s", STR_ARG(mf_type_text(p->mem, a->type)),
                   a->type->kind == MF_TYPE_POINTER ? "; for a pointer use '->'" : "");
        return mf_error(p, at);
    }
    mf_expr *whole = mf_materialize(p, a);
    mf_expr *e = mf_bad(whole) ? whole : mf_find_field(p, whole, name, at);
    if (e != NULL) return e;
    diag_error(p->diags, name_at, "'%.*s' has no member '%.*s'",
               STR_ARG(mf_type_text(p->mem, a->type)), STR_ARG(name->text));
    diag_note(p->diags, a->type->record->at, "it is declared here");
    return mf_error(p, at);
}

/* b and c of "a ? b : c" brought to one type; false after a complaint. */
static bool unify(mf_parser *p, mf_expr **b, mf_expr **c, span at)
{
    *b = mf_value(p, *b);
    *c = mf_value(p, *c);
    if (mf_bad(*b) || mf_bad(*c)) return false;
    const mf_type *tb = (*b)->type, *tc = (*c)->type, *to = NULL;
    if (tb == tc) return true;
    if (mf_is_scalar(tb) && mf_is_scalar(tc)) {
        to = mf_common_scalar(tb, tc);
    } else if (mf_rank_to(p, *c, tb) != MF_NO_CONVERSION && tb->kind != MF_TYPE_SCALAR) {
        to = tb->kind == MF_TYPE_PACKED ? mf_vector_type(tb->scalar, tb->width) : tb;
    } else if (mf_rank_to(p, *b, tc) != MF_NO_CONVERSION && tc->kind != MF_TYPE_SCALAR) {
        to = tc->kind == MF_TYPE_PACKED ? mf_vector_type(tc->scalar, tc->width) : tc;
    } else if (tb->kind == MF_TYPE_ENUM || tc->kind == MF_TYPE_ENUM) {
        *b = mf_promote(p, *b);
        *c = mf_promote(p, *c);
        if (mf_is_scalar((*b)->type) && mf_is_scalar((*c)->type))
            to = mf_common_scalar((*b)->type, (*c)->type);
    }
    if (to == NULL && tb->kind == MF_TYPE_RECORD && mf_rank_to(p, *b, tc) != MF_NO_CONVERSION) to = tc;
    if (to == NULL && tc->kind == MF_TYPE_RECORD && mf_rank_to(p, *c, tb) != MF_NO_CONVERSION) to = tb;
    if (to == NULL) {
        diag_error(p->diags, at, "the arms of '?:' have types '%.*s' and '%.*s', which do not mix",
                   STR_ARG(mf_type_text(p->mem, tb)), STR_ARG(mf_type_text(p->mem, tc)));
        return false;
    }
    *b = mf_convert(p, *b, to, "use in '?:'");
    *c = mf_convert(p, *c, to, "use in '?:'");
    return !mf_bad(*b) && !mf_bad(*c);
}

mf_expr *mf_make_cond(mf_parser *p, mf_expr *a, mf_expr *b, mf_expr *c)
{
    span at = span_join(a->at, c->at);
    if (!mf_bad(a) && mf_is_vector(a->type)) {
        diag_error(p->diags, a->at,
                   "the condition of '?:' must be a scalar; for vectors there is select()");
        return mf_error(p, at);
    }
    a = mf_condition_value(p, a);
    if (mf_bad(a) || mf_bad(b) || mf_bad(c)) return mf_error(p, at);
    bool places = b->lvalue && c->lvalue && b->type == c->type && b->space == c->space &&
                  b->quals == c->quals && b->kind != MF_EXPR_SWIZZLE &&
                  c->kind != MF_EXPR_SWIZZLE && b->kind != MF_EXPR_ELEMENT &&
                  c->kind != MF_EXPR_ELEMENT;
    if (!places && !unify(p, &b, &c, at)) return mf_error(p, at);
    mf_expr *e = places ? mf_make_place(p, MF_EXPR_COND, at, place_type(b))
                        : mf_new(p, MF_EXPR_COND, at, b->type);
    e->a = a;
    e->b = b;
    e->c = c;
    return mf_finish(p, e);
}
