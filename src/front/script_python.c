/* Python at the time of reading: comprehensions, f-strings, and the functions that Python itself
 * has. */
#include "base/buf.h"
#include "base/num.h"
#include "front/script_inner.h"
#include "ir/fold.h"

#include <math.h>

/* Items of a list, and terms of a sum of the program's values, which is a tree as high. */
enum { MOST_ITEMS = 100000, MOST_TERMS = 400 };

/* ---- Iterating ------------------------------------------------------------------------------- */

/* The items of a list, tuple, dict (its keys), string or range of ints. */
static bool items_of(script *s, value v, span at, value_list *out)
{
    if (v.kind == VALUE_POISON) return false;
    value_vec items = {0};
    if (v.kind == VALUE_TUPLE) {
        *out = v.as.list;
        return true;
    }
    if (v.kind == VALUE_DICT) {
        for (size_t i = 0; i < v.as.list.n; i += 2) value_vec_push(s->mem, &items, v.as.list.at[i]);
    } else if (v.kind == VALUE_RANGE) {
        const value *part = v.as.list.at;
        bool ints =
            part[0].kind == VALUE_INT && part[1].kind == VALUE_INT && part[2].kind == VALUE_INT;
        if (!ints || part[2].as.integer == 0) {
            script_error(s, at, "this range must have bounds that are known here");
            return false;
        }
        py_int i = part[0].as.integer, stop = part[1].as.integer, step = part[2].as.integer;
        for (; step > 0 ? i < stop : i > stop; i += step) {
            if (items.n == MOST_ITEMS) {
                script_error(s, at, "more than %d items", MOST_ITEMS);
                return false;
            }
            value_vec_push(s->mem, &items, value_int(i));
        }
    } else {
        script_error(s, at, "%s cannot be iterated over here", value_what(v));
        return false;
    }
    *out = (value_list){items.at, items.n};
    return true;
}

typedef struct comprehension {
    const ast_comprehension *n;
    value_vec items;
    bool is_bad;
} comprehension;

static void run_clauses(script *s, comprehension *c, size_t clause);

static bool conditions_hold(script *s, comprehension *c, const ast_clause *clause)
{
    for (size_t i = 0; i < clause->conditions.n; ++i) {
        value v = eval(s, clause->conditions.at[i]);
        if (v.kind != VALUE_POISON && !value_is_python(v)) {
            v = script_error(s, clause->conditions.at[i]->at, "this condition must be known here");
        }
        if (v.kind == VALUE_POISON) c->is_bad = true;
        if (v.kind == VALUE_POISON || !value_truth(v)) return false;
    }
    return true;
}

static void run_clause(script *s, comprehension *c, size_t index)
{
    const ast_clause *clause = ast_as_clause(c->n->clauses.at[index]);
    value_list items;
    if (!items_of(s, eval(s, clause->iterable), clause->iterable->at, &items)) {
        c->is_bad = true;
        return;
    }
    for (size_t i = 0; i < items.n && !c->is_bad; ++i) {
        scope inner;
        scope_push(s, SCOPE_INNER, &inner);
        bind_target(s, clause->target, items.at[i]);
        if (conditions_hold(s, c, clause)) run_clauses(s, c, index + 1);
        scope_pop(s);
    }
}

static void run_clauses(script *s, comprehension *c, size_t clause)
{
    if (clause < c->n->clauses.n) {
        if (!script_enter(s, c->n->node.at)) {
            c->is_bad = true;
            return;
        }
        run_clause(s, c, clause);
        script_leave(s);
        return;
    }
    if (c->items.n >= MOST_ITEMS) {
        script_error(s, c->n->node.at, "more than %d items", MOST_ITEMS);
        c->is_bad = true;
        return;
    }
    value key = c->n->key != NULL ? eval(s, c->n->key) : value_none(), v = eval(s, c->n->item);
    if (key.kind == VALUE_POISON || v.kind == VALUE_POISON) c->is_bad = true;
    if (c->n->key != NULL) value_vec_push(s->mem, &c->items, key);
    value_vec_push(s->mem, &c->items, v);
}

value eval_comprehension(script *s, const ast_comprehension *n)
{
    if (n->shape == '{') return script_error(s, n->node.at, "sets are not supported");
    comprehension c = {.n = n};
    run_clauses(s, &c, 0);
    if (c.is_bad) return value_poison();
    value v = value_of(n->shape == ':' ? VALUE_DICT : VALUE_TUPLE);
    v.as.list = (value_list){c.items.at, c.items.n};
    v.is_list = n->shape == '[';
    return v;
}

/* ---- f-strings ------------------------------------------------------------------------------- */

/* Integers may be formatted with a width: 03, 4, d, x. */
static bool format_int(script *s, value v, str spec, str *out)
{
    bool zero = spec.n > 0 && spec.p[0] == '0', hex = false;
    size_t i = 0, width = 0;
    while (i < spec.n && spec.p[i] >= '0' && spec.p[i] <= '9' && width < 100)
        width = width * 10 + (size_t)(spec.p[i++] - '0');
    if (i < spec.n && (spec.p[i] == 'd' || spec.p[i] == 'x')) hex = spec.p[i++] == 'x';
    py_int n = value_integer(v);
    if (i != spec.n || width >= 100 || n > INT64_MAX || n < INT64_MIN || (hex && n < 0))
        return false;
    long long wide = (long long)n;
    int w = (int)width;
    if (hex) {
        *out = str_format(s->mem, zero ? "%0*llx" : "%*llx", w, (unsigned long long)wide);
    } else {
        *out = str_format(s->mem, zero ? "%0*lld" : "%*lld", w, wide);
    }
    return true;
}

value eval_format(script *s, const ast_format *n)
{
    str all = STR("");
    for (size_t i = 0; i < n->parts.n; ++i) {
        const ast *part = n->parts.at[i];
        str text;
        if (part->kind == AST_STRING) {
            text = ast_as_string(part)->value;
        } else {
            const ast_field *field = ast_as_field(part);
            value v = eval(s, field->value);
            if (v.kind == VALUE_POISON) return v;
            bool plain = field->spec.n == 0 && field->conversion != 'a';
            bool whole = v.kind == VALUE_INT || v.kind == VALUE_BOOL;
            bool good =
                plain ? value_text(s->mem, v, field->conversion == 'r', &text)
                      : field->conversion == '\0' && whole && format_int(s, v, field->spec, &text);
            if (!good) return script_error(s, part->at, "this cannot be formatted here");
        }
        if (all.n + text.n > MOST_ITEMS)
            return script_error(s, n->node.at, "this string is too long");
        all = str_format(s->mem, "%.*s%.*s", STR_ARG(all), STR_ARG(text));
    }
    return value_str(all);
}

/* ---- Functions ------------------------------------------------------------------------------- */

value fn_py_range(script *s, const call *c)
{
    bool one = !value_is_given(c->args[1]);
    value *parts = arena_array(s->mem, value, 5);
    parts[0] = one ? value_int(0) : c->args[0];
    parts[1] = one ? c->args[0] : c->args[1];
    parts[2] = value_is_given(c->args[2]) ? c->args[2] : value_int(1);
    parts[3] = c->args[3];
    parts[4] = c->args[4];
    for (size_t i = 0; i < 3; ++i) {
        if (parts[i].kind == VALUE_BOOL) parts[i] = value_int(parts[i].as.boolean);
        bool good = parts[i].kind == VALUE_INT || parts[i].kind == VALUE_EXPR;
        if (!good)
            return script_error(s, c->at, "range takes integers, not %s", value_what(parts[i]));
    }
    value v = value_of(VALUE_RANGE);
    v.as.list = (value_list){parts, 5};
    return v;
}

value fn_py_len(script *s, const call *c)
{
    value v = c->args[0];
    if (v.kind == VALUE_STR) return value_int((py_int)v.as.text.n);
    if (v.kind == VALUE_DICT) return value_int((py_int)v.as.list.n / 2);
    value_list items;
    if (!items_of(s, v, c->spans[0], &items)) return value_poison();
    return value_int((py_int)items.n);
}

value fn_py_sum(script *s, const call *c)
{
    value_list items;
    if (!items_of(s, c->args[0], c->spans[0], &items)) return value_poison();
    value all = c->args[1].kind != VALUE_ABSENT ? c->args[1] : value_int(0);
    size_t terms = 0;
    for (size_t i = 0; i < items.n; ++i) terms += !value_is_python(items.at[i]);
    if (terms > MOST_TERMS) {
        return script_error(s, c->at, "a sum of more than %d values of the program", MOST_TERMS);
    }
    for (size_t i = 0; i < items.n; ++i) all = op_binary(s, TOKEN_PLUS, all, items.at[i], c->at);
    return all;
}

value fn_py_extreme(script *s, const call *c)
{
    value_list items = {c->rest, c->rest_count};
    if (c->rest_count == 1 && !items_of(s, c->rest[0], c->at, &items)) return value_poison();
    if (items.n == 0) return script_error(s, c->at, "'%s' of nothing", c->row->name);
    value best = items.at[0];
    for (size_t i = 0; i < items.n; ++i) {
        if (!value_is_python(items.at[i])) {
            return script_error(s, c->at, "'%s' of values of the program: write T.%s", c->row->name,
                                c->row->name);
        }
        compare_op less = {.word = c->row->info < 0 ? TOKEN_LESS : TOKEN_GREATER};
        value better = op_compare(s, less, items.at[i], best, c->at);
        if (better.kind == VALUE_POISON) return better;
        if (value_truth(better)) best = items.at[i];
    }
    return best;
}

value fn_py_abs(script *s, const call *c)
{
    value v = c->args[0];
    if (v.kind == VALUE_FLOAT) return value_float(fabs(v.as.real));
    if (v.kind != VALUE_INT && v.kind != VALUE_BOOL)
        return script_error(s, c->at, "'abs' of %s: write T.abs", value_what(v));
    return value_integer(v) < 0 ? op_unary(s, TOKEN_MINUS, v, c->at) : value_int(value_integer(v));
}

value fn_py_int(script *s, const call *c)
{
    value v = c->args[0];
    number_literal read;
    if (v.kind == VALUE_ABSENT) return value_int(0);
    if (v.kind == VALUE_INT || v.kind == VALUE_BOOL) return value_int(value_integer(v));
    if (v.kind == VALUE_FLOAT && fabs(v.as.real) < 1e30) return value_int((py_int)v.as.real);
    bool text = v.kind == VALUE_STR && v.as.text.n != 0 &&
                literal_number(v.as.text, &read) == NULL && !read.is_float;
    if (text) return value_int(read.integer);
    int64_t known;
    if (v.kind == VALUE_EXPR && ir_const_value(v.as.expr, &known)) return value_int(known);
    return script_error(s, c->at, "%s has no int value here", value_what(v));
}

value fn_py_float(script *s, const call *c)
{
    value v = c->args[0];
    double read;
    if (v.kind == VALUE_ABSENT) return value_float(0);
    if (value_is_number(v)) return value_float(value_real(v));
    if (v.kind == VALUE_STR) {
        str text = v.as.text;
        bool minus = text.n > 0 && text.p[0] == '-';
        if (text.n > 0 && (text.p[0] == '-' || text.p[0] == '+'))
            text = (str){text.p + 1, text.n - 1};
        if (str_is(text, "inf") || str_is(text, "infinity"))
            return value_float(minus ? -(double)INFINITY : (double)INFINITY);
        if (str_is(text, "nan")) return value_float((double)NAN);
        if (num_parse_double(text, &read)) return value_float(minus ? -read : read);
    }
    return script_error(s, c->at, "%s has no float value here", value_what(v));
}

value fn_py_bool(script *s, const call *c)
{
    value v = c->args[0];
    if (v.kind != VALUE_ABSENT && !value_is_python(v))
        return script_error(s, c->at, "%s has no truth value here", value_what(v));
    return value_bool(value_truth(v));
}

value fn_py_str(script *s, const call *c)
{
    str text = STR("");
    if (c->args[0].kind != VALUE_ABSENT && !value_text(s->mem, c->args[0], false, &text)) {
        return script_error(s, c->at, "%s has no text here", value_what(c->args[0]));
    }
    return value_str(text);
}

value fn_py_tuple(script *s, const call *c)
{
    value_list items = {0};
    if (c->args[0].kind != VALUE_ABSENT && !items_of(s, c->args[0], c->spans[0], &items))
        return value_poison();
    value v = value_tuple(items);
    v.is_list = c->row->info == 1;
    return v;
}

value fn_method_affix(script *s, const call *c)
{
    str affix;
    if (!to_str(s, c->args[0], c->spans[0], "this argument", &affix)) return value_poison();
    str text = c->receiver.as.text;
    return value_bool(c->row->info == 1 ? str_ends(text, affix) : str_starts(text, affix));
}
