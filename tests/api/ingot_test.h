/* What the tests of the public API share: compiling a script, and calling a function on host arrays. */
#ifndef TESTS_INGOT_TEST_H
#define TESTS_INGOT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "ingot/ingot.h"

/* The device that the tests run on, its number, and whether it runs apart from its caller, so that a fault is known by the
 * next synchronisation only. */
#ifdef INGOT_TEST_NATIVE
#define TEST_DEVICE "native"
#define TEST_APART 1
#else
#define TEST_DEVICE "emu"
#define TEST_APART 0
#endif

/* The start of every script. */
#define SCRIPT_HEAD                                                                                \
    "from tvm.script import ir as I\n"                                                             \
    "from tvm.script import tirx as T\n"                                                           \
    "@I.ir_module(s_tir=True)\n"                                                                   \
    "class Module:\n"                                                                              \
    "    @T.prim_func(s_tir=True)\n"

/* B = A + 1 over n = 1024 elements in 32 groups of 32 threads, as a TVM user writes it. */
static const char add_one[] = SCRIPT_HEAD
    "    def main(A: T.Buffer((1024,), \"float32\"), B: T.Buffer((1024,), \"float32\")):\n"
    "        T.func_attr({\"tirx.noalias\": True})\n"
    "        for i_0 in T.thread_binding(32, thread=\"blockIdx.x\"):\n"
    "            for i_1 in T.thread_binding(32, thread=\"threadIdx.x\"):\n"
    "                with T.sblock(\"B\"):\n"
    "                    v_i = T.axis.spatial(1024, i_0 * 32 + i_1)\n"
    "                    T.reads(A[v_i])\n"
    "                    T.writes(B[v_i])\n"
    "                    B[v_i] = A[v_i] + T.float32(1.0)\n";

/* Two independent thread-bound regions: B = A + 1, C = A + 2. */
static const char two_kernels[] = SCRIPT_HEAD
    "    def main(A: T.Buffer((64,), \"float32\"), B: T.Buffer((64,), \"float32\"), C: T.Buffer((64,), \"float32\")):\n"
    "        for i in T.thread_binding(64, thread=\"threadIdx.x\"):\n"
    "            with T.sblock(\"B\"):\n"
    "                v = T.axis.spatial(64, i)\n"
    "                B[v] = A[v] + T.float32(1.0)\n"
    "        for i in T.thread_binding(64, thread=\"threadIdx.x\"):\n"
    "            with T.sblock(\"C\"):\n"
    "                v = T.axis.spatial(64, i)\n"
    "                C[v] = A[v] + T.float32(2.0)\n";

/* Compiles; fails the test with the message where that is not INGOT_OK. */
static inline ingot_module *compile_with(const char *script, const ingot_compile_options *options)
{
    ingot_module *module;
    ingot_error error = {0};
    if (ingot_compile(script, strlen(script), options, &module, &error) != INGOT_OK) {
        fail_msg("%u:%u: %s", error.line, error.column, error.message);
    }
    return module;
}

/* A device with one stream and one loaded module. */
typedef struct runner {
    ingot_device *device;
    ingot_stream *stream;
    ingot_program *program;
    ingot_buffer *buffers[16];
    DLTensor tensors[16];
    int64_t shapes[16];
    size_t count;
} runner;

static inline void check(ingot_status status, const ingot_error *error)
{
    if (status != INGOT_OK) fail_msg("status %d: %s", (int)status, error->message);
}

static inline runner run_open(ingot_module *module)
{
    runner r = {0};
    ingot_error error = {0};
    check(ingot_device_open(TEST_DEVICE, 0, 2, NULL, &r.device, &error), &error);
    check(ingot_stream_create(r.device, &r.stream, &error), &error);
    check(ingot_program_load(module, r.device, &r.program, &error), &error);
    return r;
}

/* A one-dimensional tensor on the device, filled from `from` (NULL: zeros). */
static inline ingot_value run_tensor(runner *r, DLDataType type, int64_t n, const void *from)
{
    ingot_error error = {0};
    size_t i = r->count++, bytes = (size_t)n * (size_t)(type.bits / 8) * type.lanes;
    assert_true(i < 16);
    check(ingot_buffer_create(r->device, bytes, &r->buffers[i], &error), &error);
    if (from != NULL) check(ingot_buffer_write(r->buffers[i], 0, from, bytes, r->stream, &error), &error);
    r->shapes[i] = n;
    r->tensors[i] = (DLTensor){.data = r->buffers[i],
                               .device = {kDLMetal, 0},
                               .ndim = 1,
                               .dtype = type,
                               .shape = &r->shapes[i],
                               .strides = NULL,
                               .byte_offset = 0};
    return ingot_tensor(&r->tensors[i]);
}

static inline void run_read(runner *r, size_t index, void *to)
{
    ingot_error error = {0};
    check(ingot_buffer_read(r->buffers[index], 0, to, ingot_buffer_size(r->buffers[index]), r->stream, &error), &error);
}

static inline void run_close(runner *r)
{
    for (size_t i = 0; i < r->count; ++i) ingot_buffer_release(r->buffers[i]);
    ingot_program_release(r->program);
    ingot_stream_release(r->stream);
    ingot_device_release(r->device);
}

static const DLDataType type_f32 = {kDLFloat, 32, 1};

#endif
