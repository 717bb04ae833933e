/* Loops and thread axes. */
#include "front/script_inner.h"
#include "ir/fold.h"

/* ---- Making loops ---------------------------------------------------------------------------- */

/* Start and extent of a loop from its bounds; one type for both. A loop of T that has only an end (`typed`) counts in the end's type,
 * however narrow; Python's range starts at its int 0. False: reported. */
static bool set_bounds(script *s, loop_spec *loop, value start, value stop, span at, bool typed)
{
    bool one = !value_is_given(stop);
    const ir_node *b = to_index(s, one ? start : stop, at);
    const ir_node *a = !one ? to_index(s, start, at) : b != NULL && typed ? ir_int_like(s->mem, b, 0) : to_index(s, value_int(0), at);
    if (a == NULL || b == NULL) return false;
    if (a->type.lanes != 1 || b->type.lanes != 1) {
        script_error(s, at, "the bounds of a loop are scalars");
        return false;
    }
    if (!ir_unify(s->mem, &a, &b)) return false;
    if (!one && a->type.bits < 32) { /* the extent may be more than the type holds */
        a = ir_fold_cast(s->mem, IR_I32, a);
        b = ir_fold_cast(s->mem, IR_I32, b);
    }
    loop->min = a;
    loop->extent = one ? b : range_extent(s, a, b);
    return loop->extent != NULL;
}

static bool set_step(script *s, loop_spec *loop, value step, span at)
{
    loop->step = 1;
    if (!value_is_given(step)) return true;
    if (!to_int(s, step, 1, INT32_MAX, at, "the step of a loop", &loop->step)) return false;
    if (loop->step == 1) return true;
    const ir_node *k = ir_int_new(s->mem, loop->extent->type, loop->step, at),
                  *more = ir_int_new(s->mem, loop->extent->type, loop->step - 1, at);
    loop->extent =
        ir_fold_bin(s->mem, IR_FLOORDIV, ir_fold_bin(s->mem, IR_ADD, loop->extent, more), k);
    return true;
}

/* unroll=True, unroll=4, unroll=False of a serial loop. */
static void add_unroll(script *s, attr_vec *notes, value unroll, span at)
{
    if (!value_is_given(unroll)) return;
    bool off = unroll.kind == VALUE_BOOL && !unroll.as.boolean;
    value v = off ? value_bool(true) : unroll;
    ir_attr_entry entry = {.key = off ? STR("disable_unroll") : STR("pragma_unroll"),
                           .value = to_attr_value(s, v, at)};
    if (entry.value != NULL) attr_vec_push(s->mem, notes, entry);
}

static value loop_frame(script *s, const loop_spec *loops, size_t n, bool grid, span at)
{
    frame f = {.kind = FRAME_LOOPS,
               .at = at,
               .loops = arena_copy(s->mem, loops, n * sizeof *loops),
               .loop_count = n,
               .is_grid = grid};
    return value_frame(arena_copy(s->mem, &f, sizeof f));
}

static bool set_dtype(script *s, loop_spec *loop, value dtype, span at)
{
    ir_type type;
    if (!value_is_given(dtype)) return true;
    if (!to_dtype(s, dtype, at, &type)) return false;
    if (!ir_type_is_int(type) || type.lanes != 1) {
        script_error(s, at, "a loop variable is a scalar integer");
        return false;
    }
    loop->min = ir_fold_cast(s->mem, type, loop->min);
    loop->extent = ir_fold_cast(s->mem, type, loop->extent);
    return true;
}

value fn_loop(script *s, const call *c)
{
    loop_spec loop = {.kind = (ir_for_kind)c->row->info, .step = 1};
    value stop = c->args[1];
    bool bound = loop.kind == IR_THREAD_BOUND;
    value thread = bound ? c->args[2] : value_of(VALUE_ABSENT);
    if (bound && stop.kind == VALUE_STR && !value_is_given(thread)) {
        thread = stop;
        stop = value_of(VALUE_ABSENT);
    }
    if (bound && !value_is_given(thread))
        return script_error(s, c->at, "T.thread_binding lacks the thread axis");
    if (bound && !to_tag(s, thread, c->spans[2], &loop.tag)) return value_poison();
    bool steps = !bound && value_is_given(c->args[3]); /* whose number is counted in int32 at least */
    if (!set_bounds(s, &loop, c->args[0], stop, c->spans[0], !steps)) return value_poison();
    attr_vec notes = {0};
    value given = c->args[bound ? 3 : 2];
    if (value_is_given(given) && !to_attrs(s, given, c->at, &notes)) return value_poison();
    if (!bound && !set_step(s, &loop, c->args[3], c->spans[3])) return value_poison();
    if (loop.kind == IR_SERIAL) add_unroll(s, &notes, c->args[4], c->at);
    if (!set_dtype(s, &loop, c->args[loop.kind == IR_SERIAL ? 5 : 4], c->at)) return value_poison();
    loop.annotations = (ir_attrs){notes.at, notes.n};
    return loop_frame(s, &loop, 1, false, c->at);
}

value fn_grid(script *s, const call *c)
{
    if (c->rest_count == 0) return script_error(s, c->at, "T.grid takes at least one extent");
    if (c->rest_count > 32) return script_error(s, c->at, "more than 32 nested loops");
    loop_spec *loops = arena_array(s->mem, loop_spec, c->rest_count);
    for (size_t i = 0; i < c->rest_count; ++i) {
        value v = c->rest[i];
        loops[i].step = 1;
        bool good;
        if (v.kind == VALUE_TUPLE) {
            if (v.as.list.n != 2)
                return script_error(s, c->rest_spans[i],
                                    "an item of T.grid is an extent or (start, extent)");
            const ir_node *a = to_index(s, v.as.list.at[0], c->rest_spans[i]),
                          *b = to_index(s, v.as.list.at[1], c->rest_spans[i]);
            good = a != NULL && b != NULL && ir_unify(s->mem, &a, &b);
            loops[i].min = a;
            loops[i].extent = b;
        } else {
            good = set_bounds(s, &loops[i], v, value_of(VALUE_ABSENT), c->rest_spans[i], false);
        }
        if (!good) return value_poison();
    }
    return loop_frame(s, loops, c->rest_count, true, c->at);
}

/* range(...) as a loop. */
static value range_frame(script *s, value range, span at)
{
    const value *part = range.as.list.at;
    loop_spec loop = {.kind = IR_SERIAL, .step = 1};
    attr_vec notes = {0};
    if (!set_bounds(s, &loop, part[0], part[1], at, false) || !set_step(s, &loop, part[2], at))
        return value_poison();
    if (value_is_given(part[3]) && !to_attrs(s, part[3], at, &notes)) return value_poison();
    add_unroll(s, &notes, part[4], at);
    loop.annotations = (ir_attrs){notes.at, notes.n};
    return loop_frame(s, &loop, 1, false, at);
}

/* ---- for ------------------------------------------------------------------------------------- */

/* Names of the loop variables, one a loop. False: reported. */
static bool loop_names(script *s, const ast *target, const frame *f, str *names)
{
    if (target->kind == AST_NAME && (f->loop_count == 1 || f->is_grid)) {
        str name = ast_as_name(target)->id;
        for (size_t i = 0; i < f->loop_count; ++i) {
            names[i] = f->loop_count == 1 ? name : str_format(s->mem, "%.*s_%zu", STR_ARG(name), i);
        }
        return true;
    }
    const ast_tuple *tuple = target->kind == AST_TUPLE ? ast_as_tuple(target) : NULL;
    if (tuple == NULL || tuple->items.n != f->loop_count) {
        script_error(s, target->at, "%zu loop variable%s needed here", f->loop_count,
                     f->loop_count == 1 ? " is" : "s are");
        return false;
    }
    for (size_t i = 0; i < f->loop_count; ++i) {
        if (tuple->items.at[i]->kind != AST_NAME) {
            script_error(s, tuple->items.at[i]->at, "a loop variable must be a name");
            return false;
        }
        names[i] = ast_as_name(tuple->items.at[i])->id;
    }
    return true;
}

static span target_span(const ast *target, size_t i)
{
    return target->kind == AST_TUPLE ? ast_as_tuple(target)->items.at[i]->at : target->at;
}

/* The variable of a loop and what its name stands for: a loop with a step counts from 0 by 1. */
static const ir_var *loop_var(script *s, const loop_spec *loop, str name, span at, value *out)
{
    const ir_var *v = ir_var_new(s->mem, name, loop->extent->type, at);
    const ir_node *ref = ir_ref(s->mem, v, at);
    if (loop->step == 1) {
        *out = value_expr(ref);
        loop_domain *domain = arena_new(s->mem, loop_domain);
        *domain = (loop_domain){loop->min, loop->extent};
        map_put_id(s->mem, &s->func->loops, v, domain);
        return v;
    }
    const ir_node *k = ir_int_new(s->mem, ref->type, loop->step, at);
    *out = value_expr(ir_fold_bin(s->mem, IR_ADD, loop->min, ir_fold_bin(s->mem, IR_MUL, ref, k)));
    return v;
}

static void exec_loops(script *s, const ast_for *n, const frame *f, const str *names)
{
    const ir_var **vars = arena_array(s->mem, const ir_var *, f->loop_count);
    value *values = arena_array(s->mem, value, f->loop_count);
    scope inner;
    script_nest(s, f->loop_count, n->node.at);
    scope_push(s, SCOPE_INNER, &inner);
    for (size_t i = 0; i < f->loop_count; ++i) {
        vars[i] = loop_var(s, &f->loops[i], names[i], target_span(n->target, i), &values[i]);
        bool tuple = n->target->kind == AST_NAME && f->loop_count > 1;
        if (!tuple) scope_bind(s, names[i], values[i], vars[i]->at);
    }
    if (n->target->kind == AST_NAME && f->loop_count > 1) {
        scope_bind(s, ast_as_name(n->target)->id, value_tuple((value_list){values, f->loop_count}),
                   n->target->at);
    }
    suite body;
    suite_begin(s, &body);
    s->func->loop_depth++;
    exec_list(s, n->body);
    s->func->loop_depth--;
    const ir_node *node = suite_end(s, n->node.at);
    scope_pop(s);
    script_unnest(s, f->loop_count);
    for (size_t i = f->loop_count; i > 0; --i) {
        const loop_spec *loop = &f->loops[i - 1];
        const ir_node *min =
            loop->step == 1 ? loop->min : ir_int_new(s->mem, loop->extent->type, 0, n->node.at);
        node = ir_make(s->mem, FOR, for, n->node.at, IR_VOID, .loop = loop->kind, .var = vars[i - 1], .min = min,
                       .extent = loop->extent, .tag = loop->tag, .annotations = loop->annotations, .body = node);
    }
    suite_emit(s, node);
}

/* The loop is no good: its body is read all the same, for the errors in it. */
static void exec_lost(script *s, const ast_for *n)
{
    scope inner;
    suite body;
    scope_push(s, SCOPE_INNER, &inner);
    suite_begin(s, &body);
    bind_target(s, n->target, value_poison());
    s->func->loop_depth++;
    exec_list(s, n->body);
    s->func->loop_depth--;
    suite_end(s, n->node.at);
    scope_pop(s);
}

void exec_for(script *s, const ast_for *n)
{
    value v = eval(s, n->iterable);
    if (v.kind == VALUE_RANGE) v = range_frame(s, v, n->iterable->at);
    if (v.kind != VALUE_POISON && (v.kind != VALUE_FRAME || v.as.frame->kind != FRAME_LOOPS)) {
        v = script_error(s, n->iterable->at,
                         "a for loop goes over range, T.serial, T.parallel, T.vectorized, "
                         "T.unroll, T.thread_binding or T.grid, not %s",
                         value_what(v));
    }
    if (n->otherwise.n != 0) v = script_error(s, n->node.at, "'else' of a loop is not supported");
    str *names = v.kind == VALUE_FRAME ? arena_array(s->mem, str, v.as.frame->loop_count) : NULL;
    if (names == NULL || !loop_names(s, n->target, v.as.frame, names)) {
        exec_lost(s, n);
        return;
    }
    exec_loops(s, n, v.as.frame, names);
}

/* ---- Threads --------------------------------------------------------------------------------- */

value fn_env_thread(script *s, const call *c)
{
    env_thread *t = arena_new(s->mem, env_thread);
    t->name = call_hint(c, "thread");
    if (!to_tag(s, c->args[0], c->spans[0], &t->tag)) return value_poison();
    value v = value_of(VALUE_THREAD);
    v.as.thread = t;
    return value_fresh(v);
}

value fn_launch_thread(script *s, const call *c)
{
    value thread = c->args[0];
    const ir_node *extent = to_index(s, c->args[1], c->spans[1]);
    str tag, name = call_hint(c, "thread");
    if (thread.kind == VALUE_THREAD) {
        tag = thread.as.thread->tag;
        name = thread.as.thread->name;
    } else if (!to_tag(s, thread, c->spans[0], &tag)) {
        return value_poison();
    }
    if (extent == NULL) return value_poison();
    if (s->suite == NULL)
        return script_error(s, c->at, "T.launch_thread belongs into the body of a function");
    const ir_var *v = ir_var_new(s->mem, name, ir_type_element(extent->type), c->at);
    if (thread.kind == VALUE_THREAD) {
        thread.as.thread->var = v;
        thread.as.thread->function = s->function;
    }
    loop_domain *domain = arena_new(s->mem, loop_domain);
    *domain = (loop_domain){ir_int_new(s->mem, v->type, 0, c->at), extent};
    map_put_id(s->mem, &s->func->loops, v, domain);
    frame f = {.kind = FRAME_THREAD, .at = c->at};
    f.node = ir_make(s->mem, THREAD, thread, c->at, IR_VOID, .var = v, .tag = tag, .extent = extent,
                     .body = ir_nop(s->mem));
    f.as = value_fresh(value_expr(ir_ref(s->mem, v, c->at)));
    return value_frame(arena_copy(s->mem, &f, sizeof f));
}
