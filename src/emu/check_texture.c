/* Checks of texels: bounds, races, reads of what was never written. */
#include <string.h>

#include "emu/mask.h"
#include "emu/texture.h"
#include "emu/touch.h"

static uint64_t lane_word(const emu_vm *vm, const emu_access *at, unsigned k, uint32_t lane)
{
    uint64_t v;
    memcpy(&v, vm->frame + at->regs[k] + lane / EMU_CHUNK * at->strides[k] + lane % EMU_CHUNK * sizeof v, sizeof v);
    return v;
}

/* The texture that a lane's access means, or NULL where the access itself will stop the run. */
static const emu_texture *texture_of(const emu_vm *vm, const emu_insn *i, uint64_t slot)
{
    const emu_texture *t = slot < vm->texture_count ? &vm->textures[slot] : NULL;
    return t != NULL && t->data != NULL && emu_format_class(t->format) == (emu_pixel_class)i->k ? t : NULL;
}

static bool check_lane(emu_touch *t, const emu_texture *texture)
{
    const emu_launch *l = t->c->watch->launch;
    bool missing;
    const char *at = emu_texel_at(texture, (uint64_t)t->offset, t->place, &missing);
    t->size = emu_format_bytes(texture->format);
    if (missing && (t->c->checks >> EMU_CHECK_BOUNDS & 1u) != 0) {
        const emu_fault f = emu_touch_fault(t, EMU_FAULT_TEXEL);
        return emu_note(t->vm, &f);
    }
    if (at == NULL) return true;
    const bool firsts = (t->c->checks >> EMU_CHECK_UNINITIALISED & 1u) != 0 && l->texture_written != NULL;
    uint8_t *written = firsts ? l->texture_written[t->object] : NULL;
    if (written != NULL && !emu_touch_written(t, written + (at - (const char *)texture->data))) return false;
    emu_area *area = t->c->touches ? t->c->watch->textures[t->object] : NULL;
    return area == NULL || emu_touch_area(t, area, at);
}

static const emu_insn *check_texel(emu_vm *vm, const emu_insn *i)
{
    const emu_access *at = i->access;
    const emu_mask *m = &vm->masks[vm->top];
    emu_touch t = {.vm = vm, .c = vm->check, .insn = i, .read = !at->write || at->updates, .write = at->write, .atomic = at->atomic};
    for (uint32_t lane = m->lo; lane < m->hi; ++lane) {
        if (!emu_active(vm, lane)) continue;
        const uint64_t slot = lane_word(vm, at, 0, lane);
        const emu_texture *texture = texture_of(vm, i, slot);
        if (texture == NULL) continue;
        t.lane = lane;
        t.object = (uint32_t)slot;
        t.offset = (int64_t)lane_word(vm, at, 1, lane);
        t.place = lane_word(vm, at, 2, lane);
        if (!check_lane(&t, texture)) return NULL;
    }
    return i + 1;
}

emu_handler emu_check_texture_handler(emu_op op)
{
    return op == EMU_CHECKT ? check_texel : NULL;
}
