/* The log instructions, and what a launch's workers have logged. */
#include "emu/log.h"

#include <string.h>

#include "emu/mask.h"

bool emu_log_open(emu_log *log, const ingot_allocator *mem, const emu_log_calls *calls, uint32_t width)
{
    *log = (emu_log){.mem = mem, .calls = calls->at, .row = 1, .full_at = UINT64_MAX};
    for (size_t i = 0; i < calls->n; ++i)
        if (calls->at[i].values > log->row) log->row = calls->at[i].values;
    log->rows = mem_zeroed(mem, (size_t)width * log->row, sizeof *log->rows);
    return log->rows != NULL;
}

void emu_log_close(emu_log *log, uint32_t width)
{
    mem_free(log->mem, log->bytes, log->cap);
    mem_free(log->mem, log->rows, (size_t)width * log->row * sizeof *log->rows);
    *log = (emu_log){.full_at = UINT64_MAX};
}

/* Room for `n` bytes more; false when out of memory. */
static bool make_room(emu_log *log, size_t n)
{
    if (log->size + n <= log->cap) return true;
    size_t cap = log->cap == 0 ? 1024 : log->cap * 2;
    while (cap < log->size + n) cap *= 2;
    char *grown = mem_alloc(log->mem, cap);
    if (grown == NULL) {
        log->no_memory = true;
        return false;
    }
    if (log->size != 0) memcpy(grown, log->bytes, log->size);
    mem_free(log->mem, log->bytes, log->cap);
    log->bytes = grown;
    log->cap = cap;
    return true;
}

/* Entries begin where 64 bits may lie. */
static size_t padded(size_t n)
{
    return (n + 7) / 8 * 8;
}

/* A worker's batches come in their order: where it is full, what it would add is past what is kept of all. */
static void add(emu_log *log, const emu_log_entry *e, const char *text)
{
    const size_t n = sizeof *e + padded(e->size);
    if (log->full_at != UINT64_MAX) return;
    if (log->size + n > log->most || !make_room(log, n)) {
        log->full_at = log->order;
        return;
    }
    memcpy(log->bytes + log->size, e, sizeof *e);
    memcpy(log->bytes + log->size + sizeof *e, text, e->size);
    log->size += n;
}

bool emu_log_join(emu_log *to, emu_log *from)
{
    if (to->mem == NULL) *to = (emu_log){.mem = from->mem, .full_at = UINT64_MAX};
    const bool fits = !from->no_memory && make_room(to, from->size);
    if (fits && from->size != 0) {
        memcpy(to->bytes + to->size, from->bytes, from->size);
        to->size += from->size;
    }
    if (from->full_at < to->full_at) to->full_at = from->full_at;
    from->size = 0;
    from->full_at = UINT64_MAX;
    from->no_memory = false;
    return fits;
}

static const emu_insn *op_value(emu_vm *vm, const emu_insn *i)
{
    const emu_mask *m = &vm->masks[vm->top];
    for (uint32_t lane = m->lo; lane < m->hi; ++lane)
        if (emu_active(vm, lane))
            memcpy(&vm->log->rows[(size_t)lane * vm->log->row + (size_t)i->imm],
                   vm->frame + i->a + lane / EMU_CHUNK * i->sa + lane % EMU_CHUNK * sizeof(uint64_t), sizeof(uint64_t));
    return i + 1;
}

static const emu_insn *op_log(emu_vm *vm, const emu_insn *i)
{
    emu_log *log = vm->log;
    const emu_mask *m = &vm->masks[vm->top];
    char text[EMU_LOG_TEXT];
    for (uint32_t lane = m->lo; lane < m->hi; ++lane) {
        if (!emu_active(vm, lane) || log->full_at != UINT64_MAX || log->calls[i->imm].level < log->least) continue;
        const uint32_t member = lane / vm->group_threads, linear = lane % vm->group_threads;
        emu_log_entry e = {.order = log->order, .call = &log->calls[i->imm]};
        memcpy(e.group, log->first, sizeof e.group);
        e.group[log->axis] += member;
        e.thread[0] = linear % log->threads[0];
        e.thread[1] = linear / log->threads[0] % log->threads[1];
        e.thread[2] = linear / log->threads[0] / log->threads[1];
        e.size = (uint32_t)emu_log_format(e.call, &log->rows[(size_t)lane * log->row], text);
        add(log, &e, text);
    }
    return i + 1;
}

emu_handler emu_log_handler(emu_op op)
{
    if (op == EMU_LOGVALUE) return op_value;
    return op == EMU_LOGTEXT ? op_log : NULL;
}
