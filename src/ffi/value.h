/* Values between Ingot and tvm-ffi. */
#ifndef FFI_VALUE_H
#define FFI_VALUE_H

#include "base/pool.h"
#include "ffi/library.h"

/* What it takes to read values: where their parts are copied to, and objects that must stay until the end. Made by
 * ffi_reading_make, ended by ffi_reading_end. One thread. */
typedef struct ffi_held ffi_held;
typedef struct ffi_reading {
    const ffi_library *lib;
    pool memory;
    ffi_held *held;
} ffi_reading;

ffi_reading ffi_reading_make(const ffi_library *lib, const ingot_allocator *mem);
void ffi_reading_end(ffi_reading *r);

/* Ingot's form of a value, good until the reading ends; `from` must live as long. Arrays and lists become tuples, nested to
 * sixteen levels; what has no form here becomes INGOT_VALUE_OTHER with the name of its type. */
ingot_status ffi_to_value(ffi_reading *r, const ffi_any *from, ingot_value *to, ingot_error *error);

/* tvm-ffi's form, to be given back by ffi_release. A tensor is borrowed from the argument. A target becomes what the
 * registered function "ingot.target" makes of its text (the Python package's Target object), else that text.
 * Fails on values of kind OTHER. */
ingot_status ffi_from_value(const ffi_library *lib, ingot_value from, ffi_any *to, ingot_error *error);

#endif
