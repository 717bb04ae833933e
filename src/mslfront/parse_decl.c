/* Declarations outside functions, and of variables anywhere. */
#include "mslfront/template.h"

void mf_align_variable(mf_parser *p, const mf_specs *specs, mf_var *v)
{
    const mf_type *t = v->type;
    if (specs->align != 0 && t->kind != MF_TYPE_ERROR && specs->align < t->align) {
        diag_error(p->diags, specs->align_at, "an alignment of %u is less than that of '%.*s', %u", specs->align,
                   STR_ARG(mf_type_text(p->mem, t)), t->align);
    }
    v->align = specs->align;
}

mf_var *mf_new_var(mf_parser *p, mf_var_kind kind, const mf_declarator *d)
{
    mf_var *v = arena_new(p->mem, mf_var);
    v->kind = kind;
    v->name = d->name != NULL ? d->name->text : (str){0};
    v->at = d->at;
    v->type = d->type.type;
    v->space = d->type.space != MF_NO_SPACE ? d->type.space : MF_THREAD;
    v->quals = d->type.quals;
    return v;
}

/* Remembers the value of a const scalar, so that it can stand in constant expressions. */
static void remember_value(mf_var *v)
{
    bool constant = (v->quals & MF_CONST) != 0 || v->space == MF_CONSTANT;
    if (!constant || (v->quals & MF_VOLATILE) != 0 || v->init == NULL) return;
    v->has_value = mf_fold(v->init, &v->value);
}

static mf_expr *initializer(mf_parser *p, mf_var *v, const mf_specs *specs)
{
    bool assigned = mf_accept(p, MF_TOK_EQ);
    bool deduced = specs->is_auto && v->type->kind == MF_TYPE_ERROR;
    if (deduced) {
        if (!assigned) {
            mf_syntax(p, mf_cur(p)->at, "'auto' needs '=' and a value");
            return NULL;
        }
        mf_expr *e = mf_value(p, mf_parse_assignment(p));
        v->type = e->type;
        if (e->type->kind == MF_TYPE_NULL) {
            diag_unsupported(p->diags, e->at, "'auto' of nullptr is not supported");
            v->type = mf_error_type();
            return NULL;
        }
        bool object = mf_bad(e) || mf_check_object_type(p, e->type, e->at, "have a variable of");
        if (!object) v->type = mf_error_type();
        return mf_bad(e) || !object ? NULL : e;
    }
    if (v->type->kind == MF_TYPE_REFERENCE) {
        bool paren = !assigned && mf_accept(p, MF_TOK_L_PAREN);
        mf_expr *e = mf_bind_reference(p, mf_parse_assignment(p), v->type, "bind");
        if (paren) mf_expect(p, MF_TOK_R_PAREN, "after the initialiser");
        return e;
    }
    if (v->type->kind == MF_TYPE_ERROR) { /* read and forgotten */
        if (mf_at(p, MF_TOK_L_BRACE) || mf_at(p, MF_TOK_L_PAREN))
            mf_syntax(p, v->at, "its type is unknown");
        if (!p->panic) mf_parse_assignment(p);
        return NULL;
    }
    if (assigned || mf_at(p, MF_TOK_L_BRACE)) return mf_parse_initializer(p, &v->type);
    span begin = mf_cur(p)->at;
    mf_exprs args = mf_exprs_none();
    mf_advance(p);
    if (!mf_parse_arguments(p, &args, MF_TOK_R_PAREN)) return NULL;
    return mf_construct(p, (mf_qtype){.type = v->type}, &args, mf_since(p, begin));
}

/* "auto &name": the declarator was read over an unknown type, so its "&" is looked for in the text.
 */
static bool is_auto_reference(const mf_parser *p, const mf_specs *specs)
{
    return specs->is_auto && p->at >= 2 && p->tokens[p->at - 2].kind == MF_TOK_AMP;
}

static void initialize_auto_reference(mf_parser *p, mf_var *v, const mf_specs *specs)
{
    if (!mf_expect(p, MF_TOK_EQ, "after an 'auto' reference")) return;
    mf_expr *e = mf_parse_assignment(p);
    if (mf_bad(e)) return;
    if (!e->lvalue) {
        diag_error(p->diags, e->at, "an 'auto' reference needs a place");
        return;
    }
    uint8_t quals = (uint8_t)(e->quals | specs->type.quals);
    v->type = mf_reference_type(&p->types, e->type, e->space, quals);
    v->quals = 0;
    v->space = MF_THREAD;
    v->init = mf_bind_reference(p, e, v->type, "bind");
}

void mf_initialize(mf_parser *p, mf_var *v, const mf_specs *specs)
{
    if (is_auto_reference(p, specs)) {
        initialize_auto_reference(p, v, specs);
    } else if (mf_at(p, MF_TOK_EQ) || mf_at(p, MF_TOK_L_PAREN) || mf_at(p, MF_TOK_L_BRACE)) {
        v->init = initializer(p, v, specs);
    } else if (v->space == MF_THREAD && (v->init = mf_default_value(p, v->type, v->at)) != NULL) {
        /* constructed */
    } else if (v->type->kind == MF_TYPE_REFERENCE) {
        diag_error(p->diags, v->at, "the reference '%.*s' needs an initialiser", STR_ARG(v->name));
    } else if (specs->is_auto) {
        diag_error(p->diags, v->at, "'auto' needs '=' and a value");
    } else if ((v->quals & MF_CONST) != 0 && v->space == MF_THREAD &&
               v->type->kind != MF_TYPE_ERROR) {
        diag_error(p->diags, v->at, "the constant '%.*s' needs an initialiser", STR_ARG(v->name));
    }
    if (v->init != NULL && mf_bad(v->init)) v->init = NULL;
    if (v->type->kind == MF_TYPE_ARRAY && v->type->count == 0) {
        diag_error(p->diags, v->at, "the array '%.*s' has no length", STR_ARG(v->name));
        v->type = mf_error_type();
    }
    remember_value(v);
    bool constant = v->kind == MF_VAR_GLOBAL || specs->is_constexpr;
    if (constant && v->init != NULL && v->init->kind == MF_EXPR_CALL) {
        mf_expr *folded = mf_fold_object(p, v->init);
        if (folded != NULL) v->init = folded;
    }
    if (specs->is_constexpr && v->init != NULL && !mf_is_known(v->init) && !v->has_value &&
        v->type->kind != MF_TYPE_REFERENCE && !mf_is_handle(p, v->type)) {
        mf_constant c;
        if (!mf_fold(v->init, &c))
            diag_error(p->diags, v->init->at, "the value of a constexpr must be known here");
    }
}

/* A variable in constant space, at namespace scope or static in a function. */
mf_var *mf_parse_global(mf_parser *p, const mf_specs *specs, mf_declarator *d)
{
    mf_var *v = mf_new_var(p, MF_VAR_GLOBAL, d);
    const bool handle = mf_is_handle(p, d->type.type); /* constexpr samplers need no address space, and are constants however made */
    bool constant = d->type.space == MF_CONSTANT || handle;
    if (!constant && v->type->kind != MF_TYPE_ERROR) {
        diag_error(p->diags, d->at,
                   "a variable outside functions must lie in the constant address space");
    }
    v->space = MF_CONSTANT;
    if (v->type->kind == MF_TYPE_REFERENCE || v->type->kind == MF_TYPE_POINTER) {
        diag_unsupported(p->diags, d->at, "a global '%.*s' is not supported",
                         STR_ARG(mf_type_text(p->mem, v->type)));
        v->type = mf_error_type();
    }
    unsigned errors = p->diags->errors;
    mf_initialize(p, v, specs);
    if (v->type->kind != MF_TYPE_ERROR &&
        !mf_check_object_type(p, v->type, d->at, "have a variable of")) {
        v->type = mf_error_type();
    }
    mf_align_variable(p, specs, v);
    if (errors == p->diags->errors && v->init == NULL) {
        diag_error(p->diags, d->at, "the constant '%.*s' needs an initialiser", STR_ARG(v->name));
    } else if (v->type->kind == MF_TYPE_RECORD && v->type->record->field_count == 0 &&
               v->init != NULL) {
        v->init = mf_new(p, MF_EXPR_ZERO, v->init->at, v->type); /* nothing to construct */
    } else if (v->init != NULL && v->has_value && mf_is_scalar(v->type)) {
        v->init = mf_make_constant(p, v->init->at, v->type->scalar, v->value);
    } else if (v->init != NULL && !handle && !mf_is_known(v->init)) {
        diag_error(p->diags, v->init->at,
                   "the value of a global must be known before the kernel runs");
    }
    v->index = (uint32_t)p->globals.n;
    mf_vars_push(p->mem, &p->globals, v);
    return v;
}

static void check_local(mf_parser *p, mf_var *v, const mf_declarator *d, const mf_specs *specs)
{
    mf_space s = d->type.space;
    if (specs->is_extern || specs->is_inline || specs->is_kernel) {
        diag_error(p->diags, specs->at,
                   "extern, inline or kernel does not belong to a variable in a function");
    }
    v->is_static = specs->is_static && mf_in_library(p, v->at);
    if (specs->is_static && !v->is_static)
        diag_error(p->diags, specs->at, "a static variable in a function must be 'constant'");
    if (s == MF_DEVICE) {
        diag_error(p->diags, d->at, "a variable cannot be declared in device memory");
        v->type = mf_error_type();
    }
    if (s != MF_THREADGROUP) return;
    if (p->function != NULL && !p->function->function->kernel) {
        diag_error(p->diags, d->at, "a threadgroup variable can be declared in a kernel only");
    }
    if (v->type->kind == MF_TYPE_REFERENCE) {
        diag_error(p->diags, d->at, "a reference cannot lie in threadgroup memory");
    }
}

/* Nothing but zeros: {}, {0}. */
static bool is_zero(const mf_expr *e)
{
    if (e->kind == MF_EXPR_ZERO) return true;
    if (e->kind != MF_EXPR_AGGREGATE) return false;
    mf_constant c;
    for (uint32_t i = 0; i < e->arg_count; ++i) {
        const mf_expr *one = e->args[i];
        bool zero = mf_is_scalar(one->type) && mf_fold(one, &c) &&
                    (mf_scalar_is_float(one->type->scalar) ? c.f == 0 : c.i == 0);
        if (!zero && !is_zero(one)) return false;
    }
    return true;
}

/* What is left to check once the initialiser is known. */
static void check_initialized(mf_parser *p, mf_var *v)
{
    if (v->type->kind == MF_TYPE_ERROR) return;
    if (v->type->kind != MF_TYPE_REFERENCE &&
        !mf_check_object_type(p, v->type, v->at, "have a variable of")) {
        v->type = mf_error_type();
        return;
    }
    if (v->space == MF_THREADGROUP && v->init != NULL) {
        if (!is_zero(v->init)) {
            diag_error(p->diags, v->init->at, "a threadgroup variable cannot have an initialiser");
        } else {
            diag_warning(p->diags, v->init->at,
                         "an empty initialiser does not clear threadgroup memory: store to it, "
                         "then use a barrier");
        }
        v->init = NULL;
    }
    const mf_type *base = v->type;
    while (base->kind == MF_TYPE_ARRAY) base = base->elem;
    if (base->kind == MF_TYPE_ATOMIC && v->space != MF_THREADGROUP) {
        diag_error(p->diags, v->at, "an atomic variable must lie in threadgroup memory");
    }
}

static void parse_one_local(mf_parser *p, const mf_specs *specs, mf_stmts *out)
{
    mf_declarator d;
    if (!mf_parse_declarator(p, specs, &d)) return;
    if (d.name == NULL) {
        mf_syntax(p, mf_cur(p)->at, "expected a name in the declaration");
        return;
    }
    if (mf_at(p, MF_TOK_L_PAREN)) {
        size_t before = p->at;
        mf_advance(p);
        bool function =
            mf_at(p, MF_TOK_R_PAREN) || (mf_at_type(p) && mf_ahead(p, 1)->kind != MF_TOK_L_PAREN &&
                                         mf_ahead(p, 1)->kind != MF_TOK_L_BRACE);
        p->at = before;
        if (function) {
            mf_unsupported(p, d.at, "a function declared within a function is not supported");
            return;
        }
    }
    if (d.type.space == MF_CONSTANT) {
        mf_var *g = mf_parse_global(p, specs, &d);
        mf_symbol *s = mf_declare(p, MF_SYM_VAR, d.name, d.at);
        if (s != NULL) s->var = g;
        return;
    }
    if (specs->is_constexpr && d.type.type->kind != MF_TYPE_REFERENCE) d.type.quals |= MF_CONST;
    mf_var *v = mf_new_var(p, MF_VAR_LOCAL, &d);
    v->index = (uint32_t)p->locals.n;
    mf_vars_push(p->mem, &p->locals, v);
    check_local(p, v, &d, specs);
    mf_symbol *s = mf_declare(p, MF_SYM_VAR, d.name, d.at);
    if (s != NULL) s->var = v; /* known in its own initialiser, as in C++ */
    mf_initialize(p, v, specs);
    check_initialized(p, v);
    mf_align_variable(p, specs, v);
    mf_stmt *stmt = mf_new_stmt(p, MF_STMT_DECL, mf_since(p, specs->at));
    stmt->var = v;
    mf_stmts_push(p->mem, out, stmt);
    mf_note_alive(p, v);
}

static void declare_typedef(mf_parser *p, const mf_declarator *d)
{
    if (d->name == NULL) {
        mf_syntax(p, mf_cur(p)->at, "expected a name in the typedef");
        return;
    }
    mf_symbol *old = mf_find(p->scope, d->name);
    bool same = old != NULL && old->kind == MF_SYM_TYPE && old->type.type == d->type.type;
    if (same) return;
    mf_symbol *s = mf_declare(p, MF_SYM_TYPE, d->name, d->at);
    if (s != NULL) s->type = d->type;
}

void mf_parse_typedef(mf_parser *p, const mf_specs *specs)
{
    do {
        mf_declarator d;
        size_t star = mf_ahead(p, 1)->kind == MF_TOK_STAR ? 1 : 0;
        bool function = mf_at(p, MF_TOK_L_PAREN) && mf_ahead(p, star + 1)->kind == MF_TOK_IDENT &&
                        mf_ahead(p, star + 2)->kind == MF_TOK_R_PAREN &&
                        mf_ahead(p, star + 3)->kind == MF_TOK_L_PAREN;
        if (function) { /* typedef void (name)(...), (*name)(...): what templates take and are
                           instantiated as */
            d = (mf_declarator){.name = mf_ahead(p, star + 1)->ident,
                                .at = mf_ahead(p, star + 1)->at};
            p->at += star + 3;
            mf_exprs params = mf_exprs_none();
            if (!mf_read_types(p, &params)) return;
            d.type.type = mf_type_of_function(p, specs->type.type, &params);
        } else if (!mf_parse_declarator(p, specs, &d)) {
            return;
        }
        declare_typedef(p, &d);
    } while (!p->panic && mf_accept(p, MF_TOK_COMMA));
    mf_expect(p, MF_TOK_SEMI, "after the typedef");
}

mf_var *mf_parse_condition_variable(mf_parser *p, mf_stmts *out)
{
    mf_specs specs;
    const size_t before = out->n;
    if (!mf_parse_specs(p, &specs)) return NULL;
    parse_one_local(p, &specs, out);
    return p->panic || out->n == before ? NULL : out->at[out->n - 1]->var;
}

void mf_parse_local(mf_parser *p, mf_stmts *out)
{
    mf_specs specs;
    if (!mf_parse_specs(p, &specs)) return;
    if (specs.is_typedef) {
        mf_parse_typedef(p, &specs);
        return;
    }
    for (size_t i = 0; i < specs.attributes.n; ++i) {
        if (str_is(specs.attributes.at[i].name->text, "maybe_unused")) continue;
        diag_unsupported(p->diags, specs.attributes.at[i].at,
                         "the attribute '%.*s' of a variable is not supported",
                         STR_ARG(specs.attributes.at[i].name->text));
    }
    if (mf_at(p, MF_TOK_SEMI)) mf_refuse_alignas(p, &specs);
    if (mf_at(p, MF_TOK_SEMI) && !specs.has_record)
        diag_warning(p->diags, specs.at, "the declaration declares nothing");
    if (mf_at_binding(p, &specs)) {
        mf_parse_binding(p, &specs, out);
        if (!p->panic) mf_expect(p, MF_TOK_SEMI, "after the declaration");
        return;
    }
    while (!mf_at(p, MF_TOK_SEMI) && !p->panic) {
        parse_one_local(p, &specs, out);
        if (p->panic || !mf_accept(p, MF_TOK_COMMA)) break;
    }
    if (!p->panic) mf_expect(p, MF_TOK_SEMI, "after the declaration");
}

static bool has_call(const mf_expr *e)
{
    if (e == NULL) return false;
    if (e->kind == MF_EXPR_CALL) return true;
    for (uint32_t i = 0; i < e->arg_count; ++i) {
        if (has_call(e->args[i])) return true;
    }
    return has_call(e->a) || has_call(e->b) || has_call(e->c);
}

/* Where the text asks for what the library says at `at`. */
static span asked_at(const mf_parser *p, span at)
{
    if (!mf_in_library(p, at)) return at;
    for (const mf_candidate *c = p->function; c != NULL; c = c->asked_by)
        if (c->called_at.file != 0 && !mf_in_library(p, c->called_at)) return c->called_at;
    return at;
}

static void parse_static_assert(mf_parser *p)
{
    span begin = mf_cur(p)->at;
    mf_advance(p);
    if (!mf_expect(p, MF_TOK_L_PAREN, "after 'static_assert'")) return;
    mf_expr *e = mf_condition_value(p, mf_parse_ternary(p));
    str text = {0};
    if (mf_accept(p, MF_TOK_COMMA)) {
        text = mf_token_text(mf_cur(p));
        mf_expect(p, MF_TOK_STRING, "as the message of 'static_assert'");
        while (mf_accept(p, MF_TOK_STRING)) {
        }
    }
    if (!mf_expect(p, MF_TOK_R_PAREN, "after 'static_assert(...'") || mf_bad(e)) return;
    mf_constant c;
    bool known = mf_fold(e, &c);
    if (!known && has_call(e)) {
        diag_warning(p->diags, e->at,
                     "this static_assert is not checked: it calls what is not evaluated here");
    } else if (!known) {
        diag_error(p->diags, e->at, "the condition of static_assert must be constant");
    } else if (c.i == 0) {
        const bool ours = mf_in_library(p, begin) && text.n > 2;
        if (ours) diag_error(p->diags, asked_at(p, begin), "%.*s", (int)text.n - 2, text.p + 1);
        else diag_error(p->diags, mf_since(p, begin), "static assertion failed%s%.*s", text.n != 0 ? ": " : "", STR_ARG(text));
    }
    mf_expect(p, MF_TOK_SEMI, "after 'static_assert(...)'");
}

/* The names of `inner` are seen in `outer` as well. */
static void use_scope(mf_parser *p, mf_scope *outer, mf_scope *inner)
{
    mf_scope **used = arena_array(p->mem, mf_scope *, outer->used_count + 1);
    for (size_t i = 0; i < outer->used_count; ++i) used[i] = outer->used[i];
    used[outer->used_count++] = inner;
    outer->used = used;
}

static void using_namespace(mf_parser *p, span begin)
{
    mf_advance(p);
    mf_ref r = mf_resolve(p);
    if (r.id == NULL) return;
    mf_scope *s = p->scope;
    if (r.symbol != NULL && r.symbol->kind == MF_SYM_NAMESPACE) {
        use_scope(p, s, r.symbol->names);
        s->is_metal |= r.symbol->names->is_metal;
    } else if (str_is(r.id->text, "metal")) {
        s->is_metal = true;
    } else if (!str_is(r.id->text, "simd")) {
        diag_error(p->diags, mf_since(p, begin), "'%.*s' is not a namespace", STR_ARG(r.id->text));
    }
    mf_expect(p, MF_TOK_SEMI, "after 'using namespace'");
}

static void parse_using(mf_parser *p)
{
    span begin = mf_cur(p)->at;
    mf_advance(p);
    if (mf_at(p, MF_KW_NAMESPACE)) {
        using_namespace(p, begin);
        return;
    }
    if (mf_at(p, MF_TOK_IDENT) && mf_ahead(p, 1)->kind == MF_TOK_EQ) {
        mf_declarator d = {.name = mf_cur(p)->ident, .at = mf_cur(p)->at};
        p->at += 2;
        if (!mf_parse_type_id(p, &d.type)) return;
        declare_typedef(p, &d);
        mf_expect(p, MF_TOK_SEMI, "after the type");
        return;
    }
    mf_ref r = mf_resolve(p);
    if (r.id == NULL) return;
    bool library = r.symbol == NULL && (r.builtin >= 0 || r.type != NULL);
    if (r.symbol == NULL && !library) {
        mf_unknown_name(p, &r);
    } else if (mf_find(p->scope, r.id) == NULL) {
        mf_symbol *s =
            mf_add_symbol(p, p->scope, library ? MF_SYM_LIBRARY : r.symbol->kind, r.id, r.at);
        mf_symbol *next = s->next;
        if (!library) *s = *r.symbol;
        s->next = next;
    }
    mf_expect(p, MF_TOK_SEMI, "after the name");
}

bool mf_parse_common_decl(mf_parser *p)
{
    switch ((int)mf_cur(p)->kind) {
    case MF_KW_USING: parse_using(p); return true;
    case MF_KW_STATIC_ASSERT: parse_static_assert(p); return true;
    case MF_KW_TEMPLATE: mf_parse_template(p); return true;
    default: return false; /* another declaration */
    }
}

static void parse_top(mf_parser *p);

/* The scope of a namespace that is opened, perhaps again, within the cursor's; NULL after a complaint. */
static mf_scope *enter_namespace(mf_parser *p, const mf_token *t)
{
    mf_symbol *known = mf_find(p->scope, t->ident);
    if (known != NULL && known->kind != MF_SYM_NAMESPACE) {
        mf_syntax(p, t->at, "'%.*s' is already declared in this scope", STR_ARG(t->ident->text));
        return NULL;
    }
    if (known != NULL) {
        p->scope = known->names;
        return known->names;
    }
    mf_scope *outer = p->scope;
    mf_scope *s = mf_push_scope(p, MF_SCOPE_NAMESPACE);
    s->label = str_format(p->mem, "%.*s%.*s::", STR_ARG(outer->label), STR_ARG(t->ident->text));
    s->in_metal = outer->in_metal || (outer == p->global && str_is(t->ident->text, "metal"));
    s->is_metal = outer == p->global && str_is(t->ident->text, "metal");
    if (s->is_metal) p->metal = s;
    mf_add_symbol(p, outer, MF_SYM_NAMESPACE, t->ident, t->at)->names = s;
    return s;
}

/* Declarations between braces, which nest. */
static void parse_members(mf_parser *p, const char *before, const char *end)
{
    if (p->panic || !mf_expect(p, MF_TOK_L_BRACE, before) || !mf_enter(p)) return;
    while (!mf_at(p, MF_TOK_R_BRACE) && !mf_at(p, MF_TOK_END)) {
        parse_top(p);
        if (p->panic) mf_recover(p);
    }
    mf_leave(p);
    mf_expect(p, MF_TOK_R_BRACE, end);
}

/* extern "C": how names look to a linker, which changes nothing in a single text. */
static void parse_linkage(mf_parser *p)
{
    p->at += 2;
    if (mf_at(p, MF_TOK_L_BRACE)) {
        parse_members(p, "after 'extern \"C\"'", "at the end of 'extern \"C\"'");
    } else if (mf_enter(p)) {
        parse_top(p);
        mf_leave(p);
    }
}

/* "namespace a::b {": each within the one before. An inline one's names are seen in the outer one too; an unnamed one is as good as
 * none in a single text. */
static void parse_namespace(mf_parser *p)
{
    unsigned scopes = 0;
    bool is_inline = mf_accept(p, MF_KW_INLINE);
    mf_advance(p);
    while (mf_at(p, MF_TOK_IDENT)) {
        mf_scope *outer = p->scope;
        mf_scope *s = enter_namespace(p, mf_cur(p));
        if (s == NULL) break;
        if (is_inline) use_scope(p, outer, s);
        ++scopes;
        mf_advance(p);
        if (!mf_accept(p, MF_TOK_SCOPE)) break;
        is_inline = mf_accept(p, MF_KW_INLINE);
    }
    parse_members(p, "after 'namespace'", "at the end of the namespace");
    while (scopes-- != 0) mf_pop_scope(p);
}

/* [[function_constant(n)]]: a value that the options give. */
static void parse_function_constant(mf_parser *p, mf_declarator *d, const mf_attribute *a)
{
    mf_symbol *s = mf_declare(p, MF_SYM_VAR, d->name, d->at);
    const mf_type *t = d->type.type;
    if (d->type.space != MF_CONSTANT || !mf_is_numeric(t) || t->kind == MF_TYPE_PACKED) {
        diag_error(p->diags, d->at,
                   "a function constant is a scalar or vector in the constant address space");
        return;
    }
    if (!a->has_number || a->number > UINT16_MAX)
        diag_error(p->diags, a->at, "[[function_constant(n)]] needs a number from 0 to 65535");
    mf_var *v = mf_new_var(p, MF_VAR_GLOBAL, d);
    v->is_function_constant = true;
    v->slot = (uint32_t)a->number;
    v->init = mf_new(p, MF_EXPR_ZERO, d->at, t);
    for (size_t i = 0; i < p->options->constant_count; ++i) {
        const mf_given *g = &p->options->constants[i];
        bool this_one = g->name.n != 0 ? str_eq(g->name, v->name) : g->index == v->slot;
        if (!this_one || !mf_is_scalar(t)) continue;
        v->is_given = v->has_value = true;
        v->value = mf_convert_constant(g->is_float ? MF_FLOAT : MF_LONG, g->value, t->scalar);
        v->init = mf_make_constant(p, d->at, t->scalar, v->value);
    }
    v->index = (uint32_t)p->globals.n;
    mf_vars_push(p->mem, &p->globals, v);
    if (s != NULL) s->var = v;
}

/* The declarators of a declaration outside functions. */
static void parse_globals(mf_parser *p, const mf_specs *specs, mf_declarator d)
{
    for (;;) {
        if (d.name == NULL) {
            mf_syntax(p, mf_cur(p)->at, "expected a name in the declaration");
            return;
        }
        mf_attributes attributes = specs->attributes;
        if (!mf_parse_attributes(p, &attributes)) return;
        const mf_attribute *given = NULL, *input = NULL;
        for (size_t i = 0; i < attributes.n; ++i) {
            if (str_is(attributes.at[i].name->text, "maybe_unused")) continue;
            if (str_is(attributes.at[i].name->text, "function_constant")) {
                given = &attributes.at[i];
                continue;
            }
            if (mf_is_input(attributes.at[i].name->text)) {
                input = &attributes.at[i];
                continue;
            }
            diag_unsupported(p->diags, attributes.at[i].at,
                             "the attribute '%.*s' of a variable is not supported",
                             STR_ARG(attributes.at[i].name->text));
        }
        if (given != NULL) {
            parse_function_constant(p, &d, given);
            if (mf_at(p, MF_TOK_EQ)) {
                mf_syntax(p, mf_cur(p)->at, "a function constant has no initialiser: its value is given when a function is made of the library");
                return;
            }
        } else if (input != NULL) { /* of every kernel: what a function that reads it is given is its thread's */
            mf_symbol *s = mf_declare(p, MF_SYM_VAR, d.name, d.at);
            mf_var *v = mf_new_var(p, MF_VAR_GLOBAL, &d);
            v->quals = MF_CONST;
            (void)mf_bind_global(p, v, input);
            if (s != NULL) s->var = v;
        } else {
            mf_symbol *s = mf_declare(p, MF_SYM_VAR, d.name, d.at);
            mf_var *v = mf_parse_global(p, specs, &d);
            if (s != NULL) s->var = v;
        }
        if (p->panic || !mf_accept(p, MF_TOK_COMMA)) break;
        if (!mf_parse_declarator(p, specs, &d)) return;
    }
    if (!p->panic) mf_expect(p, MF_TOK_SEMI, "after the declaration");
}

static bool is_unsupported_word(mf_token_kind k)
{
    return k == MF_KW_ASM;
}

/* A vertex or fragment function: not read, as only kernels run here. */
static void pass_over_stage(mf_parser *p)
{
    const span begin = mf_cur(p)->at;
    const str what = mf_token_text(mf_cur(p));
    while (!mf_at(p, MF_TOK_L_PAREN) && !mf_at(p, MF_TOK_SEMI) && !mf_at(p, MF_TOK_L_BRACE) && !mf_at(p, MF_TOK_END)) mf_advance(p);
    if (!mf_at(p, MF_TOK_L_PAREN)) {
        mf_syntax(p, begin, "expected a function after '%.*s'", STR_ARG(what));
        return;
    }
    const mf_token *name = &p->tokens[p->at - 1];
    diag_warning(p->diags, name->at, "the %.*s function '%.*s' is not read: only kernels run here", STR_ARG(what),
                 STR_ARG(mf_token_text(name)));
    p->at = mf_skip_function(p, p->at);
}

/* "Class::name" or "Class<...>::name": a member defined outside. */
static bool at_outside(const mf_parser *p)
{
    size_t at = p->at;
    while (p->tokens[at].kind == MF_TOK_STAR || p->tokens[at].kind == MF_TOK_AMP) ++at;
    if (p->tokens[at].kind != MF_TOK_IDENT) return false;
    if (p->tokens[at + 1].kind == MF_TOK_LESS)
        return p->tokens[mf_skip_angles(p, at + 1)].kind == MF_TOK_SCOPE;
    return p->tokens[at + 1].kind == MF_TOK_SCOPE;
}

/* Words that begin another declaration, and cannot go on behind a struct. */
static bool at_next_declaration(const mf_parser *p)
{
    switch ((int)mf_cur(p)->kind) {
    case MF_KW_KERNEL:
    case MF_KW_STRUCT:
    case MF_KW_CLASS:
    case MF_KW_UNION:
    case MF_KW_ENUM:
    case MF_KW_INLINE:
    case MF_KW_TYPEDEF:
    case MF_KW_TEMPLATE:
    case MF_KW_VOID:
    case MF_KW_USING:
    case MF_KW_NAMESPACE: return true;
    default: return false; /* a name, or a mark */
    }
}

static void parse_top(mf_parser *p)
{
    if (mf_accept(p, MF_TOK_SEMI) || mf_parse_common_decl(p)) return;
    const mf_token *t = mf_cur(p);
    if (t->kind == MF_TOK_UNROLL) {
        diag_warning(p->diags, t->at, "this #pragma stands before no loop");
        mf_advance(p);
        return;
    }
    bool inline_namespace = t->kind == MF_KW_INLINE && mf_ahead(p, 1)->kind == MF_KW_NAMESPACE;
    if (t->kind == MF_KW_NAMESPACE || inline_namespace) {
        parse_namespace(p);
        return;
    }
    if (t->kind == MF_KW_VERTEX || t->kind == MF_KW_FRAGMENT) {
        pass_over_stage(p);
        return;
    }
    if (is_unsupported_word(t->kind)) {
        mf_unsupported(p, t->at, "%s is not supported: only kernels run here", mf_token_name(t->kind));
        return;
    }
    if (t->kind == MF_KW_EXTERN && mf_ahead(p, 1)->kind == MF_TOK_STRING) {
        parse_linkage(p);
        return;
    }
    mf_specs specs;
    mf_declarator d;
    if (!mf_parse_specs(p, &specs)) return;
    if (specs.is_typedef) {
        mf_parse_typedef(p, &specs);
        return;
    }
    if (specs.has_record && at_next_declaration(p)) {
        diag_error(p->diags, mf_last(p), "expected ';' after the struct or enumeration");
        return;
    }
    if (mf_at(p, MF_TOK_SEMI)) {
        mf_refuse_alignas(p, &specs);
        if (!specs.has_record) diag_warning(p->diags, specs.at, "the declaration declares nothing");
        mf_advance(p);
        return;
    }
    if (at_outside(p)) {
        mf_parse_outside(p, &specs);
        return;
    }
    if (!mf_parse_declarator(p, &specs, &d)) return;
    if (d.name == NULL && mf_at(p, MF_KW_OPERATOR)) {
        specs.type = d.type;
        if (!mf_parse_function_name(p, &specs, &d)) return;
    }
    const bool sampler = specs.is_constexpr && mf_is_handle(p, d.type.type);
    bool function = mf_at(p, MF_TOK_L_PAREN) && d.type.space != MF_CONSTANT && d.name != NULL && !sampler;
    if (function) {
        mf_parse_function(p, &specs, &d);
    } else {
        parse_globals(p, &specs, d);
    }
}

void mf_parse_unit(mf_parser *p)
{
    p->global = mf_push_scope(p, MF_SCOPE_GLOBAL);
    while (!mf_at(p, MF_TOK_END)) {
        size_t before = p->at;
        if (mf_at(p, MF_TOK_R_BRACE)) {
            diag_error(p->diags, mf_cur(p)->at, "this '}' closes nothing");
            mf_advance(p);
            continue;
        }
        parse_top(p);
        if (p->panic) mf_recover(p);
        if (p->at == before) mf_advance(p);
        mf_read_pending(p);
    }
    mf_write_dispatchers(p);
}
