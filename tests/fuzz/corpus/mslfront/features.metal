#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;
#define TILE 16
#define SQ(x) ((x) * (x))
struct f_args_t { uint n; float scale; float x[2]; };
constant float table[4] = {1.0f, 2.0, 3, 4.5e-1f};
constant int K = TILE * 2;
enum Mode { ADD, MUL = 5, LAST };
enum class Kind : uchar { A, B };
typedef float scalar_t;
using vec_t = vec<float, 4>;
static inline float sq(float x) { return SQ(x); }
inline float sum3(thread const float *v, int n = 3) { float s = 0; for (int i = 0; i < n; ++i) s += v[i]; return s; }
inline half sq(half x) { return x * x; }
static inline void swap2(thread float &a, thread float &b) { float t = a; a = b; b = t; }
kernel void f(device const float *A [[buffer(0)]], device float *B [[buffer(1)]],
              constant f_args_t &args [[buffer(2)]], device atomic_uint *cnt [[buffer(3)]],
              uint3 gid [[threadgroup_position_in_grid]], uint3 tid [[thread_position_in_threadgroup]],
              ushort lane [[thread_index_in_simdgroup]])
{
  threadgroup float tile[TILE * TILE];
  uint i = gid.x * 256u + tid.x;
  if (i >= args.n) return;
  float4 v = *(device const float4*)(A + i * 4);
  float a[3] = {1, 2};
  v.xy = v.yx * args.scale + 1;
  v *= 2;
  float d = dot(v, float4(1.0f, v.yzw)) + max(v.x, 0.0f) + clamp(v.y, 0.0f, 1.0f);
  half h = half(d);
  h = h * 2 + 1.5h;
  tile[tid.x] = sq(d) + sq(h) + sum3(a) + table[i & 3];
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  float s = simd_sum(tile[tid.x ^ 1]);
  s += simd_shuffle_down(s, 8);
  #pragma unroll 4
  for (int k = 0, m = 3; k < K; ++k) { s = fma(s, 1.0f, a[k % 3]); if (k == 5) continue; }
  switch (i % 3) { case 0: s += 1; break; case MUL: s -= 1; default: s *= 2; }
  atomic_fetch_add_explicit(cnt, 1u, memory_order_relaxed);
  uint u = as_type<uint>(s);
  s = select(s, -s, u > 3u) + (s > INFINITY ? NAN : s);
  bool4 bb = v > 0.5f && v < 1.0f;
  if (any(bb)) s = precise::exp(s);
  swap2(s, d);
  while (true) { if (s > 3) break; s++; }
  do { --u; } while (u > 10);
  B[i] = s + ((volatile threadgroup float*)tile)[0] + float(Kind::A == Kind::B) + LAST;
  auto q = vec_t(s);
  device float4 *o = (device float4*)B;
  o[0] = q; o->x = 3; (*o)[1] = 2;
  simdgroup_float8x8 m8 = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
  simdgroup_load(m8, A, 8, 0, false);
  simdgroup_multiply_accumulate(m8, m8, m8, m8);
  simdgroup_store(m8, B);
  (void)lane;
  float3 p3 = float3(packed_float3(1,2,3)) * 2.0;
  B[1] = p3.z;
}
