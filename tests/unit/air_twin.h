/* Every kernel that a test runs from text, run as native code too, made of the text and of the metallib that is made of it: with
 * INGOT_TEST_TWIN set in the environment and the AIR component named by INGOT_AIR. The buffers and textures must come out the same
 * bit for bit; NaN is NaN. */
#ifndef TESTS_UNIT_AIR_TWIN_H
#define TESTS_UNIT_AIR_TWIN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

#include "emu/emu.h"
#include "emu/engine.h"
#include "rt/component.h"

/* A kernel of the last text as native code; NULL where that is not supported. */
typedef struct twin_kernel {
    char *name;
    bool is_text; /* made of the text, else of the metallib */
    air_kernel *code;
} twin_kernel;

/* The text of the library that was made last, and what has been made of it: kernels run again and again, on each instruction set of the
 * software device and in many shapes, and building them takes longest. */
static struct {
    const emu_library *library;
    char *text;
    buf metallib;
    bool has_metallib; /* it was tried; empty: not supported */
    twin_kernel *kernels;
    size_t kernel_count;
} twin_last;

enum { TWIN_BUFFERS = 8, TWIN_TEXTURES = 8 };

/* The memory of buffers and textures as it was before a run; `data` NULL where there is no twin. Buffers that share memory share it in
 * the copy. */
typedef struct twin_copy {
    char *data;
    size_t at[TWIN_BUFFERS], texture_at[TWIN_TEXTURES], size; /* where each lies in it */
} twin_copy;

/* The component, with the test failed where it is not there. */
static inline const air_component *twin_component(void)
{
    ingot_error error;
    const air_component *air = rt_component(&error);
    if (air == NULL) fail_msg("%s", error.message);
    return air;
}

static inline void twin_forget(void)
{
    for (size_t i = 0; i < twin_last.kernel_count; ++i) {
        if (twin_last.kernels[i].code != NULL) twin_component()->free(twin_last.kernels[i].code);
        free(twin_last.kernels[i].name);
    }
    free(twin_last.kernels);
    if (twin_last.has_metallib) buf_free(&twin_last.metallib);
    free(twin_last.text);
    memset(&twin_last, 0, sizeof twin_last);
}

static inline void twin_note(const emu_library *l, const buf *text)
{
    if (getenv("INGOT_TEST_TWIN") == NULL) return;
    twin_forget();
    twin_last.text = calloc(text->n + 1, 1);
    memcpy(twin_last.text, text->p, text->n);
    twin_last.library = l;
}

/* Puts the memory of buffer `i` in the copy's layout, with that of all buffers not yet placed that it shares bytes with, itself or by others. */
static inline void twin_place(twin_copy *c, const emu_launch *launch, size_t i, bool *placed)
{
    uintptr_t from = (uintptr_t)launch->buffers[i].data, to = from + launch->buffers[i].size;
    bool member[8] = {false};
    member[i] = true;
    for (bool grows = true; grows;) {
        grows = false;
        for (size_t k = 0; k < launch->buffer_count && k < 8; ++k) {
            const uintptr_t p = (uintptr_t)launch->buffers[k].data, end = p + launch->buffers[k].size;
            if (member[k] || launch->buffers[k].data == NULL || p >= to || end <= from) continue;
            member[k] = grows = true;
            from = p < from ? p : from;
            to = end > to ? end : to;
        }
    }
    for (size_t k = 0; k < 8; ++k) {
        if (!member[k]) continue;
        placed[k] = true;
        c->at[k] = c->size + ((uintptr_t)launch->buffers[k].data - from);
    }
    c->size += (to - from + 63) / 64 * 64;
}

static inline size_t twin_textures(const emu_launch *launch)
{
    return launch->texture_count < TWIN_TEXTURES ? launch->texture_count : TWIN_TEXTURES;
}

static inline twin_copy twin_take(const emu_library *l, const emu_launch *launch)
{
    twin_copy c = {.data = NULL};
    bool placed[TWIN_BUFFERS] = {false};
    if (twin_last.text == NULL || twin_last.library != l) return c;
    for (size_t i = 0; i < launch->buffer_count && i < TWIN_BUFFERS; ++i)
        if (launch->buffers[i].data != NULL && !placed[i]) twin_place(&c, launch, i, placed);
    for (size_t i = 0; i < twin_textures(launch); ++i) {
        c.texture_at[i] = c.size;
        if (launch->textures[i].data != NULL) c.size += (launch->textures[i].size + 63) / 64 * 64;
    }
    c.data = aligned_alloc(64, c.size + 64);
    for (size_t i = 0; i < launch->buffer_count && i < TWIN_BUFFERS; ++i)
        if (launch->buffers[i].data != NULL) memcpy(c.data + c.at[i], launch->buffers[i].data, launch->buffers[i].size);
    for (size_t i = 0; i < twin_textures(launch); ++i)
        if (launch->textures[i].data != NULL) memcpy(c.data + c.texture_at[i], launch->textures[i].data, launch->textures[i].size);
    return c;
}

static inline bool twin_is_nan(const char *p, size_t at)
{
    uint32_t word = 0;
    uint16_t half = 0;
    memcpy(&word, p + (at & ~(size_t)3), 4);
    memcpy(&half, p + (at & ~(size_t)1), 2);
    return (word & 0x7fffffff) > 0x7f800000 || (half & 0x7fff) > 0x7c00;
}

static inline void twin_same(const char *want, const char *got, size_t size, const char *how, const char *what, size_t i)
{
    for (size_t b = 0; want != NULL && b < size; ++b) {
        if (want[b] == got[b] || (twin_is_nan(want, b) && twin_is_nan(got, b))) continue;
        fail_msg("%s %s %zu differs at byte %zu (%02x, not %02x)\n%s", how, what, i, b, (unsigned char)got[b], (unsigned char)want[b],
                 twin_last.text);
    }
}

/* The last text's metallib; empty where it cannot be one, which is said. */
static inline str twin_metallib(void)
{
    if (twin_last.has_metallib) return buf_view(&twin_last.metallib);
    ingot_error error;
    const air_target target = {.text = "macos15.0", .precise = true};
    const str text = {twin_last.text, strlen(twin_last.text)};
    twin_last.metallib = buf_make(&mem_default);
    twin_last.has_metallib = true;
    const ingot_status status = twin_component()->build(&mem_default, text, STR("twin.metal"), &target, &twin_last.metallib, NULL, &error);
    if (status == INGOT_UNSUPPORTED) {
        printf("[   TWIN   ] no metallib: %s\n", error.message);
        twin_last.metallib.n = 0;
    } else if (status != INGOT_OK) {
        fail_msg("as a metallib: %s\n%s", error.message, twin_last.text);
    }
    return buf_view(&twin_last.metallib);
}

/* The kernel as native code, made once; NULL where that is not supported, which is said. */
static inline air_kernel *twin_code(const air_source *source, const char *how)
{
    for (size_t i = 0; i < twin_last.kernel_count; ++i) {
        const twin_kernel *k = &twin_last.kernels[i];
        if (k->is_text == source->is_text && strcmp(k->name, source->kernel) == 0) return k->code;
    }
    ingot_error error;
    air_kernel *code = NULL;
    const ingot_status status = twin_component()->load(&mem_default, source, &code, &error);
    if (status == INGOT_UNSUPPORTED) {
        printf("[   TWIN   ] not %s: %s\n", how, error.message);
        code = NULL;
    } else if (status != INGOT_OK) {
        fail_msg("%s: %s\n%s", how, error.message, twin_last.text);
    }
    char *name = calloc(strlen(source->kernel) + 1, 1);
    twin_last.kernels = realloc(twin_last.kernels, (twin_last.kernel_count + 1) * sizeof *twin_last.kernels);
    assert_true(name != NULL && twin_last.kernels != NULL);
    strcpy(name, source->kernel);
    twin_last.kernels[twin_last.kernel_count++] = (twin_kernel){name, source->is_text, code};
    return code;
}

/* The launch on copies of the memory in `c`, which is changed; then against what the launch's own memory holds now. */
static inline void twin_native(const air_source *source, char *data, const twin_copy *c, const emu_launch *launch)
{
    const char *how = source->is_text ? "as native code" : "from a metallib";
    ingot_error error;
    air_kernel *k = twin_code(source, how);
    if (k == NULL) return;
    air_binding buffers[TWIN_BUFFERS] = {{NULL, 0}};
    emu_texture textures[TWIN_TEXTURES];
    emu_launch bound = *launch;
    for (size_t i = 0; i < launch->buffer_count && i < TWIN_BUFFERS; ++i)
        if (launch->buffers[i].data != NULL) buffers[i] = (air_binding){data + c->at[i], launch->buffers[i].size};
    for (size_t i = 0; i < twin_textures(launch); ++i) {
        textures[i] = launch->textures[i];
        if (textures[i].data != NULL) textures[i].data = data + c->texture_at[i];
    }
    if (launch->texture_count != 0) bound.textures = textures;
    air_launch run = {.kernel = k, .texels = emu_texels(), .bound = &bound, .buffers = buffers, .buffer_count = TWIN_BUFFERS};
    run.threadgroup_lengths = launch->threadgroup_lengths;
    run.threadgroup_count = launch->threadgroup_count;
    memcpy(run.groups, launch->groups, sizeof run.groups);
    memcpy(run.threads, launch->threads, sizeof run.threads);
    if (twin_component()->run(&run, &error) != INGOT_OK) fail_msg("%s: %s\n%s", how, error.message, twin_last.text);
    for (size_t i = 0; i < launch->buffer_count && i < TWIN_BUFFERS; ++i)
        twin_same(launch->buffers[i].data, buffers[i].data, launch->buffers[i].size, how, "buffer", i);
    for (size_t i = 0; i < twin_textures(launch); ++i)
        twin_same(launch->textures[i].data, textures[i].data, launch->textures[i].size, how, "texture", i);
}

static inline void twin_compare(twin_copy *c, const char *kernel, const emu_launch *launch)
{
    if (c->data == NULL) return;
    air_source source = {.bytes = {twin_last.text, strlen(twin_last.text)}, .is_text = true, .kernel = kernel};
    char *data = aligned_alloc(64, (c->size + 127) / 64 * 64);
    memcpy(data, c->data, c->size);
    twin_native(&source, data, c, launch);
    source = (air_source){.bytes = twin_metallib(), .kernel = kernel};
    memcpy(data, c->data, c->size);
    if (source.bytes.n != 0) twin_native(&source, data, c, launch);
    free(data);
    free(c->data);
    c->data = NULL;
}

/* emu_run, and where it succeeds the same natively. */
static inline ingot_status twin_run(const emu_library *l, const char *kernel, const emu_launch *launch, ingot_error *error)
{
    twin_copy before = twin_take(l, launch);
    const ingot_status status = emu_run(launch, error);
    if (status == INGOT_OK) twin_compare(&before, kernel, launch);
    else free(before.data);
    return status;
}

#endif
