// Function: one_after_another_kernel
#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(64)]]
kernel void one_after_another_kernel(device const float* A_ptr [[buffer(0)]],
                                     device float* B_ptr [[buffer(1)]],
                                     uint3 threadIdx [[thread_position_in_threadgroup]])
{
    threadgroup float S[64];
    threadgroup int W[64];
    const int tx = int(threadIdx.x);
    S[tx] = A_ptr[tx];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    B_ptr[tx] = S[63 - tx];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    S[tx] = B_ptr[tx];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    B_ptr[tx] = S[63 - tx];
    W[tx] = tx;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    B_ptr[tx] += float(W[63 - tx]);
}

// Function: both_at_once_kernel
#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(64)]]
kernel void both_at_once_kernel(device const float* A_ptr [[buffer(0)]],
                                device float* B_ptr [[buffer(1)]],
                                uint3 threadIdx [[thread_position_in_threadgroup]])
{
    threadgroup float S[64];
    threadgroup float U[64];
    const int tx = int(threadIdx.x);
    S[tx] = A_ptr[tx];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    U[tx] = S[63 - tx];
    B_ptr[tx] = U[tx];
}

// Function: in_a_loop_kernel
#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(64)]]
kernel void in_a_loop_kernel(device const float* A_ptr [[buffer(0)]],
                             device float* B_ptr [[buffer(1)]],
                             uint3 threadIdx [[thread_position_in_threadgroup]])
{
    threadgroup float S[64];
    threadgroup float U[64];
    const int tx = int(threadIdx.x);
    S[tx] = A_ptr[tx];
    for (int k = 0; k < 8; ++k) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        U[tx] = S[(tx + k) & 63];
        threadgroup_barrier(mem_flags::mem_threadgroup);
        S[tx] = U[(tx + 1) & 63];
    }
    B_ptr[tx] = S[tx];
}

// Function: arms_of_a_branch_kernel
#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(64)]]
kernel void arms_of_a_branch_kernel(device const float* A_ptr [[buffer(0)]],
                                    device float* B_ptr [[buffer(1)]],
                                    uint3 threadIdx [[thread_position_in_threadgroup]])
{
    threadgroup float S[16];
    threadgroup float U[48];
    const int tx = int(threadIdx.x);
    if (tx < 16) {
        S[tx] = A_ptr[tx];
        B_ptr[tx] = S[tx] * 2.0f;
    } else {
        U[tx - 16] = A_ptr[tx];
        B_ptr[tx] = U[tx - 16] * 3.0f;
    }
}

// Function: only_so_it_fits_kernel
#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(256)]]
kernel void only_so_it_fits_kernel(device const float* A_ptr [[buffer(0)]],
                                   device float* B_ptr [[buffer(1)]],
                                   device char* C_ptr [[buffer(2)]],
                                   uint3 threadIdx [[thread_position_in_threadgroup]])
{
    threadgroup float S[8192];
    const int tx = int(threadIdx.x);
    for (int k = 0; k < 32; ++k) {
        S[k * 256 + tx] = A_ptr[tx] * float(k);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    B_ptr[tx] = S[8191 - tx];
    ((threadgroup char*)S)[tx] = C_ptr[tx];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    C_ptr[tx] = ((threadgroup char*)S)[255 - tx];
}

// Function: where_threads_part_kernel
#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(64)]]
kernel void where_threads_part_kernel(device const int* A_ptr [[buffer(0)]],
                                      device int* B_ptr [[buffer(1)]],
                                      uint3 threadIdx [[thread_position_in_threadgroup]])
{
    threadgroup int S[64];
    threadgroup int U[64];
    const int tx = int(threadIdx.x);
    S[tx] = A_ptr[tx];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    B_ptr[tx] = S[63 - tx];
    const int extent = A_ptr[tx];
    for (int k = 0; k < extent; ++k) {
        U[tx] = k;
        B_ptr[tx] = int(uint(B_ptr[tx]) + uint(U[tx]));
    }
}

// Function: own_arrays_kernel
#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(64)]]
kernel void own_arrays_kernel(device const float* A_ptr [[buffer(0)]],
                              device float* B_ptr [[buffer(1)]],
                              uint3 threadIdx [[thread_position_in_threadgroup]])
{
    const int tx = int(threadIdx.x);
    float L[4];
    float M[8];
    for (int k = 0; k < 4; ++k) {
        L[k] = A_ptr[(tx + k) & 63];
    }
    for (int k_1 = 0; k_1 < 8; ++k_1) {
        M[k_1] = L[k_1 & 3];
    }
    for (int k_2 = 0; k_2 < 4; ++k_2) {
        L[k_2] = M[k_2] + M[7 - k_2];
    }
    B_ptr[tx] = L[0] * L[1] + L[2] * L[3];
}

