/* Growing byte buffer. */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>

buf buf_make(const ingot_allocator *mem)
{
    return (buf){.mem = mem_or_default(mem)};
}

void buf_free(buf *b)
{
    mem_free(b->mem, b->p, b->cap);
    *b = buf_make(b->mem);
}

/* Room for `more` bytes and one spare for a NUL; false once memory ran out. */
static bool grow(buf *b, size_t more)
{
    if (b->failed) return false;
    size_t need;
    if (!size_add(b->n, more, &need) || !size_add(need, 1, &need)) {
        b->failed = true;
        return false;
    }
    if (need <= b->cap) return true;
    size_t cap = b->cap < 128 ? 256 : b->cap + b->cap / 2;
    if (cap < need) cap = need;
    char *p = mem_resize(b->mem, b->p, b->cap, cap);
    if (p == NULL) {
        b->failed = true;
        return false;
    }
    b->p = p;
    b->cap = cap;
    return true;
}

void buf_bytes(buf *b, const void *p, size_t n)
{
    if (n == 0 || !grow(b, n)) return;
    memcpy(b->p + b->n, p, n);
    b->n += n;
}

void buf_str(buf *b, str s)
{
    buf_bytes(b, s.p, s.n);
}

void buf_text(buf *b, const char *c_string)
{
    buf_bytes(b, c_string, strlen(c_string));
}

void buf_char(buf *b, char c)
{
    buf_bytes(b, &c, 1);
}

__attribute__((format(printf, 2, 0)))
static void append_format(buf *b, const char *format, va_list args)
{
    char first[128]; /* most are no longer: one run of the format */
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(first, sizeof first, format, args);
    size_t len = n > 0 ? (size_t)n : 0;
    if (len < sizeof first) {
        buf_bytes(b, first, len);
    } else if (grow(b, len)) {
        vsnprintf(b->p + b->n, len + 1, format, again);
        b->n += len;
    }
    va_end(again);
}

void buf_printf(buf *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    append_format(b, format, args);
    va_end(args);
}

void buf_indent(buf *b)
{
    for (int i = 0; i < b->depth; ++i) buf_bytes(b, "    ", 4);
}

void buf_line(buf *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    buf_indent(b);
    append_format(b, format, args);
    va_end(args);
    buf_char(b, '\n');
}

static void little_endian(buf *b, uint64_t v, size_t bytes)
{
    unsigned char out[8];
    for (size_t i = 0; i < bytes; ++i) out[i] = (unsigned char)(v >> (8 * i));
    buf_bytes(b, out, bytes);
}

void buf_u8(buf *b, uint8_t v)
{
    little_endian(b, v, 1);
}

void buf_u16(buf *b, uint16_t v)
{
    little_endian(b, v, 2);
}

void buf_u32(buf *b, uint32_t v)
{
    little_endian(b, v, 4);
}

void buf_u64(buf *b, uint64_t v)
{
    little_endian(b, v, 8);
}
