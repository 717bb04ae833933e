/* What a compile holds in memory: in proportion to the program, and little of it beside the module. */
#include <stdio.h>

#include "ingot_test.h"

typedef struct meter {
    size_t now, most;
} meter;

static void *resize(void *user, void *ptr, size_t old_size, size_t new_size)
{
    meter *m = user;
    m->now += new_size - old_size;
    if (m->now > m->most) m->most = m->now;
    if (new_size != 0) return realloc(ptr, new_size);
    free(ptr);
    return NULL;
}

static size_t region(char *to, size_t room, size_t i)
{
    return (size_t)snprintf(to, room,
                            "        for bx in T.thread_binding(32, thread=\"blockIdx.x\"):\n"
                            "            for tx in T.thread_binding(32, thread=\"threadIdx.x\"):\n"
                            "                B[bx * 32 + tx] = A[bx * 32 + tx] + T.float32(%zu)\n", i);
}

/* The most bytes that are held while `count` kernels are compiled, in one function or in one each. */
static size_t most_bytes(size_t count, int functions)
{
    size_t room = 1024 + count * 512, at = 0;
    char *text = malloc(room);
    assert_non_null(text);
    at += (size_t)snprintf(text, room, "from tvm.script import ir as I\nfrom tvm.script import tirx as T\n@I.ir_module\nclass Module:\n");
    for (size_t i = 0; i < count; i++) {
        if (functions || i == 0)
            at += (size_t)snprintf(text + at, room - at, "    @T.prim_func\n    def f%zu(A: T.Buffer((1024,), \"float32\"), B: T.Buffer((1024,), \"float32\")):\n", i);
        at += region(text + at, room - at, i);
    }
    meter m = {0, 0};
    const ingot_allocator allocator = {.resize = resize, .user = &m};
    ingot_compile_options options = INGOT_COMPILE_OPTIONS_INIT;
    options.allocator = &allocator;
    ingot_module *module = compile_with(text, &options);
    assert_int_equal(ingot_module_kernel_count(module), count);
    ingot_module_release(module);
    assert_int_equal(m.now, 0);
    free(text);
    return m.most;
}

/* Four times the program takes four times the memory, up to what a block of an arena rounds. */
static void memory_is_linear(void **state)
{
    (void)state;
    for (int functions = 0; functions < 2; functions++) {
        size_t some = most_bytes(250, functions), many = most_bytes(1000, functions);
        if (many > some * 9 / 2) fail_msg("250 kernels take %zu bytes, 1000 take %zu", some, many);
    }
}

/* The text is some 400 bytes a kernel, its syntax tree ten times that, its module some 4,000. What one function is read and
 * lowered with is free again before the next. */
static void memory_of_a_kernel_is_bounded(void **state)
{
    (void)state;
    size_t each = most_bytes(1000, 1) / 1000;
    if (each > 12000) fail_msg("%zu bytes a kernel", each);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory_is_linear), cmocka_unit_test(memory_of_a_kernel_is_bounded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
