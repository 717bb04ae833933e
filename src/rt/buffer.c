/* Devices and their memory: counted objects over a device's table of functions. */
#include "base/error.h"
#include "rt/live.h"

/* ---- Devices ----------------------------------------------------------------------------------- */

ingot_status rt_device_open(const rt_device_fns *fns, int id, unsigned threads, const ingot_allocator *mem,
                            ingot_device **out, ingot_error *error)
{
    *out = NULL;
    mem = mem_or_default(mem);
    ingot_device *d = mem_zeroed(mem, 1, sizeof *d);
    if (d == NULL) return error_no_memory(error);
    ingot_error inner = {.status = INGOT_OK};
    ingot_status status = INGOT_OUT_OF_MEMORY;
    if (pthread_mutex_init(&d->lock, NULL) == 0) {
        status = fns->open(mem, id, threads, &d->self, &inner);
        if (status != INGOT_OK) pthread_mutex_destroy(&d->lock);
    }
    if (status != INGOT_OK) {
        mem_free(mem, d, sizeof *d);
        return error_pass(error, status, &inner);
    }
    atomic_init(&d->references, 1);
    d->mem = mem;
    d->fns = fns;
    d->id = id;
    *out = d;
    return INGOT_OK;
}

void rt_device_retain(ingot_device *d)
{
    atomic_fetch_add_explicit(&d->references, 1, memory_order_relaxed);
}

void rt_device_release(ingot_device *d)
{
    if (d == NULL || atomic_fetch_sub_explicit(&d->references, 1, memory_order_acq_rel) != 1) return;
    d->fns->close(d->self);
    rt_live_free(d->mem, &d->live);
    pthread_mutex_destroy(&d->lock);
    mem_free(d->mem, d, sizeof *d);
}

ingot_buffer *rt_device_find(ingot_device *d, const void *address)
{
    pthread_mutex_lock(&d->lock);
    ingot_buffer *b = rt_live_find(&d->live, address);
    pthread_mutex_unlock(&d->lock);
    return b;
}

/* ---- Buffers ----------------------------------------------------------------------------------- */

/* Under the lock: known by its address, and by its handle where it has one. */
static bool enlist(ingot_device *d, ingot_buffer *b)
{
    if (!rt_live_add(d->mem, &d->live, b, b)) return false;
    if (b->handle == NULL || rt_live_add(d->mem, &d->live, b->handle, b)) return true;
    rt_live_remove(&d->live, b);
    return false;
}

static void fill(ingot_buffer *b, ingot_device *d, size_t size)
{
    atomic_init(&b->references, 1);
    b->size = size;
    b->device = d;
    b->handle = d->fns->handle != NULL ? d->fns->handle(d->self, b->memory) : NULL;
    rt_device_retain(d);
}

/* Gives back what is no longer enlisted. */
static void destroy(ingot_buffer *b)
{
    ingot_device *d = b->device;
    d->fns->free(d->self, b->memory);
    mem_free(d->mem, b, sizeof *b);
    rt_device_release(d);
}

ingot_status rt_buffer_create(ingot_device *d, size_t size, ingot_buffer **out, ingot_error *error)
{
    *out = NULL;
    size_t most = d->fns->limits(d->self)->max_buffer_bytes;
    if (size > most) {
        return error_set(error, INGOT_LIMIT, "a buffer of %zu bytes: the device takes at most %zu", size, most);
    }
    ingot_buffer *b = mem_zeroed(d->mem, 1, sizeof *b);
    if (b == NULL) return error_no_memory(error);
    ingot_error inner = {.status = INGOT_OK};
    ingot_status status = d->fns->alloc(d->self, size, &b->memory, &inner);
    if (status != INGOT_OK) {
        mem_free(d->mem, b, sizeof *b);
        return error_pass(error, status, &inner);
    }
    fill(b, d, size);
    pthread_mutex_lock(&d->lock);
    bool added = enlist(d, b);
    pthread_mutex_unlock(&d->lock);
    if (!added) {
        destroy(b);
        return error_no_memory(error);
    }
    *out = b;
    return INGOT_OK;
}

/* Under the lock, which also keeps two from adopting one handle at once: the buffer that the handle has, or the new one. */
static ingot_status adopt(ingot_device *d, void *handle, ingot_buffer *fresh, ingot_buffer **out, ingot_error *error)
{
    ingot_buffer *old = rt_live_find(&d->live, handle);
    if (old != NULL) {
        atomic_fetch_add_explicit(&old->references, 1, memory_order_relaxed);
        *out = old;
        return INGOT_OK;
    }
    size_t size = 0;
    ingot_status status = d->fns->wrap(d->self, handle, &fresh->memory, &size, error);
    if (status != INGOT_OK) return status;
    fill(fresh, d, size);
    if (!enlist(d, fresh)) return error_no_memory(error);
    *out = fresh;
    return INGOT_OK;
}

ingot_status rt_buffer_adopt(ingot_device *d, void *handle, ingot_buffer **out, ingot_error *error)
{
    *out = NULL;
    if (d->fns->wrap == NULL) {
        return error_set(error, INGOT_UNSUPPORTED, "the device \"%s\" has no buffers but its own", d->fns->limits(d->self)->name);
    }
    ingot_buffer *fresh = mem_zeroed(d->mem, 1, sizeof *fresh);
    if (fresh == NULL) return error_no_memory(error);
    ingot_error inner = {.status = INGOT_OK};
    pthread_mutex_lock(&d->lock);
    ingot_status status = adopt(d, handle, fresh, out, &inner);
    pthread_mutex_unlock(&d->lock);
    if (*out == fresh) return INGOT_OK;
    if (fresh->memory != NULL) destroy(fresh);
    else mem_free(d->mem, fresh, sizeof *fresh);
    return status == INGOT_OK ? INGOT_OK : error_pass(error, status, &inner);
}

void rt_buffer_retain(ingot_buffer *b)
{
    atomic_fetch_add_explicit(&b->references, 1, memory_order_relaxed);
}

void rt_buffer_release(ingot_buffer *b)
{
    if (b == NULL) return;
    ingot_device *d = b->device;
    /* The last holder lets go under the lock, so that no adoption finds a buffer that is on its way out. */
    pthread_mutex_lock(&d->lock);
    bool last = atomic_fetch_sub_explicit(&b->references, 1, memory_order_acq_rel) == 1;
    if (last) {
        rt_live_remove(&d->live, b);
        if (b->handle != NULL) rt_live_remove(&d->live, b->handle);
    }
    pthread_mutex_unlock(&d->lock);
    if (last) destroy(b);
}

/* ---- Copies ------------------------------------------------------------------------------------- */

static ingot_status check_range(const ingot_buffer *b, size_t offset, size_t size, const ingot_stream *s,
                                ingot_error *error)
{
    if (b->device != s->device) {
        return error_set(error, INGOT_INVALID_ARGUMENT, "the buffer and the stream belong to two devices");
    }
    if (offset <= b->size && size <= b->size - offset) return INGOT_OK;
    return error_set(error, INGOT_VALUE, "%zu bytes at offset %zu do not lie inside a buffer of %zu bytes", size, offset,
                     b->size);
}

ingot_status rt_buffer_write(ingot_buffer *b, size_t offset, const void *from, size_t size, ingot_stream *s,
                             ingot_error *error)
{
    ingot_status status = check_range(b, offset, size, s, error);
    if (status == INGOT_OK) status = rt_stream_check(s, error);
    if (status != INGOT_OK || size == 0) return status;
    ingot_error inner = {.status = INGOT_OK};
    status = b->device->fns->write(b->device->self, s->queue, b->memory, offset, from, size, &inner);
    return status == INGOT_OK ? INGOT_OK : error_pass(error, status, &inner);
}

ingot_status rt_buffer_read(const ingot_buffer *b, size_t offset, void *to, size_t size, ingot_stream *s,
                            ingot_error *error)
{
    ingot_status status = check_range(b, offset, size, s, error);
    /* What is read was written by earlier work: its faults come first. */
    if (status == INGOT_OK) status = rt_stream_sync(s, error);
    if (status != INGOT_OK || size == 0) return status;
    ingot_error inner = {.status = INGOT_OK};
    status = b->device->fns->read(b->device->self, s->queue, b->memory, offset, to, size, &inner);
    return status == INGOT_OK ? INGOT_OK : error_pass(error, status, &inner);
}

ingot_status rt_buffer_copy(ingot_buffer *to, size_t to_offset, const ingot_buffer *from, size_t from_offset,
                            size_t size, ingot_stream *s, ingot_error *error)
{
    ingot_status status = check_range(to, to_offset, size, s, error);
    if (status == INGOT_OK) status = check_range(from, from_offset, size, s, error);
    if (status == INGOT_OK) status = rt_stream_check(s, error);
    if (status != INGOT_OK || size == 0) return status;
    ingot_error inner = {.status = INGOT_OK};
    const ingot_device *d = to->device;
    status = d->fns->copy(d->self, s->queue, to->memory, to_offset, from->memory, from_offset, size, &inner);
    return status == INGOT_OK ? INGOT_OK : error_pass(error, status, &inner);
}
