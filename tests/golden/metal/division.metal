// Function: main_kernel
#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(64)]]
kernel void main_kernel(device const int* A_ptr [[buffer(0)]],
                        device int* B_ptr [[buffer(1)]],
                        uint3 threadIdx [[thread_position_in_threadgroup]])
{
    const int tx = int(threadIdx.x);
    const int dividend = A_ptr[tx];
    B_ptr[tx] = dividend / 3 + ((dividend % 3) >> 31) + (A_ptr[tx] & 3);
}

