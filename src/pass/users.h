/* Which statements of a sequence use a memory: found by one walk, however many memories are asked for. */
#ifndef PASS_USERS_H
#define PASS_USERS_H

#include "ir/walk.h"

VEC_DECLARE(index_vec, size_t)

/* Pointer of a memory -> index_vec. In the arena. */
typedef struct seq_users {
    map by_data;
} seq_users;

seq_users seq_users_of(arena *mem, ir_list statements);

/* The statements that use the memory in any way, also inside of them: their indices, in order. NULL where none does. */
const index_vec *seq_users_find(const seq_users *u, const ir_var *data);

#endif
