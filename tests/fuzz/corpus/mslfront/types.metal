#include <metal_stdlib>
namespace a { namespace b { struct S { union { int i; float f; }; metal::half3 h[2]; } ; enum class E : ushort { X = 1, Y }; } using b::S; }
typedef device float (*rows)[4];
constant a::S table[] = {{{1}, {metal::half3(1), metal::half3(2)}}, {}};
inline metal::vec<float, 3> f(constant a::S &s, metal::packed_float3 p = metal::packed_float3(1, 2, 3)) { return metal::float3(s.h[1]) * p; }
kernel void k(device metal::atomic<uint> *c [[buffer(2)]], device float *A, metal::uint2 g [[thread_position_in_grid]]) {
  rows r = (rows)A; auto &q = r[1][2]; q += f(table[1]).x;
  A[g.x] = sizeof(a::S) + (int)a::b::E::Y + metal::numeric_limits<half>::max();
  metal::float2x2 m = metal::float2x2(metal::float2(1), metal::float2(2, 3)); A[1] = m[1][0];
}
