/* Expressions to nodes. */
#include <string.h>

#include "emu/lower.h"

static val one(lower *l, emu_node *n)
{
    val v = lower_val(l, 1);
    v.at[0] = n;
    return v;
}

emu_node *lower_scalar_of(lower *l, const mf_expr *e)
{
    const val v = lower_eval(l, e);
    return v.n != 0 ? v.at[0] : emu_constant(l->g, EMU_I32, 0);
}

static emu_type scalar_type(const mf_type *t)
{
    return lower_scalar(t->scalar);
}

static bool is_float(emu_type t)
{
    return t >= EMU_F16;
}

/* Arithmetic and comparison of two scalars of one type. */
static emu_node *binary_node(lower *l, mf_op op, emu_type t, emu_node *a, emu_node *b)
{
    emu_graph *g = l->g;
    switch (op) {
    case MF_OP_MUL: return emu_binary(g, EMU_MUL, t, a, b);
    case MF_OP_DIV: return emu_binary(g, EMU_DIV, t, a, b);
    case MF_OP_REM: return emu_binary(g, EMU_REM, t, a, b);
    case MF_OP_ADD: return emu_binary(g, EMU_ADD, t, a, b);
    case MF_OP_SUB: return emu_binary(g, EMU_SUB, t, a, b);
    case MF_OP_SHL: return emu_binary(g, EMU_SHL, t, a, emu_convert(g, t, b));
    case MF_OP_SHR: return emu_binary(g, EMU_SHR, t, a, emu_convert(g, t, b));
    case MF_OP_LT: return emu_binary(g, EMU_LT, t, a, b);
    case MF_OP_GT: return emu_binary(g, EMU_LT, t, b, a);
    case MF_OP_LE: return emu_binary(g, EMU_LE, t, a, b);
    case MF_OP_GE: return emu_binary(g, EMU_LE, t, b, a);
    case MF_OP_EQ: return emu_binary(g, EMU_EQ, t, a, b);
    case MF_OP_NE: return emu_binary(g, EMU_NE, t, a, b);
    case MF_OP_AND: return emu_binary(g, EMU_AND, t, a, b);
    case MF_OP_XOR: return emu_binary(g, EMU_XOR, t, a, b);
    case MF_OP_OR: return emu_binary(g, EMU_OR, t, a, b);
    case MF_OPS: break;
    }
    return a;
}

static val offset_pointer(lower *l, val p, const mf_type *to, emu_node *index, bool back)
{
    emu_graph *g = l->g;
    const int64_t size = to->size == 0 ? 1 : (int64_t)to->size;
    emu_node *bytes = emu_binary(g, EMU_MUL, EMU_I64, emu_convert(g, EMU_I64, index),
                                 emu_constant(g, EMU_I64, back ? -size : size));
    val r = lower_val(l, 2);
    r.at[0] = p.at[0];
    r.at[1] = emu_binary(g, EMU_ADD, EMU_I64, p.at[1], bytes);
    return r;
}

/* Pointers to one object are compared by their offsets, others by where their objects lie. */
static val compare_pointers(lower *l, mf_op op, const mf_type *type, val a, val b)
{
    emu_graph *g = l->g;
    if (a.at[0] == b.at[0]) return one(l, binary_node(l, op, EMU_I64, a.at[1], b.at[1]));
    if (type->space != MF_THREAD)
        return one(l, binary_node(l, op, EMU_U64, lower_address(l, a.at[0], a.at[1]), lower_address(l, b.at[0], b.at[1])));
    if (op != MF_OP_EQ && op != MF_OP_NE) return one(l, binary_node(l, op, EMU_I64, a.at[1], b.at[1]));
    emu_node *r = emu_binary(g, EMU_AND, EMU_BOOL, emu_binary(g, EMU_EQ, EMU_I32, a.at[0], b.at[0]),
                             emu_binary(g, EMU_EQ, EMU_I64, a.at[1], b.at[1]));
    return one(l, op == MF_OP_EQ ? r : emu_not(g, r));
}

/* `type` is that of a; scalars and vectors element by element. */
val lower_binary(lower *l, mf_op op, const mf_type *type, val a, val b, const mf_expr *e)
{
    if (type->kind == MF_TYPE_MATRIX || type->kind == MF_TYPE_SIMD_MATRIX) {
        lower_refuse(l, e->at, "arithmetic on matrices is not supported");
        return a;
    }
    val r = lower_val(l, a.n);
    for (size_t i = 0; i < a.n; ++i) r.at[i] = binary_node(l, op, scalar_type(type), a.at[i], b.at[b.n == 1 ? 0 : i]);
    return r;
}

static val eval_binary(lower *l, const mf_expr *e)
{
    const val a = lower_eval(l, e->a), b = lower_eval(l, e->b);
    const mf_type *ta = e->a->type, *tb = e->b->type;
    l->g->at = e->at;
    if (ta->kind == MF_TYPE_POINTER || ta->kind == MF_TYPE_NULL) {
        const bool sum = e->op == MF_OP_ADD || e->op == MF_OP_SUB;
        if (!sum) return compare_pointers(l, e->op, ta->kind == MF_TYPE_POINTER ? ta : tb, a, b);
        if (tb->kind != MF_TYPE_POINTER) return offset_pointer(l, a, ta->elem, b.at[0], e->op == MF_OP_SUB);
        emu_node *bytes = emu_binary(l->g, EMU_SUB, EMU_I64, a.at[1], b.at[1]);
        const int64_t size = ta->elem->size == 0 ? 1 : (int64_t)ta->elem->size;
        return one(l, emu_binary(l->g, EMU_DIV, EMU_I64, bytes, emu_constant(l->g, EMU_I64, size)));
    }
    return lower_binary(l, e->op, ta, a, b, e);
}

/* Conversions. */

/* The same bits in elements of another number and size, the first element lowest. */
static val bits_as(lower *l, val a, const mf_type *type)
{
    static const emu_type words[9] = {[1] = EMU_U8, [2] = EMU_U16, [4] = EMU_U32, [8] = EMU_U64};
    emu_graph *g = l->g;
    const leaf_list to = lower_leaves(l, type);
    val r = lower_val(l, to.n);
    for (size_t i = 0; i < to.n; ++i) {
        const emu_type word = words[emu_type_size(to.at[i].type)];
        if (a.n <= to.n) { /* part of an element */
            const size_t parts = to.n / a.n;
            const emu_type whole = words[emu_type_size((emu_type)a.at[i / parts]->type)];
            emu_node *x = emu_reinterpret(g, whole, a.at[i / parts]);
            const int64_t shift = (int64_t)(i % parts * 8 * emu_type_size(word));
            x = emu_convert(g, word, emu_binary(g, EMU_SHR, whole, x, emu_constant(g, whole, shift)));
            r.at[i] = emu_reinterpret(g, to.at[i].type, x);
            continue;
        }
        const size_t parts = a.n / to.n;
        emu_node *x = emu_constant(g, word, 0);
        for (size_t k = 0; k < parts; ++k) {
            emu_node *from = a.at[i * parts + k];
            const unsigned size = emu_type_size((emu_type)from->type);
            emu_node *wide = emu_convert(g, word, emu_reinterpret(g, words[size], from));
            x = emu_binary(g, EMU_OR, word, x,
                           emu_binary(g, EMU_SHL, word, wide, emu_constant(g, word, (int64_t)(k * 8 * size))));
        }
        r.at[i] = emu_reinterpret(g, to.at[i].type, x);
    }
    return r;
}

static val eval_cast(lower *l, const mf_expr *e)
{
    emu_graph *g = l->g;
    if (e->cast == MF_CAST_DECAY) {
        const place p = lower_place(l, e->a);
        val r = lower_val(l, 2);
        r.at[0] = p.object;
        r.at[1] = p.offset;
        lower_note_pointed(l, p);
        return r;
    }
    if (e->cast == MF_CAST_TO_VOID) {
        lower_drop(l, e->a);
        return lower_val(l, 0);
    }
    val a = lower_eval(l, e->a);
    g->at = e->at;
    switch (e->cast) {
    case MF_CAST_CONVERT: {
        val r = lower_val(l, a.n);
        for (size_t i = 0; i < a.n; ++i) r.at[i] = emu_convert(g, scalar_type(e->type), a.at[i]);
        return r;
    }
    case MF_CAST_SPLAT: {
        const leaf_list leaves = lower_leaves(l, e->type);
        val r = lower_val(l, leaves.n);
        for (size_t i = 0; i < leaves.n; ++i) r.at[i] = a.at[0];
        return r;
    }
    case MF_CAST_PACK:
    case MF_CAST_POINTER: return a;
    case MF_CAST_BITS: return bits_as(l, a, e->type);
    case MF_CAST_NULL_POINTER: return lower_zero(l, e->type);
    case MF_CAST_POINTER_TO_BOOL:
        if (e->a->type->space == MF_THREAD) return one(l, emu_binary(g, EMU_NE, EMU_I32, a.at[0], emu_constant(g, EMU_I32, 0)));
        return one(l, emu_binary(g, EMU_NE, EMU_U64, lower_address(l, a.at[0], a.at[1]), emu_constant(g, EMU_U64, 0)));
    case MF_CAST_POINTER_TO_INT: return one(l, emu_convert(g, scalar_type(e->type), lower_encode_pointer(l, a.at[0], a.at[1])));
    case MF_CAST_INT_TO_POINTER: {
        val r = lower_val(l, 2);
        lower_decode_pointer(l, emu_convert(g, EMU_U64, a.at[0]), r.at);
        return r;
    }
    case MF_CAST_DECAY:
    case MF_CAST_PLACE:
    case MF_CAST_TO_VOID:
    case MF_CASTS: break;
    }
    return lower_zero(l, e->type);
}

/* Values chosen by control flow. */

static emu_variable **result_variables(lower *l, const mf_type *t)
{
    const leaf_list leaves = lower_leaves(l, t);
    emu_variable **v = arena_array(l->mem, emu_variable *, leaves.n + 1);
    for (size_t i = 0; i < leaves.n; ++i) v[i] = emu_new_variable(l->g, leaves.at[i].type, l->g->region);
    return v;
}

static void set_variables(lower *l, emu_variable **to, val v)
{
    for (size_t i = 0; i < v.n; ++i) emu_set(l->g, to[i], v.at[i]);
}

static val get_variables(lower *l, emu_variable **from, const mf_type *t)
{
    val v = lower_val(l, lower_leaves(l, t).n);
    for (size_t i = 0; i < v.n; ++i) v.at[i] = emu_get(l->g, from[i]);
    return v;
}

/* May a side be evaluated although it is not chosen? Of places only variables in registers. */
static bool cheap_side(const mf_expr *e)
{
    if (!e->lvalue) return lower_is_cheap(e);
    return e->kind == MF_EXPR_VAR && e->space == MF_THREAD && e->type->kind != MF_TYPE_ARRAY &&
           e->type->kind != MF_TYPE_RECORD;
}

/* May anything be computed that the text does not ask for? Not where checks look at values. */
static bool may_hurry(const lower *l)
{
    const unsigned values = 1u << EMU_CHECK_NUMERICS | 1u << EMU_CHECK_UNINITIALISED;
    return (l->shape->checks & values) == 0;
}

/* The value of a choice between two values, or two places. */
static val eval_cond(lower *l, const mf_expr *e)
{
    emu_graph *g = l->g;
    emu_node *c = lower_scalar_of(l, e->a);
    if (emu_is_const(c)) return lower_eval(l, c->imm != 0 ? e->b : e->c);
    if (may_hurry(l) && cheap_side(e->b) && cheap_side(e->c)) {
        const val b = lower_eval(l, e->b), d = lower_eval(l, e->c);
        val r = lower_val(l, b.n);
        for (size_t i = 0; i < b.n && i < d.n; ++i) r.at[i] = emu_select(g, c, b.at[i], d.at[i]);
        return r;
    }
    emu_variable **result = result_variables(l, e->type);
    (void)emu_open(g, EMU_IF_NODE, EMU_REGION_IF, c);
    set_variables(l, result, lower_eval(l, e->b));
    (void)emu_else(g);
    set_variables(l, result, lower_eval(l, e->c));
    emu_close(g, EMU_ENDIF);
    return get_variables(l, result, e->type);
}

static val eval_logic(lower *l, const mf_expr *e)
{
    emu_graph *g = l->g;
    const bool is_and = e->kind == MF_EXPR_AND;
    emu_node *a = lower_scalar_of(l, e->a);
    if (emu_is_const(a)) return (a->imm != 0) == is_and ? lower_eval(l, e->b) : one(l, a);
    if (may_hurry(l) && lower_is_cheap(e->b)) return one(l, emu_binary(g, is_and ? EMU_AND : EMU_OR, EMU_BOOL, a, lower_scalar_of(l, e->b)));
    emu_variable *result = emu_new_variable(g, EMU_BOOL, g->region);
    emu_set(g, result, a);
    (void)emu_open(g, EMU_IF_NODE, EMU_REGION_IF, is_and ? a : emu_not(g, a));
    emu_set(g, result, lower_scalar_of(l, e->b));
    emu_close(g, EMU_ENDIF);
    return one(l, emu_get(g, result));
}

/* Changes of places. */

static val step_value(lower *l, const mf_expr *e, val old)
{
    emu_graph *g = l->g;
    const bool up = e->kind == MF_EXPR_PRE_INC || e->kind == MF_EXPR_POST_INC;
    const mf_type *t = e->a->type;
    if (t->kind == MF_TYPE_POINTER) return offset_pointer(l, old, t->elem, emu_constant(g, EMU_I64, 1), !up);
    const emu_type s = scalar_type(t);
    emu_node *by = is_float(s) ? emu_constant_float(g, s, 1.0) : emu_constant(g, s, 1);
    val r = lower_val(l, old.n);
    for (size_t i = 0; i < old.n; ++i) r.at[i] = emu_binary(g, up ? EMU_ADD : EMU_SUB, s, old.at[i], by);
    return r;
}

static place assign_op(lower *l, const mf_expr *e)
{
    emu_graph *g = l->g;
    const val b = lower_eval(l, e->b);
    const place p = lower_place(l, e->a);
    const val old = lower_read(l, p, e->at);
    const mf_type *t = e->a->type;
    if (t->kind == MF_TYPE_POINTER) {
        lower_write(l, p, offset_pointer(l, old, t->elem, b.at[0], e->op == MF_OP_SUB), e->at);
        return p;
    }
    val x = lower_val(l, old.n);
    for (size_t i = 0; i < old.n; ++i) x.at[i] = emu_convert(g, scalar_type(e->compute), old.at[i]);
    if (e->compute->kind == MF_TYPE_VECTOR && x.n == 1 && b.n > 1) return p;
    const val y = lower_binary(l, e->op, e->compute, x, b, e);
    val r = lower_val(l, old.n);
    for (size_t i = 0; i < old.n; ++i) r.at[i] = emu_convert(g, scalar_type(t), y.at[i]);
    lower_write(l, p, r, e->at);
    return p;
}

/* Elements and parts of values. */

static val eval_element(lower *l, const mf_expr *e)
{
    emu_graph *g = l->g;
    const val a = lower_eval(l, e->a);
    emu_node *index = lower_scalar_of(l, e->b);
    const size_t n = lower_leaves(l, e->type).n, count = n != 0 ? a.n / n : 0;
    val r = lower_val(l, n);
    for (size_t k = 0; k < n; ++k) {
        r.at[k] = a.at[k];
        for (size_t i = 1; i < count; ++i) {
            emu_node *here = emu_binary(g, EMU_EQ, (emu_type)index->type, index,
                                        emu_constant(g, (emu_type)index->type, (int64_t)i));
            r.at[k] = emu_select(g, here, a.at[i * n + k], r.at[k]);
        }
    }
    return r;
}

static val eval_list(lower *l, const mf_expr *e)
{
    const leaf_list leaves = lower_leaves(l, e->type);
    val r = lower_val(l, leaves.n);
    size_t at = 0;
    for (uint32_t i = 0; i < e->arg_count; ++i) {
        const val v = lower_eval(l, e->args[i]);
        for (size_t k = 0; k < v.n && at < r.n; ++k) r.at[at++] = v.at[k];
    }
    for (; at < r.n; ++at) r.at[at] = emu_constant(l->g, leaves.at[at].type, 0);
    return r;
}

/* A union's first field gives its bytes: through a variable of the union's type. */
static val eval_union(lower *l, const mf_expr *e)
{
    const place p = lower_local_place(l, lower_local(l, e, STR("union"), e->type));
    lower_write(l, p, lower_zero(l, e->type), e->at);
    if (e->arg_count != 0) lower_write(l, lower_field(l, p, e->args[0]->type, 0), lower_eval(l, e->args[0]), e->at);
    return lower_read(l, p, e->at);
}

static val eval_construct(lower *l, const mf_expr *e)
{
    if (e->type->kind != MF_TYPE_SIMD_MATRIX) return eval_list(l, e);
    emu_graph *g = l->g; /* the scalar on the diagonal */
    emu_node *v = lower_scalar_of(l, e->args[0]), *row, *column;
    lower_matrix_place(l, &row, &column);
    val r = lower_val(l, 2);
    for (uint32_t k = 0; k < 2; ++k) {
        emu_node *at = emu_binary(g, EMU_ADD, EMU_U32, column, emu_constant(g, EMU_U32, k));
        r.at[k] = emu_select(g, emu_binary(g, EMU_EQ, EMU_U32, row, at), v, emu_constant(g, (emu_type)v->type, 0));
    }
    return r;
}

static emu_node *constant_of(lower *l, const mf_type *t, mf_constant c)
{
    const emu_type s = scalar_type(t);
    return is_float(s) ? emu_constant_float(l->g, s, c.f) : emu_constant(l->g, s, (int64_t)c.i);
}

static val negated(lower *l, const mf_expr *e)
{
    emu_graph *g = l->g;
    static const int64_t signs[EMU_TYPES] = {[EMU_F16] = 0x8000, [EMU_BF16] = 0x8000, [EMU_F32] = 0x80000000};
    const val a = lower_eval(l, e->a);
    const emu_type t = scalar_type(e->type);
    val r = lower_val(l, a.n);
    for (size_t i = 0; i < a.n; ++i) {
        emu_node *x = a.at[i];
        if (!is_float(t)) r.at[i] = emu_binary(g, EMU_SUB, t, emu_constant(g, t, 0), x);
        else if (emu_is_const(x)) r.at[i] = emu_constant(g, t, x->imm ^ signs[t]);
        else r.at[i] = emu_binary(g, EMU_XOR, t, x, emu_constant(g, t, signs[t]));
    }
    return r;
}

static val eval_value(lower *l, const mf_expr *e)
{
    emu_graph *g = l->g;
    switch (e->kind) {
    case MF_EXPR_CONST: return one(l, constant_of(l, e->type, e->constant));
    case MF_EXPR_ZERO: return lower_zero(l, e->type);
    case MF_EXPR_LOAD:
        if (e->a->kind == MF_EXPR_VAR && e->a->var->has_value && mf_is_scalar(e->a->var->type))
            return one(l, constant_of(l, e->a->var->type, e->a->var->value));
        if (e->a->kind == MF_EXPR_COND) return eval_cond(l, e->a);
        return lower_read(l, lower_place(l, e->a), e->at);
    case MF_EXPR_NEGATE: return negated(l, e);
    case MF_EXPR_COMPLEMENT:
    case MF_EXPR_NOT: {
        const val a = lower_eval(l, e->a);
        const emu_type t = scalar_type(e->type);
        val r = lower_val(l, a.n);
        for (size_t i = 0; i < a.n; ++i) r.at[i] = emu_binary(g, EMU_XOR, t, a.at[i], emu_constant(g, t, -1));
        return r;
    }
    case MF_EXPR_POST_INC:
    case MF_EXPR_POST_DEC: {
        const place p = lower_place(l, e->a);
        const val old = lower_read(l, p, e->at);
        lower_write(l, p, step_value(l, e, old), e->at);
        return old;
    }
    case MF_EXPR_ADDRESS: {
        const place p = lower_place(l, e->a);
        val r = lower_val(l, 2);
        r.at[0] = p.object;
        r.at[1] = p.offset;
        lower_note_pointed(l, p);
        if (p.picks != 0) lower_refuse(l, e->at, "the address of part of a vector is not supported");
        return r;
    }
    case MF_EXPR_BINARY: return eval_binary(l, e);
    case MF_EXPR_AND:
    case MF_EXPR_OR: return eval_logic(l, e);
    case MF_EXPR_COND: return eval_cond(l, e);
    case MF_EXPR_COMMA: lower_drop(l, e->a); return lower_eval(l, e->b);
    case MF_EXPR_CAST: return eval_cast(l, e);
    case MF_EXPR_CONSTRUCT: return eval_construct(l, e);
    case MF_EXPR_AGGREGATE:
        return e->type->kind == MF_TYPE_RECORD && e->type->record->is_union ? eval_union(l, e) : eval_list(l, e);
    case MF_EXPR_SWIZZLE: {
        const val a = lower_eval(l, e->a);
        val r = lower_val(l, e->swizzle_count);
        for (unsigned i = 0; i < e->swizzle_count; ++i) r.at[i] = a.at[e->swizzle[i]];
        return r;
    }
    case MF_EXPR_ELEMENT: return eval_element(l, e);
    case MF_EXPR_CALL: return lower_call(l, e, NULL);
    case MF_EXPR_BUILTIN: return lower_builtin(l, e);
    case MF_EXPR_VAR:
    case MF_EXPR_TEMPORARY:
    case MF_EXPR_PRE_INC:
    case MF_EXPR_PRE_DEC:
    case MF_EXPR_DEREF:
    case MF_EXPR_ASSIGN:
    case MF_EXPR_ASSIGN_OP:
    case MF_EXPR_INDEX:
    case MF_EXPR_MEMBER: return lower_read(l, lower_place(l, e), e->at);
    case MF_EXPR_ERROR: break;
    }
    lower_refuse(l, e->at, "this expression is not supported");
    return lower_zero(l, e->type);
}

val lower_eval(lower *l, const mf_expr *e)
{
    enum { MOST_NODES = 400000 };
    if (l->g->node_count > MOST_NODES) {
        lower_refuse(l, e->at, "the kernel is too large once its functions and loops are expanded");
        return lower_zero(l, e->type);
    }
    l->g->at = e->at;
    if (e->lvalue) return lower_read(l, lower_place(l, e), e->at);
    return eval_value(l, e);
}

/* Places. */

static emu_space space_of(mf_space s)
{
    switch (s) {
    case MF_DEVICE: return EMU_SPACE_DEVICE;
    case MF_CONSTANT: return EMU_SPACE_CONSTANT;
    case MF_THREADGROUP: return EMU_SPACE_THREADGROUP;
    case MF_NO_SPACE:
    case MF_THREAD: break;
    }
    return EMU_SPACE_THREAD;
}

static place pointed(const mf_type *pointer, val v)
{
    return (place){.space = space_of(pointer->space), .object = v.at[0], .offset = v.at[1], .type = pointer->elem};
}

static place nowhere(lower *l, const mf_expr *e)
{
    return lower_local_place(l, lower_local(l, e, STR(""), e->type));
}

static place value_place(lower *l, const mf_expr *e, val v);

/* An input declared outside functions: the thread's, wherever it is read. */
static place input_place(lower *l, const mf_expr *e)
{
    const leaf_list leaves = lower_leaves(l, e->var->type);
    val v = lower_val(l, leaves.n);
    for (unsigned d = 0; d < leaves.n; ++d) v.at[d] = emu_convert(l->g, leaves.at[d].type, lower_input(l, e->var->input, d));
    return value_place(l, e, v);
}

static place variable_place(lower *l, const mf_expr *e)
{
    const mf_var *v = e->var;
    const binding *b = NULL;
    if (v->is_function_constant && !v->is_given && l->shape->known) /* until a launch, its value may still come */
        lower_refuse(l, e->at, "running without a value of the function constant '%.*s' (index %u) is not supported", STR_ARG(v->name), v->slot);
    if (v->is_function_constant && !v->is_given) l->g->unsettled = true;
    if (v->kind == MF_VAR_GLOBAL && v->binding == MF_BIND_INPUT) return input_place(l, e);
    if (v->kind == MF_VAR_GLOBAL) return lower_global(l, v);
    if (v->kind == MF_VAR_PARAM) b = &l->frame->params[v->index];
    else b = &l->frame->locals[v->index];
    if (b->bound) return b->at;
    lower_refuse(l, e->at, "'%.*s' is used where it is not there", STR_ARG(v->name));
    return nowhere(l, e);
}

/* May the place be found although it is not chosen? */
static bool plain_place(const mf_expr *e)
{
    while (e->kind == MF_EXPR_MEMBER || e->kind == MF_EXPR_SWIZZLE) e = e->a;
    return e->kind == MF_EXPR_VAR;
}

static void set_place(lower *l, place p, emu_variable *object, emu_variable *offset)
{
    lower_note_pointed(l, p);
    emu_set(l->g, object, p.object);
    emu_set(l->g, offset, p.offset);
}

static place chosen_place(lower *l, const mf_expr *e)
{
    emu_graph *g = l->g;
    emu_node *c = lower_scalar_of(l, e->a);
    if (emu_is_const(c)) return lower_place(l, c->imm != 0 ? e->b : e->c);
    const bool plain = plain_place(e->b) && plain_place(e->c);
    emu_variable *object = NULL, *offset = NULL;
    if (!plain) {
        object = emu_new_variable(g, EMU_I32, g->region);
        offset = emu_new_variable(g, EMU_I64, g->region);
        (void)emu_open(g, EMU_IF_NODE, EMU_REGION_IF, c);
    }
    const place a = lower_place(l, e->b);
    if (!plain) {
        set_place(l, a, object, offset);
        (void)emu_else(g);
    }
    place b = lower_place(l, e->c);
    if (a.picks != b.picks || memcmp(a.pick, b.pick, a.picks) != 0)
        lower_refuse(l, e->at, "a choice between different parts of two vectors is not supported");
    if (!plain) {
        set_place(l, b, object, offset);
        emu_close(g, EMU_ENDIF);
        b.object = emu_get(g, object);
        b.offset = emu_get(g, offset);
        return b;
    }
    lower_note_pointed(l, a);
    lower_note_pointed(l, b);
    b.object = emu_select(g, c, a.object, b.object);
    b.offset = emu_select(g, c, a.offset, b.offset);
    return b;
}

static place swizzled(lower *l, const mf_expr *e)
{
    place p = lower_place(l, e->a);
    place r = p;
    for (unsigned i = 0; i < e->swizzle_count; ++i) r.pick[i] = p.picks != 0 ? p.pick[e->swizzle[i]] : e->swizzle[i];
    r.picks = e->swizzle_count;
    return r;
}

/* A call's reference result, or the variable behind a value. */
static place value_place(lower *l, const mf_expr *e, val v)
{
    const place p = lower_local_place(l, lower_local(l, e, STR("temporary"), e->type));
    lower_write(l, p, v, e->at);
    return p;
}

place lower_place(lower *l, const mf_expr *e)
{
    l->g->at = e->at;
    switch (e->kind) {
    case MF_EXPR_VAR: return variable_place(l, e);
    case MF_EXPR_TEMPORARY: return value_place(l, e, lower_eval(l, e->a));
    case MF_EXPR_PRE_INC:
    case MF_EXPR_PRE_DEC: {
        const place p = lower_place(l, e->a);
        lower_write(l, p, step_value(l, e, lower_read(l, p, e->at)), e->at);
        return p;
    }
    case MF_EXPR_DEREF: return pointed(e->a->type, lower_eval(l, e->a));
    case MF_EXPR_COND: return chosen_place(l, e);
    case MF_EXPR_COMMA: lower_drop(l, e->a); return lower_place(l, e->b);
    case MF_EXPR_ASSIGN: {
        const val v = lower_eval(l, e->b);
        const place p = lower_place(l, e->a);
        lower_write(l, p, v, e->at);
        return p;
    }
    case MF_EXPR_ASSIGN_OP: return assign_op(l, e);
    case MF_EXPR_CAST: { /* PLACE */
        place p = lower_place(l, e->a);
        p.type = e->type;
        p.align = 0;
        return p;
    }
    case MF_EXPR_SWIZZLE: return swizzled(l, e);
    case MF_EXPR_ELEMENT: {
        const place p = lower_place(l, e->a);
        if (p.picks != 0) lower_refuse(l, e->at, "an element of part of a vector is not supported as a place");
        return lower_index(l, p, e->type, lower_scalar_of(l, e->b));
    }
    case MF_EXPR_INDEX: {
        const mf_expr *a = e->a;
        if (a->kind == MF_EXPR_CAST && a->cast == MF_CAST_DECAY) /* an array's element: no pointer is kept */
            return lower_index(l, lower_place(l, a->a), a->type->elem, lower_scalar_of(l, e->b));
        const place p = pointed(e->a->type, lower_eval(l, e->a));
        return lower_index(l, p, p.type, lower_scalar_of(l, e->b));
    }
    case MF_EXPR_MEMBER: {
        const place p = lower_place(l, e->a);
        const mf_field *f = &e->a->type->record->fields[e->field];
        return lower_field(l, p, f->type, f->offset);
    }
    case MF_EXPR_CALL: {
        place p = nowhere(l, e);
        (void)lower_call(l, e, &p);
        return p;
    }
    case MF_EXPR_CONST:
    case MF_EXPR_ZERO:
    case MF_EXPR_LOAD:
    case MF_EXPR_NEGATE:
    case MF_EXPR_COMPLEMENT:
    case MF_EXPR_NOT:
    case MF_EXPR_POST_INC:
    case MF_EXPR_POST_DEC:
    case MF_EXPR_ADDRESS:
    case MF_EXPR_BINARY:
    case MF_EXPR_AND:
    case MF_EXPR_OR:
    case MF_EXPR_CONSTRUCT:
    case MF_EXPR_AGGREGATE:
    case MF_EXPR_BUILTIN:
    case MF_EXPR_ERROR: break;
    }
    return value_place(l, e, lower_eval(l, e));
}

void lower_drop(lower *l, const mf_expr *e)
{
    if (e->lvalue) (void)lower_place(l, e);
    else (void)lower_eval(l, e);
}
