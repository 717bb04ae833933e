/* The analyzer: what is known of variables, and intervals of expressions. */
#include "ir/bound.h"

#include "ir/analyzer.h"
#include "ir/fold.h"
#include "ir/walk.h"

/* ---- Variables and scopes -------------------------------------------------------------------- */

ir_analyzer *ir_analyzer_new(arena *mem)
{
    ir_analyzer *az = arena_new(mem, ir_analyzer);
    az->mem = mem;
    return az;
}

const ir_known *ir_known_of(const ir_analyzer *az, const ir_var *var)
{
    return map_get_id(&az->vars, var);
}

static ir_known *know(ir_analyzer *az, const ir_var *var, ir_span range)
{
    ir_known *k = arena_new(az->mem, ir_known);
    *k = (ir_known){
        .var = var, .range = range, .modular = {1, 0}, .older = map_get_id(&az->vars, var)};
    map_put_id(az->mem, &az->vars, var, k);
    ir_known_vec_push(az->mem, &az->order, k);
    return k;
}

ir_analyzer_mark ir_analyzer_save(const ir_analyzer *az)
{
    return (ir_analyzer_mark){az->order.n, az->facts.n};
}

void ir_analyzer_restore(ir_analyzer *az, ir_analyzer_mark mark)
{
    while (az->order.n > mark.vars) {
        ir_known *k = az->order.at[--az->order.n];
        map_put_id(az->mem, &az->vars, k->var, k->older);
    }
    az->facts.n = mark.facts;
}

/* Types whose sums count as index arithmetic. */
static bool is_index_type(ir_type t)
{
    return t.code == IR_INT && t.bits >= 32;
}

static ir_span type_span(ir_type t)
{
    if (!ir_type_is_int(t) && !ir_type_is_bool(t)) return (ir_span){IR_NEG_INF, IR_POS_INF, false};
    return (ir_span){ir_type_min(t), ir_type_max(t), false};
}

void ir_analyzer_bind_range(ir_analyzer *az, const ir_var *var, int64_t least, int64_t most)
{
    ir_span whole = type_span(var->type), range = {least, most, is_index_type(var->type)};
    if (!range.assumed || (least != IR_NEG_INF && least < whole.min)) {
        range.min = least > whole.min ? least : whole.min;
    }
    if (!range.assumed || (most != IR_POS_INF && most > whole.max)) {
        range.max = most < whole.max ? most : whole.max;
    }
    if (range.min > range.max) range = whole; /* no value at all: code that never runs */
    know(az, var, range);
}

static bool exact_difference(ir_analyzer *az, const ir_node *a, const ir_node *b, ir_linear *out)
{
    ir_linear l;
    return ir_linear_exact(az, a, out) && ir_linear_exact(az, b, &l) && ir_linear_add(out, &l, -1);
}

static void push_form(ir_analyzer *az, const ir_linear *form)
{
    const ir_linear *copy = arena_copy(az->mem, form, sizeof *form);
    ir_fact_vec_push(az->mem, &az->facts, (ir_fact){.form = copy});
}

/* min - var <= 0 and var - min - extent + 1 <= 0, where those are numbers. */
static void bind_facts(ir_analyzer *az, const ir_var *var, const ir_node *min,
                       const ir_node *extent)
{
    ir_linear low, high, size;
    const ir_node *v = ir_ref(az->mem, var, var->at);
    if (ir_reads_memory(min) || ir_reads_memory(extent)) return;
    if (!ir_type_eq(min->type, var->type) || !ir_type_eq(extent->type, var->type)) return;
    if (!exact_difference(az, min, v, &low)) return;
    push_form(az, &low);
    high = (ir_linear){.constant = 1};
    if (!ir_linear_add(&high, &low, -1) || !ir_linear_exact(az, extent, &size)) return;
    if (ir_linear_add(&high, &size, -1)) push_form(az, &high);
}

void ir_analyzer_bind(ir_analyzer *az, const ir_var *var, const ir_node *min, const ir_node *extent)
{
    ir_analyzer_begin(az);
    ir_span low = ir_span_of(az, min), size = ir_span_of(az, extent), whole = type_span(var->type);
    int64_t min_value, extent_value, last;
    bool constant = ir_const_value(min, &min_value) && ir_const_value(extent, &extent_value);
    ir_span range = {low.min, IR_POS_INF, is_index_type(var->type)};
    /* The type's own end says no more than "not known". */
    if (low.min <= whole.min && !constant) range.min = IR_NEG_INF;
    if (size.max != IR_POS_INF && low.max != IR_POS_INF && size.max > 0 &&
        ir_add_exact(low.max, size.max - 1, &last)) {
        bool known = size.max < whole.max && last < whole.max;
        if (known || constant) range.max = last;
    }
    ir_analyzer_bind_range(az, var, range.min, range.max);
    ir_known *k = az->order.at[az->order.n - 1];
    if (ir_is_const(extent, 1) && !ir_reads_memory(min)) k->value = min;
    if (ir_type_is_int(var->type) && !constant) bind_facts(az, var, min, extent);
}

void ir_analyzer_let(ir_analyzer *az, const ir_var *var, const ir_node *value)
{
    ir_analyzer_begin(az);
    ir_span range = type_span(var->type);
    ir_modular_set modular = {1, 0};
    if (ir_type_is_int(value->type) || ir_type_is_bool(value->type)) {
        range = ir_span_of(az, value);
        modular = ir_modular(az, value);
    }
    ir_known *k = know(az, var, range);
    k->modular = modular;
    if (!ir_reads_memory(value) && !ir_has_effect(value)) k->value = value;
}

/* ---- Interval arithmetic --------------------------------------------------------------------- */

static int64_t add_ends(int64_t a, int64_t b, int64_t infinity, bool *overflow)
{
    int64_t sum;
    if (a == infinity || b == infinity) return infinity;
    if (ir_add_exact(a, b, &sum)) return sum;
    *overflow = true;
    return infinity;
}

static int64_t mul_ends(int64_t a, int64_t b, bool *overflow)
{
    int64_t product;
    bool negative = (a < 0) != (b < 0);
    bool infinite = a == IR_NEG_INF || a == IR_POS_INF || b == IR_NEG_INF || b == IR_POS_INF;
    if (a == 0 || b == 0) return 0;
    if (!infinite && ir_mul_exact(a, b, &product)) return product;
    *overflow |= !infinite;
    return negative ? IR_NEG_INF : IR_POS_INF;
}

static ir_span add_spans(ir_span a, ir_span b)
{
    bool overflow = false;
    ir_span r = {.min = add_ends(a.min, b.min, IR_NEG_INF, &overflow),
                 .max = add_ends(a.max, b.max, IR_POS_INF, &overflow)};
    r.assumed = a.assumed && b.assumed && !overflow;
    return r;
}

static ir_span mul_spans(ir_span a, ir_span b)
{
    bool overflow = false;
    int64_t ends[4] = {mul_ends(a.min, b.min, &overflow), mul_ends(a.min, b.max, &overflow),
                       mul_ends(a.max, b.min, &overflow), mul_ends(a.max, b.max, &overflow)};
    ir_span r = {ends[0], ends[0], false};
    for (int i = 1; i < 4; ++i) {
        if (ends[i] < r.min) r.min = ends[i];
        if (ends[i] > r.max) r.max = ends[i];
    }
    r.assumed = a.assumed && b.assumed && !overflow;
    return r;
}

static ir_span join_spans(ir_span a, ir_span b)
{
    return (ir_span){a.min < b.min ? a.min : b.min, a.max > b.max ? a.max : b.max,
                     a.assumed && b.assumed};
}

static bool is_finite(ir_span s)
{
    return s.min != IR_NEG_INF && s.max != IR_POS_INF;
}

/* Where both ends are finite it does not matter what an infinite one would have meant. */
static ir_span settled(ir_span s)
{
    if (is_finite(s)) s.assumed = true;
    return s;
}

bool ir_span_fits(ir_span s, ir_type type)
{
    ir_span whole = type_span(type);
    bool assumed = s.assumed && is_index_type(type);
    bool low = s.min == IR_NEG_INF ? assumed : s.min >= whole.min;
    bool high = s.max == IR_POS_INF ? assumed : s.max <= whole.max;
    return low && high;
}

/* As a value of the type: all of it where the arithmetic may have wrapped. */
static ir_span wrapped(ir_span s, ir_type type)
{
    return ir_span_fits(s, type) ? s : type_span(type);
}

/* ---- Facts about forms ----------------------------------------------------------------------- */

/* Are the terms of `a` those of `b` times num/den (num and den returned, den > 0)? */
static bool proportional(const ir_linear *a, const ir_linear *b, int64_t *num, int64_t *den)
{
    *num = *den = 0;
    if (a->n != b->n) return false;
    for (size_t i = 0; i < a->n; ++i) {
        size_t j = 0;
        while (j < b->n && !ir_equal(a->terms[i].atom, b->terms[j].atom)) ++j;
        if (j == b->n) return false;
        int64_t x = a->terms[i].coeff, y = b->terms[j].coeff, left, right;
        if (i == 0) {
            *num = y < 0 ? -x : x;
            *den = y < 0 ? -y : y;
        }
        if (!ir_mul_exact(x, *den, &left) || !ir_mul_exact(y, *num, &right) || left != right)
            return false;
    }
    return *den > 0;
}

/* Narrows the interval of the terms of `l` (without its constant) by the facts. Facts that
 * contradict it (in code that never runs) are left out, so that an interval is never empty. */
static ir_span tightened(const ir_analyzer *az, const ir_linear *l, ir_span s)
{
    ir_span whole = s;
    for (size_t i = ir_analyzer_facts(az); i < az->facts.n; ++i) {
        const ir_linear *f = az->facts.at[i].form;
        int64_t num, den, product;
        if (f == NULL || !proportional(l, f, &num, &den)) continue;
        /* f's terms <= -constant; those of l are num/den times as much. */
        if (f->constant == INT64_MIN || !ir_mul_exact(-f->constant, num, &product)) continue;
        int64_t quotient = ir_div_floor(product, den);
        if (num > 0 && quotient < s.max) s.max = quotient;
        if (num < 0 && product % den != 0) ++quotient;
        if (num < 0 && quotient > s.min) s.min = quotient;
    }
    return s.min > s.max ? whole : s;
}

/* Is a product of an unknown extent by this constant index arithmetic? By a larger one an extent of a few thousand would
 * overflow 32 bits already, so that it is arithmetic of another kind. */
static bool is_index_factor(int64_t c, ir_type type)
{
    int64_t most = (int64_t)1 << (type.bits / 2 + 4);
    return -most <= c && c <= most;
}

/* The same of a constant that is added: by a larger one an extent of half the type's range would overflow. */
static bool is_index_offset(int64_t c, ir_type type)
{
    int64_t most = (int64_t)1 << (type.bits - 2);
    return -most <= c && c <= most;
}

ir_span ir_span_of_linear(ir_analyzer *az, const ir_linear *l)
{
    ir_span sum = {0, 0, true};
    for (size_t i = 0; i < l->n; ++i) {
        const ir_term *term = &l->terms[i];
        ir_span c = {term->coeff, term->coeff, true}, product = mul_spans(settled(ir_span_of(az, term->atom)), c);
        product.assumed &= is_finite(product) || is_index_factor(term->coeff, term->atom->type);
        sum = add_spans(sum, product);
    }
    if (l->n > 1) sum = tightened(az, l, sum);
    if (l->n != 0) sum.assumed &= is_finite(sum) || is_index_offset(l->constant, l->terms[0].atom->type);
    return add_spans(sum, (ir_span){l->constant, l->constant, true});
}

bool ir_linear_exact(ir_analyzer *az, const ir_node *expr, ir_linear *out)
{
    return ir_linear_of(expr, out) && ir_span_fits(ir_span_of_linear(az, out), expr->type);
}

bool ir_product_exact(ir_analyzer *az, const ir_bin *n)
{
    ir_span a = settled(ir_span_of(az, n->a)), b = settled(ir_span_of(az, n->b));
    return ir_span_fits(mul_spans(a, b), n->node.type);
}

bool ir_bin_exact(ir_analyzer *az, const ir_bin *n)
{
    if (!ir_type_is_int(n->node.type)) return false;
    ir_analyzer_begin(az);
    if (n->op == IR_MUL) return ir_product_exact(az, n);
    ir_span a = settled(ir_span_of(az, n->a)), b = settled(ir_span_of(az, n->b));
    if (n->op == IR_SUB) b = mul_spans(b, (ir_span){-1, -1, true});
    return (n->op == IR_ADD || n->op == IR_SUB) && ir_span_fits(add_spans(a, b), n->node.type);
}

/* ---- Intervals of expressions ---------------------------------------------------------------- */

/* For a positive divisor. */
static ir_span floordiv_span(ir_span a, ir_span b)
{
    ir_span r = {IR_POS_INF, IR_NEG_INF, a.assumed && b.assumed};
    int64_t tops[2] = {a.min, a.max}, bottoms[2] = {b.min, b.max};
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
            bool infinite = tops[i] == IR_NEG_INF || tops[i] == IR_POS_INF;
            int64_t q = infinite ? tops[i] : ir_div_floor(tops[i], bottoms[j]);
            if (bottoms[j] == IR_POS_INF) q = tops[i] < 0 ? -1 : 0;
            if (q < r.min) r.min = q;
            if (q > r.max) r.max = q;
        }
    }
    return r;
}

static ir_span floormod_span(ir_span a, ir_span b)
{
    ir_span r = {0, b.max == IR_POS_INF ? b.max : b.max - 1, b.assumed};
    if (a.min >= 0 && a.max < r.max) r.max = a.max;
    if (b.min != b.max || !is_finite(a)) return r;
    /* Within one period of a constant divisor the remainder runs along with the dividend. */
    if (ir_div_floor(a.min, b.min) == ir_div_floor(a.max, b.min)) {
        r.min = ir_mod_floor(a.min, b.min);
        r.max = ir_mod_floor(a.max, b.min);
    }
    return r;
}

static ir_span division_span(ir_op op, ir_span a, ir_span b, ir_type type)
{
    bool floors = op == IR_FLOORDIV || op == IR_FLOORMOD;
    if (b.min <= 0 || (!floors && a.min < 0)) return type_span(type);
    bool quotient = op == IR_FLOORDIV || op == IR_TRUNCDIV;
    return quotient ? floordiv_span(a, b) : floormod_span(a, b);
}

/* All bits up to the highest one of v (v >= 0). */
static int64_t fill_bits(int64_t v)
{
    for (int i = 1; i < 64; i *= 2) v |= v >> i;
    return v;
}

static ir_span bits_span(ir_op op, ir_span a, ir_span b, ir_type type)
{
    if (op == IR_BITAND && (a.min >= 0 || b.min >= 0)) {
        int64_t most = a.min < 0 ? b.max : b.min < 0 ? a.max : a.max < b.max ? a.max : b.max;
        return (ir_span){0, most, a.assumed && b.assumed};
    }
    if (op == IR_BITAND || a.min < 0 || b.min < 0 || a.max == IR_POS_INF || b.max == IR_POS_INF) {
        return type_span(type);
    }
    return (ir_span){0, fill_bits(a.max | b.max), true};
}

static ir_span shift_span(ir_op op, ir_span a, ir_span b, ir_type type)
{
    if (op == IR_SHL || b.min != b.max || b.min < 0 || b.min >= type.bits || b.min > 62) {
        bool shrinks = op == IR_SHR && a.min >= 0 && b.min >= 0;
        return shrinks ? (ir_span){0, a.max, a.assumed} : type_span(type);
    }
    int64_t divisor = (int64_t)1 << b.min;
    return floordiv_span(a, (ir_span){divisor, divisor, true});
}

static ir_span bin_span(ir_analyzer *az, const ir_bin *n)
{
    ir_type type = n->node.type;
    if (!ir_type_is_int(type)) return type_span(type);
    if (n->op == IR_ADD || n->op == IR_SUB || n->op == IR_MUL || n->op == IR_SHL) {
        ir_linear l;
        bool atom = !ir_linear_of(&n->node, &l) || (l.n == 1 && l.terms[0].atom == &n->node);
        if (!atom) return wrapped(ir_span_of_linear(az, &l), type);
        if (n->op == IR_ADD || n->op == IR_SUB) return type_span(type);
    }
    ir_span a = settled(ir_span_of(az, n->a)), b = settled(ir_span_of(az, n->b));
    switch ((int)n->op) {
    case IR_MUL: return wrapped(mul_spans(a, b), type);
    case IR_FLOORDIV:
    case IR_FLOORMOD:
    case IR_TRUNCDIV:
    case IR_TRUNCMOD: return division_span(n->op, a, b, type);
    case IR_MIN:
        return (ir_span){a.min < b.min ? a.min : b.min, a.max < b.max ? a.max : b.max,
                         a.assumed && b.assumed};
    case IR_MAX:
        return (ir_span){a.min > b.min ? a.min : b.min, a.max > b.max ? a.max : b.max,
                         a.assumed && b.assumed};
    case IR_BITAND:
    case IR_BITXOR:
    case IR_BITOR: return bits_span(n->op, a, b, type);
    default: return shift_span(n->op, a, b, type);
    }
}

static ir_span cast_span(ir_analyzer *az, const ir_node *n)
{
    const ir_node *a = ir_as_cast(n)->a;
    ir_span whole = type_span(n->type);
    if (!ir_type_is_int(a->type) && !ir_type_is_bool(a->type)) return whole;
    ir_span s = ir_span_of(az, a), from = type_span(a->type);
    /* The value is one of its type: an end that was infinite is now the type's. */
    if (s.min < from.min) s.min = from.min;
    if (s.max > from.max) s.max = from.max;
    bool unknown_end = a->type.bits == 64 && !is_finite(s) && a->type.code == IR_UINT;
    if (unknown_end || s.min < whole.min || s.max > whole.max) return whole;
    if (ir_type_is_bool(n->type) && (s.min < 0 || s.max > 1)) return whole;
    return s;
}

static ir_span ramp_span(ir_analyzer *az, const ir_ramp *n)
{
    int64_t last = (int64_t)n->node.type.lanes - 1;
    ir_span base = settled(ir_span_of(az, n->base)), stride = settled(ir_span_of(az, n->stride));
    ir_span lanes = mul_spans(stride, (ir_span){0, last, true});
    return wrapped(add_spans(base, lanes), n->node.type);
}

static ir_span call_span(ir_analyzer *az, const ir_call *n)
{
    ir_type type = n->node.type;
    if (ir_builtin_is_hint(n->fn)) return ir_span_of(az, n->args.at[0]);
    if (n->fn == IR_FN_IF_THEN_ELSE) {
        return join_spans(ir_span_of(az, n->args.at[1]), ir_span_of(az, n->args.at[2]));
    }
    if (n->fn == IR_FN_POPCOUNT || n->fn == IR_FN_CLZ) {
        return (ir_span){0, n->args.at[0]->type.bits, true};
    }
    return type_span(type);
}

static ir_span shuffle_span(ir_analyzer *az, ir_list vectors)
{
    ir_span s = ir_span_of(az, vectors.at[0]);
    for (size_t i = 1; i < vectors.n; ++i) s = join_spans(s, ir_span_of(az, vectors.at[i]));
    return s;
}

static ir_span let_span(ir_analyzer *az, const ir_let *n)
{
    ir_analyzer_mark mark = ir_analyzer_save(az);
    ir_analyzer_let(az, n->var, n->value);
    ir_span s = ir_span_of(az, n->body);
    ir_analyzer_restore(az, mark);
    return s;
}

/* Of a dimension: from 0, with an end that is not known. */
static ir_span natural_span(ir_type t)
{
    if (!is_index_type(t)) return (ir_span){0, type_span(t).max, false};
    return (ir_span){0, IR_POS_INF, true};
}

static ir_span span_of_kind(ir_analyzer *az, const ir_node *n)
{
    const ir_known *known;
    switch ((int)n->kind) {
    case IR_INT_IMM: return (ir_span){ir_as_int_imm(n)->value, ir_as_int_imm(n)->value, true};
    case IR_VAR:
        known = ir_known_of(az, ir_as_var_ref(n)->var);
        if (known != NULL) return known->range;
        return ir_as_var_ref(n)->var->natural ? natural_span(n->type) : type_span(n->type);
    case IR_BIN: return bin_span(az, ir_as_bin(n));
    case IR_SELECT:
        return join_spans(ir_span_of(az, ir_as_select(n)->yes),
                          ir_span_of(az, ir_as_select(n)->no));
    case IR_CAST: return cast_span(az, n);
    case IR_RAMP: return ramp_span(az, ir_as_ramp(n));
    case IR_BROADCAST: return ir_span_of(az, ir_as_broadcast(n)->a);
    case IR_SHUFFLE: return shuffle_span(az, ir_as_shuffle(n)->vectors);
    case IR_LET: return let_span(az, ir_as_let(n));
    case IR_CALL: return call_span(az, ir_as_call(n));
    default: return type_span(n->type);
    }
}

/* Sums meet the facts as forms, not as atoms. */
static bool is_sum(const ir_node *n)
{
    if (n->kind != IR_BIN) return false;
    ir_op op = ir_as_bin(n)->op;
    return op == IR_ADD || op == IR_SUB || op == IR_MUL || op == IR_SHL;
}

ir_span ir_span_of(ir_analyzer *az, const ir_node *n)
{
    ir_span s = type_span(n->type);
    if (!ir_type_is_int(n->type) && !ir_type_is_bool(n->type)) return s;
    if (n->type.code == IR_UINT && n->type.bits == 64 && n->kind == IR_INT_IMM &&
        ir_as_int_imm(n)->value < 0) {
        return (ir_span){IR_POS_INF, IR_POS_INF, false}; /* past int64 */
    }
    if (!ir_analyzer_enter(az)) return s;
    s = span_of_kind(az, n);
    --az->depth;
    if (az->facts.n != 0 && !is_sum(n) && n->kind != IR_INT_IMM) {
        ir_linear one = {.n = 1, .terms = {{n, 1}}};
        s = tightened(az, &one, s);
    }
    return s;
}

ir_interval ir_bound(ir_analyzer *az, const ir_node *expr)
{
    ir_analyzer_begin(az);
    ir_span s = ir_span_of(az, expr);
    return (ir_interval){s.min, s.max};
}
