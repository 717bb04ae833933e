/* The control structure of a function that is to become a threadgroup's: loops with one way back and one way out, at the
 * same place, and branches whose two ways meet again without being entered from elsewhere. */
#include <string.h>

#include "air/group.h"

bool air_group_is_call(LLVMValueRef v, const char *name)
{
    if (LLVMIsACallInst(v) == NULL) return false;
    LLVMValueRef f = LLVMGetCalledValue(v);
    return LLVMIsAFunction(f) != NULL && str_is(air_name(f), name);
}

/* ---- Blocks in reverse post-order --------------------------------------------------------------------------------- */

static group_block *block_of(air_group *g, LLVMBasicBlockRef b)
{
    return map_get_id(&g->blocks, b);
}

static group_block *add_block(air_group *g, LLVMBasicBlockRef block)
{
    group_block *b = arena_new(g->l->mem, group_block);
    b->block = block;
    map_put_id(g->l->mem, &g->blocks, block, b);
    return b;
}

static bool order_blocks(air_group *g)
{
    const unsigned all = LLVMCountBasicBlocks(g->from);
    group_block **stack = arena_array(g->l->mem, group_block *, all + 1), **order = arena_array(g->l->mem, group_block *, all + 1);
    unsigned depth = 0, at = all;
    stack[depth++] = add_block(g, LLVMGetEntryBasicBlock(g->from));
    while (depth != 0) {
        group_block *b = stack[depth - 1];
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b->block);
        const unsigned n = LLVMGetNumSuccessors(end);
        if (n > 2) return false;
        if (b->nexts < n) {
            LLVMBasicBlockRef to = LLVMGetSuccessor(end, b->nexts);
            group_block *next = block_of(g, to);
            const bool is_new = next == NULL;
            if (is_new) next = add_block(g, to);
            b->next[b->nexts++] = next;
            if (is_new) stack[depth++] = next;
            continue;
        }
        order[--at] = b;
        --depth;
    }
    g->order = order + at;
    g->count = all - at;
    for (unsigned i = 0; i < g->count; ++i) g->order[i]->number = i;
    return true;
}

/* Heavy is what costs much or must not be done for no lane at all; a barrier is one to the whole group. */
static void look_into(group_block *b)
{
    unsigned n = 0;
    for (LLVMValueRef v = LLVMGetFirstInstruction(b->block); v != NULL; v = LLVMGetNextInstruction(v)) {
        const LLVMOpcode op = LLVMGetInstructionOpcode(v);
        b->heavy |= op == LLVMLoad || op == LLVMStore || op == LLVMCall || op == LLVMAtomicRMW || op == LLVMAtomicCmpXchg;
        b->barrier |= air_group_is_call(v, "air_rt_barrier");
        ++n;
    }
    b->heavy |= n > 12;
}

/* ---- Dominators --------------------------------------------------------------------------------------------------- */

/* Row i of `sets`: the blocks that lie on every way from the start to block i (backward: from block i to the end). */
typedef struct sets {
    uint64_t *bits;
    unsigned words;
} sets;

static bool in(const sets *s, unsigned row, unsigned i)
{
    return (s->bits[row * s->words + i / 64] >> (i % 64) & 1) != 0;
}

static bool narrow(const sets *s, unsigned row, const uint64_t *by)
{
    bool changed = false;
    for (unsigned w = 0; w < s->words; ++w) {
        uint64_t *at = &s->bits[row * s->words + w];
        const uint64_t own = row / 64 == w ? (uint64_t)1 << row % 64 : 0;
        const uint64_t less = (*at & by[w]) | own;
        changed |= less != *at;
        *at = less;
    }
    return changed;
}

static sets make_sets(air_group *g)
{
    sets s = {.words = (g->count + 63) / 64};
    s.bits = arena_array(g->l->mem, uint64_t, (size_t)g->count * s.words + 1);
    memset(s.bits, 0xff, (size_t)g->count * s.words * sizeof *s.bits);
    return s;
}

static void alone(const sets *s, unsigned row)
{
    memset(&s->bits[row * s->words], 0, s->words * sizeof *s->bits);
    s->bits[row * s->words + row / 64] = (uint64_t)1 << row % 64;
}

static sets dominators(air_group *g)
{
    const sets s = make_sets(g);
    alone(&s, 0);
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned i = 0; i < g->count; ++i)
            for (unsigned k = 0; k < g->order[i]->nexts; ++k) {
                const unsigned to = g->order[i]->next[k]->number;
                if (to != 0) changed |= narrow(&s, to, &s.bits[i * s.words]);
            }
    }
    return s;
}

static sets post_dominators(air_group *g)
{
    const sets s = make_sets(g);
    for (unsigned i = 0; i < g->count; ++i)
        if (g->order[i]->nexts == 0) alone(&s, i);
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned i = g->count; i-- > 0;)
            for (unsigned k = 0; k < g->order[i]->nexts; ++k) changed |= narrow(&s, i, &s.bits[g->order[i]->next[k]->number * s.words]);
    }
    return s;
}

static unsigned size_of(const sets *s, unsigned row)
{
    unsigned n = 0;
    for (unsigned w = 0; w < s->words; ++w) n += (unsigned)__builtin_popcountll(s->bits[row * s->words + w]);
    return n;
}

/* The nearest of the blocks that every way from block i comes to. */
static group_block *nearest(air_group *g, const sets *s, unsigned i)
{
    const unsigned wanted = size_of(s, i) - 1;
    for (unsigned k = 0; k < g->count; ++k)
        if (k != i && in(s, i, k) && size_of(s, k) == wanted) return g->order[k];
    return NULL;
}

/* ---- Loops -------------------------------------------------------------------------------------------------------- */

/* Marks with `stamp` the blocks that lead to the latch without passing the header. */
static void mark_body(air_group *g, const group_loop *loop, unsigned stamp)
{
    loop->header->stamp = loop->latch->stamp = stamp;
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned i = g->count; i-- > 0;) {
            group_block *b = g->order[i];
            if (b->stamp == stamp) continue;
            for (unsigned k = 0; k < b->nexts; ++k)
                if (b->next[k]->stamp == stamp && b->next[k] != loop->header) b->stamp = stamp;
            changed |= b->stamp == stamp;
        }
    }
}

static bool note_loop(air_group *g, group_block *header, group_block *latch, unsigned stamp)
{
    if (header->heads != NULL) return false; /* two ways back */
    group_loop *loop = arena_new(g->l->mem, group_loop);
    *loop = (group_loop){.header = header, .latch = latch};
    header->heads = loop;
    mark_body(g, loop, stamp);
    loop->body = arena_array(g->l->mem, group_block *, g->count);
    for (unsigned i = 0; i < g->count; ++i) {
        group_block *b = g->order[i];
        if (b->stamp != stamp) continue;
        loop->body[loop->body_count++] = b;
        loop->barrier |= b->barrier;
        for (unsigned k = 0; k < b->nexts; ++k) {
            if (b->next[k]->stamp == stamp) continue;
            if (b != latch) return false;
            loop->exit = b->next[k];
        }
    }
    return loop->exit != NULL;
}

static bool find_loops(air_group *g)
{
    const sets before = dominators(g);
    unsigned stamp = 0;
    for (unsigned i = 0; i < g->count; ++i)
        for (unsigned k = 0; k < g->order[i]->nexts; ++k) {
            group_block *to = g->order[i]->next[k];
            if (to->number > i) continue;
            if (!in(&before, i, to->number) || !note_loop(g, to, g->order[i], ++stamp)) return false;
        }
    return true;
}

/* ---- The whole ---------------------------------------------------------------------------------------------------- */

/* Follows the way that the code will be made: from b until `stop`, or the latch of `loop`. Each block once. */
static bool follow(group_block *b, const group_block *stop, const group_loop *loop)
{
    for (;;) {
        if (b == stop) return true;
        if (b->heads != NULL && b->heads != loop) {
            group_loop *inner = b->heads;
            if (!follow(b, NULL, inner) || inner->exit == stop) return false;
            b = inner->exit;
            continue;
        }
        if (b->seen) return false;
        b->seen = true;
        if (loop != NULL && b == loop->latch) return stop == NULL;
        if (b->nexts == 0) return loop == NULL && stop == NULL;
        if (b->nexts == 1) {
            b = b->next[0];
            continue;
        }
        if (b->join == NULL) return false;
        for (unsigned k = 0; k < 2; ++k)
            if (b->next[k] != b->join && !follow(b->next[k], b->join, loop)) return false;
        b = b->join;
    }
}

bool air_group_structure(air_group *g)
{
    g->blocks = (map){.n = 0};
    if (!order_blocks(g)) return false;
    for (unsigned i = 0; i < g->count; ++i) look_into(g->order[i]);
    if (!find_loops(g)) return false;
    const sets after = post_dominators(g);
    for (unsigned i = 0; i < g->count; ++i)
        if (g->order[i]->nexts == 2) g->order[i]->join = nearest(g, &after, i);
    if (!follow(g->order[0], NULL, NULL)) return false;
    for (unsigned i = 0; i < g->count; ++i) g->order[i]->stamp = 0;
    return true;
}

static bool meets(group_block *b, const group_block *stop, bool barrier, unsigned stamp)
{
    if (b == stop || b->stamp == stamp) return false;
    b->stamp = stamp;
    if (barrier ? b->barrier : b->heavy || b->heads != NULL) return true;
    for (unsigned k = 0; k < b->nexts; ++k)
        if (meets(b->next[k], stop, barrier, stamp)) return true;
    return false;
}

bool air_group_meets(air_group *g, const group_block *from, const group_block *stop, bool barrier)
{
    unsigned most = 0;
    for (unsigned i = 0; i < g->count; ++i)
        if (g->order[i]->stamp > most) most = g->order[i]->stamp;
    return meets(g->order[from->number], stop, barrier, most + 1);
}
