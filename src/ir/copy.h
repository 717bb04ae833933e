/* Copying IR into another arena: what is kept lies together, what it was made on the way to can be freed. */
#ifndef IR_COPY_H
#define IR_COPY_H

#include "ir/ir.h"

/* The function, or the module, and all that it points to, in `to`, laid out in the order in which passes walk it. The
 * copy shares nothing with the original but static texts. `work` takes what the copying needs itself. */
const ir_func *ir_copy_func(arena *to, arena *work, const ir_func *f);
const ir_module *ir_copy_module(arena *to, arena *work, const ir_module *m);

#endif
