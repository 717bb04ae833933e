/* A.view(...): the same memory as a buffer of another shape, or of another type. */
#include "front/script_inner.h"
#include "ir/fold.h"

/* The product of the extents; *open counts those that are -1, which are left out. NULL: reported. */
static const ir_node *size_of(script *s, value_list shape, span at, size_t *open)
{
    const ir_node *size = ir_i32(s->mem, 1);
    for (size_t i = 0; i < shape.n; ++i) {
        const ir_node *n = to_index(s, shape.at[i], at);
        if (n == NULL) return NULL;
        if (ir_is_const(n, -1)) {
            ++*open;
        } else if (!ir_unify(s->mem, &size, &n)) {
            script_error(s, at, "a shape consists of integers");
            return NULL;
        } else {
            size = ir_mul(s->mem, size, n);
        }
    }
    return size;
}

/* The shape with its -1 worked out. ABSENT: reported. */
static value whole_shape(script *s, const ir_buffer *b, value_list shape, span at)
{
    size_t open = 0, none = 0;
    value wrong = value_of(VALUE_ABSENT);
    const ir_node *wanted = size_of(s, shape, at, &open), *given = size_of(s, shape_of(s, b->shape).as.list, at, &none);
    int64_t a = 0, all = 0;
    if (wanted == NULL || given == NULL || !ir_unify(s->mem, &wanted, &given)) return wrong;
    bool known = ir_const_value(wanted, &a) && ir_const_value(given, &all);
    bool fits = open == 0 ? !known || a == all : open == 1 && (!known || (a > 0 && all % a == 0));
    if (!fits) {
        script_error(s, at, "a view has as many elements as the buffer '%.*s'", STR_ARG(b->name));
        return wrong;
    }
    value *items = arena_copy(s->mem, shape.at, shape.n * sizeof *items);
    for (size_t i = 0; i < shape.n; ++i) {
        const ir_node *n = to_index(s, items[i], at);
        if (ir_is_const(n, -1)) items[i] = value_expr(ir_floordiv(s->mem, given, wanted));
    }
    return value_tuple((value_list){items, shape.n});
}

/* The shape and offset of the same memory in elements of another size. */
static bool retype(script *s, const ir_buffer *b, ir_type type, span at, buffer_spec *spec)
{
    arena *mem = s->mem;
    unsigned from = (unsigned)b->type.bits * b->type.lanes, to = (unsigned)type.bits * type.lanes;
    int64_t extent = 0;
    bool known = b->shape.n != 0 && ir_const_value(b->shape.at[b->shape.n - 1], &extent);
    bool whole = from % to == 0 || (to % from == 0 && (!known || extent % (to / from) == 0));
    if (b->shape.n == 0 || !whole) {
        script_error(s, at, "the rows of '%.*s' are no whole number of elements of that type", STR_ARG(b->name));
        return false;
    }
    const ir_node **extents = arena_copy(mem, b->shape.at, b->shape.n * sizeof *extents);
    const ir_node **last = &extents[b->shape.n - 1];
    const ir_node *ratio = ir_int_like(mem, *last, to > from ? to / from : from / to);
    *last = to > from ? ir_floordiv(mem, *last, ratio) : ir_mul(mem, *last, ratio);
    spec->type = type;
    spec->shape = shape_of(s, (ir_list){(const ir_node *const *)extents, b->shape.n});
    if (b->elem_offset == NULL) return true;
    ratio = ir_int_like(mem, b->elem_offset, to > from ? to / from : from / to);
    spec->elem_offset = value_expr(to > from ? ir_floordiv(mem, b->elem_offset, ratio) : ir_mul(mem, b->elem_offset, ratio));
    return true;
}

value fn_method_view(script *s, const call *c)
{
    const ir_buffer *b = c->receiver.as.buffer;
    value_list args = {c->rest, c->rest_count};
    if (s->suite == NULL) return script_error(s, c->at, "a view belongs into the body of a function");
    if (b->strides.n != 0)
        return script_error(s, c->at, "'%.*s' has strides: T.decl_buffer says what a view of it is", STR_ARG(b->name));
    if (args.n == 0) return script_error(s, c->at, "view takes a shape or a type");
    buffer_spec spec = {.at = c->at, .shape_at = c->at, .type = b->type, .scope = b->scope,
                        .data = value_buffer(b)};
    if (b->elem_offset != NULL) spec.elem_offset = value_expr(b->elem_offset);
    bool by_type = args.n == 1 && (args.at[0].kind == VALUE_STR || args.at[0].kind == VALUE_TYPE);
    if (by_type) {
        ir_type type;
        if (!to_dtype(s, args.at[0], c->at, &type) || !retype(s, b, type, c->at, &spec)) return value_poison();
    } else {
        spec.shape = whole_shape(s, b, args, c->at);
        if (spec.shape.kind == VALUE_ABSENT) return value_poison();
    }
    return buffer_declare(s, c, &spec);
}
