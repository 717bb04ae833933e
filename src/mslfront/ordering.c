/* Which of two function templates is the more special, by deduction: the parameters of one, made of types that nothing else is, are given
 * to the other. The one whose parameters the other takes, while it does not take the other's, says more. */
#include "mslfront/template.h"

/* What a template's parameters are for this: types of their own, numbers that nobody writes. */
static const mf_targs *strangers(mf_parser *p, mf_template *t)
{
    enum { FIRST_NUMBER = 0x5a17001 };
    if (t->strangers != NULL) return t->strangers;
    mf_targs *args = arena_new(p->mem, mf_targs);
    for (size_t i = 0; i < t->param_count; ++i) {
        const mf_tparam *q = &t->params[i];
        mf_targ a = {.kind = MF_TARG_NONE};
        if (q->kind == MF_TPARAM_VALUE)
            a = (mf_targ){.kind = MF_TARG_VALUE, .type = {.type = mf_scalar_type(MF_INT)}, .value = {.i = FIRST_NUMBER + i}};
        if (q->kind == MF_TPARAM_TYPE) {
            mf_record *r = mf_new_record(p, false, q->name != NULL ? q->name->text : STR("(parameter)"), q->at);
            mf_lay_out(r);
            a = (mf_targ){.kind = MF_TARG_TYPE, .type = {.type = r->type}};
        }
        mf_targs_push(p->mem, args, a); /* a pack as one of its elements */
    }
    t->strangers = args;
    return args;
}

/* The type of a parameter for these arguments, without a reference and what is const about the whole; no type where it cannot be made. */
static mf_qtype param_type(mf_parser *p, const mf_template *t, size_t i, const mf_targs *args)
{
    mf_qtype q = {0};
    mf_state old;
    diag_list quiet;
    diag_list *loud = mf_quiet(p, &quiet);
    mf_specs specs;
    mf_declarator d = {0};
    bool good = mf_interrupt(p, &old, t->patterns[i].begin, mf_bind_args(p, t, args), t->at) && mf_parse_specs(p, &specs) &&
                mf_parse_declarator(p, &specs, &d) && !p->panic;
    mf_resume(p, &old);
    good = mf_loud(p, loud) && good && d.type.type != NULL && d.type.type->kind != MF_TYPE_ERROR;
    if (!good) return q;
    q = d.type;
    if (q.type->kind == MF_TYPE_REFERENCE) q = (mf_qtype){q.type->elem, q.type->space, q.type->quals};
    return q;
}

static size_t pattern_of(const mf_template *t, size_t i)
{
    return i < t->pattern_count ? i : t->pattern_count - 1; /* the last one is a pack */
}

/* Whether `b` takes what `a` is for, by its first n parameters; *known is false where that cannot be told. */
static bool takes(mf_parser *p, mf_template *a, mf_template *b, size_t n, bool *known)
{
    const mf_targs *args = strangers(p, a);
    mf_qtype *types = arena_array(p->mem, mf_qtype, n + 1);
    for (size_t i = 0; i < n; ++i) {
        const size_t at = pattern_of(a, i), to = pattern_of(b, i);
        if (a->patterns[at].pack && !b->patterns[to].pack) return false;
        types[i] = param_type(p, a, at, args);
        if (types[i].type == NULL) *known = false;
    }
    mf_targs found;
    if (!*known || !mf_deduce_types(p, b, types, n, &found)) return false;
    for (size_t i = 0; i < n; ++i) {
        const size_t to = pattern_of(b, i);
        if (b->patterns[to].pack) continue;
        const mf_qtype q = param_type(p, b, to, &found);
        if (q.type == NULL) *known = false;
        else if (q.type != types[i].type || (q.quals != types[i].quals && q.space != MF_NO_SPACE)) return false;
    }
    return true;
}

static bool has_pack(const mf_template *t)
{
    return t->pattern_count != 0 && t->patterns[t->pattern_count - 1].pack;
}

int mf_more_special(mf_parser *p, mf_template *a, mf_template *b, size_t n)
{
    const bool packs = has_pack(a) || has_pack(b);
    const bool comparable = (has_pack(a) || n <= a->pattern_count) && (has_pack(b) || n <= b->pattern_count);
    bool known = comparable;
    if (known) {
        const bool b_takes = takes(p, a, b, n, &known), a_takes = known && takes(p, b, a, n, &known);
        if (known && b_takes != a_takes) return b_takes ? -1 : 1;
        if (known && b_takes && packs && has_pack(a) != has_pack(b)) return has_pack(b) ? -1 : 1;
        if (known && !b_takes) return 0;
    }
    return a->weight == b->weight ? 0 : a->weight > b->weight ? -1 : 1; /* by how much they say */
}
