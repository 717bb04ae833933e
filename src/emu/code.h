/* From a graph to a program of the lane machine. */
#ifndef EMU_CODE_H
#define EMU_CODE_H

#include "emu/graph.h"
#include "emu/lower.h"
#include "emu/shadow.h"

/* A value put into a uniform register before the first run. */
typedef struct emu_literal {
    uint32_t reg;
    emu_type type;
    int64_t bits;
} emu_literal;
VEC_DECLARE(emu_literal_list, emu_literal)

typedef struct emu_input_reg {
    emu_input which;
    uint32_t reg;
} emu_input_reg;
VEC_DECLARE(emu_input_list, emu_input_reg)
VEC_DECLARE(emu_reg_list, uint32_t)

/* An index register with the scale that an access puts on it. */
typedef struct emu_scaled_reg {
    uint32_t reg;
    int64_t scale;
} emu_scaled_reg;
VEC_DECLARE(emu_scaled_list, emu_scaled_reg)
VEC_DECLARE(emu_insn_list, emu_insn)
VEC_DECLARE(emu_span_list, span)

VEC_DECLARE(emu_site_list, emu_site)

/* A construct with a mask of its own, for telling why a thread does not reach a barrier; 0 is none. */
typedef enum emu_construct_kind {
    EMU_CONSTRUCT_IF,
    EMU_CONSTRUCT_LOOP,
    EMU_CONSTRUCT_CONTINUE, /* what `continue` leaves */
    EMU_CONSTRUCT_BLOCK     /* what `return` (or a switch's break) leaves */
} emu_construct_kind;
typedef struct emu_construct {
    emu_construct_kind kind;
    uint32_t at, outer;     /* index of its span; of the construct around it */
    uint32_t other_barrier; /* IF: span of a barrier in its other branch, plus 1 */
} emu_construct;
VEC_DECLARE(emu_construct_list, emu_construct)

/* What the program does with an object. */
typedef struct emu_use {
    bool reads, writes;
    uint8_t granule; /* bytes of the smallest element accessed; 0: none is */
} emu_use;

/* A uniform register of the body. */
typedef struct emu_uniform {
    uint32_t reg, bytes;
} emu_uniform;
VEC_DECLARE(emu_uniform_list, emu_uniform)

/* A kernel made ready for one shape of launch. Immutable; lies in its arena. */
typedef struct emu_program {
    emu_shape shape;
    uint32_t width;          /* lanes of a register */
    const emu_insn *prologue; /* once a launch and worker: what no threadgroup changes */
    const emu_insn *body;
    uint32_t insn_count;     /* of the body */
    uint32_t frame_bytes;
    uint32_t levels;         /* of masks */
    emu_literal_list literals;
    emu_input_list inputs;
    emu_scaled_list patterns;
    emu_reg_list known;
    emu_reg_list extents; /* lane-constant i64 registers */
    emu_object_list objects;
    emu_log_calls logs;
    uint64_t threadgroup_bytes; /* static */
    const span *spans;          /* of the instructions, by emu_insn.at */
    emu_local **locals;         /* for messages */
    uint32_t local_count;
    emu_uniform_list uniforms;
    /* Checked programs: */
    emu_site *sites; /* 0 stands for a place not known */
    size_t site_count;
    emu_construct *constructs;
    emu_use *uses; /* by object */
    emu_use any_use, texel_use; /* by accesses whose object only the run can tell; of texels, with a granule of 1 */
    bool simdgroups; /* has barriers of simdgroups */
    bool hands_on; /* has atomics, and fences or barriers that let them hand work on */
} emu_program;

/* What depends on what: fills `depends` of nodes and variables, `divergent` of regions. */
void emu_find_dependence(emu_graph *g, uint32_t batch);

/* Takes the addresses of memory accesses apart. After emu_find_dependence. */
void emu_split_addresses(emu_graph *g);

/* Marks what is needed (`live`), counts uses, joins multiplications with additions. */
void emu_mark_live(emu_graph *g);
void emu_fuse(emu_graph *g);

/* Registers for everything live: fills reg of nodes and variables, alias and coalesced, and the program's tables. */
typedef struct emu_registers {
    emu_graph *g;
    emu_program *p;
    uint32_t width;
    uint32_t top; /* bytes of the frame given out */
    emu_uniform_list uniforms; /* that are not the same throughout the launch */
    bool too_large;
} emu_registers;
enum { EMU_MAX_FRAME = 1 << 28 };
void emu_assign_registers(emu_registers *r);
/* A register that stays; room for something else. */
uint32_t emu_take_register(emu_registers *r, unsigned size, bool by_lane);
uint32_t emu_take_bytes(emu_registers *r, uint64_t bytes);

/* Is the node computed once, before the first run? */
static inline bool emu_in_prologue(const emu_node *n)
{
    const emu_node *base = n->kind == EMU_PART ? n->in[0] : n;
    return (n->depends & EMU_BY_RUN) == 0 && (base->kind == EMU_PURE || base->kind == EMU_LOAD);
}
static inline bool emu_by_lane(const emu_node *n)
{
    return (n->depends & EMU_BY_LANE) != 0;
}
/* Is a divergent region between the two, inner one counted? */
bool emu_diverges_between(const emu_region *inner, const emu_region *outer);

/* All of the above, for one instruction set. NULL where the kernel needs too large a frame. Under the arena's guard. */
emu_program *emu_make_program(arena *mem, emu_graph *g, const emu_shape *shape, const emu_isa *isa);

#endif
