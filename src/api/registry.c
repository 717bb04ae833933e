/* The registry of named functions: the one piece of process-wide state.
 *
 * A mutex guards the table; no lock is held while a function runs or is dropped. A function lives
 * until its last user lets go, so replacing one while another thread calls it is safe. */
#include <pthread.h>
#include <stdatomic.h>

#include "api/value.h"
#include "base/error.h"

struct ingot_function {
    atomic_size_t references;
    ingot_function_fn fn;
    void *user;
    void (*drop)(void *user);
};

typedef struct entry {
    char *name;
    ingot_function *function;
} entry;

static struct {
    pthread_mutex_t lock;
    entry *entries; /* in order of registration */
    size_t n, cap;
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER};

void ingot_function_release(ingot_function *function)
{
    if (function == NULL || atomic_fetch_sub(&function->references, 1) != 1) return;
    if (function->drop != NULL) function->drop(function->user);
    mem_free(&mem_default, function, sizeof *function);
}

/* Index of a name, or registry.n; under the lock. */
static size_t find(const char *name)
{
    size_t i = 0;
    while (i < registry.n && strcmp(registry.entries[i].name, name) != 0) ++i;
    return i;
}

/* Appends under the lock; false when out of memory. */
static bool append(const char *name, ingot_function *function)
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
    registry.entries[registry.n++] = (entry){.name = copy, .function = function};
    return true;
}

/* Puts the function in; what it replaced comes back in *old. */
static ingot_status insert(const char *name, ingot_function *function, bool override, ingot_function **old)
{
    size_t i = find(name);
    if (i == registry.n) return append(name, function) ? INGOT_OK : INGOT_OUT_OF_MEMORY;
    if (!override) return INGOT_EXISTS;
    *old = registry.entries[i].function;
    registry.entries[i].function = function;
    return INGOT_OK;
}

ingot_status ingot_function_register(const char *name, ingot_function_fn fn, void *user, void (*drop)(void *user),
                                     int override, ingot_error *error)
{
    if (name == NULL || name[0] == '\0' || fn == NULL) {
        return error_set(error, INGOT_INVALID_ARGUMENT, "a function needs a name and a pointer");
    }
    ingot_function *function = mem_zeroed(&mem_default, 1, sizeof *function);
    if (function == NULL) return error_no_memory(error);
    atomic_init(&function->references, 1);
    function->fn = fn;
    function->user = user;
    ingot_function *old = NULL;
    pthread_mutex_lock(&registry.lock);
    ingot_status s = insert(name, function, override != 0, &old);
    /* Only a function that got in may drop its user's data: after a refusal it is still the caller's. */
    if (s == INGOT_OK) function->drop = drop;
    pthread_mutex_unlock(&registry.lock);
    ingot_function_release(old);
    if (s == INGOT_OK) return error_none(error);
    ingot_function_release(function);
    if (s == INGOT_OUT_OF_MEMORY) return error_no_memory(error);
    return error_set(error, s, "Global Function `%s` is already registered", name);
}

ingot_status ingot_function_remove(const char *name, ingot_error *error)
{
    if (name == NULL) return error_set(error, INGOT_INVALID_ARGUMENT, "no name given");
    entry gone = {0};
    pthread_mutex_lock(&registry.lock);
    size_t i = find(name);
    if (i < registry.n) {
        gone = registry.entries[i];
        memmove(&registry.entries[i], &registry.entries[i + 1], (registry.n - i - 1) * sizeof gone);
        --registry.n;
    }
    if (registry.n == 0) {
        mem_free(&mem_default, registry.entries, registry.cap * sizeof gone);
        registry.entries = NULL;
        registry.cap = 0;
    }
    pthread_mutex_unlock(&registry.lock);
    if (gone.name == NULL) return error_set(error, INGOT_NOT_FOUND, "no function `%s` is registered", name);
    mem_free(&mem_default, gone.name, strlen(gone.name) + 1);
    ingot_function_release(gone.function);
    return error_none(error);
}

ingot_status ingot_function_get(const char *name, ingot_function **out, ingot_error *error)
{
    *out = NULL;
    if (name == NULL) return error_set(error, INGOT_INVALID_ARGUMENT, "no name given");
    pthread_mutex_lock(&registry.lock);
    size_t i = find(name);
    if (i < registry.n) {
        *out = registry.entries[i].function;
        atomic_fetch_add(&(*out)->references, 1);
    }
    pthread_mutex_unlock(&registry.lock);
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

ingot_status ingot_function_list(void (*visit)(void *user, const char *name), void *user)
{
    pool names = pool_make(&mem_default);
    pthread_mutex_lock(&registry.lock);
    size_t n = registry.n;
    str *copies = pool_array(&names, str, n);
    bool whole = copies != NULL;
    for (size_t i = 0; whole && i < n; ++i) {
        copies[i] = pool_str(&names, str_of(registry.entries[i].name));
        whole = copies[i].p != NULL;
    }
    pthread_mutex_unlock(&registry.lock);
    for (size_t i = 0; whole && i < n; ++i) visit(user, copies[i].p);
    pool_free(&names);
    return whole ? INGOT_OK : INGOT_OUT_OF_MEMORY;
}
