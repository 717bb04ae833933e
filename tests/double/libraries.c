/* Where tests find Apple's libraries: all of them are the double. Linked in place of the table of src/metal/libraries.c. */
#include "metal/libraries.h"

const metal_library metal_libraries[METAL_LIBRARY_COUNT] = {
    [METAL_LIBRARY_OBJC] = {DOUBLE_PATH, false},
    [METAL_LIBRARY_SYSTEM] = {DOUBLE_PATH, false},
    [METAL_LIBRARY_FOUNDATION] = {DOUBLE_PATH, false},
    [METAL_LIBRARY_METAL] = {DOUBLE_PATH, false},
    [METAL_LIBRARY_GRAPHICS] = {DOUBLE_PATH ".absent", true},
};
