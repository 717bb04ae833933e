/* Bump arena: everything made during a compile lives in one and dies with it. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/alloc.h"

typedef struct arena_block arena_block;

/* One thread at a time. Made by arena_init, emptied by arena_free. */
typedef struct arena arena;
struct arena {
    const ingot_allocator *mem;
    arena_block *block; /* newest first */
    char *at, *end;     /* free bytes of the newest block */
    size_t total;       /* bytes held from the hook */
    bool guarded;
    jmp_buf door;  /* where running out of memory leads; valid while guarded */
    arena *outer;  /* of a scratch arena: whose guard it shares */
    arena *inner;  /* scratch arenas of this one ... */
    arena *beside; /* ... which are a list */
};

/* A place to fall back to: see arena_save. */
typedef struct arena_mark {
    arena_block *block;
    char *at, *end;
} arena_mark;

void arena_init(arena *a, const ingot_allocator *mem);
void arena_free(arena *a);

/* `size` bytes, aligned for any type, uninitialised. Never NULL: out of memory jumps to the guard.
 * Must be called under arena_guard. */
void *arena_alloc(arena *a, size_t size);

/* Room for `count` items of `item` bytes each, the first `size` bytes being those at `from` (NULL: none): in place where
 * that was the arena's newest memory, else a copy. What follows those bytes is not set. */
void *arena_grow(arena *a, void *from, size_t size, size_t count, size_t item);

/* The same, zeroed, for an array whose size may overflow (which counts as out of memory). */
void *arena_zeroed(arena *a, size_t count, size_t size);

void *arena_copy(arena *a, const void *from, size_t size);

#define arena_new(a, T) ((T *)arena_zeroed((a), 1, sizeof(T)))
#define arena_array(a, T, n) ((T *)arena_zeroed((a), (n), sizeof(T)))

/* Marks the arena; arena_restore frees all that was allocated since. */
arena_mark arena_save(const arena *a);
void arena_restore(arena *a, arena_mark mark);

/* A second arena for what is made on the way to something in `outer`: of the same hook, under the same guard, and
 * freed with it at the latest. It lies in `outer`, which must not be restored to a mark before it. */
arena *arena_scratch(arena *outer);

/* Frees all that was allocated, but keeps the newest block to be used again. */
void arena_reset(arena *a);

/* Runs body(user); true when it returned, false when memory ran out inside it. The arena is
 * usable (and must be freed) in both cases. Guards of one arena do not nest. */
bool arena_guard(arena *a, void (*body)(void *user), void *user);

/* An allocator over the arena (frees nothing, jumps when out of memory), so that containers
 * written for an allocator can live in an arena. Valid as long as the arena. */
ingot_allocator arena_hook(arena *a);

#endif
