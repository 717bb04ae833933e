/* What Ingot uses of this header, as POSIX and C have it: for checking syntax against Apple targets without an SDK. */
#ifndef APPLE_SYS_STAT_H
#define APPLE_SYS_STAT_H

#include <sys/types.h>
#include <time.h>

struct stat {
    int st_dev;
    mode_t st_mode;
    unsigned long long st_ino;
    off_t st_size;
    struct timespec st_mtimespec;
};
#define S_ISREG(m) (((m) & 0170000) == 0100000)
#define S_ISDIR(m) (((m) & 0170000) == 0040000)
#define S_ISFIFO(m) (((m) & 0170000) == 0010000)
int stat(const char *path, struct stat *out);
int fstat(int file, struct stat *out);
int mkdir(const char *path, mode_t mode);
mode_t umask(mode_t mask);
int fchmod(int file, mode_t mode);
int chmod(const char *path, mode_t mode);

#endif
