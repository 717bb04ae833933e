/* Devices, buffers and streams through the public API. */
#include "base/error.h"
#include "base/str.h"
#include "emu/device.h"
#include "rt/null.h"
#include "rt/object.h"

typedef struct device_kind {
    const char *kind;
    const rt_device_fns *fns;
} device_kind;

/* What a device may be called, the best "metal" there is first. */
static const device_kind kinds[] = {
    {"metal", &emu_device},
    {"emu", &emu_device},
    {"null", &rt_null_device},
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
        if (strcmp(kinds[i].kind, kind) == 0) {
            return rt_device_open(kinds[i].fns, id, threads, allocator, out, error);
        }
    }
    return error_set(error, INGOT_NOT_FOUND, "no device is of kind \"%.60s\"; kinds are \"metal\", \"emu\" and \"null\"", kind);
}

void ingot_device_release(ingot_device *device)
{
    rt_device_release(device);
}

const char *ingot_device_name(const ingot_device *device)
{
    return device != NULL ? device->fns->limits(device->self)->name : "";
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
