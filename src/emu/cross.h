/* Cross-lane instructions: what the checks ask of them. */
#ifndef EMU_CROSS_H
#define EMU_CROSS_H

#include "emu/vm.h"

/* The lane that an active lane's SHUFFLE reads. */
uint32_t emu_shuffle_source(const emu_vm *vm, const emu_insn *i, uint32_t lane);

#endif
