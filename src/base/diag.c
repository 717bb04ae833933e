/* Diagnostics and their rendering with carets. */
#include "base/diag.h"

#include <stdarg.h>
#include <stdio.h>

__attribute__((format(printf, 4, 0)))
static void add(diag_list *d, diag_severity severity, span at, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    size_t len = n > 0 ? (size_t)n : 0;
    char *text = arena_alloc(d->mem, len + 1);
    text[0] = '\0';
    if (len != 0) vsnprintf(text, len + 1, format, again);
    va_end(again);
    diag *one = arena_new(d->mem, diag);
    *one = (diag){.severity = severity, .at = at, .message = {text, len}};
    if (d->last != NULL) {
        d->last->next = one;
    } else {
        d->first = one;
    }
    d->last = one;
}

__attribute__((format(printf, 4, 0)))
static void add_error(diag_list *d, span at, bool unsupported, const char *format, va_list args)
{
    d->muted = d->errors++ >= DIAG_LIMIT;
    if (d->muted) return;
    add(d, DIAG_ERROR, at, format, args);
    d->last->unsupported = unsupported;
}

void diag_error(diag_list *d, span at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_error(d, at, false, format, args);
    va_end(args);
}

void diag_unsupported(diag_list *d, span at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_error(d, at, true, format, args);
    va_end(args);
}

void diag_warning(diag_list *d, span at, const char *format, ...)
{
    d->muted = d->warnings++ >= DIAG_LIMIT;
    if (d->muted) return;
    va_list args;
    va_start(args, format);
    add(d, DIAG_WARNING, at, format, args);
    va_end(args);
}

void diag_note(diag_list *d, span at, const char *format, ...)
{
    if (d->muted) return;
    va_list args;
    va_start(args, format);
    add(d, DIAG_NOTE, at, format, args);
    va_end(args);
}

static const char *const names[] = {
    [DIAG_ERROR] = "error", [DIAG_WARNING] = "warning", [DIAG_NOTE] = "note"};
static const char *const colours[] = {
    [DIAG_ERROR] = "\033[1;31m", [DIAG_WARNING] = "\033[1;35m", [DIAG_NOTE] = "\033[1;36m"};

static bool starts_character(char c)
{
    return ((unsigned char)c & 0xC0) != 0x80;
}

/* The line that points: blanks (tabs kept, so that columns agree), a caret, then tildes. */
static void render_pointer(source_pos pos, span at, buf *out)
{
    for (size_t i = 0; i < pos.offset && i < pos.text.n; ++i) {
        if (pos.text.p[i] == '\t') {
            buf_char(out, '\t');
        } else if (starts_character(pos.text.p[i])) {
            buf_char(out, ' ');
        }
    }
    buf_char(out, '^');
    size_t length = at.end > at.begin ? at.end - at.begin : 1;
    for (size_t i = pos.offset + 1; i < pos.offset + length && i < pos.text.n; ++i) {
        if (starts_character(pos.text.p[i])) buf_char(out, '~');
    }
    buf_char(out, '\n');
}

void diag_render(const diag_list *d, const diag *one, bool colour, buf *out)
{
    source_pos pos = source_locate(d->sources, one->at);
    const char *bold = colour ? "\033[1m" : "", *plain = colour ? "\033[0m" : "";
    buf_text(out, bold);
    if (pos.line != 0) buf_printf(out, "%.*s:%u:%u: ", STR_ARG(pos.file), pos.line, pos.column);
    buf_printf(out, "%s%s: %s%s", colour ? colours[one->severity] : "", names[one->severity], plain, bold);
    buf_str(out, one->message);
    buf_text(out, plain);
    buf_char(out, '\n');
    if (pos.line == 0) return;
    buf_printf(out, "%5u | %.*s\n      | ", pos.line, STR_ARG(pos.text));
    render_pointer(pos, one->at, out);
}

void diag_render_all(const diag_list *d, bool colour, buf *out)
{
    for (const diag *one = d->first; one != NULL; one = one->next) diag_render(d, one, colour, out);
    if (d->errors > DIAG_LIMIT) {
        buf_printf(out, "%u more errors not shown\n", d->errors - DIAG_LIMIT);
    }
}

ingot_status diag_first_error(const diag_list *d, const char *what, ingot_error *error)
{
    for (const diag *one = d->first; one != NULL; one = one->next) {
        if (one->severity != DIAG_ERROR) continue;
        const source_pos at = source_locate(d->sources, one->at);
        const ingot_status status = error_set(error, one->unsupported ? INGOT_UNSUPPORTED : INGOT_SYNTAX, "%.*s:%u:%u: %.*s",
                                              STR_ARG(at.file), (unsigned)at.line, (unsigned)at.column, STR_ARG(one->message));
        if (error != NULL) {
            error->line = at.line;
            error->column = at.column;
        }
        return status;
    }
    return error_set(error, INGOT_INTERNAL, "%s failed without a message", what);
}
