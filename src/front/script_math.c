/* Python's module math, on numbers that are known while the script is read. */
#include "front/script_inner.h"

#include <math.h>

bool math_constant(str name, double *out)
{
    static const struct {
        const char *name;
        double value;
    } constants[] = {{"pi", 3.14159265358979323846},
                     {"e", 2.71828182845904523536},
                     {"tau", 6.28318530717958647693},
                     {"inf", (double)INFINITY},
                     {"nan", (double)NAN}};
    for (size_t i = 0; i < sizeof constants / sizeof *constants; ++i) {
        if (!str_is(name, constants[i].name)) continue;
        *out = constants[i].value;
        return true;
    }
    return false;
}

static double compute(int fn, double x, double y, bool two)
{
    switch (fn) {
    case MATH_SQRT: return sqrt(x);
    case MATH_EXP: return exp(x);
    case MATH_LOG: return two ? log(x) / log(y) : log(x);
    case MATH_LOG2: return log2(x);
    case MATH_LOG10: return log10(x);
    case MATH_POW: return pow(x, y);
    case MATH_FABS: return fabs(x);
    case MATH_SIN: return sin(x);
    case MATH_COS: return cos(x);
    default: return tanh(x);
    }
}

/* Whole numbers, as Python gives them. */
static value whole(script *s, const call *c, double x)
{
    double r = c->row->info == MATH_FLOOR ? floor(x) : ceil(x);
    if (!(fabs(r) < 9.0e18)) return script_error(s, c->at, "math.%s of %g is no whole number here", c->row->name, x);
    return value_int((py_int)r);
}

value fn_py_math(script *s, const call *c)
{
    value a = c->args[0], b = c->args[1];
    bool two = value_is_given(b);
    for (size_t i = 0; i < 2; ++i) {
        value v = c->args[i];
        if (!value_is_given(v) || value_is_number(v) || v.kind == VALUE_POISON) continue;
        return script_error(s, c->spans[i], "math.%s is Python's, on numbers that are known here; this is %s: T has functions of "
                            "the program", c->row->name, value_what(v));
    }
    bool takes_two = c->row->info == MATH_LOG || c->row->info == MATH_POW;
    if (two && !takes_two) return script_error(s, c->spans[1], "math.%s takes one argument", c->row->name);
    if (a.kind == VALUE_POISON || b.kind == VALUE_POISON) return value_poison();
    if (c->row->info == MATH_FLOOR || c->row->info == MATH_CEIL) {
        return a.kind == VALUE_FLOAT ? whole(s, c, a.as.real) : value_int(value_integer(a));
    }
    double x = value_real(a), y = two ? value_real(b) : 0.0, r = compute(c->row->info, x, y, two);
    bool given = isfinite(x) && (!two || isfinite(y));
    if (given && !isfinite(r)) return script_error(s, c->at, "math.%s has no value for this argument", c->row->name);
    return value_float(r);
}
