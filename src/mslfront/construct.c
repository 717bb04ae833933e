/* Values made of parts: T(args), braced lists, initialisers, references. */
#include "mslfront/parser.h"

static mf_expr *zero(mf_parser *p, const mf_type *type, span at)
{
    if (type->kind == MF_TYPE_SCALAR)
        return mf_make_constant(p, at, type->scalar, (mf_constant){0});
    return mf_new(p, MF_EXPR_ZERO, at, type);
}

/* A part of a vector: a scalar or vector, its elements converted; NULL after a complaint. */
static mf_expr *vector_part(mf_parser *p, mf_expr *e, mf_scalar element)
{
    e = mf_value(p, e);
    if (mf_bad(e)) return NULL;
    if (e->type->kind == MF_TYPE_ENUM) e = mf_promote(p, e);
    if (!mf_is_numeric(e->type)) {
        diag_error(p->diags, e->at, "'%.*s' cannot be part of a vector",
                   STR_ARG(mf_type_text(p->mem, e->type)));
        return NULL;
    }
    const mf_type *to = mf_vector_type(element, e->type->width);
    e = mf_explicit(p, e, (mf_qtype){.type = to}, e->at);
    return mf_bad(e) ? NULL : e;
}

static mf_expr *construct_vector(mf_parser *p, const mf_type *type, mf_exprs *args, span at)
{
    const mf_type *vector = mf_vector_type(type->scalar, type->width);
    mf_expr *e = mf_new(p, MF_EXPR_CONSTRUCT, at, vector);
    e->args = arena_array(p->mem, mf_expr *, args->n);
    unsigned width = 0;
    for (size_t i = 0; i < args->n; ++i) {
        mf_expr *part = vector_part(p, args->at[i], type->scalar);
        if (part == NULL) return mf_error(p, at);
        e->args[e->arg_count++] = part;
        width += part->type->width;
        if (width > type->width) break;
    }
    if (width != type->width) {
        diag_error(p->diags, at, "'%.*s' has %u elements, not %s%u", STR_ARG(type->name),
                   type->width, e->arg_count < args->n ? "at least " : "", width);
        return mf_error(p, at);
    }
    e = mf_finish(p, e);
    return type->kind == MF_TYPE_PACKED ? mf_cast_to(p, e, type, MF_CAST_PACK) : e;
}

static mf_expr *construct_matrix(mf_parser *p, const mf_type *type, mf_exprs *args, span at)
{
    mf_expr *e = mf_new(p, MF_EXPR_CONSTRUCT, at, type);
    if (args->n != type->columns) {
        diag_error(p->diags, at,
                   "'%.*s' is made of its %u columns here; other forms are not supported",
                   STR_ARG(type->name), type->columns);
        return mf_error(p, at);
    }
    e->args = arena_array(p->mem, mf_expr *, args->n);
    for (size_t i = 0; i < args->n; ++i) {
        mf_expr *column = mf_convert(p, args->at[i], type->elem, "use as a column");
        if (mf_bad(column)) return column;
        e->args[e->arg_count++] = column;
    }
    return mf_finish(p, e);
}

static mf_expr *construct_simd_matrix(mf_parser *p, const mf_type *type, mf_exprs *args, span at)
{
    mf_expr *one = mf_convert(p, args->at[0], mf_scalar_type(type->scalar), "put on a diagonal");
    if (mf_bad(one)) return one;
    mf_expr *e = mf_new(p, MF_EXPR_CONSTRUCT, at, type);
    e->args = arena_array(p->mem, mf_expr *, 1);
    e->args[e->arg_count++] = one;
    return mf_finish(p, e);
}

static mf_expr *no_way(mf_parser *p, const mf_type *type, size_t n, span at)
{
    diag_error(p->diags, at, "'%.*s' cannot be made of %zu value%s",
               STR_ARG(mf_type_text(p->mem, type)), n, n == 1 ? "" : "s");
    return mf_error(p, at);
}

mf_expr *mf_construct(mf_parser *p, mf_qtype q, mf_exprs *args, span at)
{
    const mf_type *type = q.type;
    for (size_t i = 0; i < args->n; ++i) {
        if (mf_bad(args->at[i])) return mf_error(p, at);
    }
    if (type->kind == MF_TYPE_ERROR) return mf_error(p, at);
    if (type->kind == MF_TYPE_VOID && args->n == 0) return mf_new(p, MF_EXPR_ZERO, at, type);
    if (!mf_check_object_type(p, type, at, "make")) return mf_error(p, at);
    if (args->n == 0) return zero(p, type, at);
    if (mf_is_vector(type) && args->n > 1) return construct_vector(p, type, args, at);
    mf_expr *one = args->at[0];
    bool same = args->n == 1 && one->type == type;
    if (type->kind == MF_TYPE_MATRIX && !same) return construct_matrix(p, type, args, at);
    if (type->kind == MF_TYPE_SIMD_MATRIX && args->n == 1 && !same)
        return construct_simd_matrix(p, type, args, at);
    if (args->n != 1) return no_way(p, type, args->n, at);
    return mf_explicit(p, one, q, at);
}

/* One item of a braced list. */
static mf_expr *parse_item(mf_parser *p, const mf_type *type)
{
    if (mf_at(p, MF_TOK_DOT)) {
        mf_syntax(p, mf_cur(p)->at, "initialisers by name (.field = value) are not supported");
        return mf_error(p, mf_cur(p)->at);
    }
    if (mf_at(p, MF_TOK_L_BRACE)) return mf_parse_braced(p, &type);
    mf_expr *e = mf_parse_assignment(p);
    if (mf_bad(e)) return e;
    bool aggregate = type->kind == MF_TYPE_ARRAY || type->kind == MF_TYPE_RECORD;
    if (aggregate && e->type != type) {
        diag_error(p->diags, e->at, "braces are needed around the parts of '%.*s'",
                   STR_ARG(mf_type_text(p->mem, type)));
        return mf_error(p, e->at);
    }
    if (type->kind == MF_TYPE_ARRAY) {
        diag_error(p->diags, e->at, "an array cannot be initialised with another");
        return mf_error(p, e->at);
    }
    return mf_convert(p, e, type, "initialise with");
}

/* The type of item `i`, or NULL where there is none. */
static const mf_type *item_type(const mf_type *type, uint64_t i)
{
    if (type->kind == MF_TYPE_ARRAY) return type->count == 0 || i < type->count ? type->elem : NULL;
    const mf_record *r = type->record;
    size_t n = r->is_union && r->field_count != 0 ? 1 : r->field_count;
    return i < n ? r->fields[i].type : NULL;
}

/* Items after "{" up to and with "}". */
static mf_expr *parse_aggregate(mf_parser *p, const mf_type **type, span begin)
{
    mf_exprs items = mf_exprs_none();
    bool good = true;
    while (!mf_at(p, MF_TOK_R_BRACE) && !p->panic) {
        const mf_type *one = item_type(*type, items.n);
        if (one == NULL) {
            mf_syntax(p, mf_cur(p)->at, "too many initialisers for '%.*s'",
                      STR_ARG(mf_type_text(p->mem, *type)));
            break;
        }
        mf_expr *e = parse_item(p, one);
        good = good && !mf_bad(e);
        mf_exprs_push(p->mem, &items, e);
        if (!mf_accept(p, MF_TOK_COMMA)) break;
    }
    if (!p->panic) mf_expect(p, MF_TOK_R_BRACE, "after the initialisers");
    if ((*type)->kind == MF_TYPE_ARRAY && (*type)->count == 0) {
        if (items.n == 0 && !p->panic) {
            diag_error(p->diags, begin, "an array of open length needs at least one initialiser");
            good = false;
        }
        *type = mf_array_type(&p->types, (*type)->elem, items.n != 0 ? items.n : 1);
    }
    span at = mf_since(p, begin);
    if (!good || p->panic) return mf_error(p, at);
    if (items.n == 0) return mf_new(p, MF_EXPR_ZERO, at, *type);
    mf_expr *e = mf_new(p, MF_EXPR_AGGREGATE, at, *type);
    e->args = items.at;
    e->arg_count = (uint32_t)items.n;
    return mf_finish(p, e);
}

mf_expr *mf_parse_braced(mf_parser *p, const mf_type **type)
{
    span begin = mf_cur(p)->at;
    if (!mf_enter(p)) return mf_error(p, begin);
    mf_advance(p);
    mf_expr *e;
    const mf_type *t = *type;
    if (t->kind == MF_TYPE_ARRAY || t->kind == MF_TYPE_RECORD) {
        e = parse_aggregate(p, type, begin);
    } else {
        mf_exprs args = mf_exprs_none();
        bool good = mf_parse_arguments(p, &args, MF_TOK_R_BRACE);
        span at = mf_since(p, begin);
        if (good && mf_is_vector(t) && args.n == 1 && mf_is_scalar(args.at[0]->type)) {
            diag_error(p->diags, at,
                       "one value in braces for '%.*s' is not supported: write '%.*s(value)'",
                       STR_ARG(t->name), STR_ARG(t->name));
            good = false;
        }
        if (good && args.n == 1) {
            e = mf_convert(p, args.at[0], t, "initialise with");
        } else {
            e = good ? mf_construct(p, (mf_qtype){.type = t}, &args, at) : mf_error(p, at);
        }
    }
    mf_leave(p);
    return e;
}

mf_expr *mf_parse_initializer(mf_parser *p, const mf_type **type)
{
    if (mf_at(p, MF_TOK_L_BRACE)) return mf_parse_braced(p, type);
    mf_expr *e = mf_parse_assignment(p);
    if (mf_bad(e)) return e;
    if ((*type)->kind == MF_TYPE_ARRAY) {
        diag_error(p->diags, e->at, "an array needs a braced initialiser");
        return mf_error(p, e->at);
    }
    return mf_convert(p, e, *type, "initialise with");
}

/* A place that a reference of the type may be of. */
static bool binds_directly(const mf_expr *e, const mf_type *r)
{
    bool part = e->kind == MF_EXPR_SWIZZLE ||
                (e->kind == MF_EXPR_ELEMENT && e->a->type->kind != MF_TYPE_MATRIX);
    return e->lvalue && !part && e->type == r->elem && e->space == r->space &&
           (e->quals & ~r->quals) == 0;
}

bool mf_can_bind(const mf_expr *e, const mf_type *r)
{
    if (binds_directly(e, r)) return true;
    bool copies = (r->quals & MF_CONST) != 0 && r->space == MF_THREAD;
    return copies && mf_rank_to(e, r->elem) != MF_NO_CONVERSION;
}

mf_expr *mf_bind_reference(mf_parser *p, mf_expr *e, const mf_type *r, const char *what)
{
    if (mf_bad(e)) return e;
    if (binds_directly(e, r)) return e;
    if (mf_can_bind(e, r)) return mf_materialize(p, mf_convert(p, mf_value(p, e), r->elem, what));
    const char *why = "";
    if (!e->lvalue) {
        why = ": a value has no place";
    } else if (e->space != r->space) {
        why = ": the address spaces differ";
    } else if (e->type == r->elem && (e->quals & ~r->quals) != 0) {
        why = ": that would drop a qualifier";
    } else if (e->type == r->elem) {
        why = ": an element of a vector has no address";
    }
    diag_error(p->diags, e->at, "cannot %s '%.*s%s%.*s' as '%.*s'%s", what,
               STR_ARG(str_of(mf_space_name(e->space))), e->space != MF_NO_SPACE ? " " : "",
               STR_ARG(mf_type_text(p->mem, e->type)), STR_ARG(mf_type_text(p->mem, r)), why);
    return mf_error(p, e->at);
}
