/* The component's functions, each in its own file: see air.h for what they do. */
#ifndef AIR_COMPONENT_H
#define AIR_COMPONENT_H

#include "air/air.h"

ingot_status air_disassemble(const ingot_allocator *mem, str bytes, const char *kernel, buf *out, ingot_error *error);
ingot_status air_kernel_load(const ingot_allocator *mem, const air_source *source, air_kernel **out, ingot_error *error);
void air_kernel_free(air_kernel *kernel);
const rt_kernel_info *air_kernel_info(const air_kernel *kernel);
bool air_kernel_argument(const air_kernel *kernel, size_t index, air_argument *out);
ingot_status air_kernel_run(const air_launch *launch, ingot_error *error);
ingot_status air_build(const ingot_allocator *mem, str text, str name, const air_target *target, buf *out, buf *diagnostics,
                       ingot_error *error);

/* The one symbol that the library exports. */
INGOT_API const air_component *ingot_air_component(void);

#endif
