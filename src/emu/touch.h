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

/* The records of a granule; 0: none. */
typedef struct emu_cell {
    int64_t writer, reader, other;
} emu_cell;
/* Those that there are now. */
emu_cell emu_touch_cell(const emu_area *area, uint64_t granule);

/* The same for the 16 lanes from `t->lane` on, those that are set in `on` (NULL: all), each of which has 1 << spread granules of
 * shared memory from `granule` on. They are of one threadgroup and have passed the same barriers. False where they are to be
 * looked at one by one. */
bool emu_touch_run(emu_touch *t, emu_area *area, uint64_t granule, uint8_t spread, const uint8_t *on);

/* The access to bytes of which is known whether they hold data: `written` is that of the first byte. False to stop. */
bool emu_touch_written(const emu_touch *t, uint8_t *written);

#endif
