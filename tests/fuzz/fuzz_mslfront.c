/* Fuzz target: any bytes as MSL text, through the preprocessor and parser to a printed tree. */
#include "base/arena.h"
#include "mslfront/tree.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct job {
    arena mem;
    str text;
} job;

static void read_text(void *user)
{
    job *j = user;
    source_set sources = {0};
    uint32_t file = source_add(&j->mem, &sources, STR("fuzz.metal"), j->text);
    diag_list diags = {.mem = &j->mem, .sources = &sources};
    mf_unit *unit = mf_parse(&j->mem, &sources, file, NULL, &diags);
    if ((unit == NULL) != (diags.errors != 0))
        abort(); /* refused without a word, or the other way round */
    ingot_allocator hook = arena_hook(&j->mem);
    buf out = buf_make(&hook);
    diag_render_all(&diags, false, &out);
    if (unit != NULL) mf_dump(unit, &out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    job j = {.text = {(const char *)data, size}};
    arena_init(&j.mem, NULL);
    if (!arena_guard(&j.mem, read_text, &j)) abort();
    arena_free(&j.mem);
    return 0;
}
