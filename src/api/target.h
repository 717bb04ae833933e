/* Targets from the inside. */
#ifndef API_TARGET_H
#define API_TARGET_H

#include "ingot/ingot.h"
#include "pass/pass.h"

/* The limits that lowering works with. */
pass_target target_limits(const ingot_target *target);

/* Safe (IEEE) mathematics unless the target asked for "math_mode": "fast". */
bool target_is_fast_math(const ingot_target *target);

#endif
