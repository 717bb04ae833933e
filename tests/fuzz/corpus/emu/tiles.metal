#include <metal_stdlib>
using namespace metal;
struct args { int n; float s[2]; };
kernel void k(device const float *a, device float *c, constant args &x [[buffer(2)]], uint2 g [[threadgroup_position_in_grid]],
              uint2 t [[thread_position_in_threadgroup]]) {
  threadgroup float m[64]; thread float acc[1]; acc[0] = x.s[1];
  for (int k = 0; k < 3; ++k) {
    m[(t.y * 5 + t.x) % 64] = a[(k * 10 + int(t.x)) % 128];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (int i = 0; i < 8; ++i) acc[0] = acc[0] + m[(t.y * 5 + i) % 64] * m[i * 4 + t.x % 4];
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  if (t.x < 3 && x.n <= 0) c[g.x * 8 + t.x] = acc[0];
}
