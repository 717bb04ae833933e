/* A whole file: the Python around the functions, the choice of a module, and its functions in
 * order. */
#include "front/script.h"

#include "front/parse.h"
#include "front/script_inner.h"
#include "ir/copy.h"

/* What could be the module: a class, or a function by itself. */
typedef struct candidate {
    str name, path; /* path: with the functions and classes around it */
    const ast *node;
    scope *scope;
    size_t limit; /* bindings made before it */
    bool is_class, is_nested;
    value decorator;
} candidate;

VEC_DECLARE(candidate_vec, candidate)

typedef struct reader {
    script *s;
    candidate_vec found;
    ast_vec refused; /* decorators of the program's own names that make no function here: @T.jit */
    str path; /* of what is around: "test_add." */
    int depth;
} reader;

static void walk(reader *r, ast_list list);

/* ---- Definitions ----------------------------------------------------------------------------- */

static value given_value(script *s, const ingot_value *v, str name)
{
    if (v->kind == INGOT_VALUE_NONE) return value_none();
    if (v->kind == INGOT_VALUE_BOOL) return value_bool(v->as.boolean != 0);
    if (v->kind == INGOT_VALUE_INT) return value_int(v->as.integer);
    if (v->kind == INGOT_VALUE_FLOAT) return value_float(v->as.real);
    if (v->kind == INGOT_VALUE_STR)
        return value_str(str_copy(s->mem, (str){v->as.text.data, v->as.text.size}));
    if (v->kind == INGOT_VALUE_TUPLE) {
        value_vec items = {0};
        for (size_t i = 0; i < v->as.tuple.count; ++i) {
            if (!script_enter(s, (span){0})) return value_poison();
            value_vec_push(s->mem, &items, given_value(s, &v->as.tuple.items[i], name));
            script_leave(s);
        }
        return value_tuple((value_list){items.at, items.n});
    }
    return script_error(s, (span){0},
                        "the definition of '%.*s' is no number, string, bool, None or tuple",
                        STR_ARG(name));
}

static void take_definitions(script *s)
{
    for (size_t i = 0; i < s->options->definition_count; ++i) {
        const front_definition *d = &s->options->definitions[i];
        given_name *g = arena_new(s->mem, given_name);
        g->b.v = given_value(s, &d->value, d->name);
        map_put(s->mem, &s->given, str_copy(s->mem, d->name), g);
    }
}

static void warn_of_unused(script *s)
{
    for (size_t i = 0; i < s->given.n; ++i) {
        const given_name *g = s->given.entries[i].value;
        str name = s->given.entries[i].key;
        if (!g->is_used)
            diag_warning(s->diags, (span){0},
                         "the definition of '%.*s' is not used by this program", STR_ARG(name));
    }
}

/* ---- The Python around ------------------------------------------------------------------------
 */

/* Evaluates without reports: what is not known here becomes UNKNOWN with the reason. */
static value quiet(script *s, const ast *n)
{
    s->muted++;
    s->complaint = STR("");
    value v = eval(s, n);
    s->muted--;
    if (v.kind != VALUE_POISON) return v;
    value unknown = value_of(VALUE_UNKNOWN);
    unknown.as.text = s->complaint;
    return unknown;
}

static value unknown(const char *why)
{
    value v = value_of(VALUE_UNKNOWN);
    v.as.text = str_of(why);
    return v;
}

static void bind_around(script *s, const ast *target, value v)
{
    if (target->kind == AST_NAME) scope_bind(s, ast_as_name(target)->id, v, target->at);
    if (target->kind == AST_STAR)
        bind_around(s, ast_as_star(target)->value, unknown("it is part of an unpacked list"));
    if (target->kind != AST_TUPLE) return;
    ast_list items = ast_as_tuple(target)->items;
    bool fits = v.kind == VALUE_TUPLE && v.as.list.n == items.n;
    for (size_t i = 0; i < items.n; ++i) {
        bind_around(s, items.at[i],
                    fits                      ? v.as.list.at[i]
                    : v.kind == VALUE_UNKNOWN ? v
                                              : unknown("it is part of an unpacked value"));
    }
}

static void walk_import(script *s, const ast_import *n)
{
    static const struct {
        const char *module, *name;
        space where;
    } known[] = {
        {"tvm.script", "ir", SPACE_I},
        {"tvm.script", "tirx", SPACE_T},
        {"tvm.script", "tir", SPACE_T},
        {"tvm.script.parser", "ir", SPACE_I},
        {"tvm.script.parser", "tirx", SPACE_T},
        {"tvm.script.parser", "tir", SPACE_T},
        {"ingot.script", "ir", SPACE_I},
        {"ingot.script", "tirx", SPACE_T},
        {"ingot.script", "tir", SPACE_T},
        {"tvm", "script", SPACE_SCRIPT},
        {"tvm", "tirx", SPACE_TIRX},
        {"tvm", "tir", SPACE_TIRX},
    };
    value v = value_space(SPACE_FOREIGN, false);
    str name = n->alias;
    if (n->is_from) {
        for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
            if (!str_is(n->module, known[i].module) || !str_is(n->name, known[i].name)) continue;
            v = value_space(known[i].where, known[i].where == SPACE_T && str_is(n->name, "tir"));
        }
        if (str_is(n->module, "math")) {
            s->muted++;
            v = eval_attribute(s, value_space(SPACE_MATH, false), n->name, n->node.at);
            s->muted--;
            if (v.kind == VALUE_POISON) v = unknown("math has no such name here");
        }
        bool is_module = str_is(n->module, "tvm.script") && str_is(n->name, "ir_module");
        bool is_type_var = str_is(n->module, "typing") && str_is(n->name, "TypeVar");
        if (is_module || is_type_var) {
            v = value_of(VALUE_FUNCTION);
            v.as.function.row = name_find(s, is_module ? SPACE_SCRIPT : SPACE_BUILTIN, n->name);
        }
    } else {
        bool tvm = str_is(n->module, "tvm") || str_starts(n->module, STR("tvm."));
        size_t dot = 0;
        while (dot < n->module.n && n->module.p[dot] != '.') ++dot;
        if (name.n == 0) name = (str){n->module.p, dot};
        bool whole = n->alias.n == 0 || str_is(n->module, "tvm");
        if (tvm && whole) v = value_space(SPACE_TVM, false);
        if (str_is(n->module, "math")) v = value_space(SPACE_MATH, false);
    }
    scope_bind(s, name, v, n->node.at);
}

static void add_global(script *s, str path, const ast_def *def, value decorator)
{
    script_global *g = arena_new(s->mem, script_global);
    *g = (script_global){.def = def, .decorator = decorator, .scope = s->scope, .limit = s->order};
    map_put(s->mem, &s->globals, path, g);
}

static void add_candidate(reader *r, const ast *node, str name, bool is_class, value decorator)
{
    script *s = r->s;
    candidate c = {.name = name,
                   .path = str_format(s->mem, "%.*s%.*s", STR_ARG(r->path), STR_ARG(name)),
                   .node = node,
                   .scope = s->scope,
                   .limit = s->order,
                   .is_class = is_class,
                   .is_nested = r->path.n != 0,
                   .decorator = decorator};
    candidate_vec_push(s->mem, &r->found, c);
    if (!is_class) add_global(s, c.path, ast_as_def(node), decorator);
    value v = value_of(VALUE_GLOBAL);
    v.as.text = c.path;
    scope_bind(s, name, v, node->at);
}

/* The inside of a plain function or class: its own names are constants for the modules in it. */
static void walk_inside(reader *r, str name, ast_list params, ast_list body)
{
    script *s = r->s;
    scope *inner = arena_new(s->mem, scope);
    str path = r->path;
    r->path = str_format(s->mem, "%.*s%.*s.", STR_ARG(path), STR_ARG(name));
    scope_push(s, SCOPE_PLAIN, inner);
    for (size_t i = 0; i < params.n; ++i) {
        const ast_param *p = ast_as_param(params.at[i]);
        if (p->stars == 3) continue;
        value v = p->initial != NULL ? quiet(s, p->initial)
                                     : unknown("it is a parameter of the function around");
        scope_bind(s, p->name, v, p->node.at);
    }
    walk(r, body);
    scope_pop(s);
    r->path = path;
}

/* "T.jit" of @T.jit(...); of another expression what can be said of it. */
static str decorator_name(script *s, const ast *n)
{
    if (n->kind == AST_CALL) return decorator_name(s, ast_as_call(n)->callee);
    if (n->kind == AST_NAME) return ast_as_name(n)->id;
    if (n->kind != AST_ATTRIBUTE) return STR("(...)");
    str object = decorator_name(s, ast_as_attribute(n)->object);
    return str_format(s->mem, "%.*s.%.*s", STR_ARG(object), STR_ARG(ast_as_attribute(n)->name));
}

/* Is it a name of T or I, though none that makes a function or a module? */
static bool is_refused_decorator(script *s, const ast *n)
{
    const ast *callee = n->kind == AST_CALL ? ast_as_call(n)->callee : n;
    if (callee->kind != AST_ATTRIBUTE) return false;
    value v = quiet(s, ast_as_attribute(callee)->object);
    return v.kind == VALUE_SPACE && (v.as.space == SPACE_T || v.as.space == SPACE_I);
}

static void walk_def(reader *r, const ast_def *n)
{
    script *s = r->s;
    value fn;
    const name_row *row = decorator_of(s, n->decorators, &fn);
    bool ours = row != NULL && row->fn == fn_decorator;
    for (size_t i = 0; !ours && i < n->decorators.n; ++i) {
        if (is_refused_decorator(s, n->decorators.at[i])) ast_vec_push(s->mem, &r->refused, n->decorators.at[i]);
    }
    if (ours && row->info == DECORATOR_FUNC) {
        add_candidate(r, &n->node, n->name, false, fn);
        return;
    }
    closure *f = arena_new(s->mem, closure);
    *f = (closure){
        .node = &n->node, .scope = s->scope, .is_inline = ours && row->info == DECORATOR_INLINE};
    value v = value_of(VALUE_CLOSURE);
    v.as.closure = f;
    if (!f->is_inline) walk_inside(r, n->name, n->params, n->body);
    scope_bind(s, n->name, v, n->name_at);
}

static void walk_class(reader *r, const ast_class *n)
{
    value fn;
    const name_row *row = decorator_of(r->s, n->decorators, &fn);
    if (row != NULL && row->fn == fn_decorator && row->info == DECORATOR_MODULE) {
        add_candidate(r, &n->node, n->name, true, fn);
        return;
    }
    walk_inside(r, n->name, (ast_list){0}, n->body);
    scope_bind(r->s, n->name, unknown("it is a Python class"), n->name_at);
}

static void walk_if(reader *r, const ast_if *n)
{
    value cond = quiet(r->s, n->cond);
    bool known = value_is_python(cond);
    if (!known || value_truth(cond)) walk(r, n->body);
    if (!known || !value_truth(cond)) walk(r, n->otherwise);
}

static void walk_augmented(script *s, const ast_augmented *n)
{
    s->muted++;
    s->complaint = STR("");
    value v =
        op_binary(s, op_of_augmented(n->op), eval(s, n->target), eval(s, n->value), n->node.at);
    s->muted--;
    bind_around(s, n->target, v.kind == VALUE_POISON ? unknown("its value is not known here") : v);
}

static void walk_one(reader *r, const ast *n)
{
    script *s = r->s;
    if (n->kind == AST_IMPORT) {
        walk_import(s, ast_as_import(n));
    } else if (n->kind == AST_ASSIGN) {
        value v = quiet(s, ast_as_assign(n)->value);
        for (size_t i = 0; i < ast_as_assign(n)->targets.n; ++i)
            bind_around(s, ast_as_assign(n)->targets.at[i], v);
    } else if (n->kind == AST_ANNOTATED && ast_as_annotated(n)->value != NULL) {
        bind_around(s, ast_as_annotated(n)->target, quiet(s, ast_as_annotated(n)->value));
    } else if (n->kind == AST_AUGMENTED) {
        walk_augmented(s, ast_as_augmented(n));
    } else if (n->kind == AST_DEF) {
        walk_def(r, ast_as_def(n));
    } else if (n->kind == AST_CLASS) {
        walk_class(r, ast_as_class(n));
    } else if (n->kind == AST_IF) {
        walk_if(r, ast_as_if(n));
    } else if (n->kind == AST_FOR) {
        bind_around(s, ast_as_for(n)->target,
                    unknown("it is a loop variable of the Python around"));
        walk(r, ast_as_for(n)->body);
    } else if (n->kind == AST_WHILE) {
        walk(r, ast_as_while(n)->body);
    } else if (n->kind == AST_WITH) {
        for (size_t i = 0; i < ast_as_with(n)->items.n; ++i) {
            const ast *target = ast_as_with_item(ast_as_with(n)->items.at[i])->target;
            if (target != NULL)
                bind_around(s, target, unknown("it is made by a 'with' of the Python around"));
        }
        walk(r, ast_as_with(n)->body);
    } else if (n->kind == AST_OTHER) {
        walk(r, ast_as_other(n)->body);
    }
}

static void walk(reader *r, ast_list list)
{
    for (size_t i = 0; i < list.n; ++i) {
        if (!script_enter(r->s, list.at[i]->at)) return;
        walk_one(r, list.at[i]);
        script_leave(r->s);
    }
}

/* ---- Choosing -------------------------------------------------------------------------------- */

static void name_candidates(script *s, const candidate_vec *found, bool nested)
{
    for (size_t i = 0; i < found->n; ++i) {
        const candidate *c = &found->at[i];
        if (c->is_nested == nested)
            script_note(s, c->node->at, "%s '%.*s'", c->is_class ? "class" : "function",
                        STR_ARG(c->path));
    }
}

/* The module asked for by name. False: reported. */
static bool choose_named(script *s, const candidate_vec *found, candidate_vec *out)
{
    str wanted = s->options->module;
    for (size_t i = 0; i < found->n; ++i) {
        const candidate *c = &found->at[i];
        if (str_eq(c->name, wanted) || str_eq(c->path, wanted)) candidate_vec_push(s->mem, out, *c);
    }
    if (out->n == 1) return true;
    span top = {.file = s->file};
    if (out->n == 0) {
        script_error(s, top, "this file has no module '%.*s'", STR_ARG(wanted));
    } else {
        script_error(s, top, "this file has several modules '%.*s': say which by its whole path",
                     STR_ARG(wanted));
    }
    name_candidates(s, found, false);
    name_candidates(s, found, true);
    return false;
}

static void refuse_decorator(script *s, const ast *n)
{
    script_error(s, n->at, "the decorator @%.*s is not supported: write a function of @T.prim_func", STR_ARG(decorator_name(s, n)));
}

/* The candidates that make the module: the only class, else all functions of the file's top level;
 * what stands inside of plain functions counts where the top level has nothing, and then there must
 * be one of it. False: reported. */
static bool choose(script *s, const candidate_vec *found, const ast_vec *refused, candidate_vec *out)
{
    if (s->options->module.n != 0) return choose_named(s, found, out);
    size_t nested = 0, classes = 0;
    for (size_t i = 0; i < found->n; ++i) nested += found->at[i].is_nested;
    bool use_nested = found->n == nested;
    for (size_t i = 0; i < found->n; ++i)
        classes += found->at[i].is_class && found->at[i].is_nested == use_nested;
    for (size_t i = 0; i < found->n; ++i) {
        const candidate *c = &found->at[i];
        if (c->is_nested == use_nested && (classes == 0 || c->is_class))
            candidate_vec_push(s->mem, out, *c);
    }
    if (out->n == 0 && refused->n != 0) {
        for (size_t i = 0; i < refused->n; ++i) refuse_decorator(s, refused->at[i]);
        return false;
    }
    for (size_t i = 0; i < refused->n; ++i)
        diag_warning(s->diags, refused->at[i]->at, "this function is left out: the decorator @%.*s is not supported",
                     STR_ARG(decorator_name(s, refused->at[i])));
    if (out->n == 0) {
        script_error(s, (span){.file = s->file},
                     "no @I.ir_module class and no @T.prim_func function in this file");
        return false;
    }
    if (out->n == 1 || (classes == 0 && !use_nested)) return true;
    script_error(s, (span){.file = s->file}, "this file holds several modules: say which by name");
    name_candidates(s, out, use_nested);
    return false;
}

/* ---- Reading --------------------------------------------------------------------------------- */

VEC_DECLARE(func_vec, const ir_func *)

typedef struct module_state {
    arena *out; /* where what is read is kept */
    func_vec funcs;
    map names; /* of functions */
    attr_vec attrs;
} module_state;

/* Reads a function in memory of its own, which the next one uses again; what is kept is a copy. NULL: reported. */
static const ir_func *read_apart(script *s, module_state *m, const ast_def *def, value decorator)
{
    s->mem = s->work;
    s->function++;
    const ir_func *f = read_func(s, def, decorator, false);
    if (f != NULL) f = ir_copy_func(m->out, s->work, f);
    s->complaint = STR("");
    s->mem = s->around;
    arena_reset(s->work);
    return f;
}

static void add_func(script *s, module_state *m, const ast_def *def, value decorator)
{
    const ir_func *f = read_apart(s, m, def, decorator);
    if (f == NULL) return;
    const ir_func *other = map_get(&m->names, f->name);
    if (other != NULL) {
        script_error(s, def->name_at, "a second function with the global_symbol '%.*s'", STR_ARG(f->name));
        script_note(s, other->at, "the first one is here");
        return;
    }
    map_put(s->mem, &m->names, f->name, f);
    func_vec_push(m->out, &m->funcs, f);
}

value fn_module_attrs(script *s, const call *c)
{
    return script_error(s, c->at, "I.%s belongs into the body of a module", c->row->name);
}

/* I.module_attrs({...}) in the body of a module. False: it is something else. */
static bool module_attrs(script *s, module_state *m, const ast *n)
{
    if (n->kind != AST_CALL || ast_as_call(n)->args.n != 1) return false;
    value fn = eval(s, ast_as_call(n)->callee);
    if (fn.kind != VALUE_FUNCTION || fn.as.function.row->fn != fn_module_attrs) return false;
    value dict = eval(s, ast_as_call(n)->args.at[0]);
    bool infos = fn.as.function.row->info == 1;
    if (!infos) {
        to_attrs(s, dict, n->at, &m->attrs);
    } else if (dict.kind != VALUE_DICT || dict.as.list.n != 0) {
        script_error(s, n->at, "global infos are not supported");
    }
    return true;
}

/* name = function: the function of the file, under that name. */
static void adopt(script *s, module_state *m, const ast_assign *n, const candidate_vec *found)
{
    value v = eval(s, n->value);
    bool named = n->targets.n == 1 && n->targets.at[0]->kind == AST_NAME;
    for (size_t i = 0; named && v.kind == VALUE_GLOBAL && i < found->n; ++i) {
        const candidate *c = &found->at[i];
        if (c->is_class || !str_eq(c->path, v.as.text)) continue;
        scope *saved = s->scope;
        size_t limit = s->limit;
        s->scope = c->scope;
        s->limit = c->limit;
        add_func(s, m, ast_as_def(c->node), c->decorator);
        s->scope = saved;
        s->limit = limit;
        return;
    }
    if (v.kind != VALUE_POISON)
        script_error(s, n->node.at, "in a module only functions of the program can be named");
}

static void refuse_member(script *s, const ast_def *def)
{
    size_t n = def->decorators.n;
    if (n != 0) {
        refuse_decorator(s, def->decorators.at[n - 1]);
        return;
    }
    script_error(s, def->name_at, "'%.*s' is no @T.prim_func function: no others are supported in a module", STR_ARG(def->name));
}

static void read_member(script *s, module_state *m, const ast *n, const candidate_vec *found)
{
    if (n->kind == AST_DEF) {
        const ast_def *def = ast_as_def(n);
        value fn;
        const name_row *row = decorator_of(s, def->decorators, &fn);
        if (row != NULL && row->fn == fn_decorator && row->info == DECORATOR_FUNC) {
            add_func(s, m, def, fn);
        } else {
            refuse_member(s, def);
        }
    } else if (n->kind == AST_ASSIGN) {
        adopt(s, m, ast_as_assign(n), found);
    } else if (n->kind == AST_EXPRESSION) {
        const ast *e = ast_as_expression(n)->value;
        bool harmless = e->kind == AST_STRING ||
                        (e->kind == AST_CONSTANT && ast_as_constant(e)->word == TOKEN_ELLIPSIS);
        if (!harmless && !module_attrs(s, m, e))
            script_error(s, n->at, "this is not supported in the body of a module");
    } else if (n->kind != AST_PASS) {
        script_error(s, n->at, "this is not supported in the body of a module");
    }
}

/* Functions of a module can call each other whatever their order. */
static void declare_member(script *s, str module, const ast *n)
{
    if (n->kind == AST_DEF) {
        const ast_def *def = ast_as_def(n);
        value fn;
        const name_row *row = decorator_of(s, def->decorators, &fn);
        if (row == NULL || row->fn != fn_decorator || row->info != DECORATOR_FUNC) return;
        size_t order = s->order;
        s->order = s->limit; /* it sees what the class sees */
        add_global(s, str_format(s->mem, "%.*s.%.*s", STR_ARG(module), STR_ARG(def->name)), def, fn);
        s->order = order;
    }
    if (n->kind != AST_ASSIGN || ast_as_assign(n)->targets.at[0]->kind != AST_NAME) return;
    value v = quiet(s, ast_as_assign(n)->value);
    script_global *g = v.kind == VALUE_GLOBAL ? map_get(&s->globals, v.as.text) : NULL;
    str name = ast_as_name(ast_as_assign(n)->targets.at[0])->id;
    if (g != NULL) map_put(s->mem, &s->globals, str_format(s->mem, "%.*s.%.*s", STR_ARG(module), STR_ARG(name)), g);
}

static void read_class(script *s, module_state *m, const candidate *c, const candidate_vec *found)
{
    const ast_class *n = ast_as_class(c->node);
    scope inner;
    s->scope = c->scope;
    s->limit = c->limit;
    scope_push(s, SCOPE_INNER, &inner);
    value self = value_of(VALUE_GLOBAL);
    self.as.text = n->name;
    scope_bind(s, n->name, self, n->name_at);
    for (size_t i = 0; i < n->body.n; ++i) declare_member(s, n->name, n->body.at[i]);
    for (size_t i = 0; i < n->body.n; ++i) read_member(s, m, n->body.at[i], found);
    scope_pop(s);
}

static bool is_among(const ast_vec *defs, const ir_func *f)
{
    for (size_t i = 0; i < defs->n; ++i) {
        span at = ast_as_def(defs->at[i])->name_at;
        if (at.file == f->at.file && at.begin == f->at.begin) return true;
    }
    return false;
}

/* A private function that others call is part of them; it need not stand by itself. */
static void drop_called(script *s, module_state *m)
{
    ast_vec called = {0};
    for (size_t k = 0; k < s->globals.n; ++k) {
        const script_global *g = s->globals.entries[k].value;
        if (g->is_called) ast_vec_push(s->mem, &called, &g->def->node);
    }
    if (called.n == 0) return;
    func_vec kept = {0};
    for (size_t i = 0; i < m->funcs.n; ++i) {
        const ir_func *f = m->funcs.at[i];
        if (!f->is_private || !is_among(&called, f)) func_vec_push(m->out, &kept, f);
    }
    m->funcs = kept;
}

static const ir_module *read_module(script *s, const reader *r, arena *out)
{
    const candidate_vec *found = &r->found;
    candidate_vec chosen = {0};
    if (!choose(s, found, &r->refused, &chosen)) return NULL;
    module_state m = {.out = out};
    for (size_t i = 0; i < chosen.n; ++i) {
        const candidate *c = &chosen.at[i];
        s->scope = c->scope;
        s->limit = c->limit;
        if (c->is_class) {
            read_class(s, &m, c, found);
        } else {
            add_func(s, &m, ast_as_def(c->node), c->decorator);
        }
    }
    drop_called(s, &m);
    ir_module whole = {.funcs = m.funcs.at, .func_count = m.funcs.n};
    whole.attrs = ir_copy_attrs(out, s->mem, (ir_attrs){m.attrs.at, m.attrs.n});
    return arena_copy(out, &whole, sizeof whole);
}

/* The module that the statements of the file make, in `out`. NULL: reported. */
static const ir_module *read_statements(script *s, ast_list statements, arena *out)
{
    unsigned errors = s->diags->errors;
    take_definitions(s);
    reader r = {.s = s, .path = STR("")};
    scope top;
    scope_push(s, SCOPE_MODULE, &top);
    scope_bind(s, STR("__name__"), value_str(STR("ingot")), (span){0});
    walk(&r, statements);
    const ir_module *m = read_module(s, &r, out);
    if (s->diags->errors != errors) return NULL;
    warn_of_unused(s);
    return m;
}

const ir_module *front_parse(arena *mem, source_set *sources, uint32_t file,
                             const front_options *options, diag_list *diags)
{
    static const front_options none = {0};
    unsigned errors = diags->errors;
    lex_input input = {.text = sources->files[file - 1].text, .file = file};
    arena *around = arena_scratch(mem); /* the syntax tree takes more room than what is made of it */
    ast_list statements = parse_module(around, diags, input);
    script s = {.mem = around,
                .around = around,
                .work = arena_scratch(around),
                .diags = diags,
                .file = file,
                .options = options != NULL ? options : &none,
                .limit = SIZE_MAX};
    const ir_module *m = diags->errors == errors ? read_statements(&s, statements, mem) : NULL;
    arena_free(around);
    return m;
}
