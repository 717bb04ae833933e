/* The state of reading a metallib, shared by the files that do it. */
#ifndef PACK_METALLIB_PARSE_H
#define PACK_METALLIB_PARSE_H

#include "pack/metallib.h"
#include "pack/reader.h"

typedef struct metallib_section {
    uint64_t offset, size;
} metallib_section;

typedef struct metallib_parse {
    str bytes;
    pool *mem;
    metallib *out;
    ingot_error *error;
    metallib_section list, public_metadata, private_metadata, modules;
    size_t at;  /* function being read; SIZE_MAX: none */
    str name;   /* its name, once known */
    str hashed; /* the module hashed last, which functions often share */
    unsigned char hash[32];
    uint64_t hashed_bytes; /* all in all */
} metallib_parse;

/* Four letters and, but for ENDT, a payload. */
typedef struct metallib_tag {
    char name[5];
    str bytes;
} metallib_tag;

/* False where the bytes end inside it. */
bool metallib_next_tag(reader *r, metallib_tag *tag);
bool metallib_tag_is(const metallib_tag *tag, const char *name);

/* INGOT_FORMAT with the function at hand. */
ingot_status metallib_bad(metallib_parse *p, const char *what);

/* The next group of the function list, with what it points to. */
ingot_status metallib_read_function(metallib_parse *p, reader *r, metallib_function *f);

#endif
