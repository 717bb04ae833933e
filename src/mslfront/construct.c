/* Values made of parts: T(args), braced lists, initialisers, references. */
#include "mslfront/template.h"

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

/* A matrix of one value on its diagonal. */
static mf_expr *diagonal(mf_parser *p, const mf_type *type, mf_expr *value, span at)
{
    mf_expr *one = mf_convert(p, value, mf_scalar_type(type->scalar), "put on a diagonal");
    if (mf_bad(one)) return one;
    mf_expr *e = mf_new(p, MF_EXPR_CONSTRUCT, at, type);
    e->args = arena_array(p->mem, mf_expr *, type->columns);
    for (unsigned c = 0; c < type->columns; ++c) {
        mf_expr *column = mf_new(p, MF_EXPR_CONSTRUCT, at, type->elem);
        column->args = arena_array(p->mem, mf_expr *, type->width);
        for (unsigned r = 0; r < type->width; ++r)
            column->args[column->arg_count++] =
                r == c ? one : zero(p, mf_scalar_type(type->scalar), at);
        e->args[e->arg_count++] = mf_finish(p, column);
    }
    return mf_finish(p, e);
}

/* The same of what may be evaluated only once: by the library's own function. */
static mf_expr *called_diagonal(mf_parser *p, const mf_type *type, mf_exprs *args, span at)
{
    mf_ident *id = mf_intern(p->mem, p->idents, STR("__diagonal"));
    mf_targs given = mf_targs_none();
    const unsigned sizes[] = {type->columns, type->width};
    mf_targs_push(p->mem, &given, (mf_targ){.kind = MF_TARG_TYPE, .type = {.type = mf_scalar_type(type->scalar)}});
    for (size_t i = 0; i < 2; ++i)
        mf_targs_push(p->mem, &given, (mf_targ){.kind = MF_TARG_VALUE, .type = {.type = mf_scalar_type(MF_INT)}, .value = {.i = sizes[i]}});
    const mf_ref name = {.id = id, .at = at, .symbol = mf_find(p->metal, id), .builtin = -1, .given = &given};
    return mf_call_function(p, &name, args, at);
}

/* The elements of a matrix one by one, column after column. */
static mf_expr *from_elements(mf_parser *p, const mf_type *type, mf_exprs *args, span at)
{
    mf_expr *e = mf_new(p, MF_EXPR_CONSTRUCT, at, type);
    e->args = arena_array(p->mem, mf_expr *, type->columns);
    for (unsigned c = 0; c < type->columns; ++c) {
        mf_exprs part = {
            .at = args->at + (size_t)c * type->width, .n = type->width, .cap = type->width};
        mf_expr *column = construct_vector(p, type->elem, &part, at);
        if (mf_bad(column)) return column;
        e->args[e->arg_count++] = column;
    }
    return mf_finish(p, e);
}

static mf_expr *construct_matrix(mf_parser *p, const mf_type *type, mf_exprs *args, span at)
{
    mf_expr *e = mf_new(p, MF_EXPR_CONSTRUCT, at, type);
    const mf_type *first = args->at[0]->type;
    if (args->n == 1 && (first->kind == MF_TYPE_MATRIX || first->kind == MF_TYPE_RECORD))
        return mf_explicit(p, args->at[0], (mf_qtype){.type = type}, at);
    /* what is built from a value is evaluated once: a constant or a variable may stand several
     * times */
    bool plain = args->at[0]->kind == MF_EXPR_CONST || args->at[0]->kind == MF_EXPR_VAR;
    if (args->n == 1 && mf_is_scalar(first))
        return plain ? diagonal(p, type, args->at[0], at) : called_diagonal(p, type, args, at);
    if (args->n == (size_t)type->columns * type->width) return from_elements(p, type, args, at);
    if (args->n != type->columns) {
        diag_unsupported(
            p->diags, at,
            "'%.*s' is made of its %u columns or %u elements here; other forms are not supported",
            STR_ARG(type->name), type->columns, (unsigned)type->columns * type->width);
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

bool mf_has_own_constructor(const mf_record *r)
{
    for (const mf_candidate *c = r->constructors; c != NULL; c = c->next)
        if (!c->is_default && !c->is_deleted) return true;
    return false;
}

static mf_expr *no_way(mf_parser *p, const mf_type *type, size_t n, span at)
{
    diag_error(p->diags, at, "'%.*s' cannot be made of %zu value%s",
               STR_ARG(mf_type_text(p->mem, type)), n, n == 1 ? "" : "s");
    return mf_error(p, at);
}

static mf_expr *empty(mf_parser *p, const mf_type *type, span at)
{
    mf_expr *e = mf_empty_value(p, type, at);
    return e != NULL ? e : zero(p, type, at);
}

/* By a constructor. */
static mf_expr *construct_record(mf_parser *p, const mf_type *type, mf_exprs *args, span at)
{
    if (args->n == 0) return empty(p, type, at);
    mf_expr *made = mf_call_constructor(p, type->record, args, false, at);
    if (made != NULL) return made;
    mf_ref name = {.builtin = -1, .at = at, .id = mf_intern(p->mem, p->idents, type->record->name)};
    name.candidates = type->record->constructors;
    return mf_call_function(p, &name, args, at); /* says why not */
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
    if (type->kind == MF_TYPE_RECORD && type->record->constructors != NULL &&
        !(args->n == 1 && args->at[0]->type == type))
        return construct_record(p, type, args, at);
    if (args->n == 0) return empty(p, type, at);
    if (mf_is_vector(type) && args->n > 1) return construct_vector(p, type, args, at);
    mf_expr *one = args->at[0];
    bool same = args->n == 1 && one->type == type;
    if (type->kind == MF_TYPE_MATRIX && !same) return construct_matrix(p, type, args, at);
    if (type->kind == MF_TYPE_SIMD_MATRIX && args->n == 1 && !same)
        return construct_simd_matrix(p, type, args, at);
    if (args->n != 1) return no_way(p, type, args->n, at);
    return mf_explicit(p, one, q, at);
}

/* The type of item `i`, or NULL where there is none. */
static const mf_type *item_type(const mf_type *type, uint64_t i)
{
    if (type->kind == MF_TYPE_ARRAY) return type->count == 0 || i < type->count ? type->elem : NULL;
    const mf_record *r = type->record;
    size_t n = r->is_union && r->field_count != 0 ? 1 : r->field_count;
    return i < n ? r->fields[i].type : NULL;
}

/* A list being read; where inner braces are left out, several share one run of items. */
typedef struct items {
    mf_expr *ahead; /* an item that was read and not placed yet */
} items;

static bool more(mf_parser *p, const items *in)
{
    return (in->ahead != NULL || !mf_at(p, MF_TOK_R_BRACE)) && !p->panic;
}

static bool is_narrowed(const mf_expr *e, const mf_type *to)
{
    mf_constant c;
    const mf_scalar from = e->type->scalar;
    const bool known = mf_fold(e, &c), float_from = mf_scalar_is_float(from), float_to = mf_scalar_is_float(to->scalar);
    if (from == to->scalar) return false;
    if (float_from && !float_to) return true;
    if (known) {
        const mf_constant there = mf_convert_constant(from, c, to->scalar), back = mf_convert_constant(to->scalar, there, from);
        if (float_from) return c.f - c.f == 0 && there.f - there.f != 0; /* only what is out of range */
        return back.i != c.i || (mf_scalar_class(from) == MF_CLASS_SIGNED && (int64_t)c.i < 0 && mf_scalar_class(to->scalar) == MF_CLASS_UNSIGNED);
    }
    const unsigned a = mf_scalar_size(from), b = mf_scalar_size(to->scalar);
    if (float_from || float_to) return !float_from || a > b;
    const bool from_signed = mf_scalar_class(from) == MF_CLASS_SIGNED, to_signed = mf_scalar_class(to->scalar) == MF_CLASS_SIGNED;
    return to->scalar == MF_BOOL || a > b || (a == b && from_signed != to_signed && from != MF_BOOL) || (from_signed && !to_signed && from != MF_BOOL);
}

/* What goes into braces and loses something by it is an error in C++; here it is said, and done. */
static void warn_of_narrowing(mf_parser *p, const mf_expr *e, const mf_type *to)
{
    if (p->instance != 0 || mf_bad(e) || !mf_is_scalar(e->type) || !mf_is_scalar(to) || mf_in_library(p, e->at)) return;
    if (is_narrowed(e, to))
        diag_warning(p->diags, e->at, "'%.*s' is narrowed to '%.*s' within braces, which C++ takes for an error: write the conversion",
                     STR_ARG(mf_type_text(p->mem, e->type)), STR_ARG(mf_type_text(p->mem, to)));
}

static mf_expr *parse_part(mf_parser *p, const mf_type *type, const mf_field *field, items *in);

/* The parts of an aggregate whose own braces are left out. */
static mf_expr *parse_unbraced(mf_parser *p, const mf_type *type, items *in, span at)
{
    mf_exprs parts = mf_exprs_none();
    if (!mf_enter(p)) return mf_error(p, at);
    bool good = true;
    for (uint64_t i = 0; more(p, in); ++i) {
        const mf_type *one = item_type(type, i);
        if (one == NULL) break;
        if (i != 0 && in->ahead == NULL) {
            if (!mf_accept(p, MF_TOK_COMMA) || mf_at(p, MF_TOK_R_BRACE)) break;
        }
        mf_expr *e =
            parse_part(p, one, type->kind == MF_TYPE_RECORD ? &type->record->fields[i] : NULL, in);
        good = good && !mf_bad(e);
        mf_exprs_push(p->mem, &parts, e);
        if (!mf_at(p, MF_TOK_COMMA) || item_type(type, i + 1) == NULL) break;
    }
    mf_leave(p);
    if (!good || p->panic || parts.n == 0) return mf_error(p, at);
    mf_expr *e = mf_new(p, MF_EXPR_AGGREGATE, at, type);
    e->args = parts.at;
    e->arg_count = (uint32_t)parts.n;
    return mf_finish(p, e);
}

/* One item of a braced list. */
static mf_expr *parse_part(mf_parser *p, const mf_type *type, const mf_field *field, items *in)
{
    if (in->ahead == NULL && mf_at(p, MF_TOK_L_BRACE)) return mf_parse_braced(p, &type);
    mf_expr *e = in->ahead != NULL ? in->ahead : mf_parse_assignment(p);
    in->ahead = NULL;
    if (mf_bad(e)) return e;
    if (field != NULL && field->is_reference) {
        const mf_type *r = mf_reference_type(&p->types, type->elem, type->space, type->quals);
        return mf_make_address(p, mf_bind_reference(p, e, r, "bind"), e->at);
    }
    bool aggregate = type->kind == MF_TYPE_ARRAY || type->kind == MF_TYPE_RECORD;
    if (aggregate && e->type != type && mf_rank_to(p, e, type) == MF_NO_CONVERSION &&
        item_type(type, 0) != NULL) {
        in->ahead = e;
        return parse_unbraced(p, type, in, e->at);
    }
    if (type->kind == MF_TYPE_ARRAY) {
        diag_error(p->diags, e->at, "an array cannot be initialised with another");
        return mf_error(p, e->at);
    }
    warn_of_narrowing(p, e, type);
    return mf_convert(p, e, type, "initialise with");
}

/* ".name = value" or ".name{value}": the index of the field, or -1 after a complaint. */
static int64_t designated(mf_parser *p, const mf_type *type)
{
    mf_advance(p);
    const mf_token *t = mf_cur(p);
    if (!mf_expect(p, MF_TOK_IDENT, "after '.'")) return -1;
    for (size_t i = 0; type->kind == MF_TYPE_RECORD && i < type->record->field_count; ++i) {
        if (!str_eq(type->record->fields[i].name, t->ident->text)) continue;
        if (!mf_at(p, MF_TOK_L_BRACE)) mf_expect(p, MF_TOK_EQ, "after the member's name");
        return (int64_t)i;
    }
    mf_syntax(p, t->at, "'%.*s' has no member '%.*s'", STR_ARG(mf_type_text(p->mem, type)),
              STR_ARG(t->ident->text));
    return -1;
}

/* "[n] = " or GNU's "[a ... b] = " at "[": the index and how many; false after a complaint. */
static bool designated_element(mf_parser *p, const mf_type *type, uint64_t *index, uint64_t *count)
{
    int64_t low = 0, high = 0;
    span at = mf_cur(p)->at;
    mf_advance(p);
    bool good = mf_constant_integer(p, mf_value(p, mf_parse_ternary(p)), "an element's number", 0,
                                    INT32_MAX, &low);
    high = low;
    if (good && mf_accept(p, MF_TOK_ELLIPSIS))
        good = mf_constant_integer(p, mf_value(p, mf_parse_ternary(p)), "an element's number", low,
                                   INT32_MAX, &high);
    if (!good || !mf_expect(p, MF_TOK_R_SQUARE, "after the element's number") ||
        !mf_expect(p, MF_TOK_EQ, "after the element's number")) {
        p->panic = true;
        return false;
    }
    *index = (uint64_t)low;
    *count = (uint64_t)(high - low) + 1;
    if (type->kind == MF_TYPE_ARRAY && (type->count == 0 || (uint64_t)high < type->count) &&
        *count <= 4096)
        return true;
    mf_syntax(p, at, "there is no such element, or they are more than 4096");
    return false;
}

/* What a member is that the list leaves out. */
static mf_expr *left_out(mf_parser *p, const mf_type *type, uint64_t i, span at)
{
    const mf_type *one = item_type(type, i);
    bool own = type->kind == MF_TYPE_RECORD && type->record->fields[i].init_at != 0;
    return own ? mf_member_default(p, type->record, &type->record->fields[i], at) : empty(p, one, at);
}

/* To the "}" that ends the list. */
static void pass_over_list(mf_parser *p)
{
    while (!mf_at(p, MF_TOK_R_BRACE) && !mf_at(p, MF_TOK_SEMI) && !mf_at(p, MF_TOK_END)) {
        const bool open = mf_at(p, MF_TOK_L_BRACE) || mf_at(p, MF_TOK_L_PAREN) || mf_at(p, MF_TOK_L_SQUARE);
        p->at = open ? mf_skip_balanced(p, p->at) : p->at + 1;
    }
}

/* Whether a member that the list leaves out has a value of its own that other members are part of. */
static bool needs_object(mf_parser *p, const mf_type *type, const mf_exprs *given, span at)
{
    if (type->kind != MF_TYPE_RECORD) return false;
    const mf_record *r = type->record;
    for (size_t i = 0; i < given->n; ++i)
        if (r->fields[i].type->kind == MF_TYPE_ARRAY) return false; /* arrays cannot be passed */
    for (size_t i = given->n; i < r->field_count; ++i) {
        if (r->fields[i].init_at == 0) continue;
        diag_list quiet;
        diag_list *loud = mf_quiet(p, &quiet);
        const bool panic = p->panic;
        (void)left_out(p, type, i, at);
        p->panic = panic;
        if (!mf_loud(p, loud)) return true;
    }
    return false;
}

/* Items after "{" up to and with "}". */
static mf_expr *parse_aggregate(mf_parser *p, const mf_type **type, span begin)
{
    mf_exprs parts = mf_exprs_none();
    items in = {0};
    bool good = true;
    if (mf_at(p, MF_TOK_R_BRACE) == false && (*type)->kind == MF_TYPE_RECORD &&
        !mf_at(p, MF_TOK_L_BRACE) && !mf_at(p, MF_TOK_DOT)) {
        in.ahead = mf_parse_assignment(p); /* T{other}: a copy */
        if (!mf_bad(in.ahead) && in.ahead->type == *type && mf_at(p, MF_TOK_R_BRACE)) {
            mf_advance(p);
            return mf_value(p, in.ahead);
        }
    }
    while (more(p, &in)) {
        if (in.ahead == NULL && mf_at(p, MF_TOK_DOT)) {
            int64_t field = designated(p, *type);
            if (field < 0) break;
            if ((size_t)field < parts.n) {
                mf_syntax(p, mf_cur(p)->at, "members are initialised in their order, each once");
                break;
            }
            while (parts.n < (size_t)field)
                mf_exprs_push(p->mem, &parts, left_out(p, *type, parts.n, begin));
        }
        uint64_t repeat = 1, index = parts.n;
        if (in.ahead == NULL && mf_at(p, MF_TOK_L_SQUARE)) {
            if (!designated_element(p, *type, &index, &repeat)) break;
            if (index < parts.n) {
                mf_syntax(p, mf_cur(p)->at, "elements are initialised in their order, each once");
                break;
            }
            while (parts.n < index)
                mf_exprs_push(p->mem, &parts, left_out(p, *type, parts.n, begin));
        }
        const mf_type *one = item_type(*type, parts.n);
        if (one == NULL) {
            diag_error(p->diags, in.ahead != NULL ? in.ahead->at : mf_cur(p)->at,
                       "too many initialisers for '%.*s'", STR_ARG(mf_type_text(p->mem, *type)));
            good = false;
            pass_over_list(p);
            break;
        }
        const mf_field *field =
            (*type)->kind == MF_TYPE_RECORD ? &(*type)->record->fields[parts.n] : NULL;
        mf_expr *e = parse_part(p, one, field, &in);
        good = good && !mf_bad(e);
        for (uint64_t i = 0; i < repeat; ++i) mf_exprs_push(p->mem, &parts, e);
        if (in.ahead == NULL && !mf_accept(p, MF_TOK_COMMA)) break;
    }
    if (!p->panic) mf_expect(p, MF_TOK_R_BRACE, "after the initialisers");
    if ((*type)->kind == MF_TYPE_ARRAY && (*type)->count == 0) {
        if (parts.n == 0 && !p->panic) {
            diag_error(p->diags, begin, "an array of open length needs at least one initialiser");
            good = false;
        }
        *type = mf_array_type(&p->types, (*type)->elem, parts.n != 0 ? parts.n : 1);
    }
    span at = mf_since(p, begin);
    if (!good || p->panic) return mf_error(p, at);
    const mf_type *elem = (*type)->kind == MF_TYPE_ARRAY ? (*type)->elem : *type;
    bool fills =
        elem->kind == MF_TYPE_RECORD && elem->record->constructs && !elem->record->is_union;
    if (fills && needs_object(p, *type, &parts, at)) return mf_complete_record(p, (*type)->record, &parts, at);
    while (fills && parts.n < 4096 && item_type(*type, parts.n) != NULL)
        mf_exprs_push(p->mem, &parts, left_out(p, *type, parts.n, at));
    if (parts.n == 0) return mf_new(p, MF_EXPR_ZERO, at, *type);
    mf_expr *e = mf_new(p, MF_EXPR_AGGREGATE, at, *type);
    e->args = parts.at;
    e->arg_count = (uint32_t)parts.n;
    return mf_finish(p, e);
}

/* Elements of a vector that a list leaves out are zero. */
static void pad_vector(mf_parser *p, const mf_type *t, mf_exprs *args, span at)
{
    unsigned width = 0;
    for (size_t i = 0; i < args->n; ++i) {
        if (mf_bad(args->at[i])) return;
        width += mf_is_numeric(args->at[i]->type) ? args->at[i]->type->width : 1;
    }
    for (; width < t->width; ++width)
        mf_exprs_push(p->mem, args, zero(p, mf_scalar_type(t->scalar), at));
}

mf_expr *mf_parse_braced(mf_parser *p, const mf_type **type)
{
    span begin = mf_cur(p)->at;
    if (!mf_enter(p)) return mf_error(p, begin);
    mf_advance(p);
    mf_expr *e;
    const mf_type *t = *type;
    bool constructed = t->kind == MF_TYPE_RECORD && mf_has_own_constructor(t->record);
    if ((t->kind == MF_TYPE_ARRAY || t->kind == MF_TYPE_RECORD) && !constructed) {
        e = parse_aggregate(p, type, begin);
    } else {
        mf_exprs args = mf_exprs_none();
        bool good = mf_parse_arguments(p, &args, MF_TOK_R_BRACE);
        span at = mf_since(p, begin);
        mf_constant first = {.i = 1};
        if (good && mf_is_vector(t) && args.n == 1 && mf_fold(args.at[0], &first) &&
            (mf_scalar_is_float(args.at[0]->type->scalar) ? first.f == 0 : first.i == 0)) {
            args.n = 0; /* {0}: whatever the others are, they are zero too */
        }
        if (good && mf_is_vector(t) && args.n == 1 && mf_is_scalar(args.at[0]->type)) {
            diag_unsupported(p->diags, at,
                             "one value in braces for '%.*s' is not supported: write '%.*s(value)'",
                             STR_ARG(t->name), STR_ARG(t->name));
            good = false;
        }
        if (good && mf_is_vector(t) && args.n > 1) pad_vector(p, t, &args, at);
        if (good && args.n == 1) {
            warn_of_narrowing(p, args.at[0], t);
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
    unsigned quals = e->space == MF_CONSTANT ? e->quals & ~(unsigned)MF_CONST
                                             : e->quals; /* all there is const */
    return e->lvalue && !part && e->type == r->elem && e->space == r->space &&
           (quals & ~(unsigned)r->quals) == 0;
}

/* A place of a derived record, bound as its base. */
static bool binds_base(const mf_expr *e, const mf_type *r)
{
    return e->lvalue && e->type->kind == MF_TYPE_RECORD && r->elem->kind == MF_TYPE_RECORD &&
           e->space == r->space && (e->quals & ~r->quals) == 0 &&
           mf_derives(e->type->record, r->elem->record);
}

bool mf_can_bind(mf_parser *p, const mf_expr *e, const mf_type *r)
{
    if (binds_directly(e, r) || binds_base(e, r)) return true;
    bool copies = (r->quals & MF_CONST) != 0 && r->space == MF_THREAD;
    return copies && mf_rank_to(p, e, r->elem) != MF_NO_CONVERSION;
}

mf_expr *mf_bind_reference(mf_parser *p, mf_expr *e, const mf_type *r, const char *what)
{
    if (mf_bad(e)) return e;
    if (binds_directly(e, r)) return e;
    if (binds_base(e, r)) return mf_to_base(p, e, r->elem->record);
    if (mf_can_bind(p, e, r))
        return mf_materialize(
            p, mf_convert(
                   p, e->type->kind == MF_TYPE_RECORD && e->type != r->elem ? e : mf_value(p, e),
                   r->elem, what));
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
