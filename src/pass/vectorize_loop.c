/* vectorize_loop: T.vectorized loops become vector operations of up to four lanes.
 *
 * Why: four lanes are what MSL's vectors hold, and one wide access moves more than four narrow ones.
 *
 *     for v in T.vectorized(8):          for o in T.unroll(2):
 *         B[tx * 8 + v] =          ->        B[T.ramp(tx * 8 + o * 4, 1, 4)] =
 *             A[tx * 8 + v] * 2                  A[T.ramp(tx * 8 + o * 4, 1, 4)] * T.broadcast(2, 4)
 *
 * A loop becomes a serial one, which means the same, where vectors could mean something else or cannot
 * say it: an extent that is not constant or has no divisor up to 4, a store that lanes share, a store whose
 * buffer is read at another place, conditions on the lane (unless both arms are harmless), effects, memory
 * or jumps of its own, elements that are vectors already. Left alone: other loops. */
#include "ir/fold.h"
#include "ir/linear.h"
#include "ir/walk.h"
#include "pass/index.h"
#include "pass/pass.h"

typedef struct vectorizer {
    arena *mem;
    const ir_var *var;
    const ir_node *lanes_of_var; /* ramp in the loop variable's place */
    uint32_t lanes;
    map vectors; /* variables bound inside -> their vector variables */
    ir_node_vec accesses; /* loads and stores of the body */
    bool failed;
} vectorizer;

/* ---- Does it mean the same? --------------------------------------------------------------------- */

static void note_access(void *user, const ir_node *n)
{
    vectorizer *z = user;
    if (n->kind == IR_LOAD || n->kind == IR_STORE) ir_node_vec_push(z->mem, &z->accesses, n);
}

static bool same_place(const ir_node *store, const ir_node *other)
{
    const ir_store *s = ir_as_store(store);
    const ir_buffer *b = other->kind == IR_LOAD ? ir_as_load(other)->buffer : ir_as_store(other)->buffer;
    ir_list index = other->kind == IR_LOAD ? ir_as_load(other)->index : ir_as_store(other)->index;
    if (s->buffer->data != b->data) return true; /* another memory */
    if (s->buffer != b || s->index.n != index.n) return false;
    for (size_t i = 0; i < index.n; ++i) {
        if (!ir_equal(s->index.at[i], index.at[i])) return false;
    }
    return true;
}

/* Adds what the index grows by from one lane to the next to *step. False where that is not known. */
static bool add_step(const ir_node *index, const ir_var *lane, int64_t scale, int64_t *step)
{
    ir_linear form;
    if (!ir_linear_of(index, &form)) return false;
    for (size_t i = 0; i < form.n; ++i) {
        const ir_node *atom = form.terms[i].atom;
        int64_t part;
        if (!ir_uses_var(atom, lane)) continue;
        if (!ir_mul_exact(form.terms[i].coeff, scale, &part)) return false;
        if (atom->kind == IR_VAR) {
            if (!ir_add_exact(*step, part, step)) return false;
            continue;
        }
        /* Widened index arithmetic, which is taken not to overflow. */
        bool widens = atom->kind == IR_CAST && atom->type.code == IR_INT && ir_type_is_int(ir_as_cast(atom)->a->type) &&
                      atom->type.bits > ir_as_cast(atom)->a->type.bits;
        if (!widens || !add_step(ir_as_cast(atom)->a, lane, part, step)) return false;
    }
    return true;
}

/* Does each lane have an index of its own: a multiple of the lane, and something that all share? */
static bool is_apart(const ir_node *index, const ir_var *lane)
{
    int64_t step = 0;
    return add_step(index, lane, 1, &step) && step != 0;
}

/* Every store goes to a place of its lane's own, and no other lane reads or writes that place. */
static bool lanes_are_apart(vectorizer *z, const ir_node *body)
{
    ir_each(body, note_access, z);
    for (size_t i = 0; i < z->accesses.n; ++i) {
        const ir_node *store = z->accesses.at[i];
        if (store->kind != IR_STORE) continue;
        if (ir_as_store(store)->index.n != 1 || !is_apart(ir_as_store(store)->index.at[0], z->var)) return false;
        for (size_t j = 0; j < z->accesses.n; ++j) {
            if (!same_place(store, z->accesses.at[j])) return false;
        }
    }
    return true;
}

/* ---- Expressions -------------------------------------------------------------------------------- */

static const ir_node *expr(vectorizer *z, const ir_node *n);

static const ir_node *fail(vectorizer *z, const ir_node *n)
{
    z->failed = true;
    return n;
}

static const ir_node *widened(vectorizer *z, const ir_node *n)
{
    return n->type.lanes == 1 && z->lanes > 1 ? ir_broadcast_new(z->mem, n, z->lanes) : n;
}

static const ir_node *bin(vectorizer *z, const ir_bin *n)
{
    const ir_node *a = expr(z, n->a), *b = expr(z, n->b);
    if (a == n->a && b == n->b) return &n->node;
    if (a->kind == IR_RAMP && b->type.lanes == 1) {
        if (n->op == IR_MUL) return index_scale(z->mem, a, b);
        if (n->op == IR_ADD) return index_shift(z->mem, a, b);
        if (n->op == IR_SUB) return index_shift(z->mem, a, ir_sub(z->mem, ir_int_like(z->mem, b, 0), b));
    }
    if (b->kind == IR_RAMP && a->type.lanes == 1) {
        if (n->op == IR_MUL) return index_scale(z->mem, b, a);
        if (n->op == IR_ADD) return index_shift(z->mem, b, a);
    }
    if (a->kind == IR_RAMP && b->kind == IR_RAMP && n->op == IR_ADD) {
        const ir_ramp *p = ir_as_ramp(a), *q = ir_as_ramp(b);
        return ir_make(z->mem, RAMP, ramp, n->node.at, a->type, .base = ir_add(z->mem, p->base, q->base),
                       .stride = ir_add(z->mem, p->stride, q->stride));
    }
    return ir_fold_bin(z->mem, n->op, widened(z, a), widened(z, b));
}

static void find_harm(void *user, const ir_node *n)
{
    bool *harm = user;
    if (n->kind == IR_LOAD) *harm = true;
    if (n->kind == IR_CALL && ir_builtins[ir_as_call(n)->fn].effect != IR_EFFECT_PURE) *harm = true;
}

/* May it be evaluated where it is not asked for? */
static bool is_harmless(const ir_node *n)
{
    bool harm = false;
    ir_each(n, find_harm, &harm);
    return !harm;
}

static const ir_node *choice(vectorizer *z, const ir_call *n)
{
    const ir_node *cond = expr(z, n->args.at[0]), *yes = expr(z, n->args.at[1]), *no = expr(z, n->args.at[2]);
    if (cond->type.lanes == 1) {
        if (yes == n->args.at[1] && no == n->args.at[2]) return &n->node;
        const ir_node *args[] = {cond, widened(z, yes), widened(z, no)};
        return ir_fold_call(z->mem, n->fn, args[1]->type, ir_list_copy(z->mem, args, 3), n->node.at);
    }
    if (!is_harmless(yes) || !is_harmless(no)) return fail(z, &n->node);
    return ir_fold_select(z->mem, cond, widened(z, yes), widened(z, no));
}

static const ir_node *call(vectorizer *z, const ir_call *n)
{
    if (n->fn == IR_FN_IF_THEN_ELSE) return choice(z, n);
    bool uses = false;
    ir_node_vec args = {0};
    for (size_t i = 0; i < n->args.n; ++i) {
        ir_node_vec_push(z->mem, &args, expr(z, n->args.at[i]));
        uses |= args.at[i] != n->args.at[i];
    }
    if (!uses && ir_builtins[n->fn].effect == IR_EFFECT_PURE) return &n->node;
    bool elementwise = ir_builtins[n->fn].effect == IR_EFFECT_PURE && ir_builtins[n->fn].rule != IR_RULE_GIVEN;
    elementwise |= n->fn == IR_FN_REINTERPRET;
    if (!elementwise || ir_type_is_pointer(n->node.type)) return fail(z, &n->node);
    for (size_t i = 0; i < args.n; ++i) args.at[i] = widened(z, args.at[i]);
    return ir_fold_call(z->mem, n->fn, ir_type_lanes(n->node.type, z->lanes), ir_list_of(args), n->node.at);
}

static const ir_node *load(vectorizer *z, const ir_load *n)
{
    if (n->index.n != 1 || n->predicate != NULL) return fail(z, &n->node);
    const ir_node *index = expr(z, n->index.at[0]);
    if (index == n->index.at[0]) return &n->node;
    if (n->buffer->type.lanes != 1) return fail(z, &n->node);
    return ir_load_new(z->mem, n->buffer, ir_list_one(z->mem, index), n->node.at);
}

static const ir_node *select(vectorizer *z, const ir_select *n)
{
    const ir_node *cond = expr(z, n->cond), *yes = expr(z, n->yes), *no = expr(z, n->no);
    if (cond == n->cond && yes == n->yes && no == n->no) return &n->node;
    return ir_fold_select(z->mem, cond, widened(z, yes), widened(z, no));
}

static const ir_node *variable(vectorizer *z, const ir_node *n)
{
    const ir_var *v = ir_as_var_ref(n)->var;
    if (v == z->var) return z->lanes_of_var;
    const ir_var *vector = map_get_id(&z->vectors, v);
    return vector != NULL ? ir_ref(z->mem, vector, n->at) : n;
}

/* The expression for all lanes: of `lanes` lanes where it depends on the lane, else itself. */
static const ir_node *expr(vectorizer *z, const ir_node *n)
{
    if (z->failed) return n;
    const ir_node *a;
    switch ((int)n->kind) {
    case IR_VAR: return variable(z, n);
    case IR_INT_IMM:
    case IR_FLOAT_IMM:
    case IR_STRING: return n;
    case IR_BIN: return bin(z, ir_as_bin(n));
    case IR_NOT:
        a = expr(z, ir_as_not(n)->a);
        return a == ir_as_not(n)->a ? n : ir_fold_not(z->mem, a);
    case IR_CAST:
        a = expr(z, ir_as_cast(n)->a);
        if (a == ir_as_cast(n)->a) return n;
        if (ir_type_is_int(n->type)) return index_cast(z->mem, ir_type_element(n->type), a);
        return ir_fold_cast(z->mem, ir_type_lanes(n->type, a->type.lanes), a);
    case IR_SELECT: return select(z, ir_as_select(n));
    case IR_LOAD: return load(z, ir_as_load(n));
    case IR_CALL: return call(z, ir_as_call(n));
    default: /* vectors of their own, and what has none */
        return ir_uses_var(n, z->var) || z->vectors.n != 0 ? fail(z, n) : n;
    }
}

/* ---- Statements --------------------------------------------------------------------------------- */

static const ir_node *stmt(vectorizer *z, const ir_node *n);

static const ir_node *store(vectorizer *z, const ir_store *n)
{
    if (n->buffer->type.lanes != 1 || n->predicate != NULL || n->value->type.lanes != 1) return fail(z, &n->node);
    const ir_node *index = expr(z, n->index.at[0]), *value = widened(z, expr(z, n->value));
    if (index->type.lanes != z->lanes) return fail(z, &n->node);
    return ir_store_new(z->mem, n->buffer, ir_list_one(z->mem, index), value, n->node.at);
}

static const ir_node *bind(vectorizer *z, const ir_bind *n)
{
    if (ir_type_is_pointer(n->var->type)) return fail(z, &n->node);
    const ir_node *value = expr(z, n->value);
    if (value == n->value) return &n->node;
    ir_var *v = arena_copy(z->mem, n->var, sizeof *v);
    v->type = value->type;
    map_put_id(z->mem, &z->vectors, n->var, v);
    return ir_make(z->mem, BIND, bind, n->node.at, IR_VOID, .var = v, .value = value);
}

static const ir_node *branch(vectorizer *z, const ir_if *n)
{
    ir_if copy = *n;
    copy.cond = expr(z, n->cond);
    if (copy.cond->type.lanes != 1) return fail(z, &n->node);
    copy.yes = stmt(z, n->yes);
    if (n->no != NULL) copy.no = stmt(z, n->no);
    return arena_copy(z->mem, &copy, sizeof copy);
}

static const ir_node *stmt(vectorizer *z, const ir_node *n)
{
    if (z->failed) return n;
    switch ((int)n->kind) {
    case IR_SEQ: {
        ir_list body = ir_as_seq(n)->body;
        ir_node_vec out = {0};
        for (size_t i = 0; i < body.n; ++i) ir_node_vec_push(z->mem, &out, stmt(z, body.at[i]));
        return ir_seq_new(z->mem, out.at, out.n, n->at);
    }
    case IR_STORE: return store(z, ir_as_store(n));
    case IR_BIND: return bind(z, ir_as_bind(n));
    case IR_IF: return branch(z, ir_as_if(n));
    default: return fail(z, n);
    }
}

/* ---- Loops -------------------------------------------------------------------------------------- */

/* The widest vector that divides the loop. */
static uint32_t width_of(int64_t extent)
{
    for (uint32_t w = 4; w > 1; --w) {
        if (extent % w == 0) return w;
    }
    return 1;
}

static const ir_node *as_serial(arena *mem, const ir_for *f)
{
    ir_for copy = *f;
    copy.loop = IR_SERIAL;
    return arena_copy(mem, &copy, sizeof copy);
}

enum { MOST_COPIES = 4 };

static const ir_node *loop(arena *mem, const ir_for *f)
{
    int64_t extent;
    if (!ir_const_value(f->extent, &extent) || !ir_is_const(f->min, 0) || extent <= 1) return as_serial(mem, f);
    uint32_t w = width_of(extent);
    if (w == 1) return as_serial(mem, f);
    const ir_var *outer = ir_var_new(mem, f->var->name, f->var->type, f->var->at);
    const ir_node *base = ir_int_new(mem, f->var->type, 0, f->node.at);
    if (extent > w) base = ir_mul(mem, ir_ref(mem, outer, f->node.at), ir_int_like(mem, base, w));
    vectorizer z = {.mem = mem, .var = f->var, .lanes = w};
    z.lanes_of_var = ir_make(mem, RAMP, ramp, f->node.at, ir_type_lanes(f->var->type, w), .base = base,
                             .stride = ir_int_like(mem, base, 1));
    if (!lanes_are_apart(&z, f->body)) return as_serial(mem, f);
    const ir_node *body = stmt(&z, f->body);
    if (z.failed) return as_serial(mem, f);
    if (extent == w) return body;
    ir_for copy = *f;
    copy.loop = extent / w <= MOST_COPIES ? IR_UNROLLED : IR_SERIAL;
    copy.var = outer;
    copy.extent = ir_int_like(mem, f->extent, extent / w);
    copy.annotations = (ir_attrs){0};
    copy.body = body;
    return arena_copy(mem, &copy, sizeof copy);
}

typedef struct vectorize {
    ir_rewrite r;
    bool in_kernel; /* host code has no vectors */
} vectorize;

static const ir_node *visit(ir_rewrite *r, const ir_node *n)
{
    if (!ir_is_stmt(n)) return n;
    vectorize *v = (vectorize *)(void *)r;
    bool outer = v->in_kernel;
    v->in_kernel |= n->kind == IR_THREAD;
    n = ir_rewrite_children(r, n);
    v->in_kernel = outer;
    if (n->kind != IR_FOR || ir_as_for(n)->loop != IR_VECTORIZED) return n;
    return outer ? loop(r->mem, ir_as_for(n)) : as_serial(r->mem, ir_as_for(n));
}

static const ir_node *vectorize_body(pass_context *cx, const ir_func *f)
{
    vectorize v = {.r = {.mem = cx->mem, .node = visit}};
    return visit(&v.r, f->body);
}

const ir_module *pass_vectorize_loop(pass_context *cx, const ir_module *m)
{
    return pass_each_body(cx, m, vectorize_body);
}
