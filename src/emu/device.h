/* The software Metal device as the runtime sees it. */
#ifndef EMU_DEVICE_H
#define EMU_DEVICE_H

#include "emu/emu.h"
#include "rt/device.h"

/* Its rt_launch.checking is an emu_checking (emu/emu.h). */
extern const rt_device_fns emu_device;

/* Lets memory that the device (rt_device_fns.open) makes from now on know which of its bytes were written: for the check
 * UNINITIALISED. Any thread. */
void emu_device_track(void *device);

/* What runs its launches from now on: at first what INGOT_ENGINE in the environment says. Any thread. */
void emu_device_engine(void *device, emu_engine engine);

#endif
