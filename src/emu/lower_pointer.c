/* Pointers as values: in memory and as integers they are 64 bits; those to thread memory that are only known at run time point into the
 * thread's stack, an array that holds every variable such a pointer may mean. */
#include "emu/lower.h"

enum { TAG_SHIFT = 48 };

/* What a variable is in lower.memory for: to lie in memory of its own, or on the stack, which exists where it is in there itself. */
static const char in_memory = 0, on_stack = 0;

void lower_to_memory(lower *l, const emu_local *local)
{
    if (map_get_id(l->memory, local->key) == NULL) map_put_id(l->mem, l->memory, local->key, &in_memory);
    l->restart = true;
}

bool lower_is_on_stack(const lower *l, const void *key)
{
    return map_get_id(l->memory, key) == &on_stack;
}

static bool has_stack(const lower *l)
{
    return map_get_id(l->memory, &on_stack) != NULL;
}

emu_local *lower_stack(lower *l)
{
    if (l->stack != NULL) return l->stack;
    if (!has_stack(l)) {
        map_put_id(l->mem, l->memory, &on_stack, &in_memory);
        l->restart = true;
    }
    l->stack = lower_local(l, &on_stack, STR("variables reached by pointers"), mf_scalar_type(MF_INT));
    l->stack->size = 0;
    return l->stack;
}

uint64_t lower_push_stack(lower *l, const mf_type *type)
{
    enum { LEAST_ALIGN = 16 }; /* what may be written with a variable */
    emu_local *stack = lower_stack(l);
    const uint64_t align = type->align > LEAST_ALIGN ? type->align : LEAST_ALIGN;
    const uint64_t at = (stack->size + align - 1) / align * align;
    stack->size = at + type->size;
    return at;
}

void lower_make_null(lower *l)
{
    map_put_id(l->mem, l->memory, &in_memory, &in_memory);
    lower_local(l, &in_memory, STR("a null pointer"), mf_scalar_type(MF_INT))->size = 0;
}

emu_local *lower_pointed_local(lower *l, place *p)
{
    emu_graph *g = l->g;
    if (emu_is_const(p->object)) return g->locals[p->object->imm];
    emu_node *null = emu_binary(g, EMU_EQ, EMU_I32, p->object, emu_constant(g, EMU_I32, 0));
    p->offset = emu_select(g, null, emu_constant(g, EMU_I64, INT64_MIN / 2), p->offset);
    p->object = emu_constant(g, EMU_I32, lower_stack(l)->index);
    return l->stack;
}

void lower_note_pointed(lower *l, place p)
{
    if (p.space != EMU_SPACE_THREAD || !emu_is_const(p.object)) return;
    emu_local *local = l->g->locals[p.object->imm];
    local->pointed = true;
    if (!has_stack(l) || local == l->stack || lower_is_on_stack(l, local->key)) return;
    map_put_id(l->mem, l->memory, local->key, &on_stack);
    l->restart = true;
}

static emu_node *word(lower *l, int64_t v)
{
    return emu_constant(l->g, EMU_U64, v);
}

emu_node *lower_encode_pointer(lower *l, emu_node *object, emu_node *offset)
{
    emu_graph *g = l->g;
    emu_node *tag = emu_binary(g, EMU_SHL, EMU_U64, emu_convert(g, EMU_U64, emu_reinterpret(g, EMU_U32, object)), word(l, TAG_SHIFT));
    emu_node *low = emu_binary(g, EMU_AND, EMU_U64, emu_reinterpret(g, EMU_U64, offset), word(l, ((int64_t)1 << TAG_SHIFT) - 1));
    return emu_binary(g, EMU_OR, EMU_U64, tag, low);
}

emu_node *lower_address(lower *l, emu_node *object, emu_node *offset)
{
    emu_graph *g = l->g;
    if (emu_is_const(object) && object->imm == 0) return emu_reinterpret(g, EMU_U64, offset);
    return emu_binary(g, EMU_ADD, EMU_U64, emu_unary(g, EMU_BASE, EMU_U64, object), emu_reinterpret(g, EMU_U64, offset));
}

void lower_decode_pointer(lower *l, emu_node *bits, emu_node *out[2])
{
    emu_graph *g = l->g;
    bits = emu_reinterpret(g, EMU_U64, bits);
    out[0] = emu_convert(g, EMU_I32, emu_binary(g, EMU_SHR, EMU_U64, bits, word(l, TAG_SHIFT)));
    emu_node *up = emu_binary(g, EMU_SHL, EMU_U64, bits, word(l, 64 - TAG_SHIFT));
    out[1] = emu_binary(g, EMU_SHR, EMU_I64, emu_reinterpret(g, EMU_I64, up), emu_constant(g, EMU_I64, 64 - TAG_SHIFT));
}
