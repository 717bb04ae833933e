/* The threads of a threadgroup as fibres of one worker: what the files that run them share. */
#ifndef AIR_CREW_H
#define AIR_CREW_H

#include "air/fibre.h"
#include "air/kernel.h"

typedef enum air_state { AIR_READY, AIR_AT_BARRIER, AIR_AT_CROSS, AIR_AT_MULTIPLY, AIR_DONE } air_state;

typedef struct air_member {
    air_thread thread; /* first: compiled code has its address */
    air_fibre fibre;
    air_state state;
    uint32_t site, how, by;
    uint32_t place;   /* of a watched kernel: where it was last */
    uint64_t value;   /* AIR_AT_CROSS: in and out */
    float *matrix;    /* AIR_AT_MULTIPLY: likewise, on the fibre's stack */
} air_member;

typedef struct air_fault {
    air_fault_kind kind;
    uint32_t what, size;
    uint64_t offset;
    const char *why; /* TEXTURE: `what` is its slot */
    uint32_t group[3], position[3];
} air_fault;

typedef struct air_crew {
    const air_kernel *kernel;
    const air_code *code;
    air_fibre host;
    air_member *members;
    const uint32_t *threads; /* of a threadgroup along each axis */
    size_t count;            /* all of them */
    size_t fibres;    /* `count`, or 1 where no thread waits for another */
    char *stacks;     /* one a fibre, a page that cannot be touched below each */
    size_t stack_bytes, page;
    char *contexts;
    uint32_t *places;      /* x of each thread, y, z; padded to whole vectors */
    uint8_t *group_room, *group_memory; /* as it was allocated; static, then by slot */
    size_t group_bytes;
    const air_range *buffers;
    air_range lengths[AIR_MAX_GROUP_SLOTS];
    const air_launch *launch;
    struct air_course *course; /* of the launch, shared by its workers */
    uint64_t spent;            /* slices of fuel that the threadgroup was given, in rounds */
    const char *why;           /* of AIR_FAULT_TEXTURE */
    uint64_t group;            /* the number of the threadgroup that runs */
    air_fault fault;
} air_crew;

/* Lets the exchanges of one simdgroup take place that can: those of its threads that wait at the first place (in the
 * order of the text). False where none waits. */
bool air_crew_exchange(air_crew *c, size_t first);

#endif
