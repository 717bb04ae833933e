/* Instructions and constant expressions that compute a value from values. */
#include "air/lower.h"

static LLVMValueRef operand(air_lower *l, LLVMValueRef v, unsigned i)
{
    return air_value(l, LLVMGetOperand(v, i));
}

static bool is_vector(LLVMTypeRef t)
{
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind;
}

static LLVMTypeRef element_of(LLVMTypeRef t)
{
    return is_vector(t) ? LLVMGetElementType(t) : t;
}

/* The same number in each element. */
static LLVMValueRef splat(air_lower *l, LLVMTypeRef t, uint64_t v)
{
    LLVMValueRef one = LLVMConstInt(element_of(t), v, 0);
    if (!is_vector(t)) return one;
    const unsigned n = LLVMGetVectorSize(t);
    LLVMValueRef *parts = arena_array(l->mem, LLVMValueRef, n);
    for (unsigned i = 0; i < n; ++i) parts[i] = one;
    return LLVMConstVector(parts, n);
}

/* x / 0 has all bits set, x % 0 is x, the least number by -1 wraps. */
static LLVMValueRef divide(air_lower *l, LLVMOpcode op, LLVMValueRef a, LLVMValueRef b)
{
    const LLVMTypeRef t = LLVMTypeOf(a);
    LLVMValueRef zero = LLVMConstNull(t), ones = LLVMConstAllOnes(t), one = splat(l, t, 1);
    LLVMValueRef by_zero = LLVMBuildICmp(l->b, LLVMIntEQ, b, zero, ""), r;
    if (op == LLVMUDiv || op == LLVMURem) {
        LLVMValueRef safe = LLVMBuildSelect(l->b, by_zero, one, b, "");
        r = op == LLVMUDiv ? LLVMBuildUDiv(l->b, a, safe, "") : LLVMBuildURem(l->b, a, safe, "");
        return LLVMBuildSelect(l->b, by_zero, op == LLVMUDiv ? ones : a, r, "");
    }
    LLVMValueRef by_minus = LLVMBuildICmp(l->b, LLVMIntEQ, b, ones, "");
    LLVMValueRef safe = LLVMBuildSelect(l->b, LLVMBuildOr(l->b, by_zero, by_minus, ""), one, b, "");
    r = op == LLVMSDiv ? LLVMBuildSDiv(l->b, a, safe, "") : LLVMBuildSRem(l->b, a, safe, "");
    r = LLVMBuildSelect(l->b, by_minus, op == LLVMSDiv ? LLVMBuildNeg(l->b, a, "") : zero, r, "");
    return LLVMBuildSelect(l->b, by_zero, op == LLVMSDiv ? ones : a, r, "");
}

/* Shift counts modulo the width. */
static LLVMValueRef shift(air_lower *l, LLVMOpcode op, LLVMValueRef a, LLVMValueRef b)
{
    const unsigned width = LLVMGetIntTypeWidth(element_of(LLVMTypeOf(a)));
    if ((width & (width - 1)) == 0) b = LLVMBuildAnd(l->b, b, splat(l, LLVMTypeOf(a), width - 1), "");
    else b = LLVMBuildURem(l->b, b, splat(l, LLVMTypeOf(a), width), "");
    if (op == LLVMShl) return LLVMBuildShl(l->b, a, b, "");
    return op == LLVMLShr ? LLVMBuildLShr(l->b, a, b, "") : LLVMBuildAShr(l->b, a, b, "");
}

static LLVMValueRef integer(air_lower *l, LLVMOpcode op, LLVMValueRef a, LLVMValueRef b)
{
    switch ((int)op) {
    case LLVMAdd: return LLVMBuildAdd(l->b, a, b, "");
    case LLVMSub: return LLVMBuildSub(l->b, a, b, "");
    case LLVMMul: return LLVMBuildMul(l->b, a, b, "");
    case LLVMAnd: return LLVMBuildAnd(l->b, a, b, "");
    case LLVMOr: return LLVMBuildOr(l->b, a, b, "");
    case LLVMXor: return LLVMBuildXor(l->b, a, b, "");
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr: return shift(l, op, a, b);
    default: return divide(l, op, a, b);
    }
}

static LLVMValueRef float_one(air_lower *l, LLVMValueRef *args, air_kind kind, void *user)
{
    const LLVMOpcode op = *(const LLVMOpcode *)user;
    LLVMValueRef a = air_to_float(l, args[0], kind), b = air_to_float(l, args[1], kind), r;
    switch ((int)op) {
    case LLVMFAdd: r = LLVMBuildFAdd(l->b, a, b, ""); break;
    case LLVMFSub: r = LLVMBuildFSub(l->b, a, b, ""); break;
    case LLVMFMul: r = LLVMBuildFMul(l->b, a, b, ""); break;
    case LLVMFDiv: r = LLVMBuildFDiv(l->b, a, b, ""); break;
    default: {
        LLVMValueRef both[2] = {a, b};
        r = air_call_host(l, "air_fmod", both, 2);
    }
    }
    return air_from_float(l, r, kind);
}

static LLVMValueRef floating(air_lower *l, LLVMOpcode op, LLVMValueRef v)
{
    const air_kind kind = air_kind_of(LLVMTypeOf(v));
    LLVMValueRef args[2] = {operand(l, v, 0), operand(l, v, 1)};
    if (kind == AIR_FLOAT && op != LLVMFRem) return float_one(l, args, kind, &op); /* LLVM's own vectors */
    return air_each(l, LLVMTypeOf(args[0]), args, 2, kind, float_one, &op);
}

static LLVMValueRef negate(air_lower *l, LLVMValueRef v)
{
    LLVMValueRef a = operand(l, v, 0);
    const air_kind kind = air_kind_of(LLVMTypeOf(v));
    if (kind == AIR_FLOAT) return LLVMBuildFNeg(l->b, a, "");
    return LLVMBuildXor(l->b, a, splat(l, LLVMTypeOf(a), 0x8000), "");
}

static LLVMValueRef compare_one(air_lower *l, LLVMValueRef *args, air_kind kind, void *user)
{
    const LLVMRealPredicate p = *(const LLVMRealPredicate *)user;
    return LLVMBuildFCmp(l->b, p, air_to_float(l, args[0], kind), air_to_float(l, args[1], kind), "");
}

static LLVMValueRef compare_floats(air_lower *l, LLVMValueRef v)
{
    LLVMRealPredicate p = LLVMGetFCmpPredicate(v);
    const air_kind kind = air_kind_of(LLVMTypeOf(LLVMGetOperand(v, 0)));
    LLVMValueRef args[2] = {operand(l, v, 0), operand(l, v, 1)};
    if (kind == AIR_FLOAT) return compare_one(l, args, kind, &p);
    return air_each(l, air_type(l, LLVMTypeOf(v)), args, 2, kind, compare_one, &p);
}

static LLVMValueRef address(air_lower *l, LLVMValueRef v)
{
    const LLVMTypeRef type = air_memory_type(l, LLVMGetGEPSourceElementType(v));
    const unsigned n = (unsigned)LLVMGetNumOperands(v) - 1;
    LLVMValueRef *index = arena_array(l->mem, LLVMValueRef, n + 1);
    if (is_vector(LLVMTypeOf(v))) air_refuse(l, "vectors of pointers are not supported");
    for (unsigned i = 0; i < n; ++i) index[i] = operand(l, v, i + 1);
    LLVMValueRef base = air_cast_pointer(l, operand(l, v, 0), type);
    return LLVMBuildBitCast(l->b, LLVMBuildGEP2(l->b, type, base, index, n, ""), l->ptr, "");
}

static LLVMValueRef reinterpret(air_lower *l, LLVMValueRef v)
{
    const LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(v, 0)), to = LLVMTypeOf(v);
    LLVMValueRef a = operand(l, v, 0);
    if (LLVMGetTypeKind(to) == LLVMPointerTypeKind) return a;
    if (air_is_matrix(from) != air_is_matrix(to)) {
        air_refuse(l, "reinterpreting a whole simdgroup matrix is not supported");
        return LLVMConstNull(air_type(l, to));
    }
    return LLVMBuildBitCast(l->b, a, air_type(l, to), "");
}

static LLVMValueRef cast(air_lower *l, LLVMOpcode op, LLVMValueRef v)
{
    const LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(v, 0)), to = LLVMTypeOf(v);
    const LLVMTypeRef type = air_type(l, to);
    LLVMValueRef a = operand(l, v, 0);
    switch ((int)op) {
    case LLVMTrunc: return LLVMBuildTrunc(l->b, a, type, "");
    case LLVMZExt: return LLVMBuildZExt(l->b, a, type, "");
    case LLVMSExt: return LLVMBuildSExt(l->b, a, type, "");
    case LLVMPtrToInt: return LLVMBuildPtrToInt(l->b, a, type, "");
    case LLVMIntToPtr: return LLVMBuildIntToPtr(l->b, a, type, "");
    case LLVMAddrSpaceCast: return a;
    default: break;
    }
    const bool sign = op == LLVMFPToSI || op == LLVMSIToFP;
    return air_convert(l, a, air_kind_of(from), sign, air_kind_of(to), sign, type);
}

static LLVMValueRef matrix_part(air_lower *l, LLVMValueRef v, LLVMValueRef index)
{
    if (LLVMIsAConstantInt(index) != NULL && LLVMConstIntGetZExtValue(index) < 2) return NULL;
    air_refuse(l, "of a simdgroup matrix a thread can reach the elements 0 and 1 alone");
    return LLVMConstNull(air_type(l, LLVMTypeOf(v)));
}

static LLVMValueRef extract(air_lower *l, LLVMValueRef v)
{
    if (air_is_matrix(LLVMTypeOf(LLVMGetOperand(v, 0)))) {
        LLVMValueRef wrong = matrix_part(l, v, LLVMGetOperand(v, 1));
        if (wrong != NULL) return wrong;
    }
    return LLVMBuildExtractElement(l->b, operand(l, v, 0), operand(l, v, 1), "");
}

static LLVMValueRef insert(air_lower *l, LLVMValueRef v)
{
    if (air_is_matrix(LLVMTypeOf(v))) {
        LLVMValueRef wrong = matrix_part(l, v, LLVMGetOperand(v, 2));
        if (wrong != NULL) return wrong;
    }
    return LLVMBuildInsertElement(l->b, operand(l, v, 0), operand(l, v, 1), operand(l, v, 2), "");
}

/* Element by element, as matrices on either side are shorter than they were. */
static LLVMValueRef shuffle(air_lower *l, LLVMValueRef v)
{
    const LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(v, 0)), type = air_type(l, LLVMTypeOf(v));
    const int width = (int)LLVMGetVectorSize(from), held = air_is_matrix(from) ? 2 : width;
    const unsigned n = LLVMGetVectorSize(type);
    LLVMValueRef sides[2] = {operand(l, v, 0), operand(l, v, 1)}, *mask = arena_array(l->mem, LLVMValueRef, n);
    if (held == width && n == LLVMGetNumMaskElements(v)) {
        for (unsigned i = 0; i < n; ++i) {
            const int at = LLVMGetMaskValue(v, i);
            mask[i] = at < 0 ? LLVMGetUndef(l->i32) : air_int32(l, (uint64_t)at);
        }
        return LLVMBuildShuffleVector(l->b, sides[0], sides[1], LLVMConstVector(mask, n), "");
    }
    LLVMValueRef r = LLVMGetUndef(type);
    for (unsigned i = 0; i < n; ++i) {
        const int at = LLVMGetMaskValue(v, i);
        if (at < 0) continue;
        if (at % width >= held) {
            air_refuse(l, "of a simdgroup matrix a thread can reach the elements 0 and 1 alone");
            return r;
        }
        LLVMValueRef e = LLVMBuildExtractElement(l->b, sides[at / width], air_int32(l, (uint64_t)(at % width)), "");
        r = LLVMBuildInsertElement(l->b, r, e, air_int32(l, i), "");
    }
    return r;
}

/* `whole` with `v` at the place that the indices lead to. */
static LLVMValueRef with_part(air_lower *l, LLVMValueRef whole, LLVMValueRef v, const unsigned *index, unsigned n)
{
    if (n == 1) return LLVMBuildInsertValue(l->b, whole, v, index[0], "");
    LLVMValueRef inner = LLVMBuildExtractValue(l->b, whole, index[0], "");
    return LLVMBuildInsertValue(l->b, whole, with_part(l, inner, v, index + 1, n - 1), index[0], "");
}

/* Parts of structures and arrays, whose new type may keep a matrix as an array. */
static LLVMValueRef part(air_lower *l, LLVMOpcode op, LLVMValueRef v)
{
    const unsigned n = LLVMGetNumIndices(v), *index = LLVMGetIndices(v);
    LLVMValueRef whole = operand(l, v, 0);
    if (air_is_matrix(op == LLVMExtractValue ? LLVMTypeOf(v) : LLVMTypeOf(LLVMGetOperand(v, 1)))) {
        air_refuse(l, "simdgroup matrices within structures are not supported");
        return LLVMConstNull(air_type(l, LLVMTypeOf(v)));
    }
    if (op == LLVMInsertValue) return with_part(l, whole, operand(l, v, 1), index, n);
    for (unsigned i = 0; i < n; ++i) whole = LLVMBuildExtractValue(l->b, whole, index[i], "");
    return whole;
}

static LLVMValueRef compare(air_lower *l, LLVMValueRef v)
{
    return LLVMBuildICmp(l->b, LLVMGetICmpPredicate(v), operand(l, v, 0), operand(l, v, 1), "");
}

static LLVMValueRef refuse_op(air_lower *l, LLVMValueRef v)
{
    char *text = LLVMPrintValueToString(v);
    air_refuse(l, "the instruction '%.160s' is not supported", text);
    LLVMDisposeMessage(text);
    const LLVMTypeRef type = air_type(l, LLVMTypeOf(v));
    return type == l->none ? air_int32(l, 0) : LLVMConstNull(type);
}

LLVMValueRef air_op(air_lower *l, LLVMOpcode op, LLVMValueRef v)
{
    switch ((int)op) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor: return integer(l, op, operand(l, v, 0), operand(l, v, 1));
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFRem: return floating(l, op, v);
    case LLVMFNeg: return negate(l, v);
    case LLVMICmp: return compare(l, v);
    case LLVMFCmp: return compare_floats(l, v);
    case LLVMGetElementPtr: return address(l, v);
    case LLVMBitCast: return reinterpret(l, v);
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMFPToUI:
    case LLVMFPToSI:
    case LLVMUIToFP:
    case LLVMSIToFP:
    case LLVMFPTrunc:
    case LLVMFPExt:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMAddrSpaceCast: return cast(l, op, v);
    case LLVMSelect: return LLVMBuildSelect(l->b, operand(l, v, 0), operand(l, v, 1), operand(l, v, 2), "");
    case LLVMExtractElement: return extract(l, v);
    case LLVMInsertElement: return insert(l, v);
    case LLVMShuffleVector: return shuffle(l, v);
    case LLVMExtractValue:
    case LLVMInsertValue: return part(l, op, v);
    case LLVMFreeze: return LLVMBuildFreeze(l->b, operand(l, v, 0), "");
    default: return refuse_op(l, v);
    }
}
