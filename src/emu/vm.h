/* The lane machine: registers, instructions, masks, memory objects. Shared by the compiler and the lane handlers. */
#ifndef EMU_VM_H
#define EMU_VM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/source.h"
#include "emu/finding.h"

/* A chunk is what one step of a handler works on. A frame keeps each register at a multiple of 64 bytes. */
enum { EMU_CHUNK = 16, EMU_MAX_CHUNKS = 64, EMU_ALIGN = 64 };
#define EMU_NONE UINT32_MAX

typedef enum emu_op {
#define EMU_OP(ID, operands, types, meaning) EMU_##ID,
#include "emu/opcodes.def"
#undef EMU_OP
    EMU_OPS
} emu_op;

/* What a lane holds; the order of the front end's scalars. */
typedef enum emu_type {
    EMU_BOOL,
    EMU_I8,
    EMU_U8,
    EMU_I16,
    EMU_U16,
    EMU_I32,
    EMU_U32,
    EMU_I64,
    EMU_U64,
    EMU_F16,
    EMU_BF16,
    EMU_F32,
    EMU_TYPES
} emu_type;

/* Bytes of a lane. */
static inline unsigned emu_type_size(emu_type t)
{
    static const uint8_t sizes[EMU_TYPES] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4};
    return sizes[t];
}

typedef struct emu_vm emu_vm;
typedef struct emu_insn emu_insn;
typedef struct emu_access emu_access;

/* Does one instruction and gives the next; NULL ends the run. */
typedef const emu_insn *(*emu_handler)(emu_vm *vm, const emu_insn *i);

/* Operands are byte offsets into the frame; a stride is the distance of an operand's chunks: 16 lanes, or 0 where it is
 * uniform (then its one chunk holds the value 16 times). */
struct emu_insn {
    emu_handler run;
    uint32_t d, a, b, c;
    uint16_t sa, sb, sc;
    uint8_t uniform; /* the result is uniform: one chunk, whatever the mask */
    uint8_t k;
    const emu_insn *to; /* jump target */
    int64_t imm;
    const emu_access *access;
    uint32_t at; /* place in the text, for faults: index into the program's spans */
    uint8_t op, type;
};

/* Cross-lane kinds, in k. */
typedef enum emu_shuffle {
    EMU_SHUFFLE_TO,   /* from lane b */
    EMU_SHUFFLE_UP,   /* from lane - b */
    EMU_SHUFFLE_DOWN, /* from lane + b */
    EMU_SHUFFLE_XOR,
    EMU_SHUFFLE_ROTATE_UP,
    EMU_SHUFFLE_ROTATE_DOWN,
    EMU_SHUFFLE_FIRST /* from the first active lane */
} emu_shuffle;
typedef enum emu_reduce {
    EMU_REDUCE_ADD,
    EMU_REDUCE_MUL,
    EMU_REDUCE_MIN,
    EMU_REDUCE_MAX,
    EMU_REDUCE_AND,
    EMU_REDUCE_OR,
    EMU_REDUCE_XOR,
    EMU_REDUCE_EXCLUSIVE = 8 /* SCAN: without the lane itself */
} emu_reduce;
typedef enum emu_vote {
    EMU_VOTE_BALLOT, /* bits of the active lanes where a holds */
    EMU_VOTE_ANY,
    EMU_VOTE_ALL,
    EMU_VOTE_FIRST, /* is this the first active lane */
    EMU_VOTE_ACTIVE /* bits of the active lanes */
} emu_vote;
typedef enum emu_atomic {
    EMU_ATOMIC_LOAD,
    EMU_ATOMIC_STORE,
    EMU_ATOMIC_EXCHANGE,
    EMU_ATOMIC_COMPARE, /* b desired, c expected; d = seen */
    EMU_ATOMIC_ADD,
    EMU_ATOMIC_SUB,
    EMU_ATOMIC_MIN,
    EMU_ATOMIC_MAX,
    EMU_ATOMIC_AND,
    EMU_ATOMIC_OR,
    EMU_ATOMIC_XOR
} emu_atomic;

/* Memories that a barrier or fence orders, as bits. */
enum { EMU_SIMD_LANES = 32 };
enum { EMU_FLAG_DEVICE = 1, EMU_FLAG_THREADGROUP = 2, EMU_FLAG_TEXTURE = 4 };

/* How a 32-bit index becomes a 64-bit one. */
typedef enum emu_extend { EMU_EXTEND_SIGNED, EMU_EXTEND_UNSIGNED, EMU_EXTEND_NONE } emu_extend;

/* Changes a word as an atomic of the type (32 bits) does, and gives its old value; any thread. */
uint32_t emu_change32(uint32_t *at, emu_atomic kind, emu_type type, uint32_t v, uint32_t expected);

/* Where a memory instruction goes: byte = base + imm + scale * extend(index + index_imm + lanes[lane]) within the object.
 * The sum in extend() wraps at 32 bits unless EMU_EXTEND_NONE. Each of `count` elements lies `bytes` after the last. */
struct emu_access {
    uint32_t object;       /* index of the object, or EMU_NONE: */
    uint32_t object_reg;   /* i32 register with it */
    uint16_t object_stride;
    uint16_t lanes_stride;
    uint32_t base;         /* uniform i64 register, or EMU_NONE */
    uint32_t index;        /* uniform register of 32 bits (64 with EMU_EXTEND_NONE), or EMU_NONE */
    uint32_t lanes;        /* register of the same size, or EMU_NONE; per-lane part of the index */
    uint32_t pattern;      /* LOADL, STOREL: what is known of `lanes` */
    emu_extend extend;
    uint8_t bytes, count;
    bool threadgroup;      /* each threadgroup of the batch has its own */
    bool thread;           /* a thread array: `object` is the index of a local */
    bool write;
    bool updates;          /* reads as well as writes */
    bool atomic;
    bool collective;       /* of a simdgroup as a whole: a matrix */
    bool watched;          /* thread arrays: what is written is kept track of */
    uint16_t align;        /* that the type asks for, in bytes */
    int64_t index_imm, imm, scale;
    uint32_t regs[4];      /* destinations, or values to store */
    uint16_t strides[4];   /* of values to store */
    /* Thread arrays only: laid out so that element e of all lanes is contiguous. */
    uint64_t size;         /* bytes a lane */
    uint32_t private_at;   /* offset in the frame */
    uint8_t granule;       /* bytes of an element as laid out */
    uint8_t type;          /* ATOMIC: emu_type; else unused */
};

/* A lane-constant index register times an access's scale, seen in chunks: found once, when the run's prologue has been
 * executed. Lane j of chunk c goes to byte at[c] + j * step[c] where the chunk is `strided`. */
typedef struct emu_pattern {
    uint32_t reg; /* the register, 32 bits a lane */
    int64_t scale;
    bool even;    /* every chunk is strided, and all with the same step */
    bool line;    /* so are all the lanes together */
    bool same;    /* every chunk goes to the same places */
    int64_t min_to[EMU_MAX_CHUNKS], max_to[EMU_MAX_CHUNKS]; /* of the index, over chunks 0 to c */
    int64_t min[EMU_MAX_CHUNKS], max[EMU_MAX_CHUNKS];
    int64_t at[EMU_MAX_CHUNKS];
    int64_t step[EMU_MAX_CHUNKS];
    bool strided[EMU_MAX_CHUNKS];
} emu_pattern;

/* Active lanes: a byte a lane, 0 or 1, over the whole width; all are within [lo, hi), and all of those where full. */
typedef struct emu_mask {
    const uint8_t *bytes;
    uint8_t *own; /* storage of this level */
    uint32_t lo, hi;
    bool full;
} emu_mask;

/* A lane-constant condition whose mask is known once for all runs. */
typedef struct emu_known_mask {
    uint32_t reg;
    uint32_t lo, hi;
    bool full;
} emu_known_mask;

/* The extremes of a lane-constant register, over all lanes. */
typedef struct emu_extent {
    int64_t least, greatest;
} emu_extent;

typedef struct emu_object {
    char *base;
    uint64_t size;
    bool writable;
} emu_object;

/* What went wrong, as the machine sees it; report.c makes a finding of it. */
typedef struct emu_fault {
    emu_rule kind;
    const emu_insn *insn;
    uint32_t lane, object;
    int64_t offset; /* bytes within the object */
    uint32_t size;  /* bytes of the access */
    /* The other place, for rules that have one. */
    span other;           /* file 0: none */
    bool other_has_thread;
    uint64_t other_group; /* linear in the grid */
    uint32_t other_index; /* linear in its threadgroup */
    uint32_t other_lane_of_batch; /* barriers: the lane, whose threadgroup is found as that of `lane` is */
    uint64_t detail;      /* by rule; of races: */
    uint64_t texel;       /* of a texel: its z in the lower half and its level in the upper; x and y are so in `offset` */
} emu_fault;
enum { EMU_RACE_OTHER_WRITES = 1, EMU_RACE_SAME_VALUE = 2 };

struct emu_vm {
    char *frame;
    uint32_t c0, c1; /* chunks that the mask touches */
    uint32_t top;    /* level of the mask */
    uint32_t width;  /* lanes of a register, a multiple of EMU_CHUNK */
    uint32_t lanes;  /* of them in use by this run */
    emu_mask *masks;
    const emu_object *objects;   /* the program's */
    uint32_t object_count;
    const emu_object *resources; /* of the launch: numbers from EMU_FIRST_RESOURCE on */
    uint32_t resource_count;
    const struct emu_texture *textures; /* of the launch, by slot */
    const struct emu_sampler *samplers;
    size_t texture_count, sampler_count;
    emu_pattern *patterns;
    emu_known_mask *known;
    emu_extent *extents;
    uint64_t threadgroup_stride; /* bytes between the threadgroup memories of a batch */
    uint32_t group_threads;      /* threads of one threadgroup */
    uint64_t chunk_shift[EMU_MAX_CHUNKS]; /* what threadgroup addresses of a chunk are moved by */
    bool shifted;                         /* any of those is not 0 */
    int64_t fuel;               /* instructions until clock.h is asked */
    int64_t slice, budget_left; /* of clock.h */
    const struct emu_clock *clock;
    emu_fault fault;
    /* Scheduled programs: a simdgroup has had its turn, and goes on there. */
    bool yields, at_barrier;
    bool given_up; /* a finding about a barrier ends the threadgroup's run */
    const emu_insn *resume;
    bool killed; /* lanes have been taken out of level 0 */
    struct emu_checker *check; /* of a checked program, else NULL */
    struct emu_log *log;       /* of a program with messages, else NULL */
};

enum { EMU_FIRST_RESOURCE = 0x8000 };

/* The object of a number that was computed; what is none is the null object. */
static inline const emu_object *emu_object_at(const emu_vm *vm, uint32_t number)
{
    if (number < vm->object_count) return &vm->objects[number];
    const uint32_t resource = number - EMU_FIRST_RESOURCE;
    return number >= EMU_FIRST_RESOURCE && resource < vm->resource_count ? &vm->resources[resource] : &vm->objects[0];
}

/* Stops the run. */
static inline const emu_insn *emu_stop(emu_vm *vm, const emu_insn *i, emu_rule kind, uint32_t lane)
{
    vm->fault = (emu_fault){.kind = kind, .insn = i, .lane = lane};
    return NULL;
}

/* Handlers of one instruction set. NULL where an instruction has none for a type. */
typedef struct emu_isa {
    const char *name;
    emu_handler (*handler)(emu_op op, emu_type type);
    emu_handler (*convert)(emu_type to, emu_type from);
    void (*scan_pattern)(emu_pattern *p, const char *reg, uint32_t width);
} emu_isa;

#endif
