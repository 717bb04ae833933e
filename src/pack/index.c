/* Finding structs by name. */
#include "pack/index.h"

static str name_of(const pack_index *x, size_t i)
{
    str name;
    memcpy(&name, x->items + i * x->size, sizeof name);
    return name;
}

static size_t slot_of(const pack_index *x, str name)
{
    size_t at = (size_t)str_hash(name) & (x->slot_count - 1);
    while (x->slots[at] != 0 && !str_eq(name_of(x, x->slots[at] - 1), name)) {
        at = (at + 1) & (x->slot_count - 1);
    }
    return at;
}

ingot_status pack_index_make(pool *mem, const void *items, size_t size, size_t count, pack_index *out,
                             size_t *again)
{
    if (count >= (size_t)1 << 31) return INGOT_LIMIT;
    size_t slots = 16;
    while (slots / 2 < count) slots *= 2;
    *out = (pack_index){items, size, pool_array(mem, uint32_t, slots), slots};
    if (out->slots == NULL) return INGOT_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; ++i) {
        size_t at = slot_of(out, name_of(out, i));
        if (out->slots[at] != 0) {
            *again = i;
            return INGOT_EXISTS;
        }
        out->slots[at] = (uint32_t)i + 1;
    }
    return INGOT_OK;
}

size_t pack_index_find(const pack_index *x, str name)
{
    uint32_t slot = x->slots[slot_of(x, name)];
    return slot != 0 ? slot - 1 : SIZE_MAX;
}
