/* For the tests of passes: a context under a guard, short makers of IR, and questions about the result. */
#ifndef TESTS_UNIT_PASS_HELP_H
#define TESTS_UNIT_PASS_HELP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "ir/fold.h"
#include "ir/walk.h"
#include "pass/pass.h"

typedef struct bench {
    arena mem_store;
    arena *mem;
    diag_list diags;
    source_set sources;
    pass_target target;
    pass_context cx;
} bench;

static inline void bench_run(void (*body)(void *user))
{
    bench b = {.target = PASS_TARGET_DEFAULT};
    arena_init(&b.mem_store, NULL);
    b.mem = &b.mem_store;
    b.diags = (diag_list){.mem = b.mem, .sources = &b.sources};
    b.cx = (pass_context){.mem = b.mem, .diags = &b.diags, .target = &b.target};
    bool finished = arena_guard(b.mem, body, &b);
    arena_free(b.mem);
    assert_true(finished);
}

/* static void name_body(bench *b) {...} wrapped as a cmocka test `name`. */
#define BENCH_TEST(name)                                                                           \
    static void name##_body(bench *b);                                                             \
    static void name##_guarded(void *user)                                                         \
    {                                                                                              \
        name##_body(user);                                                                         \
    }                                                                                              \
    static void name(void **state)                                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        bench_run(name##_guarded);                                                                 \
    }                                                                                              \
    static void name##_body(bench *b)

static inline const ir_var *mk_var(bench *b, const char *name, ir_type t)
{
    return ir_var_new(b->mem, str_of(name), t, (span){0});
}

static inline const ir_node *mk_ref(bench *b, const ir_var *v)
{
    return ir_ref(b->mem, v, (span){0});
}

/* A one-dimensional buffer with its own pointer. */
static inline const ir_buffer *mk_buffer(bench *b, const char *name, ir_type t, ir_scope scope, int64_t n)
{
    ir_buffer *buffer = arena_new(b->mem, ir_buffer);
    buffer->name = str_of(name);
    buffer->data = ir_var_pointer(b->mem, str_of(name), t, scope, (span){0});
    buffer->type = t;
    buffer->scope = scope;
    buffer->shape = ir_list_one(b->mem, ir_i32(b->mem, n));
    return buffer;
}

static inline const ir_node *mk_load(bench *b, const ir_buffer *buffer, const ir_node *index)
{
    return ir_load_new(b->mem, buffer, ir_list_one(b->mem, index), (span){0});
}

static inline const ir_node *mk_store(bench *b, const ir_buffer *buffer, const ir_node *index, const ir_node *value)
{
    return ir_store_new(b->mem, buffer, ir_list_one(b->mem, index), value, (span){0});
}

static inline const ir_node *mk_alloc(bench *b, const ir_buffer *buffer)
{
    return ir_make(b->mem, ALLOC, alloc, (span){0}, IR_VOID, .buffer = buffer);
}

static inline const ir_node *mk_thread(bench *b, const char *tag, const ir_var *v, int64_t n, const ir_node *body)
{
    return ir_make(b->mem, THREAD, thread, (span){0}, IR_VOID, .var = v, .tag = str_of(tag),
                   .extent = ir_i32(b->mem, n), .body = body);
}

static inline const ir_node *mk_for(bench *b, ir_for_kind kind, const ir_var *v, const ir_node *extent,
                                    const ir_node *body)
{
    return ir_make(b->mem, FOR, for, (span){0}, IR_VOID, .loop = kind, .var = v,
                   .min = ir_int_new(b->mem, v->type, 0, (span){0}), .extent = extent, .body = body);
}

static inline const ir_node *mk_if(bench *b, const ir_node *cond, const ir_node *yes, const ir_node *no)
{
    return ir_make(b->mem, IF, if, (span){0}, IR_VOID, .cond = cond, .yes = yes, .no = no);
}

static inline const ir_node *mk_call(bench *b, ir_builtin fn, ir_type t, size_t n, const ir_node *const *args)
{
    return ir_call_new(b->mem, fn, t, ir_list_copy(b->mem, args, n), (span){0});
}

static inline const ir_node *mk_sync(bench *b)
{
    const ir_node *scope = ir_string_new(b->mem, STR("shared"), (span){0});
    return ir_eval_new(b->mem, mk_call(b, IR_FN_STORAGE_SYNC, IR_VOID, 1, &scope));
}

/* mk_seq(b, s1, s2, ...) */
#define mk_seq(b, ...)                                                                             \
    ir_seq_new((b)->mem, (const ir_node *const[]){__VA_ARGS__},                                    \
               sizeof((const ir_node *const[]){__VA_ARGS__}) / sizeof(const ir_node *), (span){0})

/* A module of one function over buffers and scalars (either list ends with NULL). */
static inline const ir_module *mk_module(bench *b, const ir_buffer *const *buffers, const ir_var *const *scalars,
                                         const ir_node *body)
{
    size_t n = 0, m = 0;
    while (buffers != NULL && buffers[n] != NULL) ++n;
    while (scalars != NULL && scalars[m] != NULL) ++m;
    ir_param *params = arena_array(b->mem, ir_param, n + m);
    for (size_t i = 0; i < n; ++i) {
        params[i] = (ir_param){.var = ir_var_new(b->mem, buffers[i]->name, IR_POINTER, (span){0}),
                               .buffer = buffers[i]};
    }
    for (size_t i = 0; i < m; ++i) params[n + i].var = scalars[i];
    ir_func *f = arena_new(b->mem, ir_func);
    *f = (ir_func){.name = STR("main"), .params = params, .param_count = n + m, .result = IR_VOID, .body = body};
    ir_module *out = arena_new(b->mem, ir_module);
    const ir_func **funcs = arena_array(b->mem, const ir_func *, 1);
    funcs[0] = f;
    out->funcs = funcs;
    out->func_count = 1;
    return out;
}

typedef struct kind_count {
    ir_kind kind;
    int n;
} kind_count;

static inline void count_kind(void *user, const ir_node *n)
{
    kind_count *c = user;
    c->n += n->kind == c->kind;
}

/* How many nodes of a kind there are below and at `root`. */
static inline int count_nodes(const ir_node *root, ir_kind kind)
{
    kind_count c = {kind, 0};
    ir_each(root, count_kind, &c);
    return c.n;
}

typedef struct call_count {
    ir_builtin fn;
    int n;
    const ir_node *last;
} call_count;

static inline void count_call(void *user, const ir_node *n)
{
    call_count *c = user;
    if (n->kind != IR_CALL || ir_as_call(n)->fn != c->fn) return;
    c->n++;
    c->last = n;
}

static inline int count_calls(const ir_node *root, ir_builtin fn)
{
    call_count c = {fn, 0, NULL};
    ir_each(root, count_call, &c);
    return c.n;
}

/* The last call of `fn` in order; fails the test where there is none. */
static inline const ir_call *find_call(const ir_node *root, ir_builtin fn)
{
    call_count c = {fn, 0, NULL};
    ir_each(root, count_call, &c);
    assert_non_null(c.last);
    return ir_as_call(c.last);
}

/* The message of the only error. */
static inline void assert_one_error(bench *b, const char *part)
{
    assert_int_equal(b->diags.errors, 1);
    str m = b->diags.first->message;
    size_t n = strlen(part);
    bool found = false;
    for (size_t i = 0; i + n <= m.n; ++i) found |= memcmp(m.p + i, part, n) == 0;
    if (!found) fail_msg("'%.*s' does not say '%s'", STR_ARG(m), part);
}

#endif
