/* Folding and simplifying of operations as they are built, by the machine's own rules for each of them. */
#include <math.h>

#include "base/num.h"
#include "emu/graph.h"

static bool is_float(emu_type t)
{
    return t >= EMU_F16;
}

static bool is_signed(emu_type t)
{
    return t == EMU_I8 || t == EMU_I16 || t == EMU_I32 || t == EMU_I64;
}

static const num_format *small_format(emu_type t)
{
    return t == EMU_F16 ? &num_half : &num_bfloat;
}

static double float_value(const emu_node *n)
{
    if (n->type == EMU_F32) return (double)num_bits_float((uint32_t)n->imm);
    return num_decode(small_format((emu_type)n->type), (uint32_t)n->imm);
}

emu_node *emu_constant_float(emu_graph *g, emu_type type, double value)
{
    if (type == EMU_F32) return emu_constant(g, type, num_float_bits((float)value));
    return emu_constant(g, type, num_encode(small_format(type), value));
}

/* Quotient and remainder as emu.h defines them. */
static int64_t divided(emu_type t, int64_t a, int64_t b, bool remainder)
{
    if (b == 0) return remainder ? a : -1;
    if (is_signed(t)) {
        if (b == -1) return remainder ? 0 : (int64_t)(0 - (uint64_t)a);
        return remainder ? a % b : a / b;
    }
    return remainder ? (int64_t)((uint64_t)a % (uint64_t)b) : (int64_t)((uint64_t)a / (uint64_t)b);
}

static bool less(emu_type t, int64_t a, int64_t b)
{
    return is_signed(t) ? a < b : (uint64_t)a < (uint64_t)b;
}

/* True with the result where the operation over two integers is folded. */
static bool integer_result(emu_op op, emu_type t, int64_t a, int64_t b, int64_t *out)
{
    const uint64_t x = (uint64_t)a, y = (uint64_t)b;
    const unsigned shift = (unsigned)(y & (emu_type_size(t) * 8 - 1));
    switch ((int)op) {
    case EMU_ADD: *out = (int64_t)(x + y); return true;
    case EMU_SUB: *out = (int64_t)(x - y); return true;
    case EMU_MUL: *out = (int64_t)(x * y); return true;
    case EMU_AND: *out = a & b; return true;
    case EMU_OR: *out = a | b; return true;
    case EMU_XOR: *out = a ^ b; return true;
    case EMU_SHL: *out = (int64_t)(x << shift); return true;
    case EMU_SHR: *out = is_signed(t) ? a >> shift : (int64_t)(x >> shift); return true;
    case EMU_DIV: *out = divided(t, a, b, false); return true;
    case EMU_REM: *out = divided(t, a, b, true); return true;
    case EMU_MIN: *out = less(t, a, b) ? a : b; return true;
    case EMU_MAX: *out = less(t, b, a) ? a : b; return true;
    case EMU_EQ: *out = a == b; return true;
    case EMU_NE: *out = a != b; return true;
    case EMU_LT: *out = less(t, a, b); return true;
    case EMU_LE: *out = !less(t, b, a); return true;
    default: return false;
    }
}

static emu_node *fold_float(emu_graph *g, emu_op op, emu_type t, double a, double b)
{
    switch ((int)op) {
    case EMU_ADD: return emu_constant_float(g, t, t == EMU_F32 ? (double)((float)a + (float)b) : a + b);
    case EMU_SUB: return emu_constant_float(g, t, t == EMU_F32 ? (double)((float)a - (float)b) : a - b);
    case EMU_MUL: return emu_constant_float(g, t, t == EMU_F32 ? (double)((float)a * (float)b) : a * b);
    case EMU_EQ: return emu_constant(g, EMU_BOOL, a == b);
    case EMU_NE: return emu_constant(g, EMU_BOOL, a != b);
    case EMU_LT: return emu_constant(g, EMU_BOOL, a < b);
    case EMU_LE: return emu_constant(g, EMU_BOOL, a <= b);
    default: return NULL;
    }
}

static emu_node *fold_convert(emu_graph *g, emu_type to, const emu_node *a)
{
    const emu_type from = (emu_type)a->type;
    if (!is_float(from)) {
        if (!is_float(to)) return emu_constant(g, to, a->imm);
        if (to != EMU_F32) return NULL;
        const float f = from == EMU_U64 ? (float)(uint64_t)a->imm : (float)a->imm;
        return emu_constant(g, to, num_float_bits(f));
    }
    const double v = float_value(a);
    if (is_float(to)) return emu_constant_float(g, to, v);
    if (to == EMU_BOOL) return emu_constant(g, to, v != 0);
    /* the machine holds what is out of range at the ends; leave that to it */
    const double limit = is_signed(to) ? ldexp(1, (int)emu_type_size(to) * 8 - 1) : ldexp(1, (int)emu_type_size(to) * 8);
    if (!(v > -limit && v < limit) || (!is_signed(to) && v <= -1)) return NULL;
    return emu_constant(g, to, v < 0 ? (int64_t)v : (int64_t)(uint64_t)v);
}

static emu_node *fold_constants(emu_graph *g, emu_op op, emu_type type, emu_node *const *in, unsigned n)
{
    if (n == 1 && op == EMU_CONVERT) return fold_convert(g, type, in[0]);
    if (n != 2) return NULL;
    if (is_float(type)) return op == EMU_AND || op == EMU_OR || op == EMU_XOR
                                   ? NULL
                                   : fold_float(g, op, type, float_value(in[0]), float_value(in[1]));
    int64_t r;
    if (!integer_result(op, type, in[0]->imm, in[1]->imm, &r)) return NULL;
    const bool comparison = op == EMU_EQ || op == EMU_NE || op == EMU_LT || op == EMU_LE;
    return emu_constant(g, comparison ? EMU_BOOL : type, r);
}

/* x op constant, for integers and bool. */
static emu_node *simplify_constant(emu_graph *g, emu_op op, emu_type type, emu_node *a, const emu_node *b)
{
    const int64_t c = b->imm;
    const int64_t ones = emu_constant(g, type, -1)->imm;
    switch ((int)op) {
    case EMU_ADD:
    case EMU_SUB:
        if (c == 0) return a;
        /* (x + c) + d = x + (c + d) */
        if (a->kind == EMU_PURE && a->op == EMU_ADD && emu_is_const(a->in[1])) {
            const uint64_t inner = (uint64_t)a->in[1]->imm;
            const uint64_t sum = op == EMU_ADD ? inner + (uint64_t)c : inner - (uint64_t)c;
            return emu_binary(g, EMU_ADD, type, a->in[0], emu_constant(g, type, (int64_t)sum));
        }
        if (op == EMU_SUB) return emu_binary(g, EMU_ADD, type, a, emu_constant(g, type, (int64_t)(0 - (uint64_t)c)));
        return NULL;
    case EMU_OR:
    case EMU_SHL:
    case EMU_SHR: return c == 0 ? a : NULL;
    case EMU_XOR:
        if (c == 0) return a;
        if (type == EMU_BOOL && a->kind == EMU_PURE && a->op == EMU_XOR && emu_is_const(a->in[1])) return a->in[0];
        return NULL;
    case EMU_AND:
        if (c == 0) return emu_constant(g, type, 0);
        return c == ones || (type == EMU_BOOL && c == 1) ? a : NULL;
    case EMU_MUL:
        if (c == 0) return emu_constant(g, type, 0);
        return c == 1 ? a : NULL;
    case EMU_DIV:
        if (c == 1) return a;
        if (!is_signed(type) && c > 0 && (c & (c - 1)) == 0)
            return emu_binary(g, EMU_SHR, type, a, emu_constant(g, type, __builtin_ctzll((unsigned long long)c)));
        return NULL;
    case EMU_REM:
        if (c == 1) return emu_constant(g, type, 0);
        if (!is_signed(type) && c > 0 && (c & (c - 1)) == 0)
            return emu_binary(g, EMU_AND, type, a, emu_constant(g, type, c - 1));
        return NULL;
    default: return NULL;
    }
}

static bool commutes(emu_op op)
{
    return op == EMU_ADD || op == EMU_MUL || op == EMU_AND || op == EMU_OR || op == EMU_XOR || op == EMU_EQ || op == EMU_NE;
}

static emu_node *simplify(emu_graph *g, emu_op op, emu_type type, emu_node *const *in, unsigned n)
{
    if (op == EMU_SELECT && n == 3) {
        if (emu_is_const(in[2])) return in[2]->imm != 0 ? in[0] : in[1];
        return in[0] == in[1] ? in[0] : NULL;
    }
    if (op == EMU_CONVERT && n == 1 && in[0]->kind == EMU_PURE && in[0]->op == EMU_CONVERT && !is_float(type)) {
        /* int to uint and back, and the like: one conversion, where the middle keeps all bits that matter */
        const emu_node *mid = in[0], *from = mid->in[0];
        const unsigned a = emu_type_size((emu_type)from->type), b = emu_type_size((emu_type)mid->type);
        if (!is_float((emu_type)from->type) && from->type != EMU_BOOL && type != EMU_BOOL && mid->type != EMU_BOOL &&
            b >= a && (a == b || emu_type_size(type) <= a) && emu_type_size(type) <= b)
            return emu_convert(g, type, mid->in[0]);
    }
    if (n != 2 || is_float(type)) return NULL;
    if (emu_is_const(in[1])) return simplify_constant(g, op, type, in[0], in[1]);
    if (emu_is_const(in[0]) && commutes(op)) return emu_binary(g, op, type, in[1], in[0]);
    if (in[0] != in[1]) return NULL;
    if (op == EMU_SUB || op == EMU_XOR) return emu_constant(g, type, 0);
    if (op == EMU_AND || op == EMU_OR || op == EMU_MIN || op == EMU_MAX) return in[0];
    if (op == EMU_EQ || op == EMU_LE) return emu_constant(g, EMU_BOOL, 1);
    return op == EMU_NE || op == EMU_LT ? emu_constant(g, EMU_BOOL, 0) : NULL;
}

emu_node *emu_fold(emu_graph *g, emu_op op, emu_type type, emu_node *const *in, unsigned n)
{
    bool constants = true;
    for (unsigned i = 0; i < n; ++i) constants = constants && emu_is_const(in[i]);
    if (constants) {
        emu_node *r = fold_constants(g, op, type, in, n);
        if (r != NULL) return r;
    }
    return simplify(g, op, type, in, n);
}
