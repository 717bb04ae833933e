/* Atomic operations: Metal's own function where it has one, else one of ours before the kernel, which tries
 * again until no other thread came in between. */
#include "msl/emitter.h"

static const ir_load *place_of(const ir_call *n)
{
    return ir_as_load(ir_as_call(n->args.at[0])->args.at[0]);
}

static const char *space_of(const ir_call *n)
{
    return msl_space(place_of(n)->buffer->data->scope);
}

/* Metal has integers' operations everywhere, floats' sum only from MSL 3.0 on and in device memory, and no
 * compare-and-exchange that succeeds whenever it can. */
static bool needs_helper(const ir_call *n)
{
    if (n->fn == IR_FN_ATOMIC_CAS) return true;
    bool computes = n->fn == IR_FN_ATOMIC_ADD || n->fn == IR_FN_ATOMIC_SUB || n->fn == IR_FN_ATOMIC_MIN ||
                    n->fn == IR_FN_ATOMIC_MAX;
    return computes && ir_type_is_float(n->node.type);
}

static str helper_key(emitter *e, const ir_call *n)
{
    const char *type = n->node.type.code == IR_UINT ? "uint" : n->node.type.code == IR_INT ? "int" : "float";
    return str_format(e->mem, "%s %s %s", ir_builtins[n->fn].name, type, space_of(n));
}

/* ---- Functions before the kernel ---------------------------------------------------------------- */

static void cas_helper(emitter *e, const char *name, const char *space, const char *type)
{
    buf_printf(&e->out, "inline %s %s(%s %s* place, %s expected, %s desired)\n{\n", type, name, space, type, type, type);
    buf_printf(&e->out, "  %s atomic_%s* at = (%s atomic_%s*)place;\n  %s seen = expected;\n", space, type, space, type,
               type);
    buf_text(&e->out, "  /* A weak exchange may fail although it need not: then it has seen what was expected. */\n"
                      "  while (!atomic_compare_exchange_weak_explicit(at, &seen, desired, memory_order_relaxed, "
                      "memory_order_relaxed) &&\n         seen == expected) {\n  }\n  return seen;\n}\n\n");
}

/* What the element becomes, from `old` and `value`. NaN stays; of two zeros the sign decides. */
static const char *float_step(ir_builtin fn)
{
    switch ((int)fn) {
    case IR_FN_ATOMIC_ADD: return "old + value";
    case IR_FN_ATOMIC_SUB: return "old - value";
    case IR_FN_ATOMIC_MIN:
        return "old < value ? old : value < old ? value : as_type<float>(seen | as_type<uint>(value))";
    default:
        return "old > value ? old : value > old ? value : old == value ? "
               "as_type<float>(seen & as_type<uint>(value)) : old + value";
    }
}

static void float_helper(emitter *e, const ir_call *n, const char *name, const char *space)
{
    buf_printf(&e->out, "inline float %s(%s float* place, float value)\n{\n", name, space);
    bool native = (n->fn == IR_FN_ATOMIC_ADD || n->fn == IR_FN_ATOMIC_SUB) && str_is(str_of(space), "device");
    if (native) {
        buf_printf(&e->out, "#if __METAL_VERSION__ >= 300\n  return atomic_fetch_%s_explicit((device atomic_float*)place, "
                   "value, memory_order_relaxed);\n#else\n", n->fn == IR_FN_ATOMIC_ADD ? "add" : "sub");
    }
    buf_printf(&e->out, "  %s atomic_uint* at = (%s atomic_uint*)place;\n", space, space);
    buf_text(&e->out, "  uint seen = atomic_load_explicit(at, memory_order_relaxed);\n"
                      "  while (true) {\n    const float old = as_type<float>(seen);\n");
    buf_printf(&e->out, "    const float next = %s;\n", float_step(n->fn));
    buf_text(&e->out, "    if (atomic_compare_exchange_weak_explicit(at, &seen, as_type<uint>(next), memory_order_relaxed,\n"
                      "                                              memory_order_relaxed)) {\n"
                      "      return old;\n    }\n  }\n");
    if (native) buf_text(&e->out, "#endif\n");
    buf_text(&e->out, "}\n\n");
}

static void note_call(void *user, const ir_node *node)
{
    emitter *e = user;
    if (node->kind != IR_CALL || !ir_is_atomic(ir_as_call(node)->fn)) return;
    const ir_call *n = ir_as_call(node);
    const char *space = space_of(n);
    if (str_is(str_of(space), "thread")) {
        diag_error(e->diags, node->at, "T.%s: '%.*s' is each thread's own memory here: atomic operations are for device "
                   "and threadgroup memory", ir_builtins[n->fn].name, STR_ARG(place_of(n)->buffer->name));
        return;
    }
    if (!needs_helper(n)) return;
    str key = helper_key(e, n);
    if (map_get(&e->helpers, key) != NULL) return;
    bool cas = n->fn == IR_FN_ATOMIC_CAS;
    const char *op = ir_builtins[n->fn].name; /* atomic_add */
    const char *name = msl_fresh_name(e, str_format(e->mem, cas ? "%s" : "%s_float", op));
    map_put(e->mem, &e->helpers, key, name);
    if (cas) cas_helper(e, name, space, msl_type_or_error(e, node->type, node->at));
    else float_helper(e, n, name, space);
}

void msl_atomic_helpers(emitter *e, const ir_node *body)
{
    ir_each(body, note_call, e);
}

/* ---- Calls -------------------------------------------------------------------------------------- */

static const char *metal_name(ir_builtin fn)
{
    switch ((int)fn) {
    case IR_FN_ATOMIC_LOAD: return "atomic_load_explicit";
    case IR_FN_ATOMIC_STORE: return "atomic_store_explicit";
    case IR_FN_ATOMIC_ADD: return "atomic_fetch_add_explicit";
    case IR_FN_ATOMIC_SUB: return "atomic_fetch_sub_explicit";
    case IR_FN_ATOMIC_MIN: return "atomic_fetch_min_explicit";
    case IR_FN_ATOMIC_MAX: return "atomic_fetch_max_explicit";
    case IR_FN_ATOMIC_AND: return "atomic_fetch_and_explicit";
    case IR_FN_ATOMIC_OR: return "atomic_fetch_or_explicit";
    case IR_FN_ATOMIC_XOR: return "atomic_fetch_xor_explicit";
    default: return "atomic_exchange_explicit";
    }
}

void msl_atomic(emitter *e, const ir_call *n)
{
    const ir_load *place = place_of(n);
    const char *helper = needs_helper(n) ? map_get(&e->helpers, helper_key(e, n)) : NULL;
    if (helper != NULL) {
        buf_printf(&e->out, "%s(", helper);
        msl_expr(e, n->args.at[0], MSL_LOWEST);
        for (size_t i = 1; i < n->args.n; ++i) {
            buf_text(&e->out, ", ");
            msl_expr(e, n->args.at[i], MSL_LOWEST + 1);
        }
        buf_char(&e->out, ')');
        return;
    }
    /* Floats are moved as their bits, which every version of the language can. */
    ir_type type = place->node.type;
    bool as_bits = ir_type_is_float(type);
    const char *name = as_bits ? "uint" : msl_type_or_error(e, type, n->node.at);
    if (as_bits && n->fn != IR_FN_ATOMIC_STORE) buf_text(&e->out, "as_type<float>(");
    buf_printf(&e->out, "%s((%s atomic_%s*)", metal_name(n->fn), space_of(n), name);
    msl_expr(e, n->args.at[0], MSL_UNARY);
    for (size_t i = 1; i < n->args.n; ++i) {
        buf_text(&e->out, as_bits ? ", as_type<uint>(" : ", ");
        msl_expr(e, n->args.at[i], MSL_LOWEST + 1);
        if (as_bits) buf_char(&e->out, ')');
    }
    buf_text(&e->out, ", memory_order_relaxed)");
    if (as_bits && n->fn != IR_FN_ATOMIC_STORE) buf_char(&e->out, ')');
}
