/* The parts of a library in TVM's shape. */
#ifndef EXPORT_TVM_SOURCE_H
#define EXPORT_TVM_SOURCE_H

#include <stdio.h>

#include "export/c_text.h"

/* One function being written. */
typedef struct tvm_writer {
    const host_function *f;
    buf *out;
} tvm_writer;

/* Instructions [from, to) as C statements over the registers' variables; INGOT_UNSUPPORTED names one that cannot be. */
ingot_status tvm_write_code(const tvm_writer *w, size_t from, size_t to, ingot_error *error);

#endif
