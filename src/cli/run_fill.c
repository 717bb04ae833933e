/* What buffers hold before a run. */
#include "cli/run.h"

#include <string.h>

/* The next of a sequence of well-mixed 64-bit numbers: a counter with an odd step, put through two
 * multiplications. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15U;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9U;
    z = (z ^ z >> 27) * 0x94D049BB133111EBU;
    return z ^ z >> 31;
}

/* In [0, 1) with as many bits as the format holds below 1, so that nothing is rounded up to 1. */
static double random_real(const cli_element *e, uint64_t random)
{
    unsigned bits = e->exponent ? (unsigned)e->mantissa + 1 : e->bytes == 8 ? 53 : 24;
    return (double)(random >> (64 - bits)) / (double)(1ULL << bits);
}

static void fill_random(run_param *p, uint64_t state)
{
    const cli_element *e = &p->element;
    bool boolean = p->info.dtype.code == kDLBool || p->info.dtype.bits == 1;
    for (size_t i = 0; i < p->count; i++) {
        uint64_t random = next_random(&state);
        if (e->class == CLI_ELEMENT_FLOAT)
            cli_element_set_real(e, p->data, i, random_real(e, random));
        else
            cli_element_set_int(e, p->data, i, (random >> 32) % (boolean ? 2 : 10));
    }
}

static void fill_numbers(run_param *p, bool count_up)
{
    const cli_element *e = &p->element;
    bool boolean = p->info.dtype.code == kDLBool || p->info.dtype.bits == 1;
    for (size_t i = 0; i < p->count; i++) {
        uint64_t value = count_up ? i : 1;
        if (e->class == CLI_ELEMENT_FLOAT)
            cli_element_set_real(e, p->data, i, (double)value);
        else
            cli_element_set_int(e, p->data, i, boolean ? value & 1 : value);
    }
}

static int fill_one(run *r, run_param *p, uint64_t state)
{
    run_fill fill = p->fill;
    if (fill == RUN_FILL_AUTO) fill = p->info.is_read ? RUN_FILL_RANDOM : RUN_FILL_ZEROS;
    if (fill != RUN_FILL_FILE && fill != RUN_FILL_ZEROS && p->element.class == CLI_ELEMENT_NONE) {
        char dtype[40];
        ingot_dtype_print(p->info.dtype, dtype);
        return cli_error(
            r->c, "buffer '%s': values of %s cannot be made here; give --in %s=FILE.npy or zeros",
            p->info.name, dtype, p->info.name);
    }
    p->data = cli_pool_new(&r->c->pool, p->bytes, 1);
    switch (fill) {
    case RUN_FILL_AUTO:
    case RUN_FILL_ZEROS: break;
    case RUN_FILL_FILE:
        if (ingot_array_size(p->array) != p->bytes)
            return cli_error(r->c, "--in %s: %s holds %zu bytes, the buffer %zu", p->info.name,
                             p->in, ingot_array_size(p->array), p->bytes);
        if (p->bytes) memcpy(p->data, ingot_array_data(p->array), p->bytes);
        break;
    case RUN_FILL_RANDOM: fill_random(p, state); break;
    case RUN_FILL_ONES: fill_numbers(p, false); break;
    case RUN_FILL_ARANGE: fill_numbers(p, true); break;
    }
    return CLI_GOOD;
}

int run_fill_buffers(run *r)
{
    for (size_t i = 0; i < r->param_count; i++) {
        /* Each buffer's values depend on the seed and its place alone, not on what else is given.
         */
        uint64_t state = r->seed ^ (uint64_t)i << 48;
        state = next_random(&state);
        if (r->params[i].info.kind != INGOT_PARAM_TENSOR) continue;
        int code = fill_one(r, &r->params[i], state);
        if (code != CLI_GOOD) return code;
    }
    return CLI_GOOD;
}
