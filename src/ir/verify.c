/* The verifier's walk: definitions, scopes, and the shape of statements. */
#include "ir/verify.h"

#include "ir/verify_inner.h"

#include <stdarg.h>
#include <stdio.h>

void verify_fail(verifier *v, span at, const char *format, ...)
{
    char text[300];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    diag_error(v->diags, at, "internal error%s%s in '%.*s': %s", v->after != NULL ? " after " : "",
               v->after != NULL ? v->after : "", STR_ARG(v->func->name), text);
}

/* ---- Names ----------------------------------------------------------------------------------- */

static void define(verifier *v, verify_name name, str text, span at)
{
    const void *id = name.var != NULL ? (const void *)name.var : (const void *)name.buffer;
    if (map_get_id(&v->ever, id) != NULL) {
        verify_fail(v, at, "'%.*s' is defined twice", STR_ARG(text));
        return;
    }
    map_put_id(v->mem, &v->ever, id, id);
    map_put_id(v->mem, &v->visible, id, id);
    verify_names_push(v->mem, &v->stack, name);
}

static void define_var(verifier *v, const ir_var *var)
{
    define(v, (verify_name){.var = var}, var->name, var->at);
}

static void leave(verifier *v, size_t mark)
{
    while (v->stack.n > mark) {
        verify_name name = v->stack.at[--v->stack.n];
        map_put_id(v->mem, &v->visible,
                   name.var != NULL ? (const void *)name.var : (const void *)name.buffer, NULL);
    }
}

static void use_var(ir_walk *w, const ir_var *var)
{
    verifier *v = (verifier *)(void *)w;
    if (map_get_id(&v->visible, var) == NULL) {
        verify_fail(v, var->at, "variable '%.*s' is used where it is not defined",
                    STR_ARG(var->name));
    }
}

static void use_buffer(ir_walk *w, const ir_buffer *b)
{
    verifier *v = (verifier *)(void *)w;
    if (map_get_id(&v->visible, b) == NULL) {
        verify_fail(v, b->at, "buffer '%.*s' is used where it is not defined", STR_ARG(b->name));
    }
}

static void define_buffer(verifier *v, const ir_buffer *b)
{
    if (b->data == NULL || !ir_type_is_pointer(b->data->type)) {
        verify_fail(v, b->at, "buffer '%.*s' has no pointer", STR_ARG(b->name));
        return;
    }
    if (b->strides.n != 0 && b->strides.n != b->shape.n) {
        verify_fail(v, b->at, "buffer '%.*s' has %zu strides for %zu dimensions", STR_ARG(b->name),
                    b->strides.n, b->shape.n);
    }
    for (size_t i = 0; i < b->shape.n; ++i) {
        if (!ir_type_is_int(b->shape.at[i]->type))
            verify_fail(v, b->at, "an extent of '%.*s' is no integer", STR_ARG(b->name));
    }
    ir_walk_buffer(&v->w, b);
    define(v, (verify_name){.buffer = b}, b->name, b->at);
}

/* ---- Statements ------------------------------------------------------------------------------ */

static void check(verifier *v, const ir_node *n);

static void check_node(ir_walk *w, const ir_node *n)
{
    check((verifier *)(void *)w, n);
}

static void expect(verifier *v, bool holds, span at, const char *rule)
{
    if (!holds) verify_fail(v, at, "%s", rule);
}

static bool is_scalar_bool(const ir_node *n)
{
    return ir_type_eq(n->type, IR_B1);
}

static void check_body(verifier *v, const ir_node *body)
{
    size_t mark = v->stack.n;
    expect(v, ir_is_stmt(body), body->at, "an expression where a statement belongs");
    check(v, body);
    leave(v, mark);
}

static void check_for(verifier *v, const ir_for *n)
{
    span at = n->node.at;
    check(v, n->min);
    check(v, n->extent);
    expect(v, ir_type_is_int(n->var->type) && n->var->type.lanes == 1, at,
           "a loop variable must be an integer");
    expect(v, ir_type_eq(n->min->type, n->var->type) && ir_type_eq(n->extent->type, n->var->type),
           at, "a loop's begin, extent and variable must have one type");
    expect(v, (n->loop == IR_THREAD_BOUND) == (n->tag.n != 0), at,
           "thread-bound loops, and only they, have a tag");
    if (n->tag.n != 0 && !verify_tag(n->tag))
        verify_fail(v, at, "'%.*s' is no thread axis", STR_ARG(n->tag));
    size_t mark = v->stack.n;
    define_var(v, n->var);
    ++v->loops;
    check_body(v, n->body);
    --v->loops;
    leave(v, mark);
}

static void check_thread(verifier *v, const ir_thread *n)
{
    if (!verify_tag(n->tag))
        verify_fail(v, n->node.at, "'%.*s' is no thread axis", STR_ARG(n->tag));
    /* A kernel's extents are stated by the host, in the host's variables. */
    if (v->func->kind != IR_FUNC_KERNEL) check(v, n->extent);
    expect(v, ir_type_is_int(n->extent->type) && ir_type_is_int(n->var->type), n->node.at,
           "a thread axis and its extent must be integers");
    size_t mark = v->stack.n;
    define_var(v, n->var);
    check_body(v, n->body);
    leave(v, mark);
}

static void check_region(verifier *v, const ir_region *r)
{
    use_buffer(&v->w, r->buffer);
    expect(v, r->n == r->buffer->shape.n, r->at, "a region must have a range a dimension");
    for (size_t i = 0; i < r->n; ++i) {
        check(v, r->ranges[i].min);
        check(v, r->ranges[i].extent);
        expect(v, ir_type_is_int(r->ranges[i].min->type), r->at,
               "a region's range must be of integers");
    }
}

static void check_iters(verifier *v, const ir_block *n)
{
    for (size_t i = 0; i < n->iters.n; ++i) {
        const ir_iter *it = &n->iters.at[i];
        check(v, it->min);
        check(v, it->extent);
        if (it->binding == NULL) {
            verify_fail(v, it->at, "block variable '%.*s' has no binding", STR_ARG(it->var->name));
            continue;
        }
        check(v, it->binding);
        expect(v, ir_type_eq(it->binding->type, it->var->type), it->at,
               "a block variable and its binding must have one type");
    }
    check(v, n->predicate);
    expect(v, is_scalar_bool(n->predicate), n->node.at, "a block's predicate must be a bool");
    for (size_t i = 0; i < n->iters.n; ++i) define_var(v, n->iters.at[i].var);
}

static void check_block(verifier *v, const ir_block *n)
{
    size_t mark = v->stack.n;
    check_iters(v, n);
    for (size_t i = 0; i < n->allocs.n; ++i) {
        define_var(v, n->allocs.at[i]->data);
        define_buffer(v, n->allocs.at[i]);
    }
    for (size_t i = 0; i < n->reads.n; ++i) check_region(v, &n->reads.at[i]);
    for (size_t i = 0; i < n->writes.n; ++i) check_region(v, &n->writes.at[i]);
    for (size_t i = 0; i < n->matches.n; ++i) {
        const ir_buffer *b = n->matches.at[i].buffer;
        check_region(v, &n->matches.at[i].source);
        define_var(v, b->data);
        /* A view may name its strides and its offset. */
        for (size_t d = 0; d < b->strides.n; ++d) {
            if (b->strides.at[d]->kind == IR_VAR)
                define_var(v, ir_as_var_ref(b->strides.at[d])->var);
        }
        if (b->elem_offset != NULL && b->elem_offset->kind == IR_VAR)
            define_var(v, ir_as_var_ref(b->elem_offset)->var);
        define_buffer(v, b);
    }
    for (size_t i = 0; i < n->annotations.n; ++i) check(v, n->annotations.at[i].value);
    if (n->init != NULL) check_body(v, n->init);
    check_body(v, n->body);
    leave(v, mark);
}

static void check_store(verifier *v, const ir_store *n)
{
    ir_walk_children(&v->w, &n->node);
    verify_access(v, n->buffer, n->index, n->value->type, n->node.at);
}

static void check_let(verifier *v, const ir_let *n)
{
    check(v, n->value);
    expect(v, ir_type_eq(n->var->type, n->value->type), n->node.at,
           "a let's variable and value must have one type");
    expect(v, ir_type_eq(n->node.type, n->body->type), n->node.at,
           "a let must have its body's type");
    size_t mark = v->stack.n;
    define_var(v, n->var);
    check(v, n->body);
    leave(v, mark);
}

static void check_reducer(verifier *v, const ir_reducer *n)
{
    size_t mark = v->stack.n, k = n->lhs.n;
    expect(v, k != 0 && n->rhs.n == k && n->result.n == k && n->identity.n == k, n->node.at,
           "a reducer must have as many of each part");
    for (size_t i = 0; i < n->identity.n; ++i) check(v, n->identity.at[i]);
    for (size_t i = 0; i < n->lhs.n; ++i) define_var(v, n->lhs.at[i]);
    for (size_t i = 0; i < n->rhs.n; ++i) define_var(v, n->rhs.at[i]);
    for (size_t i = 0; i < n->result.n; ++i) check(v, n->result.at[i]);
    leave(v, mark);
}

static void check_loop_body(verifier *v, const ir_while *n)
{
    check(v, n->cond);
    expect(v, is_scalar_bool(n->cond), n->node.at, "a while's condition must be a bool");
    ++v->loops;
    check_body(v, n->body);
    --v->loops;
}

static void check_if(verifier *v, const ir_if *n)
{
    check(v, n->cond);
    expect(v, is_scalar_bool(n->cond), n->node.at, "an if's condition must be a bool");
    check_body(v, n->yes);
    if (n->no != NULL) check_body(v, n->no);
}

static void check_seq(verifier *v, const ir_seq *n)
{
    size_t mark = v->stack.n;
    for (size_t i = 0; i < n->body.n; ++i) {
        expect(v, ir_is_stmt(n->body.at[i]), n->body.at[i]->at,
               "an expression where a statement belongs");
        check(v, n->body.at[i]);
    }
    leave(v, mark);
}

static void check_kind(verifier *v, const ir_node *n)
{
    switch ((int)n->kind) {
    case IR_SEQ: check_seq(v, ir_as_seq(n)); break;
    case IR_STORE: check_store(v, ir_as_store(n)); break;
    case IR_EVAL:
        v->whole = ir_as_eval(n)->value;
        check(v, v->whole);
        break;
    case IR_BIND:
        v->whole = ir_as_bind(n)->value;
        check(v, v->whole);
        expect(v, ir_type_eq(ir_as_bind(n)->var->type, ir_as_bind(n)->value->type), n->at,
               "a binding's variable and value must have one type");
        define_var(v, ir_as_bind(n)->var);
        break;
    case IR_ALLOC:
        define_var(v, ir_as_alloc(n)->buffer->data);
        define_buffer(v, ir_as_alloc(n)->buffer);
        break;
    case IR_DECL:
        use_var(&v->w, ir_as_decl(n)->buffer->data);
        define_buffer(v, ir_as_decl(n)->buffer);
        break;
    case IR_FOR: check_for(v, ir_as_for(n)); break;
    case IR_WHILE: check_loop_body(v, ir_as_while(n)); break;
    case IR_IF: check_if(v, ir_as_if(n)); break;
    case IR_BREAK:
    case IR_CONTINUE: expect(v, v->loops != 0, n->at, "break or continue outside of a loop"); break;
    case IR_ASSERT:
        ir_walk_children(&v->w, n);
        expect(v, is_scalar_bool(ir_as_assert(n)->cond), n->at,
               "an assertion's condition must be a bool");
        break;
    case IR_THREAD: check_thread(v, ir_as_thread(n)); break;
    case IR_BLOCK: check_block(v, ir_as_block(n)); break;
    case IR_LET: check_let(v, ir_as_let(n)); break;
    case IR_REDUCER: check_reducer(v, ir_as_reducer(n)); break;
    default: ir_walk_children(&v->w, n); break;
    }
}

enum { VERIFY_DEPTH = 10000 };

static void check(verifier *v, const ir_node *n)
{
    if (v->depth >= VERIFY_DEPTH) return;
    ++v->depth;
    verify_types(v, n);
    verify_properties(v, n);
    check_kind(v, n);
    --v->depth;
}

/* ---- Functions ------------------------------------------------------------------------------- */

/* The signature defines variables that a parameter's shape, strides or offset are. */
static void define_named(verifier *v, const ir_node *n)
{
    if (n == NULL || n->kind != IR_VAR) return;
    const ir_var *var = ir_as_var_ref(n)->var;
    if (map_get_id(&v->visible, var) == NULL) define_var(v, var);
}

static void define_params(verifier *v, const ir_func *f)
{
    for (size_t i = 0; i < f->param_count; ++i) {
        const ir_param *p = &f->params[i];
        define_var(v, p->var);
        if (p->buffer != NULL && p->buffer->data != p->var &&
            map_get_id(&v->visible, p->buffer->data) == NULL) {
            define_var(v, p->buffer->data);
        }
    }
    for (size_t i = 0; i < f->param_count; ++i) {
        const ir_buffer *b = f->params[i].buffer;
        for (size_t d = 0; b != NULL && d < b->shape.n; ++d) define_named(v, b->shape.at[d]);
        for (size_t d = 0; b != NULL && d < b->strides.n; ++d) define_named(v, b->strides.at[d]);
        if (b != NULL) define_named(v, b->elem_offset);
    }
    for (size_t i = 0; i < f->param_count; ++i) {
        if (f->params[i].buffer != NULL) define_buffer(v, f->params[i].buffer);
    }
}

static void check_func(verifier *v, const ir_func *f)
{
    v->func = f;
    v->visible = v->ever = (map){0};
    v->stack = (verify_names){0};
    if (f->body == NULL) {
        verify_fail(v, f->at, "a function without a body");
        return;
    }
    define_params(v, f);
    for (size_t i = 0; i < f->launch_tag_count; ++i) {
        if (!verify_tag(f->launch_tags[i]))
            verify_fail(v, f->at, "'%.*s' is no thread axis", STR_ARG(f->launch_tags[i]));
    }
    verify_func_properties(v, f);
    check_body(v, f->body);
}

bool ir_verify(arena *mem, diag_list *diags, const ir_module *m, const char *after)
{
    unsigned before = diags->errors;
    verifier v = {.w = {.node = check_node, .use_var = use_var, .use_buffer = use_buffer},
                  .mem = mem,
                  .diags = diags,
                  .after = after,
                  .module = m};
    for (size_t i = 0; i < m->func_count; ++i) {
        check_func(&v, m->funcs[i]);
        for (size_t j = 0; j < i; ++j) {
            if (!str_eq(m->funcs[i]->name, m->funcs[j]->name)) continue;
            verify_fail(&v, m->funcs[i]->at, "two functions have this name");
        }
    }
    return diags->errors == before;
}
