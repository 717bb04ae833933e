/* The .ingot file: named sections under one checksum (docs/format.md states the bytes). */
#ifndef PACK_CONTAINER_H
#define PACK_CONTAINER_H

#include "base/buf.h"
#include "ingot/ingot.h"

/* Unlike any text, and spoiled by a transfer that changes line ends or drops the eighth bit. */
#define PACK_MAGIC "\x89INGOT\r\n"

enum { PACK_VERSION = 1, PACK_HEADER = 64, PACK_ENTRY = 24 };

typedef enum pack_section {
#define PACK_SECTION(NAME, tag, what) PACK_##NAME,
#include "pack/sections.def"
#undef PACK_SECTION
    PACK_SECTION_COUNT
} pack_section;

/* The bytes of each section, in the order of the table. */
typedef struct pack_container {
    str sections[PACK_SECTION_COUNT];
} pack_container;

/* The same bytes for the same sections. */
void pack_container_write(const pack_container *c, buf *out);

/* Checks everything but the sections' insides. The views point into `bytes`. What is wrong is
 * INGOT_FORMAT: no .ingot file, another version, cut short, trailing bytes, damaged, or bad sections. */
ingot_status pack_container_read(str bytes, pack_container *out, ingot_error *error);

#endif
