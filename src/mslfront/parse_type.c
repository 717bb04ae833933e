/* Types in the text: specifiers, declarators, type names, attributes. */
#include "base/buf.h"
#include "mslfront/library.h"
#include "mslfront/template.h"

static const uint64_t most_elements = (uint64_t)1 << 40;

bool mf_check_object_type(mf_parser *p, const mf_type *t, span at, const char *what)
{
    if (t->kind == MF_TYPE_ERROR) return false;
    const mf_type *base = t;
    while (base->kind == MF_TYPE_ARRAY) base = base->elem;
    bool complete = base->kind != MF_TYPE_RECORD || base->record->complete;
    bool sized = base->kind != MF_TYPE_VOID && base != mf_set_type() &&
                 base->kind != MF_TYPE_REFERENCE;
    if (complete && sized) return true;
    diag_error(p->diags, at, "cannot %s '%.*s'%s", what, STR_ARG(mf_type_text(p->mem, t)),
               sized ? ": it is not complete here" : "");
    return false;
}

/* The library's class templates of types. */
typedef enum generic { NO_GENERIC, VEC, PACKED_VEC, MATRIX, SIMD_MATRIX, ATOMIC } generic;

static generic generic_of(const mf_ref *r)
{
    static const struct {
        const char *name;
        generic kind;
    } generics[] = {{"vec", VEC},
                    {"packed_vec", PACKED_VEC},
                    {"matrix", MATRIX},
                    {"simdgroup_matrix", SIMD_MATRIX},
                    {"atomic", ATOMIC},
                    {"_atomic", ATOMIC}};
    if (r->id == NULL || r->symbol != NULL || !r->library) return NO_GENERIC;
    for (size_t i = 0; i < sizeof generics / sizeof generics[0]; ++i) {
        if (str_is(r->id->text, generics[i].name)) return generics[i].kind;
    }
    return NO_GENERIC;
}

static bool is_type_ref(const mf_ref *r)
{
    if (r->id == NULL) return false;
    if (r->symbol != NULL) return r->symbol->kind == MF_SYM_TYPE;
    return (r->type != NULL && !r->is_constant) || generic_of(r) != NO_GENERIC;
}

/* "coherent" or "coherent(device)" before an address space or another qualifier. */
static bool at_coherent(const mf_parser *p)
{
    if (!mf_at(p, MF_TOK_IDENT) || !str_is(mf_cur(p)->ident->text, "coherent")) return false;
    const mf_token_kind next = mf_ahead(p, 1)->kind;
    return next == MF_KW_DEVICE || next == MF_KW_CONST || next == MF_KW_VOLATILE ||
           (next == MF_TOK_L_PAREN && mf_ahead(p, 3)->kind == MF_TOK_R_PAREN &&
            (mf_ahead(p, 2)->kind == MF_KW_DEVICE || str_is(mf_token_text(mf_ahead(p, 2)), "system")));
}

bool mf_at_type(mf_parser *p)
{
    switch ((int)mf_cur(p)->kind) {
    case MF_KW_ALIGNAS:
    case MF_KW_AUTO:
    case MF_KW_CLASS:
    case MF_KW_CONST:
    case MF_KW_CONSTANT:
    case MF_KW_CONSTEXPR:
    case MF_KW_DECLTYPE:
    case MF_KW_DEVICE:
    case MF_KW_DOUBLE:
    case MF_KW_ENUM:
    case MF_KW_EXTERN:
    case MF_KW_INLINE:
    case MF_KW_KERNEL:
    case MF_KW_MUTABLE:
    case MF_KW_OBJECT_DATA:
    case MF_KW_RAY_DATA:
    case MF_KW_REGISTER:
    case MF_KW_SIGNED:
    case MF_KW_STATIC:
    case MF_KW_STRUCT:
    case MF_KW_THREAD:
    case MF_KW_THREADGROUP:
    case MF_KW_THREADGROUP_IMAGEBLOCK:
    case MF_KW_TYPEDEF:
    case MF_KW_TYPENAME:
    case MF_KW_UNION:
    case MF_KW_UNSIGNED:
    case MF_KW_VOID:
    case MF_KW_VOLATILE: return true;
    case MF_TOK_IDENT:
    case MF_TOK_SCOPE: {
        if (mf_at(p, MF_TOK_IDENT) && (str_is(mf_cur(p)->ident->text, "__extension__") || str_is(mf_cur(p)->ident->text, "__attribute__")))
            return true;
        if (at_coherent(p)) return true;
        mf_ref r = mf_peek_name(p);
        return is_type_ref(&r);
    }
    default: return false; /* no other token begins a type */
    }
}

static bool number_argument(mf_parser *p, const char *what, int64_t low, int64_t high, int64_t *out)
{
    return mf_expect(p, MF_TOK_COMMA, "between the template's arguments") &&
           mf_constant_integer(p, mf_value(p, mf_parse_ternary(p)), what, low, high, out);
}

/* vec<T, 8> and vec<T, 16>: a structure of the library's. */
static const mf_type *wide_vector(mf_parser *p, const mf_type *e, int64_t n, span at)
{
    const mf_symbol *wide = mf_find(p->metal, mf_intern(p->mem, p->idents, STR("__wide_vec")));
    if (n != 8 && n != 16) return NULL;
    mf_targs args = mf_targs_none();
    mf_targs_push(p->mem, &args, (mf_targ){.kind = MF_TARG_TYPE, .type = {.type = e}});
    mf_targs_push(p->mem, &args, (mf_targ){.kind = MF_TARG_VALUE, .type = {.type = mf_scalar_type(MF_INT)}, .value = {.i = (uint64_t)n}});
    const mf_symbol *made = mf_instantiate(p, wide->generic, &args, at);
    return made != NULL ? made->type.type : NULL;
}

static const mf_type *make_generic(mf_parser *p, generic g, const mf_type *e, span at,
                                   const int64_t *n)
{
    bool scalar = mf_is_scalar(e);
    switch (g) {
    case VEC:
        if (scalar && n[0] > 4) return wide_vector(p, e, n[0], at);
        return scalar ? mf_vector_type(e->scalar, (unsigned)n[0]) : NULL;
    case PACKED_VEC:
        return scalar && e->scalar != MF_BOOL ? mf_packed_type(e->scalar, (unsigned)n[0]) : NULL;
    case MATRIX:
        return scalar && mf_scalar_is_float(e->scalar)
                   ? mf_matrix_type(e->scalar, (unsigned)n[0], (unsigned)n[1])
                   : NULL;
    case SIMD_MATRIX:
        if (scalar &&
            !mf_scalar_is_float(e->scalar)) { /* may be named, as long as nothing is one */
            str name = str_format(p->mem, "simdgroup_matrix<%s, 8, 8>", mf_scalar_name(e->scalar));
            return mf_new_record(p, false, name, at)->type;
        }
        return scalar ? mf_simd_matrix_type(e->scalar) : NULL;
    case ATOMIC: return scalar && mf_atomic_allowed(e->scalar) ? mf_atomic_type(e->scalar) : NULL;
    case NO_GENERIC: break;
    }
    mf_syntax(p, at, "not a template of types");
    return NULL;
}

/* "<T, n...>" after the name of one of the library's templates. */
static bool parse_generic(mf_parser *p, const mf_ref *r, generic g, mf_qtype *out)
{
    static const int64_t low[] = {[VEC] = 1, [PACKED_VEC] = 2, [MATRIX] = 2, [SIMD_MATRIX] = 8};
    static const int64_t high[] = {[VEC] = 16, [PACKED_VEC] = 4, [MATRIX] = 4, [SIMD_MATRIX] = 8};
    bool outer = p->no_greater;
    p->no_greater = true;
    mf_qtype e = {0};
    int64_t n[2] = {0};
    bool good =
        mf_expect(p, MF_TOK_LESS, "before the template's arguments") && mf_parse_type_id(p, &e);
    if (good && g != ATOMIC) good = number_argument(p, "a size", low[g], high[g], &n[0]);
    if (good && (g == MATRIX || g == SIMD_MATRIX))
        good = number_argument(p, "a size", low[g], high[g], &n[1]);
    p->no_greater = outer;
    if (!good || !mf_expect(p, MF_TOK_GREATER, "after the template's arguments")) return false;
    out->type = make_generic(p, g, e.type, mf_since(p, r->at), n);
    if (out->type != NULL) return true;
    diag_error(p->diags, mf_since(p, r->at), "'%.*s' of '%.*s' does not exist",
               STR_ARG(r->id->text), STR_ARG(mf_type_text(p->mem, e.type)));
    out->type = mf_error_type();
    return true;
}

bool mf_parse_named_type(mf_parser *p, mf_qtype *out)
{
    if (!mf_at(p, MF_TOK_IDENT) && !mf_at(p, MF_TOK_SCOPE)) return false;
    mf_ref peeked = mf_peek_name(p);
    if (!is_type_ref(&peeked)) return false;
    mf_ref r = mf_resolve(p);
    if (r.id == NULL) return false;
    generic g = generic_of(&r);
    if (g != NO_GENERIC) {
        const bool good = parse_generic(p, &r, g, out);
        if (good && !mf_check_type_version(p, out->type, r.at)) out->type = mf_error_type();
        return good;
    }
    *out = r.symbol != NULL ? r.symbol->type : (mf_qtype){.type = r.type};
    if (r.symbol == NULL && !mf_check_type_version(p, r.type, r.at)) out->type = mf_error_type();
    return true;
}

/* Specifiers */

/* The words of the integer types, counted. */
typedef struct words {
    int is_signed, is_unsigned, is_long, is_short, is_int, is_char;
} words;

static bool take_word(mf_parser *p, words *w)
{
    const mf_token *t = mf_cur(p);
    if (t->kind == MF_KW_SIGNED) return ++w->is_signed;
    if (t->kind == MF_KW_UNSIGNED) return ++w->is_unsigned;
    if (t->kind != MF_TOK_IDENT || t->ident->type == NULL || mf_ahead(p, 1)->kind == MF_TOK_SCOPE)
        return false;
    if (str_is(t->ident->text, "long")) return ++w->is_long;
    if (str_is(t->ident->text, "short")) return ++w->is_short;
    if (str_is(t->ident->text, "int")) return ++w->is_int;
    if (str_is(t->ident->text, "char")) return ++w->is_char;
    return false;
}

static const mf_type *type_of_words(mf_parser *p, const words *w, span at)
{
    bool u = w->is_unsigned != 0;
    bool clash = (u && w->is_signed != 0) || w->is_long + w->is_short + w->is_char > 1 ||
                 (w->is_char != 0 && w->is_int != 0) || w->is_int > 1 || w->is_unsigned > 1 ||
                 w->is_signed > 1;
    if (w->is_long > 1) {
        diag_error(p->diags, at, "'long long' does not exist in MSL; 'long' has 64 bits");
        return mf_error_type();
    }
    if (clash) {
        diag_error(p->diags, at, "these words make no type together");
        return mf_error_type();
    }
    if (w->is_long != 0) return mf_scalar_type(u ? MF_ULONG : MF_LONG);
    if (w->is_short != 0) return mf_scalar_type(u ? MF_USHORT : MF_SHORT);
    if (w->is_char != 0) return mf_scalar_type(u ? MF_UCHAR : MF_CHAR);
    return mf_scalar_type(u ? MF_UINT : MF_INT);
}

static void set_space(mf_parser *p, mf_qtype *q, mf_space space, span at)
{
    if (q->space == MF_NO_SPACE || q->space == MF_THREAD) {
        q->space = space; /* "thread" is what there is without another: it may stand beside one */
        return;
    }
    if (space != MF_THREAD && q->space != space) {
        diag_error(p->diags, at, "two address spaces: '%s' and '%s'", mf_space_name(q->space),
                   mf_space_name(space));
    }
}

/* const, volatile and address spaces; true when the token was one. */
static bool take_qualifier(mf_parser *p, mf_qtype *q)
{
    const mf_token *t = mf_cur(p);
    switch ((int)t->kind) {
    case MF_KW_CONST: q->quals |= MF_CONST; break;
    case MF_KW_VOLATILE: q->quals |= MF_VOLATILE; break;
    case MF_KW_RESTRICT: break;
    case MF_KW_DEVICE: set_space(p, q, MF_DEVICE, t->at); break;
    case MF_KW_CONSTANT: set_space(p, q, MF_CONSTANT, t->at); break;
    case MF_KW_THREAD: set_space(p, q, MF_THREAD, t->at); break;
    case MF_KW_THREADGROUP: set_space(p, q, MF_THREADGROUP, t->at); break;
    case MF_KW_THREADGROUP_IMAGEBLOCK:
    case MF_KW_OBJECT_DATA:
    case MF_KW_RAY_DATA:
        diag_unsupported(p->diags, t->at, "the address space %s is not supported",
                         mf_token_name(t->kind));
        break;
    case MF_TOK_IDENT:
        if (at_coherent(p)) { /* memory is coherent here in any case */
            const bool scope = mf_ahead(p, 1)->kind == MF_TOK_L_PAREN;
            p->at = scope ? mf_skip_balanced(p, p->at + 1) : p->at + 1;
            return true;
        }
        if (str_is(t->ident->text, "__extension__")) break;
        if (!str_is(t->ident->text, "__restrict") && !str_is(t->ident->text, "__restrict__"))
            return false;
        break;
    default: return false; /* no qualifier */
    }
    mf_advance(p);
    return true;
}

static bool take_storage(mf_parser *p, mf_specs *s)
{
    const mf_token *t = mf_cur(p);
    switch ((int)t->kind) {
    case MF_KW_STATIC: s->is_static = true; break;
    case MF_KW_INLINE: s->is_inline = true; break;
    case MF_KW_EXTERN: s->is_extern = true; break;
    case MF_KW_CONSTEXPR: s->is_constexpr = true; break;
    case MF_KW_TYPEDEF: s->is_typedef = true; break;
    case MF_KW_KERNEL: s->is_kernel = true; break;
    case MF_KW_TYPENAME: break;
    case MF_KW_EXPLICIT: s->is_explicit = true; break;
    case MF_KW_MUTABLE:
    case MF_KW_REGISTER:
        diag_unsupported(p->diags, t->at, "%s is not supported", mf_token_name(t->kind));
        break;
    default: return false; /* no storage word */
    }
    mf_advance(p);
    return true;
}

/* "(n)" behind alignas or an attribute: n, or a type's alignment; a power of two. */
static void read_alignment(mf_parser *p, span begin, mf_specs *out)
{
    int64_t n = 0;
    if (mf_at_type(p)) {
        mf_qtype type = {0};
        if (!mf_parse_type_id(p, &type)) return;
        n = type.type->align;
    } else {
        mf_expr *e = mf_value(p, mf_parse_ternary(p));
        if (p->panic || !mf_constant_integer(p, e, "an alignment", 0, 256, &n)) n = 0;
    }
    if (!mf_expect(p, MF_TOK_R_PAREN, "after the alignment")) return;
    out->align_at = mf_since(p, begin);
    if ((n & (n - 1)) != 0) diag_error(p->diags, out->align_at, "an alignment is a power of two");
    if (n > out->align) out->align = (uint32_t)n;
}

/* alignas(n) or alignas(type); 0 says nothing, as C++ has it. */
bool mf_take_alignas(mf_parser *p, mf_specs *out)
{
    if (!mf_at(p, MF_KW_ALIGNAS)) return false;
    span begin = mf_cur(p)->at;
    mf_advance(p);
    if (mf_expect(p, MF_TOK_L_PAREN, "after 'alignas'")) read_alignment(p, begin, out);
    return true;
}

/* __attribute__((name)): an alignment, and those that change nothing here. */
bool mf_take_gnu_attribute(mf_parser *p, mf_specs *out)
{
    static const char *const harmless[] = {
        "always_inline", "__always_inline__", "noinline",    "__noinline__",
        "unused",        "__unused__",        "flatten",     "pure",
        "const",         "nothrow",           "overloadable"};
    enum { LARGEST = 16 }; /* what "aligned" without a number means */
    if (!mf_at(p, MF_TOK_IDENT) || !str_is(mf_cur(p)->ident->text, "__attribute__")) return false;
    mf_advance(p);
    bool good = mf_expect(p, MF_TOK_L_PAREN, "after '__attribute__'") &&
                mf_expect(p, MF_TOK_L_PAREN, "after '__attribute__('");
    while (good && !mf_at(p, MF_TOK_R_PAREN)) {
        const mf_token *t = mf_cur(p);
        const str name = mf_token_text(t);
        const bool aligned = str_is(name, "aligned") || str_is(name, "__aligned__");
        bool known = aligned;
        for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; ++i) {
            known |= str_is(name, harmless[i]);
        }
        if (!known) {
            mf_unsupported(p, t->at, "the attribute '%.*s' is not supported", STR_ARG(name));
            return true;
        }
        mf_advance(p);
        if (aligned && mf_accept(p, MF_TOK_L_PAREN)) {
            read_alignment(p, t->at, out);
        } else if (aligned) {
            out->align = out->align > LARGEST ? out->align : LARGEST;
            out->align_at = t->at;
        }
        if (!mf_accept(p, MF_TOK_COMMA)) break;
    }
    if (good && mf_expect(p, MF_TOK_R_PAREN, "after the attribute")) mf_expect(p, MF_TOK_R_PAREN, "after the attribute");
    return true;
}

static bool at_attributes(const mf_parser *p)
{
    return mf_at(p, MF_TOK_L_SQUARE) && mf_ahead(p, 1)->kind == MF_TOK_L_SQUARE;
}

/* "name [<...>] )": false, nothing moved, where more follows. */
static bool decltype_of_function(mf_parser *p)
{
    size_t before = p->at;
    mf_resolve(p);
    if (mf_at(p, MF_TOK_LESS)) p->at = mf_skip_angles(p, p->at);
    if (mf_accept(p, MF_TOK_R_PAREN)) return true;
    p->at = before;
    return false;
}

static bool parse_decltype(mf_parser *p, mf_qtype *out)
{
    mf_advance(p);
    if (!mf_expect(p, MF_TOK_L_PAREN, "after 'decltype'")) return false;
    if (mf_at(p, MF_TOK_IDENT) ||
        mf_at(p, MF_TOK_SCOPE)) { /* of a function: only ever to instantiate it */
        mf_ref r = mf_peek_name(p);
        if (r.symbol != NULL && r.symbol->kind == MF_SYM_FUNCTION && decltype_of_function(p)) {
            out->type = mf_function_type(&p->types, mf_void(), NULL, 0);
            return true;
        }
    }
    bool outer = p->unevaluated;
    p->unevaluated = true;
    mf_expr *e = mf_parse_expr(p);
    p->unevaluated = outer;
    if (!mf_expect(p, MF_TOK_R_PAREN, "after 'decltype(...'")) return false;
    bool name = e->kind == MF_EXPR_VAR || e->kind == MF_EXPR_MEMBER || !e->lvalue;
    if (!name && !mf_bad(e)) {
        diag_unsupported(p->diags, e->at,
                         "decltype of a place that is no name would be a reference: not supported");
        out->type = mf_error_type();
        return true;
    }
    out->type = e->kind == MF_EXPR_VAR ? e->var->type : e->type;
    out->quals |= e->kind == MF_EXPR_VAR ? e->var->quals : 0;
    return true;
}

/* The type itself; false where the cursor stands at none. */
static bool take_type(mf_parser *p, mf_specs *s)
{
    const mf_token *t = mf_cur(p);
    mf_qtype named = {0};
    switch ((int)t->kind) {
    case MF_KW_VOID:
        s->type.type = mf_void();
        mf_advance(p);
        return true;
    case MF_KW_AUTO:
        s->is_auto = true;
        s->type.type = mf_error_type();
        mf_advance(p);
        return true;
    case MF_KW_DOUBLE:
        diag_error(p->diags, t->at, "'double' does not exist in MSL");
        s->type.type = mf_error_type();
        mf_advance(p);
        return true;
    case MF_KW_DECLTYPE: return parse_decltype(p, &s->type);
    case MF_KW_STRUCT:
    case MF_KW_CLASS:
    case MF_KW_UNION:
        s->has_record = true;
        if (!mf_parse_record(p, &named)) return false;
        break;
    case MF_KW_ENUM:
        s->has_record = true;
        if (!mf_parse_enum(p, &named)) return false;
        break;
    default:
        if (!mf_parse_named_type(p, &named)) return false;
        break;
    }
    s->type.type = named.type;
    s->type.quals |= named.quals;
    if (named.space != MF_NO_SPACE) set_space(p, &s->type, named.space, t->at);
    return true;
}

void mf_refuse_alignas(mf_parser *p, const mf_specs *specs)
{
    if (specs->align != 0)
        diag_error(p->diags, specs->align_at, "an alignment belongs to a variable, a member or a struct");
}

static void not_a_type(mf_parser *p)
{
    if (!mf_at(p, MF_TOK_IDENT)) {
        mf_syntax(p, mf_cur(p)->at, "expected a type");
        return;
    }
    static const char *const refused[] = {"visible_function_table", "intersection_function_table", "acceleration_structure",
                                          "instance_acceleration_structure", "primitive_acceleration_structure", "imageblock", "tensor",
                                          "command_buffer", "compute_pipeline_state", "render_pipeline_state", "patch_control_point"};
    mf_ref r = mf_resolve(p);
    if (r.id == NULL) return;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; ++i) {
        if (!str_is(r.id->text, refused[i])) continue;
        mf_unsupported(p, r.at, "'%s' is not supported", refused[i]);
        return;
    }
    mf_syntax(p, r.at, "'%.*s' is not a type%s", STR_ARG(r.id->text),
              r.hidden_by_metal ? "; namespace metal has one" : "");
}

/* A constructor's name, or "operator type", where the type of a member would stand. */
static bool take_member_name(mf_parser *p, const mf_record *r, mf_specs *out)
{
    const mf_token *t = mf_cur(p);
    bool own = t->kind == MF_TOK_IDENT && r->own_name == t->ident;
    size_t behind = p->at + 1;
    if (own && p->tokens[behind].kind == MF_TOK_LESS) behind = mf_skip_angles(p, behind); /* S<T>(): as good as S() */
    if (own && p->tokens[behind].kind == MF_TOK_L_PAREN) {
        p->at = behind;
        out->is_constructor = true;
        out->operator_name = t->ident;
        out->operator_at = t->at;
        out->type = (mf_qtype){.type = mf_void()};
        return true;
    }
    if (t->kind != MF_KW_OPERATOR) return false;
    mf_advance(p);
    mf_qtype to = {0};
    if (!mf_parse_type_id(p, &to)) return true;
    out->is_conversion = true;
    out->operator_at = mf_since(p, t->at);
    out->operator_name =
        mf_intern(p->mem, p->idents,
                  str_format(p->mem, "operator %.*s", STR_ARG(mf_type_text(p->mem, to.type))));
    out->type = to;
    return true;
}

bool mf_parse_member_specs(mf_parser *p, const mf_record *r, mf_specs *out)
{
    const mf_record *outer = p->specs_of;
    p->specs_of = r;
    bool good = mf_parse_specs(p, out);
    p->specs_of = outer;
    return good;
}

bool mf_parse_specs(mf_parser *p, mf_specs *out)
{
    const mf_record *record = p->specs_of;
    p->specs_of = NULL;
    *out = (mf_specs){.at = mf_cur(p)->at};
    words w = {0};
    bool worded = false;
    while (!p->panic && !(out->has_record && (mf_at(p, MF_KW_KERNEL) || mf_at(p, MF_KW_INLINE) || mf_at(p, MF_KW_TYPEDEF)))) {
        if (take_qualifier(p, &out->type) || take_storage(p, out) || mf_take_alignas(p, out) ||
            mf_take_gnu_attribute(p, out))
            continue;
        if (at_attributes(p)) {
            if (!mf_parse_attributes(p, &out->attributes)) return false;
            continue;
        }
        if ((out->type.type == NULL || worded) && take_word(p, &w)) {
            worded = true;
            out->type.type = mf_void();
            mf_advance(p);
            continue;
        }
        if (record != NULL && out->type.type == NULL && take_member_name(p, record, out)) break;
        if (out->type.type != NULL || !take_type(p, out)) break;
    }
    if (p->panic) return false;
    if (worded) out->type.type = type_of_words(p, &w, mf_since(p, out->at));
    if (out->type.type != NULL) return true;
    not_a_type(p);
    return false;
}

/* A literal's characters; a backslash before a quote or another backslash only marks it. */
static void attribute_text(buf *out, str literal)
{
    for (size_t i = 0; i < literal.n; ++i) {
        bool mark = literal.p[i] == '\\' && i + 1 < literal.n && (literal.p[i + 1] == '"' || literal.p[i + 1] == '\\');
        if (mark) ++i;
        buf_char(out, literal.p[i]);
    }
}

/* Attributes */

static bool parse_attribute(mf_parser *p, mf_attributes *out)
{
    const mf_token *t = mf_cur(p);
    mf_attribute a = {.name = t->ident, .at = t->at};
    if (t->ident == NULL) {
        mf_syntax(p, t->at, "expected the name of an attribute");
        return false;
    }
    mf_advance(p);
    if (mf_accept(p, MF_TOK_SCOPE)) { /* clang::name, gnu::name */
        if (mf_cur(p)->ident == NULL) return mf_expect(p, MF_TOK_IDENT, "after '::'");
        a.name = mf_cur(p)->ident;
        mf_advance(p);
    }
    if (mf_accept(p, MF_TOK_L_PAREN)) {
        if (mf_at(p, MF_TOK_STRING)) {
            ingot_allocator hook = arena_hook(p->mem);
            buf text = buf_make(&hook);
            for (; mf_at(p, MF_TOK_STRING); mf_advance(p)) /* literals side by side are one */
                attribute_text(&text, (str){mf_cur(p)->p + 1, mf_cur(p)->n >= 2 ? mf_cur(p)->n - 2 : 0});
            a.text = str_copy(p->mem, buf_view(&text));
        } else if (mf_at(p, MF_TOK_IDENT) && (str_is(a.name->text, "user") || str_is(a.name->text, "depth"))) {
            mf_advance(p); /* a name of its own kind */
        } else {
            mf_expr *e = mf_value(p, mf_parse_ternary(p));
            mf_constant c;
            bool named = str_is(a.name->text, "function_constant") && !mf_bad(e) && !mf_fold(e, &c);
            a.has_number =
                !named && !p->panic &&
                mf_constant_integer(p, e, "an attribute's number", 0, INT32_MAX, &a.number);
            if (!a.has_number && !p->panic) a.number = 0;
            while (!p->panic && mf_accept(p, MF_TOK_COMMA)) (void)mf_parse_ternary(p); /* of those that take several, which are refused by name */
        }
        if (!mf_expect(p, MF_TOK_R_PAREN, "after the attribute's number")) return false;
    }
    a.at = mf_since(p, a.at);
    mf_attributes_push(p->mem, out, a);
    return true;
}

bool mf_parse_attributes(mf_parser *p, mf_attributes *out)
{
    while (at_attributes(p)) {
        p->at += 2;
        do {
            if (!parse_attribute(p, out)) return false;
        } while (mf_accept(p, MF_TOK_COMMA) || mf_at(p, MF_TOK_IDENT)); /* [[color(0) index(1)]] needs no comma */
        if (!mf_expect(p, MF_TOK_R_SQUARE, "after the attribute") ||
            !mf_expect(p, MF_TOK_R_SQUARE, "after the attribute")) {
            return false;
        }
    }
    return true;
}

/* Declarators */

static bool pointer_to(mf_parser *p, mf_qtype *q, bool reference, span at)
{
    const mf_type *t = q->type;
    if (t->kind == MF_TYPE_FUNCTION && q->space == MF_NO_SPACE && !reference) return true; /* "name *" of a type of functions */
    const char *what = reference ? "reference" : "pointer";
    const mf_type *innermost = t;
    while (reference && innermost->kind == MF_TYPE_ARRAY) innermost = innermost->elem;
    if (innermost->kind == MF_TYPE_POINTER && q->space == MF_NO_SPACE)
        q->space = MF_THREAD; /* pointers lie there, and arrays of them that are referred to */
    if (t->kind == MF_TYPE_REFERENCE && reference) {
        /* of a template's argument: they collapse */
    } else if (t->kind == MF_TYPE_REFERENCE) {
        diag_error(p->diags, at, "a %s to a reference does not exist", what);
        q->type = mf_error_type();
    } else if (t->kind != MF_TYPE_ERROR && q->space == MF_NO_SPACE) {
        diag_error(p->diags, at,
                   "a %s needs an address space: device, constant, threadgroup or thread", what);
        q->type = mf_error_type();
    } else if (reference && t->kind == MF_TYPE_VOID) {
        diag_error(p->diags, at, "a reference to void does not exist");
        q->type = mf_error_type();
    } else if (t->kind != MF_TYPE_ERROR) {
        q->type = reference ? mf_reference_type(&p->types, t, q->space, q->quals)
                            : mf_pointer_type(&p->types, t, q->space, q->quals);
    }
    q->space = MF_NO_SPACE;
    q->quals = 0;
    while (take_qualifier(p, q)) {
    }
    return true;
}

/* "[n][m]..." after a name; the first length may be left open. */
static bool array_of(mf_parser *p, mf_qtype *q)
{
    if (at_attributes(p)) { /* "name [[id(n)]] [m]": the length stands behind them too */
        size_t behind = mf_skip_balanced(p, p->at);
        bool length = p->tokens[behind].kind == MF_TOK_L_SQUARE &&
                      p->tokens[behind + 1].kind != MF_TOK_L_SQUARE;
        if (length && str_is(mf_token_text(mf_ahead(p, 2)), "id")) p->at = behind;
    }
    if (!mf_at(p, MF_TOK_L_SQUARE) || at_attributes(p)) return true;
    if (!mf_enter(p)) return false;
    span begin = mf_cur(p)->at;
    mf_advance(p);
    int64_t n = 0;
    bool open = mf_at(p, MF_TOK_R_SQUARE), good = true;
    if (!open) {
        mf_expr *e = mf_value(p, mf_parse_ternary(p));
        good = !p->panic &&
               mf_constant_integer(p, e, "an array's length", 1, (int64_t)most_elements, &n);
    }
    bool closed = mf_expect(p, MF_TOK_R_SQUARE, "after the array's length") && array_of(p, q);
    mf_leave(p);
    if (!closed) return false;
    const mf_type *t = q->type;
    bool inner_open = t->kind == MF_TYPE_ARRAY && t->count == 0;
    if (good && t->kind != MF_TYPE_ERROR) {
        good = mf_check_object_type(p, t, mf_since(p, begin), "have an array of");
        if (good && inner_open)
            diag_error(p->diags, begin, "only the first length of an array may be left open");
        good = good && !inner_open;
        q->type = good ? mf_array_type(&p->types, t, (uint64_t)n) : mf_error_type();
        if (q->type == NULL) diag_error(p->diags, mf_since(p, begin), "the array is too large");
    }
    if (!good || q->type == NULL) q->type = mf_error_type();
    return true;
}

/* Whether "(" here begins a nested declarator, "(*name)", rather than parameters or an initialiser.
 */
static bool at_nested(const mf_parser *p)
{
    if (!mf_at(p, MF_TOK_L_PAREN)) return false;
    mf_token_kind k = mf_ahead(p, 1)->kind;
    if (k != MF_TOK_STAR && k != MF_TOK_AMP) return false;
    size_t n = 2;
    while (mf_ahead(p, n)->kind == MF_TOK_STAR || mf_ahead(p, n)->kind == MF_KW_CONST ||
           mf_ahead(p, n)->kind == MF_KW_THREAD) {
        ++n;
    }
    if (mf_ahead(p, n)->kind == MF_TOK_IDENT) ++n;
    mf_token_kind after = mf_ahead(p, n)->kind;
    if (after != MF_TOK_R_PAREN) return after == MF_TOK_L_SQUARE;
    mf_token_kind end = mf_ahead(p, n + 1)->kind;
    return end == MF_TOK_L_SQUARE || end == MF_TOK_L_PAREN;
}

static size_t matching_paren(const mf_parser *p)
{
    size_t n = 0;
    unsigned depth = 0;
    for (;; ++n) {
        mf_token_kind k = mf_ahead(p, n)->kind;
        if (k == MF_TOK_END) return n;
        if (k == MF_TOK_L_PAREN) ++depth;
        if (k == MF_TOK_R_PAREN && --depth == 0) return n;
    }
}

static bool declarator(mf_parser *p, mf_qtype base, mf_declarator *out);

/* "( * name [n] ) [m]": what stands behind it is read first. */
static bool nested(mf_parser *p, mf_qtype base, mf_declarator *out)
{
    size_t inside = p->at + 1, close = p->at + matching_paren(p);
    if (p->tokens[close].kind == MF_TOK_END) {
        mf_syntax(p, mf_cur(p)->at, "this '(' is not closed");
        return false;
    }
    p->at = close + 1;
    const bool function = mf_at(p, MF_TOK_L_PAREN); /* "(*name)(types)": the type itself stands for pointers to it */
    if (function) {
        mf_exprs params = mf_exprs_none();
        if (!mf_read_types(p, &params)) return false;
        mf_accept(p, MF_KW_NOEXCEPT);
        base = (mf_qtype){.type = mf_type_of_function(p, base.type, &params)};
    } else if (!array_of(p, &base)) {
        return false;
    }
    size_t end = p->at;
    p->at = function ? inside + 1 : inside;
    bool good = declarator(p, base, out);
    if (good && p->at != close)
        mf_syntax(p, mf_cur(p)->at, "unexpected %s in a declaration",
                  mf_token_name(mf_cur(p)->kind));
    if (!good || p->at != close) return false;
    p->at = end;
    return true;
}

/* A word of the language where a declaration's name would stand. */
static bool at_reserved_name(const mf_parser *p)
{
    const mf_token *t = mf_cur(p);
    const mf_token_kind next = mf_ahead(p, 1)->kind;
    const bool ends = next == MF_TOK_COMMA || next == MF_TOK_SEMI || next == MF_TOK_EQ || next == MF_TOK_R_PAREN || next == MF_TOK_L_SQUARE;
    return t->ident != NULL && t->kind != MF_TOK_IDENT && t->kind != MF_KW_OPERATOR && ends;
}

static bool declarator(mf_parser *p, mf_qtype base, mf_declarator *out)
{
    while (take_qualifier(p, &base)) { /* "float const *" has them after the type */
    }
    while (mf_at(p, MF_TOK_STAR) || mf_at(p, MF_TOK_AMP)) {
        bool reference = mf_at(p, MF_TOK_AMP);
        span at = mf_cur(p)->at;
        mf_advance(p);
        pointer_to(p, &base, reference, at);
    }
    if (mf_at(p, MF_TOK_AMP_AMP)) {
        mf_unsupported(p, mf_cur(p)->at, "references to values (&&) are not supported");
        return false;
    }
    if (at_nested(p)) {
        if (!mf_enter(p)) return false;
        bool good = nested(p, base, out);
        mf_leave(p);
        return good;
    }
    out->at = mf_cur(p)->at;
    if (mf_accept(p, MF_TOK_ELLIPSIS)) out->is_pack = true;
    if (mf_at(p, MF_TOK_IDENT)) {
        out->name = mf_cur(p)->ident;
        mf_advance(p);
    } else if (at_reserved_name(p)) {
        mf_syntax(p, out->at, "%s is a word of the language and cannot be a name", mf_token_name(mf_cur(p)->kind));
        return false;
    }
    if (!array_of(p, &base)) return false;
    out->type = base;
    return true;
}

bool mf_parse_declarator(mf_parser *p, const mf_specs *specs, mf_declarator *out)
{
    *out = (mf_declarator){0};
    if (specs->is_auto && mf_at(p, MF_TOK_L_SQUARE) && !at_attributes(p)) {
        mf_unsupported(p, mf_cur(p)->at, "structured bindings are not supported here");
        return false;
    }
    return declarator(p, specs->type, out);
}

bool mf_parse_type_id(mf_parser *p, mf_qtype *out)
{
    bool outer = p->no_greater;
    mf_specs specs;
    mf_declarator d;
    if (!mf_parse_specs(p, &specs) || !mf_parse_declarator(p, &specs, &d)) return false;
    p->no_greater = outer;
    *out = d.type;
    if (specs.is_auto && d.type.type->kind == MF_TYPE_ERROR) {
        diag_error(p->diags, specs.at, "'auto' is no type here");
    }
    if (d.name == NULL) return true;
    mf_syntax(p, d.at, "a name stands where only a type is wanted");
    return false;
}

/* Whether the tokens from n on read like a type and then ")". Only names and marks are looked at: a
 * "(" after the name of a type is a conversion, unless it holds nothing but "*". */
static bool closes_type(mf_parser *p)
{
    size_t n = 0;
    unsigned squares = 0, angles = 0;
    for (;; ++n) {
        switch ((int)mf_ahead(p, n)->kind) {
        case MF_TOK_R_PAREN:
            if (squares == 0 && angles == 0) return true;
            if (squares == 0) return false;
            break;
        case MF_TOK_LESS: ++angles; break;
        case MF_TOK_GREATER:
            if (angles != 0) --angles;
            break;
        case MF_TOK_L_SQUARE: ++squares; break;
        case MF_TOK_R_SQUARE:
            if (squares == 0) return false;
            --squares;
            break;
        case MF_TOK_L_PAREN:
            if (squares == 0 && !(mf_ahead(p, n + 1)->kind == MF_TOK_STAR &&
                                  mf_ahead(p, n + 2)->kind == MF_TOK_R_PAREN)) {
                return false;
            }
            if (squares == 0) n += 2;
            break;
        case MF_TOK_COMMA:
            if (angles == 0 && squares == 0) return false;
            break;
        case MF_TOK_L_BRACE:
        case MF_TOK_R_BRACE:
        case MF_TOK_SEMI:
        case MF_TOK_DOT:
        case MF_TOK_EQ:
        case MF_TOK_QUESTION:
        case MF_TOK_END: return false;
        default: break; /* part of a type, or of a constant in it */
        }
    }
}

bool mf_try_cast(mf_parser *p, mf_qtype *out)
{
    size_t begin = p->at;
    mf_advance(p);
    if (mf_at_type(p) && closes_type(p)) {
        if (mf_parse_type_id(p, out) && mf_expect(p, MF_TOK_R_PAREN, "after the type of a cast"))
            return true;
        out->type = mf_error_type();
        return true;
    }
    p->at = begin;
    return false;
}
