#include <metal_stdlib>
using namespace metal;
float g(float *p) { return *p; }
kernel void f(device float *A [[buffer(0)]], uint i [[thread_position_in_grid]], int bad [[thread_index_in_simdgroup]]) {
  half h = 1.0h;
  A[i] = max(h, 0);
  A[i] = foo(1);
  threadgroup float *p = A;
  float4 v = int4(1);
  A[0] = v.q;
  A[1] = nearbyint(2.0f);
  float x = ;
  int y = 3
  A[2] = 3.0f;
  double d = 3;
  for (int i = 0; i < 3; ++i { }
  A[3] = clamp(h, 0, 1);
  A[4] = exp(3);
}
kernel void f2(device float *A [[bufer(0)]]) { A[0] = 1; return 3; }
