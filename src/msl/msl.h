/* Metal Shading Language from a lowered kernel. */
#ifndef MSL_MSL_H
#define MSL_MSL_H

#include "base/diag.h"
#include "ir/ir.h"

/* One kernel's text, complete by itself. */
typedef struct msl_kernel {
    str name;   /* by which the host finds it: the IR's name, whatever MSL calls it */
    str source; /* a whole MSL file */
} msl_kernel;

/* Emits a function of kind KERNEL from a module with the property IR_MSL_READY. What Metal lacks is
 * reported with its place; false then. Jumps when out of memory. */
bool msl_emit(arena *mem, const ir_func *kernel, diag_list *diags, msl_kernel *out);

#endif
