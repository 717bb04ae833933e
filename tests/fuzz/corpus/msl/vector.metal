#include <metal_stdlib>
#define N 4
#if N > 2
using namespace metal;
#endif
constant half table[N] = {0.5h, 1.0h, -2.0h, 65504.0h};
inline float4 twice(float4 v) { return v.wzyx * 2; }
kernel void main_kernel(device float *A [[buffer(0)]], device float *B [[buffer(1)]], constant float &x [[buffer(2)]],
                        uint i [[thread_position_in_grid]], uint lane [[thread_index_in_simdgroup]]) {
    float4 v = *(device float4 *)(A + (i & ~3u));
    v = twice(v) + float4(x, float(table[i % N]), 1e-3f, 0x1p-4f);
    float s = simd_shuffle_down(dot(v, v), ushort(1));
    do {
        s = s > 1.0f ? sqrt(s) : s + 1.0f;
    } while (s > 1.5f);
    switch (i) {
    case 0: B[i] = s; break;
    default: B[i] += (float)(uchar)lane;
    }
}
