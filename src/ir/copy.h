/* Copying IR into another arena: what is kept lies together, what it was made on the way to can be freed. */
#ifndef IR_COPY_H
#define IR_COPY_H

#include "ir/ir.h"

/* The function, or the attributes, and all that they point to, in `to`, laid out in the order in which passes walk it. The
 * copy shares nothing with the original but static texts. `work` takes what the copying needs itself. */
const ir_func *ir_copy_func(arena *to, arena *work, const ir_func *f);
ir_attrs ir_copy_attrs(arena *to, arena *work, ir_attrs attrs);

#endif
