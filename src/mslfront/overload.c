/* Calls: which overload takes the arguments best, the user's and the library's together. */
#include "mslfront/template.h"

/* What the library has as templates: what crosses lanes, and atomics. */
static bool is_library_template(const mf_match *m)
{
    return (mf_builtin_traits((mf_builtin)m->builtin) & (MF_CROSS_LANE | MF_ATOMIC)) != 0;
}

/* What decides between overloads that take the arguments equally well: what the text puts into the
 * library's namespace before what is there, no template before a template, the one that says more
 * before the other. */
static unsigned preference(const mf_match *m)
{
    if (m->user == NULL) return UINT32_MAX - (is_library_template(m) ? 2 : 1);
    if (m->user->made_of != NULL) return m->user->made_of->weight;
    return m->user->in_metal ? UINT32_MAX : UINT32_MAX - 1;
}

/* -1 where a is better than b, 1 where b is, 0 where neither is. */
static int compare(mf_parser *p, const mf_match *a, const mf_match *b, size_t args)
{
    bool a_wins = false, b_wins = false;
    for (size_t i = 0; i < args; ++i) {
        a_wins |= a->ranks[i] < b->ranks[i];
        b_wins |= b->ranks[i] < a->ranks[i];
    }
    if (a_wins != b_wins) return a_wins ? -1 : 1;
    mf_template *s = a->user != NULL ? a->user->made_of : NULL, *t = b->user != NULL ? b->user->made_of : NULL;
    if (!a_wins && s != NULL && t != NULL && s != t) return mf_more_special(p, s, t, args - (a->user->self != NULL && !a->user->is_constructor ? 1 : 0));
    unsigned x = preference(a), y = preference(b);
    return a_wins || x == y ? 0 : x > y ? -1 : 1;
}

void mf_keep_best(mf_parser *p, mf_matches *all, const mf_match *m, size_t args)
{
    size_t kept = 0;
    for (size_t i = 0; i < all->n; ++i) {
        int order = compare(p, &all->at[i], m, args);
        if (order < 0)
            return; /* then it beats none of the others: they would have been beaten before */
        if (order == 0) all->at[kept++] = all->at[i];
    }
    all->n = kept;
    if (all->n < MF_MATCHES) all->at[all->n++] = *m;
}

static mf_rank param_rank(mf_parser *p, const mf_expr *e, const mf_type *to)
{
    if (to->kind != MF_TYPE_REFERENCE) return mf_rank_to(p, e, to);
    if (!mf_can_bind(p, e, to)) return MF_NO_CONVERSION;
    if (to->elem->kind == MF_TYPE_ARRAY) return e->type == to->elem ? MF_EXACT : MF_NO_CONVERSION;
    mf_rank r = mf_rank_to(p, e, to->elem);
    bool adds = e->lvalue &&
                (to->quals & ~e->quals) != 0; /* a reference to const is less apt for what is not */
    return r == MF_EXACT && adds ? MF_EXACT_CONST : r;
}

/* A call being resolved: of members the object comes first among the arguments. */
typedef struct call {
    const mf_ref *name;
    mf_candidate *first;
    mf_expr *object;
    mf_exprs *args;
    span at;
} call;

static mf_expr *argument(const call *k, const mf_candidate *c, size_t i)
{
    if (c->self == NULL || c->is_constructor) return k->args->at[i];
    return i == 0 ? k->object : k->args->at[i - 1];
}

static size_t argument_count(const call *k, const mf_candidate *c)
{
    return k->args->n + (c->self != NULL && !c->is_constructor ? 1 : 0);
}

/* How well the object suits a member function. */
static mf_rank object_rank(const mf_expr *e, const mf_type *self)
{
    if (e == NULL || e->type->kind != MF_TYPE_RECORD ||
        !mf_derives(e->type->record, self->elem->record))
        return MF_NO_CONVERSION;
    if (e->space != self->space || (e->quals & ~self->quals) != 0) return MF_NO_CONVERSION;
    return e->type != self->elem     ? MF_CONVERSION
           : e->quals == self->quals ? MF_EXACT
                                     : MF_EXACT_CONST;
}

static bool match_user(mf_parser *p, mf_candidate *c, const call *k, mf_match *out)
{
    const mf_function *f = c->function;
    size_t n = argument_count(k, c);
    if (n > f->param_count || n < c->required || n > MF_CALL_ARGS) return false;
    *out = (mf_match){.user = c, .builtin = -1};
    size_t at = k->object != NULL && (c->self == NULL || c->is_constructor)
                    ? 1
                    : 0; /* a static one beside others */
    for (size_t i = 0; i < n; ++i) {
        const mf_type *t = f->params[i]->type;
        bool object = i == 0 && c->self != NULL && !c->is_constructor;
        mf_rank r = object ? object_rank(k->object, t) : param_rank(p, argument(k, c, i), t);
        if (r == MF_NO_CONVERSION) return false;
        out->ranks[at + i] = (uint8_t)r;
    }
    return true;
}

/* The instance of a template that the call means; NULL where there is none. */
static mf_candidate *deduced(mf_parser *p, mf_candidate *c, const call *k, const mf_targs *given)
{
    const mf_template *t = c->generic;
    bool pack = t->pattern_count != 0 && t->patterns[t->pattern_count - 1].pack;
    if ((k->args->n > t->pattern_count && !pack) || k->args->n < t->required) return NULL;
    mf_targs args;
    if (!mf_deduce_call(p, t, given, k->args, &args)) return NULL;
    diag_list quiet;
    diag_list *loud = mf_quiet(p, &quiet);
    bool good = mf_complete_args(p, t, &args, k->at);
    good = mf_loud(p, loud) && good;
    return good ? mf_function_instance(p, c, &args, k->at) : NULL;
}

/* A template's argument by itself. */
static str argument_text(mf_parser *p, const mf_targ *a)
{
    mf_targ one = *a;
    const mf_targs all = {.at = &one, .n = 1, .cap = 1};
    const str text = mf_args_text(p, &all);
    return (str){text.p + 1, text.n - 2}; /* without its brackets */
}

/* Why a template has no instance for the call. */
static void note_no_instance(mf_parser *p, const mf_candidate *c, const call *k)
{
    const mf_template *t = c->generic;
    const span at = c->function->at;
    const bool pack = t->pattern_count != 0 && t->patterns[t->pattern_count - 1].pack;
    if ((k->args->n > t->pattern_count && !pack) || k->args->n < t->required) {
        diag_note(p->diags, at, "candidate not viable: it takes %s%zu argument%s, not %zu",
                  t->required < t->pattern_count ? (k->args->n < t->required ? "at least " : "up to ") : "",
                  k->args->n < t->required ? t->required : t->pattern_count, t->pattern_count == 1 ? "" : "s", k->args->n);
        return;
    }
    if (p->conflict.name != NULL) {
        diag_note(p->diags, at, "candidate not viable: its parameter '%.*s' would be both '%.*s' and '%.*s'", STR_ARG(p->conflict.name->text),
                  STR_ARG(argument_text(p, &p->conflict.is)), STR_ARG(argument_text(p, &p->conflict.other)));
        return;
    }
    diag_note(p->diags, at, "candidate not viable: the template does not fit these arguments");
}

/* Why a user function does not take the arguments. */
static void note_not_viable(mf_parser *p, mf_candidate *c, const call *k)
{
    const mf_function *f = c->function;
    const mf_targs *given = k->name->given;
    if (c->generic != NULL) {
        p->conflict.name = NULL;
        mf_candidate *made = deduced(p, c, k, given);
        if (made == NULL) {
            note_no_instance(p, c, k);
            return;
        }
        c = made;
        f = c->function;
    }
    size_t n = argument_count(k, c), self = n - k->args->n;
    if (n > f->param_count || n < c->required) {
        diag_note(p->diags, f->at, "candidate not viable: it takes %s%zu argument%s, not %zu",
                  c->required < f->param_count ? "up to " : "", f->param_count - self,
                  f->param_count - self == 1 ? "" : "s", k->args->n);
        return;
    }
    if (self != 0 && object_rank(k->object, f->params[0]->type) == MF_NO_CONVERSION) {
        const char *space = k->object != NULL ? mf_space_name(k->object->space) : "no";
        diag_note(p->diags, f->at,
                  "candidate not viable: it is for objects '%.*s', and this one is %s%s memory",
                  STR_ARG(mf_type_text(p->mem, f->params[0]->type)),
                  k->object != NULL && (k->object->quals & MF_CONST) != 0 ? "const in " : "in ",
                  space);
        return;
    }
    for (size_t i = self; i < n; ++i) {
        mf_expr *e = argument(k, c, i);
        if (param_rank(p, e, f->params[i]->type) != MF_NO_CONVERSION) continue;
        diag_note(p->diags, f->at,
                  "candidate not viable: argument %zu, '%.*s', does not go to '%.*s'", i - self + 1,
                  STR_ARG(mf_type_text(p->mem, e->type)),
                  STR_ARG(mf_type_text(p->mem, f->params[i]->type)));
        return;
    }
}

static str signature(mf_parser *p, const mf_function *f)
{
    ingot_allocator hook = arena_hook(p->mem);
    buf out = buf_make(&hook);
    buf_printf(&out, "%.*s %.*s(", STR_ARG(mf_type_text(p->mem, f->result)), STR_ARG(f->label));
    for (size_t i = 0; i < f->param_count; ++i) {
        buf_printf(&out, "%s%.*s", i != 0 ? ", " : "",
                   STR_ARG(mf_type_text(p->mem, f->params[i]->type)));
    }
    buf_char(&out, ')');
    return str_copy(p->mem, buf_view(&out));
}

static str argument_types(mf_parser *p, const mf_exprs *args)
{
    ingot_allocator hook = arena_hook(p->mem);
    buf out = buf_make(&hook);
    for (size_t i = 0; i < args->n; ++i) {
        buf_printf(&out, "%s%.*s", i != 0 ? ", " : "",
                   STR_ARG(mf_type_text(p->mem, args->at[i]->type)));
    }
    return str_copy(p->mem, buf_view(&out));
}

void mf_add_call(mf_parser *p, mf_candidate *callee, span at)
{
    mf_candidate *caller = p->function;
    if (callee->called_at.file == 0) callee->called_at = at;
    if (caller == NULL) return;
    for (size_t i = caller->callee_count; i-- != 0 && i + 16 > caller->callee_count;) {
        if (caller->callees[i] == callee) return; /* the common repetition; others do no harm */
    }
    if (caller->callee_count == caller->callee_cap) {
        size_t cap = caller->callee_cap == 0 ? 4 : caller->callee_cap * 2;
        mf_candidate **grown = arena_array(p->mem, mf_candidate *, cap);
        for (size_t i = 0; i < caller->callee_count; ++i) grown[i] = caller->callees[i];
        caller->callees = grown;
        caller->callee_cap = cap;
    }
    caller->callees[caller->callee_count++] = callee;
}

/* The result of a call, its type known. */
static mf_expr *call_node(mf_parser *p, mf_function *f, span at)
{
    const mf_type *r = f->result;
    mf_expr *e = r->kind == MF_TYPE_REFERENCE
                     ? mf_make_place(p, MF_EXPR_CALL, at, (mf_qtype){r->elem, r->space, r->quals})
                     : mf_new(p, MF_EXPR_CALL, at, r);
    e->function = f;
    e->args = arena_array(p->mem, mf_expr *, f->param_count);
    return e;
}

/* What a call needs of the function: its body in time, at once where its type or value is asked. */
static bool prepare(mf_parser *p, mf_candidate *c, span at)
{
    mf_use_instance(p, c, at);
    if (c->is_deleted) {
        diag_error(p->diags, at, "'%.*s' is deleted", STR_ARG(c->function->label));
        diag_note(p->diags, c->function->at, "it is declared here");
        return false;
    }
    mf_need_body(p, c, at);
    if (c->is_auto || c->is_constexpr) mf_read_body(p, c);
    if (c->is_auto && c->function->result->kind == MF_TYPE_ERROR) {
        if (!c->auto_failed)
            diag_error(p->diags, at, "'%.*s' is used before its 'auto' result is known",
                       STR_ARG(c->function->label));
        return false;
    }
    return true;
}

static mf_expr *call_user(mf_parser *p, mf_candidate *c, const call *k)
{
    mf_function *f = c->function;
    size_t n = argument_count(k, c);
    bool evaluated = !p->unevaluated;
    if (f->kernel && evaluated) {
        diag_error(p->diags, k->at, "'%.*s' is a kernel: another function cannot call it", STR_ARG(f->label));
        diag_note(p->diags, f->at, "it is declared here");
        return mf_error(p, k->at);
    }
    if (c->compiled_as.n != 0 && evaluated) return mf_call_compiler(p, c, k->args, k->at);
    if ((evaluated || c->is_auto) && !prepare(p, c, k->at)) return mf_error(p, k->at);
    mf_expr *e = call_node(p, f, k->at);
    for (size_t i = 0; i < f->param_count; ++i) {
        const mf_type *t = f->params[i]->type;
        mf_expr *a = i < n ? argument(k, c, i) : c->defaults[i];
        if (a == NULL) {
            diag_error(p->diags, k->at, "a default argument of '%.*s' does not fit its parameter here", STR_ARG(f->label));
            diag_note(p->diags, f->at, "it is declared here");
            return mf_error(p, k->at);
        }
        if (i == 0 && c->self != NULL && !c->is_constructor) {
            a = mf_to_base(p, a, t->elem->record);
        } else if (i < n) {
            a = t->kind == MF_TYPE_REFERENCE ? mf_bind_reference(p, a, t, "pass")
                                             : mf_convert(p, a, t, "pass");
        }
        if (mf_bad(a)) return mf_error(p, k->at);
        e->args[e->arg_count++] = a;
    }
    if (evaluated) mf_add_call(p, c, k->at);
    return mf_finish(p, e);
}

static mf_expr *ambiguous(mf_parser *p, const call *k, const mf_matches *all)
{
    diag_error(p->diags, k->at, "call of '%.*s' is ambiguous for (%.*s)",
               STR_ARG(k->name->id->text), STR_ARG(argument_types(p, k->args)));
    for (size_t i = 0; i < all->n; ++i) {
        const mf_match *m = &all->at[i];
        if (m->user != NULL) {
            diag_note(p->diags, m->user->function->at, "candidate: %.*s",
                      STR_ARG(signature(p, m->user->function)));
        } else {
            diag_note(p->diags, (span){0}, "candidate: %.*s", STR_ARG(mf_builtin_text(p, m)));
        }
    }
    return mf_error(p, k->at);
}

static mf_expr *none_viable(mf_parser *p, const call *k)
{
    enum { MOST_NOTES = 8 };
    diag_error(p->diags, k->at, "no function '%.*s' takes (%.*s)", STR_ARG(k->name->id->text),
               STR_ARG(argument_types(p, k->args)));
    unsigned notes = 0;
    for (mf_candidate *c = k->first; c != NULL && notes < MOST_NOTES; c = c->next, ++notes)
        note_not_viable(p, c, k);
    if (k->name->builtin >= 0) {
        diag_note(p->diags, (span){0}, "the library has %.*s",
                  STR_ARG(mf_builtin_pattern(p, k->name->builtin)));
    }
    return mf_error(p, k->at);
}

static void match_set(mf_parser *p, const call *k, mf_matches *all)
{
    const mf_targs *given = k->name->given;
    size_t ranks = k->args->n + (k->object != NULL ? 1 : 0);
    for (mf_candidate *c = k->first; c != NULL; c = c->next) {
        mf_match m;
        mf_candidate *one = c;
        if (c->generic != NULL)
            one = deduced(p, c, k, given);
        else if (given != NULL)
            continue;
        if (one != NULL && match_user(p, one, k, &m)) mf_keep_best(p, all, &m, ranks);
    }
    if (k->name->builtin >= 0 && given == NULL) mf_match_builtin(p, k->name->builtin, k->args, all);
}

static mf_expr *resolve(mf_parser *p, const call *k)
{
    for (size_t i = 0; i < k->args->n; ++i) {
        if (mf_bad(k->args->at[i])) return mf_error(p, k->at);
    }
    mf_matches all = {.n = 0};
    mf_candidate *first = k->first;
    bool alone = first != NULL && first->next == NULL && k->name->builtin < 0 &&
                 first->generic == NULL && k->name->given == NULL &&
                 (first->self == NULL || first->is_constructor);
    if (alone && k->args->n >= first->required && k->args->n <= first->function->param_count) {
        return call_user(p, first, k); /* no choice: a misfit is reported at its argument */
    }
    match_set(p, k, &all);
    if (all.n == 0) return none_viable(p, k);
    if (all.n > 1) return ambiguous(p, k, &all);
    if (all.at[0].user != NULL) return call_user(p, all.at[0].user, k);
    return mf_call_builtin(p, &all.at[0], k->name->math, k->args, k->at);
}

/* The object of a call by a member's plain name within another member. */
static mf_expr *implied_object(mf_parser *p, const mf_candidate *first, span at)
{
    for (const mf_candidate *c = first; c != NULL; c = c->next) {
        if (c->record == NULL || c->is_constructor) continue;
        return mf_has_self(p) || p->unevaluated ? mf_make_self(p, at) : NULL;
    }
    return NULL;
}

mf_expr *mf_call_function(mf_parser *p, const mf_ref *name, mf_exprs *args, span at)
{
    mf_candidate *first = name->candidates;
    mf_ref own = *name;
    if (name->symbol != NULL && first == NULL) {
        first = name->symbol->functions;
        if (name->symbol->given != NULL && name->given == NULL) own.given = name->symbol->given;
    }
    call k = {.name = &own,
              .first = first,
              .args = args,
              .at = at,
              .object = implied_object(p, first, name->at)};
    return resolve(p, &k);
}

mf_expr *mf_call_member(mf_parser *p, const mf_ref *name, mf_expr *object, mf_exprs *args, span at)
{
    if (mf_bad(object)) return object;
    if (!object->lvalue) {
        object = mf_materialize(p, object);
        object->quals = 0; /* a temporary of one's own may be changed */
    } else if (mf_is_handle(p, object->type) && object->space != MF_THREAD) {
        object = mf_materialize(p, mf_value(p, object)); /* a texture is a number, wherever it is kept */
    }
    if (mf_bad(object)) return object;
    call k = {
        .name = name, .first = name->symbol->functions, .args = args, .at = at, .object = object};
    return resolve(p, &k);
}

mf_expr *mf_call_constructor(mf_parser *p, mf_record *r, mf_exprs *args, bool implicit, span at)
{
    mf_ref name = {.builtin = -1, .at = at};
    name.id = mf_intern(p->mem, p->idents, r->name);
    mf_candidate *first = NULL, **end = &first;
    for (mf_candidate *c = r->constructors; c != NULL && implicit; c = c->next) {
        if (c->is_explicit) continue;
        mf_candidate *copy = arena_copy(p->mem, c, sizeof *c);
        copy->next = NULL;
        *end = copy;
        end = &copy->next;
    }
    call k = {.name = &name, .first = implicit ? first : r->constructors, .args = args, .at = at};
    mf_matches all = {.n = 0};
    match_set(p, &k, &all);
    if (all.n == 0) return NULL;
    if (all.n > 1) return ambiguous(p, &k, &all);
    mf_candidate *c = all.at[0].user;
    for (mf_candidate *one = r->constructors; implicit && one != NULL; one = one->next) {
        if (one->function == c->function) c = one;
    }
    return call_user(p, c, &k);
}
