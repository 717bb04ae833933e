/* A module's kernels as one metallib: compiled payloads joined, or Metal text compiled. */
#include "base/error.h"
#include "export/export.h"
#include "ingot/tvm_ffi.h"

/* Reads each kernel's payload; *made counts the libraries that came of it. */
static ingot_status read_payloads(const ingot_module *m, ingot_metallib **each, size_t *made, ingot_error *error)
{
    for (size_t i = 0; i < m->device->kernel_count; ++i) {
        const pack_kernel *k = &m->device->kernels[i];
        ingot_error inner;
        ingot_status status = ingot_metallib_read(k->payload.p, k->payload.n, m->mem, &each[i], &inner);
        if (status != INGOT_OK) return error_set(error, status, "kernel \"%s\": %.800s", k->name.p, inner.message);
        ++*made;
    }
    return INGOT_OK;
}

static ingot_status join(const ingot_module *m, ingot_text **out, ingot_error *error)
{
    pool memory = pool_make(m->mem);
    size_t count = m->device->kernel_count, made = 0;
    ingot_metallib **each = pool_array(&memory, ingot_metallib *, count), *joined = NULL;
    ingot_status status = each != NULL ? read_payloads(m, each, &made, error) : error_no_memory(error);
    if (status == INGOT_OK) status = ingot_metallib_join((const ingot_metallib *const *)each, count, &joined, error);
    if (status == INGOT_OK) status = ingot_metallib_write(joined, out, error);
    ingot_metallib_release(joined);
    for (size_t i = 0; i < made; ++i) ingot_metallib_release(each[i]);
    pool_free(&memory);
    return status;
}

static ingot_status build(const ingot_module *m, ingot_text **out, ingot_error *error)
{
    buf text = buf_make(m->mem);
    ingot_status status = export_metal(m, &text, error);
    if (status == INGOT_OK && text.failed) status = error_no_memory(error);
    ingot_metallib_build_options options = INGOT_METALLIB_BUILD_OPTIONS_INIT;
    options.file_name = "<kernels>";
    options.language = m->language * 10;
    options.precise = !m->fast_math;
    options.allocator = m->mem;
    if (status == INGOT_OK) status = ingot_metallib_build(text.p, text.n, &options, out, error);
    buf_free(&text);
    return status;
}

ingot_status ingot_module_export_metallib(const ingot_module *module, ingot_text **out, ingot_error *error)
{
    if (out == NULL) return error_set(error, INGOT_INVALID_ARGUMENT, "out is NULL");
    *out = NULL;
    if (module == NULL) return error_set(error, INGOT_INVALID_ARGUMENT, "module is NULL");
    if (module->device->kernel_count == 0) return error_set(error, INGOT_VALUE, "the module has no kernels to export");
    return module->device->format == PACK_METALLIB ? join(module, out, error) : build(module, out, error);
}
