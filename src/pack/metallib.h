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

typedef struct metallib_version {
    uint16_t major, minor;
} metallib_version;

/* A function constant: what a function may be specialised by. */
typedef struct metallib_constant {
    str name;
    uint8_t type; /* MTLDataType */
    uint16_t index;
    bool active;
} metallib_constant;

typedef struct metallib_function {
    str name;
    unsigned type; /* metallib_type */
    unsigned char hash[32];
    str module;    /* the wrapped bitcode; functions may share one */
    str public_metadata, private_metadata; /* the tags of its groups, without size and ENDT */
    metallib_version air, language;
    const metallib_constant *constants;
    size_t constant_count;
    bool has_source, has_reflection;
    uint64_t source_offset, reflection_offset;
} metallib_function;

typedef struct metallib {
    uint16_t format_major, format_minor, format_patch; /* 1.2.patch */
    bool is_macos, is_stub, is_64_bit;
    unsigned file_type; /* 0 executable, 1 Core Image, 2 dynamic library, 3 symbol companion */
    unsigned platform;  /* 1 macOS, 2 iOS, ...; 0 not said */
    uint16_t os_major, os_minor, os_patch;
    bool has_uuid;
    unsigned char uuid[16];
    const metallib_function *functions;
    size_t function_count;
} metallib;

/* "macOS", "iOS" ...; "unknown" for a number that is none. */
const char *metallib_platform_text(unsigned platform);

/* Parses all of it: sizes, offsets, tags, metadata, module wrappers and the SHA-256 of every module. Names are copied
 * into `mem`, other views point into `bytes`. What is wrong is INGOT_FORMAT, naming the place. */
ingot_status metallib_read(pool *mem, str bytes, const metallib **out, ingot_error *error);

/* The same, keeping nothing. */
ingot_status metallib_check(str bytes, ingot_error *error);

/* NULL where there is none of that name. */
const metallib_function *metallib_find(const metallib *m, str name);

#endif
