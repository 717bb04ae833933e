/* Registers: how long each value is needed, which values share a register, and what needs none of its own. */
#include "emu/code.h"

static uint32_t aligned(uint32_t bytes)
{
    return (bytes + EMU_ALIGN - 1) / EMU_ALIGN * EMU_ALIGN;
}

/* Bytes of a register of one lane's size. */
static uint32_t reg_bytes(const emu_registers *r, unsigned size, bool by_lane)
{
    return aligned((by_lane ? r->width : EMU_CHUNK) * size);
}

uint32_t emu_take_bytes(emu_registers *r, uint64_t bytes)
{
    const uint32_t at = r->top;
    if (bytes > EMU_MAX_FRAME - r->top) {
        r->too_large = true;
        return EMU_ALIGN;
    }
    r->top += (uint32_t)((bytes + EMU_ALIGN - 1) / EMU_ALIGN * EMU_ALIGN);
    return at;
}

uint32_t emu_take_register(emu_registers *r, unsigned size, bool by_lane)
{
    return emu_take_bytes(r, reg_bytes(r, size, by_lane));
}

/* Positions and lives. */

static void use_at(emu_node *n, const emu_node *user)
{
    if (n == NULL || n->kind == EMU_CONST || n->kind == EMU_INPUT) return;
    uint32_t p = user->position;
    for (const emu_region *r = user->region; r->depth > n->region->depth; r = r->parent)
        if (r->kind == EMU_REGION_LOOP && r->end > p) p = r->end;
    if (p > n->last) n->last = p;
    if (n->kind == EMU_PART && n->in[0]->kind == EMU_PART) use_at(n->in[0], user);
}

static void use_operands(emu_node *n)
{
    for (int i = 0; i < 4; ++i) use_at(n->in[i], n);
    for (int i = 0; i < 2; ++i) use_at(n->more[i], n);
    if (n->mem == NULL) return;
    use_at(n->mem->object, n);
    use_at(n->mem->base, n);
    use_at(n->mem->index, n);
    use_at(n->mem->lanes, n);
    for (int k = 0; k < 4; ++k) use_at(n->mem->value[k], n);
}

static void number(emu_graph *g)
{
    uint32_t p = 0;
    for (emu_node *n = g->first; n != NULL; n = n->next) {
        if (!n->live) continue;
        n->position = n->last = ++p;
        if (n->opened == NULL) continue;
        if (n->kind == EMU_ENDIF || n->kind == EMU_ENDLOOP || n->kind == EMU_ENDBLOCK || n->kind == EMU_ELSE_NODE)
            n->opened->end = p;
        if (n->kind != EMU_ENDIF && n->kind != EMU_ENDLOOP && n->kind != EMU_ENDBLOCK) n->opened->start = p;
    }
    for (emu_node *n = g->first; n != NULL; n = n->next)
        if (n->live && !emu_in_prologue(n)) use_operands(n);
}

/* A variable lives from its first to its last access, and over the whole of a loop that it outlives. */
static void alive_over(emu_variable *v, const emu_node *access, uint32_t to)
{
    uint32_t first = access->position, last = to;
    for (const emu_region *r = access->region; r->depth > v->home->depth; r = r->parent) {
        if (r->kind != EMU_REGION_LOOP) continue;
        if (r->start < first) first = r->start;
        if (r->end > last) last = r->end;
    }
    if (v->first == 0 || first < v->first) v->first = first;
    if (last > v->last) v->last = last;
}

static void find_aliases(emu_graph *g)
{
    for (emu_variable *v = g->variables; v != NULL; v = v->next) {
        v->first = v->last = 0;
        v->gets = v->sets = NULL;
    }
    for (emu_node *n = g->first; n != NULL; n = n->next) {
        if (!n->live || (n->kind != EMU_GET && n->kind != EMU_SET)) continue;
        emu_node **list = n->kind == EMU_GET ? &n->var->gets : &n->var->sets;
        n->chain = *list;
        *list = n;
        alive_over(n->var, n, n->position);
    }
    /* a GET is the variable itself where nothing is written while it is needed */
    for (emu_node *n = g->first; n != NULL; n = n->next) {
        if (!n->live || n->kind != EMU_GET) continue;
        n->alias = true;
        for (const emu_node *s = n->var->sets; s != NULL; s = s->chain)
            if (s->position > n->position && s->position <= n->last) n->alias = false;
        if (n->alias) alive_over(n->var, n, n->last);
    }
}

/* Does the instruction read all its operands' lanes of a chunk before it writes that chunk? Then a result may take the
 * register of an operand that ends there. */
static bool elementwise(const emu_node *n)
{
    if (n->kind == EMU_PURE || n->kind == EMU_GET) return !n->kept;
    return n->kind == EMU_LOAD && n->mem->count == 1;
}

/* Its value can be computed straight into the variable that takes it. */
static bool can_coalesce(const emu_node *set)
{
    const emu_node *n = set->in[0];
    const emu_variable *v = set->var;
    if (n->uses != 1 || !n->live || n->region != set->region || emu_in_prologue(n)) return false;
    if (n->kind != EMU_PURE && !(n->kind == EMU_LOAD && n->mem->count == 1) && n->kind != EMU_CROSS) return false;
    if (emu_by_lane(n) != ((v->depends & EMU_BY_LANE) != 0)) return false;
    if (set->region->depth > v->home->depth && emu_diverges_between(set->region, v->home)) return false;
    for (const emu_node *s = v->sets; s != NULL; s = s->chain)
        if (s != set && s->position > n->position && s->position < set->position) return false;
    for (const emu_node *g = v->gets; g != NULL; g = g->chain) {
        if (g->position > n->position && g->position < set->position) return false;
        if (g->alias && g->position < n->position && (elementwise(n) ? g->last > n->position : g->last >= n->position))
            return false;
    }
    return true;
}

static void coalesce(emu_graph *g)
{
    for (emu_node *n = g->first; n != NULL; n = n->next) {
        if (!n->live || n->kind != EMU_SET || !can_coalesce(n)) continue;
        n->coalesced = n->in[0]->coalesced = true;
        n->in[0]->var = n->var;
        if (n->in[0]->position < n->var->first) n->var->first = n->in[0]->position;
    }
}

/* Permanent registers: constants, inputs, results of the prologue, thread arrays. */

static void permanent(emu_registers *r, emu_node *n)
{
    if (n == NULL || n->reg != 0) return;
    const unsigned size = emu_type_size((emu_type)n->type);
    arena *mem = r->g->mem;
    if (n->kind == EMU_CONST) {
        n->reg = emu_take_register(r, size, false);
        emu_literal_list_push(mem, &r->p->literals, (emu_literal){n->reg, (emu_type)n->type, n->imm});
    } else if (n->kind == EMU_INPUT) {
        n->reg = emu_take_register(r, size, emu_by_lane(n));
        emu_input_list_push(mem, &r->p->inputs, (emu_input_reg){(emu_input)n->k, n->reg});
    } else if (emu_in_prologue(n)) {
        n->reg = emu_take_register(r, size, emu_by_lane(n));
    }
}

static void permanent_operands(emu_registers *r, const emu_node *n)
{
    for (int i = 0; i < 4; ++i) permanent(r, n->in[i]);
    for (int i = 0; i < 2; ++i) permanent(r, n->more[i]);
    if (n->mem == NULL) return;
    /* a known object is named in the access itself */
    if (n->mem->object != NULL && !emu_is_const(n->mem->object)) permanent(r, n->mem->object);
    permanent(r, n->mem->base);
    permanent(r, n->mem->index);
    permanent(r, n->mem->lanes);
    for (int k = 0; k < 4; ++k) permanent(r, n->mem->value[k]);
}

static void place_locals(emu_registers *r)
{
    for (uint32_t i = 0; i < r->g->local_count; ++i) {
        emu_local *l = r->g->locals[i];
        if (!l->in_memory || !l->used) continue;
        const uint64_t copies = l->watched ? 2 : 1; /* the second: which bytes are written */
        const uint64_t rows = (l->size + l->granule - 1) / l->granule * copies;
        l->at = emu_take_bytes(r, l->size > EMU_MAX_FRAME ? EMU_MAX_FRAME : rows * l->granule * r->width);
    }
}

/* The rest: registers by size, given back where their value ends. */
typedef struct ending {
    uint32_t reg;
    uint8_t kind;
    struct ending *next;
} ending;
typedef struct pools {
    emu_registers *r;
    ending **at;    /* by position: what ends there */
    ending *free[8]; /* by log2 of the size, and by lane or uniform */
    ending *spare;
    uint32_t released, positions;
} pools;

static uint8_t kind_of(unsigned size, bool by_lane)
{
    return (uint8_t)((size == 8 ? 3 : size / 2) + (by_lane ? 4 : 0));
}

static uint32_t allocate(pools *p, emu_type type, bool by_lane, uint32_t last)
{
    const unsigned size = emu_type_size(type);
    const uint8_t kind = kind_of(size, by_lane);
    ending *e = p->free[kind];
    if (e != NULL) {
        p->free[kind] = e->next;
    } else {
        e = arena_new(p->r->g->mem, ending);
        e->reg = emu_take_register(p->r, size, by_lane);
        e->kind = kind;
        if (!by_lane) emu_uniform_list_push(p->r->g->mem, &p->r->uniforms, (emu_uniform){e->reg, EMU_CHUNK * size});
    }
    e->next = p->at[last];
    p->at[last] = e;
    return e->reg;
}

static void release_to(pools *p, uint32_t position)
{
    for (; p->released < position; ++p->released) {
        ending *e = p->at[p->released + 1];
        while (e != NULL) {
            ending *next = e->next;
            e->next = p->free[e->kind];
            p->free[e->kind] = e;
            e = next;
        }
    }
}

static void start_variable(pools *p, emu_variable *v)
{
    if (v->reg == 0) v->reg = allocate(p, v->type, (v->depends & EMU_BY_LANE) != 0, v->last);
}

static void assign(pools *p, emu_node *n)
{
    /* what ended before may be used again; what ends here only by an instruction that allows it */
    release_to(p, elementwise(n) ? n->position : n->position - 1);
    const emu_kind k = (emu_kind)n->kind;
    if (k == EMU_SET && !n->coalesced) start_variable(p, n->var);
    if (k == EMU_GET) start_variable(p, n->var);
    if (k == EMU_GET && n->alias) n->reg = n->var->reg;
    const bool value = k == EMU_PURE || k == EMU_GET || k == EMU_LOAD || k == EMU_PART || k == EMU_ATOMIC_NODE ||
                       k == EMU_CROSS || k == EMU_MATRIX_NODE || k == EMU_TEXTURE_NODE;
    if (!value || n->reg != 0) return;
    if (n->coalesced) {
        start_variable(p, n->var);
        n->reg = n->var->reg;
        return;
    }
    n->reg = allocate(p, (emu_type)n->type, emu_by_lane(n), n->last);
}

/* Variables whose life begins at a loop's head, before any access. */
static void start_loop_variables(pools *p, uint32_t position)
{
    for (emu_variable *v = p->r->g->variables; v != NULL; v = v->next)
        if (v->first == position && v->reg == 0) start_variable(p, v);
}

void emu_assign_registers(emu_registers *r)
{
    emu_graph *g = r->g;
    r->top = EMU_ALIGN; /* register 0 means none */
    for (emu_node *n = g->first; n != NULL; n = n->next)
        n->kept = (g->checks >> EMU_CHECK_NUMERICS & 1u) != 0 && n->kind == EMU_PURE && n->type >= EMU_F16;
    number(g);
    find_aliases(g);
    coalesce(g);
    for (emu_node *n = g->first; n != NULL; n = n->next) {
        if (!n->live) continue;
        permanent_operands(r, n);
        if (emu_in_prologue(n)) permanent(r, n);
    }
    place_locals(r);
    pools p = {.r = r};
    for (const emu_node *n = g->first; n != NULL; n = n->next)
        if (n->live) p.positions = n->position;
    p.at = arena_array(g->mem, ending *, (size_t)p.positions + 2);
    for (emu_node *n = g->first; n != NULL; n = n->next) {
        if (!n->live) continue;
        if (n->kind == EMU_LOOP_NODE) start_loop_variables(&p, n->position);
        if (n->kind == EMU_PART) continue; /* given with the load or matrix it is part of */
        assign(&p, n);
        if (n->kind != EMU_LOAD && n->kind != EMU_MATRIX_NODE && n->kind != EMU_TEXTURE_NODE) continue;
        for (emu_node *part = n->next; part != NULL && part->kind == EMU_PART && part->in[0] == n; part = part->next)
            if (part->live && part->reg == 0) part->reg = allocate(&p, (emu_type)n->type, emu_by_lane(n), part->last);
    }
}
