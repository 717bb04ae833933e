/* Memory: loads, stores, and the checks before them. */
#include "air/lower.h"

#include <string.h>

LLVMValueRef air_cast_pointer(air_lower *l, LLVMValueRef p, LLVMTypeRef to)
{
    return LLVMBuildBitCast(l->b, p, LLVMPointerType(to, 0), "");
}

LLVMValueRef air_field(air_lower *l, size_t offset, LLVMTypeRef type)
{
    LLVMValueRef at = air_int64(l, offset);
    LLVMValueRef p = LLVMBuildGEP2(l->b, l->i8, l->thread, &at, 1, "");
    LLVMValueRef v = LLVMBuildLoad2(l->b, type, air_cast_pointer(l, p, type), "");
    air_never_changes(l, v);
    return v;
}

void air_never_changes(air_lower *l, LLVMValueRef load)
{
    static const char kind[] = "invariant.load";
    LLVMMetadataRef nothing = LLVMMDNodeInContext2(l->c, NULL, 0);
    LLVMSetMetadata(load, LLVMGetMDKindIDInContext(l->c, kind, sizeof kind - 1), LLVMMetadataAsValue(l->c, nothing));
}

/* ---- What compiled code asks of its thread: calls of functions that get their bodies last ------------------------------ */

static void mark(air_lower *l, LLVMValueRef f, const char *attribute)
{
    const unsigned kind = LLVMGetEnumAttributeKindForName(attribute, strlen(attribute));
    if (kind != 0) LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(l->c, kind, 0));
}

/* air_guard(thread, x, y, z, good, kind, what, offset, size), air_again and air_note(thread, x, y, z). */
static LLVMTypeRef ask_type(const air_lower *l, const char *name)
{
    LLVMTypeRef params[9] = {l->ptr, l->i32, l->i32, l->i32, l->i1, l->i32, l->i32, l->i64, l->i32};
    return LLVMFunctionType(l->none, params, strcmp(name, AIR_GUARD) == 0 ? 9 : 4, 0);
}

static void ask(air_lower *l, const char *name, LLVMValueRef *more, unsigned n)
{
    LLVMValueRef args[9] = {l->thread, l->position[0], l->position[1], l->position[2]};
    for (unsigned i = 0; i < n; ++i) args[4 + i] = more[i];
    LLVMValueRef f = LLVMGetNamedFunction(l->to, name);
    if (f == NULL) {
        f = LLVMAddFunction(l->to, name, ask_type(l, name));
        mark(l, f, "nounwind");
#if LLVM_VERSION_MAJOR < 16 /* later spelled with a value that the C API cannot name */
        mark(l, f, "inaccessiblememonly");
#endif
    }
    LLVMBuildCall2(l->b, ask_type(l, name), f, args, 4 + n, "");
}

void air_note_position(air_lower *l)
{
    ask(l, AIR_NOTE, NULL, 0);
}

void air_pay_for_loop(air_lower *l)
{
    if (!l->unchecked) ask(l, AIR_AGAIN, NULL, 0);
}

void air_fault_unless(air_lower *l, LLVMValueRef good, air_fault_kind kind, uint32_t what, LLVMValueRef offset, LLVMValueRef size)
{
    LLVMValueRef more[5] = {good, air_int32(l, (uint64_t)kind), air_int32(l, what), offset, LLVMBuildTrunc(l->b, size, l->i32, "")};
    ask(l, AIR_GUARD, more, 5);
}

static LLVMValueRef thread_field(air_lower *l, LLVMValueRef thread, size_t offset)
{
    LLVMValueRef at = air_int64(l, offset);
    return air_cast_pointer(l, LLVMBuildGEP2(l->b, l->i8, thread, &at, 1, ""), l->i32);
}

/* Begins the body of one of them, where it is called at all. */
static LLVMValueRef begin_body(air_lower *l, const char *name)
{
    LLVMValueRef f = LLVMGetNamedFunction(l->to, name);
    if (f == NULL) return NULL;
    LLVMSetLinkage(f, LLVMInternalLinkage);
    mark(l, f, "alwaysinline");
#if LLVM_VERSION_MAJOR < 16
    const char only[] = "inaccessiblememonly";
    LLVMRemoveEnumAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, LLVMGetEnumAttributeKindForName(only, sizeof only - 1));
#endif
    LLVMPositionBuilderAtEnd(l->b, LLVMAppendBasicBlockInContext(l->c, f, ""));
    return f;
}

static void store_position(air_lower *l, LLVMValueRef f)
{
    for (unsigned d = 0; d < 3; ++d)
        LLVMBuildStore(l->b, LLVMGetParam(f, 1 + d), thread_field(l, LLVMGetParam(f, 0), offsetof(air_thread, position) + d * sizeof(uint32_t)));
}

/* Goes on where `good`, else reports. */
static void end_guard(air_lower *l, LLVMValueRef f, LLVMValueRef good, LLVMValueRef *args)
{
    LLVMBasicBlockRef bad = LLVMAppendBasicBlockInContext(l->c, f, "bad"), on = LLVMAppendBasicBlockInContext(l->c, f, "");
    LLVMBuildCondBr(l->b, good, on, bad);
    LLVMPositionBuilderAtEnd(l->b, bad);
    store_position(l, f);
    args[0] = LLVMGetParam(f, 0);
    (void)air_call_host(l, "air_rt_fault", args, 5);
    LLVMBuildUnreachable(l->b);
    LLVMPositionBuilderAtEnd(l->b, on);
    LLVMBuildRetVoid(l->b);
}

void air_define_asked(air_lower *l)
{
    LLVMValueRef f = begin_body(l, AIR_NOTE);
    if (f != NULL) {
        store_position(l, f);
        LLVMBuildRetVoid(l->b);
    }
    f = begin_body(l, AIR_GUARD);
    if (f != NULL) {
        LLVMValueRef args[5] = {NULL, LLVMGetParam(f, 5), LLVMGetParam(f, 6), LLVMGetParam(f, 7), LLVMGetParam(f, 8)};
        end_guard(l, f, LLVMGetParam(f, 4), args);
    }
    f = begin_body(l, AIR_AGAIN);
    if (f == NULL) return;
    LLVMValueRef fuel = thread_field(l, LLVMGetParam(f, 0), offsetof(air_thread, fuel)), one = air_int32(l, 1);
    LLVMValueRef had = LLVMBuildLoad2(l->b, l->i32, fuel, "");
    LLVMBuildStore(l->b, LLVMBuildSub(l->b, had, one, ""), fuel);
    LLVMBasicBlockRef asks = LLVMAppendBasicBlockInContext(l->c, f, "ask"), on = LLVMAppendBasicBlockInContext(l->c, f, "");
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntUGT, had, one, ""), on, asks);
    LLVMPositionBuilderAtEnd(l->b, asks);
    store_position(l, f);
    LLVMValueRef args[2] = {LLVMGetParam(f, 0), one};
    LLVMBuildStore(l->b, air_call_host(l, "air_rt_refuel", args, 2), fuel);
    LLVMBuildBr(l->b, on);
    LLVMPositionBuilderAtEnd(l->b, on);
    LLVMBuildRetVoid(l->b);
}

LLVMValueRef air_room(air_lower *l, LLVMTypeRef type)
{
    const uint64_t size = LLVMABISizeOfType(l->layout, type);
    if (size > AIR_MAX_THREAD_BYTES || (l->thread_bytes += size) > AIR_MAX_THREAD_BYTES) {
        air_refuse(l, "more than %u bytes of variables a thread are not supported", (unsigned)AIR_MAX_THREAD_BYTES);
        return LLVMConstNull(l->ptr);
    }
    LLVMBasicBlockRef here = LLVMGetInsertBlock(l->b);
    LLVMValueRef first = LLVMGetFirstInstruction(l->entry);
    if (first != NULL) LLVMPositionBuilderBefore(l->b, first);
    else LLVMPositionBuilderAtEnd(l->b, l->entry);
    LLVMValueRef room = LLVMBuildAlloca(l->b, type, "");
    LLVMSetAlignment(room, 16);
    LLVMValueRef p = LLVMBuildBitCast(l->b, room, l->ptr, "");
    LLVMPositionBuilderAtEnd(l->b, here);
    return p;
}

static bool is_within(const air_owner *o, LLVMValueRef offset, LLVMValueRef size)
{
    if (o->kind != AIR_OWNER_FIXED || LLVMIsAConstantInt(offset) == NULL || LLVMIsAConstantInt(size) == NULL) return false;
    const uint64_t at = LLVMConstIntGetZExtValue(offset), n = LLVMConstIntGetZExtValue(size), all = LLVMConstIntGetZExtValue(o->size);
    return n <= all && at <= all - n;
}

static void check_bounds(air_lower *l, const air_owner *o, LLVMValueRef p, LLVMValueRef size, bool writes)
{
    if (l->unchecked) return;
    if (o->kind == AIR_OWNER_UNKNOWN) {
        LLVMValueRef args[4] = {l->thread, p, size, air_int32(l, writes)};
        air_note_position(l);
        (void)air_call_host(l, "air_rt_check", args, 4);
        return;
    }
    if (writes && o->read_only) {
        air_refuse(l, "a store to read-only memory");
        return;
    }
    LLVMValueRef start = LLVMBuildPtrToInt(l->b, o->base, l->i64, ""), at = LLVMBuildPtrToInt(l->b, p, l->i64, "");
    LLVMValueRef offset = LLVMBuildSub(l->b, at, start, "");
    if (is_within(o, offset, size)) return;
    LLVMValueRef enough = LLVMBuildICmp(l->b, LLVMIntULE, size, o->size, "");
    LLVMValueRef most = LLVMBuildSub(l->b, o->size, size, "");
    LLVMValueRef inside = LLVMBuildICmp(l->b, LLVMIntULE, offset, most, "");
    air_fault_unless(l, LLVMBuildAnd(l->b, enough, inside, ""), AIR_FAULT_BOUNDS, o->what, offset, size);
}

uint32_t air_note_place(air_lower *l)
{
    if (l->noted == l->current && l->places != NULL) return l->place_count - 1;
    unsigned n = 0;
    const char *file = LLVMGetDebugLocFilename(l->current, &n);
    air_place_note *note = arena_new(l->mem, air_place_note);
    *note = (air_place_note){.line = LLVMGetDebugLocLine(l->current), .column = LLVMGetDebugLocColumn(l->current), .next = l->places};
    note->file = file != NULL ? (str){file, n} : STR("");
    l->places = note;
    l->noted = l->current;
    return l->place_count++;
}

/* What belongs to one thread, and constants, nobody else touches. */
static void tell(air_lower *l, const air_owner *o, LLVMValueRef p, LLVMValueRef size, bool writes)
{
    if (!l->watched || (o->kind == AIR_OWNER_FIXED && o->what != AIR_WHAT_THREADGROUP)) return;
    const air_touch how = l->atomic ? AIR_TOUCH_ATOMIC : writes ? AIR_TOUCH_WRITE : AIR_TOUCH_READ;
    LLVMValueRef args[5] = {l->thread, p, size, air_int32(l, (uint64_t)how), air_int32(l, air_note_place(l))};
    air_note_position(l);
    (void)air_call_host(l, "air_rt_touch", args, 5);
}

void air_check(air_lower *l, const air_owner *o, LLVMValueRef p, LLVMValueRef size, bool writes)
{
    check_bounds(l, o, p, size, writes);
    tell(l, o, p, size, writes);
}

static uint64_t size_of(air_lower *l, LLVMTypeRef type)
{
    /* what is read or written: a vector of three has no padding then */
    return (LLVMSizeOfTypeInBits(l->layout, type) + 7) / 8;
}

static LLVMValueRef checked(air_lower *l, LLVMValueRef pointer, LLVMTypeRef type, bool writes)
{
    LLVMValueRef p = air_value(l, pointer);
    const air_owner owner = air_owner_of(l, pointer);
    air_check(l, &owner, p, air_int64(l, size_of(l, type)), writes);
    return air_cast_pointer(l, p, type);
}

LLVMValueRef air_load(air_lower *l, LLVMValueRef pointer, LLVMTypeRef from_type)
{
    const LLVMTypeRef type = air_type(l, from_type);
    LLVMValueRef v = LLVMBuildLoad2(l->b, type, checked(l, pointer, type, false), "");
    LLVMSetAlignment(v, 1);
    return v;
}

void air_store(air_lower *l, LLVMValueRef pointer, LLVMValueRef value, LLVMTypeRef from_type)
{
    LLVMValueRef s = LLVMBuildStore(l->b, value, checked(l, pointer, air_type(l, from_type), true));
    LLVMSetAlignment(s, 1);
}

/* ---- Calls --------------------------------------------------------------------------------------------- */

static LLVMTypeRef letter_type(const air_lower *l, char letter)
{
    switch (letter) {
    case 'f': return l->f32;
    case 'h': return l->i16;
    case 'i': return l->i32;
    case 'l': return l->i64;
    case 'p': return l->ptr;
    case 'w': return LLVMVectorType(l->i64, 2);
    default: return l->none;
    }
}

/* Elementary functions depend on their arguments alone; the rest stays where it stands, and calls are never merged. */
static LLVMValueRef declare_host(air_lower *l, const char *name, LLVMTypeRef ft)
{
    LLVMValueRef f = LLVMAddFunction(l->to, name, ft);
    mark(l, f, "nounwind");
    if (strstr(name, "_lanes") != NULL && strncmp(name, "air_rt_", 7) != 0) { /* numbers in memory, in place */
        mark(l, f, "argmemonly");
        mark(l, f, "willreturn");
        return f;
    }
    if (strncmp(name, "air_rt_", 7) != 0) {
#if LLVM_VERSION_MAJOR < 16 /* later spelled with a value that the C API cannot name */
        mark(l, f, "readnone");
#endif
        mark(l, f, "willreturn");
        return f;
    }
    mark(l, f, "convergent");
    mark(l, f, "nomerge");
    if (strcmp(name, "air_rt_fault") == 0) {
        mark(l, f, "noreturn");
        mark(l, f, "cold");
    }
    return f;
}

LLVMValueRef air_call_host(air_lower *l, const char *name, LLVMValueRef *args, unsigned n)
{
    size_t count;
    const air_host_function *table = air_host_functions(&count);
    const char *type = NULL;
    for (size_t i = 0; i < count; ++i)
        if (strcmp(table[i].name, name) == 0) type = table[i].type;
    if (type == NULL || strlen(type) != n + 1) {
        air_refuse(l, "the host function '%s' is not there", name);
        return air_int32(l, 0);
    }
    LLVMTypeRef params[16];
    for (unsigned i = 0; i < n && i < 16; ++i) params[i] = letter_type(l, type[i + 1]);
    const LLVMTypeRef ft = LLVMFunctionType(letter_type(l, type[0]), params, n, 0);
    LLVMValueRef f = LLVMGetNamedFunction(l->to, name);
    if (f == NULL) f = declare_host(l, name, ft);
    return LLVMBuildCall2(l->b, ft, f, args, n, "");
}

LLVMValueRef air_call_llvm(air_lower *l, const char *name, LLVMTypeRef type, LLVMValueRef *args, unsigned n)
{
    const unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    const unsigned overloads = type != NULL ? 1 : 0;
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(l->to, id, &type, overloads);
    return LLVMBuildCall2(l->b, LLVMIntrinsicGetType(l->c, id, &type, overloads), f, args, n, "");
}
