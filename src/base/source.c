/* Source texts and the spans that point into them. */
#include "base/source.h"

#include <string.h>

uint32_t source_add(arena *a, source_set *s, str name, str text)
{
    if (s->n == s->cap) {
        size_t cap = s->cap == 0 ? 4 : s->cap * 2;
        source_file *files = arena_array(a, source_file, cap);
        for (size_t i = 0; i < s->n; ++i) files[i] = s->files[i];
        s->files = files;
        s->cap = cap;
    }
    s->files[s->n++] = (source_file){.name = name, .text = text};
    return (uint32_t)s->n;
}

source_pos source_locate(const source_set *s, span at)
{
    if (at.file == 0 || at.file > s->n) return (source_pos){0};
    const source_file *f = &s->files[at.file - 1];
    size_t begin = at.begin <= f->text.n ? at.begin : f->text.n;
    size_t line_start = 0;
    uint32_t line = 1;
    while (line_start < begin) { /* by memchr, as texts are long and asked about often */
        const char *end = memchr(f->text.p + line_start, '\n', begin - line_start);
        if (end == NULL) break;
        ++line;
        line_start = (size_t)(end - f->text.p) + 1;
    }
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
