/* Work on bitcode that nobody vouches for, in a child process: what crashes or hangs LLVM there is an error here. */
#ifndef AIR_CHILD_H
#define AIR_CHILD_H

#include "base/buf.h"
#include "ingot/ingot.h"

/* Writes its result to `out`, or returns another status with the error set. Runs in the child: its memory and all that
 * it changes are gone afterwards. */
typedef ingot_status (*air_work)(void *user, buf *out, ingot_error *error);

/* Runs `work` in a child with limits on memory and time, and appends what it wrote to `out`. A child that dies is
 * INGOT_FORMAT, saying so. Takes turns with other calls in the process, so that no thread is inside LLVM when the child
 * is made. */
INGOT_MUST_USE ingot_status air_child_run(air_work work, void *user, buf *out, ingot_error *error);

/* The turn itself, for using LLVM in this process. */
void air_turn_begin(void);
void air_turn_end(void);

#endif
