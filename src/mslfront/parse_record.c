/* Structs, unions and enumerations. */
#include "mslfront/parser.h"

static uint64_t round_up(uint64_t v, uint32_t align)
{
    return align > 1 ? (v + align - 1) / align * align : v;
}

static bool has_field(const mf_fields *fields, str name)
{
    for (size_t i = 0; i < fields->n; ++i) {
        const mf_field *f = &fields->at[i];
        if (f->name.n != 0 && str_eq(f->name, name)) return true;
        if (f->name.n == 0 && f->type->kind == MF_TYPE_RECORD) {
            const mf_fields inner = {.at = f->type->record->fields,
                                     .n = f->type->record->field_count};
            if (has_field(&inner, name)) return true;
        }
    }
    return false;
}

static bool check_field(mf_parser *p, const mf_fields *fields, const mf_declarator *d)
{
    const mf_type *t = d->type.type;
    if (t->kind == MF_TYPE_ERROR) return false;
    const char *fault = NULL;
    if (t->kind == MF_TYPE_REFERENCE) fault = "a member that is a reference is not supported";
    if (d->type.space != MF_NO_SPACE && d->type.space != MF_THREAD) {
        fault = "a member has no address space of its own: it lies where its struct does";
    }
    if (t->kind == MF_TYPE_ARRAY && t->count == 0) fault = "a member's length must be known";
    if (t->kind == MF_TYPE_SIMD_MATRIX) fault = "a simdgroup matrix cannot be a member";
    if (fault != NULL) {
        diag_error(p->diags, d->at, "%s", fault);
        return false;
    }
    if (d->name != NULL && has_field(fields, d->name->text)) {
        diag_error(p->diags, d->at, "the member '%.*s' is already declared",
                   STR_ARG(d->name->text));
        return false;
    }
    return mf_check_object_type(p, t, d->at, "have a member of");
}

static void add_field(mf_parser *p, mf_fields *fields, const mf_specs *specs,
                      const mf_declarator *d)
{
    if (specs->align != 0 && specs->align < d->type.type->align) {
        diag_error(p->diags, specs->align_at,
                   "alignas(%u) is less than the type's own alignment, %u", specs->align,
                   d->type.type->align);
    }
    mf_field f = {.align = specs->align,
                  .name = d->name != NULL ? d->name->text : (str){0},
                  .at = d->at,
                  .type = d->type.type,
                  .quals = d->type.quals};
    mf_fields_push(p->mem, fields, f);
}

/* The members that one declaration names. */
static void parse_members(mf_parser *p, mf_fields *fields)
{
    mf_specs specs;
    if (!mf_parse_specs(p, &specs)) return;
    if (specs.is_static || specs.is_constexpr || specs.is_typedef || specs.is_auto ||
        specs.is_kernel) {
        mf_syntax(p, specs.at,
                  "members that are static, constexpr, typedef or auto are not supported");
        return;
    }
    bool anonymous = specs.has_record && specs.type.type->kind == MF_TYPE_RECORD &&
                     specs.type.type->record->name.n == 0 && mf_at(p, MF_TOK_SEMI);
    if (anonymous) {
        mf_declarator d = {.type = specs.type, .at = specs.at};
        add_field(p, fields, &specs, &d);
    }
    while (!mf_at(p, MF_TOK_SEMI)) {
        mf_declarator d;
        if (!mf_parse_declarator(p, &specs, &d)) return;
        if (mf_at(p, MF_TOK_L_PAREN)) {
            mf_syntax(p, d.at, "member functions are not supported");
            return;
        }
        if (d.name == NULL) {
            mf_syntax(p, mf_cur(p)->at, "expected the name of a member");
            return;
        }
        if (mf_at(p, MF_TOK_COLON) || mf_at(p, MF_TOK_EQ) || mf_at(p, MF_TOK_L_BRACE)) {
            mf_syntax(p, mf_cur(p)->at,
                      mf_at(p, MF_TOK_COLON) ? "bit fields are not supported"
                                             : "initialisers of members are not supported");
            return;
        }
        mf_attributes attributes = mf_attributes_none();
        if (!mf_parse_attributes(p, &attributes)) return;
        if (attributes.n != 0) {
            diag_error(p->diags, attributes.at[0].at,
                       "the attribute '%.*s' of a member is not supported",
                       STR_ARG(attributes.at[0].name->text));
        }
        if (check_field(p, fields, &d)) add_field(p, fields, &specs, &d);
        if (!mf_accept(p, MF_TOK_COMMA)) break;
    }
    mf_expect(p, MF_TOK_SEMI, "after the member");
}

static bool is_access(const mf_parser *p)
{
    mf_token_kind k = mf_cur(p)->kind;
    return k == MF_KW_PUBLIC || k == MF_KW_PRIVATE || k == MF_KW_PROTECTED;
}

/* One thing in a struct's body; false when it was refused. */
static void parse_member_decl(mf_parser *p, mf_fields *fields)
{
    if (mf_accept(p, MF_TOK_SEMI) || mf_parse_common_decl(p)) return;
    if (is_access(p)) { /* everything is accessible here: accepted texts mean the same */
        mf_advance(p);
        mf_expect(p, MF_TOK_COLON, "after the access word");
        return;
    }
    mf_token_kind k = mf_cur(p)->kind;
    bool function = k == MF_KW_OPERATOR || k == MF_TOK_TILDE || k == MF_KW_EXPLICIT ||
                    k == MF_KW_VIRTUAL || k == MF_KW_FRIEND || k == MF_KW_TEMPLATE ||
                    (k == MF_TOK_IDENT && mf_ahead(p, 1)->kind == MF_TOK_L_PAREN);
    if (function) {
        mf_syntax(p, mf_cur(p)->at, "member functions are not supported");
        return;
    }
    parse_members(p, fields);
}

static void lay_out(mf_record *r, mf_type *t)
{
    uint64_t at = 0, size = 0;
    uint32_t align = 1;
    for (size_t i = 0; i < r->field_count; ++i) {
        mf_field *f = &r->fields[i];
        uint32_t a = f->type->align != 0 ? f->type->align : 1;
        if (f->align > a) a = f->align;
        f->offset = r->is_union ? 0 : round_up(at, a);
        at = f->offset + f->type->size;
        if (at > size) size = at;
        if (a > align) align = a;
    }
    t->align = align;
    t->size = round_up(size, align);
    if (t->size == 0) t->size = 1; /* C++'s size of an empty class */
}

static mf_record *new_record(mf_parser *p, bool is_union, mf_ident *name, span at, mf_type **type)
{
    mf_record *r = arena_new(p->mem, mf_record);
    mf_type *t = arena_new(p->mem, mf_type);
    *t = (mf_type){.kind = MF_TYPE_RECORD, .width = 1, .columns = 1, .record = r};
    *r = (mf_record){
        .name = name != NULL ? name->text : (str){0}, .at = at, .is_union = is_union, .type = t};
    *type = t;
    return r;
}

static void parse_body(mf_parser *p, mf_record *r, mf_type *t)
{
    mf_fields fields = mf_fields_none();
    mf_push_scope(p, MF_SCOPE_RECORD);
    while (!mf_at(p, MF_TOK_R_BRACE) && !mf_at(p, MF_TOK_END)) {
        parse_member_decl(p, &fields);
        if (p->panic) mf_recover(p);
    }
    mf_pop_scope(p);
    mf_expect(p, MF_TOK_R_BRACE, "at the end of the struct");
    r->fields = fields.at;
    r->field_count = fields.n;
    uint64_t total = 0;
    for (size_t i = 0; i < fields.n; ++i) total += fields.at[i].type->size;
    if (total > (uint64_t)1 << 48) {
        diag_error(p->diags, r->at, "the struct is too large");
        r->field_count = 0;
    }
    lay_out(r, t);
    r->complete = true;
}

/* The record that a name already stands for in this scope, to complete or to mention. */
static mf_symbol *known_record(mf_parser *p, const mf_ident *name, bool body)
{
    if (body || mf_at(p, MF_TOK_SEMI)) return mf_find(p->scope, name);
    for (const mf_scope *s = p->scope; s != NULL; s = s->parent) {
        mf_symbol *found = mf_find(s, name);
        if (found != NULL) return found;
    }
    return NULL;
}

bool mf_parse_record(mf_parser *p, mf_qtype *out)
{
    bool is_union = mf_at(p, MF_KW_UNION);
    span at = mf_cur(p)->at;
    mf_advance(p);
    mf_attributes attributes = mf_attributes_none();
    if (!mf_parse_attributes(p, &attributes)) return false;
    if (mf_at(p, MF_KW_ALIGNAS)) mf_syntax(p, mf_cur(p)->at, "alignas is not supported");
    mf_ident *name = NULL;
    if (mf_at(p, MF_TOK_IDENT)) {
        name = mf_cur(p)->ident;
        at = mf_cur(p)->at;
        mf_advance(p);
    }
    bool body = mf_at(p, MF_TOK_L_BRACE);
    if (mf_at(p, MF_TOK_COLON)) mf_syntax(p, mf_cur(p)->at, "base classes are not supported");
    if (name == NULL && !body && !p->panic) mf_syntax(p, mf_cur(p)->at, "expected a name or '{'");
    if (p->panic || !mf_enter(p)) return false;
    mf_symbol *old = name != NULL ? known_record(p, name, body) : NULL;
    mf_type *t = NULL;
    mf_record *r = NULL;
    bool same = old != NULL && old->kind == MF_SYM_TYPE && old->type.type->kind == MF_TYPE_RECORD;
    if (same && !(body && old->type.type->record->complete)) {
        out->type = old->type.type;
        r = out->type->record;
        t = r->own_type;
    } else {
        if (old != NULL) {
            diag_error(p->diags, at, "'%.*s' is already declared in this scope",
                       STR_ARG(name->text));
            diag_note(p->diags, old->at, "it was declared here");
        }
        r = new_record(p, is_union, name, at, &t);
        r->own_type = t;
        out->type = t;
        if (name != NULL && old == NULL)
            mf_add_symbol(p, p->scope, MF_SYM_TYPE, name, at)->type = *out;
    }
    if (body) {
        mf_advance(p);
        parse_body(p, r, t);
    }
    mf_leave(p);
    return !p->panic;
}

/* Enumerations */

VEC_DECLARE(enumerators, mf_enumerator)

/* The values of an enumeration's items, from "{" on. */
static bool parse_items(mf_parser *p, mf_enum *e, mf_scope *names)
{
    enumerators items = enumerators_none();
    int64_t next = 0;
    while (mf_at(p, MF_TOK_IDENT)) {
        const mf_token *t = mf_cur(p);
        mf_advance(p);
        if (mf_accept(p, MF_TOK_EQ)) {
            mf_expr *v = mf_value(p, mf_parse_ternary(p));
            if (p->panic) return false;
            mf_constant_integer(p, v, "an enumerator's value", INT64_MIN, INT64_MAX, &next);
        }
        enumerators_push(p->mem, &items,
                         (mf_enumerator){.name = t->ident->text, .at = t->at, .value = next});
        mf_symbol *s = mf_find(names, t->ident);
        if (s == NULL) s = mf_add_symbol(p, names, MF_SYM_ENUMERATOR, t->ident, t->at);
        s->type.type = e->type;
        s->value = next;
        if (!e->scoped) {
            mf_symbol *outer = mf_declare(p, MF_SYM_ENUMERATOR, t->ident, t->at);
            if (outer != NULL) outer->type.type = e->type;
            if (outer != NULL) outer->value = next;
        }
        next = (int64_t)((uint64_t)next + 1);
        if (!mf_accept(p, MF_TOK_COMMA)) break;
    }
    e->items = items.at;
    e->item_count = items.n;
    return mf_expect(p, MF_TOK_R_BRACE, "at the end of the enumeration");
}

/* The scalar that holds all items where none is written. */
static mf_scalar storage_of(const mf_enum *e)
{
    bool negative = false, wide = false, beyond_int = false;
    for (size_t i = 0; i < e->item_count; ++i) {
        int64_t v = e->items[i].value;
        negative |= v < 0;
        beyond_int |= v > INT32_MAX;
        wide |= v < INT32_MIN || v > UINT32_MAX;
    }
    if (wide || (negative && beyond_int)) return MF_LONG;
    return beyond_int ? MF_UINT : MF_INT;
}

bool mf_parse_enum(mf_parser *p, mf_qtype *out)
{
    span at = mf_cur(p)->at;
    mf_advance(p);
    mf_enum *e = arena_new(p->mem, mf_enum);
    mf_type *t = arena_new(p->mem, mf_type);
    *t = (mf_type){
        .kind = MF_TYPE_ENUM, .width = 1, .columns = 1, .scalar = MF_INT, .enumeration = e};
    e->scoped = mf_accept(p, MF_KW_CLASS) || mf_accept(p, MF_KW_STRUCT);
    mf_ident *name = NULL;
    if (mf_at(p, MF_TOK_IDENT)) {
        name = mf_cur(p)->ident;
        at = mf_cur(p)->at;
        mf_advance(p);
    }
    e->name = name != NULL ? name->text : (str){0};
    e->at = at;
    e->type = t;
    mf_qtype base = {0};
    if (mf_accept(p, MF_TOK_COLON)) {
        if (!mf_parse_type_id(p, &base)) return false;
        if (!mf_is_integer(base.type) && !mf_is_bool(base.type)) {
            diag_error(p->diags, mf_last(p), "an enumeration is stored as an integer");
            base.type = NULL;
        }
    }
    if (base.type != NULL) t->scalar = base.type->scalar;
    if (!mf_at(p, MF_TOK_L_BRACE)) { /* "enum name": one that is known */
        mf_symbol *known = name != NULL ? known_record(p, name, false) : NULL;
        if (known == NULL || known->kind != MF_SYM_TYPE) {
            mf_syntax(p, at, "expected the items of the enumeration");
            return false;
        }
        *out = known->type;
        return true;
    }
    mf_advance(p);
    mf_scope *names = arena_new(p->mem, mf_scope);
    names->kind = MF_SCOPE_RECORD;
    mf_symbol *s = name != NULL ? mf_declare(p, MF_SYM_TYPE, name, at) : NULL;
    if (s != NULL) s->names = names;
    if (s != NULL) s->type.type = t;
    if (!parse_items(p, e, names)) return false;
    if (base.type == NULL && !e->scoped) t->scalar = storage_of(e);
    e->underlying = mf_scalar_type(t->scalar);
    t->size = t->align = mf_scalar_size(t->scalar);
    out->type = t;
    return true;
}
