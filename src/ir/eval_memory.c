/* The interpreter's variables and memory: every access is checked. */
#include "ir/eval_inner.h"
#include "ir/fold.h"

#include <stdarg.h>
#include <stdio.h>

void eval_fail(eval *ev, span at, const char *format, ...)
{
    if (ev->failed) return;
    ev->failed = true;
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ev->error = str_format(ev->keep, "%s (source bytes %u to %u)", text, at.begin, at.end);
}

/* ---- Variables ------------------------------------------------------------------------------- */

eval_slot *eval_define(eval *ev, const ir_var *var)
{
    eval_slot *s = map_get_id(&ev->slots, var);
    size_t elements = var->type.lanes != 0 ? var->type.lanes : 1;
    if (s != NULL && s->lanes == ev->lanes) return s;
    s = arena_new(ev->keep, eval_slot);
    *s = (eval_slot){arena_array(ev->keep, eval_cell, ev->lanes * elements), ev->lanes, elements};
    map_put_id(ev->keep, &ev->slots, var, s);
    return s;
}

void eval_set(eval *ev, const ir_var *var, size_t lane, size_t element, eval_cell cell)
{
    eval_slot *s = eval_define(ev, var);
    s->cells[lane * s->elements + element] = cell;
}

bool eval_get(eval_lane at, const ir_var *var, size_t element, span where, eval_cell *out)
{
    const eval_slot *s = map_get_id(&at.ev->slots, var);
    if (s == NULL || (s->lanes != 1 && at.lane >= s->lanes)) {
        eval_fail(at.ev, where, "'%.*s' has no value here", STR_ARG(var->name));
        return false;
    }
    size_t lane = s->lanes == 1 ? 0 : at.lane;
    *out = s->cells[lane * s->elements + element];
    return true;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

enum { STALE = 0xcb }; /* what uninitialised memory holds: large, negative, odd */

static size_t copies_of(const eval *ev, ir_scope scope)
{
    switch (scope) {
    case IR_SCOPE_LOCAL: return ev->lanes;
    case IR_SCOPE_GLOBAL: return ev->in_region ? ev->lanes : 1; /* a thread's scratch memory is its own */
    case IR_SCOPE_WARP:
    case IR_SCOPE_SIMDGROUP: return (ev->lanes + EVAL_SIMD - 1) / EVAL_SIMD;
    case IR_SCOPE_SHARED:
    case IR_SCOPE_SHARED_DYN: return ev->virtual_depth != 0 ? ev->lanes / ev->threads : 1;
    case IR_SCOPE_COUNT: return 1;
    }
    return 1;
}

static bool is_shared(ir_scope scope)
{
    return scope == IR_SCOPE_SHARED || scope == IR_SCOPE_SHARED_DYN;
}

static size_t copy_of_lane(const eval *ev, const eval_store *s, size_t lane)
{
    if (s->copies == 1) return 0;
    if (is_shared(s->scope)) return lane / ev->threads;
    return s->copies == ev->lanes ? lane : lane / EVAL_SIMD;
}

static void point_lanes(eval *ev, const ir_var *data, eval_store *s)
{
    for (size_t lane = 0; lane < ev->lanes; ++lane) {
        eval_set(ev, data, lane, 0,
                 (eval_cell){.i = 0, .store = s, .copy = copy_of_lane(ev, s, lane)});
    }
}

static eval_store *new_store(eval *ev, const ir_buffer *b, size_t size)
{
    eval_store *s = arena_new(ev->keep, eval_store);
    *s = (eval_store){.size = size,
                      .copies = copies_of(ev, b->scope),
                      .scope = b->scope,
                      .name = b->name,
                      .group = ev->group};
    if (size > ((size_t)1 << 32) / s->copies) {
        eval_fail(ev, b->at, "'%.*s' is too large to interpret", STR_ARG(b->name));
        s->size = 0;
    }
    s->bytes = arena_alloc(ev->keep, s->size * s->copies + 1);
    memset(s->bytes, STALE, s->size * s->copies);
    return s;
}

static size_t bytes_of(eval *ev, const ir_buffer *b, const unsigned char *mask)
{
    size_t lane = 0;
    if (mask != NULL && !eval_first(ev, mask, &lane)) return 0;
    int64_t n = ir_type_bytes(b->type);
    for (size_t i = 0; i < b->shape.n && n != 0; ++i) {
        int64_t extent = eval_scalar((eval_lane){ev, lane, mask}, b->shape.at[i]).i;
        if (extent < 0 || extent > ((int64_t)1 << 40) / n) {
            eval_fail(ev, b->at, "'%.*s' has an impossible extent %lld", STR_ARG(b->name),
                      (long long)extent);
            return 0;
        }
        n *= extent;
    }
    return (size_t)n;
}

static bool of_threads(ir_scope scope)
{
    return scope != IR_SCOPE_GLOBAL;
}

void eval_allocate(eval *ev, const ir_buffer *b, const unsigned char *mask)
{
    size_t size = bytes_of(ev, b, mask);
    if (ev->failed) return;
    if (!ev->in_region && of_threads(b->scope)) ir_buffer_vec_push(ev->keep, &ev->outside, b);
    const eval_slot *old = map_get_id(&ev->slots, b->data);
    eval_store *s = old != NULL && old->lanes == ev->lanes ? old->cells[0].store : NULL;
    if (s == NULL || s->size != size || s->copies != copies_of(ev, b->scope))
        s = new_store(ev, b, size);
    point_lanes(ev, b->data, s);
}

bool eval_is_copied(const eval *ev, const ir_buffer *b)
{
    for (const ir_match *view; (view = map_get_id(&ev->views, b)) != NULL;) b = view->source.buffer;
    const eval_slot *s = map_get_id(&ev->slots, b->data);
    const eval_store *store = s != NULL ? s->cells[0].store : NULL;
    return store != NULL && is_shared(store->scope) && store->copies > 1;
}

void eval_zero(eval *ev, const ir_buffer *b)
{
    const eval_slot *s = map_get_id(&ev->slots, b->data);
    eval_store *store = s != NULL ? s->cells[0].store : NULL;
    if (store != NULL) memset(store->bytes, 0, store->size * store->copies);
}

void eval_adopt(eval *ev, const ir_var *data, void *bytes, size_t size, str name)
{
    eval_store *s = arena_new(ev->keep, eval_store);
    *s = (eval_store){
        .bytes = bytes, .size = size, .copies = 1, .scope = IR_SCOPE_GLOBAL, .name = name};
    point_lanes(ev, data, s);
}

static bool never_written(const eval_store *s)
{
    for (size_t i = 0; i < s->size; ++i) {
        if (s->bytes[i] != STALE) return false;
    }
    return true;
}

void eval_enter_memory(eval *ev)
{
    for (size_t i = 0; i < ev->outside.n; ++i) {
        const ir_buffer *b = ev->outside.at[i];
        const eval_slot *old = map_get_id(&ev->slots, b->data);
        const eval_store *host = old->cells[0].store;
        eval_store *s = new_store(ev, b, host->size);
        if (never_written(host))
            s->group = ev->group;
        else
            s->group = 0; /* what the host put there is seen by every group */
        for (size_t copy = 0; copy < s->copies; ++copy) {
            memcpy(s->bytes + copy * s->size, host->bytes, s->size);
        }
        point_lanes(ev, b->data, s);
    }
}

void eval_touch(eval *ev, eval_store *s)
{
    if (!ev->in_region || s->scope == IR_SCOPE_GLOBAL || s->group == 0 || s->group == ev->group)
        return;
    memset(s->bytes, STALE, s->size * s->copies);
    s->group = ev->group;
}

/* ---- Access ---------------------------------------------------------------------------------- */

/* One index, inside its dimension. */
static bool checked_index(eval_lane at, const ir_buffer *b, ir_list index, size_t d, size_t element,
                          int64_t *out)
{
    const ir_node *n = index.at[d];
    int64_t extent = eval_scalar(at, b->shape.at[d]).i;
    *out = eval_element(at, n, n->type.lanes > 1 ? element : 0).i;
    if (at.ev->failed) return false;
    if (*out >= 0 && *out < extent) return true;
    eval_fail(at.ev, n->at, "index %lld of '%.*s' is outside of dimension %zu, which has %lld",
              (long long)*out, STR_ARG(b->name), d, (long long)extent);
    return false;
}

/* Elements from the data pointer to the indexed one. */
static bool element_offset(eval_lane at, const ir_buffer *b, ir_list index, size_t element,
                           int64_t *out)
{
    int64_t offset = 0;
    for (size_t d = 0; d < b->shape.n; ++d) {
        int64_t i;
        if (!checked_index(at, b, index, d, element, &i)) return false;
        offset = b->strides.n != 0 ? offset + i * eval_scalar(at, b->strides.at[d]).i
                                   : offset * eval_scalar(at, b->shape.at[d]).i + i;
    }
    if (b->elem_offset != NULL) offset += eval_scalar(at, b->elem_offset).i;
    *out = offset;
    return !at.ev->failed;
}

/* An element of a view is that of the region's buffer, counted from where the region begins. */
static bool view_address(eval_lane at, const ir_match *m, ir_list index, size_t element,
                         eval_cell *out)
{
    const ir_region *r = &m->source;
    if (index.n > r->n) {
        eval_fail(at.ev, m->buffer->at, "'%.*s' has more dimensions than its region",
                  STR_ARG(m->buffer->name));
        return false;
    }
    const ir_node **moved = arena_array(at.ev->scratch, const ir_node *, r->n);
    for (size_t i = 0; i < r->n; ++i) {
        size_t skip = r->n - index.n;
        int64_t unused;
        moved[i] = r->ranges[i].min;
        if (i < skip) continue;
        if (!checked_index(at, m->buffer, index, i - skip, element, &unused)) return false;
        moved[i] = ir_add(at.ev->scratch, moved[i], index.at[i - skip]);
    }
    return eval_address(at, r->buffer, (ir_list){moved, r->n}, element, out);
}

bool eval_address(eval_lane at, const ir_buffer *b, ir_list index, size_t element, eval_cell *out)
{
    int64_t offset;
    if (index.n != b->shape.n) {
        eval_fail(at.ev, b->at, "'%.*s' has %zu dimensions, indexed with %zu", STR_ARG(b->name),
                  b->shape.n, index.n);
        return false;
    }
    const ir_match *view = map_get_id(&at.ev->views, b);
    if (view != NULL) return view_address(at, view, index, element, out);
    if (!eval_get(at, b->data, 0, b->at, out) || !element_offset(at, b, index, element, &offset))
        return false;
    bool is_half = b->type.bits == 4 && b->type.lanes == 1;
    out->half = is_half ? (unsigned)(offset & 1) : 0;
    out->i += is_half ? offset >> 1 : offset * (int64_t)ir_type_bytes(b->type);
    return true;
}

/* The bytes of one element, checked. */
static unsigned char *locate(eval_lane at, eval_cell p, ir_type type, size_t part, span where)
{
    bool nibble = type.bits == 4 && (type.lanes == 1 || type.lanes % 2 == 0);
    int64_t size = nibble ? 1 : type.bits / 8, offset = p.i + (int64_t)part * type.bits / 8;
    if ((type.bits % 8 != 0 && !nibble) || !ir_value_known(type)) {
        eval_fail(at.ev, where, "elements of this type cannot be interpreted");
        return NULL;
    }
    if (p.store == NULL) {
        eval_fail(at.ev, where, "access through a pointer that points nowhere");
        return NULL;
    }
    if (offset < 0 || offset + size > (int64_t)p.store->size) {
        eval_fail(at.ev, where, "access at byte %lld of '%.*s', which has %zu", (long long)offset,
                  STR_ARG(p.store->name), p.store->size);
        return NULL;
    }
    eval_touch(at.ev, p.store);
    return p.store->bytes + p.copy * p.store->size + offset;
}

bool eval_read(eval_lane at, eval_cell pointer, ir_type type, size_t part, span where,
               eval_cell *out)
{
    const unsigned char *p = locate(at, pointer, type, part, where);
    if (p == NULL) return false;
    uint64_t bits = 0;
    for (unsigned i = 0; i < type.bits / 8u; ++i) bits |= (uint64_t)p[i] << (8 * i);
    if (type.bits == 4) bits = p[0] >> (4 * ((part + pointer.half) % 2)) & 15;
    ir_value v = ir_value_from_bits(type, bits);
    *out = eval_cell_of(v);
    return true;
}

bool eval_write(eval_lane at, eval_cell pointer, ir_type type, size_t part, span where,
                eval_cell value)
{
    unsigned char *p = locate(at, pointer, type, part, where);
    if (p == NULL) return false;
    uint64_t bits = ir_value_bits(eval_value(type, value));
    for (unsigned i = 0; i < type.bits / 8u; ++i) p[i] = (unsigned char)(bits >> (8 * i));
    unsigned low = 4 * ((part + pointer.half) % 2);
    if (type.bits == 4) p[0] = (unsigned char)((p[0] & ~(15u << low)) | (unsigned)bits << low);
    if (!is_shared(pointer.store->scope) || at.ev->own_only) return true;
    size_t size = type.bits == 4 ? 1 : type.bits / 8u, here = (size_t)(p - pointer.store->bytes) % pointer.store->size;
    for (size_t copy = 0; copy < pointer.store->copies; ++copy) memmove(pointer.store->bytes + copy * pointer.store->size + here, p, size);
    return true;
}
