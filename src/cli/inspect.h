/* What `ingot inspect` says of a module. */
#ifndef CLI_INSPECT_H
#define CLI_INSPECT_H

#include "cli/json.h"
#include "cli/verb.h"

/* The functions and kernels of a module as text, or as members of the open object. */
void inspect_module_text(const ingot_module *module, cli_bytes *out);
void inspect_module_json(const ingot_module *module, cli_json *j);

/* One kernel as members of the open object. */
void inspect_kernel_json(const ingot_kernel_info *kernel, cli_json *j);

#endif
