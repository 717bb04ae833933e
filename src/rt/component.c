/* Opening the optional component libingot-air: where it is looked for, and what is said where it is not. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr */
#endif
#include "rt/component.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define FILE_NAME "libingot-air.so"
#define ADVICE                                                                                                         \
    "install LLVM 15 with its headers (Debian: apt-get install llvm-15-dev; 14 and 16 will do too) and build Ingot again"

enum { LONGEST_PATH = 4096 };

typedef const air_component *(*entry_fn)(void);

/* The folder of the file that this code lies in, with its slash; false where it has none. */
static bool own_folder(char *out)
{
    /* a function's address as data: POSIX has it so */
    const air_component *(*self)(ingot_error *) = rt_component;
    const void *address;
    memcpy(&address, &self, sizeof address);
    Dl_info info;
    if (dladdr(address, &info) == 0 || info.dli_fname == NULL) return false;
    const char *slash = strrchr(info.dli_fname, '/');
    if (slash == NULL || (size_t)(slash - info.dli_fname) + 2 > LONGEST_PATH) return false;
    memcpy(out, info.dli_fname, (size_t)(slash - info.dli_fname) + 1);
    out[slash - info.dli_fname + 1] = '\0';
    return true;
}

static void *open_near(const char *folder, const char *below)
{
    char path[LONGEST_PATH + 64];
    if (snprintf(path, sizeof path, "%s%s" FILE_NAME, folder, below) >= (int)sizeof path) return NULL;
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void *open_anywhere(const char *given)
{
    if (given != NULL && given[0] != '\0') return dlopen(given, RTLD_NOW | RTLD_LOCAL);
    char folder[LONGEST_PATH];
    void *found = NULL;
    if (own_folder(folder)) {
        found = open_near(folder, "");
        if (found == NULL) found = open_near(folder, "../lib/");
    } else {
        found = open_near("/proc/self/exe/../", ""); /* a command found by PATH */
    }
    return found != NULL ? found : dlopen(FILE_NAME, RTLD_NOW | RTLD_LOCAL);
}

const air_component *rt_component(ingot_error *error)
{
    const char *given = getenv("INGOT_AIR");
    void *library = open_anywhere(given);
    if (library == NULL) {
        if (given != NULL && given[0] != '\0')
            error_set(error, INGOT_UNSUPPORTED, "the AIR component named by INGOT_AIR cannot be opened: %s", dlerror());
        else
            error_set(error, INGOT_UNSUPPORTED, "this needs the AIR component (" FILE_NAME "), which is not here: " ADVICE);
        return NULL;
    }
    void *symbol = dlsym(library, AIR_ENTRY);
    entry_fn entry = NULL;
    memcpy(&entry, &symbol, sizeof entry);
    const air_component *c = entry != NULL ? entry() : NULL;
    if (c == NULL || c->interface != AIR_INTERFACE || strcmp(c->version, INGOT_VERSION) != 0) {
        error_set(error, INGOT_UNSUPPORTED,
                  "the AIR component found belongs to another build of Ingot (version %s, this is %s): build both together",
                  c != NULL ? c->version : "unknown", INGOT_VERSION);
        (void)dlclose(library);
        return NULL;
    }
    return c;
}
