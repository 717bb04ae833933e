/* Checks of kernels that are no text, as those of metallibs: races, barriers, first reads and bounds, from what their threads are seen to
 * do. A word of memory has a record of who wrote and who read it last; two accesses are ordered as in check.h, but for what atomic
 * operations hand from threadgroup to threadgroup: a kernel that may do so is not judged across threadgroups. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "emu/engine.h"
#include "emu/vm.h"

enum { WORD = 4, SIMDGROUPS = 32, MEMORIES = 2 };
enum { DEVICE, THREADGROUP };

/* An access: by thread `thread` of threadgroup `group` - 1 (0: none), after so many barriers of all and of its simdgroup. */
typedef struct touch {
    uint32_t group, place, barriers, simd_barriers;
    uint16_t thread;
    uint8_t bytes; /* of the word, a bit each */
    bool atomic;
} touch;
typedef struct word {
    touch write, read;
    uint8_t written; /* threadgroup memory: the bytes that have a value */
} word;

/* A buffer of the launch, or the threadgroup's memory. */
typedef struct area {
    const char *data;
    size_t size;
    word *words;
    const emu_arg *arg; /* NULL: threadgroup memory */
} area;

/* One finding; those of the same places are one. */
typedef struct met {
    emu_finding finding;
    uint32_t place, other;
    char message[320], file[2][200];
} met;

typedef struct audit {
    const emu_launch *launch;
    const emu_kernel_info *info;
    const ingot_allocator *mem;
    air_watch watch;
    area areas[EMU_MAX_BUFFERS + 1]; /* the last one is the threadgroup's */
    const char *group_memory;
    uint32_t group; /* number in the grid, from 1 */
    uint32_t barriers[MEMORIES], simd_barriers[MEMORIES][SIMDGROUPS];
    met *found;
    size_t count, most;
    uint64_t dropped;
    bool no_memory;
} audit;

static bool checks(const audit *a, emu_check c)
{
    return (a->launch->checks >> c & 1u) != 0;
}

/* ---- Findings --------------------------------------------------------------------------------------------------------------- */

static void set_place(emu_place *p, const air_where *at, char *file, size_t room)
{
    (void)snprintf(file, room, "%s", at->file);
    *p = (emu_place){.file = file, .text = "", .line = at->line, .column = at->column, .end_column = at->column + 1, .has_thread = true, .index = at->thread};
    p->simdgroup = at->thread / EMU_SIMD_WIDTH;
    p->lane = at->thread % EMU_SIMD_WIDTH;
    memcpy(p->thread, at->position, sizeof p->thread);
    memcpy(p->group, at->group, sizeof p->group);
}

/* The finding of these places, new or met before; NULL where it was, or there is no room. */
static met *find(audit *a, emu_rule rule, const area *memory, uint32_t place, uint32_t other)
{
    const uint32_t slot = memory != NULL && memory->arg != NULL ? memory->arg->slot : 0;
    for (size_t i = 0; i < a->count; ++i) {
        met *m = &a->found[i];
        const bool same = m->place == place && m->other == other, swapped = m->finding.check == EMU_CHECK_RACE && m->place == other && m->other == place;
        if (m->finding.rule != rule || m->finding.slot != slot || (!same && !swapped)) continue;
        ++m->finding.times;
        return NULL;
    }
    if (a->count == a->most) {
        ++a->dropped;
        return NULL;
    }
    met *m = &a->found[a->count++];
    *m = (met){.place = place, .other = other};
    m->finding = (emu_finding){.check = emu_rule_check(rule), .rule = rule, .kernel = a->info->name, .fix = emu_rule_fix(rule), .times = 1, .slot = slot, .buffer = "",
                               .message = m->message, .first = {.file = "", .text = ""}, .second = {.file = "", .text = ""}};
    return m;
}

static void add(audit *a, emu_rule rule, const air_where *at, const air_where *other, const char *text)
{
    met *m = find(a, rule, NULL, at->place, other != NULL ? other->place : UINT32_MAX);
    if (m == NULL) return;
    set_place(&m->finding.first, at, m->file[0], sizeof m->file[0]);
    if (other != NULL) set_place(&m->finding.second, other, m->file[1], sizeof m->file[1]);
    (void)snprintf(m->message, sizeof m->message, "%s: thread (%u, %u, %u) of threadgroup (%u, %u, %u)", text, (unsigned)at->position[0],
                   (unsigned)at->position[1], (unsigned)at->position[2], (unsigned)at->group[0], (unsigned)at->group[1], (unsigned)at->group[2]);
}

/* About an access; `with`: what the other one does, and by which thread (of which group, from 1), for races. */
static void add_access(audit *a, emu_rule rule, const area *m, const air_where *at, uint64_t byte, uint64_t size, const char *text, const touch *with)
{
    met *f = find(a, rule, m, at->place, with != NULL ? with->place : UINT32_MAX);
    if (f == NULL) return;
    const uint64_t element = m->arg != NULL && m->arg->elem_size != 0 ? m->arg->elem_size : WORD;
    char name[120], who[56] = "";
    if (m->arg != NULL) (void)snprintf(name, sizeof name, " (element %llu) of buffer '%.60s' [[buffer(%u)]]", (unsigned long long)(byte / element), m->arg->name, (unsigned)m->arg->slot);
    else (void)snprintf(name, sizeof name, " of threadgroup memory");
    if (with != NULL && with->group == a->group) (void)snprintf(who, sizeof who, " by thread %u", (unsigned)with->thread);
    else if (with != NULL) (void)snprintf(who, sizeof who, " by thread %u of threadgroup %u", (unsigned)with->thread, (unsigned)with->group - 1);
    set_place(&f->finding.first, at, f->file[0], sizeof f->file[0]);
    f->finding.memory = m->arg != NULL ? EMU_MEMORY_DEVICE : EMU_MEMORY_THREADGROUP;
    f->finding.buffer = m->arg != NULL ? m->arg->name : "threadgroup memory";
    f->finding.byte = (int64_t)byte;
    f->finding.element = (int64_t)(byte / element);
    f->finding.size = (uint32_t)size;
    f->finding.memory_size = m->size;
    (void)snprintf(f->message, sizeof f->message, "%s of %u bytes at byte %llu%s by thread (%u, %u, %u) of threadgroup (%u, %u, %u)%s%s", text, (unsigned)size,
                   (unsigned long long)byte, name, (unsigned)at->position[0], (unsigned)at->position[1], (unsigned)at->position[2],
                   (unsigned)at->group[0], (unsigned)at->group[1], (unsigned)at->group[2], with != NULL ? ", with nothing to order it and the access" : ", which nobody has written", who);
}

/* ---- Accesses --------------------------------------------------------------------------------------------------------------- */

static area *area_of(audit *a, const char *p)
{
    for (size_t i = 0; i <= EMU_MAX_BUFFERS; ++i) {
        area *m = &a->areas[i];
        if (m->data != NULL && (uintptr_t)p - (uintptr_t)m->data < m->size) return m;
    }
    return NULL;
}

static bool ordered(const audit *a, const touch *before, int memory, uint32_t thread)
{
    const uint32_t simd = thread / EMU_SIMD_WIDTH;
    if (before->thread / EMU_SIMD_WIDTH == simd && before->simd_barriers < a->simd_barriers[memory][simd]) return true;
    return before->barriers < a->barriers[memory];
}

static bool races(const audit *a, const touch *before, const touch *now, int memory)
{
    if (before->group == 0 || (before->bytes & now->bytes) == 0 || (before->atomic && now->atomic)) return false;
    if (before->group != now->group) return !a->watch.hands_on;
    return before->thread != now->thread && !ordered(a, before, memory, now->thread);
}

static emu_rule race_rule(const touch *before, const touch *now)
{
    if (before->atomic || now->atomic) return EMU_FAULT_RACE_ATOMIC;
    if (before->group != now->group) return EMU_FAULT_RACE_GRID;
    return before->thread / EMU_SIMD_WIDTH == now->thread / EMU_SIMD_WIDTH ? EMU_FAULT_RACE_SIMD : EMU_FAULT_RACE_GROUP;
}

static void look_for_race(audit *a, const area *m, const air_where *at, const word *w, const touch *now, bool writes, uint64_t byte, uint64_t size)
{
    const int memory = m->arg != NULL ? DEVICE : THREADGROUP;
    const touch *with = races(a, &w->write, now, memory) ? &w->write : writes && races(a, &w->read, now, memory) ? &w->read : NULL;
    if (with != NULL) add_access(a, race_rule(with, now), m, at, byte, size, writes ? "write" : "read", with);
}

/* Have the bytes of the word values? `written` of a buffer: the caller's. */
static bool has_values(const audit *a, const area *m, const word *w, uint64_t at, uint8_t bytes)
{
    const uint8_t *const *written = (const uint8_t *const *)a->launch->written;
    if (m->arg == NULL) return (bytes & ~w->written) == 0;
    const uint8_t *known = written != NULL ? written[m->arg->slot] : NULL;
    for (unsigned k = 0; known != NULL && k < WORD; ++k)
        if ((bytes >> k & 1) != 0 && known[at * WORD + k] == 0) return false;
    return true;
}

static void note_values(const audit *a, const area *m, word *w, uint64_t at, uint8_t bytes)
{
    uint8_t *known = m->arg != NULL && a->launch->written != NULL ? a->launch->written[m->arg->slot] : NULL;
    w->written |= bytes;
    for (unsigned k = 0; known != NULL && k < WORD; ++k)
        if ((bytes >> k & 1) != 0) known[at * WORD + k] = 1;
}

static void touch_word(audit *a, area *m, const air_where *at, uint64_t index, uint8_t bytes, air_touch how)
{
    word *w = &m->words[index];
    const int memory = m->arg != NULL ? DEVICE : THREADGROUP;
    const bool writes = how != AIR_TOUCH_READ;
    const touch now = {a->group, at->place, a->barriers[memory], a->simd_barriers[memory][at->thread / EMU_SIMD_WIDTH], (uint16_t)at->thread, bytes, how == AIR_TOUCH_ATOMIC};
    const uint64_t byte = index * WORD + (uint64_t)__builtin_ctz(bytes), size = (uint64_t)__builtin_popcount(bytes);
    if (checks(a, EMU_CHECK_UNINITIALISED) && how != AIR_TOUCH_WRITE && !has_values(a, m, w, index, bytes))
        add_access(a, m->arg != NULL ? EMU_FAULT_UNINIT_DEVICE : EMU_FAULT_UNINIT_THREADGROUP, m, at, byte, size, "read", NULL);
    if (writes) note_values(a, m, w, index, bytes);
    if (checks(a, EMU_CHECK_RACE)) look_for_race(a, m, at, w, &now, writes, byte, size);
    if (writes) w->write = now;
    else w->read = now;
}

static void touched(void *user, const air_where *at, const void *p, uint64_t size, air_touch how)
{
    audit *a = user;
    area *m = area_of(a, p);
    if (m == NULL || m->words == NULL || size == 0) return;
    const uint64_t from = (uint64_t)((uintptr_t)p - (uintptr_t)m->data), to = from + size < m->size ? from + size : m->size;
    for (uint64_t i = from / WORD; i * WORD < to; ++i) {
        uint8_t bytes = 0;
        for (unsigned k = 0; k < WORD; ++k)
            if (i * WORD + k >= from && i * WORD + k < to) bytes |= (uint8_t)(1u << k);
        touch_word(a, m, at, i, bytes, how);
    }
}

/* ---- Threadgroups and barriers ------------------------------------------------------------------------------------------- */

static size_t word_bytes(size_t size)
{
    return (size + WORD - 1) / WORD * sizeof(word);
}

static void began(void *user, const uint32_t group[3], const void *memory, size_t size)
{
    audit *a = user;
    const uint32_t *n = a->launch->groups;
    area *m = &a->areas[EMU_MAX_BUFFERS];
    a->group = 1 + group[0] + n[0] * (group[1] + n[1] * group[2]);
    memset(a->barriers, 0, sizeof a->barriers);
    memset(a->simd_barriers, 0, sizeof a->simd_barriers);
    if (m->words == NULL || m->size != size) {
        mem_free(a->mem, m->words, word_bytes(m->size));
        m->words = mem_alloc(a->mem, word_bytes(size));
        a->no_memory = a->no_memory || m->words == NULL;
    }
    m->data = memory;
    m->size = size;
    if (m->words != NULL) memset(m->words, 0, word_bytes(size));
}

static void met_at_barrier(void *user, uint32_t flags, uint32_t simdgroup)
{
    audit *a = user;
    for (int m = 0; m < MEMORIES; ++m) {
        if ((flags >> m & 1) == 0) continue;
        if (simdgroup == UINT32_MAX) ++a->barriers[m];
        for (uint32_t k = 0; k < SIMDGROUPS; ++k)
            if (simdgroup == UINT32_MAX || simdgroup == k) ++a->simd_barriers[m][k];
    }
}

static void parted(void *user, air_parting how, const air_where *at, const air_where *other)
{
    const bool ended = how == AIR_PARTED_RETURN;
    add(user, ended ? EMU_FAULT_BARRIER_RETURN : EMU_FAULT_BARRIER_OTHER, at, other,
        ended ? "barrier that some threads of the threadgroup have ended before" : "barrier while other threads of the threadgroup wait at another one");
}

static void failed(void *user, bool bounds, const air_where *at, const char *text)
{
    add(user, bounds ? EMU_FAULT_BOUNDS : EMU_FAULT_BUDGET, at, NULL, text);
}

/* ---- The launch ------------------------------------------------------------------------------------------------------------ */

static bool make_areas(audit *a)
{
    for (size_t i = 0; i < a->info->arg_count; ++i) {
        const emu_arg *arg = &a->info->args[i];
        const bool buffer = arg->kind == EMU_ARG_DEVICE || arg->kind == EMU_ARG_CONSTANT;
        if (!buffer || arg->slot >= a->launch->buffer_count || arg->slot >= EMU_MAX_BUFFERS || a->launch->buffers[arg->slot].data == NULL) continue;
        const emu_binding *b = &a->launch->buffers[arg->slot];
        area *m = &a->areas[arg->slot];
        *m = (area){b->data, b->size, mem_zeroed(a->mem, (b->size + WORD - 1) / WORD, sizeof(word)), arg};
        if (m->words == NULL) return false;
    }
    a->found = mem_zeroed(a->mem, a->most, sizeof *a->found);
    return a->found != NULL;
}

static ingot_status hand_over(audit *a, ingot_error *error)
{
    emu_findings *to = a->launch->findings;
    if (to == NULL && a->count != 0) return error_set(error, INGOT_DEVICE, "kernel '%s': %s", a->info->name, a->found[0].message);
    for (size_t i = 0; i < a->count; ++i)
        if (!emu_findings_add(to, &a->found[i].finding)) return error_no_memory(error);
    if (to != NULL) to->dropped += a->dropped;
    return a->no_memory ? error_no_memory(error) : error_none(error);
}

ingot_status emu_audit_run(const air_component *air, air_kernel *kernel, const emu_kernel_info *info, const emu_launch *l, ingot_error *error)
{
    audit a = {.launch = l, .info = info, .mem = mem_or_default(NULL), .most = l->findings != NULL ? l->findings->most : 1};
    a.watch = (air_watch){.user = &a, .began = began, .touched = touched, .met = met_at_barrier, .parted = parted, .failed = failed};
    ingot_status status = make_areas(&a) ? emu_native_watched(air, kernel, l, &a.watch, error) : error_no_memory(error);
    if (status == INGOT_OK) status = hand_over(&a, error);
    for (size_t i = 0; i <= EMU_MAX_BUFFERS; ++i) mem_free(a.mem, a.areas[i].words, word_bytes(a.areas[i].size));
    mem_free(a.mem, a.found, a.most * sizeof *a.found);
    return status;
}
