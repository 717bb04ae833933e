/* The interpreter's threads together: barriers, reductions, matrices of a simdgroup. */
#include "ir/eval_inner.h"
#include "ir/walk.h"

/* ---- Barriers -------------------------------------------------------------------------------- */

static void meet(eval *ev, const ir_call *c, const unsigned char *mask)
{
    const ir_node *scope = c->args.at[0];
    if (scope->kind == IR_STRING && str_is(ir_as_string(scope)->text, "warp")) return;
    for (size_t lane = 0; lane < ev->lanes; ++lane) {
        if (ev->state[lane] == EVAL_RETURNED || eval_on(ev, mask, lane)) continue;
        eval_fail(ev, c->node.at, "a barrier that thread %zu does not reach", lane);
        return;
    }
}

/* ---- Blocks that reduce over threads --------------------------------------------------------- */

typedef struct written_walk {
    eval *ev;
    ir_var_vec data;
} written_walk;

/* Threads' own buffers that are stored to. */
static void note_written(void *user, const ir_node *n)
{
    written_walk *w = user;
    if (n->kind != IR_STORE || ir_as_store(n)->buffer->scope != IR_SCOPE_LOCAL) return;
    const ir_var *data = ir_as_store(n)->buffer->data;
    for (size_t i = 0; i < w->data.n; ++i) {
        if (w->data.at[i] == data) return;
    }
    if (map_get_id(&w->ev->slots, data) != NULL) ir_var_vec_push(w->ev->keep, &w->data, data);
}

static size_t leader(const eval *ev, const unsigned char *now, size_t lane, uint64_t axes)
{
    for (size_t i = 0; i < lane; ++i) {
        if (now[i] && eval_same_team(ev, lane, i, axes)) return i;
    }
    return lane;
}

/* Lets each lane of a team use the copy of its leader, or (after) gives all of them what is in it.
 */
static void share_copies(eval *ev, const ir_var *data, const unsigned char *now,
                         const size_t *leaders, bool after)
{
    eval_slot *s = map_get_id(&ev->slots, data);
    if (s->lanes != ev->lanes) return;
    for (size_t lane = 0; lane < ev->lanes; ++lane) {
        eval_cell *c = &s->cells[lane];
        if (!now[lane] || leaders[lane] == lane || c->store == NULL ||
            c->store->copies != ev->lanes)
            continue;
        c->copy = after ? lane : leaders[lane];
        unsigned char *bytes = c->store->bytes;
        if (after)
            memcpy(bytes + lane * c->store->size, bytes + leaders[lane] * c->store->size,
                   c->store->size);
    }
}

void eval_reduction(eval *ev, const ir_block *b, const unsigned char *mask)
{
    uint64_t axes = 0;
    /* Without an init it is an update of what each thread has. */
    for (size_t i = 0; b->init != NULL && i < b->iters.n; ++i) {
        const ir_iter *it = &b->iters.at[i];
        /* Wrapped, as the walk looks at children only. */
        if (it->kind == IR_REDUCE && it->binding != NULL)
            axes |= eval_axes_used(ev, ir_eval_new(ev->scratch, it->binding));
    }
    if (axes == 0) {
        eval_block(ev, b, mask);
        return;
    }
    written_walk w = {.ev = ev};
    ir_each(&b->node, note_written, &w);
    unsigned char *now = arena_zeroed(ev->scratch, ev->lanes, 1),
                  *one = arena_zeroed(ev->scratch, ev->lanes, 1);
    size_t *leaders = arena_array(ev->scratch, size_t, ev->lanes);
    for (size_t lane = 0; lane < ev->lanes; ++lane) now[lane] = eval_on(ev, mask, lane);
    for (size_t lane = 0; lane < ev->lanes; ++lane) leaders[lane] = leader(ev, now, lane, axes);
    for (size_t i = 0; i < w.data.n; ++i) share_copies(ev, w.data.at[i], now, leaders, false);
    for (size_t lane = 0; lane < ev->lanes && !ev->failed; ++lane) {
        one[lane] = now[lane];
        if (now[lane]) eval_block(ev, b, one);
        one[lane] = 0;
    }
    for (size_t i = 0; i < w.data.n; ++i) share_copies(ev, w.data.at[i], now, leaders, true);
}

/* ---- tvm_thread_allreduce -------------------------------------------------------------------- */

typedef struct allreduce {
    const ir_reducer *by;
    size_t n;
    const ir_node *const *values, *const *results;
    const ir_node *cond;
    uint64_t axes;
} allreduce;

static bool read_allreduce(eval *ev, const ir_call *c, allreduce *r)
{
    int64_t n = 0;
    if (!ir_const_value(c->args.at[0], &n) || n < 1 || n > 8 || c->args.n < 2 + 2 * (size_t)n ||
        ev->reducer == NULL || ev->reducer->lhs.n != (size_t)n) {
        eval_fail(ev, c->node.at, "an allreduce without its reducer, or of another size");
        return false;
    }
    size_t k = (size_t)n;
    *r = (allreduce){.by = ev->reducer,
                     .n = k,
                     .values = &c->args.at[1],
                     .cond = c->args.at[1 + k],
                     .results = &c->args.at[2 + k]};
    for (size_t i = 2 + 2 * k; i < c->args.n; ++i)
        r->axes |= eval_axes_used(ev, ir_eval_new(ev->scratch, c->args.at[i]));
    for (size_t i = 0; i < k; ++i) {
        if (r->results[i]->kind == IR_LOAD) continue;
        eval_fail(ev, c->node.at, "an allreduce writes to an element of a buffer");
        return false;
    }
    return true;
}

/* What the lane's team makes of its values, into out[0..n). */
static void reduce_team(eval_lane at, const allreduce *r, eval_cell *out)
{
    eval *ev = at.ev;
    eval_cell next[8];
    for (size_t i = 0; i < r->n; ++i) out[i] = eval_scalar(at, r->by->identity.at[i]);
    for (size_t lane = 0; lane < ev->lanes; ++lane) {
        eval_lane other = {ev, lane, at.mask};
        if (!eval_on(ev, at.mask, lane) || !eval_same_team(ev, at.lane, lane, r->axes)) continue;
        if (eval_scalar(other, r->cond).i == 0) continue;
        for (size_t i = 0; i < r->n; ++i) {
            eval_set(ev, r->by->lhs.at[i], at.lane, 0, out[i]);
            eval_set(ev, r->by->rhs.at[i], at.lane, 0, eval_scalar(other, r->values[i]));
        }
        for (size_t i = 0; i < r->n; ++i) next[i] = eval_scalar(at, r->by->result.at[i]);
        memcpy(out, next, r->n * sizeof *out);
    }
}

static void exec_allreduce(eval *ev, const ir_call *c, const unsigned char *mask)
{
    allreduce r;
    if (!read_allreduce(ev, c, &r)) return;
    eval_cell *all = arena_array(ev->scratch, eval_cell, ev->lanes * r.n);
    for (size_t lane = 0; lane < ev->lanes; ++lane) {
        if (eval_on(ev, mask, lane)) reduce_team((eval_lane){ev, lane, mask}, &r, all + lane * r.n);
    }
    for (size_t lane = 0; lane < ev->lanes && !ev->failed; ++lane) {
        for (size_t i = 0; i < r.n && eval_on(ev, mask, lane); ++i) {
            const ir_load *to = ir_as_load(r.results[i]);
            eval_lane here = {ev, lane, mask};
            eval_cell p;
            if (!eval_address(here, to->buffer, to->index, 0, &p)) return;
            eval_write(here, p, to->buffer->type, 0, c->node.at, all[lane * r.n + i]);
        }
    }
}

/* ---- 8x8 matrices ---------------------------------------------------------------------------- */

enum { SIDE = 8, CELLS = 64 };

/* A matrix operand: (data variable, index). */
typedef struct matrix {
    eval_cell at;
    ir_type type;
} matrix;

static bool read_matrix(eval_lane at, const ir_node *data, const ir_node *index, matrix *out)
{
    if (data->kind != IR_VAR || !ir_value_known(ir_as_var_ref(data)->var->pointee)) {
        eval_fail(at.ev, data->at, "a matrix operation takes the data of a buffer of matrices");
        return false;
    }
    out->type = ir_as_var_ref(data)->var->pointee;
    out->at = eval_scalar(at, data);
    out->at.i += eval_scalar(at, index).i * CELLS * (int64_t)ir_type_bytes(out->type);
    return !at.ev->failed;
}

static eval_cell get(eval_lane at, const matrix *m, size_t part)
{
    eval_cell c = {.i = 0};
    eval_read(at, m->at, m->type, part, (span){0}, &c);
    return c;
}

static void put(eval_lane at, const matrix *m, size_t part, ir_value v)
{
    ir_value fit;
    if (ir_value_cast(m->type, v, &fit, NULL))
        eval_write(at, m->at, m->type, part, (span){0}, eval_cell_of(fit));
}

static void fill(eval_lane at, const ir_call *c)
{
    matrix d;
    if (!read_matrix(at, c->args.at[0], c->args.at[1], &d)) return;
    ir_value v = eval_value(c->args.at[2]->type, eval_scalar(at, c->args.at[2]));
    for (size_t i = 0; i < CELLS && !at.ev->failed; ++i) put(at, &d, i, v);
}

/* Between memory (pointer, elements from row to row) and a matrix. */
static void move(eval_lane at, const ir_call *c, bool load)
{
    matrix d, m;
    if (!read_matrix(at, c->args.at[0], c->args.at[1], &d)) return;
    m = (matrix){eval_scalar(at, c->args.at[2]), d.type};
    int64_t stride = eval_scalar(at, c->args.at[3]).i, size = ir_type_bytes(d.type);
    bool transposed = c->args.n > 6 && eval_scalar(at, c->args.at[6]).i != 0;
    for (size_t i = 0; i < CELLS && !at.ev->failed; ++i) {
        int64_t row = (int64_t)i / SIDE, column = (int64_t)i % SIDE;
        matrix item = m;
        item.at.i += (transposed ? column * stride + row : row * stride + column) * size;
        if (load)
            put(at, &d, i, eval_value(d.type, get(at, &item, 0)));
        else
            put(at, &item, 0, eval_value(d.type, get(at, &d, i)));
    }
}

/* D = A B + C, sums kept in double and rounded once. */
static void multiply(eval_lane at, const ir_call *c)
{
    matrix m[4];
    for (size_t i = 0; i < 4; ++i) {
        if (!read_matrix(at, c->args.at[2 * i], c->args.at[2 * i + 1], &m[i])) return;
    }
    double sums[CELLS];
    for (size_t i = 0; i < CELLS; ++i) {
        sums[i] = get(at, &m[3], i).f;
        for (size_t k = 0; k < SIDE; ++k) {
            sums[i] +=
                get(at, &m[1], i / SIDE * SIDE + k).f * get(at, &m[2], k * SIDE + i % SIDE).f;
        }
    }
    for (size_t i = 0; i < CELLS && !at.ev->failed; ++i)
        put(at, &m[0], i, ir_value_float(m[0].type, sums[i]));
}

/* Once a simdgroup, whose threads must all be there. */
static void exec_matrix(eval *ev, const ir_call *c, const unsigned char *mask)
{
    for (size_t first = 0; first < ev->lanes && !ev->failed; first += EVAL_SIMD) {
        size_t on = 0, n = 0;
        for (size_t i = first; i < ev->lanes && i < first + EVAL_SIMD; ++i, ++n)
            on += eval_on(ev, mask, i);
        if (on == 0) continue;
        if (on != n)
            eval_fail(ev, c->node.at, "a matrix operation that only %zu of %zu threads reach", on,
                      n);
        eval_lane at = {ev, first, mask};
        if (c->fn == IR_FN_SIMD_FILL)
            fill(at, c);
        else if (c->fn == IR_FN_SIMD_MMA)
            multiply(at, c);
        else
            move(at, c, c->fn == IR_FN_SIMD_LOAD);
    }
}

/* After a launch: the number of the assertion that failed, counted from the last of the list; 0 for none. */
static void check_asserts(eval *ev, const ir_call *c, const unsigned char *mask)
{
    eval_lane at = {ev, 0, mask};
    eval_cell code = {.i = 0};
    if (!eval_read(at, eval_scalar(at, c->args.at[0]), IR_I32, 0, c->node.at, &code) || code.i == 0) return;
    size_t first = 2 * (size_t)code.i - 1;
    if (code.i < 0 || first + 1 >= c->args.n || c->args.at[first + 1]->kind != IR_STRING) {
        eval_fail(ev, c->node.at, "an assertion of no number");
        return;
    }
    eval_fail(ev, c->node.at, "%.*s: %.*s", STR_ARG(ir_as_string(c->args.at[first])->text),
              STR_ARG(ir_as_string(c->args.at[first + 1])->text));
}

void eval_call_stmt(eval *ev, const ir_call *c, const unsigned char *mask)
{
    switch ((int)c->fn) {
    case IR_FN_STORAGE_SYNC: meet(ev, c, mask); return;
    case IR_FN_ALLREDUCE: exec_allreduce(ev, c, mask); return;
    case IR_FN_SIMD_FILL:
    case IR_FN_SIMD_LOAD:
    case IR_FN_SIMD_STORE:
    case IR_FN_SIMD_MMA: exec_matrix(ev, c, mask); return;
    case IR_FN_CALL_PACKED: eval_packed(ev, c); return;
    case IR_FN_CHECK_ASSERTS: check_asserts(ev, c, mask); return;
    case IR_FN_CALL_EXTERN:
        eval_fail(ev, c->node.at, "functions from outside cannot be interpreted");
        return;
    default: break;
    }
    /* A value that nobody uses: still evaluated, for its checks. */
    for (size_t lane = 0; lane < ev->lanes; ++lane) {
        if (eval_on(ev, mask, lane)) eval_scalar((eval_lane){ev, lane, mask}, &c->node);
    }
}
