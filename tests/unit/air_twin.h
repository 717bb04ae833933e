/* Every kernel that a test runs from text, run as native code too: with INGOT_TEST_TWIN set in the environment and the AIR
 * component named by INGOT_AIR. The buffers must come out the same bit for bit; NaN is NaN. */
#ifndef TESTS_UNIT_AIR_TWIN_H
#define TESTS_UNIT_AIR_TWIN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

#include "emu/emu.h"
#include "rt/component.h"

/* The text of the library that was made last. */
static struct {
    const emu_library *library;
    char *text;
} twin_last;

/* The memory of the buffers as it was before a run; `data` NULL where there is no twin. Buffers that share memory share it in the copy. */
typedef struct twin_copy {
    char *data;
    size_t at[8], size; /* where each buffer lies in it */
} twin_copy;

static inline void twin_note(const emu_library *l, const buf *text)
{
    if (getenv("INGOT_TEST_TWIN") == NULL) return;
    free(twin_last.text);
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

static inline twin_copy twin_take(const emu_library *l, const emu_launch *launch)
{
    twin_copy c = {.data = NULL};
    bool placed[8] = {false};
    if (twin_last.text == NULL || twin_last.library != l) return c;
    for (size_t i = 0; i < launch->buffer_count && i < 8; ++i)
        if (launch->buffers[i].data != NULL && !placed[i]) twin_place(&c, launch, i, placed);
    c.data = aligned_alloc(64, c.size + 64);
    for (size_t i = 0; i < launch->buffer_count && i < 8; ++i)
        if (launch->buffers[i].data != NULL) memcpy(c.data + c.at[i], launch->buffers[i].data, launch->buffers[i].size);
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

/* The launch on the copies, natively; then against what the launch's own buffers hold now. */
static inline void twin_compare(twin_copy *c, const char *kernel, const emu_launch *launch)
{
    if (c->data == NULL) return;
    ingot_error error;
    const air_component *air = rt_component(&error);
    if (air == NULL) fail_msg("%s", error.message);
    const air_source source = {.bytes = {twin_last.text, strlen(twin_last.text)}, .is_text = true, .kernel = kernel};
    air_kernel *k = NULL;
    ingot_status status = air->load(&mem_default, &source, &k, &error);
    if (status == INGOT_UNSUPPORTED) {
        printf("[   TWIN   ] not native: %s\n", error.message);
    } else if (status != INGOT_OK) {
        fail_msg("as native code: %s\n%s", error.message, twin_last.text);
    } else {
        air_binding buffers[8] = {{NULL, 0}};
        for (size_t i = 0; i < launch->buffer_count && i < 8; ++i)
            if (launch->buffers[i].data != NULL) buffers[i] = (air_binding){c->data + c->at[i], launch->buffers[i].size};
        air_launch run = {.kernel = k, .buffers = buffers, .buffer_count = 8};
        run.threadgroup_lengths = launch->threadgroup_lengths;
        run.threadgroup_count = launch->threadgroup_count;
        memcpy(run.groups, launch->groups, sizeof run.groups);
        memcpy(run.threads, launch->threads, sizeof run.threads);
        if (air->run(&run, &error) != INGOT_OK) fail_msg("as native code: %s\n%s", error.message, twin_last.text);
        air->free(k);
        for (size_t i = 0; i < launch->buffer_count && i < 8; ++i) {
            const char *want = launch->buffers[i].data, *got = buffers[i].data;
            for (size_t b = 0; want != NULL && b < launch->buffers[i].size; ++b) {
                if (want[b] == got[b] || (twin_is_nan(want, b) && twin_is_nan(got, b))) continue;
                fail_msg("as native code buffer %zu differs at byte %zu (%02x, not %02x)\n%s", i, b, (unsigned char)got[b],
                         (unsigned char)want[b], twin_last.text);
            }
        }
    }
    free(c->data);
    c->data = NULL;
}

#endif
