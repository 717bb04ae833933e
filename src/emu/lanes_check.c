/* Lane handlers: checks of what most kernels do most, by chunks; anything unusual goes to check_memory.c, check_value.c. */
#include "emu/lanes_access.h"
#include "emu/mask.h"
#include "emu/touch.h"

/* A run of 16 granules of threadgroup memory against the lanes that touch them, one each. The lanes are of one threadgroup and
 * have passed the same barriers. */
typedef struct lanes_side {
    const int64_t *rel; /* tag and lane of each, less `base` */
    const uint8_t *on;  /* active lanes; NULL: all */
    int64_t base, own;  /* own: their threadgroup's tag */
    int64_t fence;      /* records below this are ordered before the lanes; earlier threadgroups' are */
    int64_t now;        /* clock and site, to be joined to tag and lane */
    bool first_write;   /* is it looked at whether what is read has been written? */
} lanes_side;

/* The loops below are made for all lanes and for those of a mask: what is a constant to the compiler costs no branch in them.
 * Records are never negative, so that a difference's sign compares two of them: such words, negative for "yes", are joined by
 * bits, which becomes vectors on any machine. */
#define EACH static inline __attribute__((always_inline))

/* Negative where the record is not ordered before the lane. */
EACH int64_t unordered(const lanes_side *s, int64_t rec, int64_t who)
{
    return -((rec ^ who) & SHADOW_SAME) & ~(rec - s->fence);
}

/* All bits of a lane that counts. */
EACH int64_t counts(const lanes_side *s, int j, bool masked)
{
    return masked ? -(int64_t)s->on[j] : -1;
}

/* 16 neighbouring granules, one a lane. False where something is to be looked at lane by lane. */
EACH bool read_lanes(const lanes_side *side, const emu_area *a, uint64_t k, bool masked)
{
    const lanes_side s = *side;
    const int64_t *writer = a->writer + k;
    int64_t *reader = a->reader + k, *other = a->other + k, bad = 0, fresh = 0;
    const int64_t first = s.first_write ? s.own : 0; /* below this nobody has written it */
    LANES for (int j = 0; j < EMU_CHUNK; ++j)
    {
        bad |= (unordered(&s, writer[j], s.rel[j] + s.base) | (writer[j] - first)) & counts(&s, j, masked);
        fresh |= (other[j] - s.fence) & counts(&s, j, masked);
    }
    /* two have read them since the last barrier already: nothing is new */
    if (fresh >= 0) return true;
    if (bad < 0) return false;
    LANES for (int j = 0; j < EMU_CHUNK; ++j)
    {
        const int64_t r = reader[j], o = other[j], who = s.rel[j] + s.base, rec = who | s.now;
        const int64_t r_new = unordered(&s, r, who) >> 63, o_new = unordered(&s, o, who) >> 63;
        const int64_t on = counts(&s, j, masked);
        reader[j] = r ^ ((r ^ rec) & ~r_new & on);
        other[j] = o ^ ((o ^ rec) & r_new & ~o_new & on);
    }
    return true;
}

EACH bool write_lanes(const lanes_side *side, const emu_area *a, uint64_t k, bool masked)
{
    const lanes_side s = *side;
    int64_t *writer = a->writer + k, bad = 0;
    const int64_t *reader = a->reader + k, *other = a->other + k;
    LANES for (int j = 0; j < EMU_CHUNK; ++j)
    {
        const int64_t who = s.rel[j] + s.base;
        bad |= (unordered(&s, writer[j], who) | unordered(&s, reader[j], who) | unordered(&s, other[j], who)) &
               counts(&s, j, masked);
    }
    if (bad < 0) return false;
    LANES for (int j = 0; j < EMU_CHUNK; ++j)
    {
        const int64_t rec = (s.rel[j] + s.base) | s.now, w = writer[j];
        writer[j] = w ^ ((w ^ rec) & counts(&s, j, masked));
    }
    return true;
}

static bool touch_run(const lanes_side *s, const emu_area *a, uint64_t k, bool write)
{
    if (s->on == NULL) return write ? write_lanes(s, a, k, false) : read_lanes(s, a, k, false);
    return write ? write_lanes(s, a, k, true) : read_lanes(s, a, k, true);
}

/* All lanes of the chunk read one granule of threadgroup memory: what the first and the last of them find holds for all. False
 * where that is to be looked at lane by lane. */
static inline bool read_one(const lanes_side *s, const emu_area *a, uint64_t k)
{
    const int64_t w = a->writer[k], r = a->reader[k], o = a->other[k];
    if (o >= s->fence) return true; /* read by two already */
    if (s->first_write && w < s->own) return false;
    const int64_t first = s->rel[0] + s->base, last = s->rel[EMU_CHUNK - 1] + s->base;
    if ((unordered(s, w, first) | unordered(s, w, last)) < 0) return false;
    const bool r_old = unordered(s, r, first) >= 0;
    if (r_old) a->reader[k] = first | s->now;
    a->other[k] = (r_old ? last : first) | s->now;
    return true;
}

/* A lane-constant access being checked. */
typedef struct sweep {
    emu_vm *vm;
    const emu_insn *insn;
    emu_area *area;
    const emu_side *side;
    const emu_pattern *pattern;
    const char *from;  /* where index 0 of the lanes' part goes */
    uint32_t granules; /* that each lane touches */
    bool write;
    bool alike;       /* all lanes are of one threadgroup, have passed the same barriers, and go to one set of addresses */
    lanes_side lanes; /* of the chunk in hand; but for `rel` and `on` the same for all where they are alike */
} sweep;

/* Takes a chunk in hand. False where its lanes have not passed the same barriers. */
static inline bool take_chunk(sweep *w, uint32_t chunk, const uint8_t *on)
{
    const emu_side *s = w->side;
    const uint32_t lane = chunk * EMU_CHUNK;
    w->lanes.rel = s->rel + lane;
    w->lanes.on = on;
    if (w->alike) return true;
    w->lanes.own = shadow_own(s, lane);
    w->lanes.fence = shadow_fence(s, lane);
    int64_t all = 1;
    if (!s->uniform) LANES for (int k = 0; k < EMU_CHUNK; ++k) all &= s->fence[lane + (uint32_t)k] == w->lanes.fence;
    return all != 0;
}

/* Each lane touches several neighbouring granules: so many runs of 16. */
static bool spread_run(const sweep *w, uint64_t k)
{
    const lanes_side *s = &w->lanes;
    enum { MOST = 16 };
    int64_t rel[EMU_CHUNK * MOST];
    uint8_t on[EMU_CHUNK * MOST];
    for (uint32_t j = 0; j < EMU_CHUNK; ++j)
        for (uint32_t g = 0; g < w->granules; ++g) {
            rel[j * w->granules + g] = s->rel[j];
            on[j * w->granules + g] = s->on == NULL || s->on[j] != 0;
        }
    lanes_side part = *s;
    for (uint32_t run = 0; run < w->granules; ++run) {
        part.rel = rel + run * EMU_CHUNK;
        part.on = s->on == NULL ? NULL : on + run * EMU_CHUNK;
        if (!touch_run(&part, w->area, k + run * EMU_CHUNK, w->write)) return false;
    }
    return true;
}

static inline uint64_t granule_of(const sweep *w, uint32_t chunk)
{
    const int64_t shift = w->insn->access->threadgroup ? (int64_t)w->vm->chunk_shift[chunk] : 0;
    return (uint64_t)(w->from + w->pattern->at[chunk] + shift - w->area->base) >> w->area->shift;
}

/* A chunk of shared memory. */
static inline bool sweep_shared(const sweep *w, uint32_t chunk, uint64_t k, const uint8_t *on)
{
    const emu_access *at = w->insn->access;
    if (w->pattern->step[0] == 0 || (w->granules & (w->granules - 1)) != 0 || at->atomic) return false;
    emu_touch t = {.vm = w->vm, .c = w->vm->check, .insn = w->insn, .lane = chunk * EMU_CHUNK, .read = !w->write, .write = w->write};
    return emu_touch_run(&t, w->area, k, (uint8_t)__builtin_ctz(w->granules), on);
}

/* A chunk whose lanes lie side by side, or (step 0) all at one place. False where it is to be looked at lane by lane. */
static inline bool sweep_chunk(sweep *w, uint32_t chunk, const uint8_t *on)
{
    if (!take_chunk(w, chunk, on)) return false;
    const uint64_t k = granule_of(w, chunk);
    if (shadow_shared(w->area)) return sweep_shared(w, chunk, k, on);
    if (w->pattern->step[0] != 0) return w->granules == 1 ? touch_run(&w->lanes, w->area, k, w->write) : spread_run(w, k);
    if (on != NULL || w->write) return false;
    for (uint32_t g = 0; g < w->granules; ++g)
        if (!read_one(&w->lanes, w->area, k + g)) return false;
    return true;
}

/* Were the granules written, if at all, before a barrier that all lanes have passed? Then that is so for every lane. */
static inline bool is_past_all(const sweep *w, uint64_t k)
{
    const int64_t *writer = w->area->writer + k, fence = w->lanes.fence;
    int64_t bad = 0;
    LANES for (int j = 0; j < EMU_CHUNK; ++j) bad |= ~(writer[j] - fence);
    return bad >= 0;
}

/* All chunks read the same 16 granules: once the first and the last of them have, the others have nothing new to tell. */
static inline bool sweep_same(sweep *w)
{
    const emu_vm *vm = w->vm;
    return sweep_chunk(w, vm->c0, NULL) && sweep_chunk(w, vm->c1 - 1, NULL) && is_past_all(w, granule_of(w, vm->c0));
}

/* Each chunk reads one granule with all its lanes: see read_one. */
static inline bool sweep_ones(sweep *w)
{
    const emu_area *a = w->area;
    const int64_t fence = w->lanes.fence, least = w->lanes.first_write ? w->lanes.own : 0;
    for (uint32_t c = w->vm->c0; c < w->vm->c1; ++c) {
        const uint64_t k = granule_of(w, c);
        if (a->other[k] >= fence) continue;
        if (a->writer[k] < least || a->writer[k] >= fence) return false;
        if (!take_chunk(w, c, NULL) || !read_one(&w->lanes, a, k)) return false;
    }
    return true;
}

/* Reads of threadgroup memory by whole chunks of one threadgroup, where one look serves many lanes. False where there is none such. */
static inline bool sweep_at_once(sweep *w)
{
    const emu_mask *m = &w->vm->masks[w->vm->top];
    const bool whole = m->full && m->lo % EMU_CHUNK == 0 && m->hi % EMU_CHUNK == 0;
    if (w->write || !w->alike || !whole || shadow_shared(w->area) || w->granules != 1) return false;
    if (w->pattern->step[0] == 0) return sweep_ones(w);
    return w->pattern->same && sweep_same(w);
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

/* Can the access be looked at by chunks? Its lanes touch whole granules, side by side or at one place. */
static inline bool is_even(const sweep *w, unsigned size)
{
    const int64_t step = w->pattern->step[0];
    const bool whole = w->granules << w->area->shift == size && w->granules <= EMU_CHUNK;
    return whole && (step == (int64_t)size || step == 0) && w->vm->group_threads % EMU_CHUNK == 0 && !w->vm->check->watch->simdgroups;
}

static const emu_insn *check_lanes(emu_vm *vm, const emu_insn *i)
{
    const emu_access *at = i->access;
    start s;
    if (at->object == EMU_NONE || at->collective || !all_in_bounds(vm, at, &s)) return emu_check_access(vm, i);
    const emu_object *o = &vm->objects[at->object];
    if (!is_usual(vm, at, o, s)) return emu_check_access(vm, i);
    emu_checker *c = vm->check;
    emu_area *a = c->areas[at->object];
    if (a == NULL) return i + 1;
    emu_watch_relieve(c->watch);
    const unsigned size = (unsigned)at->bytes * at->count;
    sweep w = {.vm = vm, .insn = i, .area = a, .side = &c->side[a->memory], .pattern = &vm->patterns[at->pattern],
               .from = s.at + at->scale * s.index, .granules = size >> a->shift, .write = at->write};
    const int64_t own = w.side->base & SHADOW_OWN;
    w.lanes = (lanes_side){NULL, NULL, w.side->base, own, own | w.side->level, emu_checker_now(c, i),
                            (c->checks >> EMU_CHECK_UNINITIALISED & 1u) != 0};
    w.alike = w.side->uniform && vm->lanes <= vm->group_threads;
    const bool even = is_even(&w, size);
    if (even && sweep_at_once(&w)) return i + 1;
    const emu_mask *m = &vm->masks[vm->top];
    for (uint32_t k = vm->c0; k < vm->c1; ++k) {
        const uint32_t base = k * EMU_CHUNK;
        const uint32_t lo = m->lo > base ? m->lo - base : 0, hi = m->hi - base < EMU_CHUNK ? m->hi - base : EMU_CHUNK;
        const bool all = m->full && lo == 0 && hi == EMU_CHUNK;
        if (even && sweep_chunk(&w, k, all ? NULL : m->bytes + base)) continue;
        if (!emu_check_chunk(vm, i, k, lo, hi)) return NULL;
    }
    return i + 1;
}

/* Is any lane of the mask's chunks, active or not, infinite or NaN? Then it is to be looked at one by one. */
#define MADE(name, T, EXPONENT)                                                                                        \
    static const emu_insn *name(emu_vm *vm, const emu_insn *i)                                                         \
    {                                                                                                                  \
        LANES_RANGE;                                                                                                   \
        const char *p = frame + i->d + c * sizeof(T) * EMU_CHUNK;                                                      \
        for (; c < end; ++c, p += sizeof(T) * EMU_CHUNK) {                                                             \
            const T *d = LANES_ALIGNED(p, T);                                                                          \
            T any = 0;                                                                                                 \
            LANES for (int j = 0; j < EMU_CHUNK; ++j) any |= (T)((d[j] & (EXPONENT)) == (EXPONENT));                   \
            if (any != 0) return emu_check_value_handler(EMU_MADE)(vm, i);                                             \
        }                                                                                                              \
        return i + 1;                                                                                                  \
    }
MADE(made_f32, lane_u32, 0x7f800000u)
MADE(made_f16, lane_u16, 0x7c00u)
MADE(made_bf16, lane_u16, 0x7f80u)

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
    if (op != EMU_MADE) return NULL;
    return type == EMU_F32 ? made_f32 : type == EMU_F16 ? made_f16 : type == EMU_BF16 ? made_bf16 : NULL;
}
