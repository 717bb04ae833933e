/* Floats: half and bfloat by way of float, functions element by element, conversions. */
#include "air/lower.h"

#include <stdio.h>
#include <string.h>

static LLVMValueRef bfloat_to(air_lower *l, LLVMValueRef v)
{
    LLVMValueRef wide = LLVMBuildShl(l->b, LLVMBuildZExt(l->b, v, l->i32, ""), air_int32(l, 16), "");
    return LLVMBuildBitCast(l->b, wide, l->f32, "");
}

/* Nearest, ties to even; NaN stays one. */
static LLVMValueRef bfloat_from(air_lower *l, LLVMValueRef v)
{
    LLVMValueRef bits = LLVMBuildBitCast(l->b, v, l->i32, "");
    LLVMValueRef high = LLVMBuildLShr(l->b, bits, air_int32(l, 16), "");
    LLVMValueRef up = LLVMBuildAdd(l->b, LLVMBuildAnd(l->b, high, air_int32(l, 1), ""), air_int32(l, 0x7fff), "");
    LLVMValueRef rounded = LLVMBuildLShr(l->b, LLVMBuildAdd(l->b, bits, up, ""), air_int32(l, 16), "");
    LLVMValueRef quiet = LLVMBuildOr(l->b, high, air_int32(l, 0x40), "");
    LLVMValueRef nan = LLVMBuildFCmp(l->b, LLVMRealUNO, v, v, "");
    return LLVMBuildTrunc(l->b, LLVMBuildSelect(l->b, nan, quiet, rounded, ""), l->i16, "");
}

LLVMValueRef air_to_float(air_lower *l, LLVMValueRef v, air_kind kind)
{
    if (kind == AIR_BFLOAT) return bfloat_to(l, v);
    if (kind != AIR_HALF) return v;
    if (!l->converts_half) return air_call_host(l, "air_half_to", &v, 1);
    return LLVMBuildFPExt(l->b, LLVMBuildBitCast(l->b, v, l->half, ""), l->f32, "");
}

LLVMValueRef air_from_float(air_lower *l, LLVMValueRef v, air_kind kind)
{
    if (kind == AIR_BFLOAT) return bfloat_from(l, v);
    if (kind != AIR_HALF) return v;
    if (!l->converts_half) return air_call_host(l, "air_half_from", &v, 1);
    return LLVMBuildBitCast(l->b, LLVMBuildFPTrunc(l->b, v, l->half, ""), l->i16, "");
}

static bool is_vector(LLVMValueRef v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind;
}

LLVMValueRef air_each(air_lower *l, LLVMTypeRef result, LLVMValueRef *args, unsigned n, air_kind kind, air_element_fn fn, void *user)
{
    enum { MOST = 8 };
    LLVMValueRef one[MOST];
    if (n > MOST) n = MOST;
    if (LLVMGetTypeKind(result) != LLVMVectorTypeKind) {
        for (unsigned k = 0; k < n; ++k) one[k] = args[k];
        return fn(l, one, kind, user);
    }
    LLVMValueRef r = LLVMGetUndef(result);
    for (unsigned i = 0; i < LLVMGetVectorSize(result); ++i) {
        for (unsigned k = 0; k < n; ++k)
            one[k] = is_vector(args[k]) ? LLVMBuildExtractElement(l->b, args[k], air_int32(l, i), "") : args[k];
        r = LLVMBuildInsertElement(l->b, r, fn(l, one, kind, user), air_int32(l, i), "");
    }
    return r;
}

typedef struct conversion {
    air_kind to;
    bool from_signed, to_signed;
    LLVMTypeRef type; /* of an element of the result */
} conversion;

/* Toward zero, held at the ends of the range, NaN gives 0. */
static LLVMValueRef float_to_int(air_lower *l, LLVMValueRef v, const conversion *c)
{
    char name[64];
    const unsigned width = LLVMGetIntTypeWidth(c->type);
    if (width == 1) return LLVMBuildFCmp(l->b, LLVMRealUNE, v, LLVMConstNull(LLVMTypeOf(v)), "");
    (void)snprintf(name, sizeof name, "llvm.fpto%ci.sat", c->to_signed ? 's' : 'u');
    const unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMTypeRef both[2] = {c->type, LLVMTypeOf(v)};
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(l->to, id, both, 2);
    return LLVMBuildCall2(l->b, LLVMIntrinsicGetType(l->c, id, both, 2), f, &v, 1, "");
}

static LLVMValueRef int_to_int(air_lower *l, LLVMValueRef v, const conversion *c)
{
    const unsigned from = LLVMGetIntTypeWidth(LLVMTypeOf(v)), to = LLVMGetIntTypeWidth(c->type);
    if (from == to) return v;
    if (to == 1) return LLVMBuildICmp(l->b, LLVMIntNE, v, LLVMConstNull(LLVMTypeOf(v)), "");
    if (from > to) return LLVMBuildTrunc(l->b, v, c->type, "");
    return c->from_signed && from != 1 ? LLVMBuildSExt(l->b, v, c->type, "") : LLVMBuildZExt(l->b, v, c->type, "");
}

static LLVMValueRef convert_one(air_lower *l, LLVMValueRef *args, air_kind from, void *user)
{
    const conversion *c = user;
    LLVMValueRef v = args[0];
    if (from == c->to && from != AIR_INT) return v;
    if (from == AIR_INT) {
        if (c->to == AIR_INT) return int_to_int(l, v, c);
        const bool sign = c->from_signed && LLVMTypeOf(v) != l->i1;
        v = sign ? LLVMBuildSIToFP(l->b, v, l->f32, "") : LLVMBuildUIToFP(l->b, v, l->f32, "");
        return air_from_float(l, v, c->to);
    }
    v = air_to_float(l, v, from);
    if (c->to == AIR_INT) return float_to_int(l, v, c);
    return air_from_float(l, v, c->to);
}

LLVMValueRef air_convert(air_lower *l, LLVMValueRef v, air_kind from, bool from_signed, air_kind to, bool to_signed, LLVMTypeRef type)
{
    if (from == AIR_DOUBLE || to == AIR_DOUBLE) {
        air_refuse(l, "double is not supported");
        return LLVMConstNull(type);
    }
    conversion c = {to, from_signed, to_signed, LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type};
    return air_each(l, type, &v, 1, from, convert_one, &c);
}
