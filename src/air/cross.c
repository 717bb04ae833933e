/* Exchanges between the threads of a simdgroup or quadgroup, and products of simdgroup matrices. The same order of
 * operations as the software device's own, so that sums have the same bits. */
#include <string.h>

#include "air/crew.h"

/* The threads of a block that take part. */
typedef struct party {
    uint64_t *value;     /* one a lane, in and out */
    const uint32_t *by;
    uint32_t lanes;      /* fewer than the width at the end of a threadgroup */
    uint32_t width;
    uint64_t active;     /* lanes that take part */
} party;

static bool is_active(const party *p, uint32_t lane)
{
    return lane < p->lanes && (p->active >> lane & 1) != 0;
}

static float as_float(uint64_t word)
{
    const uint32_t low = (uint32_t)word;
    float f;
    memcpy(&f, &low, sizeof f);
    return f;
}

static uint64_t as_word(float f)
{
    uint32_t low;
    memcpy(&low, &f, sizeof low);
    return low;
}

static float join_floats(air_cross_op op, float a, float b)
{
    if (op == AIR_CROSS_PRODUCT || op == AIR_CROSS_INCLUSIVE_PRODUCT || op == AIR_CROSS_EXCLUSIVE_PRODUCT) return a * b;
    if (op == AIR_CROSS_MIN) return a < b || b != b ? a : b;
    if (op == AIR_CROSS_MAX) return a > b || b != b ? a : b;
    return a + b;
}

static uint64_t join_integers(air_cross_op op, bool is_signed, uint64_t a, uint64_t b)
{
    const bool less = is_signed ? (int64_t)a < (int64_t)b : a < b;
    switch ((int)op) {
    case AIR_CROSS_PRODUCT:
    case AIR_CROSS_INCLUSIVE_PRODUCT:
    case AIR_CROSS_EXCLUSIVE_PRODUCT: return a * b;
    case AIR_CROSS_MIN: return less ? a : b;
    case AIR_CROSS_MAX: return less ? b : a;
    case AIR_CROSS_AND: return a & b;
    case AIR_CROSS_OR: return a | b;
    case AIR_CROSS_XOR: return a ^ b;
    default: return a + b;
    }
}

static uint64_t join(air_cross_op op, air_cross_type type, uint64_t a, uint64_t b)
{
    if (type == AIR_CROSS_FLOAT) return as_word(join_floats(op, as_float(a), as_float(b)));
    return join_integers(op, type == AIR_CROSS_SIGNED, a, b);
}

/* Floats in pairs, as a tree over the lanes; integers in order. */
static void reduce(const party *p, air_cross_op op, air_cross_type type)
{
    uint64_t v[AIR_SIMD_WIDTH];
    uint32_t n = 0;
    for (uint32_t lane = 0; lane < p->lanes; ++lane)
        if (is_active(p, lane)) v[n++] = p->value[lane];
    if (type == AIR_CROSS_FLOAT) {
        for (uint32_t half = 16; half != 0; half /= 2)
            for (uint32_t j = 0; j < half && j + half < n; ++j) v[j] = join(op, type, v[j], v[j + half]);
    } else {
        for (uint32_t j = 1; j < n; ++j) v[0] = join(op, type, v[0], v[j]);
    }
    for (uint32_t lane = 0; lane < p->lanes; ++lane)
        if (is_active(p, lane)) p->value[lane] = v[0];
}

static void scan(const party *p, air_cross_op op, air_cross_type type)
{
    const bool product = op == AIR_CROSS_INCLUSIVE_PRODUCT || op == AIR_CROSS_EXCLUSIVE_PRODUCT;
    const bool exclusive = op == AIR_CROSS_EXCLUSIVE_SUM || op == AIR_CROSS_EXCLUSIVE_PRODUCT;
    uint64_t all = product ? 1 : 0;
    if (type == AIR_CROSS_FLOAT) all = as_word(product ? 1.0f : 0.0f);
    for (uint32_t lane = 0; lane < p->lanes; ++lane) {
        if (!is_active(p, lane)) continue;
        const uint64_t next = join(op, type, all, p->value[lane]);
        p->value[lane] = exclusive ? all : next;
        all = next;
    }
}

static uint32_t source_lane(const party *p, air_cross_op op, uint32_t lane, uint32_t by)
{
    uint32_t r = lane;
    switch ((int)op) {
    case AIR_CROSS_TO: r = by; break;
    case AIR_CROSS_UP: r = lane - by; break;
    case AIR_CROSS_DOWN: r = by < p->width ? lane + by : p->width; break;
    case AIR_CROSS_EXOR: r = lane ^ by; break;
    case AIR_CROSS_ROTATE_UP: r = (lane - by) % p->width; break;
    case AIR_CROSS_ROTATE_DOWN: r = (lane + by) % p->width; break;
    default: r = (uint32_t)__builtin_ctzll(p->active); break;
    }
    return r < p->lanes ? r : lane;
}

/* From outside the block a lane gets its own value, from a lane that is not active 0. */
static void shuffle(const party *p, air_cross_op op)
{
    uint64_t v[AIR_SIMD_WIDTH] = {0};
    for (uint32_t lane = 0; lane < p->lanes; ++lane)
        if (is_active(p, lane)) v[lane] = p->value[lane];
    for (uint32_t lane = 0; lane < p->lanes; ++lane)
        if (is_active(p, lane)) p->value[lane] = v[source_lane(p, op, lane, p->by[lane])];
}

static void vote(const party *p, air_cross_op op)
{
    uint64_t holds = 0;
    for (uint32_t lane = 0; lane < p->lanes; ++lane)
        if (is_active(p, lane) && p->value[lane] != 0) holds |= (uint64_t)1 << lane;
    for (uint32_t lane = 0; lane < p->lanes; ++lane) {
        if (!is_active(p, lane)) continue;
        uint64_t r = 1;
        if (op == AIR_CROSS_BALLOT) r = holds;
        else if (op == AIR_CROSS_ACTIVE) r = p->active;
        else if (op == AIR_CROSS_IS_FIRST) r = lane == (uint32_t)__builtin_ctzll(p->active);
        else if (op == AIR_CROSS_ALL) r = holds == p->active;
        else if (op == AIR_CROSS_ANY) r = holds != 0;
        p->value[lane] = r;
    }
}

static void exchange(const party *p, uint32_t how)
{
    const air_cross_op op = (air_cross_op)(how & 0xff);
    const air_cross_type type = (air_cross_type)(how >> 8 & 0xff);
    if (op <= AIR_CROSS_XOR) reduce(p, op, type);
    else if (op <= AIR_CROSS_EXCLUSIVE_PRODUCT) scan(p, op, type);
    else if (op <= AIR_CROSS_FIRST) shuffle(p, op);
    else vote(p, op);
}

/* Row and column of the first of a lane's two elements: as intrinsics_group.c has it. */
static void lane_place(uint32_t n, uint32_t *row, uint32_t *column)
{
    const uint32_t q = n / 4;
    *row = (q & 4) + n / 2 % 4;
    *column = (q & 2) * 2 + n % 2 * 2;
}

/* Six floats a lane, at[i] those of all lanes: two of each matrix in; the first two are the result's. */
static void multiply(float *const at[6])
{
    float x[8][8], y[8][8];
    for (uint32_t lane = 0; lane < AIR_SIMD_WIDTH; ++lane) {
        uint32_t row, column;
        lane_place(lane, &row, &column);
        for (uint32_t e = 0; e < 2; ++e) {
            x[row][column + e] = at[e][lane];
            y[row][column + e] = at[2 + e][lane];
        }
    }
    for (uint32_t lane = 0; lane < AIR_SIMD_WIDTH; ++lane) {
        uint32_t row, column;
        lane_place(lane, &row, &column);
        for (uint32_t e = 0; e < 2; ++e) {
            float sum = at[4 + e][lane];
            for (uint32_t k = 0; k < 8; ++k) sum += x[row][k] * y[k][column + e];
            at[e][lane] = sum;
        }
    }
}

static bool multiply_members(air_crew *c, air_member *m, const party *p)
{
    float values[6][AIR_SIMD_WIDTH], *at[6];
    if (p->lanes != AIR_SIMD_WIDTH || p->active != 0xffffffffu) {
        c->fault = (air_fault){.kind = AIR_FAULT_SHORT};
        memcpy(c->fault.group, m->thread.group, sizeof c->fault.group);
        memcpy(c->fault.position, m->thread.position, sizeof c->fault.position);
        return false;
    }
    for (uint32_t i = 0; i < 6; ++i) {
        at[i] = values[i];
        for (uint32_t lane = 0; lane < AIR_SIMD_WIDTH; ++lane) values[i][lane] = m[lane].matrix[i];
    }
    multiply(at);
    for (uint32_t lane = 0; lane < AIR_SIMD_WIDTH; ++lane)
        for (uint32_t i = 0; i < 2; ++i) m[lane].matrix[i] = values[i][lane];
    return true;
}

/* ---- Threads that are lanes of vectors ------------------------------------------------------------------------------ */

void air_rt_exchange_lanes(uint32_t how, uint64_t active, uint64_t *value, const uint32_t *by, uint32_t lanes)
{
    const uint32_t width = how >> 16;
    for (uint32_t at = 0; at < lanes; at += width) {
        const uint64_t own = width == AIR_SIMD_WIDTH ? 0xffffffffu : 0xfu;
        const party p = {.value = value + at, .by = by + at, .lanes = lanes - at < width ? lanes - at : width, .width = width, .active = active >> at & own};
        if (p.active != 0) exchange(&p, how);
    }
}

void air_rt_multiply_lanes(float *values)
{
    float *at[6];
    for (uint32_t i = 0; i < 6; ++i) at[i] = values + i * AIR_SIMD_WIDTH;
    multiply(at);
}

/* ---- Threads that are fibres ------------------------------------------------------------------------------------------ */

/* The first place at which one of these threads waits; 0: none does. */
static uint32_t first_site(const air_member *m, uint32_t n)
{
    uint32_t site = 0;
    for (uint32_t i = 0; i < n; ++i)
        if ((m[i].state == AIR_AT_CROSS || m[i].state == AIR_AT_MULTIPLY) && (site == 0 || m[i].site < site)) site = m[i].site;
    return site;
}

static void release(air_crew *c, air_member *m, uint32_t lanes, uint32_t width, uint32_t site)
{
    uint64_t value[AIR_SIMD_WIDTH];
    uint32_t by[AIR_SIMD_WIDTH], how = 0;
    bool matrix = false;
    party p = {.value = value, .by = by, .lanes = lanes, .width = width};
    for (uint32_t i = 0; i < lanes; ++i) {
        value[i] = m[i].value;
        by[i] = m[i].by;
        if ((m[i].state != AIR_AT_CROSS && m[i].state != AIR_AT_MULTIPLY) || m[i].site != site) continue;
        p.active |= (uint64_t)1 << i;
        matrix = m[i].state == AIR_AT_MULTIPLY;
        how = m[i].how;
    }
    if (p.active == 0) return;
    if (matrix && !multiply_members(c, m, &p)) return;
    if (!matrix) exchange(&p, how);
    if ((how & 0xff) == AIR_CROSS_WAIT && c->launch->watch != NULL)
        c->launch->watch->met(c->launch->watch->user, by[__builtin_ctzll(p.active)], (uint32_t)(m - c->members) / AIR_SIMD_WIDTH);
    for (uint32_t i = 0; i < lanes; ++i) {
        if (!is_active(&p, i)) continue;
        m[i].value = value[i];
        m[i].state = AIR_READY;
    }
}

bool air_crew_exchange(air_crew *c, size_t first)
{
    air_member *m = &c->members[first];
    const uint32_t n = c->count - first < AIR_SIMD_WIDTH ? (uint32_t)(c->count - first) : AIR_SIMD_WIDTH;
    const uint32_t site = first_site(m, n);
    if (site == 0) return false;
    uint32_t width = AIR_SIMD_WIDTH;
    for (uint32_t i = 0; i < n; ++i)
        if (m[i].state == AIR_AT_CROSS && m[i].site == site) width = m[i].how >> 16;
    for (uint32_t at = 0; at < n; at += width) release(c, m + at, n - at < width ? n - at : width, width, site);
    return true;
}
