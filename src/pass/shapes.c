/* Dimensions of parameters as the analyzer sees them. */
#include "pass/shapes.h"

void know_shapes(ir_analyzer *az, const ir_func *f)
{
    for (size_t i = 0; i < f->param_count; ++i) {
        const ir_buffer *b = f->params[i].buffer;
        for (size_t k = 0; b != NULL && k < b->shape.n; ++k) {
            if (b->shape.at[k]->kind != IR_VAR) continue;
            ir_analyzer_bind_range(az, ir_as_var_ref(b->shape.at[k])->var, 0, IR_POS_INF);
        }
    }
}
