/* What is for users of Apache TVM alone. Not included by ingot.h, whose rules hold here too. */
#ifndef INGOT_TVM_FFI_H
#define INGOT_TVM_FFI_H

#include "ingot/ingot.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The module as TVM itself exports one: a C source with host functions in plain C, and the kernels as an import of kind "metal"
 * in TVM's bytes, which its runtime launches; libingot has no part in it. INGOT_UNSUPPORTED names what of its host code
 * cannot be written so, INGOT_VALUE a function whose name is no C identifier. */
INGOT_API INGOT_MUST_USE ingot_status ingot_module_export_tvm(const ingot_module *module, ingot_text **out, ingot_error *error);

#ifdef __cplusplus
}
#endif

#endif
