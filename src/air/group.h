/* A kernel's function of one thread made into one of a whole threadgroup, whose threads are lanes of vectors: what the files
 * of this share.
 *
 * The function is walked once, along its control structure. Between two barriers lies a section: a loop over the group's
 * chunks of `width` threads, thread `chunk * width + i` being lane i. A value has a shape:
 *  - SAME: one scalar for the group;
 *  - LINEAR: lane i has what lane 0 has plus i * stride (stride 0: the chunk's own scalar); of a value that might wrap
 *    where it was widened, `exact` says at run time whether that holds;
 *  - EACH: a vector of lanes for each of its elements.
 * A branch on what is SAME, or LINEAR with stride 0, stays a branch; otherwise both sides run one after the other, under
 * masks. Branches around barriers must be SAME. What lives from one section to another lies in arrays by chunk.
 * What cannot be done so (`unfit`) runs as one thread after the other, or as fibres.
 * Runs under the arena's guard. */
#ifndef AIR_GROUP_H
#define AIR_GROUP_H

#include "air/lower.h"

enum { AIR_GROUP_MOST_BYTES = 6000 }; /* of a thread's memory and of its values that outlive a section */

typedef enum air_shape_kind { AIR_SHAPE_NONE, AIR_SAME, AIR_LINEAR, AIR_EACH } air_shape_kind;

typedef struct air_shape {
    air_shape_kind kind;
    bool maybe;     /* LINEAR where `exact` holds */
    uint32_t align; /* what lane 0's number is a multiple of, a power of two; 1: not known */
    int64_t stride;
} air_shape;

typedef struct group_value {
    LLVMValueRef old;
    air_shape shape;
    LLVMValueRef *parts; /* SAME, LINEAR: one; EACH: a vector of lanes for each element */
    unsigned n;
    LLVMValueRef exact;  /* i1; NULL: always */
    uint32_t section;    /* where parts hold; 0: everywhere */
    LLVMValueRef *kept;  /* arrays by chunk: of the parts, and then of `exact` where there is one */
    LLVMValueRef *here;  /* what was read from them in section `here_section` */
    uint32_t here_section;
} group_value;

/* A thread's memory. */
typedef struct group_room {
    uint64_t size;
    unsigned element;    /* bytes: the lanes' elements lie side by side; 0: each lane's memory is in one piece */
    LLVMValueRef base;   /* of the group's */
    LLVMValueRef here;   /* of the chunk's, in section `here_section` */
    uint32_t here_section;
} group_room;

typedef struct group_loop {
    struct group_block *header, *latch, *exit;
    struct group_block **body; /* all blocks in it */
    unsigned body_count;
    uint32_t rounds; /* what is taken for them at once, before it; 0: one at a time */
    bool barrier;
} group_loop;

/* A term of a check (an old value), and what it holds by: an i1 that, where true, tells it for all lanes that come there. */
typedef struct air_claim {
    LLVMValueRef term, holds;
} air_claim;

typedef struct group_block {
    LLVMBasicBlockRef block;
    unsigned number;
    struct group_block *next[2];
    unsigned nexts;
    struct group_block *join;  /* where both ways of a branch meet again */
    group_loop *heads;         /* the loop that it is the header of */
    bool barrier, heavy, seen; /* heavy: not to be run for no lane at all */
    unsigned stamp;
    air_shape_kind control;    /* of what decides on which way this block is come to */
} group_block;

typedef struct group_section {
    bool open;
    uint32_t number;
    LLVMBasicBlockRef before, head; /* head holds what the section needs, and ends in a branch to its body */
    LLVMValueRef chunk, index;      /* i32: of the chunk, of its first thread */
    LLVMValueRef x, y, z;           /* of its first thread, where rows are whole chunks */
    LLVMValueRef go_on;             /* i1: there may be a later chunk that goes the one branch that this consists of; NULL: not known */
    bool busy;                      /* it does more than that */
} group_section;

typedef struct air_group {
    air_lower *l;
    LLVMValueRef from, function, thread;
    unsigned width;
    bool whole;                  /* the threadgroup's rows are whole chunks */
    map values, rooms, blocks;   /* by old value: group_value, group_room; by old block: group_block */
    group_block **order;         /* in reverse post-order */
    unsigned count;
    LLVMBasicBlockRef entry;
    LLVMValueRef chunks, threads[3], all_threads; /* i32 */
    LLVMValueRef fuel;           /* an i32 in memory: rounds of loops that are left */
    group_value params[4];       /* x, y, z, index */
    group_section now;
    LLVMValueRef *section_ends, *section_chunks, *section_more; /* by section: its last instruction, its chunk, whether one is left */
    uint32_t sections, most_sections;
    LLVMValueRef mask;           /* lanes that run; NULL: all */
    group_loop *loop;
    air_claim *claims;           /* as long as the builder is in the block or loop that they were made for */
    unsigned claim_count, most_claims;
    bool outside;                /* at the level of sections; else within one */
    uint64_t thread_bytes;
    const char *unfit;
} air_group;

/* Makes `void air_entry(air_thread *)`, which runs a threadgroup, out of l->function. `whole`: the first dimension of the
 * threadgroup is a multiple of the width. NULL, or why it cannot be done; then the module is as it was but for passes over
 * l->function. */
const char *air_group_module(air_lower *l, bool whole, unsigned *width);

void air_group_unfit(air_group *g, const char *why); /* the first reason is kept */

/* group_tree.c: blocks, loops and joins; false where they are not nested cleanly. */
bool air_group_structure(air_group *g);
bool air_group_meets(air_group *g, const group_block *from, const group_block *stop, bool barrier); /* a barrier, or something heavy, on the way */
bool air_group_is_call(LLVMValueRef v, const char *name);

/* group_shape.c */
void air_group_shapes(air_group *g);
air_shape air_group_shape(air_group *g, LLVMValueRef old);
group_room *air_group_room(air_group *g, LLVMValueRef pointer); /* of a pointer into a thread's own memory whose lanes lie side by side */
bool air_group_step(air_group *g, LLVMValueRef gep, uint64_t *fixed, uint64_t *scale, LLVMValueRef *index, unsigned *n);

/* group_value.c: new values of old ones, where the builder stands */
unsigned air_group_elements(LLVMTypeRef t);            /* of a vector or pair; else 1 */
LLVMTypeRef air_group_element(LLVMTypeRef t, unsigned i);
LLVMTypeRef air_group_lanes_type(air_group *g, LLVMTypeRef element);
LLVMValueRef air_group_scalar(air_group *g, LLVMValueRef old);  /* SAME or LINEAR: lane 0's */
LLVMValueRef *air_group_lanes(air_group *g, LLVMValueRef old);  /* a vector for each element */
LLVMValueRef air_group_exact(air_group *g, LLVMValueRef old);   /* i1 or NULL */
LLVMValueRef air_group_splat(air_group *g, LLVMValueRef scalar);
LLVMValueRef air_group_steps(air_group *g, LLVMTypeRef type, int64_t stride); /* 0, stride, 2 stride ... */
group_value *air_group_define(air_group *g, LLVMValueRef old, LLVMValueRef *parts, LLVMValueRef exact);
group_value *air_group_record(air_group *g, LLVMValueRef old);
LLVMValueRef air_group_array(air_group *g, LLVMTypeRef element); /* one an element a chunk */
LLVMValueRef air_group_array_at(air_group *g, LLVMValueRef array, LLVMTypeRef element, LLVMValueRef chunk);
LLVMValueRef air_group_mask(air_group *g);                       /* never NULL */
LLVMValueRef air_group_bits(air_group *g, LLVMValueRef lanes);   /* an integer with a bit a lane */
LLVMValueRef air_group_any(air_group *g, LLVMValueRef lanes);
LLVMValueRef air_group_within(air_group *g, LLVMValueRef lanes); /* those of them that run */
LLVMBasicBlockRef air_group_block(air_group *g, const char *name);
void air_group_mostly(air_group *g, LLVMValueRef condition, LLVMBasicBlockRef yes, LLVMBasicBlockRef no); /* a branch that mostly goes to yes */
LLVMValueRef air_group_room_here(air_group *g, group_room *r);   /* the chunk's part, an i8 * */

/* group_op.c */
void air_group_instruction(air_group *g, LLVMValueRef old);
LLVMValueRef *air_group_compute(air_group *g, LLVMValueRef old); /* EACH, without effects */

/* group_memory.c */
LLVMValueRef *air_group_load(air_group *g, LLVMValueRef old);
void air_group_store(air_group *g, LLVMValueRef old);
LLVMValueRef air_group_offset(air_group *g, LLVMValueRef gep);    /* into a room: lane 0's, an i64 */
LLVMValueRef air_group_addresses(air_group *g, LLVMValueRef gep); /* the lanes' pointers, or their offsets into a room */

/* group_call.c: calls, and what is done lane by lane */
LLVMValueRef *air_group_call(air_group *g, LLVMValueRef old);
LLVMValueRef *air_group_one_by_one(air_group *g, LLVMValueRef old);
LLVMValueRef air_group_first_bit(air_group *g, LLVMValueRef bits); /* an i32 */
void air_group_note_lane(air_group *g, LLVMValueRef lane);         /* before what may report a fault */

/* group_guard.c: checks */
void air_group_guard(air_group *g, LLVMValueRef old);
void air_group_again(air_group *g, uint32_t rounds);
void air_group_foresee_loop(air_group *g, const group_loop *loop); /* proves its checks where the builder stands, before it */
uint32_t air_group_rounds(const group_loop *loop);                 /* at most so many; 0: not known */
LLVMValueRef air_group_of_lane(air_group *g, LLVMValueRef old, LLVMValueRef lane);

/* group_flow.c: the whole function */
void air_group_run(air_group *g);
void air_group_open(air_group *g);  /* a section, unless one is open */
void air_group_close(air_group *g);

#endif
