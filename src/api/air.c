/* What needs the AIR component, through the public API. */
#include "air/air.h"

#include "api/text.h"
#include "base/error.h"
#include "rt/component.h"

const char *ingot_air_version(ingot_error *error)
{
    const air_component *air = rt_component(error);
    return air != NULL ? air->llvm : NULL;
}

ingot_status ingot_air_disassemble(const void *bytes, size_t size, const char *kernel, ingot_text **out, ingot_error *error)
{
    *out = NULL;
    if (bytes == NULL) return error_set(error, INGOT_INVALID_ARGUMENT, "bytes is NULL");
    ingot_error inner = {.status = INGOT_OK};
    const air_component *air = rt_component(&inner);
    if (air == NULL) return error_pass(error, inner.status, &inner);
    buf text = buf_make(&mem_default);
    const ingot_status status = air->disassemble(&mem_default, (str){bytes, size}, kernel, &text, error);
    if (status == INGOT_OK) return text_take(&text, out, error);
    buf_free(&text);
    return status;
}
