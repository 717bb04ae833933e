/* Calls of the library's texture functions, and the numbers that texture and sampler parameters are. */
#include "emu/lower.h"

/* The elements of an array of textures are numbered from its slot on. */
void lower_bind_handles(lower *l, const mf_var *p, binding *b)
{
    const leaf_list leaves = lower_leaves(l, p->type);
    const place at = lower_local_place(l, lower_local(l, p, p->name, p->type));
    val v = lower_val(l, leaves.n);
    for (size_t i = 0; i < leaves.n; ++i) v.at[i] = emu_constant(l->g, leaves.at[i].type, (int64_t)(p->slot + i));
    lower_write(l, at, v, p->at);
    *b = (binding){true, at};
}

static emu_node *argument(lower *l, const mf_expr *e, uint32_t i)
{
    return emu_convert(l->g, EMU_U64, lower_scalar_of(l, e->args[i]));
}

static val single(lower *l, emu_node *n)
{
    val v = lower_val(l, 1);
    v.at[0] = n;
    return v;
}

static emu_node *texture_node(lower *l, emu_op op, emu_node *const in[3], emu_node *kind)
{
    emu_node *n = emu_effect(l->g, EMU_TEXTURE_NODE, EMU_U64);
    n->op = (uint8_t)op;
    n->k = (uint8_t)kind->imm;
    for (int i = 0; i < 3; ++i) n->in[i] = in[i];
    return n;
}

val lower_texture(lower *l, const mf_expr *e)
{
    emu_graph *g = l->g;
    emu_node *in[3] = {NULL};
    const uint32_t n = e->builtin == MF_FN_SAMPLER_BITS ? 1 : 3;
    for (uint32_t i = 0; i < n; ++i) in[i] = argument(l, e, i);
    if (e->builtin == MF_FN_SAMPLER_BITS) {
        const bool own = emu_is_const(in[0]) && in[0]->imm < 0;
        return single(l, own ? in[0] : emu_unary(g, EMU_SAMPLER, EMU_U64, in[0]));
    }
    if (e->builtin == MF_FN_TEXTURE_QUERY)
        return single(l, emu_convert(g, EMU_U32, emu_ternary(g, EMU_TEXQUERY, EMU_U64, in[0], in[1], in[2])));
    if (e->builtin == MF_FN_TEXTURE_STORE) {
        const val pixel = lower_eval(l, e->args[3]);
        l->g->at = e->at;
        emu_node *store = texture_node(l, EMU_TEXSTORE, in, lower_scalar_of(l, e->args[4]));
        store->in[3] = pixel.at[0];
        store->more[0] = pixel.at[1];
        return lower_val(l, 0);
    }
    if (e->builtin == MF_FN_TEXTURE_ATOMIC) {
        emu_node *words = argument(l, e, 3), *what = lower_scalar_of(l, e->args[5]);
        l->g->at = e->at;
        emu_node *atomic = texture_node(l, EMU_TEXATOMIC, in, lower_scalar_of(l, e->args[4]));
        atomic->in[3] = words;
        atomic->imm = what->imm;
        return single(l, emu_convert(g, EMU_U32, emu_part(g, atomic, 0)));
    }
    emu_node *kind = lower_scalar_of(l, e->args[3]);
    emu_node *fetch = texture_node(l, EMU_TEXFETCH, in, kind);
    val r = lower_val(l, 2);
    for (unsigned k = 0; k < 2; ++k) r.at[k] = emu_part(g, fetch, k);
    return r;
}
