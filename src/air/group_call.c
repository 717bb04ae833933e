/* Calls of a threadgroup's function: checks, exchanges between lanes, elementary functions, and whatever is done lane by
 * lane. */
#include <stdio.h>
#include <string.h>

#include "air/group.h"

#define B g->l->b

/* Memory for one call, in the entry block. */
static LLVMValueRef scratch(air_group *g, LLVMTypeRef type)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(B);
    LLVMPositionBuilderBefore(B, LLVMGetFirstInstruction(g->entry));
    LLVMValueRef room = LLVMBuildAlloca(B, type, "");
    LLVMSetAlignment(room, 64);
    LLVMPositionBuilderAtEnd(B, here);
    return room;
}

static LLVMValueRef scratch_with(air_group *g, LLVMValueRef lanes)
{
    LLVMValueRef room = scratch(g, LLVMTypeOf(lanes));
    LLVMBuildStore(B, lanes, room);
    return room;
}

/* Conditions as bytes. */
static LLVMValueRef as_bytes(air_group *g, LLVMValueRef lanes)
{
    return LLVMGetElementType(LLVMTypeOf(lanes)) == g->l->i1 ? LLVMBuildZExt(B, lanes, air_group_lanes_type(g, g->l->i8), "") : lanes;
}

static LLVMValueRef pointer(air_group *g, LLVMValueRef p)
{
    return LLVMBuildBitCast(B, p, g->l->ptr, "");
}

/* ---- One lane after the other --------------------------------------------------------------------------------------- */

static LLVMValueRef thread_field(air_group *g, size_t offset)
{
    LLVMValueRef at = air_int64(g->l, offset);
    return air_cast_pointer(g->l, LLVMBuildGEP2(B, g->l->i8, g->thread, &at, 1, ""), g->l->i32);
}

/* Its number into the thread's fields: the host knows from it where it is. */
void air_group_note_lane(air_group *g, LLVMValueRef lane)
{
    LLVMBuildStore(B, air_group_of_lane(g, LLVMGetParam(g->from, 4), lane), thread_field(g, offsetof(air_thread, index)));
}

LLVMValueRef air_group_first_bit(air_group *g, LLVMValueRef bits)
{
    LLVMValueRef args[2] = {bits, LLVMConstInt(g->l->i1, 0, 0)};
    return LLVMBuildIntCast2(B, air_call_llvm(g->l, "llvm.cttz", LLVMTypeOf(bits), args, 2), g->l->i32, 0, "");
}

/* Memory that holds what differs between lanes, so that one lane's can be read; NULL: it does not, or scalars tell. */
static LLVMValueRef *spread(air_group *g, LLVMValueRef old)
{
    if (LLVMGetTypeKind(LLVMTypeOf(old)) == LLVMStructTypeKind) air_group_unfit(g, "a structure handed on");
    if (air_group_shape(g, old).kind != AIR_EACH) return NULL;
    const unsigned n = air_group_elements(LLVMTypeOf(old));
    LLVMValueRef *lanes = air_group_lanes(g, old), *rooms = arena_array(g->l->mem, LLVMValueRef, n);
    for (unsigned k = 0; k < n; ++k) rooms[k] = scratch_with(g, as_bytes(g, lanes[k]));
    return rooms;
}

static LLVMValueRef from_room(air_group *g, LLVMValueRef room, LLVMTypeRef element, LLVMValueRef lane)
{
    const LLVMTypeRef stored = element == g->l->i1 ? g->l->i8 : element;
    LLVMValueRef v = LLVMBuildLoad2(B, stored, LLVMBuildGEP2(B, stored, air_cast_pointer(g->l, room, stored), &lane, 1, ""), "");
    return element == g->l->i1 ? LLVMBuildTrunc(B, v, element, "") : v;
}

static LLVMValueRef read_lane(air_group *g, LLVMValueRef old, LLVMValueRef *rooms, LLVMValueRef lane)
{
    const LLVMTypeRef t = LLVMTypeOf(old), element = air_group_element(t, 0);
    if (rooms == NULL) return air_group_of_lane(g, old, lane);
    if (LLVMGetTypeKind(t) != LLVMVectorTypeKind) return from_room(g, rooms[0], element, lane);
    LLVMValueRef v = LLVMGetUndef(t);
    for (unsigned k = 0; k < air_group_elements(t); ++k) v = LLVMBuildInsertElement(B, v, from_room(g, rooms[k], element, lane), air_int32(g->l, k), "");
    return v;
}

static LLVMValueRef do_lane(air_group *g, LLVMValueRef old, LLVMValueRef **rooms, LLVMValueRef lane)
{
    const bool call = LLVMIsACallInst(old) != NULL;
    const unsigned n = call ? LLVMGetNumArgOperands(old) : (unsigned)LLVMGetNumOperands(old);
    LLVMValueRef *args = arena_array(g->l->mem, LLVMValueRef, n + 1);
    for (unsigned i = 0; i < n; ++i) args[i] = read_lane(g, LLVMGetOperand(old, i), rooms[i], lane);
    if (call && str_starts(air_name(LLVMGetCalledValue(old)), STR("air_rt_"))) air_group_note_lane(g, lane);
    LLVMValueRef v = LLVMInstructionClone(old);
    for (unsigned i = 0; i < n; ++i) LLVMSetOperand(v, i, args[i]);
    LLVMInsertIntoBuilder(B, v);
    return v;
}

/* What a lane's result is made of, into the memory of its parts. */
static void write_lane(air_group *g, LLVMValueRef v, LLVMValueRef *rooms, unsigned n, LLVMValueRef lane)
{
    const LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(v));
    for (unsigned k = 0; k < n; ++k) {
        LLVMValueRef e = v;
        if (kind == LLVMVectorTypeKind) e = LLVMBuildExtractElement(B, v, air_int32(g->l, k), "");
        if (kind == LLVMStructTypeKind) e = LLVMBuildExtractValue(B, v, k, "");
        if (LLVMTypeOf(e) == g->l->i1) e = LLVMBuildZExt(B, e, g->l->i8, "");
        const LLVMTypeRef stored = LLVMTypeOf(e);
        LLVMBuildStore(B, e, LLVMBuildGEP2(B, stored, air_cast_pointer(g->l, rooms[k], stored), &lane, 1, ""));
    }
}

LLVMValueRef *air_group_one_by_one(air_group *g, LLVMValueRef old)
{
    const LLVMTypeRef t = LLVMTypeOf(old);
    const unsigned n = LLVMGetTypeKind(t) == LLVMVoidTypeKind ? 0 : air_group_elements(t);
    const unsigned operands = LLVMIsACallInst(old) != NULL ? LLVMGetNumArgOperands(old) : (unsigned)LLVMGetNumOperands(old);
    LLVMValueRef **rooms = arena_array(g->l->mem, LLVMValueRef *, operands + 1), *r = arena_array(g->l->mem, LLVMValueRef, n + 1);
    for (unsigned i = 0; i < operands; ++i) rooms[i] = spread(g, LLVMGetOperand(old, i));
    for (unsigned k = 0; k < n; ++k) r[k] = scratch_with(g, as_bytes(g, LLVMConstNull(air_group_lanes_type(g, air_group_element(t, k)))));
    LLVMValueRef bits = air_group_bits(g, air_group_mask(g)), zero = LLVMConstNull(LLVMTypeOf(bits));
    LLVMBasicBlockRef from = LLVMGetInsertBlock(B), body = air_group_block(g, "lane"), end = air_group_block(g, "");
    LLVMBuildBr(B, body);
    LLVMPositionBuilderAtEnd(B, body);
    LLVMValueRef left = LLVMBuildPhi(B, LLVMTypeOf(bits), ""), lane = air_group_first_bit(g, left);
    write_lane(g, do_lane(g, old, rooms, lane), r, n, lane);
    LLVMValueRef less = LLVMBuildAnd(B, left, LLVMBuildSub(B, left, LLVMConstInt(LLVMTypeOf(left), 1, 0), ""), "");
    LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntNE, less, zero, ""), body, end);
    LLVMBasicBlockRef last = LLVMGetInsertBlock(B);
    LLVMAddIncoming(left, &bits, &from, 1);
    LLVMAddIncoming(left, &less, &last, 1);
    LLVMPositionBuilderAtEnd(B, end);
    for (unsigned k = 0; k < n; ++k) {
        const LLVMTypeRef element = air_group_element(t, k), lanes = air_group_lanes_type(g, element == g->l->i1 ? g->l->i8 : element);
        r[k] = LLVMBuildLoad2(B, lanes, air_cast_pointer(g->l, r[k], lanes), "");
        if (element == g->l->i1) r[k] = LLVMBuildTrunc(B, r[k], air_group_lanes_type(g, element), "");
    }
    return r;
}

/* ---- Simdgroups ---------------------------------------------------------------------------------------------------------- */

static LLVMValueRef *exchange(air_group *g, LLVMValueRef old)
{
    LLVMValueRef how = LLVMGetOperand(old, 2), *r = arena_array(g->l->mem, LLVMValueRef, 1);
    const LLVMTypeRef type = air_group_lanes_type(g, g->l->i64);
    if (LLVMIsAConstantInt(how) == NULL || g->width != AIR_SIMD_WIDTH) air_group_unfit(g, "an exchange of another width");
    r[0] = LLVMConstNull(type);
    if (g->unfit != NULL || (LLVMConstIntGetZExtValue(how) & 0xff) == AIR_CROSS_WAIT) return r; /* lanes run together */
    LLVMValueRef value = scratch_with(g, air_group_lanes(g, LLVMGetOperand(old, 3))[0]);
    LLVMValueRef by = scratch_with(g, air_group_lanes(g, LLVMGetOperand(old, 4))[0]);
    LLVMValueRef lanes = air_int32(g->l, g->width);
    if (!g->whole) {
        LLVMValueRef rest = LLVMBuildSub(B, g->all_threads, g->now.index, "");
        lanes = LLVMBuildSelect(B, LLVMBuildICmp(B, LLVMIntULT, rest, lanes, ""), rest, lanes, "");
    }
    LLVMValueRef active = LLVMBuildZExt(B, air_group_bits(g, air_group_mask(g)), g->l->i64, "");
    LLVMValueRef args[5] = {how, active, pointer(g, value), pointer(g, by), lanes};
    (void)air_call_host(g->l, "air_rt_exchange_lanes", args, 5);
    r[0] = LLVMBuildLoad2(B, type, value, "");
    return r;
}

static void multiply(air_group *g, LLVMValueRef old)
{
    group_room *room = air_group_room(g, LLVMGetOperand(old, 2));
    if (room == NULL || g->width != AIR_SIMD_WIDTH) {
        air_group_unfit(g, "a product of simdgroup matrices of another width");
        return;
    }
    if (g->mask != NULL) {
        LLVMValueRef bad = LLVMBuildNot(B, g->mask, ""), all = LLVMBuildNot(B, air_group_any(g, bad), "");
        LLVMBasicBlockRef fault = air_group_block(g, "fault"), on = air_group_block(g, "");
        LLVMBuildCondBr(B, all, on, fault);
        LLVMPositionBuilderAtEnd(B, fault);
        LLVMValueRef args[5] = {g->thread, air_int32(g->l, AIR_FAULT_SHORT), air_int32(g->l, AIR_WHAT_ANY), air_int64(g->l, 0), air_int32(g->l, 0)};
        air_group_note_lane(g, air_group_first_bit(g, air_group_bits(g, g->mask)));
        (void)air_call_host(g->l, "air_rt_fault", args, 5);
        LLVMBuildUnreachable(B);
        LLVMPositionBuilderAtEnd(B, on);
    }
    LLVMValueRef p = air_group_room_here(g, room);
    (void)air_call_host(g->l, "air_rt_multiply_lanes", &p, 1);
}

/* ---- Functions of numbers ---------------------------------------------------------------------------------------------- */

static bool is_host(const char *name)
{
    size_t n;
    const air_host_function *table = air_host_functions(&n);
    for (size_t i = 0; i < n; ++i)
        if (strcmp(table[i].name, name) == 0) return true;
    return false;
}

/* The host's function of many numbers, where there is one: air_exp_lanes(numbers in and out, [second numbers], how many). */
static LLVMValueRef *host_lanes(air_group *g, LLVMValueRef old, str name)
{
    char many[64];
    (void)snprintf(many, sizeof many, "%.*s_lanes", STR_ARG(name));
    if (!is_host(many)) return air_group_one_by_one(g, old);
    const unsigned n = LLVMGetNumArgOperands(old);
    LLVMValueRef args[3], rooms[2], *r = arena_array(g->l->mem, LLVMValueRef, 1);
    for (unsigned i = 0; i < n && i < 2; ++i) {
        rooms[i] = scratch_with(g, air_group_lanes(g, LLVMGetOperand(old, i))[0]);
        args[i] = pointer(g, rooms[i]);
    }
    args[n] = air_int32(g->l, g->width);
    (void)air_call_host(g->l, many, args, n + 1);
    r[0] = LLVMBuildLoad2(B, air_group_lanes_type(g, g->l->f32), rooms[0], "");
    return r;
}

/* LLVM's functions that work on vectors as they do on their elements. */
static const char *const wide[] = {"sqrt", "floor", "ceil",  "trunc", "rint",       "nearbyint", "fabs",     "fma",      "copysign",  "maxnum",
                                   "minnum", "ctpop", "bitreverse", "bswap", "umax", "umin", "smax", "smin", "fshl", "fshr", "uadd.sat", "usub.sat",
                                   "sadd.sat", "ssub.sat", "ctlz", "cttz", "abs", "fptosi.sat", "fptoui.sat"};

static bool is_wide(str name)
{
    for (size_t i = 0; i < sizeof wide / sizeof *wide; ++i) {
        const size_t n = strlen(wide[i]);
        if (name.n > 6 + n && memcmp(name.p + 5, wide[i], n) == 0 && name.p[5 + n] == '.') return true;
    }
    return false;
}

static LLVMValueRef *llvm_lanes(air_group *g, LLVMValueRef old, str name)
{
    if (!is_wide(name)) return air_group_one_by_one(g, old);
    const unsigned n = LLVMGetNumArgOperands(old), id = LLVMGetIntrinsicID(LLVMGetCalledValue(old)), elements = air_group_elements(LLVMTypeOf(old));
    const bool two = str_starts(name, STR("llvm.fpto"));
    const bool flag = str_starts(name, STR("llvm.ctlz")) || str_starts(name, STR("llvm.cttz")) || str_starts(name, STR("llvm.abs"));
    LLVMValueRef *lanes[4], *r = arena_array(g->l->mem, LLVMValueRef, elements);
    for (unsigned i = 0; i < n && i < 4; ++i) lanes[i] = flag && i == 1 ? NULL : air_group_lanes(g, LLVMGetOperand(old, i));
    for (unsigned k = 0; k < elements; ++k) {
        LLVMValueRef args[4];
        for (unsigned i = 0; i < n && i < 4; ++i) args[i] = lanes[i] != NULL ? lanes[i][k] : LLVMGetOperand(old, i);
        LLVMTypeRef over[2] = {air_group_lanes_type(g, air_group_element(LLVMTypeOf(old), k)), LLVMTypeOf(args[0])};
        LLVMValueRef f = LLVMGetIntrinsicDeclaration(g->l->to, id, over, two ? 2 : 1);
        r[k] = LLVMBuildCall2(B, LLVMIntrinsicGetType(g->l->c, id, over, two ? 2 : 1), f, args, n, "");
    }
    return r;
}

static void again(air_group *g)
{
    if (g->loop == NULL || g->loop->rounds == 0) air_group_again(g, 1);
}

/* The filling of a thread's memory with which the kernel begins: of all lanes' at once. */
static bool fills_room(air_group *g, LLVMValueRef old)
{
    group_room *room = air_group_room(g, LLVMGetOperand(old, 0));
    if (LLVMIsAMemSetInst(old) == NULL || room == NULL) return false;
    LLVMValueRef size = LLVMBuildMul(B, air_group_scalar(g, LLVMGetOperand(old, 2)), LLVMConstInt(LLVMTypeOf(LLVMGetOperand(old, 2)), g->width, 0), "");
    LLVMBuildMemSet(B, air_group_room_here(g, room), air_group_scalar(g, LLVMGetOperand(old, 1)), size, 1);
    return true;
}

LLVMValueRef *air_group_call(air_group *g, LLVMValueRef old)
{
    LLVMValueRef f = LLVMGetCalledValue(old);
    const str name = LLVMIsAFunction(f) != NULL ? air_name(f) : STR("");
    if (str_is(name, AIR_NOTE) || str_starts(name, STR("llvm.lifetime")) || str_starts(name, STR("llvm.assume")) ||
        str_starts(name, STR("llvm.experimental.noalias")))
        return NULL;
    if (str_is(name, AIR_GUARD)) air_group_guard(g, old);
    else if (str_is(name, AIR_AGAIN)) again(g);
    else if (str_is(name, "air_rt_multiply")) multiply(g, old);
    else if (str_is(name, "air_rt_barrier")) air_group_unfit(g, "a barrier that not all threads are known to come to");
    else if (str_is(name, "air_rt_exchange")) return exchange(g, old);
    else if (str_starts(name, STR("llvm.mem"))) return fills_room(g, old) ? NULL : air_group_one_by_one(g, old);
    else if (str_starts(name, STR("llvm."))) return llvm_lanes(g, old, name);
    else if (str_starts(name, STR("air_rt_"))) return air_group_one_by_one(g, old);
    else return host_lanes(g, old, name);
    return NULL;
}
