/* TVMScript text to IR. */
#ifndef FRONT_SCRIPT_H
#define FRONT_SCRIPT_H

#include "base/diag.h"
#include "ingot/ingot.h"
#include "ir/ir.h"

/* A name of the surrounding Python, given from outside; overrides what the file assigns to that
 * name. */
typedef struct front_definition {
    str name;
    ingot_value value; /* None, bool, int, float, str, tuples of them */
} front_definition;

typedef struct front_options {
    const front_definition *definitions;
    size_t definition_count;
    str module; /* which of a file's modules: a class or function name, or "outer.name"; empty: the
                   only one */
} front_options;

/* Reads the module of a script: `file` of `sources`, which must be those of `diags`. NULL where
 * there were errors; all of them are reported. Runs under the arena's guard; nothing but the arena
 * is changed. */
const ir_module *front_parse(arena *mem, source_set *sources, uint32_t file,
                             const front_options *options, diag_list *diags);

#endif
