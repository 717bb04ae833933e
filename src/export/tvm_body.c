/* Host code as C statements, for libraries in TVM's shape. What TVM's runtime cannot be told is refused by name. */
#include <inttypes.h>

#include "base/dtype.h"
#include "base/error.h"
#include "export/tvm_source.h"

/* A register is rN: int64_t, double or void *, by its type. */
static bool is_pointer(DLDataType t)
{
    return t.code == kDLOpaqueHandle;
}

static bool is_unsigned(DLDataType t)
{
    return t.code == kDLUInt;
}

DLDataType tvm_carrier(DLDataType t)
{
    bool integer = (t.code == kDLInt && t.bits >= 32) || (t.code == kDLUInt && t.bits == 32);
    if (is_pointer(t) || integer || (t.code == kDLFloat && t.bits == 32)) return t;
    return (DLDataType){kDLInt, 64, 1};
}

/* The arguments that the prelude's functions take for a float of 16 bits; NULL for other types. */
static const char *short_float(DLDataType t)
{
    if (t.code == kDLBfloat) return "BFLOAT";
    return t.code == kDLFloat && t.bits == 16 ? "HALF" : NULL;
}

const char *tvm_wrap(DLDataType t)
{
    if (t.code == kDLBfloat) return "ROUNDED(BFLOAT, ";
    if (t.code == kDLFloat) return t.bits == 64 ? "(" : t.bits == 16 ? "ROUNDED(HALF, " : "(double)(float)(";
    if (is_pointer(t)) return "(";
    if (t.code == kDLBool) return "0 != (";
    static const char *const wraps[2][4] = {{"(int64_t)(int8_t)(", "(int64_t)(int16_t)(", "(int64_t)(int32_t)(", "(int64_t)("},
                                            {"(int64_t)(uint8_t)(", "(int64_t)(uint16_t)(", "(int64_t)(uint32_t)(", "(int64_t)("}};
    return wraps[is_unsigned(t)][t.bits == 8 ? 0 : t.bits == 16 ? 1 : t.bits == 32 ? 2 : 3];
}

static void assign(const tvm_writer *w, size_t d)
{
    buf_printf(w->out, "    r%zu = %s", d, tvm_wrap(w->f->regs[d]));
}

static void constant(const tvm_writer *w, host_insn i)
{
    uint64_t bits = w->f->constants[host_wide(i)];
    const char *form = dtype_is_float(w->f->regs[i.d]) ? "number" : "(int64_t)";
    buf_printf(w->out, "    r%u = %s(%" PRIu64 "u);\n", (unsigned)i.d, form, bits);
}

/* ---- Arithmetic ---------------------------------------------------------------------------------- */

/* How an operation is written in C: for signed integers, unsigned ones and floats. Between two operands a sign, which
 * integers take without their own so that they wrap, else a function of the prelude. */
typedef struct form {
    host_op op;
    const char *whole, *natural, *real;
} form;

static const form forms[] = {
    {HOST_ADD, "+", "+", "+"},
    {HOST_SUB, "-", "-", "-"},
    {HOST_MUL, "*", "*", "*"},
    {HOST_DIV, NULL, NULL, "/"},
    {HOST_MIN, "lesser", "unsigned_lesser", "least_of"},
    {HOST_MAX, "greater", "unsigned_greater", "most_of"},
    {HOST_FLOORDIV, "floordiv", "unsigned_div", NULL},
    {HOST_FLOORMOD, "floormod", "unsigned_mod", NULL},
    {HOST_TRUNCDIV, "truncdiv", "unsigned_div", NULL},
    {HOST_TRUNCMOD, "truncmod", "unsigned_mod", NULL},
    {HOST_SHL, "left", "left", NULL},
    {HOST_SHR, "right", "unsigned_right", NULL},
    {HOST_BITAND, "&", "&", NULL},
    {HOST_BITOR, "|", "|", NULL},
    {HOST_BITXOR, "^", "^", NULL},
    {HOST_EQ, "==", "==", "=="},
    {HOST_NE, "!=", "!=", "!="},
    {HOST_LT, "<", "<", "<"},
    {HOST_LE, "<=", "<=", "<="},
};

static const char *written(host_op op, DLDataType t)
{
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; ++i) {
        if (forms[i].op != op) continue;
        return dtype_is_float(t) ? forms[i].real : is_unsigned(t) ? forms[i].natural : forms[i].whole;
    }
    return NULL;
}

static bool divides(host_op op)
{
    return op == HOST_FLOORDIV || op == HOST_FLOORMOD || op == HOST_TRUNCDIV || op == HOST_TRUNCMOD;
}

static bool binary(const tvm_writer *w, host_insn i)
{
    host_op op = (host_op)i.op;
    DLDataType t = w->f->regs[i.a];
    const char *as = written(op, t);
    if (as == NULL) return false;
    bool is_call = as[0] >= 'a' && as[0] <= 'z', compares = op == HOST_LT || op == HOST_LE;
    /* Signs of integers' values matter to comparisons only. */
    const char *cast = dtype_is_float(t) || (compares && !is_unsigned(t)) ? "" : "(uint64_t)";
    if (divides(op)) buf_printf(w->out, "    if (r%u == 0) return fail(\"ValueError\", \"division by zero\");\n", (unsigned)i.b);
    assign(w, i.d);
    if (!is_call) buf_printf(w->out, "%sr%u %s %sr%u);\n", cast, (unsigned)i.a, as, cast, (unsigned)i.b);
    else if (op == HOST_SHL || op == HOST_SHR) buf_printf(w->out, "%s(r%u, r%u, %d));\n", as, (unsigned)i.a, (unsigned)i.b, t.bits);
    else buf_printf(w->out, "%s(r%u, r%u));\n", as, (unsigned)i.a, (unsigned)i.b);
    return true;
}

static void convert(const tvm_writer *w, host_insn i)
{
    DLDataType to = w->f->regs[i.d], from = w->f->regs[i.a];
    assign(w, i.d);
    if (dtype_is_float(from) && !dtype_is_float(to) && to.code != kDLBool) {
        buf_printf(w->out, "%swhole(r%u, %d));\n", is_unsigned(to) ? "unsigned_" : "", (unsigned)i.a, to.bits);
        return;
    }
    bool natural = is_unsigned(from) && dtype_is_float(to);
    buf_printf(w->out, "%sr%u%s);\n", natural ? "(uint64_t)" : "", (unsigned)i.a, to.code == kDLBool && dtype_is_float(from) ? " != 0" : "");
}

/* The value is math.def's, in C as it stands there. */
static void math(const tvm_writer *w, host_insn i)
{
    static const struct {
        int args;
        const char *value;
    } functions[] = {
#define HOST_MATH(NAME, args, value) {args, #value},
#include "host/math.def"
#undef HOST_MATH
    };
    buf_printf(w->out, "    {\n        double a = r%u", (unsigned)i.a);
    if (functions[i.sub].args > 1) buf_printf(w->out, ", b = r%u", (unsigned)i.b);
    buf_text(w->out, ";\n    ");
    assign(w, i.d);
    buf_printf(w->out, "%s);\n    }\n", functions[i.sub].value);
}

/* ---- Kernels, messages, results ------------------------------------------------------------------ */

/* An argument of a kernel as TVM's launcher takes it. */
static void kernel_argument(const tvm_writer *w, size_t i, size_t reg)
{
    DLDataType t = w->f->regs[reg];
    const char *narrow = short_float(t);
    buf_printf(w->out, "    packed[%zu] = (any)", i);
    if (is_pointer(t)) buf_printf(w->out, "{4, 0, {.p = r%zu}};\n", reg);
    else if (narrow != NULL) buf_printf(w->out, "{1, 0, {.i = short_bits(r%zu, %s)}};\n", reg, narrow);
    else if (dtype_is_float(t)) buf_printf(w->out, "{3, 0, {.f = r%zu}};\n", reg);
    else buf_printf(w->out, "{1, 0, {.i = r%zu}};\n", reg);
}

static void launch(const tvm_writer *w, const host_launch *l)
{
    size_t count = l->arg_count + l->extent_count;
    for (size_t i = 0; i < count; ++i) kernel_argument(w, i, i < l->arg_count ? l->args[i] : l->extents[i - l->arg_count]);
    buf_printf(w->out, "    if (call(\"%s\", packed, %zu)) return -1;\n", l->kernel.p, count);
}

static void message(const tvm_writer *w, host_insn i)
{
    const host_message *m = &w->f->messages[host_wide(i)];
    buf_printf(w->out, "    if (!r%u) return fail(", (unsigned)i.d);
    c_string(w->out, m->error);
    buf_text(w->out, ", ");
    c_string(w->out, m->text);
    buf_text(w->out, ");\n");
}

static void give_back(const tvm_writer *w, size_t d)
{
    DLDataType t = w->f->regs[d];
    if (is_pointer(t)) buf_printf(w->out, "    *result = (any){4, 0, {.p = r%zu}};\n", d);
    else if (dtype_is_float(t)) buf_printf(w->out, "    *result = (any){3, 0, {.f = r%zu}};\n", d);
    else buf_printf(w->out, "    *result = (any){%d, 0, {.i = r%zu}};\n", t.code == kDLBool ? 2 : 1, d);
    buf_text(w->out, "    return 0;\n");
}

/* One instruction; false where it cannot be written. */
static bool instruction(const tvm_writer *w, host_insn i)
{
    if (i.op == HOST_CONST) constant(w, i);
    else if (i.op == HOST_MOVE) buf_printf(w->out, "    r%u = r%u;\n", (unsigned)i.d, (unsigned)i.a);
    else if (i.op == HOST_NOT) buf_printf(w->out, "    r%u = !r%u;\n", (unsigned)i.d, (unsigned)i.a);
    else if (i.op == HOST_CAST) convert(w, i);
    else if (i.op == HOST_MATH) math(w, i);
    else if (i.op == HOST_JUMP) buf_printf(w->out, "    goto at%u;\n", (unsigned)host_wide(i));
    else if (i.op == HOST_UNLESS) buf_printf(w->out, "    if (!r%u) goto at%u;\n", (unsigned)i.d, (unsigned)host_wide(i));
    else if (i.op == HOST_ALLOC)
        buf_printf(w->out, "    if (take(*device, r%u, &slots[%u])) return -1;\n    r%u = slots[%u];\n", (unsigned)i.a, (unsigned)i.b,
                   (unsigned)i.d, (unsigned)i.b);
    else if (i.op == HOST_LAUNCH) launch(w, &w->f->launches[host_wide(i)]);
    else if (i.op == HOST_ASSERT) message(w, i);
    else if (i.op == HOST_RETURN) give_back(w, i.d);
    else if (i.op == HOST_END) buf_text(w->out, "    return 0;\n");
    else return binary(w, i);
    return true;
}

/* What an instruction is to people that cannot be written. */
static const char *refused(host_op op)
{
    if (op == HOST_CHECK) return "assertions in kernels";
    return op == HOST_OFFSET ? "the address of an element, which no handle of Metal memory can be" : "this instruction";
}

/* Whether an instruction is jumped to. */
static bool is_target(const host_function *f, size_t at)
{
    for (size_t i = 0; i < f->code_count; ++i) {
        bool jumps = f->code[i].op == HOST_JUMP || f->code[i].op == HOST_UNLESS;
        if (jumps && host_wide(f->code[i]) == at) return true;
    }
    return false;
}

ingot_status tvm_write_code(const tvm_writer *w, size_t from, size_t to, ingot_error *error)
{
    for (size_t i = from; i < to; ++i) {
        if (is_target(w->f, i)) buf_printf(w->out, "at%zu:;\n", i);
        if (instruction(w, w->f->code[i])) continue;
        return error_set(error, INGOT_UNSUPPORTED, "function \"%s\": a library in TVM's shape is not written with %s", w->f->name.p,
                         refused((host_op)w->f->code[i].op));
    }
    return INGOT_OK;
}
