/* Queues of the native device: launches are encoded one after the other into a command buffer, which goes to the GPU
 * when it is full, or when somebody waits. */
#include <string.h>

#include "base/error.h"
#include "metal/metal.h"

/* MTLCommandBufferStatus: https://developer.apple.com/documentation/metal/mtlcommandbufferstatus */
enum { COMMANDS_COMPLETED = 4 };
/* MTLCommandBufferErrorOption: https://developer.apple.com/documentation/metal/mtlcommandbuffererroroption */
enum { ENCODER_EXECUTION_STATUS = 1 };

/* ---- Opening and closing ----------------------------------------------------------------------------------- */

ingot_status metal_queue_open(void *device, void **out, ingot_error *error)
{
    metal_device *d = device;
    const metal_objc *o = &d->objc;
    *out = NULL;
    metal_queue *q = mem_zeroed(d->mem, 1, sizeof *q);
    if (q == NULL) return error_no_memory(error);
    q->device = d;
    void *pool = o->objc_autoreleasePoolPush();
    q->queue = metal_new_queue(o, d->device);
    if (q->queue != NULL) metal_label(o, q->queue, "ingot stream");
    o->objc_autoreleasePoolPop(pool);
    if (q->queue == NULL) {
        mem_free(d->mem, q, sizeof *q);
        return error_set(error, INGOT_RUNTIME, "Metal gives no command queue");
    }
    *out = q;
    return INGOT_OK;
}

void metal_queue_close(void *device, void *queue)
{
    metal_device *d = device;
    metal_queue *q = queue;
    void *pool = d->objc.objc_autoreleasePoolPush();
    metal_queue_wait(q);
    metal_release(&d->objc, q->queue);
    d->objc.objc_autoreleasePoolPop(pool);
    mem_free(d->mem, q, sizeof *q);
}

/* ---- Batches ----------------------------------------------------------------------------------------------- */

metal_id metal_queue_commands(metal_queue *q, const char *label, ingot_error *error)
{
    const metal_objc *o = &q->device->objc;
    metal_id commands = NULL;
    if (q->device->described) {
        metal_id how = metal_new_object(o, o->classes[METAL_CLASS_MTLCommandBufferDescriptor]);
        metal_set_error_options(o, how, ENCODER_EXECUTION_STATUS);
        commands = metal_commands_described(o, q->queue, how);
        metal_release(o, how);
    } else {
        commands = metal_commands(o, q->queue);
    }
    if (commands == NULL) error_set(error, INGOT_RUNTIME, "Metal gives no command buffer");
    else metal_label(o, commands, "%s", label);
    return commands;
}

static void batch_free(metal_device *d, metal_batch *b)
{
    for (size_t i = 0; i < b->count; ++i) metal_pipeline_release(d, b->launched[i]);
    metal_release(&d->objc, b->commands);
    *b = (metal_batch){0};
}

/* Waits for the oldest batch that is with the GPU, and takes it off. */
static void land(metal_queue *q)
{
    metal_device *d = q->device;
    const metal_objc *o = &d->objc;
    metal_batch *b = &q->flying[q->first];
    metal_wait(o, b->commands);
    if (metal_command_status(o, b->commands) == COMMANDS_COMPLETED) {
        if (q->on_time != NULL && b->count == 1) {
            q->on_time(q->user, b->launched[0]->name, metal_gpu_start(o, b->commands), metal_gpu_end(o, b->commands));
        }
    } else if (q->fault.status == INGOT_OK) {
        metal_fault_report(d, b, &q->fault);
    }
    batch_free(d, b);
    q->first = (q->first + 1) % METAL_FLYING;
    --q->flying_count;
}

/* Sends off what is being encoded. */
static void take_off(metal_queue *q)
{
    const metal_objc *o = &q->device->objc;
    if (q->open.commands == NULL) return;
    if (q->encoder != NULL) {
        metal_end_encoding(o, q->encoder);
        metal_release(o, q->encoder);
        q->encoder = NULL;
    }
    metal_commit(o, q->open.commands);
    if (q->flying_count == METAL_FLYING) land(q);
    q->flying[(q->first + q->flying_count++) % METAL_FLYING] = q->open;
    q->open = (metal_batch){0};
}

void metal_queue_wait(metal_queue *q)
{
    take_off(q);
    while (q->flying_count != 0) land(q);
}

/* An encoder to launch into. */
static ingot_status need_encoder(metal_queue *q, ingot_error *error)
{
    const metal_objc *o = &q->device->objc;
    if (q->encoder != NULL) return INGOT_OK;
    metal_id commands = metal_queue_commands(q, "ingot launches", error);
    if (commands == NULL) return INGOT_RUNTIME;
    metal_id encoder = metal_compute_encoder(o, commands);
    if (encoder == NULL) return error_set(error, INGOT_RUNTIME, "Metal gives no encoder for a launch");
    metal_label(o, encoder, "ingot launches");
    q->open.commands = o->objc_retain(commands); /* they outlive this pool */
    q->encoder = o->objc_retain(encoder);
    return INGOT_OK;
}

/* ---- Launching --------------------------------------------------------------------------------------------- */

static size_t round_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

static ingot_status check(const metal_device *d, const metal_pipeline *p, const rt_launch *l, ingot_error *error)
{
    size_t given = round_up(l->threadgroup_bytes, METAL_GROUP_ALIGN), most = d->limits.max_threadgroup_bytes;
    if (given <= most && p->info.threadgroup_bytes <= most - given) return INGOT_OK;
    return error_set(error, INGOT_LIMIT, "%zu bytes of threadgroup memory, the launch's in steps of %d; the device has %zu",
                     p->info.threadgroup_bytes + given, METAL_GROUP_ALIGN, most);
}

/* The bytes of a launch: within the command buffer where Metal takes as many, else in a buffer of their own. */
static ingot_status set_constants(metal_queue *q, const rt_launch *l, ingot_error *error)
{
    const metal_objc *o = &q->device->objc;
    if (l->constant_bytes == 0) return INGOT_OK;
    if (l->constant_bytes <= METAL_BYTES) {
        metal_set_bytes(o, q->encoder, l->constants, l->constant_bytes, l->buffer_count);
        return INGOT_OK;
    }
    metal_id buffer = metal_new_buffer_of(o, q->device->device, l->constants, l->constant_bytes, METAL_SHARED << METAL_STORAGE_SHIFT);
    if (buffer == NULL) return error_no_memory(error);
    metal_label(o, buffer, "ingot scalars of %zu bytes", l->constant_bytes);
    metal_set_buffer(o, q->encoder, buffer, 0, l->buffer_count);
    metal_release(o, buffer); /* the command buffer holds it now */
    return INGOT_OK;
}

static ingot_status encode(metal_queue *q, metal_pipeline *p, const rt_launch *l, ingot_error *error)
{
    const metal_objc *o = &q->device->objc;
    ingot_status status = need_encoder(q, error);
    if (status != INGOT_OK) return status;
    metal_id name = metal_string(o, o->classes[METAL_CLASS_NSString], p->name);
    if (name != NULL) metal_signpost(o, q->encoder, name);
    metal_set_pipeline(o, q->encoder, p->state);
    for (size_t i = 0; i < l->buffer_count; ++i) {
        const metal_memory *m = l->buffers[i].memory;
        metal_set_buffer(o, q->encoder, m->buffer, l->buffers[i].offset, i);
    }
    status = set_constants(q, l, error);
    if (status != INGOT_OK) return status;
    if (l->threadgroup_bytes != 0) metal_set_threadgroup(o, q->encoder, round_up(l->threadgroup_bytes, METAL_GROUP_ALIGN), 0);
    metal_dispatch(o, q->encoder, (metal_size){l->grid[0], l->grid[1], l->grid[2]},
                   (metal_size){l->group[0], l->group[1], l->group[2]});
    metal_pipeline_retain(q->device, p);
    q->open.launched[q->open.count++] = p;
    return INGOT_OK;
}

ingot_status metal_launch(void *device, void *queue, const rt_launch *l, ingot_error *error)
{
    metal_device *d = device;
    metal_queue *q = queue;
    metal_pipeline *p = l->kernel;
    if (q->fault.status != INGOT_OK) return INGOT_OK; /* left out until the fault is reported */
    ingot_status status = check(d, p, l, error);
    if (status != INGOT_OK) return status;
    void *pool = d->objc.objc_autoreleasePoolPush();
    if (q->on_time != NULL) take_off(q); /* timed one by one */
    status = encode(q, p, l, error);
    if (q->open.count == METAL_BATCH || q->on_time != NULL) take_off(q);
    d->objc.objc_autoreleasePoolPop(pool);
    return status;
}

ingot_status metal_sync(void *device, void *queue, ingot_error *error)
{
    metal_device *d = device;
    metal_queue *q = queue;
    void *pool = d->objc.objc_autoreleasePoolPush();
    metal_queue_wait(q);
    d->objc.objc_autoreleasePoolPop(pool);
    if (q->fault.status == INGOT_OK) return INGOT_OK;
    *error = q->fault;
    q->fault.status = INGOT_OK;
    return error->status;
}

void metal_queue_time(void *device, void *queue, ingot_time_fn on_time, void *user)
{
    metal_device *d = device;
    metal_queue *q = queue;
    void *pool = d->objc.objc_autoreleasePoolPush();
    metal_queue_wait(q); /* launches of before are not asked about */
    d->objc.objc_autoreleasePoolPop(pool);
    q->on_time = on_time;
    q->user = user;
}
