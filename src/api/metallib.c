/* Metallibs through the public API: what is in one, and libraries made from others. */
#include "api/text.h"
#include "base/error.h"
#include "pack/fat.h"
#include "pack/metallib_write.h"

/* The bytes that were read, and what was read from them, live in one pool. */
struct ingot_metallib {
    const ingot_allocator *mem;
    pool pool;
    const metallib *library;
    size_t size;
    ingot_metallib_function *functions;
};

void ingot_metallib_release(ingot_metallib *library)
{
    if (library == NULL) return;
    pool_free(&library->pool);
    mem_free(library->mem, library, sizeof *library);
}

static ingot_status describe_function(pool *mem, const metallib_function *f, ingot_metallib_function *out, ingot_error *error)
{
    ingot_metallib_constant *constants = pool_array(mem, ingot_metallib_constant, f->constant_count);
    if (constants == NULL) return error_no_memory(error);
    for (size_t i = 0; i < f->constant_count; ++i) {
        const metallib_constant *c = &f->constants[i];
        constants[i] = (ingot_metallib_constant){c->name.p, metallib_data_type_text(c->type), c->index, c->active};
    }
    *out = (ingot_metallib_function){
        .name = f->name.p,
        .type = metallib_type_text(f->type),
        .air = {f->air.major, f->air.minor},
        .language = {f->language.major, f->language.minor},
        .module = f->module.p,
        .module_size = f->module.n,
        .hash = f->hash,
        .constants = constants,
        .constant_count = f->constant_count,
        .source_file = f->debug_file.n != 0 ? f->debug_file.p : NULL,
        .source_line = f->debug_line,
        .has_source = f->has_source,
        .has_reflection = f->has_reflection,
    };
    return INGOT_OK;
}

static ingot_status fill(ingot_metallib *library, const void *bytes, size_t size, ingot_error *error)
{
    char *copy = pool_array(&library->pool, char, size);
    if (copy == NULL) return error_no_memory(error);
    if (size != 0) memcpy(copy, bytes, size);
    library->size = size;
    ingot_status status = metallib_read(&library->pool, (str){copy, size}, &library->library, error);
    if (status != INGOT_OK) return status;
    const metallib *m = library->library;
    library->functions = pool_array(&library->pool, ingot_metallib_function, m->function_count);
    if (library->functions == NULL) return error_no_memory(error);
    for (size_t i = 0; i < m->function_count && status == INGOT_OK; ++i) {
        status = describe_function(&library->pool, &m->functions[i], &library->functions[i], error);
    }
    return status;
}

ingot_status ingot_metallib_read(const void *bytes, size_t size, const ingot_allocator *allocator, ingot_metallib **out,
                                 ingot_error *error)
{
    if (out == NULL) return error_set(error, INGOT_INVALID_ARGUMENT, "out is NULL");
    *out = NULL;
    if (bytes == NULL && size != 0) return error_set(error, INGOT_INVALID_ARGUMENT, "bytes is NULL");
    const ingot_allocator *mem = mem_or_default(allocator);
    ingot_metallib *library = mem_zeroed(mem, 1, sizeof *library);
    if (library == NULL) return error_no_memory(error);
    library->mem = mem;
    library->pool = pool_make(mem);
    ingot_status status = fill(library, bytes, size, error);
    if (status != INGOT_OK) {
        ingot_metallib_release(library);
        return status;
    }
    *out = library;
    return INGOT_OK;
}

void ingot_metallib_describe(const ingot_metallib *library, ingot_metallib_info *info)
{
    const metallib *m = library->library;
    *info = (ingot_metallib_info){
        .format = {m->format_major, m->format_minor, m->format_patch},
        .file_type = metallib_file_type_text(m->file_type),
        .platform = m->platform != 0 ? metallib_platform_text(m->platform) : m->is_macos ? "macOS" : "iOS",
        .os = {m->os_major, m->os_minor, m->os_patch},
        .is_stub = m->is_stub,
        .uuid = m->has_uuid ? m->uuid : NULL,
        .size = library->size,
        .install_name = m->install_name.n != 0 ? m->install_name.p : NULL,
        .link_options = m->sources.present ? m->sources.link_options.p : NULL,
        .source_count = m->sources.count,
        .function_count = m->function_count,
    };
}

ingot_status ingot_metallib_function_at(const ingot_metallib *library, size_t index, ingot_metallib_function *info)
{
    if (index >= library->library->function_count) return INGOT_NOT_FOUND;
    *info = library->functions[index];
    return INGOT_OK;
}

ingot_status ingot_metallib_write(const ingot_metallib *library, ingot_text **out, ingot_error *error)
{
    if (out == NULL) return error_set(error, INGOT_INVALID_ARGUMENT, "out is NULL");
    *out = NULL;
    buf bytes = buf_make(library->mem);
    metallib_write(library->library, &bytes);
    ingot_status status = text_take(&bytes, out, error);
    buf_free(&bytes);
    return status;
}

/* A derived library as an object of its own: it is written, and read as any other. */
static ingot_status own(const ingot_metallib *from, const metallib *m, ingot_metallib **out, ingot_error *error)
{
    buf bytes = buf_make(from->mem);
    metallib_write(m, &bytes);
    ingot_status status = bytes.failed ? error_no_memory(error) : ingot_metallib_read(bytes.p, bytes.n, from->mem, out, error);
    buf_free(&bytes);
    return status;
}

ingot_status ingot_metallib_select(const ingot_metallib *library, const char *const *names, size_t count, ingot_metallib **out,
                                   ingot_error *error)
{
    if (out == NULL) return error_set(error, INGOT_INVALID_ARGUMENT, "out is NULL");
    *out = NULL;
    if (names == NULL && count != 0) return error_set(error, INGOT_INVALID_ARGUMENT, "names is NULL");
    pool mem = pool_make(library->mem);
    str *wanted = pool_array(&mem, str, count);
    const metallib *part = NULL;
    for (size_t i = 0; i < count && wanted != NULL; ++i) wanted[i] = str_of(names[i]);
    ingot_status status = wanted == NULL ? error_no_memory(error)
                                         : metallib_select(&mem, library->library, wanted, count, &part, error);
    if (status == INGOT_OK) status = own(library, part, out, error);
    pool_free(&mem);
    return status;
}

ingot_status ingot_metallib_join(const ingot_metallib *const *libraries, size_t count, ingot_metallib **out, ingot_error *error)
{
    if (out == NULL) return error_set(error, INGOT_INVALID_ARGUMENT, "out is NULL");
    *out = NULL;
    if (libraries == NULL || count == 0) return error_set(error, INGOT_INVALID_ARGUMENT, "no library is given");
    pool mem = pool_make(libraries[0]->mem);
    const metallib **all = pool_array(&mem, const metallib *, count), *joined = NULL;
    for (size_t i = 0; i < count && all != NULL; ++i) all[i] = libraries[i]->library;
    ingot_status status = all == NULL ? error_no_memory(error) : metallib_join(&mem, all, count, &joined, error);
    if (status == INGOT_OK) status = own(libraries[0], joined, out, error);
    pool_free(&mem);
    return status;
}

ingot_status ingot_metallib_strip(const ingot_metallib *library, ingot_metallib **out, ingot_error *error)
{
    if (out == NULL) return error_set(error, INGOT_INVALID_ARGUMENT, "out is NULL");
    *out = NULL;
    pool mem = pool_make(library->mem);
    const metallib *bare = NULL;
    ingot_status status = metallib_strip(&mem, library->library, &bare, error);
    if (status == INGOT_OK) status = own(library, bare, out, error);
    pool_free(&mem);
    return status;
}

ingot_status ingot_fat_slice_at(const void *bytes, size_t size, size_t index, ingot_fat_slice *out, ingot_error *error)
{
    if (out == NULL) return error_set(error, INGOT_INVALID_ARGUMENT, "out is NULL");
    if (bytes == NULL && size != 0) return error_set(error, INGOT_INVALID_ARGUMENT, "bytes is NULL");
    size_t count = 0;
    ingot_status status = fat_count((str){bytes, size}, &count, error);
    if (status != INGOT_OK) return status;
    if (index >= count) return error_set(error, INGOT_NOT_FOUND, "no slice %zu among its %zu", index, count);
    fat_slice slice = fat_at((str){bytes, size}, index);
    *out = (ingot_fat_slice){slice.cpu_type, slice.cpu_subtype, fat_cpu_text(slice.cpu_type), slice.bytes.p, slice.bytes.n};
    return INGOT_OK;
}
