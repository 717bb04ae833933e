/* Functions across the bridge to tvm-ffi. No lock is held while one is called. */
#include "api/foreign.h"

#include "api/registry.h"
#include "api/value.h"
#include "base/error.h"
#include "ffi/value.h"

typedef struct foreign {
    const ffi_library *lib;
    void *handle;
} foreign;

/* ---- tvm-ffi's, called by Ingot ---------------------------------------------------------------- */

void *foreign_make(const ffi_library *lib, void *handle)
{
    foreign *f = mem_zeroed(&mem_default, 1, sizeof *f);
    if (f == NULL) {
        lib->object_release(handle);
        return NULL;
    }
    *f = (foreign){.lib = lib, .handle = handle};
    return f;
}

void foreign_drop(void *user)
{
    foreign *f = user;
    f->lib->object_release(f->handle);
    mem_free(&mem_default, f, sizeof *f);
}

/* Reads what came back and leaves a copy of it in *result. */
static ingot_status hand_over(const ffi_library *lib, ffi_any *got, ingot_result *result, ingot_error *error)
{
    ffi_reading reading = ffi_reading_make(lib, &mem_default);
    ingot_value value;
    ingot_status s = ffi_to_value(&reading, got, &value, error);
    if (s == INGOT_OK && value.kind == INGOT_VALUE_TENSOR) { /* would not outlive its owner */
        value = ingot_str("a tensor", strlen("a tensor"));
        value.kind = INGOT_VALUE_OTHER;
    }
    if (s == INGOT_OK) {
        s = ingot_result_set(result, value);
        if (s == INGOT_OUT_OF_MEMORY) error_no_memory(error);
        if (s == INGOT_INVALID_ARGUMENT) error_set(error, s, "the function returned a value that cannot be kept");
    }
    ffi_reading_end(&reading);
    return s;
}

ingot_status foreign_invoke(void *user, const ingot_value *args, size_t count, ingot_result *result, ingot_error *error)
{
    foreign *f = user;
    if (count > INT32_MAX) return error_set(error, INGOT_LIMIT, "too many arguments");
    ffi_clear_error(f->lib);
    pool memory = pool_make(&mem_default);
    ffi_any *given = pool_array(&memory, ffi_any, count);
    ingot_status s = given != NULL ? INGOT_OK : error_no_memory(error);
    size_t made = 0;
    for (; s == INGOT_OK && made < count; ++made) s = ffi_from_value(f->lib, args[made], &given[made], error);
    ffi_any got = {0};
    if (s == INGOT_OK && f->lib->function_call(f->handle, given, (int32_t)count, &got) != 0) {
        s = ffi_take_error(f->lib, error);
    }
    if (s == INGOT_OK) s = hand_over(f->lib, &got, result, error);
    ffi_release(f->lib, &got);
    for (size_t i = 0; i < made; ++i) ffi_release(f->lib, &given[i]);
    pool_free(&memory);
    return s;
}

/* ---- Ingot's, called by tvm-ffi ---------------------------------------------------------------- */

typedef struct exported {
    const ffi_library *lib;
    ingot_function *function;
} exported;

static ingot_status call_exported(const exported *e, const ffi_any *args, size_t count, ffi_any *result,
                                  ingot_error *error)
{
    ffi_reading reading = ffi_reading_make(e->lib, &mem_default);
    ingot_value *values = pool_array(&reading.memory, ingot_value, count);
    ingot_status s = values != NULL ? INGOT_OK : error_no_memory(error);
    for (size_t i = 0; s == INGOT_OK && i < count; ++i) s = ffi_to_value(&reading, &args[i], &values[i], error);
    ingot_owned *owned = NULL;
    if (s == INGOT_OK) s = ingot_function_invoke(e->function, values, count, &owned, error);
    if (s == INGOT_OK) s = ffi_from_value(e->lib, ingot_owned_value(owned), result, error);
    ingot_owned_release(owned);
    ffi_reading_end(&reading);
    return s;
}

static int exported_call(void *self, const ffi_any *args, int32_t count, ffi_any *result)
{
    const exported *e = self;
    ingot_error error = {.status = INGOT_OK};
    if (call_exported(e, args, count > 0 ? (size_t)count : 0, result, &error) == INGOT_OK) return 0;
    return ffi_put_error(e->lib, &error);
}

static void exported_drop(void *self)
{
    exported *e = self;
    ingot_function_release(e->function);
    mem_free(&mem_default, e, sizeof *e);
}

ingot_status foreign_export(const ffi_library *lib, ingot_function *function, void **out, ingot_error *error)
{
    *out = NULL;
    exported *e = mem_zeroed(&mem_default, 1, sizeof *e);
    if (e == NULL) return error_no_memory(error);
    *e = (exported){.lib = lib, .function = function};
    registry_retain(function);
    if (lib->function_create(e, exported_call, exported_drop, out) == 0) return INGOT_OK;
    exported_drop(e);
    return ffi_take_error(lib, error);
}

/* ---- Names of Ingot's own ---------------------------------------------------------------------- */

static int version_call(void *self, const ffi_any *args, int32_t count, ffi_any *result)
{
    const ffi_library *lib = self;
    (void)args, (void)count;
    ffi_bytes text = {INGOT_VERSION, strlen(INGOT_VERSION)};
    return lib->str_make(&text, result);
}

static int raise_call(void *self, const ffi_any *args, int32_t count, ffi_any *result)
{
    const ffi_library *lib = self;
    (void)result;
    ffi_reading reading = ffi_reading_make(lib, &mem_default);
    ingot_value text = ingot_none();
    ingot_error slot = {.status = INGOT_OK};
    bool whole = count == 1 && ffi_to_value(&reading, args, &text, NULL) == INGOT_OK && text.kind == INGOT_VALUE_STR;
    ffi_take_error(lib, &slot); /* it stays in the slot */
    bool same = whole && str_is((str){text.as.text.data, text.as.text.size}, slot.message);
    ffi_reading_end(&reading);
    if (!whole) lib->error_raise("TypeError", "ingot.raise_error takes one str");
    return same || !whole ? -1 : 0;
}

static void register_one(const ffi_library *lib, const char *name, ffi_call_fn call)
{
    union { /* functions take their own state as plain pointers; this one is only read */
        const ffi_library *from;
        void *to;
    } self = {.from = lib};
    void *function = NULL;
    if (lib->function_create(self.to, call, NULL, &function) != 0) return;
    ffi_bytes key = {name, strlen(name)};
    if (lib->function_set(&key, function, 0) != 0) ffi_take_error(lib, NULL);
    lib->object_release(function);
}

void foreign_register_own(const ffi_library *lib)
{
    register_one(lib, "ingot.version", version_call);
    register_one(lib, "ingot.raise_error", raise_call);
}
