/* Exported modules: writing them, and what their libraries call. */
#include <pthread.h>

#include "api/registry.h"
#include "api/text.h"
#include "base/error.h"
#include "export/export.h"
#include "ingot/tvm_ffi.h"
#include "rt/program.h"

/* ---- Writing ------------------------------------------------------------------------------------ */

/* A kernel as its own text describes it; the function keeps the texts that are pointed to. */
typedef struct reading {
    ingot_metal_device *device;
    ingot_metal_function **functions; /* one a kernel; NULL where the text is not there or cannot be read */
    pool memory;
} reading;

static ingot_status read_buffers(reading *r, const ingot_metal_function *function, export_kernel *out)
{
    size_t count = ingot_metal_function_argument_count(function);
    export_buffer *buffers = pool_array(&r->memory, export_buffer, count);
    if (buffers == NULL) return INGOT_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; ++i) {
        ingot_metal_argument a;
        if (ingot_metal_function_argument(function, i, &a) != INGOT_OK || a.kind == INGOT_METAL_ARGUMENT_THREADGROUP) continue;
        buffers[out->buffer_count++] = (export_buffer){a.index, a.type, a.is_read != 0, a.is_written != 0};
    }
    out->buffers = buffers;
    return INGOT_OK;
}

/* What is wrong with a text leaves the kernel unknown; only running out of memory is an error. */
static ingot_status read_kernel(reading *r, const ingot_kernel_info *k, ingot_metal_function **function, export_kernel *out)
{
    ingot_metal_library *library = NULL;
    ingot_metal_pipeline *pipeline = NULL;
    if (k->source == NULL) return INGOT_OK;
    ingot_status status = ingot_metal_library_create(r->device, k->source, k->source_size, NULL, &library, NULL);
    if (status == INGOT_OK) status = ingot_metal_function_create(library, k->name, NULL, 0, function, NULL);
    if (status == INGOT_OK) status = ingot_metal_pipeline_create(*function, &pipeline, NULL);
    if (status == INGOT_OK) {
        out->known = true;
        out->threadgroup_bytes = ingot_metal_pipeline_static_threadgroup_memory_length(pipeline);
        out->max_threads = ingot_metal_pipeline_max_total_threads_per_threadgroup(pipeline);
        status = read_buffers(r, *function, out);
    }
    ingot_metal_pipeline_release(pipeline);
    ingot_metal_library_release(library);
    return status == INGOT_OUT_OF_MEMORY ? status : INGOT_OK;
}

static ingot_status describe(const ingot_module *m, buf *out, ingot_error *error)
{
    reading r = {.memory = pool_make(m->mem)};
    size_t count = m->device->kernel_count;
    export_kernel *kernels = pool_array(&r.memory, export_kernel, count);
    r.functions = pool_array(&r.memory, ingot_metal_function *, count);
    bool whole = kernels != NULL && r.functions != NULL;
    ingot_status status = whole ? ingot_metal_device_create(1, m->mem, &r.device, error) : error_no_memory(error);
    for (size_t i = 0; status == INGOT_OK && i < count; ++i) {
        ingot_kernel_info info;
        status = ingot_module_kernel(m, i, &info);
        if (status == INGOT_OK) status = read_kernel(&r, &info, &r.functions[i], &kernels[i]);
        if (status == INGOT_OUT_OF_MEMORY) error_no_memory(error);
    }
    if (status == INGOT_OK) status = export_sidecar(m, kernels, out, error);
    for (size_t i = 0; r.functions != NULL && i < count; ++i) ingot_metal_function_release(r.functions[i]);
    ingot_metal_device_release(r.device);
    pool_free(&r.memory);
    return status;
}

ingot_status ingot_module_export(const ingot_module *module, ingot_export what, ingot_text **out, ingot_error *error)
{
    if (out == NULL) return error_set(error, INGOT_INVALID_ARGUMENT, "out is NULL");
    *out = NULL;
    if (module == NULL) return error_set(error, INGOT_INVALID_ARGUMENT, "module is NULL");
    buf text = buf_make(module->mem);
    ingot_status status = INGOT_INVALID_ARGUMENT;
    switch (what) {
    case INGOT_EXPORT_C: status = export_c(module, &text, error); break;
    case INGOT_EXPORT_METAL: status = export_metal(module, &text, error); break;
    case INGOT_EXPORT_SIDECAR: status = describe(module, &text, error); break;
    }
    if (status == INGOT_OK) status = text_take(&text, out, error);
    buf_free(&text);
    return status;
}

ingot_status ingot_module_export_tvm(const ingot_module *module, ingot_text **out, ingot_error *error)
{
    if (out == NULL) return error_set(error, INGOT_INVALID_ARGUMENT, "out is NULL");
    *out = NULL;
    if (module == NULL) return error_set(error, INGOT_INVALID_ARGUMENT, "module is NULL");
    buf text = buf_make(module->mem);
    ingot_status status = export_tvm_c(module, &text, error);
    if (status == INGOT_OK) status = text_take(&text, out, error);
    buf_free(&text);
    return status;
}

/* ---- Running ------------------------------------------------------------------------------------- */

struct ingot_exported {
    pthread_mutex_t lock; /* of the stream: one call at a time */
    ingot_stream *stream;
    ingot_program *program; /* on the process's shared device */
};

void ingot_exported_release(ingot_exported *e)
{
    if (e == NULL) return;
    rt_program_release(e->program);
    rt_stream_release(e->stream);
    pthread_mutex_destroy(&e->lock);
    mem_free(&mem_default, e, sizeof *e);
}

/* Takes over the module. */
static ingot_status open_on_shared(ingot_module *module, ingot_exported **out, ingot_error *error)
{
    ingot_status status;
    ingot_exported *e = mem_zeroed(&mem_default, 1, sizeof *e);
    if (e != NULL && pthread_mutex_init(&e->lock, NULL) != 0) {
        mem_free(&mem_default, e, sizeof *e);
        e = NULL;
    }
    ingot_device *device = NULL;
    status = e != NULL ? ingot_device_shared(&device, error) : error_no_memory(error);
    if (status == INGOT_OK) status = rt_stream_create(device, &e->stream, error);
    if (status == INGOT_OK) status = rt_program_load(module, device, &e->program, error);
    ingot_module_release(module);
    if (status != INGOT_OK) {
        ingot_exported_release(e);
        return status;
    }
    *out = e;
    return error_none(error);
}

ingot_status ingot_exported_open(const void *bytes, size_t size, ingot_exported **out, ingot_error *error)
{
    if (out == NULL) return error_set(error, INGOT_INVALID_ARGUMENT, "out is NULL");
    *out = NULL;
    ingot_module *module;
    ingot_status status = ingot_module_load(bytes, size, NULL, &module, error);
    return status == INGOT_OK ? open_on_shared(module, out, error) : status;
}

ingot_status ingot_exported_open_kernels(const void *bytes, size_t size, ingot_exported **out, ingot_error *error)
{
    if (out == NULL) return error_set(error, INGOT_INVALID_ARGUMENT, "out is NULL");
    *out = NULL;
    if (bytes == NULL && size != 0) return error_set(error, INGOT_INVALID_ARGUMENT, "bytes is NULL");
    ingot_module *module;
    ingot_status status = module_load_kernels(NULL, (str){bytes, size}, &module, error);
    return status == INGOT_OK ? open_on_shared(module, out, error) : status;
}

enum { MOST_ARGS = 64 };

/* The few kinds of values that a host function takes; others come under a name, which the checks of the call refuse. A bare
 * pointer becomes a tensor at *pointed, of which only the memory counts. */
static ingot_value value_of(const ffi_any *from, DLTensor *pointed)
{
    ingot_value v = ingot_none();
    switch (from->tag) {
    case FFI_NONE: return v;
    case FFI_INT: return ingot_int(from->as.integer);
    case FFI_BOOL: return ingot_bool(from->as.integer != 0);
    case FFI_FLOAT: return ingot_float(from->as.real);
    case FFI_POINTER:
        *pointed = (DLTensor){.data = from->as.pointer, .device = {kDLMetal, 0}};
        return from->as.pointer != NULL ? ingot_tensor(pointed) : v;
    case FFI_TENSOR_VIEW: return ingot_tensor(from->as.view);
    case FFI_TENSOR: return ingot_tensor(&((const ffi_tensor_object *)from->as.view)->tensor);
    default: /* tags are open-ended */
        v = ingot_str("another object", strlen("another object"));
        v.kind = INGOT_VALUE_OTHER;
        return v;
    }
}

static void give_result(ingot_value v, ffi_any *out)
{
    *out = (ffi_any){0};
    if (v.kind == INGOT_VALUE_BOOL) *out = (ffi_any){.tag = FFI_BOOL, .as.integer = v.as.boolean != 0};
    if (v.kind == INGOT_VALUE_INT) *out = (ffi_any){.tag = FFI_INT, .as.integer = v.as.integer};
    if (v.kind == INGOT_VALUE_FLOAT) *out = (ffi_any){.tag = FFI_FLOAT, .as.real = v.as.real};
}

int ingot_exported_call(ingot_exported *e, const char *function, const void *args, int32_t count, void *result)
{
    ingot_error error; /* filled in by what fails; not cleared for each call */
    DLTensor pointed[MOST_ARGS];
    ingot_value values[MOST_ARGS], got = ingot_none();
    const ffi_any *given = args;
    ingot_status status;
    if (count < 0 || count > MOST_ARGS) {
        status = error_set(&error, INGOT_VALUE, "a call takes at most %d arguments, got %d", MOST_ARGS, (int)count);
    } else {
        for (int32_t i = 0; i < count; ++i) values[i] = value_of(&given[i], &pointed[i]);
        pthread_mutex_lock(&e->lock);
        status = rt_program_run(e->program, str_of(function), values, (size_t)count, e->stream, &got, &error);
        pthread_mutex_unlock(&e->lock);
    }
    give_result(got, result);
    if (status == INGOT_OK) return 0;
    const ffi_library *lib = registry_attach();
    return lib != NULL ? ffi_put_error(lib, &error) : -1;
}
