/* Owned copies of values. */
#include "api/value.h"

#include "base/error.h"

enum { DEPTH_LIMIT = 16 };

static ingot_status copy_value(pool *p, ingot_value from, int depth, ingot_value *to);

static ingot_status copy_tuple(pool *p, ingot_value from, int depth, ingot_value *to)
{
    size_t count = from.as.tuple.count;
    ingot_value *items = pool_array(p, ingot_value, count);
    if (items == NULL) return INGOT_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; ++i) {
        ingot_status s = copy_value(p, from.as.tuple.items[i], depth + 1, &items[i]);
        if (s != INGOT_OK) return s;
    }
    *to = ingot_tuple(items, count);
    return INGOT_OK;
}

static ingot_status copy_value(pool *p, ingot_value from, int depth, ingot_value *to)
{
    *to = from;
    switch (from.kind) {
    case INGOT_VALUE_NONE:
    case INGOT_VALUE_BOOL:
    case INGOT_VALUE_INT:
    case INGOT_VALUE_FLOAT: return INGOT_OK;
    case INGOT_VALUE_STR:
    case INGOT_VALUE_BYTES:
    case INGOT_VALUE_OTHER: {
        str copy = pool_str(p, (str){from.as.text.data, from.as.text.size});
        to->as.text.data = copy.p;
        return copy.p != NULL ? INGOT_OK : INGOT_OUT_OF_MEMORY;
    }
    case INGOT_VALUE_TUPLE: return depth < DEPTH_LIMIT ? copy_tuple(p, from, depth, to) : INGOT_INVALID_ARGUMENT;
    case INGOT_VALUE_TENSOR:
    case INGOT_VALUE_TARGET: return INGOT_INVALID_ARGUMENT; /* borrowed things that cannot outlive the call */
    }
    return INGOT_INVALID_ARGUMENT;
}

ingot_status ingot_result_set(ingot_result *result, ingot_value value)
{
    ingot_owned_release(result->owned);
    result->owned = mem_zeroed(result->mem, 1, sizeof *result->owned);
    if (result->owned == NULL) return INGOT_OUT_OF_MEMORY;
    result->owned->memory = pool_make(result->mem);
    ingot_status s = copy_value(&result->owned->memory, value, 0, &result->owned->value);
    if (s != INGOT_OK) {
        ingot_owned_release(result->owned);
        result->owned = NULL;
    }
    return s;
}

ingot_value ingot_owned_value(const ingot_owned *owned)
{
    return owned != NULL ? owned->value : ingot_none();
}

void ingot_owned_release(ingot_owned *owned)
{
    if (owned == NULL) return;
    const ingot_allocator *mem = owned->memory.mem;
    pool_free(&owned->memory);
    mem_free(mem, owned, sizeof *owned);
}

ingot_status value_invoke(const ingot_allocator *mem, ingot_function_fn fn, void *user, const ingot_value *args,
                          size_t count, ingot_owned **out, ingot_error *error)
{
    ingot_result result = {.mem = mem};
    ingot_error said = {.status = INGOT_OK};
    ingot_status s = fn(user, args, count, &result, &said);
    *out = NULL;
    if (s == INGOT_OK) {
        *out = result.owned;
        return error_none(error);
    }
    ingot_owned_release(result.owned);
    if (said.message[0] == '\0') return error_set(error, s, "the function failed without a message");
    said.status = s;
    if (error != NULL) *error = said;
    return s;
}
