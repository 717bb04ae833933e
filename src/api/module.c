/* Modules through the public API. */
#include "host/module.h"

#include "api/file.h"
#include "api/text.h"
#include "base/error.h"

void ingot_module_retain(ingot_module *module)
{
    module_retain(module);
}

void ingot_module_release(ingot_module *module)
{
    module_release(module);
}

static ingot_status no_argument(ingot_error *error, const char *name)
{
    return error_set(error, INGOT_INVALID_ARGUMENT, "%s is NULL", name);
}

ingot_status ingot_module_save(const ingot_module *module, ingot_text **out, ingot_error *error)
{
    if (out == NULL) return no_argument(error, "out");
    *out = NULL;
    if (module == NULL) return no_argument(error, "module");
    buf bytes = buf_make(module->mem);
    ingot_status status = module_save(module, &bytes, error);
    if (status == INGOT_OK) status = text_take(&bytes, out, error);
    buf_free(&bytes);
    return status;
}

ingot_status ingot_module_save_file(const ingot_module *module, const char *path, ingot_error *error)
{
    if (module == NULL) return no_argument(error, "module");
    if (path == NULL) return no_argument(error, "path");
    buf bytes = buf_make(module->mem);
    ingot_status status = module_save(module, &bytes, error);
    if (status == INGOT_OK) status = file_replace(path, buf_view(&bytes), module->mem, error);
    buf_free(&bytes);
    return status;
}

ingot_status ingot_module_load(const void *bytes, size_t size, const ingot_allocator *allocator,
                               ingot_module **out, ingot_error *error)
{
    if (out == NULL) return no_argument(error, "out");
    *out = NULL;
    if (bytes == NULL && size != 0) return no_argument(error, "bytes");
    return module_load(allocator, (str){bytes, size}, out, error);
}

ingot_status ingot_module_load_file(const char *path, const ingot_allocator *allocator, ingot_module **out,
                                    ingot_error *error)
{
    if (out == NULL) return no_argument(error, "out");
    *out = NULL;
    if (path == NULL) return no_argument(error, "path");
    buf bytes = buf_make(allocator);
    ingot_status status = file_read(path, &bytes, error);
    if (status == INGOT_OK) {
        ingot_error inner;
        status = module_load(allocator, buf_view(&bytes), out, &inner);
        if (status == INGOT_OUT_OF_MEMORY) error_no_memory(error);
        else if (status != INGOT_OK) error_set(error, status, "%s: %s", path, inner.message);
    }
    buf_free(&bytes);
    return status;
}

ingot_status ingot_module_device_save(const ingot_module *module, ingot_text **out, ingot_error *error)
{
    if (out == NULL) return no_argument(error, "out");
    *out = NULL;
    if (module == NULL) return no_argument(error, "module");
    buf bytes = buf_make(module->mem);
    pack_device_module_write(module->device, &bytes);
    return text_take(&bytes, out, error);
}

ingot_status ingot_module_device_load(const void *bytes, size_t size, const ingot_allocator *allocator,
                                      ingot_module **out, ingot_error *error)
{
    if (out == NULL) return no_argument(error, "out");
    *out = NULL;
    if (bytes == NULL && size != 0) return no_argument(error, "bytes");
    return module_load_device(allocator, (str){bytes, size}, out, error);
}

const char *ingot_module_format(const ingot_module *module)
{
    return module != NULL ? pack_format_text(module->device->format) : "";
}

int ingot_module_is_fallback(const ingot_module *module)
{
    return module != NULL && module->fallback;
}

size_t ingot_module_kernel_count(const ingot_module *module)
{
    return module != NULL ? module->device->kernel_count : 0;
}

ingot_status ingot_module_kernel(const ingot_module *module, size_t index, ingot_kernel_info *info)
{
    if (module == NULL || info == NULL) return INGOT_INVALID_ARGUMENT;
    memset(info, 0, sizeof *info);
    if (index >= module->device->kernel_count) return INGOT_NOT_FOUND;
    const pack_kernel *k = &module->device->kernels[index];
    bool text = k->source.p == NULL && module->device->format == PACK_METAL;
    str source = text ? k->payload : k->source;
    info->name = k->name.p;
    info->source = source.p;
    info->source_size = source.n;
    info->payload = k->payload.p;
    info->payload_size = k->payload.n;
    info->arg_types = k->arg_types;
    info->arg_count = k->arg_count;
    info->arg_names = k->arg_names;
    info->launch_tags = k->launch_tags;
    info->launch_tag_count = k->launch_tag_count;
    return INGOT_OK;
}

ingot_status ingot_module_source(const ingot_module *module, ingot_text **out, ingot_error *error)
{
    if (out == NULL) return no_argument(error, "out");
    *out = NULL;
    if (module == NULL) return no_argument(error, "module");
    buf text = buf_make(module->mem);
    pack_device_module_source(module->device, &text);
    return text_take(&text, out, error);
}

size_t ingot_module_function_count(const ingot_module *module)
{
    return module != NULL ? module->host->function_count : 0;
}

const char *ingot_module_function_name(const ingot_module *module, size_t index)
{
    if (index >= ingot_module_function_count(module)) return NULL;
    return module->host->functions[index].name.p;
}

static const host_function *find_function(const ingot_module *module, const char *name)
{
    return module != NULL ? host_find(module->host, str_of(name)) : NULL;
}

size_t ingot_module_param_count(const ingot_module *module, const char *function)
{
    const host_function *f = find_function(module, function);
    return f != NULL ? f->param_count : 0;
}

ingot_status ingot_module_param(const ingot_module *module, const char *function, size_t index,
                                ingot_param_info *info)
{
    if (module == NULL || info == NULL) return INGOT_INVALID_ARGUMENT;
    memset(info, 0, sizeof *info);
    const host_function *f = find_function(module, function);
    if (f == NULL || index >= f->param_count) return INGOT_NOT_FOUND;
    const host_param *p = &f->params[index];
    info->kind = p->kind;
    info->name = p->name.p;
    info->dtype = p->dtype;
    info->ndim = p->ndim;
    info->shape = p->shape_texts;
    info->is_read = p->is_read;
    info->is_written = p->is_written;
    return INGOT_OK;
}
