// Function: main_kernel
#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(1)]]
kernel void main_kernel(device float* A_ptr [[buffer(0)]],
                        device half* B_ptr [[buffer(1)]])
{
    A_ptr[0] = INFINITY;
    A_ptr[1] = -INFINITY;
    A_ptr[2] = NAN;
    B_ptr[0] = half(INFINITY);
    B_ptr[1] = half(-INFINITY);
    B_ptr[2] = half(NAN);
}

