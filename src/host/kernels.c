/* A device module whose kernels can be called by name: for each a host function that only launches it. */
#include "base/error.h"
#include "host/module.h"

static const DLDataType handle = {kDLOpaqueHandle, 64, 1}, int64 = {kDLInt, 64, 1};

/* The parameters are the kernel's, then the values of its launch tags; each in the register of its number. */
static bool fill(pool *mem, const pack_kernel *k, host_function *f)
{
    size_t count = k->arg_count + k->launch_tag_count;
    host_param *params = pool_array(mem, host_param, count);
    DLDataType *types = pool_array(mem, DLDataType, count);
    uint16_t *numbers = pool_array(mem, uint16_t, count);
    host_launch *launch = pool_array(mem, host_launch, 1);
    host_insn *code = pool_array(mem, host_insn, 2);
    if (params == NULL || types == NULL || numbers == NULL || launch == NULL || code == NULL) return false;
    for (size_t i = 0; i < count; ++i) {
        DLDataType t = i < k->arg_count ? k->arg_types[i] : int64;
        bool pointer = t.code == kDLOpaqueHandle;
        const char *name = i >= k->arg_count      ? k->launch_tags[i - k->arg_count]
                           : k->arg_names != NULL ? k->arg_names[i]
                                                  : "argument";
        numbers[i] = (uint16_t)i;
        types[i] = pointer ? handle : t;
        params[i] = (host_param){.kind = pointer ? INGOT_PARAM_POINTER : INGOT_PARAM_SCALAR, .name = str_of(name), .dtype = types[i],
                                 .reg = numbers[i], .is_read = pointer, .is_written = pointer};
    }
    *launch = (host_launch){k->name, numbers, k->arg_count, numbers + k->arg_count, k->launch_tag_count};
    code[0] = (host_insn){.op = HOST_LAUNCH};
    code[1] = (host_insn){.op = HOST_END};
    *f = (host_function){.name = k->name, .params = params, .param_count = count, .regs = types, .reg_count = count, .code = code,
                         .code_count = 2, .launches = launch, .launch_count = 1, .result = {kDLOpaqueHandle, 0, 0}};
    return true;
}

ingot_status module_load_kernels(const ingot_allocator *mem, str bytes, ingot_module **out, ingot_error *error)
{
    ingot_status status = module_load_device(mem, bytes, out, error);
    if (status != INGOT_OK) return status;
    ingot_module *m = *out;
    size_t count = m->device->kernel_count;
    host_function *functions = pool_array(&m->memory, host_function, count);
    host_program *program = pool_array(&m->memory, host_program, 1);
    if (functions == NULL || program == NULL) status = error_no_memory(error);
    for (size_t i = 0; status == INGOT_OK && i < count; ++i) {
        const pack_kernel *k = &m->device->kernels[i];
        if (k->arg_count + k->launch_tag_count > UINT16_MAX) {
            status = error_set(error, INGOT_LIMIT, "kernel \"%s\" has more than %d arguments", k->name.p, UINT16_MAX);
        } else if (!fill(&m->memory, k, &functions[i])) {
            status = error_no_memory(error);
        }
    }
    if (status == INGOT_OK) {
        *program = (host_program){functions, count};
        m->host = program;
        status = host_verify(&m->memory, program, error);
    }
    if (status == INGOT_OK) status = module_finish(m, error);
    if (status == INGOT_OK) return INGOT_OK;
    module_release(m);
    *out = NULL;
    return status;
}
