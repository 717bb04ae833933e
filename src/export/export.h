/* What a module is written as for others to load: a C source, one Metal text, and a description of its kernels. All writers
 * append to `out`, whose memory may run out (it says so), and write the same bytes for the same module. */
#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H

#include "base/buf.h"
#include "host/module.h"

/* A C source whose library tvm-ffi's load_module opens: each host function as __tvm_ffi_NAME with its metadata and doc
 * symbols, the module's bytes, and at the first call a look for libingot, which runs them. INGOT_VALUE for a function whose
 * name is no C identifier. */
ingot_status export_c(const ingot_module *m, buf *out, ingot_error *error);

/* The same with the kernels as an import of kind "metal", as TVM itself exports them: TVM's runtime launches them, and libingot
 * has no part in it. INGOT_UNSUPPORTED names what host code cannot be written so. */
ingot_status export_tvm_c(const ingot_module *m, buf *out, ingot_error *error);

/* All kernels in one Metal text: what several of them begin with stands once. INGOT_NOT_FOUND where the module does not have
 * the text of one. */
ingot_status export_metal(const ingot_module *m, buf *out, ingot_error *error);

/* A buffer as the kernel's own text declares it. */
typedef struct export_buffer {
    uint32_t index;
    const char *type; /* of an element, as Metal spells it */
    bool is_read, is_written;
} export_buffer;

/* What is known of a kernel only once its text is read; zeros where it is not. */
typedef struct export_kernel {
    const export_buffer *buffers;
    size_t buffer_count;
    size_t threadgroup_bytes; /* declared in the text */
    uint32_t max_threads;     /* of a threadgroup */
    bool known;
} export_kernel;

/* The description as JSON; `kernels` has one row a kernel of the module. */
ingot_status export_sidecar(const ingot_module *m, const export_kernel *kernels, buf *out, ingot_error *error);

/* Each register of host code as an expression over the function's parameters ("n", "(n + 31) // 32"), where its one
 * assignment can be written so; else p NULL. In `memory`; NULL when out of memory. (expression.c) */
const str *export_expressions(const host_function *f, pool *memory);

/* A JSON string with its quotes. (sidecar.c) */
void export_quote(buf *out, str text);

#endif
