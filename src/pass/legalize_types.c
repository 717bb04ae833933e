/* legalize_types: bfloat16, float8 and float4 are stored as their bits, and computed with in float32.
 *
 * Why: MSL has no float8 or float4 in any version, and bfloat only from 3.1 on; bits work everywhere.
 *
 *     C[i] = A[i] + B[i]     # bfloat16     ->     C[i] = bits(round(value(A[i]) + value(B[i])))     # uint16
 *
 * Each operation rounds to the type, as the IR says; float32 holds the exact sum, product or quotient
 * of two such values closely enough for the second rounding to be right. A kernel with bfloat16 matrices of a
 * simdgroup keeps MSL's bfloat, which they need. Left alone: host functions, types that MSL has. */
#include "ir/fold.h"
#include "ir/walk.h"
#include "pass/float4_memory.h"
#include "pass/pass.h"
#include "pass/small_float.h"

typedef struct legalize {
    ir_rewrite r;
    pass_context *cx;
    map vars, buffers; /* old -> new */
    const ir_node *body;
} legalize;

static ir_type wide(ir_type t)
{
    return small_float_known(t) ? ir_type_lanes(IR_F32, t.lanes) : t;
}

/* ---- Variables and buffers ----------------------------------------------------------------------- */

static const ir_var *new_var(ir_rewrite *r, const ir_var *v)
{
    legalize *l = (legalize *)(void *)r;
    bool half = ir_type_is_pointer(v->type) && float4_is_half(v->pointee);
    bool pointer = half || (ir_type_is_pointer(v->type) && small_float_stored(v->pointee));
    if (!pointer && !small_float_known(v->type)) return v;
    const ir_var *known = map_get_id(&l->vars, v);
    if (known != NULL) return known;
    ir_var *fresh = arena_copy(r->mem, v, sizeof *v);
    if (pointer) fresh->pointee = half ? IR_TYPE(IR_UINT, 8) : small_float_bits_type(v->pointee);
    else fresh->type = wide(v->type);
    map_put_id(r->mem, &l->vars, v, fresh);
    return fresh;
}

static const ir_buffer *new_buffer(ir_rewrite *r, const ir_buffer *b)
{
    legalize *l = (legalize *)(void *)r;
    const ir_var *data = new_var(r, b->data);
    bool half = float4_is_half(b->type);
    if (data == b->data && !half && !small_float_stored(b->type)) return b;
    const ir_buffer *known = map_get_id(&l->buffers, b);
    if (known != NULL) return known;
    ir_buffer *fresh = arena_copy(r->mem, b, sizeof *b);
    fresh->data = data;
    if (small_float_stored(b->type)) fresh->type = small_float_bits_type(b->type);
    if (half) {
        fresh->type = IR_TYPE(IR_UINT, 8);
        fresh->shape = ir_list_one(r->mem, float4_bytes(r->mem, b->shape.at[0]));
    }
    map_put_id(r->mem, &l->buffers, b, fresh);
    return fresh;
}

/* ---- Expressions --------------------------------------------------------------------------------- */

static const ir_node *expr(ir_rewrite *r, const ir_node *n);

/* The node, whose fields were rewritten, with its value's new type. */
static const ir_node *retyped(arena *mem, const ir_node *n, ir_type t)
{
    switch ((int)n->kind) {
#define RETYPE(KIND, name)                                                                         \
    case IR_##KIND: {                                                                              \
        ir_##name copy = *ir_as_##name(n);                                                         \
        copy.node.type = t;                                                                        \
        return arena_copy(mem, &copy, sizeof copy);                                                \
    }
        RETYPE(BIN, bin)
        RETYPE(VAR, var_ref)
        RETYPE(SELECT, select)
        RETYPE(BROADCAST, broadcast)
        RETYPE(SHUFFLE, shuffle)
        RETYPE(LET, let)
        RETYPE(CALL, call)
        RETYPE(LOAD, load)
#undef RETYPE
    default: return n;
    }
}

/* Scales are read and moved; what a sum or a conversion would round to, nobody says. */
static void refuse_scale(legalize *l, const ir_node *n)
{
    diag_error(l->cx->diags, n->at, "float8_e8m0fnu can be read, stored as it was read, and converted to other types; there is no "
               "arithmetic on it and no conversion to it");
}

/* Elements of several float4 are accessed whole. */
static bool check_access(legalize *l, const ir_node *n, const ir_buffer *b, ir_list index)
{
    if (b->type.code != IR_FP4_E2M1FN || float4_is_half(b->type)) return true;
    if (small_float_stored(b->type) && index.n == 1 && index.at[0]->type.lanes == 1) return true;
    char text[IR_TYPE_TEXT];
    diag_error(l->cx->diags, n->at, "'%.*s' of %s: memory holds float4_e2m1fn as single elements, or as elements of two or four, "
               "float4_e2m1fnx2 or float4_e2m1fnx4, which are accessed whole", STR_ARG(b->name), ir_type_print(b->type, text));
    return false;
}

static const ir_node *store_halves(legalize *l, const ir_store *n)
{
    const ir_node *index = ir_rewrite_list(&l->r, n->index).at[0], *value = expr(&l->r, n->value);
    const ir_node *out = float4_store(l->r.mem, new_buffer(&l->r, n->buffer), index, value, n->node.at);
    if (out != NULL) return out;
    diag_error(l->cx->diags, n->node.at, "'%.*s': a float4_e2m1fn is half a byte, and storing one would store the other half again, which "
               "another thread may be storing: store two side by side from an even index, with T.vectorized(2) or A[i * 2:i * 2 + 2]",
               STR_ARG(n->buffer->name));
    return &n->node;
}

/* A thread's own memory whose bytes are stored to by halves holds something from the beginning. */
static const ir_node *alloc_halves(legalize *l, const ir_node *n)
{
    const ir_buffer *b = ir_as_alloc(n)->buffer;
    const ir_node *fresh = ir_rewrite_children(&l->r, n);
    if (!float4_stores_halves(l->r.mem, l->body, b)) return fresh;
    const ir_node *both[] = {fresh, float4_clear(l->r.mem, ir_as_alloc(fresh)->buffer, n->at)};
    return ir_seq_new(l->r.mem, both, 2, n->at);
}

static const ir_node *cast(legalize *l, const ir_cast *n)
{
    arena *mem = l->r.mem;
    ir_type from = n->a->type, to = n->node.type;
    const ir_node *a = expr(&l->r, n->a);
    if (!small_float_known(to)) return ir_fold_cast(mem, to, a);
    const ir_node *value = ir_fold_cast(mem, wide(to), a);
    if (to.code == IR_FP8_E8M0FNU && from.code != to.code) refuse_scale(l, &n->node);
    return ir_type_eq(from, to) ? value : small_float_round(mem, to, value);
}

static const ir_node *call(legalize *l, const ir_call *n)
{
    arena *mem = l->r.mem;
    ir_type t = n->node.type;
    if (n->fn == IR_FN_ADDRESS_OF) {
        /* The place itself; what the pointer leads to has another type now. */
        const ir_load *place = ir_as_load(n->args.at[0]);
        if (float4_is_half(place->buffer->type))
            diag_error(l->cx->diags, n->node.at, "'%.*s': there is no address of half a byte", STR_ARG(place->buffer->name));
        ir_load copy = *place;
        copy.buffer = new_buffer(&l->r, place->buffer);
        copy.index = ir_rewrite_list(&l->r, place->index);
        copy.node.type = ir_type_lanes(copy.buffer->type, place->node.type.lanes / place->buffer->type.lanes * copy.buffer->type.lanes);
        return ir_call_new(mem, n->fn, t, ir_list_one(mem, arena_copy(mem, &copy, sizeof copy)), n->node.at);
    }
    const ir_node *fresh = ir_rewrite_children(&l->r, &n->node);
    if (n->fn == IR_FN_REINTERPRET) {
        const ir_node *a = ir_as_call(fresh)->args.at[0];
        if (small_float_known(t)) return small_float_decode(mem, t, a);
        return small_float_known(n->args.at[0]->type)
                   ? ir_fold_call(mem, n->fn, t, ir_list_one(mem, small_float_exact_bits(mem, n->args.at[0]->type, a)), n->node.at)
                   : fresh;
    }
    if (!small_float_known(t)) return fresh;
    fresh = retyped(mem, fresh, wide(t));
    bool computes = ir_builtins[n->fn].rule == IR_RULE_FLOAT;
    if (computes && t.code == IR_FP8_E8M0FNU) refuse_scale(l, &n->node);
    return computes ? small_float_round(mem, t, fresh) : fresh;
}

static const ir_node *expr(ir_rewrite *r, const ir_node *n)
{
    legalize *l = (legalize *)(void *)r;
    if (n->kind == IR_CAST) return cast(l, ir_as_cast(n));
    if (n->kind == IR_CALL) return call(l, ir_as_call(n));
    if (n->kind == IR_FLOAT_IMM && small_float_known(n->type)) {
        return ir_float_new(r->mem, wide(n->type), ir_as_float_imm(n)->value, n->at);
    }
    if (n->kind == IR_STORE && small_float_known(ir_as_store(n)->value->type)) {
        ir_store copy = *ir_as_store(n);
        ir_type t = copy.value->type;
        if (!check_access(l, n, copy.buffer, copy.index)) return n;
        if (float4_is_half(copy.buffer->type)) return store_halves(l, ir_as_store(n));
        copy.buffer = new_buffer(r, copy.buffer);
        copy.index = ir_rewrite_list(r, copy.index);
        copy.value = small_float_exact_bits(r->mem, t, expr(r, copy.value));
        return arena_copy(r->mem, &copy, sizeof copy);
    }
    if (n->kind == IR_LOAD && !check_access(l, n, ir_as_load(n)->buffer, ir_as_load(n)->index)) {
        return ir_float_new(r->mem, wide(n->type), 0.0, n->at);
    }
    if (n->kind == IR_ALLOC && float4_is_half(ir_as_alloc(n)->buffer->type)) return alloc_halves(l, n);
    if (n->kind == IR_LOAD && float4_is_half(ir_as_load(n)->buffer->type)) {
        const ir_load *load = ir_as_load(n);
        return float4_load(r->mem, new_buffer(r, load->buffer), expr(r, load->index.at[0]), n->at);
    }
    const ir_node *fresh = ir_rewrite_children(r, n);
    ir_type t = n->type;
    if (ir_is_stmt(n) || !small_float_known(t)) return fresh;
    if (n->kind == IR_LOAD) {
        const ir_node *bits = retyped(r->mem, fresh, small_float_bits_type(t));
        return small_float_decode(r->mem, t, bits);
    }
    fresh = retyped(r->mem, fresh, wide(t));
    bool rounds = n->kind == IR_BIN && ir_as_bin(n)->op != IR_MIN && ir_as_bin(n)->op != IR_MAX;
    if (rounds && t.code == IR_FP8_E8M0FNU) refuse_scale(l, n);
    return rounds ? small_float_round(r->mem, t, fresh) : fresh;
}

/* ---- Kernels ------------------------------------------------------------------------------------- */

typedef struct type_search {
    bool small, matrices;
} type_search;

static void find_types(void *user, const ir_node *n)
{
    type_search *s = user;
    s->small |= small_float_known(n->type);
    const ir_buffer *b = n->kind == IR_ALLOC ? ir_as_alloc(n)->buffer : n->kind == IR_DECL ? ir_as_decl(n)->buffer : NULL;
    if (b == NULL) return;
    s->small |= small_float_known(b->type);
    s->matrices |= b->scope == IR_SCOPE_SIMDGROUP && b->type.code == IR_BFLOAT;
}

static const ir_func *legalize_func(pass_context *cx, const ir_func *f)
{
    if (f->kind != IR_FUNC_KERNEL) return f;
    type_search s = {false, false};
    ir_each(f->body, find_types, &s);
    legalize l = {.r = {.mem = cx->mem, .node = expr, .var = new_var, .buffer = new_buffer}, .cx = cx, .body = f->body};
    ir_param *params = arena_array(cx->mem, ir_param, f->param_count);
    for (size_t i = 0; i < f->param_count; ++i) {
        params[i] = f->params[i];
        /* A scalar is passed as the float32 that it is; the host widens it. */
        if (!s.matrices) params[i].var = new_var(&l.r, f->params[i].var);
        s.small |= params[i].var != f->params[i].var;
        if (!s.matrices || !small_float_known(f->params[i].var->type)) continue;
        char text[IR_TYPE_TEXT];
        diag_error(cx->diags, f->params[i].var->at, "'%.*s': a scalar of type %s cannot be passed to a kernel with matrices of a simdgroup",
                   STR_ARG(f->params[i].var->name), ir_type_print(f->params[i].var->type, text));
    }
    if (!s.small || s.matrices) return f;
    ir_func *fresh = arena_copy(cx->mem, f, sizeof *f);
    fresh->params = params;
    fresh->body = expr(&l.r, f->body);
    return fresh;
}

const ir_module *pass_legalize_types(pass_context *cx, const ir_module *m)
{
    return pass_each_func(cx, m, legalize_func);
}
