/* The values of number and character literals. */
#ifndef MSLFRONT_LITERAL_H
#define MSLFRONT_LITERAL_H

#include "base/str.h"
#include "mslfront/tree.h"

typedef struct mf_literal {
    mf_scalar type;
    mf_constant value;
} mf_literal;

/* Reads a number as MSL does. NULL when good, else what is wrong with it. */
const char *mf_read_number(str text, mf_literal *out);

/* One character of what stands between quotes, from `at` on: how many of its characters it takes; 0 where an escape is none. */
size_t mf_read_in_string(str text, size_t at, int64_t *out);

/* Reads 'c' with its quotes. */
bool mf_read_character(str text, int64_t *out);

#endif
