/* The table that libingot-air hands to the core. */
#include "air/component.h"

#include "air/llvm.h"

const air_component *ingot_air_component(void)
{
    static const air_component component = {
        .interface = AIR_INTERFACE,
        .version = INGOT_VERSION,
        .llvm = LLVM_VERSION_STRING,
        .disassemble = air_disassemble,
        .load = air_kernel_load,
        .free = air_kernel_free,
        .info = air_kernel_info,
        .argument = air_kernel_argument,
        .run = air_kernel_run,
        .build = air_build,
    };
    return &component;
}
