/* The bridge to tvm-ffi against a stand-in for its library: one registry, every form of value, faults, no leaks. */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "ingot/ingot.h"
#include "standin/tvm_ffi.h"

#define SCRIPT                                                                                     \
    "@T.prim_func\ndef f(A: T.Buffer((4,), \"float32\")):\n    for i in T.thread_binding(4, thread=\"threadIdx.x\"):\n"  \
    "        A[i] = T.float32(1)\n"
#define CALLBACK INGOT_METAL_COMPILE_CALLBACK

/* The stand-in's functions, as any other user of the library would call them. */
static struct {
    standin_controls *controls;
    int (*create)(void *self, ffi_call_fn call, void (*drop)(void *self), void **out);
    int (*set)(const ffi_bytes *name, void *function, int override);
    int (*get)(const ffi_bytes *name, void **out);
    int (*call)(void *function, const ffi_any *args, int32_t count, ffi_any *result);
    int (*release)(void *object);
    void (*raise)(const char *kind, const char *message);
    void (*take)(void **out);
} ffi;

static void find(void *handle, const char *name, void *place)
{
    void *found = dlsym(handle, name);
    assert_non_null(found);
    memcpy(place, &found, sizeof found);
}

static void open_standin(void)
{
    void *handle = dlopen(STANDIN, RTLD_NOW | RTLD_GLOBAL);
    if (handle == NULL) fail_msg("%s", dlerror());
    find(handle, "standin", &ffi.controls);
    find(handle, "TVMFFIFunctionCreate", &ffi.create);
    find(handle, "TVMFFIFunctionSetGlobal", &ffi.set);
    find(handle, "TVMFFIFunctionGetGlobal", &ffi.get);
    find(handle, "TVMFFIFunctionCall", &ffi.call);
    find(handle, "TVMFFIObjectDecRef", &ffi.release);
    find(handle, "TVMFFIErrorSetRaisedFromCStr", &ffi.raise);
    find(handle, "TVMFFIErrorMoveFromRaised", &ffi.take);
}

static int dropped;
static void drop(void *user)
{
    (void)user;
    ++dropped;
}

/* Returns its arguments as a tuple; in `user` the status to fail with instead. */
static ingot_status echo(void *user, const ingot_value *args, size_t count, ingot_result *result, ingot_error *error)
{
    const int *status = user;
    if (status != NULL && *status != 0) {
        strcpy(error->message, *status == INGOT_CALLBACK ? "KeyError: a text" : "a text");
        return (ingot_status)*status;
    }
    return ingot_result_set(result, ingot_tuple(args, count));
}

static void set_foreign(const char *name, ffi_call_fn call, void *self)
{
    void *f;
    ffi_bytes key = {name, strlen(name)};
    assert_int_equal(ffi.create(self, call, NULL, &f), 0);
    assert_int_equal(ffi.set(&key, f, 1), 0);
    ffi.release(f);
}

static void *get_foreign(const char *name)
{
    ffi_bytes key = {name, strlen(name)};
    void *f = NULL;
    assert_int_equal(ffi.get(&key, &f), 0);
    return f;
}

static int returns_none(void *self, const ffi_any *args, int32_t count, ffi_any *result)
{
    (void)self, (void)args, (void)count, (void)result;
    return 0;
}

static void clear_slot(void)
{
    void *error;
    ffi.take(&error);
    if (error != NULL) ffi.release(error);
}

/* ---- One registry -------------------------------------------------------------------------------- */

/* Registers before the library is there, so it comes first. */
static void test_goes_over(void **state)
{
    (void)state;
    assert_int_equal(ingot_function_register("before", echo, NULL, drop, 0, NULL), INGOT_OK);
    assert_int_equal(ingot_function_register("both", echo, NULL, drop, 0, NULL), INGOT_OK);
    open_standin();
    set_foreign("both", returns_none, NULL); /* registered later: it counts */
    ingot_function *f;
    assert_int_equal(ingot_function_get("before", &f, NULL), INGOT_OK);
    ingot_function_release(f);
    assert_int_equal(dropped, 1); /* Ingot's "both" */
    void *there = get_foreign("before");
    assert_non_null(there);
    ffi.release(there);
    assert_int_equal(ingot_function_remove("before", NULL), INGOT_OK);
    assert_int_equal(dropped, 2);
    assert_null(get_foreign("before"));
    assert_int_equal(ingot_function_remove("both", NULL), INGOT_OK);
    assert_int_equal(ingot_function_remove("both", NULL), INGOT_NOT_FOUND);
    dropped = 0;
}

static void test_replaced_and_removed_by_others(void **state)
{
    (void)state;
    ingot_error error;
    ingot_function *f;
    assert_int_equal(ingot_function_register("x", echo, NULL, drop, 0, &error), INGOT_OK);
    assert_int_equal(ingot_function_register("x", echo, NULL, drop, 0, &error), INGOT_EXISTS);
    assert_string_equal(error.message, "Global Function `x` is already registered");
    set_foreign("x", returns_none, NULL);
    assert_int_equal(ingot_function_register("x", echo, NULL, drop, 0, &error), INGOT_EXISTS);
    assert_int_equal(ingot_function_get("x", &f, &error), INGOT_OK);
    assert_int_equal(dropped, 1);
    ingot_owned *owned;
    assert_int_equal(ingot_function_invoke(f, NULL, 0, &owned, &error), INGOT_OK);
    assert_int_equal(ingot_owned_value(owned).kind, INGOT_VALUE_NONE);
    ingot_owned_release(owned);
    ingot_function_release(f);
    assert_int_equal(ingot_function_register("x", echo, NULL, drop, 1, &error), INGOT_OK);
    /* Removed behind Ingot's back. */
    void *removal = get_foreign("ffi.FunctionRemoveGlobal");
    ffi_any name = {.tag = FFI_C_STR, .as.text = "x"}, result = {0};
    assert_int_equal(ffi.call(removal, &name, 1, &result), 0);
    ffi.release(removal);
    assert_int_equal(ingot_function_get("x", &f, &error), INGOT_NOT_FOUND);
    assert_int_equal(dropped, 2);
    dropped = 0;
}

static void see(void *user, const char *name)
{
    int *seen = user;
    if (strcmp(name, "ingot.version") == 0) *seen |= 1;
    if (strcmp(name, "ffi.Array") == 0) *seen |= 2;
    if (strcmp(name, "mine") == 0) *seen |= 4;
    if (strncmp(name, "target.", 7) == 0 || strncmp(name, "ffi.Module", 10) == 0) *seen |= 8;
}

static void test_list(void **state)
{
    (void)state;
    int seen = 0;
    assert_int_equal(ingot_function_register("mine", echo, NULL, NULL, 0, NULL), INGOT_OK);
    assert_int_equal(ingot_function_list(see, &seen), INGOT_OK);
    assert_int_equal(seen, 7);
    assert_int_equal(ingot_function_remove("mine", NULL), INGOT_OK);
}

/* ---- Values --------------------------------------------------------------------------------------- */

/* Calls Ingot's echo through tvm-ffi with one value; its item 0 comes back. */
static void test_values_through_ingot(void **state)
{
    (void)state;
    assert_int_equal(ingot_function_register("echo", echo, NULL, NULL, 0, NULL), INGOT_OK);
    void *f = get_foreign("echo");
    ffi_bytes view = {"a\0b", 3};
    ffi_any inner[2] = {{.tag = FFI_INT, .as.integer = -5}, ffi.controls->make_text(FFI_STR, "longer than seven", 17)};
    ffi_any args[] = {{0}, {.tag = FFI_BOOL, .as.integer = 1}, {.tag = FFI_INT, .as.integer = INT64_MIN},
                      {.tag = FFI_FLOAT, .as.real = 0.5}, {.tag = FFI_C_STR, .as.text = "raw"}, {.tag = FFI_BYTE_VIEW, .as.view = &view},
                      ffi.controls->make_text(FFI_STR, "small", 5), ffi.controls->make_text(FFI_BYTES, "eight by", 8),
                      ffi.controls->make_array(inner, 2)};
    const int32_t tags[] = {FFI_NONE, FFI_BOOL, FFI_INT, FFI_FLOAT, FFI_SMALL_STR, FFI_SMALL_BYTES, FFI_SMALL_STR, FFI_BYTES,
                            FFI_ARRAY};
    enum { COUNT = sizeof args / sizeof args[0] };
    ffi_any result = {0};
    assert_int_equal(ffi.call(f, args, COUNT, &result), 0);
    assert_int_equal(result.tag, FFI_ARRAY);
    void *item = get_foreign("ffi.ArrayGetItem");
    for (int i = 0; i < COUNT; ++i) {
        ffi_any at[2] = {result, {.tag = FFI_INT, .as.integer = i}}, got = {0};
        assert_int_equal(ffi.call(item, at, 2, &got), 0);
        assert_int_equal(got.tag, tags[i]);
        if (i == 2) assert_true(got.as.integer == INT64_MIN);
        if (i == 3) assert_true(got.as.real == 0.5);
        if (i == 4) assert_memory_equal(got.as.bytes, "raw\0\0\0\0", 8);
        if (i == 5) assert_memory_equal(got.as.bytes, "a\0b\0\0\0\0", 8);
        if (i == 7) assert_string_equal(((ffi_text_object *)got.as.pointer)->text.data, "eight by");
        if (got.tag >= FFI_FIRST_OBJECT) ffi.release(got.as.pointer);
    }
    for (int i = 0; i < COUNT; ++i) {
        if (args[i].tag >= FFI_FIRST_OBJECT) ffi.release(args[i].as.pointer);
    }
    ffi.release(result.as.pointer);
    ffi.release(item);
    ffi.release(f);
    assert_int_equal(ingot_function_remove("echo", NULL), INGOT_OK);
}

/* A compile callback of the stand-in that returns what the test made. */
static ffi_any to_return;
static char seen_target[32];
static int returns_it(void *self, const ffi_any *args, int32_t count, ffi_any *result)
{
    (void)self;
    assert_int_equal(count, 2);
    assert_int_equal(args[0].tag, FFI_STR);
    assert_int_equal(args[1].tag, FFI_STR); /* without the Python package a target is its text */
    strncpy(seen_target, ((ffi_text_object *)args[1].as.pointer)->text.data, sizeof seen_target - 1);
    *result = to_return;
    return 0;
}

static ingot_status compile(ingot_module **module, ingot_error *error)
{
    return ingot_compile(SCRIPT, strlen(SCRIPT), NULL, module, error);
}

static void refused(ffi_any value, const char *expected)
{
    ingot_error error;
    ingot_module *module;
    to_return = value;
    assert_int_not_equal(compile(&module, &error), INGOT_OK);
    assert_null(module);
    if (strstr(error.message, expected) == NULL) fail_msg("%s", error.message);
}

static void accepted(ffi_any value, const char *format, const char *payload)
{
    ingot_error error;
    ingot_module *module;
    ingot_kernel_info kernel;
    to_return = value;
    if (compile(&module, &error) != INGOT_OK) fail_msg("%s", error.message);
    assert_string_equal(ingot_module_format(module), format);
    assert_int_equal(ingot_module_kernel(module, 0, &kernel), INGOT_OK);
    assert_int_equal(kernel.payload_size, strlen(payload));
    assert_memory_equal(kernel.payload, payload, strlen(payload));
    ingot_module_release(module);
}

static ffi_any text(const char *data)
{
    return ffi.controls->make_text(FFI_STR, data, strlen(data));
}

static ffi_any pair(ffi_any a, ffi_any b)
{
    return ffi.controls->make_array((ffi_any[2]){a, b}, 2);
}

static void test_what_a_callback_returns(void **state)
{
    (void)state;
    set_foreign(CALLBACK, returns_it, NULL);
    accepted(text("tiny"), "metallib", "tiny");
    assert_memory_equal(seen_target, "{\"kind\": \"metal\"", 16);
    accepted(text("not so tiny"), "metallib", "not so tiny");
    accepted(ffi.controls->make_text(FFI_BYTES, "b", 1), "metallib", "b");
    accepted(pair(text("payload of some length"), text("metal")), "metal", "payload of some length");
    accepted(pair(text("p"), text("metallib")), "metallib", "p");
    accepted(pair(ffi.controls->make_text(FFI_BYTES, "payload of bytes", 16), text("metal")), "metal", "payload of bytes");
    refused((ffi_any){0}, "None");
    refused((ffi_any){.tag = FFI_INT, .as.integer = 3}, "an int");
    refused((ffi_any){.tag = FFI_POINTER}, "a pointer");
    refused(text(""), "empty payload");
    refused(pair(text("p"), text("air")), "unsupported format \"air\"");
    refused(pair((ffi_any){0}, text("metal")), "its payload is None");
    refused(ffi.controls->make_array(NULL, 0), "a tuple of size 0");
    refused(pair(pair(text("p"), text("metal")), text("metal")), "its payload is a tuple");
    assert_int_equal(ingot_function_remove(CALLBACK, NULL), INGOT_OK);
    ingot_module *module;
    assert_int_equal(compile(&module, NULL), INGOT_OK);
    assert_string_equal(ingot_module_format(module), "metal");
    ingot_module_release(module);
}

static void test_deep_arrays_are_refused(void **state)
{
    (void)state;
    set_foreign(CALLBACK, returns_it, NULL);
    ffi_any nested = text("p");
    for (int i = 0; i < 20; ++i) nested = ffi.controls->make_array(&nested, 1);
    refused(nested, "nested deeper than 16");
    assert_int_equal(ingot_function_remove(CALLBACK, NULL), INGOT_OK);
}

/* ---- Errors ---------------------------------------------------------------------------------------- */

static int raises(void *self, const ffi_any *args, int32_t count, ffi_any *result)
{
    (void)args, (void)count, (void)result;
    if (self != NULL) ffi.raise("ValueError", self);
    return -1;
}

static void test_errors_to_ingot(void **state)
{
    (void)state;
    ingot_error error;
    ingot_module *module;
    char message[] = "two\nlines";
    set_foreign(CALLBACK, raises, message);
    assert_int_equal(compile(&module, &error), INGOT_CALLBACK);
    assert_string_equal(error.message, "ValueError: two\nlines");
    /* It is still in the slot, for who knows more of it. */
    void *raise = get_foreign("ingot.raise_error");
    ffi_any said = ffi.controls->make_text(FFI_STR, error.message, strlen(error.message)), result = {0};
    assert_int_equal(ffi.call(raise, &said, 1, &result), -1);
    void *e;
    ffi.take(&e);
    assert_string_equal(((ffi_error_object *)e)->message.data, "two\nlines");
    ffi.release(e);
    assert_int_equal(ffi.call(raise, &said, 1, &result), 0); /* the slot is empty now */
    assert_int_equal(result.tag, FFI_NONE);
    ffi.release(said.as.pointer);
    ffi.release(raise);
    set_foreign(CALLBACK, raises, NULL);
    assert_int_equal(compile(&module, &error), INGOT_CALLBACK);
    assert_string_equal(error.message, "the function failed and left no error");
    assert_int_equal(ingot_function_remove(CALLBACK, NULL), INGOT_OK);
}

static void test_errors_from_ingot(void **state)
{
    (void)state;
    int status = 0;
    assert_int_equal(ingot_function_register("fails", echo, &status, NULL, 0, NULL), INGOT_OK);
    void *f = get_foreign("fails");
    const struct {
        int status;
        const char *kind, *message;
    } rows[] = {{INGOT_VALUE, "ValueError", "a text"}, {INGOT_TYPE, "TypeError", "a text"},
                {INGOT_CALLBACK, "KeyError", "a text"}, {INGOT_OUT_OF_MEMORY, "MemoryError", "a text"},
                {INGOT_DEVICE, "RuntimeError", "a text"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        status = rows[i].status;
        ffi_any result = {0};
        void *e;
        assert_int_equal(ffi.call(f, NULL, 0, &result), -1);
        ffi.take(&e);
        assert_string_equal(((ffi_error_object *)e)->kind.data, rows[i].kind);
        assert_string_equal(((ffi_error_object *)e)->message.data, rows[i].message);
        ffi.release(e);
    }
    ffi.release(f);
    assert_int_equal(ingot_function_remove("fails", NULL), INGOT_OK);
}

static void test_faults_of_the_library(void **state)
{
    (void)state;
    ingot_error error;
    for (int silent = 0; silent < 2; ++silent) {
        ffi.controls->fail_without_error = silent;
        ffi.controls->fail_create = 1;
        assert_int_equal(ingot_function_register("x", echo, NULL, drop, 0, &error), INGOT_CALLBACK);
        ffi.controls->fail_set = 1;
        assert_int_equal(ingot_function_register("x", echo, NULL, drop, 0, &error), INGOT_CALLBACK);
        ffi.controls->fail_get = 1;
        ingot_function *f;
        assert_int_equal(ingot_function_get("ffi.Array", &f, &error), INGOT_NOT_FOUND);
        set_foreign(CALLBACK, returns_none, NULL);
        for (int nth = 1; nth <= 2; ++nth) { /* the source, the target */
            ffi.controls->fail_text = nth;
            ingot_module *module;
            assert_int_equal(compile(&module, &error), INGOT_CALLBACK);
            assert_string_equal(error.message, silent ? "the function failed and left no error" : "RuntimeError: no text");
        }
        assert_int_equal(ingot_function_remove(CALLBACK, NULL), INGOT_OK);
    }
    ffi.controls->fail_without_error = 0;
    assert_int_equal(dropped, 0); /* what did not get in is still the caller's */
}

/* Ten thousand calls each way leave no object behind. */
static void test_nothing_is_left(void **state)
{
    (void)state;
    clear_slot();
    assert_int_equal(ingot_function_register("echo", echo, NULL, NULL, 0, NULL), INGOT_OK);
    set_foreign("none", returns_none, NULL);
    ingot_function *f;
    assert_int_equal(ingot_function_get("none", &f, NULL), INGOT_OK);
    void *back = get_foreign("echo");
    size_t before = ffi.controls->objects;
    ingot_value items[2] = {ingot_str("a text of some length", 21), ingot_int(1)};
    ingot_value args[2] = {ingot_tuple(items, 2), ingot_bytes("longer than small", 17)};
    for (int i = 0; i < 10000; ++i) {
        assert_int_equal(ingot_function_invoke(f, args, 2, NULL, NULL), INGOT_OK);
        ffi_any given = {.tag = FFI_C_STR, .as.text = "a text of some length"}, result = {0};
        assert_int_equal(ffi.call(back, &given, 1, &result), 0);
        ffi.release(result.as.pointer);
    }
    assert_int_equal(ffi.controls->objects, before);
    ffi.release(back);
    ingot_function_release(f);
    assert_int_equal(ingot_function_remove("echo", NULL), INGOT_OK);
    assert_int_equal(ingot_function_remove("none", NULL), INGOT_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_goes_over), /* first: it loads the library */
        cmocka_unit_test(test_replaced_and_removed_by_others),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_values_through_ingot),
        cmocka_unit_test(test_what_a_callback_returns),
        cmocka_unit_test(test_deep_arrays_are_refused),
        cmocka_unit_test(test_errors_to_ingot),
        cmocka_unit_test(test_errors_from_ingot),
        cmocka_unit_test(test_faults_of_the_library),
        cmocka_unit_test(test_nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
