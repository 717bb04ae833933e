/* Element types of the IR: DLPack's code, bits and lanes, with their text form ("float32x4"). */
#ifndef IR_TYPE_H
#define IR_TYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/num.h"
#include "base/str.h"
#include "ingot/dlpack.h"

/* Codes are DLPack's, so that an ir_type is a DLDataType. void is (HANDLE, 0 bits, 0 lanes). */
typedef enum ir_code {
    IR_INT = 0,
    IR_UINT = 1,
    IR_FLOAT = 2,
    IR_HANDLE = 3,
    IR_BFLOAT = 4,
    IR_BOOL = 6,
    IR_FP8_E3M4 = 7,
    IR_FP8_E4M3 = 8,
    IR_FP8_E4M3B11FNUZ = 9,
    IR_FP8_E4M3FN = 10,
    IR_FP8_E4M3FNUZ = 11,
    IR_FP8_E5M2 = 12,
    IR_FP8_E5M2FNUZ = 13,
    IR_FP8_E8M0FNU = 14,
    IR_FP6_E2M3FN = 15,
    IR_FP6_E3M2FN = 16,
    IR_FP4_E2M1FN = 17
} ir_code;

typedef struct ir_type {
    uint8_t code, bits; /* bits of one lane; bool has 8, as DLPack stores it */
    uint16_t lanes;
} ir_type;

#define IR_TYPE(c, b) ((ir_type){(uint8_t)(c), (b), 1})
#define IR_VOID ((ir_type){IR_HANDLE, 0, 0})
#define IR_POINTER ((ir_type){IR_HANDLE, 64, 1})
#define IR_I32 IR_TYPE(IR_INT, 32)
#define IR_I64 IR_TYPE(IR_INT, 64)
#define IR_U32 IR_TYPE(IR_UINT, 32)
#define IR_F16 IR_TYPE(IR_FLOAT, 16)
#define IR_F32 IR_TYPE(IR_FLOAT, 32)
#define IR_B1 IR_TYPE(IR_BOOL, 8)

static inline bool ir_type_eq(ir_type a, ir_type b)
{
    return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}
static inline ir_type ir_type_lanes(ir_type t, uint32_t lanes)
{
    t.lanes = (uint16_t)lanes;
    return t;
}
static inline ir_type ir_type_element(ir_type t)
{
    return ir_type_lanes(t, 1);
}
static inline bool ir_type_is_void(ir_type t)
{
    return t.code == IR_HANDLE && t.bits == 0;
}
static inline bool ir_type_is_pointer(ir_type t)
{
    return t.code == IR_HANDLE && t.bits != 0;
}
static inline bool ir_type_is_bool(ir_type t)
{
    return t.code == IR_BOOL;
}
/* Signed or unsigned, bool not counted. */
static inline bool ir_type_is_int(ir_type t)
{
    return t.code == IR_INT || t.code == IR_UINT;
}
/* Any floating-point format. */
static inline bool ir_type_is_float(ir_type t)
{
    return t.code == IR_FLOAT || t.code == IR_BFLOAT || (t.code >= IR_FP8_E3M4 && t.code <= IR_FP4_E2M1FN);
}
static inline bool ir_type_is_small_float(ir_type t)
{
    return t.code >= IR_FP8_E3M4 && t.code <= IR_FP4_E2M1FN;
}

/* Bytes of one element (all lanes); sub-byte types rounded up as a whole. */
static inline uint32_t ir_type_bytes(ir_type t)
{
    return ((uint32_t)t.bits * t.lanes + 7) / 8;
}

/* The format of a float type narrower than 32 bits; NULL for others. */
const num_format *ir_type_format(ir_type t);

/* "float32", "int8x4", "bool", "handle", "void", "float8_e4m3fn". False where it is none. Aliases f32,
 * i8 ... are script names and not accepted here. */
bool ir_type_parse(str text, ir_type *out);

/* NUL-terminated, in `out` of at least IR_TYPE_TEXT bytes; returns out. */
enum { IR_TYPE_TEXT = 40 };
const char *ir_type_print(ir_type t, char *out);

/* Smallest and largest value of an integer type or bool (as int64; the largest of uint64 does not
 * fit and is given as INT64_MAX). */
int64_t ir_type_min(ir_type t);
int64_t ir_type_max(ir_type t);

/* The value as the integer type stores it: wrapped to its bits, sign-extended for signed types. */
int64_t ir_type_wrap(ir_type t, int64_t value);

/* The value as the float type stores it: rounded once. double for float64. */
double ir_type_round(ir_type t, double value);

#endif
