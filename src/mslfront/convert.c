/* Conversions: what goes to what by itself, how well, and what a cast may do. */
#include "mslfront/template.h"

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
    unsigned quals = from->space == MF_CONSTANT ? from->quals & ~(unsigned)MF_CONST
                                                : from->quals; /* all there is const */
    bool drops = (quals & ~(unsigned)to->quals) != 0;
    if (from->space != to->space || drops) return MF_NO_CONVERSION;
    const unsigned counts = from->space == MF_CONSTANT ? ~(unsigned)MF_CONST : ~0u;
    if (from->elem == to->elem) return ((from->quals ^ to->quals) & counts) == 0 ? MF_EXACT : MF_EXACT_CONST;
    if (from->elem->kind == MF_TYPE_RECORD && to->elem->kind == MF_TYPE_RECORD && mf_derives(from->elem->record, to->elem->record)) return MF_CONVERSION;
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

static mf_rank standard_rank(const mf_expr *e, const mf_type *to)
{
    const mf_type *from = e->type;
    if (from == to) return MF_EXACT;
    if (is_number(from) && is_number(to)) return number_rank(from, to);
    if (to->kind == MF_TYPE_FUNCTION && from->kind == MF_TYPE_NULL) return MF_CONVERSION;
    if (mf_is_bool(to) && from->kind == MF_TYPE_FUNCTION && !mf_is_set(e)) return MF_CONVERSION;
    if (to->kind == MF_TYPE_POINTER) return to_pointer(e, to);
    if (mf_is_vector(to)) {
        if (same_elements(from, to)) return MF_CONVERSION;
        if (!mf_is_scalar(from) || mixes_half_and_bfloat(from->scalar, to->scalar))
            return MF_NO_CONVERSION;
        return MF_SPLAT;
    }
    if (mf_is_bool(to) && (from->kind == MF_TYPE_POINTER || from->kind == MF_TYPE_NULL))
        return MF_CONVERSION;
    return MF_NO_CONVERSION;
}

/* A conversion that a record's own function makes: the call, or NULL. *rank says how well. */
static mf_expr *own_conversion(mf_parser *p, mf_expr *e, const mf_type *to, bool make);
static mf_expr *apply(mf_parser *p, mf_expr *e, const mf_type *to);

static bool converts_to(mf_parser *p, const mf_expr *e, const mf_type *to)
{
    if (p->converting || to->kind == MF_TYPE_VOID) return false;
    if (e->type->kind == MF_TYPE_RECORD && mf_has_conversions(e->type->record)) {
        mf_expr copy = *e;
        if (own_conversion(p, &copy, to, false) != NULL) return true;
    }
    if (to->kind != MF_TYPE_RECORD || to->record->constructors == NULL) return false;
    p->converting = true;
    mf_expr copy = *e, *one = &copy;
    mf_exprs args = {.at = &one, .n = 1, .cap = 1};
    diag_list quiet;
    diag_list *loud = mf_quiet(p, &quiet);
    bool outer = p->unevaluated;
    p->unevaluated = true;
    mf_expr *made = mf_call_constructor(p, to->record, &args, true, e->at);
    p->unevaluated = outer;
    p->converting = false;
    return mf_loud(p, loud) && made != NULL && !mf_bad(made);
}

/* A braced argument that has no type yet. */
static bool is_braced(const mf_expr *e)
{
    return e->kind == MF_EXPR_AGGREGATE && e->type->kind == MF_TYPE_NULL;
}

/* The array that a list is for: the type itself, or the one member of a record. */
static const mf_type *braced_array(const mf_type *to)
{
    if (to->kind == MF_TYPE_RECORD && to->record->field_count == 1 &&
        !mf_has_own_constructor(to->record))
        to = to->record->fields[0].type;
    return to->kind == MF_TYPE_ARRAY ? to : NULL;
}

static mf_rank braced_rank(const mf_expr *e, const mf_type *to)
{
    const mf_type *array = braced_array(to);
    if (array != NULL) return e->arg_count <= array->count ? MF_CONVERSION : MF_NO_CONVERSION;
    bool fits = (mf_is_vector(to) && (e->arg_count == to->width || e->arg_count == 0)) ||
                (to->kind == MF_TYPE_RECORD &&
                 (mf_has_own_constructor(to->record) || e->arg_count <= to->record->field_count)) ||
                (is_number(to) && e->arg_count <= 1);
    return fits ? MF_CONVERSION : MF_NO_CONVERSION;
}

static mf_expr *convert_braced(mf_parser *p, mf_expr *e, const mf_type *to, const char *what)
{
    mf_exprs args = {.at = e->args, .n = e->arg_count, .cap = e->arg_count};
    const mf_type *array = braced_array(to);
    if (array != NULL && args.n != 0) {
        mf_expr *list = mf_new(p, MF_EXPR_AGGREGATE, e->at, array);
        list->args = arena_array(p->mem, mf_expr *, args.n);
        for (size_t i = 0; i < args.n; ++i) {
            mf_expr *part = mf_convert(p, args.at[i], array->elem, what);
            if (mf_bad(part)) return part;
            list->args[list->arg_count++] = part;
        }
        list = mf_finish(p, list);
        if (to == array || mf_bad(list)) return list;
        mf_expr *whole = mf_new(p, MF_EXPR_AGGREGATE, e->at, to);
        whole->args = arena_array(p->mem, mf_expr *, 1);
        whole->args[whole->arg_count++] = list;
        return mf_finish(p, whole);
    }
    if (to->kind != MF_TYPE_RECORD || mf_has_own_constructor(to->record) || args.n == 0)
        return mf_construct(p, (mf_qtype){.type = to}, &args, e->at);
    mf_expr *made = mf_new(p, MF_EXPR_AGGREGATE, e->at, to);
    made->args = arena_array(p->mem, mf_expr *, to->record->field_count);
    for (size_t i = 0; i < to->record->field_count; ++i) {
        const mf_field *f = &to->record->fields[i];
        mf_expr *part = i < args.n ? mf_convert(p, args.at[i], f->type, what)
                                   : mf_member_default(p, to->record, f, e->at);
        if (part == NULL) part = mf_new(p, MF_EXPR_ZERO, e->at, f->type);
        if (mf_bad(part) || f->is_reference) return mf_error(p, e->at);
        made->args[made->arg_count++] = part;
    }
    return mf_finish(p, made);
}

mf_rank mf_rank_to(mf_parser *p, const mf_expr *e, const mf_type *to)
{
    if (is_braced(e)) return braced_rank(e, to);
    if (mf_is_set(e))
        return to->kind == MF_TYPE_FUNCTION && mf_function_of_type(p, e->set, to, e->at) != NULL ? MF_EXACT : MF_NO_CONVERSION;
    mf_rank r = standard_rank(e, to);
    if (r != MF_NO_CONVERSION) return r;
    if (e->type->kind != MF_TYPE_RECORD && to->kind != MF_TYPE_RECORD) return r;
    if (e->type->kind == MF_TYPE_RECORD && to->kind == MF_TYPE_RECORD &&
        mf_derives(e->type->record, to->record))
        return MF_CONVERSION;
    return converts_to(p, e, to) ? MF_USER_CONVERSION : r;
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

/* The candidate for a conversion to `to`: of a template, its instance for that type. */
static mf_candidate *conversion_for(mf_parser *p, mf_candidate *c, const mf_type *to, span at)
{
    if (c->generic == NULL) return c;
    mf_targs args = mf_targs_none();
    mf_targs_push(p->mem, &args, (mf_targ){.kind = MF_TARG_TYPE, .type = {.type = to}});
    diag_list quiet;
    diag_list *loud = mf_quiet(p, &quiet);
    bool good = mf_complete_args(p, c->generic, &args, at);
    good = mf_loud(p, loud) && good;
    return good ? mf_function_instance(p, c, &args, at) : NULL;
}

static const mf_type *result_of(const mf_candidate *c)
{
    return c->function->result->kind == MF_TYPE_REFERENCE ? c->function->result->elem
                                                          : c->function->result;
}

static bool suits(const mf_expr *e, const mf_candidate *c)
{
    const mf_type *self = c->self->type;
    mf_space space = e->lvalue ? e->space : MF_THREAD;
    return space == self->space && ((e->lvalue ? e->quals : 0) & ~self->quals) == 0;
}

bool mf_has_conversions(const mf_record *r)
{
    if (r->conversions != NULL) return true;
    for (size_t i = 0; r->scope != NULL && i < r->scope->used_count; ++i) {
        if (r->scope->used[i]->record != NULL && mf_has_conversions(r->scope->used[i]->record))
            return true;
    }
    return false;
}

static mf_candidate *best_conversion(mf_parser *p, const mf_expr *e, const mf_record *r,
                                     const mf_type *to)
{
    mf_candidate *best = NULL;
    mf_rank best_rank = MF_NO_CONVERSION;
    for (mf_candidate *c = r->conversions; c != NULL; c = c->next) {
        mf_candidate *one = conversion_for(p, c, to, e->at);
        if (one == NULL || one->self == NULL || !suits(e, one) || (one->is_explicit && !p->asked)) continue;
        mf_expr value = {.kind = MF_EXPR_CALL, .type = result_of(one), .at = e->at};
        mf_rank rank = standard_rank(&value, to);
        bool better = rank < best_rank || (rank == best_rank && best != NULL &&
                                           best->made_of != NULL && one->made_of == NULL);
        if (rank == MF_NO_CONVERSION || !better) continue;
        best = one;
        best_rank = rank;
    }
    for (size_t i = 0; best == NULL && r->scope != NULL && i < r->scope->used_count; ++i) {
        if (r->scope->used[i]->record != NULL)
            best = best_conversion(p, e, r->scope->used[i]->record, to);
    }
    return best;
}

static mf_expr *own_conversion(mf_parser *p, mf_expr *e, const mf_type *to, bool make)
{
    mf_candidate *c = best_conversion(p, e, e->type->record, to);
    if (c == NULL || !make) return c != NULL ? e : NULL;
    mf_symbol set = {.kind = MF_SYM_FUNCTION, .functions = c};
    mf_candidate alone = *c;
    alone.next = NULL;
    (void)alone;
    mf_ref name = {.builtin = -1,
                   .symbol = &set,
                   .at = e->at,
                   .id = mf_intern(p->mem, p->idents, c->function->name)};
    mf_exprs none = mf_exprs_none();
    mf_candidate *next = c->next;
    c->next = NULL;
    mf_expr *v = mf_call_member(p, &name, e, &none, e->at);
    c->next = next;
    return v;
}

static mf_expr *convert_record(mf_parser *p, mf_expr *e, const mf_type *to)
{
    if (e->type->kind == MF_TYPE_RECORD && to->kind == MF_TYPE_RECORD &&
        mf_derives(e->type->record, to->record))
        return mf_value(p, mf_to_base(p, mf_materialize(p, e), to->record));
    if (e->type->kind == MF_TYPE_RECORD && mf_has_conversions(e->type->record)) {
        mf_expr *v = own_conversion(p, e, to, true);
        if (v != NULL) return mf_bad(v) ? v : apply(p, v, to);
    }
    mf_exprs args = mf_exprs_none();
    mf_exprs_push(p->mem, &args, e);
    mf_expr *made = mf_call_constructor(p, to->record, &args, true, e->at);
    return made != NULL ? made : mf_error(p, e->at);
}

/* A conversion that mf_rank_to allows. */
static mf_expr *apply(mf_parser *p, mf_expr *e, const mf_type *to)
{
    if (mf_is_set(e)) return mf_choose_function(p, e, to);
    mf_expr *place = e;
    e = mf_value(p, e);
    const mf_type *from = e->type;
    if (mf_bad(e) || from == to) return e;
    if (from->kind == MF_TYPE_RECORD || to->kind == MF_TYPE_RECORD)
        return convert_record(p, place, to);
    if (is_number(from) && is_number(to)) return mf_cast_to(p, e, to, MF_CAST_CONVERT);
    if (to->kind == MF_TYPE_FUNCTION) return mf_int(p, e->at, to, 0);
    if (from->kind == MF_TYPE_FUNCTION) return mf_cast_to(p, mf_function_number(p, e), to, MF_CAST_CONVERT);
    if (mf_is_vector(to))
        return mf_is_scalar(from) ? splat(p, e, to) : mf_cast_to(p, e, to, MF_CAST_PACK);
    if (to->kind == MF_TYPE_POINTER) {
        if (from->kind == MF_TYPE_POINTER && from->elem != to->elem && to->elem->kind == MF_TYPE_RECORD) /* of a base */
            return mf_cast_to(p, mf_make_address(p, mf_to_base(p, mf_make_deref(p, e, e->at), to->elem->record), e->at), to, MF_CAST_POINTER);
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
    if (to->kind == MF_TYPE_POINTER && from == to->elem) return "; its address, by '&', may be meant";
    if (from->kind == MF_TYPE_POINTER && from->elem == to) return "; what it points at, by '*', may be meant";
    if (mf_is_vector(from) && mf_is_vector(to) && from->width == to->width) {
        return ": vectors of other elements need an explicit conversion";
    }
    return "";
}

mf_expr *mf_convert(mf_parser *p, mf_expr *e, const mf_type *to, const char *what)
{
    if (mf_bad(e) || to->kind == MF_TYPE_ERROR) return mf_error(p, e->at);
    if (is_braced(e) && braced_rank(e, to) != MF_NO_CONVERSION)
        return convert_braced(p, e, to, what);
    if (mf_rank_to(p, e, to) != MF_NO_CONVERSION) return apply(p, e, to);
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
    const mf_type *boolean = mf_scalar_type(MF_BOOL);
    const bool outer = p->asked;
    p->asked = true;
    if (!mf_bad(e) && e->type->kind == MF_TYPE_RECORD &&
        mf_rank_to(p, e, boolean) != MF_NO_CONVERSION)
        e = mf_convert(p, e, boolean, "use");
    p->asked = outer;
    e = mf_value(p, e);
    if (mf_bad(e)) return e;
    bool number =
        mf_is_scalar(e->type) || (e->type->kind == MF_TYPE_ENUM && !e->type->enumeration->scoped);
    if (number) return mf_cast_to(p, e, mf_scalar_type(MF_BOOL), MF_CAST_CONVERT);
    if (e->type->kind == MF_TYPE_POINTER)
        return mf_cast_to(p, e, mf_scalar_type(MF_BOOL), MF_CAST_POINTER_TO_BOOL);
    if (e->type->kind == MF_TYPE_FUNCTION) return mf_cast_to(p, mf_function_number(p, e), mf_scalar_type(MF_BOOL), MF_CAST_CONVERT);
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
    if (mf_rank_to(p, e, to) != MF_NO_CONVERSION) return apply(p, e, to);
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
    if (to->kind == MF_TYPE_RECORD && from != to && to->record->constructors != NULL) {
        mf_exprs args = mf_exprs_none();
        mf_exprs_push(p->mem, &args, e);
        mf_expr *made = mf_call_constructor(p, to->record, &args, false, at);
        if (made != NULL) return made;
    }
    if (from->kind == MF_TYPE_RECORD && from != to && to->kind != MF_TYPE_VOID) {
        const bool outer = p->asked;
        p->asked = true;
        mf_expr *made = mf_rank_to(p, e, to) != MF_NO_CONVERSION ? apply(p, e, to) : NULL;
        p->asked = outer;
        return made;
    }
    if (to->kind == MF_TYPE_VOID) return mf_cast_to(p, e, to, MF_CAST_TO_VOID);
    if (from == to) return e;
    if (is_number(from) && is_number(to)) return mf_cast_to(p, e, to, MF_CAST_CONVERT);
    if (mf_is_vector(to) && mf_is_numeric(from)) return cast_to_vector(p, e, to);
    if (to->kind == MF_TYPE_MATRIX && from->kind == MF_TYPE_MATRIX &&
        to->columns == from->columns && to->width == from->width)
        return mf_cast_to(p, e, to, MF_CAST_CONVERT);
    if (to->kind == MF_TYPE_POINTER) return cast_pointer(p, e, to, at);
    if (from->kind == MF_TYPE_POINTER && mf_is_integer(to) && to->size == 8) {
        return mf_cast_to(p, e, to, MF_CAST_POINTER_TO_INT);
    }
    return mf_rank_to(p, e, to) != MF_NO_CONVERSION ? apply(p, e, to) : NULL;
}

mf_expr *mf_explicit(mf_parser *p, mf_expr *e, mf_qtype to, span at)
{
    if (mf_bad(e) || to.type->kind == MF_TYPE_ERROR) return mf_error(p, at);
    if (to.type->kind == MF_TYPE_REFERENCE) return cast_place(p, e, to.type, at);
    if (is_braced(e) && braced_rank(e, to.type) != MF_NO_CONVERSION)
        return convert_braced(p, e, to.type, "use");
    bool record =
        e->type->kind == MF_TYPE_RECORD && e->type != to.type; /* a function of it may be called */
    mf_expr *v = record ? e : mf_value(p, e);
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

mf_expr *mf_as_number(mf_parser *p, mf_expr *e)
{
    if (mf_bad(e) || e->type->kind != MF_TYPE_RECORD) return e;
    const mf_record *r = e->type->record;
    while (r->conversions == NULL && r->scope != NULL && r->scope->used_count == 1 &&
           r->scope->used[0]->record != NULL)
        r = r->scope->used[0]->record;
    const mf_candidate *c = r->conversions;
    const mf_type *to = NULL;
    for (; c != NULL; c = c->next) {
        if (c->generic != NULL || (to != NULL && result_of(c) != to)) return e;
        to = result_of(c);
    }
    return to != NULL ? mf_convert(p, e, to, "use") : e;
}
