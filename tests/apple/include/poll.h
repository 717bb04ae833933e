/* What Ingot uses of this header, as POSIX and C have it: for checking syntax against Apple targets without an SDK. */
#ifndef APPLE_POLL_H
#define APPLE_POLL_H

struct pollfd {
    int fd;
    short events, revents;
};
#define POLLIN 1
#define POLLOUT 4
#define POLLERR 8
#define POLLHUP 16
#define POLLNVAL 32
int poll(struct pollfd files[], unsigned int count, int milliseconds);

#endif
