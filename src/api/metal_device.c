/* Metal devices and buffers. */
#include "api/metal.h"

#include "base/error.h"

ingot_status metal_no_argument(ingot_error *error, const char *name)
{
    return error_set(error, INGOT_INVALID_ARGUMENT, "%s is NULL", name);
}

/* ---- Devices ------------------------------------------------------------------------------------ */

static bool make_locks(ingot_metal_device *d)
{
    if (pthread_mutex_init(&d->buffers.lock, NULL) != 0) return false;
    if (pthread_mutex_init(&d->textures.lock, NULL) == 0) return true;
    (void)pthread_mutex_destroy(&d->buffers.lock);
    return false;
}

ingot_status ingot_metal_device_create(unsigned threads, const ingot_allocator *allocator, ingot_metal_device **out,
                                       ingot_error *error)
{
    if (out == NULL) return metal_no_argument(error, "out");
    *out = NULL;
    const ingot_allocator *mem = mem_or_default(allocator);
    ingot_metal_device *d = mem_zeroed(mem, 1, sizeof *d);
    if (d == NULL) return error_no_memory(error);
    *d = (ingot_metal_device){.references = 1, .mem = mem, .pool = emu_pool_create(mem, threads)};
    ingot_status status = emu_engine_default(&d->engine, error);
    if (status == INGOT_OK && (d->pool == NULL || !make_locks(d))) status = error_no_memory(error);
    if (status != INGOT_OK) {
        emu_pool_free(d->pool);
        mem_free(mem, d, sizeof *d);
        return status;
    }
    *out = d;
    return error_none(error);
}

ingot_status ingot_metal_device_engine(ingot_metal_device *d, const char *engine, ingot_error *error)
{
    if (d == NULL) return metal_no_argument(error, "device");
    return emu_engine_parse(engine, &d->engine, error);
}

void ingot_metal_device_release(ingot_metal_device *d)
{
    if (d == NULL || !metal_release(&d->references)) return;
    emu_pool_free(d->pool);
    (void)pthread_mutex_destroy(&d->buffers.lock);
    (void)pthread_mutex_destroy(&d->textures.lock);
    mem_free(d->mem, d, sizeof *d);
}

const char *ingot_metal_device_name(const ingot_metal_device *d)
{
    return d != NULL ? "Ingot software Metal device" : "";
}

void ingot_metal_device_limits(const ingot_metal_device *d, ingot_metal_limits *out)
{
    (void)d;
    if (out == NULL) return;
    *out = (ingot_metal_limits){.max_threads_per_threadgroup = {EMU_MAX_THREADS, EMU_MAX_THREADS, EMU_MAX_THREADS},
                                .max_total_threads_per_threadgroup = EMU_MAX_THREADS,
                                .thread_execution_width = EMU_SIMD_WIDTH,
                                .max_buffers = EMU_MAX_BUFFERS,
                                .max_threadgroup_memory_length = EMU_MAX_THREADGROUP_BYTES,
                                .max_bytes_length = METAL_BYTES,
                                .max_buffer_length = SIZE_MAX / 4};
}

/* ---- Buffers ------------------------------------------------------------------------------------ */

static ingot_metal_buffer *make_buffer(ingot_metal_device *d, size_t length)
{
    ingot_metal_buffer *b = mem_zeroed(d->mem, 1, sizeof *b);
    if (b == NULL) return NULL;
    b->references = 1;
    b->device = d;
    b->length = length;
    metal_retain(&d->references);
    return b;
}

ingot_status ingot_metal_buffer_create(ingot_metal_device *d, size_t length, ingot_metal_buffer **out, ingot_error *error)
{
    if (out == NULL) return metal_no_argument(error, "out");
    *out = NULL;
    if (d == NULL) return metal_no_argument(error, "device");
    if (length > SIZE_MAX / 4) return error_set(error, INGOT_LIMIT, "a buffer of %zu bytes is more than can be", length);
    ingot_metal_buffer *b = make_buffer(d, length);
    if (b == NULL) return error_no_memory(error);
    b->block_size = length + METAL_MEMORY_ALIGN;
    b->block = mem_zeroed(d->mem, 1, b->block_size);
    if (b->block == NULL) {
        ingot_metal_buffer_release(b);
        return error_no_memory(error);
    }
    const size_t over = (uintptr_t)b->block % METAL_MEMORY_ALIGN;
    b->data = (char *)b->block + (METAL_MEMORY_ALIGN - over) % METAL_MEMORY_ALIGN;
    *out = b;
    return error_none(error);
}

ingot_status ingot_metal_buffer_create_with_bytes(ingot_metal_device *d, const void *bytes, size_t length,
                                                  ingot_metal_buffer **out, ingot_error *error)
{
    if (out != NULL) *out = NULL;
    if (bytes == NULL && length != 0) return metal_no_argument(error, "bytes");
    ingot_status status = ingot_metal_buffer_create(d, length, out, error);
    if (status == INGOT_OK && length != 0) memcpy((*out)->data, bytes, length);
    return status;
}

ingot_status ingot_metal_buffer_wrap(ingot_metal_device *d, void *bytes, size_t length, void (*drop)(void *user), void *user,
                                     ingot_metal_buffer **out, ingot_error *error)
{
    if (out == NULL) return metal_no_argument(error, "out");
    *out = NULL;
    if (d == NULL) return metal_no_argument(error, "device");
    if (bytes == NULL) return metal_no_argument(error, "bytes");
    ingot_metal_buffer *b = make_buffer(d, length);
    if (b == NULL) return error_no_memory(error);
    b->data = bytes;
    b->drop = drop;
    b->user = user;
    *out = b;
    return error_none(error);
}

void ingot_metal_buffer_release(ingot_metal_buffer *b)
{
    if (b == NULL || !metal_release(&b->references)) return;
    ingot_metal_device *d = b->device;
    if (b->drop != NULL) b->drop(b->user);
    metal_number_give(&d->buffers, b->number);
    mem_free(d->mem, b->written, b->length);
    mem_free(d->mem, b->block, b->block_size);
    mem_free(d->mem, b, sizeof *b);
    ingot_metal_device_release(d);
}

size_t ingot_metal_buffer_length(const ingot_metal_buffer *b)
{
    return b != NULL ? b->length : 0;
}

void *ingot_metal_buffer_contents(ingot_metal_buffer *b)
{
    return b != NULL ? b->data : NULL;
}

ingot_status ingot_metal_buffer_forget(ingot_metal_buffer *b, ingot_error *error)
{
    if (b == NULL) return metal_no_argument(error, "buffer");
    if (b->written != NULL) {
        memset(b->written, 0, b->length);
        return error_none(error);
    }
    b->written = mem_zeroed(b->device->mem, 1, b->length);
    return b->written != NULL ? error_none(error) : error_no_memory(error);
}

ingot_status ingot_metal_buffer_mark(ingot_metal_buffer *b, size_t offset, size_t size, ingot_error *error)
{
    if (b == NULL) return metal_no_argument(error, "buffer");
    if (offset > b->length || size > b->length - offset)
        return error_set(error, INGOT_VALUE, "%zu bytes from %zu on are not all in the buffer of %zu", size, offset, b->length);
    if (b->written != NULL) memset(b->written + offset, 1, size);
    return error_none(error);
}
