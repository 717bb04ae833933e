/* Modular sets of integer expressions: what is known of divisibility. */
#include "ir/analyzer.h"
#include "ir/fold.h"

static const ir_modular_set anything = {1, 0};

static ir_modular_set constant(int64_t v)
{
    return (ir_modular_set){0, v};
}

static ir_modular_set normal(int64_t coeff, int64_t base)
{
    if (coeff == INT64_MIN) return anything;
    if (coeff < 0) coeff = -coeff;
    if (coeff == 0) return constant(base);
    return (ir_modular_set){coeff, ir_mod_floor(base, coeff)};
}

static ir_modular_set add(ir_modular_set a, ir_modular_set b)
{
    int64_t base;
    if (!ir_add_exact(a.base, b.base, &base)) return anything;
    return normal(ir_gcd(a.coeff, b.coeff), base);
}

/* (ca k + a)(cb l + b) = multiples of gcd(ca cb, ca b, cb a), and a b */
static ir_modular_set mul(ir_modular_set a, ir_modular_set b)
{
    int64_t cc, cb, ca, base;
    if (!ir_mul_exact(a.coeff, b.coeff, &cc) || !ir_mul_exact(a.coeff, b.base, &cb) ||
        !ir_mul_exact(b.coeff, a.base, &ca) || !ir_mul_exact(a.base, b.base, &base)) {
        return anything;
    }
    return normal(ir_gcd(ir_gcd(cc, cb), ca), base);
}

static ir_modular_set either(ir_modular_set a, ir_modular_set b)
{
    int64_t difference;
    if (b.base == INT64_MIN || !ir_add_exact(a.base, -b.base, &difference)) return anything;
    return normal(ir_gcd(ir_gcd(a.coeff, b.coeff), difference), a.base);
}

/* What wrapping to 2^bits leaves: only powers of two that divide it survive. */
static ir_modular_set wrapped(ir_modular_set s, uint8_t bits)
{
    if (s.coeff == 0) return anything;
    int64_t power = bits >= 63 ? (int64_t)1 << 62 : (int64_t)1 << bits;
    return normal(ir_gcd(s.coeff, power), s.base);
}

ir_modular_set ir_modular_of_linear(ir_analyzer *az, const ir_linear *l)
{
    ir_modular_set sum = constant(l->constant);
    for (size_t i = 0; i < l->n; ++i) {
        sum = add(sum, mul(ir_modular(az, l->terms[i].atom), constant(l->terms[i].coeff)));
    }
    return sum;
}

static ir_modular_set division(ir_analyzer *az, const ir_bin *n, int64_t divisor)
{
    ir_modular_set a = ir_modular(az, n->a);
    if (n->op == IR_FLOORMOD) return normal(ir_gcd(a.coeff, divisor), a.base);
    if (a.coeff == 0 || a.coeff % divisor != 0) return anything;
    return normal(a.coeff / divisor, ir_div_floor(a.base, divisor));
}

static ir_modular_set of_bin(ir_analyzer *az, const ir_bin *n)
{
    ir_linear l;
    const ir_node *self = &n->node;
    bool wide_unsigned = self->type.code == IR_UINT && self->type.bits == 64;
    if (ir_linear_of(self, &l) && !(l.n == 1 && l.terms[0].atom == self)) {
        ir_modular_set s = ir_modular_of_linear(az, &l);
        bool fits = ir_span_fits(ir_span_of_linear(az, &l), self->type);
        return fits ? s : wrapped(s, self->type.bits);
    }
    int64_t c;
    const ir_node *b = n->b->kind == IR_BROADCAST ? ir_as_broadcast(n->b)->a : n->b;
    bool positive = ir_const_value(b, &c) && c > 0;
    switch ((int)n->op) {
    case IR_MUL: {
        ir_modular_set s = mul(ir_modular(az, n->a), ir_modular(az, n->b));
        return wrapped(s, self->type.bits);
    }
    case IR_FLOORDIV:
    case IR_FLOORMOD: return positive && !wide_unsigned ? division(az, n, c) : anything;
    case IR_MIN:
    case IR_MAX: return either(ir_modular(az, n->a), ir_modular(az, n->b));
    default: return anything;
    }
}

static ir_modular_set of_var(ir_analyzer *az, const ir_var *var)
{
    const ir_known *k = ir_known_of(az, var);
    if (k == NULL) return anything;
    if (ir_span_is_one(k->range)) return constant(k->range.min);
    return k->modular;
}

static ir_modular_set of_kind(ir_analyzer *az, const ir_node *n)
{
    switch ((int)n->kind) {
    case IR_INT_IMM: {
        int64_t v = ir_as_int_imm(n)->value;
        return v < 0 && n->type.code == IR_UINT ? anything : constant(v);
    }
    case IR_VAR: return of_var(az, ir_as_var_ref(n)->var);
    case IR_BIN: return of_bin(az, ir_as_bin(n));
    case IR_BROADCAST: return ir_modular(az, ir_as_broadcast(n)->a);
    case IR_SELECT:
        return either(ir_modular(az, ir_as_select(n)->yes), ir_modular(az, ir_as_select(n)->no));
    case IR_CAST: {
        /* A widening of a signed type keeps the value. */
        const ir_node *a = ir_as_cast(n)->a;
        bool keeps =
            a->type.code == IR_INT && n->type.code == IR_INT && n->type.bits >= a->type.bits;
        return keeps ? ir_modular(az, a) : anything;
    }
    case IR_RAMP: {
        const ir_ramp *r = ir_as_ramp(n);
        ir_modular_set lanes = mul(ir_modular(az, r->stride), anything);
        return wrapped(add(ir_modular(az, r->base), lanes), n->type.bits);
    }
    case IR_CALL:
        if (ir_builtin_is_hint(ir_as_call(n)->fn)) return ir_modular(az, ir_as_call(n)->args.at[0]);
        return anything;
    default: return anything;
    }
}

ir_modular_set ir_modular(ir_analyzer *az, const ir_node *expr)
{
    ir_analyzer_begin(az);
    if (!ir_type_is_int(expr->type) || !ir_analyzer_enter(az)) return anything;
    ir_modular_set s = of_kind(az, expr);
    --az->depth;
    return s;
}

bool ir_divisible(ir_analyzer *az, const ir_node *expr, int64_t factor)
{
    ir_modular_set s = ir_modular(az, expr);
    return s.coeff % factor == 0 && s.base % factor == 0;
}
