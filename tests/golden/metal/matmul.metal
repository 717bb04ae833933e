// Function: main_kernel
#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(256)]]
kernel void main_kernel(device const float* A_ptr [[buffer(0)]],
                        device const float* B_ptr [[buffer(1)]],
                        device float* C_ptr [[buffer(2)]],
                        uint3 blockIdx [[threadgroup_position_in_grid]],
                        uint3 threadIdx [[thread_position_in_threadgroup]])
{
    threadgroup float As[256];
    threadgroup float Bs[256];
    const int by = int(blockIdx.y);
    const int bx = int(blockIdx.x);
    const int ty = int(threadIdx.y);
    const int tx = int(threadIdx.x);
    float acc = 0.0f;
    for (int ko = 0; ko < 16; ++ko) {
        As[ty * 16 + tx] = A_ptr[by * 4096 + ty * 256 + ko * 16 + tx];
        Bs[ty * 16 + tx] = B_ptr[ko * 4096 + ty * 256 + bx * 16 + tx];
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (int ki = 0; ki < 16; ++ki) {
            acc += As[ty * 16 + ki] * Bs[ki * 16 + tx];
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    C_ptr[by * 4096 + ty * 256 + bx * 16 + tx] = acc;
}

