/* The library's templates that are called: as_type<T>, make_filled_simdgroup_matrix<T, 8, 8>. */
#include "mslfront/parser.h"

/* "< type [, number]... >"; the numbers are only checked to be constant and given in order. */
static bool template_arguments(mf_parser *p, mf_qtype *type, int64_t *numbers, size_t most)
{
    bool outer = p->no_greater;
    p->no_greater = true;
    bool good =
        mf_expect(p, MF_TOK_LESS, "before the template's arguments") && mf_parse_type_id(p, type);
    for (size_t n = 0; good && mf_accept(p, MF_TOK_COMMA); ++n) {
        mf_expr *e = mf_parse_ternary(p);
        int64_t v = 0;
        good = n < most &&
               mf_constant_integer(p, mf_value(p, e), "a template's argument", 0, INT32_MAX, &v);
        if (n >= most) mf_syntax(p, e->at, "too many template arguments");
        if (good) numbers[n] = v;
    }
    p->no_greater = outer;
    return good && mf_expect(p, MF_TOK_GREATER, "after the template's arguments");
}

static mf_expr *one_argument(mf_parser *p, span begin, const char *what)
{
    mf_exprs args = mf_exprs_none();
    if (!mf_expect(p, MF_TOK_L_PAREN, what) || !mf_parse_arguments(p, &args, MF_TOK_R_PAREN)) {
        return mf_error(p, begin);
    }
    if (args.n == 1) return args.at[0];
    diag_error(p->diags, mf_since(p, begin), "one argument is needed %s", what);
    return mf_error(p, begin);
}

static mf_expr *filled_matrix(mf_parser *p, const mf_ref *name)
{
    mf_qtype type = {0};
    int64_t sides[2] = {8, 8};
    if (!template_arguments(p, &type, sides, 2)) return mf_error(p, name->at);
    mf_expr *value = one_argument(p, name->at, "after 'make_filled_simdgroup_matrix<...>'");
    if (mf_bad(value)) return value;
    span at = mf_since(p, name->at);
    bool shape = mf_is_scalar(type.type) && mf_scalar_is_float(type.type->scalar) &&
                 sides[0] == 8 && sides[1] == 8;
    if (!shape) {
        diag_error(p->diags, at, "a simdgroup matrix is 8 x 8, of half, bfloat or float");
        return mf_error(p, at);
    }
    mf_exprs args = mf_exprs_none();
    mf_exprs_push(p->mem, &args, value);
    mf_match m = {.builtin = name->builtin, .element = type.type->scalar, .width = 1};
    return mf_call_builtin(p, &m, MF_MATH_DEFAULT, &args, at);
}

mf_expr *mf_library_template(mf_parser *p, const mf_ref *name)
{
    if (!name->library && !name->hidden_by_metal && !str_is(name->id->text, "as_type")) return NULL;
    if (!mf_at(p, MF_TOK_LESS) || name->symbol != NULL) return NULL;
    if (name->builtin == MF_FN_MAKE_FILLED_SIMDGROUP_MATRIX) return filled_matrix(p, name);
    if (!str_is(name->id->text, "as_type")) return NULL;
    mf_qtype type = {0};
    if (!template_arguments(p, &type, NULL, 0)) return mf_error(p, name->at);
    mf_expr *value = one_argument(p, name->at, "after 'as_type<...>'");
    return mf_as_type(p, value, type.type, mf_since(p, name->at));
}
