/* From the parser's findings to the tree handed out: order of functions, recursion, missing bodies.
 */
#include "mslfront/parser.h"
#include "mslfront/preproc.h"

#include <stdlib.h>
#include <string.h>

/* A function on the path of the search, and the next of its callees to look at. */
typedef struct step {
    mf_candidate *c;
    size_t next;
} step;

VEC_DECLARE(steps, step)

static void report_recursion(mf_parser *p, const steps *path, const mf_candidate *again)
{
    diag_error(p->diags, again->function->at,
               "'%.*s' calls itself, and recursion does not exist in MSL",
               STR_ARG(again->function->name));
    for (size_t i = path->n; i-- != 0 && path->at[i].c != again;) {
        diag_note(p->diags, path->at[i].c->function->at, "by way of '%.*s'",
                  STR_ARG(path->at[i].c->function->name));
    }
}

static bool enter(mf_parser *p, steps *path, mf_candidate *c)
{
    if (c->visit == MF_ON_PATH) {
        const bool itself = path->at[path->n - 1].c == c;
        c->function->recurs = itself && mf_recurs_at_end(c->function);
        if (c->function->recurs) return true;
        report_recursion(p, path, c);
        return false;
    }
    if (c->visit == MF_VISITED) return true;
    if (c->function->body == NULL) {
        c->visit = MF_VISITED;
        if (c->called_at.file == 0) return true;
        diag_error(p->diags, c->called_at, "'%.*s' is called but has no body",
                   STR_ARG(c->function->name));
        diag_note(p->diags, c->function->at, "it is declared here");
        return false;
    }
    c->visit = MF_ON_PATH;
    steps_push(p->mem, path, (step){.c = c});
    return true;
}

/* Callees first. Without recursion: a chain of calls may be as long as the text. */
static void order_functions(mf_parser *p, mf_functions *out)
{
    steps path = steps_none();
    for (size_t i = 0; i < p->candidates.n; ++i) {
        if (!enter(p, &path, p->candidates.at[i])) return;
        while (path.n != 0) {
            step *top = &path.at[path.n - 1];
            if (top->next < top->c->callee_count) {
                if (!enter(p, &path, top->c->callees[top->next++])) return;
                continue;
            }
            top->c->visit = MF_VISITED;
            top->c->function->index = (uint32_t)out->n;
            mf_functions_push(p->mem, out, top->c->function);
            --path.n;
        }
    }
}

static int by_name(const void *a, const void *b)
{
    const mf_function *const *x = a, *const *y = b;
    int order = str_cmp((*x)->name, (*y)->name);
    if (order != 0) return order;
    return (*x)->at.begin < (*y)->at.begin ? -1 : (*x)->at.begin > (*y)->at.begin;
}

static void check_kernel_names(mf_parser *p)
{
    size_t n = p->kernels.n;
    if (n < 2) return;
    mf_function **sorted = arena_copy(p->mem, p->kernels.at, n * sizeof(mf_function *));
    qsort(sorted, n, sizeof(mf_function *), by_name);
    for (size_t i = 1; i < n; ++i) {
        if (!str_eq(sorted[i]->name, sorted[i - 1]->name)) continue;
        diag_error(p->diags, sorted[i]->at, "two kernels are named '%.*s'",
                   STR_ARG(sorted[i]->name));
        diag_note(p->diags, sorted[i - 1]->at, "the other is here");
    }
}

mf_unit *mf_finish_unit(mf_parser *p)
{
    mf_functions functions = mf_functions_none();
    order_functions(p, &functions);
    check_kernel_names(p);
    if (p->diags->errors != p->errors_before) return NULL;
    size_t own = 0; /* the library's constants stand where they are used */
    for (size_t i = 0; i < p->globals.n; ++i) {
        if (mf_in_library(p, p->globals.at[i]->at)) continue;
        p->globals.at[own] = p->globals.at[i];
        p->globals.at[own]->index = (uint32_t)own;
        ++own;
    }
    p->globals.n = own;
    for (size_t i = 0; i < functions.n; ++i) functions.at[i]->of_library = mf_in_library(p, functions.at[i]->at);
    mf_unit *u = arena_new(p->mem, mf_unit);
    *u = (mf_unit){.functions = functions.at,
                   .function_count = functions.n,
                   .kernels = p->kernels.at,
                   .kernel_count = p->kernels.n,
                   .globals = p->globals.at,
                   .global_count = p->globals.n,
                   .types = p->types};
    return u;
}

mf_unit *mf_parse(arena *mem, source_set *sources, uint32_t file, const mf_options *options,
                  diag_list *diags)
{
    mf_options none = {0};
    mf_idents idents = {0};
    unsigned errors_before = diags->errors;
    mf_preproc pp = {.mem = mem, .sources = sources, .diags = diags, .idents = &idents};
    mf_tokens tokens = mf_preprocess(&pp, file, options != NULL ? options : &none);
    mf_parser p = {
        .mem = mem, .sources = sources, .diags = diags, .idents = &idents, .types = {.mem = mem}};
    p.tokens = tokens.at;
    p.written = tokens;
    p.token_count = tokens.n;
    p.prelude_file = tokens.n != 0 ? tokens.at[0].at.file : 0;
    memcpy(p.part_files, pp.part_files, sizeof p.part_files);
    p.errors_before = errors_before;
    p.options = options != NULL ? options : &none;
    if (pp.stopped) return NULL;
    mf_parse_unit(&p);
    return mf_finish_unit(&p);
}

mf_function *mf_unit_kernel(const mf_unit *u, str name)
{
    for (size_t i = 0; i < u->kernel_count; ++i) {
        if (str_eq(u->kernels[i]->name, name)) return u->kernels[i];
    }
    return NULL;
}
