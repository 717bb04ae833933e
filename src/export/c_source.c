/* A module as a C source whose library tvm-ffi opens. */
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

/* A C string of any text; no trigraph and no escape runs into what follows. */
static void c_string(buf *out, str text)
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

/* Declarations, and the way to libingot. One C function for all: the library is found once, whoever comes first. */
static const char prelude[] =
    "#include <dlfcn.h>\n"
    "#include <pthread.h>\n"
    "#include <stdint.h>\n"
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "#include <string.h>\n"
    "\n"
    "#define SHOWN __attribute__((visibility(\"default\")))\n"
    "SHOWN extern const uint64_t ingot_module_size;\n"
    "SHOWN extern const unsigned char ingot_module_bytes[];\n"
    "\n"
    "/* tvm-ffi's value and bytes; its two functions are there where tvm-ffi is. */\n"
    "typedef struct { int32_t tag; uint32_t size; union { int64_t i; void *p; } as; } any;\n"
    "typedef struct { const char *data; size_t size; } bytes;\n"
    "extern __attribute__((weak)) void TVMFFIErrorSetRaisedFromCStr(const char *kind, const char *message);\n"
    "extern __attribute__((weak)) int TVMFFIStringFromByteArray(const bytes *text, any *out);\n"
    "\n"
    "static int fail(const char *message)\n"
    "{\n"
    "    if (TVMFFIErrorSetRaisedFromCStr) TVMFFIErrorSetRaisedFromCStr(\"RuntimeError\", message);\n"
    "    return -1;\n"
    "}\n"
    "\n"
    "static int text(const char *data, any *result)\n"
    "{\n"
    "    bytes given = {data, strlen(data)};\n"
    "    return TVMFFIStringFromByteArray ? TVMFFIStringFromByteArray(&given, result) : -1;\n"
    "}\n"
    "\n"
    "/* libingot: the one that the process has, the one that INGOT_LIBRARY names, or the system's. */\n"
    "#ifdef __APPLE__\n"
    "#define INGOT_FILE \"libingot.0.dylib\"\n"
    "#else\n"
    "#define INGOT_FILE \"libingot.so.0\"\n"
    "#endif\n"
    "static struct {\n"
    "    pthread_once_t once;\n"
    "    void *module;\n"
    "    int (*call)(void *module, const char *function, const void *args, int32_t count, void *result);\n"
    "    char why[1100];\n"
    "} ingot = {.once = PTHREAD_ONCE_INIT};\n"
    "\n"
    "static void find(void *handle, const char *name, void *place)\n"
    "{\n"
    "    void *found = dlsym(handle, name);\n"
    "    memcpy(place, &found, sizeof found);\n"
    "}\n"
    "\n"
    "static void start(void)\n"
    "{\n"
    "    struct { int status; uint32_t line, column; char message[1012]; } error = {0};\n"
    "    int (*open)(const void *data, size_t size, void **out, void *error);\n"
    "    const char *named = getenv(\"INGOT_LIBRARY\");\n"
    "    void *handle = dlopen(INGOT_FILE, RTLD_NOW | RTLD_NOLOAD);\n"
    "    if (!handle) handle = dlopen(named && *named ? named : INGOT_FILE, RTLD_NOW);\n"
    "    if (!handle) {\n"
    "        snprintf(ingot.why, sizeof ingot.why, \"Ingot's library was not found; import ingot first, or set INGOT_LIBRARY: %s\",\n"
    "                 dlerror());\n"
    "        return;\n"
    "    }\n"
    "    find(handle, \"ingot_exported_open\", &open);\n"
    "    find(handle, \"ingot_exported_call\", &ingot.call);\n"
    "    if (!open || !ingot.call) {\n"
    "        strcpy(ingot.why, \"the libingot that was found is older than this library needs\");\n"
    "    } else if (open(ingot_module_bytes, ingot_module_size, &ingot.module, &error) != 0) {\n"
    "        snprintf(ingot.why, sizeof ingot.why, \"%s\", error.message);\n"
    "    }\n"
    "}\n"
    "\n"
    "static int call(const char *function, const void *args, int32_t count, void *result)\n"
    "{\n"
    "    pthread_once(&ingot.once, start);\n"
    "    return ingot.module ? ingot.call(ingot.module, function, args, count, result) : fail(ingot.why);\n"
    "}\n";

static void module_bytes(str bytes, buf *out)
{
    buf_printf(out, "\nconst uint64_t ingot_module_size = %zu;\nconst unsigned char ingot_module_bytes[] = {", bytes.n);
    for (size_t i = 0; i < bytes.n; ++i) {
        buf_printf(out, "%s%u", i % ROW == 0 ? "\n    " : " ", (unsigned)(unsigned char)bytes.p[i]);
        if (i + 1 < bytes.n) buf_char(out, ',');
    }
    buf_text(out, "\n};\n");
}

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

static void function(const host_function *f, const char *shown, const ingot_allocator *mem, buf *out)
{
    buf doc = buf_make(mem);
    host_signature(f, &doc);
    buf_printf(out, "\nSHOWN int __tvm_ffi_%s(void *self, const any *args, int32_t count, any *result);\n", shown);
    buf_printf(out, "int __tvm_ffi_%s(void *self, const any *args, int32_t count, any *result)\n", shown);
    buf_printf(out, "{\n    (void)self;\n    return call(\"%s\", args, count, result);\n}\n", f->name.p);
    buf_printf(out, "SHOWN int __tvm_ffi__metadata_%s(void *self, const any *args, int32_t count, any *result);\n", shown);
    buf_printf(out, "int __tvm_ffi__metadata_%s(void *self, const any *args, int32_t count, any *result)\n", shown);
    buf_text(out, "{\n    (void)self, (void)args, (void)count;\n    return text(");
    metadata(f, mem, out);
    buf_text(out, ", result);\n}\n");
    buf_printf(out, "SHOWN int __tvm_ffi__doc_%s(void *self, const any *args, int32_t count, any *result);\n", shown);
    buf_printf(out, "int __tvm_ffi__doc_%s(void *self, const any *args, int32_t count, any *result)\n", shown);
    buf_text(out, "{\n    (void)self, (void)args, (void)count;\n    return text(");
    c_string(out, buf_view(&doc));
    buf_text(out, ", result);\n}\n");
    out->failed = out->failed || doc.failed;
    buf_free(&doc);
}

ingot_status export_c(const ingot_module *m, buf *out, ingot_error *error)
{
    const host_program *host = m->host;
    if (host->function_count == 0) return error_set(error, INGOT_VALUE, "the module has no host functions to export");
    for (size_t i = 0; i < host->function_count; ++i) {
        if (is_identifier(host->functions[i].name)) continue;
        return error_set(error, INGOT_VALUE, "function \"%s\": a library exports C identifiers only",
                         host->functions[i].name.p);
    }
    buf bytes = buf_make(m->mem);
    ingot_status status = module_save(m, &bytes, error);
    if (status == INGOT_OK) {
        buf_printf(out, "/* Exported by Ingot %s: functions for tvm_ffi.load_module, and the module that they run.\n"
                        " * cc -shared -fPIC -o module.so module.c */\n",
                   INGOT_VERSION);
        buf_text(out, prelude);
        for (size_t i = 0; i < host->function_count; ++i) {
            const host_function *f = &host->functions[i];
            function(f, f->name.p, m->mem, out);
            /* What a module's only function is called, calling the module calls it. */
            if (host->function_count == 1 && !str_is(f->name, "main")) function(f, "main", m->mem, out);
        }
        module_bytes(buf_view(&bytes), out);
    }
    buf_free(&bytes);
    return status;
}
