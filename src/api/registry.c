/* The registry of named functions: the one piece of process-wide state.
 *
 * Where the process has tvm-ffi, its registry is the truth: registering and removing go through to it, and a look-up asks it.
 * The table here then tells which of its functions are Ingot's own, so that these are called without a detour.
 *
 * A mutex guards the table; no lock is held while a function runs or is dropped, nor while tvm-ffi is called. A function
 * lives until its last user lets go, so replacing one while another thread calls it is safe. */
#include "api/registry.h"

#include <pthread.h>
#include <stdatomic.h>

#include "api/foreign.h"
#include "api/air.h"
#include "api/value.h"
#include "base/error.h"
#include "ffi/value.h"

struct ingot_function {
    atomic_size_t references;
    ingot_function_fn fn;
    void *user;
    void (*drop)(void *user);
};

typedef struct entry {
    char *name;
    ingot_function *function;
    void *foreign; /* tvm-ffi's function that calls it, held; NULL until it went over */
} entry;

static struct {
    pthread_mutex_t lock;
    entry *entries; /* in order of registration */
    size_t n, cap;
    atomic_bool attached; /* `ffi` is filled in, and stays as it is */
    ffi_library ffi;
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER};

void registry_retain(ingot_function *function)
{
    atomic_fetch_add(&function->references, 1);
}

void ingot_function_release(ingot_function *function)
{
    if (function == NULL || atomic_fetch_sub(&function->references, 1) != 1) return;
    if (function->drop != NULL) function->drop(function->user);
    mem_free(&mem_default, function, sizeof *function);
}

static ingot_function *make_function(ingot_function_fn fn, void *user, void (*drop)(void *user))
{
    ingot_function *function = mem_zeroed(&mem_default, 1, sizeof *function);
    if (function == NULL) return NULL;
    atomic_init(&function->references, 1);
    function->fn = fn;
    function->user = user;
    function->drop = drop;
    return function;
}

/* ---- The table (under the lock) ----------------------------------------------------------------- */

/* Index of a name, or registry.n. */
static size_t find(const char *name)
{
    size_t i = 0;
    while (i < registry.n && strcmp(registry.entries[i].name, name) != 0) ++i;
    return i;
}

/* Appends; false when out of memory. */
static bool append(const char *name, ingot_function *function, void *foreign)
{
    if (registry.n == registry.cap) {
        size_t cap = registry.cap == 0 ? 8 : registry.cap * 2;
        entry *grown = mem_resize(&mem_default, registry.entries, registry.cap * sizeof *grown, cap * sizeof *grown);
        if (grown == NULL) return false;
        registry.entries = grown;
        registry.cap = cap;
    }
    char *copy = mem_copy(&mem_default, name, strlen(name) + 1);
    if (copy == NULL) return false;
    registry.entries[registry.n++] = (entry){.name = copy, .function = function, .foreign = foreign};
    return true;
}

/* Puts the function in; what it replaced comes back in *old, without its name. */
static ingot_status insert(const char *name, ingot_function *function, void *foreign, bool override, entry *old)
{
    size_t i = find(name);
    if (i == registry.n) return append(name, function, foreign) ? INGOT_OK : INGOT_OUT_OF_MEMORY;
    if (!override) return INGOT_EXISTS;
    *old = registry.entries[i];
    old->name = NULL;
    registry.entries[i].function = function;
    registry.entries[i].foreign = foreign;
    return INGOT_OK;
}

/* Takes an entry out. */
static entry take(size_t i)
{
    entry gone = registry.entries[i];
    memmove(&registry.entries[i], &registry.entries[i + 1], (registry.n - i - 1) * sizeof gone);
    --registry.n;
    if (registry.n == 0) {
        mem_free(&mem_default, registry.entries, registry.cap * sizeof gone);
        registry.entries = NULL;
        registry.cap = 0;
    }
    return gone;
}

/* Lets go of an entry that was taken out; not under the lock. */
static void entry_free(entry *gone)
{
    if (gone->name != NULL) mem_free(&mem_default, gone->name, strlen(gone->name) + 1);
    if (gone->foreign != NULL) registry.ffi.object_release(gone->foreign);
    ingot_function_release(gone->function);
}

/* ---- tvm-ffi's registry ------------------------------------------------------------------------- */

static ffi_bytes key_of(const char *name)
{
    return (ffi_bytes){name, strlen(name)};
}

/* tvm-ffi's function of a name, owned; NULL where there is none. */
static void *foreign_get(const ffi_library *lib, const char *name)
{
    ffi_bytes key = key_of(name);
    void *handle = NULL;
    if (lib->function_get(&key, &handle) != 0) ffi_take_error(lib, NULL);
    return handle;
}

/* Registers with tvm-ffi; *handle (owned) is its function. INGOT_EXISTS where the name is taken. */
static ingot_status foreign_set(const ffi_library *lib, const char *name, ingot_function *function, bool override,
                                void **handle, ingot_error *error)
{
    ffi_clear_error(lib);
    ingot_status s = foreign_export(lib, function, handle, error);
    if (s != INGOT_OK) return s;
    ffi_bytes key = key_of(name);
    if (lib->function_set(&key, *handle, override) == 0) return INGOT_OK;
    s = ffi_take_error(lib, error);
    lib->object_release(*handle);
    *handle = foreign_get(lib, name);
    if (*handle == NULL) return s;
    lib->object_release(*handle);
    *handle = NULL;
    return INGOT_EXISTS;
}

/* Hands one entry over that has not gone yet; false when there is none. */
static bool hand_over_one(const ffi_library *lib)
{
    pthread_mutex_lock(&registry.lock);
    size_t i = 0;
    while (i < registry.n && registry.entries[i].foreign != NULL) ++i;
    entry mine = {0};
    if (i < registry.n) mine = take(i);
    pthread_mutex_unlock(&registry.lock);
    if (mine.name == NULL) return false;
    entry old = {0};
    ingot_status s = foreign_set(lib, mine.name, mine.function, false, &mine.foreign, NULL);
    if (s == INGOT_OK) {
        pthread_mutex_lock(&registry.lock);
        s = insert(mine.name, mine.function, mine.foreign, true, &old);
        pthread_mutex_unlock(&registry.lock);
    }
    if (s == INGOT_OK) { /* it is in the table again, under a copy of the name */
        mine.function = NULL;
        mine.foreign = NULL;
    }
    entry_free(&mine);
    entry_free(&old);
    return true;
}

const ffi_library *registry_attach(void)
{
    if (!atomic_load_explicit(&registry.attached, memory_order_acquire)) {
        ffi_library found;
        if (!ffi_find(&found)) return NULL;
        pthread_mutex_lock(&registry.lock);
        bool first = !atomic_load_explicit(&registry.attached, memory_order_relaxed);
        if (first) registry.ffi = found;
        atomic_store_explicit(&registry.attached, true, memory_order_release);
        pthread_mutex_unlock(&registry.lock);
        if (first) foreign_register_own(&registry.ffi);
    }
    while (hand_over_one(&registry.ffi)) continue;
    return &registry.ffi;
}

/* ---- The public functions ------------------------------------------------------------------------ */

ingot_status ingot_function_register(const char *name, ingot_function_fn fn, void *user, void (*drop)(void *user),
                                     int override, ingot_error *error)
{
    if (name == NULL || name[0] == '\0' || fn == NULL) {
        return error_set(error, INGOT_INVALID_ARGUMENT, "a function needs a name and a pointer");
    }
    /* Only a function that got in may drop its user's data: after a refusal it is still the caller's. */
    ingot_function *function = make_function(fn, user, NULL);
    if (function == NULL) return error_no_memory(error);
    const ffi_library *lib = registry_attach();
    void *foreign = NULL;
    ingot_status s = INGOT_OK;
    if (lib != NULL) s = foreign_set(lib, name, function, override != 0, &foreign, error);
    entry old = {0};
    if (s == INGOT_OK) {
        pthread_mutex_lock(&registry.lock);
        s = insert(name, function, foreign, override != 0 || lib != NULL, &old);
        if (s == INGOT_OK) function->drop = drop;
        pthread_mutex_unlock(&registry.lock);
    }
    entry_free(&old);
    if (s == INGOT_OK) return error_none(error);
    entry refused = {.function = function, .foreign = foreign};
    entry_free(&refused);
    if (s == INGOT_OUT_OF_MEMORY) return error_no_memory(error);
    return s == INGOT_EXISTS ? error_set(error, s, "Global Function `%s` is already registered", name) : s;
}

/* Removes a name from tvm-ffi's registry; whether it was there. */
static bool foreign_remove(const ffi_library *lib, const char *name)
{
    ffi_any arg = {.tag = FFI_C_STR, .as.text = name}, removed;
    bool done = ffi_call_global(lib, "ffi.FunctionRemoveGlobal", &arg, 1, &removed, NULL) == INGOT_OK;
    return done && removed.as.integer != 0;
}

ingot_status ingot_function_remove(const char *name, ingot_error *error)
{
    if (name == NULL) return error_set(error, INGOT_INVALID_ARGUMENT, "no name given");
    const ffi_library *lib = registry_attach();
    bool found = lib != NULL && foreign_remove(lib, name);
    entry gone = {0};
    pthread_mutex_lock(&registry.lock);
    size_t i = find(name);
    if (i < registry.n) gone = take(i);
    pthread_mutex_unlock(&registry.lock);
    if (lib == NULL) found = gone.name != NULL;
    entry_free(&gone);
    if (!found) return error_set(error, INGOT_NOT_FOUND, "no function `%s` is registered", name);
    return error_none(error);
}

/* What tvm-ffi has under a name: Ingot's own function where it is one, else one that calls it. *out stays NULL where there
 * is none. */
static ingot_status get_foreign(const ffi_library *lib, const char *name, ingot_function **out)
{
    void *handle = foreign_get(lib, name);
    entry stale = {0};
    pthread_mutex_lock(&registry.lock);
    size_t i = find(name);
    if (i < registry.n && registry.entries[i].foreign != NULL) {
        if (registry.entries[i].foreign == handle) {
            *out = registry.entries[i].function;
            registry_retain(*out);
        } else { /* replaced or removed by others */
            stale = take(i);
        }
    }
    pthread_mutex_unlock(&registry.lock);
    entry_free(&stale);
    if (handle == NULL) return INGOT_OK;
    if (*out != NULL) {
        lib->object_release(handle);
        return INGOT_OK;
    }
    void *user = foreign_make(lib, handle);
    if (user == NULL) return INGOT_OUT_OF_MEMORY;
    *out = make_function(foreign_invoke, user, foreign_drop);
    if (*out == NULL) foreign_drop(user);
    return *out != NULL ? INGOT_OK : INGOT_OUT_OF_MEMORY;
}

ingot_status ingot_function_get(const char *name, ingot_function **out, ingot_error *error)
{
    *out = NULL;
    if (name == NULL) return error_set(error, INGOT_INVALID_ARGUMENT, "no name given");
    const ffi_library *lib = registry_attach();
    if (lib != NULL) {
        if (get_foreign(lib, name, out) != INGOT_OK) return error_no_memory(error);
    } else {
        pthread_mutex_lock(&registry.lock);
        size_t i = find(name);
        if (i < registry.n) {
            *out = registry.entries[i].function;
            registry_retain(*out);
        }
        pthread_mutex_unlock(&registry.lock);
    }
    if (*out == NULL && strcmp(name, AIR_CALLBACK) == 0) { /* built in: found unless somebody has taken its name */
        *out = make_function(ingot_compile_metallib, NULL, NULL);
        if (*out == NULL) return error_no_memory(error);
    }
    if (*out == NULL) return error_set(error, INGOT_NOT_FOUND, "no function `%s` is registered", name);
    return error_none(error);
}

ingot_status ingot_function_invoke(ingot_function *function, const ingot_value *args, size_t count,
                                   ingot_owned **out, ingot_error *error)
{
    ingot_owned *owned;
    ingot_status s = value_invoke(&mem_default, function->fn, function->user, args, count, &owned, error);
    if (out != NULL) {
        *out = owned;
    } else {
        ingot_owned_release(owned);
    }
    return s;
}

ingot_status ingot_function_forward(void *user, const ingot_value *args, size_t count, ingot_result *result,
                                    ingot_error *error)
{
    ingot_function *function = user;
    return function->fn(function->user, args, count, result, error);
}

/* ---- Listing ------------------------------------------------------------------------------------- */

typedef struct names {
    pool memory;
    str *items;
    size_t count;
} names;

/* Ingot's own names. */
static bool own_names(names *out)
{
    pthread_mutex_lock(&registry.lock);
    out->count = registry.n;
    out->items = pool_array(&out->memory, str, out->count);
    bool whole = out->items != NULL;
    for (size_t i = 0; whole && i < out->count; ++i) {
        out->items[i] = pool_str(&out->memory, str_of(registry.entries[i].name));
        whole = out->items[i].p != NULL;
    }
    pthread_mutex_unlock(&registry.lock);
    return whole;
}

/* Item `index` of tvm-ffi's list of names, -1 for its length. */
static bool ask_names(const ffi_library *lib, const ffi_any *list, int64_t index, ffi_any *out)
{
    ffi_any arg = {.tag = FFI_INT, .as.integer = index};
    *out = (ffi_any){0};
    if (lib->function_call(list->as.pointer, &arg, 1, out) == 0) return true;
    ffi_take_error(lib, NULL);
    return false;
}

static bool foreign_name(const ffi_library *lib, const ffi_any *list, size_t index, pool *memory, str *out)
{
    ffi_any item;
    if (!ask_names(lib, list, (int64_t)index, &item)) return false;
    ffi_reading reading = ffi_reading_make(lib, &mem_default);
    ingot_value text = ingot_none();
    if (ffi_to_value(&reading, &item, &text, NULL) == INGOT_OK && text.kind == INGOT_VALUE_STR) {
        *out = pool_str(memory, (str){text.as.text.data, text.as.text.size});
    }
    ffi_reading_end(&reading);
    ffi_release(lib, &item);
    return out->p != NULL;
}

/* All names of tvm-ffi's registry. */
static bool foreign_names(const ffi_library *lib, names *out)
{
    ffi_any list, count;
    if (ffi_call_global(lib, "ffi.FunctionListGlobalNamesFunctor", NULL, 0, &list, NULL) != INGOT_OK) return false;
    bool whole = ask_names(lib, &list, -1, &count) && count.as.integer >= 0;
    if (whole) {
        out->count = (size_t)count.as.integer;
        out->items = pool_array(&out->memory, str, out->count);
        whole = out->items != NULL;
    }
    for (size_t i = 0; whole && i < out->count; ++i) whole = foreign_name(lib, &list, i, &out->memory, &out->items[i]);
    ffi_release(lib, &list);
    return whole;
}

ingot_status ingot_function_list(void (*visit)(void *user, const char *name), void *user)
{
    names all = {.memory = pool_make(&mem_default)};
    const ffi_library *lib = registry_attach();
    bool whole = lib != NULL ? foreign_names(lib, &all) : own_names(&all);
    for (size_t i = 0; whole && i < all.count; ++i) visit(user, all.items[i].p);
    pool_free(&all.memory);
    return whole ? INGOT_OK : INGOT_OUT_OF_MEMORY;
}
