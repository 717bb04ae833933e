/* Exchange between the lanes of a simdgroup: tvm_warp_shuffle* with sub-groups, and types that MSL cannot shuffle. */
#include "pass/low.h"

/* A thread's number in its simdgroup: threads are numbered with x fastest, 32 to a simdgroup. */
static const ir_node *lane_index(low *l)
{
    const ir_node *index = low_const(l, IR_I32, 0);
    int64_t stride = 1;
    static const char *const tags[] = {"threadIdx.x", "threadIdx.y", "threadIdx.z"};
    for (size_t i = 0; i < 3; ++i) {
        const region_axis *a = region_axis_tagged(&l->axes, tags[i]);
        if (a == NULL) continue;
        const ir_node *v = low_cast(l, IR_I32, ir_ref(l->r.mem, a->var, a->at));
        index = ir_add(l->r.mem, index, ir_mul(l->r.mem, v, low_const(l, IR_I32, stride)));
        int64_t extent = region_axis_extent(a);
        /* Whole simdgroups further on add nothing; an unknown extent leaves no number. */
        if (extent == 0) return i == 2 || stride % 32 == 0 ? index : NULL;
        stride = stride * extent % 32 == 0 ? 32 : stride * extent;
        if (stride % 32 == 0) break;
    }
    return low_bin(l, IR_BITAND, index, low_const(l, IR_I32, 31));
}

/* The shuffle proper: MSL moves 8- to 32-bit numbers. Others travel as their bits. */
static const ir_node *moved(low *l, ir_builtin fn, const ir_node *v, const ir_node *lane)
{
    ir_type t = v->type;
    lane = low_cast(l, IR_TYPE(IR_UINT, 16), lane);
    if (ir_type_is_bool(t)) {
        ir_type wide = ir_type_lanes(IR_U32, t.lanes);
        return low_cast(l, t, moved(l, fn, low_cast(l, wide, v), lane));
    }
    if (t.bits == 64 && t.lanes == 1) {
        ir_type pair = ir_type_lanes(IR_U32, 2);
        return low_bits(l, t, moved(l, fn, low_bits(l, pair, v), lane));
    }
    const ir_node *args[] = {v, lane};
    return low_call(l, fn, t, 2, args);
}


static ir_builtin plain_of(ir_builtin fn)
{
    switch ((int)fn) {
    case IR_FN_SHUFFLE: return IR_FN_SIMD_SHUFFLE;
    case IR_FN_SHUFFLE_UP: return IR_FN_SIMD_SHUFFLE_UP;
    case IR_FN_SHUFFLE_DOWN: return IR_FN_SIMD_SHUFFLE_DOWN;
    default: return IR_FN_SIMD_SHUFFLE_XOR;
    }
}

/* (mask, value, lane or delta, width, size): lanes go in groups of `width`; a lane that would come from
 * another group keeps its own value. */
static const ir_node *grouped(low *l, const ir_call *n, int64_t width)
{
    const ir_node *v = n->args.at[1], *lane = lane_index(l);
    if (lane == NULL) {
        diag_error(l->cx->diags, n->node.at, "T.%s of width %lld needs thread extents that are known at build",
                   ir_builtins[n->fn].name, (long long)width);
        return &n->node;
    }
    const ir_node *by = low_once(l, low_cast(l, IR_I32, n->args.at[2]), "by");
    const ir_node *within = low_bin(l, IR_BITAND, lane, low_const(l, IR_I32, width - 1));
    if (n->fn == IR_FN_SHUFFLE) {
        const ir_node *group = low_bin(l, IR_BITAND, lane, low_const(l, IR_I32, 31 & ~(width - 1)));
        const ir_node *from = low_bin(l, IR_BITAND, by, low_const(l, IR_I32, width - 1));
        return moved(l, IR_FN_SIMD_SHUFFLE, v, low_bin(l, IR_ADD, group, from));
    }
    v = low_once(l, v, "value");
    const ir_node *far;
    if (n->fn == IR_FN_SHUFFLE_DOWN) {
        far = low_bin(l, IR_GE, low_bin(l, IR_ADD, within, by), low_const(l, IR_I32, width));
    } else if (n->fn == IR_FN_SHUFFLE_UP) {
        far = low_bin(l, IR_LT, within, by);
    } else {
        far = low_bin(l, IR_GE, by, low_const(l, IR_I32, width));
    }
    const ir_node *other = low_once(l, moved(l, plain_of(n->fn), v, by), "other");
    return low_select(l, far, v, other);
}

const ir_node *low_shuffle(low *l, const ir_call *n)
{
    if (n->args.n == 2) return moved(l, n->fn, n->args.at[0], n->args.at[1]);
    int64_t width;
    if (n->args.n != 5 || !ir_const_value(n->args.at[3], &width) || width < 1 || width > 32 ||
        (width & (width - 1)) != 0) {
        diag_error(l->cx->diags, n->node.at, "T.%s needs a constant width that is a power of two up to 32",
                   ir_builtins[n->fn].name);
        return &n->node;
    }
    if (width != 32) return grouped(l, n, width);
    return moved(l, plain_of(n->fn), n->args.at[1], n->args.at[2]);
}
