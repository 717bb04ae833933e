/* What payloads are, and types by name, through the public API. */
#include "pack/payload.h"

#include "base/dtype.h"
#include "base/error.h"
#include "pack/metallib.h"

const char *ingot_payload_kind(const void *bytes, size_t size)
{
    return payload_text(payload_look((str){bytes, bytes != NULL ? size : 0}));
}

ingot_status ingot_metallib_check(const void *bytes, size_t size, ingot_error *error)
{
    if (bytes == NULL && size != 0) return error_set(error, INGOT_INVALID_ARGUMENT, "bytes is NULL");
    return metallib_check((str){bytes, size}, error);
}

ingot_status ingot_dtype_parse(const char *text, DLDataType *out)
{
    if (text == NULL || out == NULL) return INGOT_INVALID_ARGUMENT;
    return dtype_parse(str_of(text), out) ? INGOT_OK : INGOT_VALUE;
}

size_t ingot_dtype_print(DLDataType dtype, char *out)
{
    return strlen(dtype_print(dtype, out));
}
