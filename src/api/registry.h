/* The registry of functions from the inside. */
#ifndef API_REGISTRY_H
#define API_REGISTRY_H

#include "ffi/library.h"
#include "ingot/ingot.h"

/* One more user of a function. */
void registry_retain(ingot_function *function);

/* The process's tvm-ffi, whose registry then holds the truth; NULL where there is none. When it is first seen, what was
 * registered here before goes over to it, except names that it has already: those were registered later. Any thread. */
const ffi_library *registry_attach(void);

#endif
