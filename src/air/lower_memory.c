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

void air_note_position(air_lower *l)
{
    for (unsigned d = 0; d < 3; ++d) {
        LLVMValueRef at = air_int64(l, offsetof(air_thread, position) + d * sizeof(uint32_t));
        LLVMValueRef p = LLVMBuildGEP2(l->b, l->i8, l->thread, &at, 1, "");
        LLVMBuildStore(l->b, l->position[d], air_cast_pointer(l, p, l->i32));
    }
}

LLVMValueRef air_room(air_lower *l, LLVMTypeRef type)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(l->b);
    LLVMPositionBuilderBefore(l->b, LLVMGetFirstInstruction(l->entry));
    LLVMValueRef room = LLVMBuildAlloca(l->b, type, "");
    LLVMSetAlignment(room, 16);
    LLVMValueRef p = LLVMBuildBitCast(l->b, room, l->ptr, "");
    LLVMPositionBuilderAtEnd(l->b, here);
    return p;
}

void air_fault_unless(air_lower *l, LLVMValueRef good, air_fault_kind kind, uint32_t what, LLVMValueRef offset, LLVMValueRef size)
{
    LLVMBasicBlockRef bad = LLVMAppendBasicBlockInContext(l->c, l->function, "bad");
    LLVMBasicBlockRef on = LLVMAppendBasicBlockInContext(l->c, l->function, "");
    LLVMBuildCondBr(l->b, good, on, bad);
    LLVMPositionBuilderAtEnd(l->b, bad);
    air_note_position(l);
    LLVMValueRef args[5] = {l->thread, air_int32(l, (uint64_t)kind), air_int32(l, what), offset, LLVMBuildTrunc(l->b, size, l->i32, "")};
    (void)air_call_host(l, "air_rt_fault", args, 5);
    LLVMBuildUnreachable(l->b);
    LLVMPositionBuilderAtEnd(l->b, on);
}

static bool is_within(const air_owner *o, LLVMValueRef offset, LLVMValueRef size)
{
    if (o->kind != AIR_OWNER_FIXED || LLVMIsAConstantInt(offset) == NULL || LLVMIsAConstantInt(size) == NULL) return false;
    const uint64_t at = LLVMConstIntGetZExtValue(offset), n = LLVMConstIntGetZExtValue(size), all = LLVMConstIntGetZExtValue(o->size);
    return n <= all && at <= all - n;
}

void air_check(air_lower *l, const air_owner *o, LLVMValueRef p, LLVMValueRef size, bool writes)
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
    default: return l->none;
    }
}

static void mark(air_lower *l, LLVMValueRef f, const char *attribute)
{
    const unsigned kind = LLVMGetEnumAttributeKindForName(attribute, strlen(attribute));
    if (kind != 0) LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(l->c, kind, 0));
}

/* Elementary functions depend on their arguments alone; the rest stays where it stands, and calls are never merged. */
static LLVMValueRef declare_host(air_lower *l, const char *name, LLVMTypeRef ft)
{
    LLVMValueRef f = LLVMAddFunction(l->to, name, ft);
    mark(l, f, "nounwind");
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
