/* Host code read back as expressions: what launch extents and kernel arguments are in terms of a function's parameters. */
#include <inttypes.h>
#include <stdio.h>

#include "base/dtype.h"
#include "export/export.h"

enum { LONGEST = 512 };

typedef struct reader {
    const host_function *f;
    pool *memory;
    str *texts;       /* by register */
    uint8_t *writes;  /* assignments of each register, at most 2 */
    bool failed;      /* out of memory */
} reader;

/* The sign of an operation between two operands; NULL where it has none. */
static const char *sign_of(host_op op)
{
    switch (op) {
    case HOST_ADD: return "+";
    case HOST_SUB: return "-";
    case HOST_MUL: return "*";
    case HOST_DIV: return "/";
    case HOST_FLOORDIV: return "//";
    case HOST_FLOORMOD: return "%";
    case HOST_SHL: return "<<";
    case HOST_SHR: return ">>";
    case HOST_BITAND: return "&";
    case HOST_BITOR: return "|";
    case HOST_BITXOR: return "^";
    case HOST_EQ: return "==";
    case HOST_NE: return "!=";
    case HOST_LT: return "<";
    case HOST_LE: return "<=";
    case HOST_CONST:
    case HOST_MOVE:
    case HOST_CAST:
    case HOST_NOT:
    case HOST_MIN:
    case HOST_MAX:
    case HOST_TRUNCDIV:
    case HOST_TRUNCMOD:
    case HOST_MATH:
    case HOST_JUMP:
    case HOST_UNLESS:
    case HOST_OFFSET:
    case HOST_ALLOC:
    case HOST_LAUNCH:
    case HOST_ASSERT:
    case HOST_CHECK:
    case HOST_RETURN:
    case HOST_END:
    case HOST_OP_COUNT: return NULL;
    }
    return NULL;
}

/* A name for an operation that is written as a call; NULL where it is none. */
static const char *call_of(host_op op)
{
    if (op == HOST_MIN) return "min";
    if (op == HOST_MAX) return "max";
    if (op == HOST_TRUNCDIV) return "truncdiv";
    if (op == HOST_TRUNCMOD) return "truncmod";
    return NULL;
}

static bool assigns(host_insn i)
{
    return i.op != HOST_JUMP && i.op != HOST_UNLESS && i.op != HOST_LAUNCH && i.op != HOST_ASSERT && i.op != HOST_CHECK && i.op != HOST_RETURN &&
           i.op != HOST_END;
}

static void set(reader *r, size_t reg, const char *text)
{
    r->texts[reg] = pool_str(r->memory, str_of(text));
    if (r->texts[reg].p == NULL) r->failed = true;
}

/* An operand: names and numbers as they are, other expressions in brackets. */
static str operand(reader *r, str text)
{
    bool plain = true;
    for (size_t i = 0; i < text.n; ++i) {
        char c = text.p[i];
        plain = plain && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.');
    }
    if (plain || text.n + 3 > LONGEST) return text;
    char bracketed[LONGEST];
    snprintf(bracketed, sizeof bracketed, "(%.*s)", STR_ARG(text));
    str out = pool_str(r->memory, str_of(bracketed));
    if (out.p == NULL) r->failed = true;
    return out;
}

static void constant(reader *r, host_insn i)
{
    char text[40];
    uint64_t bits = r->f->constants[host_wide(i)];
    if (dtype_is_float(r->f->regs[i.d])) {
        double value;
        memcpy(&value, &bits, sizeof value);
        snprintf(text, sizeof text, "%.17g", value);
    } else {
        snprintf(text, sizeof text, "%" PRId64, (int64_t)bits);
    }
    set(r, i.d, text);
}

static void binary(reader *r, host_insn i)
{
    const char *sign = sign_of((host_op)i.op), *call = call_of((host_op)i.op);
    str a = r->texts[i.a], b = r->texts[i.b];
    if ((sign == NULL && call == NULL) || a.p == NULL || b.p == NULL) return;
    char text[LONGEST];
    int n;
    if (call != NULL) {
        n = snprintf(text, sizeof text, "%s(%.*s, %.*s)", call, STR_ARG(a), STR_ARG(b));
    } else {
        a = operand(r, a);
        b = operand(r, b);
        if (r->failed) return;
        n = snprintf(text, sizeof text, "%.*s %s %.*s", STR_ARG(a), sign, STR_ARG(b));
    }
    if (n > 0 && (size_t)n < sizeof text) set(r, i.d, text);
}

static void read_one(reader *r, host_insn i)
{
    if (!assigns(i) || r->writes[i.d] != 1) return;
    if (i.op == HOST_CONST) {
        constant(r, i);
    } else if (i.op == HOST_MOVE || (i.op == HOST_CAST && !dtype_is_float(r->f->regs[i.d]) && !dtype_is_float(r->f->regs[i.a]))) {
        r->texts[i.d] = r->texts[i.a];
    } else if (i.op != HOST_NOT && i.op != HOST_MATH && i.op != HOST_CAST && i.op != HOST_ALLOC && i.op != HOST_OFFSET) {
        binary(r, i);
    }
}

static void name_dim(reader *r, const host_dim *d)
{
    if (d->kind == HOST_DIM_DEFINE) r->texts[d->reg] = d->text;
}

static void name_params(reader *r)
{
    for (size_t k = 0; k < r->f->param_count; ++k) {
        const host_param *p = &r->f->params[k];
        r->texts[p->reg] = p->name;
        for (size_t d = 0; d < p->ndim; ++d) name_dim(r, &p->shape[d]);
        for (size_t d = 0; d < p->stride_count; ++d) name_dim(r, &p->strides[d]);
        if (p->kind == INGOT_PARAM_TENSOR) name_dim(r, &p->offset);
    }
}

const str *export_expressions(const host_function *f, pool *memory)
{
    reader r = {.f = f, .memory = memory};
    r.texts = pool_array(memory, str, f->reg_count);
    r.writes = pool_array(memory, uint8_t, f->reg_count);
    if (r.texts == NULL || r.writes == NULL) return NULL;
    for (size_t i = 0; i < f->code_count; ++i) {
        host_insn insn = f->code[i];
        if (assigns(insn) && r.writes[insn.d] < 2) ++r.writes[insn.d];
    }
    name_params(&r);
    for (size_t i = 0; i < f->code_count && !r.failed; ++i) read_one(&r, f->code[i]);
    return r.failed ? NULL : r.texts;
}
