// Function: split_kernel
#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(64)]]
kernel void split_kernel(device const float* A_ptr [[buffer(0)]],
                         device float* B_ptr [[buffer(1)]],
                         uint3 threadIdx [[thread_position_in_threadgroup]])
{
    const int i = int(threadIdx.x);
    B_ptr[i] = 0.0f;
    for (int ko = 0; ko < 16; ++ko) {
        for (int ki = 0; ki < 4; ++ki) {
            B_ptr[i] += A_ptr[i * 64 + ko * 4 + ki];
        }
    }
}

// Function: any_length_kernel
#include <metal_stdlib>

using namespace metal;

struct any_length_kernel_args_t {
    alignas(8) int m;
};

[[max_total_threads_per_threadgroup(64)]]
kernel void any_length_kernel(device const float* A_ptr [[buffer(0)]],
                              device float* B_ptr [[buffer(1)]],
                              constant any_length_kernel_args_t& args [[buffer(2)]],
                              uint3 threadIdx [[thread_position_in_threadgroup]])
{
    const int i = int(threadIdx.x);
    if (0 < args.m) {
        B_ptr[i] = 0.0f;
    }
    for (int k = 0; k < args.m; ++k) {
        B_ptr[i] += A_ptr[long(i) * args.m + k];
    }
}

// Function: between_kernel
#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(16)]]
kernel void between_kernel(device const float* A_ptr [[buffer(0)]],
                           device float* B_ptr [[buffer(1)]],
                           uint3 threadIdx [[thread_position_in_threadgroup]])
{
    const int i = int(threadIdx.x);
    for (int ko = 0; ko < 16; ++ko) {
        for (int j = 0; j < 4; ++j) {
            if (ko == 0) {
                B_ptr[i * 4 + j] = 0.0f;
            }
            for (int ki = 0; ki < 4; ++ki) {
                B_ptr[i * 4 + j] += A_ptr[i * 256 + j * 64 + ko * 4 + ki];
            }
        }
    }
}

// Function: stays_kernel
#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(64)]]
kernel void stays_kernel(device const float* A_ptr [[buffer(0)]],
                         device float* B_ptr [[buffer(1)]],
                         uint3 threadIdx [[thread_position_in_threadgroup]])
{
    const int i = int(threadIdx.x);
    for (int k = 0; k < 8; ++k) {
        if (k < 2) {
            B_ptr[i] = A_ptr[k];
        }
        if (k == 0) {
            B_ptr[i] += A_ptr[i];
        }
    }
}

