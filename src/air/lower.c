/* The kernel, block by block in reverse post-order: its parameters, its instructions, its phis last. */
#include "air/lower.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"

void air_refuse(air_lower *l, const char *format, ...)
{
    if (l->failed) return;
    l->failed = true;
    char text[400];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    error_set(l->error, INGOT_UNSUPPORTED, "%s", text);
}

/* ---- The order of blocks ----------------------------------------------------------------------------------- */

typedef struct visit {
    LLVMBasicBlockRef block;
    unsigned next;
} visit;

static air_block *block_of(air_lower *l, LLVMBasicBlockRef b)
{
    return map_get_id(&l->blocks, b);
}

static unsigned successors(LLVMBasicBlockRef b)
{
    return LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(b));
}

/* The blocks that can be reached, each after one that leads to it. */
static LLVMBasicBlockRef *order_blocks(air_lower *l, LLVMValueRef f, unsigned *count)
{
    const unsigned all = LLVMCountBasicBlocks(f);
    LLVMBasicBlockRef *order = arena_array(l->mem, LLVMBasicBlockRef, all + 1);
    visit *stack = arena_array(l->mem, visit, all + 1);
    unsigned depth = 0, at = all;
    stack[depth++] = (visit){LLVMGetEntryBasicBlock(f), 0};
    map_put_id(l->mem, &l->blocks, stack[0].block, arena_new(l->mem, air_block));
    while (depth != 0) {
        visit *v = &stack[depth - 1];
        if (v->next < successors(v->block)) {
            LLVMBasicBlockRef next = LLVMGetSuccessor(LLVMGetBasicBlockTerminator(v->block), v->next++);
            if (block_of(l, next) != NULL) continue;
            map_put_id(l->mem, &l->blocks, next, arena_new(l->mem, air_block));
            stack[depth++] = (visit){next, 0};
            continue;
        }
        order[--at] = v->block;
        --depth;
    }
    *count = all - at;
    for (unsigned i = at; i < all; ++i) {
        air_block *b = block_of(l, order[i]);
        b->order = i - at + 1;
        b->first = b->last = LLVMAppendBasicBlockInContext(l->c, l->function, "");
    }
    return order + at;
}

/* ---- Parameters -------------------------------------------------------------------------------------------------- */

static void own(air_lower *l, LLVMValueRef v, const air_owner *owner)
{
    map_put_id(l->mem, &l->owners, v, arena_copy(l->mem, owner, sizeof *owner));
}

static LLVMValueRef range_field(air_lower *l, size_t table, uint32_t slot, size_t offset, LLVMTypeRef type)
{
    LLVMValueRef at = air_int64(l, slot * sizeof(air_range) + offset);
    LLVMValueRef p = LLVMBuildGEP2(l->b, l->i8, air_field(l, table, l->ptr), &at, 1, "");
    LLVMValueRef v = LLVMBuildLoad2(l->b, type, air_cast_pointer(l, p, type), "");
    air_never_changes(l, v);
    return v;
}

static LLVMValueRef buffer_param(air_lower *l, const air_param *p, unsigned i)
{
    const bool group = p->kind == AIR_PARAM_THREADGROUP;
    const size_t table = group ? offsetof(air_thread, lengths) : offsetof(air_thread, buffers);
    _Static_assert((int)AIR_MAX_GROUP_SLOTS == (int)AIR_SLOTS, "one limit for both");
    if (p->slot >= AIR_SLOTS) {
        air_refuse(l, "slot %u is beyond the last", (unsigned)p->slot);
        return LLVMConstNull(l->ptr);
    }
    const air_owner owner = {.kind = AIR_OWNER_BUFFER,
                             .identity = p,
                             .base = range_field(l, table, p->slot, offsetof(air_range, data), l->ptr),
                             .size = range_field(l, table, p->slot, offsetof(air_range, size), l->i64),
                             .what = i,
                             .read_only = p->space == 2};
    own(l, LLVMGetParam(l->signature->function, i), &owner);
    return owner.base;
}

static LLVMValueRef field32(air_lower *l, size_t offset, unsigned d)
{
    return air_field(l, offset + d * sizeof(uint32_t), l->i32);
}

static LLVMValueRef quotient(air_lower *l, LLVMValueRef n, uint64_t by)
{
    return LLVMBuildUDiv(l->b, LLVMBuildAdd(l->b, n, air_int32(l, by - 1), ""), air_int32(l, by), "");
}

/* The product of a field's numbers. */
static LLVMValueRef product(air_lower *l, size_t offset)
{
    LLVMValueRef n = field32(l, offset, 0);
    for (unsigned d = 1; d < 3; ++d) n = LLVMBuildMul(l->b, n, field32(l, offset, d), "");
    return n;
}

/* What the device gives, in one dimension. */
static LLVMValueRef input_at(air_lower *l, mf_input input, unsigned d)
{
    LLVMValueRef index = l->index;
    switch (input) {
    case MF_INPUT_THREAD_POSITION_IN_GRID: {
        LLVMValueRef first = LLVMBuildMul(l->b, field32(l, offsetof(air_thread, group), d), field32(l, offsetof(air_thread, whole), d), "");
        return LLVMBuildAdd(l->b, first, l->position[d], "");
    }
    case MF_INPUT_THREAD_POSITION_IN_THREADGROUP: return l->position[d];
    case MF_INPUT_THREADGROUP_POSITION_IN_GRID: return field32(l, offsetof(air_thread, group), d);
    case MF_INPUT_THREADS_PER_GRID:
    case MF_INPUT_GRID_SIZE: return field32(l, offsetof(air_thread, grid), d);
    case MF_INPUT_THREADS_PER_THREADGROUP: return field32(l, offsetof(air_thread, threads), d);
    case MF_INPUT_DISPATCH_THREADS_PER_THREADGROUP: return field32(l, offsetof(air_thread, whole), d);
    case MF_INPUT_THREADGROUPS_PER_GRID: return field32(l, offsetof(air_thread, groups), d);
    case MF_INPUT_THREAD_INDEX_IN_THREADGROUP: return index;
    case MF_INPUT_THREAD_INDEX_IN_SIMDGROUP: return LLVMBuildAnd(l->b, index, air_int32(l, AIR_SIMD_WIDTH - 1), "");
    case MF_INPUT_THREAD_INDEX_IN_QUADGROUP: return LLVMBuildAnd(l->b, index, air_int32(l, 3), "");
    case MF_INPUT_SIMDGROUP_INDEX_IN_THREADGROUP: return LLVMBuildLShr(l->b, index, air_int32(l, 5), "");
    case MF_INPUT_QUADGROUP_INDEX_IN_THREADGROUP: return LLVMBuildLShr(l->b, index, air_int32(l, 2), "");
    case MF_INPUT_SIMDGROUPS_PER_THREADGROUP: return quotient(l, product(l, offsetof(air_thread, threads)), AIR_SIMD_WIDTH);
    case MF_INPUT_DISPATCH_SIMDGROUPS_PER_THREADGROUP: return quotient(l, product(l, offsetof(air_thread, whole)), AIR_SIMD_WIDTH);
    case MF_INPUT_QUADGROUPS_PER_THREADGROUP: return quotient(l, product(l, offsetof(air_thread, threads)), 4);
    case MF_INPUT_DISPATCH_QUADGROUPS_PER_THREADGROUP: return quotient(l, product(l, offsetof(air_thread, whole)), 4);
    case MF_INPUT_THREADS_PER_SIMDGROUP:
    case MF_INPUT_THREAD_EXECUTION_WIDTH: return air_int32(l, AIR_SIMD_WIDTH);
    case MF_INPUT_GRID_ORIGIN:
    case MF_INPUT_NONE:
    case MF_INPUTS: break;
    }
    return air_int32(l, 0);
}

static LLVMValueRef input_param(air_lower *l, const air_param *p, LLVMTypeRef from)
{
    const LLVMTypeRef type = air_type(l, from);
    const unsigned n = air_width(from);
    const LLVMTypeRef element = n > 1 ? LLVMGetElementType(type) : type;
    if (LLVMGetTypeKind(element) != LLVMIntegerTypeKind || n > 3) {
        air_refuse(l, "the input '%.*s' has a type that is not known for it", STR_ARG(p->what));
        return LLVMConstNull(type);
    }
    LLVMValueRef r = LLVMGetUndef(type);
    for (unsigned d = 0; d < n; ++d) {
        LLVMValueRef v = input_at(l, p->input, d);
        v = LLVMBuildIntCast2(l->b, v, element, 0, "");
        r = n > 1 ? LLVMBuildInsertElement(l->b, r, v, air_int32(l, d), "") : v;
    }
    return r;
}

/* A texture or sampler is the number of its slot, an array of them the numbers from there on. */
static LLVMValueRef handle_param(air_lower *l, LLVMTypeRef type, uint32_t *slot)
{
    const LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMPointerTypeKind) return LLVMConstIntToPtr(air_int64(l, (*slot)++), type);
    const unsigned n = kind == LLVMArrayTypeKind ? LLVMGetArrayLength(type) : kind == LLVMStructTypeKind ? LLVMCountStructElementTypes(type) : 0;
    LLVMValueRef r = LLVMGetUndef(type);
    if (n == 0 || n > 128) air_refuse(l, "a texture or sampler argument of this type is not supported");
    for (unsigned i = 0; i < n && !l->failed; ++i) {
        const LLVMTypeRef part = kind == LLVMArrayTypeKind ? LLVMGetElementType(type) : LLVMStructGetTypeAtIndex(type, i);
        r = LLVMBuildInsertValue(l->b, r, handle_param(l, part, slot), i, "");
    }
    return r;
}

/* An array of them that comes as a copy in the thread's memory. */
static LLVMValueRef handle_copies(air_lower *l, const air_param *p, LLVMValueRef from)
{
    const uint64_t size = p->count * sizeof(uint64_t);
    const LLVMTypeRef type = LLVMArrayType(l->i64, p->count);
    const air_owner owner = {.kind = AIR_OWNER_FIXED, .identity = p, .base = air_room(l, type), .size = air_int64(l, size), .what = AIR_WHAT_THREAD};
    own(l, from, &owner);
    for (uint32_t i = 0; i < p->count && !l->failed; ++i) {
        LLVMValueRef index = air_int64(l, i), at = LLVMBuildGEP2(l->b, l->i64, air_cast_pointer(l, owner.base, l->i64), &index, 1, "");
        LLVMBuildStore(l->b, air_int64(l, (uint64_t)p->slot + i), at);
    }
    return owner.base;
}

static void bind_params(air_lower *l)
{
    const air_signature *s = l->signature;
    for (unsigned i = 0; i < s->param_count; ++i) {
        LLVMValueRef from = LLVMGetParam(s->function, i), to;
        const air_param *p = &s->params[i];
        if (p->kind == AIR_PARAM_BUFFER || p->kind == AIR_PARAM_THREADGROUP) {
            to = buffer_param(l, p, i);
        } else if (p->kind == AIR_PARAM_INPUT) {
            to = input_param(l, p, LLVMTypeOf(from));
        } else if (p->kind == AIR_PARAM_TEXTURE || p->kind == AIR_PARAM_SAMPLER) {
            uint32_t slot = p->slot;
            const bool copies = p->space == 0 && LLVMGetTypeKind(LLVMTypeOf(from)) == LLVMPointerTypeKind;
            to = copies ? handle_copies(l, p, from) : handle_param(l, air_type(l, LLVMTypeOf(from)), &slot);
        } else if (LLVMGetFirstUse(from) == NULL) {
            continue; /* a function table, say, that nothing touches */
        } else {
            air_refuse(l, "the argument '%.*s' (%.*s) is not supported", STR_ARG(p->name), STR_ARG(p->what));
            return;
        }
        map_put_id(l->mem, &l->values, from, to);
    }
}

/* ---- Instructions ---------------------------------------------------------------------------------------------- */

static LLVMValueRef lower_alloca(air_lower *l, LLVMValueRef v)
{
    LLVMValueRef count = LLVMGetOperand(v, 0);
    const uint64_t n = LLVMIsAConstantInt(count) != NULL ? LLVMConstIntGetZExtValue(count) : 0;
    LLVMTypeRef type = air_memory_type(l, LLVMGetAllocatedType(v));
    if (n == 0 || n > UINT32_MAX) {
        air_refuse(l, "thread memory of a size known at run time only is not supported");
        return LLVMConstNull(l->ptr);
    }
    if (n > 1) type = LLVMArrayType(type, (unsigned)n);
    air_owner owner = {.kind = AIR_OWNER_FIXED, .identity = v, .base = air_room(l, type), .what = AIR_WHAT_THREAD};
    owner.size = air_int64(l, LLVMABISizeOfType(l->layout, type));
    own(l, v, &owner);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(l->b); /* what is never set has all bits ones */
    LLVMPositionBuilderBefore(l->b, LLVMGetBasicBlockTerminator(l->entry));
    LLVMBuildMemSet(l->b, owner.base, LLVMConstAllOnes(l->i8), owner.size, 16);
    LLVMPositionBuilderAtEnd(l->b, here);
    return owner.base;
}

static LLVMValueRef lower_call(air_lower *l, LLVMValueRef v)
{
    LLVMValueRef f = LLVMGetCalledValue(v);
    if (LLVMIsAFunction(f) == NULL) {
        air_refuse(l, "calls through pointers (function tables) are not supported");
    } else {
        const str name = air_name(f);
        if (LLVMIsDeclaration(f)) return air_intrinsic(l, v, name);
        air_refuse(l, "the call of '%.*s' was not expanded: recursion is not supported", STR_ARG(name));
    }
    const LLVMTypeRef type = air_type(l, LLVMTypeOf(v));
    return type == l->none ? NULL : LLVMConstNull(type);
}

static void lower_instruction(air_lower *l, LLVMValueRef v)
{
    const LLVMOpcode op = LLVMGetInstructionOpcode(v);
    LLVMValueRef r;
    l->current = v;
    switch ((int)op) {
    case LLVMPHI: r = LLVMBuildPhi(l->b, air_type(l, LLVMTypeOf(v)), ""); break;
    case LLVMAlloca: r = lower_alloca(l, v); break;
    case LLVMCall: r = lower_call(l, v); break;
    case LLVMLoad: r = air_load(l, LLVMGetOperand(v, 0), LLVMTypeOf(v)); break;
    case LLVMStore:
        air_store(l, LLVMGetOperand(v, 1), air_value(l, LLVMGetOperand(v, 0)), LLVMTypeOf(LLVMGetOperand(v, 0)));
        return;
    case LLVMFence: return;
    default: r = air_op(l, op, v); break;
    }
    if (r != NULL) map_put_id(l->mem, &l->values, v, r);
}

/* A way back costs fuel: a loop without end is a fault, not a hang. */
static void pay_for_loop(air_lower *l, LLVMBasicBlockRef block)
{
    bool back = false;
    for (unsigned i = 0; i < successors(block); ++i)
        back |= block_of(l, LLVMGetSuccessor(LLVMGetBasicBlockTerminator(block), i))->order <= block_of(l, block)->order;
    if (back) air_pay_for_loop(l);
}

static LLVMBasicBlockRef target(air_lower *l, LLVMValueRef terminator, unsigned i)
{
    return block_of(l, LLVMGetSuccessor(terminator, i))->first;
}

static void lower_switch(air_lower *l, LLVMValueRef v)
{
    const unsigned cases = (unsigned)LLVMGetNumOperands(v) / 2 - 1;
    LLVMValueRef s = LLVMBuildSwitch(l->b, air_value(l, LLVMGetOperand(v, 0)), target(l, v, 0), cases);
    for (unsigned i = 0; i < cases; ++i) LLVMAddCase(s, air_value(l, LLVMGetOperand(v, 2 + 2 * i)), target(l, v, i + 1));
}

static void lower_terminator(air_lower *l, LLVMValueRef v)
{
    switch ((int)LLVMGetInstructionOpcode(v)) {
    case LLVMRet: LLVMBuildRetVoid(l->b); return;
    case LLVMSwitch: lower_switch(l, v); return;
    case LLVMBr:
        if (!LLVMIsConditional(v)) LLVMBuildBr(l->b, target(l, v, 0));
        else LLVMBuildCondBr(l->b, air_value(l, LLVMGetCondition(v)), target(l, v, 0), target(l, v, 1));
        return;
    case LLVMUnreachable:
        air_fault_unless(l, LLVMConstInt(l->i1, 0, 0), AIR_FAULT_UNREACHABLE, AIR_WHAT_ANY, air_int64(l, 0), air_int64(l, 0));
        LLVMBuildRetVoid(l->b);
        return;
    default:
        air_refuse(l, "a block ends in a way that is not supported");
        LLVMBuildUnreachable(l->b);
    }
}

static void lower_block(air_lower *l, LLVMBasicBlockRef block)
{
    air_block *b = block_of(l, block);
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    LLVMPositionBuilderAtEnd(l->b, b->first);
    for (LLVMValueRef v = LLVMGetFirstInstruction(block); v != end && !l->failed; v = LLVMGetNextInstruction(v)) lower_instruction(l, v);
    pay_for_loop(l, block);
    b->last = LLVMGetInsertBlock(l->b);
    lower_terminator(l, end);
}

static void fill_phis(air_lower *l, LLVMBasicBlockRef block)
{
    for (LLVMValueRef v = LLVMGetFirstInstruction(block); v != NULL; v = LLVMGetNextInstruction(v)) {
        if (LLVMGetInstructionOpcode(v) != LLVMPHI) return;
        LLVMValueRef phi = air_value(l, v);
        for (unsigned i = 0; i < LLVMCountIncoming(v); ++i) {
            const air_block *from = block_of(l, LLVMGetIncomingBlock(v, i));
            if (from == NULL) continue; /* never reached */
            LLVMPositionBuilderBefore(l->b, LLVMGetBasicBlockTerminator(from->last));
            LLVMValueRef value = air_value(l, LLVMGetIncomingValue(v, i));
            LLVMBasicBlockRef last = from->last;
            LLVMAddIncoming(phi, &value, &last, 1);
        }
    }
}

enum { PARAMS = 5 };

static LLVMTypeRef kernel_type(air_lower *l)
{
    LLVMTypeRef params[PARAMS] = {l->ptr, l->i32, l->i32, l->i32, l->i32};
    return LLVMFunctionType(l->none, params, PARAMS, 0);
}

static void start_function(air_lower *l)
{
    l->function = LLVMAddFunction(l->to, "air_kernel", kernel_type(l));
    LLVMSetLinkage(l->function, LLVMInternalLinkage);
    l->thread = LLVMGetParam(l->function, 0);
    for (unsigned d = 0; d < 3; ++d) l->position[d] = LLVMGetParam(l->function, 1 + d);
    l->index = LLVMGetParam(l->function, 4);
    l->entry = LLVMAppendBasicBlockInContext(l->c, l->function, "entry");
    LLVMPositionBuilderAtEnd(l->b, l->entry);
    bind_params(l);
}

/* ---- The entry -------------------------------------------------------------------------------------------------- */

/* A loop from 0 below `count`, begun; the builder is in its body. */
typedef struct loop {
    LLVMBasicBlockRef head, end;
    LLVMValueRef counter;
} loop;

static loop open_loop(air_lower *l, LLVMValueRef f, LLVMValueRef count)
{
    LLVMBasicBlockRef from = LLVMGetInsertBlock(l->b), body = LLVMAppendBasicBlockInContext(l->c, f, "body");
    loop r = {.head = LLVMAppendBasicBlockInContext(l->c, f, "loop"), .end = LLVMAppendBasicBlockInContext(l->c, f, "end")};
    LLVMValueRef zero = air_int32(l, 0);
    LLVMBuildBr(l->b, r.head);
    LLVMPositionBuilderAtEnd(l->b, r.head);
    r.counter = LLVMBuildPhi(l->b, l->i32, "");
    LLVMAddIncoming(r.counter, &zero, &from, 1);
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntULT, r.counter, count, ""), body, r.end);
    LLVMPositionBuilderAtEnd(l->b, body);
    return r;
}

static void close_loop(air_lower *l, const loop *r)
{
    LLVMValueRef next = LLVMBuildAdd(l->b, r->counter, air_int32(l, 1), "");
    LLVMBasicBlockRef from = LLVMGetInsertBlock(l->b);
    LLVMAddIncoming(r->counter, &next, &from, 1);
    LLVMBuildBr(l->b, r->head);
    LLVMPositionBuilderAtEnd(l->b, r->end);
}

static void call_kernel(air_lower *l, LLVMValueRef x, LLVMValueRef y, LLVMValueRef z, LLVMValueRef index)
{
    LLVMValueRef args[PARAMS] = {l->thread, x, y, z, index};
    LLVMBuildCall2(l->b, kernel_type(l), l->function, args, PARAMS, "");
}

void air_single_entry(air_lower *l)
{
    LLVMTypeRef param = l->ptr;
    LLVMValueRef f = LLVMAddFunction(l->to, "air_entry", LLVMFunctionType(l->none, &param, 1, 0)), n[3];
    LLVMPositionBuilderAtEnd(l->b, LLVMAppendBasicBlockInContext(l->c, f, "entry"));
    l->thread = LLVMGetParam(f, 0);
    if (l->syncs) {
        for (unsigned d = 0; d < 3; ++d) n[d] = field32(l, offsetof(air_thread, position), d);
        call_kernel(l, n[0], n[1], n[2], field32(l, offsetof(air_thread, index), 0));
        LLVMBuildRetVoid(l->b);
        air_define_asked(l);
        return;
    }
    for (unsigned d = 0; d < 3; ++d) n[d] = field32(l, offsetof(air_thread, threads), d);
    const loop z = open_loop(l, f, n[2]), y = open_loop(l, f, n[1]), x = open_loop(l, f, n[0]);
    LLVMValueRef row = LLVMBuildAdd(l->b, LLVMBuildMul(l->b, z.counter, n[1], ""), y.counter, "");
    call_kernel(l, x.counter, y.counter, z.counter, LLVMBuildAdd(l->b, LLVMBuildMul(l->b, row, n[0], ""), x.counter, ""));
    close_loop(l, &x);
    close_loop(l, &y);
    close_loop(l, &z);
    LLVMBuildRetVoid(l->b);
    air_define_asked(l);
}

/* Where the module's constants lie, for checks at run time: pairs of address and size, the last one 0. */
static void write_constants(air_lower *l)
{
    size_t n = 0;
    for (const air_constant_list *c = l->constants; c != NULL; c = c->next) ++n;
    LLVMTypeRef parts[2] = {l->ptr, l->i64};
    const LLVMTypeRef pair = LLVMStructTypeInContext(l->c, parts, 2, 0);
    LLVMValueRef *all = arena_array(l->mem, LLVMValueRef, n + 1);
    n = 0;
    for (const air_constant_list *c = l->constants; c != NULL; c = c->next) {
        LLVMValueRef one[2] = {c->base, c->size};
        all[n++] = LLVMConstStructInContext(l->c, one, 2, 0);
    }
    all[n++] = LLVMConstNull(pair);
    LLVMValueRef g = LLVMAddGlobal(l->to, LLVMArrayType(pair, (unsigned)n), "air_constants");
    LLVMSetInitializer(g, LLVMConstArray(pair, all, (unsigned)n));
    LLVMSetGlobalConstant(g, 1);
}

void air_lower_module(air_lower *l)
{
    start_function(l);
    if (l->failed) return;
    unsigned n;
    LLVMBasicBlockRef *order = order_blocks(l, l->signature->function, &n);
    LLVMBuildBr(l->b, block_of(l, order[0])->first);
    for (unsigned i = 0; i < n && !l->failed; ++i) lower_block(l, order[i]);
    for (unsigned i = 0; i < n && !l->failed; ++i) fill_phis(l, order[i]);
    if (l->failed) return;
    write_constants(l);
}
