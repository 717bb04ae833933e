/* Fuzz target: any text as a TVMScript program. A text that compiles must print to a text that
 * prints the same. */
#include "ingot/ingot.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static ingot_text *emit(const char *text, size_t size, ingot_emit what)
{
    ingot_definition definitions[] = {
        {"n", ingot_int(64)},
        {"dtype", ingot_str("float32", 7)},
    };
    ingot_compile_options options = INGOT_COMPILE_OPTIONS_INIT;
    options.definitions = definitions;
    options.definition_count = sizeof definitions / sizeof definitions[0];
    options.ignore_callback = 1;
    options.verify = 1;
    ingot_text *out = NULL;
    ingot_error error;
    ingot_status status = ingot_compile_emit(text, size, what, &options, &out, &error);
    if ((status == INGOT_OK) != (out != NULL)) abort();
    if (status == INGOT_INTERNAL || status == INGOT_OUT_OF_MEMORY) abort();
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    ingot_text *first = emit(text, size, INGOT_EMIT_TIR);
    if (first) {
        ingot_text *second = emit(ingot_text_data(first), ingot_text_size(first), INGOT_EMIT_TIR);
        if (!second || ingot_text_size(first) != ingot_text_size(second) ||
            memcmp(ingot_text_data(first), ingot_text_data(second), ingot_text_size(first)) != 0) {
            abort();
        }
        ingot_text_release(second);
        ingot_text_release(emit(text, size, INGOT_EMIT_TVM_METAL));
    }
    ingot_text_release(first);
    return 0;
}
