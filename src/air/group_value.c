/* Values of a threadgroup's function: scalars, vectors of lanes, and what is kept of them from one section to another. */
#include "air/group.h"

#define B g->l->b

/* ---- Types --------------------------------------------------------------------------------------------------------- */

unsigned air_group_elements(LLVMTypeRef t)
{
    const LLVMTypeKind k = LLVMGetTypeKind(t);
    if (k == LLVMVectorTypeKind) return LLVMGetVectorSize(t);
    return k == LLVMStructTypeKind ? LLVMCountStructElementTypes(t) : 1;
}

LLVMTypeRef air_group_element(LLVMTypeRef t, unsigned i)
{
    const LLVMTypeKind k = LLVMGetTypeKind(t);
    if (k == LLVMVectorTypeKind) return LLVMGetElementType(t);
    return k == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(t, i) : t;
}

LLVMTypeRef air_group_lanes_type(air_group *g, LLVMTypeRef element)
{
    return LLVMVectorType(element, g->width);
}

/* LLVM keeps what the other way needs out of this one's registers. */
void air_group_mostly(air_group *g, LLVMValueRef condition, LLVMBasicBlockRef yes, LLVMBasicBlockRef no)
{
    static const char kind[] = "prof", name[] = "branch_weights";
    LLVMMetadataRef parts[3] = {LLVMMDStringInContext2(g->l->c, name, sizeof name - 1), LLVMValueAsMetadata(air_int32(g->l, 1 << 16)),
                                LLVMValueAsMetadata(air_int32(g->l, 1))};
    LLVMMetadataRef weights = LLVMMDNodeInContext2(g->l->c, parts, 3);
    LLVMValueRef branch = LLVMBuildCondBr(B, condition, yes, no);
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(g->l->c, kind, sizeof kind - 1), LLVMMetadataAsValue(g->l->c, weights));
}

LLVMBasicBlockRef air_group_block(air_group *g, const char *name)
{
    return LLVMAppendBasicBlockInContext(g->l->c, g->function, name);
}

/* ---- Vectors ------------------------------------------------------------------------------------------------------- */

LLVMValueRef air_group_splat(air_group *g, LLVMValueRef scalar)
{
    const LLVMTypeRef type = air_group_lanes_type(g, LLVMTypeOf(scalar));
    if (LLVMIsConstant(scalar)) {
        LLVMValueRef all[64];
        for (unsigned i = 0; i < g->width; ++i) all[i] = scalar;
        return LLVMConstVector(all, g->width);
    }
    LLVMValueRef one = LLVMBuildInsertElement(B, LLVMGetUndef(type), scalar, air_int32(g->l, 0), "");
    return LLVMBuildShuffleVector(B, one, LLVMGetUndef(type), LLVMConstNull(LLVMVectorType(g->l->i32, g->width)), "");
}

LLVMValueRef air_group_steps(air_group *g, LLVMTypeRef type, int64_t stride)
{
    LLVMValueRef all[64];
    for (unsigned i = 0; i < g->width; ++i) all[i] = LLVMConstInt(type, (uint64_t)stride * i, 0);
    return LLVMConstVector(all, g->width);
}

LLVMValueRef air_group_mask(air_group *g)
{
    return g->mask != NULL ? g->mask : air_group_splat(g, LLVMConstInt(g->l->i1, 1, 0));
}

LLVMValueRef air_group_within(air_group *g, LLVMValueRef lanes)
{
    return g->mask != NULL ? LLVMBuildAnd(B, g->mask, lanes, "") : lanes;
}

LLVMValueRef air_group_bits(air_group *g, LLVMValueRef lanes)
{
    return LLVMBuildBitCast(B, lanes, LLVMIntTypeInContext(g->l->c, g->width), "");
}

LLVMValueRef air_group_any(air_group *g, LLVMValueRef lanes)
{
    LLVMValueRef bits = air_group_bits(g, lanes);
    return LLVMBuildICmp(B, LLVMIntNE, bits, LLVMConstNull(LLVMTypeOf(bits)), "");
}

/* ---- What outlives a section --------------------------------------------------------------------------------------- */

LLVMValueRef air_group_array(air_group *g, LLVMTypeRef element)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(B);
    LLVMPositionBuilderBefore(B, LLVMGetBasicBlockTerminator(g->entry));
    LLVMValueRef a = LLVMBuildArrayAlloca(B, element, g->chunks, "");
    LLVMSetAlignment(a, 64);
    LLVMPositionBuilderAtEnd(B, here);
    const uint64_t size = LLVMABISizeOfType(g->l->layout, element);
    g->thread_bytes += (size + g->width - 1) / g->width;
    return a;
}

LLVMValueRef air_group_array_at(air_group *g, LLVMValueRef array, LLVMTypeRef element, LLVMValueRef chunk)
{
    LLVMValueRef at = LLVMBuildZExt(B, chunk, g->l->i64, "");
    return LLVMBuildGEP2(B, element, array, &at, 1, "");
}

static LLVMTypeRef part_type(air_group *g, const group_value *v, unsigned i)
{
    if (i == v->n) return g->l->i1; /* exact */
    const LLVMTypeRef t = air_group_room(g, v->old) != NULL ? g->l->i64 : LLVMTypeOf(v->old); /* an offset stands for a pointer */
    return v->shape.kind == AIR_EACH ? air_group_lanes_type(g, air_group_element(t, i)) : t;
}

static unsigned all_parts(const group_value *v)
{
    return v->n + (v->exact != NULL);
}

/* Stores at the end of the section that made it, which has been left. */
static void keep(air_group *g, group_value *v)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(B);
    v->kept = arena_array(g->l->mem, LLVMValueRef, all_parts(v));
    LLVMSetCondition(g->section_ends[v->section], g->section_more[v->section]); /* of all chunks */
    for (unsigned i = 0; i < all_parts(v); ++i) {
        const LLVMTypeRef type = part_type(g, v, i);
        v->kept[i] = air_group_array(g, type);
        LLVMPositionBuilderBefore(B, g->section_ends[v->section]);
        LLVMBuildStore(B, i < v->n ? v->parts[i] : v->exact, air_group_array_at(g, v->kept[i], type, g->section_chunks[v->section]));
    }
    LLVMPositionBuilderAtEnd(B, here);
}

enum { MOST_STEPS = 4 };

/* Whether a number or an address of another section is made again with less work than it is kept and read: of the thread's place, of
 * what is the group's, and of constants. */
static bool is_cheap(air_group *g, LLVMValueRef old, unsigned steps)
{
    const air_shape s = air_group_shape(g, old);
    if (LLVMIsConstant(old) || LLVMIsAArgument(old) != NULL) return LLVMIsConstant(old) || s.kind != AIR_EACH;
    if (LLVMIsAAllocaInst(old) != NULL) return false;
    if (s.kind == AIR_SAME) return air_group_record(g, old)->section == 0;
    if (s.kind != AIR_LINEAR || s.maybe || steps == MOST_STEPS || air_group_room(g, old) != NULL) return false;
    switch ((int)LLVMGetInstructionOpcode(old)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMAnd:
    case LLVMOr:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc:
    case LLVMBitCast:
    case LLVMGetElementPtr: break;
    default: return false;
    }
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(old); ++i)
        if (!is_cheap(g, LLVMGetOperand(old, i), steps + 1)) return false;
    return true;
}

/* Once more, where the section begins. */
static LLVMValueRef *made_again(air_group *g, group_value *v)
{
    const unsigned n = (unsigned)LLVMGetNumOperands(v->old);
    LLVMValueRef *args = arena_array(g->l->mem, LLVMValueRef, n), again = LLVMInstructionClone(v->old);
    for (unsigned i = 0; i < n; ++i) args[i] = air_group_scalar(g, LLVMGetOperand(v->old, i));
    for (unsigned i = 0; i < n; ++i) LLVMSetOperand(again, i, args[i]);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(B);
    LLVMPositionBuilderBefore(B, LLVMGetBasicBlockTerminator(g->now.head));
    LLVMInsertIntoBuilder(B, again);
    LLVMPositionBuilderAtEnd(B, here);
    v->here = arena_array(g->l->mem, LLVMValueRef, 1);
    v->here[0] = again;
    v->here_section = g->now.number;
    return v->here;
}

/* The parts as they can be used where the builder is. */
static LLVMValueRef *parts_here(air_group *g, group_value *v)
{
    if (v->section == 0 || (v->section == g->now.number && g->now.open)) return v->parts;
    if (!g->now.open) {
        air_group_unfit(g, "a value that is not the group's outside of its threads");
        return v->parts;
    }
    if (v->here != NULL && v->here_section == g->now.number) return v->here;
    if (v->kept == NULL && v->shape.kind == AIR_LINEAR && LLVMIsAInstruction(v->old) != NULL && is_cheap(g, v->old, 0)) return made_again(g, v);
    if (v->kept == NULL) keep(g, v);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(B);
    LLVMPositionBuilderBefore(B, LLVMGetBasicBlockTerminator(g->now.head));
    v->here = arena_array(g->l->mem, LLVMValueRef, all_parts(v));
    v->here_section = g->now.number;
    for (unsigned i = 0; i < all_parts(v); ++i) {
        const LLVMTypeRef type = part_type(g, v, i);
        v->here[i] = LLVMBuildLoad2(B, type, air_group_array_at(g, v->kept[i], type, g->now.chunk), "");
    }
    LLVMPositionBuilderAtEnd(B, here);
    return v->here;
}

/* ---- Values of old ones --------------------------------------------------------------------------------------------- */

group_value *air_group_record(air_group *g, LLVMValueRef old)
{
    group_value *v = map_get_id(&g->values, old);
    if (v != NULL) return v;
    v = arena_new(g->l->mem, group_value);
    v->old = old;
    map_put_id(g->l->mem, &g->values, old, v);
    return v;
}

group_value *air_group_define(air_group *g, LLVMValueRef old, LLVMValueRef *parts, LLVMValueRef exact)
{
    group_value *v = air_group_record(g, old);
    v->parts = parts;
    v->n = v->shape.kind == AIR_EACH ? air_group_elements(LLVMTypeOf(old)) : 1;
    v->exact = exact;
    v->section = v->shape.kind == AIR_SAME || !g->now.open ? 0 : g->now.number;
    v->kept = v->here = NULL;
    return v;
}

LLVMValueRef air_group_room_here(air_group *g, group_room *r)
{
    if (!g->now.open) {
        air_group_unfit(g, "a thread's memory outside of its threads");
        return LLVMConstNull(g->l->ptr);
    }
    if (r->here != NULL && r->here_section == g->now.number) return r->here;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(B);
    if (r->base == NULL) {
        LLVMPositionBuilderBefore(B, LLVMGetBasicBlockTerminator(g->entry));
        LLVMValueRef bytes = LLVMBuildMul(B, g->chunks, air_int32(g->l, r->size * g->width), "");
        r->base = LLVMBuildArrayAlloca(B, g->l->i8, bytes, "");
        LLVMSetAlignment(r->base, 64);
    }
    LLVMPositionBuilderBefore(B, LLVMGetBasicBlockTerminator(g->now.head));
    LLVMValueRef at = LLVMBuildMul(B, LLVMBuildZExt(B, g->now.chunk, g->l->i64, ""), air_int64(g->l, r->size * g->width), "");
    r->here = LLVMBuildGEP2(B, g->l->i8, r->base, &at, 1, "");
    r->here_section = g->now.number;
    LLVMPositionBuilderAtEnd(B, here);
    return r->here;
}

/* A thread's memory as a value: where its lanes' elements lie side by side, offsets stand for pointers into it. */
static LLVMValueRef room_scalar(air_group *g, LLVMValueRef alloca)
{
    group_room *r = map_get_id(&g->rooms, alloca);
    if (r->element != 0) return air_int64(g->l, 0);
    return air_cast_pointer(g->l, air_group_room_here(g, r), LLVMGetAllocatedType(alloca));
}

LLVMValueRef air_group_scalar(air_group *g, LLVMValueRef old)
{
    if (LLVMIsConstant(old)) return old;
    if (LLVMIsAAllocaInst(old) != NULL) return room_scalar(g, old);
    return parts_here(g, air_group_record(g, old))[0];
}

LLVMValueRef air_group_exact(air_group *g, LLVMValueRef old)
{
    if (LLVMIsConstant(old) || LLVMIsAAllocaInst(old) != NULL) return NULL;
    group_value *v = air_group_record(g, old);
    return v->exact != NULL ? (parts_here(g, v) == v->parts ? v->exact : v->here[v->n]) : NULL;
}

static LLVMValueRef *spread_scalar(air_group *g, LLVMValueRef scalar)
{
    const LLVMTypeRef t = LLVMTypeOf(scalar);
    const unsigned n = air_group_elements(t);
    LLVMValueRef *r = arena_array(g->l->mem, LLVMValueRef, n);
    if (LLVMGetTypeKind(t) == LLVMStructTypeKind) {
        for (unsigned i = 0; i < n; ++i) r[i] = air_group_splat(g, LLVMBuildExtractValue(B, scalar, i, ""));
    } else if (n == 1 && LLVMGetTypeKind(t) != LLVMVectorTypeKind) {
        r[0] = air_group_splat(g, scalar);
    } else {
        for (unsigned i = 0; i < n; ++i) r[i] = air_group_splat(g, LLVMBuildExtractElement(B, scalar, air_int32(g->l, i), ""));
    }
    return r;
}

LLVMValueRef *air_group_lanes(air_group *g, LLVMValueRef old)
{
    const air_shape s = air_group_shape(g, old);
    if (s.kind == AIR_EACH) return parts_here(g, air_group_record(g, old));
    if (s.kind == AIR_LINEAR && air_group_exact(g, old) != NULL) return air_group_compute(g, old);
    LLVMValueRef scalar = air_group_scalar(g, old);
    if (s.kind == AIR_SAME || s.stride == 0) return spread_scalar(g, scalar);
    LLVMValueRef *r = arena_array(g->l->mem, LLVMValueRef, 1);
    const LLVMTypeRef t = LLVMTypeOf(scalar);
    if (LLVMGetTypeKind(t) == LLVMPointerTypeKind) {
        LLVMValueRef steps = air_group_steps(g, g->l->i64, s.stride);
        r[0] = LLVMBuildGEP2(B, g->l->i8, LLVMBuildBitCast(B, scalar, g->l->ptr, ""), &steps, 1, "");
        r[0] = LLVMBuildBitCast(B, r[0], air_group_lanes_type(g, t), "");
    } else {
        r[0] = LLVMBuildAdd(B, air_group_splat(g, scalar), air_group_steps(g, t, s.stride), "");
    }
    return r;
}
