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
    metal_retain(&d->pipeline->references);
    if (whole) return d;
    metal_dispatch_clear(mem, d);
    mem_free(mem, d, sizeof *d);
    return NULL;
}

/* What a launch is made from. */
typedef struct bound {
    emu_binding buffers[EMU_MAX_BUFFERS];
    uint8_t *written[EMU_MAX_BUFFERS];
    emu_texture textures[EMU_MAX_TEXTURES];
    emu_sampler samplers[EMU_MAX_SAMPLERS];
} bound;

static void bind(bound *b, const metal_dispatch *d)
{
    for (size_t i = 0; i < EMU_MAX_BUFFERS; ++i) {
        const metal_slot *s = &d->slots[i];
        if (s->buffer == NULL) {
            b->buffers[i] = (emu_binding){s->bytes, s->length};
            continue;
        }
        b->buffers[i] = (emu_binding){s->buffer->data + s->offset, s->buffer->length - s->offset};
        if (s->buffer->written != NULL) b->written[i] = s->buffer->written + s->offset;
    }
    for (size_t i = 0; i < EMU_MAX_TEXTURES; ++i)
        if (d->textures[i] != NULL) b->textures[i] = d->textures[i]->texture;
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

ingot_status metal_run(const ingot_metal_command_buffer *work, const metal_dispatch *d, ingot_error *error)
{
    const ingot_metal_device *device = work->queue->device;
    bound *b = mem_zeroed(device->mem, 1, sizeof *b);
    if (b == NULL) return error_no_memory(error);
    bind(b, d);
    const ingot_metal_function *f = d->pipeline->function;
    emu_launch launch = {.kernel = f->kernel,
                         .buffers = b->buffers,
                         .buffer_count = EMU_MAX_BUFFERS,
                         .threadgroup_lengths = d->lengths,
                         .threadgroup_count = EMU_MAX_THREADGROUP_ARGS,
                         .textures = b->textures,
                         .texture_count = EMU_MAX_TEXTURES,
                         .samplers = b->samplers,
                         .sampler_count = EMU_MAX_SAMPLERS,
                         .groups = {d->groups[0], d->groups[1], d->groups[2]},
                         .threads = {d->threads[0], d->threads[1], d->threads[2]},
                         .grid = {d->grid[0], d->grid[1], d->grid[2]},
                         .pool = device->pool,
                         .written = b->written,
                         .math = f->library->math};
    launch.profile = work->profile;
    emu_launch_check(&launch, work->checking);
    ingot_error inner = {0};
    const bool native = d->pipeline->native != NULL;
    const ingot_status status = native ? metal_air_run(&launch, d->pipeline, &inner) : emu_run(&launch, &inner);
    mem_free(device->mem, b, sizeof *b);
    if (status == INGOT_OK || status == INGOT_OUT_OF_MEMORY) return error_pass(error, status, &inner);
    inner.status = status;
    return name_kernel(d, &inner, error);
}
