/* Simdgroups one after the other: each has its own mask stack and uniform registers, and its lanes of the others. */
#include "emu/schedule.h"

#include <string.h>

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

/* One turn: until the simdgroup ends, waits, or has had its share. False at a fault. */
static bool take_turn(emu_vm *vm, emu_turn *t, uint64_t random)
{
    vm->top = t->top;
    emu_mask_resume(vm);
    vm->fuel = (int64_t)(random % 512);
    vm->resume = NULL;
    vm->at_barrier = false;
    const emu_insn *i = t->next;
    while (i != NULL) i = i->run(vm, i);
    if (vm->fault.kind != EMU_FAULT_NONE) return false;
    t->next = vm->resume;
    t->waits = vm->at_barrier;
    t->top = vm->top;
    return true;
}

/* All that have not ended wait: do they wait for one another? Then on with them; else the fault. */
static bool pass_barrier(emu_vm *vm, emu_turn *turns, uint32_t n)
{
    const emu_turn *first = NULL;
    for (uint32_t k = 0; k < n; ++k)
        if (turns[k].next != NULL && first == NULL) first = &turns[k];
    if (first == NULL) return true;
    for (uint32_t k = 0; k < n; ++k) {
        if (turns[k].next == first->next) continue;
        (void)emu_stop(vm, first->next, turns[k].next == NULL ? EMU_FAULT_BARRIER_RETURN : EMU_FAULT_BARRIER_OTHER, k * SIMD);
        return false;
    }
    for (uint32_t k = 0; k < n; ++k) {
        ++turns[k].next;
        turns[k].waits = false;
    }
    return true;
}

void emu_run_turns(emu_vm *vm, const emu_program *p, uint64_t seed, void *room)
{
    emu_turn turns[MOST_TURNS];
    const uint32_t n = turns_of(p);
    const size_t kept = kept_bytes(p);
    char *at = room;
    for (uint32_t k = 0; k < n; ++k) {
        emu_mask_window(vm, k * SIMD, (k + 1) * SIMD < vm->lanes ? (k + 1) * SIMD : vm->lanes);
        keep(vm, p, at + k * kept, false);
        turns[k] = (emu_turn){.next = p->body};
    }
    vm->yields = true;
    uint64_t state = seed;
    for (bool on = true; on;) {
        uint32_t ready[MOST_TURNS], count = 0;
        for (uint32_t k = 0; k < n; ++k)
            if (turns[k].next != NULL && !turns[k].waits) ready[count++] = k;
        if (count == 0) {
            bool waiting = false;
            for (uint32_t k = 0; k < n; ++k) waiting = waiting || turns[k].next != NULL;
            on = waiting && pass_barrier(vm, turns, n);
            continue;
        }
        state = mix(state + 0x9e3779b97f4a7c15u);
        const uint32_t k = ready[state % count];
        keep(vm, p, at + k * kept, true);
        const int64_t before = vm->budget_left;
        on = take_turn(vm, &turns[k], state >> 32) && emu_clock_turn(vm, p->body, k * SIMD, before);
        keep(vm, p, at + k * kept, false);
    }
    vm->yields = false;
}
