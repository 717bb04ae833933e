/* Values that a buffer can be filled with. */
#ifndef CLI_FILL_H
#define CLI_FILL_H

#include "cli/element.h"

/* Where the random values of the buffer number `index` begin: they depend on the seed and the buffer's place alone. */
uint64_t cli_fill_state(uint64_t seed, size_t index);

/* Floats in [0, 1), whole numbers from 0 to 9, bools both. */
void cli_fill_random(const cli_element *e, bool boolean, void *data, size_t count, uint64_t state);

/* 0, 1, 2, ... where `count_up`, else ones; whole numbers wrap around. */
void cli_fill_numbers(const cli_element *e, bool boolean, void *data, size_t count, bool count_up);

#endif
