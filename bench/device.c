/* Programs on the software device through the public API. */
#include "device.h"

#include <stdlib.h>
#include <string.h>

static ingot_error error;

void bench_device_open(bench_device *d, const char *root, const char *name, unsigned threads, size_t count,
                       const int64_t shapes[][2])
{
    size_t size;
    char *text = bench_program(root, name, &size);
    memset(d, 0, sizeof *d);
    d->count = count;
    bench_check(ingot_compile(text, size, NULL, &d->module, &error), &error, name);
    free(text);
    bench_check(ingot_device_open("emu", 0, threads, NULL, &d->device, &error), &error, "device");
    bench_check(ingot_stream_create(d->device, &d->stream, &error), &error, "stream");
    bench_check(ingot_program_load(d->module, d->device, &d->program, &error), &error, "load");
    for (size_t i = 0; i < count; i++) {
        memcpy(d->shapes[i], shapes[i], sizeof d->shapes[i]);
        int ndim = shapes[i][1] ? 2 : 1;
        size_t elements = (size_t)(shapes[i][0] * (ndim == 2 ? shapes[i][1] : 1));
        bench_check(ingot_buffer_create(d->device, elements * sizeof(float), &d->buffers[i], &error), &error, "buffer");
        DLTensor *t = &d->tensors[i];
        t->data = d->buffers[i];
        t->device.device_type = kDLMetal;
        t->ndim = ndim;
        t->dtype = (DLDataType){kDLFloat, 32, 1};
        t->shape = d->shapes[i];
        d->args[i] = ingot_tensor(t);
    }
}

void bench_device_write(bench_device *d, size_t buffer, const float *data, size_t count)
{
    bench_check(ingot_buffer_write(d->buffers[buffer], 0, data, count * sizeof *data, d->stream, &error), &error, "write");
}

void bench_device_read(bench_device *d, size_t buffer, float *data, size_t count)
{
    bench_check(ingot_buffer_read(d->buffers[buffer], 0, data, count * sizeof *data, d->stream, &error), &error, "read");
}

void bench_device_call(bench_device *d)
{
    bench_check(ingot_program_call(d->program, "main", d->args, d->count, d->stream, NULL, &error), &error, "call");
}

void bench_device_sync(bench_device *d)
{
    bench_check(ingot_stream_sync(d->stream, &error), &error, "sync");
}

void bench_device_close(bench_device *d)
{
    for (size_t i = 0; i < d->count; i++) ingot_buffer_release(d->buffers[i]);
    ingot_program_release(d->program);
    ingot_stream_release(d->stream);
    ingot_device_release(d->device);
    ingot_module_release(d->module);
}
