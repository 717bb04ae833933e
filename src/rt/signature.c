/* A launch record against what the kernel's own text says, before anything is launched. */
#include "base/dtype.h"
#include "base/error.h"
#include "rt/program.h"

typedef struct tag_place {
    const char *tag;
    uint8_t place;
} tag_place;

static const tag_place tags[] = {
    {"blockIdx.x", RT_GRID + 0},   {"blockIdx.y", RT_GRID + 1},   {"blockIdx.z", RT_GRID + 2},
    {"threadIdx.x", RT_GROUP + 0}, {"threadIdx.y", RT_GROUP + 1}, {"threadIdx.z", RT_GROUP + 2},
    {PACK_DYN_SHARED, RT_DYNAMIC}, {"tir.use_dyn_shared_memory", RT_DYNAMIC},
};

static ingot_status refuse(const rt_kernel *k, ingot_status status, const char *message, ingot_error *error)
{
    return error_set(error, status, "kernel \"%s\": %s", k->record->name.p, message);
}

static ingot_status place_tags(rt_kernel *k, pool *mem, ingot_error *error)
{
    const pack_kernel *r = k->record;
    uint8_t *places = pool_array(mem, uint8_t, r->launch_tag_count);
    if (places == NULL) return error_no_memory(error);
    for (size_t i = 0; i < r->launch_tag_count; ++i) {
        size_t t = 0;
        while (t < sizeof tags / sizeof tags[0] && strcmp(tags[t].tag, r->launch_tags[i]) != 0) ++t;
        if (t == sizeof tags / sizeof tags[0]) {
            return error_set(error, INGOT_UNSUPPORTED, "kernel \"%s\": launch tag \"%.100s\" is not supported", r->name.p,
                             r->launch_tags[i]);
        }
        places[i] = tags[t].place;
    }
    k->places = places;
    return INGOT_OK;
}

/* Scalars travel in 8 bytes each. */
static bool is_scalar(DLDataType t)
{
    if (t.lanes != 1) return false;
    if (t.code == kDLBool) return t.bits == 8;
    if (t.code == kDLFloat) return t.bits == 16 || t.bits == 32;
    if (t.code == kDLBfloat) return t.bits == 16;
    return dtype_is_int(t) && (t.bits == 8 || t.bits == 16 || t.bits == 32 || t.bits == 64);
}

static ingot_status check_record(const rt_kernel *k, ingot_error *error)
{
    const pack_kernel *r = k->record;
    size_t scalars = r->arg_count - k->pointers, slots = k->pointers + (scalars != 0 ? 1 : 0);
    for (size_t i = k->pointers; i < r->arg_count; ++i) {
        char type[DTYPE_TEXT];
        if (is_scalar(r->arg_types[i])) continue;
        return error_set(error, INGOT_UNSUPPORTED, "kernel \"%s\": argument %zu of type %s cannot be passed on Metal",
                         r->name.p, i, dtype_print(r->arg_types[i], type));
    }
    for (size_t i = 0; r->extra_tags != NULL && i < r->arg_count; ++i) {
        if (r->extra_tags[i] != 0) return refuse(k, INGOT_UNSUPPORTED, "tensor maps are not supported on Metal", error);
    }
    if (slots > RT_MAX_BUFFERS) {
        return error_set(error, INGOT_LIMIT, "kernel \"%s\": %zu buffers; Metal binds at most %d", r->name.p, slots,
                         RT_MAX_BUFFERS);
    }
    if (scalars * 8 > RT_CONSTANT_BYTES) {
        return error_set(error, INGOT_LIMIT, "kernel \"%s\": %zu bytes of scalars; Metal passes at most %d", r->name.p,
                         scalars * 8, RT_CONSTANT_BYTES);
    }
    return INGOT_OK;
}

static ingot_status check_slot(const rt_kernel *k, const rt_slot *slot, ingot_error *error)
{
    const pack_kernel *r = k->record;
    size_t scalars = r->arg_count - k->pointers;
    if (slot->index < k->pointers) return INGOT_OK;
    if (slot->index > k->pointers || scalars == 0) {
        return error_set(error, INGOT_FORMAT,
                         "kernel \"%s\": its code declares '%s' at [[buffer(%u)]], and its launch record binds only %zu "
                         "buffers and %zu scalars",
                         r->name.p, slot->name, slot->index, k->pointers, scalars);
    }
    if (slot->kind != RT_SLOT_CONSTANT) {
        return error_set(error, INGOT_FORMAT,
                         "kernel \"%s\": its code declares '%s' at [[buffer(%u)]] as device memory, where the launch "
                         "record passes its scalars",
                         r->name.p, slot->name, slot->index);
    }
    if (slot->bytes <= scalars * 8) return INGOT_OK;
    return error_set(error, INGOT_FORMAT,
                     "kernel \"%s\": '%s' at [[buffer(%u)]] is a %s of %zu bytes in its code, and its launch record passes "
                     "%zu bytes of scalars",
                     r->name.p, slot->name, slot->index, slot->type, slot->bytes, scalars * 8);
}

static ingot_status check_text(const rt_kernel *k, ingot_error *error)
{
    if (k->info->slots == NULL && k->info->slot_count == 0 && k->info->dynamic_count == 0) return INGOT_OK;
    for (size_t i = 0; i < k->info->slot_count; ++i) {
        ingot_status status = check_slot(k, &k->info->slots[i], error);
        if (status != INGOT_OK) return status;
    }
    bool dynamic = false;
    for (size_t i = 0; i < k->record->launch_tag_count; ++i) dynamic = dynamic || k->places[i] == RT_DYNAMIC;
    if (k->info->dynamic_count > (dynamic ? 1 : 0)) {
        return error_set(error, INGOT_FORMAT,
                         "kernel \"%s\": its code takes %u threadgroup buffers of a size given at launch, and its launch "
                         "record gives %d",
                         k->record->name.p, k->info->dynamic_count, dynamic ? 1 : 0);
    }
    return INGOT_OK;
}

ingot_status rt_kernel_check(rt_kernel *k, pool *mem, ingot_error *error)
{
    k->pointers = pack_kernel_pointers(k->record);
    ingot_status status = place_tags(k, mem, error);
    if (status == INGOT_OK) status = check_record(k, error);
    if (status == INGOT_OK) status = check_text(k, error);
    return status;
}
