/* Reading little-endian bytes that nobody vouches for: every size is checked before it is used. */
#ifndef PACK_READER_H
#define PACK_READER_H

#include "base/str.h"

/* Once a read runs past the end, `failed` stays set and every read gives zero: a parser may check
 * after a group of reads, but before it uses a value as a count or a size. */
typedef struct reader {
    const unsigned char *p;
    size_t n, at;
    bool failed;
} reader;

static inline reader reader_of(const void *bytes, size_t size)
{
    return (reader){.p = bytes, .n = size};
}
static inline size_t reader_left(const reader *r)
{
    return r->failed ? 0 : r->n - r->at;
}

uint8_t reader_u8(reader *r);
uint16_t reader_u16(reader *r);
uint32_t reader_u32(reader *r);
uint64_t reader_u64(reader *r);

/* The next `size` bytes in place; fails where fewer are left. */
str reader_bytes(reader *r, uint64_t size);

/* u64 size and that many bytes. */
str reader_str(reader *r);

/* A u64 count of items of at least `least` bytes each (not 0): fails where so many cannot follow, so
 * that memory for them is safe to ask for. */
size_t reader_count(reader *r, size_t least);

/* A part of the bytes: `size` at absolute `offset`; failed where it does not lie inside. */
reader reader_part(const reader *r, uint64_t offset, uint64_t size);

#endif
