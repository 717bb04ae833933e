#include <metal_stdlib>
using namespace metal;
constexpr sampler smooth(coord::normalized, filter::linear, address::repeat);
kernel void k(texture2d<float> a [[texture(0)]], texture2d<half, access::write> b [[texture(1)]], sampler s [[sampler(0)]],
   array<texture2d<int>, 2> arr [[texture(4)]], device float4* o [[buffer(0)]], uint2 t [[thread_position_in_grid]]) {
  constexpr sampler n(filter::nearest, coord::pixel);
  o[0] = a.sample(smooth, float2(0.5, 0.25));
  o[1] = a.sample(s, float2(t)) + a.read(t) + float4(arr[1].read(t));
  o[2] = a.sample(n, float2(t) + 0.5f, level(1));
  o[3] = float4(a.get_width(), a.get_height(), a.get_num_mip_levels(), 0);
  b.write(half4(1, 2, 3, 4), t);
}
