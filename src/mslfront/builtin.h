/* The functions of metal_stdlib that compute kernels call, one id a row of library/builtins.def. */
#ifndef MSLFRONT_BUILTIN_H
#define MSLFRONT_BUILTIN_H

#include <stdint.h>

typedef enum mf_builtin {
#define MF_BUILTIN(ID, name, signature, elements, widths, traits) MF_FN_##ID,
#include "mslfront/library/builtins.def"
#undef MF_BUILTIN
    MF_BUILTINS
} mf_builtin;

/* What a call does beside computing its result from its arguments, and what forms it has. */
enum {
    MF_PURE = 1,       /* the result depends on this thread's arguments alone */
    MF_CROSS_LANE = 2, /* exchanges values with other threads of the simdgroup or quadgroup */
    MF_BARRIER = 4,
    MF_ATOMIC = 8,
    MF_READS = 16,  /* through a pointer argument */
    MF_WRITES = 32, /* through a pointer or reference argument */
    MF_MATH = 64,   /* has fast:: and precise:: forms */
    MF_TEXTURE = 128 /* of the library's textures and samplers */
};

/* The row's name, as MSL spells it, and its traits (bits above). */
const char *mf_builtin_name(mf_builtin id);
unsigned mf_builtin_traits(mf_builtin id);

/* Values of the library's enumerations, which reach the tree as integer constants. */
enum { /* mem_flags, bits */
       MF_MEM_NONE = 0,
       MF_MEM_DEVICE = 1,
       MF_MEM_THREADGROUP = 2,
       MF_MEM_TEXTURE = 4,
       MF_MEM_THREADGROUP_IMAGEBLOCK = 8,
       MF_MEM_OBJECT_DATA = 16
};
enum { /* memory_order */
       MF_ORDER_RELAXED = 0,
       MF_ORDER_ACQUIRE = 2,
       MF_ORDER_RELEASE = 3,
       MF_ORDER_ACQ_REL = 4,
       MF_ORDER_SEQ_CST = 5
};
enum { /* thread_scope */
       MF_SCOPE_THREAD = 0,
       MF_SCOPE_THREADGROUP = 1,
       MF_SCOPE_DEVICE = 2,
       MF_SCOPE_SIMDGROUP = 4
};

#endif
