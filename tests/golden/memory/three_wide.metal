// Function: main_kernel
#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(200)]]
kernel void main_kernel(device const float* A_ptr [[buffer(0)]],
                        device float* B_ptr [[buffer(1)]],
                        uint3 threadIdx [[thread_position_in_threadgroup]])
{
    threadgroup float S[6000];
    threadgroup int I_1[2000];
    const int t = int(threadIdx.x);
    for (int k = 0; k < 10; ++k) {
        *(threadgroup packed_float3*)(S + (k * 200 + t) * 3) = packed_float3(float3(*(device const packed_float3*)(A_ptr + (k * 200 + t) * 3)));
        I_1[k * 200 + t] = t;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (int k_1 = 0; k_1 < 10; ++k_1) {
        *(device packed_float3*)(B_ptr + (k_1 * 200 + t) * 3) = packed_float3(float3(*(threadgroup packed_float3*)(S + (1999 - k_1 * 200 - t) * 3)) * float3(float(I_1[1999 - k_1 * 200 - t])));
    }
}

