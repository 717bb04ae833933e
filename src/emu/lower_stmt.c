/* Statements, loops and inlined calls to regions of the graph. */
#include "emu/lower.h"

static void forget_local(lower *l, const emu_local *local)
{
    const size_t n = lower_leaves(l, local->type).n;
    for (size_t i = 0; i < n; ++i) emu_forget(l->g, local->leaves[i]);
    for (size_t i = 0; i < n && local->set != NULL; ++i) emu_forget(l->g, local->set[i]);
}

/* What holds the variable of the function at hand; NULL where it is not kept in registers. */
static const emu_local *local_of(const lower *l, const mf_var *v)
{
    if (v->kind == MF_VAR_GLOBAL || l->frame == NULL) return NULL;
    const binding *b = v->kind == MF_VAR_PARAM ? &l->frame->params[v->index] : &l->frame->locals[v->index];
    if (!b->bound || b->at.space != EMU_SPACE_THREAD || !emu_is_const(b->at.object)) return NULL;
    const emu_local *local = l->g->locals[b->at.object->imm];
    return local->leaves != NULL ? local : NULL;
}

static void forget_variable(void *user, mf_var *v)
{
    lower *l = user;
    const emu_local *local = local_of(l, v);
    if (local != NULL) forget_local(l, local);
}

/* Pointers to variables may be used by what follows: see emu_local.pointed. */
static void forget_pointed(lower *l)
{
    for (uint32_t k = 0; k < l->g->local_count; ++k) {
        const emu_local *local = l->g->locals[k];
        if (!local->pointed || local->leaves == NULL) continue;
        forget_local(l, local);
    }
}

static void forget_written(lower *l, const mf_stmt *loop)
{
    lower_expr_writes(loop->cond, forget_variable, l);
    lower_expr_writes(loop->step, forget_variable, l);
    lower_writes(loop->body, forget_variable, l);
    forget_pointed(l);
}

static void bind(binding *b, place p)
{
    b->bound = true;
    b->at = p;
}

/* A variable that lasts from call to call: made, all zero, where the kernel begins. */
static place kept_place(lower *l, const mf_var *v)
{
    for (uint32_t k = 0; k < l->g->local_count; ++k)
        if (l->g->locals[k]->key == v) return lower_local_place(l, l->g->locals[k]);
    *l->kept = v;
    l->restart = true;
    return lower_local_place(l, lower_local(l, v, v->name, v->type));
}

static void lower_decl(lower *l, const mf_var *v)
{
    binding *b = &l->frame->locals[v->index];
    if (v->is_static) {
        bind(b, kept_place(l, v));
        return;
    }
    if (v->type->kind == MF_TYPE_REFERENCE) {
        if (v->init != NULL) bind(b, lower_place(l, v->init));
        return;
    }
    if (v->space == MF_THREADGROUP) {
        emu_graph *g = l->g;
        const uint64_t align = mf_var_align(v) < 16 ? 16 : mf_var_align(v);
        const uint64_t at = (g->threadgroup_bytes + align - 1) / align * align;
        const size_t before = g->objects.n;
        const emu_object_info info = {.kind = EMU_OBJECT_THREADGROUP, .name = v->name, .offset = at,
                                      .size = v->type->size, .writable = true, .key = v};
        const uint32_t object = lower_object(l, &info);
        if (g->objects.n != before) g->threadgroup_bytes = at + v->type->size;
        bind(b, (place){EMU_SPACE_THREADGROUP, emu_constant(g, EMU_I32, object), emu_constant(g, EMU_I64, 0), v->type,
                        {0}, 0, 0});
        return;
    }
    const emu_local *local = lower_local(l, v, v->name, v->type);
    const place p = lower_local_place(l, local);
    if (v->init == NULL) lower_poison(l, local);
    else lower_start(l, local, lower_eval(l, v->init), v->at);
    bind(b, p);
}

static bool lower_items(lower *l, mf_stmt *const *items, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        if (!lower_stmt(l, items[i])) return false;
    return true;
}

static bool lower_if(lower *l, const mf_stmt *s)
{
    emu_graph *g = l->g;
    emu_node *c = lower_scalar_of(l, s->cond);
    if (emu_is_const(c)) {
        const mf_stmt *taken = c->imm != 0 ? s->body : s->other;
        return taken == NULL || lower_stmt(l, taken);
    }
    g->at = s->cond->at;
    (void)emu_open(g, EMU_IF_NODE, EMU_REGION_IF, c);
    bool on = lower_stmt(l, s->body);
    if (s->other != NULL) {
        (void)emu_else(g);
        const bool other = lower_stmt(l, s->other);
        on = on || other;
    } else {
        on = true;
    }
    emu_close(g, EMU_ENDIF);
    return on;
}

/* The body of a loop, once. */
static void loop_body(lower *l, const mf_stmt *body, emu_region *loop)
{
    const jumps outer = l->jumps;
    l->jumps.on_break = loop;
    l->jumps.on_continue = NULL;
    const bool block = lower_has_continue(body);
    if (block) {
        l->jumps.on_continue = emu_open(l->g, EMU_BLOCK, EMU_REGION_BLOCK, NULL);
        l->jumps.on_continue->head->k = 1;
    }
    (void)lower_stmt(l, body);
    if (block) emu_close(l->g, EMU_ENDBLOCK);
    l->jumps = outer;
}

static void leave_unless(lower *l, const mf_expr *cond, emu_region *loop)
{
    if (cond == NULL) return;
    emu_node *c = lower_scalar_of(l, cond);
    if (emu_is_const(c) && c->imm != 0) return;
    if (emu_is_const(c)) emu_break(l->g, loop, NULL, true);
    else emu_break(l->g, loop, c, false);
}

/* The variable of a counting loop, where all that matters about it is known. */
static emu_variable *counter_of(lower *l, const mf_stmt *s)
{
    if (s->init == NULL || s->cond == NULL || s->step == NULL || s->init->kind != MF_STMT_DECL) return NULL;
    const mf_var *v = s->init->var;
    if (v->type->kind != MF_TYPE_SCALAR || v->space == MF_THREADGROUP || mf_scalar_is_float(v->type->scalar)) return NULL;
    const place p = l->frame->locals[v->index].at;
    if (p.space != EMU_SPACE_THREAD) return NULL;
    const emu_local *local = l->g->locals[p.object->imm];
    if (local->leaves == NULL || local->pointed) return NULL;
    emu_variable *counter = local->leaves[0];
    return counter->current != NULL && emu_is_const(counter->current) ? counter : NULL;
}

typedef struct write_search {
    const lower *l;
    const mf_stmt *loop;
    bool found;
} write_search;

/* Does the expression read what holds the variable? */
static bool reads(const lower *l, const mf_expr *e, const mf_var *v)
{
    if (e == NULL) return false;
    if (e->kind == MF_EXPR_VAR && (e->var == v || (local_of(l, v) != NULL && local_of(l, e->var) == local_of(l, v)))) return true;
    for (uint32_t i = 0; i < e->arg_count; ++i)
        if (reads(l, e->args[i], v)) return true;
    return reads(l, e->a, v) || reads(l, e->b, v) || reads(l, e->c, v);
}

/* Does it read a variable that pointers may lead to? */
static bool reads_pointed(const lower *l, const mf_expr *e)
{
    if (e == NULL) return false;
    const emu_local *local = e->kind == MF_EXPR_VAR ? local_of(l, e->var) : NULL;
    if (local != NULL && local->pointed) return true;
    for (uint32_t i = 0; i < e->arg_count; ++i)
        if (reads_pointed(l, e->args[i])) return true;
    return reads_pointed(l, e->a) || reads_pointed(l, e->b) || reads_pointed(l, e->c);
}

static void match_write(void *user, mf_var *v)
{
    write_search *s = user;
    s->found |= reads(s->l, s->loop->cond, v) || reads(s->l, s->loop->step, v);
}

/* Only comparisons and arithmetic on variables, so that trying it out leaves nothing behind. */
static bool plain_step(const mf_expr *e, const mf_var *counter)
{
    const mf_expr *a = e->a;
    if (e->kind == MF_EXPR_CAST && e->cast == MF_CAST_TO_VOID) return plain_step(e->a, counter);
    const bool step = e->kind >= MF_EXPR_PRE_INC && e->kind <= MF_EXPR_POST_DEC;
    const bool assign = (e->kind == MF_EXPR_ASSIGN || e->kind == MF_EXPR_ASSIGN_OP) && lower_is_cheap(e->b);
    return (step || assign) && a->kind == MF_EXPR_VAR && a->var == counter;
}

/* How often the loop goes round; -1 where that is not known or too often. */
static int count_trips(lower *l, const mf_stmt *s, emu_variable *counter, int most)
{
    const mf_var *v = s->init->var;
    write_search search = {l, s, false};
    lower_writes(s->body, match_write, &search);
    lower_expr_writes(s->cond, match_write, &search);
    if (search.found || reads_pointed(l, s->cond) || reads_pointed(l, s->step) || !lower_is_cheap(s->cond) || !plain_step(s->step, v) || lower_has_break(s->body)) return -1;
    emu_node *start = counter->current;
    int trips = 0;
    for (; trips <= most; ++trips) {
        emu_node *c = lower_scalar_of(l, s->cond);
        if (!emu_is_const(c)) trips = most;
        else if (c->imm == 0) break;
        if (!emu_is_const(c)) continue;
        lower_drop(l, s->step);
        if (counter->current == NULL || !emu_is_const(counter->current)) {
            trips = most + 1;
            break;
        }
    }
    emu_set(l->g, counter, start);
    return trips <= most ? trips : -1;
}

static bool unroll(lower *l, const mf_stmt *s)
{
    enum { MOST_TRIPS = 64, MOST_WEIGHT = 3000, MOST_ASKED = 256 };
    if (s->unroll == MF_UNROLL_NONE) return false;
    emu_variable *counter = counter_of(l, s);
    if (counter == NULL) return false;
    const int trips = count_trips(l, s, counter, s->unroll == MF_UNROLL_FULL ? MOST_ASKED : MOST_TRIPS);
    if (trips < 0 || (size_t)trips * lower_weight(s->body) > MOST_WEIGHT) return false;
    for (int i = 0; i < trips; ++i) {
        loop_body(l, s->body, NULL);
        lower_drop(l, s->step);
    }
    return true;
}

static void lower_loop(lower *l, const mf_stmt *s)
{
    emu_graph *g = l->g;
    emu_variable *newest = g->last_variable;
    if (s->init != NULL) (void)lower_stmt(l, s->init);
    if (s->kind == MF_STMT_FOR && unroll(l, s)) return;
    forget_written(l, s);
    g->at = s->at;
    emu_region *loop = emu_open(g, EMU_LOOP_NODE, EMU_REGION_LOOP, NULL);
    /* what the head declares is not seen behind the loop */
    for (emu_variable *v = newest != NULL ? newest->next : g->variables; v != NULL; v = v->next) v->home = loop;
    if (s->kind != MF_STMT_DO) leave_unless(l, s->cond, loop);
    loop_body(l, s->body, loop);
    if (s->kind == MF_STMT_DO) leave_unless(l, s->cond, loop);
    if (s->step != NULL) lower_drop(l, s->step);
    emu_close(g, EMU_ENDLOOP);
}

/* Switches: each run of statements behind labels is an if on "one of the labels, or fallen in from above". */

static emu_node *label_test(lower *l, const mf_stmt *s, const mf_stmt *label, emu_node *x)
{
    emu_graph *g = l->g;
    const emu_type t = (emu_type)x->type;
    if (!label->is_default) return emu_binary(g, EMU_EQ, t, x, emu_constant(g, t, label->case_value));
    emu_node *none = emu_constant(g, EMU_BOOL, 1);
    for (size_t i = 0; i < s->item_count; ++i)
        if (s->items[i]->kind == MF_STMT_CASE && !s->items[i]->is_default)
            none = emu_binary(g, EMU_AND, EMU_BOOL, none,
                              emu_binary(g, EMU_NE, t, x, emu_constant(g, t, s->items[i]->case_value)));
    return none;
}

/* Lowers the statements of a section but a break at its end; true where control falls out of it. */
static bool section(lower *l, mf_stmt *const *items, size_t n)
{
    const bool ends = n != 0 && items[n - 1]->kind == MF_STMT_BREAK;
    return lower_items(l, items, ends ? n - 1 : n) && !ends;
}

static bool section_breaks_inside(mf_stmt *const *items, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        if (lower_has_break(items[i]) && !(i + 1 == n && items[i]->kind == MF_STMT_BREAK)) return true;
    return false;
}

static size_t section_length(const mf_stmt *s, size_t from)
{
    size_t n = 0;
    while (from + n < s->item_count && s->items[from + n]->kind != MF_STMT_CASE) ++n;
    return n;
}

static void lower_switch(lower *l, const mf_stmt *s)
{
    emu_graph *g = l->g;
    emu_node *x = lower_scalar_of(l, s->cond);
    bool inside = false;
    for (size_t i = 0; i < s->item_count; ++i) {
        const size_t n = section_length(s, i);
        inside = inside || section_breaks_inside(s->items + i, n);
        i += n;
    }
    const jumps outer = l->jumps;
    if (inside) l->jumps.on_break = emu_open(g, EMU_BLOCK, EMU_REGION_BLOCK, NULL);
    emu_variable *fallen = emu_new_variable(g, EMU_BOOL, g->region);
    emu_set(g, fallen, emu_constant(g, EMU_BOOL, 0));
    bool falls = false;
    for (size_t i = 0; i < s->item_count;) {
        emu_node *enter = falls ? emu_get(g, fallen) : emu_constant(g, EMU_BOOL, 0);
        for (; i < s->item_count && s->items[i]->kind == MF_STMT_CASE; ++i)
            enter = emu_binary(g, EMU_OR, EMU_BOOL, enter, label_test(l, s, s->items[i], x));
        const size_t n = section_length(s, i);
        if (!(emu_is_const(enter) && enter->imm == 0)) {
            (void)emu_open(g, EMU_IF_NODE, EMU_REGION_IF, enter);
            falls = section(l, s->items + i, n);
            if (falls) emu_set(g, fallen, emu_constant(g, EMU_BOOL, 1));
            emu_close(g, EMU_ENDIF);
            if (!falls) emu_set(g, fallen, emu_constant(g, EMU_BOOL, 0));
        }
        i += n;
    }
    if (inside) emu_close(g, EMU_ENDBLOCK);
    l->jumps = outer;
}

/* A function's call of itself, the last thing that it does: its parameters change, and its body runs again. */
static bool lower_again(lower *l, const mf_stmt *s)
{
    call_frame *f = l->frame;
    const mf_expr *e = s->expr;
    while (e->kind == MF_EXPR_CAST) e = e->a;
    val *values = arena_array(l->mem, val, e->arg_count + 1);
    for (uint32_t i = 0; i < e->arg_count; ++i) {
        const bool reference = f->function->params[i]->type->kind == MF_TYPE_REFERENCE;
        const place now = f->params[i].at, next = reference ? lower_place(l, e->args[i]) : now;
        if (reference && (next.object != now.object || next.offset != now.offset))
            lower_refuse(l, s->at, "a function that calls itself with another object than its own is not supported");
        if (!reference) values[i] = lower_eval(l, e->args[i]);
    }
    for (uint32_t i = 0; i < e->arg_count; ++i)
        if (f->function->params[i]->type->kind != MF_TYPE_REFERENCE) lower_write(l, f->params[i].at, values[i], s->at);
    emu_set(l->g, f->again, emu_constant(l->g, EMU_BOOL, 1));
    emu_break(l->g, f->turn, NULL, true);
    return false;
}

static bool lower_return(lower *l, const mf_stmt *s)
{
    call_frame *f = l->frame;
    if (s->expr != NULL) {
        if (f->function->result->kind == MF_TYPE_REFERENCE) {
            f->result_place = lower_place(l, s->expr);
            if (f->block != NULL) lower_refuse(l, s->at, "a function that returns a reference from several places is not supported");
        } else {
            f->value = lower_eval(l, s->expr);
            if (f->result != NULL)
                for (size_t i = 0; i < f->value.n; ++i) emu_set(l->g, f->result[i], f->value.at[i]);
        }
    }
    l->g->at = s->at;
    if (f->block != NULL) emu_break(l->g, f->block, NULL, true);
    return false;
}

bool lower_stmt(lower *l, const mf_stmt *s)
{
    if (l->frame->turn != NULL && mf_is_self_call(s, l->frame->function)) return lower_again(l, s);
    switch (s->kind) {
    case MF_STMT_EXPR: lower_drop(l, s->expr); return true;
    case MF_STMT_DECL: lower_decl(l, s->var); return true;
    case MF_STMT_BLOCK: return lower_items(l, s->items, s->item_count);
    case MF_STMT_IF: return lower_if(l, s);
    case MF_STMT_FOR:
    case MF_STMT_WHILE:
    case MF_STMT_DO: lower_loop(l, s); return true;
    case MF_STMT_SWITCH: lower_switch(l, s); return true;
    case MF_STMT_BREAK:
    case MF_STMT_CONTINUE: {
        emu_region *to = s->kind == MF_STMT_BREAK ? l->jumps.on_break : l->jumps.on_continue;
        l->g->at = s->at;
        if (to != NULL) emu_break(l->g, to, NULL, true);
        return false;
    }
    case MF_STMT_RETURN: return lower_return(l, s);
    case MF_STMT_CASE:
    case MF_STMT_EMPTY: break;
    }
    return true;
}

/* Calls are expanded where they stand. */

static void bind_params(lower *l, const mf_expr *e, call_frame *f)
{
    for (size_t i = 0; i < f->function->param_count && i < e->arg_count; ++i) {
        const mf_var *p = f->function->params[i];
        if (p->type->kind == MF_TYPE_REFERENCE) {
            bind(&f->params[i], lower_place(l, e->args[i]));
            continue;
        }
        const val v = lower_eval(l, e->args[i]);
        const emu_local *local = lower_local(l, p, p->name, p->type);
        lower_start(l, local, v, e->args[i]->at);
        bind(&f->params[i], lower_local_place(l, local));
    }
}

/* The body of a function that calls itself: a loop whose turns end with such a call but the last one. */
static void lower_turns(lower *l, const mf_function *f)
{
    emu_graph *g = l->g;
    call_frame *fr = l->frame;
    fr->again = emu_new_variable(g, EMU_BOOL, g->region);
    lower_writes(f->body, forget_variable, l);
    for (size_t i = 0; i < f->param_count; ++i)
        if (f->params[i]->type->kind != MF_TYPE_REFERENCE) forget_variable(l, f->params[i]);
    forget_pointed(l);
    emu_region *loop = emu_open(g, EMU_LOOP_NODE, EMU_REGION_LOOP, NULL);
    emu_set(g, fr->again, emu_constant(g, EMU_BOOL, 0));
    fr->turn = emu_open(g, EMU_BLOCK, EMU_REGION_BLOCK, NULL);
    (void)lower_stmt(l, f->body);
    emu_close(g, EMU_ENDBLOCK);
    emu_break(g, loop, emu_get(g, fr->again), false);
    emu_close(g, EMU_ENDLOOP);
}

void lower_body(lower *l, const mf_function *f)
{
    call_frame *fr = l->frame;
    const jumps outer = l->jumps;
    l->jumps = (jumps){NULL, NULL};
    if (!f->recurs && !lower_has_early_return(f)) {
        (void)lower_stmt(l, f->body);
    } else {
        const leaf_list leaves = lower_leaves(l, f->result);
        fr->result = arena_array(l->mem, emu_variable *, leaves.n + 1);
        for (size_t i = 0; i < leaves.n; ++i) {
            fr->result[i] = emu_new_variable(l->g, leaves.at[i].type, l->g->region);
            emu_set(l->g, fr->result[i], emu_constant(l->g, leaves.at[i].type, 0));
        }
        fr->block = emu_open(l->g, EMU_BLOCK, EMU_REGION_BLOCK, NULL);
        if (f->recurs) lower_turns(l, f);
        else (void)lower_stmt(l, f->body);
        emu_close(l->g, EMU_ENDBLOCK);
        fr->value = lower_val(l, leaves.n);
        for (size_t i = 0; i < leaves.n; ++i) fr->value.at[i] = emu_get(l->g, fr->result[i]);
    }
    l->jumps = outer;
}

val lower_call(lower *l, const mf_expr *e, place *where)
{
    enum { MOST_DEPTH = 64 };
    const mf_function *f = e->function;
    call_frame inner = {.function = f, .outer = l->frame};
    inner.params = arena_array(l->mem, binding, f->param_count + 1);
    inner.locals = arena_array(l->mem, binding, f->local_count + 1);
    if (l->depth >= MOST_DEPTH) {
        lower_refuse(l, e->at, "calls are nested more than %d deep", (int)MOST_DEPTH);
        return lower_zero(l, e->type);
    }
    bind_params(l, e, &inner);
    inner.value = lower_val(l, 0);
    ++l->depth;
    l->frame = &inner;
    const span outside = l->g->called_at;
    if (f->of_library && outside.file == 0) l->g->called_at = e->at;
    lower_body(l, f);
    l->g->called_at = outside;
    l->frame = inner.outer;
    --l->depth;
    if (f->result->kind == MF_TYPE_REFERENCE) {
        if (inner.result_place.object == NULL) return lower_zero(l, e->type);
        if (where != NULL) *where = inner.result_place;
        return where != NULL ? lower_val(l, 0) : lower_read(l, inner.result_place, e->at);
    }
    if (inner.value.n == lower_leaves(l, e->type).n) return inner.value;
    return lower_zero(l, e->type); /* the end of a function with a result was reached without one */
}
