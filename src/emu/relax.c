/* Math modes other than safe: what a compiler that may re-associate, contract and assume makes of float operations. */
#include <math.h>

#include "emu/emu.h"
#include "emu/graph.h"

static bool is_float(emu_type t)
{
    return t == EMU_F16 || t == EMU_BF16 || t == EMU_F32;
}

/* A choice that the launch's seed and the place in the graph decide. */
static bool coin(const emu_graph *g)
{
    uint64_t h = (g->seed + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u + g->node_count * 0x94d049bb133111ebu;
    h ^= h >> 29;
    h *= 0xbf58476d1ce4e5b9u;
    return (h >> 40 & 1u) != 0;
}

static bool is_infinite(const emu_node *n)
{
    const uint32_t bits = (uint32_t)(uint64_t)n->imm;
    if (n->kind != EMU_CONST) return false;
    if (n->type == EMU_F32) return (bits & 0x7f800000u) == 0x7f800000u;
    return n->type == EMU_F16 ? (bits & 0x7c00u) == 0x7c00u : (bits & 0x7f80u) == 0x7f80u;
}

/* Comparisons that only a NaN or an infinity could decide: taken not to occur. */
static emu_node *assume(emu_graph *g, emu_op op, emu_node *a, emu_node *b)
{
    const bool same = a == b, far = is_infinite(a) || is_infinite(b);
    if (op == EMU_EQ && (same || far)) return emu_constant(g, EMU_BOOL, same);
    if (op == EMU_NE && (same || far)) return emu_constant(g, EMU_BOOL, !same);
    if (op == EMU_LE && same) return emu_constant(g, EMU_BOOL, 1);
    return op == EMU_LT && same ? emu_constant(g, EMU_BOOL, 0) : NULL;
}

/* (x op y) op z as x op (y op z), now and then. */
static emu_node *associate(emu_graph *g, emu_op op, emu_type t, emu_node *a, emu_node *b)
{
    if (a->kind != EMU_PURE || a->op != op || a->type != t || !coin(g)) return NULL;
    return emu_binary(g, op, t, a->in[0], emu_binary(g, op, t, a->in[1], b));
}

static emu_node *times(emu_graph *g, emu_node *x, double by)
{
    return emu_binary(g, EMU_MUL, EMU_F32, x, emu_constant_float(g, EMU_F32, by));
}

/* The functions as a GPU computes them in haste: by its powers and logarithms of 2. */
static emu_node *hasty(emu_graph *g, emu_op op, emu_node *const *in)
{
    const double ln2 = 0.69314718055994530942;
    switch ((int)op) {
    case EMU_EXP: return emu_unary(g, EMU_EXP2, EMU_F32, times(g, in[0], 1 / ln2));
    case EMU_LOG: return times(g, emu_unary(g, EMU_LOG2, EMU_F32, in[0]), ln2);
    case EMU_LOG10: return times(g, emu_unary(g, EMU_LOG2, EMU_F32, in[0]), 0.30102999566398119521);
    case EMU_POW:
        return emu_unary(g, EMU_EXP2, EMU_F32,
                         emu_binary(g, EMU_MUL, EMU_F32, in[1], emu_unary(g, EMU_LOG2, EMU_F32, in[0])));
    case EMU_TANH: {
        /* infinity over infinity for what is far from 0 */
        emu_node *e = emu_unary(g, EMU_EXP2, EMU_F32, times(g, in[0], 2 / ln2)), *one = emu_constant_float(g, EMU_F32, 1);
        return emu_binary(g, EMU_DIV, EMU_F32, emu_binary(g, EMU_SUB, EMU_F32, e, one), emu_binary(g, EMU_ADD, EMU_F32, e, one));
    }
    default: return NULL;
    }
}

emu_node *emu_relax(emu_graph *g, emu_op op, emu_type t, emu_node *const *in, unsigned n)
{
    if (!is_float(t)) return NULL;
    if (t == EMU_F32 && !g->precise) {
        emu_node *h = hasty(g, op, in);
        if (h != NULL) return h;
    }
    if (n != 2) return NULL;
    if (g->math == EMU_MATH_FAST) {
        emu_node *known = assume(g, op, in[0], in[1]);
        if (known != NULL) return known;
    }
    return op == EMU_ADD || op == EMU_MUL ? associate(g, op, t, in[0], in[1]) : NULL;
}
