/* Instructions of a threadgroup's function: scalars as they were, vectors element by element. */
#include "air/group.h"

#define B g->l->b

/* ---- Scalars ------------------------------------------------------------------------------------------------------- */

static bool divides(LLVMOpcode op)
{
    return op == LLVMUDiv || op == LLVMSDiv || op == LLVMURem || op == LLVMSRem;
}

/* A divisor that the processor takes: where no lane runs, no condition that the text asks holds. */
static LLVMValueRef safe_divisor(LLVMBuilderRef b, LLVMOpcode op, LLVMValueRef a, LLVMValueRef by)
{
    const LLVMTypeRef t = LLVMTypeOf(by);
    LLVMValueRef bad = LLVMBuildICmp(b, LLVMIntEQ, by, LLVMConstNull(t), "");
    if (op == LLVMSDiv || op == LLVMSRem) {
        LLVMValueRef least = LLVMConstInt(t, (uint64_t)1 << (LLVMGetIntTypeWidth(t) - 1), 0);
        LLVMValueRef both = LLVMBuildAnd(b, LLVMBuildICmp(b, LLVMIntEQ, a, least, ""), LLVMBuildICmp(b, LLVMIntEQ, by, LLVMConstAllOnes(t), ""), "");
        bad = LLVMBuildOr(b, bad, both, "");
    }
    return LLVMBuildSelect(b, bad, LLVMConstInt(t, 1, 0), by, "");
}

/* The same instruction on lane 0's operands. */
static LLVMValueRef repeat(air_group *g, LLVMValueRef old)
{
    const unsigned n = LLVMIsACallInst(old) != NULL ? LLVMGetNumArgOperands(old) : (unsigned)LLVMGetNumOperands(old);
    LLVMValueRef *args = arena_array(g->l->mem, LLVMValueRef, n + 1);
    for (unsigned i = 0; i < n; ++i) args[i] = air_group_scalar(g, LLVMGetOperand(old, i));
    const LLVMOpcode op = LLVMGetInstructionOpcode(old);
    if (divides(op) && LLVMGetTypeKind(LLVMTypeOf(old)) == LLVMIntegerTypeKind) args[1] = safe_divisor(B, op, args[0], args[1]);
    LLVMValueRef v = LLVMInstructionClone(old);
    for (unsigned i = 0; i < n; ++i) LLVMSetOperand(v, i, args[i]);
    LLVMInsertIntoBuilder(B, v);
    return v;
}

/* Whether lane 0's widened number plus steps is each lane's. */
static LLVMValueRef widens(air_group *g, LLVMValueRef old)
{
    LLVMValueRef from = LLVMGetOperand(old, 0), v = air_group_scalar(g, from);
    const LLVMTypeRef t = LLVMTypeOf(v);
    const int64_t most = air_group_shape(g, from).stride * (int64_t)(g->width - 1);
    const unsigned bits = LLVMGetIntTypeWidth(t);
    if (LLVMIsAZExtInst(old) != NULL) {
        if (most < 0) return LLVMBuildICmp(B, LLVMIntUGE, v, LLVMConstInt(t, (uint64_t)-most, 0), "");
        return LLVMBuildICmp(B, LLVMIntULE, v, LLVMConstInt(t, UINT64_MAX - (uint64_t)most, 0), "");
    }
    const uint64_t top = ((uint64_t)1 << (bits - 1)) - 1;
    if (most < 0) return LLVMBuildICmp(B, LLVMIntSGE, v, LLVMConstInt(t, top + 1 + (uint64_t)-most, 0), "");
    return LLVMBuildICmp(B, LLVMIntSLE, v, LLVMConstInt(t, top - (uint64_t)most, 0), "");
}

static LLVMValueRef exactness(air_group *g, LLVMValueRef old)
{
    LLVMValueRef r = NULL;
    if (!air_group_shape(g, old).maybe) return NULL;
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(old); ++i) {
        LLVMValueRef e = air_group_exact(g, LLVMGetOperand(old, i));
        if (e != NULL) r = r == NULL ? e : LLVMBuildAnd(B, r, e, "");
    }
    if (LLVMIsAZExtInst(old) == NULL && LLVMIsASExtInst(old) == NULL) return r;
    LLVMValueRef own = widens(g, old);
    return r == NULL ? own : LLVMBuildAnd(B, r, own, "");
}

/* ---- Vectors: one result an element ---------------------------------------------------------------------------------- */

static LLVMValueRef *room_for(air_group *g, unsigned n)
{
    return arena_array(g->l->mem, LLVMValueRef, n);
}

static LLVMValueRef *elementwise(air_group *g, LLVMValueRef old, LLVMOpcode op)
{
    const LLVMTypeRef t = LLVMTypeOf(old);
    const unsigned n = air_group_elements(t);
    LLVMValueRef *r = room_for(g, n), *a = air_group_lanes(g, LLVMGetOperand(old, 0));
    LLVMValueRef *b = LLVMGetNumOperands(old) > 1 ? air_group_lanes(g, LLVMGetOperand(old, 1)) : NULL;
    for (unsigned i = 0; i < n; ++i) {
        const LLVMTypeRef type = air_group_lanes_type(g, air_group_element(t, i));
        LLVMValueRef by = b != NULL ? b[i] : NULL; /* lanes that do not run divide by 1: what theirs is, no condition tells */
        if (divides(op) && g->mask != NULL) by = LLVMBuildSelect(B, g->mask, by, air_group_splat(g, LLVMConstInt(LLVMGetElementType(type), 1, 0)), "");
        switch ((int)op) {
        case LLVMFNeg: r[i] = LLVMBuildFNeg(B, a[i], ""); break;
        case LLVMFreeze: r[i] = a[i]; break; /* nothing here is poison */
        case LLVMICmp: r[i] = LLVMBuildICmp(B, LLVMGetICmpPredicate(old), a[i], b[i], ""); break;
        case LLVMFCmp: r[i] = LLVMBuildFCmp(B, LLVMGetFCmpPredicate(old), a[i], b[i], ""); break;
        default: r[i] = b != NULL ? LLVMBuildBinOp(B, op, a[i], by, "") : LLVMBuildCast(B, op, a[i], type, "");
        }
    }
    return r;
}

static LLVMValueRef *select(air_group *g, LLVMValueRef old)
{
    LLVMValueRef c = LLVMGetOperand(old, 0);
    const unsigned n = air_group_elements(LLVMTypeOf(old)), conditions = air_group_elements(LLVMTypeOf(c));
    LLVMValueRef *r = room_for(g, n), *when = air_group_lanes(g, c);
    LLVMValueRef *a = air_group_lanes(g, LLVMGetOperand(old, 1)), *b = air_group_lanes(g, LLVMGetOperand(old, 2));
    for (unsigned i = 0; i < n; ++i) r[i] = LLVMBuildSelect(B, when[conditions > 1 ? i : 0], a[i], b[i], "");
    return r;
}

static LLVMTypeRef integer_of(air_group *g, LLVMTypeRef element)
{
    return LLVMIntTypeInContext(g->l->c, (unsigned)LLVMSizeOfTypeInBits(g->l->layout, element));
}

/* Elements joined to wider ones or split into narrower ones, the first lowest. */
static LLVMValueRef *reinterpret(air_group *g, LLVMValueRef old)
{
    const LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(old, 0)), to = LLVMTypeOf(old);
    const unsigned n = air_group_elements(from), m = air_group_elements(to);
    const LLVMTypeRef e = air_group_element(from, 0), f = air_group_element(to, 0);
    LLVMValueRef *a = air_group_lanes(g, LLVMGetOperand(old, 0)), *r = room_for(g, m);
    const LLVMTypeRef result = air_group_lanes_type(g, f);
    if (n == m) {
        for (unsigned i = 0; i < n; ++i) r[i] = LLVMBuildBitCast(B, a[i], result, "");
        return r;
    }
    const LLVMTypeRef in = air_group_lanes_type(g, integer_of(g, e)), out = air_group_lanes_type(g, integer_of(g, f));
    const unsigned each = n > m ? n / m : m / n, bits = LLVMGetIntTypeWidth(LLVMGetElementType(n > m ? in : out));
    if ((n > m ? n % m : m % n) != 0 || LLVMGetTypeKind(from) == LLVMStructTypeKind) {
        air_group_unfit(g, "a vector read as one of another shape");
        for (unsigned i = 0; i < m; ++i) r[i] = LLVMConstNull(result);
        return r;
    }
    for (unsigned i = 0; i < m; ++i) {
        LLVMValueRef v = NULL;
        if (n > m) {
            for (unsigned k = 0; k < each; ++k) {
                LLVMValueRef part = LLVMBuildZExt(B, LLVMBuildBitCast(B, a[i * each + k], in, ""), out, "");
                LLVMValueRef count = air_group_splat(g, LLVMConstInt(LLVMGetElementType(out), (uint64_t)k * bits, 0));
                part = LLVMBuildShl(B, part, count, "");
                v = v == NULL ? part : LLVMBuildOr(B, v, part, "");
            }
        } else {
            v = LLVMBuildBitCast(B, a[i / each], in, "");
            LLVMValueRef count = air_group_splat(g, LLVMConstInt(LLVMGetElementType(in), (uint64_t)(i % each) * bits, 0));
            v = LLVMBuildTrunc(B, LLVMBuildLShr(B, v, count, ""), out, "");
        }
        r[i] = LLVMBuildBitCast(B, v, result, "");
    }
    return r;
}

static LLVMValueRef is_at(air_group *g, LLVMValueRef *index, LLVMTypeRef type, unsigned i)
{
    return LLVMBuildICmp(B, LLVMIntEQ, index[0], air_group_splat(g, LLVMConstInt(type, i, 0)), "");
}

static LLVMValueRef *extract(air_group *g, LLVMValueRef old)
{
    LLVMValueRef index = LLVMGetOperand(old, 1), *a = air_group_lanes(g, LLVMGetOperand(old, 0)), *r = room_for(g, 1);
    const unsigned n = air_group_elements(LLVMTypeOf(LLVMGetOperand(old, 0)));
    if (LLVMIsAConstantInt(index) != NULL) {
        r[0] = a[LLVMConstIntGetZExtValue(index) % n];
        return r;
    }
    LLVMValueRef *at = air_group_lanes(g, index);
    r[0] = a[0];
    for (unsigned i = 1; i < n; ++i) r[0] = LLVMBuildSelect(B, is_at(g, at, LLVMTypeOf(index), i), a[i], r[0], "");
    return r;
}

static LLVMValueRef *insert(air_group *g, LLVMValueRef old)
{
    LLVMValueRef index = LLVMGetOperand(old, 2), *a = air_group_lanes(g, LLVMGetOperand(old, 0)), *v = air_group_lanes(g, LLVMGetOperand(old, 1));
    const unsigned n = air_group_elements(LLVMTypeOf(old));
    LLVMValueRef *r = room_for(g, n), *at = LLVMIsAConstantInt(index) == NULL ? air_group_lanes(g, index) : NULL;
    for (unsigned i = 0; i < n; ++i) {
        if (at != NULL) r[i] = LLVMBuildSelect(B, is_at(g, at, LLVMTypeOf(index), i), v[0], a[i], "");
        else r[i] = LLVMConstIntGetZExtValue(index) == i ? v[0] : a[i];
    }
    return r;
}

static LLVMValueRef *shuffle(air_group *g, LLVMValueRef old)
{
    const unsigned n = air_group_elements(LLVMTypeOf(old)), width = air_group_elements(LLVMTypeOf(LLVMGetOperand(old, 0)));
    LLVMValueRef *a = air_group_lanes(g, LLVMGetOperand(old, 0)), *b = air_group_lanes(g, LLVMGetOperand(old, 1)), *r = room_for(g, n);
    for (unsigned i = 0; i < n; ++i) {
        const int at = LLVMGetMaskValue(old, i);
        if (at < 0) r[i] = LLVMConstNull(air_group_lanes_type(g, air_group_element(LLVMTypeOf(old), i)));
        else r[i] = (unsigned)at < width ? a[at] : b[(unsigned)at - width];
    }
    return r;
}

static LLVMValueRef *member(air_group *g, LLVMValueRef old)
{
    const LLVMTypeRef whole = LLVMTypeOf(LLVMGetOperand(old, 0));
    LLVMValueRef *r = room_for(g, 1);
    if (LLVMGetTypeKind(whole) != LLVMStructTypeKind || LLVMGetNumIndices(old) != 1) {
        air_group_unfit(g, "a part of a structure of structures");
        return air_group_lanes(g, LLVMConstNull(LLVMTypeOf(old)));
    }
    r[0] = air_group_lanes(g, LLVMGetOperand(old, 0))[LLVMGetIndices(old)[0]];
    return r;
}

static LLVMValueRef *address(air_group *g, LLVMValueRef old)
{
    LLVMValueRef *r = room_for(g, 1);
    r[0] = air_group_addresses(g, old);
    return r;
}

static bool is_plain(LLVMTypeRef t)
{
    const LLVMTypeKind k = LLVMGetTypeKind(t);
    return k == LLVMVectorTypeKind || (k != LLVMStructTypeKind && k != LLVMArrayTypeKind);
}

LLVMValueRef *air_group_compute(air_group *g, LLVMValueRef old)
{
    const LLVMOpcode op = LLVMGetInstructionOpcode(old);
    switch ((int)op) {
    case LLVMGetElementPtr: return address(g, old);
    case LLVMBitCast: return reinterpret(g, old);
    case LLVMSelect: return select(g, old);
    case LLVMExtractElement: return extract(g, old);
    case LLVMInsertElement: return insert(g, old);
    case LLVMShuffleVector: return shuffle(g, old);
    case LLVMExtractValue: return member(g, old);
    case LLVMLoad: return air_group_load(g, old);
    case LLVMCall: return air_group_call(g, old);
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg: return air_group_one_by_one(g, old);
    default: break;
    }
    if (is_plain(LLVMTypeOf(old)) && op != LLVMInsertValue && op != LLVMPHI) return elementwise(g, old, op);
    air_group_unfit(g, "an instruction on structures");
    return air_group_lanes(g, LLVMConstNull(LLVMTypeOf(old)));
}

void air_group_instruction(air_group *g, LLVMValueRef old)
{
    if (LLVMIsAAllocaInst(old) != NULL) return;
    if (LLVMIsAStoreInst(old) != NULL) {
        air_group_store(g, old);
        return;
    }
    const air_shape s = air_group_shape(g, old);
    if (LLVMIsAFenceInst(old) != NULL || (LLVMIsACallInst(old) != NULL && LLVMGetTypeKind(LLVMTypeOf(old)) == LLVMVoidTypeKind)) {
        if (LLVMIsACallInst(old) != NULL) (void)air_group_call(g, old);
        return;
    }
    if (s.kind == AIR_EACH) {
        (void)air_group_define(g, old, air_group_compute(g, old), NULL);
        return;
    }
    LLVMValueRef *parts = room_for(g, 1);
    const bool moves = LLVMIsAGetElementPtrInst(old) != NULL && air_group_room(g, old) != NULL;
    const bool casts = LLVMIsABitCastInst(old) != NULL && LLVMGetTypeKind(LLVMTypeOf(old)) == LLVMPointerTypeKind && air_group_room(g, old) != NULL;
    LLVMValueRef exact = exactness(g, old);
    parts[0] = moves ? air_group_offset(g, old) : casts ? air_group_scalar(g, LLVMGetOperand(old, 0)) : repeat(g, old);
    (void)air_group_define(g, old, parts, exact);
}
