/* What the tests of Metal's own terms share: a device with a queue and an encoder at work, and its kernels and buffers. */
#ifndef TESTS_METAL_TEST_H
#define TESTS_METAL_TEST_H

#include "ingot_test.h"

typedef struct metal {
    ingot_metal_device *device;
    ingot_metal_library *library; /* the test's own makes it */
    ingot_metal_queue *queue;
    ingot_metal_command_buffer *work;
    ingot_metal_encoder *encoder;
} metal;

static inline void metal_begin_work(metal *m)
{
    ingot_error error = {0};
    check(ingot_metal_command_buffer_create(m->queue, &m->work, &error), &error);
    check(ingot_metal_encoder_create(m->work, &m->encoder, &error), &error);
}

static inline void metal_end_work(metal *m)
{
    ingot_metal_encoder_release(m->encoder);
    ingot_metal_command_buffer_release(m->work);
}

/* All but the library. */
static inline metal metal_start(void)
{
    metal m = {0};
    ingot_error error = {0};
    check(ingot_metal_device_create(2, NULL, &m.device, &error), &error);
    check(ingot_metal_queue_create(m.device, &m.queue, &error), &error);
    metal_begin_work(&m);
    return m;
}

static inline void metal_close(metal *m)
{
    metal_end_work(m);
    ingot_metal_queue_release(m->queue);
    ingot_metal_library_release(m->library);
    ingot_metal_device_release(m->device);
}

static inline ingot_metal_function *function_of(ingot_metal_library *library, const char *name,
                                                const ingot_metal_constant *constants, size_t count)
{
    ingot_metal_function *f;
    ingot_error error = {0};
    check(ingot_metal_function_create(library, name, constants, count, &f, &error), &error);
    return f;
}

static inline ingot_metal_pipeline *pipeline_of(ingot_metal_library *library, const char *name,
                                                const ingot_metal_constant *constants, size_t count)
{
    ingot_metal_function *f = function_of(library, name, constants, count);
    ingot_metal_pipeline *p;
    ingot_error error = {0};
    check(ingot_metal_pipeline_create(f, &p, &error), &error);
    ingot_metal_function_release(f);
    return p;
}

/* Sets the kernel of what follows; the encoder keeps it. */
static inline void use(const metal *m, const char *name, const ingot_metal_constant *constants, size_t count)
{
    ingot_metal_pipeline *p = pipeline_of(m->library, name, constants, count);
    ingot_error error = {0};
    check(ingot_metal_encoder_set_pipeline(m->encoder, p, &error), &error);
    ingot_metal_pipeline_release(p);
}

static inline ingot_metal_buffer *buffer_of(const metal *m, const void *bytes, size_t length)
{
    ingot_metal_buffer *buffer;
    ingot_error error = {0};
    check(ingot_metal_buffer_create_with_bytes(m->device, bytes, length, &buffer, &error), &error);
    return buffer;
}

/* How the work ended, which must be taken. */
static inline ingot_status finish_work(const metal *m, ingot_error *error)
{
    check(ingot_metal_encoder_end(m->encoder, error), error);
    check(ingot_metal_command_buffer_commit(m->work, error), error);
    return ingot_metal_command_buffer_wait(m->work, error);
}

#endif
