/* Lane handlers: checks of what most kernels do most, by chunks; anything unusual goes to check_memory.c, check_value.c. */
#include "emu/check.h"
#include "emu/lanes_access.h"
#include "emu/mask.h"

/* Records of a chunk's lanes against those lanes' own: a side in arrays, so that the loops become vectors. */
typedef struct lanes_side {
    const int64_t *who, *fence;
    const uint8_t *on; /* active lanes; NULL: all */
    int64_t floor, now; /* now: clock and site, to be joined to who */
    bool first_write; /* is it looked at whether what is read has been written? */
} lanes_side;

/* The loops below are made once for each kind of memory, and for all lanes or those of a mask: what is a constant to the
 * compiler costs no branch in them. */
#define EACH static inline __attribute__((always_inline))

EACH int64_t ordered_one(const lanes_side *s, int64_t rec, int j, bool shared)
{
    const int64_t who = s->who[j], own = who & SHADOW_OWN;
    const int64_t same = ((rec ^ who) & SHADOW_SAME) == 0;
    const int64_t fenced = rec < s->fence[j];
    if (!shared) return same | fenced; /* earlier threadgroups' records are below the fence too */
    return same | (rec < s->floor) | (fenced & (rec >= own));
}

EACH int64_t is_off(const lanes_side *s, int j, bool masked)
{
    return masked ? s->on[j] == 0 : 0;
}

/* True where all 16 are ordered. */
EACH bool all_ordered(const lanes_side *s, const int64_t *rec, bool shared, bool masked)
{
    int64_t all = 1;
    LANES for (int j = 0; j < EMU_CHUNK; ++j) all &= ordered_one(s, rec[j], j, shared) | is_off(s, j, masked);
    return all != 0;
}

/* Has this threadgroup written them? */
EACH bool all_written(const lanes_side *s, const int64_t *rec, bool masked)
{
    int64_t all = 1;
    LANES for (int j = 0; j < EMU_CHUNK; ++j) all &= (rec[j] >= (s->who[j] & SHADOW_OWN)) | is_off(s, j, masked);
    return all != 0;
}

/* Are there two readers of this stretch between barriers already? Then nothing is new. */
EACH bool all_shared(const lanes_side *s, const int64_t *other, bool masked)
{
    int64_t all = 1;
    LANES for (int j = 0; j < EMU_CHUNK; ++j) all &= (other[j] >= s->fence[j]) | is_off(s, j, masked);
    return all != 0;
}

/* 16 neighbouring granules, one a lane. False where something is to be looked at lane by lane. */
EACH bool read_lanes(const lanes_side *s, const emu_area *a, uint64_t k, bool shared, bool masked)
{
    if (!shared && all_shared(s, a->other + k, masked)) return true;
    if (s->first_write && !shared && !all_written(s, a->writer + k, masked)) return false;
    if (!all_ordered(s, a->writer + k, shared, masked)) return false;
    if (a->reader == NULL) return true;
    int64_t *reader = a->reader + k, *other = a->other + k;
    LANES for (int j = 0; j < EMU_CHUNK; ++j)
    {
        const int64_t r = reader[j], o = other[j], rec = s->who[j] | s->now;
        const int64_t on = is_off(s, j, masked) == 0;
        const int64_t r_old = ordered_one(s, r, j, shared), o_old = ordered_one(s, o, j, shared);
        reader[j] = (on & r_old) != 0 ? rec : r;
        other[j] = (on & (r_old == 0) & o_old) != 0 ? rec : o;
    }
    return true;
}

EACH bool write_lanes(const lanes_side *s, const emu_area *a, uint64_t k, bool shared, bool masked)
{
    int64_t *writer = a->writer + k;
    if (!all_ordered(s, writer, shared, masked)) return false;
    if (a->reader != NULL && !(all_ordered(s, a->reader + k, shared, masked) && all_ordered(s, a->other + k, shared, masked)))
        return false;
    LANES for (int j = 0; j < EMU_CHUNK; ++j)
    {
        const int64_t rec = s->who[j] | s->now, w = writer[j];
        writer[j] = is_off(s, j, masked) != 0 ? w : rec;
    }
    return true;
}

#define FORMS(name)                                                                                                    \
    static bool name##_chunk(const lanes_side *s, const emu_area *a, uint64_t k)                                       \
    {                                                                                                                  \
        if (s->on == NULL) return shadow_shared(a) ? name##_lanes(s, a, k, true, false) : name##_lanes(s, a, k, false, false); \
        return shadow_shared(a) ? name##_lanes(s, a, k, true, true) : name##_lanes(s, a, k, false, true);                     \
    }
FORMS(read)
FORMS(write)

static inline bool chunk_by_rule(const lanes_side *s, const emu_area *a, uint64_t k, bool write)
{
    if (a->locks == NULL) return write ? write_chunk(s, a, k) : read_chunk(s, a, k);
    if (k >> SHADOW_STRIPE != (k + EMU_CHUNK - 1) >> SHADOW_STRIPE) return false;
    uint8_t *lock = shadow_lock_of(a, k);
    shadow_lock(lock);
    const bool done = write ? write_chunk(s, a, k) : read_chunk(s, a, k);
    shadow_unlock(lock);
    return done;
}

/* All lanes of the chunk read one granule: what the first and the last of them find holds for all. False where that is
 * to be looked at lane by lane. Threadgroup memory. */
static inline bool read_one(const lanes_side *s, const emu_area *a, uint64_t k)
{
    enum { LAST = EMU_CHUNK - 1 };
    const int64_t w = a->writer[k], r = a->reader[k], o = a->other[k];
    if (o >= s->fence[0]) return true; /* read by two already */
    if (s->first_write && w < (s->who[0] & SHADOW_OWN)) return false;
    if ((ordered_one(s, w, 0, false) & ordered_one(s, w, LAST, false)) == 0) return false;
    const bool r_old = ordered_one(s, r, 0, false) != 0;
    if (r_old) a->reader[k] = s->who[0] | s->now;
    a->other[k] = s->who[r_old ? LAST : 0] | s->now;
    return true;
}

/* Is there nothing beyond races and first writes to look at, and are all places aligned? */
static inline bool is_usual(const emu_vm *vm, const emu_access *at, const emu_object *o, start s)
{
    const emu_checker *c = vm->check;
    const emu_pattern *p = &vm->patterns[at->pattern];
    if (c->written[at->object] != NULL || !p->even) return false;
    if (at->align <= 1 || (c->checks >> EMU_CHECK_ALIGNMENT & 1u) == 0) return true;
    const uint64_t offset = (uint64_t)(s.at - o->base) + (uint64_t)(at->scale * s.index);
    uint64_t bits = offset | (uint64_t)at->scale; /* the lanes' parts are multiples of that */
    return (bits & (at->align - 1u)) == 0;
}

static const emu_insn *check_lanes(emu_vm *vm, const emu_insn *i)
{
    const emu_access *at = i->access;
    start s;
    if (at->object == EMU_NONE || !all_in_bounds(vm, at, &s)) return emu_check_access(vm, i);
    const emu_object *o = &vm->objects[at->object];
    if (!is_usual(vm, at, o, s)) return emu_check_access(vm, i);
    emu_checker *c = vm->check;
    emu_area *a = c->areas[at->object];
    if (a == NULL) return i + 1;
    const emu_side *side = &c->side[a->memory];
    const emu_pattern *p = &vm->patterns[at->pattern];
    const emu_mask *m = &vm->masks[vm->top];
    const unsigned size = (unsigned)at->bytes * at->count;
    const bool dense = p->step[0] == (int64_t)size && size == 1u << a->shift && !c->watch->simdgroups;
    const bool one = p->step[0] == 0 && !at->write && !shadow_shared(a) && size == 1u << a->shift && vm->group_threads % EMU_CHUNK == 0 &&
                     !c->watch->simdgroups;
    const bool first_write = (c->checks >> EMU_CHECK_UNINITIALISED & 1u) != 0;
    const char *from = s.at + at->scale * s.index;
    for (uint32_t k = vm->c0; k < vm->c1; ++k) {
        const uint32_t base = k * EMU_CHUNK;
        const uint32_t lo = m->lo > base ? m->lo - base : 0, hi = m->hi - base < EMU_CHUNK ? m->hi - base : EMU_CHUNK;
        const bool all = m->full && lo == 0 && hi == EMU_CHUNK;
        const char *to = from + p->at[k] + (at->threadgroup ? (int64_t)vm->chunk_shift[k] : 0);
        const lanes_side lanes = {side->who + base, side->fence + base, all ? NULL : m->bytes + base, side->floor, emu_checker_now(c, i), first_write};
        const uint64_t granule = (uint64_t)(to - a->base) >> a->shift;
        if (dense && chunk_by_rule(&lanes, a, granule, at->write)) continue;
        if (all && one && read_one(&lanes, a, granule)) continue;
        if (!emu_check_chunk(vm, i, k, lo, hi)) return NULL;
    }
    return i + 1;
}

/* Is any lane of the mask's chunks, active or not, infinite or NaN? Then it is to be looked at one by one. */
static const emu_insn *made_f32(emu_vm *vm, const emu_insn *i)
{
    LANES_RANGE;
    const char *p = frame + i->d + c * sizeof(uint32_t) * EMU_CHUNK;
    for (; c < end; ++c, p += sizeof(uint32_t) * EMU_CHUNK) {
        const lane_u32 *d = LANES_ALIGNED(p, lane_u32);
        uint32_t any = 0;
        LANES for (int j = 0; j < EMU_CHUNK; ++j) any |= (d[j] & 0x7f800000u) == 0x7f800000u;
        if (any != 0) return emu_check_value_handler(EMU_MADE)(vm, i);
    }
    return i + 1;
}

/* Does it hold in all lanes of the mask's chunks, active or not? */
static const emu_insn *holds(emu_vm *vm, const emu_insn *i)
{
    const uint8_t *a = (const uint8_t *)vm->frame + i->a + (i->sa != 0 ? vm->c0 * EMU_CHUNK : 0);
    const uint8_t *end = a + (i->sa != 0 ? (vm->c1 - vm->c0) * EMU_CHUNK : EMU_CHUNK);
    for (; a < end; a += EMU_CHUNK) {
        uint64_t both[2];
        memcpy(both, a, sizeof both);
        if ((both[0] & both[1]) != 0x0101010101010101u) return emu_check_value_handler(EMU_HOLDS)(vm, i);
    }
    return i + 1;
}

emu_handler LANES_NAME(lanes_check)(emu_op op, emu_type type)
{
    if (op == EMU_CHECKL) return check_lanes;
    if (op == EMU_HOLDS) return holds;
    return op == EMU_MADE && type == EMU_F32 ? made_f32 : NULL;
}
