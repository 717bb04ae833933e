/* Every program of tests/suite, interpreted as written and again after every pass: the values must not change. */
/* labels: full plain */
#include "test.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "front/script.h"
#include "ir/eval.h"
#include "ir/walk.h"
#include "pass/pass.h"

enum { ARG_LIMIT = 16, DIM_LIMIT = 8, BYTE_LIMIT = 1 << 18, STEP_LIMIT = 100000 };

/* One program: its arguments as given, and what it made of them as written. */
typedef struct run {
    arena mem;
    const char *path;
    size_t n;
    const ir_param *params;
    ir_eval_arg args[ARG_LIMIT];
    int64_t shapes[ARG_LIMIT][DIM_LIMIT];
    size_t bytes[ARG_LIMIT];
    unsigned char *given[ARG_LIMIT], *want[ARG_LIMIT], *have[ARG_LIMIT];
    map sizes; /* shape variable -> int64_t */
    const ir_func *const *last; /* what was interpreted last */
    enum { RUN_DONE, RUN_SKIPPED, RUN_WRONG } end;
    char why[512];
} run;

static void give_up(run *r, int end, const char *why, str detail)
{
    r->end = end == RUN_WRONG ? RUN_WRONG : RUN_SKIPPED;
    if (detail.n == 0) detail = (str){"", 0};
    snprintf(r->why, sizeof r->why, "%s: %.*s", why, STR_ARG(detail));
}

/* ---- Arguments ----------------------------------------------------------------------------------- */

/* Dimensions that the caller chooses are 24, or what the function's scalars say. */
static int64_t dimension(run *r, const ir_node *n)
{
    int64_t value;
    if (ir_const_value(n, &value)) return value;
    if (n->kind != IR_VAR) return -1;
    const int64_t *known = map_get_id(&r->sizes, ir_as_var_ref(n)->var);
    if (known != NULL) return *known;
    value = 24;
    map_put_id(&r->mem, &r->sizes, ir_as_var_ref(n)->var, arena_copy(&r->mem, &value, sizeof value));
    return value;
}

/* Small numbers: integers may be indices, and divisors. */
static double element(size_t arg, size_t k, ir_type type)
{
    size_t mixed = (k * 2654435761u + arg * 40503u) >> 7;
    if (type.code == IR_BOOL) return (double)(mixed & 1);
    if (ir_type_is_int(type)) return (double)(1 + mixed % 4);
    return (double)(mixed % 64) / 32 - 0.75;
}

static void fill(run *r, size_t arg, ir_type type)
{
    ir_type one = ir_type_element(type);
    size_t size = one.bits / 8u;
    for (size_t k = 0; size != 0 && k < r->bytes[arg] / size; ++k) {
        double x = element(arg, k, one);
        ir_value v = ir_type_is_float(one) ? ir_value_float(one, x) : ir_value_int(one, (int64_t)x);
        uint64_t bits = ir_value_bits(v);
        memcpy(r->given[arg] + k * size, &bits, size);
    }
}

static bool make_buffer(run *r, size_t i, const ir_buffer *b)
{
    size_t bytes = ir_type_bytes(b->type);
    if (b->shape.n > DIM_LIMIT || b->strides.n != 0 || b->elem_offset != NULL) return false;
    for (size_t k = 0; k < b->shape.n; ++k) {
        r->shapes[i][k] = dimension(r, b->shape.at[k]);
        if (r->shapes[i][k] < 0) return false;
        bytes *= (size_t)r->shapes[i][k];
        if (bytes > BYTE_LIMIT) return false;
    }
    r->bytes[i] = bytes;
    r->given[i] = arena_zeroed(&r->mem, bytes + 1, 1);
    r->want[i] = arena_zeroed(&r->mem, bytes + 1, 1);
    r->have[i] = arena_zeroed(&r->mem, bytes + 1, 1);
    fill(r, i, b->type);
    r->args[i] = (ir_eval_arg){.type = b->type, .shape = r->shapes[i], .ndim = b->shape.n};
    return true;
}

static bool make_args(run *r, const ir_func *f)
{
    r->n = f->param_count;
    r->params = f->params;
    if (r->n > ARG_LIMIT) return false;
    for (size_t i = 0; i < r->n; ++i) {
        if (f->params[i].buffer != NULL) continue;
        const ir_var *v = f->params[i].var;
        if (ir_type_is_pointer(v->type)) return false;
        int64_t value = 24;
        map_put_id(&r->mem, &r->sizes, v, arena_copy(&r->mem, &value, sizeof value));
        r->args[i].value = ir_type_is_float(v->type) ? ir_value_float(v->type, 1.5) : ir_value_int(v->type, value);
    }
    for (size_t i = 0; i < r->n; ++i) {
        if (f->params[i].buffer != NULL && !make_buffer(r, i, f->params[i].buffer)) return false;
    }
    return true;
}

/* ---- Running -------------------------------------------------------------------------------------- */

static bool interpret(run *r, const ir_module *m, unsigned char *const *into, str *error)
{
    for (size_t i = 0; i < r->n; ++i) {
        if (r->params[i].buffer == NULL) continue;
        memcpy(into[i], r->given[i], r->bytes[i]);
        r->args[i].data = into[i];
    }
    ir_eval_options o = {.max_steps = STEP_LIMIT};
    return ir_eval_func(&r->mem, m, m->funcs[0], r->args, r->n, &o, error);
}

static double number(const unsigned char *p, ir_type one)
{
    uint64_t bits = 0;
    memcpy(&bits, p, one.bits / 8u);
    ir_value v = ir_value_from_bits(one, bits);
    return ir_type_is_float(one) ? v.f : (double)v.i;
}

static bool same_number(double a, double b, ir_type one)
{
    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
    if (a == b) return true;
    /* Sums over threads come in another order. */
    double room = one.bits >= 32 ? 1e-5 : 2e-2;
    return ir_type_is_float(one) && fabs(a - b) <= room * (1 + fabs(a));
}

static void compare(run *r, const char *pass)
{
    for (size_t i = 0; i < r->n; ++i) {
        if (r->params[i].buffer == NULL) continue;
        ir_type one = ir_type_element(r->params[i].buffer->type);
        size_t size = one.bits / 8u;
        for (size_t k = 0; k + size <= r->bytes[i]; k += size) {
            double a = number(r->want[i] + k, one), b = number(r->have[i] + k, one);
            if (same_number(a, b, one)) continue;
            snprintf(r->why, sizeof r->why, "after %s: %.*s[%zu] is %g, was %g", pass, STR_ARG(r->params[i].buffer->name),
                     k / size, b, a);
            r->end = RUN_WRONG;
            return;
        }
    }
}

static void check_pass(void *user, size_t index, const pass_info *pass, const ir_module *m)
{
    run *r = user;
    (void)index;
    if (r->end != RUN_DONE || m->funcs == r->last) return;
    r->last = m->funcs;
    str error = {0};
    if (interpret(r, m, r->have, &error)) {
        compare(r, pass->name);
    } else {
        r->end = RUN_WRONG;
        snprintf(r->why, sizeof r->why, "after %s: %.*s", pass->name, STR_ARG(error));
    }
}

static str read_file(run *r)
{
    FILE *f = fopen(r->path, "rb");
    assert_non_null(f);
    char *text = arena_alloc(&r->mem, 1 << 16);
    size_t n = fread(text, 1, 1 << 16, f);
    fclose(f);
    assert_true(n < 1 << 16);
    return (str){text, n};
}

static void run_program(void *user)
{
    run *r = user;
    source_set sources = {0};
    diag_list diags = {.mem = &r->mem, .sources = &sources};
    uint32_t file = source_add(&r->mem, &sources, str_of(r->path), read_file(r));
    const ir_module *m = front_parse(&r->mem, &sources, file, &(front_options){0}, &diags);
    if (m == NULL) {
        give_up(r, RUN_SKIPPED, "not read", diags.first != NULL ? diags.first->message : (str){0});
        return;
    }
    str error = {0};
    if (m->func_count != 1 || !make_args(r, m->funcs[0])) {
        give_up(r, RUN_SKIPPED, "arguments", (str){0});
        return;
    }
    if (!interpret(r, m, r->want, &error)) {
        give_up(r, RUN_SKIPPED, "as written", error);
        return;
    }
    pass_target target = PASS_TARGET_DEFAULT;
    target.max_threads_per_block = 1024;
    pass_context cx = {.mem = &r->mem, .diags = &diags, .target = &target};
    pass_options o = {.verify = true, .after = check_pass, .user = r};
    if (pass_run(&cx, m, &o) == NULL) give_up(r, RUN_WRONG, "refused", diags.first->message);
}

/* ---- All of them ----------------------------------------------------------------------------------- */

typedef struct tally {
    size_t done, skipped, wrong;
} tally;

static void one_file(tally *t, const char *path)
{
    run *r = test_calloc(1, sizeof *r);
    r->path = path;
    arena_init(&r->mem, NULL);
    assert_true(arena_guard(&r->mem, run_program, r));
    if (r->end == RUN_DONE) t->done++;
    if (r->end == RUN_SKIPPED) t->skipped++;
    if (r->end == RUN_WRONG) t->wrong++;
    if (r->end != RUN_DONE) print_message("%s: %s\n", path, r->why);
    arena_free(&r->mem);
    test_free(r);
}

static void walk_folder(tally *t, const char *path, int depth)
{
    DIR *d = opendir(path);
    if (d == NULL) return;
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        char name[1024];
        size_t n = strlen(e->d_name);
        if (e->d_name[0] == '.') continue;
        snprintf(name, sizeof name, "%s/%s", path, e->d_name);
        if (n > 3 && strcmp(e->d_name + n - 3, ".py") == 0 && depth > 0) {
            one_file(t, name);
        } else if (depth < 3) {
            walk_folder(t, name, depth + 1);
        }
    }
    closedir(d);
}

static void values_stay(void **state)
{
    (void)state;
    tally t = {0};
    const char *only = getenv("PROGRAM");
    if (only != NULL) {
        one_file(&t, only);
    } else {
        walk_folder(&t, "tests/suite", 0);
    }
    print_message("%zu checked, %zu skipped, %zu wrong\n", t.done, t.skipped, t.wrong);
    assert_int_equal(t.wrong, 0);
    assert_true(t.done > 2 * t.skipped || only != NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
