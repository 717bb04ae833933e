/* The mask stack's handlers, memory by any address, and what works across lanes: built once, not by instruction set. */
#ifndef EMU_MASK_H
#define EMU_MASK_H

#include "emu/vm.h"

/* Handlers of control instructions, of memory at any address, of cross-lane instructions; NULL for other ones. */
emu_handler emu_mask_handler(emu_op op);
emu_handler emu_memory_handler(emu_op op, emu_type type);
emu_handler emu_cross_handler(emu_op op, emu_type type);
emu_handler emu_texture_handler(emu_op op);

/* Makes level 0 the only one, with the first `lanes` lanes active. */
void emu_mask_reset(emu_vm *vm, uint32_t lanes);

/* Makes level 0 the only one, with lanes [from, to) active, from a multiple of the chunk. */
void emu_mask_window(emu_vm *vm, uint32_t from, uint32_t to);
/* The masks have been put back as they were: what follows from them is found again. */
void emu_mask_resume(emu_vm *vm);
/* The barrier's handler of a scheduled program. */
emu_handler emu_waiting_barrier(void);

/* Takes lanes [from, to) out of all levels, for the rest of the run. False where no lane of the top level is left. */
bool emu_mask_kill(emu_vm *vm, uint32_t from, uint32_t to);

/* What is known of a lane-constant condition in `reg`. */
emu_known_mask emu_mask_know(const emu_vm *vm, uint32_t reg);

/* Is the lane active? Only for lanes of the chunks that the mask touches. */
static inline bool emu_mask_has(const emu_mask *m, uint32_t lane)
{
    return lane >= m->lo && lane < m->hi && (m->full || m->bytes[lane] != 0);
}

static inline bool emu_active(const emu_vm *vm, uint32_t lane)
{
    return emu_mask_has(&vm->masks[vm->top], lane);
}

/* The place of one lane's access: its object, and the byte in it. */
int64_t emu_lane_offset(const emu_vm *vm, const emu_access *at, uint32_t lane);
uint32_t emu_lane_object(const emu_vm *vm, const emu_access *at, uint32_t lane);

/* Memory instructions lane by lane, with every lane's place checked: the answer where no faster way applies. */
const emu_insn *emu_load_lanes(emu_vm *vm, const emu_insn *i);
const emu_insn *emu_store_lanes(emu_vm *vm, const emu_insn *i);
const emu_insn *emu_load_private(emu_vm *vm, const emu_insn *i);
const emu_insn *emu_store_private(emu_vm *vm, const emu_insn *i);

#endif
