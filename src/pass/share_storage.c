/* share_storage: arrays of a kernel whose lifetimes do not meet share one piece of memory.
 *
 * Why: threadgroup memory is scarce; how much a kernel takes decides how many groups run beside each other, and
 * whether it can be launched at all.
 *
 *     S = T.alloc (64,), shared                    S = T.alloc (64,), shared
 *     U = T.alloc (32,), shared                    U = T.decl_buffer((32,), data=S.data)
 *     S[tx] = A[tx]; B[tx] = S[63 - tx]     ->     S[tx] = A[tx]; B[tx] = S[63 - tx]
 *     U[tx] = C[tx]; D[tx] = U[31 - tx]            U[tx] = C[tx]; D[tx] = U[31 - tx]
 *
 * A lifetime reaches from the first statement that touches the array to the last one, over the whole of each loop
 * that is inside of its scope, and, for threadgroup memory, over both arms of a branch: threads may be in either.
 * Places that now follow each other in one memory are for sync_threadgroup, which runs later, to keep apart by a
 * barrier. Element types are the same, unless the kernel would not fit the target otherwise. Left alone: arrays that
 * a pointer variable leads to, threadgroup memory in loops that threads go round differently (no barrier could stand
 * there), single elements, matrices. */
#include "ir/fold.h"
#include "pass/uniform.h"

/* Memory that tenants share. */
typedef struct storage_slot {
    ir_type type;
    ir_scope scope;
    const ir_node *seq; /* of local memory: the sequence that its tenants are allocated in */
    int64_t count, align;
    unsigned last; /* when its last tenant so far is done */
    unsigned tenants;
    bool fixed; /* for one tenant only */
    const ir_buffer *buffer;
} storage_slot;

/* An array of the kernel. */
typedef struct storage {
    const ir_buffer *buffer;
    const ir_node *seq;
    int64_t count;
    unsigned depth;       /* loops and branches around its allocation */
    unsigned first, last; /* its lifetime, in statements */
    bool touched, fixed;
    storage_slot *slot;
} storage;

VEC_DECLARE(storage_vec, storage *)
VEC_DECLARE(storage_slots, storage_slot *)

/* The arrays of a kernel, in order, and by their pointers. */
typedef struct storages {
    storage_vec list;
    map by_data;
} storages;

/* A kernel with more arrays is left alone: each is compared with all others. */
enum { MOST_ARRAYS = 300 };

/* ---- Lifetimes ---------------------------------------------------------------------------------- */

typedef struct lifetimes {
    ir_walk w;
    arena *mem;
    const uniformity *u;
    storages *all;
    const ir_node *seq; /* around the statement at hand */
    unsigned clock, depth;
    bool opaque;    /* what is named here leads elsewhere */
    bool divergent; /* in a loop that threads go round differently */
} lifetimes;

static bool is_group_memory(const storage *s)
{
    return s->buffer->scope == IR_SCOPE_SHARED;
}

static void touch(ir_walk *w, const ir_var *data)
{
    lifetimes *l = (lifetimes *)(void *)w;
    if (!ir_type_is_pointer(data->type)) return;
    storage *s = map_get_id(&l->all->by_data, data);
    if (s == NULL) return;
    if (!s->touched) s->first = l->clock;
    s->touched = true;
    s->last = l->clock;
    s->fixed |= l->opaque || (l->divergent && is_group_memory(s));
}

static void touch_buffer(ir_walk *w, const ir_buffer *b)
{
    touch(w, b->data);
}

static void note_alloc(lifetimes *l, const ir_buffer *b)
{
    int64_t count;
    if (b->scope != IR_SCOPE_SHARED && b->scope != IR_SCOPE_LOCAL) return;
    if (b->shape.n != 1 || !ir_const_value(b->shape.at[0], &count) || count <= 1) return;
    if (ir_type_bytes(b->type) == 0 || count > INT32_MAX) return;
    storage *s = arena_new(l->mem, storage);
    *s = (storage){.buffer = b, .seq = l->seq, .count = count, .depth = l->depth};
    storage_vec_push(l->mem, &l->all->list, s);
    map_put_id(l->mem, &l->all->by_data, b->data, s);
}

/* What was touched since `begin` in a scope that is left now lives all through it. */
static void stretch(lifetimes *l, unsigned begin, bool both_arms)
{
    for (size_t i = 0; i < l->all->list.n; ++i) {
        storage *s = l->all->list.at[i];
        bool outside = s->depth < l->depth;
        if (!s->touched || s->last < begin || (!outside && !(both_arms && is_group_memory(s)))) continue;
        if (s->first > begin) s->first = begin;
        s->last = l->clock;
    }
}

static void scope(lifetimes *l, const ir_node *n, bool loops, bool both_arms)
{
    unsigned begin = ++l->clock;
    bool divergent = l->divergent;
    if (loops && loop_varies(l->u, n)) l->divergent = true;
    ++l->depth;
    ir_walk_children(&l->w, n);
    ++l->clock;
    if (loops || both_arms) stretch(l, begin, both_arms);
    --l->depth;
    l->divergent = divergent;
}

static void visit(ir_walk *w, const ir_node *n)
{
    lifetimes *l = (lifetimes *)(void *)w;
    bool opaque = l->opaque;
    const ir_node *seq = l->seq;
    if (ir_is_stmt(n)) ++l->clock;
    switch ((int)n->kind) {
    case IR_FOR:
    case IR_WHILE: scope(l, n, true, false); return;
    case IR_IF: scope(l, n, false, ir_as_if(n)->no != NULL); return;
    case IR_SEQ:
        l->seq = n;
        ir_walk_children(w, n);
        l->seq = seq;
        return;
    case IR_ALLOC: note_alloc(l, ir_as_alloc(n)->buffer); return;
    case IR_DECL: return;
    case IR_ATTR: l->opaque |= ir_as_attr(n)->subject != NULL; break;
    case IR_BIND: l->opaque = ir_type_is_pointer(ir_as_bind(n)->var->type); break;
    case IR_VAR: touch(w, ir_as_var_ref(n)->var); return;
    default: break;
    }
    ir_walk_children(w, n);
    l->opaque = opaque;
}

/* ---- Who shares with whom ----------------------------------------------------------------------- */

static int64_t bytes_of(const storage *s)
{
    return s->count * (int64_t)ir_type_bytes(s->buffer->type);
}

static int64_t slot_bytes(const storage_slot *slot)
{
    return slot->count * (int64_t)ir_type_bytes(slot->type);
}

/* Can `s`, which begins no earlier than all that is in the slot, live there too? */
static bool has_room(const storage_slot *slot, const storage *s, bool any_type)
{
    bool same_place = slot->scope == s->buffer->scope && slot->last < s->first &&
                      (slot->scope == IR_SCOPE_SHARED || slot->seq == s->seq);
    if (!same_place || ir_type_eq(slot->type, s->buffer->type)) return same_place;
    /* A view of another type must find its alignment. */
    return any_type && slot->scope == IR_SCOPE_SHARED && slot->type.lanes == 1 && s->buffer->type.lanes == 1 &&
           ir_type_bytes(slot->type) >= ir_type_bytes(s->buffer->type);
}

static void put(arena *mem, storage_slots *slots, storage *s, bool any_type)
{
    storage_slot *best = NULL;
    for (size_t i = 0; i < slots->n && !s->fixed; ++i) {
        storage_slot *slot = slots->at[i];
        if (slot->fixed || !has_room(slot, s, any_type)) continue;
        int64_t wanted = bytes_of(s), gap = slot_bytes(slot) - wanted;
        int64_t best_gap = best != NULL ? slot_bytes(best) - wanted : 0;
        if (best == NULL || (gap < 0 ? -gap : gap) < (best_gap < 0 ? -best_gap : best_gap)) best = slot;
    }
    if (best == NULL) {
        best = arena_new(mem, storage_slot);
        *best = (storage_slot){.type = s->buffer->type, .scope = s->buffer->scope, .seq = s->seq, .fixed = s->fixed};
        storage_slots_push(mem, slots, best);
    }
    int64_t size = (int64_t)ir_type_bytes(best->type), count = (bytes_of(s) + size - 1) / size;
    if (count > best->count) best->count = count;
    if (s->last > best->last) best->last = s->last;
    if (s->buffer->align > best->align) best->align = s->buffer->align;
    ++best->tenants;
    s->slot = best;
}

static int64_t shared_bytes(const storage_slots *slots)
{
    int64_t sum = 0;
    for (size_t i = 0; i < slots->n; ++i) sum += slots->at[i]->scope == IR_SCOPE_SHARED ? slot_bytes(slots->at[i]) : 0;
    return sum;
}

/* In the order in which they begin. */
static storage_slots assign(arena *mem, const storage_vec *all, bool any_type)
{
    storage_slots slots = {0};
    for (size_t i = 0; i < all->n; ++i) all->at[i]->slot = NULL;
    for (size_t i = 0; i < all->n; ++i) {
        storage *next = NULL;
        for (size_t k = 0; k < all->n; ++k) {
            storage *s = all->at[k];
            if (s->slot == NULL && (next == NULL || s->first < next->first)) next = s;
        }
        put(mem, &slots, next, any_type);
    }
    return slots;
}

static storage_slots plan(arena *mem, const ir_node *region, const region_axes *axes, storages *all, int64_t limit)
{
    uniformity u = uniformity_of(mem, region, axes);
    lifetimes l = {.w = {.node = visit, .use_buffer = touch_buffer}, .mem = mem, .u = &u, .all = all};
    visit(&l.w, region);
    if (all->list.n < 2 || all->list.n > MOST_ARRAYS) return (storage_slots){0};
    storage_slots slots = assign(mem, &all->list, false);
    if (shared_bytes(&slots) > limit) slots = assign(mem, &all->list, true);
    return slots;
}

/* ---- Rewriting ---------------------------------------------------------------------------------- */

typedef struct sharing {
    ir_rewrite r;
    storages all;
    storage_slots slots;
    map buffers; /* buffer -> the view in its place */
} sharing;

/* The slot that a memory moves to; NULL where it stays by itself. */
static storage_slot *moves_to(const sharing *s, const ir_var *data)
{
    const storage *m = map_get_id(&s->all.by_data, data);
    return m != NULL && m->slot->tenants > 1 ? m->slot : NULL;
}

static const ir_var *moved_var(ir_rewrite *r, const ir_var *v)
{
    if (!ir_type_is_pointer(v->type)) return v;
    const storage_slot *slot = moves_to((sharing *)(void *)r, v);
    return slot != NULL ? slot->buffer->data : v;
}

static const ir_buffer *moved_buffer(ir_rewrite *r, const ir_buffer *b)
{
    sharing *s = (sharing *)(void *)r;
    const ir_buffer *view = map_get_id(&s->buffers, b);
    if (view != NULL) return view;
    const storage_slot *slot = moves_to(s, b->data);
    if (slot == NULL) return b;
    ir_buffer *copy = arena_copy(r->mem, b, sizeof *b);
    copy->data = slot->buffer->data;
    map_put_id(r->mem, &s->buffers, b, copy);
    return copy;
}

/* The allocations of the slots that belong at the head of `seq` (NULL: of the kernel), then the statement. */
static const ir_node *with_slots(sharing *s, const ir_node *seq, const ir_node *body)
{
    ir_node_vec out = {0};
    for (size_t i = 0; i < s->slots.n; ++i) {
        const storage_slot *slot = s->slots.at[i];
        const ir_node *place = slot->scope == IR_SCOPE_SHARED ? NULL : slot->seq;
        if (slot->tenants < 2 || place != seq) continue;
        ir_node_vec_push(s->r.mem, &out, ir_make(s->r.mem, ALLOC, alloc, body->at, IR_VOID, .buffer = slot->buffer));
    }
    if (out.n == 0) return body;
    ir_node_vec_push(s->r.mem, &out, body);
    return ir_seq_new(s->r.mem, out.at, out.n, body->at);
}

static const ir_node *move(ir_rewrite *r, const ir_node *n)
{
    sharing *s = (sharing *)(void *)r;
    if (n->kind == IR_ALLOC && moves_to(s, ir_as_alloc(n)->buffer->data) != NULL) {
        return ir_make(r->mem, DECL, decl, n->at, IR_VOID, .buffer = moved_buffer(r, ir_as_alloc(n)->buffer));
    }
    const ir_node *fresh = ir_rewrite_children(r, n);
    if (n->kind == IR_SEQ) return with_slots(s, n, fresh);
    if (n->kind != IR_THREAD || ir_as_thread(n)->body->kind == IR_THREAD) return fresh;
    ir_thread copy = *ir_as_thread(fresh);
    copy.body = with_slots(s, NULL, copy.body);
    return arena_copy(r->mem, &copy, sizeof copy);
}

/* The memory of a slot, named after its first tenant. */
static void name_slots(sharing *s)
{
    arena *mem = s->r.mem;
    for (size_t i = 0; i < s->all.list.n; ++i) {
        const storage *m = s->all.list.at[i];
        storage_slot *slot = m->slot;
        if (slot->buffer != NULL) continue;
        ir_buffer *b = arena_new(mem, ir_buffer);
        *b = (ir_buffer){.name = m->buffer->name, .type = slot->type, .scope = slot->scope, .align = slot->align,
                         .data = ir_var_pointer(mem, m->buffer->name, slot->type, slot->scope, m->buffer->at),
                         .shape = ir_list_one(mem, ir_i32(mem, slot->count)), .at = m->buffer->at};
        slot->buffer = b;
    }
}

static const ir_node *share(void *user, const ir_node *region)
{
    pass_context *cx = user;
    sharing s = {.r = {.mem = cx->mem, .node = move, .var = moved_var, .buffer = moved_buffer}};
    region_axes axes = region_axes_of(cx->mem, region);
    s.slots = plan(cx->mem, region, &axes, &s.all, cx->target->max_shared_memory_per_block);
    if (s.slots.n == 0 || s.slots.n == s.all.list.n) return region;
    name_slots(&s);
    return move(&s.r, region);
}

static const ir_node *share_func(pass_context *cx, const ir_func *f)
{
    return region_each(cx->mem, f->body, share, cx);
}

const ir_module *pass_share_storage(pass_context *cx, const ir_module *m)
{
    return pass_each_body(cx, m, share_func);
}
