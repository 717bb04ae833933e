/* Rules for integer vectors: arithmetic on ramps and broadcasts is done on their bases and strides.
 */
#include "ir/fold.h"
#include "ir/simplify.h"
#include "ir/simplify_rules.h"

/* base + stride * lane; stride NULL: all lanes equal. */
typedef struct row {
    const ir_node *base, *stride;
} row;

static bool row_of(const ir_node *n, row *out)
{
    if (n->kind == IR_BROADCAST) {
        *out = (row){ir_as_broadcast(n)->a, NULL};
        return out->base->type.lanes == 1;
    }
    if (n->kind != IR_RAMP) return false;
    *out = (row){ir_as_ramp(n)->base, ir_as_ramp(n)->stride};
    return out->base->type.lanes == 1 && ir_type_eq(out->base->type, out->stride->type);
}

static const ir_node *row_node(ir_analyzer *az, const ir_node *base, const ir_node *stride,
                               uint32_t lanes)
{
    base = ir_simplify(az, base);
    if (stride != NULL) stride = ir_simplify(az, stride);
    if (stride == NULL || ir_is_const(stride, 0)) return ir_broadcast_new(az->mem, base, lanes);
    return ir_make(az->mem, RAMP, ramp, base->at, ir_type_lanes(base->type, lanes), .base = base,
                   .stride = stride);
}

/* Lane by lane modulo 2^bits, so that wrapping needs no thought. NULL: not of this form. */
static const ir_node *add_rows(ir_analyzer *az, ir_op op, row a, row b, uint32_t lanes)
{
    arena *mem = az->mem;
    const ir_node *base = ir_fold_bin(mem, op, a.base, b.base), *stride = NULL;
    if (op == IR_MUL) {
        if (a.stride != NULL && b.stride != NULL) return NULL;
        if (a.stride != NULL) stride = ir_fold_bin(mem, op, a.stride, b.base);
        if (b.stride != NULL) stride = ir_fold_bin(mem, op, b.stride, a.base);
        return row_node(az, base, stride, lanes);
    }
    const ir_node *zero = ir_int_like(mem, a.base, 0);
    if (a.stride != NULL || b.stride != NULL) {
        stride = ir_fold_bin(mem, op, a.stride != NULL ? a.stride : zero,
                             b.stride != NULL ? b.stride : zero);
    }
    return row_node(az, base, stride, lanes);
}

/* A ramp of constant stride divided by a positive constant, where no lane crosses into another
 * quotient or each does by whole ones. */
static const ir_node *divide_row(ir_analyzer *az, ir_op op, row a, int64_t c, const ir_node *whole)
{
    int64_t s, last = (int64_t)whole->type.lanes - 1;
    if (!ir_const_value(a.stride, &s) || s < 0 || s > (int64_t)1 << 31) return NULL;
    const ir_node *divisor = ir_int_like(az->mem, a.base, c);
    const ir_node *base = ir_fold_bin(az->mem, op, a.base, divisor);
    ir_span lanes = {0, s * last, true}, first = ir_span_of(az, a.base);
    int64_t end = 0;
    /* The last lane must not have wrapped. */
    bool known = first.max != IR_POS_INF && ir_add_exact(first.max, lanes.max, &end);
    if (known ? end > ir_type_max(a.base->type) : !ir_span_fits(first, a.base->type)) return NULL;
    bool quotient = op == IR_FLOORDIV;
    if (s % c == 0) {
        return row_node(az, base, quotient ? ir_int_like(az->mem, a.base, s / c) : NULL,
                        (uint32_t)last + 1);
    }
    ir_modular_set m = ir_modular(az, a.base);
    if (m.coeff % c != 0 || ir_mod_floor(m.base, c) + s * last >= c) return NULL;
    return row_node(az, base, quotient ? NULL : a.stride, (uint32_t)last + 1);
}

/* The lane of a ramp of constant stride where it is least or most; NULL where not known. */
static const ir_node *extreme(ir_analyzer *az, row r, uint32_t lanes, bool most)
{
    int64_t s;
    if (r.stride == NULL) return r.base;
    if (!ir_const_value(r.stride, &s)) return NULL;
    if ((s < 0) == most) return r.base;
    const ir_node *last = ir_int_like(az->mem, r.base, s * ((int64_t)lanes - 1));
    return ir_simplify(az, ir_fold_bin(az->mem, IR_ADD, r.base, last));
}

/* Whether the order holds (or fails) for all lanes. */
static int decide_rows(ir_analyzer *az, ir_op op, row a, row b, uint32_t lanes)
{
    bool up = op == IR_LT || op == IR_LE;
    const ir_node *worst_a = extreme(az, a, lanes, up), *worst_b = extreme(az, b, lanes, !up);
    const ir_node *best_a = extreme(az, a, lanes, !up), *best_b = extreme(az, b, lanes, up);
    if (worst_a == NULL || worst_b == NULL || best_a == NULL || best_b == NULL) return -1;
    /* In between no lane may have wrapped: the ends must be numbers. */
    ir_linear l;
    bool exact = ir_linear_exact(az, worst_a, &l) && ir_linear_exact(az, best_a, &l) &&
                 ir_linear_exact(az, worst_b, &l) && ir_linear_exact(az, best_b, &l);
    if (!exact) return -1;
    if (ir_decide_compare(az, op, worst_a, worst_b) == 1) return 1;
    return ir_decide_compare(az, op, best_a, best_b) == 0 ? 0 : -1;
}

const ir_node *ir_simplify_vector(ir_analyzer *az, ir_op op, const ir_node *a, const ir_node *b)
{
    row x, y;
    int64_t c;
    uint32_t lanes = a->type.lanes;
    const ir_node *made = NULL;
    if (row_of(a, &x) && row_of(b, &y)) {
        if (op == IR_ADD || op == IR_SUB || op == IR_MUL) {
            made = add_rows(az, op, x, y, lanes);
        } else if ((op == IR_FLOORDIV || op == IR_FLOORMOD) && x.stride != NULL &&
                   y.stride == NULL && ir_const_value(y.base, &c) && c > 0) {
            made = divide_row(az, op, x, c, a);
        } else if (op == IR_LT || op == IR_LE || op == IR_GT || op == IR_GE) {
            int known = decide_rows(az, op, x, y, lanes);
            if (known >= 0) made = ir_int_new(az->mem, ir_type_lanes(IR_B1, lanes), known, a->at);
        }
    }
    return made != NULL ? made : ir_fold_bin(az->mem, op, a, b);
}
