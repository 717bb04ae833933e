/* The pool of worker threads: they wait between launches. */
#include <pthread.h>
#include <unistd.h>

#include "emu/library.h"

struct emu_pool {
    const ingot_allocator *mem;
    unsigned workers, room; /* threads beside the caller; that there is room for */
    pthread_mutex_t turn; /* held by the launch that has the pool */
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t start, done;
    uint64_t round;
    unsigned running;
    bool ending;
    void (*body)(void *user);
    void *user;
    pthread_t threads[];
};

static void *work(void *arg)
{
    emu_pool *p = arg;
    uint64_t seen = 0;
    (void)pthread_mutex_lock(&p->lock);
    for (;;) {
        while (p->round == seen && !p->ending) (void)pthread_cond_wait(&p->start, &p->lock);
        if (p->ending) break;
        seen = p->round;
        void (*body)(void *) = p->body;
        void *user = p->user;
        (void)pthread_mutex_unlock(&p->lock);
        body(user);
        (void)pthread_mutex_lock(&p->lock);
        if (--p->running == 0) (void)pthread_cond_signal(&p->done);
    }
    (void)pthread_mutex_unlock(&p->lock);
    return NULL;
}

static size_t pool_bytes(unsigned workers)
{
    return sizeof(emu_pool) + workers * sizeof(pthread_t);
}

static bool make_locks(emu_pool *p)
{
    return pthread_mutex_init(&p->turn, NULL) == 0 && pthread_mutex_init(&p->lock, NULL) == 0 &&
           pthread_cond_init(&p->start, NULL) == 0 && pthread_cond_init(&p->done, NULL) == 0;
}

emu_pool *emu_pool_create(const ingot_allocator *mem, unsigned threads)
{
    enum { MOST = 256 };
    if (threads == 0) {
        const long n = sysconf(_SC_NPROCESSORS_ONLN);
        threads = n > 0 ? (unsigned)n : 1;
    }
    if (threads > MOST) threads = MOST;
    mem = mem_or_default(mem);
    emu_pool *p = mem_zeroed(mem, 1, pool_bytes(threads - 1));
    if (p == NULL) return NULL;
    p->mem = mem;
    if (!make_locks(p)) { /* cannot fail where these are plain memory */
        mem_free(mem, p, pool_bytes(threads - 1));
        return NULL;
    }
    p->room = threads - 1;
    /* fewer threads than asked for are as good, only slower */
    while (p->workers < p->room && pthread_create(&p->threads[p->workers], NULL, work, p) == 0) ++p->workers;
    return p;
}

void emu_pool_free(emu_pool *p)
{
    if (p == NULL) return;
    (void)pthread_mutex_lock(&p->lock);
    p->ending = true;
    (void)pthread_cond_broadcast(&p->start);
    (void)pthread_mutex_unlock(&p->lock);
    for (unsigned i = 0; i < p->workers; ++i) (void)pthread_join(p->threads[i], NULL);
    (void)pthread_cond_destroy(&p->start);
    (void)pthread_cond_destroy(&p->done);
    (void)pthread_mutex_destroy(&p->lock);
    (void)pthread_mutex_destroy(&p->turn);
    mem_free(p->mem, p, pool_bytes(p->room));
}

unsigned emu_pool_threads(const emu_pool *p)
{
    return p == NULL ? 1 : p->workers + 1;
}

void emu_pool_run(emu_pool *p, void (*body)(void *user), void *user)
{
    (void)pthread_mutex_lock(&p->turn);
    (void)pthread_mutex_lock(&p->lock);
    p->body = body;
    p->user = user;
    p->running = p->workers;
    ++p->round;
    (void)pthread_cond_broadcast(&p->start);
    (void)pthread_mutex_unlock(&p->lock);
    body(user);
    (void)pthread_mutex_lock(&p->lock);
    while (p->running != 0) (void)pthread_cond_wait(&p->done, &p->lock);
    (void)pthread_mutex_unlock(&p->lock);
    (void)pthread_mutex_unlock(&p->turn);
}
