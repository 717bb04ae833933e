/* What both kinds of C sources are written with. */
#ifndef EXPORT_C_TEXT_H
#define EXPORT_C_TEXT_H

#include "base/buf.h"
#include "host/module.h"

/* A C string of any text; no trigraph, and no escape runs into what follows. */
void c_string(buf *out, str text);

/* Numbers of an array's initializer, in rows. */
void c_bytes(buf *out, str bytes);

/* "SHOWN int __tvm_ffi_KIND_NAME(...)" as a declaration and the head of its definition; KIND is "", "_metadata" or "_doc". */
void c_symbol(buf *out, const char *kind, const char *name);

/* The two functions that tell a function's types and its signature; they call "text" of the prelude. */
void c_descriptions(const host_function *f, const char *shown, const ingot_allocator *mem, buf *out);

/* INGOT_VALUE where the module has no functions, or one whose name is no C identifier. */
ingot_status c_check_names(const ingot_module *m, ingot_error *error);

/* Declarations that both need: tvm-ffi's value and its functions as weak symbols, "fail" and "text". */
extern const char c_prelude[];

#endif
