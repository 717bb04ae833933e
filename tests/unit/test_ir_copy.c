/* A copy of a module verifies, and says what the original said, once that is gone. */
#include "front_help.h"
#include "ir/copy.h"

/* Programs that hold every kind of statement between them. */
static const char *const programs[] = {"front/blocks", "front/statements", "front/symbolic", "metal/matmul",
                                       "metal/vectors", "threads/meet",    "metal/types",    "threads/assert"};

typedef struct copying {
    arena mem;
    reading *r;
    const ir_module *copy;
    buf printed;
} copying;

static str contents(const char *name, buf *text)
{
    buf path = buf_make(NULL);
    buf_printf(&path, "tests/golden/%s.py", name);
    buf_char(&path, '\0');
    FILE *f = fopen(path.p, "rb");
    if (f == NULL) fail_msg("no file %s", path.p);
    char chunk[4096];
    size_t n;
    while ((n = fread(chunk, 1, sizeof chunk, f)) > 0) buf_bytes(text, chunk, n);
    fclose(f);
    buf_free(&path);
    return buf_view(text);
}

static void copy_out(void *user)
{
    copying *c = user;
    arena *work = arena_scratch(&c->mem);
    const ir_module *m = c->r->module;
    ir_module *copy = arena_copy(&c->mem, m, sizeof *m);
    const ir_func **funcs = arena_array(&c->mem, const ir_func *, m->func_count);
    for (size_t i = 0; i < m->func_count; ++i) funcs[i] = ir_copy_func(&c->mem, work, m->funcs[i]);
    copy->funcs = (const ir_func *const *)funcs;
    copy->attrs = ir_copy_attrs(&c->mem, work, m->attrs);
    c->copy = copy;
    arena_free(work);
}

static void look_at_copy(void *user)
{
    copying *c = user;
    diag_list diags = {.mem = &c->mem};
    assert_true(ir_verify(&c->mem, &diags, c->copy, NULL));
    ir_print_module(&c->mem, c->copy, &c->printed);
}

static void copies_stand_alone(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; ++i) {
        buf text = buf_make(NULL);
        copying c = {.r = script_good(contents(programs[i], &text), (front_options){0}), .printed = buf_make(NULL)};
        arena_init(&c.mem, NULL);
        assert_true(arena_guard(&c.mem, copy_out, &c));
        assert_int_equal(c.copy->func_count, c.r->module->func_count);
        assert_ptr_not_equal(c.copy->funcs[0], c.r->module->funcs[0]);
        arena_free(&c.r->mem); /* what the copy still pointed to would now be freed memory */
        buf_free(&text);
        assert_true(arena_guard(&c.mem, look_at_copy, &c));
        if (!str_eq(buf_view(&c.printed), buf_view(&c.r->printed))) {
            fail_msg("%s: the copy says\n%.*s\ninstead of\n%.*s", programs[i], STR_ARG(buf_view(&c.printed)),
                     STR_ARG(buf_view(&c.r->printed)));
        }
        buf_free(&c.printed);
        arena_free(&c.mem);
        script_free(c.r);
    }
}

/* x = a + a, and y = x + x with both sides one node: what stands twice is copied once. */
static void copy_shared(void *user)
{
    arena *mem = user, *work = arena_scratch(mem);
    const ir_var *v = ir_var_new(mem, STR("a"), IR_I32, (span){0});
    const ir_node *a = ir_ref(mem, v, (span){0}), *x = ir_bin_new(mem, IR_ADD, a, a), *y = ir_bin_new(mem, IR_ADD, x, x);
    ir_func f = {.name = STR("f"), .body = ir_eval_new(mem, y)};
    const ir_bin *fresh = ir_as_bin(ir_as_eval(ir_copy_func(mem, work, &f)->body)->value);
    assert_ptr_not_equal(fresh->a, x);
    assert_ptr_equal(fresh->a, fresh->b);
    assert_ptr_not_equal(ir_as_var_ref(ir_as_bin(fresh->a)->a)->var, v);
    assert_ptr_equal(ir_as_var_ref(ir_as_bin(fresh->a)->a)->var, ir_as_var_ref(ir_as_bin(fresh->b)->b)->var);
}

static void shared_parts_stay_shared(void **state)
{
    (void)state;
    arena mem;
    arena_init(&mem, NULL);
    assert_true(arena_guard(&mem, copy_shared, &mem));
    arena_free(&mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(copies_stand_alone), cmocka_unit_test(shared_parts_stay_shared)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
