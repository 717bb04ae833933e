/* The workloads as plain C loops, as a compiler likes them best. */
#include <string.h>

#include "bench.h"

void native_add_one(const float *a, float *b, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) b[i] = a[i] + 1.0F;
}

/* Rows of `c`, by the order of loops that runs along rows of `b`. */
void native_matmul(const float *a, const float *b, float *c, size_t n, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        float *restrict row = c + i * n;
        memset(row, 0, n * sizeof *row);
        for (size_t k = 0; k < n; k++) {
            const float x = a[i * n + k], *restrict other = b + k * n;
            for (size_t j = 0; j < n; j++) row[j] += x * other[j];
        }
    }
}

/* Sums of 256 floats each, in sixteen chains, so that the order of additions does not keep vectors away. */
void native_reduce(const float *a, float *b, size_t begin, size_t end)
{
    for (size_t g = begin; g < end; g++) {
        float chains[16] = {0}, sum = 0;
        for (size_t i = 0; i < 256; i += 16) {
            for (size_t k = 0; k < 16; k++) chains[k] += a[g * 256 + i + k];
        }
        for (size_t k = 0; k < 16; k++) sum += chains[k];
        b[g] = sum;
    }
}
