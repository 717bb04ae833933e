/* Reads and writes whole files; a file is replaced in one step or not at all. */
#define _XOPEN_SOURCE 700
#include "cli/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_dash(const char *path)
{
    return strcmp(path, "-") == 0;
}

static bool failed(const char *path, int error, cli_bytes *why)
{
    cli_bytes_print(why, "%s: %s", path, strerror(error));
    return false;
}

bool cli_file_is_terminal(const char *path)
{
    return is_dash(path) && isatty(STDOUT_FILENO);
}

bool cli_file_is_same(const char *a, const char *b)
{
    struct stat x, y;
    if (is_dash(a) || is_dash(b) || stat(a, &x) != 0 || stat(b, &y) != 0) return false;
    return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static bool read_all(int fd, cli_bytes *out)
{
    for (;;) {
        size_t chunk = 1 << 16;
        char *to = cli_bytes_room(out, chunk);
        ssize_t got = read(fd, to, chunk);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return false;
        out->size += (size_t)got;
        out->data[out->size] = '\0';
        if (got == 0) return true;
    }
}

bool cli_file_read(const char *path, cli_bytes *out, cli_bytes *why)
{
    if (is_dash(path)) return read_all(STDIN_FILENO, out) || failed("standard input", errno, why);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return failed(path, errno, why);
    bool ok = read_all(fd, out);
    int error = errno;
    close(fd);
    return ok || failed(path, error, why);
}

static bool write_all(int fd, const char *data, size_t size)
{
    while (size) {
        ssize_t put = write(fd, data, size);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return false;
        data += put;
        size -= (size_t)put;
    }
    return true;
}

/* To what is no regular file: a pipe, a terminal, /dev/null. */
static bool write_straight(const char *path, const char *data, size_t size, cli_bytes *why)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return failed(path, errno, why);
    bool ok = write_all(fd, data, size);
    int error = errno;
    if (close(fd) != 0 && ok) {
        ok = false;
        error = errno;
    }
    return ok || failed(path, error, why);
}

/* Writes `temporary` and renames it to `path`. `mode` 0: as the umask has it. 0, or an errno. */
static int write_renamed(const char *path, const char *temporary, mode_t mode, const char *data,
                         size_t size)
{
    int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) return errno;
    int error = 0;
    if (mode && fchmod(fd, mode) != 0) error = errno;
    if (!error && !write_all(fd, data, size)) error = errno;
    if (close(fd) != 0 && !error) error = errno;
    if (!error && rename(temporary, path) != 0) error = errno;
    if (error) unlink(temporary);
    return error;
}

/* Signals that end the command wait until no temporary file is left. */
static void hold_signals(sigset_t *before)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &set, before);
}

bool cli_file_write(const char *path, const void *data, size_t size, cli_bytes *why)
{
    if (is_dash(path))
        return write_all(STDOUT_FILENO, data, size) || failed("standard output", errno, why);
    struct stat st;
    bool exists = stat(path, &st) == 0;
    if (exists && S_ISDIR(st.st_mode)) return failed(path, EISDIR, why);
    if (exists && !S_ISREG(st.st_mode)) return write_straight(path, data, size, why);
    if (exists && access(path, W_OK) != 0) return failed(path, errno, why);
    char *real = exists ? realpath(path, NULL) : NULL; /* a link stays a link */
    const char *target = real ? real : path;
    size_t room = strlen(target) + 32;
    char *temporary = cli_pool_new(why->pool, room, 1);
    snprintf(temporary, room, "%s.%ld.tmp", target, (long)getpid());
    sigset_t before;
    hold_signals(&before);
    int error = write_renamed(target, temporary, exists ? st.st_mode & 07777 : 0, data, size);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    free(real);
    return error == 0 || failed(path, error, why);
}

bool cli_folder_make(const char *path, cli_bytes *why)
{
    struct stat st;
    if (stat(path, &st) == 0) return S_ISDIR(st.st_mode) || failed(path, ENOTDIR, why);
    return mkdir(path, 0777) == 0 || failed(path, errno, why);
}
