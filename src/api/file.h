/* Whole files: read into memory, and replaced so that a reader never sees half of one. */
#ifndef API_FILE_H
#define API_FILE_H

#include "base/buf.h"
#include "ingot/ingot.h"

/* Appends all of a file to `out`; INGOT_IO names the path and the cause. */
ingot_status file_read(const char *path, buf *out, ingot_error *error);

/* Writes to a fresh temporary name in the same folder and renames it to `path`; on failure nothing
 * is left behind and `path` is as it was. */
ingot_status file_replace(const char *path, str bytes, const ingot_allocator *mem, ingot_error *error);

#endif
