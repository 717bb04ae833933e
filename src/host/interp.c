/* The interpreter of host code. The code was verified, so no index is checked here. */
#include "host/interp.h"

#include <math.h>

#include "base/dtype.h"
#include "base/error.h"

static const uint64_t default_budget = (uint64_t)1 << 32;

static const char *const names[] = {
#define HOST_OP(NAME, text, shape) [HOST_##NAME] = text,
#include "host/ops.def"
#undef HOST_OP
};

/* ---- Arithmetic: wrapping, and defined for every operand -------------------------------------- */

static bool is_unsigned(DLDataType t)
{
    return t.code == kDLUInt;
}

/* Quotient and remainder of unsigned or signed 64-bit values; b is not 0. */
static void divide(DLDataType t, int64_t a, int64_t b, int64_t *quotient, int64_t *remainder)
{
    if (is_unsigned(t)) {
        *quotient = (int64_t)((uint64_t)a / (uint64_t)b);
        *remainder = (int64_t)((uint64_t)a % (uint64_t)b);
    } else if (b == -1) { /* the least value has no quotient by -1 that fits: it wraps to itself */
        *quotient = (int64_t)(0 - (uint64_t)a);
        *remainder = 0;
    } else {
        *quotient = a / b;
        *remainder = a % b;
    }
}

static int64_t division(host_op op, DLDataType t, int64_t a, int64_t b)
{
    int64_t q, r;
    divide(t, a, b, &q, &r);
    bool floors = !is_unsigned(t) && r != 0 && ((r < 0) != (b < 0));
    if (op == HOST_TRUNCDIV) return q;
    if (op == HOST_TRUNCMOD) return r;
    if (op == HOST_FLOORDIV) return floors ? q - 1 : q;
    return floors ? r + b : r;
}

static int64_t shift(host_op op, DLDataType t, int64_t a, int64_t count)
{
    bool far = count < 0 || count >= t.bits;
    if (op == HOST_SHL) return far ? 0 : (int64_t)((uint64_t)a << count);
    if (is_unsigned(t)) return far ? 0 : (int64_t)((uint64_t)a >> count);
    if (far) return a < 0 ? -1 : 0;
    /* Sign-filling without relying on what >> does with negative values. */
    return a < 0 ? ~(int64_t)(~(uint64_t)a >> count) : a >> count;
}

static bool less(DLDataType t, int64_t a, int64_t b)
{
    return is_unsigned(t) ? (uint64_t)a < (uint64_t)b : a < b;
}

static int64_t integer(host_op op, DLDataType t, int64_t a, int64_t b)
{
    if (op == HOST_ADD) return (int64_t)((uint64_t)a + (uint64_t)b);
    if (op == HOST_SUB) return (int64_t)((uint64_t)a - (uint64_t)b);
    if (op == HOST_MUL) return (int64_t)((uint64_t)a * (uint64_t)b);
    if (op == HOST_MIN) return less(t, b, a) ? b : a;
    if (op == HOST_MAX) return less(t, a, b) ? b : a;
    if (op == HOST_SHL || op == HOST_SHR) return shift(op, t, a, b);
    if (op == HOST_BITAND) return a & b;
    if (op == HOST_BITOR) return a | b;
    if (op == HOST_BITXOR) return a ^ b;
    return division(op, t, a, b);
}

static double real(host_op op, double a, double b)
{
    if (op == HOST_ADD) return a + b;
    if (op == HOST_SUB) return a - b;
    if (op == HOST_MUL) return a * b;
    if (op == HOST_DIV) return a / b;
    if (isnan(a) || isnan(b)) return (double)NAN;
    if (op == HOST_MIN) return b < a ? b : a;
    return a < b ? b : a;
}

static double call_math(host_math fn, double a, double b)
{
    switch (fn) {
#define HOST_MATH(NAME, args, value)                                                               \
    case HOST_MATH_##NAME: return value;
#include "host/math.def"
#undef HOST_MATH
    case HOST_MATH_COUNT: break;
    }
    return b;
}

static int64_t compare(host_op op, DLDataType t, host_value a, host_value b)
{
    bool floats = dtype_is_float(t);
    if (op == HOST_EQ) return floats ? a.f == b.f : a.i == b.i;
    if (op == HOST_NE) return floats ? a.f != b.f : a.i != b.i;
    if (op == HOST_LT) return floats ? a.f < b.f : less(t, a.i, b.i);
    return floats ? a.f <= b.f : !less(t, b.i, a.i);
}

/* A float as an integer type: toward zero, the nearest end where it does not fit, NaN 0. */
static int64_t to_integer(DLDataType t, double v)
{
    if (isnan(v)) return 0;
    if (is_unsigned(t)) {
        double limit = ldexp(1.0, t.bits);
        if (v <= -1.0) return 0;
        return (int64_t)(v >= limit ? UINT64_MAX >> (64 - t.bits) : (uint64_t)(v < 0.0 ? 0.0 : v));
    }
    double limit = ldexp(1.0, t.bits - 1);
    if (v >= limit) return dtype_max(t);
    if (v <= -limit) return dtype_min(t);
    return (int64_t)v;
}

static host_value convert(DLDataType to, DLDataType from, host_value v)
{
    if (dtype_is_float(to)) {
        if (to.bits == 32 && !dtype_is_float(from)) { /* in one rounding */
            float one = is_unsigned(from) ? (float)(uint64_t)v.i : (float)v.i;
            return (host_value){.f = (double)one};
        }
        double f = dtype_is_float(from) ? v.f : is_unsigned(from) ? (double)(uint64_t)v.i : (double)v.i;
        return (host_value){.f = dtype_round(to, f)};
    }
    if (to.code == kDLBool) return (host_value){.i = dtype_is_float(from) ? v.f != 0.0 : v.i != 0};
    if (dtype_is_float(from)) return (host_value){.i = to_integer(to, v.f)};
    return (host_value){.i = dtype_wrap(to, v.i)};
}

/* ---- Frames ---------------------------------------------------------------------------------- */

ingot_status host_frame_begin(host_frame *frame, const host_function *f, host_storage *storage,
                              const ingot_allocator *mem, ingot_error *error)
{
    mem = mem_or_default(mem);
    size_t memories = 1 + f->param_count + f->alloc_count;
    *frame = (host_frame){f, storage->regs, storage->memories, memories};
    if (f->reg_count > HOST_LOCAL_REGS) frame->regs = mem_zeroed(mem, f->reg_count, sizeof *frame->regs);
    if (memories > HOST_LOCAL_MEMORIES) frame->memories = mem_zeroed(mem, memories, sizeof *frame->memories);
    if (frame->regs == NULL || frame->memories == NULL) {
        host_frame_end(frame, storage, mem);
        return error_no_memory(error);
    }
    if (frame->regs == storage->regs) memset(frame->regs, 0, f->reg_count * sizeof *frame->regs);
    if (frame->memories == storage->memories) memset(frame->memories, 0, memories * sizeof *frame->memories);
    return INGOT_OK;
}

void host_frame_end(host_frame *frame, const host_storage *storage, const ingot_allocator *mem)
{
    mem = mem_or_default(mem);
    const host_function *f = frame->function;
    if (frame->regs != storage->regs) mem_free(mem, frame->regs, f->reg_count * sizeof *frame->regs);
    if (frame->memories != storage->memories) {
        mem_free(mem, frame->memories, frame->memory_count * sizeof *frame->memories);
    }
    frame->regs = NULL;
    frame->memories = NULL;
}

/* ---- Running --------------------------------------------------------------------------------- */

typedef struct machine {
    host_frame *frame;
    const host_env *env;
    ingot_error *error;
    host_value *result;
} machine;

static ingot_status fail_division(const machine *m, host_op op)
{
    return error_set(m->error, INGOT_VALUE, "host function \"%s\": %s by zero", m->frame->function->name.p, names[op]);
}

static ingot_status run_alloc(const machine *m, host_insn i)
{
    host_frame *f = m->frame;
    size_t slot = 1 + f->function->param_count + i.b;
    int64_t bytes = f->regs[i.a].i;
    if (bytes < 0) {
        return error_set(m->error, INGOT_VALUE, "host function \"%s\": a temporary of %lld bytes",
                         f->function->name.p, (long long)bytes);
    }
    /* In a loop, the memory of the iteration before goes first. */
    if (f->memories[slot] != NULL) m->env->free(m->env->user, f->memories[slot]);
    f->memories[slot] = NULL;
    ingot_status status = m->env->alloc(m->env->user, (uint64_t)bytes, &f->memories[slot], m->error);
    f->regs[i.d] = (host_value){.i = 0, .memory = (uint32_t)slot};
    return status;
}

static ingot_status stop(const machine *m, size_t index)
{
    const host_message *message = &m->frame->function->messages[index];
    ingot_status status = str_is(message->error, "TypeError")    ? INGOT_TYPE
                          : str_is(message->error, "ValueError") ? INGOT_VALUE
                                                                 : INGOT_RUNTIME;
    return error_set(m->error, status, "%s", message->text.p);
}

static ingot_status run_check(const machine *m, host_insn i)
{
    host_value pointer = m->frame->regs[i.d];
    void *memory = m->frame->memories[pointer.memory];
    int32_t code = 0;
    if (m->env->read == NULL || memory == NULL) return INGOT_OK;
    ingot_status status = m->env->read(m->env->user, memory, (uint64_t)pointer.i, &code, m->error);
    if (status != INGOT_OK || code == 0) return status;
    if (code > 0 && code <= i.sub) return stop(m, host_wide(i) + (size_t)code - 1);
    return error_set(m->error, INGOT_DEVICE, "host function \"%s\": an assertion of no number",
                     m->frame->function->name.p);
}

/* Everything but control flow; the instructions that can fail besides. */
static ingot_status step(const machine *m, host_insn i)
{
    const host_function *f = m->frame->function;
    host_value *r = m->frame->regs;
    DLDataType t = f->regs[i.d < f->reg_count ? i.d : 0];
    host_op op = (host_op)i.op;
    switch (op) {
    case HOST_CONST:
        if (dtype_is_float(t)) r[i.d].f = num_bits_double(f->constants[host_wide(i)]);
        else r[i.d].i = (int64_t)f->constants[host_wide(i)];
        break;
    case HOST_MOVE: r[i.d] = r[i.a]; break;
    case HOST_CAST: r[i.d] = convert(t, f->regs[i.a], r[i.a]); break;
    case HOST_NOT: r[i.d].i = r[i.a].i == 0; break;
    case HOST_FLOORDIV:
    case HOST_FLOORMOD:
    case HOST_TRUNCDIV:
    case HOST_TRUNCMOD:
        if (r[i.b].i == 0) return fail_division(m, op);
        r[i.d].i = dtype_wrap(t, integer(op, t, r[i.a].i, r[i.b].i));
        break;
    case HOST_ADD:
    case HOST_SUB:
    case HOST_MUL:
    case HOST_MIN:
    case HOST_MAX:
    case HOST_DIV:
        if (dtype_is_float(t)) r[i.d].f = dtype_round(t, real(op, r[i.a].f, r[i.b].f));
        else r[i.d].i = dtype_wrap(t, integer(op, t, r[i.a].i, r[i.b].i));
        break;
    case HOST_SHL:
    case HOST_SHR:
    case HOST_BITAND:
    case HOST_BITOR:
    case HOST_BITXOR: r[i.d].i = dtype_wrap(t, integer(op, t, r[i.a].i, r[i.b].i)); break;
    case HOST_EQ:
    case HOST_NE:
    case HOST_LT:
    case HOST_LE: r[i.d].i = compare(op, f->regs[i.a], r[i.a], r[i.b]); break;
    case HOST_MATH: {
        /* One-argument functions leave b unused, which may be any number. */
        double b = i.b < f->reg_count ? r[i.b].f : 0.0;
        r[i.d].f = dtype_round(t, call_math((host_math)i.sub, r[i.a].f, b));
        break;
    }
    case HOST_OFFSET:
        r[i.d] = (host_value){.i = (int64_t)((uint64_t)r[i.a].i + (uint64_t)r[i.b].i), .memory = r[i.a].memory};
        break;
    case HOST_ALLOC: return run_alloc(m, i);
    case HOST_LAUNCH: return m->env->launch(m->env->user, m->frame, host_wide(i), m->error);
    case HOST_ASSERT: return r[i.d].i != 0 ? INGOT_OK : stop(m, host_wide(i));
    case HOST_CHECK: return run_check(m, i);
    case HOST_JUMP:
    case HOST_UNLESS:
    case HOST_RETURN:
    case HOST_END:
    case HOST_OP_COUNT: break;
    }
    return INGOT_OK;
}

static ingot_status run_code(const machine *m, size_t at, size_t end, uint64_t budget)
{
    const host_function *f = m->frame->function;
    for (uint64_t steps = 0; at < end; ++steps) {
        if (steps >= budget) {
            return error_set(m->error, INGOT_LIMIT, "host function \"%s\" has not ended after %llu steps",
                             f->name.p, (unsigned long long)budget);
        }
        host_insn i = f->code[at++];
        switch (i.op) {
        case HOST_JUMP: at = host_wide(i); break;
        case HOST_UNLESS:
            if (m->frame->regs[i.d].i == 0) at = host_wide(i);
            break;
        case HOST_RETURN:
            if (m->result != NULL) *m->result = m->frame->regs[i.d];
            return INGOT_OK;
        case HOST_END: return INGOT_OK;
        default: {
            ingot_status status = step(m, i);
            if (status != INGOT_OK) return status;
        }
        }
    }
    return INGOT_OK;
}

ingot_status host_run_checks(host_frame *frame, ingot_error *error)
{
    machine m = {.frame = frame, .error = error};
    return run_code(&m, 0, frame->function->checks_end, default_budget);
}

ingot_status host_run(host_frame *frame, const host_env *env, host_value *result, ingot_error *error)
{
    const host_function *f = frame->function;
    machine m = {frame, env, error, result};
    ingot_status status =
        run_code(&m, f->checks_end, f->code_count, env->budget != 0 ? env->budget : default_budget);
    for (size_t i = 1 + f->param_count; i < frame->memory_count; ++i) {
        if (frame->memories[i] != NULL) env->free(env->user, frame->memories[i]);
        frame->memories[i] = NULL;
    }
    return status;
}
