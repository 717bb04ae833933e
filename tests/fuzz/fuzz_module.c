/* Fuzz target: any bytes as an .ingot file and as a device module. What loads must save to bytes
 * that load to the same. */
#include "ingot/ingot.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef ingot_status (*load_fn)(const void *bytes, size_t size, const ingot_allocator *allocator,
                                ingot_module **out, ingot_error *error);
typedef ingot_status (*save_fn)(const ingot_module *module, ingot_text **out, ingot_error *error);

/* Reads all that a module can be asked for, so that the sanitizers see each byte of it. */
static size_t look_at(const ingot_module *module)
{
    size_t sum = strlen(ingot_module_format(module));
    for (size_t i = 0; i < ingot_module_kernel_count(module); i++) {
        ingot_kernel_info info;
        if (ingot_module_kernel(module, i, &info) != INGOT_OK) abort();
        sum += strlen(info.name);
        for (size_t k = 0; k < info.source_size; k++) sum += (unsigned char)info.source[k];
        for (size_t k = 0; k < info.payload_size; k++) sum += (unsigned char)info.payload[k];
        for (size_t k = 0; k < info.arg_count; k++) sum += info.arg_types[k].bits;
        for (size_t k = 0; k < info.launch_tag_count; k++) sum += strlen(info.launch_tags[k]);
    }
    for (size_t i = 0; i < ingot_module_function_count(module); i++) {
        const char *name = ingot_module_function_name(module, i);
        for (size_t k = 0; k < ingot_module_param_count(module, name); k++) {
            ingot_param_info info;
            if (ingot_module_param(module, name, k, &info) != INGOT_OK) abort();
            sum += strlen(info.name);
            if (info.kind != INGOT_PARAM_TENSOR) continue;
            for (size_t d = 0; d < info.ndim; d++) sum += strlen(info.shape[d]);
        }
    }
    ingot_text *source = NULL;
    if (ingot_module_source(module, &source, NULL) == INGOT_OK) sum += ingot_text_size(source);
    ingot_text_release(source);
    return sum;
}

static void try_bytes(const uint8_t *data, size_t size, load_fn load, save_fn save)
{
    ingot_module *module = NULL, *again = NULL;
    ingot_text *first = NULL, *second = NULL;
    ingot_error error;
    ingot_status status = load(data, size, NULL, &module, &error);
    if ((status == INGOT_OK) != (module != NULL) || status == INGOT_INTERNAL) abort();
    if (!module) return;
    volatile size_t sink = look_at(module); /* keeps the reads from being optimised away */
    (void)sink;
    if (save(module, &first, &error) != INGOT_OK) abort();
    if (load(ingot_text_data(first), ingot_text_size(first), NULL, &again, &error) != INGOT_OK)
        abort();
    if (save(again, &second, &error) != INGOT_OK) abort();
    if (ingot_text_size(first) != ingot_text_size(second) ||
        memcmp(ingot_text_data(first), ingot_text_data(second), ingot_text_size(first)) != 0) {
        abort();
    }
    ingot_text_release(second);
    ingot_text_release(first);
    ingot_module_release(again);
    ingot_module_release(module);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_bytes(data, size, ingot_module_load, ingot_module_save);
    try_bytes(data, size, ingot_module_device_load, ingot_module_device_save);
    return 0;
}
