/* sync_threadgroup: a barrier wherever threads of a group meet in threadgroup memory without one.
 *
 * Why: TVMScript programs state what is computed; who waits for whom is for the compiler to see.
 *
 *     S[tx] = A[tx]                        S[tx] = A[tx]
 *     B[tx] = S[31 - tx]           ->      T.tvm_storage_sync("shared")
 *                                          B[tx] = S[31 - tx]
 *
 * Read after write, write after read and write after write count, from one statement to the next and from
 * one round of a loop to a later one; places that are provably one thread's own do not (sync_access.h).
 * A barrier stands right before the later access, or before the loop around it where that does. Barriers
 * as written count. Under a condition that varies between threads a barrier is lifted out (lift_barrier.h)
 * or refused. Left alone: device memory, which no barrier of Metal orders between groups. */
#include "ir/fold.h"
#include "pass/lift_barrier.h"
#include "pass/sync_access.h"
#include "pass/thread_axis.h"

/* The loop around the statement being looked at, and what its jumps leave pending. */
typedef struct loop_frame {
    const ir_node *loop;
    const ir_node *cond; /* of a WHILE: read before each round */
    const ir_var *var;   /* of a FOR */
    const ir_node *body;
    access_vec after_continue, after_break;
} loop_frame;

typedef struct scan {
    pass_context *cx;
    sync_space space;
    access_vec pending;  /* since the last barrier */
    unsigned barriers;   /* that emptied `pending` so far */
    loop_frame *loop;    /* innermost, or NULL */
    map needed;          /* statements that a barrier must come before */
    map needed_at_end;   /* loops that need one at the end of each round */
    map settled;         /* loops whose inner barriers are decided */
    bool testing;        /* only asking: conflicts set `hit` */
    bool hit;
    bool found;          /* a barrier was decided on */
} scan;

static void scan_stmt(scan *s, const ir_node *n);

static void add_all(scan *s, access_vec *to, const access_vec *from)
{
    for (size_t i = 0; i < from->n; ++i) sync_add(s->cx->mem, to, &from->at[i]);
}

/* The same accesses; what either of the two gets more is not seen through the other. */
static access_vec kept(const access_vec *v)
{
    return (access_vec){.at = v->at, .n = v->n, .cap = v->n};
}

static void forget_pending(scan *s)
{
    s->pending = access_vec_none();
    ++s->barriers;
}

static void need(scan *s, map *where, const ir_node *stmt)
{
    map_put_id(s->cx->mem, where, stmt, stmt);
    s->found = true;
    forget_pending(s);
}

/* The accesses happen after all that is pending; a barrier between goes to `stmt` in `where`. */
static void meet(scan *s, map *where, const ir_node *stmt, const access_vec *fresh)
{
    bool conflict = false;
    for (size_t i = 0; i < fresh->n && !conflict; ++i) {
        for (size_t j = 0; j < s->pending.n && !conflict; ++j) {
            conflict = sync_conflict(&s->space, &s->pending.at[j], &fresh->at[i]);
        }
    }
    if (conflict && s->testing) s->hit = true;
    else if (conflict) need(s, where, stmt);
    add_all(s, &s->pending, fresh);
}

static void meet_reads(scan *s, map *where, const ir_node *stmt, const ir_node *expr)
{
    access_vec fresh = {0};
    sync_reads(&s->space, expr, &fresh);
    meet(s, where, stmt, &fresh);
}

/* ---- Branches ----------------------------------------------------------------------------------- */

static void scan_if(scan *s, const ir_if *n)
{
    meet_reads(s, &s->needed, &n->node, n->cond);
    thread_box box = s->space.box;
    unsigned barriers = s->barriers;
    access_vec before = kept(&s->pending);
    sync_assume(&s->space, n->cond, true);
    scan_stmt(s, n->yes);
    access_vec after_yes = s->pending;
    s->pending = before;
    s->space.box = box;
    if (n->no != NULL) {
        sync_assume(&s->space, n->cond, false);
        scan_stmt(s, n->no);
        s->space.box = box;
    }
    /* Both ways begin with what was pending before, unless a barrier is on one. */
    for (size_t i = s->barriers == barriers ? before.n : 0; i < after_yes.n; ++i) {
        sync_add(s->cx->mem, &s->pending, &after_yes.at[i]);
    }
}

/* ---- Loops -------------------------------------------------------------------------------------- */

/* One round from what is pending; leaves pending what the next round begins with. A barrier that the
 * condition needs goes to the loop in `where`. */
static void scan_round(scan *s, loop_frame *f, map *where)
{
    loop_frame *outer = s->loop;
    s->loop = f;
    f->after_break = f->after_continue = access_vec_none();
    if (f->cond != NULL) {
        meet_reads(s, where, f->loop, f->cond);
        add_all(s, &f->after_break, &s->pending);
    }
    scan_stmt(s, f->body);
    s->loop = outer;
    if (map_get_id(&s->needed_at_end, f->loop) != NULL) forget_pending(s);
    add_all(s, &s->pending, &f->after_continue);
}

/* Decides the barriers inside the loop: those within a round, then those between rounds. */
static void settle(scan *s, loop_frame *f)
{
    if (map_get_id(&s->settled, f->loop) != NULL) return;
    map_put_id(s->cx->mem, &s->settled, f->loop, f->loop);
    static const ir_var mark = {.type = {.code = IR_HANDLE}};
    access before = {.memory = &mark};
    forget_pending(s);
    sync_add(s->cx->mem, &s->pending, &before);
    scan_round(s, f, &s->needed);
    /* Where every way through a round leads past a barrier, what is pending stems from the round just before. */
    bool last = true;
    access_vec earlier = {0};
    for (size_t i = 0; i < s->pending.n; ++i) last &= s->pending.at[i].memory != &mark;
    for (size_t i = 0; i < s->pending.n; ++i) {
        access a = f->var != NULL ? sync_earlier(&s->space, &s->pending.at[i], f->var, last) : s->pending.at[i];
        sync_add(s->cx->mem, &earlier, &a);
    }
    s->pending = earlier;
    scan_round(s, f, &s->needed_at_end);
}

/* A round from outside, changing nothing but what is pending. Is there a conflict? */
static bool test_round(scan *s, loop_frame *f)
{
    bool testing = s->testing, hit = s->hit;
    s->testing = true;
    s->hit = false;
    scan_round(s, f, &s->needed);
    bool met = s->hit;
    s->testing = testing;
    s->hit = hit;
    return met;
}

static void add_outside(scan *s, const loop_frame *f, const access_vec *of, size_t first)
{
    for (size_t i = first; i < of->n; ++i) {
        access a = f->var != NULL ? sync_outside(&s->space, &of->at[i], f->var) : of->at[i];
        sync_add(s->cx->mem, &s->pending, &a);
    }
}

/* What is pending after the loop: each access of a round stands for the same in every round. `before`: without one;
 * the rest begins with it unless there was a barrier. */
static void leave(scan *s, const loop_frame *f, const access_vec *before, bool barrier)
{
    access_vec round = s->pending;
    s->pending = kept(before);
    add_outside(s, f, &round, barrier ? 0 : before->n);
    add_outside(s, f, &f->after_break, 0);
}

/* The variable of a loop that every thread goes round alike has a range; else it is any thread's own. */
static void scan_loop(scan *s, loop_frame f)
{
    access_vec before = kept(&s->pending);
    if (!s->testing) settle(s, &f);
    s->pending = kept(&before);
    unsigned barriers = s->barriers;
    if (test_round(s, &f)) {
        if (s->testing) {
            s->hit = true;
        } else {
            need(s, &s->needed, f.loop);
            before = access_vec_none();
            test_round(s, &f);
        }
    }
    leave(s, &f, &before, s->barriers != barriers);
}

static void scan_jump(scan *s, const ir_node *n)
{
    loop_frame *f = s->loop;
    if (f == NULL) return;
    bool again = n->kind == IR_CONTINUE;
    if (again && map_get_id(&s->needed_at_end, f->loop) != NULL) {
        if (s->testing) forget_pending(s);
        else need(s, &s->needed, n);
    }
    add_all(s, again ? &f->after_continue : &f->after_break, &s->pending);
    forget_pending(s);
}

/* ---- Statements --------------------------------------------------------------------------------- */

static void scan_stmt(scan *s, const ir_node *n)
{
    if (map_get_id(&s->needed, n) != NULL) forget_pending(s);
    access_vec fresh = {0};
    switch ((int)n->kind) {
    case IR_SEQ:
        for (size_t i = 0; i < ir_as_seq(n)->body.n; ++i) scan_stmt(s, ir_as_seq(n)->body.at[i]);
        return;
    case IR_THREAD: scan_stmt(s, ir_as_thread(n)->body); return;
    case IR_ATTR: scan_stmt(s, ir_as_attr(n)->body); return;
    case IR_IF: scan_if(s, ir_as_if(n)); return;
    case IR_FOR:
        meet_reads(s, &s->needed, n, ir_as_for(n)->extent);
        scan_loop(s, (loop_frame){.loop = n, .var = ir_as_for(n)->var, .body = ir_as_for(n)->body});
        return;
    case IR_WHILE:
        scan_loop(s, (loop_frame){.loop = n, .cond = ir_as_while(n)->cond, .body = ir_as_while(n)->body});
        return;
    case IR_BREAK:
    case IR_CONTINUE: scan_jump(s, n); return;
    default: break;
    }
    if (is_barrier(n)) {
        forget_pending(s);
        return;
    }
    sync_accesses(&s->space, n, &fresh);
    meet(s, &s->needed, n, &fresh);
}

/* ---- What the accesses are seen in terms of ------------------------------------------------------ */

static void note_variable(void *user, const ir_node *n)
{
    sync_space *space = user;
    if (n->kind == IR_FOR) ir_analyzer_bind(space->az, ir_as_for(n)->var, ir_as_for(n)->min, ir_as_for(n)->extent);
    if (n->kind != IR_BIND) return;
    const ir_bind *b = ir_as_bind(n);
    if (ir_reads_memory(b->value) && !ir_type_is_pointer(b->var->type)) {
        /* Another value each time that the statement is run. */
        map_put_id(space->mem, &space->moving, b->var, n);
    } else {
        map_put_id(space->mem, &space->lets, b->var, ir_substitute(space->mem, b->value, &space->lets));
    }
}

static bool set_up(scan *s, const ir_node *region, const region_axes *axes, const uniformity *u)
{
    sync_space *space = &s->space;
    space->az = ir_analyzer_new(space->mem);
    space->varying = &u->varying;
    region_axes_know(space->az, space->mem, axes);
    for (size_t i = 0; i < axes->n; ++i) {
        const region_axis *a = &axes->at[i];
        if (!region_axis_is_local(a)) continue;
        if (space->axis_count == SYNC_AXES) {
            diag_error(s->cx->diags, a->at, "a fourth axis of threads, '%.*s'", STR_ARG(a->tag));
            return false;
        }
        int64_t extent = region_axis_extent(a);
        space->box.axis[space->axis_count] = (ir_interval){0, extent > 0 ? extent - 1 : IR_POS_INF};
        space->axes[space->axis_count++] = a->var;
    }
    ir_each(region, note_variable, space);
    return true;
}

/* ---- Putting the barriers in --------------------------------------------------------------------- */

typedef struct insertion {
    ir_rewrite r;
    const scan *s;
} insertion;

static const ir_node *barrier(arena *mem, span at)
{
    const ir_node *scope = ir_string_new(mem, STR("shared"), at);
    return ir_eval_new(mem, ir_call_new(mem, IR_FN_STORAGE_SYNC, IR_VOID, ir_list_one(mem, scope), at));
}

static const ir_node *at_end(arena *mem, const ir_node *loop)
{
    const ir_node *body = loop->kind == IR_FOR ? ir_as_for(loop)->body : ir_as_while(loop)->body;
    const ir_node *both[] = {body, barrier(mem, loop->at)};
    const ir_node *longer = ir_seq_new(mem, both, 2, loop->at);
    if (loop->kind == IR_FOR) {
        ir_for copy = *ir_as_for(loop);
        copy.body = longer;
        return arena_copy(mem, &copy, sizeof copy);
    }
    ir_while copy = *ir_as_while(loop);
    copy.body = longer;
    return arena_copy(mem, &copy, sizeof copy);
}

static const ir_node *insert(ir_rewrite *r, const ir_node *n)
{
    const scan *s = ((insertion *)(void *)r)->s;
    if (!ir_is_stmt(n)) return n;
    const ir_node *fresh = ir_rewrite_children(r, n);
    if (map_get_id(&s->needed_at_end, n) != NULL) fresh = at_end(r->mem, fresh);
    if (map_get_id(&s->needed, n) == NULL) return fresh;
    const ir_node *both[] = {barrier(r->mem, n->at), fresh};
    return ir_seq_new(r->mem, both, 2, n->at);
}

/* ---- A region ------------------------------------------------------------------------------------ */

typedef struct memory_use {
    bool found;
} memory_use;

static void find_group_memory(void *user, const ir_node *n)
{
    memory_use *m = user;
    const ir_var *v = NULL;
    if (n->kind == IR_LOAD) v = ir_as_load(n)->buffer->data;
    if (n->kind == IR_STORE) v = ir_as_store(n)->buffer->data;
    if (n->kind == IR_VAR) v = ir_as_var_ref(n)->var;
    if (v == NULL || !ir_type_is_pointer(v->type)) return;
    m->found |= thread_scope_is_shared(v->scope);
}

/* Rounds of lifting; each moves at least one barrier out of one condition. */
enum { MOST_ROUNDS = 64 };

static const ir_node *sync_region(void *user, const ir_node *region)
{
    pass_context *cx = user;
    memory_use use = {false};
    ir_each(region, find_group_memory, &use);
    if (!use.found && !has_barrier(region)) return region;
    unsigned errors = cx->diags->errors;
    for (int round = 0; round < MOST_ROUNDS && cx->diags->errors == errors; ++round) {
        region_axes axes = region_axes_of(cx->mem, region);
        uniformity u = uniformity_of(cx->mem, region, &axes);
        scan s = {.cx = cx, .space = {.mem = cx->mem}};
        if (!set_up(&s, region, &axes, &u)) return region;
        scan_stmt(&s, region);
        insertion i = {.r = {.mem = cx->mem, .node = insert}, .s = &s};
        if (s.found) region = insert(&i.r, region);
        bool lifted = false;
        region = lift_barriers(cx, &axes, region, &lifted);
        if (!lifted && !s.found) return region;
    }
    if (cx->diags->errors == errors) diag_error(cx->diags, region->at, "internal: the barriers do not settle");
    return region;
}

static const ir_node *sync_body(pass_context *cx, const ir_func *f)
{
    return region_each(cx->mem, f->body, sync_region, cx);
}

const ir_module *pass_sync_threadgroup(pass_context *cx, const ir_module *m)
{
    return pass_each_body(cx, m, sync_body);
}
