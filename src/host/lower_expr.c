/* Lowering host expressions: scalars and pointers to registers. */
#include "host/lower.h"

#include "base/dtype.h"

static const uint8_t math_of[IR_FN_COUNT] = {
#define HOST_MATH(NAME, args, value) [IR_FN_##NAME] = HOST_MATH_##NAME + 1,
#include "host/math.def"
#undef HOST_MATH
};

/* A lower bound of what a register costs is that its number fits the format. */
uint16_t lower_reg(lower *l, ir_type type, span at)
{
    if (l->types.n > UINT16_MAX) {
        diag_error(l->diags, at, "host code of '%.*s' needs more than 65536 values", STR_ARG(l->f->name));
        return 0;
    }
    bool small = type.code > IR_BOOL; /* the codes of 8 bits and less */
    if (small) {
        char text[IR_TYPE_TEXT];
        diag_error(l->diags, at, "values of type %s are not supported in host code", ir_type_print(type, text));
        type = IR_F32;
    }
    type_vec_push(l->mem, &l->types, lower_dtype(type));
    return (uint16_t)(l->types.n - 1);
}

/* Registers are kept in maps as pointers into an array of their numbers. */
static uint16_t *keep(lower *l, uint16_t reg)
{
    return arena_copy(l->mem, &reg, sizeof reg);
}

void lower_set_reg(lower *l, const ir_var *v, uint16_t reg)
{
    map_put_id(l->mem, &l->regs, v, keep(l, reg));
}

uint16_t lower_var_reg(lower *l, const ir_var *v, span at)
{
    const uint16_t *reg = map_get_id(&l->regs, v);
    if (reg != NULL) return *reg;
    diag_error(l->diags, at, "the host cannot tell '%.*s' from the arguments of '%.*s'", STR_ARG(v->name),
               STR_ARG(l->f->name));
    reg = keep(l, lower_reg(l, v->type, at));
    map_put_id(l->mem, &l->regs, v, reg); /* reported once */
    return *reg;
}

size_t lower_emit(lower *l, host_op op, uint16_t d, uint16_t a, uint16_t b)
{
    insn_vec_push(l->mem, &l->code, (host_insn){.op = (uint8_t)op, .d = d, .a = a, .b = b});
    return l->code.n - 1;
}

size_t lower_emit_wide(lower *l, host_op op, uint16_t d, size_t wide)
{
    return lower_emit(l, op, d, (uint16_t)(wide & 0xFFFF), (uint16_t)(wide >> 16));
}

void lower_land(lower *l, size_t jump)
{
    l->code.at[jump].a = (uint16_t)(l->code.n & 0xFFFF);
    l->code.at[jump].b = (uint16_t)(l->code.n >> 16);
}

static uint16_t constant(lower *l, ir_type type, uint64_t bits, span at)
{
    uint16_t d = lower_reg(l, type, at);
    size_t k = 0;
    while (k < l->constants.n && l->constants.at[k] != bits) ++k;
    if (k == l->constants.n) u64_vec_push(l->mem, &l->constants, bits);
    lower_emit_wide(l, HOST_CONST, d, k);
    return d;
}

uint16_t lower_int(lower *l, ir_type type, int64_t value, span at)
{
    return constant(l, type, (uint64_t)ir_type_wrap(type, value), at);
}

static uint16_t unsupported(lower *l, const ir_node *n, const char *what)
{
    diag_error(l->diags, n->at, "%s is not supported in host code", what);
    ir_type type = ir_type_is_void(n->type) || n->type.lanes != 1 ? IR_I32 : n->type;
    return lower_reg(l, type, n->at);
}

static uint16_t bin(lower *l, host_op op, const ir_node *n, uint16_t a, uint16_t b)
{
    uint16_t d = lower_reg(l, n->type, n->at);
    lower_emit(l, op, d, a, b);
    return d;
}

/* ---- Choice ------------------------------------------------------------------------------------ */

/* `cond` ? yes : no, evaluating one arm. NULL arms stand for the condition itself. */
static uint16_t choose(lower *l, const ir_node *n, uint16_t cond, const ir_node *yes, const ir_node *no)
{
    uint16_t d = lower_reg(l, n->type, n->at);
    size_t skip = lower_emit(l, HOST_UNLESS, cond, 0, 0);
    lower_emit(l, HOST_MOVE, d, yes != NULL ? lower_expr(l, yes) : cond, 0);
    size_t done = lower_emit(l, HOST_JUMP, 0, 0, 0);
    lower_land(l, skip);
    lower_emit(l, HOST_MOVE, d, no != NULL ? lower_expr(l, no) : cond, 0);
    lower_land(l, done);
    return d;
}

/* ---- Operators --------------------------------------------------------------------------------- */

static uint16_t lower_bin(lower *l, const ir_node *n)
{
    const ir_bin *e = ir_as_bin(n);
    if (e->op == IR_AND) return choose(l, n, lower_expr(l, e->a), e->b, NULL);
    if (e->op == IR_OR) return choose(l, n, lower_expr(l, e->a), NULL, e->b);
    bool truths = ir_type_is_bool(e->a->type), floats = ir_type_is_float(e->a->type);
    uint16_t a = lower_expr(l, e->a), b = lower_expr(l, e->b);
    if (!dtype_eq(l->types.at[a], l->types.at[b])) return unsupported(l, n, "an operator on two types");
    switch (e->op) {
    case IR_EQ: return bin(l, HOST_EQ, n, a, b);
    case IR_NE: return bin(l, HOST_NE, n, a, b);
    case IR_LT: return bin(l, HOST_LT, n, a, b);
    case IR_LE: return bin(l, HOST_LE, n, a, b);
    case IR_GT: return bin(l, HOST_LT, n, b, a);
    case IR_GE: return bin(l, HOST_LE, n, b, a);
    case IR_BITAND: return bin(l, HOST_BITAND, n, a, b);
    case IR_BITOR: return bin(l, HOST_BITOR, n, a, b);
    case IR_BITXOR: return bin(l, HOST_BITXOR, n, a, b);
    case IR_ADD:
    case IR_SUB:
    case IR_MUL:
    case IR_MIN:
    case IR_MAX: break;
    case IR_DIV: return floats ? bin(l, HOST_DIV, n, a, b) : unsupported(l, n, "'/' on integers");
    case IR_FLOORDIV:
    case IR_FLOORMOD:
    case IR_TRUNCDIV:
    case IR_TRUNCMOD:
    case IR_SHL:
    case IR_SHR:
        if (floats) return unsupported(l, n, "a division or shift of whole numbers on floats");
        break;
    case IR_AND:
    case IR_OR: return 0;
    }
    if (truths) return unsupported(l, n, "arithmetic on bool");
    static const uint8_t ops[] = {
        [IR_ADD] = HOST_ADD,           [IR_SUB] = HOST_SUB,           [IR_MUL] = HOST_MUL,
        [IR_MIN] = HOST_MIN,           [IR_MAX] = HOST_MAX,           [IR_FLOORDIV] = HOST_FLOORDIV,
        [IR_FLOORMOD] = HOST_FLOORMOD, [IR_TRUNCDIV] = HOST_TRUNCDIV, [IR_TRUNCMOD] = HOST_TRUNCMOD,
        [IR_SHL] = HOST_SHL,           [IR_SHR] = HOST_SHR,
    };
    return bin(l, (host_op)ops[e->op], n, a, b);
}

uint16_t lower_cast(lower *l, uint16_t reg, ir_type from, ir_type to, span at)
{
    if (ir_type_eq(from, to)) return reg;
    uint16_t d = lower_reg(l, to, at);
    lower_emit(l, HOST_CAST, d, reg, 0);
    return d;
}

/* ---- Pointers ---------------------------------------------------------------------------------- */

static uint16_t offset(lower *l, const ir_node *n, uint16_t pointer, const ir_node *count, uint32_t bytes)
{
    uint16_t by = lower_cast(l, lower_expr(l, count), count->type, IR_I64, n->at);
    if (bytes != 1) {
        uint16_t unit = lower_int(l, IR_I64, bytes, n->at), product = lower_reg(l, IR_I64, n->at);
        lower_emit(l, HOST_MUL, product, by, unit);
        by = product;
    }
    uint16_t d = lower_reg(l, IR_POINTER, n->at);
    lower_emit(l, HOST_OFFSET, d, pointer, by);
    return d;
}

static uint16_t address_of(lower *l, const ir_node *n, const ir_node *what)
{
    if (what->kind != IR_LOAD || ir_as_load(what)->index.n != 1) return unsupported(l, n, "the address of this");
    const ir_load *load = ir_as_load(what);
    uint16_t pointer = lower_var_reg(l, load->buffer->data, n->at);
    return offset(l, n, pointer, load->index.at[0], ir_type_bytes(load->buffer->type));
}

/* ---- Calls ------------------------------------------------------------------------------------- */

static uint16_t lower_math(lower *l, const ir_node *n, host_math fn)
{
    const ir_call *c = ir_as_call(n);
    uint16_t a = lower_expr(l, c->args.at[0]);
    uint16_t b = c->args.n > 1 ? lower_expr(l, c->args.at[1]) : a;
    uint16_t d = lower_reg(l, n->type, n->at);
    if (!dtype_eq(l->types.at[a], l->types.at[d])) return unsupported(l, n, "a function of another type than its argument");
    size_t at = lower_emit(l, HOST_MATH, d, a, b);
    l->code.at[at].sub = (uint8_t)fn;
    return d;
}

/* |x| of an integer: the larger of x and 0 - x, which wraps at the least value. */
static uint16_t lower_abs(lower *l, const ir_node *n)
{
    if (ir_type_is_float(n->type)) return lower_math(l, n, HOST_MATH_FABS);
    uint16_t x = lower_expr(l, ir_as_call(n)->args.at[0]);
    if (n->type.code == IR_UINT || ir_type_is_bool(n->type)) return x;
    uint16_t negative = bin(l, HOST_SUB, n, lower_int(l, n->type, 0, n->at), x);
    return bin(l, HOST_MAX, n, x, negative);
}

static uint16_t lower_call(lower *l, const ir_node *n)
{
    const ir_call *c = ir_as_call(n);
    const ir_node *const *args = c->args.at;
    if (c->fn == IR_FN_IF_THEN_ELSE) return choose(l, n, lower_expr(l, args[0]), args[1], args[2]);
    if (ir_builtin_is_hint(c->fn)) return lower_expr(l, args[0]);
    if (c->fn == IR_FN_ABS) return lower_abs(l, n);
    if (c->fn == IR_FN_ADDRESS_OF) return address_of(l, n, args[0]);
    if (c->fn == IR_FN_BYTE_OFFSET) return offset(l, n, lower_expr(l, args[0]), args[1], 1);
    if (c->fn == IR_FN_REINTERPRET && ir_type_is_pointer(n->type) && ir_type_is_pointer(args[0]->type)) {
        return lower_expr(l, args[0]);
    }
    if (c->fn == IR_FN_BITNOT) {
        return bin(l, HOST_BITXOR, n, lower_expr(l, args[0]), lower_int(l, n->type, -1, n->at));
    }
    if (c->fn == IR_FN_ISNAN) {
        uint16_t x = lower_expr(l, args[0]);
        return bin(l, HOST_NE, n, x, x);
    }
    if (math_of[c->fn] != 0 && ir_type_is_float(n->type)) return lower_math(l, n, (host_math)(math_of[c->fn] - 1));
    return unsupported(l, n, str_format(l->mem, "T.%s", ir_builtins[c->fn].name).p);
}

/* ---- All expressions --------------------------------------------------------------------------- */

/* A mutable scalar of the host; device memory is out of its reach. */
static uint16_t lower_load(lower *l, const ir_node *n)
{
    const ir_load *e = ir_as_load(n);
    const uint16_t *reg = map_get_id(&l->mutable, e->buffer->data);
    if (reg == NULL) {
        diag_error(l->diags, n->at, "host code cannot read '%.*s', which is device memory", STR_ARG(e->buffer->name));
        return lower_reg(l, ir_type_element(n->type), n->at);
    }
    /* A copy: the value is that of this moment. */
    uint16_t d = lower_reg(l, n->type, n->at);
    lower_emit(l, HOST_MOVE, d, *reg, 0);
    return d;
}

uint16_t lower_expr(lower *l, const ir_node *n)
{
    if (n->type.lanes > 1) return unsupported(l, n, "a vector");
    switch (n->kind) {
    case IR_INT_IMM: return lower_int(l, n->type, ir_as_int_imm(n)->value, n->at);
    case IR_FLOAT_IMM: return constant(l, n->type, num_double_bits(ir_as_float_imm(n)->value), n->at);
    case IR_VAR: return lower_var_reg(l, ir_as_var_ref(n)->var, n->at);
    case IR_BIN: return lower_bin(l, n);
    case IR_NOT: return bin(l, HOST_NOT, n, lower_expr(l, ir_as_not(n)->a), 0);
    case IR_SELECT: {
        const ir_select *e = ir_as_select(n);
        return choose(l, n, lower_expr(l, e->cond), e->yes, e->no);
    }
    case IR_CAST: {
        const ir_node *a = ir_as_cast(n)->a;
        return lower_cast(l, lower_expr(l, a), a->type, n->type, n->at);
    }
    case IR_LET: {
        const ir_let *e = ir_as_let(n);
        lower_set_reg(l, e->var, lower_expr(l, e->value));
        return lower_expr(l, e->body);
    }
    case IR_LOAD: return lower_load(l, n);
    case IR_CALL: return lower_call(l, n);
    case IR_STRING: return unsupported(l, n, "a string");
    case IR_RAMP:
    case IR_BROADCAST:
    case IR_SHUFFLE: return unsupported(l, n, "a vector");
    case IR_REDUCER: return unsupported(l, n, "a reducer");
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
    case IR_BLOCK: break;
    }
    return unsupported(l, n, "a statement as a value");
}
