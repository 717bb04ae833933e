/* Destructors: what lives in which scope, and the calls that end it, written out where control leaves: at a scope's end and before each break,
 * continue and return. The last made is the first destroyed; of an object its destructor comes first, then its members from the last one on. */
#include "mslfront/template.h"

bool mf_is_destroyed(const mf_type *t)
{
    while (t->kind == MF_TYPE_ARRAY) t = t->elem;
    return t->kind == MF_TYPE_RECORD && t->record->destroys;
}

/* "~S() = default;" or "~S() {}", behind "~S": one that does nothing is none. */
static bool does_nothing(const mf_parser *p)
{
    size_t at = mf_skip_balanced(p, p->at);
    while (p->tokens[at].kind == MF_KW_THREAD || p->tokens[at].kind == MF_KW_DEVICE || p->tokens[at].kind == MF_KW_THREADGROUP ||
           p->tokens[at].kind == MF_KW_CONSTANT || p->tokens[at].kind == MF_KW_CONST || p->tokens[at].kind == MF_KW_NOEXCEPT)
        ++at;
    const mf_token_kind next = p->tokens[at + (at + 1 < p->token_count)].kind;
    return (p->tokens[at].kind == MF_TOK_EQ && next == MF_KW_DEFAULT) || (p->tokens[at].kind == MF_TOK_L_BRACE && next == MF_TOK_R_BRACE);
}

void mf_parse_destructor(mf_parser *p)
{
    const span at = mf_cur(p)->at;
    mf_advance(p);
    if (!mf_expect(p, MF_TOK_IDENT, "as the name of a destructor")) return;
    if (!mf_at(p, MF_TOK_L_PAREN) || mf_ahead(p, 1)->kind != MF_TOK_R_PAREN) {
        mf_syntax(p, mf_cur(p)->at, "expected '()' after the name of a destructor");
        return;
    }
    if (does_nothing(p)) {
        p->at = mf_skip_function(p, p->at);
        return;
    }
    const mf_specs specs = {.type = {.type = mf_void()}, .at = at};
    const mf_declarator d = {.type = specs.type, .name = mf_intern(p->mem, p->idents, STR("~")), .at = mf_since(p, at)};
    mf_parse_function(p, &specs, &d);
}

void mf_find_destructor(mf_parser *p, mf_record *r)
{
    mf_symbol *s = r->scope != NULL ? mf_find(r->scope, mf_intern(p->mem, p->idents, STR("~"))) : NULL;
    r->destructor = s;
    r->destroys = s != NULL;
    for (size_t i = 0; i < r->field_count; ++i) r->destroys = r->destroys || mf_is_destroyed(r->fields[i].type);
    if (r->destroys && r->is_union) diag_unsupported(p->diags, r->at, "a union whose members are destroyed is not supported");
}

static void push_destroy(mf_parser *p, mf_stmts *out, mf_expr *place, span at);

static void push_expr(mf_parser *p, mf_stmts *out, mf_expr *e, span at)
{
    if (mf_bad(e)) return;
    mf_stmt *s = mf_new_stmt(p, MF_STMT_EXPR, at);
    s->expr = e;
    mf_stmts_push(p->mem, out, s);
}

/* "for (int i = n; i > 0;) { --i; destroy(a[i]); }" */
static void push_elements(mf_parser *p, mf_stmts *out, mf_expr *place, span at)
{
    const mf_type *index = mf_scalar_type(MF_INT);
    mf_stmts head = mf_stmts_none(), body = mf_stmts_none();
    mf_var *i = mf_hidden_local(p, &head, index, mf_int(p, at, index, (int64_t)place->type->count), at);
    mf_stmt *s = mf_new_stmt(p, MF_STMT_FOR, at);
    s->init = head.at[0];
    s->cond = mf_make_binary(p, MF_OP_GT, mf_make_var(p, i, at), mf_int(p, at, index, 0));
    push_expr(p, &body, mf_make_step(p, MF_EXPR_PRE_DEC, mf_make_var(p, i, at), at), at);
    push_destroy(p, &body, mf_make_index(p, place, mf_make_var(p, i, at), at), at);
    s->body = mf_new_stmt(p, MF_STMT_BLOCK, at);
    s->body->items = body.at;
    s->body->item_count = body.n;
    mf_stmts_push(p->mem, out, s);
}

static void push_destroy(mf_parser *p, mf_stmts *out, mf_expr *place, span at)
{
    const mf_type *t = place->type;
    if (!mf_is_destroyed(t) || mf_bad(place)) return;
    if (t->kind == MF_TYPE_ARRAY) {
        push_elements(p, out, place, at);
        return;
    }
    mf_record *r = t->record;
    place->quals = 0; /* an object that was const is none any more */
    if (r->destructor != NULL) {
        mf_exprs none = mf_exprs_none();
        const mf_ref name = {.id = r->destructor->name, .at = at, .symbol = r->destructor, .builtin = -1};
        push_expr(p, out, mf_call_member(p, &name, place, &none, at), at);
    }
    for (size_t i = r->field_count; i-- != 0;) {
        if (!mf_is_destroyed(r->fields[i].type)) continue;
        mf_expr *m = mf_make_place(p, MF_EXPR_MEMBER, at, (mf_qtype){r->fields[i].type, place->space, 0});
        m->a = place;
        m->field = (uint32_t)i;
        push_destroy(p, out, mf_finish(p, m), at);
    }
}

void mf_note_alive(mf_parser *p, mf_var *v)
{
    if (v->space == MF_THREAD && mf_is_destroyed(v->type)) mf_vars_push(p->mem, &p->alive, v);
}

/* All that came alive since `mark`, but `spared`. */
static void push_all(mf_parser *p, mf_stmts *out, size_t mark, const mf_var *spared, span at)
{
    for (size_t i = p->alive.n; i-- > mark;)
        if (p->alive.at[i] != spared) push_destroy(p, out, mf_make_var(p, p->alive.at[i], at), at);
}

void mf_end_scope(mf_parser *p, mf_stmts *items, size_t mark)
{
    if (items->n == 0 || mf_may_end(items->at[items->n - 1])) push_all(p, items, mark, NULL, mf_last(p));
    p->alive.n = mark;
}

static mf_stmt *block_of(mf_parser *p, const mf_stmts *items, span at)
{
    mf_stmt *s = mf_new_stmt(p, MF_STMT_BLOCK, at);
    s->items = items->at;
    s->item_count = items->n;
    return s;
}

mf_stmt *mf_end_around(mf_parser *p, mf_stmt *s, size_t mark)
{
    if (p->alive.n <= mark) return s;
    mf_stmts items = mf_stmts_none();
    mf_stmts_push(p->mem, &items, s);
    mf_end_scope(p, &items, mark);
    return block_of(p, &items, s->at);
}

mf_stmt *mf_before_jump(mf_parser *p, mf_stmt *jump, size_t mark)
{
    if (p->alive.n <= mark) return jump;
    mf_stmts items = mf_stmts_none();
    push_all(p, &items, mark, NULL, jump->at);
    mf_stmts_push(p->mem, &items, jump);
    return block_of(p, &items, jump->at);
}

/* A variable of the function that is returned as a whole is handed on, not copied and destroyed. */
static const mf_var *handed_on(const mf_parser *p, const mf_expr *e)
{
    const mf_expr *from = e != NULL && e->kind == MF_EXPR_LOAD ? e->a : NULL;
    for (size_t i = 0; from != NULL && from->kind == MF_EXPR_VAR && i < p->alive.n; ++i)
        if (p->alive.at[i] == from->var && from->var->kind == MF_VAR_LOCAL) return from->var;
    return NULL;
}

mf_stmt *mf_before_return(mf_parser *p, mf_stmt *s)
{
    if (p->alive.n == 0) return s;
    const mf_type *result = p->function->function->result;
    mf_stmts items = mf_stmts_none();
    const mf_var *spared = handed_on(p, s->expr);
    if (s->expr != NULL && !mf_bad(s->expr) && spared == NULL && s->expr->type->kind != MF_TYPE_VOID) { /* its value is made before anything ends */
        const bool reference = result->kind == MF_TYPE_REFERENCE;
        mf_var *v = mf_hidden_local(p, &items, reference ? result : s->expr->type, s->expr, s->at);
        mf_expr *e = mf_make_var(p, v, s->at);
        if (!reference) {
            mf_expr *whole = mf_new(p, MF_EXPR_LOAD, s->at, e->type); /* not copied by a constructor */
            whole->a = e;
            e = mf_finish(p, whole);
        }
        s->expr = e;
    }
    push_all(p, &items, 0, spared, s->at);
    mf_stmts_push(p->mem, &items, s);
    return block_of(p, &items, s->at);
}

mf_stmt *mf_drop_value(mf_parser *p, mf_stmt *s)
{
    if (s->expr == NULL || mf_bad(s->expr) || s->expr->lvalue || !mf_is_destroyed(s->expr->type)) return s;
    mf_stmts items = mf_stmts_none();
    mf_var *v = mf_hidden_local(p, &items, s->expr->type, s->expr, s->at);
    push_destroy(p, &items, mf_make_var(p, v, s->at), s->at);
    return block_of(p, &items, s->at);
}

bool mf_check_temporary(mf_parser *p, const mf_expr *e)
{
    if (!mf_is_destroyed(e->type)) return true;
    diag_unsupported(p->diags, e->at, "a temporary '%.*s' within an expression is not supported, as its destructor does something: give it a name",
                     STR_ARG(mf_type_text(p->mem, e->type)));
    return false;
}
