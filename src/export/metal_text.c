/* All kernels of a module in one Metal text. */
#include "base/error.h"
#include "export/export.h"

/* Texts come in parts between blank lines at the left margin: the prelude, structs, helpers, kernels. */
typedef struct parts {
    str *items;
    size_t count;
} parts;

/* The next part; p NULL at the end. Blank lines inside a body do not end it: the line after is indented or closes it. */
static str next_part(str *rest)
{
    while (rest->n > 0 && rest->p[0] == '\n') *rest = (str){rest->p + 1, rest->n - 1};
    if (rest->n == 0) return (str){0};
    size_t end = 0;
    for (; end < rest->n; ++end) {
        bool blank = rest->p[end] == '\n' && end + 1 < rest->n && rest->p[end + 1] == '\n';
        if (!blank) continue;
        size_t next = end;
        while (next < rest->n && rest->p[next] == '\n') ++next;
        if (next == rest->n || (rest->p[next] != ' ' && rest->p[next] != '}')) break;
    }
    str part = {rest->p, end};
    *rest = (str){rest->p + end, rest->n - end};
    return part;
}

static bool has(const parts *seen, str part)
{
    for (size_t i = 0; i < seen->count; ++i) {
        if (str_eq(seen->items[i], part)) return true;
    }
    return false;
}

static ingot_status add(pool *memory, parts *seen, str part)
{
    if ((seen->count & (seen->count + 1)) == 0) { /* 0, 1, 3, 7 ...: full */
        str *grown = pool_array(memory, str, seen->count * 2 + 1);
        if (grown == NULL) return INGOT_OUT_OF_MEMORY;
        if (seen->count != 0) memcpy(grown, seen->items, seen->count * sizeof *grown);
        seen->items = grown;
    }
    seen->items[seen->count++] = part;
    return INGOT_OK;
}

static str source_of(const ingot_module *m, const pack_kernel *k)
{
    return k->source.p == NULL && m->device->format == PACK_METAL ? k->payload : k->source;
}

ingot_status export_metal(const ingot_module *m, buf *out, ingot_error *error)
{
    pool memory = pool_make(m->mem);
    parts seen = {0};
    ingot_status status = INGOT_OK;
    for (size_t i = 0; status == INGOT_OK && i < m->device->kernel_count; ++i) {
        const pack_kernel *k = &m->device->kernels[i];
        str rest = source_of(m, k);
        if (rest.p == NULL) {
            status = error_set(error, INGOT_NOT_FOUND, "kernel \"%s\": the module does not hold its Metal text", k->name.p);
            break;
        }
        for (str part = next_part(&rest); part.p != NULL && status == INGOT_OK; part = next_part(&rest)) {
            if (has(&seen, part)) continue;
            if (seen.count != 0) buf_char(out, '\n');
            buf_str(out, part);
            buf_char(out, '\n');
            if (add(&memory, &seen, part) != INGOT_OK) status = error_no_memory(error);
        }
    }
    pool_free(&memory);
    return status;
}
