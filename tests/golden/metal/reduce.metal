// Function: main_kernel
#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(256)]]
kernel void main_kernel(device const float* A_ptr [[buffer(0)]],
                        device float* B_ptr [[buffer(1)]],
                        uint3 blockIdx [[threadgroup_position_in_grid]],
                        uint3 threadIdx [[thread_position_in_threadgroup]])
{
    threadgroup float partial[256];
    const int bx = int(blockIdx.x);
    const int tx = int(threadIdx.x);
    float total = 0.0f;
    for (int k = 0; k < 4; ++k) {
        total += A_ptr[bx * 1024 + k * 256 + tx];
    }
    partial[tx] = total;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    int half_1 = 128;
    while (half_1 > 0) {
        if (tx < half_1) {
            partial[tx] += partial[tx + half_1];
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        half_1 = half_1 >> 1;
    }
    if (tx == 0) {
        B_ptr[bx] = partial[0];
    }
}

