/* What buffers hold before a run. */
#include "cli/fill.h"
#include "cli/run.h"

#include <string.h>

static bool is_boolean(const run_param *p)
{
    return p->info.dtype.code == kDLBool || p->info.dtype.bits == 1;
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
    case RUN_FILL_RANDOM: cli_fill_random(&p->element, is_boolean(p), p->data, p->count, state); break;
    case RUN_FILL_ONES: cli_fill_numbers(&p->element, is_boolean(p), p->data, p->count, false); break;
    case RUN_FILL_ARANGE: cli_fill_numbers(&p->element, is_boolean(p), p->data, p->count, true); break;
    }
    return CLI_GOOD;
}

int run_fill_buffers(run *r)
{
    for (size_t i = 0; i < r->param_count; i++) {
        /* Each buffer's values depend on the seed and its place alone, not on what else is given.
         */
        uint64_t state = cli_fill_state(r->seed, i);
        if (r->params[i].info.kind != INGOT_PARAM_TENSOR) continue;
        int code = fill_one(r, &r->params[i], state);
        if (code != CLI_GOOD) return code;
    }
    return CLI_GOOD;
}
