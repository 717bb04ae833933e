/* Bytes handed out to the caller. */
#include "api/text.h"

#include "base/error.h"

struct ingot_text {
    buf bytes;
    size_t size; /* without the NUL */
};

ingot_status text_take(buf *from, ingot_text **out, ingot_error *error)
{
    *out = NULL;
    size_t size = from->n;
    buf_char(from, '\0');
    ingot_text *text = from->failed ? NULL : mem_zeroed(from->mem, 1, sizeof *text);
    if (text == NULL) {
        buf_free(from);
        return error_no_memory(error);
    }
    text->bytes = *from;
    text->size = size;
    *from = buf_make(text->bytes.mem);
    *out = text;
    return error_none(error);
}

const char *ingot_text_data(const ingot_text *text)
{
    return text->bytes.p;
}

size_t ingot_text_size(const ingot_text *text)
{
    return text->size;
}

void ingot_text_release(ingot_text *text)
{
    if (text == NULL) return;
    const ingot_allocator *mem = text->bytes.mem;
    buf_free(&text->bytes);
    mem_free(mem, text, sizeof *text);
}
