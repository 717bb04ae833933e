/* lower_cross_thread_reduction: a block that reduces over threads becomes a partial result a
 * thread, an allreduce of these, and a store of the outcome.
 *
 * Why: what one thread accumulates, the other threads do not see.
 *
 *     for tx in T.thread_binding(32, "threadIdx.x"):
 *         for r in range(4):
 *             with T.sblock("B"):
 *                 vk = T.axis.reduce(128, r * 32 + tx)
 *                 with T.init():
 *                     B[0] = 0
 *                 B[0] = B[0] + A[vk]
 *     ->
 *     for tx in T.thread_binding(32, "threadIdx.x"):
 *         part[0] = 0
 *         for r in range(4):
 *             part[0] = part[0] + A[r * 32 + tx]
 *         with T.attr(x + y, "reduce_scope", 0):
 *             T.tvm_thread_allreduce(1, part[0], True, all[0], tx)
 *         if tx == 0:
 *             B[0] = all[0]
 *
 * Thread loops around the block inside the outermost reduction loop move out of it; other statements there, which fetch
 * what is reduced, stay. A local result is stored by
 * every thread. An init that is not the reducer's identity is combined in at the end. Ties of
 * argmin and argmax are settled by the index, where that is the reduction variable. Left alone:
 * blocks without init, or whose reduction variables are not bound to threadIdx. */
#include "ir/fold.h"
#include "pass/reducer.h"
#include "pass/thread_axis.h"

/* A block to be lowered, and where. */
typedef struct plan {
    const ir_node *anchor; /* the outermost reduction loop, or the block: replaced as a whole */
    const ir_block *block;
    thread_axis_vec reduced; /* threadIdx axes that the reduction runs over */
    thread_axis_vec inner;   /* axes bound below the anchor */
    map at_zero;             /* variables of reduction loops and axes -> 0 */
    reducer fn;
} plan;

typedef struct search {
    ir_walk w;
    pass_context *cx;
    ir_node_vec path; /* statements around the one at hand */
    map by;           /* iteration variable -> its value in terms of loops */
    map plans;        /* anchor -> plan */
} search;

/* ---- Finding the blocks ---------------------------------------------------------------------- */

/* Is the variable used by the binding of a reduction variable of the block? */
static bool is_reduced(search *s, const ir_block *b, const ir_var *v)
{
    for (size_t i = 0; i < b->iters.n; ++i) {
        if (b->iters.at[i].kind != IR_REDUCE) continue;
        if (ir_uses_var(ir_substitute(s->cx->mem, b->iters.at[i].binding, &s->by), v)) return true;
    }
    return false;
}

static void refuse(search *s, const ir_block *b, span at, const char *why, str name)
{
    diag_error(s->cx->diags, b->node.at, "block '%.*s' reduces over threads, but %s",
               STR_ARG(b->name), why);
    if (name.n != 0) diag_note(s->cx->diags, at, "this is '%.*s'", STR_ARG(name));
}

/* The axes that the block reduces over. False where there is none, or one that threads cannot
 * share. */
static bool find_axes(search *s, plan *p)
{
    bool good = true;
    for (size_t i = 0; i < s->path.n; ++i) {
        const ir_node *n = s->path.at[i];
        bool bound =
            n->kind == IR_THREAD || (n->kind == IR_FOR && ir_as_for(n)->loop == IR_THREAD_BOUND);
        if (!bound) continue;
        thread_axis axis;
        bool real = thread_axis_of(n, &axis);
        if (!is_reduced(s, p->block, axis.var) || ir_is_const(axis.extent, 1)) continue;
        if (!real || !thread_tag_is_local(axis.tag)) {
            refuse(s, p->block, n->at,
                   real ? "threadgroups cannot reduce together"
                        : "virtual threads cannot reduce together",
                   axis.tag);
            good = false;
        }
        thread_axis_vec_push(s->cx->mem, &p->reduced, axis);
    }
    return good && p->reduced.n != 0;
}

/* Looks at a statement between the anchor and the block. */
static bool add_inner(search *s, plan *p, const ir_node *n)
{
    thread_axis axis;
    if (thread_axis_of(n, &axis)) {
        for (size_t i = 0; i < s->path.n; ++i) {
            const ir_node *outer = s->path.at[i];
            if (outer->kind != IR_FOR || map_get_id(&p->at_zero, ir_as_for(outer)->var) == NULL)
                continue;
            if (ir_uses_var(axis.extent, ir_as_for(outer)->var)) {
                refuse(s, p->block, n->at, "the extent of an axis depends on a reduction loop",
                       axis.tag);
                return false;
            }
        }
        thread_axis_vec_push(s->cx->mem, &p->inner, axis);
        return true;
    }
    bool is_loop = n->kind == IR_FOR;
    if (n->kind == IR_SEQ) return true; /* looked at once the results are known */
    if (is_loop && map_get_id(&p->at_zero, ir_as_for(n)->var) != NULL) return true;
    if (is_loop && ir_is_const(ir_as_for(n)->extent, 1)) return true;
    if (is_loop) {
        refuse(s, p->block, n->at, "a loop that is not reduced lies inside one that is",
               ir_as_for(n)->var->name);
    } else {
        refuse(s, p->block, n->at, "other statements lie between it and its reduction loops",
               (str){0});
    }
    return false;
}

/* The anchor and what lies below it. */
static bool find_anchor(search *s, plan *p, const ir_node *block)
{
    size_t first = s->path.n;
    for (size_t i = s->path.n; i-- > 0;) {
        const ir_node *n = s->path.at[i];
        if (n->kind != IR_FOR || ir_as_for(n)->loop == IR_THREAD_BOUND) continue;
        const ir_for *f = ir_as_for(n);
        if (!is_reduced(s, p->block, f->var)) continue;
        map_put_id(s->cx->mem, &p->at_zero, f->var, ir_int_new(s->cx->mem, f->var->type, 0, n->at));
        first = i;
    }
    for (size_t i = 0; i < p->reduced.n; ++i) {
        const ir_var *v = p->reduced.at[i].var;
        map_put_id(s->cx->mem, &p->at_zero, v, ir_int_new(s->cx->mem, v->type, 0, v->at));
    }
    p->anchor = first == s->path.n ? block : s->path.at[first];
    for (size_t i = first; i < s->path.n; ++i) {
        if (!add_inner(s, p, s->path.at[i])) return false;
    }
    return true;
}

/* Is what is reduced apart from where it goes? */
static bool check_spatial(search *s, const plan *p)
{
    const ir_block *b = p->block;
    for (size_t i = 0; i < b->iters.n; ++i) {
        const ir_iter *it = &b->iters.at[i];
        if (it->kind == IR_REDUCE) continue;
        const ir_node *value = ir_substitute(s->cx->mem, it->binding, &s->by);
        for (size_t k = 0; k < p->at_zero.n; ++k) {
            const map_entry *zero = &p->at_zero.entries[k];
            if (!ir_uses_var(value, zero->id)) continue;
            refuse(s, b, it->at, "a loop of the reduction also says where the result goes",
                   it->var->name);
            return false;
        }
    }
    if (b->matches.n == 0 && b->allocs.n == 0) return true;
    refuse(s, b, b->node.at, "it has views or memory of its own", (str){0});
    return false;
}

static void note_equality(void *user, const ir_node *n)
{
    bool *found = user;
    *found |= n->kind == IR_BIN && ir_as_bin(n)->op == IR_EQ;
}

/* A block without init that updates one element from many threads: whatever order these come in,
 * updates get lost. */
static void check_update(search *s, const ir_block *b)
{
    plan p = {.block = b};
    if (b->body->kind != IR_STORE) return;
    const ir_store *store = ir_as_store(b->body);
    ir_scope scope = store->buffer->scope;
    bool seen_by_others = scope == IR_SCOPE_GLOBAL || thread_scope_is_shared(scope);
    bool one_thread = false;
    ir_each(b->predicate, note_equality, &one_thread);
    if (!seen_by_others || one_thread || !memory_is_touched(store->value, store->buffer->data))
        return;
    if (!find_axes(s, &p)) return;
    for (size_t i = 0; i < store->index.n; ++i) {
        map bindings = {0};
        for (size_t k = 0; k < b->iters.n; ++k) {
            map_put_id(s->cx->mem, &bindings, b->iters.at[k].var, b->iters.at[k].binding);
        }
        const ir_node *index = ir_substitute(s->cx->mem, store->index.at[i], &bindings);
        index = ir_substitute(s->cx->mem, index, &s->by);
        for (size_t k = 0; k < p.reduced.n; ++k) {
            if (ir_uses_var(index, p.reduced.at[k].var)) return;
        }
    }
    refuse(s, b, b->node.at,
           "it has no T.init, without which threads update one element at the same time", (str){0});
}

typedef struct holds_search {
    const ir_node *wanted;
    bool found;
} holds_search;

static void note_wanted(void *user, const ir_node *n)
{
    holds_search *h = user;
    h->found |= n == h->wanted;
}

static bool holds(const ir_node *root, const ir_node *wanted)
{
    holds_search h = {wanted, false};
    ir_each(root, note_wanted, &h);
    return h.found;
}

/* The statements beside the block inside the reduction loops must leave the results alone. */
static bool check_beside(search *s, const plan *p)
{
    bool inside = false;
    for (size_t i = 0; i < s->path.n; ++i) {
        inside |= s->path.at[i] == p->anchor;
        if (!inside || s->path.at[i]->kind != IR_SEQ) continue;
        ir_list body = ir_as_seq(s->path.at[i])->body;
        for (size_t k = 0; k < body.n; ++k) {
            bool touched = false;
            for (size_t j = 0; j < p->fn.n; ++j) touched |= memory_is_touched(body.at[k], p->fn.parts[j].buffer->data);
            if (!touched || holds(body.at[k], &p->block->node)) continue;
            refuse(s, p->block, body.at[k]->at, "a statement inside its reduction loops uses its result", p->fn.parts[0].buffer->name);
            return false;
        }
    }
    return true;
}

/* Looks for a thread axis in what is stored to the memory that an expression reads. */
typedef struct hidden_search {
    search *s;
    const ir_node *root; /* the function's body */
    const ir_var *memory;
    const ir_node *found;
} hidden_search;

static bool uses_thread(search *s, const ir_node *value)
{
    for (size_t i = 0; i < s->path.n; ++i) {
        thread_axis axis;
        bool local = thread_axis_of(s->path.at[i], &axis) && thread_tag_is_local(axis.tag) && !ir_is_const(axis.extent, 1);
        if (local && ir_uses_var(ir_substitute(s->cx->mem, value, &s->by), axis.var)) return true;
    }
    return false;
}

static void note_hidden_store(void *user, const ir_node *n)
{
    hidden_search *h = user;
    if (n->kind != IR_STORE || ir_as_store(n)->buffer->data != h->memory) return;
    if (uses_thread(h->s, ir_as_store(n)->value)) h->found = n;
}

static void note_hidden_load(void *user, const ir_node *n)
{
    hidden_search *h = user;
    if (n->kind != IR_LOAD || ir_as_load(n)->buffer->scope != IR_SCOPE_LOCAL) return;
    h->memory = ir_as_load(n)->buffer->data;
    ir_each(h->root, note_hidden_store, h);
}

/* A variable of the thread's that can be assigned hides that its block reduces over threads: all of them would add to one element
 * without order. */
static void check_hidden(search *s, const ir_block *b)
{
    hidden_search h = {.s = s, .root = s->path.n != 0 ? s->path.at[0] : &b->node};
    for (size_t i = 0; i < b->iters.n; ++i) {
        const ir_node *value = ir_substitute(s->cx->mem, b->iters.at[i].binding, &s->by);
        if (b->iters.at[i].kind == IR_REDUCE) ir_each(value, note_hidden_load, &h);
        else if (uses_thread(s, value)) return;
    }
    if (h.found != NULL) refuse(s, b, h.found->at, "by a variable that can be assigned: bind the reduction to the thread axis itself", h.memory->name);
}

static void plan_block(search *s, const ir_node *n)
{
    const ir_block *b = ir_as_block(n);
    if (b->init == NULL) {
        check_update(s, b);
        return;
    }
    plan *p = arena_new(s->cx->mem, plan);
    p->block = b;
    if (!find_axes(s, p)) {
        if (p->reduced.n == 0) check_hidden(s, b);
        return;
    }
    if (!find_anchor(s, p, n) || !check_spatial(s, p)) return;
    const char *why = reducer_match(s->cx->mem, b, &p->fn);
    if (why != NULL) {
        diag_error(s->cx->diags, n->at,
                   "No matched reducer for block '%.*s', which reduces over threads: %s",
                   STR_ARG(b->name), why);
        return;
    }
    if (!check_beside(s, p)) return;
    const plan *other = map_get_id(&s->plans, p->anchor);
    if (other != NULL) {
        refuse(s, b, other->block->node.at, "another block that does so shares its reduction loop", other->block->name);
        return;
    }
    map_put_id(s->cx->mem, &s->plans, p->anchor, p);
}

/* Names of names may double with each. */
enum { NAME_NODES = 400, NAME_DEPTH = 50 };

static void search_node(ir_walk *w, const ir_node *n)
{
    search *s = (search *)(void *)w;
    if (!ir_is_stmt(n)) return;
    if (n->kind == IR_BLOCK) {
        plan_block(s, n);
        ir_iters iters = ir_as_block(n)->iters;
        for (size_t i = 0; i < iters.n; ++i) {
            const ir_node *value = ir_substitute(s->cx->mem, iters.at[i].binding, &s->by);
            map_put_id(s->cx->mem, &s->by, iters.at[i].var, value);
        }
    }
    if (n->kind == IR_BIND && !ir_type_is_pointer(ir_as_bind(n)->var->type)) {
        const ir_node *value = ir_substitute(s->cx->mem, ir_as_bind(n)->value, &s->by);
        if (ir_is_moderate(value, NAME_NODES, NAME_DEPTH)) map_put_id(s->cx->mem, &s->by, ir_as_bind(n)->var, value);
    }
    ir_node_vec_push(s->cx->mem, &s->path, n);
    ir_walk_children(w, n);
    s->path.n--;
}

/* ---- Building what replaces them ------------------------------------------------------------- */

typedef struct lowering {
    ir_rewrite r;
    pass_context *cx;
    const map *plans;
} lowering;

/* One-element local buffers, one a part. */
static const ir_buffer **part_buffers(arena *mem, const plan *p, const char *prefix)
{
    const ir_buffer **at = arena_alloc(mem, p->fn.n * sizeof *at);
    for (size_t i = 0; i < p->fn.n; ++i) {
        const ir_buffer *result = p->fn.parts[i].buffer;
        str name = str_format(mem, "%s_%.*s", prefix, STR_ARG(result->name));
        ir_buffer *b = arena_new(mem, ir_buffer);
        *b =
            (ir_buffer){.name = name,
                        .data = ir_var_pointer(mem, name, result->type, IR_SCOPE_LOCAL, result->at),
                        .type = result->type,
                        .shape = ir_list_one(mem, ir_i32(mem, 1)),
                        .scope = IR_SCOPE_LOCAL,
                        .at = p->block->node.at};
        at[i] = b;
    }
    return at;
}

static const ir_node *load_part(arena *mem, const ir_buffer *b, span at)
{
    return ir_load_new(mem, b, ir_list_one(mem, ir_i32(mem, 0)), at);
}

static const ir_node *store_part(arena *mem, const ir_buffer *b, const ir_node *value, span at)
{
    return ir_store_new(mem, b, ir_list_one(mem, ir_i32(mem, 0)), value, at);
}

static ir_regions part_regions(arena *mem, const ir_buffer *const *parts, size_t n)
{
    ir_region *at = arena_array(mem, ir_region, n);
    for (size_t i = 0; i < n; ++i) {
        ir_range *range = arena_new(mem, ir_range);
        *range = (ir_range){ir_i32(mem, 0), ir_i32(mem, 1)};
        at[i] = (ir_region){parts[i], range, 1, parts[i]->at};
    }
    return (ir_regions){at, n};
}

/* Regions of `from` but those of the results. */
static ir_regions other_regions(arena *mem, const plan *p, ir_regions from)
{
    ir_region *at = arena_array(mem, ir_region, from.n);
    size_t n = 0;
    for (size_t i = 0; i < from.n; ++i) {
        bool own = false;
        for (size_t j = 0; j < p->fn.n; ++j) own |= p->fn.parts[j].buffer == from.at[i].buffer;
        if (!own) at[n++] = from.at[i];
    }
    return (ir_regions){at, n};
}

/* The block, accumulating into this thread's parts. */
static const ir_node *update_block(arena *mem, const plan *p, const ir_buffer *const *parts)
{
    span at = p->block->node.at;
    size_t n = p->fn.n;
    const ir_node **kept = arena_alloc(mem, n * sizeof *kept),
                  **fresh = arena_alloc(mem, n * sizeof *fresh);
    ir_node_vec body = {0}, stores = {0};
    for (size_t i = 0; i < n; ++i) {
        kept[i] = load_part(mem, parts[i], at);
        fresh[i] = p->fn.parts[i].value;
        if (n == 1) continue;
        /* Read once, as a choice uses each value several times. */
        const ir_var *v = ir_var_new(mem, STR("value"), fresh[i]->type, at);
        ir_node_vec_push(mem, &body,
                         ir_make(mem, BIND, bind, at, IR_VOID, .var = v, .value = fresh[i]));
        fresh[i] = ir_ref(mem, v, at);
    }
    for (size_t i = 0; i < n; ++i) {
        const ir_node *value = reducer_apply(mem, p->fn.fn, i, kept, fresh);
        if (n > 1) {
            const ir_var *v = ir_var_new(mem, STR("next"), value->type, at);
            ir_node_vec_push(mem, &body,
                             ir_make(mem, BIND, bind, at, IR_VOID, .var = v, .value = value));
            value = ir_ref(mem, v, at);
        }
        ir_node_vec_push(mem, &stores, store_part(mem, parts[i], value, at));
    }
    for (size_t i = 0; i < n; ++i) ir_node_vec_push(mem, &body, stores.at[i]);
    ir_block copy = *p->block;
    copy.name = str_format(mem, "%.*s_in_thread", STR_ARG(copy.name));
    copy.init = NULL;
    copy.reads = other_regions(mem, p, copy.reads);
    copy.writes = part_regions(mem, parts, n);
    copy.body = ir_seq_new(mem, body.at, body.n, at);
    return arena_copy(mem, &copy, sizeof copy);
}

/* The loops from the anchor down, thread axes left out, around the update. */
static const ir_node *update_loops(arena *mem, const plan *p, const ir_node *n,
                                   const ir_node *update)
{
    if (n == &p->block->node) return update;
    thread_axis axis;
    if (thread_axis_of(n, &axis)) return update_loops(mem, p, axis.body, update);
    if (n->kind == IR_SEQ) {
        ir_list body = ir_as_seq(n)->body;
        const ir_node **at = arena_copy(mem, body.at, body.n * sizeof *at);
        for (size_t i = 0; i < body.n; ++i) {
            if (holds(at[i], &p->block->node)) at[i] = update_loops(mem, p, at[i], update);
        }
        return ir_seq_new(mem, at, body.n, n->at);
    }
    ir_for copy = *ir_as_for(n);
    copy.body = update_loops(mem, p, copy.body, update);
    return arena_copy(mem, &copy, sizeof copy);
}

static const ir_node *allreduce(arena *mem, const plan *p, const ir_buffer *const *parts,
                                const ir_buffer *const *all)
{
    span at = p->block->node.at;
    ir_node_vec args = {0};
    ir_node_vec_push(mem, &args, ir_int_new(mem, IR_U32, (int64_t)p->fn.n, at));
    for (size_t i = 0; i < p->fn.n; ++i) ir_node_vec_push(mem, &args, load_part(mem, parts[i], at));
    ir_node_vec_push(mem, &args, ir_bool(mem, true));
    for (size_t i = 0; i < p->fn.n; ++i) ir_node_vec_push(mem, &args, load_part(mem, all[i], at));
    for (size_t i = 0; i < p->reduced.n; ++i)
        ir_node_vec_push(mem, &args, ir_ref(mem, p->reduced.at[i].var, at));
    const ir_node *call = ir_call_new(mem, IR_FN_ALLREDUCE, IR_VOID, ir_list_of(args), at);
    return ir_make(mem, ATTR, attr, at, IR_VOID, .key = STR("reduce_scope"),
                   .subject = &p->fn.fn->node, .value = ir_i32(mem, 0),
                   .body = ir_eval_new(mem, call));
}

/* Where the block would have stored: its condition in the first iteration, and in the first thread
 * unless each thread has a result of its own. */
static const ir_node *store_condition(arena *mem, const plan *p, const ir_buffer *result)
{
    map bindings = {0};
    for (size_t i = 0; i < p->block->iters.n; ++i) {
        map_put_id(mem, &bindings, p->block->iters.at[i].var, p->block->iters.at[i].binding);
    }
    const ir_node *cond =
        ir_substitute(mem, ir_substitute(mem, p->block->predicate, &bindings), &p->at_zero);
    bool own = result->scope == IR_SCOPE_LOCAL;
    for (size_t i = 0; !own && i < p->reduced.n; ++i) {
        const ir_node *ref = ir_ref(mem, p->reduced.at[i].var, p->block->node.at);
        cond = ir_and(mem, ir_eq(mem, ref, ir_int_like(mem, ref, 0)), cond);
    }
    return cond;
}

/* A block that stores the outcome of part `i`, over the block's spatial variables. */
static const ir_node *store_block(arena *mem, const plan *p, size_t i, const ir_buffer *const *all)
{
    const ir_block *b = p->block;
    span at = b->node.at;
    const reducer_part *part = &p->fn.parts[i];
    map fresh = {0};
    ir_iter *iters = arena_array(mem, ir_iter, b->iters.n);
    size_t n = 0;
    for (size_t k = 0; k < b->iters.n; ++k) {
        if (b->iters.at[k].kind == IR_REDUCE) continue;
        iters[n] = b->iters.at[k];
        iters[n].var = ir_var_new(mem, iters[n].var->name, iters[n].var->type, at);
        map_put_id(mem, &fresh, b->iters.at[k].var, ir_ref(mem, iters[n].var, at));
        n++;
    }
    const ir_node *value = load_part(mem, all[i], at);
    if (part->starts_apart) {
        /* Simple reducers only: each part is combined by itself. */
        const ir_node **lhs = arena_array(mem, const ir_node *, p->fn.n),
                      **rhs = arena_array(mem, const ir_node *, p->fn.n);
        for (size_t k = 0; k < p->fn.n; ++k) {
            lhs[k] = p->fn.parts[k].init;
            rhs[k] = load_part(mem, all[k], at);
        }
        value = reducer_apply(mem, p->fn.fn, i, lhs, rhs);
    }
    const ir_node *store = ir_store_new(mem, part->buffer, part->index, value, at);
    ir_region *writes = arena_new(mem, ir_region);
    ir_range *ranges = arena_array(mem, ir_range, part->index.n);
    for (size_t k = 0; k < part->index.n; ++k) {
        const ir_node *least = ir_substitute(mem, part->index.at[k], &fresh);
        ranges[k] = (ir_range){least, ir_int_like(mem, least, 1)};
    }
    *writes = (ir_region){part->buffer, ranges, part->index.n, at};
    return ir_make(mem, BLOCK, block, at, IR_VOID,
                   .name = str_format(mem, "%.*s_store", STR_ARG(b->name)), .iters = {iters, n},
                   .predicate = store_condition(mem, p, part->buffer),
                   .reads = part_regions(mem, &all[i], 1), .writes = {writes, 1},
                   .regions_given = true, .body = ir_substitute(mem, store, &fresh));
}

static const ir_node *build(arena *mem, const plan *p)
{
    span at = p->block->node.at;
    const ir_buffer **parts = part_buffers(mem, p, "in_thread");
    const ir_buffer **all = part_buffers(mem, p, "cross_thread");
    ir_node_vec body = {0};
    for (size_t i = 0; i < p->fn.n; ++i) {
        ir_node_vec_push(mem, &body, ir_make(mem, ALLOC, alloc, at, IR_VOID, .buffer = parts[i]));
        ir_node_vec_push(mem, &body, ir_make(mem, ALLOC, alloc, at, IR_VOID, .buffer = all[i]));
    }
    for (size_t i = 0; i < p->fn.n; ++i) {
        ir_node_vec_push(mem, &body, store_part(mem, parts[i], p->fn.fn->identity.at[i], at));
    }
    const ir_node *update = update_block(mem, p, (const ir_buffer *const *)parts);
    ir_node_vec_push(mem, &body, update_loops(mem, p, p->anchor, update));
    ir_node_vec_push(
        mem, &body,
        allreduce(mem, p, (const ir_buffer *const *)parts, (const ir_buffer *const *)all));
    for (size_t i = 0; i < p->fn.n; ++i) {
        ir_node_vec_push(mem, &body, store_block(mem, p, i, (const ir_buffer *const *)all));
    }
    const ir_node *whole = ir_seq_new(mem, body.at, body.n, at);
    for (size_t i = p->inner.n; i-- > 0;) whole = thread_axis_wrap(mem, &p->inner.at[i], whole);
    return whole;
}

static const ir_node *lower_node(ir_rewrite *r, const ir_node *n)
{
    if (!ir_is_stmt(n)) return n;
    const plan *p = map_get_id(((lowering *)(void *)r)->plans, n);
    return p != NULL ? build(r->mem, p) : ir_rewrite_children(r, n);
}

static const ir_node *lower(pass_context *cx, const ir_func *f)
{
    search s = {.w = {.node = search_node}, .cx = cx};
    search_node(&s.w, f->body);
    if (s.plans.n == 0) return f->body;
    lowering l = {.r = {.mem = cx->mem, .node = lower_node}, .cx = cx, .plans = &s.plans};
    return lower_node(&l.r, f->body);
}

const ir_module *pass_lower_cross_thread_reduction(pass_context *cx, const ir_module *m)
{
    return pass_each_body(cx, m, lower);
}
