/* Texture instructions, lane by lane: pixels read and written, sizes asked for, samplers as bits. */
#include <string.h>

#include "emu/mask.h"
#include "emu/texture.h"

static uint64_t lane_word(const emu_vm *vm, uint32_t reg, uint16_t stride, uint32_t lane)
{
    uint64_t v;
    memcpy(&v, vm->frame + reg + lane / EMU_CHUNK * stride + lane % EMU_CHUNK * sizeof v, sizeof v);
    return v;
}

static const emu_texture *texture_at(const emu_vm *vm, uint64_t slot)
{
    return slot < vm->texture_count && vm->textures[slot].data != NULL ? &vm->textures[slot] : NULL;
}

static const emu_insn *fail(emu_vm *vm, const emu_insn *i, uint32_t lane, emu_texture_fault what, uint64_t slot)
{
    vm->fault = (emu_fault){.kind = EMU_FAULT_TEXTURE, .insn = i, .lane = lane, .object = (uint32_t)slot, .offset = what};
    return NULL;
}

/* One lane's pixel: its place, or NULL where there is none or (with *failed) where the run stops. */
static char *lane_pixel(emu_vm *vm, const emu_insn *i, uint32_t lane, const emu_texture **texture, bool *failed)
{
    const emu_access *at = i->access;
    emu_texel p = {.slot = lane_word(vm, at->regs[0], at->strides[0], lane),
                   .xy = lane_word(vm, at->regs[1], at->strides[1], lane),
                   .zl = lane_word(vm, at->regs[2], at->strides[2], lane),
                   .kind = i->k};
    const emu_texture_fault what = emu_texel_find(&p, vm->textures, vm->texture_count);
    *texture = p.texture;
    *failed = what != EMU_TEXTURE_FINE;
    if (*failed) (void)fail(vm, i, lane, what, p.slot);
    return p.at;
}

static const emu_insn *op_fetch(emu_vm *vm, const emu_insn *i)
{
    const emu_mask *m = &vm->masks[vm->top];
    for (uint32_t lane = m->lo; lane < m->hi; ++lane) {
        if (!emu_active(vm, lane)) continue;
        const emu_texture *t;
        bool failed;
        const char *from = lane_pixel(vm, i, lane, &t, &failed);
        if (failed) return NULL;
        uint32_t pixel[4] = {0, 0, 0, 0};
        if (from != NULL) emu_pixel_read(t->format, from, pixel);
        memcpy(vm->frame + i->d + lane * sizeof(uint64_t), &pixel[0], sizeof(uint64_t));
        memcpy(vm->frame + i->c + lane * sizeof(uint64_t), &pixel[2], sizeof(uint64_t));
    }
    return i + 1;
}

/* On the one component of a 32-bit pixel; outside of the texture nothing changes and the old value is 0. */
static const emu_insn *op_atomic(emu_vm *vm, const emu_insn *i)
{
    const emu_mask *m = &vm->masks[vm->top];
    for (uint32_t lane = m->lo; lane < m->hi; ++lane) {
        if (!emu_active(vm, lane)) continue;
        const emu_texture *t;
        bool failed;
        char *at = lane_pixel(vm, i, lane, &t, &failed);
        if (failed) return NULL;
        if (t->format != EMU_FORMAT_R32_UINT && t->format != EMU_FORMAT_R32_SINT)
            return fail(vm, i, lane, EMU_TEXTURE_ATOMIC, lane_word(vm, i->access->regs[0], i->access->strides[0], lane));
        const uint64_t words = lane_word(vm, i->access->regs[3], i->access->strides[3], lane);
        const emu_type type = i->k == EMU_PIXEL_SINT ? EMU_I32 : EMU_U32;
        uint64_t old = 0;
        if (at != NULL && ((uintptr_t)at & 3u) == 0)
            old = emu_change32((uint32_t *)(void *)at, (emu_atomic)i->imm, type, (uint32_t)words, (uint32_t)(words >> 32));
        memcpy(vm->frame + i->d + lane * sizeof old, &old, sizeof old);
    }
    return i + 1;
}

/* Writes outside of the texture are dropped. */
static const emu_insn *op_store(emu_vm *vm, const emu_insn *i)
{
    const emu_mask *m = &vm->masks[vm->top];
    for (uint32_t lane = m->lo; lane < m->hi; ++lane) {
        if (!emu_active(vm, lane)) continue;
        const emu_texture *t;
        bool failed;
        char *to = lane_pixel(vm, i, lane, &t, &failed);
        if (failed) return NULL;
        const uint64_t low = lane_word(vm, i->access->regs[3], i->access->strides[3], lane);
        const uint64_t high = lane_word(vm, i->a, i->sa, lane);
        const uint32_t pixel[4] = {(uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high, (uint32_t)(high >> 32)};
        if (to != NULL) emu_pixel_write(t->format, to, pixel);
    }
    return i + 1;
}

/* Lanes whose results a pure instruction gives: those of the mask's chunks, or one chunk. */
static uint32_t first_lane(const emu_vm *vm, const emu_insn *i)
{
    return i->uniform != 0 ? 0 : vm->c0 * EMU_CHUNK;
}

static uint32_t last_lane(const emu_vm *vm, const emu_insn *i)
{
    return i->uniform != 0 ? EMU_CHUNK : vm->c1 * EMU_CHUNK;
}

static const emu_insn *op_query(emu_vm *vm, const emu_insn *i)
{
    for (uint32_t lane = first_lane(vm, i); lane < last_lane(vm, i); ++lane) {
        const uint64_t r = emu_texture_query(texture_at(vm, lane_word(vm, i->a, i->sa, lane)), lane_word(vm, i->b, i->sb, lane),
                                 lane_word(vm, i->c, i->sc, lane));
        memcpy(vm->frame + i->d + lane * sizeof r, &r, sizeof r);
    }
    return i + 1;
}

static const emu_insn *op_sampler(emu_vm *vm, const emu_insn *i)
{
    for (uint32_t lane = first_lane(vm, i); lane < last_lane(vm, i); ++lane) {
        const uint64_t s = lane_word(vm, i->a, i->sa, lane);
        const uint64_t r = s >> 63 != 0 ? s : s < vm->sampler_count ? emu_sampler_bits(&vm->samplers[s]) : 0;
        memcpy(vm->frame + i->d + lane * sizeof r, &r, sizeof r);
    }
    return i + 1;
}

emu_handler emu_texture_handler(emu_op op)
{
    if (op == EMU_TEXFETCH) return op_fetch;
    if (op == EMU_TEXSTORE) return op_store;
    if (op == EMU_TEXATOMIC) return op_atomic;
    if (op == EMU_TEXQUERY) return op_query;
    return op == EMU_SAMPLER ? op_sampler : NULL;
}
