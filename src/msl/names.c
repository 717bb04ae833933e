/* Identifiers: any user's name becomes one that MSL accepts and that nothing else has. */
#include <stdlib.h>

#include "msl/emitter.h"

/* Words that a user's name must not be: of C++14, of Metal, of its standard library as far as the
 * emitter or a reader would take them for the library's, and of the emitter itself. In strcmp order
 * (the search is binary; a test checks the order). */
static const char *const reserved[] = {
#define MSL_WORD(word) #word,
#include "msl/words.def"
#undef MSL_WORD
};

static int compare(const void *key, const void *item)
{
    const char *const *word = item;
    return strcmp(key, *word);
}

static bool is_reserved(const char *name)
{
    return bsearch(name, reserved, sizeof reserved / sizeof *reserved, sizeof *reserved, compare) != NULL;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Every character that no identifier can hold becomes '_'; "__" and a leading '_' belong to the
 * implementation in C++, a digit cannot lead. */
static str sanitise(arena *mem, str name)
{
    char *p = arena_alloc(mem, name.n + 3);
    size_t n = 0;
    if (name.n == 0 || !is_word(name.p[0]) || name.p[0] == '_' || (name.p[0] >= '0' && name.p[0] <= '9')) {
        p[n++] = 'v';
    }
    for (size_t i = 0; i < name.n; ++i) {
        char c = is_word(name.p[i]) ? name.p[i] : '_';
        if (c == '_' && n != 0 && p[n - 1] == '_') continue;
        p[n++] = c;
    }
    p[n] = '\0';
    return (str){p, n};
}

/* The first of base_1, base_2 ... that is free: a thousand loops over `i` must not each count from 1. */
static str numbered(emitter *e, str base)
{
    unsigned *last = map_get(&e->series, base);
    if (last == NULL) {
        last = arena_new(e->mem, unsigned);
        map_put(e->mem, &e->series, base, last);
    }
    bool joined = base.n != 0 && base.p[base.n - 1] == '_';
    str name;
    do name = str_format(e->mem, joined ? "%s%u" : "%s_%u", base.p, ++*last);
    while (is_reserved(name.p) || map_get(&e->taken, name) != NULL);
    return name;
}

const char *msl_fresh_name(emitter *e, str wanted)
{
    str name = sanitise(e->mem, wanted);
    if (is_reserved(name.p) || map_get(&e->taken, name) != NULL) name = numbered(e, name);
    map_put(e->mem, &e->taken, name, name.p);
    return name.p;
}

const char *msl_var_name(emitter *e, const ir_var *v)
{
    const char *known = map_get_id(&e->names, v);
    if (known != NULL) return known;
    const char *name = msl_fresh_name(e, v->name);
    map_put_id(e->mem, &e->names, v, name);
    return name;
}
