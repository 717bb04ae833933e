/* Statements. */
#include "ir/fold.h"
#include "ir/walk.h"
#include "msl/emitter.h"

static void body(emitter *e, const ir_node *n)
{
    buf_text(&e->out, "{\n");
    ++e->out.depth;
    msl_stmt(e, n);
    --e->out.depth;
    buf_indent(&e->out);
    buf_char(&e->out, '}');
}

/* ---- Memory ----------------------------------------------------------------------------------- */

static void simdgroup_alloc(emitter *e, const ir_buffer *b, int64_t count)
{
    bool known = ir_type_eq(b->type, IR_F16) || ir_type_eq(b->type, IR_F32) ||
                 (b->type.code == IR_BFLOAT && b->type.lanes == 1);
    char text[IR_TYPE_TEXT];
    if (!known) {
        diag_error(e->diags, b->at, "Only float16, float32, and bfloat16 are supported, but got %s",
                   ir_type_print(b->type, text));
    } else if (count % 64 != 0) {
        diag_error(e->diags, b->at, "Only 8x8 matrix is supported, but got %lld elements", (long long)count);
    } else {
        buf_line(&e->out, "simdgroup_%s8x8 %s[%lld];", msl_type(e, b->type), msl_var_name(e, b->data),
                 (long long)(count / 64));
    }
}

void msl_alloc(emitter *e, const ir_alloc *alloc)
{
    const ir_buffer *b = alloc->buffer;
    int64_t count;
    if (b->shape.n != 1 || !ir_const_value(b->shape.at[0], &count)) {
        bool shared = b->scope == IR_SCOPE_SHARED;
        diag_error(e->diags, b->at, "'%.*s': %s needs a size that is known when the module is built%s", STR_ARG(b->name),
                   shared ? "threadgroup memory of scope \"shared\"" : "an array of a thread",
                   shared ? "; that of scope \"shared.dyn\" is sized at the launch" : "");
        return;
    }
    if (count <= 0) count = 1; /* never accessed, and C++ has no empty arrays */
    if (b->scope == IR_SCOPE_SIMDGROUP) {
        simdgroup_alloc(e, b, count);
        return;
    }
    if (b->scope == IR_SCOPE_GLOBAL || b->scope == IR_SCOPE_WARP) {
        diag_error(e->diags, b->at, "'%.*s': a kernel cannot allocate memory of scope \"%s\"", STR_ARG(b->name),
                   ir_scope_text(b->scope));
        return;
    }
    const char *type = msl_type_or_error(e, b->type, b->at), *name = msl_var_name(e, b->data);
    if (map_get_id(&e->scalars, b->data) != NULL) {
        buf_line(&e->out, "%s %s;", type, name);
    } else {
        const char *space = b->scope == IR_SCOPE_LOCAL ? "" : "threadgroup ";
        buf_line(&e->out, "%s%s %s[%lld];", space, type, name, (long long)count);
    }
}

/* Each lane by itself. The value is evaluated once, before the first lane is written: it may read
 * what the store overwrites. */
static void store_lanes(emitter *e, const ir_store *n, const ir_node *index)
{
    const char *value = NULL;
    if (n->value->kind != IR_BROADCAST && n->value->kind != IR_RAMP) {
        value = msl_fresh_name(e, STR("lanes"));
        buf_indent(&e->out);
        buf_printf(&e->out, "%s %s = ", msl_type_or_error(e, n->value->type, n->node.at), value);
        msl_expr(e, n->value, MSL_LOWEST);
        buf_text(&e->out, ";\n");
    }
    const char *where = NULL;
    if (index->kind != IR_RAMP && index->kind != IR_BROADCAST) {
        where = msl_fresh_name(e, STR("at"));
        buf_indent(&e->out);
        buf_printf(&e->out, "%s %s = ", msl_type_or_error(e, index->type, n->node.at), where);
        msl_expr(e, index, MSL_LOWEST);
        buf_text(&e->out, ";\n");
    }
    for (uint32_t i = 0; i < index->type.lanes; ++i) {
        buf_indent(&e->out);
        msl_element_lane(e, n->buffer, index, where, i);
        buf_text(&e->out, " = ");
        if (value != NULL) {
            buf_printf(&e->out, "%s[%u]", value, i);
        } else {
            msl_lane(e, n->value, i, MSL_LOWEST);
        }
        buf_text(&e->out, ";\n");
    }
}

/* What is combined with the element's own value, printed after `*text` ("+="); NULL: the value is something else. Types that C++
 * computes as int are left out, and what TIR wraps is no plain operator any more. */
static const ir_node *combined(const ir_store *n, const char **text)
{
    ir_type t = n->value->type;
    if (n->value->kind != IR_BIN || !(ir_type_is_float(t) || (ir_type_is_int(t) && t.bits >= 32))) return NULL;
    const ir_bin *b = ir_as_bin(n->value);
    const char *op = b->op == IR_ADD ? " += " : b->op == IR_SUB ? " -= " : b->op == IR_MUL ? " *= " : b->op == IR_DIV ? " /= " : NULL;
    if (op == NULL) return NULL;
    bool commutes = b->op == IR_ADD || b->op == IR_MUL;
    for (int i = 0; i < (commutes ? 2 : 1); ++i) {
        const ir_node *own = i == 0 ? b->a : b->b;
        if (own->kind != IR_LOAD) continue;
        const ir_load *l = ir_as_load(own);
        bool same = l->buffer == n->buffer && l->predicate == NULL && l->index.n == 1 && ir_equal(l->index.at[0], n->index.at[0]);
        if (!same) continue;
        *text = op;
        return i == 0 ? b->b : b->a;
    }
    return NULL;
}

static void store_element(emitter *e, const ir_store *n)
{
    const char *op = " = ";
    const ir_node *value = combined(n, &op);
    bool starts = map_get_id(&e->started, n->buffer->data) == n;
    if (starts) buf_printf(&e->out, "%s ", msl_type_or_error(e, n->buffer->type, n->buffer->at));
    msl_element(e, n->buffer, n->index.at[0]);
    buf_text(&e->out, op);
    msl_expr(e, value != NULL ? value : n->value, MSL_LOWEST);
    buf_text(&e->out, ";\n");
}

static void store(emitter *e, const ir_store *n)
{
    if (n->index.n != 1 || n->predicate != NULL) {
        diag_error(e->diags, n->node.at, n->predicate != NULL ? "Predicated buffer store is not supported."
                                                              : "Store to non-flat memory not supported");
        return;
    }
    const ir_node *index = n->index.at[0];
    msl_access how = msl_access_of(e, n->buffer, index, n->value->type);
    if (how == MSL_LANES) {
        store_lanes(e, n, index);
        return;
    }
    buf_indent(&e->out);
    if (how == MSL_ELEMENT) {
        store_element(e, n);
        return;
    }
    msl_vector_place(e, n->buffer, index, n->value->type, how);
    const char *op = " = ";
    const ir_node *value = how == MSL_ALIGNED ? combined(n, &op) : NULL;
    buf_text(&e->out, op);
    if (value != NULL) {
        msl_expr(e, value, MSL_LOWEST);
    } else if (how == MSL_PACKED) {
        buf_printf(&e->out, "%s(", msl_packed_type(e, n->value->type));
        msl_expr(e, n->value, MSL_LOWEST);
        buf_char(&e->out, ')');
    } else {
        msl_expr(e, n->value, MSL_LOWEST);
    }
    buf_text(&e->out, ";\n");
}

/* ---- Bindings --------------------------------------------------------------------------------- */

static void bind(emitter *e, const ir_bind *n)
{
    const ir_var *v = n->var;
    buf_indent(&e->out);
    if (map_get_id(&e->used, v) == NULL && ir_has_effect(n->value)) {
        msl_expr(e, n->value, MSL_LOWEST);
        buf_text(&e->out, ";\n");
        return;
    }
    const char *name = msl_var_name(e, v);
    if (ir_type_is_pointer(v->type)) {
        const char *type = ir_type_is_void(v->pointee) ? "void" : msl_type_or_error(e, v->pointee, n->node.at);
        const char *space = msl_space(v->scope);
        buf_printf(&e->out, "%s %s* %s = ((%s %s*)", space, type, name, space, type);
        msl_expr(e, n->value, MSL_UNARY);
        buf_char(&e->out, ')');
    } else {
        buf_printf(&e->out, "const %s %s = ", msl_type_or_error(e, v->type, n->node.at), name);
        msl_expr(e, n->value, MSL_LOWEST);
    }
    buf_text(&e->out, ";\n");
}

/* ---- Control ---------------------------------------------------------------------------------- */

static const ir_node *loop_end(emitter *e, const ir_for *n)
{
    if (ir_is_const(n->min, 0)) return n->extent;
    if (n->extent->kind == IR_BIN && ir_as_bin(n->extent)->op == IR_SUB && ir_equal(ir_as_bin(n->extent)->b, n->min)) {
        return ir_as_bin(n->extent)->a;
    }
    return ir_fold_bin(e->mem, IR_ADD, n->min, n->extent);
}

static void loop(emitter *e, const ir_for *n)
{
    if (n->loop != IR_SERIAL && n->loop != IR_PARALLEL) {
        diag_error(e->diags, n->node.at, "internal: a %s loop reached the emitter",
                   n->loop == IR_VECTORIZED ? "vectorized" : n->loop == IR_UNROLLED ? "unrolled" : "thread-bound");
        return;
    }
    const char *name = msl_var_name(e, n->var);
    buf_indent(&e->out);
    buf_printf(&e->out, "for (%s %s = ", msl_type_or_error(e, n->var->type, n->node.at), name);
    msl_expr(e, n->min, MSL_LOWEST);
    buf_printf(&e->out, "; %s < ", name);
    msl_expr(e, loop_end(e, n), 10);
    buf_printf(&e->out, "; ++%s) ", name);
    body(e, n->body);
    buf_char(&e->out, '\n');
}

static void branch(emitter *e, const ir_if *n)
{
    buf_text(&e->out, "if (");
    msl_expr(e, n->cond, MSL_LOWEST);
    buf_text(&e->out, ") ");
    body(e, n->yes);
    if (n->no == NULL || ir_is_nop(n->no)) {
        buf_char(&e->out, '\n');
        return;
    }
    buf_text(&e->out, " else ");
    if (n->no->kind == IR_IF) {
        branch(e, ir_as_if(n->no));
        return;
    }
    body(e, n->no);
    buf_char(&e->out, '\n');
}

static void evaluate(emitter *e, const ir_eval *n)
{
    if (!ir_has_effect(n->value)) return; /* a value that nobody takes */
    buf_indent(&e->out);
    msl_expr(e, n->value, MSL_LOWEST);
    buf_text(&e->out, ";\n");
}

/* How far a scalar's first value may be from its declaration: statements between, and nodes of each. */
enum { START_REACH = 40, START_NODES = 300, START_DEPTH = 60 };

typedef struct touch {
    const ir_var *data;
    bool found;
} touch;

static void find_touch(void *user, const ir_node *n)
{
    touch *t = user;
    const ir_var *v = n->kind == IR_LOAD ? ir_as_load(n)->buffer->data : n->kind == IR_STORE ? ir_as_store(n)->buffer->data :
                      n->kind == IR_VAR ? ir_as_var_ref(n)->var : NULL;
    t->found |= v == t->data;
}

static bool touches(const ir_node *n, const ir_var *data)
{
    touch t = {data, false};
    ir_each(n, find_touch, &t);
    return t.found;
}

/* The store with which a scalar of a thread begins, so that its declaration can say the value: nothing before it, of the same
 * list and not far below, touches the scalar. */
static const ir_node *first_value(const emitter *e, ir_list body, size_t alloc)
{
    const ir_var *data = ir_as_alloc(body.at[alloc])->buffer->data;
    if (map_get_id(&e->scalars, data) == NULL) return NULL;
    for (size_t i = alloc + 1; i < body.n && i <= alloc + START_REACH; ++i) {
        const ir_node *n = body.at[i];
        if (n->kind == IR_STORE && ir_as_store(n)->buffer->data == data) {
            const ir_store *s = ir_as_store(n);
            bool whole = s->index.n == 1 && s->index.at[0]->type.lanes == 1 && s->predicate == NULL;
            return whole && !touches(s->value, data) ? n : NULL;
        }
        if (!ir_is_moderate(n, START_NODES, START_DEPTH) || touches(n, data)) return NULL;
    }
    return NULL;
}

static void sequence(emitter *e, const ir_seq *n)
{
    for (size_t i = 0; i < n->body.n; ++i) {
        const ir_node *one = n->body.at[i];
        if (one->kind == IR_ALLOC && map_get_id(&e->hoisted, one) == NULL) {
            const ir_node *first = first_value(e, n->body, i);
            if (first != NULL) {
                map_put_id(e->mem, &e->started, ir_as_alloc(one)->buffer->data, first);
                continue;
            }
        }
        msl_stmt(e, one);
    }
}

static void line_of_expr(emitter *e, const char *before, const ir_node *value, const char *after)
{
    buf_indent(&e->out);
    buf_text(&e->out, before);
    msl_expr(e, value, MSL_LOWEST);
    buf_text(&e->out, after);
}

static void refuse(emitter *e, const ir_node *n, const char *what)
{
    diag_error(e->diags, n->at, "%s cannot be emitted as Metal", what);
}

void msl_stmt(emitter *e, const ir_node *n)
{
    switch (n->kind) {
    case IR_SEQ: sequence(e, ir_as_seq(n)); return;
    case IR_STORE: store(e, ir_as_store(n)); return;
    case IR_BIND: bind(e, ir_as_bind(n)); return;
    case IR_ALLOC:
        if (map_get_id(&e->hoisted, n) == NULL) msl_alloc(e, ir_as_alloc(n));
        return;
    case IR_DECL: return; /* accesses go through the pointer, cast where the type differs */
    case IR_FOR: loop(e, ir_as_for(n)); return;
    case IR_WHILE:
        line_of_expr(e, "while (", ir_as_while(n)->cond, ") ");
        body(e, ir_as_while(n)->body);
        buf_char(&e->out, '\n');
        return;
    case IR_IF:
        buf_indent(&e->out);
        branch(e, ir_as_if(n));
        return;
    case IR_BREAK: buf_line(&e->out, "break;"); return;
    case IR_CONTINUE: buf_line(&e->out, "continue;"); return;
    case IR_RETURN: buf_line(&e->out, "return;"); return;
    case IR_EVAL: evaluate(e, ir_as_eval(n)); return;
    case IR_ASSERT: refuse(e, n, "an assertion"); return;
    case IR_ATTR: {
        const ir_attr *a = ir_as_attr(n);
        diag_error(e->diags, n->at, "attribute \"%.*s\" cannot be emitted as Metal", STR_ARG(a->key));
        return;
    }
    case IR_THREAD: refuse(e, n, "a thread axis inside other statements"); return;
    case IR_BLOCK: refuse(e, n, "a block"); return;
    case IR_INT_IMM:
    case IR_FLOAT_IMM:
    case IR_STRING:
    case IR_VAR:
    case IR_BIN:
    case IR_NOT:
    case IR_SELECT:
    case IR_CAST:
    case IR_LOAD:
    case IR_RAMP:
    case IR_BROADCAST:
    case IR_SHUFFLE:
    case IR_LET:
    case IR_CALL:
    case IR_REDUCER: refuse(e, n, "an expression where a statement belongs"); return;
    }
}
