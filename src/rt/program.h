/* A module loaded onto a device: kernels compiled, launches resolved. */
#ifndef RT_PROGRAM_H
#define RT_PROGRAM_H

#include "host/args.h"
#include "host/interp.h"
#include "host/module.h"
#include "rt/object.h"

enum {
    RT_GRID = 0,  /* places of a launch tag: grid x, y, z, ... */
    RT_GROUP = 3, /* ... threads of a group x, y, z ... */
    RT_DYNAMIC = 6, /* ... bytes of [[threadgroup(0)]] */
    RT_PLACES = 7,
    RT_CONSTANT_BYTES = 4096 /* what one launch may pass by value */
};

/* One kernel of the module, on the device. */
typedef struct rt_kernel {
    const pack_kernel *record;
    void *handle; /* NULL until loaded */
    const rt_kernel_info *info;
    size_t pointers;
    const uint8_t *places; /* of each launch tag */
} rt_kernel;

/* The kernels that the launches of one host function mean. */
typedef struct rt_plan {
    const size_t *kernels; /* one a launch: index into the program's kernels */
} rt_plan;

/* Immutable, and counted. */
struct ingot_program {
    atomic_size_t references;
    ingot_module *module; /* held */
    ingot_device *device; /* held */
    pool memory;          /* the arrays below */
    rt_kernel *kernels;
    rt_plan *plans;      /* one a host function */
    ingot_buffer *empty; /* stands for the memory of tensors without elements */
};

ingot_status rt_program_load(ingot_module *m, ingot_device *d, ingot_program **out, ingot_error *error);
void rt_program_release(ingot_program *p);

/* Calls a host function; an empty name is the only one, else "main". */
ingot_status rt_program_call(ingot_program *p, str function, const ingot_value *args, size_t count, ingot_stream *s,
                             ingot_value *result, ingot_error *error);

/* The same with tensors in the host's memory as well (DLPack's CPU and pinned kinds), compact or strided as the function
 * declares them; back when all work of the stream is done. A device that can uses them where they lie, else they are
 * copied there and, where the function writes them, back. Tensors that share some of their memory, one of them written,
 * are refused. (host_call.c) */
ingot_status rt_program_run(ingot_program *p, str function, const ingot_value *args, size_t count, ingot_stream *s,
                            ingot_value *result, ingot_error *error);

/* What both are made of: the function, and its call with memory found as `device` says. */
typedef struct rt_arguments {
    const ingot_value *values;
    size_t count;
    const host_device *device;
} rt_arguments;

ingot_status rt_program_find(const ingot_program *p, str function, const ingot_stream *s, const host_function **out,
                             ingot_error *error);
ingot_status rt_program_start(ingot_program *p, const host_function *f, const rt_arguments *args, ingot_stream *s,
                              ingot_value *result, ingot_error *error);

/* Checks a launch record against the signature that the kernel's own text has, and against what Metal allows;
 * fills in pointers and places. (signature.c) */
ingot_status rt_kernel_check(rt_kernel *k, pool *mem, ingot_error *error);

/* What the interpreter calls to launch: `user` is an rt_call. (launch.c) */
typedef struct rt_call {
    ingot_program *program;
    const rt_plan *plan;
    ingot_stream *stream;
} rt_call;

ingot_status rt_launch_kernel(void *user, const host_frame *frame, size_t index, ingot_error *error);

#endif
