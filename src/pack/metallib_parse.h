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
    bool dialect_known; /* a group's size has shown it */
    str source_section, reflection_section;
    size_t at;  /* function being read; SIZE_MAX: none */
    str name;   /* its name, once known */
    str hashed; /* the module hashed last, which functions often share */
    unsigned char hash[32];
    uint64_t hashed_bytes; /* all in all */
    uint64_t walked_tags;  /* of metadata and sections, all in all */
} metallib_parse;

/* The next tag; ENDT has no payload. False where the bytes end inside it. */
bool metallib_next_tag(reader *r, metallib_tag *tag);
bool metallib_tag_is(const metallib_tag *tag, const char *name);

/* INGOT_FORMAT with the function at hand. */
ingot_status metallib_bad(metallib_parse *p, const char *what);

/* The same for groups that functions point to. They may be shared, but a file whose groups overlap over and over is
 * made to waste time: it fails there as well. */
bool metallib_next_of_group(metallib_parse *p, reader *r, metallib_tag *tag);

/* All tags up to ENDT, kept in `mem` without it. *cut: the bytes end before it, and *out has the whole tags before. */
ingot_status metallib_read_tags(metallib_parse *p, reader *r, const metallib_tag **out, size_t *count, bool *cut);

/* A NUL-terminated text, without its NUL; p NULL and r->failed where there is no NUL. */
str metallib_text(reader *r);

/* Checks the sections behind the modules that the extension names, and keeps what they say. */
ingot_status metallib_read_sections(metallib_parse *p);

/* The group at an offset of such a section: its tags with their ENDT. `wanted` is the tag that it must begin with. */
ingot_status metallib_section_group(metallib_parse *p, str section, uint64_t offset, const char *wanted, str *out);

/* The public and the private group of a function, at their offsets. */
ingot_status metallib_read_metadata(metallib_parse *p, uint64_t public_at, uint64_t private_at, metallib_function *f);

/* The next group of the function list, with what it points to. */
ingot_status metallib_read_function(metallib_parse *p, reader *r, metallib_function *f);

#endif
