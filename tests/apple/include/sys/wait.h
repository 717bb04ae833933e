/* What Ingot uses of this header, as POSIX and C have it: for checking syntax against Apple targets without an SDK. */
#ifndef APPLE_SYS_WAIT_H
#define APPLE_SYS_WAIT_H

#include <sys/types.h>

#define WNOHANG 1
#define WIFEXITED(s) (((s) & 0177) == 0)
#define WEXITSTATUS(s) (((s) >> 8) & 0xFF)
#define WIFSIGNALED(s) (((s) & 0177) != 0 && ((s) & 0177) != 0177)
#define WTERMSIG(s) ((s) & 0177)
pid_t waitpid(pid_t process, int *status, int options);

#endif
