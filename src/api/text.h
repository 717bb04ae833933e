/* Bytes handed out to the caller. */
#ifndef API_TEXT_H
#define API_TEXT_H

#include "base/buf.h"
#include "ingot/ingot.h"

/* Takes the buffer's bytes over (the buffer is empty after, whatever happens). INGOT_OUT_OF_MEMORY where the buffer
 * had failed. The buffer's allocator must not be an arena's. */
ingot_status text_take(buf *from, ingot_text **out, ingot_error *error);

#endif
