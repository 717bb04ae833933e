/* Binary operators and assignment: the types they are done in. */
#include "mslfront/template.h"

typedef enum op_class {
    MF_OP_ARITH,
    MF_OP_INTEGER,
    MF_OP_SHIFT,
    MF_OP_COMPARE,
    MF_OP_BITS
} op_class;

static const struct {
    const char *text;
    op_class class;
} ops[MF_OPS] = {
#define MF_BINOP(ID, text, precedence, class) [MF_OP_##ID] = {text, class},
#include "mslfront/ops.def"
#undef MF_BINOP
};

const char *mf_op_text(mf_op op)
{
    return ops[op].text;
}

static mf_expr *mismatch(mf_parser *p, mf_op op, const mf_expr *a, const mf_expr *b,
                         const char *hint)
{
    span at = span_join(a->at, b->at);
    diag_error(p->diags, at, "'%s' does not take '%.*s' and '%.*s'%s", ops[op].text,
               STR_ARG(mf_type_text(p->mem, a->type)), STR_ARG(mf_type_text(p->mem, b->type)),
               hint);
    return mf_error(p, at);
}

static mf_expr *make(mf_parser *p, mf_op op, mf_expr *a, mf_expr *b, const mf_type *type)
{
    mf_expr *e = mf_new(p, MF_EXPR_BINARY, span_join(a->at, b->at), type);
    e->op = op;
    e->a = a;
    e->b = b;
    mf_constant c;
    bool constants = a->kind == MF_EXPR_CONST && b->kind == MF_EXPR_CONST && mf_is_scalar(type);
    if (constants && mf_fold(e, &c)) return mf_make_constant(p, e->at, type->scalar, c);
    return mf_finish(p, e);
}

/* A packed vector as the vector of its elements. */
static mf_expr *unpacked(mf_parser *p, mf_expr *e)
{
    if (e->type->kind != MF_TYPE_PACKED) return e;
    return mf_cast_to(p, e, mf_vector_type(e->type->scalar, e->type->width), MF_CAST_PACK);
}

static mf_expr *pointer_compare(mf_parser *p, mf_op op, mf_expr *a, mf_expr *b)
{
    const mf_type *to = a->type->kind == MF_TYPE_POINTER ? a->type : b->type;
    mf_expr *other = to == a->type ? b : a;
    if (other->type->kind == MF_TYPE_POINTER) {
        const bool bare = other->type->elem->kind == MF_TYPE_VOID;
        if (other->type->space != to->space ||
            (other->type->elem != to->elem && !bare && to->elem->kind != MF_TYPE_VOID))
            return mismatch(p, op, a, b, "");
        unsigned quals = other->type->quals | to->quals;
        to = mf_pointer_type(&p->types, bare ? mf_void() : to->elem, to->space, quals);
    } else if (mf_rank_to(p, other, to) == MF_NO_CONVERSION) {
        return mismatch(p, op, a, b, "");
    }
    return make(p, op, mf_convert(p, a, to, "compare"), mf_convert(p, b, to, "compare"),
                mf_scalar_type(MF_BOOL));
}

/* Values of functions are the same or not; nothing else is known of them. */
static mf_expr *function_compare(mf_parser *p, mf_op op, mf_expr *a, mf_expr *b)
{
    const bool same = a->type == b->type || a->type->kind == MF_TYPE_NULL || b->type->kind == MF_TYPE_NULL;
    if (!same || (op != MF_OP_EQ && op != MF_OP_NE)) return mismatch(p, op, a, b, "");
    return make(p, op, mf_function_number(p, a), mf_function_number(p, b), mf_scalar_type(MF_BOOL));
}

static mf_expr *pointer_arith(mf_parser *p, mf_op op, mf_expr *a, mf_expr *b)
{
    if (ops[op].class == MF_OP_COMPARE) return pointer_compare(p, op, a, b);
    bool both = a->type->kind == MF_TYPE_POINTER && b->type->kind == MF_TYPE_POINTER;
    if (both) {
        if (op != MF_OP_SUB || a->type->elem != b->type->elem || a->type->space != b->type->space) {
            return mismatch(p, op, a, b, "");
        }
        return make(p, op, a, b, mf_scalar_type(MF_LONG));
    }
    if (op == MF_OP_ADD && b->type->kind == MF_TYPE_POINTER) {
        mf_expr *swap = a;
        a = b;
        b = swap;
    }
    b = mf_promote(p, b);
    bool good = (op == MF_OP_ADD || op == MF_OP_SUB) && a->type->kind == MF_TYPE_POINTER &&
                mf_is_integer(b->type);
    if (!good) return mismatch(p, op, a, b, "");
    if (!mf_check_object_type(p, a->type->elem, a->at, "step a pointer to"))
        return mf_error(p, a->at);
    return make(p, op, a, b, a->type);
}

/* Both operands as vectors of one type; false where they do not go together. */
static bool match_vectors(mf_parser *p, mf_op op, mf_expr **a, mf_expr **b)
{
    bool va = (*a)->type->kind == MF_TYPE_VECTOR, vb = (*b)->type->kind == MF_TYPE_VECTOR;
    if (va && vb) {
        if ((*a)->type == (*b)->type) return true;
        bool shift = ops[op].class == MF_OP_SHIFT && (*a)->type->width == (*b)->type->width &&
                     mf_is_integer_like((*a)->type) && mf_is_integer_like((*b)->type);
        if (shift) *b = mf_cast_to(p, *b, (*a)->type, MF_CAST_CONVERT);
        return shift;
    }
    mf_expr **scalar = va ? b : a;
    const mf_type *vector = va ? (*a)->type : (*b)->type;
    *scalar = mf_promote(p, *scalar);
    const mf_type *from = (*scalar)->type;
    if (!mf_is_scalar(from) ||
        (mf_scalar_is_float(from->scalar) && !mf_scalar_is_float(vector->scalar)))
        return false;
    if (mf_rank_to(p, *scalar, vector) == MF_NO_CONVERSION) return false;
    *scalar = mf_convert(p, *scalar, vector, "use");
    return true;
}

static mf_expr *vector_op(mf_parser *p, mf_op op, mf_expr *a, mf_expr *b)
{
    mf_expr *old_a = a, *old_b = b;
    if (!match_vectors(p, op, &a, &b)) {
        return mismatch(p, op, old_a, old_b, "; vectors need the same width and elements");
    }
    const mf_type *t = a->type;
    bool boolean = t->scalar == MF_BOOL;
    bool equality = op == MF_OP_EQ || op == MF_OP_NE;
    bool good = true;
    switch (ops[op].class) {
    case MF_OP_ARITH: good = !boolean; break;
    case MF_OP_INTEGER:
    case MF_OP_SHIFT: good = mf_is_integer_like(t); break;
    case MF_OP_COMPARE: good = !boolean || equality; break;
    case MF_OP_BITS: good = mf_is_integer_like(t) || boolean; break;
    }
    if (!good) return mismatch(p, op, a, b, op == MF_OP_REM ? "; for floats there is fmod()" : "");
    return make(p, op, a, b,
                ops[op].class == MF_OP_COMPARE ? mf_vector_type(MF_BOOL, t->width) : t);
}

static mf_expr *scalar_op(mf_parser *p, mf_op op, mf_expr *a, mf_expr *b)
{
    a = mf_promote(p, a);
    b = mf_promote(p, b);
    if (!mf_is_scalar(a->type) || !mf_is_scalar(b->type)) return mismatch(p, op, a, b, "");
    op_class class = ops[op].class;
    bool integers = mf_is_integer(a->type) && mf_is_integer(b->type);
    if (class != MF_OP_ARITH && class != MF_OP_COMPARE && !integers) {
        return mismatch(p, op, a, b, op == MF_OP_REM ? "; for floats there is fmod()" : "");
    }
    if (class == MF_OP_SHIFT) return make(p, op, a, b, a->type);
    const mf_type *t = mf_common_scalar(a->type, b->type);
    if (t == NULL) return mismatch(p, op, a, b, "; convert one of them");
    a = mf_cast_to(p, a, t, MF_CAST_CONVERT);
    b = mf_cast_to(p, b, t, MF_CAST_CONVERT);
    return make(p, op, a, b, class == MF_OP_COMPARE ? mf_scalar_type(MF_BOOL) : t);
}

/* Values of one scoped enumeration: they compare, and flags combine. */
static mf_expr *enum_op(mf_parser *p, mf_op op, mf_expr *a, mf_expr *b)
{
    bool compare = ops[op].class == MF_OP_COMPARE;
    bool flags = ops[op].class == MF_OP_BITS && str_is(a->type->enumeration->name, "mem_flags");
    if (a->type != b->type || (!compare && !flags)) return mismatch(p, op, a, b, "");
    const mf_type *t = a->type, *integer = mf_scalar_type(t->scalar);
    a = mf_cast_to(p, a, integer, MF_CAST_CONVERT);
    b = mf_cast_to(p, b, integer, MF_CAST_CONVERT);
    if (compare) return make(p, op, a, b, mf_scalar_type(MF_BOOL));
    return mf_cast_to(p, make(p, op, a, b, integer), t, MF_CAST_CONVERT);
}

static bool is_scoped(const mf_type *t)
{
    return t->kind == MF_TYPE_ENUM && t->enumeration->scoped;
}

mf_expr *mf_make_binary(mf_parser *p, mf_op op, mf_expr *a, mf_expr *b)
{
    a = mf_as_number(p, a);
    b = mf_as_number(p, b);
    a = mf_value(p, a);
    b = mf_value(p, b);
    if (mf_bad(a) || mf_bad(b)) return mf_error(p, span_join(a->at, b->at));
    a = unpacked(p, a);
    b = unpacked(p, b);
    if (a->type->kind == MF_TYPE_POINTER || b->type->kind == MF_TYPE_POINTER)
        return pointer_arith(p, op, a, b);
    if (a->type->kind == MF_TYPE_FUNCTION || b->type->kind == MF_TYPE_FUNCTION) return function_compare(p, op, a, b);
    if (a->type->kind == MF_TYPE_MATRIX || b->type->kind == MF_TYPE_MATRIX ||
        a->type->kind == MF_TYPE_SIMD_MATRIX || b->type->kind == MF_TYPE_SIMD_MATRIX) {
        return mismatch(p, op, a, b, ": operators on matrices are not supported");
    }
    if (a->type->kind == MF_TYPE_VECTOR || b->type->kind == MF_TYPE_VECTOR)
        return vector_op(p, op, a, b);
    if (is_scoped(a->type) && is_scoped(b->type)) return enum_op(p, op, a, b);
    return scalar_op(p, op, a, b);
}

mf_expr *mf_make_logical(mf_parser *p, mf_expr_kind kind, mf_expr *a, mf_expr *b)
{
    bool vectors = (a->type->kind == MF_TYPE_VECTOR && a->type->scalar == MF_BOOL) ||
                   (b->type->kind == MF_TYPE_VECTOR && b->type->scalar == MF_BOOL);
    if (vectors) return mf_make_binary(p, kind == MF_EXPR_AND ? MF_OP_AND : MF_OP_OR, a, b);
    a = mf_condition_value(p, a);
    b = mf_condition_value(p, b);
    if (mf_bad(a) || mf_bad(b)) return mf_error(p, span_join(a->at, b->at));
    mf_expr *e = mf_new(p, kind, span_join(a->at, b->at), mf_scalar_type(MF_BOOL));
    e->a = a;
    e->b = b;
    return mf_finish(p, e);
}

static mf_expr *assignment(mf_parser *p, mf_expr_kind kind, mf_expr *a, mf_expr *b)
{
    mf_expr *e =
        mf_make_place(p, kind, span_join(a->at, b->at), (mf_qtype){a->type, a->space, a->quals});
    e->a = a;
    e->b = b;
    return e;
}

mf_expr *mf_make_assign(mf_parser *p, mf_expr *a, mf_expr *b)
{
    if (mf_bad(a) || mf_bad(b)) return mf_error(p, span_join(a->at, b->at));
    if (!mf_check_writable(p, a, "assign to")) return mf_error(p, a->at);
    if (a->type->kind == MF_TYPE_ARRAY || a->type->kind == MF_TYPE_ATOMIC) {
        diag_error(p->diags, a->at,
                   a->type->kind == MF_TYPE_ARRAY
                       ? "an array cannot be assigned"
                       : "an atomic cannot be assigned; there is atomic_store_explicit()");
        return mf_error(p, a->at);
    }
    if (a->type->kind == MF_TYPE_RECORD && b->lvalue && b->type == a->type) { /* assigned as it is, not constructed */
        mf_expr *v = mf_new(p, MF_EXPR_LOAD, b->at, b->type);
        v->a = b;
        return mf_finish(p, assignment(p, MF_EXPR_ASSIGN, a, mf_finish(p, v)));
    } else {
        b = mf_convert(p, b, a->type, "assign");
    }
    if (!mf_bad(b) && !mf_check_temporary(p, b)) return mf_error(p, b->at);
    return mf_bad(b) ? b : mf_finish(p, assignment(p, MF_EXPR_ASSIGN, a, b));
}

/* What "a op b" would be, to learn the types; the operand b of it, converted, and the type of the
 * operation. */
mf_expr *mf_make_assign_op(mf_parser *p, mf_op op, mf_expr *a, mf_expr *b)
{
    span at = span_join(a->at, b->at);
    if (mf_bad(a) || mf_bad(b)) return mf_error(p, at);
    if (!mf_check_writable(p, a, "assign to")) return mf_error(p, at);
    if (a->type->kind == MF_TYPE_ATOMIC) {
        diag_error(p->diags, at, "an atomic does not take '%s='; there is atomic_fetch_add_explicit() and its like", ops[op].text);
        return mf_error(p, at);
    }
    mf_expr *plain =
        mf_new(p, MF_EXPR_LOAD, a->at, a->type); /* never folds: its operand is no variable's */
    plain->a = a;
    mf_expr *trial = mf_make_binary(p, op, plain, b);
    if (mf_bad(trial)) return trial;
    bool pointer = a->type->kind == MF_TYPE_POINTER;
    if (trial->kind == MF_EXPR_CAST) trial = trial->a; /* flags of an enumeration */
    if (pointer && (trial->type != a->type || trial->a != plain)) return mismatch(p, op, a, b, "");
    if (mf_rank_to(p, trial, a->type) == MF_NO_CONVERSION) return mismatch(p, op, a, b, "");
    mf_expr *e = assignment(p, MF_EXPR_ASSIGN_OP, a, trial->b);
    e->op = op;
    e->compute = trial->type;
    return mf_finish(p, e);
}
