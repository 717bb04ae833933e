/* A module as a C source whose library tvm-ffi opens, and libingot runs. */
#include "export/c_text.h"
#include "export/export.h"

/* The way to libingot: it is found once, whoever comes first. */
static const char prelude[] =
    "\n"
    "SHOWN extern const uint64_t ingot_module_size;\n"
    "SHOWN extern const unsigned char ingot_module_bytes[];\n"
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
    "    return ingot.module ? ingot.call(ingot.module, function, args, count, result) : fail(\"RuntimeError\", ingot.why);\n"
    "}\n";

static void function(const host_function *f, const char *shown, const ingot_allocator *mem, buf *out)
{
    buf_char(out, '\n');
    c_symbol(out, "", shown);
    buf_printf(out, "{\n    (void)self;\n    return call(\"%s\", args, count, result);\n}\n", f->name.p);
    c_descriptions(f, shown, mem, out);
}

ingot_status export_c(const ingot_module *m, buf *out, ingot_error *error)
{
    const host_program *host = m->host;
    ingot_status status = c_check_names(m, error);
    if (status != INGOT_OK) return status;
    buf bytes = buf_make(m->mem);
    status = module_save(m, &bytes, error);
    if (status == INGOT_OK) {
        buf_printf(out, "/* Exported by Ingot %s: functions for tvm_ffi.load_module, and the module that they run.\n"
                        " * cc -shared -fPIC -o module.so module.c; on a Mac: cc -shared -undefined dynamic_lookup -o module.dylib module.c */\n",
                   INGOT_VERSION);
        buf_text(out, c_prelude);
        buf_text(out, prelude);
        for (size_t i = 0; i < host->function_count; ++i) {
            const host_function *f = &host->functions[i];
            function(f, f->name.p, m->mem, out);
            /* What a module's only function is called, calling the module calls it. */
            if (host->function_count == 1 && !str_is(f->name, "main")) function(f, "main", m->mem, out);
        }
        buf_printf(out, "\nconst uint64_t ingot_module_size = %zu;\nconst unsigned char ingot_module_bytes[] = {", bytes.n);
        c_bytes(out, buf_view(&bytes));
        buf_text(out, "};\n");
    }
    buf_free(&bytes);
    return status;
}
