/* NumPy's .npy files: versions 1 to 3, little-endian, C or Fortran order. */
#ifndef PACK_NPY_H
#define PACK_NPY_H

#include "base/buf.h"
#include "base/pool.h"
#include "ingot/ingot.h"

enum { NPY_MAX_DIMS = 64 };

/* An array in row-major order. */
typedef struct npy_array {
    DLDataType dtype;
    size_t ndim;
    int64_t shape[NPY_MAX_DIMS];
    void *data;
    size_t size; /* bytes */
} npy_array;

/* Reads a file; the elements lie in memory from `mem` (npy_free gives it back). Refused by name, with
 * INGOT_FORMAT or INGOT_UNSUPPORTED: what is no .npy file, another version, a header that is not NumPy's,
 * big-endian, structured, complex or other types, and data of another size than the shape says. */
ingot_status npy_read(const ingot_allocator *mem, str bytes, npy_array *out, ingot_error *error);
void npy_free(const ingot_allocator *mem, npy_array *a);

/* Appends a version 1 file. Types that NumPy lacks are written as unsigned integers of the same width; lanes become
 * a last dimension. INGOT_UNSUPPORTED for types that are no whole bytes, INGOT_VALUE for a bad shape. */
ingot_status npy_write(const void *data, DLDataType dtype, const int64_t *shape, size_t ndim, buf *out,
                       ingot_error *error);

#endif
