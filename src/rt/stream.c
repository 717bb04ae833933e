/* Streams: order of work on a device, and faults that stick until they are reported. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include <time.h>

#include "base/error.h"
#include "rt/object.h"

ingot_status rt_stream_create(ingot_device *d, ingot_stream **out, ingot_error *error)
{
    *out = NULL;
    ingot_stream *s = mem_zeroed(d->mem, 1, sizeof *s);
    if (s == NULL) return error_no_memory(error);
    ingot_error inner = {.status = INGOT_OK};
    ingot_status status = d->fns->queue_open(d->self, &s->queue, &inner);
    if (status != INGOT_OK) {
        mem_free(d->mem, s, sizeof *s);
        return error_pass(error, status, &inner);
    }
    s->device = d;
    rt_device_retain(d);
    *out = s;
    return INGOT_OK;
}

void rt_stream_release(ingot_stream *s)
{
    if (s == NULL) return;
    ingot_device *d = s->device;
    d->fns->queue_close(d->self, s->queue);
    mem_free(d->mem, s, sizeof *s);
    rt_device_release(d);
}

ingot_status rt_stream_check(ingot_stream *s, ingot_error *error)
{
    ingot_status status = s->fault.status;
    if (status == INGOT_OK) return INGOT_OK;
    if (error != NULL) *error = s->fault;
    s->fault.status = INGOT_OK;
    return status;
}

/* Faults are kept with the kernel's name and their place in its text. */
static void stick(ingot_stream *s, const char *kernel, ingot_error *fault)
{
    uint32_t line = fault->line, column = fault->column;
    error_set(&s->fault, INGOT_DEVICE, "kernel \"%s\": %s", kernel, fault->message);
    s->fault.line = line;
    s->fault.column = column;
}

static double seconds(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Hands a launch to the device; where the device runs it at once and somebody asks, with the time that it took. */
static ingot_status run_launch(ingot_stream *s, const rt_launch *launch, const char *kernel, ingot_error *error)
{
    const rt_device_fns *fns = s->device->fns;
    bool timed = s->on_time != NULL && fns->queue_time == NULL;
    double start = timed ? seconds() : 0;
    ingot_status status = fns->launch(s->device->self, s->queue, launch, error);
    if (timed && status == INGOT_OK) s->on_time(s->time_user, kernel, start, seconds());
    return status;
}

ingot_status rt_stream_launch(ingot_stream *s, const rt_launch *launch, const char *kernel, size_t declared_bytes,
                              ingot_error *error)
{
    if (s->fault.status != INGOT_OK) return INGOT_OK;
    if (s->on_launch != NULL) {
        s->on_launch(s->user, kernel, launch->grid, launch->group, declared_bytes + launch->threadgroup_bytes);
    }
    ingot_error inner = {.status = INGOT_OK};
    rt_launch checked = *launch;
    checked.checking = s->checking;
    ingot_status status = run_launch(s, &checked, kernel, &inner);
    if (status == INGOT_DEVICE) {
        stick(s, kernel, &inner);
        return INGOT_OK;
    }
    if (status == INGOT_OK) return INGOT_OK;
    if (status == INGOT_OUT_OF_MEMORY) return error_no_memory(error);
    return error_set(error, status, "kernel \"%s\": %s", kernel, inner.message);
}

void rt_stream_time(ingot_stream *s, ingot_time_fn on_time, void *user)
{
    if (s->device->fns->queue_time != NULL) s->device->fns->queue_time(s->device->self, s->queue, on_time, user);
    s->on_time = on_time;
    s->time_user = user;
}

ingot_status rt_stream_sync(ingot_stream *s, ingot_error *error)
{
    ingot_error inner; /* filled in by a device that fails */
    ingot_status status = s->device->fns->sync(s->device->self, s->queue, &inner);
    ingot_status first = rt_stream_check(s, error);
    if (first != INGOT_OK) return first;
    return status == INGOT_OK ? INGOT_OK : error_pass(error, status, &inner);
}
