/* What kernels reach by addresses and numbers that lie in memory: buffers, textures, samplers. */
#include "api/metal.h"
#include "base/error.h"

/* ---- Numbers ---------------------------------------------------------------------------------------- */

/* A number that is free, plus 1; 0 where all are taken. Under the lock. */
static uint32_t take_number(metal_numbers *n)
{
    for (uint32_t i = 0; i < EMU_MAX_RESOURCES; ++i) {
        if (n->taken[i] != 0) continue;
        n->taken[i] = 1;
        if (i + 1 > n->most) n->most = i + 1;
        return i + 1;
    }
    return 0;
}

void metal_number_give(metal_numbers *n, uint32_t number)
{
    if (number == 0) return;
    (void)pthread_mutex_lock(&n->lock);
    n->taken[number - 1] = 0;
    (void)pthread_mutex_unlock(&n->lock);
}

/* The object's number, which it gets when it is first asked for. */
static uint32_t number_of(metal_numbers *n, uint32_t *number)
{
    (void)pthread_mutex_lock(&n->lock);
    if (*number == 0) *number = take_number(n);
    const uint32_t has = *number;
    (void)pthread_mutex_unlock(&n->lock);
    return has;
}

uint64_t ingot_metal_buffer_gpu_address(ingot_metal_buffer *b)
{
    const uint32_t number = b != NULL ? number_of(&b->device->buffers, &b->number) : 0;
    return number != 0 ? emu_resource_address(number - 1, 0) : 0;
}

/* Numbers of textures follow those of the slots. */
uint64_t ingot_metal_texture_gpu_resource_id(ingot_metal_texture *t)
{
    const uint32_t number = t != NULL ? number_of(&t->device->textures, &t->number) : 0;
    return number != 0 ? (uint64_t)EMU_MAX_TEXTURES + number - 1 : 0;
}

uint64_t ingot_metal_sampler_gpu_resource_id(const ingot_metal_sampler *s)
{
    return s != NULL ? emu_sampler_bits(&s->sampler) : 0;
}

/* ---- Used by a dispatch ------------------------------------------------------------------------------- */

void metal_used_clear(const ingot_allocator *mem, metal_used *u)
{
    for (size_t i = 0; i < u->buffer_count; ++i) ingot_metal_buffer_release(u->buffers[i]);
    for (size_t i = 0; i < u->texture_count; ++i) ingot_metal_texture_release(u->textures[i]);
    mem_free(mem, u->buffers, u->buffer_cap * sizeof *u->buffers);
    mem_free(mem, u->textures, u->texture_cap * sizeof *u->textures);
    *u = (metal_used){0};
}

bool metal_used_copy(const ingot_allocator *mem, metal_used *u)
{
    const metal_used from = *u;
    *u = (metal_used){0};
    if (from.buffer_count != 0) u->buffers = mem_copy(mem, from.buffers, from.buffer_count * sizeof *u->buffers);
    if (from.texture_count != 0) u->textures = mem_copy(mem, from.textures, from.texture_count * sizeof *u->textures);
    u->buffer_cap = u->buffers != NULL ? from.buffer_count : 0;
    u->texture_cap = u->textures != NULL ? from.texture_count : 0;
    u->buffer_count = u->buffer_cap;
    u->texture_count = u->texture_cap;
    for (size_t i = 0; i < u->buffer_count; ++i) metal_retain(&u->buffers[i]->references);
    for (size_t i = 0; i < u->texture_count; ++i) metal_retain(&u->textures[i]->references);
    return u->buffer_count == from.buffer_count && u->texture_count == from.texture_count;
}

ingot_status metal_use_buffer(const ingot_allocator *mem, metal_used *u, ingot_metal_buffer *b, ingot_error *error)
{
    for (size_t i = 0; i < u->buffer_count; ++i)
        if (u->buffers[i] == b) return error_none(error);
    if (ingot_metal_buffer_gpu_address(b) == 0)
        return error_set(error, INGOT_LIMIT, "%d buffers of the device have an address already", (int)EMU_MAX_RESOURCES);
    if (u->buffer_count == u->buffer_cap) {
        const size_t cap = u->buffer_cap != 0 ? u->buffer_cap * 2 : 8;
        ingot_metal_buffer **grown = mem_resize(mem, u->buffers, u->buffer_cap * sizeof *grown, cap * sizeof *grown);
        if (grown == NULL) return error_no_memory(error);
        u->buffers = grown;
        u->buffer_cap = cap;
    }
    metal_retain(&b->references);
    u->buffers[u->buffer_count++] = b;
    return error_none(error);
}

ingot_status metal_use_texture(const ingot_allocator *mem, metal_used *u, ingot_metal_texture *t, ingot_error *error)
{
    for (size_t i = 0; i < u->texture_count; ++i)
        if (u->textures[i] == t) return error_none(error);
    if (ingot_metal_texture_gpu_resource_id(t) == 0)
        return error_set(error, INGOT_LIMIT, "%d textures of the device have a number already", (int)EMU_MAX_RESOURCES);
    if (u->texture_count == u->texture_cap) {
        const size_t cap = u->texture_cap != 0 ? u->texture_cap * 2 : 8;
        ingot_metal_texture **grown = mem_resize(mem, u->textures, u->texture_cap * sizeof *grown, cap * sizeof *grown);
        if (grown == NULL) return error_no_memory(error);
        u->textures = grown;
        u->texture_cap = cap;
    }
    metal_retain(&t->references);
    u->textures[u->texture_count++] = t;
    return error_none(error);
}

/* ---- For a launch -------------------------------------------------------------------------------------- */

static void reach_texture(metal_reach *r, size_t slot, const ingot_metal_texture *t)
{
    if (t == NULL) return;
    r->textures[slot] = t->texture;
    r->texture_written[slot] = t->written;
}

/* Room for all that have a number, so that one that is not used is told as such. */
static size_t most_numbers(metal_numbers *n)
{
    (void)pthread_mutex_lock(&n->lock);
    const size_t most = n->most;
    (void)pthread_mutex_unlock(&n->lock);
    return most;
}

bool metal_reach_make(const ingot_allocator *mem, const metal_dispatch *d, metal_reach *r)
{
    const metal_used *u = &d->used;
    ingot_metal_device *device = d->pipeline->function->library->device;
    *r = (metal_reach){.resource_count = most_numbers(&device->buffers),
                       .texture_count = EMU_MAX_TEXTURES + most_numbers(&device->textures)};
    r->resources = mem_zeroed(mem, r->resource_count + 1, sizeof *r->resources);
    r->resource_written = mem_zeroed(mem, r->resource_count + 1, sizeof *r->resource_written);
    r->textures = mem_zeroed(mem, r->texture_count, sizeof *r->textures);
    r->texture_written = mem_zeroed(mem, r->texture_count, sizeof *r->texture_written);
    if (r->resources == NULL || r->resource_written == NULL || r->textures == NULL || r->texture_written == NULL) {
        metal_reach_free(mem, r);
        return false;
    }
    for (size_t i = 0; i < u->buffer_count; ++i) {
        const ingot_metal_buffer *b = u->buffers[i];
        r->resources[b->number - 1] = (emu_binding){b->data, b->length};
        r->resource_written[b->number - 1] = b->written;
    }
    for (size_t i = 0; i < EMU_MAX_TEXTURES; ++i) reach_texture(r, i, d->textures[i]);
    for (size_t i = 0; i < u->texture_count; ++i) reach_texture(r, EMU_MAX_TEXTURES + u->textures[i]->number - 1, u->textures[i]);
    return true;
}

void metal_reach_free(const ingot_allocator *mem, metal_reach *r)
{
    mem_free(mem, r->resources, (r->resource_count + 1) * sizeof *r->resources);
    mem_free(mem, r->resource_written, (r->resource_count + 1) * sizeof *r->resource_written);
    mem_free(mem, r->textures, r->texture_count * sizeof *r->textures);
    mem_free(mem, r->texture_written, r->texture_count * sizeof *r->texture_written);
}
