/* Growing byte buffer with formatted append and indentation, for emitters and writers. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/str.h"

/* Zero-initialise with buf_make. Running out of memory sets `failed` and drops what follows, so a
 * writer checks once, at the end. Over an arena (arena_hook) it jumps instead. */
typedef struct buf {
    const ingot_allocator *mem;
    char *p;
    size_t n, cap;
    int depth; /* indentation level of buf_line */
    bool failed;
} buf;

buf buf_make(const ingot_allocator *mem);
void buf_free(buf *b);

void buf_bytes(buf *b, const void *p, size_t n);
void buf_str(buf *b, str s);
void buf_text(buf *b, const char *c_string);
void buf_char(buf *b, char c);
void buf_printf(buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Starts a line: four spaces for each level of `depth`. */
void buf_indent(buf *b);

/* An indented, formatted line with its newline. */
void buf_line(buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Little-endian integers. */
void buf_u8(buf *b, uint8_t v);
void buf_u16(buf *b, uint16_t v);
void buf_u32(buf *b, uint32_t v);
void buf_u64(buf *b, uint64_t v);

static inline str buf_view(const buf *b)
{
    return (str){b->p, b->n};
}

#endif
