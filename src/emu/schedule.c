/* Simdgroups one after the other: each has its own mask stack and uniform registers, and its lanes of the others. */
#include "emu/schedule.h"

#include <string.h>

#include "emu/check.h"
#include "emu/clock.h"
#include "emu/mask.h"

enum { SIMD = 32, MOST_TURNS = 1024 / SIMD };

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Four rounds over the two halves of the position's bits; what falls outside [0, n) goes round again. */
uint64_t emu_permute(uint64_t seed, uint64_t at, uint64_t n)
{
    if (seed == 0 || n < 2) return at;
    unsigned half = 1;
    while ((uint64_t)1 << 2 * half < n) ++half;
    const uint64_t mask = ((uint64_t)1 << half) - 1;
    do {
        uint64_t l = at >> half, r = at & mask;
        for (unsigned round = 0; round < 4; ++round) {
            const uint64_t next = l ^ (mix(r + seed * 0x9e3779b97f4a7c15u + round) & mask);
            l = r;
            r = next;
        }
        at = l << half | r;
    } while (at >= n);
    return at;
}

/* What a simdgroup keeps: masks of all levels, uniform registers. */
static size_t kept_bytes(const emu_program *p)
{
    size_t n = (p->levels + 1) * sizeof(emu_mask);
    n = (n + EMU_ALIGN - 1) / EMU_ALIGN * EMU_ALIGN;
    for (size_t i = 0; i < p->uniforms.n; ++i) n += p->uniforms.at[i].bytes;
    return (n + EMU_ALIGN - 1) / EMU_ALIGN * EMU_ALIGN;
}

static uint32_t turns_of(const emu_program *p)
{
    const uint32_t *t = p->shape.threads;
    return (t[0] * t[1] * t[2] + SIMD - 1) / SIMD;
}

size_t emu_turns_bytes(const emu_program *p)
{
    return kept_bytes(p) * turns_of(p);
}

/* Moves the machine's state of one simdgroup into the room, or back. */
static void keep(emu_vm *vm, const emu_program *p, char *room, bool back)
{
    const size_t masks = (p->levels + 1) * sizeof(emu_mask);
    memcpy(back ? (char *)vm->masks : room, back ? room : (char *)vm->masks, masks);
    char *at = room + (masks + EMU_ALIGN - 1) / EMU_ALIGN * EMU_ALIGN;
    for (size_t i = 0; i < p->uniforms.n; ++i) {
        char *reg = vm->frame + p->uniforms.at[i].reg;
        const size_t n = p->uniforms.at[i].bytes;
        memcpy(back ? reg : at, back ? at : reg, n);
        at += n;
    }
}

/* A simdgroup between two of its turns. */
typedef struct turn {
    const emu_insn *next; /* NULL: it has ended */
    bool waits;           /* at the barrier `next` */
    uint32_t top;
} turn;

/* The simdgroups of a threadgroup under way. */
typedef struct round {
    const emu_turns *how;
    turn turns[MOST_TURNS];
    uint32_t count, last; /* last: whose turn it was */
    uint64_t state;       /* of the random order */
} round;

/* One turn: until the simdgroup ends, waits, or has had its share. False at a fault. */
static bool take_turn(emu_vm *vm, const emu_turns *how, turn *t, uint32_t share)
{
    vm->top = t->top;
    emu_mask_resume(vm);
    vm->fuel = share;
    vm->resume = NULL;
    vm->at_barrier = false;
    const emu_insn *i = t->next;
    if (how->counts != NULL) emu_counts_run(how->counts, vm, i);
    else
        while (i != NULL) i = i->run(vm, i);
    if (vm->fault.kind != EMU_FAULT_NONE) return false;
    t->next = vm->resume;
    t->waits = vm->at_barrier;
    t->top = vm->top;
    return true;
}

/* All that have not ended wait: do they wait for one another? Then on with them; else the threadgroup ends. That some have
 * ended is a finding of a checked run. */
static bool pass_barrier(emu_vm *vm, round *r)
{
    const emu_insn *at = NULL;
    uint32_t first = 0;
    for (uint32_t k = r->count; k-- > 0;) {
        if (r->turns[k].next == NULL) continue;
        at = r->turns[k].next;
        first = k;
    }
    if (at == NULL) return false; /* all have ended */
    for (uint32_t k = 0; k < r->count; ++k) {
        const emu_insn *other = r->turns[k].next;
        if (other == at || (other == NULL && vm->check == NULL)) continue;
        if (vm->check != NULL) emu_check_missing(vm, at, other, first * SIMD, k * SIMD);
        else (void)emu_stop(vm, at, EMU_FAULT_BARRIER_OTHER, k * SIMD);
        return false;
    }
    for (uint32_t k = 0; k < r->count; ++k) {
        if (r->turns[k].next != NULL) ++r->turns[k].next;
        r->turns[k].waits = false;
    }
    if (vm->check != NULL) emu_check_met(vm, at);
    return true;
}

/* Whose turn is next; `count` where all wait or have ended. */
static uint32_t choose(round *r)
{
    uint32_t ready[MOST_TURNS], n = 0;
    for (uint32_t j = 1; j <= r->count; ++j) {
        const uint32_t k = (r->last + j) % r->count;
        if (r->turns[k].next != NULL && !r->turns[k].waits) ready[n++] = k;
    }
    if (n == 0) return r->count;
    if (r->how->seed != 0) r->state = mix(r->state + 0x9e3779b97f4a7c15u);
    r->last = ready[r->how->seed != 0 ? r->state % n : 0];
    return r->last;
}

void emu_run_turns(emu_vm *vm, const emu_turns *how)
{
    enum { SHARE = 512 };
    const emu_program *p = how->program;
    const size_t kept = kept_bytes(p);
    round r = {.how = how, .count = turns_of(p), .state = how->seed};
    r.last = r.count - 1;
    for (uint32_t k = 0; k < r.count; ++k) {
        emu_mask_window(vm, k * SIMD, (k + 1) * SIMD < vm->lanes ? (k + 1) * SIMD : vm->lanes);
        keep(vm, p, how->room + k * kept, false);
        r.turns[k] = (turn){.next = p->body};
    }
    vm->yields = true;
    vm->given_up = false;
    for (bool on = true; on && !vm->given_up;) {
        const uint32_t k = choose(&r);
        if (k == r.count) {
            on = pass_barrier(vm, &r);
            continue;
        }
        keep(vm, p, how->room + k * kept, true);
        const int64_t before = vm->budget_left;
        const uint32_t share = how->seed != 0 ? (uint32_t)(r.state >> 32) % SHARE : SHARE;
        on = take_turn(vm, how, &r.turns[k], share) && emu_clock_turn(vm, p->body, k * SIMD, before);
        keep(vm, p, how->room + k * kept, false);
    }
    vm->yields = false;
}
