/* Fuzz target: any bytes as a kernel's payload: what it looks like, whether it is a sound metallib, and if so what is
 * made of it. */
#include "ingot/ingot.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was made must be read again. */
static void read_again(ingot_metallib *made)
{
    ingot_error error;
    ingot_text *text = NULL;
    if (ingot_metallib_write(made, &text, &error) != INGOT_OK) abort();
    if (ingot_metallib_check(ingot_text_data(text), ingot_text_size(text), &error) != INGOT_OK) abort();
    ingot_text_release(text);
    ingot_metallib_release(made);
}

static void use(const ingot_metallib *library)
{
    ingot_error error;
    ingot_metallib *made = NULL;
    ingot_metallib_function f;
    if (ingot_metallib_strip(library, &made, &error) == INGOT_OK) read_again(made);
    for (size_t i = 0; i < 8 && ingot_metallib_function_at(library, i, &f) == INGOT_OK; ++i) {
        if (!f.name || !f.type || f.module_size == 0) abort();
        if (ingot_metallib_select(library, &f.name, 1, &made, &error) == INGOT_OK) read_again(made);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *kind = ingot_payload_kind(data, size);
    if (!kind || !*kind) abort();
    ingot_error error;
    ingot_status status = ingot_metallib_check(data, size, &error);
    if (status == INGOT_OK && strcmp(kind, "metallib") != 0) abort();
    if (status != INGOT_OK && status != INGOT_FORMAT && status != INGOT_UNSUPPORTED) abort();
    ingot_metallib *library = NULL;
    if (ingot_metallib_read(data, size, NULL, &library, &error) != status) abort();
    if (library) use(library);
    ingot_metallib_release(library);
    ingot_fat_slice slice;
    for (size_t i = 0; i < 8 && ingot_fat_slice_at(data, size, i, &slice, &error) == INGOT_OK; ++i) {
        if (slice.size != 0 && (const uint8_t *)slice.bytes + slice.size > data + size) abort();
    }
    return 0;
}
