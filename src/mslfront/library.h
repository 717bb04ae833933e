/* The rows of the library's functions, as overload resolution reads them. */
#ifndef MSLFRONT_LIBRARY_H
#define MSLFRONT_LIBRARY_H

#include "mslfront/builtin.h"
#include "mslfront/types.h"

/* Sets of element types and of widths, as bits by mf_scalar and by width. */
enum {
    MF_E_NON = 0,
    MF_E_BOO = 1 << MF_BOOL,
    MF_E_FLT = 1 << MF_HALF | 1 << MF_BFLOAT | 1 << MF_FLOAT,
    MF_E_I32 = 1 << MF_INT | 1 << MF_UINT,
    MF_E_U64 = 1 << MF_ULONG,
    MF_E_S32 = MF_E_I32 | 1 << MF_CHAR | 1 << MF_UCHAR | 1 << MF_SHORT | 1 << MF_USHORT,
    MF_E_INT = MF_E_S32 | 1 << MF_LONG | 1 << MF_ULONG,
    MF_E_X32 = MF_E_S32 | MF_E_FLT,
    MF_E_NUM = MF_E_INT | MF_E_FLT,
    MF_E_ANY = MF_E_NUM | MF_E_BOO,
    MF_E_ACA = MF_E_I32 | 1 << MF_FLOAT,            /* atomics that add */
    MF_E_ACX = MF_E_I32 | 1 << MF_FLOAT | MF_E_BOO, /* atomics that are read and written */
    MF_W1 = 1 << 1,
    MF_W3 = 1 << 3,
    MF_W24 = 1 << 2 | 1 << 3 | 1 << 4,
    MF_W14 = MF_W1 | MF_W24
};

typedef struct mf_builtin_row {
    const char *name, *signature;
    unsigned elements, widths, traits;
} mf_builtin_row;

const mf_builtin_row *mf_builtin_info(mf_builtin id);

/* Whether atomic<s> exists. */
bool mf_atomic_allowed(mf_scalar s);

#endif
