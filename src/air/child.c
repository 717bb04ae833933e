/* Work in a child process: forked with a pipe, given limits, waited for with a deadline. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pipe2 */
#endif
#include "air/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"

enum { SECONDS = 60, MEGABYTES = 4096 };

/* What the child sends first; the result's bytes follow. */
typedef struct head {
    ingot_error error;
    uint64_t size;
} head;

static bool send_all(int to, const void *bytes, size_t size)
{
    const char *p = bytes;
    while (size != 0) {
        const ssize_t n = write(to, p, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        p += n;
        size -= (size_t)n;
    }
    return true;
}

static void set_limit(int what, rlim_t most)
{
    struct rlimit limit;
    if (getrlimit((__rlimit_resource_t)what, &limit) != 0) return;
    if (limit.rlim_max < most) most = limit.rlim_max;
    limit.rlim_cur = most;
    (void)setrlimit((__rlimit_resource_t)what, &limit);
}

/* A sanitizer maps more address space than any limit allows. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif

static void restrict_child(void)
{
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGXCPU, SIGTERM};
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; ++i) (void)signal(fatal[i], SIG_DFL);
    sigset_t none;
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    set_limit(RLIMIT_CORE, 0);
    set_limit(RLIMIT_CPU, SECONDS);
#ifndef HAS_SANITIZER
    set_limit(RLIMIT_AS, (rlim_t)MEGABYTES << 20);
#endif
    /* LLVM prints as it dies */
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nowhere >= 0) {
        (void)dup2(nowhere, STDIN_FILENO);
        (void)dup2(nowhere, STDOUT_FILENO);
        (void)dup2(nowhere, STDERR_FILENO);
    }
}

static void be_child(int to, air_work work, void *user)
{
    restrict_child();
    buf result = buf_make(&mem_default);
    head h;
    memset(&h, 0, sizeof h);
    h.error.status = work(user, &result, &h.error);
    if (h.error.status == INGOT_OK && result.failed) h.error.status = INGOT_OUT_OF_MEMORY;
    h.size = h.error.status == INGOT_OK ? result.n : 0;
    const bool sent = send_all(to, &h, sizeof h) && send_all(to, result.p, (size_t)h.size);
    _exit(sent ? 0 : 1);
}

static int64_t now_ms(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Reads until the child closes its end; false where the deadline passed. */
static bool receive(int from, buf *all)
{
    const int64_t deadline = now_ms() + SECONDS * 6000; /* of the clock: others may have the processor */
    char block[16384];
    for (;;) {
        const int64_t left = deadline - now_ms();
        if (left <= 0) return false;
        struct pollfd p = {.fd = from, .events = POLLIN};
        const int ready = poll(&p, 1, (int)left);
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return false;
        const ssize_t n = read(from, block, sizeof block);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return true;
        buf_bytes(all, block, (size_t)n);
    }
}

static ingot_status of_dead_child(int status, bool in_time, ingot_error *error)
{
    if (!in_time || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU))
        return error_set(error, INGOT_LIMIT, "LLVM did not come to an end with this bitcode within %d seconds", (int)SECONDS);
    if (WIFSIGNALED(status))
        return error_set(error, INGOT_FORMAT, "LLVM crashed on this bitcode (signal %d): it is damaged, or uses what this LLVM cannot take",
                         WTERMSIG(status));
    return error_set(error, INGOT_FORMAT, "LLVM gave up on this bitcode: it is damaged, or uses what this LLVM cannot take");
}

static ingot_status take_result(const buf *all, int status, bool in_time, buf *out, ingot_error *error)
{
    if (all->failed) return error_no_memory(error);
    head h;
    if (all->n < sizeof h) return of_dead_child(status, in_time, error);
    memcpy(&h, all->p, sizeof h);
    if (h.size != all->n - sizeof h) return of_dead_child(status, in_time, error);
    if (h.error.status != INGOT_OK) return error_pass(error, h.error.status, &h.error);
    buf_bytes(out, all->p + sizeof h, (size_t)h.size);
    return out->failed ? error_no_memory(error) : INGOT_OK;
}

ingot_status air_child_run(air_work work, void *user, buf *out, ingot_error *error)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return error_set(error, INGOT_IO, "no pipe: %s", strerror(errno));
    const pid_t child = fork();
    if (child == 0) {
        (void)close(ends[0]);
        be_child(ends[1], work, user);
    }
    const int why = errno;
    (void)close(ends[1]);
    if (child < 0) {
        (void)close(ends[0]);
        return error_set(error, INGOT_IO, "no child process: %s", strerror(why));
    }
    buf all = buf_make(&mem_default);
    const bool in_time = receive(ends[0], &all);
    (void)close(ends[0]);
    if (!in_time) (void)kill(child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        /* again */
    }
    const ingot_status s = take_result(&all, status, in_time, out, error);
    buf_free(&all);
    return s;
}
