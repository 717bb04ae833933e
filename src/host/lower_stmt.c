/* Lowering host statements: loops, conditions, temporaries, asserts and launches. */
#include "host/lower.h"

#include "base/dtype.h"

/* ---- Launches ---------------------------------------------------------------------------------- */

/* Arguments in the types that the kernel's parameters have. */
static const uint16_t *lower_args(lower *l, const ir_func *kernel, const ir_node *const *args)
{
    uint16_t *regs = arena_array(l->mem, uint16_t, kernel->param_count);
    for (size_t i = 0; i < kernel->param_count; ++i) {
        regs[i] = lower_expr(l, args[i]);
        ir_type type = kernel->params[i].var->type;
        if (!ir_type_is_pointer(type)) regs[i] = lower_cast(l, regs[i], args[i]->type, type, args[i]->at);
    }
    return regs;
}

static void lower_launch(lower *l, const ir_node *n)
{
    ir_list args = ir_as_call(n)->args;
    str name = args.at[0]->kind == IR_STRING ? ir_as_string(args.at[0])->text : STR("");
    const ir_func *kernel = map_get(l->kernels, name);
    if (kernel == NULL) {
        diag_error(l->diags, n->at, "T.call_packed of '%.*s' is not supported in host code: only kernels of this module "
                                    "can be called", STR_ARG(name));
        return;
    }
    size_t extents = kernel->launch_tag_count + (kernel->dyn_shared_bytes != NULL ? 1 : 0);
    if (args.n != 1 + kernel->param_count + extents) {
        diag_error(l->diags, n->at, "the launch of '%.*s' has %zu operands, and its kernel takes %zu", STR_ARG(name),
                   args.n - 1, kernel->param_count + extents);
        return;
    }
    uint16_t *values = arena_array(l->mem, uint16_t, extents);
    const uint16_t *regs = lower_args(l, kernel, args.at + 1);
    for (size_t i = 0; i < extents; ++i) {
        const ir_node *extent = args.at[1 + kernel->param_count + i];
        values[i] = lower_cast(l, lower_expr(l, extent), extent->type, IR_I64, extent->at);
    }
    lower_note_uses(l, kernel, args.at + 1);
    launch_vec_push(l->mem, &l->launches,
                    (host_launch){name, regs, kernel->param_count, values, extents});
    lower_emit_wide(l, HOST_LAUNCH, 0, l->launches.n - 1);
}

/* (pointer, kind, message, kind, message ...) */
static void lower_check(lower *l, const ir_node *n)
{
    ir_list args = ir_as_call(n)->args;
    size_t first = l->messages.n, count = (args.n - 1) / 2;
    uint16_t pointer = lower_expr(l, args.at[0]);
    bool strings = args.n % 2 == 1 && count <= UINT8_MAX;
    for (size_t i = 1; i < args.n; ++i) strings = strings && args.at[i]->kind == IR_STRING;
    if (!strings) {
        diag_error(l->diags, n->at, "T.check_asserts takes a pointer, and up to 255 pairs of texts");
        return;
    }
    for (size_t i = 1; i < args.n; i += 2) {
        message_vec_push(l->mem, &l->messages,
                         (host_message){ir_as_string(args.at[i])->text, ir_as_string(args.at[i + 1])->text});
    }
    size_t at = lower_emit_wide(l, HOST_CHECK, pointer, first);
    l->code.at[at].sub = (uint8_t)count;
}

static void lower_eval(lower *l, const ir_node *n)
{
    const ir_node *value = ir_as_eval(n)->value;
    if (value->kind == IR_CALL && ir_as_call(value)->fn == IR_FN_CALL_PACKED) {
        lower_launch(l, value);
    } else if (value->kind == IR_CALL && ir_as_call(value)->fn == IR_FN_CHECK_ASSERTS) {
        lower_check(l, value);
    } else if (ir_has_effect(value)) {
        lower_expr(l, value); /* says that it is not supported */
    }
}

/* ---- Memory ------------------------------------------------------------------------------------ */

static bool is_scalar(const ir_buffer *b)
{
    for (size_t i = 0; i < b->shape.n; ++i) {
        if (!ir_is_const(b->shape.at[i], 1)) return false;
    }
    return b->scope == IR_SCOPE_LOCAL && b->type.lanes == 1;
}

/* Bytes of the buffer, in int64. */
static uint16_t lower_size(lower *l, const ir_buffer *b)
{
    uint16_t size = lower_int(l, IR_I64, ir_type_bytes(b->type), b->at);
    for (size_t i = 0; i < b->shape.n; ++i) {
        const ir_node *extent = b->shape.at[i];
        uint16_t by = lower_cast(l, lower_expr(l, extent), extent->type, IR_I64, b->at);
        uint16_t product = lower_reg(l, IR_I64, b->at);
        lower_emit(l, HOST_MUL, product, size, by);
        size = product;
    }
    return size;
}

static void lower_alloc(lower *l, const ir_node *n)
{
    const ir_buffer *b = ir_as_alloc(n)->buffer;
    if (is_scalar(b)) {
        uint16_t reg = lower_reg(l, b->type, n->at);
        map_put_id(l->mem, &l->mutable, b->data, arena_copy(l->mem, &reg, sizeof reg));
        return;
    }
    if (b->scope != IR_SCOPE_GLOBAL) {
        diag_error(l->diags, n->at, "'%.*s' of scope \"%s\" is not supported in host code: only device temporaries and "
                                    "single local values are", STR_ARG(b->name), ir_scope_text(b->scope));
        return;
    }
    uint16_t size = lower_size(l, b), pointer = lower_reg(l, IR_POINTER, n->at);
    lower_set_reg(l, b->data, pointer);
    if (l->allocs == UINT16_MAX) {
        diag_error(l->diags, n->at, "too many temporaries in host code of '%.*s'", STR_ARG(l->f->name));
        return;
    }
    lower_emit(l, HOST_ALLOC, pointer, size, (uint16_t)l->allocs++);
}

static void lower_store(lower *l, const ir_node *n)
{
    const ir_store *s = ir_as_store(n);
    const uint16_t *reg = map_get_id(&l->mutable, s->buffer->data);
    if (reg == NULL) {
        diag_error(l->diags, n->at, "host code cannot write '%.*s', which is device memory: bind a loop around this to a "
                                    "thread axis", STR_ARG(s->buffer->name));
        return;
    }
    uint16_t value = lower_expr(l, s->value);
    if (!dtype_eq(l->types.at[value], l->types.at[*reg])) value = lower_cast(l, value, s->value->type, s->buffer->type, n->at);
    lower_emit(l, HOST_MOVE, *reg, value, 0);
}

/* A copy, since the value may lie in a register that changes later. */
static void lower_bind(lower *l, const ir_node *n)
{
    const ir_bind *s = ir_as_bind(n);
    uint16_t value = lower_expr(l, s->value);
    uint16_t d = lower_reg(l, s->value->type, n->at);
    lower_emit(l, HOST_MOVE, d, value, 0);
    lower_set_reg(l, s->var, d);
    if (!ir_type_is_pointer(s->value->type)) return;
    /* What kernels do with the alias they do with its base. */
    const ir_node *base = s->value;
    while (base->kind == IR_CALL && ir_as_call(base)->args.n != 0) base = ir_as_call(base)->args.at[0];
    const ir_var *v = base->kind == IR_VAR ? ir_as_var_ref(base)->var
                      : base->kind == IR_LOAD ? ir_as_load(base)->buffer->data : NULL;
    void *use = v != NULL ? map_get_id(&l->uses, v) : NULL;
    if (use != NULL) map_put_id(l->mem, &l->uses, s->var, use);
}

/* ---- Control ----------------------------------------------------------------------------------- */

static void begin_loop(lower *l, lower_loop *loop)
{
    *loop = (lower_loop){.outer = l->loop};
    l->loop = loop;
}

static void land_all(lower *l, const index_vec *jumps)
{
    for (size_t i = 0; i < jumps->n; ++i) lower_land(l, jumps->at[i]);
}

static void lower_for(lower *l, const ir_node *n)
{
    const ir_for *s = ir_as_for(n);
    if (s->loop == IR_THREAD_BOUND) {
        diag_error(l->diags, n->at, "a thread-bound loop is left in host code");
        return;
    }
    ir_type type = s->var->type;
    lower_loop loop;
    uint16_t min = lower_cast(l, lower_expr(l, s->min), s->min->type, type, n->at);
    uint16_t extent = lower_cast(l, lower_expr(l, s->extent), s->extent->type, type, n->at);
    uint16_t one = lower_int(l, type, 1, n->at), zero = lower_int(l, type, 0, n->at);
    uint16_t count = lower_reg(l, type, n->at), var = lower_reg(l, type, n->at), more = lower_reg(l, IR_B1, n->at);
    lower_set_reg(l, s->var, var);
    lower_emit(l, HOST_MOVE, count, zero, 0);
    size_t top = l->code.n;
    lower_emit(l, HOST_LT, more, count, extent);
    size_t leave = lower_emit(l, HOST_UNLESS, more, 0, 0);
    lower_emit(l, HOST_ADD, var, min, count);
    begin_loop(l, &loop);
    host_lower_stmt(l, s->body);
    l->loop = loop.outer;
    land_all(l, &loop.continues);
    lower_emit(l, HOST_ADD, count, count, one);
    lower_emit_wide(l, HOST_JUMP, 0, top);
    lower_land(l, leave);
    land_all(l, &loop.breaks);
}

static void lower_while(lower *l, const ir_node *n)
{
    const ir_while *s = ir_as_while(n);
    lower_loop loop;
    size_t top = l->code.n;
    uint16_t cond = lower_expr(l, s->cond);
    size_t leave = lower_emit(l, HOST_UNLESS, cond, 0, 0);
    begin_loop(l, &loop);
    host_lower_stmt(l, s->body);
    l->loop = loop.outer;
    land_all(l, &loop.continues);
    lower_emit_wide(l, HOST_JUMP, 0, top);
    lower_land(l, leave);
    land_all(l, &loop.breaks);
}

static void lower_if(lower *l, const ir_node *n)
{
    const ir_if *s = ir_as_if(n);
    size_t skip = lower_emit(l, HOST_UNLESS, lower_expr(l, s->cond), 0, 0);
    host_lower_stmt(l, s->yes);
    if (s->no == NULL) {
        lower_land(l, skip);
        return;
    }
    size_t done = lower_emit(l, HOST_JUMP, 0, 0, 0);
    lower_land(l, skip);
    host_lower_stmt(l, s->no);
    lower_land(l, done);
}

static void lower_jump(lower *l, const ir_node *n, bool leaves)
{
    if (l->loop == NULL) {
        diag_error(l->diags, n->at, "%s outside of a loop", leaves ? "break" : "continue");
        return;
    }
    size_t jump = lower_emit(l, HOST_JUMP, 0, 0, 0);
    index_vec_push(l->mem, leaves ? &l->loop->breaks : &l->loop->continues, jump);
}

static void lower_return(lower *l, const ir_node *n)
{
    const ir_node *value = ir_as_return(n)->value;
    if (value == NULL) {
        lower_emit(l, HOST_END, 0, 0, 0);
        return;
    }
    uint16_t reg = lower_expr(l, value);
    if (ir_type_is_void(l->result)) l->result = value->type;
    if (ir_type_is_pointer(l->result)) {
        diag_error(l->diags, n->at, "a pointer cannot be returned");
        return;
    }
    lower_emit(l, HOST_RETURN, lower_cast(l, reg, value->type, l->result, n->at), 0, 0);
}

static void lower_assert(lower *l, const ir_node *n)
{
    const ir_assert *s = ir_as_assert(n);
    uint16_t cond = lower_expr(l, s->cond);
    message_vec_push(l->mem, &l->messages, (host_message){s->error, s->message});
    lower_emit_wide(l, HOST_ASSERT, cond, l->messages.n - 1);
}

void host_lower_stmt(lower *l, const ir_node *n)
{
    switch (n->kind) {
    case IR_SEQ:
        for (size_t i = 0; i < ir_as_seq(n)->body.n; ++i) host_lower_stmt(l, ir_as_seq(n)->body.at[i]);
        return;
    case IR_STORE: lower_store(l, n); return;
    case IR_BIND: lower_bind(l, n); return;
    case IR_ALLOC: lower_alloc(l, n); return;
    case IR_DECL: return; /* a view: its memory is known by its pointer */
    case IR_FOR: lower_for(l, n); return;
    case IR_WHILE: lower_while(l, n); return;
    case IR_IF: lower_if(l, n); return;
    case IR_BREAK: lower_jump(l, n, true); return;
    case IR_CONTINUE: lower_jump(l, n, false); return;
    case IR_RETURN: lower_return(l, n); return;
    case IR_EVAL: lower_eval(l, n); return;
    case IR_ASSERT: lower_assert(l, n); return;
    case IR_ATTR: host_lower_stmt(l, ir_as_attr(n)->body); return;
    case IR_THREAD:
    case IR_BLOCK:
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
    case IR_REDUCER: break;
    }
    diag_error(l->diags, n->at, "a statement that belongs to a kernel is left in host code");
}
