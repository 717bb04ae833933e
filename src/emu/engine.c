/* Which engine runs a launch: see engine.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* clock_gettime */
#endif
#include "emu/engine.h"

#include <stdlib.h>
#include <time.h>

#include "base/error.h"
#include "emu/library.h"
#include "rt/component.h"

/* Making native code takes 20 to 150 milliseconds, and what it saves is a tenth to a half of the bytecode machine's time: a kernel is worth
 * it once it has run that long, and a launch that will is at once: a thread takes a nanosecond at least. */
static const double worth_seconds = 0.1;
enum { WORTH_THREADS = 1 << 27 };

ingot_status emu_engine_parse(const char *name, emu_engine *out, ingot_error *error)
{
    static const char *const names[] = {[EMU_ENGINE_VM] = "vm", [EMU_ENGINE_NATIVE] = "native", [EMU_ENGINE_AUTO] = "auto"};
    *out = EMU_ENGINE_VM;
    if (name == NULL || name[0] == '\0') return error_none(error);
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        if (!str_is(str_of(name), names[i])) continue;
        *out = (emu_engine)i;
        return error_none(error);
    }
    return error_set(error, INGOT_VALUE, "'%.60s' is no engine: there are vm, native and auto", name);
}

ingot_status emu_engine_default(emu_engine *out, ingot_error *error)
{
    ingot_error inner;
    const ingot_status status = emu_engine_parse(getenv("INGOT_ENGINE"), out, &inner);
    return status == INGOT_OK ? error_none(error) : error_set(error, status, "INGOT_ENGINE: %s", inner.message);
}

double emu_engine_now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static emu_kernel *kernel_of(const emu_launch *l)
{
    return &l->kernel->library->kernels[l->kernel - l->kernel->library->kernels];
}

void emu_engine_note(const emu_launch *l, double began)
{
    emu_kernel *k = kernel_of(l);
    (void)pthread_mutex_lock(&k->lock);
    k->native.spent += emu_engine_now() - began;
    (void)pthread_mutex_unlock(&k->lock);
}

void emu_native_free(emu_native *n)
{
    if (n->kernel != NULL) n->air->free(n->kernel);
    n->kernel = NULL;
}

/* What of the launch native code cannot do; NULL: nothing. */
static const char *unable(const emu_launch *l)
{
    if (l->profile != NULL) return "profiles";
    if (l->checks != 0 || l->findings != NULL) return "checks";
    if (l->seed != 0) return "a seeded order";
    if (l->math != EMU_MATH_SAFE) return "math modes other than safe";
    if (l->resource_count != 0) return "pointers and textures kept in buffers";
    if (!l->kernel->library->plain) return "texts with macros or constants given from outside";
    return NULL;
}

static bool is_worth_it(const emu_launch *l, const emu_native *n)
{
    const double threads = (double)l->groups[0] * l->groups[1] * l->groups[2] * l->threads[0] * l->threads[1] * l->threads[2];
    return n->kernel != NULL || n->spent > worth_seconds || threads >= WORTH_THREADS;
}

/* Under the kernel's lock. */
static ingot_status make(emu_kernel *k, ingot_error *error)
{
    emu_native *n = &k->native;
    if (n->kernel != NULL) return INGOT_OK;
    n->air = rt_component(error);
    if (n->air == NULL) return INGOT_UNSUPPORTED;
    const air_source source = {.bytes = k->library->text, .is_text = true, .kernel = k->info.name};
    return n->air->load(k->library->mem, &source, &n->kernel, error);
}

static void spread_work(void *pool, void (*body)(void *user), void *user)
{
    emu_pool_run(pool, body, user);
}

ingot_status emu_native_run(const air_component *air, air_kernel *kernel, const emu_launch *l, ingot_error *error)
{
    return emu_native_watched(air, kernel, l, NULL, error);
}

ingot_status emu_native_watched(const air_component *air, air_kernel *kernel, const emu_launch *l, air_watch *watch, ingot_error *error)
{
    air_binding buffers[EMU_MAX_BUFFERS];
    const size_t count = l->buffer_count < EMU_MAX_BUFFERS ? l->buffer_count : EMU_MAX_BUFFERS;
    for (size_t i = 0; i < count; ++i) buffers[i] = (air_binding){l->buffers[i].data, l->buffers[i].size};
    const air_launch launch = {.kernel = kernel,
                               .texels = emu_texels(),
                               .bound = l,
                               .watch = watch,
                               .buffers = buffers,
                               .buffer_count = count,
                               .threadgroup_lengths = l->threadgroup_lengths,
                               .threadgroup_count = l->threadgroup_count,
                               .groups = {l->groups[0], l->groups[1], l->groups[2]},
                               .threads = {l->threads[0], l->threads[1], l->threads[2]},
                               .grid = {l->grid[0], l->grid[1], l->grid[2]},
                               .budget = l->budget,
                               .milliseconds = l->milliseconds,
                               .cancel = l->cancel,
                               .spread = l->pool != NULL ? spread_work : NULL,
                               .pool = l->pool};
    return air->run(&launch, error);
}

ingot_status emu_engine_run(const emu_launch *l, bool *ran, ingot_error *error)
{
    *ran = false;
    if (l->engine == EMU_ENGINE_VM) return INGOT_OK;
    emu_kernel *k = kernel_of(l);
    const bool must = l->engine == EMU_ENGINE_NATIVE;
    const char *why = unable(l);
    if (why != NULL && must)
        return error_set(error, INGOT_UNSUPPORTED, "kernel '%s': the engine native does not do %s; the engine vm does", k->info.name, why);
    if (why != NULL) return INGOT_OK;
    ingot_error inner;
    ingot_status status = INGOT_OK;
    (void)pthread_mutex_lock(&k->lock);
    const bool wanted = must || (!k->native.refused && is_worth_it(l, &k->native));
    if (wanted) status = make(k, &inner);
    if (status != INGOT_OK) k->native.refused = true;
    (void)pthread_mutex_unlock(&k->lock);
    if (status != INGOT_OK && must)
        return error_set(error, status, "kernel '%s' as native code: %s (the engine vm needs none)", k->info.name, inner.message);
    if (!wanted || status != INGOT_OK) return INGOT_OK;
    *ran = true;
    return emu_native_run(k->native.air, k->native.kernel, l, error);
}
