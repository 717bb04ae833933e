/* One dispatch: what it holds, and its run. */
#include "api/metal.h"
#include "base/error.h"

void metal_slot_clear(const ingot_allocator *mem, metal_slot *s)
{
    ingot_metal_buffer_release(s->buffer);
    mem_free(mem, s->bytes, s->length);
    *s = (metal_slot){0};
}

void metal_dispatch_clear(const ingot_allocator *mem, metal_dispatch *d)
{
    for (size_t i = 0; i < EMU_MAX_BUFFERS; ++i) metal_slot_clear(mem, &d->slots[i]);
    for (size_t i = 0; i < EMU_MAX_TEXTURES; ++i) ingot_metal_texture_release(d->textures[i]);
    for (size_t i = 0; i < EMU_MAX_SAMPLERS; ++i) ingot_metal_sampler_release(d->samplers[i]);
    metal_used_clear(mem, &d->used);
    ingot_metal_buffer_release(d->indirect);
    ingot_metal_pipeline_release(d->pipeline);
}

metal_dispatch *metal_dispatch_copy(const ingot_allocator *mem, const metal_dispatch *from)
{
    metal_dispatch *d = mem_copy(mem, from, sizeof *d);
    if (d == NULL) return NULL;
    d->next = NULL;
    bool whole = true;
    for (size_t i = 0; i < EMU_MAX_BUFFERS; ++i) {
        metal_slot *s = &d->slots[i];
        if (s->buffer != NULL) metal_retain(&s->buffer->references);
        if (s->bytes == NULL) continue;
        s->bytes = whole ? mem_copy(mem, s->bytes, s->length) : NULL;
        if (s->bytes == NULL) whole = false;
    }
    for (size_t i = 0; i < EMU_MAX_TEXTURES; ++i)
        if (d->textures[i] != NULL) metal_retain(&d->textures[i]->references);
    for (size_t i = 0; i < EMU_MAX_SAMPLERS; ++i)
        if (d->samplers[i] != NULL) metal_retain(&d->samplers[i]->references);
    if (d->indirect != NULL) metal_retain(&d->indirect->references);
    metal_retain(&d->pipeline->references);
    if (!metal_used_copy(mem, &d->used)) whole = false;
    if (whole) return d;
    metal_dispatch_clear(mem, d);
    mem_free(mem, d, sizeof *d);
    return NULL;
}

/* What a launch is made from. */
typedef struct bound {
    emu_binding buffers[EMU_MAX_BUFFERS];
    uint8_t *written[EMU_MAX_BUFFERS];
    size_t lengths[EMU_MAX_THREADGROUP_ARGS];
    emu_sampler samplers[EMU_MAX_SAMPLERS];
    metal_reach reach;
} bound;

/* Does the kernel have a buffer, or threadgroup memory, at the slot? */
static bool declares(const metal_dispatch *d, size_t slot, bool threadgroup)
{
    const emu_kernel_info *info = d->pipeline->function->info;
    for (size_t i = 0; i < info->arg_count; ++i) {
        const emu_arg *a = &info->args[i];
        const bool buffer = a->kind == EMU_ARG_DEVICE || a->kind == EMU_ARG_CONSTANT;
        if (a->slot == slot && (threadgroup ? a->kind == EMU_ARG_THREADGROUP : buffer)) return true;
    }
    return false;
}

/* What an earlier dispatch needed and this kernel does not have stays behind: host code leaves it bound. */
static void bind(bound *b, const metal_dispatch *d)
{
    for (size_t i = 0; i < EMU_MAX_THREADGROUP_ARGS; ++i)
        if (!d->length_is_old[i] || declares(d, i, true)) b->lengths[i] = d->lengths[i];
    for (size_t i = 0; i < EMU_MAX_BUFFERS; ++i) {
        const metal_slot *s = &d->slots[i];
        if (s->is_old && !declares(d, i, false)) continue;
        if (s->buffer == NULL) {
            b->buffers[i] = (emu_binding){s->bytes, s->length};
            continue;
        }
        b->buffers[i] = (emu_binding){s->buffer->data + s->offset, s->buffer->length - s->offset};
        if (s->buffer->written != NULL) b->written[i] = s->buffer->written + s->offset;
    }
    for (size_t i = 0; i < EMU_MAX_SAMPLERS; ++i)
        if (d->samplers[i] != NULL) b->samplers[i] = d->samplers[i]->sampler;
}

/* The error with the kernel's name in front, where it does not say it. */
static ingot_status name_kernel(const metal_dispatch *d, const ingot_error *inner, ingot_error *error)
{
    if (strncmp(inner->message, "kernel '", 8) == 0) return error_pass(error, inner->status, inner);
    ingot_error named;
    (void)error_set(&named, inner->status, "kernel '%.100s': %s", ingot_metal_function_name(d->pipeline->function),
                    inner->message);
    named.line = inner->line;
    named.column = inner->column;
    return error_pass(error, inner->status, &named);
}

/* The threadgroups that stand in a buffer. */
static ingot_status read_groups(const metal_dispatch *d, emu_launch *l, ingot_error *error)
{
    if (d->indirect == NULL) return INGOT_OK;
    memcpy(l->groups, d->indirect->data + d->indirect_offset, sizeof l->groups);
    for (int k = 0; k < 3; ++k) {
        const uint64_t threads = (uint64_t)l->groups[k] * l->threads[k];
        if (threads > UINT32_MAX)
            return error_set(error, INGOT_LIMIT, "an indirect grid of %u threadgroups of %u threads is more than 32 bits hold",
                             (unsigned)l->groups[k], (unsigned)l->threads[k]);
        l->grid[k] = (uint32_t)threads;
    }
    return INGOT_OK;
}

static ingot_status run_bound(const ingot_metal_command_buffer *work, const metal_dispatch *d, const bound *b, ingot_error *error)
{
    const ingot_metal_function *f = d->pipeline->function;
    const emu_logging logging = metal_logging(work);
    emu_launch launch = {.kernel = f->kernel,
                         .buffers = b->buffers,
                         .buffer_count = EMU_MAX_BUFFERS,
                         .threadgroup_lengths = b->lengths,
                         .threadgroup_count = EMU_MAX_THREADGROUP_ARGS,
                         .textures = b->reach.textures,
                         .texture_count = b->reach.texture_count,
                         .samplers = b->samplers,
                         .sampler_count = EMU_MAX_SAMPLERS,
                         .resources = b->reach.resources,
                         .resource_count = b->reach.resource_count,
                         .groups = {d->groups[0], d->groups[1], d->groups[2]},
                         .threads = {d->threads[0], d->threads[1], d->threads[2]},
                         .grid = {d->grid[0], d->grid[1], d->grid[2]},
                         .pool = work->queue->device->pool,
                         .written = b->written,
                         .resource_written = b->reach.resource_written,
                         .texture_written = b->reach.texture_written,
                         .logging = &logging,
                         .profile = work->profile,
                         .engine = work->queue->device->engine,
                         .math = f->library->math};
    emu_launch_check(&launch, work->checking);
    const ingot_status status = read_groups(d, &launch, error);
    if (status != INGOT_OK) return status;
    return d->pipeline->native != NULL ? metal_air_run(&launch, d->pipeline, error) : emu_run(&launch, error);
}

ingot_status metal_run(const ingot_metal_command_buffer *work, const metal_dispatch *d, ingot_error *error)
{
    const ingot_allocator *mem = work->queue->device->mem;
    bound *b = mem_zeroed(mem, 1, sizeof *b);
    if (b == NULL || !metal_reach_make(mem, d, &b->reach)) {
        mem_free(mem, b, sizeof *b);
        return error_no_memory(error);
    }
    bind(b, d);
    ingot_error inner = {0};
    const ingot_status status = run_bound(work, d, b, &inner);
    metal_reach_free(mem, &b->reach);
    mem_free(mem, b, sizeof *b);
    if (status == INGOT_OK || status == INGOT_OUT_OF_MEMORY) return error_pass(error, status, &inner);
    inner.status = status;
    return name_kernel(d, &inner, error);
}
