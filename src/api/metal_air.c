/* Metal libraries and functions of a metallib: its kernels compiled for this processor by the AIR component. */
#include "api/metal.h"
#include "base/error.h"
#include "base/num.h"
#include "emu/engine.h"
#include "emu/library.h"
#include "rt/component.h"

/* ---- The library ---------------------------------------------------------------------------------- */

static ingot_status list_kernels(ingot_metal_library *l, ingot_error *error)
{
    const metallib *m = l->metallib;
    l->kernels = pool_array(&l->parts, const char *, m->function_count + 1);
    if (l->kernels == NULL) return error_no_memory(error);
    for (size_t i = 0; i < m->function_count; ++i) {
        if (m->functions[i].type != METALLIB_KERNEL) continue;
        l->kernels[l->kernel_count] = pool_str(&l->parts, m->functions[i].name).p;
        if (l->kernels[l->kernel_count++] == NULL) return error_no_memory(error);
    }
    return INGOT_OK;
}

static bool knows_constant(const ingot_metal_library *l, uint32_t index)
{
    for (size_t i = 0; i < l->constant_count; ++i)
        if (l->constants[i].index == index) return true;
    return false;
}

/* Those of all functions, each once. */
static ingot_status list_constants(ingot_metal_library *l, ingot_error *error)
{
    const metallib *m = l->metallib;
    size_t most = 0;
    for (size_t i = 0; i < m->function_count; ++i) most += m->functions[i].constant_count;
    l->constants = pool_array(&l->parts, ingot_metal_constant_info, most + 1);
    if (l->constants == NULL) return error_no_memory(error);
    for (size_t i = 0; i < m->function_count; ++i) {
        for (size_t k = 0; k < m->functions[i].constant_count; ++k) {
            const metallib_constant *c = &m->functions[i].constants[k];
            if (knows_constant(l, c->index)) continue;
            const char *name = pool_str(&l->parts, c->name).p;
            if (name == NULL) return error_no_memory(error);
            l->constants[l->constant_count++] =
                (ingot_metal_constant_info){.name = name, .index = c->index, .type = metallib_data_type_text(c->type)};
        }
    }
    return INGOT_OK;
}

static ingot_status fill_library(ingot_metal_library *l, const void *bytes, size_t size, ingot_error *error)
{
    ingot_error inner = {.status = INGOT_OK};
    l->air = rt_component(&inner);
    if (l->air == NULL) return error_set(error, inner.status, "running AIR: %s", inner.message);
    l->bytes = pool_str(&l->parts, (str){bytes, size});
    if (l->bytes.p == NULL) return error_no_memory(error);
    ingot_status status = metallib_read(&l->parts, l->bytes, &l->metallib, error);
    if (status == INGOT_OK) status = list_kernels(l, error);
    return status == INGOT_OK ? list_constants(l, error) : status;
}

ingot_status ingot_metal_library_create_with_data(ingot_metal_device *device, const void *bytes, size_t size,
                                                  ingot_metal_library **out, ingot_error *error)
{
    if (out == NULL) return metal_no_argument(error, "out");
    *out = NULL;
    if (device == NULL) return metal_no_argument(error, "device");
    if (bytes == NULL) return metal_no_argument(error, "bytes");
    ingot_metal_library *l = metal_library_new(device);
    if (l == NULL) return error_no_memory(error);
    const ingot_status status = fill_library(l, bytes, size, error);
    if (status != INGOT_OK) {
        ingot_metal_library_release(l);
        return status;
    }
    *out = l;
    return error_none(error);
}

/* ---- Functions ------------------------------------------------------------------------------------ */

static air_source source_of(const ingot_metal_function *f, const char *name)
{
    return (air_source){.bytes = f->library->bytes, .kernel = name, .constants = f->given, .constant_count = f->given_count};
}

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

static ingot_status describe(ingot_metal_function *f, ingot_error *error)
{
    const air_component *air = f->library->air;
    const rt_kernel_info *info = air->info(f->described);
    air_argument a;
    size_t n = 0;
    while (air->argument(f->described, n, &a)) ++n;
    f->air_info = (emu_kernel_info){.name = info->name, .arg_count = n, .max_threads = info->max_threads};
    f->info = &f->air_info;
    f->args = mem_zeroed(f->library->device->mem, n + 1, sizeof *f->args);
    if (f->args == NULL) return error_no_memory(error);
    f->air_info.args = f->args;
    for (size_t i = 0; i < n; ++i) {
        (void)air->argument(f->described, i, &a);
        f->args[i] = (emu_arg){.name = a.name,
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
        if (f->args[i].kind == EMU_ARG_TEXTURE) describe_texture(&f->args[i]);
        if (f->args[i].kind == EMU_ARG_DEVICE || f->args[i].kind == EMU_ARG_CONSTANT) {
            if (a.slot >= EMU_MAX_BUFFERS)
                return error_set(error, INGOT_FORMAT, "kernel '%s': there is no [[buffer(%u)]]", info->name, (unsigned)a.slot);
        }
    }
    return INGOT_OK;
}

/* The bits of a value as its type has them. */
static uint64_t bits_of(const ingot_metal_library *l, const mf_given *g)
{
    if (!g->is_float) return g->value.i;
    const char *type = "";
    for (size_t i = 0; i < l->constant_count; ++i)
        if (l->constants[i].index == g->index) type = l->constants[i].type;
    if (type[0] == 'h') return num_encode(&num_half, g->value.f);
    if (type[0] == 'b') return num_encode(&num_bfloat, g->value.f);
    const float v = (float)g->value.f;
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

ingot_status metal_air_function(ingot_metal_function *f, const char *name, const mf_given *given, size_t count, ingot_error *error)
{
    const ingot_metal_library *l = f->library;
    f->given = mem_zeroed(l->device->mem, count + 1, sizeof *f->given);
    if (f->given == NULL) return error_no_memory(error);
    f->given_count = count;
    for (size_t i = 0; i < count; ++i) f->given[i] = (air_constant){given[i].index, bits_of(l, &given[i])};
    air_source source = source_of(f, name);
    source.describe_only = true;
    const ingot_status status = l->air->load(l->device->mem, &source, &f->described, error);
    return status == INGOT_OK ? describe(f, error) : status;
}

void metal_air_function_clear(ingot_metal_function *f)
{
    const ingot_allocator *mem = f->library->device->mem;
    mem_free(mem, f->args, (f->air_info.arg_count + 1) * sizeof *f->args);
    mem_free(mem, f->given, (f->given_count + 1) * sizeof *f->given);
    if (f->described != NULL) f->library->air->free(f->described);
}

ingot_status metal_air_pipeline(ingot_metal_pipeline *p, ingot_error *error)
{
    const ingot_metal_function *f = p->function;
    const air_source source = source_of(f, f->info->name);
    ingot_error inner;
    const ingot_status status = f->library->air->load(f->library->device->mem, &source, &p->native, &inner);
    if (status == INGOT_OK || status == INGOT_OUT_OF_MEMORY) return error_pass(error, status, &inner);
    return error_set(error, status, "kernel '%.100s': %s", f->info->name, inner.message);
}

/* ---- Running -------------------------------------------------------------------------------------- */

ingot_status metal_air_run(const emu_launch *l, const ingot_metal_pipeline *p, ingot_error *error)
{
    if (l->checks != 0 || l->findings != NULL || l->profile != NULL)
        return error_set(error, INGOT_UNSUPPORTED, "a kernel of a metallib is run with its bounds checked; other checks and profiles are of MSL text");
    const ingot_status status = emu_check_textures(p->function->info, l, error);
    return status == INGOT_OK ? emu_native_run(p->function->library->air, p->native, l, error) : status;
}
