/* The description of a module's kernels as JSON: what host code in another language needs to launch them. */
#include "base/dtype.h"
#include "base/error.h"
#include "export/export.h"

void export_quote(buf *out, str text)
{
    buf_char(out, '"');
    for (size_t i = 0; i < text.n; ++i) {
        unsigned char c = (unsigned char)text.p[i];
        if (c == '"' || c == '\\') buf_printf(out, "\\%c", c);
        else if (c < 0x20) buf_printf(out, "\\u%04x", c);
        else buf_char(out, (char)c);
    }
    buf_char(out, '"');
}

static void quote_or_null(buf *out, str text)
{
    if (text.p != NULL) export_quote(out, text);
    else buf_text(out, "null");
}

static void dtype(buf *out, DLDataType t)
{
    char text[DTYPE_TEXT];
    export_quote(out, str_of(dtype_print(t, text)));
}

/* ---- Kernels ----------------------------------------------------------------------------------- */

static bool is_pointer(DLDataType t)
{
    return t.code == kDLOpaqueHandle;
}

static size_t pointers_of(const pack_kernel *k)
{
    size_t n = 0;
    while (n < k->arg_count && is_pointer(k->arg_types[n])) ++n;
    return n;
}

static str arg_name(const pack_kernel *k, size_t i)
{
    return k->arg_names != NULL ? str_of(k->arg_names[i]) : (str){0};
}

static void buffers(const pack_kernel *k, const export_kernel *read, buf *out)
{
    size_t pointers = pointers_of(k);
    buf_text(out, "\n      \"buffers\": [");
    for (size_t i = 0; i < pointers; ++i) {
        buf_printf(out, "%s\n        {\"index\": %zu, \"name\": ", i == 0 ? "" : ",", i);
        quote_or_null(out, arg_name(k, i));
        for (size_t b = 0; b < read->buffer_count; ++b) {
            const export_buffer *known = &read->buffers[b];
            if (known->index != i) continue;
            buf_text(out, ", \"type\": ");
            export_quote(out, str_of(known->type));
            buf_printf(out, ", \"read\": %s, \"written\": %s", known->is_read ? "true" : "false",
                       known->is_written ? "true" : "false");
        }
        buf_char(out, '}');
    }
    buf_printf(out, "%s],", pointers == 0 ? "" : "\n      ");
}

/* Each scalar has 8 bytes of its own. */
static void arguments(const pack_kernel *k, buf *out)
{
    size_t pointers = pointers_of(k), count = k->arg_count - pointers;
    buf_text(out, "\n      \"arguments\": ");
    if (count == 0) {
        buf_text(out, "null,");
        return;
    }
    buf_printf(out, "{\"index\": %zu, \"struct\": ", pointers);
    buf_printf(out, "\"%s_args_t\", \"size\": %zu, \"fields\": [", k->name.p, count * 8);
    for (size_t i = 0; i < count; ++i) {
        buf_printf(out, "%s\n        {\"offset\": %zu, \"name\": ", i == 0 ? "" : ",", i * 8);
        quote_or_null(out, arg_name(k, pointers + i));
        buf_text(out, ", \"dtype\": ");
        dtype(out, k->arg_types[pointers + i]);
        buf_char(out, '}');
    }
    buf_text(out, "\n      ]},");
}

static void kernel(const pack_kernel *k, const export_kernel *read, buf *out)
{
    buf_text(out, "\n    {\n      \"name\": ");
    export_quote(out, k->name);
    buf_char(out, ',');
    buffers(k, read, out);
    arguments(k, out);
    buf_text(out, "\n      \"launch_tags\": [");
    for (size_t i = 0; i < k->launch_tag_count; ++i) {
        buf_text(out, i == 0 ? "" : ", ");
        export_quote(out, str_of(k->launch_tags[i]));
    }
    buf_text(out, "],");
    if (read->known) {
        buf_printf(out, "\n      \"threadgroup_memory\": %zu,\n      \"max_threads_per_threadgroup\": %u\n    }",
                   read->threadgroup_bytes, read->max_threads);
    } else {
        buf_text(out, "\n      \"threadgroup_memory\": null,\n      \"max_threads_per_threadgroup\": null\n    }");
    }
}

/* ---- Functions ---------------------------------------------------------------------------------- */

static void param(const host_param *p, buf *out)
{
    static const char *const kinds[] = {"tensor", "scalar", "pointer"};
    buf_text(out, "{\"name\": ");
    export_quote(out, p->name);
    buf_printf(out, ", \"kind\": \"%s\", \"dtype\": ", kinds[p->kind]);
    dtype(out, p->dtype);
    if (p->kind == INGOT_PARAM_TENSOR) {
        buf_text(out, ", \"shape\": [");
        for (size_t d = 0; d < p->ndim; ++d) {
            buf_text(out, d == 0 ? "" : ", ");
            export_quote(out, p->shape[d].text);
        }
        buf_printf(out, "], \"read\": %s, \"written\": %s", p->is_read ? "true" : "false", p->is_written ? "true" : "false");
    }
    buf_char(out, '}');
}

/* The value of a launch tag as an expression; 1 where the launch has none of that name. */
static void extent(const host_launch *l, const pack_kernel *k, const str *texts, const char *tag, buf *out)
{
    for (size_t i = 0; i < k->launch_tag_count && i < l->extent_count; ++i) {
        if (strcmp(k->launch_tags[i], tag) != 0) continue;
        quote_or_null(out, texts[l->extents[i]]);
        return;
    }
    buf_text(out, "\"1\"");
}

static void extents(const host_launch *l, const pack_kernel *k, const str *texts, const char *name, const char *const tags[3],
                    buf *out)
{
    buf_printf(out, ", \"%s\": [", name);
    for (size_t i = 0; i < 3; ++i) {
        buf_text(out, i == 0 ? "" : ", ");
        extent(l, k, texts, tags[i], out);
    }
    buf_char(out, ']');
}

static const pack_kernel *find_kernel(const ingot_module *m, str name)
{
    for (size_t i = 0; i < m->device->kernel_count; ++i) {
        if (str_eq(m->device->kernels[i].name, name)) return &m->device->kernels[i];
    }
    return NULL;
}

static void launch(const ingot_module *m, const host_launch *l, const str *texts, buf *out)
{
    static const char *const grid[] = {"blockIdx.x", "blockIdx.y", "blockIdx.z"};
    static const char *const group[] = {"threadIdx.x", "threadIdx.y", "threadIdx.z"};
    const pack_kernel *k = find_kernel(m, l->kernel);
    if (k == NULL) return; /* module_finish has seen to it that it is there */
    buf_text(out, "\n        {\"kernel\": ");
    export_quote(out, l->kernel);
    buf_text(out, ", \"values\": [");
    for (size_t i = 0; i < l->arg_count; ++i) {
        buf_text(out, i == 0 ? "" : ", ");
        quote_or_null(out, texts[l->args[i]]);
    }
    buf_char(out, ']');
    extents(l, k, texts, "threadgroups", grid, out);
    extents(l, k, texts, "threads_per_threadgroup", group, out);
    buf_char(out, '}');
}

static ingot_status function(const ingot_module *m, const host_function *f, buf *out)
{
    pool memory = pool_make(m->mem);
    const str *texts = export_expressions(f, &memory);
    ingot_status status = texts != NULL ? INGOT_OK : INGOT_OUT_OF_MEMORY;
    if (texts != NULL) {
        buf_text(out, "\n    {\n      \"name\": ");
        export_quote(out, f->name);
        buf_text(out, ",\n      \"params\": [");
        for (size_t i = 0; i < f->param_count; ++i) {
            buf_text(out, i == 0 ? "\n        " : ",\n        ");
            param(&f->params[i], out);
        }
        buf_printf(out, "%s],\n      \"launches\": [", f->param_count == 0 ? "" : "\n      ");
        for (size_t i = 0; i < f->launch_count; ++i) {
            if (i != 0) buf_char(out, ',');
            launch(m, &f->launches[i], texts, out);
        }
        buf_printf(out, "%s]\n    }", f->launch_count == 0 ? "" : "\n      ");
    }
    pool_free(&memory);
    return status;
}

ingot_status export_sidecar(const ingot_module *m, const export_kernel *kernels, buf *out, ingot_error *error)
{
    buf_printf(out, "{\n  \"ingot\": \"%s\",\n  \"format\": \"%s\",\n  \"math_mode\": \"%s\",\n", INGOT_VERSION,
               pack_format_text(m->device->format), m->fast_math ? "fast" : "safe");
    if (m->language != 0) buf_printf(out, "  \"language_version\": \"%u.%u\",\n", m->language / 10, m->language % 10);
    else buf_text(out, "  \"language_version\": null,\n");
    buf_text(out, "  \"kernels\": [");
    for (size_t i = 0; i < m->device->kernel_count; ++i) {
        if (i != 0) buf_char(out, ',');
        kernel(&m->device->kernels[i], &kernels[i], out);
    }
    buf_printf(out, "%s],\n  \"functions\": [", m->device->kernel_count == 0 ? "" : "\n  ");
    for (size_t i = 0; i < m->host->function_count; ++i) {
        if (i != 0) buf_char(out, ',');
        if (function(m, &m->host->functions[i], out) != INGOT_OK) return error_no_memory(error);
    }
    buf_printf(out, "%s]\n}\n", m->host->function_count == 0 ? "" : "\n  ");
    return INGOT_OK;
}
