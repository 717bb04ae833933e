/* Element types as DLPack states them: their text, sizes, and arithmetic. */
#ifndef BASE_DTYPE_H
#define BASE_DTYPE_H

#include "base/num.h"
#include "base/str.h"
#include "ingot/dlpack.h"

enum { DTYPE_TEXT = 40 };

static inline bool dtype_eq(DLDataType a, DLDataType b)
{
    return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}
/* Any floating-point format. */
static inline bool dtype_is_float(DLDataType t)
{
    return t.code == kDLFloat || t.code == kDLBfloat ||
           (t.code >= kDLFloat8_e3m4 && t.code <= kDLFloat4_e2m1fn);
}
/* Signed or unsigned, bool not counted. */
static inline bool dtype_is_int(DLDataType t)
{
    return t.code == kDLInt || t.code == kDLUInt;
}

/* Bytes of one element (all lanes); sub-byte types rounded up as a whole. */
static inline uint32_t dtype_bytes(DLDataType t)
{
    return ((uint32_t)t.bits * t.lanes + 7) / 8;
}

/* The format of a float type narrower than 32 bits; NULL for others. */
const num_format *dtype_format(DLDataType t);

/* "float32", "int8x4", "bool", "handle", "void", "float8_e4m3fn". False where it is none. */
bool dtype_parse(str text, DLDataType *out);

/* NUL-terminated, in `out` of at least DTYPE_TEXT bytes; returns out. An unknown code prints as
 * "code<N>_<bits>". */
const char *dtype_print(DLDataType t, char *out);

/* Smallest and largest value of an integer type or bool (as int64; the largest of uint64 does not
 * fit and is given as INT64_MAX). */
int64_t dtype_min(DLDataType t);
int64_t dtype_max(DLDataType t);

/* The value as the integer type stores it: wrapped to its bits, sign-extended for signed types. */
int64_t dtype_wrap(DLDataType t, int64_t value);

/* The value as the float type stores it: rounded once. double for float64. */
double dtype_round(DLDataType t, double value);

#endif
