/* What holds of every device module, however it came about. */
#ifndef PACK_DEVICE_CHECK_H
#define PACK_DEVICE_CHECK_H

#include "pack/device_module.h"

/* Not empty, and fit to be a C string. */
bool pack_is_name(str s);

/* Name, pointers before scalars, launch tags once each, a payload; `status` is what a fault is. */
ingot_status pack_kernel_check(const pack_kernel *k, ingot_status status, ingot_error *error);

#endif
