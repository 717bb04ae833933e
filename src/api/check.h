/* A checker from the inside. */
#ifndef API_CHECK_H
#define API_CHECK_H

#include "emu/emu.h"
#include "ingot/ingot.h"

struct ingot_checker {
    const ingot_allocator *mem;
    emu_checking checking;
    emu_findings findings;
    emu_limits limits;
    ingot_target *target; /* held; its name is in the limits */
};

#endif
