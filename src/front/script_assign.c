/* Assignments: variables of the program, buffers' elements, and plain Python values. */
#include "front/script_inner.h"
#include "ir/fold.h"

static void count_names(map *counts, arena *mem, const ast *target)
{
    if (target->kind == AST_TUPLE) {
        for (size_t i = 0; i < ast_as_tuple(target)->items.n; ++i)
            count_names(counts, mem, ast_as_tuple(target)->items.at[i]);
    }
    if (target->kind != AST_NAME) return;
    str name = ast_as_name(target)->id;
    size_t *count = map_get(counts, name);
    if (count == NULL) {
        count = arena_new(mem, size_t);
        map_put(mem, counts, name, count);
    }
    ++*count;
}

static void count_visit(void *user, const ast *n)
{
    script *s = user;
    map *counts = &s->func->assigned;
    if (n->kind == AST_ASSIGN) {
        ast_list targets = ast_as_assign(n)->targets;
        for (size_t i = 0; i < targets.n; ++i) count_names(counts, s->mem, targets.at[i]);
    }
    if (n->kind == AST_AUGMENTED) count_names(counts, s->mem, ast_as_augmented(n)->target);
    if (n->kind == AST_ANNOTATED) count_names(counts, s->mem, ast_as_annotated(n)->target);
}

bool func_assigned_often(script *s, str name)
{
    if (s->func->assigned.n == 0) ast_each(&s->func->def->node, count_visit, s);
    const size_t *count = map_get(&s->func->assigned, name);
    return count != NULL && *count > 1;
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* Names a value that needs no statement; an immutable name of the same scope is not named twice. */
static void define(script *s, str name, value v, span at)
{
    const binding *here = scope_find_here(s, name);
    bool fixed = here != NULL && !value_is_python(here->v) && here->v.kind != VALUE_POISON &&
                 here->v.kind != VALUE_SCALAR;
    bool same = fixed && v.kind == VALUE_EXPR && here->v.kind == VALUE_EXPR &&
                v.as.expr->kind == IR_VAR && here->v.as.expr->kind == IR_VAR &&
                ir_as_var_ref(v.as.expr)->var == ir_as_var_ref(here->v.as.expr)->var;
    if (fixed && !same && v.kind != VALUE_POISON) {
        script_error(s, at, "'%.*s' is already defined in this scope and cannot be assigned",
                     STR_ARG(name));
        script_note(s, here->at, "'%.*s' is defined here", STR_ARG(name));
        return;
    }
    if (v.kind == VALUE_POISON && here != NULL) return;
    v.is_fresh = false;
    scope_bind(s, name, v, at);
}

void bind_target(script *s, const ast *target, value v)
{
    if (target->kind == AST_NAME) {
        define(s, ast_as_name(target)->id, v, target->at);
        return;
    }
    if (target->kind != AST_TUPLE) {
        if (v.kind != VALUE_POISON) script_error(s, target->at, "only names can be bound here");
        return;
    }
    ast_list items = ast_as_tuple(target)->items;
    bool fits = v.kind == VALUE_TUPLE && v.as.list.n == items.n;
    if (!fits && v.kind != VALUE_POISON) {
        script_error(s, target->at, "%zu names for %s of another size", items.n, value_what(v));
    }
    for (size_t i = 0; i < items.n; ++i)
        bind_target(s, items.at[i], fits ? v.as.list.at[i] : value_poison());
}

/* ---- Variables of the program ---------------------------------------------------------------- */

static void bind_variable(script *s, str name, value v, const ir_node *n, span at)
{
    const ir_var *var;
    if (ir_type_is_pointer(n->type)) {
        ir_type pointee;
        ir_scope where;
        pointer_target(v, &pointee, &where);
        var = ir_var_pointer(s->mem, name, pointee, where, at);
    } else {
        var = ir_var_new(s->mem, name, n->type, at);
    }
    suite_emit(s, ir_make(s->mem, BIND, bind, at, IR_VOID, .var = var, .value = n));
    define(s, name, value_expr(ir_ref(s->mem, var, at)), at);
}

static void new_scalar(script *s, str name, ir_type type, value initial, span at)
{
    const ir_buffer *b = buffer_scalar(s, name, type, IR_SCOPE_LOCAL, at);
    if (b == NULL) return;
    suite_emit(s, ir_make(s->mem, ALLOC, alloc, at, IR_VOID, .buffer = b));
    if (initial.kind != VALUE_ABSENT) scalar_store(s, b, initial, at);
    value v = value_of(VALUE_SCALAR);
    v.as.buffer = b;
    define(s, name, v, at);
}

/* name = value of the program: stores to a variable that is there, else makes one. */
static void assign_operand(script *s, str name, value v, span at, span value_at)
{
    bool inside;
    const binding *b = scope_find(s, name, &inside);
    if (b != NULL && inside && b->v.kind == VALUE_SCALAR) {
        scalar_store(s, b->v.as.buffer, v, value_at);
        return;
    }
    if (b != NULL && inside && b->v.kind == VALUE_POISON) return;
    const ir_node *n = to_expr(s, v, value_at);
    if (n == NULL || ir_type_is_void(n->type)) {
        if (n != NULL) script_error(s, value_at, "this call gives no value");
        define(s, name, value_poison(), at);
        return;
    }
    const binding *here = scope_find_here(s, name);
    bool taken = here != NULL && !value_is_python(here->v);
    if (ir_type_is_pointer(n->type) || (s->func->is_old && !func_assigned_often(s, name))) {
        bind_variable(s, name, v, n, at);
    } else if (taken) {
        define(s, name, value_expr(n), at); /* reports */
    } else {
        /* A literal keeps its precision on the way into the new variable. */
        new_scalar(s, name, n->type, value_is_number(v) ? v : value_expr(n), at);
    }
}

static void assign_name(script *s, const ast_name *target, value v, span value_at)
{
    span at = target->node.at;
    if (v.kind == VALUE_FRAME) v = frame_open(s, v.as.frame, at);
    bool pointer = v.kind == VALUE_TYPE && ir_type_is_pointer(v.as.type);
    if (pointer) {
        /* x = T.handle("float32"): a pointer variable, for a let or a view. */
        const ir_var *p = ir_var_pointer(s->mem, target->id, v.pointee, v.scope, at);
        ir_var_vec_push(s->mem, &s->func->symbols, p);
        define(s, target->id, value_expr(ir_ref(s->mem, p, at)), at);
        return;
    }
    if (v.is_fresh || !value_is_operand(v)) {
        define(s, target->id, v, at);
        return;
    }
    assign_operand(s, target->id, v, at, value_at);
}

static void assign_to(script *s, const ast *target, value v, span value_at)
{
    if (target->kind == AST_NAME) {
        assign_name(s, ast_as_name(target), v, value_at);
    } else if (target->kind == AST_SUBSCRIPT) {
        buffer_store(s, ast_as_subscript(target), v, value_at);
    } else if (target->kind == AST_TUPLE && v.is_fresh) {
        bind_target(s, target, v);
    } else if (target->kind == AST_TUPLE) {
        ast_list items = ast_as_tuple(target)->items;
        bool fits = v.kind == VALUE_TUPLE && v.as.list.n == items.n;
        if (!fits && v.kind != VALUE_POISON)
            script_error(s, target->at, "%zu names for %s of another size", items.n, value_what(v));
        for (size_t i = 0; i < items.n; ++i) {
            if (items.at[i]->kind == AST_NAME) {
                assign_name(s, ast_as_name(items.at[i]), fits ? v.as.list.at[i] : value_poison(),
                            value_at);
            } else {
                script_error(s, items.at[i]->at, "only names can be assigned together");
            }
        }
    } else {
        script_error(s, target->at, "this cannot be assigned to");
    }
}

/* The names that a call on the right side may give to what it makes. */
static hints names_of(script *s, const ast *target)
{
    str_vec names = {0};
    if (target->kind == AST_NAME) str_vec_push(s->mem, &names, ast_as_name(target)->id);
    if (target->kind == AST_TUPLE) {
        ast_list items = ast_as_tuple(target)->items;
        for (size_t i = 0; i < items.n; ++i) {
            if (items.at[i]->kind == AST_NAME)
                str_vec_push(s->mem, &names, ast_as_name(items.at[i])->id);
        }
    }
    return (hints){names.at, names.n};
}

void exec_assign(script *s, const ast_assign *n)
{
    if (n->targets.n > 1) {
        script_error(s, n->node.at, "one assignment at a time: 'a = b = c' is not supported");
        return;
    }
    const ast *target = n->targets.at[0];
    value v = eval_named(s, n->value, names_of(s, target));
    if (v.kind == VALUE_POISON && target->kind == AST_SUBSCRIPT) {
        eval(s, target); /* for the errors in it */
        return;
    }
    assign_to(s, target, v, n->value->at);
}

void exec_augmented(script *s, const ast_augmented *n)
{
    token_kind op = op_of_augmented(n->op);
    if (n->target->kind != AST_NAME && n->target->kind != AST_SUBSCRIPT) {
        script_error(s, n->target->at, "this cannot be assigned to");
        return;
    }
    value old = eval(s, n->target), v = eval(s, n->value);
    value result = op_binary(s, op, old, v, n->node.at);
    if (result.kind == VALUE_POISON) return;
    if (n->target->kind == AST_SUBSCRIPT) {
        buffer_store(s, ast_as_subscript(n->target), result, n->node.at);
        return;
    }
    str name = ast_as_name(n->target)->id;
    bool inside;
    const binding *b = scope_find(s, name, &inside);
    bool scalar = b != NULL && inside && b->v.kind == VALUE_SCALAR;
    if (scalar) {
        scalar_store(s, b->v.as.buffer, result, n->node.at);
    } else if (value_is_python(result) && value_is_python(old) && inside) {
        define(s, name, result, n->node.at);
    } else {
        script_error(s, n->target->at,
                     "'%.*s' cannot be changed: it is no variable of this function", STR_ARG(name));
        if (b != NULL) script_note(s, b->at, "'%.*s' is defined here", STR_ARG(name));
    }
}

static void annotated_let(script *s, const ast_annotated *n, str name, const buffer_spec *spec)
{
    if (n->value == NULL) {
        script_error(s, n->node.at, "T.let needs a value");
        define(s, name, value_poison(), n->node.at);
        return;
    }
    s->whole = n->value;
    value v = eval_named(s, n->value, names_of(s, n->target));
    const ir_node *value_node = v.kind == VALUE_POISON ? NULL : to_expr(s, v, n->value->at);
    if (value_node != NULL && spec != NULL && spec->has_type) {
        if (!ir_type_eq(value_node->type, spec->type)) value_node = script_settle(s, value_node);
        value_node =
            to_type(s, value_is_number(v) ? v : value_expr(value_node), spec->type, n->value->at);
        v.pointee = spec->pointee;
        v.scope = spec->scope;
    }
    if (value_node == NULL) {
        define(s, name, value_poison(), n->node.at);
        return;
    }
    if (spec != NULL && spec->has_type && ir_type_is_pointer(spec->type)) {
        const ir_var *p = ir_var_pointer(s->mem, name, spec->pointee, spec->scope, n->target->at);
        suite_emit(s,
                   ir_make(s->mem, BIND, bind, n->node.at, IR_VOID, .var = p, .value = value_node));
        define(s, name, value_expr(ir_ref(s->mem, p, n->target->at)), n->target->at);
        return;
    }
    bind_variable(s, name, v, value_node, n->target->at);
}

void exec_annotated(script *s, const ast_annotated *n)
{
    if (n->target->kind != AST_NAME) {
        script_error(s, n->target->at, "only a name can have an annotation");
        return;
    }
    str name = ast_as_name(n->target)->id;
    value kind = eval(s, n->annotation);
    if (kind.kind == VALUE_FUNCTION && kind.as.function.row->fn == fn_let) {
        annotated_let(s, n, name, NULL);
    } else if (kind.kind == VALUE_SPEC && kind.as.spec->is_let) {
        annotated_let(s, n, name, kind.as.spec);
    } else if (kind.kind == VALUE_SPEC && kind.as.spec->is_local) {
        if (n->value != NULL) script_error(s, n->value->at, "a local array takes no value");
        const ir_buffer *b = buffer_make(s, kind.as.spec, name, NULL);
        if (b != NULL)
            suite_emit(s, ir_make(s->mem, ALLOC, alloc, n->node.at, IR_VOID, .buffer = b));
        define(s, name, value_buffer(b), n->node.at);
    } else if (kind.kind == VALUE_TYPE && ir_type_is_pointer(kind.as.type) && n->value != NULL) {
        buffer_spec spec = {
            .has_type = true, .type = kind.as.type, .pointee = kind.pointee, .scope = kind.scope};
        annotated_let(s, n, name, &spec);
    } else if (kind.kind == VALUE_TYPE && !ir_type_is_pointer(kind.as.type) &&
               !ir_type_is_void(kind.as.type)) {
        value v = n->value != NULL ? eval(s, n->value) : value_of(VALUE_ABSENT);
        new_scalar(s, name, kind.as.type, v, n->node.at);
    } else {
        if (kind.kind != VALUE_POISON)
            script_error(s, n->annotation->at, "%s is no annotation of a variable",
                         value_what(kind));
        if (n->value != NULL) eval(s, n->value);
        define(s, name, value_poison(), n->node.at);
    }
}
