/* Launches: a kernel over a grid, batch by batch, on one thread or on the pool's. */
#include <string.h>

#include "base/error.h"
#include "emu/clock.h"
#include "emu/denormal.h"
#include "emu/engine.h"
#include "emu/library.h"
#include "emu/mask.h"
#include "emu/schedule.h"

/* Workers. */

static size_t align_up(size_t n)
{
    return (n + EMU_ALIGN - 1) / EMU_ALIGN * EMU_ALIGN;
}

static uint64_t threadgroup_bytes_of(const emu_program *p, const emu_launch *launch)
{
    uint64_t n = (p->threadgroup_bytes + 15) / 16 * 16;
    for (size_t i = 1; i < p->objects.n; ++i) {
        const emu_object_info *o = &p->objects.at[i];
        if (o->kind == EMU_OBJECT_LENGTH && o->slot < launch->threadgroup_count)
            n += (launch->threadgroup_lengths[o->slot] + 15) / 16 * 16;
    }
    return n;
}

void emu_worker_free(const ingot_allocator *mem, emu_worker *w)
{
    mem_free(mem, w->threadgroup_block, w->threadgroup_size);
    emu_checker_free(w->vm.check, w->object_count);
    if (w->vm.log != NULL) emu_log_close(w->vm.log, w->vm.width);
    mem_free(mem, w->turns, w->turns_size);
    mem_free(mem, w, w->bytes);
}

static char *align_pointer(char *p)
{
    return p + (EMU_ALIGN - (uintptr_t)p % EMU_ALIGN) % EMU_ALIGN;
}

static void put_literal(char *frame, const emu_literal *l)
{
    const unsigned size = emu_type_size(l->type);
    for (unsigned lane = 0; lane < EMU_CHUNK; ++lane)
        for (unsigned b = 0; b < size; ++b) frame[l->reg + lane * size + b] = (char)(uint8_t)((uint64_t)l->bits >> (8 * b));
}

static uint32_t lane_input(const emu_program *p, emu_input which, uint32_t lane)
{
    const uint32_t *t = p->shape.threads;
    const uint32_t all = t[0] * t[1] * t[2];
    if (lane >= all * p->shape.batch) lane = all * p->shape.batch - 1; /* a lane too many does what the last one does */
    const uint32_t linear = lane % all;
    switch ((int)which) {
    case EMU_INPUT_THREAD_X: return linear % t[0];
    case EMU_INPUT_THREAD_Y: return linear / t[0] % t[1];
    case EMU_INPUT_THREAD_Z: return linear / t[0] / t[1];
    case EMU_INPUT_LINEAR: return linear;
    case EMU_INPUT_MEMBER: return lane / all;
    default: return 0;
    }
}

static void put_lane(char *reg, uint32_t lane, uint32_t v)
{
    memcpy(reg + lane * 4, &v, 4);
}

/* A uniform register. */
static void put_uniform(char *to, uint32_t v)
{
    const uint32_t all[EMU_CHUNK] = {v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v};
    memcpy(to, all, sizeof all);
}

static void put_lane_inputs(emu_worker *w, const emu_program *p)
{
    for (size_t i = 0; i < p->inputs.n; ++i) {
        const emu_input_reg *in = &p->inputs.at[i];
        if (in->which >= EMU_INPUT_GROUP_X) continue;
        for (uint32_t lane = 0; lane < p->width; ++lane)
            put_lane(w->vm.frame + in->reg, lane, lane_input(p, in->which, lane));
    }
}

static emu_worker *make_worker(const ingot_allocator *mem, const emu_program *p)
{
    const size_t levels = p->levels + 1;
    const size_t sizes[] = {align_up(sizeof(emu_worker)), p->frame_bytes, align_up(levels * sizeof(emu_mask)),
                            align_up(levels * p->width), align_up(p->patterns.n * sizeof(emu_pattern)),
                            align_up(p->known.n * sizeof(emu_known_mask)), align_up(p->objects.n * sizeof(emu_object)),
                            align_up(p->extents.n * sizeof(emu_extent))};
    size_t bytes = 2 * EMU_ALIGN; /* so that no two workers have a line of the cache in common */
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) bytes += sizes[i];
    emu_worker *w = mem_zeroed(mem, 1, bytes);
    if (w == NULL) return NULL;
    char *at = (char *)w + sizes[0];
    w->bytes = bytes;
    w->vm.masks = (emu_mask *)(void *)at;
    at += sizes[2];
    w->vm.patterns = (emu_pattern *)(void *)at;
    at += sizes[4];
    w->vm.known = (emu_known_mask *)(void *)at;
    at += sizes[5];
    w->objects = (emu_object *)(void *)at;
    at += sizes[6];
    w->vm.extents = (emu_extent *)(void *)at;
    at = align_pointer(at + sizes[7]);
    w->vm.frame = at;
    at += sizes[1];
    for (size_t i = 0; i < levels; ++i) w->vm.masks[i].own = (uint8_t *)at + i * p->width;
    w->vm.objects = w->objects;
    w->vm.object_count = (uint32_t)p->objects.n;
    w->vm.width = p->width;
    w->vm.group_threads = p->shape.threads[0] * p->shape.threads[1] * p->shape.threads[2];
    for (size_t i = 0; i < p->literals.n; ++i) put_literal(w->vm.frame, &p->literals.at[i]);
    put_lane_inputs(w, p);
    w->object_count = p->objects.n;
    if (p->logs.n != 0) {
        if (!emu_log_open(&w->log, mem, &p->logs, p->width)) {
            emu_worker_free(mem, w);
            return NULL;
        }
        w->vm.log = &w->log;
    }
    if (p->shape.scheduled) {
        w->turns_size = emu_turns_bytes(p) + EMU_ALIGN;
        w->turns = mem_alloc(mem, w->turns_size);
        if (w->turns == NULL) {
            emu_worker_free(mem, w);
            return NULL;
        }
    }
    if (p->shape.checks == 0) return w;
    w->vm.check = emu_checker_make(mem, p->objects.n);
    if (w->vm.check != NULL) return w;
    emu_worker_free(mem, w);
    return NULL;
}

/* A launch under way. */
typedef struct course {
    const emu_launch *launch;
    emu_kernel *kernel;
    const emu_object *resources; /* of the launch, as the machine sees them */
    emu_clock clock;
    emu_counts *counts;   /* of a launch with a profile; else NULL */
    bool checked;
    emu_watch watch;      /* of a checked launch */
    emu_records *records;
    emu_log log;          /* of all workers; under the lock of the job */
    emu_event *events;    /* found by all workers, each once; under the lock of the job */
    size_t event_count, event_cap;
} course;

/* Threadgroups of one size: a box of the grid. An even grid is one part. */
typedef struct part {
    uint32_t first[3], groups[3], threads[3];
} part;

/* A part under way. */
typedef struct job {
    course *course;
    const emu_launch *launch;
    emu_kernel *kernel;
    emu_built *built;
    const emu_program *program;
    part part;
    size_t site_base;
    uint64_t order; /* of its first batch among all of the launch */
    uint64_t threadgroup_bytes;
    uint64_t batches, per_row; /* all of them; along the axis */
    uint64_t next;        /* batch to be done next; atomic */
    uint64_t step;        /* batches taken at once */
    uint64_t fault_batch; /* the earliest that failed; atomic */
    bool no_memory;       /* atomic */
    pthread_mutex_t lock; /* of `fault` */
    emu_fault fault;
} job;

static void bind_objects(emu_worker *w, const job *j)
{
    const emu_program *p = j->program;
    uint64_t at = (p->threadgroup_bytes + 15) / 16 * 16;
    for (size_t i = 0; i < p->objects.n; ++i) {
        const emu_object_info *o = &p->objects.at[i];
        emu_object *to = &w->objects[i];
        *to = (emu_object){NULL, 0, o->writable};
        if (o->kind == EMU_OBJECT_BUFFER && o->slot < j->launch->buffer_count) {
            to->base = j->launch->buffers[o->slot].data;
            to->size = j->launch->buffers[o->slot].size;
        } else if (o->kind == EMU_OBJECT_LENGTH && o->slot < j->launch->threadgroup_count) {
            to->base = w->threadgroup + at;
            to->size = j->launch->threadgroup_lengths[o->slot];
            at += (to->size + 15) / 16 * 16;
        } else if (o->kind == EMU_OBJECT_THREADGROUP) {
            to->base = w->threadgroup + o->offset;
            to->size = o->size;
        } else if (o->kind == EMU_OBJECT_GLOBAL) {
            char *data; /* never written: the object is not writable */
            memcpy(&data, &o->data, sizeof data);
            to->base = data;
            to->size = o->size;
        }
    }
}

/* An idle worker of the program, or a new one; ready to run. NULL when out of memory. */
static emu_worker *take_worker(job *j)
{
    const ingot_allocator *mem = j->kernel->library->mem;
    (void)pthread_mutex_lock(&j->kernel->lock);
    emu_worker *w = j->built->idle;
    if (w != NULL) j->built->idle = w->next;
    (void)pthread_mutex_unlock(&j->kernel->lock);
    if (w == NULL) w = make_worker(mem, j->program);
    if (w == NULL) return NULL;
    const size_t need = (size_t)j->threadgroup_bytes * j->program->shape.batch + 2 * EMU_ALIGN;
    if (j->threadgroup_bytes != 0 && w->threadgroup_size < need) {
        mem_free(mem, w->threadgroup_block, w->threadgroup_size);
        w->threadgroup_block = mem_alloc(mem, need);
        w->threadgroup_size = w->threadgroup_block != NULL ? need : 0;
        if (w->threadgroup_block == NULL) {
            emu_worker_free(mem, w);
            return NULL;
        }
        w->threadgroup = align_pointer(w->threadgroup_block);
    }
    w->threadgroup_bytes = j->threadgroup_bytes;
    return w;
}

/* What the worker found joins what the others did; of the same thing the one met first in the grid stays. */
static void hand_in(job *j, emu_checker *c)
{
    course *all = j->course;
    (void)pthread_mutex_lock(&j->lock);
    for (size_t i = 0; i < c->event_count; ++i)
        if (!emu_event_join(j->kernel->library->mem, &all->events, &all->event_count, &all->event_cap, &c->events[i]))
            c->no_memory = true;
    if (c->no_memory) __atomic_store_n(&j->no_memory, true, __ATOMIC_RELAXED);
    (void)pthread_mutex_unlock(&j->lock);
    c->event_count = 0;
}

static void give_worker(job *j, emu_worker *w)
{
    if (j->course->checked) hand_in(j, w->vm.check);
    if (w->vm.log != NULL) {
        (void)pthread_mutex_lock(&j->lock);
        if (!emu_log_join(&j->course->log, w->vm.log)) __atomic_store_n(&j->no_memory, true, __ATOMIC_RELAXED);
        (void)pthread_mutex_unlock(&j->lock);
    }
    (void)pthread_mutex_lock(&j->kernel->lock);
    w->next = j->built->idle;
    j->built->idle = w;
    (void)pthread_mutex_unlock(&j->kernel->lock);
}

static void run_code(emu_vm *vm, const emu_insn *i)
{
    while (i != NULL) i = i->run(vm, i);
}

/* Bytes of messages that a launch keeps. */
static size_t log_room(const emu_logging *to)
{
    enum { USUAL = 1 << 20 };
    if (to == NULL || to->say == NULL) return 0;
    return to->bytes != 0 ? to->bytes : USUAL;
}

static void start_log(emu_log *log, const job *j)
{
    const emu_logging *to = j->launch->logging;
    log->most = log_room(to);
    log->least = to != NULL ? (uint8_t)to->least : 0;
    log->axis = j->program->shape.axis;
    log->threads = j->program->shape.threads;
}

/* What no batch changes: sizes of the grid, and all that is computed from those and the lanes. */
static bool start_worker(emu_worker *w, job *j)
{
    const emu_program *p = j->program;
    emu_vm *vm = &w->vm;
    bind_objects(w, j);
    if (j->course->checked) {
        emu_checker_start(vm->check, &j->course->watch, p, j->site_base, w->objects);
        if (!emu_checker_watch_group(vm->check, w->threadgroup, j->threadgroup_bytes * p->shape.batch)) return false;
    }
    if (vm->log != NULL) start_log(vm->log, j);
    vm->clock = &j->course->clock;
    vm->resources = j->course->resources;
    vm->resource_count = (uint32_t)j->launch->resource_count;
    vm->textures = j->launch->textures;
    vm->texture_count = j->launch->texture_count;
    vm->samplers = j->launch->samplers;
    vm->sampler_count = j->launch->sampler_count;
    vm->fault.kind = EMU_FAULT_NONE;
    for (size_t i = 0; i < p->inputs.n; ++i) {
        const emu_input_reg *in = &p->inputs.at[i];
        if (in->which >= EMU_INPUT_GRID_X)
            put_uniform(vm->frame + in->reg, j->launch->grid[in->which - EMU_INPUT_GRID_X]);
        else if (in->which >= EMU_INPUT_GROUPS_X)
            put_uniform(vm->frame + in->reg, j->launch->groups[in->which - EMU_INPUT_GROUPS_X]);
    }
    for (uint32_t c = 0; c < p->width / EMU_CHUNK; ++c)
        vm->chunk_shift[c] = p->shape.batch == 1 ? 0 : c * EMU_CHUNK / vm->group_threads * j->threadgroup_bytes;
    vm->shifted = p->shape.batch > 1;
    vm->lanes = p->width;
    vm->fuel = INT64_MAX;
    emu_mask_reset(vm, p->width);
    run_code(vm, p->prologue);
    for (size_t i = 0; i < p->patterns.n; ++i) {
        vm->patterns[i].scale = p->patterns.at[i].scale;
        j->kernel->library->isa->scan_pattern(&vm->patterns[i], vm->frame + p->patterns.at[i].reg, p->width);
    }
    for (size_t i = 0; i < p->extents.n; ++i) vm->extents[i] = emu_extent_of(vm, p->extents.at[i], 0, p->width / EMU_CHUNK);
    for (size_t i = 0; i < p->known.n; ++i) vm->known[i] = emu_mask_know(vm, p->known.at[i]);
    return true;
}

/* Where in the grid a batch begins, and how many threadgroups it has. */
static uint32_t batch_at(const job *j, uint64_t batch, uint32_t at[3])
{
    const emu_shape *s = &j->program->shape;
    const uint32_t *groups = j->part.groups;
    const unsigned a = s->axis, b = a == 0 ? 1 : 0, c = a == 2 ? 1 : 2;
    batch = emu_permute(j->launch->seed, batch, j->batches);
    const uint64_t row = j->batches == j->per_row ? 0 : batch / j->per_row;
    const uint64_t along = (batch - row * j->per_row) * s->batch;
    const uint64_t far = row < groups[b] ? 0 : row / groups[b];
    at[a] = (uint32_t)along;
    at[b] = (uint32_t)(row - far * groups[b]);
    at[c] = (uint32_t)far;
    for (int d = 0; d < 3; ++d) at[d] += j->part.first[d];
    const uint64_t left = groups[a] - along;
    return left < s->batch ? (uint32_t)left : s->batch;
}

static void run_turns(emu_worker *w, const job *j, uint64_t batch)
{
    const uint64_t seed = j->launch->seed;
    const emu_turns t = {.program = j->program, .seed = seed != 0 ? seed + batch : 0, .room = align_pointer(w->turns),
                         .counts = j->course->counts};
    emu_run_turns(&w->vm, &t);
}

static bool run_batch(emu_worker *w, const job *j, uint64_t batch)
{
    const emu_program *p = j->program;
    emu_vm *vm = &w->vm;
    uint32_t at[3];
    const uint32_t members = batch_at(j, batch, at);
    if (vm->log != NULL) {
        vm->log->order = j->order + batch;
        memcpy(vm->log->first, at, sizeof at);
    }
    for (size_t i = 0; i < p->inputs.n; ++i) {
        const emu_input_reg *in = &p->inputs.at[i];
        if (in->which >= EMU_INPUT_GROUP_X && in->which <= EMU_INPUT_GROUP_Z)
            put_uniform(vm->frame + in->reg, at[in->which - EMU_INPUT_GROUP_X]);
    }
    if (w->threadgroup_bytes != 0) memset(w->threadgroup, 0xff, (size_t)w->threadgroup_bytes * members);
    vm->lanes = members * vm->group_threads;
    emu_clock_start(vm, p->insn_count);
    emu_mask_reset(vm, vm->lanes);
    if (j->course->checked) {
        const uint32_t *g = j->launch->groups;
        const uint64_t strides[3] = {1, g[0], (uint64_t)g[0] * g[1]};
        emu_checker_batch(vm->check, vm, at, at[0] + strides[1] * at[1] + strides[2] * at[2], strides[p->shape.axis]);
    }
    const emu_rule late = emu_clock_stops(vm->clock);
    if (late != EMU_FAULT_NONE) (void)emu_stop(vm, p->body, late, 0);
    else if (p->shape.scheduled) run_turns(w, j, batch);
    else if (j->course->counts != NULL) emu_counts_run(j->course->counts, vm, p->body);
    else run_code(vm, p->body);
    return vm->fault.kind == EMU_FAULT_NONE;
}

static void note_fault(job *j, const emu_fault *fault, uint64_t batch)
{
    (void)pthread_mutex_lock(&j->lock);
    if (batch < __atomic_load_n(&j->fault_batch, __ATOMIC_RELAXED)) {
        __atomic_store_n(&j->fault_batch, batch, __ATOMIC_RELAXED);
        j->fault = *fault;
    }
    (void)pthread_mutex_unlock(&j->lock);
}

/* May the launch go on although a batch has failed? Where findings are collected, and not when time is up. */
static bool goes_on(emu_worker *w)
{
    emu_fault *f = &w->vm.fault;
    if (w->vm.check == NULL || !w->vm.check->collect || emu_rule_check(f->kind) == EMU_CHECK_WATCHDOG) return false;
    (void)emu_note(&w->vm, f);
    f->kind = EMU_FAULT_NONE;
    return true;
}

/* Batches from `next` on, until there are none before the earliest fault. */
static void run_some(job *j, emu_worker *w, uint64_t most)
{
    for (uint64_t taken = 0; taken < most; taken += j->step) {
        const uint64_t from = __atomic_fetch_add(&j->next, j->step, __ATOMIC_RELAXED);
        for (uint64_t b = from; b < from + j->step; ++b) {
            if (b >= j->batches || b >= __atomic_load_n(&j->fault_batch, __ATOMIC_RELAXED)) return;
            if (run_batch(w, j, b) || goes_on(w)) continue;
            note_fault(j, &w->vm.fault, b);
            w->vm.fault.kind = EMU_FAULT_NONE;
            return;
        }
    }
}

static void take_part(void *user)
{
    job *j = user;
    if (__atomic_load_n(&j->next, __ATOMIC_RELAXED) >= j->batches) return;
    emu_worker *w = take_worker(j);
    if (w == NULL) {
        __atomic_store_n(&j->no_memory, true, __ATOMIC_RELAXED);
        return;
    }
    const uint64_t before = denormals_flush(j->launch->math == EMU_MATH_FAST);
    if (start_worker(w, j)) run_some(j, w, UINT64_MAX - UINT32_MAX);
    else __atomic_store_n(&j->no_memory, true, __ATOMIC_RELAXED);
    denormals_restore(before);
    give_worker(j, w);
}

/* The first batches are run by the caller; only what is worth waking others for goes to the pool. */
static ingot_status run_job_as_set(job *j, ingot_error *error)
{
    enum { WORTH_NS = 60000 };
    emu_worker *w = take_worker(j);
    if (w == NULL) return error_no_memory(error);
    if (!start_worker(w, j)) {
        give_worker(j, w);
        return error_no_memory(error);
    }
    j->step = 1;
    const unsigned threads = j->course->counts != NULL ? 1 : emu_pool_threads(j->launch->pool);
    if (threads > 1) {
        uint64_t spent = 0;
        while (j->next < j->batches && j->fault_batch == UINT64_MAX && spent < WORTH_NS) {
            run_some(j, w, 1);
            const uint64_t steps = emu_clock_spent(&w->vm);
            spent += steps * (8 + j->program->width / 16);
        }
    } else {
        run_some(j, w, UINT64_MAX - UINT32_MAX);
    }
    give_worker(j, w);
    if (j->next >= j->batches || j->fault_batch != UINT64_MAX) return INGOT_OK;
    const uint64_t step = (j->batches - j->next) / (threads * 16u);
    j->step = step < 1 || j->kernel->waits ? 1 : step > 64 ? 64 : step; /* who is waited for is under way */
    emu_pool_run(j->launch->pool, take_part, j);
    /* a worker without memory leaves its share to the others */
    if (__atomic_load_n(&j->no_memory, __ATOMIC_RELAXED) && j->next < j->batches && j->fault_batch == UINT64_MAX)
        return error_no_memory(error);
    return INGOT_OK;
}

static ingot_status run_job(job *j, ingot_error *error)
{
    const uint64_t before = denormals_flush(j->launch->math == EMU_MATH_FAST);
    const ingot_status status = run_job_as_set(j, error);
    denormals_restore(before);
    return status;
}

/* Before a launch. */

static ingot_status check_threads(const emu_launch *l, ingot_error *error)
{
    const emu_kernel_info *info = &l->kernel->info;
    uint64_t threads = 1;
    for (int d = 0; d < 3; ++d) {
        if (l->threads[d] == 0) return error_set(error, INGOT_VALUE, "kernel '%s': a threadgroup has no threads", info->name);
        threads *= l->threads[d];
        if (threads > info->max_threads)
            return error_set(error, INGOT_LIMIT,
                             "kernel '%s': a threadgroup of %u x %u x %u threads is more than the %u that are allowed",
                             info->name, (unsigned)l->threads[0], (unsigned)l->threads[1], (unsigned)l->threads[2],
                             (unsigned)info->max_threads);
    }
    return INGOT_OK;
}

/* The bound texture fits the parameter: its dimensions, and what its pixels are. */
static ingot_status check_texture(const char *kernel, const emu_launch *l, const emu_arg *a, uint32_t slot, ingot_error *error)
{
    const emu_texture *t = slot < l->texture_count ? &l->textures[slot] : NULL;
    if (t == NULL || t->data == NULL) return INGOT_OK; /* reading it is a fault */
    if ((unsigned)t->format >= EMU_FORMATS || t->levels == 0 || t->levels > EMU_MAX_LEVELS)
        return error_set(error, INGOT_VALUE, "kernel '%s': what is bound to [[texture(%u)]] is no texture", kernel, (unsigned)slot);
    if (t->type != a->texture_type)
        return error_set(error, INGOT_VALUE, "kernel '%s': argument '%s' [[texture(%u)]] is a %s; a texture of another type is bound",
                         kernel, a->name, (unsigned)slot, a->type);
    if (emu_format_class(t->format) != a->texture_class)
        return error_set(error, INGOT_VALUE, "kernel '%s': argument '%s' [[texture(%u)]] is a %s; a texture of format %s is bound",
                         kernel, a->name, (unsigned)slot, a->type, emu_format_name(t->format));
    return INGOT_OK;
}

ingot_status emu_check_textures(const emu_kernel_info *info, const emu_launch *l, ingot_error *error)
{
    ingot_status status = INGOT_OK;
    for (size_t i = 0; i < info->arg_count; ++i) {
        const emu_arg *a = &info->args[i];
        for (uint32_t k = 0; a->kind == EMU_ARG_TEXTURE && k < a->count && status == INGOT_OK; ++k)
            status = check_texture(info->name, l, a, a->slot + k, error);
    }
    return status;
}

static ingot_status check_arguments(const emu_launch *l, ingot_error *error)
{
    const emu_kernel_info *info = &l->kernel->info;
    uint64_t bytes = (info->threadgroup_bytes + 15) / 16 * 16;
    for (size_t i = 0; i < info->arg_count; ++i) {
        const emu_arg *a = &info->args[i];
        if (a->kind == EMU_ARG_TEXTURE || a->kind == EMU_ARG_SAMPLER) continue;
        if (a->kind == EMU_ARG_THREADGROUP) {
            const uint64_t length = a->slot < l->threadgroup_count ? l->threadgroup_lengths[a->slot] : 0;
            if (length > EMU_MAX_THREADGROUP_BYTES) bytes = UINT64_MAX / 2;
            else bytes += (length + 15) / 16 * 16;
            continue;
        }
        const size_t size = a->slot < l->buffer_count && l->buffers[a->slot].data != NULL ? l->buffers[a->slot].size : 0;
        if (a->is_reference && a->is_named && size < a->elem_size) /* what is not used need not be bound */
            return error_set(error, INGOT_VALUE, "kernel '%s': argument '%s' [[buffer(%u)]] needs %llu bytes, %zu are bound",
                             info->name, a->name, (unsigned)a->slot, (unsigned long long)a->elem_size, size);
    }
    if (bytes > EMU_MAX_THREADGROUP_BYTES)
        return error_set(error, INGOT_LIMIT, "kernel '%s' needs more than %u bytes of threadgroup memory", info->name,
                         (unsigned)EMU_MAX_THREADGROUP_BYTES);
    return emu_check_textures(info, l, error);
}

/* Small threadgroups are run several at a time, along the longest side of the grid. */
static emu_shape shape_of(const emu_launch *l, const part *at)
{
    enum { LANES = 256 };
    emu_shape s = {.known = true, .batch = 1, .checks = l->checks, .math = (uint8_t)l->math};
    if (l->math != EMU_MATH_SAFE) s.seed = l->seed;
    memcpy(s.threads, at->threads, sizeof s.threads);
    for (int d = 0; d < 3; ++d) s.uneven = s.uneven || (l->grid[d] != 0 && l->grid[d] % l->threads[d] != 0);
    if (s.uneven) memcpy(s.nominal, l->threads, sizeof s.nominal);
    const uint32_t threads = s.threads[0] * s.threads[1] * s.threads[2];
    s.scheduled = threads > EMU_SIMD_WIDTH && (l->seed != 0 || l->kernel->waits);
    if (threads * 2 > LANES || l->seed != 0 || l->kernel->waits || l->kernel->logs) return s;
    if (l->kernel->crosses && threads % EMU_SIMD_WIDTH != 0) return s;
    if (l->kernel->has_threadgroup && threads % EMU_CHUNK != 0) return s;
    uint32_t axis = 0;
    for (uint32_t d = 1; d < 3; ++d)
        if (at->groups[d] > at->groups[axis]) axis = d;
    const uint32_t most = LANES / threads;
    s.batch = at->groups[axis] < most ? at->groups[axis] : most;
    if (s.batch > 1) s.axis = axis;
    return s;
}

void emu_group_threads(const emu_launch *l, const uint32_t group[3], uint32_t out[3])
{
    for (int d = 0; d < 3; ++d) {
        const uint32_t left = l->grid[d] - group[d] * l->threads[d];
        out[d] = l->grid[d] != 0 && left < l->threads[d] ? left : l->threads[d];
    }
}

enum { MOST_PARTS = 8 };

/* The grid as boxes of threadgroups of one size; how many. */
static size_t split_grid(const emu_launch *l, part out[MOST_PARTS])
{
    size_t n = 0;
    for (unsigned k = 0; k < MOST_PARTS; ++k) {
        part p = {.first = {0}};
        bool any = true;
        for (unsigned d = 0; d < 3; ++d) {
            const bool end = (k >> d & 1u) != 0;
            const uint32_t rest = l->grid[d] % l->threads[d], whole = rest != 0 ? l->groups[d] - 1 : l->groups[d];
            p.first[d] = end ? whole : 0;
            p.groups[d] = end ? (rest != 0 ? 1 : 0) : whole;
            p.threads[d] = end ? rest : l->threads[d];
            any = any && p.groups[d] != 0;
        }
        if (any) out[n++] = p;
    }
    return n;
}

/* The launch's further memory as the machine sees it. */
static ingot_status bind_resources(const ingot_allocator *mem, const emu_launch *l, emu_object **out, ingot_error *error)
{
    *out = NULL;
    if (l->resource_count == 0) return INGOT_OK;
    if (l->resource_count > EMU_MAX_RESOURCES)
        return error_set(error, INGOT_LIMIT, "a launch has at most %d resources, not %zu", EMU_MAX_RESOURCES, l->resource_count);
    emu_object *o = mem_zeroed(mem, l->resource_count, sizeof *o);
    if (o == NULL) return error_no_memory(error);
    for (size_t i = 0; i < l->resource_count; ++i) o[i] = (emu_object){l->resources[i].data, l->resources[i].size, true};
    *out = o;
    return INGOT_OK;
}

/* Device memory's records for a checked launch: those of the last one, where no other launch has them. */
static bool open_watch(course *c, const job *jobs, size_t count)
{
    if (!c->checked) return true;
    const emu_program *programs[MOST_PARTS];
    for (size_t k = 0; k < count; ++k) programs[k] = jobs[k].program;
    (void)pthread_mutex_lock(&c->kernel->lock);
    c->records = c->kernel->records;
    c->kernel->records = NULL;
    (void)pthread_mutex_unlock(&c->kernel->lock);
    return emu_watch_open(&c->watch, programs, count, &c->records);
}

static void close_watch(course *c)
{
    if (!c->checked) return;
    const ingot_allocator *mem = c->kernel->library->mem;
    emu_watch_close(&c->watch);
    (void)pthread_mutex_lock(&c->kernel->lock);
    emu_records *left = c->kernel->records;
    c->kernel->records = c->records;
    (void)pthread_mutex_unlock(&c->kernel->lock);
    emu_records_free(left);
    mem_free(mem, c->events, c->event_cap * sizeof *c->events);
}

/* What was collected, in the order of the grid; then what stopped the job, if anything did. */
static ingot_status report_all(course *c, const job *stopped, ingot_error *error)
{
    emu_events_sort(c->events, c->event_count);
    for (size_t i = 0; i < c->event_count; ++i) {
        const emu_event *e = &c->events[i];
        const emu_reporter r = {c->kernel, e->program, c->launch};
        if (emu_report(&r, &e->fault, e->first, e->times, NULL) == INGOT_OUT_OF_MEMORY) return error_no_memory(error);
    }
    if (stopped == NULL) return INGOT_OK;
    const emu_reporter r = {c->kernel, stopped->program, c->launch};
    uint32_t first[3];
    (void)batch_at(stopped, stopped->fault_batch, first);
    return emu_report(&r, &stopped->fault, first, 1, error);
}

/* The program of a part, and how its batches lie. */
static bool make_job(course *c, const part *p, job *j, ingot_error *error)
{
    const emu_shape shape = shape_of(c->launch, p);
    emu_built *built = emu_built_get(c->kernel, &shape, error);
    if (built == NULL) return false;
    *j = (job){.course = c, .launch = c->launch, .kernel = c->kernel, .built = built, .program = built->program, .part = *p,
               .fault_batch = UINT64_MAX};
    j->threadgroup_bytes = (threadgroup_bytes_of(built->program, c->launch) + EMU_ALIGN - 1) / EMU_ALIGN * EMU_ALIGN;
    j->per_row = (p->groups[shape.axis] + (uint64_t)shape.batch - 1) / shape.batch;
    j->batches = j->per_row;
    for (uint32_t d = 0; d < 3; ++d)
        if (d != shape.axis) j->batches *= p->groups[d];
    return true;
}

/* What was logged before the launch ended. */
static bool say_log(course *c, uint64_t last)
{
    if (c->log.mem == NULL) return true;
    c->log.most = log_room(c->launch->logging);
    return emu_log_say(&c->log, c->kernel, c->launch->logging, last);
}

/* All parts one after the other, up to the first that is stopped. */
static ingot_status run_jobs(course *c, job *jobs, size_t count, ingot_error *error)
{
    if (!open_watch(c, jobs, count)) return error_no_memory(error);
    const job *stopped = NULL;
    size_t sites = 0;
    uint64_t batches = 0;
    for (size_t k = 0; k < count && stopped == NULL; ++k) {
        job *j = &jobs[k];
        j->site_base = sites;
        sites += j->program->site_count;
        j->order = batches;
        batches += j->batches;
        if (pthread_mutex_init(&j->lock, NULL) != 0) return error_no_memory(error);
        emu_counts counts = {.mem = c->kernel->library->mem, .program = j->program};
        c->counts = c->launch->profile != NULL ? &counts : NULL;
        const ingot_status status = run_job(j, error);
        if (c->counts != NULL) emu_counts_add(&counts, c->kernel, c->launch->profile);
        (void)pthread_mutex_destroy(&j->lock);
        if (status != INGOT_OK) return status;
        if (j->fault_batch != UINT64_MAX) stopped = j;
    }
    if (!say_log(c, stopped != NULL ? stopped->order + stopped->fault_batch : UINT64_MAX)) return error_no_memory(error);
    if (emu_watch_short(&c->watch)) return error_no_memory(error);
    return report_all(c, stopped, error);
}

/* The launch, of at least one threadgroup, that has been looked at. */
static ingot_status run_course(course *c, ingot_error *error)
{
    part parts[MOST_PARTS];
    job jobs[MOST_PARTS];
    const size_t count = split_grid(c->launch, parts);
    c->watch = (emu_watch){.mem = c->kernel->library->mem, .launch = c->launch, .lock = PTHREAD_MUTEX_INITIALIZER};
    ingot_error inner;
    size_t made = 0;
    while (made < count && make_job(c, &parts[made], &jobs[made], &inner)) ++made;
    ingot_status status = inner.status;
    if (made == count) {
        status = run_jobs(c, jobs, count, &inner);
        close_watch(c);
        if (c->log.mem != NULL) emu_log_close(&c->log, 0);
    }
    for (size_t k = 0; k < made; ++k) emu_built_release(c->kernel, jobs[k].built);
    return status == INGOT_OK ? error_none(error) : error_pass(error, status, &inner);
}

static ingot_status check_grid(const emu_launch *l, ingot_error *error)
{
    const char *name = l->kernel->info.name;
    if ((uint64_t)l->groups[0] * l->groups[1] > ((uint64_t)1 << 30) || l->groups[2] > 1u << 30)
        return error_set(error, INGOT_LIMIT, "kernel '%s': the grid is too large", name);
    for (int d = 0; d < 3; ++d) {
        const uint64_t whole = (uint64_t)l->groups[d] * l->threads[d];
        if (l->grid[d] != 0 && (l->grid[d] > whole || whole - l->grid[d] >= l->threads[d]))
            return error_set(error, INGOT_VALUE, "kernel '%s': a grid of %u threads is not %u threadgroups of %u", name,
                             (unsigned)l->grid[d], (unsigned)l->groups[d], (unsigned)l->threads[d]);
    }
    return INGOT_OK;
}

ingot_status emu_run(const emu_launch *launch, ingot_error *error)
{
    emu_kernel *kernel = &launch->kernel->library->kernels[launch->kernel - launch->kernel->library->kernels];
    emu_launch watched = *launch;
    if (launch->profile != NULL) { /* a checked program has every barrier, and does nothing at once that can be counted */
        watched.checks |= 1u << EMU_CHECK_LIMITS;
        watched.seed = 0; /* what is counted does not depend on the order */
        launch = &watched;
    }
    if (!emu_check_launch(launch)) return error_no_memory(error);
    ingot_status status = check_threads(launch, error);
    if (status != INGOT_OK) return status;
    if (launch->groups[0] == 0 || launch->groups[1] == 0 || launch->groups[2] == 0) return error_none(error);
    status = check_grid(launch, error);
    if (status == INGOT_OK) status = check_arguments(launch, error);
    if (status != INGOT_OK) return status;
    bool ran;
    status = emu_engine_run(launch, &ran, error);
    if (ran || status != INGOT_OK) return status;
    const double began = launch->engine == EMU_ENGINE_AUTO ? emu_engine_now() : 0;
    const ingot_allocator *mem = kernel->library->mem;
    emu_object *resources;
    status = bind_resources(mem, launch, &resources, error);
    if (status != INGOT_OK) return status;
    course c = {.launch = launch, .kernel = kernel, .resources = resources, .checked = launch->checks != 0,
                .clock = emu_clock_make(launch->budget, launch->milliseconds, launch->cancel)};
    status = run_course(&c, error);
    if (status == INGOT_OK && launch->profile != NULL && launch->profile->no_memory) status = error_no_memory(error);
    mem_free(mem, resources, launch->resource_count * sizeof *resources);
    if (launch->engine == EMU_ENGINE_AUTO) emu_engine_note(launch, began);
    return status;
}
