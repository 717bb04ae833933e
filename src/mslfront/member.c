/* Members: look-up through bases, the object of a member function, constructors. */
#include "mslfront/template.h"

bool mf_derives(const mf_record *r, const mf_record *base)
{
    if (r == base) return true;
    for (size_t i = 0; r->scope != NULL && i < r->scope->used_count; ++i) {
        const mf_record *one = r->scope->used[i]->record;
        if (one != NULL && mf_derives(one, base)) return true;
    }
    return false;
}

bool mf_begins_with(const mf_record *r, const mf_record *base)
{
    if (r == base || base->field_count == 0) return true; /* an empty one lies anywhere */
    return r->field_count != 0 && r->fields[0].is_base && r->fields[0].offset == 0 && mf_begins_with(r->fields[0].type->record, base);
}

mf_symbol *mf_find_member(const mf_record *r, const mf_ident *name)
{
    if (r->scope == NULL) return NULL;
    mf_symbol *found = mf_find(r->scope, name);
    for (size_t i = 0; found == NULL && i < r->scope->used_count; ++i) {
        if (r->scope->used[i]->record != NULL)
            found = mf_find_member(r->scope->used[i]->record, name);
    }
    return found;
}

/* One step down to a base that is, or has as a base, what is wanted. */
static mf_expr *step_to_base(mf_parser *p, mf_expr *e, const mf_record *base)
{
    const mf_record *r = e->type->record;
    for (size_t i = 0; i < r->field_count; ++i) {
        const mf_field *f = &r->fields[i];
        if (!f->is_base || !mf_derives(f->type->record, base)) continue;
        mf_expr *m =
            mf_make_place(p, MF_EXPR_MEMBER, e->at, (mf_qtype){f->type, e->space, e->quals});
        m->a = e;
        m->field = (uint32_t)i;
        return mf_finish(p, m);
    }
    for (size_t i = 0; i < r->scope->used_count;
         ++i) { /* an empty base lies nowhere in particular */
        const mf_record *one = r->scope->used[i]->record;
        if (one == NULL || !mf_derives(one, base)) continue;
        mf_expr *c =
            mf_make_place(p, MF_EXPR_CAST, e->at, (mf_qtype){one->type, e->space, e->quals});
        c->a = e;
        c->cast = MF_CAST_PLACE;
        c->implicit = true;
        return mf_finish(p, c);
    }
    return e;
}

mf_expr *mf_to_base(mf_parser *p, mf_expr *e, const mf_record *base)
{
    while (!mf_bad(e) && e->type->record != base && mf_derives(e->type->record, base))
        e = step_to_base(p, e, base);
    return e;
}

mf_expr *mf_make_closure(mf_parser *p, span at)
{
    return mf_make_var(p, p->function->self, at);
}

bool mf_has_self(mf_parser *p)
{
    if (p->function == NULL || p->function->self == NULL) return false;
    return !p->function->record->is_closure || mf_find(p->function->record->scope, mf_intern(p->mem, p->idents, STR("this"))) != NULL;
}

mf_expr *mf_make_self(mf_parser *p, span at)
{
    mf_var *self = p->function != NULL ? p->function->self : NULL;
    const bool lambda = self != NULL && p->function->record->is_closure;
    mf_ident *outer = lambda ? mf_intern(p->mem, p->idents, STR("this")) : NULL;
    if (lambda && mf_find(p->function->record->scope, outer) != NULL)
        return mf_make_member(p, mf_make_var(p, self, at), outer, at);
    if (self != NULL && !lambda) return mf_make_var(p, self, at);
    if (p->unevaluated && p->scope->record != NULL) {
        mf_declarator d = {.type = {.type = p->scope->record->type}, .at = at};
        return mf_make_var(p, mf_new_var(p, MF_VAR_LOCAL, &d), at);
    }
    diag_error(p->diags, at, "a member is used without an object");
    return mf_error(p, at);
}

/* The constructor that nobody wrote; of an aggregate, the one that takes the first `n` members. */
static mf_candidate *implicit_constructor(mf_parser *p, mf_record *r, size_t n, bool aggregate)
{
    for (mf_candidate *known = r->implicit; known != NULL; known = known->next)
        if (known->function->param_count == n && known->is_aggregate == aggregate) return known;
    mf_candidate *c = arena_new(p->mem, mf_candidate);
    mf_function *f = arena_new(p->mem, mf_function);
    f->params = arena_array(p->mem, mf_var *, n + 1);
    for (; f->param_count < n; ++f->param_count) {
        const mf_field *field = &r->fields[f->param_count];
        const mf_declarator d = {.type = {.type = field->type}, .at = field->at};
        f->params[f->param_count] = mf_new_var(p, MF_VAR_PARAM, &d);
        f->params[f->param_count]->index = (uint32_t)f->param_count;
    }
    f->name = r->name.n != 0 ? r->name : STR("(unnamed)");
    f->label = f->name;
    f->at = r->at;
    f->result = r->type;
    c->function = f;
    c->record = r;
    c->is_constructor = c->is_default = c->is_constexpr = true;
    c->is_aggregate = aggregate;
    c->scope = r->scope;
    f->is_constexpr = true;
    c->next = r->implicit;
    r->implicit = c;
    mf_candidates_push(p->mem, &p->candidates, c);
    return c;
}

/* An array of `one`; that itself where it is NULL or bad. */
static mf_expr *filled_array(mf_parser *p, const mf_type *type, mf_expr *one, span at)
{
    enum { MOST = 4096 };
    if (one == NULL || mf_bad(one)) return one;
    if (type->count > MOST) {
        diag_unsupported(p->diags, at,
                         "an array of more than %d objects that are constructed is not supported", MOST);
        return mf_error(p, at);
    }
    mf_expr *e = mf_new(p, MF_EXPR_AGGREGATE, at, type);
    e->args = arena_array(p->mem, mf_expr *, type->count);
    for (uint64_t i = 0; i < type->count; ++i) e->args[e->arg_count++] = one;
    return mf_finish(p, e);
}

static mf_expr *call_implicit(mf_parser *p, mf_record *r, const mf_exprs *given, bool aggregate, span at)
{
    mf_candidate *c = implicit_constructor(p, r, given->n, aggregate);
    mf_need_body(p, c, at);
    mf_expr *e = mf_new(p, MF_EXPR_CALL, at, r->type);
    e->function = c->function;
    e->args = given->at;
    e->arg_count = (uint32_t)given->n;
    mf_add_call(p, c, at);
    return mf_finish(p, e);
}

mf_expr *mf_default_value(mf_parser *p, const mf_type *type, span at)
{
    if (type->kind == MF_TYPE_ARRAY) return filled_array(p, type, mf_default_value(p, type->elem, at), at);
    if (type->kind != MF_TYPE_RECORD || !type->record->constructs) return NULL;
    mf_exprs none = mf_exprs_none();
    if (type->record->constructors != NULL) {
        mf_expr *e = mf_call_constructor(p, type->record, &none, false, at);
        if (e != NULL) return e;
        diag_error(p->diags, at, "'%.*s' has no constructor without arguments",
                   STR_ARG(mf_type_text(p->mem, type)));
        return mf_error(p, at);
    }
    return call_implicit(p, type->record, &none, false, at);
}

/* Is the constructor without arguments left to the compiler, by no word of constructors or by "= default"? */
static bool is_left_to_compiler(const mf_record *r)
{
    for (const mf_candidate *c = r->constructors; c != NULL; c = c->next)
        if (c->required == 0) return c->is_default;
    return r->constructors == NULL;
}

mf_expr *mf_empty_value(mf_parser *p, const mf_type *type, span at)
{
    if (type->kind == MF_TYPE_ARRAY) return filled_array(p, type, mf_empty_value(p, type->elem, at), at);
    if (type->kind != MF_TYPE_RECORD || !type->record->constructs) return NULL;
    mf_exprs none = mf_exprs_none();
    if (is_left_to_compiler(type->record) && !type->record->is_union) return call_implicit(p, type->record, &none, true, at);
    return mf_default_value(p, type, at);
}

mf_expr *mf_complete_record(mf_parser *p, mf_record *r, const mf_exprs *given, span at)
{
    return call_implicit(p, r, given, true, at);
}

/* A place's value as it lies there. */
static mf_expr *plain_value(mf_parser *p, mf_expr *place)
{
    if (mf_bad(place)) return place;
    mf_expr *v = mf_new(p, MF_EXPR_LOAD, place->at, place->type);
    v->a = place;
    return mf_finish(p, v);
}

/* Whether a constructor takes the place itself, not a copy of it. */
static bool takes_place(const mf_record *r, const mf_expr *e)
{
    for (const mf_candidate *c = r->constructors; c != NULL; c = c->next) {
        const mf_type *t = c->generic == NULL && c->function->param_count != 0 ? c->function->params[0]->type : mf_void();
        if (t->kind == MF_TYPE_REFERENCE && t->elem == e->type && t->space == e->space && (e->quals & ~(unsigned)t->quals) == 0) return true;
    }
    return false;
}

mf_expr *mf_copy(mf_parser *p, mf_expr *e)
{
    const mf_record *r = e->type->record;
    if (r->copies) {
        mf_exprs args = mf_exprs_none();
        mf_exprs_push(p->mem, &args, e);
        if (takes_place(r, e)) return mf_call_constructor(p, e->type->record, &args, false, e->at);
        diag_error(p->diags, e->at, "no constructor of '%.*s' copies from %s memory", STR_ARG(mf_type_text(p->mem, e->type)),
                   mf_space_name(e->space));
        return mf_error(p, e->at);
    }
    for (size_t i = 0; i < r->field_count; ++i) {
        const mf_type *t = r->fields[i].type;
        while (t->kind == MF_TYPE_ARRAY) t = t->elem;
        if (t->kind != MF_TYPE_RECORD || !t->record->copies) continue;
        diag_unsupported(p->diags, e->at, "copying '%.*s' is not supported: its member '%.*s' has a copy constructor of its own",
                   STR_ARG(mf_type_text(p->mem, e->type)), STR_ARG(r->fields[i].name));
        return mf_error(p, e->at);
    }
    return plain_value(p, e);
}

mf_stmt *mf_assignment_body(mf_parser *p, mf_candidate *c)
{
    const mf_function *f = c->function;
    const span at = f->at;
    mf_stmt *block = mf_new_stmt(p, MF_STMT_BLOCK, at), *assign = mf_new_stmt(p, MF_STMT_EXPR, at), *end = mf_new_stmt(p, MF_STMT_RETURN, at);
    mf_expr *from = f->param_count == 2 ? mf_make_var(p, f->params[1], at) : NULL;
    if (c->self == NULL || !str_is(f->name, "operator=") || from == NULL || from->type != c->record->type) {
        diag_error(p->diags, at, "'%.*s' cannot be left to the compiler", STR_ARG(f->name));
        return block;
    }
    mf_expr *self = mf_make_var(p, c->self, at);
    mf_expr *e = mf_make_place(p, MF_EXPR_ASSIGN, at, (mf_qtype){self->type, self->space, self->quals});
    e->a = self;
    e->b = plain_value(p, from);
    assign->expr = mf_finish(p, e);
    self = mf_make_var(p, c->self, at);
    if (f->result->kind != MF_TYPE_VOID) end->expr = f->result->kind == MF_TYPE_REFERENCE ? self : plain_value(p, self);
    block->items = arena_array(p->mem, mf_stmt *, 2);
    block->items[block->item_count++] = assign;
    block->items[block->item_count++] = end;
    return block;
}

static const mf_type *reference_to(mf_parser *p, const mf_type *pointer)
{
    return mf_reference_type(&p->types, pointer->elem, pointer->space, pointer->quals);
}

/* A member's value from the arguments in parentheses behind its name. */
static mf_expr *value_from(mf_parser *p, const mf_field *f, mf_exprs *args, span at)
{
    if (f->is_reference && args->n == 1)
        return mf_make_address(
            p, mf_bind_reference(p, args->at[0], reference_to(p, f->type), "bind"), at);
    if (f->type->kind == MF_TYPE_POINTER && args->n == 1)
        return mf_convert(p, args->at[0], f->type, "initialise with");
    if (f->type->kind == MF_TYPE_ARRAY) {
        if (args->n == 0) return mf_new(p, MF_EXPR_ZERO, at, f->type);
        if (args->n == 1 &&
            args->at[0]->type == f->type) { /* array members may be copied this way */
            mf_expr *v = mf_new(p, MF_EXPR_LOAD, at, f->type);
            v->a = args->at[0];
            return mf_bad(v->a) ? v->a : mf_finish(p, v);
        }
    }
    return mf_construct(p, (mf_qtype){.type = f->type}, args, at);
}

/* The field that an initialiser's name means; field_count where it is none. */
static size_t named_field(mf_parser *p, const mf_record *r, bool *delegates)
{
    size_t before = p->at;
    for (size_t i = 0; i < r->field_count; ++i) {
        if (r->fields[i].is_base || r->fields[i].name.n == 0 || !mf_at(p, MF_TOK_IDENT)) continue;
        if (!str_eq(r->fields[i].name, mf_cur(p)->ident->text)) continue;
        mf_advance(p);
        return i;
    }
    mf_qtype q = {0};
    if (mf_parse_named_type(p, &q) && q.type->kind == MF_TYPE_RECORD) {
        *delegates = q.type == r->type;
        for (size_t i = 0; i < r->field_count; ++i) {
            if (r->fields[i].is_base && r->fields[i].type == q.type) return i;
        }
        if (*delegates || mf_derives(r, q.type->record)) return r->field_count; /* an empty base */
    }
    p->at = before;
    mf_syntax(p, mf_cur(p)->at, "expected the name of a member or base");
    return r->field_count;
}

static mf_expr *read_value(mf_parser *p, const mf_field *f)
{
    span begin = mf_cur(p)->at;
    if (mf_at(p, MF_TOK_L_BRACE) && !f->is_reference) {
        const mf_type *t = f->type;
        return mf_parse_braced(p, &t);
    }
    mf_exprs args = mf_exprs_none();
    mf_token_kind close = mf_at(p, MF_TOK_L_BRACE) ? MF_TOK_R_BRACE : MF_TOK_R_PAREN;
    mf_advance(p);
    if (!mf_parse_arguments(p, &args, close)) return mf_error(p, begin);
    return value_from(p, f, &args, mf_since(p, begin));
}

static void push_assign(mf_parser *p, mf_stmts *out, mf_expr *place, mf_expr *value)
{
    if (value == NULL || mf_bad(value) || mf_bad(place)) return;
    mf_expr *e =
        mf_make_place(p, MF_EXPR_ASSIGN, value->at, (mf_qtype){place->type, place->space, 0});
    e->a = place;
    e->b = value;
    mf_stmt *s = mf_new_stmt(p, MF_STMT_EXPR, value->at);
    s->expr = mf_finish(p, e);
    if (!mf_bad(s->expr)) mf_stmts_push(p->mem, out, s);
}

/* A field of the object that the constructor makes. */
static mf_expr *own_place(mf_parser *p, const mf_candidate *c, size_t i)
{
    span at = c->function->at;
    mf_expr *place = mf_make_place(p, MF_EXPR_MEMBER, at, (mf_qtype){c->record->fields[i].type, MF_THREAD, 0});
    place->a = mf_make_var(p, c->self, at);
    place->field = (uint32_t)i;
    return mf_finish(p, place);
}

/* What an initialiser's name means in an anonymous member; NULL where it means nothing there. */
static mf_expr *inner_place(mf_parser *p, const mf_candidate *c)
{
    const mf_record *r = c->record;
    mf_expr *found = NULL;
    for (size_t i = 0; i < r->field_count && mf_at(p, MF_TOK_IDENT) && found == NULL; ++i) {
        if (r->fields[i].is_base || r->fields[i].name.n != 0) continue;
        found = mf_find_field(p, own_place(p, c, i), mf_cur(p)->ident, mf_cur(p)->at);
    }
    if (found != NULL) mf_advance(p);
    return found;
}

/* ": a(x), b{y}": a value by field, and in `inner` what gives anonymous members' members theirs. *whole is what another
 * constructor gives. */
static void read_initializers(mf_parser *p, const mf_candidate *c, mf_expr **values, mf_expr **whole, mf_stmts *inner)
{
    const mf_record *r = c->record;
    do {
        bool delegates = false;
        mf_advance(p);
        mf_expr *place = inner_place(p, c);
        size_t i = place == NULL ? named_field(p, r, &delegates) : r->field_count;
        if (p->panic) return;
        if (!mf_at(p, MF_TOK_L_PAREN) && !mf_at(p, MF_TOK_L_BRACE)) {
            mf_syntax(p, mf_cur(p)->at, "expected the value of the member");
            return;
        }
        mf_field self = {.type = place != NULL ? place->type : r->type};
        if (place != NULL)
            push_assign(p, inner, place, read_value(p, &self));
        else if (i < r->field_count)
            values[i] = read_value(p, &r->fields[i]);
        else if (delegates)
            *whole = read_value(p, &self);
        else
            p->at = mf_skip_balanced(p, p->at);
    } while (!p->panic && mf_at(p, MF_TOK_COMMA));
}

mf_expr *mf_member_default(mf_parser *p, mf_record *r, const mf_field *f, span at)
{
    if (f->init_at == 0) return mf_default_value(p, f->type, at);
    size_t before = p->at;
    mf_scope *scope = p->scope;
    p->at = f->init_at;
    p->scope = r->scope;
    mf_expr *e;
    if (f->is_reference) {
        mf_advance(p);
        e = mf_make_address(
            p, mf_bind_reference(p, mf_parse_assignment(p), reference_to(p, f->type), "bind"), at);
    } else {
        mf_accept(p, MF_TOK_EQ);
        const mf_type *t = f->type;
        e = mf_parse_initializer(p, &t);
    }
    p->at = before;
    p->scope = scope;
    return e;
}

static void push_members(mf_parser *p, mf_candidate *c, mf_expr **values, mf_stmts *out)
{
    mf_record *r = c->record;
    span at = c->function->at;
    for (size_t i = 0; i < r->field_count; ++i) {
        if (r->is_union && values[i] == NULL && r->fields[i].init_at == 0) continue;
        mf_expr *v = values[i] != NULL ? values[i] : mf_member_default(p, r, &r->fields[i], at);
        if (v == NULL) continue;
        push_assign(p, out, own_place(p, c, i), v);
    }
}

mf_stmt *mf_constructor_body(mf_parser *p, mf_candidate *c)
{
    mf_record *r = c->record;
    span at = c->function->at;
    mf_declarator d = {.type = {.type = r->type}, .at = at};
    mf_stmts items = mf_stmts_none(), inner = mf_stmts_none();
    c->self = mf_new_var(p, MF_VAR_LOCAL, &d);
    c->self->name = STR("this");
    mf_vars_push(p->mem, &p->locals, c->self);
    mf_stmt *decl = mf_new_stmt(p, MF_STMT_DECL, at);
    decl->var = c->self;
    mf_stmts_push(p->mem, &items, decl);
    mf_expr **values = arena_array(p->mem, mf_expr *, r->field_count + 1), *whole = NULL;
    if (c->body_at != 0 && mf_at(p, MF_TOK_COLON)) read_initializers(p, c, values, &whole, &inner);
    for (size_t i = 0; c->is_aggregate && i < r->field_count; ++i) {
        const mf_field *f = &r->fields[i];
        if (i < c->function->param_count) values[i] = plain_value(p, mf_make_var(p, c->function->params[i], at));
        else if (f->init_at == 0 && (values[i] = mf_empty_value(p, f->type, at)) == NULL)
            values[i] = mf_new(p, MF_EXPR_ZERO, at, f->type);
    }
    if (whole != NULL)
        push_assign(p, &items, mf_make_var(p, c->self, at), whole);
    else
        push_members(p, c, values, &items);
    for (size_t i = 0; i < inner.n; ++i) mf_stmts_push(p->mem, &items, inner.at[i]);
    if (c->body_at != 0 && !p->panic) mf_stmts_push(p->mem, &items, mf_parse_block(p));
    mf_end_scope(p, &items, 0);
    mf_stmt *end = mf_new_stmt(p, MF_STMT_RETURN, at);
    end->expr = plain_value(p, mf_make_var(p, c->self, at));
    mf_stmts_push(p->mem, &items, end);
    mf_stmt *s = mf_new_stmt(p, MF_STMT_BLOCK, at);
    s->items = items.at;
    s->item_count = items.n;
    return s;
}
