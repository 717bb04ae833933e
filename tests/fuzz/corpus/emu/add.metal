#include <metal_stdlib>
using namespace metal;
kernel void k(device float *a [[buffer(0)]], device float *b [[buffer(1)]], uint g [[thread_position_in_grid]]) { b[g % 128] = a[(g * 7) & 127] + 1.0f; }
