#include <metal_stdlib>
using namespace metal;
#define CAT2(a, b) a##b
#define CAT(a, b) CAT2(a, b)
#define STR(x) #x
#define SUM(f, ...) f(0, ## __VA_ARGS__)
#define ADD(a, b) ((a) + (b))
#if defined(__METAL_VERSION__) && __METAL_VERSION__ >= 200 || 0
constant int CAT(na, me) = SUM(ADD, 4) >> 1;
#elif 1 / 0
#error no
#else
it's skipped
#endif
static_assert(__LINE__ == 15, STR(line "x"));
kernel void k(device int *A) { _Pragma("unroll") for (int i = 0; i < name; ++i) A[i] = __COUNTER__; }
