/* Array files through the public API. */
#include "api/text.h"
#include "base/error.h"
#include "pack/npy.h"

struct ingot_array {
    const ingot_allocator *mem;
    npy_array array;
};

ingot_status ingot_array_parse(const void *bytes, size_t size, const ingot_allocator *allocator, ingot_array **out,
                               ingot_error *error)
{
    if (out == NULL) return error_set(error, INGOT_INVALID_ARGUMENT, "out is NULL");
    *out = NULL;
    if (bytes == NULL && size != 0) return error_set(error, INGOT_INVALID_ARGUMENT, "bytes is NULL");
    const ingot_allocator *mem = mem_or_default(allocator);
    ingot_array *array = mem_zeroed(mem, 1, sizeof *array);
    if (array == NULL) return error_no_memory(error);
    array->mem = mem;
    ingot_status status = npy_read(mem, (str){bytes, size}, &array->array, error);
    if (status != INGOT_OK) {
        mem_free(mem, array, sizeof *array);
        return status;
    }
    *out = array;
    return INGOT_OK;
}

const void *ingot_array_data(const ingot_array *array)
{
    return array->array.data;
}

size_t ingot_array_size(const ingot_array *array)
{
    return array->array.size;
}

DLDataType ingot_array_dtype(const ingot_array *array)
{
    return array->array.dtype;
}

size_t ingot_array_ndim(const ingot_array *array)
{
    return array->array.ndim;
}

const int64_t *ingot_array_shape(const ingot_array *array)
{
    return array->array.shape;
}

void ingot_array_release(ingot_array *array)
{
    if (array == NULL) return;
    npy_free(array->mem, &array->array);
    mem_free(array->mem, array, sizeof *array);
}

ingot_status ingot_array_format(const void *data, DLDataType dtype, const int64_t *shape, size_t ndim, ingot_text **out,
                                ingot_error *error)
{
    if (out == NULL) return error_set(error, INGOT_INVALID_ARGUMENT, "out is NULL");
    *out = NULL;
    if (shape == NULL && ndim != 0) return error_set(error, INGOT_INVALID_ARGUMENT, "shape is NULL");
    buf bytes = buf_make(NULL);
    ingot_status status = npy_write(data, dtype, shape, ndim, &bytes, error);
    if (status == INGOT_OK) status = text_take(&bytes, out, error);
    buf_free(&bytes);
    return status;
}
