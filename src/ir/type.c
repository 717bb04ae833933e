/* Element types of the IR: the arithmetic of base/dtype.h under the IR's own struct. */
#include "ir/type.h"

#include "base/dtype.h"

static DLDataType as_dtype(ir_type t)
{
    return (DLDataType){t.code, t.bits, t.lanes};
}

const num_format *ir_type_format(ir_type t)
{
    return dtype_format(as_dtype(t));
}

bool ir_type_parse(str text, ir_type *out)
{
    DLDataType t;
    if (!dtype_parse(text, &t)) return false;
    *out = (ir_type){t.code, t.bits, t.lanes};
    return true;
}

const char *ir_type_print(ir_type t, char *out)
{
    return dtype_print(as_dtype(t), out);
}

int64_t ir_type_min(ir_type t)
{
    return dtype_min(as_dtype(t));
}

int64_t ir_type_max(ir_type t)
{
    return dtype_max(as_dtype(t));
}

int64_t ir_type_wrap(ir_type t, int64_t value)
{
    return dtype_wrap(as_dtype(t), value);
}

double ir_type_round(ir_type t, double value)
{
    return dtype_round(as_dtype(t), value);
}
