/* The mask stack: which lanes are active, through ifs, loops and early exits; and barriers.
 *
 * Each masked construct (an if on a varying condition, a loop or block that some lanes leave earlier than others) owns a
 * level. Leaving takes the active lanes out of all levels down to that of the construct left. When the top runs empty the
 * machine goes to the end of the construct that owns it.
 */
#include "emu/mask.h"

#include <string.h>

#include "emu/clock.h"

static void set_chunks(emu_vm *vm)
{
    const emu_mask *m = &vm->masks[vm->top];
    vm->c0 = m->lo / EMU_CHUNK;
    vm->c1 = (m->hi + EMU_CHUNK - 1) / EMU_CHUNK;
}

void emu_mask_reset(emu_vm *vm, uint32_t lanes)
{
    emu_mask *m = &vm->masks[0];
    if (m->bytes == NULL || m->hi != lanes || vm->killed) { /* nothing else ever takes a lane out of this level */
        memset(m->own, 1, lanes);
        memset(m->own + lanes, 0, vm->width - lanes);
    }
    vm->killed = false;
    m->bytes = m->own;
    m->lo = 0;
    m->hi = lanes;
    m->full = true;
    vm->top = 0;
    set_chunks(vm);
}

void emu_mask_window(emu_vm *vm, uint32_t from, uint32_t to)
{
    emu_mask *m = &vm->masks[0];
    const uint32_t end = (to + EMU_CHUNK - 1) / EMU_CHUNK * EMU_CHUNK;
    memset(m->own + from, 1, to - from);
    memset(m->own + to, 0, end - to);
    m->bytes = m->own;
    m->lo = from;
    m->hi = to;
    m->full = true;
    vm->top = 0;
    vm->killed = true; /* the next reset fills it anew */
    set_chunks(vm);
}

void emu_mask_resume(emu_vm *vm)
{
    set_chunks(vm);
}

/* Finds lo, hi and full again from the bytes within [from, to), a multiple of the chunk. */
static void scan(emu_mask *m, uint32_t from, uint32_t to)
{
    uint32_t count = 0, lo = to, hi = from;
    for (uint32_t at = from; at < to; at += 8) {
        uint64_t w;
        memcpy(&w, m->bytes + at, 8);
        if (w == 0) continue;
        if (lo == to) lo = at + (uint32_t)(__builtin_ctzll(w) / 8);
        hi = at + 8 - (uint32_t)(__builtin_clzll(w) / 8);
        count += (uint32_t)((w * 0x0101010101010101u) >> 56);
    }
    m->lo = lo;
    m->hi = hi;
    m->full = count == hi - lo && count != 0;
    if (count == 0) m->lo = m->hi = from;
}

static inline const uint8_t *condition(const emu_vm *vm, const emu_insn *i)
{
    return (const uint8_t *)vm->frame + i->a;
}

/* own of `to` = bytes of `from` & (a ^ flip), over the chunks of `from`. */
static void combine(emu_mask *to, const emu_mask *from, const uint8_t *a, uint8_t flip)
{
    const uint32_t lo = from->lo / EMU_CHUNK * EMU_CHUNK;
    const uint32_t hi = (from->hi + EMU_CHUNK - 1) / EMU_CHUNK * EMU_CHUNK;
    uint8_t *own = to->own;
    const uint8_t *bytes = from->bytes;
    for (uint32_t c = lo; c < hi; c += EMU_CHUNK)
        for (uint32_t j = c; j < c + EMU_CHUNK; ++j) own[j] = bytes[j] & (a[j] ^ flip);
    to->bytes = own;
    scan(to, lo, hi);
}

static inline bool empty(const emu_mask *m)
{
    return m->lo >= m->hi;
}

static const emu_insn *op_if(emu_vm *vm, const emu_insn *i)
{
    combine(&vm->masks[vm->top + 1], &vm->masks[vm->top], condition(vm, i), 0);
    ++vm->top;
    if (empty(&vm->masks[vm->top])) return i->to;
    set_chunks(vm);
    return i + 1;
}

static const emu_insn *op_if_known(emu_vm *vm, const emu_insn *i)
{
    const emu_mask *below = &vm->masks[vm->top];
    const emu_known_mask *k = &vm->known[i->imm];
    if (!below->full || below->lo > k->lo || below->hi < k->hi) return op_if(vm, i);
    emu_mask *m = &vm->masks[++vm->top];
    m->bytes = condition(vm, i);
    m->lo = k->lo;
    m->hi = k->hi;
    m->full = k->full;
    if (empty(m)) return i->to;
    set_chunks(vm);
    return i + 1;
}

static const emu_insn *op_else(emu_vm *vm, const emu_insn *i)
{
    combine(&vm->masks[vm->top], &vm->masks[vm->top - 1], condition(vm, i), 1);
    if (empty(&vm->masks[vm->top])) return i->to;
    set_chunks(vm);
    return i + 1;
}

static const emu_insn *op_pop(emu_vm *vm, const emu_insn *i)
{
    --vm->top;
    if (empty(&vm->masks[vm->top])) return i->to;
    set_chunks(vm);
    return i + 1;
}

static void own_bytes(emu_mask *m)
{
    if (m->bytes == m->own) return;
    const uint32_t lo = m->lo / EMU_CHUNK * EMU_CHUNK;
    const uint32_t hi = (m->hi + EMU_CHUNK - 1) / EMU_CHUNK * EMU_CHUNK;
    memcpy(m->own + lo, m->bytes + lo, hi - lo);
    m->bytes = m->own;
}

bool emu_mask_kill(emu_vm *vm, uint32_t from, uint32_t to)
{
    vm->killed = true;
    for (uint32_t level = 0; level <= vm->top; ++level) {
        emu_mask *m = &vm->masks[level];
        if (empty(m)) continue;
        own_bytes(m);
        for (uint32_t j = from > m->lo ? from : m->lo; j < to && j < m->hi; ++j) m->own[j] = 0;
        scan(m, m->lo / EMU_CHUNK * EMU_CHUNK, (m->hi + EMU_CHUNK - 1) / EMU_CHUNK * EMU_CHUNK);
    }
    set_chunks(vm);
    return !empty(&vm->masks[vm->top]);
}

static const emu_insn *op_push(emu_vm *vm, const emu_insn *i)
{
    const emu_mask *below = &vm->masks[vm->top];
    emu_mask *m = &vm->masks[++vm->top];
    m->bytes = below->bytes;
    m->lo = below->lo;
    m->hi = below->hi;
    m->full = below->full;
    return i + 1;
}

static const emu_insn *narrow(emu_vm *vm, const emu_insn *i, uint8_t flip)
{
    emu_mask *m = &vm->masks[vm->top];
    combine(m, m, condition(vm, i), flip);
    if (empty(m)) return i->to;
    set_chunks(vm);
    return i + 1;
}

static const emu_insn *op_keep(emu_vm *vm, const emu_insn *i)
{
    return narrow(vm, i, 0);
}

static const emu_insn *op_drop(emu_vm *vm, const emu_insn *i)
{
    return narrow(vm, i, 1);
}

static const emu_insn *op_leave(emu_vm *vm, const emu_insn *i)
{
    emu_mask *top = &vm->masks[vm->top];
    const uint32_t lo = top->lo / EMU_CHUNK * EMU_CHUNK;
    const uint32_t hi = (top->hi + EMU_CHUNK - 1) / EMU_CHUNK * EMU_CHUNK;
    for (uint32_t level = (uint32_t)i->imm; level < vm->top; ++level) {
        emu_mask *m = &vm->masks[level];
        own_bytes(m);
        for (uint32_t j = lo; j < hi; ++j) m->own[j] &= top->bytes[j] ^ 1u;
        scan(m, m->lo / EMU_CHUNK * EMU_CHUNK, (m->hi + EMU_CHUNK - 1) / EMU_CHUNK * EMU_CHUNK);
    }
    top->hi = top->lo;
    top->full = false;
    return i->to;
}

static const emu_insn *op_jump(emu_vm *vm, const emu_insn *i)
{
    (void)vm;
    return i->to;
}

static const emu_insn *op_jump_zero(emu_vm *vm, const emu_insn *i)
{
    return *condition(vm, i) == 0 ? i->to : i + 1;
}

static const emu_insn *op_jump_not_zero(emu_vm *vm, const emu_insn *i)
{
    return *condition(vm, i) != 0 ? i->to : i + 1;
}

static const emu_insn *op_loop(emu_vm *vm, const emu_insn *i)
{
    vm->fuel -= i->imm;
    if (vm->fuel < 0 && vm->yields) {
        vm->resume = i->to;
        return NULL;
    }
    if (vm->fuel < 0 && !emu_clock_refill(vm, i, vm->masks[vm->top].lo)) return NULL;
    return i->to;
}

/* imm: the level whose lanes have to be here; those that are not in it have ended. */
static const emu_insn *op_barrier(emu_vm *vm, const emu_insn *i)
{
    const emu_mask *m = &vm->masks[vm->top], *all = &vm->masks[i->imm];
    if (m->full && m->lo == 0 && m->hi == vm->lanes) return i + 1;
    for (uint32_t from = 0; from < vm->lanes; from += vm->group_threads) {
        uint32_t active = 0, missing = UINT32_MAX;
        for (uint32_t lane = from; lane < from + vm->group_threads; ++lane) {
            if (emu_active(vm, lane)) ++active;
            else if (emu_mask_has(all, lane)) missing = lane;
        }
        if (active != 0 && missing != UINT32_MAX) return emu_stop(vm, i, EMU_FAULT_BARRIER_BRANCH, missing);
    }
    return i + 1;
}

/* The simdgroup waits; all its threads must that have not ended. */
static const emu_insn *op_wait(emu_vm *vm, const emu_insn *i)
{
    const emu_mask *all = &vm->masks[i->imm];
    for (uint32_t lane = all->lo; lane < all->hi; ++lane)
        if (emu_mask_has(all, lane) && !emu_active(vm, lane)) return emu_stop(vm, i, EMU_FAULT_BARRIER_BRANCH, lane);
    vm->resume = i;
    vm->at_barrier = true;
    return NULL;
}

emu_handler emu_waiting_barrier(void)
{
    return op_wait;
}

static const emu_insn *op_end(emu_vm *vm, const emu_insn *i)
{
    (void)vm;
    (void)i;
    return NULL;
}

static const emu_insn *op_nothing(emu_vm *vm, const emu_insn *i)
{
    (void)vm;
    return i + 1;
}

emu_known_mask emu_mask_know(const emu_vm *vm, uint32_t reg)
{
    emu_mask m = {.bytes = (const uint8_t *)vm->frame + reg};
    scan(&m, 0, vm->width);
    return (emu_known_mask){.reg = reg, .lo = m.lo, .hi = m.hi, .full = m.full};
}

static const emu_handler table[EMU_OPS] = {
    [EMU_NOP] = op_nothing,       [EMU_JUMP] = op_jump, [EMU_JUMPZ] = op_jump_zero, [EMU_JUMPNZ] = op_jump_not_zero,
    [EMU_LOOP] = op_loop,         [EMU_IF] = op_if,     [EMU_IFL] = op_if_known,    [EMU_ELSE] = op_else,
    [EMU_POP] = op_pop,           [EMU_PUSH] = op_push, [EMU_KEEP] = op_keep,       [EMU_DROP] = op_drop,
    [EMU_LEAVE] = op_leave,       [EMU_BARRIER] = op_barrier, [EMU_END] = op_end,
};

emu_handler emu_mask_handler(emu_op op)
{
    return table[op];
}
