/* Indexing: elements, vectors and parts of buffers; Python's lists; and what square brackets mean
 * on types. */
#include "front/script_inner.h"
#include "ir/fold.h"

enum { MOST_LANES = 64 };

/* ---- Buffers --------------------------------------------------------------------------------- */

static void wrong_count(script *s, const ir_buffer *b, size_t n, span at)
{
    script_error(s, at, "'%.*s' has %zu dimension%s, indexed with %zu", STR_ARG(b->name),
                 b->shape.n, b->shape.n == 1 ? "" : "s", n);
    script_note(s, b->at, "'%.*s' is declared here", STR_ARG(b->name));
}

/* One index or slice into dimension `i` of `r`. */
static bool index_dimension(script *s, region *r, size_t i, value v, span at)
{
    const ir_node *whole = r->buffer->shape.at[i];
    if (v.kind != VALUE_SLICE) {
        r->min[i] = to_index(s, v, at);
        if (r->min[i] == NULL) return false;
        r->extent[i] = ir_int_new(s->mem, ir_type_element(r->min[i]->type), 1, at);
        return true;
    }
    const value *part = v.as.list.at;
    r->is_slice[i] = true;
    r->is_open[i] = part[0].kind == VALUE_NONE || part[1].kind == VALUE_NONE;
    r->min[i] = part[0].kind == VALUE_NONE ? ir_int_new(s->mem, whole->type, 0, at)
                                           : to_index(s, part[0], at);
    const ir_node *stop = part[1].kind == VALUE_NONE ? whole : to_index(s, part[1], at);
    if (r->min[i] == NULL || stop == NULL) return false;
    if (part[2].kind != VALUE_NONE) {
        r->step[i] = to_index(s, part[2], at);
        if (r->step[i] == NULL) return false;
    }
    r->extent[i] = range_extent(s, r->min[i], stop);
    return r->extent[i] != NULL;
}

static region *region_new(script *s, const ir_buffer *b)
{
    size_t n = b->shape.n;
    region *r = arena_new(s->mem, region);
    *r = (region){.buffer = b,
                  .min = arena_array(s->mem, const ir_node *, n),
                  .extent = arena_array(s->mem, const ir_node *, n),
                  .step = arena_array(s->mem, const ir_node *, n),
                  .is_slice = arena_array(s->mem, bool, n),
                  .is_open = arena_array(s->mem, bool, n),
                  .n = n};
    return r;
}

/* A region of evaluated indices; dimensions not indexed are whole. NULL: reported. */
static region *index_buffer(script *s, const ir_buffer *b, value items, span at)
{
    value_list list = items.kind == VALUE_TUPLE ? items.as.list : (value_list){&items, 1};
    if (list.n > b->shape.n) {
        wrong_count(s, b, list.n, at);
        return NULL;
    }
    region *r = region_new(s, b);
    value all[3] = {value_none(), value_none(), value_none()};
    value open = value_of(VALUE_SLICE);
    open.as.list = (value_list){all, 3};
    for (size_t i = 0; i < b->shape.n; ++i) {
        if (!index_dimension(s, r, i, i < list.n ? list.at[i] : open, at)) return NULL;
    }
    return r;
}

static bool has_slices(const region *r)
{
    for (size_t i = 0; i < r->n; ++i) {
        if (r->is_slice[i]) return true;
    }
    return false;
}

/* One index of a vector access: a slice becomes a ramp. NULL: reported. */
static const ir_node *lanes_index(script *s, const region *r, size_t i, span at)
{
    if (!r->is_slice[i]) return r->min[i];
    if (r->is_open[i]) {
        script_error(
            s, at,
            "a vector access needs both bounds of its slice, and an index for each dimension");
        script_note(s, r->buffer->at, "'%.*s' is declared here", STR_ARG(r->buffer->name));
        return NULL;
    }
    int64_t extent, step = 1;
    bool known = ir_const_value(r->extent[i], &extent) &&
                 (r->step[i] == NULL || ir_const_value(r->step[i], &step));
    if (!known || step <= 0 || extent <= 0) {
        script_error(s, at, "the length of this slice must be a constant above 0");
        return NULL;
    }
    int64_t lanes = extent / step + (extent % step != 0);
    if (lanes > MOST_LANES) {
        script_error(s, at, "a vector access of %lld elements (at most %d)", (long long)lanes,
                     MOST_LANES);
        return NULL;
    }
    const ir_node *base = r->min[i];
    if (lanes == 1) return base;
    if (base->type.lanes != 1) {
        script_error(s, at, "a slice cannot begin at a vector");
        return NULL;
    }
    ir_type type = ir_type_lanes(base->type, (uint32_t)lanes);
    const ir_node *stride = ir_int_new(s->mem, base->type, step, at);
    return ir_make(s->mem, RAMP, ramp, at, type, .base = base, .stride = stride);
}

/* The indices of an access. False: reported. */
static bool access_index(script *s, const region *r, span at, ir_list *out)
{
    ir_node_vec index = {0};
    uint32_t lanes = 1;
    for (size_t i = 0; i < r->n; ++i) {
        const ir_node *n = lanes_index(s, r, i, at);
        if (n == NULL) return false;
        lanes *= n->type.lanes;
        if (lanes > MOST_LANES) {
            script_error(s, at, "a vector access of more than %d elements", MOST_LANES);
            return false;
        }
        ir_node_vec_push(s->mem, &index, n);
    }
    *out = ir_list_of(index);
    return true;
}

const ir_node *region_load(script *s, const region *r, span at)
{
    ir_list index;
    return access_index(s, r, at, &index) ? ir_load_new(s->mem, r->buffer, index, at) : NULL;
}

/* A load where each dimension has an index, else a region. */
static value buffer_subscript(script *s, const ir_buffer *b, value items, span at)
{
    const region *r = index_buffer(s, b, items, at);
    if (r == NULL) return value_poison();
    if (!has_slices(r)) return value_expr(region_load(s, r, at));
    value v = value_of(VALUE_REGION);
    v.as.region = r;
    return v;
}

bool buffer_index(script *s, const ir_buffer *b, value items, span at, ir_list *out)
{
    const region *r = index_buffer(s, b, items, at);
    return r != NULL && access_index(s, r, at, out);
}

/* ---- Regions of blocks ----------------------------------------------------------------------- */

static bool region_of_load(script *s, const ir_load *load, span at, ir_region *out)
{
    ir_range *ranges = arena_array(s->mem, ir_range, load->index.n);
    for (size_t i = 0; i < load->index.n; ++i) {
        const ir_node *n = load->index.at[i];
        int64_t extent = 1;
        if (n->kind == IR_RAMP && ir_is_const(ir_as_ramp(n)->stride, 1)) {
            extent = n->type.lanes;
            n = ir_as_ramp(n)->base;
        }
        if (n->type.lanes != 1) {
            script_error(s, at, "a region cannot have a vector index");
            return false;
        }
        ranges[i] = (ir_range){n, ir_int_new(s->mem, n->type, extent, at)};
    }
    *out = (ir_region){.buffer = load->buffer, .ranges = ranges, .n = load->index.n, .at = at};
    return true;
}

bool to_region(script *s, value v, span at, ir_region *out)
{
    if (v.kind == VALUE_POISON) return false;
    if (v.kind == VALUE_EXPR && v.as.expr->kind == IR_LOAD)
        return region_of_load(s, ir_as_load(v.as.expr), at, out);
    const region *r = v.kind == VALUE_REGION ? v.as.region : NULL;
    if (v.kind == VALUE_BUFFER) r = index_buffer(s, v.as.buffer, value_tuple((value_list){0}), at);
    if (r == NULL) {
        if (v.kind != VALUE_BUFFER)
            script_error(s, at, "a part of a buffer is needed here, this is %s", value_what(v));
        return false;
    }
    ir_range *ranges = arena_array(s->mem, ir_range, r->n);
    for (size_t i = 0; i < r->n; ++i) {
        if (r->step[i] != NULL) {
            script_error(s, at, "a region cannot have a step");
            return false;
        }
        ranges[i] = (ir_range){r->min[i], r->extent[i]};
    }
    *out = (ir_region){.buffer = r->buffer, .ranges = ranges, .n = r->n, .at = at};
    return true;
}

/* ---- Stores ---------------------------------------------------------------------------------- */

/* Emits b[index] = v, converted to the buffer's type. `at` is the value's place, `whole` the
 * statement's. */
static void store(script *s, const ir_buffer *b, ir_list index, value v, span at, span whole)
{
    ir_type type = ir_load_new(s->mem, b, index, at)->type;
    if (v.kind == VALUE_POISON) return;
    char text[IR_TYPE_TEXT];
    bool literal = value_is_number(v) && type.lanes == 1;
    const ir_node *n = literal ? to_type(s, v, type, at) : to_expr(s, v, at);
    if (n == NULL) return;
    if (n->type.lanes != type.lanes) {
        script_error(s, at,
                     "%u value%s stored into %u lane%s; T.Broadcast(value, lanes) makes a vector",
                     (unsigned)n->type.lanes, n->type.lanes == 1 ? " is" : "s are",
                     (unsigned)type.lanes, type.lanes == 1 ? "" : "s");
        return;
    }
    if (ir_type_is_void(n->type) || (ir_type_is_pointer(n->type) && !ir_type_is_pointer(type))) {
        script_error(s, at, "this is no value of type %s", ir_type_print(type, text));
        return;
    }
    suite_emit(s, ir_store_new(s->mem, b, index, ir_fold_cast(s->mem, type, n), whole));
}

/* What stands between the brackets, a starred list spread out. */
static value eval_index(script *s, const ast *index)
{
    return eval(s, index->kind == AST_STAR ? ast_as_star(index)->value : index);
}

void buffer_store(script *s, const ast_subscript *target, value v, span at)
{
    value object = eval(s, target->object), items = eval_index(s, target->index);
    if (object.kind == VALUE_POISON || items.kind == VALUE_POISON) return;
    if (object.kind != VALUE_BUFFER) {
        script_error(s, target->object->at, "only buffers can be stored to, this is %s",
                     value_what(object));
        return;
    }
    const ir_buffer *b = object.as.buffer;
    size_t given = items.kind == VALUE_TUPLE ? items.as.list.n : 1;
    if (given != b->shape.n) {
        wrong_count(s, b, given, target->node.at);
        return;
    }
    ir_list index;
    if (buffer_index(s, b, items, target->node.at, &index))
        store(s, b, index, v, at, span_join(target->node.at, at));
}

const ir_node *scalar_load(script *s, const ir_buffer *b, span at)
{
    ir_list zero = ir_list_one(s->mem, ir_int_new(s->mem, IR_I32, 0, at));
    return ir_load_new(s->mem, b, zero, at);
}

void scalar_store(script *s, const ir_buffer *b, value v, span at)
{
    store(s, b, ir_list_one(s->mem, ir_int_new(s->mem, IR_I32, 0, at)), v, at, at);
}

/* A.vload([i], "float32x4"): the last index becomes a ramp of as many lanes. False: reported. */
static bool vector_index(script *s, const call *c, uint32_t lanes, ir_list *out)
{
    const ir_buffer *b = c->receiver.as.buffer;
    if (!buffer_index(s, b, c->args[0], c->spans[0], out)) return false;
    if (lanes <= 1 || out->n == 0) return true;
    ir_node_vec index = {0};
    for (size_t i = 0; i < out->n; ++i) ir_node_vec_push(s->mem, &index, out->at[i]);
    const ir_node *base = index.at[out->n - 1];
    if (base->type.lanes == lanes) return true;
    if (base->type.lanes != 1) {
        script_error(s, c->at, "this access has %u lanes, not %u", (unsigned)base->type.lanes,
                     lanes);
        return false;
    }
    const ir_node *one = ir_int_new(s->mem, base->type, 1, c->at);
    index.at[out->n - 1] = ir_make(s->mem, RAMP, ramp, c->at, ir_type_lanes(base->type, lanes),
                                   .base = base, .stride = one);
    *out = ir_list_of(index);
    return true;
}

/* The condition of an access of some lanes: a scalar one is that of every lane. NULL: reported. */
static const ir_node *predicate_of(script *s, const call *c, uint32_t lanes)
{
    const ir_node *n = to_bool(s, c->args[2], c->spans[2]);
    if (n == NULL) return NULL;
    if (c->receiver.as.buffer->type.lanes != 1) {
        script_error(s, c->spans[2], "predicate= is for buffers of scalars");
        return NULL;
    }
    if (n->type.lanes == 1 && lanes > 1) n = ir_broadcast_new(s->mem, n, lanes);
    if (n->type.lanes == lanes) return n;
    script_error(s, c->spans[2], "a predicate of %u lanes for an access of %u", (unsigned)n->type.lanes, (unsigned)lanes);
    return NULL;
}

value fn_method_vload(script *s, const call *c)
{
    const ir_buffer *b = c->receiver.as.buffer;
    ir_type type = b->type;
    if (value_is_given(c->args[1]) && !to_dtype(s, c->args[1], c->spans[1], &type))
        return value_poison();
    if (!ir_type_eq(ir_type_element(type), ir_type_element(b->type))) {
        return script_error(s, c->at, "vload gives the buffer's element type");
    }
    ir_list index;
    uint32_t lanes = b->type.lanes == 1 ? type.lanes : 1;
    if (!vector_index(s, c, lanes, &index)) return value_poison();
    const ir_node *load = ir_load_new(s->mem, b, index, c->at);
    if (!value_is_given(c->args[2])) return value_expr(load);
    const ir_node *predicate = predicate_of(s, c, load->type.lanes);
    if (predicate == NULL) return value_poison();
    return value_expr(ir_make(s->mem, LOAD, load, c->at, load->type, .buffer = b, .index = index,
                              .predicate = predicate));
}

value fn_method_vstore(script *s, const call *c)
{
    const ir_buffer *b = c->receiver.as.buffer;
    const ir_node *n = to_expr(s, c->args[1], c->spans[1]);
    ir_list index;
    if (n == NULL || !vector_index(s, c, b->type.lanes == 1 ? n->type.lanes : 1, &index))
        return value_poison();
    if (!value_is_given(c->args[2])) {
        store(s, b, index, value_expr(n), c->at, c->at);
        return value_none();
    }
    n = to_type(s, value_expr(n), ir_load_new(s->mem, b, index, c->at)->type, c->spans[1]);
    const ir_node *predicate = n != NULL ? predicate_of(s, c, n->type.lanes) : NULL;
    if (predicate == NULL || n == NULL) return value_poison();
    suite_emit(s, ir_make(s->mem, STORE, store, c->at, IR_VOID, .buffer = b, .index = index,
                          .value = n, .predicate = predicate));
    return value_none();
}

/* ---- Other things with brackets -------------------------------------------------------------- */

/* list[i], list[a:b]; Python counts negative numbers from the end. */
static value list_subscript(script *s, value object, value index, span at)
{
    int64_t n = object.kind == VALUE_STR ? (int64_t)object.as.text.n : (int64_t)object.as.list.n;
    int64_t first, last;
    if (index.kind == VALUE_SLICE) {
        const value *part = index.as.list.at;
        first = 0;
        last = n;
        if (part[2].kind != VALUE_NONE)
            return script_error(s, at, "slices of lists with a step are not supported");
        if (part[0].kind != VALUE_NONE &&
            !to_int(s, part[0], INT32_MIN, INT32_MAX, at, "a bound", &first))
            return value_poison();
        if (part[1].kind != VALUE_NONE &&
            !to_int(s, part[1], INT32_MIN, INT32_MAX, at, "a bound", &last))
            return value_poison();
        first = first < 0 ? first + n : first;
        last = last < 0 ? last + n : last;
        first = first < 0 ? 0 : first > n ? n : first;
        last = last < first ? first : last > n ? n : last;
    } else {
        if (!to_int(s, index, -n, n - 1, at, "this index", &first)) return value_poison();
        if (first < 0) first += n;
        last = first + 1;
        if (object.kind == VALUE_TUPLE) return object.as.list.at[first];
    }
    if (object.kind == VALUE_STR)
        return value_str((str){object.as.text.p + first, (size_t)(last - first)});
    value v = value_tuple((value_list){object.as.list.at + first, (size_t)(last - first)});
    v.is_list = object.is_list;
    return v;
}

static value dict_subscript(script *s, value object, value key, span at)
{
    for (size_t i = object.as.list.n; i >= 2; i -= 2) {
        if (value_equal(object.as.list.at[i - 2], key)) return object.as.list.at[i - 1];
    }
    return script_error(s, at, "the dict has no such key");
}

/* T.float32[4]: a local array as an annotation. */
static value type_subscript(script *s, value type, value index, span at)
{
    buffer_spec spec = {.at = at,
                        .shape_at = at,
                        .is_local = true,
                        .type = type.as.type,
                        .scope = IR_SCOPE_LOCAL,
                        .shape = index};
    value v = value_of(VALUE_SPEC);
    v.as.spec = arena_copy(s->mem, &spec, sizeof spec);
    return v;
}

/* T.let[T.float32] and T.Buffer[(n,), "float32"]. */
static value function_subscript(script *s, value fn, value index, span at)
{
    const name_row *row = fn.as.function.row;
    if (row->fn == fn_let && index.kind == VALUE_TYPE) {
        buffer_spec spec = {.at = at,
                            .is_let = true,
                            .has_type = true,
                            .type = index.as.type,
                            .pointee = index.pointee,
                            .scope = index.scope};
        value v = value_of(VALUE_SPEC);
        v.as.spec = arena_copy(s->mem, &spec, sizeof spec);
        return v;
    }
    if (row->fn == fn_handle) {
        value args[2] = {index, value_of(VALUE_ABSENT)};
        if (index.kind == VALUE_TUPLE && index.as.list.n == 2) {
            args[0] = index.as.list.at[0];
            args[1] = index.as.list.at[1];
        }
        span spans[2] = {at, at};
        call c = {.row = row, .at = at, .args = args, .spans = spans};
        return fn_handle(s, &c);
    }
    if (row->fn == fn_buffer && s->in_signature) {
        value_list items = index.kind == VALUE_TUPLE ? index.as.list : (value_list){&index, 1};
        /* One item is the shape, or the shape's only extent. */
        buffer_spec spec = {
            .at = at, .shape_at = at, .type = IR_F32, .shape = items.n != 0 ? items.at[0] : index};
        if (items.n > 2) return script_error(s, at, "T.Buffer[...] takes a shape and a type");
        if (items.n == 2 && !to_dtype(s, items.at[1], at, &spec.type)) return value_poison();
        value v = value_of(VALUE_SPEC);
        v.as.spec = arena_copy(s->mem, &spec, sizeof spec);
        return v;
    }
    return script_error(s, at, "T.%s[...] is not supported here", row->name);
}

value eval_subscript(script *s, const ast_subscript *n)
{
    value object = eval(s, n->object), index = eval_index(s, n->index);
    if (object.kind == VALUE_POISON || index.kind == VALUE_POISON) return value_poison();
    if (object.kind == VALUE_BUFFER)
        return buffer_subscript(s, object.as.buffer, index, n->node.at);
    if (object.kind == VALUE_TUPLE || object.kind == VALUE_STR)
        return list_subscript(s, object, index, n->node.at);
    if (object.kind == VALUE_DICT) return dict_subscript(s, object, index, n->node.at);
    if (object.kind == VALUE_TYPE) return type_subscript(s, object, index, n->node.at);
    if (object.kind == VALUE_FUNCTION) return function_subscript(s, object, index, n->node.at);
    if (object.kind == VALUE_UNKNOWN) return object;
    return script_error(s, n->node.at, "%s cannot be indexed", value_what(object));
}
