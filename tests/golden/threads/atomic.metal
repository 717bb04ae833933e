// Function: main_kernel
#include <metal_stdlib>

using namespace metal;

inline int atomic_cas(device int* place, int expected, int desired)
{
  device atomic_int* at = (device atomic_int*)place;
  int seen = expected;
  /* A weak exchange may fail although it need not: then it has seen what was expected. */
  while (!atomic_compare_exchange_weak_explicit(at, &seen, desired, memory_order_relaxed, memory_order_relaxed) &&
         seen == expected) {
  }
  return seen;
}

[[max_total_threads_per_threadgroup(64)]]
kernel void main_kernel(device int* A_ptr [[buffer(0)]],
                        device uint* B_ptr [[buffer(1)]],
                        uint3 threadIdx [[thread_position_in_threadgroup]])
{
    threadgroup int counts[8];
    const int tx = int(threadIdx.x);
    if (tx < 8) {
        counts[tx] = 0;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (int i = 0; i < 4; ++i) {
        atomic_fetch_add_explicit((threadgroup atomic_int*)&counts[(tx + i) & 7], 1, memory_order_relaxed);
    }
    const int seen = atomic_cas(&A_ptr[0], -1, tx);
    const uint before = atomic_fetch_add_explicit((device atomic_uint*)&B_ptr[tx], 1u, memory_order_relaxed);
    const int before_1 = atomic_fetch_or_explicit((device atomic_int*)&A_ptr[1], int(1u << uint(tx & 31)), memory_order_relaxed);
    B_ptr[before_1] = before;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    A_ptr[tx] = int(uint(counts[tx & 7]) + uint(seen));
}

