/* Feeds a child process and drains it at the same time, so that neither side waits for the other's
 * full pipe. */
#define _POSIX_C_SOURCE 200809L
#include "cli/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef struct filter {
    int to, from; /* our ends of the pipes; -1 once closed */
    pid_t child;
    const char *in;
    size_t in_size;
    cli_bytes *out;
    size_t out_begin;
    cli_bytes *why;
} filter;

static bool fail_errno(cli_bytes *why, const char *what, int error)
{
    cli_bytes_print(why, "%s: %s", what, strerror(error));
    return false;
}

static void close_end(int *fd)
{
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

/* A pipe whose ends are above the standard streams (which may be closed) and do not reach other
 * children. */
static bool make_pipe(int ends[2])
{
    int raw[2];
    if (pipe(raw) != 0) return false;
    for (int i = 0; i < 2; i++) {
        ends[i] = fcntl(raw[i], F_DUPFD_CLOEXEC, 3);
        close(raw[i]);
    }
    if (ends[0] >= 0 && ends[1] >= 0) return true;
    close_end(&ends[0]);
    close_end(&ends[1]);
    return false;
}

static int spawn_shell(char *command, int in, int out, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    sigset_t defaults;
    char shell[] = "sh", flag[] = "-c";
    char *argv[] = {shell, flag, command, NULL};
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    error = posix_spawnattr_init(&attr);
    if (error) {
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigdefault(&attr, &defaults);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
    error = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    if (!error) error = posix_spawn(child, "/bin/sh", &actions, &attr, argv, environ);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static bool start(filter *f, char *command)
{
    int to[2], from[2];
    if (!make_pipe(to)) return fail_errno(f->why, "cannot make a pipe", errno);
    if (!make_pipe(from)) {
        int error = errno;
        close_end(&to[0]);
        close_end(&to[1]);
        return fail_errno(f->why, "cannot make a pipe", error);
    }
    int error = spawn_shell(command, to[0], from[1], &f->child);
    close_end(&to[0]);
    close_end(&from[1]);
    f->to = to[1];
    f->from = from[0];
    if (error) return fail_errno(f->why, "cannot start a shell", error);
    fcntl(f->to, F_SETFL, O_NONBLOCK);
    return true;
}

static bool would_wait(int error)
{
    return error == EAGAIN || error == EINTR;
}

/* Writes what the pipe takes; ends the input once all is written or nobody reads any more. */
static bool feed(filter *f)
{
    if (f->in_size) {
        ssize_t put = write(f->to, f->in, f->in_size);
        if (put < 0 && would_wait(errno)) return true;
        if (put < 0 && errno != EPIPE) return fail_errno(f->why, "cannot be written to", errno);
        f->in += put < 0 ? 0 : put;
        f->in_size = put < 0 ? 0 : f->in_size - (size_t)put;
    }
    if (f->in_size == 0) close_end(&f->to);
    return true;
}

static bool drain(filter *f)
{
    size_t chunk = 1 << 16;
    char *to = cli_bytes_room(f->out, chunk);
    ssize_t got = read(f->from, to, chunk);
    if (got < 0 && would_wait(errno)) return true;
    if (got < 0) return fail_errno(f->why, "cannot be read from", errno);
    f->out->size += (size_t)got;
    f->out->data[f->out->size] = '\0';
    if (got == 0) close_end(&f->from);
    if (f->out->size - f->out_begin <= CLI_FILTER_MOST) return true;
    cli_bytes_print(f->why, "wrote more than %zu MiB", CLI_FILTER_MOST >> 20);
    return false;
}

static bool pump(filter *f)
{
    while (f->to >= 0 || f->from >= 0) {
        struct pollfd fds[2] = {{.fd = f->to, .events = POLLOUT},
                                {.fd = f->from, .events = POLLIN}};
        if (poll(fds, 2, -1) < 0) {
            if (errno == EINTR) continue;
            return fail_errno(f->why, "cannot be waited for", errno);
        }
        if (f->to >= 0 && fds[0].revents && !feed(f)) return false;
        if (f->from >= 0 && fds[1].revents && !drain(f)) return false;
    }
    return true;
}

/* Waits for the child; true where it ended well. `say`: no cause is named yet. */
static bool finish(filter *f, bool say)
{
    int status;
    while (waitpid(f->child, &status, 0) < 0) {
        if (errno != EINTR) return say && fail_errno(f->why, "cannot be waited for", errno);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
    if (!say) return false;
    if (WIFSIGNALED(status))
        cli_bytes_print(f->why, "was ended by signal %d", WTERMSIG(status));
    else
        cli_bytes_print(f->why, "ended with status %d", WEXITSTATUS(status));
    return false;
}

bool cli_filter(const char *command, const void *in, size_t in_size, cli_bytes *out, cli_bytes *why)
{
    filter f = {.to = -1,
                .from = -1,
                .in = in,
                .in_size = in_size,
                .out = out,
                .out_begin = out->size,
                .why = why};
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGPIPE, &ignore, &before); /* a child that stops reading shows as EPIPE */
    bool ok = start(&f, cli_pool_text(why->pool, command, strlen(command)));
    if (ok) {
        ok = pump(&f);
        close_end(&f.to);
        close_end(&f.from); /* a child that still writes ends by SIGPIPE */
        ok = finish(&f, ok) && ok;
    }
    close_end(&f.to);
    close_end(&f.from);
    sigaction(SIGPIPE, &before, NULL);
    return ok;
}
