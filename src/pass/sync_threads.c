/* Do two accesses meet? Asked thread by thread, for indices that are not linear in the thread's: tx // 8, ko % 2. */
#include <stdlib.h>

#include "ir/value.h"
#include "pass/sync_access.h"

/* Above these the answer is "they may". */
enum { MOST_THREADS = 1024, MOST_VALUES = 64, MOST_QUESTIONS = 2000 };

/* What one thread is, and where its bytes begin without what is left as an interval. */
typedef struct place {
    int64_t at;
    unsigned thread;
} place;

typedef struct asking {
    const sync_space *s;
    const ir_var *uniform; /* the one other variable in the atoms; NULL: none */
    int64_t value;         /* what it is now */
    int64_t index[SYNC_AXES];
    place *mine, *other;
} asking;

/* ---- Values of atoms ------------------------------------------------------------------------------ */

static bool variable(const asking *q, const ir_node *n, ir_value *out)
{
    const ir_var *v = ir_as_var_ref(n)->var;
    if (v == q->uniform) {
        *out = ir_value_int(n->type, q->value);
        return true;
    }
    for (size_t k = 0; k < q->s->axis_count; ++k) {
        if (v != q->s->axes[k]) continue;
        *out = ir_value_int(n->type, q->index[k]);
        return true;
    }
    return false;
}

static bool value_of(const asking *q, const ir_node *n, ir_value *out)
{
    ir_value a, b;
    bool exact;
    if (n->type.lanes != 1) return false;
    switch ((int)n->kind) {
    case IR_INT_IMM: return ir_value_of(n, out);
    case IR_VAR: return variable(q, n, out);
    case IR_CAST: return value_of(q, ir_as_cast(n)->a, &a) && ir_value_cast(n->type, a, out, &exact);
    case IR_BIN:
        return value_of(q, ir_as_bin(n)->a, &a) && value_of(q, ir_as_bin(n)->b, &b) && ir_value_bin(ir_as_bin(n)->op, a, b, out);
    case IR_SELECT:
        if (!value_of(q, ir_as_select(n)->cond, &a)) return false;
        return value_of(q, ir_value_truth(a) ? ir_as_select(n)->yes : ir_as_select(n)->no, out);
    default: return false;
    }
}

/* *sum += value * coeff */
static bool add_value(const asking *q, access_term t, int64_t *sum)
{
    ir_value v;
    int64_t part;
    if (!ir_type_is_int(t.atom->type) || !value_of(q, t.atom, &v)) return false;
    return ir_mul_exact(v.i, t.coeff, &part) && ir_add_exact(*sum, part, sum);
}

/* ---- The uniform variable ------------------------------------------------------------------------- */

typedef struct uniform_search {
    asking *q;
    bool several;
} uniform_search;

static void find_uniform(void *user, const ir_node *n)
{
    uniform_search *f = user;
    if (n->kind != IR_VAR) return;
    const ir_var *v = ir_as_var_ref(n)->var;
    for (size_t k = 0; k < f->q->s->axis_count; ++k) {
        if (v == f->q->s->axes[k]) return;
    }
    f->several |= f->q->uniform != NULL && f->q->uniform != v;
    f->q->uniform = v;
}

typedef struct period_search {
    ir_walk w;
    const ir_var *v;
    int64_t period; /* of all that was seen of v; 0: it has none */
} period_search;

static void find_period(ir_walk *w, const ir_node *n)
{
    period_search *p = (period_search *)(void *)w;
    int64_t m;
    if (n->kind == IR_VAR && ir_as_var_ref(n)->var == p->v) p->period = 0;
    if (n->kind == IR_BIN && ir_as_bin(n)->op == IR_FLOORMOD && ir_const_value(ir_as_bin(n)->b, &m) && m > 0 &&
        m <= MOST_VALUES && p->period > 0) {
        ir_linear form;
        bool linear = ir_linear_of(ir_as_bin(n)->a, &form);
        for (size_t i = 0; i < form.n && linear; ++i) {
            linear = form.terms[i].atom->kind == IR_VAR || !ir_uses_var(form.terms[i].atom, p->v);
        }
        if (linear) {
            p->period = p->period / ir_gcd(p->period, m) * m;
            return;
        }
    }
    ir_walk_children(w, n);
}

/* The values that have to be tried: all of a short range, or one period. */
static bool values_of(const asking *q, const access_term *const *lists, const size_t *counts, int64_t *first, int64_t *n)
{
    *first = 0;
    *n = 1;
    if (q->uniform == NULL) return true;
    ir_interval range = ir_bound(q->s->az, ir_ref(q->s->mem, q->uniform, (span){0}));
    if (range.min != IR_NEG_INF && range.max != IR_POS_INF && range.max - MOST_VALUES < range.min) {
        *first = range.min;
        *n = range.max - range.min + 1;
        return true;
    }
    period_search p = {.w = {.node = find_period}, .v = q->uniform, .period = 1};
    for (size_t l = 0; l < 3; ++l) {
        for (size_t i = 0; i < counts[l]; ++i) find_period(&p.w, lists[l][i].atom);
    }
    *n = p.period;
    return p.period > 0 && p.period <= MOST_VALUES;
}

/* ---- Threads -------------------------------------------------------------------------------------- */

/* The places of all threads that make the access; -1 where they are too many or cannot be told. */
static long places_of(asking *q, const access *a, place *out)
{
    int64_t low[SYNC_AXES] = {0}, high[SYNC_AXES] = {0}, count = 1;
    for (size_t k = 0; k < q->s->axis_count; ++k) {
        low[k] = a->box.axis[k].min;
        high[k] = a->box.axis[k].max;
        if (low[k] > high[k]) return 0;
        if (low[k] < 0 || high[k] >= MOST_THREADS) return -1;
        count *= high[k] - low[k] + 1;
        if (count > MOST_THREADS) return -1;
    }
    long n = 0;
    for (int64_t z = low[2]; z <= high[2]; ++z) {
        for (int64_t y = low[1]; y <= high[1]; ++y) {
            for (int64_t x = low[0]; x <= high[0]; ++x) {
                q->index[0] = x;
                q->index[1] = y;
                q->index[2] = z;
                place p = {0, (unsigned)((z * MOST_THREADS + y) * MOST_THREADS + x)};
                for (size_t k = 0; k < q->s->axis_count; ++k) {
                    int64_t part;
                    if (!ir_mul_exact(q->index[k], a->thread[k], &part) || !ir_add_exact(p.at, part, &p.at)) return -1;
                }
                for (size_t i = 0; i < a->odd_count; ++i) {
                    if (!add_value(q, a->odd[i], &p.at)) return -1;
                }
                out[n++] = p;
            }
        }
    }
    return n;
}

static int by_place(const void *a, const void *b)
{
    int64_t x = ((const place *)a)->at, y = ((const place *)b)->at;
    return (x > y) - (x < y);
}

/* The first of the sorted places that is at `at` or further. */
static long find(const place *p, long n, int64_t at)
{
    long low = 0, high = n;
    while (low < high) {
        long middle = low + (high - low) / 2;
        if (p[middle].at < at) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Is mine + rest + [extra] the place of another thread's access, for any two threads? */
static bool some_meet(const asking *q, long mine, long others, int64_t rest, ir_interval extra)
{
    for (long i = 0; i < mine; ++i) {
        int64_t at, least, most;
        if (!ir_add_exact(q->mine[i].at, rest, &at) || !ir_add_exact(at, extra.min, &least) ||
            !ir_add_exact(at, extra.max, &most)) {
            return true;
        }
        for (long k = find(q->other, others, least); k < others && q->other[k].at <= most; ++k) {
            if (q->other[k].thread != q->mine[i].thread) return true;
        }
    }
    return false;
}

bool sync_meets(sync_space *s, const access *a, const access *b, const ir_linear *rest, ir_interval extra)
{
    if (++s->asked > MOST_QUESTIONS) return true;
    asking q = {.s = s};
    uniform_search u = {&q, false};
    access_term *left = arena_array(s->mem, access_term, rest->n);
    size_t left_count = 0;
    for (size_t i = 0; i < rest->n; ++i) left[left_count++] = (access_term){rest->terms[i].atom, rest->terms[i].coeff};
    const access_term *const lists[] = {left, a->odd, b->odd};
    const size_t counts[] = {left_count, a->odd_count, b->odd_count};
    for (size_t l = 0; l < 3; ++l) {
        for (size_t i = 0; i < counts[l]; ++i) ir_each(lists[l][i].atom, find_uniform, &u);
    }
    int64_t first, n;
    if (extra.min == IR_NEG_INF || extra.max == IR_POS_INF || u.several || !values_of(&q, lists, counts, &first, &n)) return true;
    if (s->places == NULL) s->places = arena_array(s->mem, place, 2 * MOST_THREADS);
    q.mine = s->places;
    q.other = q.mine + MOST_THREADS;
    for (int64_t v = first; v < first + n; ++v) {
        int64_t sum = 0;
        q.value = v;
        for (size_t i = 0; i < left_count; ++i) {
            if (!add_value(&q, left[i], &sum)) return true;
        }
        long mine = places_of(&q, a, q.mine), others = places_of(&q, b, q.other);
        if (mine < 0 || others < 0) return true;
        qsort(q.other, (size_t)others, sizeof *q.other, by_place);
        if (some_meet(&q, mine, others, sum, extra)) return true;
    }
    return false;
}
