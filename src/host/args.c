/* Argument checks: first those that TVM's host functions make, in their order, then what those forget. */
#include "host/args.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/dtype.h"
#include "base/error.h"

enum { PART = 320 };

typedef struct binder {
    host_frame *frame;
    const host_function *f;
    const ingot_value *values;
    size_t count;
    const host_device *device;
    size_t first; /* index of the first tensor: the others are compared with its device id */
    ingot_error *error;
} binder;

/* ---- Messages -------------------------------------------------------------------------------- */

/* "HEAD when calling:\n  `SIGNATURE`TAIL". */
static ingot_status fail(const binder *b, ingot_status status, const char *head, const char *tail)
{
    buf text = buf_make(b->device->mem);
    host_signature(b->f, &text);
    status = text.failed ? error_no_memory(b->error)
                         : error_set(b->error, status, "%s when calling:\n  `%.*s`%s", head, (int)text.n,
                                     text.p, tail);
    buf_free(&text);
    return status;
}

/* "WHAT NAME.FIELD on argument #K ... ,\n  expected EXPECTED". FIELD may be empty. */
__attribute__((format(printf, 6, 7)))
static ingot_status refuse(const binder *b, ingot_status status, const char *what, size_t k, const char *field,
                           const char *expected, ...)
{
    char head[PART], tail[PART], text[PART];
    va_list args;
    va_start(args, expected);
    vsnprintf(text, sizeof text, expected, args);
    va_end(args);
    const char *name = b->f->params[k].name.p;
    snprintf(head, sizeof head, "%s %.100s%s%s on argument #%zu", what, name, field[0] != '\0' ? "." : "", field, k);
    snprintf(tail, sizeof tail, ",\n  expected %.300s", text);
    return fail(b, status, head, tail);
}

static const char *kind_name(const ingot_value *v)
{
    switch (v->kind) {
    case INGOT_VALUE_NONE: return "None";
    case INGOT_VALUE_BOOL: return "bool";
    case INGOT_VALUE_INT: return "int";
    case INGOT_VALUE_FLOAT: return "float";
    case INGOT_VALUE_STR: return "str";
    case INGOT_VALUE_BYTES: return "bytes";
    case INGOT_VALUE_TENSOR: return v->as.tensor != NULL ? "Tensor" : "None";
    case INGOT_VALUE_TUPLE: return "tuple";
    case INGOT_VALUE_TARGET: return "Target";
    case INGOT_VALUE_OTHER: return "another object";
    }
    return "nothing";
}

static ingot_status wrong_type(const binder *b, size_t k, const char *expected)
{
    char head[PART], tail[PART];
    snprintf(head, sizeof head, "Mismatched type on argument #%zu", k);
    snprintf(tail, sizeof tail, ",\n  expected %s, got %s", expected, kind_name(&b->values[k]));
    return fail(b, INGOT_TYPE, head, tail);
}

/* ---- The arguments' types, and the scalars --------------------------------------------------- */

static bool is_whole(const ingot_value *v)
{
    return v->kind == INGOT_VALUE_INT || v->kind == INGOT_VALUE_BOOL;
}

static int64_t whole(const ingot_value *v)
{
    return v->kind == INGOT_VALUE_BOOL ? v->as.boolean != 0 : v->as.integer;
}

static double number(const ingot_value *v)
{
    return v->kind == INGOT_VALUE_FLOAT ? v->as.real : (double)whole(v);
}

static ingot_status bind_scalar(const binder *b, size_t k)
{
    const host_param *p = &b->f->params[k];
    const ingot_value *v = &b->values[k];
    host_value *reg = &b->frame->regs[p->reg];
    if (dtype_is_float(p->dtype)) {
        if (!is_whole(v) && v->kind != INGOT_VALUE_FLOAT) return wrong_type(b, k, "float");
        reg->f = dtype_round(p->dtype, number(v));
        return INGOT_OK;
    }
    bool is_bool = p->dtype.code == kDLBool;
    if (!is_whole(v)) return wrong_type(b, k, is_bool ? "boolean" : "int");
    reg->i = dtype_wrap(p->dtype, whole(v));
    return INGOT_OK;
}

static ingot_status bind_types(binder *b)
{
    for (size_t k = 0; k < b->f->param_count; ++k) {
        const host_param *p = &b->f->params[k];
        const ingot_value *v = &b->values[k];
        if (p->kind == INGOT_PARAM_SCALAR) {
            ingot_status status = bind_scalar(b, k);
            if (status != INGOT_OK) return status;
            continue;
        }
        if (v->kind != INGOT_VALUE_TENSOR && v->kind != INGOT_VALUE_NONE) {
            return wrong_type(b, k, p->kind == INGOT_PARAM_TENSOR ? "Tensor" : "pointer");
        }
        if (p->kind == INGOT_PARAM_TENSOR && b->first == SIZE_MAX) b->first = k;
        b->frame->regs[p->reg] = (host_value){.i = 0, .memory = (uint32_t)(1 + k)};
    }
    return INGOT_OK;
}

/* ---- Tensors: what they are ------------------------------------------------------------------ */

/* The stride of a tensor, also where the tensor gives none. */
static int64_t stride_of(const DLTensor *t, size_t d)
{
    if (t->strides != NULL) return t->strides[d];
    uint64_t stride = 1;
    for (size_t i = (size_t)t->ndim; i > d + 1; --i) stride *= (uint64_t)t->shape[i - 1];
    return (int64_t)stride;
}

static int64_t offset_of(const host_param *p, const DLTensor *t)
{
    return (int64_t)(t->byte_offset / dtype_bytes(p->dtype));
}

static void define(const binder *b, const host_dim *d, int64_t value)
{
    if (d->kind == HOST_DIM_DEFINE) b->frame->regs[d->reg].i = dtype_wrap(b->f->regs[d->reg], value);
}

static ingot_status bind_tensor(const binder *b, size_t k)
{
    const host_param *p = &b->f->params[k];
    const DLTensor *t = b->values[k].kind == INGOT_VALUE_TENSOR ? b->values[k].as.tensor : NULL;
    if (t == NULL) return wrong_type(b, k, "Tensor");
    if (t->ndim < 0 || (size_t)t->ndim != p->ndim) {
        return refuse(b, INGOT_VALUE, "Mismatched", k, "ndim", "%zu, got %d", p->ndim, (int)t->ndim);
    }
    char want[DTYPE_TEXT], have[DTYPE_TEXT];
    if (!dtype_eq(t->dtype, p->dtype)) {
        return refuse(b, INGOT_TYPE, "Mismatched", k, "dtype", "%s, got %s", dtype_print(p->dtype, want),
                      dtype_print(t->dtype, have));
    }
    if (t->ndim != 0 && t->shape == NULL) return refuse(b, INGOT_VALUE, "Invalid", k, "shape", "it not to be NULL");
    for (size_t d = 0; d < p->ndim; ++d) define(b, &p->shape[d], t->shape[d]);
    for (size_t d = p->stride_count; d > 0; --d) define(b, &p->strides[d - 1], stride_of(t, d - 1));
    define(b, &p->offset, offset_of(p, t));
    if (p->offset.kind == HOST_DIM_DEFINE && p->offset_factor > 1 && offset_of(p, t) % p->offset_factor != 0) {
        char head[PART], tail[PART];
        snprintf(head, sizeof head, "Misaligned Tensor data on argument #%zu", k);
        snprintf(tail, sizeof tail, ",\n  expected data alignment=%" PRId64 " bytes, got byte_offset %" PRIu64,
                 p->offset_factor * (int64_t)dtype_bytes(p->dtype), t->byte_offset);
        return fail(b, INGOT_VALUE, head, tail);
    }
    if (t->device.device_type != kDLMetal) {
        return refuse(b, INGOT_VALUE, "Mismatched", k, "device_type", "metal, got device type %d",
                      (int)t->device.device_type);
    }
    return INGOT_OK;
}

/* ---- Tensors: whether they agree -------------------------------------------------------------- */

/* A part of a tensor's description; its text is only made for a message. */
typedef struct place {
    const char *name;
    size_t index; /* SIZE_MAX: the name is all */
} place;

static const char *place_text(place at, char out[PART])
{
    if (at.index == SIZE_MAX) return at.name;
    snprintf(out, PART, "%s[%zu]", at.name, at.index);
    return out;
}

static const place byte_offset = {"byte_offset", SIZE_MAX};

static ingot_status match(const binder *b, size_t k, const host_dim *d, place at, int64_t value)
{
    char field[PART];
    /* Compared as the variable's type holds it; what does not fit is refused right after. */
    if (d->kind != HOST_DIM_MATCH || b->frame->regs[d->reg].i == dtype_wrap(b->f->regs[d->reg], value)) return INGOT_OK;
    return refuse(b, INGOT_VALUE, "Mismatched", k, place_text(at, field), "to match %.100s (%" PRId64 "), got %" PRId64, d->shown.p,
                  b->frame->regs[d->reg].i, value);
}

/* What the parameter says of its own extent. */
static int64_t declared(const binder *b, const host_dim *d)
{
    return d->kind == HOST_DIM_CONST ? d->value : b->frame->regs[d->reg].i;
}

static bool is_compact(const binder *b, const host_param *p, const DLTensor *t)
{
    uint64_t expected = 1;
    for (size_t d = p->ndim; d > 0; --d) {
        int64_t extent = declared(b, &p->shape[d - 1]);
        if (extent != 1 && (uint64_t)t->strides[d - 1] != expected) return false;
        expected *= (uint64_t)extent;
    }
    return true;
}

static bool is_empty(const binder *b, const host_param *p)
{
    for (size_t d = 0; d < p->ndim; ++d) {
        if (declared(b, &p->shape[d]) == 0) return true;
    }
    return false;
}

typedef ingot_status (*dim_check)(const binder *b, size_t k, const host_dim *dim, place at, int64_t value);

/* Checks the shape, then the strides from the last to the first, up to the first that fails. */
static ingot_status each_dim(const binder *b, size_t k, dim_check check)
{
    const host_param *p = &b->f->params[k];
    const DLTensor *t = b->values[k].as.tensor;
    ingot_status status = INGOT_OK;
    for (size_t d = 0; status == INGOT_OK && d < p->ndim; ++d) {
        status = check(b, k, &p->shape[d], (place){"shape", d}, t->shape[d]);
    }
    for (size_t d = p->stride_count; status == INGOT_OK && d > 0; --d) {
        status = check(b, k, &p->strides[d - 1], (place){"strides", d - 1}, stride_of(t, d - 1));
    }
    return status;
}

static ingot_status match_tensor(const binder *b, size_t k)
{
    const host_param *p = &b->f->params[k];
    const DLTensor *t = b->values[k].as.tensor;
    ingot_status status = each_dim(b, k, match);
    if (status != INGOT_OK) return status;
    if (p->stride_count == 0 && t->strides != NULL && !is_compact(b, p, t)) {
        return refuse(b, INGOT_VALUE, "Mismatched", k, "strides", "to be compact array");
    }
    status = match(b, k, &p->offset, byte_offset, offset_of(p, t));
    if (status != INGOT_OK) return status;
    const DLTensor *first = b->values[b->first].as.tensor;
    if (t->device.device_id != first->device.device_id) {
        return refuse(b, INGOT_VALUE, "Mismatched", k, "device_id", "to match %.100s.device_id (%d), got %d",
                      b->f->params[b->first].name.p, (int)first->device.device_id, (int)t->device.device_id);
    }
    if (t->data == NULL && !is_empty(b, p)) {
        char head[PART];
        snprintf(head, sizeof head, "%.100s data pointer is NULL on argument #%zu", p->name.p, k);
        return fail(b, INGOT_VALUE, head, ",\n  expected non-NULL data pointer");
    }
    return INGOT_OK;
}

/* ---- What TVM does not check: ranges ---------------------------------------------------------- */

static ingot_status range_of_float(const binder *b, size_t k)
{
    const host_param *p = &b->f->params[k];
    double value = number(&b->values[k]);
    if (!isfinite(value) || isfinite(b->frame->regs[p->reg].f)) return INGOT_OK;
    char type[DTYPE_TEXT];
    return refuse(b, INGOT_VALUE, "Invalid", k, "", "a finite value of %s, got %.9g", dtype_print(p->dtype, type), value);
}

static ingot_status range_of_scalar(const binder *b, size_t k)
{
    const host_param *p = &b->f->params[k];
    if (dtype_is_float(p->dtype)) return range_of_float(b, k);
    int64_t value = whole(&b->values[k]);
    if (p->dtype.code == kDLBool) return INGOT_OK;
    bool wide = p->dtype.code == kDLUInt && p->dtype.bits == 64;
    if (value >= dtype_min(p->dtype) && value <= dtype_max(p->dtype)) return INGOT_OK;
    if (wide) return refuse(b, INGOT_VALUE, "Invalid", k, "", "a value in [0, %" PRIu64 "], got %" PRId64, UINT64_MAX, value);
    return refuse(b, INGOT_VALUE, "Invalid", k, "", "a value in [%" PRId64 ", %" PRId64 "], got %" PRId64,
                  dtype_min(p->dtype), dtype_max(p->dtype), value);
}

/* A value taken from a tensor fits the variable that it defines or must agree with. */
static ingot_status fits(const binder *b, size_t k, const host_dim *d, place at, int64_t value)
{
    bool variable = d->kind == HOST_DIM_DEFINE || d->kind == HOST_DIM_MATCH;
    if (!variable || dtype_wrap(b->f->regs[d->reg], value) == value) return INGOT_OK;
    char type[DTYPE_TEXT], field[PART];
    return refuse(b, INGOT_VALUE, "Invalid", k, place_text(at, field), "a value of %s, got %" PRId64,
                  dtype_print(b->f->regs[d->reg], type), value);
}

static ingot_status no_negative(const binder *b, size_t k, place at, const char *what, int64_t value)
{
    char field[PART];
    if (value >= 0) return INGOT_OK;
    return refuse(b, INGOT_VALUE, "Invalid", k, place_text(at, field), "no negative %s, got %" PRId64, what, value);
}

static ingot_status range_of_tensor(const binder *b, size_t k)
{
    const host_param *p = &b->f->params[k];
    const DLTensor *t = b->values[k].as.tensor;
    for (size_t d = 0; d < p->ndim; ++d) {
        place at = {"shape", d};
        ingot_status status = no_negative(b, k, at, "extent", t->shape[d]);
        if (status == INGOT_OK) status = fits(b, k, &p->shape[d], at, t->shape[d]);
        if (status != INGOT_OK) return status;
    }
    for (size_t d = 0; d < p->stride_count; ++d) {
        place at = {"strides", d};
        ingot_status status = no_negative(b, k, at, "stride", stride_of(t, d));
        if (status == INGOT_OK) status = fits(b, k, &p->strides[d], at, stride_of(t, d));
        if (status != INGOT_OK) return status;
    }
    return fits(b, k, &p->offset, byte_offset, offset_of(p, t));
}

static ingot_status check_ranges(const binder *b)
{
    for (size_t k = 0; k < b->f->param_count; ++k) {
        ingot_status status = INGOT_OK;
        if (b->f->params[k].kind == INGOT_PARAM_SCALAR) status = range_of_scalar(b, k);
        if (b->f->params[k].kind == INGOT_PARAM_TENSOR) status = range_of_tensor(b, k);
        if (status != INGOT_OK) return status;
    }
    return INGOT_OK;
}

/* ---- Constants and expressions, which TVM checks last ----------------------------------------- */

static ingot_status equals(const binder *b, size_t k, const host_dim *d, place at, int64_t value)
{
    char field[PART];
    bool checked = d->kind == HOST_DIM_CONST || d->kind == HOST_DIM_EXPR;
    if (!checked || declared(b, d) == value) return INGOT_OK;
    if (d->kind == HOST_DIM_CONST) {
        return refuse(b, INGOT_VALUE, "Invalid", k, place_text(at, field), "%" PRId64 ", got %" PRId64, d->value, value);
    }
    return refuse(b, INGOT_VALUE, "Invalid", k, place_text(at, field), "%.150s (%" PRId64 "), got %" PRId64, d->shown.p, declared(b, d),
                  value);
}

static ingot_status check_offset(const binder *b, size_t k)
{
    const host_param *p = &b->f->params[k];
    const DLTensor *t = b->values[k].as.tensor;
    if (p->offset.kind != HOST_DIM_CONST) return equals(b, k, &p->offset, byte_offset, offset_of(p, t));
    uint64_t bytes = (uint64_t)p->offset.value * dtype_bytes(p->dtype);
    if (t->byte_offset == bytes) return INGOT_OK;
    return refuse(b, INGOT_VALUE, "Invalid", k, "byte_offset", "%" PRIu64 ", got %" PRIu64, bytes, t->byte_offset);
}

static ingot_status check_fixed(const binder *b, size_t k)
{
    ingot_status status = each_dim(b, k, equals);
    return status != INGOT_OK ? status : check_offset(b, k);
}

/* ---- The memory behind the tensors ------------------------------------------------------------- */

/* The bytes from the buffer's start to the tensor's end; false where they do not fit 64 bits. */
static bool end_of(const host_param *p, const DLTensor *t, uint64_t *out)
{
    uint64_t last = 0; /* index of the last element */
    for (size_t d = 0; d < p->ndim; ++d) {
        uint64_t steps, extent = (uint64_t)t->shape[d];
        if (extent == 0) {
            *out = t->byte_offset;
            return true;
        }
        if (__builtin_mul_overflow(extent - 1, (uint64_t)stride_of(t, d), &steps) ||
            __builtin_add_overflow(last, steps, &last)) {
            return false;
        }
    }
    uint64_t bits, unit = (uint64_t)p->dtype.bits * p->dtype.lanes;
    if (last == UINT64_MAX || __builtin_mul_overflow(last + 1, unit, &bits)) return false;
    return !__builtin_add_overflow(bits / 8 + (bits % 8 != 0), t->byte_offset, out);
}

/* Elements that fill whole power-of-two bytes lie at multiples of their size. */
static uint64_t natural_alignment(DLDataType t)
{
    uint64_t bytes = dtype_bytes(t);
    return (bytes & (bytes - 1)) == 0 ? bytes : (t.bits + 7u) / 8u;
}

static ingot_status bind_memory(const binder *b, size_t k)
{
    const host_param *p = &b->f->params[k];
    const DLTensor *t = b->values[k].kind == INGOT_VALUE_TENSOR ? b->values[k].as.tensor : NULL;
    if (t == NULL || t->data == NULL) return INGOT_OK;
    if (t->device.device_type != kDLMetal) {
        return refuse(b, INGOT_VALUE, "Mismatched", k, "device_type", "metal, got device type %d",
                      (int)t->device.device_type);
    }
    if (t->device.device_id != b->device->id) {
        return refuse(b, INGOT_VALUE, "Invalid", k, "device_id", "%d, the program's device, got %d", b->device->id,
                      (int)t->device.device_id);
    }
    size_t size = 0;
    void *memory = b->device->find(b->device->user, t->data, &size);
    if (memory == NULL) return refuse(b, INGOT_VALUE, "Invalid", k, "data", "a live buffer of the program's device");
    b->frame->memories[1 + k] = memory;
    if (p->kind == INGOT_PARAM_POINTER) {
        b->frame->regs[p->reg].i = (int64_t)t->byte_offset;
        return INGOT_OK;
    }
    uint64_t end;
    if (!end_of(p, t, &end) || end > size) {
        return refuse(b, INGOT_VALUE, "Invalid", k, "shape",
                      "the tensor at byte_offset %" PRIu64 " to lie inside its buffer of %zu bytes", t->byte_offset, size);
    }
    uint64_t align = natural_alignment(p->dtype);
    if (t->byte_offset % align != 0) {
        return refuse(b, INGOT_VALUE, "Invalid", k, "byte_offset", "a multiple of %" PRIu64 ", got %" PRIu64, align,
                      t->byte_offset);
    }
    return INGOT_OK;
}

/* ---- All of it --------------------------------------------------------------------------------- */

static ingot_status each_tensor(const binder *b, ingot_status (*check)(const binder *b, size_t k))
{
    for (size_t k = 0; k < b->f->param_count; ++k) {
        if (b->f->params[k].kind != INGOT_PARAM_TENSOR) continue;
        ingot_status status = check(b, k);
        if (status != INGOT_OK) return status;
    }
    return INGOT_OK;
}

ingot_status host_bind(host_frame *frame, const ingot_value *values, size_t count,
                       const host_device *device, ingot_error *error)
{
    binder b = {frame, frame->function, values, count, device, SIZE_MAX, error};
    if (count != b.f->param_count) {
        char head[PART], tail[PART];
        snprintf(head, sizeof head, "Expected %zu arguments", b.f->param_count);
        snprintf(tail, sizeof tail, ",\n  got %zu", count);
        return fail(&b, INGOT_TYPE, head, tail);
    }
    if (values == NULL && count != 0) return fail(&b, INGOT_TYPE, "args pointer is NULL", "");
    ingot_status status = bind_types(&b);
    if (status == INGOT_OK) status = each_tensor(&b, bind_tensor);
    if (status == INGOT_OK) status = host_run_checks(frame, error);
    if (status == INGOT_OK) status = each_tensor(&b, match_tensor);
    if (status == INGOT_OK) status = check_ranges(&b);
    if (status == INGOT_OK) status = each_tensor(&b, check_fixed);
    for (size_t k = 0; status == INGOT_OK && k < b.f->param_count; ++k) {
        if (b.f->params[k].kind != INGOT_PARAM_SCALAR) status = bind_memory(&b, k);
    }
    return status;
}
