// Function: kernel
#include <metal_stdlib>

using namespace metal;

[[host_name("kernel")]] [[max_total_threads_per_threadgroup(1)]]
kernel void kernel_1(device float* A_ptr [[buffer(0)]])
{
    device float* B_ptr = ((device float*)&A_ptr[4]);
    B_ptr[0] = 1.0f;
}

