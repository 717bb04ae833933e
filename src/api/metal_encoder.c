/* Metal queues, command buffers and encoders: dispatches are collected, and run when they are committed. */
#include "api/check.h"
#include "api/metal.h"
#include "base/error.h"

static const ingot_allocator *mem_of(const ingot_metal_command_buffer *b)
{
    return b->queue->device->mem;
}

/* ---- Queues ---------------------------------------------------------------------------------------- */

ingot_status ingot_metal_queue_create(ingot_metal_device *device, ingot_metal_queue **out, ingot_error *error)
{
    if (out == NULL) return metal_no_argument(error, "out");
    *out = NULL;
    if (device == NULL) return metal_no_argument(error, "device");
    ingot_metal_queue *q = mem_zeroed(device->mem, 1, sizeof *q);
    if (q == NULL) return error_no_memory(error);
    *q = (ingot_metal_queue){.references = 1, .device = device};
    metal_retain(&device->references);
    *out = q;
    return error_none(error);
}

void ingot_metal_queue_release(ingot_metal_queue *q)
{
    if (q == NULL || !metal_release(&q->references)) return;
    ingot_metal_device *d = q->device;
    mem_free(d->mem, q, sizeof *q);
    ingot_metal_device_release(d);
}

/* ---- Command buffers --------------------------------------------------------------------------------- */

ingot_status ingot_metal_command_buffer_create(ingot_metal_queue *queue, ingot_metal_command_buffer **out, ingot_error *error)
{
    if (out == NULL) return metal_no_argument(error, "out");
    *out = NULL;
    if (queue == NULL) return metal_no_argument(error, "queue");
    ingot_metal_command_buffer *b = mem_zeroed(queue->device->mem, 1, sizeof *b);
    if (b == NULL) return error_no_memory(error);
    b->references = 1;
    b->queue = queue;
    metal_retain(&queue->references);
    *out = b;
    return error_none(error);
}

void ingot_metal_command_buffer_release(ingot_metal_command_buffer *b)
{
    if (b == NULL || !metal_release(&b->references)) return;
    const ingot_allocator *mem = mem_of(b);
    ingot_metal_queue *q = b->queue;
    while (b->first != NULL) {
        metal_dispatch *next = b->first->next;
        metal_dispatch_clear(mem, b->first);
        mem_free(mem, b->first, sizeof *b->first);
        b->first = next;
    }
    mem_free(mem, b, sizeof *b);
    ingot_metal_queue_release(q);
}

ingot_status ingot_metal_command_buffer_check(ingot_metal_command_buffer *b, ingot_checker *checker, ingot_error *error)
{
    if (b == NULL) return metal_no_argument(error, "buffer");
    if (b->committed) return error_set(error, INGOT_INVALID_ARGUMENT, "the command buffer was committed before");
    b->checking = checker != NULL ? &checker->checking : NULL;
    return error_none(error);
}

ingot_status ingot_metal_command_buffer_commit(ingot_metal_command_buffer *b, ingot_error *error)
{
    if (b == NULL) return metal_no_argument(error, "buffer");
    if (b->committed) return error_set(error, INGOT_INVALID_ARGUMENT, "the command buffer was committed before");
    if (b->encoding) return error_set(error, INGOT_INVALID_ARGUMENT, "an encoder of the command buffer has not been ended");
    b->committed = true;
    b->result = b->encoded;
    if (b->encoded.status != INGOT_OK) return error_pass(error, b->encoded.status, &b->encoded);
    for (const metal_dispatch *d = b->first; d != NULL; d = d->next)
        if (metal_run(b, d, &b->result) != INGOT_OK) break;
    return error_none(error);
}

ingot_status ingot_metal_command_buffer_wait(ingot_metal_command_buffer *b, ingot_error *error)
{
    if (b == NULL) return metal_no_argument(error, "buffer");
    if (!b->committed) return error_set(error, INGOT_INVALID_ARGUMENT, "the command buffer has not been committed");
    return error_pass(error, b->result.status, &b->result);
}

/* ---- Encoders ----------------------------------------------------------------------------------------- */

ingot_status ingot_metal_encoder_create(ingot_metal_command_buffer *buffer, ingot_metal_encoder **out, ingot_error *error)
{
    if (out == NULL) return metal_no_argument(error, "out");
    *out = NULL;
    if (buffer == NULL) return metal_no_argument(error, "buffer");
    if (buffer->committed) return error_set(error, INGOT_INVALID_ARGUMENT, "the command buffer was committed before");
    if (buffer->encoding)
        return error_set(error, INGOT_INVALID_ARGUMENT, "another encoder of the command buffer has not been ended");
    ingot_metal_encoder *e = mem_zeroed(mem_of(buffer), 1, sizeof *e);
    if (e == NULL) return error_no_memory(error);
    e->references = 1;
    e->buffer = buffer;
    metal_retain(&buffer->references);
    buffer->encoding = true;
    *out = e;
    return error_none(error);
}

void ingot_metal_encoder_release(ingot_metal_encoder *e)
{
    if (e == NULL || !metal_release(&e->references)) return;
    ingot_metal_command_buffer *b = e->buffer;
    metal_dispatch_clear(mem_of(b), &e->state);
    mem_free(mem_of(b), e, sizeof *e);
    ingot_metal_command_buffer_release(b);
}

/* Keeps a failure for commit, and tells it. `inner` is filled in. */
static ingot_status keep(ingot_metal_encoder *e, const ingot_error *inner, ingot_error *error)
{
    if (e->buffer->encoded.status == INGOT_OK) e->buffer->encoded = *inner;
    return error_pass(error, inner->status, inner);
}

#define REFUSE(e, error, status, ...)                                                                                  \
    do {                                                                                                               \
        ingot_error inner;                                                                                             \
        (void)error_set(&inner, status, __VA_ARGS__);                                                                  \
        return keep(e, &inner, error);                                                                                 \
    } while (0)

/* What holds for every call; `index` below `count`. */
static ingot_status check_call(ingot_metal_encoder *e, uint32_t index, uint32_t count, ingot_error *error)
{
    if (e == NULL) return metal_no_argument(error, "encoder");
    if (e->ended) REFUSE(e, error, INGOT_INVALID_ARGUMENT, "the encoder was ended before");
    if (index >= count) REFUSE(e, error, INGOT_VALUE, "index %u: indices are 0 to %u", (unsigned)index, (unsigned)count - 1);
    return INGOT_OK;
}

ingot_status ingot_metal_encoder_set_pipeline(ingot_metal_encoder *e, ingot_metal_pipeline *pipeline, ingot_error *error)
{
    const ingot_status status = check_call(e, 0, 1, error);
    if (status != INGOT_OK) return status;
    if (pipeline == NULL) REFUSE(e, error, INGOT_INVALID_ARGUMENT, "pipeline is NULL");
    metal_retain(&pipeline->references);
    ingot_metal_pipeline_release(e->state.pipeline);
    e->state.pipeline = pipeline;
    return error_none(error);
}

ingot_status ingot_metal_encoder_set_buffer(ingot_metal_encoder *e, ingot_metal_buffer *buffer, size_t offset, uint32_t index,
                                            ingot_error *error)
{
    const ingot_status status = check_call(e, index, EMU_MAX_BUFFERS, error);
    if (status != INGOT_OK) return status;
    if (buffer != NULL && offset > buffer->length)
        REFUSE(e, error, INGOT_VALUE, "buffer(%u): offset %zu is past the end of %zu bytes", (unsigned)index, offset,
               buffer->length);
    if (buffer != NULL) metal_retain(&buffer->references);
    metal_slot_clear(mem_of(e->buffer), &e->state.slots[index]);
    e->state.slots[index] = (metal_slot){.buffer = buffer, .offset = offset};
    return error_none(error);
}

ingot_status ingot_metal_encoder_set_bytes(ingot_metal_encoder *e, const void *bytes, size_t length, uint32_t index,
                                           ingot_error *error)
{
    const ingot_status status = check_call(e, index, EMU_MAX_BUFFERS, error);
    if (status != INGOT_OK) return status;
    if (bytes == NULL || length == 0) REFUSE(e, error, INGOT_INVALID_ARGUMENT, "buffer(%u): there are no bytes", (unsigned)index);
    if (length > METAL_BYTES)
        REFUSE(e, error, INGOT_LIMIT, "buffer(%u): %zu bytes are more than the %u that set_bytes takes; make a buffer",
               (unsigned)index, length, (unsigned)METAL_BYTES);
    uint8_t *copy = mem_copy(mem_of(e->buffer), bytes, length);
    if (copy == NULL) {
        ingot_error inner;
        (void)error_no_memory(&inner);
        return keep(e, &inner, error);
    }
    metal_slot_clear(mem_of(e->buffer), &e->state.slots[index]);
    e->state.slots[index] = (metal_slot){.bytes = copy, .length = length};
    return error_none(error);
}

ingot_status ingot_metal_encoder_set_threadgroup_memory_length(ingot_metal_encoder *e, size_t length, uint32_t index,
                                                               ingot_error *error)
{
    const ingot_status status = check_call(e, index, EMU_MAX_THREADGROUP_ARGS, error);
    if (status != INGOT_OK) return status;
    if (length % 16 != 0)
        REFUSE(e, error, INGOT_VALUE, "threadgroup(%u): a length of %zu bytes is no multiple of 16, as Metal demands",
               (unsigned)index, length);
    e->state.lengths[index] = length;
    e->state.length_is_old[index] = false;
    return error_none(error);
}

ingot_status ingot_metal_encoder_set_texture(ingot_metal_encoder *e, ingot_metal_texture *texture, uint32_t index,
                                             ingot_error *error)
{
    const ingot_status status = check_call(e, index, EMU_MAX_TEXTURES, error);
    if (status != INGOT_OK) return status;
    if (texture != NULL) metal_retain(&texture->references);
    ingot_metal_texture_release(e->state.textures[index]);
    e->state.textures[index] = texture;
    return error_none(error);
}

ingot_status ingot_metal_encoder_set_sampler(ingot_metal_encoder *e, ingot_metal_sampler *sampler, uint32_t index,
                                             ingot_error *error)
{
    const ingot_status status = check_call(e, index, EMU_MAX_SAMPLERS, error);
    if (status != INGOT_OK) return status;
    if (sampler != NULL) metal_retain(&sampler->references);
    ingot_metal_sampler_release(e->state.samplers[index]);
    e->state.samplers[index] = sampler;
    return error_none(error);
}

/* Hands a failure on to commit too. */
static ingot_status passed(ingot_metal_encoder *e, ingot_status status, const ingot_error *inner, ingot_error *error)
{
    return status == INGOT_OK ? error_none(error) : keep(e, inner, error);
}

ingot_status ingot_metal_encoder_use_buffer(ingot_metal_encoder *e, ingot_metal_buffer *buffer, ingot_error *error)
{
    const ingot_status status = check_call(e, 0, 1, error);
    if (status != INGOT_OK) return status;
    if (buffer == NULL) REFUSE(e, error, INGOT_INVALID_ARGUMENT, "buffer is NULL");
    ingot_error inner;
    return passed(e, metal_use_buffer(mem_of(e->buffer), &e->state.used, buffer, &inner), &inner, error);
}

ingot_status ingot_metal_encoder_use_texture(ingot_metal_encoder *e, ingot_metal_texture *texture, ingot_error *error)
{
    const ingot_status status = check_call(e, 0, 1, error);
    if (status != INGOT_OK) return status;
    if (texture == NULL) REFUSE(e, error, INGOT_INVALID_ARGUMENT, "texture is NULL");
    ingot_error inner;
    return passed(e, metal_use_texture(mem_of(e->buffer), &e->state.used, texture, &inner), &inner, error);
}

/* Offsets must suit the elements; the rest of a dispatch is checked when it runs. */
static ingot_status check_offsets(ingot_metal_encoder *e, ingot_error *error)
{
    const emu_kernel_info *k = e->state.pipeline->function->info;
    for (size_t i = 0; i < k->arg_count; ++i) {
        const emu_arg *a = &k->args[i];
        if ((a->kind != EMU_ARG_DEVICE && a->kind != EMU_ARG_CONSTANT) || e->state.slots[a->slot].offset % a->elem_align == 0) continue;
        REFUSE(e, error, INGOT_VALUE, "kernel '%s': offset %zu of '%s' [[buffer(%u)]] is no multiple of the %u bytes of a %s",
               k->name, e->state.slots[a->slot].offset, a->name, (unsigned)a->slot, (unsigned)a->elem_align, a->type);
    }
    return INGOT_OK;
}

static ingot_status check_threads(ingot_metal_encoder *e, const uint32_t threads[3], ingot_error *error)
{
    const emu_kernel_info *k = e->state.pipeline->function->info;
    const emu_checking *checking = e->buffer->checking;
    const bool told = checking != NULL && (checking->checks >> EMU_CHECK_LIMITS & 1u) != 0; /* by the run, as a finding */
    uint64_t all = 1;
    for (int d = 0; d < 3; ++d) {
        if (threads[d] == 0) REFUSE(e, error, INGOT_VALUE, "kernel '%s': a threadgroup has no threads", k->name);
        all = all <= k->max_threads ? all * threads[d] : all;
    }
    if (all > k->max_threads && !told)
        REFUSE(e, error, INGOT_LIMIT, "kernel '%s': a threadgroup of %u x %u x %u threads is more than the %u that are allowed",
               k->name, (unsigned)threads[0], (unsigned)threads[1], (unsigned)threads[2], (unsigned)k->max_threads);
    return INGOT_OK;
}

static ingot_status dispatch(ingot_metal_encoder *e, ingot_error *error)
{
    metal_dispatch *d = metal_dispatch_copy(mem_of(e->buffer), &e->state);
    if (d == NULL) {
        ingot_error inner;
        (void)error_no_memory(&inner);
        return keep(e, &inner, error);
    }
    if (e->buffer->last != NULL) e->buffer->last->next = d;
    else e->buffer->first = d;
    e->buffer->last = d;
    for (size_t i = 0; i < EMU_MAX_BUFFERS; ++i) e->state.slots[i].is_old = true;
    for (size_t i = 0; i < EMU_MAX_THREADGROUP_ARGS; ++i) e->state.length_is_old[i] = true;
    return error_none(error);
}

/* What both forms of dispatch ask for. */
static ingot_status check_dispatch(ingot_metal_encoder *e, const uint32_t grid[3], const uint32_t threads[3],
                                   ingot_error *error)
{
    ingot_status status = check_call(e, 0, 1, error);
    if (status != INGOT_OK) return status;
    if (grid == NULL || threads == NULL) REFUSE(e, error, INGOT_INVALID_ARGUMENT, "a size is NULL");
    if (e->state.pipeline == NULL) REFUSE(e, error, INGOT_VALUE, "a dispatch needs a pipeline: call set_pipeline before");
    status = check_threads(e, threads, error);
    return status == INGOT_OK ? check_offsets(e, error) : status;
}

ingot_status ingot_metal_encoder_dispatch_threadgroups(ingot_metal_encoder *e, const uint32_t groups[3],
                                                       const uint32_t threads[3], ingot_error *error)
{
    const ingot_status status = check_dispatch(e, groups, threads, error);
    if (status != INGOT_OK) return status;
    for (int d = 0; d < 3; ++d) {
        const uint64_t grid = (uint64_t)groups[d] * threads[d];
        if (grid > UINT32_MAX)
            REFUSE(e, error, INGOT_LIMIT, "a grid of %llu threads along one axis is more than 32 bits hold",
                   (unsigned long long)grid);
        e->state.grid[d] = (uint32_t)grid;
        e->state.groups[d] = groups[d];
        e->state.threads[d] = threads[d];
    }
    return dispatch(e, error);
}

ingot_status ingot_metal_encoder_dispatch_threadgroups_indirect(ingot_metal_encoder *e, ingot_metal_buffer *buffer, size_t offset,
                                                                const uint32_t threads[3], ingot_error *error)
{
    static const uint32_t later[3] = {0, 0, 0};
    const ingot_status status = check_dispatch(e, later, threads, error);
    if (status != INGOT_OK) return status;
    if (buffer == NULL) REFUSE(e, error, INGOT_INVALID_ARGUMENT, "buffer is NULL");
    if (offset % 4 != 0 || offset > buffer->length || buffer->length - offset < 3 * sizeof(uint32_t))
        REFUSE(e, error, INGOT_VALUE, "the buffer of %zu bytes has no three 32-bit words at offset %zu", buffer->length, offset);
    memcpy(e->state.groups, later, sizeof later);
    memcpy(e->state.grid, later, sizeof later);
    memcpy(e->state.threads, threads, sizeof e->state.threads);
    metal_retain(&buffer->references);
    e->state.indirect = buffer;
    e->state.indirect_offset = offset;
    const ingot_status done = dispatch(e, error);
    e->state.indirect = NULL;
    ingot_metal_buffer_release(buffer);
    return done;
}

ingot_status ingot_metal_encoder_dispatch_threads(ingot_metal_encoder *e, const uint32_t grid[3], const uint32_t threads[3],
                                                  ingot_error *error)
{
    const ingot_status status = check_dispatch(e, grid, threads, error);
    if (status != INGOT_OK) return status;
    for (int d = 0; d < 3; ++d) {
        e->state.grid[d] = grid[d];
        e->state.threads[d] = threads[d];
        e->state.groups[d] = grid[d] / threads[d] + (grid[d] % threads[d] != 0);
    }
    return dispatch(e, error);
}

ingot_status ingot_metal_encoder_end(ingot_metal_encoder *e, ingot_error *error)
{
    const ingot_status status = check_call(e, 0, 1, error);
    if (status != INGOT_OK) return status;
    e->ended = true;
    e->buffer->encoding = false;
    return error_none(error);
}
