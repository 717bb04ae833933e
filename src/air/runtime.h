/* What compiled kernels and the code that runs them share: the thread, whose first fields compiled code reads, and the
 * functions that it calls. */
#ifndef AIR_RUNTIME_H
#define AIR_RUNTIME_H

#include "air/air.h"

enum { AIR_SLOTS = RT_MAX_BUFFERS, AIR_SIMD_WIDTH = 32 };

typedef struct air_range {
    uint8_t *data;
    uint64_t size;
} air_range;

/* One thread of a threadgroup. */
typedef struct air_thread {
    uint8_t *group_memory;     /* what the module declares in threadgroup memory */
    const air_range *buffers;  /* AIR_SLOTS of them; size 0: not bound */
    const air_range *lengths;  /* threadgroup memory by slot, AIR_MAX_GROUP_SLOTS of them */
    uint32_t position[3], group[3], groups[3], threads[3];
    uint32_t whole[3], grid[3]; /* threads of a threadgroup that is whole, and of the grid */
    uint32_t index;            /* in the threadgroup, x fastest */
    const uint32_t *places[3]; /* position[d] of every thread, padded to whole vectors */
    uint32_t fuel;             /* rounds of loops that it may go before it asks again: a slice of the launch's budget */
    struct air_crew *crew;     /* the host's, from here on */
} air_thread;

/* Exchanges between the threads of a simdgroup (or quadgroup). */
typedef enum air_cross_op {
    AIR_CROSS_SUM, AIR_CROSS_PRODUCT, AIR_CROSS_MIN, AIR_CROSS_MAX, AIR_CROSS_AND, AIR_CROSS_OR, AIR_CROSS_XOR,
    AIR_CROSS_INCLUSIVE_SUM, AIR_CROSS_EXCLUSIVE_SUM, AIR_CROSS_INCLUSIVE_PRODUCT, AIR_CROSS_EXCLUSIVE_PRODUCT,
    AIR_CROSS_TO, AIR_CROSS_UP, AIR_CROSS_DOWN, AIR_CROSS_EXOR, AIR_CROSS_ROTATE_UP, AIR_CROSS_ROTATE_DOWN, AIR_CROSS_FIRST,
    AIR_CROSS_BALLOT, AIR_CROSS_ACTIVE, AIR_CROSS_IS_FIRST, AIR_CROSS_ALL, AIR_CROSS_ANY, AIR_CROSS_WAIT
} air_cross_op;

/* How the 8 bytes that travel are read. */
typedef enum air_cross_type { AIR_CROSS_SIGNED, AIR_CROSS_UNSIGNED, AIR_CROSS_FLOAT } air_cross_type;

typedef enum air_fault_kind {
    AIR_FAULT_NONE, AIR_FAULT_BOUNDS, AIR_FAULT_READ_ONLY, AIR_FAULT_ALIGNMENT, AIR_FAULT_ENDLESS, AIR_FAULT_DIVERGENT, AIR_FAULT_SHORT,
    AIR_FAULT_UNREACHABLE, AIR_FAULT_TIME, AIR_FAULT_CANCELLED, AIR_FAULT_TEXTURE
} air_fault_kind;

/* The host functions that compiled code may call: names, addresses, and types in letters (result first): v void, f float,
 * h 16 bits, i 32 bits, l 64 bits, p pointer, w air_words. */
typedef struct air_host_function {
    const char *name, *type;
    void (*address)(void);
} air_host_function;
const air_host_function *air_host_functions(size_t *count);

/* run.c and cross.c: called by compiled code. air_rt_fault does not return. */
void air_rt_fault(air_thread *t, uint32_t kind, uint32_t what, uint64_t offset, uint32_t size);
/* Lanes, bits of the lower half of `lanes`, the first of which is thread t->index: those of its upper half, and those whose offset
 * first + lane * stride is more than `most`, are faults. names: kind << 56 | what << 32 | size. */
void air_rt_try(air_thread *t, uint64_t lanes, uint64_t first, uint64_t stride, uint64_t most, uint64_t names);
/* The thread's (or the vector's) fuel is used up, and `rounds` more are wanted: new fuel, or a fault. */
uint32_t air_rt_refuel(air_thread *t, uint32_t rounds);
void air_rt_check(air_thread *t, const void *p, uint64_t size, uint32_t writes);
void air_rt_barrier(air_thread *t, uint32_t site);

/* Of watched kernels: an access that may be made; what the barrier that follows orders, and where it is. */
void air_rt_touch(air_thread *t, const void *p, uint64_t size, uint32_t how, uint32_t place);
void air_rt_meet(air_thread *t, uint32_t flags, uint32_t place);
uint64_t air_rt_exchange(air_thread *t, uint32_t site, uint32_t how, uint64_t value, uint32_t by);
void air_rt_multiply(air_thread *t, uint32_t site, float *values);

/* The same for the lanes of a vector; lanes that are not in `active` take no part. air_rt_multiply_lanes: six rows of
 * AIR_SIMD_WIDTH floats, all lanes active. */
void air_rt_exchange_lanes(uint32_t how, uint64_t active, uint64_t *value, const uint32_t *by, uint32_t lanes);
void air_rt_multiply_lanes(float *values);
void air_rt_copy_1d(air_thread *t, uint64_t element, uint8_t *to, const uint8_t *from, uint64_t count);
void air_rt_copy_2d(air_thread *t, const uint64_t *numbers, uint8_t *to, const uint8_t *from);

/* texture.c: the launch's textures and samplers, as air_texels has them; a pixel's components two to a word. Of air_rt_texel_change
 * `how` is the kind and, from bit 8 on, the operation. */
typedef uint64_t air_words __attribute__((vector_size(16)));
air_words air_rt_texel_read(air_thread *t, uint64_t texture, uint64_t xy, uint64_t zl, uint32_t kind);
void air_rt_texel_write(air_thread *t, uint64_t texture, uint64_t xy, uint64_t zl, air_words pixel, uint32_t kind);
uint32_t air_rt_texel_change(air_thread *t, uint64_t texture, uint64_t xy, uint64_t zl, uint64_t words, uint32_t how);
uint32_t air_rt_texture_query(air_thread *t, uint64_t texture, uint32_t what, uint32_t level);
uint64_t air_rt_sampler(air_thread *t, uint64_t sampler);

#endif
