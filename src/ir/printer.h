/* What the files of the printer share. */
#ifndef IR_PRINTER_H
#define IR_PRINTER_H

#include "base/map.h"
#include "ir/print.h"

typedef struct printer {
    arena *mem;
    buf *out;
    map names;  /* ir_var or ir_buffer -> str *, as printed */
    map taken;  /* printed text -> str *, whoever has it */
    map series; /* name -> size_t *, the last number appended to it */
    map owners; /* data pointer -> ir_buffer whose .data it is */
} printer;

/* An empty printer: Python's words are taken. */
printer printer_make(arena *mem, buf *out);

/* The unique name of a variable or buffer, given at its first mention. */
str printer_var(printer *p, const ir_var *v);
str printer_buffer(printer *p, const ir_buffer *b);

/* The buffer's own pointer is from now on written as <buffer>.data. */
void printer_own(printer *p, const ir_buffer *b);

/* A pointer variable: its name, or <buffer>.data. */
void print_pointer(printer *p, const ir_var *v);

/* An expression that stands where operators binding tighter than `prec` need no parentheses; 0:
 * anywhere. */
void print_expr(printer *p, const ir_node *n, int prec);
/* Separated by ", ". */
void print_exprs(printer *p, ir_list list);
/* "(a, b)", with the comma that makes a tuple of one. */
void print_tuple(printer *p, ir_list list);
/* A[i, j], A[()]. */
void print_access(printer *p, const ir_buffer *b, ir_list index);
/* A[0:16, vi], a region of a buffer. */
void print_region(printer *p, const ir_region *r);
/* A Python string literal. */
void print_string(printer *p, str text);
/* T.float32 or T.handle("float32", "global"), a type as an annotation. */
void print_type(printer *p, ir_type type);
void print_pointer_type(printer *p, const ir_var *v);
/* "key": value, with True and False for bools. */
void print_attr_entry(printer *p, ir_attr_entry entry);
/* {"key": value, ...} */
void print_attrs(printer *p, ir_attrs attrs);

#endif
