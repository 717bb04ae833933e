// Function: copy_kernel
#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(32)]]
kernel void copy_kernel(device const float* A_ptr [[buffer(0)]],
                        device float* B_ptr [[buffer(1)]],
                        uint3 blockIdx [[threadgroup_position_in_grid]],
                        uint3 threadIdx [[thread_position_in_threadgroup]])
{
    const int bx = int(blockIdx.x);
    const int tx = int(threadIdx.x);
    B_ptr[bx * 32 + tx] = A_ptr[bx * 32 + tx];
}

