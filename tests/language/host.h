// What the random kernels of random_kernel.py use of Metal, for a C++ compiler of this machine.
#include <cstdint>
#include <cstdio>
#include <cstring>

#define kernel
#define device
#define thread
#define constant static const
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

template <typename T, typename S> T as_type(S from)
{
    static_assert(sizeof(T) == sizeof(S), "as_type keeps the size");
    T to;
    memcpy(&to, &from, sizeof to);
    return to;
}

template <typename T> T min(T a, T b) { return b < a ? b : a; }
template <typename T> T max(T a, T b) { return a < b ? b : a; }
template <typename T> T clamp(T x, T low, T high) { return min(max(x, low), high); }
template <typename T> T select(T a, T b, bool second) { return second ? b : a; }
inline int abs(int x) { return (int)(x < 0 ? 0u - (uint)x : (uint)x); }
inline uint absdiff(int a, int b) { return a < b ? (uint)b - (uint)a : (uint)a - (uint)b; }
inline uint popcount(uint x) { return (uint)__builtin_popcount(x); }
inline ulong popcount(ulong x) { return (ulong)__builtin_popcountl(x); }
inline uint clz(uint x) { return x != 0 ? (uint)__builtin_clz(x) : 32; }
inline uint ctz(uint x) { return x != 0 ? (uint)__builtin_ctz(x) : 32; }
inline uint rotate(uint x, uint n) { return (n & 31) != 0 ? x << (n & 31) | x >> (32 - (n & 31)) : x; }
inline int mulhi(int a, int b) { return (int)(((long)a * b) >> 32); }
inline uint mulhi(uint a, uint b) { return (uint)(((ulong)a * b) >> 32); }
inline int hadd(int a, int b) { return (int)(((long)a + b) >> 1); }
inline uint rhadd(uint a, uint b) { return (uint)(((ulong)a + b + 1) >> 1); }

template <typename T, int N> struct vec {
    T v[N];
    vec() = default;
    explicit vec(T s) { for (int i = 0; i < N; i++) v[i] = s; }
    vec(T a, T b) : v{a, b} {}
    vec(T a, T b, T c) : v{a, b, c} {}
    vec(T a, T b, T c, T d) : v{a, b, c, d} {}
    template <typename S> explicit vec(const vec<S, N> &from) { for (int i = 0; i < N; i++) v[i] = (T)from.v[i]; }
    T &operator[](int i) { return v[i]; }
    const T &operator[](int i) const { return v[i]; }
};
#define OPERATOR(op)                                                                                                \
    template <typename T, int N> vec<T, N> operator op(vec<T, N> a, vec<T, N> b)                                     \
    {                                                                                                               \
        for (int i = 0; i < N; i++) a.v[i] = (T)(a.v[i] op b.v[i]);                                                  \
        return a;                                                                                                   \
    }                                                                                                               \
    template <typename T, int N> vec<T, N> &operator op##=(vec<T, N> &a, vec<T, N> b) { return a = a op b; }
OPERATOR(+)
OPERATOR(-)
OPERATOR(*)
OPERATOR(&)
OPERATOR(|)
OPERATOR(^)
#undef OPERATOR
typedef vec<int, 2> int2;
typedef vec<int, 3> int3;
typedef vec<int, 4> int4;
typedef vec<uint, 4> uint4;
typedef vec<short, 4> short4;
typedef vec<uchar, 4> uchar4;
typedef vec<long, 2> long2;
