/* The runtime's objects from the inside: devices, buffers and streams, all counted. */
#ifndef RT_OBJECT_H
#define RT_OBJECT_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/alloc.h"
#include "rt/device.h"

/* The buffers of a device that live now, by their own address and by their handle, so that a pointer in a DLTensor can be
 * told from one without looking behind it. */
typedef struct rt_live_slot {
    const void *address; /* NULL: free */
    ingot_buffer *buffer;
} rt_live_slot;

typedef struct rt_live {
    rt_live_slot *slots; /* open addressing */
    size_t slot_count, count;
} rt_live;

struct ingot_device {
    atomic_size_t references;
    const ingot_allocator *mem;
    const rt_device_fns *fns;
    void *self;
    int id;
    pthread_mutex_t lock; /* of `live` */
    rt_live live;
};

struct ingot_buffer {
    atomic_size_t references;
    ingot_device *device; /* held */
    void *memory;
    void *handle; /* what the device's own world knows it by; NULL: nothing */
    size_t size;
};

struct ingot_stream {
    ingot_device *device; /* held */
    void *queue;
    ingot_error fault; /* of a launch, not reported yet; status INGOT_OK: none */
    ingot_launch_fn on_launch;
    void *user;
    const void *checking; /* what each launch carries for the device; NULL: nothing */
    ingot_time_fn on_time;
    void *time_user;
};

/* ---- Devices (device.c) ------------------------------------------------------------------------ */

/* Opens a device over a table of functions. */
ingot_status rt_device_open(const rt_device_fns *fns, int id, unsigned threads, const ingot_allocator *mem,
                            ingot_device **out, ingot_error *error);
void rt_device_retain(ingot_device *d);
void rt_device_release(ingot_device *d);

/* The live buffer at this address or of this handle; NULL where there is none. Never looks behind the pointer. */
ingot_buffer *rt_device_find(ingot_device *d, const void *address);

/* ---- Buffers (buffer.c) ------------------------------------------------------------------------ */

ingot_status rt_buffer_create(ingot_device *d, size_t size, ingot_buffer **out, ingot_error *error);
/* The buffer over a handle from elsewhere: a new one, or where the device has one of it already, that one, held once
 * more. */
ingot_status rt_buffer_adopt(ingot_device *d, void *handle, ingot_buffer **out, ingot_error *error);
void rt_buffer_retain(ingot_buffer *b);
void rt_buffer_release(ingot_buffer *b);

ingot_status rt_buffer_write(ingot_buffer *b, size_t offset, const void *from, size_t size, ingot_stream *s,
                             ingot_error *error);
ingot_status rt_buffer_read(const ingot_buffer *b, size_t offset, void *to, size_t size, ingot_stream *s,
                            ingot_error *error);
ingot_status rt_buffer_copy(ingot_buffer *to, size_t to_offset, const ingot_buffer *from, size_t from_offset,
                            size_t size, ingot_stream *s, ingot_error *error);

/* ---- Streams (stream.c) ------------------------------------------------------------------------ */

ingot_status rt_stream_create(ingot_device *d, ingot_stream **out, ingot_error *error);
void rt_stream_release(ingot_stream *s);

/* Reports a fault that sticks to the stream, and takes it off. */
ingot_status rt_stream_check(ingot_stream *s, ingot_error *error);

/* Puts a launch into the stream. A fault of the kernel sticks to the stream, and launches after it are left
 * out until it is reported; other failures are returned. `declared_bytes`: the kernel's own threadgroup memory, for who
 * watches launches. */
ingot_status rt_stream_launch(ingot_stream *s, const rt_launch *launch, const char *kernel, size_t declared_bytes,
                              ingot_error *error);

ingot_status rt_stream_sync(ingot_stream *s, ingot_error *error);

/* Who is told of the time that launches took; NULL: nobody. */
void rt_stream_time(ingot_stream *s, ingot_time_fn on_time, void *user);

#endif
