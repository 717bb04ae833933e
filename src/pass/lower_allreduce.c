/* lower_allreduce: a reduction over the threads of a threadgroup becomes shuffles and threadgroup memory.
 *
 * Why: Metal has no such operation for any reducer, any axes and any type.
 *
 *     T.tvm_thread_allreduce(1, v, True, out[0], tx)     # 64 threads, x + y
 *     ->  a = v + T.metal.simd_shuffle_down(v, 16) ... down to 1
 *         if tx % 32 == 0: staging[tx // 32] = a
 *         T.tvm_storage_sync("shared")
 *         out[0] = staging[0] + staging[1]
 *
 * Three ways, every thread getting the result:
 * - the reduced axes are the lowest, and 2 to 32 threads, a power of two: shuffles within the simdgroup, the
 *   first lane of each part then sent to all of its lanes;
 * - the lowest axes, a multiple of 32 threads: the same in each simdgroup, then over one value a simdgroup;
 * - else: a tree over threadgroup memory, for any number of threads and any axes.
 * Barriers between two uses of that memory are left to sync_threadgroup. A condition that not all threads
 * fulfil around the call, and extents that are not constants, are refused. */
#include "ir/fold.h"
#include "pass/reducer.h"
#include "pass/uniform.h"

enum { SIMD = 32, AXES = 3, MOST_THREADS = 1024 };

/* One call, taken apart. */
typedef struct reduction {
    const ir_node *call;
    const ir_reducer *fn;
    size_t n; /* values reduced together */
    const ir_node *const *values, *const *outs;
    const ir_node *cond;
    bool over[AXES];
} reduction;

/* The threadgroup: extents of x, y and z (1 where absent), and the variables. */
typedef struct group_shape {
    int64_t extent[AXES];
    const ir_var *var[AXES];
} group_shape;

typedef struct allreduce {
    ir_rewrite r;
    pass_context *cx;
    const uniformity *u;
    group_shape shape;
    bool known;   /* all extents are constants */
    bool varying; /* under a condition that not all threads fulfil */
} allreduce;

static const char *const tags[AXES] = {"threadIdx.x", "threadIdx.y", "threadIdx.z"};

/* ---- Reading the call ---------------------------------------------------------------------------- */

static int axis_of(const group_shape *s, const ir_node *n)
{
    if (n->kind == IR_CAST) n = ir_as_cast(n)->a;
    for (int k = 0; k < AXES; ++k) {
        if (n->kind == IR_VAR && s->var[k] == ir_as_var_ref(n)->var) return k;
    }
    return -1;
}

static bool refuse(allreduce *a, const ir_node *at, const char *why)
{
    diag_error(a->cx->diags, at->at, "T.tvm_thread_allreduce: %s", why);
    return false;
}

/* Names that stand before the call inside the attribute move out of it. */
static const ir_node *scope_call(const ir_attr *scope)
{
    if (scope->body->kind != IR_SEQ) return scope->body;
    ir_list body = ir_as_seq(scope->body)->body;
    for (size_t i = 0; i + 1 < body.n; ++i) {
        if (body.at[i]->kind != IR_DECL && body.at[i]->kind != IR_BIND) return scope->body;
    }
    return body.at[body.n - 1];
}

/* (size, value..., condition, out..., axis...) under a reduce_scope that carries the reducer. */
static bool read_call(allreduce *a, const ir_attr *scope, reduction *out)
{
    const ir_node *eval = scope_call(scope);
    if (eval->kind != IR_EVAL || ir_as_eval(eval)->value->kind != IR_CALL) return refuse(a, eval, "not a call");
    const ir_call *c = ir_as_call(ir_as_eval(eval)->value);
    int64_t size;
    if (scope->subject == NULL || scope->subject->kind != IR_REDUCER) return refuse(a, eval, "the attribute holds no reducer");
    const ir_reducer *fn = ir_as_reducer(scope->subject);
    if (!ir_const_value(c->args.at[0], &size) || size < 1 || size > 16 || (size_t)size != fn->result.n ||
        c->args.n < 2 * (size_t)size + 2) {
        return refuse(a, eval, "the number of values does not fit the reducer");
    }
    size_t n = (size_t)size;
    *out = (reduction){.call = &c->node, .fn = fn, .n = n, .values = c->args.at + 1, .cond = c->args.at[1 + n],
                       .outs = c->args.at + 2 + n};
    for (size_t i = 2 + 2 * n; i < c->args.n; ++i) {
        int k = axis_of(&a->shape, c->args.at[i]);
        if (k < 0 && c->args.at[i]->kind != IR_INT_IMM) return refuse(a, c->args.at[i], "this is no threadIdx axis");
        if (k >= 0) out->over[k] = true;
    }
    for (size_t i = 0; i < n; ++i) {
        if (out->outs[i]->kind != IR_LOAD) return refuse(a, out->outs[i], "the result needs an element of a buffer");
    }
    return true;
}

/* ---- Building ------------------------------------------------------------------------------------ */

typedef struct build {
    arena *mem;
    const reduction *d;
    const group_shape *shape;
    span at;
    ir_node_vec out;
    int64_t reduced, others;       /* threads of one reduction; reductions side by side */
    const ir_node *index, *group;  /* which thread of its reduction; which reduction */
    const ir_node **current;       /* the values so far: variables or constants */
} build;

static const ir_node *number(const build *b, int64_t v)
{
    return ir_int_new(b->mem, IR_I32, v, b->at);
}

static void emit(build *b, const ir_node *n)
{
    ir_node_vec_push(b->mem, &b->out, n);
}

static const ir_node *name(build *b, const char *text, const ir_node *value)
{
    const ir_var *v = ir_var_new(b->mem, str_of(text), value->type, b->at);
    emit(b, ir_make(b->mem, BIND, bind, b->at, IR_VOID, .var = v, .value = value));
    return ir_ref(b->mem, v, b->at);
}

static void barrier(build *b)
{
    const ir_node *scope = ir_string_new(b->mem, STR("shared"), b->at);
    emit(b, ir_eval_new(b->mem, ir_call_new(b->mem, IR_FN_STORAGE_SYNC, IR_VOID, ir_list_one(b->mem, scope), b->at)));
}

static void emit_if(build *b, const ir_node *cond, const ir_node_vec *body)
{
    const ir_node *yes = ir_seq_new(b->mem, body->at, body->n, b->at);
    emit(b, ir_make(b->mem, IF, if, b->at, IR_VOID, .cond = cond, .yes = yes));
}

/* current = fn(current, other), each value by name. */
static void combine(build *b, const ir_node *const *other)
{
    const ir_node **fresh = arena_array(b->mem, const ir_node *, b->d->n);
    for (size_t i = 0; i < b->d->n; ++i) {
        fresh[i] = name(b, "reduced", reducer_apply(b->mem, b->d->fn, i, b->current, other));
    }
    b->current = fresh;
}

/* The threads' numbers, x fastest, over the axes that are reduced and over the others. */
static void number_threads(build *b)
{
    b->reduced = b->others = 1;
    b->index = b->group = number(b, 0);
    for (int k = 0; k < AXES; ++k) {
        if (b->shape->extent[k] == 1) continue;
        const ir_node *v = ir_fold_cast(b->mem, IR_I32, ir_ref(b->mem, b->shape->var[k], b->at));
        const ir_node **sum = b->d->over[k] ? &b->index : &b->group;
        int64_t *count = b->d->over[k] ? &b->reduced : &b->others;
        *sum = ir_add(b->mem, *sum, ir_mul(b->mem, v, number(b, *count)));
        *count *= b->shape->extent[k];
    }
}

/* Is no axis below a reduced one left out? Then the threads of a reduction are neighbours. */
static bool is_lowest(const build *b)
{
    bool skipped = false;
    for (int k = 0; k < AXES; ++k) {
        if (b->shape->extent[k] == 1) continue;
        if (b->d->over[k] && skipped) return false;
        skipped |= !b->d->over[k];
    }
    return true;
}

/* What this thread gives: its value, or the identity where the condition fails. */
static void contribute(build *b)
{
    const reduction *d = b->d;
    b->current = arena_array(b->mem, const ir_node *, d->n);
    for (size_t i = 0; i < d->n; ++i) {
        const ir_node *args[] = {d->cond, d->values[i], ir_fold_cast(b->mem, d->values[i]->type, d->fn->identity.at[i])};
        const ir_node *value = ir_fold_call(b->mem, IR_FN_IF_THEN_ELSE, args[1]->type, ir_list_copy(b->mem, args, 3), b->at);
        b->current[i] = name(b, "part", value);
    }
}

/* ---- Within a simdgroup -------------------------------------------------------------------------- */

static const ir_node *shuffle(build *b, ir_builtin fn, const ir_node *v, const ir_node *lane)
{
    const ir_node *args[] = {v, lane};
    return name(b, "other", ir_call_new(b->mem, fn, v->type, ir_list_copy(b->mem, args, 2), b->at));
}

/* The first of `width` lanes gets what all of them hold together. */
static void shuffle_down(build *b, int64_t width)
{
    const ir_node **other = arena_array(b->mem, const ir_node *, b->d->n);
    for (int64_t by = width / 2; by >= 1; by /= 2) {
        for (size_t i = 0; i < b->d->n; ++i) other[i] = shuffle(b, IR_FN_SIMD_SHUFFLE_DOWN, b->current[i], number(b, by));
        combine(b, other);
    }
}

/* What the first lane of each part holds, to all of its lanes. */
static void share_first(build *b)
{
    int64_t parts = SIMD / b->reduced;
    const ir_node *first = b->others == 1 || parts == 1
                               ? number(b, 0)
                               : ir_mul(b->mem, ir_floormod(b->mem, b->group, number(b, parts)), number(b, b->reduced));
    const ir_node **all = arena_array(b->mem, const ir_node *, b->d->n);
    for (size_t i = 0; i < b->d->n; ++i) all[i] = shuffle(b, IR_FN_SIMD_SHUFFLE, b->current[i], first);
    b->current = all;
}

/* ---- Over threadgroup memory --------------------------------------------------------------------- */

static const ir_buffer *shared(build *b, const char *text, ir_type type, int64_t n)
{
    ir_buffer *s = arena_new(b->mem, ir_buffer);
    *s = (ir_buffer){.name = str_of(text), .type = type, .scope = IR_SCOPE_SHARED, .at = b->at,
                     .data = ir_var_pointer(b->mem, str_of(text), type, IR_SCOPE_SHARED, b->at),
                     .shape = ir_list_one(b->mem, number(b, n))};
    emit(b, ir_make(b->mem, ALLOC, alloc, b->at, IR_VOID, .buffer = s));
    return s;
}

static const ir_node *load(const build *b, const ir_buffer *s, const ir_node *at)
{
    return ir_load_new(b->mem, s, ir_list_one(b->mem, at), b->at);
}

static const ir_node *store(const build *b, const ir_buffer *s, const ir_node *at, const ir_node *v)
{
    return ir_store_new(b->mem, s, ir_list_one(b->mem, at), v, b->at);
}

/* One value a simdgroup goes through memory; then every thread combines them all in the same order. */
static void over_simdgroups(build *b)
{
    int64_t n = b->reduced / SIMD;
    const ir_buffer **staging = arena_array(b->mem, const ir_buffer *, b->d->n);
    const ir_node *mine = ir_add(b->mem, ir_mul(b->mem, b->group, number(b, n)), ir_floordiv(b->mem, b->index, number(b, SIMD)));
    ir_node_vec writes = {0};
    for (size_t i = 0; i < b->d->n; ++i) {
        staging[i] = shared(b, "staging", b->current[i]->type, n * b->others);
        ir_node_vec_push(b->mem, &writes, store(b, staging[i], mine, b->current[i]));
    }
    emit_if(b, ir_eq(b->mem, ir_floormod(b->mem, b->index, number(b, SIMD)), number(b, 0)), &writes);
    barrier(b);
    const ir_node **other = arena_array(b->mem, const ir_node *, b->d->n);
    for (int64_t k = 0; k < n; ++k) {
        const ir_node *at = ir_add(b->mem, ir_mul(b->mem, b->group, number(b, n)), number(b, k));
        for (size_t i = 0; i < b->d->n; ++i) other[i] = name(b, "other", load(b, staging[i], at));
        if (k != 0) {
            combine(b, other);
            continue;
        }
        b->current = other;
        other = arena_array(b->mem, const ir_node *, b->d->n);
    }
}

/* Threads below `count` take in what lies `count` further on. */
static void tree_step(build *b, const ir_buffer *const *tree, const ir_node *at, int64_t threads, int64_t distance)
{
    build step = *b;
    step.out = ir_node_vec_none();
    const ir_node **mine = arena_array(b->mem, const ir_node *, b->d->n), **other = arena_array(b->mem, const ir_node *, b->d->n);
    for (size_t i = 0; i < b->d->n; ++i) {
        mine[i] = name(&step, "mine", load(b, tree[i], at));
        other[i] = name(&step, "other", load(b, tree[i], ir_add(b->mem, at, number(b, distance))));
    }
    step.current = mine;
    combine(&step, other);
    for (size_t i = 0; i < b->d->n; ++i) emit(&step, store(b, tree[i], at, step.current[i]));
    emit_if(b, ir_lt(b->mem, b->index, number(b, threads)), &step.out);
    barrier(b);
}

static void over_tree(build *b)
{
    const ir_buffer **tree = arena_array(b->mem, const ir_buffer *, b->d->n);
    const ir_node *first = ir_mul(b->mem, b->group, number(b, b->reduced)), *at = ir_add(b->mem, first, b->index);
    for (size_t i = 0; i < b->d->n; ++i) {
        tree[i] = shared(b, "tree", b->current[i]->type, b->reduced * b->others);
        emit(b, store(b, tree[i], at, b->current[i]));
    }
    barrier(b);
    int64_t power = 1;
    while (power * 2 <= b->reduced) power *= 2;
    if (power < b->reduced) tree_step(b, tree, at, b->reduced - power, power);
    for (int64_t half = power / 2; half >= 1; half /= 2) tree_step(b, tree, at, half, half);
    for (size_t i = 0; i < b->d->n; ++i) b->current[i] = name(b, "reduced", load(b, tree[i], first));
}

/* ---- Rewriting ----------------------------------------------------------------------------------- */

static const ir_node *expand(allreduce *a, const reduction *d)
{
    build b = {.mem = a->r.mem, .d = d, .shape = &a->shape, .at = d->call->at};
    number_threads(&b);
    contribute(&b);
    bool power_of_two = (b.reduced & (b.reduced - 1)) == 0;
    bool shuffles = is_lowest(&b) && a->cx->target->thread_warp_size == SIMD;
    if (b.reduced > 1 && b.reduced <= SIMD && power_of_two && shuffles) {
        shuffle_down(&b, b.reduced);
        share_first(&b);
    } else if (b.reduced > SIMD && b.reduced % SIMD == 0 && shuffles) {
        shuffle_down(&b, SIMD);
        over_simdgroups(&b);
    } else if (b.reduced > 1) {
        over_tree(&b);
    }
    for (size_t i = 0; i < d->n; ++i) {
        const ir_load *out = ir_as_load(d->outs[i]);
        emit(&b, ir_store_new(b.mem, out->buffer, out->index, ir_fold_cast(b.mem, out->node.type, b.current[i]), b.at));
    }
    return ir_seq_new(b.mem, b.out.at, b.out.n, b.at);
}

static const ir_node *scope(allreduce *a, const ir_node *n)
{
    reduction d;
    if (a->varying) {
        refuse(a, n, "not all threads of the threadgroup come here, so they cannot reduce together");
    } else if (!a->known) {
        refuse(a, n, "the extents of the threadIdx axes must be constants, 1024 threads at most");
    } else if (read_call(a, ir_as_attr(n), &d)) {
        const ir_node *body = ir_as_attr(n)->body, *expanded = expand(a, &d);
        if (body->kind != IR_SEQ) return expanded;
        ir_list list = ir_as_seq(body)->body;
        const ir_node **at = arena_copy(a->r.mem, list.at, list.n * sizeof *at);
        at[list.n - 1] = expanded;
        return ir_seq_new(a->r.mem, at, list.n, n->at);
    }
    return n;
}

static const ir_node *visit(ir_rewrite *r, const ir_node *n)
{
    allreduce *a = (allreduce *)(void *)r;
    if (!ir_is_stmt(n)) return n;
    if (n->kind == IR_ATTR && str_is(ir_as_attr(n)->key, "reduce_scope")) return scope(a, n);
    if (n->kind == IR_EVAL && ir_as_eval(n)->value->kind == IR_CALL &&
        ir_as_call(ir_as_eval(n)->value)->fn == IR_FN_ALLREDUCE) {
        refuse(a, n, "it needs a reduce_scope attribute with the reducer around it");
        return n;
    }
    bool outer = a->varying;
    if (n->kind == IR_IF) a->varying |= varies(a->u, ir_as_if(n)->cond);
    if (n->kind == IR_FOR || n->kind == IR_WHILE) a->varying |= loop_varies(a->u, n);
    n = ir_rewrite_children(r, n);
    a->varying = outer;
    return n;
}

static void find_call(void *user, const ir_node *n)
{
    bool *found = user;
    *found |= n->kind == IR_CALL && ir_as_call(n)->fn == IR_FN_ALLREDUCE;
}

static const ir_node *lower_region(void *user, const ir_node *region)
{
    pass_context *cx = user;
    bool found = false;
    ir_each(region, find_call, &found);
    if (!found) return region;
    region_axes axes = region_axes_of(cx->mem, region);
    uniformity u = uniformity_of(cx->mem, region, &axes);
    allreduce a = {.r = {.mem = cx->mem, .node = visit}, .cx = cx, .u = &u, .known = true};
    int64_t threads = 1;
    for (int k = 0; k < AXES; ++k) {
        const region_axis *axis = region_axis_tagged(&axes, tags[k]);
        a.shape.extent[k] = 1;
        if (axis == NULL) continue;
        a.shape.var[k] = axis->var;
        a.shape.extent[k] = region_axis_extent(axis);
        a.known = a.known && a.shape.extent[k] >= 1 && a.shape.extent[k] <= MOST_THREADS;
        if (a.known) threads *= a.shape.extent[k];
    }
    a.known = a.known && threads <= MOST_THREADS;
    return visit(&a.r, region);
}

static const ir_node *lower_body(pass_context *cx, const ir_func *f)
{
    return region_each(cx->mem, f->body, lower_region, cx);
}

const ir_module *pass_lower_allreduce(pass_context *cx, const ir_module *m)
{
    return pass_each_body(cx, m, lower_body);
}
