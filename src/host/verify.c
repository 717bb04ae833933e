/* What must hold of host code before it may run: after this, the interpreter checks no index. */
#include "base/dtype.h"
#include "base/error.h"
#include "host/program.h"
#include "pack/index.h"

typedef enum shape {
    SHAPE_ARITH,
    SHAPE_WHOLE,
    SHAPE_BITS,
    SHAPE_FLOATS,
    SHAPE_COMPARE,
    SHAPE_CONST,
    SHAPE_MOVE,
    SHAPE_CAST,
    SHAPE_NOT,
    SHAPE_MATH,
    SHAPE_JUMP,
    SHAPE_UNLESS,
    SHAPE_OFFSET,
    SHAPE_ALLOC,
    SHAPE_LAUNCH,
    SHAPE_ASSERT,
    SHAPE_CHECK,
    SHAPE_RETURN,
    SHAPE_END
} shape;

typedef struct op_info {
    const char *name;
    shape shape;
} op_info;

static const op_info ops[] = {
#define HOST_OP(NAME, text, shape) [HOST_##NAME] = {text, SHAPE_##shape},
#include "host/ops.def"
#undef HOST_OP
};

static const uint8_t math_args[] = {
#define HOST_MATH(NAME, args, value) [HOST_MATH_##NAME] = args,
#include "host/math.def"
#undef HOST_MATH
};

enum { MAX_DIMS = 64, MAX_ALLOCS = 65536 };

typedef struct check {
    const host_function *f;
    ingot_error *error;
} check;

static ingot_status refuse(check *c, const char *what, size_t index)
{
    const char *name = c->f->name.p != NULL ? c->f->name.p : "?";
    return error_set(c->error, INGOT_FORMAT, "host function \"%.200s\": %s %zu is malformed", name, what, index);
}

static bool is_name(str s)
{
    return s.n != 0 && memchr(s.p, '\0', s.n) == NULL;
}

static bool is_text(str s)
{
    return s.p != NULL && memchr(s.p, '\0', s.n) == NULL;
}

/* ---- Registers and parameters ---------------------------------------------------------------- */

static bool is_pointer(DLDataType t)
{
    return t.code == kDLOpaqueHandle;
}

static bool is_bool(DLDataType t)
{
    return t.code == kDLBool;
}

/* A type that a register may have. */
static bool is_scalar(DLDataType t)
{
    if (t.lanes != 1) return false;
    bool power = t.bits == 8 || t.bits == 16 || t.bits == 32 || t.bits == 64;
    if (dtype_is_int(t)) return power;
    if (t.code == kDLFloat) return power && t.bits != 8;
    if (t.code == kDLBfloat) return t.bits == 16;
    if (is_bool(t)) return t.bits == 8;
    return is_pointer(t) && t.bits == 64;
}

static bool reg_ok(const check *c, size_t reg)
{
    return reg < c->f->reg_count;
}

static bool reg_is_int(const check *c, size_t reg)
{
    return reg_ok(c, reg) && dtype_is_int(c->f->regs[reg]);
}

static bool dim_ok(const check *c, const host_dim *d)
{
    if (!is_text(d->text) || !is_text(d->shown)) return false;
    switch (d->kind) {
    case HOST_DIM_CONST: return true;
    case HOST_DIM_DEFINE:
    case HOST_DIM_MATCH:
    case HOST_DIM_EXPR: return reg_is_int(c, d->reg);
    }
    return false;
}

static bool dims_ok(const check *c, const host_dim *dims, size_t count)
{
    if (count > MAX_DIMS) return false;
    for (size_t i = 0; i < count; ++i) {
        if (!dim_ok(c, &dims[i])) return false;
    }
    return true;
}

/* An element of a tensor: any type that DLPack can state in whole or part bytes. */
static bool is_element(DLDataType t)
{
    return t.code <= kDLFloat4_e2m1fn && t.bits != 0 && t.lanes != 0 && t.bits <= 128;
}

static bool param_ok(const check *c, const host_param *p)
{
    if (!is_name(p->name) || !reg_ok(c, p->reg)) return false;
    DLDataType reg = c->f->regs[p->reg];
    if (p->kind == INGOT_PARAM_SCALAR) return !is_pointer(reg) && dtype_eq(p->dtype, reg) && p->ndim == 0;
    if (p->kind == INGOT_PARAM_POINTER) return is_pointer(reg) && p->ndim == 0;
    if (p->kind != INGOT_PARAM_TENSOR || !is_pointer(reg) || !is_element(p->dtype)) return false;
    if (p->stride_count != 0 && p->stride_count != p->ndim) return false;
    return dims_ok(c, p->shape, p->ndim) && dims_ok(c, p->strides, p->stride_count) && dim_ok(c, &p->offset) &&
           p->offset_factor >= 0;
}

/* ---- Code ------------------------------------------------------------------------------------ */

static bool same(const check *c, host_insn i, bool with_b)
{
    if (!reg_ok(c, i.d) || !reg_ok(c, i.a) || (with_b && !reg_ok(c, i.b))) return false;
    const DLDataType *regs = c->f->regs;
    return dtype_eq(regs[i.d], regs[i.a]) && (!with_b || dtype_eq(regs[i.d], regs[i.b]));
}

static bool compare_ok(const check *c, host_insn i)
{
    if (!reg_ok(c, i.d) || !reg_ok(c, i.a) || !reg_ok(c, i.b)) return false;
    const DLDataType *regs = c->f->regs;
    return is_bool(regs[i.d]) && dtype_eq(regs[i.a], regs[i.b]) && !is_pointer(regs[i.a]);
}

static bool offset_ok(const check *c, host_insn i)
{
    if (!reg_ok(c, i.d) || !reg_ok(c, i.a) || !reg_is_int(c, i.b)) return false;
    return is_pointer(c->f->regs[i.d]) && is_pointer(c->f->regs[i.a]) && c->f->regs[i.b].bits == 64;
}

/* A jump stays in its part of the code: the checks' or the body. */
static bool target_ok(const check *c, size_t at, uint32_t target)
{
    if (at < c->f->checks_end) return target <= c->f->checks_end;
    return target >= c->f->checks_end && target <= c->f->code_count;
}

static bool reg_is_bool(const check *c, size_t reg)
{
    return reg_ok(c, reg) && is_bool(c->f->regs[reg]);
}

static bool returns(const check *c, host_insn i)
{
    return reg_ok(c, i.d) && !is_pointer(c->f->regs[i.d]) && dtype_eq(c->f->regs[i.d], c->f->result);
}

static bool insn_ok(const check *c, size_t at)
{
    const host_function *f = c->f;
    host_insn i = f->code[at];
    if (i.op >= HOST_OP_COUNT) return false;
    bool body = at >= f->checks_end;
    const DLDataType *regs = f->regs;
    switch (ops[i.op].shape) {
    case SHAPE_ARITH: return same(c, i, true) && (dtype_is_int(regs[i.d]) || dtype_is_float(regs[i.d]));
    case SHAPE_WHOLE: return same(c, i, true) && dtype_is_int(regs[i.d]);
    case SHAPE_BITS: return same(c, i, true) && (dtype_is_int(regs[i.d]) || is_bool(regs[i.d]));
    case SHAPE_FLOATS: return same(c, i, true) && dtype_is_float(regs[i.d]);
    case SHAPE_COMPARE: return compare_ok(c, i);
    case SHAPE_CONST: return reg_ok(c, i.d) && !is_pointer(regs[i.d]) && host_wide(i) < f->constant_count;
    case SHAPE_MOVE: return same(c, i, false);
    case SHAPE_CAST: return reg_ok(c, i.d) && reg_ok(c, i.a) && !is_pointer(regs[i.d]) && !is_pointer(regs[i.a]);
    case SHAPE_NOT: return reg_is_bool(c, i.d) && reg_is_bool(c, i.a);
    case SHAPE_MATH:
        return i.sub < HOST_MATH_COUNT && same(c, i, math_args[i.sub] == 2) && dtype_is_float(regs[i.d]);
    case SHAPE_JUMP: return target_ok(c, at, host_wide(i));
    case SHAPE_UNLESS: return reg_is_bool(c, i.d) && target_ok(c, at, host_wide(i));
    case SHAPE_OFFSET: return offset_ok(c, i);
    case SHAPE_ALLOC:
        return body && reg_ok(c, i.d) && is_pointer(regs[i.d]) && reg_is_int(c, i.a) && regs[i.a].bits == 64 &&
               i.b < f->alloc_count;
    case SHAPE_LAUNCH: return body && host_wide(i) < f->launch_count;
    case SHAPE_ASSERT: return body && reg_is_bool(c, i.d) && host_wide(i) < f->message_count;
    case SHAPE_CHECK:
        return body && reg_ok(c, i.d) && is_pointer(regs[i.d]) && i.sub <= f->message_count &&
               host_wide(i) <= f->message_count - i.sub;
    case SHAPE_RETURN: return body && returns(c, i);
    case SHAPE_END: return body;
    }
    return false;
}

static bool launch_ok(const check *c, const host_launch *l)
{
    if (!is_name(l->kernel)) return false;
    for (size_t i = 0; i < l->arg_count; ++i) {
        if (!reg_ok(c, l->args[i])) return false;
    }
    for (size_t i = 0; i < l->extent_count; ++i) {
        if (!reg_is_int(c, l->extents[i])) return false;
    }
    return true;
}

static bool constant_ok(const check *c, host_insn i)
{
    /* The interpreter keeps integers as their type holds them. */
    DLDataType t = c->f->regs[i.d];
    uint64_t bits = c->f->constants[host_wide(i)];
    if (!dtype_is_float(t)) return dtype_wrap(t, (int64_t)bits) == (int64_t)bits;
    double value = num_bits_double(bits), rounded = dtype_round(t, value);
    return rounded == value || value != value;
}

static ingot_status verify_function(check *c)
{
    const host_function *f = c->f;
    bool none = is_pointer(f->result) && f->result.bits == 0;
    bool result = none || (is_scalar(f->result) && !is_pointer(f->result));
    if (!is_name(f->name) || !result || f->checks_end > f->code_count || f->alloc_count > MAX_ALLOCS ||
        f->reg_count > UINT16_MAX + 1 || f->code_count > UINT32_MAX) {
        return refuse(c, "header", 0);
    }
    for (size_t i = 0; i < f->reg_count; ++i) {
        if (!is_scalar(f->regs[i])) return refuse(c, "register", i);
    }
    for (size_t i = 0; i < f->param_count; ++i) {
        if (!param_ok(c, &f->params[i])) return refuse(c, "parameter", i);
    }
    for (size_t i = 0; i < f->launch_count; ++i) {
        if (!launch_ok(c, &f->launches[i])) return refuse(c, "launch", i);
    }
    for (size_t i = 0; i < f->message_count; ++i) {
        if (!is_text(f->messages[i].error) || !is_text(f->messages[i].text)) return refuse(c, "message", i);
    }
    for (size_t i = 0; i < f->code_count; ++i) {
        if (!insn_ok(c, i)) return refuse(c, "instruction", i);
        if (f->code[i].op == HOST_CONST && !constant_ok(c, f->code[i])) return refuse(c, "constant of instruction", i);
    }
    return INGOT_OK;
}

ingot_status host_verify(pool *mem, const host_program *p, ingot_error *error)
{
    for (size_t i = 0; i < p->function_count; ++i) {
        check c = {&p->functions[i], error};
        ingot_status status = verify_function(&c);
        if (status != INGOT_OK) return status;
    }
    pack_index index;
    size_t again = 0;
    ingot_status status =
        pack_index_make(mem, p->functions, sizeof *p->functions, p->function_count, &index, &again);
    if (status == INGOT_OUT_OF_MEMORY) return error_no_memory(error);
    if (status == INGOT_OK) return INGOT_OK;
    return error_set(error, INGOT_FORMAT, "two host functions are called \"%.200s\"", p->functions[again].name.p);
}

const host_function *host_find(const host_program *p, str name)
{
    if (name.n == 0) {
        if (p->function_count == 1) return &p->functions[0];
        name = STR("main");
    }
    for (size_t i = 0; i < p->function_count; ++i) {
        if (str_eq(p->functions[i].name, name)) return &p->functions[i];
    }
    return NULL;
}

void host_signature(const host_function *f, buf *out)
{
    char type[DTYPE_TEXT];
    buf_str(out, f->name);
    buf_char(out, '(');
    for (size_t i = 0; i < f->param_count; ++i) {
        const host_param *p = &f->params[i];
        buf_printf(out, "%s%s: ", i != 0 ? ", " : "", p->name.p);
        if (p->kind != INGOT_PARAM_TENSOR) {
            buf_text(out, dtype_print(p->dtype, type));
            continue;
        }
        buf_text(out, "Tensor([");
        for (size_t d = 0; d < p->ndim; ++d) buf_printf(out, "%s%s", d != 0 ? ", " : "", p->shape[d].text.p);
        buf_printf(out, "], %s)", dtype_print(p->dtype, type));
    }
    buf_char(out, ')');
}
