/* One launch: arguments to bindings and constant bytes, extents to grid and group, limits. */
#include <stdalign.h>

#include "base/dtype.h"
#include "base/error.h"
#include "rt/program.h"

enum { DYNAMIC_UNIT = 16 };

/* What a launch is put together from. */
typedef struct builder {
    const rt_call *call;
    const host_frame *frame;
    const host_launch *launch;
    const rt_kernel *kernel;
    ingot_error *error;
} builder;

/* The bits of a scalar as the kernel's argument struct holds them, in the low bytes of 8. */
static uint64_t scalar_bits(DLDataType t, host_value v)
{
    const num_format *small = dtype_format(t);
    if (small != NULL) return num_encode(small, v.f);
    if (t.code == kDLFloat) return num_float_bits((float)v.f);
    return t.bits >= 64 ? (uint64_t)v.i : (uint64_t)v.i & (((uint64_t)1 << t.bits) - 1);
}

/* Each scalar in 8 bytes of its own, little-endian, zeros above its width. */
static void pack_scalars(const builder *b, unsigned char *out)
{
    const pack_kernel *r = b->kernel->record;
    for (size_t i = b->kernel->pointers; i < r->arg_count; ++i) {
        uint64_t bits = scalar_bits(r->arg_types[i], b->frame->regs[b->launch->args[i]]);
        for (size_t k = 0; k < 8; ++k) *out++ = (unsigned char)(bits >> (8 * k));
    }
}

static ingot_status bind_pointers(const builder *b, rt_binding *out)
{
    for (size_t i = 0; i < b->kernel->pointers; ++i) {
        host_value v = b->frame->regs[b->launch->args[i]];
        const ingot_buffer *buffer = b->frame->memories[v.memory];
        if (buffer == NULL) buffer = b->call->program->empty;
        if (v.i < 0 || (uint64_t)v.i > buffer->size) {
            return error_set(b->error, INGOT_VALUE,
                             "kernel \"%s\": argument %zu points %lld bytes into a buffer of %zu bytes",
                             b->kernel->record->name.p, i, (long long)v.i, buffer->size);
        }
        out[i] = (rt_binding){buffer->memory, (size_t)v.i};
    }
    return INGOT_OK;
}

/* The value of each launch tag; *empty where the grid has no thread. */
static ingot_status read_extents(const builder *b, rt_launch *out, bool *empty)
{
    uint32_t values[RT_PLACES] = {1, 1, 1, 1, 1, 1, 0};
    const pack_kernel *r = b->kernel->record;
    for (size_t i = 0; i < r->launch_tag_count; ++i) {
        int64_t value = b->frame->regs[b->launch->extents[i]].i;
        uint8_t place = b->kernel->places[i];
        if (value < 0 || value > UINT32_MAX) {
            return error_set(b->error, INGOT_VALUE, "kernel \"%s\": an extent of %lld for %s", r->name.p, (long long)value,
                             r->launch_tags[i]);
        }
        if (value == 0 && place != RT_DYNAMIC) *empty = true;
        values[place] = (uint32_t)value;
    }
    for (size_t i = 0; i < 3; ++i) {
        out->grid[i] = values[RT_GRID + i];
        out->group[i] = values[RT_GROUP + i];
    }
    /* Metal takes lengths of threadgroup memory in units of 16 bytes. */
    out->threadgroup_bytes = ((size_t)values[RT_DYNAMIC] + DYNAMIC_UNIT - 1) / DYNAMIC_UNIT * DYNAMIC_UNIT;
    return INGOT_OK;
}

static ingot_status check_limits(const builder *b, const rt_launch *l)
{
    const char *name = b->kernel->record->name.p;
    const ingot_device *d = b->call->stream->device;
    const rt_limits *limits = d->fns->limits(d->self);
    for (size_t i = 0; i < 3; ++i) {
        if (l->group[i] <= limits->max_threads_axis[i]) continue;
        return error_set(b->error, INGOT_LIMIT, "kernel \"%s\": %u threads a threadgroup along %c; the device takes at most %u",
                         name, l->group[i], "xyz"[i], limits->max_threads_axis[i]);
    }
    /* Each axis is at most 1024 on real devices; the product is taken in 64 bits, where two cannot overflow. */
    uint64_t threads = (uint64_t)l->group[0] * l->group[1];
    uint32_t most = b->kernel->info->max_threads < limits->max_threads ? b->kernel->info->max_threads : limits->max_threads;
    if (threads > most || threads * l->group[2] > most) {
        return error_set(b->error, INGOT_LIMIT, "kernel \"%s\": %u x %u x %u threads a threadgroup; it takes at most %u", name,
                         l->group[0], l->group[1], l->group[2], most);
    }
    size_t fixed = b->kernel->info->threadgroup_bytes, bytes = fixed + l->threadgroup_bytes;
    if (bytes <= limits->max_threadgroup_bytes) return INGOT_OK;
    return error_set(b->error, INGOT_LIMIT, "kernel \"%s\": %zu bytes of threadgroup memory; the device has %zu", name, bytes,
                     limits->max_threadgroup_bytes);
}

ingot_status rt_launch_kernel(void *user, const host_frame *frame, size_t index, ingot_error *error)
{
    const rt_call *call = user;
    builder b = {.call = call,
                 .frame = frame,
                 .launch = &frame->function->launches[index],
                 .kernel = &call->program->kernels[call->plan->kernels[index]],
                 .error = error};
    rt_binding bindings[RT_MAX_BUFFERS];
    alignas(16) unsigned char constants[RT_CONSTANT_BYTES];
    rt_launch launch = {.kernel = b.kernel->handle, .buffers = bindings, .buffer_count = b.kernel->pointers};
    bool empty = false;
    ingot_status status = read_extents(&b, &launch, &empty);
    if (status != INGOT_OK || empty) return status;
    /* a device that checks the launch tells of limits itself, as a finding, and then refuses it */
    if (call->stream->checking == NULL) status = check_limits(&b, &launch);
    if (status == INGOT_OK) status = bind_pointers(&b, bindings);
    if (status != INGOT_OK) return status;
    launch.constant_bytes = (b.kernel->record->arg_count - b.kernel->pointers) * 8;
    launch.constants = constants;
    pack_scalars(&b, constants);
    return rt_stream_launch(call->stream, &launch, b.kernel->record->name.p, b.kernel->info->threadgroup_bytes,
                            error);
}
