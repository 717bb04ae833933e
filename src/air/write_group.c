/* Functions of the library that look beyond one thread: barriers, simdgroups and quadgroups, atomics, matrices. */
#include "air/write.h"

enum { SCOPE_THREADGROUP = 1, SCOPE_DEVICE = 2 };

static LLVMValueRef flag(air_writer *w, bool v)
{
    return LLVMConstInt(w->i1, v, 0);
}

/* ---- Barriers ---------------------------------------------------------------------------------------------------------- */

static LLVMValueRef barrier(air_writer *w, const mf_expr *e)
{
    LLVMValueRef args[3] = {air_write_value(w, e->args[0]), air_write_int(w, SCOPE_THREADGROUP), NULL};
    if (e->builtin == MF_FN_THREADGROUP_BARRIER) return air_write_air(w, "wg.barrier", w->none, args, 2);
    if (e->builtin == MF_FN_SIMDGROUP_BARRIER) return air_write_air(w, "simdgroup.barrier", w->none, args, 2);
    args[1] = air_write_value(w, e->args[1]);
    args[2] = e->arg_count > 2 ? air_write_value(w, e->args[2]) : air_write_int(w, SCOPE_DEVICE);
    return air_write_air(w, "atomic.fence", w->none, args, 3);
}

/* ---- Exchanges ------------------------------------------------------------------------------------------------------- */

static const struct {
    mf_builtin simd, quad;
    const char *name;
} exchanges[] = {
#define BOTH(NAME, name) {MF_FN_SIMD_##NAME, MF_FN_QUAD_##NAME, name}
    BOTH(SUM, "sum"),
    BOTH(PRODUCT, "product"),
    BOTH(MIN, "min"),
    BOTH(MAX, "max"),
    BOTH(AND, "and"),
    BOTH(OR, "or"),
    BOTH(XOR, "xor"),
    BOTH(PREFIX_INCLUSIVE_SUM, "prefix_inclusive_sum"),
    BOTH(PREFIX_EXCLUSIVE_SUM, "prefix_exclusive_sum"),
    BOTH(PREFIX_INCLUSIVE_PRODUCT, "prefix_inclusive_product"),
    BOTH(PREFIX_EXCLUSIVE_PRODUCT, "prefix_exclusive_product"),
    BOTH(SHUFFLE, "shuffle"),
    BOTH(BROADCAST, "broadcast"),
    BOTH(BROADCAST_FIRST, "broadcast_first"),
    BOTH(SHUFFLE_UP, "shuffle_up"),
    BOTH(SHUFFLE_DOWN, "shuffle_down"),
    BOTH(SHUFFLE_XOR, "shuffle_xor"),
    BOTH(SHUFFLE_ROTATE_UP, "shuffle_rotate_up"),
    BOTH(SHUFFLE_ROTATE_DOWN, "shuffle_rotate_down"),
#undef BOTH
};

static LLVMValueRef exchange(air_writer *w, const mf_expr *e, const char *group, const char *name)
{
    const mf_type *t = e->args[0]->type;
    LLVMValueRef args[2] = {air_write_value(w, e->args[0]), NULL};
    if (e->arg_count > 1) args[1] = LLVMBuildIntCast2(w->b, air_write_value(w, e->args[1]), w->i16, 0, "");
    const str whole = str_format(w->mem, "%s_%s.%s", group, name, air_write_type_name(w, t, true).p);
    return air_write_air(w, whole.p, air_write_value_type(w, t), args, e->arg_count);
}

/* f(data, filling, delta, modulo): within each run of `modulo` lanes the data move by delta, and what comes in at the end
 * is that of `filling` at the other end. By plain shuffles. */
static LLVMValueRef shuffle_and_fill(air_writer *w, const mf_expr *e, bool quad, bool up)
{
    const mf_type *t = e->args[0]->type;
    LLVMValueRef data = air_write_value(w, e->args[0]), filling = air_write_value(w, e->args[1]);
    LLVMValueRef delta = LLVMBuildIntCast2(w->b, air_write_value(w, e->args[2]), w->i32, 0, "");
    LLVMValueRef modulo = LLVMBuildIntCast2(w->b, air_write_value(w, e->args[3]), w->i32, 0, ""), lane = air_write_lane(w);
    if (quad) lane = LLVMBuildAnd(w->b, lane, air_write_int(w, 3), "");
    LLVMValueRef at = LLVMBuildURem(w->b, lane, modulo, "");
    LLVMValueRef moved = up ? LLVMBuildSub(w->b, lane, delta, "") : LLVMBuildAdd(w->b, lane, delta, "");
    LLVMValueRef around = up ? LLVMBuildAdd(w->b, moved, modulo, "") : LLVMBuildSub(w->b, moved, modulo, "");
    LLVMValueRef inside = up ? LLVMBuildICmp(w->b, LLVMIntULE, delta, at, "")
                             : LLVMBuildICmp(w->b, LLVMIntULT, LLVMBuildAdd(w->b, at, delta, ""), modulo, "");
    const str name = str_format(w->mem, "%s_shuffle.%s", quad ? "quad" : "simd", air_write_type_name(w, t, true).p);
    LLVMValueRef one[2] = {data, LLVMBuildTrunc(w->b, moved, w->i16, "")}, two[2] = {filling, LLVMBuildTrunc(w->b, around, w->i16, "")};
    LLVMValueRef a = air_write_air(w, name.p, air_write_value_type(w, t), one, 2);
    LLVMValueRef b = air_write_air(w, name.p, air_write_value_type(w, t), two, 2);
    return LLVMBuildSelect(w->b, inside, a, b, "");
}

static LLVMValueRef ballot(air_writer *w, bool quad, LLVMValueRef v)
{
    return air_write_air(w, quad ? "quad_ballot.i64" : "simd_ballot.i64", w->i64, &v, 1);
}

/* Votes by ballots, which are the one form that Apple's files show. */
static bool vote(air_writer *w, const mf_expr *e, LLVMValueRef *r)
{
    const mf_builtin b = e->builtin;
    const bool quad = b == MF_FN_QUAD_ALL || b == MF_FN_QUAD_ANY || b == MF_FN_QUAD_BALLOT || b == MF_FN_QUAD_ACTIVE_THREADS_MASK ||
                      b == MF_FN_QUAD_IS_FIRST;
    LLVMValueRef v = e->arg_count != 0 ? air_write_value(w, e->args[0]) : NULL;
    switch ((int)b) {
    case MF_FN_SIMD_BALLOT:
    case MF_FN_QUAD_BALLOT:
    case MF_FN_SIMD_ACTIVE_THREADS_MASK:
    case MF_FN_QUAD_ACTIVE_THREADS_MASK:
        *r = LLVMBuildIntCast2(w->b, ballot(w, quad, v != NULL ? v : flag(w, true)), air_write_value_type(w, e->type), 0, "");
        return true;
    case MF_FN_SIMD_ALL:
    case MF_FN_QUAD_ALL: /* nobody for whom it does not hold */
        *r = LLVMBuildICmp(w->b, LLVMIntEQ, ballot(w, quad, LLVMBuildNot(w->b, v, "")), LLVMConstInt(w->i64, 0, 0), "");
        return true;
    case MF_FN_SIMD_ANY:
    case MF_FN_QUAD_ANY: *r = LLVMBuildICmp(w->b, LLVMIntNE, ballot(w, quad, v), LLVMConstInt(w->i64, 0, 0), ""); return true;
    case MF_FN_SIMD_IS_FIRST:
    case MF_FN_QUAD_IS_FIRST: {
        LLVMValueRef lane = air_write_lane(w), mask = ballot(w, quad, flag(w, true));
        if (quad) lane = LLVMBuildAnd(w->b, lane, air_write_int(w, 3), "");
        LLVMValueRef one = LLVMBuildShl(w->b, LLVMConstInt(w->i64, 1, 0), LLVMBuildZExt(w->b, lane, w->i64, ""), "");
        LLVMValueRef below = LLVMBuildSub(w->b, one, LLVMConstInt(w->i64, 1, 0), "");
        *r = LLVMBuildICmp(w->b, LLVMIntEQ, LLVMBuildAnd(w->b, mask, below, ""), LLVMConstInt(w->i64, 0, 0), "");
        return true;
    }
    case MF_FN_SIMD_IS_HELPER_THREAD: *r = flag(w, false); return true;
    default: return false;
    }
}

static bool is_vote(mf_builtin b)
{
    switch ((int)b) {
    case MF_FN_SIMD_BALLOT:
    case MF_FN_QUAD_BALLOT:
    case MF_FN_SIMD_ACTIVE_THREADS_MASK:
    case MF_FN_QUAD_ACTIVE_THREADS_MASK:
    case MF_FN_SIMD_ALL:
    case MF_FN_QUAD_ALL:
    case MF_FN_SIMD_ANY:
    case MF_FN_QUAD_ANY:
    case MF_FN_SIMD_IS_FIRST:
    case MF_FN_QUAD_IS_FIRST:
    case MF_FN_SIMD_IS_HELPER_THREAD: return true;
    default: return false;
    }
}

/* ---- Atomics ------------------------------------------------------------------------------------------------------------ */

static const char *change_of(mf_builtin b)
{
    switch ((int)b) {
    case MF_FN_ATOMIC_EXCHANGE_EXPLICIT: return "xchg";
    case MF_FN_ATOMIC_FETCH_ADD_EXPLICIT: return "add";
    case MF_FN_ATOMIC_FETCH_SUB_EXPLICIT: return "sub";
    case MF_FN_ATOMIC_FETCH_MIN_EXPLICIT:
    case MF_FN_ATOMIC_MIN_EXPLICIT: return "min";
    case MF_FN_ATOMIC_FETCH_MAX_EXPLICIT:
    case MF_FN_ATOMIC_MAX_EXPLICIT: return "max";
    case MF_FN_ATOMIC_FETCH_AND_EXPLICIT: return "and";
    case MF_FN_ATOMIC_FETCH_OR_EXPLICIT: return "or";
    case MF_FN_ATOMIC_FETCH_XOR_EXPLICIT: return "xor";
    default: return NULL;
    }
}

/* "atomic.global." and what is done, for the type. */
static str atomic_name(air_writer *w, const mf_expr *e, const char *what, bool sign)
{
    const mf_type *pointer = e->args[0]->type;
    const mf_type *t = mf_scalar_type(pointer->elem->scalar);
    const char *where = pointer->space == MF_THREADGROUP ? "local" : "global";
    return str_format(w->mem, "atomic.%s.%s.%s", where, what, air_write_type_name(w, t, sign).p);
}

static LLVMValueRef scope(air_writer *w, const mf_expr *e)
{
    return air_write_int(w, e->args[0]->type->space == MF_THREADGROUP ? SCOPE_THREADGROUP : SCOPE_DEVICE);
}

/* The old value; what was seen goes to the second argument. */
static LLVMValueRef compare_exchange(air_writer *w, const mf_expr *e)
{
    const mf_type *t = mf_scalar_type(e->args[0]->type->elem->scalar);
    LLVMValueRef expected = air_write_value(w, e->args[1]);
    LLVMValueRef before = LLVMBuildLoad2(w->b, air_write_memory_type(w, t), expected, "");
    LLVMValueRef args[7] = {air_write_value(w, e->args[0]), expected, air_write_value(w, e->args[2]), air_write_value(w, e->args[3]),
                            air_write_value(w, e->args[4]), scope(w, e), flag(w, false)};
    LLVMValueRef old = air_write_air(w, atomic_name(w, e, "cmpxchg.weak", false).p, air_write_value_type(w, t), args, 7);
    if (t->scalar != MF_FLOAT) return LLVMBuildICmp(w->b, LLVMIntEQ, old, before, "");
    return LLVMBuildICmp(w->b, LLVMIntEQ, LLVMBuildBitCast(w->b, old, w->i32, ""), LLVMBuildBitCast(w->b, before, w->i32, ""), "");
}

static LLVMValueRef atomic(air_writer *w, const mf_expr *e)
{
    const mf_scalar s = e->args[0]->type->elem->scalar;
    const LLVMTypeRef type = air_write_scalar(w, s);
    if (s == MF_BOOL || e->args[0]->type->space == MF_THREAD) {
        air_write_refuse(w, e->at, "atomics of this type are not supported");
        return e->type->kind == MF_TYPE_VOID ? NULL : air_write_zero(w, e->type);
    }
    if (e->builtin == MF_FN_ATOMIC_COMPARE_EXCHANGE_WEAK_EXPLICIT) return compare_exchange(w, e);
    LLVMValueRef p = air_write_value(w, e->args[0]);
    if (e->builtin == MF_FN_ATOMIC_LOAD_EXPLICIT) {
        LLVMValueRef args[4] = {p, air_write_value(w, e->args[1]), scope(w, e), flag(w, false)};
        return air_write_air(w, atomic_name(w, e, "load", false).p, type, args, 4);
    }
    LLVMValueRef v = air_write_value(w, e->args[1]);
    LLVMValueRef args[5] = {p, v, air_write_value(w, e->args[2]), scope(w, e), flag(w, false)};
    if (e->builtin == MF_FN_ATOMIC_STORE_EXPLICIT) return air_write_air(w, atomic_name(w, e, "store", false).p, w->none, args, 5);
    const char *what = change_of(e->builtin);
    if (what == NULL) {
        air_write_refuse(w, e->at, "'%s' is not supported", mf_builtin_name(e->builtin));
        return air_write_zero(w, e->type);
    }
    const bool plain = e->builtin == MF_FN_ATOMIC_EXCHANGE_EXPLICIT;
    return air_write_air(w, atomic_name(w, e, what, !plain).p, type, args, 5);
}

/* ---- Matrices -------------------------------------------------------------------------------------------------------------- */

static str matrix_type(air_writer *w, const mf_type *t)
{
    return str_format(w->mem, "v64%s", air_write_type_name(w, mf_scalar_type(t->scalar), false).p);
}

static LLVMTypeRef whole_type(air_writer *w, const mf_type *t)
{
    return air_write_value_type(w, t);
}

LLVMValueRef air_write_diagonal(air_writer *w, const mf_type *t, LLVMValueRef v)
{
    const str one = air_write_type_name(w, mf_scalar_type(t->scalar), false);
    const str name = str_format(w->mem, "simdgroup_matrix_8x8_init_diag.%s.%s", matrix_type(w, t).p, one.p);
    return air_write_air(w, name.p, whole_type(w, t), &v, 1);
}

static LLVMValueRef filled(air_writer *w, const mf_expr *e)
{
    LLVMValueRef v = air_write_value(w, e->args[0]);
    const str one = air_write_type_name(w, mf_scalar_type(e->type->scalar), false);
    const str name = str_format(w->mem, "simdgroup_matrix_8x8_init_filled.%s.%s", matrix_type(w, e->type).p, one.p);
    return air_write_air(w, name.p, whole_type(w, e->type), &v, 1);
}

/* Load: (pointer, elements a row, origin, transposed); store: the matrix before those. */
static LLVMValueRef move(air_writer *w, const mf_expr *e, bool stores)
{
    const mf_type *t = e->args[0]->type;
    LLVMValueRef args[5], *at = args;
    if (stores) *at++ = air_write_value(w, e->args[0]);
    for (unsigned i = 1; i < 5; ++i) *at++ = air_write_value(w, e->args[i]);
    const str one = air_write_type_name(w, mf_scalar_type(t->scalar), false);
    const unsigned space = air_write_space(e->args[1]->type->space);
    const str name = str_format(w->mem, "simdgroup_matrix_8x8_%s.%s.p%u%s", stores ? "store" : "load", matrix_type(w, t).p, space, one.p);
    if (stores) return air_write_air(w, name.p, w->none, args, 5);
    LLVMValueRef v = air_write_air(w, name.p, whole_type(w, t), args, 4);
    air_write_store(w, air_write_place(w, e->args[0]), v);
    return NULL;
}

static LLVMValueRef multiply(air_writer *w, const mf_expr *e)
{
    const mf_type *t = e->args[0]->type;
    const bool adds = e->builtin == MF_FN_SIMDGROUP_MULTIPLY_ACCUMULATE;
    LLVMValueRef args[3] = {air_write_value(w, e->args[1]), air_write_value(w, e->args[2]),
                            adds ? air_write_value(w, e->args[3]) : air_write_zero(w, t)};
    const str name = str_format(w->mem, "simdgroup_matrix_8x8_multiply_accumulate.%s.%s.%s.%s", matrix_type(w, t).p,
                                matrix_type(w, e->args[1]->type).p, matrix_type(w, e->args[2]->type).p,
                                matrix_type(w, adds ? e->args[3]->type : t).p);
    air_write_store(w, air_write_place(w, e->args[0]), air_write_air(w, name.p, whole_type(w, t), args, 3));
    return NULL;
}

LLVMValueRef air_write_group(air_writer *w, const mf_expr *e)
{
    const unsigned traits = mf_builtin_traits(e->builtin);
    if ((traits & MF_ATOMIC) != 0) return atomic(w, e);
    if ((traits & MF_BARRIER) != 0) return barrier(w, e);
    switch ((int)e->builtin) {
    case MF_FN_MAKE_FILLED_SIMDGROUP_MATRIX: return filled(w, e);
    case MF_FN_THREAD_INDEX_IN_SIMDGROUP: return LLVMBuildIntCast2(w->b, air_write_lane(w), air_write_value_type(w, e->type), 0, "");
    case MF_FN_SIMD_SHUFFLE_AND_FILL_UP: return shuffle_and_fill(w, e, false, true);
    case MF_FN_SIMD_SHUFFLE_AND_FILL_DOWN: return shuffle_and_fill(w, e, false, false);
    case MF_FN_QUAD_SHUFFLE_AND_FILL_UP: return shuffle_and_fill(w, e, true, true);
    case MF_FN_QUAD_SHUFFLE_AND_FILL_DOWN: return shuffle_and_fill(w, e, true, false);
    case MF_FN_SIMDGROUP_LOAD: return move(w, e, false);
    case MF_FN_SIMDGROUP_STORE: return move(w, e, true);
    case MF_FN_SIMDGROUP_MULTIPLY:
    case MF_FN_SIMDGROUP_MULTIPLY_ACCUMULATE: return multiply(w, e);
    default: break;
    }
    LLVMValueRef r = NULL;
    if (is_vote(e->builtin) && vote(w, e, &r)) return r;
    for (size_t i = 0; i < sizeof exchanges / sizeof *exchanges; ++i) {
        if (exchanges[i].simd == e->builtin) return exchange(w, e, "simd", exchanges[i].name);
        if (exchanges[i].quad == e->builtin) return exchange(w, e, "quad", exchanges[i].name);
    }
    air_write_refuse(w, e->at, "'%s' is not supported", mf_builtin_name(e->builtin));
    return e->type->kind == MF_TYPE_VOID ? NULL : air_write_zero(w, e->type);
}

/* ---- Copies of a simdgroup -------------------------------------------------------------------------------------------- */

/* The library's own stand for AIR's, with the same parameters. */
static const struct {
    const char *function, *air;
} copiers[] = {
    {"__copy_1d_in", "simdgroup_async_copy_1d.p3i8.p1i8"}, {"__copy_1d_out", "simdgroup_async_copy_1d.p1i8.p3i8"},
    {"__copy_2d_in", "simdgroup_async_copy_2d.p3i8.p1i8"}, {"__copy_2d_out", "simdgroup_async_copy_2d.p1i8.p3i8"},
    {"__wait_copies", "wait_simdgroup_events"},
};

static const char *copier(const mf_function *f)
{
    for (size_t i = 0; f->of_library && i < sizeof copiers / sizeof *copiers; ++i)
        if (str_is(f->name, copiers[i].function)) return copiers[i].air;
    return NULL;
}

bool air_write_is_copy(const mf_function *f)
{
    return copier(f) != NULL;
}

LLVMValueRef air_write_copy(air_writer *w, const mf_expr *e)
{
    enum { MOST = 12 };
    static const char event_name[] = "struct._simdgroup_event_t";
    const mf_function *f = e->function;
    LLVMTypeRef event = LLVMGetTypeByName2(w->c, event_name);
    if (event == NULL) event = LLVMStructCreateNamed(w->c, event_name);
    event = LLVMPointerType(event, 0);
    LLVMValueRef args[MOST];
    for (uint32_t i = 0; i < f->param_count && i < MOST; ++i) args[i] = air_write_value(w, e->args[i]);
    const bool waits = f->result->kind == MF_TYPE_VOID;
    if (waits) args[1] = air_write_pointer_cast(w, args[1], LLVMPointerType(event, 0));
    LLVMValueRef r = air_write_air(w, copier(f), waits ? w->none : event, args, (unsigned)f->param_count);
    return waits ? NULL : air_write_pointer_cast(w, r, air_write_value_type(w, e->type));
}
