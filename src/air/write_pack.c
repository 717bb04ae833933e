/* Packing of floats into integers of fewer bits, and back: pack_float_to_unorm4x8 and its like, made of operations by the
 * formulas of the software device. */
#include "air/write.h"

typedef struct pack_row {
    mf_builtin builtin;
    uint8_t bits, count;
    bool is_signed, packs;
} pack_row;

static const pack_row *row_of(mf_builtin b)
{
#define ALL(SIZE, bits, count, FLOAT)                                                                                  \
    {MF_FN_PACK_##FLOAT##_TO_SNORM##SIZE, bits, count, true, true}, {MF_FN_PACK_##FLOAT##_TO_UNORM##SIZE, bits, count, false, true},  \
        {MF_FN_UNPACK_SNORM##SIZE##_TO_##FLOAT, bits, count, true, false}, {MF_FN_UNPACK_UNORM##SIZE##_TO_##FLOAT, bits, count, false, false}
    static const pack_row rows[] = {ALL(2X16, 16, 2, FLOAT), ALL(4X8, 8, 4, FLOAT), ALL(4X8, 8, 4, HALF)};
#undef ALL
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
        if (rows[i].builtin == b) return &rows[i];
    return NULL;
}

static LLVMValueRef number(air_writer *w, const mf_type *t, double f)
{
    return air_write_splat(w, air_write_number(w, mf_scalar_type(t->scalar), (mf_constant){.f = f}), t->width);
}

static LLVMValueRef whole(air_writer *w, const mf_type *t, uint64_t i)
{
    return air_write_splat(w, air_write_number(w, mf_scalar_type(t->scalar), (mf_constant){.i = i}), t->width);
}

/* 255, 127, 65535 or 32767. */
static double most(const pack_row *row)
{
    return (double)((1 << (row->bits - row->is_signed)) - 1);
}

static LLVMValueRef pick(air_writer *w, mf_op op, const mf_type *t, LLVMValueRef a, LLVMValueRef b, LLVMValueRef yes, LLVMValueRef no)
{
    return LLVMBuildSelect(w->b, air_write_binary(w, op, t, a, b), yes, no, "");
}

/* Held within the range (NaN is 0), scaled, to the nearest integer. */
static LLVMValueRef packed(air_writer *w, const pack_row *row, LLVMValueRef v, const mf_type *t)
{
    const mf_type f = air_write_like(MF_FLOAT, row->count), i = air_write_like(MF_INT, row->count);
    LLVMValueRef x = air_write_convert(w, v, t, &f), low = number(w, &f, row->is_signed ? -1 : 0), high = number(w, &f, 1);
    x = pick(w, MF_OP_EQ, &f, x, x, x, number(w, &f, 0));
    x = pick(w, MF_OP_LT, &f, x, low, low, x);
    x = pick(w, MF_OP_LT, &f, high, x, high, x);
    x = air_write_binary(w, MF_OP_MUL, &f, x, number(w, &f, most(row)));
    const str name = str_format(w->mem, "rint.%s", air_write_type_name(w, &f, false).p);
    x = air_write_convert(w, air_write_air(w, name.p, air_write_value_type(w, &f), &x, 1), &f, &i);
    x = LLVMBuildAnd(w->b, x, whole(w, &i, (1u << row->bits) - 1), "");
    LLVMValueRef r = air_write_int(w, 0);
    for (unsigned k = 0; k < row->count; ++k) {
        LLVMValueRef part = LLVMBuildExtractElement(w->b, x, air_write_int(w, k), "");
        r = LLVMBuildOr(w->b, r, LLVMBuildShl(w->b, part, air_write_int(w, (uint64_t)k * row->bits), ""), "");
    }
    return r;
}

static LLVMValueRef unpacked(air_writer *w, const pack_row *row, LLVMValueRef word, const mf_type *to)
{
    const mf_type f = air_write_like(MF_FLOAT, row->count), i = air_write_like(row->is_signed ? MF_INT : MF_UINT, row->count);
    LLVMValueRef x = LLVMGetUndef(air_write_value_type(w, &i));
    for (unsigned k = 0; k < row->count; ++k) {
        LLVMValueRef up = LLVMBuildShl(w->b, word, air_write_int(w, 32 - (uint64_t)row->bits * (k + 1)), "");
        x = LLVMBuildInsertElement(w->b, x, up, air_write_int(w, k), "");
    }
    LLVMValueRef down = whole(w, &i, 32u - row->bits);
    x = row->is_signed ? LLVMBuildAShr(w->b, x, down, "") : LLVMBuildLShr(w->b, x, down, "");
    x = air_write_binary(w, MF_OP_DIV, &f, air_write_convert(w, x, &i, &f), number(w, &f, most(row)));
    LLVMValueRef least = number(w, &f, -1);
    if (row->is_signed) x = pick(w, MF_OP_LT, &f, x, least, least, x);
    return air_write_convert(w, x, &f, to);
}

LLVMValueRef air_write_pack(air_writer *w, const mf_expr *e)
{
    const pack_row *row = row_of(e->builtin);
    if (row == NULL) return NULL;
    LLVMValueRef v = air_write_value(w, e->args[0]);
    return row->packs ? packed(w, row, v, e->args[0]->type) : unpacked(w, row, v, e->type);
}
