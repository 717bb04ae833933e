/* What Ingot uses of this header, as POSIX and C have it: for checking syntax against Apple targets without an SDK. */
#ifndef APPLE_FCNTL_H
#define APPLE_FCNTL_H

#include <sys/types.h>

#define O_RDONLY 0
#define O_WRONLY 1
#define O_RDWR 2
#define O_CREAT 0x200
#define O_TRUNC 0x400
#define O_EXCL 0x800
#define O_NONBLOCK 4
#define O_CLOEXEC 0x1000000
#define F_GETFL 3
#define F_SETFL 4
#define F_SETFD 2
#define F_DUPFD_CLOEXEC 67
#define FD_CLOEXEC 1
int open(const char *path, int flags, ...);
int fcntl(int file, int command, ...);

#endif
