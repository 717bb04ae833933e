/* Instructions across lanes: shuffles, reductions, scans, votes, 8 x 8 matrices. Blocks of i->imm lanes (a simdgroup, or
 * a quadgroup) begin at each threadgroup's first lane. */
#include <string.h>

#include "emu/cross.h"
#include "emu/mask.h"

/* One block: its lanes are [from, to); fewer than i->imm at the end of a threadgroup. */
typedef struct block {
    uint32_t from, to;
} block;

static block block_at(const emu_vm *vm, const emu_insn *i, uint32_t from)
{
    const uint32_t group_end = (from / vm->group_threads + 1) * vm->group_threads;
    uint32_t to = from + (uint32_t)i->imm;
    if (to > group_end) to = group_end;
    return (block){from, to < vm->lanes ? to : vm->lanes};
}

/* The first block that the mask touches. */
static uint32_t first_block(const emu_vm *vm, const emu_insn *i)
{
    const uint32_t lo = vm->masks[vm->top].lo, start = lo / vm->group_threads * vm->group_threads;
    return start + (lo - start) / (uint32_t)i->imm * (uint32_t)i->imm;
}

#define FOR_BLOCKS(b)                                                                                                  \
    for (block b = block_at(vm, i, first_block(vm, i)); b.from < vm->masks[vm->top].hi; b = block_at(vm, i, b.to))

static inline const char *operand(const emu_vm *vm, uint32_t reg, uint16_t stride, uint32_t lane, unsigned size)
{
    return vm->frame + reg + lane / EMU_CHUNK * stride + lane % EMU_CHUNK * size;
}

static uint32_t source_lane(const emu_insn *i, block b, uint32_t lane, uint32_t by, uint32_t first)
{
    const uint32_t width = (uint32_t)i->imm, at = lane - b.from;
    uint32_t r = at;
    switch ((emu_shuffle)i->k) {
    case EMU_SHUFFLE_TO: r = by; break;
    case EMU_SHUFFLE_UP: r = at - by; break;
    case EMU_SHUFFLE_DOWN: r = by < width ? at + by : width; break;
    case EMU_SHUFFLE_XOR: r = at ^ by; break;
    case EMU_SHUFFLE_ROTATE_UP: r = (at - by) % width; break;
    case EMU_SHUFFLE_ROTATE_DOWN: r = (at + by) % width; break;
    case EMU_SHUFFLE_FIRST: return first;
    }
    return r < b.to - b.from ? b.from + r : lane;
}

uint32_t emu_shuffle_source(const emu_vm *vm, const emu_insn *i, uint32_t lane)
{
    const uint32_t group = lane / vm->group_threads * vm->group_threads, width = (uint32_t)i->imm;
    const block b = block_at(vm, i, group + (lane - group) / width * width);
    uint32_t first = b.from, by = 0;
    while (first < b.to && !emu_active(vm, first)) ++first;
    if (i->k != EMU_SHUFFLE_FIRST) memcpy(&by, operand(vm, i->b, i->sb, lane, 4), 4);
    return source_lane(i, b, lane, by, first);
}

static const emu_insn *op_shuffle(emu_vm *vm, const emu_insn *i)
{
    const unsigned size = emu_type_size((emu_type)i->type);
    const char zero[8] = {0};
    FOR_BLOCKS(b)
    {
        uint32_t first = b.from;
        while (first < b.to && !emu_active(vm, first)) ++first;
        for (uint32_t lane = b.from; lane < b.to; ++lane) {
            if (!emu_active(vm, lane)) continue;
            uint32_t by = 0;
            if (i->k != EMU_SHUFFLE_FIRST) memcpy(&by, operand(vm, i->b, i->sb, lane, 4), 4);
            const uint32_t from = source_lane(i, b, lane, by, first);
            const char *value = emu_active(vm, from) ? operand(vm, i->a, i->sa, from, size) : zero;
            memcpy(vm->frame + i->d + lane * size, value, size);
        }
    }
    return i + 1;
}

static bool is_signed(emu_type t)
{
    return t == EMU_I8 || t == EMU_I16 || t == EMU_I32 || t == EMU_I64;
}

static uint64_t read_integer(const char *at, emu_type type)
{
    const unsigned size = emu_type_size(type);
    uint64_t v = 0;
    memcpy(&v, at, size);
    if (is_signed(type) && size < 8 && (v >> (size * 8 - 1)) != 0) v |= UINT64_MAX << (size * 8);
    return v;
}

static uint64_t join_integers(emu_reduce op, bool sign, uint64_t a, uint64_t b)
{
    const bool less = sign ? (int64_t)a < (int64_t)b : a < b;
    switch (op) {
    case EMU_REDUCE_ADD: return a + b;
    case EMU_REDUCE_MUL: return a * b;
    case EMU_REDUCE_MIN: return less ? a : b;
    case EMU_REDUCE_MAX: return less ? b : a;
    case EMU_REDUCE_AND: return a & b;
    case EMU_REDUCE_OR: return a | b;
    case EMU_REDUCE_XOR: return a ^ b;
    case EMU_REDUCE_EXCLUSIVE: break;
    }
    return a;
}

static float join_floats(emu_reduce op, float a, float b)
{
    if (op == EMU_REDUCE_ADD) return a + b;
    if (op == EMU_REDUCE_MUL) return a * b;
    if (op == EMU_REDUCE_MIN) return a < b || b != b ? a : b;
    return a > b || b != b ? a : b;
}

/* Floats in pairs, as a tree over the lanes: lane j takes in lane j + half, then half of that. */
static const emu_insn *op_reduce_float(emu_vm *vm, const emu_insn *i)
{
    FOR_BLOCKS(b)
    {
        float v[EMU_CHUNK * 2];
        uint32_t n = 0;
        for (uint32_t lane = b.from; lane < b.to; ++lane)
            if (emu_active(vm, lane)) memcpy(&v[n++], operand(vm, i->a, i->sa, lane, 4), 4);
        for (uint32_t half = 16; half != 0; half /= 2)
            for (uint32_t j = 0; j < half && j + half < n; ++j) v[j] = join_floats((emu_reduce)i->k, v[j], v[j + half]);
        for (uint32_t lane = b.from; lane < b.to; ++lane) memcpy(vm->frame + i->d + lane * 4, &v[0], n != 0 ? 4 : 0);
    }
    return i + 1;
}

static const emu_insn *op_reduce_integer(emu_vm *vm, const emu_insn *i)
{
    const emu_type type = (emu_type)i->type;
    const unsigned size = emu_type_size(type);
    FOR_BLOCKS(b)
    {
        uint64_t r = 0;
        bool any = false;
        for (uint32_t lane = b.from; lane < b.to; ++lane) {
            if (!emu_active(vm, lane)) continue;
            const uint64_t v = read_integer(operand(vm, i->a, i->sa, lane, size), type);
            r = any ? join_integers((emu_reduce)i->k, is_signed(type), r, v) : v;
            any = true;
        }
        for (uint32_t lane = b.from; lane < b.to; ++lane) memcpy(vm->frame + i->d + lane * size, &r, size);
    }
    return i + 1;
}

static const emu_insn *op_scan(emu_vm *vm, const emu_insn *i)
{
    const emu_type type = (emu_type)i->type;
    const unsigned size = emu_type_size(type);
    const emu_reduce op = (emu_reduce)(i->k & 7u);
    const bool exclusive = (i->k & EMU_REDUCE_EXCLUSIVE) != 0;
    FOR_BLOCKS(b)
    {
        uint64_t sum = op == EMU_REDUCE_MUL ? 1 : 0;
        float fsum = op == EMU_REDUCE_MUL ? 1.0f : 0.0f;
        for (uint32_t lane = b.from; lane < b.to; ++lane) {
            if (!emu_active(vm, lane)) continue;
            const char *from = operand(vm, i->a, i->sa, lane, size);
            char *to = vm->frame + i->d + lane * size;
            if (type == EMU_F32) {
                float v;
                memcpy(&v, from, 4);
                const float next = join_floats(op, fsum, v);
                memcpy(to, exclusive ? &fsum : &next, 4);
                fsum = next;
            } else {
                const uint64_t next = join_integers(op, is_signed(type), sum, read_integer(from, type));
                memcpy(to, exclusive ? &sum : &next, size);
                sum = next;
            }
        }
    }
    return i + 1;
}

/* d: bool for ANY, ALL and FIRST, else the bits as a u64. */
static const emu_insn *op_vote(emu_vm *vm, const emu_insn *i)
{
    const emu_vote kind = (emu_vote)i->k;
    FOR_BLOCKS(b)
    {
        uint64_t active = 0, holds = 0;
        for (uint32_t lane = b.from; lane < b.to; ++lane) {
            if (!emu_active(vm, lane)) continue;
            const uint64_t bit = (uint64_t)1 << (lane - b.from);
            active |= bit;
            if (kind <= EMU_VOTE_ALL && *operand(vm, i->a, i->sa, lane, 1) != 0) holds |= bit;
        }
        for (uint32_t lane = b.from; lane < b.to; ++lane) {
            const uint64_t bits = kind == EMU_VOTE_ACTIVE ? active : holds;
            uint8_t answer = 0;
            if (kind == EMU_VOTE_ANY) answer = holds != 0;
            else if (kind == EMU_VOTE_ALL) answer = holds == active;
            else if (kind == EMU_VOTE_FIRST) answer = active != 0 && (active & (0 - active)) == (uint64_t)1 << (lane - b.from);
            if (kind == EMU_VOTE_BALLOT || kind == EMU_VOTE_ACTIVE) memcpy(vm->frame + i->d + lane * 8, &bits, 8);
            else memcpy(vm->frame + i->d + lane, &answer, 1);
        }
    }
    return i + 1;
}

/* The lane of its simdgroup that holds element e of a matrix, in the first of its two registers where e is even: as the hardware has it, by
 * which kernels fill matrices element by element. Each quarter of the matrix lies in eight lanes, its rows two lanes each. */
static inline uint32_t matrix_lane(uint32_t e)
{
    const uint32_t row = e / 8, column = e % 8;
    return (row & 4) << 2 | (column & 4) << 1 | (row & 3) << 1 | (column >> 1 & 1);
}

static void gather_matrix(const emu_vm *vm, block b, const uint32_t *regs, const uint16_t *strides, float *m)
{
    for (uint32_t e = 0; e < 64; ++e) memcpy(&m[e], operand(vm, regs[e & 1], strides[e & 1], b.from + matrix_lane(e), 4), 4);
}

/* How many of the block's lanes are active. */
static uint32_t active_in(const emu_vm *vm, block b)
{
    uint32_t n = 0;
    for (uint32_t lane = b.from; lane < b.to; ++lane) n += emu_active(vm, lane) ? 1 : 0;
    return n;
}

/* d, c = a * b + e: registers a (access 0, 1), b (access 2, 3), addend (insn a, b). */
static const emu_insn *op_matrix(emu_vm *vm, const emu_insn *i)
{
    const emu_access *at = i->access;
    FOR_BLOCKS(b)
    {
        const uint32_t active = active_in(vm, b);
        if (active == 0) continue;
        if (active < EMU_SIMD_LANES) return emu_stop(vm, i, EMU_FAULT_BARRIER_PARTIAL, b.from);
        float x[64], y[64], z[64], r[64];
        const uint32_t addend[2] = {i->a, i->b};
        const uint16_t strides[2] = {i->sa, i->sb};
        gather_matrix(vm, b, at->regs, at->strides, x);
        gather_matrix(vm, b, at->regs + 2, at->strides + 2, y);
        gather_matrix(vm, b, addend, strides, z);
        for (unsigned row = 0; row < 8; ++row) {
            float sum[8];
            memcpy(sum, z + row * 8, sizeof sum);
            for (unsigned k = 0; k < 8; ++k)
                for (unsigned col = 0; col < 8; ++col) sum[col] += x[row * 8 + k] * y[k * 8 + col];
            memcpy(r + row * 8, sum, sizeof sum);
        }
        for (uint32_t e = 0; e < 64; ++e)
            memcpy(vm->frame + ((e & 1) == 0 ? i->d : i->c) + (b.from + matrix_lane(e)) * 4, &r[e], 4);
    }
    return i + 1;
}

emu_handler emu_cross_handler(emu_op op, emu_type type)
{
    if (op == EMU_SHUFFLE) return op_shuffle;
    if (op == EMU_REDUCE) return type == EMU_F32 ? op_reduce_float : op_reduce_integer;
    if (op == EMU_SCAN) return op_scan;
    if (op == EMU_VOTE) return op_vote;
    return op == EMU_MATRIX ? op_matrix : NULL;
}
