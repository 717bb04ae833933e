/* From a module's bitcode to machine code, and what the loader must know of it. */
#ifndef AIR_COMPILE_H
#define AIR_COMPILE_H

#include "air/llvm.h"
#include "air/runtime.h"
#include "base/arena.h"

/* How a threadgroup's threads run. */
typedef enum air_form {
    AIR_FORM_WHOLE,   /* as lanes of vectors, rows of the threadgroup being whole vectors */
    AIR_FORM_PARTIAL, /* as lanes of vectors */
    AIR_FORM_SINGLE   /* one after the other, or as fibres */
} air_form;
enum { AIR_FORMS = 3 };

/* What is compiled: run in the child. */
typedef struct air_job {
    str bitcode;    /* or, where its p is NULL, */
    str text, name; /* MSL text, and what it is called in messages */
    str kernel;
    const air_constant *constants;
    size_t constant_count;
    bool describe_only, watched, unchecked;
    air_form form;    /* wanted; the kernel's description says what it is */
} air_job;

/* An air_work: writes the kernel's description and then its object file; air_description_read reads the former. */
ingot_status air_compile(void *job, buf *out, ingot_error *error);

/* build.c: the AIR of one kernel of an MSL text, in the arena, under whose guard this runs. False with the error set. */
bool air_write_text(arena *mem, str text, str name, str kernel, bool precise, str *bitcode, ingot_error *error);

/* build.c: the AIR of the functions of an MSL text that are no kernels, over the device's own texture functions; the same. */
bool air_write_functions(arena *mem, str text, str *bitcode, ingot_error *error);

#endif
