/* Bump arena with one out-of-memory door. */
#include "base/arena.h"

#include <stdint.h>
#include <string.h>

enum { FIRST_BLOCK = 16 * 1024, LAST_BLOCK = 1024 * 1024 };

struct arena_block {
    arena_block *older;
    size_t size; /* of the whole block, this header included */
    _Alignas(max_align_t) char bytes[];
};

void arena_init(arena *a, const ingot_allocator *mem)
{
    memset(a, 0, sizeof *a);
    a->mem = mem_or_default(mem);
}

static void pop_block(arena *a)
{
    arena_block *b = a->block;
    a->block = b->older;
    a->total -= b->size;
    mem_free(a->mem, b, b->size);
}

static void free_inner(arena *a)
{
    for (arena *i = a->inner; i != NULL; i = i->beside) arena_free(i);
    a->inner = NULL;
}

void arena_free(arena *a)
{
    free_inner(a);
    while (a->block != NULL) pop_block(a);
    a->at = a->end = NULL;
}

static _Noreturn void out_of_memory(arena *a)
{
    while (a->outer != NULL) a = a->outer;
    longjmp(a->door, 1);
}

static void push_block(arena *a, size_t need)
{
    size_t size = a->total < FIRST_BLOCK ? FIRST_BLOCK : a->total < LAST_BLOCK ? a->total : LAST_BLOCK;
    size_t least;
    if (!size_add(need, sizeof(arena_block), &least)) out_of_memory(a);
    if (size < least) size = least;
    arena_block *b = mem_alloc(a->mem, size);
    if (b == NULL) out_of_memory(a);
    b->older = a->block;
    b->size = size;
    a->block = b;
    a->total += size;
    a->at = b->bytes;
    a->end = (char *)b + size;
}

static size_t rounded_up(size_t size)
{
    size_t const unit = _Alignof(max_align_t);
    return size == 0 ? unit : (size + unit - 1) / unit * unit;
}

void *arena_alloc(arena *a, size_t size)
{
    if (size > SIZE_MAX - _Alignof(max_align_t)) out_of_memory(a);
    size_t rounded = rounded_up(size);
    if (a->at == NULL || (size_t)(a->end - a->at) < rounded) push_block(a, rounded);
    void *p = a->at;
    a->at += rounded;
    return p;
}

void *arena_grow(arena *a, void *from, size_t size, size_t count, size_t item)
{
    size_t total;
    if (!size_mul(count, item, &total) || total > SIZE_MAX - _Alignof(max_align_t)) out_of_memory(a);
    bool last = from != NULL && (char *)from + rounded_up(size) == a->at;
    if (last && (size_t)(a->end - (char *)from) >= rounded_up(total)) {
        a->at = (char *)from + rounded_up(total);
        return from;
    }
    void *p = arena_alloc(a, total);
    if (size != 0) memcpy(p, from, size);
    return p;
}

void *arena_zeroed(arena *a, size_t count, size_t size)
{
    size_t total;
    if (!size_mul(count, size, &total)) out_of_memory(a);
    return memset(arena_alloc(a, total), 0, total);
}

void *arena_copy(arena *a, const void *from, size_t size)
{
    void *p = arena_alloc(a, size);
    if (size != 0) memcpy(p, from, size);
    return p;
}

arena_mark arena_save(const arena *a)
{
    return (arena_mark){.block = a->block, .at = a->at, .end = a->end};
}

void arena_restore(arena *a, arena_mark mark)
{
    while (a->block != mark.block) pop_block(a);
    a->at = mark.at;
    a->end = mark.end;
}

arena *arena_scratch(arena *outer)
{
    arena *a = arena_new(outer, arena);
    *a = (arena){.mem = outer->mem, .outer = outer, .beside = outer->inner};
    outer->inner = a;
    return a;
}

void arena_reset(arena *a)
{
    free_inner(a);
    arena_block *kept = a->block;
    if (kept == NULL) return;
    a->block = kept->older;
    while (a->block != NULL) pop_block(a);
    kept->older = NULL;
    a->block = kept;
    a->at = kept->bytes;
}

bool arena_guard(arena *a, void (*body)(void *user), void *user)
{
    a->guarded = true;
    bool whole = false;
    if (setjmp(a->door) == 0) {
        body(user);
        whole = true;
    }
    a->guarded = false;
    return whole;
}

static void *hook_resize(void *user, void *ptr, size_t old_size, size_t new_size)
{
    arena *a = user;
    if (new_size == 0) return NULL;
    if (new_size <= old_size) return ptr;
    void *p = arena_alloc(a, new_size);
    if (old_size != 0) memcpy(p, ptr, old_size);
    return p;
}

ingot_allocator arena_hook(arena *a)
{
    return (ingot_allocator){.resize = hook_resize, .user = a};
}
