/* The checks of a library's arguments in TVM's shape, in the order in which TVM makes them. */
#include <inttypes.h>

#include "base/dtype.h"
#include "export/tvm_source.h"

enum { TEXT = 200 }; /* longest condition */

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

/* Refuses what a register's type cannot hold. */
static void refuse_misfit(const tvm_writer *w, uint16_t reg, const char *what, size_t k)
{
    DLDataType t = w->f->regs[reg];
    if (t.bits >= 64 || t.code == kDLBool) return;
    char condition[TEXT];
    snprintf(condition, sizeof condition, "r%u != (%sint%d_t)r%u", (unsigned)reg, t.code == kDLUInt ? "u" : "", t.bits, (unsigned)reg);
    refuse(w, condition, "ValueError", what, k);
}

static void write_scalar(const tvm_writer *w, size_t k)
{
    const host_param *p = &w->f->params[k];
    char condition[TEXT];
    bool is_float = dtype_is_float(p->dtype);
    snprintf(condition, sizeof condition, "args[%zu].tag != 1 && args[%zu].tag != 2%s", k, k, is_float ? " && !real" : "");
    if (is_float) buf_printf(w->out, "    real = args[%zu].tag == 3;\n", k);
    refuse(w, condition, "TypeError", "Mismatched type", k);
    if (is_float) {
        buf_printf(w->out, "    r%u = %sreal ? args[%zu].as.f : (double)args[%zu].as.i);\n", (unsigned)p->reg, tvm_wrap(p->dtype), k, k);
        snprintf(condition, sizeof condition, "isinf(r%u) && !(real && isinf(args[%zu].as.f))", (unsigned)p->reg, k);
        refuse(w, condition, "ValueError", "A value that does not fit", k);
        return;
    }
    buf_printf(w->out, "    r%u = args[%zu].as.i%s;\n", (unsigned)p->reg, k, p->dtype.code == kDLBool ? " != 0" : "");
    if (p->dtype.code == kDLUInt && p->dtype.bits == 64) {
        snprintf(condition, sizeof condition, "r%u < 0", (unsigned)p->reg);
        refuse(w, condition, "ValueError", "A value that does not fit", k);
    }
    refuse_misfit(w, p->reg, "A value that does not fit", k);
}

/* A pointer without a type: an address, or a tensor's. */
static void write_pointer(const tvm_writer *w, size_t k)
{
    char condition[TEXT];
    unsigned reg = w->f->params[k].reg;
    buf_printf(w->out, "    const tensor *t%zu = tensor_of(&args[%zu]);\n", k, k);
    snprintf(condition, sizeof condition, "!t%zu && args[%zu].tag != 4 && args[%zu].tag != 0", k, k, k);
    refuse(w, condition, "TypeError", "Expected a pointer", k);
    snprintf(condition, sizeof condition, "t%zu && (t%zu->device_type != 8 || t%zu->byte_offset != 0)", k, k, k);
    refuse(w, condition, "ValueError", "Expected the beginning of metal memory", k);
    buf_printf(w->out, "    r%u = t%zu ? t%zu->data : args[%zu].as.p;\n", reg, k, k, k);
}

/* A dimension's value: VALUE is a C expression that may name tN. */
static void define(const tvm_writer *w, const host_dim *d, const char *value, const char *what, size_t k)
{
    if (d->kind != HOST_DIM_DEFINE) return;
    buf_printf(w->out, "    r%u = %s;\n", (unsigned)d->reg, value);
    refuse_misfit(w, d->reg, what, k);
}

static void write_offset(const tvm_writer *w, size_t k)
{
    const host_param *p = &w->f->params[k];
    char text[TEXT];
    uint32_t bytes = dtype_bytes(p->dtype);
    int64_t unit = p->offset.kind == HOST_DIM_DEFINE && p->offset_factor > 1 ? p->offset_factor * (int64_t)bytes : bytes;
    snprintf(text, sizeof text, "t%zu->byte_offset %% %" PRId64 " != 0", k, unit);
    if (unit > 1) refuse(w, text, "ValueError", "Misaligned byte_offset", k);
    snprintf(text, sizeof text, "(int64_t)(t%zu->byte_offset / %" PRIu32 ")", k, bytes);
    define(w, &p->offset, text, "Invalid byte_offset", k);
}

/* What the tensor is, and the variables that its shape, strides and offset define. */
static void write_tensor(const tvm_writer *w, size_t k)
{
    const host_param *p = &w->f->params[k];
    char condition[TEXT], what[48];
    buf_printf(w->out, "    const tensor *t%zu = tensor_of(&args[%zu]);\n", k, k);
    snprintf(condition, sizeof condition, "!t%zu", k);
    refuse(w, condition, "TypeError", "Expected a Tensor", k);
    snprintf(condition, sizeof condition, "t%zu->ndim != %zu", k, p->ndim);
    refuse(w, condition, "ValueError", "Mismatched ndim", k);
    snprintf(condition, sizeof condition, "t%zu->code != %u || t%zu->bits != %u || t%zu->lanes != %u", k, p->dtype.code, k,
             p->dtype.bits, k, p->dtype.lanes);
    refuse(w, condition, "TypeError", "Mismatched dtype", k);
    for (size_t d = 0; d < p->ndim; ++d) {
        snprintf(what, sizeof what, "Invalid shape[%zu]", d);
        snprintf(condition, sizeof condition, "t%zu->shape[%zu] < 0", k, d);
        refuse(w, condition, "ValueError", what, k);
        snprintf(condition, sizeof condition, "t%zu->shape[%zu]", k, d);
        define(w, &p->shape[d], condition, what, k);
    }
    for (size_t d = p->stride_count; d > 0; --d) {
        snprintf(what, sizeof what, "Invalid strides[%zu]", d - 1);
        snprintf(condition, sizeof condition, "stride(t%zu, %zu) < 0", k, d - 1);
        refuse(w, condition, "ValueError", what, k);
        snprintf(condition, sizeof condition, "stride(t%zu, %zu)", k, d - 1);
        define(w, &p->strides[d - 1], condition, what, k);
    }
    write_offset(w, k);
    snprintf(condition, sizeof condition, "t%zu->device_type != 8", k);
    refuse(w, condition, "ValueError", "Mismatched device_type: expected metal", k);
    if (p->stride_count == 0) {
        snprintf(condition, sizeof condition, "!compact(t%zu)", k);
        refuse(w, condition, "ValueError", "Mismatched strides: expected a compact array", k);
    }
    snprintf(condition, sizeof condition, "lacks_data(t%zu)", k);
    refuse(w, condition, "ValueError", "Data pointer is NULL", k);
    buf_printf(w->out, "    r%u = t%zu->data;\n", (unsigned)p->reg, k);
}

/* All tensors lie on the device of the first. */
static void write_devices(const tvm_writer *w)
{
    size_t first = SIZE_MAX;
    char condition[TEXT];
    for (size_t k = 0; k < w->f->param_count; ++k) {
        if (w->f->params[k].kind != INGOT_PARAM_TENSOR) continue;
        if (first == SIZE_MAX) {
            buf_printf(w->out, "    *device = t%zu->device_id;\n", k);
            first = k;
            continue;
        }
        snprintf(condition, sizeof condition, "t%zu->device_id != *device", k);
        refuse(w, condition, "ValueError", "Mismatched device_id", k);
    }
}

/* A dimension that must be something: what a variable holds already (`late` false), a constant or an expression. */
static void check(const tvm_writer *w, const host_dim *d, const char *value, const char *what, size_t k, bool late)
{
    char condition[TEXT];
    if (d->kind == HOST_DIM_DEFINE || (d->kind != HOST_DIM_MATCH) != late) return;
    if (d->kind == HOST_DIM_CONST) snprintf(condition, sizeof condition, "%s != %" PRId64, value, d->value);
    else snprintf(condition, sizeof condition, "%s != r%u", value, (unsigned)d->reg);
    refuse(w, condition, "ValueError", what, k);
}

static void check_tensor(const tvm_writer *w, size_t k, bool late)
{
    const host_param *p = &w->f->params[k];
    char value[80], what[48];
    for (size_t d = 0; d < p->ndim; ++d) {
        snprintf(value, sizeof value, "t%zu->shape[%zu]", k, d);
        snprintf(what, sizeof what, "Mismatched shape[%zu]", d);
        check(w, &p->shape[d], value, what, k, late);
    }
    for (size_t d = p->stride_count; d > 0; --d) {
        snprintf(value, sizeof value, "stride(t%zu, %zu)", k, d - 1);
        snprintf(what, sizeof what, "Mismatched strides[%zu]", d - 1);
        check(w, &p->strides[d - 1], value, what, k, late);
    }
    snprintf(value, sizeof value, "(int64_t)(t%zu->byte_offset / %" PRIu32 ")", k, dtype_bytes(p->dtype));
    check(w, &p->offset, value, "Mismatched byte_offset", k, late);
}

void tvm_write_arguments(const tvm_writer *w, bool late)
{
    const host_function *f = w->f;
    for (size_t k = 0; !late && k < f->param_count; ++k) {
        if (f->params[k].kind == INGOT_PARAM_SCALAR) write_scalar(w, k);
        if (f->params[k].kind == INGOT_PARAM_POINTER) write_pointer(w, k);
    }
    for (size_t k = 0; !late && k < f->param_count; ++k) {
        if (f->params[k].kind == INGOT_PARAM_TENSOR) write_tensor(w, k);
    }
    if (!late) write_devices(w);
    for (size_t k = 0; k < f->param_count; ++k) {
        if (f->params[k].kind == INGOT_PARAM_TENSOR) check_tensor(w, k, late);
    }
}
