/* Where a buffer's items lie in its memory. */
#include "pass/index.h"

#include "ir/fold.h"

const ir_node *index_scale(arena *mem, const ir_node *a, const ir_node *b)
{
    if (a->kind != IR_RAMP) return ir_mul(mem, a, b);
    const ir_ramp *ramp = ir_as_ramp(a);
    return ir_make(mem, RAMP, ramp, a->at, a->type, .base = ir_mul(mem, ramp->base, b),
                   .stride = ir_mul(mem, ramp->stride, b));
}

const ir_node *index_shift(arena *mem, const ir_node *a, const ir_node *b)
{
    bool first = a->kind == IR_RAMP;
    const ir_node *vector = first ? a : b, *scalar = first ? b : a;
    if (vector->kind != IR_RAMP || scalar->type.lanes != 1) return ir_add(mem, a, b);
    const ir_ramp *ramp = ir_as_ramp(vector);
    const ir_node *base = first ? ir_add(mem, ramp->base, scalar) : ir_add(mem, scalar, ramp->base);
    return ir_make(mem, RAMP, ramp, vector->at, vector->type, .base = base, .stride = ramp->stride);
}

const ir_node *index_cast(arena *mem, ir_type type, const ir_node *index)
{
    ir_type to = ir_type_lanes(type, index->type.lanes);
    if (index->kind != IR_RAMP || ir_type_eq(index->type, to)) return ir_fold_cast(mem, to, index);
    const ir_ramp *ramp = ir_as_ramp(index);
    return ir_make(mem, RAMP, ramp, index->at, to, .base = ir_fold_cast(mem, type, ramp->base),
                   .stride = ir_fold_cast(mem, type, ramp->stride));
}

const ir_node *index_stride(arena *mem, const ir_buffer *b, size_t dim, ir_type type)
{
    if (b->strides.n != 0) return ir_fold_cast(mem, type, b->strides.at[dim]);
    const ir_node *stride = ir_int_new(mem, type, 1, b->at);
    for (size_t i = dim + 1; i < b->shape.n; ++i) {
        stride = ir_mul(mem, stride, ir_fold_cast(mem, type, b->shape.at[i]));
    }
    return stride;
}

/* Elements spanned by the buffer where shape and strides are constants; -1 where they are not, or
 * do not fit. */
static int64_t constant_size(const ir_buffer *b)
{
    int64_t size = 1;
    for (size_t i = 0; i < b->shape.n; ++i) {
        int64_t n, stride;
        if (!ir_const_value(b->shape.at[i], &n) || n < 0) return -1;
        if (b->strides.n == 0) {
            if (__builtin_mul_overflow(size, n, &size)) return -1;
            continue;
        }
        if (!ir_const_value(b->strides.at[i], &stride) || stride < 0) return -1;
        if (n == 0) return 0;
        if (__builtin_mul_overflow(n - 1, stride, &n) || __builtin_add_overflow(size, n, &size))
            return -1;
    }
    return size;
}

static bool is_wide(const ir_node *e)
{
    return e->type.bits > 32 || (e->type.code == IR_UINT && e->type.bits == 32);
}

ir_type index_type(const ir_buffer *b, ir_list index)
{
    int64_t size = constant_size(b), offset = 0;
    if (b->elem_offset != NULL && (!ir_const_value(b->elem_offset, &offset) || offset < 0)) size = -1;
    bool wide = size < 0 || size > INT32_MAX - (offset < INT32_MAX ? offset : INT32_MAX);
    for (size_t i = 0; i < b->shape.n; ++i) wide |= b->shape.at[i]->type.bits > 32;
    for (size_t i = 0; i < b->strides.n; ++i) wide |= b->strides.at[i]->type.bits > 32;
    for (size_t i = 0; i < index.n; ++i) wide |= is_wide(index.at[i]);
    return wide ? IR_I64 : IR_I32;
}

const ir_node *index_flat(arena *mem, const ir_buffer *b, ir_list index, span at)
{
    ir_type type = index_type(b, index);
    const ir_node *sum = ir_int_new(mem, type, 0, at);
    for (size_t i = 0; i < index.n; ++i) {
        const ir_node *item = index_cast(mem, type, index.at[i]);
        sum = index_shift(mem, sum, index_scale(mem, item, index_stride(mem, b, i, type)));
    }
    if (b->elem_offset == NULL) return sum;
    return index_shift(mem, sum, ir_fold_cast(mem, type, b->elem_offset));
}
