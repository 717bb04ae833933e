/* MSL's types: the ones that exist once for all, and canonical derived ones. */
#include "mslfront/types.h"

#include "base/buf.h"

enum {
    WIDTHS = 4,
    SMALLEST_WIDTH = 2,
    SPACES = MF_THREADGROUP + 1,
    MATRIX_SIZES = 3,
    SIMD_SIDE = 8
};

static const uint64_t largest_size = (uint64_t)1 << 48;

static const struct {
    const char *name;
    unsigned size;
    mf_class class;
} scalars[MF_SCALARS] = {
#define MF_SCALAR(ID, name, size, class) [MF_##ID] = {name, size, class},
#include "mslfront/scalars.def"
#undef MF_SCALAR
};

static const mf_type void_type = {
    .kind = MF_TYPE_VOID, .width = 1, .columns = 1, .name = {"void", 4}};
static const mf_type null_type = {.kind = MF_TYPE_NULL,
                                  .width = 1,
                                  .columns = 1,
                                  .size = 8,
                                  .align = 8,
                                  .name = {"nullptr_t", 9}};
static const mf_type set_type = {
    .kind = MF_TYPE_FUNCTION, .width = 1, .columns = 1, .name = {"(function)", 10}};
static const mf_type error_type = {
    .kind = MF_TYPE_ERROR, .width = 1, .columns = 1, .name = {"<error>", 7}};

/* A vector of 3 takes the room of 4. */
#define ROOM(width, size) ((width) == 3 ? 4u * (size) : (width) * (unsigned)(size))

static const mf_type scalar_types[MF_SCALARS] = {
#define MF_SCALAR(ID, text, bytes, class)                                                          \
    [MF_##ID] = {.kind = MF_TYPE_SCALAR,                                                           \
                 .scalar = MF_##ID,                                                                \
                 .width = 1,                                                                       \
                 .columns = 1,                                                                     \
                 .size = (bytes),                                                                  \
                 .align = (bytes),                                                                 \
                 .name = {text, sizeof text - 1}},
#include "mslfront/scalars.def"
#undef MF_SCALAR
};

#define VECTOR(ID, text, bytes, n)                                                                 \
    {                                                                                              \
        .kind = MF_TYPE_VECTOR, .scalar = MF_##ID, .width = (n), .columns = 1,                     \
        .size = ROOM(n, bytes), .align = ROOM(n, bytes), .elem = &scalar_types[MF_##ID], .name = { \
            text #n,                                                                               \
            sizeof text                                                                            \
        }                                                                                          \
    }
#define PACKED(ID, text, bytes, n)                                                                 \
    {                                                                                              \
        .kind = MF_TYPE_PACKED, .scalar = MF_##ID, .width = (n), .columns = 1,                     \
        .size = (n) * (bytes), .align = (bytes), .elem = &scalar_types[MF_##ID], .name = {         \
            "packed_" text #n,                                                                     \
            sizeof("packed_" text)                                                                 \
        }                                                                                          \
    }

static const mf_type vector_types[MF_SCALARS][WIDTHS - 1] = {
#define MF_SCALAR(ID, text, bytes, class)                                                          \
    [MF_##ID] = {VECTOR(ID, text, bytes, 2), VECTOR(ID, text, bytes, 3),                           \
                 VECTOR(ID, text, bytes, 4)},
#include "mslfront/scalars.def"
#undef MF_SCALAR
};

static const mf_type packed_types[MF_SCALARS][WIDTHS - 1] = {
#define MF_SCALAR(ID, text, bytes, class)                                                          \
    [MF_##ID] = {PACKED(ID, text, bytes, 2), PACKED(ID, text, bytes, 3),                           \
                 PACKED(ID, text, bytes, 4)},
#include "mslfront/scalars.def"
#undef MF_SCALAR
};

static const mf_type atomic_types[MF_SCALARS] = {
#define MF_SCALAR(ID, text, bytes, class)                                                          \
    [MF_##ID] = {.kind = MF_TYPE_ATOMIC,                                                           \
                 .scalar = MF_##ID,                                                                \
                 .width = 1,                                                                       \
                 .columns = 1,                                                                     \
                 .size = (bytes) < 4 ? 4 : (bytes),                                                \
                 .align = (bytes) < 4 ? 4 : (bytes),                                               \
                 .name = {"atomic_" text, sizeof("atomic_" text) - 1}},
#include "mslfront/scalars.def"
#undef MF_SCALAR
};

#define MATRIX(ID, text, bytes, c, r)                                                              \
    {                                                                                              \
        .kind = MF_TYPE_MATRIX, .scalar = MF_##ID, .width = (r), .columns = (c),                   \
        .size = (c)*ROOM(r, bytes), .align = ROOM(r, bytes),                                       \
        .elem = &vector_types[MF_##ID][(r)-SMALLEST_WIDTH], .name = {                              \
            text #c "x" #r,                                                                        \
            sizeof text + 2                                                                        \
        }                                                                                          \
    }
#define MATRICES(ID, text, bytes)                                                                  \
    {                                                                                              \
        {MATRIX(ID, text, bytes, 2, 2), MATRIX(ID, text, bytes, 2, 3),                             \
         MATRIX(ID, text, bytes, 2, 4)},                                                           \
            {MATRIX(ID, text, bytes, 3, 2), MATRIX(ID, text, bytes, 3, 3),                         \
             MATRIX(ID, text, bytes, 3, 4)},                                                       \
            {MATRIX(ID, text, bytes, 4, 2), MATRIX(ID, text, bytes, 4, 3),                         \
             MATRIX(ID, text, bytes, 4, 4)},                                                       \
    }

static const mf_type half_matrices[MATRIX_SIZES][MATRIX_SIZES] = MATRICES(HALF, "half", 2);
static const mf_type bfloat_matrices[MATRIX_SIZES][MATRIX_SIZES] = MATRICES(BFLOAT, "bfloat", 2);
static const mf_type float_matrices[MATRIX_SIZES][MATRIX_SIZES] = MATRICES(FLOAT, "float", 4);

#define SIMD_MATRIX(ID, text, bytes)                                                               \
    {                                                                                              \
        .kind = MF_TYPE_SIMD_MATRIX, .scalar = MF_##ID, .width = SIMD_SIDE, .columns = SIMD_SIDE,  \
        .size = 2 * (bytes), /* two elements a thread of the simdgroup */                          \
            .align = 2 * (bytes), .name = {                                                        \
                "simdgroup_" text "8x8",                                                           \
                sizeof("simdgroup_" text "8x8") - 1                                                \
            }                                                                                      \
    }

static const mf_type simd_half = SIMD_MATRIX(HALF, "half", 2);
static const mf_type simd_bfloat = SIMD_MATRIX(BFLOAT, "bfloat", 2);
static const mf_type simd_float = SIMD_MATRIX(FLOAT, "float", 4);

const mf_type *mf_void(void)
{
    return &void_type;
}
const mf_type *mf_null_type(void)
{
    return &null_type;
}
const mf_type *mf_set_type(void)
{
    return &set_type;
}
const mf_type *mf_error_type(void)
{
    return &error_type;
}
const mf_type *mf_scalar_type(mf_scalar s)
{
    return &scalar_types[s];
}

const mf_type *mf_vector_type(mf_scalar s, unsigned width)
{
    return width == 1 ? &scalar_types[s] : &vector_types[s][width - SMALLEST_WIDTH];
}

const mf_type *mf_packed_type(mf_scalar s, unsigned width)
{
    return &packed_types[s][width - SMALLEST_WIDTH];
}

const mf_type *mf_atomic_type(mf_scalar s)
{
    return &atomic_types[s];
}

const mf_type *mf_matrix_type(mf_scalar s, unsigned columns, unsigned rows)
{
    const mf_type(*table)[MATRIX_SIZES] = s == MF_HALF     ? half_matrices
                                            : s == MF_BFLOAT ? bfloat_matrices
                                                             : float_matrices;
    return &table[columns - SMALLEST_WIDTH][rows - SMALLEST_WIDTH];
}

const mf_type *mf_simd_matrix_type(mf_scalar s)
{
    return s == MF_HALF ? &simd_half : s == MF_BFLOAT ? &simd_bfloat : &simd_float;
}

static uint64_t mix(uint64_t h, uint64_t v)
{
    return (h ^ v) * 1099511628211u;
}

static uint64_t type_hash(const mf_type *t)
{
    uint64_t h = mix(14695981039346656037u, (uint64_t)t->kind);
    h = mix(h, (uint64_t)(uintptr_t)t->elem);
    h = mix(h, t->count);
    h = mix(h, (uint64_t)t->space * 4 + t->quals);
    for (uint64_t i = 0; t->params != NULL && i < t->count; ++i) {
        h = mix(h, (uint64_t)(uintptr_t)t->params[i]);
    }
    return h ^ (h >> 29);
}

static bool same_type(const mf_type *a, const mf_type *b)
{
    if (a->kind != b->kind || a->elem != b->elem || a->count != b->count || a->space != b->space ||
        a->quals != b->quals) {
        return false;
    }
    for (uint64_t i = 0; a->params != NULL && i < a->count; ++i) {
        if (a->params[i] != b->params[i]) return false;
    }
    return true;
}

static size_t find_slot(const mf_types *t, const mf_type *key)
{
    size_t mask = t->slot_count - 1;
    size_t at = (size_t)type_hash(key) & mask;
    while (t->slots[at] != NULL && !same_type(t->slots[at], key)) at = (at + 1) & mask;
    return at;
}

static void grow(mf_types *t)
{
    const mf_type **old = t->slots;
    size_t old_count = t->slot_count;
    t->slot_count = old_count == 0 ? 32 : old_count * 2;
    t->slots = arena_array(t->mem, const mf_type *, t->slot_count);
    for (size_t i = 0; i < old_count; ++i) {
        if (old[i] != NULL) t->slots[find_slot(t, old[i])] = old[i];
    }
}

static const mf_type *intern(mf_types *t, const mf_type *key)
{
    if (t->n * 2 >= t->slot_count) grow(t);
    size_t at = find_slot(t, key);
    if (t->slots[at] == NULL) {
        t->slots[at] = arena_copy(t->mem, key, sizeof *key);
        ++t->n;
    }
    return t->slots[at];
}

const mf_type *mf_pointer_type(mf_types *t, const mf_type *to, mf_space space, unsigned quals)
{
    return intern(t, &(mf_type){.kind = MF_TYPE_POINTER,
                                .width = 1,
                                .columns = 1,
                                .space = space,
                                .quals = (uint8_t)quals,
                                .size = 8,
                                .align = 8,
                                .elem = to});
}

const mf_type *mf_reference_type(mf_types *t, const mf_type *to, mf_space space, unsigned quals)
{
    return intern(t, &(mf_type){.kind = MF_TYPE_REFERENCE,
                                .width = 1,
                                .columns = 1,
                                .space = space,
                                .quals = (uint8_t)quals,
                                .elem = to});
}

const mf_type *mf_array_type(mf_types *t, const mf_type *elem, uint64_t count)
{
    if (elem->size != 0 && count > largest_size / elem->size) return NULL;
    return intern(t, &(mf_type){.kind = MF_TYPE_ARRAY,
                                .scalar = elem->scalar,
                                .width = 1,
                                .columns = 1,
                                .align = elem->align,
                                .size = elem->size * count,
                                .elem = elem,
                                .count = count});
}

const mf_type *mf_function_type(mf_types *t, const mf_type *result, const mf_type *const *params,
                                size_t n)
{
    return intern(t, &(mf_type){.kind = MF_TYPE_FUNCTION,
                                .scalar = MF_ULONG,
                                .width = 1,
                                .columns = 1,
                                .align = 8,
                                .size = 8,
                                .elem = result,
                                .count = n,
                                .params = params});
}

unsigned mf_scalar_size(mf_scalar s)
{
    return scalars[s].size;
}
mf_class mf_scalar_class(mf_scalar s)
{
    return scalars[s].class;
}
const char *mf_scalar_name(mf_scalar s)
{
    return scalars[s].name;
}
bool mf_scalar_is_float(mf_scalar s)
{
    return scalars[s].class == MF_CLASS_FLOAT;
}

bool mf_scalar_is_integer(mf_scalar s)
{
    return scalars[s].class == MF_CLASS_SIGNED || scalars[s].class == MF_CLASS_UNSIGNED;
}

bool mf_is_scalar(const mf_type *t)
{
    return t->kind == MF_TYPE_SCALAR;
}
bool mf_is_vector(const mf_type *t)
{
    return t->kind == MF_TYPE_VECTOR || t->kind == MF_TYPE_PACKED;
}
bool mf_is_bool(const mf_type *t)
{
    return t->kind == MF_TYPE_SCALAR && t->scalar == MF_BOOL;
}
bool mf_is_integer(const mf_type *t)
{
    return mf_is_scalar(t) && mf_scalar_is_integer(t->scalar);
}
bool mf_is_numeric(const mf_type *t)
{
    return mf_is_scalar(t) || mf_is_vector(t);
}
bool mf_is_float_like(const mf_type *t)
{
    return mf_is_numeric(t) && mf_scalar_is_float(t->scalar);
}

bool mf_is_integer_like(const mf_type *t)
{
    return mf_is_numeric(t) && mf_scalar_is_integer(t->scalar);
}

static const char *const space_names[SPACES] = {[MF_NO_SPACE] = "",
                                                [MF_THREAD] = "thread",
                                                [MF_DEVICE] = "device",
                                                [MF_CONSTANT] = "constant",
                                                [MF_THREADGROUP] = "threadgroup"};

const char *mf_space_name(mf_space space)
{
    return space_names[space];
}

static void write_type(buf *out, const mf_type *t);

static void write_qualified(buf *out, const mf_type *t, mf_space space, unsigned quals)
{
    if (space != MF_NO_SPACE) buf_printf(out, "%s ", mf_space_name(space));
    if ((quals & MF_CONST) != 0) buf_text(out, "const ");
    if ((quals & MF_VOLATILE) != 0) buf_text(out, "volatile ");
    write_type(out, t);
}

static void write_name(buf *out, str name, const char *otherwise)
{
    if (name.n != 0) {
        buf_str(out, name);
    } else {
        buf_text(out, otherwise);
    }
}

static void write_array(buf *out, const mf_type *t)
{
    const mf_type *base = t;
    while (base->kind == MF_TYPE_ARRAY) base = base->elem;
    write_type(out, base);
    for (; t->kind == MF_TYPE_ARRAY; t = t->elem) {
        buf_printf(out, "[%llu]", (unsigned long long)t->count);
    }
}

static void write_function(buf *out, const mf_type *t)
{
    write_type(out, t->elem);
    buf_char(out, '(');
    for (uint64_t i = 0; i < t->count; ++i) {
        if (i != 0) buf_text(out, ", ");
        write_type(out, t->params[i]);
    }
    buf_char(out, ')');
}

static void write_type(buf *out, const mf_type *t)
{
    switch (t->kind) {
    case MF_TYPE_ERROR:
    case MF_TYPE_VOID:
    case MF_TYPE_SCALAR:
    case MF_TYPE_VECTOR:
    case MF_TYPE_PACKED:
    case MF_TYPE_MATRIX:
    case MF_TYPE_SIMD_MATRIX:
    case MF_TYPE_ATOMIC:
    case MF_TYPE_TEXTURE:
    case MF_TYPE_SAMPLER:
    case MF_TYPE_NULL: buf_str(out, t->name); return;
    case MF_TYPE_ENUM: write_name(out, t->enumeration->name, "(unnamed enum)"); return;
    case MF_TYPE_RECORD: write_name(out, t->record->name, "(unnamed struct)"); return;
    case MF_TYPE_ARRAY: write_array(out, t); return;
    case MF_TYPE_FUNCTION:
        if (t == &set_type) buf_str(out, t->name);
        else write_function(out, t);
        return;
    case MF_TYPE_POINTER:
    case MF_TYPE_REFERENCE:
        write_qualified(out, t->elem, t->space, t->quals);
        buf_text(out, t->kind == MF_TYPE_POINTER ? " *" : " &");
        return;
    }
}

str mf_type_text(arena *mem, const mf_type *t)
{
    ingot_allocator hook = arena_hook(mem);
    buf out = buf_make(&hook);
    write_type(&out, t);
    return str_copy(mem, buf_view(&out));
}
