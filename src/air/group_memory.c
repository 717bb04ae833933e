/* Loads, stores and addresses of a threadgroup's function: at one place, side by side, or wherever the lanes point. */
#include <string.h>

#include "air/group.h"

#define B g->l->b

/* ---- Addresses ------------------------------------------------------------------------------------------------------ */

LLVMValueRef air_group_offset(air_group *g, LLVMValueRef gep)
{
    uint64_t fixed, scale[4];
    LLVMValueRef index[4], r = air_group_scalar(g, LLVMGetOperand(gep, 0));
    unsigned n;
    if (!air_group_step(g, gep, &fixed, scale, index, &n)) air_group_unfit(g, "an address of another kind");
    r = LLVMBuildAdd(B, r, air_int64(g->l, fixed), "");
    for (unsigned i = 0; i < n; ++i)
        r = LLVMBuildAdd(B, r, LLVMBuildMul(B, air_group_scalar(g, index[i]), air_int64(g->l, scale[i]), ""), "");
    return r;
}

static LLVMValueRef offsets(air_group *g, LLVMValueRef gep)
{
    uint64_t fixed, scale[4];
    LLVMValueRef index[4], r = air_group_lanes(g, LLVMGetOperand(gep, 0))[0];
    unsigned n;
    if (!air_group_step(g, gep, &fixed, scale, index, &n)) air_group_unfit(g, "an address of another kind");
    r = LLVMBuildAdd(B, r, air_group_splat(g, air_int64(g->l, fixed)), "");
    for (unsigned i = 0; i < n; ++i) {
        LLVMValueRef s = air_group_splat(g, air_int64(g->l, scale[i]));
        r = LLVMBuildAdd(B, r, LLVMBuildMul(B, air_group_lanes(g, index[i])[0], s, ""), "");
    }
    return r;
}

/* Scalars where they will do: a base that is the group's makes cheaper gathers. */
static LLVMValueRef operand(air_group *g, LLVMValueRef old)
{
    const air_shape s = air_group_shape(g, old);
    if (s.kind == AIR_SAME || (s.kind == AIR_LINEAR && s.stride == 0)) return air_group_scalar(g, old);
    return air_group_lanes(g, old)[0];
}

LLVMValueRef air_group_addresses(air_group *g, LLVMValueRef gep)
{
    if (air_group_room(g, gep) != NULL) return offsets(g, gep);
    const unsigned n = (unsigned)LLVMGetNumOperands(gep);
    LLVMValueRef *index = arena_array(g->l->mem, LLVMValueRef, n), base = operand(g, LLVMGetOperand(gep, 0));
    for (unsigned i = 1; i < n; ++i) index[i - 1] = operand(g, LLVMGetOperand(gep, i));
    LLVMValueRef r = LLVMBuildGEP2(B, LLVMGetGEPSourceElementType(gep), base, index, n - 1, "");
    return LLVMGetTypeKind(LLVMTypeOf(r)) == LLVMVectorTypeKind ? r : air_group_splat(g, r);
}

/* ---- What lies in memory: a bool is a byte there ---------------------------------------------------------------------- */

static LLVMTypeRef stored_type(air_group *g, LLVMTypeRef element)
{
    return element == g->l->i1 ? g->l->i8 : element;
}

static LLVMValueRef from_stored(air_group *g, LLVMValueRef v, LLVMTypeRef element)
{
    return element == g->l->i1 ? LLVMBuildTrunc(B, v, air_group_lanes_type(g, element), "") : v;
}

static LLVMValueRef to_stored(air_group *g, LLVMValueRef v, LLVMTypeRef element)
{
    return element == g->l->i1 ? LLVMBuildZExt(B, v, air_group_lanes_type(g, g->l->i8), "") : v;
}

static bool is_known(air_group *g, LLVMTypeRef t)
{
    const LLVMTypeRef e = air_group_element(t, 0);
    const LLVMTypeKind k = LLVMGetTypeKind(t), ke = LLVMGetTypeKind(e);
    const bool bytes = LLVMSizeOfTypeInBits(g->l->layout, e) % 8 == 0 || (e == g->l->i1 && k == LLVMIntegerTypeKind);
    if (bytes && k != LLVMStructTypeKind && k != LLVMArrayTypeKind && ke != LLVMStructTypeKind && ke != LLVMArrayTypeKind) return true;
    air_group_unfit(g, "an access to memory of another type");
    return false;
}

/* ---- Masked accesses by LLVM's intrinsics ----------------------------------------------------------------------------- */

static LLVMValueRef masked(air_group *g, const char *name, LLVMTypeRef *over, LLVMValueRef *args, unsigned n)
{
    const unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(g->l->to, id, over, 2);
    return LLVMBuildCall2(B, LLVMIntrinsicGetType(g->l->c, id, over, 2), f, args, n, "");
}

/* `count` elements for each lane, next to each other at p, as one vector. */
static LLVMValueRef load_row(air_group *g, LLVMValueRef p, LLVMTypeRef row, LLVMValueRef mask, unsigned align)
{
    LLVMValueRef at = air_cast_pointer(g->l, p, row);
    if (mask == NULL) {
        LLVMValueRef v = LLVMBuildLoad2(B, row, at, "");
        LLVMSetAlignment(v, align);
        return v;
    }
    LLVMTypeRef over[2] = {row, LLVMTypeOf(at)};
    LLVMValueRef args[4] = {at, air_int32(g->l, align), mask, LLVMConstNull(row)};
    return masked(g, "llvm.masked.load", over, args, 4);
}

static void store_row(air_group *g, LLVMValueRef p, LLVMValueRef v, LLVMValueRef mask, unsigned align)
{
    LLVMValueRef at = air_cast_pointer(g->l, p, LLVMTypeOf(v));
    if (mask == NULL) {
        LLVMSetAlignment(LLVMBuildStore(B, v, at), align);
        return;
    }
    LLVMTypeRef over[2] = {LLVMTypeOf(v), LLVMTypeOf(at)};
    LLVMValueRef args[4] = {v, at, air_int32(g->l, align), mask};
    (void)masked(g, "llvm.masked.store", over, args, 4);
}

static LLVMValueRef pointers_to(air_group *g, LLVMValueRef p, LLVMTypeRef element, uint64_t offset)
{
    LLVMValueRef at = air_int64(g->l, offset);
    p = LLVMBuildBitCast(B, p, air_group_lanes_type(g, g->l->ptr), "");
    if (offset != 0) p = LLVMBuildGEP2(B, g->l->i8, p, &at, 1, "");
    return LLVMBuildBitCast(B, p, air_group_lanes_type(g, LLVMPointerType(element, 0)), "");
}

/* Where the processor has no gathers, LLVM makes a branch a lane of one under a mask: lanes that do not run then read what is there
 * for certain, the thread's description. */
static LLVMValueRef gather(air_group *g, LLVMValueRef pointers, LLVMTypeRef element, uint64_t offset)
{
    LLVMTypeRef over[2] = {air_group_lanes_type(g, element), NULL};
    LLVMValueRef at = pointers_to(g, pointers, element, offset), mask = air_group_mask(g);
    const bool harmless = g->mask != NULL && !g->l->masks;
    over[1] = LLVMTypeOf(at);
    if (harmless) {
        LLVMValueRef nowhere = air_group_splat(g, air_cast_pointer(g->l, g->thread, element));
        at = LLVMBuildSelect(B, g->mask, at, nowhere, "");
        mask = air_group_splat(g, LLVMConstInt(g->l->i1, 1, 0));
    }
    LLVMValueRef args[4] = {at, air_int32(g->l, 1), mask, LLVMConstNull(over[0])}, v = masked(g, "llvm.masked.gather", over, args, 4);
    return harmless ? LLVMBuildSelect(B, g->mask, v, LLVMConstNull(over[0]), "") : v;
}

static void scatter(air_group *g, LLVMValueRef pointers, LLVMValueRef v, uint64_t offset)
{
    LLVMValueRef args[4] = {v, pointers_to(g, pointers, LLVMGetElementType(LLVMTypeOf(v)), offset), air_int32(g->l, 1), air_group_mask(g)};
    LLVMTypeRef over[2] = {LLVMTypeOf(v), LLVMTypeOf(args[1])};
    (void)masked(g, "llvm.masked.scatter", over, args, 4);
}

/* ---- Rows of elements and lanes ---------------------------------------------------------------------------------------- */

/* Element k of each of n, of a row that holds the lanes' elements one lane after the other. */
static LLVMValueRef every(air_group *g, LLVMValueRef row, unsigned k, unsigned n)
{
    LLVMValueRef mask[64];
    if (n == 1) return row;
    for (unsigned i = 0; i < g->width; ++i) mask[i] = air_int32(g->l, i * n + k);
    return LLVMBuildShuffleVector(B, row, LLVMGetUndef(LLVMTypeOf(row)), LLVMConstVector(mask, g->width), "");
}

/* Lanes' parts one after the other: joined by pairs to one long vector, then put in order. */
static LLVMValueRef woven(air_group *g, LLVMValueRef *parts, unsigned n)
{
    LLVMValueRef all[8], mask[512];
    unsigned have = 1, length = g->width;
    if (n == 1) return parts[0];
    while (have < n) have *= 2;
    for (unsigned i = 0; i < have; ++i) all[i] = i < n ? parts[i] : LLVMGetUndef(LLVMTypeOf(parts[0]));
    for (; have > 1; have /= 2, length *= 2) {
        for (unsigned i = 0; i < 2 * length; ++i) mask[i] = air_int32(g->l, i);
        for (unsigned i = 0; i < have / 2; ++i)
            all[i] = LLVMBuildShuffleVector(B, all[2 * i], all[2 * i + 1], LLVMConstVector(mask, 2 * length), "");
    }
    for (unsigned i = 0; i < g->width * n; ++i) mask[i] = air_int32(g->l, i % n * g->width + i / n);
    return LLVMBuildShuffleVector(B, all[0], LLVMGetUndef(LLVMTypeOf(all[0])), LLVMConstVector(mask, g->width * n), "");
}

/* The mask for n elements of each lane in a row. */
static LLVMValueRef row_mask(air_group *g, unsigned n)
{
    LLVMValueRef at[512];
    if (g->mask == NULL || n == 1) return g->mask;
    for (unsigned i = 0; i < g->width * n; ++i) at[i] = air_int32(g->l, i / n);
    return LLVMBuildShuffleVector(B, g->mask, LLVMGetUndef(LLVMTypeOf(g->mask)), LLVMConstVector(at, g->width * n), "");
}

/* ---- A thread's own memory ----------------------------------------------------------------------------------------------- */

/* Where element k at an offset lies: one row, or *lanes. */
static LLVMValueRef room_place(air_group *g, group_room *r, LLVMValueRef pointer, unsigned k, LLVMValueRef *lanes)
{
    const air_shape s = air_group_shape(g, pointer);
    LLVMValueRef base = air_group_room_here(g, r), width = air_int64(g->l, g->width);
    const uint64_t more = (uint64_t)k * r->element;
    *lanes = NULL;
    if (s.kind != AIR_EACH) {
        LLVMValueRef at = LLVMBuildAdd(B, air_group_scalar(g, pointer), air_int64(g->l, more), "");
        at = LLVMBuildMul(B, at, width, "");
        return LLVMBuildGEP2(B, g->l->i8, base, &at, 1, "");
    }
    LLVMValueRef at = LLVMBuildAdd(B, air_group_lanes(g, pointer)[0], air_group_splat(g, air_int64(g->l, more)), "");
    at = LLVMBuildMul(B, at, air_group_splat(g, width), "");
    at = LLVMBuildAdd(B, at, air_group_steps(g, g->l->i64, r->element), "");
    *lanes = LLVMBuildGEP2(B, g->l->i8, base, &at, 1, "");
    return NULL;
}

static LLVMValueRef room_load(air_group *g, group_room *r, LLVMValueRef pointer, LLVMTypeRef element, unsigned k)
{
    LLVMValueRef lanes, p = room_place(g, r, pointer, k, &lanes);
    if (p == NULL) return gather(g, lanes, element, 0);
    return load_row(g, p, air_group_lanes_type(g, element), NULL, r->element);
}

static void room_store(air_group *g, group_room *r, LLVMValueRef pointer, LLVMValueRef v, unsigned k)
{
    LLVMValueRef lanes, p = room_place(g, r, pointer, k, &lanes);
    if (p == NULL) scatter(g, lanes, v, 0);
    else store_row(g, p, v, g->mask, r->element);
}

/* ---- Loads and stores -------------------------------------------------------------------------------------------------- */

/* Whether the lanes' n elements lie next to each other. */
static bool is_row(air_group *g, LLVMValueRef pointer, LLVMTypeRef stored, unsigned n)
{
    const air_shape s = air_group_shape(g, pointer);
    const uint64_t size = LLVMStoreSizeOfType(g->l->layout, stored);
    return s.kind == AIR_LINEAR && s.stride == (int64_t)(size * n) && n <= 8;
}

/* A choice at run time: the builder goes on in the block for yes; `no` is made by the caller. */
typedef struct choice {
    LLVMBasicBlockRef no, end;
} choice;

static choice choose(air_group *g, LLVMValueRef exact)
{
    LLVMBasicBlockRef yes = air_group_block(g, "row");
    choice c = {.no = air_group_block(g, "lanes"), .end = air_group_block(g, "")};
    air_group_mostly(g, exact, yes, c.no);
    LLVMPositionBuilderAtEnd(B, yes);
    return c;
}

static void load_lanes(air_group *g, LLVMValueRef pointer, LLVMTypeRef t, LLVMValueRef *r)
{
    LLVMValueRef lanes = air_group_lanes(g, pointer)[0];
    const LLVMTypeRef stored = stored_type(g, air_group_element(t, 0));
    const uint64_t size = LLVMStoreSizeOfType(g->l->layout, stored);
    for (unsigned k = 0; k < air_group_elements(t); ++k) r[k] = gather(g, lanes, stored, k * size);
}

static void load_side_by_side(air_group *g, LLVMValueRef pointer, LLVMTypeRef t, LLVMValueRef *r)
{
    const unsigned n = air_group_elements(t);
    const LLVMTypeRef stored = stored_type(g, air_group_element(t, 0));
    LLVMValueRef row = load_row(g, air_group_scalar(g, pointer), LLVMVectorType(stored, n * g->width), row_mask(g, n), 1);
    for (unsigned k = 0; k < n; ++k) r[k] = every(g, row, k, n);
}

/* Whether all lanes run; NULL where there is no mask, or it costs little. */
static LLVMValueRef all_run(air_group *g, LLVMTypeRef stored, bool writes)
{
    if (g->mask == NULL || g->l->masks || (!writes && LLVMSizeOfTypeInBits(g->l->layout, stored) >= 32)) return NULL;
    LLVMValueRef bits = air_group_bits(g, g->mask);
    return LLVMBuildICmp(B, LLVMIntEQ, bits, LLVMConstAllOnes(LLVMTypeOf(bits)), "");
}

/* As a row where that is what the lanes' places are and masks are no trouble, else lane by lane. */
static LLVMValueRef *load_either_way(air_group *g, LLVMValueRef old)
{
    const LLVMTypeRef t = LLVMTypeOf(old), stored = stored_type(g, air_group_element(t, 0));
    const unsigned n = air_group_elements(t);
    LLVMValueRef pointer = LLVMGetOperand(old, 0), exact = air_group_exact(g, pointer), all = all_run(g, stored, false), outer = g->mask;
    LLVMValueRef *r = arena_array(g->l->mem, LLVMValueRef, n);
    if (exact == NULL && all == NULL) {
        load_side_by_side(g, pointer, t, r);
        return r;
    }
    const choice c = choose(g, exact == NULL ? all : all == NULL ? exact : LLVMBuildAnd(B, exact, all, ""));
    if (all != NULL) g->mask = NULL;
    load_side_by_side(g, pointer, t, r);
    g->mask = outer;
    LLVMBasicBlockRef from[2] = {LLVMGetInsertBlock(B), NULL};
    LLVMBuildBr(B, c.end);
    LLVMPositionBuilderAtEnd(B, c.no);
    LLVMValueRef *other = air_group_one_by_one(g, old);
    for (unsigned k = 0; k < n; ++k) other[k] = to_stored(g, other[k], air_group_element(t, 0));
    from[1] = LLVMGetInsertBlock(B);
    LLVMBuildBr(B, c.end);
    LLVMPositionBuilderAtEnd(B, c.end);
    for (unsigned k = 0; k < n; ++k) {
        LLVMValueRef both[2] = {r[k], other[k]};
        r[k] = LLVMBuildPhi(B, LLVMTypeOf(both[0]), "");
        LLVMAddIncoming(r[k], both, from, 2);
    }
    return r;
}

LLVMValueRef *air_group_load(air_group *g, LLVMValueRef old)
{
    const LLVMTypeRef t = LLVMTypeOf(old), element = air_group_element(t, 0);
    const unsigned n = air_group_elements(t);
    LLVMValueRef pointer = LLVMGetOperand(old, 0), *r = arena_array(g->l->mem, LLVMValueRef, n);
    group_room *room = air_group_room(g, pointer);
    if (!is_known(g, t)) return air_group_lanes(g, LLVMConstNull(t));
    if (room == NULL && (LLVMGetVolatile(old) || LLVMGetOrdering(old) != LLVMAtomicOrderingNotAtomic)) return air_group_one_by_one(g, old);
    if (room != NULL)
        for (unsigned k = 0; k < n; ++k) r[k] = room_load(g, room, pointer, stored_type(g, element), k);
    else if (is_row(g, pointer, stored_type(g, element), n)) r = load_either_way(g, old);
    else load_lanes(g, pointer, t, r);
    for (unsigned k = 0; k < n; ++k) r[k] = from_stored(g, r[k], element);
    return r;
}

static void store_lanes(air_group *g, LLVMValueRef old, LLVMValueRef *v, unsigned n)
{
    if (g->mask != NULL && !g->l->masks) {
        (void)air_group_one_by_one(g, old);
        return;
    }
    LLVMValueRef lanes = air_group_lanes(g, LLVMGetOperand(old, 1))[0];
    const uint64_t size = LLVMStoreSizeOfType(g->l->layout, LLVMGetElementType(LLVMTypeOf(v[0])));
    for (unsigned k = 0; k < n; ++k) scatter(g, lanes, v[k], k * size);
}

static void store_either_way(air_group *g, LLVMValueRef old, LLVMValueRef *v, unsigned n)
{
    LLVMValueRef pointer = LLVMGetOperand(old, 1), exact = air_group_exact(g, pointer), outer = g->mask;
    LLVMValueRef all = all_run(g, LLVMGetElementType(LLVMTypeOf(v[0])), true);
    const bool chosen = exact != NULL || all != NULL;
    const choice c = chosen ? choose(g, exact == NULL ? all : all == NULL ? exact : LLVMBuildAnd(B, exact, all, "")) : (choice){NULL, NULL};
    if (all != NULL) g->mask = NULL;
    store_row(g, air_group_scalar(g, pointer), woven(g, v, n), row_mask(g, n), 1);
    g->mask = outer;
    if (!chosen) return;
    LLVMBuildBr(B, c.end);
    LLVMPositionBuilderAtEnd(B, c.no);
    (void)air_group_one_by_one(g, old);
    LLVMBuildBr(B, c.end);
    LLVMPositionBuilderAtEnd(B, c.end);
}

/* At one place of the chunk's: what the last lane stores stays. */
static void store_one(air_group *g, LLVMValueRef old)
{
    LLVMValueRef value = LLVMGetOperand(old, 0), pointer = LLVMGetOperand(old, 1), v;
    const air_shape s = air_group_shape(g, value);
    const LLVMTypeRef t = LLVMTypeOf(value);
    if (s.kind == AIR_SAME || (s.kind == AIR_LINEAR && s.stride == 0)) {
        v = air_group_scalar(g, value);
    } else {
        LLVMValueRef *parts = air_group_lanes(g, value), last = air_int32(g->l, g->width - 1);
        if (g->mask != NULL) {
            LLVMValueRef args[2] = {air_group_bits(g, g->mask), LLVMConstInt(g->l->i1, 0, 0)};
            LLVMValueRef zeros = air_call_llvm(g->l, "llvm.ctlz", LLVMTypeOf(args[0]), args, 2);
            last = LLVMBuildSub(B, last, LLVMBuildIntCast2(B, zeros, g->l->i32, 0, ""), "");
        }
        const bool vector = LLVMGetTypeKind(t) == LLVMVectorTypeKind;
        v = vector ? LLVMGetUndef(t) : LLVMBuildExtractElement(B, parts[0], last, "");
        for (unsigned k = 0; vector && k < air_group_elements(t); ++k)
            v = LLVMBuildInsertElement(B, v, LLVMBuildExtractElement(B, parts[k], last, ""), air_int32(g->l, k), "");
    }
    LLVMSetAlignment(LLVMBuildStore(B, v, air_group_scalar(g, pointer)), 1);
}

void air_group_store(air_group *g, LLVMValueRef old)
{
    LLVMValueRef value = LLVMGetOperand(old, 0), pointer = LLVMGetOperand(old, 1);
    const LLVMTypeRef t = LLVMTypeOf(value), element = air_group_element(t, 0);
    const air_shape s = air_group_shape(g, pointer);
    group_room *room = air_group_room(g, pointer);
    if (!is_known(g, t)) return;
    if (room == NULL && (LLVMGetVolatile(old) || LLVMGetOrdering(old) != LLVMAtomicOrderingNotAtomic)) {
        (void)air_group_one_by_one(g, old);
        return;
    }
    if (room == NULL && (s.kind == AIR_SAME || (s.kind == AIR_LINEAR && s.stride == 0))) {
        store_one(g, old);
        return;
    }
    const unsigned n = air_group_elements(t);
    LLVMValueRef *lanes = air_group_lanes(g, value), *v = arena_array(g->l->mem, LLVMValueRef, n);
    for (unsigned k = 0; k < n; ++k) v[k] = to_stored(g, lanes[k], element);
    if (room != NULL)
        for (unsigned k = 0; k < n; ++k) room_store(g, room, pointer, v[k], k);
    else if (is_row(g, pointer, stored_type(g, element), n)) store_either_way(g, old, v, n);
    else store_lanes(g, old, v, n);
}
