/* What of a graph is needed, and which operations join. */
#include "emu/code.h"

typedef struct marker {
    emu_graph *g;
    emu_node **stack;
    size_t n, cap;
} marker;

static void push(marker *m, emu_node *n)
{
    if (n == NULL) return;
    ++n->uses;
    if (n->live) return;
    n->live = true;
    if (m->n == m->cap) {
        const size_t cap = m->cap == 0 ? 64 : m->cap * 2;
        emu_node **stack = arena_array(m->g->mem, emu_node *, cap);
        for (size_t i = 0; i < m->n; ++i) stack[i] = m->stack[i];
        m->stack = stack;
        m->cap = cap;
    }
    m->stack[m->n++] = n;
}

static void push_access(marker *m, emu_mem *a)
{
    push(m, a->base);
    push(m, a->index);
    push(m, a->lanes);
    if (a->object != NULL) push(m, a->object);
    for (unsigned k = 0; k < 4; ++k) push(m, a->value[k]);
    if (a->local != NULL) a->local->used = true;
}

/* The regions that a node stands in are needed: their conditions are. */
static void push_regions(marker *m, const emu_node *n)
{
    for (emu_region *r = n->region; r->head != NULL && !r->head->live; r = r->parent) push(m, r->head);
}

static void scan(marker *m)
{
    while (m->n != 0) {
        emu_node *n = m->stack[--m->n];
        for (int i = 0; i < 4; ++i) push(m, n->in[i]);
        for (int i = 0; i < 2; ++i) push(m, n->more[i]);
        if (n->mem != NULL) push_access(m, n->mem);
        if (n->placed) push_regions(m, n);
        if (n->kind != EMU_GET || n->var->gets != NULL) continue;
        /* the variable is read: what is written to it counts */
        n->var->gets = n;
        for (emu_node *s = n->var->sets; s != NULL; s = s->chain) push(m, s);
    }
}

/* Changes of type that leave the bits alone need no instruction: who uses the result uses what it came from. */
static emu_node *bare(emu_node *n)
{
    while (n != NULL && n->kind == EMU_PURE &&
           (n->op == EMU_MOV || (n->op == EMU_CONVERT && n->type != EMU_BOOL && n->type < EMU_F16 && n->operand_type < EMU_F16 &&
                                 emu_type_size((emu_type)n->type) == emu_type_size((emu_type)n->operand_type))))
        n = n->in[0];
    return n;
}

static void strip(emu_node *n)
{
    for (int i = 0; i < 4; ++i) n->in[i] = bare(n->in[i]);
    for (int i = 0; i < 2; ++i) n->more[i] = bare(n->more[i]);
    emu_mem *m = n->mem;
    if (m == NULL) return;
    m->object = bare(m->object);
    m->base = bare(m->base);
    m->index = bare(m->index);
    m->lanes = bare(m->lanes);
    for (int k = 0; k < 4; ++k) m->value[k] = bare(m->value[k]);
}

static bool is_root(const emu_node *n)
{
    if (n->kind == EMU_HOLD || n->kind == EMU_FENCE || n->kind == EMU_LOG_NODE) return true;
    return n->kind == EMU_STORE || n->kind == EMU_ATOMIC_NODE || n->kind == EMU_SYNC || n->kind == EMU_BREAK ||
           n->kind == EMU_LOOP_NODE || (n->kind == EMU_TEXTURE_NODE && n->op != EMU_TEXFETCH);
}

void emu_mark_live(emu_graph *g)
{
    marker m = {.g = g};
    for (emu_node *n = g->first; n != NULL; n = n->next) {
        strip(n);
        n->uses = 0;
        n->live = false;
        if (n->kind != EMU_SET) continue;
        n->chain = n->var->sets;
        n->var->sets = n;
    }
    for (emu_node *n = g->first; n != NULL; n = n->next) {
        if (!is_root(n)) continue;
        push(&m, n);
        scan(&m);
    }
    for (emu_node *n = g->first; n != NULL; n = n->next) {
        const emu_kind k = (emu_kind)n->kind;
        if (k == EMU_ELSE_NODE || k == EMU_ENDIF || k == EMU_ENDLOOP || k == EMU_ENDBLOCK)
            n->live = n->opened->head->live;
        if (k == EMU_FILL) n->live = n->mem->local->used;
    }
}

static bool small_float_op(const emu_node *n, emu_op op)
{
    return n->kind == EMU_PURE && n->op == op && n->type >= EMU_F16;
}

/* a * b + c as one instruction, rounding twice as two would. */
void emu_fuse(emu_graph *g)
{
    for (emu_node *n = g->first; n != NULL; n = n->next) {
        if (!n->live || !small_float_op(n, EMU_ADD) || emu_in_prologue(n) || (!emu_by_lane(n) && g->math == 0)) continue;
        for (int k = 0; k < 2; ++k) {
            emu_node *m = n->in[k], *other = n->in[1 - k];
            if (!small_float_op(m, EMU_MUL) || m->uses != 1 || m->region != n->region || emu_in_prologue(m)) continue;
            n->op = g->math != 0 ? EMU_FMA : EMU_MAD; /* other modes contract */
            n->in[0] = m->in[0];
            n->in[1] = m->in[1];
            n->in[2] = other;
            m->live = false;
            break;
        }
    }
}
