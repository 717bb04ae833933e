/* Names of the tables, and calls: arguments find their parameters. */
#include "front/script_inner.h"

static const name_row rows[] = {
#define SCRIPT_NAME(where, name, handler, info, params)                                            \
    {SPACE_##where, name, handler, params, (int)(info)},
#define SCRIPT_SPACE(where, name, sub) {SPACE_##where, name, NULL, "", SPACE_##sub},
#include "front/names.def"
#undef SCRIPT_NAME
#undef SCRIPT_SPACE
};

/* ---- Names ----------------------------------------------------------------------------------- */

/* A builtin of the IR whose arguments are all alike gets a row of its own. */
static const name_row *builtin_row(script *s, space where, str name)
{
    if (where != SPACE_T) return NULL;
    ir_builtin fn = ir_builtin_find(name);
    if (fn == IR_FN_COUNT || fn == IR_FN_TUPLE || str_starts(name, STR("metal."))) return NULL;
    name_row *row = arena_new(s->around, name_row);
    *row = (name_row){.space = where,
                      .name = ir_builtins[fn].name,
                      .fn = fn_builtin,
                      .params = "*args dtype? span?",
                      .info = (int)fn};
    return row;
}

const name_row *name_find(script *s, space where, str name)
{
    const name_row *known = map_get(&s->rows[where], name);
    if (known != NULL) return known;
    const name_row *found = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && found == NULL; ++i) {
        if (rows[i].space == where && str_is(name, rows[i].name)) found = &rows[i];
    }
    if (found == NULL) found = builtin_row(s, where, name);
    if (found != NULL) map_put(s->around, &s->rows[where], str_of(found->name), found);
    return found;
}

/* ---- Parameters ------------------------------------------------------------------------------ */

typedef struct param_name {
    str name;
    bool is_optional, is_rest;
} param_name;

enum { MAX_PARAMS = 16 };

static size_t split_params(const char *text, param_name *out)
{
    size_t n = 0;
    while (*text != '\0') {
        size_t length = strcspn(text, " ");
        param_name p = {.name = {text, length}};
        if (text[0] == '*') {
            p.is_rest = true;
            p.name = (str){text + 1, length - 1};
        } else if (text[length - 1] == '?') {
            p.is_optional = true;
            p.name.n--;
        }
        assert(n < MAX_PARAMS);
        out[n++] = p;
        text += length;
        while (*text == ' ') ++text;
    }
    return n;
}

/* Evaluated arguments of a call. */
typedef struct arguments {
    const value *positions;
    const span *position_spans;
    size_t position_count;
    const str *names;
    const value *named;
    const span *named_spans;
    size_t named_count;
    bool is_bad;
} arguments;

VEC_DECLARE(span_vec, span)

static void push_dict(script *s, value dict, span at, str_vec *names, value_vec *named,
                      span_vec *spans)
{
    for (size_t i = 0; i + 1 < dict.as.list.n; i += 2) {
        str name;
        if (!to_str(s, dict.as.list.at[i], at, "a keyword", &name)) continue;
        str_vec_push(s->mem, names, name);
        value_vec_push(s->mem, named, dict.as.list.at[i + 1]);
        span_vec_push(s->mem, spans, at);
    }
}

static arguments eval_arguments(script *s, ast_list list)
{
    value_vec positions = {0}, named = {0};
    span_vec spans = {0}, named_spans = {0};
    str_vec names = {0};
    bool bad = false;
    for (size_t i = 0; i < list.n; ++i) {
        const ast *n = list.at[i];
        const ast *inner = n->kind == AST_KEYWORD ? ast_as_keyword(n)->value
                           : n->kind == AST_STAR  ? ast_as_star(n)->value
                                                  : n;
        value v = eval(s, inner);
        bad = bad || v.kind == VALUE_POISON;
        if (n->kind == AST_KEYWORD) {
            str_vec_push(s->mem, &names, ast_as_keyword(n)->name);
            value_vec_push(s->mem, &named, v);
            span_vec_push(s->mem, &named_spans, inner->at);
        } else if (n->kind == AST_STAR && ast_as_star(n)->is_double) {
            if (v.kind == VALUE_DICT)
                push_dict(s, v, n->at, &names, &named, &named_spans);
            else if (v.kind != VALUE_POISON)
                bad = script_error(s, n->at, "'**' needs a dict").kind == VALUE_POISON;
        } else if (n->kind == AST_STAR) {
            bool list_like = v.kind == VALUE_TUPLE;
            if (!list_like && v.kind != VALUE_POISON)
                bad = script_error(s, n->at, "'*' needs a list or tuple").kind == VALUE_POISON;
            for (size_t j = 0; list_like && j < v.as.list.n; ++j) {
                value_vec_push(s->mem, &positions, v.as.list.at[j]);
                span_vec_push(s->mem, &spans, n->at);
            }
        } else {
            value_vec_push(s->mem, &positions, v);
            span_vec_push(s->mem, &spans, n->at);
        }
    }
    return (arguments){.positions = positions.at,
                       .position_spans = spans.at,
                       .position_count = positions.n,
                       .names = names.at,
                       .named = named.at,
                       .named_spans = named_spans.at,
                       .named_count = names.n,
                       .is_bad = bad};
}

/* Puts each argument to its parameter; false: reported. */
static bool match_params(script *s, const arguments *a, call *c, const param_name *params, size_t n)
{
    value *args = arena_array(s->mem, value, n);
    span *spans = arena_array(s->mem, span, n);
    for (size_t i = 0; i < n; ++i) {
        args[i] = value_of(VALUE_ABSENT);
        spans[i] = c->at;
    }
    c->args = args;
    c->spans = spans;
    size_t fixed = 0;
    while (fixed < n && !params[fixed].is_rest) ++fixed;
    if (a->position_count > fixed && fixed == n) {
        script_error(s, a->position_spans[n], "'%s' takes at most %zu arguments", c->row->name, n);
        return false;
    }
    for (size_t i = 0; i < a->position_count && i < fixed; ++i) {
        args[i] = a->positions[i];
        spans[i] = a->position_spans[i];
    }
    if (a->position_count > fixed) {
        c->rest = a->positions + fixed;
        c->rest_spans = a->position_spans + fixed;
        c->rest_count = a->position_count - fixed;
    }
    for (size_t i = 0; i < a->named_count; ++i) {
        size_t at = n;
        for (size_t j = 0; j < n; ++j) {
            if (!params[j].is_rest && str_eq(params[j].name, a->names[i])) at = j;
        }
        if (at == n) {
            script_error(s, a->named_spans[i], "'%s' has no parameter '%.*s'", c->row->name,
                         STR_ARG(a->names[i]));
            return false;
        }
        if (args[at].kind != VALUE_ABSENT) {
            script_error(s, a->named_spans[i], "'%.*s' is given twice", STR_ARG(a->names[i]));
            return false;
        }
        args[at] = a->named[i];
        spans[at] = a->named_spans[i];
    }
    for (size_t i = 0; i < n; ++i) {
        if (args[i].kind != VALUE_ABSENT || params[i].is_optional || params[i].is_rest) continue;
        script_error(s, c->at, "'%s' lacks its argument '%.*s'", c->row->name,
                     STR_ARG(params[i].name));
        return false;
    }
    return true;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static value call_row(script *s, value callee, const arguments *a, const ast_call *n, hints names)
{
    const name_row *row = callee.as.function.row;
    param_name params[MAX_PARAMS];
    size_t count = split_params(row->params, params);
    call c = {.row = row, .at = n->node.at, .hints = names, .is_old = callee.is_old,
              .is_whole = s->whole == &n->node};
    if (callee.as.function.receiver != NULL) c.receiver = *callee.as.function.receiver;
    if (!match_params(s, a, &c, params, count)) return value_poison();
    return row->fn(s, &c);
}

/* T.float32(x): a new variable, a constant or a conversion. */
static value call_type(script *s, value type, const arguments *a, span at, hints names)
{
    static const name_row row = {.space = SPACE_T,
                                 .name = "a type",
                                 .fn = fn_convert,
                                 .params = "value? is_size_var? span?"};
    call c = {.row = &row, .at = at, .hints = names, .receiver = type};
    param_name params[MAX_PARAMS];
    size_t n = split_params(row.params, params);
    if (!match_params(s, a, &c, params, n)) return value_poison();
    return fn_convert(s, &c);
}

static bool bind_params(script *s, ast_list params, value_list args, span at)
{
    if (args.n > params.n) {
        script_error(s, at, "this function takes %zu arguments, not %zu", params.n, args.n);
        return false;
    }
    for (size_t i = 0; i < params.n; ++i) {
        const ast_param *p = ast_as_param(params.at[i]);
        if (p->stars != 0) {
            script_error(s, p->node.at, "'*' parameters are not supported here");
            return false;
        }
        value v = i < args.n ? args.at[i] : value_of(VALUE_ABSENT);
        if (v.kind == VALUE_ABSENT && p->initial != NULL) v = eval(s, p->initial);
        if (v.kind == VALUE_ABSENT) {
            script_error(s, at, "this call lacks the argument '%.*s'", STR_ARG(p->name));
            return false;
        }
        scope_bind(s, p->name, v, p->node.at);
    }
    return true;
}

/* The expression that a plain function returns, if that is all it does. */
static const ast *only_return(const ast_def *def)
{
    const ast *result = NULL;
    for (size_t i = 0; i < def->body.n; ++i) {
        const ast *n = def->body.at[i];
        bool docstring =
            n->kind == AST_EXPRESSION && ast_as_expression(n)->value->kind == AST_STRING;
        if (docstring) continue;
        if (n->kind != AST_RETURN || i + 1 != def->body.n) return NULL;
        result = ast_as_return(n)->value;
    }
    return result;
}

static value run_closure(script *s, const closure *f, span at)
{
    if (f->node->kind == AST_LAMBDA) return eval(s, ast_as_lambda(f->node)->body);
    const ast_def *def = ast_as_def(f->node);
    if (f->is_inline) {
        exec_list(s, def->body);
        return value_none();
    }
    const ast *result = only_return(def);
    if (result != NULL) return eval(s, result);
    script_error(s, at,
                 "'%.*s' cannot be called here: only functions that return one expression can",
                 STR_ARG(def->name));
    script_note(s, def->name_at, "'%.*s' is defined here", STR_ARG(def->name));
    return value_poison();
}

value call_closure(script *s, const closure *f, value_list args, span at)
{
    if (!script_enter(s, at)) return value_poison();
    scope *saved = s->scope;
    scope inner;
    if (!f->is_dynamic) s->scope = f->scope;
    scope_push(s, f->is_inline ? SCOPE_INNER : SCOPE_FUNC, &inner);
    ast_list params =
        f->node->kind == AST_LAMBDA ? ast_as_lambda(f->node)->params : ast_as_def(f->node)->params;
    value v = bind_params(s, params, args, at) ? run_closure(s, f, at) : value_poison();
    s->scope = saved;
    script_leave(s);
    return v;
}

/* Arguments of a closure in the order of its parameters. */
static value call_with_names(script *s, const closure *f, const arguments *a, span at)
{
    ast_list params =
        f->node->kind == AST_LAMBDA ? ast_as_lambda(f->node)->params : ast_as_def(f->node)->params;
    value_vec args = {0};
    for (size_t i = 0; i < a->position_count; ++i) value_vec_push(s->mem, &args, a->positions[i]);
    for (size_t i = 0; i < a->named_count; ++i) {
        size_t at_param = params.n;
        for (size_t j = 0; j < params.n; ++j) {
            if (str_eq(ast_as_param(params.at[j])->name, a->names[i])) at_param = j;
        }
        if (at_param == params.n)
            return script_error(s, a->named_spans[i], "there is no parameter '%.*s'",
                                STR_ARG(a->names[i]));
        while (args.n <= at_param) value_vec_push(s->mem, &args, value_of(VALUE_ABSENT));
        if (args.at[at_param].kind != VALUE_ABSENT) {
            return script_error(s, a->named_spans[i], "'%.*s' is given twice",
                                STR_ARG(a->names[i]));
        }
        args.at[at_param] = a->named[i];
    }
    return call_closure(s, f, (value_list){args.at, args.n}, at);
}

/* Arguments of another function in the order of its parameters. */
static value call_global(script *s, script_global *g, const arguments *a, span at)
{
    ast_list params = g->def->params;
    value *args = arena_array(s->mem, value, params.n + a->position_count);
    span *spans = arena_array(s->mem, span, params.n + a->position_count);
    size_t count = a->position_count;
    for (size_t i = 0; i < params.n + a->position_count; ++i) {
        args[i] = i < count ? a->positions[i] : value_of(VALUE_ABSENT);
        spans[i] = i < count ? a->position_spans[i] : at;
    }
    for (size_t i = 0; i < a->named_count; ++i) {
        size_t k = 0;
        while (k < params.n && !str_eq(ast_as_param(params.at[k])->name, a->names[i])) ++k;
        if (k == params.n || args[k].kind != VALUE_ABSENT) {
            return script_error(s, a->named_spans[i], "'%.*s' has no parameter '%.*s' that is still free",
                                STR_ARG(g->def->name), STR_ARG(a->names[i]));
        }
        args[k] = a->named[i];
        spans[k] = a->named_spans[i];
        ++count;
    }
    for (size_t i = 0; i < params.n && i < count; ++i) {
        if (args[i].kind == VALUE_ABSENT) {
            return script_error(s, at, "this call lacks the argument '%.*s'",
                                STR_ARG(ast_as_param(params.at[i])->name));
        }
    }
    return script_call_global(s, g, args, spans, count, at);
}

/* Arguments of these may not be evaluated where they stand, or not at once. */
static bool is_lazy(value callee)
{
    static const script_fn lazy[] = {fn_if_then_else, fn_select, fn_let_expr, fn_where,
                                     fn_axis,         fn_remap,  fn_regions};
    if (callee.kind != VALUE_FUNCTION) return false;
    for (size_t i = 0; i < sizeof lazy / sizeof *lazy; ++i) {
        if (callee.as.function.row->fn == lazy[i]) return true;
    }
    return false;
}

value eval_call(script *s, const ast_call *n, hints names)
{
    value callee = eval(s, n->callee);
    unsigned lazy = is_lazy(callee) ? 1 : 0;
    s->lazy += lazy;
    arguments a = eval_arguments(s, n->args);
    s->lazy -= lazy;
    if (callee.kind == VALUE_POISON || a.is_bad) return value_poison();
    if (callee.kind == VALUE_FUNCTION) return call_row(s, callee, &a, n, names);
    if (callee.kind == VALUE_TYPE) return call_type(s, callee, &a, n->node.at, names);
    if (callee.kind == VALUE_CLOSURE) return call_with_names(s, callee.as.closure, &a, n->node.at);
    if (callee.kind == VALUE_UNKNOWN) {
        value v = value_of(VALUE_UNKNOWN);
        v.as.text = callee.as.text;
        return v;
    }
    if (callee.kind == VALUE_GLOBAL) {
        script_global *g = map_get(&s->globals, callee.as.text);
        if (g != NULL) return call_global(s, g, &a, n->node.at);
        return script_error(s, n->node.at, "'%.*s' is no function of this module", STR_ARG(callee.as.text));
    }
    return script_error(s, n->node.at, "%s cannot be called", value_what(callee));
}
