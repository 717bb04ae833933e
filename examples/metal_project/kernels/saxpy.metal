#include <metal_stdlib>
using namespace metal;

kernel void saxpy(device const float *x [[buffer(0)]], device float *y [[buffer(1)]], constant float &a [[buffer(2)]],
                  constant uint &n [[buffer(3)]], uint i [[thread_position_in_grid]])
{
    if (i < n) y[i] = a * x[i] + y[i];
}

kernel void sum(device const float *x [[buffer(0)]], device float *out [[buffer(1)]], threadgroup float *part [[threadgroup(0)]],
                uint i [[thread_index_in_threadgroup]], uint n [[threads_per_threadgroup]])
{
    part[i] = x[i];
    for (uint s = n / 2; s > 0; s /= 2) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (i < s) part[i] += part[i + s];
    }
    if (i == 0) out[0] = part[0];
}
