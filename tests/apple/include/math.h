/* What Ingot uses of this header, as POSIX and C have it: for checking syntax against Apple targets without an SDK. */
#ifndef APPLE_MATH_H
#define APPLE_MATH_H

#define HUGE_VAL __builtin_huge_val()
#define HUGE_VALF __builtin_huge_valf()
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define FP_NAN 1
#define FP_INFINITE 2
#define FP_ZERO 3
#define FP_NORMAL 4
#define FP_SUBNORMAL 5
#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf(x)
#define isfinite(x) __builtin_isfinite(x)
#define isnormal(x) __builtin_isnormal(x)
#define signbit(x) __builtin_signbit(x)
#define M_PI 3.14159265358979323846
#define M_E 2.71828182845904523536
#define FUNCTION1(NAME)                                                                                                       \
    double NAME(double x);                                                                                                    \
    float NAME##f(float x);
#define FUNCTION2(NAME)                                                                                                       \
    double NAME(double x, double y);                                                                                          \
    float NAME##f(float x, float y);
FUNCTION1(acos) FUNCTION1(acosh) FUNCTION1(asin) FUNCTION1(asinh) FUNCTION1(atan) FUNCTION1(atanh) FUNCTION1(cbrt)
FUNCTION1(ceil) FUNCTION1(cos) FUNCTION1(cosh) FUNCTION1(erf) FUNCTION1(erfc) FUNCTION1(exp) FUNCTION1(exp2) FUNCTION1(expm1)
FUNCTION1(fabs) FUNCTION1(floor) FUNCTION1(lgamma) FUNCTION1(log) FUNCTION1(log10) FUNCTION1(log1p) FUNCTION1(log2)
FUNCTION1(nearbyint) FUNCTION1(rint) FUNCTION1(round) FUNCTION1(sin) FUNCTION1(sinh) FUNCTION1(sqrt) FUNCTION1(tan)
FUNCTION1(tanh) FUNCTION1(tgamma) FUNCTION1(trunc) FUNCTION1(logb)
FUNCTION2(atan2) FUNCTION2(copysign) FUNCTION2(fdim) FUNCTION2(fmax) FUNCTION2(fmin) FUNCTION2(fmod) FUNCTION2(hypot)
FUNCTION2(nextafter) FUNCTION2(pow) FUNCTION2(remainder)
#undef FUNCTION1
#undef FUNCTION2
double fma(double x, double y, double z);
float fmaf(float x, float y, float z);
double ldexp(double x, int e);
float ldexpf(float x, int e);
double frexp(double x, int *e);
float frexpf(float x, int *e);
double modf(double x, double *whole);
float modff(float x, float *whole);
double scalbn(double x, int e);
float scalbnf(float x, int e);
int ilogb(double x);
int ilogbf(float x);
long lrint(double x);
long lround(double x);
long long llrint(double x);
long long llround(double x);

#endif
