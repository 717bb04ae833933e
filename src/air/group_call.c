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

static LLVMValueRef pointer(air_group *g, LLVMValueRef p)
{
    return LLVMBuildBitCast(B, p, g->l->ptr, "");
}

/* ---- One lane after the other --------------------------------------------------------------------------------------- */

/* What the operand is for a lane known at run time. */
static LLVMValueRef of_lane(air_group *g, LLVMValueRef old, LLVMValueRef *lanes, LLVMValueRef lane)
{
    const LLVMTypeRef t = LLVMTypeOf(old);
    if (lanes == NULL) return air_group_scalar(g, old);
    if (LLVMGetTypeKind(t) != LLVMVectorTypeKind) return LLVMBuildExtractElement(B, lanes[0], lane, "");
    LLVMValueRef v = LLVMGetUndef(t);
    for (unsigned k = 0; k < air_group_elements(t); ++k)
        v = LLVMBuildInsertElement(B, v, LLVMBuildExtractElement(B, lanes[k], lane, ""), air_int32(g->l, k), "");
    return v;
}

static LLVMValueRef thread_field(air_group *g, size_t offset)
{
    LLVMValueRef at = air_int64(g->l, offset);
    return air_cast_pointer(g->l, LLVMBuildGEP2(B, g->l->i8, g->thread, &at, 1, ""), g->l->i32);
}

/* The lane's place into the thread's fields, for what may report a fault. */
static void note_lane(air_group *g, LLVMValueRef lane)
{
    for (unsigned d = 0; d < 4; ++d) {
        LLVMValueRef old = LLVMGetParam(g->from, 1 + d), v = LLVMBuildExtractElement(B, air_group_lanes(g, old)[0], lane, "");
        const size_t offset = d < 3 ? offsetof(air_thread, position) + d * sizeof(uint32_t) : offsetof(air_thread, index);
        LLVMBuildStore(B, v, thread_field(g, offset));
    }
}

static LLVMValueRef first_bit(air_group *g, LLVMValueRef bits)
{
    LLVMValueRef args[2] = {bits, LLVMConstInt(g->l->i1, 0, 0)};
    return LLVMBuildIntCast2(B, air_call_llvm(g->l, "llvm.cttz", LLVMTypeOf(bits), args, 2), g->l->i32, 0, "");
}

static LLVMValueRef do_lane(air_group *g, LLVMValueRef old, LLVMValueRef **lanes, LLVMValueRef lane)
{
    const bool call = LLVMIsACallInst(old) != NULL;
    const unsigned n = call ? LLVMGetNumArgOperands(old) : (unsigned)LLVMGetNumOperands(old);
    LLVMValueRef *args = arena_array(g->l->mem, LLVMValueRef, n + 1);
    for (unsigned i = 0; i < n; ++i) args[i] = of_lane(g, LLVMGetOperand(old, i), lanes[i], lane);
    if (call && str_starts(air_name(LLVMGetCalledValue(old)), STR("air_rt_"))) note_lane(g, lane);
    LLVMValueRef v = LLVMInstructionClone(old);
    for (unsigned i = 0; i < n; ++i) LLVMSetOperand(v, i, args[i]);
    LLVMInsertIntoBuilder(B, v);
    return v;
}

/* Lanes of operands that differ between them; NULL for those that are one. */
static LLVMValueRef **operands(air_group *g, LLVMValueRef old)
{
    const unsigned n = LLVMIsACallInst(old) != NULL ? LLVMGetNumArgOperands(old) : (unsigned)LLVMGetNumOperands(old);
    LLVMValueRef **lanes = arena_array(g->l->mem, LLVMValueRef *, n + 1);
    for (unsigned i = 0; i < n; ++i) {
        LLVMValueRef v = LLVMGetOperand(old, i);
        const air_shape s = air_group_shape(g, v);
        if (s.kind == AIR_EACH || s.stride != 0) lanes[i] = air_group_lanes(g, v);
        if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMStructTypeKind) air_group_unfit(g, "a structure handed on");
    }
    return lanes;
}

LLVMValueRef *air_group_one_by_one(air_group *g, LLVMValueRef old)
{
    const LLVMTypeRef t = LLVMTypeOf(old);
    const bool is_void = LLVMGetTypeKind(t) == LLVMVoidTypeKind;
    const unsigned n = is_void ? 0 : air_group_elements(t);
    LLVMValueRef **lanes = operands(g, old), *r = arena_array(g->l->mem, LLVMValueRef, n + 1), *next = arena_array(g->l->mem, LLVMValueRef, n + 1);
    LLVMValueRef bits = air_group_bits(g, air_group_mask(g)), zero = LLVMConstNull(LLVMTypeOf(bits));
    LLVMBasicBlockRef from = LLVMGetInsertBlock(B), body = air_group_block(g, "lane"), end = air_group_block(g, "");
    LLVMBuildBr(B, body);
    LLVMPositionBuilderAtEnd(B, body);
    LLVMValueRef left = LLVMBuildPhi(B, LLVMTypeOf(bits), "");
    for (unsigned k = 0; k < n; ++k) r[k] = LLVMBuildPhi(B, air_group_lanes_type(g, air_group_element(t, k)), "");
    LLVMValueRef lane = first_bit(g, left), v = do_lane(g, old, lanes, lane);
    for (unsigned k = 0; k < n; ++k) {
        LLVMValueRef e = v;
        if (LLVMGetTypeKind(t) == LLVMVectorTypeKind) e = LLVMBuildExtractElement(B, v, air_int32(g->l, k), "");
        if (LLVMGetTypeKind(t) == LLVMStructTypeKind) e = LLVMBuildExtractValue(B, v, k, "");
        next[k] = LLVMBuildInsertElement(B, r[k], e, lane, "");
    }
    LLVMValueRef less = LLVMBuildAnd(B, left, LLVMBuildSub(B, left, LLVMConstInt(LLVMTypeOf(left), 1, 0), ""), "");
    LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntNE, less, zero, ""), body, end);
    LLVMBasicBlockRef last = LLVMGetInsertBlock(B);
    LLVMAddIncoming(left, &bits, &from, 1);
    LLVMAddIncoming(left, &less, &last, 1);
    for (unsigned k = 0; k < n; ++k) {
        LLVMValueRef none = LLVMConstNull(LLVMTypeOf(r[k]));
        LLVMAddIncoming(r[k], &none, &from, 1);
        LLVMAddIncoming(r[k], &next[k], &last, 1);
    }
    LLVMPositionBuilderAtEnd(B, end);
    return next;
}

/* ---- Checks ----------------------------------------------------------------------------------------------------------- */

enum { MOST_TERMS = 8 };

/* What must hold: `fast` for all lanes at once, a scalar; else each of `terms`, old values, for the lanes that run. */
typedef struct condition {
    LLVMValueRef fast, terms[MOST_TERMS];
    unsigned n;
} condition;

static void also(air_group *g, condition *c, LLVMValueRef fast)
{
    c->fast = c->fast == NULL ? fast : LLVMBuildAnd(B, c->fast, fast, "");
}

/* A comparison of a LINEAR number with one that is the group's: it holds for all lanes where it does for the last one, and
 * the lanes do not wrap. NULL where that is not known. */
static LLVMValueRef for_all(air_group *g, LLVMValueRef old)
{
    if (LLVMIsAICmpInst(old) == NULL) return NULL;
    LLVMValueRef a = LLVMGetOperand(old, 0), b = LLVMGetOperand(old, 1);
    LLVMIntPredicate p = LLVMGetICmpPredicate(old);
    if (air_group_shape(g, b).kind == AIR_LINEAR && (p == LLVMIntUGE || p == LLVMIntUGT)) {
        LLVMValueRef t = a;
        a = b;
        b = t;
        p = p == LLVMIntUGE ? LLVMIntULE : LLVMIntULT;
    }
    const air_shape s = air_group_shape(g, a), o = air_group_shape(g, b);
    if (s.kind != AIR_LINEAR || o.kind == AIR_EACH || o.stride != 0 || s.stride <= 0 || (p != LLVMIntULE && p != LLVMIntULT)) return NULL;
    const LLVMTypeRef t = LLVMTypeOf(a);
    if (LLVMGetTypeKind(t) != LLVMIntegerTypeKind) return NULL;
    const uint64_t most = (uint64_t)s.stride * (g->width - 1);
    const unsigned bits = LLVMGetIntTypeWidth(t);
    if (bits < 64 && most >> bits != 0) return NULL; /* the last lane may have come round */
    LLVMValueRef first = air_group_scalar(g, a), exact = air_group_exact(g, a);
    LLVMValueRef last = LLVMBuildAdd(B, first, LLVMConstInt(t, most, 0), "");
    LLVMValueRef r = LLVMBuildAnd(B, LLVMBuildICmp(B, LLVMIntUGE, last, first, ""), LLVMBuildICmp(B, p, last, air_group_scalar(g, b), ""), "");
    return exact != NULL ? LLVMBuildAnd(B, r, exact, "") : r;
}

static void split(air_group *g, condition *c, LLVMValueRef old)
{
    const air_shape s = air_group_shape(g, old);
    if (s.kind != AIR_EACH) {
        also(g, c, air_group_scalar(g, old));
        if (c->n < MOST_TERMS) c->terms[c->n++] = old;
        return;
    }
    if (LLVMIsAInstruction(old) != NULL && LLVMGetInstructionOpcode(old) == LLVMAnd && c->n + 2 < MOST_TERMS) {
        split(g, c, LLVMGetOperand(old, 0));
        split(g, c, LLVMGetOperand(old, 1));
        return;
    }
    LLVMValueRef all = for_all(g, old);
    if (all == NULL) { /* one test of all lanes */
        LLVMValueRef bad = air_group_within(g, LLVMBuildNot(B, air_group_lanes(g, old)[0], ""));
        all = LLVMBuildNot(B, air_group_any(g, bad), "");
    }
    also(g, c, all);
    if (c->n < MOST_TERMS) c->terms[c->n++] = old;
}

static LLVMValueRef of_first(air_group *g, LLVMValueRef old, LLVMValueRef lane)
{
    const air_shape s = air_group_shape(g, old);
    return of_lane(g, old, s.kind == AIR_EACH || s.stride != 0 ? air_group_lanes(g, old) : NULL, lane);
}

static void report(air_group *g, LLVMValueRef call, LLVMValueRef bad)
{
    LLVMValueRef lane = first_bit(g, air_group_bits(g, bad)), args[5] = {g->thread};
    for (unsigned i = 1; i < 5; ++i) args[i] = of_first(g, LLVMGetOperand(call, 4 + i), lane);
    note_lane(g, lane);
    (void)air_call_host(g->l, "air_rt_fault", args, 5);
    LLVMBuildUnreachable(B);
}

void air_group_guard(air_group *g, LLVMValueRef old)
{
    condition c = {.fast = NULL};
    split(g, &c, LLVMGetOperand(old, 4));
    LLVMBasicBlockRef slow = air_group_block(g, "slow"), fault = air_group_block(g, "fault"), on = air_group_block(g, "");
    LLVMBuildCondBr(B, c.fast, on, slow);
    LLVMPositionBuilderAtEnd(B, slow);
    LLVMValueRef good = NULL;
    for (unsigned i = 0; i < c.n; ++i) {
        LLVMValueRef lanes = air_group_lanes(g, c.terms[i])[0];
        good = good == NULL ? lanes : LLVMBuildAnd(B, good, lanes, "");
    }
    LLVMValueRef bad = air_group_within(g, LLVMBuildNot(B, good, ""));
    LLVMBuildCondBr(B, air_group_any(g, bad), fault, on);
    LLVMPositionBuilderAtEnd(B, fault);
    report(g, old, bad);
    LLVMPositionBuilderAtEnd(B, on);
}

void air_group_again(air_group *g, LLVMValueRef counter)
{
    LLVMValueRef left = LLVMBuildSub(B, LLVMBuildLoad2(B, g->l->i32, counter, ""), air_int32(g->l, 1), "");
    LLVMBuildStore(B, left, counter);
    LLVMBasicBlockRef fault = air_group_block(g, "fault"), on = air_group_block(g, "");
    LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntNE, left, air_int32(g->l, 0), ""), on, fault);
    LLVMPositionBuilderAtEnd(B, fault);
    LLVMValueRef args[5] = {g->thread, air_int32(g->l, AIR_FAULT_ENDLESS), air_int32(g->l, AIR_WHAT_ANY), air_int64(g->l, 0), air_int32(g->l, 0)};
    if (g->now.open) note_lane(g, first_bit(g, air_group_bits(g, air_group_mask(g))));
    (void)air_call_host(g->l, "air_rt_fault", args, 5);
    LLVMBuildUnreachable(B);
    LLVMPositionBuilderAtEnd(B, on);
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
        note_lane(g, first_bit(g, air_group_bits(g, g->mask)));
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
    else if (str_is(name, AIR_AGAIN)) air_group_again(g, g->fuel);
    else if (str_is(name, "air_rt_multiply")) multiply(g, old);
    else if (str_is(name, "air_rt_barrier")) air_group_unfit(g, "a barrier that not all threads are known to come to");
    else if (str_is(name, "air_rt_exchange")) return exchange(g, old);
    else if (str_starts(name, STR("llvm.mem"))) return fills_room(g, old) ? NULL : air_group_one_by_one(g, old);
    else if (str_starts(name, STR("llvm."))) return llvm_lanes(g, old, name);
    else if (str_starts(name, STR("air_rt_"))) return air_group_one_by_one(g, old);
    else return host_lanes(g, old, name);
    return NULL;
}
