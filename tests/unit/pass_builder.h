/* Short makers of IR for the tests of passes, and a runner of one pass over one function. */
#ifndef TESTS_PASS_BUILDER_H
#define TESTS_PASS_BUILDER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ir/fold.h"
#include "ir/print.h"
#include "ir/walk.h"
#include "pass/pass.h"

typedef struct builder {
    arena mem;
    ingot_allocator hook;
    diag_list diags;
    pass_target target;
    pass_context cx;
} builder;

typedef const ir_node *node;

/* ---- Running ----------------------------------------------------------------------------------- */

/* The body inside an arena guard; fails the test where memory runs out. */
static inline void build(void (*body)(void *b))
{
    builder *b = test_malloc(sizeof *b);
    *b = (builder){.target = PASS_TARGET_DEFAULT};
    arena_init(&b->mem, NULL);
    b->hook = arena_hook(&b->mem);
    b->diags = (diag_list){.mem = &b->mem};
    b->cx = (pass_context){.mem = &b->mem, .diags = &b->diags, .target = &b->target};
    assert_true(arena_guard(&b->mem, body, b));
    arena_free(&b->mem);
    test_free(b);
}

#define PASS_TEST(name)                                                                            \
    static void name##_body(void *user);                                                           \
    static void name(void **state)                                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        build(name##_body);                                                                        \
    }                                                                                              \
    static void name##_body(void *user)

/* The module of one function without parameters. */
static inline const ir_module *module_of(builder *b, node body, const ir_param *params, size_t n)
{
    ir_func *f = arena_new(&b->mem, ir_func);
    *f = (ir_func){.name = STR("main"), .params = params, .param_count = n, .result = IR_VOID, .body = body};
    const ir_func **funcs = arena_new(&b->mem, const ir_func *);
    funcs[0] = f;
    ir_module *m = arena_new(&b->mem, ir_module);
    *m = (ir_module){.funcs = (const ir_func *const *)funcs, .func_count = 1};
    return m;
}

/* The body after one pass. */
static inline node after(builder *b, pass_fn pass, node body)
{
    return pass(&b->cx, module_of(b, body, NULL, 0))->funcs[0]->body;
}

static inline const char *text_of(builder *b, node n)
{
    buf out = buf_make(&b->hook);
    ir_print_stmt(&b->mem, n, &out);
    buf_char(&out, '\0');
    return out.p;
}

static inline void expect(builder *b, node n, const char *text)
{
    assert_int_equal(b->diags.errors, 0);
    assert_string_equal(text_of(b, n), text);
}

static inline void expect_error(builder *b, const char *message)
{
    assert_int_equal(b->diags.errors, 1);
    assert_non_null(b->diags.first);
    assert_string_equal(str_copy(&b->mem, b->diags.first->message).p, message);
}

/* ---- Making ------------------------------------------------------------------------------------ */

static inline const ir_var *var(builder *b, const char *name)
{
    return ir_var_new(&b->mem, str_of(name), IR_I32, (span){0});
}

static inline node use(builder *b, const ir_var *v)
{
    return ir_ref(&b->mem, v, (span){0});
}

static inline node num(builder *b, int64_t v)
{
    return ir_i32(&b->mem, v);
}

/* A buffer with constant dimensions, ended by 0. */
static inline ir_buffer *buffer(builder *b, const char *name, ir_type type, ir_scope scope, const int *dims)
{
    ir_node_vec shape = {0};
    for (size_t i = 0; dims[i] != 0; ++i) ir_node_vec_push(&b->mem, &shape, num(b, dims[i]));
    ir_buffer *x = arena_new(&b->mem, ir_buffer);
    *x = (ir_buffer){.name = str_of(name),
                     .data = ir_var_pointer(&b->mem, str_of(name), type, scope, (span){0}),
                     .type = type,
                     .shape = ir_list_of(shape),
                     .scope = scope};
    return x;
}

#define DIMS(...) ((const int[]){__VA_ARGS__, 0})
#define F32_GLOBAL(b, name, ...) buffer((b), (name), IR_F32, IR_SCOPE_GLOBAL, DIMS(__VA_ARGS__))
#define NODES(...) ((const node[]){__VA_ARGS__, NULL})

/* A list ended by NULL. */
static inline ir_list list(builder *b, const node *at)
{
    size_t n = 0;
    while (at[n] != NULL) ++n;
    return ir_list_copy(&b->mem, at, n);
}

#define LOAD(b, x, ...) ir_load_new(&(b)->mem, (x), list((b), NODES(__VA_ARGS__)), (span){0})
#define STORE(b, x, value, ...) ir_store_new(&(b)->mem, (x), list((b), NODES(__VA_ARGS__)), (value), (span){0})
#define ADD(b, x, y) ir_add(&(b)->mem, (x), (y))
#define MUL(b, x, y) ir_mul(&(b)->mem, (x), (y))

static inline node sequence(builder *b, const node *at)
{
    ir_list l = list(b, at);
    return ir_seq_new(&b->mem, l.at, l.n, (span){0});
}
#define SEQUENCE(b, ...) sequence((b), NODES(__VA_ARGS__))

static inline node loop(builder *b, const ir_var *v, int64_t min, int64_t extent, node body)
{
    return ir_make(&b->mem, FOR, for, (span){0}, IR_VOID, .loop = IR_SERIAL, .var = v, .min = num(b, min),
                   .extent = num(b, extent), .body = body);
}

static inline node threads(builder *b, const ir_var *v, const char *tag, int64_t extent, node body)
{
    return ir_make(&b->mem, FOR, for, (span){0}, IR_VOID, .loop = IR_THREAD_BOUND, .var = v, .min = num(b, 0),
                   .extent = num(b, extent), .tag = str_of(tag), .body = body);
}

static inline ir_iter iter(builder *b, const ir_var *v, ir_iter_kind kind, int64_t extent, node binding)
{
    return (ir_iter){.var = v, .kind = kind, .min = num(b, 0), .extent = num(b, extent), .binding = binding};
}

/* A block to be completed: iters, then whatever else the test sets. */
static inline ir_block *block(builder *b, const char *name, const ir_iter *iters, size_t n, node body)
{
    ir_block *x = arena_new(&b->mem, ir_block);
    *x = (ir_block){.node = {.kind = IR_BLOCK, .type = IR_VOID},
                    .name = str_of(name),
                    .iters = {arena_copy(&b->mem, iters, n * sizeof *iters), n},
                    .predicate = ir_bool(&b->mem, true),
                    .body = body};
    return x;
}

static inline ir_buffers buffers_of(builder *b, const ir_buffer *one)
{
    const ir_buffer **at = arena_new(&b->mem, const ir_buffer *);
    at[0] = one;
    return (ir_buffers){(const ir_buffer *const *)at, 1};
}

#endif
