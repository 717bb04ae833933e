/* Promotions and constant folding. */
#include "ir/fold.h"

#include "ir/value.h"
#include "ir/walk.h"

#include <math.h>

/* ---- Promotion ------------------------------------------------------------------------------- */

/* Higher wins; kinds of one rank are told apart by width. */
static int rank(ir_type t)
{
    if (t.code == IR_FLOAT) return 5;
    if (t.code == IR_BFLOAT) return 4;
    if (ir_type_is_small_float(t)) return 3;
    if (ir_type_is_int(t)) return 2;
    return ir_type_is_bool(t) ? 1 : 0;
}

static bool unify_elements(ir_type a, ir_type b, ir_type *out)
{
    int ra = rank(a), rb = rank(b);
    if (ra == 0 || rb == 0) return false;
    if (ra != rb) {
        *out = ra > rb ? a : b;
    } else if (a.bits != b.bits && ra != 3) {
        *out = a.bits > b.bits ? a : b;
    } else if (ra == 2) {
        *out = a.code == IR_UINT ? a : b;
    } else {
        return false;
    }
    return true;
}

bool ir_type_unify(ir_type a, ir_type b, ir_type *out)
{
    uint32_t lanes = a.lanes > b.lanes ? a.lanes : b.lanes;
    if (a.lanes != b.lanes && a.lanes != 1 && b.lanes != 1) return false;
    ir_type x = ir_type_element(a), y = ir_type_element(b), both = x;
    if (!ir_type_eq(x, y) && !unify_elements(x, y, &both)) return false;
    *out = ir_type_lanes(both, lanes);
    return true;
}

bool ir_unify(arena *mem, const ir_node **a, const ir_node **b)
{
    ir_type type;
    if (!ir_type_unify((*a)->type, (*b)->type, &type)) return false;
    *a = ir_fold_cast(mem, type, *a);
    *b = ir_fold_cast(mem, type, *b);
    return true;
}

/* ---- Operators ------------------------------------------------------------------------------- */

static const ir_node *zero_like(arena *mem, const ir_node *a)
{
    return ir_int_new(mem, a->type, 0, a->at);
}

static bool same_variable(const ir_node *a, const ir_node *b)
{
    return a->kind == IR_VAR && b->kind == IR_VAR && ir_as_var_ref(a)->var == ir_as_var_ref(b)->var;
}

/* Identities with a constant on the right; NULL where none holds. */
static const ir_node *int_right(arena *mem, ir_op op, const ir_node *a, ir_value c)
{
    int64_t all_ones = ir_type_wrap(c.type, -1);
    switch ((int)op) {
    case IR_ADD:
    case IR_SUB:
    case IR_BITXOR:
    case IR_SHL:
    case IR_SHR: return c.i == 0 ? a : NULL;
    case IR_BITOR: return c.i == 0 ? a : NULL;
    case IR_BITAND:
        if (c.i == all_ones) return a;
        return c.i == 0 && !ir_has_effect(a) ? zero_like(mem, a) : NULL;
    case IR_MUL:
        if (c.i == 1) return a;
        return c.i == 0 && !ir_has_effect(a) ? zero_like(mem, a) : NULL;
    case IR_FLOORDIV:
    case IR_TRUNCDIV: return c.i == 1 ? a : NULL;
    case IR_FLOORMOD:
    case IR_TRUNCMOD: return c.i == 1 && !ir_has_effect(a) ? zero_like(mem, a) : NULL;
    default: return NULL;
    }
}

/* `x and c`, `c and x` and the like, `c` a bool constant. */
static const ir_node *bool_with(ir_op op, const ir_node *x, const ir_node *constant, bool c,
                                bool c_first)
{
    bool decides = (op == IR_OR) == c;
    if (!decides) return x;
    /* On the left the constant keeps the right side from being evaluated at all. */
    return c_first || !ir_has_effect(x) ? constant : NULL;
}

/* Identities of floats that hold for NaN, infinities and both zeros. */
static const ir_node *float_right(ir_op op, const ir_node *a, ir_value c)
{
    bool negative = signbit(c.f) != 0;
    switch ((int)op) {
    case IR_ADD: return c.f == 0.0 && negative ? a : NULL;
    case IR_SUB: return c.f == 0.0 && !negative ? a : NULL;
    case IR_MUL:
    case IR_DIV: return c.f == 1.0 ? a : NULL;
    case IR_MAX: return isinf(c.f) && negative ? a : NULL;
    case IR_MIN: return isinf(c.f) && !negative ? a : NULL;
    default: return NULL;
    }
}

static const ir_node *with_constant(arena *mem, ir_op op, const ir_node *a, const ir_node *b)
{
    ir_value c;
    if (ir_value_of(b, &c)) {
        if (op == IR_AND || op == IR_OR) return bool_with(op, a, b, c.i != 0, false);
        if (ir_type_is_float(c.type)) return float_right(op, a, c);
        return ir_type_is_int(c.type) ? int_right(mem, op, a, c) : NULL;
    }
    if (!ir_value_of(a, &c)) return NULL;
    if (op == IR_AND || op == IR_OR) return bool_with(op, b, a, c.i != 0, true);
    if ((ir_ops[op].flags & IR_COMMUTES) == 0) return NULL;
    if (ir_type_is_float(c.type)) return float_right(op, b, c);
    return ir_type_is_int(c.type) ? int_right(mem, op, b, c) : NULL;
}

/* `x op x` of an integer variable. */
static const ir_node *with_itself(arena *mem, ir_op op, const ir_node *a)
{
    if (ir_type_is_float(a->type)) return NULL;
    ir_type truth = ir_type_lanes(IR_B1, a->type.lanes);
    switch ((int)op) {
    case IR_SUB:
    case IR_BITXOR: return ir_type_is_int(a->type) ? zero_like(mem, a) : NULL;
    case IR_MIN:
    case IR_MAX:
    case IR_AND:
    case IR_OR:
    case IR_BITAND:
    case IR_BITOR: return a;
    case IR_EQ:
    case IR_LE:
    case IR_GE: return ir_int_new(mem, truth, 1, a->at);
    case IR_NE:
    case IR_LT:
    case IR_GT: return ir_int_new(mem, truth, 0, a->at);
    default: return NULL;
    }
}

const ir_node *ir_fold_bin(arena *mem, ir_op op, const ir_node *a, const ir_node *b)
{
    assert(ir_type_eq(a->type, b->type));
    ir_value x, y, r;
    if (ir_value_of(a, &x) && ir_value_of(b, &y) && ir_value_bin(op, x, y, &r)) {
        return ir_value_node(mem, r, a->type.lanes, span_join(a->at, b->at));
    }
    const ir_node *simpler = with_constant(mem, op, a, b);
    if (simpler == NULL && same_variable(a, b)) simpler = with_itself(mem, op, a);
    if (simpler != NULL) return simpler;
    /* One operation, then a broadcast: fewer lanes to compute. */
    if (a->kind == IR_BROADCAST && b->kind == IR_BROADCAST) {
        const ir_node *p = ir_as_broadcast(a)->a, *q = ir_as_broadcast(b)->a;
        if (p->type.lanes == 1 && q->type.lanes == 1) {
            return ir_broadcast_new(mem, ir_fold_bin(mem, op, p, q), a->type.lanes);
        }
    }
    return ir_bin_new(mem, op, a, b);
}

const ir_node *ir_fold_not(arena *mem, const ir_node *a)
{
    ir_value v;
    if (ir_value_of(a, &v)) return ir_int_new(mem, a->type, v.i == 0, a->at);
    if (a->kind == IR_NOT) return ir_as_not(a)->a;
    return ir_not_new(mem, a);
}

const ir_node *ir_fold_cast(arena *mem, ir_type type, const ir_node *a)
{
    if (type.lanes != a->type.lanes) {
        assert(a->type.lanes == 1);
        const ir_node *one = ir_fold_cast(mem, ir_type_element(type), a);
        return ir_broadcast_new(mem, one, type.lanes);
    }
    if (ir_type_eq(type, a->type)) return a;
    ir_value v, r;
    bool exact;
    if (ir_value_of(a, &v) && ir_value_cast(type, v, &r, &exact) && exact) {
        return ir_value_node(mem, r, type.lanes, a->at);
    }
    if (a->kind == IR_BROADCAST && ir_as_broadcast(a)->a->type.lanes == 1) {
        const ir_node *one = ir_fold_cast(mem, ir_type_element(type), ir_as_broadcast(a)->a);
        return ir_broadcast_new(mem, one, type.lanes);
    }
    return ir_cast_new(mem, type, a);
}

const ir_node *ir_fold_select(arena *mem, const ir_node *cond, const ir_node *yes,
                              const ir_node *no)
{
    assert(ir_type_eq(yes->type, no->type));
    ir_value c;
    if (ir_value_of(cond, &c)) {
        const ir_node *taken = c.i != 0 ? yes : no, *left = c.i != 0 ? no : yes;
        if (!ir_has_effect(left)) return taken;
    }
    if ((yes == no || same_variable(yes, no)) && !ir_has_effect(cond)) return yes;
    span at = span_join(cond->at, no->at);
    return ir_make(mem, SELECT, select, at, yes->type, .cond = cond, .yes = yes, .no = no);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

enum { CALL_ARGS = 3 };

static bool fold_constants(ir_builtin fn, ir_type type, ir_list args, ir_value *out)
{
    ir_value values[CALL_ARGS];
    if (args.n == 0 || args.n > CALL_ARGS) return false;
    for (size_t i = 0; i < args.n; ++i) {
        if (!ir_value_of(args.at[i], &values[i])) return false;
        /* A NaN's payload is not kept in a constant, so its bits cannot be looked at. */
        bool is_nan = ir_type_is_float(values[i].type) && isnan(values[i].f);
        if (fn == IR_FN_REINTERPRET && is_nan) return false;
    }
    if (!ir_value_call(fn, type, values, args.n, out)) return false;
    return !(fn == IR_FN_REINTERPRET && ir_type_is_float(out->type) && isnan(out->f));
}

const ir_node *ir_fold_call(arena *mem, ir_builtin fn, ir_type type, ir_list args, span at)
{
    ir_value v;
    if (fn == IR_FN_IF_THEN_ELSE && args.n == 3 && args.at[0]->type.lanes == 1 &&
        ir_value_of(args.at[0], &v)) {
        return v.i != 0 ? args.at[1] : args.at[2];
    }
    bool pure = ir_builtins[fn].effect == IR_EFFECT_PURE;
    if (pure && fold_constants(fn, type, args, &v) && ir_type_eq(v.type, ir_type_element(type))) {
        return ir_value_node(mem, v, type.lanes, at);
    }
    return ir_call_new(mem, fn, type, args, at);
}

/* ---- Helpers --------------------------------------------------------------------------------- */

static const ir_node *mixed(arena *mem, ir_op op, const ir_node *a, const ir_node *b)
{
    bool mixes = ir_unify(mem, &a, &b);
    assert(mixes);
    (void)mixes;
    return ir_fold_bin(mem, op, a, b);
}

#define HELPER(name, OP)                                                                           \
    const ir_node *name(arena *mem, const ir_node *a, const ir_node *b)                            \
    {                                                                                              \
        return mixed(mem, OP, a, b);                                                               \
    }
HELPER(ir_add, IR_ADD)
HELPER(ir_sub, IR_SUB)
HELPER(ir_mul, IR_MUL)
HELPER(ir_floordiv, IR_FLOORDIV)
HELPER(ir_floormod, IR_FLOORMOD)
HELPER(ir_min, IR_MIN)
HELPER(ir_max, IR_MAX)
HELPER(ir_lt, IR_LT)
HELPER(ir_le, IR_LE)
HELPER(ir_gt, IR_GT)
HELPER(ir_ge, IR_GE)
HELPER(ir_eq, IR_EQ)
HELPER(ir_ne, IR_NE)
HELPER(ir_and, IR_AND)
HELPER(ir_or, IR_OR)
#undef HELPER

const ir_node *ir_i32(arena *mem, int64_t value)
{
    return ir_int_new(mem, IR_I32, value, (span){0});
}

const ir_node *ir_bool(arena *mem, bool value)
{
    return ir_int_new(mem, IR_B1, value, (span){0});
}

const ir_node *ir_int_like(arena *mem, const ir_node *like, int64_t value)
{
    return ir_int_new(mem, like->type, value, (span){0});
}
