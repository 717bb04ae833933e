/* Tables of the IR and the makers of its nodes. */
#include "ir/ir.h"

const ir_op_info ir_ops[] = {
#define IR_OP(NAME, script, prec, result, flags) [IR_##NAME] = {script, prec, IR_RESULT_##result, flags},
#include "ir/ops.def"
#undef IR_OP
};

const ir_builtin_info ir_builtins[] = {
#define IR_BUILTIN(ID, name, least, most, rule, effect, msl)                                       \
    [IR_FN_##ID] = {name, least, most, IR_RULE_##rule, IR_EFFECT_##effect, msl},
#include "ir/builtins.def"
#undef IR_BUILTIN
};

static const char *const scope_texts[] = {
#define IR_SCOPE(NAME, text, what) [IR_SCOPE_##NAME] = text,
#include "ir/scopes.def"
#undef IR_SCOPE
};

ir_builtin ir_builtin_find(str name)
{
    for (unsigned i = 0; i < IR_FN_COUNT; ++i) {
        if (str_is(name, ir_builtins[i].name)) return (ir_builtin)i;
    }
    return IR_FN_COUNT;
}

const char *ir_scope_text(ir_scope scope)
{
    return scope_texts[scope];
}

bool ir_scope_parse(str text, ir_scope *out)
{
    if (text.n == 0) {
        *out = IR_SCOPE_GLOBAL;
        return true;
    }
    for (unsigned i = 0; i < IR_SCOPE_COUNT; ++i) {
        if (!str_is(text, scope_texts[i])) continue;
        *out = (ir_scope)i;
        return true;
    }
    return false;
}

const ir_node *ir_attrs_get(ir_attrs attrs, const char *key)
{
    for (size_t i = 0; i < attrs.n; ++i) {
        if (str_is(attrs.at[i].key, key)) return attrs.at[i].value;
    }
    return NULL;
}

ir_list ir_list_copy(arena *mem, const ir_node *const *at, size_t n)
{
    return (ir_list){n != 0 ? arena_copy(mem, at, n * sizeof *at) : NULL, n};
}

ir_list ir_list_one(arena *mem, const ir_node *n)
{
    return ir_list_copy(mem, &n, 1);
}

const ir_var *ir_var_new(arena *mem, str name, ir_type type, span at)
{
    ir_var *v = arena_new(mem, ir_var);
    *v = (ir_var){.name = name, .type = type, .pointee = IR_VOID, .at = at};
    return v;
}

const ir_var *ir_var_pointer(arena *mem, str name, ir_type pointee, ir_scope scope, span at)
{
    ir_var *v = arena_new(mem, ir_var);
    *v = (ir_var){.name = name, .type = IR_POINTER, .pointee = pointee, .scope = scope, .at = at};
    return v;
}

const ir_node *ir_int_new(arena *mem, ir_type type, int64_t value, span at)
{
    ir_type one = ir_type_element(type);
    const ir_node *n = ir_make(mem, INT_IMM, int_imm, at, one, .value = ir_type_wrap(one, value));
    return type.lanes > 1 ? ir_broadcast_new(mem, n, type.lanes) : n;
}

const ir_node *ir_float_new(arena *mem, ir_type type, double value, span at)
{
    ir_type one = ir_type_element(type);
    const ir_node *n = ir_make(mem, FLOAT_IMM, float_imm, at, one, .value = ir_type_round(one, value));
    return type.lanes > 1 ? ir_broadcast_new(mem, n, type.lanes) : n;
}

const ir_node *ir_string_new(arena *mem, str text, span at)
{
    return ir_make(mem, STRING, string, at, IR_POINTER, .text = text);
}

const ir_node *ir_ref(arena *mem, const ir_var *var, span at)
{
    return ir_make(mem, VAR, var_ref, at, var->type, .var = var);
}

const ir_node *ir_bin_new(arena *mem, ir_op op, const ir_node *a, const ir_node *b)
{
    assert(ir_type_eq(a->type, b->type));
    ir_type type = ir_ops[op].result == IR_RESULT_TRUTH ? ir_type_lanes(IR_B1, a->type.lanes) : a->type;
    return ir_make(mem, BIN, bin, span_join(a->at, b->at), type, .op = op, .a = a, .b = b);
}

const ir_node *ir_not_new(arena *mem, const ir_node *a)
{
    return ir_make(mem, NOT, not, a->at, a->type, .a = a);
}

const ir_node *ir_cast_new(arena *mem, ir_type type, const ir_node *a)
{
    if (ir_type_eq(type, a->type)) return a;
    return ir_make(mem, CAST, cast, a->at, type, .a = a);
}

const ir_node *ir_broadcast_new(arena *mem, const ir_node *a, uint32_t lanes)
{
    return ir_make(mem, BROADCAST, broadcast, a->at, ir_type_lanes(a->type, lanes), .a = a);
}

/* Lanes of an access: the element's times those of each vector index. */
static ir_type access_type(const ir_buffer *b, ir_list index)
{
    uint32_t lanes = b->type.lanes;
    for (size_t i = 0; i < index.n; ++i) lanes *= index.at[i]->type.lanes;
    return ir_type_lanes(b->type, lanes);
}

const ir_node *ir_load_new(arena *mem, const ir_buffer *b, ir_list index, span at)
{
    return ir_make(mem, LOAD, load, at, access_type(b, index), .buffer = b, .index = index);
}

const ir_node *ir_store_new(arena *mem, const ir_buffer *b, ir_list index, const ir_node *value, span at)
{
    return ir_make(mem, STORE, store, at, IR_VOID, .buffer = b, .index = index, .value = value);
}

const ir_node *ir_call_new(arena *mem, ir_builtin fn, ir_type type, ir_list args, span at)
{
    return ir_make(mem, CALL, call, at, type, .fn = fn, .args = args);
}

const ir_node *ir_eval_new(arena *mem, const ir_node *value)
{
    return ir_make(mem, EVAL, eval, value->at, IR_VOID, .value = value);
}

static void flatten(arena *mem, ir_node_vec *out, const ir_node *n)
{
    if (n == NULL) return;
    if (n->kind != IR_SEQ) {
        ir_node_vec_push(mem, out, n);
        return;
    }
    const ir_seq *s = ir_as_seq(n);
    for (size_t i = 0; i < s->body.n; ++i) ir_node_vec_push(mem, out, s->body.at[i]);
}

const ir_node *ir_seq_new(arena *mem, const ir_node *const *at, size_t n, span where)
{
    ir_node_vec flat = {0};
    for (size_t i = 0; i < n; ++i) flatten(mem, &flat, at[i]);
    if (flat.n == 1) return flat.at[0];
    return ir_make(mem, SEQ, seq, where, IR_VOID, .body = ir_list_of(flat));
}

const ir_node *ir_nop(arena *mem)
{
    return ir_make(mem, SEQ, seq, (span){0}, IR_VOID, .body = {0});
}

bool ir_is_nop(const ir_node *n)
{
    return n->kind == IR_SEQ && ir_as_seq(n)->body.n == 0;
}

bool ir_is_const(const ir_node *n, int64_t value)
{
    int64_t v;
    if (n->kind == IR_BROADCAST) n = ir_as_broadcast(n)->a;
    return ir_const_value(n, &v) && v == value;
}

bool ir_const_value(const ir_node *n, int64_t *value)
{
    if (n->kind != IR_INT_IMM) return false;
    *value = ir_as_int_imm(n)->value;
    return true;
}

/* What ir_is_stmt takes for granted. */
enum { EXPR = false, STMT = true };
#define IR_NODE(KIND, name, category, fields) _Static_assert((IR_##KIND >= IR_SEQ) == category, "in its half of nodes.def");
#include "ir/nodes.def"
#undef IR_NODE

bool ir_builtin_is_hint(ir_builtin fn)
{
    return fn == IR_FN_LIKELY || fn == IR_FN_THREAD_INVARIANT;
}
