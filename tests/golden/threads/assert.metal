// Function: main_kernel
#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(32)]]
kernel void main_kernel(device const int* A_ptr [[buffer(0)]],
                        device int* B_ptr [[buffer(1)]],
                        device int* failed [[buffer(2)]],
                        uint3 threadIdx [[thread_position_in_threadgroup]])
{
    const int t = int(threadIdx.x);
    if (!(A_ptr[t] >= 0 && A_ptr[t] < 32)) {
        atomic_fetch_max_explicit((device atomic_int*)&failed[0], 1, memory_order_relaxed);
        return;
    }
    B_ptr[A_ptr[t]] = t;
}

// Function: main_kernel_1
#include <metal_stdlib>

using namespace metal;

struct main_kernel_1_args_t {
    alignas(8) int n;
};

[[max_total_threads_per_threadgroup(32)]]
kernel void main_kernel_1(device int* A_ptr [[buffer(0)]],
                          device int* B_ptr [[buffer(1)]],
                          device int* failed [[buffer(2)]],
                          constant main_kernel_1_args_t& args [[buffer(3)]],
                          uint3 threadIdx [[thread_position_in_threadgroup]])
{
    threadgroup int S[32];
    const int t = int(threadIdx.x);
    const bool holds = A_ptr[t] < args.n;
    if (!holds) {
        atomic_fetch_max_explicit((device atomic_int*)&failed[0], 1, memory_order_relaxed);
    }
    if (holds) {
        S[A_ptr[t]] = B_ptr[t];
    }
    const int x = int(uint(args.n) * 2u);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (holds) {
        B_ptr[t] = int(uint(S[31 - t]) + uint(x));
        A_ptr[t] = x;
    }
}

