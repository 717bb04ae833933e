/* The messages of a launch, handed out when it has ended. */
#include <stdlib.h>
#include <string.h>

#include "emu/library.h"
#include "emu/log.h"

static int by_order(const void *a, const void *b)
{
    emu_log_entry x, y;
    const char *p, *q;
    memcpy(&p, a, sizeof p);
    memcpy(&q, b, sizeof q);
    memcpy(&x, p, sizeof x);
    memcpy(&y, q, sizeof y);
    if (x.order != y.order) return x.order < y.order ? -1 : 1;
    return p < q ? -1 : p > q; /* of one batch: as they came */
}

static size_t bytes_of(const emu_log_entry *e)
{
    return sizeof *e + (e->size + 7) / 8 * 8;
}

/* A string of the program's as C has it, cut where it is longer than any should be. */
static const char *ended(str s, char *room, size_t size)
{
    const size_t n = s.n < size ? s.n : size - 1;
    memcpy(room, s.p, n);
    room[n] = '\0';
    return room;
}

static void say_one(const emu_log_entry *e, const char *text, const emu_kernel *kernel, const emu_logging *to)
{
    char subsystem[256], category[256], said[EMU_LOG_TEXT];
    const source_pos at = emu_kernel_place(kernel, e->call->at);
    emu_log_message m = {.level = (emu_log_level)e->call->level,
                         .subsystem = ended(e->call->subsystem, subsystem, sizeof subsystem),
                         .category = ended(e->call->category, category, sizeof category),
                         .text = ended((str){text, e->size}, said, sizeof said),
                         .kernel = kernel->info.name,
                         .file = at.file.p,
                         .line = at.line,
                         .column = at.column};
    memcpy(m.thread, e->thread, sizeof m.thread);
    memcpy(m.group, e->group, sizeof m.group);
    to->say(to->user, &m);
}

bool emu_log_say(emu_log *log, const emu_kernel *kernel, const emu_logging *to, uint64_t last)
{
    if (to == NULL || to->say == NULL) return true;
    size_t count = 0;
    emu_log_entry e;
    for (size_t at = 0; at < log->size; at += bytes_of(&e), ++count) memcpy(&e, log->bytes + at, sizeof e);
    const char **entries = mem_alloc(log->mem, (count + 1) * sizeof *entries);
    if (entries == NULL) return false;
    size_t n = 0;
    for (size_t at = 0; at < log->size; at += bytes_of(&e)) {
        memcpy(&e, log->bytes + at, sizeof e);
        if (e.order <= last) entries[n++] = log->bytes + at;
    }
    qsort(entries, n, sizeof *entries, by_order);
    size_t said = 0, bytes = 0;
    for (; said < n; ++said) {
        memcpy(&e, entries[said], sizeof e);
        bytes += bytes_of(&e);
        if (bytes > log->most || e.order > log->full_at) break;
        say_one(&e, entries[said] + sizeof e, kernel, to);
    }
    if ((said < n || (log->full_at != UINT64_MAX && log->full_at <= last)) && to->full != NULL) to->full(to->user);
    mem_free(log->mem, entries, (count + 1) * sizeof *entries);
    return true;
}
