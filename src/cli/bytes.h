/* Growing bytes in a pool. */
#ifndef CLI_BYTES_H
#define CLI_BYTES_H

#include "cli/pool.h"

/* `data` is NUL-terminated once anything was put (NULL before). */
typedef struct cli_bytes {
    cli_pool *pool;
    char *data;
    size_t size, capacity;
} cli_bytes;

/* Room for `size` more bytes at the end: where to put them. `size` is raised by the caller. */
char *cli_bytes_room(cli_bytes *bytes, size_t size);

void cli_bytes_put(cli_bytes *bytes, const void *data, size_t size);
void cli_bytes_text(cli_bytes *bytes, const char *text);

/* As printf. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void cli_bytes_print(cli_bytes *bytes, const char *format, ...);

#endif
