/* Source texts and the spans that point into them. */
#include "base/source.h"

#include <string.h>

/* Where the lines of a text begin, so that a place is found without reading all that stands before it. */
static void find_lines(arena *a, source_file *f)
{
    size_t n = 1;
    const char *const end = f->text.p + f->text.n;
    for (const char *p = f->text.p; p < end && (p = memchr(p, '\n', (size_t)(end - p))) != NULL; ++p) ++n;
    uint32_t *lines = arena_array(a, uint32_t, n);
    f->lines = lines;
    f->line_count = (uint32_t)n;
    *lines++ = 0;
    for (const char *p = f->text.p; p < end && (p = memchr(p, '\n', (size_t)(end - p))) != NULL; ++p)
        *lines++ = (uint32_t)(p - f->text.p) + 1;
}

uint32_t source_add(arena *a, source_set *s, str name, str text)
{
    if (s->n == s->cap) {
        size_t cap = s->cap == 0 ? 4 : s->cap * 2;
        source_file *files = arena_array(a, source_file, cap);
        for (size_t i = 0; i < s->n; ++i) files[i] = s->files[i];
        s->files = files;
        s->cap = cap;
    }
    s->files[s->n] = (source_file){.name = name, .text = text};
    find_lines(a, &s->files[s->n++]);
    return (uint32_t)s->n;
}

source_pos source_locate(const source_set *s, span at)
{
    if (at.file == 0 || at.file > s->n) return (source_pos){0};
    const source_file *f = &s->files[at.file - 1];
    size_t begin = at.begin <= f->text.n ? at.begin : f->text.n;
    uint32_t low = 0, high = f->line_count; /* the line is among [low, high) */
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (f->lines[middle] <= begin) low = middle;
        else high = middle;
    }
    const uint32_t line = low + 1;
    const size_t line_start = f->lines[low];
    size_t line_end = line_start;
    while (line_end < f->text.n && f->text.p[line_end] != '\n') ++line_end;
    if (line_end > line_start && f->text.p[line_end - 1] == '\r') --line_end;
    uint32_t column = 1;
    for (size_t i = line_start; i < begin; ++i) column += ((unsigned char)f->text.p[i] & 0xC0) != 0x80;
    return (source_pos){.file = f->name,
                        .line = line,
                        .column = column,
                        .text = {f->text.p + line_start, line_end - line_start},
                        .offset = begin - line_start};
}

span span_join(span a, span b)
{
    if (a.file == 0) return b;
    if (b.file != a.file) return a;
    return (span){.file = a.file,
                  .begin = a.begin < b.begin ? a.begin : b.begin,
                  .end = a.end > b.end ? a.end : b.end};
}
