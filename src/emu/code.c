/* From a graph with its registers to instructions. */
#include "emu/check.h"
#include "emu/code.h"
#include "emu/mask.h"

/* A construct with a mask level of its own that is open. */
typedef struct construct {
    uint32_t exit; /* label of where to go when its mask runs empty */
    uint32_t known; /* checked programs: its emu_construct */
    struct construct *outer;
} construct;

typedef struct coder {
    emu_graph *g;
    emu_program *p;
    emu_registers regs;
    const emu_isa *isa;
    emu_insn_list code;
    emu_span_list spans;
    emu_reg_list labels; /* positions */
    emu_reg_list targets; /* by instruction: label, or EMU_NONE */
    construct *masked;   /* innermost */
    uint32_t level, spare[8];
    unsigned checks;
    bool prologue; /* is being emitted */
    bool atomics, fences, simdgroups; /* checked programs: what there is */
    bool barriers;
    uint32_t last_work; /* position of the last node that does something */
    emu_site_list sites;
    emu_construct_list constructs;
} coder;

static bool checks(const coder *c, emu_check check)
{
    return (c->checks >> check & 1u) != 0;
}

static emu_insn *put(coder *c, emu_op op, const emu_node *n)
{
    emu_span_list_push(c->g->mem, &c->spans, n->at);
    emu_reg_list_push(c->g->mem, &c->targets, EMU_NONE);
    emu_insn_list_push(c->g->mem, &c->code, (emu_insn){.op = (uint8_t)op, .type = n->type, .k = n->k});
    emu_insn *i = &c->code.at[c->code.n - 1];
    i->at = (uint32_t)c->spans.n - 1;
    return i;
}

static uint32_t new_label(coder *c)
{
    emu_reg_list_push(c->g->mem, &c->labels, EMU_NONE);
    return (uint32_t)c->labels.n - 1;
}

static void place_label(coder *c, uint32_t label)
{
    c->labels.at[label] = (uint32_t)c->code.n;
}

static void go_to(coder *c, uint32_t label)
{
    c->targets.at[c->targets.n - 1] = label;
}

/* Operands. */

static uint16_t stride_of(const emu_node *n)
{
    return emu_by_lane(n) ? (uint16_t)(emu_type_size((emu_type)n->type) * EMU_CHUNK) : 0;
}

static void set_operands(emu_insn *i, emu_node *const *in)
{
    if (in[0] != NULL) {
        i->a = in[0]->reg;
        i->sa = stride_of(in[0]);
    }
    if (in[1] != NULL) {
        i->b = in[1]->reg;
        i->sb = stride_of(in[1]);
    }
    if (in[2] != NULL) {
        i->c = in[2]->reg;
        i->sc = stride_of(in[2]);
    }
}

static void set_result(emu_insn *i, const emu_node *n)
{
    i->d = n->reg;
    i->uniform = emu_by_lane(n) ? 0 : 1;
}

static emu_handler handler_of(const coder *c, emu_op op, emu_type type)
{
    emu_handler h = op >= EMU_CHECKM ? c->isa->handler(op, type) : NULL; /* checks by whole chunks, where there are */
    if (h == NULL && c->checks != 0) h = emu_check_handler(op);
    if (op == EMU_BARRIER && c->p->shape.scheduled) h = c->checks != 0 ? emu_check_waiting_barrier() : emu_waiting_barrier();
    if (h == NULL) h = emu_mask_handler(op);
    if (h == NULL) h = emu_cross_handler(op, type);
    if (h == NULL) h = emu_texture_handler(op);
    if (h == NULL) h = emu_log_handler(op);
    if (h == NULL) h = c->isa->handler(op, type);
    if (h == NULL) h = emu_memory_handler(op, type);
    return h;
}

/* Checks of values: operands before an operation, its result behind it. */

static void emit_operand_check(coder *c, const emu_node *n, emu_op op)
{
    emu_insn *i = put(c, op, n);
    i->type = n->operand_type;
    i->k = n->type;
    set_operands(i, n->in);
    i->run = handler_of(c, op, (emu_type)n->operand_type);
}

static void check_operands(coder *c, const emu_node *n)
{
    const emu_type t = (emu_type)n->operand_type;
    const bool is_float = t >= EMU_F16;
    if (n->trusted) return;
    if ((n->op == EMU_DIV || n->op == EMU_REM) && !is_float) emit_operand_check(c, n, EMU_DIVISOR);
    if ((n->op == EMU_SHL || n->op == EMU_SHR) &&
        !(emu_is_const(n->in[1]) && (uint64_t)n->in[1]->imm < emu_type_size(t) * 8))
        emit_operand_check(c, n, EMU_COUNT);
    if (n->op == EMU_CONVERT && t == EMU_F32 && n->type > EMU_BOOL && n->type < EMU_F16) emit_operand_check(c, n, EMU_RANGE);
}

/* Operands of an operation that can make a NaN or an infinity; 0 for others. */
static int64_t made_of(const emu_node *n)
{
    if (n->type < EMU_F16) return 0;
    switch ((int)n->op) {
    case EMU_MOV:
    case EMU_SELECT:
    case EMU_MIN:
    case EMU_MAX:
    case EMU_AND:
    case EMU_OR:
    case EMU_XOR:
    case EMU_ANDN:
    case EMU_NEXTAFTER: return 0;
    case EMU_CONVERT: return n->operand_type == EMU_F32 ? 1 : 0;
    case EMU_LDEXP: return 1;
    default: return n->in[2] != NULL ? 3 : n->in[1] != NULL ? 2 : 1;
    }
}

static void check_result(coder *c, const emu_node *n)
{
    const int64_t count = made_of(n);
    if (count == 0) return;
    emu_insn *i = put(c, EMU_MADE, n);
    set_operands(i, n->in);
    i->imm = count;
    i->k = n->operand_type;
    i->d = n->reg;
    i->uniform = emu_by_lane(n) ? 0 : 1;
    i->run = handler_of(c, EMU_MADE, (emu_type)n->type);
}

static void emit_operation(coder *c, const emu_node *n)
{
    emu_insn *i = put(c, (emu_op)n->op, n);
    i->type = n->operand_type;
    set_operands(i, n->in);
    set_result(i, n);
    if (n->op == EMU_CONVERT) i->run = c->isa->convert((emu_type)n->type, (emu_type)n->operand_type);
    else i->run = handler_of(c, (emu_op)n->op, (emu_type)n->operand_type);
}

static void emit_pure(coder *c, const emu_node *n)
{
    const bool values = checks(c, EMU_CHECK_NUMERICS) && !c->prologue;
    if (values) check_operands(c, n);
    if (!emu_in_prologue(n) || c->prologue) emit_operation(c, n);
    if (values) check_result(c, n);
}

/* A register for what nobody wants. */
static uint32_t spare_register(coder *c, emu_type type, bool by_lane)
{
    const unsigned size = emu_type_size(type);
    uint32_t *r = &c->spare[(size == 8 ? 3 : size / 2) + (by_lane ? 4 : 0)];
    if (*r == 0) *r = emu_take_register(&c->regs, size, by_lane);
    return *r;
}

static uint32_t part_register(coder *c, const emu_node *whole, unsigned k)
{
    if (k == 0 && whole->kind == EMU_LOAD) return whole->reg;
    for (const emu_node *p = whole->next; p != NULL && p->kind == EMU_PART && p->in[0] == whole; p = p->next)
        if (p->live && p->k == k && p->reg != 0) return p->reg;
    return spare_register(c, (emu_type)whole->type, emu_by_lane(whole));
}

/* Parts asked for twice: copies of the first. */
static void emit_twins(coder *c, const emu_node *whole)
{
    for (emu_node *p = whole->next; p != NULL && p->kind == EMU_PART && p->in[0] == whole; p = p->next) {
        if (!p->live || p->reg == part_register(c, whole, p->k)) continue;
        emu_insn *i = put(c, EMU_MOV, p);
        i->a = part_register(c, whole, p->k);
        i->sa = stride_of(p);
        set_result(i, p);
        i->run = handler_of(c, EMU_MOV, (emu_type)p->type);
    }
}

/* Memory. */

static uint32_t pattern_of(coder *c, uint32_t reg, int64_t scale)
{
    for (uint32_t k = 0; k < c->p->patterns.n; ++k)
        if (c->p->patterns.at[k].reg == reg && c->p->patterns.at[k].scale == scale) return k;
    emu_scaled_list_push(c->g->mem, &c->p->patterns, (emu_scaled_reg){reg, scale});
    return (uint32_t)c->p->patterns.n - 1;
}

/* Where it happens, for the records of who touched what. */
static uint32_t site_of(coder *c, const emu_node *n)
{
    if (c->sites.n >= SHADOW_SITES) return 0;
    const bool atomic = n->kind == EMU_ATOMIC_NODE || (n->kind == EMU_TEXTURE_NODE && n->op == EMU_TEXATOMIC);
    const emu_site site = {n->at, atomic, n->mem != NULL && n->mem->collective};
    emu_site_list_push(c->g->mem, &c->sites, site);
    return (uint32_t)c->sites.n - 1;
}

static void add_use(emu_use *u, const emu_access *a, uint8_t granule)
{
    u->reads = u->reads || !a->write || a->updates;
    u->writes = u->writes || a->write;
    if (u->granule == 0 || granule < u->granule) u->granule = granule;
}

/* What is done with the object of an access; where that is known at run time only, with any. */
static void note_use(coder *c, const emu_access *a)
{
    for (size_t k = 1; k < c->g->objects.n; ++k)
        if (a->object == EMU_NONE || a->object == k) add_use(&c->p->uses[k], a, a->bytes);
    if (a->object == EMU_NONE && !a->threadgroup) add_use(&c->p->any_use, a, a->bytes);
}

/* In front of an access: its check. */
static void check_access(coder *c, const emu_node *n, const emu_access *a, emu_op access)
{
    const unsigned memory = 1u << EMU_CHECK_BOUNDS | 1u << EMU_CHECK_ALIGNMENT | 1u << EMU_CHECK_RACE |
                            1u << EMU_CHECK_UNINITIALISED;
    if ((c->checks & memory) == 0 || c->prologue) return;
    emu_op op = EMU_CHECKM;
    if (a->thread) op = EMU_CHECKP;
    else if (access == EMU_LOADL || access == EMU_STOREL) op = EMU_CHECKL;
    if (!a->thread) note_use(c, a);
    emu_insn *i = put(c, op, n);
    i->access = a;
    i->imm = a->thread ? 0 : site_of(c, n);
    i->run = handler_of(c, op, n->mem->type);
}

static emu_access *access_of(coder *c, const emu_node *n)
{
    const emu_mem *m = n->mem;
    emu_access *a = arena_new(c->g->mem, emu_access);
    *a = (emu_access){.object = EMU_NONE,
                      .base = m->base != NULL ? m->base->reg : EMU_NONE,
                      .index = m->index != NULL ? m->index->reg : EMU_NONE,
                      .lanes = m->lanes != NULL ? m->lanes->reg : EMU_NONE,
                      .lanes_stride = m->lanes != NULL ? stride_of(m->lanes) : 0,
                      .extend = m->extend,
                      .bytes = (uint8_t)emu_type_size(m->type),
                      .count = m->count,
                      .threadgroup = m->space == EMU_SPACE_THREADGROUP,
                      .thread = m->space == EMU_SPACE_THREAD,
                      .write = n->kind == EMU_STORE || (n->kind == EMU_ATOMIC_NODE && n->k != EMU_ATOMIC_LOAD),
                      .updates = n->kind == EMU_ATOMIC_NODE && n->k != EMU_ATOMIC_LOAD && n->k != EMU_ATOMIC_STORE,
                      .atomic = n->kind == EMU_ATOMIC_NODE,
                      .collective = m->collective,
                      .align = m->align,
                      .index_imm = m->index_imm,
                      .imm = m->imm,
                      .scale = m->scale,
                      .type = (uint8_t)m->type};
    if (m->object != NULL && emu_is_const(m->object)) {
        a->object = (uint32_t)m->object->imm;
    } else if (m->object != NULL) {
        a->object_reg = m->object->reg;
        a->object_stride = stride_of(m->object);
    }
    if (m->local != NULL) {
        a->size = m->local->size;
        a->private_at = m->local->at;
        a->granule = m->local->granule;
        a->object = m->local->index;
        a->watched = m->local->watched && !(m->quiet && n->kind == EMU_LOAD);
    }
    for (unsigned k = 0; k < m->count && n->kind == EMU_STORE; ++k) {
        a->regs[k] = m->value[k]->reg;
        a->strides[k] = stride_of(m->value[k]);
    }
    for (unsigned k = 0; k < m->count && n->kind == EMU_LOAD; ++k) a->regs[k] = part_register(c, n, k);
    return a;
}

static emu_op memory_op(const emu_node *n)
{
    const emu_mem *m = n->mem;
    const bool load = n->kind == EMU_LOAD;
    if (m->space == EMU_SPACE_THREAD) return load ? EMU_LOADP : EMU_STOREP;
    if (load && !emu_by_lane(n)) return EMU_LOADU;
    if (m->by_lane && m->extend != EMU_EXTEND_NONE) return load ? EMU_LOADL : EMU_STOREL;
    return load ? EMU_LOADG : EMU_STOREG;
}

static void emit_memory(coder *c, const emu_node *n)
{
    const emu_op op = memory_op(n);
    emu_access *a = access_of(c, n);
    if (op == EMU_LOADL || op == EMU_STOREL) a->pattern = pattern_of(c, n->mem->lanes->reg, n->mem->scale);
    check_access(c, n, a, op);
    emu_insn *i = put(c, op, n);
    i->access = a;
    i->type = (uint8_t)n->mem->type;
    i->run = handler_of(c, op, n->mem->type);
    if (n->kind == EMU_LOAD) emit_twins(c, n);
}

static void emit_atomic(coder *c, const emu_node *n)
{
    emu_access *a = access_of(c, n);
    c->atomics = true;
    check_access(c, n, a, EMU_ATOMIC);
    emu_insn *i = put(c, EMU_ATOMIC, n);
    i->access = a;
    i->d = n->reg;
    if (n->in[0] != NULL) {
        i->b = n->in[0]->reg;
        i->sb = stride_of(n->in[0]);
    }
    if (n->in[1] != NULL) {
        i->c = n->in[1]->reg;
        i->sc = stride_of(n->in[1]);
    }
    i->run = handler_of(c, EMU_ATOMIC, n->mem->type);
}

static void emit_fill(coder *c, const emu_node *n)
{
    emu_access *a = access_of(c, n);
    emu_insn *i = put(c, EMU_POISON, n);
    i->access = a;
    i->run = handler_of(c, EMU_POISON, EMU_U8);
    if (!n->mem->local->watched) return;
    i = put(c, EMU_FORGETP, n);
    i->access = a;
    i->run = handler_of(c, EMU_FORGETP, EMU_U8);
}

static void emit_cross(coder *c, const emu_node *n)
{
    if (n->op == EMU_SHUFFLE && n->k != EMU_SHUFFLE_FIRST && checks(c, EMU_CHECK_UNINITIALISED))
        put(c, EMU_SOURCE, n)->run = handler_of(c, EMU_SOURCE, EMU_BOOL);
    emu_insn *i = put(c, (emu_op)n->op, n);
    set_operands(i, n->in);
    i->d = n->reg;
    i->imm = n->imm;
    i->run = handler_of(c, (emu_op)n->op, (emu_type)n->type);
}

static void emit_matrix(coder *c, const emu_node *n)
{
    emu_access *a = arena_new(c->g->mem, emu_access);
    for (int k = 0; k < 4; ++k) {
        a->regs[k] = n->in[k]->reg;
        a->strides[k] = stride_of(n->in[k]);
    }
    const uint32_t first = part_register(c, n, 0), second = part_register(c, n, 1);
    emu_insn *i = put(c, EMU_MATRIX, n);
    i->access = a;
    i->a = n->more[0]->reg;
    i->sa = stride_of(n->more[0]);
    i->b = n->more[1]->reg;
    i->sb = stride_of(n->more[1]);
    i->d = first;
    i->c = second;
    i->imm = 32;
    i->run = handler_of(c, EMU_MATRIX, EMU_F32);
    emit_twins(c, n);
}

/* In front of an access to a texel: its check. */
static void check_texel(coder *c, const emu_node *n, const emu_access *a)
{
    const unsigned memory = 1u << EMU_CHECK_BOUNDS | 1u << EMU_CHECK_RACE | 1u << EMU_CHECK_UNINITIALISED;
    if ((c->checks & memory) == 0) return;
    add_use(&c->p->texel_use, a, 1);
    emu_insn *i = put(c, EMU_CHECKT, n);
    i->access = a;
    i->imm = site_of(c, n);
    i->run = handler_of(c, EMU_CHECKT, EMU_U64);
}

static void emit_texture(coder *c, const emu_node *n)
{
    emu_access *a = arena_new(c->g->mem, emu_access);
    const bool store = n->op == EMU_TEXSTORE;
    a->write = n->op != EMU_TEXFETCH;
    a->atomic = n->op == EMU_TEXATOMIC;
    a->updates = a->atomic && n->imm != EMU_ATOMIC_STORE;
    for (int k = 0; k < 4 && n->in[k] != NULL; ++k) {
        a->regs[k] = n->in[k]->reg;
        a->strides[k] = stride_of(n->in[k]);
    }
    check_texel(c, n, a);
    const uint32_t first = store ? 0 : part_register(c, n, 0), second = store ? 0 : part_register(c, n, 1);
    emu_insn *i = put(c, (emu_op)n->op, n);
    i->access = a;
    i->d = first;
    i->c = second;
    if (store) {
        i->a = n->more[0]->reg;
        i->sa = stride_of(n->more[0]);
    }
    i->k = n->k;
    if (n->op == EMU_TEXATOMIC) i->imm = n->imm;
    i->run = handler_of(c, (emu_op)n->op, EMU_U64);
    if (!store) emit_twins(c, n);
}

/* Variables. */

static void emit_set(coder *c, const emu_node *n)
{
    const emu_variable *v = n->var;
    if (n->coalesced || (n->in[0]->reg == v->reg && n->in[0]->kind == EMU_GET)) return;
    const bool by_lane = (v->depends & EMU_BY_LANE) != 0;
    const bool masked = by_lane && n->region->depth > v->home->depth && emu_diverges_between(n->region, v->home);
    const emu_op op = masked ? EMU_MOVM : EMU_MOV;
    emu_insn *i = put(c, op, n);
    set_operands(i, n->in);
    i->d = v->reg;
    i->uniform = by_lane ? 0 : 1;
    i->run = handler_of(c, op, v->type);
}

static void emit_get(coder *c, const emu_node *n)
{
    if (n->alias) return;
    emu_insn *i = put(c, EMU_MOV, n);
    i->a = n->var->reg;
    i->sa = stride_of(n);
    set_result(i, n);
    i->run = handler_of(c, EMU_MOV, (emu_type)n->type);
}

/* Control. */

static emu_insn *put_jump(coder *c, emu_op op, const emu_node *n, const emu_node *condition, uint32_t label)
{
    emu_insn *i = put(c, op, n);
    if (condition != NULL) {
        i->a = condition->reg;
        i->sa = stride_of(condition);
    }
    i->run = handler_of(c, op, EMU_BOOL);
    go_to(c, label);
    return i;
}

/* A barrier in the other branch of the if that n opens: its span, plus 1. */
static uint32_t other_barrier(coder *c, const emu_node *n)
{
    const emu_node *head = n->opened->head;
    for (const emu_node *s = c->g->first; s != NULL; s = s->next) {
        if (s->kind != EMU_SYNC || s->imm != 0) continue;
        for (const emu_region *r = s->region; r != NULL; r = r->parent)
            if (r->head == head && r != n->opened) {
                emu_span_list_push(c->g->mem, &c->spans, s->at);
                return (uint32_t)c->spans.n;
            }
    }
    return 0;
}

/* What is known of the construct, for barriers in it. */
static uint32_t known_construct(coder *c, const emu_node *n)
{
    if (!checks(c, EMU_CHECK_BARRIER)) return 0;
    emu_construct k = {.kind = EMU_CONSTRUCT_IF, .outer = c->masked != NULL ? c->masked->known : 0};
    if (n->kind == EMU_LOOP_NODE) k.kind = EMU_CONSTRUCT_LOOP;
    else if (n->kind == EMU_BLOCK) k.kind = n->k != 0 ? EMU_CONSTRUCT_CONTINUE : EMU_CONSTRUCT_BLOCK;
    else k.other_barrier = other_barrier(c, n);
    emu_span_list_push(c->g->mem, &c->spans, n->at);
    k.at = (uint32_t)c->spans.n - 1;
    emu_construct_list_push(c->g->mem, &c->constructs, k);
    return (uint32_t)c->constructs.n - 1;
}

static void enter_masked(coder *c, const emu_node *n, uint32_t exit)
{
    construct *k = arena_new(c->g->mem, construct);
    *k = (construct){exit, known_construct(c, n), c->masked};
    c->masked = k;
    ++c->level;
    if (c->level + 1 > c->p->levels) c->p->levels = c->level + 1;
}

static void leave_masked(coder *c, const emu_node *n)
{
    place_label(c, c->masked->exit);
    c->masked = c->masked->outer;
    --c->level;
    /* the lowest mask is never empty */
    const uint32_t empty = c->masked != NULL ? c->masked->exit : new_label(c);
    (void)put_jump(c, EMU_POP, n, NULL, empty);
    if (c->masked == NULL) place_label(c, empty);
}

static void emit_if(coder *c, const emu_node *n)
{
    const uint32_t label = new_label(c);
    const emu_node *condition = n->in[0];
    if (!n->opened->divergent) {
        n->opened->label = label;
        (void)put_jump(c, EMU_JUMPZ, n, condition, label);
        return;
    }
    const bool known = (condition->depends & EMU_BY_RUN) == 0;
    emu_insn *i = put_jump(c, known ? EMU_IFL : EMU_IF, n, condition, label);
    if (known) {
        uint32_t k = 0;
        while (k < c->p->known.n && c->p->known.at[k] != condition->reg) ++k;
        if (k == c->p->known.n) emu_reg_list_push(c->g->mem, &c->p->known, condition->reg);
        i->imm = k;
    }
    enter_masked(c, n, label);
}

static void emit_else(coder *c, const emu_node *n)
{
    const uint32_t end = new_label(c);
    emu_region *then = n->opened->head->opened;
    if (!n->opened->divergent) {
        (void)put_jump(c, EMU_JUMP, n, NULL, end);
        place_label(c, then->label);
        n->opened->label = end;
        return;
    }
    place_label(c, c->masked->exit);
    (void)put_jump(c, EMU_ELSE, n, n->in[0], end);
    c->masked->exit = end;
    if (c->masked->known == 0) return;
    const uint32_t outer = c->constructs.at[c->masked->known].outer;
    c->masked->known = known_construct(c, n);
    c->constructs.at[c->masked->known].outer = outer;
}

static void emit_loop(coder *c, const emu_node *n)
{
    emu_region *r = n->opened;
    r->label = new_label(c);
    if (r->divergent) {
        (void)put_jump(c, EMU_PUSH, n, NULL, EMU_NONE);
        enter_masked(c, n, r->label);
        r->level = c->level;
    }
    r->start = new_label(c);
    place_label(c, r->start);
}

static void emit_loop_end(coder *c, const emu_node *n)
{
    emu_region *r = n->opened;
    emu_insn *i = put_jump(c, EMU_LOOP, r->head, NULL, r->start);
    i->imm = (int64_t)c->code.n - (int64_t)c->labels.at[r->start];
    if (r->divergent) leave_masked(c, n);
    else place_label(c, r->label);
}

static void emit_block(coder *c, const emu_node *n)
{
    emu_region *r = n->opened;
    r->label = new_label(c);
    if (!r->divergent) return;
    (void)put_jump(c, EMU_PUSH, n, NULL, EMU_NONE);
    enter_masked(c, n, r->label);
    r->level = c->level;
}

static void emit_block_end(coder *c, const emu_node *n)
{
    if (n->opened->divergent) leave_masked(c, n);
    else place_label(c, n->opened->label);
}

/* Lanes are about to leave: those where the condition is k, or all. */
static void check_leaving(coder *c, const emu_node *n, const emu_node *condition)
{
    if (!c->barriers || !checks(c, EMU_CHECK_BARRIER)) return;
    emu_insn *i = put(c, EMU_LEAVING, n);
    const construct *left = c->masked;
    for (uint32_t level = c->level; level > n->target->level; --level) left = left->outer;
    i->imm = left->known;
    i->a = condition != NULL ? condition->reg : EMU_NONE;
    i->run = handler_of(c, EMU_LEAVING, EMU_BOOL);
}

static void emit_break(coder *c, const emu_node *n)
{
    const emu_region *x = n->target;
    const emu_node *condition = n->in[0];
    if (!x->divergent) {
        const emu_op op = condition == NULL ? EMU_JUMP : n->k != 0 ? EMU_JUMPNZ : EMU_JUMPZ;
        (void)put_jump(c, op, n, condition, x->label);
        return;
    }
    if (condition != NULL && emu_by_lane(condition)) { /* conditions stand directly in their loop */
        check_leaving(c, n, condition);
        (void)put_jump(c, n->k != 0 ? EMU_DROP : EMU_KEEP, n, condition, x->label);
        return;
    }
    const uint32_t on = new_label(c);
    if (condition != NULL) (void)put_jump(c, n->k != 0 ? EMU_JUMPZ : EMU_JUMPNZ, n, condition, on);
    check_leaving(c, n, NULL);
    emu_insn *i = put_jump(c, EMU_LEAVE, n, NULL, c->masked->exit);
    i->imm = x->level;
    place_label(c, on);
}

static void emit_fence(coder *c, const emu_node *n)
{
    c->fences = true;
    put(c, EMU_FENCE_OP, n)->run = handler_of(c, EMU_FENCE_OP, EMU_BOOL);
}

static void emit_log(coder *c, const emu_node *n)
{
    emu_insn *i = put(c, (emu_op)n->op, n);
    set_operands(i, n->in);
    i->imm = n->imm;
    i->run = handler_of(c, (emu_op)n->op, EMU_U64);
}

static void emit_indexed(coder *c, const emu_node *n)
{
    emu_insn *i = put(c, EMU_INDEXED, n);
    i->type = n->operand_type;
    set_operands(i, n->in);
    if (n->in[0] == NULL) i->a = EMU_NONE;
    if (n->in[1] == NULL) i->b = EMU_NONE;
    else if (emu_in_prologue(n->in[1])) {
        emu_reg_list_push(c->g->mem, &c->p->extents, n->in[1]->reg);
        i->imm = (int64_t)c->p->extents.n;
    }
    i->run = handler_of(c, EMU_INDEXED, EMU_I64);
}

static void emit_hold(coder *c, const emu_node *n)
{
    if (n->k == EMU_FAULT_INDEX) {
        emit_indexed(c, n);
        return;
    }
    emu_insn *i = put(c, EMU_HOLDS, n);
    set_operands(i, n->in);
    i->imm = n->imm;
    i->run = handler_of(c, EMU_HOLDS, EMU_BOOL);
}

/* In a checked program each barrier is one: it moves the clock. In a scheduled one simdgroups wait there. */
static void emit_every_barrier(coder *c, const emu_node *n)
{
    /* where no lane is left: the end of the construct, or of the run */
    emu_insn *i = put_jump(c, EMU_BARRIER, n, NULL, c->masked != NULL ? c->masked->exit : EMU_NONE);
    i->type = n->imm != 0 ? 1 : 0;
    i->imm = c->masked != NULL ? c->masked->known : 0;
    i->run = handler_of(c, EMU_BARRIER, EMU_BOOL);
    c->simdgroups = c->simdgroups || n->imm != 0;
    c->fences = c->fences || (n->k & EMU_FLAG_DEVICE) != 0;
}

static bool does_something(const emu_node *n)
{
    switch ((emu_kind)n->kind) {
    case EMU_CONST:
    case EMU_INPUT:
    case EMU_PURE:
    case EMU_GET:
    case EMU_SET:
    case EMU_PART:
    case EMU_ENDIF:
    case EMU_ENDBLOCK: return false;
    case EMU_LOAD:
    case EMU_STORE:
    case EMU_ATOMIC_NODE:
    case EMU_CROSS:
    case EMU_MATRIX_NODE:
    case EMU_TEXTURE_NODE:
    case EMU_FILL:
    case EMU_SYNC:
    case EMU_LOG_NODE:
    case EMU_FENCE:
    case EMU_HOLD:
    case EMU_IF_NODE:
    case EMU_ELSE_NODE:
    case EMU_LOOP_NODE:
    case EMU_ENDLOOP:
    case EMU_BLOCK:
    case EMU_BREAK: break;
    }
    return true;
}

static void find_last_work(coder *c)
{
    for (const emu_node *n = c->g->first; n != NULL; n = n->next)
        if (n->live && does_something(n)) c->last_work = n->position;
}

/* The level whose lanes have to come to a barrier in that region: a thread that has left a construct behind which nothing is
 * done, as the block is that the kernel's returns leave, has ended, and counts as having arrived. */
static uint32_t level_of_waiting(const coder *c, const emu_region *r)
{
    uint32_t level = 0;
    for (; r->parent != NULL; r = r->parent)
        if (r->divergent && r->end > c->last_work) ++level;
    return level;
}

static void emit_barrier(coder *c, const emu_node *n)
{
    if (c->checks != 0) {
        emit_every_barrier(c, n);
        return;
    }
    if (!c->p->shape.scheduled && !emu_diverges_between(n->region, c->g->root)) return;
    emu_insn *i = put_jump(c, EMU_BARRIER, n, NULL, EMU_NONE);
    i->imm = level_of_waiting(c, n->region);
    i->run = handler_of(c, EMU_BARRIER, EMU_BOOL);
}

static void emit_node(coder *c, emu_node *n)
{
    switch ((emu_kind)n->kind) {
    case EMU_PURE: emit_pure(c, n); break;
    case EMU_GET: emit_get(c, n); break;
    case EMU_SET: emit_set(c, n); break;
    case EMU_LOAD:
    case EMU_STORE: emit_memory(c, n); break;
    case EMU_ATOMIC_NODE: emit_atomic(c, n); break;
    case EMU_CROSS: emit_cross(c, n); break;
    case EMU_MATRIX_NODE: emit_matrix(c, n); break;
    case EMU_TEXTURE_NODE: emit_texture(c, n); break;
    case EMU_FILL: emit_fill(c, n); break;
    case EMU_SYNC: emit_barrier(c, n); break;
    case EMU_LOG_NODE: emit_log(c, n); break;
    case EMU_FENCE: emit_fence(c, n); break;
    case EMU_HOLD: emit_hold(c, n); break;
    case EMU_IF_NODE: emit_if(c, n); break;
    case EMU_ELSE_NODE: emit_else(c, n); break;
    case EMU_ENDIF:
        if (n->opened->divergent) leave_masked(c, n);
        else place_label(c, n->opened->label);
        break;
    case EMU_LOOP_NODE: emit_loop(c, n); break;
    case EMU_ENDLOOP: emit_loop_end(c, n); break;
    case EMU_BLOCK: emit_block(c, n); break;
    case EMU_ENDBLOCK: emit_block_end(c, n); break;
    case EMU_BREAK: emit_break(c, n); break;
    case EMU_CONST:
    case EMU_INPUT:
    case EMU_PART: break;
    }
}

/* Chains of sums: LOADL, LOADL, MAD again and again, each sum the next one's addend, no factor or sum wanted by anybody
 * else. A DOT in front does them at once. */

/* The next node that becomes an instruction of the body. */
static emu_node *following(const emu_node *n)
{
    emu_node *next = n->next;
    while (next != NULL && (!next->live || emu_in_prologue(next) || next->kind == EMU_PART || next->kind == EMU_CONST ||
                            (next->kind == EMU_GET && next->alias) || (next->kind == EMU_SET && next->coalesced)))
        next = next->next;
    return next;
}

static bool is_factor(const emu_node *n)
{
    return n != NULL && n->kind == EMU_LOAD && n->type == EMU_F32 && n->uses == 1 && n->mem->count == 1 &&
           !emu_in_prologue(n) && memory_op(n) == EMU_LOADL;
}

/* The sum that a triple from n on ends with, or NULL. */
static emu_node *triple(emu_node *n)
{
    if (!is_factor(n)) return NULL;
    emu_node *b = following(n);
    if (!is_factor(b)) return NULL;
    emu_node *sum = following(b);
    if (sum == NULL || sum->kind != EMU_PURE || sum->op != EMU_MAD || sum->type != EMU_F32 || !emu_by_lane(sum)) return NULL;
    const bool these = (sum->in[0] == n && sum->in[1] == b) || (sum->in[0] == b && sum->in[1] == n);
    return these && sum->in[2] != n && sum->in[2] != b ? sum : NULL;
}

/* Emits a chain that begins at n; gives its last node, or NULL where there is none. */
static emu_node *emit_chain(coder *c, emu_node *n)
{
    enum { MOST = 64 };
    emu_node *sum = c->checks == 0 ? triple(n) : NULL;
    if (sum == NULL) return NULL;
    unsigned count = 1;
    emu_node *last = sum;
    while (count < MOST && last->uses == 1) {
        emu_node *more = triple(following(last));
        if (more == NULL || more->in[2] != last) break;
        last = more;
        ++count;
    }
    emu_insn *i = put(c, EMU_DOT, n);
    i->k = (uint8_t)count;
    i->run = handler_of(c, EMU_DOT, EMU_F32);
    for (emu_node *at = n; at != last; at = following(at)) emit_node(c, at);
    emit_node(c, last);
    return last;
}

/* Emits all live nodes of the prologue, or all others; then the end. The instructions' targets become pointers. */
static const emu_insn *emit_all(coder *c, bool prologue)
{
    c->code = (emu_insn_list){NULL, 0, 0};
    c->labels = c->targets = (emu_reg_list){NULL, 0, 0};
    c->prologue = prologue;
    for (emu_node *n = c->g->first; n != NULL; n = n->next) {
        const bool checked = !prologue && n->kind == EMU_PURE && checks(c, EMU_CHECK_NUMERICS);
        if (!n->live || (emu_in_prologue(n) != prologue && !checked)) continue;
        emu_node *chain = prologue ? NULL : emit_chain(c, n);
        if (chain == NULL) emit_node(c, n);
        else n = chain;
    }
    const emu_node end = {.kind = EMU_CONST};
    put(c, EMU_END, &end)->run = handler_of(c, EMU_END, EMU_BOOL);
    for (size_t i = 0; i < c->code.n; ++i)
        if (c->targets.at[i] != EMU_NONE) c->code.at[i].to = &c->code.at[c->labels.at[c->targets.at[i]]];
    return c->code.at;
}

static void start_checks(coder *c)
{
    c->p->uses = arena_array(c->g->mem, emu_use, c->g->objects.n);
    emu_construct_list_push(c->g->mem, &c->constructs, (emu_construct){.kind = EMU_CONSTRUCT_IF});
    emu_site_list_push(c->g->mem, &c->sites, (emu_site){.atomic = false});
    for (const emu_node *n = c->g->first; n != NULL; n = n->next) c->barriers = c->barriers || n->kind == EMU_SYNC;
}

emu_program *emu_make_program(arena *mem, emu_graph *g, const emu_shape *shape, const emu_isa *isa)
{
    emu_program *p = arena_new(mem, emu_program);
    const uint32_t lanes = shape->threads[0] * shape->threads[1] * shape->threads[2] * shape->batch;
    p->shape = *shape;
    p->width = (lanes + EMU_CHUNK - 1) / EMU_CHUNK * EMU_CHUNK;
    p->levels = 1;
    emu_find_dependence(g, shape->batch);
    emu_split_addresses(g);
    emu_mark_live(g);
    emu_fuse(g);
    coder c = {.g = g, .p = p, .isa = isa, .checks = shape->checks, .regs = {.g = g, .p = p, .width = p->width}};
    if (c.checks != 0) start_checks(&c);
    emu_assign_registers(&c.regs);
    find_last_work(&c);
    p->prologue = emit_all(&c, true);
    p->body = emit_all(&c, false);
    if (c.regs.too_large) return NULL;
    p->insn_count = (uint32_t)c.code.n;
    p->uniforms = c.regs.uniforms;
    p->sites = c.sites.at;
    p->site_count = c.sites.n;
    p->constructs = c.constructs.at;
    p->hands_on = c.atomics && c.fences;
    p->simdgroups = c.simdgroups;
    p->frame_bytes = c.regs.top;
    p->objects = g->objects;
    p->logs = g->logs;
    p->threadgroup_bytes = g->threadgroup_bytes;
    p->spans = c.spans.at;
    p->locals = g->locals;
    p->local_count = g->local_count;
    return p;
}
