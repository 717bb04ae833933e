/* Source texts and the spans that point into them. */
#ifndef BASE_SOURCE_H
#define BASE_SOURCE_H

#include <stdint.h>

#include "base/str.h"

/* Bytes [begin, end) of a file; file 0 means "nowhere". */
typedef struct span {
    uint32_t file, begin, end;
} span;

typedef struct source_file {
    str name, text;
    const uint32_t *lines; /* where each line begins */
    uint32_t line_count;
} source_file;

/* Zero is a valid empty set. Files are numbered from 1. */
typedef struct source_set {
    source_file *files;
    size_t n, cap;
} source_set;

typedef struct source_pos {
    str file;
    uint32_t line, column; /* from 1; column counts characters (UTF-8 code points), a tab is one */
    str text;              /* the whole line, without its end */
    size_t offset;         /* of the span's first byte within `text` */
} source_pos;

/* Adds a text (borrowed) of at most 2^32 - 2 bytes and returns its number. */
uint32_t source_add(arena *a, source_set *s, str name, str text);

/* Where a span begins; line 0 for a span that points nowhere. */
source_pos source_locate(const source_set *s, span at);

/* From the first byte of `a` to the last of `b`. */
span span_join(span a, span b);

#endif
