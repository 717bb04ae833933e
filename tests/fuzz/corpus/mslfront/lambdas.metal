#include <metal_stdlib>
using namespace metal;
namespace a::b { constant int two = 2; }
vertex float4 corner(uint i [[vertex_id]]) { return float4(i); }
template <typename F> void each(int n, F f) { for (int i = 0; i < n; ++i) f(i); }
struct S { int base; int run(int n) { auto add = [&](auto x) { return base + x; }; return [=]() mutable { return add(n++); }(); } };
static int common(int a, int b) { if (b == 0) return a; return common(b, a % b); }
kernel void k(device int *o) {
  S s = {5}; int n = 0; each(4, [&](int i) { n += i; });
  if (int h = n / 2; h > 1) o[0] = h; else if (int g = s.run(h)) o[0] = g;
  while (int m = n / 2) { n = m; }
  o[1] = common(36, 24) + a::b::two + int(simd_vote::vote_t(simd_ballot(true))) + (n ? 1 : [] { return 2; }());
}
