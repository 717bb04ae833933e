/* Lane handlers: memory at uniform and lane-constant addresses, checked once an instruction where the pattern allows. */
#include "emu/lanes_access.h"
#include "emu/mask.h"

/* One element for all lanes: d is uniform. */
#define LOAD_UNIFORM(name, T)                                                                                          \
    static const emu_insn *name(emu_vm *vm, const emu_insn *i)                                                         \
    {                                                                                                                  \
        const emu_access *at = i->access;                                                                              \
        const emu_object *o = object_of(vm, at);                                                                       \
        const uint64_t size = sizeof(T) * at->count;                                                                   \
        const uint64_t offset = (uint64_t)emu_lane_offset(vm, at, 0);                                                  \
        if (o->base == NULL || size > o->size || offset > o->size - size) return fault_at_first(vm, i);                \
        for (unsigned k = 0; k < at->count; ++k) {                                                                     \
            T v;                                                                                                       \
            memcpy(&v, o->base + offset + k * sizeof(T), sizeof v);                                                    \
            T *d = LANES_ALIGNED(vm->frame + at->regs[k], T);                                                          \
            LANES for (int j = 0; j < EMU_CHUNK; ++j) d[j] = v;                                                        \
        }                                                                                                              \
        return i + 1;                                                                                                  \
    }

/* The fault of the first active lane, found by doing the access there. */
static const emu_insn *fault_at_first(emu_vm *vm, const emu_insn *i)
{
    return emu_load_lanes(vm, i);
}

LOAD_UNIFORM(loadu_1, lane_u8)
LOAD_UNIFORM(loadu_2, lane_u16)
LOAD_UNIFORM(loadu_4, lane_u32)
LOAD_UNIFORM(loadu_8, lane_u64)

static inline int64_t shift_of(const emu_vm *vm, const emu_access *at, uint32_t c)
{
    return at->threadgroup ? (int64_t)vm->chunk_shift[c] : 0;
}

/* Where lane j of a chunk that is not strided goes. */
static inline char *lane_at(const emu_vm *vm, const emu_access *at, start s, uint32_t c, uint32_t j)
{
    const int32_t v = read_i32(vm->frame + at->lanes + c * at->lanes_stride + j * 4);
    return s.at + at->scale * (s.index + v) + shift_of(vm, at, c);
}

/* Ahead of what is read in one line: the next threadgroup's part, most likely. */
static inline void fetch_ahead(const char *from, size_t bytes)
{
    for (size_t b = 0; b < bytes; b += 64) __builtin_prefetch(from + 2 * bytes + b);
}

#define LOAD_LANES(name, T)                                                                                            \
    static inline void name##_chunk(const emu_vm *vm, const emu_access *at, start s, uint32_t c, char *to, size_t more) \
    {                                                                                                                  \
        const emu_pattern *p = &vm->patterns[at->pattern];                                                             \
        T *d = LANES_ALIGNED(to + c * sizeof(T) * EMU_CHUNK, T);                                                       \
        if (!p->strided[c]) {                                                                                          \
            for (uint32_t j = 0; j < EMU_CHUNK; ++j) memcpy(&d[j], lane_at(vm, at, s, c, j) + more, sizeof(T));        \
            return;                                                                                                    \
        }                                                                                                              \
        const char *from = s.at + at->scale * s.index + p->at[c] + shift_of(vm, at, c) + more;                         \
        const int64_t step = p->step[c];                                                                               \
        if (step == (int64_t)sizeof(T)) {                                                                              \
            memcpy(d, from, sizeof(T) * EMU_CHUNK);                                                                    \
        } else {                                                                                                       \
            for (int j = 0; j < EMU_CHUNK; ++j) memcpy(&d[j], from + j * step, sizeof(T));                             \
        }                                                                                                              \
    }                                                                                                                  \
    static const emu_insn *name(emu_vm *vm, const emu_insn *i)                                                         \
    {                                                                                                                  \
        const emu_access *at = i->access;                                                                              \
        start s;                                                                                                       \
        if (!all_in_bounds(vm, at, &s)) return emu_load_lanes(vm, i);                                                  \
        const emu_pattern *p = &vm->patterns[at->pattern];                                                             \
        const uint32_t end = vm->c1;                                                                                   \
        uint32_t c = vm->c0;                                                                                           \
        const bool plain = p->even && at->count == 1 && !(at->threadgroup && vm->shifted);                             \
        const int64_t step = plain ? p->step[0] : -1;                                                                  \
        const char *from = s.at + at->scale * s.index;                                                                 \
        char *to = vm->frame + at->regs[0] + c * (sizeof(T) * EMU_CHUNK);                                              \
        if (step == (int64_t)sizeof(T) && p->line) {                                                                   \
            const size_t bytes = (end - c) * (sizeof(T) * EMU_CHUNK);                                                  \
            fetch_ahead(from + p->at[c], bytes);                                                                       \
            memcpy(to, from + p->at[c], bytes);                                                                        \
        } else if (step == (int64_t)sizeof(T)) {                                                                       \
            for (; c < end; ++c, to += sizeof(T) * EMU_CHUNK)                                                          \
                memcpy(LANES_ALIGNED(to, T), from + p->at[c], sizeof(T) * EMU_CHUNK);                                  \
        } else if (step == 0) {                                                                                        \
            for (; c < end; ++c, to += sizeof(T) * EMU_CHUNK) {                                                        \
                T v;                                                                                                   \
                memcpy(&v, from + p->at[c], sizeof v);                                                                 \
                T *d = LANES_ALIGNED(to, T);                                                                           \
                LANES for (int j = 0; j < EMU_CHUNK; ++j) d[j] = v;                                                    \
            }                                                                                                          \
        } else {                                                                                                       \
            for (unsigned k = 0; k < at->count; ++k)                                                                   \
                for (c = vm->c0; c < end; ++c) name##_chunk(vm, at, s, c, vm->frame + at->regs[k], k * sizeof(T));     \
        }                                                                                                              \
        return i + 1;                                                                                                  \
    }

LOAD_LANES(loadl_1, lane_u8)
LOAD_LANES(loadl_2, lane_u16)
LOAD_LANES(loadl_4, lane_u32)
LOAD_LANES(loadl_8, lane_u64)

/* Stores look at each lane; whole chunks of a plain run are copied. A step of 0 leaves the last lane's value, as the
 * loop does in lane order. Elements of one lane are stored together, so that the order of lanes holds for vectors too. */
#define STORE_LANES(name, T)                                                                                           \
    static inline void name##_some(emu_vm *vm, const emu_access *at, start s, uint32_t c, uint32_t lo, uint32_t hi)    \
    {                                                                                                                  \
        const emu_pattern *p = &vm->patterns[at->pattern];                                                             \
        const emu_mask *m = &vm->masks[vm->top];                                                                       \
        char *to = s.at + at->scale * s.index + p->at[c] + shift_of(vm, at, c);                                        \
        for (uint32_t j = lo; j < hi; ++j) {                                                                           \
            if (!m->full && m->bytes[c * EMU_CHUNK + j] == 0) continue;                                                \
            char *place = p->strided[c] ? to + (int64_t)j * p->step[c] : lane_at(vm, at, s, c, j);                     \
            for (unsigned k = 0; k < at->count; ++k)                                                                   \
                memcpy(place + k * sizeof(T), vm->frame + at->regs[k] + c * at->strides[k] + j * sizeof(T), sizeof(T)); \
        }                                                                                                              \
    }                                                                                                                  \
    static inline void name##_chunk(emu_vm *vm, const emu_access *at, start s, uint32_t c)                             \
    {                                                                                                                  \
        const emu_pattern *p = &vm->patterns[at->pattern];                                                             \
        const int64_t step = p->strided[c] ? p->step[c] : 0;                                                           \
        if (step < (int64_t)sizeof(T) * at->count) {                                                                   \
            name##_some(vm, at, s, c, 0, EMU_CHUNK);                                                                   \
            return;                                                                                                    \
        }                                                                                                              \
        char *to = s.at + at->scale * s.index + p->at[c] + shift_of(vm, at, c);                                        \
        for (unsigned k = 0; k < at->count; ++k) {                                                                     \
            const T *v = LANES_ALIGNED(vm->frame + at->regs[k] + c * at->strides[k], T);                               \
            if (step == (int64_t)sizeof(T)) {                                                                          \
                memcpy(to, v, sizeof(T) * EMU_CHUNK);                                                                  \
            } else {                                                                                                   \
                for (int j = 0; j < EMU_CHUNK; ++j) memcpy(to + j * step + k * sizeof(T), &v[j], sizeof(T));           \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    static const emu_insn *name(emu_vm *vm, const emu_insn *i)                                                         \
    {                                                                                                                  \
        const emu_access *at = i->access;                                                                              \
        start s;                                                                                                       \
        if (!all_in_bounds(vm, at, &s)) return emu_store_lanes(vm, i);                                                 \
        const emu_pattern *p = &vm->patterns[at->pattern];                                                             \
        const emu_mask *m = &vm->masks[vm->top];                                                                       \
        const uint32_t lo = m->lo, hi = m->hi;                                                                         \
        /* whole chunks of a full mask in one go; the ends, and any other mask, lane by lane */                        \
        const uint32_t first = (lo + EMU_CHUNK - 1) / EMU_CHUNK, last = hi / EMU_CHUNK;                                \
        if (!m->full || first >= last) {                                                                               \
            for (uint32_t c = vm->c0; c < vm->c1; ++c) {                                                               \
                const uint32_t base = c * EMU_CHUNK;                                                                   \
                name##_some(vm, at, s, c, lo > base ? lo - base : 0, hi - base < EMU_CHUNK ? hi - base : EMU_CHUNK);   \
            }                                                                                                          \
            return i + 1;                                                                                              \
        }                                                                                                              \
        if (lo % EMU_CHUNK != 0) name##_some(vm, at, s, vm->c0, lo % EMU_CHUNK, EMU_CHUNK);                            \
        const bool plain = p->even && at->count == 1 && !(at->threadgroup && vm->shifted) &&                           \
                           p->step[0] == (int64_t)sizeof(T) && at->strides[0] != 0;                                    \
        char *to = s.at + at->scale * s.index;                                                                         \
        const char *from = vm->frame + at->regs[0] + first * (sizeof(T) * EMU_CHUNK);                                  \
        if (plain && p->line) {                                                                                        \
            memcpy(to + p->at[first], from, (last - first) * (sizeof(T) * EMU_CHUNK));                                 \
        } else if (plain) {                                                                                            \
            for (uint32_t c = first; c < last; ++c, from += sizeof(T) * EMU_CHUNK)                                     \
                memcpy(to + p->at[c], LANES_ALIGNED(from, T), sizeof(T) * EMU_CHUNK);                                  \
        } else {                                                                                                       \
            for (uint32_t c = first; c < last; ++c) name##_chunk(vm, at, s, c);                                        \
        }                                                                                                              \
        if (hi % EMU_CHUNK != 0) name##_some(vm, at, s, last, 0, hi % EMU_CHUNK);                                      \
        return i + 1;                                                                                                  \
    }

STORE_LANES(storel_1, lane_u8)
STORE_LANES(storel_2, lane_u16)
STORE_LANES(storel_4, lane_u32)
STORE_LANES(storel_8, lane_u64)

/* A thread array at a uniform place, laid out by that element: a register copy. */
static inline bool private_register(const emu_vm *vm, const emu_access *at, uint64_t *offset)
{
    if (at->lanes != EMU_NONE || at->granule != at->bytes) return false;
    *offset = (uint64_t)emu_lane_offset(vm, at, 0);
    const uint64_t size = (uint64_t)at->bytes * at->count;
    return size <= at->size && *offset <= at->size - size && *offset % at->bytes == 0;
}

static const emu_insn *loadp(emu_vm *vm, const emu_insn *i)
{
    const emu_access *at = i->access;
    uint64_t offset;
    if (!private_register(vm, at, &offset)) return emu_load_private(vm, i);
    const size_t from = (size_t)vm->c0 * EMU_CHUNK * at->bytes, n = (size_t)(vm->c1 - vm->c0) * EMU_CHUNK * at->bytes;
    for (unsigned k = 0; k < at->count; ++k)
        memcpy(vm->frame + at->regs[k] + from, vm->frame + at->private_at + (offset + k * at->bytes) * vm->width + from, n);
    return i + 1;
}

static const emu_insn *storep(emu_vm *vm, const emu_insn *i)
{
    const emu_access *at = i->access;
    const emu_mask *m = &vm->masks[vm->top];
    uint64_t offset;
    if (!private_register(vm, at, &offset)) return emu_store_private(vm, i);
    for (unsigned k = 0; k < at->count; ++k) {
        char *to = vm->frame + at->private_at + (offset + k * at->bytes) * vm->width;
        for (uint32_t c = vm->c0; c < vm->c1; ++c) {
            const uint32_t lane = c * EMU_CHUNK;
            const char *v = vm->frame + at->regs[k] + c * at->strides[k];
            if (m->full && m->lo <= lane && m->hi >= lane + EMU_CHUNK) {
                memcpy(to + lane * at->bytes, v, (size_t)EMU_CHUNK * at->bytes);
                continue;
            }
            for (uint32_t j = 0; j < EMU_CHUNK; ++j)
                if (emu_active(vm, lane + j)) memcpy(to + (lane + j) * at->bytes, v + j * at->bytes, at->bytes);
        }
    }
    return i + 1;
}

/* Assignment of a variable under a mask. */
#define MOVE_MASKED(name, T)                                                                                           \
    static const emu_insn *name(emu_vm *vm, const emu_insn *i)                                                         \
    {                                                                                                                  \
        const emu_mask *m = &vm->masks[vm->top];                                                                       \
        for (uint32_t c = vm->c0; c < vm->c1; ++c) {                                                                   \
            T *d = LANES_ALIGNED(vm->frame + i->d + c * sizeof(T) * EMU_CHUNK, T);                                     \
            const T *a = LANES_ALIGNED(vm->frame + i->a + c * i->sa, T);                                               \
            const uint8_t *on = LANES_ALIGNED(m->bytes + c * EMU_CHUNK, uint8_t);                                      \
            if (m->full && m->lo <= c * EMU_CHUNK && m->hi >= (c + 1) * EMU_CHUNK) {                                   \
                memmove(d, a, sizeof(T) * EMU_CHUNK);                                                                  \
            } else {                                                                                                   \
                LANES for (int j = 0; j < EMU_CHUNK; ++j)                                                              \
                {                                                                                                      \
                    const T x = a[j], y = d[j];                                                                        \
                    d[j] = on[j] != 0 ? x : y;                                                                         \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
        return i + 1;                                                                                                  \
    }
MOVE_MASKED(movm_1, lane_u8)
MOVE_MASKED(movm_2, lane_u16)
MOVE_MASKED(movm_4, lane_u32)
MOVE_MASKED(movm_8, lane_u64)

#define ROW(OP, f) [EMU_##OP] = {f##_1, f##_2, f##_4, f##_8}
static const emu_handler table[EMU_OPS][4] = {
    ROW(LOADU, loadu), ROW(LOADL, loadl), ROW(STOREL, storel), ROW(MOVM, movm),
    [EMU_LOADP] = {loadp, loadp, loadp, loadp}, [EMU_STOREP] = {storep, storep, storep, storep},
};

/* Memory and masked moves; `type` is that of an element. */
emu_handler LANES_NAME(lanes_memory)(emu_op op, emu_type type)
{
    const unsigned size = emu_type_size(type);
    return table[op][size == 8 ? 3 : size / 2];
}

/* Sees a lane-constant index register in chunks. */
void LANES_NAME(lanes_scan_pattern)(emu_pattern *p, const char *reg, uint32_t width)
{
    const uint32_t chunks = width / EMU_CHUNK;
    for (uint32_t c = 0; c < chunks; ++c) {
        int32_t v[EMU_CHUNK];
        memcpy(v, reg + (size_t)c * sizeof v, sizeof v);
        const uint32_t step = (uint32_t)v[1] - (uint32_t)v[0];
        bool run = true;
        int32_t lo = v[0], hi = v[0];
        for (uint32_t j = 0; j < EMU_CHUNK; ++j) {
            if ((uint32_t)v[j] != (uint32_t)v[0] + j * step) run = false;
            lo = v[j] < lo ? v[j] : lo;
            hi = v[j] > hi ? v[j] : hi;
        }
        /* a run that wraps is none: its addresses do not follow its step */
        if ((int64_t)v[0] + 15 * (int64_t)(int32_t)step != v[15]) run = false;
        p->strided[c] = run;
        p->at[c] = p->scale * v[0];
        p->step[c] = p->scale * (int32_t)step;
        p->min[c] = lo;
        p->max[c] = hi;
        p->min_to[c] = c == 0 || lo < p->min_to[c - 1] ? lo : p->min_to[c - 1];
        p->max_to[c] = c == 0 || hi > p->max_to[c - 1] ? hi : p->max_to[c - 1];
    }
    p->line = p->even = p->same = true;
    for (uint32_t c = 0; c < chunks; ++c) {
        if (!p->strided[c] || p->step[c] != p->step[0]) p->even = p->line = p->same = false;
        if (p->at[c] != p->at[0]) p->same = false;
        if (p->at[c] != p->at[0] + (int64_t)c * EMU_CHUNK * p->step[0]) p->line = false;
    }
}
