// Function: main_kernel
#include <metal_stdlib>

using namespace metal;

struct main_kernel_args_t {
    alignas(8) int a;
    alignas(8) half b;
    alignas(8) long c;
    alignas(8) char d;
    alignas(8) bool e;
};

[[max_total_threads_per_threadgroup(8)]]
kernel void main_kernel(device const float* A_ptr [[buffer(0)]],
                        device float* B_ptr [[buffer(1)]],
                        constant main_kernel_args_t& args [[buffer(2)]],
                        uint3 threadIdx [[thread_position_in_threadgroup]])
{
    const int t = int(threadIdx.x);
    if (args.e) {
        B_ptr[t] = A_ptr[t] + float(args.a) + float(args.b) + float(args.c) + float(args.d);
    }
}

