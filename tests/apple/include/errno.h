/* What Ingot uses of this header, as POSIX and C have it: for checking syntax against Apple targets without an SDK. */
#ifndef APPLE_ERRNO_H
#define APPLE_ERRNO_H

int *__error(void);
#define errno (*__error())
#define ENOENT 2
#define EINTR 4
#define EAGAIN 35
#define EEXIST 17
#define ENOTDIR 20
#define EISDIR 21
#define EINVAL 22
#define EPIPE 32
#define ERANGE 34

#endif
