/* Calls from one function of a module to another: the called function's statements are put in place, its
 * parameters named for the arguments. */
#include "front/script_inner.h"
#include "ir/fold.h"
#include "ir/simplify.h"
#include "ir/walk.h"

/* What of the function being read belongs to the called one while its statements are read. */
typedef struct called_state {
    const ast_def *def;
    str name;
    bool is_old, is_called;
    ir_func_kind kind;
    param_vec params;
    attr_vec attrs;
    ir_type result;
    map assigned;
    int loop_depth;
    size_t called_first;
} called_state;

static called_state take_state(func_state *f)
{
    return (called_state){f->def,    f->name,  f->is_old, f->is_called, f->kind,
                          f->params, f->attrs, f->result, f->assigned,  f->loop_depth, f->called_first};
}

static void give_state(func_state *f, const called_state *c)
{
    f->def = c->def;
    f->name = c->name;
    f->is_old = c->is_old;
    f->is_called = c->is_called;
    f->kind = c->kind;
    f->params = c->params;
    f->attrs = c->attrs;
    f->result = c->result;
    f->assigned = c->assigned;
    f->loop_depth = c->loop_depth;
    f->called_first = c->called_first;
}

/* ---- Parameters ------------------------------------------------------------------------------ */

/* A call being put in place. */
typedef struct inlining {
    script *s;
    const script_global *g;
    span at; /* of the call */
} inlining;

/* A dimension of a parameter against the argument's: a variable that has no value yet gets it. */
static bool match_dim(inlining *c, str name, size_t dim, const ir_node *wanted, const ir_node *given)
{
    script *s = c->s;
    const ir_var *v = wanted->kind == IR_VAR ? ir_as_var_ref(wanted)->var : NULL;
    bool is_new = false;
    for (size_t i = s->func->called_first; v != NULL && i < s->func->symbols.n; ++i) is_new |= s->func->symbols.at[i] == v;
    if (is_new && map_get_id(&s->func->let_vars, v) == NULL) {
        map_put_id(s->mem, &s->func->let_vars, v, v);
        const ir_node *n = ir_fold_cast(s->mem, v->type, given);
        map_put_id(s->mem, &s->func->called_dims, v, n);
        suite_emit(s, ir_make(s->mem, BIND, bind, c->at, IR_VOID, .var = v, .value = n));
        return true;
    }
    const ir_node *a = ir_substitute(s->mem, wanted, &s->func->called_dims), *b = given;
    if (!ir_unify(s->mem, &a, &b)) return false;
    const ir_node *same = ir_simplify(ir_analyzer_new(s->mem), ir_eq(s->mem, a, b));
    int64_t holds;
    if (!ir_const_value(same, &holds)) {
        str text = str_format(s->mem, "Mismatched %.*s.shape[%zu] in a call of %.*s", STR_ARG(name), dim,
                              STR_ARG(c->g->def->name));
        suite_emit(s, ir_make(s->mem, ASSERT, assert, c->at, IR_VOID, .cond = same, .error = STR("ValueError"),
                              .message = text));
        return true;
    }
    if (holds == 0) {
        script_error(s, c->at, "'%.*s': the argument for '%.*s' has another extent in dimension %zu",
                     STR_ARG(c->g->def->name), STR_ARG(name), dim);
    }
    return holds != 0;
}

/* A buffer for a buffer: the parameter's name stands for the argument itself. */
static bool match_buffer_arg(inlining *c, str name, const buffer_spec *spec, value arg, span at)
{
    script *s = c->s;
    if (arg.kind != VALUE_BUFFER) {
        script_error(s, at, "'%.*s' takes a buffer for '%.*s', this is %s", STR_ARG(c->g->def->name),
                     STR_ARG(name), value_what(arg));
        return false;
    }
    const ir_buffer *given = arg.as.buffer, *wanted = buffer_make(s, spec, name, NULL);
    if (wanted == NULL) return false;
    if (wanted->strides.n != 0 || wanted->elem_offset != NULL) {
        script_error(s, at, "a called function cannot state strides or an offset for '%.*s'", STR_ARG(name));
        return false;
    }
    char text[IR_TYPE_TEXT], other[IR_TYPE_TEXT];
    if (!ir_type_eq(wanted->type, given->type) || wanted->scope != given->scope ||
        wanted->shape.n != given->shape.n) {
        script_error(s, at, "'%.*s' takes a %s buffer of %zu dimensions and scope \"%s\" for '%.*s', this is %s, %zu, \"%s\"",
                     STR_ARG(c->g->def->name), ir_type_print(wanted->type, text), wanted->shape.n,
                     ir_scope_text(wanted->scope), STR_ARG(name), ir_type_print(given->type, other), given->shape.n,
                     ir_scope_text(given->scope));
        return false;
    }
    bool good = true;
    for (size_t i = 0; i < wanted->shape.n; ++i)
        good = match_dim(c, name, i, wanted->shape.at[i], given->shape.at[i]) && good;
    return good;
}

static bool scalar_arg(inlining *c, const ast_param *p, ir_type type, value arg, span at)
{
    script *s = c->s;
    const ir_node *n = to_type(s, arg, type, at);
    if (n == NULL) return false;
    const binding *here = scope_find_here(s, p->name);
    if (here != NULL && here->v.kind == VALUE_EXPR && here->v.as.expr->kind == IR_VAR) {
        /* A shape before it has given it a value. */
        return match_dim(c, p->name, 0, here->v.as.expr, n);
    }
    bool plain = n->kind == IR_VAR || n->kind == IR_INT_IMM || n->kind == IR_FLOAT_IMM;
    if (!plain && s->lazy == 0) {
        const ir_var *v = ir_var_new(s->mem, p->name, type, p->node.at);
        suite_emit(s, ir_make(s->mem, BIND, bind, c->at, IR_VOID, .var = v, .value = n));
        n = ir_ref(s->mem, v, at);
    }
    scope_bind(s, p->name, value_expr(n), p->node.at);
    return true;
}

static bool pointer_arg(inlining *c, const ast_param *p, value arg, span at)
{
    script *s = c->s;
    if (arg.kind == VALUE_BUFFER) {
        arg.is_handle = true; /* T.match_buffer of it is a buffer parameter */
    } else {
        const ir_node *n = to_expr(s, arg, at);
        if (n == NULL) return false;
        if (!ir_type_is_pointer(n->type) || n->kind == IR_STRING) {
            script_error(s, at, "'%.*s' takes a pointer for '%.*s'", STR_ARG(c->g->def->name), STR_ARG(p->name));
            return false;
        }
    }
    scope_bind(s, p->name, arg, p->node.at);
    return true;
}

static bool bind_arg(inlining *c, const ast_param *p, value arg, span at)
{
    script *s = c->s;
    if (p->annotation == NULL || p->stars != 0 || p->initial != NULL) return false; /* reported where it stands */
    str name = p->name;
    s->in_signature = true;
    buffer_define_quoted(s, p->annotation);
    value type = eval_named(s, p->annotation, (hints){&name, 1});
    bool good = false, handle = type.kind == VALUE_FUNCTION && type.as.function.row->fn == fn_handle;
    if (type.kind == VALUE_SPEC && !type.as.spec->is_let && !type.as.spec->is_local) {
        good = match_buffer_arg(c, name, type.as.spec, arg, at);
        if (good) scope_bind(s, name, arg, p->node.at);
    } else if (handle || (type.kind == VALUE_TYPE && ir_type_is_pointer(type.as.type))) {
        good = pointer_arg(c, p, arg, at);
    } else if (type.kind == VALUE_TYPE && !ir_type_is_void(type.as.type)) {
        good = scalar_arg(c, p, type.as.type, arg, at);
    } else if (type.kind == VALUE_EXPR && type.as.expr->kind == IR_VAR) {
        good = scalar_arg(c, p, type.as.expr->type, arg, at);
    }
    s->in_signature = false;
    return good;
}

value script_match_handle(script *s, const call *c, buffer_spec *spec)
{
    const script_global *g = s->func->called;
    inlining in = {s, g, c->at};
    s->in_signature = true;
    bool good = match_buffer_arg(&in, call_hint(c, "buffer"), spec, c->args[0], c->at);
    s->in_signature = false;
    value v = c->args[0];
    v.is_handle = false;
    return good ? v : value_poison();
}

/* ---- Bodies ---------------------------------------------------------------------------------- */

/* The statements, and the value of the `return` that ends them; *value is NONE without one. */
static bool run_body(script *s, const ast_def *def, span at, value *out)
{
    suite body;
    ast_list list = def->body;
    const ast *last = list.n != 0 ? list.at[list.n - 1] : NULL;
    bool returns = last != NULL && last->kind == AST_RETURN && ast_as_return(last)->value != NULL;
    if (returns) list.n--;
    suite_begin(s, &body);
    exec_list(s, list);
    *out = returns ? eval(s, ast_as_return(last)->value) : value_none();
    if (returns && out->kind != VALUE_POISON && out->kind != VALUE_NONE) {
        const ir_node *n = ir_type_is_void(s->func->result)
                               ? to_expr(s, *out, last->at)
                               : to_type(s, *out, s->func->result, last->at);
        *out = value_expr(n);
        bool settle = n != NULL && s->lazy == 0 && ir_reads_memory(n);
        if (settle) {
            const ir_var *v = ir_var_new(s->mem, STR("result"), n->type, at);
            suite_emit(s, ir_make(s->mem, BIND, bind, at, IR_VOID, .var = v, .value = n));
            *out = value_expr(ir_ref(s->mem, v, at));
        }
    }
    bool inside = body.wraps.n != 0 && out->kind != VALUE_NONE;
    const ir_node *node = suite_end(s, at);
    if (inside) script_error(s, at, "'%.*s' launches threads and gives a value", STR_ARG(def->name));
    if (!ir_is_nop(node)) suite_emit(s, node);
    return !inside && out->kind != VALUE_POISON;
}

/* Is all that the function does to return an expression? */
static bool is_expression(const ast_def *def)
{
    for (size_t i = 0; i + 1 < def->body.n; ++i) {
        const ast *n = def->body.at[i];
        bool text = n->kind == AST_EXPRESSION && ast_as_expression(n)->value->kind == AST_STRING;
        if (!text) return false;
    }
    return def->body.n != 0 && def->body.at[def->body.n - 1]->kind == AST_RETURN;
}

static value run_called(script *s, script_global *g, const value *args, const span *spans, span at)
{
    inlining c = {s, g, at};
    ast_list params = g->def->params;
    s->func->result = IR_VOID;
    for (size_t i = 0; i < g->def->type_params.n; ++i) {
        const ast_name *n = ast_as_name(g->def->type_params.at[i]);
        const ir_var *v = ir_var_new(s->mem, n->id, IR_I64, n->node.at);
        ir_var_vec_push(s->mem, &s->func->symbols, v);
        scope_bind(s, n->id, value_expr(ir_ref(s->mem, v, n->node.at)), n->node.at);
    }
    bool good = true;
    for (size_t i = 0; i < params.n; ++i) good = bind_arg(&c, ast_as_param(params.at[i]), args[i], spans[i]) && good;
    if (!good) return value_poison();
    if (g->def->result != NULL) {
        value v = eval(s, g->def->result);
        if (v.kind == VALUE_POISON) return v;
        if (v.kind != VALUE_NONE && !to_dtype(s, v, g->def->result->at, &s->func->result)) return value_poison();
    }
    value out;
    return run_body(s, g->def, at, &out) ? out : value_poison();
}

static bool may_call(script *s, const script_global *g, size_t count, span at)
{
    str name = g->def->name;
    if (s->suite == NULL || s->func == NULL) {
        script_error(s, at, "'%.*s' can be called in the body of a function only", STR_ARG(name));
    } else if (g->is_open || g->def == s->func->def) {
        script_error(s, at, "'%.*s' calls itself: Metal has no stack for that", STR_ARG(name));
    } else if (count != g->def->params.n) {
        script_error(s, at, "'%.*s' takes %zu arguments, not %zu", STR_ARG(name), g->def->params.n, count);
    } else if (s->lazy != 0 && !is_expression(g->def)) {
        script_error(s, at, "'%.*s' does more than give a value, and may not be reached here, or more than once: call it "
                     "in a statement before this one", STR_ARG(name));
    } else {
        return true;
    }
    return false;
}

value script_call_global(script *s, script_global *g, const value *args, const span *spans, size_t count, span at)
{
    if (!may_call(s, g, count, at) || !script_enter(s, at)) return value_poison();
    func_state *f = s->func;
    called_state mine = take_state(f);
    scope *outer = s->scope, names;
    size_t limit = s->limit;
    const script_global *called = f->called;
    bool is_old, blocks;
    script_look_at(g->def, g->decorator, &is_old, &blocks);
    give_state(f, &(called_state){.def = g->def, .name = g->def->name, .is_old = is_old, .is_called = true, .kind = f->kind,
                                 .called_first = f->symbols.n});
    f->has_blocks |= blocks;
    f->called = g;
    g->is_open = g->is_called = true;
    s->scope = g->scope;
    s->limit = g->limit;
    scope_push(s, SCOPE_FUNC, &names);
    value out = run_called(s, g, args, spans, at);
    s->scope = outer;
    s->limit = limit;
    g->is_open = false;
    f->called = called;
    give_state(f, &mine);
    script_leave(s);
    return out;
}
