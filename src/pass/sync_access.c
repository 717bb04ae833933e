/* Accesses as linear forms in the thread's indices. Everything not understood counts as a conflict. */
#include "pass/sync_access.h"

#include "ir/fold.h"
#include "ir/simplify.h"
#include "ir/walk.h"
#include "pass/thread_axis.h"

/* ---- Intervals --------------------------------------------------------------------------------- */

static const ir_interval everything = {IR_NEG_INF, IR_POS_INF};

static ir_interval plus(ir_interval a, ir_interval b)
{
    ir_interval r = everything;
    if (a.min != IR_NEG_INF && b.min != IR_NEG_INF && !ir_add_exact(a.min, b.min, &r.min)) r.min = IR_NEG_INF;
    if (a.max != IR_POS_INF && b.max != IR_POS_INF && !ir_add_exact(a.max, b.max, &r.max)) r.max = IR_POS_INF;
    return r;
}

static ir_interval times(ir_interval a, int64_t c)
{
    if (c == 0) return (ir_interval){0, 0};
    ir_interval r = everything;
    int64_t low = c > 0 ? a.min : a.max, high = c > 0 ? a.max : a.min;
    bool low_known = low != IR_NEG_INF && low != IR_POS_INF, high_known = high != IR_NEG_INF && high != IR_POS_INF;
    if (low_known && !ir_mul_exact(low, c, &r.min)) r.min = IR_NEG_INF;
    if (high_known && !ir_mul_exact(high, c, &r.max)) r.max = IR_POS_INF;
    return r;
}

static ir_interval negated(ir_interval a)
{
    return times(a, -1);
}

static bool has_zero(ir_interval a)
{
    return a.min <= 0 && a.max >= 0;
}

static int64_t largest(ir_interval a)
{
    if (a.min == IR_NEG_INF || a.max == IR_POS_INF) return IR_POS_INF;
    int64_t low = a.min < 0 ? -a.min : a.min, high = a.max < 0 ? -a.max : a.max;
    return low > high ? low : high;
}

/* ---- Making accesses --------------------------------------------------------------------------- */

static bool is_group_memory(const ir_var *pointer)
{
    return thread_scope_is_shared(pointer->scope);
}

typedef struct memory_search {
    const ir_var *found;
} memory_search;

static void find_memory(void *user, const ir_node *n)
{
    memory_search *m = user;
    if (n->kind == IR_VAR && ir_type_is_pointer(n->type)) m->found = ir_as_var_ref(n)->var;
    if (n->kind == IR_LOAD && m->found == NULL) m->found = ir_as_load(n)->buffer->data;
}

/* The memory that a pointer leads to: the allocation at its root. *same is set where the pointer is the
 * allocation's own. */
static const ir_var *root_of(const sync_space *s, const ir_var *pointer, bool *same)
{
    *same = true;
    for (int depth = 0; depth < 64; ++depth) {
        const ir_node *value = map_get_id(&s->lets, pointer);
        if (value == NULL) break;
        memory_search m = {NULL};
        ir_each(value, find_memory, &m);
        if (m.found == NULL) break;
        *same = *same && value->kind == IR_VAR;
        pointer = m.found;
    }
    return pointer;
}

typedef struct moving_search {
    const sync_space *s;
    bool axes, found, reads;
} moving_search;

static void find_moving(void *user, const ir_node *n)
{
    moving_search *m = user;
    if (n->kind == IR_LOAD || (n->kind == IR_CALL && ir_builtins[ir_as_call(n)->fn].effect != IR_EFFECT_PURE)) {
        m->reads = true;
    }
    if (n->kind != IR_VAR) return;
    const ir_var *v = ir_as_var_ref(n)->var;
    for (size_t i = 0; i < m->s->axis_count; ++i) {
        if (v != m->s->axes[i]) continue;
        m->axes = true;
        return;
    }
    m->found |= map_get_id(m->s->varying, v) != NULL || map_get_id(&m->s->moving, v) != NULL;
}

static int axis_index(const sync_space *s, const ir_node *atom)
{
    if (atom->kind == IR_CAST) atom = ir_as_cast(atom)->a;
    for (size_t i = 0; i < s->axis_count; ++i) {
        if (atom->kind == IR_VAR && ir_as_var_ref(atom)->var == s->axes[i]) return (int)i;
    }
    return -1;
}

/* Puts index * bytes into the access. */
static void add_form(sync_space *s, access *a, const ir_linear *form, int64_t bytes)
{
    access_term *terms = arena_array(s->mem, access_term, form->n), *odd = arena_array(s->mem, access_term, form->n);
    a->terms = terms;
    a->odd = odd;
    for (size_t i = 0; i < form->n; ++i) {
        const ir_node *atom = form->terms[i].atom;
        int64_t coeff;
        int axis = axis_index(s, atom);
        if (!ir_mul_exact(form->terms[i].coeff, bytes, &coeff)) {
            a->whole = true;
        } else if (axis >= 0) {
            a->thread[axis] += coeff;
        } else {
            moving_search m = {s, false, false, false};
            ir_each(atom, find_moving, &m);
            access_term t = {atom, coeff};
            if (m.found || m.reads) a->extra = plus(a->extra, times(ir_bound(s->az, atom), coeff));
            else if (m.axes) odd[a->odd_count++] = t;
            else terms[a->term_count++] = t;
        }
    }
    ir_interval constant = {form->constant, form->constant};
    a->extra = plus(a->extra, times(constant, bytes));
}

/* `lanes`: elements after the first that the access covers. */
static access make_access(sync_space *s, const ir_buffer *b, const ir_node *index, ir_interval lanes)
{
    int64_t bytes = ir_type_bytes(b->type);
    access a = {.box = s->box, .extra = plus(times(lanes, bytes), (ir_interval){0, bytes - 1})};
    bool same;
    a.memory = root_of(s, b->data, &same);
    ir_linear form;
    const ir_node *plain = ir_substitute(s->mem, index, &s->lets);
    if (!same || b->elem_offset != NULL || !ir_linear_of(plain, &form)) {
        a.whole = true;
        a.extra = everything;
        return a;
    }
    add_form(s, &a, &form, bytes);
    return a;
}

static access access_of(sync_space *s, const ir_buffer *b, ir_list index, bool write)
{
    access a;
    int64_t stride;
    const ir_node *i = index.n == 1 ? index.at[0] : NULL;
    if (i != NULL && i->type.lanes == 1) {
        a = make_access(s, b, i, (ir_interval){0, 0});
    } else if (i != NULL && i->kind == IR_RAMP && ir_as_ramp(i)->base->type.lanes == 1 &&
               ir_const_value(ir_as_ramp(i)->stride, &stride)) {
        int64_t last = i->type.lanes - 1;
        ir_interval lanes = times((ir_interval){0, last}, stride);
        a = make_access(s, b, ir_as_ramp(i)->base, lanes);
    } else {
        a = make_access(s, b, ir_i32(s->mem, 0), everything);
        a.whole = true;
    }
    a.write = write;
    return a;
}

/* ---- Expressions and statements ---------------------------------------------------------------- */

typedef struct read_walk {
    ir_walk w;
    sync_space *s;
    access_vec *out;
} read_walk;

static void add_unknown(read_walk *r, const ir_var *pointer, bool write)
{
    if (!is_group_memory(pointer)) return;
    bool same;
    access a = {.memory = root_of(r->s, pointer, &same), .whole = true, .write = write,
                .box = r->s->box, .extra = everything};
    access_vec_push(r->s->mem, r->out, a);
}

/* Rows `stride` apart, 8 elements each: the elements that a matrix tile covers from its first. */
static ir_interval tile_extent(const ir_call *n)
{
    int64_t stride;
    if (!ir_const_value(n->args.at[3], &stride) || stride < 0 || stride > INT32_MAX) return everything;
    return (ir_interval){0, 7 * stride + 7};
}

/* simdgroup_load and simdgroup_store: the whole tile, by all threads of the simdgroup. */
static bool read_tile(read_walk *r, const ir_call *n)
{
    bool write = n->fn == IR_FN_SIMD_STORE;
    if (n->fn != IR_FN_SIMD_LOAD && !write) return false;
    const ir_node *pointer = n->args.at[2];
    if (pointer->kind != IR_CALL || ir_as_call(pointer)->fn != IR_FN_ADDRESS_OF) return false;
    const ir_node *place = ir_as_call(pointer)->args.at[0];
    if (place->kind != IR_LOAD || ir_as_load(place)->index.n != 1) return false;
    const ir_load *l = ir_as_load(place);
    r->w.node(&r->w, l->index.at[0]);
    if (!is_group_memory(l->buffer->data)) return true;
    access a = make_access(r->s, l->buffer, l->index.at[0], tile_extent(n));
    a.whole = true;
    a.write = write;
    access_vec_push(r->s->mem, r->out, a);
    return true;
}

/* An atomic operation: its operands are read, then its element is read and written. */
static bool read_atomic(read_walk *r, const ir_call *n)
{
    if (!ir_is_atomic(n->fn)) return false;
    const ir_load *l = ir_as_load(ir_as_call(n->args.at[0])->args.at[0]);
    for (size_t i = 0; i < l->index.n; ++i) r->w.node(&r->w, l->index.at[i]);
    for (size_t i = 1; i < n->args.n; ++i) r->w.node(&r->w, n->args.at[i]);
    if (!is_group_memory(l->buffer->data)) return true;
    access a = access_of(r->s, l->buffer, l->index, n->fn != IR_FN_ATOMIC_LOAD);
    a.atomic = true;
    access_vec_push(r->s->mem, r->out, a);
    return true;
}

static void read_node(ir_walk *w, const ir_node *n)
{
    read_walk *r = (read_walk *)(void *)w;
    if (n->kind == IR_CALL) {
        const ir_call *c = ir_as_call(n);
        if (read_tile(r, c) || read_atomic(r, c)) return;
        if (c->fn == IR_FN_ADDRESS_OF && c->args.at[0]->kind == IR_LOAD) {
            /* An address that goes somewhere: read and written, wherever. */
            add_unknown(r, ir_as_load(c->args.at[0])->buffer->data, true);
        }
    }
    if (n->kind == IR_VAR && ir_type_is_pointer(n->type)) add_unknown(r, ir_as_var_ref(n)->var, true);
    ir_walk_children(w, n);
    if (n->kind != IR_LOAD || !is_group_memory(ir_as_load(n)->buffer->data)) return;
    access a = access_of(r->s, ir_as_load(n)->buffer, ir_as_load(n)->index, false);
    access_vec_push(r->s->mem, r->out, a);
}

void sync_reads(sync_space *s, const ir_node *expr, access_vec *out)
{
    read_walk r = {.w = {.node = read_node}, .s = s, .out = out};
    read_node(&r.w, expr);
}

void sync_accesses(sync_space *s, const ir_node *stmt, access_vec *out)
{
    read_walk r = {.w = {.node = read_node}, .s = s, .out = out};
    if (stmt->kind == IR_STORE) {
        const ir_store *n = ir_as_store(stmt);
        for (size_t i = 0; i < n->index.n; ++i) read_node(&r.w, n->index.at[i]);
        read_node(&r.w, n->value);
        if (!is_group_memory(n->buffer->data)) return;
        access_vec_push(s->mem, out, access_of(s, n->buffer, n->index, true));
    } else if (stmt->kind == IR_BIND) {
        /* A pointer's name is no access: what goes through it is. */
        if (!ir_type_is_pointer(ir_as_bind(stmt)->var->type)) read_node(&r.w, ir_as_bind(stmt)->value);
    } else if (stmt->kind == IR_EVAL) {
        read_node(&r.w, ir_as_eval(stmt)->value);
    } else if (stmt->kind == IR_ASSERT) {
        read_node(&r.w, ir_as_assert(stmt)->cond);
    }
}

/* ---- Conditions on thread indices -------------------------------------------------------------- */

static ir_op mirrored(ir_op op)
{
    switch ((int)op) {
    case IR_LT: return IR_GT;
    case IR_LE: return IR_GE;
    case IR_GT: return IR_LT;
    case IR_GE: return IR_LE;
    default: return op;
    }
}

static ir_op opposite(ir_op op)
{
    switch ((int)op) {
    case IR_LT: return IR_GE;
    case IR_LE: return IR_GT;
    case IR_GT: return IR_LE;
    case IR_GE: return IR_LT;
    case IR_EQ: return IR_NE;
    default: return IR_EQ;
    }
}

static void narrow(ir_interval *range, ir_op op, int64_t c)
{
    int64_t most = op == IR_LT ? c - 1 : op == IR_LE || op == IR_EQ ? c : IR_POS_INF;
    int64_t least = op == IR_GT ? c + 1 : op == IR_GE || op == IR_EQ ? c : IR_NEG_INF;
    if (most < range->max) range->max = most;
    if (least > range->min) range->min = least;
}

static void assume_compare(sync_space *s, const ir_bin *n, bool holds)
{
    int64_t c;
    ir_op op = n->op;
    const ir_node *axis = n->a;
    if (op < IR_EQ || op > IR_GE) return;
    if (ir_const_value(n->a, &c)) {
        axis = n->b;
        op = mirrored(op);
    } else if (!ir_const_value(n->b, &c)) {
        return;
    }
    int k = axis_index(s, axis);
    if (k < 0 || c == INT64_MIN || c == INT64_MAX) return;
    op = holds ? op : opposite(op);
    if (op != IR_NE) narrow(&s->box.axis[k], op, c);
}

static void assume_plain(sync_space *s, const ir_node *cond, bool holds)
{
    if (cond->kind == IR_NOT) {
        assume_plain(s, ir_as_not(cond)->a, !holds);
    } else if (cond->kind == IR_CALL && ir_builtin_is_hint(ir_as_call(cond)->fn)) {
        assume_plain(s, ir_as_call(cond)->args.at[0], holds);
    } else if (cond->kind == IR_BIN) {
        const ir_bin *n = ir_as_bin(cond);
        if (n->op == (holds ? IR_AND : IR_OR)) {
            assume_plain(s, n->a, holds);
            assume_plain(s, n->b, holds);
        } else {
            assume_compare(s, n, holds);
        }
    }
}

void sync_assume(sync_space *s, const ir_node *cond, bool holds)
{
    assume_plain(s, ir_substitute(s->mem, cond, &s->lets), holds);
}

/* ---- Pairs ------------------------------------------------------------------------------------- */

bool sync_rest(const access *a, const access *b, ir_linear *terms, ir_interval *extra)
{
    *extra = plus(a->extra, negated(b->extra));
    *terms = (ir_linear){0};
    for (size_t i = 0; i < a->term_count; ++i) {
        if (!ir_linear_term(terms, a->terms[i].atom, a->terms[i].coeff)) return false;
    }
    for (size_t i = 0; i < b->term_count; ++i) {
        int64_t c = b->terms[i].coeff;
        if (c == INT64_MIN || !ir_linear_term(terms, b->terms[i].atom, -c)) return false;
    }
    return true;
}

/* The interval of it all, atoms of thread indices at their bounds. */
static ir_interval difference(const sync_space *s, const access *a, const access *b, const ir_linear *rest, ir_interval r)
{
    for (size_t i = 0; i < rest->n; ++i) r = plus(r, times(ir_bound(s->az, rest->terms[i].atom), rest->terms[i].coeff));
    for (size_t i = 0; i < a->odd_count; ++i) r = plus(r, times(ir_bound(s->az, a->odd[i].atom), a->odd[i].coeff));
    for (size_t i = 0; i < b->odd_count; ++i) {
        r = plus(r, negated(times(ir_bound(s->az, b->odd[i].atom), b->odd[i].coeff)));
    }
    return r;
}

/* Can the accesses meet at all, whichever threads make them? */
static bool can_meet(const sync_space *s, const access *a, const access *b, ir_interval rest)
{
    for (size_t k = 0; k < s->axis_count; ++k) {
        rest = plus(rest, times(a->box.axis[k], a->thread[k]));
        rest = plus(rest, negated(times(b->box.axis[k], b->thread[k])));
    }
    return has_zero(rest);
}

typedef struct digit {
    int64_t weight, reach; /* |coefficient|, largest |difference of the two indices| */
} digit;

/* Do equal places mean the same thread? With equal coefficients the places differ by sum(c_k * d_k) + rest,
 * d_k the difference of the indices. If each |c_k|, taken from the smallest, exceeds all that the smaller
 * ones and the rest can make up, the sum is 0 only where every d_k is. */
static bool only_own_thread(const sync_space *s, const access *a, const access *b, ir_interval rest)
{
    digit digits[SYNC_AXES];
    size_t n = 0;
    for (size_t k = 0; k < s->axis_count; ++k) {
        ir_interval d = plus(a->box.axis[k], negated(b->box.axis[k]));
        if (d.min == 0 && d.max == 0) continue;
        if (a->thread[k] != b->thread[k] || a->thread[k] == 0 || a->thread[k] == INT64_MIN) return false;
        digit one = {a->thread[k] < 0 ? -a->thread[k] : a->thread[k], largest(d)};
        size_t j = n++;
        for (; j > 0 && digits[j - 1].weight > one.weight; --j) digits[j] = digits[j - 1];
        digits[j] = one;
    }
    int64_t below = largest(rest);
    for (size_t i = 0; i < n; ++i) {
        if (digits[i].weight <= below) return false;
        int64_t made;
        if (digits[i].reach == IR_POS_INF || !ir_mul_exact(digits[i].weight, digits[i].reach, &made) ||
            !ir_add_exact(below, made, &below)) {
            below = IR_POS_INF;
        }
    }
    return true;
}

bool sync_conflict(sync_space *s, const access *a, const access *b)
{
    if (a->memory != b->memory || (!a->write && !b->write) || (a->atomic && b->atomic)) return false;
    ir_linear terms;
    ir_interval extra;
    if (!sync_rest(a, b, &terms, &extra)) return true;
    ir_interval rest = difference(s, a, b, &terms, extra);
    if (!can_meet(s, a, b, rest)) return false;
    if (a->whole || b->whole) return true;
    return !only_own_thread(s, a, b, rest) && sync_meets(s, a, b, &terms, extra);
}

/* ---- Loops ------------------------------------------------------------------------------------- */

/* The atom of a round ago. */
static const ir_node *a_round_ago(sync_space *s, const ir_node *atom, const ir_var *v)
{
    const ir_node *ref = ir_ref(s->mem, v, v->at), *before = ir_sub(s->mem, ref, ir_int_like(s->mem, ref, 1));
    return ir_simplify(s->az, ir_substitute_one(s->mem, atom, v, before));
}

/* What the rounds of a loop make of an access of one of them. */
typedef enum round_kind { LAST_ROUND, EARLIER_ROUND, ANY_ROUND } round_kind;

/* A term over `v` in the place of `t`; false where its bounds went into `extra`. */
static bool move_term(sync_space *s, access *r, access_term *t, const ir_var *v, round_kind kind)
{
    bool itself = t->atom->kind == IR_VAR && ir_as_var_ref(t->atom)->var == v;
    if (!ir_uses_var(t->atom, v)) return true;
    ir_interval shift = {-1, -1}, range = ir_bound(s->az, ir_ref(s->mem, v, v->at));
    if (itself && kind == EARLIER_ROUND) {
        /* v was smaller by 1 to extent - 1. */
        bool known = range.min != IR_NEG_INF && range.max != IR_POS_INF && ir_add_exact(range.min, -range.max, &shift.min);
        if (!known) shift.min = IR_NEG_INF;
    }
    if (itself && kind != ANY_ROUND) {
        r->extra = plus(r->extra, times(shift, t->coeff));
        return true;
    }
    if (kind == LAST_ROUND) {
        t->atom = a_round_ago(s, t->atom, v);
        return true;
    }
    r->extra = plus(r->extra, times(ir_bound(s->az, t->atom), t->coeff));
    return false;
}

static access move_terms(sync_space *s, const access *a, const ir_var *v, round_kind kind)
{
    access r = *a;
    access_term *terms = arena_array(s->mem, access_term, a->term_count), *odd = arena_array(s->mem, access_term, a->odd_count);
    r.terms = terms;
    r.odd = odd;
    r.term_count = r.odd_count = 0;
    for (size_t i = 0; i < a->term_count; ++i) {
        access_term t = a->terms[i];
        if (move_term(s, &r, &t, v, kind)) terms[r.term_count++] = t;
    }
    for (size_t i = 0; i < a->odd_count; ++i) {
        access_term t = a->odd[i];
        if (move_term(s, &r, &t, v, kind)) odd[r.odd_count++] = t;
    }
    return r;
}

access sync_earlier(sync_space *s, const access *a, const ir_var *v, bool last)
{
    return move_terms(s, a, v, last ? LAST_ROUND : EARLIER_ROUND);
}

access sync_outside(sync_space *s, const access *a, const ir_var *v)
{
    return move_terms(s, a, v, ANY_ROUND);
}

static bool same_terms(const access_term *a, size_t n, const access_term *b, size_t m)
{
    bool same = n == m;
    for (size_t i = 0; i < n && same; ++i) {
        same = a[i].coeff == b[i].coeff && (a[i].atom == b[i].atom || ir_equal(a[i].atom, b[i].atom));
    }
    return same;
}

static bool same_access(const access *a, const access *b)
{
    bool same = a->memory == b->memory && a->write == b->write && a->atomic == b->atomic &&
                a->whole == b->whole &&
                a->extra.min == b->extra.min && a->extra.max == b->extra.max &&
                same_terms(a->terms, a->term_count, b->terms, b->term_count) &&
                same_terms(a->odd, a->odd_count, b->odd, b->odd_count);
    for (size_t k = 0; k < SYNC_AXES && same; ++k) {
        same = a->thread[k] == b->thread[k] && a->box.axis[k].min == b->box.axis[k].min &&
               a->box.axis[k].max == b->box.axis[k].max;
    }
    return same;
}

void sync_add(arena *mem, access_vec *v, const access *a)
{
    for (size_t i = 0; i < v->n; ++i) {
        if (same_access(&v->at[i], a)) return;
    }
    access_vec_push(mem, v, *a);
}
