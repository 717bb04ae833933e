/* What Ingot uses of this header, as POSIX and C have it: for checking syntax against Apple targets without an SDK. */
#ifndef APPLE_TIME_H
#define APPLE_TIME_H

#include <stddef.h>

typedef long time_t;
struct timespec {
    time_t tv_sec;
    long tv_nsec;
};
typedef enum { CLOCK_REALTIME = 0, CLOCK_MONOTONIC = 6 } clockid_t;
time_t time(time_t *out);
int clock_gettime(clockid_t clock, struct timespec *out);
int nanosleep(const struct timespec *how_long, struct timespec *left);

#endif
