/* From Metal text to kernels that can be launched: texts of ten thousand lines, sound and with an error a line, and templates by the thousand. */
#include <stdarg.h>
#include <stdlib.h>

#include "bench.h"

enum { LINES = 10000, ROOM_A_LINE = 200, INSTANCES = 2000 };

typedef struct text {
    char *at;
    size_t size, room;
    ingot_metal_device *device;
    ingot_status expected;
} text;

__attribute__((format(printf, 2, 3))) static void put(text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->at + t->size, t->room - t->size, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= t->room - t->size) exit(1);
    t->size += (size_t)n;
}

static text begin(ingot_metal_device *device, size_t lines)
{
    text t = {.room = lines * ROOM_A_LINE, .device = device, .expected = INGOT_OK};
    t.at = malloc(t.room);
    if (!t.at) exit(1);
    put(&t, "#include <metal_stdlib>\nusing namespace metal;\n");
    return t;
}

/* Functions and the kernels that call them, 25 lines a pair; with `broken` a name that nobody declared on every line of the kernels. */
static text pairs(ingot_metal_device *device, size_t lines, int broken)
{
    text t = begin(device, lines + 30);
    for (size_t k = 0; k * 25 + 2 < lines; k++) {
        put(&t, "inline float helper%zu(float x, device const float *p, uint n) {\n    float s = 0;\n    for (uint i = 0; i < n; ++i) {\n", k);
        for (int j = 0; j < 8; j++) put(&t, "        s += p[i * %d] * x + fma(x, s, %d.5f);\n", j + 1, j);
        put(&t, "        if (s > 100.0f) break;\n    }\n    return s;\n}\n");
        put(&t, "kernel void k%zu(device const float *a [[buffer(0)]], device float *b [[buffer(1)]],\n"
                "              constant uint &n [[buffer(2)]], uint i [[thread_position_in_grid]]) {\n    if (i >= n) return;\n", k);
        for (int j = 0; j < 6; j++) put(&t, "    b[i + %d] = %s%zu(a[i + %d], a, n) + float(i);\n", j, broken ? "helped" : "helper", k, j);
        put(&t, "}\n");
    }
    if (broken) t.expected = INGOT_SYNTAX;
    return t;
}

/* A template of kernels over a template of structures, instantiated again and again. */
static text instances(ingot_metal_device *device, size_t count)
{
    text t = begin(device, count + 30);
    put(&t, "template <typename T, int N> struct Tile { T v[4]; static constant constexpr int size = N;\n"
            "  T sum() const thread { T s = T(0); for (int i = 0; i < 4; ++i) s += v[i] * T(N); return s; } };\n"
            "template <typename T, int N> T total(device const T *p, uint i) {\n"
            "  Tile<T, N> t; for (int k = 0; k < 4; ++k) t.v[k] = p[i + k]; return t.sum(); }\n"
            "template <typename T, int N> kernel void sum(device const T *a [[buffer(0)]], device T *b [[buffer(1)]],\n"
            "  uint i [[thread_position_in_grid]]) { b[i] = total<T, N>(a, i); }\n");
    for (size_t k = 0; k < count; k++)
        put(&t, "template [[host_name(\"sum%zu\")]] kernel void sum<%s, %zu>(device const %s *, device %s *, uint);\n", k,
            k % 2 ? "half" : "float", k, k % 2 ? "half" : "float", k % 2 ? "half" : "float");
    return t;
}

static void read_text(void *user)
{
    const text *t = user;
    ingot_error error = {INGOT_OK, 0, 0, ""};
    ingot_metal_library *library = NULL;
    ingot_status status = ingot_metal_library_create(t->device, t->at, t->size, NULL, &library, &error);
    if (status != t->expected) bench_check(status != INGOT_OK ? status : INGOT_INTERNAL, &error, "reading Metal text");
    ingot_metal_library_release(library);
}

/* The text, and one four times as large: how much more that takes for each of its units. */
static void measure(bench_report *r, const char *key, const char *what, text small, text large)
{
    char name[64], said[96];
    double one = bench_time(read_text, &small, bench_cpu, 3, 1.0), four = bench_time(read_text, &large, bench_cpu, 2, 1.0);
    bench_figure(r, key, what, one * 1e3, "ms");
    snprintf(name, sizeof name, "%s_times_4", key);
    snprintf(said, sizeof said, "%s, four times as many", what);
    bench_figure(r, name, said, four / one, "x");
    free(small.at);
    free(large.at);
}

void bench_metal(bench_report *r)
{
    ingot_error error = {INGOT_OK, 0, 0, ""};
    ingot_metal_device *device = NULL;
    bench_check(ingot_metal_device_create(1, NULL, &device, &error), &error, "device");
    measure(r, "metal_10000_lines_ms", "10,000 lines of Metal text, 400 kernels", pairs(device, LINES, 0), pairs(device, (size_t)4 * LINES, 0));
    measure(r, "metal_10000_lines_with_errors_ms", "10,000 lines of Metal text, 2,400 errors", pairs(device, LINES, 1), pairs(device, (size_t)4 * LINES, 1));
    measure(r, "metal_2000_instances_ms", "2,000 instances of a template of kernels", instances(device, INSTANCES), instances(device, (size_t)4 * INSTANCES));
    ingot_metal_device_release(device);
}
