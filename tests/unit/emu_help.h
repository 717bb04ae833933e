/* Running kernels from MSL text in tests: text in, buffers changed in place. */
#ifndef TESTS_UNIT_EMU_HELP_H
#define TESTS_UNIT_EMU_HELP_H

#include <stdlib.h>
#include <string.h>

#include "test.h"

#include "air_twin.h"
#include "emu/emu.h"

static const char *const emu_head = "#include <metal_stdlib>\nusing namespace metal;\n";

/* The library of a text (the two usual lines are put in front); the test fails where it does not compile. */
static inline emu_library *emu_text(const char *body)
{
    buf text = buf_make(&mem_default);
    buf_text(&text, emu_head);
    buf_text(&text, body);
    emu_library *l = NULL;
    ingot_error error;
    buf diags = buf_make(&mem_default);
    const ingot_status status = emu_library_compile(NULL, buf_view(&text), STR("test.metal"), &l, &diags, &error);
    if (status != INGOT_OK) fail_msg("%.*s\n%s", (int)diags.n, diags.p, text.p);
    twin_note(l, &text);
    buf_free(&text);
    buf_free(&diags);
    return l;
}

/* One launch. Buffers end with a NULL data. */
typedef struct emu_case {
    uint32_t groups[3], threads[3];
    emu_binding buffers[8];
    size_t lengths[4];
    emu_pool *pool;
    uint64_t budget;
} emu_case;

static inline emu_launch emu_launch_of(emu_library *l, const char *kernel, const emu_case *c)
{
    emu_launch launch = {.kernel = emu_library_find(l, str_of(kernel)),
                         .buffers = c->buffers,
                         .buffer_count = 8,
                         .threadgroup_lengths = c->lengths,
                         .threadgroup_count = 4,
                         .pool = c->pool,
                         .budget = c->budget};
    for (int d = 0; d < 3; ++d) {
        launch.groups[d] = c->groups[d] != 0 ? c->groups[d] : 1;
        launch.threads[d] = c->threads[d] != 0 ? c->threads[d] : 1;
    }
    assert_non_null(launch.kernel);
    return launch;
}

static inline ingot_status emu_try(emu_library *l, const char *kernel, const emu_case *c, ingot_error *error)
{
    const emu_launch launch = emu_launch_of(l, kernel, c);
    return emu_run(&launch, error);
}

/* The run has to succeed; where the tests are run with a twin, also as native code, with the same results. */
static inline void emu_must(emu_library *l, const char *kernel, const emu_case *c)
{
    ingot_error error;
    const emu_launch launch = emu_launch_of(l, kernel, c);
    if (twin_run(l, kernel, &launch, &error) != INGOT_OK) fail_msg("%s", error.message);
}

/* Compiles, runs kernel `k` once, frees. */
static inline void emu_once(const char *body, const emu_case *c)
{
    emu_library *l = emu_text(body);
    emu_must(l, "k", c);
    emu_library_free(l);
}

/* The same, where the run has to fail with this status and a message with this in it. */
static inline void emu_fails(const char *body, const emu_case *c, ingot_status status, const char *part)
{
    emu_library *l = emu_text(body);
    ingot_error error;
    assert_int_equal(emu_try(l, "k", c, &error), status);
    if (strstr(error.message, part) == NULL) fail_msg("'%s' is not in: %s", part, error.message);
    emu_library_free(l);
}

/* A text that must not compile, with this in its messages. */
static inline void emu_refused(const char *body, const char *part)
{
    buf text = buf_make(&mem_default);
    buf_text(&text, emu_head);
    buf_text(&text, body);
    emu_library *l = NULL;
    ingot_error error;
    buf diags = buf_make(&mem_default);
    assert_int_not_equal(emu_library_compile(NULL, buf_view(&text), STR("test.metal"), &l, &diags, &error), INGOT_OK);
    assert_null(l);
    buf_char(&diags, 0);
    if (strstr(diags.p, part) == NULL) fail_msg("'%s' is not in: %s", part, diags.p);
    buf_free(&text);
    buf_free(&diags);
}

/* Numbers that differ from run to run of the loop, but not from run to run of the test. */
static inline uint32_t emu_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8 ^ *state << 13;
}

#endif
