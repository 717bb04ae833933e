/* A kernel that was compiled: its machine code and what is known of it. */
#ifndef AIR_KERNEL_H
#define AIR_KERNEL_H

#include <llvm-c/LLJIT.h>

#include "air/runtime.h"
#include "base/pool.h"

typedef struct air_kernel_param {
    uint32_t kind, slot, count, space; /* air_param_kind */
    bool reads, writes;
    uint64_t size, align, least;
    const char *name, *type;
} air_kernel_param;

struct air_kernel {
    const ingot_allocator *mem;
    pool memory;
    LLVMOrcLLJITRef jit;
    void (*entry)(air_thread *t); /* one thread; of a kernel that does not sync the whole threadgroup */
    const air_range *constants; /* of its module; the last one has size 0 */
    bool syncs;
    uint64_t threadgroup_bytes;
    const air_kernel_param *params;
    size_t param_count;
    rt_slot slots[AIR_SLOTS];
    rt_kernel_info info;
};

#endif
