// Function: main_kernel
#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(32)]]
kernel void main_kernel(device const float* A_ptr [[buffer(0)]],
                        device float* B_ptr [[buffer(1)]],
                        uint3 blockIdx [[threadgroup_position_in_grid]],
                        uint3 threadIdx [[thread_position_in_threadgroup]])
{
    const int i_0 = int(blockIdx.x);
    const int i_1 = int(threadIdx.x);
    B_ptr[i_0 * 32 + i_1] = A_ptr[i_0 * 32 + i_1] + 1.0f;
}

