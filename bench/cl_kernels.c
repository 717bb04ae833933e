/* The workloads of emu_kernels.c in OpenCL C, for PoCL and Oclgrind: milliseconds a launch, the least of RUNS by the processor time of
 * all threads. The first launch, which compiles, does not count.
 * usage: cl_kernels [RUNS [PART [WORKLOAD]]]   of 1/PART of the grid, see part.h; WORKLOAD: the first letters of those to be run */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "part.h"

enum { N = 16 << 20, SMALL = 4 << 20 };

typedef struct workload {
    const char *name, *kernel;
    size_t groups[2], threads[2];
} workload;

#define TREE                                                                                                           \
    "barrier(CLK_LOCAL_MEM_FENCE);\n"                                                                                  \
    "  for (uint st = 128; st > 0; st >>= 1) { if (t < st) s[t] = JOIN(s[t], s[t + st]); barrier(CLK_LOCAL_MEM_FENCE); }\n"
static const char text[] =
    "#define ARGS __global const float *a, __global const float *b, __global float *out\n"
    "__kernel void add(ARGS) { int i = get_global_id(0); out[i] = a[i] + 1.0f; }\n"
    "__kernel void matmul(ARGS) { __local float As[256], Bs[256]; int x = get_local_id(0), y = get_local_id(1);\n"
    "  int gx = get_group_id(0), gy = get_group_id(1); float acc = 0;\n"
    "  for (int ko = 0; ko < 32; ++ko) { As[y * 16 + x] = a[gy * 8192 + y * 512 + ko * 16 + x];\n"
    "    Bs[y * 16 + x] = b[ko * 8192 + y * 512 + gx * 16 + x]; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (int ki = 0; ki < 16; ++ki) acc += As[y * 16 + ki] * Bs[ki * 16 + x]; barrier(CLK_LOCAL_MEM_FENCE); }\n"
    "  out[gy * 8192 + y * 512 + gx * 16 + x] = acc; }\n"
    "__kernel void unrolled(ARGS) { __local float As[256], Bs[256]; int x = get_local_id(0), y = get_local_id(1);\n"
    "  int gx = get_group_id(0), gy = get_group_id(1); float acc = 0;\n"
    "  for (int ko = 0; ko < 32; ++ko) { As[y * 16 + x] = a[gy * 8192 + y * 512 + ko * 16 + x];\n"
    "    Bs[y * 16 + x] = b[ko * 8192 + y * 512 + gx * 16 + x]; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "#define S(k) acc += As[y * 16 + k] * Bs[k * 16 + x];\n"
    "    S(0) S(1) S(2) S(3) S(4) S(5) S(6) S(7) S(8) S(9) S(10) S(11) S(12) S(13) S(14) S(15) barrier(CLK_LOCAL_MEM_FENCE); }\n"
    "  out[gy * 8192 + y * 512 + gx * 16 + x] = acc; }\n"
    "#define JOIN(x, y) ((x) + (y))\n"
    "__kernel void reduce(ARGS) { __local float s[256]; uint t = get_local_id(0), g = get_group_id(0); s[t] = a[g * 256 + t];\n" TREE
    "  if (t == 0) out[g] = s[0]; }\n"
    "#undef JOIN\n"
    "#define JOIN(x, y) (first ? fmax(x, y) : (x) + (y))\n"
    "__kernel void softmax(ARGS) { __local float s[256]; uint t = get_local_id(0), g = get_group_id(0); bool first = true;\n"
    "  float m = -INFINITY, sum = 0, e[4]; for (int i = 0; i < 4; ++i) { e[i] = a[g * 1024 + i * 256 + t]; m = fmax(m, e[i]); }\n"
    "  s[t] = m;\n" TREE "  m = s[0]; barrier(CLK_LOCAL_MEM_FENCE); first = false;\n"
    "  for (int i = 0; i < 4; ++i) { e[i] = exp(e[i] - m); sum += e[i]; } s[t] = sum;\n" TREE
    "  sum = s[0]; for (int i = 0; i < 4; ++i) out[g * 1024 + i * 256 + t] = e[i] / sum; }\n"
    "__kernel void exptanh(ARGS) { int i = get_global_id(0); out[i] = exp(a[i]) + tanh(a[i]); }\n"
    "__kernel void halves(__global const half *a, __global const half *b, __global half *out)\n"
    "{ int i = get_global_id(0); vstore_half(vload_half(i, a) + vload_half(i, b), i, out); }\n";

static const workload workloads[] = {
    {"W1 add-one 16Mi", "add", {N / 256, 1}, {256, 1}},
    {"W2 matmul 512^3", "matmul", {32, 32}, {16, 16}},
    {"W2 inner loop unrolled", "unrolled", {32, 32}, {16, 16}},
    {"W3 reduce 16Mi", "reduce", {N / 256, 1}, {256, 1}},
    {"W4 softmax 4096x1024", "softmax", {4096, 1}, {256, 1}},
    {"W5 exp + tanh 4Mi", "exptanh", {SMALL / 256, 1}, {256, 1}},
    {"W6 half add 16Mi", "halves", {N / 256, 1}, {256, 1}},
};

static void must(cl_int status, const char *what)
{
    if (status == CL_SUCCESS) return;
    fprintf(stderr, "%s: OpenCL error %d\n", what, (int)status);
    exit(1);
}

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* One launch of a part; its milliseconds. */
static double launch(cl_command_queue queue, cl_kernel kernel, const workload *w, size_t part)
{
    size_t global[2];
    part_of(w->groups, part, global);
    for (int d = 0; d < 2; ++d) global[d] *= w->threads[d];
    const double from = now();
    must(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, w->threads, 0, NULL, NULL), w->name);
    must(clFinish(queue), w->name);
    return now() - from;
}

static double measure(cl_command_queue queue, cl_kernel kernel, const workload *w, int runs, size_t part)
{
    double least = 1e30;
    for (int r = 0; r <= runs; ++r) {
        const double t = launch(queue, kernel, w, part);
        if (r > 0 && t < least) least = t;
    }
    return least;
}

int main(int argc, char **argv)
{
    const int runs = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 7;
    const size_t part = argc > 2 ? (size_t)strtoul(argv[2], NULL, 10) : 1, elements = part_elements(N, part);
    const char *only = argc > 3 ? argv[3] : "";
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    must(clGetPlatformIDs(1, &platform, NULL), "platforms");
    must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "devices");
    char name[256] = "";
    (void)clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    printf("# %s\n", name);
    const cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    must(status, "context");
    const cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    must(status, "queue");
    float *data = calloc(elements, sizeof *data);
    if (data == NULL) return 1;
    for (size_t i = 0; i < elements; ++i) data[i] = (float)(i * 2654435761u % 1000) / 500.0f - 1;
    cl_mem buffers[3];
    for (int k = 0; k < 3; ++k) {
        buffers[k] = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, elements * sizeof *data, data, &status);
        must(status, "buffer");
    }
    const char *source = text;
    const cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    must(status, "program");
    must(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
    for (size_t i = 0; i < sizeof workloads / sizeof *workloads; ++i) {
        if (strncmp(workloads[i].name, only, strlen(only)) != 0) continue;
        const cl_kernel kernel = clCreateKernel(program, workloads[i].kernel, &status);
        must(status, workloads[i].name);
        for (cl_uint k = 0; k < 3; ++k) must(clSetKernelArg(kernel, k, sizeof buffers[k], &buffers[k]), "argument");
        printf("%-24s %12.3f\n", workloads[i].name, measure(queue, kernel, &workloads[i], runs, part));
        (void)fflush(stdout);
        (void)clReleaseKernel(kernel);
    }
    free(data);
    return 0;
}
