/* Annotations and attributes: what becomes of them. */
#ifndef PASS_NOTES_H
#define PASS_NOTES_H

#include "pass/pass.h"

typedef enum note_use { NOTE_KEPT, NOTE_DROPPED, NOTE_HINT, NOTE_REFUSED } note_use;

/* Does the annotation or attribute stay? Otherwise it is warned of (once a name and module) or refused where there is a need
 * to; one that no table knows is warned of. `what` says what it is: "annotation". */
bool note_stays(pass_context *cx, span at, const char *what, str key);

/* The annotations that stay. */
ir_attrs notes_kept(pass_context *cx, span at, ir_attrs notes);

#endif
