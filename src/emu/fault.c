/* What went wrong in a kernel, said in the text's own terms: line and caret, buffer, element, thread. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "emu/library.h"

typedef struct report {
    char text[1012];
    size_t n;
} report;

__attribute__((format(printf, 2, 3))) static void say(report *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(r->text + r->n, sizeof r->text - r->n, format, args);
    va_end(args);
    if (n > 0) r->n += (size_t)n < sizeof r->text - r->n ? (size_t)n : sizeof r->text - r->n - 1;
}

static void say_object(report *r, const emu_program *p, const emu_fault *f)
{
    const bool thread = f->insn->op == EMU_LOADP || f->insn->op == EMU_STOREP;
    if (thread) {
        const emu_local *l = p->locals[f->object];
        say(r, "thread array '%.*s' of %llu bytes", STR_ARG(l->name), (unsigned long long)l->size);
        return;
    }
    const emu_object_info *o = &p->objects.at[f->object];
    switch (o->kind) {
    case EMU_OBJECT_NULL: say(r, "a null pointer"); return;
    case EMU_OBJECT_BUFFER: say(r, "buffer '%.*s' [[buffer(%u)]]", STR_ARG(o->name), (unsigned)o->slot); break;
    case EMU_OBJECT_LENGTH: say(r, "threadgroup memory '%.*s' [[threadgroup(%u)]]", STR_ARG(o->name), (unsigned)o->slot); break;
    case EMU_OBJECT_THREADGROUP: say(r, "threadgroup memory '%.*s'", STR_ARG(o->name)); break;
    case EMU_OBJECT_GLOBAL: say(r, "constant '%.*s'", STR_ARG(o->name)); break;
    }
}

static uint64_t size_of_object(const emu_program *p, const emu_launch *l, uint32_t object)
{
    const emu_object_info *o = &p->objects.at[object];
    if (o->kind == EMU_OBJECT_BUFFER) return o->slot < l->buffer_count ? l->buffers[o->slot].size : 0;
    if (o->kind == EMU_OBJECT_LENGTH) return o->slot < l->threadgroup_count ? l->threadgroup_lengths[o->slot] : 0;
    return o->size;
}

static bool is_store(const emu_insn *i)
{
    return i->access != NULL && (i->access->write || i->op == EMU_STOREP);
}

static void say_access(report *r, const emu_program *p, const emu_launch *l, const emu_fault *f)
{
    const bool thread = f->insn->op == EMU_LOADP || f->insn->op == EMU_STOREP;
    say(r, "%s of %u bytes at byte %lld of ", is_store(f->insn) ? "write" : "read", (unsigned)f->size, (long long)f->offset);
    say_object(r, p, f);
    if (!thread && p->objects.at[f->object].kind != EMU_OBJECT_NULL)
        say(r, " of %llu bytes", (unsigned long long)size_of_object(p, l, f->object));
    if (f->size != 0 && f->offset % f->size == 0)
        say(r, " (element %lld)", (long long)(f->offset / (int64_t)f->size));
}

static void say_kind(report *r, const emu_program *p, const emu_launch *l, const emu_fault *f)
{
    switch (f->kind) {
    case EMU_FAULT_NONE: break;
    case EMU_FAULT_BOUNDS:
        say(r, "out of bounds: ");
        say_access(r, p, l, f);
        break;
    case EMU_FAULT_READ_ONLY:
        say(r, "write to read-only memory: ");
        say_access(r, p, l, f);
        break;
    case EMU_FAULT_UNBOUND:
        say(r, "%s through ", is_store(f->insn) ? "write" : "read");
        say_object(r, p, f);
        if (p->objects.at[f->object].kind != EMU_OBJECT_NULL) say(r, ", where nothing is bound");
        break;
    case EMU_FAULT_ALIGN: say(r, "an atomic operation at an address that is not aligned to its size"); break;
    case EMU_FAULT_BARRIER:
        say(r, "barrier in divergent control flow: not all threads of the threadgroup reach it");
        break;
    case EMU_FAULT_BUDGET: say(r, "stopped: the threadgroup ran longer than its budget of instructions; an endless loop?"); break;
    }
}

static void say_thread(report *r, const emu_program *p, const emu_fault *f, const uint32_t first[3])
{
    const uint32_t *t = p->shape.threads;
    const uint32_t all = t[0] * t[1] * t[2], linear = f->lane % all;
    uint32_t group[3] = {first[0], first[1], first[2]};
    group[p->shape.axis] += f->lane / all;
    say(r, "; thread (%u, %u, %u) of threadgroup (%u, %u, %u)", (unsigned)(linear % t[0]), (unsigned)(linear / t[0] % t[1]),
        (unsigned)(linear / t[0] / t[1]), (unsigned)group[0], (unsigned)group[1], (unsigned)group[2]);
}

/* The source line with a caret under the place; tabs stay tabs, so that the caret stays under it. */
static void say_line(report *r, const source_pos *pos)
{
    if (pos->line == 0 || pos->text.n > 200) return;
    say(r, "\n%6u | %.*s\n       | ", (unsigned)pos->line, STR_ARG(pos->text));
    for (size_t i = 0; i < pos->offset && i < pos->text.n; ++i) say(r, "%c", pos->text.p[i] == '\t' ? '\t' : ' ');
    say(r, "^");
}

ingot_status emu_fault_report(const emu_kernel *kernel, const emu_program *program, const emu_launch *launch,
                              const emu_fault *fault, const uint32_t first[3], ingot_error *error)
{
    report r = {.n = 0};
    const source_pos pos = source_locate(&kernel->library->sources, program->spans[fault->insn->at]);
    if (pos.line != 0) say(&r, "%.*s:%u:%u: ", STR_ARG(pos.file), (unsigned)pos.line, (unsigned)pos.column);
    say_kind(&r, program, launch, fault);
    say_thread(&r, program, fault, first);
    say_line(&r, &pos);
    error_set(error, INGOT_DEVICE, "%s", r.text);
    if (error != NULL) {
        error->line = pos.line;
        error->column = pos.column;
    }
    return INGOT_DEVICE;
}
