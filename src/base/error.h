/* Filling in the caller's ingot_error. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "ingot/ingot.h"

/* Sets status and message (no place) and returns the status, so that a failing function can end with
 * it. `error` may be NULL. A message too long for the array ends in "...". */
ingot_status error_set(ingot_error *error, ingot_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The one message for running out of memory. */
ingot_status error_no_memory(ingot_error *error);

/* Hands on what an inner call reported into its own storage, place included; returns `status`. Running out of
 * memory always has the one message. */
ingot_status error_pass(ingot_error *error, ingot_status status, const ingot_error *inner);

/* Success: no message. */
ingot_status error_none(ingot_error *error);

#endif
