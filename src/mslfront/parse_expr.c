/* Expressions: recursive descent with C++'s precedences. */
#include "mslfront/literal.h"
#include "mslfront/template.h"

#include <math.h>


static mf_expr *parse_number(mf_parser *p)
{
    const mf_token *t = mf_cur(p);
    mf_advance(p);
    mf_literal n;
    const char *fault = mf_read_number(mf_token_text(t), &n);
    if (fault == NULL) return mf_make_constant(p, t->at, n.type, n.value);
    diag_error(p->diags, t->at, "%s here", fault);
    return mf_error(p, t->at);
}

static mf_expr *parse_character(mf_parser *p)
{
    const mf_token *t = mf_cur(p);
    mf_advance(p);
    int64_t v;
    if (mf_read_character(mf_token_text(t), &v))
        return mf_int(p, t->at, mf_scalar_type(MF_CHAR), v);
    diag_unsupported(p->diags, t->at, "this character constant is not supported");
    return mf_error(p, t->at);
}

/* A braced list as an argument: of a type that only the parameter knows. Until it is converted it
 * stands as an aggregate of no type. */
static mf_expr *braced_argument(mf_parser *p)
{
    span begin = mf_cur(p)->at;
    if (!mf_enter(p)) return mf_error(p, begin);
    mf_exprs parts = mf_exprs_none();
    mf_advance(p);
    bool good = mf_parse_arguments(p, &parts, MF_TOK_R_BRACE);
    mf_leave(p);
    if (!good) return mf_error(p, begin);
    for (size_t i = 0; i < parts.n; ++i) {
        if (mf_bad(parts.at[i])) return mf_error(p, begin);
    }
    mf_expr *e = mf_new(p, MF_EXPR_AGGREGATE, mf_since(p, begin), mf_null_type());
    e->args = parts.at;
    e->arg_count = (uint32_t)parts.n;
    return mf_finish(p, e);
}

bool mf_parse_arguments(mf_parser *p, mf_exprs *out, mf_token_kind close)
{
    bool outer = p->no_greater;
    p->no_greater = false;
    while (!mf_at(p, close) && !p->panic) {
        mf_pack pack;
        if (mf_find_pack(p, p->at, &pack)) {
            for (size_t i = 0; i < pack.n && !p->panic; ++i) {
                mf_enter_pack(p, &pack, i);
                mf_exprs_push(p->mem, out, mf_parse_assignment(p));
                mf_pop_scope(p);
            }
            p->at = pack.end;
        } else {
            mf_exprs_push(p->mem, out,
                          mf_at(p, MF_TOK_L_BRACE) ? braced_argument(p) : mf_parse_assignment(p));
        }
        if (!mf_accept(p, MF_TOK_COMMA)) break;
    }
    p->no_greater = outer;
    if (p->panic || !mf_expect(p, close, "after the arguments")) return false;
    return true;
}

/* T(args) and T{args} with the cursor behind T. */
static mf_expr *parse_conversion(mf_parser *p, mf_qtype type, span begin)
{
    mf_exprs args = mf_exprs_none();
    if (mf_at(p, MF_TOK_L_BRACE)) {
        const mf_type *t = type.type;
        if (t->kind == MF_TYPE_ERROR) {
            mf_syntax(p, begin, "this type cannot be made here");
            return mf_error(p, begin);
        }
        mf_expr *e = mf_parse_braced(p, &t);
        if (!mf_bad(e)) e->at = mf_since(p, begin);
        return e;
    }
    if (!mf_expect(p, MF_TOK_L_PAREN, "after the name of a type") ||
        !mf_parse_arguments(p, &args, MF_TOK_R_PAREN)) {
        return mf_error(p, begin);
    }
    return mf_construct(p, type, &args, mf_since(p, begin));
}

/* __builtin_inff() and __builtin_nanf(""): what INFINITY and NAN are. */
static mf_expr *parse_special(mf_parser *p, const mf_ref *r)
{
    bool infinity = str_is(r->id->text, "__builtin_inff");
    if (!infinity && !str_is(r->id->text, "__builtin_nanf")) return NULL;
    if (!mf_accept(p, MF_TOK_L_PAREN)) return NULL;
    mf_accept(p, MF_TOK_STRING);
    mf_expect(p, MF_TOK_R_PAREN, "after a constant of the compiler");
    double v = (double)(infinity ? INFINITY : NAN);
    return mf_make_constant(p, r->at, MF_FLOAT, (mf_constant){.f = v});
}

/* Questions about types that the language cannot ask by itself: __is_enum(T), __is_class(T),
 * __is_convertible_to(T, U). */
static mf_expr *parse_question(mf_parser *p, const mf_ref *r)
{
    str name = r->id->text;
    bool convertible = str_is(name, "__is_convertible_to");
    if (!convertible && !str_is(name, "__is_enum") && !str_is(name, "__is_class")) return NULL;
    mf_qtype t = {0}, u = {0};
    if (!mf_expect(p, MF_TOK_L_PAREN, "before the types") || !mf_parse_type_id(p, &t))
        return mf_error(p, r->at);
    if (convertible &&
        (!mf_expect(p, MF_TOK_COMMA, "between the types") || !mf_parse_type_id(p, &u)))
        return mf_error(p, r->at);
    mf_expect(p, MF_TOK_R_PAREN, "after the types");
    bool answer = t.type->kind == (str_is(name, "__is_enum") ? MF_TYPE_ENUM : MF_TYPE_RECORD);
    if (convertible) {
        mf_expr value = {.kind = MF_EXPR_CALL, .type = t.type, .at = r->at};
        answer = mf_rank_to(p, &value, u.type) != MF_NO_CONVERSION;
    }
    return mf_int(p, r->at, mf_scalar_type(MF_BOOL), answer);
}

/* is_function_constant_defined(name) */
static mf_expr *parse_defined(mf_parser *p, const mf_ref *r)
{
    if (!str_is(r->id->text, "is_function_constant_defined") || !mf_accept(p, MF_TOK_L_PAREN))
        return NULL;
    mf_ref name = mf_resolve(p);
    if (name.id == NULL || !mf_expect(p, MF_TOK_R_PAREN, "after the function constant"))
        return mf_error(p, r->at);
    const mf_var *v =
        name.symbol != NULL && name.symbol->kind == MF_SYM_VAR ? name.symbol->var : NULL;
    if (v == NULL || !v->is_function_constant) {
        diag_error(p->diags, name.at, "'%.*s' is not a function constant", STR_ARG(name.id->text));
        return mf_error(p, r->at);
    }
    if (!v->is_given && p->options->constants_come_later)
        diag_unsupported(p->diags, r->at, "whether a function constant is defined is not known here: this is not supported");
    return mf_int(p, r->at, mf_scalar_type(MF_BOOL), v->is_given);
}

/* The lambda whose body is read, where there is one. */
static const mf_record *closure_of(const mf_parser *p)
{
    const mf_candidate *f = p->function;
    return f != NULL && f->record != NULL && f->record->is_closure ? f->record : NULL;
}

/* A variable of the function around the lambda that it has not captured: false after a complaint. */
static bool check_captured(mf_parser *p, const mf_ref *r)
{
    const mf_var *v = r->symbol->var;
    const mf_record *closure = closure_of(p);
    if (closure == NULL || v->kind == MF_VAR_GLOBAL || (v->has_value && mf_is_scalar(v->type))) return true;
    const mf_function *f = p->function->function;
    const bool around = v->kind == MF_VAR_PARAM && (v->index >= f->param_count || f->params[v->index] != v);
    for (const mf_scope *s = p->scope; s != NULL && s->record != closure; s = s->parent) {
        if (mf_find(s, r->id) == NULL) continue;
        if (around) /* found because its pack is being expanded */
            mf_unsupported(p, r->at, "a lambda that captures a pack is not supported");
        return !around;
    }
    diag_error(p->diags, r->at, "'%.*s' is not captured by the lambda", STR_ARG(r->id->text));
    return false;
}

static mf_expr *symbol_value(mf_parser *p, const mf_ref *r)
{
    const mf_symbol *s = r->symbol;
    const mf_record *closure = closure_of(p);
    if (s->kind == MF_SYM_FIELD && closure != NULL && mf_find(closure->scope, r->id) == s)
        return mf_make_member(p, mf_make_closure(p, r->at), r->id, r->at);
    if (s->kind == MF_SYM_VAR && s->var != NULL && !check_captured(p, r)) return mf_error(p, r->at);
    switch (s->kind) {
    case MF_SYM_VAR:
        if (s->var != NULL && mf_in_library(p, s->at) && !mf_check_function_version(p, s->var->name, r->at)) return mf_error(p, r->at);
        return mf_make_var(p, s->var, r->at);
    case MF_SYM_ENUMERATOR: return mf_int(p, r->at, s->type.type, s->value);
    case MF_SYM_FIELD: return mf_make_member(p, mf_make_self(p, r->at), r->id, r->at);
    case MF_SYM_TEMPLATE:
    case MF_SYM_PACK:
    case MF_SYM_FUNCTION:
    case MF_SYM_LIBRARY:
    case MF_SYM_TYPE:
    case MF_SYM_NAMESPACE: break;
    }
    const bool generic = s->kind == MF_SYM_TEMPLATE && s->generic != NULL && s->generic->kind == MF_OF_CLASSES;
    diag_error(p->diags, r->at, generic ? "'%.*s' is a template of classes, and its arguments are missing" : "'%.*s' is not a value",
               STR_ARG(r->id->text));
    return mf_error(p, r->at);
}

/* Arguments of a call of something unknown: read for their own errors. */
static void skip_arguments(mf_parser *p)
{
    mf_exprs args = mf_exprs_none();
    mf_advance(p);
    mf_parse_arguments(p, &args, MF_TOK_R_PAREN);
}

static bool mf_has_templates(const mf_symbol *s)
{
    for (const mf_candidate *c = s->functions; c != NULL; c = c->next) {
        if (c->generic != NULL) return true;
    }
    return false;
}

/* What Metal's ctz, clz and popcount give: the width for zeros before or behind where there is no one. */
static uint32_t count_bits(str name, uint32_t v)
{
    uint32_t n = 0;
    if (str_is(name, "popcount")) {
        for (; v != 0; v &= v - 1) ++n;
        return n;
    }
    const uint32_t end = str_is(name, "ctz") ? 1 : UINT32_C(1) << 31;
    for (; n < 32 && (v & end) == 0; ++n) v = end == 1 ? v >> 1 : v << 1;
    return n;
}

/* __metal_exp(x, fast): the compiler's own name of a library function, the math form as a last
 * argument. NULL where the name is none of those. */
static mf_expr *parse_internal(mf_parser *p, const mf_ref *r)
{
    str name = r->id->text, head = STR("__metal_");
    bool bits = str_is(name, "__builtin_ctz") || str_is(name, "__builtin_clz") ||
                str_is(name, "__builtin_popcount");
    if (bits) head = STR("__builtin_");
    if (!str_starts(name, head) || !mf_at(p, MF_TOK_L_PAREN)) return NULL;
    mf_ref own = *r;
    own.id = mf_intern(p->mem, p->idents, (str){name.p + head.n, name.n - head.n});
    own.builtin = own.id->builtin;
    const bool lane = str_is(own.id->text, "get_thread_index_in_simdgroup");
    if (own.builtin < 0 && !lane) return NULL;
    mf_exprs args = mf_exprs_none();
    mf_advance(p);
    if (!mf_parse_arguments(p, &args, MF_TOK_R_PAREN)) return mf_error(p, r->at);
    if (lane) { /* its argument only says what type the answer has */
        own.id = mf_intern(p->mem, p->idents, STR("__simdgroup_lane"));
        own.builtin = own.id->builtin;
        args.n = 0;
        return mf_call_function(p, &own, &args, mf_since(p, r->at));
    }
    mf_constant c;
    if (bits && args.n == 1) { /* of an unsigned int, giving an int */
        args.at[0] = mf_explicit(p, args.at[0], (mf_qtype){.type = mf_scalar_type(MF_UINT)}, r->at);
        if (mf_fold(args.at[0], &c)) return mf_int(p, mf_since(p, r->at), mf_scalar_type(MF_INT), count_bits(own.id->text, (uint32_t)c.i));
        mf_expr *e = mf_call_function(p, &own, &args, mf_since(p, r->at));
        return mf_explicit(p, e, (mf_qtype){.type = mf_scalar_type(MF_INT)}, mf_since(p, r->at));
    }
    bool math = (mf_builtin_traits((mf_builtin)own.builtin) & MF_MATH) != 0;
    const mf_expr *last = args.n > 1 ? args.at[args.n - 1] : NULL;
    if (math && last != NULL && mf_is_integer(last->type) && mf_fold(last, &c)) {
        own.math = c.i == 0 ? MF_MATH_PRECISE : c.i == 1 ? MF_MATH_FAST : MF_MATH_DEFAULT;
        --args.n;
    }
    for (size_t i = 0; math && i < args.n; ++i) {
        if (!mf_bad(args.at[i]) && args.at[i]->type->kind == MF_TYPE_POINTER)
            args.at[i] = mf_make_deref(p, args.at[i], args.at[i]->at);
    }
    return mf_call_function(p, &own, &args, mf_since(p, r->at));
}

static mf_expr *parse_name(mf_parser *p)
{
    span begin = mf_cur(p)->at;
    mf_qtype type = {0};
    if (mf_parse_named_type(p, &type)) return parse_conversion(p, type, begin);
    if (p->panic) return mf_error(p, begin);
    mf_ref r = mf_resolve(p);
    if (r.id == NULL) return mf_error(p, begin);
    mf_expr *special = r.symbol == NULL ? parse_special(p, &r) : NULL;
    if (special == NULL && r.symbol == NULL) special = parse_question(p, &r);
    if (special == NULL && r.symbol == NULL) special = parse_internal(p, &r);
    if (special == NULL && r.symbol == NULL) special = parse_defined(p, &r);
    if (special == NULL) special = mf_library_template(p, &r);
    if (special != NULL) return special;
    bool function = r.builtin >= 0 || (r.symbol != NULL && r.symbol->kind == MF_SYM_FUNCTION);
    if (r.symbol != NULL && r.symbol->kind == MF_SYM_FUNCTION && mf_at(p, MF_TOK_LESS) &&
        mf_has_templates(r.symbol)) {
        mf_targs *given = arena_new(p->mem, mf_targs);
        if (!mf_parse_targs(p, given)) return mf_error(p, begin);
        r.given = given;
    }
    if (function && mf_accept(p, MF_TOK_L_PAREN)) {
        mf_exprs args = mf_exprs_none();
        if (!mf_parse_arguments(p, &args, MF_TOK_R_PAREN)) return mf_error(p, begin);
        return mf_call_function(p, &r, &args, mf_since(p, begin));
    }
    if (function && r.symbol != NULL && r.symbol->functions != NULL) return mf_function_value(p, &r, mf_since(p, begin));
    if (r.symbol != NULL) return symbol_value(p, &r);
    if (r.is_constant) return mf_int(p, r.at, r.type, r.value);
    if (function) {
        diag_error(p->diags, r.at, "the function '%.*s' is used without being called",
                   STR_ARG(r.id->text));
        return mf_error(p, r.at);
    }
    mf_unknown_name(p, &r);
    if (mf_at(p, MF_TOK_L_PAREN)) skip_arguments(p);
    return mf_error(p, r.at);
}

/* static_cast<T>(e) and its like. */
static mf_expr *parse_named_cast(mf_parser *p)
{
    span begin = mf_cur(p)->at;
    mf_token_kind kind = mf_cur(p)->kind;
    mf_advance(p);
    mf_qtype type = {0};
    bool outer = p->no_greater;
    p->no_greater = true;
    bool good = mf_expect(p, MF_TOK_LESS, "after the cast's name") && mf_parse_type_id(p, &type);
    p->no_greater = outer;
    if (!good || !mf_expect(p, MF_TOK_GREATER, "after the cast's type") ||
        !mf_expect(p, MF_TOK_L_PAREN, "after the cast's type")) {
        return mf_error(p, begin);
    }
    mf_expr *e = mf_parse_expr(p);
    if (!mf_expect(p, MF_TOK_R_PAREN, "after the cast's value") || mf_bad(e))
        return mf_error(p, begin);
    bool pointers = type.type->kind == MF_TYPE_POINTER && e->type->kind == MF_TYPE_POINTER;
    const bool down = pointers && e->type->elem->kind == MF_TYPE_RECORD && type.type->elem->kind == MF_TYPE_RECORD &&
                      e->type->elem != type.type->elem && mf_derives(type.type->elem->record, e->type->elem->record);
    if (kind == MF_KW_STATIC_CAST && down && !mf_begins_with(type.type->elem->record, e->type->elem->record)) {
        diag_unsupported(p->diags, mf_since(p, begin), "a cast down to '%.*s' from a base that does not lie at its beginning is not supported",
                         STR_ARG(mf_type_text(p->mem, type.type->elem)));
        return mf_error(p, begin);
    }
    if (kind == MF_KW_STATIC_CAST && pointers && !down && mf_rank_to(p, e, type.type) == MF_NO_CONVERSION &&
        e->type->elem->kind != MF_TYPE_VOID) {
        diag_error(p->diags, mf_since(p, begin),
                   "static_cast does not turn '%.*s' into '%.*s'; reinterpret_cast does",
                   STR_ARG(mf_type_text(p->mem, e->type)),
                   STR_ARG(mf_type_text(p->mem, type.type)));
        return mf_error(p, begin);
    }
    return mf_explicit(p, e, type, mf_since(p, begin));
}

/* "sizeof...(names)", at "...". */
static mf_expr *parse_pack_size(mf_parser *p, span begin)
{
    mf_advance(p);
    if (!mf_expect(p, MF_TOK_L_PAREN, "after 'sizeof...'")) return mf_error(p, begin);
    mf_ref r = mf_resolve(p);
    if (r.id == NULL || !mf_expect(p, MF_TOK_R_PAREN, "after the name of the pack"))
        return mf_error(p, begin);
    for (const mf_scope *s = p->scope; s != NULL && (r.symbol == NULL || r.symbol->kind != MF_SYM_PACK); s = s->parent)
        r.symbol = mf_find(s, r.id); /* where one element stands for the pack, the pack lies outside of it */
    if (r.symbol == NULL || r.symbol->kind != MF_SYM_PACK) {
        diag_error(p->diags, r.at, "'%.*s' is not a pack", STR_ARG(r.id->text));
        return mf_error(p, begin);
    }
    size_t n = r.symbol->pack != NULL ? r.symbol->pack->pack_count : r.symbol->pack_vars->n;
    return mf_int(p, mf_since(p, begin), mf_scalar_type(MF_ULONG), (int64_t)n);
}

/* sizeof and alignof. */
static mf_expr *parse_size(mf_parser *p)
{
    span begin = mf_cur(p)->at;
    bool size = mf_at(p, MF_KW_SIZEOF);
    mf_advance(p);
    mf_qtype q = {0};
    if (mf_at(p, MF_TOK_ELLIPSIS)) return parse_pack_size(p, begin);
    if (!mf_at(p, MF_TOK_L_PAREN) || !mf_try_cast(p, &q)) {
        bool outer = p->unevaluated;
        p->unevaluated = true;
        mf_expr *e = mf_parse_unary(p);
        p->unevaluated = outer;
        if (mf_bad(e)) return e;
        q.type = e->type;
    }
    span at = mf_since(p, begin);
    if (p->panic) return mf_error(p, at);
    if (q.type->kind == MF_TYPE_REFERENCE) q.type = q.type->elem;
    if (!mf_check_object_type(p, q.type, at, "take the size of")) return mf_error(p, at);
    return mf_int(p, at, mf_scalar_type(MF_ULONG), (int64_t)(size ? q.type->size : q.type->align));
}

static mf_expr *parse_paren(mf_parser *p)
{
    mf_pack_fold fold;
    if (mf_find_fold(p, &fold)) return mf_parse_fold(p, &fold);
    bool outer = p->no_greater;
    p->no_greater = false;
    mf_advance(p);
    mf_expr *e = mf_parse_expr(p);
    p->no_greater = outer;
    mf_expect(p, MF_TOK_R_PAREN, "to match '('");
    return e;
}

/* "decltype(x)::name": a static member. */
static mf_expr *parse_decltype_member(mf_parser *p)
{
    span begin = mf_cur(p)->at;
    size_t scope = mf_skip_balanced(p, p->at + 1);
    p->at += 2;
    bool outer = p->unevaluated;
    p->unevaluated = true;
    mf_expr *e = mf_parse_expr(p);
    p->unevaluated = outer;
    if (p->panic || mf_bad(e)) return mf_error(p, begin);
    p->at = scope + 1;
    mf_ident *id = mf_cur(p)->ident;
    if (!mf_expect(p, MF_TOK_IDENT, "after '::'")) return mf_error(p, begin);
    const mf_symbol *s =
        e->type->kind == MF_TYPE_RECORD ? mf_find_member(e->type->record, id) : NULL;
    if (s != NULL && s->kind == MF_SYM_VAR) return mf_make_var(p, s->var, mf_since(p, begin));
    if (s != NULL && s->kind == MF_SYM_ENUMERATOR)
        return mf_int(p, mf_since(p, begin), s->type.type, s->value);
    diag_error(p->diags, mf_since(p, begin), "'%.*s' has no static member '%.*s'",
               STR_ARG(mf_type_text(p->mem, e->type)), STR_ARG(id->text));
    return mf_error(p, begin);
}

/* A string: an array of char in constant space. */
static mf_expr *parse_string(mf_parser *p)
{
    span at = mf_cur(p)->at;
    mf_exprs chars = mf_exprs_none();
    const mf_type *t = mf_scalar_type(MF_CHAR);
    for (; mf_at(p, MF_TOK_STRING); mf_advance(p)) {
        const str token = mf_token_text(mf_cur(p)), text = {token.p + 1, token.n - 2};
        size_t n = 1;
        for (size_t i = 0; i < text.n && n != 0; i += n) {
            int64_t c;
            n = mf_read_in_string(text, i, &c);
            if (n == 0) diag_unsupported(p->diags, mf_cur(p)->at, "an escape of this string is not supported");
            mf_exprs_push(p->mem, &chars, mf_int(p, at, t, c));
        }
    }
    mf_exprs_push(p->mem, &chars, mf_int(p, at, t, 0));
    mf_declarator d = {.at = at};
    d.type = (mf_qtype){
        .type = mf_array_type(&p->types, t, chars.n), .space = MF_CONSTANT, .quals = MF_CONST};
    mf_var *v = mf_new_var(p, MF_VAR_GLOBAL, &d);
    v->name = STR("(string)");
    v->init = mf_new(p, MF_EXPR_AGGREGATE, at, d.type.type);
    v->init->args = chars.at;
    v->init->arg_count = (uint32_t)chars.n;
    v->init = mf_finish(p, v->init);
    v->index = (uint32_t)p->globals.n;
    v->quals = 0;
    mf_vars_push(p->mem, &p->globals, v);
    return mf_make_var(p, v, at);
}

static mf_expr *parse_primary(mf_parser *p)
{
    const mf_token *t = mf_cur(p);
    switch ((int)t->kind) {
    case MF_TOK_NUMBER: return parse_number(p);
    case MF_TOK_CHAR: return parse_character(p);
    case MF_KW_TRUE:
    case MF_KW_FALSE:
        mf_advance(p);
        return mf_int(p, t->at, mf_scalar_type(MF_BOOL), t->kind == MF_KW_TRUE);
    case MF_KW_NULLPTR: mf_advance(p); return mf_new(p, MF_EXPR_ZERO, t->at, mf_null_type());
    case MF_TOK_L_PAREN: return parse_paren(p);
    case MF_TOK_IDENT:
    case MF_KW_OPERATOR:
    case MF_TOK_SCOPE: return parse_name(p);
    case MF_KW_STATIC_CAST:
    case MF_KW_REINTERPRET_CAST:
    case MF_KW_CONST_CAST: return parse_named_cast(p);
    case MF_KW_UNSIGNED:
    case MF_KW_SIGNED:
    case MF_KW_VOID:
    case MF_KW_TYPENAME:
    case MF_KW_DECLTYPE: {
        mf_specs specs;
        if (t->kind == MF_KW_DECLTYPE &&
            p->tokens[mf_skip_balanced(p, p->at + 1)].kind == MF_TOK_SCOPE)
            return parse_decltype_member(p);
        if (!mf_parse_specs(p, &specs)) return mf_error(p, t->at);
        return parse_conversion(p, specs.type, t->at);
    }
    case MF_TOK_L_SQUARE: return mf_parse_lambda(p);
    case MF_TOK_STRING: return parse_string(p);
    case MF_KW_DOUBLE: mf_syntax(p, t->at, "'double' does not exist in MSL"); break;
    case MF_KW_THIS: mf_advance(p); return mf_make_address(p, mf_make_self(p, t->at), t->at);
    case MF_KW_NEW:
    case MF_KW_DELETE:
    case MF_KW_THROW:
    case MF_KW_TYPEID:
    case MF_KW_DYNAMIC_CAST:
        mf_unsupported(p, t->at, "%s is not supported", mf_token_name(t->kind));
        break;
    default: mf_syntax(p, t->at, "expected an expression before %s", mf_token_name(t->kind)); break;
    }
    return mf_error(p, t->at);
}

/* The member's name behind "." or "->": "x", "operator()", "Base::x", "template f<...>". */
static mf_ident *member_name(mf_parser *p)
{
    mf_accept(p, MF_KW_TEMPLATE);
    const mf_token *t = mf_cur(p);
    if (t->kind == MF_KW_OPERATOR) {
        size_t begin = p->at;
        mf_advance(p);
        if (mf_at(p, MF_TOK_L_PAREN)) p->at += 2;
        while (!mf_at(p, MF_TOK_L_PAREN) && !mf_at(p, MF_TOK_END)) mf_advance(p);
        return mf_operator_name(p, begin, p->at);
    }
    if (!mf_accept(p, MF_TOK_IDENT)) return NULL;
    return t->ident;
}

/* A call of a member function, the cursor behind its name. */
static mf_expr *call_member(mf_parser *p, mf_expr *object, mf_ident *id, mf_symbol *set, span at)
{
    mf_ref name = {.id = id, .at = at, .symbol = set, .builtin = -1};
    if (mf_at(p, MF_TOK_LESS)) {
        mf_targs *given = arena_new(p->mem, mf_targs);
        if (!mf_parse_targs(p, given)) return mf_error(p, at);
        name.given = given;
    }
    mf_exprs args = mf_exprs_none();
    if (!mf_expect(p, MF_TOK_L_PAREN, "after the name of a member function") ||
        !mf_parse_arguments(p, &args, MF_TOK_R_PAREN)) {
        return mf_error(p, at);
    }
    return mf_call_member(p, &name, object, &args, mf_since(p, object->at));
}

static mf_expr *parse_member(mf_parser *p, mf_expr *e)
{
    bool arrow = mf_at(p, MF_TOK_ARROW);
    span op_at = mf_cur(p)->at;
    mf_advance(p);
    if (arrow && !mf_bad(e) && e->type->kind == MF_TYPE_RECORD) {
        mf_ident *id = mf_intern(p->mem, p->idents, STR("operator->"));
        if (mf_find_member(e->type->record, id) == NULL) {
            diag_error(p->diags, span_join(e->at, op_at), "'->' needs a pointer, not '%.*s'; '.' may be meant", STR_ARG(mf_type_text(p->mem, e->type)));
            e = mf_error(p, e->at);
        }
    }
    if (arrow) e = mf_make_deref(p, e, span_join(e->at, op_at));
    span at = mf_cur(p)->at;
    bool qualified = mf_at(p, MF_TOK_IDENT) && mf_ahead(p, 1)->kind == MF_TOK_SCOPE;
    if (qualified) p->at += 2; /* the base's name: the member is found through it all the same */
    mf_qtype conversion = {0};
    mf_ident *name = NULL;
    if (mf_at(p, MF_KW_OPERATOR) &&
        (mf_ahead(p, 1)->kind == MF_TOK_IDENT || mf_ahead(p, 1)->ident != NULL)) {
        name = mf_cur(p)->ident;
        mf_advance(p);
        if (!mf_parse_type_id(p, &conversion)) return mf_error(p, at);
    } else {
        name = member_name(p);
    }
    if (name == NULL) {
        mf_syntax(p, at, "expected the name of a member");
        return mf_error(p, e->at);
    }
    at = mf_since(p, at);
    if (mf_bad(e)) return e;
    if (e->type->kind == MF_TYPE_SIMD_MATRIX && str_is(name->text, "thread_elements") &&
        mf_at(p, MF_TOK_L_PAREN))
        return mf_thread_elements(p, e);
    if (e->type->kind == MF_TYPE_MATRIX && str_is(name->text, "columns") && mf_at(p, MF_TOK_L_SQUARE))
        return e; /* m.columns[i] is m[i] */
    if (conversion.type != NULL) {
        if (!mf_expect(p, MF_TOK_L_PAREN, "after a conversion's name") ||
            !mf_expect(p, MF_TOK_R_PAREN, "after '('"))
            return mf_error(p, at);
        return mf_explicit(p, e, conversion, mf_since(p, e->at));
    }
    mf_symbol *s = e->type->kind == MF_TYPE_RECORD ? mf_find_member(e->type->record, name) : NULL;
    if (s != NULL && s->kind == MF_SYM_FUNCTION) return call_member(p, e, name, s, at);
    if (s != NULL && s->kind == MF_SYM_VAR) return mf_make_var(p, s->var, at); /* a static one */
    if (s != NULL && s->kind == MF_SYM_ENUMERATOR) return mf_int(p, at, s->type.type, s->value);
    return mf_make_member(p, e, name, at);
}

static mf_expr *parse_index(mf_parser *p, mf_expr *e)
{
    bool outer = p->no_greater;
    p->no_greater = false;
    mf_advance(p);
    mf_expr *index = mf_parse_expr(p);
    p->no_greater = outer;
    if (!mf_expect(p, MF_TOK_R_SQUARE, "after the index")) return mf_error(p, e->at);
    mf_expr *own = mf_own_operator(p, STR("[]"), e, index, mf_since(p, e->at));
    if (own != NULL) return own;
    return mf_make_index(p, e, index, mf_since(p, e->at));
}

static mf_expr *parse_postfix(mf_parser *p)
{
    mf_expr *e = parse_primary(p);
    while (!p->panic) {
        switch ((int)mf_cur(p)->kind) {
        case MF_TOK_DOT:
        case MF_TOK_ARROW: e = parse_member(p, e); break;
        case MF_TOK_L_SQUARE: e = parse_index(p, e); break;
        case MF_TOK_PLUS_PLUS:
        case MF_TOK_MINUS_MINUS: {
            bool up = mf_at(p, MF_TOK_PLUS_PLUS);
            mf_advance(p);
            e = mf_make_step(p, up ? MF_EXPR_POST_INC : MF_EXPR_POST_DEC, e, mf_since(p, e->at));
            break;
        }
        case MF_TOK_L_PAREN:
            if (!mf_bad(e) && e->type->kind == MF_TYPE_RECORD) {
                mf_ident *id = mf_intern(p->mem, p->idents, STR("operator()"));
                mf_symbol *s = mf_find_member(e->type->record, id);
                if (s != NULL && s->kind == MF_SYM_FUNCTION) {
                    e = call_member(p, e, id, s, e->at);
                    break;
                }
            }
            if (!mf_bad(e) && e->type->kind == MF_TYPE_FUNCTION) {
                mf_exprs args = mf_exprs_none();
                mf_advance(p);
                if (!mf_parse_arguments(p, &args, MF_TOK_R_PAREN)) return mf_error(p, e->at);
                if (mf_is_set(e)) {
                    const mf_ref name = {.id = e->set->name, .at = e->at, .symbol = e->set, .builtin = -1};
                    e = mf_call_function(p, &name, &args, mf_since(p, e->at));
                } else {
                    e = mf_call_value(p, e, &args, mf_since(p, e->at));
                }
                break;
            }
            if (!mf_bad(e)) {
                mf_syntax(p, e->at, "this is not a function");
                return mf_error(p, e->at);
            }
            skip_arguments(p);
            break;
        default: return e; /* no postfix operator */
        }
    }
    return mf_error(p, e->at);
}

static mf_expr *prefix(mf_parser *p, mf_token_kind op, span at)
{
    str mark = mf_token_text(mf_cur(p));
    mf_advance(p);
    mf_expr *a = mf_parse_unary(p);
    at = span_join(at, a->at);
    const bool function = !mf_bad(a) && a->type->kind == MF_TYPE_FUNCTION;
    if (function && (op == MF_TOK_STAR || (op == MF_TOK_AMP && !a->lvalue))) return a; /* the same value */
    if (op != MF_TOK_AMP) {
        mf_expr *own = mf_own_operator(p, mark, a, NULL, at);
        if (own != NULL) return own;
    }
    switch ((int)op) {
    case MF_TOK_PLUS: return mf_make_unary(p, MF_EXPR_LOAD, a, at);
    case MF_TOK_MINUS: return mf_make_unary(p, MF_EXPR_NEGATE, a, at);
    case MF_TOK_TILDE: return mf_make_unary(p, MF_EXPR_COMPLEMENT, a, at);
    case MF_TOK_BANG: return mf_make_unary(p, MF_EXPR_NOT, a, at);
    case MF_TOK_STAR: return mf_make_deref(p, a, at);
    case MF_TOK_AMP: return mf_make_address(p, a, at);
    case MF_TOK_PLUS_PLUS: return mf_make_step(p, MF_EXPR_PRE_INC, a, at);
    default: return mf_make_step(p, MF_EXPR_PRE_DEC, a, at); /* "--", the last one */
    }
}

mf_expr *mf_parse_unary(mf_parser *p)
{
    const mf_token *t = mf_cur(p);
    if (!mf_enter(p)) return mf_error(p, t->at);
    mf_expr *e;
    mf_qtype type = {0};
    switch ((int)t->kind) {
    case MF_TOK_PLUS:
    case MF_TOK_MINUS:
    case MF_TOK_TILDE:
    case MF_TOK_BANG:
    case MF_TOK_STAR:
    case MF_TOK_AMP:
    case MF_TOK_PLUS_PLUS:
    case MF_TOK_MINUS_MINUS: e = prefix(p, t->kind, t->at); break;
    case MF_KW_SIZEOF:
    case MF_KW_ALIGNOF: e = parse_size(p); break;
    case MF_TOK_L_PAREN:
        if (mf_try_cast(p, &type)) {
            mf_expr *a = p->panic ? mf_error(p, t->at) : mf_parse_unary(p);
            e = mf_explicit(p, a, type, span_join(t->at, a->at));
            break;
        }
        e = parse_postfix(p);
        break;
    default: e = parse_postfix(p); break;
    }
    mf_leave(p);
    return e;
}

/* Binary operators, from loosest to tightest; && and || stand below those of ops.def. */
enum { LOGICAL_OR = 3, LOGICAL_AND = 4, LOOSEST = LOGICAL_OR };

typedef struct binary_op {
    int precedence; /* 0: none */
    mf_op op;
    size_t tokens;
} binary_op;

static binary_op peek_binary(const mf_parser *p)
{
#define MF_BINOP(ID, text, precedence, class) PRECEDENCE_##ID = (precedence),
    enum {
#include "mslfront/ops.def"
    };
#undef MF_BINOP
#define OP(ID) ((binary_op){PRECEDENCE_##ID, MF_OP_##ID, 1})
    mf_token_kind next;
    switch ((int)mf_cur(p)->kind) {
    case MF_TOK_STAR: return OP(MUL);
    case MF_TOK_SLASH: return OP(DIV);
    case MF_TOK_PERCENT: return OP(REM);
    case MF_TOK_PLUS: return OP(ADD);
    case MF_TOK_MINUS: return OP(SUB);
    case MF_TOK_SHIFT_LEFT: return OP(SHL);
    case MF_TOK_LESS: return OP(LT);
    case MF_TOK_LESS_EQ: return OP(LE);
    case MF_TOK_EQ_EQ: return OP(EQ);
    case MF_TOK_BANG_EQ: return OP(NE);
    case MF_TOK_AMP: return OP(AND);
    case MF_TOK_CARET: return OP(XOR);
    case MF_TOK_PIPE: return OP(OR);
    case MF_TOK_AMP_AMP: return (binary_op){LOGICAL_AND, MF_OPS, 1};
    case MF_TOK_PIPE_PIPE: return (binary_op){LOGICAL_OR, MF_OPS, 1};
    case MF_TOK_GREATER_EQ:
        if (p->no_greater) return (binary_op){0};
        return OP(GE);
    case MF_TOK_GREATER:
        if (p->no_greater) return (binary_op){0};
        next = mf_ahead(p, 1)->kind;
        if (next == MF_TOK_GREATER && mf_glued(p, 0))
            return (binary_op){PRECEDENCE_SHR, MF_OP_SHR, 2};
        if (next == MF_TOK_GREATER_EQ && mf_glued(p, 0)) return (binary_op){0}; /* ">>=" */
        return OP(GT);
    default: return (binary_op){0}; /* no binary operator */
    }
#undef OP
}

static mf_expr *joined(mf_parser *p, binary_op op, mf_expr *a, mf_expr *b)
{
    const str text = op.op != MF_OPS ? str_of(mf_op_text(op.op)) : op.precedence == LOGICAL_AND ? STR("&&") : STR("||");
    mf_expr *own = mf_own_operator(p, text, a, b, span_join(a->at, b->at));
    if (own != NULL) return own;
    if (op.op != MF_OPS) return mf_make_binary(p, op.op, a, b);
    return mf_make_logical(p, op.precedence == LOGICAL_AND ? MF_EXPR_AND : MF_EXPR_OR, a, b);
}

static mf_expr *parse_binary(mf_parser *p, int least)
{
    mf_expr *a = mf_parse_unary(p);
    for (;;) {
        binary_op op = peek_binary(p);
        if (op.precedence < least || op.precedence == 0 || p->panic) return a;
        p->at += op.tokens;
        a = joined(p, op, a, parse_binary(p, op.precedence + 1));
    }
}

mf_expr *mf_parse_ternary(mf_parser *p)
{
    mf_expr *a = parse_binary(p, LOOSEST);
    if (!mf_at(p, MF_TOK_QUESTION) || p->panic) return a;
    if (!mf_enter(p)) return mf_error(p, a->at);
    mf_advance(p);
    bool outer = p->no_greater;
    p->no_greater = false;
    mf_expr *b = mf_parse_expr(p);
    p->no_greater = outer;
    mf_expr *e = mf_error(p, a->at);
    if (mf_expect(p, MF_TOK_COLON, "in '?:'")) {
        mf_expr *c = mf_parse_assignment(p);
        e = mf_make_cond(p, a, b, c);
    }
    mf_leave(p);
    return e;
}

/* The operator of a compound assignment at the cursor; MF_OPS where there is none. *tokens is how
 * many it takes. */
static mf_op assign_op(const mf_parser *p, size_t *tokens)
{
    *tokens = 1;
    switch ((int)mf_cur(p)->kind) {
    case MF_TOK_PLUS_EQ: return MF_OP_ADD;
    case MF_TOK_MINUS_EQ: return MF_OP_SUB;
    case MF_TOK_STAR_EQ: return MF_OP_MUL;
    case MF_TOK_SLASH_EQ: return MF_OP_DIV;
    case MF_TOK_PERCENT_EQ: return MF_OP_REM;
    case MF_TOK_AMP_EQ: return MF_OP_AND;
    case MF_TOK_PIPE_EQ: return MF_OP_OR;
    case MF_TOK_CARET_EQ: return MF_OP_XOR;
    case MF_TOK_SHIFT_LEFT_EQ: return MF_OP_SHL;
    case MF_TOK_GREATER:
        *tokens = 2;
        return mf_ahead(p, 1)->kind == MF_TOK_GREATER_EQ && mf_glued(p, 0) ? MF_OP_SHR : MF_OPS;
    default: return MF_OPS; /* no assignment */
    }
}

/* a = b, and a op= b. */
static mf_expr *assigned(mf_parser *p, mf_op op, mf_expr *a, mf_expr *b)
{
    const bool plain = op == MF_OPS;
    str mark = plain ? STR("=") : str_format(p->mem, "%s=", mf_op_text(op));
    mf_expr *own = mf_own_operator(p, mark, a, b, span_join(a->at, b->at));
    if (own != NULL) return own;
    return plain ? mf_make_assign(p, a, b) : mf_make_assign_op(p, op, a, b);
}

mf_expr *mf_parse_assignment(mf_parser *p)
{
    mf_expr *a = mf_parse_ternary(p);
    size_t tokens = 1;
    mf_op op = assign_op(p, &tokens);
    bool plain = mf_at(p, MF_TOK_EQ);
    if ((op == MF_OPS && !plain) || p->panic) return a;
    if (!mf_enter(p)) return mf_error(p, a->at);
    p->at += tokens;
    mf_expr *b;
    if (plain && mf_at(p, MF_TOK_L_BRACE) && !mf_bad(a)) {
        const mf_type *t = a->type;
        b = mf_parse_braced(p, &t);
    } else {
        b = mf_parse_assignment(p);
    }
    mf_leave(p);
    return assigned(p, op, a, b);
}

static mf_expr *comma(mf_parser *p, mf_expr *a, mf_expr *b)
{
    const span at = span_join(a->at, b->at);
    if (mf_bad(a) || mf_bad(b)) return mf_error(p, at);
    mf_expr *e =
        b->lvalue ? mf_make_place(p, MF_EXPR_COMMA, at, (mf_qtype){b->type, b->space, b->quals}) : mf_new(p, MF_EXPR_COMMA, at, b->type);
    e->a = a;
    e->b = b;
    return mf_finish(p, e);
}

mf_expr *mf_parse_expr(mf_parser *p)
{
    mf_expr *a = mf_parse_assignment(p);
    while (mf_at(p, MF_TOK_COMMA) && !p->panic) {
        mf_advance(p);
        a = comma(p, a, mf_parse_assignment(p));
    }
    return a;
}

size_t mf_operator_tokens(mf_parser *p, size_t at)
{
    const size_t back = p->at;
    size_t n = 0;
    p->at = at;
    const binary_op op = peek_binary(p);
    if (op.precedence != 0)
        n = op.tokens;
    else if (mf_at(p, MF_TOK_EQ) || mf_at(p, MF_TOK_COMMA))
        n = 1;
    else if (assign_op(p, &n) == MF_OPS)
        n = 0;
    p->at = back;
    return n;
}

mf_expr *mf_operate(mf_parser *p, size_t at, mf_expr *a, mf_expr *b)
{
    const size_t back = p->at;
    size_t n;
    p->at = at;
    const binary_op op = peek_binary(p);
    const mf_op assign = assign_op(p, &n);
    const bool list = mf_at(p, MF_TOK_COMMA);
    p->at = back;
    return list ? comma(p, a, b) : op.precedence != 0 ? joined(p, op, a, b) : assigned(p, assign, a, b);
}
