/* What a kernel of a metallib takes, as a kernel of a text is described. */
#include <string.h>

#include "base/error.h"
#include "emu/engine.h"

/* "float", "uint4": a scalar or vector of MSL's by its name. */
static DLDataType dtype_named(const char *type)
{
    static const struct {
        const char *name;
        DLDataType dtype;
    } scalars[] = {{"bool", {kDLBool, 8, 1}},  {"char", {kDLInt, 8, 1}},    {"uchar", {kDLUInt, 8, 1}}, {"short", {kDLInt, 16, 1}},
                   {"ushort", {kDLUInt, 16, 1}}, {"int", {kDLInt, 32, 1}},  {"uint", {kDLUInt, 32, 1}}, {"long", {kDLInt, 64, 1}},
                   {"ulong", {kDLUInt, 64, 1}}, {"half", {kDLFloat, 16, 1}}, {"bfloat", {kDLBfloat, 16, 1}}, {"float", {kDLFloat, 32, 1}}};
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; ++i) {
        const size_t n = strlen(scalars[i].name);
        if (strncmp(type, scalars[i].name, n) != 0) continue;
        DLDataType d = scalars[i].dtype;
        if (type[n] >= '2' && type[n] <= '4' && type[n + 1] == '\0') d.lanes = (uint16_t)(type[n] - '0');
        else if (type[n] != '\0') continue;
        return d;
    }
    return (DLDataType){0, 0, 0};
}

/* What a texture's type says: "texture2d_array<uint, read>", "depthcube<float, sample>", or an array of such. */
static void describe_texture(emu_arg *a)
{
    static const struct {
        const char *name;
        emu_texture_type type;
    } types[] = {{"texture_buffer<", EMU_TEXTURE_BUFFER}, {"texture1d_array<", EMU_TEXTURE_1D_ARRAY}, {"texture1d<", EMU_TEXTURE_1D},
                 {"2d_ms_array<", EMU_TEXTURE_2D_MULTISAMPLE_ARRAY}, {"2d_ms<", EMU_TEXTURE_2D_MULTISAMPLE}, {"2d_array<", EMU_TEXTURE_2D_ARRAY},
                 {"2d<", EMU_TEXTURE_2D}, {"texture3d<", EMU_TEXTURE_3D}, {"cube_array<", EMU_TEXTURE_CUBE_ARRAY}, {"cube<", EMU_TEXTURE_CUBE}};
    for (size_t i = 0; i < sizeof types / sizeof *types; ++i) {
        const char *at = strstr(a->type, types[i].name);
        if (at == NULL) continue;
        const char *scalar = at + strlen(types[i].name);
        a->texture_type = types[i].type;
        a->texture_class = scalar[0] == 'u' ? EMU_PIXEL_UINT : scalar[0] == 'i' || strncmp(scalar, "short", 5) == 0 ? EMU_PIXEL_SINT : EMU_PIXEL_FLOAT;
    }
}

static emu_arg_kind kind_of(const air_argument *a)
{
    switch (a->kind) {
    case AIR_ARGUMENT_THREADGROUP: return EMU_ARG_THREADGROUP;
    case AIR_ARGUMENT_TEXTURE: return EMU_ARG_TEXTURE;
    case AIR_ARGUMENT_SAMPLER: return EMU_ARG_SAMPLER;
    case AIR_ARGUMENT_BUFFER: break;
    }
    return a->constant ? EMU_ARG_CONSTANT : EMU_ARG_DEVICE;
}

ingot_status emu_air_info(const air_component *air, const air_kernel *kernel, const ingot_allocator *mem, emu_arg **args, emu_kernel_info *info,
                          ingot_error *error)
{
    const rt_kernel_info *known = air->info(kernel);
    air_argument a;
    size_t n = 0;
    while (air->argument(kernel, n, &a)) ++n;
    emu_arg *all = *args = mem_zeroed(mem, n + 1, sizeof *all);
    *info = (emu_kernel_info){.name = known->name, .arg_count = n, .args = all, .max_threads = known->max_threads};
    if (all == NULL) return error_no_memory(error);
    for (size_t i = 0; i < n; ++i) {
        (void)air->argument(kernel, i, &a);
        all[i] = (emu_arg){.name = a.name,
                           .kind = kind_of(&a),
                           .slot = a.slot,
                           .count = a.count,
                           .is_reference = a.reference,
                           .is_const = !a.writes,
                           .is_read = a.reads,
                           .is_written = a.writes,
                           .type = a.type,
                           .elem_size = a.size != 0 ? a.size : 1,
                           .elem_align = a.align != 0 && a.align <= 256 ? (uint32_t)a.align : 1,
                           .dtype = dtype_named(a.type)};
        if (all[i].kind == EMU_ARG_TEXTURE) describe_texture(&all[i]);
        const bool buffer = all[i].kind == EMU_ARG_DEVICE || all[i].kind == EMU_ARG_CONSTANT;
        if (buffer && a.slot >= EMU_MAX_BUFFERS)
            return error_set(error, INGOT_FORMAT, "kernel '%s': there is no [[buffer(%u)]]", known->name, (unsigned)a.slot);
    }
    return INGOT_OK;
}
