/* One function: decorator, signature, body. */
#include "front/script_inner.h"
#include "ir/walk.h"

/* ---- Decorators ------------------------------------------------------------------------------ */

value fn_decorator(script *s, const call *c)
{
    return script_error(s, c->at, "'%s' is a decorator", c->row->name);
}

const name_row *decorator_of(script *s, ast_list decorators, value *fn)
{
    *fn = value_none();
    if (decorators.n == 0) return NULL;
    const ast *last = decorators.at[decorators.n - 1];
    const ast *callee = last->kind == AST_CALL ? ast_as_call(last)->callee : last;
    s->muted++;
    *fn = eval(s, callee);
    s->muted--;
    s->complaint = STR("");
    return fn->kind == VALUE_FUNCTION ? fn->as.function.row : NULL;
}

/* The options of @T.prim_func(...). */
static void read_options(script *s, func_state *f)
{
    const ast *last = f->def->decorators.at[f->def->decorators.n - 1];
    if (last->kind != AST_CALL) return;
    ast_list args = ast_as_call(last)->args;
    for (size_t i = 0; i < args.n; ++i) {
        if (args.at[i]->kind != AST_KEYWORD) {
            script_error(s, args.at[i]->at, "options of a decorator are given by name");
            continue;
        }
        const ast_keyword *option = ast_as_keyword(args.at[i]);
        value v = eval(s, option->value);
        bool known = str_is(option->name, "private") || str_is(option->name, "s_tir") ||
                     str_is(option->name, "check_well_formed") ||
                     str_is(option->name, "persistent");
        if (!known)
            script_error(s, option->node.at, "T.prim_func has no option '%.*s'",
                         STR_ARG(option->name));
        if (v.kind != VALUE_POISON && !value_is_python(v))
            script_error(s, option->node.at, "this must be True or False");
        if (str_is(option->name, "private")) f->is_private = value_truth(v);
        if (str_is(option->name, "persistent") && value_truth(v))
            script_error(s, option->node.at, "persistent kernels are not supported");
    }
}

/* ---- Signature ------------------------------------------------------------------------------- */

static void scalar_param(script *s, const ast_param *p, ir_type type)
{
    /* A shape before it may have made the variable already. */
    const binding *here = scope_find_here(s, p->name);
    bool known = here != NULL && here->v.kind == VALUE_EXPR && here->v.as.expr->kind == IR_VAR;
    const ir_var *v =
        known ? ir_as_var_ref(here->v.as.expr)->var : ir_var_new(s->mem, p->name, type, p->node.at);
    if (!known) scope_bind(s, p->name, value_expr(ir_ref(s->mem, v, p->node.at)), p->node.at);
    param_vec_push(s->mem, &s->func->params, (ir_param){.var = v});
}

static void buffer_param(script *s, const ast_param *p, const buffer_spec *spec)
{
    const ir_buffer *b = buffer_make(s, spec, p->name, NULL);
    scope_bind(s, p->name, value_buffer(b), p->node.at);
    if (b == NULL) return;
    const ir_var *handle = ir_var_pointer(s->mem, p->name, b->type, b->scope, p->node.at);
    param_vec_push(s->mem, &s->func->params, (ir_param){.var = handle, .buffer = b});
}

static void pointer_param(script *s, const ast_param *p, value type)
{
    const ir_var *v = ir_var_pointer(s->mem, p->name, type.pointee, type.scope, p->node.at);
    scope_bind(s, p->name, value_expr(ir_ref(s->mem, v, p->node.at)), p->node.at);
    param_vec_push(s->mem, &s->func->params, (ir_param){.var = v});
}

static bool is_param_name(const func_state *f, str name)
{
    for (size_t i = 0; i < f->params.n; ++i) {
        if (str_eq(f->params.at[i].var->name, name)) return true;
    }
    return false;
}

static bool is_plain_param(script *s, const ast_param *p)
{
    const binding *here = scope_find_here(s, p->name);
    bool symbol = here != NULL && here->v.kind == VALUE_EXPR && p->annotation != NULL &&
                  p->annotation->kind != AST_CALL;
    bool twice = here != NULL && (!symbol || is_param_name(s->func, p->name));
    if (p->stars != 0) {
        script_error(s, p->node.at, "'*' parameters are not supported");
    } else if (twice) {
        script_error(s, p->node.at, "a second parameter '%.*s'", STR_ARG(p->name));
    } else if (p->initial != NULL) {
        script_error(s, p->node.at, "a parameter cannot have a default value");
    } else if (p->annotation == NULL) {
        script_error(s, p->node.at, "the parameter '%.*s' needs a type annotation",
                     STR_ARG(p->name));
    } else {
        return true;
    }
    scope_bind(s, p->name, value_poison(), p->node.at);
    return false;
}

static void read_param(script *s, const ast_param *p)
{
    if (!is_plain_param(s, p)) return;
    str name = p->name;
    buffer_define_quoted(s, p->annotation);
    value v = eval_named(s, p->annotation, (hints){&name, 1});
    bool symbol = v.kind == VALUE_EXPR && v.as.expr->kind == IR_VAR;
    bool spec = v.kind == VALUE_SPEC && !v.as.spec->is_let && !v.as.spec->is_local;
    bool handle = v.kind == VALUE_FUNCTION && v.as.function.row->fn == fn_handle;
    if (handle) v = value_type(IR_POINTER);
    if (spec) {
        buffer_param(s, p, v.as.spec);
    } else if (v.kind == VALUE_TYPE && ir_type_is_pointer(v.as.type)) {
        pointer_param(s, p, v);
    } else if (v.kind == VALUE_TYPE && !ir_type_is_void(v.as.type)) {
        scalar_param(s, p, v.as.type);
    } else if (symbol) {
        scalar_param(s, p, v.as.expr->type);
    } else {
        if (v.kind != VALUE_POISON)
            script_error(s, p->annotation->at, "%s is no type of a parameter", value_what(v));
        scope_bind(s, p->name, value_poison(), p->node.at);
    }
}

static void read_signature(script *s, func_state *f)
{
    s->in_signature = true;
    for (size_t i = 0; i < f->def->type_params.n; ++i) {
        const ast_name *n = ast_as_name(f->def->type_params.at[i]);
        const ir_var *v = ir_var_new(s->mem, n->id, IR_I64, n->node.at);
        ir_var_vec_push(s->mem, &f->symbols, v);
        scope_bind(s, n->id, value_expr(ir_ref(s->mem, v, n->node.at)), n->node.at);
    }
    for (size_t i = 0; i < f->def->params.n; ++i) read_param(s, ast_as_param(f->def->params.at[i]));
    f->result = IR_VOID;
    if (f->def->result != NULL) {
        value v = eval(s, f->def->result);
        if (v.kind != VALUE_NONE && v.kind != VALUE_POISON)
            to_dtype(s, v, f->def->result->at, &f->result);
    }
    s->in_signature = false;
}

/* ---- What the signature defines ----------------------------------------------------------------
 */

static bool list_has_var(ir_list list, const ir_var *v)
{
    for (size_t i = 0; i < list.n; ++i) {
        if (list.at[i]->kind == IR_VAR && ir_as_var_ref(list.at[i])->var == v) return true;
    }
    return false;
}

static bool defined_by_signature(const func_state *f, const ir_var *v)
{
    for (size_t i = 0; i < f->params.n; ++i) {
        const ir_param *p = &f->params.at[i];
        if (p->var == v) return true;
        if (p->buffer == NULL) continue;
        if (list_has_var(p->buffer->shape, v) || list_has_var(p->buffer->strides, v)) return true;
        if (p->buffer->elem_offset != NULL &&
            list_has_var((ir_list){&p->buffer->elem_offset, 1}, v))
            return true;
    }
    return false;
}

static bool used_in_signature(const func_state *f, const ir_var *v)
{
    for (size_t i = 0; i < f->params.n; ++i) {
        const ir_buffer *b = f->params.at[i].buffer;
        if (b == NULL) continue;
        for (size_t j = 0; j < b->shape.n; ++j) {
            if (ir_uses_var(b->shape.at[j], v)) return true;
        }
        for (size_t j = 0; j < b->strides.n; ++j) {
            if (ir_uses_var(b->strides.at[j], v)) return true;
        }
        if (b->elem_offset != NULL && ir_uses_var(b->elem_offset, v)) return true;
    }
    return false;
}

static void check_symbols(script *s, const func_state *f, const ir_node *body)
{
    for (size_t i = 0; i < f->symbols.n; ++i) {
        const ir_var *v = f->symbols.at[i];
        if (defined_by_signature(f, v) || map_get_id(&f->let_vars, v) != NULL) continue;
        if (!ir_uses_var(body, v) && !used_in_signature(f, v)) continue;
        script_error(s, v->at, "'%.*s' has no value: no parameter's shape consists of it alone",
                     STR_ARG(v->name));
    }
}

/* ---- Body ------------------------------------------------------------------------------------ */

typedef struct usage {
    bool blocks, old;
} usage;

/* Does the text open blocks, and by their older names? */
static void look_at(void *user, const ast *n)
{
    usage *u = user;
    if (n->kind != AST_CALL || ast_as_call(n)->callee->kind != AST_ATTRIBUTE) return;
    const ast_attribute *a = ast_as_attribute(ast_as_call(n)->callee);
    if (a->object->kind != AST_NAME) return;
    bool old = str_is(a->name, "block");
    u->blocks = u->blocks || old || str_is(a->name, "sblock");
    u->old = u->old || old;
}

void script_look_at(const ast_def *def, value decorator, bool *is_old, bool *has_blocks)
{
    usage u = {.old = decorator.is_old};
    ast_each(&def->node, look_at, &u);
    *is_old = u.old;
    *has_blocks = u.blocks;
}

typedef struct return_search {
    ir_walk w;
    script *s;
    const func_state *f;
} return_search;

static void return_node(ir_walk *w, const ir_node *n)
{
    return_search *r = (return_search *)(void *)w;
    bool axis = n->kind == IR_THREAD || (n->kind == IR_FOR && ir_as_for(n)->loop == IR_THREAD_BOUND);
    if (axis || !ir_is_stmt(n)) return;
    for (size_t i = 0; n->kind == IR_RETURN && i < r->f->thread_returns.n; ++i) {
        if (r->f->thread_returns.at[i] != n) continue;
        script_error(r->s, n->at, "T.thread_return ends a thread, and no thread axis is bound here: `return` ends the host function");
    }
    ir_walk_children(w, n);
}

/* Is the body one explicit block "root" without axes? */
static bool is_root(const ir_node *body)
{
    if (body->kind != IR_BLOCK) return false;
    const ir_block *b = ir_as_block(body);
    return str_is(b->name, "root") && b->iters.n == 0;
}

static const ir_node *with_root(script *s, func_state *f, const ir_node *body)
{
    bool explicit_root = is_root(body) && f->root.allocs.n == 0;
    if (!f->has_blocks || explicit_root) return body;
    return ir_make(s->mem, BLOCK, block, body->at, IR_VOID, .name = STR("root"),
                   .predicate = ir_int_new(s->mem, IR_B1, 1, body->at),
                   .allocs = {f->root.allocs.at, f->root.allocs.n}, .body = body);
}

static const ir_func *finish(script *s, func_state *f, const ir_node *body)
{
    ir_func *out = arena_new(s->mem, ir_func);
    *out = (ir_func){.name = f->name,
                     .kind = f->kind,
                     .is_private = f->is_private,
                     .params = f->params.at,
                     .param_count = f->params.n,
                     .result = f->result,
                     .attrs = {f->attrs.at, f->attrs.n},
                     .body = body,
                     .launch_tags = f->tags.at,
                     .launch_tag_count = f->tags.n,
                     .dyn_shared_bytes = f->dyn_shared_bytes,
                     .at = f->def->name_at};
    return out;
}

const ir_func *read_func(script *s, const ast_def *def, value decorator, bool in_class)
{
    unsigned errors = s->diags->errors;
    (void)in_class;
    func_state *f = arena_new(s->mem, func_state);
    *f = (func_state){.def = def, .name = def->name};
    script_look_at(def, decorator, &f->is_old, &f->has_blocks);
    scope names;
    suite body;
    s->func = f;
    s->block = &f->root;
    read_options(s, f);
    scope_push(s, SCOPE_FUNC, &names);
    read_signature(s, f);
    suite_begin(s, &body);
    exec_list(s, def->body);
    const ir_node *node = suite_end(s, def->node.at);
    scope_pop(s);
    /* Checks over the whole body only make sense where all of it was read. */
    if (s->diags->errors == errors) check_symbols(s, f, node);
    return_search returns = {.w = {.node = return_node}, .s = s, .f = f};
    if (f->thread_returns.n != 0 && f->kind != IR_FUNC_KERNEL) return_node(&returns.w, node);
    s->func = NULL;
    s->block = NULL;
    return s->diags->errors == errors ? finish(s, f, with_root(s, f, node)) : NULL;
}
