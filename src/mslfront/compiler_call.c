/* Calls of functions that a text declares by a name of the compiler's own: the library's stand for them. */
#include "mslfront/parser.h"

static const struct {
    const char *name, *function;
} known[] = {
#define MF_COMPILER(name, function) {name, function},
#include "mslfront/library/compiler.def"
#undef MF_COMPILER
};

/* The scalar, or every element of the vector, is a constant of this value. */
static bool is_all(const mf_expr *e, int64_t value)
{
    mf_constant c;
    if (e->kind == MF_EXPR_ZERO) return value == 0;
    if (e->kind == MF_EXPR_CAST) return is_all(e->a, value);
    for (uint32_t i = 0; e->kind == MF_EXPR_CONSTRUCT && i < e->arg_count; ++i)
        if (!is_all(e->args[i], value)) return false;
    return e->kind == MF_EXPR_CONSTRUCT || (mf_is_integer(e->type) && mf_fold(e, &c) && (int64_t)c.i == value);
}

/* Copies of two dimensions: elements side by side, from the tile's first one on. What other numbers mean is not known. */
static bool check_copy(mf_parser *p, const mf_exprs *args)
{
    enum { TO_STEP = 4, FROM_STEP = 8, OFFSET = 10 };
    const size_t at[] = {TO_STEP, FROM_STEP, OFFSET};
    for (size_t i = 0; i < sizeof at / sizeof at[0]; ++i) {
        const mf_expr *e = args->at[at[i]];
        if (is_all(e, at[i] == OFFSET ? 0 : 1)) continue;
        diag_unsupported(p->diags, e->at, "an asynchronous copy of a tile with %s is not supported",
                         at[i] == OFFSET ? "an offset other than 0" : "a step other than 1 between its elements");
        return false;
    }
    return true;
}

mf_expr *mf_call_compiler(mf_parser *p, mf_candidate *c, mf_exprs *args, span at)
{
    const mf_function *f = c->function;
    const str name = {c->compiled_as.p + 1, c->compiled_as.n - 2};
    const mf_symbol *s = NULL;
    mf_ref r = {.builtin = -1, .at = at};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
        if (!str_is(name, known[i].name)) continue;
        r.id = mf_intern(p->mem, p->idents, str_of(known[i].function));
        s = mf_find(p->metal, r.id);
    }
    if (s == NULL) {
        diag_unsupported(p->diags, at, "'%.*s', which '%.*s' stands for, is not supported", STR_ARG(name), STR_ARG(f->name));
        diag_note(p->diags, f->at, "it is declared here");
        return mf_error(p, at);
    }
    mf_exprs given = mf_exprs_none();
    for (size_t i = 0; i < args->n && i < f->param_count; ++i) mf_exprs_push(p->mem, &given, mf_convert(p, args->at[i], f->params[i]->type, "pass"));
    for (size_t i = 0; i < given.n; ++i)
        if (mf_bad(given.at[i])) return mf_error(p, at);
    const bool tile = str_starts(name, STR("air.simdgroup_async_copy_2d"));
    if (tile && (given.n != 12 || !check_copy(p, &given))) return mf_error(p, at);
    r.candidates = s->functions;
    mf_expr *e = mf_call_function(p, &r, &given, at);
    return mf_bad(e) || f->result->kind == MF_TYPE_VOID ? e : mf_explicit(p, e, (mf_qtype){.type = f->result}, at);
}
