/* The interpreter's atomic operations: lanes come one after the other, so each is a read and a write. */
#include "ir/eval_inner.h"

/* What the element holds after the operation; false where the types do not allow it. */
static bool combine(ir_builtin fn, ir_value old, ir_value a, ir_value *out)
{
    switch ((int)fn) {
    case IR_FN_ATOMIC_ADD: return ir_value_bin(IR_ADD, old, a, out);
    case IR_FN_ATOMIC_SUB: return ir_value_bin(IR_SUB, old, a, out);
    case IR_FN_ATOMIC_MIN: return ir_value_bin(IR_MIN, old, a, out);
    case IR_FN_ATOMIC_MAX: return ir_value_bin(IR_MAX, old, a, out);
    case IR_FN_ATOMIC_AND: return ir_value_bin(IR_BITAND, old, a, out);
    case IR_FN_ATOMIC_OR: return ir_value_bin(IR_BITOR, old, a, out);
    case IR_FN_ATOMIC_XOR: return ir_value_bin(IR_BITXOR, old, a, out);
    default: *out = a; return true;
    }
}

eval_cell eval_atomic(eval_lane at, const ir_call *c)
{
    const ir_load *place = ir_as_load(ir_as_call(c->args.at[0])->args.at[0]);
    ir_type type = place->buffer->type;
    eval_cell p, old = {.i = 0};
    if (!eval_address(at, place->buffer, place->index, 0, &p)) return old;
    if (!eval_read(at, p, type, 0, c->node.at, &old) || c->fn == IR_FN_ATOMIC_LOAD) return old;
    eval_cell a = eval_scalar(at, c->args.at[1]);
    if (c->fn == IR_FN_ATOMIC_CAS) {
        if (a.i == old.i) eval_write(at, p, type, 0, c->node.at, eval_scalar(at, c->args.at[2]));
        return old;
    }
    ir_value fresh;
    if (combine(c->fn, eval_value(type, old), eval_value(type, a), &fresh))
        eval_write(at, p, type, 0, c->node.at, eval_cell_of(fresh));
    else
        eval_fail(at.ev, c->node.at, "'%s' on a type that it does not have", ir_builtins[c->fn].name);
    return old;
}
