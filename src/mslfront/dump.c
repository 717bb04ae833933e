/* The tree as text: one line a statement, fully bracketed, every conversion shown. */
#include "base/num.h"
#include "mslfront/tree.h"

static const char *const op_texts[MF_OPS] = {
#define MF_BINOP(ID, text, precedence, class) [MF_OP_##ID] = text,
#include "mslfront/ops.def"
#undef MF_BINOP
};

static const char *const cast_names[MF_CASTS] = {
#define MF_CAST_KIND(ID) [MF_CAST_##ID] = #ID,
#include "mslfront/casts.def"
#undef MF_CAST_KIND
};

static const char *const input_names[MF_INPUTS] = {
#define MF_INPUT(ID, attribute, dimensions) [MF_INPUT_##ID] = #attribute,
#include "mslfront/inputs.def"
#undef MF_INPUT
};

typedef struct writer {
    buf *out;
    arena *mem; /* for the spellings of types */
} writer;

static void expr(writer *w, const mf_expr *e);

static void type(writer *w, const mf_type *t)
{
    buf_str(w->out, mf_type_text(w->mem, t));
}

static void constant(writer *w, const mf_expr *e)
{
    char text[NUM_TEXT];
    mf_scalar s = e->type->scalar;
    if (s == MF_BOOL) {
        buf_text(w->out, e->constant.i != 0 ? "true" : "false");
    } else if (mf_scalar_is_float(s)) {
        if (s == MF_FLOAT) {
            num_print_float((float)e->constant.f, text);
        } else {
            num_print_double(e->constant.f, text);
        }
        buf_printf(w->out, "%s%s", text, s == MF_HALF ? "h" : s == MF_BFLOAT ? "bf" : "f");
    } else if (mf_scalar_class(s) == MF_CLASS_UNSIGNED) {
        buf_printf(w->out, "%lluu", (unsigned long long)e->constant.i);
    } else {
        buf_printf(w->out, "%lld", (long long)(int64_t)e->constant.i);
    }
    bool plain = s == MF_BOOL || s == MF_INT || s == MF_UINT || mf_scalar_is_float(s);
    if (!plain || e->type->kind == MF_TYPE_ENUM) {
        buf_char(w->out, ':');
        type(w, e->type);
    }
}

static void args(writer *w, const mf_expr *e)
{
    buf_char(w->out, '(');
    for (uint32_t i = 0; i < e->arg_count; ++i) {
        if (i != 0) buf_text(w->out, ", ");
        expr(w, e->args[i]);
    }
    buf_char(w->out, ')');
}

static void prefix(writer *w, const char *op, const mf_expr *e)
{
    buf_printf(w->out, "%s(", op);
    expr(w, e->a);
    buf_char(w->out, ')');
}

static void infix(writer *w, const char *op, const char *mark, const mf_expr *e)
{
    buf_char(w->out, '(');
    expr(w, e->a);
    buf_printf(w->out, " %s%s ", op, mark);
    expr(w, e->b);
    buf_char(w->out, ')');
}

static void indexed(writer *w, const mf_expr *e, const char *open, const char *close)
{
    expr(w, e->a);
    buf_text(w->out, open);
    expr(w, e->b);
    buf_text(w->out, close);
}

static void cond(writer *w, const mf_expr *e)
{
    buf_char(w->out, '(');
    expr(w, e->a);
    buf_text(w->out, " ? ");
    expr(w, e->b);
    buf_text(w->out, " : ");
    expr(w, e->c);
    buf_char(w->out, ')');
}

static void cast(writer *w, const mf_expr *e)
{
    buf_printf(w->out, "%s<", cast_names[e->cast]);
    type(w, e->type);
    buf_text(w->out, ">(");
    expr(w, e->a);
    buf_char(w->out, ')');
}

static void swizzle(writer *w, const mf_expr *e)
{
    expr(w, e->a);
    buf_char(w->out, '.');
    for (int i = 0; i < e->swizzle_count; ++i) buf_char(w->out, "xyzw"[e->swizzle[i]]);
}

static void member(writer *w, const mf_expr *e)
{
    str name = e->a->type->record->fields[e->field].name;
    expr(w, e->a);
    buf_printf(w->out, ".%.*s", name.n != 0 ? (int)name.n : 6, name.n != 0 ? name.p : "(anon)");
}

static void builtin(writer *w, const mf_expr *e)
{
    const char *math = e->math == MF_MATH_FAST      ? "fast::"
                       : e->math == MF_MATH_PRECISE ? "precise::"
                                                    : "";
    buf_printf(w->out, "@%s%s", math, mf_builtin_name(e->builtin));
    args(w, e);
}

static void made(writer *w, const mf_expr *e, const char *kind)
{
    buf_text(w->out, kind);
    type(w, e->type);
    args(w, e);
}

static void expr(writer *w, const mf_expr *e)
{
    switch (e->kind) {
    case MF_EXPR_CONST: constant(w, e); return;
    case MF_EXPR_ZERO: made(w, e, "zero "); return;
    case MF_EXPR_VAR: buf_str(w->out, e->var->name); return;
    case MF_EXPR_LOAD: prefix(w, "L", e); return;
    case MF_EXPR_TEMPORARY: prefix(w, "temp", e); return;
    case MF_EXPR_NEGATE: prefix(w, "-", e); return;
    case MF_EXPR_COMPLEMENT: prefix(w, "~", e); return;
    case MF_EXPR_NOT: prefix(w, "!", e); return;
    case MF_EXPR_PRE_INC: prefix(w, "++", e); return;
    case MF_EXPR_PRE_DEC: prefix(w, "--", e); return;
    case MF_EXPR_POST_INC: prefix(w, "post++", e); return;
    case MF_EXPR_POST_DEC: prefix(w, "post--", e); return;
    case MF_EXPR_DEREF: prefix(w, "*", e); return;
    case MF_EXPR_ADDRESS: prefix(w, "&", e); return;
    case MF_EXPR_BINARY: infix(w, op_texts[e->op], "", e); return;
    case MF_EXPR_AND: infix(w, "&&", "", e); return;
    case MF_EXPR_OR: infix(w, "||", "", e); return;
    case MF_EXPR_COMMA: infix(w, ",", "", e); return;
    case MF_EXPR_ASSIGN: infix(w, "=", "", e); return;
    case MF_EXPR_ASSIGN_OP: infix(w, op_texts[e->op], "=", e); return;
    case MF_EXPR_COND: cond(w, e); return;
    case MF_EXPR_CAST: cast(w, e); return;
    case MF_EXPR_CONSTRUCT: made(w, e, ""); return;
    case MF_EXPR_AGGREGATE: made(w, e, "aggregate "); return;
    case MF_EXPR_SWIZZLE: swizzle(w, e); return;
    case MF_EXPR_ELEMENT: indexed(w, e, "[:", "]"); return;
    case MF_EXPR_INDEX: indexed(w, e, "[", "]"); return;
    case MF_EXPR_MEMBER: member(w, e); return;
    case MF_EXPR_CALL:
        buf_str(w->out, e->function->name);
        args(w, e);
        return;
    case MF_EXPR_BUILTIN: builtin(w, e); return;
    case MF_EXPR_ERROR: buf_text(w->out, "<error>"); return;
    }
}

static void stmt(writer *w, const mf_stmt *s);

static void nested(writer *w, const mf_stmt *s)
{
    ++w->out->depth;
    if (s != NULL) stmt(w, s);
    --w->out->depth;
}

static void items(writer *w, const mf_stmt *s)
{
    for (size_t i = 0; i < s->item_count; ++i) stmt(w, s->items[i]);
}

/* A line that begins with a word and may go on with an expression. */
static void line(writer *w, const char *word, const mf_expr *e)
{
    buf_indent(w->out);
    buf_text(w->out, word);
    if (e != NULL) {
        if (word[0] != '\0') buf_char(w->out, ' ');
        expr(w, e);
    }
    buf_char(w->out, '\n');
}

static void decl(writer *w, const mf_stmt *s)
{
    const mf_var *v = s->var;
    buf_indent(w->out);
    if (v->space != MF_THREAD) buf_printf(w->out, "%s ", mf_space_name(v->space));
    type(w, v->type);
    buf_printf(w->out, " %.*s", STR_ARG(v->name));
    if (v->init != NULL) {
        buf_text(w->out, " = ");
        expr(w, v->init);
    }
    buf_char(w->out, '\n');
}

static void loop(writer *w, const mf_stmt *s, const char *word)
{
    if (s->unroll != MF_UNROLL_DEFAULT) buf_line(w->out, "unroll %d", (int)s->unroll);
    if (s->kind == MF_STMT_FOR) nested(w, s->init);
    line(w, word, s->cond);
    nested(w, s->body);
    if (s->step != NULL) {
        line(w, "step", s->step);
    }
}

static void stmt(writer *w, const mf_stmt *s)
{
    switch (s->kind) {
    case MF_STMT_EXPR: line(w, "", s->expr); return;
    case MF_STMT_DECL: decl(w, s); return;
    case MF_STMT_BLOCK: items(w, s); return;
    case MF_STMT_IF:
        line(w, "if", s->cond);
        nested(w, s->body);
        if (s->other != NULL) line(w, "else", NULL);
        nested(w, s->other);
        return;
    case MF_STMT_FOR: loop(w, s, "for"); return;
    case MF_STMT_WHILE: loop(w, s, "while"); return;
    case MF_STMT_DO: loop(w, s, "do while"); return;
    case MF_STMT_SWITCH:
        line(w, "switch", s->cond);
        ++w->out->depth;
        items(w, s);
        --w->out->depth;
        return;
    case MF_STMT_CASE:
        if (s->is_default) {
            line(w, "default", NULL);
        } else {
            buf_line(w->out, "case %lld", (long long)s->case_value);
        }
        return;
    case MF_STMT_BREAK: line(w, "break", NULL); return;
    case MF_STMT_CONTINUE: line(w, "continue", NULL); return;
    case MF_STMT_RETURN: line(w, "return", s->expr); return;
    case MF_STMT_EMPTY: line(w, "empty", NULL); return;
    }
}

static void param(writer *w, const mf_var *v)
{
    type(w, v->type);
    buf_printf(w->out, " %.*s", STR_ARG(v->name));
    switch (v->binding) {
    case MF_BIND_NONE: return;
    case MF_BIND_BUFFER: buf_printf(w->out, " [[buffer(%u)]]", v->slot); return;
    case MF_BIND_THREADGROUP: buf_printf(w->out, " [[threadgroup(%u)]]", v->slot); return;
    case MF_BIND_TEXTURE: buf_printf(w->out, " [[texture(%u)]]", v->slot); return;
    case MF_BIND_SAMPLER: buf_printf(w->out, " [[sampler(%u)]]", v->slot); return;
    case MF_BIND_INPUT: buf_printf(w->out, " [[%s]]", input_names[v->input]); return;
    }
}

static void function(writer *w, const mf_function *f)
{
    if (f->kernel) buf_text(w->out, "kernel ");
    type(w, f->result);
    buf_printf(w->out, " %.*s(", STR_ARG(f->name));
    for (size_t i = 0; i < f->param_count; ++i) {
        if (i != 0) buf_text(w->out, ", ");
        param(w, f->params[i]);
    }
    buf_text(w->out, ")\n");
    nested(w, f->body);
}

void mf_dump(const mf_unit *u, buf *out)
{
    writer w = {.out = out, .mem = u->types.mem};
    for (size_t i = 0; i < u->global_count; ++i) {
        buf_text(out, "constant ");
        type(&w, u->globals[i]->type);
        buf_printf(out, " %.*s = ", STR_ARG(u->globals[i]->name));
        expr(&w, u->globals[i]->init);
        buf_char(out, '\n');
    }
    for (size_t i = 0; i < u->function_count; ++i) function(&w, u->functions[i]);
}
