/* Values between Ingot and tvm-ffi. Containers are read and made through tvm-ffi's own functions, so that their layout is its
 * own affair. */
#include "ffi/value.h"

#include "base/error.h"

enum { DEPTH_LIMIT = 16, MAX_ITEMS = 1 << 20 };

struct ffi_held {
    ffi_any value;
    ffi_held *next;
};

ffi_reading ffi_reading_make(const ffi_library *lib, const ingot_allocator *mem)
{
    return (ffi_reading){.lib = lib, .memory = pool_make(mem)};
}

void ffi_reading_end(ffi_reading *r)
{
    for (ffi_held *h = r->held; h != NULL; h = h->next) ffi_release(r->lib, &h->value);
    r->held = NULL;
    pool_free(&r->memory);
}

/* ---- To Ingot ---------------------------------------------------------------------------------- */

static const char *tag_text(int32_t tag)
{
    switch (tag) {
#define FFI_TAG(NAME, number, text)                                                                \
    case number: return text;
#include "ffi/tags.def"
#undef FFI_TAG
    default: return NULL; /* tags are open-ended: types are added at run time */
    }
}

/* The name of a type: Python's own for its objects, where the package says it. */
static str type_name(ffi_reading *r, const ffi_any *from)
{
    ffi_any name = {0};
    if (from->tag == FFI_PYTHON && ffi_call_global(r->lib, "ingot.type_name", from, 1, &name, NULL) == INGOT_OK) {
        ingot_value text = ingot_none();
        bool whole = ffi_to_value(r, &name, &text, NULL) == INGOT_OK && text.kind == INGOT_VALUE_STR;
        str copy = whole ? pool_str(&r->memory, (str){text.as.text.data, text.as.text.size}) : (str){0};
        ffi_release(r->lib, &name);
        if (copy.p != NULL) return copy;
    }
    const char *text = tag_text(from->tag);
    if (text != NULL) return str_of(text);
    const ffi_type_info *info = from->tag >= FFI_FIRST_OBJECT ? r->lib->type_info(from->tag) : NULL;
    return info != NULL ? (str){info->key.data, info->key.size} : STR("an object of an unknown type");
}

static ingot_status other(ffi_reading *r, const ffi_any *from, ingot_value *to)
{
    str name = type_name(r, from);
    *to = ingot_str(name.p, name.n);
    to->kind = INGOT_VALUE_OTHER;
    return INGOT_OK;
}

/* A text inside the value itself: copied, since the value may move. */
static ingot_status small_text(ffi_reading *r, const ffi_any *from, ingot_value *to, ingot_error *error)
{
    if (from->small_size > 7) return error_set(error, INGOT_FORMAT, "a small text of %u bytes", from->small_size);
    str copy = pool_str(&r->memory, (str){from->as.bytes, from->small_size});
    if (copy.p == NULL) return error_no_memory(error);
    *to = from->tag == FFI_SMALL_STR ? ingot_str(copy.p, copy.n) : ingot_bytes(copy.p, copy.n);
    return INGOT_OK;
}

static ingot_status read_value(ffi_reading *r, const ffi_any *from, int depth, ingot_value *to, ingot_error *error);

/* One item, which is held until the reading ends. */
static ingot_status read_item(ffi_reading *r, const char *get, const ffi_any *from, int64_t index, int depth,
                              ingot_value *to, ingot_error *error)
{
    ffi_held *held = pool_array(&r->memory, ffi_held, 1);
    if (held == NULL) return error_no_memory(error);
    ffi_any args[2] = {*from, {.tag = FFI_INT, .as.integer = index}};
    ingot_status s = ffi_call_global(r->lib, get, args, 2, &held->value, error);
    if (s != INGOT_OK) return s;
    held->next = r->held;
    r->held = held;
    return read_value(r, &held->value, depth, to, error);
}

static ingot_status sequence(ffi_reading *r, const ffi_any *from, int depth, ingot_value *to, ingot_error *error)
{
    bool is_list = from->tag == FFI_LIST;
    ffi_any size;
    ingot_status s = ffi_call_global(r->lib, is_list ? "ffi.ListSize" : "ffi.ArraySize", from, 1, &size, error);
    if (s != INGOT_OK) return s;
    if (size.tag != FFI_INT || size.as.integer < 0 || size.as.integer > MAX_ITEMS) {
        ffi_release(r->lib, &size);
        return error_set(error, INGOT_LIMIT, "an array of more than %d items", MAX_ITEMS);
    }
    if (depth >= DEPTH_LIMIT) return error_set(error, INGOT_LIMIT, "arrays nested deeper than %d levels", DEPTH_LIMIT);
    size_t count = (size_t)size.as.integer;
    ingot_value *items = pool_array(&r->memory, ingot_value, count);
    if (items == NULL) return error_no_memory(error);
    for (size_t i = 0; i < count; ++i) {
        const char *get = is_list ? "ffi.ListGetItem" : "ffi.ArrayGetItem";
        s = read_item(r, get, from, (int64_t)i, depth + 1, &items[i], error);
        if (s != INGOT_OK) return s;
    }
    *to = ingot_tuple(items, count);
    return INGOT_OK;
}

static ingot_status read_value(ffi_reading *r, const ffi_any *from, int depth, ingot_value *to, ingot_error *error)
{
    *to = ingot_none();
    switch (from->tag) {
    case FFI_NONE: return INGOT_OK;
    case FFI_INT: *to = ingot_int(from->as.integer); return INGOT_OK;
    case FFI_BOOL: *to = ingot_bool(from->as.integer != 0); return INGOT_OK;
    case FFI_FLOAT: *to = ingot_float(from->as.real); return INGOT_OK;
    case FFI_C_STR: *to = ingot_str(from->as.text, strlen(from->as.text)); return INGOT_OK;
    case FFI_BYTE_VIEW: {
        const ffi_bytes *bytes = from->as.view;
        *to = ingot_bytes(bytes->data, bytes->size);
        return INGOT_OK;
    }
    case FFI_SMALL_STR:
    case FFI_SMALL_BYTES: return small_text(r, from, to, error);
    case FFI_STR:
    case FFI_BYTES: {
        const ffi_text_object *object = from->as.view;
        *to = from->tag == FFI_STR ? ingot_str(object->text.data, object->text.size)
                                   : ingot_bytes(object->text.data, object->text.size);
        return INGOT_OK;
    }
    case FFI_TENSOR_VIEW: *to = ingot_tensor(from->as.view); return INGOT_OK;
    case FFI_TENSOR: *to = ingot_tensor(&((const ffi_tensor_object *)from->as.view)->tensor); return INGOT_OK;
    case FFI_ARRAY:
    case FFI_LIST: return sequence(r, from, depth, to, error);
    default: return other(r, from, to); /* tags are open-ended */
    }
}

ingot_status ffi_to_value(ffi_reading *r, const ffi_any *from, ingot_value *to, ingot_error *error)
{
    return read_value(r, from, 0, to, error);
}

/* ---- From Ingot -------------------------------------------------------------------------------- */

static ingot_status write_value(const ffi_library *lib, ingot_value from, int depth, ffi_any *to, ingot_error *error);

static ingot_status text_from(const ffi_library *lib, bool is_str, const char *data, size_t size, ffi_any *to,
                              ingot_error *error)
{
    ffi_bytes text = {size != 0 ? data : "", size};
    int failed = is_str ? lib->str_make(&text, to) : lib->bytes_make(&text, to);
    return failed ? ffi_take_error(lib, error) : INGOT_OK;
}

static ingot_status tuple_from(const ffi_library *lib, ingot_value from, int depth, ffi_any *to, ingot_error *error)
{
    size_t count = from.as.tuple.count;
    if (count > MAX_ITEMS || depth >= DEPTH_LIMIT) return error_set(error, INGOT_LIMIT, "too large a tuple for tvm-ffi");
    pool memory = pool_make(&mem_default);
    ffi_any *items = pool_array(&memory, ffi_any, count);
    ingot_status s = items != NULL ? INGOT_OK : error_no_memory(error);
    size_t made = 0;
    for (; s == INGOT_OK && made < count; ++made) {
        s = write_value(lib, from.as.tuple.items[made], depth + 1, &items[made], error);
    }
    if (s == INGOT_OK) s = ffi_call_global(lib, "ffi.Array", items, (int32_t)count, to, error);
    for (size_t i = 0; i < made; ++i) ffi_release(lib, &items[i]);
    pool_free(&memory);
    return s;
}

static ingot_status target_from(const ffi_library *lib, const ingot_target *target, ffi_any *to, ingot_error *error)
{
    const char *text = ingot_target_text(target);
    ffi_any name = {.tag = FFI_C_STR, .as.text = text};
    ingot_status s = ffi_call_global(lib, "ingot.target", &name, 1, to, error);
    return s == INGOT_NOT_FOUND ? text_from(lib, true, text, strlen(text), to, error) : s;
}

static ingot_status write_value(const ffi_library *lib, ingot_value from, int depth, ffi_any *to, ingot_error *error)
{
    *to = (ffi_any){0};
    switch (from.kind) {
    case INGOT_VALUE_NONE: return INGOT_OK;
    case INGOT_VALUE_BOOL: *to = (ffi_any){.tag = FFI_BOOL, .as.integer = from.as.boolean != 0}; return INGOT_OK;
    case INGOT_VALUE_INT: *to = (ffi_any){.tag = FFI_INT, .as.integer = from.as.integer}; return INGOT_OK;
    case INGOT_VALUE_FLOAT: *to = (ffi_any){.tag = FFI_FLOAT, .as.real = from.as.real}; return INGOT_OK;
    case INGOT_VALUE_STR:
    case INGOT_VALUE_BYTES:
        return text_from(lib, from.kind == INGOT_VALUE_STR, from.as.text.data, from.as.text.size, to, error);
    case INGOT_VALUE_TENSOR: *to = (ffi_any){.tag = FFI_TENSOR_VIEW, .as.view = from.as.tensor}; return INGOT_OK;
    case INGOT_VALUE_TUPLE: return tuple_from(lib, from, depth, to, error);
    case INGOT_VALUE_TARGET: return target_from(lib, from.as.target, to, error);
    case INGOT_VALUE_OTHER:
        return error_set(error, INGOT_TYPE, "%.*s cannot be handed to tvm-ffi", (int)from.as.text.size, from.as.text.data);
    }
    return INGOT_OK;
}

ingot_status ffi_from_value(const ffi_library *lib, ingot_value from, ffi_any *to, ingot_error *error)
{
    return write_value(lib, from, 0, to, error);
}
