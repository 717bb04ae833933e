/* Whether the machine this runs on keeps denormal floats: a setting of the thread, which runs of fast math change. */
#ifndef EMU_DENORMAL_H
#define EMU_DENORMAL_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__SSE__)
/* Flushes denormal operands and results to 0, where asked; gives the setting of before, for denormals_restore. */
static inline uint64_t denormals_flush(bool flush)
{
    const unsigned before = __builtin_ia32_stmxcsr();
    if (flush) __builtin_ia32_ldmxcsr(before | 0x8040u);
    return before;
}
static inline void denormals_restore(uint64_t before)
{
    __builtin_ia32_ldmxcsr((unsigned)before);
}
#elif defined(__aarch64__)
static inline uint64_t denormals_flush(bool flush)
{
    uint64_t before;
    __asm__ volatile("mrs %0, fpcr" : "=r"(before));
    if (flush) __asm__ volatile("msr fpcr, %0" : : "r"(before | (uint64_t)1 << 24));
    return before;
}
static inline void denormals_restore(uint64_t before)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(before));
}
#else /* kept in every mode */
static inline uint64_t denormals_flush(bool flush)
{
    (void)flush;
    return 0;
}
static inline void denormals_restore(uint64_t before)
{
    (void)before;
}
#endif

#endif
