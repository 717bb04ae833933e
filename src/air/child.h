/* Work on bitcode that nobody vouches for, in a child process: what crashes or hangs LLVM there is an error here. */
#ifndef AIR_CHILD_H
#define AIR_CHILD_H

#include "base/buf.h"
#include "ingot/ingot.h"

/* Writes its result to `out`, or returns another status with the error set. Runs in the child: its memory and all that
 * it changes are gone afterwards. */
typedef ingot_status (*air_work)(void *user, buf *out, ingot_error *error);

/* Runs `work` in a child with limits on memory and time, and appends what it wrote to `out`. A child that dies is
 * INGOT_FORMAT, saying so. Any thread: nothing of LLVM runs outside of such children. */
INGOT_MUST_USE ingot_status air_child_run(air_work work, void *user, buf *out, ingot_error *error);

#endif
