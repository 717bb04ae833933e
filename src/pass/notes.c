/* The table of annotations and attributes, and the messages about those that nothing acts on. */
#include "pass/notes.h"

static const struct {
    const char *key;
    note_use use;
    const char *what;
} known[] = {
#define NOTE(key, use, what) {key, NOTE_##use, what},
#include "pass/notes.def"
#undef NOTE
};

/* Is this the first time in the module? */
static bool is_new(pass_context *cx, str key)
{
    if (map_get(&cx->warned, key) != NULL) return false;
    map_put(cx->diags->mem, &cx->warned, str_copy(cx->diags->mem, key), cx);
    return true;
}

bool note_stays(pass_context *cx, span at, const char *what, str key)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        if (!str_is(key, known[i].key)) continue;
        if (known[i].use == NOTE_REFUSED) {
            diag_error(cx->diags, at, "%s '%.*s' is not supported: %s", what, STR_ARG(key), known[i].what);
        } else if (known[i].use == NOTE_HINT && is_new(cx, key)) {
            diag_warning(cx->diags, at, "%s '%.*s' has no effect: %s", what, STR_ARG(key), known[i].what);
        }
        return known[i].use == NOTE_KEPT;
    }
    if (is_new(cx, key)) diag_warning(cx->diags, at, "%s '%.*s' is not known and has no effect", what, STR_ARG(key));
    return false;
}

ir_attrs notes_kept(pass_context *cx, span at, ir_attrs notes)
{
    if (notes.n == 0) return notes;
    ir_attr_entry *kept = arena_array(cx->mem, ir_attr_entry, notes.n);
    size_t n = 0;
    for (size_t i = 0; i < notes.n; ++i) {
        if (note_stays(cx, at, "annotation", notes.at[i].key)) kept[n++] = notes.at[i];
    }
    return n == notes.n ? notes : (ir_attrs){kept, n};
}
