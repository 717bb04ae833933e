/* Counted string views. */
#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>

bool str_starts(str s, str prefix)
{
    return s.n >= prefix.n && (prefix.n == 0 || memcmp(s.p, prefix.p, prefix.n) == 0);
}

bool str_ends(str s, str suffix)
{
    return s.n >= suffix.n &&
           (suffix.n == 0 || memcmp(s.p + (s.n - suffix.n), suffix.p, suffix.n) == 0);
}

int str_cmp(str a, str b)
{
    size_t least = a.n < b.n ? a.n : b.n;
    int order = least != 0 ? memcmp(a.p, b.p, least) : 0;
    if (order != 0) return order;
    return a.n < b.n ? -1 : a.n > b.n;
}

uint64_t str_hash(str s)
{
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < s.n; ++i) h = (h ^ (unsigned char)s.p[i]) * 1099511628211u;
    return h;
}

str str_copy(arena *a, str s)
{
    char *p = arena_alloc(a, s.n + 1);
    if (s.n != 0) memcpy(p, s.p, s.n);
    p[s.n] = '\0';
    return (str){p, s.n};
}

str str_format(arena *a, const char *format, ...)
{
    char first[128]; /* most are no longer: one run of the format */
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(first, sizeof first, format, args);
    va_end(args);
    size_t len = n > 0 ? (size_t)n : 0;
    char *p = arena_alloc(a, len + 1);
    if (n <= 0) p[0] = '\0';
    else if (len < sizeof first) memcpy(p, first, len + 1);
    else vsnprintf(p, len + 1, format, again);
    va_end(again);
    return (str){p, len};
}
