/* Calls of the standard library that look beyond one thread: barriers, simdgroup and quadgroup functions, atomics,
 * simdgroup matrices. */
#include "emu/emu.h"
#include "emu/lower.h"
#include "mslfront/builtin.h"
#include "mslfront/names.h"

typedef struct cross_row {
    mf_builtin builtin;
    emu_op op;
    uint8_t k, width;
} cross_row;

#define SIMD_AND_QUAD(NAME, op, k) {MF_FN_SIMD_##NAME, op, k, 32}, {MF_FN_QUAD_##NAME, op, k, 4}
static const cross_row rows[] = {
    SIMD_AND_QUAD(ACTIVE_THREADS_MASK, EMU_VOTE, EMU_VOTE_ACTIVE),
    SIMD_AND_QUAD(ALL, EMU_VOTE, EMU_VOTE_ALL),
    SIMD_AND_QUAD(ANY, EMU_VOTE, EMU_VOTE_ANY),
    SIMD_AND_QUAD(BALLOT, EMU_VOTE, EMU_VOTE_BALLOT),
    SIMD_AND_QUAD(IS_FIRST, EMU_VOTE, EMU_VOTE_FIRST),
    SIMD_AND_QUAD(SUM, EMU_REDUCE, EMU_REDUCE_ADD),
    SIMD_AND_QUAD(PRODUCT, EMU_REDUCE, EMU_REDUCE_MUL),
    SIMD_AND_QUAD(MIN, EMU_REDUCE, EMU_REDUCE_MIN),
    SIMD_AND_QUAD(MAX, EMU_REDUCE, EMU_REDUCE_MAX),
    SIMD_AND_QUAD(AND, EMU_REDUCE, EMU_REDUCE_AND),
    SIMD_AND_QUAD(OR, EMU_REDUCE, EMU_REDUCE_OR),
    SIMD_AND_QUAD(XOR, EMU_REDUCE, EMU_REDUCE_XOR),
    SIMD_AND_QUAD(PREFIX_INCLUSIVE_SUM, EMU_SCAN, EMU_REDUCE_ADD),
    SIMD_AND_QUAD(PREFIX_EXCLUSIVE_SUM, EMU_SCAN, EMU_REDUCE_ADD | EMU_REDUCE_EXCLUSIVE),
    SIMD_AND_QUAD(PREFIX_INCLUSIVE_PRODUCT, EMU_SCAN, EMU_REDUCE_MUL),
    SIMD_AND_QUAD(PREFIX_EXCLUSIVE_PRODUCT, EMU_SCAN, EMU_REDUCE_MUL | EMU_REDUCE_EXCLUSIVE),
    SIMD_AND_QUAD(SHUFFLE, EMU_SHUFFLE, EMU_SHUFFLE_TO),
    SIMD_AND_QUAD(BROADCAST, EMU_SHUFFLE, EMU_SHUFFLE_TO),
    SIMD_AND_QUAD(BROADCAST_FIRST, EMU_SHUFFLE, EMU_SHUFFLE_FIRST),
    SIMD_AND_QUAD(SHUFFLE_UP, EMU_SHUFFLE, EMU_SHUFFLE_UP),
    SIMD_AND_QUAD(SHUFFLE_DOWN, EMU_SHUFFLE, EMU_SHUFFLE_DOWN),
    SIMD_AND_QUAD(SHUFFLE_XOR, EMU_SHUFFLE, EMU_SHUFFLE_XOR),
    SIMD_AND_QUAD(SHUFFLE_ROTATE_UP, EMU_SHUFFLE, EMU_SHUFFLE_ROTATE_UP),
    SIMD_AND_QUAD(SHUFFLE_ROTATE_DOWN, EMU_SHUFFLE, EMU_SHUFFLE_ROTATE_DOWN),
};

static emu_node *cross_node(lower *l, const cross_row *row, emu_node *a, emu_node *by)
{
    emu_graph *g = l->g;
    emu_type t = a != NULL ? (emu_type)a->type : EMU_BOOL;
    if (row->op == EMU_VOTE && (row->k == EMU_VOTE_BALLOT || row->k == EMU_VOTE_ACTIVE)) t = EMU_U64;
    emu_node *n = emu_effect(g, EMU_CROSS, t);
    n->op = (uint8_t)row->op;
    n->k = row->k;
    n->imm = row->width;
    n->in[0] = a;
    n->in[1] = by;
    if (a != NULL) n->operand_type = a->type;
    return n;
}

/* Sums of half and bfloat are done in float and rounded once. */
static emu_node *cross_element(lower *l, const cross_row *row, emu_node *a, emu_node *by)
{
    const emu_type t = (emu_type)a->type;
    if ((row->op == EMU_REDUCE || row->op == EMU_SCAN) && (t == EMU_F16 || t == EMU_BF16))
        return emu_convert(l->g, t, cross_node(l, row, emu_convert(l->g, EMU_F32, a), by));
    return cross_node(l, row, a, by);
}

static emu_node *u32_op(lower *l, emu_op op, emu_node *a, emu_node *b)
{
    return emu_binary(l->g, op, EMU_U32, a, b);
}

/* simd_shuffle_and_fill_up(data, filling, delta, modulo) and its like: within each run of `modulo` lanes the data move by delta, and what
 * comes in at the end is that of `filling` at the other end. */
static val shuffle_and_fill(lower *l, const mf_expr *e)
{
    const bool quad = e->builtin == MF_FN_QUAD_SHUFFLE_AND_FILL_UP || e->builtin == MF_FN_QUAD_SHUFFLE_AND_FILL_DOWN;
    const bool up = e->builtin == MF_FN_SIMD_SHUFFLE_AND_FILL_UP || e->builtin == MF_FN_QUAD_SHUFFLE_AND_FILL_UP;
    const cross_row row = {e->builtin, EMU_SHUFFLE, EMU_SHUFFLE_TO, quad ? 4 : EMU_SIMD_WIDTH};
    const val data = lower_eval(l, e->args[0]), filling = lower_eval(l, e->args[1]);
    emu_node *delta = emu_convert(l->g, EMU_U32, lower_scalar_of(l, e->args[2]));
    emu_node *modulo = emu_convert(l->g, EMU_U32, lower_scalar_of(l, e->args[3]));
    l->g->at = e->at;
    emu_node *lane = lower_input(l, quad ? MF_INPUT_THREAD_INDEX_IN_QUADGROUP : MF_INPUT_THREAD_INDEX_IN_SIMDGROUP, 0);
    emu_node *at = u32_op(l, EMU_REM, lane, modulo);
    emu_node *moved = u32_op(l, up ? EMU_SUB : EMU_ADD, lane, delta);
    emu_node *around = u32_op(l, up ? EMU_ADD : EMU_SUB, moved, modulo);
    emu_node *inside = up ? u32_op(l, EMU_LE, delta, at) : u32_op(l, EMU_LT, u32_op(l, EMU_ADD, at, delta), modulo);
    val r = lower_val(l, data.n);
    for (size_t i = 0; i < r.n; ++i)
        r.at[i] = emu_select(l->g, inside, cross_node(l, &row, data.at[i], moved), cross_node(l, &row, filling.at[i], around));
    return r;
}

static val sync(lower *l, const mf_expr *e)
{
    enum { ALL = EMU_FLAG_DEVICE | EMU_FLAG_THREADGROUP | EMU_FLAG_TEXTURE }; /* MF_MEM_... have these values */
    uint8_t flags = ALL;
    bool orders = true;
    for (uint32_t i = 0; i < e->arg_count; ++i) {
        const emu_node *n = lower_scalar_of(l, e->args[i]);
        if (!emu_is_const(n)) continue;
        if (i == 0) flags = (uint8_t)(n->imm & ALL);
        else if (e->args[i]->type == mf_memory_order_type()) orders = orders && n->imm != MF_ORDER_RELAXED;
    }
    l->g->at = e->at;
    const bool threadgroup = e->builtin == MF_FN_THREADGROUP_BARRIER, fence = e->builtin == MF_FN_ATOMIC_THREAD_FENCE;
    /* simdgroups run in step; fences order nothing that lanes in step could see out of order: only checks look at them */
    if (!threadgroup && (l->shape->checks == 0 || !orders)) return lower_val(l, 0);
    emu_node *n = emu_effect(l->g, fence ? EMU_FENCE : EMU_SYNC, EMU_BOOL);
    n->k = flags;
    n->imm = threadgroup ? 0 : 1;
    return lower_val(l, 0);
}

val lower_cross(lower *l, const mf_expr *e)
{
    emu_graph *g = l->g;
    if ((mf_builtin_traits(e->builtin) & MF_BARRIER) != 0) return sync(l, e);
    if (e->builtin == MF_FN_SIMDGROUP_LOAD || e->builtin == MF_FN_SIMDGROUP_STORE ||
        e->builtin == MF_FN_SIMDGROUP_MULTIPLY || e->builtin == MF_FN_SIMDGROUP_MULTIPLY_ACCUMULATE)
        return lower_matrix_call(l, e);
    if (e->builtin == MF_FN_SIMD_SHUFFLE_AND_FILL_UP || e->builtin == MF_FN_SIMD_SHUFFLE_AND_FILL_DOWN ||
        e->builtin == MF_FN_QUAD_SHUFFLE_AND_FILL_UP || e->builtin == MF_FN_QUAD_SHUFFLE_AND_FILL_DOWN)
        return shuffle_and_fill(l, e);
    const cross_row *row = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
        if (rows[i].builtin == e->builtin) row = &rows[i];
    if (e->builtin == MF_FN_THREAD_INDEX_IN_SIMDGROUP) {
        val lane = lower_val(l, 1);
        lane.at[0] = emu_convert(g, EMU_U16, lower_input(l, MF_INPUT_THREAD_INDEX_IN_SIMDGROUP, 0));
        return lane;
    }
    if (e->builtin == MF_FN_SIMD_IS_HELPER_THREAD) return lower_zero(l, e->type);
    if (row == NULL) {
        lower_refuse(l, e->at, "'%s' is not supported", mf_builtin_name(e->builtin));
        return lower_zero(l, e->type);
    }
    const val a = e->arg_count > 0 ? lower_eval(l, e->args[0]) : lower_val(l, 0);
    emu_node *by = e->arg_count > 1 ? emu_convert(g, EMU_U32, lower_scalar_of(l, e->args[1])) : NULL;
    g->at = e->at;
    if (row->op == EMU_VOTE) {
        val r = lower_val(l, 1);
        r.at[0] = emu_convert(g, lower_scalar(e->type->scalar), cross_node(l, row, a.n != 0 ? a.at[0] : NULL, NULL));
        return r;
    }
    val r = lower_val(l, a.n);
    for (size_t i = 0; i < a.n; ++i) r.at[i] = cross_element(l, row, a.at[i], by);
    return r;
}

/* Atomics. */

static emu_atomic atomic_kind(mf_builtin b)
{
    switch ((int)b) {
    case MF_FN_ATOMIC_STORE_EXPLICIT: return EMU_ATOMIC_STORE;
    case MF_FN_ATOMIC_EXCHANGE_EXPLICIT: return EMU_ATOMIC_EXCHANGE;
    case MF_FN_ATOMIC_COMPARE_EXCHANGE_WEAK_EXPLICIT: return EMU_ATOMIC_COMPARE;
    case MF_FN_ATOMIC_FETCH_ADD_EXPLICIT: return EMU_ATOMIC_ADD;
    case MF_FN_ATOMIC_FETCH_SUB_EXPLICIT: return EMU_ATOMIC_SUB;
    case MF_FN_ATOMIC_FETCH_MIN_EXPLICIT:
    case MF_FN_ATOMIC_MIN_EXPLICIT: return EMU_ATOMIC_MIN;
    case MF_FN_ATOMIC_FETCH_MAX_EXPLICIT:
    case MF_FN_ATOMIC_MAX_EXPLICIT: return EMU_ATOMIC_MAX;
    case MF_FN_ATOMIC_FETCH_AND_EXPLICIT: return EMU_ATOMIC_AND;
    case MF_FN_ATOMIC_FETCH_OR_EXPLICIT: return EMU_ATOMIC_OR;
    case MF_FN_ATOMIC_FETCH_XOR_EXPLICIT: return EMU_ATOMIC_XOR;
    default: return EMU_ATOMIC_LOAD;
    }
}

static place target_of(lower *l, const mf_expr *pointer)
{
    static const emu_space spaces[] = {[MF_THREAD] = EMU_SPACE_THREAD, [MF_DEVICE] = EMU_SPACE_DEVICE,
                                       [MF_CONSTANT] = EMU_SPACE_CONSTANT, [MF_THREADGROUP] = EMU_SPACE_THREADGROUP};
    const val p = lower_eval(l, pointer);
    return (place){spaces[pointer->type->space], p.at[0], p.at[1], pointer->type->elem, {0}, 0, 0};
}

val lower_atomic(lower *l, const mf_expr *e)
{
    emu_graph *g = l->g;
    const place at = target_of(l, e->args[0]);
    const emu_type t = lower_scalar(e->args[0]->type->elem->scalar);
    const emu_atomic kind = atomic_kind(e->builtin);
    const bool compare = kind == EMU_ATOMIC_COMPARE;
    place expected = at;
    emu_node *value = NULL, *old = NULL;
    if (compare) {
        const val p = lower_eval(l, e->args[1]);
        expected = (place){EMU_SPACE_THREAD, p.at[0], p.at[1], e->args[1]->type->elem, {0}, 0, 0};
        const val seen = lower_read(l, expected, e->at);
        old = seen.at[0];
        value = lower_scalar_of(l, e->args[2]);
    } else if (kind != EMU_ATOMIC_LOAD) {
        value = lower_scalar_of(l, e->args[1]);
    }
    g->at = e->at;
    emu_node *order = l->shape->checks != 0 ? lower_scalar_of(l, e->args[e->arg_count - 1]) : NULL;
    if (order != NULL && emu_is_const(order) && order->imm != MF_ORDER_RELAXED)
        emu_effect(g, EMU_FENCE, EMU_BOOL)->k = at.space == EMU_SPACE_DEVICE ? EMU_FLAG_DEVICE : EMU_FLAG_THREADGROUP;
    emu_node *n = emu_effect(g, EMU_ATOMIC_NODE, t);
    n->k = (uint8_t)kind;
    n->in[0] = value;
    n->in[1] = old;
    n->mem = lower_mem(l, at, t, 1, 0);
    if (at.space == EMU_SPACE_THREAD) lower_refuse(l, e->at, "atomics in thread memory are not supported");
    val r = lower_val(l, 1);
    r.at[0] = n;
    if (compare) {
        lower_write(l, expected, r, e->at);
        val same = lower_val(l, 1);
        same.at[0] = emu_binary(g, EMU_EQ, t == EMU_F32 ? EMU_U32 : t, t == EMU_F32 ? emu_reinterpret(g, EMU_U32, n) : n,
                                t == EMU_F32 ? emu_reinterpret(g, EMU_U32, old) : old);
        return same;
    }
    return e->type->kind == MF_TYPE_VOID ? lower_val(l, 0) : r;
}

/* Simdgroup matrices: a lane holds two neighbours of a row, where the hardware has them: the row in bits 4, 2 and 1 of its number, the pair
 * of columns in bits 3 and 0. */
void lower_matrix_place(lower *l, emu_node **row, emu_node **column)
{
    emu_graph *g = l->g;
    emu_node *lane = lower_input(l, MF_INPUT_THREAD_INDEX_IN_SIMDGROUP, 0);
    const struct {
        uint32_t mask, down, up;
        bool column;
    } bits[] = {{16, 2, 0, false}, {6, 1, 0, false}, {8, 1, 0, true}, {1, 0, 1, true}};
    *row = *column = emu_constant(g, EMU_U32, 0);
    for (unsigned i = 0; i < sizeof bits / sizeof *bits; ++i) {
        emu_node *part = u32_op(l, EMU_AND, lane, emu_constant(g, EMU_U32, bits[i].mask));
        part = u32_op(l, EMU_SHL, u32_op(l, EMU_SHR, part, emu_constant(g, EMU_U32, bits[i].down)), emu_constant(g, EMU_U32, bits[i].up));
        emu_node **to = bits[i].column ? column : row;
        *to = u32_op(l, EMU_ADD, *to, part);
    }
}

static place matrix_element(lower *l, const mf_expr *e, unsigned k)
{
    emu_graph *g = l->g;
    place p = target_of(l, e->args[1]);
    emu_node *row, *column;
    lower_matrix_place(l, &row, &column);
    column = emu_binary(g, EMU_ADD, EMU_U32, column, emu_constant(g, EMU_U32, k));
    emu_node *stride = emu_convert(g, EMU_U32, lower_scalar_of(l, e->args[2]));
    emu_node *flip = lower_scalar_of(l, e->args[4]);
    const val origin = lower_eval(l, e->args[3]);
    if (!emu_is_const(flip)) lower_refuse(l, e->at, "transposing as known at run time only is not supported");
    if (emu_is_const(flip) && flip->imm != 0) {
        emu_node *swap = row;
        row = column;
        column = swap;
    }
    column = emu_binary(g, EMU_ADD, EMU_U32, column, emu_convert(g, EMU_U32, origin.at[0]));
    row = emu_binary(g, EMU_ADD, EMU_U32, row, emu_convert(g, EMU_U32, origin.at[1]));
    emu_node *index = emu_binary(g, EMU_ADD, EMU_U32, emu_binary(g, EMU_MUL, EMU_U32, row, stride), column);
    return lower_index(l, p, mf_scalar_type(e->args[0]->type->scalar), index);
}

/* d = a * b + c, all of two registers; in float, whatever the type. */
static val multiply(lower *l, val a, val b, val c, emu_type t)
{
    emu_graph *g = l->g;
    emu_node *in[4] = {a.at[0], a.at[1], b.at[0], b.at[1]};
    emu_node *more[2] = {c.at[0], c.at[1]};
    for (int i = 0; i < 4; ++i) in[i] = emu_convert(g, EMU_F32, in[i]);
    for (int i = 0; i < 2; ++i) more[i] = emu_convert(g, EMU_F32, more[i]);
    emu_node *n = emu_effect(g, EMU_MATRIX_NODE, EMU_F32);
    for (int i = 0; i < 4; ++i) n->in[i] = in[i];
    for (int i = 0; i < 2; ++i) n->more[i] = more[i];
    val r = lower_val(l, 2);
    for (unsigned k = 0; k < 2; ++k) r.at[k] = emu_convert(g, t, emu_part(g, n, k));
    return r;
}

val lower_matrix_call(lower *l, const mf_expr *e)
{
    if (e->builtin == MF_FN_MAKE_FILLED_SIMDGROUP_MATRIX) {
        val r = lower_val(l, 2);
        r.at[0] = r.at[1] = lower_scalar_of(l, e->args[0]);
        return r;
    }
    const emu_type t = lower_scalar(e->args[0]->type->scalar);
    if (e->builtin == MF_FN_SIMDGROUP_STORE) {
        const val m = lower_eval(l, e->args[0]);
        l->collective = true;
        for (unsigned k = 0; k < 2; ++k) lower_write(l, matrix_element(l, e, k), (val){&m.at[k], 1, NULL}, e->at);
        l->collective = false;
        return lower_val(l, 0);
    }
    const place to = lower_place(l, e->args[0]);
    if (e->builtin == MF_FN_SIMDGROUP_LOAD) {
        val m = lower_val(l, 2);
        l->collective = true;
        for (unsigned k = 0; k < 2; ++k) m.at[k] = lower_read(l, matrix_element(l, e, k), e->at).at[0];
        l->collective = false;
        lower_write(l, to, m, e->at);
        return lower_val(l, 0);
    }
    const val a = lower_eval(l, e->args[1]), b = lower_eval(l, e->args[2]);
    const mf_type *type = e->args[0]->type;
    const val c = e->builtin == MF_FN_SIMDGROUP_MULTIPLY ? lower_zero(l, type) : lower_eval(l, e->args[3]);
    l->g->at = e->at;
    lower_write(l, to, multiply(l, a, b, c, t), e->at);
    return lower_val(l, 0);
}
