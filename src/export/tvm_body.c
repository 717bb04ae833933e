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

/* "rD = WRAP(": what makes a result fit its type; one bracket is to be closed. */
static void assign(const tvm_writer *w, size_t d)
{
    DLDataType t = w->f->regs[d];
    buf_printf(w->out, "    r%zu = ", d);
    if (dtype_is_float(t)) buf_text(w->out, t.bits == 64 ? "(" : "(double)(float)(");
    else if (is_pointer(t) || t.bits == 64) buf_text(w->out, is_pointer(t) ? "(" : "(int64_t)(");
    else if (t.code == kDLBool) buf_text(w->out, "0 != (");
    else buf_printf(w->out, "(int64_t)(%sint%d_t)(", is_unsigned(t) ? "u" : "", t.bits);
}

static void constant(const tvm_writer *w, host_insn i)
{
    uint64_t bits = w->f->constants[host_wide(i)];
    if (!dtype_is_float(w->f->regs[i.d])) {
        buf_printf(w->out, "    r%u = (int64_t)%" PRIu64 "u;\n", (unsigned)i.d, bits);
        return;
    }
    buf_printf(w->out, "    r%u = number(%" PRIu64 "u);\n", (unsigned)i.d, bits);
}

/* The sign of an operation that C has with the same meaning; integers are computed without signs where those may run
 * over. NULL where there is none. */
static const char *sign_of(host_op op)
{
    if (op == HOST_ADD) return "+";
    if (op == HOST_SUB) return "-";
    if (op == HOST_MUL) return "*";
    if (op == HOST_BITAND) return "&";
    if (op == HOST_BITOR) return "|";
    if (op == HOST_BITXOR) return "^";
    return NULL;
}

static const char *relation_of(host_op op)
{
    if (op == HOST_EQ) return "==";
    if (op == HOST_NE) return "!=";
    if (op == HOST_LT) return "<";
    return op == HOST_LE ? "<=" : NULL;
}

/* The prelude's function for an integer operation; NULL where it has none. */
static const char *helper_of(host_op op)
{
    if (op == HOST_FLOORDIV) return "floordiv";
    if (op == HOST_FLOORMOD) return "floormod";
    if (op == HOST_TRUNCDIV) return "truncdiv";
    if (op == HOST_TRUNCMOD) return "truncmod";
    if (op == HOST_MIN) return "lesser";
    return op == HOST_MAX ? "greater" : NULL;
}

static bool divides(host_op op)
{
    return op == HOST_FLOORDIV || op == HOST_FLOORMOD || op == HOST_TRUNCDIV || op == HOST_TRUNCMOD;
}

static bool binary(const tvm_writer *w, host_insn i)
{
    host_op op = (host_op)i.op;
    DLDataType t = w->f->regs[i.a];
    bool floats = dtype_is_float(t), wide = is_unsigned(t) && t.bits == 64;
    const char *sign = sign_of(op), *relation = relation_of(op), *helper = floats ? NULL : helper_of(op);
    if (floats && op == HOST_DIV) sign = "/";
    if (wide && (helper != NULL || op == HOST_LT || op == HOST_LE)) return false;
    if (helper != NULL && divides(op)) {
        buf_printf(w->out, "    if (r%u == 0) return fail(\"ValueError\", \"division by zero\");\n", (unsigned)i.b);
    }
    if (sign == NULL && relation == NULL && helper == NULL) return false;
    assign(w, i.d);
    if (relation != NULL) buf_printf(w->out, "r%u %s r%u", (unsigned)i.a, relation, (unsigned)i.b);
    else if (helper != NULL) buf_printf(w->out, "%s(r%u, r%u)", helper, (unsigned)i.a, (unsigned)i.b);
    else if (floats) buf_printf(w->out, "r%u %s r%u", (unsigned)i.a, sign, (unsigned)i.b);
    else buf_printf(w->out, "(uint64_t)r%u %s (uint64_t)r%u", (unsigned)i.a, sign, (unsigned)i.b);
    buf_text(w->out, ");\n");
    return true;
}

/* Conversions but those from floats to integers, which C leaves undefined where they do not fit. */
static bool convert(const tvm_writer *w, host_insn i)
{
    DLDataType to = w->f->regs[i.d], from = w->f->regs[i.a];
    if (dtype_is_float(from) && !dtype_is_float(to)) return false;
    if (is_unsigned(from) && from.bits == 64 && dtype_is_float(to)) return false;
    assign(w, i.d);
    buf_printf(w->out, "r%u);\n", (unsigned)i.a);
    return true;
}

/* An argument of a kernel as a value of tvm-ffi. */
static void kernel_argument(const tvm_writer *w, size_t reg, const char *place)
{
    DLDataType t = w->f->regs[reg];
    if (is_pointer(t)) buf_printf(w->out, "    %s = (any){4, 0, {.p = r%zu}};\n", place, reg);
    else if (dtype_is_float(t)) buf_printf(w->out, "    %s = (any){3, 0, {.f = r%zu}};\n", place, reg);
    else buf_printf(w->out, "    %s = (any){%d, 0, {.i = r%zu}};\n", place, t.code == kDLBool ? 2 : 1, reg);
}

static void launch(const tvm_writer *w, const host_launch *l)
{
    char place[40];
    for (size_t i = 0; i < l->arg_count + l->extent_count; ++i) {
        snprintf(place, sizeof place, "packed[%zu]", i);
        kernel_argument(w, i < l->arg_count ? l->args[i] : l->extents[i - l->arg_count], place);
    }
    buf_printf(w->out, "    if (launch(\"%s\", packed, %zu)) return -1;\n", l->kernel.p, l->arg_count + l->extent_count);
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
    buf_text(w->out, "    ");
    kernel_argument(w, d, "*result");
    buf_text(w->out, "    return 0;\n");
}

/* One instruction; false where it cannot be written. */
static bool instruction(const tvm_writer *w, host_insn i)
{
    if (i.op == HOST_CONST) constant(w, i);
    else if (i.op == HOST_MOVE) buf_printf(w->out, "    r%u = r%u;\n", (unsigned)i.d, (unsigned)i.a);
    else if (i.op == HOST_NOT) buf_printf(w->out, "    r%u = !r%u;\n", (unsigned)i.d, (unsigned)i.a);
    else if (i.op == HOST_CAST) return convert(w, i);
    else if (i.op == HOST_JUMP) buf_printf(w->out, "    goto at%u;\n", (unsigned)host_wide(i));
    else if (i.op == HOST_UNLESS) buf_printf(w->out, "    if (!r%u) goto at%u;\n", (unsigned)i.d, (unsigned)host_wide(i));
    else if (i.op == HOST_LAUNCH) launch(w, &w->f->launches[host_wide(i)]);
    else if (i.op == HOST_ASSERT) message(w, i);
    else if (i.op == HOST_RETURN) give_back(w, i.d);
    else if (i.op == HOST_END) buf_text(w->out, "    return 0;\n");
    else return binary(w, i);
    return true;
}

static const char *name_of(host_op op)
{
    static const char *const names[] = {
#define HOST_OP(NAME, text, shape) text,
#include "host/ops.def"
#undef HOST_OP
    };
    return names[op];
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
        return error_set(error, INGOT_UNSUPPORTED,
                         "function \"%s\": its host code needs '%s' here, which a library in TVM's shape is not written with",
                         w->f->name.p, name_of((host_op)w->f->code[i].op));
    }
    return INGOT_OK;
}
