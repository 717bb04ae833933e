#include <metal_stdlib>
using namespace metal;
static int collatz(int n) { int s = 0; while (n > 1) { n = n % 2 == 0 ? n / 2 : 3 * n + 1; if (++s > 50) return -1; } return s; }
static void swap(thread int &a, thread int &b) { int t = a; a = b; b = t; }
kernel void k(device int *out, uint i [[thread_position_in_grid]]) {
  int v[6]; for (int n = 0; n < 6; ++n) v[n] = n * int(i);
  switch (i % 4) { case 0: v[1] += 3; case 1: swap(v[0], v[5]); break; case 2: for (;;) { if (v[2] > 40) break; v[2] += 7; } break; default: return; }
  for (int n = 0; n < int(i) % 5; ++n) { if (n == 2) continue; v[(n + i) % 6] -= collatz(n + int(i)); }
  out[i % 128] = v[i % 6] + (i > 7 && v[3] != 0 ? v[4] / v[3] : 1);
}
