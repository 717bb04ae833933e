/* Splits branches around their barriers: if (c) { A; barrier; B } becomes if (c) A; barrier; if (c) B. */
#include "pass/lift_barrier.h"

#include "ir/fold.h"
#include "pass/free_vars.h"
#include "pass/jumps.h"

bool is_barrier(const ir_node *stmt)
{
    if (stmt->kind != IR_EVAL || ir_as_eval(stmt)->value->kind != IR_CALL) return false;
    const ir_call *c = ir_as_call(ir_as_eval(stmt)->value);
    if (c->fn != IR_FN_STORAGE_SYNC || c->args.at[0]->kind != IR_STRING) return false;
    str scope = ir_as_string(c->args.at[0])->text;
    return str_is(scope, "shared") || str_is(scope, "shared.dyn");
}

static void find_barrier(void *user, const ir_node *n)
{
    bool *found = user;
    *found |= is_barrier(n);
}

bool has_barrier(const ir_node *stmt)
{
    bool found = false;
    ir_each(stmt, find_barrier, &found);
    return found;
}

typedef struct lift {
    ir_rewrite r;
    pass_context *cx;
    const uniformity *u;
    bool changed;
} lift;

/* ---- Names that outlive the branch ------------------------------------------------------------- */

/* Of a branch that is taken apart: what its parts define for later parts. */
typedef struct parts {
    lift *l;
    ir_node_vec outside; /* before the whole: memory that several parts use */
    ir_node_vec out;     /* the parts */
    map values;          /* variable -> expression for it in later parts */
} parts;

/* The definitions of a part must reach the later ones: memory moves outside, a value goes through memory. */
static const ir_node *export_one(parts *p, const ir_node *n)
{
    arena *mem = p->l->r.mem;
    if (n->kind == IR_ALLOC || n->kind == IR_DECL) {
        ir_node_vec_push(mem, &p->outside, n);
        return ir_nop(mem);
    }
    if (n->kind != IR_BIND) return n;
    const ir_bind *b = ir_as_bind(n);
    if (ir_type_is_pointer(b->var->type)) {
        ir_node_vec_push(mem, &p->outside, n);
        return ir_nop(mem);
    }
    const ir_var *data = ir_var_pointer(mem, b->var->name, b->var->type, IR_SCOPE_LOCAL, n->at);
    ir_buffer *kept = arena_new(mem, ir_buffer);
    *kept = (ir_buffer){.name = b->var->name, .data = data, .type = b->var->type, .scope = IR_SCOPE_LOCAL,
                        .shape = ir_list_one(mem, ir_i32(mem, 1)), .at = n->at};
    ir_node_vec_push(mem, &p->outside, ir_make(mem, ALLOC, alloc, n->at, IR_VOID, .buffer = kept));
    ir_list zero = ir_list_one(mem, ir_i32(mem, 0));
    map_put_id(mem, &p->values, b->var, ir_load_new(mem, kept, zero, n->at));
    const ir_node *both[] = {n, ir_store_new(mem, kept, zero, ir_ref(mem, b->var, n->at), n->at)};
    return ir_seq_new(mem, both, 2, n->at);
}

/* Does one of the statements after it use what `n` defines? */
static bool is_used(arena *mem, const ir_node *n, ir_list after)
{
    const void *id = n->kind == IR_BIND ? (const void *)ir_as_bind(n)->var
                     : n->kind == IR_ALLOC ? (const void *)ir_as_alloc(n)->buffer->data
                     : n->kind == IR_DECL ? (const void *)ir_as_decl(n)->buffer : NULL;
    if (id == NULL) return false;
    free_vars used = free_vars_of(mem, ir_make(mem, SEQ, seq, n->at, IR_VOID, .body = after));
    for (size_t i = 0; i < used.vars.n; ++i) {
        if (used.vars.at[i] == id) return true;
    }
    for (size_t i = 0; i < used.buffers.n; ++i) {
        if (used.buffers.at[i] == id) return true;
    }
    return false;
}

/* ---- Statements under a condition --------------------------------------------------------------- */

static const ir_node *guarded(lift *l, const ir_node *cond, const ir_node *n);

static const ir_node *under(lift *l, const ir_node *cond, const ir_node *n)
{
    if (ir_is_nop(n)) return n;
    return ir_make(l->r.mem, IF, if, n->at, IR_VOID, .cond = cond, .yes = n);
}

static void refuse(lift *l, const ir_node *at, const char *where)
{
    diag_error(l->cx->diags, at->at,
               "a barrier is needed %s, which not all threads of a threadgroup go through alike: they would wait for "
               "each other forever", where);
}

static const ir_node *guarded_seq(lift *l, const ir_node *cond, const ir_seq *n)
{
    arena *mem = l->r.mem;
    parts p = {.l = l};
    ir_node_vec run = {0};
    for (size_t i = 0; i < n->body.n; ++i) {
        const ir_node *s = ir_substitute(mem, n->body.at[i], &p.values);
        if (!has_barrier(s)) {
            ir_list after = {n->body.at + i + 1, n->body.n - i - 1};
            if (is_used(mem, n->body.at[i], after)) s = export_one(&p, s);
            ir_node_vec_push(mem, &run, s);
            continue;
        }
        ir_node_vec_push(mem, &p.out, under(l, cond, ir_seq_new(mem, run.at, run.n, n->node.at)));
        run = ir_node_vec_none();
        ir_node_vec_push(mem, &p.out, guarded(l, cond, s));
    }
    ir_node_vec_push(mem, &p.out, under(l, cond, ir_seq_new(mem, run.at, run.n, n->node.at)));
    const ir_node *both[] = {ir_seq_new(mem, p.outside.at, p.outside.n, n->node.at),
                             ir_seq_new(mem, p.out.at, p.out.n, n->node.at)};
    return ir_seq_new(mem, both, 2, n->node.at);
}

/* A variable that holds the condition: what it reads may change before the second part. */
static const ir_node *named(lift *l, const ir_node *cond, ir_node_vec *before)
{
    arena *mem = l->r.mem;
    if (!ir_reads_memory(cond)) return cond;
    const ir_var *v = ir_var_new(mem, STR("taken"), cond->type, cond->at);
    ir_node_vec_push(mem, before, ir_make(mem, BIND, bind, cond->at, IR_VOID, .var = v, .value = cond));
    return ir_ref(mem, v, cond->at);
}

/* A branch with a barrier, under a condition of its own (`cond`, may be NULL). */
static const ir_node *split_if(lift *l, const ir_node *cond, const ir_if *n)
{
    arena *mem = l->r.mem;
    ir_node_vec out = {0};
    /* The inner condition may only be asked where the outer one holds. */
    const ir_node *yes = named(l, cond != NULL ? ir_and(mem, cond, n->cond) : n->cond, &out);
    const ir_node *no = ir_fold_not(mem, yes);
    if (cond != NULL) no = ir_and(mem, cond, no);
    ir_node_vec_push(mem, &out, guarded(l, yes, n->yes));
    if (n->no != NULL) ir_node_vec_push(mem, &out, guarded(l, no, n->no));
    return ir_seq_new(mem, out.at, out.n, n->node.at);
}

static const ir_node *guarded_for(lift *l, const ir_node *cond, const ir_for *n)
{
    ir_for copy = *n;
    if (loop_varies(l->u, &n->node) || ir_reads_memory(n->extent)) {
        refuse(l, &n->node, "in this loop");
        return &n->node;
    }
    copy.body = guarded(l, cond, n->body);
    return arena_copy(l->r.mem, &copy, sizeof copy);
}

/* The statement as it is where `cond` holds, with its barriers outside of the condition. */
static const ir_node *guarded(lift *l, const ir_node *cond, const ir_node *n)
{
    if (!has_barrier(n)) return under(l, cond, n);
    switch ((int)n->kind) {
    case IR_EVAL: return n;
    case IR_SEQ: return guarded_seq(l, cond, ir_as_seq(n));
    case IR_IF: return split_if(l, cond, ir_as_if(n));
    case IR_FOR: return guarded_for(l, cond, ir_as_for(n));
    default: refuse(l, n, "in this loop"); return n;
    }
}

static const ir_node *lift_if(lift *l, const ir_node *n)
{
    const ir_node *jump = jumps_find(n);
    if (jump != NULL) {
        refuse(l, jump, "in the branch that this jump leaves");
        return n;
    }
    l->changed = true;
    return split_if(l, NULL, ir_as_if(n));
}

static const ir_node *lift_node(ir_rewrite *r, const ir_node *n)
{
    lift *l = (lift *)(void *)r;
    if (!ir_is_stmt(n) || !has_barrier(n)) return n;
    if (n->kind == IR_IF && varies(l->u, ir_as_if(n)->cond)) return lift_if(l, n);
    if ((n->kind == IR_FOR || n->kind == IR_WHILE) && loop_varies(l->u, n)) {
        refuse(l, n, "in this loop");
        return n;
    }
    return ir_rewrite_children(r, n);
}

const ir_node *lift_barriers(pass_context *cx, const region_axes *axes, const ir_node *region, bool *changed)
{
    uniformity u = uniformity_of(cx->mem, region, axes);
    lift l = {.r = {.mem = cx->mem, .node = lift_node}, .cx = cx, .u = &u};
    const ir_node *out = lift_node(&l.r, region);
    *changed = l.changed;
    return out;
}
