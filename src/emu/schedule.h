/* Orders that a seed makes: of threadgroups in a grid, and of simdgroups within a threadgroup. */
#ifndef EMU_SCHEDULE_H
#define EMU_SCHEDULE_H

#include "emu/code.h"
#include "emu/profile.h"

/* Position `at` of [0, n) under the seed's permutation; 0 leaves all in place. */
uint64_t emu_permute(uint64_t seed, uint64_t at, uint64_t n);

/* Bytes of what emu_run_turns needs beside the machine, for a program that is `scheduled`. */
size_t emu_turns_bytes(const emu_program *p);

/* How a threadgroup's simdgroups are run one by one. */
typedef struct emu_turns {
    const emu_program *program;
    uint64_t seed;      /* which is next, and for how long; 0: one after the other, each for the same time */
    char *room;         /* of emu_turns_bytes bytes, aligned as EMU_ALIGN */
    emu_counts *counts; /* of a profile, or NULL */
} emu_turns;

/* Runs one threadgroup, whose lanes the machine's mask holds, simdgroup by simdgroup; barriers hold each until all are
 * there. The machine has a fault where the threadgroup ended by one. */
void emu_run_turns(emu_vm *vm, const emu_turns *how);

#endif
