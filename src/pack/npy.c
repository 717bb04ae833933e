/* Reading and writing .npy files. */
#include "pack/npy.h"

#include <inttypes.h>

#include "base/error.h"
#include "pack/reader.h"

#define MAGIC "\x93NUMPY"

/* ---- Element types -------------------------------------------------------------------------------- */

typedef struct npy_type {
    const char *descr; /* without the byte order */
    DLDataType dtype;
} npy_type;

static const npy_type types[] = {
    {"b1", {kDLBool, 8, 1}},   {"i1", {kDLInt, 8, 1}},    {"i2", {kDLInt, 16, 1}},   {"i4", {kDLInt, 32, 1}},
    {"i8", {kDLInt, 64, 1}},   {"u1", {kDLUInt, 8, 1}},   {"u2", {kDLUInt, 16, 1}},  {"u4", {kDLUInt, 32, 1}},
    {"u8", {kDLUInt, 64, 1}},  {"f2", {kDLFloat, 16, 1}}, {"f4", {kDLFloat, 32, 1}}, {"f8", {kDLFloat, 64, 1}},
};

/* ---- The header: a Python dictionary of three keys --------------------------------------------------- */

typedef struct text {
    str rest;
} text;

static void skip_blanks(text *t)
{
    while (t->rest.n != 0 && strchr(" \t\n\r", t->rest.p[0]) != NULL && t->rest.p[0] != '\0') {
        t->rest = (str){t->rest.p + 1, t->rest.n - 1};
    }
}

static bool take(text *t, const char *word)
{
    skip_blanks(t);
    str w = str_of(word);
    if (!str_starts(t->rest, w)) return false;
    t->rest = (str){t->rest.p + w.n, t->rest.n - w.n};
    return true;
}

/* 'text' or "text", without escapes. */
static bool take_string(text *t, str *out)
{
    skip_blanks(t);
    if (t->rest.n == 0 || (t->rest.p[0] != '\'' && t->rest.p[0] != '"')) return false;
    const char *start = t->rest.p + 1, *end = memchr(start, t->rest.p[0], t->rest.n - 1);
    if (end == NULL) return false;
    *out = (str){start, (size_t)(end - start)};
    size_t used = out->n + 2;
    t->rest = (str){t->rest.p + used, t->rest.n - used};
    return true;
}

static bool take_number(text *t, int64_t *out)
{
    skip_blanks(t);
    size_t n = 0;
    int64_t value = 0;
    while (n < t->rest.n && t->rest.p[n] >= '0' && t->rest.p[n] <= '9') {
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, t->rest.p[n] - '0', &value)) {
            return false;
        }
        ++n;
    }
    t->rest = (str){t->rest.p + n, t->rest.n - n};
    take(t, "L"); /* as written by Python 2 */
    *out = value;
    return n != 0;
}

/* (), (4,), (2, 3) */
static bool take_shape(text *t, npy_array *a)
{
    if (!take(t, "(")) return false;
    while (!take(t, ")")) {
        if (a->ndim == NPY_MAX_DIMS || !take_number(t, &a->shape[a->ndim])) return false;
        ++a->ndim;
        if (take(t, ",")) continue;
        return a->ndim > 1 && take(t, ")"); /* (4) is no tuple */
    }
    return true;
}

typedef struct header {
    str descr;
    bool fortran;
    bool has_descr, has_order, has_shape;
} header;

static bool take_entry(text *t, header *h, npy_array *a)
{
    str key;
    if (!take_string(t, &key) || !take(t, ":")) return false;
    if (str_is(key, "descr") && !h->has_descr) {
        h->has_descr = true;
        skip_blanks(t);
        if (t->rest.n != 0 && t->rest.p[0] == '[') return true; /* a record: refused by the caller */
        return take_string(t, &h->descr);
    }
    if (str_is(key, "fortran_order") && !h->has_order) {
        h->has_order = true;
        h->fortran = take(t, "True");
        return h->fortran || take(t, "False");
    }
    if (str_is(key, "shape") && !h->has_shape) {
        h->has_shape = true;
        return take_shape(t, a);
    }
    return false;
}

static bool parse_header(str bytes, header *h, npy_array *a)
{
    text t = {bytes};
    if (!take(&t, "{")) return false;
    while (!take(&t, "}")) {
        if (!take_entry(&t, h, a)) return false;
        if (h->has_descr && h->descr.p == NULL) return true;
        if (take(&t, ",")) continue;
        if (!take(&t, "}")) return false;
        break;
    }
    skip_blanks(&t);
    return t.rest.n == 0 && h->has_descr && h->has_order && h->has_shape;
}

static ingot_status find_type(str descr, DLDataType *out, ingot_error *error)
{
    if (descr.p == NULL) return error_set(error, INGOT_UNSUPPORTED, ".npy: records (structured arrays) are not supported");
    if (descr.n > 0 && descr.p[0] == '>' && !str_is(descr, ">i1") && !str_is(descr, ">u1") && !str_is(descr, ">b1")) {
        return error_set(error, INGOT_UNSUPPORTED, ".npy: big-endian data ('%.*s') is not supported",
                         descr.n < 40 ? (int)descr.n : 40, descr.p);
    }
    str bare = descr;
    if (bare.n > 0 && strchr("<>|=", bare.p[0]) != NULL && bare.p[0] != '\0') bare = (str){bare.p + 1, bare.n - 1};
    if (str_is(bare, "?")) bare = STR("b1");
    for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i) {
        if (!str_is(bare, types[i].descr)) continue;
        *out = types[i].dtype;
        return INGOT_OK;
    }
    return error_set(error, INGOT_UNSUPPORTED, ".npy: type '%.*s' is not supported", descr.n < 40 ? (int)descr.n : 40,
                     descr.p);
}

/* ---- Reading --------------------------------------------------------------------------------------- */

/* The bytes of the elements; false where they pass 64 bits. */
static bool data_size(const npy_array *a, size_t *out)
{
    size_t total = a->dtype.bits / 8u;
    for (size_t i = 0; i < a->ndim; ++i) {
        if (a->shape[i] == 0) {
            *out = 0;
            return true;
        }
    }
    for (size_t i = 0; i < a->ndim; ++i) {
        if (a->shape[i] < 0 || !size_mul(total, (size_t)a->shape[i], &total)) return false;
    }
    *out = total;
    return true;
}

/* Fortran order to C order: counts through the output, and steps through the input. */
static void reorder(const npy_array *a, const char *from)
{
    size_t unit = a->dtype.bits / 8u, count = a->size / unit;
    int64_t index[NPY_MAX_DIMS] = {0};
    size_t step[NPY_MAX_DIMS], at = 0, stride = unit;
    for (size_t d = 0; d < a->ndim; ++d) {
        step[d] = stride;
        stride *= (size_t)a->shape[d];
    }
    char *to = a->data;
    for (size_t i = 0; i < count; ++i) {
        memcpy(to + i * unit, from + at, unit);
        for (size_t d = a->ndim; d > 0; --d) {
            at += step[d - 1];
            if (++index[d - 1] < a->shape[d - 1]) break;
            at -= step[d - 1] * (size_t)a->shape[d - 1];
            index[d - 1] = 0;
        }
    }
}

static ingot_status read_preamble(reader *r, str *head, ingot_error *error)
{
    str magic = reader_bytes(r, sizeof MAGIC - 1);
    if (r->failed || !str_eq(magic, STR(MAGIC))) return error_set(error, INGOT_FORMAT, "not a .npy file: it does not begin with \\x93NUMPY");
    uint8_t major = reader_u8(r), minor = reader_u8(r);
    if (!r->failed && (major < 1 || major > 3 || minor != 0)) {
        return error_set(error, INGOT_UNSUPPORTED, ".npy version %u.%u is not supported; versions 1.0 to 3.0 are", major, minor);
    }
    *head = reader_bytes(r, major == 1 ? reader_u16(r) : reader_u32(r));
    if (r->failed) return error_set(error, INGOT_FORMAT, "the .npy file is cut short inside its header");
    return INGOT_OK;
}

ingot_status npy_read(const ingot_allocator *mem, str bytes, npy_array *out, ingot_error *error)
{
    *out = (npy_array){.ndim = 0};
    npy_array a = {.ndim = 0};
    reader r = reader_of(bytes.p, bytes.n);
    str head;
    ingot_status status = read_preamble(&r, &head, error);
    if (status != INGOT_OK) return status;
    header h = {.fortran = false};
    if (!parse_header(head, &h, &a)) {
        return error_set(error, INGOT_FORMAT, "the .npy file's header is not a dictionary of descr, fortran_order and shape");
    }
    status = find_type(h.descr, &a.dtype, error);
    if (status != INGOT_OK) return status;
    if (!data_size(&a, &a.size)) return error_set(error, INGOT_FORMAT, "the .npy file's shape is too large");
    if (reader_left(&r) != a.size) {
        return error_set(error, INGOT_FORMAT, "the .npy file holds %zu bytes of data; its shape says %zu", reader_left(&r), a.size);
    }
    a.data = mem_alloc(mem, a.size);
    if (a.data == NULL) return error_no_memory(error);
    if (a.size != 0 && h.fortran) reorder(&a, bytes.p + r.at);
    else if (a.size != 0) memcpy(a.data, bytes.p + r.at, a.size);
    *out = a;
    return INGOT_OK;
}

void npy_free(const ingot_allocator *mem, npy_array *a)
{
    mem_free(mem, a->data, a->size);
    *a = (npy_array){.ndim = 0};
}

/* ---- Writing --------------------------------------------------------------------------------------- */

static const char *descr_of(DLDataType t)
{
    DLDataType element = {t.code, t.bits, 1};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i) {
        const DLDataType *have = &types[i].dtype;
        if (have->code == element.code && have->bits == element.bits) return types[i].descr;
    }
    if (t.code == kDLComplex || t.code == kDLOpaqueHandle) return NULL;
    return t.bits == 8 ? "u1" : t.bits == 16 ? "u2" : NULL;
}

ingot_status npy_write(const void *data, DLDataType dtype, const int64_t *shape, size_t ndim, buf *out,
                       ingot_error *error)
{
    const char *descr = descr_of(dtype);
    if (descr == NULL || dtype.lanes == 0) {
        return error_set(error, INGOT_UNSUPPORTED, ".npy: a type of code %u and %u bits cannot be written", dtype.code,
                         dtype.bits);
    }
    size_t dims = ndim + (dtype.lanes > 1 ? 1 : 0);
    npy_array a = {.dtype = dtype, .ndim = dims};
    if (dims > NPY_MAX_DIMS) return error_set(error, INGOT_VALUE, ".npy: more than %d dimensions", NPY_MAX_DIMS);
    for (size_t i = 0; i < ndim; ++i) a.shape[i] = shape[i];
    if (dims != ndim) a.shape[ndim] = dtype.lanes;
    for (size_t i = 0; i < ndim; ++i) {
        if (shape[i] < 0) return error_set(error, INGOT_VALUE, ".npy: an extent of %" PRId64, shape[i]);
    }
    if (!data_size(&a, &a.size)) return error_set(error, INGOT_VALUE, ".npy: the shape is too large");
    if (data == NULL && a.size != 0) return error_set(error, INGOT_INVALID_ARGUMENT, ".npy: the data is NULL");
    buf head = buf_make(out->mem);
    bool bytes = dtype.bits == 8;
    buf_printf(&head, "{'descr': '%c%s', 'fortran_order': False, 'shape': (", bytes ? '|' : '<', descr);
    for (size_t i = 0; i < dims; ++i) buf_printf(&head, "%s%" PRId64, i != 0 ? ", " : "", a.shape[i]);
    buf_text(&head, dims == 1 ? ",), }" : "), }");
    /* Blanks and a newline make the data begin at a multiple of 64. */
    while ((sizeof MAGIC - 1 + 4 + head.n + 1) % 64 != 0 && !head.failed) buf_char(&head, ' ');
    buf_char(&head, '\n');
    buf_text(out, MAGIC);
    buf_u8(out, 1);
    buf_u8(out, 0);
    buf_u16(out, (uint16_t)head.n);
    buf_str(out, buf_view(&head));
    buf_bytes(out, data, a.size);
    bool failed = head.failed || out->failed;
    buf_free(&head);
    return failed ? error_no_memory(error) : INGOT_OK;
}
