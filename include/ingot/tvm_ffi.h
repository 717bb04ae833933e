/* What meets other software: arrays by DLPack, functions and libraries by Apache TVM's FFI, kernels as one metallib. Not
 * included by ingot.h, whose rules hold here too. */
#ifndef INGOT_TVM_FFI_H
#define INGOT_TVM_FFI_H

#include "ingot/ingot.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The module as TVM itself exports one: a C source with host functions in plain C, and the kernels as an import of kind "metal"
 * in TVM's bytes, which its runtime launches; libingot has no part in it. INGOT_UNSUPPORTED names what of its host code
 * cannot be written so, INGOT_VALUE a function whose name is no C identifier. */
INGOT_API INGOT_MUST_USE ingot_status ingot_module_export_tvm(const ingot_module *module, ingot_text **out, ingot_error *error);

/* All kernels as one metallib: compiled payloads joined, Metal text compiled as ingot_metallib_build does, with the module's
 * math mode and language version. INGOT_UNSUPPORTED where that needs the AIR component and it is not there. */
INGOT_API INGOT_MUST_USE ingot_status ingot_module_export_metallib(const ingot_module *module, ingot_text **out,
                                                                   ingot_error *error);

/* The device "metal" number 0 on which exported libraries of this process run: opened by whoever asks first, and open until
 * the process ends. Not to be released. Tensors in its buffers are theirs to take. Any thread. */
INGOT_API INGOT_MUST_USE ingot_status ingot_device_shared(ingot_device **out, ingot_error *error);

/* Opens TVM's bytes of a device module there. The functions of ingot_exported_call are then its kernels, called as TVM's host
 * code does: buffers as bare pointers (an ingot_buffer, or what ingot_buffer_handle says), scalars, the values of its launch
 * tags. */
INGOT_API INGOT_MUST_USE ingot_status ingot_exported_open_kernels(const void *bytes, size_t size, ingot_exported **out,
                                                                  ingot_error *error);

/* The memory as the CPU sees it, as long as the buffer lives; NULL where the CPU does not. The caller waits for the work
 * of streams on it. */
INGOT_API void *ingot_buffer_contents(const ingot_buffer *buffer);

/* A DLManagedTensorVersioned (`versioned` non-zero) or a DLManagedTensor over the buffer, which it holds until its deleter is
 * called, on any thread. `view` says shape, dtype, byte_offset, and by its device type whether `data` is what the CPU sees
 * (kDLCPU; INGOT_UNSUPPORTED where it sees nothing) or ingot_buffer_handle (kDLMetal). Its `data` is not looked at, its strides
 * are NULL: the tensor is compact, and lies inside the buffer (else INGOT_VALUE). */
INGOT_API INGOT_MUST_USE ingot_status ingot_buffer_export(ingot_buffer *buffer, const DLTensor *view, int versioned, void **out,
                                                          ingot_error *error);

#ifdef __cplusplus
}
#endif

#endif
