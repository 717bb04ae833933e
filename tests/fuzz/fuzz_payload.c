/* Fuzz target: any bytes as a kernel's payload: what it looks like, whether it is a sound metallib.
 */
#include "ingot/ingot.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *kind = ingot_payload_kind(data, size);
    if (!kind || !*kind) abort();
    ingot_error error;
    ingot_status status = ingot_metallib_check(data, size, &error);
    if (status == INGOT_OK && strcmp(kind, "metallib") != 0) abort();
    if (status != INGOT_OK && status != INGOT_FORMAT && status != INGOT_UNSUPPORTED) abort();
    return 0;
}
