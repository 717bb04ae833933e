/* The library's functions: overloads from their one-letter signatures. */
#include "mslfront/library.h"
#include "mslfront/names.h"
#include "mslfront/parser.h"

/* One parameter of a signature. */
typedef struct param {
    char letter; /* '\0' at the end */
    bool optional;
    int64_t otherwise;
} param;

static param next_param(const char **s)
{
    param r = {.letter = **s};
    if (r.letter == '\0') return r;
    ++*s;
    if (**s != '=') return r;
    r.optional = true;
    for (++*s; **s >= '0' && **s <= '9'; ++*s) {
        /* no letter that is a digit follows a default in the table */
        r.otherwise = r.otherwise * 10 + (**s - '0');
    }
    return r;
}

static mf_scalar unsigned_of(mf_scalar s)
{
    return mf_scalar_class(s) == MF_CLASS_SIGNED ? (mf_scalar)(s + 1) : s;
}

/* The type of a letter that stands for a value; NULL for places and pointers. */
static const mf_type *value_type(char letter, mf_scalar e, unsigned w)
{
    switch (letter) {
    case 'T': return mf_vector_type(e, w);
    case 'E': return mf_scalar_type(e);
    case 'B': return mf_vector_type(MF_BOOL, w);
    case 'I': return mf_vector_type(MF_INT, w);
    case 'D': return mf_vector_type(unsigned_of(e), w);
    case 'M': return mf_simd_matrix_type(e);
    case 'v': return mf_void();
    case 'b': return mf_scalar_type(MF_BOOL);
    case 's': return mf_scalar_type(MF_USHORT);
    case 'i': return mf_scalar_type(MF_INT);
    case 'u': return mf_scalar_type(MF_UINT);
    case 'l': return mf_scalar_type(MF_ULONG);
    case '2': return mf_vector_type(MF_FLOAT, 2);
    case '4': return mf_vector_type(MF_FLOAT, 4);
    case 'x': return mf_vector_type(MF_HALF, 2);
    case 'y': return mf_vector_type(MF_HALF, 4);
    case 'Z': return mf_vector_type(MF_ULONG, 2);
    case 'm': return mf_mem_flags_type();
    case 'o': return mf_memory_order_type();
    case 'c': return mf_thread_scope_type();
    default: return NULL; /* R J N X A a C P W */
    }
}

static mf_rank place_rank(const mf_expr *e, const mf_type *type)
{
    bool part =
        e->kind == MF_EXPR_SWIZZLE || e->kind == MF_EXPR_ELEMENT || e->kind == MF_EXPR_TEMPORARY;
    bool good = e->lvalue && !part && e->type == type && e->space == MF_THREAD && e->quals == 0;
    return good ? MF_EXACT : MF_NO_CONVERSION;
}

enum {
    DEVICE = 1 << MF_DEVICE,
    GROUP = 1 << MF_THREADGROUP,
    CONSTANT = 1 << MF_CONSTANT,
    THREAD = 1 << MF_THREAD
};

/* A pointer or array that points at `to` in one of `spaces`, without any of the qualifiers in
 * `not_quals`. */
static mf_rank pointer_rank(const mf_expr *e, const mf_type *to, unsigned spaces,
                            unsigned not_quals)
{
    const mf_type *t = e->type;
    bool array = t->kind == MF_TYPE_ARRAY && e->lvalue;
    if (!array && t->kind != MF_TYPE_POINTER) return MF_NO_CONVERSION;
    mf_space space = array ? e->space : t->space;
    unsigned quals = array ? e->quals : t->quals;
    bool good = t->elem == to && (spaces >> space & 1) != 0 && (quals & not_quals) == 0;
    return good ? MF_EXACT : MF_NO_CONVERSION;
}

static mf_rank letter_rank(mf_parser *p, const mf_expr *e, char letter, mf_scalar s, unsigned w)
{
    const mf_type *value = value_type(letter, s, w);
    if (value != NULL) return mf_rank_to(p, e, value);
    switch (letter) {
    case 'R': return place_rank(e, mf_vector_type(s, w));
    case 'J': return place_rank(e, mf_vector_type(MF_INT, w));
    case 'N': return place_rank(e, mf_simd_matrix_type(s));
    case 'X': return e->type->kind == MF_TYPE_SIMD_MATRIX ? MF_EXACT : MF_NO_CONVERSION;
    case 'A': return pointer_rank(e, mf_atomic_type(s), DEVICE | GROUP, MF_CONST);
    case 'a': return pointer_rank(e, mf_atomic_type(s), DEVICE | GROUP, 0);
    case 'C': return pointer_rank(e, mf_scalar_type(s), THREAD, MF_CONST);
    case 'P': return pointer_rank(e, mf_scalar_type(s), DEVICE | GROUP | CONSTANT, 0);
    case 'W': return pointer_rank(e, mf_scalar_type(s), DEVICE | GROUP, MF_CONST);
    default: return MF_NO_CONVERSION; /* no other letter is in the table */
    }
}

static bool match_one(mf_parser *p, const mf_builtin_row *row, const mf_exprs *args, mf_match *m)
{
    const bool generic = (row->traits & MF_CROSS_LANE) != 0; /* a template: nothing is converted to what is deduced */
    const char *s = row->signature;
    next_param(&s);
    size_t i = 0;
    for (param q = next_param(&s); q.letter != '\0'; q = next_param(&s)) {
        if (q.letter == '*') return true; /* all that are left, as they are */
        if (i == args->n) return q.optional;
        mf_rank r = letter_rank(p, args->at[i], q.letter, m->element, m->width);
        if (generic && q.letter == 'T' && r != MF_EXACT) r = MF_NO_CONVERSION;
        if (r == MF_NO_CONVERSION) return false;
        m->ranks[i++] = (uint8_t)r;
    }
    return i == args->n;
}

static bool all_exact(const mf_match *m, size_t args)
{
    for (size_t i = 0; i < args; ++i) {
        if (m->ranks[i] != MF_EXACT) return false;
    }
    return true;
}

/* The overload of the first argument's own type, when it takes all arguments as they are: then
 * nothing beats it. */
static bool match_exactly(mf_parser *p, const mf_builtin_row *row, const mf_exprs *args, mf_match *m)
{
    if (args->n == 0) return false;
    const mf_type *t = args->at[0]->type;
    if (!mf_is_scalar(t) && t->kind != MF_TYPE_VECTOR) return false;
    if ((row->elements >> t->scalar & 1) == 0 || (row->widths >> t->width & 1) == 0) return false;
    m->element = t->scalar;
    m->width = t->width;
    return match_one(p, row, args, m) && all_exact(m, args->n);
}

void mf_match_builtin(mf_parser *p, int index, const mf_exprs *args, mf_matches *all)
{
    const mf_builtin_row *row = mf_builtin_info((mf_builtin)index);
    if (args->n > MF_CALL_ARGS) return;
    mf_match m = {.builtin = index, .width = 1, .element = MF_INT};
    if (row->elements == MF_E_NON) {
        if (match_one(p, row, args, &m)) mf_keep_best(p, all, &m, args->n);
        return;
    }
    if (match_exactly(p, row, args, &m)) {
        mf_keep_best(p, all, &m, args->n);
        return;
    }
    for (int e = 0; e < MF_SCALARS; ++e) {
        for (unsigned w = 1; (row->elements >> e & 1) != 0 && w <= 4; ++w) {
            m.element = (mf_scalar)e;
            m.width = w;
            if ((row->widths >> w & 1) != 0 && match_one(p, row, args, &m))
                mf_keep_best(p, all, &m, args->n);
        }
    }
}

static mf_expr *default_argument(mf_parser *p, const param *q, span at)
{
    const mf_type *t = value_type(q->letter, MF_INT, 1);
    if (t->kind == MF_TYPE_VECTOR) return mf_new(p, MF_EXPR_ZERO, at, t);
    return mf_int(p, at, t, q->otherwise);
}

mf_expr *mf_call_builtin(mf_parser *p, const mf_match *m, mf_math math, mf_exprs *args, span at)
{
    const mf_builtin_row *row = mf_builtin_info((mf_builtin)m->builtin);
    if (math != MF_MATH_DEFAULT && (row->traits & MF_MATH) == 0) {
        diag_error(p->diags, at, "'%s' has no fast or precise form", row->name);
        return mf_error(p, at);
    }
    if (!mf_check_function_version(p, str_of(row->name), at)) return mf_error(p, at);
    const char *s = row->signature;
    mf_expr *e =
        mf_new(p, MF_EXPR_BUILTIN, at, value_type(next_param(&s).letter, m->element, m->width));
    e->builtin = (mf_builtin)m->builtin;
    e->math = math;
    e->args = arena_array(p->mem, mf_expr *, MF_CALL_ARGS);
    for (param q = next_param(&s); q.letter != '\0'; q = next_param(&s)) {
        if (q.letter == '*') {
            for (; e->arg_count < args->n; ++e->arg_count) e->args[e->arg_count] = mf_value(p, args->at[e->arg_count]);
            break;
        }
        bool place = q.letter == 'R' || q.letter == 'J' || q.letter == 'N';
        const mf_type *t = value_type(q.letter, m->element, m->width);
        mf_expr *a = e->arg_count < args->n ? args->at[e->arg_count] : default_argument(p, &q, at);
        if (t != NULL) {
            a = mf_convert(p, a, t, "pass");
        } else if (!place) {
            a = mf_value(p, a);
        }
        if (mf_bad(a)) return a;
        e->args[e->arg_count++] = a;
    }
    return mf_finish(p, e);
}

static const char *pattern_text(char letter)
{
    switch (letter) {
    case 'T': return "T";
    case 'E': return "T's element";
    case 'B': return "bool or bool vector";
    case 'I': return "int or int vector";
    case 'D': return "unsigned T";
    case 'R': return "thread T &";
    case 'J': return "thread int or int vector &";
    case 'A': return "volatile device or threadgroup atomic<T> *";
    case 'a': return "const volatile device or threadgroup atomic<T> *";
    case 'C': return "thread T *";
    case 'M': return "simdgroup_matrix<T, 8, 8>";
    case 'N': return "thread simdgroup_matrix<T, 8, 8> &";
    case 'X': return "simdgroup_matrix<U, 8, 8>";
    case 'P': return "const device, threadgroup or constant T *";
    case 'W': return "device or threadgroup T *";
    default: return NULL; /* a fixed type */
    }
}

static void write_letter(mf_parser *p, buf *out, char letter, const mf_match *m)
{
    const mf_type *t =
        value_type(letter, m != NULL ? m->element : MF_INT, m != NULL ? m->width : 1);
    const char *pattern = pattern_text(letter);
    if (pattern != NULL && (m == NULL || t == NULL)) {
        buf_text(out, pattern);
    } else {
        buf_str(out, mf_type_text(p->mem, t));
    }
}

static str write_signature(mf_parser *p, const mf_builtin_row *row, const mf_match *m)
{
    ingot_allocator hook = arena_hook(p->mem);
    buf out = buf_make(&hook);
    const char *s = row->signature;
    write_letter(p, &out, next_param(&s).letter, m);
    buf_printf(&out, " %s(", row->name);
    const char *separator = "";
    for (param q = next_param(&s); q.letter != '\0'; q = next_param(&s)) {
        buf_text(&out, separator);
        write_letter(p, &out, q.letter, m);
        separator = ", ";
    }
    buf_char(&out, ')');
    return str_copy(p->mem, buf_view(&out));
}

str mf_builtin_text(mf_parser *p, const mf_match *m)
{
    return write_signature(p, mf_builtin_info((mf_builtin)m->builtin), m);
}

str mf_builtin_pattern(mf_parser *p, int row)
{
    const mf_builtin_row *r = mf_builtin_info((mf_builtin)row);
    ingot_allocator hook = arena_hook(p->mem);
    buf out = buf_make(&hook);
    buf_str(&out, write_signature(p, r, NULL));
    if (r->elements != MF_E_NON) {
        buf_text(&out, ", T");
        if ((r->widths & MF_W1) == 0) buf_text(&out, " a vector");
        const char *separator = " of ";
        for (int e = 0; e < MF_SCALARS; ++e) {
            if ((r->elements >> e & 1) == 0) continue;
            buf_printf(&out, "%s%s", separator, mf_scalar_name((mf_scalar)e));
            separator = ", ";
        }
    }
    return str_copy(p->mem, buf_view(&out));
}
