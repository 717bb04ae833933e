// Function: main_kernel
#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(32)]]
kernel void main_kernel(device const float* A_ptr [[buffer(0)]],
                        device float* B_ptr [[buffer(1)]],
                        uint3 blockIdx [[threadgroup_position_in_grid]],
                        uint3 threadIdx [[thread_position_in_threadgroup]])
{
    const int bx = int(blockIdx.x);
    const int tx = int(threadIdx.x);
    for (int i = 0; i < 4; ++i) {
        B_ptr[bx * 1280 + tx * 40 + i * 3] = A_ptr[bx * 384 + tx * 12 + i * 3];
        B_ptr[bx * 1280 + tx * 40 + i * 3 + 1] = A_ptr[bx * 384 + tx * 12 + i * 3 + 1];
        B_ptr[bx * 1280 + tx * 40 + i * 3 + 2] = A_ptr[bx * 384 + tx * 12 + i * 3 + 2];
    }
    B_ptr[bx * 1280 + tx * 40 + 12] = 1.0f;
    B_ptr[bx * 1280 + tx * 40 + 13] = 2.0f;
    B_ptr[bx * 1280 + tx * 40 + 14] = 1.0f;
    B_ptr[bx * 1280 + tx * 40 + 15] = 2.0f;
    for (int i_1 = 0; i_1 < 7; ++i_1) {
        B_ptr[bx * 1280 + tx * 40 + i_1 + 20] = 3.0f;
    }
    for (int i_2 = 0; i_2 < 2; ++i_2) {
        B_ptr[bx * 1280 + tx * 40 + i_2 + 30] = 4.0f;
    }
}

