/* Checks of values: operands before an operation, results behind it, the lanes that a shuffle reads. */
#include <math.h>
#include <string.h>

#include "emu/check.h"
#include "emu/cross.h"
#include "emu/mask.h"

static inline const char *lane_of(const emu_vm *vm, uint32_t reg, uint16_t stride, uint32_t lane, unsigned size)
{
    return vm->frame + reg + lane / EMU_CHUNK * stride + lane % EMU_CHUNK * size;
}

static uint64_t read_bits(const emu_vm *vm, uint32_t reg, uint16_t stride, uint32_t lane, emu_type type)
{
    const unsigned size = emu_type_size(type);
    uint64_t v = 0;
    memcpy(&v, lane_of(vm, reg, stride, lane, size), size);
    return v;
}

static bool note(emu_vm *vm, const emu_insn *i, emu_rule rule, uint32_t lane, uint64_t detail)
{
    const emu_fault f = {.kind = rule, .insn = i, .lane = lane, .detail = detail};
    return emu_note(vm, &f);
}

/* Exponent and fraction of a float: what NaN and infinity are told by. */
static bool not_finite(uint64_t bits, emu_type t)
{
    if (t == EMU_F32) return (bits & 0x7f800000u) == 0x7f800000u;
    return t == EMU_F16 ? (bits & 0x7c00u) == 0x7c00u : (bits & 0x7f80u) == 0x7f80u;
}
static bool is_nan(uint64_t bits, emu_type t)
{
    const uint64_t fraction = t == EMU_F32 ? 0x7fffffu : t == EMU_F16 ? 0x3ffu : 0x7fu;
    return not_finite(bits, t) && (bits & fraction) != 0;
}

/* Behind an operation on floats: d is its result, a, b, c its operands. A NaN is made where no operand is one, an
 * infinity where all operands are finite. */
static const emu_insn *op_made(emu_vm *vm, const emu_insn *i)
{
    const emu_type t = (emu_type)i->type, of = (emu_type)i->k;
    const emu_mask *m = &vm->masks[vm->top];
    const uint16_t stride = i->uniform != 0 ? 0 : (uint16_t)(emu_type_size(t) * EMU_CHUNK);
    const uint32_t regs[3] = {i->a, i->b, i->c};
    const uint16_t strides[3] = {i->sa, i->sb, i->sc};
    for (uint32_t lane = m->lo; lane < m->hi; ++lane) {
        const uint64_t r = read_bits(vm, i->d, stride, lane, t);
        if (!not_finite(r, t) || !emu_active(vm, lane)) continue;
        bool finite = true, number = true;
        for (int64_t k = 0; k < i->imm; ++k) {
            const uint64_t v = read_bits(vm, regs[k], strides[k], lane, of);
            if (of < EMU_F16) continue; /* an integer is finite */
            finite = finite && !not_finite(v, of);
            number = number && !is_nan(v, of);
        }
        const bool nan = is_nan(r, t);
        if (nan ? !number : !finite) continue;
        if (!note(vm, i, nan ? EMU_FAULT_NAN : EMU_FAULT_INFINITY, lane, r)) return NULL;
        if (i->uniform != 0) break;
    }
    return i + 1;
}

/* Before a division of integers: b is the divisor. */
static const emu_insn *op_divisor(emu_vm *vm, const emu_insn *i)
{
    const emu_mask *m = &vm->masks[vm->top];
    for (uint32_t lane = m->lo; lane < m->hi; ++lane) {
        if (!emu_active(vm, lane) || read_bits(vm, i->b, i->sb, lane, (emu_type)i->type) != 0) continue;
        if (!note(vm, i, EMU_FAULT_DIVISION, lane, 0)) return NULL;
        if (i->sb == 0) break;
    }
    return i + 1;
}

/* Before a shift: b is the count, of the type of a. */
static const emu_insn *op_count(emu_vm *vm, const emu_insn *i)
{
    const emu_mask *m = &vm->masks[vm->top];
    const unsigned width = emu_type_size((emu_type)i->type) * 8;
    for (uint32_t lane = m->lo; lane < m->hi; ++lane) {
        const uint64_t count = read_bits(vm, i->b, i->sb, lane, (emu_type)i->type);
        if (count < width || !emu_active(vm, lane)) continue;
        if (!note(vm, i, EMU_FAULT_SHIFT, lane, count)) return NULL;
        if (i->sb == 0) break;
    }
    return i + 1;
}

/* Before the conversion of a float to an integer type (k). */
static const emu_insn *op_range(emu_vm *vm, const emu_insn *i)
{
    static const double lows[] = {[EMU_I8] = -128, [EMU_I16] = -32768, [EMU_I32] = -2147483648.0,
                                  [EMU_I64] = -9223372036854775808.0};
    static const double highs[] = {[EMU_I8] = 128, [EMU_U8] = 256, [EMU_I16] = 32768, [EMU_U16] = 65536,
                                   [EMU_I32] = 2147483648.0, [EMU_U32] = 4294967296.0,
                                   [EMU_I64] = 9223372036854775808.0, [EMU_U64] = 18446744073709551616.0};
    const emu_mask *m = &vm->masks[vm->top];
    const bool sign = i->k == EMU_I8 || i->k == EMU_I16 || i->k == EMU_I32 || i->k == EMU_I64;
    const double low = sign ? lows[i->k] : 0, high = highs[i->k];
    for (uint32_t lane = m->lo; lane < m->hi; ++lane) {
        float v;
        memcpy(&v, lane_of(vm, i->a, i->sa, lane, 4), sizeof v);
        const double cut = trunc((double)v);
        if ((cut >= low && cut < high) || !emu_active(vm, lane)) continue;
        uint32_t bits;
        memcpy(&bits, &v, sizeof bits);
        if (!note(vm, i, EMU_FAULT_CONVERSION, lane, bits)) return NULL;
        if (i->sa == 0) break;
    }
    return i + 1;
}

/* A bool that has to hold in all active lanes; k is the rule where it does not. */
static const emu_insn *op_holds(emu_vm *vm, const emu_insn *i)
{
    const emu_mask *m = &vm->masks[vm->top];
    for (uint32_t lane = m->lo; lane < m->hi; ++lane) {
        if (*lane_of(vm, i->a, i->sa, lane, 1) != 0 || !emu_active(vm, lane)) continue;
        const emu_fault f = {.kind = (emu_rule)i->k, .insn = i, .lane = lane, .object = (uint32_t)i->imm};
        if (!emu_note(vm, &f)) return NULL;
        if (i->sa == 0) break;
    }
    return i + 1;
}

emu_extent emu_extent_of(const emu_vm *vm, uint32_t reg, uint32_t from, uint32_t to)
{
    emu_extent e = {INT64_MAX, INT64_MIN};
    for (uint32_t lane = from * EMU_CHUNK; lane < to * EMU_CHUNK; ++lane) {
        int64_t v;
        memcpy(&v, vm->frame + reg + lane * sizeof v, sizeof v);
        e.least = v < e.least ? v : e.least;
        e.greatest = v > e.greatest ? v : e.greatest;
    }
    return e;
}

/* An index as it should be: uniform a plus what each lane has in b. */
static const emu_insn *op_indexed(emu_vm *vm, const emu_insn *i)
{
    const bool sign = i->type == EMU_I32;
    const int64_t least = sign ? INT32_MIN : 0, greatest = sign ? INT32_MAX : (int64_t)UINT32_MAX;
    emu_extent e = {0, 0};
    int64_t base = 0, low = 0, high = 0;
    if (i->a != EMU_NONE) memcpy(&base, vm->frame + i->a, sizeof base);
    if (i->b != EMU_NONE) e = i->imm != 0 ? vm->extents[i->imm - 1] : emu_extent_of(vm, i->b, vm->c0, vm->c1);
    const bool whole = !__builtin_add_overflow(base, e.least, &low) && !__builtin_add_overflow(base, e.greatest, &high);
    if (whole && low >= least && high <= greatest) return i + 1;
    const emu_mask *m = &vm->masks[vm->top];
    for (uint32_t lane = m->lo; lane < m->hi; ++lane) {
        if (!emu_active(vm, lane)) continue;
        const uint64_t own = i->b != EMU_NONE ? read_bits(vm, i->b, i->sb, lane, EMU_I64) : 0;
        const int64_t v = (int64_t)((uint64_t)base + own);
        if (v >= least && v <= greatest) continue;
        if (!note(vm, i, EMU_FAULT_INDEX, lane, 0)) return NULL;
        if (i->b == EMU_NONE) break;
    }
    return i + 1;
}

/* Before a shuffle: the lane read must be active. */
static const emu_insn *op_source(emu_vm *vm, const emu_insn *i)
{
    const emu_mask *m = &vm->masks[vm->top];
    for (uint32_t lane = m->lo; lane < m->hi; ++lane) {
        if (!emu_active(vm, lane)) continue;
        const uint32_t from = emu_shuffle_source(vm, i + 1, lane);
        if (emu_active(vm, from)) continue;
        if (!note(vm, i, EMU_FAULT_UNINIT_LANE, lane, from % vm->group_threads)) return NULL;
    }
    return i + 1;
}

emu_handler emu_check_value_handler(emu_op op)
{
    switch ((int)op) {
    case EMU_MADE: return op_made;
    case EMU_DIVISOR: return op_divisor;
    case EMU_COUNT: return op_count;
    case EMU_RANGE: return op_range;
    case EMU_HOLDS: return op_holds;
    case EMU_INDEXED: return op_indexed;
    case EMU_SOURCE: return op_source;
    default: return NULL;
    }
}

emu_handler emu_check_handler(emu_op op)
{
    emu_handler h = emu_check_memory_handler(op);
    if (h == NULL) h = emu_check_texture_handler(op);
    if (h == NULL) h = emu_check_flow_handler(op);
    return h != NULL ? h : emu_check_value_handler(op);
}
