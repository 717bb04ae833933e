/* Textures and samplers: the device's own functions, which native code calls, and parameters that are numbers of slots. */
#include "air/write.h"

bool air_write_is_number(const air_writer *w, const mf_var *p)
{
    return w->inner && (p->binding == MF_BIND_TEXTURE || p->binding == MF_BIND_SAMPLER);
}

/* The elements of an array of them are numbered from its slot on. */
void air_write_bind_number(air_writer *w, const mf_var *p, air_bound *b)
{
    b->at = air_write_room(w, p->type, p->name);
    LLVMValueRef words = air_write_pointer_cast(w, b->at.p, w->i64);
    for (uint64_t i = 0; i < p->type->size / sizeof(uint64_t); ++i) {
        LLVMValueRef index = LLVMConstInt(w->i64, i, 0);
        LLVMBuildStore(w->b, LLVMConstInt(w->i64, p->slot + i, 0), LLVMBuildInBoundsGEP2(w->b, w->i64, words, &index, 1, ""));
    }
}

static const char *name_of(mf_builtin b)
{
    switch ((int)b) {
    case MF_FN_TEXTURE_FETCH: return "ingot_texel_read";
    case MF_FN_TEXTURE_STORE: return "ingot_texel_write";
    case MF_FN_TEXTURE_ATOMIC: return "ingot_texel_change";
    case MF_FN_TEXTURE_QUERY: return "ingot_texture_query";
    default: return "ingot_sampler";
    }
}

LLVMValueRef air_write_texture(air_writer *w, const mf_expr *e)
{
    LLVMValueRef args[6];
    uint32_t n = 0;
    for (; n < e->arg_count && n < 6; ++n) args[n] = air_write_value(w, e->args[n]);
    if (e->builtin == MF_FN_TEXTURE_ATOMIC) /* kind and operation in one */
        args[4] = LLVMBuildOr(w->b, args[4], LLVMBuildShl(w->b, args[--n], air_write_int(w, 8), ""), "");
    const LLVMTypeRef result = e->type->kind == MF_TYPE_VOID ? w->none : air_write_value_type(w, e->type);
    return air_write_air(w, name_of(e->builtin), result, args, n);
}
