/* Which engine runs a launch: the bytecode machine, or native code that the AIR component makes of the text. */
#ifndef EMU_ENGINE_H
#define EMU_ENGINE_H

#include "air/air.h"
#include "emu/emu.h"

/* A kernel as native code, and what is known of whether it is worth having. */
typedef struct emu_native {
    const air_component *air;
    air_kernel *kernel; /* NULL: not made yet */
    bool refused;       /* it cannot be made */
    double spent;       /* seconds that the bytecode machine has run it */
} emu_native;

/* Runs the launch, whose arguments have been looked at, as native code where its engine says so and it can be; *ran says
 * whether that was done. An engine NATIVE that cannot run it is INGOT_UNSUPPORTED. Any thread. */
ingot_status emu_engine_run(const emu_launch *launch, bool *ran, ingot_error *error);

/* Seconds of a clock that only goes forward; and what a run by the bytecode machine that began then adds to `spent`. */
double emu_engine_now(void);
void emu_engine_note(const emu_launch *launch, double began);

/* Runs the launch with that code, made of text or of a metallib; checks, profiles and orders of the launch are not looked at. */
ingot_status emu_native_run(const air_component *air, air_kernel *kernel, const emu_launch *launch, ingot_error *error);
/* The same with a watch. */
ingot_status emu_native_watched(const air_component *air, air_kernel *kernel, const emu_launch *launch, air_watch *watch, ingot_error *error);
void emu_native_free(emu_native *native);

/* air_info.c: *args (of info->arg_count + 1, the caller's) and *info live as long as the kernel. They are set where it fails, too. */
ingot_status emu_air_info(const air_component *air, const air_kernel *kernel, const ingot_allocator *mem, emu_arg **args, emu_kernel_info *info,
                          ingot_error *error);

/* audit.c: runs a kernel of a metallib under those of the launch's checks that need no text: bounds, races, barriers and first reads. What is
 * found goes to the launch's findings; without them the first is the error. `info` describes its arguments. */
ingot_status emu_audit_run(const air_component *air, air_kernel *kernel, const emu_kernel_info *info, const emu_launch *launch, ingot_error *error);

/* Whether the textures that the launch binds are what the arguments say: their types, and what their pixels are. */
ingot_status emu_check_textures(const emu_kernel_info *info, const emu_launch *launch, ingot_error *error);

/* Textures and samplers of an emu_launch (`bound`) for native code. */
const air_texels *emu_texels(void);

#endif
