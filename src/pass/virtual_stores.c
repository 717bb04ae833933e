/* Places as sums of digits: each variable that differs between the virtual threads of a threadgroup, or between rounds, is one.
 *
 *     S[v * 32 + tx]     32 * v + 1 * tx, tx < 32: equal only where v is (32 exceeds what tx makes up)
 *     S[v * 16 + tx]     equal at v = 0, tx = 16 and v = 1, tx = 0
 *
 * Stores that meet are harmless where the place alone says what is stored there: S[v * 16 + tx] = A[v * 16 + tx + 1]. */
#include "pass/virtual_stores.h"

#include "ir/fold.h"
#include "ir/linear.h"
#include "ir/simplify.h"
#include "ir/walk.h"
#include "pass/jumps.h"
#include "pass/thread_axis.h"

/* A condition around a statement. */
typedef struct guard {
    const ir_node *cond;
    bool holds;
} guard;

VEC_DECLARE(guard_vec, guard)

typedef struct meeting {
    ir_walk w;
    pass_context *cx;
    ir_analyzer *az;
    const ir_var *axis;
    int64_t n;
    map differ;  /* variables that differ between the virtual threads */
    map threads; /* axes of the other threads of a group, real and virtual */
    map rounds;  /* loop variables */
    map lets;    /* variable or pointer -> its value */
    map below;   /* pointers of threadgroup memory that is allocated below the axis */
    map locals;  /* pointers of memory that is allocated below it for each virtual thread */
    map apart;   /* pointers of memory that virtual threads do not use alike */
    map *copied; /* pointers of memory of which each virtual thread needs its own */
    guard_vec guards;
    bool threads_count, rounds_count; /* at the store in hand: do other threads see the memory, and is a round no end of its stores? */
} meeting;

/* One store: the elements at `index` + what the two digits of a tile or a vector add. */
typedef struct place {
    const ir_node *at; /* the statement */
    const ir_buffer *buffer;
    const ir_var *memory;
    const ir_node *index;
    const ir_node *value; /* NULL: a matrix, each virtual thread's own */
    int64_t stride[2], reach[2];
} place;

/* ---- What differs ------------------------------------------------------------------------------ */

typedef struct own_search {
    const meeting *m;
    bool threads, rounds; /* do these count? */
    bool found;
} own_search;

static void find_own(void *user, const ir_node *n)
{
    own_search *s = user;
    const meeting *m = s->m;
    const ir_var *v = n->kind == IR_VAR ? ir_as_var_ref(n)->var : n->kind == IR_LOAD ? ir_as_load(n)->buffer->data : NULL;
    if (n->kind == IR_CALL) s->found |= ir_builtins[ir_as_call(n)->fn].effect == IR_EFFECT_EFFECT;
    if (v == NULL) return;
    /* What common memory holds at one place is the same for all of them. */
    s->found |= map_get_id(&m->differ, v) != NULL || map_get_id(&m->locals, v) != NULL || map_get_id(m->copied, v) != NULL;
    s->found |= (s->threads && map_get_id(&m->threads, v) != NULL) || (s->rounds && map_get_id(&m->rounds, v) != NULL);
}

/* May it differ between two stores of the same statement that can fall on one element? */
static bool is_own(const meeting *m, const ir_node *n)
{
    own_search s = {m, m->threads_count, m->rounds_count, false};
    ir_each(n, find_own, &s);
    return s.found;
}

/* May it differ between the virtual threads of one thread? */
static bool differs(const meeting *m, const ir_node *n)
{
    own_search s = {m, false, false, false};
    ir_each(n, find_own, &s);
    return s.found;
}

/* ---- Collecting -------------------------------------------------------------------------------- */

static void find_pointer(void *user, const ir_node *n)
{
    const ir_var **found = user;
    if (n->kind == IR_VAR && ir_type_is_pointer(n->type)) *found = ir_as_var_ref(n)->var;
    if (n->kind == IR_LOAD && *found == NULL) *found = ir_as_load(n)->buffer->data;
}

/* The allocation or parameter behind a pointer; *moved where the pointer is not its first element. */
static const ir_var *memory_of(const meeting *m, const ir_var *pointer, bool *moved)
{
    *moved = false;
    for (int depth = 0; depth < 64; ++depth) {
        const ir_node *value = map_get_id(&m->lets, pointer);
        const ir_var *found = NULL;
        if (value != NULL) ir_each(value, find_pointer, &found);
        if (found == NULL) break;
        *moved |= value->kind != IR_VAR;
        pointer = found;
    }
    return pointer;
}

/* Ranges of loops and threads. */
static void know_node(void *user, const ir_node *n)
{
    meeting *m = user;
    thread_axis axis;
    if (n->kind == IR_FOR) ir_analyzer_bind(m->az, ir_as_for(n)->var, ir_as_for(n)->min, ir_as_for(n)->extent);
    if (n->kind == IR_THREAD) {
        const ir_thread *t = ir_as_thread(n);
        ir_analyzer_bind(m->az, t->var, ir_int_like(m->cx->mem, t->extent, 0), t->extent);
    }
    if (thread_axis_in_group(n, &axis) && axis.var != m->axis) map_put_id(m->cx->mem, &m->threads, axis.var, n);
}

static void note_memory(void *user, const ir_node *n)
{
    meeting *m = user;
    arena *mem = m->cx->mem;
    if (n->kind == IR_ALLOC) {
        const ir_buffer *b = ir_as_alloc(n)->buffer;
        map_put_id(mem, thread_scope_is_shared(b->scope) ? &m->below : &m->locals, b->data, b);
    }
}

static void note_names(void *user, const ir_node *n)
{
    meeting *m = user;
    arena *mem = m->cx->mem;
    if (n->kind == IR_FOR) map_put_id(mem, differs(m, ir_as_for(n)->extent) ? &m->differ : &m->rounds, ir_as_for(n)->var, n);
    if (n->kind != IR_BIND) return;
    const ir_bind *b = ir_as_bind(n);
    const ir_node *value = ir_substitute(mem, b->value, &m->lets);
    if (ir_type_is_pointer(b->var->type) || !ir_reads_memory(value)) map_put_id(mem, &m->lets, b->var, value);
    else if (differs(m, value)) map_put_id(mem, &m->differ, b->var, value);
    else map_put_id(mem, &m->rounds, b->var, value);
}

/* ---- Is memory used alike? --------------------------------------------------------------------- */

typedef struct use_walk {
    ir_walk w;
    meeting *m;
    bool guarded; /* under a condition, or in a loop, that differs */
} use_walk;

static void set_apart(use_walk *u, const ir_var *pointer)
{
    bool moved;
    map_put_id(u->m->cx->mem, &u->m->apart, memory_of(u->m, pointer, &moved), pointer);
}

static void use_at(use_walk *u, const ir_var *data, ir_list index, bool differs_here)
{
    for (size_t i = 0; i < index.n; ++i) differs_here |= differs(u->m, ir_substitute(u->m->cx->mem, index.at[i], &u->m->lets));
    if (differs_here || map_get_id(&u->m->below, data) == NULL) set_apart(u, data);
}

/* Whatever is no plain load or store of an element sets the memory apart: pointers, views, atomic operations, matrix tiles. */
static void find_use(ir_walk *w, const ir_node *n)
{
    use_walk *u = (use_walk *)(void *)w;
    bool outer = u->guarded;
    if (n->kind == IR_VAR && ir_type_is_pointer(n->type)) set_apart(u, ir_as_var_ref(n)->var);
    if (n->kind == IR_DECL) set_apart(u, ir_as_decl(n)->buffer->data);
    if (n->kind == IR_LOAD) use_at(u, ir_as_load(n)->buffer->data, ir_as_load(n)->index, false);
    if (n->kind == IR_STORE) use_at(u, ir_as_store(n)->buffer->data, ir_as_store(n)->index, outer);
    if (n->kind == IR_CALL && ir_as_call(n)->fn == IR_FN_ADDRESS_OF && ir_as_call(n)->args.at[0]->kind == IR_LOAD) {
        set_apart(u, ir_as_load(ir_as_call(n)->args.at[0])->buffer->data);
    }
    const ir_node *when = n->kind == IR_IF ? ir_as_if(n)->cond : n->kind == IR_WHILE ? ir_as_while(n)->cond :
                          n->kind == IR_FOR ? ir_as_for(n)->extent : NULL;
    u->guarded |= (n->kind == IR_FOR && jumps_find(ir_as_for(n)->body) != NULL) || (n->kind == IR_WHILE && jumps_find(ir_as_while(n)->body) != NULL);
    if (when != NULL) u->guarded |= differs(u->m, ir_substitute(u->m->cx->mem, when, &u->m->lets));
    ir_walk_children(w, n);
    u->guarded = outer;
}

/* ---- Digits ------------------------------------------------------------------------------------ */

enum { MOST_DIGITS = IR_LINEAR_TERMS + 3 };

/* weight * d, d any whole number from -reach to reach. */
typedef struct digit {
    int64_t weight, reach;
    bool is_axis;
} digit;

typedef struct digits {
    digit at[MOST_DIGITS];
    size_t n;
    bool free; /* do they take all values, whatever the others are? */
} digits;

static void add_digit(digits *d, int64_t weight, int64_t reach, bool is_axis)
{
    if (reach == 0 || weight == 0) return;
    digit one = {weight < 0 ? -weight : weight, reach, is_axis};
    size_t j = d->n++;
    for (; j > 0 && d->at[j - 1].weight > one.weight; --j) d->at[j] = d->at[j - 1];
    d->at[j] = one;
}

static int64_t reach_of(meeting *m, const ir_node *atom)
{
    ir_interval r = ir_bound(m->az, atom);
    if (r.min == IR_NEG_INF || r.max == IR_POS_INF || !ir_add_exact(r.max, -r.min, &r.max)) return IR_POS_INF;
    return r.max;
}

/* The variable that the atom is, of whatever width, or NULL. */
static const ir_var *variable_of(const ir_node *atom)
{
    if (atom->kind == IR_CAST) atom = ir_as_cast(atom)->a;
    return atom->kind == IR_VAR ? ir_as_var_ref(atom)->var : NULL;
}

/* The differences of two such places. False: not all of them are known. */
static bool digits_of(meeting *m, const place *p, const ir_linear *form, digits *out)
{
    *out = (digits){.n = 0, .free = true};
    for (size_t k = 0; k < m->guards.n; ++k) out->free = out->free && !is_own(m, m->guards.at[k].cond);
    for (size_t i = 0; i < form->n; ++i) {
        const ir_node *atom = form->terms[i].atom;
        if (!is_own(m, atom)) continue;
        const ir_var *v = variable_of(atom);
        bool axis = v == m->axis;
        out->free = out->free && v != NULL && map_get_id(&m->differ, v) == (axis ? v : NULL);
        if (!axis && ir_uses_var(atom, m->axis)) return false;
        add_digit(out, form->terms[i].coeff, axis ? m->n - 1 : reach_of(m, atom), axis);
    }
    for (size_t i = 0; i < 2; ++i) add_digit(out, p->stride[i], p->reach[i], false);
    return true;
}

/* Is the sum 0 only where each digit is? So it is where each weight exceeds all that the smaller ones can make up. */
static bool only_zero(const digits *d)
{
    int64_t below = 0, made;
    bool axis = false;
    for (size_t i = 0; i < d->n; ++i) {
        axis |= d->at[i].is_axis;
        if (d->at[i].weight <= below) return false;
        if (!ir_mul_exact(d->at[i].weight, d->at[i].reach, &made) || !ir_add_exact(below, made, &below)) below = IR_POS_INF;
    }
    return axis;
}

/* Is the sum 0 for some digits of which the axis' is not? True is certain. */
static bool meets_surely(const digits *d, int64_t n)
{
    int64_t weight = 0;
    if (!d->free) return false;
    for (size_t i = 0; i < d->n; ++i) {
        if (d->at[i].is_axis) weight = d->at[i].weight;
    }
    for (int64_t k = 1; k < n; ++k) {
        int64_t left;
        if (!ir_mul_exact(weight, k, &left)) return false;
        for (size_t i = d->n; i > 0; --i) {
            const digit *one = &d->at[i - 1];
            if (one->is_axis) continue;
            int64_t take = left / one->weight;
            left -= one->weight * (take < one->reach ? take : one->reach);
        }
        if (left == 0 && weight != 0) return true;
    }
    return false;
}

/* ---- One player after another ------------------------------------------------------------------ */

/* Where the places of one virtual thread lie. False: not known. */
static bool places_of(meeting *m, const place *p, int64_t player, ir_linear *uniform, ir_interval *around)
{
    const ir_node *v = ir_int_new(m->cx->mem, m->axis->type, player, p->at->at);
    ir_linear form;
    if (!ir_linear_of(ir_simplify(m->az, ir_substitute_one(m->cx->mem, p->index, m->axis, v)), &form)) return false;
    *uniform = (ir_linear){.constant = form.constant};
    *around = (ir_interval){0, 0};
    for (size_t i = 0; i < 2; ++i) around->max += p->stride[i] * p->reach[i];
    for (size_t i = 0; i < form.n; ++i) {
        const ir_term *t = &form.terms[i];
        if (!is_own(m, t->atom)) {
            if (!ir_linear_term(uniform, t->atom, t->coeff)) return false;
            continue;
        }
        ir_interval r = ir_bound(m->az, t->atom);
        int64_t low, high;
        if (r.min == IR_NEG_INF || r.max == IR_POS_INF || !ir_mul_exact(t->coeff < 0 ? r.max : r.min, t->coeff, &low) ||
            !ir_mul_exact(t->coeff < 0 ? r.min : r.max, t->coeff, &high) || !ir_add_exact(around->min, low, &around->min) ||
            !ir_add_exact(around->max, high, &around->max))
            return false;
    }
    return true;
}

/* Do the virtual threads store in intervals that have no element in common? */
static bool in_intervals(meeting *m, const place *p)
{
    arena *mem = m->cx->mem;
    ir_linear *uniform = arena_array(mem, ir_linear, (size_t)m->n);
    ir_interval *around = arena_array(mem, ir_interval, (size_t)m->n);
    for (int64_t i = 0; i < m->n; ++i) {
        if (!places_of(m, p, i, &uniform[i], &around[i])) return false;
        for (int64_t j = 0; j < i; ++j) {
            ir_linear between = uniform[i];
            if (!ir_linear_add(&between, &uniform[j], -1) || between.n != 0) return false;
            bool apart = between.constant > around[j].max - around[i].min || -between.constant > around[i].max - around[j].min;
            if (!apart) return false;
        }
    }
    return true;
}

/* Is there one virtual thread at most that comes here? */
static bool one_comes(meeting *m)
{
    arena *mem = m->cx->mem;
    int64_t come = 0;
    for (int64_t i = 0; i < m->n && come < 2; ++i) {
        const ir_node *v = ir_int_new(mem, m->axis->type, i, m->axis->at);
        bool comes = true;
        for (size_t k = 0; k < m->guards.n && comes; ++k) {
            const guard *g = &m->guards.at[k];
            comes = !ir_is_const(ir_simplify(m->az, ir_substitute_one(mem, g->cond, m->axis, v)), g->holds ? 0 : 1);
        }
        come += comes;
    }
    return come < 2;
}

/* ---- Values ------------------------------------------------------------------------------------ */

typedef struct value_check {
    ir_walk w;
    meeting *m;
    const ir_linear *index;
    const ir_var *memory; /* of the store */
    bool good;
} value_check;

/* Does an integer differ from a multiple of the index by what is the same for all? */
static bool follows_index(const value_check *c, const ir_node *n)
{
    ir_linear form, rest;
    if (!ir_linear_of(n, &form)) return false;
    for (size_t i = 0; i < form.n; ++i) {
        if (!is_own(c->m, form.terms[i].atom)) continue;
        for (size_t k = 0; k < c->index->n; ++k) {
            const ir_term *t = &c->index->terms[k];
            if (!ir_equal(t->atom, form.terms[i].atom) || form.terms[i].coeff % t->coeff != 0) continue;
            rest = form;
            bool added = ir_linear_add(&rest, c->index, -(form.terms[i].coeff / t->coeff));
            for (size_t j = 0; j < rest.n && added; ++j) added = !is_own(c->m, rest.terms[j].atom);
            return added;
        }
        return false;
    }
    return true;
}

static void check_value(ir_walk *w, const ir_node *n)
{
    value_check *c = (value_check *)(void *)w;
    if (!c->good || !is_own(c->m, n)) return;
    if (n->type.lanes == 1 && ir_type_is_int(n->type) && follows_index(c, n)) return;
    const ir_var *data = n->kind == IR_LOAD ? ir_as_load(n)->buffer->data : NULL;
    bool changes = data != NULL && (data == c->memory || map_get_id(c->m->copied, data) != NULL || map_get_id(&c->m->locals, data) != NULL);
    bool effect = n->kind == IR_CALL && ir_builtins[ir_as_call(n)->fn].effect == IR_EFFECT_EFFECT;
    c->good = n->kind != IR_VAR && !changes && !effect;
    if (c->good) ir_walk_children(w, n);
}

/* Does the place alone say what is stored there? */
static bool place_tells_value(meeting *m, const place *p, const ir_linear *index)
{
    if (p->value == NULL) return false;
    if (p->reach[0] != 0) return !is_own(m, p->value); /* lanes are not followed one by one */
    value_check c = {.w = {.node = check_value}, .m = m, .index = index, .memory = p->buffer->data, .good = true};
    check_value(&c.w, p->value);
    return c.good;
}

typedef struct read_search {
    const place *p;
    bool found; /* a read of the store's memory */
    bool there; /* of its very element */
} read_search;

static void find_read(void *user, const ir_node *n)
{
    read_search *s = user;
    if (n->kind != IR_LOAD || ir_as_load(n)->buffer->data != s->p->buffer->data) return;
    s->found = true;
    s->there |= ir_as_load(n)->index.n == 1 && ir_equal(ir_as_load(n)->index.at[0], s->p->index);
}

static read_search reads_of(const place *p)
{
    read_search s = {p, false, false};
    if (p->value != NULL) ir_each(p->value, find_read, &s);
    return s;
}

/* ---- Stores ------------------------------------------------------------------------------------ */

/* `strict`: memory of the group that is allocated below the axis. `far`: reached through a moved pointer, or in unknown steps. */
static void look_at(meeting *m, const place *p, bool strict, bool far)
{
    ir_linear form;
    digits d;
    read_search reads = reads_of(p);
    bool same_place = !far && !differs(m, p->index), linear = !far && ir_linear_of(p->index, &form);
    bool same_value = p->value != NULL && !differs(m, p->value);
    if (same_place && same_value && !reads.found) return;
    /* A sum over the virtual threads is one where what is added is theirs. */
    if ((!strict && (far || (reads.there && !same_value))) || (linear && place_tells_value(m, p, &form)) || one_comes(m)) return;
    bool known = linear && digits_of(m, p, &form, &d);
    if (known && only_zero(&d)) return;
    if (strict && map_get_id(&m->apart, p->memory) == NULL) {
        map_put_id(m->cx->mem, m->copied, p->memory, p->memory);
    } else if (same_place || (known && meets_surely(&d, m->n))) {
        diag_error(m->cx->diags, p->at->at,
                   "virtual threads store values of their own at one place of '%.*s', which is common to them: give it a dimension for "
                   "the virtual thread, or let one of them store",
                   STR_ARG(p->buffer->name));
    } else if (strict && (far || !in_intervals(m, p))) {
        diag_error(m->cx->diags, p->at->at,
                   "it cannot be proved that virtual threads store at different places of '%.*s', which is common to them: give it a "
                   "dimension for the virtual thread",
                   STR_ARG(p->buffer->name));
    }
}

static void look_at_store(meeting *m, const ir_buffer *b, const ir_node *index, place p, bool far)
{
    bool moved;
    p.memory = memory_of(m, b->data, &moved);
    if (map_get_id(&m->locals, p.memory) != NULL) return;
    bool strict = map_get_id(&m->below, p.memory) != NULL;
    m->threads_count = thread_scope_is_shared(p.memory->scope) || p.memory->scope == IR_SCOPE_GLOBAL;
    m->rounds_count = strict;
    p.buffer = b;
    p.index = ir_substitute(m->cx->mem, index, &m->lets);
    if (p.value != NULL) p.value = ir_substitute(m->cx->mem, p.value, &m->lets);
    if (p.index->kind == IR_RAMP && ir_const_value(ir_as_ramp(p.index)->stride, &p.stride[0])) {
        p.reach[0] = p.index->type.lanes - 1;
        p.index = ir_as_ramp(p.index)->base;
    }
    p.index = ir_simplify(m->az, p.index);
    look_at(m, &p, strict, far || moved);
}

/* simdgroup_store: 8 rows of 8 elements, `stride` apart. */
static void look_at_tile(meeting *m, const ir_node *at, const ir_call *c)
{
    const ir_node *pointer = c->args.at[2];
    int64_t stride;
    if (pointer->kind != IR_CALL || ir_as_call(pointer)->fn != IR_FN_ADDRESS_OF) return;
    const ir_node *element = ir_as_call(pointer)->args.at[0];
    if (element->kind != IR_LOAD || ir_as_load(element)->index.n != 1) return;
    bool known = ir_const_value(c->args.at[3], &stride) && stride >= 8 && stride <= INT32_MAX;
    place p = {.at = at, .stride = {1, known ? stride : 0}, .reach = {7, 7}};
    look_at_store(m, ir_as_load(element)->buffer, ir_as_load(element)->index.at[0], p, !known);
}

static void look_at_guarded(meeting *m, const ir_node *cond, bool holds, const ir_node *body)
{
    ir_analyzer_mark mark = ir_analyzer_save(m->az);
    const ir_node *plain = ir_substitute(m->cx->mem, cond, &m->lets);
    if (holds) ir_analyzer_assume(m->az, plain);
    else ir_analyzer_assume_not(m->az, plain);
    guard_vec_push(m->cx->mem, &m->guards, (guard){plain, holds});
    m->w.node(&m->w, body);
    m->guards.n--;
    ir_analyzer_restore(m->az, mark);
}

static void visit(ir_walk *w, const ir_node *n)
{
    meeting *m = (meeting *)(void *)w;
    if (!ir_is_stmt(n)) return;
    if (n->kind == IR_IF) {
        look_at_guarded(m, ir_as_if(n)->cond, true, ir_as_if(n)->yes);
        if (ir_as_if(n)->no != NULL) look_at_guarded(m, ir_as_if(n)->cond, false, ir_as_if(n)->no);
        return;
    }
    if (n->kind == IR_STORE && ir_as_store(n)->index.n == 1) {
        const ir_store *store = ir_as_store(n);
        look_at_store(m, store->buffer, store->index.at[0], (place){.at = n, .value = store->value}, false);
    }
    if (n->kind == IR_EVAL && ir_as_eval(n)->value->kind == IR_CALL && ir_as_call(ir_as_eval(n)->value)->fn == IR_FN_SIMD_STORE) {
        look_at_tile(m, n, ir_as_call(ir_as_eval(n)->value));
    }
    ir_walk_children(w, n);
}

void virtual_stores_check(pass_context *cx, const ir_node *whole, const ir_var *axis, int64_t n, const ir_node *body, map *copied)
{
    meeting m = {.w = {.node = visit}, .cx = cx, .az = ir_analyzer_new(cx->mem), .axis = axis, .n = n, .copied = copied};
    ir_each(whole, know_node, &m);
    ir_each(body, know_node, &m);
    ir_analyzer_bind_range(m.az, axis, 0, n - 1);
    map_put_id(cx->mem, &m.differ, axis, axis);
    ir_each(body, note_memory, &m);
    ir_each(body, note_names, &m);
    use_walk u = {.w = {.node = find_use}, .m = &m};
    find_use(&u.w, body);
    visit(&m.w, body);
}
