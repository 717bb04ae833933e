/* Runs a script's function by the plain interpreter of IR, as written and again after every pass, and writes what it
 * computed at each stage: the suite's second opinion, which knows nothing of MSL. A pass that changed nothing is no
 * stage. Each stage is also printed as
 * TVMScript, read back and printed again, which must give the same text.
 *
 * usage: evaluate SCRIPT [-D NAME=INT]... [--in NAME=FILE.npy]... [--zeros NAME=2x3]... [--arg NAME=VALUE]...
 *                 [--out NAME]... --folder FOLDER
 * writes FOLDER/NAME.STAGE.npy and prints "STAGE pass" lines; STAGE 0 is the program as written. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>

#include "front/script.h"
#include "ir/eval.h"
#include "ir/print.h"
#include "pack/npy.h"
#include "pass/pass.h"

enum { MOST = 64 };

typedef struct setting {
    const char *name, *value;
} setting;

typedef struct settings {
    setting at[MOST];
    size_t n;
} settings;

typedef struct stage {
    struct job *job;
    size_t number;
} stage;

typedef struct job {
    arena mem;
    source_set sources;
    diag_list diags;
    const char *path, *folder, *function; /* NULL: the first */
    settings definitions, inputs, zeros, args, outputs;
    npy_array arrays[MOST]; /* of inputs, then of zeros; pristine */
    const ir_func *const *last; /* what was run last: a pass that changes nothing leaves them as they were */
    bool failed;
} job;

static void fail(job *j, const char *what, const char *name)
{
    fprintf(stderr, "evaluate: %s %s\n", what, name);
    j->failed = true;
}

static bool add(settings *s, char *text)
{
    char *eq = text != NULL ? strchr(text, '=') : NULL;
    if (text == NULL || s->n == MOST) return false;
    if (eq != NULL) *eq = '\0';
    s->at[s->n++] = (setting){.name = text, .value = eq != NULL ? eq + 1 : ""};
    return true;
}

static bool read_file(const char *path, buf *out)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL) return false;
    char chunk[65536];
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, f)) != 0;) buf_bytes(out, chunk, n);
    fclose(f);
    return true;
}

/* The array that an argument starts from: an input's, or zeros. */
static const npy_array *array_of(job *j, str name)
{
    for (size_t i = 0; i < j->inputs.n; ++i) {
        if (str_is(name, j->inputs.at[i].name)) return &j->arrays[i];
    }
    for (size_t i = 0; i < j->zeros.n; ++i) {
        if (str_is(name, j->zeros.at[i].name)) return &j->arrays[j->inputs.n + i];
    }
    return NULL;
}

static void load_arrays(job *j)
{
    for (size_t i = 0; i < j->inputs.n; ++i) {
        buf bytes = buf_make(NULL);
        ingot_error error = {0};
        if (!read_file(j->inputs.at[i].value, &bytes) ||
            npy_read(&mem_default, buf_view(&bytes), &j->arrays[i], &error) != INGOT_OK) {
            fail(j, error.message[0] != '\0' ? error.message : "cannot read", j->inputs.at[i].value);
        }
        buf_free(&bytes);
    }
    for (size_t i = 0; i < j->zeros.n; ++i) {
        npy_array *a = &j->arrays[j->inputs.n + i];
        const char *p = j->zeros.at[i].value;
        while (*p != '\0' && a->ndim < NPY_MAX_DIMS) {
            char *end;
            a->shape[a->ndim++] = strtoll(p, &end, 10);
            p = *end == 'x' ? end + 1 : end;
        }
    }
}

static void bind_scalar(job *j, const ir_param *param, ir_eval_arg *out)
{
    for (size_t i = 0; i < j->args.n; ++i) {
        if (!str_is(param->var->name, j->args.at[i].name)) continue;
        const char *text = j->args.at[i].value;
        double v = strcmp(text, "True") == 0 ? 1.0 : strcmp(text, "False") == 0 ? 0.0 : strtod(text, NULL);
        if (ir_type_is_float(param->var->type)) {
            out->value = ir_value_float(param->var->type, v);
        } else {
            out->value = ir_value_int(param->var->type, strtoll(text, NULL, 10) | (int64_t)(strcmp(text, "True") == 0));
        }
        return;
    }
    fail(j, "no value for", param->var->name.p);
}

static void bind_buffer(job *j, const ir_param *param, ir_eval_arg *out)
{
    const npy_array *from = array_of(j, param->buffer->name);
    if (from == NULL) {
        fail(j, "no array for", param->buffer->name.p);
        return;
    }
    size_t bytes = ir_type_bytes(param->buffer->type);
    for (size_t i = 0; i < from->ndim; ++i) bytes *= (size_t)from->shape[i];
    out->data = arena_zeroed(&j->mem, bytes + 1, 1);
    if (from->data != NULL) memcpy(out->data, from->data, from->size < bytes ? from->size : bytes);
    out->type = param->buffer->type;
    out->shape = from->shape;
    out->ndim = from->ndim;
}

static void write_outputs(job *j, size_t number, const ir_func *f, const ir_eval_arg *args)
{
    for (size_t i = 0; i < f->param_count; ++i) {
        if (f->params[i].buffer == NULL) continue;
        for (size_t k = 0; k < j->outputs.n; ++k) {
            if (!str_is(f->params[i].buffer->name, j->outputs.at[k].name)) continue;
            buf bytes = buf_make(NULL);
            ir_type t = args[i].type;
            ingot_error error = {0};
            str path = str_format(&j->mem, "%s/%s.%zu.npy", j->folder, j->outputs.at[k].name, number);
            FILE *file = fopen(path.p, "wb");
            if (npy_write(args[i].data, (DLDataType){t.code, t.bits, t.lanes}, args[i].shape, args[i].ndim, &bytes,
                          &error) != INGOT_OK ||
                file == NULL || fwrite(bytes.p, 1, bytes.n, file) != bytes.n) {
                fail(j, "cannot write", path.p);
            }
            if (file != NULL) fclose(file);
            buf_free(&bytes);
        }
    }
}

/* Printed, read back and printed again, a program is the same text. */
static void reprint(job *j, const char *name, const ir_module *m)
{
    ingot_allocator hook = arena_hook(&j->mem);
    buf once = buf_make(&hook), again = buf_make(&hook);
    ir_print_module(&j->mem, m, &once);
    uint32_t file = source_add(&j->mem, &j->sources, STR("<printed>"), buf_view(&once));
    const ir_module *read = front_parse(&j->mem, &j->sources, file, &(front_options){0}, &j->diags);
    if (read != NULL) ir_print_module(&j->mem, read, &again);
    if (read == NULL || !str_eq(buf_view(&once), buf_view(&again))) {
        fail(j, "does not print as it reads, after", name);
        fprintf(stderr, "%.*s", STR_ARG(buf_view(&once)));
    }
}

/* The function that was asked for, else the first that is no kernel. */
static const ir_func *entry(const ir_module *m, const char *name)
{
    for (size_t i = 0; i < m->func_count; ++i) {
        bool wanted = name == NULL || str_is(m->funcs[i]->name, name);
        if (m->funcs[i]->kind != IR_FUNC_KERNEL && wanted) return m->funcs[i];
    }
    return NULL;
}

static void evaluate(job *j, size_t number, const char *name, const ir_module *m)
{
    const ir_func *f = entry(m, j->function);
    j->last = m->funcs;
    if (f == NULL) {
        fail(j, "no function in", j->path);
        return;
    }
    ir_eval_arg *args = arena_array(&j->mem, ir_eval_arg, f->param_count);
    for (size_t i = 0; i < f->param_count; ++i) {
        if (f->params[i].buffer != NULL) {
            bind_buffer(j, &f->params[i], &args[i]);
        } else {
            bind_scalar(j, &f->params[i], &args[i]);
        }
    }
    if (j->failed) return;
    str error = {0};
    ir_eval_options options = {.max_steps = 200000000};
    if (!ir_eval_func(&j->mem, m, f, args, f->param_count, &options, &error)) {
        fprintf(stderr, "evaluate: after %s: ", name);
        fail(j, error.p, "");
        return;
    }
    write_outputs(j, number, f, args);
    reprint(j, name, m);
    printf("%zu %s\n", number, name);
}

static void after_pass(void *user, size_t index, const pass_info *pass, const ir_module *m)
{
    job *j = user;
    if (!j->failed && m->funcs != j->last) evaluate(j, index + 1, pass->name, m);
}

static void run(void *user)
{
    job *j = user;
    buf text = buf_make(NULL);
    if (!read_file(j->path, &text)) {
        fail(j, "cannot read", j->path);
        return;
    }
    uint32_t file = source_add(&j->mem, &j->sources, str_of(j->path), buf_view(&text));
    front_definition *definitions = arena_array(&j->mem, front_definition, j->definitions.n);
    for (size_t i = 0; i < j->definitions.n; ++i) {
        definitions[i] = (front_definition){str_of(j->definitions.at[i].name),
                                            ingot_int(strtoll(j->definitions.at[i].value, NULL, 10))};
    }
    front_options front = {.definitions = definitions, .definition_count = j->definitions.n};
    const ir_module *m = front_parse(&j->mem, &j->sources, file, &front, &j->diags);
    if (m != NULL) {
        load_arrays(j);
        if (!j->failed) evaluate(j, 0, "parsed", m);
        pass_target target = PASS_TARGET_DEFAULT;
        target.max_threads_per_block = 1024;
        pass_context cx = {.mem = &j->mem, .diags = &j->diags, .target = &target};
        pass_options options = {.verify = true, .after = after_pass, .user = j};
        if (!j->failed) pass_run(&cx, m, &options);
    }
    buf said = buf_make(NULL);
    diag_render_all(&j->diags, false, &said);
    if (said.n != 0) fprintf(stderr, "%.*s", STR_ARG(buf_view(&said)));
    buf_free(&said);
    buf_free(&text);
    j->failed |= j->diags.errors != 0;
}

int main(int argc, char **argv)
{
    static job j;
    arena_init(&j.mem, NULL);
    j.diags = (diag_list){.mem = &j.mem, .sources = &j.sources};
    for (int i = 1; i < argc; ++i) {
        settings *to = strcmp(argv[i], "-D") == 0        ? &j.definitions
                       : strcmp(argv[i], "--in") == 0    ? &j.inputs
                       : strcmp(argv[i], "--zeros") == 0 ? &j.zeros
                       : strcmp(argv[i], "--arg") == 0   ? &j.args
                       : strcmp(argv[i], "--out") == 0   ? &j.outputs
                                                         : NULL;
        if (to != NULL) {
            if (!add(to, argv[++i])) return 2;
        } else if (strcmp(argv[i], "--func") == 0 && i + 1 < argc) {
            j.function = argv[++i];
        } else if (strcmp(argv[i], "--folder") == 0) {
            j.folder = argv[++i];
        } else {
            j.path = argv[i];
        }
    }
    if (j.path == NULL || j.folder == NULL) return 2;
    if (!arena_guard(&j.mem, run, &j)) fail(&j, "out of memory", "");
    for (size_t i = 0; i < MOST; ++i) npy_free(&mem_default, &j.arrays[i]);
    arena_free(&j.mem);
    return j.failed;
}
