/* Loaded modules and calls through the public API. */
#include "base/error.h"
#include "rt/program.h"

static ingot_status no_argument(ingot_error *error, const char *name)
{
    return error_set(error, INGOT_INVALID_ARGUMENT, "%s is NULL", name);
}

ingot_status ingot_program_load(ingot_module *module, ingot_device *device, ingot_program **out, ingot_error *error)
{
    if (out == NULL) return no_argument(error, "out");
    *out = NULL;
    if (module == NULL) return no_argument(error, "module");
    if (device == NULL) return no_argument(error, "device");
    return rt_program_load(module, device, out, error);
}

void ingot_program_release(ingot_program *program)
{
    rt_program_release(program);
}

ingot_status ingot_program_call(ingot_program *program, const char *function, const ingot_value *args, size_t count,
                                ingot_stream *stream, ingot_value *result, ingot_error *error)
{
    if (result != NULL) *result = ingot_none();
    if (program == NULL) return no_argument(error, "program");
    if (stream == NULL) return no_argument(error, "stream");
    return rt_program_call(program, str_of(function), args, count, stream, result, error);
}

ingot_status ingot_program_run(ingot_program *program, const char *function, const ingot_value *args, size_t count,
                               ingot_stream *stream, ingot_value *result, ingot_error *error)
{
    if (result != NULL) *result = ingot_none();
    if (program == NULL) return no_argument(error, "program");
    if (stream == NULL) return no_argument(error, "stream");
    if (args == NULL && count != 0) return no_argument(error, "args");
    return rt_program_run(program, str_of(function), args, count, stream, result, error);
}
