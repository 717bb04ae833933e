/* Values of the old module in the new one: constants, globals, and what was lowered before. */
#include "air/lower.h"

#include "base/num.h"

LLVMValueRef air_int32(air_lower *l, uint64_t v)
{
    return LLVMConstInt(l->i32, v, 0);
}

LLVMValueRef air_int64(air_lower *l, uint64_t v)
{
    return LLVMConstInt(l->i64, v, 0);
}

static LLVMValueRef float_constant(air_lower *l, LLVMValueRef v)
{
    LLVMBool lost = 0;
    const double d = LLVMConstRealGetDouble(v, &lost);
    switch ((int)LLVMGetTypeKind(LLVMTypeOf(v))) {
    case LLVMHalfTypeKind: return LLVMConstInt(l->i16, num_encode(&num_half, d), 0);
    case LLVMBFloatTypeKind: return LLVMConstInt(l->i16, num_encode(&num_bfloat, d), 0);
    default: return LLVMConstReal(air_type(l, LLVMTypeOf(v)), d);
    }
}

/* A vector, array or structure of constants; `memory` where it lies in memory as a whole. */
static LLVMValueRef aggregate(air_lower *l, LLVMValueRef v)
{
    const LLVMTypeRef t = LLVMTypeOf(v);
    const LLVMTypeKind k = LLVMGetTypeKind(t);
    unsigned n = k == LLVMVectorTypeKind   ? LLVMGetVectorSize(t)
                 : k == LLVMArrayTypeKind ? LLVMGetArrayLength(t)
                                          : LLVMCountStructElementTypes(t);
    if (air_is_matrix(t)) n = 2;
    LLVMValueRef *parts = arena_array(l->mem, LLVMValueRef, n + 1);
    for (unsigned i = 0; i < n; ++i) {
        parts[i] = air_value(l, air_part(v, i));
        if (LLVMIsConstant(parts[i])) continue;
        air_refuse(l, "constants that hold addresses of threadgroup memory are not supported");
        return LLVMGetUndef(air_type(l, t));
    }
    if (k == LLVMVectorTypeKind) return LLVMConstVector(parts, n);
    if (k == LLVMArrayTypeKind) return LLVMConstArray(air_memory_type(l, LLVMGetElementType(t)), parts, n);
    return LLVMConstStructInContext(l->c, parts, n, LLVMIsPackedStruct(t));
}

static unsigned space_of(LLVMValueRef global)
{
    return LLVMGetPointerAddressSpace(LLVMTypeOf(global));
}

static void note_constant(air_lower *l, const air_owner *owner)
{
    air_constant_list *one = arena_new(l->mem, air_constant_list);
    *one = (air_constant_list){owner->base, owner->size, l->constants};
    l->constants = one;
}

/* A constant that is computed as the kernel begins: each thread has its own. */
static air_owner *place_computed(air_lower *l, LLVMTypeRef type, LLVMValueRef initial, air_owner *owner)
{
    owner->base = air_room(l, type);
    owner->read_only = false;
    if (LLVMIsUndef(initial)) return owner;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(l->b);
    LLVMPositionBuilderBefore(l->b, LLVMGetBasicBlockTerminator(l->entry));
    LLVMSetAlignment(LLVMBuildStore(l->b, air_value(l, initial), air_cast_pointer(l, owner->base, type)), 1);
    LLVMPositionBuilderAtEnd(l->b, here);
    return owner;
}

/* What the text called it: c of "_Z1c.MTL_FC_INIT_0_i". */
static str source_name(str name)
{
    size_t at = 2, n = 0;
    if (!str_starts(name, STR("_Z"))) return name;
    while (at < name.n && name.p[at] >= '0' && name.p[at] <= '9' && n < name.n) n = n * 10 + (size_t)(name.p[at++] - '0');
    return n != 0 && n <= name.n - at ? (str){name.p + at, n} : name;
}

/* A threadgroup variable gets its place in the group's memory, anything else becomes a constant of the new module. */
static air_owner *place_global(air_lower *l, LLVMValueRef v)
{
    air_owner *owner = arena_new(l->mem, air_owner);
    const LLVMTypeRef type = air_memory_type(l, LLVMGlobalGetValueType(v));
    const uint64_t size = LLVMABISizeOfType(l->layout, type);
    *owner = (air_owner){.kind = AIR_OWNER_FIXED, .identity = v, .size = air_int64(l, size), .what = AIR_WHAT_CONSTANT, .read_only = true};
    if (space_of(v) == 3) {
        uint64_t align = LLVMGetAlignment(v) > 16 ? LLVMGetAlignment(v) : 16;
        l->threadgroup_bytes = (l->threadgroup_bytes + align - 1) / align * align;
        owner->what = AIR_WHAT_THREADGROUP;
        owner->read_only = false;
        LLVMBasicBlockRef here = LLVMGetInsertBlock(l->b);
        LLVMPositionBuilderBefore(l->b, LLVMGetBasicBlockTerminator(l->entry));
        LLVMValueRef offset = air_int64(l, l->threadgroup_bytes);
        owner->base = LLVMBuildGEP2(l->b, l->i8, air_field(l, offsetof(air_thread, group_memory), l->ptr), &offset, 1, "");
        LLVMPositionBuilderAtEnd(l->b, here);
        l->threadgroup_bytes += size;
        return owner;
    }
    LLVMValueRef initial = LLVMGetInitializer(v);
    const bool computed = !LLVMIsGlobalConstant(v) && space_of(v) == 2 && l->starts;
    if (initial != NULL && !LLVMIsExternallyInitialized(v) && computed) return place_computed(l, type, initial, owner);
    if (initial == NULL || !LLVMIsGlobalConstant(v) || LLVMIsExternallyInitialized(v)) {
        const str name = source_name(air_name(v));
        air_refuse(l, "the variable '%.*s' has no known value: it may be a function constant that was not given", STR_ARG(name));
        initial = NULL;
    }
    LLVMValueRef global = LLVMAddGlobal(l->to, type, "");
    LLVMSetInitializer(global, initial != NULL ? air_value(l, initial) : LLVMConstNull(type));
    LLVMSetGlobalConstant(global, 1);
    LLVMSetLinkage(global, LLVMInternalLinkage);
    LLVMSetAlignment(global, 16);
    owner->base = LLVMConstBitCast(global, l->ptr);
    note_constant(l, owner);
    return owner;
}

static const air_owner *global_owner(air_lower *l, LLVMValueRef v)
{
    air_owner *owner = map_get_id(&l->globals, v);
    if (owner != NULL) return owner;
    owner = place_global(l, v);
    map_put_id(l->mem, &l->globals, v, owner);
    return owner;
}

/* For a value that nobody set: all bits ones, as the software device has it. */
static LLVMValueRef any_value(air_lower *l, LLVMTypeRef t)
{
    switch ((int)LLVMGetTypeKind(t)) {
    case LLVMIntegerTypeKind: return LLVMConstAllOnes(t);
    case LLVMFloatTypeKind: return LLVMConstBitCast(LLVMConstAllOnes(l->i32), t);
    case LLVMVectorTypeKind: {
        const unsigned n = LLVMGetVectorSize(t);
        LLVMValueRef *parts = arena_array(l->mem, LLVMValueRef, n);
        for (unsigned i = 0; i < n; ++i) parts[i] = any_value(l, LLVMGetElementType(t));
        return LLVMConstVector(parts, n);
    }
    default: return LLVMConstNull(t);
    }
}

LLVMValueRef air_value(air_lower *l, LLVMValueRef v)
{
    LLVMValueRef known = map_get_id(&l->values, v);
    if (known != NULL) return known;
    const LLVMTypeRef t = LLVMTypeOf(v);
    if (LLVMIsAConstantInt(v) != NULL) {
        if (LLVMGetIntTypeWidth(t) <= 64) return LLVMConstInt(air_type(l, t), LLVMConstIntGetZExtValue(v), 0);
    } else if (LLVMIsAConstantFP(v) != NULL) {
        return float_constant(l, v);
    } else if (LLVMIsUndef(v)) {
        return any_value(l, air_type(l, t));
    } else if (LLVMIsAConstantAggregateZero(v) != NULL || LLVMIsAConstantPointerNull(v) != NULL) {
        return LLVMConstNull(air_type(l, t));
    } else if (LLVMIsAConstantDataSequential(v) != NULL || LLVMIsAConstantVector(v) != NULL || LLVMIsAConstantArray(v) != NULL ||
               LLVMIsAConstantStruct(v) != NULL) {
        return aggregate(l, v);
    } else if (LLVMIsAGlobalVariable(v) != NULL) {
        return global_owner(l, v)->base;
    } else if (LLVMIsAConstantExpr(v) != NULL) {
        return air_op(l, LLVMGetConstOpcode(v), v);
    }
    char *text = LLVMPrintValueToString(v);
    air_refuse(l, "the value '%.120s' is not supported", text);
    LLVMDisposeMessage(text);
    return LLVMConstNull(air_type(l, t));
}

/* What a pointer belongs to: back through what only moves it. A phi or select belongs where all its sides do. */

enum { MOST_STEPS = 400 };

typedef struct search {
    map seen;
    unsigned steps;
    bool found, mixed;
    air_owner owner;
} search;

static void look(air_lower *l, search *s, LLVMValueRef v);

static void found(search *s, const air_owner *owner)
{
    if (s->found && s->owner.identity != owner->identity) s->mixed = true;
    s->found = true;
    s->owner = *owner;
}

static void look_behind(air_lower *l, search *s, LLVMOpcode op, LLVMValueRef v)
{
    switch ((int)op) {
    case LLVMGetElementPtr:
    case LLVMBitCast:
    case LLVMAddrSpaceCast: look(l, s, LLVMGetOperand(v, 0)); return;
    case LLVMSelect:
        look(l, s, LLVMGetOperand(v, 1));
        look(l, s, LLVMGetOperand(v, 2));
        return;
    case LLVMPHI:
        for (unsigned i = 0; i < LLVMCountIncoming(v); ++i) look(l, s, LLVMGetIncomingValue(v, i));
        return;
    default: s->mixed = true; return;
    }
}

static void look(air_lower *l, search *s, LLVMValueRef v)
{
    if (s->mixed || map_get_id(&s->seen, v) != NULL) return;
    if (++s->steps > MOST_STEPS) {
        s->mixed = true;
        return;
    }
    map_put_id(l->mem, &s->seen, v, v);
    const air_owner *owner = map_get_id(&l->owners, v);
    if (owner != NULL) found(s, owner);
    else if (LLVMIsAGlobalVariable(v) != NULL) found(s, global_owner(l, v));
    else if (LLVMIsAConstantExpr(v) != NULL) look_behind(l, s, LLVMGetConstOpcode(v), v);
    else if (LLVMIsAInstruction(v) != NULL) look_behind(l, s, LLVMGetInstructionOpcode(v), v);
    else if (!LLVMIsUndef(v)) s->mixed = true;
}

air_owner air_owner_of(air_lower *l, LLVMValueRef pointer)
{
    search s = {.steps = 0};
    look(l, &s, pointer);
    if (s.found && !s.mixed) return s.owner;
    return (air_owner){.kind = AIR_OWNER_UNKNOWN, .what = AIR_WHAT_ANY};
}
