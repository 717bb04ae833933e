/* lower_builtins: operators and calls that MSL has not, or not for every value, become what it has.
 *
 * Why: C++ leaves much undefined that the IR defines (signed overflow, shifts past the width, division by
 * zero, conversions out of range), and MSL's library differs from TIR's.
 *
 *     B[i] = A[i] // n             const int divisor = n == 0 ? 1 : n;
 *                          ->      const int rest = A[i] % divisor; ...
 *     B[i] = T.max(x, 0.0)         B[i] = x <= 0.0 ? 0.0 : x        (NaN stays)
 *
 * Where ranges prove that a trap cannot be met the plain operator stays. Values that are needed twice are
 * bound before the statement; an arm of a lazy choice that needs statements makes the choice an if.
 * The rules: lower_int.c, low_float.c, lower_math.c, low_shuffle.c. Left alone: what MSL spells as the
 * IR does, host functions, and bfloat16 and narrower floats, which legalize_types has replaced. */
#include "pass/low.h"

/* ---- Makers ------------------------------------------------------------------------------------- */

const ir_node *low_once(low *l, const ir_node *e, const char *name)
{
    if (e->kind == IR_VAR || e->kind == IR_INT_IMM || e->kind == IR_FLOAT_IMM) return e;
    if (e->kind == IR_BROADCAST && ir_as_broadcast(e)->a->kind != IR_LOAD &&
        low_once(l, ir_as_broadcast(e)->a, name) == ir_as_broadcast(e)->a) {
        return e;
    }
    arena *mem = l->r.mem;
    const ir_var *v = ir_var_new(mem, str_of(name), e->type, e->at);
    ir_node_vec_push(mem, l->pre, ir_make(mem, BIND, bind, e->at, IR_VOID, .var = v, .value = e));
    return ir_ref(mem, v, e->at);
}

const ir_node *low_bin(low *l, ir_op op, const ir_node *a, const ir_node *b)
{
    return ir_fold_bin(l->r.mem, op, a, b);
}

const ir_node *low_const(low *l, ir_type t, int64_t v)
{
    return ir_int_new(l->r.mem, t, v, (span){0});
}

const ir_node *low_float(low *l, ir_type t, double v)
{
    return ir_float_new(l->r.mem, t, v, (span){0});
}

/* What an arm reads is read before it: both arms may be evaluated. */
const ir_node *low_select(low *l, const ir_node *cond, const ir_node *yes, const ir_node *no)
{
    if (ir_reads_memory(yes)) yes = low_once(l, yes, "value");
    if (ir_reads_memory(no)) no = low_once(l, no, "value");
    return ir_fold_select(l->r.mem, cond, yes, no);
}

const ir_node *low_call(low *l, ir_builtin fn, ir_type t, size_t n, const ir_node *const *args)
{
    return ir_fold_call(l->r.mem, fn, t, ir_list_copy(l->r.mem, args, n), args[0]->at);
}

const ir_node *low_call1(low *l, ir_builtin fn, ir_type t, const ir_node *a)
{
    return low_call(l, fn, t, 1, &a);
}

const ir_node *low_cast(low *l, ir_type t, const ir_node *a)
{
    return ir_fold_cast(l->r.mem, t, a);
}

const ir_node *low_bits(low *l, ir_type t, const ir_node *a)
{
    return low_call1(l, IR_FN_REINTERPRET, t, a);
}

ir_type low_unsigned(ir_type t)
{
    t.code = IR_UINT;
    return t;
}

/* ---- Expressions -------------------------------------------------------------------------------- */

static const ir_node *expr(ir_rewrite *r, const ir_node *n);

static void assume(low *l, const ir_node *cond, bool holds)
{
    if (ir_reads_memory(cond)) return; /* memory may change while the analyzer remembers */
    if (holds) ir_analyzer_assume(l->az, cond);
    else ir_analyzer_assume_not(l->az, cond);
}

/* An expression that is only evaluated where `cond` holds (or does not); its statements go to `pre`. */
static const ir_node *arm(low *l, const ir_node *cond, bool holds, const ir_node *n, ir_node_vec *pre)
{
    ir_node_vec *outer = l->pre;
    ir_analyzer_mark mark = ir_analyzer_save(l->az);
    assume(l, cond, holds);
    l->pre = pre;
    const ir_node *out = expr(&l->r, n);
    l->pre = outer;
    ir_analyzer_restore(l->az, mark);
    return out;
}

static const ir_node *store_into(low *l, ir_node_vec *before, const ir_buffer *b, const ir_node *value)
{
    ir_list zero = ir_list_one(l->r.mem, ir_i32(l->r.mem, 0));
    ir_node_vec_push(l->r.mem, before, ir_store_new(l->r.mem, b, zero, value, value->at));
    return ir_seq_new(l->r.mem, before->at, before->n, value->at);
}

/* if (cond) {yes_pre; t = yes} else {no_pre; t = no}, before the statement; t in its place. */
static const ir_node *choice_by_if(low *l, const ir_node *cond, const ir_node *yes, ir_node_vec *yes_pre,
                                   const ir_node *no, ir_node_vec *no_pre)
{
    arena *mem = l->r.mem;
    ir_buffer *t = arena_new(mem, ir_buffer);
    *t = (ir_buffer){.name = STR("chosen"), .type = yes->type, .scope = IR_SCOPE_LOCAL, .at = cond->at,
                     .data = ir_var_pointer(mem, STR("chosen"), yes->type, IR_SCOPE_LOCAL, cond->at),
                     .shape = ir_list_one(mem, ir_i32(mem, 1))};
    ir_node_vec_push(mem, l->pre, ir_make(mem, ALLOC, alloc, cond->at, IR_VOID, .buffer = t));
    const ir_node *taken = store_into(l, yes_pre, t, yes), *other = store_into(l, no_pre, t, no);
    ir_node_vec_push(mem, l->pre, ir_make(mem, IF, if, cond->at, IR_VOID, .cond = cond, .yes = taken, .no = other));
    return ir_load_new(mem, t, ir_list_one(mem, ir_i32(mem, 0)), cond->at);
}

static const ir_node *lazy_choice(low *l, const ir_call *n)
{
    ir_node_vec yes_pre = {0}, no_pre = {0};
    const ir_node *cond = expr(&l->r, n->args.at[0]);
    const ir_node *yes = arm(l, n->args.at[0], true, n->args.at[1], &yes_pre);
    const ir_node *no = arm(l, n->args.at[0], false, n->args.at[2], &no_pre);
    if (yes_pre.n != 0 || no_pre.n != 0) return choice_by_if(l, cond, yes, &yes_pre, no, &no_pre);
    const ir_node *args[] = {cond, yes, no};
    return low_call(l, IR_FN_IF_THEN_ELSE, n->node.type, 3, args);
}

/* The right side of `and` and `or` is only evaluated where the left does not decide. */
static const ir_node *lazy_logic(low *l, const ir_bin *n)
{
    ir_node_vec pre = {0}, none = {0};
    bool is_and = n->op == IR_AND;
    const ir_node *a = expr(&l->r, n->a), *b = arm(l, n->a, is_and, n->b, &pre);
    if (pre.n == 0) return low_bin(l, n->op, a, b);
    const ir_node *decided = low_const(l, n->node.type, !is_and);
    return is_and ? choice_by_if(l, a, b, &pre, decided, &none) : choice_by_if(l, a, decided, &none, b, &pre);
}

static const ir_node *indices(low *l, const ir_node *n)
{
    low_place place = l->place;
    l->place = LOW_ADDRESS;
    n = ir_rewrite_children(&l->r, n);
    l->place = place;
    return n;
}

static const ir_node *bin(low *l, const ir_bin *n)
{
    if ((n->op == IR_AND || n->op == IR_OR) && n->node.type.lanes == 1) return lazy_logic(l, n);
    const ir_node *a = expr(&l->r, n->a), *b = expr(&l->r, n->b);
    if (ir_type_is_float(a->type)) return low_float_bin(l, n, a, b);
    return ir_type_is_int(a->type) ? low_int_bin(l, n, a, b) : low_bin(l, n->op, a, b);
}

static const ir_node *let(low *l, const ir_let *n)
{
    const ir_node *value = expr(&l->r, n->value);
    ir_node_vec_push(l->r.mem, l->pre, ir_make(l->r.mem, BIND, bind, n->node.at, IR_VOID, .var = n->var, .value = value));
    if (!ir_reads_memory(n->value)) ir_analyzer_let(l->az, n->var, n->value);
    return expr(&l->r, n->body);
}

static const ir_node *call(low *l, const ir_call *n)
{
    if (n->fn == IR_FN_IF_THEN_ELSE && n->args.at[0]->type.lanes == 1) return lazy_choice(l, n);
    if (n->fn == IR_FN_ADDRESS_OF && n->args.at[0]->kind == IR_LOAD) {
        const ir_node *place = indices(l, n->args.at[0]);
        if (place == n->args.at[0]) return &n->node;
        return ir_call_new(l->r.mem, n->fn, n->node.type, ir_list_one(l->r.mem, place), n->node.at);
    }
    return low_builtin(l, ir_as_call(ir_rewrite_children(&l->r, &n->node)));
}

/* Both arms are evaluated, so statements for them may come first. */
static const ir_node *select(low *l, const ir_select *n)
{
    const ir_node *cond = expr(&l->r, n->cond);
    return low_select(l, cond, expr(&l->r, n->yes), expr(&l->r, n->no));
}

/* Are the parts of an address's expression parts of the address? */
static bool is_sum(const ir_node *n)
{
    if (n->kind != IR_BIN) return n->kind == IR_RAMP || n->kind == IR_BROADCAST;
    ir_op op = ir_as_bin(n)->op;
    return op == IR_ADD || op == IR_SUB || op == IR_MUL;
}

static const ir_node *lowered(low *l, const ir_node *n);

static const ir_node *expr(ir_rewrite *r, const ir_node *n)
{
    low *l = (low *)(void *)r;
    low_place place = l->place;
    if (!is_sum(n)) l->place = LOW_VALUE;
    n = lowered(l, n);
    l->place = place;
    return n;
}

static const ir_node *lowered(low *l, const ir_node *n)
{
    ir_rewrite *r = &l->r;
    switch ((int)n->kind) {
    case IR_BIN: return bin(l, ir_as_bin(n));
    case IR_CAST: return low_conversion(l, ir_as_cast(n), expr(r, ir_as_cast(n)->a));
    case IR_SELECT: return select(l, ir_as_select(n));
    case IR_LOAD: return indices(l, n);
    case IR_LET: return let(l, ir_as_let(n));
    case IR_CALL: return call(l, ir_as_call(n));
    default: return ir_rewrite_children(r, n);
    }
}

/* ---- Statements --------------------------------------------------------------------------------- */

static const ir_node *stmt(low *l, const ir_node *n);

static const ir_node *branch(low *l, const ir_if *n)
{
    ir_if copy = *n;
    copy.cond = expr(&l->r, n->cond);
    ir_analyzer_mark mark = ir_analyzer_save(l->az);
    assume(l, n->cond, true);
    copy.yes = stmt(l, n->yes);
    ir_analyzer_restore(l->az, mark);
    if (n->no != NULL) {
        assume(l, n->cond, false);
        copy.no = stmt(l, n->no);
        ir_analyzer_restore(l->az, mark);
    }
    return arena_copy(l->r.mem, &copy, sizeof copy);
}

/* Is the extent `end - min`, of a loop that does not begin at 0? */
static bool counts_from(const ir_for *n)
{
    if (ir_is_const(n->min, 0) || n->extent->kind != IR_BIN) return false;
    const ir_bin *b = ir_as_bin(n->extent);
    return b->op == IR_SUB && ir_equal(b->b, n->min) && !ir_reads_memory(n->extent);
}

/* The extent is evaluated once, before the loop; C++ would evaluate it every time. */
static const ir_node *loop(low *l, const ir_for *n)
{
    ir_for copy = *n;
    copy.min = expr(&l->r, n->min);
    if (counts_from(n)) {
        /* The emitter prints the end alone. */
        copy.extent = low_bin(l, IR_SUB, expr(&l->r, ir_as_bin(n->extent)->a), copy.min);
    } else {
        copy.extent = expr(&l->r, n->extent);
    }
    if (ir_reads_memory(n->extent)) copy.extent = low_once(l, copy.extent, "extent");
    ir_analyzer_mark mark = ir_analyzer_save(l->az);
    ir_analyzer_bind(l->az, n->var, n->min, n->extent);
    copy.body = stmt(l, n->body);
    ir_analyzer_restore(l->az, mark);
    return arena_copy(l->r.mem, &copy, sizeof copy);
}

/* A condition that needs statements is asked inside: while (true) {...; if (!cond) break; body}. */
static const ir_node *while_loop(low *l, const ir_while *n)
{
    arena *mem = l->r.mem;
    ir_node_vec pre = {0}, *outer = l->pre;
    l->pre = &pre;
    const ir_node *cond = expr(&l->r, n->cond);
    l->pre = outer;
    ir_while copy = *n;
    copy.cond = cond;
    copy.body = stmt(l, n->body);
    if (pre.n != 0) {
        const ir_node *leave = ir_make(mem, BREAK, break, cond->at, IR_VOID, );
        ir_node_vec_push(mem, &pre, ir_make(mem, IF, if, cond->at, IR_VOID, .cond = ir_fold_not(mem, cond), .yes = leave));
        ir_node_vec_push(mem, &pre, copy.body);
        copy.body = ir_seq_new(mem, pre.at, pre.n, n->node.at);
        copy.cond = ir_bool(mem, true);
    }
    return arena_copy(mem, &copy, sizeof copy);
}

static const ir_node *bind(low *l, const ir_bind *n)
{
    ir_bind copy = *n;
    copy.value = expr(&l->r, n->value);
    if (!ir_reads_memory(n->value) && !ir_type_is_pointer(n->var->type)) ir_analyzer_let(l->az, n->var, n->value);
    return copy.value == n->value ? &n->node : arena_copy(l->r.mem, &copy, sizeof copy);
}

static const ir_node *store(low *l, const ir_store *n)
{
    ir_store copy = *n;
    l->place = LOW_ADDRESS;
    copy.index = ir_rewrite_list(&l->r, n->index);
    l->place = LOW_VALUE;
    copy.value = expr(&l->r, n->value);
    return arena_copy(l->r.mem, &copy, sizeof copy);
}

static const ir_node *thread(low *l, const ir_thread *n)
{
    ir_thread copy = *n;
    if (ir_is_const(n->extent, INT32_MAX)) {
        ir_analyzer_bind_range(l->az, n->var, 0, IR_POS_INF); /* the host's to know */
    } else {
        ir_analyzer_bind(l->az, n->var, ir_int_new(l->r.mem, n->var->type, 0, n->node.at), n->extent);
    }
    copy.body = stmt(l, n->body);
    return arena_copy(l->r.mem, &copy, sizeof copy);
}

static const ir_node *one_stmt(low *l, const ir_node *n)
{
    switch ((int)n->kind) {
    case IR_SEQ: {
        ir_list body = ir_as_seq(n)->body;
        ir_node_vec out = {0};
        for (size_t i = 0; i < body.n; ++i) ir_node_vec_push(l->r.mem, &out, stmt(l, body.at[i]));
        return ir_seq_new(l->r.mem, out.at, out.n, n->at);
    }
    case IR_IF: return branch(l, ir_as_if(n));
    case IR_FOR: return loop(l, ir_as_for(n));
    case IR_WHILE: return while_loop(l, ir_as_while(n));
    case IR_BIND: return bind(l, ir_as_bind(n));
    case IR_STORE: return store(l, ir_as_store(n));
    case IR_THREAD: return thread(l, ir_as_thread(n));
    case IR_EVAL: return ir_rewrite_children(&l->r, n);
    default: return n; /* nothing to compute */
    }
}

/* The statement after those that it needs before it. */
static const ir_node *stmt(low *l, const ir_node *n)
{
    ir_node_vec pre = {0}, *outer = l->pre;
    l->pre = &pre;
    const ir_node *out = one_stmt(l, n);
    l->pre = outer;
    if (pre.n == 0) return out;
    ir_node_vec_push(l->r.mem, &pre, out);
    return ir_seq_new(l->r.mem, pre.at, pre.n, n->at);
}

static const ir_node *lower_kernel(pass_context *cx, const ir_func *f)
{
    if (f->kind != IR_FUNC_KERNEL) return f->body;
    low l = {.r = {.mem = cx->mem, .node = expr}, .cx = cx, .az = ir_analyzer_new(cx->mem)};
    l.axes = region_axes_of(cx->mem, f->body);
    return stmt(&l, f->body);
}

const ir_module *pass_lower_builtins(pass_context *cx, const ir_module *m)
{
    return pass_each_body(cx, m, lower_kernel);
}
