/* What holds of every device module, however it came about. */
#ifndef PACK_DEVICE_CHECK_H
#define PACK_DEVICE_CHECK_H

#include "pack/device_module.h"

/* Not empty, and fit to be a C string. */
bool pack_is_name(str s);

/* Name, pointers before scalars, launch tags once each, a payload; `status` is what a fault is. */
ingot_status pack_kernel_check(const pack_kernel *k, ingot_status status, ingot_error *error);

/* Kernels by name, so that modules of many thousand are read in linear time. */
typedef struct pack_index {
    const pack_kernel *kernels;
    uint32_t *slots; /* open addressing: index + 1, 0 = free */
    size_t slot_count;
} pack_index;

/* INGOT_EXISTS where two share a name (*again = the index of the second), or INGOT_OUT_OF_MEMORY. */
ingot_status pack_index_make(pool *mem, const pack_kernel *kernels, size_t count, pack_index *out,
                             size_t *again);

/* SIZE_MAX where there is none. */
size_t pack_index_find(const pack_index *x, str name);

#endif
