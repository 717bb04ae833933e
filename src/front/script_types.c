/* Types, constants and conversions: T.float32(x), T.cast, T.min_value ... */
#include "front/script_inner.h"
#include "ir/fold.h"

#include <math.h>

static const char *type_text(script *s, ir_type t)
{
    return ir_type_print(t, arena_alloc(s->mem, IR_TYPE_TEXT));
}

/* "inf", "-inf", "nan" as T.float32 takes them. */
static bool float_by_name(str text, double *out)
{
    if (str_is(text, "inf") || str_is(text, "infinity")) {
        *out = (double)INFINITY;
    } else if (str_is(text, "-inf") || str_is(text, "-infinity")) {
        *out = -(double)INFINITY;
    } else if (str_is(text, "nan")) {
        *out = (double)NAN;
    } else {
        return false;
    }
    return true;
}

/* A constant of the type, or the value converted to it. */
static value convert(script *s, value v, ir_type type, span at)
{
    double named;
    if (v.kind == VALUE_STR && ir_type_is_float(type) && float_by_name(v.as.text, &named)) {
        return value_expr(ir_float_new(s->mem, type, named, at));
    }
    if (v.kind == VALUE_STR) {
        return script_error(s, at, "'%.*s' is no value of type %s", STR_ARG(v.as.text),
                            type_text(s, type));
    }
    if (value_is_number(v)) return value_expr(literal_of(s, v, type, at));
    return value_expr(to_type(s, v, type, at));
}

/* A variable that the signature must define; the one already there where a quoted name has made it.
 */
static value symbol(script *s, str name, ir_type type, span at)
{
    if (s->func == NULL)
        return script_error(s, at, "a variable can only be made inside of a function");
    bool inside;
    const binding *b = scope_find(s, name, &inside);
    bool known = b != NULL && inside && b->v.kind == VALUE_EXPR && b->v.as.expr->kind == IR_VAR;
    if (known) {
        const ir_var *v = ir_as_var_ref(b->v.as.expr)->var;
        if (ir_type_eq(v->type, type)) return value_fresh(b->v);
    }
    const ir_var *v = ir_var_new(s->mem, name, type, at);
    ir_var_vec_push(s->mem, &s->func->symbols, v);
    return value_fresh(value_expr(ir_ref(s->mem, v, at)));
}

value script_type_var(script *s, str name, span at)
{
    func_state *f = s->func;
    for (size_t i = f->called_first; i < f->symbols.n; ++i) {
        const ir_var *v = f->symbols.at[i];
        if (str_eq(v->name, name)) return value_expr(ir_ref(s->mem, v, at));
    }
    const ir_var *v = ir_var_new(s->mem, name, script_symbol_type(s, name, IR_I64), at);
    ir_var_vec_push(s->mem, &f->symbols, v);
    value made = value_expr(ir_ref(s->mem, v, at));
    if (s->in_signature) scope_bind(s, name, made, at); /* for a scalar parameter of that name */
    return made;
}

value fn_type_var(script *s, const call *c)
{
    value v = value_of(VALUE_TYPE_VAR);
    return to_str(s, c->args[0], c->spans[0], "a name", &v.as.text) ? v : value_poison();
}

value fn_convert(script *s, const call *c)
{
    ir_type type = c->receiver.as.type;
    if (ir_type_is_void(type)) return script_error(s, c->at, "void has no values");
    if (c->args[0].kind == VALUE_ABSENT) return symbol(s, call_hint(c, "v"), type, c->at);
    return convert(s, c->args[0], type, c->spans[0]);
}

value fn_var(script *s, const call *c)
{
    bool name_first = c->row->info == 1;
    value type = c->args[name_first ? 1 : 0], name = c->args[name_first ? 0 : 1];
    ir_type t = IR_I32;
    if (type.kind != VALUE_ABSENT && !to_dtype(s, type, c->at, &t)) return value_poison();
    str text = call_hint(c, "v");
    if (value_is_given(name) && !to_str(s, name, c->at, "a name", &text)) return value_poison();
    return symbol(s, text, t, c->at);
}

value fn_handle(script *s, const call *c)
{
    value v = value_type(IR_POINTER);
    if (value_is_given(c->args[0]) && !to_dtype(s, c->args[0], c->spans[0], &v.pointee))
        return value_poison();
    if (value_is_given(c->args[1]) && !to_scope(s, c->args[1], c->spans[1], &v.scope))
        return value_poison();
    return v;
}

value fn_type_annotation(script *s, const call *c)
{
    ir_type t;
    return to_dtype(s, c->args[0], c->spans[0], &t) ? value_type(t) : value_poison();
}

value fn_cast(script *s, const call *c)
{
    bool value_first = c->row->info == 1;
    value type = c->args[value_first ? 1 : 0], v = c->args[value_first ? 0 : 1];
    ir_type t;
    if (!to_dtype(s, type, c->at, &t)) return value_poison();
    if (value_first || value_is_number(v)) return convert(s, v, t, c->at);
    const ir_node *n = to_expr(s, v, c->at);
    if (n == NULL) return value_poison();
    if (n->type.lanes != t.lanes || ir_type_is_pointer(n->type))
        return value_expr(to_type(s, v, t, c->at));
    return value_expr(ir_cast_new(s->mem, t, n));
}

value fn_method_astype(script *s, const call *c)
{
    ir_type t;
    if (!to_dtype(s, c->args[0], c->spans[0], &t)) return value_poison();
    return value_expr(to_type(s, c->receiver, t, c->at));
}

value fn_const(script *s, const call *c)
{
    bool type_first = c->row->info == 1;
    value type = c->args[type_first ? 0 : 1], v = c->args[type_first ? 1 : 0];
    if (!value_is_given(type)) return value_expr(to_expr(s, v, c->at));
    ir_type t;
    if (!to_dtype(s, type, c->at, &t)) return value_poison();
    return convert(s, v, t, c->at);
}

value fn_reinterpret(script *s, const call *c)
{
    ir_type t;
    if (!to_dtype(s, c->args[0], c->spans[0], &t)) return value_poison();
    const ir_node *n = to_expr(s, c->args[1], c->spans[1]);
    if (n == NULL) return value_poison();
    bool same = (uint32_t)t.bits * t.lanes == (uint32_t)n->type.bits * n->type.lanes;
    if (!same) {
        return script_error(s, c->at, "reinterpret keeps the bits: %s and %s differ in size",
                            type_text(s, n->type), type_text(s, t));
    }
    return value_expr(ir_call_new(s->mem, IR_FN_REINTERPRET, t, ir_list_one(s->mem, n), c->at));
}

/* The largest finite value of a float type; 0 where it is not known. */
static double largest(ir_type t)
{
    if (t.code == IR_FLOAT && t.bits == 64) return 0x1.fffffffffffffp1023;
    if (t.code == IR_FLOAT && t.bits == 32) return 0x1.fffffep127;
    if (t.code == IR_FLOAT && t.bits == 16) return 65504;
    if (t.code == IR_BFLOAT) return 0x1.fep127;
    if (t.code == IR_FP8_E4M3FN) return 448;
    return t.code == IR_FP8_E5M2 ? 57344 : 0;
}

value fn_limit(script *s, const call *c)
{
    ir_type t;
    if (!to_dtype(s, c->args[0], c->spans[0], &t)) return value_poison();
    if (ir_type_is_float(t)) {
        double most = c->row->info == LIMIT_INFINITY ? (double)INFINITY : largest(t);
        if (most != 0)
            return value_expr(
                ir_float_new(s->mem, t, c->row->info == LIMIT_MIN ? -most : most, c->at));
    }
    bool whole = (ir_type_is_int(t) || ir_type_is_bool(t)) && c->row->info != LIMIT_INFINITY;
    if (!whole)
        return script_error(s, c->at, "T.%s of %s is not known", c->row->name, type_text(s, t));
    bool wide = t.code == IR_UINT && t.bits == 64 && c->row->info == LIMIT_MAX;
    int64_t v = wide ? -1 : c->row->info == LIMIT_MIN ? ir_type_min(t) : ir_type_max(t);
    return value_expr(ir_int_new(s->mem, t, v, c->at));
}
