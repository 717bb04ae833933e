/* Apple's own Metal device as the runtime sees it. */
#ifndef METAL_DEVICE_H
#define METAL_DEVICE_H

#include "rt/device.h"

/* `open` answers INGOT_UNSUPPORTED, with the reason, where this system has no Metal device at all, and INGOT_NOT_FOUND
 * where it has some and not that one. */
extern const rt_device_fns metal_device_fns;

#endif
