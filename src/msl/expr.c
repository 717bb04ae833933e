/* Expressions, with the parentheses that C++ needs and those that a reader wants. */
#include "ir/fold.h"
#include "msl/emitter.h"

/* C++ precedence of what an operator is printed as; higher binds tighter. */
typedef struct spelling {
    const char *text;
    int level;
} spelling;

enum { LEVEL_TERNARY = 2, LEVEL_OR = 3, LEVEL_AND = 4, LEVEL_SUM = 11, LEVEL_PRODUCT = 12 };

static const spelling spellings[] = {
    [IR_ADD] = {"+", LEVEL_SUM},   [IR_SUB] = {"-", LEVEL_SUM},       [IR_MUL] = {"*", LEVEL_PRODUCT},
    [IR_DIV] = {"/", LEVEL_PRODUCT}, [IR_TRUNCDIV] = {"/", LEVEL_PRODUCT}, [IR_TRUNCMOD] = {"%", LEVEL_PRODUCT},
    [IR_EQ] = {"==", 8},           [IR_NE] = {"!=", 8},               [IR_LT] = {"<", 9},
    [IR_LE] = {"<=", 9},           [IR_GT] = {">", 9},                [IR_GE] = {">=", 9},
    [IR_AND] = {"&&", LEVEL_AND},  [IR_OR] = {"||", LEVEL_OR},        [IR_BITAND] = {"&", 7},
    [IR_BITXOR] = {"^", 6},        [IR_BITOR] = {"|", 5},             [IR_SHL] = {"<<", 10},
    [IR_SHR] = {">>", 10},
    /* Functions and what lowering has replaced. */
    [IR_MIN] = {NULL, 0},          [IR_MAX] = {NULL, 0},              [IR_FLOORDIV] = {NULL, 0},
    [IR_FLOORMOD] = {NULL, 0},
};

static bool is_bitwise(ir_op op)
{
    return op == IR_BITAND || op == IR_BITOR || op == IR_BITXOR || op == IR_SHL || op == IR_SHR;
}

/* ---- Constants ------------------------------------------------------------------------------- */

static void int_constant(emitter *e, ir_type t, int64_t v)
{
    if (t.code == IR_BOOL) {
        buf_text(&e->out, v != 0 ? "true" : "false");
        return;
    }
    bool is_signed = t.code == IR_INT;
    if (is_signed && v == ir_type_min(t) && t.bits >= 32) {
        /* The literal without its sign is no value of the type. */
        buf_printf(&e->out, t.bits == 64 ? "(-%lldl - 1l)" : "(-%lld - 1)", -(long long)(v + 1));
        return;
    }
    const char *open = t.bits < 32 ? msl_type_or_error(e, t, (span){0}) : "", *close = t.bits < 32 ? ")" : "";
    buf_printf(&e->out, "%s%s", open, t.bits < 32 ? "(" : "");
    if (is_signed) {
        buf_printf(&e->out, "%lld%s", (long long)v, t.bits == 64 ? "l" : "");
    } else {
        buf_printf(&e->out, "%llu%s", (unsigned long long)v, t.bits == 64 ? "ul" : t.bits == 32 ? "u" : "");
    }
    buf_text(&e->out, close);
}

static void float_constant(emitter *e, ir_type t, double v, span at)
{
    const char *type = msl_type_or_error(e, t, at);
    bool plain = t.code == IR_FLOAT && t.bits == 32;
    if (v != v || v - v != v - v) {
        const char *word = v != v ? "NAN" : v > 0 ? "INFINITY" : "-INFINITY";
        if (plain) {
            buf_text(&e->out, word);
        } else {
            buf_printf(&e->out, "%s(%s)", type, word);
        }
        return;
    }
    char text[NUM_TEXT];
    num_print_float((float)v, text);
    if (plain) {
        buf_printf(&e->out, "%sf", text);
    } else if (t.code == IR_FLOAT) {
        buf_printf(&e->out, "%sh", text);
    } else {
        buf_printf(&e->out, "%s(%sf)", type, text);
    }
}

/* ---- Memory ----------------------------------------------------------------------------------- */

/* A pointer to the buffer's elements: its data, cast where another type lives there. */
static void pointer(emitter *e, const ir_buffer *b)
{
    const char *name = msl_var_name(e, b->data);
    if (ir_type_eq(b->data->pointee, b->type)) {
        buf_text(&e->out, name);
        return;
    }
    bool is_const = map_get_id(&e->written, b->data) == NULL && b->data->scope == IR_SCOPE_GLOBAL;
    buf_printf(&e->out, "((%s %s%s*)%s)", msl_space(b->data->scope), is_const ? "const " : "",
               msl_type_or_error(e, b->type, b->at), name);
}

void msl_element(emitter *e, const ir_buffer *b, const ir_node *index)
{
    if (map_get_id(&e->scalars, b->data) != NULL) {
        buf_text(&e->out, msl_var_name(e, b->data));
        return;
    }
    pointer(e, b);
    buf_char(&e->out, '[');
    msl_expr(e, index, MSL_LOWEST);
    buf_char(&e->out, ']');
}

void msl_element_lane(emitter *e, const ir_buffer *b, const ir_node *index, const char *where, uint32_t lane)
{
    if (map_get_id(&e->scalars, b->data) != NULL) {
        buf_text(&e->out, msl_var_name(e, b->data));
        return;
    }
    pointer(e, b);
    buf_char(&e->out, '[');
    if (where != NULL) {
        buf_printf(&e->out, "%s[%u]", where, lane);
    } else {
        msl_lane(e, index, lane, MSL_LOWEST);
    }
    buf_char(&e->out, ']');
}

/* Is it a constant multiple of `lanes`, whatever its variables are? */
static bool is_multiple(const ir_node *n, int64_t lanes)
{
    int64_t v;
    if (ir_const_value(n, &v)) return v % lanes == 0;
    /* Modulo 2^32 a multiple of 2 or 4 stays one. */
    if (n->kind == IR_CAST && ir_type_is_int(ir_as_cast(n)->a->type) && lanes != 3) {
        return is_multiple(ir_as_cast(n)->a, lanes);
    }
    if (n->kind != IR_BIN) return false;
    const ir_bin *b = ir_as_bin(n);
    if (b->op == IR_MUL) return is_multiple(b->a, lanes) || is_multiple(b->b, lanes);
    if (b->op == IR_ADD || b->op == IR_SUB) return is_multiple(b->a, lanes) && is_multiple(b->b, lanes);
    return false;
}

msl_access msl_access_of(emitter *e, const ir_buffer *b, const ir_node *index, ir_type type)
{
    if (index->type.lanes == 1) return MSL_ELEMENT;
    bool dense = index->kind == IR_RAMP && ir_is_const(ir_as_ramp(index)->stride, 1) && b->type.lanes == 1;
    if (!dense || map_get_id(&e->scalars, b->data) != NULL) return MSL_LANES;
    /* Memory of our own starts aligned; a caller's buffer only promises its element's alignment. A
     * three-wide vector takes four elements' place, so it is always packed. */
    bool own = b->data->scope != IR_SCOPE_GLOBAL && ir_type_eq(b->data->pointee, b->type);
    if (own && type.lanes != 3 && type.code != IR_BOOL && is_multiple(ir_as_ramp(index)->base, type.lanes)) {
        return MSL_ALIGNED;
    }
    return msl_packed_type(e, type) != NULL ? MSL_PACKED : MSL_LANES;
}

void msl_vector_place(emitter *e, const ir_buffer *b, const ir_node *index, ir_type type, msl_access how)
{
    bool is_const = map_get_id(&e->written, b->data) == NULL && b->data->scope == IR_SCOPE_GLOBAL;
    const char *name = how == MSL_PACKED ? msl_packed_type(e, type) : msl_type_or_error(e, type, index->at);
    buf_printf(&e->out, "*(%s %s%s*)(", msl_space(b->data->scope), is_const ? "const " : "", name);
    pointer(e, b);
    const ir_node *base = ir_as_ramp(index)->base;
    if (!ir_is_const(base, 0)) {
        buf_text(&e->out, " + ");
        msl_expr(e, base, LEVEL_SUM + 1);
    }
    buf_char(&e->out, ')');
}

static void load(emitter *e, const ir_load *n, int level)
{
    if (n->index.n != 1 || n->predicate != NULL) {
        diag_error(e->diags, n->node.at, n->predicate != NULL ? "Predicated buffer load is not supported."
                                                              : "Load from non-flat memory not supported");
        return;
    }
    const ir_node *index = n->index.at[0];
    ir_type type = n->node.type;
    msl_access how = msl_access_of(e, n->buffer, index, type);
    switch (how) {
    case MSL_ELEMENT: msl_element(e, n->buffer, index); return;
    case MSL_ALIGNED:
        if (level > MSL_UNARY) buf_char(&e->out, '(');
        msl_vector_place(e, n->buffer, index, type, how);
        if (level > MSL_UNARY) buf_char(&e->out, ')');
        return;
    case MSL_PACKED:
        /* Made a plain vector at once: arithmetic on packed vectors is not defined for all types. */
        buf_printf(&e->out, "%s(", msl_type_or_error(e, type, n->node.at));
        msl_vector_place(e, n->buffer, index, type, how);
        buf_char(&e->out, ')');
        return;
    case MSL_LANES: break;
    }
    buf_printf(&e->out, "%s(", msl_type_or_error(e, type, n->node.at));
    for (uint32_t i = 0; i < index->type.lanes; ++i) {
        if (i != 0) buf_text(&e->out, ", ");
        msl_element_lane(e, n->buffer, index, NULL, i);
    }
    buf_char(&e->out, ')');
}

/* ---- Vectors ---------------------------------------------------------------------------------- */

/* base + step, a constant at the base's end taken into it. */
static const ir_node *moved(emitter *e, const ir_node *base, const ir_node *step)
{
    int64_t by, end;
    bool sum = base->kind == IR_BIN && (ir_as_bin(base)->op == IR_ADD || ir_as_bin(base)->op == IR_SUB);
    if (!sum || !ir_const_value(step, &by) || !ir_const_value(ir_as_bin(base)->b, &end)) return ir_fold_bin(e->mem, IR_ADD, base, step);
    const ir_bin *b = ir_as_bin(base);
    const ir_node *end_node = ir_int_new(e->mem, base->type, b->op == IR_ADD ? end : (int64_t)(0 - (uint64_t)end), base->at);
    return ir_fold_bin(e->mem, IR_ADD, b->a, ir_fold_bin(e->mem, IR_ADD, end_node, step));
}

void msl_lane(emitter *e, const ir_node *n, uint32_t lane, int level)
{
    if (n->type.lanes == 1) {
        msl_expr(e, n, level);
        return;
    }
    if (n->kind == IR_BROADCAST) {
        msl_lane(e, ir_as_broadcast(n)->a, 0, level);
        return;
    }
    if (n->kind == IR_RAMP) {
        const ir_ramp *r = ir_as_ramp(n);
        const ir_node *step = ir_fold_bin(e->mem, IR_MUL, r->stride, ir_int_new(e->mem, r->stride->type, lane, n->at));
        msl_expr(e, moved(e, r->base, step), level);
        return;
    }
    msl_expr(e, n, MSL_TIGHTEST);
    buf_printf(&e->out, "[%u]", lane);
}

static void lanes(emitter *e, const ir_node *n)
{
    buf_printf(&e->out, "%s(", msl_type_or_error(e, n->type, n->at));
    for (uint32_t i = 0; i < n->type.lanes; ++i) {
        if (i != 0) buf_text(&e->out, ", ");
        msl_lane(e, n, i, MSL_LOWEST);
    }
    buf_char(&e->out, ')');
}

static void shuffle(emitter *e, const ir_shuffle *n, int level)
{
    bool vector = n->node.type.lanes > 1;
    if (vector) buf_printf(&e->out, "%s(", msl_type_or_error(e, n->node.type, n->node.at));
    for (size_t i = 0; i < n->index.n; ++i) {
        int64_t pick;
        if (!ir_const_value(n->index.at[i], &pick)) {
            diag_error(e->diags, n->node.at, "shuffle indices must be constants");
            break;
        }
        if (i != 0) buf_text(&e->out, ", ");
        size_t from = 0;
        while (from + 1 < n->vectors.n && pick >= n->vectors.at[from]->type.lanes) {
            pick -= n->vectors.at[from++]->type.lanes;
        }
        msl_lane(e, n->vectors.at[from], (uint32_t)pick, vector ? MSL_LOWEST : level);
    }
    if (vector) buf_char(&e->out, ')');
}

/* ---- Calls ------------------------------------------------------------------------------------ */

static void arguments(emitter *e, ir_list args, size_t from)
{
    buf_char(&e->out, '(');
    for (size_t i = from; i < args.n; ++i) {
        if (i != from) buf_text(&e->out, ", ");
        msl_expr(e, args.at[i], MSL_LOWEST + 1);
    }
    buf_char(&e->out, ')');
}

static void ternary(emitter *e, const ir_node *cond, const ir_node *yes, const ir_node *no, int level)
{
    if (level > LEVEL_TERNARY) buf_char(&e->out, '(');
    msl_expr(e, cond, LEVEL_TERNARY + 1);
    buf_text(&e->out, " ? ");
    msl_expr(e, yes, LEVEL_TERNARY + 1);
    buf_text(&e->out, " : ");
    msl_expr(e, no, LEVEL_TERNARY);
    if (level > LEVEL_TERNARY) buf_char(&e->out, ')');
}

static void address_of(emitter *e, const ir_call *n, int level)
{
    const ir_node *place = n->args.at[0];
    if (place->kind != IR_LOAD || ir_as_load(place)->index.n != 1) {
        diag_error(e->diags, n->node.at, "address_of needs an element of a buffer");
        return;
    }
    if (level > MSL_UNARY) buf_char(&e->out, '(');
    buf_char(&e->out, '&');
    msl_element(e, ir_as_load(place)->buffer, ir_as_load(place)->index.at[0]);
    if (level > MSL_UNARY) buf_char(&e->out, ')');
}

/* The address space of a pointer expression, from the variable or buffer at its root. */
static ir_scope pointer_scope(const ir_node *n)
{
    while (n->kind == IR_CALL) {
        const ir_node *first = ir_as_call(n)->args.at[0];
        if (first->kind == IR_LOAD) return ir_as_load(first)->buffer->data->scope;
        n = first;
    }
    return n->kind == IR_VAR ? ir_as_var_ref(n)->var->scope : IR_SCOPE_GLOBAL;
}

static void byte_offset(emitter *e, const ir_call *n)
{
    buf_printf(&e->out, "((%s char*)", msl_space(pointer_scope(n->args.at[0])));
    msl_expr(e, n->args.at[0], MSL_UNARY);
    buf_text(&e->out, " + ");
    msl_expr(e, n->args.at[1], LEVEL_SUM + 1);
    buf_char(&e->out, ')');
}

/* tvm_access_ptr(type, data, offset, extent, mask) of what is no buffer of that type. */
static void access_pointer(emitter *e, const ir_call *n)
{
    ir_type type = IR_VOID;
    if (n->args.at[0]->kind == IR_STRING) ir_type_parse(ir_as_string(n->args.at[0])->text, &type);
    buf_printf(&e->out, "((%s %s*)", msl_space(pointer_scope(n->args.at[1])), msl_type_or_error(e, type, n->node.at));
    msl_expr(e, n->args.at[1], MSL_UNARY);
    buf_text(&e->out, " + ");
    msl_expr(e, n->args.at[2], LEVEL_SUM + 1);
    buf_char(&e->out, ')');
}

static bool sync_scope(emitter *e, const ir_call *n)
{
    const ir_node *scope = n->args.at[0];
    str text = scope->kind == IR_STRING ? ir_as_string(scope)->text : STR("?");
    if (str_is(text, "shared") || str_is(text, "shared.dyn")) {
        buf_text(&e->out, "threadgroup_barrier(mem_flags::mem_threadgroup)");
    } else if (str_is(text, "warp")) {
        buf_text(&e->out, "simdgroup_barrier(mem_flags::mem_threadgroup)");
    } else {
        diag_error(e->diags, n->node.at,
                   str_is(text, "global") ? "global barrier not supported: Metal has no barrier across threadgroups"
                                          : "barrier of an unknown scope");
        return false;
    }
    return true;
}

/* A matrix operand: (d, index) names element `index` of the matrix buffer d. */
static void matrix(emitter *e, const ir_node *d, const ir_node *index)
{
    if (d->kind != IR_VAR) {
        diag_error(e->diags, d->at, "Metal simdgroup data operands must be the data of a simdgroup buffer");
        return;
    }
    buf_text(&e->out, msl_var_name(e, ir_as_var_ref(d)->var));
    buf_char(&e->out, '[');
    msl_expr(e, index, MSL_LOWEST);
    buf_char(&e->out, ']');
}

/* Columns and rows, where the call states them, must be 8. */
static bool is_8x8(emitter *e, const ir_call *n, size_t column)
{
    if (n->args.n <= column + 1) return true;
    int64_t c = 8, r = 8;
    if (ir_const_value(n->args.at[column], &c) && ir_const_value(n->args.at[column + 1], &r) && c == 8 && r == 8) {
        return true;
    }
    diag_error(e->diags, n->node.at, "Only 8x8 matrix is supported, but got %lldx%lld", (long long)c, (long long)r);
    return false;
}

static void simd_fill(emitter *e, const ir_call *n)
{
    if (!is_8x8(e, n, 3)) return;
    matrix(e, n->args.at[0], n->args.at[1]);
    ir_type t = n->args.at[0]->kind == IR_VAR ? ir_as_var_ref(n->args.at[0])->var->pointee : IR_F32;
    buf_printf(&e->out, " = make_filled_simdgroup_matrix<%s, 8, 8>(", msl_type_or_error(e, t, n->node.at));
    msl_expr(e, n->args.at[2], MSL_LOWEST);
    buf_char(&e->out, ')');
}

/* (d, index, pointer, stride, columns, rows, transpose) */
static void simd_move(emitter *e, const ir_call *n, const char *fn)
{
    if (!is_8x8(e, n, 4)) return;
    buf_printf(&e->out, "%s(", fn);
    matrix(e, n->args.at[0], n->args.at[1]);
    buf_text(&e->out, ", ");
    msl_expr(e, n->args.at[2], MSL_LOWEST);
    buf_text(&e->out, ", ");
    msl_expr(e, n->args.at[3], MSL_LOWEST);
    if (n->args.n > 6 && !ir_is_const(n->args.at[6], 0)) {
        buf_text(&e->out, ", ulong2(0), ");
        msl_expr(e, n->args.at[6], MSL_LOWEST);
    }
    buf_char(&e->out, ')');
}

static void simd_mma(emitter *e, const ir_call *n)
{
    buf_text(&e->out, "simdgroup_multiply_accumulate(");
    for (size_t i = 0; i < 8; i += 2) {
        if (i != 0) buf_text(&e->out, ", ");
        matrix(e, n->args.at[i], n->args.at[i + 1]);
    }
    buf_char(&e->out, ')');
}

static void extern_call(emitter *e, const ir_call *n)
{
    if (n->args.at[0]->kind != IR_STRING) {
        diag_error(e->diags, n->node.at, "call_extern needs the function's name as a string");
        return;
    }
    buf_str(&e->out, ir_as_string(n->args.at[0])->text);
    arguments(e, n->args, 1);
}

static void named_call(emitter *e, const ir_call *n)
{
    const ir_builtin_info *info = &ir_builtins[n->fn];
    if (info->msl[0] == '\0') {
        diag_error(e->diags, n->node.at, "Unresolved call T.%s: Metal has no such function", info->name);
        return;
    }
    buf_text(&e->out, info->msl);
    arguments(e, n->args, 0);
}

/* C++ computes 8- and 16-bit scalars as int; TIR wraps them at their width. */
static bool is_promoted(ir_type t)
{
    return ir_type_is_int(t) && t.bits < 32 && t.lanes == 1;
}

static void bit_not(emitter *e, const ir_call *n)
{
    bool narrow = is_promoted(n->node.type);
    if (narrow) buf_printf(&e->out, "%s(", msl_type_or_error(e, n->node.type, n->node.at));
    buf_char(&e->out, '~');
    msl_expr(e, n->args.at[0], MSL_UNARY);
    if (narrow) buf_char(&e->out, ')');
}

/* The calls that have a shape of their own; false for those that are printed by name. */
static bool special_call(emitter *e, const ir_call *n, int level)
{
    ir_list a = n->args;
    if (n->fn == IR_FN_ABS) {
        buf_text(&e->out, ir_type_is_float(n->node.type) ? "fabs" : "abs");
        arguments(e, a, 0);
    } else if (n->fn == IR_FN_CLZ && !ir_type_eq(a.at[0]->type, n->node.type)) {
        /* MSL's has its argument's type. */
        buf_printf(&e->out, "%s(clz", msl_type_or_error(e, n->node.type, n->node.at));
        arguments(e, a, 0);
        buf_char(&e->out, ')');
    } else if (n->fn == IR_FN_BITNOT) {
        bit_not(e, n);
    } else if (n->fn == IR_FN_ACTIVEMASK) {
        buf_printf(&e->out, "%s(simd_vote::vote_t(simd_active_threads_mask()))",
                   msl_type_or_error(e, n->node.type, n->node.at));
    } else if (n->fn == IR_FN_SIMD_BALLOT) {
        buf_printf(&e->out, "%s(simd_vote::vote_t(simd_ballot", msl_type_or_error(e, n->node.type, n->node.at));
        arguments(e, a, 0);
        buf_text(&e->out, "))");
    } else if (ir_is_atomic(n->fn)) {
        msl_atomic(e, n);
    } else if (n->fn == IR_FN_IF_THEN_ELSE) {
        ternary(e, a.at[0], a.at[1], a.at[2], level);
    } else if (n->fn == IR_FN_REINTERPRET) {
        buf_printf(&e->out, "as_type<%s>", msl_type_or_error(e, n->node.type, n->node.at));
        arguments(e, a, 0);
    } else if (ir_builtin_is_hint(n->fn)) {
        msl_expr(e, a.at[0], level);
    } else if (n->fn == IR_FN_ADDRESS_OF) {
        address_of(e, n, level);
    } else if (n->fn == IR_FN_BYTE_OFFSET) {
        byte_offset(e, n);
    } else if (n->fn == IR_FN_ACCESS_PTR) {
        access_pointer(e, n);
    } else if (n->fn == IR_FN_STORAGE_SYNC) {
        sync_scope(e, n);
    } else if (n->fn == IR_FN_SIMD_FILL) {
        simd_fill(e, n);
    } else if (n->fn == IR_FN_SIMD_LOAD) {
        simd_move(e, n, "simdgroup_load");
    } else if (n->fn == IR_FN_SIMD_STORE) {
        simd_move(e, n, "simdgroup_store");
    } else if (n->fn == IR_FN_SIMD_MMA) {
        simd_mma(e, n);
    } else if (n->fn == IR_FN_CALL_EXTERN || n->fn == IR_FN_CALL_PURE_EXTERN) {
        extern_call(e, n);
    } else {
        return false;
    }
    return true;
}

/* ---- Operators -------------------------------------------------------------------------------- */

/* What -x is made of: 0 - x of integers, x * -1 of floats; NULL: it is something else. */
static const ir_node *negated(const ir_node *n)
{
    if (n->kind != IR_BIN || n->type.lanes != 1) return NULL;
    const ir_bin *b = ir_as_bin(n);
    if (b->op == IR_SUB && ir_type_is_int(n->type) && ir_is_const(b->a, 0)) return b->b;
    bool flips = b->op == IR_MUL && b->b->kind == IR_FLOAT_IMM && ir_as_float_imm(b->b)->value == -1.0;
    return flips ? b->a : NULL;
}

/* Its operand is bracketed where it may begin with a minus itself. */
static void negation(emitter *e, const ir_node *n, const ir_node *of, int level)
{
    bool narrow = is_promoted(n->type), wrap = !narrow && level > MSL_UNARY;
    bool minus = negated(of) != NULL || of->kind == IR_INT_IMM || of->kind == IR_FLOAT_IMM;
    if (narrow) buf_printf(&e->out, "%s(", msl_type_or_error(e, n->type, n->at));
    buf_text(&e->out, wrap ? "(-" : "-");
    if (minus) buf_char(&e->out, '(');
    msl_expr(e, of, minus ? 0 : MSL_UNARY);
    if (minus) buf_char(&e->out, ')');
    if (wrap || narrow) buf_char(&e->out, ')');
}

static bool is_wide(ir_type t)
{
    return t.code == IR_INT && t.bits == 64 && t.lanes == 1;
}

/* What C++ makes a long by itself beside one: a narrower integer under a cast. NULL: nothing. */
static const ir_node *widened(const ir_node *n)
{
    if (n->kind != IR_CAST || !is_wide(n->type)) return NULL;
    const ir_node *from = ir_as_cast(n)->a;
    return ir_type_is_int(from->type) && from->type.bits <= 32 ? from : NULL;
}

/* An operand of a 64-bit operator; where the other one is a long as printed, the conversion is left to C++. */
static void operand(emitter *e, const ir_node *n, bool other_is_long, int level)
{
    const ir_node *from = other_is_long ? widened(n) : NULL;
    int64_t v;
    if (from != NULL) {
        msl_expr(e, from, level);
    } else if (other_is_long && is_wide(n->type) && n->kind == IR_INT_IMM && ir_const_value(n, &v) && v >= 0 &&
               v <= INT32_MAX) {
        buf_printf(&e->out, "%lld", (long long)v);
    } else {
        msl_expr(e, n, level);
    }
}

static void operands(emitter *e, const ir_bin *n, const char *text, int left, int right)
{
    bool wide = is_wide(n->a->type) && !is_bitwise(n->op);
    /* One of the two stays a long: the first, unless only the second is one by itself. */
    bool plain_a = widened(n->a) != NULL || n->a->kind == IR_INT_IMM;
    bool plain_b = widened(n->b) != NULL || n->b->kind == IR_INT_IMM;
    bool from_b = wide && plain_a && !plain_b;
    operand(e, n->a, from_b, left);
    buf_printf(&e->out, " %s ", text);
    operand(e, n->b, wide && !from_b, right);
}

static void bin(emitter *e, const ir_bin *n, int level)
{
    const ir_node *of = negated(&n->node);
    if (of != NULL) {
        negation(e, &n->node, of, level);
        return;
    }
    if (n->op == IR_MIN || n->op == IR_MAX) {
        buf_text(&e->out, n->op == IR_MIN ? "min(" : "max(");
        msl_expr(e, n->a, LEVEL_TERNARY);
        buf_text(&e->out, ", ");
        msl_expr(e, n->b, LEVEL_TERNARY);
        buf_char(&e->out, ')');
        return;
    }
    spelling s = spellings[n->op];
    if (s.text == NULL) {
        diag_error(e->diags, n->node.at, "internal: operator %s reached the emitter", ir_ops[n->op].script);
        return;
    }
    /* && and || do not take vectors; on bool vectors & and | mean the same. */
    if (n->node.type.lanes > 1 && n->op == IR_AND) s = spellings[IR_BITAND];
    if (n->node.type.lanes > 1 && n->op == IR_OR) s = spellings[IR_BITOR];
    bool narrow = is_promoted(n->node.type), wrap = !narrow && level > s.level;
    if (narrow) buf_printf(&e->out, "%s(", msl_type_or_error(e, n->node.type, n->node.at));
    if (wrap) buf_char(&e->out, '(');
    /* Parentheses that C++ does not need, where the order is easily misread. */
    int mixed = is_bitwise(n->op) ? LEVEL_PRODUCT + 1 : n->op == IR_OR ? LEVEL_AND + 1 : 0;
    operands(e, n, s.text, mixed > s.level ? mixed : s.level, mixed > s.level + 1 ? mixed : s.level + 1);
    if (wrap || narrow) buf_char(&e->out, ')');
}

static void variable(emitter *e, const ir_var *v)
{
    if (map_get_id(&e->arguments, v) != NULL) buf_text(&e->out, "args.");
    buf_text(&e->out, msl_var_name(e, v));
}

static void select(emitter *e, const ir_select *n, int level)
{
    if (n->cond->type.lanes == 1) {
        ternary(e, n->cond, n->yes, n->no, level);
        return;
    }
    buf_text(&e->out, "select(");
    msl_expr(e, n->no, LEVEL_TERNARY);
    buf_text(&e->out, ", ");
    msl_expr(e, n->yes, LEVEL_TERNARY);
    buf_text(&e->out, ", ");
    msl_expr(e, n->cond, LEVEL_TERNARY);
    buf_char(&e->out, ')');
}

static void cast(emitter *e, const ir_cast *n)
{
    buf_printf(&e->out, "%s(", msl_type_or_error(e, n->node.type, n->node.at));
    msl_expr(e, n->a, MSL_LOWEST);
    buf_char(&e->out, ')');
}

static void unexpected(emitter *e, const ir_node *n)
{
    diag_error(e->diags, n->at, "internal: an expression of kind %d reached the emitter", (int)n->kind);
}

void msl_expr(emitter *e, const ir_node *n, int level)
{
    switch (n->kind) {
    case IR_INT_IMM: {
        int64_t v = ir_as_int_imm(n)->value;
        bool wrap = v < 0 && n->type.bits >= 32 && level > LEVEL_SUM && n->type.code == IR_INT;
        if (wrap) buf_char(&e->out, '(');
        int_constant(e, n->type, v);
        if (wrap) buf_char(&e->out, ')');
        return;
    }
    case IR_FLOAT_IMM: {
        double v = ir_as_float_imm(n)->value;
        bool wrap = num_double_bits(v) >> 63 != 0 && level > LEVEL_SUM;
        if (wrap) buf_char(&e->out, '(');
        float_constant(e, n->type, v, n->at);
        if (wrap) buf_char(&e->out, ')');
        return;
    }
    case IR_VAR: variable(e, ir_as_var_ref(n)->var); return;
    case IR_BIN: bin(e, ir_as_bin(n), level); return;
    case IR_NOT:
        buf_char(&e->out, '!');
        msl_expr(e, ir_as_not(n)->a, MSL_UNARY);
        return;
    case IR_SELECT: select(e, ir_as_select(n), level); return;
    case IR_CAST: cast(e, ir_as_cast(n)); return;
    case IR_LOAD: load(e, ir_as_load(n), level); return;
    case IR_BROADCAST:
        buf_printf(&e->out, "%s(", msl_type_or_error(e, n->type, n->at));
        msl_expr(e, ir_as_broadcast(n)->a, MSL_LOWEST);
        buf_char(&e->out, ')');
        return;
    case IR_RAMP: lanes(e, n); return;
    case IR_SHUFFLE: shuffle(e, ir_as_shuffle(n), level); return;
    case IR_LET: {
        const ir_let *l = ir_as_let(n);
        msl_expr(e, ir_substitute_one(e->mem, l->body, l->var, l->value), level);
        return;
    }
    case IR_CALL:
        if (!special_call(e, ir_as_call(n), level)) named_call(e, ir_as_call(n));
        return;
    case IR_STRING:
    case IR_REDUCER:
    case IR_SEQ:
    case IR_STORE:
    case IR_BIND:
    case IR_ALLOC:
    case IR_DECL:
    case IR_FOR:
    case IR_WHILE:
    case IR_IF:
    case IR_BREAK:
    case IR_CONTINUE:
    case IR_RETURN:
    case IR_EVAL:
    case IR_ASSERT:
    case IR_ATTR:
    case IR_THREAD:
    case IR_BLOCK: unexpected(e, n); return;
    }
}
