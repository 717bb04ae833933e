/* lift_thread_binding: thread axes are bound at the head of their kernel, once an axis.
 *
 * Why: sibling loops over the same threads are phases of one kernel, whose threads are launched
 * together.
 *
 *     for bx in T.thread_binding(8, "blockIdx.x"):
 *         for k in range(4):
 *             for t in T.thread_binding(16, "threadIdx.x"):
 *                 S[t] = A[bx, k, t]
 *             for u in T.thread_binding(8, "threadIdx.x"):
 *                 B[bx, u] = B[bx, u] + S[u]
 *     ->
 *     for bx in T.thread_binding(8, "blockIdx.x"):
 *         for t in T.thread_binding(16, "threadIdx.x"):
 *             for k in range(4):
 *                 S[t] = A[bx, k, t]
 *                 if t < 8:
 *                     B[bx, t] = B[bx, t] + S[t]
 *
 * A sibling with fewer threads is guarded; it may hold no barrier then. A store outside of an axis
 * that is lifted above it would be run by all its threads: to memory that other threads see only the first one stores. Sibling nests of the host that share threadgroup memory are one
 * kernel, if that needs no grid. Left alone: kernels whose axes are their outermost loops already,
 * virtual threads, an axis bound again inside itself (see unify_thread_binding). */
#include "ir/fold.h"
#include "pass/thread_axis.h"

typedef struct lift {
    ir_rewrite r;
    pass_context *cx;
    thread_axis_vec
        axes; /* of the region, in order of appearance, with the largest extent of each */
    thread_axis_vec open; /* the axes around the statement at hand */
    map by;               /* variable -> the variable of its axis */
} lift;

/* ---- What a region binds ------------------------------------------------------------------------
 */

typedef struct survey {
    ir_walk w;
    lift *l;
} survey;

/* The larger of both extents; NULL (and an error) where that cannot be said. */
static const ir_node *larger(lift *l, const thread_axis *first, const thread_axis *again)
{
    if (ir_equal(first->extent, again->extent)) return first->extent;
    int64_t a, b;
    if (ir_const_value(first->extent, &a) && ir_const_value(again->extent, &b)) {
        return a >= b ? first->extent : again->extent;
    }
    diag_error(l->cx->diags, again->extent->at,
               "'%.*s' is bound twice in one kernel, with extents that cannot be compared",
               STR_ARG(again->tag));
    diag_note(l->cx->diags, first->extent->at, "the other extent is here");
    return NULL;
}

static void add_axis(lift *l, const thread_axis *axis)
{
    for (size_t i = 0; i < l->axes.n; ++i) {
        thread_axis *first = &l->axes.at[i];
        if (!str_eq(first->tag, axis->tag)) continue;
        const ir_node *extent = larger(l, first, axis);
        if (extent != NULL) first->extent = extent;
        return;
    }
    if (!thread_tag_is_real(axis->tag)) {
        diag_error(l->cx->diags, axis->from->at,
                   "'%.*s' is no thread axis: use blockIdx or threadIdx with .x, .y or .z",
                   STR_ARG(axis->tag));
    }
    thread_axis_vec_push(l->cx->mem, &l->axes, *axis);
}

static void survey_node(ir_walk *w, const ir_node *n)
{
    lift *l = ((survey *)(void *)w)->l;
    thread_axis axis;
    if (thread_axis_of(n, &axis) && thread_axis_find(&l->open, axis.tag) == NULL) {
        add_axis(l, &axis);
        thread_axis_vec_push(l->cx->mem, &l->open, axis);
        ir_walk_children(w, n);
        l->open.n--;
        return;
    }
    ir_walk_children(w, n);
}

static void survey_memory(ir_walk *w, const ir_node *n)
{
    lift *l = ((survey *)(void *)w)->l;
    thread_axis axis;
    bool opens = thread_axis_of(n, &axis) && thread_axis_find(&l->open, axis.tag) == NULL;
    if (opens) thread_axis_vec_push(l->cx->mem, &l->open, axis);
    if (n->kind == IR_ALLOC && ir_as_alloc(n)->buffer->scope == IR_SCOPE_GLOBAL &&
        l->open.n < l->axes.n) {
        thread_axis_refuse_global(l->cx, ir_as_alloc(n)->buffer);
    }
    ir_walk_children(w, n);
    if (opens) l->open.n--;
}

/* Do the region's outermost loops bind all its axes, each once? */
static bool is_lifted(const lift *l, const ir_node *root)
{
    size_t n = 0;
    thread_axis axis;
    for (; thread_axis_of(root, &axis); root = axis.body) n++;
    return n >= l->axes.n && !thread_axis_below(root);
}

/* ---- Rebuilding it --------------------------------------------------------------------------- */

static void note_barrier(void *user, const ir_node *n)
{
    const ir_node **found = user;
    if (n->kind != IR_CALL || *found != NULL) return;
    ir_builtin fn = ir_as_call(n)->fn;
    if (fn == IR_FN_STORAGE_SYNC || fn == IR_FN_ALLREDUCE) *found = n;
}

/* The body of a lifted axis, guarded where its own extent is smaller than the kernel's. */
static const ir_node *guarded(lift *l, const thread_axis *axis, const thread_axis *whole,
                              const ir_node *body)
{
    if (ir_equal(axis->extent, whole->extent)) return body;
    const ir_node *barrier = NULL;
    ir_each(body, note_barrier, &barrier);
    if (barrier != NULL) {
        diag_error(l->cx->diags, axis->from->at,
                   "'%.*s' has fewer threads here than elsewhere in the kernel, but they meet at a "
                   "barrier",
                   STR_ARG(axis->tag));
        diag_note(l->cx->diags, whole->extent->at, "the larger extent is here");
    }
    arena *mem = l->cx->mem;
    const ir_node *cond = ir_lt(mem, ir_ref(mem, whole->var, axis->from->at), axis->extent);
    return ir_make(mem, IF, if, axis->from->at, IR_VOID, .cond = cond, .yes = body);
}

/* A store that all threads of a lifted axis would repeat, left to the first one. */
static const ir_node *store_once(lift *l, const ir_node *n)
{
    arena *mem = l->cx->mem;
    const ir_buffer *b = ir_as_store(n)->buffer;
    if (b->scope != IR_SCOPE_GLOBAL && !thread_scope_is_shared(b->scope)) return n;
    const ir_node *cond = NULL;
    for (size_t i = 0; i < l->axes.n; ++i) {
        const thread_axis *axis = &l->axes.at[i];
        if (thread_axis_find(&l->open, axis->tag) != NULL || ir_is_const(axis->extent, 1)) continue;
        const ir_node *ref = ir_ref(mem, axis->var, n->at);
        const ir_node *first = ir_eq(mem, ref, ir_int_like(mem, ref, 0));
        cond = cond == NULL ? first : ir_and(mem, cond, first);
    }
    return cond == NULL ? n : ir_make(mem, IF, if, n->at, IR_VOID, .cond = cond, .yes = n);
}

static const ir_node *strip(ir_rewrite *r, const ir_node *n)
{
    lift *l = (lift *)(void *)r;
    if (!ir_is_stmt(n)) return n;
    if (n->kind == IR_STORE) return store_once(l, n);
    thread_axis axis;
    if (!thread_axis_of(n, &axis) || thread_axis_find(&l->open, axis.tag) != NULL) {
        return ir_rewrite_children(r, n);
    }
    const thread_axis *whole = thread_axis_find(&l->axes, axis.tag);
    if (axis.var != whole->var) {
        const ir_node *ref = ir_ref(r->mem, whole->var, axis.var->at);
        map_put_id(r->mem, &l->by, axis.var, ir_fold_cast(r->mem, axis.var->type, ref));
    }
    thread_axis_vec_push(r->mem, &l->open, axis);
    const ir_node *body = strip(r, axis.body);
    l->open.n--;
    return guarded(l, &axis, whole, body);
}

static const ir_node *lift_region(lift *l, const ir_node *root)
{
    l->axes.n = l->open.n = 0;
    survey s = {.w = {.node = survey_node}, .l = l};
    survey_node(&s.w, root);
    if (l->cx->diags->errors != 0 || is_lifted(l, root)) return root;
    s.w.node = survey_memory;
    survey_memory(&s.w, root);
    const ir_node *body = ir_substitute(l->cx->mem, strip(&l->r, root), &l->by);
    return thread_axis_bind(l->cx, &l->axes, body);
}

/* ---- Finding the regions --------------------------------------------------------------------- */

typedef struct regions {
    ir_rewrite r;
    pass_context *cx;
} regions;

static const ir_node *lifted(pass_context *cx, const ir_node *region)
{
    lift l = {.r = {.mem = cx->mem, .node = strip}, .cx = cx};
    return lift_region(&l, region);
}

/* How many of the statements after item `i`, an allocation of threadgroup memory, belong to its
 * kernel: up to the last one that uses it, where several of them bind threads. 0: it needs no
 * kernel made of several statements. */
static size_t shared_group(pass_context *cx, ir_list body, size_t i)
{
    const ir_buffer *b = ir_as_alloc(body.at[i])->buffer;
    size_t last = i, kernels = 0;
    bool grid = false, host = false;
    for (size_t k = i + 1; k < body.n; ++k) {
        if (!memory_is_touched(body.at[k], b->data)) continue;
        last = k;
        kernels += thread_axis_below(body.at[k]);
    }
    if (kernels < 2) return 0;
    for (size_t k = i + 1; k <= last; ++k) {
        bool threads = thread_axis_below(body.at[k]);
        bool names = body.at[k]->kind == IR_BIND || body.at[k]->kind == IR_DECL ||
                     body.at[k]->kind == IR_ALLOC;
        grid |= threads && thread_axis_has_grid(body.at[k]);
        host |= !threads && !names;
    }
    if (!grid && !host) return last - i;
    diag_error(cx->diags, b->at, "'%.*s' in scope \"%s\" is used by more than one kernel",
               STR_ARG(b->name), ir_scope_text(b->scope));
    return 0;
}

static bool is_group_memory(const ir_node *n)
{
    if (n->kind != IR_ALLOC) return false;
    ir_scope scope = ir_as_alloc(n)->buffer->scope;
    return scope != IR_SCOPE_GLOBAL && scope != IR_SCOPE_LOCAL;
}

static const ir_node *find_region(ir_rewrite *r, const ir_node *n);

/* A sequence of the host: siblings that share threadgroup memory are one region. */
static const ir_node *host_sequence(regions *s, const ir_node *n)
{
    arena *mem = s->cx->mem;
    ir_list body = ir_as_seq(n)->body;
    ir_node_vec out = {0};
    bool changed = false;
    for (size_t i = 0; i < body.n; ++i) {
        size_t more = is_group_memory(body.at[i]) ? shared_group(s->cx, body, i) : 0;
        const ir_node *item;
        if (more != 0) {
            item = lifted(s->cx, ir_seq_new(mem, body.at + i, more + 1, body.at[i]->at));
        } else {
            item = find_region(&s->r, body.at[i]);
        }
        changed |= item != body.at[i];
        ir_node_vec_push(mem, &out, item);
        i += more;
    }
    return changed ? ir_seq_new(mem, out.at, out.n, n->at) : n;
}

static const ir_node *find_region(ir_rewrite *r, const ir_node *n)
{
    if (!ir_is_stmt(n)) return n;
    regions *s = (regions *)(void *)r;
    thread_axis axis;
    if (thread_axis_of(n, &axis)) return lifted(s->cx, n);
    return n->kind == IR_SEQ ? host_sequence(s, n) : ir_rewrite_children(r, n);
}

static const ir_node *lift_func(pass_context *cx, const ir_func *f)
{
    regions s = {.r = {.mem = cx->mem, .node = find_region}, .cx = cx};
    /* All that a kernel written as such does is done by its threads, names before their axes included. */
    return f->kind == IR_FUNC_KERNEL ? lifted(cx, f->body) : find_region(&s.r, f->body);
}

const ir_module *pass_lift_thread_binding(pass_context *cx, const ir_module *m)
{
    return pass_each_body(cx, m, lift_func);
}
