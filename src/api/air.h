/* The name under which the registry finds the built-in compile step. */
#ifndef API_AIR_H
#define API_AIR_H

#define AIR_CALLBACK "ingot.compile_metallib"

#endif
