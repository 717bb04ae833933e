#include <metal_stdlib>
using namespace metal;

struct main_kernel_args_t {
    float x;
};

kernel void main_kernel(const device float *A [[buffer(0)]], device float *B [[buffer(1)]],
                        constant main_kernel_args_t &args [[buffer(2)]],
                        uint3 threadIdx [[thread_position_in_threadgroup]]) {
    B[threadIdx.x] = A[threadIdx.x] + args.x;
}
