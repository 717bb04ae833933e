/* One lane's access to memory, held against what others have done there. */
#ifndef EMU_TOUCH_H
#define EMU_TOUCH_H

#include "emu/check.h"

typedef struct emu_touch {
    emu_vm *vm;
    emu_checker *c;
    const emu_insn *insn;
    const emu_object *o; /* NULL: a texel */
    emu_area *area;
    uint32_t lane, object; /* of a texel the texture's slot */
    int64_t offset;        /* bytes within the object; of a texel its place: see emu_fault */
    uint64_t place;        /* of a texel: see emu_fault.detail */
    uint32_t size;
    int64_t rec;
    bool read, write, atomic;
} emu_touch;

/* The fault of the access, to be filled in further. */
emu_fault emu_touch_fault(const emu_touch *t, emu_rule rule);

/* Is the access at `at`, which lies in `area`, ordered with all others there? Notes it for those that come. False to stop. */
bool emu_touch_area(emu_touch *t, emu_area *area, const char *at);

/* The access to bytes of which is known whether they hold data: `written` is that of the first byte. False to stop. */
bool emu_touch_written(const emu_touch *t, uint8_t *written);

#endif
