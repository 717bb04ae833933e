/* Filling in the caller's ingot_error. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

ingot_status error_set(ingot_error *error, ingot_status status, const char *format, ...)
{
    if (error == NULL) return status;
    /* The arguments may point into the message that is replaced. */
    char text[sizeof error->message];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n < 0) text[0] = '\0';
    if (n >= (int)sizeof text) {
        size_t end = sizeof text - 4;
        /* Not in the middle of a UTF-8 sequence. */
        while (end > 0 && ((unsigned char)text[end] & 0xC0) == 0x80) --end;
        memcpy(text + end, "...", 4);
    }
    memcpy(error->message, text, strlen(text) + 1);
    error->status = status;
    error->line = error->column = 0;
    return status;
}

ingot_status error_no_memory(ingot_error *error)
{
    return error_set(error, INGOT_OUT_OF_MEMORY, "out of memory");
}

ingot_status error_pass(ingot_error *error, ingot_status status, const ingot_error *inner)
{
    if (status == INGOT_OUT_OF_MEMORY) return error_no_memory(error);
    if (error != NULL) {
        *error = *inner;
        error->status = status;
    }
    return status;
}

ingot_status error_none(ingot_error *error)
{
    return error_set(error, INGOT_OK, "%s", "");
}
