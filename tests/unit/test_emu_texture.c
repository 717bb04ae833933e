/* The software device: pixel formats, the layout of textures, and kernels that read, sample and write them. */
#include <math.h>

#include "emu_help.h"

#include "base/num.h"

static uint32_t bits(float v)
{
    return num_float_bits(v);
}

/* Formats have Metal's names and numbers, and read the components that they have. Values by hand: 128/255 rounds to 0x3f008081;
 * the sRGB curve gives (0.5 + 0.055)/1.055 to the 2.4 = 0.21404114 for a component of 0.5, here byte 188 = 0.50288 linear. */
static void test_reading(void **state)
{
    (void)state;
    assert_int_equal(emu_format_named("rgba8unorm"), EMU_FORMAT_RGBA8_UNORM);
    assert_int_equal(emu_format_numbered(115), EMU_FORMAT_RGBA16_FLOAT);
    assert_int_equal(emu_format_named("rgba9unorm"), EMU_FORMATS);
    assert_int_equal(emu_format_numbered(2), EMU_FORMATS);
    assert_int_equal(emu_format_bytes(EMU_FORMAT_RG32_UINT), 8);
    assert_int_equal(emu_format_class(EMU_FORMAT_R8_SINT), EMU_PIXEL_SINT);
    assert_int_equal(emu_format_class(EMU_FORMAT_RGB10A2_UINT), EMU_PIXEL_UINT);
    assert_int_equal(emu_format_class(EMU_FORMAT_R8_SNORM), EMU_PIXEL_FLOAT);
    uint32_t out[4];
    emu_pixel_read(EMU_FORMAT_RGBA8_UNORM, "\x00\x80\xff\x33", out);
    assert_true(out[0] == 0 && out[1] == 0x3f008081u && out[2] == bits(1) && out[3] == bits(0.2f));
    emu_pixel_read(EMU_FORMAT_BGRA8_UNORM, "\x00\x80\xff\x33", out);
    assert_true(out[0] == bits(1) && out[1] == 0x3f008081u && out[2] == 0 && out[3] == bits(0.2f));
    emu_pixel_read(EMU_FORMAT_R8_SNORM, "\x80", out);
    assert_true(out[0] == bits(-1) && out[1] == 0 && out[2] == 0 && out[3] == bits(1));
    emu_pixel_read(EMU_FORMAT_RG16_SINT, "\xfe\xff\x05\x00", out);
    assert_true(out[0] == (uint32_t)-2 && out[1] == 5 && out[2] == 0 && out[3] == 1);
    emu_pixel_read(EMU_FORMAT_R16_FLOAT, "\x00\xc1", out);
    assert_true(out[0] == bits(-2.5f) && out[3] == bits(1));
    emu_pixel_read(EMU_FORMAT_A8_UNORM, "\xff", out);
    assert_true(out[0] == 0 && out[3] == bits(1));
    emu_pixel_read(EMU_FORMAT_RGBA8_SRGB, "\xbc\x00\xff\xbc", out);
    assert_float_equal(num_bits_float(out[0]), 0.5028865, 1e-6);
    assert_true(out[1] == 0 && out[2] == bits(1) && out[3] == bits(188.0f / 255));
    /* 10-bit 1023, 0, 512 and 2-bit 2, from the lowest bit */
    emu_pixel_read(EMU_FORMAT_RGB10A2_UNORM, "\xff\x03\x00\xa0", out);
    assert_true(out[0] == bits(1) && out[1] == 0 && out[2] == bits(512.0f / 1023) && out[3] == bits(2.0f / 3));
    /* 1.0 is exponent 15: 0x3c0 of 11 bits, 0x1e0 of 10; 0.5 is 0x380 */
    emu_pixel_read(EMU_FORMAT_RG11B10_FLOAT, "\xc0\x03\x1c\x78", out);
    assert_true(out[0] == bits(1) && out[1] == bits(0.5f) && out[2] == bits(1) && out[3] == bits(1));
    /* mantissas 256, 128, 0 of exponent 16: 256 / 512 * 2 = 1, 0.5, 0 */
    emu_pixel_read(EMU_FORMAT_RGB9E5_FLOAT, "\x00\x01\x01\x80", out);
    assert_true(out[0] == bits(1) && out[1] == bits(0.5f) && out[2] == 0 && out[3] == bits(1));
}

/* Writing rounds to the nearest step and stays within the format's range. */
static void test_writing(void **state)
{
    (void)state;
    char to[16];
    const uint32_t floats[4] = {bits(0.5f), bits(-3), bits(7), bits(NAN)};
    emu_pixel_write(EMU_FORMAT_RGBA8_UNORM, to, floats); /* 127.5 goes to the even 128 */
    assert_memory_equal(to, "\x80\x00\xff\x00", 4);
    emu_pixel_write(EMU_FORMAT_BGRA8_UNORM, to, floats);
    assert_memory_equal(to, "\xff\x00\x80\x00", 4);
    emu_pixel_write(EMU_FORMAT_RGBA8_SNORM, to, floats); /* 63.5 goes to 64 */
    assert_memory_equal(to, "\x40\x81\x7f\x00", 4);
    emu_pixel_write(EMU_FORMAT_RG16_FLOAT, to, floats);
    assert_memory_equal(to, "\x00\x38\x00\xc2", 4);
    emu_pixel_write(EMU_FORMAT_RG11B10_FLOAT, to, floats); /* 0.5, no negative number, 7 = 1.75 * 4: 0x238 of 10 bits */
    assert_memory_equal(to, "\x80\x03\x00\x8e", 4);
    const uint32_t integers[4] = {300, (uint32_t)-5, 7, (uint32_t)-129};
    emu_pixel_write(EMU_FORMAT_RGBA8_UINT, to, integers);
    assert_memory_equal(to, "\xff\xff\x07\xff", 4);
    emu_pixel_write(EMU_FORMAT_RGBA8_SINT, to, integers);
    assert_memory_equal(to, "\x7f\xfb\x07\x80", 4);
    for (unsigned v = 0; v < 256; ++v) { /* every byte survives a round trip */
        const char from[4] = {(char)v, (char)(255 - v), (char)(v * 7 % 256), (char)(v ^ 85u)};
        static const emu_format all[] = {EMU_FORMAT_RGBA8_UNORM, EMU_FORMAT_RGBA8_SRGB, EMU_FORMAT_BGRA8_SRGB, EMU_FORMAT_RGB10A2_UNORM,
                                         EMU_FORMAT_RGB10A2_UINT, EMU_FORMAT_RGBA8_UINT, EMU_FORMAT_RG16_UNORM, EMU_FORMAT_R32_FLOAT};
        for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
            uint32_t pixel[4];
            emu_pixel_read(all[i], from, pixel);
            emu_pixel_write(all[i], to, pixel);
            assert_memory_equal(to, from, 4);
        }
    }
}

/* Levels lie behind each other; what no texture can be is refused. */
static void test_layout(void **state)
{
    (void)state;
    emu_texture t = {.type = EMU_TEXTURE_2D_ARRAY, .format = EMU_FORMAT_RGBA8_UNORM, .width = 5, .height = 3, .depth = 1, .layers = 2, .levels = 2};
    assert_int_equal(emu_texture_lay_out(&t), 2 * 60 + 2 * 8);
    assert_true(t.level[0].offset == 0 && t.level[0].row == 20 && t.level[0].slice == 60);
    assert_true(t.level[1].offset == 120 && t.level[1].row == 8 && t.level[1].slice == 8);
    emu_texture cube = {.type = EMU_TEXTURE_CUBE, .format = EMU_FORMAT_R8_UINT, .width = 4, .height = 4, .depth = 1, .layers = 1};
    assert_int_equal(emu_texture_lay_out(&cube), 96);
    assert_int_equal(cube.levels, 1);
    t.levels = 4; /* 5 pixels have three levels: 5, 2, 1 */
    assert_int_equal(emu_texture_lay_out(&t), 0);
    cube.height = 5;
    assert_int_equal(emu_texture_lay_out(&cube), 0);
    emu_texture line = {.type = EMU_TEXTURE_1D, .format = EMU_FORMAT_R8_UINT, .width = 9, .height = 2, .depth = 1, .layers = 1};
    assert_int_equal(emu_texture_lay_out(&line), 0);
}

/* Kernels. `run` binds two textures, two samplers and one buffer, and runs `threads` threads. */

typedef struct textured {
    emu_texture textures[3];
    emu_sampler samplers[2];
    float out[16];
} textured;

static ingot_status run(const char *body, textured *x, uint32_t threads, ingot_error *error)
{
    emu_library *l = emu_text(body);
    memset(x->out, 0, sizeof x->out);
    const emu_binding buffer = {x->out, sizeof x->out};
    const emu_launch launch = {.kernel = emu_library_find(l, STR("k")),
                               .buffers = &buffer,
                               .buffer_count = 1,
                               .textures = x->textures,
                               .texture_count = 3,
                               .samplers = x->samplers,
                               .sampler_count = 2,
                               .groups = {1, 1, 1},
                               .threads = {threads, 1, 1}};
    const ingot_status status = twin_run(l, "k", &launch, error);
    emu_library_free(l);
    return status;
}

static void must(const char *body, textured *x, uint32_t threads)
{
    ingot_error error;
    if (run(body, x, threads, &error) != INGOT_OK) fail_msg("%s", error.message);
}

static emu_texture make(emu_texture_type type, emu_format format, const uint32_t size[4], void *data)
{
    emu_texture t = {.type = type, .format = format, .width = size[0], .height = size[1], .depth = size[2], .layers = size[3], .levels = 1, .data = data};
    t.size = emu_texture_lay_out(&t);
    assert_true(t.size != 0);
    return t;
}

static void expect(const textured *x, const float *want, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        if (x->out[i] != want[i]) fail_msg("[%zu] is %g, not %g", i, (double)x->out[i], (double)want[i]);
}
#define EXPECT(x, ...)                                                                                                 \
    do {                                                                                                               \
        const float want_[] = {__VA_ARGS__};                                                                           \
        expect(x, want_, sizeof want_ / sizeof want_[0]);                                                              \
    } while (0)

/* Every kind of texture read and written at whole coordinates, its sizes, and what lies outside of it. */
static void test_whole(void **state)
{
    (void)state;
    float in[2 * 3 * 2];
    uint16_t halves[4 * 2] = {0};
    for (int i = 0; i < 12; ++i) in[i] = (float)i;
    textured x = {.textures = {make(EMU_TEXTURE_2D_ARRAY, EMU_FORMAT_R32_FLOAT, (uint32_t[]){2, 3, 1, 2}, in),
                               make(EMU_TEXTURE_1D, EMU_FORMAT_RGBA16_FLOAT, (uint32_t[]){2, 1, 1, 1}, halves)}};
    must("kernel void k(texture2d_array<float> a [[texture(0)]], texture1d<half, access::write> b [[texture(1)]],\n"
         "  device float *o [[buffer(0)]], uint t [[thread_position_in_grid]]) {\n"
         "  o[t] = a.read(uint2(t % 2, t / 2), 1).x; o[6] = a.read(ushort2(1, 2), 0).w; o[7] = a.read(uint2(2, 0), 0).x + a.read(uint2(0, 0), 2).w;\n"
         "  o[8] = a.get_width() * 1000 + a.get_height() * 100 + a.get_array_size() * 10 + a.get_num_mip_levels();\n"
         "  b.write(half4(1, -2, 0.5h, half(t)), t); }",
         &x, 6);
    EXPECT(&x, 6, 7, 8, 9, 10, 11, 1, 0, 2321);
    const uint16_t want[8] = {0x3c00, 0xc000, 0x3800, 0, 0x3c00, 0xc000, 0x3800, 0x3c00};
    assert_memory_equal(halves, want, sizeof want);
    int8_t cube[2 * 2 * 2 * 2] = {1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6, 7, -7, 8, -8};
    uint32_t words[4] = {0};
    x.textures[0] = make(EMU_TEXTURE_3D, EMU_FORMAT_RG8_SINT, (uint32_t[]){2, 2, 2, 1}, cube);
    x.textures[1] = make(EMU_TEXTURE_BUFFER, EMU_FORMAT_R32_UINT, (uint32_t[]){4, 1, 1, 1}, words);
    must("kernel void k(texture3d<int, access::read> a, texture_buffer<uint, access::read_write> b, device float *o, uint t [[thread_position_in_grid]]) {\n"
         "  int4 v = a.read(uint3(t & 1, t >> 1 & 1, t >> 2)); o[t] = v.x * 10 + v.y + v.w * 100; b.write(uint4(t * 7), t); b.fence();\n"
         "  o[8] = b.read(t % 4).x == t % 4 * 7 ? 1 : 0; o[9] = a.get_depth(); }",
         &x, 8);
    EXPECT(&x, 109, 118, 127, 136, 145, 154, 163, 172, 1, 2);
    assert_true(words[0] == 0 && words[1] == 7 && words[3] == 21); /* what lies outside is not written */
}

/* Nearest and linear, and what each address mode makes of coordinates outside. The row is 10, 20, 30, 40 at 0.125, 0.375, 0.625, 0.875. */
static void test_sampling(void **state)
{
    (void)state;
    float row[4] = {10, 20, 30, 40};
    textured x = {.textures = {make(EMU_TEXTURE_1D, EMU_FORMAT_R32_FLOAT, (uint32_t[]){4, 1, 1, 1}, row)}};
    x.samplers[0] = (emu_sampler){.linear_min = true, .linear_mag = true, .address = {EMU_REPEAT, EMU_REPEAT, EMU_REPEAT}};
    must("kernel void k(texture1d<float> a, sampler s [[sampler(0)]], sampler edge [[sampler(1)]], device float *o) {\n"
         "  constexpr sampler pixel(coord::pixel, filter::linear), mirror(address::mirrored_repeat), zero(filter::linear, address::clamp_to_zero);\n"
         "  o[0] = a.sample(edge, 0.6f).x; o[1] = a.sample(edge, 1.5f).x; o[2] = a.sample(edge, -3).x;\n"
         "  o[3] = a.sample(s, 0.5f).x; o[4] = a.sample(s, 0).x; o[5] = a.sample(s, 1.125f).x;\n"
         "  o[6] = a.sample(pixel, 1.25f).x; o[7] = a.sample(mirror, 1.2f).x; o[8] = a.sample(zero, 1.0f).x; o[9] = a.sample(zero, 2).w; }",
         &x, 1);
    EXPECT(&x, 30, 40, 10, 25, 25, 10, 17.5f, 40, 20, 1);
    uint8_t square[2 * 2] = {0, 255, 51, 102}; /* 0, 1, 0.2, 0.4 */
    x.textures[0] = make(EMU_TEXTURE_2D, EMU_FORMAT_R8_UNORM, (uint32_t[]){2, 2, 1, 1}, square);
    must("constexpr sampler smooth(filter::linear); static float4 taken(texture2d<half> t, float2 at) { return float4(t.sample(smooth, at)); }\n"
         "kernel void k(texture2d<half> a, device float *o) { o[0] = taken(a, float2(0.5f)).x; o[1] = taken(a, float2(0.25f, 0.5f)).x;\n"
         "  constexpr sampler border(address::clamp_to_border, border_color::opaque_white, min_filter::linear); o[2] = float(a.sample(border, float2(-1, 0.5f)).x);\n"
         "  half4 g = a.gather(smooth, float2(0.5f)); o[3] = round(float(g.x) * 1000); o[4] = float(g.y); o[5] = float(g.z); o[6] = float(g.w);\n"
         "  o[7] = float(a.sample(smooth, float2(0.25f), int2(1, 0)).x); o[8] = float(a.sample(smooth, float2(0.75f), level(0), int2(-1)).x); }",
         &x, 1);
    /* (0 + 1 + 0.2 + 0.4) / 4, in half 0.4 is 0x3666 = 0.39990234375; gather goes from the lower left counter-clockwise */
    EXPECT(&x, 0.39990234375f, 0.0999755859375f, 1, 200, 0.39990234375f, 1, 0, 1, 0);
}

/* Levels: asked for, chosen by gradients, mixed, held by lod_clamp. Level k of an 4 x 4 texture holds k + 1. */
static void test_levels(void **state)
{
    (void)state;
    float data[16 + 4 + 1];
    for (int i = 0; i < 21; ++i) data[i] = i < 16 ? 1 : i < 20 ? 2 : 3;
    emu_texture t = {.type = EMU_TEXTURE_2D, .format = EMU_FORMAT_R32_FLOAT, .width = 4, .height = 4, .depth = 1, .layers = 1, .levels = 3, .data = data};
    t.size = emu_texture_lay_out(&t);
    assert_int_equal(t.size, sizeof data);
    textured x = {.textures = {t}};
    x.samplers[0] = (emu_sampler){.mip = 2, .lod_min = 0.5f, .lod_max = 1};
    must("kernel void k(texture2d<float> a, sampler limited [[sampler(0)]], device float *o) {\n"
         "  constexpr sampler none, near(mip_filter::nearest), mixed(mip_filter::linear), held(mip_filter::linear, lod_clamp(0.5f, 1.5f)); float2 c = 0.5f;\n"
         "  o[0] = a.sample(none, c, level(2)).x; o[1] = a.sample(near, c, level(0.4f)).x; o[2] = a.sample(near, c, level(0.6f)).x;\n"
         "  o[3] = a.sample(mixed, c, level(1.25f)).x; o[4] = a.sample(mixed, c, level(9)).x; o[5] = a.sample(held, c).x; o[6] = a.sample(held, c, level(2)).x;\n"
         "  o[7] = a.sample(near, c, gradient2d(float2(0.5f, 0), float2(0, 0.25f))).x; o[8] = a.read(uint2(1), 1).x; o[9] = a.get_width(1);\n"
         "  o[10] = a.sample(limited, c).x; o[11] = a.sample(limited, c, level(2)).x; }",
         &x, 1);
    EXPECT(&x, 1, 1, 2, 2.25f, 3, 1.5f, 2.5f, 2, 2, 2, 1.5f, 2);
}

/* Depth, compared: 1 where the reference passes, the four results weighed where the filter is linear. */
static void test_depth(void **state)
{
    (void)state;
    float depth[4] = {0.25f, 0.5f, 0.75f, 1};
    textured x = {.textures = {make(EMU_TEXTURE_2D, EMU_FORMAT_DEPTH32_FLOAT, (uint32_t[]){2, 2, 1, 1}, depth)}};
    must("kernel void k(depth2d<float> a, device float *o) { constexpr sampler less(compare_func::less), soft(compare_func::less_equal, filter::linear), plain;\n"
         "  o[0] = a.sample_compare(less, float2(0.25f), 0.2f); o[1] = a.sample_compare(less, float2(0.25f), 0.25f);\n"
         "  o[2] = a.sample_compare(soft, float2(0.5f), 0.5f); o[3] = a.sample(plain, float2(0.75f, 0.25f)); o[4] = a.read(uint2(0, 1));\n"
         "  float4 g = a.gather_compare(less, float2(0.5f), 0.6f); o[5] = g.x; o[6] = g.y; o[7] = g.z; o[8] = g.w; }",
         &x, 1);
    EXPECT(&x, 1, 0, 0.75f, 0.5f, 0.75f, 1, 1, 0, 0);
}

/* Arrays of textures, chosen a thread each; textures in structures, and in an argument buffer as slots. */
static void test_arrays(void **state)
{
    (void)state;
    float a[1] = {5}, b[1] = {6};
    textured x = {.textures = {make(EMU_TEXTURE_2D, EMU_FORMAT_R32_FLOAT, (uint32_t[]){1, 1, 1, 1}, a),
                               make(EMU_TEXTURE_2D, EMU_FORMAT_R32_FLOAT, (uint32_t[]){1, 1, 1, 1}, b)}};
    must("struct Pair { texture2d<float> t; float scale; };\n"
         "kernel void k(array<texture2d<float>, 2> a [[texture(0)]], device float *o, uint t [[thread_position_in_grid]]) {\n"
         "  Pair p = {a[1 - t % 2], 10}; o[t] = a[t % 2].read(uint2(0)).x + p.t.read(uint2(0)).x * p.scale; }",
         &x, 4);
    EXPECT(&x, 65, 56, 65, 56);
    emu_library *l = emu_text("struct Arguments { texture2d<float> t [[id(0)]]; sampler s [[id(1)]]; };\n"
                              "kernel void k(constant Arguments &x [[buffer(0)]], device float *o [[buffer(1)]]) { *o = x.t.sample(x.s, float2(0)).x; }");
    uint64_t arguments[2] = {1, 0};
    const emu_binding buffers[2] = {{arguments, sizeof arguments}, {x.out, sizeof x.out}};
    const emu_launch launch = {.kernel = emu_library_find(l, STR("k")), .buffers = buffers, .buffer_count = 2, .textures = x.textures,
                               .texture_count = 2, .samplers = x.samplers, .sampler_count = 1, .groups = {1, 1, 1}, .threads = {1, 1, 1}};
    ingot_error error;
    assert_int_equal(emu_run(&launch, &error), INGOT_OK);
    EXPECT(&x, 6);
    emu_library_free(l);
}

static void refuse(const char *body, textured *x, ingot_status status, const char *part)
{
    ingot_error error;
    assert_int_equal(run(body, x, 1, &error), status);
    if (strstr(error.message, part) == NULL) fail_msg("'%s' is not in: %s", part, error.message);
}

/* What does not fit the parameter is refused before the run, what a run meets stops it; and what a text may not do. */
static void test_faults(void **state)
{
    (void)state;
    float a[4] = {1, 2, 3, 4};
    textured x = {.textures = {make(EMU_TEXTURE_2D, EMU_FORMAT_R32_FLOAT, (uint32_t[]){2, 2, 1, 1}, a)}};
    refuse("kernel void k(texture1d<float> t, device float *o) { *o = t.read(0u).x; }", &x, INGOT_VALUE, "[[texture(0)]] is a texture1d<float");
    refuse("kernel void k(texture2d<int> t, device float *o) { *o = t.read(uint2(0)).x; }", &x, INGOT_VALUE, "a texture of format r32float is bound");
    refuse("kernel void k(texture2d<float> t [[texture(1)]], device float *o) { *o = t.read(uint2(0)).x; }", &x, INGOT_DEVICE,
           "read of [[texture(1)]], where nothing is bound");
    x.textures[0].size = 12;
    refuse("kernel void k(texture2d<float> t, device float *o) { *o = t.read(uint2(1, 1)).x; }", &x, INGOT_DEVICE, "past the end of its memory");
    emu_refused("kernel void k(texture2d<float> t, device float *o) { t.write(float4(0), uint2(0)); }",
                "only a texture with access::write or access::read_write can be written");
    emu_refused("kernel void k(texture2d<float, access::read> t, device float *o) { constexpr sampler s; *o = t.sample(s, float2(0)).x; }",
                "only a texture with access::sample can be sampled");
    uint16_t small[4] = {0};
    x.textures[0] = make(EMU_TEXTURE_2D, EMU_FORMAT_R16_UINT, (uint32_t[]){2, 2, 1, 1}, small);
    refuse("kernel void k(texture2d<uint, access::read_write> t, device float *o) { t.atomic_fetch_add(uint2(0), 1u); }", &x, INGOT_DEVICE,
           "whose format is not one 32-bit integer: it has no atomic operations");
    emu_refused("kernel void k(texture2d<float, access::read_write> t) { t.atomic_fetch_add(uint2(0), 1.0f); }",
                "atomic operations are for textures of int and uint here");
    emu_refused("kernel void k(texture2d<float> a [[texture(1)]], array<texture2d<float>, 2> b [[texture(0)]]) {}", "slot 0 is given to 'a' already");
    emu_refused("kernel void k(device float *o [[texture(0)]]) {}", "a [[texture(n)]] parameter is a texture, not");
    emu_refused("kernel void k(texture2d<float> a [[texture(128)]]) {}", "slot 128 is out of range: there are 128, from 0");
}

/* Eight threads at one pixel, and each operation by itself; 0xfffffffe is -2 to a texture of int and the most to one of uint. */
static void test_atomics(void **state)
{
    (void)state;
    uint32_t words[4] = {1, 12, 0, 0xfffffffeu};
    textured x = {.textures = {make(EMU_TEXTURE_2D, EMU_FORMAT_R32_UINT, (uint32_t[]){2, 2, 1, 1}, words)}};
    must("kernel void k(texture2d<uint, access::read_write> a, device float *o, uint t [[thread_position_in_grid]]) {\n"
         "  a.atomic_fetch_add(uint2(0, 0), 3u); if (t != 0) return; o[0] = a.atomic_fetch_and(uint2(1, 0), 10u).x; o[1] = a.atomic_fetch_or(uint2(1, 0), 1u).x;\n"
         "  o[2] = a.atomic_fetch_xor(uint2(1, 0), 15u).x; o[3] = a.atomic_fetch_max(uint2(1, 0), 20u).x; o[4] = a.atomic_fetch_min(uint2(1, 1), 5u).x == 0xfffffffeu;\n"
         "  uint4 seen = 7u; o[5] = a.atomic_compare_exchange_weak(uint2(0, 1), &seen, uint4(9u)); o[6] = seen.x; o[7] = a.atomic_compare_exchange_weak(uint2(0, 1), &seen, uint4(9u));\n"
         "  o[8] = a.atomic_exchange(uint2(0, 1), 2u).x; a.atomic_store(uint4(11u), uint2(0, 1)); o[9] = a.atomic_load(uint2(0, 1)).x; o[10] = a.atomic_fetch_add(uint2(5, 0), 1u).x; }",
         &x, 8);
    EXPECT(&x, 12, 8, 9, 6, 1, 0, 0, 1, 9, 11, 0);
    assert_true(words[0] == 25 && words[1] == 20 && words[2] == 11 && words[3] == 5);
    x.textures[0] = make(EMU_TEXTURE_1D_ARRAY, EMU_FORMAT_R32_SINT, (uint32_t[]){1, 1, 1, 4}, words);
    words[3] = 0xfffffffeu;
    must("kernel void k(texture1d_array<int, access::read_write> a, device float *o) { o[0] = a.atomic_fetch_min(0u, 3u, 5).x; o[1] = a.atomic_fetch_sub(0u, 0u, 30).x; }", &x, 1);
    EXPECT(&x, -2, 25);
    assert_true(words[3] == 0xfffffffeu && words[0] == 0xfffffffbu);
}

/* Face f of the cube holds f + 1, in its second layer f + 11. Between +x and -z half of each; level 1 is ten times as much. */
static void test_cubes(void **state)
{
    (void)state;
    float data[2 * 6 * 4 + 2 * 6];
    for (int k = 0; k < 48; ++k) data[k] = (float)(k / 4 % 6 + 1 + k / 24 * 10);
    for (int k = 0; k < 12; ++k) data[48 + k] = 10 * data[4 * k];
    emu_texture cube = {.type = EMU_TEXTURE_CUBE_ARRAY, .format = EMU_FORMAT_R32_FLOAT, .width = 2, .height = 2, .depth = 1, .layers = 2, .levels = 2, .data = data};
    cube.size = emu_texture_lay_out(&cube);
    assert_int_equal(cube.size, sizeof data);
    textured x = {.textures = {cube}};
    must("kernel void k(texturecube_array<float> a, device float *o, uint t [[thread_position_in_grid]]) {\n"
         "  constexpr sampler near, smooth(filter::linear, mip_filter::nearest); const float3 axes[6] = {{1, 0, 0}, {-2, 1, 0}, {0, 3, 1}, {0, -1, 0}, {0.5f, 0, 1}, {0, 0, -1}};\n"
         "  o[t] = a.sample(near, axes[t], t % 2).x; o[6] = a.sample(smooth, float3(1, 0, -1), 0).x; o[7] = a.sample(smooth, float3(0, 9, 0), 1, level(1)).x;\n"
         "  o[8] = a.read(uint2(1, 0), 3, 1).x; o[9] = a.get_width(1) * 10 + a.get_array_size(); }",
         &x, 6);
    EXPECT(&x, 1, 12, 3, 14, 5, 16, 3.5f, 130, 14, 12);
    float one[6] = {0};
    float pixels[6] = {1, 2, 3, 4, 5, 6};
    x.textures[0] = make(EMU_TEXTURE_CUBE, EMU_FORMAT_R32_FLOAT, (uint32_t[]){1, 1, 1, 1}, one);
    x.textures[1] = make(EMU_TEXTURE_2D_MULTISAMPLE, EMU_FORMAT_R32_FLOAT, (uint32_t[]){1, 2, 3, 1}, pixels);
    must("kernel void k(texturecube<float, access::read_write> a [[texture(0)]], texture2d_ms<float> m [[texture(1)]], device float *o, uint t [[thread_position_in_grid]]) {\n"
         "  a.write(float4(t * t), uint2(0), t); o[t] = m.read(uint2(0, t % 2), t / 2).x; o[6] = m.get_num_samples(); }",
         &x, 6);
    EXPECT(&x, 1, 2, 3, 4, 5, 6, 3);
    for (int f = 0; f < 6; ++f) assert_true(one[f] == (float)(f * f));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reading),
        cmocka_unit_test(test_writing),
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_sampling),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_arrays),
        cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_cubes),
        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
