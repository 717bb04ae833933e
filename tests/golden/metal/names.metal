// Function: kernel_kernel
#include <metal_stdlib>

using namespace metal;

struct kernel_kernel_args_t {
    alignas(8) float constant_1;
    alignas(8) int float4_1;
};

[[max_total_threads_per_threadgroup(32)]]
kernel void kernel_kernel(device float* Half_ptr [[buffer(0)]],
                          device const float* device_ptr [[buffer(1)]],
                          device float* half_ptr [[buffer(2)]],
                          constant kernel_kernel_args_t& args [[buffer(3)]],
                          uint3 blockIdx [[threadgroup_position_in_grid]],
                          uint3 threadIdx [[thread_position_in_threadgroup]])
{
    const int threadgroup_1 = int(blockIdx.x);
    const int thread_1 = int(threadIdx.x);
    half_ptr[threadgroup_1 * 32 + thread_1] = device_ptr[threadgroup_1 * 32 + thread_1] * args.constant_1;
    Half_ptr[threadgroup_1 * 32 + thread_1] = float(args.float4_1);
}

