/* How long a launch may take: instructions a batch, wall time, and a flag that stops it. */
#ifndef EMU_CLOCK_H
#define EMU_CLOCK_H

#include "emu/vm.h"

/* Of one launch; read by its workers. */
typedef struct emu_clock {
    int64_t budget;       /* instructions of a batch */
    uint64_t deadline;    /* nanoseconds of the monotonic clock; 0: none */
    uint32_t milliseconds;
    const int *cancel;    /* NULL: none */
} emu_clock;

/* `budget` 0 for the usual one; see emu_launch. */
emu_clock emu_clock_make(uint64_t budget, uint32_t milliseconds, const int *cancel);

/* Why a launch has to stop now: TIME, CANCELLED or NONE. */
emu_rule emu_clock_stops(const emu_clock *c);

/* Before a batch whose code, once through, is `insns` long: fills the machine's fuel. */
void emu_clock_start(emu_vm *vm, uint32_t insns);
/* The fuel is used up: more of it (true), or the machine's fault is set, at lane. */
bool emu_clock_refill(emu_vm *vm, const emu_insn *i, uint32_t lane);
/* A turn of a scheduled program is over: pays for it. False with the fault set where the launch has to stop. */
bool emu_clock_turn(emu_vm *vm, const emu_insn *i, uint32_t lane, int64_t left);
/* Instructions that the batch has taken. */
uint64_t emu_clock_spent(const emu_vm *vm);

#endif
