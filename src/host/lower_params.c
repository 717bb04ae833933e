/* The signature of a host function: what a call binds, in the order in which it does, and what messages say. */
#include "host/lower.h"

/* ---- Expressions in words ---------------------------------------------------------------------- */

/* The variable's name, or where a call finds it ("A.shape[0]"). */
static void put_var(const lower *l, const ir_var *v, bool paths, buf *out)
{
    const lower_path *path = paths ? map_get_id(&l->paths, v) : NULL;
    buf_str(out, path != NULL ? path->text : v->name);
}

static void put_expr(const lower *l, const ir_node *n, bool paths, int least, buf *out);

static void put_bin(const lower *l, const ir_node *n, bool paths, int least, buf *out)
{
    const ir_bin *e = ir_as_bin(n);
    const ir_op_info *op = &ir_ops[e->op];
    bool word = op->script[0] >= 'a' && op->script[0] <= 'z' && e->op != IR_AND && e->op != IR_OR;
    const char *name = op->script;
    if (paths && e->op == IR_FLOORDIV) name = "floordiv";
    if (paths && e->op == IR_FLOORMOD) name = "floormod";
    if (word || name != op->script) {
        buf_printf(out, "%s(", name);
        put_expr(l, e->a, paths, 0, out);
        buf_text(out, ", ");
        put_expr(l, e->b, paths, 0, out);
        buf_char(out, ')');
        return;
    }
    if (op->precedence < least) buf_char(out, '(');
    put_expr(l, e->a, paths, op->precedence, out);
    buf_printf(out, " %s ", name);
    put_expr(l, e->b, paths, op->precedence + 1, out);
    if (op->precedence < least) buf_char(out, ')');
}

/* Integers, variables and operators in full; anything else by its kind. */
static void put_expr(const lower *l, const ir_node *n, bool paths, int least, buf *out)
{
    int64_t value;
    if (ir_const_value(n, &value)) buf_printf(out, "%lld", (long long)value);
    else if (n->kind == IR_VAR) put_var(l, ir_as_var_ref(n)->var, paths, out);
    else if (n->kind == IR_CAST) put_expr(l, ir_as_cast(n)->a, paths, least, out);
    else if (n->kind == IR_BIN) put_bin(l, n, paths, least, out);
    else buf_text(out, "an expression");
}

static str expr_text(const lower *l, const ir_node *n, bool paths)
{
    ingot_allocator hook = arena_hook(l->mem);
    buf out = buf_make(&hook);
    put_expr(l, n, paths, 0, &out);
    return str_copy(l->mem, buf_view(&out));
}

/* ---- Dimensions --------------------------------------------------------------------------------- */

/* Binds or checks one dimension; `path` is where a call finds it. */
static host_dim lower_dim(lower *l, const ir_node *n, str path)
{
    host_dim d = {.text = expr_text(l, n, false), .shown = STR("")};
    if (ir_const_value(n, &d.value)) {
        d.kind = HOST_DIM_CONST;
        return d;
    }
    d.kind = HOST_DIM_EXPR; /* its code comes when all variables are bound */
    if (n->kind != IR_VAR) return d;
    const ir_var *v = ir_as_var_ref(n)->var;
    const lower_path *first = map_get_id(&l->paths, v);
    if (first != NULL) {
        d.kind = HOST_DIM_MATCH;
        d.shown = first->text;
        d.reg = lower_var_reg(l, v, n->at);
        return d;
    }
    d.kind = HOST_DIM_DEFINE;
    d.reg = lower_reg(l, v->type, n->at);
    lower_set_reg(l, v, d.reg);
    map_put_id(l->mem, &l->paths, v, arena_copy(l->mem, &(lower_path){path}, sizeof(lower_path)));
    return d;
}

static void lower_tensor(lower *l, const ir_buffer *b, host_param *p)
{
    arena *mem = l->mem;
    host_dim *shape = arena_array(mem, host_dim, b->shape.n), *strides = arena_array(mem, host_dim, b->strides.n);
    for (size_t i = 0; i < b->shape.n; ++i) {
        shape[i] = lower_dim(l, b->shape.at[i], str_format(mem, "%.*s.shape[%zu]", STR_ARG(b->name), i));
    }
    for (size_t i = b->strides.n; i > 0; --i) {
        strides[i - 1] = lower_dim(l, b->strides.at[i - 1], str_format(mem, "%.*s.strides[%zu]", STR_ARG(b->name), i - 1));
    }
    p->offset = (host_dim){.kind = HOST_DIM_CONST, .text = STR("0"), .shown = STR("")};
    if (b->elem_offset != NULL) {
        p->offset = lower_dim(l, b->elem_offset, str_format(mem, "%.*s.byte_offset", STR_ARG(b->name)));
    }
    p->offset_factor = b->offset_factor > 0 ? b->offset_factor : 0;
    p->shape = shape;
    p->ndim = b->shape.n;
    p->strides = strides;
    p->stride_count = b->strides.n;
}

static void lower_param(lower *l, const ir_param *from, host_param *p)
{
    const ir_buffer *b = from->buffer;
    if (b == NULL) return;
    *p = (host_param){.kind = INGOT_PARAM_TENSOR,
                      .name = str_copy(l->mem, b->name),
                      .dtype = lower_dtype(b->type),
                      .reg = lower_reg(l, IR_POINTER, b->at)};
    lower_set_reg(l, b->data, p->reg);
    map_put_id(l->mem, &l->uses, b->data, arena_new(l->mem, lower_use));
    lower_tensor(l, b, p);
}

/* Scalars and pointers, which a call binds before it looks into any tensor. */
static void lower_plain(lower *l, const ir_param *from, host_param *p)
{
    const ir_var *v = from->var;
    if (from->buffer != NULL) return;
    bool pointer = ir_type_is_pointer(v->type);
    *p = (host_param){.kind = pointer ? INGOT_PARAM_POINTER : INGOT_PARAM_SCALAR,
                      .name = str_copy(l->mem, v->name),
                      .dtype = lower_dtype(v->type),
                      .reg = lower_reg(l, v->type, v->at),
                      .offset = {.text = STR("0"), .shown = STR("")}};
    lower_set_reg(l, v, p->reg);
    map_put_id(l->mem, &l->paths, v, arena_copy(l->mem, &(lower_path){v->name}, sizeof(lower_path)));
}

/* ---- Code for expressions ------------------------------------------------------------------------ */

static host_dim with_code(lower *l, host_dim d, const ir_node *n)
{
    if (d.kind != HOST_DIM_EXPR) return d;
    d.reg = lower_expr(l, n);
    d.shown = expr_text(l, n, true);
    return d;
}

static void lower_checks(lower *l, const ir_buffer *b, host_param *p)
{
    host_dim *shape = arena_copy(l->mem, p->shape, p->ndim * sizeof *shape);
    host_dim *strides = arena_copy(l->mem, p->strides, p->stride_count * sizeof *strides);
    for (size_t i = 0; i < p->ndim; ++i) shape[i] = with_code(l, shape[i], b->shape.at[i]);
    for (size_t i = 0; i < p->stride_count; ++i) strides[i] = with_code(l, strides[i], b->strides.at[i]);
    if (b->elem_offset != NULL) p->offset = with_code(l, p->offset, b->elem_offset);
    p->shape = shape;
    p->strides = strides;
}

const host_param *lower_params(lower *l)
{
    const ir_func *f = l->f;
    host_param *params = arena_array(l->mem, host_param, f->param_count);
    for (size_t i = 0; i < f->param_count; ++i) lower_plain(l, &f->params[i], &params[i]);
    for (size_t i = 0; i < f->param_count; ++i) lower_param(l, &f->params[i], &params[i]);
    for (size_t i = 0; i < f->param_count; ++i) {
        if (f->params[i].buffer != NULL) lower_checks(l, f->params[i].buffer, &params[i]);
    }
    return params;
}
