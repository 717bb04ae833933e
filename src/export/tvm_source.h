/* The parts of a library in TVM's shape. */
#ifndef EXPORT_TVM_SOURCE_H
#define EXPORT_TVM_SOURCE_H

#include <stdio.h>

#include "export/c_text.h"

/* What such libraries begin with: tensors and calls, arithmetic, and temporaries, where some function has them. (tvm_prelude.c) */
extern const char tvm_prelude[], tvm_arithmetic_prelude[], tvm_memory_prelude[];

/* One function being written: "static int run_NAME(args, count, result, device, slots)". Its registers are variables rN,
 * int64_t, double or void * by their types; *device is that of the tensors; slots[] hold its temporaries. */
typedef struct tvm_writer {
    const host_function *f;
    buf *out;
} tvm_writer;

/* The type under which TVM's runtime is told of a kernel's scalar. It knows int32, uint32, int64 and float32; all others
 * travel as the bits of an int64, of which the kernel reads as many as it declares. */
DLDataType tvm_carrier(DLDataType t);

/* "WRAP(" that makes a result fit a register of that type; one bracket is to be closed. */
const char *tvm_wrap(DLDataType t);

/* The checks of the arguments, and what they give the registers: all but constants and expressions, then (`late`) these. */
void tvm_write_arguments(const tvm_writer *w, bool late);

/* Instructions [from, to) as C statements over the registers' variables; INGOT_UNSUPPORTED names one that cannot be. */
ingot_status tvm_write_code(const tvm_writer *w, size_t from, size_t to, ingot_error *error);

#endif
