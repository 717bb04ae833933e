/* Expressions of a script. */
#include "front/script_inner.h"
#include "ir/fold.h"

/* ---- Names ----------------------------------------------------------------------------------- */

/* A type by its name in T: float32, or an older short alias. */
static bool type_by_name(str name, ir_type *out)
{
    static const struct {
        const char *alias, *type;
    } aliases[] = {{"f16", "float16"}, {"f32", "float32"}, {"f64", "float64"}, {"bf16", "bfloat16"},
                   {"i8", "int8"},     {"i16", "int16"},   {"i32", "int32"},   {"i64", "int64"},
                   {"u8", "uint8"},    {"u16", "uint16"},  {"u32", "uint32"},  {"u64", "uint64"},
                   {"boolean", "bool"}};
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; ++i) {
        if (str_is(name, aliases[i].alias)) return ir_type_parse(str_of(aliases[i].type), out);
    }
    return ir_type_parse(name, out);
}

/* What a name is where the script does not say: the usual imports, and Python's own functions. */
static value predefined(script *s, str name)
{
    static const struct {
        const char *name;
        space where;
    } spaces[] = {{"T", SPACE_T}, {"tir", SPACE_T}, {"tirx", SPACE_T},
                  {"I", SPACE_I}, {"ir", SPACE_I},  {"tvm", SPACE_TVM}};
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; ++i) {
        if (str_is(name, spaces[i].name)) return value_space(spaces[i].where, str_is(name, "tir"));
    }
    const name_row *row = name_find(s, SPACE_BUILTIN, name);
    if (row == NULL) return value_of(VALUE_ABSENT);
    value v = value_of(VALUE_FUNCTION);
    v.as.function.row = row;
    return v;
}

/* Was the name bound in a scope that has ended, or is it bound later? Says so. */
static value undefined(script *s, str name, span at)
{
    if (s->suite != NULL && map_get(&s->globals, name) != NULL) {
        /* A function of the program that only comes later in the file. */
        value v = value_of(VALUE_GLOBAL);
        v.as.text = name;
        return v;
    }
    for (const scope *where = s->scope; where != NULL; where = where->outer) {
        const binding *b = map_get(&where->names, name);
        if (b == NULL) continue;
        script_error(s, at, "'%.*s' is not defined yet", STR_ARG(name));
        script_note(s, b->at, "it is only assigned here");
        return value_poison();
    }
    return script_error(s, at, "undefined name '%.*s'", STR_ARG(name));
}

value eval_name(script *s, str name, span at)
{
    bool inside;
    const binding *b = scope_find(s, name, &inside);
    value v = b != NULL ? b->v : predefined(s, name);
    if (v.kind == VALUE_ABSENT) return undefined(s, name, at);
    if (v.kind == VALUE_UNKNOWN) {
        script_error(s, at, "'%.*s' has no value that is known here: %.*s", STR_ARG(name),
                     STR_ARG(v.as.text));
        if (b != NULL)
            script_note(s, b->at, "'%.*s' is defined here; -D %.*s=VALUE can give it a value",
                        STR_ARG(name), STR_ARG(name));
        return value_poison();
    }
    if (v.kind == VALUE_TYPE_VAR && s->func != NULL) return script_type_var(s, v.as.text, at);
    if (v.kind == VALUE_SCALAR) {
        value load = value_expr(scalar_load(s, v.as.buffer, at));
        return load;
    }
    if (v.kind == VALUE_EXPR && v.as.expr->kind == IR_VAR) {
        /* A use carries its own place. */
        value use = v;
        use.is_fresh = false;
        use.as.expr = ir_ref(s->mem, ir_as_var_ref(v.as.expr)->var, at);
        return use;
    }
    v.is_fresh = false;
    return v;
}

static value bound_method(script *s, value object, const name_row *row)
{
    value v = value_of(VALUE_FUNCTION);
    v.as.function.row = row;
    v.as.function.receiver = arena_copy(s->mem, &object, sizeof object);
    return v;
}

static value buffer_attribute(script *s, value object, str name, span at)
{
    const ir_buffer *b = object.as.buffer;
    if (str_is(name, "data")) return value_expr(ir_ref(s->mem, b->data, at));
    if (str_is(name, "dtype")) return value_type(b->type);
    if (str_is(name, "shape")) return shape_of(s, b->shape);
    if (str_is(name, "strides")) return shape_of(s, b->strides);
    if (str_is(name, "name")) return value_str(b->name);
    if (str_is(name, "ndim")) return value_int((py_int)b->shape.n);
    if (str_is(name, "elem_offset")) {
        return value_expr(b->elem_offset != NULL ? b->elem_offset
                                                 : ir_int_new(s->mem, IR_I32, 0, at));
    }
    const name_row *row = name_find(s, SPACE_METHOD, name);
    bool known = row != NULL && !str_is(name, "astype") && !str_is(name, "startswith") &&
                 !str_is(name, "endswith");
    if (known) return bound_method(s, object, row);
    return script_error(s, at, "a buffer has no attribute '%.*s' here", STR_ARG(name));
}

static value space_attribute(script *s, value object, str name, span at)
{
    space where = object.as.space;
    if (where == SPACE_FOREIGN) {
        value v = value_of(VALUE_UNKNOWN);
        v.as.text = STR("it comes from a package that cannot be used here");
        return s->muted != 0
                   ? v
                   : script_error(s, at, "'%.*s' comes from a package that cannot be used here",
                                  STR_ARG(name));
    }
    ir_type type;
    if (where == SPACE_T && !str_is(name, "handle") && type_by_name(name, &type))
        return value_type(type);
    double constant;
    if (where == SPACE_MATH && math_constant(name, &constant)) return value_float(constant);
    const name_row *row = name_find(s, where, name);
    if (row == NULL) {
        static const char *const spaces[] = {
            [SPACE_TVM] = "tvm",       [SPACE_SCRIPT] = "tvm.script",
            [SPACE_T] = "T",           [SPACE_I] = "I",
            [SPACE_AXIS] = "T.axis",   [SPACE_METAL] = "T.metal",
            [SPACE_TIRX] = "tvm.tirx", [SPACE_MATH] = "math", [SPACE_BUILTIN] = "Python",
            [SPACE_METHOD] = "this",   [SPACE_FOREIGN] = "this package"};
        return script_error(s, at, "%s.%.*s is not supported", spaces[where], STR_ARG(name));
    }
    if (row->fn == NULL) {
        bool old = object.is_old || (where == SPACE_SCRIPT && str_is(name, "tir"));
        return value_space((space)row->info, old);
    }
    value v = value_of(VALUE_FUNCTION);
    v.as.function.row = row;
    v.is_old = object.is_old;
    return v;
}

value eval_attribute(script *s, value object, str name, span at)
{
    if (object.kind == VALUE_POISON) return object;
    if (object.kind == VALUE_SPACE) return space_attribute(s, object, name, at);
    if (object.kind == VALUE_GLOBAL) {
        str path = str_format(s->mem, "%.*s.%.*s", STR_ARG(object.as.text), STR_ARG(name));
        if (map_get(&s->globals, path) == NULL)
            return script_error(s, at, "'%.*s' has no function '%.*s'", STR_ARG(object.as.text), STR_ARG(name));
        object.as.text = path;
        return object;
    }
    if (object.kind == VALUE_BUFFER) return buffer_attribute(s, object, name, at);
    if (object.kind == VALUE_EXPR || object.kind == VALUE_REGION) {
        if (str_is(name, "dtype") && object.kind == VALUE_EXPR)
            return value_type(object.as.expr->type);
        if (str_is(name, "buffer") && object.kind == VALUE_REGION)
            return value_buffer(object.as.region->buffer);
        if (str_is(name, "astype"))
            return bound_method(s, object, name_find(s, SPACE_METHOD, name));
    }
    if (object.kind == VALUE_STR && (str_is(name, "startswith") || str_is(name, "endswith"))) {
        return bound_method(s, object, name_find(s, SPACE_METHOD, name));
    }
    if (object.kind == VALUE_THREAD && str_is(name, "dtype")) {
        const ir_var *v = script_thread_var(s, object.as.thread, at);
        return v != NULL ? value_type(v->type) : value_poison();
    }
    if (object.kind == VALUE_THREAD && str_is(name, "var")) return object;
    return script_error(s, at, "%s has no attribute '%.*s' here", value_what(object),
                        STR_ARG(name));
}

/* ---- Displays -------------------------------------------------------------------------------- */

/* Adds the items of a starred value. */
static bool push_starred(script *s, value_vec *items, value v, span at)
{
    if (v.kind == VALUE_POISON) return false;
    if (v.kind != VALUE_TUPLE) {
        script_error(s, at, "only a list or tuple can be unpacked here, this is %s", value_what(v));
        return false;
    }
    for (size_t i = 0; i < v.as.list.n; ++i) value_vec_push(s->mem, items, v.as.list.at[i]);
    return true;
}

/* Where `names` has one name for each item, the items' calls name what they make by them. */
static value eval_tuple(script *s, const ast_tuple *n, hints names)
{
    value_vec items = {0};
    bool good = true, named = names.n == n->items.n;
    for (size_t i = 0; i < n->items.n; ++i) {
        const ast *item = n->items.at[i];
        if (item->kind == AST_STAR) {
            good = push_starred(s, &items, eval(s, ast_as_star(item)->value), item->at) && good;
            continue;
        }
        value v = eval_named(s, item, named ? (hints){&names.at[i], 1} : (hints){0});
        good = good && v.kind != VALUE_POISON;
        value_vec_push(s->mem, &items, v);
    }
    if (!good) return value_poison();
    value v = value_tuple((value_list){items.at, items.n});
    v.is_list = n->is_list;
    return v;
}

static value eval_dict(script *s, const ast_dict *n)
{
    value_vec items = {0};
    bool good = true;
    for (size_t i = 0; i < n->values.n; ++i) {
        if (n->keys.at[i] == NULL) {
            value more = eval(s, n->values.at[i]);
            if (more.kind != VALUE_DICT)
                return more.kind == VALUE_POISON ? more
                                                 : script_error(s, n->node.at, "'**' needs a dict");
            for (size_t j = 0; j < more.as.list.n; ++j)
                value_vec_push(s->mem, &items, more.as.list.at[j]);
            continue;
        }
        value key = eval(s, n->keys.at[i]), v = eval(s, n->values.at[i]);
        good = good && key.kind != VALUE_POISON && v.kind != VALUE_POISON;
        value_vec_push(s->mem, &items, key);
        value_vec_push(s->mem, &items, v);
    }
    if (!good) return value_poison();
    value v = value_of(VALUE_DICT);
    v.as.list = (value_list){items.at, items.n};
    return v;
}

/* ---- Operators ------------------------------------------------------------------------------- */

static value eval_compare(script *s, const ast_compare *n)
{
    value left = eval(s, n->first), all = value_of(VALUE_ABSENT);
    for (size_t i = 0; i < n->rest.n; ++i) {
        value right = eval(s, n->rest.at[i]);
        value one = op_compare(s, n->ops[i], left, right, n->node.at);
        if (one.kind == VALUE_POISON) return one;
        all = i == 0 ? one : op_logic(s, TOKEN_AND, all, one, n->node.at);
        if (value_is_python(all) && !value_truth(all)) return all;
        left = right;
    }
    return all;
}

static value eval_logic(script *s, const ast_logic *n)
{
    value all = eval(s, n->items.at[0]);
    for (size_t i = 1; i < n->items.n && all.kind != VALUE_POISON; ++i) {
        bool decided = value_is_python(all) && value_truth(all) == (n->op == TOKEN_OR);
        if (decided) return all;
        s->lazy++;
        value next = eval(s, n->items.at[i]);
        s->lazy--;
        all = op_logic(s, n->op, all, next, n->node.at);
    }
    return all;
}

static value eval_choice(script *s, const ast_choice *n)
{
    value cond = eval(s, n->cond);
    if (cond.kind == VALUE_POISON) return cond;
    if (value_is_python(cond)) return eval(s, value_truth(cond) ? n->yes : n->no);
    const ir_node *test = to_bool(s, cond, n->cond->at), *yes, *no;
    s->lazy++;
    value a = eval(s, n->yes), b = eval(s, n->no);
    s->lazy--;
    if (a.kind == VALUE_POISON || b.kind == VALUE_POISON || test == NULL) return value_poison();
    if (!to_common(s, a, b, false, n->node.at, &yes, &no)) return value_poison();
    ir_list args = ir_list_copy(s->mem, (const ir_node *const[]){test, yes, no}, 3);
    return value_expr(ir_call_new(s->mem, IR_FN_IF_THEN_ELSE, yes->type, args, n->node.at));
}

static value eval_slice(script *s, const ast_slice *n)
{
    const ast *parts[] = {n->lower, n->upper, n->step};
    value *items = arena_array(s->mem, value, 3);
    for (size_t i = 0; i < 3; ++i) {
        items[i] = parts[i] != NULL ? eval(s, parts[i]) : value_none();
        if (items[i].kind == VALUE_POISON) return value_poison();
    }
    value v = value_of(VALUE_SLICE);
    v.as.list = (value_list){items, 3};
    return v;
}

static value eval_constant(const ast_constant *n)
{
    if (n->word == TOKEN_TRUE || n->word == TOKEN_FALSE) return value_bool(n->word == TOKEN_TRUE);
    return value_none();
}

static value eval_lambda(script *s, const ast_lambda *n)
{
    closure *f = arena_new(s->mem, closure);
    *f = (closure){.node = &n->node, .scope = s->scope};
    value v = value_of(VALUE_CLOSURE);
    v.as.closure = f;
    return v;
}

static value eval_number(const ast_number *n)
{
    return n->value.is_float ? value_float(n->value.real) : value_int(n->value.integer);
}

static value eval_unary(script *s, const ast_unary *n)
{
    return op_unary(s, n->op, eval(s, n->a), n->node.at);
}

static value eval_binary(script *s, const ast_binary *n)
{
    value a = eval(s, n->a), b = eval(s, n->b);
    return op_binary(s, n->op, a, b, n->node.at);
}

static value eval_kind(script *s, const ast *n, hints names)
{
    switch (n->kind) {
    case AST_NAME: return eval_name(s, ast_as_name(n)->id, n->at);
    case AST_NUMBER: return eval_number(ast_as_number(n));
    case AST_STRING: return value_str(ast_as_string(n)->value);
    case AST_FORMAT: return eval_format(s, ast_as_format(n));
    case AST_CONSTANT: return eval_constant(ast_as_constant(n));
    case AST_TUPLE: return eval_tuple(s, ast_as_tuple(n), names);
    case AST_DICT: return eval_dict(s, ast_as_dict(n));
    case AST_COMPREHENSION: return eval_comprehension(s, ast_as_comprehension(n));
    case AST_UNARY: return eval_unary(s, ast_as_unary(n));
    case AST_BINARY: return eval_binary(s, ast_as_binary(n));
    case AST_LOGIC: return eval_logic(s, ast_as_logic(n));
    case AST_COMPARE: return eval_compare(s, ast_as_compare(n));
    case AST_CHOICE: return eval_choice(s, ast_as_choice(n));
    case AST_CALL: return eval_call(s, ast_as_call(n), names);
    case AST_ATTRIBUTE: {
        const ast_attribute *a = ast_as_attribute(n);
        return eval_attribute(s, eval(s, a->object), a->name, n->at);
    }
    case AST_SUBSCRIPT: return eval_subscript(s, ast_as_subscript(n));
    case AST_SLICE: return eval_slice(s, ast_as_slice(n));
    case AST_LAMBDA: return eval_lambda(s, ast_as_lambda(n));
    case AST_SET: return script_error(s, n->at, "sets are not supported");
    case AST_WALRUS: return script_error(s, n->at, "':=' is not supported");
    case AST_STAR: return script_error(s, n->at, "'*' cannot stand here");
    case AST_KEYWORD:
    case AST_CLAUSE:
    case AST_FIELD:
    case AST_PARAM:
    case AST_EXPRESSION:
    case AST_ASSIGN:
    case AST_AUGMENTED:
    case AST_ANNOTATED:
    case AST_FOR:
    case AST_WHILE:
    case AST_IF:
    case AST_WITH:
    case AST_WITH_ITEM:
    case AST_ASSERT:
    case AST_RETURN:
    case AST_PASS:
    case AST_BREAK:
    case AST_CONTINUE:
    case AST_DEF:
    case AST_CLASS:
    case AST_IMPORT:
    case AST_OTHER: break;
    }
    return script_error(s, n->at, "an expression is needed here");
}

value eval_named(script *s, const ast *n, hints names)
{
    if (!script_enter(s, n->at)) return value_poison();
    value v = eval_kind(s, n, names);
    script_leave(s);
    return v;
}

value eval(script *s, const ast *n)
{
    return eval_named(s, n, (hints){0});
}

const ir_node *eval_expr(script *s, const ast *n)
{
    value v = eval(s, n);
    return to_expr(s, v, n->at);
}
