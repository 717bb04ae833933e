/* The walk along a function's control structure that makes a threadgroup's function: sections, branches, masks, loops. */
#include "air/group.h"

#define B g->l->b

/* ---- Sections ------------------------------------------------------------------------------------------------------ */

static LLVMValueRef counter_phi(air_group *g)
{
    LLVMValueRef phi = LLVMBuildPhi(B, g->l->i32, ""), zero = air_int32(g->l, 0);
    LLVMAddIncoming(phi, &zero, &g->now.before, 1);
    return phi;
}

static void set_param(air_group *g, unsigned i, LLVMValueRef v)
{
    LLVMValueRef *parts = arena_array(g->l->mem, LLVMValueRef, 1);
    parts[0] = v;
    (void)air_group_define(g, LLVMGetParam(g->from, 1 + i), parts, NULL);
}

/* Where the rows of the threadgroup are no whole chunks, each thread's place comes from the launch's table. */
static void read_places(air_group *g)
{
    for (unsigned d = 0; d < 3; ++d) {
        LLVMValueRef at = air_int64(g->l, offsetof(air_thread, places) + d * sizeof(void *));
        LLVMValueRef p = LLVMBuildGEP2(B, g->l->i8, g->thread, &at, 1, ""), index = LLVMBuildZExt(B, g->now.index, g->l->i64, "");
        p = LLVMBuildLoad2(B, g->l->ptr, air_cast_pointer(g->l, p, g->l->ptr), "");
        p = LLVMBuildGEP2(B, g->l->i32, air_cast_pointer(g->l, p, g->l->i32), &index, 1, "");
        const LLVMTypeRef type = air_group_lanes_type(g, g->l->i32);
        LLVMValueRef v = LLVMBuildLoad2(B, type, air_cast_pointer(g->l, p, type), "");
        LLVMSetAlignment(v, 4);
        set_param(g, d, v);
    }
    LLVMValueRef lanes = LLVMBuildAdd(B, air_group_splat(g, g->now.index), air_group_steps(g, g->l->i32, 1), "");
    g->mask = LLVMBuildICmp(B, LLVMIntULT, lanes, air_group_splat(g, g->all_threads), "");
}

void air_group_open(air_group *g)
{
    if (g->now.open) return;
    if (g->sections + 2 >= g->most_sections) {
        const uint32_t most = g->most_sections == 0 ? 64 : g->most_sections * 2;
        LLVMValueRef **all[3] = {&g->section_ends, &g->section_chunks, &g->section_more};
        for (unsigned i = 0; i < 3; ++i) *all[i] = arena_grow(g->l->mem, *all[i], g->most_sections * sizeof(LLVMValueRef), most, sizeof(LLVMValueRef));
        g->most_sections = most;
    }
    g->now = (group_section){.open = true, .number = ++g->sections, .before = LLVMGetInsertBlock(B), .head = air_group_block(g, "section")};
    LLVMBuildBr(B, g->now.head);
    LLVMPositionBuilderAtEnd(B, g->now.head);
    g->now.chunk = counter_phi(g);
    if (g->whole) {
        g->now.x = counter_phi(g);
        g->now.y = counter_phi(g);
        g->now.z = counter_phi(g);
    }
    g->section_chunks[g->now.number] = g->now.chunk;
    g->now.index = LLVMBuildMul(B, g->now.chunk, air_int32(g->l, g->width), "");
    set_param(g, 3, g->now.index);
    if (g->whole) {
        set_param(g, 0, g->now.x);
        set_param(g, 1, g->now.y);
        set_param(g, 2, g->now.z);
        g->mask = NULL;
    } else {
        read_places(g);
    }
    LLVMBasicBlockRef body = air_group_block(g, "");
    LLVMBuildBr(B, body);
    LLVMPositionBuilderAtEnd(B, body);
}

static void count_on(air_group *g, LLVMValueRef phi, LLVMValueRef next)
{
    LLVMBasicBlockRef from = LLVMGetInsertBlock(B);
    LLVMAddIncoming(phi, &next, &from, 1);
}

/* The first thread of the next chunk: x, then y, then z. */
static void step_place(air_group *g)
{
    LLVMValueRef zero = air_int32(g->l, 0), one = air_int32(g->l, 1);
    LLVMValueRef x = LLVMBuildAdd(B, g->now.x, air_int32(g->l, g->width), ""), row = LLVMBuildICmp(B, LLVMIntUGE, x, g->threads[0], "");
    LLVMValueRef y = LLVMBuildSelect(B, row, LLVMBuildAdd(B, g->now.y, one, ""), g->now.y, "");
    LLVMValueRef plane = LLVMBuildICmp(B, LLVMIntUGE, y, g->threads[1], "");
    LLVMValueRef z = LLVMBuildSelect(B, plane, LLVMBuildAdd(B, g->now.z, one, ""), g->now.z, "");
    count_on(g, g->now.x, LLVMBuildSelect(B, row, zero, x, ""));
    count_on(g, g->now.y, LLVMBuildSelect(B, plane, zero, y, ""));
    count_on(g, g->now.z, z);
}

void air_group_close(air_group *g)
{
    if (!g->now.open) return;
    LLVMBasicBlockRef after = air_group_block(g, "");
    LLVMValueRef next = LLVMBuildAdd(B, g->now.chunk, air_int32(g->l, 1), "");
    count_on(g, g->now.chunk, next);
    if (g->whole) step_place(g);
    LLVMValueRef more = LLVMBuildICmp(B, LLVMIntULT, next, g->chunks, "");
    g->section_more[g->now.number] = more;
    if (g->now.go_on != NULL && !g->now.busy) more = LLVMBuildAnd(B, more, g->now.go_on, "");
    g->section_ends[g->now.number] = LLVMBuildCondBr(B, more, g->now.head, after);
    LLVMPositionBuilderAtEnd(B, after);
    g->now.open = false;
    g->mask = NULL;
    g->claim_count = 0;
}

/* ---- What phis get ---------------------------------------------------------------------------------------------------- */

/* The values of a block's phis on one way to it. */
typedef struct handed {
    unsigned n;
    LLVMValueRef *phis, **parts;
    bool within; /* a section, with which they end; else those that are not SAME are in arrays by chunk */
} handed;

static handed phis_of(air_group *g, const group_block *b)
{
    handed h = {.n = 0};
    for (LLVMValueRef v = LLVMGetFirstInstruction(b->block); v != NULL && LLVMIsAPHINode(v) != NULL; v = LLVMGetNextInstruction(v)) ++h.n;
    h.phis = arena_array(g->l->mem, LLVMValueRef, h.n + 1);
    h.parts = arena_array(g->l->mem, LLVMValueRef *, h.n + 1);
    LLVMValueRef v = LLVMGetFirstInstruction(b->block);
    for (unsigned i = 0; i < h.n; ++i, v = LLVMGetNextInstruction(v)) h.phis[i] = v;
    return h;
}

static unsigned parts_of(air_group *g, LLVMValueRef phi)
{
    return air_group_shape(g, phi).kind == AIR_EACH ? air_group_elements(LLVMTypeOf(phi)) : 1;
}

static LLVMTypeRef part_type(air_group *g, LLVMValueRef phi, unsigned k)
{
    if (air_group_shape(g, phi).kind == AIR_EACH) return air_group_lanes_type(g, air_group_element(LLVMTypeOf(phi), k));
    return air_group_room(g, phi) != NULL ? g->l->i64 : LLVMTypeOf(phi);
}

static LLVMValueRef incoming(LLVMValueRef phi, const group_block *from)
{
    for (unsigned i = 0; i < LLVMCountIncoming(phi); ++i)
        if (LLVMGetIncomingBlock(phi, i) == from->block) return LLVMGetIncomingValue(phi, i);
    return NULL;
}

/* Their arrays by chunk, where the ways meet outside of sections. */
static LLVMValueRef *slots_of(air_group *g, LLVMValueRef phi)
{
    group_value *v = air_group_record(g, phi);
    if (v->kept != NULL) return v->kept;
    v->n = parts_of(g, phi);
    LLVMValueRef *kept = arena_array(g->l->mem, LLVMValueRef, v->n);
    for (unsigned k = 0; k < v->n; ++k) kept[k] = air_group_array(g, part_type(g, phi, k));
    v->parts = NULL;
    v->exact = NULL;
    v->section = UINT32_MAX;
    v->here = NULL;
    v->kept = kept;
    return kept;
}

static bool in_slots(air_group *g, LLVMValueRef phi)
{
    return g->outside && air_group_shape(g, phi).kind != AIR_SAME;
}

/* All are read before the first is written: a phi may get another one's value. */
static void store_slots(air_group *g, handed *h)
{
    for (unsigned i = 0; i < h->n; ++i) {
        if (!in_slots(g, h->phis[i])) continue;
        g->now.busy = true;
        LLVMValueRef *slots = slots_of(g, h->phis[i]);
        for (unsigned k = 0; k < parts_of(g, h->phis[i]); ++k) {
            const LLVMTypeRef type = part_type(g, h->phis[i], k);
            LLVMBuildStore(B, h->parts[i][k], air_group_array_at(g, slots[k], type, g->now.chunk));
        }
    }
}

static handed hand_on(air_group *g, const group_block *to, const group_block *from)
{
    handed h = phis_of(g, to);
    for (unsigned i = 0; i < h.n; ++i)
        if (in_slots(g, h.phis[i])) air_group_open(g);
    for (unsigned i = 0; i < h.n; ++i) {
        LLVMValueRef v = incoming(h.phis[i], from);
        if (v == NULL) {
            air_group_unfit(g, "a way to a block that is not known");
            v = LLVMConstNull(LLVMTypeOf(h.phis[i]));
        }
        if (air_group_shape(g, h.phis[i]).kind == AIR_EACH) {
            h.parts[i] = air_group_lanes(g, v);
        } else {
            h.parts[i] = arena_array(g->l->mem, LLVMValueRef, 1);
            h.parts[i][0] = air_group_scalar(g, v);
        }
    }
    h.within = !g->outside;
    store_slots(g, &h);
    return h;
}

static void define_phis(air_group *g, const handed *h)
{
    for (unsigned i = 0; i < h->n; ++i)
        if (h->within || !in_slots(g, h->phis[i])) (void)air_group_define(g, h->phis[i], h->parts[i], NULL);
}

/* To a block that is come to from `from` alone. */
static void pass_on(air_group *g, const group_block *to, const group_block *from)
{
    const handed all = phis_of(g, to);
    const bool outside = g->outside;
    for (unsigned i = 0; i < all.n; ++i)
        if (in_slots(g, all.phis[i])) air_group_open(g);
    g->outside = false;
    const handed h = hand_on(g, to, from);
    define_phis(g, &h);
    g->outside = outside;
}

/* Phis of the new function, of what comes from two blocks. */
static handed meet(air_group *g, const handed *a, LLVMBasicBlockRef from_a, const handed *b, LLVMBasicBlockRef from_b)
{
    handed h = *a;
    h.parts = arena_array(g->l->mem, LLVMValueRef *, h.n + 1);
    for (unsigned i = 0; i < h.n; ++i) {
        if (in_slots(g, h.phis[i])) continue;
        const unsigned n = parts_of(g, h.phis[i]);
        h.parts[i] = arena_array(g->l->mem, LLVMValueRef, n);
        for (unsigned k = 0; k < n; ++k) {
            LLVMValueRef phi = LLVMBuildPhi(B, LLVMTypeOf(a->parts[i][k]), "");
            LLVMAddIncoming(phi, &a->parts[i][k], &from_a, 1);
            LLVMAddIncoming(phi, &b->parts[i][k], &from_b, 1);
            h.parts[i][k] = phi;
        }
    }
    return h;
}

/* ---- Branches ---------------------------------------------------------------------------------------------------------- */

static void walk(air_group *g, group_block *b, const group_block *from, const group_block *stop, handed *out);

/* One side of a branch, from `branch` by way k to the join. */
static handed side(air_group *g, group_block *branch, unsigned k)
{
    handed h = {.n = 0};
    if (branch->next[k] == branch->join) return hand_on(g, branch->join, branch);
    walk(g, branch->next[k], branch, branch->join, &h);
    return h;
}

static handed plain_branch(air_group *g, group_block *b, LLVMValueRef condition)
{
    LLVMBasicBlockRef ways[2] = {air_group_block(g, "yes"), air_group_block(g, "no")}, end = air_group_block(g, ""), from[2];
    handed h[2];
    LLVMBuildCondBr(B, condition, ways[0], ways[1]);
    for (unsigned k = 0; k < 2; ++k) {
        LLVMPositionBuilderAtEnd(B, ways[k]);
        h[k] = side(g, b, k);
        if (g->outside) air_group_close(g);
        from[k] = LLVMGetInsertBlock(B);
        LLVMBuildBr(B, end);
    }
    LLVMPositionBuilderAtEnd(B, end);
    return meet(g, &h[0], from[0], &h[1], from[1]);
}

/* For lanes that do not come this way. */
static handed none_of(air_group *g, const group_block *to)
{
    handed h = phis_of(g, to);
    for (unsigned i = 0; i < h.n; ++i) {
        h.parts[i] = arena_array(g->l->mem, LLVMValueRef, parts_of(g, h.phis[i]));
        for (unsigned k = 0; k < parts_of(g, h.phis[i]); ++k) h.parts[i][k] = LLVMConstNull(part_type(g, h.phis[i], k));
    }
    return h;
}

/* A comparison, turned so that what differs between lanes comes first. */
typedef struct comparison {
    LLVMValueRef a, b;
    LLVMIntPredicate p;
} comparison;

static LLVMIntPredicate turned(LLVMIntPredicate p)
{
    switch ((int)p) {
    case LLVMIntUGT: return LLVMIntULT;
    case LLVMIntUGE: return LLVMIntULE;
    case LLVMIntULT: return LLVMIntUGT;
    case LLVMIntULE: return LLVMIntUGE;
    case LLVMIntSGT: return LLVMIntSLT;
    case LLVMIntSGE: return LLVMIntSLE;
    case LLVMIntSLT: return LLVMIntSGT;
    case LLVMIntSLE: return LLVMIntSGE;
    default: return p;
    }
}

static LLVMIntPredicate opposite(LLVMIntPredicate p)
{
    switch ((int)p) {
    case LLVMIntUGT: return LLVMIntULE;
    case LLVMIntUGE: return LLVMIntULT;
    case LLVMIntSGT: return LLVMIntSLE;
    case LLVMIntSGE: return LLVMIntSLT;
    case LLVMIntNE: return LLVMIntEQ;
    default: return LLVMIntNE; /* of no use here */
    }
}

static bool read_comparison(air_group *g, LLVMValueRef condition, comparison *c)
{
    if (LLVMIsAICmpInst(condition) == NULL) return false;
    *c = (comparison){LLVMGetOperand(condition, 0), LLVMGetOperand(condition, 1), LLVMGetICmpPredicate(condition)};
    if (air_group_shape(g, c->a).stride == 0) *c = (comparison){c->b, c->a, turned(c->p)};
    const air_shape s = air_group_shape(g, c->a), o = air_group_shape(g, c->b);
    return s.kind == AIR_LINEAR && !s.maybe && s.stride > 0 && o.kind != AIR_EACH && o.stride == 0 &&
           LLVMGetTypeKind(LLVMTypeOf(c->a)) == LLVMIntegerTypeKind;
}

static bool is_below(LLVMIntPredicate p)
{
    return p == LLVMIntULT || p == LLVMIntULE || p == LLVMIntSLT || p == LLVMIntSLE;
}

/* Whether any lane of a whole vector compares so, told by the first one: lanes that rise by `stride` without a carry below what
 * is the group's, or one of lanes that count equal to it. NULL where that does not tell. */
static LLVMValueRef told_by_first(air_group *g, LLVMValueRef condition)
{
    comparison c;
    if (g->mask != NULL || !read_comparison(g, condition, &c)) return NULL;
    const air_shape s = air_group_shape(g, c.a);
    LLVMValueRef first = air_group_scalar(g, c.a), than = air_group_scalar(g, c.b);
    if (is_below(c.p) && (uint64_t)s.stride * (g->width - 1) < s.align) return LLVMBuildICmp(B, c.p, first, than, "");
    if (c.p != LLVMIntEQ || s.stride != 1) return NULL;
    return LLVMBuildICmp(B, LLVMIntULT, LLVMBuildSub(B, than, first, ""), LLVMConstInt(LLVMTypeOf(first), g->width, 0), "");
}

/* At a branch that all of the section's threads come to: whether those of a later chunk may take its one way with code, which is
 * `first`'s other one. Known of threads below a number of the group's, and of one thread: `if (t < n)` in a tree of sums costs the
 * threads below n then. */
static LLVMValueRef later_ones(air_group *g, LLVMValueRef condition, bool yes_has_code)
{
    comparison c;
    if (!read_comparison(g, condition, &c) || air_group_shape(g, c.b).kind != AIR_SAME) return NULL;
    LLVMIntPredicate p = yes_has_code ? c.p : opposite(c.p);
    const bool by_index = c.a == LLVMGetParam(g->from, 4);
    if (!by_index && c.a != LLVMGetParam(g->from, 1)) return NULL;
    if (p == LLVMIntEQ) p = LLVMIntULE;
    else if (!is_below(p)) return NULL;
    LLVMValueRef next = LLVMBuildAdd(B, air_group_scalar(g, c.a), air_int32(g->l, g->width), "");
    LLVMValueRef some = LLVMBuildICmp(B, p, next, air_group_scalar(g, c.b), "");
    if (by_index) return some;
    LLVMValueRef rows = LLVMBuildMul(B, g->threads[1], g->threads[2], ""); /* x begins again in the next one */
    return LLVMBuildOr(B, some, LLVMBuildICmp(B, LLVMIntUGT, rows, air_int32(g->l, 1), ""), "");
}

/* One side under a mask, left out where no lane takes it (`some`, NULL: not known yet); where it ends, its lanes' values over
 * `others`. */
static handed masked_side(air_group *g, group_block *b, unsigned k, LLVMValueRef lanes, LLVMValueRef some, const handed *others)
{
    LLVMValueRef outer = g->mask, mask = air_group_within(g, lanes);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(B), end = NULL;
    const bool heavy = b->next[k] != b->join && air_group_meets(g, b->next[k], b->join, false);
    if (heavy) {
        LLVMBasicBlockRef way = air_group_block(g, "some");
        end = air_group_block(g, "");
        LLVMBuildCondBr(B, some != NULL ? some : air_group_any(g, mask), way, end);
        LLVMPositionBuilderAtEnd(B, way);
    }
    g->mask = mask;
    handed h = side(g, b, k);
    g->mask = outer;
    for (unsigned i = 0; others != NULL && i < h.n; ++i) {
        LLVMValueRef *parts = arena_array(g->l->mem, LLVMValueRef, parts_of(g, h.phis[i]));
        for (unsigned p = 0; p < parts_of(g, h.phis[i]); ++p) parts[p] = LLVMBuildSelect(B, mask, h.parts[i][p], others->parts[i][p], "");
        h.parts[i] = parts;
    }
    if (!heavy) return h;
    LLVMBasicBlockRef from = LLVMGetInsertBlock(B);
    LLVMBuildBr(B, end);
    LLVMPositionBuilderAtEnd(B, end);
    const handed none = others != NULL ? *others : none_of(g, b->join);
    return meet(g, &h, from, &none, before);
}

static handed lane_branch(air_group *g, group_block *b, LLVMValueRef condition, bool outermost)
{
    const bool one_way = (b->next[0] == b->join) != (b->next[1] == b->join);
    if (outermost && one_way && g->now.go_on == NULL) g->now.go_on = later_ones(g, condition, b->next[1] == b->join);
    else if (outermost) g->now.busy = true;

    LLVMValueRef yes = air_group_lanes(g, condition)[0];
    LLVMValueRef no = LLVMBuildNot(B, yes, "");
    const unsigned first = b->next[0] == b->join ? 0 : 1; /* a side without code first */
    LLVMValueRef some = told_by_first(g, condition);
    const handed other = masked_side(g, b, first, first == 0 ? yes : no, first == 0 ? some : NULL, NULL);
    return masked_side(g, b, 1 - first, first == 0 ? no : yes, first == 0 ? NULL : some, &other);
}

static handed branch(air_group *g, group_block *b)
{
    LLVMValueRef condition = LLVMGetCondition(LLVMGetBasicBlockTerminator(b->block));
    const air_shape_kind kind = air_group_shape(g, condition).kind;
    const bool barrier = g->outside && (air_group_meets(g, b->next[0], b->join, true) || air_group_meets(g, b->next[1], b->join, true));
    if (barrier) {
        if (kind != AIR_SAME) air_group_unfit(g, "a barrier that not all threads are known to come to");
        if (g->unfit != NULL) return none_of(g, b->join);
        LLVMValueRef c = air_group_scalar(g, condition);
        air_group_close(g);
        return plain_branch(g, b, c);
    }
    const bool outside = g->outside;
    if (outside) air_group_open(g);
    g->outside = false;
    if (outside && kind != AIR_EACH) g->now.busy = true;
    handed h = kind == AIR_EACH ? lane_branch(g, b, condition, outside) : plain_branch(g, b, air_group_scalar(g, condition));
    g->outside = outside;
    return h;
}

/* ---- Loops -------------------------------------------------------------------------------------------------------------- */

/* Phis of the loop's header, with what comes from before it. */
static handed begin_phis(air_group *g, const handed *init, LLVMBasicBlockRef from)
{
    handed h = *init;
    h.parts = arena_array(g->l->mem, LLVMValueRef *, h.n + 1);
    for (unsigned i = 0; i < h.n; ++i) {
        if (in_slots(g, h.phis[i])) continue;
        h.parts[i] = arena_array(g->l->mem, LLVMValueRef, parts_of(g, h.phis[i]));
        for (unsigned k = 0; k < parts_of(g, h.phis[i]); ++k) {
            h.parts[i][k] = LLVMBuildPhi(B, LLVMTypeOf(init->parts[i][k]), "");
            LLVMAddIncoming(h.parts[i][k], &init->parts[i][k], &from, 1);
        }
    }
    define_phis(g, &h);
    return h;
}

static void end_phis(air_group *g, const handed *h, const handed *next)
{
    LLVMBasicBlockRef from = LLVMGetInsertBlock(B);
    for (unsigned i = 0; i < h->n; ++i) {
        if (in_slots(g, h->phis[i])) continue;
        for (unsigned k = 0; k < parts_of(g, h->phis[i]); ++k) LLVMAddIncoming(h->parts[i][k], &next->parts[i][k], &from, 1);
    }
}

static LLVMValueRef condition_of(const group_loop *loop)
{
    return LLVMGetCondition(LLVMGetBasicBlockTerminator(loop->latch->block));
}

static void body_of(air_group *g, group_loop *loop)
{
    group_loop *outer = g->loop;
    handed nothing;
    g->loop = loop;
    walk(g, loop->header, NULL, NULL, &nothing);
    g->loop = outer;
}

static void plain_loop(air_group *g, group_loop *loop, const group_block *from)
{
    const handed init = hand_on(g, loop->header, from);
    const unsigned claims = g->claim_count;
    air_group_foresee_loop(g, loop);
    loop->rounds = g->l->unchecked ? 0 : air_group_rounds(loop);
    if (loop->rounds != 0) air_group_again(g, loop->rounds);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(B), head = air_group_block(g, "loop"), end = air_group_block(g, "");
    LLVMBuildBr(B, head);
    LLVMPositionBuilderAtEnd(B, head);
    const handed h = begin_phis(g, &init, before);
    body_of(g, loop);
    LLVMValueRef again = air_group_scalar(g, condition_of(loop));
    const handed next = hand_on(g, loop->header, loop->latch), out = hand_on(g, loop->exit, loop->latch);
    end_phis(g, &h, &next);
    LLVMBuildCondBr(B, again, loop->latch->next[0] == loop->header ? head : end, loop->latch->next[0] == loop->header ? end : head);
    LLVMPositionBuilderAtEnd(B, end);
    define_phis(g, &out);
    g->claim_count = claims;
}

/* Lanes leave when it is their turn; what they leave with is held for them. */
static void lane_loop(air_group *g, group_loop *loop, const group_block *from)
{
    const handed init = hand_on(g, loop->header, from), none = none_of(g, loop->exit);
    LLVMValueRef outer = g->mask, all = air_group_mask(g);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(B), head = air_group_block(g, "loop"), end = air_group_block(g, "");
    LLVMBuildBr(B, head);
    LLVMPositionBuilderAtEnd(B, head);
    LLVMValueRef live = LLVMBuildPhi(B, LLVMTypeOf(all), "");
    LLVMAddIncoming(live, &all, &before, 1);
    handed held = none;
    held.parts = arena_array(g->l->mem, LLVMValueRef *, held.n + 1);
    for (unsigned i = 0; i < held.n; ++i) {
        held.parts[i] = arena_array(g->l->mem, LLVMValueRef, parts_of(g, held.phis[i]));
        for (unsigned k = 0; k < parts_of(g, held.phis[i]); ++k) {
            held.parts[i][k] = LLVMBuildPhi(B, LLVMTypeOf(none.parts[i][k]), "");
            LLVMAddIncoming(held.parts[i][k], &none.parts[i][k], &before, 1);
        }
    }
    const handed h = begin_phis(g, &init, before);
    g->mask = live;
    body_of(g, loop);
    LLVMValueRef again = air_group_lanes(g, condition_of(loop))[0];
    if (loop->latch->next[0] != loop->header) again = LLVMBuildNot(B, again, "");
    const handed next = hand_on(g, loop->header, loop->latch);
    handed out = hand_on(g, loop->exit, loop->latch);
    for (unsigned i = 0; i < out.n; ++i) {
        LLVMValueRef *parts = arena_array(g->l->mem, LLVMValueRef, parts_of(g, out.phis[i]));
        for (unsigned k = 0; k < parts_of(g, out.phis[i]); ++k) parts[k] = LLVMBuildSelect(B, live, out.parts[i][k], held.parts[i][k], "");
        out.parts[i] = parts;
    }
    LLVMValueRef stay = LLVMBuildAnd(B, live, again, ""), some = air_group_any(g, stay);
    LLVMBasicBlockRef last = LLVMGetInsertBlock(B);
    LLVMAddIncoming(live, &stay, &last, 1);
    end_phis(g, &h, &next);
    end_phis(g, &held, &out);
    LLVMBuildCondBr(B, some, head, end);
    LLVMPositionBuilderAtEnd(B, end);
    g->mask = outer;
    define_phis(g, &out);
}

/* Whether a value that leaves the loop is one of its phis, whose array the way back writes. */
static bool phi_leaves(air_group *g, const group_loop *loop)
{
    const handed out = phis_of(g, loop->exit);
    for (unsigned i = 0; i < out.n; ++i) {
        LLVMValueRef v = incoming(out.phis[i], loop->latch);
        if (v != NULL && LLVMIsAPHINode(v) != NULL && LLVMGetInstructionParent(v) == loop->header->block && in_slots(g, v)) return true;
    }
    return false;
}

/* A loop with barriers: around sections. */
static void outer_loop(air_group *g, group_loop *loop, const group_block *from)
{
    LLVMValueRef condition = condition_of(loop);
    if (air_group_shape(g, condition).kind != AIR_SAME) air_group_unfit(g, "a barrier that not all threads are known to come to");
    const handed init = hand_on(g, loop->header, from);
    air_group_close(g);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(B), head = air_group_block(g, "loop"), back = air_group_block(g, "back"), end = air_group_block(g, "");
    LLVMBuildBr(B, head);
    LLVMPositionBuilderAtEnd(B, head);
    const handed h = begin_phis(g, &init, before);
    body_of(g, loop);
    if (g->unfit != NULL) return;
    LLVMValueRef again = air_group_scalar(g, condition);
    const bool later = phi_leaves(g, loop);
    handed next = {.n = 0};
    if (!later) next = hand_on(g, loop->header, loop->latch);
    const handed out = hand_on(g, loop->exit, loop->latch);
    air_group_close(g);
    if (!g->l->unchecked) air_group_again(g, 1);
    LLVMBuildCondBr(B, again, loop->latch->next[0] == loop->header ? back : end, loop->latch->next[0] == loop->header ? end : back);
    LLVMPositionBuilderAtEnd(B, back);
    if (later) next = hand_on(g, loop->header, loop->latch);
    air_group_close(g);
    end_phis(g, &h, &next);
    LLVMBuildBr(B, head);
    LLVMPositionBuilderAtEnd(B, end);
    define_phis(g, &out);
}

static void any_loop(air_group *g, group_loop *loop, const group_block *from)
{
    if (g->outside && loop->barrier) {
        outer_loop(g, loop, from);
        return;
    }
    const bool outside = g->outside;
    if (outside) air_group_open(g);
    g->outside = false;
    if (outside) g->now.busy = true;
    if (air_group_shape(g, condition_of(loop)).kind == AIR_EACH) lane_loop(g, loop, from);
    else plain_loop(g, loop, from);
    g->outside = outside;
}

/* ---- Blocks -------------------------------------------------------------------------------------------------------------- */

static bool has_effects(LLVMValueRef v)
{
    return LLVMIsACallInst(v) != NULL || LLVMIsAAtomicRMWInst(v) != NULL || LLVMIsAAtomicCmpXchgInst(v) != NULL ||
           (LLVMIsALoadInst(v) != NULL && LLVMGetVolatile(v));
}

static void one_block(air_group *g, const group_block *b)
{
    const unsigned claims = g->claim_count;
    for (LLVMValueRef v = LLVMGetFirstInstruction(b->block); v != NULL && g->unfit == NULL; v = LLVMGetNextInstruction(v)) {
        if (LLVMIsAPHINode(v) != NULL) continue;
        if (LLVMIsATerminatorInst(v) != NULL) break;
        if (g->outside) {
            if (air_group_is_call(v, "air_rt_barrier")) {
                air_group_close(g);
                continue;
            }
            if (g->loop != NULL && g->loop->barrier && air_group_is_call(v, AIR_AGAIN)) continue; /* outer_loop's */
            const bool value = LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVoidTypeKind;
            if (!value || air_group_shape(g, v).kind != AIR_SAME) air_group_open(g);
            g->now.busy |= !value || has_effects(v);
        }
        air_group_instruction(g, v);
    }
    if (claims < g->claim_count) g->claim_count = claims;
}

/* From b, come to from `from`, until `stop`, whose phis' values are put in *out, or until the latch of the loop. */
static void walk(air_group *g, group_block *b, const group_block *from, const group_block *stop, handed *out)
{
    while (g->unfit == NULL) {
        if (b == stop) {
            *out = hand_on(g, b, from);
            return;
        }
        if (b->heads != NULL && b->heads != g->loop) {
            any_loop(g, b->heads, from);
            b = b->heads->exit;
        } else if (from != NULL) {
            pass_on(g, b, from);
        }
        one_block(g, b);
        if ((g->loop != NULL && b == g->loop->latch) || b->nexts == 0) return;
        from = b;
        if (b->nexts == 1) {
            b = b->next[0];
            continue;
        }
        handed h = branch(g, b);
        if (b->join == stop) {
            if (h.within && g->outside) {
                store_slots(g, &h);
                h.within = false;
            }
            *out = h;
            return;
        }
        define_phis(g, &h);
        b = b->join;
        from = NULL;
    }
    if (stop != NULL) *out = none_of(g, stop);
}

void air_group_run(air_group *g)
{
    handed nothing;
    g->outside = true;
    walk(g, g->order[0], NULL, NULL, &nothing);
    if (g->unfit == NULL) air_group_close(g);
}
