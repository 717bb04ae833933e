/* Calls with tensors in the host's memory: lent to the device for the call, or copied there and back. */
#include "base/dtype.h"
#include "base/error.h"
#include "rt/program.h"

enum { LOCAL_ARGS = 16 };

/* A tensor of the host's on its way. */
typedef struct staged {
    ingot_buffer buffer; /* never enlisted, and gone after the call */
    DLTensor tensor;     /* as the function sees it: its `data` is the buffer */
    char *bytes;         /* of the host: buffer.size of them */
    bool copied;         /* not lent */
    bool written;        /* by the function */
} staged;

typedef struct host_call {
    ingot_program *program;
    const host_function *function;
    ingot_stream *stream;
    ingot_value *values; /* the arguments, with staged tensors */
    staged *stage;       /* one an argument; device NULL: not staged */
    size_t count;
    ingot_error *error;
} host_call;

static bool is_host(DLDeviceType type)
{
    return type == kDLCPU || type == kDLCUDAHost || type == kDLROCMHost || type == kDLCUDAManaged;
}

/* Bytes from `data` to the end of the last element; 0 for a tensor without elements, and for one whose shape is wrong: the
 * checks of the call say so. */
static bool extent_of(const DLTensor *t, size_t *bytes)
{
    uint64_t last = 0, stride = 1, item = dtype_bytes(t->dtype);
    *bytes = 0;
    if (t->ndim < 0 || (t->ndim > 0 && t->shape == NULL)) return true;
    for (int32_t d = t->ndim; d > 0; --d) {
        int64_t extent = t->shape[d - 1], step = t->strides != NULL ? t->strides[d - 1] : (int64_t)stride;
        if (extent <= 0 || step < 0) return true;
        uint64_t reach;
        if (__builtin_mul_overflow((uint64_t)extent - 1, (uint64_t)step, &reach)) return false;
        if (__builtin_add_overflow(last, reach, &last)) return false;
        if (__builtin_mul_overflow(stride, (uint64_t)extent, &stride)) return false;
    }
    if (__builtin_add_overflow(last, 1, &last) || __builtin_mul_overflow(last, item, &last)) return false;
    if (__builtin_add_overflow(last, t->byte_offset, &last) || last > PTRDIFF_MAX) return false;
    *bytes = (size_t)last;
    return true;
}

/* Alignment that the elements need: of a vector its whole size, up to 16 bytes. */
static size_t alignment_of(DLDataType t)
{
    size_t bytes = (size_t)dtype_bytes(t), power = 1;
    while (power < 16 && power * 2 <= bytes) power *= 2;
    return power;
}

static const char *name_of(const host_call *c, size_t k)
{
    return k < c->function->param_count ? c->function->params[k].name.p : "?";
}

/* Gives the tensor device memory: its own, where the device takes that, else a copy. */
static ingot_status give_memory(host_call *c, staged *s)
{
    ingot_device *d = c->program->device;
    ingot_error inner; /* a device that fails fills it in; a thousand bytes are not cleared for each argument */
    ingot_status status;
    if (d->fns->adopt != NULL) {
        status = d->fns->adopt(d->self, s->bytes, s->buffer.size, &s->buffer.memory, &inner);
    } else {
        status = d->fns->alloc(d->self, s->buffer.size, &s->buffer.memory, &inner);
        s->copied = status == INGOT_OK;
        if (status == INGOT_OK && s->buffer.size != 0) {
            status = d->fns->write(d->self, c->stream->queue, s->buffer.memory, 0, s->bytes, s->buffer.size, &inner);
        }
    }
    return status == INGOT_OK ? INGOT_OK : error_pass(c->error, status, &inner);
}

static ingot_status stage(host_call *c, size_t k)
{
    staged *s = &c->stage[k];
    const DLTensor *t = c->values[k].as.tensor;
    size_t size;
    if (!extent_of(t, &size)) {
        return error_set(c->error, INGOT_VALUE, "argument %s: a tensor larger than memory can be", name_of(c, k));
    }
    s->tensor = *t;
    s->tensor.device = (DLDevice){kDLMetal, c->program->device->id};
    c->values[k].as.tensor = &s->tensor;
    if (t->data == NULL) return INGOT_OK; /* the checks of the call say whether that may be */
    if (size != 0 && (uintptr_t)t->data % alignment_of(t->dtype) != 0) {
        return error_set(c->error, INGOT_VALUE, "argument %s: the tensor's data is not aligned to its elements' %zu bytes",
                         name_of(c, k), alignment_of(t->dtype));
    }
    s->bytes = t->data;
    s->buffer = (ingot_buffer){.device = c->program->device, .size = size};
    s->written = k < c->function->param_count && c->function->params[k].is_written;
    s->tensor.data = &s->buffer;
    ingot_status status = give_memory(c, s);
    if (status != INGOT_OK) s->buffer.device = s->copied ? s->buffer.device : NULL;
    return status;
}

/* Two tensors may be the same memory, or apart; in between, what one writes would come and go in the other. */
static ingot_status check_overlaps(const host_call *c, size_t k)
{
    const staged *a = &c->stage[k];
    for (size_t i = 0; a->buffer.size != 0 && i < k; ++i) {
        const staged *b = &c->stage[i];
        if (b->buffer.device == NULL || b->buffer.size == 0 || !(a->written || b->written)) continue;
        if (a->bytes >= b->bytes + b->buffer.size || b->bytes >= a->bytes + a->buffer.size) continue;
        bool same = a->bytes == b->bytes && a->buffer.size == b->buffer.size && !a->copied;
        if (same) continue;
        return error_set(c->error, INGOT_VALUE, "arguments %s and %s overlap, and one of them is written", name_of(c, i),
                         name_of(c, k));
    }
    return INGOT_OK;
}

static ingot_status stage_all(host_call *c)
{
    for (size_t k = 0; k < c->count; ++k) {
        if (c->values[k].kind != INGOT_VALUE_TENSOR || !is_host(c->values[k].as.tensor->device.device_type)) continue;
        ingot_status status = stage(c, k);
        if (status == INGOT_OK) status = check_overlaps(c, k);
        if (status != INGOT_OK) return status;
    }
    return INGOT_OK;
}

/* Waits, and brings back what was copied and written. */
static ingot_status finish(host_call *c)
{
    ingot_status status = rt_stream_sync(c->stream, c->error);
    const ingot_device *d = c->program->device;
    for (size_t k = 0; status == INGOT_OK && k < c->count; ++k) {
        const staged *s = &c->stage[k];
        if (s->buffer.device == NULL || !s->copied || !s->written || s->buffer.size == 0) continue;
        ingot_error inner = {.status = INGOT_OK};
        status = d->fns->read(d->self, c->stream->queue, s->buffer.memory, 0, s->bytes, s->buffer.size, &inner);
        if (status != INGOT_OK) error_pass(c->error, status, &inner);
    }
    return status;
}

static void unstage_all(const host_call *c)
{
    const ingot_device *d = c->program->device;
    for (size_t k = 0; k < c->count; ++k) {
        if (c->stage[k].buffer.device != NULL) d->fns->free(d->self, c->stage[k].buffer.memory);
    }
}

/* A staged tensor's buffer, else one of the device. */
static void *find_memory(void *user, const void *data, size_t *size)
{
    const host_call *c = user;
    for (size_t k = 0; k < c->count; ++k) {
        if (data != &c->stage[k].buffer || c->stage[k].buffer.device == NULL) continue;
        *size = c->stage[k].buffer.size;
        return &c->stage[k].buffer;
    }
    ingot_buffer *b = rt_device_find(c->program->device, data);
    if (b != NULL) *size = b->size;
    return b;
}

static ingot_status run(host_call *c, ingot_value *result)
{
    ingot_device *d = c->program->device;
    ingot_status status = stage_all(c);
    if (status == INGOT_OK) {
        host_device device = {.mem = d->mem, .id = d->id, .user = c, .find = find_memory};
        rt_arguments given = {c->values, c->count, &device};
        status = rt_program_start(c->program, c->function, &given, c->stream, result, c->error);
    }
    /* Lent memory must not be in use after the call, also where it failed. */
    if (status == INGOT_OK) {
        status = finish(c);
    } else {
        (void)rt_stream_sync(c->stream, NULL);
    }
    unstage_all(c);
    return status;
}

ingot_status rt_program_run(ingot_program *p, str function, const ingot_value *args, size_t count, ingot_stream *s,
                            ingot_value *result, ingot_error *error)
{
    host_call c = {.program = p, .stream = s, .count = count, .error = error};
    ingot_status status = rt_program_find(p, function, s, &c.function, error);
    if (status != INGOT_OK) return status;
    ingot_value values[LOCAL_ARGS];
    staged stage[LOCAL_ARGS];
    pool memory = pool_make(p->device->mem);
    bool local = count <= LOCAL_ARGS;
    c.values = local ? values : pool_array(&memory, ingot_value, count);
    c.stage = local ? stage : pool_array(&memory, staged, count);
    if (c.values != NULL && c.stage != NULL) {
        if (count != 0) memcpy(c.values, args, count * sizeof *args);
        if (count != 0) memset(c.stage, 0, count * sizeof *c.stage);
        status = run(&c, result);
    } else {
        status = error_no_memory(error);
    }
    pool_free(&memory);
    return status;
}
