/* Lambdas: a struct of what is captured, whose operator() is read as a member; its tokens are written out once, behind the text's own. */
#include "mslfront/template.h"

/* A lambda that was met before: its "[" and where the member's declaration stands. */
struct mf_lambda {
    size_t at, written;
    struct mf_lambda *next;
};

/* Where its parts are. */
typedef struct lambda {
    size_t begin, captures_end; /* "[", "]" */
    size_t params;              /* "(", or 0 */
    size_t tail;                /* what follows the parameters: mutable, ->, up to the body */
    size_t body, end;           /* "{", behind "}" */
    bool by_copy, by_reference; /* all that it uses */
    bool is_mutable;
} lambda;

typedef struct closure {
    mf_record *record;
    mf_scope *scope;
    mf_fields fields;
    mf_exprs values;
} closure;

static bool find_parts(mf_parser *p, lambda *l)
{
    *l = (lambda){.begin = p->at};
    size_t at = mf_skip_balanced(p, p->at);
    l->captures_end = at - 1;
    if (p->tokens[at].kind == MF_TOK_L_PAREN) {
        l->params = at;
        at = mf_skip_balanced(p, at);
    }
    l->tail = at;
    while (p->tokens[at].kind != MF_TOK_L_BRACE && p->tokens[at].kind != MF_TOK_SEMI && p->tokens[at].kind != MF_TOK_END) {
        if (p->tokens[at].kind == MF_KW_MUTABLE) l->is_mutable = true;
        ++at;
    }
    l->body = at;
    if (p->tokens[at].kind != MF_TOK_L_BRACE) {
        mf_syntax(p, p->tokens[at].at, "expected the lambda's body");
        return false;
    }
    l->end = mf_skip_balanced(p, at);
    return true;
}

/* Writing the member out. */

static void put(mf_parser *p, mf_token_kind kind, const char *text, span at)
{
    const str s = str_of(text);
    const bool name = kind == MF_TOK_IDENT;
    const mf_token t = {.kind = kind, .flags = MF_AT_SPACE, .at = at, .n = (uint32_t)s.n, .p = s.p,
                        .ident = name ? mf_intern(p->mem, p->idents, s) : NULL};
    mf_tokens_push(p->mem, &p->written, t);
}

static const char *type_name(mf_parser *p, unsigned i)
{
    return str_format(p->mem, "auto:%u", i).p;
}

/* The tokens of a range; each "auto" among them becomes the name of a template's parameter. */
static void put_range(mf_parser *p, size_t from, size_t to, bool name_autos)
{
    unsigned n = 0;
    for (size_t i = from; i < to; ++i) {
        const mf_token t = p->written.at[i];
        if (t.kind == MF_KW_MUTABLE) continue;
        if (t.kind == MF_KW_AUTO && name_autos) put(p, MF_TOK_IDENT, type_name(p, n++), t.at);
        else mf_tokens_push(p->mem, &p->written, t);
    }
}

/* template <typename A, typename... B> for the parameters that are "auto". */
static void put_template(mf_parser *p, const lambda *l, span at)
{
    unsigned n = 0;
    for (size_t i = l->params; l->params != 0 && i < l->tail; ++i) {
        if (p->written.at[i].kind != MF_KW_AUTO) continue;
        if (n == 0) put(p, MF_KW_TEMPLATE, "template", at);
        put(p, n == 0 ? MF_TOK_LESS : MF_TOK_COMMA, n == 0 ? "<" : ",", at);
        put(p, MF_KW_TYPENAME, "typename", at);
        if (p->written.at[i + 1].kind == MF_TOK_ELLIPSIS) put(p, MF_TOK_ELLIPSIS, "...", at);
        put(p, MF_TOK_IDENT, type_name(p, n++), at);
    }
    if (n != 0) put(p, MF_TOK_GREATER, ">", at);
}

static size_t write_member(mf_parser *p, const lambda *l)
{
    for (struct mf_lambda *known = p->lambdas; known != NULL; known = known->next)
        if (known->at == l->begin) return known->written;
    struct mf_lambda *made = arena_new(p->mem, struct mf_lambda);
    *made = (struct mf_lambda){.at = l->begin, .written = p->written.n, .next = p->lambdas};
    p->lambdas = made;
    const span at = p->tokens[l->begin].at;
    put_template(p, l, at);
    put(p, MF_KW_AUTO, "auto", at);
    put(p, MF_KW_OPERATOR, "operator", at);
    put(p, MF_TOK_L_PAREN, "(", at);
    put(p, MF_TOK_R_PAREN, ")", at);
    if (l->params == 0) {
        put(p, MF_TOK_L_PAREN, "(", at);
        put(p, MF_TOK_R_PAREN, ")", at);
    }
    if (l->params != 0) put_range(p, l->params, l->tail, true);
    if (!l->is_mutable) put(p, MF_KW_CONST, "const", at);
    put_range(p, l->tail, l->end, false);
    put(p, MF_TOK_END, "", at);
    p->tokens = p->written.at;
    p->token_count = p->written.n;
    return made->written;
}

/* Captures. */

/* An array that a lambda keeps, element by element. */
static mf_expr *array_value(mf_parser *p, mf_expr *e, span at)
{
    enum { MOST = 1024 };
    if (e->type->kind != MF_TYPE_ARRAY) return mf_value(p, e);
    if (e->type->count > MOST || !mf_enter(p)) {
        diag_unsupported(p->diags, at, "an array of more than %d elements captured by value is not supported", MOST);
        return mf_error(p, at);
    }
    mf_expr *all = mf_new(p, MF_EXPR_AGGREGATE, at, e->type);
    all->args = arena_array(p->mem, mf_expr *, e->type->count);
    for (uint64_t i = 0; i < e->type->count; ++i) {
        mf_expr *number = mf_make_constant(p, at, MF_INT, (mf_constant){.i = i});
        mf_expr *one = array_value(p, mf_make_index(p, e, number, at), at);
        if (mf_bad(one)) all = mf_error(p, at);
        if (mf_bad(all)) break;
        all->args[all->arg_count++] = one;
    }
    mf_leave(p);
    return mf_bad(all) ? all : mf_finish(p, all);
}

static void add_capture(mf_parser *p, closure *c, mf_ident *id, mf_expr *e, bool reference)
{
    if (mf_bad(e) || mf_find(c->scope, id) != NULL) return;
    const span at = e->at;
    mf_field f = {.name = id->text, .at = at, .type = e->type};
    if (reference) {
        e = mf_make_address(p, e, at);
        f.is_reference = true;
    } else {
        e = e->space == MF_THREAD ? array_value(p, e, at) : mf_value(p, e);
    }
    if (mf_bad(e)) return;
    f.type = e->type;
    mf_fields_push(p->mem, &c->fields, f);
    mf_exprs_push(p->mem, &c->values, e);
    mf_add_symbol(p, c->scope, MF_SYM_FIELD, id, at);
}

/* The variable or captured variable that a name means here; NULL: nothing that is captured. */
static mf_symbol *local_named(const mf_parser *p, const mf_ident *id)
{
    for (const mf_scope *s = p->scope; s != NULL; s = s->parent) { /* a template's arguments may lie between a lambda and what is around it */
        mf_symbol *found = mf_find(s, id);
        if (found == NULL) continue;
        if (found->kind == MF_SYM_FIELD) return s->record != NULL && s->record->is_closure ? found : NULL;
        const bool local = found->kind == MF_SYM_VAR && found->var != NULL && found->var->kind != MF_VAR_GLOBAL;
        return local && !(found->var->has_value && mf_is_scalar(found->var->type)) ? found : NULL;
    }
    return NULL;
}

static mf_expr *captured_value(mf_parser *p, const mf_symbol *s, span at)
{
    if (s->kind == MF_SYM_VAR) return mf_make_var(p, s->var, at);
    return mf_make_member(p, mf_make_closure(p, at), s->name, at);
}

static void capture_this(mf_parser *p, closure *c, span at)
{
    const mf_candidate *f = p->function;
    mf_ident *id = mf_intern(p->mem, p->idents, STR("this"));
    if (f == NULL || f->self == NULL) return;
    if (f->record->is_closure && mf_find(f->record->scope, id) == NULL) return;
    add_capture(p, c, id, mf_make_self(p, at), true);
}

/* Everything of the function around it that the parameters and the body name. */
static void capture_used(mf_parser *p, const lambda *l, closure *c)
{
    for (size_t i = l->params != 0 ? l->params : l->body; i < l->end; ++i) {
        const mf_token *t = &p->tokens[i];
        const mf_token_kind before = p->tokens[i - 1].kind;
        if (t->kind != MF_TOK_IDENT || before == MF_TOK_DOT || before == MF_TOK_ARROW || before == MF_TOK_SCOPE) continue;
        const mf_symbol *s = local_named(p, t->ident);
        if (s != NULL) add_capture(p, c, t->ident, captured_value(p, s, t->at), !l->by_copy);
    }
    capture_this(p, c, p->tokens[l->begin].at);
}

/* "x", "&x", "x = value", "this", "*this". */
static bool read_capture(mf_parser *p, lambda *l, closure *c)
{
    const span at = mf_cur(p)->at;
    bool reference = mf_accept(p, MF_TOK_AMP);
    const mf_token_kind next = mf_cur(p)->kind;
    if (reference && (next == MF_TOK_COMMA || next == MF_TOK_R_SQUARE)) {
        l->by_reference = true;
        return true;
    }
    if (mf_accept(p, MF_TOK_EQ)) {
        l->by_copy = true;
        return true;
    }
    (void)mf_accept(p, MF_TOK_STAR);
    if (mf_accept(p, MF_KW_THIS)) {
        capture_this(p, c, at);
        return true;
    }
    mf_ident *id = mf_cur(p)->ident;
    if (!mf_expect(p, MF_TOK_IDENT, "in the lambda's captures")) return false;
    if (mf_accept(p, MF_TOK_EQ)) {
        mf_expr *given = mf_parse_assignment(p);
        add_capture(p, c, id, reference ? given : mf_value(p, given), reference); /* of an array: the pointer to it, as "auto" has it */
        return !p->panic;
    }
    const mf_symbol *s = local_named(p, id);
    if (s != NULL) add_capture(p, c, id, captured_value(p, s, at), reference);
    return true;
}

static bool read_captures(mf_parser *p, lambda *l, closure *c)
{
    mf_advance(p);
    while (!mf_at(p, MF_TOK_R_SQUARE)) {
        if (!read_capture(p, l, c)) return false;
        if (!mf_accept(p, MF_TOK_COMMA)) break;
    }
    if (!mf_expect(p, MF_TOK_R_SQUARE, "after the lambda's captures")) return false;
    if (l->by_copy || l->by_reference) capture_used(p, l, c);
    return true;
}

static closure make_closure(mf_parser *p, span at)
{
    closure c = {.fields = mf_fields_none(), .values = mf_exprs_none()};
    mf_scope *outer = p->scope;
    c.record = mf_new_record(p, false, STR("(lambda)"), at);
    c.record->is_closure = true;
    c.scope = mf_push_scope(p, MF_SCOPE_RECORD);
    c.scope->record = c.record;
    c.scope->label = STR("(lambda)::");
    c.record->scope = c.scope;
    p->scope = outer;
    return c;
}

mf_expr *mf_parse_lambda(mf_parser *p)
{
    const span begin = mf_cur(p)->at;
    lambda l;
    if (p->function == NULL && !p->unevaluated) {
        mf_unsupported(p, begin, "a lambda outside of functions is not supported");
        return mf_error(p, begin);
    }
    if (!find_parts(p, &l)) return mf_error(p, begin);
    closure c = make_closure(p, begin);
    if (!read_captures(p, &l, &c)) return mf_error(p, begin);
    c.record->fields = c.fields.at;
    c.record->field_count = c.fields.n;
    mf_lay_out(c.record);
    mf_find_destructor(p, c.record);
    const size_t written = write_member(p, &l);
    mf_scope *outer = p->scope;
    p->scope = c.scope;
    p->at = written;
    mf_parse_member(p, c.record, &c.fields);
    p->scope = outer;
    const bool good = !p->panic;
    p->at = l.end;
    if (!good) return mf_error(p, begin);
    mf_expr *e = mf_new(p, MF_EXPR_AGGREGATE, mf_since(p, begin), c.record->type);
    e->args = c.values.at;
    e->arg_count = (uint32_t)c.values.n;
    return mf_finish(p, e);
}
