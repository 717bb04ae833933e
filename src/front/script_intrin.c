/* Calls of T that make expressions. */
#include "front/script_inner.h"
#include "ir/fold.h"

static const char *type_text(script *s, ir_type t)
{
    return ir_type_print(t, arena_alloc(s->mem, IR_TYPE_TEXT));
}

static value make_call(script *s, ir_builtin fn, ir_type type, const ir_node *const *args, size_t n,
                       span at)
{
    return value_expr(ir_call_new(s->mem, fn, type, ir_list_copy(s->mem, args, n), at));
}

/* ---- Operators ------------------------------------------------------------------------------- */

value fn_operator(script *s, const call *c)
{
    value a = c->args[0], b = c->args[1];
    ir_op op = (ir_op)c->row->info;
    bool python = value_is_number(a) && value_is_number(b);
    if (python && op == IR_FLOORDIV) return op_binary(s, TOKEN_FLOOR, a, b, c->at);
    if (python && op == IR_FLOORMOD) return op_binary(s, TOKEN_PERCENT, a, b, c->at);
    return op_ir(s, op, a, b, c->at);
}

value fn_ceildiv(script *s, const call *c)
{
    value sum = op_binary(s, TOKEN_PLUS, c->args[0], c->args[1], c->at);
    return op_binary(s, TOKEN_FLOOR, op_binary(s, TOKEN_MINUS, sum, value_int(1), c->at),
                     c->args[1], c->at);
}

/* T.Add(a, b) and its like: the node itself, nothing folded. */
value fn_raw(script *s, const call *c)
{
    const ir_node *a, *b;
    ir_op op = (ir_op)c->row->info;
    if (!to_common(s, c->args[0], c->args[1], op >= IR_EQ && op <= IR_GE, c->at, &a, &b))
        return value_poison();
    if (op == IR_DIV && ir_type_is_int(a->type)) op = IR_TRUNCDIV;
    bool is_float = ir_type_is_float(a->type), truth = ir_type_is_bool(a->type);
    bool whole = op == IR_FLOORDIV || op == IR_FLOORMOD || op == IR_TRUNCMOD || op == IR_BITAND ||
                 op == IR_BITOR || op == IR_BITXOR || op == IR_SHL || op == IR_SHR;
    bool logic = op == IR_AND || op == IR_OR;
    if ((whole && is_float) || (logic && !truth) || (op == IR_DIV && !is_float)) {
        return script_error(s, c->at, "T.%s is not for %s", c->row->name, type_text(s, a->type));
    }
    return value_expr(ir_bin_new(s->mem, op, a, b));
}

value fn_not(script *s, const call *c)
{
    const ir_node *a = to_bool(s, c->args[0], c->spans[0]);
    return value_expr(a != NULL ? ir_not_new(s->mem, a) : NULL);
}

value fn_bitwise_not(script *s, const call *c)
{
    const ir_node *a = to_index(s, c->args[0], c->spans[0]);
    return a != NULL ? make_call(s, IR_FN_BITNOT, a->type, &a, 1, c->at) : value_poison();
}

/* ---- Builtins by their rules ----------------------------------------------------------------- */

/* The arguments brought to one type: float32 or wider for FLOAT. False: reported. */
static bool common_args(script *s, const call *c, ir_rule rule, const ir_node **args)
{
    value all = c->rest_count > 0 ? c->rest[0] : value_none();
    bool any_float = (ir_builtin)c->row->info != IR_FN_POW;
    for (size_t i = 0; i < c->rest_count && !any_float; ++i) {
        const ir_node *n = to_expr(s, c->rest[i], c->rest_spans[i]);
        any_float = n == NULL || ir_type_is_float(n->type);
    }
    if (!any_float) {
        script_error(s, c->at, "T.pow is for floats, which hold a power of integers only up to 24 bits: convert one of them to a "
                     "float type, or multiply");
        return false;
    }
    for (size_t i = 0; i < c->rest_count; ++i) {
        const ir_node *a, *b;
        if (!to_common(s, all, c->rest[i], false, c->rest_spans[i], &a, &b)) return false;
        if (rule == IR_RULE_FLOAT && !ir_type_is_float(a->type)) {
            ir_type t = ir_type_lanes(IR_F32, a->type.lanes);
            a = ir_fold_cast(s->mem, t, a);
        }
        all = value_expr(a);
    }
    for (size_t i = 0; i < c->rest_count; ++i) {
        args[i] = to_type(s, c->rest[i], all.as.expr->type, c->rest_spans[i]);
        if (args[i] == NULL) return false;
    }
    return true;
}

static ir_type result_type(ir_rule rule, ir_type arg)
{
    if (rule == IR_RULE_BOOL) return ir_type_lanes(IR_B1, arg.lanes);
    if (rule == IR_RULE_I32) return ir_type_lanes(IR_I32, arg.lanes);
    return arg;
}

/* The first element of the memory at a pointer: what `out.data` says of an allreduce's result. */
static const ir_node *first_element(script *s, const ir_node *pointer, span at)
{
    const ir_var *data = ir_as_var_ref(pointer)->var;
    ir_buffer *b = arena_new(s->mem, ir_buffer);
    const ir_node *one = ir_int_new(s->mem, IR_I32, 1, at), *zero = ir_int_new(s->mem, IR_I32, 0, at);
    *b = (ir_buffer){.name = data->name, .data = data, .type = data->pointee, .shape = ir_list_one(s->mem, one), .scope = data->scope, .at = at};
    suite_emit(s, ir_make(s->mem, DECL, decl, at, IR_VOID, .buffer = b));
    return ir_make(s->mem, LOAD, load, at, b->type, .buffer = b, .index = ir_list_one(s->mem, zero));
}

/* tvm_thread_allreduce, warp shuffles: each argument keeps its own type. */
static value call_as_given(script *s, const call *c, ir_builtin fn)
{
    const ir_node **args = arena_array(s->mem, const ir_node *, c->rest_count);
    for (size_t i = 0; i < c->rest_count; ++i) {
        args[i] = to_expr(s, c->rest[i], c->rest_spans[i]);
        if (args[i] == NULL) return value_poison();
        bool memory = fn == IR_FN_ALLREDUCE && args[i]->kind == IR_VAR && ir_type_is_pointer(args[i]->type);
        if (memory && s->suite != NULL) args[i] = first_element(s, args[i], c->rest_spans[i]);
    }
    bool shuffle = fn >= IR_FN_SHUFFLE && fn <= IR_FN_SHUFFLE_XOR;
    return make_call(s, fn, shuffle ? args[1]->type : IR_VOID, args, c->rest_count, c->at);
}

/* A type that the call states must be the one it has; calls without a value may say "handle" or
 * "void". */
static value check_stated(script *s, const call *c, value v)
{
    ir_type stated;
    if (v.kind != VALUE_EXPR || !value_is_given(c->args[1])) return v;
    if (!to_dtype(s, c->args[1], c->at, &stated)) return value_poison();
    if (ir_type_is_void(v.as.expr->type) || ir_type_eq(stated, v.as.expr->type)) return v;
    return script_error(s, c->at, "T.%s gives %s here, not %s", c->row->name,
                        type_text(s, v.as.expr->type), type_text(s, stated));
}

value fn_builtin(script *s, const call *c)
{
    ir_builtin fn = (ir_builtin)c->row->info;
    const ir_builtin_info *info = &ir_builtins[fn];
    if (c->rest_count < info->least || c->rest_count > info->most) {
        return script_error(s, c->at, "T.%s takes %u argument%s, not %zu", info->name, info->least,
                            info->least == 1 ? "" : "s", c->rest_count);
    }
    bool shuffle = fn >= IR_FN_SHUFFLE && fn <= IR_FN_SHUFFLE_XOR;
    if (shuffle || info->rule == IR_RULE_VOID) return check_stated(s, c, call_as_given(s, c, fn));
    if (info->rule == IR_RULE_GIVEN)
        return script_error(s, c->at, "T.%s cannot be written like this", info->name);
    const ir_node **args = arena_array(s->mem, const ir_node *, c->rest_count);
    if (!common_args(s, c, info->rule, args)) return value_poison();
    bool whole = fn == IR_FN_POPCOUNT || fn == IR_FN_CLZ;
    if (whole && !ir_type_is_int(args[0]->type)) {
        return script_error(s, c->at, "T.%s is for integers, this is %s", info->name,
                            type_text(s, args[0]->type));
    }
    return check_stated(
        s, c, make_call(s, fn, result_type(info->rule, args[0]->type), args, c->rest_count, c->at));
}

value fn_ldexp(script *s, const call *c)
{
    const ir_node *x = to_expr(s, c->args[0], c->spans[0]),
                  *e = to_index(s, c->args[1], c->spans[1]);
    if (x == NULL || e == NULL) return value_poison();
    if (!ir_type_is_float(x->type))
        x = ir_fold_cast(s->mem, ir_type_lanes(IR_F32, x->type.lanes), x);
    e = to_type(s, value_expr(e), ir_type_lanes(IR_I32, x->type.lanes), c->spans[1]);
    if (e == NULL) return value_poison();
    return make_call(s, IR_FN_LDEXP, x->type, (const ir_node *const[]){x, e}, 2, c->at);
}

value fn_activemask(script *s, const call *c)
{
    return make_call(s, IR_FN_ACTIVEMASK, IR_U32, NULL, 0, c->at);
}

/* A promise of the program that nothing is made of: it is read for its errors, and nothing is evaluated. */
value fn_assume(script *s, const call *c)
{
    const ir_node *cond = to_bool(s, c->args[0], c->spans[0]);
    return cond != NULL ? value_fresh(value_expr(ir_int_new(s->mem, IR_B1, 1, c->at))) : value_poison();
}

/* Any value will do: 0. */
value fn_undef(script *s, const call *c)
{
    ir_type type = IR_I32;
    if (value_is_given(c->args[0]) && !to_dtype(s, c->args[0], c->spans[0], &type)) return value_poison();
    const ir_node *n = to_type(s, value_int(0), ir_type_lanes(type, 1), c->at);
    if (n == NULL) return value_poison();
    return value_expr(type.lanes == 1 ? n : ir_broadcast_new(s->mem, n, type.lanes));
}

value fn_isnullptr(script *s, const call *c)
{
    return script_error(s, c->at, "T.isnullptr is not supported");
}

value fn_refused(script *s, const call *c)
{
    return script_error(s, c->at, "T.%s is not supported", c->row->name);
}

/* ---- Choices --------------------------------------------------------------------------------- */

static bool arms(script *s, const call *c, const ir_node **cond, const ir_node **yes,
                 const ir_node **no)
{
    *cond = to_bool(s, c->args[0], c->spans[0]);
    if (*cond == NULL || !to_common(s, c->args[1], c->args[2], false, c->at, yes, no)) return false;
    uint32_t lanes = (*cond)->type.lanes;
    if (lanes == (*yes)->type.lanes || lanes == 1) return true;
    if ((*yes)->type.lanes != 1) {
        script_error(s, c->at, "the condition has other lanes than the values");
        return false;
    }
    *yes = ir_broadcast_new(s->mem, *yes, lanes);
    *no = ir_broadcast_new(s->mem, *no, lanes);
    return true;
}

value fn_select(script *s, const call *c)
{
    const ir_node *cond, *yes, *no;
    if (!arms(s, c, &cond, &yes, &no)) return value_poison();
    return value_expr(
        ir_make(s->mem, SELECT, select, c->at, yes->type, .cond = cond, .yes = yes, .no = no));
}

value fn_if_then_else(script *s, const call *c)
{
    const ir_node *cond, *yes, *no;
    if (!arms(s, c, &cond, &yes, &no)) return value_poison();
    return make_call(s, IR_FN_IF_THEN_ELSE, yes->type, (const ir_node *const[]){cond, yes, no}, 3,
                     c->at);
}

/* ---- Vectors --------------------------------------------------------------------------------- */

static bool lanes_of(script *s, value v, span at, uint32_t *out)
{
    int64_t lanes;
    if (!to_int(s, v, 1, 64, at, "the number of lanes", &lanes)) return false;
    *out = (uint32_t)lanes;
    return true;
}

value fn_ramp(script *s, const call *c)
{
    const ir_node *base, *stride;
    uint32_t lanes;
    if (!lanes_of(s, c->args[2], c->spans[2], &lanes)) return value_poison();
    if (!to_common(s, c->args[0], c->args[1], false, c->at, &base, &stride)) return value_poison();
    if (base->type.lanes != 1 || !ir_type_is_int(base->type))
        return script_error(s, c->at, "a ramp is of scalar integers");
    if (lanes == 1) return value_expr(base);
    return value_expr(ir_make(s->mem, RAMP, ramp, c->at, ir_type_lanes(base->type, lanes),
                              .base = base, .stride = stride));
}

/* T.get_active_lane_mask("boolx4", base, limit): base + lane < limit. */
value fn_lane_mask(script *s, const call *c)
{
    ir_type type;
    const ir_node *base, *limit;
    if (!to_dtype(s, c->args[0], c->spans[0], &type)) return value_poison();
    if (!to_common(s, c->args[1], c->args[2], false, c->at, &base, &limit)) return value_poison();
    if (!ir_type_is_bool(type) || base->type.lanes != 1 || !ir_type_is_int(base->type))
        return script_error(s, c->at, "T.get_active_lane_mask gives a vector of bools from two integers");
    if (type.lanes == 1) return op_ir(s, IR_LT, c->args[1], c->args[2], c->at);
    const ir_node *lanes = ir_make(s->mem, RAMP, ramp, c->at, ir_type_lanes(base->type, type.lanes), .base = base,
                                   .stride = ir_int_new(s->mem, base->type, 1, c->at));
    return op_ir(s, IR_LT, value_expr(lanes), value_expr(ir_broadcast_new(s->mem, limit, type.lanes)), c->at);
}

value fn_broadcast(script *s, const call *c)
{
    uint32_t lanes;
    const ir_node *n = to_expr(s, c->args[0], c->spans[0]);
    if (n == NULL || !lanes_of(s, c->args[1], c->spans[1], &lanes)) return value_poison();
    if (n->type.lanes != 1) return script_error(s, c->at, "only a scalar can be broadcast");
    return value_expr(lanes == 1 ? n : ir_broadcast_new(s->mem, n, lanes));
}

static value shuffle(script *s, ir_list vectors, ir_list index, span at)
{
    ir_type t = ir_type_lanes(vectors.at[0]->type, (uint32_t)index.n);
    return value_expr(ir_make(s->mem, SHUFFLE, shuffle, at, t, .vectors = vectors, .index = index));
}

value fn_shuffle(script *s, const call *c)
{
    ir_node_vec vectors = {0}, index = {0};
    bool lists = c->args[0].kind == VALUE_TUPLE && c->args[1].kind == VALUE_TUPLE;
    if (!lists || c->args[0].as.list.n == 0 || c->args[1].as.list.n == 0 ||
        c->args[1].as.list.n > 64) {
        return script_error(s, c->at,
                            "T.Shuffle takes a list of vectors and a list of lane numbers");
    }
    uint32_t total = 0;
    for (size_t i = 0; i < c->args[0].as.list.n; ++i) {
        const ir_node *n = to_expr(s, c->args[0].as.list.at[i], c->spans[0]);
        if (n == NULL) return value_poison();
        total += n->type.lanes;
        bool same =
            i == 0 || ir_type_eq(ir_type_element(n->type), ir_type_element(vectors.at[0]->type));
        if (!same)
            return script_error(s, c->at, "the vectors of a shuffle must have one element type");
        ir_node_vec_push(s->mem, &vectors, n);
    }
    for (size_t i = 0; i < c->args[1].as.list.n; ++i) {
        int64_t lane;
        if (!to_int(s, c->args[1].as.list.at[i], 0, (int64_t)total - 1, c->spans[1],
                    "a lane of T.Shuffle", &lane))
            return value_poison();
        ir_node_vec_push(s->mem, &index, ir_int_new(s->mem, IR_I32, lane, c->spans[1]));
    }
    return shuffle(s, ir_list_of(vectors), ir_list_of(index), c->at);
}

static value lanes_between(script *s, ir_list vectors, uint32_t begin, uint32_t end, span at)
{
    ir_node_vec index = {0};
    for (uint32_t i = begin; i < end; ++i)
        ir_node_vec_push(s->mem, &index, ir_int_new(s->mem, IR_I32, i, at));
    return shuffle(s, vectors, ir_list_of(index), at);
}

value fn_vector_half(script *s, const call *c)
{
    const ir_node *n = to_expr(s, c->args[1], c->spans[1]);
    if (n == NULL) return value_poison();
    uint32_t lanes = n->type.lanes;
    if (lanes % 2 != 0)
        return script_error(s, c->at, "T.%s needs an even number of lanes", c->row->name);
    bool high = c->row->info == 1;
    return lanes_between(s, ir_list_one(s->mem, n), high ? lanes / 2 : 0, high ? lanes : lanes / 2,
                         c->at);
}

value fn_vector_join(script *s, const call *c)
{
    const ir_node *a = to_expr(s, c->args[1], c->spans[1]),
                  *b = to_expr(s, c->args[2], c->spans[2]);
    if (a == NULL || b == NULL) return value_poison();
    if (!ir_type_eq(ir_type_element(a->type), ir_type_element(b->type)) ||
        a->type.lanes + b->type.lanes > 64) {
        return script_error(s, c->at, "T.vectorcombine joins two vectors of one element type");
    }
    ir_list both = ir_list_copy(s->mem, (const ir_node *const[]){a, b}, 2);
    return lanes_between(s, both, 0, (uint32_t)a->type.lanes + b->type.lanes, c->at);
}

/* ---- Pointers -------------------------------------------------------------------------------- */

static value pointer_value(value v, ir_type pointee, ir_scope where)
{
    v.pointee = pointee;
    v.scope = where;
    return v;
}

value fn_address_of(script *s, const call *c)
{
    value v = c->args[0];
    if (v.kind == VALUE_BUFFER) {
        const ir_node *zero = ir_int_new(s->mem, IR_I32, 0, c->at);
        ir_node_vec index = {0};
        for (size_t i = 0; i < v.as.buffer->shape.n; ++i) ir_node_vec_push(s->mem, &index, zero);
        v = value_expr(ir_load_new(s->mem, v.as.buffer, ir_list_of(index), c->at));
    }
    if (v.kind != VALUE_EXPR || v.as.expr->kind != IR_LOAD) {
        return v.kind == VALUE_POISON
                   ? v
                   : script_error(s, c->at, "T.address_of takes an element of a buffer");
    }
    const ir_buffer *b = ir_as_load(v.as.expr)->buffer;
    value p = make_call(s, IR_FN_ADDRESS_OF, IR_POINTER, &v.as.expr, 1, c->at);
    return pointer_value(p, b->type, b->scope);
}

static const ir_node *to_pointer(script *s, value v, span at)
{
    const ir_node *n =
        v.kind == VALUE_BUFFER ? ir_ref(s->mem, v.as.buffer->data, at) : to_expr(s, v, at);
    if (n == NULL || (ir_type_is_pointer(n->type) && n->kind != IR_STRING)) return n;
    script_error(s, at, "a pointer is needed here, this is %s", type_text(s, n->type));
    return NULL;
}

value fn_byte_offset(script *s, const call *c)
{
    const ir_node *p = to_pointer(s, c->args[0], c->spans[0]),
                  *n = to_index(s, c->args[1], c->spans[1]);
    if (p == NULL || n == NULL) return value_poison();
    ir_type pointee;
    ir_scope where;
    value from = c->args[0].kind == VALUE_BUFFER ? value_expr(p) : c->args[0];
    pointer_target(from, &pointee, &where);
    bool typed = c->row->params[strlen(c->row->params) - 1] == '?' && value_is_given(c->args[2]);
    if (!typed) pointee = IR_VOID;
    if (typed && !to_dtype(s, c->args[2], c->spans[2], &pointee)) return value_poison();
    value v = make_call(s, IR_FN_BYTE_OFFSET, IR_POINTER, (const ir_node *const[]){p, n}, 2, c->at);
    return pointer_value(v, pointee, where);
}

static value access_ptr(script *s, ir_type type, const ir_node *data, const ir_node *const rest[3],
                        span at)
{
    str text = str_of(type_text(s, type));
    const ir_node *args[] = {ir_string_new(s->mem, text, at), data, rest[0], rest[1], rest[2]};
    value v = make_call(s, IR_FN_ACCESS_PTR, IR_POINTER, args, 5, at);
    ir_type pointee;
    ir_scope where;
    pointer_target(value_expr(data), &pointee, &where);
    return pointer_value(v, type, where);
}

value fn_access_ptr(script *s, const call *c)
{
    ir_type type;
    if (!to_dtype(s, c->args[0], c->spans[0], &type)) return value_poison();
    const ir_node *data = to_pointer(s, c->args[1], c->spans[1]), *rest[3];
    if (data == NULL) return value_poison();
    for (size_t i = 0; i < 3; ++i) {
        rest[i] = to_index(s, c->args[i + 2], c->spans[i + 2]);
        if (rest[i] == NULL) return value_poison();
    }
    return access_ptr(s, type, data, rest, c->at);
}

/* A mask of 1 (read) and 2 (write) from "r", "w", "rw" or the number itself. */
static bool access_mask(script *s, value v, span at, int64_t *out)
{
    if (v.kind != VALUE_STR) return to_int(s, v, 1, 3, at, "the access mask", out);
    *out = 0;
    for (size_t i = 0; i < v.as.text.n; ++i) {
        if (v.as.text.p[i] == 'r') *out |= 1;
        if (v.as.text.p[i] == 'w') *out |= 2;
    }
    if (*out != 0) return true;
    script_error(s, at, "the access mask must be \"r\", \"w\" or \"rw\"");
    return false;
}

value fn_method_access_ptr(script *s, const call *c)
{
    const ir_buffer *b = c->receiver.as.buffer;
    int64_t mask;
    if (!access_mask(s, c->args[0], c->spans[0], &mask)) return value_poison();
    if (value_is_given(c->args[1]) || value_is_given(c->args[2])) {
        return script_error(s, c->at, "access_ptr with ptr_type or content_lanes is not supported");
    }
    value elements = value_int(1), offset = value_is_given(c->args[3]) ? c->args[3] : value_int(0);
    for (size_t i = 0; i < b->shape.n; ++i)
        elements = op_binary(s, TOKEN_STAR, elements, value_expr(b->shape.at[i]), c->at);
    value extent = value_is_given(c->args[4]) ? c->args[4]
                                              : op_binary(s, TOKEN_MINUS, elements, offset, c->at);
    if (b->elem_offset != NULL)
        offset = op_binary(s, TOKEN_PLUS, offset, value_expr(b->elem_offset), c->at);
    const ir_node *rest[] = {to_index(s, offset, c->at), to_index(s, extent, c->at),
                             ir_int_new(s->mem, IR_I32, mask, c->at)};
    if (rest[0] == NULL || rest[1] == NULL) return value_poison();
    return access_ptr(s, b->type, ir_ref(s->mem, b->data, c->at), rest, c->at);
}

/* ---- Simdgroups ------------------------------------------------------------------------------ */

value fn_metal(script *s, const call *c)
{
    ir_builtin fn = (ir_builtin)c->row->info;
    const ir_node *args[8];
    size_t n = fn == IR_FN_SIMD_FILL ? 5 : fn == IR_FN_SIMD_MMA ? 8 : 7;
    for (size_t i = 0; i < n; ++i) {
        value v = c->args[i];
        bool pointer =
            fn == IR_FN_SIMD_MMA ? i % 2 == 0 : i == 0 || (i == 2 && fn != IR_FN_SIMD_FILL);
        bool last = fn != IR_FN_SIMD_FILL && fn != IR_FN_SIMD_MMA && i == 6;
        if (v.kind == VALUE_ABSENT) v = last ? value_bool(false) : value_int(8);
        args[i] = pointer ? to_pointer(s, v, c->spans[i])
                  : last  ? to_bool(s, v, c->spans[i])
                          : to_expr(s, v, c->spans[i]);
        if (args[i] == NULL) return value_poison();
    }
    return make_call(s, fn, IR_VOID, args, n, c->at);
}

value fn_simd_shuffle(script *s, const call *c)
{
    const ir_node *v = to_expr(s, c->args[0], c->spans[0]),
                  *lane = to_index(s, c->args[1], c->spans[1]);
    if (v == NULL || lane == NULL) return value_poison();
    return make_call(s, (ir_builtin)c->row->info, v->type, (const ir_node *const[]){v, lane}, 2,
                     c->at);
}

value fn_storage_sync(script *s, const call *c)
{
    str scope_name;
    ir_scope where;
    if (!to_str(s, c->args[0], c->spans[0], "a scope", &scope_name)) return value_poison();
    if (!to_scope(s, c->args[0], c->spans[0], &where)) return value_poison();
    const ir_node *args[3] = {ir_string_new(s->mem, scope_name, c->at)};
    size_t n = 1;
    for (size_t i = 1; i < 3 && value_is_given(c->args[i]); ++i) {
        args[n] = to_expr(s, c->args[i], c->spans[i]);
        if (args[n++] == NULL) return value_poison();
    }
    return make_call(s, IR_FN_STORAGE_SYNC, IR_VOID, args, n, c->at);
}

/* ---- Calls by name --------------------------------------------------------------------------- */

/* Type and name of a call: ("float32", "name", ...), or ("name", ..., dtype="float32"). The further
 * arguments begin at *first. False: reported. */
static bool type_and_name(script *s, const call *c, ir_type *type, str *name, size_t *first)
{
    bool keyword = value_is_given(c->args[1]);
    *first = keyword ? 1 : 2;
    if (c->rest_count < *first) {
        script_error(s, c->at, "T.%s takes a type and the name of a function", c->row->name);
        return false;
    }
    value t = keyword ? c->args[1] : c->rest[0];
    span t_at = keyword ? c->spans[1] : c->rest_spans[0];
    return to_dtype(s, t, t_at, type) && to_str(s, c->rest[*first - 1], c->rest_spans[*first - 1],
                                                "the name of a function", name);
}

static value call_by_name(script *s, const call *c, ir_builtin fn, ir_type type, str name,
                          size_t first)
{
    ir_node_vec args = {0};
    ir_node_vec_push(s->mem, &args, ir_string_new(s->mem, name, c->at));
    if (c->rest_count - first > 63)
        return script_error(s, c->at, "a call takes at most 63 arguments");
    for (size_t i = first; i < c->rest_count; ++i) {
        const ir_node *n = to_expr(s, c->rest[i], c->rest_spans[i]);
        if (n == NULL) return value_poison();
        ir_node_vec_push(s->mem, &args, n);
    }
    return value_expr(ir_call_new(s->mem, fn, type, ir_list_of(args), c->at));
}

value fn_call_extern(script *s, const call *c)
{
    ir_type type;
    str name;
    size_t first;
    if (!type_and_name(s, c, &type, &name, &first)) return value_poison();
    return call_by_name(s, c, (ir_builtin)c->row->info, type, name, first);
}

value fn_call_packed(script *s, const call *c)
{
    str name;
    if (!to_str(s, c->args[0], c->spans[0], "the name of a function", &name)) return value_poison();
    return call_by_name(s, c, IR_FN_CALL_PACKED, IR_I32, name, 0);
}

/* T.call_intrin("float32", "tirx.exp", x): the builtin under its full name. */
value fn_call_intrin(script *s, const call *c)
{
    ir_type type;
    str name;
    size_t first;
    if (!type_and_name(s, c, &type, &name, &first)) return value_poison();
    str bare = name;
    if (str_starts(bare, STR("tirx.")))
        bare = (str){bare.p + 5, bare.n - 5};
    else if (str_starts(bare, STR("tir.")))
        bare = (str){bare.p + 4, bare.n - 4};
    const name_row *row = name_find(s, SPACE_T, bare);
    if (row != NULL && row->fn == fn_atomic) return atomic_intrin(s, c, row, first);
    if (row == NULL || row->fn != fn_builtin)
        return script_error(s, c->at, "intrinsic '%.*s' is not supported", STR_ARG(name));
    value args[3] = {value_of(VALUE_ABSENT), value_type(type), value_of(VALUE_ABSENT)};
    call inner = *c;
    inner.row = row;
    inner.args = args;
    inner.rest = c->rest + first;
    inner.rest_spans = c->rest_spans + first;
    inner.rest_count = c->rest_count - first;
    return fn_builtin(s, &inner);
}

/* ---- Reducers -------------------------------------------------------------------------------- */

/* The identity elements as a list of expressions. */
static bool identities(script *s, value v, span at, ir_node_vec *out)
{
    value_list items = v.kind == VALUE_TUPLE ? v.as.list : (value_list){&v, 1};
    for (size_t i = 0; i < items.n; ++i) {
        const ir_node *n = to_expr(s, items.at[i], at);
        if (n == NULL) return false;
        ir_node_vec_push(s->mem, out, n);
    }
    return true;
}

static ir_vars reducer_vars(script *s, const ast_lambda *f, size_t first, ir_node_vec identity,
                            value_vec *args)
{
    ir_var_vec vars = {0};
    for (size_t i = 0; i < identity.n; ++i) {
        const ast_param *p = ast_as_param(f->params.at[first + i]);
        const ir_var *v = ir_var_new(s->mem, p->name, identity.at[i]->type, p->node.at);
        ir_var_vec_push(s->mem, &vars, v);
        value_vec_push(s->mem, args, value_expr(ir_ref(s->mem, v, p->node.at)));
    }
    return (ir_vars){(const ir_var *const *)vars.at, vars.n};
}

value fn_comm_reducer(script *s, const call *c)
{
    ir_node_vec identity = {0};
    if (!identities(s, c->args[1], c->spans[1], &identity)) return value_poison();
    bool lambda =
        c->args[0].kind == VALUE_CLOSURE && c->args[0].as.closure->node->kind == AST_LAMBDA;
    if (!lambda) return script_error(s, c->spans[0], "a reducer is a lambda");
    const ast_lambda *f = ast_as_lambda(c->args[0].as.closure->node);
    if (identity.n == 0 || f->params.n != 2 * identity.n) {
        return script_error(s, c->at, "a reducer over %zu values has %zu parameters, this has %zu",
                            identity.n, 2 * identity.n, f->params.n);
    }
    value_vec args = {0};
    ir_vars lhs = reducer_vars(s, f, 0, identity, &args),
            rhs = reducer_vars(s, f, identity.n, identity, &args);
    value result = call_closure(s, c->args[0].as.closure, (value_list){args.at, args.n}, c->at);
    if (result.kind == VALUE_POISON) return result;
    value_list items = result.kind == VALUE_TUPLE ? result.as.list : (value_list){&result, 1};
    if (items.n != identity.n)
        return script_error(s, c->at, "this reducer gives %zu values, not %zu", items.n,
                            identity.n);
    ir_node_vec results = {0};
    for (size_t i = 0; i < items.n; ++i) {
        const ir_node *n = to_type(s, items.at[i], identity.at[i]->type, c->spans[0]);
        if (n == NULL) return value_poison();
        ir_node_vec_push(s->mem, &results, n);
    }
    return value_fresh(
        value_expr(ir_make(s->mem, REDUCER, reducer, c->at, IR_VOID, .lhs = lhs, .rhs = rhs,
                           .result = ir_list_of(results), .identity = ir_list_of(identity))));
}

/* T.Let(body, where={v: value}). */
value fn_let_expr(script *s, const call *c)
{
    value where = c->args[1];
    const ir_node *body = to_expr(s, c->args[0], c->spans[0]);
    if (where.kind != VALUE_DICT || where.as.list.n > 2 * 64) {
        return script_error(s, c->at, "T.Let takes where={variable: value}, 64 at most");
    }
    for (size_t i = where.as.list.n; i >= 2 && body != NULL; i -= 2) {
        value v = where.as.list.at[i - 2];
        bool var = v.kind == VALUE_EXPR && v.as.expr->kind == IR_VAR;
        if (!var)
            return script_error(s, c->spans[1],
                                "T.Let defines variables made by T.int32() or its like");
        const ir_var *defined = ir_as_var_ref(v.as.expr)->var;
        const ir_node *n = to_type(s, where.as.list.at[i - 1], defined->type, c->spans[1]);
        if (n == NULL) return value_poison();
        if (map_get_id(&s->func->let_vars, defined) != NULL) {
            return script_error(s, c->spans[1], "'%.*s' is defined by another T.Let",
                                STR_ARG(defined->name));
        }
        map_put_id(s->mem, &s->func->let_vars, defined, defined);
        body =
            ir_make(s->mem, LET, let, c->at, body->type, .var = defined, .value = n, .body = body);
    }
    return value_expr(body);
}

/* T.Range(begin, end): the pair that T.axis takes. */
value fn_range_object(script *s, const call *c)
{
    value *pair = arena_array(s->mem, value, 2);
    pair[0] = value_is_given(c->args[1]) ? c->args[0] : value_int(0);
    pair[1] = value_is_given(c->args[1]) ? c->args[1] : c->args[0];
    return value_tuple((value_list){pair, 2});
}
