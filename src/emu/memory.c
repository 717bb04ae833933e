/* Memory instructions lane by lane: any address, any mask, every lane's place checked. Thread arrays; atomics. */
#include <string.h>

#include "emu/mask.h"

static inline uint64_t read_index(const char *at, emu_extend extend)
{
    if (extend != EMU_EXTEND_NONE) {
        uint32_t v;
        memcpy(&v, at, sizeof v);
        return v;
    }
    uint64_t v;
    memcpy(&v, at, sizeof v);
    return v;
}

/* A lane's part of an operand whose chunks lie `stride` apart. */
static inline const char *lane_at(const emu_vm *vm, uint32_t reg, uint16_t stride, uint32_t lane, unsigned size)
{
    return vm->frame + reg + lane / EMU_CHUNK * stride + lane % EMU_CHUNK * size;
}

static int64_t lane_index(const emu_vm *vm, const emu_access *at, uint32_t lane)
{
    const unsigned size = at->extend == EMU_EXTEND_NONE ? 8 : 4;
    uint64_t index = (uint64_t)at->index_imm;
    if (at->index != EMU_NONE) index += read_index(vm->frame + at->index, at->extend);
    if (at->lanes != EMU_NONE) index += read_index(lane_at(vm, at->lanes, at->lanes_stride, lane, size), at->extend);
    if (at->extend == EMU_EXTEND_SIGNED) return (int32_t)(uint32_t)index;
    if (at->extend == EMU_EXTEND_UNSIGNED) return (uint32_t)index;
    return (int64_t)index;
}

int64_t emu_lane_offset(const emu_vm *vm, const emu_access *at, uint32_t lane)
{
    uint64_t byte = (uint64_t)at->imm + (uint64_t)at->scale * (uint64_t)lane_index(vm, at, lane);
    if (at->base != EMU_NONE) byte += read_index(vm->frame + at->base, EMU_EXTEND_NONE);
    return (int64_t)byte;
}

uint32_t emu_lane_object(const emu_vm *vm, const emu_access *at, uint32_t lane)
{
    if (at->object != EMU_NONE) return at->object;
    return (uint32_t)read_index(lane_at(vm, at->object_reg, at->object_stride, lane, 4), EMU_EXTEND_SIGNED);
}

/* Where lane's elements are, or NULL with the fault set. */
static char *lane_place(emu_vm *vm, const emu_insn *i, uint32_t lane)
{
    const emu_access *at = i->access;
    const uint32_t index = emu_lane_object(vm, at, lane);
    const emu_object *o = emu_object_at(vm, index);
    const int64_t offset = emu_lane_offset(vm, at, lane);
    const uint64_t size = (uint64_t)at->bytes * at->count;
    emu_rule kind = EMU_FAULT_NONE;
    if (o->base == NULL) kind = EMU_FAULT_UNBOUND;
    else if (size > o->size || (uint64_t)offset > o->size - size) kind = EMU_FAULT_BOUNDS;
    else if (at->write && !o->writable) kind = EMU_FAULT_READ_ONLY;
    if (kind != EMU_FAULT_NONE) {
        vm->fault = (emu_fault){
            .kind = kind, .insn = i, .lane = lane, .object = o == vm->objects ? 0 : index, .offset = offset, .size = (uint32_t)size};
        return NULL;
    }
    return o->base + offset + (at->threadgroup ? vm->chunk_shift[lane / EMU_CHUNK] : 0);
}

const emu_insn *emu_load_lanes(emu_vm *vm, const emu_insn *i)
{
    const emu_access *at = i->access;
    const emu_mask *m = &vm->masks[vm->top];
    for (uint32_t lane = m->lo; lane < m->hi; ++lane) {
        if (!emu_active(vm, lane)) continue;
        const char *from = lane_place(vm, i, lane);
        if (from == NULL) return NULL;
        for (unsigned k = 0; k < at->count; ++k)
            memcpy(vm->frame + at->regs[k] + lane * at->bytes, from + k * at->bytes, at->bytes);
    }
    return i + 1;
}

const emu_insn *emu_store_lanes(emu_vm *vm, const emu_insn *i)
{
    const emu_access *at = i->access;
    const emu_mask *m = &vm->masks[vm->top];
    for (uint32_t lane = m->lo; lane < m->hi; ++lane) {
        if (!emu_active(vm, lane)) continue;
        char *to = lane_place(vm, i, lane);
        if (to == NULL) return NULL;
        for (unsigned k = 0; k < at->count; ++k)
            memcpy(to + k * at->bytes, lane_at(vm, at->regs[k], at->strides[k], lane, at->bytes), at->bytes);
    }
    return i + 1;
}

/* Byte `b` of a thread array in one lane. */
static inline char *private_byte(const emu_vm *vm, const emu_access *at, uint32_t lane, uint64_t b)
{
    const uint64_t g = at->granule;
    return vm->frame + at->private_at + b / g * (g * vm->width) + lane * g + b % g;
}

static bool private_in_bounds(emu_vm *vm, const emu_insn *i, uint32_t lane, int64_t offset)
{
    const emu_access *at = i->access;
    const uint64_t size = (uint64_t)at->bytes * at->count;
    if (size <= at->size && (uint64_t)offset <= at->size - size) return true;
    vm->fault = (emu_fault){
        .kind = EMU_FAULT_BOUNDS, .insn = i, .lane = lane, .object = at->object, .offset = offset, .size = (uint32_t)size};
    return false;
}

const emu_insn *emu_load_private(emu_vm *vm, const emu_insn *i)
{
    const emu_access *at = i->access;
    const emu_mask *m = &vm->masks[vm->top];
    for (uint32_t lane = m->lo; lane < m->hi; ++lane) {
        if (!emu_active(vm, lane)) continue;
        const int64_t offset = emu_lane_offset(vm, at, lane);
        if (!private_in_bounds(vm, i, lane, offset)) return NULL;
        for (unsigned k = 0; k < at->count; ++k)
            for (unsigned b = 0; b < at->bytes; ++b)
                vm->frame[at->regs[k] + lane * at->bytes + b] =
                    *private_byte(vm, at, lane, (uint64_t)offset + k * at->bytes + b);
    }
    return i + 1;
}

const emu_insn *emu_store_private(emu_vm *vm, const emu_insn *i)
{
    const emu_access *at = i->access;
    const emu_mask *m = &vm->masks[vm->top];
    for (uint32_t lane = m->lo; lane < m->hi; ++lane) {
        if (!emu_active(vm, lane)) continue;
        const int64_t offset = emu_lane_offset(vm, at, lane);
        if (!private_in_bounds(vm, i, lane, offset)) return NULL;
        for (unsigned k = 0; k < at->count; ++k) {
            const char *from = lane_at(vm, at->regs[k], at->strides[k], lane, at->bytes);
            for (unsigned b = 0; b < at->bytes; ++b)
                *private_byte(vm, at, lane, (uint64_t)offset + k * at->bytes + b) = from[b];
        }
    }
    return i + 1;
}

static const emu_insn *op_poison(emu_vm *vm, const emu_insn *i)
{
    const emu_access *at = i->access;
    const uint64_t rows = (at->size + at->granule - 1) / at->granule, row = (uint64_t)at->granule * vm->width;
    char *to = vm->frame + at->private_at;
    if (vm->c0 == 0 && vm->c1 * EMU_CHUNK >= vm->lanes) {
        memset(to, 0xff, rows * row);
        return i + 1;
    }
    const size_t chunk = (size_t)EMU_CHUNK * at->granule; /* other chunks may be another simdgroup's, at another place */
    for (uint64_t r = 0; r < rows; ++r) memset(to + r * row + vm->c0 * chunk, 0xff, (vm->c1 - vm->c0) * chunk);
    return i + 1;
}

/* The new value of a 32- or 64-bit atomic; integers in 64 bits, extended by their type. */
static uint64_t combine_integer(emu_atomic kind, bool is_signed, uint64_t old, uint64_t v)
{
    const bool less = is_signed ? (int64_t)v < (int64_t)old : v < old;
    switch (kind) {
    case EMU_ATOMIC_LOAD: return old;
    case EMU_ATOMIC_STORE:
    case EMU_ATOMIC_EXCHANGE:
    case EMU_ATOMIC_COMPARE: return v;
    case EMU_ATOMIC_ADD: return old + v;
    case EMU_ATOMIC_SUB: return old - v;
    case EMU_ATOMIC_MIN: return less ? v : old;
    case EMU_ATOMIC_MAX: return less || v == old ? old : v;
    case EMU_ATOMIC_AND: return old & v;
    case EMU_ATOMIC_OR: return old | v;
    case EMU_ATOMIC_XOR: return old ^ v;
    }
    return old;
}

static uint32_t combine_float(emu_atomic kind, uint32_t old, uint32_t v)
{
    float a, b;
    memcpy(&a, &old, 4);
    memcpy(&b, &v, 4);
    if (kind == EMU_ATOMIC_ADD) a += b;
    else if (kind == EMU_ATOMIC_SUB) a -= b;
    else return kind == EMU_ATOMIC_LOAD ? old : v;
    memcpy(&v, &a, 4);
    return v;
}

uint32_t emu_change32(uint32_t *at, emu_atomic kind, emu_type type, uint32_t v, uint32_t expected)
{
    uint32_t old = __atomic_load_n(at, __ATOMIC_SEQ_CST);
    if (kind == EMU_ATOMIC_LOAD) return old;
    for (;;) {
        if (kind == EMU_ATOMIC_COMPARE && old != expected) return old;
        uint32_t next;
        if (type == EMU_F32) next = combine_float(kind, old, v);
        else if (type == EMU_I32)
            next = (uint32_t)combine_integer(kind, true, (uint64_t)(int32_t)old, (uint64_t)(int32_t)v);
        else next = (uint32_t)combine_integer(kind, false, old, v);
        if (__atomic_compare_exchange_n(at, &old, next, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) return old;
    }
}

static uint64_t change64(uint64_t *at, emu_atomic kind, emu_type type, uint64_t v, uint64_t expected)
{
    uint64_t old = __atomic_load_n(at, __ATOMIC_SEQ_CST);
    if (kind == EMU_ATOMIC_LOAD) return old;
    for (;;) {
        if (kind == EMU_ATOMIC_COMPARE && old != expected) return old;
        const uint64_t next = combine_integer(kind, type == EMU_I64, old, v);
        if (__atomic_compare_exchange_n(at, &old, next, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) return old;
    }
}

/* Lane by lane in order. A bool atomic is one byte, which has the few kinds that its type allows. */
static const emu_insn *op_atomic(emu_vm *vm, const emu_insn *i)
{
    const emu_access *at = i->access;
    const emu_mask *m = &vm->masks[vm->top];
    const emu_type type = (emu_type)at->type;
    const unsigned size = at->bytes;
    for (uint32_t lane = m->lo; lane < m->hi; ++lane) {
        if (!emu_active(vm, lane)) continue;
        char *place = lane_place(vm, i, lane);
        if (place == NULL) return NULL;
        if ((uintptr_t)place % size != 0) {
            vm->fault = (emu_fault){.kind = EMU_FAULT_ALIGN, .insn = i, .lane = lane, .object = emu_lane_object(vm, at, lane),
                                    .offset = emu_lane_offset(vm, at, lane), .size = size};
            return NULL;
        }
        uint64_t v = 0, expected = 0, old;
        if (i->k != EMU_ATOMIC_LOAD) memcpy(&v, lane_at(vm, i->b, i->sb, lane, size), size);
        if (i->k == EMU_ATOMIC_COMPARE) memcpy(&expected, lane_at(vm, i->c, i->sc, lane, size), size);
        if (size == 4) {
            old = emu_change32((uint32_t *)(void *)place, (emu_atomic)i->k, type, (uint32_t)v, (uint32_t)expected);
        } else if (size == 8) {
            old = change64((uint64_t *)(void *)place, (emu_atomic)i->k, type, v, expected);
        } else {
            uint8_t *byte = (uint8_t *)place, seen = __atomic_load_n(byte, __ATOMIC_SEQ_CST);
            while (i->k != EMU_ATOMIC_LOAD && !(i->k == EMU_ATOMIC_COMPARE && seen != (uint8_t)expected) &&
                   !__atomic_compare_exchange_n(byte, &seen, (uint8_t)v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
            }
            old = seen;
        }
        if (i->d != EMU_NONE) memcpy(vm->frame + i->d + lane * size, &old, size);
    }
    return i + 1;
}

static const emu_insn *op_base(emu_vm *vm, const emu_insn *i)
{
    const uint32_t first = i->uniform != 0 ? 0 : vm->c0 * EMU_CHUNK, last = i->uniform != 0 ? EMU_CHUNK : vm->c1 * EMU_CHUNK;
    for (uint32_t lane = first; lane < last; ++lane) {
        uint32_t number;
        memcpy(&number, lane_at(vm, i->a, i->sa, lane, sizeof number), sizeof number);
        const uint64_t base = (uint64_t)(uintptr_t)emu_object_at(vm, number)->base;
        memcpy(vm->frame + i->d + lane * sizeof base, &base, sizeof base);
    }
    return i + 1;
}

emu_handler emu_memory_handler(emu_op op, emu_type type)
{
    (void)type;
    if (op == EMU_BASE) return op_base;
    if (op == EMU_LOADG) return emu_load_lanes;
    if (op == EMU_STOREG || op == EMU_STOREU) return emu_store_lanes;
    if (op == EMU_ATOMIC) return op_atomic;
    return op == EMU_POISON ? op_poison : NULL;
}
