/* The instruction sets that this build has lane handlers for. */
#ifndef EMU_ISA_H
#define EMU_ISA_H

#include "emu/vm.h"

/* By index, the plainest first; NULL past the last one that this machine can run. */
const emu_isa *emu_isa_at(unsigned index);

/* The widest that this machine can run. */
const emu_isa *emu_isa_best(void);

#endif
