/* Pixels of every format as four 32-bit words, and back. */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "emu/texture.h"

typedef enum pixel_kind {
    UNORM,
    SNORM,
    FLOAT,
    UINT,
    SINT,
    SRGB,
    BGRA,
    BGRA_SRGB,
    ALPHA,
    RGB10A2,
    RGB10A2_UINT,
    RG11B10,
    RGB9E5
} pixel_kind;

typedef struct pixel_row {
    pixel_kind kind;
    uint8_t bytes, components;
} pixel_row;

static const pixel_row rows[EMU_FORMATS] = {
#define EMU_FORMAT(ID, name, number, bytes, components, kind) {kind, bytes, components},
#include "emu/formats.def"
#undef EMU_FORMAT
};

/* 11- and 10-bit floats have no sign: theirs is a bit that is not there. */
static const num_format float11 = {.exponent = 5, .mantissa = 6, .bias = 15, .infinities = true};
static const num_format float10 = {.exponent = 5, .mantissa = 5, .bias = 15, .infinities = true};

emu_pixel_class emu_format_class(emu_format f)
{
    if (rows[f].kind == SINT) return EMU_PIXEL_SINT;
    return rows[f].kind == UINT || rows[f].kind == RGB10A2_UINT ? EMU_PIXEL_UINT : EMU_PIXEL_FLOAT;
}

bool emu_format_has_alpha(emu_format f)
{
    return rows[f].components == 4 || rows[f].kind == ALPHA;
}

static double linear_of(double s)
{
    return s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4);
}

static double srgb_of(double x)
{
    return x <= 0.0031308 ? x * 12.92 : 1.055 * pow(x, 1.0 / 2.4) - 0.055;
}

/* A component of `size` bytes, lowest first. */
static uint32_t take(const char *from, unsigned size)
{
    uint32_t v = 0;
    for (unsigned b = 0; b < size; ++b) v |= (uint32_t)(uint8_t)from[b] << (8 * b);
    return v;
}

static void give(char *to, unsigned size, uint32_t v)
{
    for (unsigned b = 0; b < size; ++b) to[b] = (char)(uint8_t)(v >> (8 * b));
}

static double unorm(uint32_t v, unsigned bits)
{
    return v / (double)(bits == 32 ? UINT32_MAX : (1u << bits) - 1);
}

static int32_t signed_of(uint32_t v, unsigned size)
{
    const unsigned up = 32 - 8 * size;
    return (int32_t)(v << up) >> up;
}

/* One component of the kinds whose components have equal shares. */
static uint32_t read_component(pixel_kind kind, uint32_t v, unsigned size, bool colour)
{
    const unsigned bits = 8 * size;
    switch (kind) {
    case UINT: return v;
    case SINT: return (uint32_t)signed_of(v, size);
    case FLOAT: return size == 4 ? v : num_float_bits((float)num_decode(&num_half, v));
    case SNORM: {
        const double x = signed_of(v, size) / (double)((1 << (bits - 1)) - 1);
        return num_float_bits((float)(x < -1 ? -1 : x));
    }
    case SRGB:
    case BGRA_SRGB: return num_float_bits((float)(colour ? linear_of(unorm(v, bits)) : unorm(v, bits)));
    case UNORM:
    case BGRA:
    case ALPHA:
    case RGB10A2:
    case RGB10A2_UINT:
    case RG11B10:
    case RGB9E5: break;
    }
    return num_float_bits((float)unorm(v, bits));
}

static uint32_t float_word(double v)
{
    return num_float_bits((float)v);
}

static void read_packed(pixel_kind kind, uint32_t v, uint32_t out[4])
{
    const uint32_t ten[3] = {v & 1023, v >> 10 & 1023, v >> 20 & 1023};
    for (unsigned c = 0; c < 3; ++c) {
        if (kind == RGB10A2_UINT) out[c] = ten[c];
        else if (kind == RGB10A2) out[c] = float_word(unorm(ten[c], 10));
        else if (kind == RGB9E5) out[c] = float_word(ldexp(v >> (9 * c) & 511, (int)(v >> 27) - 24));
        else if (c == 2) out[c] = float_word(num_decode(&float10, v >> 22));
        else out[c] = float_word(num_decode(&float11, v >> (11 * c) & 2047));
    }
    if (kind == RGB10A2_UINT) out[3] = v >> 30;
    else if (kind == RGB10A2) out[3] = float_word(unorm(v >> 30, 2));
}

void emu_pixel_read(emu_format f, const char *from, uint32_t out[4])
{
    const pixel_row *row = &rows[f];
    out[0] = out[1] = out[2] = 0;
    out[3] = emu_format_class(f) == EMU_PIXEL_FLOAT ? float_word(1) : 1;
    if (row->kind >= RGB10A2) {
        read_packed(row->kind, take(from, 4), out);
        return;
    }
    const unsigned size = row->bytes / row->components;
    for (unsigned c = 0; c < row->components; ++c)
        out[c] = read_component(row->kind, take(from + c * size, size), size, c != 3);
    if (row->kind == ALPHA) {
        out[3] = out[0];
        out[0] = 0;
    }
    if (row->kind == BGRA || row->kind == BGRA_SRGB) {
        const uint32_t blue = out[0];
        out[0] = out[2];
        out[2] = blue;
    }
}

/* Into [low, high], nearest with ties to even; NaN is 0. */
static int64_t scaled(double v, double by, double low, double high)
{
    if (isnan(v)) return 0;
    v *= by;
    return (int64_t)rint(v < low ? low : v > high ? high : v);
}

static uint32_t to_unorm(double v, unsigned bits)
{
    const double most = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
    return (uint32_t)scaled(v, most, 0, most);
}

static uint32_t write_component(pixel_kind kind, uint32_t w, unsigned size, bool colour)
{
    const unsigned bits = 8 * size;
    const double v = (double)num_bits_float(w);
    switch (kind) {
    case UINT: return bits < 32 && w > (1u << bits) - 1 ? (1u << bits) - 1 : w;
    case SINT: {
        const int64_t most = ((int64_t)1 << (bits - 1)) - 1, x = (int32_t)w;
        return (uint32_t)(x > most ? most : x < -most - 1 ? -most - 1 : x);
    }
    case FLOAT: return size == 4 ? w : num_encode(&num_half, v);
    case SNORM: {
        const double most = (1 << (bits - 1)) - 1;
        return (uint32_t)scaled(v, most, -most, most);
    }
    case SRGB:
    case BGRA_SRGB: return to_unorm(colour ? srgb_of(v) : v, bits);
    case UNORM:
    case BGRA:
    case ALPHA:
    case RGB10A2:
    case RGB10A2_UINT:
    case RG11B10:
    case RGB9E5: break;
    }
    return to_unorm(v, bits);
}

/* The exponent that the largest component needs; the mantissas share it. */
static uint32_t share_exponent(const uint32_t in[4])
{
    double v[3], most = 0;
    for (unsigned c = 0; c < 3; ++c) {
        const double x = (double)num_bits_float(in[c]);
        v[c] = isnan(x) || x < 0 ? 0 : x > 65408 ? 65408 : x;
        if (v[c] > most) most = v[c];
    }
    int e;
    (void)frexp(most, &e); /* most < 2^e */
    if (e < -15) e = -15;
    if (rint(ldexp(most, 9 - e)) > 511) ++e;
    uint32_t r = (uint32_t)(e + 15) << 27;
    for (unsigned c = 0; c < 3; ++c) r |= (uint32_t)rint(ldexp(v[c], 9 - e)) << (9 * c);
    return r;
}

static uint32_t small_float(const num_format *f, uint32_t w)
{
    const double v = (double)num_bits_float(w);
    return v < 0 ? 0 : num_encode(f, v) & ((1u << (f->exponent + f->mantissa)) - 1);
}

static uint32_t write_packed(pixel_kind kind, const uint32_t in[4])
{
    uint32_t r = 0;
    if (kind == RGB9E5) return share_exponent(in);
    if (kind == RG11B10)
        return small_float(&float11, in[0]) | small_float(&float11, in[1]) << 11 | small_float(&float10, in[2]) << 22;
    for (unsigned c = 0; c < 4; ++c) {
        const unsigned bits = c == 3 ? 2 : 10;
        const uint32_t most = (1u << bits) - 1;
        const uint32_t v = kind == RGB10A2 ? to_unorm((double)num_bits_float(in[c]), bits) : in[c] > most ? most : in[c];
        r |= v << (10 * c);
    }
    return r;
}

void emu_pixel_write(emu_format f, char *to, const uint32_t in[4])
{
    const pixel_row *row = &rows[f];
    if (row->kind >= RGB10A2) {
        give(to, 4, write_packed(row->kind, in));
        return;
    }
    const bool swapped = row->kind == BGRA || row->kind == BGRA_SRGB;
    const unsigned size = row->bytes / row->components;
    for (unsigned c = 0; c < row->components; ++c) {
        const unsigned from = row->kind == ALPHA ? 3 : swapped && c < 3 ? 2 - c : c;
        give(to + c * size, size, write_component(row->kind, in[from], size, from != 3));
    }
}
