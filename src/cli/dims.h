/* The dimensions of a parameter as whole numbers: "1024", "n", "(n + 31) // 32". */
#ifndef CLI_DIMS_H
#define CLI_DIMS_H

#include "cli/bytes.h"

#include <stdbool.h>
#include <stdint.h>

/* The names of dimensions that are known so far. */
typedef struct cli_dims {
    cli_pool *pool;
    struct cli_dim {
        const char *name;
        int64_t value;
    } * items;
    size_t count;
} cli_dims;

/* The name's value; false where it is not known. */
bool cli_dims_get(const cli_dims *dims, const char *name, int64_t *value);

/* Makes the name known. False where it is already, with another value (then *old). */
bool cli_dims_set(cli_dims *dims, const char *name, int64_t value, int64_t *old);

/* True for a text that is a name alone. */
bool cli_dim_is_name(const char *text);

/* True where the name stands in the dimension's text. */
bool cli_dim_mentions(const char *text, const char *name);

typedef enum cli_dim_result { CLI_DIM_OK, CLI_DIM_UNKNOWN, CLI_DIM_BAD } cli_dim_result;

/* The value of a dimension: numbers, names, + - * // %, unary minus, parentheses, min() and max().
 * UNKNOWN: *missing is the first name that is not known. BAD: not such an expression, a division
 * by zero or an overflow. */
cli_dim_result cli_dim_value(const cli_dims *dims, const char *text, int64_t *value,
                             const char **missing);

#endif
