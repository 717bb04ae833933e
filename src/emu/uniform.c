/* Which values differ between lanes or runs, and where control flow diverges: to a fixed point. */
#include "emu/code.h"

bool emu_diverges_between(const emu_region *inner, const emu_region *outer)
{
    for (const emu_region *r = inner; r->depth > outer->depth; r = r->parent)
        if (r->divergent) return true;
    return false;
}

static uint8_t of_load(const emu_node *n, uint32_t batch)
{
    const emu_mem *m = n->mem;
    const uint8_t address = m->object->depends | m->offset->depends;
    if (m->space == EMU_SPACE_THREAD) return EMU_BY_LANE | EMU_BY_RUN;
    if (m->safe) return address;
    if (m->space == EMU_SPACE_THREADGROUP && batch > 1) return EMU_BY_LANE | EMU_BY_RUN;
    return address | EMU_BY_RUN;
}

static uint8_t of_node(const emu_node *n, uint32_t batch)
{
    uint8_t d = n->depends;
    switch ((emu_kind)n->kind) {
    case EMU_PURE:
        for (int i = 0; i < 4; ++i)
            if (n->in[i] != NULL) d |= n->in[i]->depends;
        return d;
    case EMU_GET: return n->var->depends;
    case EMU_LOAD: return of_load(n, batch);
    case EMU_PART: return n->in[0]->depends;
    case EMU_ATOMIC_NODE:
    case EMU_CROSS:
    case EMU_TEXTURE_NODE:
    case EMU_MATRIX_NODE: return EMU_BY_LANE | EMU_BY_RUN;
    case EMU_CONST:
    case EMU_INPUT:
    case EMU_SET:
    case EMU_STORE:
    case EMU_FILL:
    case EMU_SYNC:
    case EMU_LOG_NODE:
    case EMU_FENCE:
    case EMU_HOLD:
    case EMU_IF_NODE:
    case EMU_ELSE_NODE:
    case EMU_ENDIF:
    case EMU_LOOP_NODE:
    case EMU_ENDLOOP:
    case EMU_BLOCK:
    case EMU_ENDBLOCK:
    case EMU_BREAK: break;
    }
    return d;
}

/* True where something was learnt. */
static bool visit(emu_node *n, uint32_t batch)
{
    const uint8_t d = of_node(n, batch);
    bool news = d != n->depends;
    n->depends = d;
    if (n->kind == EMU_SET) {
        emu_variable *v = n->var;
        uint8_t dv = v->depends | EMU_BY_RUN | (n->in[0]->depends & EMU_BY_LANE);
        if (n->region->depth > v->home->depth && emu_diverges_between(n->region, v->home)) dv |= EMU_BY_LANE;
        news = news || dv != v->depends;
        v->depends = dv;
    } else if ((n->kind == EMU_IF_NODE || n->kind == EMU_ELSE_NODE) && !n->opened->divergent) {
        n->opened->divergent = emu_by_lane(n->in[0]);
        news = news || n->opened->divergent;
    } else if (n->kind == EMU_BREAK && !n->target->divergent) {
        n->target->divergent = (n->in[0] != NULL && emu_by_lane(n->in[0])) || emu_diverges_between(n->region, n->target);
        news = news || n->target->divergent;
    }
    return news;
}

void emu_find_dependence(emu_graph *g, uint32_t batch)
{
    bool news = true;
    while (news) {
        news = false;
        for (emu_node *n = g->first; n != NULL; n = n->next) news = visit(n, batch) || news;
    }
}
