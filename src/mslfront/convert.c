/* Conversions: what goes to what by itself, how well, and what a cast may do. */
#include "mslfront/parser.h"

static bool is_number(const mf_type *t)
{
    return t->kind == MF_TYPE_SCALAR || t->kind == MF_TYPE_ENUM;
}

static bool is_small(mf_scalar s)
{
    return mf_scalar_class(s) != MF_CLASS_FLOAT && mf_scalar_size(s) < 4;
}

static mf_scalar promoted(mf_scalar s)
{
    return is_small(s) ? MF_INT : s;
}

static bool mixes_half_and_bfloat(mf_scalar a, mf_scalar b)
{
    return (a == MF_HALF && b == MF_BFLOAT) || (a == MF_BFLOAT && b == MF_HALF);
}

static mf_rank number_rank(const mf_type *from, const mf_type *to)
{
    if (to->kind == MF_TYPE_ENUM) return MF_NO_CONVERSION;
    if (from->kind == MF_TYPE_ENUM && from->enumeration->scoped) return MF_NO_CONVERSION;
    if (mixes_half_and_bfloat(from->scalar, to->scalar)) return MF_NO_CONVERSION;
    bool promotes = (is_small(from->scalar) || from->kind == MF_TYPE_ENUM) &&
                    to->scalar == promoted(from->scalar);
    return promotes ? MF_PROMOTION : MF_CONVERSION;
}

static mf_rank pointer_rank(const mf_type *from, const mf_type *to)
{
    bool drops = (from->quals & ~to->quals) != 0;
    if (from->space != to->space || drops) return MF_NO_CONVERSION;
    if (from->elem == to->elem) return MF_EXACT;
    return to->elem->kind == MF_TYPE_VOID ? MF_CONVERSION : MF_NO_CONVERSION;
}

static bool same_elements(const mf_type *a, const mf_type *b)
{
    return mf_is_vector(a) && mf_is_vector(b) && a->scalar == b->scalar && a->width == b->width;
}

static mf_rank to_pointer(const mf_expr *e, const mf_type *to)
{
    const mf_type *from = e->type;
    if (from->kind == MF_TYPE_ARRAY && e->lvalue) {
        mf_type decayed = {
            .kind = MF_TYPE_POINTER, .elem = from->elem, .space = e->space, .quals = e->quals};
        return pointer_rank(&decayed, to);
    }
    if (from->kind == MF_TYPE_POINTER) return pointer_rank(from, to);
    bool zero = e->kind == MF_EXPR_CONST && mf_is_integer(from) && e->constant.i == 0;
    return from->kind == MF_TYPE_NULL || zero ? MF_CONVERSION : MF_NO_CONVERSION;
}

mf_rank mf_rank_to(const mf_expr *e, const mf_type *to)
{
    const mf_type *from = e->type;
    if (from == to) return MF_EXACT;
    if (is_number(from) && is_number(to)) return number_rank(from, to);
    if (to->kind == MF_TYPE_POINTER) return to_pointer(e, to);
    if (mf_is_vector(to)) {
        if (same_elements(from, to)) return MF_CONVERSION;
        if (!mf_is_scalar(from) || mixes_half_and_bfloat(from->scalar, to->scalar))
            return MF_NO_CONVERSION;
        return MF_CONVERSION;
    }
    if (mf_is_bool(to) && (from->kind == MF_TYPE_POINTER || from->kind == MF_TYPE_NULL))
        return MF_CONVERSION;
    return MF_NO_CONVERSION;
}

mf_expr *mf_cast_to(mf_parser *p, mf_expr *e, const mf_type *to, mf_cast kind)
{
    if (mf_bad(e) || (e->type == to && kind == MF_CAST_CONVERT)) return e;
    if (e->kind == MF_EXPR_CONST && kind == MF_CAST_CONVERT && is_number(to)) {
        mf_expr *c = mf_new(p, MF_EXPR_CONST, e->at, to);
        c->constant = mf_convert_constant(e->type->scalar, e->constant, to->scalar);
        return c;
    }
    mf_expr *c = mf_new(p, MF_EXPR_CAST, e->at, to);
    c->a = e;
    c->cast = kind;
    c->implicit = true;
    return mf_finish(p, c);
}

/* A scalar to every element of a vector or packed vector. */
static mf_expr *splat(mf_parser *p, mf_expr *e, const mf_type *to)
{
    e = mf_cast_to(p, e, mf_scalar_type(to->scalar), MF_CAST_CONVERT);
    e = mf_cast_to(p, e, mf_vector_type(to->scalar, to->width), MF_CAST_SPLAT);
    return to->kind == MF_TYPE_PACKED ? mf_cast_to(p, e, to, MF_CAST_PACK) : e;
}

/* A conversion that mf_rank_to allows. */
static mf_expr *apply(mf_parser *p, mf_expr *e, const mf_type *to)
{
    e = mf_value(p, e);
    const mf_type *from = e->type;
    if (mf_bad(e) || from == to) return e;
    if (is_number(from) && is_number(to)) return mf_cast_to(p, e, to, MF_CAST_CONVERT);
    if (mf_is_vector(to))
        return mf_is_scalar(from) ? splat(p, e, to) : mf_cast_to(p, e, to, MF_CAST_PACK);
    if (to->kind == MF_TYPE_POINTER) {
        return mf_cast_to(p, e, to,
                          from->kind == MF_TYPE_POINTER ? MF_CAST_POINTER : MF_CAST_NULL_POINTER);
    }
    return from->kind == MF_TYPE_NULL ? mf_int(p, e->at, to, 0)
                                      : mf_cast_to(p, e, to, MF_CAST_POINTER_TO_BOOL);
}

static const char *why_not(const mf_type *from, const mf_type *to)
{
    if (from->kind == MF_TYPE_POINTER && to->kind == MF_TYPE_POINTER) {
        if (from->space != to->space) return ": the address spaces differ";
        if ((from->quals & ~to->quals) != 0) return ": that would drop a qualifier";
        return "; an explicit cast may be meant";
    }
    if (mf_is_vector(from) && mf_is_vector(to) && from->width == to->width) {
        return ": vectors of other elements need an explicit conversion";
    }
    return "";
}

mf_expr *mf_convert(mf_parser *p, mf_expr *e, const mf_type *to, const char *what)
{
    if (mf_bad(e) || to->kind == MF_TYPE_ERROR) return mf_error(p, e->at);
    if (mf_rank_to(e, to) != MF_NO_CONVERSION) return apply(p, e, to);
    mf_expr *v = mf_value(p, e);
    if (mf_bad(v)) return v;
    diag_error(p->diags, e->at, "cannot %s '%.*s' as '%.*s'%s", what,
               STR_ARG(mf_type_text(p->mem, v->type)), STR_ARG(mf_type_text(p->mem, to)),
               why_not(v->type, to));
    return mf_error(p, e->at);
}

mf_expr *mf_promote(mf_parser *p, mf_expr *e)
{
    if (mf_bad(e) || !is_number(e->type)) return e;
    if (e->type->kind == MF_TYPE_ENUM && e->type->enumeration->scoped) return e;
    return mf_cast_to(p, e, mf_scalar_type(promoted(e->type->scalar)), MF_CAST_CONVERT);
}

const mf_type *mf_common_scalar(const mf_type *a, const mf_type *b)
{
    if (!mf_is_scalar(a) || !mf_is_scalar(b)) return NULL;
    mf_scalar x = promoted(a->scalar), y = promoted(b->scalar);
    if (x == y) return mf_scalar_type(x);
    if (mixes_half_and_bfloat(x, y)) return NULL;
    bool fx = mf_scalar_is_float(x), fy = mf_scalar_is_float(y);
    if (fx || fy) return mf_scalar_type(x == MF_FLOAT || y == MF_FLOAT ? MF_FLOAT : fx ? x : y);
    return mf_scalar_type(x > y ? x : y); /* the table is in order of rank, unsigned above signed */
}

mf_expr *mf_condition_value(mf_parser *p, mf_expr *e)
{
    e = mf_value(p, e);
    if (mf_bad(e)) return e;
    bool number =
        mf_is_scalar(e->type) || (e->type->kind == MF_TYPE_ENUM && !e->type->enumeration->scoped);
    if (number) return mf_cast_to(p, e, mf_scalar_type(MF_BOOL), MF_CAST_CONVERT);
    if (e->type->kind == MF_TYPE_POINTER)
        return mf_cast_to(p, e, mf_scalar_type(MF_BOOL), MF_CAST_POINTER_TO_BOOL);
    diag_error(p->diags, e->at, "a condition must be a scalar, not '%.*s'%s",
               STR_ARG(mf_type_text(p->mem, e->type)),
               mf_is_vector(e->type) ? "; any() or all() may be meant" : "");
    return mf_error(p, e->at);
}

static mf_expr *written(mf_expr *e)
{
    if (e->kind == MF_EXPR_CAST) e->implicit = false;
    return e;
}

static mf_expr *cast_to_vector(mf_parser *p, mf_expr *e, const mf_type *to)
{
    const mf_type *from = e->type;
    if (mf_is_scalar(from)) return splat(p, e, to);
    if (from->width != to->width) return NULL;
    if (from->kind == MF_TYPE_PACKED)
        e = mf_cast_to(p, e, mf_vector_type(from->scalar, from->width), MF_CAST_PACK);
    e = mf_cast_to(p, e, mf_vector_type(to->scalar, to->width), MF_CAST_CONVERT);
    return to->kind == MF_TYPE_PACKED ? mf_cast_to(p, e, to, MF_CAST_PACK) : e;
}

static mf_expr *cast_pointer(mf_parser *p, mf_expr *e, const mf_type *to, span at)
{
    const mf_type *from = e->type;
    if (from->kind == MF_TYPE_POINTER) {
        if (from->space == to->space) return mf_cast_to(p, e, to, MF_CAST_POINTER);
        diag_error(p->diags, at, "cannot cast '%.*s' to '%.*s': the address spaces differ",
                   STR_ARG(mf_type_text(p->mem, from)), STR_ARG(mf_type_text(p->mem, to)));
        return mf_error(p, at);
    }
    if (mf_rank_to(e, to) != MF_NO_CONVERSION) return apply(p, e, to);
    bool wide = mf_is_integer(from) && from->size == 8;
    return wide ? mf_cast_to(p, e, to, MF_CAST_INT_TO_POINTER) : NULL;
}

/* A cast to a reference type: the same place under another type. */
static mf_expr *cast_place(mf_parser *p, mf_expr *e, const mf_type *to, span at)
{
    if (!e->lvalue || e->space != to->space) {
        diag_error(p->diags, at, "cannot cast this to '%.*s': %s",
                   STR_ARG(mf_type_text(p->mem, to)),
                   e->lvalue ? "the address spaces differ" : "it is a value, not a place");
        return mf_error(p, at);
    }
    mf_expr *c = mf_make_place(p, MF_EXPR_CAST, at, (mf_qtype){to->elem, to->space, to->quals});
    c->a = e;
    c->cast = MF_CAST_PLACE;
    return mf_finish(p, c);
}

static mf_expr *explicit_value(mf_parser *p, mf_expr *e, const mf_type *to, span at)
{
    const mf_type *from = e->type;
    if (to->kind == MF_TYPE_VOID) return mf_cast_to(p, e, to, MF_CAST_TO_VOID);
    if (from == to) return e;
    if (is_number(from) && is_number(to)) return mf_cast_to(p, e, to, MF_CAST_CONVERT);
    if (mf_is_vector(to) && mf_is_numeric(from)) return cast_to_vector(p, e, to);
    if (to->kind == MF_TYPE_POINTER) return cast_pointer(p, e, to, at);
    if (from->kind == MF_TYPE_POINTER && mf_is_integer(to) && to->size == 8) {
        return mf_cast_to(p, e, to, MF_CAST_POINTER_TO_INT);
    }
    return mf_rank_to(e, to) != MF_NO_CONVERSION ? apply(p, e, to) : NULL;
}

mf_expr *mf_explicit(mf_parser *p, mf_expr *e, mf_qtype to, span at)
{
    if (mf_bad(e) || to.type->kind == MF_TYPE_ERROR) return mf_error(p, at);
    if (to.type->kind == MF_TYPE_REFERENCE) return cast_place(p, e, to.type, at);
    mf_expr *v = mf_value(p, e);
    if (mf_bad(v)) return v;
    mf_expr *c = explicit_value(p, v, to.type, at);
    if (c == NULL) {
        diag_error(p->diags, at, "cannot cast '%.*s' to '%.*s'",
                   STR_ARG(mf_type_text(p->mem, v->type)), STR_ARG(mf_type_text(p->mem, to.type)));
        return mf_error(p, at);
    }
    if (c == v) return v;
    c->at = at;
    return written(c);
}

mf_expr *mf_as_type(mf_parser *p, mf_expr *e, const mf_type *to, span at)
{
    e = mf_value(p, e);
    if (mf_bad(e)) return e;
    const mf_type *from = e->type;
    bool shapes = mf_is_numeric(from) && mf_is_numeric(to) && from->scalar != MF_BOOL &&
                  to->scalar != MF_BOOL;
    if (!shapes || from->size != to->size) {
        diag_error(p->diags, at, "as_type from '%.*s' to '%.*s': %s",
                   STR_ARG(mf_type_text(p->mem, from)), STR_ARG(mf_type_text(p->mem, to)),
                   shapes ? "the sizes differ"
                          : "only numbers and vectors of them can be reinterpreted");
        return mf_error(p, at);
    }
    if (from == to) return e;
    e = mf_cast_to(p, e, to, MF_CAST_BITS);
    if (!mf_bad(e)) e->at = at;
    return written(e);
}
