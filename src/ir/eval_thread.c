/* The interpreter's threads: regions, their axes, groups one after the other, simdgroups. */
#include "ir/eval_inner.h"
#include "ir/walk.h"

bool eval_is_virtual(str tag)
{
    return str_starts(tag, STR("vthread")) || str_is(tag, "cthread");
}

static bool is_block_axis(str tag)
{
    return str_starts(tag, STR("blockIdx."));
}

/* ---- The axes of a region -------------------------------------------------------------------- */

static eval_axis *find_axis(eval *ev, str tag, const ir_var *var)
{
    for (size_t i = 0; i < ev->axes.n; ++i) {
        eval_axis *a = &ev->axes.at[i];
        if (str_eq(a->tag, tag) && (a->var == NULL || a->var == var)) return a;
    }
    return NULL;
}

static bool launched_extent(const eval_launch *launch, str tag, int64_t *out)
{
    for (size_t i = 0; launch != NULL && i < launch->n; ++i) {
        if (!str_eq(launch->tags[i], tag)) continue;
        *out = launch->extents[i];
        return true;
    }
    return false;
}

static void add_axis(eval *ev, str tag, const ir_var *var, const ir_node *extent, span at)
{
    static const unsigned char on[1] = {1};
    int64_t n;
    bool known = is_block_axis(tag) || str_starts(tag, STR("threadIdx.")) || eval_is_virtual(tag);
    if (!known) eval_fail(ev, at, "'%.*s' is no thread axis", STR_ARG(tag));
    if (ev->failed || find_axis(ev, tag, var) != NULL) return;
    if (!launched_extent(ev->launch, tag, &n)) n = eval_scalar((eval_lane){ev, 0, on}, extent).i;
    eval_axis a = {.tag = tag, .extent = n, .var = eval_is_virtual(tag) ? var : NULL};
    eval_axes_push(ev->keep, &ev->axes, a);
}

static void gather(void *user, const ir_node *n)
{
    eval *ev = user;
    if (n->kind == IR_THREAD) {
        const ir_thread *t = ir_as_thread(n);
        add_axis(ev, t->tag, t->var, t->extent, n->at);
    } else if (n->kind == IR_FOR && ir_as_for(n)->loop == IR_THREAD_BOUND) {
        const ir_for *f = ir_as_for(n);
        add_axis(ev, f->tag, f->var, f->extent, n->at);
    }
}

/* threadIdx.x runs fastest, then y, z, then virtual threads. */
static void number_lanes(eval *ev)
{
    size_t lanes = 1;
    static const char *const tags[] = {"threadIdx.x", "threadIdx.y", "threadIdx.z"};
    for (int i = 0; i < 3; ++i) {
        eval_axis *a = find_axis(ev, str_of(tags[i]), NULL);
        if (a == NULL) continue;
        a->step = lanes;
        if (a->extent < 0 || a->extent > EVAL_MAX_LANES / (int64_t)lanes)
            a->extent = EVAL_MAX_LANES / (int64_t)lanes + 1;
        lanes *= (size_t)a->extent;
        if (lanes == 0 || lanes > EVAL_MAX_LANES) break;
    }
    ev->threads = lanes;
    for (size_t i = 0; i < ev->axes.n; ++i) {
        eval_axis *a = &ev->axes.at[i];
        if (a->var == NULL || a->extent < 1 || a->extent > EVAL_MAX_LANES) continue;
        a->step = lanes;
        lanes *= (size_t)a->extent;
        if (lanes > EVAL_MAX_LANES) break;
    }
    ev->lanes = lanes;
}

bool eval_coordinate(eval *ev, str tag, const ir_var *var, size_t lane, span where, int64_t *out)
{
    const eval_axis *a = find_axis(ev, tag, var);
    map_put_id(ev->keep, &ev->axis_vars, var, a);
    if (a == NULL) {
        eval_fail(ev, where, "thread axis '%.*s' is not of this region", STR_ARG(tag));
        return false;
    }
    *out = a->step == 0 ? a->at : (int64_t)(lane / a->step) % a->extent;
    return true;
}

/* ---- Running --------------------------------------------------------------------------------- */

/* To the next group; false after the last. */
static bool next_group(eval *ev)
{
    for (size_t i = ev->axes.n; i-- > 0;) {
        eval_axis *a = &ev->axes.at[i];
        if (!is_block_axis(a->tag)) continue;
        if (++a->at < a->extent) return true;
        a->at = 0;
    }
    return false;
}

static bool launches_nothing(const eval *ev)
{
    for (size_t i = 0; i < ev->axes.n; ++i) {
        if (ev->axes.at[i].extent <= 0) return true;
    }
    return false;
}

static void run_groups(eval *ev, const ir_node *n)
{
    unsigned char *all = arena_zeroed(ev->scratch, ev->lanes, 1);
    memset(all, 1, ev->lanes);
    do {
        ++ev->group;
        memset(ev->state, EVAL_RUNS, ev->lanes);
        eval_exec(ev, n, all);
    } while (!ev->failed && next_group(ev));
}

void eval_region(eval *ev, const ir_node *n)
{
    unsigned char *outer_state = ev->state;
    ev->axes = (eval_axes){0};
    ir_each(n, gather, ev);
    if (ev->failed || launches_nothing(ev)) return;
    number_lanes(ev);
    if (ev->lanes > EVAL_MAX_LANES) {
        ev->lanes = 1;
        eval_fail(ev, n->at, "too many threads in a threadgroup to interpret");
        return;
    }
    ev->state = arena_zeroed(ev->scratch, ev->lanes, 1);
    ev->in_region = true;
    eval_enter_memory(ev);
    run_groups(ev, n);
    ev->in_region = false;
    ev->lanes = ev->threads = 1;
    ev->state = outer_state;
}

/* ---- Teams ----------------------------------------------------------------------------------- */

typedef struct using_walk {
    ir_walk w;
    const eval *ev;
    uint64_t bits;
} using_walk;

static void note_node(ir_walk *w, const ir_node *n)
{
    ir_walk_children(w, n);
}

static void note_var(ir_walk *w, const ir_var *v)
{
    using_walk *u = (using_walk *)(void *)w;
    const eval_axis *a = map_get_id(&u->ev->axis_vars, v);
    const uint64_t *named = map_get_id(&u->ev->named_axes, v);
    if (named != NULL) u->bits |= *named;
    for (size_t i = 0; i < u->ev->axes.n && i < 64; ++i) {
        if (a == &u->ev->axes.at[i] && a->step != 0 && a->var == NULL) u->bits |= (uint64_t)1 << i;
    }
}

uint64_t eval_axes_used(const eval *ev, const ir_node *n)
{
    using_walk u = {.w = {.node = note_node, .use_var = note_var}, .ev = ev};
    if (ev->in_region) ir_walk_children(&u.w, n);
    return u.bits;
}

void eval_note_axes(eval *ev, const ir_var *v, const ir_node *value)
{
    if (!ev->in_region || map_get_id(&ev->named_axes, v) != NULL) return;
    uint64_t bits = eval_axes_used(ev, ir_eval_new(ev->scratch, value));
    map_put_id(ev->keep, &ev->named_axes, v, arena_copy(ev->keep, &bits, sizeof bits));
}

bool eval_same_team(const eval *ev, size_t lane, size_t other, uint64_t axes)
{
    for (size_t i = 0; i < ev->axes.n; ++i) {
        const eval_axis *a = &ev->axes.at[i];
        if (a->step == 0 || (i < 64 && (axes >> i & 1) != 0)) continue;
        if (lane / a->step % (size_t)a->extent != other / a->step % (size_t)a->extent) return false;
    }
    return true;
}

/* ---- Simdgroups ------------------------------------------------------------------------------ */

/* The lane of the group's threads whose value a lane takes: its own where the one asked for is not
 * there. */
static size_t source_lane(eval_lane at, const ir_call *c)
{
    size_t thread = at.lane % at.ev->threads, own = thread % EVAL_SIMD;
    bool metal = c->args.n == 2;
    int64_t arg = eval_scalar(at, c->args.at[metal ? 1 : 2]).i;
    int64_t width = metal ? EVAL_SIMD : eval_scalar(at, c->args.at[3]).i;
    if (width <= 0 || width > EVAL_SIMD) width = EVAL_SIMD;
    int64_t first = (int64_t)own / width * width, target = (int64_t)own;
    switch ((int)c->fn) {
    case IR_FN_SHUFFLE:
    case IR_FN_SIMD_SHUFFLE: target = first + ((arg % width) + width) % width; break;
    case IR_FN_SHUFFLE_UP:
    case IR_FN_SIMD_SHUFFLE_UP: target = (int64_t)own - arg; break;
    case IR_FN_SHUFFLE_DOWN:
    case IR_FN_SIMD_SHUFFLE_DOWN: target = (int64_t)own + arg; break;
    default: target = (int64_t)own ^ arg; break;
    }
    if (target < first || target >= first + width) target = (int64_t)own;
    size_t other = thread - own + (size_t)target;
    if (other >= at.ev->threads) other = thread;
    return at.lane - thread + other;
}

eval_cell eval_shuffle(eval_lane at, const ir_call *c, size_t element)
{
    const ir_node *value = c->args.at[c->args.n == 2 ? 0 : 1];
    size_t from = source_lane(at, c);
    if (at.mask != NULL && !eval_on(at.ev, at.mask, from)) from = at.lane;
    return eval_element((eval_lane){at.ev, from, at.mask}, value, element);
}

eval_cell eval_active(eval_lane at)
{
    size_t first = at.lane / EVAL_SIMD * EVAL_SIMD;
    uint32_t bits = 0;
    for (size_t i = 0; i < EVAL_SIMD && first + i < at.ev->lanes; ++i) {
        if (eval_on(at.ev, at.mask, first + i)) bits |= 1u << i;
    }
    return (eval_cell){.i = (int64_t)bits};
}

eval_cell eval_vote(eval_lane at, const ir_call *c)
{
    size_t first = at.lane / EVAL_SIMD * EVAL_SIMD;
    uint32_t here = 0, yes = 0;
    for (size_t i = 0; i < EVAL_SIMD && first + i < at.ev->lanes; ++i) {
        if (!eval_on(at.ev, at.mask, first + i)) continue;
        here |= 1u << i;
        if (eval_scalar((eval_lane){at.ev, first + i, at.mask}, c->args.at[0]).i != 0) yes |= 1u << i;
    }
    if (c->fn == IR_FN_SIMD_ANY) return (eval_cell){.i = yes != 0};
    if (c->fn == IR_FN_SIMD_ALL) return (eval_cell){.i = yes == here};
    return (eval_cell){.i = (int64_t)yes};
}
