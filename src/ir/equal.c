/* Structural equality, made from nodes.def. */
#include "ir/walk.h"

static bool same_node(const ir_node *a, const ir_node *b)
{
    return a == NULL || b == NULL ? a == b : ir_equal(a, b);
}

static bool same_list(ir_list a, ir_list b)
{
    if (a.n != b.n) return false;
    for (size_t i = 0; i < a.n; ++i) {
        if (!same_node(a.at[i], b.at[i])) return false;
    }
    return true;
}

static bool same_vars(ir_vars a, ir_vars b)
{
    if (a.n != b.n) return false;
    for (size_t i = 0; i < a.n; ++i) {
        if (a.at[i] != b.at[i]) return false;
    }
    return true;
}

static bool same_buffers(ir_buffers a, ir_buffers b)
{
    if (a.n != b.n) return false;
    for (size_t i = 0; i < a.n; ++i) {
        if (a.at[i] != b.at[i]) return false;
    }
    return true;
}

static bool same_iters(ir_iters a, ir_iters b)
{
    if (a.n != b.n) return false;
    for (size_t i = 0; i < a.n; ++i) {
        const ir_iter *x = &a.at[i], *y = &b.at[i];
        if (x->var != y->var || x->kind != y->kind || !same_node(x->min, y->min) ||
            !same_node(x->extent, y->extent) || !same_node(x->binding, y->binding)) {
            return false;
        }
    }
    return true;
}

static bool same_region(const ir_region *a, const ir_region *b)
{
    if (a->buffer != b->buffer || a->n != b->n) return false;
    for (size_t i = 0; i < a->n; ++i) {
        if (!same_node(a->ranges[i].min, b->ranges[i].min)) return false;
        if (!same_node(a->ranges[i].extent, b->ranges[i].extent)) return false;
    }
    return true;
}

static bool same_regions(ir_regions a, ir_regions b)
{
    if (a.n != b.n) return false;
    for (size_t i = 0; i < a.n; ++i) {
        if (!same_region(&a.at[i], &b.at[i])) return false;
    }
    return true;
}

static bool same_matches(ir_matches a, ir_matches b)
{
    if (a.n != b.n) return false;
    for (size_t i = 0; i < a.n; ++i) {
        if (a.at[i].buffer != b.at[i].buffer || !same_region(&a.at[i].source, &b.at[i].source)) return false;
    }
    return true;
}

static bool same_attrs(ir_attrs a, ir_attrs b)
{
    if (a.n != b.n) return false;
    for (size_t i = 0; i < a.n; ++i) {
        if (!str_eq(a.at[i].key, b.at[i].key) || !same_node(a.at[i].value, b.at[i].value)) return false;
    }
    return true;
}

bool ir_equal(const ir_node *a, const ir_node *b)
{
    if (a == b) return true;
    if (a->kind != b->kind || !ir_type_eq(a->type, b->type)) return false;
    if (a->kind == IR_FLOAT_IMM) {
        return num_double_bits(ir_as_float_imm(a)->value) == num_double_bits(ir_as_float_imm(b)->value);
    }
    switch (a->kind) {
#define F_EXPR(f) &&same_node(x->f, y->f)
#define F_OPT_EXPR(f) F_EXPR(f)
#define F_EXPRS(f) &&same_list(x->f, y->f)
#define F_STMT(f) F_EXPR(f)
#define F_OPT_STMT(f) F_EXPR(f)
#define F_STMTS(f) F_EXPRS(f)
#define F_VAR(f) &&x->f == y->f
#define F_DEF(f) F_VAR(f)
#define F_DEFS(f) &&same_vars(x->f, y->f)
#define F_BUF(f) F_VAR(f)
#define F_BUFDEF(f) F_VAR(f)
#define F_BUFDEFS(f) &&same_buffers(x->f, y->f)
#define F_ITERS(f) &&same_iters(x->f, y->f)
#define F_REGIONS(f) &&same_regions(x->f, y->f)
#define F_MATCHES(f) &&same_matches(x->f, y->f)
#define F_ATTRS(f) &&same_attrs(x->f, y->f)
#define F_PLAIN(T, f) &&x->f == y->f
#define F_TEXT(f) &&str_eq(x->f, y->f)
#define IR_NODE(KIND, name, category, fields)                                                      \
    case IR_##KIND: {                                                                              \
        const ir_##name *x = ir_as_##name(a), *y = ir_as_##name(b);                                \
        return x != NULL && y != NULL fields;                                                      \
    }
#include "ir/nodes.def"
#undef IR_NODE
#include "ir/fields_undef.h"
    }
    return false;
}
