/* What Ingot uses of this header, as POSIX and C have it: for checking syntax against Apple targets without an SDK. */
#ifndef APPLE_SIGNAL_H
#define APPLE_SIGNAL_H

#include <sys/types.h>

#define SIGHUP 1
#define SIGINT 2
#define SIGABRT 6
#define SIGKILL 9
#define SIGPIPE 13
#define SIGTERM 15
#define SIG_BLOCK 1
#define SIG_UNBLOCK 2
#define SIG_SETMASK 3
#define SIG_DFL ((void (*)(int))0)
#define SIG_IGN ((void (*)(int))1)
struct sigaction {
    void (*sa_handler)(int);
    sigset_t sa_mask;
    int sa_flags;
};
int sigaction(int number, const struct sigaction *to, struct sigaction *old);
void (*signal(int number, void (*to)(int)))(int);
int sigemptyset(sigset_t *set);
int sigaddset(sigset_t *set, int number);
int sigpending(sigset_t *set);
int sigwait(const sigset_t *set, int *number);
int pthread_sigmask(int how, const sigset_t *set, sigset_t *old);
int kill(pid_t process, int number);
int raise(int number);

#endif
