/* Apple's libraries, by the paths that they have on every system since macOS 10.11 and iOS 9. */
#include "metal/libraries.h"

const metal_library metal_libraries[METAL_LIBRARY_COUNT] = {
    [METAL_LIBRARY_OBJC] = {"/usr/lib/libobjc.A.dylib", false},
    [METAL_LIBRARY_SYSTEM] = {"/usr/lib/libSystem.B.dylib", false},
    [METAL_LIBRARY_FOUNDATION] = {"/System/Library/Frameworks/Foundation.framework/Foundation", false},
    [METAL_LIBRARY_METAL] = {"/System/Library/Frameworks/Metal.framework/Metal", false},
    [METAL_LIBRARY_GRAPHICS] = {"/System/Library/Frameworks/CoreGraphics.framework/CoreGraphics", true},
};
