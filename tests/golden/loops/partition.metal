// Function: symbolic_kernel
#include <metal_stdlib>

using namespace metal;

struct symbolic_kernel_args_t {
    alignas(8) int m;
};

[[max_total_threads_per_threadgroup(256)]]
kernel void symbolic_kernel(device const float* A_ptr [[buffer(0)]],
                            device float* B_ptr [[buffer(1)]],
                            constant symbolic_kernel_args_t& args [[buffer(2)]],
                            uint3 blockIdx [[threadgroup_position_in_grid]],
                            uint3 threadIdx [[thread_position_in_threadgroup]])
{
    const int bx = int(blockIdx.x);
    const int tx = int(threadIdx.x);
    const int full = args.m >> 8;
    for (int k = 0; k < full; ++k) {
        B_ptr[long(bx) * args.m + (k * 256 + tx)] = A_ptr[long(bx) * args.m + (k * 256 + tx)] * 2.0f;
    }
    for (int k_1 = full; k_1 < (args.m + 255) >> 8; ++k_1) {
        if (k_1 * 256 + tx < args.m) {
            B_ptr[long(bx) * args.m + (k_1 * 256 + tx)] = A_ptr[long(bx) * args.m + (k_1 * 256 + tx)] * 2.0f;
        }
    }
}

// Function: constant_kernel
#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(64)]]
kernel void constant_kernel(device const float* A_ptr [[buffer(0)]],
                            device float* B_ptr [[buffer(1)]],
                            uint3 threadIdx [[thread_position_in_threadgroup]])
{
    const int tx = int(threadIdx.x);
    for (int k = 0; k < 15; ++k) {
        B_ptr[k * 64 + tx] = A_ptr[k * 64 + tx] * 2.0f;
    }
    if (tx < 40) {
        B_ptr[tx + 960] = A_ptr[tx + 960] * 2.0f;
    }
}

// Function: both_ends_kernel
#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(50)]]
kernel void both_ends_kernel(device const float* A_ptr [[buffer(0)]],
                             device float* B_ptr [[buffer(1)]],
                             uint3 threadIdx [[thread_position_in_threadgroup]])
{
    const int tx = int(threadIdx.x);
    B_ptr[tx] = tx >= 3 ? A_ptr[tx - 3] + A_ptr[tx + 3] : 0.0f;
    for (int k = 1; k < 19; ++k) {
        B_ptr[k * 50 + tx] = A_ptr[k * 50 + tx - 3] + A_ptr[k * 50 + tx + 3];
    }
    B_ptr[tx + 950] = tx < 47 ? A_ptr[tx + 947] + A_ptr[tx + 953] : 0.0f;
}

// Function: vector_tail_kernel
#include <metal_stdlib>

using namespace metal;

struct vector_tail_kernel_args_t {
    alignas(8) int n;
};

[[max_total_threads_per_threadgroup(64)]]
kernel void vector_tail_kernel(device const float* A_ptr [[buffer(0)]],
                               device float* B_ptr [[buffer(1)]],
                               constant vector_tail_kernel_args_t& args [[buffer(2)]],
                               uint3 blockIdx [[threadgroup_position_in_grid]],
                               uint3 threadIdx [[thread_position_in_threadgroup]])
{
    const int bx = int(blockIdx.x);
    const int tx = int(threadIdx.x);
    if (bx * 256 + tx * 4 + 4 <= args.n) {
        *(device packed_float4*)(B_ptr + (bx * 256 + tx * 4)) = packed_float4(float4(*(device const packed_float4*)(A_ptr + (bx * 256 + tx * 4))) * float4(2.0f));
    } else {
        for (int v = 0; v < 4; ++v) {
            if (bx * 256 + tx * 4 + v < args.n) {
                B_ptr[bx * 256 + tx * 4 + v] = A_ptr[bx * 256 + tx * 4 + v] * 2.0f;
            }
        }
    }
}

// Function: mask_kernel
#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(1)]]
kernel void mask_kernel(device const float* A_ptr [[buffer(0)]],
                        device float* B_ptr [[buffer(1)]],
                        uint3 blockIdx [[threadgroup_position_in_grid]])
{
    const int i = int(blockIdx.x);
    B_ptr[i] = 0.0f;
    const int full = i + 1;
    for (int k = 0; k < full; ++k) {
        B_ptr[i] += A_ptr[i * 128 + k];
    }
    for (int k_1 = full; k_1 < 128; ++k_1) {
        B_ptr[i] += 0.0f;
    }
}

// Function: staged_kernel
#include <metal_stdlib>

using namespace metal;

struct staged_kernel_args_t {
    alignas(8) int n;
};

[[max_total_threads_per_threadgroup(64)]]
kernel void staged_kernel(device const float* A_ptr [[buffer(0)]],
                          device float* B_ptr [[buffer(1)]],
                          constant staged_kernel_args_t& args [[buffer(2)]],
                          uint3 threadIdx [[thread_position_in_threadgroup]])
{
    threadgroup float S[64];
    const int tx = int(threadIdx.x);
    B_ptr[tx] = 0.0f;
    const int full = args.n >> 6;
    for (int k = 0; k < full; ++k) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        S[tx] = A_ptr[k * 64 + tx];
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (int j = 0; j < 64; ++j) {
            B_ptr[tx] += S[j];
        }
    }
    for (int k_1 = full; k_1 < (args.n + 63) >> 6; ++k_1) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (k_1 * 64 + tx < args.n) {
            S[tx] = A_ptr[k_1 * 64 + tx];
        }
        const int full_1 = min(args.n - k_1 * 64, 64);
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (int j_1 = 0; j_1 < full_1; ++j_1) {
            B_ptr[tx] += S[j_1];
        }
    }
}

// Function: left_alone_kernel
#include <metal_stdlib>

using namespace metal;

struct left_alone_kernel_args_t {
    alignas(8) int first;
};

[[max_total_threads_per_threadgroup(64)]]
kernel void left_alone_kernel(device const float* A_ptr [[buffer(0)]],
                              device float* B_ptr [[buffer(1)]],
                              constant left_alone_kernel_args_t& args [[buffer(2)]],
                              uint3 threadIdx [[thread_position_in_threadgroup]])
{
    const int tx = int(threadIdx.x);
    for (int k = 0; k < 16; ++k) {
        if (k * 64 + tx < 1000) {
            if (A_ptr[k * 64 + tx] < 0.0f) {
                break;
            }
            B_ptr[k * 64 + tx] = A_ptr[k * 64 + tx];
        }
    }
    for (int k_1 = 0; k_1 < 16; ++k_1) {
        if (k_1 < tx) {
            B_ptr[k_1] = A_ptr[k_1];
        }
    }
    for (int k_2 = 0; k_2 < 16; ++k_2) {
        if (int(uint(args.first) * uint(k_2)) < 100) {
            B_ptr[k_2 + 16] = A_ptr[k_2];
        }
    }
    for (int k_3 = 0; k_3 < 16; ++k_3) {
        if (k_3 < 3) {
            B_ptr[k_3 + 32] = A_ptr[k_3];
        }
    }
}

