/* Machine code of an object file that the child made, placed in this process: no linker of LLVM's is needed, and nothing of LLVM
 * runs in the host. */
#ifndef AIR_IMAGE_H
#define AIR_IMAGE_H

#include <stddef.h>

#include "base/str.h"
#include "ingot/ingot.h"

typedef struct air_image {
    void *base; /* NULL: none */
    size_t size;
} air_image;

/* Where a symbol that the object leaves open lies; NULL where there is none of that name. */
typedef const void *(*air_image_resolver)(str name);

/* What the object defines and the caller asks for. */
typedef struct air_image_symbol {
    const char *name;
    const void *address;
} air_image_symbol;

/* Places the object's sections in one mapping, code that can be run and not written, the rest that cannot be run, and finds the
 * `wanted` symbols. INGOT_INTERNAL where the object is damaged, lacks one of those, or is made for another processor. */
INGOT_MUST_USE ingot_status air_image_load(str object, air_image_resolver resolve, air_image_symbol *wanted, size_t wanted_count,
                                           air_image *out, ingot_error *error);

void air_image_free(air_image *image);

#endif
