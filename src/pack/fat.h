/* A Metal fat binary: several libraries, or a library and code for GPUs, in one file. */
#ifndef PACK_FAT_H
#define PACK_FAT_H

#include "base/str.h"
#include "ingot/ingot.h"

typedef struct fat_slice {
    uint32_t cpu_type, cpu_subtype;
    str bytes;
} fat_slice;

/* True for bytes that begin as such a file does, in either byte order. */
bool fat_is(str bytes);

/* How many slices there are. INGOT_FORMAT where the bytes are no such file, or a slice does not lie inside it. */
ingot_status fat_count(str bytes, size_t *out, ingot_error *error);

/* A slice of a file that fat_count has accepted, by its index. */
fat_slice fat_at(str bytes, size_t index);

/* "AIR (a metallib)", "Apple GPU code" ... */
const char *fat_cpu_text(uint32_t cpu_type);

#endif
