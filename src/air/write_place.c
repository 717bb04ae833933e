/* Places: variables, memory behind pointers, parts of those; loads and stores. */
#include "air/write.h"

#include "base/error.h"

LLVMValueRef air_write_pointer_cast(air_writer *w, LLVMValueRef p, LLVMTypeRef to)
{
    const unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(p));
    return LLVMBuildBitCast(w->b, p, LLVMPointerType(to, space), "");
}

air_place air_write_room(air_writer *w, const mf_type *t, str name)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(w->b);
    LLVMValueRef first = LLVMGetFirstInstruction(w->entry);
    if (first != NULL) LLVMPositionBuilderBefore(w->b, first);
    else LLVMPositionBuilderAtEnd(w->b, w->entry);
    LLVMValueRef p = LLVMBuildAlloca(w->b, air_write_memory_type(w, t), str_format(w->mem, "%.*s", STR_ARG(name)).p);
    if (t->align != 0) LLVMSetAlignment(p, t->align);
    LLVMPositionBuilderAtEnd(w->b, here);
    return (air_place){.p = p, .type = t};
}

/* ---- Loads and stores ------------------------------------------------------------------------------------------ */

static LLVMValueRef index_of(air_writer *w, uint64_t i)
{
    return LLVMConstInt(w->i32, i, 0);
}

/* The address of a vector's element i. */
static LLVMValueRef element_address(air_writer *w, air_place p, LLVMValueRef i)
{
    LLVMValueRef index[2] = {index_of(w, 0), i};
    return LLVMBuildInBoundsGEP2(w->b, air_write_memory_type(w, p.type), p.p, index, 2, "");
}

static unsigned scalar_align(const mf_type *t)
{
    return mf_scalar_size(t->scalar);
}

static LLVMValueRef load_at(air_writer *w, LLVMTypeRef type, LLVMValueRef p, unsigned align, bool is_volatile)
{
    LLVMValueRef v = LLVMBuildLoad2(w->b, type, p, "");
    if (align != 0) LLVMSetAlignment(v, align);
    if (is_volatile) LLVMSetVolatile(v, 1);
    return v;
}

static void store_at(air_writer *w, LLVMValueRef v, LLVMValueRef p, unsigned align, bool is_volatile)
{
    LLVMValueRef s = LLVMBuildStore(w->b, v, p);
    if (align != 0) LLVMSetAlignment(s, align);
    if (is_volatile) LLVMSetVolatile(s, 1);
}

/* A byte is a bool where it is not 0. */
static LLVMValueRef from_memory(air_writer *w, LLVMValueRef v, const mf_type *t)
{
    if (!mf_is_numeric(t) || t->scalar != MF_BOOL) return v;
    return LLVMBuildICmp(w->b, LLVMIntNE, v, LLVMConstNull(LLVMTypeOf(v)), "");
}

LLVMValueRef air_write_to_memory(air_writer *w, LLVMValueRef v, const mf_type *t)
{
    if (!mf_is_numeric(t) || t->scalar != MF_BOOL) return v;
    const LLVMTypeRef byte = LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind ? LLVMVectorType(w->i8, LLVMGetVectorSize(LLVMTypeOf(v)))
                                                                                  : w->i8;
    return LLVMBuildZExt(w->b, v, byte, "");
}

static const mf_type *scalar_of(const mf_type *t)
{
    return mf_scalar_type(t->scalar);
}

/* Element by element: of packed vectors, and of those that were picked. */
static LLVMValueRef load_elements(air_writer *w, air_place p)
{
    const unsigned n = p.picks != 0 ? p.picks : p.type->width;
    LLVMValueRef r = NULL;
    for (unsigned i = 0; i < n; ++i) {
        LLVMValueRef at = element_address(w, p, index_of(w, p.picks != 0 ? p.pick[i] : i));
        LLVMValueRef v = load_at(w, air_write_memory_type(w, scalar_of(p.type)), at, scalar_align(p.type), p.is_volatile);
        v = from_memory(w, v, scalar_of(p.type));
        if (n == 1) return v;
        if (r == NULL) r = LLVMGetUndef(LLVMVectorType(LLVMTypeOf(v), n));
        r = LLVMBuildInsertElement(w->b, r, v, index_of(w, i), "");
    }
    return r;
}

LLVMValueRef air_write_load(air_writer *w, air_place p)
{
    if (p.picks != 0 || p.type->kind == MF_TYPE_PACKED) return load_elements(w, p);
    return from_memory(w, load_at(w, air_write_memory_type(w, p.type), p.p, p.type->align, p.is_volatile), p.type);
}

void air_write_store(air_writer *w, air_place p, LLVMValueRef v)
{
    if (p.picks == 0 && p.type->kind != MF_TYPE_PACKED) {
        store_at(w, air_write_to_memory(w, v, p.type), p.p, p.type->align, p.is_volatile);
        return;
    }
    const unsigned n = p.picks != 0 ? p.picks : p.type->width;
    for (unsigned i = 0; i < n; ++i) {
        LLVMValueRef e = n == 1 ? v : LLVMBuildExtractElement(w->b, v, index_of(w, i), "");
        LLVMValueRef at = element_address(w, p, index_of(w, p.picks != 0 ? p.pick[i] : i));
        store_at(w, air_write_to_memory(w, e, scalar_of(p.type)), at, scalar_align(p.type), p.is_volatile);
    }
}

/* ---- Variables ---------------------------------------------------------------------------------------------------- */

air_bound *air_write_bound(air_writer *w, const mf_var *v)
{
    air_frame *f = w->frame;
    return v->kind == MF_VAR_PARAM ? &f->params[v->index] : &f->locals[v->index];
}

/* One for all threads of the group. */
static air_place threadgroup_variable(air_writer *w, const mf_var *v)
{
    const str name = str_format(w->mem, "%.*s.%.*s", STR_ARG(w->kernel->name), STR_ARG(v->name));
    const LLVMTypeRef type = air_write_memory_type(w, v->type);
    LLVMValueRef g = LLVMAddGlobalInAddressSpace(w->m, type, name.p, 3);
    LLVMSetLinkage(g, LLVMInternalLinkage);
    LLVMSetUnnamedAddress(g, LLVMGlobalUnnamedAddr);
    LLVMSetInitializer(g, LLVMGetUndef(type));
    LLVMSetAlignment(g, mf_var_align(v) > 4 ? mf_var_align(v) : 4);
    return (air_place){.p = g, .type = v->type};
}

static air_place variable(air_writer *w, const mf_var *v)
{
    if (v->kind == MF_VAR_GLOBAL) return air_write_global(w, v);
    air_bound *b = air_write_bound(w, v);
    if (b->bound) {
        if (v->type->kind != MF_TYPE_REFERENCE || v->kind == MF_VAR_PARAM) return b->at;
        /* a reference among locals keeps the address of what it refers to */
        return (air_place){.p = air_write_load(w, b->at), .type = v->type->elem, .is_volatile = (v->type->quals & MF_VOLATILE) != 0};
    }
    b->at = v->space == MF_THREADGROUP ? threadgroup_variable(w, v) : air_write_room(w, v->type, v->name);
    if (v->space == MF_THREAD && v->align > v->type->align) LLVMSetAlignment(b->at.p, v->align);
    b->at.is_volatile = (v->quals & MF_VOLATILE) != 0;
    b->bound = true;
    return b->at;
}

/* ---- Parts ---------------------------------------------------------------------------------------------------------- */

/* Element `index` of an array, vector, packed vector or matrix. */
air_place air_write_element(air_writer *w, air_place p, LLVMValueRef index, const mf_type *type)
{
    LLVMValueRef both[2] = {index_of(w, 0), index};
    LLVMValueRef at = LLVMBuildInBoundsGEP2(w->b, air_write_memory_type(w, p.type), p.p, both, 2, "");
    return (air_place){.p = at, .type = type, .is_volatile = p.is_volatile};
}

static air_place member(air_writer *w, const mf_expr *e)
{
    air_place p = air_write_place(w, e->a);
    const mf_record *r = e->a->type->record;
    const mf_field *f = &r->fields[e->field];
    if (r->is_union) {
        p.p = air_write_pointer_cast(w, p.p, air_write_memory_type(w, f->type));
    } else {
        const air_record_layout *l = air_write_record(w, r);
        p.p = LLVMBuildStructGEP2(w->b, l->type, p.p, l->fields[e->field], "");
        p.p = air_write_pointer_cast(w, p.p, air_write_memory_type(w, f->type));
    }
    p.type = f->type;
    p.is_volatile = p.is_volatile || (f->quals & MF_VOLATILE) != 0;
    return p;
}

static air_place swizzle(air_writer *w, const mf_expr *e)
{
    air_place p = air_write_place(w, e->a), r = p;
    for (unsigned i = 0; i < e->swizzle_count; ++i) r.pick[i] = p.picks != 0 ? p.pick[e->swizzle[i]] : e->swizzle[i];
    r.picks = e->swizzle_count;
    return r;
}

static air_place element(air_writer *w, const mf_expr *e)
{
    air_place p = air_write_place(w, e->a);
    LLVMValueRef i = air_write_value(w, e->b);
    if (p.picks == 0) return air_write_element(w, p, i, e->type);
    air_write_refuse(w, e->at, "an element of a swizzle chosen at run time is not supported");
    return p;
}

static air_place behind(air_writer *w, const mf_expr *e, LLVMValueRef p)
{
    (void)w;
    return (air_place){.p = p, .type = e->type, .is_volatile = (e->quals & MF_VOLATILE) != 0};
}

static air_place index_pointer(air_writer *w, const mf_expr *e)
{
    LLVMValueRef p = air_write_value(w, e->a), i = air_write_value(w, e->b);
    const bool sign = mf_scalar_class(e->b->type->scalar) == MF_CLASS_SIGNED;
    i = LLVMBuildIntCast2(w->b, i, w->i64, sign, "");
    return behind(w, e, LLVMBuildGEP2(w->b, air_write_memory_type(w, e->type), p, &i, 1, ""));
}

static air_place temporary(air_writer *w, const mf_expr *e)
{
    const air_place p = air_write_room(w, e->type, STR("tmp"));
    air_write_store(w, p, air_write_value(w, e->a));
    return p;
}

/* One of two places: both sides have an address. */
static air_place chosen(air_writer *w, const mf_expr *e)
{
    LLVMValueRef c = air_write_value(w, e->a);
    LLVMBasicBlockRef yes = air_write_block(w, "yes"), no = air_write_block(w, "no"), end = air_write_block(w, "end");
    LLVMBuildCondBr(w->b, c, yes, no);
    LLVMPositionBuilderAtEnd(w->b, yes);
    const air_place a = air_write_place(w, e->b);
    LLVMBasicBlockRef from[2] = {LLVMGetInsertBlock(w->b), NULL};
    LLVMBuildBr(w->b, end);
    LLVMPositionBuilderAtEnd(w->b, no);
    const air_place b = air_write_place(w, e->c);
    from[1] = LLVMGetInsertBlock(w->b);
    LLVMBuildBr(w->b, end);
    LLVMPositionBuilderAtEnd(w->b, end);
    if (a.picks != 0 || b.picks != 0 || LLVMTypeOf(a.p) != LLVMTypeOf(b.p)) {
        air_write_refuse(w, e->at, "a choice between these places is not supported");
        return a;
    }
    LLVMValueRef phi = LLVMBuildPhi(w->b, LLVMTypeOf(a.p), ""), values[2] = {a.p, b.p};
    LLVMAddIncoming(phi, values, from, 2);
    return (air_place){.p = phi, .type = e->type, .is_volatile = a.is_volatile || b.is_volatile};
}

static air_place assigned(air_writer *w, const mf_expr *e)
{
    if (e->kind == MF_EXPR_ASSIGN) {
        LLVMValueRef v = air_write_value(w, e->b);
        const air_place p = air_write_place(w, e->a);
        air_write_store(w, p, v);
        return p;
    }
    LLVMValueRef b = air_write_value(w, e->b);
    const air_place p = air_write_place(w, e->a);
    LLVMValueRef old = air_write_load(w, p), v;
    const mf_type *t = e->a->type;
    if (t->kind == MF_TYPE_POINTER) {
        b = LLVMBuildIntCast2(w->b, b, w->i64, mf_scalar_class(e->b->type->scalar) == MF_CLASS_SIGNED, "");
        if (e->op == MF_OP_SUB) b = LLVMBuildNeg(w->b, b, "");
        v = LLVMBuildGEP2(w->b, air_write_memory_type(w, t->elem), old, &b, 1, "");
    } else {
        old = air_write_convert(w, old, t, e->compute);
        v = air_write_convert(w, air_write_binary(w, e->op, e->compute, old, b), e->compute, t);
    }
    air_write_store(w, p, v);
    return p;
}

air_place air_write_step(air_writer *w, const mf_expr *e, bool up, LLVMValueRef *was)
{
    const air_place p = air_write_place(w, e->a);
    const mf_type *t = e->a->type;
    LLVMValueRef old = air_write_load(w, p), v;
    *was = old;
    if (t->kind == MF_TYPE_POINTER) {
        LLVMValueRef by = LLVMConstInt(w->i64, up ? 1 : UINT64_MAX, 1);
        v = LLVMBuildGEP2(w->b, air_write_memory_type(w, t->elem), old, &by, 1, "");
    } else {
        const mf_constant unit = mf_scalar_is_float(t->scalar) ? (mf_constant){.f = 1.0} : (mf_constant){.i = 1};
        LLVMValueRef by = air_write_number(w, mf_scalar_type(t->scalar), unit);
        if (mf_is_vector(t)) by = air_write_splat(w, by, t->width);
        v = air_write_binary(w, up ? MF_OP_ADD : MF_OP_SUB, t, old, by);
    }
    air_write_store(w, p, v);
    return p;
}

static air_place reinterpreted(air_writer *w, const mf_expr *e)
{
    air_place p = air_write_place(w, e->a);
    p.p = air_write_pointer_cast(w, p.p, air_write_memory_type(w, e->type));
    p.type = e->type;
    return p;
}

air_place air_write_place(air_writer *w, const mf_expr *e)
{
    switch ((int)e->kind) {
    case MF_EXPR_VAR: return variable(w, e->var);
    case MF_EXPR_TEMPORARY: return temporary(w, e);
    case MF_EXPR_DEREF: return behind(w, e, air_write_value(w, e->a));
    case MF_EXPR_INDEX: return index_pointer(w, e);
    case MF_EXPR_MEMBER: return member(w, e);
    case MF_EXPR_ELEMENT: return element(w, e);
    case MF_EXPR_SWIZZLE: return swizzle(w, e);
    case MF_EXPR_ASSIGN:
    case MF_EXPR_ASSIGN_OP: return assigned(w, e);
    case MF_EXPR_PRE_INC:
    case MF_EXPR_PRE_DEC: return air_write_step(w, e, e->kind == MF_EXPR_PRE_INC, &(LLVMValueRef){NULL});
    case MF_EXPR_COND: return chosen(w, e);
    case MF_EXPR_COMMA:
        air_write_drop(w, e->a);
        return air_write_place(w, e->b);
    case MF_EXPR_CALL: {
        air_place p = {.p = NULL};
        (void)air_write_call(w, e, &p);
        if (p.p != NULL) return p;
        if (w->constant) return air_write_room(w, e->type, STR("later")); /* it is computed as the kernel begins */
        break;
    }
    case MF_EXPR_CAST:
        if (e->cast == MF_CAST_PLACE) return reinterpreted(w, e);
        break;
    default: break;
    }
    air_write_refuse(w, e->at, "this place is not supported");
    return air_write_room(w, e->type, STR("none"));
}
