/* A bench program loaded on the software device, with its buffers. */
#ifndef BENCH_DEVICE_H
#define BENCH_DEVICE_H

#include "bench.h"

enum { BENCH_BUFFERS = 3 };

typedef struct bench_device {
    ingot_device *device;
    ingot_stream *stream;
    ingot_module *module;
    ingot_program *program;
    ingot_buffer *buffers[BENCH_BUFFERS];
    DLTensor tensors[BENCH_BUFFERS];
    ingot_value args[BENCH_BUFFERS];
    int64_t shapes[BENCH_BUFFERS][2];
    size_t count;
} bench_device;

/* Compiles and loads bench/programs/NAME; `shapes` are those of its buffers (second dimension 0: there is one). */
void bench_device_open(bench_device *d, const char *root, const char *name, unsigned threads, size_t count,
                       const int64_t shapes[][2]);
void bench_device_write(bench_device *d, size_t buffer, const float *data, size_t count);
void bench_device_read(bench_device *d, size_t buffer, float *data, size_t count);
/* Launches without waiting, and waits. */
void bench_device_call(bench_device *d);
void bench_device_sync(bench_device *d);
void bench_device_close(bench_device *d);

#endif
