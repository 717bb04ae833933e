// Function: main_kernel
#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(1)]]
kernel void main_kernel(device const half* A_ptr [[buffer(0)]],
                        device half* B_ptr [[buffer(1)]])
{
    threadgroup half store[8];
    threadgroup half* typed = ((threadgroup half*)((threadgroup char*)store + 4));
    threadgroup void* untyped = ((threadgroup void*)((threadgroup char*)store + 8));
    typed[0] = A_ptr[2];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    ((threadgroup half*)untyped)[0] = A_ptr[4];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    B_ptr[0] = typed[0] + ((threadgroup half*)untyped)[0];
}

