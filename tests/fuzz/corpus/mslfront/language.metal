#include <metal_stdlib>
using namespace metal;
namespace n0 {
template <typename T, int N> struct Stack { T v[N]; int n = 0; void push(T x) { v[n++] = x; } T pop() { return v[--n]; } };
template <typename T> T most(T a, T b) { return a < b ? b : a; }
template <typename T> struct Less { bool operator()(T a, T b) const { return a < b; } };
template <typename T, typename F> void sort(thread T *p, int n, F f) {
  for (int i = 1; i < n; ++i) for (int j = i; j > 0 && f(p[j], p[j - 1]); --j) { T t = p[j]; p[j] = p[j - 1]; p[j - 1] = t; } }
kernel void k0(device int *o) {
  Stack<int, 4> s; s.push(3); s.push(5); o[0] = s.pop() * 10 + s.pop(); o[1] = most(2, 7);
  int a[4] = {4, 1, 3, 2}; sort(a, 4, Less<int>()); o[2] = a[0] * 1000 + a[1] * 100 + a[2] * 10 + a[3]; }
}
namespace n1 {
template <int N> struct Unroll { template <typename F> static void run(thread F &f) { Unroll<N - 1>::run(f); f(N); } };
template <> struct Unroll<0> { template <typename F> static void run(thread F &f) {} };
struct Sum { int total = 0; void operator()(int i) { total = total * 10 + i; } };
kernel void k1(device int *o) { Sum s; Unroll<4>::run(s); o[0] = s.total; }
}
namespace n2 {
template <typename T> T sum(T x) { return x; }
template <typename T, typename... Ts> T sum(T x, Ts... xs) { return x + sum(xs...); }
kernel void k2(device int *o) { o[0] = sum(1, 20, 300, 4000); }
}
namespace n3 {
template <typename T> int arm(T x) { if constexpr (is_same_v<T, int>) return 1; else if constexpr (is_floating_point_v<T>) return 2; else return 3; }
kernel void k3(device int *o) { o[0] = arm(1); o[1] = arm(1.0h); o[2] = arm(1u); }
}
namespace n4 {
struct C { float re, im; C(float r, float i = 0) : re(r), im(i) {}
  C operator*(C o) const { return C(re * o.re - im * o.im, re * o.im + im * o.re); }
  thread C &operator+=(C o) { re += o.re; im += o.im; return *this; } };
bool operator==(C a, C b) { return a.re == b.re && a.im == b.im; }
kernel void k4(device int *o) { C a(1, 2), b(3, 4); C c = a * b; c += 10.0f; o[0] = int(c.re); o[1] = int(c.im);
  o[2] = c == C(5, 10); o[3] = a == b; }
}
namespace n5 {
struct A { int a = 5; int twice() const { return a * 2; } }; struct B : A { int b; B(int x) : b(x) { a += x; } int all() const { return twice() + b; } };
int through(A x) { return x.a; } kernel void k5(device int *o) { B b(3); o[0] = b.all(); o[1] = b.twice(); o[2] = through(b); }
}
namespace n6 {
struct W { threadgroup int &t; int step; W(threadgroup int &x, int s) : t(x), step(s) {} void go() { t += step; } };
kernel void k6(device int *o) { threadgroup int m; m = 1; W w(m, 4); w.go(); w.go(); o[0] = m; }
}
namespace n7 {
struct D { int v; int get() const device { return v + 100; } int get() const thread { return v; } };
kernel void k7(device D *o) { D t = {7}; o[1].v = t.get(); o[0].v = o[1].get(); }
}
namespace n8 {
struct N { int a[2] = {1, 2}; int b = 3; }; kernel void k8(device int *o) { N n; N m[2]; o[0] = n.a[1] + n.b; o[1] = m[1].a[0] + m[0].b; N q = {{7}}; o[2] = q.a[0] + q.a[1] + q.b; }
}
namespace n9 {
struct B { int v; operator int() const { return v * 2; } }; int g(int x) { return x; }
kernel void k9(device int *o) { B b = {4}; o[0] = b; o[1] = g(b) + 1; o[2] = b * 3; if (b) o[3] = 1; }
}
namespace n10 {
struct S { int a, b, c; }; kernel void k10(device int *o) { S s = {.a = 1, .c = 3}; o[0] = s.a * 100 + s.b * 10 + s.c;
  int m[2][2] = {1, 2, 3, 4}; o[1] = m[1][0] * 10 + m[0][1]; int g[5] = {[1 ... 3] = 2, [4] = 7}; o[2] = g[0] + g[1] + g[3] + g[4]; }
}
namespace n11 {
kernel void k11(device int *o) { int a[3] = {1, 2, 3}; int t = 0; for (int x : a) t = t * 10 + x; o[0] = t;
  for (thread auto &x : a) { if (x == 2) continue; x *= 5; } o[1] = a[0] + a[1] + a[2];
  array<int, 3> r = {{4, 5, 6}}; int p = 1; for (int x : r) { if (x == 6) break; p *= x; } o[2] = p + int(r.size()); }
}
namespace n12 {
kernel void k12(device int *o) { float2x2 a = float2x2(1, 2, 3, 4), b = float2x2(float2(5, 6), float2(7, 8));
  float2x2 c = a * b; o[0] = int(c[0][0]); o[1] = int(c[0][1]); o[2] = int(c[1][0]); o[3] = int(c[1][1]);
  float2 v = a * float2(1, 10); o[4] = int(v.x); o[5] = int(v.y); o[6] = int(determinant(a)); o[7] = int(transpose(a)[0][1]);
  float3x3 d = float3x3(2.0f); o[8] = int((d * float3(1, 2, 3)).z + (d + d)[1][1]); half2x2 h = half2x2(a - b); o[9] = int(h[1].y); }
}
