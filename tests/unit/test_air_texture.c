/* AIR's texture functions in the forms that other compilers' files have and Ingot's own do not: of older and newer AIR, with places of
 * 16 bits, gradients, constant samplers of one and of two words. Needs llvm-as, named by INGOT_LLVM_AS. */
#define _GNU_SOURCE /* mkdtemp */
#include "air_module.h"

#include "emu/emu.h"
#include "emu/engine.h"

static const char head[] =
    AIR_MODULE_HEAD
    "%struct._texture_2d_t = type opaque\n%struct._texture_1d_t = type opaque\n%struct._sampler_t = type opaque\n"
    "@near = internal addrspace(2) constant i64 -9188470239254183863, align 8\n" /* pixels, nearest */
    "@smooth = internal addrspace(2) constant [2 x i64] [i64 34901797601020489, i64 0], align 8\n"; /* linear, clamped to the edge */

static const char tail[] =
    "!air.kernel = !{!0}\n!0 = !{void (float addrspace(1)*, %struct._texture_2d_t addrspace(1)*, %struct._texture_2d_t addrspace(1)*,"
    " %struct._sampler_t addrspace(2)*)* @k, !1, !2}\n"
    "!1 = !{}\n!2 = !{!3, !4, !5, !6}\n"
    "!3 = !{i32 0, !\"air.buffer\", !\"air.location_index\", i32 0, i32 1, !\"air.read_write\", !\"air.address_space\", i32 1, "
    "!\"air.arg_type_size\", i32 4, !\"air.arg_type_align_size\", i32 4, !\"air.arg_type_name\", !\"float\", !\"air.arg_name\", !\"o\"}\n"
    "!4 = !{i32 1, !\"air.texture\", !\"air.location_index\", i32 0, i32 1, !\"air.sample\", !\"air.arg_type_name\", !\"texture2d<float, sample>\", "
    "!\"air.arg_name\", !\"t\"}\n"
    "!5 = !{i32 2, !\"air.texture\", !\"air.location_index\", i32 1, i32 1, !\"air.write\", !\"air.arg_type_name\", !\"texture2d<float, write>\", "
    "!\"air.arg_name\", !\"w\"}\n"
    "!6 = !{i32 3, !\"air.sampler\", !\"air.location_index\", i32 0, i32 1, !\"air.arg_type_name\", !\"sampler\", !\"air.arg_name\", !\"s\"}\n"
    "!air.sampler_states = !{!7, !8}\n!7 = !{!\"air.sampler_state\", i64 addrspace(2)* @near}\n"
    "!8 = !{!\"air.sampler_state\", [2 x i64] addrspace(2)* @smooth}\n";

/* Runs the body with %o a buffer, %t a texture of 2 x 2 floats 1, 2, 3, 4, %w another of zeros, %s a nearest sampler; the first element
 * of %v, a <4 x float> that the body ends with, is the result. */
static float value_of(const air_component *air, const char *declarations, const char *body, float written[4])
{
    float data[4] = {1, 2, 3, 4}, out[1] = {-1};
    emu_texture textures[2] = {{.type = EMU_TEXTURE_2D, .format = EMU_FORMAT_R32_FLOAT, .width = 2, .height = 2, .depth = 1, .layers = 1, .data = data}};
    textures[0].size = emu_texture_lay_out(&textures[0]);
    textures[1] = textures[0];
    textures[1].data = written;
    const emu_sampler sampler = {.pixel = true};
    const emu_launch bound = {.textures = textures, .texture_count = 2, .samplers = &sampler, .sampler_count = 1};
    buf text = buf_make(&mem_default);
    buf_printf(&text,
               "%s%s\ndefine void @k(float addrspace(1)* %%o, %%struct._texture_2d_t addrspace(1)* %%t, %%struct._texture_2d_t addrspace(1)* %%w, "
               "%%struct._sampler_t addrspace(2)* %%s) {\n%s\n  %%first = extractelement <4 x float> %%v, i64 0\n"
               "  store float %%first, float addrspace(1)* %%o\n  ret void\n}\n%s",
               head, declarations, body, tail);
    ingot_error error;
    air_kernel *k = NULL;
    if (air_load_text(air, &text, &k, &error) != INGOT_OK) fail_msg("%s\n%s", error.message, body);
    const air_binding buffer = {out, sizeof out};
    const air_launch launch = {.kernel = k, .texels = emu_texels(), .bound = &bound, .buffers = &buffer, .buffer_count = 1, .groups = {1, 1, 1}, .threads = {1, 1, 1}};
    if (air->run(&launch, &error) != INGOT_OK) fail_msg("%s\n%s", error.message, body);
    air->free(k);
    return out[0];
}

#define TEXTURE "%struct._texture_2d_t addrspace(1)*"
#define SAMPLER "%struct._sampler_t addrspace(2)*"
#define PAIR "{ <4 x float>, i8 }"

static void expect(void **state, const char *declarations, const char *body, float want)
{
    const air_component *air = *state;
    float written[4] = {0};
    const float got = value_of(air, declarations, body, written);
    if (got != want) fail_msg("%g, not %g:\n%s", (double)got, (double)want, body);
}

static void reads(void **state)
{
    if (*state == NULL) skip();
    expect(state, "declare <4 x float> @air.read_texture_2d.v4f32(" TEXTURE ", <2 x i32>, i32, i32)",
           "  %v = call <4 x float> @air.read_texture_2d.v4f32(" TEXTURE " %t, <2 x i32> <i32 1, i32 1>, i32 0, i32 0)", 4);
    expect(state, "declare " PAIR " @air.read_texture_2d.v4f32(" TEXTURE ", <2 x i32>, i32, i32)",
           "  %p = call " PAIR " @air.read_texture_2d.v4f32(" TEXTURE " %t, <2 x i32> <i32 0, i32 1>, i32 0, i32 0)\n"
           "  %v = extractvalue " PAIR " %p, 0", 3);
    /* with a sampler of its own and an offset */
    expect(state, "declare " SAMPLER " @air.get_read_sampler()\ndeclare " PAIR " @air.read_texture_2d.v4f32(" TEXTURE ", " SAMPLER ", <2 x i32>, <2 x i32>, i32, i32)",
           "  %r = call " SAMPLER " @air.get_read_sampler()\n"
           "  %p = call " PAIR " @air.read_texture_2d.v4f32(" TEXTURE " %t, " SAMPLER " %r, <2 x i32> zeroinitializer, <2 x i32> <i32 1, i32 0>, i32 0, i32 0)\n"
           "  %v = extractvalue " PAIR " %p, 0", 2);
    /* outside: 0 */
    expect(state, "declare <4 x float> @air.read_texture_2d.v4f32(" TEXTURE ", <2 x i32>, i32, i32)",
           "  %v = call <4 x float> @air.read_texture_2d.v4f32(" TEXTURE " %t, <2 x i32> <i32 2, i32 0>, i32 0, i32 0)", 0);
}

#define SAMPLE "declare " PAIR " @air.sample_texture_2d.v4f32(" TEXTURE ", " SAMPLER ", <2 x float>, i1, <2 x i32>, i1, float, float, i32)"
#define SAMPLE_WITH(sampler, place)                                                                                    \
    "  %p = call " PAIR " @air.sample_texture_2d.v4f32(" TEXTURE " %t, " SAMPLER " " sampler ", <2 x float> " place            \
    ", i1 true, <2 x i32> zeroinitializer, i1 false, float 0.0, float 0.0, i32 0)\n  %v = extractvalue " PAIR " %p, 0"

static void samples(void **state)
{
    if (*state == NULL) skip();
    expect(state, SAMPLE, SAMPLE_WITH("%s", "<float 1.5, float 0.5>"), 2);
    expect(state, SAMPLE, SAMPLE_WITH("bitcast (i64 addrspace(2)* @near to " SAMPLER ")", "<float 0.5, float 1.5>"), 3);
    /* linear: at the middle the mean of all, at a quarter the pixel itself */
    expect(state, SAMPLE, SAMPLE_WITH("bitcast ([2 x i64] addrspace(2)* @smooth to " SAMPLER ")", "<float 0.5, float 0.5>"), 2.5f);
    expect(state, SAMPLE, SAMPLE_WITH("bitcast ([2 x i64] addrspace(2)* @smooth to " SAMPLER ")", "<float 0.25, float 0.75>"), 3);
    /* the oldest form: no pair, one number for the level */
    expect(state, "declare <4 x float> @air.sample_texture_2d.v4f32(" TEXTURE ", " SAMPLER ", <2 x float>, i1, <2 x i32>, i1, float)",
           "  %v = call <4 x float> @air.sample_texture_2d.v4f32(" TEXTURE " %t, " SAMPLER " %s, <2 x float> <float 0.5, float 0.5>, i1 true, <2 x i32> "
           "<i32 1, i32 1>, i1 false, float 0.0)", 4);
    expect(state, "declare " PAIR " @air.sample_texture_2d_grad.v4f32(" TEXTURE ", " SAMPLER ", <2 x float>, <2 x float>, <2 x float>, float, i1, <2 x i32>, i32)",
           "  %p = call " PAIR " @air.sample_texture_2d_grad.v4f32(" TEXTURE " %t, " SAMPLER " %s, <2 x float> <float 1.5, float 1.5>, <2 x float> "
           "<float 0.5, float 0.0>, <2 x float> <float 0.0, float 0.5>, float 0.0, i1 true, <2 x i32> zeroinitializer, i32 0)\n  %v = extractvalue " PAIR " %p, 0", 4);
    /* counterclockwise from the lower left: (0, 1), (1, 1), (1, 0), (0, 0); their first components are 3, 4, 2, 1 */
    expect(state, "declare " PAIR " @air.gather_texture_2d.v4f32(" TEXTURE ", " SAMPLER ", <2 x float>, i1, <2 x i32>, i32, i32)",
           "  %p = call " PAIR " @air.gather_texture_2d.v4f32(" TEXTURE " %t, " SAMPLER " %s, <2 x float> <float 1.0, float 1.0>, i1 true, <2 x i32> "
           "zeroinitializer, i32 0, i32 0)\n  %v = extractvalue " PAIR " %p, 0", 3);
}

static void writes_and_sizes(void **state)
{
    const air_component *air = *state;
    float written[4] = {0};
    if (air == NULL) skip();
    const float got = value_of(air, "declare void @air.write_texture_2d.i16.v4f32(" TEXTURE ", <2 x i16>, <4 x float>, i16, i32)\n"
                                    "declare i32 @air.get_height_texture_2d(" TEXTURE ", i32)\ndeclare float @air.convert.f.f32.u.i32(i32)",
                               "  call void @air.write_texture_2d.i16.v4f32(" TEXTURE " %w, <2 x i16> <i16 1, i16 0>, <4 x float> <float 7.0, float 8.0, float 9.0, "
                               "float 1.0>, i16 0, i32 2)\n  %h = call i32 @air.get_height_texture_2d(" TEXTURE " %t, i32 0)\n"
                               "  %f = call float @air.convert.f.f32.u.i32(i32 %h)\n  %v = insertelement <4 x float> undef, float %f, i64 0", written);
    assert_true(got == 2);
    assert_true(written[0] == 0 && written[1] == 7 && written[2] == 0 && written[3] == 0);
}

static void unknown_forms_are_refused(void **state)
{
    const air_component *air = *state;
    ingot_error error;
    air_kernel *k = NULL;
    if (air == NULL) skip();
    buf text = buf_make(&mem_default); /* no place at all */
    buf_text(&text, head);
    buf_text(&text, "declare void @air.write_texture_2d.v4f32(" TEXTURE ", i32)\ndefine void @k(float addrspace(1)* %o, " TEXTURE " %t, " TEXTURE
                    " %w, " SAMPLER " %s) {\n  call void @air.write_texture_2d.v4f32(" TEXTURE " %w, i32 1)\n  ret void\n}\n");
    buf_text(&text, tail);
    assert_int_equal(air_load_text(air, &text, &k, &error), INGOT_UNSUPPORTED);
    assert_non_null(strstr(error.message, "'air.write_texture_2d.v4f32' is not supported"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reads), cmocka_unit_test(samples), cmocka_unit_test(writes_and_sizes),
                                       cmocka_unit_test(unknown_forms_are_refused)};
    return cmocka_run_group_tests(tests, air_find_component, NULL);
}
