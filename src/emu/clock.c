/* Fuel is given in slices: a loop only counts down, and what may stop the launch is looked at when a slice is used up. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "emu/clock.h"

#include <time.h>

enum { SLICE = 1 << 20 };

static uint64_t now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

emu_clock emu_clock_make(uint64_t budget, uint32_t milliseconds, const int *cancel)
{
    return (emu_clock){.budget = budget != 0 && budget <= INT64_MAX ? (int64_t)budget : (int64_t)1 << 31,
                       .deadline = milliseconds != 0 ? now_ns() + (uint64_t)milliseconds * 1000000u : 0,
                       .milliseconds = milliseconds,
                       .cancel = cancel};
}

emu_rule emu_clock_stops(const emu_clock *c)
{
    if (c->cancel != NULL && __atomic_load_n(c->cancel, __ATOMIC_RELAXED) != 0) return EMU_FAULT_CANCELLED;
    return c->deadline != 0 && now_ns() > c->deadline ? EMU_FAULT_TIME : EMU_FAULT_NONE;
}

static void take_slice(emu_vm *vm)
{
    vm->slice = vm->budget_left < SLICE ? vm->budget_left : SLICE;
    vm->budget_left -= vm->slice;
    vm->fuel = vm->slice;
}

void emu_clock_start(emu_vm *vm, uint32_t insns)
{
    vm->budget_left = vm->clock->budget - insns;
    take_slice(vm);
}

bool emu_clock_refill(emu_vm *vm, const emu_insn *i, uint32_t lane)
{
    const emu_clock *c = vm->clock;
    emu_rule why = emu_clock_stops(c);
    if (why == EMU_FAULT_NONE && vm->budget_left <= 0) why = EMU_FAULT_BUDGET;
    if (why == EMU_FAULT_NONE) {
        const int64_t debt = vm->fuel;
        take_slice(vm);
        vm->fuel += debt;
        return true;
    }
    (void)emu_stop(vm, i, why, lane);
    vm->fault.detail = why == EMU_FAULT_BUDGET ? (uint64_t)c->budget : c->milliseconds;
    return false;
}

bool emu_clock_turn(emu_vm *vm, const emu_insn *i, uint32_t lane, int64_t left)
{
    enum { TURN = 256 }; /* of instructions, on the whole */
    vm->budget_left = left - TURN;
    vm->fuel = 0;
    if (vm->budget_left > 0 && (vm->budget_left & 0xffff) >= TURN) return true; /* the time is looked at now and then */
    return emu_clock_refill(vm, i, lane);
}

uint64_t emu_clock_spent(const emu_vm *vm)
{
    return (uint64_t)(vm->clock->budget - vm->budget_left - vm->fuel);
}
