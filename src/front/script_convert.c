/* From the values of a script to IR: literals find their types, operands meet. */
#include "front/script_inner.h"
#include "ir/fold.h"
#include "ir/simplify.h"
#include "ir/walk.h"

#include <math.h>

static const char *type_text(script *s, ir_type t)
{
    return ir_type_print(t, arena_alloc(s->mem, IR_TYPE_TEXT));
}

/* ---- Literals -------------------------------------------------------------------------------- */

static bool fits(ir_type t, py_int v)
{
    if (t.code == IR_BOOL) return v == 0 || v == 1;
    if (t.code == IR_UINT) return v >= 0 && v < ((py_int)1 << t.bits);
    return t.code == IR_INT && v >= -((py_int)1 << (t.bits - 1)) && v < ((py_int)1 << (t.bits - 1));
}

static const ir_node *int_literal(script *s, py_int v, ir_type type, span at)
{
    if (ir_type_is_float(type)) return ir_float_new(s->mem, type, (double)v, at);
    ir_type one = ir_type_element(type);
    if (fits(one, v)) return ir_int_new(s->mem, type, (int64_t)(uint64_t)v, at);
    script_error(s, at, "literal value %s does not fit %s", py_int_text(s->mem, v).p,
                 type_text(s, one));
    return NULL;
}

const ir_node *literal_of(script *s, value v, ir_type type, span at)
{
    bool number = ir_type_is_float(type) || ir_type_is_int(type) || ir_type_is_bool(type);
    if (!number) {
        script_error(s, at, "%s is no value of type %s", value_what(v), type_text(s, type));
        return NULL;
    }
    if (v.kind != VALUE_FLOAT) return int_literal(s, value_integer(v), type, at);
    if (ir_type_is_float(type)) return ir_float_new(s->mem, type, v.as.real, at);
    bool whole = isfinite(v.as.real) && fabs(v.as.real) < 1e30 && v.as.real == floor(v.as.real);
    if (whole) return int_literal(s, (py_int)v.as.real, type, at);
    script_error(s, at, "a float literal is no value of type %s", type_text(s, type));
    return NULL;
}

/* The type that a literal has by itself. */
static ir_type literal_type(value v)
{
    if (v.kind == VALUE_BOOL) return IR_B1;
    return v.kind == VALUE_INT ? IR_I32 : IR_F32;
}

/* A literal beside an operand of that type. Comparisons convert it to the operand's type;
 * arithmetic keeps int32 and float32, except that an int beside a float is that float, and what
 * int32 cannot hold takes the operand's type. */
static const ir_node *literal_beside(script *s, value v, ir_type other, bool compare, span at)
{
    ir_type one = ir_type_element(other);
    if (compare && v.kind == VALUE_FLOAT && !ir_type_is_float(one)) {
        script_error(s, at, "a float literal cannot be compared with %s; write T.float32(...)",
                     type_text(s, one));
        return NULL;
    }
    if (compare && !ir_type_is_pointer(one)) return literal_of(s, v, one, at);
    if (v.kind == VALUE_INT && ir_type_is_float(one)) return literal_of(s, v, one, at);
    if (v.kind == VALUE_INT && ir_type_is_int(one) && !fits(IR_I32, v.as.integer))
        return literal_of(s, v, one, at);
    bool wide = v.kind == VALUE_FLOAT && one.code == IR_FLOAT && one.bits == 64;
    return literal_of(s, v, wide ? one : literal_type(v), at);
}

/* ---- Expressions ----------------------------------------------------------------------------- */

const ir_var *script_thread_var(script *s, const env_thread *t, span at)
{
    if (t->var != NULL && t->function == s->function) return t->var;
    script_error(s, at, "the thread axis '%.*s' is not launched here", STR_ARG(t->name));
    return NULL;
}

const ir_node *to_expr(script *s, value v, span at)
{
    if (v.kind == VALUE_EXPR) return v.as.expr;
    if (v.kind == VALUE_POISON) return NULL;
    if (value_is_number(v)) return literal_of(s, v, literal_type(v), at);
    if (v.kind == VALUE_REGION) return region_load(s, v.as.region, at);
    if (v.kind == VALUE_SCALAR) return scalar_load(s, v.as.buffer, at);
    if (v.kind == VALUE_THREAD) {
        const ir_var *var = script_thread_var(s, v.as.thread, at);
        return var != NULL ? ir_ref(s->mem, var, at) : NULL;
    }
    if (v.kind == VALUE_STR) return ir_string_new(s->mem, v.as.text, at);
    if (v.kind == VALUE_BUFFER) {
        script_error(s, at, "the buffer '%.*s' is no value: index it", STR_ARG(v.as.buffer->name));
        return NULL;
    }
    script_error(s, at, "%s cannot be used as a value here", value_what(v));
    return NULL;
}

static const ir_node *operand(script *s, value v, span at)
{
    const ir_node *n = v.kind == VALUE_STR ? NULL : to_expr(s, v, at);
    if (v.kind == VALUE_STR) script_error(s, at, "a string cannot be an operand");
    if (n == NULL) return NULL;
    if (ir_type_is_void(n->type) || n->kind == IR_REDUCER) {
        script_error(s, at, "this call gives no value");
        return NULL;
    }
    return n;
}

const ir_node *to_type(script *s, value v, ir_type type, span at)
{
    if (value_is_number(v)) {
        /* Floats and what int32 cannot hold go to the type directly; the rest converts as an int32
         * would. */
        bool direct =
            ir_type_is_float(type) || (v.kind == VALUE_INT && !fits(IR_I32, v.as.integer));
        if (direct && (v.kind != VALUE_FLOAT || ir_type_is_float(type)))
            return literal_of(s, v, type, at);
    }
    const ir_node *n = operand(s, v, at);
    if (n == NULL) return NULL;
    if (ir_type_is_pointer(n->type) != ir_type_is_pointer(type)) {
        script_error(s, at, "%s does not convert to %s", type_text(s, n->type), type_text(s, type));
        return NULL;
    }
    if (n->type.lanes != type.lanes && n->type.lanes != 1) {
        script_error(s, at, "%s has other lanes than %s", type_text(s, n->type),
                     type_text(s, type));
        return NULL;
    }
    return ir_fold_cast(s->mem, type, n);
}

const ir_node *to_index(script *s, value v, span at)
{
    const ir_node *n = operand(s, v, at);
    if (n == NULL) return NULL;
    if (ir_type_is_int(n->type)) return n;
    if (ir_type_is_bool(n->type)) return ir_fold_cast(s->mem, IR_I32, n);
    script_error(s, at, "an integer is needed here, this is %s", type_text(s, n->type));
    return NULL;
}

const ir_node *to_bool(script *s, value v, span at)
{
    const ir_node *n = operand(s, v, at);
    if (n == NULL) return NULL;
    if (ir_type_is_bool(n->type)) return n;
    script_error(s, at, "a condition must be bool, this is %s; compare it with something",
                 type_text(s, n->type));
    return NULL;
}

bool to_int(script *s, value v, int64_t least, int64_t most, span at, const char *what,
            int64_t *out)
{
    if (v.kind == VALUE_POISON) return false;
    py_int i;
    int64_t known;
    if (v.kind == VALUE_INT || v.kind == VALUE_BOOL) {
        i = value_integer(v);
    } else if (v.kind == VALUE_EXPR && ir_const_value(v.as.expr, &known)) {
        i = known;
    } else {
        script_error(s, at, "%s must be an integer known here, this is %s", what, value_what(v));
        return false;
    }
    if (i < least || i > most) {
        script_error(s, at, "%s is %s, outside of %lld to %lld", what, py_int_text(s->mem, i).p,
                     (long long)least, (long long)most);
        return false;
    }
    *out = (int64_t)i;
    return true;
}

bool to_str(script *s, value v, span at, const char *what, str *out)
{
    if (v.kind == VALUE_STR) {
        *out = v.as.text;
        return true;
    }
    if (v.kind == VALUE_EXPR && v.as.expr->kind == IR_STRING) {
        *out = ir_as_string(v.as.expr)->text;
        return true;
    }
    if (v.kind != VALUE_POISON)
        script_error(s, at, "%s must be a string, this is %s", what, value_what(v));
    return false;
}

/* ---- Types, scopes, tags --------------------------------------------------------------------- */

bool to_dtype(script *s, value v, span at, ir_type *out)
{
    if (v.kind == VALUE_TYPE) {
        *out = v.as.type;
        return true;
    }
    if (v.kind == VALUE_STR) {
        if (ir_type_parse(v.as.text, out)) return true;
        script_error(s, at, "'%.*s' is no type", STR_ARG(v.as.text));
        return false;
    }
    if (v.kind != VALUE_POISON)
        script_error(s, at, "a type is needed here, this is %s", value_what(v));
    return false;
}

bool to_scope(script *s, value v, span at, ir_scope *out)
{
    str text;
    if (!to_str(s, v, at, "a scope", &text)) return false;
    if (ir_scope_parse(text, out)) return true;
    script_error(s, at, "storage scope '%.*s' is not supported", STR_ARG(text));
    script_note(s, at, "scopes are global, shared, shared.dyn, local, warp and metal.simdgroup");
    return false;
}

bool to_tag(script *s, value v, span at, str *out)
{
    static const char *const tags[] = {
#define SCRIPT_THREAD(tag) tag,
#include "front/threads.def"
#undef SCRIPT_THREAD
    };
    if (!to_str(s, v, at, "a thread axis", out)) return false;
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; ++i) {
        if (str_is(*out, tags[i])) return true;
    }
    script_error(s, at, "'%.*s' is no thread axis", STR_ARG(*out));
    script_note(s, at,
                "thread axes are blockIdx.x, .y, .z, threadIdx.x, .y, .z, vthread, vthread.x, .y, "
                ".z and cthread");
    return false;
}

void pointer_target(value v, ir_type *pointee, ir_scope *place)
{
    *pointee = v.pointee;
    *place = v.scope;
    if (v.kind != VALUE_EXPR) return;
    const ir_node *n = v.as.expr;
    if (n->kind == IR_VAR) {
        *pointee = ir_as_var_ref(n)->var->pointee;
        *place = ir_as_var_ref(n)->var->scope;
    }
}

/* ---- Operands that meet ---------------------------------------------------------------------- */

bool to_common(script *s, value a, value b, bool compare, span at, const ir_node **x,
               const ir_node **y)
{
    bool literal_a = value_is_number(a), literal_b = value_is_number(b);
    const ir_node *m = literal_a ? NULL : operand(s, a, at),
                  *n = literal_b ? NULL : operand(s, b, at);
    if ((m == NULL && !literal_a) || (n == NULL && !literal_b)) return false;
    if (literal_a) m = n != NULL ? literal_beside(s, a, n->type, compare, at) : to_expr(s, a, at);
    if (m == NULL) return false;
    if (literal_b) n = literal_beside(s, b, m->type, compare, at);
    if (n == NULL) return false;
    bool pointers = ir_type_is_pointer(m->type) || ir_type_is_pointer(n->type);
    if (pointers || !ir_unify(s->mem, &m, &n)) {
        script_error(s, at, "%s and %s do not mix", type_text(s, m->type), type_text(s, n->type));
        return false;
    }
    *x = m;
    *y = n;
    return true;
}

/* ---- Ranges ---------------------------------------------------------------------------------- */

/* An expression as a rest and a constant that is added to it; rest NULL: only the constant. */
static int64_t split_constant(const ir_node *n, const ir_node **rest)
{
    int64_t c;
    *rest = n;
    if (ir_const_value(n, &c)) {
        *rest = NULL;
        return c;
    }
    if (n->kind != IR_BIN) return 0;
    const ir_bin *b = ir_as_bin(n);
    if (b->op == IR_ADD && ir_const_value(b->b, &c) && c != INT64_MIN) {
        *rest = b->a;
        return c;
    }
    if (b->op == IR_SUB && ir_const_value(b->b, &c) && c != INT64_MIN) {
        *rest = b->a;
        return -c;
    }
    return 0;
}

const ir_node *range_extent(script *s, const ir_node *start, const ir_node *stop)
{
    if (!ir_unify(s->mem, &start, &stop)) {
        script_error(s, stop->at, "%s and %s do not mix", type_text(s, start->type),
                     type_text(s, stop->type));
        return NULL;
    }
    if (ir_is_const(start, 0)) return stop; /* as it stands: dumps read back to the same */
    if (stop->kind == IR_BIN && ir_as_bin(stop)->op == IR_ADD) {
        const ir_bin *sum = ir_as_bin(stop);
        if (ir_equal(sum->a, start)) return sum->b;
        if (ir_equal(sum->b, start)) return sum->a;
    }
    const ir_node *a, *b;
    int64_t c = split_constant(start, &a), d = split_constant(stop, &b), extent;
    bool same = (a == NULL && b == NULL) || (a != NULL && b != NULL && ir_equal(a, b));
    if (same && !__builtin_sub_overflow(d, c, &extent))
        return ir_int_new(s->mem, stop->type, extent, stop->at);
    const ir_node *plain = ir_fold_bin(s->mem, IR_SUB, stop, start);
    const ir_node *simple = ir_simplify(ir_analyzer_new(s->mem), plain);
    return simple->kind == IR_INT_IMM ? simple : plain;
}

/* ---- Attributes ------------------------------------------------------------------------------ */

const ir_node *to_attr_value(script *s, value v, span at)
{
    if (v.kind == VALUE_BUFFER) return ir_ref(s->mem, v.as.buffer->data, at);
    if (v.kind != VALUE_TUPLE) {
        bool known = value_is_number(v) || v.kind == VALUE_STR || v.kind == VALUE_EXPR ||
                     v.kind == VALUE_POISON;
        if (known) return to_expr(s, v, at);
        script_error(s, at, "%s cannot be the value of an attribute", value_what(v));
        return NULL;
    }
    ir_node_vec items = {0};
    for (size_t i = 0; i < v.as.list.n; ++i) {
        const ir_node *item = script_enter(s, at) ? to_attr_value(s, v.as.list.at[i], at) : NULL;
        if (item == NULL) return NULL;
        script_leave(s);
        ir_node_vec_push(s->mem, &items, item);
    }
    return ir_call_new(s->mem, IR_FN_TUPLE, IR_VOID, ir_list_of(items), at);
}

bool to_attrs(script *s, value v, span at, attr_vec *out)
{
    if (v.kind == VALUE_POISON) return false;
    if (v.kind != VALUE_DICT) {
        script_error(s, at, "attributes are given as a dict, this is %s", value_what(v));
        return false;
    }
    bool good = true;
    for (size_t i = 0; i + 1 < v.as.list.n; i += 2) {
        ir_attr_entry entry = {0};
        if (!to_str(s, v.as.list.at[i], at, "the name of an attribute", &entry.key)) return false;
        if (v.as.list.at[i + 1].kind == VALUE_NONE) continue;
        entry.value = to_attr_value(s, v.as.list.at[i + 1], at);
        good = good && entry.value != NULL;
        if (entry.value == NULL) continue;
        /* A later entry replaces an earlier one, as in Python's dicts. */
        size_t same = out->n;
        for (size_t j = 0; j < out->n; ++j) {
            if (str_eq(out->at[j].key, entry.key)) same = j;
        }
        if (same < out->n) {
            out->at[same] = entry;
        } else {
            attr_vec_push(s->mem, out, entry);
        }
    }
    return good;
}
