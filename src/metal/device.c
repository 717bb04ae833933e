/* The native device: found, described, and its table of functions. */
#include "metal/device.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "metal/metal.h"

/* ---- Which device ---------------------------------------------------------------------------------------- */

/* The system may hand out one device as several objects. */
static bool is_same(const metal_objc *o, metal_id a, metal_id b)
{
    if (a == b || !metal_has(o, a, METAL_SEL_registry) || !metal_has(o, b, METAL_SEL_registry)) return a == b;
    return metal_registry(o, a) == metal_registry(o, b);
}

/* The n-th (from 1) of those in the array that are not the default one; NULL past the end. */
static metal_id nth_other(const metal_objc *o, metal_id all, metal_id first, int n)
{
    uint64_t total = all != NULL ? metal_count(o, all) : 0;
    for (uint64_t i = 0; i < total; ++i) {
        metal_id one = metal_object_at(o, all, i);
        if (!is_same(o, one, first) && --n == 0) return one;
    }
    return NULL;
}

/* Number 0 is the system's default device; the others follow in the order in which the system lists them. */
static ingot_status choose(metal_device *d, int id, ingot_error *error)
{
    const metal_objc *o = &d->objc;
    metal_id first = o->MTLCreateSystemDefaultDevice();
    if (first == NULL) return error_set(error, INGOT_UNSUPPORTED, "no native Metal device: the system has no default device");
    if (id == 0) {
        d->device = first;
        return INGOT_OK;
    }
    metal_id all = o->MTLCopyAllDevices != NULL ? o->MTLCopyAllDevices() : NULL;
    metal_id other = id > 0 ? nth_other(o, all, first, id) : NULL;
    if (other != NULL) d->device = o->objc_retain(other);
    uint64_t total = all != NULL ? metal_count(o, all) : 1;
    metal_release(o, all);
    metal_release(o, first);
    if (other != NULL) return INGOT_OK;
    return error_set(error, INGOT_NOT_FOUND, "there %s %llu native Metal device%s; number %d was asked for", total == 1 ? "is" : "are",
                     (unsigned long long)total, total == 1 ? "" : "s", id);
}

/* ---- What it can do -------------------------------------------------------------------------------------- */

/* The best family of each kind. */
static void list_families(metal_device *d)
{
    enum { KIND_APPLE, KIND_MAC, KIND_COMMON, KIND_METAL, KINDS };
    static const struct {
        int kind;
        const char *text;
        int64_t number;
    } families[] = {
#define METAL_FAMILY(KIND, TEXT, NUMBER) {KIND_##KIND, TEXT, NUMBER},
#include "metal/families.def"
#undef METAL_FAMILY
    };
    bool found[KINDS] = {false};
    size_t n = 0;
    if (!metal_has(&d->objc, d->device, METAL_SEL_supports_family)) return;
    for (size_t i = 0; i < sizeof families / sizeof families[0]; ++i) {
        if (found[families[i].kind] || !metal_supports_family(&d->objc, d->device, families[i].number)) continue;
        found[families[i].kind] = true;
        n += (size_t)snprintf(d->families + n, sizeof d->families - n, "%s%s", n != 0 ? " " : "", families[i].text);
    }
}

static uint32_t to_u32(uint64_t n)
{
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static void describe(metal_device *d)
{
    const metal_objc *o = &d->objc;
    snprintf(d->name, sizeof d->name, "%s", metal_text(o, metal_name(o, d->device)));
    list_families(d);
    metal_size threads = metal_max_threads(o, d->device);
    /* A device of before these questions were there has what all of that time had. */
    bool asks_buffer = metal_has(o, d->device, METAL_SEL_max_buffer), asks_group = metal_has(o, d->device, METAL_SEL_max_threadgroup);
    bool asks_unified = metal_has(o, d->device, METAL_SEL_has_unified);
    d->unified = asks_unified && metal_has_unified(o, d->device);
    d->described = o->classes[METAL_CLASS_MTLCommandBufferDescriptor] != NULL && o->encoder_info_key != NULL;
    d->limits = (rt_limits){
        .name = d->name,
        .families = d->families,
        .native = true,
        .unified_memory = d->unified,
        .max_buffer_bytes = asks_buffer ? (size_t)metal_max_buffer(o, d->device) : (size_t)256 << 20,
        .max_threadgroup_bytes = asks_group ? (size_t)metal_max_threadgroup(o, d->device) : 16352,
        .max_threads = to_u32(threads.width), /* a pipeline's own limit comes with it */
        .max_threads_axis = {to_u32(threads.width), to_u32(threads.height), to_u32(threads.depth)},
    };
}

/* ---- The table ------------------------------------------------------------------------------------------- */

static void close_device(void *self)
{
    metal_device *d = self;
    const metal_objc *o = &d->objc;
    void *pool = o->objc_autoreleasePoolPush();
    if (d->capture != NULL) metal_stop_capture(o, d->capture);
    metal_archive_close(d);
    metal_pipelines_free(d);
    metal_release(o, d->device);
    o->objc_autoreleasePoolPop(pool);
    metal_objc_close(&d->objc);
    pthread_mutex_destroy(&d->lock);
    mem_free(d->mem, d, sizeof *d);
}

static ingot_status open_device(const ingot_allocator *mem, int id, unsigned threads, void **out, ingot_error *error)
{
    (void)threads; /* of the software device */
    *out = NULL;
    metal_device *d = mem_zeroed(mem, 1, sizeof *d);
    if (d == NULL) return error_no_memory(error);
    d->mem = mem;
    ingot_status status = metal_objc_open(&d->objc, error);
    if (status == INGOT_OK && pthread_mutex_init(&d->lock, NULL) != 0) {
        metal_objc_close(&d->objc);
        status = error_no_memory(error);
    }
    if (status != INGOT_OK) {
        mem_free(mem, d, sizeof *d);
        return status;
    }
    void *pool = d->objc.objc_autoreleasePoolPush();
    status = choose(d, id, error);
    if (status == INGOT_OK) describe(d);
    d->objc.objc_autoreleasePoolPop(pool);
    if (status == INGOT_OK) *out = d;
    else close_device(d);
    return status;
}

static const rt_limits *device_limits(void *self)
{
    const metal_device *d = self;
    return &d->limits;
}

const rt_device_fns metal_device_fns = {
    .kind = "native",
    .open = open_device,
    .close = close_device,
    .limits = device_limits,
    .alloc = metal_alloc_memory,
    .free = metal_free_memory,
    .contents = metal_memory_contents,
    .handle = metal_memory_handle,
    .wrap = metal_adopt_memory,
    .queue_open = metal_queue_open,
    .queue_close = metal_queue_close,
    .write = metal_write,
    .read = metal_read,
    .copy = metal_copy,
    .kernel_load = metal_kernel_load,
    .kernel_free = metal_kernel_free,
    .kernel_info = metal_kernel_info,
    .launch = metal_launch,
    .sync = metal_sync,
    .queue_time = metal_queue_time,
    .archive_open = metal_archive_open,
    .archive_save = metal_archive_save,
    .capture_start = metal_capture_start,
    .capture_stop = metal_capture_stop,
};
