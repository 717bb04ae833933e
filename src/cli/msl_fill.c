/* What the buffers of a kernel hold: files, fills, values. */
#include "cli/file.h"
#include "cli/fill.h"
#include "cli/literal.h"
#include "cli/msl_run.h"

#include <inttypes.h>
#include <string.h>

/* ---- Types ---------------------------------------------------------------------------------- */

/* Metal's names beside NumPy's; vectors of either add a number or "xN". */
static const struct {
    const char *metal;
    const char *numpy;
} types[] = {{"half", "float16"}, {"bfloat", "bfloat16"}, {"float", "float32"}, {"char", "int8"},
             {"uchar", "uint8"},  {"short", "int16"},     {"ushort", "uint16"}, {"int", "int32"},
             {"uint", "uint32"},  {"long", "int64"},      {"ulong", "uint64"}};

static bool parse_type(const char *text, DLDataType *out)
{
    size_t size = strlen(text);
    unsigned lanes = 1;
    if (size > 1 && text[size - 1] >= '2' && text[size - 1] <= '4') { /* float4, but not int32 */
        for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
            if (strlen(types[i].metal) != size - 1 || strncmp(types[i].metal, text, size - 1) != 0) continue;
            lanes = (unsigned)(text[size - 1] - '0');
            text = types[i].metal;
            break;
        }
    }
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strcmp(types[i].metal, text) == 0) text = types[i].numpy;
    }
    if (ingot_dtype_parse(text, out) != INGOT_OK) return false;
    if (lanes > 1) out->lanes = (uint16_t)lanes;
    return cli_element_of((DLDataType){out->code, out->bits, 1}).class != CLI_ELEMENT_NONE;
}

/* ---- One buffer ----------------------------------------------------------------------------- */

static int bad(msl_run *r, const msl_buffer *b, const char *what)
{
    return cli_usage(r->c, "--buffer %s=%s: %s", b->info.name, b->what, what);
}

static int make(msl_run *r, msl_buffer *b, const void *bytes, size_t size)
{
    ingot_error error = {INGOT_OK, 0, 0, ""};
    b->bytes = size;
    b->element = cli_element_of(b->dtype);
    b->count = b->element.class == CLI_ELEMENT_NONE ? 0 : size / b->element.bytes;
    ingot_status status = ingot_metal_buffer_create(r->text.device, size, &b->buffer, &error);
    if (status != INGOT_OK) return cli_library_error(r->c, b->info.name, &error);
    if (bytes && size) memcpy(ingot_metal_buffer_contents(b->buffer), bytes, size);
    return CLI_GOOD;
}

/* Elements of three take the room of four: dense rows of three in a file are another layout. */
static int check_rows(msl_run *r, const msl_buffer *b)
{
    size_t lanes = b->info.dtype.lanes, bytes = b->info.dtype.bits / 8U;
    if (lanes != 3 || b->info.size != 4 * bytes || b->ndim < 2 || b->shape[b->ndim - 1] != 3) return CLI_GOOD;
    return cli_error(r->c,
                     "--buffer %s: %s has rows of 3, and a %s takes %zu bytes, the room of 4: pad the rows, or take "
                     "packed_%s in the kernel",
                     b->info.name, b->what, b->info.type, b->info.size, b->info.type);
}

/* The file's elements must be those of the parameter, where that has a plain type. */
static int check_type(msl_run *r, const msl_buffer *b, DLDataType file)
{
    DLDataType wanted = b->info.dtype;
    if (wanted.bits == 0 || b->info.kind == INGOT_METAL_ARGUMENT_THREADGROUP) return CLI_GOOD;
    bool lacking = wanted.code == kDLBfloat; /* NumPy has none: its bits are kept as unsigned integers */
    bool same = file.code == wanted.code || (lacking && file.code == kDLUInt) ||
                (wanted.code == kDLBool && file.code == kDLUInt);
    bool bytes = file.code == kDLUInt && file.bits == 8; /* raw data */
    if (bytes || (same && file.bits == wanted.bits)) return CLI_GOOD;
    char has[40];
    ingot_dtype_print(file, has);
    return cli_error(r->c, "--buffer %s: %s holds %s, the kernel takes %s", b->info.name, b->what, has, b->info.type);
}

static int fill_file(msl_run *r, msl_buffer *b, bool raw)
{
    cli_bytes bytes = {.pool = &r->c->pool}, why = {.pool = &r->c->pool};
    ingot_error error = {INGOT_OK, 0, 0, ""};
    const char *path = raw ? b->what + 4 : b->what;
    if (!cli_file_read(path, &bytes, &why)) return cli_error(r->c, "--buffer %s: %s", b->info.name, why.data);
    if (raw) {
        b->dtype = (DLDataType){b->info.dtype.code, b->info.dtype.bits, 1};
        b->ndim = 1;
        int code = make(r, b, bytes.data, bytes.size);
        b->shape[0] = (int64_t)b->count;
        return code;
    }
    ingot_array *a = NULL;
    if (ingot_array_parse(bytes.data, bytes.size, NULL, &a, &error) != INGOT_OK) {
        cli_bytes_print(&why, "--buffer %s: %s", b->info.name, path);
        return cli_library_error(r->c, why.data, &error);
    }
    b->dtype = ingot_array_dtype(a);
    b->ndim = ingot_array_ndim(a);
    int code = b->ndim > MSL_MOST_DIMS ? cli_error(r->c, "--buffer %s: %s has more than %d dimensions", b->info.name, path,
                                                   MSL_MOST_DIMS)
                                       : CLI_GOOD;
    for (size_t d = 0; code == CLI_GOOD && d < b->ndim; d++) b->shape[d] = ingot_array_shape(a)[d];
    if (code == CLI_GOOD) code = check_type(r, b, b->dtype);
    if (code == CLI_GOOD) code = check_rows(r, b);
    if (code == CLI_GOOD) code = make(r, b, ingot_array_data(a), ingot_array_size(a));
    if (b->dtype.bits == b->info.dtype.bits) b->dtype.code = b->info.dtype.code; /* bits of bfloat are shown as such */
    ingot_array_release(a);
    return code;
}

/* "4x8x2", or as grids are written "4,8,2", to the shape; false where it is none. */
static bool take_shape(msl_run *r, msl_buffer *b, const char *text, uint64_t *all)
{
    *all = 1;
    for (b->ndim = 0; b->ndim < MSL_MOST_DIMS;) {
        size_t size = strcspn(text, "x,");
        uint64_t side;
        if (!cli_parse_count(cli_pool_text(&r->c->pool, text, size), 0, UINT32_MAX, &side)) return false;
        if (__builtin_mul_overflow(*all, side, all) || *all > UINT64_MAX / 64) return false;
        b->shape[b->ndim++] = (int64_t)side;
        text += size;
        if (!*text) return true;
        text++;
    }
    return false;
}

enum { FILL_ZEROS, FILL_ONES, FILL_ARANGE, FILL_RANDOM, FILL_EMPTY, FILLS };
static const char *const fills[FILLS] = {"zeros", "ones", "arange", "random", "empty"};

static int fill_by(msl_run *r, msl_buffer *b, unsigned fill)
{
    const char *rest = b->what + strlen(fills[fill]);
    const char *last = strrchr(rest, ':');
    uint64_t all = 1;
    DLDataType type = b->info.dtype;
    size_t element = b->info.size;
    if (*rest == ':' && last != rest) { /* a type stands between */
        char *name = cli_pool_text(&r->c->pool, rest + 1, (size_t)(last - rest) - 1);
        if (!parse_type(name, &type)) return bad(r, b, "no such type");
        element = (type.bits + 7U) / 8U * (type.lanes == 3 ? 4U : type.lanes);
    }
    if (last && !take_shape(r, b, last + 1, &all)) return bad(r, b, "the size is not of the form N or NxM");
    if (!last && !b->info.is_reference) return bad(r, b, "a size is missing, as in zeros:1024");
    b->dtype = (DLDataType){type.code, type.bits, 1};
    if (element * all >= SIZE_MAX / 4) return bad(r, b, "it is too large");
    int code = make(r, b, NULL, (size_t)(element * all));
    if (code != CLI_GOOD) return code;
    if (type.lanes > 1 && b->ndim < MSL_MOST_DIMS) b->shape[b->ndim++] = (int64_t)(element / ((type.bits + 7U) / 8U));
    bool boolean = type.code == kDLBool;
    void *data = ingot_metal_buffer_contents(b->buffer);
    if (fill == FILL_ZEROS) return CLI_GOOD;
    ingot_error error = {INGOT_OK, 0, 0, ""};
    if (fill == FILL_EMPTY)
        return ingot_metal_buffer_forget(b->buffer, &error) == INGOT_OK ? CLI_GOOD : cli_library_error(r->c, NULL, &error);
    if (b->element.class == CLI_ELEMENT_NONE) return bad(r, b, "a type is missing, as in ones:float32:1024");
    if (fill == FILL_RANDOM)
        cli_fill_random(&b->element, boolean, data, b->count, cli_fill_state(r->seed, b->position));
    else
        cli_fill_numbers(&b->element, boolean, data, b->count, fill == FILL_ARANGE);
    return CLI_GOOD;
}

/* ---- Values --------------------------------------------------------------------------------- */

/* Puts one value behind the others, at the next multiple of its size, as C lays a struct out. */
static int put_value(msl_run *r, msl_buffer *b, const char *text, DLDataType type, cli_bytes *out)
{
    cli_bytes why = {.pool = &r->c->pool};
    ingot_value v;
    if (!cli_literal(text, &r->c->pool, &v, &why)) return bad(r, b, why.data);
    cli_element e = cli_element_of(type);
    while (out->size % e.bytes != 0) cli_bytes_put(out, "", 1);
    uint64_t bits = 0;
    bool real = e.class == CLI_ELEMENT_FLOAT;
    if (v.kind == INGOT_VALUE_FLOAT && real) cli_element_set_real(&e, &bits, 0, v.as.real);
    else if (v.kind == INGOT_VALUE_INT && real) cli_element_set_real(&e, &bits, 0, (double)v.as.integer);
    else if (v.kind == INGOT_VALUE_INT) cli_element_set_int(&e, &bits, 0, (uint64_t)v.as.integer);
    else if (v.kind == INGOT_VALUE_BOOL && !real) cli_element_set_int(&e, &bits, 0, v.as.boolean != 0);
    else return bad(r, b, v.kind == INGOT_VALUE_FLOAT ? "a real number for a whole type" : "no number; files end in .npy");
    bool fits = real || v.kind == INGOT_VALUE_BOOL ||
                (e.class == CLI_ELEMENT_INT ? cli_element_int(&e, &bits, 0) == v.as.integer
                                            : v.as.integer >= 0 && bits == (uint64_t)v.as.integer);
    if (!fits) return bad(r, b, "a value does not fit its type");
    cli_bytes_put(out, &bits, e.bytes);
    return CLI_GOOD;
}

/* "4:uint,5,0.5:float": a value without a type has the parameter's, or the one before it. */
static int fill_values(msl_run *r, msl_buffer *b)
{
    cli_bytes out = {.pool = &r->c->pool};
    DLDataType type = {b->info.dtype.code, b->info.dtype.bits, 1}, first = {0, 0, 0};
    bool mixed = false;
    size_t count = 0;
    for (const char *at = b->what; *at; count++) {
        size_t size = strcspn(at, ",");
        char *item = cli_pool_text(&r->c->pool, at, size), *colon = strrchr(item, ':');
        at += size + (at[size] == ',');
        if (colon) {
            *colon = '\0';
            if (!parse_type(colon + 1, &type) || type.lanes != 1) return bad(r, b, "no such type");
        }
        if (type.bits == 0) return bad(r, b, "values need types, as in 4:uint,0.5:float; files end in .npy");
        if (count == 0) first = type;
        mixed = mixed || type.code != first.code || type.bits != first.bits;
        int code = put_value(r, b, item, type, &out);
        if (code != CLI_GOOD) return code;
    }
    while (b->info.is_reference && out.size < b->info.size && out.size % b->info.alignment != 0) cli_bytes_put(&out, "", 1);
    b->dtype = mixed ? (DLDataType){0, 0, 0} : first;
    b->ndim = 1;
    b->shape[0] = (int64_t)count;
    return make(r, b, out.data, out.size);
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static int fill_one(msl_run *r, msl_buffer *b)
{
    if (ends_with(b->what, ".npy")) return fill_file(r, b, false);
    if (strncmp(b->what, "raw:", 4) == 0) return fill_file(r, b, true);
    for (unsigned i = 0; i < FILLS; i++) {
        size_t size = strlen(fills[i]);
        if (strncmp(b->what, fills[i], size) == 0 && (b->what[size] == ':' || !b->what[size])) return fill_by(r, b, i);
    }
    return fill_values(r, b);
}

int msl_fill(msl_run *r)
{
    int code = CLI_GOOD;
    for (size_t i = 0; code == CLI_GOOD && i < r->buffer_count; i++) {
        if (r->buffers[i].what) code = fill_one(r, &r->buffers[i]);
    }
    return code;
}
