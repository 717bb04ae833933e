/* A module as a C source in TVM's shape: host functions in plain C, kernels as an import of kind "metal". */
#include "export/tvm_source.h"

#include "base/dtype.h"
#include "base/error.h"
#include "export/export.h"

static void registers(const tvm_writer *w)
{
    for (size_t i = 0; i < w->f->reg_count; ++i) {
        DLDataType t = w->f->regs[i];
        if (t.code == kDLOpaqueHandle) buf_printf(w->out, "    void *r%zu = NULL;\n", i);
        else buf_printf(w->out, "    %s r%zu = 0;\n", dtype_is_float(t) ? "double" : "int64_t", i);
    }
    for (size_t i = 0; i < w->f->reg_count; ++i) buf_printf(w->out, "    (void)r%zu;\n", i);
}

/* Floats that the C source has no arithmetic for. */
static ingot_status check_supported(const host_function *f, ingot_error *error)
{
    char text[DTYPE_TEXT];
    for (size_t i = 0; i < f->reg_count; ++i) {
        if (!dtype_is_float(f->regs[i]) || f->regs[i].bits >= 16) continue;
        return error_set(error, INGOT_UNSUPPORTED, "function \"%s\": a library in TVM's shape is not written with scalars of %s", f->name.p,
                         dtype_print(f->regs[i], text));
    }
    return INGOT_OK;
}

static size_t longest_launch(const host_function *f)
{
    size_t most = 1;
    for (size_t i = 0; i < f->launch_count; ++i) {
        size_t n = f->launches[i].arg_count + f->launches[i].extent_count;
        if (n > most) most = n;
    }
    return most;
}

/* "static int run_NAME(...)": the checks and the code. */
static ingot_status write_function(const host_function *f, buf *out, ingot_error *error)
{
    tvm_writer w = {f, out};
    ingot_status status = check_supported(f, error);
    if (status != INGOT_OK) return status;
    buf_printf(out, "\nstatic int run_%s(const any *args, int32_t count, any *result, int32_t *device, void **slots)\n{\n", f->name.p);
    buf_printf(out, "    any packed[%zu];\n    int real = 0;\n", longest_launch(f));
    buf_text(out, "    (void)args, (void)result, (void)real, (void)packed, (void)device, (void)slots;\n");
    registers(&w);
    buf_printf(out, "    if (count != %zu) return fail(\"TypeError\", \"expected %zu arguments\");\n", f->param_count, f->param_count);
    tvm_write_arguments(&w, false);
    status = tvm_write_code(&w, 0, f->checks_end, error);
    if (status != INGOT_OK) return status;
    tvm_write_arguments(&w, true);
    if (f->launch_count != 0) {
        buf_text(out, "    any where[2] = {{1, 0, {.i = 8}}, {1, 0, {.i = *device}}};\n"
                      "    if (call(\"__tvm_set_device\", where, 2)) return -1;\n");
    }
    status = tvm_write_code(&w, f->checks_end, f->code_count, error);
    buf_text(out, "}\n");
    return status;
}

/* The symbol that calls it; what a module's only function is called, calling the module calls too. */
static void write_symbol(const host_function *f, const char *shown, const ingot_allocator *mem, buf *out)
{
    buf_char(out, '\n');
    c_symbol(out, "", shown);
    buf_text(out, "{\n    int32_t device = 0;\n");
    if (f->alloc_count == 0) {
        buf_printf(out, "    (void)self;\n    return run_%s(args, count, result, &device, NULL);\n}\n", f->name.p);
    } else {
        buf_printf(out, "    void *slots[%zu] = {NULL};\n    (void)self;\n", f->alloc_count);
        buf_printf(out, "    int status = run_%s(args, count, result, &device, slots);\n", f->name.p);
        buf_printf(out, "    for (int i = 0; i < %zu; ++i) drop(device, &slots[i]);\n    return status;\n}\n", f->alloc_count);
    }
    c_descriptions(f, shown, mem, out);
}

/* The kernels' launch records as TVM's launcher can read them. */
static ingot_status carried(pool *memory, const pack_device_module *from, pack_device_module *out)
{
    pack_kernel *kernels = pool_array(memory, pack_kernel, from->kernel_count);
    if (kernels == NULL) return INGOT_OUT_OF_MEMORY;
    for (size_t i = 0; i < from->kernel_count; ++i) {
        const pack_kernel *k = &from->kernels[i];
        DLDataType *types = pool_array(memory, DLDataType, k->arg_count);
        if (types == NULL) return INGOT_OUT_OF_MEMORY;
        for (size_t a = 0; a < k->arg_count; ++a) types[a] = tvm_carrier(k->arg_types[a]);
        kernels[i] = *k;
        kernels[i].arg_types = types;
    }
    *out = (pack_device_module){from->format, kernels, from->kernel_count};
    return INGOT_OK;
}

/* The serialised imports: the library itself, and below it the kernels. */
static ingot_status write_imports(const ingot_module *m, buf *out, ingot_error *error)
{
    pool memory = pool_make(m->mem);
    pack_device_module device;
    if (carried(&memory, m->device, &device) != INGOT_OK) {
        pool_free(&memory);
        return error_no_memory(error);
    }
    buf kernels = buf_make(m->mem), blob = buf_make(m->mem);
    pack_device_module_write(&device, &kernels);
    static const uint64_t rows[] = {3, 0, 1, 1, 1, 1}; /* row pointers 0, 1, 1; one column: 1 */
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) buf_u64(&blob, rows[i]);
    buf_u64(&blob, 4);
    buf_text(&blob, "_lib");
    buf_u64(&blob, 5);
    buf_text(&blob, "metal");
    buf_u64(&blob, kernels.n);
    buf_str(&blob, buf_view(&kernels));
    buf whole = buf_make(m->mem);
    buf_u64(&whole, blob.n);
    buf_str(&whole, buf_view(&blob));
    buf_printf(out, "\nSHOWN extern const unsigned char __tvm_ffi__library_bin[%zu];\n"
                    "const unsigned char __tvm_ffi__library_bin[%zu] = {", whole.n, whole.n);
    c_bytes(out, buf_view(&whole));
    buf_text(out, "};\n");
    out->failed = out->failed || kernels.failed || blob.failed || whole.failed;
    buf_free(&kernels);
    buf_free(&blob);
    buf_free(&whole);
    pool_free(&memory);
    return INGOT_OK;
}

ingot_status export_tvm_c(const ingot_module *m, buf *out, ingot_error *error)
{
    ingot_status status = c_check_names(m, error);
    if (status != INGOT_OK) return status;
    buf_printf(out, "/* Exported by Ingot %s in TVM's shape: its kernels are an import of kind \"metal\".\n"
                    " * cc -shared -fPIC -o module.so module.c -lm; on a Mac: cc -shared -undefined dynamic_lookup -o module.dylib module.c */\n",
               INGOT_VERSION);
    buf_text(out, c_prelude);
    buf_text(out, tvm_prelude);
    buf_text(out, tvm_arithmetic_prelude);
    const host_program *host = m->host;
    bool allocates = false;
    for (size_t i = 0; i < host->function_count; ++i) allocates = allocates || host->functions[i].alloc_count != 0;
    if (allocates) buf_text(out, tvm_memory_prelude);
    for (size_t i = 0; status == INGOT_OK && i < host->function_count; ++i) {
        const host_function *f = &host->functions[i];
        status = write_function(f, out, error);
        if (status != INGOT_OK) return status;
        write_symbol(f, f->name.p, m->mem, out);
        if (host->function_count == 1 && !str_is(f->name, "main")) write_symbol(f, "main", m->mem, out);
    }
    return write_imports(m, out, error);
}
