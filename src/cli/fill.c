/* Random values, ones and counts for buffers. */
#include "cli/fill.h"

/* The next of a sequence of well-mixed 64-bit numbers: a counter with an odd step, put through two
 * multiplications. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15U;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9U;
    z = (z ^ z >> 27) * 0x94D049BB133111EBU;
    return z ^ z >> 31;
}

uint64_t cli_fill_state(uint64_t seed, size_t index)
{
    uint64_t state = seed ^ (uint64_t)index << 48;
    return next_random(&state);
}

/* In [0, 1) with as many bits as the format holds below 1, so that nothing is rounded up to 1. */
static double random_real(const cli_element *e, uint64_t random)
{
    unsigned bits = e->exponent ? (unsigned)e->mantissa + 1 : e->bytes == 8 ? 53 : 24;
    return (double)(random >> (64 - bits)) / (double)(1ULL << bits);
}

void cli_fill_random(const cli_element *e, bool boolean, void *data, size_t count, uint64_t state)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t random = next_random(&state);
        if (e->class == CLI_ELEMENT_FLOAT)
            cli_element_set_real(e, data, i, random_real(e, random));
        else
            cli_element_set_int(e, data, i, (random >> 32) % (boolean ? 2 : 10));
    }
}

void cli_fill_numbers(const cli_element *e, bool boolean, void *data, size_t count, bool count_up)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t value = count_up ? i : 1;
        if (e->class == CLI_ELEMENT_FLOAT)
            cli_element_set_real(e, data, i, (double)value);
        else
            cli_element_set_int(e, data, i, boolean ? value & 1 : value);
    }
}
