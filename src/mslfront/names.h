/* What the language and its library mean by a name, found without any table being built. */
#ifndef MSLFRONT_NAMES_H
#define MSLFRONT_NAMES_H

#include "mslfront/lex.h"

/* Fills in what is known of a fresh identifier: reserved word, type, library function, predefined
 * macro. */
void mf_classify(arena *mem, mf_ident *id);

/* The library constant of that name ("mem_flags" and "mem_device"; scope empty for
 * memory_order_relaxed): its value and enumeration. False where there is none. */
bool mf_library_constant(str scope, str name, const mf_type **type, int64_t *value);

/* The library's enumeration types. */
const mf_type *mf_mem_flags_type(void);
const mf_type *mf_memory_order_type(void);
const mf_type *mf_thread_scope_type(void);

#endif
