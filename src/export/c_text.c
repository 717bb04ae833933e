/* Strings, symbols and descriptions of exported C sources. */
#include "export/c_text.h"

#include "base/error.h"
#include "export/export.h"

enum { ROW = 24 };

static bool is_identifier(str name)
{
    for (size_t i = 0; i < name.n; ++i) {
        char c = name.p[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && !(i > 0 && c >= '0' && c <= '9')) return false;
    }
    return name.n != 0;
}

ingot_status c_check_names(const ingot_module *m, ingot_error *error)
{
    const host_program *host = m->host;
    if (host->function_count == 0) return error_set(error, INGOT_VALUE, "the module has no host functions to export");
    for (size_t i = 0; i < host->function_count; ++i) {
        if (is_identifier(host->functions[i].name)) continue;
        return error_set(error, INGOT_VALUE, "function \"%s\": a library exports C identifiers only",
                         host->functions[i].name.p);
    }
    return INGOT_OK;
}

void c_string(buf *out, str text)
{
    buf_char(out, '"');
    for (size_t i = 0; i < text.n; ++i) {
        unsigned char c = (unsigned char)text.p[i];
        if (c == '\n') buf_text(out, "\\n");
        else if (c == '"' || c == '\\') buf_printf(out, "\\%c", c);
        else if (c < 0x20 || c >= 0x7f || c == '?') buf_printf(out, "\\%03o", c);
        else buf_char(out, (char)c);
    }
    buf_char(out, '"');
}

void c_bytes(buf *out, str bytes)
{
    for (size_t i = 0; i < bytes.n; ++i) {
        buf_printf(out, "%s%u", i % ROW == 0 ? "\n    " : " ", (unsigned)(unsigned char)bytes.p[i]);
        if (i + 1 < bytes.n) buf_char(out, ',');
    }
    buf_char(out, '\n');
}

void c_symbol(buf *out, const char *kind, const char *name)
{
    const char *line = kind[0] != '\0' ? "_" : "";
    buf_text(out, "SHOWN ");
    for (int i = 0; i < 2; ++i) {
        buf_printf(out, "int __tvm_ffi_%s%s%s(void *self, const any *args, int32_t count, any *result)%s\n", kind, line, name,
                   i == 0 ? ";" : "");
    }
}

const char c_prelude[] =
    "#include <dlfcn.h>\n"
    "#include <pthread.h>\n"
    "#include <stdint.h>\n"
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "#include <string.h>\n"
    "\n"
    "#define SHOWN __attribute__((visibility(\"default\")))\n"
    "\n"
    "/* tvm-ffi's value and bytes; its two functions are there where tvm-ffi is. */\n"
    "typedef struct { int32_t tag; uint32_t size; union { int64_t i; double f; void *p; } as; } any;\n"
    "typedef struct { const char *data; size_t size; } bytes;\n"
    "extern __attribute__((weak)) void TVMFFIErrorSetRaisedFromCStr(const char *kind, const char *message);\n"
    "extern __attribute__((weak)) int TVMFFIStringFromByteArray(const bytes *text, any *out);\n"
    "\n"
    "static int fail(const char *kind, const char *message)\n"
    "{\n"
    "    if (TVMFFIErrorSetRaisedFromCStr) TVMFFIErrorSetRaisedFromCStr(kind, message);\n"
    "    return -1;\n"
    "}\n"
    "\n"
    "static int text(const char *data, any *result)\n"
    "{\n"
    "    bytes given = {data, strlen(data)};\n"
    "    return TVMFFIStringFromByteArray ? TVMFFIStringFromByteArray(&given, result) : -1;\n"
    "}\n"
    "\n";

/* ---- Descriptions -------------------------------------------------------------------------------- */

static const char *schema_type(const host_param *p)
{
    if (p->kind == INGOT_PARAM_TENSOR) return "ffi.Tensor";
    if (p->kind == INGOT_PARAM_POINTER) return "ffi.OpaquePtr";
    if (p->dtype.code == kDLBool) return "bool";
    return p->dtype.code == kDLInt || p->dtype.code == kDLUInt ? "int" : "float";
}

static const char *result_type(const host_function *f)
{
    if (f->result.code == kDLOpaqueHandle) return "None";
    host_param as_param = {.kind = INGOT_PARAM_SCALAR, .dtype = f->result};
    return schema_type(&as_param);
}

/* {"type_schema": "..."}: the schema is JSON inside a JSON string. */
static void metadata(const host_function *f, const ingot_allocator *mem, buf *out)
{
    buf schema = buf_make(mem), whole = buf_make(mem);
    buf_printf(&schema, "{\"type\":\"ffi.Function\",\"args\":[{\"type\":\"%s\"}", result_type(f));
    for (size_t i = 0; i < f->param_count; ++i) buf_printf(&schema, ",{\"type\":\"%s\"}", schema_type(&f->params[i]));
    buf_text(&schema, "]}");
    buf_text(&whole, "{\"type_schema\":");
    export_quote(&whole, buf_view(&schema));
    buf_char(&whole, '}');
    c_string(out, buf_view(&whole));
    out->failed = out->failed || schema.failed || whole.failed;
    buf_free(&schema);
    buf_free(&whole);
}

void c_descriptions(const host_function *f, const char *shown, const ingot_allocator *mem, buf *out)
{
    buf doc = buf_make(mem);
    host_signature(f, &doc);
    c_symbol(out, "_metadata", shown);
    buf_text(out, "{\n    (void)self, (void)args, (void)count;\n    return text(");
    metadata(f, mem, out);
    buf_text(out, ", result);\n}\n");
    c_symbol(out, "_doc", shown);
    buf_text(out, "{\n    (void)self, (void)args, (void)count;\n    return text(");
    c_string(out, buf_view(&doc));
    buf_text(out, ", result);\n}\n");
    out->failed = out->failed || doc.failed;
    buf_free(&doc);
}
