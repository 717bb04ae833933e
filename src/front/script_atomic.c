/* Atomic operations and votes: calls whose moment matters, so each is a statement of its own. */
#include "front/script_inner.h"

/* ---- Places ---------------------------------------------------------------------------------- */

/* The first element of an access pointer, through a view of what it points into. */
static const ir_node *pointed_to(script *s, const ir_call *p)
{
    ir_type type = IR_VOID;
    bool known = p->args.at[0]->kind == IR_STRING && ir_type_parse(ir_as_string(p->args.at[0])->text, &type) &&
                 p->args.at[1]->kind == IR_VAR;
    if (!known || s->suite == NULL) return NULL;
    const ir_var *data = ir_as_var_ref(p->args.at[1])->var;
    ir_buffer *view = arena_new(s->mem, ir_buffer);
    *view = (ir_buffer){.name = data->name, .data = data, .type = type, .scope = data->scope, .at = p->node.at,
                        .shape = ir_list_one(s->mem, ir_int_new(s->mem, IR_I32, INT32_MAX, p->node.at))};
    suite_emit(s, ir_make(s->mem, DECL, decl, p->node.at, IR_VOID, .buffer = view));
    return ir_load_new(s->mem, view, ir_list_one(s->mem, p->args.at[2]), p->node.at);
}

/* The element that an operation is on: A[i], T.address_of(A[i]), a buffer of one element. NULL: reported. */
static const ir_node *place_of(script *s, const call *c)
{
    value v = c->args[0];
    span at = c->spans[0];
    if (v.kind == VALUE_POISON) return NULL;
    if (v.kind == VALUE_BUFFER || v.kind == VALUE_REGION) {
        bool single = true;
        ir_list shape = v.kind == VALUE_BUFFER ? v.as.buffer->shape : (ir_list){0};
        for (size_t i = 0; i < shape.n; ++i) single = single && ir_is_const(shape.at[i], 1);
        if (v.kind == VALUE_BUFFER && single) return scalar_load(s, v.as.buffer, at);
    }
    const ir_node *n = v.kind == VALUE_BUFFER ? NULL : to_expr(s, v, at);
    if (n != NULL && n->kind == IR_CALL && ir_as_call(n)->fn == IR_FN_ADDRESS_OF)
        n = ir_as_call(n)->args.at[0];
    if (n != NULL && n->kind == IR_CALL && ir_as_call(n)->fn == IR_FN_ACCESS_PTR) {
        const ir_node *element = pointed_to(s, ir_as_call(n));
        if (element != NULL) return element;
    }
    if (n != NULL && n->kind == IR_LOAD && ir_as_load(n)->predicate == NULL) return n;
    if (n != NULL || v.kind == VALUE_BUFFER)
        script_error(s, at, "T.%s is on an element of a buffer: A[i] or T.address_of(A[i])", c->row->name);
    return NULL;
}

static bool has_type(ir_builtin fn, ir_type t)
{
    if (ir_type_is_int(t)) return t.bits == 32 && t.lanes == 1;
    bool bitwise = fn == IR_FN_ATOMIC_AND || fn == IR_FN_ATOMIC_OR || fn == IR_FN_ATOMIC_XOR;
    return ir_type_eq(t, IR_F32) && !bitwise && fn != IR_FN_ATOMIC_CAS;
}

static bool check_place(script *s, const call *c, const ir_node *place)
{
    const ir_buffer *b = ir_as_load(place)->buffer;
    ir_builtin fn = (ir_builtin)c->row->info;
    char text[IR_TYPE_TEXT];
    if (b->scope == IR_SCOPE_LOCAL || b->scope == IR_SCOPE_WARP || b->scope == IR_SCOPE_SIMDGROUP) {
        script_error(s, c->spans[0], "T.%s is for device and threadgroup memory; '%.*s' has the scope \"%s\"",
                     c->row->name, STR_ARG(b->name), ir_scope_text(b->scope));
        return false;
    }
    if (has_type(fn, place->type)) return true;
    script_error(s, c->spans[0], "T.%s is for %s, this is %s", c->row->name,
                 has_type(fn, IR_F32) ? "int32, uint32 and float32" : "int32 and uint32",
                 ir_type_print(place->type, text));
    if (place->type.bits < 32) {
        script_note(s, c->spans[0], "Metal's atomic operations are on 32 bits: keep the value in an element of that size");
    } else if (place->type.bits == 64) {
        script_note(s, c->spans[0], "of 64 bits Metal has max and min of uint64 on some GPUs, without the value before: keep what "
                    "fits in 32 bits there, or one value a threadgroup that a second kernel combines");
    } else if (place->type.lanes > 1) {
        script_note(s, c->spans[0], "an operation a lane is an element at a time");
    }
    return false;
}

/* Metal orders nothing by an atomic operation; a barrier does. */
static bool check_order(script *s, const call *c, size_t order)
{
    value v = c->args[order];
    if (!value_is_given(v)) return true;
    if (v.kind == VALUE_INT && value_integer(v) == 0) return true; /* as C++ numbers the orders */
    if (v.kind == VALUE_STR && (str_is(v.as.text, "relaxed") || str_is(v.as.text, "memory_order_relaxed")))
        return true;
    script_error(s, c->spans[order], "T.%s: Metal's atomic operations have the memory order \"relaxed\" only",
                 c->row->name);
    return false;
}

/* ---- Statements ------------------------------------------------------------------------------ */

const ir_node *script_settle(script *s, const ir_node *n)
{
    if (n->kind != IR_CALL || !ir_is_atomic(ir_as_call(n)->fn)) return n;
    const ir_var *v = ir_var_new(s->mem, STR("before"), n->type, n->at);
    suite_emit(s, ir_make(s->mem, BIND, bind, n->at, IR_VOID, .var = v, .value = n));
    return ir_ref(s->mem, v, n->at);
}

/* The operation as the value of its own statement, or of the statement that the call is all of. */
static value emit_atomic(script *s, const call *c, const ir_node *n)
{
    if (s->suite == NULL)
        return script_error(s, c->at, "T.%s belongs into the body of a function", c->row->name);
    if (s->lazy != 0) {
        return script_error(s, c->at, "T.%s may not be reached here, or more than once: give its value a name in a "
                            "statement before this one", c->row->name);
    }
    if (c->is_whole) return value_expr(n);
    if (!ir_type_is_void(n->type)) return value_expr(script_settle(s, n));
    suite_emit(s, ir_eval_new(s->mem, n));
    return value_none();
}

value fn_atomic(script *s, const call *c)
{
    ir_builtin fn = (ir_builtin)c->row->info;
    size_t operands = ir_builtins[fn].least - 1, order = 1 + operands, stated = order + 2;
    const ir_node *place = place_of(s, c), *args[3];
    if (place == NULL || !check_place(s, c, place) || !check_order(s, c, order)) return value_poison();
    args[0] = ir_call_new(s->mem, IR_FN_ADDRESS_OF, IR_POINTER, ir_list_one(s->mem, place), place->at);
    for (size_t i = 1; i <= operands; ++i) {
        args[i] = to_type(s, c->args[i], place->type, c->spans[i]);
        if (args[i] == NULL) return value_poison();
    }
    ir_type type = fn == IR_FN_ATOMIC_STORE ? IR_VOID : place->type, said;
    if (value_is_given(c->args[stated])) {
        if (!to_dtype(s, c->args[stated], c->spans[stated], &said)) return value_poison();
        if (!ir_type_is_void(type) && !ir_type_eq(said, type)) {
            char text[IR_TYPE_TEXT], given[IR_TYPE_TEXT];
            return script_error(s, c->at, "T.%s gives %s here, not %s", c->row->name, ir_type_print(type, text),
                                ir_type_print(said, given));
        }
    }
    return emit_atomic(s, c, ir_call_new(s->mem, fn, type, ir_list_copy(s->mem, args, 1 + operands), c->at));
}

value atomic_intrin(script *s, const call *c, const name_row *row, size_t first)
{
    size_t operands = ir_builtins[row->info].least;
    if (c->rest_count - first != operands) {
        return script_error(s, c->at, "T.%s takes %zu arguments, not %zu", row->name, operands,
                            c->rest_count - first);
    }
    value args[6];
    span spans[6];
    for (size_t i = 0; i < sizeof args / sizeof *args; ++i) {
        args[i] = i < operands ? c->rest[first + i] : value_of(VALUE_ABSENT);
        spans[i] = i < operands ? c->rest_spans[first + i] : c->at;
    }
    args[operands + 2] = first == 1 ? c->args[1] : c->rest[0];
    call inner = *c;
    inner.row = row;
    inner.args = args;
    inner.spans = spans;
    return fn_atomic(s, &inner);
}

/* ---- Votes ----------------------------------------------------------------------------------- */

static value vote(script *s, const call *c, value predicate, span at)
{
    ir_builtin fn = (ir_builtin)c->row->info;
    const ir_node *n = to_bool(s, predicate, at);
    if (n == NULL) return value_poison();
    if (n->type.lanes != 1) return script_error(s, at, "T.%s takes a scalar condition", c->row->name);
    ir_type type = fn == IR_FN_SIMD_BALLOT ? IR_U32 : IR_B1;
    return value_expr(ir_call_new(s->mem, fn, type, ir_list_one(s->mem, n), c->at));
}

value fn_vote(script *s, const call *c)
{
    return vote(s, c, c->args[0], c->spans[0]);
}

/* CUDA's names take the lanes that vote; on Metal those vote that are here, so they must be all of them. */
value fn_vote_of_mask(script *s, const call *c)
{
    const ir_node *mask = to_expr(s, c->args[0], c->spans[0]);
    if (mask == NULL) return value_poison();
    int64_t bits;
    bool active = mask->kind == IR_CALL && ir_as_call(mask)->fn == IR_FN_ACTIVEMASK;
    bool all = ir_const_value(mask, &bits) && (bits == -1 || bits == 0xffffffff);
    if (!active && !all) {
        return script_error(s, c->spans[0], "T.%s: the mask must be all lanes (0xffffffff) or "
                            "T.tvm_warp_activemask(): Metal has votes of the active lanes only", c->row->name);
    }
    return vote(s, c, c->args[1], c->spans[1]);
}
