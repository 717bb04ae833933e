/* Profiles through the public API. */
#include "api/metal.h"
#include "base/error.h"

_Static_assert(EMU_SIMD_WIDTH == 32, "a row of a profile has a place for each thread of a simdgroup");

ingot_status ingot_profile_create(const ingot_allocator *allocator, ingot_profile **out, ingot_error *error)
{
    if (out == NULL) return metal_no_argument(error, "out");
    *out = NULL;
    const ingot_allocator *mem = mem_or_default(allocator);
    ingot_profile *p = mem_zeroed(mem, 1, sizeof *p);
    if (p == NULL) return error_no_memory(error);
    p->profile.mem = mem;
    *out = p;
    return error_none(error);
}

void ingot_profile_release(ingot_profile *p)
{
    if (p == NULL) return;
    const ingot_allocator *mem = p->profile.mem;
    emu_profile_free(&p->profile);
    mem_free(mem, p, sizeof *p);
}

size_t ingot_profile_count(const ingot_profile *p)
{
    return p != NULL ? p->profile.n : 0;
}

ingot_status ingot_profile_row_at(const ingot_profile *p, size_t index, ingot_profile_row *out)
{
    if (p == NULL || out == NULL) return INGOT_INVALID_ARGUMENT;
    if (index >= p->profile.n) return INGOT_NOT_FOUND;
    const emu_profile_row *r = &p->profile.at[index];
    const emu_cost *c = &r->cost;
    *out = (ingot_profile_row){.file = r->file,
                               .line = r->line,
                               .column = r->column,
                               .instructions = c->instructions,
                               .threads = c->threads,
                               .accesses = c->accesses,
                               .device_bytes = c->device_bytes,
                               .threadgroup_bytes = c->threadgroup_bytes,
                               .lines = c->lines,
                               .least_lines = c->least_lines,
                               .conflicts = c->conflicts,
                               .branches = c->branches,
                               .divergent = c->divergent,
                               .barriers = c->barriers,
                               .memory = r->pattern.name,
                               .is_threadgroup = r->pattern.threadgroup,
                               .is_write = r->pattern.write,
                               .active = r->pattern.active,
                               .bytes = r->pattern.bytes,
                               .touched = r->pattern.lines,
                               .turns = r->pattern.turns};
    memcpy(out->offset, r->pattern.offset, sizeof out->offset);
    return INGOT_OK;
}

ingot_status ingot_metal_command_buffer_profile(ingot_metal_command_buffer *b, ingot_profile *profile, ingot_error *error)
{
    if (b == NULL) return metal_no_argument(error, "buffer");
    if (b->committed) return error_set(error, INGOT_INVALID_ARGUMENT, "the command buffer was committed before");
    b->profile = profile != NULL ? &profile->profile : NULL;
    return error_none(error);
}
