/* The host part of a module: functions with checked parameters and a small register code that loops,
 * computes scalars, allocates device memory and launches kernels. */
#ifndef HOST_PROGRAM_H
#define HOST_PROGRAM_H

#include "base/buf.h"
#include "base/pool.h"
#include "ingot/ingot.h"

typedef enum host_op {
#define HOST_OP(NAME, text, shape) HOST_##NAME,
#include "host/ops.def"
#undef HOST_OP
    HOST_OP_COUNT
} host_op;

typedef enum host_math {
#define HOST_MATH(NAME, args, value) HOST_MATH_##NAME,
#include "host/math.def"
#undef HOST_MATH
    HOST_MATH_COUNT
} host_math;

/* d = op(a, b): ops.def says what the operands mean. */
typedef struct host_insn {
    uint8_t op, sub;
    uint16_t d, a, b;
} host_insn;

static inline uint32_t host_wide(host_insn i)
{
    return (uint32_t)i.a | (uint32_t)i.b << 16;
}

/* What a dimension, a stride or an element offset of a tensor must be. */
typedef enum host_dim_kind {
    HOST_DIM_CONST,  /* `value` */
    HOST_DIM_DEFINE, /* anything: it defines `reg` */
    HOST_DIM_MATCH,  /* what `reg` holds, which `shown` defined before */
    HOST_DIM_EXPR    /* what `reg` holds once the checks' code has run; `shown` is the expression */
} host_dim_kind;

typedef struct host_dim {
    host_dim_kind kind;
    uint16_t reg;
    int64_t value;
    str text;  /* as written: "1024", "n", "n + 1" */
    str shown; /* in terms of arguments: "A.shape[0]", "A.shape[0] + 1" */
} host_dim;

typedef struct host_param {
    ingot_param_kind kind;
    str name;
    DLDataType dtype; /* of a pointer: handle */
    uint16_t reg;     /* the scalar, or the pointer to the tensor's memory */
    const host_dim *shape;
    const char *const *shape_texts; /* `text` of each dimension */
    size_t ndim;
    const host_dim *strides; /* stride_count is ndim, or 0: row-major */
    size_t stride_count;
    host_dim offset;       /* in elements */
    int64_t offset_factor; /* a DEFINEd offset is a multiple of it; 0 = not said */
    bool is_read, is_written;
} host_param;

/* Values in registers: for the arguments in the kernel's order, then for its launch tags. */
typedef struct host_launch {
    str kernel;
    const uint16_t *args;
    size_t arg_count;
    const uint16_t *extents;
    size_t extent_count;
} host_launch;

typedef struct host_message {
    str error; /* "ValueError", "TypeError", "RuntimeError" ... */
    str text;
} host_message;

typedef struct host_function {
    str name;
    const host_param *params;
    size_t param_count;
    const DLDataType *regs; /* type of each register */
    size_t reg_count;
    const uint64_t *constants; /* int64 or double, as bits */
    size_t constant_count;
    const host_insn *code; /* [0, checks_end) computes what EXPR dimensions must be; the rest is the body */
    size_t code_count, checks_end;
    const host_launch *launches;
    size_t launch_count;
    const host_message *messages;
    size_t message_count;
    size_t alloc_count; /* slots of ALLOC */
    DLDataType result;  /* handle, 0 bits: none */
} host_function;

/* Immutable. */
typedef struct host_program {
    const host_function *functions;
    size_t function_count;
} host_program;

/* Compact bytes: the same for the same program. */
void host_encode(const host_program *p, buf *out);

/* Reads and verifies bytes that may be anything; INGOT_FORMAT says what is wrong. */
ingot_status host_decode(pool *mem, str bytes, const host_program **out, ingot_error *error);

/* Checks all that the interpreter relies on: registers, types, jumps, indices. INGOT_FORMAT names the
 * function and the instruction. `mem` holds what the check needs. */
ingot_status host_verify(pool *mem, const host_program *p, ingot_error *error);

/* NULL where there is none. An empty name: the only function, else "main". */
const host_function *host_find(const host_program *p, str name);

/* "main(A: Tensor([1024], float32), x: float32)". */
void host_signature(const host_function *f, buf *out);

#endif
