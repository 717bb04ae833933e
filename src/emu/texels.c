/* Textures and samplers as native code reaches them: the same functions that the bytecode machine has, by air/air.h's table. */
#include "emu/engine.h"

#include <string.h>

#include "emu/vm.h"

static const char *find(const void *bound, const air_texel *at, emu_texel *p)
{
    const emu_launch *l = bound;
    *p = (emu_texel){.slot = at->texture, .xy = at->xy, .zl = at->zl, .kind = at->kind};
    switch (emu_texel_find(p, l->textures, l->texture_count)) {
    case EMU_TEXTURE_UNBOUND: return "where nothing is bound";
    case EMU_TEXTURE_KIND: return "whose format is of another kind of number";
    case EMU_TEXTURE_MEMORY: return "past the end of its memory";
    case EMU_TEXTURE_ATOMIC:
    case EMU_TEXTURE_FINE: break;
    }
    return NULL;
}

static const char *read_texel(const void *bound, const air_texel *at, uint32_t out[4])
{
    emu_texel p;
    const char *why = find(bound, at, &p);
    memset(out, 0, 4 * sizeof *out);
    if (why == NULL && p.at != NULL) emu_pixel_read(p.texture->format, p.at, out);
    return why;
}

static const char *write_texel(const void *bound, const air_texel *at, const uint32_t in[4])
{
    emu_texel p;
    const char *why = find(bound, at, &p);
    if (why == NULL && p.at != NULL) emu_pixel_write(p.texture->format, p.at, in);
    return why;
}

static const char *change_texel(const void *bound, const air_texel *at, uint32_t what, uint64_t words, uint32_t *old)
{
    emu_texel p;
    const char *why = find(bound, at, &p);
    *old = 0;
    if (why != NULL) return why;
    if (p.texture->format != EMU_FORMAT_R32_UINT && p.texture->format != EMU_FORMAT_R32_SINT)
        return "whose format is not one 32-bit integer: it has no atomic operations";
    const emu_type type = at->kind == EMU_PIXEL_SINT ? EMU_I32 : EMU_U32;
    if (p.at != NULL && ((uintptr_t)p.at & 3u) == 0)
        *old = emu_change32((uint32_t *)(void *)p.at, (emu_atomic)what, type, (uint32_t)words, (uint32_t)(words >> 32));
    return NULL;
}

static uint32_t query(const void *bound, uint64_t texture, uint32_t what, uint32_t level)
{
    const emu_launch *l = bound;
    const bool there = texture < l->texture_count && l->textures[texture].data != NULL;
    return (uint32_t)emu_texture_query(there ? &l->textures[texture] : NULL, what, level);
}

static uint64_t sampler(const void *bound, uint64_t s)
{
    const emu_launch *l = bound;
    if (s >> 63 != 0) return s;
    return s < l->sampler_count ? emu_sampler_bits(&l->samplers[s]) : 0;
}

const air_texels *emu_texels(void)
{
    static const air_texels table = {read_texel, write_texel, change_texel, query, sampler};
    return &table;
}
