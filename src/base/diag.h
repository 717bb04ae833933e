/* Diagnostics: collected with their spans, rendered with the source line and a caret. */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include "base/buf.h"
#include "base/error.h"
#include "base/source.h"

typedef enum diag_severity { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE } diag_severity;

typedef struct diag {
    diag_severity severity;
    bool unsupported; /* of an error: the text may be right, and uses what Ingot does not have */
    span at;
    str message;
    struct diag *next; /* notes follow what they explain */
} diag;

enum { DIAG_LIMIT = 20 }; /* errors kept; further ones are only counted */

/* One thread at a time; messages live in the arena. */
typedef struct diag_list {
    arena *mem;
    const source_set *sources;
    diag *first, *last;
    unsigned errors, warnings;
    bool muted; /* the last error was past the limit: its notes are dropped as well */
} diag_list;

void diag_error(diag_list *d, span at, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* An error that says that something is not supported. */
void diag_unsupported(diag_list *d, span at, const char *format, ...) __attribute__((format(printf, 3, 4)));
void diag_warning(diag_list *d, span at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Explains the diagnostic before it. */
void diag_note(diag_list *d, span at, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* One diagnostic as text:
 *   file:line:column: error: message
 *      12 | source line
 *         |     ^~~~
 * `colour` adds terminal escapes. */
void diag_render(const diag_list *d, const diag *one, bool colour, buf *out);

/* The first error as the caller's, "file:line:column: message" with its place: INGOT_UNSUPPORTED or INGOT_SYNTAX by its
 * kind; INGOT_INTERNAL, naming what failed, where there is none. */
ingot_status diag_first_error(const diag_list *d, const char *what, ingot_error *error);

/* All of them, and a line on how many errors were left out. */
void diag_render_all(const diag_list *d, bool colour, buf *out);

#endif
