/* The verifier's rules about types: of operands, indices, values and arguments. */
#include "ir/verify_inner.h"

static void need(verifier *v, bool holds, const ir_node *n, const char *rule)
{
    if (!holds) verify_fail(v, n->at, "%s", rule);
}

static bool is_bool_of(ir_type t, uint16_t lanes)
{
    return ir_type_is_bool(t) && (t.lanes == lanes || t.lanes == 1);
}

bool verify_access(verifier *v, const ir_buffer *b, ir_list index, ir_type type, span at)
{
    uint32_t lanes = b->type.lanes;
    if (index.n != b->shape.n) {
        verify_fail(v, at, "'%.*s' has %zu dimensions, indexed with %zu", STR_ARG(b->name),
                    b->shape.n, index.n);
        return false;
    }
    for (size_t i = 0; i < index.n; ++i) {
        if (!ir_type_is_int(index.at[i]->type))
            verify_fail(v, at, "an index of '%.*s' is no integer", STR_ARG(b->name));
        lanes *= index.at[i]->type.lanes;
    }
    if (!ir_type_eq(type, ir_type_lanes(b->type, lanes))) {
        char is[IR_TYPE_TEXT], should[IR_TYPE_TEXT];
        verify_fail(v, at, "an access to '%.*s' has type %s, not %s", STR_ARG(b->name),
                    ir_type_print(type, is), ir_type_print(ir_type_lanes(b->type, lanes), should));
    }
    return true;
}

/* Operands that the operator is defined on. */
static bool takes(ir_op op, ir_type t)
{
    bool number = ir_type_is_int(t) || ir_type_is_float(t),
         whole = ir_type_is_int(t) || ir_type_is_bool(t);
    switch (op) {
    case IR_DIV: return ir_type_is_float(t);
    case IR_ADD:
    case IR_SUB:
    case IR_MUL:
    case IR_MIN:
    case IR_MAX: return number || ir_type_is_bool(t);
    case IR_FLOORDIV:
    case IR_FLOORMOD:
    case IR_TRUNCDIV:
    case IR_TRUNCMOD:
    case IR_SHL:
    case IR_SHR: return ir_type_is_int(t);
    case IR_EQ:
    case IR_NE: return number || whole || ir_type_is_pointer(t);
    case IR_LT:
    case IR_LE:
    case IR_GT:
    case IR_GE: return number || whole;
    case IR_AND:
    case IR_OR: return ir_type_is_bool(t);
    case IR_BITAND:
    case IR_BITXOR:
    case IR_BITOR: return whole;
    }
    return false;
}

static void check_bin(verifier *v, const ir_bin *n)
{
    char a[IR_TYPE_TEXT], b[IR_TYPE_TEXT];
    const ir_op_info *op = &ir_ops[n->op];
    if (!ir_type_eq(n->a->type, n->b->type)) {
        verify_fail(v, n->node.at, "operands of '%s' have types %s and %s", op->script,
                    ir_type_print(n->a->type, a), ir_type_print(n->b->type, b));
        return;
    }
    if (!takes(n->op, n->a->type)) {
        verify_fail(v, n->node.at, "'%s' is not defined on %s", op->script,
                    ir_type_print(n->a->type, a));
    }
    ir_type result =
        op->result == IR_RESULT_TRUTH ? ir_type_lanes(IR_B1, n->a->type.lanes) : n->a->type;
    need(v, ir_type_eq(n->node.type, result), &n->node,
         "an operator's result has another type than its operands give");
}

static void check_constant(verifier *v, const ir_node *n)
{
    if (n->kind == IR_INT_IMM) {
        bool whole = (ir_type_is_int(n->type) || ir_type_is_bool(n->type)) && n->type.lanes == 1;
        int64_t value = ir_as_int_imm(n)->value;
        need(v, whole && ir_type_wrap(n->type, value) == value, n,
             "an integer constant does not fit its type");
        return;
    }
    double value = ir_as_float_imm(n)->value, rounded = ir_type_round(n->type, value);
    bool same = num_double_bits(value) == num_double_bits(rounded) || value != value;
    need(v, ir_type_is_float(n->type) && n->type.lanes == 1 && same, n,
         "a float constant is not rounded to its type");
}

static void check_select(verifier *v, const ir_select *n)
{
    need(v, is_bool_of(n->cond->type, n->node.type.lanes), &n->node,
         "a select's condition must be a bool");
    need(v, ir_type_eq(n->yes->type, n->no->type) && ir_type_eq(n->yes->type, n->node.type),
         &n->node, "a select's arms must have its type");
}

static void check_load(verifier *v, const ir_load *n)
{
    verify_access(v, n->buffer, n->index, n->node.type, n->node.at);
    if (n->predicate == NULL) return;
    need(v, is_bool_of(n->predicate->type, n->node.type.lanes), &n->node,
         "a predicate must be a bool");
}

static void check_shuffle(verifier *v, const ir_shuffle *n)
{
    need(v, n->vectors.n != 0 && n->index.n == n->node.type.lanes, &n->node,
         "a shuffle must have an index a lane");
    for (size_t i = 0; i < n->vectors.n; ++i) {
        ir_type element = ir_type_element(n->vectors.at[i]->type);
        need(v, ir_type_eq(element, ir_type_element(n->node.type)), &n->node,
             "a shuffle's vectors must have its type");
    }
}

static void check_choice(verifier *v, const ir_call *n)
{
    need(v, is_bool_of(n->args.at[0]->type, n->node.type.lanes), &n->node,
         "the condition of if_then_else must be a bool");
    bool same = ir_type_eq(n->args.at[1]->type, n->args.at[2]->type) &&
                ir_type_eq(n->args.at[1]->type, n->node.type);
    need(v, same, &n->node, "the arms of if_then_else must have its type");
}

static void check_atomic(verifier *v, const ir_call *n)
{
    need(v, v->whole == &n->node, &n->node, "an atomic operation within an expression");
    const ir_node *place = n->args.at[0];
    bool address = place->kind == IR_CALL && ir_as_call(place)->fn == IR_FN_ADDRESS_OF &&
                   ir_as_call(place)->args.at[0]->kind == IR_LOAD;
    need(v, address, &n->node, "an atomic operation must be on the address of an element");
    if (!address) return;
    ir_type type = ir_as_call(place)->args.at[0]->type;
    need(v, n->fn == IR_FN_ATOMIC_STORE || ir_type_eq(n->node.type, type), &n->node,
         "an atomic operation must have its element's type");
    for (size_t i = 1; i < n->args.n; ++i) {
        need(v, ir_type_eq(n->args.at[i]->type, type), &n->node,
             "the operands of an atomic operation must have its element's type");
    }
}

static void check_call(verifier *v, const ir_call *n)
{
    const ir_builtin_info *fn = &ir_builtins[n->fn];
    if (n->args.n < fn->least || n->args.n > fn->most) {
        verify_fail(v, n->node.at, "'%s' has %zu arguments", fn->name, n->args.n);
        return;
    }
    ir_type type = n->node.type;
    switch (fn->rule) {
    case IR_RULE_FLOAT:
        need(v, ir_type_is_float(type), &n->node, "a function of floats has another type");
        break;
    case IR_RULE_BOOL:
        need(v, ir_type_is_bool(type), &n->node, "a question has another type than bool");
        break;
    case IR_RULE_I32:
        need(v, ir_type_eq(ir_type_element(type), IR_I32), &n->node,
             "a function that gives int32 has another type");
        break;
    case IR_RULE_VOID:
    case IR_RULE_SAME:
    case IR_RULE_GIVEN: break;
    }
    bool elementwise =
        fn->rule == IR_RULE_FLOAT || fn->rule == IR_RULE_BOOL || fn->rule == IR_RULE_I32;
    for (size_t i = 0; elementwise && i < n->args.n; ++i) {
        need(v, n->args.at[i]->type.lanes == type.lanes, &n->node,
             "a function's arguments must have its lanes");
    }
    if (n->fn == IR_FN_IF_THEN_ELSE) check_choice(v, n);
    if (ir_is_atomic(n->fn)) check_atomic(v, n);
}

void verify_types(verifier *v, const ir_node *n)
{
    switch ((int)n->kind) {
    case IR_INT_IMM:
    case IR_FLOAT_IMM: check_constant(v, n); break;
    case IR_VAR:
        need(v, ir_type_eq(n->type, ir_as_var_ref(n)->var->type), n,
             "a reference has another type than its variable");
        break;
    case IR_BIN: check_bin(v, ir_as_bin(n)); break;
    case IR_NOT:
        need(v, ir_type_is_bool(n->type) && ir_type_eq(n->type, ir_as_not(n)->a->type), n,
             "'not' must be of a bool");
        break;
    case IR_SELECT: check_select(v, ir_as_select(n)); break;
    case IR_CAST:
        need(v, n->type.lanes == ir_as_cast(n)->a->type.lanes, n, "a cast must keep the lanes");
        break;
    case IR_LOAD: check_load(v, ir_as_load(n)); break;
    case IR_RAMP: {
        const ir_ramp *r = ir_as_ramp(n);
        bool same = ir_type_eq(r->base->type, r->stride->type) &&
                    ir_type_eq(r->base->type, ir_type_element(n->type));
        need(v, same && ir_type_is_int(n->type), n,
             "a ramp must be of integer scalars of its type");
        break;
    }
    case IR_BROADCAST:
        need(v, ir_type_eq(ir_as_broadcast(n)->a->type, ir_type_element(n->type)), n,
             "a broadcast must be of a scalar of its type");
        break;
    case IR_SHUFFLE: check_shuffle(v, ir_as_shuffle(n)); break;
    case IR_CALL: check_call(v, ir_as_call(n)); break;
    default: break;
    }
}
