#include <metal_stdlib>
using namespace metal;
struct Node { int v; thread Node *next; };
struct Arguments { device float *in [[id(0)]]; constant float *factors [[id(1)]]; texture2d<half> t [[id(2)]]; };
constant int low[3] = {1, 2, 3};
constant int *constant both[2] = {low, low + 1};
kernel void k(device int *o, constant Arguments &x, uint t [[thread_position_in_grid]]) {
  Node b = {2, nullptr}, a = {1, &b};
  for (thread Node *n = &a; n; n = n->next) o[t] += n->v;
  int m = 0, p = 0;
  (t % 2 ? m : p) = both[t % 2][0];
  thread int *q = t > 3 ? &m : &p;
  o[t] += *q + int((ulong)(o + t) % 16) + simd_shuffle_and_fill_up(m, p, 1);
  x.in[t] = x.factors[t] + x.t.read(uint2(t)).x;
}
