/* labels: quick thread */
/* Devices, buffers and streams by the public header. */
#include "ingot_test.h"

#include <pthread.h>

static ingot_device *open_device(const char *kind)
{
    ingot_device *device;
    ingot_error error = {0};
    check(ingot_device_open(kind, 0, 2, NULL, &device, &error), &error);
    return device;
}

static void test_kinds(void **state)
{
    (void)state;
    static const char *const kinds[] = {"metal", "emu", "null"};
    for (size_t i = 0; i < 3; ++i) {
        ingot_device *device = open_device(kinds[i]);
        assert_true(strlen(ingot_device_name(device)) > 0);
        ingot_device_release(device);
    }
    ingot_device *device = NULL;
    ingot_error error = {0};
    assert_int_equal(ingot_device_open("cuda", 0, 0, NULL, &device, &error), INGOT_NOT_FOUND);
    assert_null(device);
    assert_non_null(strstr(error.message, "cuda"));
    assert_int_equal(ingot_device_open("emu", 7, 0, NULL, &device, &error), INGOT_NOT_FOUND);
    assert_int_equal(ingot_device_open(NULL, 0, 0, NULL, &device, &error), INGOT_INVALID_ARGUMENT);
    assert_int_equal(ingot_device_open("emu", 0, 0, NULL, NULL, NULL), INGOT_INVALID_ARGUMENT);
    ingot_device_release(NULL);
    ingot_buffer_release(NULL);
    ingot_stream_release(NULL);
    ingot_program_release(NULL);
    ingot_module_release(NULL);
}

static void test_copies(void **state)
{
    (void)state;
    ingot_device *device = open_device(TEST_DEVICE);
    ingot_stream *stream;
    ingot_buffer *a, *b;
    ingot_error error = {0};
    check(ingot_stream_create(device, &stream, &error), &error);
    check(ingot_buffer_create(device, 16, &a, &error), &error);
    check(ingot_buffer_create(device, 16, &b, &error), &error);
    assert_int_equal(ingot_buffer_size(a), 16);
    const int32_t in[4] = {1, 2, 3, 4};
    int32_t out[4] = {9, 9, 9, 9};
    check(ingot_buffer_read(b, 0, out, 16, stream, &error), &error);
    assert_int_equal(out[0] | out[1] | out[2] | out[3], 0); /* zeroed */
    check(ingot_buffer_write(a, 0, in, 16, stream, &error), &error);
    check(ingot_buffer_copy(b, 4, a, 0, 12, stream, &error), &error);
    check(ingot_buffer_copy(a, 4, a, 0, 12, stream, &error), &error); /* overlapping, as memmove */
    check(ingot_buffer_read(b, 0, out, 16, stream, &error), &error);
    const int32_t copied[4] = {0, 1, 2, 3};
    assert_memory_equal(out, copied, 16);
    check(ingot_buffer_read(a, 0, out, 16, stream, &error), &error);
    const int32_t moved[4] = {1, 1, 2, 3};
    assert_memory_equal(out, moved, 16);
    assert_int_equal(ingot_buffer_read(a, 16, out, 1, stream, &error), INGOT_VALUE);
    assert_int_equal(ingot_buffer_write(a, SIZE_MAX, in, 2, stream, &error), INGOT_VALUE);
    assert_int_equal(ingot_buffer_copy(a, 0, b, 8, 9, stream, &error), INGOT_VALUE);
    assert_int_equal(ingot_buffer_read(a, 16, out, 0, stream, &error), INGOT_OK);
    assert_int_equal(ingot_buffer_read(NULL, 0, out, 1, stream, &error), INGOT_INVALID_ARGUMENT);
    assert_int_equal(ingot_buffer_read(a, 0, NULL, 1, stream, &error), INGOT_INVALID_ARGUMENT);
    assert_int_equal(ingot_buffer_read(a, 0, out, 1, NULL, &error), INGOT_INVALID_ARGUMENT);
    ingot_device *other = open_device("null");
    ingot_stream *theirs;
    check(ingot_stream_create(other, &theirs, &error), &error);
    assert_int_equal(ingot_buffer_read(a, 0, out, 1, theirs, &error), INGOT_INVALID_ARGUMENT);
    ingot_stream_release(theirs);
    ingot_device_release(other);
    ingot_buffer *huge;
    assert_int_not_equal(ingot_buffer_create(device, SIZE_MAX, &huge, &error), INGOT_OK);
    assert_null(huge);
    ingot_device_release(device); /* the others still hold it */
    ingot_buffer_release(a);
    check(ingot_buffer_read(b, 0, out, 16, stream, &error), &error);
    ingot_buffer_release(b);
    check(ingot_stream_sync(stream, &error), &error);
    ingot_stream_release(stream);
}

/* ---- Threads: one device and one program, a stream each ------------------------------------------------- */

typedef struct shared {
    ingot_device *device;
    ingot_program *program;
    float first;
    int bad;
} shared;

static void *work(void *user)
{
    shared *s = user;
    ingot_stream *stream = NULL;
    ingot_buffer *buffers[2] = {NULL, NULL};
    static const int64_t extent = 1024;
    int64_t shape = extent;
    float in[1024], out[1024];
    for (int i = 0; i < 1024; ++i) in[i] = s->first + (float)i;
    if (ingot_stream_create(s->device, &stream, NULL) != INGOT_OK) s->bad = 1;
    for (int round = 0; round < 10 && s->bad == 0; ++round) {
        ingot_value values[2];
        DLTensor tensors[2];
        for (int i = 0; i < 2; ++i) {
            if (ingot_buffer_create(s->device, sizeof in, &buffers[i], NULL) != INGOT_OK) s->bad = 1;
            tensors[i] = (DLTensor){.data = buffers[i], .device = {kDLMetal, 0}, .ndim = 1, .dtype = {kDLFloat, 32, 1}, .shape = &shape};
            values[i] = ingot_tensor(&tensors[i]);
        }
        if (ingot_buffer_write(buffers[0], 0, in, sizeof in, stream, NULL) != INGOT_OK) s->bad = 1;
        if (ingot_program_call(s->program, NULL, values, 2, stream, NULL, NULL) != INGOT_OK) s->bad = 1;
        if (ingot_buffer_read(buffers[1], 0, out, sizeof out, stream, NULL) != INGOT_OK) s->bad = 1;
        for (int i = 0; i < 1024; ++i) s->bad |= out[i] != in[i] + 1.0F;
        for (int i = 0; i < 2; ++i) ingot_buffer_release(buffers[i]);
    }
    ingot_stream_release(stream);
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    ingot_module *module = compile_with(add_one, NULL);
    runner r = run_open(module);
    ingot_module_release(module);
    shared jobs[4];
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i) {
        jobs[i] = (shared){r.device, r.program, (float)(i * 10000), 0};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &jobs[i]), 0);
    }
    for (int i = 0; i < 4; ++i) {
        pthread_join(threads[i], NULL);
        assert_int_equal(jobs[i].bad, 0);
    }
    run_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kinds), cmocka_unit_test(test_copies), cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
