/* What a test asks of the stand-in for libtvm_ffi: faults to come, and counts. */
#ifndef STANDIN_TVM_FFI_H
#define STANDIN_TVM_FFI_H

#include <stddef.h>

#include "ffi/abi.h"

/* Looked up by dlsym as "standin". */
typedef struct standin_controls {
    /* The call of a function of the ABI, counted from now, that fails: 1 = the next; 0 = none. */
    int fail_create, fail_set, fail_get, fail_text;
    int fail_without_error; /* functions that fail leave the slot empty */
    size_t objects;         /* that live */
    ffi_any (*make_array)(const ffi_any *items, size_t count); /* takes the items over */
    ffi_any (*make_text)(int32_t tag, const char *data, size_t size);
} standin_controls;

#endif
