/* Blocks in a doubly linked list, so that each can grow or go on its own. */
#include "cli/pool.h"

#include "cli/verb.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cli_block {
    alignas(max_align_t) cli_block *next;
    cli_block *before;
};

static _Noreturn void out_of_memory(void)
{
    fputs("ingot: error: out of memory\n", stderr);
    exit(CLI_INPUT);
}

static cli_block *block_of(void *ptr)
{
    return (cli_block *)ptr - 1;
}

/* Makes the neighbours (or the pool) point at where the block is now. */
static void link_in(cli_pool *pool, cli_block *block)
{
    if (block->next) block->next->before = block;
    if (block->before)
        block->before->next = block;
    else
        pool->first = block;
}

void *cli_pool_new(cli_pool *pool, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX - sizeof(cli_block)) / size) out_of_memory();
    cli_block *block = calloc(1, sizeof *block + count * size);
    if (!block) out_of_memory();
    block->next = pool->first;
    link_in(pool, block);
    return block + 1;
}

void *cli_pool_resize(cli_pool *pool, void *ptr, size_t size)
{
    if (!ptr) return cli_pool_new(pool, size, 1);
    if (size > SIZE_MAX - sizeof(cli_block)) out_of_memory();
    cli_block *block = realloc(block_of(ptr), sizeof *block + size);
    if (!block) out_of_memory();
    link_in(pool, block);
    return block + 1;
}

char *cli_pool_text(cli_pool *pool, const char *text, size_t size)
{
    if (size == SIZE_MAX) out_of_memory();
    char *copy = cli_pool_new(pool, size + 1, 1);
    if (size) memcpy(copy, text, size);
    return copy;
}

void cli_pool_drop(cli_pool *pool, void *ptr)
{
    if (!ptr) return;
    cli_block *block = block_of(ptr);
    if (block->next) block->next->before = block->before;
    if (block->before)
        block->before->next = block->next;
    else
        pool->first = block->next;
    free(block);
}

void cli_pool_free(cli_pool *pool)
{
    while (pool->first) cli_pool_drop(pool, pool->first + 1);
}
