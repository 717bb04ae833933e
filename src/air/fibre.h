/* Fibres: stacks that take turns on one thread. */
#ifndef AIR_FIBRE_H
#define AIR_FIBRE_H

#include <stdbool.h>
#include <stddef.h>

/* Where a fibre stopped: its saved stack pointer (with the assembly switch), or an ucontext_t. */
typedef struct air_fibre {
    void *at;
    void *context; /* of the portable switch */
} air_fibre;

/* Prepares a fibre that runs body(user) on the stack; body must not return, but switch away for good. `context` has room
 * for air_fibre_context_bytes(). */
void air_fibre_prepare(air_fibre *f, void *stack, size_t size, void *context, void (*body)(void *user), void *user);
size_t air_fibre_context_bytes(void);

/* Stops here, to go on when somebody switches back to `from`, and goes on with `to`. */
void air_fibre_switch(air_fibre *from, air_fibre *to);

#endif
