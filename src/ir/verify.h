/* Well-formedness of IR, checked between passes. */
#ifndef IR_VERIFY_H
#define IR_VERIFY_H

#include "base/diag.h"
#include "ir/ir.h"

/* Checks that every variable and buffer is defined once and before its uses, in scope; that the
 * types of operands, indices, values and arguments agree; that tags and scopes make sense; and each
 * property bit that the module has set. Reports what is broken to `diags`, as internal errors that
 * name the rule and `after` (a pass, or NULL). True where nothing is broken. */
bool ir_verify(arena *mem, diag_list *diags, const ir_module *m, const char *after);

#endif
