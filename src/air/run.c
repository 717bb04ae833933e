/* Launches: threadgroups spread over workers, the threads of each as fibres, or one after the other where none waits. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* MAP_NORESERVE */
#endif
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "air/component.h"
#include "air/crew.h"
#include "air/signature.h"
#include "base/error.h"

enum { STACK_BYTES = 1 << 20, GROUP_STACK_BYTES = 16 << 20, SLICE = 1 << 20 /* rounds of loops between looks at the clock */, GROUP_ALIGN = 64 /* rows of vectors then lie in lines of the cache */ };

/* ---- A launch as its workers see it ------------------------------------------------------------------------------------- */

typedef struct air_course {
    const air_launch *launch;
    const air_code *code;
    air_range buffers[AIR_SLOTS];
    uint32_t threads[3];          /* of these threadgroups */
    uint32_t first[3], counts[3]; /* the first of them in the grid, and how many there are along each axis */
    uint32_t grid[3];             /* threads of the whole grid */
    uint64_t groups, budget;
    uint64_t deadline;    /* nanoseconds of the monotonic clock; 0: none */
    uint64_t next;        /* atomic */
    uint64_t fault_group; /* the earliest that failed; atomic */
    bool no_memory;       /* atomic */
    pthread_mutex_t lock; /* of `fault` */
    air_fault fault;
} job;

static void note_fault(job *j, const air_fault *fault, uint64_t group)
{
    (void)pthread_mutex_lock(&j->lock);
    if (group < __atomic_load_n(&j->fault_group, __ATOMIC_RELAXED)) {
        __atomic_store_n(&j->fault_group, group, __ATOMIC_RELAXED);
        j->fault = *fault;
    }
    (void)pthread_mutex_unlock(&j->lock);
}

static uint64_t now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Why the launch has to stop now; NONE: it need not. */
static air_fault_kind stops(const job *j)
{
    if (j->launch->cancel != NULL && __atomic_load_n(j->launch->cancel, __ATOMIC_RELAXED) != 0) return AIR_FAULT_CANCELLED;
    return j->deadline != 0 && now_ns() > j->deadline ? AIR_FAULT_TIME : AIR_FAULT_NONE;
}

static uint32_t slice_of(const job *j)
{
    return j->budget < SLICE ? (uint32_t)j->budget : SLICE;
}

/* ---- What compiled code calls ----------------------------------------------------------------------------------- */

static air_member *member_of(air_thread *t)
{
    return (air_member *)(void *)t; /* its first field */
}

/* Back to the scheduler; returns when the thread goes on. */
static void leave(air_thread *t)
{
    air_crew *c = t->crew;
    air_member *m = c->fibres == 1 ? c->members : member_of(t);
    air_fibre_switch(&m->fibre, &c->host);
}

static void place_thread(const air_crew *c, air_thread *t, size_t index)
{
    const uint32_t *n = c->threads;
    const uint32_t i = (uint32_t)index;
    t->index = i;
    t->position[0] = i % n[0];
    t->position[1] = i / n[0] % n[1];
    t->position[2] = i / n[0] / n[1];
}

void air_rt_fault(air_thread *t, uint32_t kind, uint32_t what, uint64_t offset, uint32_t size)
{
    air_crew *c = t->crew;
    c->fault = (air_fault){.kind = (air_fault_kind)kind, .what = what, .offset = offset, .why = c->why, .size = size};
    if (c->code->form != AIR_FORM_SINGLE) place_thread(c, t, t->index);
    memcpy(c->fault.group, t->group, sizeof t->group);
    memcpy(c->fault.position, t->position, sizeof t->position);
    for (;;) leave(t);
}

void air_rt_try(air_thread *t, uint64_t lanes, uint64_t first, uint64_t stride, uint64_t most, uint64_t names)
{
    for (uint32_t left = (uint32_t)lanes; left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        const uint64_t offset = first + lane * stride;
        if ((lanes >> 32 >> lane & 1) == 0 && offset <= most) continue;
        t->index += lane;
        air_rt_fault(t, (uint32_t)(names >> 56), (uint32_t)(names >> 32 & 0xffffff), offset, (uint32_t)names);
    }
}

uint32_t air_rt_refuel(air_thread *t, uint32_t rounds)
{
    air_crew *c = t->crew;
    const job *j = c->course;
    air_fault_kind why = stops(j);
    c->spent += slice_of(j) + rounds;
    if (why == AIR_FAULT_NONE && c->spent >= j->budget) why = AIR_FAULT_ENDLESS;
    if (why != AIR_FAULT_NONE) air_rt_fault(t, (uint32_t)why, UINT32_MAX, 0, 0);
    return slice_of(j);
}

static bool inside(const uint8_t *p, uint64_t size, const void *start, uint64_t n)
{
    const uint64_t at = (uint64_t)(uintptr_t)p - (uint64_t)(uintptr_t)start;
    return size <= n && at <= n - size;
}

void air_rt_check(air_thread *t, const void *p, uint64_t size, uint32_t writes)
{
    const air_crew *c = t->crew;
    const air_kernel *k = c->kernel;
    bool read_only = false;
    if (size == 0) return;
    for (size_t i = 0; i < k->param_count; ++i) {
        const air_kernel_param *a = &k->params[i];
        if (a->kind != AIR_PARAM_BUFFER || a->slot >= AIR_SLOTS) continue;
        const air_range *r = &c->buffers[a->slot];
        if (!inside(p, size, r->data, r->size)) continue;
        if (writes == 0 || a->space != 2) return;
        read_only = true;
    }
    if (inside(p, size, c->group_memory, c->group_bytes)) return;
    for (const air_range *r = c->code->constants; r->size != 0; ++r) {
        if (!inside(p, size, r->data, r->size)) continue;
        if (writes == 0) return;
        read_only = true;
    }
    if (inside(p, size, c->stacks, c->fibres * (c->stack_bytes + c->page))) return;
    air_rt_fault(t, read_only ? AIR_FAULT_READ_ONLY : AIR_FAULT_BOUNDS, UINT32_MAX, 0, (uint32_t)size);
}

void air_rt_barrier(air_thread *t, uint32_t site)
{
    air_member *m = member_of(t);
    m->site = site;
    m->state = AIR_AT_BARRIER;
    leave(t);
}

static air_where where(const air_thread *t, uint32_t place)
{
    const air_kernel *k = t->crew->kernel;
    const uint32_t *n = t->crew->threads, *at = t->position;
    const air_kernel_place none = {.file = ""}, *p = place < k->place_count ? &k->places[place] : &none;
    return (air_where){.group = t->group, .position = at, .thread = at[0] + n[0] * (at[1] + n[1] * at[2]), .place = place, .line = p->line, .column = p->column, .file = p->file};
}

void air_rt_touch(air_thread *t, const void *p, uint64_t size, uint32_t how, uint32_t place)
{
    const air_watch *w = t->crew->launch->watch;
    const air_where at = where(t, place);
    member_of(t)->place = place;
    if (w != NULL) w->touched(w->user, &at, p, size, (air_touch)how);
}

void air_rt_meet(air_thread *t, uint32_t flags, uint32_t place)
{
    air_member *m = member_of(t);
    m->by = flags;
    m->place = place;
}

uint64_t air_rt_exchange(air_thread *t, uint32_t site, uint32_t how, uint64_t value, uint32_t by)
{
    air_member *m = member_of(t);
    m->site = site;
    m->how = how;
    m->value = value;
    m->by = by;
    m->state = AIR_AT_CROSS;
    leave(t);
    return m->value;
}

void air_rt_multiply(air_thread *t, uint32_t site, float *values)
{
    air_member *m = member_of(t);
    m->site = site;
    m->matrix = values;
    m->state = AIR_AT_MULTIPLY;
    leave(t);
}

/* A simdgroup copies as one: its first thread does the work. */
static bool copies(const air_thread *t)
{
    return t->index % AIR_SIMD_WIDTH == 0;
}

void air_rt_copy_1d(air_thread *t, uint64_t element, uint8_t *to, const uint8_t *from, uint64_t count)
{
    uint64_t n;
    if (!copies(t)) return;
    if (__builtin_mul_overflow(element, count, &n)) n = UINT64_MAX;
    air_rt_check(t, from, n, 0);
    air_rt_check(t, to, n, 1);
    air_rt_touch(t, from, n, AIR_TOUCH_READ, member_of(t)->place);
    air_rt_touch(t, to, n, AIR_TOUCH_WRITE, member_of(t)->place);
    memmove(to, from, (size_t)n);
}

/* numbers: bytes of an element, elements a row of `to`, its tile's width and height, elements a row of `from`, its tile's
 * width and height, and 1 where the source's last row and column stand for what its tile lacks, which else is zero. */
void air_rt_copy_2d(air_thread *t, const uint64_t *numbers, uint8_t *to, const uint8_t *from)
{
    if (!copies(t)) return;
    const uint64_t e = numbers[0], last_x = numbers[5] - 1, last_y = numbers[6] - 1;
    const bool to_edge = numbers[7] == 1 && numbers[5] != 0 && numbers[6] != 0;
    for (uint64_t y = 0; y < numbers[3]; ++y) {
        for (uint64_t x = 0; x < numbers[2]; ++x) {
            uint8_t *d = to + (y * numbers[1] + x) * e;
            const uint64_t from_x = to_edge && x > last_x ? last_x : x, from_y = to_edge && y > last_y ? last_y : y;
            const uint8_t *s = from + (from_y * numbers[4] + from_x) * e;
            const bool there = to_edge || (x < numbers[5] && y < numbers[6]);
            air_rt_check(t, d, e, 1);
            if (there) air_rt_check(t, s, e, 0);
            if (there) air_rt_touch(t, s, e, AIR_TOUCH_READ, member_of(t)->place);
            air_rt_touch(t, d, e, AIR_TOUCH_WRITE, member_of(t)->place);
            if (there) memcpy(d, s, (size_t)e);
            else memset(d, 0, (size_t)e);
        }
    }
}

/* ---- A threadgroup ---------------------------------------------------------------------------------------------------- */

/* The next threadgroup of the grid, and where it lies in it; false where there is none. */
static bool take_group(air_crew *c, uint32_t at[3])
{
    job *j = c->course;
    const uint32_t *n = j->counts;
    const uint64_t g = c->group = __atomic_fetch_add(&j->next, 1, __ATOMIC_RELAXED);
    if (g >= j->groups || g >= __atomic_load_n(&j->fault_group, __ATOMIC_RELAXED)) return false;
    c->spent = 0;
    at[0] = j->first[0] + (uint32_t)(g % n[0]);
    at[1] = j->first[1] + (uint32_t)(g / n[0] % n[1]);
    at[2] = j->first[2] + (uint32_t)(g / n[0] / n[1]);
    const air_fault late = {.kind = stops(j), .group = {at[0], at[1], at[2]}};
    if (late.kind != AIR_FAULT_NONE) {
        note_fault(j, &late, g);
        return false;
    }
    if (c->group_bytes != 0) memset(c->group_memory, 0xff, c->group_bytes);
    return true;
}

/* One thread; or, where none waits, whole threadgroups as long as there are any. */
static void run_member(void *user)
{
    air_member *m = user;
    air_crew *c = m->thread.crew;
    do c->code->entry(&m->thread);
    while (!c->code->syncs && c->launch->watch == NULL && take_group(c, m->thread.group));
    m->state = AIR_DONE;
    for (;;) leave(&m->thread);
}

static void start_group(air_crew *c, const uint32_t group[3])
{
    const size_t context = air_fibre_context_bytes();
    for (size_t i = 0; i < c->fibres; ++i) {
        air_member *m = &c->members[i];
        char *stack = c->stacks + i * (c->stack_bytes + c->page) + c->page;
        memcpy(m->thread.group, group, sizeof m->thread.group);
        m->thread.fuel = slice_of(c->course);
        m->state = AIR_READY;
        air_fibre_prepare(&m->fibre, stack, c->stack_bytes, c->contexts + (i + 1) * context, run_member, m);
    }
}

static bool run_ready(air_crew *c)
{
    bool any = false;
    for (size_t i = 0; i < c->fibres && c->fault.kind == AIR_FAULT_NONE; ++i) {
        air_member *m = &c->members[i];
        if (m->state != AIR_READY) continue;
        any = true;
        air_fibre_switch(&c->host, &m->fibre);
    }
    return any;
}

static bool exchange_all(air_crew *c)
{
    bool any = false;
    for (size_t i = 0; i < c->count && c->fault.kind == AIR_FAULT_NONE; i += AIR_SIMD_WIDTH)
        if (air_crew_exchange(c, i)) any = true;
    return any;
}

/* Tells the watch of threads that do not meet; true where there is one. */
static bool tell_parting(const air_crew *c, const air_member *waiting, const air_member *other)
{
    const air_watch *w = c->launch->watch;
    if (w == NULL) return false;
    const air_where at = where(&waiting->thread, waiting->place), there = where(&other->thread, other->place);
    w->parted(w->user, other->state == AIR_DONE ? AIR_PARTED_RETURN : AIR_PARTED_OTHER, &at, &there);
    return true;
}

/* Every thread that has not ended at one barrier: all go on. True where the group is done. */
static bool pass_barrier(air_crew *c)
{
    const air_member *waiting = NULL, *ended = NULL;
    for (size_t i = 0; i < c->fibres; ++i) {
        const air_member *m = &c->members[i];
        if (m->state == AIR_DONE) {
            ended = m;
            continue;
        }
        if (waiting == NULL) waiting = m;
        if (waiting->site == m->site) continue;
        if (tell_parting(c, waiting, m)) return true;
        c->fault = (air_fault){.kind = AIR_FAULT_DIVERGENT};
        memcpy(c->fault.group, waiting->thread.group, sizeof c->fault.group);
        memcpy(c->fault.position, waiting->thread.position, sizeof c->fault.position);
        return true;
    }
    if (waiting == NULL) return true;
    if (ended != NULL && tell_parting(c, waiting, ended)) return true;
    if (c->launch->watch != NULL) c->launch->watch->met(c->launch->watch->user, waiting->by, UINT32_MAX);
    for (size_t i = 0; i < c->fibres; ++i)
        if (c->members[i].state == AIR_AT_BARRIER) c->members[i].state = AIR_READY;
    return false;
}

static void run_group(air_crew *c, const uint32_t group[3])
{
    const air_watch *w = c->launch->watch;
    start_group(c, group);
    if (w != NULL) w->began(w->user, group, c->members->thread.group_memory, c->group_bytes);
    while (c->fault.kind == AIR_FAULT_NONE) {
        if (run_ready(c)) continue;
        if (c->code->syncs && exchange_all(c)) continue;
        if (pass_barrier(c)) return;
    }
}

/* ---- A worker's crew --------------------------------------------------------------------------------------------------- */

static uint64_t padded(uint64_t n)
{
    return (n + 15) / 16 * 16;
}

static uint64_t group_bytes_of(const air_launch *l)
{
    uint64_t n = padded(l->kernel->threadgroup_bytes);
    for (size_t i = 0; i < l->threadgroup_count && i < AIR_MAX_GROUP_SLOTS; ++i) n += padded(l->threadgroup_lengths[i]);
    return n;
}

/* Threads, and room to the end of the last one's vector. */
static size_t padded_count(const air_crew *c)
{
    return c->count + AIR_SIMD_WIDTH;
}

static void free_crew(air_crew *c)
{
    const ingot_allocator *mem = c->kernel->mem;
    if (c->stacks != NULL) (void)munmap(c->stacks, c->fibres * (c->stack_bytes + c->page));
    mem_free(mem, c->group_room, c->group_bytes + GROUP_ALIGN);
    mem_free(mem, c->contexts, (c->fibres + 1) * air_fibre_context_bytes());
    mem_free(mem, c->members, c->fibres * sizeof *c->members);
    mem_free(mem, c->places, 3 * padded_count(c) * sizeof *c->places);
}

static bool make_stacks(air_crew *c)
{
    c->page = (size_t)sysconf(_SC_PAGESIZE);
    c->stack_bytes = c->code->syncs ? STACK_BYTES : GROUP_STACK_BYTES;
    void *p = mmap(NULL, c->fibres * (c->stack_bytes + c->page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return false;
    c->stacks = p;
    for (size_t i = 0; i < c->fibres; ++i)
        if (mprotect(c->stacks + i * (c->stack_bytes + c->page), c->page, PROT_NONE) != 0) return false;
    return true;
}

static void place_lengths(air_crew *c)
{
    uint64_t at = padded(c->kernel->threadgroup_bytes);
    for (size_t i = 0; i < c->launch->threadgroup_count && i < AIR_MAX_GROUP_SLOTS; ++i) {
        c->lengths[i] = (air_range){c->group_memory + at, c->launch->threadgroup_lengths[i]};
        at += padded(c->launch->threadgroup_lengths[i]);
    }
}

/* Where each thread is, for code that works on vectors of threads. */
static void fill_places(air_crew *c)
{
    const uint32_t *n = c->threads;
    for (uint32_t i = 0; i < padded_count(c); ++i) {
        c->places[i] = i % n[0];
        c->places[padded_count(c) + i] = i / n[0] % n[1];
        c->places[2 * padded_count(c) + i] = i / n[0] / n[1];
    }
}

static bool make_crew(air_crew *c, job *j)
{
    const air_launch *l = j->launch;
    const air_range *buffers = j->buffers;
    const ingot_allocator *mem = l->kernel->mem;
    const size_t count = (size_t)j->threads[0] * j->threads[1] * j->threads[2];
    *c = (air_crew){.kernel = l->kernel, .code = j->code, .course = j, .launch = l, .buffers = buffers, .count = count, .fibres = j->code->syncs ? count : 1};
    c->threads = j->threads;
    c->group_bytes = (size_t)group_bytes_of(l);
    c->members = mem_zeroed(mem, c->fibres, sizeof *c->members);
    c->contexts = mem_zeroed(mem, c->fibres + 1, air_fibre_context_bytes());
    c->group_room = mem_alloc(mem, c->group_bytes + GROUP_ALIGN);
    c->group_memory = c->group_room + (GROUP_ALIGN - (uintptr_t)c->group_room % GROUP_ALIGN) % GROUP_ALIGN;
    if (c->code->form == AIR_FORM_PARTIAL) c->places = mem_zeroed(mem, 3 * padded_count(c), sizeof *c->places);
    if (c->code->form == AIR_FORM_PARTIAL && c->places == NULL) return false;
    if (c->members == NULL || c->contexts == NULL || c->group_room == NULL || !make_stacks(c)) return false;
    if (c->places != NULL) fill_places(c);
    c->host.context = c->contexts;
    place_lengths(c);
    for (size_t i = 0; i < c->fibres; ++i) {
        air_thread *t = &c->members[i].thread;
        *t = (air_thread){.group_memory = c->group_memory, .buffers = buffers, .lengths = c->lengths, .crew = c};
        for (size_t d = 0; d < 3 && c->places != NULL; ++d) t->places[d] = c->places + d * padded_count(c);
        memcpy(t->groups, l->groups, sizeof t->groups);
        memcpy(t->threads, j->threads, sizeof t->threads);
        memcpy(t->whole, l->threads, sizeof t->whole);
        memcpy(t->grid, j->grid, sizeof t->grid);
        place_thread(c, t, i);
    }
    return true;
}

/* ---- A launch ---------------------------------------------------------------------------------------------------------- */

static const char *fault_text(air_fault_kind kind)
{
    switch (kind) {
    case AIR_FAULT_READ_ONLY: return "a write to memory that is only to be read";
    case AIR_FAULT_ALIGNMENT: return "an atomic operation at an address that is no multiple of its size";
    case AIR_FAULT_ENDLESS: return "stopped: the threadgroup ran longer than its budget of";
    case AIR_FAULT_TIME: return "stopped: the launch ran longer than the";
    case AIR_FAULT_CANCELLED: return "stopped: the launch was cancelled";
    case AIR_FAULT_DIVERGENT: return "a barrier while other threads of the threadgroup wait at another one";
    case AIR_FAULT_SHORT: return "a simdgroup matrix operation by a simdgroup that is not whole";
    case AIR_FAULT_UNREACHABLE: return "the kernel went on where it says that nothing is";
    case AIR_FAULT_TEXTURE: return "an access of a texture";
    case AIR_FAULT_NONE:
    case AIR_FAULT_BOUNDS: break;
    }
    return "a memory access out of bounds";
}

/* The fault in words, without the thread that met it. */
static void describe_fault(const job *j, const air_fault *f, char *out, size_t room)
{
    const air_kernel *k = j->launch->kernel;
    char what[200] = "";
    if (f->kind == AIR_FAULT_BOUNDS && f->what < k->param_count) {
        const air_kernel_param *p = &k->params[f->what];
        const bool group = p->kind == AIR_PARAM_THREADGROUP;
        const size_t length = group && p->slot < j->launch->threadgroup_count ? j->launch->threadgroup_lengths[p->slot] : 0;
        const uint64_t size = group ? length : p->slot < AIR_SLOTS ? j->buffers[p->slot].size : 0;
        (void)snprintf(what, sizeof what, ": %u bytes at offset %lld of '%.60s' [[%s(%u)]], which has %llu", (unsigned)f->size,
                       (long long)f->offset, p->name, group ? "threadgroup" : "buffer", (unsigned)p->slot, (unsigned long long)size);
    }
    if (f->kind == AIR_FAULT_ENDLESS) (void)snprintf(what, sizeof what, " %llu rounds of loops; an endless loop?", (unsigned long long)j->budget);
    if (f->kind == AIR_FAULT_TIME) (void)snprintf(what, sizeof what, " %u ms it was given", (unsigned)j->launch->milliseconds);
    if (f->kind == AIR_FAULT_TEXTURE) (void)snprintf(what, sizeof what, ": [[texture(%u)]], %s", (unsigned)f->what, f->why);
    (void)snprintf(out, room, "%s%s", fault_text(f->kind), what);
}

static ingot_status report(const job *j, ingot_error *error)
{
    const air_fault *f = &j->fault;
    char what[300];
    describe_fault(j, f, what, sizeof what);
    return error_set(error, INGOT_DEVICE, "kernel '%s', threadgroup (%u, %u, %u), thread (%u, %u, %u): %s", j->launch->kernel->info.name,
                     (unsigned)f->group[0], (unsigned)f->group[1], (unsigned)f->group[2], (unsigned)f->position[0],
                     (unsigned)f->position[1], (unsigned)f->position[2], what);
}

/* Tells the watch; false where there is none. */
static bool tell_fault(const air_crew *c)
{
    const air_watch *w = c->launch->watch;
    char what[300];
    if (w == NULL) return false;
    air_thread t = c->members->thread;
    memcpy(t.group, c->fault.group, sizeof t.group);
    memcpy(t.position, c->fault.position, sizeof t.position);
    const air_where at = where(&t, UINT32_MAX);
    describe_fault(c->course, &c->fault, what, sizeof what);
    w->failed(w->user, c->fault.kind == AIR_FAULT_BOUNDS || c->fault.kind == AIR_FAULT_READ_ONLY, &at, what);
    return true;
}

static void take_part(void *user)
{
    job *j = user;
    uint32_t at[3];
    if (__atomic_load_n(&j->next, __ATOMIC_RELAXED) >= j->groups) return;
    air_crew crew;
    if (!make_crew(&crew, j)) {
        __atomic_store_n(&j->no_memory, true, __ATOMIC_RELAXED);
        free_crew(&crew);
        return;
    }
    while (take_group(&crew, at)) {
        run_group(&crew, at);
        if (crew.fault.kind == AIR_FAULT_NONE) continue;
        if (!tell_fault(&crew)) note_fault(j, &crew.fault, crew.group);
        crew.fault.kind = AIR_FAULT_NONE;
    }
    free_crew(&crew);
}

static ingot_status check_launch(const air_launch *l, ingot_error *error)
{
    const rt_kernel_info *info = &l->kernel->info;
    uint64_t threads = 1;
    for (int d = 0; d < 3; ++d) {
        if (l->threads[d] == 0) return error_set(error, INGOT_VALUE, "kernel '%s': a threadgroup has no threads", info->name);
        threads *= l->threads[d];
        if (threads <= info->max_threads) continue;
        return error_set(error, INGOT_LIMIT, "kernel '%s': a threadgroup of %u x %u x %u threads is more than the %u that are allowed",
                         info->name, (unsigned)l->threads[0], (unsigned)l->threads[1], (unsigned)l->threads[2], (unsigned)info->max_threads);
    }
    for (size_t i = 0; i < l->threadgroup_count; ++i)
        if (l->threadgroup_lengths[i] > AIR_MAX_THREADGROUP_BYTES || group_bytes_of(l) > AIR_MAX_THREADGROUP_BYTES)
            return error_set(error, INGOT_LIMIT, "kernel '%s' needs more than %u bytes of threadgroup memory", info->name,
                             (unsigned)AIR_MAX_THREADGROUP_BYTES);
    return INGOT_OK;
}

/* Runs the job's threadgroups, which are all of one size. */
static ingot_status run_job(job *j, ingot_error *error)
{
    const air_launch *l = j->launch;
    j->groups = (uint64_t)j->counts[0] * j->counts[1] * j->counts[2];
    j->next = 0;
    j->fault_group = UINT64_MAX;
    if (j->groups == 0) return INGOT_OK;
    const ingot_status status = air_kernel_code(l->kernel, j->threads, l->threads[0], l->watch != NULL, &j->code, error);
    if (status != INGOT_OK) return status;
    if (l->watch != NULL) l->watch->hands_on = l->kernel->hands_on;
    if (pthread_mutex_init(&j->lock, NULL) != 0) return error_no_memory(error);
    if (l->spread != NULL && j->groups > 1 && l->watch == NULL) l->spread(l->pool, take_part, j);
    else take_part(j);
    (void)pthread_mutex_destroy(&j->lock);
    if (j->fault_group != UINT64_MAX) return report(j, error);
    return j->no_memory && j->next < j->groups ? error_no_memory(error) : INGOT_OK;
}

/* One of the eight parts of a grid: along each axis the threadgroups that are whole, or (its bit set) the one at the end that
 * is not. False where there is none. */
static bool take_box(job *j, unsigned box)
{
    const air_launch *l = j->launch;
    for (unsigned d = 0; d < 3; ++d) {
        const uint32_t rest = l->grid[d] % l->threads[d], quotient = l->grid[d] != 0 ? l->grid[d] / l->threads[d] : l->groups[d];
        const bool end = (box >> d & 1) != 0;
        j->threads[d] = end ? rest : l->threads[d];
        j->first[d] = end ? quotient : 0;
        j->counts[d] = end ? 1 : quotient;
        if (j->threads[d] == 0 || j->counts[d] == 0) return false;
    }
    return true;
}

ingot_status air_kernel_run(const air_launch *l, ingot_error *error)
{
    ingot_status status = check_launch(l, error);
    if (status != INGOT_OK) return status;
    job j = {.launch = l, .budget = l->budget != 0 ? l->budget : (uint64_t)1 << 31};
    if (l->milliseconds != 0) j.deadline = now_ns() + (uint64_t)l->milliseconds * 1000000u;
    for (size_t i = 0; i < l->buffer_count && i < AIR_SLOTS; ++i)
        if (l->buffers[i].data != NULL) j.buffers[i] = (air_range){l->buffers[i].data, l->buffers[i].size};
    for (unsigned d = 0; d < 3; ++d) j.grid[d] = l->grid[d] != 0 ? l->grid[d] : l->groups[d] * l->threads[d];
    for (unsigned box = 0; box < 8 && status == INGOT_OK; ++box)
        if (take_box(&j, box)) status = run_job(&j, error);
    return status == INGOT_OK ? error_none(error) : status;
}
