/* What needs the AIR component, through the public API. */
#include "air/air.h"

#include "api/air.h"
#include "api/target.h"
#include "api/text.h"
#include "base/error.h"
#include "rt/component.h"

const char *ingot_air_version(ingot_error *error)
{
    const air_component *air = rt_component(error);
    return air != NULL ? air->llvm : NULL;
}

ingot_status ingot_air_disassemble(const void *bytes, size_t size, const char *kernel, ingot_text **out, ingot_error *error)
{
    *out = NULL;
    if (bytes == NULL) return error_set(error, INGOT_INVALID_ARGUMENT, "bytes is NULL");
    ingot_error inner = {.status = INGOT_OK};
    const air_component *air = rt_component(&inner);
    if (air == NULL) return error_pass(error, inner.status, &inner);
    buf text = buf_make(&mem_default);
    const ingot_status status = air->disassemble(&mem_default, (str){bytes, size}, kernel, &text, error);
    if (status == INGOT_OK) return text_take(&text, out, error);
    buf_free(&text);
    return status;
}

static ingot_metallib_build_options build_options(const ingot_metallib_build_options *given)
{
    ingot_metallib_build_options o = INGOT_METALLIB_BUILD_OPTIONS_INIT;
    const size_t size = given != NULL ? given->struct_size : 0;
    if (given != NULL) memcpy(&o, given, size < sizeof o ? size : sizeof o);
    return o;
}

ingot_status ingot_metallib_build(const char *text, size_t length, const ingot_metallib_build_options *options, ingot_text **out,
                                  ingot_error *error)
{
    *out = NULL;
    if (text == NULL) return error_set(error, INGOT_INVALID_ARGUMENT, "text is NULL");
    const ingot_metallib_build_options o = build_options(options);
    ingot_error inner = {.status = INGOT_OK};
    const air_component *air = rt_component(&inner);
    if (air == NULL) return error_pass(error, inner.status, &inner);
    const air_target target = {.text = o.deployment, .language = o.language, .precise = o.precise != 0};
    const ingot_allocator *mem = mem_or_default(o.allocator);
    buf bytes = buf_make(mem);
    const str name = o.file_name != NULL ? str_of(o.file_name) : STR("<text>");
    const ingot_status status = air->build(mem, (str){text, length}, name, &target, &bytes, NULL, error);
    if (status == INGOT_OK) return text_take(&bytes, out, error);
    buf_free(&bytes);
    return status;
}

ingot_status ingot_compile_metallib(void *user, const ingot_value *args, size_t count, ingot_result *result, ingot_error *error)
{
    (void)user;
    if (count < 1 || args[0].kind != INGOT_VALUE_STR)
        return error_set(error, INGOT_TYPE, AIR_CALLBACK " takes a source (str) and a target, and got %zu arguments", count);
    ingot_metallib_build_options options = INGOT_METALLIB_BUILD_OPTIONS_INIT;
    options.file_name = "<kernel>";
    options.precise = count < 2 || args[1].kind != INGOT_VALUE_TARGET || !target_is_fast_math(args[1].as.target);
    ingot_text *library = NULL;
    ingot_status status = ingot_metallib_build(args[0].as.text.data, args[0].as.text.size, &options, &library, error);
    if (status != INGOT_OK) return status;
    const ingot_value pair[2] = {ingot_bytes(ingot_text_data(library), ingot_text_size(library)), ingot_str("metallib", 8)};
    status = ingot_result_set(result, ingot_tuple(pair, 2));
    ingot_text_release(library);
    return status == INGOT_OK ? INGOT_OK : error_no_memory(error);
}
