/* The interpreter's statements: each is done for all lanes that take part. */
#include "ir/eval_inner.h"

bool eval_on(const eval *ev, const unsigned char *mask, size_t lane)
{
    return mask[lane] != 0 && ev->state[lane] == EVAL_RUNS;
}

bool eval_first(const eval *ev, const unsigned char *mask, size_t *lane)
{
    for (size_t i = 0; i < ev->lanes; ++i) {
        if (!eval_on(ev, mask, i)) continue;
        *lane = i;
        return true;
    }
    return false;
}

static unsigned char *new_mask(eval *ev)
{
    return arena_zeroed(ev->scratch, ev->lanes, 1);
}

static bool tick(eval *ev, span at)
{
    if (++ev->steps > ev->max_steps)
        eval_fail(ev, at, "too many steps: the program seems not to end");
    return !ev->failed;
}

/* ---- Stores and names ------------------------------------------------------------------------ */

/* Where each element of a lane's value goes; `store` NULL: nowhere. */
static void place_lane(eval_lane at, const ir_store *n, eval_cell *places)
{
    size_t parts = n->buffer->type.lanes;
    for (size_t i = 0; i < n->value->type.lanes && !at.ev->failed; ++i) {
        const ir_node *on = n->predicate;
        places[i] = (eval_cell){.store = NULL};
        if (on != NULL && eval_element(at, on, on->type.lanes > 1 ? i / parts : 0).i == 0) continue;
        if (!eval_address(at, n->buffer, n->index, i / parts, &places[i])) return;
    }
}

static void write_lane(eval_lane at, const ir_store *n, const eval_cell *places, const eval_cell *values)
{
    for (size_t i = 0; i < n->value->type.lanes && !at.ev->failed; ++i) {
        if (places[i].store != NULL) eval_write(at, places[i], n->buffer->type, i % n->buffer->type.lanes, n->node.at, values[i]);
    }
}

/* Lanes from `first` on that run at once: all read before any writes. */
static void store_lanes(eval *ev, const ir_store *n, const unsigned char *mask, size_t first, size_t end)
{
    size_t elements = n->value->type.lanes;
    eval_cell *values = arena_array(ev->scratch, eval_cell, (end - first) * elements);
    eval_cell *places = arena_array(ev->scratch, eval_cell, (end - first) * elements);
    for (size_t lane = first; lane < end; ++lane) {
        if (!eval_on(ev, mask, lane)) continue;
        eval_lane at = {ev, lane, mask};
        for (size_t i = 0; i < elements; ++i) values[(lane - first) * elements + i] = eval_element(at, n->value, i);
        place_lane(at, n, places + (lane - first) * elements);
    }
    int rounds = eval_is_copied(ev, n->buffer) ? 2 : 1;
    for (int round = 0; round < rounds; ++round) {
        ev->own_only = round == 1;
        for (size_t lane = first; lane < end && !ev->failed; ++lane) {
            size_t k = (lane - first) * elements;
            if (eval_on(ev, mask, lane)) write_lane((eval_lane){ev, lane, mask}, n, places + k, values + k);
        }
    }
    ev->own_only = false;
}

/* One virtual thread after another: a sum over them into one element is right. Memory that was allocated below their axis is each
 * one's own where they store different values at one place: all read before any writes, what is written is seen by all, and then
 * each has back what it wrote itself. */
static void exec_store(eval *ev, const ir_store *n, const unsigned char *mask)
{
    bool copied = eval_is_copied(ev, n->buffer);
    size_t at_once = ev->in_region && ev->threads != 0 && !copied ? ev->threads : ev->lanes;
    for (size_t first = 0; first < ev->lanes; first += at_once) store_lanes(ev, n, mask, first, first + at_once);
}

static void exec_bind(eval *ev, const ir_bind *n, const unsigned char *mask)
{
    eval_note_axes(ev, n->var, n->value);
    for (size_t lane = 0; lane < ev->lanes; ++lane) {
        for (size_t i = 0; i < n->value->type.lanes && eval_on(ev, mask, lane); ++i) {
            eval_set(ev, n->var, lane, i, eval_element((eval_lane){ev, lane, mask}, n->value, i));
        }
    }
}

/* ---- Loops ----------------------------------------------------------------------------------- */

/* Lanes of the mask that continued (or broke) out of this body run again. */
static void resume(eval *ev, const unsigned char *mask, unsigned char from)
{
    for (size_t lane = 0; lane < ev->lanes; ++lane) {
        if (mask[lane] && ev->state[lane] == from) ev->state[lane] = EVAL_RUNS;
    }
}

static void loop_var(eval *ev, const ir_for *n, size_t lane, int64_t value)
{
    eval_set(ev, n->var, lane, 0, eval_cell_of(ir_value_int(n->var->type, value)));
}

/* Lanes may have different extents: those that are through leave the mask. */
static void exec_serial(eval *ev, const ir_for *n, const unsigned char *mask)
{
    int64_t *min = arena_array(ev->scratch, int64_t, ev->lanes),
            *extent = arena_array(ev->scratch, int64_t, ev->lanes);
    unsigned char *mine = new_mask(ev), *now = new_mask(ev);
    int64_t most = 0;
    for (size_t lane = 0; lane < ev->lanes; ++lane) {
        if (!eval_on(ev, mask, lane)) continue;
        mine[lane] = 1;
        min[lane] = eval_scalar((eval_lane){ev, lane, mask}, n->min).i;
        extent[lane] = eval_scalar((eval_lane){ev, lane, mask}, n->extent).i;
        if (extent[lane] > most) most = extent[lane];
    }
    for (int64_t i = 0; i < most && tick(ev, n->node.at); ++i) {
        bool any = false;
        for (size_t lane = 0; lane < ev->lanes; ++lane) {
            now[lane] = eval_on(ev, mine, lane) && i < extent[lane];
            if (!now[lane]) continue;
            any = true;
            loop_var(ev, n, lane, (int64_t)((uint64_t)min[lane] + (uint64_t)i));
        }
        if (!any) break;
        eval_exec(ev, n->body, now);
        resume(ev, now, EVAL_CONTINUES);
    }
    resume(ev, mine, EVAL_BREAKS);
}

/* What stands below a thread axis. */
static void exec_below(eval *ev, str tag, const ir_node *body, const unsigned char *mask)
{
    bool virtual = eval_is_virtual(tag);
    ev->virtual_depth += virtual;
    eval_exec(ev, body, mask);
    ev->virtual_depth -= virtual;
}

/* A thread-bound loop inside of its region: each lane does its own iteration. */
static void exec_thread_loop(eval *ev, const ir_for *n, const unsigned char *mask)
{
    unsigned char *now = new_mask(ev);
    for (size_t lane = 0; lane < ev->lanes; ++lane) {
        int64_t at;
        if (!eval_on(ev, mask, lane) || !eval_coordinate(ev, n->tag, n->var, lane, n->node.at, &at))
            continue;
        eval_lane here = {ev, lane, mask};
        now[lane] = at < eval_scalar(here, n->extent).i;
        loop_var(ev, n, lane, eval_scalar(here, n->min).i + at);
    }
    exec_below(ev, n->tag, n->body, now);
}

static void exec_for(eval *ev, const ir_for *n, const unsigned char *mask)
{
    if (n->loop != IR_THREAD_BOUND)
        exec_serial(ev, n, mask);
    else if (ev->in_region)
        exec_thread_loop(ev, n, mask);
    else
        eval_region(ev, &n->node);
}

static void exec_while(eval *ev, const ir_while *n, const unsigned char *mask)
{
    unsigned char *entered = new_mask(ev), *mine = new_mask(ev), *now = new_mask(ev);
    for (size_t lane = 0; lane < ev->lanes; ++lane)
        entered[lane] = mine[lane] = eval_on(ev, mask, lane);
    while (tick(ev, n->node.at)) {
        bool any = false;
        for (size_t lane = 0; lane < ev->lanes; ++lane) {
            bool on =
                eval_on(ev, mine, lane) && eval_scalar((eval_lane){ev, lane, mine}, n->cond).i != 0;
            now[lane] = on;
            any |= on;
        }
        if (!any) break;
        memcpy(mine, now, ev->lanes);
        eval_exec(ev, n->body, now);
        resume(ev, now, EVAL_CONTINUES);
    }
    resume(ev, entered, EVAL_BREAKS);
}

static void exec_if(eval *ev, const ir_if *n, const unsigned char *mask)
{
    unsigned char *yes = new_mask(ev), *no = new_mask(ev);
    for (size_t lane = 0; lane < ev->lanes; ++lane) {
        if (!eval_on(ev, mask, lane)) continue;
        bool holds = eval_scalar((eval_lane){ev, lane, mask}, n->cond).i != 0;
        yes[lane] = holds;
        no[lane] = !holds;
    }
    eval_exec(ev, n->yes, yes);
    if (n->no != NULL) eval_exec(ev, n->no, no);
}

/* ---- Threads --------------------------------------------------------------------------------- */

static void exec_thread(eval *ev, const ir_thread *n, const unsigned char *mask)
{
    if (!ev->in_region) {
        eval_region(ev, &n->node);
        return;
    }
    for (size_t lane = 0; lane < ev->lanes; ++lane) {
        int64_t at;
        if (!eval_coordinate(ev, n->tag, n->var, lane, n->node.at, &at)) return;
        if (ev->launch == NULL && at >= eval_scalar((eval_lane){ev, lane, mask}, n->extent).i) {
            eval_fail(ev, n->node.at, "'%.*s' has two extents in one region", STR_ARG(n->tag));
            return;
        }
        eval_set(ev, n->var, lane, 0, eval_cell_of(ir_value_int(n->var->type, at)));
    }
    exec_below(ev, n->tag, n->body, mask);
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

static void define_iters(eval_lane at, const ir_block *b)
{
    eval *ev = at.ev;
    for (size_t i = 0; i < b->iters.n; ++i) {
        const ir_iter *it = &b->iters.at[i];
        eval_cell value = {.i = 0};
        if (it->binding != NULL)
            value = eval_scalar(at, it->binding);
        else
            eval_fail(ev, it->at, "block variable '%.*s' is bound to nothing",
                      STR_ARG(it->var->name));
        eval_set(ev, it->var, at.lane, 0, eval_cell_of(ir_value_int(it->var->type, value.i)));
        if (it->binding != NULL) eval_note_axes(ev, it->var, it->binding);
    }
}

/* Is each reduction variable at its beginning? */
static bool begins(eval_lane at, const ir_block *b)
{
    for (size_t i = 0; i < b->iters.n; ++i) {
        const ir_iter *it = &b->iters.at[i];
        eval_cell now;
        if (it->kind != IR_REDUCE) continue;
        if (!eval_get(at, it->var, 0, it->at, &now) || now.i != eval_scalar(at, it->min).i)
            return false;
    }
    return true;
}

/* A view of a region shares its pointer; a name for its offset is that of the region's first element. */
static void define_match(eval_lane at, const ir_match *m)
{
    const ir_buffer *from = m->source.buffer, *to = m->buffer;
    const ir_node **index = arena_array(at.ev->scratch, const ir_node *, m->source.n);
    for (size_t i = 0; i < m->source.n; ++i) index[i] = m->source.ranges[i].min;
    eval_cell first, base;
    if (!eval_address(at, from, (ir_list){index, m->source.n}, 0, &first)) return;
    if (!eval_get(at, from->data, 0, from->at, &base)) return;
    eval_set(at.ev, to->data, at.lane, 0, base);
    map_put_id(at.ev->keep, &at.ev->views, to, m);
    if (to->elem_offset != NULL && to->elem_offset->kind == IR_VAR) {
        int64_t offset = (first.i - base.i) / (int64_t)ir_type_bytes(from->type);
        eval_set(at.ev, ir_as_var_ref(to->elem_offset)->var, at.lane, 0, (eval_cell){.i = offset});
    }
    /* Strides named in the view are those of the source's last dimensions. */
    for (size_t i = 0; i < to->strides.n && to->strides.n <= m->source.n; ++i) {
        if (to->strides.at[i]->kind != IR_VAR) continue;
        size_t dim = m->source.n - to->strides.n + i;
        int64_t stride = 1;
        for (size_t d = dim + 1; d < from->shape.n; ++d)
            stride *= eval_scalar(at, from->shape.at[d]).i;
        if (from->strides.n != 0) stride = eval_scalar(at, from->strides.at[dim]).i;
        const ir_var *v = ir_as_var_ref(to->strides.at[i])->var;
        eval_set(at.ev, v, at.lane, 0, eval_cell_of(ir_value_int(v->type, stride)));
    }
}

void eval_block(eval *ev, const ir_block *b, const unsigned char *mask)
{
    unsigned char *now = new_mask(ev), *first = new_mask(ev);
    for (size_t lane = 0; lane < ev->lanes; ++lane) {
        if (!eval_on(ev, mask, lane)) continue;
        define_iters((eval_lane){ev, lane, mask}, b);
        now[lane] = eval_scalar((eval_lane){ev, lane, mask}, b->predicate).i != 0;
    }
    size_t any;
    if (ev->failed || !eval_first(ev, now, &any)) return;
    for (size_t i = 0; i < b->allocs.n; ++i) eval_allocate(ev, b->allocs.at[i], now);
    for (size_t lane = 0; lane < ev->lanes; ++lane) {
        eval_lane here = {ev, lane, now};
        if (!eval_on(ev, now, lane)) continue;
        for (size_t i = 0; i < b->matches.n; ++i) define_match(here, &b->matches.at[i]);
        first[lane] = b->init != NULL && begins(here, b);
    }
    if (b->init != NULL) eval_exec(ev, b->init, first);
    eval_exec(ev, b->body, now);
}

/* ---- All kinds ------------------------------------------------------------------------------- */

static void exec_eval(eval *ev, const ir_node *value, const unsigned char *mask)
{
    if (value->kind == IR_CALL) eval_call_stmt(ev, ir_as_call(value), mask);
}

static void exec_leave(eval *ev, const unsigned char *mask, unsigned char state)
{
    for (size_t lane = 0; lane < ev->lanes; ++lane) {
        if (eval_on(ev, mask, lane)) ev->state[lane] = state;
    }
}

static void exec_assert(eval *ev, const ir_assert *n, const unsigned char *mask)
{
    for (size_t lane = 0; lane < ev->lanes; ++lane) {
        if (!eval_on(ev, mask, lane) || eval_scalar((eval_lane){ev, lane, mask}, n->cond).i != 0)
            continue;
        eval_fail(ev, n->node.at, "%.*s: %.*s", STR_ARG(n->error), STR_ARG(n->message));
    }
}

static void exec_attr(eval *ev, const ir_attr *n, const unsigned char *mask)
{
    const ir_reducer *around = ev->reducer;
    if (n->subject != NULL && n->subject->kind == IR_REDUCER)
        ev->reducer = ir_as_reducer(n->subject);
    eval_exec(ev, n->body, mask);
    ev->reducer = around;
}

static void exec_kind(eval *ev, const ir_node *n, const unsigned char *mask)
{
    switch ((int)n->kind) {
    case IR_SEQ:
        for (size_t i = 0; i < ir_as_seq(n)->body.n; ++i)
            eval_exec(ev, ir_as_seq(n)->body.at[i], mask);
        break;
    case IR_STORE: exec_store(ev, ir_as_store(n), mask); break;
    case IR_BIND: exec_bind(ev, ir_as_bind(n), mask); break;
    case IR_ALLOC:
        eval_allocate(ev, ir_as_alloc(n)->buffer, mask);
        if (ir_attrs_get(ir_as_alloc(n)->annotations, "zeroed") != NULL) eval_zero(ev, ir_as_alloc(n)->buffer);
        break;
    case IR_DECL: break;
    case IR_FOR: exec_for(ev, ir_as_for(n), mask); break;
    case IR_WHILE: exec_while(ev, ir_as_while(n), mask); break;
    case IR_IF: exec_if(ev, ir_as_if(n), mask); break;
    case IR_BREAK: exec_leave(ev, mask, EVAL_BREAKS); break;
    case IR_CONTINUE: exec_leave(ev, mask, EVAL_CONTINUES); break;
    case IR_RETURN: exec_leave(ev, mask, EVAL_RETURNED); break;
    case IR_EVAL: exec_eval(ev, ir_as_eval(n)->value, mask); break;
    case IR_ASSERT: exec_assert(ev, ir_as_assert(n), mask); break;
    case IR_ATTR: exec_attr(ev, ir_as_attr(n), mask); break;
    case IR_THREAD: exec_thread(ev, ir_as_thread(n), mask); break;
    case IR_BLOCK: eval_reduction(ev, ir_as_block(n), mask); break;
    default: eval_fail(ev, n->at, "this statement cannot be interpreted"); break;
    }
}

void eval_exec(eval *ev, const ir_node *n, const unsigned char *mask)
{
    size_t any;
    if (ev->failed || !eval_first(ev, mask, &any) || !tick(ev, n->at)) return;
    arena_mark mark = arena_save(ev->scratch);
    exec_kind(ev, n, mask);
    arena_restore(ev->scratch, mark);
}
