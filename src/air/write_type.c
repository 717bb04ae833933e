/* MSL's types as AIR has them, as values and in memory. */
#include "air/write.h"

LLVMTypeRef air_write_scalar(air_writer *w, mf_scalar s)
{
    switch (s) {
    case MF_BOOL: return w->i1;
    case MF_CHAR:
    case MF_UCHAR: return w->i8;
    case MF_SHORT:
    case MF_USHORT: return w->i16;
    case MF_INT:
    case MF_UINT: return w->i32;
    case MF_LONG:
    case MF_ULONG: return w->i64;
    case MF_HALF: return LLVMHalfTypeInContext(w->c);
    case MF_BFLOAT: return LLVMBFloatTypeInContext(w->c);
    case MF_FLOAT:
    case MF_SCALARS: break;
    }
    return LLVMFloatTypeInContext(w->c);
}

unsigned air_write_space(mf_space space)
{
    switch (space) {
    case MF_DEVICE: return 1;
    case MF_CONSTANT: return 2;
    case MF_THREADGROUP: return 3;
    case MF_NO_SPACE:
    case MF_THREAD: break;
    }
    return 0;
}

static LLVMTypeRef pad(air_writer *w, uint64_t bytes)
{
    return LLVMArrayType(w->i8, (unsigned)bytes);
}

static LLVMTypeRef union_type(air_writer *w, const mf_type *t)
{
    const unsigned word = t->align < 8 ? t->align : 8;
    LLVMTypeRef words = LLVMArrayType(LLVMIntTypeInContext(w->c, word * 8), (unsigned)(t->size / word));
    return LLVMStructTypeInContext(w->c, &words, 1, 0);
}

/* Fields where the front end put them: with padding of their own where LLVM would not leave it. */
static bool lay_out(air_writer *w, const mf_record *r, bool packed, air_record_layout *out)
{
    LLVMTypeRef *parts = arena_array(w->mem, LLVMTypeRef, 2 * r->field_count + 2);
    unsigned n = 0;
    uint64_t at = 0;
    for (size_t i = 0; i < r->field_count; ++i) {
        const LLVMTypeRef type = air_write_memory_type(w, r->fields[i].type);
        const uint64_t align = packed ? 1 : LLVMABIAlignmentOfType(w->layout, type), to = r->fields[i].offset;
        if (to % align != 0 || to < at) return false;
        if ((at + align - 1) / align * align != to) parts[n++] = pad(w, to - at);
        out->fields[i] = n;
        parts[n++] = type;
        at = to + LLVMABISizeOfType(w->layout, type);
    }
    if (at > r->type->size) return false;
    if (packed && at < r->type->size) parts[n++] = pad(w, r->type->size - at);
    out->type = LLVMStructTypeInContext(w->c, parts, n, packed);
    if (LLVMABISizeOfType(w->layout, out->type) == r->type->size) return true;
    if (packed) return false;
    parts[n++] = pad(w, r->type->size - at);
    out->type = LLVMStructTypeInContext(w->c, parts, n, 0);
    return LLVMABISizeOfType(w->layout, out->type) == r->type->size;
}

const air_record_layout *air_write_record(air_writer *w, const mf_record *r)
{
    air_record_layout *known = map_get_id(&w->records, r);
    if (known != NULL) return known;
    air_record_layout *l = arena_new(w->mem, air_record_layout);
    l->fields = arena_array(w->mem, unsigned, r->field_count + 1);
    map_put_id(w->mem, &w->records, r, l); /* a pointer to it among its own fields is one to bytes */
    if (!w->inner && (air_write_is_texture(r->type) || air_write_is_sampler(r->type))) {
        LLVMTypeRef handle = air_write_handle_type(w, r->type);
        l->type = LLVMStructTypeInContext(w->c, &handle, 1, 0);
    } else if (r->is_union) {
        l->type = union_type(w, r->type);
    } else if (!lay_out(w, r, false, l) && !lay_out(w, r, true, l)) {
        air_write_refuse(w, r->at, "the layout of this structure is not supported");
    }
    if (l->type == NULL) l->type = pad(w, r->type->size);
    return l;
}

/* Its layout is being made: it has no type yet. */
static bool is_underway(const air_writer *w, const mf_type *t)
{
    while (t->kind == MF_TYPE_ARRAY || t->kind == MF_TYPE_POINTER) t = t->elem;
    if (t->kind != MF_TYPE_RECORD) return false;
    const air_record_layout *l = map_get_id(&w->records, t->record);
    return l != NULL && l->type == NULL;
}

static LLVMTypeRef pointer_type(air_writer *w, const mf_type *t)
{
    const mf_type *to = t->elem;
    const bool sized = to != NULL && to->kind != MF_TYPE_VOID && to->size != 0 && !is_underway(w, to);
    return LLVMPointerType(sized ? air_write_memory_type(w, to) : w->i8, t->kind == MF_TYPE_NULL ? 0 : air_write_space(t->space));
}

/* bool lies in a byte, packed vectors as arrays. */
LLVMTypeRef air_write_memory_type(air_writer *w, const mf_type *t)
{
    const LLVMTypeRef byte = w->i8;
    switch (t->kind) {
    case MF_TYPE_SCALAR:
    case MF_TYPE_ENUM:
    case MF_TYPE_FUNCTION:
    case MF_TYPE_ATOMIC: return t->scalar == MF_BOOL ? byte : air_write_scalar(w, t->scalar);
    case MF_TYPE_VECTOR: return LLVMVectorType(t->scalar == MF_BOOL ? byte : air_write_scalar(w, t->scalar), t->width);
    case MF_TYPE_PACKED: return LLVMArrayType(t->scalar == MF_BOOL ? byte : air_write_scalar(w, t->scalar), t->width);
    case MF_TYPE_MATRIX: return LLVMArrayType(air_write_memory_type(w, t->elem), t->columns);
    case MF_TYPE_SIMD_MATRIX: return LLVMVectorType(air_write_scalar(w, t->scalar), 64);
    case MF_TYPE_ARRAY: return LLVMArrayType(air_write_memory_type(w, t->elem), (unsigned)t->count);
    case MF_TYPE_RECORD: return air_write_record(w, t->record)->type;
    case MF_TYPE_POINTER:
    case MF_TYPE_REFERENCE:
    case MF_TYPE_NULL: return pointer_type(w, t);
    case MF_TYPE_VOID: return w->none;
    case MF_TYPE_ERROR:
    case MF_TYPE_TEXTURE:
    case MF_TYPE_SAMPLER: break;
    }
    return byte;
}

LLVMTypeRef air_write_value_type(air_writer *w, const mf_type *t)
{
    if (t->kind == MF_TYPE_SCALAR || t->kind == MF_TYPE_ENUM || t->kind == MF_TYPE_FUNCTION || t->kind == MF_TYPE_ATOMIC) return air_write_scalar(w, t->scalar);
    if (mf_is_vector(t)) return LLVMVectorType(air_write_scalar(w, t->scalar), t->width);
    return air_write_memory_type(w, t);
}

LLVMValueRef air_write_number(air_writer *w, const mf_type *t, mf_constant c)
{
    const LLVMTypeRef type = air_write_scalar(w, t->scalar);
    if (mf_scalar_is_float(t->scalar)) return LLVMConstReal(type, c.f);
    return LLVMConstInt(type, c.i, 0);
}
