/* Calls of air.* functions that look beyond one thread: barriers, simdgroups and quadgroups, atomics, simdgroup matrices,
 * copies of a simdgroup. */
#include "air/lower.h"

#include <string.h>

typedef struct cross_row {
    const char *name; /* behind "simd_" or "quad_" */
    air_cross_op op;
} cross_row;

static const cross_row rows[] = {
    {"sum", AIR_CROSS_SUM},
    {"product", AIR_CROSS_PRODUCT},
    {"min", AIR_CROSS_MIN},
    {"max", AIR_CROSS_MAX},
    {"and", AIR_CROSS_AND},
    {"or", AIR_CROSS_OR},
    {"xor", AIR_CROSS_XOR},
    {"prefix_inclusive_sum", AIR_CROSS_INCLUSIVE_SUM},
    {"prefix_exclusive_sum", AIR_CROSS_EXCLUSIVE_SUM},
    {"prefix_inclusive_product", AIR_CROSS_INCLUSIVE_PRODUCT},
    {"prefix_exclusive_product", AIR_CROSS_EXCLUSIVE_PRODUCT},
    {"shuffle", AIR_CROSS_TO},
    {"broadcast", AIR_CROSS_TO},
    {"broadcast_first", AIR_CROSS_FIRST},
    {"shuffle_up", AIR_CROSS_UP},
    {"shuffle_down", AIR_CROSS_DOWN},
    {"shuffle_xor", AIR_CROSS_EXOR},
    {"shuffle_rotate_up", AIR_CROSS_ROTATE_UP},
    {"shuffle_rotate_down", AIR_CROSS_ROTATE_DOWN},
    {"ballot", AIR_CROSS_BALLOT},
    {"active_threads_mask", AIR_CROSS_ACTIVE},
    {"is_first", AIR_CROSS_IS_FIRST},
    {"all", AIR_CROSS_ALL},
    {"any", AIR_CROSS_ANY},
};

static bool has(str s, const char *part)
{
    const size_t n = strlen(part);
    for (size_t i = 0; i + n <= s.n; ++i)
        if (memcmp(s.p + i, part, n) == 0) return true;
    return false;
}

static LLVMValueRef argument(air_lower *l, LLVMValueRef call, unsigned i)
{
    return air_value(l, LLVMGetOperand(call, i));
}

/* ---- Exchanges ------------------------------------------------------------------------------------------------ */

typedef struct exchange {
    air_cross_op op;
    unsigned width; /* 32 or 4 */
    bool is_signed;
    LLVMValueRef by;
    LLVMTypeRef result; /* element */
} exchange;

static bool computes(air_cross_op op)
{
    return op <= AIR_CROSS_EXCLUSIVE_PRODUCT;
}

static LLVMValueRef to_word(air_lower *l, LLVMValueRef v, bool sign)
{
    if (LLVMTypeOf(v) == l->f32) v = LLVMBuildBitCast(l->b, v, l->i32, "");
    return LLVMBuildIntCast2(l->b, v, l->i64, sign && LLVMTypeOf(v) != l->i1, "");
}

static LLVMValueRef from_word(air_lower *l, LLVMValueRef v, LLVMTypeRef type)
{
    if (type == l->f32) return LLVMBuildBitCast(l->b, LLVMBuildTrunc(l->b, v, l->i32, ""), l->f32, "");
    if (type == l->i1) return LLVMBuildICmp(l->b, LLVMIntNE, v, air_int64(l, 0), "");
    return LLVMBuildIntCast2(l->b, v, type, 0, "");
}

/* One element through the host; sums of half and bfloat are done in float and rounded once. */
static LLVMValueRef exchange_one(air_lower *l, LLVMValueRef *args, air_kind kind, void *user)
{
    const exchange *e = user;
    const bool small = (kind == AIR_HALF || kind == AIR_BFLOAT) && computes(e->op);
    LLVMValueRef v = small ? air_to_float(l, args[0], kind) : args[0];
    const bool is_float = small || (kind == AIR_FLOAT && computes(e->op));
    const air_cross_type type = is_float ? AIR_CROSS_FLOAT : e->is_signed ? AIR_CROSS_SIGNED : AIR_CROSS_UNSIGNED;
    l->syncs = true;
    LLVMValueRef how = air_int32(l, (uint64_t)e->op | (uint64_t)type << 8 | (uint64_t)e->width << 16);
    LLVMValueRef all[5] = {l->thread, air_int32(l, ++l->sites), how, to_word(l, v, e->is_signed), e->by};
    LLVMValueRef r = air_call_host(l, "air_rt_exchange", all, 5);
    if (small) return air_from_float(l, from_word(l, r, l->f32), kind);
    return from_word(l, r, e->result);
}

static LLVMTypeRef element_of(LLVMTypeRef t)
{
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetElementType(t) : t;
}

static LLVMValueRef cross(air_lower *l, LLVMValueRef call, const cross_row *row, bool quad, bool is_signed)
{
    const LLVMTypeRef type = air_type(l, LLVMTypeOf(call));
    const unsigned n = LLVMGetNumArgOperands(call);
    exchange e = {row->op, quad ? 4 : AIR_SIMD_WIDTH, is_signed, air_int32(l, 0), element_of(type)};
    if (n > 1) e.by = LLVMBuildIntCast2(l->b, argument(l, call, 1), l->i32, 0, "");
    LLVMValueRef v = n > 0 ? argument(l, call, 0) : LLVMConstInt(l->i1, 1, 0);
    const air_kind kind = n > 0 ? air_kind_of(LLVMTypeOf(LLVMGetOperand(call, 0))) : AIR_INT;
    return air_each(l, type, &v, 1, kind, exchange_one, &e);
}

/* Bits of a ballot: all or any of the simdgroup's. */
static LLVMValueRef vote(air_lower *l, LLVMValueRef call, bool all, uint64_t mask)
{
    LLVMValueRef v = argument(l, call, 0);
    LLVMValueRef bits = LLVMConstInt(LLVMTypeOf(v), mask, 0), some = LLVMBuildAnd(l->b, v, bits, "");
    if (all) return LLVMBuildICmp(l->b, LLVMIntEQ, some, bits, "");
    return LLVMBuildICmp(l->b, LLVMIntNE, some, LLVMConstNull(LLVMTypeOf(v)), "");
}

static LLVMValueRef simd_or_quad(air_lower *l, LLVMValueRef call, str name, bool *known)
{
    const bool quad = name.p[0] == 'q';
    str rest = {name.p + 5, name.n - 5};
    for (size_t i = 0; i < rest.n; ++i)
        if (rest.p[i] == '.') rest.n = i;
    if (str_is(rest, "vote_all") || str_is(rest, "vote_any"))
        return vote(l, call, str_is(rest, "vote_all"), quad ? 0xf : 0xffffffffu);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
        if (str_is(rest, rows[i].name)) return cross(l, call, &rows[i], quad, has(name, ".s."));
    *known = false;
    return NULL;
}

/* `flags`: the memories that it orders. */
static void wait_simdgroup(air_lower *l, LLVMValueRef flags)
{
    exchange e = {AIR_CROSS_WAIT, AIR_SIMD_WIDTH, false, flags, l->i1};
    LLVMValueRef nothing = LLVMConstInt(l->i1, 1, 0);
    (void)exchange_one(l, &nothing, AIR_INT, &e);
}

static void barrier(air_lower *l, LLVMValueRef call)
{
    LLVMValueRef args[2] = {l->thread, air_int32(l, ++l->sites)};
    l->syncs = true;
    if (l->watched) {
        LLVMValueRef more[3] = {l->thread, argument(l, call, 0), air_int32(l, air_note_place(l))};
        l->has_fences = true;
        air_note_position(l);
        (void)air_call_host(l, "air_rt_meet", more, 3);
    }
    (void)air_call_host(l, "air_rt_barrier", args, 2);
}

/* ---- Atomics -------------------------------------------------------------------------------------------------- */

/* Where an atomic lies: checked, and aligned to its size. */
static LLVMValueRef atomic_place(air_lower *l, LLVMValueRef pointer, LLVMTypeRef type, bool writes)
{
    LLVMValueRef p = air_value(l, pointer);
    const uint64_t size = LLVMStoreSizeOfType(l->layout, type);
    const air_owner owner = air_owner_of(l, pointer);
    l->atomic = l->has_atomics = true;
    air_check(l, &owner, p, air_int64(l, size), writes);
    l->atomic = false;
    LLVMValueRef address = LLVMBuildPtrToInt(l->b, p, l->i64, "");
    LLVMValueRef low = LLVMBuildAnd(l->b, address, air_int64(l, size - 1), "");
    LLVMValueRef good = LLVMBuildICmp(l->b, LLVMIntEQ, low, air_int64(l, 0), "");
    air_fault_unless(l, good, AIR_FAULT_ALIGNMENT, owner.what, low, air_int64(l, size));
    return air_cast_pointer(l, p, type);
}

static LLVMValueRef exchange_if_equal(air_lower *l, LLVMValueRef call)
{
    const LLVMTypeRef type = air_type(l, LLVMTypeOf(LLVMGetOperand(call, 2)));
    const bool is_float = type == l->f32;
    const LLVMTypeRef word = is_float ? l->i32 : type;
    LLVMValueRef at = atomic_place(l, LLVMGetOperand(call, 0), word, true);
    LLVMValueRef expected = air_load(l, LLVMGetOperand(call, 1), LLVMTypeOf(LLVMGetOperand(call, 2)));
    LLVMValueRef wanted = argument(l, call, 2);
    LLVMValueRef a = LLVMBuildBitCast(l->b, expected, word, ""), b = LLVMBuildBitCast(l->b, wanted, word, "");
    LLVMValueRef pair = LLVMBuildAtomicCmpXchg(l->b, at, a, b, LLVMAtomicOrderingMonotonic, LLVMAtomicOrderingMonotonic, 0);
    LLVMValueRef old = LLVMBuildBitCast(l->b, LLVMBuildExtractValue(l->b, pair, 0, ""), type, "");
    air_store(l, LLVMGetOperand(call, 1), old, LLVMTypeOf(LLVMGetOperand(call, 2)));
    return old;
}

static bool change_of(str op, bool is_float, bool is_unsigned, LLVMAtomicRMWBinOp *out)
{
    const struct {
        const char *name;
        LLVMAtomicRMWBinOp op;
    } table[] = {{"add", is_float ? LLVMAtomicRMWBinOpFAdd : LLVMAtomicRMWBinOpAdd},
                 {"sub", is_float ? LLVMAtomicRMWBinOpFSub : LLVMAtomicRMWBinOpSub},
                 {"min", is_unsigned ? LLVMAtomicRMWBinOpUMin : LLVMAtomicRMWBinOpMin},
                 {"max", is_unsigned ? LLVMAtomicRMWBinOpUMax : LLVMAtomicRMWBinOpMax},
                 {"and", LLVMAtomicRMWBinOpAnd},
                 {"or", LLVMAtomicRMWBinOpOr},
                 {"xor", LLVMAtomicRMWBinOpXor},
                 {"xchg", LLVMAtomicRMWBinOpXchg}};
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
        if (!str_is(op, table[i].name)) continue;
        *out = table[i].op;
        return true;
    }
    return false;
}

/* "atomic.global.add.u.i32" */
static LLVMValueRef atomic(air_lower *l, LLVMValueRef call, str name, bool *known)
{
    str op = {name.p + strlen("atomic."), name.n - strlen("atomic.")};
    while (op.n != 0 && op.p[0] != '.') op = (str){op.p + 1, op.n - 1};
    if (op.n != 0) op = (str){op.p + 1, op.n - 1};
    const str whole = op;
    for (size_t i = 0; i < op.n; ++i)
        if (op.p[i] == '.') op.n = i;
    if (str_is(op, "cmpxchg")) return exchange_if_equal(l, call);
    LLVMValueRef r;
    if (str_is(op, "load")) {
        const LLVMTypeRef type = air_type(l, LLVMTypeOf(call));
        r = LLVMBuildLoad2(l->b, type, atomic_place(l, LLVMGetOperand(call, 0), type, false), "");
        LLVMSetOrdering(r, LLVMAtomicOrderingMonotonic);
        LLVMSetAlignment(r, (unsigned)LLVMStoreSizeOfType(l->layout, type));
        return r;
    }
    LLVMValueRef value = argument(l, call, 1);
    const LLVMTypeRef type = LLVMTypeOf(value);
    LLVMAtomicRMWBinOp change;
    if (str_is(op, "store")) {
        r = LLVMBuildStore(l->b, value, atomic_place(l, LLVMGetOperand(call, 0), type, true));
        LLVMSetOrdering(r, LLVMAtomicOrderingMonotonic);
        LLVMSetAlignment(r, (unsigned)LLVMStoreSizeOfType(l->layout, type));
        return NULL;
    }
    if (!change_of(op, type == l->f32, has(whole, ".u."), &change)) {
        *known = false;
        return NULL;
    }
    return LLVMBuildAtomicRMW(l->b, change, atomic_place(l, LLVMGetOperand(call, 0), type, true), value, LLVMAtomicOrderingMonotonic, 0);
}

/* ---- Simdgroup matrices: lane i holds two neighbours of a row ------------------------------------------------------- */

static LLVMValueRef lane(air_lower *l)
{
    return LLVMBuildAnd(l->b, l->index, air_int32(l, AIR_SIMD_WIDTH - 1), "");
}

/* Row and first column of lane n, as code that reaches into matrices has it: quad q = n / 4, row (q & 4) + (n / 2) % 4,
 * column (q & 2) * 2 + (n % 2) * 2. */
static void lane_place(air_lower *l, LLVMValueRef *row, LLVMValueRef *column)
{
    LLVMValueRef n = lane(l), q = LLVMBuildLShr(l->b, n, air_int32(l, 2), "");
    LLVMValueRef r = LLVMBuildAnd(l->b, LLVMBuildLShr(l->b, n, air_int32(l, 1), ""), air_int32(l, 3), "");
    r = LLVMBuildAdd(l->b, LLVMBuildAnd(l->b, q, air_int32(l, 4), ""), r, "");
    LLVMValueRef c = LLVMBuildShl(l->b, LLVMBuildAnd(l->b, q, air_int32(l, 2), ""), air_int32(l, 1), "");
    c = LLVMBuildAdd(l->b, c, LLVMBuildShl(l->b, LLVMBuildAnd(l->b, n, air_int32(l, 1), ""), air_int32(l, 1), ""), "");
    *row = LLVMBuildZExt(l->b, r, l->i64, "");
    *column = LLVMBuildZExt(l->b, c, l->i64, "");
}

static LLVMValueRef number_of(air_lower *l, LLVMValueRef v, unsigned i)
{
    return LLVMBuildExtractElement(l->b, v, air_int32(l, i), "");
}

/* Where element k of this lane lies. Before AIR 2.8 the arguments behind the pointer are (elements a row, origin,
 * transposed), from then on (dimensions, strides, origin). */
static LLVMValueRef matrix_place(air_lower *l, LLVMValueRef call, unsigned pointer, unsigned k, LLVMTypeRef element)
{
    LLVMValueRef row, column, stride_x = air_int64(l, 1), stride_y, origin = argument(l, call, pointer + 2);
    lane_place(l, &row, &column);
    column = LLVMBuildAdd(l->b, column, air_int64(l, k), "");
    LLVMValueRef second = argument(l, call, pointer + 1);
    if (LLVMGetTypeKind(LLVMTypeOf(second)) == LLVMVectorTypeKind) {
        LLVMValueRef strides = origin;
        origin = argument(l, call, pointer + 3);
        stride_x = number_of(l, strides, 0);
        stride_y = number_of(l, strides, 1);
    } else {
        LLVMValueRef flip = argument(l, call, pointer + 3), r = row;
        stride_y = second;
        row = LLVMBuildSelect(l->b, flip, column, row, "");
        column = LLVMBuildSelect(l->b, flip, r, column, "");
    }
    column = LLVMBuildMul(l->b, LLVMBuildAdd(l->b, column, number_of(l, origin, 0), ""), stride_x, "");
    row = LLVMBuildMul(l->b, LLVMBuildAdd(l->b, row, number_of(l, origin, 1), ""), stride_y, "");
    LLVMValueRef index = LLVMBuildAdd(l->b, row, column, "");
    LLVMValueRef base = air_cast_pointer(l, argument(l, call, pointer), element);
    return LLVMBuildBitCast(l->b, LLVMBuildGEP2(l->b, element, base, &index, 1, ""), l->ptr, "");
}

static LLVMValueRef move_matrix(air_lower *l, LLVMValueRef call, bool stores)
{
    const unsigned pointer = stores ? 1 : 0;
    const LLVMTypeRef type = stores ? LLVMTypeOf(argument(l, call, 0)) : air_type(l, LLVMTypeOf(call));
    const LLVMTypeRef element = element_of(type);
    const air_owner owner = air_owner_of(l, LLVMGetOperand(call, pointer));
    LLVMValueRef r = LLVMGetUndef(type), size = air_int64(l, LLVMStoreSizeOfType(l->layout, element));
    if (stores) r = argument(l, call, 0);
    for (unsigned k = 0; k < 2; ++k) {
        LLVMValueRef p = matrix_place(l, call, pointer, k, element);
        air_check(l, &owner, p, size, stores);
        p = air_cast_pointer(l, p, element);
        if (stores) {
            LLVMSetAlignment(LLVMBuildStore(l->b, number_of(l, r, k), p), 1);
            continue;
        }
        LLVMValueRef v = LLVMBuildLoad2(l->b, element, p, "");
        LLVMSetAlignment(v, 1);
        r = LLVMBuildInsertElement(l->b, r, v, air_int32(l, k), "");
    }
    return stores ? NULL : r;
}

static LLVMValueRef filled(air_lower *l, LLVMValueRef call, bool diagonal)
{
    LLVMValueRef v = argument(l, call, 0), r = LLVMGetUndef(air_type(l, LLVMTypeOf(call))), row, column;
    lane_place(l, &row, &column);
    for (unsigned k = 0; k < 2; ++k) {
        LLVMValueRef on = LLVMBuildICmp(l->b, LLVMIntEQ, row, LLVMBuildAdd(l->b, column, air_int64(l, k), ""), "");
        LLVMValueRef e = diagonal ? LLVMBuildSelect(l->b, on, v, LLVMConstNull(LLVMTypeOf(v)), "") : v;
        r = LLVMBuildInsertElement(l->b, r, e, air_int32(l, k), "");
    }
    return r;
}

/* In float, whatever the types; rounded once at the end. */
static LLVMValueRef multiply(air_lower *l, LLVMValueRef call)
{
    const LLVMTypeRef array = LLVMArrayType(l->f32, 6);
    LLVMValueRef room = air_room(l, array), at[6];
    LLVMValueRef base = air_cast_pointer(l, room, l->f32);
    for (unsigned i = 0; i < 6; ++i) {
        LLVMValueRef index = air_int64(l, i), v = number_of(l, argument(l, call, i / 2), i & 1);
        at[i] = LLVMBuildGEP2(l->b, l->f32, base, &index, 1, "");
        LLVMBuildStore(l->b, air_to_float(l, v, air_kind_of(LLVMTypeOf(LLVMGetOperand(call, i / 2)))), at[i]);
    }
    l->syncs = true;
    LLVMValueRef args[3] = {l->thread, air_int32(l, ++l->sites), room};
    (void)air_call_host(l, "air_rt_multiply", args, 3);
    LLVMValueRef r = LLVMGetUndef(air_type(l, LLVMTypeOf(call)));
    const air_kind kind = air_kind_of(LLVMTypeOf(call));
    for (unsigned k = 0; k < 2; ++k) {
        LLVMValueRef v = air_from_float(l, LLVMBuildLoad2(l->b, l->f32, at[k], ""), kind);
        r = LLVMBuildInsertElement(l->b, r, v, air_int32(l, k), "");
    }
    return r;
}

static LLVMValueRef matrix(air_lower *l, LLVMValueRef call, str rest, bool *known)
{
    if (str_starts(rest, STR("load."))) return move_matrix(l, call, false);
    if (str_starts(rest, STR("store."))) return move_matrix(l, call, true);
    if (str_starts(rest, STR("multiply_accumulate."))) return multiply(l, call);
    if (str_starts(rest, STR("init_filled."))) return filled(l, call, false);
    if (str_starts(rest, STR("init_diag."))) return filled(l, call, true);
    *known = false;
    return NULL;
}

/* ---- Copies of a simdgroup: done at once, waited for by an exchange ------------------------------------------------ */

static LLVMValueRef copy(air_lower *l, LLVMValueRef call, bool two)
{
    if (!two) { /* element size, alignment, to, from, count */
        LLVMValueRef args[5] = {l->thread, argument(l, call, 0), argument(l, call, 2), argument(l, call, 3), argument(l, call, 4)};
        air_note_position(l);
        (void)air_call_host(l, "air_rt_copy_1d", args, 5);
        return NULL;
    }
    /* element size, alignment, to, its elements a row, 1, its tile, from, its elements a row, 1, its tile, offset, clamp */
    enum { NUMBERS = 8 };
    LLVMValueRef numbers[NUMBERS] = {argument(l, call, 0), argument(l, call, 3)}, room = air_room(l, LLVMArrayType(l->i64, NUMBERS));
    LLVMValueRef to_tile = argument(l, call, 5), from_tile = argument(l, call, 9);
    numbers[2] = number_of(l, to_tile, 0);
    numbers[3] = number_of(l, to_tile, 1);
    numbers[4] = argument(l, call, 7);
    numbers[5] = number_of(l, from_tile, 0);
    numbers[6] = number_of(l, from_tile, 1);
    numbers[7] = LLVMBuildIntCast2(l->b, argument(l, call, 11), l->i64, 0, "");
    LLVMValueRef base = air_cast_pointer(l, room, l->i64);
    for (unsigned i = 0; i < NUMBERS; ++i) {
        LLVMValueRef index = air_int64(l, i);
        LLVMBuildStore(l->b, numbers[i], LLVMBuildGEP2(l->b, l->i64, base, &index, 1, ""));
    }
    LLVMValueRef args[4] = {l->thread, room, argument(l, call, 2), argument(l, call, 6)};
    air_note_position(l);
    (void)air_call_host(l, "air_rt_copy_2d", args, 4);
    return NULL;
}

LLVMValueRef air_group_intrinsic(air_lower *l, LLVMValueRef call, str name, bool *known)
{
    *known = true;
    if (str_starts(name, STR("wg.barrier"))) {
        barrier(l, call);
        return NULL;
    }
    if (str_starts(name, STR("simdgroup.barrier")) || str_starts(name, STR("wait_simdgroup_events"))) {
        wait_simdgroup(l, name.p[0] == 's' ? argument(l, call, 0) : air_int32(l, 3)); /* copies: device and threadgroup */
        return NULL;
    }
    if (str_starts(name, STR("atomic.fence"))) {
        l->has_fences = true;
        LLVMBuildFence(l->b, LLVMAtomicOrderingSequentiallyConsistent, 0, "");
        return NULL;
    }
    if (str_starts(name, STR("atomic."))) return atomic(l, call, name, known);
    if (str_starts(name, STR("simdgroup_matrix_8x8_"))) {
        const size_t n = strlen("simdgroup_matrix_8x8_");
        return matrix(l, call, (str){name.p + n, name.n - n}, known);
    }
    if (str_starts(name, STR("simdgroup_async_copy_1d."))) return copy(l, call, false);
    if (str_starts(name, STR("simdgroup_async_copy_2d."))) return copy(l, call, true);
    if (str_starts(name, STR("simd_")) || str_starts(name, STR("quad_"))) return simd_or_quad(l, call, name, known);
    *known = false;
    return NULL;
}
