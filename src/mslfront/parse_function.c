/* Functions: parameters, overload sets, bodies. */
#include "mslfront/parser.h"

enum { MOST_PARAMS = 1000, MOST_THREADS = 1024 };

typedef struct params {
    mf_vars vars;
    mf_exprs defaults;         /* NULL where none */
    mf_attributes *attributes; /* one a parameter */
    size_t required;
    bool good;
} params;

static void check_param(mf_parser *p, mf_declarator *d)
{
    const mf_type *t = d->type.type;
    if (t->kind == MF_TYPE_ARRAY) { /* a parameter declared as an array is a pointer */
        if (d->type.space == MF_NO_SPACE) {
            diag_error(p->diags, d->at,
                       "an array as parameter is a pointer and needs an address space");
            d->type.type = mf_error_type();
        } else {
            d->type.type = mf_pointer_type(&p->types, t->elem, d->type.space, d->type.quals);
        }
        d->type.quals = 0;
        d->type.space = MF_NO_SPACE;
        return;
    }
    if (d->type.space != MF_NO_SPACE && d->type.space != MF_THREAD) {
        diag_error(p->diags, d->at,
                   "a parameter lies in thread memory; '%s' belongs to what a pointer points at",
                   mf_space_name(d->type.space));
        d->type.type = mf_error_type();
        return;
    }
    bool object = t->kind == MF_TYPE_REFERENCE || t->kind == MF_TYPE_ERROR ||
                  mf_check_object_type(p, t, d->at, "have a parameter of");
    if (object && t->kind == MF_TYPE_ATOMIC) {
        diag_error(p->diags, d->at, "an atomic cannot be passed by value");
        object = false;
    }
    if (!object) d->type.type = mf_error_type();
}

static bool parse_param(mf_parser *p, params *out)
{
    mf_specs specs;
    mf_declarator d;
    if (mf_at(p, MF_TOK_ELLIPSIS)) {
        mf_syntax(p, mf_cur(p)->at, "functions of open arity are not supported");
        return false;
    }
    if (!mf_parse_specs(p, &specs) || !mf_parse_declarator(p, &specs, &d)) return false;
    if (specs.is_auto) diag_error(p->diags, specs.at, "'auto' parameters are not supported");
    mf_refuse_alignas(p, &specs);
    mf_attributes attributes = specs.attributes;
    if (!mf_parse_attributes(p, &attributes)) return false;
    check_param(p, &d);
    mf_var *v = mf_new_var(p, MF_VAR_PARAM, &d);
    v->index = (uint32_t)out->vars.n;
    mf_expr *otherwise = NULL;
    if (mf_accept(p, MF_TOK_EQ)) {
        mf_expr *e = mf_parse_assignment(p);
        otherwise = v->type->kind == MF_TYPE_REFERENCE ? mf_bind_reference(p, e, v->type, "pass")
                                                       : mf_convert(p, e, v->type, "pass");
    } else if (out->required == out->vars.n) {
        ++out->required;
    } else if (out->good) {
        diag_error(p->diags, d.at, "a parameter after one with a default needs a default too");
        out->good = false;
    }
    out->attributes[out->vars.n] = attributes;
    mf_vars_push(p->mem, &out->vars, v);
    mf_exprs_push(p->mem, &out->defaults, otherwise);
    return !p->panic;
}

/* How many parameters there may be at most: the commas up to the matching ")". */
static size_t count_commas(const mf_parser *p)
{
    size_t commas = 0;
    unsigned depth = 1;
    for (size_t n = 0; depth != 0; ++n) {
        mf_token_kind k = mf_ahead(p, n)->kind;
        if (k == MF_TOK_END) break;
        if (k == MF_TOK_L_PAREN) ++depth;
        if (k == MF_TOK_R_PAREN) --depth;
        if (k == MF_TOK_COMMA && depth == 1) ++commas;
    }
    return commas;
}

static bool parse_params(mf_parser *p, params *out)
{
    *out = (params){.good = true};
    mf_advance(p);
    size_t most = count_commas(p) + 1;
    if (most > MOST_PARAMS) {
        mf_syntax(p, mf_cur(p)->at, "more than %d parameters", MOST_PARAMS);
        return false;
    }
    out->attributes = arena_array(p->mem, mf_attributes, most);
    bool nothing = mf_at(p, MF_KW_VOID) && mf_ahead(p, 1)->kind == MF_TOK_R_PAREN;
    if (nothing) mf_advance(p);
    while (!mf_at(p, MF_TOK_R_PAREN)) {
        if (!parse_param(p, out)) return false;
        if (!mf_accept(p, MF_TOK_COMMA)) break;
        if (mf_at(p, MF_TOK_R_PAREN)) {
            mf_syntax(p, mf_cur(p)->at, "expected a parameter after ','");
            return false;
        }
    }
    return mf_expect(p, MF_TOK_R_PAREN, "after the parameters");
}

static bool same_params(const mf_function *f, const params *q)
{
    if (f->param_count != q->vars.n) return false;
    for (size_t i = 0; i < f->param_count; ++i) {
        if (f->params[i]->type != q->vars.at[i]->type) return false;
    }
    return true;
}

static mf_candidate *add_candidate(mf_parser *p, mf_symbol *s, const mf_specs *specs,
                                   const mf_declarator *d, const params *q)
{
    mf_function *f = arena_new(p->mem, mf_function);
    mf_candidate *c = arena_new(p->mem, mf_candidate);
    f->name = d->name->text;
    f->label = str_format(p->mem, "%.*s%.*s", STR_ARG(p->scope->label), STR_ARG(f->name));
    f->at = d->at;
    f->kernel = specs->is_kernel;
    f->result = d->type.type;
    f->params = q->vars.at;
    f->param_count = q->vars.n;
    c->function = f;
    c->defaults = q->defaults.at;
    c->required = q->required;
    mf_candidate **end = &s->functions;
    while (*end != NULL) end = &(*end)->next;
    *end = c;
    mf_candidates_push(p->mem, &p->candidates, c);
    return c;
}

/* A second declaration of a function: names of the definition's parameters win, defaults add up. */
static void redeclare(mf_parser *p, mf_candidate *c, const mf_declarator *d, params *q)
{
    mf_function *f = c->function;
    if (f->result != d->type.type && f->result->kind != MF_TYPE_ERROR &&
        d->type.type->kind != MF_TYPE_ERROR) {
        diag_error(p->diags, d->at, "'%.*s' is declared with another result", STR_ARG(f->name));
        diag_note(p->diags, f->at, "it was declared here");
    }
    for (size_t i = 0; i < q->vars.n; ++i) {
        if (q->defaults.at[i] == NULL) q->defaults.at[i] = c->defaults[i];
    }
    c->defaults = q->defaults.at;
    if (q->required < c->required) c->required = q->required;
    if (f->body == NULL && mf_at(p, MF_TOK_L_BRACE)) {
        f->params = q->vars.at;
        f->at = d->at;
    }
}

static mf_candidate *declare_function(mf_parser *p, const mf_specs *specs, const mf_declarator *d,
                                      params *q)
{
    mf_symbol *s = mf_find(p->scope, d->name);
    if (s != NULL && s->kind != MF_SYM_FUNCTION) {
        diag_error(p->diags, d->at, "'%.*s' is already declared in this scope",
                   STR_ARG(d->name->text));
        diag_note(p->diags, s->at, "it was declared here");
        return NULL;
    }
    if (s == NULL) s = mf_add_symbol(p, p->scope, MF_SYM_FUNCTION, d->name, d->at);
    for (mf_candidate *c = s->functions; c != NULL; c = c->next) {
        if (!same_params(c->function, q)) continue;
        if (c->function->body != NULL && mf_at(p, MF_TOK_L_BRACE)) {
            diag_error(p->diags, d->at, "'%.*s' is defined twice", STR_ARG(d->name->text));
            diag_note(p->diags, c->function->at, "it was defined here");
            return NULL;
        }
        redeclare(p, c, d, q);
        return c;
    }
    return add_candidate(p, s, specs, d, q);
}

static void parse_body(mf_parser *p, mf_candidate *c)
{
    mf_function *f = c->function;
    mf_push_scope(p, MF_SCOPE_BLOCK)->is_params = true;
    for (size_t i = 0; i < f->param_count; ++i) {
        mf_var *v = f->params[i];
        if (v->name.n == 0) continue;
        mf_symbol *s = mf_declare(p, MF_SYM_VAR, mf_intern(p->mem, p->idents, v->name), v->at);
        if (s != NULL) s->var = v;
    }
    p->function = c;
    p->locals = mf_vars_none();
    p->loops = p->switches = 0;
    f->body = mf_parse_block(p);
    if (f->result->kind != MF_TYPE_VOID && f->result->kind != MF_TYPE_ERROR && !p->panic &&
        mf_may_end(f->body)) {
        diag_warning(p->diags, f->at, "'%.*s' does not return a value on every path",
                     STR_ARG(f->name));
    }
    f->locals = p->locals.at;
    f->local_count = p->locals.n;
    p->function = NULL;
    mf_pop_scope(p);
}

static void function_attributes(mf_parser *p, const mf_attributes *attributes, mf_function *f,
                                bool is_kernel)
{
    static const char *const harmless[] = {"maybe_unused",  "nodiscard", "noreturn",   "deprecated",
                                           "always_inline", "noinline",  "gnu_inline", "kernel"};
    for (size_t i = 0; i < attributes->n; ++i) {
        const mf_attribute *a = &attributes->at[i];
        bool known = false;
        for (size_t k = 0; k < sizeof harmless / sizeof harmless[0]; ++k) {
            known |= str_is(a->name->text, harmless[k]);
        }
        if (str_is(a->name->text, "max_total_threads_per_threadgroup")) {
            known = true;
            bool fits = a->has_number && a->number >= 1 && a->number <= MOST_THREADS;
            if (!fits)
                diag_error(p->diags, a->at, "a threadgroup has 1 to %d threads", MOST_THREADS);
            if (fits) f->max_threads = (uint32_t)a->number;
        }
        if (is_kernel && str_is(a->name->text, "host_name") && a->text.n != 0) {
            known = true;
            f->name = a->text;
        }
        if (!known) {
            diag_error(p->diags, a->at, "the attribute '%.*s' of a function is not supported",
                       STR_ARG(a->name->text));
        }
    }
}

static uint64_t group_bytes(mf_parser *p, const mf_function *f)
{
    uint64_t at = 0;
    for (size_t i = 0; i < f->local_count; ++i) {
        const mf_var *v = f->locals[i];
        if (v->space != MF_THREADGROUP || v->type->kind == MF_TYPE_ERROR || v->type->align == 0)
            continue;
        at = (at + v->type->align - 1) / v->type->align * v->type->align + v->type->size;
    }
    if (at > UINT32_MAX)
        diag_error(p->diags, f->at, "the kernel's threadgroup memory is too large");
    return at;
}

static void check_result(mf_parser *p, mf_declarator *d)
{
    const mf_type *t = d->type.type;
    bool good = t->kind == MF_TYPE_VOID || t->kind == MF_TYPE_REFERENCE || t->kind == MF_TYPE_ERROR;
    if (t->kind == MF_TYPE_ARRAY || t->kind == MF_TYPE_ATOMIC) {
        diag_error(p->diags, d->at, "a function cannot return '%.*s'",
                   STR_ARG(mf_type_text(p->mem, t)));
        d->type.type = mf_error_type();
    } else if (!good && !mf_check_object_type(p, t, d->at, "return")) {
        d->type.type = mf_error_type();
    }
}

void mf_parse_function(mf_parser *p, const mf_specs *given, const mf_declarator *declared)
{
    mf_specs specs = *given;
    mf_declarator d = *declared;
    params q;
    for (size_t i = 0; i < specs.attributes.n; ++i) {
        specs.is_kernel |= str_is(specs.attributes.at[i].name->text, "kernel");
    }
    if (specs.is_auto)
        diag_error(p->diags, specs.at, "functions with an 'auto' result are not supported");
    check_result(p, &d);
    if (!parse_params(p, &q)) return;
    if (mf_accept(p, MF_KW_CONST) || mf_at(p, MF_KW_NOEXCEPT)) mf_accept(p, MF_KW_NOEXCEPT);
    mf_attributes attributes = specs.attributes;
    if (!mf_parse_attributes(p, &attributes)) return;
    if (!mf_at(p, MF_TOK_SEMI) && !mf_at(p, MF_TOK_L_BRACE)) {
        mf_syntax(p, mf_cur(p)->at, "expected ';' or the function's body");
        return;
    }
    mf_candidate *c = declare_function(p, &specs, &d, &q);
    mf_candidate unused = {0};
    mf_function lost = {
        .result = d.type.type, .params = q.vars.at, .param_count = q.vars.n, .name = d.name->text};
    if (c == NULL) { /* its body is read for its own errors */
        unused.function = arena_copy(p->mem, &lost, sizeof lost);
        c = arena_copy(p->mem, &unused, sizeof unused);
    }
    mf_function *f = c->function;
    function_attributes(p, &attributes, f, specs.is_kernel);
    mf_refuse_alignas(p, &specs);
    for (size_t i = 0; !specs.is_kernel && i < q.vars.n; ++i) {
        for (size_t k = 0; k < q.attributes[i].n; ++k) {
            const mf_attribute *a = &q.attributes[i].at[k];
            if (str_is(a->name->text, "maybe_unused")) continue;
            diag_error(p->diags, a->at, "the attribute '%.*s' belongs to a kernel's parameter",
                       STR_ARG(a->name->text));
        }
    }
    if (specs.is_kernel) mf_bind_kernel(p, f, q.attributes);
    if (mf_accept(p, MF_TOK_SEMI)) return;
    parse_body(p, c);
    if (!specs.is_kernel) return;
    f->kernel = true;
    f->threadgroup_bytes = group_bytes(p, f);
    mf_functions_push(p->mem, &p->kernels, f);
}
