/* Types in scalars: which leaves a value of a type has, and where. */
#include "emu/lower.h"

emu_type lower_scalar(mf_scalar s)
{
    return (emu_type)s; /* vm.h keeps the front end's order */
}

static size_t count_leaves(const mf_type *t);

static size_t record_leaves(const mf_record *r)
{
    if (r->is_union) return r->type->size / (r->type->align < 8 ? r->type->align : 8);
    size_t n = 0;
    for (size_t i = 0; i < r->field_count; ++i) n += count_leaves(r->fields[i].type);
    return n;
}

static size_t count_leaves(const mf_type *t)
{
    switch (t->kind) {
    case MF_TYPE_SCALAR:
    case MF_TYPE_ENUM:
    case MF_TYPE_FUNCTION:
    case MF_TYPE_ATOMIC: return 1;
    case MF_TYPE_VECTOR:
    case MF_TYPE_PACKED: return t->width;
    case MF_TYPE_MATRIX: return (size_t)t->width * t->columns;
    case MF_TYPE_SIMD_MATRIX: return 2;
    case MF_TYPE_POINTER:
    case MF_TYPE_NULL: return 2;
    case MF_TYPE_ARRAY: {
        const size_t each = count_leaves(t->elem);
        return each != 0 && t->count > ((size_t)1 << 24) / each ? (size_t)1 << 24 : each * (size_t)t->count;
    }
    case MF_TYPE_RECORD: return record_leaves(t->record);
    case MF_TYPE_ERROR:
    case MF_TYPE_VOID:
    case MF_TYPE_REFERENCE:
    case MF_TYPE_TEXTURE:
    case MF_TYPE_SAMPLER: return 0;
    }
    return 0;
}

static leaf *fill_leaves(const mf_type *t, uint64_t at, leaf *out);

/* A union is words of its alignment: its members are read from those by place and size. */
static leaf *fill_record(const mf_record *r, uint64_t at, leaf *out)
{
    static const emu_type words[9] = {[1] = EMU_U8, [2] = EMU_U16, [4] = EMU_U32, [8] = EMU_U64};
    if (r->is_union) {
        const uint32_t word = r->type->align < 8 ? r->type->align : 8;
        for (uint64_t b = 0; b + word <= r->type->size; b += word) *out++ = (leaf){at + b, words[word], false};
        return out;
    }
    for (size_t i = 0; i < r->field_count; ++i) out = fill_leaves(r->fields[i].type, at + r->fields[i].offset, out);
    return out;
}

static leaf *fill_leaves(const mf_type *t, uint64_t at, leaf *out)
{
    const unsigned size = t->kind == MF_TYPE_VECTOR || t->kind == MF_TYPE_PACKED || t->kind == MF_TYPE_MATRIX
                              ? mf_scalar_size(t->scalar)
                              : 0;
    switch (t->kind) {
    case MF_TYPE_SCALAR:
    case MF_TYPE_ENUM:
    case MF_TYPE_FUNCTION:
    case MF_TYPE_ATOMIC: *out++ = (leaf){at, lower_scalar(t->scalar), false}; break;
    case MF_TYPE_VECTOR:
    case MF_TYPE_PACKED:
        for (unsigned i = 0; i < t->width; ++i) *out++ = (leaf){at + (uint64_t)i * size, lower_scalar(t->scalar), false};
        break;
    case MF_TYPE_MATRIX:
        for (unsigned c = 0; c < t->columns; ++c) out = fill_leaves(t->elem, at + c * t->elem->size, out);
        break;
    case MF_TYPE_SIMD_MATRIX: /* two elements a lane */
        *out++ = (leaf){at, lower_scalar(t->scalar), false};
        *out++ = (leaf){at + mf_scalar_size(t->scalar), lower_scalar(t->scalar), false};
        break;
    case MF_TYPE_POINTER:
    case MF_TYPE_NULL:
        *out++ = (leaf){at, EMU_I32, true};
        *out++ = (leaf){at, EMU_I64, false};
        break;
    case MF_TYPE_ARRAY:
        for (uint64_t i = 0; i < t->count; ++i) out = fill_leaves(t->elem, at + i * t->elem->size, out);
        break;
    case MF_TYPE_RECORD: out = fill_record(t->record, at, out); break;
    case MF_TYPE_ERROR:
    case MF_TYPE_VOID:
    case MF_TYPE_REFERENCE:
    case MF_TYPE_TEXTURE:
    case MF_TYPE_SAMPLER: break;
    }
    return out;
}

leaf_list lower_leaves(lower *l, const mf_type *t)
{
    leaf_list *known = map_get_id(&l->leaves, t);
    if (known != NULL) return *known;
    leaf_list *list = arena_new(l->mem, leaf_list);
    list->n = count_leaves(t);
    leaf *at = arena_array(l->mem, leaf, list->n + 1);
    (void)fill_leaves(t, 0, at);
    list->at = at;
    map_put_id(l->mem, &l->leaves, t, list);
    return *list;
}

val lower_val(lower *l, size_t n)
{
    return (val){arena_array(l->mem, emu_node *, n + 1), n, NULL};
}

val lower_zero(lower *l, const mf_type *t)
{
    const leaf_list leaves = lower_leaves(l, t);
    val v = lower_val(l, leaves.n);
    for (size_t i = 0; i < leaves.n; ++i) v.at[i] = emu_constant(l->g, leaves.at[i].type, 0);
    return v;
}
