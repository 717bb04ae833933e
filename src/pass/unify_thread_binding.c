/* unify_thread_binding: in a kernel each thread axis has one variable, bound by THREAD statements
 * at its head.
 *
 * Why: a kernel has one grid and one threadgroup size, whatever loops were written for it.
 *
 *     for bx in T.thread_binding(32, "blockIdx.x"):
 *         for i in T.thread_binding(32, "threadIdx.x"):
 *             for j in T.thread_binding(32, "threadIdx.x"):
 *                 B[bx, i] = A[bx, j]
 *     ->
 *     with T.launch_thread("blockIdx.x", 32) as bx:
 *         with T.launch_thread("threadIdx.x", 32) as i:
 *             B[bx, i] = A[bx, i]
 *
 * Extents of an axis must agree and be known at the launch; else the program is refused. Left
 * alone: host code, virtual threads. */
#include "ir/fold.h"
#include "pass/thread_axis.h"

typedef struct unify {
    ir_rewrite r;
    pass_context *cx;
    thread_axis_vec axes; /* of the region, in order of appearance */
    map by;               /* variable -> the variable of its axis */
    map defined;          /* variables defined inside the region */
} unify;

/* ---- Checks ---------------------------------------------------------------------------------- */

static void check_same_extent(unify *u, const thread_axis *first, const thread_axis *again)
{
    if (ir_equal(first->extent, again->extent)) return;
    diag_error(u->cx->diags, again->extent->at,
               "'%.*s' is bound again in the same kernel, with another extent",
               STR_ARG(again->tag));
    diag_note(u->cx->diags, first->extent->at, "the first extent is here");
}

static void add_axis(unify *u, const thread_axis *axis)
{
    const thread_axis *first = thread_axis_find(&u->axes, axis->tag);
    if (first == NULL) {
        if (!thread_tag_is_real(axis->tag)) {
            diag_error(u->cx->diags, axis->from->at,
                       "'%.*s' is no thread axis: use blockIdx or threadIdx with .x, .y or .z",
                       STR_ARG(axis->tag));
        }
        thread_axis_vec_push(u->cx->mem, &u->axes, *axis);
        return;
    }
    check_same_extent(u, first, axis);
    const ir_node *ref = ir_ref(u->cx->mem, first->var, axis->var->at);
    map_put_id(u->cx->mem, &u->by, axis->var, ir_fold_cast(u->cx->mem, axis->var->type, ref));
}

typedef struct survey {
    ir_walk w;
    unify *u;
} survey;

static void survey_def(ir_walk *w, const ir_var *v)
{
    unify *u = ((survey *)(void *)w)->u;
    map_put_id(u->cx->mem, &u->defined, v, v);
}

static void survey_def_buffer(ir_walk *w, const ir_buffer *b)
{
    survey_def(w, b->data);
}

static void survey_node(ir_walk *w, const ir_node *n)
{
    thread_axis axis;
    if (thread_axis_of(n, &axis)) add_axis(((survey *)(void *)w)->u, &axis);
    ir_walk_children(w, n);
}

typedef struct extent_check {
    ir_walk w;
    unify *u;
    const thread_axis *axis;
} extent_check;

static void check_var(ir_walk *w, const ir_var *v)
{
    extent_check *c = (extent_check *)(void *)w;
    if (map_get_id(&c->u->defined, v) == NULL) return;
    diag_error(c->u->cx->diags, c->axis->extent->at,
               "the extent of '%.*s' depends on '%.*s', which is only known inside the kernel",
               STR_ARG(c->axis->tag), STR_ARG(v->name));
}

static void check_buffer(ir_walk *w, const ir_buffer *b)
{
    check_var(w, b->data);
}

static void check_node(ir_walk *w, const ir_node *n)
{
    ir_walk_children(w, n);
}

static void check_known_at_launch(unify *u, const thread_axis *axis)
{
    extent_check c = {.w = {.node = check_node, .use_var = check_var, .use_buffer = check_buffer},
                      .u = u,
                      .axis = axis};
    check_node(&c.w, axis->extent);
}

/* ---- Rebuilding ------------------------------------------------------------------------------ */

static const ir_node *strip(ir_rewrite *r, const ir_node *n)
{
    if (!ir_is_stmt(n)) return n;
    thread_axis axis;
    return thread_axis_of(n, &axis) ? strip(r, axis.body) : ir_rewrite_children(r, n);
}

static bool is_unified(const unify *u, const ir_node *root)
{
    size_t n = 0;
    for (; root->kind == IR_THREAD; root = ir_as_thread(root)->body) n++;
    return n == u->axes.n && u->by.n == 0 && !thread_axis_below(root);
}

static const ir_node *unify_region(unify *u, const ir_node *root)
{
    survey s = {.w = {.node = survey_node, .def_var = survey_def, .def_buffer = survey_def_buffer},
                .u = u};
    survey_node(&s.w, root);
    for (size_t i = 0; i < u->axes.n; ++i) check_known_at_launch(u, &u->axes.at[i]);
    if (u->cx->diags->errors != 0 || is_unified(u, root)) return root;
    const ir_node *body = ir_substitute(u->cx->mem, strip(&u->r, root), &u->by);
    return thread_axis_bind(u->cx, &u->axes, body);
}

typedef struct regions {
    ir_rewrite r;
    pass_context *cx;
} regions;

static const ir_node *find_region(ir_rewrite *r, const ir_node *n)
{
    if (!ir_is_stmt(n)) return n;
    thread_axis axis;
    if (!thread_axis_of(n, &axis)) return ir_rewrite_children(r, n);
    unify u = {.r = {.mem = r->mem, .node = strip}, .cx = ((regions *)(void *)r)->cx};
    return unify_region(&u, n);
}

static const ir_node *unify_func(pass_context *cx, const ir_func *f)
{
    regions s = {.r = {.mem = cx->mem, .node = find_region}, .cx = cx};
    return find_region(&s.r, f->body);
}

const ir_module *pass_unify_thread_binding(pass_context *cx, const ir_module *m)
{
    return pass_each_body(cx, m, unify_func);
}
