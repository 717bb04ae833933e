/* Fixed-point multiplication: T.q_multiply_shift and its form with a shift for each channel. */
#include "front/script_inner.h"
#include "ir/fold.h"

/* An int32 as int64, of `lanes` lanes; NULL: reported. */
static const ir_node *wide(script *s, value v, span at, uint32_t lanes)
{
    const ir_node *n = to_expr(s, v, at);
    if (n == NULL) return NULL;
    if (!ir_type_eq(ir_type_lanes(n->type, 1), IR_I32) || (n->type.lanes != 1 && n->type.lanes != lanes)) {
        script_error(s, at, "fixed-point numbers and their shifts are int32");
        return NULL;
    }
    n = ir_fold_cast(s->mem, ir_type_lanes(IR_I64, n->type.lanes), n);
    return n->type.lanes == lanes ? n : ir_broadcast_new(s->mem, n, lanes);
}

/* The number `v` in every lane of a type like n's. */
static const ir_node *all(script *s, const ir_node *n, int64_t v)
{
    const ir_node *one = ir_int_new(s->mem, IR_I64, v, n->at);
    return n->type.lanes == 1 ? one : ir_broadcast_new(s->mem, one, n->type.lanes);
}

/* x * y / 2^right, the half rounded up, in 64 bits and then cut to 32. */
static value scaled(script *s, const call *c, const ir_node *x, const ir_node *y, const ir_node *right)
{
    int64_t known;
    const ir_node *scalar = right->kind == IR_BROADCAST ? ir_as_broadcast(right)->a : right;
    if (ir_const_value(scalar, &known) && (known < 1 || known > 63))
        return script_error(s, c->at, "T.%s shifts right by %lld bits: it must be 1 to 63", c->row->name, (long long)known);
    const ir_node *product = ir_mul(s->mem, x, y);
    const ir_node *half = ir_fold_bin(s->mem, IR_SHL, all(s, x, 1), ir_sub(s->mem, right, all(s, x, 1)));
    const ir_node *sum = ir_fold_bin(s->mem, IR_SHR, ir_add(s->mem, product, half), right);
    return value_expr(ir_fold_cast(s->mem, ir_type_lanes(IR_I32, x->type.lanes), sum));
}

/* (x, y, q, s): s > 0 shifts x left first, s < 0 the product further right. */
value fn_q_multiply_shift(script *s, const call *c)
{
    const ir_node *first = to_expr(s, c->args[0], c->spans[0]), *args[4];
    for (size_t i = 0; i < 4; ++i) {
        args[i] = first != NULL ? wide(s, c->args[i], c->spans[i], first->type.lanes) : NULL;
        if (args[i] == NULL) return value_poison();
    }
    const ir_node *zero = all(s, args[0], 0), *left = ir_max(s->mem, args[3], zero);
    const ir_node *right = ir_add(s->mem, args[2], ir_max(s->mem, ir_sub(s->mem, zero, args[3]), zero));
    return scaled(s, c, ir_fold_bin(s->mem, IR_SHL, args[0], left), args[1], right);
}

/* (x, y, left, right, q, shifts left?, ...) */
value fn_q_multiply_shift_per_axis(script *s, const call *c)
{
    const ir_node *first = to_expr(s, c->args[0], c->spans[0]), *args[5];
    for (size_t i = 0; i < 5; ++i) {
        args[i] = first != NULL ? wide(s, c->args[i], c->spans[i], first->type.lanes) : NULL;
        if (args[i] == NULL) return value_poison();
    }
    const ir_node *shifts = to_bool(s, c->args[5], c->spans[5]);
    if (shifts == NULL) return value_poison();
    if (shifts->type.lanes != args[0]->type.lanes) shifts = ir_broadcast_new(s->mem, shifts, args[0]->type.lanes);
    const ir_node *moved = ir_fold_bin(s->mem, IR_SHL, args[0], args[2]);
    return scaled(s, c, ir_fold_select(s->mem, shifts, moved, args[0]), args[1], ir_add(s->mem, args[3], args[4]));
}
