/* The shapes of all values of a function, by iteration until nothing changes; and which memory of a thread's own can lie with
 * the lanes' elements side by side. */
#include <string.h>

#include "air/group.h"

enum { MOST_ALIGN = 1 << 20 };

static const air_shape nothing = {AIR_SHAPE_NONE, false, MOST_ALIGN, 0};
static const air_shape each = {AIR_EACH, false, 1, 0};

static air_shape same(uint32_t align)
{
    return (air_shape){AIR_SAME, false, align, 0};
}

static uint32_t power_in(uint64_t v)
{
    if (v == 0) return MOST_ALIGN;
    const uint64_t low = v & (~v + 1);
    return low > MOST_ALIGN ? MOST_ALIGN : (uint32_t)low;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static unsigned bits_of(LLVMTypeRef t)
{
    return LLVMGetTypeKind(t) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(t) : 64;
}

/* A stride modulo the width of the type. Multiples of half of what a narrow type holds are told from no others, so that lanes
 * below `align` wrap neither as unsigned nor as signed numbers. */
static air_shape linear(LLVMTypeRef type, int64_t stride, uint32_t align, bool maybe)
{
    const unsigned bits = bits_of(type);
    const LLVMTypeKind k = LLVMGetTypeKind(type);
    if (bits <= 20) align = least(align, 1u << (bits - 1));
    if (bits < 64) stride = (int64_t)((uint64_t)stride << (64 - bits)) >> (64 - bits);
    if (stride != 0 && (bits == 1 || (k != LLVMIntegerTypeKind && k != LLVMPointerTypeKind))) return each;
    if (stride == 0 && maybe) return each;
    if (stride > (1 << 28) || stride < -(1 << 28)) return each;
    return (air_shape){AIR_LINEAR, maybe, align, stride};
}

static air_shape join(air_shape a, air_shape b)
{
    if (a.kind == AIR_SHAPE_NONE) return b;
    if (b.kind == AIR_SHAPE_NONE) return a;
    if (a.kind == AIR_EACH || b.kind == AIR_EACH || a.stride != b.stride) return each;
    air_shape r = a.kind == AIR_LINEAR ? a : b;
    r.align = least(a.align, b.align);
    r.maybe = a.maybe || b.maybe;
    return r;
}

air_shape air_group_shape(air_group *g, LLVMValueRef old)
{
    if (LLVMIsAConstantInt(old) != NULL && bits_of(LLVMTypeOf(old)) <= 64) return same(power_in(LLVMConstIntGetZExtValue(old)));
    if (LLVMIsConstant(old)) return same(1);
    const group_value *v = map_get_id(&g->values, old);
    return v != NULL ? v->shape : nothing;
}

/* ---- Addresses ----------------------------------------------------------------------------------------------------- */

/* A gep's offset: `fixed` bytes and n times scale[i] * index[i]; false where it is none that is understood. */
bool air_group_step(air_group *g, LLVMValueRef gep, uint64_t *fixed, uint64_t *scale, LLVMValueRef *index, unsigned *n)
{
    LLVMTypeRef t = LLVMGetGEPSourceElementType(gep);
    const unsigned count = (unsigned)LLVMGetNumOperands(gep);
    *fixed = 0;
    *n = 0;
    for (unsigned i = 1; i < count; ++i) {
        LLVMValueRef v = LLVMGetOperand(gep, i);
        const LLVMTypeKind k = LLVMGetTypeKind(t);
        if (i > 1 && k == LLVMStructTypeKind) {
            const unsigned field = (unsigned)LLVMConstIntGetZExtValue(v);
            *fixed += LLVMOffsetOfElement(g->l->layout, t, field);
            t = LLVMStructGetTypeAtIndex(t, field);
            continue;
        }
        if (i > 1 && (k == LLVMArrayTypeKind || k == LLVMVectorTypeKind)) t = LLVMGetElementType(t);
        else if (i > 1) return false;
        const uint64_t size = LLVMABISizeOfType(g->l->layout, t);
        if (LLVMIsAConstantInt(v) != NULL) {
            *fixed += size * (uint64_t)LLVMConstIntGetSExtValue(v);
        } else {
            if (*n == 4 || LLVMTypeOf(v) != g->l->i64) return false;
            scale[*n] = size;
            index[(*n)++] = v;
        }
    }
    return true;
}

static air_shape of_gep(air_group *g, LLVMValueRef v)
{
    air_shape r = air_group_shape(g, LLVMGetOperand(v, 0));
    uint64_t fixed, scale[4];
    LLVMValueRef index[4];
    unsigned n;
    bool any_linear = r.kind == AIR_LINEAR;
    if (r.kind == AIR_SHAPE_NONE) return nothing;
    if (r.kind == AIR_EACH || !air_group_step(g, v, &fixed, scale, index, &n)) return each;
    uint32_t align = least(r.align, power_in(fixed));
    for (unsigned i = 0; i < n; ++i) {
        const air_shape s = air_group_shape(g, index[i]);
        if (s.kind == AIR_EACH || s.kind == AIR_SHAPE_NONE) return s;
        any_linear |= s.kind == AIR_LINEAR;
        r.stride += s.stride * (int64_t)scale[i];
        r.maybe |= s.maybe;
        align = least(align, power_in(scale[i]));
    }
    if (!any_linear) return same(align);
    r = linear(LLVMTypeOf(v), r.stride, align, r.maybe);
    return r.stride != 0 && air_group_room(g, v) != NULL ? each : r;
}

/* ---- Rooms ----------------------------------------------------------------------------------------------------------- */

typedef struct uses {
    LLVMValueRef alloca;
    unsigned element; /* bytes of all accesses; 0: none yet */
    uint32_t step;    /* what all offsets are multiples of */
} uses;

static bool access_of(air_group *g, uses *u, LLVMTypeRef t)
{
    const LLVMTypeRef e = air_group_element(t, 0);
    if (LLVMGetTypeKind(t) == LLVMStructTypeKind || LLVMGetTypeKind(t) == LLVMArrayTypeKind) return false;
    const unsigned bytes = (unsigned)LLVMStoreSizeOfType(g->l->layout, e);
    if (u->element != 0 && u->element != bytes) return false;
    u->element = bytes;
    return true;
}

static bool fits(air_group *g, uses *u, LLVMValueRef pointer);

static bool fits_use(air_group *g, uses *u, LLVMValueRef pointer, LLVMValueRef user)
{
    uint64_t fixed, scale[4];
    LLVMValueRef index[4];
    unsigned n;
    if (LLVMIsALoadInst(user) != NULL) return access_of(g, u, LLVMTypeOf(user));
    if (LLVMIsAStoreInst(user) != NULL) return LLVMGetOperand(user, 0) != pointer && access_of(g, u, LLVMTypeOf(LLVMGetOperand(user, 0)));
    if (LLVMIsABitCastInst(user) != NULL) return fits(g, u, user);
    if (air_group_is_call(user, "air_rt_multiply")) return access_of(g, u, g->l->f32) && LLVMGetOperand(user, 2) == u->alloca;
    if (LLVMIsAMemSetInst(user) != NULL) /* the one at the beginning */
        return pointer == u->alloca && LLVMIsAConstantInt(LLVMGetOperand(user, 2)) != NULL &&
               LLVMGetInstructionParent(user) == LLVMGetEntryBasicBlock(g->from);
    if (LLVMIsAGetElementPtrInst(user) == NULL || LLVMGetOperand(user, 0) != pointer) return false;
    if (!air_group_step(g, user, &fixed, scale, index, &n)) return false;
    u->step = least(u->step, power_in(fixed));
    for (unsigned i = 0; i < n; ++i) u->step = least(u->step, power_in(scale[i]));
    return fits(g, u, user);
}

static bool fits(air_group *g, uses *u, LLVMValueRef pointer)
{
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use != NULL; use = LLVMGetNextUse(use))
        if (!fits_use(g, u, pointer, LLVMGetUser(use))) return false;
    return true;
}

static void add_room(air_group *g, LLVMValueRef alloca)
{
    group_room *r = arena_new(g->l->mem, group_room);
    uses u = {.alloca = alloca, .step = MOST_ALIGN};
    r->size = (LLVMABISizeOfType(g->l->layout, LLVMGetAllocatedType(alloca)) + 15) / 16 * 16;
    if (LLVMIsAConstantInt(LLVMGetOperand(alloca, 0)) == NULL || LLVMConstIntGetZExtValue(LLVMGetOperand(alloca, 0)) != 1)
        air_group_unfit(g, "an array of variables");
    if (fits(g, &u, alloca) && u.element != 0 && u.step % u.element == 0) r->element = u.element;
    g->thread_bytes += r->size;
    map_put_id(g->l->mem, &g->rooms, alloca, r);
}

group_room *air_group_room(air_group *g, LLVMValueRef pointer)
{
    while (LLVMIsAGetElementPtrInst(pointer) != NULL || LLVMIsABitCastInst(pointer) != NULL) pointer = LLVMGetOperand(pointer, 0);
    group_room *r = map_get_id(&g->rooms, pointer);
    return r != NULL && r->element != 0 ? r : NULL;
}

/* ---- Operations ------------------------------------------------------------------------------------------------------ */

static LLVMValueRef constant_at(LLVMValueRef v, unsigned i)
{
    LLVMValueRef c = LLVMGetOperand(v, i);
    return LLVMIsAConstantInt(c) != NULL && LLVMGetIntTypeWidth(LLVMTypeOf(c)) <= 64 ? c : NULL;
}

/* The lanes differ below the highest bit that lane 0's number is a multiple of: no carry reaches it. */
static bool stays_low(const air_group *g, air_shape s, uint64_t below)
{
    const uint64_t most = (uint64_t)s.stride * (g->width - 1);
    return s.stride >= 0 && most < s.align && most < below;
}

static air_shape of_and(const air_group *g, LLVMValueRef v, air_shape a)
{
    LLVMValueRef c = constant_at(v, 1);
    if (c == NULL || a.maybe) return each;
    const uint64_t mask = LLVMConstIntGetZExtValue(c);
    if ((mask & (mask + 1)) == 0 && stays_low(g, a, mask + 1))
        return linear(LLVMTypeOf(v), a.stride, mask + 1 < a.align ? (uint32_t)(mask + 1) : a.align, false);
    if (mask != 0 && stays_low(g, a, power_in(mask))) return linear(LLVMTypeOf(v), 0, power_in(mask), false);
    return each;
}

static air_shape of_shift_right(const air_group *g, LLVMValueRef v, air_shape a)
{
    LLVMValueRef c = constant_at(v, 1);
    if (c == NULL || a.maybe) return each;
    const uint64_t k = LLVMConstIntGetZExtValue(c);
    if (k >= 63 || !stays_low(g, a, UINT64_MAX)) return each;
    if (stays_low(g, a, (uint64_t)1 << k)) return linear(LLVMTypeOf(v), 0, a.align >> k != 0 ? a.align >> k : 1, false);
    if (((uint64_t)a.stride & (((uint64_t)1 << k) - 1)) != 0 || a.align >> k == 0) return each;
    return linear(LLVMTypeOf(v), a.stride >> k, a.align >> k, false);
}

static air_shape of_times(LLVMValueRef v, air_shape a, air_shape b)
{
    LLVMValueRef c = constant_at(v, 1);
    const uint64_t align = (uint64_t)a.align * b.align;
    const uint32_t both = align > MOST_ALIGN ? MOST_ALIGN : (uint32_t)align;
    if (a.kind == AIR_SAME && b.kind == AIR_SAME) return same(both);
    if (a.stride == 0 && b.stride == 0) return linear(LLVMTypeOf(v), 0, both, false);
    if (c == NULL) return each;
    return linear(LLVMTypeOf(v), (int64_t)((uint64_t)a.stride * LLVMConstIntGetZExtValue(c)), both, a.maybe);
}

static air_shape of_shift_left(LLVMValueRef v, air_shape a, air_shape b)
{
    LLVMValueRef c = constant_at(v, 1);
    if (c == NULL) return a.kind == AIR_SAME && b.kind == AIR_SAME ? same(a.align) : a.stride == 0 && b.stride == 0 ? linear(LLVMTypeOf(v), 0, a.align, false) : each;
    const uint64_t k = LLVMConstIntGetZExtValue(c);
    if (k > 40) return a.kind == AIR_SAME ? same(1) : each;
    const uint64_t align = (uint64_t)a.align << (k > 20 ? 20 : k);
    const uint32_t both = align > MOST_ALIGN ? MOST_ALIGN : (uint32_t)align;
    return a.kind == AIR_SAME ? same(both) : linear(LLVMTypeOf(v), (int64_t)((uint64_t)a.stride << k), both, a.maybe);
}

static air_shape of_widening(const air_group *g, LLVMValueRef v, air_shape a)
{
    if (a.kind == AIR_SAME) return same(a.align);
    const LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(v, 0));
    if (LLVMGetTypeKind(from) != LLVMIntegerTypeKind) return a.stride == 0 ? linear(LLVMTypeOf(v), 0, 1, false) : each;
    const uint64_t most = (uint64_t)(a.stride < 0 ? -a.stride : a.stride) * (g->width - 1);
    if (most >> bits_of(from) != 0) return each; /* wraps for certain */
    const bool certain = a.stride == 0 || (stays_low(g, a, UINT64_MAX) && !a.maybe);
    return linear(LLVMTypeOf(v), a.stride, a.align, !certain);
}

/* Of operands that are SAME or the chunk's own. */
static air_shape of_any(air_group *g, LLVMValueRef v)
{
    air_shape_kind kind = AIR_SAME;
    const unsigned n = LLVMIsACallInst(v) != NULL ? LLVMGetNumArgOperands(v) : (unsigned)LLVMGetNumOperands(v);
    for (unsigned i = 0; i < n; ++i) {
        const air_shape s = air_group_shape(g, LLVMGetOperand(v, i));
        if (s.kind == AIR_SHAPE_NONE) return nothing;
        if (s.kind == AIR_EACH || s.stride != 0) return each;
        if (s.kind == AIR_LINEAR) kind = AIR_LINEAR;
    }
    return (air_shape){kind, false, 1, 0};
}

static air_shape of_two(air_group *g, LLVMValueRef v, LLVMOpcode op)
{
    const air_shape a = air_group_shape(g, LLVMGetOperand(v, 0)), b = air_group_shape(g, LLVMGetOperand(v, 1));
    if (a.kind == AIR_SHAPE_NONE || b.kind == AIR_SHAPE_NONE) return nothing;
    if (a.kind == AIR_EACH || b.kind == AIR_EACH) return each;
    if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind) return of_any(g, v);
    const bool both_same = a.kind == AIR_SAME && b.kind == AIR_SAME;
    const uint32_t align = least(a.align, b.align);
    switch ((int)op) {
    case LLVMOr: /* of what has no bit in common, a sum */
        if (a.stride == 0 && b.stride == 0) return both_same ? same(align) : linear(LLVMTypeOf(v), 0, align, false);
        if (constant_at(v, 1) != NULL && LLVMConstIntGetZExtValue(constant_at(v, 1)) < power_in((uint64_t)a.stride) && a.align >= power_in((uint64_t)a.stride))
            return linear(LLVMTypeOf(v), a.stride, align, a.maybe);
        if (a.stride == 0 && !b.maybe && stays_low(g, b, a.align)) return linear(LLVMTypeOf(v), b.stride, align, false);
        if (b.stride == 0 && !a.maybe && stays_low(g, a, b.align)) return linear(LLVMTypeOf(v), a.stride, align, false);
        return each;
    case LLVMAdd: return both_same ? same(align) : linear(LLVMTypeOf(v), a.stride + b.stride, align, a.maybe || b.maybe);
    case LLVMSub: return both_same ? same(align) : linear(LLVMTypeOf(v), a.stride - b.stride, align, a.maybe || b.maybe);
    case LLVMMul: return of_times(v, a, b);
    case LLVMShl: return of_shift_left(v, a, b);
    case LLVMAnd: return a.stride == 0 && b.stride == 0 ? of_any(g, v) : of_and(g, v, a);
    case LLVMLShr:
    case LLVMAShr: return a.stride == 0 && b.stride == 0 ? of_any(g, v) : of_shift_right(g, v, a);
    default: return of_any(g, v);
    }
}

/* ---- Memory, calls, ways that meet --------------------------------------------------------------------------------- */

static air_shape of_load(air_group *g, LLVMValueRef v)
{
    LLVMValueRef p = LLVMGetOperand(v, 0);
    const air_shape s = air_group_shape(g, p);
    if (s.kind == AIR_SHAPE_NONE) return nothing;
    if (air_group_room(g, p) != NULL || s.kind == AIR_EACH || s.stride != 0) return each;
    if (LLVMGetVolatile(v) || LLVMGetOrdering(v) != LLVMAtomicOrderingNotAtomic) return each;
    if (s.kind == AIR_LINEAR) return linear(g->l->i64, 0, 1, false);
    uint64_t fixed = 0, scale[4];
    LLVMValueRef index[4], base = p;
    unsigned n = 0;
    while (LLVMIsABitCastInst(base) != NULL) base = LLVMGetOperand(base, 0);
    const bool field = LLVMIsAGetElementPtrInst(base) != NULL && LLVMGetOperand(base, 0) == LLVMGetParam(g->from, 0) &&
                       air_group_step(g, base, &fixed, scale, index, &n) && n == 0;
    const bool sizes = field && (fixed == offsetof(air_thread, threads) || fixed == offsetof(air_thread, whole));
    return same(g->whole && sizes ? g->width : 1);
}

static air_shape of_call(air_group *g, LLVMValueRef v)
{
    LLVMValueRef f = LLVMGetCalledValue(v);
    const str name = LLVMIsAFunction(f) != NULL ? air_name(f) : STR("");
    if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVoidTypeKind) return same(1);
    if (str_starts(name, STR("air_rt_")) || (!str_starts(name, STR("air_")) && !str_starts(name, STR("llvm.")))) return each;
    return of_any(g, v);
}

static air_shape of_phi(air_group *g, LLVMValueRef v)
{
    air_shape r = nothing;
    const group_block *b = map_get_id(&g->blocks, LLVMGetInstructionParent(v));
    for (unsigned i = 0; i < LLVMCountIncoming(v); ++i) r = join(r, air_group_shape(g, LLVMGetIncomingValue(v, i)));
    if (r.kind == AIR_SHAPE_NONE) return r;
    if (b->control == AIR_EACH || r.maybe) return each;
    if (b->control == AIR_LINEAR && r.kind == AIR_SAME) r.kind = AIR_LINEAR;
    return r;
}

static air_shape of_select(air_group *g, LLVMValueRef v)
{
    const air_shape c = air_group_shape(g, LLVMGetOperand(v, 0));
    air_shape r = join(air_group_shape(g, LLVMGetOperand(v, 1)), air_group_shape(g, LLVMGetOperand(v, 2)));
    if (c.kind == AIR_SHAPE_NONE || r.kind == AIR_SHAPE_NONE) return nothing;
    if (c.kind == AIR_EACH || r.maybe) return each;
    if (c.kind == AIR_LINEAR && r.kind == AIR_SAME) r.kind = AIR_LINEAR;
    return r;
}

static air_shape of_alloca(air_group *g, LLVMValueRef v)
{
    const group_room *r = map_get_id(&g->rooms, v);
    return r->element != 0 ? same(MOST_ALIGN) : (air_shape){AIR_LINEAR, false, 1, (int64_t)r->size};
}

static air_shape of_instruction(air_group *g, LLVMValueRef v)
{
    const LLVMOpcode op = LLVMGetInstructionOpcode(v);
    const air_shape a = LLVMGetNumOperands(v) != 0 ? air_group_shape(g, LLVMGetOperand(v, 0)) : nothing;
    switch ((int)op) {
    case LLVMPHI: return of_phi(g, v);
    case LLVMAlloca: return of_alloca(g, v);
    case LLVMLoad: return of_load(g, v);
    case LLVMCall: return of_call(g, v);
    case LLVMSelect: return of_select(g, v);
    case LLVMGetElementPtr: return of_gep(g, v);
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg: return each;
    case LLVMZExt:
    case LLVMSExt: return a.kind == AIR_SHAPE_NONE || a.kind == AIR_EACH ? a : of_widening(g, v, a);
    case LLVMTrunc:
        if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind) return of_any(g, v);
        return a.kind != AIR_LINEAR ? a : linear(LLVMTypeOf(v), a.stride, a.align, a.maybe);
    case LLVMBitCast:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMFreeze:
        if (a.kind == AIR_LINEAR && a.stride != 0) return linear(LLVMTypeOf(v), a.stride, a.align, a.maybe);
        return of_any(g, v);
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMAnd:
    case LLVMOr: return of_two(g, v, op);
    default: return of_any(g, v);
    }
}

/* Which way a block is come to, as branches decide it. */
static bool note_control(air_group *g)
{
    bool changed = false;
    for (unsigned i = 0; i < g->count; ++i) {
        group_block *b = g->order[i], *to = b->join;
        if (b->nexts != 2) continue;
        for (unsigned k = 0; k < 2; ++k)
            if (b->next[k]->heads != NULL && b->next[k]->heads->latch == b) to = b->next[k]->heads->exit;
        const air_shape s = air_group_shape(g, LLVMGetCondition(LLVMGetBasicBlockTerminator(b->block)));
        if (to == NULL || s.kind <= to->control) continue;
        to->control = s.kind;
        changed = true;
    }
    return changed;
}

static bool refresh(air_group *g, LLVMValueRef v)
{
    group_value *r = air_group_record(g, v);
    air_shape s = of_instruction(g, v);
    if (s.kind == AIR_SHAPE_NONE) return false;
    s = join(r->shape, s);
    if (s.kind == r->shape.kind && s.stride == r->shape.stride && s.align == r->shape.align && s.maybe == r->shape.maybe)
        return false;
    r->shape = s;
    return true;
}

void air_group_shapes(air_group *g)
{
    for (unsigned i = 0; i < g->count; ++i)
        for (LLVMValueRef v = LLVMGetFirstInstruction(g->order[i]->block); v != NULL; v = LLVMGetNextInstruction(v))
            if (LLVMIsAAllocaInst(v) != NULL) add_room(g, v);
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned i = 0; i < g->count; ++i)
            for (LLVMValueRef v = LLVMGetFirstInstruction(g->order[i]->block); v != NULL; v = LLVMGetNextInstruction(v))
                if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVoidTypeKind) changed |= refresh(g, v);
        changed |= note_control(g);
    }
}
