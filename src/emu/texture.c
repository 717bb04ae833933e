/* Textures: what formats there are, and how a texture's levels lie in memory. */
#include "emu/texture.h"

#include <string.h>

#include "base/num.h"

typedef struct format_row {
    const char *name;
    uint16_t number;
    uint8_t bytes;
} format_row;

static const format_row formats[EMU_FORMATS] = {
#define EMU_FORMAT(ID, name, number, bytes, components, kind) {name, number, bytes},
#include "emu/formats.def"
#undef EMU_FORMAT
};

emu_format emu_format_named(const char *name)
{
    int f = 0;
    while (f < EMU_FORMATS && strcmp(formats[f].name, name) != 0) ++f;
    return (emu_format)f;
}

emu_format emu_format_numbered(unsigned number)
{
    int f = 0;
    while (f < EMU_FORMATS && formats[f].number != number) ++f;
    return (emu_format)f;
}

const char *emu_format_name(emu_format f)
{
    return formats[f].name;
}

unsigned emu_format_bytes(emu_format f)
{
    return formats[f].bytes;
}

/* Has the type a height, a depth, layers; and how many slices a layer. */
typedef struct extent {
    bool height, depth, layers;
    uint32_t faces;
} extent;

static extent extent_of(emu_texture_type t)
{
    switch (t) {
    case EMU_TEXTURE_1D:
    case EMU_TEXTURE_BUFFER: return (extent){false, false, false, 1};
    case EMU_TEXTURE_1D_ARRAY: return (extent){false, false, true, 1};
    case EMU_TEXTURE_2D: return (extent){true, false, false, 1};
    case EMU_TEXTURE_2D_ARRAY: return (extent){true, false, true, 1};
    case EMU_TEXTURE_2D_MULTISAMPLE: return (extent){true, true, false, 1};
    case EMU_TEXTURE_2D_MULTISAMPLE_ARRAY: return (extent){true, true, true, 1};
    case EMU_TEXTURE_CUBE: return (extent){true, false, false, 6};
    case EMU_TEXTURE_CUBE_ARRAY: return (extent){true, false, true, 6};
    case EMU_TEXTURE_3D: return (extent){true, true, false, 1};
    }
    return (extent){false, false, false, 0};
}

static bool is_multisampled(emu_texture_type t)
{
    return t == EMU_TEXTURE_2D_MULTISAMPLE || t == EMU_TEXTURE_2D_MULTISAMPLE_ARRAY;
}

static bool sizes_are_right(const emu_texture *t, const extent *e)
{
    enum { MOST_SIDE = 16384, MOST_DEPTH = 2048, MOST_BUFFER = 1 << 28 };
    const uint32_t side = t->type == EMU_TEXTURE_BUFFER ? MOST_BUFFER : t->type == EMU_TEXTURE_3D ? MOST_DEPTH : MOST_SIDE;
    if (e->faces == 0 || (unsigned)t->format >= EMU_FORMATS) return false;
    if (t->width == 0 || t->height == 0 || t->depth == 0 || t->layers == 0) return false;
    if (t->width > side || t->height > side || t->depth > MOST_DEPTH || t->layers > MOST_DEPTH) return false;
    if ((!e->height && t->height != 1) || (!e->depth && t->depth != 1) || (!e->layers && t->layers != 1)) return false;
    if (e->faces == 6 && t->width != t->height) return false;
    if (is_multisampled(t->type) && (t->levels != 1 || t->depth > 8)) return false;
    const uint32_t longest = t->width > t->height ? t->width : t->height;
    return t->levels <= EMU_MAX_LEVELS && ((longest > t->depth ? longest : t->depth) >> (t->levels - 1)) != 0;
}

size_t emu_texture_lay_out(emu_texture *t)
{
    const extent e = extent_of(t->type);
    if (t->levels == 0) t->levels = 1;
    if (!sizes_are_right(t, &e)) return 0;
    size_t at = 0;
    for (uint32_t k = 0; k < t->levels; ++k) {
        const size_t w = emu_texture_side(t->width, k), h = emu_texture_side(t->height, k);
        const size_t row = w * formats[t->format].bytes;
        t->level[k] = (emu_level){at, row, row * h};
        at += row * h * emu_texture_side(t->depth, k) * t->layers * e.faces;
    }
    return at;
}

uint32_t emu_texture_slices(const emu_texture *t, uint32_t level)
{
    return emu_texture_side(t->depth, level) * t->layers * extent_of(t->type).faces;
}

char *emu_texel_at(const emu_texture *t, uint64_t xy, uint64_t zl, bool *missing)
{
    const uint32_t x = (uint32_t)xy, y = (uint32_t)(xy >> 32), z = (uint32_t)zl, level = (uint32_t)(zl >> 32);
    *missing = level >= t->levels || level >= EMU_MAX_LEVELS || x >= emu_texture_side(t->width, level) ||
               y >= emu_texture_side(t->height, level) || z >= emu_texture_slices(t, level);
    if (*missing) return NULL;
    const emu_level *l = &t->level[level];
    const unsigned bytes = emu_format_bytes(t->format);
    const uint64_t at = l->offset + (uint64_t)z * l->slice + (uint64_t)y * l->row + (uint64_t)x * bytes;
    return bytes <= t->size && at <= t->size - bytes ? (char *)t->data + at : NULL;
}

emu_texture_fault emu_texel_find(emu_texel *p, const emu_texture *textures, size_t count)
{
    p->texture = p->slot < count && textures[p->slot].data != NULL ? &textures[p->slot] : NULL;
    p->at = NULL;
    if (p->texture == NULL) return EMU_TEXTURE_UNBOUND;
    if ((unsigned)emu_format_class(p->texture->format) != p->kind) return EMU_TEXTURE_KIND;
    bool missing = false;
    p->at = emu_texel_at(p->texture, p->xy, p->zl, &missing);
    return p->at == NULL && !missing ? EMU_TEXTURE_MEMORY : EMU_TEXTURE_FINE;
}

uint64_t emu_texture_query(const emu_texture *t, uint64_t what, uint64_t level)
{
    if (t == NULL) return 0;
    const uint32_t sides[3] = {t->width, t->height, t->depth};
    if (what < 3) return emu_texture_side(sides[what], level < 32 ? (uint32_t)level : 31);
    if (what == 3) return t->layers;
    if (what == 6) return t->depth; /* samples */
    return what == 4 ? t->levels : emu_format_has_alpha(t->format);
}

uint64_t emu_sampler_bits(const emu_sampler *s)
{
    uint64_t r = (uint64_t)1 << 63;
    r |= (uint64_t)s->linear_min | (uint64_t)s->linear_mag << 1 | (uint64_t)(s->mip & 3) << 2 | (uint64_t)s->pixel << 4;
    for (int d = 0; d < 3; ++d) r |= (uint64_t)(s->address[d] & 7) << (5 + 3 * d);
    r |= (uint64_t)(s->border & 3) << 14 | (uint64_t)(s->compare & 7) << 16;
    const float limits[2] = {s->lod_min, s->lod_max};
    for (int k = 0; k < 2; ++k)
        if (limits[k] > 0) r |= (uint64_t)(num_encode(&num_half, (double)limits[k]) & 0x7fff) << (20 + 15 * k);
    return r;
}
