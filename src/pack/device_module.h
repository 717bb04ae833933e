/* The device part of a module: kernels with their launch records and payloads, and the bytes that TVM
 * saves of them. */
#ifndef PACK_DEVICE_MODULE_H
#define PACK_DEVICE_MODULE_H

#include "base/buf.h"
#include "base/pool.h"
#include "ingot/ingot.h"

typedef enum pack_format { PACK_METAL, PACK_METALLIB } pack_format;

/* "metal" or "metallib". */
const char *pack_format_text(pack_format format);
/* False where `text` is neither. */
bool pack_format_parse(str text, pack_format *out);

/* The launch tag whose value is a size of threadgroup memory in bytes. */
#define PACK_DYN_SHARED "tirx.use_dyn_shared_memory"

typedef struct pack_kernel {
    str name; /* names and tags are NUL-terminated and hold no NUL */
    const DLDataType *arg_types; /* pointers (handle, 64 bits) first, then scalars */
    size_t arg_count;
    const char *const *arg_names;   /* NULL: not known */
    const char *const *launch_tags; /* in the order in which a call gives their values */
    size_t launch_tag_count;
    const int32_t *extra_tags; /* one an argument; 0 = none, 1 = tensor map. NULL: all 0 */
    str payload;
    str source; /* MSL text for inspection, not part of the saved bytes; p NULL: not known */
} pack_kernel;

/* Immutable. Lives in the pool that it was made in. */
typedef struct pack_device_module {
    pack_format format;
    const pack_kernel *kernels;
    size_t kernel_count;
} pack_device_module;

/* How many of the arguments are pointers. */
size_t pack_kernel_pointers(const pack_kernel *k);

/* NULL where there is none of that name. */
const pack_kernel *pack_find_kernel(const pack_device_module *m, str name);

/* A deep copy of the kernels in `mem`. Refuses empty, repeated or NUL-holding names, empty payloads
 * and pointers after scalars with INGOT_INVALID_ARGUMENT. */
ingot_status pack_device_module_make(pool *mem, const pack_device_module *from,
                                     const pack_device_module **out, ingot_error *error);

/* TVM's bytes in today's layout: format, launch records, payloads. */
void pack_device_module_write(const pack_device_module *m, buf *out);

/* Reads today's layout and that of v0.19 to v0.23 (told apart by the first string). What is wrong is
 * INGOT_FORMAT, naming the field. Nothing of `bytes` is kept. */
ingot_status pack_device_module_read(pool *mem, str bytes, const pack_device_module **out,
                                     ingot_error *error);

/* All kernels' sources: for each "// Function: NAME", newline, source, newline. The payload of a
 * module of format "metal" stands in for a source that is not known. */
void pack_device_module_source(const pack_device_module *m, buf *out);

#endif
