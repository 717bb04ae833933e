/* Fuzz target: any bytes as a .npy file. What reads must write to bytes that read to the same
 * elements. */
#include "ingot/ingot.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ingot_array *array = NULL, *again = NULL;
    ingot_text *text = NULL;
    ingot_error error;
    ingot_status status = ingot_array_parse(data, size, NULL, &array, &error);
    if ((status == INGOT_OK) != (array != NULL) || status == INGOT_INTERNAL) abort();
    if (!array) return 0;
    status = ingot_array_format(ingot_array_data(array), ingot_array_dtype(array),
                                ingot_array_shape(array), ingot_array_ndim(array), &text, &error);
    if (status != INGOT_OK) abort();
    if (ingot_array_parse(ingot_text_data(text), ingot_text_size(text), NULL, &again, &error) !=
        INGOT_OK)
        abort();
    if (ingot_array_size(array) != ingot_array_size(again)) abort();
    if (ingot_array_size(array) > 0 &&
        memcmp(ingot_array_data(array), ingot_array_data(again), ingot_array_size(array)) != 0) {
        abort();
    }
    ingot_array_release(again);
    ingot_text_release(text);
    ingot_array_release(array);
    return 0;
}
