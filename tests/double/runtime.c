/* Objects, references, pools and classes of the double, and the runtime's functions over them. */
#define _XOPEN_SOURCE 700 /* recursive mutexes */

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "object.h"
#include "send.h"

double_state state;
static pthread_mutex_t lock;
static pthread_once_t lock_once = PTHREAD_ONCE_INIT;
static char *journal;
static size_t journal_size;
static unsigned pools_open;

static void make_lock(void)
{
    pthread_mutexattr_t how;
    pthread_mutexattr_init(&how);
    pthread_mutexattr_settype(&how, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &how);
    pthread_mutexattr_destroy(&how);
}

void enter(void)
{
    pthread_once(&lock_once, make_lock);
    pthread_mutex_lock(&lock);
    if (state.devices == NULL) double_setup(NULL);
}

void leave(void)
{
    pthread_mutex_unlock(&lock);
}

void *grab(size_t count, size_t size)
{
    void *p = calloc(count != 0 ? count : 1, size != 0 ? size : 1);
    if (p == NULL) abort();
    return p;
}

char *copy_text(const char *text)
{
    size_t n = strlen(text) + 1;
    return memcpy(grab(n, 1), text, n);
}

void complain(const char *format, ...)
{
    char line[512];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    size_t n = strlen(line);
    journal = realloc(journal, journal_size + n + 2);
    if (journal == NULL) abort();
    memcpy(journal + journal_size, line, n);
    memcpy(journal + journal_size + n, "\n", 2);
    journal_size += n + 1;
}

bool fails(double_fault fault)
{
    if (state.fault != fault || state.fault_in == 0 || --state.fault_in != 0) return false;
    state.fault = DOUBLE_NO_FAULT;
    return true;
}

/* ---- Objects ----------------------------------------------------------------------------------------------- */

/* All that were made since the setup, so that a pointer can be judged before it is looked behind. */
static object **known;
static size_t known_slots, known_count;

static size_t place(const object *o)
{
    size_t at = (size_t)(((uint64_t)(uintptr_t)o * 0x9E3779B97F4A7C15u) >> 20) & (known_slots - 1);
    while (known[at] != NULL && known[at] != o) at = (at + 1) & (known_slots - 1);
    return at;
}

static void know(object *o)
{
    if ((known_count + 1) * 2 > known_slots) {
        object **old = known;
        size_t count = known_slots;
        known_slots = count == 0 ? 1024 : count * 2;
        known = grab(known_slots, sizeof *known);
        for (size_t i = 0; i < count; ++i) {
            if (old[i] != NULL) known[place(old[i])] = old[i];
        }
        free(old);
    }
    known[place(o)] = o;
    ++known_count;
}

const class_info *find_class(const char *name)
{
    for (size_t i = 0; i < class_count; ++i) {
        if (strcmp(classes[i]->name, name) == 0) return classes[i];
    }
    return NULL;
}

object *make(const char *class_name)
{
    object *o = grab(1, sizeof *o);
    o->class = find_class(class_name);
    if (o->class == NULL) abort();
    o->references = 1;
    o->next = state.objects;
    state.objects = o;
    know(o);
    return o;
}

bool is_alive(const object *o, const char *where)
{
    if (known_slots == 0 || known[place(o)] == NULL) complain("%s: %p is no object", where, (const void *)o);
    else if (o->is_dead) complain("%s: a %s (%s) is used after its last release", where, o->class->name, o->label != NULL ? o->label : "no label");
    else return true;
    return false;
}

bool is_a(const object *o, const char *class_name)
{
    return strcmp(o->class->name, class_name) == 0;
}

object *retain(object *o)
{
    if (o != NULL && !o->is_class && !o->is_immortal) ++o->references;
    return o;
}

/* The shell stays, so that later uses are noticed. */
static void end_life(object *o)
{
    if (o->draft != NULL) drop_encoder(o);
    if (is_a(o, "MTLCommandBuffer")) free_commands(o);
    o->is_dead = true;
    for (size_t i = 0; i < sizeof o->held / sizeof o->held[0]; ++i) hold(&o->held[i], NULL);
    for (size_t i = 0; o->items != NULL && i < o->size; ++i) release(o->items[i]);
    emu_library_free(o->library);
    o->library = NULL;
    free(o->items);
    free(o->bytes);
    free(o->text);
    o->items = NULL;
    o->bytes = NULL;
    o->text = NULL;
}

void release(object *o)
{
    if (o == NULL || o->is_class || o->is_immortal) return;
    if (--o->references == 0) end_life(o);
}

void hold(object **slot, object *o)
{
    object *old = *slot;
    *slot = retain(o);
    release(old);
}

static void forget_all(void)
{
    for (object *o = state.objects, *next; o != NULL; o = next) {
        next = o->next;
        emu_library_free(o->library);
        free(o->items);
        free(o->bytes);
        free(o->text);
        free(o->label);
        free(o);
    }
    free(known);
    known = NULL;
    known_slots = known_count = 0;
    state.objects = NULL;
}

/* ---- Pools --------------------------------------------------------------------------------------------------- */

typedef struct pool_entry {
    struct pool_entry *below;
    object *o; /* NULL: a pool begins here */
} pool_entry;

static __thread pool_entry *pool_top;

static void pool_add(object *o)
{
    pool_entry *e = grab(1, sizeof *e);
    e->o = o;
    e->below = pool_top;
    pool_top = e;
}

object *autorelease(object *o)
{
    if (o == NULL || o->is_class || o->is_immortal) return o;
    if (pool_top == NULL) complain("a %s is autoreleased with no pool in place", o->class->name);
    else pool_add(o);
    return o;
}

DOUBLE_API void *objc_autoreleasePoolPush(void);
DOUBLE_API void *objc_autoreleasePoolPush(void)
{
    enter();
    pool_add(NULL);
    ++pools_open;
    void *token = pool_top;
    leave();
    return token;
}

DOUBLE_API void objc_autoreleasePoolPop(void *token);
DOUBLE_API void objc_autoreleasePoolPop(void *token)
{
    enter();
    bool ours = false;
    for (pool_entry *e = pool_top; e != NULL && !ours; e = e->below) ours = e == token;
    if (!ours) complain("a pool is drained that this thread has not got");
    for (bool done = !ours; !done;) {
        pool_entry *e = pool_top;
        pool_top = e->below;
        done = e == token;
        if (e->o != NULL) release(e->o);
        else if (!done) complain("an outer pool is drained before an inner one");
        if (e->o == NULL) --pools_open;
        free(e);
    }
    leave();
}

DOUBLE_API object *objc_retain(object *o);
DOUBLE_API object *objc_retain(object *o)
{
    enter();
    if (o != NULL && is_alive(o, "objc_retain")) retain(o);
    leave();
    return o;
}

DOUBLE_API void objc_release(object *o);
DOUBLE_API void objc_release(object *o)
{
    enter();
    if (o != NULL && is_alive(o, "objc_release")) release(o);
    leave();
}

/* ---- Classes and selectors ------------------------------------------------------------------------------------- */

DOUBLE_API object *objc_getClass(const char *name);
DOUBLE_API object *objc_getClass(const char *name)
{
    enter();
    const class_info *class = find_class(name);
    object *o = NULL;
    if (class == NULL || !class->by_name) complain("there is no class %s", name);
    else if (!class->recent || !state.options.old) {
        for (o = state.objects; o != NULL && !(o->is_class && o->class == class);) o = o->next;
        if (o == NULL) {
            o = make(name);
            o->is_class = true;
        }
    }
    leave();
    return o;
}

/* ---- For tests -------------------------------------------------------------------------------------------------- */

static object info_key;
object *MTLCommandBufferEncoderInfoErrorKey = &info_key;

void double_setup(const double_options *options)
{
    pthread_once(&lock_once, make_lock);
    pthread_mutex_lock(&lock);
    forget_all();
    free(state.devices);
    free(journal);
    journal = NULL;
    journal_size = 0;
    state = (double_state){.clock = 1000000};
    if (options != NULL) state.options = *options;
    if (state.options.devices == 0) state.options.devices = 1;
    reset_counts();
    info_key = (object){.class = find_class("NSString"), .references = 1, .is_immortal = true};
    know(&info_key);
    state.devices = grab((size_t)state.options.devices, sizeof *state.devices);
    for (int i = 0; i < state.options.devices; ++i) {
        char label[32];
        state.devices[i] = make("MTLDevice");
        state.devices[i]->is_immortal = true;
        state.devices[i]->number[0] = 4294967296 + i;
        snprintf(label, sizeof label, "Test double GPU %d", i);
        state.devices[i]->text = copy_text(label);
    }
    pthread_mutex_unlock(&lock);
}

void double_inject(double_fault fault, unsigned n)
{
    enter();
    state.fault = fault;
    state.fault_in = n;
    leave();
}

const char *double_report(void)
{
    enter();
    static char *text;
    free(text);
    size_t kept = journal_size;
    for (const object *o = state.objects; o != NULL; o = o->next) {
        if (o->is_dead || o->is_class || o->is_immortal) continue;
        complain("alive at the end, with %d references: a %s (%s)", o->references, o->class->name, o->label != NULL ? o->label : "no label");
    }
    if (pools_open != 0) complain("%u pools are not drained", pools_open);
    if (state.captures != 0) complain("a capture was not stopped");
    text = copy_text(journal != NULL ? journal : "");
    journal_size = kept; /* what is alive now may be gone at the next report */
    if (journal != NULL) journal[kept] = '\0';
    leave();
    return text;
}

const char *double_compile_options(void)
{
    return state.compile_options;
}

void *double_foreign_buffer(size_t length, int private_storage)
{
    enter();
    object *o = make("MTLBuffer");
    o->bytes = grab(length, 1);
    o->size = length;
    o->number[NUMBER_STORAGE] = private_storage ? 2 : 0;
    o->label = copy_text("of another library");
    o->held[HELD_DEVICE] = state.devices[0];
    leave();
    return o;
}

void double_drop(void *o)
{
    objc_release(o);
}

int double_references(void *o)
{
    return ((const object *)o)->references;
}

/* A program that ends with faults noted, or objects left over, has failed, whatever it computed. */
__attribute__((destructor)) static void last_word(void)
{
    if (state.devices == NULL) return;
    const char *text = double_report();
    if (text[0] == '\0') return;
    fprintf(stderr, "the double of Metal complains:\n%s", text);
    fflush(stderr);
    _Exit(97);
}
