/* The progress line: a thread that wakes a few times a second, and only where someone watches. */
#define _POSIX_C_SOURCE 200809L
#include "cli/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_MS = 1000, EACH_MS = 200 };

/* What the thread's waits go by: a clock that nobody sets, where a condition variable can. */
#if defined(__APPLE__)
#define WAIT_CLOCK CLOCK_REALTIME
#else
#define WAIT_CLOCK CLOCK_MONOTONIC
#endif

/* Makes the variable; false where that fails. */
static bool make_condition(pthread_cond_t *c)
{
#if defined(__APPLE__)
    return pthread_cond_init(c, NULL) == 0;
#else
    pthread_condattr_t attr;
    if (pthread_condattr_init(&attr) != 0) return false;
    bool made = pthread_condattr_setclock(&attr, WAIT_CLOCK) == 0 && pthread_cond_init(c, &attr) == 0;
    pthread_condattr_destroy(&attr);
    return made;
#endif
}

static struct timespec now(void)
{
    struct timespec t;
    clock_gettime(WAIT_CLOCK, &t);
    return t;
}

static struct timespec after_ms(struct timespec t, long ms)
{
    t.tv_sec += ms / 1000;
    t.tv_nsec += ms % 1000 * 1000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    return t;
}

static void clear_line(cli_progress *p)
{
    if (p->shown) fputs("\r\033[K", stderr);
    p->shown = false;
}

static void *show(void *arg)
{
    cli_progress *p = arg;
    struct timespec begin = now(), next = after_ms(begin, FIRST_MS);
    pthread_mutex_lock(&p->mutex);
    while (!p->stop) {
        struct timespec t = now();
        if (t.tv_sec < next.tv_sec || (t.tv_sec == next.tv_sec && t.tv_nsec < next.tv_nsec)) {
            pthread_cond_timedwait(&p->wake, &p->mutex, &next);
            continue;
        }
        fprintf(stderr, "\r\033[K%s ... %ld s", p->label, (long)(t.tv_sec - begin.tv_sec));
        p->shown = true;
        next = after_ms(t, EACH_MS);
    }
    clear_line(p);
    pthread_mutex_unlock(&p->mutex);
    return NULL;
}

/* True where standard error is a terminal that can clear a line. */
static bool watched(void)
{
    const char *term = getenv("TERM");
    return isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
}

void cli_progress_begin(cli_progress *p, const char *label)
{
    cli_progress_end(p);
    memset(p, 0, sizeof *p);
    snprintf(p->label, sizeof p->label, "%s", label);
    if (!watched()) return;
    if (!make_condition(&p->wake)) return;
    pthread_mutex_init(&p->mutex, NULL);
    p->running = pthread_create(&p->thread, NULL, show, p) == 0;
}

void cli_progress_label(cli_progress *p, const char *label)
{
    if (!p->running) return;
    pthread_mutex_lock(&p->mutex);
    snprintf(p->label, sizeof p->label, "%s", label);
    pthread_mutex_unlock(&p->mutex);
}

void cli_progress_end(cli_progress *p)
{
    if (!p->running) return;
    pthread_mutex_lock(&p->mutex);
    p->stop = true;
    pthread_cond_signal(&p->wake);
    pthread_mutex_unlock(&p->mutex);
    pthread_join(p->thread, NULL);
    pthread_cond_destroy(&p->wake);
    pthread_mutex_destroy(&p->mutex);
    p->running = false;
}

void cli_progress_hold(cli_progress *p)
{
    if (!p->running) return;
    pthread_mutex_lock(&p->mutex);
    clear_line(p);
}

void cli_progress_release(cli_progress *p)
{
    if (p->running) pthread_mutex_unlock(&p->mutex);
}
