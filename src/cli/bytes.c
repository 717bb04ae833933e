/* Growing bytes: capacity doubles, one NUL is kept behind the end. */
#include "cli/bytes.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

char *cli_bytes_room(cli_bytes *bytes, size_t size)
{
    size_t needed = size < SIZE_MAX - bytes->size - 1 ? bytes->size + size + 1 : SIZE_MAX;
    if (needed > bytes->capacity) {
        size_t doubled = bytes->capacity < SIZE_MAX / 2 ? bytes->capacity * 2 : SIZE_MAX;
        bytes->capacity = needed > doubled ? needed : doubled;
        if (bytes->capacity < 256) bytes->capacity = 256;
        bytes->data = cli_pool_resize(bytes->pool, bytes->data, bytes->capacity);
    }
    return bytes->data + bytes->size;
}

void cli_bytes_put(cli_bytes *bytes, const void *data, size_t size)
{
    char *to = cli_bytes_room(bytes, size);
    if (size) memcpy(to, data, size);
    bytes->size += size;
    bytes->data[bytes->size] = '\0';
}

void cli_bytes_text(cli_bytes *bytes, const char *text)
{
    cli_bytes_put(bytes, text, strlen(text));
}

void cli_bytes_print(cli_bytes *bytes, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int size = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (size < 0) return;
    char *to = cli_bytes_room(bytes, (size_t)size);
    va_start(args, format);
    vsnprintf(to, (size_t)size + 1, format, args);
    va_end(args);
    bytes->size += (size_t)size;
}
