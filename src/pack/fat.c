/* Reading a Metal fat binary: the layout of Mach-O's fat header (mach-o/fat.h) behind a magic of its own. */
#include "pack/fat.h"

#include "base/error.h"

enum { HEADER = 8, ROW = 20, CPU_AIR64 = 0x1000017, CPU_AGX = 0x1000013 };

bool fat_is(str bytes)
{
    return str_starts(bytes, STR("\xCB\xFE\xBA\xBE")) || str_starts(bytes, STR("\xBE\xBA\xFE\xCB"));
}

/* The file's first byte tells the order of the others: the magic is 0xCBFEBABE. */
static uint32_t u32_at(str bytes, size_t at)
{
    const unsigned char *p = (const unsigned char *)bytes.p + at;
    bool big = (unsigned char)bytes.p[0] == 0xCB;
    uint32_t value = 0;
    for (size_t i = 0; i < 4; ++i) value = value << 8 | p[big ? i : 3 - i];
    return value;
}

ingot_status fat_count(str bytes, size_t *out, ingot_error *error)
{
    *out = 0;
    if (!fat_is(bytes)) return error_set(error, INGOT_FORMAT, "not a Metal fat binary");
    if (bytes.n < HEADER) return error_set(error, INGOT_FORMAT, "cut short: %zu bytes do not hold the header of 8", bytes.n);
    uint32_t count = u32_at(bytes, 4);
    if (count > (bytes.n - HEADER) / ROW) {
        return error_set(error, INGOT_FORMAT, "cut short: %zu bytes do not hold the rows of %u slices", bytes.n, count);
    }
    for (uint32_t i = 0; i < count; ++i) {
        size_t row = HEADER + (size_t)i * ROW;
        uint32_t offset = u32_at(bytes, row + 8), size = u32_at(bytes, row + 12);
        if (offset > bytes.n || size > bytes.n - offset) {
            return error_set(error, INGOT_FORMAT, "slice %u (offset %u, %u bytes) does not lie inside the file", i, offset, size);
        }
    }
    *out = count;
    return INGOT_OK;
}

fat_slice fat_at(str bytes, size_t index)
{
    size_t row = HEADER + index * ROW;
    str part = {bytes.p + u32_at(bytes, row + 8), u32_at(bytes, row + 12)};
    return (fat_slice){u32_at(bytes, row), u32_at(bytes, row + 4), part};
}

const char *fat_cpu_text(uint32_t cpu_type)
{
    if (cpu_type == CPU_AIR64) return "AIR (a metallib)";
    return cpu_type == CPU_AGX ? "Apple GPU code" : "another machine's code";
}
