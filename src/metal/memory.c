/* Memory of the native device: MTLBuffers, which the CPU sees where it shares memory with the GPU, and which are copied
 * by the GPU where it does not. */
#include <string.h>

#include "base/error.h"
#include "metal/metal.h"

/* ---- Making and freeing ---------------------------------------------------------------------------------- */

/* What is known of an MTLBuffer; takes over the reference. */
static ingot_status make_memory(metal_device *d, metal_id buffer, void **out, ingot_error *error)
{
    const metal_objc *o = &d->objc;
    metal_memory *m = mem_zeroed(d->mem, 1, sizeof *m);
    if (m == NULL) {
        metal_release(o, buffer);
        return error_no_memory(error);
    }
    m->buffer = buffer;
    m->length = (size_t)metal_length(o, buffer);
    /* Managed memory has two copies: the GPU's is the one that kernels see. */
    if (metal_storage(o, buffer) == METAL_SHARED) m->contents = metal_contents(o, buffer);
    *out = m;
    return INGOT_OK;
}

ingot_status metal_alloc_memory(void *device, size_t size, void **out, ingot_error *error)
{
    metal_device *d = device;
    const metal_objc *o = &d->objc;
    *out = NULL;
    /* A whole number of blocks, so that a blit of any range has whole words to copy. Metal has no empty buffer. */
    size_t length = size != 0 ? (size + RT_MEMORY_ALIGN - 1) / RT_MEMORY_ALIGN * RT_MEMORY_ALIGN : RT_MEMORY_ALIGN;
    if (length < size || length > d->limits.max_buffer_bytes) length = size;
    void *pool = o->objc_autoreleasePoolPush();
    uint64_t storage = d->unified ? METAL_SHARED : METAL_PRIVATE;
    metal_id buffer = metal_new_buffer(o, d->device, length, storage << METAL_STORAGE_SHIFT); /* filled with zeros */
    ingot_status status;
    if (buffer != NULL) {
        metal_label(o, buffer, "ingot buffer of %zu bytes", size);
        status = make_memory(d, buffer, out, error);
    } else {
        status = error_no_memory(error);
    }
    o->objc_autoreleasePoolPop(pool);
    return status;
}

void metal_free_memory(void *device, void *memory)
{
    metal_device *d = device;
    metal_memory *m = memory;
    void *pool = d->objc.objc_autoreleasePoolPush();
    metal_release(&d->objc, m->buffer); /* command buffers keep what they use */
    d->objc.objc_autoreleasePoolPop(pool);
    mem_free(d->mem, m, sizeof *m);
}

void *metal_memory_contents(void *device, void *memory)
{
    (void)device;
    return ((metal_memory *)memory)->contents;
}

void *metal_memory_handle(void *device, void *memory)
{
    (void)device;
    const metal_memory *m = memory;
    return m->buffer;
}

ingot_status metal_adopt_memory(void *device, void *handle, void **out, size_t *size, ingot_error *error)
{
    metal_device *d = device;
    const metal_objc *o = &d->objc;
    metal_id buffer = handle;
    *out = NULL;
    void *pool = o->objc_autoreleasePoolPush();
    ingot_status status;
    if (metal_device_of(o, buffer) != d->device) {
        status = error_set(error, INGOT_VALUE, "the buffer belongs to another Metal device");
    } else {
        status = make_memory(d, o->objc_retain(buffer), out, error);
        if (status == INGOT_OK) *size = ((metal_memory *)*out)->length;
    }
    o->objc_autoreleasePoolPop(pool);
    return status;
}

/* ---- Copies by the GPU ----------------------------------------------------------------------------------- */

typedef struct range {
    metal_id buffer;
    size_t offset;
} range;

/* One blit, done when it returns. Offsets and size are whole words. */
static ingot_status blit(metal_queue *q, range to, range from, size_t size, ingot_error *error)
{
    const metal_objc *o = &q->device->objc;
    metal_queue_wait(q);
    metal_id commands = metal_queue_commands(q, "ingot copy", error);
    if (commands == NULL) return INGOT_RUNTIME;
    metal_id encoder = metal_blit_encoder(o, commands);
    if (encoder == NULL) return error_set(error, INGOT_RUNTIME, "Metal gives no encoder for a copy");
    metal_label(o, encoder, "ingot copy of %zu bytes", size);
    metal_copy_buffer(o, encoder, from.buffer, from.offset, to.buffer, to.offset, size);
    metal_end_encoding(o, encoder);
    metal_commit(o, commands);
    metal_wait(o, commands);
    metal_id failed = metal_command_error(o, commands);
    if (failed == NULL) return INGOT_OK;
    return error_set(error, INGOT_DEVICE, "a copy of %zu bytes failed on the GPU: %.600s", size, metal_reason(o, failed));
}

/* Whole words around the bytes [offset, offset + size) of a memory. */
typedef struct cover {
    size_t start, size, skip; /* `skip` bytes lie before the first that is meant */
} cover;

static cover cover_of(const metal_memory *m, size_t offset, size_t size)
{
    size_t skip = offset % METAL_BLIT_ALIGN, start = offset - skip;
    size_t end = (offset + size + METAL_BLIT_ALIGN - 1) / METAL_BLIT_ALIGN * METAL_BLIT_ALIGN;
    if (end > m->length) end = m->length; /* an adopted buffer may end within a word */
    return (cover){start, end - start, skip};
}

/* Memory that both see, for bytes on their way; at most METAL_STAGE and a word at either end. NULL with the error set. */
static metal_id new_stage(metal_device *d, size_t size, ingot_error *error)
{
    metal_id stage = metal_new_buffer(&d->objc, d->device, size, METAL_SHARED << METAL_STORAGE_SHIFT);
    if (stage == NULL) error_no_memory(error);
    else metal_label(&d->objc, stage, "ingot stage of %zu bytes", size);
    return stage;
}

typedef struct transfer {
    metal_queue *queue;
    const metal_memory *memory;
    size_t offset, size;
    const char *from; /* of the host; NULL: `to` is filled instead */
    char *to;
} transfer;

/* One part, small enough for a stage, through whole words: those at the ends are read first where they are written. */
static ingot_status move_part(const transfer *t, ingot_error *error)
{
    metal_device *d = t->queue->device;
    const metal_objc *o = &d->objc;
    const cover c = cover_of(t->memory, t->offset, t->size);
    if (c.size % METAL_BLIT_ALIGN != 0) {
        return error_set(error, INGOT_UNSUPPORTED, "the last %zu bytes of a buffer of %zu bytes that only the GPU sees are no whole word",
                         t->memory->length % METAL_BLIT_ALIGN, t->memory->length);
    }
    metal_id stage = new_stage(d, c.size, error);
    if (stage == NULL) return INGOT_OUT_OF_MEMORY;
    const range there = {t->memory->buffer, c.start}, here = {stage, 0};
    ingot_status status = INGOT_OK;
    if (t->from == NULL || c.size != t->size) status = blit(t->queue, here, there, c.size, error);
    char *bytes = metal_contents(o, stage);
    if (status == INGOT_OK && t->from != NULL) {
        memcpy(bytes + c.skip, t->from, t->size);
        status = blit(t->queue, there, here, c.size, error);
    } else if (status == INGOT_OK) {
        memcpy(t->to, bytes + c.skip, t->size);
    }
    metal_release(o, stage);
    return status;
}

static ingot_status move_all(transfer t, ingot_error *error)
{
    size_t left = t.size;
    while (left != 0) {
        /* Parts begin at whole words after the first, so that none is read only to be written back. */
        size_t most = METAL_STAGE - t.offset % METAL_BLIT_ALIGN;
        t.size = left < most ? left : most;
        ingot_status status = move_part(&t, error);
        if (status != INGOT_OK) return status;
        t.offset += t.size;
        if (t.from != NULL) t.from += t.size;
        else t.to += t.size;
        left -= t.size;
    }
    return INGOT_OK;
}

/* ---- Copies as the runtime asks for them ------------------------------------------------------------------- */

ingot_status metal_write(void *device, void *queue, void *to, size_t offset, const void *from, size_t size, ingot_error *error)
{
    metal_device *d = device;
    metal_queue *q = queue;
    const metal_memory *m = to;
    void *pool = d->objc.objc_autoreleasePoolPush();
    ingot_status status = INGOT_OK;
    if (m->contents != NULL) {
        metal_queue_wait(q);
        memcpy(m->contents + offset, from, size);
    } else {
        status = move_all((transfer){q, m, offset, size, from, NULL}, error);
    }
    d->objc.objc_autoreleasePoolPop(pool);
    return status;
}

ingot_status metal_read(void *device, void *queue, void *from, size_t offset, void *to, size_t size, ingot_error *error)
{
    metal_device *d = device;
    metal_queue *q = queue;
    const metal_memory *m = from;
    void *pool = d->objc.objc_autoreleasePoolPush();
    ingot_status status = INGOT_OK;
    if (m->contents != NULL) {
        metal_queue_wait(q);
        memcpy(to, m->contents + offset, size);
    } else {
        status = move_all((transfer){q, m, offset, size, NULL, to}, error);
    }
    d->objc.objc_autoreleasePoolPop(pool);
    return status;
}

/* By way of host memory: for ranges that overlap, that are no whole words, or of which the CPU sees one side. */
static ingot_status copy_through_host(metal_queue *q, const metal_memory *to, size_t to_offset, const metal_memory *from,
                                      size_t from_offset, size_t size, ingot_error *error)
{
    const ingot_allocator *mem = q->device->mem;
    char *bytes = mem_alloc(mem, size);
    if (bytes == NULL) return error_no_memory(error);
    ingot_status status = move_all((transfer){q, from, from_offset, size, NULL, bytes}, error);
    if (status == INGOT_OK) status = move_all((transfer){q, to, to_offset, size, bytes, NULL}, error);
    mem_free(mem, bytes, size);
    return status;
}

ingot_status metal_copy(void *device, void *queue, void *to, size_t to_offset, void *from, size_t from_offset, size_t size,
                        ingot_error *error)
{
    metal_device *d = device;
    metal_queue *q = queue;
    const metal_memory *target = to, *source = from;
    void *pool = d->objc.objc_autoreleasePoolPush();
    ingot_status status = INGOT_OK;
    bool words = (to_offset | from_offset | size) % METAL_BLIT_ALIGN == 0;
    if (target->contents != NULL && source->contents != NULL) {
        metal_queue_wait(q);
        memmove(target->contents + to_offset, source->contents + from_offset, size);
    } else if (words && target->buffer != source->buffer) {
        status = blit(q, (range){target->buffer, to_offset}, (range){source->buffer, from_offset}, size, error);
    } else {
        status = copy_through_host(q, target, to_offset, source, from_offset, size, error);
    }
    d->objc.objc_autoreleasePoolPop(pool);
    return status;
}
