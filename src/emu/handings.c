/* Work handed on by atomics. A thread that has passed a fence of device scope (or a barrier with the memory's flag) releases
 * by its next atomic write what came before; a thread whose atomic read meets another thread's atomic write acquires all that
 * was released by then. That is more than the text may say, so a race may go unseen; none is made up. */
#include "emu/check.h"

static emu_handings **chain_of(const emu_watch *w, int64_t tag)
{
    return &w->handed[(uint64_t)tag & (w->handed_chains - 1)];
}

/* Twice as many chains. False when out of memory. */
static bool more_chains(emu_watch *w)
{
    emu_watch wide = *w;
    wide.handed_chains = w->handed_chains != 0 ? w->handed_chains * 2 : 64;
    wide.handed = mem_zeroed(w->mem, wide.handed_chains, sizeof(emu_handings *));
    if (wide.handed == NULL) return false;
    for (size_t i = 0; i < w->handed_chains; ++i) {
        while (w->handed[i] != NULL) {
            emu_handings *h = w->handed[i];
            w->handed[i] = h->next;
            h->next = *chain_of(&wide, h->tag);
            *chain_of(&wide, h->tag) = h;
        }
    }
    mem_free(w->mem, w->handed, w->handed_chains * sizeof(emu_handings *));
    w->handed = wide.handed;
    w->handed_chains = wide.handed_chains;
    return true;
}

static emu_handings *find_handings(const emu_watch *w, int64_t tag)
{
    if (w->handed_chains == 0) return NULL;
    emu_handings *h = *chain_of(w, tag);
    while (h != NULL && h->tag != tag) h = h->next;
    return h;
}

/* Those of the threadgroup, made where there are none. NULL when out of memory. */
static emu_handings *make_handings(emu_watch *w, int64_t tag)
{
    emu_handings *h = find_handings(w, tag);
    if (h != NULL) return h;
    if (w->handed_count == w->handed_chains && !more_chains(w)) return NULL;
    h = mem_zeroed(w->mem, 1, sizeof *h);
    if (h == NULL) return NULL;
    h->tag = tag;
    h->next = *chain_of(w, tag);
    *chain_of(w, tag) = h;
    ++w->handed_count;
    return h;
}

/* Among many of one threadgroup the latest of a lane takes in what follows, as if that had been released, or acquired, then:
 * more than the text says, so no race is made up. */
static void fold_handing(emu_handing *at, const emu_handing *one)
{
    if (!one->release) {
        at->seq = one->seq;
        return;
    }
    at->before = one->before > at->before ? one->before : at->before;
    at->simd = one->simd > at->simd ? one->simd : at->simd;
    at->fence = one->fence > at->fence ? one->fence : at->fence;
}

static void add_handing(emu_watch *w, int64_t tag, const emu_handing *one)
{
    enum { MANY = 1024 };
    emu_handings *h = make_handings(w, tag);
    if (h == NULL) {
        w->no_memory = true;
        return;
    }
    emu_handing *latest = NULL;
    for (uint32_t i = 0; i < h->n; ++i) {
        emu_handing *at = &h->at[i];
        if (at->lane != one->lane || at->release != one->release || at->memory != one->memory) continue;
        latest = at;
        if (at->release && at->before == one->before && at->simd == one->simd && at->fence == one->fence)
            return; /* the earlier one covers it */
        if (!at->release && at->fence == one->fence) {
            at->seq = one->seq;
            return;
        }
    }
    if (h->n >= MANY && latest != NULL) {
        fold_handing(latest, one);
        return;
    }
    if (h->n == h->cap) {
        const uint32_t cap = h->cap == 0 ? 2 : h->cap * 2;
        emu_handing *at = mem_resize(w->mem, h->at, h->cap * sizeof *at, cap * sizeof *at);
        if (at == NULL) {
            w->no_memory = true;
            return;
        }
        h->at = at;
        h->cap = cap;
    }
    h->at[h->n++] = *one;
}

void emu_hand_over(emu_vm *vm, bool acquires, bool writes, shadow_memory memory, uint32_t lane)
{
    emu_checker *c = vm->check;
    emu_watch *w = c->watch;
    const int64_t who = shadow_who(&c->side[SHADOW_DEVICE], lane), tag = shadow_tag(who);
    (void)pthread_mutex_lock(&w->lock);
    const uint32_t own = lane % vm->group_threads;
    const int64_t now = (who & SHADOW_OWN) | (int64_t)c->clock << SHADOW_CLOCK;
    if (acquires) {
        const emu_handing h = {.seq = ++w->seq, .fence = now, .lane = own, .memory = memory};
        add_handing(w, tag, &h);
    }
    for (int m = 0; m < SHADOW_MEMORIES && writes; ++m) {
        const emu_side *s = &c->side[m];
        if (m == SHADOW_TEXTURE && !w->has_textures) continue;
        if (s->fenced[lane] <= shadow_own(s, lane)) continue;
        const emu_handing h = {.seq = ++w->seq, .before = s->fenced[lane], .simd = w->simdgroups ? s->simd[lane] : s->fence[lane],
                               .fence = s->fence[lane], .lane = own, .release = true, .memory = (shadow_memory)m};
        add_handing(w, tag, &h);
    }
    (void)pthread_mutex_unlock(&w->lock);
}

/* When the lane last passed a barrier of its threadgroup, and (`simd`) of its simdgroup, in memory of any kind. */
static uint32_t last_barrier(const emu_checker *c, uint32_t lane, bool simd)
{
    uint32_t last = 0;
    for (int m = 0; m < SHADOW_MEMORIES; ++m) {
        const emu_side *s = &c->side[m];
        const uint32_t at = shadow_clock(simd ? s->simd[lane] : s->fence[lane]);
        if ((m != SHADOW_TEXTURE || c->watch->has_textures) && at > last) last = at;
    }
    return last;
}

/* The latest moment up to which the lane has seen what others released: by itself, or by a thread that a barrier has met
 * since. */
static uint64_t acquired(emu_vm *vm, int64_t tag, uint32_t lane)
{
    const emu_handings *h = find_handings(vm->check->watch, tag);
    const emu_checker *c = vm->check;
    const uint32_t own = lane % vm->group_threads, barrier = last_barrier(c, lane, false);
    const uint32_t simd = c->watch->simdgroups ? last_barrier(c, lane, true) : barrier;
    uint64_t best = 0;
    for (uint32_t i = 0; h != NULL && i < h->n; ++i) {
        const emu_handing *a = &h->at[i];
        if (a->release || a->seq <= best) continue;
        const uint32_t at = shadow_clock(a->fence), met = a->lane / EMU_SIMD_LANES == own / EMU_SIMD_LANES ? simd : barrier;
        if (a->lane == own || at < barrier || at < met) best = a->seq;
    }
    return best;
}

bool emu_handed(emu_vm *vm, int64_t rec, shadow_memory memory, uint32_t lane)
{
    emu_checker *c = vm->check;
    emu_watch *w = c->watch;
    if (!w->atomics) return false;
    const int64_t mine = shadow_tag(shadow_who(&c->side[SHADOW_DEVICE], lane));
    const int64_t tag = memory != SHADOW_GROUP ? shadow_tag(rec) : mine;
    bool found = false;
    (void)pthread_mutex_lock(&w->lock);
    const uint64_t seen = acquired(vm, mine, lane);
    const emu_handings *h = seen != 0 ? find_handings(w, tag) : NULL;
    for (uint32_t i = 0; h != NULL && i < h->n && !found; ++i) {
        const emu_handing *r = &h->at[i];
        if (!r->release || r->memory != memory || r->seq > seen) continue;
        found = rec < r->fence || (r->lane == shadow_lane(rec) && rec < r->before) ||
                (r->lane / EMU_SIMD_LANES == shadow_lane(rec) / EMU_SIMD_LANES && rec < r->simd);
    }
    (void)pthread_mutex_unlock(&w->lock);
    return found;
}

void emu_handings_age(emu_watch *w, int64_t from, int64_t to)
{
    (void)pthread_mutex_lock(&w->lock);
    for (int64_t tag = from; tag <= to; ++tag) {
        emu_handings *h = find_handings(w, tag);
        for (uint32_t i = 0; h != NULL && i < h->n; ++i)
            if (!h->at[i].release) h->at[i].fence &= SHADOW_OWN;
    }
    (void)pthread_mutex_unlock(&w->lock);
}

void emu_handings_free(emu_watch *w)
{
    for (size_t i = 0; i < w->handed_chains; ++i) {
        while (w->handed[i] != NULL) {
            emu_handings *next = w->handed[i]->next;
            mem_free(w->mem, w->handed[i]->at, w->handed[i]->cap * sizeof *w->handed[i]->at);
            mem_free(w->mem, w->handed[i], sizeof *w->handed[i]);
            w->handed[i] = next;
        }
    }
    mem_free(w->mem, w->handed, w->handed_chains * sizeof(emu_handings *));
}
