/* The instruction sets: one table of lane handlers each, chosen at run time. */
#include "emu/isa.h"

#if defined(EMU_X86_SETS)
#include <cpuid.h>
#endif

#include "emu/emu.h"

/* What one build of the lane files offers. */
#define DECLARE_SET(S)                                                                                                 \
    emu_handler lanes_int_##S(emu_op op, emu_type type);                                                               \
    emu_handler lanes_bits_##S(emu_op op, emu_type type);                                                              \
    emu_handler lanes_float_##S(emu_op op, emu_type type);                                                             \
    emu_handler lanes_half_##S(emu_op op, emu_type type);                                                              \
    emu_handler lanes_math_##S(emu_op op, emu_type type);                                                              \
    emu_handler lanes_memory_##S(emu_op op, emu_type type);                                                            \
    emu_handler lanes_dot_##S(emu_op op, emu_type type);                                                               \
    emu_handler lanes_check_##S(emu_op op, emu_type type);                                                             \
    emu_handler lanes_convert_##S(emu_type to, emu_type from);                                                         \
    void lanes_scan_pattern_##S(emu_pattern *p, const char *reg, uint32_t width);                                      \
    static emu_handler handler_##S(emu_op op, emu_type type)                                                           \
    {                                                                                                                  \
        emu_handler h = lanes_int_##S(op, type);                                                                       \
        if (h == NULL) h = lanes_bits_##S(op, type);                                                                   \
        if (h == NULL) h = lanes_float_##S(op, type);                                                                  \
        if (h == NULL) h = lanes_half_##S(op, type);                                                                   \
        if (h == NULL) h = lanes_math_##S(op, type);                                                                   \
        if (h == NULL) h = lanes_dot_##S(op, type);                                                                    \
        if (h == NULL) h = lanes_check_##S(op, type);                                                                  \
        return h != NULL ? h : lanes_memory_##S(op, type);                                                             \
    }

#define SET(S) {#S, handler_##S, lanes_convert_##S, lanes_scan_pattern_##S}

DECLARE_SET(base)
#if defined(EMU_X86_SETS)
DECLARE_SET(avx2)
DECLARE_SET(avx512)
#endif

static const emu_isa sets[] = {
    SET(base),
#if defined(EMU_X86_SETS)
    SET(avx2),
    SET(avx512),
#endif
};

#if defined(EMU_X86_SETS)
/* Half conversion: bit 29 of what leaf 1 puts into ecx. */
static bool has_f16c(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c >> 29 & 1u) != 0;
}
#endif

static bool can_run(unsigned index)
{
#if defined(EMU_X86_SETS)
    if (index == 1) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c();
    if (index == 2)
        return can_run(1) && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#endif
    return index == 0;
}

const emu_isa *emu_isa_at(unsigned index)
{
    return index < sizeof sets / sizeof *sets && can_run(index) ? &sets[index] : NULL;
}

const emu_isa *emu_isa_best(void)
{
    unsigned best = 0;
    while (emu_isa_at(best + 1) != NULL) ++best;
    return &sets[best];
}

const char *emu_isa_name(unsigned index)
{
    const emu_isa *isa = emu_isa_at(index);
    return isa != NULL ? isa->name : NULL;
}
