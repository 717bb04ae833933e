/* What a launch binds to texture and sampler arguments: descriptors of memory that the caller owns. */
#ifndef EMU_TEXTURE_H
#define EMU_TEXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    EMU_MAX_TEXTURES = 128, /* [[texture(0)]] to [[texture(127)]] */
    EMU_MAX_SAMPLERS = 16,
    EMU_MAX_LEVELS = 15
};

typedef enum emu_format {
#define EMU_FORMAT(ID, name, number, bytes, components, kind) EMU_FORMAT_##ID,
#include "emu/formats.def"
#undef EMU_FORMAT
    EMU_FORMATS
} emu_format;

/* MTLTextureType's numbers. */
typedef enum emu_texture_type {
    EMU_TEXTURE_1D = 0,
    EMU_TEXTURE_1D_ARRAY = 1,
    EMU_TEXTURE_2D = 2,
    EMU_TEXTURE_2D_ARRAY = 3,
    EMU_TEXTURE_2D_MULTISAMPLE = 4, /* only read; its samples are its depth, a slice each */
    EMU_TEXTURE_CUBE = 5,
    EMU_TEXTURE_CUBE_ARRAY = 6,
    EMU_TEXTURE_3D = 7,
    EMU_TEXTURE_2D_MULTISAMPLE_ARRAY = 8,
    EMU_TEXTURE_BUFFER = 9
} emu_texture_type;

/* A level of detail: its first pixel, and the bytes between rows and between slices. A slice is a layer of an array, a face of a
 * cube (layer * 6 + face), or a depth of a 3D texture. */
typedef struct emu_level {
    size_t offset, row, slice;
} emu_level;

/* Plain data: copied by nobody, read while launches run. Level k has width >> k pixels (at least 1), and so on. */
typedef struct emu_texture {
    void *data;  /* NULL: nothing is bound */
    size_t size; /* bytes; an access past them is a fault, whatever the levels say */
    emu_texture_type type;
    emu_format format;
    uint32_t width, height, depth, layers; /* 1 where the type has no such dimension; layers counts whole cubes */
    uint32_t levels;                       /* at least 1 */
    emu_level level[EMU_MAX_LEVELS];
} emu_texture;

typedef enum emu_address_mode { /* MTLSamplerAddressMode's numbers; mirror clamp to edge is 1 */
    EMU_CLAMP_TO_EDGE = 0,
    EMU_MIRROR_CLAMP_TO_EDGE = 1,
    EMU_REPEAT = 2,
    EMU_MIRRORED_REPEAT = 3,
    EMU_CLAMP_TO_ZERO = 4,
    EMU_CLAMP_TO_BORDER = 5
} emu_address_mode;

/* As MSL's constexpr samplers. Zero is MSL's default sampler: nearest, clamped to the edge, coordinates from 0 to 1. */
typedef struct emu_sampler {
    bool linear_min, linear_mag; /* else nearest */
    uint8_t mip;                 /* 0: level 0 only; 1 nearest; 2 linear */
    bool pixel;                  /* coordinates count pixels */
    uint8_t address[3];          /* emu_address_mode along s, t, r */
    uint8_t border;              /* 0 transparent black, 1 opaque black, 2 opaque white */
    uint8_t compare;             /* 0 never, 1 less, 2 equal, 3 less_equal, 4 greater, 5 not_equal, 6 greater_equal, 7 always */
    float lod_min, lod_max;      /* of the level; both 0 means no limit */
} emu_sampler;

/* The format of that name or of that MTLPixelFormat number; EMU_FORMATS where there is none. */
emu_format emu_format_named(const char *name);
emu_format emu_format_numbered(unsigned number);
const char *emu_format_name(emu_format f);
/* Bytes of a pixel. */
unsigned emu_format_bytes(emu_format f);

/* Lays `t`'s levels out densely from its type, format and sizes, level after level; the bytes needed. `levels` 0 becomes 1. 0 where the
 * sizes are none that a texture can have (a dimension is 0 or above 16,384, layers above 2,048, more levels than there are). */
size_t emu_texture_lay_out(emu_texture *t);

/* A side's length in a level. */
static inline uint32_t emu_texture_side(uint32_t side, uint32_t level)
{
    return level < 32 && side >> level != 0 ? side >> level : 1;
}

/* Slices of a level: see emu_level. */
uint32_t emu_texture_slices(const emu_texture *t, uint32_t level);

/* Where a texel lies: x and (upper half) y in `xy`, slice and (upper half) level in `zl`. NULL where it is outside of the texture's memory, or
 * (with *missing) of the texture. */
char *emu_texel_at(const emu_texture *t, uint64_t xy, uint64_t zl, bool *missing);

/* A pixel meant by a kernel: of textures[slot], read or written as `kind`. emu_texel_find fills in the rest; `at` is NULL where the
 * texture has no such pixel. */
typedef enum emu_texture_fault {
    EMU_TEXTURE_FINE,
    EMU_TEXTURE_UNBOUND,
    EMU_TEXTURE_ATOMIC, /* its format is not one 32-bit integer */
    EMU_TEXTURE_KIND,   /* its format is not of the kind that the text reads or writes */
    EMU_TEXTURE_MEMORY  /* a pixel lies past the end of its memory */
} emu_texture_fault;
typedef struct emu_texel {
    uint64_t slot, xy, zl;
    unsigned kind; /* emu_pixel_class */
    const emu_texture *texture;
    char *at;
} emu_texel;
emu_texture_fault emu_texel_find(emu_texel *p, const emu_texture *textures, size_t count);

/* What a kernel asks of a texture (NULL: 0): 0 to 2 width, height, depth of the level, 3 layers, 4 levels, 5 whether it has alpha, 6 samples. */
uint64_t emu_texture_query(const emu_texture *t, uint64_t what, uint64_t level);

/* A sampler in one word, bit 63 set: as textures.def of the front end has them. */
uint64_t emu_sampler_bits(const emu_sampler *s);

/* The four components of a pixel at `from` as 32-bit words, and back: floats, or integers where emu_format_class says so. Components that
 * the format lacks are 0, the fourth 1. Writing rounds to nearest and clamps to the format's range (NaN to 0 where it has none). */
bool emu_format_has_alpha(emu_format f);
typedef enum emu_pixel_class { EMU_PIXEL_FLOAT, EMU_PIXEL_SINT, EMU_PIXEL_UINT } emu_pixel_class;
emu_pixel_class emu_format_class(emu_format f);
void emu_pixel_read(emu_format f, const char *from, uint32_t out[4]);
void emu_pixel_write(emu_format f, char *to, const uint32_t in[4]);

#endif
