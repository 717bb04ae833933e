/* Whole files. */
#define _POSIX_C_SOURCE 200809L
#include "api/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

/* strerror's text may be shared between threads; this is the caller's. */
static ingot_status fail(ingot_error *error, const char *path, const char *what, int cause)
{
    char text[128];
    if (strerror_r(cause, text, sizeof text) != 0) snprintf(text, sizeof text, "error %d", cause);
    return error_set(error, INGOT_IO, "cannot %s %s: %s", what, path, text);
}

ingot_status file_read(const char *path, buf *out, ingot_error *error)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) return fail(error, path, "open", errno);
    char part[16384];
    size_t n;
    while ((n = fread(part, 1, sizeof part, file)) > 0) buf_bytes(out, part, n);
    int cause = ferror(file) ? errno : 0;
    fclose(file);
    if (cause != 0) return fail(error, path, "read", cause);
    return out->failed ? error_no_memory(error) : INGOT_OK;
}

/* All of the bytes to the descriptor, and down to the disk; 0 or errno. */
static int write_all(int file, str bytes)
{
    while (bytes.n != 0) {
        ssize_t n = write(file, bytes.p, bytes.n);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        bytes = (str){bytes.p + n, bytes.n - (size_t)n};
    }
    return fsync(file) == 0 || errno == EINVAL ? 0 : errno;
}

/* The mode that a plain open would have given a new file. mkstemp gives 0600. */
static mode_t plain_mode(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? info.st_mode & 0777 : 0644;
}

ingot_status file_replace(const char *path, str bytes, const ingot_allocator *mem, ingot_error *error)
{
    buf name = buf_make(mem);
    buf_text(&name, path);
    buf_text(&name, ".tmpXXXXXX");
    buf_char(&name, '\0');
    if (name.failed) {
        buf_free(&name);
        return error_no_memory(error);
    }
    ingot_status status = INGOT_OK;
    int file = mkstemp(name.p);
    if (file < 0) {
        status = fail(error, path, "create a file beside", errno);
    } else {
        int cause = write_all(file, bytes);
        if (cause == 0 && fchmod(file, plain_mode(path)) != 0) cause = errno;
        if (close(file) != 0 && cause == 0) cause = errno;
        if (cause == 0 && rename(name.p, path) != 0) cause = errno;
        if (cause != 0) {
            unlink(name.p);
            status = fail(error, path, "write", cause);
        }
    }
    buf_free(&name);
    return status;
}
