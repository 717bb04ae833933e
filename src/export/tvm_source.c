/* A module as a C source in TVM's shape: host functions in plain C, kernels as an import of kind "metal". */
#include "export/tvm_source.h"

#include <inttypes.h>

#include "base/dtype.h"
#include "base/error.h"
#include "export/export.h"

static const char prelude[] =
    "\n"
    "/* What calls kernels: TVM's runtime, through the library's imports. */\n"
    "extern __attribute__((weak)) int TVMFFIEnvModLookupFromImports(void *library, const char *name, void **function);\n"
    "extern __attribute__((weak)) int TVMFFIFunctionCall(void *function, const any *args, int32_t count, any *result);\n"
    "#define MAYBE static __attribute__((unused)) /* not every module needs all of these */\n"
    "SHOWN extern void *__tvm_ffi__library_ctx;\n"
    "void *__tvm_ffi__library_ctx = NULL;\n"
    "\n"
    "typedef struct {\n"
    "    void *data;\n"
    "    int32_t device_type, device_id, ndim;\n"
    "    uint8_t code, bits;\n"
    "    uint16_t lanes;\n"
    "    int64_t *shape, *strides;\n"
    "    uint64_t byte_offset;\n"
    "} tensor;\n"
    "\n"
    "MAYBE const tensor *tensor_of(const any *value)\n"
    "{\n"
    "    if (value->tag == 7) return value->as.p;\n"
    "    return value->tag == 70 ? (const tensor *)((const char *)value->as.p + 24) : NULL;\n"
    "}\n"
    "\n"
    "MAYBE int call(const char *name, const any *args, int32_t count)\n"
    "{\n"
    "    void *function = NULL;\n"
    "    any result = {0};\n"
    "    if (!TVMFFIEnvModLookupFromImports || !TVMFFIFunctionCall) return -1;\n"
    "    if (TVMFFIEnvModLookupFromImports(__tvm_ffi__library_ctx, name, &function)) return -1;\n"
    "    return TVMFFIFunctionCall(function, args, count, &result);\n"
    "}\n"
    "\n"
    "MAYBE int launch(const char *kernel, const any *args, int32_t count) { return call(kernel, args, count); }\n"
    "\n"
    "MAYBE int64_t truncdiv(int64_t a, int64_t b) { return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b; }\n"
    "MAYBE int64_t truncmod(int64_t a, int64_t b) { return b == -1 ? 0 : a % b; }\n"
    "MAYBE int64_t floordiv(int64_t a, int64_t b) { return truncdiv(a, b) - (truncmod(a, b) != 0 && (a < 0) != (b < 0)); }\n"
    "MAYBE int64_t floormod(int64_t a, int64_t b)\n"
    "{\n"
    "    int64_t rest = truncmod(a, b);\n"
    "    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;\n"
    "}\n"
    "MAYBE int64_t lesser(int64_t a, int64_t b) { return b < a ? b : a; }\n"
    "MAYBE int64_t greater(int64_t a, int64_t b) { return a < b ? b : a; }\n"
    "MAYBE double number(uint64_t bits)\n"
    "{\n"
    "    double value;\n"
    "    memcpy(&value, &bits, sizeof value);\n"
    "    return value;\n"
    "}\n"
    "MAYBE int compact(const tensor *t)\n"
    "{\n"
    "    int64_t expected = 1;\n"
    "    for (int32_t d = t->ndim; t->strides && d > 0; --d) {\n"
    "        if (t->shape[d - 1] != 1 && t->strides[d - 1] != expected) return 0;\n"
    "        expected *= t->shape[d - 1];\n"
    "    }\n"
    "    return 1;\n"
    "}\n";

/* ---- Arguments ----------------------------------------------------------------------------------- */

/* "    if (CONDITION) return fail(KIND, "WHAT on argument #K when calling: `SIGNATURE`");" */
static void refuse(const tvm_writer *w, const char *condition, const char *kind, const char *what, size_t k)
{
    buf text = buf_make(w->out->mem);
    buf_printf(&text, "%s on argument #%zu when calling:\n  `", what, k);
    host_signature(w->f, &text);
    buf_char(&text, '`');
    buf_printf(w->out, "    if (%s) return fail(\"%s\", ", condition, kind);
    c_string(w->out, buf_view(&text));
    buf_text(w->out, ");\n");
    w->out->failed = w->out->failed || text.failed;
    buf_free(&text);
}

static void scalar(const tvm_writer *w, size_t k)
{
    const host_param *p = &w->f->params[k];
    char condition[96];
    bool is_float = dtype_is_float(p->dtype);
    snprintf(condition, sizeof condition, "args[%zu].tag != 1 && args[%zu].tag != 2%s", k, k, is_float ? " && !real" : "");
    if (is_float) {
        buf_printf(w->out, "    real = args[%zu].tag == 3;\n", k);
        refuse(w, condition, "TypeError", "Mismatched type", k);
        const char *round = p->dtype.bits == 64 ? "" : "(double)(float)";
        buf_printf(w->out, "    r%u = %s(real ? args[%zu].as.f : (double)args[%zu].as.i);\n", (unsigned)p->reg, round, k, k);
        return;
    }
    refuse(w, condition, "TypeError", "Mismatched type", k);
    buf_printf(w->out, "    r%u = args[%zu].as.i;\n", (unsigned)p->reg, k);
    if (p->dtype.bits >= 64 || p->dtype.code == kDLBool) return;
    snprintf(condition, sizeof condition, "r%u != (%sint%d_t)r%u", (unsigned)p->reg, p->dtype.code == kDLUInt ? "u" : "",
             p->dtype.bits, (unsigned)p->reg);
    refuse(w, condition, "ValueError", "A value that does not fit", k);
}

/* What the tensor is, and the variables that its shape defines. */
static void tensor(const tvm_writer *w, size_t k)
{
    const host_param *p = &w->f->params[k];
    char condition[160];
    buf_printf(w->out, "    const tensor *t%zu = tensor_of(&args[%zu]);\n", k, k);
    snprintf(condition, sizeof condition, "!t%zu", k);
    refuse(w, condition, "TypeError", "Expected a Tensor", k);
    snprintf(condition, sizeof condition, "t%zu->ndim != %zu", k, p->ndim);
    refuse(w, condition, "ValueError", "Mismatched ndim", k);
    snprintf(condition, sizeof condition, "t%zu->code != %u || t%zu->bits != %u || t%zu->lanes != %u", k, p->dtype.code, k,
             p->dtype.bits, k, p->dtype.lanes);
    refuse(w, condition, "TypeError", "Mismatched dtype", k);
    snprintf(condition, sizeof condition, "t%zu->device_type != 8", k);
    refuse(w, condition, "ValueError", "Mismatched device_type: expected metal", k);
    snprintf(condition, sizeof condition, "!compact(t%zu)", k);
    refuse(w, condition, "ValueError", "Mismatched strides: expected a compact array", k);
    snprintf(condition, sizeof condition, "t%zu->byte_offset != 0", k);
    refuse(w, condition, "ValueError", "Mismatched byte_offset: expected 0", k);
    for (size_t d = 0; d < p->ndim; ++d) {
        if (p->shape[d].kind != HOST_DIM_DEFINE) continue;
        buf_printf(w->out, "    r%u = t%zu->shape[%zu];\n", (unsigned)p->shape[d].reg, k, d);
    }
    buf_printf(w->out, "    r%u = t%zu->data;\n    device = t%zu->device_id;\n", (unsigned)p->reg, k, k);
}

/* Dimensions that must be something: what a variable holds already (`late` false), constants and expressions. */
static void check_shape(const tvm_writer *w, size_t k, bool late)
{
    const host_param *p = &w->f->params[k];
    char condition[120], what[40];
    for (size_t d = 0; d < p->ndim; ++d) {
        const host_dim *dim = &p->shape[d];
        bool is_late = dim->kind == HOST_DIM_CONST || dim->kind == HOST_DIM_EXPR;
        if (dim->kind == HOST_DIM_DEFINE || is_late != late) continue;
        snprintf(what, sizeof what, "Mismatched shape[%zu]", d);
        if (dim->kind == HOST_DIM_CONST) {
            snprintf(condition, sizeof condition, "t%zu->shape[%zu] != %" PRId64, k, d, dim->value);
        } else {
            snprintf(condition, sizeof condition, "t%zu->shape[%zu] != r%u", k, d, (unsigned)dim->reg);
        }
        refuse(w, condition, "ValueError", what, k);
    }
}

static void check_shapes(const tvm_writer *w, bool late)
{
    for (size_t k = 0; k < w->f->param_count; ++k) {
        if (w->f->params[k].kind == INGOT_PARAM_TENSOR) check_shape(w, k, late);
    }
}

/* ---- Functions ----------------------------------------------------------------------------------- */

static void registers(const tvm_writer *w)
{
    for (size_t i = 0; i < w->f->reg_count; ++i) {
        DLDataType t = w->f->regs[i];
        if (t.code == kDLOpaqueHandle) buf_printf(w->out, "    void *r%zu = NULL;\n", i);
        else buf_printf(w->out, "    %s r%zu = 0;\n", dtype_is_float(t) ? "double" : "int64_t", i);
    }
    for (size_t i = 0; i < w->f->reg_count; ++i) buf_printf(w->out, "    (void)r%zu;\n", i);
}

/* Types and layouts that this shape has no words for. */
static ingot_status check_supported(const host_function *f, ingot_error *error)
{
    const char *what = NULL;
    for (size_t i = 0; i < f->reg_count; ++i) {
        if (dtype_is_float(f->regs[i]) && f->regs[i].bits < 32) what = "scalars of less than 32 bits";
    }
    for (size_t k = 0; k < f->param_count; ++k) {
        const host_param *p = &f->params[k];
        if (p->kind == INGOT_PARAM_POINTER) what = "bare pointers as parameters";
        if (p->stride_count != 0) what = "strided parameters";
        if (p->kind == INGOT_PARAM_TENSOR && (p->offset.kind != HOST_DIM_CONST || p->offset.value != 0)) what = "offsets into parameters";
    }
    if (what == NULL) return INGOT_OK;
    return error_set(error, INGOT_UNSUPPORTED, "function \"%s\": a library in TVM's shape is not written with %s", f->name.p, what);
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

static ingot_status function(const host_function *f, const char *shown, buf *out, ingot_error *error)
{
    tvm_writer w = {f, out};
    ingot_status status = check_supported(f, error);
    if (status != INGOT_OK) return status;
    buf_char(out, '\n');
    c_symbol(out, "", shown);
    buf_printf(out, "{\n    any packed[%zu];\n    int real = 0;\n    int32_t device = 0;\n", longest_launch(f));
    buf_text(out, "    (void)self, (void)args, (void)result, (void)real, (void)packed;\n");
    registers(&w);
    buf_printf(out, "    if (count != %zu) return fail(\"TypeError\", \"expected %zu arguments\");\n", f->param_count, f->param_count);
    for (size_t k = 0; k < f->param_count; ++k) {
        if (f->params[k].kind == INGOT_PARAM_SCALAR) scalar(&w, k);
    }
    for (size_t k = 0; k < f->param_count; ++k) {
        if (f->params[k].kind == INGOT_PARAM_TENSOR) tensor(&w, k);
    }
    check_shapes(&w, false);
    status = tvm_write_code(&w, 0, f->checks_end, error);
    if (status != INGOT_OK) return status;
    check_shapes(&w, true);
    if (f->launch_count != 0) {
        buf_text(out, "    any where[2] = {{1, 0, {.i = 8}}, {1, 0, {.i = device}}};\n"
                      "    if (call(\"__tvm_set_device\", where, 2)) return -1;\n");
    } else {
        buf_text(out, "    (void)device;\n");
    }
    status = tvm_write_code(&w, f->checks_end, f->code_count, error);
    buf_text(out, "}\n");
    return status;
}

/* The serialised imports: the library itself, and below it the kernels. */
static void imports(const ingot_module *m, buf *out)
{
    buf kernels = buf_make(m->mem), blob = buf_make(m->mem);
    pack_device_module_write(m->device, &kernels);
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
}

ingot_status export_tvm_c(const ingot_module *m, buf *out, ingot_error *error)
{
    ingot_status status = c_check_names(m, error);
    if (status != INGOT_OK) return status;
    buf_printf(out, "/* Exported by Ingot %s in TVM's shape: its kernels are an import of kind \"metal\".\n"
                    " * cc -shared -fPIC -o module.so module.c */\n",
               INGOT_VERSION);
    buf_text(out, c_prelude);
    buf_text(out, prelude);
    const host_program *host = m->host;
    for (size_t i = 0; status == INGOT_OK && i < host->function_count; ++i) {
        const host_function *f = &host->functions[i];
        status = function(f, f->name.p, out, error);
        c_descriptions(f, f->name.p, m->mem, out);
        if (status != INGOT_OK || host->function_count > 1 || str_is(f->name, "main")) continue;
        status = function(f, "main", out, error);
        c_descriptions(f, "main", m->mem, out);
    }
    imports(m, out);
    return status;
}
