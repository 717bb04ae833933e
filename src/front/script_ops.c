/* Operators: Python's on Python's values, the program's where an operand is part of it. */
#include "front/script_inner.h"
#include "ir/fold.h"

#include <math.h>

typedef struct op_row {
    token_kind token;
    ir_op op;
} op_row;

/* The IR operator of a sign; false where there is none. */
static bool ir_op_of(token_kind kind, ir_op *out)
{
    static const op_row rows[] = {
        {TOKEN_PLUS, IR_ADD},       {TOKEN_MINUS, IR_SUB},       {TOKEN_STAR, IR_MUL},
        {TOKEN_SLASH, IR_DIV},      {TOKEN_FLOOR, IR_FLOORDIV},  {TOKEN_PERCENT, IR_FLOORMOD},
        {TOKEN_LEFT_SHIFT, IR_SHL}, {TOKEN_RIGHT_SHIFT, IR_SHR}, {TOKEN_AMPERSAND, IR_BITAND},
        {TOKEN_BAR, IR_BITOR},      {TOKEN_CARET, IR_BITXOR},    {TOKEN_LESS, IR_LT},
        {TOKEN_GREATER, IR_GT},     {TOKEN_LESS_EQUAL, IR_LE},   {TOKEN_GREATER_EQUAL, IR_GE},
        {TOKEN_EQUAL, IR_EQ},       {TOKEN_NOT_EQUAL, IR_NE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        if (rows[i].token != kind) continue;
        *out = rows[i].op;
        return true;
    }
    return false;
}

token_kind op_of_augmented(token_kind kind)
{
    static const struct {
        token_kind from, to;
    } rows[] = {
        {TOKEN_PLUS_ASSIGN, TOKEN_PLUS},
        {TOKEN_MINUS_ASSIGN, TOKEN_MINUS},
        {TOKEN_STAR_ASSIGN, TOKEN_STAR},
        {TOKEN_SLASH_ASSIGN, TOKEN_SLASH},
        {TOKEN_FLOOR_ASSIGN, TOKEN_FLOOR},
        {TOKEN_PERCENT_ASSIGN, TOKEN_PERCENT},
        {TOKEN_AT_ASSIGN, TOKEN_AT},
        {TOKEN_AND_ASSIGN, TOKEN_AMPERSAND},
        {TOKEN_OR_ASSIGN, TOKEN_BAR},
        {TOKEN_XOR_ASSIGN, TOKEN_CARET},
        {TOKEN_RIGHT_ASSIGN, TOKEN_RIGHT_SHIFT},
        {TOKEN_LEFT_ASSIGN, TOKEN_LEFT_SHIFT},
        {TOKEN_POWER_ASSIGN, TOKEN_POWER},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        if (rows[i].from == kind) return rows[i].to;
    }
    return TOKEN_END;
}

/* ---- Python's values ------------------------------------------------------------------------- */

static value overflow(script *s, span at)
{
    return script_error(s, at, "this integer is too large (127 bits are kept)");
}

static py_int floor_div(py_int a, py_int b)
{
    py_int q = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

static value int_power(script *s, py_int a, py_int b, span at)
{
    if (b < 0) return value_float(pow((double)a, (double)b));
    py_int result = 1;
    if (a == 0 || a == 1) return value_int(b == 0 ? 1 : a);
    if (a == -1) return value_int(b % 2 == 0 ? 1 : -1);
    for (; b > 0; --b) {
        if (__builtin_mul_overflow(result, a, &result)) return overflow(s, at);
    }
    return value_int(result);
}

static value int_shift(script *s, token_kind op, py_int a, py_int b, span at)
{
    if (b < 0) return script_error(s, at, "negative shift count");
    if (op == TOKEN_RIGHT_SHIFT) return value_int(b > 126 ? (a < 0 ? -1 : 0) : a >> b);
    py_int result = a;
    for (; b > 0 && result != 0; --b) {
        if (__builtin_mul_overflow(result, (py_int)2, &result)) return overflow(s, at);
    }
    return value_int(result);
}

static value int_binary(script *s, token_kind op, py_int a, py_int b, span at)
{
    py_int r = 0;
    bool divides = op == TOKEN_SLASH || op == TOKEN_FLOOR || op == TOKEN_PERCENT;
    if (divides && b == 0) return script_error(s, at, "division by zero");
    if (op == TOKEN_PLUS) return __builtin_add_overflow(a, b, &r) ? overflow(s, at) : value_int(r);
    if (op == TOKEN_MINUS) return __builtin_sub_overflow(a, b, &r) ? overflow(s, at) : value_int(r);
    if (op == TOKEN_STAR) return __builtin_mul_overflow(a, b, &r) ? overflow(s, at) : value_int(r);
    if (op == TOKEN_SLASH) return value_float((double)a / (double)b);
    if (op == TOKEN_FLOOR)
        return a == PY_INT_MIN && b == -1 ? overflow(s, at) : value_int(floor_div(a, b));
    if (op == TOKEN_PERCENT) return value_int(b == -1 ? 0 : a - floor_div(a, b) * b);
    if (op == TOKEN_POWER) return int_power(s, a, b, at);
    if (op == TOKEN_AMPERSAND) return value_int(a & b);
    if (op == TOKEN_BAR) return value_int(a | b);
    if (op == TOKEN_CARET) return value_int(a ^ b);
    if (op == TOKEN_LEFT_SHIFT || op == TOKEN_RIGHT_SHIFT) return int_shift(s, op, a, b, at);
    return script_error(s, at, "ints have no operator %s", token_name(op));
}

static value float_binary(script *s, token_kind op, double a, double b, span at)
{
    bool divides = op == TOKEN_SLASH || op == TOKEN_FLOOR || op == TOKEN_PERCENT;
    if (divides && b == 0) return script_error(s, at, "float division by zero");
    if (op == TOKEN_PLUS) return value_float(a + b);
    if (op == TOKEN_MINUS) return value_float(a - b);
    if (op == TOKEN_STAR) return value_float(a * b);
    if (op == TOKEN_SLASH) return value_float(a / b);
    if (op == TOKEN_FLOOR) return value_float(floor(a / b));
    if (op == TOKEN_POWER) return value_float(pow(a, b));
    if (op == TOKEN_PERCENT) {
        double r = fmod(a, b);
        return value_float(r != 0 && (r < 0) != (b < 0) ? r + b : r);
    }
    return script_error(s, at, "floats have no operator %s", token_name(op));
}

static value repeat(script *s, value list, value times, span at)
{
    int64_t n;
    if (!to_int(s, times, INT32_MIN, 100000, at, "the number of repetitions", &n))
        return value_poison();
    if (n < 0) n = 0;
    if (list.kind == VALUE_STR) {
        str all = STR("");
        for (int64_t i = 0; i < n; ++i) {
            if (all.n > 100000) return script_error(s, at, "this string is too long");
            all = str_format(s->mem, "%.*s%.*s", STR_ARG(all), STR_ARG(list.as.text));
        }
        return value_str(all);
    }
    value_vec items = {0};
    for (int64_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < list.as.list.n; ++j) {
            if (items.n > 100000) return script_error(s, at, "this list is too long");
            value_vec_push(s->mem, &items, list.as.list.at[j]);
        }
    }
    value v = value_tuple((value_list){items.at, items.n});
    v.is_list = list.is_list;
    return v;
}

static value join(script *s, value a, value b, span at)
{
    if (a.kind == VALUE_STR) {
        if (a.as.text.n + b.as.text.n > 100000)
            return script_error(s, at, "this string is too long");
        return value_str(str_format(s->mem, "%.*s%.*s", STR_ARG(a.as.text), STR_ARG(b.as.text)));
    }
    value_vec items = {0};
    for (size_t i = 0; i < a.as.list.n; ++i) value_vec_push(s->mem, &items, a.as.list.at[i]);
    for (size_t i = 0; i < b.as.list.n; ++i) value_vec_push(s->mem, &items, b.as.list.at[i]);
    if (items.n > 100000) return script_error(s, at, "this list is too long");
    value v = value_tuple((value_list){items.at, items.n});
    v.is_list = a.is_list;
    return v;
}

static value python_binary(script *s, token_kind op, value a, value b, span at)
{
    bool numbers = value_is_number(a) && value_is_number(b);
    if (numbers && (a.kind == VALUE_FLOAT || b.kind == VALUE_FLOAT)) {
        return float_binary(s, op, value_real(a), value_real(b), at);
    }
    if (numbers) {
        bool logic = op == TOKEN_AMPERSAND || op == TOKEN_BAR || op == TOKEN_CARET;
        value v = int_binary(s, op, value_integer(a), value_integer(b), at);
        bool truth = logic && a.kind == VALUE_BOOL && b.kind == VALUE_BOOL && v.kind == VALUE_INT;
        return truth ? value_bool(v.as.integer != 0) : v;
    }
    bool sequence_a = a.kind == VALUE_STR || a.kind == VALUE_TUPLE,
         sequence_b = b.kind == VALUE_STR || b.kind == VALUE_TUPLE;
    if (op == TOKEN_PLUS && sequence_a && a.kind == b.kind && a.is_list == b.is_list)
        return join(s, a, b, at);
    if (op == TOKEN_STAR && sequence_a && b.kind == VALUE_INT) return repeat(s, a, b, at);
    if (op == TOKEN_STAR && sequence_b && a.kind == VALUE_INT) return repeat(s, b, a, at);
    return script_error(s, at, "%s and %s have no operator %s", value_what(a), value_what(b),
                        token_name(op));
}

/* ---- The program's expressions --------------------------------------------------------------- */

/* False, and reported, where the operator is not for operands of that type. */
static bool operator_allowed(script *s, ir_op op, ir_type t, span at)
{
    char text[IR_TYPE_TEXT];
    bool is_float = ir_type_is_float(t), is_int = ir_type_is_int(t);
    if (op == IR_DIV && !is_float) {
        script_error(s, at,
                     "'/' of integers: write // (rounds down), T.truncdiv (rounds to zero), or "
                     "convert to a float");
        return false;
    }
    bool whole = op == IR_FLOORDIV || op == IR_FLOORMOD || op == IR_TRUNCDIV || op == IR_TRUNCMOD ||
                 op == IR_SHL || op == IR_SHR;
    bool bits = op == IR_BITAND || op == IR_BITOR || op == IR_BITXOR;
    if ((whole && !is_int) || (bits && is_float)) {
        script_error(s, at, "operator %s is for integers, these are %s", ir_ops[op].script,
                     ir_type_print(t, text));
        return false;
    }
    if ((op == IR_AND || op == IR_OR) && !ir_type_is_bool(t)) {
        script_error(s, at, "'%s' is for conditions (bool), these are %s", ir_ops[op].script,
                     ir_type_print(t, text));
        return false;
    }
    return true;
}

static bool is_comparison(ir_op op)
{
    return op >= IR_EQ && op <= IR_GE;
}

value op_ir(script *s, ir_op op, value a, value b, span at)
{
    if (a.kind == VALUE_POISON || b.kind == VALUE_POISON) return value_poison();
    const ir_node *x, *y;
    if (!to_common(s, a, b, is_comparison(op), at, &x, &y)) return value_poison();
    if (!operator_allowed(s, op, x->type, at)) return value_poison();
    /* Arithmetic on conditions counts: bool operands become int32 first. */
    bool counts = ir_type_is_bool(x->type) && (op == IR_ADD || op == IR_SUB || op == IR_MUL);
    if (counts) {
        x = ir_fold_cast(s->mem, ir_type_lanes(IR_I32, x->type.lanes), x);
        y = ir_fold_cast(s->mem, ir_type_lanes(IR_I32, y->type.lanes), y);
    }
    return value_expr(ir_fold_bin(s->mem, op, x, y));
}

value op_binary(script *s, token_kind op, value a, value b, span at)
{
    if (a.kind == VALUE_POISON || b.kind == VALUE_POISON) return value_poison();
    if (value_is_python(a) && value_is_python(b)) return python_binary(s, op, a, b, at);
    ir_op known;
    if (!ir_op_of(op, &known)) {
        const char *advice = op == TOKEN_POWER ? "; write T.pow(a, b)" : "";
        return script_error(s, at, "operator %s is not supported on values of the program%s",
                            token_name(op), advice);
    }
    if (!value_is_operand(a) && a.kind != VALUE_THREAD) {
        return script_error(s, at, "%s cannot be the left operand of %s", value_what(a),
                            token_name(op));
    }
    if (!value_is_operand(b) && b.kind != VALUE_THREAD) {
        return script_error(s, at, "%s cannot be the right operand of %s", value_what(b),
                            token_name(op));
    }
    return op_ir(s, known, a, b, at);
}

static value python_unary(script *s, token_kind op, value a, span at)
{
    if (op == TOKEN_NOT) return value_bool(!value_truth(a));
    if (a.kind == VALUE_FLOAT && op != TOKEN_TILDE)
        return value_float(op == TOKEN_MINUS ? -a.as.real : a.as.real);
    if (a.kind != VALUE_INT && a.kind != VALUE_BOOL) {
        return script_error(s, at, "%s has no operator %s", value_what(a), token_name(op));
    }
    py_int i = value_integer(a);
    if (op == TOKEN_TILDE) return value_int(~i);
    if (op == TOKEN_MINUS && i == PY_INT_MIN) return overflow(s, at);
    return value_int(op == TOKEN_MINUS ? -i : i);
}

value op_unary(script *s, token_kind op, value a, span at)
{
    if (a.kind == VALUE_POISON) return a;
    if (value_is_python(a)) return python_unary(s, op, a, at);
    if (op == TOKEN_NOT) {
        const ir_node *cond = to_bool(s, a, at);
        return value_expr(cond != NULL ? ir_fold_not(s->mem, cond) : NULL);
    }
    const ir_node *n = to_expr(s, a, at);
    if (n == NULL) return value_poison();
    char text[IR_TYPE_TEXT];
    bool whole = ir_type_is_int(n->type), truth = ir_type_is_bool(n->type);
    if (!whole && !truth && !ir_type_is_float(n->type)) {
        return script_error(s, at, "%s has no operator %s", ir_type_print(n->type, text),
                            token_name(op));
    }
    if (op == TOKEN_PLUS) return value_expr(n);
    if (op == TOKEN_TILDE) {
        if (truth) return value_expr(ir_fold_not(s->mem, n));
        if (!whole)
            return script_error(s, at, "operator '~' is for integers, this is %s",
                                ir_type_print(n->type, text));
        return value_expr(ir_fold_call(s->mem, IR_FN_BITNOT, n->type, ir_list_one(s->mem, n), at));
    }
    if (truth) n = ir_fold_cast(s->mem, ir_type_lanes(IR_I32, n->type.lanes), n);
    const ir_node *minus = whole || truth ? ir_int_new(s->mem, n->type, -1, at)
                                          : ir_float_new(s->mem, n->type, -1.0, at);
    return value_expr(ir_fold_bin(s->mem, IR_MUL, n, minus));
}

/* ---- Comparisons and logic ------------------------------------------------------------------- */

static bool contains(value list, value item, bool *out)
{
    *out = false;
    if (list.kind == VALUE_STR && item.kind == VALUE_STR) {
        for (size_t i = 0; i + item.as.text.n <= list.as.text.n; ++i) {
            if (str_starts((str){list.as.text.p + i, list.as.text.n - i}, item.as.text))
                *out = true;
        }
        return true;
    }
    if (list.kind != VALUE_TUPLE && list.kind != VALUE_DICT) return false;
    size_t step = list.kind == VALUE_DICT ? 2 : 1;
    for (size_t i = 0; i < list.as.list.n; i += step)
        *out = *out || value_equal(list.as.list.at[i], item);
    return true;
}

static value python_order(script *s, token_kind op, value a, value b, span at)
{
    int order;
    bool unordered = false;
    if (value_is_number(a) && value_is_number(b)) {
        bool real = a.kind == VALUE_FLOAT || b.kind == VALUE_FLOAT;
        double x = value_real(a), y = value_real(b);
        py_int i = real ? 0 : value_integer(a), j = real ? 0 : value_integer(b);
        order = real ? (x > y) - (x < y) : (i > j) - (i < j);
        unordered = real && (isnan(x) || isnan(y));
    } else if (a.kind == VALUE_STR && b.kind == VALUE_STR) {
        order = str_cmp(a.as.text, b.as.text);
    } else {
        return script_error(s, at, "%s and %s have no order", value_what(a), value_what(b));
    }
    if (unordered) return value_bool(false);
    if (op == TOKEN_LESS) return value_bool(order < 0);
    if (op == TOKEN_GREATER) return value_bool(order > 0);
    return value_bool(op == TOKEN_LESS_EQUAL ? order <= 0 : order >= 0);
}

/* Types compare with each other and with their names: dtype == "float32". */
static bool as_type(value v, ir_type *out)
{
    if (v.kind == VALUE_STR) return ir_type_parse(v.as.text, out);
    *out = v.as.type;
    return v.kind == VALUE_TYPE;
}

value op_compare(script *s, compare_op op, value a, value b, span at)
{
    if (a.kind == VALUE_POISON || b.kind == VALUE_POISON) return value_poison();
    bool truth;
    if (op.word == TOKEN_IN) {
        if (!contains(b, a, &truth))
            return script_error(s, at, "'in' needs a list, tuple, dict or string, not %s",
                                value_what(b));
        return value_bool(truth != op.negated);
    }
    if (op.word == TOKEN_IS) {
        bool none = a.kind == VALUE_NONE || b.kind == VALUE_NONE;
        if (!none && !(value_is_python(a) && value_is_python(b))) {
            return script_error(s, at, "'is' compares only with None");
        }
        truth = a.kind == b.kind && value_equal(a, b);
        return value_bool(truth != op.negated);
    }
    ir_type x = IR_VOID, y = IR_VOID;
    bool types = (a.kind == VALUE_TYPE || b.kind == VALUE_TYPE) && as_type(a, &x) && as_type(b, &y);
    bool equality = op.word == TOKEN_EQUAL || op.word == TOKEN_NOT_EQUAL;
    if (types && equality) return value_bool(ir_type_eq(x, y) == (op.word == TOKEN_EQUAL));
    if (value_is_python(a) && value_is_python(b)) {
        if (equality) return value_bool(value_equal(a, b) == (op.word == TOKEN_EQUAL));
        return python_order(s, op.word, a, b, at);
    }
    return op_binary(s, op.word, a, b, at);
}

value op_logic(script *s, token_kind op, value a, value b, span at)
{
    if (a.kind == VALUE_POISON || b.kind == VALUE_POISON) return value_poison();
    bool is_and = op == TOKEN_AND;
    /* The left side decides at once where Python knows it. */
    if (value_is_python(a)) return value_truth(a) == is_and ? b : a;
    const ir_node *x = to_bool(s, a, at), *y = to_bool(s, b, at);
    if (x == NULL || y == NULL) return value_poison();
    return op_ir(s, is_and ? IR_AND : IR_OR, value_expr(x), value_expr(y), at);
}
