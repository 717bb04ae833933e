/* The native device from the inside: device, memory, pipelines and queues over Objective-C objects. */
#ifndef METAL_METAL_H
#define METAL_METAL_H

#include <pthread.h>

#include "base/alloc.h"
#include "metal/objc.h"
#include "rt/device.h"

enum {
    METAL_BATCH = 64,    /* launches in one command buffer, at most */
    METAL_FLYING = 8,    /* command buffers that are with the GPU, a queue */
    METAL_IDLE = 64,     /* pipelines kept that nothing uses */
    METAL_BYTES = 4096,  /* what setBytes may carry: metal/mtlcomputecommandencoder/setbytes(_:length:index:) */
    METAL_GROUP_ALIGN = 16, /* lengths given to setThreadgroupMemoryLength are multiples of it */
    METAL_BLIT_ALIGN = 4,   /* offsets and sizes of a blit between buffers, on macOS */
    METAL_STAGE = 16 << 20  /* bytes staged at a time for memory that the CPU cannot see */
};

/* MTLStorageMode, and MTLResourceOptions made of it. */
enum { METAL_SHARED = 0, METAL_PRIVATE = 2, METAL_STORAGE_SHIFT = 4 };

/* A compiled kernel, shared by all programs that load the same payload. */
typedef struct metal_pipeline {
    struct metal_pipeline *next;
    size_t users;               /* kernels and launches under way; under the device's lock */
    unsigned char key[32];      /* SHA-256 of everything that it was made of */
    metal_id state;             /* MTLComputePipelineState */
    char *name;
    rt_slot slots[RT_MAX_BUFFERS];
    rt_kernel_info info;
} metal_pipeline;

typedef struct metal_device {
    const ingot_allocator *mem;
    metal_objc objc;
    metal_id device;            /* MTLDevice */
    bool unified;               /* CPU and GPU share memory */
    bool described;             /* command buffers can say which encoder failed */
    char name[128];
    char families[64];
    rt_limits limits;
    pthread_mutex_t lock;       /* of all below */
    metal_pipeline *pipelines;  /* latest used first */
    metal_id archive;           /* MTLBinaryArchive; NULL: none */
    char *archive_path;
    bool archive_failed;        /* a pipeline could not be put into it */
    metal_id capture;           /* MTLCaptureManager while a capture runs */
} metal_device;

typedef struct metal_memory {
    metal_id buffer;            /* MTLBuffer */
    char *contents;             /* NULL: the CPU cannot see it */
    size_t length;              /* of the MTLBuffer; at least what was asked for */
} metal_memory;

/* A command buffer and what it launches. */
typedef struct metal_batch {
    metal_id commands;          /* MTLCommandBuffer, held; NULL: no batch */
    size_t count;
    metal_pipeline *launched[METAL_BATCH]; /* a user of each */
} metal_batch;

typedef struct metal_queue {
    metal_device *device;
    metal_id queue;             /* MTLCommandQueue */
    metal_batch open;           /* being encoded */
    metal_id encoder;           /* MTLComputeCommandEncoder of `open`, held; NULL: none */
    metal_batch flying[METAL_FLYING]; /* committed, oldest first from `first` */
    size_t first, flying_count;
    ingot_error fault;          /* of a batch, for the next sync; status INGOT_OK: none */
    ingot_time_fn on_time;         /* NULL: nobody asks */
    void *user;
} metal_queue;

/* ---- memory.c: as rt_device_fns says --------------------------------------------------------------------- */

ingot_status metal_alloc_memory(void *device, size_t size, void **out, ingot_error *error);
void metal_free_memory(void *device, void *memory);
void *metal_memory_handle(void *device, void *memory);
void *metal_memory_contents(void *device, void *memory);
ingot_status metal_adopt_memory(void *device, void *handle, void **out, size_t *size, ingot_error *error);
ingot_status metal_write(void *device, void *queue, void *to, size_t offset, const void *from, size_t size, ingot_error *error);
ingot_status metal_read(void *device, void *queue, void *from, size_t offset, void *to, size_t size, ingot_error *error);
ingot_status metal_copy(void *device, void *queue, void *to, size_t to_offset, void *from, size_t from_offset, size_t size,
                        ingot_error *error);

/* ---- queue.c ----------------------------------------------------------------------------------------------- */

ingot_status metal_queue_open(void *device, void **out, ingot_error *error);
void metal_queue_close(void *device, void *queue);
ingot_status metal_launch(void *device, void *queue, const rt_launch *launch, ingot_error *error);
ingot_status metal_sync(void *device, void *queue, ingot_error *error);
void metal_queue_time(void *device, void *queue, ingot_time_fn on_time, void *user);

/* Sends off what is being encoded and waits for all work. Its faults stay in q->fault. The caller has a pool. */
void metal_queue_wait(metal_queue *q);

/* A new command buffer with its label: the pool's. NULL, with the error set, where the queue makes none. */
metal_id metal_queue_commands(metal_queue *q, const char *label, ingot_error *error);

/* ---- fault.c ----------------------------------------------------------------------------------------------- */

/* Says what went wrong in a batch that ended with an error, naming the kernel where Metal tells it, else those that it
 * may have been. The caller has a pool. */
void metal_fault_report(const metal_device *d, const metal_batch *batch, ingot_error *error);

/* ---- library.c --------------------------------------------------------------------------------------------- */

/* The MTLFunction of a payload: the caller's reference. The caller has a pool. */
ingot_status metal_function_load(metal_device *d, const rt_source *source, metal_id *out, ingot_error *error);

/* ---- pipeline.c -------------------------------------------------------------------------------------------- */

ingot_status metal_kernel_load(void *device, const rt_source *source, void **out, ingot_error *error);
void metal_kernel_free(void *device, void *kernel);
const rt_kernel_info *metal_kernel_info(void *device, void *kernel);

/* One user more, and one less. */
void metal_pipeline_retain(metal_device *d, metal_pipeline *p);
void metal_pipeline_release(metal_device *d, metal_pipeline *p);
/* Gives all back; no user is left. */
void metal_pipelines_free(metal_device *d);

/* ---- archive.c, capture.c: as rt_device_fns says ------------------------------------------------------------- */

ingot_status metal_archive_open(void *device, const char *path, ingot_error *error);
ingot_status metal_archive_save(void *device, ingot_error *error);
void metal_archive_close(metal_device *d);
ingot_status metal_capture_start(void *device, const char *path, ingot_error *error);
ingot_status metal_capture_stop(void *device, ingot_error *error);

#endif
