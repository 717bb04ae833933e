/* Uniformity by iteration: what depends on a thread's index varies, and what depends on that, until nothing changes. */
#include "pass/uniform.h"

#include "pass/thread_axis.h"

/* ---- Expressions ------------------------------------------------------------------------------ */

typedef struct vary_search {
    ir_walk w;
    const uniformity *u;
    bool found;
} vary_search;

/* Calls whose result is a thread's own. */
static bool is_own(ir_builtin fn)
{
    return ir_builtins[fn].effect == IR_EFFECT_EFFECT;
}

static void find_varying(ir_walk *w, const ir_node *n)
{
    vary_search *s = (vary_search *)(void *)w;
    const void *id = NULL;
    if (n->kind == IR_CALL && ir_as_call(n)->fn == IR_FN_THREAD_INVARIANT) return; /* promised */
    if (n->kind == IR_VAR) id = ir_as_var_ref(n)->var;
    if (n->kind == IR_LOAD) id = ir_as_load(n)->buffer->data;
    if (id != NULL && map_get_id(&s->u->varying, id) != NULL) s->found = true;
    if (n->kind == IR_CALL && is_own(ir_as_call(n)->fn)) s->found = true;
    /* LET inside an expression: its variable is as its value, which is searched as well. */
    ir_walk_children(w, n);
}

bool varies(const uniformity *u, const ir_node *expr)
{
    vary_search s = {.w = {.node = find_varying}, .u = u};
    find_varying(&s.w, expr);
    return s.found;
}

bool loop_varies(const uniformity *u, const ir_node *loop)
{
    if (map_get_id(&u->divergent, loop) != NULL) return true;
    if (loop->kind == IR_WHILE) return varies(u, ir_as_while(loop)->cond);
    return varies(u, ir_as_for(loop)->extent) || varies(u, ir_as_for(loop)->min);
}

/* ---- Statements ------------------------------------------------------------------------------- */

typedef struct flow {
    bool varying;        /* not all threads come here together */
    const ir_node *loop; /* around, or NULL */
    bool loop_together;  /* did all threads enter this round of it together? */
} flow;

static void mark(uniformity *u, map *set, const void *id)
{
    if (map_get_id(set, id) != NULL) return;
    map_put_id(u->mem, set, id, id);
    u->changed = true;
}

static void visit(uniformity *u, const ir_node *n, flow f);

static void visit_store(uniformity *u, const ir_store *n, flow f)
{
    const ir_buffer *b = n->buffer;
    ir_scope scope = b->data->scope;
    if (thread_scope_is_shared(scope)) return;
    bool differs = scope == IR_SCOPE_GLOBAL || f.varying || varies(u, n->value);
    for (size_t i = 0; i < n->index.n; ++i) differs |= varies(u, n->index.at[i]);
    if (differs) mark(u, &u->varying, b->data);
}

static void visit_loop(uniformity *u, const ir_node *n, const ir_node *body, flow f)
{
    flow inner = {.varying = f.varying || loop_varies(u, n), .loop = n, .loop_together = !f.varying};
    if (n->kind == IR_FOR && loop_varies(u, n)) mark(u, &u->varying, ir_as_for(n)->var);
    visit(u, body, inner);
}

/* A jump that not all threads take makes the loop's later rounds a matter of some threads only. */
static void visit_jump(uniformity *u, flow f)
{
    if (f.varying && f.loop != NULL && f.loop_together) mark(u, &u->divergent, f.loop);
}

static void visit_if(uniformity *u, const ir_if *n, flow f)
{
    f.varying |= varies(u, n->cond);
    visit(u, n->yes, f);
    if (n->no != NULL) visit(u, n->no, f);
}

/* Pointers handed to a call are written through by it. */
static void visit_eval(uniformity *u, const ir_node *value)
{
    if (value->kind != IR_CALL) return;
    ir_list args = ir_as_call(value)->args;
    for (size_t i = 0; i < args.n; ++i) {
        const ir_node *a = args.at[i];
        if (a->kind == IR_CALL && ir_as_call(a)->args.n > 0) a = ir_as_call(a)->args.at[0];
        if (a->kind == IR_LOAD) mark(u, &u->varying, ir_as_load(a)->buffer->data);
        if (a->kind == IR_VAR && ir_type_is_pointer(a->type)) mark(u, &u->varying, ir_as_var_ref(a)->var);
    }
}

/* Memory that has a second name may be written under it. */
static void visit_bind(uniformity *u, const ir_bind *n)
{
    if (ir_type_is_pointer(n->var->type)) {
        visit_eval(u, n->value);
        mark(u, &u->varying, n->var);
    } else if (varies(u, n->value)) {
        mark(u, &u->varying, n->var);
    }
}

static void visit(uniformity *u, const ir_node *n, flow f)
{
    switch ((int)n->kind) {
    case IR_SEQ:
        for (size_t i = 0; i < ir_as_seq(n)->body.n; ++i) visit(u, ir_as_seq(n)->body.at[i], f);
        return;
    case IR_THREAD: visit(u, ir_as_thread(n)->body, f); return;
    case IR_ATTR: visit(u, ir_as_attr(n)->body, f); return;
    case IR_STORE: visit_store(u, ir_as_store(n), f); return;
    case IR_BIND: visit_bind(u, ir_as_bind(n)); return;
    case IR_EVAL: visit_eval(u, ir_as_eval(n)->value); return;
    case IR_IF: visit_if(u, ir_as_if(n), f); return;
    case IR_FOR: visit_loop(u, n, ir_as_for(n)->body, f); return;
    case IR_WHILE: visit_loop(u, n, ir_as_while(n)->body, f); return;
    case IR_BREAK:
    case IR_CONTINUE: visit_jump(u, f); return;
    default: return; /* other statements give no value */
    }
}

static void settle(uniformity *u, const ir_node *n)
{
    do {
        u->changed = false;
        visit(u, n, (flow){0});
    } while (u->changed);
}

uniformity uniformity_of(arena *mem, const ir_node *region, const region_axes *axes)
{
    uniformity u = {.mem = mem};
    for (size_t i = 0; i < axes->n; ++i) {
        const region_axis *a = &axes->at[i];
        if (region_axis_is_local(a) && !ir_is_const(a->extent, 1)) map_put_id(mem, &u.varying, a->var, a);
    }
    settle(&u, region);
    return u;
}

uniformity uniformity_along(arena *mem, const ir_node *n, const ir_var *axis, const map *own)
{
    uniformity u = {.mem = mem};
    map_put_id(mem, &u.varying, axis, axis);
    for (size_t i = 0; i < own->n; ++i) map_put_id(mem, &u.varying, own->entries[i].id, own->entries[i].value);
    settle(&u, n);
    return u;
}
