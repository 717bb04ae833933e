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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reading),
        cmocka_unit_test(test_writing),
        cmocka_unit_test(test_layout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
