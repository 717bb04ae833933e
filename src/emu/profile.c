/* Counting what instructions cost while they run. */
#include "emu/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/library.h"
#include "emu/mask.h"

typedef struct emu_count {
    emu_cost cost;
    emu_pattern_seen pattern;
} emu_count;

/* ---- Counting ------------------------------------------------------------------------------------------- */

/* The counters of an instruction's place; NULL when out of memory. */
static emu_count *count_of(emu_counts *c, uint32_t at)
{
    if (at >= c->n) {
        const size_t n = (at / 64u + 1u) * 64u * 2u;
        emu_count *grown = mem_resize(c->mem, c->at, c->n * sizeof *grown, n * sizeof *grown);
        if (grown == NULL) {
            c->no_memory = true;
            return NULL;
        }
        memset(grown + c->n, 0, (n - c->n) * sizeof *grown);
        c->at = grown;
        c->n = n;
    }
    return &c->at[at];
}

/* The active threads of a simdgroup. */
typedef struct simd {
    uint32_t first;  /* lane of its thread 0 */
    uint32_t active; /* threads as bits */
    uint32_t count;
} simd;

/* The next simdgroup from lane `*from` on that has an active thread; false past the last. Simdgroups do not cross
 * threadgroups. */
static bool next_simd(const emu_vm *vm, uint32_t *from, simd *out)
{
    const uint32_t end = vm->masks[vm->top].hi;
    while (*from < end && *from < vm->lanes) {
        const uint32_t in_group = *from % vm->group_threads;
        uint32_t size = EMU_SIMD_WIDTH - in_group % EMU_SIMD_WIDTH;
        if (size > vm->group_threads - in_group) size = vm->group_threads - in_group;
        *out = (simd){.first = *from};
        for (uint32_t k = 0; k < size; ++k) {
            if (*from + k >= end || *from + k < vm->masks[vm->top].lo || !emu_active(vm, *from + k)) continue;
            out->active |= 1u << k;
            ++out->count;
        }
        *from += size;
        if (out->count != 0) return true;
    }
    return false;
}

/* Different values of a sorted list. */
static uint32_t distinct(const int64_t *sorted, uint32_t n)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; ++i) count += i == 0 || sorted[i] != sorted[i - 1];
    return count;
}

static int by_value(const void *a, const void *b)
{
    int64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x < y ? -1 : x > y;
}

enum { MOST_UNITS = EMU_SIMD_WIDTH * 9 }; /* 32 bytes a thread are at most 9 words */

/* The words or lines of `unit` bytes that the threads touch, sorted. */
static uint32_t units_of(const emu_pattern_seen *p, int64_t shift, int64_t unit, int64_t out[MOST_UNITS])
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < EMU_SIMD_WIDTH; ++k) {
        if ((p->active >> k & 1u) == 0) continue;
        const int64_t at = p->offset[k] + shift, last = (at + (int64_t)p->bytes - 1) / unit;
        for (int64_t u = at / unit; u <= last && n < MOST_UNITS; ++u) out[n++] = u;
    }
    qsort(out, n, sizeof *out, by_value);
    return n;
}

/* Turns that the banks take: the most different words that one of them has to give. */
static uint32_t turns_of(const emu_pattern_seen *p)
{
    int64_t words[MOST_UNITS];
    uint32_t banks[EMU_PROFILE_BANKS] = {0}, most = 0;
    const uint32_t n = units_of(p, 0, 4, words);
    for (uint32_t i = 0; i < n; ++i) {
        if (i != 0 && words[i] == words[i - 1]) continue;
        uint32_t *bank = &banks[(uint64_t)words[i] % EMU_PROFILE_BANKS];
        if (++*bank > most) most = *bank;
    }
    return most;
}

static void name_memory(const emu_counts *c, uint32_t object, emu_pattern_seen *p)
{
    const emu_program *program = c->program;
    const str name = object < program->objects.n ? program->objects.at[object].name : STR("");
    (void)snprintf(p->name, sizeof p->name, "%.*s", STR_ARG(name));
}

/* One simdgroup's access. */
static void count_access(emu_counts *c, emu_count *to, const emu_vm *vm, const emu_insn *i, const simd *s)
{
    const emu_access *at = i->access;
    emu_pattern_seen p = {.seen = true, .write = at->write, .active = s->active, .bytes = (uint32_t)at->bytes * at->count};
    uint32_t object = 0;
    for (uint32_t k = 0; k < EMU_SIMD_WIDTH; ++k) {
        if ((s->active >> k & 1u) == 0) continue;
        object = emu_lane_object(vm, at, s->first + k);
        p.offset[k] = emu_lane_offset(vm, at, s->first + k);
    }
    p.threadgroup = at->threadgroup;
    ++to->cost.accesses;
    const uint64_t bytes = (uint64_t)p.bytes * s->count;
    if (p.threadgroup) {
        p.turns = turns_of(&p);
        to->cost.threadgroup_bytes += bytes;
        const uint32_t least = (p.bytes + 3) / 4 < 1 ? 1 : (p.bytes * s->count + 127) / 128;
        to->cost.conflicts += p.turns > least ? p.turns - least : 0;
    } else {
        int64_t lines[MOST_UNITS], words[MOST_UNITS];
        const int64_t shift = object < c->program->objects.n ? (int64_t)((uintptr_t)vm->objects[object].base % EMU_PROFILE_LINE) : 0;
        p.lines = distinct(lines, units_of(&p, shift, EMU_PROFILE_LINE, lines));
        const uint32_t touched = distinct(words, units_of(&p, 0, 4, words));
        to->cost.device_bytes += bytes;
        to->cost.lines += p.lines;
        to->cost.least_lines += (touched * 4u + EMU_PROFILE_LINE - 1) / EMU_PROFILE_LINE;
    }
    const bool worse = !to->pattern.seen || p.lines > to->pattern.lines || p.turns > to->pattern.turns;
    if (!worse) return;
    name_memory(c, object, &p);
    to->pattern = p;
}

/* Do the threads of a simdgroup part on the condition in `a`? */
static bool parts(const emu_vm *vm, const emu_insn *i, const simd *s)
{
    uint32_t yes = 0;
    for (uint32_t k = 0; k < EMU_SIMD_WIDTH; ++k) {
        if ((s->active >> k & 1u) == 0) continue;
        const uint32_t lane = s->first + k;
        const char *at = vm->frame + i->a + lane / EMU_CHUNK * i->sa + (i->sa != 0 ? lane % EMU_CHUNK : 0);
        yes += *at != 0;
    }
    return yes != 0 && yes != s->count;
}

typedef enum insn_kind { PLAIN, ACCESS, BRANCH, FENCE, NOTHING } insn_kind;

static insn_kind kind_of(const emu_insn *i)
{
    switch ((int)i->op) {
    case EMU_LOADU:
    case EMU_LOADL:
    case EMU_LOADG:
    case EMU_STOREU:
    case EMU_STOREL:
    case EMU_STOREG:
    case EMU_ATOMIC: return ACCESS;
    case EMU_IF:
    case EMU_IFL:
    case EMU_KEEP:
    case EMU_DROP:
    case EMU_JUMPZ:
    case EMU_JUMPNZ: return BRANCH;
    case EMU_BARRIER: return FENCE;
    case EMU_END:
    case EMU_NOP:
    case EMU_POP:
    case EMU_PUSH:
    case EMU_ELSE:
    case EMU_JUMP:
    case EMU_LEAVING:
    case EMU_POISON:
    case EMU_FORGETP: return NOTHING; /* the machine's own bookkeeping */
    default: return PLAIN;
    }
}

static void count(emu_counts *c, const emu_vm *vm, const emu_insn *i)
{
    const insn_kind kind = kind_of(i);
    if (kind == NOTHING) return;
    emu_count *to = count_of(c, i->at);
    if (to == NULL) return;
    uint32_t from = 0;
    simd s;
    while (next_simd(vm, &from, &s)) {
        ++to->cost.instructions;
        to->cost.threads += s.count;
        if (kind == ACCESS) count_access(c, to, vm, i, &s);
        if (kind == FENCE) ++to->cost.barriers;
        if (kind != BRANCH) continue;
        ++to->cost.branches;
        to->cost.divergent += parts(vm, i, &s);
    }
}

void emu_counts_run(emu_counts *c, emu_vm *vm, const emu_insn *i)
{
    while (i != NULL) {
        count(c, vm, i);
        i = i->run(vm, i);
    }
}

/* ---- By line -------------------------------------------------------------------------------------------- */

static void add_cost(emu_cost *to, const emu_cost *from)
{
    to->instructions += from->instructions;
    to->threads += from->threads;
    to->accesses += from->accesses;
    to->device_bytes += from->device_bytes;
    to->threadgroup_bytes += from->threadgroup_bytes;
    to->lines += from->lines;
    to->least_lines += from->least_lines;
    to->conflicts += from->conflicts;
    to->branches += from->branches;
    to->divergent += from->divergent;
    to->barriers += from->barriers;
}

/* The row of a place, in its order; NULL when out of memory. */
static emu_profile_row *row_of(emu_profile *p, str file, uint32_t line, uint32_t column)
{
    size_t i = 0;
    for (; i < p->n; ++i) {
        const emu_profile_row *r = &p->at[i];
        const int order = str_cmp(str_of(r->file), file);
        if (order == 0 && r->line == line && r->column == column) return &p->at[i];
        if (order > 0 || (order == 0 && (r->line > line || (r->line == line && r->column > column)))) break;
    }
    if (p->n == p->cap) {
        const size_t cap = p->cap != 0 ? p->cap * 2 : 32;
        emu_profile_row *at = mem_resize(p->mem, p->at, p->cap * sizeof *at, cap * sizeof *at);
        if (at == NULL) return NULL;
        p->at = at;
        p->cap = cap;
    }
    char *name = mem_alloc(p->mem, file.n + 1);
    if (name == NULL) return NULL;
    if (file.n != 0) memcpy(name, file.p, file.n);
    name[file.n] = '\0';
    memmove(&p->at[i + 1], &p->at[i], (p->n - i) * sizeof *p->at);
    p->at[i] = (emu_profile_row){.file = name, .line = line, .column = column};
    ++p->n;
    return &p->at[i];
}

static bool add_place(emu_profile *profile, const source_pos *pos, const emu_count *from)
{
    emu_profile_row *line = row_of(profile, pos->file, pos->line, 0);
    if (line == NULL) return false;
    add_cost(&line->cost, &from->cost);
    if (!from->pattern.seen) return true;
    emu_profile_row *access = row_of(profile, pos->file, pos->line, pos->column);
    if (access == NULL) return false;
    add_cost(&access->cost, &from->cost);
    emu_pattern_seen *p = &access->pattern;
    if (!p->seen || from->pattern.lines > p->lines || from->pattern.turns > p->turns) *p = from->pattern;
    return true;
}

void emu_counts_add(emu_counts *c, const emu_kernel *kernel, emu_profile *profile)
{
    for (size_t i = 0; i < c->n && !c->no_memory; ++i) {
        if (c->at[i].cost.instructions == 0) continue;
        const source_pos pos = source_locate(&kernel->library->sources, c->program->spans[i]);
        if (pos.line != 0 && !add_place(profile, &pos, &c->at[i])) c->no_memory = true;
    }
    if (c->no_memory) profile->no_memory = true;
    mem_free(c->mem, c->at, c->n * sizeof *c->at);
    c->at = NULL;
    c->n = 0;
}

void emu_profile_free(emu_profile *p)
{
    for (size_t i = 0; i < p->n; ++i) {
        union {
            const char *from;
            char *to;
        } name = {.from = p->at[i].file};
        mem_free(p->mem, name.to, strlen(p->at[i].file) + 1);
    }
    mem_free(p->mem, p->at, p->cap * sizeof *p->at);
    *p = (emu_profile){.mem = p->mem};
}
