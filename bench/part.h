/* Parts of the workloads' grids, for engines that cannot do the whole in reasonable time: the same for all that are compared. */
#ifndef BENCH_PART_H
#define BENCH_PART_H

#include <stddef.h>

/* Of `groups` threadgroups in x and y those in 1/part of the grid. Of a square one, which is a matrix product, these are whole rows,
 * sixteen times as many. */
static inline void part_of(const size_t groups[2], size_t part, size_t out[2])
{
    const int square = groups[1] > 1;
    const size_t some = square ? groups[1] * (part > 1 ? 16 : 1) / part : groups[0] / part;
    out[0] = square ? groups[0] : some > 0 ? some : 1;
    out[1] = square && some > 0 ? some : 1;
}

/* The elements that each buffer has then, of `all`: at least the matrices, which have a quarter of a million. */
static inline size_t part_elements(size_t all, size_t part)
{
    enum { MATRIX = 512 * 512 };
    return all / part > MATRIX ? all / part : MATRIX;
}

#endif
