/* flatten_buffer: every buffer has one dimension, no strides and no offset.
 *
 * Why: memory is a row of elements; the index arithmetic becomes visible to the passes that
 * simplify it.
 *
 *     def main(A: T.Buffer((8, 16), "float32"), ...):
 *         B[i, j] = A[i, j]
 *     ->
 *     def main(A: T.Buffer((8, 16), "float32"), ...):
 *         A_1 = T.decl_buffer((128,), "float32", data=A.data)
 *         B_1[i * 16 + j] = A_1[i * 16 + j]
 *
 * Strides and elem_offset are honoured. Index arithmetic keeps its type, except that a buffer too
 * large for int32 is indexed in int64. A parameter keeps its shape, which the host checks; the body
 * sees it through a flat view. Left alone: buffers that are flat already. */
#include "ir/fold.h"
#include "ir/walk.h"
#include "pass/index.h"
#include "pass/pass.h"

typedef struct flatten {
    ir_rewrite r;
    pass_context *cx;
    map flat;   /* buffer -> its flat buffer (itself where it was flat) */
    map owners; /* pointer -> the buffer that it was made for */
} flatten;

static bool is_flat(const ir_buffer *b)
{
    bool no_offset = b->elem_offset == NULL || ir_is_const(b->elem_offset, 0);
    bool no_strides = b->strides.n == 0 || ir_is_const(b->strides.at[0], 1);
    return b->shape.n == 1 && no_strides && no_offset;
}

/* ---- Sizes ----------------------------------------------------------------------------------- */

/* Elements spanned from the buffer's first, with its offset: the flat extent. */
static const ir_node *flat_extent(flatten *f, const ir_buffer *b)
{
    arena *mem = f->cx->mem;
    ir_type type = index_type(b, (ir_list){0});
    const ir_node *size = ir_int_new(mem, type, 1, b->at);
    for (size_t i = 0; i < b->shape.n; ++i) {
        const ir_node *n = ir_fold_cast(mem, type, b->shape.at[i]);
        if (b->strides.n == 0) {
            size = ir_mul(mem, size, n);
            continue;
        }
        const ir_node *last = ir_sub(mem, n, ir_int_new(mem, type, 1, b->at));
        size = ir_add(mem, size, ir_mul(mem, last, ir_fold_cast(mem, type, b->strides.at[i])));
    }
    if (b->elem_offset == NULL) return size;
    return ir_add(mem, ir_fold_cast(mem, type, b->elem_offset), size);
}

/* ---- Indices --------------------------------------------------------------------------------- */

static bool check_index(flatten *f, const ir_buffer *b, ir_list index, span at)
{
    size_t vectors = 0;
    for (size_t i = 0; i < index.n; ++i) vectors += index.at[i]->type.lanes > 1;
    if (vectors > 1) {
        diag_error(f->cx->diags, at, "'%.*s' is accessed with %zu vector indices; one is supported",
                   STR_ARG(b->name), vectors);
        return false;
    }
    if (index.n != b->shape.n) {
        diag_error(f->cx->diags, at, "'%.*s' has %zu dimensions, indexed with %zu",
                   STR_ARG(b->name), b->shape.n, index.n);
        return false;
    }
    return true;
}

static ir_list flat_index(flatten *f, const ir_buffer *b, ir_list index, span at)
{
    arena *mem = f->cx->mem;
    if (!check_index(f, b, index, at)) return ir_list_one(mem, ir_i32(mem, 0));
    return ir_list_one(mem, index_flat(mem, b, index, at));
}

/* ---- Buffers and accesses -------------------------------------------------------------------- */

static const ir_buffer *flat_buffer(flatten *f, const ir_buffer *b)
{
    const ir_buffer *known = map_get_id(&f->flat, b);
    if (known != NULL) return known;
    const ir_buffer *result = b;
    if (!is_flat(b)) {
        ir_buffer copy = *b;
        copy.shape = ir_list_one(f->cx->mem, flat_extent(f, b));
        copy.strides = (ir_list){0};
        copy.elem_offset = NULL;
        copy.offset_factor = 0;
        result = arena_copy(f->cx->mem, &copy, sizeof copy);
    }
    map_put_id(f->cx->mem, &f->flat, b, result);
    return result;
}

static const ir_buffer *replace_buffer(ir_rewrite *r, const ir_buffer *b)
{
    return flat_buffer((flatten *)(void *)r, b);
}

static const ir_node *flatten_load(flatten *f, const ir_node *n)
{
    ir_load copy = *ir_as_load(n);
    copy.index = flat_index(f, copy.buffer, ir_rewrite_list(&f->r, copy.index), n->at);
    if (copy.predicate != NULL) copy.predicate = f->r.node(&f->r, copy.predicate);
    copy.buffer = flat_buffer(f, copy.buffer);
    return arena_copy(f->cx->mem, &copy, sizeof copy);
}

static const ir_node *flatten_store(flatten *f, const ir_node *n)
{
    ir_store copy = *ir_as_store(n);
    copy.index = flat_index(f, copy.buffer, ir_rewrite_list(&f->r, copy.index), n->at);
    copy.value = f->r.node(&f->r, copy.value);
    if (copy.predicate != NULL) copy.predicate = f->r.node(&f->r, copy.predicate);
    copy.buffer = flat_buffer(f, copy.buffer);
    return arena_copy(f->cx->mem, &copy, sizeof copy);
}

/* tvm_access_ptr(type, data, offset, ...) of a buffer's elements is the address of one. */
static const ir_node *flatten_pointer(flatten *f, const ir_call *n)
{
    arena *mem = f->cx->mem;
    const ir_node *data = n->args.at[1];
    const ir_buffer *b = data->kind == IR_VAR ? map_get_id(&f->owners, ir_as_var_ref(data)->var) : NULL;
    ir_type type = IR_VOID;
    bool known = b != NULL && n->args.at[0]->kind == IR_STRING && ir_type_parse(ir_as_string(n->args.at[0])->text, &type);
    if (!known || !ir_type_eq(type, b->type)) return ir_rewrite_children(&f->r, &n->node);
    const ir_node *offset = f->r.node(&f->r, n->args.at[2]);
    const ir_node *place = ir_load_new(mem, flat_buffer(f, b), ir_list_one(mem, offset), n->node.at);
    return ir_call_new(mem, IR_FN_ADDRESS_OF, n->node.type, ir_list_one(mem, place), n->node.at);
}

static void note_owner(void *user, const ir_node *n)
{
    flatten *f = user;
    if (n->kind == IR_ALLOC) map_put_id(f->cx->mem, &f->owners, ir_as_alloc(n)->buffer->data, ir_as_alloc(n)->buffer);
}

static const ir_node *flatten_node(ir_rewrite *r, const ir_node *n)
{
    flatten *f = (flatten *)(void *)r;
    if (n->kind == IR_LOAD && !is_flat(ir_as_load(n)->buffer)) return flatten_load(f, n);
    if (n->kind == IR_STORE && !is_flat(ir_as_store(n)->buffer)) return flatten_store(f, n);
    if (n->kind == IR_CALL && ir_as_call(n)->fn == IR_FN_ACCESS_PTR) return flatten_pointer(f, ir_as_call(n));
    return ir_rewrite_children(r, n);
}

/* Flat views of the parameters that the body uses, before the body. */
static const ir_node *with_views(flatten *f, const ir_func *func, const ir_node *body)
{
    arena *mem = f->cx->mem;
    ir_node_vec all = {0};
    for (size_t i = 0; i < func->param_count; ++i) {
        const ir_buffer *b = func->params[i].buffer;
        const ir_buffer *flat = b != NULL ? map_get_id(&f->flat, b) : NULL;
        if (flat == NULL || flat == b) continue;
        ir_node_vec_push(mem, &all, ir_make(mem, DECL, decl, b->at, IR_VOID, .buffer = flat));
    }
    if (all.n == 0) return body;
    ir_node_vec_push(mem, &all, body);
    return ir_seq_new(mem, all.at, all.n, body->at);
}

static const ir_node *flatten_func(pass_context *cx, const ir_func *func)
{
    flatten f = {.r = {.mem = cx->mem, .node = flatten_node, .buffer = replace_buffer}, .cx = cx};
    ir_each(func->body, note_owner, &f);
    for (size_t i = 0; i < func->param_count; ++i) {
        const ir_buffer *b = func->params[i].buffer;
        if (b != NULL) map_put_id(cx->mem, &f.owners, b->data, b);
    }
    return with_views(&f, func, flatten_node(&f.r, func->body));
}

const ir_module *pass_flatten_buffer(pass_context *cx, const ir_module *m)
{
    return pass_each_body(cx, m, flatten_func);
}
