/* Expressions as TVMScript: operators where they read back as the same node, constructors
 * elsewhere. */
#include "ir/fold.h"
#include "ir/printer.h"
#include "ir/walk.h"

#include <math.h>

/* Python's binding strengths beside those of ops.def. */
enum { PREC_NOT = 6, PREC_COMPARE = 7, PREC_UNARY = 14 };

static const char *const raw_names[] = {
#define IR_RAW(OP, name) [IR_##OP] = name,
#include "ir/raw.def"
#undef IR_RAW
};

void print_string(printer *p, str text)
{
    buf_char(p->out, '"');
    for (size_t i = 0; i < text.n; ++i) {
        unsigned char c = (unsigned char)text.p[i];
        if (c == '"' || c == '\\') {
            buf_printf(p->out, "\\%c", c);
        } else if (c == '\n') {
            buf_text(p->out, "\\n");
        } else if (c < 0x20 || c == 0x7f) {
            buf_printf(p->out, "\\x%02x", c);
        } else {
            buf_char(p->out, (char)c);
        }
    }
    buf_char(p->out, '"');
}

void print_type(printer *p, ir_type type)
{
    char text[IR_TYPE_TEXT];
    buf_printf(p->out, "T.%s", ir_type_print(type, text));
}

void print_pointer_type(printer *p, const ir_var *v)
{
    buf_text(p->out, "T.handle");
    if (ir_type_is_void(v->pointee) && v->scope == IR_SCOPE_GLOBAL) return;
    char text[IR_TYPE_TEXT];
    buf_printf(p->out, "(\"%s\"", ir_type_print(v->pointee, text));
    if (v->scope != IR_SCOPE_GLOBAL) buf_printf(p->out, ", \"%s\"", ir_scope_text(v->scope));
    buf_char(p->out, ')');
}

void print_pointer(printer *p, const ir_var *v)
{
    const ir_buffer *owner = map_get_id(&p->owners, v);
    if (owner == NULL) {
        buf_str(p->out, printer_var(p, v));
        return;
    }
    buf_str(p->out, printer_buffer(p, owner));
    buf_text(p->out, ".data");
}

void print_exprs(printer *p, ir_list list)
{
    for (size_t i = 0; i < list.n; ++i) {
        if (i != 0) buf_text(p->out, ", ");
        print_expr(p, list.at[i], 0);
    }
}

void print_tuple(printer *p, ir_list list)
{
    buf_char(p->out, '(');
    print_exprs(p, list);
    buf_text(p->out, list.n == 1 ? ",)" : ")");
}

void print_access(printer *p, const ir_buffer *b, ir_list index)
{
    buf_str(p->out, printer_buffer(p, b));
    buf_char(p->out, '[');
    if (index.n == 0) buf_text(p->out, "()");
    print_exprs(p, index);
    buf_char(p->out, ']');
}

void print_region(printer *p, const ir_region *r)
{
    buf_str(p->out, printer_buffer(p, r->buffer));
    buf_char(p->out, '[');
    if (r->n == 0) buf_text(p->out, "()");
    for (size_t i = 0; i < r->n; ++i) {
        if (i != 0) buf_text(p->out, ", ");
        const ir_range *range = &r->ranges[i];
        print_expr(p, range->min, 0);
        if (ir_is_const(range->extent, 1)) continue;
        buf_char(p->out, ':');
        print_expr(p, ir_add(p->mem, range->min, range->extent), 0);
    }
    buf_char(p->out, ']');
}

static void print_int(printer *p, const ir_int_imm *n, int prec)
{
    ir_type t = n->node.type;
    if (ir_type_is_bool(t)) {
        buf_printf(p->out, "T.bool(%s)", n->value != 0 ? "True" : "False");
        return;
    }
    bool bare = ir_type_eq(t, IR_I32);
    bool bracket = bare && n->value < 0 && prec > PREC_UNARY;
    if (!bare) print_type(p, t);
    if (!bare || bracket) buf_char(p->out, '(');
    if (t.code == IR_UINT) {
        buf_printf(p->out, "%llu", (unsigned long long)n->value);
    } else {
        buf_printf(p->out, "%lld", (long long)n->value);
    }
    if (!bare || bracket) buf_char(p->out, ')');
}

static void print_float(printer *p, const ir_float_imm *n)
{
    char text[NUM_TEXT];
    ir_type t = n->node.type;
    if (ir_type_eq(t, IR_F32)) {
        num_print_float((float)n->value, text);
    } else {
        num_print_double(n->value, text);
    }
    print_type(p, t);
    bool finite = isfinite(n->value);
    buf_printf(p->out, finite ? "(%s)" : "(\"%s\")", text);
}

/* Would the front end's folding give this very node for `a op b`? Two plain integers would meet as
 * Python numbers, so these never do. */
static bool reads_back(printer *p, const ir_bin *n)
{
    if (n->a->kind == IR_INT_IMM && n->b->kind == IR_INT_IMM) return false;
    if ((ir_ops[n->op].flags & IR_LAZY) != 0 && n->a->type.lanes != 1) return false;
    const ir_node *folded = ir_fold_bin(p->mem, n->op, n->a, n->b);
    if (folded->kind != IR_BIN) return false;
    const ir_bin *same = ir_as_bin(folded);
    return same->op == n->op && ir_equal(same->a, n->a) && ir_equal(same->b, n->b);
}

static void print_bin(printer *p, const ir_bin *n, int prec)
{
    const ir_op_info *op = &ir_ops[n->op];
    bool back = reads_back(p, n), letters = op->script[0] >= 'a' && op->script[0] <= 'z';
    bool function = !back || (letters && (op->flags & IR_LAZY) == 0);
    if (function) {
        buf_printf(p->out, "T.%s(", back ? op->script : raw_names[n->op]);
        print_expr(p, n->a, 0);
        buf_text(p->out, ", ");
        print_expr(p, n->b, 0);
        buf_char(p->out, ')');
        return;
    }
    bool bracket = op->precedence < prec;
    if (bracket) buf_char(p->out, '(');
    /* Python chains comparisons, so neither side of one may be a bare comparison. */
    print_expr(p, n->a, op->precedence + (op->precedence == PREC_COMPARE));
    buf_printf(p->out, " %s ", op->script);
    print_expr(p, n->b, op->precedence + 1);
    if (bracket) buf_char(p->out, ')');
}

static void print_not(printer *p, const ir_not *n, int prec)
{
    const ir_node *folded = ir_fold_not(p->mem, n->a);
    bool back = folded->kind == IR_NOT && ir_equal(ir_as_not(folded)->a, n->a);
    if (!back) {
        buf_text(p->out, "T.Not(");
        print_expr(p, n->a, 0);
        buf_char(p->out, ')');
        return;
    }
    bool bracket = PREC_NOT < prec;
    if (bracket) buf_char(p->out, '(');
    buf_text(p->out, "not ");
    print_expr(p, n->a, PREC_NOT);
    if (bracket) buf_char(p->out, ')');
}

static void print_load(printer *p, const ir_load *n)
{
    if (n->predicate == NULL) {
        print_access(p, n->buffer, n->index);
        return;
    }
    buf_str(p->out, printer_buffer(p, n->buffer));
    buf_text(p->out, ".vload([");
    print_exprs(p, n->index);
    buf_text(p->out, "], predicate=");
    print_expr(p, n->predicate, 0);
    buf_char(p->out, ')');
}

static void print_typed(printer *p, const char *fn, ir_type type)
{
    char text[IR_TYPE_TEXT];
    buf_printf(p->out, "T.%s(\"%s\", ", fn, ir_type_print(type, text));
}

/* Calls whose type is not to be told from their arguments name it first. */
static bool names_type(ir_builtin fn)
{
    return fn == IR_FN_REINTERPRET || fn == IR_FN_CALL_EXTERN || fn == IR_FN_CALL_PURE_EXTERN;
}

static void print_call(printer *p, const ir_call *n)
{
    if (n->fn == IR_FN_TUPLE) {
        buf_char(p->out, '[');
        print_exprs(p, n->args);
        buf_char(p->out, ']');
        return;
    }
    if (names_type(n->fn)) {
        print_typed(p, ir_builtins[n->fn].name, n->node.type);
    } else {
        buf_printf(p->out, "T.%s(", ir_builtins[n->fn].name);
    }
    if (n->fn == IR_FN_ACCESS_PTR) {
        buf_text(p->out, "T.type_annotation(");
        print_expr(p, n->args.at[0], 0);
        buf_text(p->out, "), ");
        print_exprs(p, (ir_list){n->args.at + 1, n->args.n - 1});
    } else {
        print_exprs(p, n->args);
    }
    buf_char(p->out, ')');
}

static void print_reducer(printer *p, const ir_reducer *n)
{
    buf_text(p->out, "T.comm_reducer(lambda ");
    for (size_t i = 0; i < n->lhs.n; ++i)
        buf_printf(p->out, "%.*s, ", STR_ARG(printer_var(p, n->lhs.at[i])));
    for (size_t i = 0; i < n->rhs.n; ++i) {
        buf_printf(p->out, "%s%.*s", i != 0 ? ", " : "", STR_ARG(printer_var(p, n->rhs.at[i])));
    }
    buf_text(p->out, ": ");
    if (n->result.n == 1) {
        print_expr(p, n->result.at[0], 0);
    } else {
        print_tuple(p, n->result);
    }
    buf_text(p->out, ", [");
    print_exprs(p, n->identity);
    buf_text(p->out, "])");
}

static void print_let(printer *p, const ir_let *n)
{
    buf_text(p->out, "T.Let(");
    print_expr(p, n->body, 0);
    buf_printf(p->out, ", where={%.*s: ", STR_ARG(printer_var(p, n->var)));
    print_expr(p, n->value, 0);
    buf_text(p->out, "})");
}

static void print_wide(printer *p, const char *fn, ir_list args, uint32_t lanes)
{
    buf_printf(p->out, "T.%s(", fn);
    print_exprs(p, args);
    buf_printf(p->out, ", %u)", lanes);
}

static void print_select(printer *p, const ir_select *n)
{
    buf_text(p->out, "T.Select(");
    print_exprs(p, (ir_list){(const ir_node *const[]){n->cond, n->yes, n->no}, 3});
    buf_char(p->out, ')');
}

/* A bare number would be read as a constant of the cast's type. */
static void print_cast_operand(printer *p, const ir_node *n)
{
    if (n->kind == IR_INT_IMM && ir_type_eq(n->type, IR_I32)) {
        buf_printf(p->out, "T.int32(%lld)", (long long)ir_as_int_imm(n)->value);
    } else {
        print_expr(p, n, 0);
    }
}

void print_expr(printer *p, const ir_node *n, int prec)
{
    switch (n->kind) {
    case IR_INT_IMM: print_int(p, ir_as_int_imm(n), prec); return;
    case IR_FLOAT_IMM: print_float(p, ir_as_float_imm(n)); return;
    case IR_STRING: print_string(p, ir_as_string(n)->text); return;
    case IR_VAR: print_pointer(p, ir_as_var_ref(n)->var); return;
    case IR_BIN: print_bin(p, ir_as_bin(n), prec); return;
    case IR_NOT: print_not(p, ir_as_not(n), prec); return;
    case IR_SELECT: print_select(p, ir_as_select(n)); return;
    case IR_CAST:
        print_typed(p, "Cast", n->type);
        print_cast_operand(p, ir_as_cast(n)->a);
        buf_char(p->out, ')');
        return;
    case IR_LOAD: print_load(p, ir_as_load(n)); return;
    case IR_RAMP: {
        const ir_node *parts[] = {ir_as_ramp(n)->base, ir_as_ramp(n)->stride};
        print_wide(p, "Ramp", (ir_list){parts, 2}, n->type.lanes);
        return;
    }
    case IR_BROADCAST: {
        const ir_node *a = ir_as_broadcast(n)->a;
        print_wide(p, "Broadcast", (ir_list){&a, 1}, n->type.lanes);
        return;
    }
    case IR_SHUFFLE:
        buf_text(p->out, "T.Shuffle([");
        print_exprs(p, ir_as_shuffle(n)->vectors);
        buf_text(p->out, "], [");
        print_exprs(p, ir_as_shuffle(n)->index);
        buf_text(p->out, "])");
        return;
    case IR_LET: print_let(p, ir_as_let(n)); return;
    case IR_CALL: print_call(p, ir_as_call(n)); return;
    case IR_REDUCER: print_reducer(p, ir_as_reducer(n)); return;
#define EXPR(KIND)
#define STMT(KIND)                            case IR_##KIND:
#define IR_NODE(KIND, name, category, fields) category(KIND)
#include "ir/nodes.def"
#undef IR_NODE
#undef EXPR
#undef STMT
        assert(false && "a statement is no expression");
    }
}

void print_attr_entry(printer *p, ir_attr_entry entry)
{
    int64_t truth;
    print_string(p, entry.key);
    buf_text(p->out, ": ");
    if (ir_type_eq(entry.value->type, IR_B1) && ir_const_value(entry.value, &truth)) {
        buf_text(p->out, truth != 0 ? "True" : "False");
    } else {
        print_expr(p, entry.value, 0);
    }
}

void print_attrs(printer *p, ir_attrs attrs)
{
    buf_char(p->out, '{');
    for (size_t i = 0; i < attrs.n; ++i) {
        if (i != 0) buf_text(p->out, ", ");
        print_attr_entry(p, attrs.at[i]);
    }
    buf_char(p->out, '}');
}
