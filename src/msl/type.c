/* Spelling of types and address spaces. */
#include "msl/emitter.h"

static const char *element(ir_type t)
{
    switch ((ir_code)t.code) {
    case IR_BOOL: return "bool";
    case IR_INT: return t.bits == 8 ? "char" : t.bits == 16 ? "short" : t.bits == 32 ? "int" : t.bits == 64 ? "long" : NULL;
    case IR_UINT:
        return t.bits == 8 ? "uchar" : t.bits == 16 ? "ushort" : t.bits == 32 ? "uint" : t.bits == 64 ? "ulong" : NULL;
    case IR_FLOAT: return t.bits == 16 ? "half" : t.bits == 32 ? "float" : NULL;
    case IR_BFLOAT: return "bfloat";
    case IR_HANDLE: return ir_type_is_void(t) ? "void" : NULL;
    case IR_FP8_E3M4:
    case IR_FP8_E4M3:
    case IR_FP8_E4M3B11FNUZ:
    case IR_FP8_E4M3FN:
    case IR_FP8_E4M3FNUZ:
    case IR_FP8_E5M2:
    case IR_FP8_E5M2FNUZ:
    case IR_FP8_E8M0FNU:
    case IR_FP6_E2M3FN:
    case IR_FP6_E3M2FN:
    case IR_FP4_E2M1FN: return NULL;
    }
    return NULL;
}

const char *msl_type(emitter *e, ir_type t)
{
    const char *name = element(t);
    if (name == NULL || t.lanes <= 1) return name;
    if (t.lanes > 4) return NULL;
    return str_format(e->mem, "%s%u", name, t.lanes).p;
}

const char *msl_packed_type(emitter *e, ir_type t)
{
    const char *name = element(t);
    if (name == NULL || t.code == IR_BOOL || t.lanes < 2 || t.lanes > 4) return NULL;
    return str_format(e->mem, "packed_%s%u", name, t.lanes).p;
}

const char *msl_type_or_error(emitter *e, ir_type t, span at)
{
    const char *name = msl_type(e, t);
    if (name != NULL) return name;
    char text[IR_TYPE_TEXT];
    diag_error(e->diags, at, "Cannot convert type %s to Metal type: Metal has no such type", ir_type_print(t, text));
    return "float";
}

const char *msl_space(ir_scope scope)
{
    switch (scope) {
    case IR_SCOPE_GLOBAL: return "device";
    case IR_SCOPE_SHARED:
    case IR_SCOPE_SHARED_DYN: return "threadgroup";
    case IR_SCOPE_LOCAL:
    case IR_SCOPE_WARP:
    case IR_SCOPE_SIMDGROUP: return "thread";
    case IR_SCOPE_COUNT: break;
    }
    return "device";
}
