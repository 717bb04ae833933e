/* Memory and a device shared with other libraries: the process's device, and buffers by DLPack. */
#include <pthread.h>

#include "base/dtype.h"
#include "base/error.h"
#include "ingot/tvm_ffi.h"
#include "rt/object.h"

/* ---- The device ---------------------------------------------------------------------------------- */

static struct {
    pthread_mutex_t lock;
    ingot_device *device; /* NULL: not open yet */
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

ingot_status ingot_device_shared(ingot_device **out, ingot_error *error)
{
    if (out == NULL) return error_set(error, INGOT_INVALID_ARGUMENT, "out is NULL");
    pthread_mutex_lock(&shared.lock);
    ingot_status status = shared.device != NULL ? error_none(error) : ingot_device_open("metal", 0, 0, NULL, &shared.device, error);
    *out = shared.device;
    pthread_mutex_unlock(&shared.lock);
    return status;
}

/* ---- Buffers by DLPack --------------------------------------------------------------------------- */

void *ingot_buffer_contents(const ingot_buffer *buffer)
{
    if (buffer == NULL || buffer->device->fns->contents == NULL) return NULL;
    return buffer->device->fns->contents(buffer->device->self, buffer->memory);
}

/* What is handed out: one of the two structs, with what they point to. */
typedef struct handed {
    union {
        DLManagedTensor plain;
        DLManagedTensorVersioned versioned;
    } as;
    const ingot_allocator *mem;
    ingot_buffer *buffer;
    size_t ndim;
    int64_t dims[]; /* shape, strides */
} handed;

static void give_back(handed *h)
{
    ingot_buffer *buffer = h->buffer;
    mem_free(h->mem, h, sizeof *h + 2 * h->ndim * sizeof h->dims[0]);
    rt_buffer_release(buffer);
}

static void delete_plain(DLManagedTensor *self)
{
    give_back(self->manager_ctx);
}

static void delete_versioned(DLManagedTensorVersioned *self)
{
    give_back(self->manager_ctx);
}

/* Compact strides beside the shape; false where the tensor does not lie inside the buffer. */
static bool lay_out(handed *h, const DLTensor *view)
{
    uint64_t count = 1, bits = (uint64_t)view->dtype.bits * view->dtype.lanes, bytes;
    for (size_t d = h->ndim; d > 0; --d) {
        int64_t extent = view->shape[d - 1];
        h->dims[d - 1] = extent;
        h->dims[h->ndim + d - 1] = (int64_t)count;
        if (extent < 0 || __builtin_mul_overflow(count, (uint64_t)extent, &count)) return false;
    }
    if (__builtin_mul_overflow(count, bits, &bits)) return false;
    bytes = bits / 8 + (bits % 8 != 0);
    return view->byte_offset <= h->buffer->size && bytes <= h->buffer->size - view->byte_offset;
}

static void fill(handed *h, const DLTensor *view, void *data, bool versioned)
{
    DLTensor t = {data, view->device, view->ndim, view->dtype, h->dims, h->dims + h->ndim, view->byte_offset};
    if (versioned) {
        h->as.versioned = (DLManagedTensorVersioned){{DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION}, h, delete_versioned, 0, t};
    } else {
        h->as.plain = (DLManagedTensor){t, h, delete_plain};
    }
}

ingot_status ingot_buffer_export(ingot_buffer *buffer, const DLTensor *view, int versioned, void **out, ingot_error *error)
{
    if (out == NULL) return error_set(error, INGOT_INVALID_ARGUMENT, "out is NULL");
    *out = NULL;
    if (buffer == NULL || view == NULL) return error_set(error, INGOT_INVALID_ARGUMENT, "%s is NULL", buffer == NULL ? "buffer" : "view");
    bool cpu = view->device.device_type == kDLCPU;
    if (!cpu && view->device.device_type != kDLMetal) return error_set(error, INGOT_VALUE, "the device type is neither CPU nor Metal");
    if (view->ndim < 0 || view->ndim > 64 || (view->ndim > 0 && view->shape == NULL) || view->strides != NULL) {
        return error_set(error, INGOT_VALUE, "a tensor of up to 64 dimensions, with a shape and without strides, can be handed out");
    }
    void *data = cpu ? ingot_buffer_contents(buffer) : ingot_buffer_handle(buffer);
    if (data == NULL) return error_set(error, INGOT_UNSUPPORTED, "the CPU does not see this device's memory");
    const ingot_allocator *mem = buffer->device->mem;
    size_t ndim = (size_t)view->ndim;
    handed *h = mem_zeroed(mem, 1, sizeof *h + 2 * ndim * sizeof h->dims[0]);
    if (h == NULL) return error_no_memory(error);
    h->mem = mem;
    h->buffer = buffer;
    h->ndim = ndim;
    if (!lay_out(h, view)) {
        mem_free(mem, h, sizeof *h + 2 * ndim * sizeof h->dims[0]);
        return error_set(error, INGOT_VALUE, "the tensor does not lie inside its buffer of %zu bytes", buffer->size);
    }
    rt_buffer_retain(buffer);
    fill(h, view, data, versioned != 0);
    *out = h;
    return error_none(error);
}
