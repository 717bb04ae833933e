/* A kernel's signature as its module's air.* metadata states it. */
#ifndef AIR_SIGNATURE_H
#define AIR_SIGNATURE_H

#include "air/llvm.h"
#include "base/arena.h"
#include "mslfront/tree.h"

typedef enum air_param_kind {
    AIR_PARAM_BUFFER,      /* device or constant memory at a slot */
    AIR_PARAM_THREADGROUP, /* threadgroup memory whose length the launch gives */
    AIR_PARAM_INPUT,       /* `input` */
    AIR_PARAM_TEXTURE,
    AIR_PARAM_SAMPLER,
    AIR_PARAM_OTHER        /* a function table ...: `what` names it */
} air_param_kind;

typedef struct air_param {
    air_param_kind kind;
    str what;        /* "air.buffer", "air.thread_position_in_grid" ... */
    uint32_t slot, count; /* of an array of textures its length, else 1 */
    uint32_t space;  /* 1 device, 2 constant, 3 threadgroup */
    uint64_t size, align; /* of what it points at */
    uint64_t least;  /* bytes that must be bound: of a reference; 0: not said */
    str access;      /* "air.read" ... */
    str type, name;
    mf_input input;
} air_param;

typedef struct air_function_constant {
    LLVMValueRef global;
    str type, name;
    uint32_t index;
    bool active;
} air_function_constant;

typedef struct air_signature {
    str name, stage;     /* "kernel", "vertex" ... */
    LLVMValueRef function;
    air_param *params;   /* one a parameter of the function */
    size_t param_count;
    uint32_t max_threads; /* air.max_work_group_size; 0: not said */
} air_signature;

/* The signature of the function of that name; NULL with the error set where the module has none or says what cannot be.
 * Strings are the module's. */
const air_signature *air_signature_read(arena *mem, LLVMModuleRef module, str name, ingot_error *error);

air_function_constant *air_constants_read(arena *mem, LLVMModuleRef module, size_t *count);

/* Three numbers of a named node of integers, as air.version is; zeros where it has none. */
void air_numbers(LLVMModuleRef module, const char *node, unsigned first, unsigned out[3]);

#endif
