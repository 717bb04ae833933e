/* What the language and its library mean by a name: binary search in constant tables. */
#include "mslfront/names.h"

#include "mslfront/builtin.h"
#include "mslfront/library.h"
#include "mslfront/preproc.h"

#include <string.h>

static const struct {
    const char *text;
    mf_token_kind kind;
} keywords[] = {
#define MF_PUNCT(ID, text)
#define MF_KEYWORD(ID, text) {text, MF_KW_##ID},
#include "mslfront/tokens.def"
#undef MF_PUNCT
#undef MF_KEYWORD
};

static const struct {
    const char *text;
    mf_scalar scalar;
} type_names[] = {
#define MF_TYPE_NAME(name, SCALAR) {name, MF_##SCALAR},
#include "mslfront/library/types.def"
#undef MF_TYPE_NAME
};

static const struct {
    const char *name, *text;
} macros[] = {
#define MF_LIBRARY_MACRO(name, text) {name, text},
#include "mslfront/library/macros.def"
#undef MF_LIBRARY_MACRO
};

static const mf_builtin_row builtins[MF_BUILTINS] = {
#define MF_BUILTIN(ID, name, signature, elements, widths, traits)                                  \
    [MF_FN_##ID] = {name, signature, elements, widths, traits},
#include "mslfront/library/builtins.def"
#undef MF_BUILTIN
};

const mf_builtin_row *mf_builtin_info(mf_builtin id)
{
    return &builtins[id];
}
const char *mf_builtin_name(mf_builtin id)
{
    return builtins[id].name;
}
unsigned mf_builtin_traits(mf_builtin id)
{
    return builtins[id].traits;
}

/* The order of a counted name against a C string. */
static int order(str a, const char *b)
{
    int c = strncmp(a.p, b, a.n);
    return c != 0 ? c : b[a.n] == '\0' ? 0 : -1;
}

/* Index of `name` in a sorted table whose rows begin with their text, or -1. */
#define FIND(table, field, name, result)                                                           \
    do {                                                                                           \
        size_t low = 0, high = sizeof(table) / sizeof(table)[0];                                   \
        (result) = -1;                                                                             \
        while (low < high) {                                                                       \
            size_t mid = (low + high) / 2;                                                         \
            int c = order((name), (table)[mid].field);                                             \
            if (c == 0) {                                                                          \
                (result) = (int)mid;                                                               \
                break;                                                                             \
            }                                                                                      \
            if (c < 0) {                                                                           \
                high = mid;                                                                        \
            } else {                                                                               \
                low = mid + 1;                                                                     \
            }                                                                                      \
        }                                                                                          \
    } while (0)

/* The scalar that `name` begins with, the longest where several do; what follows in *rest. */
static bool scalar_prefix(str name, mf_scalar *s, str *rest)
{
    size_t longest = 0;
    for (int i = 0; i < MF_SCALARS; ++i) {
        str one = str_of(mf_scalar_name((mf_scalar)i));
        if (one.n <= longest || !str_starts(name, one)) continue;
        longest = one.n;
        *s = (mf_scalar)i;
    }
    *rest = (str){name.p + longest, name.n - longest};
    return longest != 0;
}

static unsigned width_digit(char c)
{
    return c >= '2' && c <= '4' ? (unsigned)(c - '0') : 0;
}

static bool take_prefix(str *s, const char *prefix)
{
    str p = str_of(prefix);
    if (!str_starts(*s, p)) return false;
    *s = (str){s->p + p.n, s->n - p.n};
    return true;
}

/* float4, packed_half3, float4x4. */
static const mf_type *shaped_type(str name)
{
    mf_scalar s = MF_FLOAT;
    str rest;
    bool packed = take_prefix(&name, "packed_");
    if (!scalar_prefix(name, &s, &rest)) return NULL;
    if (rest.n == 1 && width_digit(rest.p[0]) != 0 && !(packed && s == MF_BOOL)) {
        unsigned width = width_digit(rest.p[0]);
        return packed ? mf_packed_type(s, width) : mf_vector_type(s, width);
    }
    bool matrix = !packed && (s == MF_HALF || s == MF_FLOAT || s == MF_BFLOAT) && rest.n == 3 && rest.p[1] == 'x';
    if (!matrix || width_digit(rest.p[0]) == 0 || width_digit(rest.p[2]) == 0) return NULL;
    return mf_matrix_type(s, width_digit(rest.p[0]), width_digit(rest.p[2]));
}

static const mf_type *library_type(str name)
{
    mf_scalar s = MF_FLOAT;
    str rest = name;
    if (take_prefix(&rest, "atomic_")) {
        bool known = scalar_prefix(rest, &s, &rest) && rest.n == 0;
        return known && mf_atomic_allowed(s) ? mf_atomic_type(s) : NULL;
    }
    if (take_prefix(&rest, "simdgroup_")) {
        bool known = scalar_prefix(rest, &s, &rest) && str_is(rest, "8x8");
        return known && mf_scalar_is_float(s) ? mf_simd_matrix_type(s) : NULL;
    }
    if (str_is(name, "mem_flags")) return mf_mem_flags_type();
    if (str_is(name, "memory_order")) return mf_memory_order_type();
    if (str_is(name, "thread_scope")) return mf_thread_scope_type();
    return shaped_type(name);
}

static void classify_type(mf_ident *id)
{
    mf_scalar s = MF_BOOL;
    str rest;
    if (scalar_prefix(id->text, &s, &rest) && rest.n == 0) {
        id->type = mf_scalar_type(s);
        return;
    }
    int at;
    FIND(type_names, text, id->text, at);
    if (at >= 0) {
        id->type = mf_scalar_type(type_names[at].scalar);
        return;
    }
    id->type = library_type(id->text);
    bool global = id->type != NULL && id->type->kind == MF_TYPE_VECTOR; /* float4 needs no metal:: */
    id->type_in_metal = id->type != NULL && !global;
}

void mf_classify(arena *mem, mf_ident *id)
{
    id->kind = MF_TOK_IDENT;
    id->builtin = -1;
    int at;
    FIND(keywords, text, id->text, at);
    if (at >= 0) {
        id->kind = keywords[at].kind;
        return;
    }
    FIND(builtins, name, id->text, id->builtin);
    if (id->builtin >= 0) return;
    classify_type(id);
    if (id->type != NULL) return;
    FIND(macros, name, id->text, at);
    if (at >= 0) id->macro = mf_library_macro(mem, id, macros[at].text);
}

bool mf_atomic_allowed(mf_scalar s)
{
    return s == MF_INT || s == MF_UINT || s == MF_FLOAT || s == MF_BOOL || s == MF_ULONG;
}

#define ENUM(e)                                                                                    \
    static const mf_type e##_type;                                                                 \
    static const mf_enum e##_enum = {                                                              \
        .name = {#e, sizeof #e - 1}, .scoped = true, .type = &e##_type, .underlying = NULL};       \
    static const mf_type e##_type = {.kind = MF_TYPE_ENUM,                                         \
                                     .scalar = MF_UINT,                                            \
                                     .width = 1,                                                   \
                                     .columns = 1,                                                 \
                                     .size = 4,                                                    \
                                     .align = 4,                                                   \
                                     .enumeration = &e##_enum};                                    \
    const mf_type *mf_##e##_type(void)                                                             \
    {                                                                                              \
        return &e##_type;                                                                          \
    }

ENUM(mem_flags)
ENUM(memory_order)
ENUM(thread_scope)

static const struct {
    const mf_type *type;
    const char *scope, *item;
    int64_t value;
} constants[] = {
#define MF_LIBRARY_ENUM(enumeration, scope, item, value) {&enumeration##_type, scope, item, value},
#include "mslfront/library/enums.def"
#undef MF_LIBRARY_ENUM
};

bool mf_library_constant(str scope, str name, const mf_type **type, int64_t *value)
{
    for (size_t i = 0; i < sizeof constants / sizeof constants[0]; ++i) {
        if (!str_is(name, constants[i].item) || !str_is(scope, constants[i].scope)) continue;
        *type = constants[i].type;
        *value = constants[i].value;
        return true;
    }
    return false;
}
