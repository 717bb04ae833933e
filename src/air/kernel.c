/* Loading: from a metallib or MSL text to a kernel that can be launched. */
#include "air/kernel.h"

#include <math.h>
#include <string.h>

#include "air/child.h"
#include "air/component.h"
#include "air/signature.h"
#include "base/error.h"
#include "pack/metallib.h"
#include "pack/reader.h"

/* ---- Machine code into the process ---------------------------------------------------------------------------------- */

/* What code that LLVM makes may call beside the host functions. */
typedef struct libc_function {
    const char *name;
    void (*address)(void);
} libc_function;

static const libc_function libc_functions[] = {
    {"memcpy", (void (*)(void))memcpy}, {"memmove", (void (*)(void))memmove}, {"memset", (void (*)(void))memset},
    {"floorf", (void (*)(void))floorf}, {"ceilf", (void (*)(void))ceilf},     {"truncf", (void (*)(void))truncf},
    {"rintf", (void (*)(void))rintf},   {"fmaf", (void (*)(void))fmaf},       {"sqrtf", (void (*)(void))sqrtf},
};

static const void *host_address(str name)
{
    size_t n;
    const air_host_function *host = air_host_functions(&n);
    void (*found)(void) = NULL;
    const void *address;
    for (size_t i = 0; i < n; ++i)
        if (str_is(name, host[i].name)) found = host[i].address;
    for (size_t i = 0; i < sizeof libc_functions / sizeof *libc_functions; ++i)
        if (str_is(name, libc_functions[i].name)) found = libc_functions[i].address;
    memcpy(&address, &found, sizeof address);
    return address;
}

static ingot_status link_object(air_code *code, str object, ingot_error *error)
{
    air_image_symbol wanted[2] = {{.name = "air_entry"}, {.name = "air_constants"}};
    const ingot_status status = air_image_load(object, host_address, wanted, 2, &code->image, error);
    if (status != INGOT_OK) return status;
    memcpy(&code->entry, &wanted[0].address, sizeof code->entry);
    code->constants = wanted[1].address;
    return INGOT_OK;
}

/* ---- The description ---------------------------------------------------------------------------------------------- */

static const char *read_text(reader *r, pool *memory)
{
    const str s = reader_str(r);
    return r->failed ? NULL : pool_str(memory, s).p;
}

static ingot_status read_params(air_kernel *k, reader *r, ingot_error *error)
{
    k->param_count = reader_u32(r);
    if (r->failed || k->param_count > 4096) return error_set(error, INGOT_INTERNAL, "the compiled kernel's description is damaged");
    air_kernel_param *params = pool_array(&k->memory, air_kernel_param, k->param_count);
    if (params == NULL) return error_no_memory(error);
    for (size_t i = 0; i < k->param_count; ++i) {
        air_kernel_param *p = &params[i];
        p->kind = reader_u32(r);
        p->slot = reader_u32(r);
        p->count = reader_u32(r);
        p->space = reader_u32(r);
        p->reads = reader_u32(r) != 0;
        p->writes = reader_u32(r) != 0;
        p->size = reader_u64(r);
        p->align = reader_u64(r);
        p->least = reader_u64(r);
        p->name = read_text(r, &k->memory);
        p->type = read_text(r, &k->memory);
        if (p->name == NULL || p->type == NULL) return error_no_memory(error);
    }
    k->params = params;
    return INGOT_OK;
}

static ingot_status read_places(air_kernel *k, reader *r, ingot_error *error)
{
    enum { MOST = 1 << 24 };
    const bool hands_on = reader_u32(r) != 0;
    const uint32_t count = reader_u32(r);
    if (count == 0 && !r->failed) return INGOT_OK; /* not watched, or nothing to be seen */
    k->hands_on = hands_on;
    k->place_count = count;
    if (r->failed || count > MOST) return error_set(error, INGOT_INTERNAL, "the compiled kernel's description is damaged");
    air_kernel_place *places = pool_array(&k->memory, air_kernel_place, k->place_count + 1);
    if (places == NULL) return error_no_memory(error);
    for (size_t i = 0; i < k->place_count; ++i) {
        places[i].line = reader_u32(r);
        places[i].column = reader_u32(r);
        places[i].file = read_text(r, &k->memory);
        if (places[i].file == NULL) return error_no_memory(error);
    }
    k->places = places;
    return INGOT_OK;
}

/* Buffer arguments in order of their slots. */
static void describe(air_kernel *k)
{
    for (uint32_t slot = 0; slot < AIR_SLOTS; ++slot) {
        for (size_t i = 0; i < k->param_count; ++i) {
            const air_kernel_param *p = &k->params[i];
            if (p->slot != slot) continue;
            if (p->kind == AIR_PARAM_THREADGROUP) k->info.dynamic_count = slot + 1;
            if (p->kind != AIR_PARAM_BUFFER || k->info.slot_count >= AIR_SLOTS) continue;
            k->slots[k->info.slot_count++] = (rt_slot){.kind = p->space == 2 ? RT_SLOT_CONSTANT : RT_SLOT_DEVICE,
                                                       .index = slot,
                                                       .name = p->name,
                                                       .type = p->type,
                                                       .bytes = (size_t)p->size,
                                                       .reference = p->least != 0,
                                                       .read_only = !p->writes};
        }
    }
}

/* `first`: the kernel's description is wanted too. */
static ingot_status read_kernel(air_kernel *k, air_code *code, const buf *compiled, bool first, ingot_error *error)
{
    reader r = reader_of(compiled->p, compiled->n);
    k->threadgroup_bytes = reader_u32(&r);
    code->syncs = reader_u32(&r) != 0;
    code->form = (air_form)reader_u32(&r);
    code->width = reader_u32(&r);
    const uint32_t most = reader_u32(&r);
    ingot_status status = read_params(k, &r, error);
    if (status == INGOT_OK) status = read_places(k, &r, error);
    if (status != INGOT_OK) return status;
    const str object = reader_str(&r);
    if (r.failed) return error_set(error, INGOT_INTERNAL, "the compiled kernel's description is damaged");
    if (first) {
        k->info.slots = k->slots;
        k->info.threadgroup_bytes = (size_t)k->threadgroup_bytes;
        k->info.max_threads = most != 0 && most < AIR_MAX_THREADS ? most : AIR_MAX_THREADS;
        describe(k);
    }
    return object.n != 0 ? link_object(code, object, error) : INGOT_OK; /* 0: described only */
}

/* ---- The whole ------------------------------------------------------------------------------------------------------ */

void air_kernel_free(air_kernel *k)
{
    if (k == NULL) return;
    for (size_t i = 0; i <= AIR_FORMS; ++i) air_image_free(&k->codes[i].image);
    (void)pthread_mutex_destroy(&k->lock);
    pool_free(&k->memory);
    mem_free(k->mem, k, sizeof *k);
}

static ingot_status compile(air_kernel *k, int which, ingot_error *error)
{
    air_job job = k->job;
    job.watched = which == AIR_FORMS;
    job.form = job.watched ? AIR_FORM_SINGLE : (air_form)which;
    buf compiled = buf_make(k->mem);
    ingot_status status = air_child_run(air_compile, &job, &compiled, error);
    if (status == INGOT_OK) status = read_kernel(k, &k->codes[which], &compiled, which == AIR_FORM_WHOLE, error);
    if (status != INGOT_OK) air_image_free(&k->codes[which].image);
    buf_free(&compiled);
    return status;
}

/* Lanes would be idle in groups of one thread. */
static air_form wanted_form(const air_code *whole, const uint32_t threads[3], uint32_t row)
{
    if (whole->form == AIR_FORM_SINGLE) return AIR_FORM_WHOLE;
    if ((uint64_t)threads[0] * threads[1] * threads[2] == 1) return AIR_FORM_SINGLE;
    return threads[0] % whole->width == 0 && row % whole->width == 0 ? AIR_FORM_WHOLE : AIR_FORM_PARTIAL;
}

ingot_status air_kernel_code(air_kernel *k, const uint32_t threads[3], uint32_t row, bool watched, const air_code **out, ingot_error *error)
{
    ingot_status status = INGOT_OK;
    const int form = watched ? AIR_FORMS : (int)wanted_form(&k->codes[AIR_FORM_WHOLE], threads, row);
    (void)pthread_mutex_lock(&k->lock);
    if (k->job.describe_only) status = error_set(error, INGOT_INVALID_ARGUMENT, "kernel '%s' was described only", k->info.name);
    else if (k->codes[form].image.base == NULL) status = compile(k, form, error);
    *out = &k->codes[form];
    (void)pthread_mutex_unlock(&k->lock);
    return status;
}

/* The caller's bytes are not kept by it. */
static ingot_status keep_job(air_kernel *k, const air_source *source, str bytes, ingot_error *error)
{
    const str kept = pool_str(&k->memory, bytes);
    air_constant *constants = pool_array(&k->memory, air_constant, source->constant_count + 1);
    if (kept.p == NULL || constants == NULL) return error_no_memory(error);
    for (size_t i = 0; i < source->constant_count; ++i) constants[i] = source->constants[i];
    k->job = (air_job){.kernel = str_of(k->info.name),
                       .name = str_of(k->info.name),
                       .constants = constants,
                       .constant_count = source->constant_count,
                       .describe_only = source->describe_only,
                       .unchecked = source->unchecked};
    if (source->is_text) k->job.text = kept;
    else k->job.bitcode = kept;
    return INGOT_OK;
}

static ingot_status load(air_kernel *k, const air_source *source, ingot_error *error)
{
    k->info.name = pool_str(&k->memory, str_of(source->kernel)).p;
    if (k->info.name == NULL) return error_no_memory(error);
    str bytes = source->bytes;
    if (!source->is_text) {
        const metallib *library;
        ingot_status status = metallib_read(&k->memory, source->bytes, &library, error);
        if (status != INGOT_OK) return status;
        const metallib_function *f = metallib_find(library, str_of(source->kernel));
        if (f == NULL) return error_set(error, INGOT_FORMAT, "it holds no function of that name (it holds %zu)", library->function_count);
        bytes = f->module;
    }
    ingot_status status = keep_job(k, source, bytes, error);
    return status == INGOT_OK ? compile(k, AIR_FORM_WHOLE, error) : status;
}

ingot_status air_kernel_load(const ingot_allocator *mem, const air_source *source, air_kernel **out, ingot_error *error)
{
    *out = NULL;
    mem = mem_or_default(mem);
    air_kernel *k = mem_zeroed(mem, 1, sizeof *k);
    if (k == NULL) return error_no_memory(error);
    k->mem = mem;
    k->memory = pool_make(mem);
    (void)pthread_mutex_init(&k->lock, NULL);
    const ingot_status status = load(k, source, error);
    if (status != INGOT_OK) {
        air_kernel_free(k);
        return status;
    }
    *out = k;
    return error_none(error);
}

const rt_kernel_info *air_kernel_info(const air_kernel *k)
{
    return &k->info;
}

bool air_kernel_argument(const air_kernel *k, size_t index, air_argument *out)
{
    for (size_t i = 0; i < k->param_count; ++i) {
        const air_kernel_param *p = &k->params[i];
        if (p->kind == AIR_PARAM_INPUT || p->kind == AIR_PARAM_OTHER || index-- != 0) continue;
        *out = (air_argument){.kind = p->kind == AIR_PARAM_THREADGROUP ? AIR_ARGUMENT_THREADGROUP
                                      : p->kind == AIR_PARAM_TEXTURE   ? AIR_ARGUMENT_TEXTURE
                                      : p->kind == AIR_PARAM_SAMPLER   ? AIR_ARGUMENT_SAMPLER
                                                                       : AIR_ARGUMENT_BUFFER,
                              .slot = p->slot,
                              .count = p->count,
                              .constant = p->space == 2,
                              .reference = p->least != 0,
                              .reads = p->reads,
                              .writes = p->writes,
                              .name = p->name,
                              .type = p->type,
                              .size = p->size,
                              .align = p->align};
        return true;
    }
    return false;
}
