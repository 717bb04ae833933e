/* Orders that a seed makes: of threadgroups in a grid, and of simdgroups within a threadgroup. */
#ifndef EMU_SCHEDULE_H
#define EMU_SCHEDULE_H

#include "emu/code.h"

/* Position `at` of [0, n) under the seed's permutation; 0 leaves all in place. */
uint64_t emu_permute(uint64_t seed, uint64_t at, uint64_t n);

/* A simdgroup between two of its turns. */
typedef struct emu_turn {
    const emu_insn *next; /* NULL: it has ended */
    bool waits;           /* at the barrier `next` */
    uint32_t top;
} emu_turn;

/* Bytes of what emu_run_turns needs beside the machine, for a program that is `scheduled`. */
size_t emu_turns_bytes(const emu_program *p);

/* Runs one threadgroup, whose lanes the machine's mask holds, simdgroup by simdgroup: which is next, and for how long, the
 * seed decides; barriers hold each until all are there. `room` has emu_turns_bytes bytes, aligned as EMU_ALIGN. The machine
 * has a fault where the threadgroup ended by one. */
void emu_run_turns(emu_vm *vm, const emu_program *p, uint64_t seed, void *room);

#endif
