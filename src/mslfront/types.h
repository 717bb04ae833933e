/* MSL's types: canonical (one type, one pointer), with size and alignment by Metal's rules. */
#ifndef MSLFRONT_TYPES_H
#define MSLFRONT_TYPES_H

#include "base/arena.h"
#include "base/source.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Names of this folder begin with mf_ ("Metal front end"); msl_ is the emitter's. */

typedef struct mf_type mf_type;
typedef struct mf_record mf_record;
typedef struct mf_enum mf_enum;
typedef struct mf_function mf_function;

typedef enum mf_scalar {
#define MF_SCALAR(ID, name, size, class) MF_##ID,
#include "mslfront/scalars.def"
#undef MF_SCALAR
    MF_SCALARS
} mf_scalar;

typedef enum mf_class {
    MF_CLASS_BOOL,
    MF_CLASS_SIGNED,
    MF_CLASS_UNSIGNED,
    MF_CLASS_FLOAT
} mf_class;

typedef enum mf_space {
    MF_NO_SPACE, /* of an rvalue, which lies nowhere */
    MF_THREAD,
    MF_DEVICE,
    MF_CONSTANT,
    MF_THREADGROUP
} mf_space;

/* Qualifiers of a place, as bits. */
enum { MF_CONST = 1, MF_VOLATILE = 2 };

typedef enum mf_type_kind {
    MF_TYPE_ERROR, /* of an expression that was already complained about; never in a tree handed out
                    */
    MF_TYPE_VOID,
    MF_TYPE_SCALAR,
    MF_TYPE_VECTOR,      /* 2 to 4 elements; 3 takes the room of 4; bool vectors included */
    MF_TYPE_PACKED,      /* packed vector: aligned and laid out as an array of its elements */
    MF_TYPE_MATRIX,      /* columns of vectors */
    MF_TYPE_SIMD_MATRIX, /* simdgroup_matrix<T, 8, 8> */
    MF_TYPE_ATOMIC,      /* atomic<scalar> */
    MF_TYPE_ENUM,
    MF_TYPE_ARRAY,
    MF_TYPE_RECORD, /* struct, class or union */
    MF_TYPE_POINTER,
    MF_TYPE_REFERENCE, /* of variables, parameters and results only: expressions have the referred
                          type */
    MF_TYPE_FUNCTION, /* values of it, which pointers to functions are too, are numbers of functions: see function_value.c */
    MF_TYPE_TEXTURE,
    MF_TYPE_SAMPLER,
    MF_TYPE_NULL /* of nullptr */
} mf_type_kind;

struct mf_type {
    mf_type_kind kind;
    mf_scalar scalar; /* SCALAR; the element of VECTOR, PACKED, MATRIX, SIMD_MATRIX, ATOMIC; what an
                         ENUM is stored as */
    uint8_t width;    /* elements of VECTOR, PACKED; rows of MATRIX and SIMD_MATRIX; else 1 */
    uint8_t columns;  /* of MATRIX and SIMD_MATRIX; else 1 */
    mf_space space;   /* POINTER, REFERENCE: where it points */
    uint8_t quals;    /* POINTER, REFERENCE: MF_CONST | MF_VOLATILE of what it points at; ARRAY:
                         unused, see the variable */
    uint32_t align;   /* bytes; 0 where the type has no size (VOID, REFERENCE) */
    uint64_t size;    /* bytes; sizeof */
    const mf_type *elem; /* VECTOR, PACKED, ARRAY: element; MATRIX: column; POINTER, REFERENCE:
                            target; FUNCTION: result */
    uint64_t count;      /* ARRAY: elements, at least 1; FUNCTION: parameters */
    mf_record *record;   /* RECORD */
    const mf_enum *enumeration;   /* ENUM */
    const mf_type *const *params; /* FUNCTION */
    str name; /* SCALAR, VECTOR, PACKED, MATRIX, ...: the spelling; else see mf_type_text */
};

typedef struct mf_field {
    str name; /* empty for an anonymous struct or union, whose fields are found through it */
    span at;
    const mf_type *type;
    uint8_t quals;
    bool is_base;      /* a base class, unnamed */
    bool is_reference; /* declared as one: `type` is the pointer it is kept as */
    size_t init_at;    /* for the parser: the token at which its initialiser begins, or 0 */
    uint32_t align;  /* alignas of the member; 0 = its type's */
    uint64_t offset; /* bytes from the record's first */
} mf_field;

struct mf_record {
    str name; /* empty where unnamed */
    span at;
    bool is_union;
    bool is_closure; /* of a lambda: what it captured */
    bool complete; /* false while its body is being read */
    bool copies;     /* a constructor of its own copies it, or copying is deleted */
    bool destroys;   /* something is run where it ends: a destructor, or a member's */
    struct mf_symbol *destructor; /* for the parser: its own, or NULL */
    bool constructs; /* T x; runs something: a constructor or a member's initialiser */
    struct mf_scope *scope; /* for the parser: its members' names; NULL before its body */
    struct mf_candidate *constructors, *conversions, *implicit; /* for the parser */
    struct mf_template *made_of; /* for the parser: the template it is an instance of ... */
    const void *made_with;             /* ... and the arguments */
    const struct mf_ident *own_name;   /* for the parser: what constructors are named */
    const mf_type *type;
    uint32_t own_align; /* alignas of the whole, or 0 */
    mf_type *own_type; /* the same, for the parser that completes it */
    mf_field *fields;
    size_t field_count;
};

typedef struct mf_enumerator {
    str name;
    span at;
    int64_t value;
} mf_enumerator;

struct mf_enum {
    str name;
    span at;
    bool scoped; /* enum class */
    const mf_type *type;
    const mf_type *underlying;
    mf_enumerator *items;
    size_t item_count;
};

/* The types that exist once for all, never freed. `width` 1 gives the scalar; packed needs 2 to 4.
 */
const mf_type *mf_void(void);
const mf_type *mf_null_type(void);
const mf_type *mf_error_type(void);
/* Of a function's name that may mean several, for the parser; never in a tree handed out. */
const mf_type *mf_set_type(void);
const mf_type *mf_scalar_type(mf_scalar s);
const mf_type *mf_vector_type(mf_scalar s, unsigned width);
const mf_type *mf_packed_type(mf_scalar s, unsigned width);
const mf_type *mf_atomic_type(mf_scalar s);
/* half or float, 2 to 4 columns and rows. */
const mf_type *mf_matrix_type(mf_scalar s, unsigned columns, unsigned rows);
/* half, bfloat or float, 8 x 8. */
const mf_type *mf_simd_matrix_type(mf_scalar s);

/* Derived types, canonical within one table. Zero is a valid empty table; made in `mem`. */
typedef struct mf_types {
    arena *mem;
    const mf_type **slots; /* open addressing */
    size_t slot_count, n;
} mf_types;

const mf_type *mf_pointer_type(mf_types *t, const mf_type *to, mf_space space, unsigned quals);
const mf_type *mf_reference_type(mf_types *t, const mf_type *to, mf_space space, unsigned quals);
/* NULL where the size would pass 2^48 bytes. */
const mf_type *mf_array_type(mf_types *t, const mf_type *elem, uint64_t count);
const mf_type *mf_function_type(mf_types *t, const mf_type *result, const mf_type *const *params,
                                size_t n);

/* Facts of a scalar. */
unsigned mf_scalar_size(mf_scalar s);
mf_class mf_scalar_class(mf_scalar s);
const char *mf_scalar_name(mf_scalar s);
bool mf_scalar_is_float(mf_scalar s);
bool mf_scalar_is_integer(mf_scalar s); /* bool is none */

/* Questions about types; those on elements answer for scalars, vectors and packed vectors alike. */
bool mf_is_scalar(const mf_type *t);     /* SCALAR, bool included */
bool mf_is_vector(const mf_type *t);     /* VECTOR or PACKED */
bool mf_is_bool(const mf_type *t);       /* scalar bool */
bool mf_is_integer(const mf_type *t);    /* scalar integer, bool excluded */
bool mf_is_numeric(const mf_type *t);    /* SCALAR or VECTOR or PACKED */
bool mf_is_float_like(const mf_type *t); /* SCALAR, VECTOR, PACKED of a float */
bool mf_is_integer_like(
    const mf_type *t); /* SCALAR, VECTOR, PACKED of an integer (bool excluded) */

/* The spelling for messages and dumps: "device const float4 *", "float[16]". */
str mf_type_text(arena *mem, const mf_type *t);
const char *mf_space_name(mf_space space);

#endif
