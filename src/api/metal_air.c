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

static ingot_status describe(ingot_metal_function *f, ingot_error *error)
{
    f->info = &f->air_info;
    return emu_air_info(f->library->air, f->described, f->library->device->mem, &f->args, &f->air_info, error);
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
    if (l->profile != NULL) return error_set(error, INGOT_UNSUPPORTED, "a kernel of a metallib has no profile: its lines are not known");
    const ingot_status status = emu_check_textures(p->function->info, l, error);
    const ingot_metal_function *f = p->function;
    if (status != INGOT_OK) return status;
    if (l->checks != 0) return emu_audit_run(f->library->air, p->native, f->info, l, error);
    return emu_native_run(f->library->air, p->native, l, error);
}
