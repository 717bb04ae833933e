/* Checks of a threadgroup's function: one test for all lanes, and where that fails lane by lane; tests of many accesses done
 * once, before a loop or a row of accesses. */
#include "air/group.h"

#define B g->l->b

/* ---- What must hold ---------------------------------------------------------------------------------------------------- */

enum { MOST_TERMS = 8 };

/* All of `terms`, old values, for the lanes that run. */
typedef struct needed {
    LLVMValueRef terms[MOST_TERMS];
    unsigned n;
} needed;

static void split(air_group *g, needed *c, LLVMValueRef old)
{
    if (LLVMIsAInstruction(old) != NULL && LLVMGetInstructionOpcode(old) == LLVMAnd && c->n + 2 < MOST_TERMS) {
        split(g, c, LLVMGetOperand(old, 0));
        split(g, c, LLVMGetOperand(old, 1));
        return;
    }
    c->terms[c->n++] = old;
}

/* A number of the lanes that is to be at most, or less than, one that is the group's or the chunk's. */
typedef struct bound {
    LLVMValueRef a, b;
    LLVMIntPredicate p; /* ULE or ULT */
} bound;

static bool read_bound(air_group *g, LLVMValueRef old, bound *r)
{
    if (LLVMIsAICmpInst(old) == NULL) return false;
    LLVMValueRef a = LLVMGetOperand(old, 0), b = LLVMGetOperand(old, 1);
    LLVMIntPredicate p = LLVMGetICmpPredicate(old);
    if (p == LLVMIntUGE || p == LLVMIntUGT) {
        LLVMValueRef t = a;
        a = b;
        b = t;
        p = p == LLVMIntUGE ? LLVMIntULE : LLVMIntULT;
    }
    const air_shape o = air_group_shape(g, b);
    *r = (bound){a, b, p};
    return (p == LLVMIntULE || p == LLVMIntULT) && o.kind != AIR_EACH && o.stride == 0 && LLVMGetTypeKind(LLVMTypeOf(a)) == LLVMIntegerTypeKind;
}

/* A comparison of a LINEAR number with one that is the group's: it holds for all lanes where it does for the last one, and
 * the lanes do not wrap. NULL where that is not known. */
static LLVMValueRef for_all(air_group *g, LLVMValueRef old)
{
    bound c;
    if (!read_bound(g, old, &c)) return NULL;
    const air_shape s = air_group_shape(g, c.a);
    if (s.kind != AIR_LINEAR || s.stride <= 0) return NULL;
    const LLVMTypeRef t = LLVMTypeOf(c.a);
    const uint64_t most = (uint64_t)s.stride * (g->width - 1);
    const unsigned bits = LLVMGetIntTypeWidth(t);
    if (bits < 64 && most >> bits != 0) return NULL; /* the last lane may have come round */
    LLVMValueRef first = air_group_scalar(g, c.a), exact = air_group_exact(g, c.a);
    LLVMValueRef last = LLVMBuildAdd(B, first, LLVMConstInt(t, most, 0), "");
    LLVMValueRef r = LLVMBuildAnd(B, LLVMBuildICmp(B, LLVMIntUGE, last, first, ""), LLVMBuildICmp(B, c.p, last, air_group_scalar(g, c.b), ""), "");
    return exact != NULL ? LLVMBuildAnd(B, r, exact, "") : r;
}

/* One scalar for all lanes: where it holds, the term does for each that runs. */
static LLVMValueRef at_once(air_group *g, LLVMValueRef term)
{
    if (air_group_shape(g, term).kind != AIR_EACH) return air_group_scalar(g, term);
    LLVMValueRef all = for_all(g, term);
    if (all != NULL) return all;
    LLVMValueRef bad = air_group_within(g, LLVMBuildNot(B, air_group_lanes(g, term)[0], ""));
    return LLVMBuildNot(B, air_group_any(g, bad), "");
}

/* ---- Offsets as sums ------------------------------------------------------------------------------------------------------ */

enum { MOST_LEAVES = 4, MOST_FACTOR = 1 << 20 };
static const int64_t far_away = (int64_t)1 << 40;

/* scale * extended(the sum of factor[i] * leaf[i], of `times` * the loop's counter, and of `more`) + fixed. */
typedef struct sum {
    LLVMValueRef leaf[MOST_LEAVES];
    int64_t factor[MOST_LEAVES], times, more, fixed, scale;
    unsigned n;
    LLVMOpcode extension; /* LLVMZExt, LLVMSExt; LLVMAdd: none */
} sum;

static const int64_t *constant_of(LLVMValueRef v, int64_t *room)
{
    if (LLVMIsAConstantInt(v) == NULL || LLVMGetIntTypeWidth(LLVMTypeOf(v)) > 64) return NULL;
    *room = LLVMConstIntGetSExtValue(v);
    return *room < far_away && *room > -far_away ? room : NULL;
}

/* What multiplies v's first operand: v is it shifted left or times a constant. 0: neither. */
static int64_t factor_of(LLVMValueRef v, LLVMOpcode op)
{
    int64_t room;
    const int64_t *c = op == LLVMMul || op == LLVMShl ? constant_of(LLVMGetOperand(v, 1), &room) : NULL;
    if (c == NULL) return 0;
    if (op == LLVMShl) return *c >= 0 && *c < 20 ? (int64_t)1 << *c : 0;
    return *c < MOST_FACTOR && *c > -MOST_FACTOR ? *c : 0;
}

static bool adds(air_group *g, LLVMValueRef v, LLVMOpcode op)
{
    int64_t room;
    if (op == LLVMAdd) return true;
    if (op != LLVMOr || constant_of(LLVMGetOperand(v, 1), &room) == NULL || room < 0) return false;
    const air_shape s = air_group_shape(g, LLVMGetOperand(v, 0));
    return s.stride == 0 && s.kind != AIR_EACH && (int64_t)s.align > room;
}

/* Adds factor * v to the sum; `counter` is the loop's, or NULL. */
static bool add_to(air_group *g, sum *s, LLVMValueRef v, int64_t factor, LLVMValueRef counter)
{
    int64_t room;
    if (factor >= MOST_FACTOR || factor <= -MOST_FACTOR) return false;
    if (constant_of(v, &room) != NULL) {
        s->more += factor * room;
        return s->more < far_away && s->more > -far_away;
    }
    if (v == counter) {
        s->times += factor;
        return true;
    }
    const LLVMOpcode op = LLVMIsAInstruction(v) != NULL ? LLVMGetInstructionOpcode(v) : LLVMPHI;
    if (adds(g, v, op)) return add_to(g, s, LLVMGetOperand(v, 0), factor, counter) && add_to(g, s, LLVMGetOperand(v, 1), factor, counter);
    if (factor_of(v, op) != 0) return add_to(g, s, LLVMGetOperand(v, 0), factor * factor_of(v, op), counter);
    for (unsigned i = 0; i < s->n; ++i) {
        if (s->leaf[i] != v) continue;
        s->factor[i] += factor;
        return true;
    }
    if (s->n == MOST_LEAVES || air_group_shape(g, v).kind == AIR_EACH) return false;
    s->leaf[s->n] = v;
    s->factor[s->n++] = factor;
    return true;
}

/* ---- A loop's counter ------------------------------------------------------------------------------------------------------ */

/* A phi of the header that goes up by a constant, to less than (or up to) what does not change in the loop. */
typedef struct counter {
    LLVMValueRef phi, from, to; /* old values; NULL: none */
    int64_t step;
    bool inclusive, is_signed;
} counter;

static bool is_in(const group_loop *loop, LLVMValueRef v)
{
    if (LLVMIsAInstruction(v) == NULL) return false;
    for (unsigned i = 0; i < loop->body_count; ++i)
        if (loop->body[i]->block == LLVMGetInstructionParent(v)) return true;
    return false;
}

static bool read_counter(const group_loop *loop, LLVMValueRef phi, LLVMValueRef condition, counter *c)
{
    int64_t room;
    LLVMValueRef next = NULL;
    *c = (counter){.phi = phi};
    if (LLVMGetTypeKind(LLVMTypeOf(phi)) != LLVMIntegerTypeKind || LLVMCountIncoming(phi) != 2) return false;
    for (unsigned i = 0; i < 2; ++i) {
        if (LLVMGetIncomingBlock(phi, i) == loop->latch->block) next = LLVMGetIncomingValue(phi, i);
        else c->from = LLVMGetIncomingValue(phi, i);
    }
    if (next == NULL || c->from == NULL || LLVMIsAInstruction(next) == NULL || LLVMGetInstructionOpcode(next) != LLVMAdd) return false;
    if (LLVMGetOperand(next, 0) != phi || constant_of(LLVMGetOperand(next, 1), &room) == NULL || room <= 0) return false;
    c->step = room;
    const LLVMIntPredicate p = LLVMGetICmpPredicate(condition);
    LLVMValueRef what = LLVMGetOperand(condition, 0);
    c->to = LLVMGetOperand(condition, 1);
    c->is_signed = p == LLVMIntSLT || p == LLVMIntSLE;
    c->inclusive = p == LLVMIntSLE || p == LLVMIntULE;
    if (!c->is_signed && p != LLVMIntULT && p != LLVMIntULE) return false;
    if (what == phi && !c->inclusive) c->inclusive = true; /* the counter before the step is tested: it comes that far */
    else if (what != next) return false;
    if (what == phi && c->step != 1) return false; /* the last one would lie farther */
    return !is_in(loop, c->to);
}

static bool find_counter(const group_loop *loop, counter *c)
{
    LLVMValueRef condition = LLVMGetCondition(LLVMGetBasicBlockTerminator(loop->latch->block));
    if (LLVMIsAICmpInst(condition) == NULL || loop->latch->next[0] != loop->header) return false;
    for (LLVMValueRef v = LLVMGetFirstInstruction(loop->header->block); v != NULL && LLVMIsAPHINode(v) != NULL; v = LLVMGetNextInstruction(v))
        if (read_counter(loop, v, condition, c)) return true;
    return false;
}

uint32_t air_group_rounds(const group_loop *loop)
{
    counter c;
    int64_t from, to;
    if (!find_counter(loop, &c) || constant_of(c.from, &from) == NULL || constant_of(c.to, &to) == NULL) return 0;
    if (from < 0 || to < from || to + c.step >= 1 << 20 || LLVMGetIntTypeWidth(LLVMTypeOf(c.phi)) < 32) return 0;
    return (uint32_t)((to - from) / c.step + 1);
}

/* ---- Many accesses at once ---------------------------------------------------------------------------------------------------- */

/* Terms whose offsets differ by constants and by the loop's counter alone, below one bound. */
typedef struct claim {
    sum s;
    bound limit;
    int64_t least_more, most_more, least_fixed, most_fixed;
    unsigned members;
} claim;

static bool read_claim(air_group *g, LLVMValueRef term, const group_loop *loop, LLVMValueRef phi, claim *c)
{
    *c = (claim){.s = {.scale = 1, .extension = LLVMAdd}, .members = 1};
    if (!read_bound(g, term, &c->limit) || air_group_shape(g, c->limit.a).kind == AIR_EACH) return false;
    LLVMValueRef v = c->limit.a;
    int64_t room = 0;
    for (;;) { /* what is done to the extended sum */
        const LLVMOpcode op = LLVMIsAInstruction(v) != NULL ? LLVMGetInstructionOpcode(v) : LLVMPHI;
        const bool adds_constant = (op == LLVMAdd || op == LLVMOr) && adds(g, v, op) && constant_of(LLVMGetOperand(v, 1), &room) != NULL;
        if (adds_constant) c->s.fixed += c->s.scale * room;
        else if (factor_of(v, op) > 0) c->s.scale *= factor_of(v, op);
        else break;
        v = LLVMGetOperand(v, 0);
        if (c->s.scale >= MOST_FACTOR || c->s.fixed >= far_away || c->s.fixed <= -far_away) return false;
    }
    if (LLVMIsAZExtInst(v) != NULL || LLVMIsASExtInst(v) != NULL) {
        c->s.extension = LLVMGetInstructionOpcode(v);
        v = LLVMGetOperand(v, 0);
    }
    if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind || !add_to(g, &c->s, v, 1, phi)) return false;
    for (unsigned i = 0; loop != NULL && i < c->s.n; ++i)
        if (is_in(loop, c->s.leaf[i])) return false;
    if (loop != NULL && is_in(loop, c->limit.b)) return false;
    c->least_more = c->most_more = c->s.more;
    c->least_fixed = c->most_fixed = c->s.fixed;
    return true;
}

static bool is_like(const claim *a, const claim *b)
{
    const sum *s = &a->s, *o = &b->s;
    if (s->n != o->n || s->times != o->times || s->scale != o->scale || s->extension != o->extension) return false;
    if (a->limit.b != b->limit.b || a->limit.p != b->limit.p) return false;
    for (unsigned i = 0; i < s->n; ++i)
        if (s->leaf[i] != o->leaf[i] || s->factor[i] != o->factor[i]) return false;
    return true;
}

static void join_claims(claim *a, const claim *b)
{
    a->least_more = b->least_more < a->least_more ? b->least_more : a->least_more;
    a->most_more = b->most_more > a->most_more ? b->most_more : a->most_more;
    a->least_fixed = b->least_fixed < a->least_fixed ? b->least_fixed : a->least_fixed;
    a->most_fixed = b->most_fixed > a->most_fixed ? b->most_fixed : a->most_fixed;
    ++a->members;
}

/* 64 bits of a number; *good loses what is too far away to be reckoned with. */
static LLVMValueRef widened(air_group *g, LLVMValueRef v, bool is_signed, LLVMValueRef *good)
{
    const unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(v));
    if (bits < 64) return is_signed ? LLVMBuildSExt(B, v, g->l->i64, "") : LLVMBuildZExt(B, v, g->l->i64, "");
    LLVMValueRef near = LLVMBuildAdd(B, v, air_int64(g->l, (uint64_t)far_away), "");
    near = LLVMBuildICmp(B, LLVMIntULE, near, air_int64(g->l, 2 * (uint64_t)far_away), "");
    *good = LLVMBuildAnd(B, *good, near, "");
    return v;
}

static LLVMValueRef plus(air_group *g, LLVMValueRef v, int64_t n)
{
    return LLVMBuildAdd(B, v, air_int64(g->l, (uint64_t)n), "");
}

static LLVMValueRef times(air_group *g, LLVMValueRef v, int64_t n)
{
    return LLVMBuildMul(B, v, air_int64(g->l, (uint64_t)n), "");
}

/* The least and the greatest that the sum can be for any lane and any round, as 64 bits: ends[0], ends[1]. */
static void find_ends(air_group *g, const claim *c, const counter *n, LLVMValueRef ends[2], LLVMValueRef *good)
{
    LLVMValueRef base = air_int64(g->l, 0);
    int64_t below = c->least_more, above = c->most_more;
    for (unsigned i = 0; i < c->s.n; ++i) {
        LLVMValueRef leaf = c->s.leaf[i], exact = air_group_exact(g, leaf);
        if (exact != NULL) *good = LLVMBuildAnd(B, *good, exact, "");
        LLVMValueRef v = widened(g, air_group_scalar(g, leaf), c->s.extension != LLVMZExt, good);
        base = LLVMBuildAdd(B, base, times(g, v, c->s.factor[i]), "");
        const int64_t reach = c->s.factor[i] * air_group_shape(g, leaf).stride * (int64_t)(g->width - 1);
        if (reach < 0) below += reach;
        else above += reach;
    }
    ends[0] = plus(g, base, below);
    ends[1] = plus(g, base, above);
    if (c->s.times == 0) return;
    LLVMValueRef first = widened(g, air_group_scalar(g, n->from), n->is_signed, good), last = widened(g, air_group_scalar(g, n->to), n->is_signed, good);
    last = plus(g, last, n->inclusive ? 0 : -1);
    const unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(n->phi));
    const int64_t most = bits >= 64 ? far_away : ((int64_t)1 << (n->is_signed ? bits - 1 : bits)) - 1; /* the next one does not wrap */
    *good = LLVMBuildAnd(B, *good, LLVMBuildICmp(B, LLVMIntSLE, first, last, ""), "");
    *good = LLVMBuildAnd(B, *good, LLVMBuildICmp(B, LLVMIntSLE, last, air_int64(g->l, (uint64_t)(most - n->step)), ""), "");
    ends[0] = LLVMBuildAdd(B, ends[0], times(g, c->s.times > 0 ? first : last, c->s.times), "");
    ends[1] = LLVMBuildAdd(B, ends[1], times(g, c->s.times > 0 ? last : first, c->s.times), "");
}

/* Whether all of the claim's terms hold, for all lanes and rounds; false where that is not known. */
static LLVMValueRef prove(air_group *g, const claim *c, const counter *n)
{
    LLVMValueRef ends[2], good = LLVMConstInt(g->l->i1, 1, 0);
    find_ends(g, c, n, ends, &good);
    const LLVMTypeRef type = LLVMTypeOf(c->s.n != 0 ? c->s.leaf[0] : n != NULL && n->phi != NULL ? n->phi : c->limit.a);
    const unsigned bits = LLVMGetIntTypeWidth(type);
    int64_t least = 0, most = far_away; /* what does not wrap in the sum's own type */
    if (bits >= 64) least = -far_away;
    else if (c->s.extension == LLVMSExt) least = -((int64_t)1 << (bits - 1));
    if (bits < 64) most = ((int64_t)1 << bits) - 1 + least;
    good = LLVMBuildAnd(B, good, LLVMBuildICmp(B, LLVMIntSGE, ends[0], air_int64(g->l, (uint64_t)least), ""), "");
    good = LLVMBuildAnd(B, good, LLVMBuildICmp(B, LLVMIntSLE, ends[1], air_int64(g->l, (uint64_t)most), ""), "");
    ends[0] = plus(g, times(g, ends[0], c->s.scale), c->least_fixed);
    ends[1] = plus(g, times(g, ends[1], c->s.scale), c->most_fixed);
    good = LLVMBuildAnd(B, good, LLVMBuildICmp(B, LLVMIntSGE, ends[0], air_int64(g->l, 0), ""), "");
    LLVMValueRef limit = air_group_scalar(g, c->limit.b);
    if (LLVMTypeOf(limit) != g->l->i64) limit = LLVMBuildZExt(B, limit, g->l->i64, "");
    return LLVMBuildAnd(B, good, LLVMBuildICmp(B, c->limit.p == LLVMIntULE ? LLVMIntSLE : LLVMIntSLT, ends[1], limit, ""), "");
}

/* ---- What was claimed ----------------------------------------------------------------------------------------------------------- */

static LLVMValueRef claimed(const air_group *g, LLVMValueRef term)
{
    for (unsigned i = g->claim_count; i-- > 0;)
        if (g->claims[i].term == term) return g->claims[i].holds;
    return NULL;
}

static void note_claim(air_group *g, LLVMValueRef term, LLVMValueRef holds)
{
    if (g->claim_count == g->most_claims) {
        const unsigned most = g->most_claims == 0 ? 32 : g->most_claims * 2;
        g->claims = arena_grow(g->l->mem, g->claims, g->most_claims * sizeof *g->claims, most, sizeof *g->claims);
        g->most_claims = most;
    }
    g->claims[g->claim_count++] = (air_claim){term, holds};
}

enum { MOST_CLAIMS = 32 };

/* Claims that are being gathered, and the terms that belong to them. */
typedef struct gathering {
    claim claims[MOST_CLAIMS];
    unsigned n;
    struct { LLVMValueRef term; unsigned claim; } *terms;
    unsigned term_count, most_terms;
} gathering;

static void gather_guard(air_group *g, gathering *all, LLVMValueRef guard, const group_loop *loop, const counter *n)
{
    needed c = {.n = 0};
    split(g, &c, LLVMGetOperand(guard, 4));
    for (unsigned i = 0; i < c.n && all->term_count < all->most_terms; ++i) {
        claim one;
        if (claimed(g, c.terms[i]) != NULL || !read_claim(g, c.terms[i], loop, n != NULL ? n->phi : NULL, &one)) continue;
        unsigned at = 0;
        while (at < all->n && !is_like(&all->claims[at], &one)) ++at;
        if (at == MOST_CLAIMS) continue;
        if (at < all->n) join_claims(&all->claims[at], &one);
        else all->claims[all->n++] = one;
        all->terms[all->term_count].term = c.terms[i];
        all->terms[all->term_count++].claim = at;
    }
}

static gathering *start_gathering(air_group *g)
{
    gathering *all = arena_new(g->l->mem, gathering);
    all->most_terms = 256;
    all->terms = arena_zeroed(g->l->mem, all->most_terms, sizeof *all->terms);
    return all;
}

/* Proves claims of at least `least` members where the builder stands. */
static void prove_all(air_group *g, gathering *all, const counter *n, unsigned least)
{
    LLVMValueRef holds[MOST_CLAIMS];
    for (unsigned i = 0; i < all->n; ++i) holds[i] = all->claims[i].members >= least ? prove(g, &all->claims[i], n) : NULL;
    for (unsigned i = 0; i < all->term_count; ++i)
        if (holds[all->terms[i].claim] != NULL) note_claim(g, all->terms[i].term, holds[all->terms[i].claim]);
}

void air_group_foresee_loop(air_group *g, const group_loop *loop)
{
    counter c;
    const bool counts = find_counter(loop, &c);
    if (g->l->unchecked) return;
    gathering *all = start_gathering(g);
    for (unsigned i = 0; i < loop->body_count; ++i)
        for (LLVMValueRef v = LLVMGetFirstInstruction(loop->body[i]->block); v != NULL; v = LLVMGetNextInstruction(v))
            if (air_group_is_call(v, AIR_GUARD)) gather_guard(g, all, v, loop, counts ? &c : NULL);
    prove_all(g, all, counts ? &c : NULL, 1);
}

/* The terms of the guards from `first` on, up to the end of its block or a barrier, that have one of its claims. */
static void foresee_row(air_group *g, LLVMValueRef first)
{
    gathering *all = start_gathering(g);
    gather_guard(g, all, first, NULL, NULL);
    const unsigned own = all->n;
    unsigned length = 0;
    for (LLVMValueRef v = LLVMGetNextInstruction(first); own != 0 && v != NULL && !air_group_is_call(v, "air_rt_barrier"); v = LLVMGetNextInstruction(v)) {
        if (!air_group_is_call(v, AIR_GUARD) || ++length > 64) continue;
        gather_guard(g, all, v, NULL, NULL);
        if (all->n == own) continue;
        while (all->term_count != 0 && all->terms[all->term_count - 1].claim >= own) --all->term_count; /* what comes of values not made yet */
        all->n = own;
    }
    prove_all(g, all, NULL, 2);
}

/* ---- A check ------------------------------------------------------------------------------------------------------------------------ */

/* What an old value is for one lane, by scalars as far as that goes. */
LLVMValueRef air_group_of_lane(air_group *g, LLVMValueRef old, LLVMValueRef lane)
{
    const air_shape s = air_group_shape(g, old);
    const LLVMTypeRef t = LLVMTypeOf(old);
    if (s.kind != AIR_EACH && s.stride == 0 && (s.kind == AIR_SAME || air_group_exact(g, old) == NULL)) return air_group_scalar(g, old);
    if (s.kind == AIR_LINEAR && air_group_exact(g, old) == NULL) {
        LLVMValueRef first = air_group_scalar(g, old);
        const bool is_pointer = LLVMGetTypeKind(LLVMTypeOf(first)) == LLVMPointerTypeKind;
        const LLVMTypeRef number = is_pointer ? g->l->i64 : LLVMTypeOf(first);
        LLVMValueRef step = LLVMBuildMul(B, LLVMBuildIntCast2(B, lane, number, 0, ""), LLVMConstInt(number, (uint64_t)s.stride, 1), "");
        if (!is_pointer) return LLVMBuildAdd(B, first, step, "");
        return LLVMBuildBitCast(B, LLVMBuildGEP2(B, g->l->i8, LLVMBuildBitCast(B, first, g->l->ptr, ""), &step, 1, ""), t, "");
    }
    bound c;
    if (s.kind == AIR_LINEAR || (read_bound(g, old, &c) && air_group_shape(g, c.a).kind != AIR_EACH)) { /* LINEAR where it is exact: from its operands */
        const unsigned n = (unsigned)LLVMGetNumOperands(old);
        LLVMValueRef *args = arena_array(g->l->mem, LLVMValueRef, n), v;
        for (unsigned i = 0; i < n; ++i) args[i] = air_group_of_lane(g, LLVMGetOperand(old, i), lane);
        v = LLVMInstructionClone(old);
        for (unsigned i = 0; i < n; ++i) LLVMSetOperand(v, i, args[i]);
        LLVMInsertIntoBuilder(B, v);
        return v;
    }
    LLVMValueRef *lanes = air_group_lanes(g, old);
    if (LLVMGetTypeKind(t) != LLVMVectorTypeKind) return LLVMBuildExtractElement(B, lanes[0], lane, "");
    LLVMValueRef v = LLVMGetUndef(t);
    for (unsigned k = 0; k < air_group_elements(t); ++k)
        v = LLVMBuildInsertElement(B, v, LLVMBuildExtractElement(B, lanes[k], lane, ""), air_int32(g->l, k), "");
    return v;
}

static bool needs_vectors(air_group *g, LLVMValueRef term)
{
    bound c;
    return air_group_shape(g, term).kind == AIR_EACH && !(read_bound(g, term, &c) && air_group_shape(g, c.a).kind != AIR_EACH);
}

static void report(air_group *g, LLVMValueRef call, LLVMValueRef lane)
{
    LLVMValueRef args[5] = {g->thread};
    for (unsigned i = 1; i < 5; ++i) args[i] = air_group_of_lane(g, LLVMGetOperand(call, 4 + i), lane);
    air_group_note_lane(g, lane);
    (void)air_call_host(g->l, "air_rt_fault", args, 5);
    LLVMBuildUnreachable(B);
}

/* Where what must hold is one bound on the offset that a fault names, the host tries the lanes: less code than a loop. */
static bool try_by_host(air_group *g, LLVMValueRef call, const needed *c, LLVMBasicBlockRef on)
{
    LLVMValueRef others = LLVMConstInt(g->l->i1, 1, 0);
    bound limit = {NULL, NULL, LLVMIntULE};
    for (unsigned i = 0; i < c->n; ++i) {
        const air_shape s = air_group_shape(g, c->terms[i]);
        if (s.kind != AIR_EACH) others = LLVMBuildAnd(B, others, air_group_scalar(g, c->terms[i]), "");
        else if (limit.a != NULL || !read_bound(g, c->terms[i], &limit)) return false;
    }
    LLVMValueRef kind = LLVMGetOperand(call, 5), what = LLVMGetOperand(call, 6), size = LLVMGetOperand(call, 8);
    if (limit.a == NULL || limit.a != LLVMGetOperand(call, 7) || LLVMTypeOf(limit.a) != g->l->i64 || air_group_exact(g, limit.a) != NULL) return false;
    if (LLVMIsAConstantInt(kind) == NULL || LLVMIsAConstantInt(what) == NULL || LLVMIsAConstantInt(size) == NULL) return false;
    LLVMValueRef most = air_group_scalar(g, limit.b), bits = LLVMBuildZExt(B, air_group_bits(g, air_group_mask(g)), g->l->i64, "");
    if (limit.p == LLVMIntULT) {
        others = LLVMBuildAnd(B, others, LLVMBuildICmp(B, LLVMIntNE, most, air_int64(g->l, 0), ""), "");
        most = LLVMBuildSub(B, most, air_int64(g->l, 1), "");
    }
    air_group_note_lane(g, air_int32(g->l, 0));
    const uint64_t names = LLVMConstIntGetZExtValue(kind) << 56 | LLVMConstIntGetZExtValue(what) << 32 | LLVMConstIntGetZExtValue(size);
    LLVMValueRef all_bad = LLVMBuildOr(B, bits, LLVMBuildShl(B, bits, air_int64(g->l, 32), ""), "");
    LLVMValueRef args[6] = {g->thread, LLVMBuildSelect(B, others, bits, all_bad, ""), air_group_scalar(g, limit.a),
                            air_int64(g->l, (uint64_t)air_group_shape(g, limit.a).stride), most, air_int64(g->l, names)};
    (void)air_call_host(g->l, "air_rt_try", args, 6);
    LLVMBuildBr(B, on);
    return true;
}

/* What is the same for all lanes holds for all or for none. */
static void try_once(air_group *g, LLVMValueRef call, const needed *c, LLVMBasicBlockRef on)
{
    LLVMValueRef good = LLVMConstInt(g->l->i1, 1, 0);
    LLVMBasicBlockRef fault = air_group_block(g, "fault");
    for (unsigned i = 0; i < c->n; ++i) good = LLVMBuildAnd(B, good, air_group_scalar(g, c->terms[i]), "");
    LLVMBuildCondBr(B, good, on, fault);
    LLVMPositionBuilderAtEnd(B, fault);
    report(g, call, air_group_first_bit(g, air_group_bits(g, air_group_mask(g))));
}

/* The lanes that run, one after the other, by scalars. */
static void try_each(air_group *g, LLVMValueRef call, const needed *c, LLVMBasicBlockRef on)
{
    LLVMValueRef bits = air_group_bits(g, air_group_mask(g)), zero = LLVMConstNull(LLVMTypeOf(bits)), good = NULL;
    LLVMBasicBlockRef from = LLVMGetInsertBlock(B), body = air_group_block(g, "lane"), next = air_group_block(g, ""), fault = air_group_block(g, "fault");
    LLVMBuildBr(B, body); /* a lane runs at least: else nothing would be here */
    LLVMPositionBuilderAtEnd(B, body);
    LLVMValueRef left = LLVMBuildPhi(B, LLVMTypeOf(bits), ""), lane = air_group_first_bit(g, left);
    for (unsigned i = 0; i < c->n; ++i) {
        LLVMValueRef holds = air_group_of_lane(g, c->terms[i], lane);
        good = good == NULL ? holds : LLVMBuildAnd(B, good, holds, "");
    }
    LLVMBuildCondBr(B, good, next, fault);
    LLVMPositionBuilderAtEnd(B, fault);
    report(g, call, lane);
    LLVMPositionBuilderAtEnd(B, next);
    LLVMValueRef less = LLVMBuildAnd(B, left, LLVMBuildSub(B, left, LLVMConstInt(LLVMTypeOf(left), 1, 0), ""), "");
    LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntNE, less, zero, ""), body, on);
    LLVMAddIncoming(left, &bits, &from, 1);
    LLVMAddIncoming(left, &less, &next, 1);
}

void air_group_guard(air_group *g, LLVMValueRef old)
{
    needed c = {.n = 0};
    LLVMValueRef fast = NULL, good = NULL;
    bool vectors = false, scalars = true;
    split(g, &c, LLVMGetOperand(old, 4));
    foresee_row(g, old);
    for (unsigned i = 0; i < c.n; ++i) {
        LLVMValueRef holds = claimed(g, c.terms[i]);
        if (holds == NULL) holds = at_once(g, c.terms[i]);
        fast = fast == NULL ? holds : LLVMBuildAnd(B, fast, holds, "");
        vectors |= needs_vectors(g, c.terms[i]);
        scalars &= air_group_shape(g, c.terms[i]).kind != AIR_EACH;
    }
    LLVMBasicBlockRef slow = air_group_block(g, "slow"), on = air_group_block(g, "");
    air_group_mostly(g, fast, on, slow);
    LLVMPositionBuilderAtEnd(B, slow);
    if (!vectors) {
        if (scalars) try_once(g, old, &c, on);
        else if (!try_by_host(g, old, &c, on)) try_each(g, old, &c, on);
        LLVMPositionBuilderAtEnd(B, on);
        return;
    }
    for (unsigned i = 0; i < c.n; ++i) {
        LLVMValueRef lanes = air_group_lanes(g, c.terms[i])[0];
        good = good == NULL ? lanes : LLVMBuildAnd(B, good, lanes, "");
    }
    LLVMBasicBlockRef fault = air_group_block(g, "fault");
    LLVMValueRef bad = air_group_within(g, LLVMBuildNot(B, good, ""));
    LLVMBuildCondBr(B, air_group_any(g, bad), fault, on);
    LLVMPositionBuilderAtEnd(B, fault);
    report(g, old, air_group_first_bit(g, air_group_bits(g, bad)));
    LLVMPositionBuilderAtEnd(B, on);
}

/* Pays for rounds of a loop; where not enough is left, the host is asked. */
void air_group_again(air_group *g, uint32_t rounds)
{
    LLVMValueRef had = LLVMBuildLoad2(B, g->l->i32, g->fuel, ""), cost = air_int32(g->l, rounds);
    LLVMBuildStore(B, LLVMBuildSub(B, had, cost, ""), g->fuel);
    LLVMBasicBlockRef ask = air_group_block(g, "ask"), on = air_group_block(g, "");
    air_group_mostly(g, LLVMBuildICmp(B, LLVMIntUGT, had, cost, ""), on, ask);
    LLVMPositionBuilderAtEnd(B, ask);
    LLVMValueRef args[2] = {g->thread, cost};
    if (g->now.open) air_group_note_lane(g, air_group_first_bit(g, air_group_bits(g, air_group_mask(g))));
    LLVMBuildStore(B, air_call_host(g->l, "air_rt_refuel", args, 2), g->fuel);
    LLVMBuildBr(B, on);
    LLVMPositionBuilderAtEnd(B, on);
}
