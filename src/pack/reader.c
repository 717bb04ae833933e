/* Bounds-checked little-endian reads. */
#include "pack/reader.h"

static uint64_t little_endian(reader *r, size_t size)
{
    if (reader_left(r) < size) {
        r->failed = true;
        return 0;
    }
    uint64_t value = 0;
    for (size_t i = 0; i < size; ++i) value |= (uint64_t)r->p[r->at + i] << (8 * i);
    r->at += size;
    return value;
}

uint8_t reader_u8(reader *r)
{
    return (uint8_t)little_endian(r, 1);
}

uint16_t reader_u16(reader *r)
{
    return (uint16_t)little_endian(r, 2);
}

uint32_t reader_u32(reader *r)
{
    return (uint32_t)little_endian(r, 4);
}

uint64_t reader_u64(reader *r)
{
    return little_endian(r, 8);
}

str reader_bytes(reader *r, uint64_t size)
{
    if (r->failed || reader_left(r) < size) {
        r->failed = true;
        return (str){0};
    }
    str bytes = {size != 0 ? (const char *)r->p + r->at : "", (size_t)size};
    r->at += (size_t)size;
    return bytes;
}

str reader_str(reader *r)
{
    return reader_bytes(r, reader_u64(r));
}

size_t reader_count(reader *r, size_t least)
{
    uint64_t count = reader_u64(r);
    if (r->failed || count > reader_left(r) / least) {
        r->failed = true;
        return 0;
    }
    return (size_t)count;
}

reader reader_part(const reader *r, uint64_t offset, uint64_t size)
{
    if (r->failed || offset > r->n || size > r->n - offset) return (reader){.failed = true};
    return reader_of(r->p != NULL ? r->p + offset : NULL, (size_t)size);
}
