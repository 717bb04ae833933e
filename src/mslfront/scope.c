/* Scopes and the look-up of names, the user's and the library's. */
#include "mslfront/names.h"
#include "mslfront/template.h"

enum { SMALL_SCOPE = 8 };

mf_scope *mf_push_scope(mf_parser *p, mf_scope_kind kind)
{
    mf_scope *s = arena_new(p->mem, mf_scope);
    s->kind = kind;
    s->parent = p->scope;
    s->label = p->scope != NULL && kind != MF_SCOPE_BLOCK ? p->scope->label : (str){0};
    p->scope = s;
    return s;
}

void mf_pop_scope(mf_parser *p)
{
    p->scope = p->scope->parent;
}

mf_symbol *mf_find(const mf_scope *s, const mf_ident *id)
{
    if (s->n > SMALL_SCOPE) return map_get_id(&s->index, id);
    for (mf_symbol *one = s->first; one != NULL; one = one->next) {
        if (one->name == id) return one;
    }
    return NULL;
}

mf_symbol *mf_add_symbol(mf_parser *p, mf_scope *s, mf_symbol_kind kind, mf_ident *id, span at)
{
    mf_symbol *one = arena_new(p->mem, mf_symbol);
    one->kind = kind;
    one->name = id;
    one->at = at;
    if (s->last != NULL) {
        s->last->next = one;
    } else {
        s->first = one;
    }
    s->last = one;
    if (++s->n == SMALL_SCOPE + 1) {
        for (mf_symbol *old = s->first; old != NULL; old = old->next) {
            map_put_id(p->mem, &s->index, old->name, old);
        }
    } else if (s->n > SMALL_SCOPE) {
        map_put_id(p->mem, &s->index, id, one);
    }
    return one;
}

mf_symbol *mf_declare(mf_parser *p, mf_symbol_kind kind, mf_ident *id, span at)
{
    mf_symbol *old = mf_find(p->scope, id);
    const mf_scope *outer = p->scope->parent;
    if (old == NULL && outer != NULL && outer->is_params) old = mf_find(outer, id);
    if (old == NULL) return mf_add_symbol(p, p->scope, kind, id, at);
    if (mf_in_library(p, old->at) && !mf_in_library(p, at) && old->at.file != 0) {
        mf_symbol *next = old->next; /* the text's own takes the place of the library's */
        *old = (mf_symbol){.kind = kind, .name = id, .at = at, .next = next};
        return old;
    }
    diag_error(p->diags, at, "'%.*s' is already declared in this scope", STR_ARG(id->text));
    diag_note(p->diags, old->at, "it was declared here");
    return NULL;
}

/* Where a part of a qualified name is looked for. */
typedef struct place {
    enum { FROM_HERE, IN_SCOPE, IN_METAL, IN_MATH, IN_ENUM, IN_ITEMS, NOWHERE } kind;
    const mf_scope *scope;
    mf_math math;
    str enumeration;
    const mf_type *type; /* IN_ITEMS: an enumeration of the user's */
} place;

static bool known_to_library(const mf_ident *id)
{
    const mf_type *type;
    int64_t value;
    return id->builtin >= 0 || id->type != NULL ||
           mf_library_constant((str){0}, id->text, &type, &value);
}

static void find_in_library(mf_ref *r)
{
    r->library = true;
    r->builtin = r->id->builtin;
    r->type = r->id->type;
    if (r->builtin < 0 && r->type == NULL) {
        r->is_constant = mf_library_constant((str){0}, r->id->text, &r->type, &r->value);
    }
}

static mf_symbol *find_used(const mf_scope *s, const mf_ident *id)
{
    if (s->record != NULL) return mf_find_member(s->record, id);
    mf_symbol *found = mf_find(s, id);
    for (size_t i = 0; found == NULL && i < s->used_count; ++i) found = mf_find(s->used[i], id);
    return found;
}

static void find_from_here(mf_parser *p, mf_ref *r)
{
    for (const mf_scope *s = p->scope; s != NULL; s = s->parent) {
        r->symbol = find_used(s, r->id);
        if (r->symbol != NULL && r->symbol->kind == MF_SYM_LIBRARY) {
            r->symbol = NULL;
            find_in_library(r);
            return;
        }
        if (s->is_metal && (r->symbol == NULL || r->symbol->kind == MF_SYM_FUNCTION))
            find_in_library(r);
        if (r->symbol != NULL || r->builtin >= 0 || r->type != NULL) return;
    }
    if (r->id->type != NULL && !r->id->type_in_metal) {
        r->type = r->id->type;
    } else {
        r->hidden_by_metal = !r->library && known_to_library(r->id);
    }
}

static void find_in(mf_parser *p, const place *where, mf_ref *r)
{
    switch (where->kind) {
    case FROM_HERE: find_from_here(p, r); break;
    case IN_SCOPE:
        r->symbol = find_used(where->scope, r->id);
        if (where->math != MF_MATH_DEFAULT &&
            (r->symbol == NULL || r->symbol->kind == MF_SYM_FUNCTION)) {
            find_in_library(r);
            r->math = where->math;
        }
        if (where->scope->is_metal && (r->symbol == NULL || r->symbol->kind == MF_SYM_FUNCTION))
            find_in_library(r);
        if (r->symbol == NULL && where->scope->kind == MF_SCOPE_GLOBAL && r->id->type != NULL &&
            !r->id->type_in_metal) {
            r->type = r->id->type;
        }
        break;
    case IN_METAL: find_in_library(r); break;
    case IN_MATH:
        find_in_library(r);
        r->math = where->math;
        break;
    case IN_ENUM:
        r->is_constant = mf_library_constant(where->enumeration, r->id->text, &r->type, &r->value);
        break;
    case IN_ITEMS:
        for (size_t i = 0; i < where->type->enumeration->item_count; ++i) {
            const mf_enumerator *one = &where->type->enumeration->items[i];
            if (!str_eq(one->name, r->id->text)) continue;
            r->is_constant = true;
            r->type = where->type;
            r->value = one->value;
        }
        break;
    case NOWHERE: break;
    }
}

/* Where the names are that follow "r ::". */
static place place_of(const mf_ref *r)
{
    const mf_symbol *s = r->symbol;
    if (s != NULL && s->names != NULL) {
        place in = {.kind = IN_SCOPE, .scope = s->names};
        bool math = s->kind == MF_SYM_NAMESPACE && s->names->in_metal && !s->names->is_metal;
        if (math && str_is(r->id->text, "fast")) in.math = MF_MATH_FAST;
        if (math && str_is(r->id->text, "precise")) in.math = MF_MATH_PRECISE;
        return in;
    }
    const mf_type *t = s != NULL && s->kind == MF_SYM_TYPE ? s->type.type : NULL;
    if (t != NULL && t->kind == MF_TYPE_RECORD && t->record->scope != NULL)
        return (place){.kind = IN_SCOPE, .scope = t->record->scope};
    if (t != NULL && t->kind == MF_TYPE_ENUM) {
        if (t->enumeration->underlying != NULL) return (place){.kind = IN_ITEMS, .type = t};
        return (place){.kind = IN_ENUM, .enumeration = t->enumeration->name};
    }
    if (s != NULL) return (place){.kind = NOWHERE};
    str name = r->id->text;
    if (str_is(name, "metal")) return (place){.kind = IN_METAL};
    if (r->library && str_is(name, "fast")) return (place){.kind = IN_MATH, .math = MF_MATH_FAST};
    if (r->library && str_is(name, "precise"))
        return (place){.kind = IN_MATH, .math = MF_MATH_PRECISE};
    if (r->type != NULL && r->type->kind == MF_TYPE_ENUM)
        return (place){.kind = IN_ENUM, .enumeration = name};
    return (place){.kind = NOWHERE};
}

/* Arguments behind the name of a template make it a type or a variable; false after a complaint. */
static bool take_arguments(mf_parser *p, mf_ref *r)
{
    mf_symbol *s = r->symbol;
    if (s == NULL || !mf_at(p, MF_TOK_LESS) || s->generic == NULL) return true;
    mf_targs args;
    if (!mf_parse_targs(p, &args)) return false;
    r->at = mf_since(p, r->at);
    r->symbol = mf_instantiate(p, s->generic, &args, r->at);
    r->builtin = -1;
    return r->symbol != NULL;
}

/* What people mean by names of other languages. */
static const char *hint_for(str name)
{
    static const struct {
        const char *name, *hint;
    } hints[] = {{"__shared__", "; shared memory is declared 'threadgroup'"},
                 {"__syncthreads", "; there is threadgroup_barrier(mem_flags::mem_threadgroup)"},
                 {"atomicAdd", "; there is atomic_fetch_add_explicit()"},
                 {"blockDim", "; [[threads_per_threadgroup]] on a kernel's parameter gives it"},
                 {"blockIdx", "; [[threadgroup_position_in_grid]] on a kernel's parameter gives it"},
                 {"dfdx", "; it belongs to fragment functions"},
                 {"dfdy", "; it belongs to fragment functions"},
                 {"discard_fragment", "; it belongs to fragment functions"},
                 {"fwidth", "; it belongs to fragment functions"},
                 {"get_global_id", "; [[thread_position_in_grid]] on a kernel's parameter gives it"},
                 {"mem_device", "; it is mem_flags::mem_device"},
                 {"mem_none", "; it is mem_flags::mem_none"},
                 {"mem_texture", "; it is mem_flags::mem_texture"},
                 {"mem_threadgroup", "; it is mem_flags::mem_threadgroup"},
                 {"printf", "; <metal_logging> has os_log"},
                 {"std", "; C++'s standard library does not exist in MSL, but namespace metal has some of it"},
                 {"thread_local", "; variables of a function are each thread's own without it"},
                 {"threadIdx", "; [[thread_position_in_threadgroup]] on a kernel's parameter gives it"}};
    for (size_t i = 0; i < sizeof hints / sizeof hints[0]; ++i)
        if (str_is(name, hints[i].name)) return hints[i].hint;
    return "";
}

/* A name before "::" that is neither a namespace nor has names of its own. */
static void not_a_scope(mf_parser *p, const mf_ref *r)
{
    const char *hint = hint_for(r->id->text);
    if (str_is(r->id->text, "raytracing")) mf_unsupported(p, r->at, "ray tracing is not supported");
    else if (r->hidden_by_metal || hint[0] != '\0') {
        if (!p->panic) mf_unknown_name(p, r);
        p->panic = true;
    } else
        mf_syntax(p, r->at, "'%.*s' is not a namespace or an enumeration", STR_ARG(r->id->text));
}

static mf_ref resolve(mf_parser *p)
{
    const mf_token *t = mf_cur(p);
    mf_ref r = {.builtin = -1, .at = t->at};
    place where = {.kind = FROM_HERE};
    if (t->kind == MF_TOK_SCOPE) {
        where = (place){.kind = IN_SCOPE, .scope = p->global};
        mf_advance(p);
    }
    for (;;) {
        bool qualified = where.kind != FROM_HERE;
        if (qualified) mf_accept(p, MF_KW_TEMPLATE);
        t = mf_cur(p);
        r = (mf_ref){
            .id = t->ident, .builtin = -1, .at = span_join(r.at, t->at), .qualified = qualified};
        if (t->kind == MF_KW_OPERATOR) {
            size_t begin = p->at++;
            if (mf_at(p, MF_TOK_L_PAREN)) p->at += 2;
            while (!mf_at(p, MF_TOK_L_PAREN) && !mf_at(p, MF_TOK_END)) mf_advance(p);
            r.id = mf_operator_name(p, begin, p->at);
            if (r.id != NULL) find_in(p, &where, &r);
            return r;
        }
        if (t->kind != MF_TOK_IDENT) {
            mf_syntax(p, t->at, "expected a name after '::'");
            r.id = NULL;
            return r;
        }
        find_in(p, &where, &r);
        mf_advance(p);
        if (!take_arguments(p, &r)) {
            p->panic = true;
            r.id = NULL;
            return r;
        }
        if (!mf_at(p, MF_TOK_SCOPE)) return r;
        where = place_of(&r);
        if (where.kind == NOWHERE) {
            not_a_scope(p, &r);
            r.id = NULL;
            return r;
        }
        mf_advance(p);
    }
}

mf_ref mf_resolve(mf_parser *p)
{
    return resolve(p);
}

mf_ref mf_peek_name(mf_parser *p)
{
    size_t at = p->at;
    bool panic = p->panic;
    diag_list quiet;
    diag_list *loud = mf_quiet(p, &quiet);
    mf_ref r = resolve(p);
    mf_loud(p, loud);
    p->at = at;
    p->panic = panic;
    return r;
}

void mf_unknown_name(mf_parser *p, const mf_ref *r)
{
    if (r->id == NULL) return;
    if (r->hidden_by_metal) {
        diag_error(p->diags, r->at, "'%.*s' is not declared; the library's is 'metal::%.*s'",
                   STR_ARG(r->id->text), STR_ARG(r->id->text));
        return;
    }
    static const char *const refused[] = {"array_ref", "make_array_ref", "pack_float_to_unorm565", "pack_half_to_unorm565",
                                          "unpack_unorm565_to_float", "unpack_unorm565_to_half"};
    const str name = r->id->text;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; ++i) {
        if (!str_is(name, refused[i])) continue;
        diag_unsupported(p->diags, r->at, "'%s' is not supported", refused[i]);
        return;
    }
    const str explicit_one = str_format(p->mem, "%.*s_explicit", STR_ARG(name));
    const char *hint = hint_for(name);
    str more = {0};
    if (hint[0] == '\0' && p->quiet == 0) { /* nobody reads the others */
        if (mf_is_input(name)) more = str_format(p->mem, "; [[%.*s]] on a kernel's parameter gives it", STR_ARG(name));
        else if (mf_intern(p->mem, p->idents, explicit_one)->builtin >= 0) more = str_format(p->mem, "; there is %.*s()", STR_ARG(explicit_one));
        else if (!r->qualified) more = mf_suggest_name(p, name);
        if (more.n != 0 && more.p[0] != ';') more = str_format(p->mem, "; did you mean '%.*s'?", STR_ARG(more));
    }
    diag_error(p->diags, r->at, "'%.*s' is not declared%s%.*s", STR_ARG(name), hint, STR_ARG(more));
}
