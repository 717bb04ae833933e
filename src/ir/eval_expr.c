/* The interpreter's expressions: one lane, one vector element at a time. */
#include "ir/eval_inner.h"

ir_value eval_value(ir_type type, eval_cell c)
{
    ir_value v = {.type = ir_type_element(type)};
    if (ir_type_is_float(type))
        v.f = c.f;
    else
        v.i = c.i;
    return v;
}

eval_cell eval_cell_of(ir_value v)
{
    eval_cell c = {.i = 0};
    if (ir_type_is_float(v.type))
        c.f = v.f;
    else
        c.i = v.i;
    return c;
}

static eval_cell nothing(void)
{
    return (eval_cell){.i = 0};
}

static eval_cell of_int(ir_type type, int64_t i)
{
    return eval_cell_of(ir_value_int(type, i));
}

static eval_cell pointer_compare(eval_lane at, const ir_bin *n, eval_cell a, eval_cell b)
{
    bool same = a.store == b.store && a.copy == b.copy && a.i == b.i;
    if (n->op != IR_EQ && n->op != IR_NE)
        eval_fail(at.ev, n->node.at, "pointers can only be compared with == and !=");
    return of_int(IR_B1, (n->op == IR_EQ) == same);
}

static eval_cell of_bin(eval_lane at, const ir_bin *n, size_t element)
{
    ir_type type = n->a->type;
    eval_cell a = eval_element(at, n->a, element);
    if (n->op == IR_AND && a.i == 0) return of_int(IR_B1, 0);
    if (n->op == IR_OR && a.i != 0) return of_int(IR_B1, 1);
    eval_cell b = eval_element(at, n->b, element);
    if (at.ev->failed) return nothing();
    if (ir_type_is_pointer(type)) return pointer_compare(at, n, a, b);
    ir_value r;
    if (!ir_value_bin(n->op, eval_value(type, a), eval_value(type, b), &r)) {
        bool division = n->op >= IR_FLOORDIV && n->op <= IR_TRUNCMOD;
        eval_fail(at.ev, n->node.at,
                  division ? "division by zero" : "operator '%s' on a type that it does not have",
                  ir_ops[n->op].script);
        return nothing();
    }
    return eval_cell_of(r);
}

static eval_cell of_cast(eval_lane at, const ir_node *n, size_t element)
{
    const ir_node *a = ir_as_cast(n)->a;
    eval_cell c = eval_element(at, a, element);
    if (ir_type_is_pointer(n->type) && ir_type_is_pointer(a->type)) return c;
    ir_value r;
    if (!ir_value_cast(n->type, eval_value(a->type, c), &r, NULL)) {
        eval_fail(at.ev, n->at, "this conversion cannot be interpreted");
        return nothing();
    }
    return eval_cell_of(r);
}

static eval_cell of_load(eval_lane at, const ir_load *n, size_t element)
{
    eval_cell p, value = nothing();
    size_t parts = n->buffer->type.lanes, which = element / parts;
    const ir_node *on = n->predicate;
    if (on != NULL && eval_element(at, on, on->type.lanes > 1 ? which : 0).i == 0) return nothing();
    if (!eval_address(at, n->buffer, n->index, which, &p)) return nothing();
    return eval_read(at, p, n->buffer->type, element % parts, n->node.at, &value) ? value
                                                                                  : nothing();
}

static eval_cell of_ramp(eval_lane at, const ir_ramp *n, size_t element)
{
    ir_value base = eval_value(n->base->type, eval_scalar(at, n->base)), stride, r;
    stride = eval_value(n->stride->type, eval_scalar(at, n->stride));
    r = ir_value_int(base.type, (int64_t)((uint64_t)base.i + (uint64_t)stride.i * element));
    return eval_cell_of(r);
}

static eval_cell of_shuffle(eval_lane at, const ir_shuffle *n, size_t element)
{
    int64_t lane = eval_scalar(at, n->index.at[element]).i;
    for (size_t i = 0; i < n->vectors.n && lane >= 0; ++i) {
        int64_t lanes = n->vectors.at[i]->type.lanes;
        if (lane < lanes) return eval_element(at, n->vectors.at[i], (size_t)lane);
        lane -= lanes;
    }
    eval_fail(at.ev, n->node.at, "a shuffle takes a lane that is not there");
    return nothing();
}

static eval_cell of_let(eval_lane at, const ir_let *n, size_t element)
{
    for (size_t i = 0; i < n->value->type.lanes; ++i) {
        eval_set(at.ev, n->var, at.lane, i, eval_element(at, n->value, i));
    }
    return eval_element(at, n->body, element);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static eval_cell of_math(eval_lane at, const ir_call *n, size_t element)
{
    ir_value args[3], r;
    if (n->args.n > 3) {
        eval_fail(at.ev, n->node.at, "'%s' cannot be interpreted", ir_builtins[n->fn].name);
        return nothing();
    }
    for (size_t i = 0; i < n->args.n; ++i) {
        const ir_node *a = n->args.at[i];
        args[i] = eval_value(a->type, eval_element(at, a, a->type.lanes > 1 ? element : 0));
    }
    if (at.ev->failed) return nothing();
    if (!ir_value_call(n->fn, n->node.type, args, n->args.n, &r)) {
        eval_fail(at.ev, n->node.at, "'%s' cannot be interpreted on these arguments",
                  ir_builtins[n->fn].name);
        return nothing();
    }
    return eval_cell_of(r);
}

/* Same bits, other type, also where the lanes differ: (uint8x4 as uint32). */
static eval_cell of_reinterpret(eval_lane at, const ir_call *n, size_t element)
{
    const ir_node *a = n->args.at[0];
    unsigned to = n->node.type.bits, from = a->type.bits;
    if (to == from) return of_math(at, n, element);
    uint64_t bits = 0;
    bool whole =
        to % 8 == 0 && from % 8 == 0 && ir_type_bytes(a->type) == ir_type_bytes(n->node.type);
    if (!whole) eval_fail(at.ev, n->node.at, "reinterpret between types of different sizes");
    for (unsigned i = 0; whole && i < to; i += from < to ? from : to) {
        size_t bit = element * to + i;
        uint64_t part = ir_value_bits(eval_value(a->type, eval_element(at, a, bit / from)));
        bits |= (part >> (bit % from)) << i;
    }
    return eval_cell_of(ir_value_from_bits(n->node.type, bits));
}

static eval_cell of_choice(eval_lane at, const ir_call *n, size_t element)
{
    const ir_node *cond = n->args.at[0];
    bool yes = eval_element(at, cond, cond->type.lanes > 1 ? element : 0).i != 0;
    return eval_element(at, n->args.at[yes ? 1 : 2], element);
}

static eval_cell of_pointer(eval_lane at, const ir_call *n)
{
    eval_cell p = nothing();
    if (n->fn == IR_FN_ADDRESS_OF) {
        if (n->args.at[0]->kind != IR_LOAD) {
            eval_fail(at.ev, n->node.at, "address_of takes an element of a buffer");
            return p;
        }
        const ir_load *l = ir_as_load(n->args.at[0]);
        return eval_address(at, l->buffer, l->index, 0, &p) ? p : nothing();
    }
    if (n->fn == IR_FN_BYTE_OFFSET) {
        p = eval_scalar(at, n->args.at[0]);
        p.i += eval_scalar(at, n->args.at[1]).i;
        return p;
    }
    ir_type type;
    if (n->args.at[0]->kind != IR_STRING || !ir_type_parse(ir_as_string(n->args.at[0])->text, &type)) {
        eval_fail(at.ev, n->node.at, "a pointer to elements of no type");
        return p;
    }
    p = eval_scalar(at, n->args.at[1]);
    p.i += eval_scalar(at, n->args.at[2]).i * (int64_t)ir_type_bytes(type);
    return p;
}

static eval_cell of_call(eval_lane at, const ir_call *n, size_t element)
{
    switch ((int)n->fn) {
    case IR_FN_IF_THEN_ELSE: return of_choice(at, n, element);
    case IR_FN_REINTERPRET: return of_reinterpret(at, n, element);
    case IR_FN_ADDRESS_OF:
    case IR_FN_BYTE_OFFSET:
    case IR_FN_ACCESS_PTR: return of_pointer(at, n);
    case IR_FN_SHUFFLE:
    case IR_FN_SHUFFLE_UP:
    case IR_FN_SHUFFLE_DOWN:
    case IR_FN_SHUFFLE_XOR:
    case IR_FN_SIMD_SHUFFLE:
    case IR_FN_SIMD_SHUFFLE_UP:
    case IR_FN_SIMD_SHUFFLE_DOWN:
    case IR_FN_SIMD_SHUFFLE_XOR: return eval_shuffle(at, n, element);
    case IR_FN_ACTIVEMASK: return eval_active(at);
    case IR_FN_SIMD_ANY:
    case IR_FN_SIMD_ALL:
    case IR_FN_SIMD_BALLOT: return eval_vote(at, n);
    default: return ir_is_atomic(n->fn) ? eval_atomic(at, n) : of_math(at, n, element);
    }
}

/* ---- All kinds ------------------------------------------------------------------------------- */

static eval_cell of_kind(eval_lane at, const ir_node *n, size_t element)
{
    eval_cell c = nothing();
    switch ((int)n->kind) {
    case IR_INT_IMM: return of_int(n->type, ir_as_int_imm(n)->value);
    case IR_FLOAT_IMM: c.f = ir_as_float_imm(n)->value; return c;
    case IR_VAR: return eval_get(at, ir_as_var_ref(n)->var, element, n->at, &c) ? c : nothing();
    case IR_BIN: return of_bin(at, ir_as_bin(n), element);
    case IR_NOT: return of_int(IR_B1, eval_element(at, ir_as_not(n)->a, element).i == 0);
    case IR_SELECT: {
        const ir_select *s = ir_as_select(n);
        bool yes = eval_element(at, s->cond, s->cond->type.lanes > 1 ? element : 0).i != 0;
        return eval_element(at, yes ? s->yes : s->no, element);
    }
    case IR_CAST: return of_cast(at, n, element);
    case IR_LOAD: return of_load(at, ir_as_load(n), element);
    case IR_RAMP: return of_ramp(at, ir_as_ramp(n), element);
    case IR_BROADCAST:
        return eval_element(at, ir_as_broadcast(n)->a, element % ir_as_broadcast(n)->a->type.lanes);
    case IR_SHUFFLE: return of_shuffle(at, ir_as_shuffle(n), element);
    case IR_LET: return of_let(at, ir_as_let(n), element);
    case IR_CALL: return of_call(at, ir_as_call(n), element);
    default: eval_fail(at.ev, n->at, "this expression has no value by itself"); return c;
    }
}

enum { EVAL_DEPTH = 2000 };

eval_cell eval_element(eval_lane at, const ir_node *n, size_t element)
{
    if (at.ev->failed) return nothing();
    if (at.ev->depth >= EVAL_DEPTH) {
        eval_fail(at.ev, n->at, "nested too deeply to interpret");
        return nothing();
    }
    ++at.ev->depth;
    eval_cell c = of_kind(at, n, element);
    --at.ev->depth;
    return c;
}
