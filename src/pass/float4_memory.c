/* Single elements of float4_e2m1fn in memory, two to a byte: reading any, storing pairs that fill a byte, or any in a thread's own
 * memory. */
#include "pass/float4_memory.h"

#include "ir/bound.h"
#include "ir/fold.h"
#include "ir/walk.h"
#include "pass/small_float.h"

static const ir_type one = {IR_FP4_E2M1FN, 4, 1};

bool float4_is_half(ir_type t)
{
    return t.code == IR_FP4_E2M1FN && t.lanes == 1;
}

const ir_node *float4_bytes(arena *mem, const ir_node *n)
{
    return ir_floordiv(mem, ir_add(mem, n, ir_int_like(mem, n, 1)), ir_int_like(mem, n, 2));
}

static const ir_node *half_of(arena *mem, const ir_node *n)
{
    return ir_floordiv(mem, n, ir_int_like(mem, n, 2));
}

static const ir_node *pick(arena *mem, const ir_node *vector, const int64_t *lanes, uint32_t n)
{
    ir_node_vec picks = {0};
    for (uint32_t i = 0; i < n; ++i) ir_node_vec_push(mem, &picks, ir_i32(mem, lanes[i]));
    return ir_make(mem, SHUFFLE, shuffle, vector->at, ir_type_lanes(vector->type, n), .vectors = ir_list_one(mem, vector),
                   .index = ir_list_of(picks));
}

/* The index of one lane. */
static const ir_node *lane(arena *mem, const ir_node *index, uint32_t k)
{
    if (index->type.lanes == 1) return index;
    if (index->kind == IR_BROADCAST) return ir_as_broadcast(index)->a;
    if (index->kind != IR_RAMP) return pick(mem, index, &(int64_t){k}, 1);
    const ir_ramp *r = ir_as_ramp(index);
    return ir_add(mem, r->base, ir_mul(mem, r->stride, ir_int_like(mem, r->stride, k)));
}

/* Does the index run over whole bytes? */
static bool is_whole(arena *mem, const ir_node *index)
{
    if (index->kind != IR_RAMP || index->type.lanes % 2 != 0) return false;
    const ir_ramp *r = ir_as_ramp(index);
    return ir_is_const(r->stride, 1) && ir_divisible(ir_analyzer_new(mem), r->base, 2);
}

static const ir_node *byte_at(arena *mem, const ir_buffer *bytes, const ir_node *index, span at)
{
    return ir_load_new(mem, bytes, ir_list_one(mem, half_of(mem, index)), at);
}

/* Where in its byte the element begins. */
static const ir_node *half_shift(arena *mem, const ir_node *index)
{
    const ir_node *upper = ir_fold_cast(mem, IR_TYPE(IR_UINT, 8), ir_floormod(mem, index, ir_int_like(mem, index, 2)));
    return ir_mul(mem, upper, ir_int_like(mem, upper, 4));
}

static const ir_node *element(arena *mem, const ir_buffer *bytes, const ir_node *index, span at)
{
    const ir_node *byte = byte_at(mem, bytes, index, at);
    return small_float_decode(mem, one, ir_fold_bin(mem, IR_SHR, byte, half_shift(mem, index)));
}

const ir_node *float4_load(arena *mem, const ir_buffer *bytes, const ir_node *index, span at)
{
    uint32_t lanes = index->type.lanes, step = is_whole(mem, index) ? 2 : 1;
    if (lanes == 1) return element(mem, bytes, index, at);
    ir_node_vec parts = {0}, order = {0};
    for (uint32_t k = 0; k < lanes; ++k) {
        ir_node_vec_push(mem, &order, ir_i32(mem, k));
        if (k % step != 0) continue;
        const ir_node *from = lane(mem, index, k);
        const ir_node *part = step == 1 ? element(mem, bytes, from, at)
                                        : small_float_decode(mem, ir_type_lanes(one, 2), byte_at(mem, bytes, from, at));
        ir_node_vec_push(mem, &parts, part);
    }
    if (parts.n == 1) return parts.at[0];
    return ir_make(mem, SHUFFLE, shuffle, at, ir_type_lanes(IR_F32, lanes), .vectors = ir_list_of(parts), .index = ir_list_of(order));
}

/* Both halves of the byte are the code; the mask chooses which of them is new. */
static const ir_node *store_half(arena *mem, const ir_buffer *bytes, const ir_node *index, const ir_node *value, span at)
{
    const ir_node *code = small_float_exact_bits(mem, ir_type_lanes(one, 2), ir_broadcast_new(mem, value, 2));
    const ir_node *mask = ir_fold_bin(mem, IR_SHL, ir_int_new(mem, code->type, 15, at), half_shift(mem, index));
    const ir_node *old = ir_fold_bin(mem, IR_BITAND, byte_at(mem, bytes, index, at), ir_fold_bin(mem, IR_BITXOR, mask, ir_int_new(mem, code->type, 255, at)));
    const ir_node *both = ir_fold_bin(mem, IR_BITOR, old, ir_fold_bin(mem, IR_BITAND, code, mask));
    return ir_store_new(mem, bytes, ir_list_one(mem, half_of(mem, index)), both, at);
}

const ir_node *float4_store(arena *mem, const ir_buffer *bytes, const ir_node *index, const ir_node *value, span at)
{
    bool whole = is_whole(mem, index);
    if (!whole && bytes->scope != IR_SCOPE_LOCAL) return NULL;
    ir_node_vec stores = {0};
    if (index->type.lanes > (whole ? 2 : 1)) {
        /* Several statements take a part of it each. */
        const ir_var *v = ir_var_new(mem, STR("values"), value->type, at);
        ir_node_vec_push(mem, &stores, ir_make(mem, BIND, bind, at, IR_VOID, .var = v, .value = value));
        value = ir_ref(mem, v, at);
    }
    for (uint32_t k = 0; !whole && k < index->type.lanes; ++k) {
        const ir_node *v = index->type.lanes == 1 ? value : pick(mem, value, &(int64_t){k}, 1);
        ir_node_vec_push(mem, &stores, store_half(mem, bytes, lane(mem, index, k), v, at));
    }
    if (!whole) return ir_seq_new(mem, stores.at, stores.n, at);
    for (uint32_t k = 0; k < index->type.lanes; k += 2) {
        const ir_node *two = index->type.lanes == 2 ? value : pick(mem, value, (const int64_t[]){k, k + 1}, 2);
        const ir_node *bits = small_float_exact_bits(mem, ir_type_lanes(one, 2), two);
        ir_list place = ir_list_one(mem, half_of(mem, lane(mem, index, k)));
        ir_node_vec_push(mem, &stores, ir_store_new(mem, bytes, place, bits, at));
    }
    return ir_seq_new(mem, stores.at, stores.n, at);
}

typedef struct half_search {
    arena *mem;
    const ir_buffer *b;
    bool found;
} half_search;

static void note_store(void *user, const ir_node *n)
{
    half_search *s = user;
    if (n->kind != IR_STORE || ir_as_store(n)->buffer != s->b) return;
    s->found |= !is_whole(s->mem, ir_as_store(n)->index.at[0]);
}

bool float4_stores_halves(arena *mem, const ir_node *body, const ir_buffer *b)
{
    half_search s = {mem, b, false};
    ir_each(body, note_store, &s);
    return s.found;
}

const ir_node *float4_clear(arena *mem, const ir_buffer *bytes, span at)
{
    const ir_var *i = ir_var_new(mem, STR("i"), bytes->shape.at[0]->type, at);
    const ir_node *zero = ir_store_new(mem, bytes, ir_list_one(mem, ir_ref(mem, i, at)), ir_int_new(mem, IR_TYPE(IR_UINT, 8), 0, at), at);
    return ir_make(mem, FOR, for, at, IR_VOID, .var = i, .min = ir_int_like(mem, bytes->shape.at[0], 0), .extent = bytes->shape.at[0],
                   .loop = IR_SERIAL, .body = zero);
}
