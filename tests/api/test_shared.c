/* labels: quick thread */
/* The process's shared device, buffers handed out by DLPack, and kernels called as TVM's host code calls them. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ingot/tvm_ffi.h"

/* A value of tvm-ffi. */
typedef struct any {
    int32_t tag;
    uint32_t size;
    union {
        int64_t i;
        double f;
        void *p;
    } as;
} any;

enum { INT = 1, FLOAT = 3, POINTER = 4 };

#define SCRIPT                                                                                     \
    "@T.prim_func\n"                                                                               \
    "def main(a: T.handle, b: T.handle, s: T.float32):\n"                                          \
    "    n = T.int32()\n"                                                                          \
    "    A = T.match_buffer(a, (n,), \"float32\")\n"                                               \
    "    B = T.match_buffer(b, (n,), \"float32\")\n"                                               \
    "    for bx in T.thread_binding(n, thread=\"blockIdx.x\"):\n"                                  \
    "        B[bx] = A[bx] * s\n"

static void *see_device(void *user)
{
    ingot_error error;
    assert_int_equal(ingot_device_shared(user, &error), INGOT_OK);
    return NULL;
}

static void test_one_device(void **state)
{
    (void)state;
    pthread_t threads[4];
    ingot_device *devices[4] = {NULL};
    for (int i = 0; i < 4; ++i) assert_int_equal(pthread_create(&threads[i], NULL, see_device, &devices[i]), 0);
    for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
    for (int i = 0; i < 4; ++i) assert_ptr_equal(devices[i], devices[0]);
    ingot_error error;
    assert_int_equal(ingot_device_shared(NULL, &error), INGOT_INVALID_ARGUMENT);
}

/* ---- Buffers by DLPack --------------------------------------------------------------------------- */

static void test_buffers_handed_out(void **state)
{
    (void)state;
    ingot_error error;
    ingot_device *device;
    ingot_buffer *buffer;
    ingot_stream *stream;
    assert_int_equal(ingot_device_open("emu", 0, 1, NULL, &device, &error), INGOT_OK);
    assert_int_equal(ingot_buffer_create(device, 48, &buffer, &error), INGOT_OK);
    assert_int_equal(ingot_stream_create(device, &stream, &error), INGOT_OK);
    int64_t shape[2] = {2, 4};
    DLTensor view = {.device = {kDLCPU, 0}, .ndim = 2, .dtype = {kDLFloat, 32, 1}, .shape = shape, .byte_offset = 16};
    void *out, *plain;
    assert_int_equal(ingot_buffer_export(buffer, &view, 1, &out, &error), INGOT_OK);
    DLManagedTensorVersioned *t = out;
    assert_int_equal(t->version.major, 1);
    assert_ptr_equal(t->dl_tensor.data, ingot_buffer_contents(buffer));
    assert_true(t->dl_tensor.shape[0] == 2 && t->dl_tensor.shape[1] == 4);
    assert_true(t->dl_tensor.strides[0] == 4 && t->dl_tensor.strides[1] == 1);
    assert_int_equal(t->dl_tensor.byte_offset, 16);
    view.device.device_type = kDLMetal;
    assert_int_equal(ingot_buffer_export(buffer, &view, 0, &plain, &error), INGOT_OK);
    assert_ptr_equal(((DLManagedTensor *)plain)->dl_tensor.data, ingot_buffer_handle(buffer));
    const float five = 5.0F;
    assert_int_equal(ingot_buffer_write(buffer, 44, &five, sizeof five, stream, &error), INGOT_OK);
    ingot_stream_release(stream);
    ingot_device_release(device);
    ingot_buffer_release(buffer); /* the tensors hold it */
    assert_true(((const float *)t->dl_tensor.data)[11] == 5.0F);
    t->deleter(t);
    ((DLManagedTensor *)plain)->deleter(plain);
}

static void test_wrong_views(void **state)
{
    (void)state;
    ingot_error error;
    ingot_device *device;
    ingot_buffer *buffer;
    assert_int_equal(ingot_device_open("emu", 0, 1, NULL, &device, &error), INGOT_OK);
    assert_int_equal(ingot_buffer_create(device, 48, &buffer, &error), INGOT_OK);
    int64_t shape[2] = {3, 4};
    const DLTensor good = {.device = {kDLCPU, 0}, .ndim = 2, .dtype = {kDLFloat, 32, 1}, .shape = shape};
    void *out;
    DLTensor bad = good;
    bad.byte_offset = 4;
    assert_int_equal(ingot_buffer_export(buffer, &bad, 1, &out, &error), INGOT_VALUE);
    assert_null(out);
    bad.byte_offset = UINT64_MAX;
    assert_int_equal(ingot_buffer_export(buffer, &bad, 1, &out, &error), INGOT_VALUE);
    bad = good;
    bad.device.device_type = kDLCUDA;
    assert_int_equal(ingot_buffer_export(buffer, &bad, 1, &out, &error), INGOT_VALUE);
    bad = good;
    bad.ndim = -1;
    assert_int_equal(ingot_buffer_export(buffer, &bad, 1, &out, &error), INGOT_VALUE);
    bad = good;
    bad.shape = NULL;
    assert_int_equal(ingot_buffer_export(buffer, &bad, 1, &out, &error), INGOT_VALUE);
    int64_t huge[2] = {INT64_MAX, INT64_MAX}, negative[2] = {-1, 4};
    bad.shape = huge;
    assert_int_equal(ingot_buffer_export(buffer, &bad, 1, &out, &error), INGOT_VALUE);
    bad.shape = negative;
    assert_int_equal(ingot_buffer_export(buffer, &bad, 1, &out, &error), INGOT_VALUE);
    assert_int_equal(ingot_buffer_export(NULL, &good, 1, &out, &error), INGOT_INVALID_ARGUMENT);
    ingot_buffer_release(buffer);
    ingot_device_release(device);
    assert_int_equal(ingot_device_open("null", 0, 1, NULL, &device, &error), INGOT_OK);
    assert_int_equal(ingot_buffer_create(device, 48, &buffer, &error), INGOT_OK);
    assert_null(ingot_buffer_contents(buffer));
    assert_int_equal(ingot_buffer_export(buffer, &good, 1, &out, &error), INGOT_UNSUPPORTED);
    ingot_buffer_release(buffer);
    ingot_device_release(device);
}

/* ---- Kernels ------------------------------------------------------------------------------------- */

static ingot_text *device_bytes(void)
{
    ingot_error error;
    ingot_module *module;
    ingot_text *bytes;
    assert_int_equal(ingot_compile(SCRIPT, strlen(SCRIPT), NULL, &module, &error), INGOT_OK);
    assert_int_equal(ingot_module_device_save(module, &bytes, &error), INGOT_OK);
    ingot_module_release(module);
    return bytes;
}

static void test_kernels(void **state)
{
    (void)state;
    ingot_error error;
    ingot_text *bytes = device_bytes();
    ingot_exported *kernels;
    ingot_device *device;
    ingot_buffer *a, *b;
    assert_int_equal(ingot_exported_open_kernels(ingot_text_data(bytes), ingot_text_size(bytes), &kernels, &error), INGOT_OK);
    assert_int_equal(ingot_device_shared(&device, &error), INGOT_OK);
    assert_int_equal(ingot_buffer_create(device, 40, &a, &error), INGOT_OK);
    assert_int_equal(ingot_buffer_create(device, 40, &b, &error), INGOT_OK);
    float *x = ingot_buffer_contents(a), *y = ingot_buffer_contents(b);
    for (int i = 0; i < 10; ++i) x[i] = (float)i;
    any args[4] = {{POINTER, 0, {.p = a}}, {POINTER, 0, {.p = b}}, {FLOAT, 0, {.f = 1.5}}, {INT, 0, {.i = 10}}}; /* s, threadgroups */
    any result;
    assert_int_equal(ingot_exported_call(kernels, "main_kernel", args, 4, &result), 0);
    for (int i = 0; i < 10; ++i) assert_true(y[i] == 1.5F * (float)i);
    assert_int_equal(result.tag, 0);
    assert_int_equal(ingot_exported_call(kernels, "main_kernel", args, 3, &result), -1);
    assert_int_equal(ingot_exported_call(kernels, "another", args, 4, &result), -1);
    args[0].as.p = &result; /* no buffer */
    assert_int_equal(ingot_exported_call(kernels, "main_kernel", args, 4, &result), -1);
    args[0] = (any){INT, 0, {.i = 1}};
    assert_int_equal(ingot_exported_call(kernels, "main_kernel", args, 4, &result), -1);
    ingot_buffer_release(a);
    ingot_buffer_release(b);
    ingot_exported_release(kernels);
    ingot_text_release(bytes);
}

static void test_damaged_kernels(void **state)
{
    (void)state;
    ingot_error error;
    ingot_text *bytes = device_bytes();
    size_t size = ingot_text_size(bytes);
    char *copy = malloc(size);
    assert_non_null(copy);
    for (size_t i = 0; i < size; i += 3) {
        memcpy(copy, ingot_text_data(bytes), size);
        copy[i] ^= 0x55;
        ingot_exported *kernels = NULL;
        if (ingot_exported_open_kernels(copy, size, &kernels, &error) != INGOT_OK) assert_null(kernels);
        ingot_exported_release(kernels);
        assert_int_not_equal(ingot_exported_open_kernels(copy, i, &kernels, &error), INGOT_OK);
        assert_null(kernels);
    }
    free(copy);
    ingot_text_release(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_device),       cmocka_unit_test(test_buffers_handed_out), cmocka_unit_test(test_wrong_views),
        cmocka_unit_test(test_kernels),          cmocka_unit_test(test_damaged_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
