// Function: main_kernel
#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(64)]]
kernel void main_kernel(device const float* A_ptr [[buffer(0)]],
                        device float* B_ptr [[buffer(1)]],
                        device const half* C_ptr [[buffer(2)]],
                        device half* D_ptr [[buffer(3)]],
                        uint3 threadIdx [[thread_position_in_threadgroup]])
{
    const int tx = int(threadIdx.x);
    *(device packed_float4*)(B_ptr + tx * 8) = packed_float4(float4(*(device const packed_float4*)(A_ptr + tx * 8)) + float4(1.0f));
    *(device packed_float4*)(B_ptr + (tx * 8 + 4)) = packed_float4(float4(*(device const packed_float4*)(A_ptr + (tx * 8 + 4))) + float4(1.0f));
    half3 lanes = half3(*(device const packed_half3*)(C_ptr + tx * 3));
    D_ptr[tx * 6] = lanes[0];
    D_ptr[tx * 6 + 2] = lanes[1];
    D_ptr[tx * 6 + 4] = lanes[2];
}

