/* Structs, unions and enumerations. */
#include "mslfront/template.h"

/* The number of an [[id(n)]]. */
typedef struct mf_var_id {
    uint32_t number;
} mf_var_id;

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
    if (d->type.space != MF_NO_SPACE && d->type.space != MF_THREAD) {
        fault = "a member has no address space of its own: it lies where its struct does";
    }
    if (t->kind == MF_TYPE_ARRAY && t->count == 0) fault = "a member's length must be known";
    if (fault != NULL) {
        diag_error(p->diags, d->at, "%s", fault);
        return false;
    }
    if (d->name != NULL && has_field(fields, d->name->text)) {
        diag_error(p->diags, d->at, "the member '%.*s' is already declared",
                   STR_ARG(d->name->text));
        return false;
    }
    return t->kind == MF_TYPE_REFERENCE || mf_check_object_type(p, t, d->at, "have a member of");
}

static void add_field(mf_parser *p, mf_fields *fields, const mf_specs *specs,
                      const mf_declarator *d, size_t init_at)
{
    mf_field f = {.align = specs->align,
                  .name = d->name != NULL ? d->name->text : (str){0},
                  .at = d->at,
                  .type = d->type.type,
                  .quals = d->type.quals,
                  .init_at = init_at};
    if (f.type->kind == MF_TYPE_REFERENCE) {
        f.type = mf_pointer_type(&p->types, f.type->elem, f.type->space, f.type->quals);
        f.is_reference = true;
    }
    if (specs->align != 0 && specs->align < f.type->align) {
        diag_error(p->diags, specs->align_at,
                   "alignas(%u) is less than the type's own alignment, %u", specs->align,
                   f.type->align);
    }
    mf_fields_push(p->mem, fields, f);
    if (d->name != NULL && mf_find(p->scope, d->name) == NULL)
        mf_add_symbol(p, p->scope, MF_SYM_FIELD, d->name, d->at);
}

/* The fields of an anonymous member are named as the record's own. */
static void name_inner_fields(mf_parser *p, const mf_record *inner)
{
    for (size_t i = 0; i < inner->field_count; ++i) {
        const mf_field *f = &inner->fields[i];
        if (f->name.n == 0 && f->type->kind == MF_TYPE_RECORD) {
            name_inner_fields(p, f->type->record);
        } else if (f->name.n != 0) {
            mf_ident *id = mf_intern(p->mem, p->idents, f->name);
            if (mf_find(p->scope, id) == NULL) mf_add_symbol(p, p->scope, MF_SYM_FIELD, id, f->at);
        }
    }
}

/* A static member: a variable in constant space. */
static void parse_static(mf_parser *p, const mf_specs *specs, mf_declarator *d)
{
    if (!specs->is_constexpr && d->type.space != MF_CONSTANT && (d->type.quals & MF_CONST) == 0)
        diag_error(p->diags, d->at,
                   "a static member must be constexpr or lie in the constant address space");
    d->type.space = MF_CONSTANT;
    mf_symbol *s = mf_declare(p, MF_SYM_VAR, d->name, d->at);
    mf_var *v = mf_parse_global(p, specs, d);
    if (s != NULL) s->var = v;
}

/* What a member is to a vertex or fragment function, which is not read here: it lies where it does all the same. */
static bool is_stage_attribute(str name)
{
    static const char *const names[] = {"attribute", "position", "color", "user", "flat", "center_perspective", "center_no_perspective",
                                        "centroid_perspective", "centroid_no_perspective", "sample_perspective", "sample_no_perspective",
                                        "point_size", "clip_distance", "depth", "stencil", "sample_mask", "invariant", "index", "primitive_id",
                                        "render_target_array_index", "viewport_array_index", "front_facing", "point_coord"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        if (str_is(name, names[i])) return true;
    return false;
}

static bool member_attributes(mf_parser *p, mf_var_id *id)
{
    mf_attributes attributes = mf_attributes_none();
    if (!mf_parse_attributes(p, &attributes)) return false;
    for (size_t i = 0; i < attributes.n; ++i) {
        const mf_attribute *a = &attributes.at[i];
        if (str_is(a->name->text, "maybe_unused")) continue;
        if (str_is(a->name->text, "id") && a->has_number) {
            id->number = (uint32_t)a->number;
            continue;
        }
        if (is_stage_attribute(a->name->text)) continue;
        diag_unsupported(p->diags, a->at, "the attribute '%.*s' of a member is not supported",
                         STR_ARG(a->name->text));
    }
    return true;
}

static bool parse_field(mf_parser *p, mf_fields *fields, const mf_specs *specs, mf_declarator *d)
{
    if (d->name == NULL) {
        mf_syntax(p, mf_cur(p)->at, "expected the name of a member");
        return false;
    }
    if (mf_at(p, MF_TOK_COLON)) {
        mf_unsupported(p, mf_cur(p)->at, "bit fields are not supported");
        return false;
    }
    mf_var_id id = {0};
    if (!member_attributes(p, &id)) return false;
    size_t init_at = 0;
    if (mf_at(p, MF_TOK_EQ) || mf_at(p, MF_TOK_L_BRACE)) {
        init_at = p->at;
        while (!mf_at(p, MF_TOK_COMMA) && !mf_at(p, MF_TOK_SEMI) && !mf_at(p, MF_TOK_END)) {
            bool open =
                mf_at(p, MF_TOK_L_PAREN) || mf_at(p, MF_TOK_L_BRACE) || mf_at(p, MF_TOK_L_SQUARE);
            bool angle = mf_at(p, MF_TOK_IDENT) && mf_ahead(p, 1)->kind == MF_TOK_LESS;
            p->at = open    ? mf_skip_balanced(p, p->at)
                    : angle ? mf_skip_angles(p, p->at + 1)
                            : p->at + 1;
        }
    }
    if (check_field(p, fields, d)) add_field(p, fields, specs, d, init_at);
    return true;
}

/* The members that one declaration names. */
static void parse_members(mf_parser *p, mf_record *r, mf_fields *fields)
{
    mf_specs specs;
    if (!mf_parse_member_specs(p, r, &specs)) return;
    if (specs.is_typedef) {
        mf_parse_typedef(p, &specs);
        return;
    }
    if (specs.is_kernel) {
        mf_syntax(p, specs.at, "a kernel cannot be a member");
        return;
    }
    bool anonymous = specs.has_record && specs.type.type->kind == MF_TYPE_RECORD &&
                     specs.type.type->record->name.n == 0 && mf_at(p, MF_TOK_SEMI);
    if (anonymous) {
        mf_declarator d = {.type = specs.type, .at = specs.at};
        add_field(p, fields, &specs, &d, 0);
        name_inner_fields(p, specs.type.type->record);
    }
    while (!mf_at(p, MF_TOK_SEMI)) {
        mf_declarator d;
        bool named = specs.operator_name == NULL;
        if (named && !mf_parse_declarator(p, &specs, &d)) return;
        bool operator_mark = named && d.name == NULL && mf_at(p, MF_KW_OPERATOR);
        if (operator_mark) {
            mf_specs typed = specs;
            typed.type = d.type;
            if (!mf_parse_function_name(p, &typed, &d)) return;
        }
        if (!named && !mf_parse_function_name(p, &specs, &d)) return;
        if (mf_at(p, MF_TOK_L_PAREN) && d.name != NULL) {
            mf_parse_function(p, &specs, &d);
            return;
        }
        if (specs.is_auto && !specs.is_static) {
            mf_syntax(p, specs.at, "a member cannot be 'auto'");
            return;
        }
        if (specs.is_static && d.name != NULL) {
            parse_static(p, &specs, &d);
        } else if (!parse_field(p, fields, &specs, &d)) {
            return;
        }
        if (p->panic || !mf_accept(p, MF_TOK_COMMA)) break;
    }
    if (!p->panic) mf_expect(p, MF_TOK_SEMI, "after the member");
}

static bool is_access(const mf_parser *p)
{
    mf_token_kind k = mf_cur(p)->kind;
    return k == MF_KW_PUBLIC || k == MF_KW_PRIVATE || k == MF_KW_PROTECTED;
}

void mf_parse_member(mf_parser *p, mf_record *r, mf_fields *fields)
{
    if (mf_accept(p, MF_TOK_SEMI) || mf_parse_common_decl(p)) return;
    if (is_access(p)) { /* everything is accessible here: accepted texts mean the same */
        mf_advance(p);
        mf_expect(p, MF_TOK_COLON, "after the access word");
        return;
    }
    mf_token_kind k = mf_cur(p)->kind;
    if (k == MF_TOK_TILDE) {
        mf_parse_destructor(p);
        return;
    }
    if (k == MF_KW_VIRTUAL) { /* said once; the member is read without it */
        diag_unsupported(p->diags, mf_cur(p)->at, "'virtual' is not supported: no function is chosen by an object's kind at run time in MSL");
        mf_advance(p);
        mf_parse_member(p, r, fields);
        return;
    }
    if (k == MF_KW_FRIEND) {
        mf_unsupported(p, mf_cur(p)->at, "%s is not supported", mf_token_name(k));
        return;
    }
    parse_members(p, r, fields);
}

void mf_lay_out(mf_record *r)
{
    mf_type *t = r->own_type;
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
    r->complete = true;
}

mf_record *mf_new_record(mf_parser *p, bool is_union, str name, span at)
{
    mf_record *r = arena_new(p->mem, mf_record);
    mf_type *t = arena_new(p->mem, mf_type);
    *t = (mf_type){.kind = MF_TYPE_RECORD, .width = 1, .columns = 1, .record = r};
    *r = (mf_record){.name = name, .at = at, .is_union = is_union, .type = t, .own_type = t};
    return r;
}

/* ": public A, B<T>" */
static void parse_bases(mf_parser *p, mf_fields *fields, mf_scope *names)
{
    do {
        mf_advance(p);
        while (is_access(p)) mf_advance(p);
        span at = mf_cur(p)->at;
        mf_qtype q = {0};
        mf_accept(p, MF_KW_TYPENAME);
        if (!mf_parse_named_type(p, &q) || p->panic) {
            if (!p->panic) mf_syntax(p, mf_cur(p)->at, "expected a base class");
            return;
        }
        if (q.type->kind != MF_TYPE_RECORD || !q.type->record->complete ||
            q.type->record->is_union) {
            if (q.type->kind != MF_TYPE_ERROR)
                diag_error(p->diags, at, "'%.*s' cannot be a base",
                           STR_ARG(mf_type_text(p->mem, q.type)));
            continue;
        }
        mf_scope **used = arena_array(p->mem, mf_scope *, names->used_count + 1);
        for (size_t i = 0; i < names->used_count; ++i) used[i] = names->used[i];
        used[names->used_count++] = q.type->record->scope;
        names->used = used;
        if (q.type->record->field_count == 0) continue; /* takes no room */
        mf_fields_push(p->mem, fields, (mf_field){.at = at, .type = q.type, .is_base = true});
    } while (mf_at(p, MF_TOK_COMMA));
}

static bool constructs(const mf_record *r)
{
    for (const mf_candidate *c = r->constructors; c != NULL; c = c->next) {
        if (!c->is_default) return true;
    }
    for (size_t i = 0; i < r->field_count; ++i) {
        const mf_type *t = r->fields[i].type;
        while (t->kind == MF_TYPE_ARRAY) t = t->elem;
        if (r->fields[i].init_at != 0 || (t->kind == MF_TYPE_RECORD && t->record->constructs))
            return true;
    }
    return false;
}

/* The alignment written with the whole. */
static void raise_alignment(mf_record *r)
{
    if (r->own_align <= r->own_type->align) return;
    r->own_type->align = r->own_align;
    r->own_type->size = round_up(r->own_type->size, r->own_align);
}

void mf_parse_record_body(mf_parser *p, mf_record *r)
{
    mf_fields fields = mf_fields_none();
    mf_scope *outer = p->scope;
    mf_scope *names = mf_push_scope(p, MF_SCOPE_RECORD);
    names->record = r;
    names->label = str_format(p->mem, "%.*s%.*s::", STR_ARG(outer->label), STR_ARG(r->name));
    r->scope = names;
    p->scope = outer;
    if (mf_at(p, MF_TOK_COLON)) parse_bases(p, &fields, names);
    p->scope = names;
    if (r->own_name != NULL && r->made_of != NULL) {
        mf_symbol *own = mf_add_symbol(p, names, MF_SYM_TYPE,
                                       mf_intern(p->mem, p->idents, r->own_name->text), r->at);
        own->type.type = r->type;
        own->names = names;
        own->generic = r->made_of;
    }
    if (p->panic || !mf_expect(p, MF_TOK_L_BRACE, "before the members")) {
        p->scope = outer;
        return;
    }
    while (!mf_at(p, MF_TOK_R_BRACE) && !mf_at(p, MF_TOK_END)) {
        size_t before = p->at;
        mf_parse_member(p, r, &fields);
        if (p->panic) mf_recover(p);
        if (p->at == before && !mf_at(p, MF_TOK_R_BRACE)) mf_advance(p);
    }
    p->scope = outer;
    mf_expect(p, MF_TOK_R_BRACE, "at the end of the struct");
    r->fields = fields.at;
    r->field_count = fields.n;
    uint64_t total = 0;
    for (size_t i = 0; i < fields.n; ++i) total += fields.at[i].type->size;
    if (total > (uint64_t)1 << 48) {
        diag_error(p->diags, r->at, "the struct is too large");
        r->field_count = 0;
    }
    mf_lay_out(r);
    raise_alignment(r);
    r->constructs = constructs(r);
    mf_find_destructor(p, r);
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
    mf_specs aligned = {0};
    while (mf_take_alignas(p, &aligned) || mf_take_gnu_attribute(p, &aligned)) {
    }
    mf_ident *name = NULL;
    if (mf_at(p, MF_TOK_IDENT)) {
        name = mf_cur(p)->ident;
        at = mf_cur(p)->at;
        mf_advance(p);
    }
    bool body = mf_at(p, MF_TOK_L_BRACE);
    body |= name != NULL && mf_at(p, MF_TOK_COLON) && mf_ahead(p, 1)->kind != MF_TOK_COLON;
    if (name == NULL && !body && !p->panic) mf_syntax(p, mf_cur(p)->at, "expected a name or '{'");
    if (p->panic || !mf_enter(p)) return false;
    mf_symbol *old = name != NULL ? known_record(p, name, body) : NULL;
    mf_record *r = NULL;
    bool same = old != NULL && (old->kind == MF_SYM_TYPE || old->kind == MF_SYM_FUNCTION) &&
                old->type.type != NULL && old->type.type->kind == MF_TYPE_RECORD;
    if (same && !(body && old->type.type->record->complete)) {
        out->type = old->type.type;
        r = out->type->record;
    } else {
        if (old != NULL) {
            diag_error(p->diags, at, "'%.*s' is already declared in this scope",
                       STR_ARG(name->text));
            diag_note(p->diags, old->at, "it was declared here");
        }
        r = mf_new_record(p, is_union, name != NULL ? name->text : (str){0}, at);
        out->type = r->type;
        if (name != NULL && old == NULL) {
            old = mf_add_symbol(p, p->scope, MF_SYM_TYPE, name, at);
            old->type = *out;
        }
    }
    if (body) {
        r->own_align = aligned.align;
        r->own_name = name;
        mf_parse_record_body(p, r);
        while (!p->panic && mf_take_gnu_attribute(p, &aligned)) r->own_align = aligned.align;
        raise_alignment(r);
        if (old != NULL && old->kind == MF_SYM_TYPE) old->names = r->scope;
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
        if (mf_at(p, MF_TOK_SEMI) && (e->scoped || base.type != NULL)) {
            mf_unsupported(p, at, "an enumeration that is declared before its items is not supported");
            return false;
        }
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
