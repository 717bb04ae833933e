/* The software Metal device as the runtime sees it. */
#ifndef EMU_DEVICE_H
#define EMU_DEVICE_H

#include "rt/device.h"

extern const rt_device_fns emu_device;

#endif
