/* The device that runs nothing: it keeps memory, records calls, and fails where a test wants it to. */
#ifndef RT_NULL_H
#define RT_NULL_H

#include "rt/device.h"

extern const rt_device_fns rt_null_device;

/* The calls so far, a line each ("launch add grid 32 1 1 group 32 1 1 ..."); valid until the next call. Never NULL. */
const char *rt_null_log(void *device);

/* From now on the `n`-th call (1 = the next one) of those that can fail fails with this status. 0: none does. */
void rt_null_fail(void *device, unsigned n, ingot_status status);

#endif
