/* Expressions. */
#include "air/write.h"

LLVMValueRef air_write_int(air_writer *w, uint64_t v)
{
    return LLVMConstInt(w->i32, v, 0);
}

LLVMValueRef air_write_splat(air_writer *w, LLVMValueRef scalar, unsigned width)
{
    LLVMValueRef r = LLVMGetUndef(LLVMVectorType(LLVMTypeOf(scalar), width));
    for (unsigned i = 0; i < width; ++i) r = LLVMBuildInsertElement(w->b, r, scalar, air_write_int(w, i), "");
    return r;
}

LLVMValueRef air_write_zero(air_writer *w, const mf_type *t)
{
    return LLVMConstNull(air_write_value_type(w, t));
}

/* ---- Operators ---------------------------------------------------------------------------------------------------- */

static LLVMValueRef float_op(air_writer *w, mf_op op, LLVMValueRef a, LLVMValueRef b)
{
    switch (op) {
    case MF_OP_ADD: return LLVMBuildFAdd(w->b, a, b, "");
    case MF_OP_SUB: return LLVMBuildFSub(w->b, a, b, "");
    case MF_OP_MUL: return LLVMBuildFMul(w->b, a, b, "");
    case MF_OP_DIV: return LLVMBuildFDiv(w->b, a, b, "");
    case MF_OP_LT: return LLVMBuildFCmp(w->b, LLVMRealOLT, a, b, "");
    case MF_OP_GT: return LLVMBuildFCmp(w->b, LLVMRealOGT, a, b, "");
    case MF_OP_LE: return LLVMBuildFCmp(w->b, LLVMRealOLE, a, b, "");
    case MF_OP_GE: return LLVMBuildFCmp(w->b, LLVMRealOGE, a, b, "");
    case MF_OP_EQ: return LLVMBuildFCmp(w->b, LLVMRealOEQ, a, b, "");
    case MF_OP_NE: return LLVMBuildFCmp(w->b, LLVMRealUNE, a, b, "");
    case MF_OP_REM:
    case MF_OP_SHL:
    case MF_OP_SHR:
    case MF_OP_AND:
    case MF_OP_XOR:
    case MF_OP_OR:
    case MF_OPS: break;
    }
    return a;
}

/* A division as an instruction also where its operands are constants: by zero it would be folded to what is undefined there. */
static LLVMValueRef divide(air_writer *w, LLVMOpcode op, LLVMValueRef a, LLVMValueRef b)
{
    if (!LLVMIsConstant(a) || !LLVMIsConstant(b)) return LLVMBuildBinOp(w->b, op, a, b, "");
    LLVMValueRef held = LLVMBuildFreeze(w->b, a, ""), r = LLVMBuildBinOp(w->b, op, held, b, "");
    LLVMSetOperand(r, 0, a);
    LLVMInstructionEraseFromParent(held);
    return r;
}

static LLVMValueRef int_op(air_writer *w, mf_op op, bool sign, LLVMValueRef a, LLVMValueRef b)
{
    switch (op) {
    case MF_OP_ADD: return LLVMBuildAdd(w->b, a, b, "");
    case MF_OP_SUB: return LLVMBuildSub(w->b, a, b, "");
    case MF_OP_MUL: return LLVMBuildMul(w->b, a, b, "");
    case MF_OP_DIV: return divide(w, sign ? LLVMSDiv : LLVMUDiv, a, b);
    case MF_OP_REM: return divide(w, sign ? LLVMSRem : LLVMURem, a, b);
    case MF_OP_SHL: return LLVMBuildShl(w->b, a, b, "");
    case MF_OP_SHR: return sign ? LLVMBuildAShr(w->b, a, b, "") : LLVMBuildLShr(w->b, a, b, "");
    case MF_OP_AND: return LLVMBuildAnd(w->b, a, b, "");
    case MF_OP_XOR: return LLVMBuildXor(w->b, a, b, "");
    case MF_OP_OR: return LLVMBuildOr(w->b, a, b, "");
    case MF_OP_LT: return LLVMBuildICmp(w->b, sign ? LLVMIntSLT : LLVMIntULT, a, b, "");
    case MF_OP_GT: return LLVMBuildICmp(w->b, sign ? LLVMIntSGT : LLVMIntUGT, a, b, "");
    case MF_OP_LE: return LLVMBuildICmp(w->b, sign ? LLVMIntSLE : LLVMIntULE, a, b, "");
    case MF_OP_GE: return LLVMBuildICmp(w->b, sign ? LLVMIntSGE : LLVMIntUGE, a, b, "");
    case MF_OP_EQ: return LLVMBuildICmp(w->b, LLVMIntEQ, a, b, "");
    case MF_OP_NE: return LLVMBuildICmp(w->b, LLVMIntNE, a, b, "");
    case MF_OPS: break;
    }
    return a;
}

static bool is_shift(mf_op op)
{
    return op == MF_OP_SHL || op == MF_OP_SHR;
}

LLVMValueRef air_write_binary(air_writer *w, mf_op op, const mf_type *t, LLVMValueRef a, LLVMValueRef b)
{
    if (mf_scalar_is_float(t->scalar)) return float_op(w, op, a, b);
    if (is_shift(op)) {
        const LLVMTypeRef type = LLVMTypeOf(a);
        if (LLVMGetTypeKind(type) == LLVMVectorTypeKind && LLVMGetTypeKind(LLVMTypeOf(b)) != LLVMVectorTypeKind)
            b = air_write_splat(w, b, LLVMGetVectorSize(type));
        b = LLVMBuildIntCast2(w->b, b, type, 0, "");
        /* the count modulo the width: as the software device has it, and never undefined */
        LLVMValueRef most = LLVMConstInt(air_write_scalar(w, t->scalar), 8u * mf_scalar_size(t->scalar) - 1, 0);
        if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) most = air_write_splat(w, most, LLVMGetVectorSize(type));
        b = LLVMBuildAnd(w->b, b, most, "");
    }
    return int_op(w, op, mf_scalar_class(t->scalar) == MF_CLASS_SIGNED, a, b);
}

static LLVMValueRef moved(air_writer *w, const mf_type *to, LLVMValueRef p, LLVMValueRef by, bool sign, bool back)
{
    by = LLVMBuildIntCast2(w->b, by, w->i64, sign, "");
    if (back) by = LLVMBuildNeg(w->b, by, "");
    const bool sized = to->kind != MF_TYPE_VOID && to->size != 0;
    return LLVMBuildGEP2(w->b, sized ? air_write_memory_type(w, to) : w->i8, p, &by, 1, "");
}

static LLVMValueRef pointer_op(air_writer *w, const mf_expr *e, LLVMValueRef a, LLVMValueRef b)
{
    const mf_type *ta = e->a->type, *tb = e->b->type;
    const bool both = tb->kind == MF_TYPE_POINTER || tb->kind == MF_TYPE_NULL;
    if (!both) return moved(w, ta->elem, a, b, mf_scalar_class(tb->scalar) == MF_CLASS_SIGNED, e->op == MF_OP_SUB);
    LLVMValueRef x = LLVMBuildPtrToInt(w->b, a, w->i64, ""), y = LLVMBuildPtrToInt(w->b, b, w->i64, "");
    if (e->op != MF_OP_SUB) return int_op(w, e->op, false, x, y);
    const uint64_t size = ta->elem->size == 0 ? 1 : ta->elem->size;
    return LLVMBuildSDiv(w->b, LLVMBuildSub(w->b, x, y, ""), LLVMConstInt(w->i64, size, 0), "");
}

/* Matrices: columns element by element. */
static LLVMValueRef binary(air_writer *w, const mf_expr *e)
{
    LLVMValueRef a = air_write_value(w, e->a), b = air_write_value(w, e->b);
    const mf_type *t = e->a->type;
    if (t->kind == MF_TYPE_POINTER || t->kind == MF_TYPE_NULL) return pointer_op(w, e, a, b);
    if (mf_is_numeric(t) || t->kind == MF_TYPE_ENUM) return air_write_binary(w, e->op, t, a, b);
    air_write_refuse(w, e->at, "arithmetic on matrices is not supported");
    return a;
}

static LLVMValueRef negated(air_writer *w, const mf_expr *e)
{
    LLVMValueRef a = air_write_value(w, e->a);
    return mf_scalar_is_float(e->type->scalar) ? LLVMBuildFNeg(w->b, a, "") : LLVMBuildNeg(w->b, a, "");
}

/* ---- Conversions ------------------------------------------------------------------------------------------------- */

static const char *class_letter(mf_scalar s)
{
    const mf_class c = mf_scalar_class(s);
    return c == MF_CLASS_FLOAT ? "f" : c == MF_CLASS_SIGNED ? "s" : "u";
}

static LLVMValueRef to_bool(air_writer *w, LLVMValueRef v, const mf_type *from)
{
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(v));
    if (mf_scalar_is_float(from->scalar)) return LLVMBuildFCmp(w->b, LLVMRealUNE, v, zero, "");
    return LLVMBuildICmp(w->b, LLVMIntNE, v, zero, "");
}

static LLVMValueRef fold_convert(air_writer *w, LLVMValueRef v, const mf_type *from, const mf_type *to)
{
    const LLVMTypeRef type = air_write_value_type(w, to);
    const bool to_float = mf_scalar_is_float(to->scalar), from_float = mf_scalar_is_float(from->scalar);
    const bool sign = mf_scalar_class(from_float ? to->scalar : from->scalar) == MF_CLASS_SIGNED;
    if (to_float && from_float) return LLVMBuildFPCast(w->b, v, type, "");
    if (to_float) return sign ? LLVMBuildSIToFP(w->b, v, type, "") : LLVMBuildUIToFP(w->b, v, type, "");
    return sign ? LLVMBuildFPToSI(w->b, v, type, "") : LLVMBuildFPToUI(w->b, v, type, "");
}

/* Between numbers, element by element: floats by air.convert. */
LLVMValueRef air_write_convert(air_writer *w, LLVMValueRef v, const mf_type *from, const mf_type *to)
{
    const mf_scalar f = from->scalar, t = to->scalar;
    const LLVMTypeRef type = air_write_value_type(w, to);
    if (!mf_is_numeric(from) && from->kind != MF_TYPE_ENUM) return v;
    if (f == t) return v;
    if (t == MF_BOOL) return to_bool(w, v, from);
    if (!mf_scalar_is_float(f) && !mf_scalar_is_float(t)) {
        if (f == MF_BOOL) return LLVMBuildZExt(w->b, v, type, "");
        return LLVMBuildIntCast2(w->b, v, type, mf_scalar_class(f) == MF_CLASS_SIGNED, "");
    }
    if (w->constant) return fold_convert(w, v, from, to);
    if (f == MF_BOOL) {
        const mf_type middle = air_write_like(MF_UINT, from->width);
        return air_write_convert(w, LLVMBuildZExt(w->b, v, air_write_value_type(w, &middle), ""), &middle, to);
    }
    const str name = str_format(w->mem, "convert.%s.%s.%s.%s", class_letter(t), air_write_type_name(w, to, false).p, class_letter(f),
                                air_write_type_name(w, from, false).p);
    return air_write_air(w, name.p, type, &v, 1);
}

static LLVMValueRef to_bits(air_writer *w, LLVMValueRef v, const mf_type *t)
{
    if (!mf_is_numeric(t) || t->scalar != MF_BOOL) return v;
    return LLVMBuildZExt(w->b, v, mf_is_vector(t) ? LLVMVectorType(w->i8, t->width) : w->i8, "");
}

/* as_type: of three-element vectors the elements' own bits. */
static LLVMValueRef reinterpreted(air_writer *w, const mf_expr *e)
{
    LLVMValueRef v = to_bits(w, air_write_value(w, e->a), e->a->type);
    return LLVMBuildBitCast(w->b, v, air_write_value_type(w, e->type), "");
}

static LLVMValueRef decayed(air_writer *w, const mf_expr *e)
{
    const air_place p = air_write_place(w, e->a);
    const mf_type *t = e->a->type;
    if (t->kind == MF_TYPE_ARRAY) return air_write_element(w, p, air_write_int(w, 0), t->elem).p;
    return air_write_pointer_cast(w, p.p, air_write_memory_type(w, e->type->elem));
}

/* Matrices column by column. */
static LLVMValueRef converted(air_writer *w, const mf_expr *e)
{
    LLVMValueRef v = air_write_value(w, e->a);
    if (e->type->kind != MF_TYPE_MATRIX) return air_write_convert(w, v, e->a->type, e->type);
    LLVMValueRef r = LLVMGetUndef(air_write_value_type(w, e->type));
    for (unsigned i = 0; i < e->type->columns; ++i) {
        LLVMValueRef column = LLVMBuildExtractValue(w->b, v, i, "");
        r = LLVMBuildInsertValue(w->b, r, air_write_convert(w, column, e->a->type->elem, e->type->elem), i, "");
    }
    return r;
}

static LLVMValueRef cast(air_writer *w, const mf_expr *e)
{
    const LLVMTypeRef type = air_write_value_type(w, e->type);
    switch (e->cast) {
    case MF_CAST_CONVERT: return converted(w, e);
    case MF_CAST_SPLAT: {
        LLVMValueRef v = air_write_value(w, e->a);
        if (mf_is_vector(e->type)) return air_write_splat(w, v, e->type->width);
        break;
    }
    case MF_CAST_PACK: return air_write_value(w, e->a);
    case MF_CAST_BITS: return reinterpreted(w, e);
    case MF_CAST_DECAY: return decayed(w, e);
    case MF_CAST_POINTER: return LLVMBuildBitCast(w->b, air_write_value(w, e->a), type, "");
    case MF_CAST_POINTER_TO_INT: return LLVMBuildPtrToInt(w->b, air_write_value(w, e->a), type, "");
    case MF_CAST_INT_TO_POINTER: return LLVMBuildIntToPtr(w->b, air_write_value(w, e->a), type, "");
    case MF_CAST_NULL_POINTER: return LLVMConstNull(type);
    case MF_CAST_POINTER_TO_BOOL: {
        LLVMValueRef p = air_write_value(w, e->a);
        return LLVMBuildICmp(w->b, LLVMIntNE, p, LLVMConstNull(LLVMTypeOf(p)), "");
    }
    case MF_CAST_TO_VOID: air_write_drop(w, e->a); return NULL;
    case MF_CAST_PLACE:
    case MF_CASTS: break;
    }
    air_write_refuse(w, e->at, "this conversion is not supported");
    return LLVMConstNull(type);
}

/* ---- Choices ------------------------------------------------------------------------------------------------------ */

static LLVMValueRef joined(air_writer *w, const mf_type *t, LLVMValueRef a, LLVMBasicBlockRef from_a, LLVMValueRef b, LLVMBasicBlockRef from_b)
{
    if (t->kind == MF_TYPE_VOID) return NULL;
    LLVMValueRef phi = LLVMBuildPhi(w->b, air_write_value_type(w, t), ""), values[2] = {a, b};
    LLVMBasicBlockRef from[2] = {from_a, from_b};
    LLVMAddIncoming(phi, values, from, 2);
    return phi;
}

static LLVMValueRef choice(air_writer *w, const mf_expr *e)
{
    LLVMValueRef c = air_write_value(w, e->a);
    LLVMBasicBlockRef yes = air_write_block(w, "yes"), no = air_write_block(w, "no"), end = air_write_block(w, "end");
    LLVMBuildCondBr(w->b, c, yes, no);
    LLVMPositionBuilderAtEnd(w->b, yes);
    LLVMValueRef a = air_write_value(w, e->b);
    yes = LLVMGetInsertBlock(w->b);
    LLVMBuildBr(w->b, end);
    LLVMPositionBuilderAtEnd(w->b, no);
    LLVMValueRef b = air_write_value(w, e->c);
    no = LLVMGetInsertBlock(w->b);
    LLVMBuildBr(w->b, end);
    LLVMPositionBuilderAtEnd(w->b, end);
    return joined(w, e->type, a, yes, b, no);
}

/* The right side where the left one does not decide. */
static LLVMValueRef logic(air_writer *w, const mf_expr *e)
{
    LLVMValueRef a = air_write_value(w, e->a);
    LLVMBasicBlockRef from = LLVMGetInsertBlock(w->b), more = air_write_block(w, "more"), end = air_write_block(w, "end");
    const bool is_and = e->kind == MF_EXPR_AND;
    LLVMBuildCondBr(w->b, a, is_and ? more : end, is_and ? end : more);
    LLVMPositionBuilderAtEnd(w->b, more);
    LLVMValueRef b = air_write_value(w, e->b);
    more = LLVMGetInsertBlock(w->b);
    LLVMBuildBr(w->b, end);
    LLVMPositionBuilderAtEnd(w->b, end);
    return joined(w, e->type, LLVMConstInt(w->i1, !is_and, 0), from, b, more);
}

/* ---- Values made of values ------------------------------------------------------------------------------------------ */

static unsigned width_of(LLVMValueRef v)
{
    const LLVMTypeRef t = LLVMTypeOf(v);
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetVectorSize(t) : 1;
}

static LLVMValueRef construct_vector(air_writer *w, const mf_expr *e)
{
    LLVMValueRef r = LLVMGetUndef(air_write_value_type(w, e->type));
    unsigned at = 0;
    for (uint32_t i = 0; i < e->arg_count; ++i) {
        LLVMValueRef v = air_write_value(w, e->args[i]);
        const unsigned n = width_of(v);
        for (unsigned k = 0; k < n; ++k) {
            LLVMValueRef one = n == 1 ? v : LLVMBuildExtractElement(w->b, v, air_write_int(w, k), "");
            r = LLVMBuildInsertElement(w->b, r, one, air_write_int(w, at++), "");
        }
    }
    return r;
}

static LLVMValueRef construct(air_writer *w, const mf_expr *e)
{
    if (e->type->kind == MF_TYPE_SIMD_MATRIX) return air_write_diagonal(w, e->type, air_write_value(w, e->args[0]));
    if (mf_is_vector(e->type)) return construct_vector(w, e);
    LLVMValueRef r = LLVMGetUndef(air_write_value_type(w, e->type));
    for (uint32_t i = 0; i < e->arg_count; ++i) r = LLVMBuildInsertValue(w->b, r, air_write_value(w, e->args[i]), i, "");
    return r;
}

/* Through memory: parts of aggregates differ from values (bool, packed vectors). Constants are put together. */
static LLVMValueRef aggregate(air_writer *w, const mf_expr *e)
{
    if (w->constant && e->type->kind == MF_TYPE_ARRAY) {
        LLVMValueRef r = LLVMConstNull(air_write_value_type(w, e->type));
        for (uint32_t i = 0; i < e->arg_count; ++i) {
            LLVMValueRef v = air_write_value(w, e->args[i]);
            if (mf_is_numeric(e->type->elem) && e->type->elem->scalar == MF_BOOL) v = to_bits(w, v, e->type->elem);
            r = LLVMBuildInsertValue(w->b, r, v, i, "");
        }
        return r;
    }
    if (w->constant && e->type->kind == MF_TYPE_RECORD && !e->type->record->is_union) {
        const air_record_layout *l = air_write_record(w, e->type->record);
        LLVMValueRef r = LLVMConstNull(l->type);
        for (uint32_t i = 0; i < e->arg_count; ++i)
            r = LLVMBuildInsertValue(w->b, r, to_bits(w, air_write_value(w, e->args[i]), e->args[i]->type), l->fields[i], "");
        return r;
    }
    const air_place p = air_write_room(w, e->type, STR("agg"));
    air_write_store(w, p, air_write_zero(w, e->type));
    for (uint32_t i = 0; i < e->arg_count; ++i) {
        air_place part = {.p = p.p, .type = e->args[i]->type};
        if (e->type->kind == MF_TYPE_ARRAY) {
            part = air_write_element(w, p, air_write_int(w, i), e->type->elem);
        } else if (e->type->record->is_union) {
            part.p = air_write_pointer_cast(w, p.p, air_write_memory_type(w, part.type));
        } else {
            const air_record_layout *l = air_write_record(w, e->type->record);
            part.p = LLVMBuildStructGEP2(w->b, l->type, p.p, l->fields[i], "");
            part.type = e->type->record->fields[i].type;
            part.p = air_write_pointer_cast(w, part.p, air_write_memory_type(w, part.type));
        }
        air_write_store(w, part, air_write_value(w, e->args[i]));
    }
    return air_write_load(w, p);
}

static LLVMValueRef swizzled(air_writer *w, const mf_expr *e)
{
    LLVMValueRef v = air_write_value(w, e->a);
    if (e->swizzle_count == 1) return LLVMBuildExtractElement(w->b, v, air_write_int(w, e->swizzle[0]), "");
    LLVMValueRef mask[4];
    for (unsigned i = 0; i < e->swizzle_count; ++i) mask[i] = air_write_int(w, e->swizzle[i]);
    return LLVMBuildShuffleVector(w->b, v, LLVMGetUndef(LLVMTypeOf(v)), LLVMConstVector(mask, e->swizzle_count), "");
}

static LLVMValueRef element(air_writer *w, const mf_expr *e)
{
    LLVMValueRef a = air_write_value(w, e->a), i = air_write_value(w, e->b);
    if (mf_is_vector(e->a->type)) {
        /* an index beyond the last would be undefined: of the numbers that a vector has, one is taken */
        if (!LLVMIsConstant(i)) i = LLVMBuildAnd(w->b, i, LLVMConstInt(LLVMTypeOf(i), e->a->type->width == 2 ? 1 : 3, 0), "");
        return LLVMBuildExtractElement(w->b, a, i, "");
    }
    if (LLVMIsAConstantInt(i) != NULL) return LLVMBuildExtractValue(w->b, a, (unsigned)LLVMConstIntGetZExtValue(i), "");
    const air_place p = air_write_room(w, e->a->type, STR("mat"));
    air_write_store(w, p, a);
    return air_write_load(w, air_write_element(w, p, i, e->type));
}

/* ---- All ------------------------------------------------------------------------------------------------------------- */

static LLVMValueRef post_step(air_writer *w, const mf_expr *e)
{
    LLVMValueRef old;
    (void)air_write_step(w, e, e->kind == MF_EXPR_POST_INC, &old);
    return old;
}

static LLVMValueRef loaded(air_writer *w, const mf_expr *e)
{
    const mf_expr *a = e->a;
    const bool given_later = a->kind == MF_EXPR_VAR && a->var->is_function_constant && !a->var->is_given;
    if (w->constant && given_later) {
        w->meets_given = true;
        return air_write_zero(w, e->type);
    }
    if (a->kind == MF_EXPR_VAR && a->var->has_value && mf_is_scalar(a->var->type)) return air_write_number(w, a->var->type, a->var->value);
    if (w->constant && a->kind == MF_EXPR_VAR && a->var->kind == MF_VAR_GLOBAL && a->var->init != NULL) return air_write_value(w, a->var->init);
    return air_write_load(w, air_write_place(w, a));
}

LLVMValueRef air_write_value(air_writer *w, const mf_expr *e)
{
    mf_constant c;
    if (!w->inner && air_write_is_sampler(e->type)) {
        LLVMValueRef made = air_write_sampler(w, e);
        if (made != NULL) return made;
    }
    if (w->constant && (mf_is_scalar(e->type) || e->type->kind == MF_TYPE_ENUM) && mf_fold(e, &c)) return air_write_number(w, e->type, c);
    switch ((int)e->kind) {
    case MF_EXPR_CONST: return air_write_number(w, e->type, e->constant);
    case MF_EXPR_ZERO: return air_write_zero(w, e->type);
    case MF_EXPR_LOAD: return loaded(w, e);
    case MF_EXPR_NEGATE: return negated(w, e);
    case MF_EXPR_COMPLEMENT:
    case MF_EXPR_NOT: return LLVMBuildNot(w->b, air_write_value(w, e->a), "");
    case MF_EXPR_POST_INC:
    case MF_EXPR_POST_DEC: return post_step(w, e);
    case MF_EXPR_ADDRESS: return air_write_place(w, e->a).p;
    case MF_EXPR_BINARY: return binary(w, e);
    case MF_EXPR_AND:
    case MF_EXPR_OR: return logic(w, e);
    case MF_EXPR_COND: return choice(w, e);
    case MF_EXPR_COMMA: air_write_drop(w, e->a); return air_write_value(w, e->b);
    case MF_EXPR_CAST: return cast(w, e);
    case MF_EXPR_CONSTRUCT: return construct(w, e);
    case MF_EXPR_AGGREGATE: return aggregate(w, e);
    case MF_EXPR_SWIZZLE: return swizzled(w, e);
    case MF_EXPR_ELEMENT: return element(w, e);
    case MF_EXPR_CALL: return air_write_call(w, e, NULL);
    case MF_EXPR_BUILTIN: return air_write_builtin(w, e);
    default: break;
    }
    air_write_refuse(w, e->at, "this expression is not supported");
    return e->type->kind == MF_TYPE_VOID ? NULL : air_write_zero(w, e->type);
}

void air_write_drop(air_writer *w, const mf_expr *e)
{
    if (e->lvalue) (void)air_write_place(w, e);
    else (void)air_write_value(w, e);
}
