// Function: func_kernel
#include <metal_stdlib>

using namespace metal;

struct func_kernel_args_t {
    alignas(8) float x;
};

[[max_total_threads_per_threadgroup(16)]]
kernel void func_kernel(device const float* A_ptr [[buffer(0)]],
                        device float* B_ptr [[buffer(1)]],
                        constant func_kernel_args_t& args [[buffer(2)]],
                        uint3 threadIdx [[thread_position_in_threadgroup]])
{
    const int i = int(threadIdx.x);
    B_ptr[i] = A_ptr[i] + args.x;
}

