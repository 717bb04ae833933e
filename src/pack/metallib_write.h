/* Writing metallibs: one that was read, byte for byte; one that was made; and libraries made from others. */
#ifndef PACK_METALLIB_WRITE_H
#define PACK_METALLIB_WRITE_H

#include "base/buf.h"
#include "pack/metallib.h"

/* Makes a library of given functions ready to be written: sets every function's hash to its module's SHA-256 and gives
 * the library a UUID made from them, so that the same functions give the same bytes. `m` has its header fields, and
 * its functions name, type, module (whose size is a multiple of 16), versions and the tags of their metadata set, all
 * else zero. */
ingot_status metallib_seal(pool *mem, metallib *m, ingot_error *error);

/* A UUID made from the functions' hashes: the first bytes of their common hash, marked as a random one (RFC 4122). */
ingot_status metallib_make_uuid(pool *mem, metallib *m, ingot_error *error);

/* INGOT_VALUE where two functions have one name. */
ingot_status metallib_check_names(const metallib *m, ingot_error *error);

/* Appends the file. Parts follow each other without gaps, in the functions' order, as Apple's writers lay them out:
 * a file of theirs that was read comes out byte for byte. Modules and groups of metadata that are the same memory are
 * written once. Running out of memory is left in out->failed. */
void metallib_write(const metallib *m, buf *out);

/* A library of the functions of `m` that `names` has, in the file's order. INGOT_NOT_FOUND names what is not there.
 * Sources are left out. Views of `m` stay in use. */
ingot_status metallib_select(pool *mem, const metallib *m, const str *names, size_t count, const metallib **out,
                             ingot_error *error);

/* All functions of several libraries of one platform, file type and format in one. INGOT_VALUE where they differ in that
 * or two functions have one name. Sources are left out. */
ingot_status metallib_join(pool *mem, const metallib *const *libraries, size_t count, const metallib **out,
                           ingot_error *error);

/* The same library without sources and without the paths of source files. (Debug information inside the bitcode
 * stays.) */
ingot_status metallib_strip(pool *mem, const metallib *m, const metallib **out, ingot_error *error);

#endif
