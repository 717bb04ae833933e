/* Functions across the bridge to tvm-ffi, in both directions. */
#ifndef API_FOREIGN_H
#define API_FOREIGN_H

#include "ffi/library.h"

/* An ingot_function_fn over a function of tvm-ffi: `user` is what foreign_make gave. */
ingot_status foreign_invoke(void *user, const ingot_value *args, size_t count, ingot_result *result, ingot_error *error);

/* Takes over one reference to a function of tvm-ffi; NULL when out of memory, and then the reference is given back.
 * `lib` must live as long. */
void *foreign_make(const ffi_library *lib, void *handle);
void foreign_drop(void *user);

/* A function of tvm-ffi that calls one of Ingot's, which it holds; *out is owned. */
ingot_status foreign_export(const ffi_library *lib, ingot_function *function, void **out, ingot_error *error);

/* Registers Ingot's few own names: "ingot.version" -> str, and "ingot.raise_error"(text), which raises the error of the
 * thread's slot where that reads so, else returns None. Names that are taken stay. */
void foreign_register_own(const ffi_library *lib);

#endif
