/* Constant expressions: their values, as the device would compute them. */
#include "base/num.h"
#include "mslfront/parser.h"

#include <math.h>

mf_constant mf_wrap(mf_scalar s, uint64_t bits)
{
    unsigned width = mf_scalar_size(s) * 8;
    mf_constant c = {.i = bits};
    if (s == MF_BOOL) {
        c.i = bits != 0;
    } else if (width < 64) {
        uint64_t mask = ((uint64_t)1 << width) - 1;
        bool negative = mf_scalar_class(s) == MF_CLASS_SIGNED && (bits >> (width - 1) & 1) != 0;
        c.i = negative ? bits | ~mask : bits & mask;
    }
    return c;
}

static double round_to(mf_scalar s, double v)
{
    return s == MF_FLOAT ? (double)(float)v : num_round(s == MF_HALF ? &num_half : &num_bfloat, v);
}

/* Toward zero, clamped to 64 bits; NaN gives 0. */
static uint64_t truncate(double v, bool is_signed)
{
    if (isnan(v)) return 0;
    if (is_signed || v < 0) {
        if (v >= 9223372036854775808.0) return INT64_MAX;
        if (v <= -9223372036854775808.0) return (uint64_t)INT64_MIN;
        return (uint64_t)(int64_t)v;
    }
    return v >= 18446744073709551616.0 ? UINT64_MAX : (uint64_t)v;
}

/* An integer to a float type, rounded once: 64 bits may not fit a double, so their last bits are
 * gathered first. */
static double from_integer(mf_scalar from, uint64_t bits, mf_scalar to)
{
    bool negative = mf_scalar_class(from) == MF_CLASS_SIGNED && (int64_t)bits < 0;
    uint64_t size = negative ? 0 - bits : bits;
    if (size >> 53 != 0) size = (size & ~(uint64_t)0xfff) | ((size & 0xfff) != 0 ? 0x800 : 0);
    double v = round_to(to, (double)size);
    return negative ? -v : v;
}

mf_constant mf_convert_constant(mf_scalar from, mf_constant c, mf_scalar to)
{
    bool from_float = mf_scalar_is_float(from), to_float = mf_scalar_is_float(to);
    if (from_float && to_float) return (mf_constant){.f = round_to(to, c.f)};
    if (to_float) return (mf_constant){.f = from_integer(from, c.i, to)};
    if (!from_float) return mf_wrap(to, c.i);
    if (to == MF_BOOL) return (mf_constant){.i = c.f != 0};
    return mf_wrap(to, truncate(c.f, mf_scalar_class(to) == MF_CLASS_SIGNED));
}

static bool fold_float(mf_op op, double a, double b, mf_scalar s, mf_constant *out)
{
    bool truth = false;
    switch (op) {
    case MF_OP_MUL: out->f = round_to(s, a * b); return true;
    case MF_OP_DIV: out->f = round_to(s, a / b); return true;
    case MF_OP_ADD: out->f = round_to(s, a + b); return true;
    case MF_OP_SUB: out->f = round_to(s, a - b); return true;
    case MF_OP_LT: truth = a < b; break;
    case MF_OP_GT: truth = a > b; break;
    case MF_OP_LE: truth = a <= b; break;
    case MF_OP_GE: truth = a >= b; break;
    case MF_OP_EQ: truth = a == b; break;
    case MF_OP_NE: truth = a != b; break;
    case MF_OP_REM:
    case MF_OP_SHL:
    case MF_OP_SHR:
    case MF_OP_AND:
    case MF_OP_XOR:
    case MF_OP_OR:
    case MF_OPS: return false;
    }
    out->i = truth;
    return true;
}

/* Quotient or remainder; false where there is none. */
static bool divide(mf_op op, uint64_t a, uint64_t b, bool is_signed, uint64_t *out)
{
    if (b == 0) return false;
    if (!is_signed) {
        *out = op == MF_OP_DIV ? a / b : a % b;
    } else if ((int64_t)b == -1) {
        *out = op == MF_OP_DIV ? 0 - a : 0;
    } else {
        *out = (uint64_t)(op == MF_OP_DIV ? (int64_t)a / (int64_t)b : (int64_t)a % (int64_t)b);
    }
    return true;
}

static bool fold_integer(mf_op op, uint64_t a, uint64_t b, mf_scalar s, mf_constant *out)
{
    bool is_signed = mf_scalar_class(s) == MF_CLASS_SIGNED;
    bool less = is_signed ? (int64_t)a < (int64_t)b : a < b;
    uint64_t v = 0;
    switch (op) {
    case MF_OP_MUL: v = a * b; break;
    case MF_OP_DIV:
    case MF_OP_REM:
        if (!divide(op, a, b, is_signed, &v)) return false;
        break;
    case MF_OP_ADD: v = a + b; break;
    case MF_OP_SUB: v = a - b; break;
    case MF_OP_SHL:
    case MF_OP_SHR:
        if (b >= mf_scalar_size(s) * 8) return false;
        v = op == MF_OP_SHL ? a << b : is_signed && (int64_t)a < 0 ? ~(~a >> b) : a >> b;
        break;
    case MF_OP_AND: v = a & b; break;
    case MF_OP_XOR: v = a ^ b; break;
    case MF_OP_OR: v = a | b; break;
    case MF_OP_LT: out->i = less; return true;
    case MF_OP_GT: out->i = !less && a != b; return true;
    case MF_OP_LE: out->i = less || a == b; return true;
    case MF_OP_GE: out->i = !less; return true;
    case MF_OP_EQ: out->i = a == b; return true;
    case MF_OP_NE: out->i = a != b; return true;
    case MF_OPS: return false;
    }
    *out = mf_wrap(s, v);
    return true;
}

static bool is_number(const mf_type *t)
{
    return t->kind == MF_TYPE_SCALAR || t->kind == MF_TYPE_ENUM;
}

static bool fold_unary(const mf_expr *e, mf_constant *out)
{
    mf_constant a;
    if (!mf_fold(e->a, &a)) return false;
    mf_scalar s = e->type->scalar;
    if (e->kind == MF_EXPR_NOT) {
        out->i = a.i == 0;
    } else if (mf_scalar_is_float(s)) {
        out->f = -a.f;
    } else {
        *out = mf_wrap(s, e->kind == MF_EXPR_NEGATE ? 0 - a.i : ~a.i);
    }
    return true;
}

static bool fold_logical(const mf_expr *e, mf_constant *out)
{
    if (!mf_fold(e->a, out)) return false;
    if ((out->i != 0) == (e->kind == MF_EXPR_OR)) return true;
    return mf_fold(e->b, out);
}

static bool fold_binary(const mf_expr *e, mf_constant *out)
{
    mf_constant a, b;
    if (!is_number(e->a->type) || !is_number(e->b->type) || !mf_fold(e->a, &a) ||
        !mf_fold(e->b, &b))
        return false;
    mf_scalar s = e->a->type->scalar;
    return mf_scalar_is_float(s) ? fold_float(e->op, a.f, b.f, s, out)
                                 : fold_integer(e->op, a.i, b.i, s, out);
}

bool mf_fold(const mf_expr *e, mf_constant *out)
{
    if (!is_number(e->type)) return false;
    mf_constant a;
    switch (e->kind) {
    case MF_EXPR_CONST: *out = e->constant; return true;
    case MF_EXPR_ZERO:
        *out = (mf_constant){0};
        if (mf_scalar_is_float(e->type->scalar)) out->f = 0;
        return true;
    case MF_EXPR_LOAD:
        if (e->a->kind != MF_EXPR_VAR || !e->a->var->has_value) return false;
        *out = e->a->var->value;
        return true;
    case MF_EXPR_NEGATE:
    case MF_EXPR_COMPLEMENT:
    case MF_EXPR_NOT: return fold_unary(e, out);
    case MF_EXPR_BINARY: return fold_binary(e, out);
    case MF_EXPR_AND:
    case MF_EXPR_OR: return fold_logical(e, out);
    case MF_EXPR_COND:
        return !e->lvalue && mf_fold(e->a, &a) && mf_fold(a.i != 0 ? e->b : e->c, out);
    case MF_EXPR_CALL: return mf_fold_call(e, out);
    case MF_EXPR_CAST:
        if (e->cast != MF_CAST_CONVERT || !mf_fold(e->a, &a)) return false;
        *out = mf_convert_constant(e->a->type->scalar, a, e->type->scalar);
        return true;
    case MF_EXPR_VAR:
    case MF_EXPR_TEMPORARY:
    case MF_EXPR_PRE_INC:
    case MF_EXPR_PRE_DEC:
    case MF_EXPR_POST_INC:
    case MF_EXPR_POST_DEC:
    case MF_EXPR_DEREF:
    case MF_EXPR_ADDRESS:
    case MF_EXPR_COMMA:
    case MF_EXPR_ASSIGN:
    case MF_EXPR_ASSIGN_OP:
    case MF_EXPR_CONSTRUCT:
    case MF_EXPR_AGGREGATE:
    case MF_EXPR_SWIZZLE:
    case MF_EXPR_ELEMENT:
    case MF_EXPR_INDEX:
    case MF_EXPR_MEMBER:
    case MF_EXPR_BUILTIN:
    case MF_EXPR_ERROR: return false;
    }
    return false;
}

bool mf_constant_integer(mf_parser *p, const mf_expr *e, const char *what, int64_t low,
                         int64_t high, int64_t *out)
{
    if (mf_bad(e)) return false;
    mf_constant c;
    bool integer = mf_is_integer(e->type) || mf_is_bool(e->type) || e->type->kind == MF_TYPE_ENUM;
    if (!integer || !mf_fold(e, &c)) {
        diag_error(p->diags, e->at, "%s must be a constant integer", what);
        return false;
    }
    bool huge = mf_scalar_class(e->type->scalar) == MF_CLASS_UNSIGNED && c.i > INT64_MAX;
    *out = (int64_t)c.i;
    if (!huge && *out >= low && *out <= high) return true;
    if (huge) {
        diag_error(p->diags, e->at, "%s is %llu, more than %lld", what, (unsigned long long)c.i,
                   (long long)high);
    } else {
        diag_error(p->diags, e->at, "%s is %lld, not between %lld and %lld", what, (long long)*out,
                   (long long)low, (long long)high);
    }
    return false;
}

static bool all_known(const mf_expr *e)
{
    for (uint32_t i = 0; i < e->arg_count; ++i) {
        if (!mf_is_known(e->args[i])) return false;
    }
    return (e->a == NULL || mf_is_known(e->a)) && (e->b == NULL || mf_is_known(e->b)) &&
           (e->c == NULL || mf_is_known(e->c));
}

bool mf_is_known(const mf_expr *e)
{
    switch (e->kind) {
    case MF_EXPR_CONST:
    case MF_EXPR_ZERO: return true;
    case MF_EXPR_VAR: return e->var->kind == MF_VAR_GLOBAL && e->var->binding == MF_BIND_NONE;
    case MF_EXPR_LOAD:
    case MF_EXPR_NEGATE:
    case MF_EXPR_COMPLEMENT:
    case MF_EXPR_NOT:
    case MF_EXPR_BINARY:
    case MF_EXPR_AND:
    case MF_EXPR_OR:
    case MF_EXPR_COND:
    case MF_EXPR_CONSTRUCT:
    case MF_EXPR_AGGREGATE:
    case MF_EXPR_SWIZZLE:
    case MF_EXPR_ELEMENT:
    case MF_EXPR_INDEX:
    case MF_EXPR_MEMBER: return all_known(e);
    case MF_EXPR_CAST:
        return e->cast != MF_CAST_POINTER_TO_INT && e->cast != MF_CAST_INT_TO_POINTER &&
               all_known(e);
    case MF_EXPR_CALL: return e->function->is_constexpr && all_known(e);
    case MF_EXPR_TEMPORARY: return all_known(e);
    case MF_EXPR_BUILTIN: return (mf_builtin_traits(e->builtin) & MF_PURE) != 0 && all_known(e);
    case MF_EXPR_PRE_INC:
    case MF_EXPR_PRE_DEC:
    case MF_EXPR_POST_INC:
    case MF_EXPR_POST_DEC:
    case MF_EXPR_DEREF:
    case MF_EXPR_ADDRESS:
    case MF_EXPR_COMMA:
    case MF_EXPR_ASSIGN:
    case MF_EXPR_ASSIGN_OP:
    case MF_EXPR_ERROR: return false;
    }
    return false;
}
