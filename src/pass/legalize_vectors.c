/* legalize_vectors: vectors of more than four lanes become pieces of up to four.
 *
 * Why: MSL's vectors have two to four lanes.
 *
 *     B[T.ramp(i * 8, 1, 8)] =                ->      B[T.ramp(i * 8, 1, 4)] = A[T.ramp(i * 8, 1, 4)]
 *         A[T.ramp(i * 8, 1, 8)]                      B[T.ramp(i * 8 + 4, 1, 4)] = A[T.ramp(i * 8 + 4, 1, 4)]
 *
 * All pieces of a value are computed before the first is stored, as the store may overwrite what they read.
 * A buffer whose elements are vectors of other than 2 or 4 lanes, or of bools, becomes one of their lanes, since
 * MSL pads or packs such vectors in other ways. Left alone: host functions, vectors of up to four lanes. */
#include "ir/fold.h"
#include "ir/walk.h"
#include "pass/index.h"
#include "pass/pass.h"

enum { WIDEST = 4 };

typedef struct pieces {
    ir_rewrite r;
    pass_context *cx;
    map vars;          /* pointer of such a buffer -> the new one */
    map buffers;       /* old -> new */
    map bound;         /* variable of a wide vector -> const ir_var *[], one a piece */
} pieces;

static uint32_t piece_count(ir_type t)
{
    return (t.lanes + WIDEST - 1u) / WIDEST;
}

static uint32_t piece_lanes(ir_type t, uint32_t k)
{
    uint32_t left = t.lanes - k * WIDEST;
    return left < WIDEST ? left : WIDEST;
}

/* ---- Buffers of odd vectors ---------------------------------------------------------------------- */

static bool is_odd(ir_type t)
{
    return t.lanes > 1 && ((t.lanes != 2 && t.lanes != 4) || t.code == IR_BOOL);
}

static const ir_var *new_var(ir_rewrite *r, const ir_var *v)
{
    pieces *p = (pieces *)(void *)r;
    if (!ir_type_is_pointer(v->type) || !is_odd(v->pointee)) return v;
    const ir_var *known = map_get_id(&p->vars, v);
    if (known != NULL) return known;
    ir_var *fresh = arena_copy(r->mem, v, sizeof *v);
    fresh->pointee = ir_type_element(v->pointee);
    map_put_id(r->mem, &p->vars, v, fresh);
    return fresh;
}

static const ir_buffer *new_buffer(ir_rewrite *r, const ir_buffer *b)
{
    pieces *p = (pieces *)(void *)r;
    const ir_var *data = new_var(r, b->data);
    if (data == b->data && !is_odd(b->type)) return b;
    const ir_buffer *known = map_get_id(&p->buffers, b);
    if (known != NULL) return known;
    ir_buffer *fresh = arena_copy(r->mem, b, sizeof *b);
    fresh->data = data;
    if (is_odd(b->type)) {
        fresh->type = ir_type_element(b->type);
        int64_t n;
        const ir_node *extent = b->shape.n == 1 ? b->shape.at[0] : NULL;
        if (extent != NULL && ir_const_value(extent, &n) && n < INT32_MAX / b->type.lanes) {
            fresh->shape = ir_list_one(r->mem, ir_int_like(r->mem, extent, n * b->type.lanes));
        }
    }
    map_put_id(r->mem, &p->buffers, b, fresh);
    return fresh;
}

/* The index of the lanes of element `index`, where the buffer's elements became their lanes. */
static const ir_node *lanes_index(pieces *p, const ir_buffer *old, const ir_node *index)
{
    if (!is_odd(old->type)) return index;
    arena *mem = p->r.mem;
    const ir_node *base = ir_mul(mem, index, ir_int_like(mem, index, old->type.lanes));
    return ir_make(mem, RAMP, ramp, index->at, ir_type_lanes(index->type, old->type.lanes), .base = base,
                   .stride = ir_int_like(mem, index, 1));
}

/* ---- Expressions --------------------------------------------------------------------------------- */

static const ir_node *expr(ir_rewrite *r, const ir_node *n);
static const ir_node *piece(pieces *p, const ir_node *n, uint32_t k);

static const ir_node *refuse(pieces *p, const ir_node *n)
{
    char text[IR_TYPE_TEXT];
    diag_error(p->cx->diags, n->at, "Cannot convert type %s to Metal type: this expression cannot be computed in pieces of four lanes",
               ir_type_print(n->type, text));
    return ir_int_new(p->r.mem, ir_type_lanes(IR_I32, WIDEST), 0, n->at);
}

static const ir_node *piece_of_ramp(pieces *p, const ir_ramp *n, uint32_t k)
{
    arena *mem = p->r.mem;
    const ir_node *skip = ir_mul(mem, n->stride, ir_int_like(mem, n->stride, k * WIDEST));
    uint32_t lanes = piece_lanes(n->node.type, k);
    const ir_node *base = ir_add(mem, expr(&p->r, n->base), skip);
    if (lanes == 1) return base;
    return ir_make(mem, RAMP, ramp, n->node.at, ir_type_lanes(n->node.type, lanes), .base = base, .stride = n->stride);
}

static const ir_node *piece_of_load(pieces *p, const ir_load *n, uint32_t k)
{
    arena *mem = p->r.mem;
    if (n->index.n != 1 || n->predicate != NULL) return refuse(p, &n->node);
    const ir_node *index = n->index.at[0];
    if (index->type.lanes == 1 && is_odd(n->buffer->type)) {
        index = lanes_index(p, n->buffer, expr(&p->r, index));
    } else if (n->buffer->type.lanes != 1) {
        return refuse(p, &n->node); /* several elements of several lanes */
    }
    return ir_load_new(mem, new_buffer(&p->r, n->buffer), ir_list_one(mem, piece(p, index, k)), n->node.at);
}

/* Every lane from a source of its own, which are numbered one after the other. */
static const ir_node *piece_of_shuffle(pieces *p, const ir_shuffle *n, uint32_t k)
{
    arena *mem = p->r.mem;
    ir_node_vec vectors = {0}, index = {0};
    uint32_t lanes = piece_lanes(n->node.type, k);
    int64_t before = 0;
    for (uint32_t i = 0; i < lanes; ++i) {
        int64_t pick;
        if (!ir_const_value(n->index.at[k * WIDEST + i], &pick) || pick < 0) return refuse(p, &n->node);
        size_t from = 0;
        while (from + 1 < n->vectors.n && pick >= n->vectors.at[from]->type.lanes) pick -= n->vectors.at[from++]->type.lanes;
        const ir_node *source = n->vectors.at[from];
        bool wide = source->type.lanes > WIDEST;
        source = wide ? piece(p, source, (uint32_t)(pick / WIDEST)) : expr(&p->r, source);
        ir_node_vec_push(mem, &index, ir_i32(mem, before + (wide ? pick % WIDEST : pick)));
        ir_node_vec_push(mem, &vectors, source);
        before += source->type.lanes;
    }
    return ir_make(mem, SHUFFLE, shuffle, n->node.at, ir_type_lanes(n->node.type, lanes), .vectors = ir_list_of(vectors),
                   .index = ir_list_of(index));
}

static const ir_node *piece_of_call(pieces *p, const ir_call *n, uint32_t k)
{
    arena *mem = p->r.mem;
    ir_node_vec args = {0};
    bool elementwise = ir_builtins[n->fn].effect == IR_EFFECT_PURE && ir_builtins[n->fn].rule != IR_RULE_GIVEN;
    elementwise |= n->fn == IR_FN_IF_THEN_ELSE || (n->fn == IR_FN_REINTERPRET && n->args.at[0]->type.lanes == n->node.type.lanes);
    if (!elementwise) return refuse(p, &n->node);
    for (size_t i = 0; i < n->args.n; ++i) {
        const ir_node *a = n->args.at[i];
        ir_node_vec_push(mem, &args, a->type.lanes == n->node.type.lanes ? piece(p, a, k) : expr(&p->r, a));
    }
    ir_type t = ir_type_lanes(n->node.type, piece_lanes(n->node.type, k));
    return ir_fold_call(mem, n->fn, t, ir_list_of(args), n->node.at);
}

static const ir_node *piece_of_select(pieces *p, const ir_select *n, uint32_t k)
{
    const ir_node *cond = n->cond->type.lanes == 1 ? expr(&p->r, n->cond) : piece(p, n->cond, k);
    return ir_fold_select(p->r.mem, cond, piece(p, n->yes, k), piece(p, n->no, k));
}

/* Lanes 4k to 4k + 3 of a vector of more than four lanes. */
static const ir_node *piece(pieces *p, const ir_node *n, uint32_t k)
{
    arena *mem = p->r.mem;
    if (n->type.lanes <= WIDEST) return expr(&p->r, n);
    uint32_t lanes = piece_lanes(n->type, k);
    switch ((int)n->kind) {
    case IR_VAR: {
        const ir_var *const *vars = map_get_id(&p->bound, ir_as_var_ref(n)->var);
        return vars != NULL ? ir_ref(mem, vars[k], n->at) : refuse(p, n);
    }
    case IR_BROADCAST:
        if (ir_as_broadcast(n)->a->type.lanes != 1) return refuse(p, n);
        return lanes == 1 ? expr(&p->r, ir_as_broadcast(n)->a) : ir_broadcast_new(mem, expr(&p->r, ir_as_broadcast(n)->a), lanes);
    case IR_RAMP: return piece_of_ramp(p, ir_as_ramp(n), k);
    case IR_BIN: return ir_fold_bin(mem, ir_as_bin(n)->op, piece(p, ir_as_bin(n)->a, k), piece(p, ir_as_bin(n)->b, k));
    case IR_NOT: return ir_fold_not(mem, piece(p, ir_as_not(n)->a, k));
    case IR_CAST: return ir_fold_cast(mem, ir_type_lanes(n->type, lanes), piece(p, ir_as_cast(n)->a, k));
    case IR_SELECT: return piece_of_select(p, ir_as_select(n), k);
    case IR_LOAD: return piece_of_load(p, ir_as_load(n), k);
    case IR_SHUFFLE: return piece_of_shuffle(p, ir_as_shuffle(n), k);
    case IR_CALL: return piece_of_call(p, ir_as_call(n), k);
    default: return refuse(p, n);
    }
}

static const ir_node *load(pieces *p, const ir_load *n)
{
    if (n->index.n != 1 || !is_odd(n->buffer->type)) return ir_rewrite_children(&p->r, &n->node);
    if (n->index.at[0]->type.lanes != 1) return refuse(p, &n->node);
    const ir_node *index = lanes_index(p, n->buffer, expr(&p->r, n->index.at[0]));
    return ir_load_new(p->r.mem, new_buffer(&p->r, n->buffer), ir_list_one(p->r.mem, index), n->node.at);
}

/* A small vector picked from a wide one. */
static const ir_node *shuffle(pieces *p, const ir_shuffle *n)
{
    bool wide = false;
    for (size_t i = 0; i < n->vectors.n; ++i) wide |= n->vectors.at[i]->type.lanes > WIDEST;
    return wide ? piece_of_shuffle(p, n, 0) : ir_rewrite_children(&p->r, &n->node);
}

/* An expression of up to four lanes. */
static const ir_node *expr(ir_rewrite *r, const ir_node *n)
{
    pieces *p = (pieces *)(void *)r;
    if (n->type.lanes > WIDEST) return refuse(p, n);
    if (n->kind == IR_LOAD) return load(p, ir_as_load(n));
    if (n->kind == IR_SHUFFLE) return shuffle(p, ir_as_shuffle(n));
    return ir_rewrite_children(r, n);
}

/* ---- Statements ---------------------------------------------------------------------------------- */

static const ir_node *store(pieces *p, const ir_store *n)
{
    arena *mem = p->r.mem;
    ir_type t = n->value->type;
    if (n->index.n != 1 || n->predicate != NULL || (t.lanes <= WIDEST && !is_odd(n->buffer->type))) {
        return ir_rewrite_children(&p->r, &n->node);
    }
    const ir_node *index = n->index.at[0];
    if (index->type.lanes != 1 && n->buffer->type.lanes != 1) return refuse(p, n->value);
    if (index->type.lanes == 1) index = lanes_index(p, n->buffer, expr(&p->r, index));
    ir_node_vec values = {0}, stores = {0};
    for (uint32_t k = 0; k < piece_count(t); ++k) {
        const ir_node *value = piece(p, n->value, k);
        if (ir_reads_memory(value) && piece_count(t) > 1) {
            const ir_var *v = ir_var_new(mem, STR("piece"), value->type, value->at);
            ir_node_vec_push(mem, &values, ir_make(mem, BIND, bind, value->at, IR_VOID, .var = v, .value = value));
            value = ir_ref(mem, v, value->at);
        }
        ir_list at = ir_list_one(mem, piece(p, index, k));
        ir_node_vec_push(mem, &stores, ir_store_new(mem, new_buffer(&p->r, n->buffer), at, value, n->node.at));
    }
    for (size_t k = 0; k < stores.n; ++k) ir_node_vec_push(mem, &values, stores.at[k]);
    return ir_seq_new(mem, values.at, values.n, n->node.at);
}

static const ir_node *bind(pieces *p, const ir_bind *n)
{
    arena *mem = p->r.mem;
    ir_type t = n->var->type;
    if (ir_type_is_pointer(t) || t.lanes <= WIDEST) return ir_rewrite_children(&p->r, &n->node);
    const ir_var **vars = arena_array(mem, const ir_var *, piece_count(t));
    ir_node_vec out = {0};
    for (uint32_t k = 0; k < piece_count(t); ++k) {
        const ir_node *value = piece(p, n->value, k);
        vars[k] = ir_var_new(mem, n->var->name, value->type, n->var->at);
        ir_node_vec_push(mem, &out, ir_make(mem, BIND, bind, n->node.at, IR_VOID, .var = vars[k], .value = value));
    }
    map_put_id(mem, &p->bound, n->var, vars);
    return ir_seq_new(mem, out.at, out.n, n->node.at);
}

static const ir_node *visit(ir_rewrite *r, const ir_node *n)
{
    pieces *p = (pieces *)(void *)r;
    if (n->kind == IR_STORE) return store(p, ir_as_store(n));
    if (n->kind == IR_BIND) return bind(p, ir_as_bind(n));
    return ir_is_stmt(n) ? ir_rewrite_children(r, n) : expr(r, n);
}

/* ---- Kernels ------------------------------------------------------------------------------------- */

static void find_wide(void *user, const ir_node *n)
{
    bool *found = user;
    *found |= n->type.lanes > WIDEST;
    const ir_buffer *b = n->kind == IR_ALLOC ? ir_as_alloc(n)->buffer : n->kind == IR_DECL ? ir_as_decl(n)->buffer : NULL;
    *found |= b != NULL && is_odd(b->type);
}

static const ir_func *legalize(pass_context *cx, const ir_func *f)
{
    bool found = false;
    if (f->kind == IR_FUNC_KERNEL) ir_each(f->body, find_wide, &found);
    if (!found) return f;
    pieces p = {.r = {.mem = cx->mem, .node = visit, .var = new_var, .buffer = new_buffer}, .cx = cx};
    ir_param *params = arena_array(cx->mem, ir_param, f->param_count);
    for (size_t i = 0; i < f->param_count; ++i) {
        params[i] = f->params[i];
        params[i].var = new_var(&p.r, f->params[i].var);
    }
    ir_func *fresh = arena_copy(cx->mem, f, sizeof *f);
    fresh->params = params;
    fresh->body = visit(&p.r, f->body);
    return fresh;
}

const ir_module *pass_legalize_vectors(pass_context *cx, const ir_module *m)
{
    return pass_each_func(cx, m, legalize);
}
