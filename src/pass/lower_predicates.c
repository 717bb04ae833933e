/* lower_predicates: an access of some lanes only becomes an access of each lane under its condition.
 *
 * Why: Metal has no masked loads and stores.
 *
 *     B.vstore([T.ramp(i, 1, 2)], v, predicate=p)    ->    if lane 0 of p: B[i] = lane 0 of v
 *                                                          if lane 1 of p: B[i + 1] = lane 1 of v
 *
 * A lane that is not loaded is 0. A condition of all lanes alike keeps the vector. Left alone: accesses without a
 * predicate. */
#include "ir/fold.h"
#include "ir/walk.h"
#include "pass/pass.h"

typedef struct predicates {
    ir_rewrite r;
    pass_context *cx;
} predicates;

static const ir_node *lane_of(arena *mem, const ir_node *n, uint32_t i)
{
    if (n->type.lanes == 1) return n;
    switch ((int)n->kind) {
    case IR_BROADCAST:
        if (ir_as_broadcast(n)->a->type.lanes == 1) return ir_as_broadcast(n)->a;
        break;
    case IR_RAMP: {
        const ir_ramp *r = ir_as_ramp(n);
        return ir_add(mem, r->base, ir_mul(mem, r->stride, ir_int_like(mem, r->stride, i)));
    }
    case IR_BIN: return ir_fold_bin(mem, ir_as_bin(n)->op, lane_of(mem, ir_as_bin(n)->a, i), lane_of(mem, ir_as_bin(n)->b, i));
    case IR_NOT: return ir_fold_not(mem, lane_of(mem, ir_as_not(n)->a, i));
    case IR_CAST: return ir_fold_cast(mem, ir_type_element(n->type), lane_of(mem, ir_as_cast(n)->a, i));
    default: break;
    }
    return ir_make(mem, SHUFFLE, shuffle, n->at, ir_type_element(n->type), .vectors = ir_list_one(mem, n),
                   .index = ir_list_one(mem, ir_i32(mem, i)));
}

static ir_list with_last(arena *mem, ir_list index, uint32_t lane)
{
    const ir_node **at = arena_alloc(mem, index.n * sizeof *at);
    for (size_t i = 0; i < index.n; ++i) at[i] = lane_of(mem, index.at[i], lane);
    return (ir_list){at, index.n};
}

/* The condition of all lanes, where it is one. */
static const ir_node *common(const ir_node *predicate)
{
    if (predicate->type.lanes == 1) return predicate;
    bool same = predicate->kind == IR_BROADCAST && ir_as_broadcast(predicate)->a->type.lanes == 1;
    return same ? ir_as_broadcast(predicate)->a : NULL;
}

static const ir_node *zero_of(arena *mem, ir_type t, span at)
{
    return ir_type_is_float(t) ? ir_float_new(mem, t, 0.0, at) : ir_int_new(mem, t, 0, at);
}

static const ir_node *choose(arena *mem, const ir_node *cond, const ir_node *load)
{
    const ir_node *args[] = {cond, load, zero_of(mem, load->type, load->at)};
    return ir_fold_call(mem, IR_FN_IF_THEN_ELSE, load->type, ir_list_copy(mem, args, 3), load->at);
}

static const ir_node *lower_load(predicates *p, const ir_load *n)
{
    arena *mem = p->r.mem;
    const ir_node *all = common(n->predicate);
    if (all != NULL) return choose(mem, all, ir_load_new(mem, n->buffer, n->index, n->node.at));
    uint32_t lanes = n->node.type.lanes;
    ir_node_vec values = {0}, index = {0};
    for (uint32_t i = 0; i < lanes; ++i) {
        const ir_node *one = ir_load_new(mem, n->buffer, with_last(mem, n->index, i), n->node.at);
        ir_node_vec_push(mem, &values, choose(mem, lane_of(mem, n->predicate, i), one));
        ir_node_vec_push(mem, &index, ir_i32(mem, i));
    }
    return ir_make(mem, SHUFFLE, shuffle, n->node.at, n->node.type, .vectors = ir_list_of(values), .index = ir_list_of(index));
}

/* A value that the stores before could change, or that is long, is computed before them. */
static const ir_node *once(arena *mem, const ir_node *n, const char *name, ir_node_vec *out)
{
    if (n->kind == IR_BROADCAST || n->kind == IR_RAMP || n->kind == IR_VAR) {
        if (!ir_reads_memory(n) && !ir_has_effect(n)) return n;
    }
    const ir_var *v = ir_var_new(mem, str_of(name), n->type, n->at);
    ir_node_vec_push(mem, out, ir_make(mem, BIND, bind, n->at, IR_VOID, .var = v, .value = n));
    return ir_ref(mem, v, n->at);
}

static const ir_node *lower_store(predicates *p, const ir_store *n)
{
    arena *mem = p->r.mem;
    const ir_node *all = common(n->predicate);
    if (all != NULL) {
        const ir_node *store = ir_store_new(mem, n->buffer, n->index, n->value, n->node.at);
        return ir_make(mem, IF, if, n->node.at, IR_VOID, .cond = all, .yes = store);
    }
    ir_node_vec out = {0};
    const ir_node *value = once(mem, n->value, "lanes", &out), *predicate = n->predicate;
    if (ir_reads_memory(predicate)) predicate = once(mem, predicate, "mask", &out);
    ir_list index = n->index;
    for (size_t i = 0; i < index.n; ++i) {
        if (!ir_reads_memory(index.at[i])) continue;
        const ir_node **fresh = arena_alloc(mem, index.n * sizeof *fresh);
        for (size_t k = 0; k < index.n; ++k) fresh[k] = k == i ? once(mem, index.at[k], "at", &out) : index.at[k];
        index = (ir_list){fresh, index.n};
    }
    for (uint32_t i = 0; i < n->value->type.lanes; ++i) {
        const ir_node *store = ir_store_new(mem, n->buffer, with_last(mem, index, i), lane_of(mem, value, i), n->node.at);
        ir_node_vec_push(mem, &out, ir_make(mem, IF, if, n->node.at, IR_VOID, .cond = lane_of(mem, predicate, i), .yes = store));
    }
    return ir_seq_new(mem, out.at, out.n, n->node.at);
}

static const ir_node *visit(ir_rewrite *r, const ir_node *n)
{
    predicates *p = (predicates *)(void *)r;
    n = ir_rewrite_children(r, n);
    if (n->kind == IR_LOAD && ir_as_load(n)->predicate != NULL) return lower_load(p, ir_as_load(n));
    if (n->kind == IR_STORE && ir_as_store(n)->predicate != NULL) return lower_store(p, ir_as_store(n));
    return n;
}

static const ir_node *lower_body(pass_context *cx, const ir_func *f)
{
    predicates p = {.r = {.mem = cx->mem, .node = visit}, .cx = cx};
    return visit(&p.r, f->body);
}

const ir_module *pass_lower_predicates(pass_context *cx, const ir_module *m)
{
    return pass_each_body(cx, m, lower_body);
}
