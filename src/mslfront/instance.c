/* Instances of templates: functions, classes, aliases, variables; explicit ones. */
#include "mslfront/template.h"

mf_ident *mf_operator_name(mf_parser *p, size_t at, size_t paren)
{
    ingot_allocator hook = arena_hook(p->mem);
    buf out = buf_make(&hook);
    buf_text(&out, "operator");
    for (size_t i = at + 1; i < paren; ++i) {
        const mf_token *t = &p->tokens[i];
        if (t->kind == MF_TOK_IDENT || t->ident != NULL) return NULL;
        buf_str(&out, mf_token_text(t));
    }
    return mf_intern(p->mem, p->idents, str_copy(p->mem, buf_view(&out)));
}

bool mf_parse_function_name(mf_parser *p, const mf_specs *specs, mf_declarator *d)
{
    if (specs->operator_name != NULL) {
        *d = (mf_declarator){
            .type = specs->type, .name = specs->operator_name, .at = specs->operator_at};
        return true;
    }
    if (!mf_parse_declarator(p, specs, d)) return false;
    if (d->name == NULL && mf_at(p, MF_KW_OPERATOR)) {
        size_t begin = p->at;
        d->at = mf_cur(p)->at;
        mf_advance(p);
        bool call = mf_at(p, MF_TOK_L_PAREN) && mf_ahead(p, 1)->kind == MF_TOK_R_PAREN;
        if (call) p->at += 2;
        while (!mf_at(p, MF_TOK_L_PAREN) && !mf_at(p, MF_TOK_SEMI) && !mf_at(p, MF_TOK_END))
            mf_advance(p);
        d->name = mf_operator_name(p, begin, p->at);
        d->at = mf_since(p, d->at);
    }
    if (d->name != NULL && mf_at(p, MF_TOK_LESS))
        p->at = mf_skip_angles(p, p->at); /* of a specialisation */
    if (d->name != NULL && mf_at(p, MF_TOK_L_PAREN)) return true;
    mf_syntax(p, mf_cur(p)->at, "expected the name of a function");
    return false;
}

/* Functions */

static mf_candidate *read_instance(mf_parser *p, mf_template *t, const mf_targs *args,
                                   span at)
{
    mf_state old;
    diag_list quiet;
    diag_list *loud = mf_quiet(p, &quiet);
    mf_candidate *c = NULL;
    ++p->instances;
    if (mf_interrupt(p, &old, t->begin, mf_bind_args(p, t, args), at)) c = mf_read_instance(p, t);
    if (p->panic) c = NULL;
    mf_resume(p, &old);
    if (!mf_loud(p, loud)) c = NULL;
    return c;
}

mf_candidate *mf_function_instance(mf_parser *p, mf_candidate *generic, const mf_targs *args,
                                   span at)
{
    mf_template *t = generic->generic;
    str key = mf_args_key(p, args);
    mf_candidate *c = map_get(&t->made, key);
    if (c != NULL) return c->function != NULL ? c : NULL;
    c = read_instance(p, t, args, at);
    if (c == NULL) {
        map_put(p->mem, &t->made, key, arena_new(p->mem, mf_candidate));
        return NULL;
    }
    mf_candidate *same = map_get(&t->made, key); /* made while its own declaration was read */
    if (same != NULL) return same->function != NULL ? same : NULL;
    c->function->label =
        str_format(p->mem, "%.*s%.*s", STR_ARG(c->function->label), STR_ARG(mf_args_text(p, args)));
    map_put(p->mem, &t->made, key, c);
    return c;
}

/* Classes, aliases, variables */

/* The specialisation that the arguments fit, the one with the fewest open parameters; *own gets its
 * arguments. */
static mf_template *choose_special(mf_parser *p, mf_template *t, const mf_targs *args,
                                   mf_targs *own, span at)
{
    mf_template *best = NULL;
    unsigned best_weight = 0;
    for (mf_template *s = t->specials; s != NULL; s = s->next) {
        mf_targs deduced;
        if (!mf_deduce_special(p, s, args, &deduced)) continue;
        mf_state old;
        diag_list quiet;
        diag_list *loud = mf_quiet(p, &quiet);
        mf_targs made = mf_targs_none();
        bool good = mf_interrupt(p, &old, s->args_at, mf_bind_args(p, s, &deduced), at) &&
                    mf_parse_targs(p, &made) && !p->panic;
        mf_resume(p, &old);
        good = mf_loud(p, loud) && good && mf_complete_args(p, t, &made, at) && made.n == args->n;
        for (size_t i = 0; good && i < args->n; ++i) good = mf_same_arg(&made.at[i], &args->at[i]);
        unsigned weight = 1000 - (unsigned)s->param_count;
        if (!good || weight <= best_weight) continue;
        best_weight = weight;
        best = s;
        *own = deduced;
    }
    return best;
}

static void note_instance(mf_parser *p, const mf_template *t, const mf_targs *args, span at)
{
    diag_note(p->diags, at, "in instantiation of '%.*s%.*s', asked for here",
              STR_ARG(t->name->text), STR_ARG(mf_args_text(p, args)));
}

/* The class: its symbol stands before its body is read, which may name it. */
static void read_class(mf_parser *p, mf_template *t, mf_template *from, const mf_targs *args,
                       mf_symbol *made, const mf_targs *own, span at)
{
    bool is_union = p->tokens[from->begin].kind == MF_KW_UNION;
    str name =
        str_format(p->mem, "%.*s%.*s", STR_ARG(t->name->text), STR_ARG(mf_args_text(p, args)));
    mf_record *r = mf_new_record(p, is_union, name, t->at);
    made->type.type = r->type;
    r->made_of = t;
    r->made_with = args;
    r->own_name = t->name;
    if (!from->has_body) return; /* declared only: of no size */
    mf_state old;
    diag_list *quiet = mf_aloud(p);
    unsigned errors = p->diags->errors;
    if (mf_interrupt(p, &old, from->begin + 1, mf_bind_args(p, from, own), at)) {
        mf_attributes attributes = mf_attributes_none();
        mf_specs aligned = {0};
        (void)mf_parse_attributes(p, &attributes);
        while (mf_take_alignas(p, &aligned) || mf_take_gnu_attribute(p, &aligned)) {
        }
        r->own_align = aligned.align;
        while (!mf_at(p, MF_TOK_L_BRACE) && !mf_at(p, MF_TOK_COLON)) {
            p->at = mf_at(p, MF_TOK_LESS) ? mf_skip_angles(p, p->at) : p->at + 1;
        }
        mf_parse_record_body(p, r);
    }
    mf_resume(p, &old);
    if (errors != p->diags->errors) note_instance(p, t, args, at);
    p->diags = quiet;
}

static void read_alias(mf_parser *p, mf_template *t, const mf_targs *args, mf_symbol *made, span at)
{
    mf_state old;
    if (mf_interrupt(p, &old, t->begin, mf_bind_args(p, t, args), at)) {
        while (!mf_at(p, MF_TOK_EQ)) mf_advance(p);
        mf_advance(p);
        if (!mf_parse_type_id(p, &made->type)) made->type.type = NULL;
    }
    bool panic = p->panic;
    mf_resume(p, &old);
    if (panic || made->type.type == NULL) made->type.type = mf_error_type();
}

static void read_variable(mf_parser *p, mf_template *t, mf_template *from, const mf_targs *args,
                          mf_symbol *made, const mf_targs *own, span at)
{
    mf_state old;
    diag_list *quiet = mf_aloud(p);
    unsigned errors = p->diags->errors;
    made->kind = MF_SYM_VAR;
    if (mf_interrupt(p, &old, from->begin, mf_bind_args(p, from, own), at)) {
        mf_specs specs;
        mf_declarator d;
        if (mf_parse_specs(p, &specs) && mf_parse_declarator(p, &specs, &d)) {
            if (mf_at(p, MF_TOK_LESS)) p->at = mf_skip_angles(p, p->at);
            d.type.space = MF_CONSTANT;
            made->var = mf_parse_global(p, &specs, &d);
        }
    }
    mf_resume(p, &old);
    if (errors != p->diags->errors) note_instance(p, t, args, at);
    p->diags = quiet;
}

static mf_symbol *make(mf_parser *p, mf_template *t, mf_targs *args, span at)
{
    if (!mf_complete_args(p, t, args, at)) return NULL;
    str key = mf_args_key(p, args);
    mf_symbol *made = map_get(&t->made, key);
    if (made != NULL) return made;
    made = arena_new(p->mem, mf_symbol);
    *made = (mf_symbol){.kind = MF_SYM_TYPE, .name = t->name, .at = t->at};
    mf_targs *kept = arena_copy(p->mem, args, sizeof *args);
    unsigned errors = p->diags->errors;
    map_put(p->mem, &t->made, key, made);
    ++p->instances;
    mf_targs own = *args;
    mf_template *from = choose_special(p, t, args, &own, at);
    if (from == NULL) from = t;
    switch (t->kind) {
    case MF_OF_CLASSES: read_class(p, t, from, kept, made, &own, at); break;
    case MF_OF_ALIASES: read_alias(p, t, args, made, at); break;
    case MF_OF_VARIABLES: read_variable(p, t, from, args, made, &own, at); break;
    case MF_OF_FUNCTIONS: break;
    }
    if (made->type.type != NULL && made->type.type->kind == MF_TYPE_RECORD)
        made->names = made->type.type->record->scope;
    if (errors != p->diags->errors &&
        t->kind != MF_OF_CLASSES) /* asked for again, it complains again */
        map_put(p->mem, &t->made, key, NULL);
    return made;
}

mf_symbol *mf_instantiate(mf_parser *p, mf_template *t, const mf_targs *given, span at)
{
    str key = mf_args_key(p, given);
    mf_symbol *made = map_get(&t->made, key);
    if (made != NULL) return made;
    mf_targs args = *given;
    made = make(p, t, &args, at);
    if (made == NULL || p->exhausted) return NULL;
    return made;
}

/* Explicit instantiation and specialisation of functions */

typedef struct named {
    mf_specs specs;
    mf_ref name;
    bool has_params, is_pointer; /* of the result: what stands in specs.type is not all */
    mf_exprs params; /* a place of each parameter's type */
    mf_vars vars;
    mf_attributes attributes;
} named;

static mf_expr *place_of_type(mf_parser *p, const mf_type *t, span at)
{
    mf_declarator d = {.type = {.type = t}, .at = at};
    return mf_make_var(p, mf_new_var(p, MF_VAR_PARAM, &d), at);
}

/* "(types)" of an explicit instantiation. */
bool mf_read_types(mf_parser *p, mf_exprs *out)
{
    mf_advance(p);
    while (!mf_at(p, MF_TOK_R_PAREN)) {
        mf_specs specs;
        mf_declarator d;
        if (mf_at(p, MF_KW_VOID) && mf_ahead(p, 1)->kind == MF_TOK_R_PAREN) {
            mf_advance(p);
            break;
        }
        mf_attributes unused = mf_attributes_none();
        if (!mf_parse_specs(p, &specs) || !mf_parse_declarator(p, &specs, &d) ||
            !mf_parse_attributes(p, &unused))
            return false;
        mf_exprs_push(p->mem, out, place_of_type(p, d.type.type, d.at));
        if (mf_at(p, MF_TOK_EQ)) p->at = mf_skip_arg(p, p->at);
        if (!mf_accept(p, MF_TOK_COMMA)) break;
    }
    return mf_expect(p, MF_TOK_R_PAREN, "after the parameters");
}

static bool same_types(const mf_candidate *c, const mf_exprs *params)
{
    size_t self = c->self != NULL && !c->is_constructor ? 1 : 0;
    if (c->function->param_count != params->n + self) return false;
    for (size_t i = 0; i < params->n; ++i) {
        const mf_type *t = c->function->params[i + self]->type, *u = params->at[i]->type;
        const mf_expr *e = params->at[i];
        if (t->kind == MF_TYPE_REFERENCE ? t->elem != u || t->space != e->space : t != u)
            return false;
    }
    return true;
}

bool mf_function_fits(mf_parser *p, const mf_symbol *set, const mf_type *type, span at)
{
    return mf_function_of_type(p, set, type, at) != NULL;
}

/* The instance that the name, its arguments and parameters mean; NULL after a complaint. */
static mf_candidate *choose_instance(mf_parser *p, const named *n, span at)
{
    mf_candidate *best = NULL;
    mf_targs all = mf_targs_none();
    for (mf_candidate *c = n->name.symbol->functions; c != NULL; c = c->next) {
        if (c->generic == NULL) continue;
        mf_targs args;
        if (!mf_deduce_call(p, c->generic, n->name.given, &n->params, &args)) continue;
        if (!n->is_pointer) mf_deduce_result(p, c->generic, n->specs.type, &args);
        diag_list quiet;
        diag_list *loud = mf_quiet(p, &quiet);
        bool good = mf_complete_args(p, c->generic, &args, at);
        good = mf_loud(p, loud) && good;
        mf_candidate *one = good ? mf_function_instance(p, c, &args, at) : NULL;
        if (one == NULL || (n->has_params && !same_types(one, &n->params))) continue;
        if (best != NULL && best->made_of->weight >= c->generic->weight) continue;
        best = one;
        all = args;
    }
    if (best != NULL) {
        if (best->function->kernel && best->called_at.file == 0)
            best->function->name =
                str_format(p->mem, "%.*s%.*s", STR_ARG(best->made_of->name->text),
                           STR_ARG(mf_args_text(p, &all)));
        return best;
    }
    diag_error(p->diags, at, "no template '%.*s' has such an instance", STR_ARG(n->name.id->text));
    for (mf_candidate *c = n->name.symbol->functions; c != NULL; c = c->next) {
        if (c->generic == NULL) continue;
        diag_note(p->diags, c->function->at, "this template does not fit");
        mf_targs args;
        if (!mf_deduce_call(p, c->generic, n->name.given, &n->params, &args)) continue;
        mf_state old;
        if (!mf_complete_args(p, c->generic, &args, at)) continue;
        if (mf_interrupt(p, &old, c->generic->begin, mf_bind_args(p, c->generic, &args), at))
            mf_read_instance(p, c->generic); /* to say what is wrong */
        mf_resume(p, &old);
    }
    return NULL;
}

static bool read_named(mf_parser *p, named *n)
{
    if (!mf_parse_specs(p, &n->specs)) return false;
    while (mf_accept(p, MF_TOK_STAR) || mf_accept(p, MF_TOK_AMP)) n->is_pointer = true;
    n->name = mf_resolve(p);
    if (n->name.id == NULL) return false;
    if (n->name.symbol == NULL || n->name.symbol->kind != MF_SYM_FUNCTION) {
        mf_syntax(p, n->name.at, "'%.*s' is not a template of functions",
                  STR_ARG(n->name.id->text));
        return false;
    }
    if (mf_at(p, MF_TOK_LESS)) {
        mf_targs *given = arena_new(p->mem, mf_targs);
        if (!mf_parse_targs(p, given)) return false;
        n->name.given = given;
    }
    return true;
}

void mf_parse_instantiation(mf_parser *p, span begin)
{
    mf_token_kind k = mf_cur(p)->kind;
    if (k == MF_KW_STRUCT || k == MF_KW_CLASS) {
        mf_advance(p);
        mf_qtype q;
        if (!mf_parse_named_type(p, &q)) mf_syntax(p, mf_cur(p)->at, "expected a class template");
        if (!p->panic) mf_expect(p, MF_TOK_SEMI, "after the instantiation");
        return;
    }
    named n = {.has_params = false};
    if (!read_named(p, &n)) return;
    if (mf_at(p, MF_TOK_L_PAREN)) {
        n.has_params = true;
        if (!mf_read_types(p, &n.params)) return;
    }
    n.attributes = n.specs.attributes;
    if (!mf_parse_attributes(p, &n.attributes)) return;
    span at = mf_since(p, begin);
    if (!mf_expect(p, MF_TOK_SEMI, "after the instantiation")) return;
    mf_candidate *c = choose_instance(p, &n, at);
    if (c == NULL) return;
    mf_use_instance(p, c, at);
    for (size_t i = 0; i < n.attributes.n; ++i) {
        const mf_attribute *a = &n.attributes.at[i];
        if (str_is(a->name->text, "host_name") && a->text.n != 0) c->function->name = a->text;
    }
    if (!c->function->kernel && !n.specs.is_kernel) return;
    mf_need_body(p, c, at);
}

void mf_use_instance(mf_parser *p, mf_candidate *c, span at)
{
    if (c->made_of == NULL || c->used) return;
    c->used = true;
    c->called_at = at;
    unsigned errors = p->diags->errors;
    mf_finish_instance(p, c);
    if (errors != p->diags->errors)
        diag_note(p->diags, at, "in instantiation of '%.*s', asked for here",
                  STR_ARG(c->function->label));
}

void mf_parse_specialisation(mf_parser *p, size_t name)
{
    size_t begin = p->at;
    named n = {.has_params = true};
    if (p->tokens[name - 1].kind == MF_TOK_SCOPE) {
        mf_specs specs;
        if (mf_parse_specs(p, &specs)) mf_parse_outside(p, &specs);
        return;
    }
    if (!read_named(p, &n)) return;
    if (!mf_at(p, MF_TOK_L_PAREN)) {
        mf_syntax(p, mf_cur(p)->at, "expected the parameters of the specialisation");
        return;
    }
    span at = mf_since(p, n.specs.at);
    if (!mf_read_types(p, &n.params)) return;
    mf_candidate *c = choose_instance(p, &n, at);
    if (c == NULL) return;
    if (c->needed) {
        mf_syntax(p, at, "this is specialised after it was used");
        return;
    }
    mf_template own = {
        .begin = begin, .scope = p->scope, .record = c->record, .name = c->made_of->name};
    p->at = begin;
    mf_candidate *special = mf_read_instance(p, &own);
    if (special == NULL) return;
    mf_template *made_of = c->made_of;
    str label = c->function->label;
    mf_candidate *next = c->next;
    *c = *special;
    c->made_of = made_of;
    c->next = next;
    c->function->label = label;
}

/* "Class::name(...) { }" behind the specifiers of a member function defined outside of its class,
 * or "Class::name;" of a static member. */
void mf_parse_outside(mf_parser *p, const mf_specs *specs)
{
    mf_specs own = *specs;
    while (mf_at(p, MF_TOK_STAR) || mf_at(p, MF_TOK_AMP)) mf_advance(p);
    mf_record *r = NULL;
    while (mf_at(p, MF_TOK_IDENT) &&
           (mf_ahead(p, 1)->kind == MF_TOK_SCOPE || mf_ahead(p, 1)->kind == MF_TOK_LESS)) {
        mf_scope *scope = p->scope;
        if (r != NULL) p->scope = r->scope;
        size_t at = p->at;
        const mf_symbol *s = NULL;
        for (const mf_scope *in = p->scope; in != NULL && s == NULL; in = in->parent)
            s = mf_find(in, mf_cur(p)->ident);
        mf_advance(p);
        mf_targs args = mf_targs_none();
        if (s != NULL && s->generic != NULL && mf_at(p, MF_TOK_LESS) && mf_parse_targs(p, &args))
            s = mf_instantiate(p, s->generic, &args, p->tokens[at].at);
        p->scope = scope;
        bool record = s != NULL && s->kind == MF_SYM_TYPE && s->type.type->kind == MF_TYPE_RECORD;
        if (!record || p->panic || !mf_expect(p, MF_TOK_SCOPE, "after the name of a class")) {
            if (!p->panic) mf_syntax(p, p->tokens[at].at, "expected a class whose member this is");
            return;
        }
        r = s->type.type->record;
    }
    if (r == NULL || r->scope == NULL) {
        mf_syntax(p, mf_cur(p)->at, "expected a class whose member this is");
        return;
    }
    bool variable = mf_at(p, MF_TOK_IDENT) && mf_ahead(p, 1)->kind != MF_TOK_L_PAREN;
    if (variable) { /* its value stands in the class */
        while (!mf_at(p, MF_TOK_SEMI) && !mf_at(p, MF_TOK_END)) mf_advance(p);
        mf_expect(p, MF_TOK_SEMI, "after the static member");
        return;
    }
    mf_scope *scope = p->scope;
    p->scope = r->scope;
    mf_declarator d = {.type = own.type};
    if (mf_at(p, MF_TOK_IDENT) && mf_cur(p)->ident == r->own_name) own.is_constructor = true;
    if (mf_parse_function_name(p, &own, &d)) mf_define_member(p, &own, &d);
    p->scope = scope;
}
