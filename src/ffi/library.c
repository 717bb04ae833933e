/* Finding libtvm_ffi, its errors, and calls of its own registered functions. */
#define _GNU_SOURCE // for RTLD_DEFAULT and dladdr
#include "ffi/library.h"

#include <dlfcn.h>
#include <stdio.h>

#include "base/error.h"
#include "base/str.h"

/* ISO C has no cast between pointers to data and to functions. */
#define LOAD(place, handle, symbol)                                                                \
    do {                                                                                           \
        void *found = dlsym(handle, #symbol);                                                      \
        memcpy(&(place), &found, sizeof found);                                                    \
        if (found == NULL) return false;                                                           \
    } while (0)

static bool load(ffi_library *out, void *handle)
{
#define FFI_SYMBOL(result, field, symbol, parameters) LOAD(out->field, handle, symbol);
#include "ffi/symbols.def"
#undef FFI_SYMBOL
    return true;
}

/* Holds the library that an address lies in, so that the pointers into it stay good. */
static void pin(void *address)
{
    Dl_info info;
    if (dladdr(address, &info) != 0 && info.dli_fname != NULL) (void)dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

bool ffi_find(ffi_library *out)
{
    /* One that was loaded for its loader alone is left to it: searching for its file would cost every compile of a process
     * without it a hundred times what this look costs. */
    void *known = dlsym(RTLD_DEFAULT, "TVMFFIFunctionGetGlobal");
    if (known == NULL) return false;
    pin(known);
    return load(out, RTLD_DEFAULT);
}

void ffi_release(const ffi_library *lib, ffi_any *value)
{
    if (value->tag >= FFI_FIRST_OBJECT && value->as.pointer != NULL) lib->object_release(value->as.pointer);
    *value = (ffi_any){0};
}

void ffi_clear_error(const ffi_library *lib)
{
    void *raised = NULL;
    lib->error_take(&raised);
    if (raised != NULL) lib->object_release(raised);
}

ingot_status ffi_take_error(const ffi_library *lib, ingot_error *error)
{
    void *raised = NULL;
    lib->error_take(&raised);
    if (raised == NULL) return error_set(error, INGOT_CALLBACK, "the function failed and left no error");
    const ffi_error_object *e = raised;
    error_set(error, INGOT_CALLBACK, "%.*s: %.*s", (int)e->kind.size, e->kind.data, (int)e->message.size, e->message.data);
    lib->error_put(raised);
    lib->object_release(raised);
    return INGOT_CALLBACK;
}

/* The kind of error that a status is to tvm-ffi: names that Python has classes for. */
static const char *kind_of(ingot_status status)
{
    switch (status) {
    case INGOT_TYPE: return "TypeError";
    case INGOT_VALUE:
    case INGOT_INVALID_ARGUMENT:
    case INGOT_FORMAT: return "ValueError";
    case INGOT_OUT_OF_MEMORY: return "MemoryError";
    case INGOT_NOT_FOUND: return "KeyError";
    case INGOT_OK:
    case INGOT_SYNTAX:
    case INGOT_UNSUPPORTED:
    case INGOT_CALLBACK:
    case INGOT_LIMIT:
    case INGOT_EXISTS:
    case INGOT_IO:
    case INGOT_DEVICE:
    case INGOT_RUNTIME:
    case INGOT_INTERNAL: return "RuntimeError";
    }
    return "RuntimeError";
}

/* Length of "Kind" in "Kind: message", where a text begins so; else 0. */
static size_t kind_length(const char *text)
{
    size_t n = 0;
    while ((text[n] >= 'A' && text[n] <= 'Z') || (text[n] >= 'a' && text[n] <= 'z') || text[n] == '_') ++n;
    bool is_kind = n > 0 && n < 64 && text[0] >= 'A' && text[0] <= 'Z' && text[n] == ':' && text[n + 1] == ' ';
    return is_kind ? n : 0;
}

int ffi_put_error(const ffi_library *lib, const ingot_error *error)
{
    size_t n = error->status == INGOT_CALLBACK ? kind_length(error->message) : 0;
    if (n == 0) {
        lib->error_raise(kind_of(error->status), error->message);
        return -1;
    }
    char kind[64];
    memcpy(kind, error->message, n);
    kind[n] = '\0';
    lib->error_raise(kind, error->message + n + 2);
    return -1;
}

ingot_status ffi_call_global(const ffi_library *lib, const char *name, const ffi_any *args, int32_t count, ffi_any *result,
                             ingot_error *error)
{
    *result = (ffi_any){0};
    ffi_bytes key = {name, strlen(name)};
    void *function = NULL;
    if (lib->function_get(&key, &function) != 0) return ffi_take_error(lib, error);
    if (function == NULL) return error_set(error, INGOT_NOT_FOUND, "tvm-ffi has no function `%s`", name);
    int failed = lib->function_call(function, args, count, result);
    lib->object_release(function);
    return failed ? ffi_take_error(lib, error) : INGOT_OK;
}
