/* What an expression of a script can be while it is read: Python's values, and the IR that they
 * build. */
#ifndef FRONT_VALUE_H
#define FRONT_VALUE_H

#include "front/ast.h"
#include "ir/ir.h"

typedef enum value_kind {
    VALUE_ABSENT, /* a parameter that was not given */
    VALUE_POISON, /* what was wrong has been reported: no further messages about it */
    VALUE_NONE,
    VALUE_BOOL,
    VALUE_INT,
    VALUE_FLOAT,
    VALUE_STR,
    VALUE_TUPLE, /* lists too */
    VALUE_DICT,
    VALUE_SLICE,
    VALUE_RANGE,
    VALUE_EXPR,   /* an IR expression */
    VALUE_SCALAR, /* a local variable that can be assigned: a buffer of one element; names of it
                     give loads */
    VALUE_BUFFER,
    VALUE_REGION,   /* part of a buffer */
    VALUE_TYPE,     /* T.float32, T.handle("float32") */
    VALUE_SPEC,     /* T.Buffer(...), T.float32[4], T.let[...] as annotations */
    VALUE_FRAME,    /* what `for` and `with` take */
    VALUE_SPACE,    /* a name space: T, T.axis, tvm */
    VALUE_FUNCTION, /* a named function or method of the tables */
    VALUE_CLOSURE,  /* a lambda, a plain function, an inline function */
    VALUE_GLOBAL,   /* a function of the module */
    VALUE_THREAD,   /* T.env_thread: a thread axis, launched later */
    VALUE_TYPE_VAR, /* TypeVar("n"): a variable of each function that uses it */
    VALUE_UNKNOWN   /* a name of the surrounding Python without a value that is known here */
} value_kind;

typedef enum space {
    SPACE_TVM,     /* tvm */
    SPACE_SCRIPT,  /* tvm.script */
    SPACE_T,       /* tvm.script.tirx, usually T */
    SPACE_I,       /* tvm.script.ir, usually I */
    SPACE_AXIS,    /* T.axis */
    SPACE_METAL,   /* T.metal */
    SPACE_TIRX,    /* tvm.tirx, tvm.tir */
    SPACE_MATH,    /* Python's module math */
    SPACE_BUILTIN, /* Python's own functions */
    SPACE_METHOD,  /* of buffers, expressions, strings */
    SPACE_FOREIGN  /* a package that is not known here */
} space;

typedef struct value value;
typedef struct frame frame;
typedef struct buffer_spec buffer_spec;
typedef struct env_thread env_thread;
typedef struct closure closure;
typedef struct name_row name_row;

typedef struct value_list {
    const value *at;
    size_t n;
} value_list;

typedef struct region {
    const ir_buffer *buffer;
    const ir_node **min, **extent; /* one a dimension */
    const ir_node **step;          /* of a slice with a step; NULL items: 1 */
    bool *is_slice;
    bool *is_open; /* a slice without both bounds: no vector access */
    size_t n;
} region;

struct value {
    value_kind kind;
    bool is_list;    /* of a tuple */
    bool is_fresh;   /* an assignment names it: it makes no variable */
    bool is_old;     /* of a space or function: through the older `tir` */
    bool is_handle;  /* of a buffer: an argument for a parameter that is a handle */
    ir_type pointee; /* of a pointer: what it points to, void where unknown ... */
    ir_scope scope;  /* ... and where */
    union {
        bool boolean;
        py_int integer;
        double real;
        str text; /* STR; UNKNOWN: why; GLOBAL, TYPE_VAR: its name */
        value_list
            list; /* TUPLE; DICT: key, value, key, value ...; RANGE, SLICE: start, stop, step */
        const ir_node *expr;
        const ir_buffer *buffer;
        const region *region;
        ir_type type;
        const buffer_spec *spec;
        const frame *frame;
        space space;
        struct {
            const name_row *row;
            const value *receiver;
        } function;
        const closure *closure;
        env_thread *thread;
    } as;
};

VEC_DECLARE(value_vec, value)

static inline value value_of(value_kind kind)
{
    return (value){.kind = kind, .pointee = IR_VOID};
}
static inline value value_poison(void)
{
    return value_of(VALUE_POISON);
}
static inline value value_none(void)
{
    return value_of(VALUE_NONE);
}
static inline value value_bool(bool b)
{
    value v = value_of(VALUE_BOOL);
    v.as.boolean = b;
    return v;
}
static inline value value_int(py_int i)
{
    value v = value_of(VALUE_INT);
    v.as.integer = i;
    return v;
}
static inline value value_float(double d)
{
    value v = value_of(VALUE_FLOAT);
    v.as.real = d;
    return v;
}
static inline value value_str(str text)
{
    value v = value_of(VALUE_STR);
    v.as.text = text;
    return v;
}
static inline value value_tuple(value_list list)
{
    value v = value_of(VALUE_TUPLE);
    v.as.list = list;
    return v;
}
/* NULL gives POISON, so that makers that failed need no check of their own. */
static inline value value_expr(const ir_node *n)
{
    value v = value_of(n != NULL ? VALUE_EXPR : VALUE_POISON);
    v.as.expr = n;
    return v;
}
static inline value value_buffer(const ir_buffer *b)
{
    value v = value_of(b != NULL ? VALUE_BUFFER : VALUE_POISON);
    v.as.buffer = b;
    return v;
}
static inline value value_type(ir_type type)
{
    value v = value_of(VALUE_TYPE);
    v.as.type = type;
    return v;
}
static inline value value_frame(const frame *f)
{
    value v = value_of(f != NULL ? VALUE_FRAME : VALUE_POISON);
    v.as.frame = f;
    return v;
}
static inline value value_space(space where, bool old)
{
    value v = value_of(VALUE_SPACE);
    v.as.space = where;
    v.is_old = old;
    return v;
}
static inline value value_fresh(value v)
{
    v.is_fresh = true;
    return v;
}

/* None, a bool, a number or a string: evaluated as Python does. */
static inline bool value_is_python(value v)
{
    return v.kind >= VALUE_NONE && v.kind <= VALUE_DICT;
}
static inline bool value_is_number(value v)
{
    return v.kind == VALUE_BOOL || v.kind == VALUE_INT || v.kind == VALUE_FLOAT;
}
/* What can become an IR expression. */
static inline bool value_is_operand(value v)
{
    return value_is_number(v) || v.kind == VALUE_EXPR || v.kind == VALUE_REGION ||
           v.kind == VALUE_SCALAR;
}
static inline bool value_is_given(value v)
{
    return v.kind != VALUE_ABSENT && v.kind != VALUE_NONE;
}

/* "an int", "a buffer": how messages call a value. */
const char *value_what(value v);

/* Python's truth of a Python value. */
bool value_truth(value v);

/* Python's ==, for Python values. */
bool value_equal(value a, value b);

/* A number as a double or an integer (bools count). */
double value_real(value v);
py_int value_integer(value v);

/* str(v) as Python prints it; false for what has no such text here. */
bool value_text(arena *mem, value v, bool quoted, str *out);

#endif
