/* Making, finding and printing the device part of a module. */
#include "pack/device_module.h"

#include "base/error.h"
#include "pack/device_check.h"
#include "pack/index.h"

const char *pack_format_text(pack_format format)
{
    return format == PACK_METAL ? "metal" : "metallib";
}

bool pack_format_parse(str text, pack_format *out)
{
    bool metal = str_is(text, "metal");
    if (!metal && !str_is(text, "metallib")) return false;
    *out = metal ? PACK_METAL : PACK_METALLIB;
    return true;
}

size_t pack_kernel_pointers(const pack_kernel *k)
{
    size_t n = 0;
    while (n < k->arg_count && k->arg_types[n].code == kDLOpaqueHandle) ++n;
    return n;
}

const pack_kernel *pack_find_kernel(const pack_device_module *m, str name)
{
    for (size_t i = 0; i < m->kernel_count; ++i) {
        if (str_eq(m->kernels[i].name, name)) return &m->kernels[i];
    }
    return NULL;
}

bool pack_is_name(str s)
{
    return s.n != 0 && memchr(s.p, '\0', s.n) == NULL;
}

ingot_status pack_kernel_check(const pack_kernel *k, ingot_status status, ingot_error *error)
{
    if (!pack_is_name(k->name)) return error_set(error, status, "a kernel's name is empty or holds a NUL");
    for (size_t i = pack_kernel_pointers(k); i < k->arg_count; ++i) {
        if (k->arg_types[i].code == kDLOpaqueHandle) {
            return error_set(error, status, "kernel \"%s\": argument %zu is a pointer after a scalar",
                             k->name.p, i);
        }
    }
    for (size_t i = 0; i < k->launch_tag_count; ++i) {
        for (size_t j = 0; j < i; ++j) {
            if (strcmp(k->launch_tags[i], k->launch_tags[j]) != 0) continue;
            return error_set(error, status, "kernel \"%s\": launch tag \"%s\" stands twice", k->name.p,
                             k->launch_tags[i]);
        }
    }
    if (k->payload.n == 0) return error_set(error, status, "kernel \"%s\": the payload is empty", k->name.p);
    return INGOT_OK;
}

/* Copies an array of C strings; NULL when out of memory. */
static const char *const *copy_texts(pool *mem, const char *const *from, size_t count)
{
    const char **to = pool_array(mem, const char *, count);
    for (size_t i = 0; to != NULL && i < count; ++i) {
        to[i] = pool_str(mem, str_of(from[i])).p;
        if (to[i] == NULL) return NULL;
    }
    return to;
}

static bool copy_kernel(pool *mem, const pack_kernel *from, pack_kernel *to)
{
    *to = *from;
    to->name = pool_str(mem, from->name);
    to->payload = pool_str(mem, from->payload);
    if (from->source.p != NULL) {
        /* Where the payload is the text itself, it is held once. */
        bool same = str_eq(from->source, from->payload);
        to->source = same ? to->payload : pool_str(mem, from->source);
        if (to->source.p == NULL) return false;
    }
    DLDataType *types = pool_array(mem, DLDataType, from->arg_count);
    int32_t *extra = pool_array(mem, int32_t, from->arg_count);
    to->launch_tags = copy_texts(mem, from->launch_tags, from->launch_tag_count);
    if (from->arg_names != NULL) {
        to->arg_names = copy_texts(mem, from->arg_names, from->arg_count);
        if (to->arg_names == NULL) return false;
    }
    if (to->name.p == NULL || to->payload.p == NULL || types == NULL || extra == NULL ||
        to->launch_tags == NULL) {
        return false;
    }
    for (size_t i = 0; i < from->arg_count; ++i) {
        types[i] = from->arg_types[i];
        extra[i] = from->extra_tags != NULL ? from->extra_tags[i] : 0;
    }
    to->arg_types = types;
    to->extra_tags = extra;
    return true;
}

ingot_status pack_device_module_make(pool *mem, const pack_device_module *from,
                                     const pack_device_module **out, ingot_error *error)
{
    *out = NULL;
    pack_device_module *m = pool_array(mem, pack_device_module, 1);
    pack_kernel *kernels = pool_array(mem, pack_kernel, from->kernel_count);
    if (m == NULL || kernels == NULL) return error_no_memory(error);
    for (size_t i = 0; i < from->kernel_count; ++i) {
        ingot_status status = pack_kernel_check(&from->kernels[i], INGOT_INVALID_ARGUMENT, error);
        if (status != INGOT_OK) return status;
        if (!copy_kernel(mem, &from->kernels[i], &kernels[i])) return error_no_memory(error);
    }
    *m = (pack_device_module){from->format, kernels, from->kernel_count};
    pack_index index;
    size_t again = 0;
    ingot_status status =
        pack_index_make(mem, kernels, sizeof *kernels, m->kernel_count, &index, &again);
    if (status == INGOT_OUT_OF_MEMORY) return error_no_memory(error);
    if (status != INGOT_OK) {
        return error_set(error, INGOT_INVALID_ARGUMENT, "two kernels are called \"%s\"", kernels[again].name.p);
    }
    *out = m;
    return INGOT_OK;
}

void pack_device_module_source(const pack_device_module *m, buf *out)
{
    for (size_t i = 0; i < m->kernel_count; ++i) {
        const pack_kernel *k = &m->kernels[i];
        str source = k->source;
        if (source.p == NULL && m->format == PACK_METAL) source = k->payload;
        buf_text(out, "// Function: ");
        buf_str(out, k->name);
        buf_char(out, '\n');
        buf_str(out, source);
        buf_char(out, '\n');
    }
}
