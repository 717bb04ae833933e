/* Lane handlers: sums of products whose factors lie in memory, such as the inner loop of a matrix product. */
#include "emu/lanes_access.h"

/* The widest float vector of the instruction set; a chunk is a few of them. */
#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#elif defined(__AVX__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif
typedef float vector __attribute__((vector_size(VECTOR_BYTES)));
enum { VECTORS = 64 / VECTOR_BYTES, MOST = 64 };

typedef struct factor {
    const char *from;  /* of chunk 0's lane 0, less at[0] */
    const int64_t *at; /* by chunk */
} factor;

/* The step of one factor's lanes, the same in all chunks; -1 where there is none, or an access is out of bounds. */
static int64_t begin_factor(const emu_vm *vm, const emu_access *at, factor *f)
{
    const emu_pattern *p = &vm->patterns[at->pattern];
    start s;
    if (!p->even || (at->threadgroup && vm->shifted) || !all_in_bounds(vm, at, &s)) return -1;
    f->from = s.at + at->scale * s.index;
    f->at = p->at;
    return p->step[0];
}

/* acc += a * b for every pair, each product and sum rounded: what MAD does, with the sum kept in registers. The first
 * factors are one float a chunk. */
static void sum_broadcast(const emu_vm *vm, const factor *a, const factor *b, unsigned n, char *d, const char *init, size_t sc)
{
    for (uint32_t c = vm->c0; c < vm->c1; ++c) {
        vector acc[VECTORS];
        memcpy(acc, LANES_ALIGNED(init + c * sc, float), sizeof acc);
        for (unsigned k = 0; k < n; ++k) {
            float x;
            memcpy(&x, a[k].from + a[k].at[c], sizeof x);
            const char *row = b[k].from + b[k].at[c];
            for (unsigned v = 0; v < VECTORS; ++v) {
                vector y;
                memcpy(&y, row + v * sizeof y, sizeof y);
                acc[v] = x * y + acc[v];
            }
        }
        memcpy(LANES_ALIGNED(d + c * 64, float), acc, sizeof acc);
    }
}

static void sum_vectors(const emu_vm *vm, const factor *a, const factor *b, unsigned n, char *d, const char *init, size_t sc)
{
    for (uint32_t c = vm->c0; c < vm->c1; ++c) {
        vector acc[VECTORS];
        memcpy(acc, LANES_ALIGNED(init + c * sc, float), sizeof acc);
        for (unsigned k = 0; k < n; ++k) {
            const char *from = a[k].from + a[k].at[c], *row = b[k].from + b[k].at[c];
            for (unsigned v = 0; v < VECTORS; ++v) {
                vector x, y;
                memcpy(&x, from + v * sizeof x, sizeof x);
                memcpy(&y, row + v * sizeof y, sizeof y);
                acc[v] = x * y + acc[v];
            }
        }
        memcpy(LANES_ALIGNED(d + c * 64, float), acc, sizeof acc);
    }
}

/* Where any of the accesses is unusual the instructions behind do the work one by one. */
static const emu_insn *dot(emu_vm *vm, const emu_insn *i)
{
    factor a[MOST], b[MOST];
    const unsigned n = i->k;
    int64_t step_a = 0, step_b = 0;
    for (unsigned k = 0; k < n; ++k) {
        const emu_insn *at = i + 1 + 3 * k;
        const int64_t x = begin_factor(vm, at[0].access, &a[k]), y = begin_factor(vm, at[1].access, &b[k]);
        if (k == 0) {
            step_a = x;
            step_b = y;
        }
        if (x != step_a || y != step_b) return i + 1;
    }
    const emu_insn *first = i + 3, *last = i + 3 * (size_t)n;
    char *d = vm->frame + last->d;
    const char *init = vm->frame + first->c;
    if (step_a == 0 && step_b == 4) sum_broadcast(vm, a, b, n, d, init, first->sc);
    else if (step_a == 4 && step_b == 0) sum_broadcast(vm, b, a, n, d, init, first->sc);
    else if (step_a == 4 && step_b == 4) sum_vectors(vm, a, b, n, d, init, first->sc);
    else return i + 1;
    return last + 1;
}

/* DOT. */
emu_handler LANES_NAME(lanes_dot)(emu_op op, emu_type type)
{
    return op == EMU_DOT && type == EMU_F32 ? dot : NULL;
}
