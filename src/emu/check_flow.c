/* Checks of control flow: barriers and who does not reach them, and the clock that barriers and fences move. */
#include "emu/check.h"
#include "emu/code.h"
#include "emu/mask.h"

enum { SIMD = 32 };

/* Before a lane leaves a loop or block: where it did. */
static const emu_insn *note_leaving(emu_vm *vm, const emu_insn *i)
{
    const emu_mask *m = &vm->masks[vm->top];
    const uint8_t *condition = (const uint8_t *)vm->frame + i->a;
    for (uint32_t lane = m->lo; lane < m->hi; ++lane) {
        if (!emu_active(vm, lane)) continue;
        const bool leaves = i->a == EMU_NONE || (condition[lane] != 0) == (i->k != 0);
        if (leaves) vm->check->left_at[lane] = i;
    }
    vm->check->has_left = true;
    return i + 1;
}

/* The rule for a lane that has left the loop or block that a barrier is in. */
static emu_rule kind_of_leaving(emu_construct_kind k)
{
    if (k == EMU_CONSTRUCT_LOOP) return EMU_FAULT_BARRIER_LOOP;
    return k == EMU_CONSTRUCT_BLOCK ? EMU_FAULT_BARRIER_RETURN : EMU_FAULT_BARRIER_BRANCH;
}

/* Why the lane is not here: the innermost construct that it was in and is not any more. */
static emu_fault why_missing(const emu_vm *vm, const emu_insn *i, uint32_t lane)
{
    const emu_program *p = vm->check->program;
    emu_fault f = {.kind = EMU_FAULT_BARRIER_BRANCH, .insn = i, .lane = lane};
    uint32_t level = vm->top;
    const emu_construct *k = &p->constructs[i->imm];
    while (k->outer != 0 && level > 0 && !emu_mask_has(&vm->masks[level - 1], lane)) {
        k = &p->constructs[k->outer];
        --level;
    }
    if (level == 0) return f;
    f.other = p->spans[k->at];
    if (k->kind == EMU_CONSTRUCT_IF) {
        if (k->other_barrier == 0) return f;
        f.kind = EMU_FAULT_BARRIER_OTHER;
        f.other = p->spans[k->other_barrier - 1];
        return f;
    }
    f.kind = kind_of_leaving(k->kind);
    if (vm->check->left_at[lane] != NULL) f.other = p->spans[vm->check->left_at[lane]->at];
    return f;
}

/* Are all threads [from, to) here, or none? Where not, and the run goes on, their threadgroup is taken out of it. False to
 * stop. */
static bool all_or_none(emu_vm *vm, const emu_insn *i, uint32_t from, uint32_t to)
{
    uint32_t active = 0, missing = from, present = from;
    for (uint32_t lane = from; lane < to; ++lane) {
        if (emu_active(vm, lane)) {
            present = active == 0 ? lane : present;
            ++active;
        } else {
            missing = lane;
        }
    }
    if (active == 0 || active == to - from) return true;
    emu_fault f = why_missing(vm, i, missing);
    f.other_has_thread = f.other.file != 0;
    f.other_index = missing % vm->group_threads;
    f.lane = present;
    f.other_lane_of_batch = missing;
    const uint32_t group = from / vm->group_threads * vm->group_threads;
    if (!emu_note(vm, &f)) return false;
    (void)emu_mask_kill(vm, group, group + vm->group_threads);
    return true;
}

static bool whole(const emu_vm *vm)
{
    const emu_mask *m = &vm->masks[vm->top];
    return m->full && m->lo == 0 && m->hi == vm->lanes;
}

/* All touches of before are ordered before what active lanes do now, in the memories that the flags name. */
static void raise_fence(emu_vm *vm, emu_side *s, bool simd)
{
    const int64_t now = (int64_t)vm->check->clock << SHADOW_CLOCK;
    const emu_mask *m = &vm->masks[vm->top];
    if (s->uniform && whole(vm)) {
        s->level = now;
        return;
    }
    if (s->uniform) emu_side_part(s, vm->lanes);
    for (uint32_t lane = m->lo; lane < m->hi; ++lane) {
        if (!emu_active(vm, lane)) continue;
        const int64_t at = shadow_own(s, lane) | now;
        s->simd[lane] = s->fenced[lane] = at;
        if (!simd) s->fence[lane] = at;
    }
}

/* Does the barrier or fence order that memory, and is it watched? */
static bool is_ordered(const emu_checker *c, const emu_insn *i, shadow_memory m)
{
    return shadow_flagged(i->k, m) && (m != SHADOW_TEXTURE || c->watch->has_textures);
}

/* k: mem_flags; type: 1 for a simdgroup's barrier. */
static const emu_insn *op_barrier(emu_vm *vm, const emu_insn *i)
{
    const bool simd = i->type != 0;
    if (!whole(vm)) {
        for (uint32_t from = 0; from < vm->lanes; from += vm->group_threads) {
            const uint32_t end = from + vm->group_threads;
            if (!simd && !all_or_none(vm, i, from, end)) return NULL;
            for (uint32_t at = from; at < end && simd; at += SIMD)
                if (!all_or_none(vm, i, at, at + SIMD < end ? at + SIMD : end)) return NULL;
        }
    }
    if (vm->masks[vm->top].lo >= vm->masks[vm->top].hi) return i->to;
    emu_checker_tick(vm->check);
    for (int m = 0; m < SHADOW_MEMORIES; ++m)
        if (is_ordered(vm->check, i, (shadow_memory)m)) raise_fence(vm, &vm->check->side[m], simd);
    return i + 1;
}

void emu_check_met(emu_vm *vm, const emu_insn *i)
{
    emu_checker *c = vm->check;
    emu_checker_tick(c);
    const int64_t now = (int64_t)c->clock << SHADOW_CLOCK;
    for (int m = 0; m < SHADOW_MEMORIES; ++m) {
        emu_side *s = &c->side[m];
        if (!is_ordered(c, i, (shadow_memory)m)) continue;
        s->level = now;
        if (s->uniform) continue;
        for (uint32_t lane = 0; lane < vm->lanes; ++lane)
            s->fence[lane] = s->simd[lane] = s->fenced[lane] = shadow_own(s, lane) | now;
    }
}

void emu_check_missing(emu_vm *vm, const emu_insn *i, const emu_insn *other, uint32_t lane, uint32_t missing)
{
    const emu_program *p = vm->check->program;
    const emu_insn *left = vm->check->left_at[missing];
    emu_fault f = {.kind = EMU_FAULT_BARRIER_OTHER, .insn = i, .lane = lane};
    if (other != NULL) {
        f.other = p->spans[other->at];
    } else { /* it may have left something that the barrier is in; else it took another branch */
        int64_t k = i->imm;
        while (k != 0 && (left == NULL || k != left->imm)) k = p->constructs[k].outer;
        f.kind = k != 0 ? kind_of_leaving(p->constructs[k].kind) : EMU_FAULT_BARRIER_BRANCH;
        if (k != 0 || i->imm != 0) f.other = p->spans[k != 0 ? left->at : p->constructs[i->imm].at];
    }
    f.other_has_thread = f.other.file != 0;
    f.other_index = f.other_lane_of_batch = missing;
    (void)emu_note(vm, &f);
}

/* The simdgroup waits; all its threads must. */
static const emu_insn *op_wait(emu_vm *vm, const emu_insn *i)
{
    if (i->type != 0) return op_barrier(vm, i); /* of the simdgroup alone */
    const uint32_t from = vm->masks[vm->top].lo / SIMD * SIMD, end = from + SIMD;
    if (!all_or_none(vm, i, from, end < vm->lanes ? end : vm->lanes)) return NULL;
    vm->given_up = vm->masks[vm->top].lo >= vm->masks[vm->top].hi;
    vm->resume = i;
    vm->at_barrier = true;
    return NULL;
}

emu_handler emu_check_waiting_barrier(void)
{
    return op_wait;
}

/* k: mem_flags. What the lane did before may be handed on by its next atomic operation. */
static const emu_insn *op_fence(emu_vm *vm, const emu_insn *i)
{
    emu_checker *c = vm->check;
    emu_checker_tick(c);
    const int64_t now = (int64_t)c->clock << SHADOW_CLOCK;
    const emu_mask *m = &vm->masks[vm->top];
    for (int k = 0; k < SHADOW_MEMORIES; ++k) {
        emu_side *s = &c->side[k];
        for (uint32_t lane = m->lo; lane < m->hi && is_ordered(c, i, (shadow_memory)k); ++lane)
            if (emu_active(vm, lane)) s->fenced[lane] = shadow_own(s, lane) | now;
    }
    return i + 1;
}

emu_handler emu_check_flow_handler(emu_op op)
{
    if (op == EMU_BARRIER) return op_barrier;
    if (op == EMU_FENCE_OP) return op_fence;
    return op == EMU_LEAVING ? note_leaving : NULL;
}
