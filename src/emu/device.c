/* The software Metal device as the runtime sees it: memory of the host, kernels of emu.h, launches that have run when
 * they return. */
#include "emu/device.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "emu/emu.h"
#include "emu/engine.h"
#include "emu/library.h"
#include "rt/component.h"

typedef struct device {
    const ingot_allocator *mem;
    emu_pool *pool;
    unsigned checks;   /* of launches that ask for none: what the environment's INGOT_CHECK names */
    atomic_uint engine; /* emu_engine of launches */
    atomic_bool track; /* memory made from now on knows what was written to it */
} device;

/* One block, whose elements begin at an aligned address inside it. */
typedef struct memory {
    size_t size, block_size;
    char *data;
    uint8_t *written; /* a byte for each of the data, 0 where nobody wrote yet; NULL: not tracked */
} memory;

typedef struct kernel {
    const ingot_allocator *mem;
    emu_library *library;
    const emu_kernel *kernel;
    emu_math math; /* as the module has it */
    rt_kernel_info info;
    rt_slot slots[EMU_MAX_BUFFERS];
    const air_component *air; /* of a kernel of a metallib ... */
    air_kernel *native;       /* ... which is this one: the fields between are empty then */
    emu_arg *args;            /* ... and what it takes, for checks */
    emu_kernel_info described;
} kernel;

static const rt_limits limits = {.name = "Ingot software Metal device",
                                 .unified_memory = true,
                                 .max_buffer_bytes = PTRDIFF_MAX / 2,
                                 .max_threadgroup_bytes = EMU_MAX_THREADGROUP_BYTES,
                                 .max_threads = EMU_MAX_THREADS,
                                 .max_threads_axis = {EMU_MAX_THREADS, EMU_MAX_THREADS, EMU_MAX_THREADS}};

/* ---- Device and memory ------------------------------------------------------------------------------- */

static ingot_status open_device(const ingot_allocator *mem, int id, unsigned threads, void **out, ingot_error *error)
{
    *out = NULL;
    if (id != 0) return error_set(error, INGOT_NOT_FOUND, "there is one software Metal device, number 0; %d was asked for", id);
    device *d = mem_zeroed(mem, 1, sizeof *d);
    if (d == NULL) return error_no_memory(error);
    d->mem = mem;
    emu_engine engine = EMU_ENGINE_VM;
    ingot_status status = emu_checks_parse(str_of(getenv("INGOT_CHECK")), &d->checks, error);
    if (status == INGOT_OK) status = emu_engine_default(&engine, error);
    if (status != INGOT_OK) {
        mem_free(mem, d, sizeof *d);
        return status;
    }
    atomic_init(&d->engine, (unsigned)engine);
    atomic_init(&d->track, (d->checks >> EMU_CHECK_UNINITIALISED & 1u) != 0);
    d->pool = emu_pool_create(mem, threads);
    if (d->pool == NULL) {
        mem_free(mem, d, sizeof *d);
        return error_no_memory(error);
    }
    *out = d;
    return INGOT_OK;
}

static void close_device(void *self)
{
    device *d = self;
    emu_pool_free(d->pool);
    mem_free(d->mem, d, sizeof *d);
}

static const rt_limits *device_limits(void *self)
{
    (void)self;
    return &limits;
}

static ingot_status alloc_memory(void *self, size_t size, void **out, ingot_error *error)
{
    device *d = self;
    *out = NULL;
    size_t block_size;
    memory *m = NULL;
    if (size_add(size, sizeof *m + RT_MEMORY_ALIGN, &block_size)) m = mem_zeroed(d->mem, block_size, 1);
    if (m == NULL) return error_no_memory(error);
    char *data = (char *)(m + 1);
    size_t past = (uintptr_t)data % RT_MEMORY_ALIGN;
    *m = (memory){size, block_size, data + (past != 0 ? RT_MEMORY_ALIGN - past : 0), NULL};
    if (atomic_load_explicit(&d->track, memory_order_relaxed)) {
        m->written = mem_zeroed(d->mem, 1, size);
        if (m->written == NULL) {
            mem_free(d->mem, m, block_size);
            return error_no_memory(error);
        }
    }
    *out = m;
    return INGOT_OK;
}

static ingot_status adopt_memory(void *self, void *bytes, size_t size, void **out, ingot_error *error)
{
    device *d = self;
    memory *m = mem_zeroed(d->mem, 1, sizeof *m);
    *out = m;
    if (m == NULL) return error_no_memory(error);
    *m = (memory){size, sizeof *m, bytes, NULL};
    return INGOT_OK;
}

static void *contents_of(void *self, void *handle)
{
    (void)self;
    return ((memory *)handle)->data;
}

static void free_memory(void *self, void *handle)
{
    device *d = self;
    memory *m = handle;
    mem_free(d->mem, m->written, m->size);
    mem_free(d->mem, m, m->block_size);
}

/* ---- Queues and copies: work is done when its call returns ---------------------------------------------- */

static ingot_status open_queue(void *self, void **out, ingot_error *error)
{
    (void)error;
    *out = self;
    return INGOT_OK;
}

static void close_queue(void *self, void *queue)
{
    (void)self;
    (void)queue;
}

static ingot_status write_memory(void *self, void *queue, void *to, size_t offset, const void *from, size_t size,
                                 ingot_error *error)
{
    (void)self;
    (void)queue;
    (void)error;
    memory *m = to;
    memcpy(m->data + offset, from, size);
    if (m->written != NULL) memset(m->written + offset, 1, size);
    return INGOT_OK;
}

static ingot_status read_memory(void *self, void *queue, void *from, size_t offset, void *to, size_t size,
                                ingot_error *error)
{
    (void)self;
    (void)queue;
    (void)error;
    const memory *m = from;
    memcpy(to, m->data + offset, size);
    return INGOT_OK;
}

static ingot_status copy_memory(void *self, void *queue, void *to, size_t to_offset, void *from, size_t from_offset,
                                size_t size, ingot_error *error)
{
    (void)self;
    (void)queue;
    (void)error;
    memory *target = to;
    const memory *source = from;
    memmove(target->data + to_offset, source->data + from_offset, size);
    if (target->written == NULL) return INGOT_OK;
    if (source->written != NULL) memmove(target->written + to_offset, source->written + from_offset, size);
    else memset(target->written + to_offset, 1, size);
    return INGOT_OK;
}

/* ---- Kernels ---------------------------------------------------------------------------------------------- */

/* Buffer arguments in order of their slots, which the text may declare in any order. */
static void describe(kernel *k)
{
    const emu_kernel_info *from = emu_kernel_describe(k->kernel);
    k->info = (rt_kernel_info){.name = from->name,
                               .slots = k->slots,
                               .threadgroup_bytes = (size_t)from->threadgroup_bytes,
                               .max_threads = from->max_threads};
    for (uint32_t slot = 0; slot < EMU_MAX_BUFFERS; ++slot) {
        for (size_t i = 0; i < from->arg_count; ++i) {
            const emu_arg *a = &from->args[i];
            if (a->slot != slot || a->kind == EMU_ARG_TEXTURE || a->kind == EMU_ARG_SAMPLER) continue; /* tensors are buffers */
            if (a->kind == EMU_ARG_THREADGROUP) {
                k->info.dynamic_count = slot + 1;
            } else if (k->info.slot_count < EMU_MAX_BUFFERS) {
                k->slots[k->info.slot_count++] =
                    (rt_slot){.kind = a->kind == EMU_ARG_DEVICE ? RT_SLOT_DEVICE : RT_SLOT_CONSTANT,
                              .index = slot,
                              .name = a->name,
                              .type = a->type,
                              .bytes = (size_t)a->elem_size,
                              .reference = a->is_reference,
                              .read_only = a->is_const};
            }
        }
    }
}

static void free_kernel(void *self, void *handle)
{
    (void)self;
    kernel *k = handle;
    if (k->native != NULL) k->air->free(k->native);
    mem_free(k->mem, k->args, (k->described.arg_count + 1) * sizeof *k->args);
    emu_library_free(k->library);
    mem_free(k->mem, k, sizeof *k);
}

/* A kernel of a metallib: the component compiles its AIR for this processor. */
static ingot_status load_native(kernel *k, const rt_source *source, ingot_error *error)
{
    ingot_error inner = {.status = INGOT_OK};
    k->air = rt_component(&inner);
    if (k->air == NULL) return error_set(error, inner.status, "running AIR: %s", inner.message);
    const air_source from = {.bytes = {source->text, source->size}, .kernel = source->kernel};
    const ingot_status status = k->air->load(k->mem, &from, &k->native, error);
    return status == INGOT_OK ? emu_air_info(k->air, k->native, k->mem, &k->args, &k->described, error) : status;
}

static ingot_status load_kernel(void *self, const rt_source *source, void **out, ingot_error *error)
{
    device *d = self;
    *out = NULL;
    kernel *k = mem_zeroed(d->mem, 1, sizeof *k);
    if (k == NULL) return error_no_memory(error);
    k->mem = d->mem;
    k->math = source->math == RT_MATH_FAST ? EMU_MATH_FAST : EMU_MATH_SAFE;
    const bool text = source->format == RT_FORMAT_METAL;
    const str bytes = {source->text, source->size};
    ingot_status status = text ? emu_library_compile(d->mem, bytes, str_of(source->kernel), &k->library, NULL, error)
                               : load_native(k, source, error);
    if (status == INGOT_OK && text) {
        k->kernel = emu_library_find(k->library, str_of(source->kernel));
        if (k->kernel == NULL) status = error_set(error, INGOT_FORMAT, "the text defines no kernel of this name");
    }
    if (status != INGOT_OK) {
        free_kernel(d, k);
        return status;
    }
    if (text) describe(k);
    *out = k;
    return INGOT_OK;
}

static const rt_kernel_info *kernel_info(void *self, void *handle)
{
    (void)self;
    const kernel *k = handle;
    return k->native != NULL ? k->air->info(k->native) : &k->info;
}

/* What is asked for beyond that, a profile say, is of texts. */
static ingot_status run_one(const kernel *k, const emu_launch *launch, ingot_error *error)
{
    if (k->native == NULL) return emu_run(launch, error);
    if (launch->checks != 0) return emu_audit_run(k->air, k->native, &k->described, launch, error);
    return emu_native_run(k->air, k->native, launch, error);
}

/* With checks from the environment: the first finding is the error. */
static ingot_status run_checked(const kernel *k, emu_launch *launch, unsigned checks, ingot_error *error)
{
    emu_findings found = emu_findings_make(k->mem, 1);
    launch->checks = checks;
    launch->findings = &found;
    ingot_status status = run_one(k, launch, error);
    if (status == INGOT_OK && found.n != 0) {
        buf text = buf_make(found.mem);
        emu_finding_render(&found.at[0], false, &text);
        status = error_set(error, INGOT_DEVICE, "%.*s", (int)text.n, text.n != 0 ? text.p : "");
        if (error != NULL) {
            error->line = found.at[0].first.line;
            error->column = found.at[0].first.column;
        }
        buf_free(&text);
    }
    emu_findings_free(&found);
    return status;
}

static ingot_status launch_kernel(void *self, void *queue, const rt_launch *l, ingot_error *error)
{
    (void)queue;
    device *d = self;
    const kernel *k = l->kernel;
    emu_binding bindings[RT_MAX_BUFFERS + 1];
    uint8_t *written[RT_MAX_BUFFERS + 1] = {NULL};
    size_t count = l->buffer_count;
    for (size_t i = 0; i < count; ++i) {
        const memory *m = l->buffers[i].memory;
        bindings[i] = (emu_binding){m->data + l->buffers[i].offset, m->size - l->buffers[i].offset};
        if (m->written != NULL) written[i] = m->written + l->buffers[i].offset;
    }
    /* Constants are only read: a kernel cannot write through constant memory. */
    union {
        const void *from;
        void *to;
    } constants = {.from = l->constants};
    if (l->constant_bytes != 0) bindings[count++] = (emu_binding){constants.to, l->constant_bytes};
    emu_launch launch = {.kernel = k->kernel,
                         .buffers = bindings,
                         .buffer_count = count,
                         .threadgroup_lengths = &l->threadgroup_bytes,
                         .threadgroup_count = l->threadgroup_bytes != 0 ? 1 : 0,
                         .groups = {l->grid[0], l->grid[1], l->grid[2]},
                         .threads = {l->group[0], l->group[1], l->group[2]},
                         .pool = d->pool,
                         .engine = (emu_engine)atomic_load_explicit(&d->engine, memory_order_relaxed),
                         .written = written,
                         .math = k->math};
    emu_launch_check(&launch, l->checking);
    const bool plain = launch.checks == 0 && launch.findings == NULL;
    return plain && d->checks != 0 ? run_checked(k, &launch, d->checks, error) : run_one(k, &launch, error);
}

static ingot_status sync_queue(void *self, void *queue, ingot_error *error)
{
    (void)self;
    (void)queue;
    (void)error;
    return INGOT_OK;
}

void emu_device_track(void *self)
{
    device *d = self;
    atomic_store_explicit(&d->track, true, memory_order_relaxed);
}

void emu_device_engine(void *self, emu_engine engine)
{
    device *d = self;
    atomic_store_explicit(&d->engine, (unsigned)engine, memory_order_relaxed);
}

const rt_device_fns emu_device = {
    .kind = "emu",
    .open = open_device,
    .close = close_device,
    .limits = device_limits,
    .alloc = alloc_memory,
    .adopt = adopt_memory,
    .free = free_memory,
    .contents = contents_of,
    .queue_open = open_queue,
    .queue_close = close_queue,
    .write = write_memory,
    .read = read_memory,
    .copy = copy_memory,
    .kernel_load = load_kernel,
    .kernel_free = free_kernel,
    .kernel_info = kernel_info,
    .launch = launch_kernel,
    .sync = sync_queue,
};
