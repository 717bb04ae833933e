/* Errors, scopes of names, and suites of statements while a script is read. */
#include "front/script_inner.h"
#include "ir/walk.h"

#include <stdarg.h>
#include <stdio.h>

/* Levels of evaluation (expressions within expressions, statements within statements, closures
 * called), and evaluations in all: what Python would compute for minutes is refused. */
enum { SCRIPT_DEPTH = 1000, SCRIPT_STEPS = 4000000 };

value script_error(script *s, span at, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (s->muted == 0) {
        diag_error(s->diags, at, "%s", text);
    } else if (s->complaint.n == 0) {
        s->complaint = str_copy(s->mem, str_of(text));
    }
    return value_poison();
}

void script_note(script *s, span at, const char *format, ...)
{
    if (s->muted != 0) return;
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    diag_note(s->diags, at, "%s", text);
}

bool script_enter(script *s, span at)
{
    if (s->depth == SCRIPT_DEPTH) {
        script_error(s, at, "this is nested too deeply");
        return false;
    }
    if (s->steps++ > SCRIPT_STEPS) {
        if (s->steps == SCRIPT_STEPS + 2 || s->muted != 0)
            script_error(s, at, "this takes too many steps to evaluate");
        return false;
    }
    s->depth++;
    return true;
}

void script_leave(script *s)
{
    s->depth--;
}

/* A loop nest, axes and attributes on lines of their own, and branches: all become levels of a
 * tree. */
enum { NESTED_STATEMENTS = 90 };

bool script_nest(script *s, size_t n, span at)
{
    bool good = s->nested + n <= NESTED_STATEMENTS;
    if (!good && s->nested <= NESTED_STATEMENTS) {
        script_error(s, at, "more than %d levels of loops, branches and axes", NESTED_STATEMENTS);
    }
    s->nested += n;
    return good;
}

void script_unnest(script *s, size_t n)
{
    s->nested -= n;
}

/* ---- Scopes ---------------------------------------------------------------------------------- */

void scope_push(script *s, scope_kind kind, scope *inner)
{
    *inner = (scope){.outer = s->scope, .kind = kind};
    s->scope = inner;
}

void scope_pop(script *s)
{
    s->scope = s->scope->outer;
}

static bool is_surrounding(const scope *where)
{
    return where->kind == SCOPE_MODULE || where->kind == SCOPE_PLAIN;
}

/* A name can be used often: with each level of names that repeat names an expression may double. So
 * what a name stands for is bounded, and with it every expression. */
enum { NAMED_NODES = 20000, NAMED_DEPTH = 400 };

static bool is_moderate(const value *v, unsigned depth)
{
    if (v->kind == VALUE_EXPR && v->as.expr != NULL)
        return ir_is_moderate(v->as.expr, NAMED_NODES, NAMED_DEPTH);
    bool holds_values = v->kind == VALUE_TUPLE || v->kind == VALUE_DICT;
    for (size_t i = 0; holds_values && depth != 0 && i < v->as.list.n; ++i) {
        if (!is_moderate(&v->as.list.at[i], depth - 1)) return false;
    }
    return true;
}

void scope_bind(script *s, str name, value v, span at)
{
    if (!is_moderate(&v, 8)) {
        v = script_error(s, at, "the expression that '%.*s' stands for is too large",
                         STR_ARG(name));
    }
    binding *b = arena_new(s->mem, binding);
    *b = (binding){.v = v, .at = at, .order = s->order++, .older = map_get(&s->scope->names, name)};
    map_put(s->mem, &s->scope->names, name, b);
}

const binding *scope_find_here(script *s, str name)
{
    return map_get(&s->scope->names, name);
}

const binding *scope_find(script *s, str name, bool *inside)
{
    *inside = true;
    for (const scope *where = s->scope; where != NULL; where = where->outer) {
        bool surrounding = is_surrounding(where);
        if (surrounding && *inside) {
            *inside = false;
            given_name *given = map_get(&s->given, name);
            if (given != NULL) {
                given->is_used = true;
                return &given->b;
            }
        }
        const binding *b = map_get(&where->names, name);
        /* Code around a function is seen as it was when the function was met. */
        while (b != NULL && surrounding && b->order >= s->limit) b = b->older;
        if (b != NULL) return b;
    }
    return NULL;
}

/* ---- Suites ---------------------------------------------------------------------------------- */

void suite_begin(script *s, suite *inner)
{
    *inner = (suite){.outer = s->suite};
    s->suite = inner;
}

const ir_node *script_with_body(script *s, const ir_node *node, const ir_node *body)
{
    if (node->kind == IR_THREAD) {
        ir_thread copy = *ir_as_thread(node);
        copy.body = body;
        return arena_copy(s->mem, &copy, sizeof copy);
    }
    ir_attr copy = *ir_as_attr(node);
    copy.body = body;
    return arena_copy(s->mem, &copy, sizeof copy);
}

const ir_node *suite_end(script *s, span at)
{
    suite *inner = s->suite;
    script_unnest(s, inner->wraps.n);
    for (size_t i = inner->wraps.n; i > 0; --i) {
        wrap w = inner->wraps.at[i - 1];
        size_t n = inner->body.n - w.start;
        const ir_node *body =
            n != 0 ? ir_seq_new(s->mem, inner->body.at + w.start, n, at) : ir_nop(s->mem);
        inner->body.n = w.start;
        ir_node_vec_push(s->mem, &inner->body, script_with_body(s, w.node, body));
    }
    s->suite = inner->outer;
    return ir_seq_new(s->mem, inner->body.at, inner->body.n, at);
}

void suite_emit(script *s, const ir_node *n)
{
    if (n != NULL && s->suite != NULL) ir_node_vec_push(s->mem, &s->suite->body, n);
}

void suite_wrap(script *s, const ir_node *node)
{
    if (s->suite == NULL) return;
    script_nest(s, 1, node->at);
    wrap_vec_push(s->mem, &s->suite->wraps, (wrap){.node = node, .start = s->suite->body.n});
}

str call_hint(const call *c, const char *other)
{
    return c->hints.n == 1 ? c->hints.at[0] : str_of(other);
}
