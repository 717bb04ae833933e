/* Recognising the statements that bind thread axes. */
#include "pass/thread_axis.h"

#include "ir/fold.h"
#include "pass/notes.h"

static bool in_family(str tag, const char *family, bool bare)
{
    size_t n = strlen(family);
    if (!str_starts(tag, str_of(family))) return false;
    if (tag.n == n) return bare;
    return tag.n == n + 2 && tag.p[n] == '.' && tag.p[n + 1] >= 'x' && tag.p[n + 1] <= 'z';
}

bool thread_tag_is_real(str tag)
{
    return in_family(tag, "blockIdx", false) || in_family(tag, "threadIdx", false);
}

bool thread_tag_is_virtual(str tag)
{
    return in_family(tag, "vthread", true) || str_is(tag, "cthread");
}

bool thread_tag_is_local(str tag)
{
    return in_family(tag, "threadIdx", false);
}

bool thread_axis_of(const ir_node *n, thread_axis *out)
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
    return !thread_tag_is_virtual(out->tag);
}

bool thread_axis_in_group(const ir_node *n, thread_axis *out)
{
    bool bound = n->kind == IR_THREAD || (n->kind == IR_FOR && ir_as_for(n)->loop == IR_THREAD_BOUND);
    if (!bound) return false;
    return thread_axis_of(n, out) ? thread_tag_is_local(out->tag) : true;
}

static void note_axis(void *user, const ir_node *n)
{
    bool *found = user;
    thread_axis axis;
    *found |= thread_axis_of(n, &axis);
}

bool thread_axis_below(const ir_node *root)
{
    bool found = false;
    ir_each(root, note_axis, &found);
    return found;
}

static void note_grid(void *user, const ir_node *n)
{
    bool *found = user;
    thread_axis axis;
    *found |= thread_axis_of(n, &axis) && !thread_tag_is_local(axis.tag);
}

bool thread_axis_has_grid(const ir_node *root)
{
    bool found = false;
    ir_each(root, note_grid, &found);
    return found;
}

typedef struct touch_search {
    ir_walk w;
    const ir_var *data;
    bool found;
} touch_search;

static void touch_node(ir_walk *w, const ir_node *n)
{
    if (!((touch_search *)(void *)w)->found) ir_walk_children(w, n);
}

static void touch_var(ir_walk *w, const ir_var *v)
{
    touch_search *t = (touch_search *)(void *)w;
    t->found |= v == t->data;
}

static void touch_buffer(ir_walk *w, const ir_buffer *b)
{
    touch_var(w, b->data);
}

bool memory_is_touched(const ir_node *n, const ir_var *data)
{
    if (n == NULL) return false;
    touch_search t = {.w = {.node = touch_node,
                            .use_var = touch_var,
                            .use_buffer = touch_buffer,
                            .def_buffer = touch_buffer},
                      .data = data};
    touch_node(&t.w, n);
    return t.found;
}

const ir_node *thread_axis_wrap(arena *mem, const thread_axis *axis, const ir_node *body)
{
    if (axis->from->kind == IR_THREAD) {
        ir_thread copy = *ir_as_thread(axis->from);
        copy.body = body;
        return arena_copy(mem, &copy, sizeof copy);
    }
    ir_for copy = *ir_as_for(axis->from);
    copy.body = body;
    return arena_copy(mem, &copy, sizeof copy);
}

/* The annotations of the loops that bind the axes, as attributes around the body: THREAD has none. */
static const ir_node *with_hints(pass_context *cx, const thread_axis_vec *axes, const ir_node *body)
{
    for (size_t i = 0; i < axes->n; ++i) {
        const ir_node *from = axes->at[i].from;
        if (from->kind != IR_FOR) continue;
        ir_attrs notes = notes_kept(cx, from->at, ir_as_for(from)->annotations);
        for (size_t k = 0; k < notes.n; ++k) {
            body = ir_make(cx->mem, ATTR, attr, from->at, IR_VOID, .key = notes.at[k].key,
                           .subject = ir_i32(cx->mem, 0), .value = notes.at[k].value, .body = body);
        }
    }
    return body;
}

const ir_node *thread_axis_bind(pass_context *cx, const thread_axis_vec *axes, const ir_node *body)
{
    body = with_hints(cx, axes, body);
    for (size_t i = axes->n; i-- > 0;) {
        thread_axis axis = axes->at[i];
        body = ir_make(cx->mem, THREAD, thread, axis.from->at, IR_VOID, .var = axis.var, .tag = axis.tag, .extent = axis.extent,
                       .body = body);
    }
    return body;
}

void thread_axis_refuse_global(pass_context *cx, const ir_buffer *b)
{
    diag_error(cx->diags, b->at,
               "'%.*s' in scope \"global\" is allocated inside a kernel, for several threads: use "
               "\"shared\"",
               STR_ARG(b->name));
}

bool thread_scope_is_shared(ir_scope scope)
{
    return scope == IR_SCOPE_SHARED || scope == IR_SCOPE_SHARED_DYN;
}

void thread_axis_know(ir_analyzer *az, arena *mem, const thread_axis *axis)
{
    ir_analyzer_bind(az, axis->var, ir_int_like(mem, axis->extent, 0), axis->extent);
}

const thread_axis *thread_axis_find(const thread_axis_vec *axes, str tag)
{
    for (size_t i = 0; i < axes->n; ++i) {
        if (str_eq(axes->at[i].tag, tag)) return &axes->at[i];
    }
    return NULL;
}
