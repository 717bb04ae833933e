/* Metal functions with their constants, what their arguments are, and pipelines. */
#include <stdio.h>

#include "api/check.h"
#include "api/metal.h"
#include "base/error.h"

/* ---- Constants ------------------------------------------------------------------------------------ */

static bool is_float_type(const char *type)
{
    return strcmp(type, "float") == 0 || strcmp(type, "half") == 0 || strcmp(type, "bfloat") == 0;
}

static const char *what_has(const ingot_metal_library *l)
{
    return l->emu != NULL ? "the text" : "the library";
}

/* The text's constant that is meant; NULL where there is none. */
static const ingot_metal_constant_info *find_constant(const ingot_metal_library *l, const ingot_metal_constant *c)
{
    for (size_t i = 0; i < l->constant_count; ++i) {
        const ingot_metal_constant_info *info = &l->constants[i];
        if (c->name != NULL ? strcmp(info->name, c->name) == 0 : info->index == c->index) return info;
    }
    return NULL;
}

static ingot_status take_constant(const ingot_metal_library *l, const ingot_metal_constant *c, mf_given *out,
                                  ingot_error *error)
{
    const ingot_metal_constant_info *info = find_constant(l, c);
    if (info == NULL && c->name != NULL)
        return error_set(error, INGOT_NOT_FOUND, "%s has no function constant '%.100s'", what_has(l), c->name);
    if (info == NULL)
        return error_set(error, INGOT_NOT_FOUND, "%s has no function constant of index %u", what_has(l), (unsigned)c->index);
    const bool is_float = is_float_type(info->type);
    *out = (mf_given){.index = info->index, .is_float = is_float};
    const ingot_value *v = &c->value;
    if (v->kind == INGOT_VALUE_FLOAT && is_float) out->value.f = v->as.real;
    else if (v->kind == INGOT_VALUE_INT && is_float) out->value.f = (double)v->as.integer;
    else if (v->kind == INGOT_VALUE_INT) out->value.i = (uint64_t)v->as.integer;
    else if (v->kind == INGOT_VALUE_BOOL && strcmp(info->type, "bool") == 0) out->value.i = v->as.boolean != 0;
    else
        return error_set(error, INGOT_TYPE, "function constant '%s' is %s, and its value is %s", info->name, info->type,
                         v->kind == INGOT_VALUE_BOOL    ? "a bool"
                         : v->kind == INGOT_VALUE_FLOAT ? "a float"
                                                        : "no number");
    return INGOT_OK;
}

/* Reads the text again with the constants' values, or has the metallib's function know them. */
static ingot_status specialise(ingot_metal_function *f, const char *name, const ingot_metal_constant *constants, size_t count,
                               ingot_error *error)
{
    const ingot_metal_library *l = f->library;
    const ingot_allocator *mem = l->device->mem;
    mf_given *given = count != 0 ? mem_zeroed(mem, count, sizeof *given) : NULL;
    if (given == NULL && count != 0) return error_no_memory(error);
    ingot_status status = INGOT_OK;
    for (size_t i = 0; status == INGOT_OK && i < count; ++i) status = take_constant(l, &constants[i], &given[i], error);
    if (status == INGOT_OK && l->emu == NULL) {
        status = metal_air_function(f, name, given, count, error);
    } else if (status == INGOT_OK && count != 0) {
        mf_options options = l->options;
        options.constants = given;
        options.constant_count = count;
        emu_source source = l->source;
        source.options = &options;
        status = emu_library_read(mem, &source, &f->own, error);
    }
    mem_free(mem, given, count * sizeof *given);
    return status;
}

/* ---- Functions ------------------------------------------------------------------------------------ */

static ingot_status no_kernel(const ingot_metal_library *l, const char *name, ingot_error *error)
{
    char names[400];
    size_t n = 0;
    const size_t count = ingot_metal_library_function_count(l);
    names[0] = '\0';
    for (size_t i = 0; i < count && n + 110 < sizeof names; ++i)
        n += (size_t)snprintf(names + n, sizeof names - n, "%s'%.100s'", i != 0 ? ", " : "",
                              ingot_metal_library_function_name(l, i));
    if (count == 0) return error_set(error, INGOT_NOT_FOUND, "there is no kernel '%.200s': %s has none", name, what_has(l));
    return error_set(error, INGOT_NOT_FOUND, "there is no kernel '%.200s'; %s has %s", name, what_has(l), names);
}

static bool has_kernel(const ingot_metal_library *l, const char *name)
{
    if (l->emu != NULL) return emu_library_find(l->emu, str_of(name)) != NULL;
    for (size_t i = 0; i < l->kernel_count; ++i)
        if (strcmp(l->kernels[i], name) == 0) return true;
    return false;
}

ingot_status ingot_metal_function_create(ingot_metal_library *library, const char *name,
                                         const ingot_metal_constant *constants, size_t constant_count,
                                         ingot_metal_function **out, ingot_error *error)
{
    if (out == NULL) return metal_no_argument(error, "out");
    *out = NULL;
    if (library == NULL) return metal_no_argument(error, "library");
    if (name == NULL) return metal_no_argument(error, "name");
    if (constants == NULL && constant_count != 0) return metal_no_argument(error, "constants");
    if (!has_kernel(library, name)) return no_kernel(library, name, error);
    const ingot_allocator *mem = library->device->mem;
    ingot_metal_function *f = mem_zeroed(mem, 1, sizeof *f);
    if (f == NULL) return error_no_memory(error);
    f->references = 1;
    f->library = library;
    metal_retain(&library->references);
    ingot_status status = specialise(f, name, constants, constant_count, error);
    if (status == INGOT_OK && library->emu != NULL) {
        f->kernel = emu_library_find(f->own != NULL ? f->own : library->emu, str_of(name));
        if (f->kernel == NULL) status = no_kernel(library, name, error);
        else f->info = emu_kernel_describe(f->kernel);
    }
    if (status != INGOT_OK) {
        ingot_metal_function_release(f);
        return status;
    }
    *out = f;
    return error_none(error);
}

void ingot_metal_function_release(ingot_metal_function *f)
{
    if (f == NULL || !metal_release(&f->references)) return;
    ingot_metal_library *l = f->library;
    emu_library_free(f->own);
    metal_air_function_clear(f);
    mem_free(l->device->mem, f, sizeof *f);
    ingot_metal_library_release(l);
}

const char *ingot_metal_function_name(const ingot_metal_function *f)
{
    return f != NULL ? f->info->name : "";
}

size_t ingot_metal_function_argument_count(const ingot_metal_function *f)
{
    return f != NULL ? f->info->arg_count : 0;
}

static ingot_metal_argument describe(const ingot_metal_function *f, const emu_arg *a)
{
    static const ingot_metal_argument_kind kinds[] = {[EMU_ARG_DEVICE] = INGOT_METAL_ARGUMENT_DEVICE,
                                                      [EMU_ARG_CONSTANT] = INGOT_METAL_ARGUMENT_CONSTANT,
                                                      [EMU_ARG_THREADGROUP] = INGOT_METAL_ARGUMENT_THREADGROUP,
                                                      [EMU_ARG_TEXTURE] = INGOT_METAL_ARGUMENT_TEXTURE,
                                                      [EMU_ARG_SAMPLER] = INGOT_METAL_ARGUMENT_SAMPLER,
                                                      [EMU_ARG_VALUE] = INGOT_METAL_ARGUMENT_VALUE};
    const source_pos at = f->kernel != NULL ? emu_kernel_place(f->kernel, a->at) : (source_pos){.file = STR("")};
    return (ingot_metal_argument){.kind = kinds[a->kind],
                                  .index = a->slot,
                                  .count = a->count,
                                  .name = a->name,
                                  .type = a->type,
                                  .size = (size_t)a->elem_size,
                                  .alignment = a->elem_align,
                                  .dtype = a->dtype,
                                  .is_reference = a->is_reference,
                                  .is_const = a->is_const,
                                  .is_read = a->is_read,
                                  .is_written = a->is_written,
                                  .file = at.file.p,
                                  .line = at.line,
                                  .column = at.column};
}

ingot_status ingot_metal_function_argument(const ingot_metal_function *f, size_t index, ingot_metal_argument *info)
{
    if (f == NULL || info == NULL) return INGOT_INVALID_ARGUMENT;
    const emu_kernel_info *k = f->info;
    if (index >= k->arg_count) return INGOT_NOT_FOUND;
    *info = describe(f, &k->args[index]);
    return INGOT_OK;
}

ingot_status ingot_metal_function_member(const ingot_metal_function *f, size_t index, size_t member, ingot_metal_member *out)
{
    if (f == NULL || out == NULL) return INGOT_INVALID_ARGUMENT;
    const emu_kernel_info *k = f->info;
    if (index >= k->arg_count || member >= k->args[index].member_count) return INGOT_NOT_FOUND;
    const emu_member *m = &k->args[index].members[member];
    *out = (ingot_metal_member){describe(f, &m->arg), (size_t)m->offset};
    return INGOT_OK;
}

ingot_status ingot_metal_function_check(const ingot_metal_function *f, ingot_checker *checker, ingot_error *error)
{
    if (f == NULL) return metal_no_argument(error, "function");
    if (checker == NULL) return metal_no_argument(error, "checker");
    if (f->kernel == NULL) return error_set(error, INGOT_UNSUPPORTED, "a kernel of a metallib cannot be checked: checks read MSL text");
    emu_launch launch = {.kernel = f->kernel, .groups = {1, 1, 1}, .threads = {1, 1, 1}};
    emu_launch_check(&launch, &checker->checking);
    launch.checks &= 1U << EMU_CHECK_LIMITS;
    return emu_check_launch(&launch) ? error_none(error) : error_no_memory(error);
}

/* ---- Pipelines ------------------------------------------------------------------------------------ */

ingot_status ingot_metal_pipeline_create(ingot_metal_function *function, ingot_metal_pipeline **out, ingot_error *error)
{
    if (out == NULL) return metal_no_argument(error, "out");
    *out = NULL;
    if (function == NULL) return metal_no_argument(error, "function");
    ingot_metal_pipeline *p = mem_zeroed(function->library->device->mem, 1, sizeof *p);
    if (p == NULL) return error_no_memory(error);
    *p = (ingot_metal_pipeline){.references = 1, .function = function};
    metal_retain(&function->references);
    const ingot_status status = function->kernel != NULL ? INGOT_OK : metal_air_pipeline(p, error);
    if (status != INGOT_OK) {
        ingot_metal_pipeline_release(p);
        return status;
    }
    *out = p;
    return error_none(error);
}

void ingot_metal_pipeline_release(ingot_metal_pipeline *p)
{
    if (p == NULL || !metal_release(&p->references)) return;
    ingot_metal_function *f = p->function;
    if (p->native != NULL) f->library->air->free(p->native);
    mem_free(f->library->device->mem, p, sizeof *p);
    ingot_metal_function_release(f);
}

uint32_t ingot_metal_pipeline_max_total_threads_per_threadgroup(const ingot_metal_pipeline *p)
{
    return p != NULL ? p->function->info->max_threads : 0;
}

uint32_t ingot_metal_pipeline_thread_execution_width(const ingot_metal_pipeline *p)
{
    return p != NULL ? EMU_SIMD_WIDTH : 0;
}

size_t ingot_metal_pipeline_static_threadgroup_memory_length(const ingot_metal_pipeline *p)
{
    if (p == NULL) return 0;
    if (p->native != NULL) return p->function->library->air->info(p->native)->threadgroup_bytes;
    return (size_t)p->function->info->threadgroup_bytes;
}
