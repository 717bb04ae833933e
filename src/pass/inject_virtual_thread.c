/* inject_virtual_thread: virtual threads become repeated statements of the real thread that plays them.
 *
 * Why: a real thread then works for several, at distances that suit the memory.
 *
 *     for vx in T.thread_binding(2, "vthread"):       a_0[0] = A[tx]
 *         a[0] = A[vx * 32 + tx]              ->      a_1[0] = A[32 + tx]
 *         B[vx * 32 + tx] = a[0]                      B[tx] = a_0[0]
 *                                                     B[32 + tx] = a_1[0]
 *
 * Virtual threads run alike, statement by statement, as real ones do between barriers: each statement is
 * written for all of them before the next. Each has its own local memory; threadgroup memory and barriers
 * are common, but memory that each must have for itself (virtual_stores.h). Loops and conditions that are the same for all are kept around; others, in which no barrier
 * may stand, are repeated whole. Left alone: real thread axes. */
#include "ir/fold.h"
#include "pass/fresh.h"
#include "pass/lift_barrier.h"
#include "pass/thread_axis.h"
#include "pass/uniform.h"
#include "pass/virtual_stores.h"

enum { MOST_THREADS = 64 };

/* The virtual threads of one axis, and the names that each has for what it defines. */
typedef struct players {
    pass_context *cx;
    const ir_var *var;
    int64_t n;
    map *names; /* one a player: variable of the program -> its own */
    map *buffers;
    map own; /* variables and pointers that differ between players */
    uniformity u; /* among the players, in the program as it is */
    map copied; /* pointers of threadgroup memory of which each has its own */
} players;

/* ---- One statement as one player runs it ---------------------------------------------------------- */

typedef struct play {
    ir_rewrite r;
    const players *p;
    int64_t player;
} play;

static const ir_node *play_node(ir_rewrite *r, const ir_node *n)
{
    const play *y = (const play *)(const void *)r;
    if (n->kind == IR_VAR && ir_as_var_ref(n)->var == y->p->var) {
        return ir_int_new(r->mem, y->p->var->type, y->player, n->at);
    }
    return ir_rewrite_children(r, n);
}

static const ir_var *play_var(ir_rewrite *r, const ir_var *v)
{
    const play *y = (const play *)(const void *)r;
    const ir_var *own = map_get_id(&y->p->names[y->player], v);
    return own != NULL ? own : v;
}

static const ir_buffer *play_buffer(ir_rewrite *r, const ir_buffer *b)
{
    const play *y = (const play *)(const void *)r;
    const ir_buffer *own = map_get_id(&y->p->buffers[y->player], b);
    return own != NULL ? own : b;
}

static const ir_node *played(const players *p, int64_t player, const ir_node *n)
{
    play y = {.r = {.mem = p->cx->mem, .node = play_node, .var = play_var, .buffer = play_buffer}, .p = p, .player = player};
    return play_node(&y.r, n);
}

/* Every player gets a variable, or a buffer with its pointer, in place of this one. */
static void give_var(players *p, const ir_var *v)
{
    arena *mem = p->cx->mem;
    map_put_id(mem, &p->own, v, v);
    for (int64_t i = 0; i < p->n; ++i) map_put_id(mem, &p->names[i], v, i == 0 ? v : arena_copy(mem, v, sizeof *v));
}

static void give_buffer(players *p, const ir_buffer *b, bool memory)
{
    arena *mem = p->cx->mem;
    if (memory) give_var(p, b->data);
    for (int64_t i = 0; i < p->n; ++i) {
        ir_buffer *own = arena_copy(mem, b, sizeof *b);
        const ir_var *data = map_get_id(&p->names[i], b->data);
        if (data != NULL) own->data = data;
        map_put_id(mem, &p->buffers[i], b, own);
    }
}

/* ---- Is it the same for all? --------------------------------------------------------------------- */

typedef struct difference {
    const players *p;
    bool found;
} difference;

static void find_difference(void *user, const ir_node *n)
{
    difference *d = user;
    const ir_var *v = n->kind == IR_VAR ? ir_as_var_ref(n)->var : n->kind == IR_LOAD ? ir_as_load(n)->buffer->data :
                      n->kind == IR_STORE ? ir_as_store(n)->buffer->data : NULL;
    d->found |= v != NULL && (v == d->p->var || map_get_id(&d->p->own, v) != NULL);
}

static bool differs(const players *p, const ir_node *n)
{
    difference d = {p, false};
    ir_each(n, find_difference, &d);
    return d.found;
}

/* ---- Statements ---------------------------------------------------------------------------------- */

static const ir_node *spread(players *p, const ir_node *n);

/* The statement whole, once a player. */
static const ir_node *repeated(players *p, const ir_node *n)
{
    ir_node_vec out = {0};
    if (has_barrier(n)) {
        diag_error(p->cx->diags, n->at, "a barrier where virtual threads take different ways: they would wait for each other forever");
        return n;
    }
    for (int64_t i = 0; i < p->n; ++i) {
        const ir_node *one = played(p, i, n);
        ir_node_vec_push(p->cx->mem, &out, i == 0 ? one : fresh_copy(p->cx->mem, one));
    }
    return ir_seq_new(p->cx->mem, out.at, out.n, n->at);
}

/* A definition, once a player under its own name. */
static const ir_node *defined(players *p, const ir_node *n)
{
    ir_node_vec out = {0};
    for (int64_t i = 0; i < p->n; ++i) ir_node_vec_push(p->cx->mem, &out, played(p, i, n));
    return ir_seq_new(p->cx->mem, out.at, out.n, n->at);
}

static const ir_node *spread_if(players *p, const ir_if *n)
{
    if (differs(p, n->cond)) return repeated(p, &n->node);
    ir_if copy = *n;
    copy.yes = spread(p, n->yes);
    if (n->no != NULL) copy.no = spread(p, n->no);
    return arena_copy(p->cx->mem, &copy, sizeof copy);
}

static const ir_node *spread_for(players *p, const ir_for *n)
{
    /* A loop that players leave, or go on with, at different times is each one's own. */
    if (differs(p, n->extent) || loop_varies(&p->u, &n->node)) return repeated(p, &n->node);
    ir_for copy = *n;
    copy.body = spread(p, n->body);
    return arena_copy(p->cx->mem, &copy, sizeof copy);
}

/* Does the store make something of what its memory holds? */
static bool reads_itself(const ir_store *n)
{
    bool read = memory_is_touched(n->value, n->buffer->data);
    for (size_t i = 0; i < n->index.n && !read; ++i) read = memory_is_touched(n->index.at[i], n->buffer->data);
    return read;
}

static const ir_node *spread_alloc(players *p, const ir_node *n)
{
    const ir_buffer *b = ir_as_alloc(n)->buffer;
    if (thread_scope_is_shared(b->scope) && map_get_id(&p->copied, b->data) == NULL) return n;
    give_buffer(p, b, true);
    return defined(p, n);
}

static const ir_node *spread(players *p, const ir_node *n)
{
    switch ((int)n->kind) {
    case IR_SEQ: {
        ir_list body = ir_as_seq(n)->body;
        ir_node_vec out = {0};
        for (size_t i = 0; i < body.n; ++i) ir_node_vec_push(p->cx->mem, &out, spread(p, body.at[i]));
        return ir_seq_new(p->cx->mem, out.at, out.n, n->at);
    }
    case IR_IF: return spread_if(p, ir_as_if(n));
    case IR_FOR: return spread_for(p, ir_as_for(n));
    case IR_THREAD: {
        ir_thread copy = *ir_as_thread(n);
        copy.body = spread(p, copy.body);
        return arena_copy(p->cx->mem, &copy, sizeof copy);
    }
    case IR_ALLOC: return spread_alloc(p, n);
    case IR_DECL:
        give_buffer(p, ir_as_decl(n)->buffer, false);
        return defined(p, n);
    case IR_BIND:
        give_var(p, ir_as_bind(n)->var);
        return defined(p, n);
    case IR_STORE: return differs(p, n) || reads_itself(ir_as_store(n)) ? repeated(p, n) : n; /* the same for all: once */
    default: return is_barrier(n) ? n : repeated(p, n);
    }
}

/* ---- Axes ---------------------------------------------------------------------------------------- */

typedef struct inject {
    ir_rewrite r;
    pass_context *cx;
    const ir_node *whole; /* the function's body */
} inject;

static bool virtual_axis(const ir_node *n, thread_axis *out)
{
    if (n->kind == IR_THREAD) {
        const ir_thread *t = ir_as_thread(n);
        *out = (thread_axis){t->tag, t->var, t->extent, t->body, n};
    } else if (n->kind == IR_FOR && ir_as_for(n)->loop == IR_THREAD_BOUND) {
        const ir_for *f = ir_as_for(n);
        *out = (thread_axis){f->tag, f->var, f->extent, f->body, n};
    } else {
        return false;
    }
    return thread_tag_is_virtual(out->tag);
}

static void find_return(void *user, const ir_node *n)
{
    const ir_node **found = user;
    if (n->kind == IR_RETURN && *found == NULL) *found = n;
}

static const ir_node *play_all(inject *j, const thread_axis *axis, const ir_node *body)
{
    int64_t n;
    if (!ir_const_value(axis->extent, &n) || n < 1 || n > MOST_THREADS) {
        diag_error(j->cx->diags, axis->extent->at, "the number of virtual threads must be a constant from 1 to %d", MOST_THREADS);
        return ir_nop(j->cx->mem);
    }
    const ir_node *returned = NULL;
    ir_each(body, find_return, &returned);
    if (returned != NULL) {
        diag_error(j->cx->diags, returned->at, "a virtual thread cannot return early: guard the statements after it with an if");
        return ir_nop(j->cx->mem);
    }
    players p = {.cx = j->cx, .var = axis->var, .n = n, .names = arena_array(j->cx->mem, map, (size_t)n),
                 .buffers = arena_array(j->cx->mem, map, (size_t)n)};
    if (n > 1) virtual_stores_check(j->cx, j->whole, axis->var, n, body, &p.copied);
    p.u = uniformity_along(j->cx->mem, body, axis->var, &p.copied);
    return spread(&p, body);
}

static const ir_node *visit(ir_rewrite *r, const ir_node *n)
{
    if (!ir_is_stmt(n)) return n;
    n = ir_rewrite_children(r, n);
    thread_axis axis;
    return virtual_axis(n, &axis) ? play_all((inject *)(void *)r, &axis, axis.body) : n;
}

static const ir_node *inject_body(pass_context *cx, const ir_func *f)
{
    inject j = {.r = {.mem = cx->mem, .node = visit}, .cx = cx, .whole = f->body};
    return visit(&j.r, f->body);
}

const ir_module *pass_inject_virtual_thread(pass_context *cx, const ir_module *m)
{
    return pass_each_body(cx, m, inject_body);
}
