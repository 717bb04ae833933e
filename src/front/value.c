/* Python's values: truth, equality, text. */
#include "front/value.h"

#include "base/buf.h"
#include "base/num.h"

#include <math.h>

const char *value_what(value v)
{
    switch (v.kind) {
    case VALUE_ABSENT: return "nothing";
    case VALUE_POISON: return "an error";
    case VALUE_NONE: return "None";
    case VALUE_BOOL: return "a bool";
    case VALUE_INT: return "an int";
    case VALUE_FLOAT: return "a float";
    case VALUE_STR: return "a string";
    case VALUE_TUPLE: return v.is_list ? "a list" : "a tuple";
    case VALUE_DICT: return "a dict";
    case VALUE_SLICE: return "a slice";
    case VALUE_RANGE: return "a range";
    case VALUE_EXPR: return "an expression of the program";
    case VALUE_SCALAR: return "a variable";
    case VALUE_BUFFER: return "a buffer";
    case VALUE_REGION: return "a part of a buffer";
    case VALUE_TYPE: return "a type";
    case VALUE_SPEC: return "an annotation";
    case VALUE_FRAME: return "a frame (for 'with' or 'for')";
    case VALUE_SPACE: return "a name space";
    case VALUE_FUNCTION: return "a function";
    case VALUE_CLOSURE: return "a function";
    case VALUE_GLOBAL: return "a function of the module";
    case VALUE_THREAD: return "a thread axis";
    case VALUE_TYPE_VAR: return "a type variable";
    case VALUE_UNKNOWN: return "a value that is not known here";
    }
    return "a value";
}

bool value_truth(value v)
{
    switch (v.kind) {
    case VALUE_NONE:
    case VALUE_ABSENT: return false;
    case VALUE_BOOL: return v.as.boolean;
    case VALUE_INT: return v.as.integer != 0;
    case VALUE_FLOAT: return v.as.real != 0;
    case VALUE_STR: return v.as.text.n != 0;
    case VALUE_TUPLE:
    case VALUE_DICT: return v.as.list.n != 0;
    case VALUE_POISON:
    case VALUE_SLICE:
    case VALUE_RANGE:
    case VALUE_EXPR:
    case VALUE_SCALAR:
    case VALUE_BUFFER:
    case VALUE_REGION:
    case VALUE_TYPE:
    case VALUE_SPEC:
    case VALUE_FRAME:
    case VALUE_SPACE:
    case VALUE_FUNCTION:
    case VALUE_CLOSURE:
    case VALUE_GLOBAL:
    case VALUE_THREAD:
    case VALUE_TYPE_VAR:
    case VALUE_UNKNOWN: return true;
    }
    return true;
}

double value_real(value v)
{
    return v.kind == VALUE_FLOAT ? v.as.real : (double)value_integer(v);
}

py_int value_integer(value v)
{
    return v.kind == VALUE_BOOL ? (py_int)v.as.boolean : v.as.integer;
}

static bool lists_equal(value_list a, value_list b)
{
    if (a.n != b.n) return false;
    for (size_t i = 0; i < a.n; ++i) {
        if (!value_equal(a.at[i], b.at[i])) return false;
    }
    return true;
}

bool value_equal(value a, value b)
{
    if (value_is_number(a) && value_is_number(b)) {
        bool real = a.kind == VALUE_FLOAT || b.kind == VALUE_FLOAT;
        return real ? value_real(a) == value_real(b) : value_integer(a) == value_integer(b);
    }
    if (a.kind != b.kind) return false;
    if (a.kind == VALUE_STR) return str_eq(a.as.text, b.as.text);
    if (a.kind == VALUE_TUPLE) return a.is_list == b.is_list && lists_equal(a.as.list, b.as.list);
    if (a.kind == VALUE_DICT) return lists_equal(a.as.list, b.as.list);
    return a.kind == VALUE_NONE;
}

static bool put_value(arena *mem, buf *out, value v, bool quoted);

static bool put_items(arena *mem, buf *out, value v)
{
    buf_char(out, v.is_list ? '[' : '(');
    for (size_t i = 0; i < v.as.list.n; ++i) {
        if (i != 0) buf_text(out, ", ");
        if (!put_value(mem, out, v.as.list.at[i], true)) return false;
    }
    if (v.as.list.n == 1 && !v.is_list) buf_char(out, ',');
    buf_char(out, v.is_list ? ']' : ')');
    return true;
}

static bool put_pairs(arena *mem, buf *out, value_list pairs)
{
    buf_char(out, '{');
    for (size_t i = 0; i < pairs.n; ++i) {
        if (i != 0) buf_text(out, i % 2 == 1 ? ": " : ", ");
        if (!put_value(mem, out, pairs.at[i], true)) return false;
    }
    buf_char(out, '}');
    return true;
}

static bool put_value(arena *mem, buf *out, value v, bool quoted)
{
    char text[NUM_TEXT];
    char type[IR_TYPE_TEXT];
    if (v.kind == VALUE_NONE) {
        buf_text(out, "None");
    } else if (v.kind == VALUE_BOOL) {
        buf_text(out, v.as.boolean ? "True" : "False");
    } else if (v.kind == VALUE_INT) {
        buf_str(out, py_int_text(mem, v.as.integer));
    } else if (v.kind == VALUE_FLOAT) {
        num_print_double(v.as.real, text);
        buf_text(out, text);
    } else if (v.kind == VALUE_STR) {
        buf_printf(out, quoted ? "'%.*s'" : "%.*s", STR_ARG(v.as.text));
    } else if (v.kind == VALUE_TYPE) {
        buf_text(out, ir_type_print(v.as.type, type));
    } else if (v.kind == VALUE_TUPLE) {
        return put_items(mem, out, v);
    } else if (v.kind == VALUE_DICT) {
        return put_pairs(mem, out, v.as.list);
    } else {
        return false;
    }
    return true;
}

bool value_text(arena *mem, value v, bool quoted, str *out)
{
    ingot_allocator hook = arena_hook(mem);
    buf text = buf_make(&hook);
    if (!put_value(mem, &text, v, quoted)) return false;
    *out = str_copy(mem, buf_view(&text));
    return true;
}
