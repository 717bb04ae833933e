/* Packing of floats into integers of fewer bits, and back: pack_float_to_unorm4x8 and its like. */
#include "emu/lower.h"

typedef struct pack_row {
    mf_builtin builtin;
    uint8_t bits, count;
    bool is_signed, packs;
} pack_row;

static const pack_row rows[] = {
    {MF_FN_PACK_FLOAT_TO_SNORM2X16, 16, 2, true, true},    {MF_FN_PACK_FLOAT_TO_SNORM4X8, 8, 4, true, true},
    {MF_FN_PACK_FLOAT_TO_UNORM2X16, 16, 2, false, true},   {MF_FN_PACK_FLOAT_TO_UNORM4X8, 8, 4, false, true},
    {MF_FN_PACK_HALF_TO_SNORM4X8, 8, 4, true, true},       {MF_FN_PACK_HALF_TO_UNORM4X8, 8, 4, false, true},
    {MF_FN_UNPACK_SNORM2X16_TO_FLOAT, 16, 2, true, false}, {MF_FN_UNPACK_SNORM4X8_TO_FLOAT, 8, 4, true, false},
    {MF_FN_UNPACK_SNORM4X8_TO_HALF, 8, 4, true, false},    {MF_FN_UNPACK_UNORM2X16_TO_FLOAT, 16, 2, false, false},
    {MF_FN_UNPACK_UNORM4X8_TO_FLOAT, 8, 4, false, false},  {MF_FN_UNPACK_UNORM4X8_TO_HALF, 8, 4, false, false},
};

static const pack_row *row_of(mf_builtin b)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
        if (rows[i].builtin == b) return &rows[i];
    return NULL;
}

/* 255, 127, 65535 or 32767. */
static emu_node *most(lower *l, const pack_row *row)
{
    return emu_constant_float(l->g, EMU_F32, (double)((1 << (row->bits - row->is_signed)) - 1));
}

/* Held within the range, scaled, to the nearest integer. */
static emu_node *pack_one(lower *l, const pack_row *row, emu_node *x)
{
    emu_graph *g = l->g;
    emu_node *low = emu_constant_float(g, EMU_F32, row->is_signed ? -1 : 0), *high = emu_constant_float(g, EMU_F32, 1);
    x = emu_convert(g, EMU_F32, x);
    x = emu_select(g, emu_binary(g, EMU_EQ, EMU_F32, x, x), x, emu_constant_float(g, EMU_F32, 0)); /* NaN is 0 */
    x = emu_binary(g, EMU_MIN, EMU_F32, emu_binary(g, EMU_MAX, EMU_F32, x, low), high);
    x = emu_unary(g, EMU_RINT, EMU_F32, emu_binary(g, EMU_MUL, EMU_F32, x, most(l, row)));
    emu_node *bits = emu_reinterpret(g, EMU_U32, emu_convert(g, EMU_I32, x));
    return emu_binary(g, EMU_AND, EMU_U32, bits, emu_constant(g, EMU_U32, (1 << row->bits) - 1));
}

static emu_node *unpack_one(lower *l, const pack_row *row, emu_node *word, unsigned k)
{
    emu_graph *g = l->g;
    const int64_t up = 32 - row->bits * (int64_t)(k + 1), down = 32 - row->bits;
    const emu_type t = row->is_signed ? EMU_I32 : EMU_U32;
    emu_node *x = emu_reinterpret(g, t, emu_binary(g, EMU_SHL, EMU_U32, word, emu_constant(g, EMU_U32, up)));
    x = emu_convert(g, EMU_F32, emu_binary(g, EMU_SHR, t, x, emu_constant(g, t, down)));
    x = emu_binary(g, EMU_DIV, EMU_F32, x, most(l, row));
    return row->is_signed ? emu_binary(g, EMU_MAX, EMU_F32, x, emu_constant_float(g, EMU_F32, -1)) : x;
}

val lower_pack(lower *l, const mf_expr *e)
{
    emu_graph *g = l->g;
    const pack_row *row = row_of(e->builtin);
    if (row == NULL) return (val){NULL, 0, NULL};
    const val a = lower_eval(l, e->args[0]);
    g->at = e->at;
    if (row->packs) {
        val r = lower_val(l, 1);
        r.at[0] = emu_constant(g, EMU_U32, 0);
        for (unsigned k = 0; k < row->count; ++k) {
            emu_node *part = pack_one(l, row, a.at[k]);
            part = emu_binary(g, EMU_SHL, EMU_U32, part, emu_constant(g, EMU_U32, (int64_t)k * row->bits));
            r.at[0] = emu_binary(g, EMU_OR, EMU_U32, r.at[0], part);
        }
        return r;
    }
    val r = lower_val(l, row->count);
    for (unsigned k = 0; k < row->count; ++k)
        r.at[k] = emu_convert(g, lower_scalar(e->type->scalar), unpack_one(l, row, a.at[0], k));
    return r;
}
