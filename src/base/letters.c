/* Names by Unicode's tables, and ASCII by hand. */
#include "base/letters.h"

#include <stdint.h>

typedef struct range {
    uint32_t first, last;
} range;

#define LETTER(first, last) {first, last},
#define MARK(first, last)
static const range letters[] = {
#include "base/letters.def"
};
#undef LETTER
#undef MARK
#define LETTER(first, last)
#define MARK(first, last) {first, last},
static const range marks[] = {
#include "base/letters.def"
};
#undef LETTER
#undef MARK

static bool has(const range *at, size_t n, uint32_t c)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (c < at[middle].first) high = middle;
        else if (c > at[middle].last) low = middle + 1;
        else return true;
    }
    return false;
}

/* The first character, of *n bytes. */
static uint32_t decode(str text, size_t *n)
{
    const unsigned char *p = (const unsigned char *)text.p;
    size_t bytes = p[0] < 0x80 ? 1 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
    if (bytes > text.n) bytes = text.n;
    uint32_t c = bytes == 1 ? p[0] : bytes == 2 ? p[0] & 0x1FU : bytes == 3 ? p[0] & 0x0FU : p[0] & 0x07U;
    for (size_t i = 1; i < bytes; ++i) c = c << 6 | (p[i] & 0x3FU);
    *n = bytes;
    return c;
}

size_t letters_begin(str text)
{
    if (text.n == 0) return 0;
    size_t n;
    uint32_t c = decode(text, &n);
    if (c < 0x80) return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ? 1 : 0;
    return has(letters, sizeof letters / sizeof *letters, c) ? n : 0;
}

size_t letters_continue(str text)
{
    size_t n = letters_begin(text);
    if (n != 0 || text.n == 0) return n;
    uint32_t c = decode(text, &n);
    if (c < 0x80) return c >= '0' && c <= '9' ? 1 : 0;
    return has(marks, sizeof marks / sizeof *marks, c) ? n : 0;
}
