/* Checking the arguments of a call against a host function's parameters, and binding them to registers. */
#ifndef HOST_ARGS_H
#define HOST_ARGS_H

#include "host/interp.h"

/* How the data of a tensor is found on the device that is called. */
typedef struct host_device {
    const ingot_allocator *mem; /* for messages */
    int id;
    void *user;
    /* The memory that `data` stands for, and its size in bytes; NULL where it is none of this device's. */
    void *(*find)(void *user, const void *data, size_t *size);
} host_device;

/* Checks count, types, dimensions, element types, device, shapes, strides, offsets and ranges, in the order
 * and with the words of TVM's host functions; then what TVM leaves unchecked: that scalars fit their type, that
 * extents fit theirs, and that each tensor lies inside a buffer of the device. Fills the frame's registers
 * and memories. INGOT_TYPE stands for a TypeError, INGOT_VALUE for a ValueError. */
ingot_status host_bind(host_frame *frame, const ingot_value *values, size_t count,
                       const host_device *device, ingot_error *error);

#endif
