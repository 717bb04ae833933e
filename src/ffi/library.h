/* The process's libtvm_ffi, found at run time: Ingot neither links nor loads it. */
#ifndef FFI_LIBRARY_H
#define FFI_LIBRARY_H

#include <stdbool.h>

#include "ffi/abi.h"
#include "ingot/ingot.h"

/* Its functions. */
typedef struct ffi_library {
#define FFI_SYMBOL(result, field, symbol, parameters) result (*field) parameters;
#include "ffi/symbols.def"
#undef FFI_SYMBOL
} ffi_library;

/* Looks for it among what the process has loaded for all (RTLD_GLOBAL, as Python's package does); false where it is not there, or lacks one of the functions. Once it was
 * found it stays loaded. Any thread. */
bool ffi_find(ffi_library *out);

/* Gives back what an owned value holds, and makes it None. */
void ffi_release(const ffi_library *lib, ffi_any *value);

/* Empties the thread's slot, so that an error of earlier is not taken for one of the call to come. */
void ffi_clear_error(const ffi_library *lib);

/* Moves the thread's error into *error, as INGOT_CALLBACK with "Kind: message", and leaves it in the slot as well, so that
 * whoever knows more of it (Python its traceback) can raise it again. Returns INGOT_CALLBACK. */
ingot_status ffi_take_error(const ffi_library *lib, ingot_error *error);

/* Puts an error into the thread's slot: "ValueError: text" under its own kind, anything else under the kind that its status
 * goes by. Returns -1, for a function to end with. */
int ffi_put_error(const ffi_library *lib, const ingot_error *error);

/* Calls a registered function by name; the result is owned. INGOT_NOT_FOUND where there is none. */
ingot_status ffi_call_global(const ffi_library *lib, const char *name, const ffi_any *args, int32_t count, ffi_any *result,
                             ingot_error *error);

#endif
