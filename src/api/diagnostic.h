/* Diagnostics handed to the caller's hook. */
#ifndef API_DIAGNOSTIC_H
#define API_DIAGNOSTIC_H

#include "base/diag.h"
#include "ingot/ingot.h"

/* Where diagnostics go. */
typedef struct diagnostic_hook {
    void (*fn)(void *user, const ingot_diagnostic *diagnostic); /* NULL: nowhere */
    void *user;
    bool colour;
} diagnostic_hook;

/* Hands one on with its whole rendering. False when memory runs out. */
bool diagnostic_report(const diag_list *diags, const diag *d, const ingot_allocator *mem, const diagnostic_hook *hook);

#endif
