/* Types of the old module to those of the new one. */
#include "air/lower.h"

static bool is_small_float(LLVMTypeKind k)
{
    return k == LLVMHalfTypeKind || k == LLVMBFloatTypeKind;
}

unsigned air_width(LLVMTypeRef t)
{
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetVectorSize(t) : 1;
}

static LLVMTypeRef element_of(LLVMTypeRef t)
{
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetElementType(t) : t;
}

air_kind air_kind_of(LLVMTypeRef t)
{
    switch ((int)LLVMGetTypeKind(element_of(t))) {
    case LLVMIntegerTypeKind: return AIR_INT;
    case LLVMHalfTypeKind: return AIR_HALF;
    case LLVMBFloatTypeKind: return AIR_BFLOAT;
    case LLVMFloatTypeKind: return AIR_FLOAT;
    case LLVMDoubleTypeKind: return AIR_DOUBLE;
    case LLVMPointerTypeKind: return AIR_POINTER;
    default: return AIR_AGGREGATE;
    }
}

bool air_is_matrix(LLVMTypeRef t)
{
    if (LLVMGetTypeKind(t) != LLVMVectorTypeKind || LLVMGetVectorSize(t) != 64) return false;
    const LLVMTypeKind k = LLVMGetTypeKind(LLVMGetElementType(t));
    return is_small_float(k) || k == LLVMFloatTypeKind;
}

static LLVMTypeRef simple(air_lower *l, LLVMTypeRef t)
{
    const LLVMTypeKind k = LLVMGetTypeKind(t);
    if (k == LLVMVoidTypeKind) return l->none;
    if (k == LLVMPointerTypeKind) return l->ptr;
    if (k == LLVMFloatTypeKind) return l->f32;
    if (k == LLVMDoubleTypeKind) return l->f64;
    if (is_small_float(k)) return l->i16;
    if (k == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(t) <= 64) return LLVMIntTypeInContext(l->c, LLVMGetIntTypeWidth(t));
    return NULL;
}

static LLVMTypeRef structure(air_lower *l, LLVMTypeRef t)
{
    if (LLVMIsOpaqueStruct(t)) return l->i8;
    const unsigned n = LLVMCountStructElementTypes(t);
    LLVMTypeRef *parts = arena_array(l->mem, LLVMTypeRef, n + 1);
    LLVMGetStructElementTypes(t, parts);
    for (unsigned i = 0; i < n; ++i) parts[i] = air_memory_type(l, parts[i]);
    return LLVMStructTypeInContext(l->c, parts, n, LLVMIsPackedStruct(t));
}

LLVMTypeRef air_type(air_lower *l, LLVMTypeRef t)
{
    LLVMTypeRef r = simple(l, t);
    if (r != NULL) return r;
    r = map_get_id(&l->types, t);
    if (r != NULL) return r;
    const LLVMTypeKind k = LLVMGetTypeKind(t);
    if (k == LLVMVectorTypeKind) {
        const LLVMTypeRef element = simple(l, LLVMGetElementType(t));
        if (element != NULL && element != l->ptr) r = LLVMVectorType(element, air_is_matrix(t) ? 2 : LLVMGetVectorSize(t));
    } else if (k == LLVMStructTypeKind) {
        r = structure(l, t);
    } else if (k == LLVMArrayTypeKind) {
        r = LLVMArrayType(air_memory_type(l, LLVMGetElementType(t)), LLVMGetArrayLength(t));
    }
    if (r == NULL) {
        char *text = LLVMPrintTypeToString(t);
        air_refuse(l, "values of type '%s' are not supported", text);
        LLVMDisposeMessage(text);
        r = l->i8;
    }
    map_put_id(l->mem, &l->types, t, r);
    return r;
}

/* A matrix keeps the room of all its elements, of which a lane's own are the first two. */
LLVMTypeRef air_memory_type(air_lower *l, LLVMTypeRef t)
{
    if (air_is_matrix(t)) return LLVMArrayType(simple(l, LLVMGetElementType(t)), 64);
    return air_type(l, t);
}
