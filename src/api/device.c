/* Devices, buffers and streams through the public API. */
#include "base/error.h"
#include "base/str.h"
#include "emu/device.h"
#include "metal/device.h"
#include "rt/null.h"
#include "rt/object.h"

typedef struct device_kind {
    const char *kind;
    const rt_device_fns *fns, *instead; /* `instead` where this machine has none of the first; NULL: nothing */
} device_kind;

/* What a device may be called. */
static const device_kind kinds[] = {
    {"metal", &metal_device_fns, &emu_device},
    {"native", &metal_device_fns, NULL},
    {"emu", &emu_device, NULL},
    {"null", &rt_null_device, NULL},
};

static ingot_status no_argument(ingot_error *error, const char *name)
{
    return error_set(error, INGOT_INVALID_ARGUMENT, "%s is NULL", name);
}

/* ---- Devices ----------------------------------------------------------------------------------- */

ingot_status ingot_device_open(const char *kind, int id, unsigned threads, const ingot_allocator *allocator,
                               ingot_device **out, ingot_error *error)
{
    if (out == NULL) return no_argument(error, "out");
    *out = NULL;
    if (kind == NULL) return no_argument(error, "kind");
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
        const device_kind *k = &kinds[i];
        if (strcmp(k->kind, kind) != 0) continue;
        ingot_status status = rt_device_open(k->fns, id, threads, allocator, out, error);
        if (status != INGOT_UNSUPPORTED || k->instead == NULL) return status;
        return rt_device_open(k->instead, id, threads, allocator, out, error);
    }
    return error_set(error, INGOT_NOT_FOUND,
                     "no device is of kind \"%.60s\"; kinds are \"metal\", \"native\", \"emu\" and \"null\"", kind);
}

void ingot_device_release(ingot_device *device)
{
    rt_device_release(device);
}

const char *ingot_device_name(const ingot_device *device)
{
    return device != NULL ? device->fns->limits(device->self)->name : "";
}

ingot_status ingot_device_describe(const ingot_device *device, ingot_device_info *info)
{
    if (device == NULL || info == NULL) return INGOT_INVALID_ARGUMENT;
    const rt_limits *l = device->fns->limits(device->self);
    *info = (ingot_device_info){.kind = device->fns->kind,
                                .name = l->name,
                                .families = l->families != NULL ? l->families : "",
                                .id = device->id,
                                .unified_memory = l->unified_memory,
                                .max_buffer_bytes = l->max_buffer_bytes,
                                .max_threadgroup_bytes = l->max_threadgroup_bytes,
                                .max_threads = l->max_threads,
                                .max_threads_axis = {l->max_threads_axis[0], l->max_threads_axis[1], l->max_threads_axis[2]}};
    return INGOT_OK;
}

static ingot_status cannot(const ingot_device *device, const char *what, ingot_error *error)
{
    return error_set(error, INGOT_UNSUPPORTED, "the device \"%s\" %s", ingot_device_name(device), what);
}

/* Hands on what a function of the device's table reported, which fills in an error that is there. */
static ingot_status hand_on(ingot_status status, const ingot_error *inner, ingot_error *error)
{
    return status == INGOT_OK ? INGOT_OK : error_pass(error, status, inner);
}

ingot_status ingot_device_archive_open(ingot_device *device, const char *path, ingot_error *error)
{
    if (device == NULL) return no_argument(error, "device");
    if (path == NULL) return no_argument(error, "path");
    if (device->fns->archive_open == NULL) return cannot(device, "keeps no compiled kernels", error);
    ingot_error inner = {.status = INGOT_OK};
    return hand_on(device->fns->archive_open(device->self, path, &inner), &inner, error);
}

ingot_status ingot_device_archive_save(ingot_device *device, ingot_error *error)
{
    if (device == NULL) return no_argument(error, "device");
    if (device->fns->archive_save == NULL) return cannot(device, "keeps no compiled kernels", error);
    ingot_error inner = {.status = INGOT_OK};
    return hand_on(device->fns->archive_save(device->self, &inner), &inner, error);
}

ingot_status ingot_device_capture_start(ingot_device *device, const char *path, ingot_error *error)
{
    if (device == NULL) return no_argument(error, "device");
    if (path == NULL) return no_argument(error, "path");
    if (device->fns->capture_start == NULL) return cannot(device, "has no captures", error);
    ingot_error inner = {.status = INGOT_OK};
    return hand_on(device->fns->capture_start(device->self, path, &inner), &inner, error);
}

ingot_status ingot_device_capture_stop(ingot_device *device, ingot_error *error)
{
    if (device == NULL) return no_argument(error, "device");
    if (device->fns->capture_stop == NULL) return cannot(device, "has no captures", error);
    ingot_error inner = {.status = INGOT_OK};
    return hand_on(device->fns->capture_stop(device->self, &inner), &inner, error);
}

/* ---- Buffers ----------------------------------------------------------------------------------- */

ingot_status ingot_buffer_create(ingot_device *device, size_t size, ingot_buffer **out, ingot_error *error)
{
    if (out == NULL) return no_argument(error, "out");
    *out = NULL;
    return device != NULL ? rt_buffer_create(device, size, out, error) : no_argument(error, "device");
}

void ingot_buffer_release(ingot_buffer *buffer)
{
    rt_buffer_release(buffer);
}

size_t ingot_buffer_size(const ingot_buffer *buffer)
{
    return buffer != NULL ? buffer->size : 0;
}

void *ingot_buffer_handle(const ingot_buffer *buffer)
{
    if (buffer == NULL || buffer->handle != NULL) return buffer != NULL ? buffer->handle : NULL;
    return rt_device_find(buffer->device, buffer); /* itself, as its owner holds it */
}

ingot_status ingot_buffer_adopt(ingot_device *device, void *handle, ingot_buffer **out, ingot_error *error)
{
    if (out == NULL) return no_argument(error, "out");
    *out = NULL;
    if (device == NULL) return no_argument(error, "device");
    return handle != NULL ? rt_buffer_adopt(device, handle, out, error) : no_argument(error, "handle");
}

ingot_status ingot_buffer_write(ingot_buffer *buffer, size_t offset, const void *from, size_t size, ingot_stream *stream,
                                ingot_error *error)
{
    if (buffer == NULL) return no_argument(error, "buffer");
    if (stream == NULL) return no_argument(error, "stream");
    if (from == NULL && size != 0) return no_argument(error, "from");
    return rt_buffer_write(buffer, offset, from, size, stream, error);
}

ingot_status ingot_buffer_read(const ingot_buffer *buffer, size_t offset, void *to, size_t size, ingot_stream *stream,
                               ingot_error *error)
{
    if (buffer == NULL) return no_argument(error, "buffer");
    if (stream == NULL) return no_argument(error, "stream");
    if (to == NULL && size != 0) return no_argument(error, "to");
    return rt_buffer_read(buffer, offset, to, size, stream, error);
}

ingot_status ingot_buffer_copy(ingot_buffer *to, size_t to_offset, const ingot_buffer *from, size_t from_offset,
                               size_t size, ingot_stream *stream, ingot_error *error)
{
    if (to == NULL || from == NULL) return no_argument(error, "buffer");
    if (stream == NULL) return no_argument(error, "stream");
    return rt_buffer_copy(to, to_offset, from, from_offset, size, stream, error);
}

/* ---- Streams ----------------------------------------------------------------------------------- */

ingot_status ingot_stream_create(ingot_device *device, ingot_stream **out, ingot_error *error)
{
    if (out == NULL) return no_argument(error, "out");
    *out = NULL;
    return device != NULL ? rt_stream_create(device, out, error) : no_argument(error, "device");
}

void ingot_stream_release(ingot_stream *stream)
{
    rt_stream_release(stream);
}

ingot_status ingot_stream_sync(ingot_stream *stream, ingot_error *error)
{
    return stream != NULL ? rt_stream_sync(stream, error) : no_argument(error, "stream");
}

void ingot_stream_on_launch(ingot_stream *stream, ingot_launch_fn visit, void *user)
{
    if (stream == NULL) return;
    stream->on_launch = visit;
    stream->user = user;
}

void ingot_stream_on_time(ingot_stream *stream, ingot_time_fn visit, void *user)
{
    if (stream != NULL) rt_stream_time(stream, visit, user);
}
