/* Functions: parameters, overload sets, bodies. */
#include "mslfront/template.h"

enum { MOST_PARAMS = 1000, MOST_THREADS = 1024 };

typedef struct params {
    mf_vars vars;
    mf_exprs defaults;         /* NULL where none */
    mf_attributes *attributes; /* one a parameter */
    size_t required;
    mf_ident *pack_name; /* of a parameter pack, the last one */
    bool good;
} params;

/* A struct within its own body: its members may take and give it. */
static bool is_being_read(const mf_type *t)
{
    return t->kind == MF_TYPE_RECORD && !t->record->complete && t->record->scope != NULL;
}

static void check_param(mf_parser *p, mf_declarator *d)
{
    const mf_type *t = d->type.type;
    if (t->kind == MF_TYPE_ARRAY) { /* a parameter declared as an array is a pointer */
        mf_space space = d->type.space != MF_NO_SPACE ? d->type.space : MF_THREAD;
        d->type.type = mf_pointer_type(&p->types, t->elem, space, d->type.quals);
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
    bool object = t->kind == MF_TYPE_REFERENCE || t->kind == MF_TYPE_ERROR || is_being_read(t) ||
                  mf_check_object_type(p, t, d->at, "have a parameter of");
    if (object && t->kind == MF_TYPE_ATOMIC) {
        diag_error(p->diags, d->at, "an atomic cannot be passed by value");
        object = false;
    }
    if (!object) d->type.type = mf_error_type();
}

static mf_expr *parse_default(mf_parser *p, const mf_type *type)
{
    const mf_type *t = type->kind == MF_TYPE_REFERENCE ? type->elem : type;
    bool braced = mf_at(p, MF_TOK_L_BRACE) && t->kind != MF_TYPE_ERROR;
    mf_expr *e = braced ? mf_parse_braced(p, &t) : mf_parse_assignment(p);
    return type->kind == MF_TYPE_REFERENCE ? mf_bind_reference(p, e, type, "pass")
                                           : mf_convert(p, e, type, "pass");
}

/* In an instance of a template a default has to fit only where a call uses it: that call complains. */
static mf_expr *parse_late_default(mf_parser *p, const mf_type *type)
{
    size_t begin = p->at;
    diag_list quiet;
    diag_list *loud = mf_quiet(p, &quiet);
    mf_expr *e = parse_default(p, type);
    bool good = mf_loud(p, loud) && !p->panic;
    if (good) return e;
    p->panic = false;
    p->at = mf_skip_arg(p, begin);
    return NULL;
}

static bool parse_param(mf_parser *p, params *out)
{
    mf_specs specs;
    mf_declarator d;
    if (mf_at(p, MF_TOK_ELLIPSIS)) {
        mf_unsupported(p, mf_cur(p)->at, "functions of open arity are not supported");
        return false;
    }
    if (!mf_parse_specs(p, &specs) || !mf_parse_declarator(p, &specs, &d)) return false;
    if (specs.is_auto) diag_unsupported(p->diags, specs.at, "'auto' parameters are not supported");
    mf_refuse_alignas(p, &specs);
    mf_attributes attributes = specs.attributes;
    if (!mf_parse_attributes(p, &attributes)) return false;
    check_param(p, &d);
    mf_var *v = mf_new_var(p, MF_VAR_PARAM, &d);
    v->index = (uint32_t)out->vars.n;
    mf_expr *otherwise = NULL;
    if (mf_accept(p, MF_TOK_EQ)) {
        otherwise = p->instance != 0 ? parse_late_default(p, v->type) : parse_default(p, v->type);
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

/* "Ts... xs": a parameter an element. */
static bool parse_pack_params(mf_parser *p, const mf_pack *pack, params *out)
{
    if (p->tokens[pack->end - 1].kind == MF_TOK_IDENT)
        out->pack_name = p->tokens[pack->end - 1].ident;
    mf_attributes *grown = arena_array(p->mem, mf_attributes, out->vars.n + pack->n + MOST_PARAMS);
    for (size_t i = 0; i < out->vars.n; ++i) grown[i] = out->attributes[i];
    out->attributes = grown;
    for (size_t i = 0; i < pack->n; ++i) {
        mf_enter_pack(p, pack, i);
        bool good = parse_param(p, out);
        mf_pop_scope(p);
        if (!good) return false;
    }
    p->at = pack->end;
    return true;
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
        mf_pack pack;
        if (mf_find_pack(p, p->at, &pack)) {
            if (!parse_pack_params(p, &pack, out)) return false;
        } else if (!parse_param(p, out))
            return false;
        if (!mf_accept(p, MF_TOK_COMMA)) break;
        if (mf_at(p, MF_TOK_R_PAREN)) {
            mf_syntax(p, mf_cur(p)->at, "expected a parameter after ','");
            return false;
        }
    }
    return mf_expect(p, MF_TOK_R_PAREN, "after the parameters");
}

/* What stands before a function's body. */
typedef struct head {
    mf_specs specs;
    mf_declarator d;
    params q;
    mf_attributes attributes;
    mf_record *record; /* a member of it */
    mf_qtype self;     /* qualifiers and address space of its object */
    bool is_constructor, is_conversion;
    bool is_deleted, is_default, is_auto;
    str compiled_as;
} head;

/* The object of a member function as its first parameter. */
static mf_var *add_self(mf_parser *p, const head *h)
{
    mf_space space = h->self.space != MF_NO_SPACE ? h->self.space : MF_THREAD;
    mf_declarator d = {.at = h->d.at};
    d.type.type = mf_reference_type(&p->types, h->record->type, space, h->self.quals);
    mf_var *v = mf_new_var(p, MF_VAR_PARAM, &d);
    v->name = STR("this");
    return v;
}

static mf_candidate *make_candidate(mf_parser *p, const head *h)
{
    mf_function *f = arena_new(p->mem, mf_function);
    mf_candidate *c = arena_new(p->mem, mf_candidate);
    f->name = h->d.name->text;
    f->label = str_format(p->mem, "%.*s%.*s", STR_ARG(p->scope->label), STR_ARG(f->name));
    f->at = h->d.at;
    f->kernel = h->specs.is_kernel;
    f->is_constexpr = h->specs.is_constexpr;
    f->result = h->is_constructor ? h->record->type : h->d.type.type;
    f->params = h->q.vars.at;
    f->param_count = h->q.vars.n;
    c->function = f;
    c->defaults = h->q.defaults.at;
    c->required = h->q.required;
    c->record = h->record;
    c->is_static = h->specs.is_static;
    c->is_constructor = h->is_constructor;
    c->is_explicit = h->specs.is_explicit;
    c->is_constexpr = h->specs.is_constexpr;
    c->is_auto = h->is_auto;
    c->is_deleted = h->is_deleted;
    c->is_default = h->is_default;
    c->in_metal = p->scope->in_metal;
    c->compiled_as = h->compiled_as;
    if (h->record == NULL || c->is_static || c->is_constructor) return c;
    c->self = add_self(p, h);
    f->params = arena_array(p->mem, mf_var *, h->q.vars.n + 1);
    mf_expr **defaults = arena_array(p->mem, mf_expr *, h->q.vars.n + 1);
    f->params[0] = c->self;
    for (size_t i = 0; i < h->q.vars.n; ++i) {
        f->params[i + 1] = h->q.vars.at[i];
        f->params[i + 1]->index = (uint32_t)(i + 1);
        defaults[i + 1] = h->q.defaults.at[i];
    }
    c->defaults = defaults;
    ++f->param_count;
    ++c->required;
    return c;
}

static void append_candidate(mf_candidate **list, mf_candidate *c)
{
    while (*list != NULL) list = &(*list)->next;
    *list = c;
}

static mf_candidate *add_candidate(mf_parser *p, mf_candidate **list, const head *h)
{
    mf_candidate *c = make_candidate(p, h);
    append_candidate(list, c);
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

static bool same_params(const mf_candidate *c, const head *h)
{
    const mf_function *f = c->function;
    size_t skip = c->self != NULL ? 1 : 0;
    if (c->generic != NULL || f->param_count != h->q.vars.n + skip) return false;
    for (size_t i = 0; i < h->q.vars.n; ++i) {
        if (f->params[i + skip]->type != h->q.vars.at[i]->type) return false;
    }
    mf_space space = h->self.space != MF_NO_SPACE ? h->self.space : MF_THREAD;
    return skip == 0 || (c->self->type->quals == h->self.quals && c->self->type->space == space);
}

/* The overload set that a function belongs to; NULL after a complaint. */
static mf_candidate **overload_set(mf_parser *p, mf_ident *name, span at, mf_record *record,
                                   bool is_constructor, bool is_conversion)
{
    if (is_constructor) return &record->constructors;
    if (is_conversion) return &record->conversions;
    mf_symbol *s = mf_find(p->scope, name);
    bool tag = s != NULL && s->kind == MF_SYM_TYPE && s->type.type->kind == MF_TYPE_RECORD &&
               s->generic == NULL;
    if (tag) s->kind = MF_SYM_FUNCTION; /* hides the struct, which "struct name" still means */
    if (s != NULL && s->kind != MF_SYM_FUNCTION) {
        diag_error(p->diags, at, "'%.*s' is already declared in this scope", STR_ARG(name->text));
        diag_note(p->diags, s->at, "it was declared here");
        return NULL;
    }
    if (s == NULL) s = mf_add_symbol(p, p->scope, MF_SYM_FUNCTION, name, at);
    return &s->functions;
}

static mf_candidate *declare_function(mf_parser *p, head *h)
{
    mf_candidate **list =
        overload_set(p, h->d.name, h->d.at, h->record, h->is_constructor, h->is_conversion);
    if (list == NULL) return NULL;
    const mf_type *first = h->q.vars.n == 1 ? h->q.vars.at[0]->type : mf_void();
    if (first->kind == MF_TYPE_REFERENCE) first = first->elem;
    if (h->is_constructor && first == h->record->type && !h->is_default) h->record->copies = true;
    for (mf_candidate *c = *list; c != NULL && !h->is_conversion; c = c->next) {
        if (!same_params(c, h)) continue;
        if (h->is_constructor && h->self.space != MF_NO_SPACE)
            return c; /* for another address space: the same */
        bool both = (c->function->body != NULL || c->body_at != 0) && mf_at(p, MF_TOK_L_BRACE);
        if (both || h->record != NULL) {
            diag_error(p->diags, h->d.at, "'%.*s' is defined twice", STR_ARG(h->d.name->text));
            diag_note(p->diags, c->function->at, "it was defined here");
            return NULL;
        }
        redeclare(p, c, &h->d, &h->q);
        return c;
    }
    return add_candidate(p, list, h);
}

mf_candidate *mf_add_generic(mf_parser *p, mf_template *t, bool is_conversion)
{
    bool is_constructor = t->record != NULL && t->name != NULL && t->name == t->record->own_name;
    mf_ident *name = t->name != NULL ? t->name : mf_intern(p->mem, p->idents, STR("operator T"));
    t->name = name;
    mf_candidate **list = overload_set(p, name, t->at, t->record, is_constructor, is_conversion);
    if (list == NULL) return NULL;
    mf_candidate *c = arena_new(p->mem, mf_candidate);
    c->function = arena_new(p->mem, mf_function);
    c->function->name = name->text;
    c->function->at = t->at;
    c->function->label =
        str_format(p->mem, "%.*s%.*s", STR_ARG(p->scope->label), STR_ARG(name->text));
    c->generic = t;
    c->record = t->record;
    c->is_constructor = is_constructor;
    append_candidate(list, c);
    return c;
}

static void declare_params(mf_parser *p, const mf_candidate *c)
{
    const mf_function *f = c->function;
    for (size_t i = 0; i < f->param_count; ++i) {
        mf_var *v = f->params[i];
        if (v->name.n == 0 || v == c->self) continue;
        mf_ident *id = mf_intern(p->mem, p->idents, v->name);
        mf_symbol *pack = c->pack_name == id ? mf_find(p->scope, id) : NULL;
        if (pack == NULL)
            pack = mf_declare(p, c->pack_name == id ? MF_SYM_PACK : MF_SYM_VAR, id, v->at);
        if (pack == NULL) continue;
        if (pack->kind == MF_SYM_VAR) {
            pack->var = v;
            continue;
        }
        if (pack->pack_vars == NULL) pack->pack_vars = arena_new(p->mem, mf_vars);
        mf_vars_push(p->mem, pack->pack_vars, v);
    }
    if (c->pack_name != NULL && mf_find(p->scope, c->pack_name) == NULL) {
        mf_symbol *pack = mf_declare(p, MF_SYM_PACK, c->pack_name, f->at);
        if (pack != NULL) pack->pack_vars = arena_new(p->mem, mf_vars);
    }
}

/* The body, at "{" or at the ":" of a constructor; the function's state is the parser's. */
static void parse_body(mf_parser *p, mf_candidate *c)
{
    mf_function *f = c->function;
    mf_push_scope(p, MF_SCOPE_BLOCK)->is_params = true;
    declare_params(p, c);
    c->reading = true;
    p->function = c;
    p->locals = p->alive = mf_vars_none();
    p->loops = p->switches = 0;
    for (size_t i = 0; i < f->param_count; ++i) mf_note_alive(p, f->params[i]);
    if (c->is_constructor) {
        f->body = mf_constructor_body(p, c);
    } else if (c->is_default) {
        f->body = mf_assignment_body(p, c);
    } else {
        f->body = mf_end_around(p, mf_parse_block(p), 0);
        if (c->is_auto && f->result->kind == MF_TYPE_ERROR && !c->auto_failed)
            f->result = mf_void();
    }
    if (!c->is_constructor && f->result->kind != MF_TYPE_VOID && f->result->kind != MF_TYPE_ERROR &&
        !p->panic && mf_may_end(f->body)) {
        diag_warning(p->diags, f->at, "'%.*s' does not return a value on every path",
                     STR_ARG(f->name));
    }
    f->locals = p->locals.at;
    f->local_count = p->locals.n;
    p->function = NULL;
    c->reading = false;
    mf_pop_scope(p);
}

static void function_attributes(mf_parser *p, const mf_attributes *attributes, mf_function *f,
                                bool is_kernel)
{
    static const char *const harmless[] = {"maybe_unused", "nodiscard",     "noreturn",
                                           "deprecated",   "always_inline", "noinline",
                                           "gnu_inline",   "kernel",        "optnone",
                                           "visible",      "stitchable"}; /* the last two: for others than kernels to call */
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
            diag_unsupported(p->diags, a->at, "the attribute '%.*s' of a function is not supported",
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
        const uint64_t align = mf_var_align(v);
        at = (at + align - 1) / align * align + v->type->size;
    }
    if (at > UINT32_MAX)
        diag_error(p->diags, f->at, "the kernel's threadgroup memory is too large");
    return at;
}

static void check_result(mf_parser *p, mf_declarator *d)
{
    const mf_type *t = d->type.type;
    bool good = t->kind == MF_TYPE_VOID || t->kind == MF_TYPE_REFERENCE || is_being_read(t) ||
                t->kind == MF_TYPE_ERROR;
    if (t->kind == MF_TYPE_ARRAY || t->kind == MF_TYPE_ATOMIC) {
        diag_error(p->diags, d->at, "a function cannot return '%.*s'",
                   STR_ARG(mf_type_text(p->mem, t)));
        d->type.type = mf_error_type();
    } else if (!good && !mf_check_object_type(p, t, d->at, "return")) {
        d->type.type = mf_error_type();
    }
}

/* __asm("name") behind a declaration: which function of the compiler's own is meant. */
static bool read_compiled_name(mf_parser *p, head *h)
{
    mf_advance(p);
    if (!mf_expect(p, MF_TOK_L_PAREN, "after '__asm'")) return false;
    h->compiled_as = mf_token_text(mf_cur(p));
    return mf_expect(p, MF_TOK_STRING, "as the name of a function of the compiler's") && mf_expect(p, MF_TOK_R_PAREN, "after the name");
}

/* const, address spaces and the rest behind the parameters. */
static bool read_tail(mf_parser *p, head *h)
{
    for (;;) {
        switch ((int)mf_cur(p)->kind) {
        case MF_KW_CONST: h->self.quals |= MF_CONST; break;
        case MF_KW_VOLATILE: h->self.quals |= MF_VOLATILE; break;
        case MF_KW_THREAD: h->self.space = MF_THREAD; break;
        case MF_KW_DEVICE: h->self.space = MF_DEVICE; break;
        case MF_KW_CONSTANT: h->self.space = MF_CONSTANT; break;
        case MF_KW_THREADGROUP: h->self.space = MF_THREADGROUP; break;
        case MF_KW_NOEXCEPT:
        case MF_TOK_AMP:
        case MF_TOK_AMP_AMP: break; /* objects are values here, whatever they are called on */
        case MF_TOK_L_SQUARE:
            if (mf_ahead(p, 1)->kind != MF_TOK_L_SQUARE) return true;
            if (!mf_parse_attributes(p, &h->attributes)) return false;
            continue;
        case MF_TOK_ARROW: {
            mf_qtype result = {0};
            mf_advance(p);
            if (!mf_parse_type_id(p, &result)) return false;
            h->d.type = result;
            h->is_auto = false;
            continue;
        }
        case MF_TOK_EQ:
            h->is_default = mf_ahead(p, 1)->kind == MF_KW_DEFAULT;
            h->is_deleted = mf_ahead(p, 1)->kind == MF_KW_DELETE;
            if (!h->is_default && !h->is_deleted) {
                mf_syntax(p, mf_cur(p)->at, "expected 'default' or 'delete'");
                return false;
            }
            p->at += 2;
            return true;
        case MF_KW_ASM:
            if (!read_compiled_name(p, h)) return false;
            continue;
        case MF_TOK_IDENT:
            if (!str_is(mf_cur(p)->ident->text, "__asm") && !str_is(mf_cur(p)->ident->text, "__asm__")) return true;
            if (!read_compiled_name(p, h)) return false;
            continue;
        default: return true;
        }
        mf_advance(p);
    }
}

/* Everything of a function up to its body, the cursor at the "(" of its parameters. */
static bool read_head(mf_parser *p, const mf_specs *specs, const mf_declarator *declared, head *h)
{
    *h = (head){.specs = *specs, .d = *declared};
    if (p->scope->kind == MF_SCOPE_RECORD) h->record = p->scope->record;
    if (h->record == NULL && p->scope->parent != NULL && p->member_of != NULL)
        h->record = p->member_of;
    for (size_t i = 0; i < specs->attributes.n; ++i) {
        h->specs.is_kernel |= str_is(specs->attributes.at[i].name->text, "kernel");
    }
    h->is_constructor = specs->is_constructor;
    h->is_conversion = specs->is_conversion;
    h->is_auto = specs->is_auto && declared->type.type->kind == MF_TYPE_ERROR;
    if (!parse_params(p, &h->q)) return false;
    h->attributes = specs->attributes;
    if (!read_tail(p, h)) return false;
    if (!h->is_constructor && !h->is_auto) check_result(p, &h->d);
    bool body = mf_at(p, MF_TOK_L_BRACE) || (h->is_constructor && mf_at(p, MF_TOK_COLON));
    if (mf_at(p, MF_TOK_SEMI) || body) return true;
    mf_syntax(p, mf_cur(p)->at, "expected ';' or the function's body");
    return false;
}

static void warn_of_attributes(mf_parser *p, const params *q)
{
    for (size_t i = 0; i < q->vars.n; ++i) {
        for (size_t k = 0; k < q->attributes[i].n; ++k) {
            const mf_attribute *a = &q->attributes[i].at[k];
            if (str_is(a->name->text, "maybe_unused")) continue;
            diag_warning(p->diags, a->at,
                         "the attribute '%.*s' belongs to a kernel's parameter: ignored",
                         STR_ARG(a->name->text));
        }
    }
}

/* Attributes and, for kernels, bindings. */
static void finish_head(mf_parser *p, mf_candidate *c, const head *h)
{
    function_attributes(p, &h->attributes, c->function, h->specs.is_kernel);
    mf_refuse_alignas(p, &h->specs);
    if (h->specs.is_kernel) {
        mf_bind_kernel(p, c->function, h->q.attributes);
    } else {
        warn_of_attributes(p, &h->q);
    }
}

static void finish_kernel(mf_parser *p, mf_function *f)
{
    f->kernel = true;
    f->threadgroup_bytes = group_bytes(p, f);
    mf_functions_push(p->mem, &p->kernels, f);
}

void mf_parse_function(mf_parser *p, const mf_specs *specs, const mf_declarator *declared)
{
    head h;
    if (!read_head(p, specs, declared, &h)) return;
    mf_candidate *c = declare_function(p, &h);
    bool lost = c == NULL; /* its body is read for its own errors */
    if (lost) c = make_candidate(p, &h);
    if (c->body_at == 0) finish_head(p, c, &h);
    if (mf_accept(p, MF_TOK_SEMI)) {
        c->needed = c->is_default;
        if (c->is_default) mf_candidates_push(p->mem, &p->pending, c);
        if (c->is_default) c->scope = p->scope;
        return;
    }
    if (h.record != NULL &&
        c->body_at != 0) { /* a constructor that is there for another address space */
        p->at = mf_skip_body(p, p->at);
        return;
    }
    if (h.record != NULL) { /* read when the struct is complete, or of an instance when called */
        c->body_at = p->at;
        c->scope = p->scope;
        p->at = mf_skip_body(p, p->at);
        if (h.record->made_of == NULL && !mf_in_library(p, h.d.at)) mf_need_body(p, c, h.d.at);
        return;
    }
    if (p->scope->in_metal && !h.specs.is_kernel && c->body_at == 0) {
        c->body_at =
            p->at; /* what is added to the library is read when called, as the library is */
        c->scope = p->scope;
        p->at = mf_skip_body(p, p->at);
        return;
    }
    c->needed = true;
    parse_body(p, c);
    if (h.specs.is_kernel && !lost) finish_kernel(p, c->function);
}

void mf_define_member(mf_parser *p, const mf_specs *specs, const mf_declarator *d)
{
    head h;
    if (!read_head(p, specs, d, &h)) return;
    mf_symbol *s = mf_find(p->scope, h.d.name);
    mf_candidate *c = h.is_constructor                          ? h.record->constructors
                      : s != NULL && s->kind == MF_SYM_FUNCTION ? s->functions
                                                                : NULL;
    while (c != NULL && !same_params(c, &h)) c = c->next;
    if (c == NULL || c->function->body != NULL) {
        diag_error(p->diags, h.d.at, "'%.*s' declares no such member, or its body was read already",
                   STR_ARG(h.record->name));
        p->at = mf_skip_body(p, p->at);
        return;
    }
    size_t self = c->self != NULL ? 1 : 0;
    for (size_t i = 0; i < h.q.vars.n; ++i) {
        c->function->params[i + self] = h.q.vars.at[i];
        h.q.vars.at[i]->index = (uint32_t)(i + self);
    }
    c->body_at = p->at;
    c->scope = p->scope;
    p->at = mf_skip_body(p, p->at);
    const bool called = c->needed; /* before it had a body to read */
    c->needed = false;
    if (called || h.record->made_of == NULL) mf_need_body(p, c, h.d.at);
}

/* A function read again for an instance of a template: its declaration, at the cursor. */
mf_candidate *mf_read_instance(mf_parser *p, mf_template *t)
{
    mf_specs specs;
    mf_declarator d;
    head h;
    mf_record *outer = p->member_of;
    p->member_of = t->record;
    bool good =
        t->record != NULL ? mf_parse_member_specs(p, t->record, &specs) : mf_parse_specs(p, &specs);
    good = good && mf_parse_function_name(p, &specs, &d) && read_head(p, &specs, &d, &h);
    p->member_of = outer;
    if (!good) return NULL;
    mf_candidate *c = make_candidate(p, &h);
    c->pack_name = h.q.pack_name;
    if (!mf_at(p, MF_TOK_SEMI)) c->body_at = p->at;
    c->scope = p->scope;
    c->made_of = t;
    c->instance_head = arena_copy(p->mem, &h, sizeof h);
    return c;
}

/* What only an instance that is used needs: its attributes, its bindings. */
void mf_finish_instance(mf_parser *p, mf_candidate *c)
{
    mf_candidates_push(p->mem, &p->candidates, c);
    finish_head(p, c, c->instance_head);
}

void mf_read_body(mf_parser *p, mf_candidate *c)
{
    if (c->function->body != NULL || c->reading) return;
    if (c->body_at == 0 && !c->is_default) return;
    mf_state old;
    diag_list *quiet = mf_aloud(p);
    unsigned errors = p->diags->errors;
    unsigned instance = p->instance;
    p->instance = c->instance;
    if (mf_interrupt(p, &old, c->body_at, c->scope, c->called_at)) {
        parse_body(p, c);
        if (p->panic && errors == p->diags->errors)
            diag_error(p->diags, c->function->at, "the body of '%.*s' cannot be read",
                       STR_ARG(c->function->name));
        if (c->function->kernel) finish_kernel(p, c->function);
    }
    mf_resume(p, &old);
    p->instance = instance;
    for (const mf_candidate *one = c;
         errors != p->diags->errors && one != NULL && one->made_of != NULL; one = one->asked_by) {
        diag_note(p->diags, one->called_at, "in instantiation of '%.*s', asked for here",
                  STR_ARG(one->function->label));
    }
    p->diags = quiet;
}

void mf_need_body(mf_parser *p, mf_candidate *c, span at)
{
    if (c->needed) return;
    c->needed = true;
    if (c->called_at.file == 0 && c->made_of != NULL) c->called_at = at;
    c->asked_by = p->function;
    c->instance = p->function != NULL ? p->function->instance + 1 : 1;
    mf_candidates_push(p->mem, &p->pending, c);
}

void mf_read_pending(mf_parser *p)
{
    while (p->pending.n != 0) {
        mf_candidates now = p->pending;
        p->pending = mf_candidates_none();
        for (size_t i = 0; i < now.n && !p->exhausted; ++i) mf_read_body(p, now.at[i]);
        if (p->exhausted) return;
    }
}
