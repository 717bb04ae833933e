/* What went wrong in a kernel, said in the text's own terms: line and caret, buffer, element, thread. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "emu/library.h"

/* A finding being made: its strings until the collector copies them. */
typedef struct draft {
    emu_finding f;
    char message[640];
    size_t n;
    char buffer[128], files[2][256], texts[2][320];
} draft;

__attribute__((format(printf, 2, 3))) static void say(draft *d, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(d->message + d->n, sizeof d->message - d->n, format, args);
    va_end(args);
    if (n > 0) d->n += (size_t)n < sizeof d->message - d->n ? (size_t)n : sizeof d->message - d->n - 1;
}

static void put_string(char *to, size_t room, str s)
{
    const size_t n = s.n < room ? s.n : room - 1;
    memcpy(to, s.p, n);
    to[n] = '\0';
}

static bool is_thread(const emu_fault *f)
{
    return f->insn->access != NULL && f->insn->access->thread;
}

static uint64_t size_of_object(const emu_reporter *r, uint32_t object)
{
    const emu_launch *l = r->launch;
    if (object >= EMU_FIRST_RESOURCE) return l->resources[object - EMU_FIRST_RESOURCE].size;
    const emu_object_info *o = &r->program->objects.at[object];
    if (o->kind == EMU_OBJECT_BUFFER) return o->slot < l->buffer_count ? l->buffers[o->slot].size : 0;
    if (o->kind == EMU_OBJECT_LENGTH) return o->slot < l->threadgroup_count ? l->threadgroup_lengths[o->slot] : 0;
    return o->size;
}

/* Whether the fault is about an access to memory. */
static bool has_memory(emu_rule rule)
{
    const emu_check check = emu_rule_check(rule);
    if (check == EMU_CHECK_BOUNDS || check == EMU_CHECK_ALIGNMENT || check == EMU_CHECK_RACE) return true;
    return rule == EMU_FAULT_UNINIT_THREADGROUP || rule == EMU_FAULT_UNINIT_DEVICE || rule == EMU_FAULT_UNINIT_TEXTURE ||
           rule == EMU_FAULT_UNINIT_ARRAY;
}

static bool is_texel(const emu_fault *f)
{
    return f->insn->op == EMU_CHECKT;
}

/* The name of the parameter whose textures lie at the slot; "" for none. */
static str texture_name(const emu_reporter *r, uint32_t slot)
{
    const emu_kernel_info *info = &r->kernel->info;
    for (size_t i = 0; i < info->arg_count; ++i)
        if (info->args[i].kind == EMU_ARG_TEXTURE && slot - info->args[i].slot < info->args[i].count) return str_of(info->args[i].name);
    return STR("");
}

static void set_texel(draft *d, const emu_reporter *r, const emu_fault *f)
{
    emu_finding *to = &d->f;
    const emu_texture *t = &r->launch->textures[f->object];
    const uint64_t xy = (uint64_t)f->offset;
    bool missing;
    const char *at = emu_texel_at(t, xy, f->texel, &missing);
    to->memory = EMU_MEMORY_TEXTURE;
    to->slot = f->object;
    to->size = f->size;
    to->memory_size = t->size;
    to->byte = at != NULL ? at - (const char *)t->data : 0;
    to->element = (int64_t)((xy >> 32) * emu_texture_side(t->width, (uint32_t)(f->texel >> 32)) + (uint32_t)xy);
    put_string(d->buffer, sizeof d->buffer, texture_name(r, f->object));
}

static void set_memory(draft *d, const emu_reporter *r, const emu_fault *f)
{
    emu_finding *to = &d->f;
    to->byte = f->offset;
    to->size = f->size;
    str name = STR("");
    if (is_thread(f)) {
        const emu_local *l = r->program->locals[f->object];
        name = l->name;
        to->memory = EMU_MEMORY_THREAD;
        to->memory_size = l->size;
    } else if (f->object >= EMU_FIRST_RESOURCE) {
        to->memory = EMU_MEMORY_RESOURCE;
        to->slot = f->object - EMU_FIRST_RESOURCE;
        to->memory_size = size_of_object(r, f->object);
    } else {
        static const emu_memory kinds[] = {[EMU_OBJECT_NULL] = EMU_MEMORY_NONE,
                                           [EMU_OBJECT_BUFFER] = EMU_MEMORY_DEVICE,
                                           [EMU_OBJECT_LENGTH] = EMU_MEMORY_ARGUMENT,
                                           [EMU_OBJECT_THREADGROUP] = EMU_MEMORY_THREADGROUP,
                                           [EMU_OBJECT_GLOBAL] = EMU_MEMORY_CONSTANT};
        const emu_object_info *o = &r->program->objects.at[f->object];
        to->memory = kinds[o->kind];
        to->slot = o->slot;
        to->memory_size = size_of_object(r, f->object);
        if (to->memory != EMU_MEMORY_NONE) name = o->name;
    }
    put_string(d->buffer, sizeof d->buffer, name);
    if (f->size != 0) to->element = f->offset / (int64_t)f->size - (f->offset % (int64_t)f->size < 0);
    if (f->kind != EMU_FAULT_BOUNDS) return;
    const int64_t past = f->offset + (int64_t)f->size - (int64_t)to->memory_size;
    to->distance = f->offset < 0 ? f->offset : past;
}

static void say_object(draft *d)
{
    const emu_finding *f = &d->f;
    switch (f->memory) {
    case EMU_MEMORY_NONE: say(d, "a null pointer"); return;
    case EMU_MEMORY_DEVICE: say(d, "buffer '%s' [[buffer(%u)]]", d->buffer, (unsigned)f->slot); return;
    case EMU_MEMORY_ARGUMENT: say(d, "threadgroup memory '%s' [[threadgroup(%u)]]", d->buffer, (unsigned)f->slot); return;
    case EMU_MEMORY_THREADGROUP: say(d, "threadgroup memory '%s'", d->buffer); return;
    case EMU_MEMORY_THREAD: say(d, "thread array '%s'", d->buffer); return;
    case EMU_MEMORY_CONSTANT: say(d, "constant '%s'", d->buffer); return;
    case EMU_MEMORY_RESOURCE: say(d, "resource %u of the launch", (unsigned)f->slot); return;
    case EMU_MEMORY_TEXTURE:
        if (f->slot < EMU_MAX_TEXTURES) say(d, "texture '%s' [[texture(%u)]]", d->buffer, (unsigned)f->slot);
        else say(d, "texture %u of the launch", (unsigned)f->slot - EMU_MAX_TEXTURES);
        return;
    }
}

static bool is_store(const emu_insn *i)
{
    return i->access != NULL && i->access->write;
}

/* "(3, 4)", with the slice and the level where those are not 0. */
static void say_texel(draft *d, const emu_fault *f)
{
    const uint64_t xy = (uint64_t)f->offset;
    const uint32_t slice = (uint32_t)f->texel, level = (uint32_t)(f->texel >> 32);
    say(d, "%s of texel (%u, %u)", is_store(f->insn) ? "write" : "read", (unsigned)xy, (unsigned)(xy >> 32));
    if (slice != 0) say(d, " of slice %u", (unsigned)slice);
    if (level != 0) say(d, " in level %u", (unsigned)level);
    say(d, " of ");
    say_object(d);
}

static void say_access(draft *d, const emu_fault *f)
{
    if (is_texel(f)) {
        say_texel(d, f);
        return;
    }
    say(d, "%s of %u bytes at byte %lld of ", is_store(f->insn) ? "write" : "read", (unsigned)f->size, (long long)f->offset);
    say_object(d);
    if (d->f.memory != EMU_MEMORY_NONE) say(d, " of %llu bytes", (unsigned long long)d->f.memory_size);
    if (f->size != 0 && f->offset % f->size == 0) say(d, " (element %lld)", (long long)d->f.element);
}

static void say_distance(draft *d)
{
    const int64_t far = d->f.distance;
    if (far < 0) say(d, ", %lld bytes before its start", (long long)-far);
    else if (far > 0) say(d, ", reaching %lld bytes past its end", (long long)far);
}

static void say_texture(draft *d, const emu_fault *f)
{
    say(d, "%s of ", is_store(f->insn) ? "write" : "read");
    switch ((emu_texture_fault)f->offset) { /* whose slot is in `object` */
    case EMU_TEXTURE_FINE:
    case EMU_TEXTURE_UNBOUND: say(d, "[[texture(%u)]], where nothing is bound", (unsigned)f->object); break;
    case EMU_TEXTURE_ATOMIC: say(d, "[[texture(%u)]], whose format is not one 32-bit integer: it has no atomic operations", (unsigned)f->object); break;
    case EMU_TEXTURE_KIND: say(d, "[[texture(%u)]], whose format is of another kind of number", (unsigned)f->object); break;
    case EMU_TEXTURE_MEMORY: say(d, "a pixel of [[texture(%u)]] past the end of its memory", (unsigned)f->object); break;
    }
}

/* The access without what it is compared with: "write of 4 bytes at byte 8 of ..." and the other one's kind. */
static void say_race(draft *d, const emu_fault *f, const char *who)
{
    const bool other_writes = (f->detail & EMU_RACE_OTHER_WRITES) != 0, writes = is_store(f->insn);
    say_access(d, f);
    if (writes && other_writes) say(d, ", which %s writes too", who);
    else if (writes) say(d, ", which %s reads", who);
    else say(d, ", which %s writes", who);
    say(d, ", with nothing to order the two");
    if ((f->detail & EMU_RACE_SAME_VALUE) != 0) say(d, " (both write the same value)");
}

/* How large the texture is in the level that is meant. */
static void say_extent(draft *d, const emu_reporter *r, const emu_fault *f)
{
    const emu_texture *t = &r->launch->textures[f->object];
    const uint32_t level = (uint32_t)(f->texel >> 32);
    if (level >= t->levels) {
        say(d, ", which has %u levels", (unsigned)t->levels);
        return;
    }
    say(d, ", which is %u x %u", (unsigned)emu_texture_side(t->width, level), (unsigned)emu_texture_side(t->height, level));
    const uint32_t slices = emu_texture_slices(t, level);
    if (slices > 1) say(d, " in %u slices", (unsigned)slices);
    say(d, ": %s", is_store(f->insn) ? "nothing is written" : "0 is read");
}

static void say_memory_fault(draft *d, const emu_reporter *r, const emu_fault *f)
{
    switch ((int)f->kind) {
    case EMU_FAULT_BOUNDS:
        say(d, "out of bounds: ");
        say_access(d, f);
        say_distance(d);
        break;
    case EMU_FAULT_TEXEL:
        say(d, "out of bounds: ");
        say_access(d, f);
        say_extent(d, r, f);
        break;
    case EMU_FAULT_READ_ONLY:
        say(d, "write to read-only memory: ");
        say_access(d, f);
        break;
    case EMU_FAULT_UNBOUND:
        say(d, "%s through ", is_store(f->insn) ? "write" : "read");
        say_object(d);
        if (d->f.memory != EMU_MEMORY_NONE) say(d, ", where nothing is bound");
        break;
    case EMU_FAULT_ALIGN:
        say(d, "an atomic operation at an address that is not aligned to its size: ");
        say_access(d, f);
        break;
    case EMU_FAULT_MISALIGNED:
        say(d, "misaligned: ");
        say_access(d, f);
        say(d, ", whose type lies at multiples of %llu bytes", (unsigned long long)f->detail);
        break;
    case EMU_FAULT_RACE_SIMD: say_race(d, f, "another thread of the simdgroup"); break;
    case EMU_FAULT_RACE_GROUP: say_race(d, f, "another thread of the threadgroup"); break;
    case EMU_FAULT_RACE_GRID: say_race(d, f, "another threadgroup"); break;
    case EMU_FAULT_RACE_ATOMIC:
        say(d, "an atomic and a plain access to the same place: ");
        say_race(d, f, "another thread");
        break;
    default:
        say(d, "memory that was never written is read: ");
        say_access(d, f);
        break;
    }
}

static void say_flow_fault(draft *d, const emu_fault *f)
{
    static const char *const whos[] = {"threadgroup", "simdgroup"};
    const char *who = whos[f->insn->op == EMU_BARRIER && f->insn->type != 0 ? 1 : 0];
    switch ((int)f->kind) {
    case EMU_FAULT_BARRIER_OTHER:
        say(d, "different barriers: some threads of the %s wait at this one, others at one in the other branch", who);
        break;
    case EMU_FAULT_BARRIER_LOOP:
        say(d, "barrier in a loop that some threads of the %s have left: trip counts differ", who);
        break;
    case EMU_FAULT_BARRIER_RETURN: say(d, "barrier that some threads of the %s have returned before", who); break;
    case EMU_FAULT_BARRIER_PARTIAL: say(d, "a simdgroup matrix operation by fewer than 32 threads of a simdgroup"); break;
    case EMU_FAULT_BUDGET:
        say(d, "stopped: the threadgroup ran longer than its budget of %llu instructions; an endless loop?",
            (unsigned long long)f->detail);
        break;
    case EMU_FAULT_TIME: say(d, "stopped: the launch ran longer than the %u ms it was given", (unsigned)f->detail); break;
    case EMU_FAULT_CANCELLED: say(d, "stopped: the launch was cancelled"); break;
    default: say(d, "barrier in divergent control flow: not all threads of the %s reach it", who); break;
    }
}

static double float_of(uint64_t bits)
{
    const uint32_t b = (uint32_t)bits;
    float v;
    memcpy(&v, &b, sizeof v);
    return (double)v;
}

static void say_value_fault(draft *d, const emu_reporter *r, const emu_fault *f)
{
    switch ((int)f->kind) {
    case EMU_FAULT_UNINIT_LOCAL: {
        const emu_local *l = r->program->locals[f->object];
        put_string(d->buffer, sizeof d->buffer, l->name);
        d->f.memory = EMU_MEMORY_THREAD;
        d->f.memory_size = l->size;
        say(d, "variable '%s' is read before it has a value", d->buffer);
        break;
    }
    case EMU_FAULT_UNINIT_LANE:
        say(d, "shuffle from a lane that is not active: that of thread %llu of the threadgroup", (unsigned long long)f->detail);
        break;
    case EMU_FAULT_NAN: say(d, "a NaN is made of operands that are none"); break;
    case EMU_FAULT_INFINITY: say(d, "an infinity is made of finite operands"); break;
    case EMU_FAULT_DIVISION: say(d, "integer division by 0"); break;
    case EMU_FAULT_SHIFT:
        say(d, "shift by %lld, past the width of %u bits", (long long)f->detail,
            (unsigned)(emu_type_size((emu_type)f->insn->type) * 8));
        break;
    case EMU_FAULT_CONVERSION: say(d, "%g does not fit the integer type it is converted to", float_of(f->detail)); break;
    case EMU_FAULT_TEXTURE: say_texture(d, f); break;
    case EMU_FAULT_INDEX: say(d, "the 32-bit index wraps: in wider integers it is another element"); break;
    default: break;
    }
}

static void say_kind(draft *d, const emu_reporter *r, const emu_fault *f)
{
    if (has_memory(f->kind)) say_memory_fault(d, r, f);
    else if (emu_rule_check(f->kind) == EMU_CHECK_BARRIER || emu_rule_check(f->kind) == EMU_CHECK_WATCHDOG) say_flow_fault(d, f);
    else say_value_fault(d, r, f);
}

static uint32_t characters(str s, size_t from, size_t to)
{
    uint32_t n = 0;
    for (size_t i = from; i < to && i < s.n; ++i) n += ((unsigned char)s.p[i] & 0xc0) != 0x80;
    return n;
}

static void set_place(draft *d, unsigned which, const emu_reporter *r, span at)
{
    emu_place *p = which == 0 ? &d->f.first : &d->f.second;
    const source_pos pos = source_locate(&r->kernel->library->sources, at);
    put_string(d->files[which], sizeof d->files[which], pos.file);
    put_string(d->texts[which], sizeof d->texts[which], pos.text);
    p->line = pos.line;
    p->column = pos.column;
    const uint32_t n = at.end > at.begin ? characters(pos.text, pos.offset, pos.offset + (at.end - at.begin)) : 1;
    p->end_column = pos.column + (n != 0 ? n : 1);
}

static void set_thread(emu_place *p, const emu_reporter *r, uint32_t index, const uint32_t group[3])
{
    enum { SIMD = 32 };
    uint32_t t[3];
    emu_group_threads(r->launch, group, t);
    p->has_thread = true;
    p->index = index;
    p->thread[0] = index % t[0];
    p->thread[1] = index / t[0] % t[1];
    p->thread[2] = index / t[0] / t[1];
    p->simdgroup = index / SIMD;
    p->lane = index % SIMD;
    for (int a = 0; a < 3; ++a) p->group[a] = group[a];
}

static void set_first(draft *d, const emu_reporter *r, const emu_fault *f, const uint32_t first[3])
{
    set_place(d, 0, r, r->program->spans[f->insn->at]);
    const uint32_t *t = r->program->shape.threads;
    const uint32_t all = t[0] * t[1] * t[2];
    uint32_t group[3] = {first[0], first[1], first[2]};
    group[r->program->shape.axis] += f->lane / all;
    set_thread(&d->f.first, r, f->lane % all, group);
}

static void set_second(draft *d, const emu_reporter *r, const emu_fault *f, const uint32_t first[3])
{
    if (f->other.file == 0) return;
    set_place(d, 1, r, f->other);
    if (!f->other_has_thread) return;
    if (emu_rule_check(f->kind) == EMU_CHECK_BARRIER) {
        const uint32_t *t = r->program->shape.threads;
        uint32_t own[3] = {first[0], first[1], first[2]};
        own[r->program->shape.axis] += f->other_lane_of_batch / (t[0] * t[1] * t[2]);
        set_thread(&d->f.second, r, f->other_index, own);
        return;
    }
    const uint32_t *g = r->launch->groups;
    const uint32_t group[3] = {(uint32_t)(f->other_group % g[0]), (uint32_t)(f->other_group / g[0] % g[1]),
                               (uint32_t)(f->other_group / g[0] / g[1])};
    set_thread(&d->f.second, r, f->other_index, group);
}

/* The error of a finding: its place, message and thread, and the line with a caret. */
static ingot_status set_error(const emu_finding *f, ingot_error *error)
{
    char head[300] = "", thread[160] = "", line[420] = "", other[300] = "";
    const emu_place *p = &f->first;
    if (p->line != 0) (void)snprintf(head, sizeof head, "%s:%u:%u: ", p->file, (unsigned)p->line, (unsigned)p->column);
    if (p->has_thread)
        (void)snprintf(thread, sizeof thread, "; thread (%u, %u, %u) of threadgroup (%u, %u, %u)", (unsigned)p->thread[0],
                       (unsigned)p->thread[1], (unsigned)p->thread[2], (unsigned)p->group[0], (unsigned)p->group[1],
                       (unsigned)p->group[2]);
    if (p->line != 0 && strlen(p->text) <= 200) {
        int n = snprintf(line, sizeof line, "\n%6u | %s\n       | ", (unsigned)p->line, p->text);
        uint32_t column = 1;
        for (const char *at = p->text; *at != '\0' && column < p->column && n < (int)sizeof line - 2; ++at) {
            if (((unsigned char)*at & 0xc0) == 0x80) continue;
            line[n++] = *at == '\t' ? '\t' : ' '; /* tabs stay tabs, so that the caret stays under its place */
            ++column;
        }
        line[n] = '^';
        line[n + 1] = '\0';
    }
    if (f->second.line != 0)
        (void)snprintf(other, sizeof other, "\n%s:%u:%u: the other place", f->second.file, (unsigned)f->second.line,
                       (unsigned)f->second.column);
    error_set(error, INGOT_DEVICE, "%s%s%s%s%s", head, f->message, thread, line, other);
    if (error != NULL) {
        error->line = p->line;
        error->column = p->column;
    }
    return INGOT_DEVICE;
}

ingot_status emu_report(const emu_reporter *r, const emu_fault *fault, const uint32_t first[3], uint64_t times,
                        ingot_error *error)
{
    draft d = {.n = 0};
    d.f = (emu_finding){.check = emu_rule_check(fault->kind),
                        .rule = fault->kind,
                        .kernel = r->kernel->info.name,
                        .message = d.message,
                        .fix = emu_rule_fix(fault->kind),
                        .buffer = d.buffer,
                        .times = times};
    d.f.first.file = d.files[0];
    d.f.first.text = d.texts[0];
    d.f.second.file = d.files[1];
    d.f.second.text = d.texts[1];
    if (is_texel(fault)) set_texel(&d, r, fault);
    else if (has_memory(fault->kind)) set_memory(&d, r, fault);
    set_first(&d, r, fault, first);
    set_second(&d, r, fault, first);
    say_kind(&d, r, fault);
    if (r->launch->findings != NULL && !emu_findings_add(r->launch->findings, &d.f)) return error_no_memory(error);
    return set_error(&d.f, error);
}
