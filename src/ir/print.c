/* Modules, functions and statements as TVMScript. */
#include "ir/print.h"

#include "base/letters.h"
#include "ir/fold.h"
#include "ir/printer.h"
#include "ir/walk.h"

/* ---- Names ----------------------------------------------------------------------------------- */

static const char *const words[] = {
    "False",    "None",   "True",     "and",   "as",     "assert", "async", "await",
    "break",    "class",  "continue", "def",   "del",    "elif",   "else",  "except",
    "for",      "from",   "global",   "if",    "import", "in",     "is",    "lambda",
    "not",      "or",     "pass",     "raise", "try",    "while",  "with",  "yield",
    "nonlocal", "return", "finally",  "T",     "I",      "range"};

printer printer_make(arena *mem, buf *out)
{
    printer p = {.mem = mem, .out = out};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
        str word = str_of(words[i]);
        map_put(mem, &p.taken, word, arena_copy(mem, &word, sizeof word));
    }
    return p;
}

/* The name with whatever no identifier has replaced. */
static str as_identifier(printer *p, str name)
{
    if (name.n == 0) return STR("v");
    char *text = arena_alloc(p->mem, name.n + 2);
    size_t n = 0;
    if (letters_begin(name) == 0 && letters_continue(name) != 0) text[n++] = '_';
    for (size_t i = 0; i < name.n;) {
        size_t length = letters_continue((str){name.p + i, name.n - i});
        if (length == 0) text[n++] = '_';
        else memcpy(text + n, name.p + i, length);
        n += length;
        i += length != 0 ? length : 1;
    }
    text[n] = '\0';
    return (str){text, n};
}

static str new_name(printer *p, const void *id, str wanted)
{
    str name = as_identifier(p, wanted), unique = name;
    if (map_get(&p->taken, unique) != NULL) {
        size_t *last = map_get(&p->series, name);
        if (last == NULL) {
            last = arena_new(p->mem, size_t);
            map_put(p->mem, &p->series, name, last);
        }
        do unique = str_format(p->mem, "%.*s_%zu", STR_ARG(name), ++*last);
        while (map_get(&p->taken, unique) != NULL);
    }
    str *kept = arena_copy(p->mem, &unique, sizeof unique);
    map_put(p->mem, &p->taken, unique, kept);
    map_put_id(p->mem, &p->names, id, kept);
    return unique;
}

str printer_var(printer *p, const ir_var *v)
{
    const str *known = map_get_id(&p->names, v);
    return known != NULL ? *known : new_name(p, v, v->name);
}

str printer_buffer(printer *p, const ir_buffer *b)
{
    const str *known = map_get_id(&p->names, b);
    return known != NULL ? *known : new_name(p, b, b->name);
}

void printer_own(printer *p, const ir_buffer *b)
{
    map_put_id(p->mem, &p->owners, b->data, b);
}

/* ---- Buffers --------------------------------------------------------------------------------- */

static void print_stmt(printer *p, const ir_node *n);

static void begin_line(printer *p)
{
    buf_indent(p->out);
}

static void end_line(printer *p)
{
    buf_char(p->out, '\n');
}

static void print_name(printer *p, str name)
{
    buf_str(p->out, name);
}

/* A stride or offset that the signature or a match_buffer defines: quoted, as it is not known
 * before. */
static void print_defining(printer *p, const ir_node *n, bool quoted)
{
    bool quote = quoted && n->kind != IR_INT_IMM;
    if (quote) buf_char(p->out, '"');
    print_expr(p, n, 0);
    if (quote) buf_char(p->out, '"');
}

static void print_quoted_list(printer *p, ir_list list, bool quoted)
{
    buf_char(p->out, '(');
    for (size_t i = 0; i < list.n; ++i) {
        if (i != 0) buf_text(p->out, ", ");
        print_defining(p, list.at[i], quoted);
    }
    buf_text(p->out, list.n == 1 ? ",)" : ")");
}

/* (shape, "dtype", ...): the arguments of T.Buffer, T.alloc_buffer, T.decl_buffer and
 * T.match_buffer. */
static void print_buffer_args(printer *p, const ir_buffer *b, const ir_var *data, bool defines)
{
    char text[IR_TYPE_TEXT];
    print_quoted_list(p, b->shape, defines);
    buf_printf(p->out, ", \"%s\"", ir_type_print(b->type, text));
    if (data != NULL) {
        buf_text(p->out, ", data=");
        print_pointer(p, data);
    }
    if (b->strides.n != 0) {
        buf_text(p->out, ", strides=");
        print_quoted_list(p, b->strides, defines);
    }
    if (b->elem_offset != NULL && !ir_is_const(b->elem_offset, 0)) {
        buf_text(p->out, ", elem_offset=");
        print_defining(p, b->elem_offset, defines);
    }
    if (b->scope != IR_SCOPE_GLOBAL) buf_printf(p->out, ", scope=\"%s\"", ir_scope_text(b->scope));
    if (b->align != 0) buf_printf(p->out, ", align=%lld", (long long)b->align);
    if (b->offset_factor != 0)
        buf_printf(p->out, ", offset_factor=%lld", (long long)b->offset_factor);
}

static void print_buffer_line(printer *p, const char *fn, const ir_buffer *b, const ir_var *data,
                              ir_attrs notes)
{
    begin_line(p);
    print_name(p, printer_buffer(p, b));
    buf_printf(p->out, " = T.%s(", fn);
    print_buffer_args(p, b, data, false);
    if (notes.n != 0) {
        buf_text(p->out, ", annotations=");
        print_attrs(p, notes);
    }
    buf_text(p->out, ")\n");
    if (data == NULL) printer_own(p, b);
}

/* ---- Statements ------------------------------------------------------------------------------ */

static void print_body(printer *p, const ir_node *body)
{
    p->out->depth++;
    if (ir_is_nop(body)) {
        buf_line(p->out, "pass");
    } else {
        print_stmt(p, body);
    }
    p->out->depth--;
}

static void print_header(printer *p, const char *word, const ir_node *cond)
{
    begin_line(p);
    buf_printf(p->out, "%s ", word);
    print_expr(p, cond, 0);
    buf_text(p->out, ":\n");
}

static void print_store(printer *p, const ir_store *n)
{
    begin_line(p);
    if (n->predicate == NULL) {
        print_access(p, n->buffer, n->index);
        buf_text(p->out, " = ");
        print_expr(p, n->value, 0);
        end_line(p);
        return;
    }
    print_name(p, printer_buffer(p, n->buffer));
    buf_text(p->out, ".vstore([");
    print_exprs(p, n->index);
    buf_text(p->out, "], ");
    print_expr(p, n->value, 0);
    buf_text(p->out, ", predicate=");
    print_expr(p, n->predicate, 0);
    buf_text(p->out, ")\n");
}

static void print_bind(printer *p, const ir_bind *n)
{
    begin_line(p);
    print_name(p, printer_var(p, n->var));
    buf_text(p->out, ": T.let");
    if (ir_type_is_pointer(n->var->type)) {
        buf_char(p->out, '[');
        print_pointer_type(p, n->var);
        buf_char(p->out, ']');
    }
    buf_text(p->out, " = ");
    print_expr(p, n->value, 0);
    end_line(p);
}

static void print_loop(printer *p, const ir_for *n)
{
    static const char *const makers[] = {[IR_SERIAL] = "T.serial",
                                         [IR_PARALLEL] = "T.parallel",
                                         [IR_VECTORIZED] = "T.vectorized",
                                         [IR_UNROLLED] = "T.unroll",
                                         [IR_THREAD_BOUND] = "T.thread_binding"};
    /* range() counts in int32 at least. */
    bool plain = n->loop == IR_SERIAL && n->annotations.n == 0 && n->var->type.bits >= 32;
    begin_line(p);
    buf_printf(p->out, "for %.*s in %s(", STR_ARG(printer_var(p, n->var)),
               plain ? "range" : makers[n->loop]);
    if (!ir_is_const(n->min, 0)) {
        print_expr(p, n->min, 0);
        buf_text(p->out, ", ");
    }
    print_expr(p, ir_add(p->mem, n->min, n->extent), 0);
    if (n->loop == IR_THREAD_BOUND) {
        buf_text(p->out, ", thread=");
        print_string(p, n->tag);
    }
    if (n->annotations.n != 0) {
        buf_text(p->out, ", annotations=");
        print_attrs(p, n->annotations);
    }
    buf_text(p->out, "):\n");
    print_body(p, n->body);
}

static void print_if(printer *p, const ir_if *n)
{
    print_header(p, "if", n->cond);
    print_body(p, n->yes);
    if (n->no == NULL) return;
    buf_line(p->out, "else:");
    print_body(p, n->no);
}

static void print_assert(printer *p, const ir_assert *n)
{
    begin_line(p);
    buf_text(p->out, "assert ");
    print_expr(p, n->cond, 0);
    buf_text(p->out, ", ");
    if (str_is(n->error, "RuntimeError")) {
        print_string(p, n->message);
    } else {
        buf_char(p->out, '(');
        print_string(p, n->error);
        buf_text(p->out, ", [");
        print_string(p, n->message);
        buf_text(p->out, "])");
    }
    end_line(p);
}

static void print_attr(printer *p, const ir_attr *n)
{
    begin_line(p);
    buf_text(p->out, "with T.attr(");
    if (n->subject != NULL) {
        print_expr(p, n->subject, 0);
    } else {
        buf_text(p->out, "None");
    }
    buf_text(p->out, ", ");
    print_string(p, n->key);
    buf_text(p->out, ", ");
    print_expr(p, n->value, 0);
    buf_text(p->out, "):\n");
    print_body(p, n->body);
}

static void print_thread(printer *p, const ir_thread *n)
{
    begin_line(p);
    buf_text(p->out, "with T.launch_thread(");
    print_string(p, n->tag);
    buf_text(p->out, ", ");
    print_expr(p, n->extent, 0);
    buf_printf(p->out, ") as %.*s:\n", STR_ARG(printer_var(p, n->var)));
    print_body(p, n->body);
}

static void print_eval(printer *p, const ir_node *value)
{
    bool bare =
        value->kind == IR_CALL && ir_builtins[ir_as_call(value)->fn].effect == IR_EFFECT_EFFECT;
    begin_line(p);
    if (!bare) buf_text(p->out, "T.evaluate(");
    print_expr(p, value, 0);
    buf_text(p->out, bare ? "\n" : ")\n");
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

static void print_iter(printer *p, const ir_iter *iter)
{
    static const char *const kinds[] = {[IR_SPATIAL] = "spatial",
                                        [IR_REDUCE] = "reduce",
                                        [IR_SCAN] = "scan",
                                        [IR_OPAQUE] = "opaque"};
    begin_line(p);
    print_name(p, printer_var(p, iter->var));
    buf_printf(p->out, " = T.axis.%s(", kinds[iter->kind]);
    if (ir_is_const(iter->min, 0)) {
        print_expr(p, iter->extent, 0);
    } else {
        const ir_node *stop = ir_add(p->mem, iter->min, iter->extent);
        print_tuple(p, (ir_list){(const ir_node *const[]){iter->min, stop}, 2});
    }
    buf_text(p->out, ", ");
    print_expr(p, iter->binding, 0);
    buf_text(p->out, ")\n");
}

static void print_regions(printer *p, const char *fn, ir_regions regions)
{
    begin_line(p);
    buf_printf(p->out, "T.%s(", fn);
    for (size_t i = 0; i < regions.n; ++i) {
        if (i != 0) buf_text(p->out, ", ");
        print_region(p, &regions.at[i]);
    }
    buf_text(p->out, ")\n");
}

static void print_match(printer *p, const ir_match *m)
{
    begin_line(p);
    print_name(p, printer_buffer(p, m->buffer));
    buf_text(p->out, " = T.match_buffer(");
    print_region(p, &m->source);
    buf_text(p->out, ", ");
    print_buffer_args(p, m->buffer, NULL, true);
    buf_text(p->out, ")\n");
    printer_own(p, m->buffer);
}

static void print_allocs(printer *p, ir_buffers allocs)
{
    for (size_t i = 0; i < allocs.n; ++i) {
        print_buffer_line(p, "sblock_alloc_buffer", allocs.at[i], NULL, (ir_attrs){0});
    }
}

static void print_block(printer *p, const ir_block *n)
{
    begin_line(p);
    buf_text(p->out, "with T.sblock(");
    print_string(p, n->name);
    buf_text(p->out, "):\n");
    p->out->depth++;
    for (size_t i = 0; i < n->iters.n; ++i) print_iter(p, &n->iters.at[i]);
    if (!ir_is_const(n->predicate, 1)) {
        begin_line(p);
        buf_text(p->out, "T.where(");
        print_expr(p, n->predicate, 0);
        buf_text(p->out, ")\n");
    }
    if (n->regions_given) {
        print_regions(p, "reads", n->reads);
        print_regions(p, "writes", n->writes);
    }
    if (n->annotations.n != 0) {
        begin_line(p);
        buf_text(p->out, "T.sblock_attr(");
        print_attrs(p, n->annotations);
        buf_text(p->out, ")\n");
    }
    print_allocs(p, n->allocs);
    for (size_t i = 0; i < n->matches.n; ++i) print_match(p, &n->matches.at[i]);
    if (n->init != NULL) {
        buf_line(p->out, "with T.init():");
        print_body(p, n->init);
    }
    p->out->depth--;
    print_body(p, n->body);
}

static void print_stmt(printer *p, const ir_node *n)
{
    switch (n->kind) {
    case IR_SEQ: {
        ir_list body = ir_as_seq(n)->body;
        for (size_t i = 0; i < body.n; ++i) print_stmt(p, body.at[i]);
        return;
    }
    case IR_STORE: print_store(p, ir_as_store(n)); return;
    case IR_BIND: print_bind(p, ir_as_bind(n)); return;
    case IR_ALLOC:
        print_buffer_line(p, "alloc_buffer", ir_as_alloc(n)->buffer, NULL,
                          ir_as_alloc(n)->annotations);
        return;
    case IR_DECL: {
        const ir_buffer *b = ir_as_decl(n)->buffer;
        print_buffer_line(p, "decl_buffer", b, b->data, (ir_attrs){0});
        return;
    }
    case IR_FOR: print_loop(p, ir_as_for(n)); return;
    case IR_WHILE:
        print_header(p, "while", ir_as_while(n)->cond);
        print_body(p, ir_as_while(n)->body);
        return;
    case IR_IF: print_if(p, ir_as_if(n)); return;
    case IR_BREAK: buf_line(p->out, "break"); return;
    case IR_CONTINUE: buf_line(p->out, "continue"); return;
    case IR_RETURN:
        begin_line(p);
        buf_text(p->out, "return ");
        if (ir_as_return(n)->value != NULL) {
            print_expr(p, ir_as_return(n)->value, 0);
        } else {
            buf_text(p->out, "None");
        }
        end_line(p);
        return;
    case IR_EVAL: print_eval(p, ir_as_eval(n)->value); return;
    case IR_ASSERT: print_assert(p, ir_as_assert(n)); return;
    case IR_ATTR: print_attr(p, ir_as_attr(n)); return;
    case IR_THREAD: print_thread(p, ir_as_thread(n)); return;
    case IR_BLOCK: print_block(p, ir_as_block(n)); return;
#define STMT(KIND)
#define EXPR(KIND)                            case IR_##KIND:
#define IR_NODE(KIND, name, category, fields) category(KIND)
#include "ir/nodes.def"
#undef IR_NODE
#undef STMT
#undef EXPR
        assert(false && "an expression is no statement");
    }
}

/* ---- Functions and modules ---------------------------------------------------------------------
 */

typedef struct contents {
    printer *p;
    bool blocks;
    ir_var_vec lets; /* variables of let expressions, which text declares beforehand */
} contents;

static void look_at(void *user, const ir_node *n)
{
    contents *c = user;
    if (n->kind == IR_BLOCK) c->blocks = true;
    if (n->kind == IR_LET) ir_var_vec_push(c->p->mem, &c->lets, ir_as_let(n)->var);
}

static contents look_into(printer *p, const ir_node *body)
{
    contents c = {.p = p};
    ir_each(body, look_at, &c);
    return c;
}

static bool has_block(printer *p, const ir_node *body)
{
    return look_into(p, body).blocks;
}

/* The root block goes without saying where the text holds another block, or allocations of a block.
 */
static bool root_is_implied(printer *p, const ir_node *body)
{
    if (body->kind != IR_BLOCK) return false;
    const ir_block *b = ir_as_block(body);
    if (!str_is(b->name, "root") || b->iters.n != 0 || b->regions_given || b->matches.n != 0)
        return false;
    if (b->annotations.n != 0 || b->init != NULL || !ir_is_const(b->predicate, 1)) return false;
    return b->allocs.n != 0 || has_block(p, b->body);
}

static void print_param(printer *p, const ir_param *param)
{
    if (param->buffer != NULL) {
        print_name(p, printer_buffer(p, param->buffer));
        buf_text(p->out, ": T.Buffer(");
        print_buffer_args(p, param->buffer, NULL, true);
        buf_char(p->out, ')');
        printer_own(p, param->buffer);
        return;
    }
    print_name(p, printer_var(p, param->var));
    buf_text(p->out, ": ");
    if (ir_type_is_pointer(param->var->type)) {
        print_pointer_type(p, param->var);
    } else {
        print_type(p, param->var->type);
    }
}

static void print_key(printer *p, const char *key, bool *any)
{
    buf_printf(p->out, "%s\"%s\": ", *any ? ", " : "", key);
    *any = true;
}

/* T.func_attr({...}): the function's kind and launch record beside its attributes. */
static void print_func_attrs(printer *p, const ir_func *f, bool renamed)
{
    if (f->attrs.n == 0 && f->kind == IR_FUNC_WHOLE && !renamed) return;
    bool any = false;
    begin_line(p);
    buf_text(p->out, "T.func_attr({");
    if (renamed) {
        print_key(p, "global_symbol", &any);
        print_string(p, f->name);
    }
    if (f->kind != IR_FUNC_WHOLE) {
        print_key(p, "calling_conv", &any);
        buf_printf(p->out, "%d", f->kind == IR_FUNC_KERNEL ? 2 : 1);
    }
    if (f->kind == IR_FUNC_KERNEL) {
        print_key(p, "tirx.kernel_launch_params", &any);
        buf_char(p->out, '[');
        for (size_t i = 0; i < f->launch_tag_count; ++i) {
            if (i != 0) buf_text(p->out, ", ");
            print_string(p, f->launch_tags[i]);
        }
        if (f->dyn_shared_bytes != NULL) {
            buf_printf(p->out, "%s\"tirx.use_dyn_shared_memory\"",
                       f->launch_tag_count != 0 ? ", " : "");
        }
        buf_char(p->out, ']');
    }
    if (f->dyn_shared_bytes != NULL) {
        print_key(p, "tirx.dyn_shared_bytes", &any);
        print_expr(p, f->dyn_shared_bytes, 0);
    }
    for (size_t i = 0; i < f->attrs.n; ++i) {
        if (any) buf_text(p->out, ", ");
        any = true;
        print_attr_entry(p, f->attrs.at[i]);
    }
    buf_text(p->out, "})\n");
}

static void print_func_body(printer *p, const ir_func *f)
{
    ir_var_vec lets = look_into(p, f->body).lets;
    for (size_t i = 0; i < lets.n; ++i) {
        begin_line(p);
        print_name(p, printer_var(p, lets.at[i]));
        buf_text(p->out, " = ");
        if (ir_type_is_pointer(lets.at[i]->type)) {
            print_pointer_type(p, lets.at[i]);
        } else {
            print_type(p, lets.at[i]->type);
            buf_text(p->out, "()");
        }
        end_line(p);
    }
    if (!root_is_implied(p, f->body)) {
        if (ir_is_nop(f->body)) buf_line(p->out, "pass");
        print_stmt(p, f->body);
        return;
    }
    const ir_block *root = ir_as_block(f->body);
    print_allocs(p, root->allocs);
    if (ir_is_nop(root->body)) buf_line(p->out, "pass");
    print_stmt(p, root->body);
}

typedef struct wide_search {
    ir_walk w;
    arena *mem;
    const ir_func *f;
    ir_var_vec found;
} wide_search;

static void find_wide_node(ir_walk *w, const ir_node *n)
{
    ir_walk_children(w, n);
}

static void find_wide(ir_walk *w, const ir_var *v)
{
    wide_search *s = (wide_search *)(void *)w;
    bool known = !ir_type_eq(v->type, IR_I64);
    for (size_t i = 0; i < s->f->param_count; ++i) known |= s->f->params[i].var == v;
    for (size_t i = 0; i < s->found.n; ++i) known |= s->found.at[i] == v;
    if (!known) ir_var_vec_push(s->mem, &s->found, v);
}

/* The sizes in the signature that are int64 and no parameters, as type parameters: in quotes alone they would be int32. */
static void print_type_params(printer *p, const ir_func *f)
{
    wide_search s = {.w = {.node = find_wide_node, .use_var = find_wide}, .mem = p->mem, .f = f};
    for (size_t i = 0; i < f->param_count; ++i) {
        if (f->params[i].buffer != NULL) ir_walk_buffer(&s.w, f->params[i].buffer);
    }
    for (size_t i = 0; i < s.found.n; ++i) {
        buf_text(p->out, i == 0 ? "[" : ", ");
        print_name(p, printer_var(p, s.found.at[i]));
    }
    if (s.found.n != 0) buf_char(p->out, ']');
}

static void print_func(arena *mem, const ir_func *f, str name, buf *out)
{
    printer p = printer_make(mem, out);
    bool s_tir = has_block(&p, f->body);
    const char *options = f->is_private ? (s_tir ? "(private=True, s_tir=True)" : "(private=True)")
                                        : (s_tir ? "(s_tir=True)" : "");
    buf_line(out, "@T.prim_func%s", options);
    begin_line(&p);
    buf_printf(out, "def %.*s", STR_ARG(name));
    print_type_params(&p, f);
    buf_char(out, '(');
    for (size_t i = 0; i < f->param_count; ++i) {
        if (i != 0) buf_text(out, ", ");
        print_param(&p, &f->params[i]);
    }
    buf_char(out, ')');
    if (!ir_type_is_void(f->result)) {
        buf_text(out, " -> ");
        print_type(&p, f->result);
    }
    buf_text(out, ":\n");
    out->depth++;
    print_func_attrs(&p, f, !str_eq(name, f->name));
    print_func_body(&p, f);
    out->depth--;
}

void ir_print_func(arena *mem, const ir_func *f, buf *out)
{
    printer p = printer_make(mem, out);
    print_func(mem, f, new_name(&p, f, f->name), out);
}

void ir_print_module(arena *mem, const ir_module *m, buf *out)
{
    buf_text(out, "from tvm.script import ir as I\nfrom tvm.script import tirx as "
                  "T\n\n\n@I.ir_module\nclass Module:\n");
    printer names = printer_make(mem, out);
    out->depth++;
    if (m->attrs.n != 0) {
        begin_line(&names);
        buf_text(out, "I.module_attrs(");
        print_attrs(&names, m->attrs);
        buf_text(out, ")\n");
    }
    if (m->func_count == 0 && m->attrs.n == 0) buf_line(out, "pass");
    for (size_t i = 0; i < m->func_count; ++i) {
        if (i != 0 || m->attrs.n != 0) end_line(&names);
        print_func(mem, m->funcs[i], new_name(&names, m->funcs[i], m->funcs[i]->name), out);
    }
    out->depth--;
}

void ir_print_stmt(arena *mem, const ir_node *n, buf *out)
{
    printer p = printer_make(mem, out);
    print_stmt(&p, n);
}

void ir_print_expr(arena *mem, const ir_node *n, buf *out)
{
    printer p = printer_make(mem, out);
    print_expr(&p, n, 0);
}
