/* Statements of a function's body, and the calls of T that are statements. */
#include "front/script_inner.h"
#include "ir/fold.h"

static void exec(script *s, const ast *n);

const ir_node *exec_body(script *s, ast_list list, span at)
{
    scope inner;
    suite body;
    script_nest(s, 1, at);
    scope_push(s, SCOPE_INNER, &inner);
    suite_begin(s, &body);
    exec_list(s, list);
    const ir_node *node = suite_end(s, at);
    scope_pop(s);
    script_unnest(s, 1);
    return node;
}

/* ---- Branches and loops ---------------------------------------------------------------------- */

static void exec_if(script *s, const ast_if *n)
{
    value cond = eval(s, n->cond);
    if (value_is_python(cond)) {
        exec_list(s, value_truth(cond) ? n->body : n->otherwise);
        return;
    }
    const ir_node *test = cond.kind == VALUE_POISON ? NULL : to_bool(s, cond, n->cond->at);
    const ir_node *yes = exec_body(s, n->body, n->node.at);
    const ir_node *no = n->otherwise.n != 0 ? exec_body(s, n->otherwise, n->node.at) : NULL;
    if (test == NULL) return;
    if (test->type.lanes != 1) {
        script_error(s, n->cond->at,
                     "the condition of 'if' is a scalar; T.Select chooses lane by lane");
        return;
    }
    suite_emit(s, ir_make(s->mem, IF, if, n->node.at, IR_VOID, .cond = test, .yes = yes, .no = no));
}

static void exec_while(script *s, const ast_while *n)
{
    s->lazy++; /* evaluated again before each round */
    value v = eval(s, n->cond);
    s->lazy--;
    const ir_node *cond =
        v.kind == VALUE_POISON
            ? NULL
            : to_bool(s, value_is_number(v) ? value_bool(value_truth(v)) : v, n->cond->at);
    if (n->otherwise.n != 0) script_error(s, n->node.at, "'else' of a loop is not supported");
    s->func->loop_depth++;
    const ir_node *body = exec_body(s, n->body, n->node.at);
    s->func->loop_depth--;
    if (cond == NULL) return;
    if (cond->type.lanes != 1) {
        script_error(s, n->cond->at, "the condition of 'while' is a scalar");
        return;
    }
    suite_emit(s, ir_make(s->mem, WHILE, while, n->node.at, IR_VOID, .cond = cond, .body = body));
}

static void exec_jump(script *s, bool leaves, span at)
{
    if (s->func->loop_depth == 0) {
        script_error(s, at, "'%s' outside of a loop", leaves ? "break" : "continue");
        return;
    }
    suite_emit(s, leaves ? ir_make(s->mem, BREAK, break, at, IR_VOID, )
                         : ir_make(s->mem, CONTINUE, continue, at, IR_VOID, ));
}

/* T.break_loop() and T.continue_loop(), the statements as calls. */
value fn_jump(script *s, const call *c)
{
    if (s->suite == NULL || s->lazy != 0)
        return script_error(s, c->at, "T.%s is a statement of a loop", c->row->name);
    exec_jump(s, c->row->info == 1, c->at);
    return value_none();
}

/* ---- Assertions ------------------------------------------------------------------------------ */

/* "text" or ("ErrorKind", ["part", ...]). False: reported. */
static bool assert_text(script *s, value v, span at, str *kind, str *text)
{
    *kind = STR("RuntimeError");
    if (v.kind != VALUE_TUPLE) return to_str(s, v, at, "the message of an assertion", text);
    if (v.as.list.n != 2 || !to_str(s, v.as.list.at[0], at, "the kind of error", kind))
        return false;
    value parts = v.as.list.at[1];
    if (parts.kind != VALUE_TUPLE) return to_str(s, parts, at, "the message of an assertion", text);
    *text = STR("");
    for (size_t i = 0; i < parts.as.list.n; ++i) {
        str part;
        if (!to_str(s, parts.as.list.at[i], at, "a part of the message", &part)) return false;
        *text = str_format(s->mem, "%.*s%.*s", STR_ARG(*text), STR_ARG(part));
    }
    return true;
}

static void emit_assert(script *s, value cond, value message, span at, span message_at)
{
    str kind, text;
    if (cond.kind == VALUE_POISON || message.kind == VALUE_POISON) return;
    if (!assert_text(s, message, message_at, &kind, &text)) return;
    if (value_is_python(cond)) {
        if (!value_truth(cond))
            script_error(s, at, "this assertion does not hold: %.*s", STR_ARG(text));
        return;
    }
    const ir_node *test = to_bool(s, cond, at);
    if (test == NULL) return;
    suite_emit(s, ir_make(s->mem, ASSERT, assert, at, IR_VOID, .cond = test, .error = kind,
                          .message = text));
}

static void exec_assert(script *s, const ast_assert *n)
{
    if (n->message == NULL) {
        script_error(s, n->node.at, "an assertion needs a message: assert condition, \"message\"");
        return;
    }
    value cond = eval(s, n->cond);
    emit_assert(s, cond, eval(s, n->message), n->cond->at, n->message->at);
}

value fn_assert(script *s, const call *c)
{
    value message =
        c->args[1].kind == VALUE_ABSENT ? value_str(STR("assertion failed")) : c->args[1];
    if (value_is_given(c->args[2])) {
        value *pair = arena_array(s->mem, value, 2);
        pair[0] = c->args[2];
        pair[1] = message;
        message = value_tuple((value_list){pair, 2});
    }
    emit_assert(s, c->args[0], message, c->at, c->spans[1]);
    frame f = {.kind = FRAME_DONE, .at = c->at};
    return value_frame(arena_copy(s->mem, &f, sizeof f));
}

/* ---- Returns and expressions ----------------------------------------------------------------- */

static void exec_return(script *s, const ast_return *n)
{
    if (s->func->is_called) {
        script_error(s, n->node.at, "a function that is called can only return at its end");
        return;
    }
    if (n->value == NULL) {
        suite_emit(s, ir_make(s->mem, RETURN, return, n->node.at, IR_VOID, .value = NULL));
        return;
    }
    value v = eval(s, n->value);
    if (v.kind == VALUE_POISON) return;
    const ir_node *result = v.kind == VALUE_NONE ? NULL : to_expr(s, v, n->value->at);
    if (result == NULL && v.kind != VALUE_NONE) return;
    if (result != NULL && !ir_type_is_void(s->func->result))
        result = to_type(s, value_expr(result), s->func->result, n->value->at);
    suite_emit(s, ir_make(s->mem, RETURN, return, n->node.at, IR_VOID, .value = result));
}

value fn_thread_return(script *s, const call *c)
{
    if (s->suite == NULL)
        return script_error(s, c->at, "T.thread_return belongs into the body of a function");
    if (s->lazy != 0) return script_error(s, c->at, "T.thread_return gives no value");
    const ir_node *n = ir_make(s->mem, RETURN, return, c->at, IR_VOID, .value = NULL);
    ir_node_vec_push(s->mem, &s->func->thread_returns, n);
    suite_emit(s, n);
    return value_none();
}

static void exec_expression(script *s, const ast_expression *n)
{
    s->whole = n->value;
    value v = eval(s, n->value);
    if (v.kind == VALUE_FRAME) {
        frame_open(s, v.as.frame, n->node.at);
    } else if (v.kind == VALUE_EXPR && !v.is_fresh) {
        suite_emit(s, ir_eval_new(s->mem, v.as.expr));
    } else if (v.kind == VALUE_REGION || v.kind == VALUE_FUNCTION || v.kind == VALUE_CLOSURE ||
               v.kind == VALUE_SPEC) {
        script_error(s, n->node.at, "%s by itself does nothing", value_what(v));
    }
}

value fn_evaluate(script *s, const call *c)
{
    if (s->suite == NULL)
        return script_error(s, c->at, "T.evaluate belongs into the body of a function");
    const ir_node *n = to_expr(s, c->args[0], c->spans[0]);
    if (n == NULL) return value_poison();
    suite_emit(s, ir_eval_new(s->mem, n));
    return value_none();
}

/* ---- Bindings -------------------------------------------------------------------------------- */

/* x = T.bind(value, type), with T.LetStmt(value, var=v): an immutable variable. */
static value bind_value(script *s, const call *c)
{
    if (s->suite == NULL)
        return script_error(s, c->at, "T.%s belongs into the body of a function", c->row->name);
    const ir_node *n = to_expr(s, c->args[0], c->spans[0]);
    ir_type type;
    if (n == NULL) return value_poison();
    if (value_is_given(c->args[1])) {
        if (!to_dtype(s, c->args[1], c->spans[1], &type)) return value_poison();
        n = to_type(s, value_is_number(c->args[0]) ? c->args[0] : value_expr(n), type, c->spans[0]);
        if (n == NULL) return value_poison();
    }
    value given = c->args[2];
    bool var = given.kind == VALUE_EXPR && given.as.expr->kind == IR_VAR;
    const ir_var *v;
    if (var) {
        v = ir_as_var_ref(given.as.expr)->var;
        if (!ir_type_eq(v->type, n->type)) n = to_type(s, value_expr(n), v->type, c->spans[0]);
        if (map_get_id(&s->func->let_vars, v) != NULL)
            return script_error(s, c->at, "'%.*s' is bound a second time", STR_ARG(v->name));
        map_put_id(s->mem, &s->func->let_vars, v, v);
    } else if (ir_type_is_pointer(n->type)) {
        ir_type pointee;
        ir_scope where;
        pointer_target(c->args[0], &pointee, &where);
        v = ir_var_pointer(s->mem, call_hint(c, "v"), pointee, where, c->at);
    } else {
        v = ir_var_new(s->mem, call_hint(c, "v"), n->type, c->at);
    }
    if (n == NULL) return value_poison();
    suite_emit(s, ir_make(s->mem, BIND, bind, c->at, IR_VOID, .var = v, .value = n));
    return value_fresh(value_expr(ir_ref(s->mem, v, c->at)));
}

value fn_bind(script *s, const call *c)
{
    return bind_value(s, c);
}

value fn_let_stmt(script *s, const call *c)
{
    return bind_value(s, c);
}

value fn_meta_var(script *s, const call *c)
{
    (void)s;
    return value_fresh(c->args[0]);
}

/* ---- Attributes ------------------------------------------------------------------------------ */

static str new_key(script *s, str key)
{
    return str_starts(key, STR("tir.")) ? str_format(s->mem, "tirx.%.*s", (int)key.n - 4, key.p + 4)
                                        : key;
}

/* A frame of one attribute around what `inner` holds, or NULL: reported. */
static const frame *attr_frame(script *s, const ir_node *subject, str key, value v, span at, const frame *inner)
{
    if (str_is(key, "thread_extent")) {
        script_error(s, at, "write T.launch_thread for the attribute thread_extent");
        return NULL;
    }
    const ir_node *n = to_attr_value(s, v, at);
    if (n == NULL) return NULL;
    frame *f = arena_new(s->mem, frame);
    *f = (frame){.kind = FRAME_ATTR, .at = at, .inner = inner};
    f->node = ir_make(s->mem, ATTR, attr, at, IR_VOID, .key = new_key(s, key), .subject = subject, .value = n, .body = ir_nop(s->mem));
    return f;
}

/* T.attr({"key": value, ...}): attributes about nothing in particular, the first outermost. */
static value attrs_of_dict(script *s, const call *c)
{
    value_list pairs = c->args[0].as.list;
    if (pairs.n == 0) return script_error(s, c->at, "T.attr lacks a key and its value");
    const frame *f = NULL;
    for (size_t i = pairs.n; i > 0; i -= 2) {
        str key;
        if (!to_str(s, pairs.at[i - 2], c->spans[0], "the key of an attribute", &key)) return value_poison();
        f = attr_frame(s, NULL, key, pairs.at[i - 1], c->at, f);
        if (f == NULL) return value_poison();
    }
    return value_frame(f);
}

/* T.attr(node, "key", value), or T.attr({"key": value, ...}). */
value fn_attr(script *s, const call *c)
{
    value node = c->args[0], key = c->args[1], v = c->args[2];
    if (s->suite == NULL)
        return script_error(s, c->at, "T.attr belongs into the body of a function");
    if (node.kind == VALUE_DICT && key.kind == VALUE_ABSENT) return attrs_of_dict(s, c);
    str text;
    if (!to_str(s, key, c->spans[1], "the key of an attribute", &text)) return value_poison();
    if (v.kind == VALUE_ABSENT) return script_error(s, c->at, "T.attr lacks the value");
    const ir_node *subject = NULL;
    if (node.kind == VALUE_BUFFER) {
        subject = ir_ref(s->mem, node.as.buffer->data, c->spans[0]);
    } else if (node.kind != VALUE_NONE) {
        subject = to_expr(s, node, c->spans[0]);
        if (subject == NULL) return value_poison();
    }
    const frame *f = attr_frame(s, subject, text, v, c->at, NULL);
    return f != NULL ? value_frame(f) : value_poison();
}

static bool launch_tags(script *s, value v, span at)
{
    if (v.kind != VALUE_TUPLE) {
        script_error(s, at, "tirx.kernel_launch_params is a list of thread axes");
        return false;
    }
    for (size_t i = 0; i < v.as.list.n; ++i) {
        str tag;
        value one = v.as.list.at[i];
        if (one.kind == VALUE_STR && str_is(one.as.text, "tirx.use_dyn_shared_memory")) continue;
        if (!to_tag(s, one, at, &tag)) return false;
        str_vec_push(s->mem, &s->func->tags, tag);
    }
    return true;
}

/* A symbol stands in lines of reports and of emitted text. */
static bool check_symbol(script *s, str name, span at)
{
    bool good = name.n != 0;
    for (size_t i = 0; i < name.n; ++i) good = good && (unsigned char)name.p[i] >= 0x20 && name.p[i] != 0x7f;
    if (!good) script_error(s, at, "global_symbol must be a name without control characters");
    return good;
}

/* What the function's own fields hold; false where the key is an ordinary attribute. */
static bool function_field(script *s, str key, value v, span at, bool *good)
{
    func_state *f = s->func;
    int64_t n;
    if (str_is(key, "global_symbol")) {
        *good = to_str(s, v, at, "global_symbol", &f->name) && check_symbol(s, f->name, at);
    } else if (str_is(key, "calling_conv")) {
        *good = to_int(s, v, 0, 2, at, "calling_conv", &n);
        if (*good) f->kind = n == 2 ? IR_FUNC_KERNEL : n == 1 ? IR_FUNC_HOST : IR_FUNC_WHOLE;
    } else if (str_is(key, "tirx.kernel_launch_params")) {
        *good = launch_tags(s, v, at);
    } else if (str_is(key, "tirx.dyn_shared_bytes")) {
        f->dyn_shared_bytes = to_index(s, v, at);
        *good = f->dyn_shared_bytes != NULL;
    } else {
        return false;
    }
    return true;
}

value fn_func_attr(script *s, const call *c)
{
    if (s->suite == NULL)
        return script_error(s, c->at, "T.func_attr belongs into the body of a function");
    value dict = c->args[0];
    if (dict.kind != VALUE_DICT) return script_error(s, c->at, "T.func_attr takes a dict");
    value_vec rest = {0};
    bool good = true;
    for (size_t i = 0; i + 1 < dict.as.list.n; i += 2) {
        str key;
        if (!to_str(s, dict.as.list.at[i], c->spans[0], "the key of an attribute", &key))
            return value_poison();
        key = new_key(s, key);
        if (function_field(s, key, dict.as.list.at[i + 1], c->spans[0], &good)) continue;
        value_vec_push(s->mem, &rest, value_str(key));
        value_vec_push(s->mem, &rest, dict.as.list.at[i + 1]);
    }
    value others = value_of(VALUE_DICT);
    others.as.list = (value_list){rest.at, rest.n};
    good = to_attrs(s, others, c->spans[0], &s->func->attrs) && good;
    return good ? value_none() : value_poison();
}

value fn_target(script *s, const call *c)
{
    value v = c->args[0];
    str text;
    if (v.kind == VALUE_STR) return v;
    if (v.kind != VALUE_DICT) return script_error(s, c->at, "T.target takes a string or a dict");
    /* A description as a dict is kept as its text. */
    if (!value_text(s->mem, v, true, &text))
        return script_error(s, c->at, "a target consists of numbers, strings, lists and dicts");
    return value_str(text);
}

/* ---- All statements -------------------------------------------------------------------------- */

static void exec_nested(script *s, const ast_def *n)
{
    value fn;
    const name_row *row = decorator_of(s, n->decorators, &fn);
    if (row == NULL || row->fn != fn_decorator || row->info != DECORATOR_INLINE) {
        script_error(s, n->name_at, "a function within a function must be T.inline or T.macro");
        scope_bind(s, n->name, value_poison(), n->name_at);
        return;
    }
    closure *f = arena_new(s->mem, closure);
    *f = (closure){.node = &n->node, .scope = s->scope, .is_inline = true};
    value v = value_of(VALUE_CLOSURE);
    v.as.closure = f;
    scope_bind(s, n->name, v, n->name_at);
}

static void exec(script *s, const ast *n)
{
    switch (n->kind) {
    case AST_EXPRESSION: exec_expression(s, ast_as_expression(n)); return;
    case AST_ASSIGN: exec_assign(s, ast_as_assign(n)); return;
    case AST_AUGMENTED: exec_augmented(s, ast_as_augmented(n)); return;
    case AST_ANNOTATED: exec_annotated(s, ast_as_annotated(n)); return;
    case AST_FOR: exec_for(s, ast_as_for(n)); return;
    case AST_WHILE: exec_while(s, ast_as_while(n)); return;
    case AST_IF: exec_if(s, ast_as_if(n)); return;
    case AST_WITH: exec_with(s, ast_as_with(n)); return;
    case AST_ASSERT: exec_assert(s, ast_as_assert(n)); return;
    case AST_RETURN: exec_return(s, ast_as_return(n)); return;
    case AST_PASS: return;
    case AST_BREAK:
    case AST_CONTINUE: exec_jump(s, n->kind == AST_BREAK, n->at); return;
    case AST_DEF: exec_nested(s, ast_as_def(n)); return;
    case AST_CLASS: script_error(s, n->at, "a class within a function is not supported"); return;
    case AST_IMPORT:
        script_error(s, n->at, "an import within a function of the program is not supported");
        return;
    case AST_OTHER:
        script_error(s, n->at, "'%.*s' is not supported here", STR_ARG(ast_as_other(n)->word));
        return;
    case AST_NAME:
    case AST_NUMBER:
    case AST_STRING:
    case AST_FORMAT:
    case AST_FIELD:
    case AST_CONSTANT:
    case AST_TUPLE:
    case AST_SET:
    case AST_DICT:
    case AST_COMPREHENSION:
    case AST_CLAUSE:
    case AST_UNARY:
    case AST_BINARY:
    case AST_LOGIC:
    case AST_COMPARE:
    case AST_CHOICE:
    case AST_CALL:
    case AST_STAR:
    case AST_KEYWORD:
    case AST_ATTRIBUTE:
    case AST_SUBSCRIPT:
    case AST_SLICE:
    case AST_LAMBDA:
    case AST_WALRUS:
    case AST_PARAM:
    case AST_WITH_ITEM: break;
    }
    assert(false && "an expression is no statement");
}

void exec_list(script *s, ast_list list)
{
    for (size_t i = 0; i < list.n; ++i) {
        if (!script_enter(s, list.at[i]->at)) return;
        exec(s, list.at[i]);
        script_leave(s);
    }
}
