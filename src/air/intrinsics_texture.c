/* Calls of the device's texture functions, to which those of AIR are reduced (texture_library.c). */
#include "air/lower.h"

#include <string.h>

static const struct {
    const char *name, *host;
} rows[] = {{"ingot_texel_read", "air_rt_texel_read"},
            {"ingot_texel_write", "air_rt_texel_write"},
            {"ingot_texel_change", "air_rt_texel_change"},
            {"ingot_texture_query", "air_rt_texture_query"},
            {"ingot_sampler", "air_rt_sampler"}};

LLVMValueRef air_texture_intrinsic(air_lower *l, LLVMValueRef call, str name, bool *known)
{
    enum { MOST = 8 };
    const unsigned n = LLVMGetNumArgOperands(call);
    for (size_t i = 0; i < sizeof rows / sizeof *rows && n < MOST; ++i) {
        if (!str_is(name, rows[i].name)) continue;
        LLVMValueRef args[MOST] = {l->thread};
        for (unsigned k = 0; k < n; ++k) args[1 + k] = air_value(l, LLVMGetOperand(call, k));
        air_note_position(l);
        *known = true;
        return air_call_host(l, rows[i].host, args, n + 1);
    }
    *known = false;
    return NULL;
}
