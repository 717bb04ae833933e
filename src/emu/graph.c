/* Building a kernel's graph: nodes put in place, shared where equal, hoisted; variables followed through regions. */
#include "emu/graph.h"

enum { HASH_START = 256 };

void emu_graph_init(emu_graph *g, arena *mem)
{
    *g = (emu_graph){.mem = mem};
    g->root = arena_new(mem, emu_region);
    g->region = g->root;
    g->hash_size = HASH_START;
    g->hash = arena_array(mem, emu_node *, HASH_START);
    emu_object_list_push(mem, &g->objects, (emu_object_info){.kind = EMU_OBJECT_NULL, .name = STR("null")});
}

static emu_node *new_node(emu_graph *g, emu_kind kind, emu_type type)
{
    emu_node *n = arena_new(g->mem, emu_node);
    n->kind = (uint8_t)kind;
    n->type = n->operand_type = (uint8_t)type;
    n->region = g->region;
    n->at = g->called_at.file != 0 ? g->called_at : g->at;
    n->trusted = g->trusted;
    ++g->node_count;
    return n;
}

/* Links n in front of `next`; at the end where that is NULL. */
static void link_before(emu_graph *g, emu_node *n, emu_node *next)
{
    emu_node *prev = next != NULL ? next->prev : g->last;
    n->prev = prev;
    n->next = next;
    if (prev != NULL) prev->next = n;
    else g->first = n;
    if (next != NULL) next->prev = n;
    else g->last = n;
    n->position = next != NULL ? next->position : 0;
}

static void unlink_node(emu_graph *g, emu_node *n)
{
    if (n->prev != NULL) n->prev->next = n->next;
    else g->first = n->next;
    if (n->next != NULL) n->next->prev = n->prev;
    else g->last = n->prev;
    --g->node_count;
}

static void place(emu_graph *g, emu_node *n)
{
    n->placed = true;
    link_before(g, n, g->before);
}

/* Sharing of equal nodes. */

static uint32_t hash_of(const emu_node *n)
{
    uint64_t h = n->kind + 31u * n->op + 1009u * n->type + 65537u * n->k + 7u * n->operand_type;
    for (int i = 0; i < 4; ++i) h = (h ^ (uint64_t)(uintptr_t)n->in[i]) * 0x9e3779b97f4a7c15u;
    h = (h ^ (uint64_t)n->imm) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(h >> 32);
}

static bool same(const emu_node *a, const emu_node *b)
{
    return a->kind == b->kind && a->op == b->op && a->type == b->type && a->k == b->k &&
           a->operand_type == b->operand_type && a->imm == b->imm && a->in[0] == b->in[0] && a->in[1] == b->in[1] &&
           a->in[2] == b->in[2] && a->in[3] == b->in[3];
}

static void hash_grow(emu_graph *g)
{
    const uint32_t size = g->hash_size * 4;
    emu_node **hash = arena_array(g->mem, emu_node *, size);
    for (uint32_t i = 0; i < g->hash_size; ++i) {
        for (emu_node *n = g->hash[i], *next; n != NULL; n = next) {
            const uint32_t h = hash_of(n) & (size - 1);
            next = n->hash_next;
            n->hash_next = hash[h];
            hash[h] = n;
        }
    }
    g->hash = hash;
    g->hash_size = size;
}

/* An equal node whose region holds the present one, or NULL. */
static emu_node *find(const emu_graph *g, const emu_node *like)
{
    for (emu_node *n = g->hash[hash_of(like) & (g->hash_size - 1)]; n != NULL; n = n->hash_next)
        if (same(n, like) && n->region->depth <= g->region->depth && emu_within(g->region, n->region) &&
            (g->before == NULL || n->position <= g->before->position))
            return n;
    return NULL;
}

static void enter(emu_graph *g, emu_node *n)
{
    if (g->hash_count++ > g->hash_size) hash_grow(g);
    emu_node **slot = &g->hash[hash_of(n) & (g->hash_size - 1)];
    n->hash_next = *slot;
    *slot = n;
}

/* Puts a pure node in front of the outermost loop around that it does not depend on, else here. */
static void place_pure(emu_graph *g, emu_node *n)
{
    uint32_t depth = 0;
    for (int i = 0; i < 4; ++i)
        if (n->in[i] != NULL && n->in[i]->region->depth > depth) depth = n->in[i]->region->depth;
    if (n->mem != NULL && n->mem->offset->region->depth > depth) depth = n->mem->offset->region->depth;
    emu_region *loop = NULL;
    if ((g->checks >> EMU_CHECK_NUMERICS & 1u) != 0) depth = g->region->depth; /* its check stands where the text has it */
    for (emu_region *r = g->region; r->depth > depth; r = r->parent)
        if (r->kind == EMU_REGION_LOOP) loop = r;
    n->placed = true;
    if (loop == NULL) {
        link_before(g, n, g->before);
    } else {
        n->region = loop->parent;
        link_before(g, n, loop->head);
    }
}

static emu_node *share(emu_graph *g, const emu_node *like)
{
    emu_node *n = find(g, like);
    if (n != NULL) return n;
    n = new_node(g, (emu_kind)like->kind, (emu_type)like->type);
    n->op = like->op;
    n->k = like->k;
    n->operand_type = like->operand_type;
    n->imm = like->imm;
    n->depends = like->depends;
    for (int i = 0; i < 4; ++i) {
        n->in[i] = like->in[i];
        if (n->in[i] != NULL) n->depends |= n->in[i]->depends;
    }
    if (n->kind == EMU_CONST || n->kind == EMU_INPUT) n->region = g->root;
    else place_pure(g, n);
    enter(g, n);
    return n;
}

emu_node *emu_constant(emu_graph *g, emu_type type, int64_t value)
{
    switch (type) {
    case EMU_BOOL: value = value != 0; break;
    case EMU_I8: value = (int8_t)value; break;
    case EMU_U8: value = (uint8_t)value; break;
    case EMU_I16: value = (int16_t)value; break;
    case EMU_U16:
    case EMU_F16:
    case EMU_BF16: value = (uint16_t)value; break;
    case EMU_I32: value = (int32_t)value; break;
    case EMU_U32:
    case EMU_F32: value = (uint32_t)value; break;
    case EMU_I64:
    case EMU_U64:
    case EMU_TYPES: break;
    }
    const emu_node like = {.kind = EMU_CONST, .type = (uint8_t)type, .operand_type = (uint8_t)type, .imm = value};
    return share(g, &like);
}

emu_node *emu_input_node(emu_graph *g, emu_input which, uint8_t depends)
{
    const emu_node like = {.kind = EMU_INPUT, .type = EMU_U32, .operand_type = EMU_U32, .k = (uint8_t)which,
                           .depends = depends};
    return share(g, &like);
}

static bool is_comparison(emu_op op)
{
    return op == EMU_EQ || op == EMU_NE || op == EMU_LT || op == EMU_LE;
}

static emu_node *pure(emu_graph *g, emu_op op, emu_type type, emu_node *const *in, unsigned n)
{
    emu_node *folded = emu_fold(g, op, type, in, n);
    if (folded == NULL && g->math != 0) folded = emu_relax(g, op, type, in, n);
    if (folded != NULL) return folded;
    emu_type result = type;
    if (is_comparison(op)) result = EMU_BOOL;
    else if (op == EMU_FREXPE || op == EMU_ILOGB) result = EMU_I32;
    emu_node like = {.kind = EMU_PURE, .op = (uint8_t)op, .type = (uint8_t)result, .operand_type = (uint8_t)type};
    for (unsigned i = 0; i < n; ++i) like.in[i] = in[i];
    return share(g, &like);
}

emu_node *emu_unary(emu_graph *g, emu_op op, emu_type type, emu_node *a)
{
    return pure(g, op, type, &a, 1);
}

emu_node *emu_binary(emu_graph *g, emu_op op, emu_type type, emu_node *a, emu_node *b)
{
    emu_node *in[2] = {a, b};
    return pure(g, op, type, in, 2);
}

emu_node *emu_ternary(emu_graph *g, emu_op op, emu_type type, emu_node *a, emu_node *b, emu_node *c)
{
    emu_node *in[3] = {a, b, c};
    return pure(g, op, type, in, 3);
}

static bool is_small_float(emu_type t)
{
    return t == EMU_F16 || t == EMU_BF16;
}

emu_node *emu_convert(emu_graph *g, emu_type to, emu_node *a)
{
    const emu_type from = (emu_type)a->type;
    if (to == from) return a;
    /* half and bfloat meet other types in float, which holds them exactly; bool becomes a byte first. */
    if (is_small_float(to) && from != EMU_F32) return emu_convert(g, to, emu_convert(g, EMU_F32, a));
    if (is_small_float(from) && to != EMU_F32 && to != EMU_BOOL) return emu_convert(g, to, emu_convert(g, EMU_F32, a));
    emu_node *in[1] = {a};
    emu_node *folded = emu_fold(g, EMU_CONVERT, to, in, 1);
    if (folded != NULL) return folded;
    const emu_node like = {.kind = EMU_PURE, .op = EMU_CONVERT, .type = (uint8_t)to, .operand_type = (uint8_t)from,
                           .in = {a}};
    return share(g, &like);
}

emu_node *emu_reinterpret(emu_graph *g, emu_type to, emu_node *a)
{
    if (to == (emu_type)a->type) return a;
    if (emu_is_const(a)) return emu_constant(g, to, a->imm);
    const emu_node like = {.kind = EMU_PURE, .op = EMU_MOV, .type = (uint8_t)to, .operand_type = a->type, .in = {a}};
    return share(g, &like);
}

emu_node *emu_select(emu_graph *g, emu_node *condition, emu_node *yes, emu_node *no)
{
    return emu_ternary(g, EMU_SELECT, (emu_type)yes->type, yes, no, condition);
}

emu_node *emu_not(emu_graph *g, emu_node *a)
{
    return emu_binary(g, EMU_XOR, EMU_BOOL, a, emu_constant(g, EMU_BOOL, 1));
}

emu_node *emu_effect(emu_graph *g, emu_kind kind, emu_type type)
{
    emu_node *n = new_node(g, kind, type);
    place(g, n);
    return n;
}

emu_node *emu_load(emu_graph *g, emu_mem *m)
{
    emu_node *n = new_node(g, EMU_LOAD, m->type);
    n->mem = m;
    if (!m->safe) {
        place(g, n);
        return n;
    }
    const emu_node like = {.kind = EMU_LOAD, .type = n->type, .operand_type = n->type, .k = m->count,
                           .in = {m->object, m->offset}};
    emu_node *found = find(g, &like);
    if (found != NULL) return found;
    n->k = m->count;
    n->in[0] = m->object;
    n->in[1] = m->offset;
    place_pure(g, n);
    enter(g, n);
    return n;
}

emu_node *emu_part(emu_graph *g, emu_node *load, unsigned k)
{
    if (k == 0 && load->kind == EMU_LOAD) return load;
    emu_node *n = new_node(g, EMU_PART, (emu_type)load->type);
    n->in[0] = load;
    n->k = (uint8_t)k;
    n->region = load->region;
    /* directly behind what it is a part of, so that it stands wherever that stands */
    n->placed = true;
    link_before(g, n, load->next);
    return n;
}

/* Variables. */

static void change(emu_graph *g, emu_variable *v, emu_node *now)
{
    if (g->marks.n != 0) emu_change_list_push(g->mem, &g->changes, (emu_change){v, v->current});
    v->current = now;
}

emu_variable *emu_new_variable(emu_graph *g, emu_type type, emu_region *home)
{
    emu_variable *v = arena_new(g->mem, emu_variable);
    v->type = type;
    v->home = home;
    if (g->last_variable != NULL) g->last_variable->next = v;
    else g->variables = v;
    g->last_variable = v;
    return v;
}

emu_node *emu_get(emu_graph *g, emu_variable *v)
{
    if (v->current != NULL) return v->current;
    emu_node *n = emu_effect(g, EMU_GET, v->type);
    n->var = v;
    v->last_set = NULL;
    change(g, v, n);
    return n;
}

void emu_set(emu_graph *g, emu_variable *v, emu_node *value)
{
    if (v->current == value) return;
    if (v->last_set != NULL && v->last_epoch == g->epoch && v->last_set->region == g->region) unlink_node(g, v->last_set);
    emu_node *n = emu_effect(g, EMU_SET, v->type);
    n->var = v;
    n->in[0] = value;
    v->last_set = n;
    v->last_epoch = g->epoch;
    change(g, v, value);
}

void emu_forget(emu_graph *g, emu_variable *v)
{
    if (v->current != NULL) change(g, v, NULL);
}

/* Regions. */

emu_region *emu_open(emu_graph *g, emu_kind kind, emu_region_kind region, emu_node *condition)
{
    emu_node *head = emu_effect(g, kind, EMU_BOOL);
    emu_region *r = arena_new(g->mem, emu_region);
    r->kind = region;
    r->parent = g->region;
    r->depth = g->region->depth + 1;
    r->head = head;
    head->in[0] = condition;
    head->opened = r;
    g->region = r;
    ++g->epoch;
    emu_mark_list_push(g->mem, &g->marks, g->changes.n);
    return r;
}

emu_region *emu_else(emu_graph *g)
{
    emu_region *then = g->region;
    g->region = then->parent;
    emu_node *head = emu_effect(g, EMU_ELSE_NODE, EMU_BOOL);
    emu_region *r = arena_new(g->mem, emu_region);
    r->kind = EMU_REGION_ELSE;
    r->parent = then->parent;
    r->depth = then->depth;
    r->head = then->head;
    head->in[0] = then->head->in[0];
    head->opened = r;
    for (size_t i = g->changes.n; i > g->marks.at[g->marks.n - 1]; --i)
        g->changes.at[i - 1].var->current = g->changes.at[i - 1].before;
    g->region = r;
    ++g->epoch;
    return r;
}

void emu_close(emu_graph *g, emu_kind kind)
{
    emu_region *r = g->region;
    g->region = r->parent;
    emu_node *end = emu_effect(g, kind, EMU_BOOL);
    end->opened = r;
    end->in[0] = kind == EMU_ENDIF ? r->head->in[0] : NULL;
    const size_t mark = g->marks.at[--g->marks.n];
    if (r->kind != EMU_REGION_BLOCK || r->broken)
        for (size_t i = mark; i < g->changes.n; ++i) g->changes.at[i].var->current = NULL;
    if (g->marks.n == 0) g->changes.n = 0;
    ++g->epoch;
}

void emu_break(emu_graph *g, emu_region *target, emu_node *condition, bool when)
{
    emu_node *n = emu_effect(g, EMU_BREAK, EMU_BOOL);
    n->target = target;
    n->in[0] = condition;
    n->k = when ? 1 : 0;
    target->broken = true;
    ++g->epoch;
}
