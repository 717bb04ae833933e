// Function: main_kernel
#include <metal_stdlib>

using namespace metal;

struct main_kernel_args_t {
    alignas(8) char a;
    alignas(8) uchar b;
    alignas(8) short c;
    alignas(8) ushort d;
    alignas(8) int e;
    alignas(8) uint f;
    alignas(8) long g;
    alignas(8) half h;
    alignas(8) bool i;
};

[[max_total_threads_per_threadgroup(8)]]
kernel void main_kernel(device long* A_ptr [[buffer(0)]],
                        device bool* B_ptr [[buffer(1)]],
                        constant main_kernel_args_t& args [[buffer(2)]],
                        uint3 threadIdx [[thread_position_in_threadgroup]])
{
    const int tx = int(threadIdx.x);
    A_ptr[tx] = long(args.a) + args.b + args.c + args.d;
    A_ptr[tx] = long(ulong(A_ptr[tx]) + ulong(long(args.e)) + ulong(long(args.f)) + ulong(args.g) + ulong(args.h != args.h ? 0l : args.h > 65504.0h ? 9223372036854775807l : args.h <= half(-INFINITY) ? (-9223372036854775807l - 1l) : long(args.h)));
    B_ptr[tx] = args.i;
}

