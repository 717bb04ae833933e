/* Replacing variables by expressions, and small questions about what an expression uses. */
#include "ir/walk.h"

typedef struct substitution {
    ir_rewrite r;
    const map *by;
    map buffers; /* old buffer -> new one, for those whose shape changed */
} substitution;

static const ir_node *substitute_node(ir_rewrite *r, const ir_node *n)
{
    substitution *s = (substitution *)(void *)r;
    if (n->kind == IR_VAR) {
        const ir_node *by = map_get_id(s->by, ir_as_var_ref(n)->var);
        return by != NULL ? by : n;
    }
    return ir_rewrite_children(r, n);
}

static const ir_buffer *substitute_buffer(ir_rewrite *r, const ir_buffer *b)
{
    substitution *s = (substitution *)(void *)r;
    const ir_buffer *known = map_get_id(&s->buffers, b);
    if (known != NULL) return known;
    ir_buffer copy = *b;
    copy.shape = ir_rewrite_list(r, b->shape);
    copy.strides = ir_rewrite_list(r, b->strides);
    if (b->elem_offset != NULL) copy.elem_offset = r->node(r, b->elem_offset);
    /* A pointer replaced by another variable: views follow it. */
    const ir_node *data = map_get_id(s->by, b->data);
    if (data != NULL && data->kind == IR_VAR) copy.data = ir_as_var_ref(data)->var;
    bool same = copy.shape.at == b->shape.at && copy.strides.at == b->strides.at &&
                copy.elem_offset == b->elem_offset && copy.data == b->data;
    const ir_buffer *result = same ? b : arena_copy(r->mem, &copy, sizeof copy);
    map_put_id(r->mem, &s->buffers, b, result);
    return result;
}

const ir_node *ir_substitute(arena *mem, const ir_node *root, const map *var_to_node)
{
    if (var_to_node->n == 0) return root;
    substitution s = {.r = {.mem = mem, .node = substitute_node, .buffer = substitute_buffer},
                      .by = var_to_node};
    return substitute_node(&s.r, root);
}

const ir_node *ir_substitute_one(arena *mem, const ir_node *root, const ir_var *var, const ir_node *by)
{
    map m = {0};
    map_put_id(mem, &m, var, by);
    return ir_substitute(mem, root, &m);
}

typedef struct usage {
    ir_walk w;
    const ir_var *var;
    bool found;
} usage;

static void usage_node(ir_walk *w, const ir_node *n)
{
    usage *u = (usage *)(void *)w;
    if (!u->found) ir_walk_children(w, n);
}

static void usage_var(ir_walk *w, const ir_var *v)
{
    usage *u = (usage *)(void *)w;
    u->found |= v == u->var;
}

static void usage_buffer(ir_walk *w, const ir_buffer *b)
{
    usage_var(w, b->data);
}

bool ir_uses_var(const ir_node *root, const ir_var *var)
{
    usage u = {.w = {.node = usage_node, .use_var = usage_var, .use_buffer = usage_buffer}, .var = var};
    usage_node(&u.w, root);
    return u.found;
}

static void note_read(void *user, const ir_node *n)
{
    bool *found = user;
    bool call_reads = n->kind == IR_CALL && ir_builtins[ir_as_call(n)->fn].effect != IR_EFFECT_PURE;
    *found |= n->kind == IR_LOAD || call_reads;
}

bool ir_reads_memory(const ir_node *expr)
{
    bool found = false;
    ir_each(expr, note_read, &found);
    return found;
}

static void note_effect(void *user, const ir_node *n)
{
    bool *found = user;
    *found |= n->kind == IR_CALL && ir_builtins[ir_as_call(n)->fn].effect == IR_EFFECT_EFFECT;
}

bool ir_has_effect(const ir_node *expr)
{
    bool found = false;
    ir_each(expr, note_effect, &found);
    return found;
}

typedef struct measure {
    ir_walk w;
    size_t nodes;
    unsigned depth;
    bool exceeded;
} measure;

static void measure_node(ir_walk *w, const ir_node *n)
{
    measure *m = (measure *)(void *)w;
    if (m->nodes == 0 || m->depth == 0) m->exceeded = true;
    if (m->exceeded) return;
    --m->nodes;
    --m->depth;
    ir_walk_children(w, n);
    ++m->depth;
}

bool ir_is_moderate(const ir_node *root, size_t nodes, unsigned depth)
{
    measure m = {.w = {.node = measure_node}, .nodes = nodes, .depth = depth};
    measure_node(&m.w, root);
    return !m.exceeded;
}
