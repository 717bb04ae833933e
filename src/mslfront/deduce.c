/* Template argument deduction: the tokens of a parameter held against the type of an argument.
 *
 * Only the shape is looked at here: qualifiers, "*", "&", lengths, and the name in the middle,
 * perhaps with arguments of its own. What the deduced arguments make of the declaration is read
 * afterwards, and shows then whether it fits.
 */
#include "mslfront/template.h"

typedef enum level_kind { POINTER, REFERENCE, ARRAY } level_kind;

typedef struct level {
    level_kind kind;
    size_t length_at; /* ARRAY: behind "[" */
} level;

enum { LEVELS = 8 };

/* A type as tokens: a core and what is built on it, the innermost level first. */
typedef struct shape {
    size_t core, args; /* the core's last name, and "<" behind it; 0: none that can be deduced */
    bool named;        /* the core is a single name */
    uint8_t quals;     /* of the core */
    level levels[LEVELS];
    size_t n;
    size_t end;
} shape;

typedef struct deduction {
    mf_parser *p;
    const mf_template *t;
    mf_targ *args;     /* by parameter; NONE while open */
    const bool *fixed; /* given, so not to be deduced */
    unsigned depth;
} deduction;

static bool skip_quals(const mf_parser *p, size_t *at, shape *s)
{
    switch ((int)p->tokens[*at].kind) {
    case MF_KW_CONST: s->quals |= MF_CONST; break;
    case MF_KW_VOLATILE: s->quals |= MF_VOLATILE; break;
    case MF_KW_RESTRICT:
    case MF_KW_DEVICE:
    case MF_KW_CONSTANT:
    case MF_KW_THREAD:
    case MF_KW_THREADGROUP:
    case MF_KW_CONSTEXPR:
    case MF_KW_STATIC:
    case MF_KW_INLINE: break;
    case MF_TOK_L_SQUARE:
        if (p->tokens[*at + 1].kind != MF_TOK_L_SQUARE) return false;
        *at = mf_skip_balanced(p, *at);
        return true;
    case MF_TOK_IDENT:
        if (!str_is(p->tokens[*at].ident->text, "__attribute__")) return false;
        *at = mf_skip_balanced(p, *at + 1);
        return true;
    default: return false; /* part of the type */
    }
    ++*at;
    return true;
}

/* The core: [typename] name [<...>] (:: name [<...>])*. */
static void read_core(const mf_parser *p, size_t *at, shape *s)
{
    size_t i = *at;
    bool dependent = p->tokens[i].kind == MF_KW_TYPENAME;
    if (dependent) ++i;
    if (p->tokens[i].kind == MF_TOK_SCOPE) ++i;
    if (p->tokens[i].kind != MF_TOK_IDENT) { /* unsigned int, decltype(...), auto */
        while (p->tokens[i].kind == MF_KW_UNSIGNED || p->tokens[i].kind == MF_KW_SIGNED ||
               p->tokens[i].kind == MF_KW_VOID || p->tokens[i].kind == MF_KW_STRUCT)
            ++i;
        if (p->tokens[i].kind == MF_KW_DECLTYPE)
            i = mf_skip_balanced(p, i + 1);
        else if (p->tokens[i].kind == MF_TOK_IDENT)
            ++i;
        *at = i;
        return;
    }
    size_t name = i, args = 0;
    bool through = false; /* a member of something with arguments: not deduced */
    for (;;) {
        name = i++;
        args = 0;
        if (p->tokens[i].kind == MF_TOK_LESS) {
            args = i;
            i = mf_skip_angles(p, i);
        }
        if (p->tokens[i].kind != MF_TOK_SCOPE || p->tokens[i + 1].kind != MF_TOK_IDENT) break;
        through |= args != 0;
        ++i;
    }
    *at = i;
    if (through || (dependent && args == 0)) return;
    s->core = name;
    s->args = args;
    s->named = true;
}

static void add_level(shape *s, level_kind kind, size_t length_at)
{
    if (s->n < LEVELS) s->levels[s->n++] = (level){kind, length_at};
}

static size_t read_lengths(const mf_parser *p, size_t at, shape *s)
{
    size_t starts[LEVELS], n = 0;
    while (p->tokens[at].kind == MF_TOK_L_SQUARE && p->tokens[at + 1].kind != MF_TOK_L_SQUARE) {
        if (n < LEVELS) starts[n++] = at + 1;
        at = mf_skip_balanced(p, at);
    }
    while (n != 0) add_level(s, ARRAY, starts[--n]);
    return at;
}

/* The shape of a type or parameter from `at` on. */
static shape read_shape(const mf_parser *p, size_t at)
{
    shape s = {0};
    while (skip_quals(p, &at, &s)) {
    }
    read_core(p, &at, &s);
    uint8_t core_quals = s.quals;
    bool outer = false;
    for (;; outer = true) {
        s.quals = 0;
        while (skip_quals(p, &at, &s)) {
        }
        if (!outer) core_quals |= s.quals;
        mf_token_kind k = p->tokens[at].kind;
        if (k == MF_TOK_STAR)
            add_level(&s, POINTER, 0);
        else if (k == MF_TOK_AMP || k == MF_TOK_AMP_AMP)
            add_level(&s, REFERENCE, 0);
        else
            break;
        ++at;
    }
    s.quals = core_quals;
    if (p->tokens[at].kind == MF_TOK_L_PAREN &&
        (p->tokens[at + 1].kind == MF_TOK_AMP || p->tokens[at + 1].kind == MF_TOK_STAR)) {
        bool reference = p->tokens[at + 1].kind == MF_TOK_AMP;
        at = read_lengths(p, mf_skip_balanced(p, at), &s);
        add_level(&s, reference ? REFERENCE : POINTER, 0);
    } else {
        if (p->tokens[at].kind == MF_TOK_ELLIPSIS) ++at;
        if (p->tokens[at].kind == MF_TOK_IDENT) ++at;
        at = read_lengths(p, at, &s);
    }
    s.end = at;
    return s;
}

static size_t param_index(const mf_template *t, const mf_ident *name)
{
    size_t i = 0;
    while (i < t->param_count && t->params[i].name != name) ++i;
    return i;
}

static bool bind(deduction *d, size_t i, mf_targ arg)
{
    if (d->fixed != NULL && d->fixed[i]) return true;
    mf_targ *old = &d->args[i];
    if (old->kind == MF_TARG_NONE) {
        *old = arg;
        return true;
    }
    const bool values = old->kind == MF_TARG_VALUE && arg.kind == MF_TARG_VALUE;
    if (values ? old->value.i == arg.value.i : mf_same_arg(old, &arg)) return true;
    d->p->conflict.name = d->t->params[i].name;
    d->p->conflict.is = *old;
    d->p->conflict.other = arg;
    return false;
}

static bool match(deduction *d, const shape *s, mf_qtype q);

static bool match_value(deduction *d, size_t at, const mf_type *type, uint64_t v)
{
    const mf_parser *p = d->p;
    if (p->tokens[at].kind != MF_TOK_IDENT) return true;
    mf_token_kind after = p->tokens[at + 1].kind;
    if (after != MF_TOK_COMMA && after != MF_TOK_GREATER && after != MF_TOK_R_SQUARE) return true;
    size_t i = param_index(d->t, p->tokens[at].ident);
    if (i == d->t->param_count || d->t->params[i].kind != MF_TPARAM_VALUE) return true;
    return bind(d, i,
                (mf_targ){.kind = MF_TARG_VALUE,
                          .type = {.type = type},
                          .value = {.i = v}});
}

static bool match_type(deduction *d, size_t at, mf_qtype q)
{
    shape s = read_shape(d->p, at);
    return match(d, &s, q);
}

/* One argument of a pattern "name<...>" against one of the type's; *at moves behind it. */
static bool match_arg(deduction *d, size_t *at, const mf_targ *a)
{
    size_t begin = *at;
    mf_parser *p = d->p;
    size_t end = mf_skip_arg(p, begin);
    *at = p->tokens[end].kind == MF_TOK_COMMA ? end + 1 : end;
    if (begin == end) return false;
    if (a->kind == MF_TARG_TYPE) return match_type(d, begin, a->type);
    if (a->kind == MF_TARG_VALUE) return match_value(d, begin, a->type.type, a->value.i);
    if (p->tokens[begin].kind != MF_TOK_IDENT) return true;
    size_t i = param_index(d->t, p->tokens[begin].ident);
    return i == d->t->param_count || bind(d, i, *a);
}

static bool match_args(deduction *d, size_t less, const mf_targ *args, size_t n)
{
    const mf_parser *p = d->p;
    size_t at = less + 1;
    for (size_t i = 0; i < n && p->tokens[at].kind != MF_TOK_GREATER; ++i) {
        if (args[i].kind == MF_TARG_PACK) { /* "Ts..." takes them all */
            size_t k = p->tokens[at].kind == MF_TOK_IDENT ? param_index(d->t, p->tokens[at].ident)
                                                          : d->t->param_count;
            if (k < d->t->param_count && d->t->params[k].pack) return bind(d, k, args[i]);
            return match_args(d, at - 1, args[i].pack, args[i].pack_count);
        }
        size_t k = p->tokens[at].kind == MF_TOK_IDENT ? param_index(d->t, p->tokens[at].ident)
                                                      : d->t->param_count;
        if (k < d->t->param_count && d->t->params[k].pack &&
            p->tokens[at + 1].kind == MF_TOK_ELLIPSIS) {
            mf_targ pack = {.kind = MF_TARG_PACK, .pack_count = n - i};
            pack.pack = arena_copy(d->p->mem, args + i, (n - i) * sizeof *args);
            return bind(d, k, pack);
        }
        if (!match_arg(d, &at, &args[i])) return false;
    }
    return true;
}

static mf_targ value_of(uint64_t v)
{
    return (mf_targ){
        .kind = MF_TARG_VALUE, .type = {.type = mf_scalar_type(MF_INT)}, .value = {.i = v}};
}

/* vec<T, n> and the like against the types of the language that they name. */
static bool match_library(deduction *d, const shape *s, const mf_type *t)
{
    str name = d->p->tokens[s->core].ident->text;
    mf_targ args[3] = {{.kind = MF_TARG_TYPE}, value_of(t->width), value_of(t->width)};
    args[0].type.type = t->kind == MF_TYPE_ERROR ? t : mf_scalar_type(t->scalar);
    const mf_template *made_of = t->kind == MF_TYPE_RECORD ? t->record->made_of : NULL;
    if (str_is(name, "vec") && made_of != NULL && str_is(made_of->name->text, "__wide_vec")) {
        const mf_targs *with = t->record->made_with;
        return match_args(d, s->args, with->at, with->n);
    }
    size_t n = 0;
    if (str_is(name, "vec") && t->kind == MF_TYPE_VECTOR) n = 2;
    if (str_is(name, "packed_vec") && t->kind == MF_TYPE_PACKED) n = 2;
    if (str_is(name, "atomic") && t->kind == MF_TYPE_ATOMIC) n = 1;
    if (str_is(name, "matrix") && t->kind == MF_TYPE_MATRIX) n = 3;
    if (str_is(name, "simdgroup_matrix") && t->kind == MF_TYPE_SIMD_MATRIX) n = 3;
    if (n == 3) args[1] = value_of(t->columns);
    return n != 0 && match_args(d, s->args, args, n);
}

/* The record, or the base of it, that is an instance of the template. */
static const mf_record *instance_of(const mf_record *r, const mf_template *generic)
{
    if (r->made_of == generic) return r;
    for (size_t i = 0; i < r->field_count; ++i) {
        if (!r->fields[i].is_base) continue;
        const mf_record *found = instance_of(r->fields[i].type->record, generic);
        if (found != NULL) return found;
    }
    return NULL;
}

/* An alias: what it stands for is matched for its own parameters, and those for what is written. */
static bool match_alias(deduction *d, const shape *s, const mf_template *alias, const mf_type *t)
{
    mf_targ own[MF_TPARAMS];
    for (size_t i = 0; i < alias->param_count; ++i) own[i] = (mf_targ){.kind = MF_TARG_NONE};
    deduction inner = {.p = d->p, .t = alias, .args = own, .depth = d->depth + 1};
    size_t body = alias->begin;
    while (d->p->tokens[body].kind != MF_TOK_EQ && d->p->tokens[body].kind != MF_TOK_END) ++body;
    if (inner.depth > MF_TPARAMS || !match_type(&inner, body + 1, (mf_qtype){.type = t}))
        return false;
    size_t at = s->args + 1;
    for (size_t i = 0; i < alias->param_count && d->p->tokens[at].kind != MF_TOK_GREATER; ++i) {
        if (own[i].kind == MF_TARG_NONE) return true; /* not to be found this way */
        if (!match_arg(d, &at, &own[i])) return false;
    }
    return true;
}

static bool match_generic(deduction *d, const shape *s, const mf_type *t)
{
    mf_parser *p = d->p;
    size_t param = param_index(d->t, p->tokens[s->core].ident);
    if (param < d->t->param_count) { /* a template template parameter */
        if (t->kind != MF_TYPE_RECORD || t->record->made_of == NULL) return false;
        const mf_targs *with = t->record->made_with;
        return bind(d, param,
                    (mf_targ){.kind = MF_TARG_TEMPLATE, .symbol = t->record->made_of->symbol}) &&
               match_args(d, s->args, with->at, with->n);
    }
    const bool qualified = s->core >= 2 && p->tokens[s->core - 1].kind == MF_TOK_SCOPE;
    const bool of_metal = qualified && str_is(mf_token_text(&p->tokens[s->core - 2]), "metal") && p->metal != NULL;
    const mf_symbol *found = of_metal ? mf_find(p->metal, p->tokens[s->core].ident) : NULL;
    for (const mf_scope *in = d->t->scope; in != NULL && found == NULL && !of_metal; in = in->parent) {
        found = mf_find(in, p->tokens[s->core].ident);
        for (size_t i = 0; found == NULL && i < in->used_count; ++i)
            found = mf_find(in->used[i], p->tokens[s->core].ident);
    }
    if (found == NULL || found->generic == NULL) return match_library(d, s, t);
    if (found->generic->kind == MF_OF_ALIASES) return match_alias(d, s, found->generic, t);
    if (found->generic->kind != MF_OF_CLASSES) return true;
    const mf_record *r = t->kind == MF_TYPE_RECORD ? instance_of(t->record, found->generic) : NULL;
    if (r == NULL) return false;
    const mf_targs *with = r->made_with;
    return match_args(d, s->args, with->at, with->n);
}

static bool match_core(deduction *d, const shape *s, mf_qtype q)
{
    if (!s->named) return true;
    if (s->args != 0) return match_generic(d, s, q.type);
    size_t i = param_index(d->t, d->p->tokens[s->core].ident);
    if (i == d->t->param_count || d->t->params[i].kind != MF_TPARAM_TYPE) return true;
    q.quals &= (uint8_t)~s->quals;
    return bind(d, i, (mf_targ){.kind = MF_TARG_TYPE, .type = {.type = q.type, .quals = q.quals}});
}

static bool match(deduction *d, const shape *s, mf_qtype q)
{
    bool open =
        s->n != 0 && s->args == 0; /* what names no parameter is converted to, not deduced from */
    for (size_t i = 0; i < s->n; ++i) open = open && s->levels[i].kind != ARRAY;
    if (open && (!s->named || param_index(d->t, d->p->tokens[s->core].ident) == d->t->param_count))
        return true;
    if (++d->depth > MF_TPARAMS) return false;
    bool good = true;
    for (size_t i = s->n; good && i-- != 0;) {
        const level *one = &s->levels[i];
        const mf_type *t = q.type;
        switch (one->kind) {
        case REFERENCE:
            if (t->kind == MF_TYPE_REFERENCE) q = (mf_qtype){t->elem, t->space, t->quals};
            break;
        case POINTER:
            good = t->kind == MF_TYPE_POINTER;
            if (good) q = (mf_qtype){t->elem, t->space, t->quals};
            break;
        case ARRAY:
            good = t->kind == MF_TYPE_ARRAY && match_value(d, one->length_at, mf_scalar_type(MF_INT), t->count);
            if (good) q.type = t->elem;
            break;
        }
    }
    good = good && match_core(d, s, q);
    --d->depth;
    return good;
}

/* An argument's type as a parameter of the shape sees it. */
static mf_qtype seen_as(mf_parser *p, shape *s, const mf_expr *e)
{
    bool reference = s->n != 0 && s->levels[s->n - 1].kind == REFERENCE;
    mf_qtype q = {e->type, e->space, e->quals};
    if (reference) return q;
    if (s->n != 0 && s->levels[s->n - 1].kind == ARRAY) s->levels[s->n - 1].kind = POINTER;
    q.quals = 0;
    q.space = MF_NO_SPACE;
    if (e->type->kind == MF_TYPE_ARRAY && e->lvalue)
        q.type = mf_pointer_type(&p->types, e->type->elem, e->space, e->quals);
    return q;
}

static bool deduce_pack(deduction *d, const mf_pattern *pattern, const mf_exprs *args, size_t from)
{
    shape s = read_shape(d->p, pattern->begin);
    size_t i = s.named ? param_index(d->t, d->p->tokens[s.core].ident) : d->t->param_count;
    if (i == d->t->param_count || !d->t->params[i].pack) return false;
    mf_targ pack = {.kind = MF_TARG_PACK, .pack_count = args->n > from ? args->n - from : 0};
    pack.pack = arena_array(d->p->mem, mf_targ, pack.pack_count + 1);
    for (size_t k = 0; k < pack.pack_count; ++k) {
        d->args[i] = (mf_targ){.kind = MF_TARG_NONE};
        shape one = s;
        if (!match(d, &one, seen_as(d->p, &one, args->at[from + k])) ||
            d->args[i].kind != MF_TARG_TYPE)
            return false;
        pack.pack[k] = d->args[i];
    }
    d->args[i] = pack;
    return true;
}

bool mf_deduce_call(mf_parser *p, const mf_template *t, const mf_targs *given, const mf_exprs *args,
                    mf_targs *out)
{
    mf_targ found[MF_TPARAMS];
    bool fixed[MF_TPARAMS] = {false};
    for (size_t i = 0; i < t->param_count; ++i) found[i] = (mf_targ){.kind = MF_TARG_NONE};
    size_t n = given != NULL ? given->n : 0;
    bool packs = t->param_count != 0 && t->params[t->param_count - 1].pack;
    if (n > t->param_count && !packs) return false;
    for (size_t i = 0; i < n && i < t->param_count && !t->params[i].pack; ++i) {
        found[i] = given->at[i];
        fixed[i] = found[i].kind != MF_TARG_NONE;
    }
    deduction d = {.p = p, .t = t, .args = found, .fixed = fixed};
    for (size_t i = 0; i < t->pattern_count; ++i) {
        if (t->patterns[i].pack) {
            if (!deduce_pack(&d, &t->patterns[i], args, i)) return false;
            break;
        }
        if (i >= args->n) break;
        shape s = read_shape(p, t->patterns[i].begin);
        mf_qtype q = seen_as(p, &s, args->at[i]);
        if (q.type->kind == MF_TYPE_NULL && args->at[i]->kind == MF_EXPR_AGGREGATE) continue;
        if (q.type->kind == MF_TYPE_ERROR || !match(&d, &s, q)) return false;
    }
    *out = mf_targs_none();
    for (size_t i = 0; i < t->param_count; ++i) {
        if (t->params[i].pack && n > i) { /* given one by one */
            for (size_t k = i; k < n; ++k) mf_targs_push(p->mem, out, given->at[k]);
            break;
        }
        if (t->params[i].pack && found[i].kind == MF_TARG_NONE)
            found[i] = (mf_targ){.kind = MF_TARG_PACK};
        mf_targs_push(p->mem, out, found[i]);
    }
    return true;
}

bool mf_deduce_types(mf_parser *p, const mf_template *t, const mf_qtype *types, size_t n, mf_targs *out)
{
    mf_targ found[MF_TPARAMS];
    for (size_t i = 0; i < t->param_count; ++i) found[i] = (mf_targ){.kind = MF_TARG_NONE};
    deduction d = {.p = p, .t = t, .args = found};
    for (size_t i = 0; i < n; ++i) {
        const bool pack = i >= t->pattern_count || t->patterns[i].pack;
        const shape s = read_shape(p, t->patterns[i < t->pattern_count ? i : t->pattern_count - 1].begin);
        if (pack) continue; /* takes any number of any */
        if (!match(&d, &s, types[i])) return false;
    }
    *out = mf_targs_none();
    for (size_t i = 0; i < t->param_count; ++i) mf_targs_push(p->mem, out, found[i]);
    return true;
}

void mf_deduce_result(mf_parser *p, const mf_template *t, mf_qtype result, mf_targs *args)
{
    bool fixed[MF_TPARAMS] = {false};
    if (args->n != t->param_count || result.type == NULL) return;
    for (size_t i = 0; i < args->n; ++i) fixed[i] = args->at[i].kind != MF_TARG_NONE;
    deduction d = {.p = p, .t = t, .args = args->at, .fixed = fixed};
    const shape s = read_shape(p, t->begin);
    (void)match(&d, &s, result); /* where it does not fit, the instance does not either */
}

bool mf_deduce_special(mf_parser *p, const mf_template *t, const mf_targs *args, mf_targs *out)
{
    mf_targ found[MF_TPARAMS];
    for (size_t i = 0; i < t->param_count; ++i) found[i] = (mf_targ){.kind = MF_TARG_NONE};
    deduction d = {.p = p, .t = t, .args = found};
    if (!match_args(&d, t->args_at, args->at, args->n)) return false;
    *out = mf_targs_none();
    for (size_t i = 0; i < t->param_count; ++i) {
        if (found[i].kind == MF_TARG_NONE && t->params[i].pack)
            found[i] = (mf_targ){.kind = MF_TARG_PACK};
        if (found[i].kind == MF_TARG_NONE) return false;
        mf_targs_push(p->mem, out, found[i]);
    }
    return true;
}

/* How much a parameter's shape says, for choosing between templates. */
static unsigned weigh(const mf_parser *p, const mf_template *t, size_t at, unsigned depth)
{
    shape s = read_shape(p, at);
    unsigned weight = (unsigned)s.n * 2 + ((s.quals & MF_CONST) != 0 ? 1 : 0);
    if (!s.named || depth > 8) return weight + 1;
    bool param = param_index(t, p->tokens[s.core].ident) < t->param_count;
    if (s.args == 0) return weight + (param ? 0 : 20);
    weight += param ? 2 : 4;
    for (size_t i = s.args + 1;
         p->tokens[i].kind != MF_TOK_GREATER && p->tokens[i].kind != MF_TOK_END;) {
        weight += p->tokens[i].kind == MF_TOK_NUMBER ? 20 : weigh(p, t, i, depth + 1);
        i = mf_skip_arg(p, i);
        if (p->tokens[i].kind != MF_TOK_COMMA) break;
        ++i;
    }
    return weight;
}

bool mf_find_patterns(mf_parser *p, mf_template *t, size_t paren)
{
    size_t end = mf_skip_balanced(p, paren) - 1, at = paren + 1;
    t->patterns = arena_array(p->mem, mf_pattern, MF_CALL_ARGS);
    t->weight = 1000;
    bool nothing = p->tokens[at].kind == MF_KW_VOID && at + 1 == end;
    while (at < end && !nothing) {
        mf_pattern one = {.begin = at};
        while (at < end && p->tokens[at].kind != MF_TOK_COMMA) {
            mf_token_kind k = p->tokens[at].kind;
            one.has_default |= k == MF_TOK_EQ;
            one.pack |= k == MF_TOK_ELLIPSIS;
            bool angles = k == MF_TOK_LESS && p->tokens[at - 1].kind == MF_TOK_IDENT;
            bool open = k == MF_TOK_L_PAREN || k == MF_TOK_L_SQUARE || k == MF_TOK_L_BRACE;
            at = angles ? mf_skip_angles(p, at) : open ? mf_skip_balanced(p, at) : at + 1;
        }
        one.end = at++;
        if (t->pattern_count == MF_CALL_ARGS) return true; /* a kernel with many: never called */
        if (!one.has_default && !one.pack && t->required == t->pattern_count) ++t->required;
        if (one.pack) --t->weight; /* one parameter says more than any number of them */
        t->weight += weigh(p, t, one.begin, 0);
        t->patterns[t->pattern_count++] = one;
    }
    return true;
}
