/* Memory of one run of the command: everything is given back at its end. */
#ifndef CLI_POOL_H
#define CLI_POOL_H

#include <stddef.h>

typedef struct cli_block cli_block;

/* All zero is an empty pool. One thread. */
typedef struct cli_pool {
    cli_block *first;
} cli_pool;

/* Zeroed bytes for `count` items. Never NULL: out of memory ends the command with a message and
 * exit code 1. */
void *cli_pool_new(cli_pool *pool, size_t count, size_t size);

/* Resizes what the pool gave (NULL: new bytes); new bytes are not zeroed. Never NULL. */
void *cli_pool_resize(cli_pool *pool, void *ptr, size_t size);

/* A NUL-terminated copy. */
char *cli_pool_text(cli_pool *pool, const char *text, size_t size);

/* Gives one block back early (NULL is fine), or all of them. */
void cli_pool_drop(cli_pool *pool, void *ptr);
void cli_pool_free(cli_pool *pool);

#endif
