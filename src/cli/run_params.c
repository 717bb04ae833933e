/* What is given for a function's parameters: names, files, dimensions, scalars. */
#define _POSIX_C_SOURCE 200809L
#include "cli/file.h"
#include "cli/literal.h"
#include "cli/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool is_tensor(const run_param *p)
{
    return p->info.kind == INGOT_PARAM_TENSOR;
}

bool run_is_shown(const run_param *p)
{
    return is_tensor(p) && p->info.is_written;
}

/* "; did you mean 'x'?" or the names there are. */
static void add_hint(cli_bytes *out, const char *word, const char *const *names, size_t count)
{
    const char *near = cli_suggest(word, names, count);
    if (near) {
        cli_bytes_print(out, "; did you mean '%s'?", near);
        return;
    }
    if (count) cli_bytes_text(out, "; there is");
    for (size_t i = 0; i < count && i < 20; i++)
        cli_bytes_print(out, "%s '%s'", i ? "," : "", names[i]);
}

static int refuse_function(run *r, const char *function)
{
    size_t count = ingot_module_function_count(r->module);
    const char **names = cli_pool_new(&r->c->pool, count + 1, sizeof *names);
    for (size_t i = 0; i < count; i++) names[i] = ingot_module_function_name(r->module, i);
    cli_bytes why = {.pool = &r->c->pool};
    if (function)
        cli_bytes_print(&why, "--func: the module has no function '%s'", function);
    else if (count)
        cli_bytes_text(
            &why, "the module has several functions and none is called main: choose with --func");
    else
        cli_bytes_text(&why, "the module has no host function: nothing to run");
    add_hint(&why, function ? function : "", names, count);
    return cli_error(r->c, "%s", why.data);
}

static const char *choose(const run *r, const char *function)
{
    size_t count = ingot_module_function_count(r->module);
    if (!function && count == 1) return ingot_module_function_name(r->module, 0);
    for (size_t i = 0; i < count; i++) {
        const char *name = ingot_module_function_name(r->module, i);
        if (strcmp(name, function ? function : "main") == 0) return name;
    }
    return NULL;
}

int run_describe(run *r, const char *function)
{
    r->function = choose(r, function);
    if (!r->function) return refuse_function(r, function);
    r->param_count = ingot_module_param_count(r->module, r->function);
    r->params = cli_pool_new(&r->c->pool, r->param_count, sizeof *r->params);
    for (size_t i = 0; i < r->param_count; i++) {
        run_param *p = &r->params[i];
        if (ingot_module_param(r->module, r->function, i, &p->info) != INGOT_OK) {
            cli_error(r->c, "parameter %zu of '%s' cannot be read", i, r->function);
            return CLI_INTERNAL;
        }
        p->element = cli_element_of(p->info.dtype);
        if (p->info.kind == INGOT_PARAM_POINTER)
            return cli_error(r->c, "'%s' takes a raw pointer as '%s': it cannot be run from here",
                             r->function, p->info.name);
    }
    return CLI_GOOD;
}

/* The tensor parameter of "BUF=...", or NULL after a message. *value is what follows the '='. */
static run_param *find_buffer(run *r, const char *option, const char *text, const char **value)
{
    cli_bytes why = {.pool = &r->c->pool};
    const char *name;
    if (!cli_assignment(text, &r->c->pool, &name, value, &why) || !**value) {
        cli_usage(r->c, "--%s: %s", option, why.data ? why.data : "the file's name is empty");
        return NULL;
    }
    size_t count = 0;
    const char **names = cli_pool_new(&r->c->pool, r->param_count + 1, sizeof *names);
    for (size_t i = 0; i < r->param_count; i++) {
        if (!is_tensor(&r->params[i])) continue;
        if (strcmp(r->params[i].info.name, name) == 0) return &r->params[i];
        names[count++] = r->params[i].info.name;
    }
    cli_bytes_print(&why, "--%s: '%s' has no buffer '%s'", option, r->function, name);
    add_hint(&why, name, names, count);
    cli_usage(r->c, "%s", why.data);
    return NULL;
}

int run_take_in(run *r, const char *text)
{
    const char *value;
    run_param *p = find_buffer(r, "in", text, &value);
    if (!p) return CLI_USAGE;
    if (p->fill != RUN_FILL_AUTO)
        return cli_usage(r->c, "--in: buffer '%s' is given twice", p->info.name);
    p->fill = RUN_FILL_FILE;
    p->in = value;
#define CLI_FILL(NAME, word)                                                                       \
    if (strcmp(value, word) == 0) p->fill = RUN_FILL_##NAME;
    CLI_FILLS(CLI_FILL)
#undef CLI_FILL
    return CLI_GOOD;
}

int run_take_out(run *r, const char *text)
{
    const char *value;
    run_param *p = find_buffer(r, "out", text, &value);
    if (!p) return CLI_USAGE;
    if (p->out) return cli_usage(r->c, "--out: buffer '%s' is given twice", p->info.name);
    if (cli_file_is_same(value, r->file))
        return cli_usage(r->c, "--out: '%s' is the program itself", value);
    p->out = value;
    return CLI_GOOD;
}

static bool is_bool(DLDataType t)
{
    return t.code == kDLBool || (t.code == kDLUInt && t.bits == 1);
}

/* NumPy lacks bfloat16 and fp8: such a buffer's file holds unsigned integers of the same width. */
static bool dtype_fits(DLDataType file, DLDataType param)
{
    if (is_bool(file) || is_bool(param)) return is_bool(file) && is_bool(param);
    bool lacking = param.code == kDLBfloat || param.code >= kDLFloat8_e3m4;
    bool as_bits = lacking && file.code == kDLUInt;
    return file.bits == param.bits && file.lanes == 1 && (file.code == param.code || as_bits);
}

/* Vector elements are one more dimension in a file. */
static size_t file_ndim(const run_param *p)
{
    return p->info.ndim + (p->info.dtype.lanes > 1 ? 1 : 0);
}

static int read_file(run *r, run_param *p)
{
    cli_bytes bytes = {.pool = &r->c->pool}, why = {.pool = &r->c->pool};
    ingot_error error = {INGOT_OK, 0, 0, ""};
    if (!cli_file_read(p->in, &bytes, &why))
        return cli_error(r->c, "--in %s: %s", p->info.name, why.data);
    ingot_status status = ingot_array_parse(bytes.data, bytes.size, NULL, &p->array, &error);
    cli_pool_drop(&r->c->pool, bytes.data);
    if (status != INGOT_OK) {
        cli_bytes_print(&why, "--in %s: %s", p->info.name, p->in);
        return cli_library_error(r->c, why.data, &error);
    }
    DLDataType dtype = ingot_array_dtype(p->array);
    if (!dtype_fits(dtype, p->info.dtype)) {
        char has[40], wants[40];
        ingot_dtype_print(dtype, has);
        ingot_dtype_print(p->info.dtype, wants);
        return cli_error(r->c, "--in %s: %s holds %s, the buffer is %s", p->info.name, p->in, has,
                         wants);
    }
    size_t ndim = ingot_array_ndim(p->array);
    if (ndim != file_ndim(p))
        return cli_error(r->c, "--in %s: %s has %zu dimensions, the buffer has %zu", p->info.name,
                         p->in, ndim, file_ndim(p));
    return CLI_GOOD;
}

/* Dimensions that are a name alone become known by the file's shape. */
static int bind_file_dims(run *r, const run_param *p)
{
    const int64_t *shape = ingot_array_shape(p->array);
    for (size_t d = 0; d < p->info.ndim; d++) {
        int64_t old;
        if (!cli_dim_is_name(p->info.shape[d]) ||
            cli_dims_set(&r->dims, p->info.shape[d], shape[d], &old))
            continue;
        return cli_error(
            r->c, "--in %s: dimension %zu of %s is %" PRId64 ", but '%s' is %" PRId64 " already",
            p->info.name, d, p->in, shape[d], p->info.shape[d], old);
    }
    return CLI_GOOD;
}

static bool is_dimension(const run *r, const char *name)
{
    for (size_t i = 0; i < r->param_count; i++) {
        const run_param *p = &r->params[i];
        for (size_t d = 0; is_tensor(p) && d < p->info.ndim; d++) {
            if (cli_dim_mentions(p->info.shape[d], name)) return true;
        }
    }
    return false;
}

static run_param *find_scalar(const run *r, const char *name)
{
    for (size_t i = 0; i < r->param_count; i++) {
        run_param *p = &r->params[i];
        if (p->info.kind == INGOT_PARAM_SCALAR && strcmp(p->info.name, name) == 0) return p;
    }
    return NULL;
}

static int refuse_setting(run *r, const run_setting *setting)
{
    size_t count = 0;
    const char **names = cli_pool_new(&r->c->pool, r->param_count + 1, sizeof *names);
    for (size_t i = 0; i < r->param_count; i++) {
        if (r->params[i].info.kind == INGOT_PARAM_SCALAR) names[count++] = r->params[i].info.name;
    }
    cli_bytes why = {.pool = &r->c->pool};
    cli_bytes_print(&why, "'%s' has no scalar parameter and no dimension '%s'", r->function,
                    setting->name);
    add_hint(&why, setting->name, names, count);
    return cli_usage(r->c, "%s", why.data);
}

static int bind_settings(run *r)
{
    for (size_t i = 0; i < r->setting_count; i++) {
        const run_setting *s = &r->settings[i];
        run_param *scalar = find_scalar(r, s->name);
        bool dimension = is_dimension(r, s->name);
        if (!scalar && !dimension && s->must_fit) return refuse_setting(r, s);
        if (scalar) {
            scalar->scalar = s->value;
            scalar->has_scalar = true;
        }
        int64_t old;
        if (!dimension || s->value.kind != INGOT_VALUE_INT) continue;
        if (!cli_dims_set(&r->dims, s->name, s->value.as.integer, &old))
            return cli_error(r->c, "'%s' is given as %" PRId64 ", but is %" PRId64 " already",
                             s->name, s->value.as.integer, old);
    }
    return CLI_GOOD;
}

/* The shape in numbers, and the size; names that are not known are collected in *missing, each
 * once. */
static int bind_shape(run *r, run_param *p, cli_bytes *missing)
{
    uint64_t count = p->info.dtype.lanes;
    bool over = false;
    p->shape = cli_pool_new(&r->c->pool, p->info.ndim + 1, sizeof *p->shape);
    for (size_t d = 0; d < p->info.ndim; d++) {
        const char *text = p->info.shape[d], *name = NULL;
        cli_dim_result result = cli_dim_value(&r->dims, text, &p->shape[d], &name);
        if (result == CLI_DIM_BAD)
            return cli_error(r->c, "dimension %zu of '%s' cannot be worked out: %s", d,
                             p->info.name, text);
        if (result == CLI_DIM_UNKNOWN && !(missing->data && cli_dim_mentions(missing->data, name)))
            cli_bytes_print(missing, "%s%s", missing->size ? ", " : "", name);
        if (result == CLI_DIM_UNKNOWN) continue;
        if (p->shape[d] < 0)
            return cli_error(r->c, "dimension %zu of '%s' is negative: %s = %" PRId64, d,
                             p->info.name, text, p->shape[d]);
        over = __builtin_mul_overflow(count, (uint64_t)p->shape[d], &count) || over;
    }
    uint64_t bytes = (p->info.dtype.bits + 7U) / 8U;
    over = __builtin_mul_overflow(count, bytes, &bytes) || over || bytes > INT64_MAX;
    if (over) return cli_error(r->c, "buffer '%s' is larger than memory can be", p->info.name);
    p->count = (size_t)count;
    p->bytes = (size_t)bytes;
    return CLI_GOOD;
}

/* The file's shape must be the parameter's, now that that is known. */
static int check_file_shape(run *r, const run_param *p)
{
    const int64_t *shape = ingot_array_shape(p->array);
    for (size_t d = 0; d < file_ndim(p); d++) {
        int64_t wanted = d < p->info.ndim ? p->shape[d] : p->info.dtype.lanes;
        if (shape[d] == wanted) continue;
        return cli_error(r->c,
                         "--in %s: dimension %zu of %s is %" PRId64 ", the buffer's is %" PRId64,
                         p->info.name, d, p->in, shape[d], wanted);
    }
    return CLI_GOOD;
}

static int bind_scalars(run *r)
{
    for (size_t i = 0; i < r->param_count; i++) {
        run_param *p = &r->params[i];
        int64_t value;
        if (p->info.kind != INGOT_PARAM_SCALAR || p->has_scalar) continue;
        if (!cli_dims_get(&r->dims, p->info.name, &value)) {
            char dtype[40];
            ingot_dtype_print(p->info.dtype, dtype);
            return cli_usage(r->c, "'%s' needs a value for '%s' (%s): --arg %s=VALUE", r->function,
                             p->info.name, dtype, p->info.name);
        }
        p->scalar = ingot_int(value);
        p->has_scalar = true;
    }
    return CLI_GOOD;
}

/* Buffers are held here and on the device. More than the machine has is refused before it starts
 * to swap. */
static int check_memory(run *r)
{
    uint64_t total = 0, memory = UINT64_MAX;
    for (size_t i = 0; i < r->param_count; i++) {
        if (__builtin_add_overflow(total, r->params[i].bytes, &total)) total = UINT64_MAX;
    }
#ifdef _SC_PHYS_PAGES
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0) memory = (uint64_t)pages * (uint64_t)page;
#endif
    if (total <= memory / 2) return CLI_GOOD;
    return cli_error(r->c,
                     "the buffers are %" PRIu64 " MiB, held here and on the device, and the "
                     "machine has %" PRIu64 " MiB",
                     total >> 20, memory >> 20);
}

int run_bind(run *r)
{
    int code = CLI_GOOD;
    for (size_t i = 0; code == CLI_GOOD && i < r->param_count; i++) {
        run_param *p = &r->params[i];
        if (p->fill == RUN_FILL_FILE) code = read_file(r, p);
        if (code == CLI_GOOD && p->array) code = bind_file_dims(r, p);
    }
    if (code == CLI_GOOD) code = bind_settings(r);
    cli_bytes missing = {.pool = &r->c->pool};
    for (size_t i = 0; code == CLI_GOOD && i < r->param_count; i++) {
        if (is_tensor(&r->params[i])) code = bind_shape(r, &r->params[i], &missing);
    }
    if (code == CLI_GOOD && missing.size)
        return cli_usage(
            r->c,
            "'%s' has dimensions that nothing tells: %s; give --arg NAME=VALUE, or a file by --in",
            r->function, missing.data);
    for (size_t i = 0; code == CLI_GOOD && i < r->param_count; i++) {
        if (r->params[i].array) code = check_file_shape(r, &r->params[i]);
    }
    if (code == CLI_GOOD) code = check_memory(r);
    return code == CLI_GOOD ? bind_scalars(r) : code;
}
