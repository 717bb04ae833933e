// Function: main_kernel
#include <metal_stdlib>

using namespace metal;

struct main_kernel_args_t {
    alignas(8) int n;
    alignas(8) int x;
    alignas(8) int y;
};

[[max_total_threads_per_threadgroup(64)]]
kernel void main_kernel(device const float* A_ptr [[buffer(0)]],
                        device float* B_ptr [[buffer(1)]],
                        device const int* C_ptr [[buffer(2)]],
                        constant main_kernel_args_t& args [[buffer(3)]],
                        uint3 blockIdx [[threadgroup_position_in_grid]],
                        uint3 threadIdx [[thread_position_in_threadgroup]])
{
    const int bx = int(blockIdx.x);
    const int tx = int(threadIdx.x);
    if (bx * 64 + tx + 1 < args.n && int(uint(args.x) + 1u) > args.y) {
        B_ptr[bx * 64 + tx] = A_ptr[int(uint(C_ptr[tx]) * 1103515245u + 12345u) & 15] + A_ptr[args.x - args.y + tx];
    }
}

