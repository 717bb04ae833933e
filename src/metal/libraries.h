/* Where the native device finds Apple's libraries: one constant table, so that a test can link another in its place. */
#ifndef METAL_LIBRARIES_H
#define METAL_LIBRARIES_H

#include <stdbool.h>

typedef enum metal_library_name {
    METAL_LIBRARY_OBJC,
    METAL_LIBRARY_SYSTEM,     /* libdispatch is part of it */
    METAL_LIBRARY_FOUNDATION,
    METAL_LIBRARY_METAL,
    METAL_LIBRARY_GRAPHICS,   /* without it, MTLCreateSystemDefaultDevice gives a command nothing on macOS */
    METAL_LIBRARY_COUNT
} metal_library_name;

typedef struct metal_library {
    const char *path;
    bool optional;
} metal_library;

/* Absolute paths into the system, never taken from the environment. A test program that links its own definition of
 * this table gets its own libraries; nothing can change it in a built library or command. */
extern const metal_library metal_libraries[METAL_LIBRARY_COUNT];

#endif
