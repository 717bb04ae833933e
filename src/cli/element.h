/* One element of an array: its value, its text, its rounding. */
#ifndef CLI_ELEMENT_H
#define CLI_ELEMENT_H

#include "ingot/ingot.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum cli_element_class {
    CLI_ELEMENT_NONE,
    CLI_ELEMENT_INT,
    CLI_ELEMENT_UINT,
    CLI_ELEMENT_FLOAT
} cli_element_class;

/* How the elements of a dtype are read; a bool is an unsigned integer. */
typedef struct cli_element {
    cli_element_class class; /* NONE: the command cannot read this dtype */
    unsigned bytes;          /* 1, 2, 4 or 8 */
    /* FLOAT of 1 or 2 bytes: */
    int exponent, mantissa, bias;
    bool infinities; /* the top exponent holds infinity and NaN; else only all ones is NaN */
    bool negative_zero_is_nan;
} cli_element;

cli_element cli_element_of(DLDataType dtype);

/* The i-th element as a double (exact for floats), or as an integer of its class. */
double cli_element_real(const cli_element *e, const void *data, size_t i);
int64_t cli_element_int(const cli_element *e, const void *data, size_t i);
uint64_t cli_element_uint(const cli_element *e, const void *data, size_t i);

/* Stores the nearest value, ties to even (FLOAT; past the largest: infinity, NaN where the format
 * has none), or the whole number modulo the type's range (others). */
void cli_element_set_real(const cli_element *e, void *data, size_t i, double value);
void cli_element_set_int(const cli_element *e, void *data, size_t i, uint64_t value);

/* The shortest text that reads back as the same element; "inf", "-inf", "nan". */
enum { CLI_ELEMENT_TEXT = 40 };
void cli_element_print(const cli_element *e, const void *data, size_t i,
                       char out[CLI_ELEMENT_TEXT]);

/* The shortest text that reads back as the same double. */
void cli_real_print(double value, char out[CLI_ELEMENT_TEXT]);

#endif
