/* Apple's archive of compiled kernels: read and validated, both writers' dialects. */
#ifndef PACK_METALLIB_H
#define PACK_METALLIB_H

#include "base/pool.h"
#include "ingot/ingot.h"

typedef enum metallib_type {
#define METALLIB_TYPE(NAME, number, text) METALLIB_##NAME = number,
#include "pack/metallib_types.def"
#undef METALLIB_TYPE
} metallib_type;

/* "kernel", "vertex" ...; NULL for a number that is none. */
const char *metallib_type_text(unsigned type);

/* Files come from two writers of Apple's. The linker (`metallib`) puts a module's size before the offsets, and the
 * size of a group of metadata does not count itself; the compiler driver (`metal -o`) puts it last, and it does. */
typedef enum metallib_dialect { METALLIB_DRIVER, METALLIB_LINKER } metallib_dialect;

typedef struct metallib_version {
    uint16_t major, minor;
} metallib_version;

/* Four letters and a payload. */
typedef struct metallib_tag {
    char name[5];
    str bytes;
} metallib_tag;

/* A function constant: what a function may be specialised by. */
typedef struct metallib_constant {
    str name;
    uint8_t type; /* MTLDataType */
    uint16_t index;
    bool active;
} metallib_constant;

/* "float", "uint4" ... for a number of MTLDataType; "unknown" for one that is none of a function constant's. */
const char *metallib_data_type_text(unsigned type);

typedef struct metallib_function {
    str name;
    unsigned type; /* metallib_type */
    unsigned char hash[32];
    str module;    /* the wrapped bitcode; functions may share one */
    str public_metadata, private_metadata; /* the tags of its groups, without size and ENDT */
    metallib_version air, language;
    const metallib_constant *constants;
    size_t constant_count;
    str debug_file, dependency; /* where its source and its .air stood; empty: not said */
    uint32_t debug_line;        /* from 1; 0: not said */
    bool has_source, has_reflection;
    uint64_t source_offset, reflection_offset; /* in their sections */
    str source, reflection;                    /* the groups there, tags and ENDT, without their size */
    const metallib_tag *tags; /* of its group in the function list, in the file's order; NULL: made anew */
    size_t tag_count;
} metallib_function;

/* The text at the head of a section of sources. */
typedef struct metallib_sources {
    bool present, has_directory;
    str link_options, directory;
    uint32_t count; /* of archives */
} metallib_sources;

typedef struct metallib {
    uint16_t format_major, format_minor, format_patch; /* 1.2.patch */
    bool is_macos, is_stub, is_64_bit;
    unsigned file_type; /* 0 executable, 1 Core Image, 2 dynamic library, 3 symbol companion */
    unsigned platform;  /* 1 macOS, 2 iOS, ...; 0 not said */
    uint16_t os_major, os_minor, os_patch;
    metallib_dialect dialect;
    bool has_uuid;
    unsigned char uuid[16];
    const metallib_function *functions;
    size_t function_count;
    bool has_extension;            /* false in the oldest format alone */
    const metallib_tag *extension; /* in the file's order, without ENDT; a section's tag has the section's bytes */
    size_t extension_count;
    str install_name; /* of a dynamic library, or the file's name; empty: not said */
    metallib_sources sources;
} metallib;

/* "macOS", "iOS" ...; "unknown" for a number that is none. */
const char *metallib_platform_text(unsigned platform);

/* "executable", "dynamic library" ...; NULL for a number that is none. */
const char *metallib_file_type_text(unsigned file_type);

/* True for the tag of a header extension that stands for a section behind the modules. */
bool metallib_is_section(const metallib_tag *tag);

/* Parses all of it: sizes, offsets, tags, metadata, sections behind the modules, module wrappers and the SHA-256 of
 * every module. Names are copied into `mem`, other views point into `bytes`. What is wrong is INGOT_FORMAT, naming
 * the place. */
ingot_status metallib_read(pool *mem, str bytes, const metallib **out, ingot_error *error);

/* The same, keeping nothing. */
ingot_status metallib_check(str bytes, ingot_error *error);

/* NULL where there is none of that name. */
const metallib_function *metallib_find(const metallib *m, str name);

#endif
