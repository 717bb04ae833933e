/* Places: variables in registers or in memory, and loads and stores through pointers. */
#include "emu/lower.h"

enum { MAX_LEAVES = 1024 }; /* a variable with more of them lies in memory; no value has more */

static const mf_type *element_of(const mf_type *t)
{
    while (t->kind == MF_TYPE_ARRAY) t = t->elem;
    return t;
}

/* How a thread array is laid out: by the size of its scalars. */
static uint8_t granule_of(lower *l, const mf_type *t)
{
    const leaf_list leaves = lower_leaves(l, element_of(t));
    return leaves.n == 0 ? 1 : (uint8_t)emu_type_size(leaves.at[0].type);
}

emu_local *lower_local(lower *l, const void *key, str name, const mf_type *type)
{
    emu_graph *g = l->g;
    emu_local *local = arena_new(l->mem, emu_local);
    *local = (emu_local){.key = key, .type = type, .name = name, .size = type->size, .index = g->local_count};
    if (g->local_count == g->local_cap) {
        const uint32_t cap = g->local_cap == 0 ? 16 : g->local_cap * 2;
        emu_local **locals = arena_array(l->mem, emu_local *, cap);
        for (uint32_t i = 0; i < g->local_count; ++i) locals[i] = g->locals[i];
        g->locals = locals;
        g->local_cap = cap;
    }
    g->locals[g->local_count++] = local;
    if (lower_is_on_stack(l, key)) {
        local->on_stack = true;
        local->stack_at = lower_push_stack(l, type);
        return local;
    }
    local->in_memory = map_get_id(l->memory, key) != NULL;
    local->granule = granule_of(l, type);
    if (local->in_memory) return local;
    const leaf_list leaves = lower_leaves(l, type);
    if (leaves.n > MAX_LEAVES) {
        local->in_memory = true;
        return local;
    }
    local->leaves = arena_array(l->mem, emu_variable *, leaves.n + 1);
    for (size_t i = 0; i < leaves.n; ++i) local->leaves[i] = emu_new_variable(g, leaves.at[i].type, g->region);
    return local;
}

place lower_local_place(lower *l, const emu_local *local)
{
    return (place){.space = EMU_SPACE_THREAD,
                   .object = emu_constant(l->g, EMU_I32, local->on_stack ? lower_stack(l)->index : local->index),
                   .offset = emu_constant(l->g, EMU_I64, (int64_t)local->stack_at),
                   .type = local->type};
}

/* On the stack: its words, as far as its size goes. */
static void poison_stack(lower *l, const emu_local *local)
{
    const leaf_list leaves = lower_leaves(l, local->type);
    val v = lower_val(l, leaves.n);
    if (leaves.n > MAX_LEAVES) return;
    for (size_t i = 0; i < leaves.n; ++i) v.at[i] = emu_constant(l->g, leaves.at[i].type, -1);
    lower_write(l, lower_local_place(l, local), v, l->g->at);
}

static bool watches(const lower *l)
{
    return (l->shape->checks >> EMU_CHECK_UNINITIALISED & 1u) != 0;
}

static emu_variable **watch_leaves(lower *l, const emu_local *local, size_t n)
{
    emu_variable **set = arena_array(l->mem, emu_variable *, n + 1);
    for (size_t i = 0; i < n; ++i) set[i] = emu_new_variable(l->g, EMU_BOOL, l->g->region);
    l->g->locals[local->index]->set = set;
    return set;
}

void lower_start(lower *l, const emu_local *local, val v, span at)
{
    const bool partly = v.set != NULL && !local->in_memory && !local->on_stack && v.n == lower_leaves(l, local->type).n;
    if (partly) (void)watch_leaves(l, local, v.n);
    lower_write(l, lower_local_place(l, local), v, at);
}

/* A variable that is not set has all bits set, whatever lay in its register. */
void lower_poison(lower *l, const emu_local *local)
{
    if (local->on_stack) {
        poison_stack(l, local);
        return;
    }
    if (local->in_memory) {
        emu_node *n = emu_effect(l->g, EMU_FILL, EMU_U8);
        n->mem = arena_new(l->mem, emu_mem);
        n->mem->local = l->g->locals[local->index];
        n->mem->offset = emu_constant(l->g, EMU_I64, 0);
        n->mem->local->watched = watches(l);
        return;
    }
    const leaf_list leaves = lower_leaves(l, local->type);
    if (watches(l)) {
        emu_variable **set = watch_leaves(l, local, leaves.n);
        for (size_t i = 0; i < leaves.n; ++i) emu_set(l->g, set[i], emu_constant(l->g, EMU_BOOL, 0));
    }
    for (size_t i = 0; i < leaves.n; ++i)
        emu_set(l->g, local->leaves[i], emu_constant(l->g, leaves.at[i].type, leaves.at[i].object ? 0 : -1));
}

/* What the text's types promise of the address `offset` bytes into the place. */
static uint16_t align_at(place p, uint64_t offset)
{
    uint64_t align = p.align != 0 ? p.align : p.type->align != 0 && p.type->align <= 4096 ? p.type->align : 1;
    while (align > 1 && offset % align != 0) align /= 2;
    return (uint16_t)align;
}

place lower_field(lower *l, place p, const mf_type *type, uint64_t offset)
{
    p.align = align_at(p, offset);
    p.offset = emu_binary(l->g, EMU_ADD, EMU_I64, p.offset, emu_constant(l->g, EMU_I64, (int64_t)offset));
    p.type = type;
    p.picks = 0;
    return p;
}

/* The sum, difference or product that a 32-bit index is, in 64 bits: what it would be if it could not wrap. */
static emu_node *exact(emu_graph *g, emu_node *n, unsigned depth)
{
    enum { DEEPEST = 12 };
    const bool number = n->type == EMU_I32 || n->type == EMU_U32;
    if (emu_is_const(n)) return emu_constant(g, EMU_I64, (int32_t)n->imm);
    if (n->kind != EMU_PURE || !number || depth > DEEPEST) return emu_convert(g, EMU_I64, n);
    const emu_op op = (emu_op)n->op;
    if (op == EMU_CONVERT && (n->operand_type == EMU_I32 || n->operand_type == EMU_U32)) return exact(g, n->in[0], depth + 1);
    if (op == EMU_MOV && emu_type_size((emu_type)n->operand_type) == 4 && n->operand_type < EMU_F16)
        return exact(g, n->in[0], depth + 1);
    if (op == EMU_SHL && emu_is_const(n->in[1]))
        return emu_binary(g, EMU_SHL, EMU_I64, exact(g, n->in[0], depth + 1), emu_constant(g, EMU_I64, n->in[1]->imm & 31));
    if (op != EMU_ADD && op != EMU_SUB && op != EMU_MUL) return emu_convert(g, EMU_I64, n);
    return emu_binary(g, op, EMU_I64, exact(g, n->in[0], depth + 1), exact(g, n->in[1], depth + 1));
}

/* A 32-bit index that differs from what it would be in 64 bits. Only the whole counts: parts may wrap and wrap back. */
static void check_index(lower *l, emu_space space, emu_node *index)
{
    emu_graph *g = l->g;
    if (space != EMU_SPACE_DEVICE && space != EMU_SPACE_CONSTANT) return; /* far too small for that */
    if ((l->shape->checks >> EMU_CHECK_NUMERICS & 1u) == 0 || (index->type != EMU_I32 && index->type != EMU_U32)) return;
    emu_node *should = exact(g, index, 0);
    const bool exactly = should->kind == EMU_PURE && should->op == EMU_CONVERT && should->operand_type == index->type;
    if (exactly || emu_is_const(should)) return; /* nothing is computed */
    emu_node *n = emu_effect(g, EMU_HOLD, EMU_BOOL);
    n->in[0] = should; /* the index wraps where this is not among the values of its type */
    n->operand_type = index->type;
    n->k = EMU_FAULT_INDEX;
}

place lower_index(lower *l, place p, const mf_type *type, emu_node *index)
{
    emu_graph *g = l->g;
    check_index(l, p.space, index);
    emu_node *wide = emu_convert(g, EMU_I64, index);
    emu_node *bytes = emu_binary(g, EMU_MUL, EMU_I64, wide, emu_constant(g, EMU_I64, (int64_t)type->size));
    p.offset = emu_binary(g, EMU_ADD, EMU_I64, p.offset, bytes);
    p.type = type;
    p.picks = 0;
    p.align = 0;
    return p;
}

uint32_t lower_object(lower *l, const emu_object_info *info)
{
    const emu_object_list *list = &l->g->objects;
    for (size_t i = 1; i < list->n; ++i)
        if (list->at[i].key == info->key) return (uint32_t)i;
    emu_object_list_push(l->mem, &l->g->objects, *info);
    return (uint32_t)list->n - 1;
}

/* Bytes of a leaf's constant into a global's data. */
static bool put_constant(uint8_t *to, const emu_node *n)
{
    if (!emu_is_const(n)) return false;
    for (unsigned b = 0; b < emu_type_size((emu_type)n->type); ++b) to[b] = (uint8_t)((uint64_t)n->imm >> (8 * b));
    return true;
}

place lower_global(lower *l, const mf_var *v)
{
    emu_object_info info = {.kind = EMU_OBJECT_GLOBAL, .name = v->name, .size = v->type->size, .key = v};
    uint32_t known = (uint32_t)(uintptr_t)map_get_id(&l->globals, v);
    if (known == 0) {
        const leaf_list leaves = lower_leaves(l, v->type);
        uint8_t *data = arena_array(l->mem, uint8_t, v->type->size + 1);
        map_put_id(l->mem, &l->globals, v, (void *)(uintptr_t)1); /* an initialiser that reads itself reads null */
        const val init = v->init != NULL ? lower_eval(l, v->init) : lower_zero(l, v->type);
        for (size_t i = 0; i < leaves.n && i < init.n; ++i) {
            emu_node *value = init.at[i];
            if (leaves.at[i].object) value = lower_encode_pointer(l, value, init.at[++i]);
            if (!put_constant(data + leaves.at[i].offset, value)) {
                lower_refuse(l, v->at, "the initialiser of '%.*s' is not a constant that can be computed", STR_ARG(v->name));
                break;
            }
        }
        info.data = data;
        known = lower_object(l, &info) + 1;
        map_put_id(l->mem, &l->globals, v, (void *)(uintptr_t)known);
    }
    return (place){.space = EMU_SPACE_CONSTANT,
                   .object = emu_constant(l->g, EMU_I32, known - 1),
                   .offset = emu_constant(l->g, EMU_I64, 0),
                   .type = v->type};
}

emu_mem *lower_mem(lower *l, place p, emu_type type, unsigned count, uint64_t offset)
{
    emu_mem *m = arena_new(l->mem, emu_mem);
    m->space = p.space;
    m->object = p.object;
    m->offset = emu_binary(l->g, EMU_ADD, EMU_I64, p.offset, emu_constant(l->g, EMU_I64, (int64_t)offset));
    m->type = type;
    m->count = (uint8_t)count;
    m->collective = l->collective;
    m->align = align_at(p, offset);
    m->quiet = p.type->kind == MF_TYPE_RECORD || p.type->kind == MF_TYPE_ARRAY;
    if (p.space == EMU_SPACE_THREAD) m->local = l->g->locals[p.object->imm];
    return m;
}

/* Constant data, and what is behind a reference that the launch has checked, can be read before its time. */
static bool is_safe(const lower *l, const emu_mem *m)
{
    if (m->space != EMU_SPACE_CONSTANT || !emu_is_const(m->object) || !emu_is_const(m->offset)) return false;
    const emu_object_info *o = &l->g->objects.at[m->object->imm];
    const uint64_t size = (uint64_t)m->count * emu_type_size(m->type);
    return m->offset->imm >= 0 && (uint64_t)m->offset->imm <= o->size && size <= o->size - (uint64_t)m->offset->imm;
}

/* The variable of a thread place at a known offset; NULL where there is no such single leaf. */
static emu_variable *variable_at(const emu_local *local, leaf_list leaves, uint64_t offset, leaf want)
{
    size_t lo = 0, hi = leaves.n;
    while (lo < hi) {
        const size_t mid = (lo + hi) / 2;
        if (leaves.at[mid].offset < offset || (leaves.at[mid].offset == offset && leaves.at[mid].object && !want.object))
            lo = mid + 1;
        else hi = mid;
    }
    if (lo >= leaves.n || leaves.at[lo].offset != offset || leaves.at[lo].object != want.object) return NULL;
    return emu_type_size(leaves.at[lo].type) == emu_type_size(want.type) ? local->leaves[lo] : NULL;
}

static size_t run_length(leaf_list leaves, size_t from)
{
    size_t n = 1;
    const unsigned size = emu_type_size(leaves.at[from].type);
    while (n < 4 && from + n < leaves.n && leaves.at[from + n].type == leaves.at[from].type && !leaves.at[from + n].object &&
           leaves.at[from + n].offset == leaves.at[from].offset + n * size)
        ++n;
    return n;
}

static emu_node *normal_bool(lower *l, emu_node *n)
{
    return n->type == EMU_BOOL ? emu_binary(l->g, EMU_NE, EMU_U8, emu_reinterpret(l->g, EMU_U8, n), emu_constant(l->g, EMU_U8, 0))
                               : n;
}

/* The value of a leaf of constant data at a known place; NULL where it is not known. */
static emu_node *known_leaf(lower *l, place p, leaf at)
{
    if (p.space != EMU_SPACE_CONSTANT || !emu_is_const(p.object) || !emu_is_const(p.offset)) return NULL;
    const emu_object_info *o = &l->g->objects.at[p.object->imm];
    const uint64_t offset = (uint64_t)p.offset->imm + at.offset, size = emu_type_size(at.type);
    if (o->kind != EMU_OBJECT_GLOBAL || offset > o->size || size > o->size - offset) return NULL;
    uint64_t bits = 0;
    for (uint64_t b = 0; b < size; ++b) bits |= (uint64_t)((const uint8_t *)o->data)[offset + b] << (8 * b);
    return emu_constant(l->g, at.type, (int64_t)bits);
}

/* A pointer's two leaves at once. */
static void load_pointer(lower *l, place p, leaf at, emu_node *out[2])
{
    const leaf bits = {at.offset, EMU_U64, false};
    emu_node *known = known_leaf(l, p, bits);
    if (known == NULL) {
        emu_mem *m = lower_mem(l, p, EMU_U64, 1, at.offset);
        m->safe = is_safe(l, m);
        known = emu_part(l->g, emu_load(l->g, m), 0);
    }
    lower_decode_pointer(l, known, out);
}

static void load_leaves(lower *l, place p, leaf_list leaves, val out)
{
    for (size_t i = 0; i < leaves.n;) {
        if (leaves.at[i].object) {
            load_pointer(l, p, leaves.at[i], &out.at[i]);
            i += 2;
            continue;
        }
        emu_node *known = known_leaf(l, p, leaves.at[i]);
        if (known != NULL) {
            out.at[i++] = known;
            continue;
        }
        const size_t n = run_length(leaves, i);
        emu_mem *m = lower_mem(l, p, leaves.at[i].type, (unsigned)n, leaves.at[i].offset);
        m->safe = is_safe(l, m);
        emu_node *load = emu_load(l->g, m);
        for (size_t k = 0; k < n; ++k) out.at[i + k] = normal_bool(l, emu_part(l->g, load, (unsigned)k));
        i += n;
    }
}

/* Leaves [from, from + n) of the value, which lie side by side. */
static void store_run(lower *l, place p, leaf_list leaves, val v, size_t from, size_t n)
{
    const bool pointer = leaves.at[from].object;
    const emu_type type = pointer ? EMU_U64 : leaves.at[from].type;
    emu_mem *m = lower_mem(l, p, type, (unsigned)n, leaves.at[from].offset);
    for (size_t k = 0; k < n; ++k) m->value[k] = v.at[from + k];
    if (pointer) m->value[0] = lower_encode_pointer(l, v.at[from], v.at[from + 1]);
    emu_node *store = emu_effect(l->g, EMU_STORE, type);
    store->mem = m;
}

/* How many of the n leaves from there on have a value on the same condition, and which that is; NULL: on none. */
static size_t alike_length(val v, size_t from, size_t n, emu_node **set)
{
    *set = v.set != NULL ? v.set[from] : NULL;
    size_t alike = 1;
    while (alike < n && (v.set == NULL || v.set[from + alike] == *set)) ++alike;
    if (*set != NULL && emu_is_const(*set) && (*set)->imm != 0) *set = NULL;
    return alike;
}

/* A leaf that has no value leaves its place as it is: what nobody has written stays so. */
static void store_leaves(lower *l, place p, leaf_list leaves, val v)
{
    for (size_t i = 0; i < leaves.n;) {
        const bool pointer = leaves.at[i].object;
        emu_node *set;
        const size_t n = alike_length(v, i, pointer ? 1 : run_length(leaves, i), &set);
        const bool never = set != NULL && emu_is_const(set), sometimes = set != NULL && !never;
        if (sometimes) (void)emu_open(l->g, EMU_IF_NODE, EMU_REGION_IF, set);
        if (!never) store_run(l, p, leaves, v, i, n);
        if (sometimes) emu_close(l->g, EMU_ENDIF);
        i += pointer ? 2 : n;
    }
}

/* The place of one element of a picked vector. */
static place picked(lower *l, place p, unsigned k)
{
    const mf_type *scalar = mf_scalar_type(p.type->scalar);
    return lower_field(l, p, scalar, (uint64_t)p.pick[k] * scalar->size);
}

static bool too_large(lower *l, size_t n, span at)
{
    if (n <= 4 * MAX_LEAVES) return false;
    lower_refuse(l, at, "a value of %zu scalars is more than can be copied at once", n);
    return true;
}

static emu_variable *set_of(const emu_local *local, const emu_variable *var)
{
    size_t i = 0;
    while (local->leaves[i] != var) ++i;
    return local->set[i];
}

/* A leaf is read: where it may not have been written, that is looked at in the run. */
static void must_be_set(lower *l, const emu_local *local, const emu_variable *var)
{
    emu_node *set = emu_get(l->g, set_of(local, var));
    if (emu_is_const(set) && set->imm != 0) return;
    emu_node *n = emu_effect(l->g, EMU_HOLD, EMU_BOOL);
    n->in[0] = set;
    n->k = EMU_FAULT_UNINIT_LOCAL;
    n->imm = local->index;
}

/* Copies of whole structures may hold leaves that nobody uses: which those are goes along with the value. */
static bool is_whole(const mf_type *t)
{
    return t->kind == MF_TYPE_RECORD || t->kind == MF_TYPE_ARRAY;
}

val lower_read(lower *l, place p, span at)
{
    emu_graph *g = l->g;
    if (p.picks != 0) {
        val v = lower_val(l, p.picks);
        for (unsigned k = 0; k < p.picks; ++k) v.at[k] = lower_read(l, picked(l, p, k), at).at[0];
        return v;
    }
    const leaf_list leaves = lower_leaves(l, p.type);
    if (too_large(l, leaves.n, at)) return lower_zero(l, mf_scalar_type(MF_INT));
    val v = lower_val(l, leaves.n);
    for (size_t i = 0; i < leaves.n; ++i) v.at[i] = emu_constant(g, leaves.at[i].type, 0);
    g->at = at;
    const emu_local *local = p.space == EMU_SPACE_THREAD ? lower_pointed_local(l, &p) : NULL;
    if (local == NULL || local->in_memory) {
        load_leaves(l, p, leaves, v);
        return v;
    }
    const leaf_list own = lower_leaves(l, local->type);
    if (local->set != NULL && is_whole(p.type)) v.set = arena_array(l->mem, emu_node *, leaves.n + 1);
    for (size_t i = 0; i < leaves.n; ++i) {
        emu_variable *var = emu_is_const(p.offset)
                                ? variable_at(local, own, (uint64_t)p.offset->imm + leaves.at[i].offset, leaves.at[i])
                                : NULL;
        if (var == NULL) {
            v.set = NULL;
            lower_to_memory(l, local);
            return v;
        }
        v.at[i] = emu_reinterpret(g, leaves.at[i].type, emu_get(g, var));
        if (v.set != NULL) v.set[i] = emu_get(g, set_of(local, var));
        else if (local->set != NULL) must_be_set(l, local, var);
    }
    return v;
}

void lower_write(lower *l, place p, val v, span at)
{
    emu_graph *g = l->g;
    if (p.picks != 0) {
        for (unsigned k = 0; k < p.picks; ++k) lower_write(l, picked(l, p, k), (val){&v.at[k], 1, NULL}, at);
        return;
    }
    const leaf_list leaves = lower_leaves(l, p.type);
    if (too_large(l, leaves.n, at) || v.n < leaves.n) return;
    g->at = at;
    const emu_local *local = p.space == EMU_SPACE_THREAD ? lower_pointed_local(l, &p) : NULL;
    if (local == NULL || local->in_memory) {
        store_leaves(l, p, leaves, v);
        return;
    }
    const leaf_list own = lower_leaves(l, local->type);
    for (size_t i = 0; i < leaves.n; ++i) {
        emu_variable *var = emu_is_const(p.offset)
                                ? variable_at(local, own, (uint64_t)p.offset->imm + leaves.at[i].offset, leaves.at[i])
                                : NULL;
        if (var == NULL) {
            lower_to_memory(l, local);
            return;
        }
        emu_set(g, var, emu_reinterpret(g, var->type, v.at[i]));
        if (local->set != NULL) emu_set(g, set_of(local, var), v.set != NULL ? v.set[i] : emu_constant(g, EMU_BOOL, 1));
    }
}
