/* lower_asserts: a failing assertion in a kernel is noted in memory, which the host looks at after the launch.
 *
 * Why: Metal cannot stop a kernel; a user expects the call to fail with the message.
 *
 *     assert A[t] > 0, "positive"            if not A[t] > 0:
 *     B[t] = A[t]                     ->         T.atomic_max(failed[0], 1)
 *                                                return
 *                                            B[t] = A[t]
 *
 *     T.call_packed("main_kernel", ...)      failed = T.alloc_buffer((1,), "int32")       (zeroed)
 *                                     ->     T.call_packed("main_kernel", ..., failed.data, ...)
 *                                            T.check_asserts(failed.data, "RuntimeError", "positive ...")
 *
 * The kernel has one buffer more, after its others. The earliest assertion in the text that any thread fails is
 * told. A thread that fails returns; in a kernel whose threads meet it goes on, but leaves out what follows the
 * assertion in its list of statements, apart from statements in which threads meet. Left alone: kernels without
 * assertions, assertions of the host. */
#include "ir/fold.h"
#include "pass/region.h"

enum { MOST_ASSERTS = 255 };

typedef struct assert_kernel {
    const ir_func *f; /* with the parameter */
    size_t pointers;  /* before it */
    ir_node_vec asserts;
} assert_kernel;

typedef struct asserts {
    ir_rewrite r;
    pass_context *cx;
    map kernels; /* name -> assert_kernel */
    const ir_buffer *failed;
    const assert_kernel *now;
    bool meets; /* do threads of the kernel meet anywhere? */
} asserts;

/* ---- Kernels ------------------------------------------------------------------------------------ */

/* Copies that loops written out have made count as one. */
static bool same_assert(const ir_node *a, const ir_node *b)
{
    return a->at.file == b->at.file && a->at.begin == b->at.begin &&
           str_eq(ir_as_assert(a)->message, ir_as_assert(b)->message) &&
           str_eq(ir_as_assert(a)->error, ir_as_assert(b)->error);
}

static void note_assert(void *user, const ir_node *n)
{
    asserts *a = user;
    if (n->kind != IR_ASSERT) return;
    assert_kernel *k = map_get(&a->kernels, a->now->f->name);
    for (size_t i = 0; i < k->asserts.n; ++i) {
        if (same_assert(k->asserts.at[i], n)) return;
    }
    ir_node_vec_push(a->cx->mem, &k->asserts, n);
}

static void note_meeting(void *user, const ir_node *n)
{
    bool *found = user;
    if (n->kind != IR_CALL) return;
    ir_builtin fn = ir_as_call(n)->fn;
    bool exchange = (fn >= IR_FN_SHUFFLE && fn <= IR_FN_SIMD_BALLOT) || (fn >= IR_FN_SIMD_FILL && fn <= IR_FN_SIMD_MMA);
    *found |= fn == IR_FN_STORAGE_SYNC || exchange;
}

static bool meets(const ir_node *n)
{
    bool found = false;
    ir_each(n, note_meeting, &found);
    return found;
}

/* The number that tells of the assertion: the earlier, the greater. */
static int64_t code_of(const asserts *a, const ir_node *n)
{
    const ir_node_vec *all = &a->now->asserts;
    for (size_t i = 0; i < all->n; ++i) {
        if (same_assert(all->at[i], n)) return (int64_t)(all->n - i);
    }
    return 1;
}

static const ir_node *record(asserts *a, const ir_node *n)
{
    arena *mem = a->cx->mem;
    const ir_node *place = ir_load_new(mem, a->failed, ir_list_one(mem, ir_i32(mem, 0)), n->at);
    const ir_node *args[] = {ir_call_new(mem, IR_FN_ADDRESS_OF, IR_POINTER, ir_list_one(mem, place), n->at),
                             ir_i32(mem, code_of(a, n))};
    return ir_eval_new(mem, ir_call_new(mem, IR_FN_ATOMIC_MAX, IR_I32, ir_list_copy(mem, args, 2), n->at));
}

static const ir_node *if_of(arena *mem, const ir_node *cond, const ir_node *yes)
{
    return ir_make(mem, IF, if, cond->at, IR_VOID, .cond = cond, .yes = yes);
}

static const ir_node *lower_stmt(ir_rewrite *r, const ir_node *n);

static const ir_node *returning(asserts *a, const ir_assert *n)
{
    arena *mem = a->cx->mem;
    const ir_node *both[] = {record(a, &n->node), ir_make(mem, RETURN, return, n->node.at, IR_VOID, .value = NULL)};
    return if_of(mem, ir_fold_not(mem, n->cond), ir_seq_new(mem, both, 2, n->node.at));
}

static void flush(asserts *a, const ir_node *holds, ir_node_vec *guarded, ir_node_vec *out)
{
    arena *mem = a->cx->mem;
    if (guarded->n != 0)
        ir_node_vec_push(mem, out, if_of(mem, holds, ir_seq_new(mem, guarded->at, guarded->n, holds->at)));
    *guarded = (ir_node_vec){0};
}

/* What follows an assertion, under its condition as far as it may be. */
static const ir_node *guarding(asserts *a, ir_list body, size_t at, span where)
{
    arena *mem = a->cx->mem;
    const ir_assert *n = ir_as_assert(body.at[at]);
    const ir_var *v = ir_var_new(mem, STR("holds"), IR_B1, n->node.at);
    const ir_node *holds = ir_ref(mem, v, n->node.at);
    ir_node_vec out = {0}, guarded = {0}, rest = {0};
    ir_node_vec_push(mem, &out, ir_make(mem, BIND, bind, n->node.at, IR_VOID, .var = v, .value = n->cond));
    ir_node_vec_push(mem, &out, if_of(mem, ir_fold_not(mem, holds), record(a, &n->node)));
    for (size_t i = at + 1; i < body.n; ++i) ir_node_vec_push(mem, &rest, body.at[i]);
    const ir_node *after = lower_stmt(&a->r, ir_seq_new(mem, rest.at, rest.n, where));
    ir_list all = after->kind == IR_SEQ ? ir_as_seq(after)->body : ir_list_one(mem, after);
    for (size_t i = 0; i < all.n; ++i) {
        ir_kind k = all.at[i]->kind;
        bool defines = k == IR_BIND || k == IR_ALLOC || k == IR_DECL;
        if (!defines && !meets(all.at[i])) {
            ir_node_vec_push(mem, &guarded, all.at[i]);
            continue;
        }
        flush(a, holds, &guarded, &out);
        ir_node_vec_push(mem, &out, all.at[i]);
    }
    flush(a, holds, &guarded, &out);
    return ir_seq_new(mem, out.at, out.n, where);
}

static const ir_node *lower_stmt(ir_rewrite *r, const ir_node *n)
{
    asserts *a = (asserts *)(void *)r;
    if (!ir_is_stmt(n)) return n;
    if (n->kind == IR_ASSERT && !a->meets) return returning(a, ir_as_assert(n));
    if (n->kind == IR_ASSERT) return guarding(a, ir_list_one(r->mem, n), 0, n->at);
    if (n->kind != IR_SEQ || !a->meets) return ir_rewrite_children(r, n);
    ir_list body = ir_as_seq(n)->body;
    for (size_t i = 0; i < body.n; ++i) {
        if (body.at[i]->kind != IR_ASSERT) continue;
        ir_node_vec out = {0};
        for (size_t j = 0; j < i; ++j) ir_node_vec_push(r->mem, &out, lower_stmt(r, body.at[j]));
        ir_node_vec_push(r->mem, &out, guarding(a, body, i, n->at));
        return ir_seq_new(r->mem, out.at, out.n, n->at);
    }
    return ir_rewrite_children(r, n);
}

/* The buffer's view goes before all else that the threads do. */
static const ir_node *with_view(asserts *a, const ir_node *n)
{
    arena *mem = a->cx->mem;
    if (n->kind == IR_THREAD) {
        ir_thread copy = *ir_as_thread(n);
        copy.body = with_view(a, copy.body);
        return arena_copy(mem, &copy, sizeof copy);
    }
    const ir_node *both[] = {ir_make(mem, DECL, decl, n->at, IR_VOID, .buffer = a->failed), lower_stmt(&a->r, n)};
    return ir_seq_new(mem, both, 2, n->at);
}

static const ir_buffer *failed_buffer(arena *mem, span at)
{
    ir_buffer *b = arena_new(mem, ir_buffer);
    *b = (ir_buffer){.name = STR("failed"), .type = IR_I32, .scope = IR_SCOPE_GLOBAL, .at = at,
                     .data = ir_var_pointer(mem, STR("failed"), IR_I32, IR_SCOPE_GLOBAL, at),
                     .shape = ir_list_one(mem, ir_i32(mem, 1))};
    return b;
}

static const ir_func *lower_kernel(asserts *a, const ir_func *f)
{
    arena *mem = a->cx->mem;
    assert_kernel *k = arena_new(mem, assert_kernel);
    *k = (assert_kernel){.f = f};
    map_put(mem, &a->kernels, f->name, k);
    a->now = k;
    ir_each(f->body, note_assert, a);
    if (k->asserts.n == 0) return f;
    if (k->asserts.n > MOST_ASSERTS) {
        diag_error(a->cx->diags, f->at, "'%.*s' has %zu assertions, a kernel can have %d", STR_ARG(f->name), k->asserts.n,
                   MOST_ASSERTS);
        return f;
    }
    a->failed = failed_buffer(mem, f->at);
    a->meets = meets(f->body);
    while (k->pointers < f->param_count && ir_type_is_pointer(f->params[k->pointers].var->type)) ++k->pointers;
    ir_param *params = arena_array(mem, ir_param, f->param_count + 1);
    for (size_t i = 0; i < f->param_count; ++i) params[i + (i >= k->pointers)] = f->params[i];
    params[k->pointers] = (ir_param){.var = a->failed->data};
    ir_func *out = arena_copy(mem, f, sizeof *out);
    out->params = params;
    out->param_count = f->param_count + 1;
    out->body = with_view(a, f->body);
    return out;
}

/* ---- Launches ----------------------------------------------------------------------------------- */

/* What the caller is told: the message, the kernel, and the place in the program. */
static const ir_node *message(asserts *a, const assert_kernel *k, const ir_assert *n)
{
    arena *mem = a->cx->mem;
    span at = n->node.at;
    str text = str_format(mem, "%.*s (asserted in kernel \"%.*s\"", STR_ARG(n->message), STR_ARG(k->f->name));
    source_pos pos = {.line = 0};
    if (a->cx->diags->sources != NULL) pos = source_locate(a->cx->diags->sources, at);
    if (pos.line == 0) return ir_string_new(mem, str_format(mem, "%.*s)", STR_ARG(text)), at);
    return ir_string_new(mem, str_format(mem, "%.*s, %.*s:%u)", STR_ARG(text), STR_ARG(pos.file), pos.line), at);
}

static const ir_node *lower_launch(ir_rewrite *r, const ir_node *n)
{
    asserts *a = (asserts *)(void *)r;
    arena *mem = r->mem;
    if (!ir_is_stmt(n)) return n;
    bool launch = n->kind == IR_EVAL && ir_as_eval(n)->value->kind == IR_CALL &&
                  ir_as_call(ir_as_eval(n)->value)->fn == IR_FN_CALL_PACKED;
    if (!launch) return ir_rewrite_children(r, n);
    const ir_call *c = ir_as_call(ir_as_eval(n)->value);
    const assert_kernel *k = c->args.at[0]->kind == IR_STRING ? map_get(&a->kernels, ir_as_string(c->args.at[0])->text) : NULL;
    if (k == NULL || k->asserts.n == 0) return n;
    const ir_buffer *failed = failed_buffer(mem, n->at);
    const ir_node *pointer = ir_ref(mem, failed->data, n->at);
    ir_node_vec args = {0}, check = {0};
    for (size_t i = 0; i < c->args.n; ++i) {
        if (i == 1 + k->pointers) ir_node_vec_push(mem, &args, pointer);
        ir_node_vec_push(mem, &args, c->args.at[i]);
    }
    ir_node_vec_push(mem, &check, pointer);
    for (size_t i = k->asserts.n; i > 0; --i) {
        const ir_assert *one = ir_as_assert(k->asserts.at[i - 1]);
        ir_node_vec_push(mem, &check, ir_string_new(mem, one->error, n->at));
        ir_node_vec_push(mem, &check, message(a, k, one));
    }
    ir_attr_entry *zeroed = arena_new(mem, ir_attr_entry);
    *zeroed = (ir_attr_entry){STR("zeroed"), ir_i32(mem, 1)};
    const ir_node *all[] = {
        ir_make(mem, ALLOC, alloc, n->at, IR_VOID, .buffer = failed, .annotations = {zeroed, 1}),
        ir_eval_new(mem, ir_call_new(mem, c->fn, c->node.type, ir_list_of(args), n->at)),
        ir_eval_new(mem, ir_call_new(mem, IR_FN_CHECK_ASSERTS, IR_VOID, ir_list_of(check), n->at))};
    return ir_seq_new(mem, all, 3, n->at);
}

const ir_module *pass_lower_asserts(pass_context *cx, const ir_module *m)
{
    asserts a = {.r = {.mem = cx->mem, .node = lower_stmt}, .cx = cx};
    const ir_func **funcs = arena_alloc(cx->mem, m->func_count * sizeof *funcs);
    bool changed = false;
    for (size_t i = 0; i < m->func_count; ++i) {
        funcs[i] = m->funcs[i]->kind == IR_FUNC_KERNEL ? lower_kernel(&a, m->funcs[i]) : m->funcs[i];
        changed |= funcs[i] != m->funcs[i];
    }
    if (!changed) return m;
    a.r.node = lower_launch;
    for (size_t i = 0; i < m->func_count; ++i) {
        if (m->funcs[i]->kind == IR_FUNC_KERNEL) continue;
        ir_func *host = arena_copy(cx->mem, m->funcs[i], sizeof *host);
        host->body = lower_launch(&a.r, host->body);
        funcs[i] = host;
    }
    ir_module *out = arena_copy(cx->mem, m, sizeof *m);
    out->funcs = funcs;
    return out;
}
