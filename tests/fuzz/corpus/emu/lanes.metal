#include <metal_stdlib>
using namespace metal;
kernel void k(device half4 *h, device atomic_uint *n, device float *f, uint i [[thread_position_in_grid]], ushort l [[thread_index_in_simdgroup]]) {
  float x = simd_sum(float(i)) + simd_shuffle_down(float(l), 2) + exp(tanh(float(i) * 0.1f));
  if (simd_any(x > 3)) atomic_fetch_add_explicit(&n[i % 8], uint(x), memory_order_relaxed);
  h[i % 16] = half4(h[i % 16].wzyx) * half(2) + half4(x); f[i % 64] = as_type<float>(as_type<uint>(x) ^ 1u);
  simdgroup_float8x8 m = make_filled_simdgroup_matrix<float, 8, 8>(1.0f); simdgroup_store(m, f, 8);
}
