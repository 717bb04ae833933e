/* What a device is to the runtime: one const table of functions, and the plain data that they take.
 *
 * A device is opened once and shared: every function may be called from several threads at once,
 * with these exceptions: `close` comes last, and one queue is used by one thread at a time. Handles are void pointers that mean
 * something to the device alone. A function that fails returns a status, fills in *error (never
 * NULL here), leaves its `out` NULL, and keeps nothing.
 *
 * The runtime above checks ranges, alignment, limits and signatures before it calls; a device may
 * assert them. */
#ifndef RT_DEVICE_H
#define RT_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ingot/ingot.h"

enum {
    RT_MAX_BUFFERS = 31,       /* slots [[buffer(0)]] to [[buffer(30)]] */
    RT_MEMORY_ALIGN = 256,     /* of device memory, in bytes */
    RT_CONSTANT_ALIGN = 8      /* of the constant bytes of a launch, at least */
};

/* What the device can do, fixed while it is open. */
typedef struct rt_limits {
    const char *name;              /* for reports: "Ingot software Metal device" */
    const char *families;          /* of GPUs, the best of each kind: "apple8 mac2 common3 metal3"; NULL: none */
    bool native;                   /* a GPU of Apple's Metal */
    bool unified_memory;           /* the CPU sees its memory */
    size_t max_buffer_bytes;
    size_t max_threadgroup_bytes;  /* static and dynamic together */
    uint32_t max_threads;          /* a threadgroup, all axes together */
    uint32_t max_threads_axis[3];  /* a threadgroup, each axis */
} rt_limits;

typedef enum rt_format { RT_FORMAT_METAL, RT_FORMAT_METALLIB } rt_format;
typedef enum rt_math { RT_MATH_FAST, RT_MATH_SAFE } rt_math;

/* A payload that holds one kernel that is wanted. Borrowed for the call: the device copies what it
 * keeps. `text` is not NUL-terminated. */
typedef struct rt_source {
    rt_format format;
    const char *text;
    size_t size;
    const char *kernel;  /* its entry point; also the name for messages */
    rt_math math;
    unsigned language;   /* version of the language, major * 10 + minor (23 is Metal 2.3); 0: any */
} rt_source;

typedef enum rt_slot_kind {
    RT_SLOT_DEVICE,     /* device T *  or device T &  */
    RT_SLOT_CONSTANT    /* constant T *  or constant T &  */
} rt_slot_kind;

/* One [[buffer(n)]] parameter of a kernel as its own text declares it. */
typedef struct rt_slot {
    rt_slot_kind kind;
    uint32_t index;      /* the n */
    const char *name;
    const char *type;    /* of T, as the language spells it: "float", "half4", "main_kernel_args_t" */
    size_t bytes;        /* sizeof(T) */
    bool reference;      /* T & : exactly one T */
    bool read_only;      /* const T or constant */
} rt_slot;

/* What the device knows of a kernel that it loaded; lives as long as the kernel. */
typedef struct rt_kernel_info {
    const char *name;
    const rt_slot *slots;          /* in order of index; NULL: not known, and not checked */
    size_t slot_count;
    uint32_t dynamic_count;        /* one past the highest n of its [[threadgroup(n)]] parameters */
    size_t threadgroup_bytes;      /* declared in the text */
    uint32_t max_threads;          /* a threadgroup of this kernel */
} rt_kernel_info;

typedef struct rt_binding {
    void *memory;
    size_t offset; /* bytes, a multiple of the element's size */
} rt_binding;

typedef struct rt_launch {
    void *kernel;
    const rt_binding *buffers;     /* slots 0 to buffer_count - 1 */
    size_t buffer_count;
    const void *constants;         /* the bytes of slot buffer_count; copied by the call */
    size_t constant_bytes;         /* 0: that slot is not bound */
    size_t threadgroup_bytes;      /* length of [[threadgroup(0)]]; 0: none */
    uint32_t grid[3];              /* threadgroups; never 0 */
    uint32_t group[3];             /* threads a threadgroup; never 0 */
    const void *checking;          /* how the device is to check it, in the device's own terms; NULL: not */
} rt_launch;

/* Functions that may be NULL say so. */
typedef struct rt_device_fns {
    const char *kind; /* the name it is opened by */

    /* Opens device number `id`. `threads` bounds its worker threads (0: one a processor). All
     * memory of the device comes from `mem`, which outlives it. */
    ingot_status (*open)(const ingot_allocator *mem, int id, unsigned threads, void **out,
                         ingot_error *error);
    void (*close)(void *device);
    const rt_limits *(*limits)(void *device);

    /* Memory: RT_MEMORY_ALIGN aligned, zeroed; size 0 gives a handle that can be bound and freed. */
    ingot_status (*alloc)(void *device, size_t size, void **out, ingot_error *error);
    /* Memory over the caller's own bytes, aligned as what lies in them, which outlive it; given back by `free`. NULL: the
     * device cannot. */
    ingot_status (*adopt)(void *device, void *bytes, size_t size, void **out, ingot_error *error);
    /* Later calls do not use it; work that is already in a queue keeps what it needs. */
    void (*free)(void *device, void *memory);
    /* The memory as the CPU sees it. NULL, or gives NULL: the CPU does not. */
    void *(*contents)(void *device, void *memory);
    /* What others know the memory by, an id<MTLBuffer>; while it lives, no other memory has the same. NULL: nothing does. */
    void *(*handle)(void *device, void *memory);
    /* Memory over such a handle from elsewhere, of which it holds a reference; *size is how many bytes it has. May be
     * NULL. */
    ingot_status (*wrap)(void *device, void *handle, void **out, size_t *size, ingot_error *error);

    /* A queue: work given to it runs in order. */
    ingot_status (*queue_open)(void *device, void **out, ingot_error *error);
    void (*queue_close)(void *device, void *queue); /* waits for its work */

    /* Copies in the queue's order; back when done. Ranges lie inside the memory; `copy` may
     * overlap, as memmove. A fault of earlier work is not reported here but by `sync`. */
    ingot_status (*write)(void *device, void *queue, void *to, size_t offset, const void *from,
                          size_t size, ingot_error *error);
    ingot_status (*read)(void *device, void *queue, void *from, size_t offset, void *to, size_t size,
                         ingot_error *error);
    ingot_status (*copy)(void *device, void *queue, void *to, size_t to_offset, void *from,
                         size_t from_offset, size_t size, ingot_error *error);

    /* Compiles a payload and finds its kernel. On failure error->message says what is wrong with
     * the text (line and column filled in where known) without naming the kernel: the runtime does. */
    ingot_status (*kernel_load)(void *device, const rt_source *source, void **out, ingot_error *error);
    void (*kernel_free)(void *device, void *kernel);
    const rt_kernel_info *(*kernel_info)(void *device, void *kernel);

    /* Puts one launch into the queue. May run it before it returns; a fault of the kernel is
     * INGOT_DEVICE, from here or from `sync`, whichever comes first, once. */
    ingot_status (*launch)(void *device, void *queue, const rt_launch *launch, ingot_error *error);
    ingot_status (*sync)(void *device, void *queue, ingot_error *error);

    /* From now on each launch of the queue is told of once it has ended, by the call that finds it so. on_time NULL: no
     * more. NULL: launches have run when `launch` returns, and the runtime takes the time. */
    void (*queue_time)(void *device, void *queue, ingot_time_fn on_time, void *user);

    /* A file of compiled kernels, to look them up in and add to. All or none may be NULL. */
    ingot_status (*archive_open)(void *device, const char *path, ingot_error *error);
    ingot_status (*archive_save)(void *device, ingot_error *error);

    /* A file for a debugger, of all that the device does between the two calls. Both may be NULL. */
    ingot_status (*capture_start)(void *device, const char *path, ingot_error *error);
    ingot_status (*capture_stop)(void *device, ingot_error *error);
} rt_device_fns;

#endif
