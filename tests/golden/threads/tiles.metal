// Function: overlapping_kernel
#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(64)]]
kernel void overlapping_kernel(device const half* A_ptr [[buffer(0)]],
                               device half* B_ptr [[buffer(1)]],
                               uint3 threadIdx [[thread_position_in_threadgroup]])
{
    threadgroup half S[256];
    const int ty = int(threadIdx.y);
    simdgroup_half8x8 M[1];
    simdgroup_load(M[0], &A_ptr[0], 8);
    simdgroup_store(M[0], &S[ty * 128], 16);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    simdgroup_load(M[0], &S[ty * 8 + 64], 16);
    simdgroup_store(M[0], &B_ptr[ty * 128], 16);
}

// Function: apart_kernel
#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(32)]]
kernel void apart_kernel(device const half* A_ptr [[buffer(0)]],
                         device half* B_ptr [[buffer(1)]])
{
    threadgroup half S[256];
    simdgroup_half8x8 M[1];
    simdgroup_load(M[0], &A_ptr[0], 8);
    simdgroup_store(M[0], &S[0], 8);
    simdgroup_store(M[0], &S[128], 8);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    simdgroup_load(M[0], &S[128], 8);
    simdgroup_store(M[0], &B_ptr[0], 8);
}

