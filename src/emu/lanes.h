/* Lane loops: what every handler file shares. Those files are compiled once for each instruction set, with
 * INGOT_LANES_SUFFIX telling the copies apart. */
#ifndef EMU_LANES_H
#define EMU_LANES_H

#include <string.h>

#include "emu/vm.h"

#define LANES_JOIN2(a, b) a##_##b
#define LANES_JOIN(a, b) LANES_JOIN2(a, b)
#ifdef INGOT_LANES_SUFFIX
#define LANES_NAME(name) LANES_JOIN(name, INGOT_LANES_SUFFIX)
#else
#define LANES_NAME(name) LANES_JOIN(name, base)
#endif

/* Before a loop over the 16 lanes of a chunk: the lanes are independent (a result may lie on top of an operand), and
 * the loop is to become vectors, not 16 copies. */
#if defined(__clang__)
#define LANES _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#else
#define LANES _Pragma("GCC ivdep") _Pragma("GCC unroll 1")
#endif

typedef uint8_t lane_u8 __attribute__((may_alias));
typedef int8_t lane_i8 __attribute__((may_alias));
typedef uint16_t lane_u16 __attribute__((may_alias));
typedef int16_t lane_i16 __attribute__((may_alias));
typedef uint32_t lane_u32 __attribute__((may_alias));
typedef int32_t lane_i32 __attribute__((may_alias));
typedef uint64_t lane_u64 __attribute__((may_alias));
typedef int64_t lane_i64 __attribute__((may_alias));
typedef float lane_f32 __attribute__((may_alias));

#define LANES_ALIGNED(p, T) __builtin_assume_aligned((p), sizeof(T) * EMU_CHUNK > 64 ? 64 : sizeof(T) * EMU_CHUNK)

/* Chunks an instruction works on. */
#define LANES_RANGE                                                                                                    \
    size_t c = i->uniform != 0 ? 0 : vm->c0;                                                                           \
    const size_t end = i->uniform != 0 ? 1 : vm->c1;                                                                   \
    char *frame = vm->frame

/* DEFINE a handler whose lanes are d[j] = EXPR over operands a, b, c (of types TA, TB, TC). */
#define LANES_UNARY(name, TD, TA, EXPR)                                                                                \
    static const emu_insn *name(emu_vm *vm, const emu_insn *i)                                                         \
    {                                                                                                                  \
        LANES_RANGE;                                                                                                   \
        const size_t sa = i->sa;                                                                                       \
        char *pd = frame + i->d + c * sizeof(TD) * EMU_CHUNK;                                                          \
        const char *pa = frame + i->a + c * sa;                                                                        \
        for (; c < end; ++c, pd += sizeof(TD) * EMU_CHUNK, pa += sa) {                                                 \
            TD *d = LANES_ALIGNED(pd, TD);                                                                             \
            const TA *qa = LANES_ALIGNED(pa, TA);                                                                      \
            LANES for (int j = 0; j < EMU_CHUNK; ++j)                                                                  \
            {                                                                                                          \
                const TA a = qa[j];                                                                                    \
                d[j] = (TD)(EXPR);                                                                                     \
            }                                                                                                          \
        }                                                                                                              \
        return i + 1;                                                                                                  \
    }

#define LANES_BINARY(name, TD, TA, TB, EXPR)                                                                           \
    static const emu_insn *name(emu_vm *vm, const emu_insn *i)                                                         \
    {                                                                                                                  \
        LANES_RANGE;                                                                                                   \
        const size_t sa = i->sa, sb = i->sb;                                                                           \
        char *pd = frame + i->d + c * sizeof(TD) * EMU_CHUNK;                                                          \
        const char *pa = frame + i->a + c * sa, *pb = frame + i->b + c * sb;                                           \
        for (; c < end; ++c, pd += sizeof(TD) * EMU_CHUNK, pa += sa, pb += sb) {                                       \
            TD *d = LANES_ALIGNED(pd, TD);                                                                             \
            const TA *qa = LANES_ALIGNED(pa, TA);                                                                      \
            const TB *qb = LANES_ALIGNED(pb, TB);                                                                      \
            LANES for (int j = 0; j < EMU_CHUNK; ++j)                                                                  \
            {                                                                                                          \
                const TA a = qa[j];                                                                                    \
                const TB b = qb[j];                                                                                    \
                d[j] = (TD)(EXPR);                                                                                     \
            }                                                                                                          \
        }                                                                                                              \
        return i + 1;                                                                                                  \
    }

#define LANES_TERNARY(name, TD, TA, TB, TC, EXPR)                                                                      \
    static const emu_insn *name(emu_vm *vm, const emu_insn *i)                                                         \
    {                                                                                                                  \
        LANES_RANGE;                                                                                                   \
        const size_t sa = i->sa, sb = i->sb, sc = i->sc;                                                               \
        char *pd = frame + i->d + c * sizeof(TD) * EMU_CHUNK;                                                          \
        const char *pa = frame + i->a + c * sa, *pb = frame + i->b + c * sb, *pc = frame + i->c + c * sc;              \
        for (; c < end; ++c, pd += sizeof(TD) * EMU_CHUNK, pa += sa, pb += sb, pc += sc) {                             \
            TD *d = LANES_ALIGNED(pd, TD);                                                                             \
            const TA *qa = LANES_ALIGNED(pa, TA);                                                                      \
            const TB *qb = LANES_ALIGNED(pb, TB);                                                                      \
            const TC *qc = LANES_ALIGNED(pc, TC);                                                                      \
            LANES for (int j = 0; j < EMU_CHUNK; ++j)                                                                  \
            {                                                                                                          \
                const TA a = qa[j];                                                                                    \
                const TB b = qb[j];                                                                                    \
                const TC e = qc[j];                                                                                    \
                d[j] = (TD)(EXPR);                                                                                     \
            }                                                                                                          \
        }                                                                                                              \
        return i + 1;                                                                                                  \
    }

/* The handler finders that together make an emu_isa; each answers NULL for what is not its own. */
emu_handler LANES_NAME(lanes_int)(emu_op op, emu_type type);
emu_handler LANES_NAME(lanes_bits)(emu_op op, emu_type type);
emu_handler LANES_NAME(lanes_float)(emu_op op, emu_type type);
emu_handler LANES_NAME(lanes_half)(emu_op op, emu_type type);
emu_handler LANES_NAME(lanes_math)(emu_op op, emu_type type);
emu_handler LANES_NAME(lanes_memory)(emu_op op, emu_type type);
emu_handler LANES_NAME(lanes_dot)(emu_op op, emu_type type);
emu_handler LANES_NAME(lanes_check)(emu_op op, emu_type type);
emu_handler LANES_NAME(lanes_convert)(emu_type to, emu_type from);
void LANES_NAME(lanes_scan_pattern)(emu_pattern *p, const char *reg, uint32_t width);

/* Bits of a float and back. */
static inline uint32_t lane_bits(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}
static inline float lane_float(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

#endif
