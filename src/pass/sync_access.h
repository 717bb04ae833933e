/* Accesses to threadgroup memory, and whether two of them by different threads may touch the same bytes. */
#ifndef PASS_SYNC_ACCESS_H
#define PASS_SYNC_ACCESS_H

#include "ir/bound.h"
#include "ir/linear.h"
#include "pass/region.h"

enum { SYNC_AXES = 3 };

/* The range of each threadIdx axis, in the order of sync_space.axes. */
typedef struct thread_box {
    ir_interval axis[SYNC_AXES];
} thread_box;

typedef struct access_term {
    const ir_node *atom; /* has one value for all threads, and the same for both accesses of a pair */
    int64_t coeff;
} access_term;

/* Bytes [form + extra.min, form + extra.max] of a memory, the form being
 * sum(thread[k] * axis k) + sum(terms) + sum(odd). */
typedef struct access {
    const ir_var *memory;
    bool write;
    bool atomic; /* two of these do not disturb each other */
    bool whole; /* the place is not known, or is not one thread's own: a matrix tile */
    int64_t thread[SYNC_AXES];
    thread_box box;
    ir_interval extra;
    const access_term *terms;
    size_t term_count;
    const access_term *odd; /* atoms made of thread indices and of what is uniform: tx // 8 */
    size_t odd_count;
} access;

VEC_DECLARE(access_vec, access)

/* What accesses of a region are seen in terms of. */
typedef struct sync_space {
    arena *mem;
    ir_analyzer *az;               /* knows the ranges of thread and loop variables */
    const ir_var *axes[SYNC_AXES]; /* threadIdx variables */
    size_t axis_count;
    thread_box box;                /* threads that come to the current statement */
    map lets;                      /* variable -> value, itself in terms of no other let */
    const map *varying;            /* variables that differ between threads (uniform.h) */
    map moving;                    /* variables that take another value each time they are bound */
    unsigned asked;                /* pairs of accesses that were looked at thread by thread */
    void *places;                  /* room for that; NULL at first */
} sync_space;

/* The accesses of a statement's own expressions to threadgroup memory (not of statements inside it),
 * reads first. */
void sync_accesses(sync_space *s, const ir_node *stmt, access_vec *out);

/* The reads of an expression. */
void sync_reads(sync_space *s, const ir_node *expr, access_vec *out);

/* Narrows s->box to the threads for which the condition holds (or does not), as far as it tells. */
void sync_assume(sync_space *s, const ir_node *cond, bool holds);

/* May two different threads touch the same byte, one of them writing? */
bool sync_conflict(sync_space *s, const access *a, const access *b);

/* What is left of the difference of two places without the threads' parts: terms, and an interval. False: anything. */
bool sync_rest(const access *a, const access *b, ir_linear *terms, ir_interval *extra);

/* sync_conflict's question answered thread by thread (sync_threads.c), the terms and the interval being what
 * sync_rest gave. True where that takes too long. */
bool sync_meets(sync_space *s, const access *a, const access *b, const ir_linear *rest, ir_interval extra);

/* The access as an earlier round of the loop over `v` made it; `last`: the round just before. */
access sync_earlier(sync_space *s, const access *a, const ir_var *v, bool last);

/* The access seen from outside of the loop over `v`. */
access sync_outside(sync_space *s, const access *a, const ir_var *v);

/* Adds an access that is not there yet. */
void sync_add(arena *mem, access_vec *v, const access *a);

#endif
