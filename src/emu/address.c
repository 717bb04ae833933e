/* Addresses in parts: a uniform base, a uniform index and a per-lane index, so that what the lanes add is known once for
 * the launch, and a load need not compute an address a lane. */
#include "emu/code.h"

static bool uniform(const emu_node *n)
{
    return !emu_by_lane(n);
}

static bool is_pure(const emu_node *n, emu_op op)
{
    return n->kind == EMU_PURE && n->op == op;
}

/* a + b of 32 bits, either NULL for 0. */
static emu_node *sum(emu_graph *g, emu_node *a, emu_node *b)
{
    if (a == NULL || b == NULL) return a != NULL ? a : b;
    return emu_binary(g, EMU_ADD, EMU_U32, a, b);
}

static emu_node *difference(emu_graph *g, emu_node *a, emu_node *b)
{
    if (b == NULL) return a;
    return emu_binary(g, EMU_SUB, EMU_U32, a != NULL ? a : emu_constant(g, EMU_U32, 0), b);
}

static emu_node *product(emu_graph *g, emu_node *a, emu_node *b)
{
    return a == NULL ? NULL : emu_binary(g, EMU_MUL, EMU_U32, a, b);
}

static void set_split(emu_node *n, emu_node *index, emu_node *lanes, int64_t imm)
{
    n->split_index = index;
    n->split_lanes = lanes;
    n->split_imm = (int32_t)(uint32_t)(uint64_t)imm;
}

static void split(emu_graph *g, emu_node *n, unsigned depth);

/* What is made for n goes directly behind it, where all that use n can use it too. */
static void go_behind(emu_graph *g, const emu_node *n)
{
    g->region = n->region;
    g->before = n->next;
}

/* n * c, c uniform: distributes where the lanes' part stays lane-constant. */
static bool split_product(emu_graph *g, emu_node *n, unsigned depth)
{
    emu_node *a = n->in[0], *c = n->in[1];
    if (!uniform(c)) {
        emu_node *swap = a;
        a = c;
        c = swap;
    }
    if (!uniform(c)) return false;
    if (is_pure(n, EMU_SHL)) {
        if (a != n->in[0] || !emu_is_const(c)) return false;
        c = emu_constant(g, EMU_U32, (int64_t)1 << (c->imm & 31));
    }
    split(g, a, depth + 1);
    go_behind(g, n);
    if (a->split_lanes == NULL || (a->split_lanes == a && a->split_index == NULL && a->split_imm == 0)) return false;
    if ((c->depends & EMU_BY_RUN) != 0) return false;
    emu_node *imm = product(g, emu_constant(g, EMU_U32, a->split_imm), c);
    emu_node *index = product(g, a->split_index, c);
    int64_t k = 0;
    if (emu_is_const(imm)) k = imm->imm;
    else index = sum(g, index, imm);
    set_split(n, index, product(g, a->split_lanes, c), k);
    return true;
}

/* n, of 32 bits, as index + lanes + imm: index uniform or NULL, lanes varying or NULL. */
static void split(emu_graph *g, emu_node *n, unsigned depth)
{
    enum { DEEPEST = 64 };
    if (n->split_done) return;
    n->split_done = true;
    if (emu_is_const(n)) {
        set_split(n, NULL, NULL, n->imm);
        return;
    }
    const bool add = is_pure(n, EMU_ADD), sub = is_pure(n, EMU_SUB);
    if (uniform(n)) {
        set_split(n, n, NULL, 0);
        if (add && emu_is_const(n->in[1])) set_split(n, n->in[0], NULL, n->in[1]->imm);
        return;
    }
    set_split(n, NULL, n, 0);
    if (depth > DEEPEST) return;
    if (add || sub) {
        emu_node *a = n->in[0], *b = n->in[1];
        split(g, a, depth + 1);
        split(g, b, depth + 1);
        go_behind(g, n);
        emu_node *index = add ? sum(g, a->split_index, b->split_index) : difference(g, a->split_index, b->split_index);
        emu_node *lanes = add ? sum(g, a->split_lanes, b->split_lanes) : difference(g, a->split_lanes, b->split_lanes);
        set_split(n, index, lanes, add ? a->split_imm + b->split_imm : a->split_imm - b->split_imm);
    } else if (is_pure(n, EMU_MUL) || is_pure(n, EMU_SHL)) {
        (void)split_product(g, n, depth);
    } else if (is_pure(n, EMU_CONVERT) && emu_type_size((emu_type)n->in[0]->type) == 4 && n->in[0]->type != EMU_F32) {
        split(g, n->in[0], depth + 1);
        set_split(n, n->in[0]->split_index, n->in[0]->split_lanes, n->in[0]->split_imm);
    }
}

/* A byte offset as a sum. */
typedef struct term {
    emu_node *node; /* 64 bits, or the 32 bits before they were extended */
    emu_extend extend;
    int64_t scale;
} term;
enum { MOST_TERMS = 12 };
typedef struct terms {
    term at[MOST_TERMS];
    unsigned n;
    int64_t imm;
    bool overflow;
} terms;

static int64_t wrap_mul(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

static int64_t wrap_add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static void collect(terms *t, emu_node *n, int64_t scale, unsigned depth)
{
    if (emu_is_const(n)) {
        t->imm = wrap_add(t->imm, wrap_mul(n->imm, scale));
        return;
    }
    if (depth < 64 && (is_pure(n, EMU_ADD) || is_pure(n, EMU_SUB))) {
        collect(t, n->in[0], scale, depth + 1);
        collect(t, n->in[1], is_pure(n, EMU_SUB) ? wrap_mul(scale, -1) : scale, depth + 1);
        return;
    }
    if (is_pure(n, EMU_MUL) && emu_is_const(n->in[1])) {
        collect(t, n->in[0], wrap_mul(scale, n->in[1]->imm), depth + 1);
        return;
    }
    if (t->n == MOST_TERMS) {
        t->overflow = true;
        return;
    }
    term x = {n, EMU_EXTEND_NONE, scale};
    if (is_pure(n, EMU_CONVERT) && (n->in[0]->type == EMU_I32 || n->in[0]->type == EMU_U32)) {
        x.node = n->in[0];
        x.extend = n->in[0]->type == EMU_I32 ? EMU_EXTEND_SIGNED : EMU_EXTEND_UNSIGNED;
    }
    t->at[t->n++] = x;
}

/* The uniform terms but `skip`, as one 64-bit node; NULL for none. */
static emu_node *uniform_sum(emu_graph *g, const terms *t, const term *skip)
{
    emu_node *r = NULL;
    for (unsigned i = 0; i < t->n; ++i) {
        const term *x = &t->at[i];
        if (x == skip) continue;
        emu_node *wide = emu_convert(g, EMU_I64, x->node);
        emu_node *bytes = emu_binary(g, EMU_MUL, EMU_I64, wide, emu_constant(g, EMU_I64, x->scale));
        r = r == NULL ? bytes : emu_binary(g, EMU_ADD, EMU_I64, r, bytes);
    }
    return r;
}

static void whole_offset(emu_mem *m)
{
    m->lanes = uniform(m->offset) ? NULL : m->offset;
    m->index = uniform(m->offset) ? m->offset : NULL;
    m->extend = EMU_EXTEND_NONE;
    m->scale = 1;
    m->imm = m->index_imm = 0;
    m->base = NULL;
}

static void split_access(emu_graph *g, emu_node *user)
{
    enum { MOST_SCALE = 1 << 28 };
    emu_mem *m = user->mem;
    if (emu_is_const(m->offset)) {
        m->imm = m->offset->imm;
        m->extend = EMU_EXTEND_NONE;
        return;
    }
    terms t = {.n = 0};
    collect(&t, m->offset, 1, 0);
    const term *lane = NULL;
    bool simple = !t.overflow;
    for (unsigned i = 0; i < t.n; ++i) {
        if (uniform(t.at[i].node)) continue;
        if (lane != NULL || t.at[i].extend == EMU_EXTEND_NONE) simple = false;
        lane = &t.at[i];
    }
    if (lane == NULL) { /* one 32-bit index can be scaled by the access itself */
        for (unsigned i = 0; i < t.n; ++i)
            if (t.at[i].extend != EMU_EXTEND_NONE) lane = &t.at[i];
    }
    if (!simple || lane == NULL || lane->scale > MOST_SCALE || lane->scale < -MOST_SCALE) {
        whole_offset(m);
        return;
    }
    split(g, lane->node, 0);
    g->region = user->region;
    g->before = user;
    m->extend = lane->extend;
    m->scale = lane->scale;
    m->imm = t.imm;
    m->index = lane->node->split_index;
    m->lanes = lane->node->split_lanes;
    m->index_imm = lane->node->split_imm;
    m->base = uniform_sum(g, &t, lane);
    m->by_lane = m->lanes != NULL && (m->lanes->depends & EMU_BY_RUN) == 0;
}

/* Adds n * scale to the uniform sum or to that of what is lane-constant. False where it is neither, and no sum of such. */
static bool add_part(emu_graph *g, emu_node *n, int64_t scale, emu_node *sums[2], unsigned depth)
{
    enum { DEEPEST = 16 };
    if (uniform(n) || (n->depends & EMU_BY_RUN) == 0) {
        emu_node **to = &sums[uniform(n) ? 0 : 1];
        if (scale != 1) n = emu_binary(g, EMU_MUL, EMU_I64, n, emu_constant(g, EMU_I64, scale));
        *to = *to == NULL ? n : emu_binary(g, EMU_ADD, EMU_I64, *to, n);
        return true;
    }
    if (depth > DEEPEST) return false;
    if (is_pure(n, EMU_ADD) || is_pure(n, EMU_SUB))
        return add_part(g, n->in[0], scale, sums, depth + 1) &&
               add_part(g, n->in[1], is_pure(n, EMU_SUB) ? wrap_mul(scale, -1) : scale, sums, depth + 1);
    if (is_pure(n, EMU_MUL) && emu_is_const(n->in[1])) return add_part(g, n->in[0], wrap_mul(scale, n->in[1]->imm), sums, depth + 1);
    if (is_pure(n, EMU_SHL) && emu_is_const(n->in[1]))
        return add_part(g, n->in[0], wrap_mul(scale, (int64_t)1 << (n->in[1]->imm & 63)), sums, depth + 1);
    return false;
}

/* What an index should be, in two parts: then one look at the extremes of what the lanes add serves for all of them. */
static void split_exact(emu_graph *g, emu_node *n)
{
    emu_node *sums[2] = {NULL, NULL}, *whole = n->in[0];
    const bool parts = add_part(g, whole, 1, sums, 0);
    n->in[0] = parts ? sums[0] : NULL;
    n->in[1] = parts ? sums[1] : whole;
}

void emu_split_addresses(emu_graph *g)
{
    uint32_t position = 0;
    for (emu_node *n = g->first; n != NULL; n = n->next) n->position = ++position;
    for (emu_node *n = g->first; n != NULL; n = n->next) {
        const bool index = n->kind == EMU_HOLD && n->k == EMU_FAULT_INDEX;
        if (!index && (n->mem == NULL || n->kind == EMU_FILL)) continue;
        g->region = n->region;
        g->before = n;
        g->at = n->at;
        if (index) {
            split_exact(g, n);
            continue;
        }
        split_access(g, n);
        /* a lane-constant index works with an object that is the same for all lanes */
        if (!uniform(n->mem->object)) n->mem->by_lane = false;
    }
    g->before = NULL;
}
