/* Statements, and functions of the text, which are expanded where they are called. */
#include "air/write.h"

#include <stdarg.h>
#include <stdio.h>

void air_write_refuse(air_writer *w, span at, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!w->failed) diag_unsupported(w->diags, at, "%s in a metallib (kernel '%.*s')", text, STR_ARG(w->kernel->name));
    w->failed = true;
}

LLVMBasicBlockRef air_write_block(air_writer *w, const char *name)
{
    return LLVMAppendBasicBlockInContext(w->c, w->function, name);
}

static bool has_ended(air_writer *w)
{
    return LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(w->b)) != NULL;
}

void air_write_branch(air_writer *w, LLVMBasicBlockRef to)
{
    if (!has_ended(w)) LLVMBuildBr(w->b, to);
}

static void start(air_writer *w, LLVMBasicBlockRef block)
{
    LLVMMoveBasicBlockAfter(block, LLVMGetInsertBlock(w->b));
    LLVMPositionBuilderAtEnd(w->b, block);
}

static void write_items(air_writer *w, const mf_stmt *s)
{
    for (size_t i = 0; i < s->item_count; ++i) air_write_stmt(w, s->items[i]);
}

static void write_if(air_writer *w, const mf_stmt *s)
{
    LLVMValueRef c = air_write_value(w, s->cond);
    LLVMBasicBlockRef yes = air_write_block(w, "then"), end = air_write_block(w, "endif");
    LLVMBasicBlockRef no = s->other != NULL ? air_write_block(w, "else") : end;
    LLVMBuildCondBr(w->b, c, yes, no);
    start(w, yes);
    air_write_stmt(w, s->body);
    air_write_branch(w, end);
    if (s->other != NULL) {
        start(w, no);
        air_write_stmt(w, s->other);
        air_write_branch(w, end);
    }
    start(w, end);
}

static void write_condition(air_writer *w, const mf_expr *cond, LLVMBasicBlockRef body, LLVMBasicBlockRef end)
{
    if (cond == NULL) LLVMBuildBr(w->b, body);
    else LLVMBuildCondBr(w->b, air_write_value(w, cond), body, end);
}

static void write_loop(air_writer *w, const mf_stmt *s)
{
    LLVMBasicBlockRef outer_break = w->on_break, outer_continue = w->on_continue;
    LLVMBasicBlockRef head = air_write_block(w, "loop"), body = air_write_block(w, "body"), step = air_write_block(w, "step");
    LLVMBasicBlockRef end = air_write_block(w, "endloop");
    if (s->kind == MF_STMT_FOR && s->init != NULL) air_write_stmt(w, s->init);
    w->on_break = end;
    w->on_continue = step;
    LLVMBuildBr(w->b, s->kind == MF_STMT_DO ? body : head);
    start(w, head);
    if (s->kind != MF_STMT_DO) write_condition(w, s->cond, body, end);
    else LLVMBuildBr(w->b, body);
    start(w, body);
    air_write_stmt(w, s->body);
    air_write_branch(w, step);
    start(w, step);
    if (s->kind == MF_STMT_FOR && s->step != NULL) air_write_drop(w, s->step);
    if (s->kind == MF_STMT_DO) write_condition(w, s->cond, body, end);
    else LLVMBuildBr(w->b, head);
    start(w, end);
    w->on_break = outer_break;
    w->on_continue = outer_continue;
}

static void write_switch(air_writer *w, const mf_stmt *s)
{
    LLVMBasicBlockRef outer = w->on_break, end = air_write_block(w, "endswitch");
    LLVMValueRef v = air_write_value(w, s->cond), all = LLVMBuildSwitch(w->b, v, end, (unsigned)s->item_count);
    w->on_break = end;
    start(w, air_write_block(w, "cases"));
    for (size_t i = 0; i < s->item_count; ++i) {
        const mf_stmt *one = s->items[i];
        if (one->kind != MF_STMT_CASE) {
            air_write_stmt(w, one);
            continue;
        }
        LLVMBasicBlockRef label = air_write_block(w, "case");
        air_write_branch(w, label);
        start(w, label);
        if (one->is_default) LLVMSetOperand(all, 1, LLVMBasicBlockAsValue(label));
        else LLVMAddCase(all, LLVMConstInt(LLVMTypeOf(v), (uint64_t)one->case_value, 1), label);
    }
    air_write_branch(w, end);
    start(w, end);
    w->on_break = outer;
}

static void write_declaration(air_writer *w, const mf_var *v)
{
    if (v->kind == MF_VAR_GLOBAL) return;
    if (v->is_static) air_write_refuse(w, v->at, "a static variable of a thread is not supported");
    air_bound *b = air_write_bound(w, v);
    if (v->space == MF_THREADGROUP) return; /* made where it is first named */
    if (!b->bound) {
        b->at = air_write_room(w, v->type, v->name);
        b->at.is_volatile = (v->quals & MF_VOLATILE) != 0;
        b->bound = true;
    }
    if (v->init == NULL) return;
    if (v->type->kind == MF_TYPE_REFERENCE) {
        const air_place p = air_write_place(w, v->init);
        if (p.picks != 0) air_write_refuse(w, v->at, "a reference to a swizzle is not supported");
        else LLVMBuildStore(w->b, LLVMBuildBitCast(w->b, p.p, air_write_memory_type(w, v->type), ""), b->at.p);
        return;
    }
    air_write_store(w, b->at, air_write_value(w, v->init));
}

static void write_return(air_writer *w, const mf_stmt *s)
{
    air_frame *f = w->frame;
    if (s->expr != NULL && f->reference.p != NULL) {
        const air_place p = air_write_place(w, s->expr);
        LLVMBuildStore(w->b, p.p, f->reference.p);
    } else if (s->expr != NULL) {
        if (f->result.p == NULL) air_write_drop(w, s->expr);
        else air_write_store(w, f->result, air_write_value(w, s->expr));
    }
    air_write_branch(w, f->end);
}

/* A function's call of itself, the last thing that it does: its parameters change, all at once, and its body runs again. */
static void write_again(air_writer *w, const mf_stmt *s)
{
    air_frame *f = w->frame;
    const mf_expr *e = s->expr;
    while (e->kind == MF_EXPR_CAST) e = e->a;
    LLVMValueRef *values = arena_array(w->mem, LLVMValueRef, e->arg_count + 1);
    for (uint32_t i = 0; i < e->arg_count; ++i) {
        if (f->function->params[i]->type->kind != MF_TYPE_REFERENCE) values[i] = air_write_value(w, e->args[i]);
        else if (air_write_place(w, e->args[i]).p != f->params[i].at.p)
            air_write_refuse(w, s->at, "a function that calls itself with another object than its own is not supported");
    }
    for (uint32_t i = 0; i < e->arg_count; ++i)
        if (f->function->params[i]->type->kind != MF_TYPE_REFERENCE) air_write_store(w, f->params[i].at, values[i]);
    air_write_branch(w, f->turn);
}

void air_write_stmt(air_writer *w, const mf_stmt *s)
{
    if (w->failed) return;
    if (has_ended(w)) start(w, air_write_block(w, "after")); /* never reached */
    if (w->frame->turn != NULL && mf_is_self_call(s, w->frame->function)) {
        write_again(w, s);
        return;
    }
    switch (s->kind) {
    case MF_STMT_EXPR: air_write_drop(w, s->expr); break;
    case MF_STMT_DECL: write_declaration(w, s->var); break;
    case MF_STMT_BLOCK: write_items(w, s); break;
    case MF_STMT_IF: write_if(w, s); break;
    case MF_STMT_FOR:
    case MF_STMT_WHILE:
    case MF_STMT_DO: write_loop(w, s); break;
    case MF_STMT_SWITCH: write_switch(w, s); break;
    case MF_STMT_BREAK: air_write_branch(w, w->on_break); break;
    case MF_STMT_CONTINUE: air_write_branch(w, w->on_continue); break;
    case MF_STMT_RETURN: write_return(w, s); break;
    case MF_STMT_CASE:
    case MF_STMT_EMPTY: break;
    }
}

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

static void bind_params(air_writer *w, const mf_expr *e, air_frame *inner)
{
    for (size_t i = 0; i < inner->function->param_count && i < e->arg_count; ++i) {
        const mf_var *p = inner->function->params[i];
        air_bound *b = &inner->params[i];
        b->bound = true;
        if (p->type->kind == MF_TYPE_REFERENCE) {
            b->at = air_write_place(w, e->args[i]);
            continue;
        }
        LLVMValueRef v = air_write_value(w, e->args[i]);
        b->at = air_write_room(w, p->type, p->name);
        air_write_store(w, b->at, v);
    }
}

LLVMValueRef air_write_call(air_writer *w, const mf_expr *e, air_place *reference)
{
    enum { MOST_DEPTH = 64 };
    const mf_function *f = e->function;
    if (air_write_is_method(w, f)) return air_write_method(w, e);
    air_frame inner = {.function = f, .outer = w->frame};
    const bool is_void = f->result->kind == MF_TYPE_VOID, is_reference = f->result->kind == MF_TYPE_REFERENCE;
    if (w->constant) { /* it is computed later */
        w->meets_given = true;
        return is_void ? NULL : air_write_zero(w, e->type);
    }
    if (air_write_is_copy(f)) return air_write_copy(w, e);
    if (w->depth >= MOST_DEPTH) {
        air_write_refuse(w, e->at, "this call cannot be expanded");
        return is_void ? NULL : air_write_zero(w, e->type);
    }
    inner.params = arena_array(w->mem, air_bound, f->param_count + 1);
    inner.locals = arena_array(w->mem, air_bound, f->local_count + 1);
    bind_params(w, e, &inner);
    inner.end = air_write_block(w, "return");
    if (is_reference) inner.reference = air_write_room(w, f->result, STR("ref"));
    else if (!is_void) inner.result = air_write_room(w, f->result, STR("result"));
    LLVMBasicBlockRef on_break = w->on_break, on_continue = w->on_continue;
    ++w->depth;
    w->frame = &inner;
    if (f->recurs) {
        inner.turn = air_write_block(w, "turn");
        LLVMBuildBr(w->b, inner.turn);
        start(w, inner.turn);
    }
    air_write_stmt(w, f->body);
    air_write_branch(w, inner.end);
    w->frame = inner.outer;
    --w->depth;
    w->on_break = on_break;
    w->on_continue = on_continue;
    start(w, inner.end);
    if (is_reference) {
        const air_place p = {.p = LLVMBuildLoad2(w->b, air_write_memory_type(w, f->result), inner.reference.p, ""), .type = e->type};
        if (reference != NULL) *reference = p;
        return reference != NULL ? NULL : air_write_load(w, p);
    }
    return is_void ? NULL : air_write_load(w, inner.result);
}
