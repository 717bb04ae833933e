/* Typed growing array in an arena. */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include "base/arena.h"

/* Declares `typedef struct {T *at; size_t n, cap;} NAME;` and NAME_push(arena, vec, item). */
#define VEC_DECLARE(NAME, T)                                                                       \
    typedef struct NAME {                                                                          \
        T *at;                                                                                     \
        size_t n, cap;                                                                             \
    } NAME;                                                                                        \
    __attribute__((unused)) static inline void NAME##_push(arena *a, NAME *v, T item)              \
    {                                                                                              \
        if (v->n == v->cap) {                                                                      \
            size_t cap = v->cap == 0 ? 4 : v->cap * 2;                                             \
            v->at = arena_grow(a, v->at, v->n * sizeof *v->at, cap, sizeof *v->at);                \
            v->cap = cap;                                                                          \
        }                                                                                          \
        v->at[v->n++] = item;                                                                      \
    }                                                                                              \
    __attribute__((unused)) static inline NAME NAME##_none(void)                                   \
    {                                                                                              \
        return (NAME){0};                                                                          \
    }

#endif
