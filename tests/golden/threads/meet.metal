// Function: double_buffer_kernel
#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(64)]]
kernel void double_buffer_kernel(device const float* A_ptr [[buffer(0)]],
                                 device float* B_ptr [[buffer(1)]],
                                 uint3 threadIdx [[thread_position_in_threadgroup]])
{
    threadgroup float S[128];
    const int tx = int(threadIdx.x);
    B_ptr[tx] = 0.0f;
    for (int ko = 0; ko < 16; ++ko) {
        S[(ko & 1) * 64 + tx] = A_ptr[ko * 64 + tx];
        threadgroup_barrier(mem_flags::mem_threadgroup);
        B_ptr[tx] += S[(ko & 1) * 64 - tx + 63];
    }
}

// Function: double_buffer_of_any_length_kernel
#include <metal_stdlib>

using namespace metal;

struct double_buffer_of_any_length_kernel_args_t {
    alignas(8) int n;
};

[[max_total_threads_per_threadgroup(64)]]
kernel void double_buffer_of_any_length_kernel(device const float* A_ptr [[buffer(0)]],
                                               device float* B_ptr [[buffer(1)]],
                                               constant double_buffer_of_any_length_kernel_args_t& args [[buffer(2)]],
                                               uint3 threadIdx [[thread_position_in_threadgroup]])
{
    threadgroup float S[192];
    const int tx = int(threadIdx.x);
    B_ptr[tx] = 0.0f;
    for (int ko = 0; ko < args.n; ++ko) {
        S[ko % 3 * 64 + tx] = A_ptr[long(ko) * 64 + tx];
        threadgroup_barrier(mem_flags::mem_threadgroup);
        B_ptr[tx] += S[ko % 3 * 64 - tx + 63];
    }
}

// Function: one_buffer_kernel
#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(64)]]
kernel void one_buffer_kernel(device const float* A_ptr [[buffer(0)]],
                              device float* B_ptr [[buffer(1)]],
                              uint3 threadIdx [[thread_position_in_threadgroup]])
{
    threadgroup float S[64];
    const int tx = int(threadIdx.x);
    B_ptr[tx] = 0.0f;
    for (int ko = 0; ko < 16; ++ko) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        S[tx] = A_ptr[ko * 64 + tx];
        threadgroup_barrier(mem_flags::mem_threadgroup);
        B_ptr[tx] += S[63 - tx];
    }
}

// Function: alternating_with_a_branch_kernel
#include <metal_stdlib>

using namespace metal;

struct alternating_with_a_branch_kernel_args_t {
    alignas(8) int n;
};

[[max_total_threads_per_threadgroup(64)]]
kernel void alternating_with_a_branch_kernel(device const float* A_ptr [[buffer(0)]],
                                             device float* B_ptr [[buffer(1)]],
                                             constant alternating_with_a_branch_kernel_args_t& args [[buffer(2)]],
                                             uint3 threadIdx [[thread_position_in_threadgroup]])
{
    threadgroup float S[128];
    const int tx = int(threadIdx.x);
    B_ptr[tx] = 0.0f;
    for (int ko = 0; ko < 16; ++ko) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        S[(ko & 1) * 64 + tx] = A_ptr[ko * 64 + tx];
        if (ko < args.n) {
            threadgroup_barrier(mem_flags::mem_threadgroup);
            B_ptr[tx] += S[(ko & 1) * 64 - tx + 63];
        }
    }
}

// Function: padded_rows_kernel
#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(256)]]
kernel void padded_rows_kernel(device const float* A_ptr [[buffer(0)]],
                               device float* B_ptr [[buffer(1)]],
                               uint3 threadIdx [[thread_position_in_threadgroup]])
{
    threadgroup float S[272];
    const int tx = int(threadIdx.x);
    S[(tx >> 4) * 17 + (tx & 15)] = A_ptr[tx];
    B_ptr[tx] = S[(tx >> 4) * 17 + (tx & 15)] * 2.0f;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    S[(tx & 15) * 17 + (tx >> 4)] = A_ptr[tx];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    B_ptr[tx] += S[(tx >> 4) * 17 + (tx & 15)];
}

// Function: swizzled_kernel
#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(256)]]
kernel void swizzled_kernel(device const float* A_ptr [[buffer(0)]],
                            device float* B_ptr [[buffer(1)]],
                            uint3 threadIdx [[thread_position_in_threadgroup]])
{
    threadgroup float S[256];
    const int ty = int(threadIdx.y);
    const int tx = int(threadIdx.x);
    S[ty * 32 + (tx ^ ty)] = A_ptr[ty * 32 + tx];
    S[ty * 32 + (tx ^ ty)] += 1.0f;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    B_ptr[ty * 32 + tx] = S[ty * 32 + tx];
}

// Function: pairs_share_kernel
#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(64)]]
kernel void pairs_share_kernel(device const float* A_ptr [[buffer(0)]],
                               device float* B_ptr [[buffer(1)]],
                               uint3 threadIdx [[thread_position_in_threadgroup]])
{
    threadgroup float S[32];
    const int tx = int(threadIdx.x);
    if ((tx & 1) == 0) {
        S[tx >> 1] = A_ptr[tx];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    B_ptr[tx] = S[tx >> 1];
}

// Function: halves_kernel
#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(64)]]
kernel void halves_kernel(device const float* A_ptr [[buffer(0)]],
                          device float* B_ptr [[buffer(1)]],
                          uint3 threadIdx [[thread_position_in_threadgroup]])
{
    threadgroup float S[128];
    const int tx = int(threadIdx.x);
    S[(tx >> 5) * 64 + (tx & 31)] = A_ptr[tx];
    S[(tx >> 5) * 64 + (tx & 31) + 32] = A_ptr[tx] + 1.0f;
    B_ptr[tx] = S[(tx >> 5) * 64 + (tx & 31)] + S[(tx >> 5) * 64 + (tx & 31) + 32];
}

