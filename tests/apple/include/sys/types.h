/* What Ingot uses of this header, as POSIX and C have it: for checking syntax against Apple targets without an SDK. */
#ifndef APPLE_SYS_TYPES_H
#define APPLE_SYS_TYPES_H

#include <stddef.h>
#include <stdint.h>

typedef long ssize_t;
typedef long long off_t;
typedef int pid_t;
typedef unsigned short mode_t;
typedef unsigned int sigset_t;
typedef unsigned int uid_t;

#endif
