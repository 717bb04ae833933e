#include <metal_stdlib>
using namespace metal;

union arg_union {
  int v_int[2];
};

struct main_kernel_args_t {
  float x[2];
};

kernel void main_kernel(  device float* A_ptr [[ buffer(0) ]],
  device float* B_ptr [[ buffer(1) ]],
  constant main_kernel_args_t& arg [[ buffer(2) ]],
  uint2 blockIdx [[threadgroup_position_in_grid]],
  uint2 threadIdx [[thread_position_in_threadgroup]]
) {
  threadgroup float tile[256];
  thread float sum[1];
  sum[0] = 0.000000e+00f;
  for (int k = 0; k < 16; ++k) {
    tile[((((int)threadIdx.y) * 16) + ((int)threadIdx.x))] = A_ptr[((((int)threadIdx.x) + (k << 4)) & 31)];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    sum[0] = fma(tile[k], arg.x[0], sum[0]);
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  if ((((int)threadIdx.x) < 8) && !(sum[0] != sum[0])) {
    B_ptr[((int)threadIdx.x)] = max(sum[0], -INFINITY);
  } else {
    B_ptr[((int)threadIdx.x)] = as_type<float>(0x7fc00000);
  }
}
