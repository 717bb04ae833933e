/* verify_returns: a thread that returns early is missing nowhere.
 *
 * Why: a barrier waits for all threads of the group, and an exchange between lanes reads from lanes that must be there.
 *
 *     if tx > 3:
 *         T.thread_return()
 *     S[tx] = A[tx]
 *     T.tvm_storage_sync("shared")     ->    refused, with the places of both
 *
 * A return that all threads of the group take together is no trouble. Left alone: everything; nothing is changed. */
#include "pass/uniform.h"

typedef struct return_scan {
    pass_context *cx;
    uniformity u;
    const ir_node *returned; /* a RETURN that only some threads have taken, before the statement at hand */
    bool told;
} return_scan;

/* Barriers, and what needs the other lanes; votes are of those that are here. */
static bool needs_all(ir_builtin fn)
{
    switch ((int)fn) {
    case IR_FN_STORAGE_SYNC:
    case IR_FN_SHUFFLE:
    case IR_FN_SHUFFLE_UP:
    case IR_FN_SHUFFLE_DOWN:
    case IR_FN_SHUFFLE_XOR:
    case IR_FN_SIMD_SHUFFLE:
    case IR_FN_SIMD_SHUFFLE_UP:
    case IR_FN_SIMD_SHUFFLE_DOWN:
    case IR_FN_SIMD_SHUFFLE_XOR:
    case IR_FN_SIMD_FILL:
    case IR_FN_SIMD_LOAD:
    case IR_FN_SIMD_STORE:
    case IR_FN_SIMD_MMA: return true;
    default: return false;
    }
}

static void look(void *user, const ir_node *n)
{
    return_scan *s = user;
    if (s->told || n->kind != IR_CALL || !needs_all(ir_as_call(n)->fn)) return;
    s->told = true;
    diag_error(s->cx->diags, s->returned->at, "a thread that returns here is missing where the others meet later: guard the "
               "statements in between with an if instead");
    diag_note(s->cx->diags, n->at, "all threads must come here");
}

static void visit(return_scan *s, const ir_node *n, bool varying);

static void visit_loop(return_scan *s, const ir_node *n, const ir_node *body, bool varying)
{
    varying |= loop_varies(&s->u, n);
    visit(s, body, varying);
    if (s->returned != NULL) visit(s, body, varying); /* the next round comes after a return of this one */
}

static void visit(return_scan *s, const ir_node *n, bool varying)
{
    switch ((int)n->kind) {
    case IR_SEQ:
        for (size_t i = 0; i < ir_as_seq(n)->body.n; ++i) visit(s, ir_as_seq(n)->body.at[i], varying);
        return;
    case IR_THREAD: visit(s, ir_as_thread(n)->body, varying); return;
    case IR_ATTR: visit(s, ir_as_attr(n)->body, varying); return;
    case IR_FOR: visit_loop(s, n, ir_as_for(n)->body, varying); return;
    case IR_WHILE: visit_loop(s, n, ir_as_while(n)->body, varying); return;
    case IR_IF:
        varying |= varies(&s->u, ir_as_if(n)->cond);
        visit(s, ir_as_if(n)->yes, varying);
        if (ir_as_if(n)->no != NULL) visit(s, ir_as_if(n)->no, varying);
        return;
    case IR_RETURN:
        if (ir_as_return(n)->value != NULL)
            diag_error(s->cx->diags, n->at, "a thread of a kernel returns no value");
        if (varying && s->returned == NULL) s->returned = n;
        return;
    default:
        if (s->returned != NULL) ir_each(n, look, s);
        return;
    }
}

static const ir_node *verify(pass_context *cx, const ir_func *f)
{
    if (f->kind != IR_FUNC_KERNEL) return f->body;
    region_axes axes = region_axes_of(cx->mem, f->body);
    return_scan s = {.cx = cx, .u = uniformity_of(cx->mem, f->body, &axes)};
    visit(&s, f->body, false);
    return f->body;
}

const ir_module *pass_verify_returns(pass_context *cx, const ir_module *m)
{
    return pass_each_body(cx, m, verify);
}
