/* Templates: their parameters, the arguments given to them, and the two brought together. */
#include "mslfront/template.h"

#include <string.h>

bool mf_interrupt(mf_parser *p, mf_state *old, size_t at, mf_scope *scope, span asked)
{
    *old = (mf_state){.at = p->at,
                      .scope = p->scope,
                      .function = p->function,
                      .locals = p->locals,
                      .alive = p->alive,
                      .break_alive = p->break_alive,
                      .continue_alive = p->continue_alive,
                      .panic = p->panic,
                      .no_greater = p->no_greater,
                      .unevaluated = p->unevaluated,
                      .depth = p->depth,
                      .outer_depth = p->outer_depth,
                      .stmt_depth = p->stmt_depth,
                      .loops = p->loops,
                      .switches = p->switches};
    p->at = at;
    p->scope = scope;
    p->function = NULL;
    p->locals = p->alive = mf_vars_none();
    p->panic = p->no_greater = p->unevaluated = false;
    p->outer_depth += p->depth + p->stmt_depth;
    p->depth = p->stmt_depth = p->loops = p->switches = 0;
    ++p->instance;
    const char *fault = NULL;
    if (p->instance > MF_INSTANCE_DEPTH || p->outer_depth > MF_NESTED_DEPTH)
        fault = "templates ask for each other more than %d deep";
    if (p->instances > MF_INSTANCES) fault = "more than %d instances of templates";
    if (fault == NULL) return true;
    if (!p->exhausted) {
        bool deep = p->instances <= MF_INSTANCES;
        diag_error(p->loud != NULL ? p->loud : p->diags, asked,
                   deep ? "templates ask for each other more than %d deep"
                        : "more than %d instances of templates",
                   deep ? MF_INSTANCE_DEPTH : MF_INSTANCES);
    }
    p->exhausted = true;
    return false;
}

void mf_resume(mf_parser *p, const mf_state *old)
{
    p->at = old->at;
    p->scope = old->scope;
    p->function = old->function;
    p->locals = old->locals;
    p->alive = old->alive;
    p->break_alive = old->break_alive;
    p->continue_alive = old->continue_alive;
    p->panic = old->panic;
    p->no_greater = old->no_greater;
    p->unevaluated = old->unevaluated;
    p->depth = old->depth;
    p->outer_depth = old->outer_depth;
    p->stmt_depth = old->stmt_depth;
    p->loops = old->loops;
    p->switches = old->switches;
    --p->instance;
}

diag_list *mf_quiet(mf_parser *p, diag_list *quiet)
{
    *quiet = (diag_list){.mem = p->mem, .sources = p->sources};
    diag_list *before = p->diags;
    if (p->quiet++ == 0) p->loud = before;
    p->diags = quiet;
    return before;
}

bool mf_loud(mf_parser *p, diag_list *before)
{
    bool good = p->diags->errors == 0;
    p->diags = before;
    if (--p->quiet == 0) p->loud = NULL;
    return good;
}

diag_list *mf_aloud(mf_parser *p)
{
    diag_list *before = p->diags;
    if (p->loud != NULL) p->diags = p->loud;
    return before;
}

/* Parameters */

static bool is_function_pointer(const mf_parser *p, size_t at, size_t end, size_t *name)
{
    for (; at + 2 < end; ++at) {
        if (p->tokens[at].kind != MF_TOK_L_PAREN || p->tokens[at + 1].kind != MF_TOK_STAR) continue;
        *name = at + 2;
        return true;
    }
    return false;
}

/* "class T", "typename... T", "template <...> class T". */
static bool read_type_param(mf_parser *p, mf_tparam *one)
{
    one->kind = MF_TPARAM_TYPE;
    if (mf_at(p, MF_KW_TEMPLATE)) {
        one->kind = MF_TPARAM_TEMPLATE;
        p->at = mf_skip_angles(p, p->at + 1);
    }
    if (!mf_accept(p, MF_KW_TYPENAME) && !mf_accept(p, MF_KW_CLASS)) {
        mf_syntax(p, mf_cur(p)->at, "expected 'typename' or 'class'");
        return false;
    }
    one->pack = mf_accept(p, MF_TOK_ELLIPSIS);
    one->at = mf_cur(p)->at;
    if (mf_at(p, MF_TOK_IDENT)) {
        one->name = mf_cur(p)->ident;
        mf_advance(p);
    }
    return true;
}

static bool read_value_param(mf_parser *p, mf_tparam *one)
{
    one->kind = MF_TPARAM_VALUE;
    one->type_at = p->at;
    size_t end = mf_skip_arg(p, p->at);
    for (size_t i = p->at; i < end; ++i) {
        if (p->tokens[i].kind == MF_TOK_EQ) end = i;
        if (p->tokens[i].kind == MF_TOK_ELLIPSIS) one->pack = true;
    }
    size_t name = 0;
    if (is_function_pointer(p, p->at, end, &name)) {
        one->kind = MF_TPARAM_FUNCTION;
        if (p->tokens[name].kind == MF_TOK_IDENT) one->name = p->tokens[name].ident;
        one->at = p->tokens[name].at;
    } else if (end > p->at + 1 && p->tokens[end - 1].kind == MF_TOK_IDENT &&
               p->tokens[end - 2].kind != MF_TOK_SCOPE) {
        one->name = p->tokens[end - 1].ident;
        one->at = p->tokens[end - 1].at;
    }
    if (end == p->at) {
        mf_syntax(p, mf_cur(p)->at, "expected a parameter of the template");
        return false;
    }
    p->at = end;
    return true;
}

static bool at_type_param(const mf_parser *p)
{
    mf_token_kind k = mf_cur(p)->kind, next = mf_ahead(p, 1)->kind;
    if (k == MF_KW_TEMPLATE) return true;
    if (k != MF_KW_TYPENAME && k != MF_KW_CLASS) return false;
    if (next != MF_TOK_IDENT) return true;
    mf_token_kind after = mf_ahead(p, 2)->kind;
    return after != MF_TOK_SCOPE && after != MF_TOK_LESS && after != MF_TOK_IDENT;
}

/* "< parameters >" behind "template". */
static bool read_params(mf_parser *p, mf_template *t)
{
    t->params = arena_array(p->mem, mf_tparam, MF_TPARAMS);
    mf_advance(p);
    while (!mf_at(p, MF_TOK_GREATER)) {
        if (t->param_count == MF_TPARAMS) {
            mf_syntax(p, mf_cur(p)->at, "more than %d parameters of a template", MF_TPARAMS);
            return false;
        }
        mf_tparam *one = &t->params[t->param_count++];
        if (!(at_type_param(p) ? read_type_param(p, one) : read_value_param(p, one))) return false;
        if (mf_accept(p, MF_TOK_EQ)) {
            one->default_at = p->at;
            p->at = mf_skip_arg(p, p->at);
        }
        if (!mf_accept(p, MF_TOK_COMMA)) break;
    }
    return mf_expect(p, MF_TOK_GREATER, "after the template's parameters");
}

/* What the declaration behind the parameters declares */

typedef struct found {
    size_t name, args, paren; /* tokens; 0 where there is none */
    bool is_operator;
} found;

/* Looks through a declaration of a function or variable for its name. */
static found find_name(const mf_parser *p, size_t at)
{
    found f = {0};
    for (;;) {
        mf_token_kind k = p->tokens[at].kind;
        if (k == MF_TOK_END || k == MF_TOK_SEMI || k == MF_TOK_EQ || k == MF_TOK_L_BRACE ||
            k == MF_TOK_R_BRACE) {
            return f;
        }
        if (k == MF_KW_OPERATOR) {
            f = (found){.name = at, .is_operator = true};
            do ++at;
            while (p->tokens[at].kind != MF_TOK_L_PAREN && p->tokens[at].kind != MF_TOK_END);
            if (p->tokens[at + (at + 1 < p->token_count)].kind == MF_TOK_R_PAREN &&
                f.name + 1 == at)
                at += 2;
            f.paren = at;
            return f;
        }
        if (k == MF_TOK_IDENT) {
            bool args = p->tokens[at + 1].kind == MF_TOK_LESS;
            bool attribute = str_is(p->tokens[at].ident->text, "__attribute__");
            if (!attribute) f = (found){.name = at, .args = args ? at + 1 : 0};
            if (attribute) f = (found){0};
            at = args ? mf_skip_angles(p, at + 1) : at + 1;
            if (attribute && p->tokens[at].kind == MF_TOK_L_PAREN) at = mf_skip_balanced(p, at);
            continue;
        }
        if (k == MF_TOK_L_PAREN && f.name != 0 && at != 0 &&
            (p->tokens[at - 1].kind == MF_TOK_IDENT || p->tokens[at - 1].kind == MF_TOK_GREATER)) {
            f.paren = at;
            return f;
        }
        bool open = k == MF_TOK_L_PAREN || k == MF_TOK_L_SQUARE;
        at = open ? mf_skip_balanced(p, at) : at + 1;
    }
}

static mf_template *find_template(const mf_scope *s, const mf_ident *name)
{
    mf_symbol *known = mf_find(s, name);
    return known != NULL && known->kind == MF_SYM_TEMPLATE ? known->generic : NULL;
}

static void declare_class(mf_parser *p, mf_template *t)
{
    mf_advance(p); /* struct, class or union */
    mf_attributes attributes = mf_attributes_none();
    if (!mf_parse_attributes(p, &attributes)) return;
    while (mf_at(p, MF_KW_ALIGNAS) || str_is(mf_token_text(mf_cur(p)), "__attribute__"))
        p->at = mf_skip_balanced(p, p->at + 1);
    const mf_token *name = mf_cur(p);
    if (!mf_expect(p, MF_TOK_IDENT, "as the name of the class template")) return;
    t->kind = MF_OF_CLASSES;
    t->name = name->ident;
    t->at = name->at;
    if (mf_at(p, MF_TOK_LESS)) {
        t->args_at = p->at;
        p->at = mf_skip_angles(p, p->at);
    }
    while (!mf_at(p, MF_TOK_L_BRACE) && !mf_at(p, MF_TOK_SEMI) && !mf_at(p, MF_TOK_END))
        mf_advance(p);
    t->has_body = mf_at(p, MF_TOK_L_BRACE);
    if (t->has_body) p->at = mf_skip_balanced(p, p->at);
    if (!mf_expect(p, MF_TOK_SEMI, "after the class template")) return;
    mf_template *known = find_template(p->scope, t->name);
    if (t->args_at != 0) {
        for (mf_scope *s = p->scope; known == NULL && s != NULL; s = s->parent) {
            known = find_template(s, t->name);
            for (size_t i = 0; known == NULL && i < s->used_count; ++i) known = find_template(s->used[i], t->name);
            if (known == NULL && s->is_metal && p->metal != NULL) known = find_template(p->metal, t->name);
        }
        if (known == NULL) {
            diag_error(p->diags, t->at, "there is no template '%.*s' to specialise",
                       STR_ARG(t->name->text));
            return;
        }
        t->next = known->specials;
        known->specials = t;
        return;
    }
    if (known != NULL && known->kind == MF_OF_CLASSES && !(known->has_body && t->has_body)) {
        for (size_t i = 0; i < t->param_count && i < known->param_count; ++i) {
            if (t->params[i].default_at == 0) t->params[i].default_at = known->params[i].default_at;
        }
        if (!t->has_body) return;
        known->params = t->params;
        known->param_count = t->param_count;
        known->begin = t->begin;
        known->has_body = true;
        return;
    }
    mf_symbol *s = mf_declare(p, MF_SYM_TEMPLATE, t->name, t->at);
    if (s != NULL) s->generic = t;
    t->symbol = s;
}

static void declare_alias(mf_parser *p, mf_template *t)
{
    mf_advance(p);
    t->kind = MF_OF_ALIASES;
    t->name = mf_cur(p)->ident;
    t->at = mf_cur(p)->at;
    if (!mf_expect(p, MF_TOK_IDENT, "after 'using'")) return;
    if (!mf_at(p, MF_TOK_EQ)) {
        mf_expect(p, MF_TOK_EQ, "after the alias's name");
        return;
    }
    mf_symbol *s = mf_declare(p, MF_SYM_TEMPLATE, t->name, t->at);
    if (s != NULL) s->generic = t;
    while (!mf_at(p, MF_TOK_SEMI) && !mf_at(p, MF_TOK_END)) mf_advance(p);
    mf_expect(p, MF_TOK_SEMI, "after the alias");
}

static void declare_variable(mf_parser *p, mf_template *t, const found *f)
{
    t->kind = MF_OF_VARIABLES;
    t->name = p->tokens[f->name].ident;
    t->at = p->tokens[f->name].at;
    t->args_at = f->args;
    while (!mf_at(p, MF_TOK_SEMI) && !mf_at(p, MF_TOK_END))
        p->at = mf_at(p, MF_TOK_L_BRACE) ? mf_skip_balanced(p, p->at) : p->at + 1;
    mf_expect(p, MF_TOK_SEMI, "after the variable template");
    if (t->args_at != 0) {
        mf_template *known = NULL;
        for (mf_scope *s = p->scope; known == NULL && s != NULL; s = s->parent)
            known = find_template(s, t->name);
        if (known != NULL) {
            t->next = known->specials;
            known->specials = t;
            return;
        }
    }
    mf_symbol *s = mf_declare(p, MF_SYM_TEMPLATE, t->name, t->at);
    if (s != NULL) s->generic = t;
}

static void declare_function_template(mf_parser *p, mf_template *t, const found *f)
{
    size_t behind = mf_skip_balanced(p, f->paren);
    mf_token_kind tail = p->tokens[behind].kind;
    bool own =
        t->record != NULL && !f->is_operator && p->tokens[f->name].ident == t->record->own_name;
    if (own && (tail == MF_KW_THREADGROUP || tail == MF_KW_DEVICE || tail == MF_KW_CONSTANT)) {
        p->at =
            mf_skip_body(p, behind); /* a constructor for another address space makes the same */
        return;
    }
    mf_ident *name =
        f->is_operator ? mf_operator_name(p, f->name, f->paren) : p->tokens[f->name].ident;
    if (p->tokens[f->name - 1].kind == MF_TOK_SCOPE) {
        mf_unsupported(p, p->tokens[f->name].at,
                       "a member of a class template defined outside of it is not supported");
        return;
    }
    t->kind = MF_OF_FUNCTIONS;
    t->name = name;
    t->at = p->tokens[f->name].at;
    p->at = mf_skip_function(p, f->paren);
    if (!mf_find_patterns(p, t, f->paren)) return;
    mf_candidate *c = mf_add_generic(p, t, f->is_operator && name == NULL);
    if (c != NULL) c->is_constexpr = false;
}

/* At "template": a template or a specialisation of one is kept, an instantiation made. */
void mf_parse_template(mf_parser *p)
{
    span begin = mf_cur(p)->at;
    if (mf_ahead(p, 1)->kind != MF_TOK_LESS) {
        mf_advance(p);
        mf_parse_instantiation(p, begin);
        return;
    }
    mf_advance(p);
    mf_template *t = arena_new(p->mem, mf_template);
    t->scope = p->scope;
    t->record = p->scope->kind == MF_SCOPE_RECORD ? p->scope->record : NULL;
    if (!read_params(p, t)) return;
    t->begin = p->at;
    mf_token_kind k = mf_cur(p)->kind;
    if (k == MF_KW_TEMPLATE) {
        mf_unsupported(p, mf_cur(p)->at,
                       "a member template defined outside of its class is not supported");
    } else if (k == MF_KW_FRIEND) {
        mf_unsupported(p, mf_cur(p)->at, "friends are not supported");
    } else if (k == MF_KW_USING) {
        declare_alias(p, t);
    } else if (k == MF_KW_STRUCT || k == MF_KW_CLASS || k == MF_KW_UNION) {
        declare_class(p, t);
    } else {
        found f = find_name(p, p->at);
        if (f.name == 0) {
            mf_syntax(p, mf_cur(p)->at, "expected a declaration after the template's parameters");
        } else if (f.paren == 0) {
            declare_variable(p, t, &f);
        } else if (t->param_count == 0) {
            size_t behind = mf_skip_function(p, f.paren);
            mf_parse_specialisation(p, f.name);
            if (!p->panic) p->at = behind;
        } else {
            declare_function_template(p, t, &f);
        }
    }
}

/* Arguments */

static bool ends_arg(const mf_parser *p)
{
    return mf_at(p, MF_TOK_COMMA) || mf_at(p, MF_TOK_GREATER) || mf_at(p, MF_TOK_ELLIPSIS);
}

static bool ends_name(const mf_parser *p, size_t n)
{
    mf_token_kind k = mf_ahead(p, n)->kind;
    return k == MF_TOK_COMMA || k == MF_TOK_GREATER;
}

/* The name of a function or of a class template as an argument; false where it is none. */
static bool name_arg(mf_parser *p, mf_targ *out)
{
    size_t before = p->at;
    mf_accept(p, MF_TOK_AMP);
    if (!mf_at(p, MF_TOK_IDENT) && !mf_at(p, MF_TOK_SCOPE)) {
        p->at = before;
        return false;
    }
    mf_ref r = mf_peek_name(p);
    bool function = r.symbol != NULL && r.symbol->kind == MF_SYM_FUNCTION;
    bool generic = r.symbol != NULL && r.symbol->kind == MF_SYM_TEMPLATE;
    if (!function && !generic) {
        p->at = before;
        return false;
    }
    r = mf_resolve(p);
    if (function && mf_at(p, MF_TOK_LESS)) {
        mf_targs *given = arena_new(p->mem, mf_targs);
        if (!mf_parse_targs(p, given)) return true;
        mf_symbol *s = arena_copy(p->mem, r.symbol, sizeof *r.symbol);
        s->given = given;
        r.symbol = s;
    }
    if (!ends_name(p, 0)) {
        p->at = before;
        return false;
    }
    *out = (mf_targ){.kind = function ? MF_TARG_FUNCTION : MF_TARG_TEMPLATE, .symbol = r.symbol};
    return true;
}

static bool type_arg(mf_parser *p, mf_targ *out)
{
    size_t before = p->at;
    mf_specs specs;
    mf_declarator d = {0};
    diag_list quiet;
    diag_list *loud = mf_quiet(p, &quiet);
    bool good = mf_parse_specs(p, &specs) && mf_parse_declarator(p, &specs, &d) && d.name == NULL &&
                ends_arg(p);
    good = mf_loud(p, loud) && good && !p->panic;
    if (good) {
        *out = (mf_targ){.kind = MF_TARG_TYPE, .type = d.type};
        return true;
    }
    p->panic = false;
    p->at = before;
    return false;
}

static bool value_arg(mf_parser *p, mf_targ *out)
{
    mf_expr *e = mf_value(p, mf_as_number(p, mf_parse_ternary(p)));
    if (p->panic || mf_bad(e)) {
        p->panic = true;
        return false;
    }
    *out = (mf_targ){.kind = MF_TARG_VALUE, .type = {.type = e->type}};
    if ((mf_is_scalar(e->type) || e->type->kind == MF_TYPE_ENUM) && mf_fold(e, &out->value))
        return true;
    mf_syntax(p, e->at, "a template's argument must be a type or a constant");
    return false;
}

static bool read_arg(mf_parser *p, mf_targs *out)
{
    mf_targ one = {0};
    bool type = mf_at_type(p) && type_arg(p, &one);
    if (!type && !p->panic && !name_arg(p, &one) && !value_arg(p, &one)) return false;
    if (p->panic) return false;
    mf_targs_push(p->mem, out, one);
    return true;
}

static bool read_args(mf_parser *p, mf_targs *out)
{
    mf_advance(p);
    while (!mf_at(p, MF_TOK_GREATER)) {
        mf_pack pack;
        bool expands = mf_find_pack(p, p->at, &pack), good = true;
        for (size_t i = 0; expands && good && i < pack.n; ++i) { /* "T...": one by one */
            mf_enter_pack(p, &pack, i);
            good = read_arg(p, out);
            mf_pop_scope(p);
        }
        if (expands)
            p->at = pack.end;
        else
            good = read_arg(p, out);
        if (!good) return false;
        if (out->n > MF_TPARAMS) {
            mf_syntax(p, mf_cur(p)->at, "more than %d arguments of a template", MF_TPARAMS);
            return false;
        }
        if (!mf_accept(p, MF_TOK_COMMA)) break;
    }
    return mf_expect(p, MF_TOK_GREATER, "after the template's arguments");
}

bool mf_parse_targs(mf_parser *p, mf_targs *out)
{
    if (p->seen == NULL) p->seen = arena_new(p->mem, mf_seen_ids);
    size_t at = p->at;
    mf_seen_id *seen = &p->seen->at[(at ^ ((uintptr_t)p->scope >> 5)) % MF_SEEN_IDS];
    if (seen->at == at && seen->scope == p->scope && seen->end != 0) {
        *out = seen->args;
        p->at = seen->end;
        return true;
    }
    if (!mf_enter(p)) return false;
    bool outer = p->no_greater;
    p->no_greater = true;
    *out = mf_targs_none();
    bool good = read_args(p, out);
    p->no_greater = outer;
    mf_leave(p);
    if (good) *seen = (mf_seen_id){.at = at, .end = p->at, .scope = p->scope, .args = *out};
    return good;
}

bool mf_same_arg(const mf_targ *a, const mf_targ *b)
{
    if (a->kind != b->kind) return false;
    switch (a->kind) {
    case MF_TARG_TYPE:
        return a->type.type == b->type.type && a->type.quals == b->type.quals &&
               a->type.space == b->type.space;
    case MF_TARG_VALUE: return a->value.i == b->value.i;
    case MF_TARG_FUNCTION:
        return a->symbol->functions == b->symbol->functions && a->symbol->given == b->symbol->given;
    case MF_TARG_TEMPLATE: return a->symbol->generic == b->symbol->generic;
    case MF_TARG_PACK:
        if (a->pack_count != b->pack_count) return false;
        for (size_t i = 0; i < a->pack_count; ++i) {
            if (!mf_same_arg(&a->pack[i], &b->pack[i])) return false;
        }
        return true;
    case MF_TARG_NONE: return true;
    }
    return false;
}

static void write_key(mf_parser *p, buf *out, const mf_targ *a)
{
    struct {
        uint64_t kind, value;
        const void *what;
    } key = {.kind = (uint64_t)a->kind};
    switch (a->kind) {
    case MF_TARG_TYPE:
        key.what = a->type.type;
        key.value = (uint64_t)a->type.space * 4 + a->type.quals;
        break;
    case MF_TARG_VALUE:
        key.what = a->type.type;
        key.value = a->value.i;
        break;
    case MF_TARG_FUNCTION:
        key.what = a->symbol->functions;
        if (a->symbol->given != NULL) {
            for (size_t i = 0; i < a->symbol->given->n; ++i)
                write_key(p, out, &a->symbol->given->at[i]);
        }
        break;
    case MF_TARG_TEMPLATE: key.what = a->symbol->generic; break;
    case MF_TARG_PACK:
        key.value = a->pack_count;
        for (size_t i = 0; i < a->pack_count; ++i) write_key(p, out, &a->pack[i]);
        break;
    case MF_TARG_NONE: break;
    }
    buf_str(out, (str){(const char *)&key, sizeof key});
}

str mf_args_key(mf_parser *p, const mf_targs *args)
{
    ingot_allocator hook = arena_hook(p->mem);
    buf out = buf_make(&hook);
    for (size_t i = 0; i < args->n; ++i) write_key(p, &out, &args->at[i]);
    return str_copy(p->mem, buf_view(&out));
}

static void write_arg(mf_parser *p, buf *out, const mf_targ *a)
{
    switch (a->kind) {
    case MF_TARG_TYPE:
        if ((a->type.quals & MF_CONST) != 0) buf_text(out, "const ");
        buf_str(out, mf_type_text(p->mem, a->type.type));
        return;
    case MF_TARG_VALUE:
        if (mf_is_bool(a->type.type)) {
            buf_text(out, a->value.i != 0 ? "true" : "false");
        } else {
            buf_printf(out, "%lld", (long long)a->value.i);
        }
        return;
    case MF_TARG_FUNCTION:
    case MF_TARG_TEMPLATE: buf_str(out, a->symbol->name->text); return;
    case MF_TARG_PACK:
        for (size_t i = 0; i < a->pack_count; ++i) {
            if (i != 0) buf_text(out, ", ");
            write_arg(p, out, &a->pack[i]);
        }
        return;
    case MF_TARG_NONE: buf_text(out, "?"); return;
    }
}

str mf_args_text(mf_parser *p, const mf_targs *args)
{
    ingot_allocator hook = arena_hook(p->mem);
    buf out = buf_make(&hook);
    buf_char(&out, '<');
    for (size_t i = 0; i < args->n; ++i) {
        if (i != 0) buf_text(&out, ", ");
        write_arg(p, &out, &args->at[i]);
    }
    buf_char(&out, '>');
    return str_copy(p->mem, buf_view(&out));
}

/* Parameters and arguments together */

static void bind_arg(mf_parser *p, mf_scope *s, const mf_tparam *q, const mf_targ *a)
{
    if (q->name == NULL) return;
    mf_symbol *one;
    switch (a->kind) {
    case MF_TARG_TYPE:
        one = mf_add_symbol(p, s, MF_SYM_TYPE, q->name, q->at);
        one->type = a->type;
        return;
    case MF_TARG_VALUE:
        one = mf_add_symbol(p, s, MF_SYM_ENUMERATOR, q->name, q->at);
        one->type = a->type;
        one->value = (int64_t)a->value.i;
        return;
    case MF_TARG_FUNCTION:
        one = mf_add_symbol(p, s, MF_SYM_FUNCTION, q->name, q->at);
        one->functions = a->symbol->functions;
        one->given = a->symbol->given;
        return;
    case MF_TARG_TEMPLATE:
        one = mf_add_symbol(p, s, MF_SYM_TEMPLATE, q->name, q->at);
        one->generic = a->symbol->generic;
        return;
    case MF_TARG_PACK:
        one = mf_add_symbol(p, s, MF_SYM_PACK, q->name, q->at);
        one->pack = arena_copy(p->mem, a, sizeof *a);
        return;
    case MF_TARG_NONE: return;
    }
}

static mf_scope *args_scope(mf_parser *p, const mf_template *t)
{
    mf_scope *s = arena_new(p->mem, mf_scope);
    s->kind = MF_SCOPE_NAMESPACE;
    s->parent = t->scope;
    s->label = t->scope->label;
    return s;
}

mf_scope *mf_bind_args(mf_parser *p, const mf_template *t, const mf_targs *args)
{
    mf_scope *s = args_scope(p, t);
    for (size_t i = 0; i < t->param_count && i < args->n; ++i)
        bind_arg(p, s, &t->params[i], &args->at[i]);
    return s;
}

/* The default of a parameter, read where the ones before it are known. */
static bool default_arg(mf_parser *p, const mf_tparam *q, mf_targ *out)
{
    bool outer = p->no_greater;
    p->no_greater = true;
    p->at = q->default_at;
    bool good = (mf_at_type(p) && type_arg(p, out)) ||
                (!p->panic && (name_arg(p, out) || value_arg(p, out)));
    p->no_greater = outer;
    return good && !p->panic;
}

/* Brings an argument to what the parameter wants. */
static bool fit_arg(mf_parser *p, const mf_tparam *q, mf_targ *a, span at)
{
    static const mf_targ_kind wanted[] = {[MF_TPARAM_TYPE] = MF_TARG_TYPE,
                                          [MF_TPARAM_VALUE] = MF_TARG_VALUE,
                                          [MF_TPARAM_FUNCTION] = MF_TARG_FUNCTION,
                                          [MF_TPARAM_TEMPLATE] = MF_TARG_TEMPLATE};
    if (q->kind == MF_TPARAM_VALUE &&
        a->kind == MF_TARG_FUNCTION) { /* its type is a name for that of functions */
        mf_specs named;
        p->at = q->type_at;
        if (!mf_parse_specs(p, &named)) return false;
        const mf_type *t = named.type.type;
        if (t->kind == MF_TYPE_POINTER) t = t->elem;
        if (t->kind == MF_TYPE_FUNCTION &&
            (t->params == NULL || mf_function_fits(p, a->symbol, t, at)))
            return true;
        diag_error(p->diags, at, "no function '%.*s' has the type that the template wants",
                   STR_ARG(a->symbol->name->text));
        return false;
    }
    if (a->kind != wanted[q->kind]) {
        diag_error(p->diags, at,
                   "the argument for '%.*s' is not of the kind that the template wants",
                   STR_ARG(q->name != NULL ? q->name->text : STR("(unnamed)")));
        return false;
    }
    if (q->kind != MF_TPARAM_VALUE) return true;
    mf_specs specs;
    p->at = q->type_at;
    if (!mf_parse_specs(p, &specs)) return false;
    const mf_type *to = specs.type.type;
    if (specs.is_auto) return true;
    bool number = mf_is_scalar(to) || to->kind == MF_TYPE_ENUM;
    if (!number || mf_scalar_is_float(to->scalar)) {
        diag_error(p->diags, at, "a parameter of a template cannot be '%.*s'",
                   STR_ARG(mf_type_text(p->mem, to)));
        return false;
    }
    if (mf_scalar_is_float(a->type.type->scalar)) {
        diag_error(p->diags, at, "the argument for '%.*s' must be an integer, not '%.*s'", STR_ARG(q->name != NULL ? q->name->text : STR("(unnamed)")),
                   STR_ARG(mf_type_text(p->mem, a->type.type)));
        return false;
    }
    a->value = mf_convert_constant(a->type.type->scalar, a->value, to->scalar);
    a->type = (mf_qtype){.type = to};
    return true;
}

static bool complete_one(mf_parser *p, const mf_template *t, size_t i, mf_targs *args, span at)
{
    const mf_tparam *q = &t->params[i];
    if (q->pack) {
        if (i < args->n && args->at[i].kind == MF_TARG_PACK) return true;
        mf_targ pack = {.kind = MF_TARG_PACK};
        pack.pack_count = args->n > i ? args->n - i : 0;
        pack.pack = arena_array(p->mem, mf_targ, pack.pack_count + 1);
        for (size_t k = 0; k < pack.pack_count; ++k) {
            pack.pack[k] = args->at[i + k];
            if (!fit_arg(p, q, &pack.pack[k], at)) return false;
        }
        args->n = i;
        mf_targs_push(p->mem, args, pack);
        return true;
    }
    bool given = i < args->n && args->at[i].kind != MF_TARG_NONE;
    if (!given) {
        mf_targ one = {0};
        if (q->default_at == 0 || !default_arg(p, q, &one)) {
            if (q->default_at == 0) {
                diag_error(p->diags, at, "nothing says what the template's parameter '%.*s' is",
                           STR_ARG(q->name != NULL ? q->name->text : STR("(unnamed)")));
            }
            return false;
        }
        if (i < args->n)
            args->at[i] = one;
        else
            mf_targs_push(p->mem, args, one);
    }
    return fit_arg(p, q, &args->at[i], at);
}

bool mf_complete_args(mf_parser *p, const mf_template *t, mf_targs *args, span at)
{
    mf_targs own = mf_targs_none();
    for (size_t i = 0; i < args->n; ++i) mf_targs_push(p->mem, &own, args->at[i]);
    *args = own;
    bool pack = t->param_count != 0 && t->params[t->param_count - 1].pack;
    if (args->n > t->param_count && !pack) {
        diag_error(p->diags, at, "'%.*s' has %zu template parameter%s, not %zu",
                   STR_ARG(t->name->text), t->param_count, t->param_count == 1 ? "" : "s", args->n);
        return false;
    }
    mf_scope *s = args_scope(p, t);
    mf_state old;
    bool good = mf_interrupt(p, &old, p->at, s, at);
    for (size_t i = 0; good && i < t->param_count; ++i) {
        good = complete_one(p, t, i, args, at) && !p->panic;
        if (good) bind_arg(p, s, &t->params[i], &args->at[i]);
    }
    mf_resume(p, &old);
    return good;
}
