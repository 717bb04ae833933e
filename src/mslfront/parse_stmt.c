/* Statements. */
#include "mslfront/template.h"

#include <stdlib.h>

mf_stmt *mf_new_stmt(mf_parser *p, mf_stmt_kind kind, span at)
{
    mf_stmt *s = arena_new(p->mem, mf_stmt);
    s->kind = kind;
    s->at = at;
    return s;
}

static void parse_into(mf_parser *p, mf_stmts *out);
static bool at_declaration(mf_parser *p);

static mf_stmt *block_of(mf_parser *p, const mf_stmts *items, span at)
{
    mf_stmt *s = mf_new_stmt(p, MF_STMT_BLOCK, at);
    s->items = items->at;
    s->item_count = items->n;
    return s;
}

/* One statement in a scope of its own, as the body of an if or a loop. */
static mf_stmt *parse_body(mf_parser *p)
{
    if (mf_at(p, MF_TOK_L_BRACE)) return mf_parse_block(p);
    span begin = mf_cur(p)->at;
    mf_stmts items = mf_stmts_none();
    const size_t alive = p->alive.n;
    mf_push_scope(p, MF_SCOPE_BLOCK);
    parse_into(p, &items);
    mf_end_scope(p, &items, alive);
    mf_pop_scope(p);
    if (items.n == 1 && items.at[0]->kind != MF_STMT_DECL) return items.at[0];
    return block_of(p, &items, mf_since(p, begin));
}

mf_stmt *mf_parse_block(mf_parser *p)
{
    span begin = mf_cur(p)->at;
    mf_stmts items = mf_stmts_none();
    if (!mf_expect(p, MF_TOK_L_BRACE, "before the statements")) return block_of(p, &items, begin);
    const size_t alive = p->alive.n;
    mf_push_scope(p, MF_SCOPE_BLOCK);
    while (!mf_at(p, MF_TOK_R_BRACE) && !mf_at(p, MF_TOK_END)) {
        size_t before = p->at;
        parse_into(p, &items);
        if (p->panic) {
            if (p->stmt_depth >= MF_STMT_DEPTH)
                p->at = p->token_count - 1; /* too deep: no sense in going on */
            mf_recover(p);
        }
        if (p->at == before) mf_advance(p);
    }
    mf_end_scope(p, &items, alive);
    mf_pop_scope(p);
    if (!p->panic && mf_at(p, MF_TOK_END)) {
        mf_syntax(p, begin, "this '{' is not closed");
    } else {
        mf_accept(p, MF_TOK_R_BRACE);
    }
    return block_of(p, &items, mf_since(p, begin));
}

/* Whether a ";" stands before the ")" that closes the head of an if, a while or a switch, the cursor behind its "(". */
static bool has_init(const mf_parser *p)
{
    for (size_t at = p->at;;) {
        mf_token_kind k = p->tokens[at].kind;
        if (k == MF_TOK_SEMI) return true;
        if (k == MF_TOK_R_PAREN || k == MF_TOK_END) return false;
        bool open = k == MF_TOK_L_PAREN || k == MF_TOK_L_SQUARE || k == MF_TOK_L_BRACE;
        at = open ? mf_skip_balanced(p, at) : at + 1;
    }
}

/* What may stand before the condition, "init;", and the condition's own variable, "T x = value": their statements go to `out`. The
 * condition is a value not yet made a bool. */
static mf_expr *parse_head(mf_parser *p, const char *where, mf_stmts *out)
{
    span begin = mf_cur(p)->at;
    if (!mf_expect(p, MF_TOK_L_PAREN, where)) return mf_error(p, begin);
    if (has_init(p)) {
        if (mf_at_type(p)) mf_parse_local(p, out);
        else parse_into(p, out);
        if (p->panic) return mf_error(p, begin);
    }
    mf_expr *e = NULL;
    if (mf_at_type(p) && at_declaration(p)) {
        const mf_var *v = mf_parse_condition_variable(p, out);
        e = v != NULL ? mf_make_var(p, p->locals.at[v->index], v->at) : mf_error(p, begin);
    } else {
        const bool bracketed = mf_at(p, MF_TOK_L_PAREN);
        e = mf_parse_expr(p);
        if (e->kind == MF_EXPR_ASSIGN && !bracketed && !mf_in_library(p, e->at))
            diag_warning(p->diags, e->at, "an assignment as a condition; '==' may be meant (brackets around it say that it is not)");
    }
    if (!mf_expect(p, MF_TOK_R_PAREN, "after the condition")) return mf_error(p, begin);
    return e;
}

/* "( condition )" as a scalar bool, with nothing declared in it. */
static mf_expr *parse_condition(mf_parser *p, const char *where)
{
    span begin = mf_cur(p)->at;
    if (!mf_expect(p, MF_TOK_L_PAREN, where)) return mf_error(p, begin);
    mf_expr *e = mf_parse_expr(p);
    if (!mf_expect(p, MF_TOK_R_PAREN, "after the condition")) return mf_error(p, begin);
    return mf_condition_value(p, e);
}

/* The arm of an "if constexpr" that is not taken: not read, as what it says may not hold. */
static mf_stmt *skipped(mf_parser *p)
{
    mf_stmt *s = mf_new_stmt(p, MF_STMT_EMPTY, mf_cur(p)->at);
    p->at = mf_skip_statement(p, p->at);
    return s;
}

/* One if of a chain up to its "else": false where the chain ends here. What its head declares goes before it, in a block. */
static bool parse_link(mf_parser *p, mf_stmt *s, mf_stmts *head)
{
    mf_advance(p);
    bool decided = mf_accept(p, MF_KW_CONSTEXPR);
    s->cond = mf_condition_value(p, parse_head(p, "after 'if'", head));
    if (p->panic) return false;
    mf_constant c = {.i = 1};
    if (decided && !mf_bad(s->cond) && !mf_fold(s->cond, &c))
        diag_error(p->diags, s->cond->at, "the condition of 'if constexpr' must be constant");
    else if (decided && !mf_bad(s->cond))
        s->cond = mf_make_constant(p, s->cond->at, MF_BOOL, c);
    s->body = decided && c.i == 0 ? skipped(p) : parse_body(p);
    if (p->panic || !mf_accept(p, MF_KW_ELSE)) return false;
    if (decided && c.i != 0) {
        skipped(p);
        return false;
    }
    if (mf_at(p, MF_KW_IF)) return true;
    s->other = parse_body(p);
    return false;
}

/* An if and the chain of its else-ifs, without recursion along the chain. */
static mf_stmt *parse_if(mf_parser *p)
{
    mf_stmt *first = NULL, **link = &first;
    const size_t alive = p->alive.n;
    unsigned scopes = 0;
    bool more = true;
    for (unsigned n = 0; more; ++n) {
        mf_stmt *s = mf_new_stmt(p, MF_STMT_IF, mf_cur(p)->at);
        if (n == MF_ELSE_CHAIN) mf_syntax(p, s->at, "more than %d 'else if' in a chain", MF_ELSE_CHAIN);
        mf_stmts head = mf_stmts_none();
        mf_push_scope(p, MF_SCOPE_BLOCK);
        ++scopes;
        const size_t before = p->alive.n;
        more = parse_link(p, s, &head);
        if (n != 0 && p->alive.n > before) mf_unsupported(p, s->at, "a variable in an 'else if' whose destructor does something is not supported");
        const bool plain = head.n == 0;
        if (!plain) mf_stmts_push(p->mem, &head, s);
        *link = plain ? s : block_of(p, &head, s->at);
        link = &s->other;
    }
    first = mf_end_around(p, first, alive);
    while (scopes-- != 0) mf_pop_scope(p);
    return first;
}

/* The jumps that a loop's body may end in leave alive what is now. */
typedef struct marks {
    size_t on_break, on_continue;
} marks;

static marks begin_loop(mf_parser *p)
{
    const marks outer = {p->break_alive, p->continue_alive};
    ++p->loops;
    p->break_alive = p->continue_alive = p->alive.n;
    return outer;
}

static void end_loop(mf_parser *p, marks outer)
{
    --p->loops;
    p->break_alive = outer.on_break;
    p->continue_alive = outer.on_continue;
}

/* Whether "(" begins the head of a range-based for: a ":" before any ";". */
static bool at_range(const mf_parser *p)
{
    for (size_t at = p->at + 1;;) {
        mf_token_kind k = p->tokens[at].kind;
        if (k == MF_TOK_COLON) return true;
        if (k == MF_TOK_SEMI || k == MF_TOK_R_PAREN || k == MF_TOK_QUESTION || k == MF_TOK_END)
            return false;
        at = k == MF_TOK_L_PAREN || k == MF_TOK_L_SQUARE || k == MF_TOK_L_BRACE
                 ? mf_skip_balanced(p, at)
                 : at + 1;
    }
}

mf_var *mf_hidden_local(mf_parser *p, mf_stmts *out, const mf_type *type, mf_expr *init, span at)
{
    mf_declarator d = {.type = {.type = type}, .at = at};
    mf_var *v = mf_new_var(p, MF_VAR_LOCAL, &d);
    v->name = STR("(range)");
    v->index = (uint32_t)p->locals.n;
    v->init = init;
    mf_vars_push(p->mem, &p->locals, v);
    mf_stmt *s = mf_new_stmt(p, MF_STMT_DECL, at);
    s->var = v;
    mf_stmts_push(p->mem, out, s);
    return v;
}

/* The array that a range-based for goes over: a place of array type, or an error node. */
static mf_expr *range_place(mf_parser *p, mf_expr *e)
{
    if (!mf_bad(e) && e->type->kind == MF_TYPE_RECORD) { /* metal::array */
        const mf_record *r = e->type->record;
        bool array = r->made_of != NULL && mf_in_library(p, r->at) && r->field_count == 1;
        if (array) e = mf_make_member(p, e, mf_intern(p->mem, p->idents, r->fields[0].name), e->at);
    }
    if (mf_bad(e) || (e->lvalue && e->type->kind == MF_TYPE_ARRAY)) return e;
    diag_error(p->diags, e->at, "a range-based 'for' goes over arrays here, not '%.*s'",
               STR_ARG(mf_type_text(p->mem, e->type)));
    return mf_error(p, e->at);
}

/* "for (T x : array)": an index runs over the array, x is made at the begin of each turn. */
static mf_stmt *parse_range_for(mf_parser *p, span begin)
{
    mf_stmts outer = mf_stmts_none(), inner = mf_stmts_none();
    size_t head = p->at + 1;
    while (!mf_at(p, MF_TOK_COLON))
        p->at = mf_at(p, MF_TOK_L_SQUARE) ? mf_skip_balanced(p, p->at) : p->at + 1;
    mf_advance(p);
    mf_push_scope(p, MF_SCOPE_BLOCK);
    mf_expr *range = range_place(p, mf_parse_expr(p));
    size_t body = p->at;
    mf_stmt *s = mf_new_stmt(p, MF_STMT_FOR, begin);
    if (p->panic || mf_bad(range)) {
        p->panic = true;
        mf_pop_scope(p);
        return s;
    }
    span at = range->at;
    const mf_type *t = range->type, *index = mf_scalar_type(MF_INT);
    mf_var *all = mf_hidden_local(
        p, &outer, mf_reference_type(&p->types, t, range->space, range->quals), range, at);
    mf_var *i = mf_hidden_local(p, &outer, index, mf_int(p, at, index, 0), at);
    s->init = outer.at[1];
    s->cond =
        mf_make_binary(p, MF_OP_LT, mf_make_var(p, i, at), mf_int(p, at, index, (int64_t)t->count));
    s->step = mf_make_step(p, MF_EXPR_PRE_INC, mf_make_var(p, i, at), at);
    p->at = head;
    const size_t alive = p->alive.n;
    const marks outside = begin_loop(p);
    mf_specs specs;
    mf_declarator d;
    if (mf_parse_specs(p, &specs) && mf_parse_declarator(p, &specs, &d) && d.name != NULL) {
        mf_var *v = mf_new_var(p, MF_VAR_LOCAL, &d);
        v->index = (uint32_t)p->locals.n;
        mf_vars_push(p->mem, &p->locals, v);
        mf_symbol *symbol = mf_declare(p, MF_SYM_VAR, d.name, d.at);
        if (symbol != NULL) symbol->var = v;
        mf_expr *one = mf_make_index(p, mf_make_var(p, all, at), mf_make_var(p, i, at), at);
        bool reference = d.type.type->kind == MF_TYPE_REFERENCE ||
                         (specs.is_auto && p->tokens[p->at - 2].kind == MF_TOK_AMP);
        if (specs.is_auto)
            v->type = reference ? mf_reference_type(&p->types, one->type, one->space,
                                                    (uint8_t)(one->quals | specs.type.quals))
                                : one->type;
        v->init = reference ? mf_bind_reference(p, one, v->type, "bind")
                            : mf_convert(p, one, v->type, "initialise with");
        if (mf_bad(v->init)) v->init = NULL;
        mf_stmt *decl = mf_new_stmt(p, MF_STMT_DECL, d.at);
        decl->var = v;
        mf_stmts_push(p->mem, &inner, decl);
        mf_note_alive(p, v);
    } else if (!p->panic) {
        mf_syntax(p, mf_cur(p)->at, "expected a variable");
    }
    p->at = body;
    if (!p->panic && mf_expect(p, MF_TOK_R_PAREN, "after the range")) mf_stmts_push(p->mem, &inner, parse_body(p));
    mf_end_scope(p, &inner, alive);
    end_loop(p, outside);
    s->body = block_of(p, &inner, mf_since(p, begin));
    mf_pop_scope(p);
    outer.at[1] = s;
    outer.n = 2;
    return block_of(p, &outer, mf_since(p, begin));
}

static mf_stmt *parse_for(mf_parser *p, span begin)
{
    mf_stmt *s = mf_new_stmt(p, MF_STMT_FOR, begin);
    mf_advance(p);
    if (mf_at(p, MF_TOK_L_PAREN) && at_range(p)) return parse_range_for(p, begin);
    if (!mf_expect(p, MF_TOK_L_PAREN, "after 'for'")) return s;
    const size_t alive = p->alive.n;
    mf_push_scope(p, MF_SCOPE_BLOCK);
    mf_stmts init = mf_stmts_none();
    if (!mf_accept(p, MF_TOK_SEMI)) {
        if (mf_at_type(p)) {
            mf_parse_local(p, &init);
        } else {
            mf_stmt *e = mf_new_stmt(p, MF_STMT_EXPR, mf_cur(p)->at);
            e->expr = mf_value(p, mf_parse_expr(p));
            mf_stmts_push(p->mem, &init, e);
            mf_expect(p, MF_TOK_SEMI, "after the loop's beginning");
        }
    }
    if (init.n == 1) s->init = init.at[0];
    if (init.n > 1) s->init = block_of(p, &init, init.at[0]->at);
    if (!p->panic && !mf_at(p, MF_TOK_SEMI)) s->cond = mf_condition_value(p, mf_parse_expr(p));
    if (!p->panic) mf_expect(p, MF_TOK_SEMI, "after the loop's condition");
    if (!p->panic && !mf_at(p, MF_TOK_R_PAREN)) s->step = mf_parse_expr(p);
    if (!p->panic && mf_expect(p, MF_TOK_R_PAREN, "after the loop's head")) {
        const marks outside = begin_loop(p);
        s->body = parse_body(p);
        end_loop(p, outside);
    }
    s = mf_end_around(p, s, alive);
    mf_pop_scope(p);
    return s;
}

/* The statement "if (!x) break;". */
static mf_stmt *break_unless(mf_parser *p, mf_expr *cond)
{
    mf_stmt *s = mf_new_stmt(p, MF_STMT_IF, cond->at);
    s->cond = mf_make_unary(p, MF_EXPR_NOT, cond, cond->at);
    s->body = mf_before_jump(p, mf_new_stmt(p, MF_STMT_BREAK, cond->at), p->break_alive);
    return s;
}

/* A variable in the condition is made anew each turn: "for (;;) { T x = value; if (!x) break; ... }". */
static mf_stmt *parse_while(mf_parser *p, span begin)
{
    mf_stmt *s = mf_new_stmt(p, MF_STMT_WHILE, begin);
    mf_stmts items = mf_stmts_none();
    mf_advance(p);
    mf_push_scope(p, MF_SCOPE_BLOCK);
    const size_t alive = p->alive.n;
    const marks outside = begin_loop(p);
    s->cond = mf_condition_value(p, parse_head(p, "after 'while'", &items));
    if (!p->panic && items.n == 0) {
        s->body = parse_body(p);
    } else if (!p->panic) {
        s->kind = MF_STMT_FOR;
        if (!mf_bad(s->cond)) mf_stmts_push(p->mem, &items, break_unless(p, s->cond));
        s->cond = NULL;
        mf_stmts_push(p->mem, &items, parse_body(p));
        mf_end_scope(p, &items, alive);
        s->body = block_of(p, &items, begin);
    }
    end_loop(p, outside);
    mf_pop_scope(p);
    return s;
}

static mf_stmt *parse_do(mf_parser *p, span begin)
{
    mf_stmt *s = mf_new_stmt(p, MF_STMT_DO, begin);
    mf_advance(p);
    const marks outside = begin_loop(p);
    s->body = parse_body(p);
    end_loop(p, outside);
    if (p->panic || !mf_expect(p, MF_KW_WHILE, "after the body of 'do'")) return s;
    s->cond = parse_condition(p, "after 'while'");
    if (!p->panic) mf_expect(p, MF_TOK_SEMI, "after 'do ... while (...)'");
    return s;
}

/* Labels and statements of a switch, from "{" on. */
static void parse_switch_body(mf_parser *p, mf_stmt *s, mf_stmts *items)
{
    while (!mf_at(p, MF_TOK_R_BRACE) && !mf_at(p, MF_TOK_END)) {
        size_t before = p->at;
        bool is_default = mf_at(p, MF_KW_DEFAULT);
        if (is_default || mf_at(p, MF_KW_CASE)) {
            mf_stmt *label = mf_new_stmt(p, MF_STMT_CASE, mf_cur(p)->at);
            label->is_default = is_default;
            mf_advance(p);
            mf_expr *e = is_default ? NULL : mf_value(p, mf_parse_ternary(p));
            if (e != NULL && !p->panic) {
                mf_constant_integer(p, e, "the value of a case", INT64_MIN, INT64_MAX,
                                    &label->case_value);
                if (mf_is_scalar(s->cond->type)) {
                    label->case_value =
                        (int64_t)mf_wrap(s->cond->type->scalar, (uint64_t)label->case_value).i;
                }
            }
            if (!p->panic) mf_expect(p, MF_TOK_COLON, "after the label");
            mf_stmts_push(p->mem, items, label);
        } else {
            if (items->n == 0)
                mf_unsupported(p, mf_cur(p)->at, "a statement before the first label is not supported");
            if (!p->panic) parse_into(p, items);
        }
        if (p->panic) mf_recover(p);
        if (p->at == before) mf_advance(p);
    }
}

/* Values of all labels, to find repeated ones by sorting. */
static int compare_labels(const void *a, const void *b)
{
    const mf_stmt *const *x = a, *const *y = b;
    if ((*x)->case_value != (*y)->case_value) return (*x)->case_value < (*y)->case_value ? -1 : 1;
    return (*x)->at.begin < (*y)->at.begin ? -1 : (*x)->at.begin > (*y)->at.begin;
}

static void check_labels(mf_parser *p, const mf_stmts *items)
{
    mf_stmts labels = mf_stmts_none();
    const mf_stmt *otherwise = NULL;
    for (size_t i = 0; i < items->n; ++i) {
        mf_stmt *s = items->at[i];
        if (s->kind != MF_STMT_CASE) continue;
        if (!s->is_default) {
            mf_stmts_push(p->mem, &labels, s);
        } else if (otherwise != NULL) {
            diag_error(p->diags, s->at, "a second 'default' in one switch");
        } else {
            otherwise = s;
        }
    }
    if (labels.n > 1) qsort(labels.at, labels.n, sizeof labels.at[0], compare_labels);
    for (size_t i = 1; i < labels.n; ++i) {
        if (labels.at[i]->case_value != labels.at[i - 1]->case_value) continue;
        diag_error(p->diags, labels.at[i]->at, "the case %lld stands twice",
                   (long long)labels.at[i]->case_value);
        diag_note(p->diags, labels.at[i - 1]->at, "it stood here");
    }
}

static mf_stmt *parse_switch(mf_parser *p, span begin)
{
    mf_stmt *s = mf_new_stmt(p, MF_STMT_SWITCH, begin);
    mf_stmts head = mf_stmts_none();
    mf_advance(p);
    mf_push_scope(p, MF_SCOPE_BLOCK);
    const size_t outer = p->alive.n, outer_break = p->break_alive;
    mf_expr *e = mf_value(p, parse_head(p, "after 'switch'", &head));
    if (p->panic) {
        mf_pop_scope(p);
        return s;
    }
    if (!mf_bad(e) && e->type->kind == MF_TYPE_ENUM)
        e = mf_cast_to(p, e, mf_scalar_type(e->type->scalar), MF_CAST_CONVERT);
    s->cond = mf_promote(p, e);
    if (!mf_bad(s->cond) && !mf_is_integer(s->cond->type)) {
        diag_error(p->diags, s->cond->at, "a switch needs an integer, not '%.*s'",
                   STR_ARG(mf_type_text(p->mem, s->cond->type)));
    }
    if (!mf_at(p, MF_TOK_L_BRACE)) {
        mf_syntax(p, mf_cur(p)->at, "expected '{' after 'switch (...)'");
        mf_pop_scope(p);
        return s;
    }
    mf_stmts items = mf_stmts_none();
    mf_advance(p);
    const size_t alive = p->alive.n;
    ++p->switches;
    p->break_alive = alive;
    parse_switch_body(p, s, &items);
    --p->switches;
    p->break_alive = outer_break;
    mf_end_scope(p, &items, alive);
    mf_pop_scope(p);
    mf_expect(p, MF_TOK_R_BRACE, "at the end of the switch");
    check_labels(p, &items);
    s->items = items.at;
    s->item_count = items.n;
    if (head.n == 0) return s;
    mf_stmts_push(p->mem, &head, s);
    mf_end_scope(p, &head, outer);
    return block_of(p, &head, begin);
}

static mf_stmt *read_return(mf_parser *p, span begin)
{
    mf_stmt *s = mf_new_stmt(p, MF_STMT_RETURN, begin);
    mf_function *f = p->function->function;
    mf_advance(p);
    if (p->function->is_constructor) {
        s->expr = mf_value(p, mf_make_self(p, begin));
        mf_expect(p, MF_TOK_SEMI, "after 'return' in a constructor");
        return s;
    }
    if (p->function->is_auto && f->result->kind == MF_TYPE_ERROR) {
        s->expr = mf_at(p, MF_TOK_SEMI) ? NULL : mf_value(p, mf_parse_expr(p));
        p->function->auto_failed = s->expr != NULL && mf_bad(s->expr);
        if (!p->function->auto_failed) f->result = s->expr != NULL ? s->expr->type : mf_void();
        if (!p->panic) mf_expect(p, MF_TOK_SEMI, "after 'return'");
        return s;
    }
    const mf_type *r = f->result;
    if (!mf_at(p, MF_TOK_SEMI)) {
        const mf_type *t = r;
        mf_expr *e = mf_at(p, MF_TOK_L_BRACE) && r->kind != MF_TYPE_REFERENCE &&
                             r->kind != MF_TYPE_VOID && r->kind != MF_TYPE_ERROR
                         ? mf_parse_braced(p, &t)
                         : mf_parse_expr(p);
        if (r->kind == MF_TYPE_VOID) {
            e = mf_value(p, e);
            if (!mf_bad(e) && e->type->kind != MF_TYPE_VOID) {
                diag_error(p->diags, e->at, "'%.*s' returns nothing, so nothing can be returned",
                           STR_ARG(f->name));
            }
            s->expr = e;
        } else if (r->kind == MF_TYPE_REFERENCE) {
            s->expr = mf_bind_reference(p, e, r, "return");
        } else if (r->kind != MF_TYPE_ERROR) {
            s->expr = mf_convert(p, e, r, "return");
        }
    } else if (r->kind != MF_TYPE_VOID && r->kind != MF_TYPE_ERROR) {
        diag_error(p->diags, begin, "'%.*s' must return '%.*s'", STR_ARG(f->name),
                   STR_ARG(mf_type_text(p->mem, r)));
    }
    if (!p->panic) mf_expect(p, MF_TOK_SEMI, "after 'return'");
    return s;
}

static mf_stmt *parse_return(mf_parser *p, span begin)
{
    return mf_before_return(p, read_return(p, begin));
}

static mf_stmt *parse_jump(mf_parser *p, span begin)
{
    bool is_break = mf_at(p, MF_KW_BREAK);
    mf_stmt *s = mf_new_stmt(p, is_break ? MF_STMT_BREAK : MF_STMT_CONTINUE, begin);
    mf_advance(p);
    if (p->loops == 0 && !(is_break && p->switches != 0)) {
        diag_error(p->diags, begin, "'%s' stands in no loop", is_break ? "break" : "continue");
    }
    mf_expect(p, MF_TOK_SEMI, is_break ? "after 'break'" : "after 'continue'");
    return mf_before_jump(p, s, is_break ? p->break_alive : p->continue_alive);
}

static mf_stmt *parse_expression(mf_parser *p, span begin)
{
    mf_stmt *s = mf_new_stmt(p, MF_STMT_EXPR, begin);
    s->expr = mf_parse_expr(p);
    if (!p->panic) mf_expect(p, MF_TOK_SEMI, "after the expression");
    return mf_drop_value(p, s);
}

/* Whether a statement that begins with a type is a declaration: T(...) and T{...} are values. */
static bool at_declaration(mf_parser *p)
{
    mf_token_kind k = mf_cur(p)->kind;
    if (!mf_at_type(p)) return false;
    if (k != MF_TOK_IDENT && k != MF_TOK_SCOPE && k != MF_KW_UNSIGNED && k != MF_KW_SIGNED)
        return true;
    size_t n = k == MF_TOK_SCOPE ? 2 : 1;
    while (mf_ahead(p, n)->kind == MF_TOK_SCOPE) n += 2;
    k = mf_ahead(p, n)->kind;
    if (k == MF_TOK_L_BRACE) return false;
    if (k != MF_TOK_L_PAREN) return true;
    mf_token_kind inside = mf_ahead(p, n + 1)->kind;
    mf_token_kind after = mf_ahead(p, n + 3)->kind;
    return (inside == MF_TOK_STAR || inside == MF_TOK_AMP) &&
           mf_ahead(p, n + 2)->kind == MF_TOK_IDENT &&
           (after == MF_TOK_L_SQUARE || (after == MF_TOK_R_PAREN && (mf_ahead(p, n + 4)->kind == MF_TOK_L_SQUARE || mf_ahead(p, n + 4)->kind == MF_TOK_L_PAREN)));
}

static mf_stmt *parse_loop(mf_parser *p, span begin)
{
    if (mf_at(p, MF_KW_FOR)) return parse_for(p, begin);
    return mf_at(p, MF_KW_WHILE) ? parse_while(p, begin) : parse_do(p, begin);
}

static bool at_loop(const mf_parser *p)
{
    return mf_at(p, MF_KW_FOR) || mf_at(p, MF_KW_WHILE) || mf_at(p, MF_KW_DO);
}

/* A loop pragma and the loop it stands before. */
static mf_stmt *parse_unrolled(mf_parser *p)
{
    const mf_token *t = mf_cur(p);
    mf_advance(p);
    while (mf_at(p, MF_TOK_UNROLL)) {
        t = mf_cur(p);
        mf_advance(p);
    }
    if (!at_loop(p)) {
        diag_warning(p->diags, t->at, "this #pragma stands before no loop");
        return NULL;
    }
    mf_stmt *s = parse_loop(p, mf_cur(p)->at);
    s->unroll = (int32_t)t->n;
    return s;
}

/* Said once; what is tried is read for its own errors. */
static mf_stmt *parse_try(mf_parser *p, span begin)
{
    diag_unsupported(p->diags, begin, "'try' is not supported: exceptions do not exist in MSL");
    mf_advance(p);
    mf_stmt *s = mf_parse_block(p);
    while (!p->panic && mf_accept(p, MF_KW_CATCH)) {
        if (mf_at(p, MF_TOK_L_PAREN)) p->at = mf_skip_balanced(p, p->at);
        if (mf_at(p, MF_TOK_L_BRACE)) p->at = mf_skip_balanced(p, p->at);
    }
    return s;
}

static mf_stmt *parse_plain(mf_parser *p)
{
    span begin = mf_cur(p)->at;
    switch ((int)mf_cur(p)->kind) {
    case MF_TOK_SEMI: mf_advance(p); return mf_new_stmt(p, MF_STMT_EMPTY, begin);
    case MF_TOK_L_BRACE: return mf_parse_block(p);
    case MF_TOK_UNROLL: return parse_unrolled(p);
    case MF_KW_IF: return parse_if(p);
    case MF_KW_FOR:
    case MF_KW_WHILE:
    case MF_KW_DO: return parse_loop(p, begin);
    case MF_KW_SWITCH: return parse_switch(p, begin);
    case MF_KW_RETURN: return parse_return(p, begin);
    case MF_KW_BREAK:
    case MF_KW_CONTINUE: return parse_jump(p, begin);
    case MF_KW_CASE:
    case MF_KW_DEFAULT:
        mf_unsupported(p, begin,
                       p->switches != 0 ? "a label inside another statement of a switch is not supported"
                                        : "this label stands in no switch");
        return NULL;
    case MF_KW_TRY: return parse_try(p, begin);
    case MF_KW_GOTO:
    case MF_KW_ASM:
        mf_unsupported(p, begin, "%s is not supported", mf_token_name(mf_cur(p)->kind));
        return NULL;
    default: return parse_expression(p, begin);
    }
}

/* "name name": what could only be a declaration of a type that nobody declared. */
static bool at_unknown_type(mf_parser *p)
{
    if (!mf_at(p, MF_TOK_IDENT) || mf_ahead(p, 1)->kind != MF_TOK_IDENT) return false;
    const mf_token_kind after = mf_ahead(p, 2)->kind;
    if (after != MF_TOK_EQ && after != MF_TOK_SEMI && after != MF_TOK_COMMA && after != MF_TOK_L_BRACE && after != MF_TOK_L_SQUARE) return false;
    const mf_ref r = mf_peek_name(p);
    return r.id != NULL && r.symbol == NULL && r.type == NULL && r.builtin < 0;
}

/* The variable is known from here on, and nothing more is said of it. */
static void parse_of_unknown_type(mf_parser *p)
{
    const mf_ref r = mf_resolve(p);
    mf_unknown_name(p, &r);
    const mf_token *name = mf_cur(p);
    mf_declarator d = {.type = {.type = mf_error_type()}, .name = name->ident, .at = name->at};
    mf_symbol *s = mf_find(p->scope, name->ident) == NULL ? mf_declare(p, MF_SYM_VAR, name->ident, name->at) : NULL;
    if (s != NULL) s->var = mf_new_var(p, MF_VAR_LOCAL, &d);
    while (!mf_at(p, MF_TOK_SEMI) && !mf_at(p, MF_TOK_R_BRACE) && !mf_at(p, MF_TOK_END)) {
        const bool open = mf_at(p, MF_TOK_L_BRACE) || mf_at(p, MF_TOK_L_PAREN) || mf_at(p, MF_TOK_L_SQUARE);
        p->at = open ? mf_skip_balanced(p, p->at) : p->at + 1;
    }
    mf_accept(p, MF_TOK_SEMI);
}

/* A statement; a declaration of several variables gives several. */
static void parse_into(mf_parser *p, mf_stmts *out)
{
    if (p->stmt_depth >= MF_STMT_DEPTH) {
        mf_syntax(p, mf_cur(p)->at, "statements are nested more than %d deep", MF_STMT_DEPTH);
        return;
    }
    ++p->stmt_depth;
    bool label = mf_at(p, MF_TOK_IDENT) && mf_ahead(p, 1)->kind == MF_TOK_COLON;
    if (label) {
        mf_unsupported(p, mf_cur(p)->at, "labels are not supported");
    } else if (mf_parse_common_decl(p)) {
        /* said nothing that runs */
    } else if (at_declaration(p)) {
        mf_parse_local(p, out);
    } else if (at_unknown_type(p)) {
        parse_of_unknown_type(p);
    } else {
        mf_stmt *s = parse_plain(p);
        if (s != NULL) mf_stmts_push(p->mem, out, s);
    }
    --p->stmt_depth;
}
