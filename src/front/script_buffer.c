/* Buffers: their annotations, allocation, views, and the signature's shapes. */
#include "front/parse.h"
#include "front/script_inner.h"
#include "ir/fold.h"

/* What quoted names in shapes do: nothing new, variables of the signature, variables of a
 * match_buffer. */
typedef enum defines { DEFINES_NOTHING, DEFINES_SYMBOLS, DEFINES_MATCHED } defines;

/* ---- Shapes ---------------------------------------------------------------------------------- */

typedef struct quoted {
    script *s;
    defines mode;
} quoted;

ir_type script_symbol_type(script *s, str name, ir_type otherwise)
{
    ast_list params = s->func->def->params;
    for (size_t i = 0; i < params.n; ++i) {
        const ast_param *p = ast_as_param(params.at[i]);
        if (!str_eq(p->name, name) || p->annotation == NULL || p->annotation->kind == AST_CALL)
            continue;
        value v = eval(s, p->annotation);
        if (v.kind == VALUE_TYPE && ir_type_is_int(v.as.type)) return v.as.type;
    }
    return otherwise;
}

static void define_name(void *user, const ast *n)
{
    quoted *q = user;
    script *s = q->s;
    if (n->kind != AST_NAME) return;
    str name = ast_as_name(n)->id;
    bool inside;
    if (scope_find(s, name, &inside) != NULL || str_is(name, "T") ||
        name_find(s, SPACE_BUILTIN, name) != NULL)
        return;
    const ir_var *v = ir_var_new(s->mem, name, script_symbol_type(s, name, IR_I32), n->at);
    if (q->mode == DEFINES_SYMBOLS) ir_var_vec_push(s->mem, &s->func->symbols, v);
    scope_bind(s, name, value_expr(ir_ref(s->mem, v, n->at)), n->at);
}

/* The value of a quoted expression. */
static value eval_quoted(script *s, str text, span at, defines mode)
{
    lex_input input = {.text = text, .is_fixed = true, .fixed = at};
    const ast *n = parse_expression(s->mem, s->diags, input);
    if (n == NULL) return value_poison();
    quoted q = {.s = s, .mode = mode};
    if (mode != DEFINES_NOTHING) ast_each(n, define_name, &q);
    return eval(s, n);
}

static void define_in_shape(void *user, const ast *n)
{
    quoted *q = user;
    if (n->kind != AST_STRING) return;
    lex_input input = {.text = ast_as_string(n)->value, .is_fixed = true, .fixed = n->at};
    const ast *e = parse_expression(q->s->mem, q->s->diags, input);
    if (e != NULL) ast_each(e, define_name, q);
}

void buffer_define_quoted(script *s, const ast *annotation)
{
    if (annotation->kind != AST_CALL) return;
    ast_list args = ast_as_call(annotation)->args;
    quoted q = {.s = s, .mode = DEFINES_SYMBOLS};
    for (size_t i = 0; i < args.n; ++i) {
        bool named = args.at[i]->kind == AST_KEYWORD;
        const ast *shape = named ? ast_as_keyword(args.at[i])->value : args.at[i];
        if (named ? !str_is(ast_as_keyword(args.at[i])->name, "shape") : i != 0) continue;
        if (shape->kind == AST_TUPLE) ast_each(shape, define_in_shape, &q);
    }
}

/* One extent, stride or offset. NULL: reported. */
static const ir_node *dimension(script *s, value v, span at, defines mode)
{
    if (v.kind == VALUE_STR) v = eval_quoted(s, v.as.text, at, mode);
    if (v.kind == VALUE_INT && (v.as.integer > INT32_MAX || v.as.integer < INT32_MIN)) {
        return literal_of(s, v, IR_I64, at);
    }
    const ir_node *n = to_index(s, v, at);
    if (n != NULL && n->type.lanes != 1) {
        script_error(s, at, "a shape consists of scalar integers");
        return NULL;
    }
    return n;
}

static bool dimensions(script *s, value v, span at, defines mode, ir_list *out)
{
    ir_node_vec all = {0};
    value_list items = v.kind == VALUE_TUPLE ? v.as.list : (value_list){&v, 1};
    if (items.n > 32) {
        script_error(s, at, "more than 32 dimensions");
        return false;
    }
    for (size_t i = 0; i < items.n; ++i) {
        const ir_node *n = dimension(s, items.at[i], at, mode);
        if (n == NULL) return false;
        int64_t known;
        if (ir_const_value(n, &known) && known < 0) {
            script_error(s, at, "a buffer cannot have the extent %lld", (long long)known);
            return false;
        }
        ir_node_vec_push(s->mem, &all, n);
    }
    *out = ir_list_of(all);
    return true;
}

value shape_of(script *s, ir_list list)
{
    value_vec items = {0};
    for (size_t i = 0; i < list.n; ++i) value_vec_push(s->mem, &items, value_expr(list.at[i]));
    return value_tuple((value_list){items.at, items.n});
}

/* ---- Specs ----------------------------------------------------------------------------------- */

/* The argument of that name, ABSENT where the function has no such parameter. */
static value argument(const call *c, const char *name, span *at)
{
    size_t length = strlen(name), index = 0;
    *at = c->at;
    for (const char *text = c->row->params; *text != '\0'; ++index) {
        size_t n = strcspn(text, " ");
        bool same = strncmp(text, name, length) == 0 &&
                    (n == length || (n == length + 1 && text[length] == '?'));
        if (same) {
            *at = c->spans[index];
            return c->args[index];
        }
        text += n;
        while (*text == ' ') ++text;
    }
    return value_of(VALUE_ABSENT);
}

static bool refuse_extras(script *s, const call *c)
{
    span at;
    value kind = argument(c, "buffer_type", &at), axes = argument(c, "axis_separators", &at);
    bool is_plain =
        !value_is_given(kind) ||
        (kind.kind == VALUE_STR && (kind.as.text.n == 0 || str_is(kind.as.text, "default")));
    if (!is_plain) {
        script_error(s, c->at, "buffer_type is not supported");
        return false;
    }
    if (value_is_given(axes) && !(axes.kind == VALUE_TUPLE && axes.as.list.n == 0)) {
        script_error(s, c->at, "axis_separators are not supported");
        return false;
    }
    value layout = argument(c, "layout", &at);
    if (value_is_given(layout) &&
        !(layout.kind == VALUE_STR && str_is(layout.as.text, "default"))) {
        script_error(s, at, "a buffer with a layout is not supported");
        return false;
    }
    return true;
}

bool spec_from_call(script *s, const call *c, buffer_spec *out)
{
    *out = (buffer_spec){.at = c->at, .type = IR_F32};
    span at;
    out->shape = argument(c, "shape", &out->shape_at);
    value type = argument(c, "dtype", &at);
    if (value_is_given(type) && !to_dtype(s, type, at, &out->type)) return false;
    if (ir_type_is_void(out->type)) {
        script_error(s, at, "a buffer cannot be of type void");
        return false;
    }
    value where = argument(c, "scope", &at);
    if (value_is_given(where) && !to_scope(s, where, at, &out->scope)) return false;
    out->strides = argument(c, "strides", &at);
    out->elem_offset = argument(c, "elem_offset", &at);
    out->byte_offset = argument(c, "byte_offset", &at);
    out->data = argument(c, "data", &at);
    value align = argument(c, "align", &at);
    if (value_is_given(align) && !to_int(s, align, -1, 1 << 20, at, "align", &out->align))
        return false;
    if (out->align < 0) out->align = 0; /* -1: not said */
    value factor = argument(c, "offset_factor", &at);
    if (value_is_given(factor) &&
        !to_int(s, factor, 0, 1 << 20, at, "offset_factor", &out->offset_factor))
        return false;
    return refuse_extras(s, c);
}

/* Offset in elements. False: reported; NULL: none. */
static bool element_offset(script *s, const buffer_spec *spec, str name, defines mode,
                           const ir_node **out)
{
    *out = NULL;
    value offset = spec->elem_offset;
    if (value_is_given(spec->byte_offset)) {
        if (value_is_given(offset)) {
            script_error(s, spec->at, "give elem_offset or byte_offset, not both");
            return false;
        }
        offset = op_binary(s, TOKEN_FLOOR, spec->byte_offset, value_int(ir_type_bytes(spec->type)),
                           spec->at);
    }
    if (!value_is_given(offset) && spec->offset_factor > 0 && mode != DEFINES_NOTHING) {
        offset = value_str(str_format(s->mem, "%.*s_elem_offset", STR_ARG(name)));
    }
    if (!value_is_given(offset)) return true;
    *out = dimension(s, offset, spec->at, mode);
    return *out != NULL;
}

static const ir_buffer *make(script *s, const buffer_spec *spec, str name, const ir_var *data,
                             defines mode)
{
    ir_buffer *b = arena_new(s->mem, ir_buffer);
    *b = (ir_buffer){.name = name,
                     .type = spec->type,
                     .scope = spec->scope,
                     .align = spec->align,
                     .offset_factor = spec->offset_factor,
                     .at = spec->at};
    if (!dimensions(s, spec->shape, spec->shape_at, mode, &b->shape)) return NULL;
    if (value_is_given(spec->strides) && !dimensions(s, spec->strides, spec->at, mode, &b->strides))
        return NULL;
    if (b->strides.n != 0 && b->strides.n != b->shape.n) {
        script_error(s, spec->at, "%zu strides for %zu dimensions", b->strides.n, b->shape.n);
        return NULL;
    }
    if (!element_offset(s, spec, name, mode, &b->elem_offset)) return NULL;
    b->data = data != NULL ? data : ir_var_pointer(s->mem, name, spec->type, spec->scope, spec->at);
    return b;
}

const ir_buffer *buffer_make(script *s, const buffer_spec *spec, str name, const ir_var *data)
{
    return make(s, spec, name, data, s->in_signature ? DEFINES_SYMBOLS : DEFINES_NOTHING);
}

const ir_buffer *buffer_scalar(script *s, str name, ir_type type, ir_scope where, span at)
{
    buffer_spec spec = {
        .at = at, .shape_at = at, .type = type, .scope = where, .shape = value_int(1)};
    return make(s, &spec, name, NULL, DEFINES_NOTHING);
}

/* ---- Functions ------------------------------------------------------------------------------- */

static bool needs_body(script *s, const call *c)
{
    if (s->suite != NULL) return true;
    script_error(s, c->at, "T.%s belongs into the body of a function", c->row->name);
    return false;
}

static void emit_alloc(script *s, const ir_buffer *b, ir_attrs notes, span at)
{
    suite_emit(s, ir_make(s->mem, ALLOC, alloc, at, IR_VOID, .buffer = b, .annotations = notes));
}

value fn_alloc_buffer(script *s, const call *c)
{
    buffer_spec spec;
    if (!needs_body(s, c) || !spec_from_call(s, c, &spec)) return value_poison();
    if (value_is_given(spec.data))
        return script_error(s, c->at, "an allocation takes no data=; T.decl_buffer views memory");
    if (c->row->info == ALLOC_SHARED) spec.scope = IR_SCOPE_SHARED;
    if (c->row->info == ALLOC_LOCAL) spec.scope = IR_SCOPE_LOCAL;
    const ir_buffer *b = buffer_make(s, &spec, call_hint(c, "buffer"), NULL);
    if (b == NULL) return value_poison();
    /* In older scripts an allocation belongs to its block. */
    bool old = (c->is_old || s->func->is_old) && s->func->has_blocks;
    bool of_block = c->row->info == ALLOC_BLOCK || (c->row->info == ALLOC_STATEMENT && old);
    if (of_block) {
        ir_buffer_vec_push(s->mem, &s->block->allocs, b);
        s->func->has_blocks = true;
        return value_buffer(b);
    }
    span at;
    attr_vec notes = {0};
    value given = argument(c, "annotations", &at);
    if (value_is_given(given) && !to_attrs(s, given, at, &notes)) return value_poison();
    emit_alloc(s, b, (ir_attrs){notes.at, notes.n}, c->at);
    return value_buffer(b);
}

value fn_alloc_scalar(script *s, const call *c)
{
    ir_type type = IR_F32;
    if (!needs_body(s, c)) return value_poison();
    if (value_is_given(c->args[0]) && !to_dtype(s, c->args[0], c->spans[0], &type))
        return value_poison();
    ir_scope where = c->row->info == ALLOC_SHARED ? IR_SCOPE_SHARED : IR_SCOPE_LOCAL;
    const ir_buffer *b = buffer_scalar(s, call_hint(c, "x"), type, where, c->at);
    if (b == NULL) return value_poison();
    emit_alloc(s, b, (ir_attrs){0}, c->at);
    value v = value_of(VALUE_SCALAR);
    v.as.buffer = b;
    return value_fresh(v);
}

/* The pointer variable that data= names; one is bound where it is an expression. NULL: reported. */
static const ir_var *data_pointer(script *s, value data, str name, span at)
{
    if (data.kind == VALUE_BUFFER) return data.as.buffer->data;
    const ir_node *n = to_expr(s, data, at);
    if (n == NULL) return NULL;
    if (!ir_type_is_pointer(n->type) || n->kind == IR_STRING) {
        script_error(s, at, "data= takes a pointer, such as A.data");
        return NULL;
    }
    if (n->kind == IR_VAR) return ir_as_var_ref(n)->var;
    ir_type pointee;
    ir_scope where;
    pointer_target(data, &pointee, &where);
    const ir_var *v =
        ir_var_pointer(s->mem, str_format(s->mem, "%.*s_ptr", STR_ARG(name)), pointee, where, at);
    suite_emit(s, ir_make(s->mem, BIND, bind, at, IR_VOID, .var = v, .value = n));
    return v;
}

value buffer_declare(script *s, const call *c, buffer_spec *spec)
{
    str name = call_hint(c, "buffer");
    const ir_var *data = data_pointer(s, spec->data, name, c->at);
    if (data == NULL) return value_poison();
    span at;
    value where = argument(c, "scope", &at);
    if (!value_is_given(where)) spec->scope = data->scope;
    if (spec->scope != data->scope) {
        return script_error(s, at, "a view in scope '%s' of memory in scope '%s'",
                            ir_scope_text(spec->scope), ir_scope_text(data->scope));
    }
    const ir_buffer *b = buffer_make(s, spec, name, data);
    if (b == NULL) return value_poison();
    suite_emit(s, ir_make(s->mem, DECL, decl, c->at, IR_VOID, .buffer = b));
    return value_buffer(b);
}

value fn_decl_buffer(script *s, const call *c)
{
    buffer_spec spec;
    if (!needs_body(s, c) || !spec_from_call(s, c, &spec)) return value_poison();
    if (value_is_given(spec.data)) return buffer_declare(s, c, &spec);
    const ir_buffer *b = buffer_make(s, &spec, call_hint(c, "buffer"), NULL);
    if (b == NULL) return value_poison();
    emit_alloc(s, b, (ir_attrs){0}, c->at);
    return value_buffer(b);
}

/* T.Buffer(...): an annotation, or in older bodies a view of data=. */
value fn_buffer(script *s, const call *c)
{
    buffer_spec spec;
    if (!spec_from_call(s, c, &spec)) return value_poison();
    if (s->suite != NULL && !s->in_signature) {
        if (value_is_given(spec.data)) return buffer_declare(s, c, &spec);
        return script_error(s, c->at, "T.%s in a body needs data=; T.alloc_buffer makes new memory",
                            c->row->name);
    }
    if (value_is_given(spec.data))
        return script_error(s, c->at, "data= of a parameter is not supported");
    value v = value_of(VALUE_SPEC);
    v.as.spec = arena_copy(s->mem, &spec, sizeof spec);
    return v;
}

/* The older T.allocate: memory, named by its pointer. */
value fn_allocate(script *s, const call *c)
{
    if (!needs_body(s, c)) return value_poison();
    buffer_spec spec = {.at = c->at, .shape_at = c->spans[0], .shape = c->args[0]};
    if (!to_dtype(s, c->args[1], c->spans[1], &spec.type)) return value_poison();
    if (value_is_given(c->args[2]) && !to_scope(s, c->args[2], c->spans[2], &spec.scope))
        return value_poison();
    bool always =
        !value_is_given(c->args[3]) || (value_is_python(c->args[3]) && value_truth(c->args[3]));
    if (!always)
        return script_error(s, c->spans[3], "an allocation under a condition is not supported");
    attr_vec notes = {0};
    if (value_is_given(c->args[4]) && !to_attrs(s, c->args[4], c->spans[4], &notes))
        return value_poison();
    const ir_buffer *b = buffer_make(s, &spec, call_hint(c, "memory"), NULL);
    if (b == NULL) return value_poison();
    emit_alloc(s, b, (ir_attrs){notes.at, notes.n}, c->at);
    return value_fresh(value_expr(ir_ref(s->mem, b->data, c->at)));
}

/* A parameter's handle becomes a buffer parameter. */
static value match_param(script *s, const call *c, const ir_var *handle, buffer_spec *spec)
{
    for (size_t i = 0; i < s->func->params.n; ++i) {
        ir_param *p = &s->func->params.at[i];
        if (p->var != handle) continue;
        if (p->buffer != NULL)
            return script_error(s, c->at, "'%.*s' is matched a second time", STR_ARG(handle->name));
        p->buffer = make(s, spec, call_hint(c, "buffer"), NULL, DEFINES_SYMBOLS);
        return value_buffer(p->buffer);
    }
    return script_error(s, c->at,
                        "T.match_buffer takes a parameter that is a handle, or a part of a buffer");
}

value fn_match_buffer(script *s, const call *c)
{
    buffer_spec spec;
    if (!needs_body(s, c) || !spec_from_call(s, c, &spec)) return value_poison();
    value from = c->args[0];
    bool handle = from.kind == VALUE_EXPR && from.as.expr->kind == IR_VAR;
    if (handle && spec.shape.kind == VALUE_ABSENT)
        return script_error(s, c->at, "T.match_buffer lacks the shape");
    if (handle) return match_param(s, c, ir_as_var_ref(from.as.expr)->var, &spec);
    if (from.kind == VALUE_BUFFER && from.is_handle) return script_match_handle(s, c, &spec);
    ir_match m = {0};
    if (!to_region(s, from, c->spans[0], &m.source)) return value_poison();
    if (s->block == &s->func->root)
        return script_error(s, c->at, "T.match_buffer of a part of a buffer belongs into a block");
    span at;
    if (!value_is_given(argument(c, "dtype", &at))) spec.type = m.source.buffer->type;
    if (!value_is_given(argument(c, "scope", &at))) spec.scope = m.source.buffer->scope;
    if (spec.shape.kind == VALUE_ABSENT) {
        ir_node_vec extents = {0};
        for (size_t i = 0; i < m.source.n; ++i)
            ir_node_vec_push(s->mem, &extents, m.source.ranges[i].extent);
        spec.shape = shape_of(s, ir_list_of(extents));
    }
    m.buffer = make(s, &spec, call_hint(c, "buffer"), NULL, DEFINES_MATCHED);
    if (m.buffer == NULL) return value_poison();
    match_vec_push(s->mem, &s->block->matches, m);
    return value_buffer(m.buffer);
}

value fn_method_scope(script *s, const call *c)
{
    (void)s;
    return value_str(str_of(ir_scope_text(c->receiver.as.buffer->scope)));
}

value fn_let(script *s, const call *c)
{
    return script_error(
        s, c->at, "T.let as a call is not supported; T.let is an annotation, T.Let an expression");
}
