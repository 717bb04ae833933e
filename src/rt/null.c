/* The device that runs nothing. */
#include "rt/null.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/error.h"

typedef struct null_device {
    const ingot_allocator *mem;
    pthread_mutex_t lock; /* of all below */
    buf log;
    unsigned fail_in; /* calls until one fails; 0: none */
    ingot_status fail_with;
} null_device;

typedef struct null_memory {
    size_t size;
    unsigned char bytes[];
} null_memory;

typedef struct null_kernel {
    rt_kernel_info info;
    size_t size; /* of this block */
    char name[];
} null_kernel;

enum { LOG_BYTES = 1 << 20 };

static const rt_limits limits = {.name = "null device",
                                 .unified_memory = true,
                                 .max_buffer_bytes = SIZE_MAX / 2,
                                 .max_threadgroup_bytes = 32768,
                                 .max_threads = 1024,
                                 .max_threads_axis = {1024, 1024, 1024}};

/* ---- Records and faults -------------------------------------------------------------------------- */

/* Writes a line and counts the call; the status that it is to have. */
__attribute__((format(printf, 3, 4)))
static ingot_status record(null_device *d, ingot_error *error, const char *format, ...)
{
    char line[256];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    pthread_mutex_lock(&d->lock);
    if (d->log.n > LOG_BYTES) d->log.n = 0; /* a device that is used for long forgets */
    buf_text(&d->log, line);
    buf_char(&d->log, '\n');
    ingot_status status = d->log.failed ? INGOT_OUT_OF_MEMORY : INGOT_OK;
    if (d->fail_in != 0 && --d->fail_in == 0) status = d->fail_with;
    pthread_mutex_unlock(&d->lock);
    return status == INGOT_OK ? INGOT_OK : error_set(error, status, "the null device was told to fail");
}

const char *rt_null_log(void *device)
{
    null_device *d = device;
    buf_char(&d->log, '\0');
    if (d->log.failed) return "";
    --d->log.n;
    return d->log.p;
}

void rt_null_fail(void *device, unsigned n, ingot_status status)
{
    null_device *d = device;
    d->fail_in = n;
    d->fail_with = status;
}

/* ---- Device and memory ---------------------------------------------------------------------------- */

static ingot_status null_open(const ingot_allocator *mem, int id, unsigned threads, void **out, ingot_error *error)
{
    (void)threads;
    if (id != 0) return error_set(error, INGOT_NOT_FOUND, "there is one null device, number 0; %d was asked for", id);
    null_device *d = mem_zeroed(mem, 1, sizeof *d);
    if (d == NULL) return error_no_memory(error);
    if (pthread_mutex_init(&d->lock, NULL) != 0) {
        mem_free(mem, d, sizeof *d);
        return error_no_memory(error);
    }
    d->mem = mem;
    d->log = buf_make(mem);
    *out = d;
    return INGOT_OK;
}

static void null_close(void *device)
{
    null_device *d = device;
    buf_free(&d->log);
    pthread_mutex_destroy(&d->lock);
    mem_free(d->mem, d, sizeof *d);
}

static const rt_limits *null_limits(void *device)
{
    (void)device;
    return &limits;
}

static ingot_status null_alloc(void *device, size_t size, void **out, ingot_error *error)
{
    null_device *d = device;
    ingot_status status = record(d, error, "alloc %zu", size);
    if (status != INGOT_OK) return status;
    size_t total;
    null_memory *m = size_add(size, sizeof *m, &total) ? mem_zeroed(d->mem, total, 1) : NULL;
    if (m == NULL) return error_no_memory(error);
    m->size = size;
    *out = m;
    return INGOT_OK;
}

static void null_free(void *device, void *memory)
{
    null_device *d = device;
    null_memory *m = memory;
    mem_free(d->mem, m, sizeof *m + m->size);
}

static ingot_status null_queue_open(void *device, void **out, ingot_error *error)
{
    *out = device;
    return record(device, error, "queue");
}

static void null_queue_close(void *device, void *queue)
{
    (void)device;
    (void)queue;
}

static ingot_status null_write(void *device, void *queue, void *to, size_t offset, const void *from, size_t size,
                               ingot_error *error)
{
    (void)queue;
    null_memory *m = to;
    ingot_status status = record(device, error, "write %zu at %zu", size, offset);
    if (status == INGOT_OK) memcpy(m->bytes + offset, from, size);
    return status;
}

static ingot_status null_read(void *device, void *queue, void *from, size_t offset, void *to, size_t size,
                              ingot_error *error)
{
    (void)queue;
    const null_memory *m = from;
    ingot_status status = record(device, error, "read %zu at %zu", size, offset);
    if (status == INGOT_OK) memcpy(to, m->bytes + offset, size);
    return status;
}

static ingot_status null_copy(void *device, void *queue, void *to, size_t to_offset, void *from, size_t from_offset,
                              size_t size, ingot_error *error)
{
    (void)queue;
    null_memory *target = to;
    const null_memory *source = from;
    ingot_status status = record(device, error, "copy %zu from %zu to %zu", size, from_offset, to_offset);
    if (status == INGOT_OK) memmove(target->bytes + to_offset, source->bytes + from_offset, size);
    return status;
}

/* ---- Kernels --------------------------------------------------------------------------------------- */

static ingot_status null_kernel_load(void *device, const rt_source *source, void **out, ingot_error *error)
{
    null_device *d = device;
    ingot_status status = record(d, error, "load %.100s", source->kernel);
    if (status != INGOT_OK) return status;
    size_t n = strlen(source->kernel) + 1, size = sizeof(null_kernel) + n;
    null_kernel *k = mem_zeroed(d->mem, size, 1);
    if (k == NULL) return error_no_memory(error);
    k->size = size;
    memcpy(k->name, source->kernel, n);
    /* It reads no text, so the signature is not known. */
    k->info = (rt_kernel_info){.name = k->name, .max_threads = limits.max_threads};
    *out = k;
    return INGOT_OK;
}

static void null_kernel_free(void *device, void *kernel)
{
    null_device *d = device;
    null_kernel *k = kernel;
    mem_free(d->mem, k, k->size);
}

static const rt_kernel_info *null_kernel_info(void *device, void *kernel)
{
    (void)device;
    const null_kernel *k = kernel;
    return &k->info;
}

static ingot_status null_launch(void *device, void *queue, const rt_launch *l, ingot_error *error)
{
    (void)queue;
    const null_kernel *k = l->kernel;
    char constants[2 * 64 + 1] = "";
    const unsigned char *bytes = l->constants;
    for (size_t i = 0; i < l->constant_bytes && i < 64; ++i) snprintf(constants + 2 * i, 3, "%02x", bytes[i]);
    return record(device, error, "launch %.60s grid %u %u %u group %u %u %u buffers %zu constants %s threadgroup %zu", k->name,
                  l->grid[0], l->grid[1], l->grid[2], l->group[0], l->group[1], l->group[2], l->buffer_count,
                  constants[0] != '\0' ? constants : "-", l->threadgroup_bytes);
}

static ingot_status null_sync(void *device, void *queue, ingot_error *error)
{
    (void)queue;
    return record(device, error, "sync");
}

const rt_device_fns rt_null_device = {
    .kind = "null",
    .open = null_open,
    .close = null_close,
    .limits = null_limits,
    .alloc = null_alloc,
    .free = null_free,
    .queue_open = null_queue_open,
    .queue_close = null_queue_close,
    .write = null_write,
    .read = null_read,
    .copy = null_copy,
    .kernel_load = null_kernel_load,
    .kernel_free = null_kernel_free,
    .kernel_info = null_kernel_info,
    .launch = null_launch,
    .sync = null_sync,
};
