// Function: fused_kernel
#include <metal_stdlib>

using namespace metal;

struct fused_kernel_args_t {
    alignas(8) int m;
    alignas(8) int n;
};

[[max_total_threads_per_threadgroup(256)]]
kernel void fused_kernel(device const float* A_ptr [[buffer(0)]],
                         device float* B_ptr [[buffer(1)]],
                         constant fused_kernel_args_t& args [[buffer(2)]],
                         uint3 blockIdx [[threadgroup_position_in_grid]],
                         uint3 threadIdx [[thread_position_in_threadgroup]])
{
    const int bx = int(blockIdx.x);
    const int tx = int(threadIdx.x);
    if (bx * 256 + tx < args.n * args.m) {
        B_ptr[bx * 256 + tx] = A_ptr[bx * 256 + tx] + 1.0f;
    }
}

// Function: rows_kernel
#include <metal_stdlib>

using namespace metal;

struct rows_kernel_args_t {
    alignas(8) int n;
};

[[max_total_threads_per_threadgroup(256)]]
kernel void rows_kernel(device const float* A_ptr [[buffer(0)]],
                        device float* B_ptr [[buffer(1)]],
                        constant rows_kernel_args_t& args [[buffer(2)]],
                        uint3 blockIdx [[threadgroup_position_in_grid]],
                        uint3 threadIdx [[thread_position_in_threadgroup]])
{
    const int bx = int(blockIdx.x);
    const int tx = int(threadIdx.x);
    if (bx * 256 + tx < args.n) {
        B_ptr[bx * 256 + tx] = 0.0f;
        for (int k = 0; k < 128; ++k) {
            B_ptr[bx * 256 + tx] += A_ptr[long(bx * 256 + tx) * 128 + k];
        }
    }
}

// Function: past_int32_kernel
#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(256)]]
kernel void past_int32_kernel(device char* A_ptr [[buffer(0)]],
                              uint3 blockIdx [[threadgroup_position_in_grid]],
                              uint3 threadIdx [[thread_position_in_threadgroup]])
{
    const int bx = int(blockIdx.x);
    const int tx = int(threadIdx.x);
    A_ptr[long(bx) * 65536 + tx] = char(1);
}

// Function: first_rows_of_it_kernel
#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(256)]]
kernel void first_rows_of_it_kernel(device char* A_ptr [[buffer(0)]],
                                    uint3 blockIdx [[threadgroup_position_in_grid]],
                                    uint3 threadIdx [[thread_position_in_threadgroup]])
{
    const int bx = int(blockIdx.x);
    const int tx = int(threadIdx.x);
    A_ptr[bx * 65536 + tx] = char(1);
}

// Function: small_loops_of_64_bits_kernel
#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(32)]]
kernel void small_loops_of_64_bits_kernel(device long* A_ptr [[buffer(0)]],
                                          uint3 blockIdx [[threadgroup_position_in_grid]],
                                          uint3 threadIdx [[thread_position_in_threadgroup]])
{
    const int bx = int(blockIdx.x);
    const int tx = int(threadIdx.x);
    for (int k = 0; k < 32; ++k) {
        const int row = bx * 32 + tx;
        if (row * 32 + k < 2000) {
            A_ptr[row * 32 + k] = long(row) * k;
        }
    }
}

// Function: guarded_kernel
#include <metal_stdlib>

using namespace metal;

struct guarded_kernel_args_t {
    alignas(8) long n;
};

[[max_total_threads_per_threadgroup(1)]]
kernel void guarded_kernel(device float* A_ptr [[buffer(0)]],
                           constant guarded_kernel_args_t& args [[buffer(1)]],
                           uint3 blockIdx [[threadgroup_position_in_grid]])
{
    const int bx = int(blockIdx.x);
    const long full = min(args.n, 10l);
    for (long k = 0l; k < full; ++k) {
        if (k * 100 + bx < args.n) {
            A_ptr[bx + k] = 0.0f;
        }
        A_ptr[bx + k] = 0.0f;
    }
    for (long k_1 = full; k_1 < args.n; ++k_1) {
        if (k_1 < 10 && k_1 * 100 + bx < args.n) {
            A_ptr[bx + k_1] = 0.0f;
        }
        if (k_1 < 10) {
            A_ptr[bx + k_1] = 0.0f;
        }
    }
}

// Function: with_offset_kernel
#include <metal_stdlib>

using namespace metal;

struct with_offset_kernel_args_t {
    alignas(8) int o;
};

[[max_total_threads_per_threadgroup(64)]]
kernel void with_offset_kernel(device const float* A_ptr [[buffer(0)]],
                               device float* B_ptr [[buffer(1)]],
                               constant with_offset_kernel_args_t& args [[buffer(2)]],
                               uint3 threadIdx [[thread_position_in_threadgroup]])
{
    const int tx = int(threadIdx.x);
    B_ptr[tx] = A_ptr[long(tx) + args.o];
}

