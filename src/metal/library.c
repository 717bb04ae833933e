/* Payloads to functions: MSL text through Metal's own compiler, a metallib as it is. */
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "metal/metal.h"

/* MTLFunctionType: https://developer.apple.com/documentation/metal/mtlfunctiontype */
enum { FUNCTION_KERNEL = 3 };
/* MTLMathMode, MTLMathFloatingPointFunctions: .../documentation/metal/mtlmathmode, .../metal/mtlmathfloatingpointfunctions */
enum { MATH_SAFE = 0, MATH_FAST = 2, FUNCTIONS_FAST = 0, FUNCTIONS_PRECISE = 1 };

/* ---- Text ------------------------------------------------------------------------------------------------ */

/* Language and arithmetic as the module was built for. */
static void set_options(const metal_objc *o, metal_id options, const rt_source *source)
{
    bool fast = source->math == RT_MATH_FAST;
    /* MTLLanguageVersion: major in the upper half, minor in the lower. */
    if (source->language != 0) metal_set_language(o, options, ((uint64_t)(source->language / 10) << 16) + source->language % 10);
    if (metal_has(o, options, METAL_SEL_set_math_mode)) {
        metal_set_math_mode(o, options, fast ? MATH_FAST : MATH_SAFE);
        metal_set_math_functions(o, options, fast ? FUNCTIONS_FAST : FUNCTIONS_PRECISE);
    } else {
        metal_set_fast_math(o, options, fast); /* the one switch for both, before macOS 15 */
    }
}

/* A number of digits at *at, which moves past it; 0 where there is none. */
static uint32_t read_number(const char **at)
{
    uint32_t n = 0;
    for (; **at >= '0' && **at <= '9'; ++*at) n = n < 100000000 ? n * 10 + (uint32_t)(**at - '0') : n;
    return n;
}

/* The first "program_source:LINE:COLUMN: error: TEXT" of what the compiler says; *text ends with its line. */
static bool find_error(const char *said, uint32_t *line, uint32_t *column, str *text)
{
    static const char file[] = "program_source:", word[] = ": error: ", fatal[] = ": fatal error: ";
    for (const char *at = strstr(said, file); at != NULL; at = strstr(at, file)) {
        at += sizeof file - 1;
        *line = read_number(&at);
        *column = 0;
        if (*at == ':' && at[1] >= '0' && at[1] <= '9') {
            ++at;
            *column = read_number(&at);
        }
        bool is_error = strncmp(at, word, sizeof word - 1) == 0;
        if (!is_error && strncmp(at, fatal, sizeof fatal - 1) != 0) continue; /* a warning, or a note */
        at += is_error ? sizeof word - 1 : sizeof fatal - 1;
        *text = (str){at, strcspn(at, "\n")};
        return true;
    }
    return false;
}

/* The compiler's first error, at its place in the text, as the software device words it. */
static ingot_status compile_failed(const rt_source *source, const char *said, ingot_error *error)
{
    uint32_t line = 0, column = 0;
    str text;
    if (!find_error(said, &line, &column, &text)) {
        return error_set(error, INGOT_SYNTAX, "Metal's compiler: %.900s", said);
    }
    error_set(error, INGOT_SYNTAX, "%.200s:%u:%u: %.*s", source->kernel, line, column, text.n < 700 ? (int)text.n : 700, text.p);
    error->line = line;
    error->column = column;
    return INGOT_SYNTAX;
}

static ingot_status compile_text(metal_device *d, const rt_source *source, metal_id *out, ingot_error *error)
{
    const metal_objc *o = &d->objc;
    metal_id text = metal_string_new(o, source->text, source->size);
    if (text == NULL) return error_set(error, INGOT_SYNTAX, "the text is not UTF-8");
    metal_id options = metal_new_object(o, o->classes[METAL_CLASS_MTLCompileOptions]), nserror = NULL;
    set_options(o, options, source);
    /* Warnings come as an error beside a library: only what is returned tells. */
    *out = metal_new_library_text(o, d->device, text, options, &nserror);
    metal_release(o, options);
    metal_release(o, text);
    return *out != NULL ? INGOT_OK : compile_failed(source, metal_reason(o, nserror), error);
}

/* ---- Compiled -------------------------------------------------------------------------------------------- */

static ingot_status take_data(metal_device *d, const rt_source *source, metal_id *out, ingot_error *error)
{
    const metal_objc *o = &d->objc;
    metal_id nserror = NULL;
    /* Without a destructor the bytes are copied. */
    metal_id data = o->dispatch_data_create(source->text, source->size, NULL, NULL);
    if (data == NULL) return error_no_memory(error);
    *out = metal_new_library_data(o, d->device, data, &nserror);
    o->dispatch_release(data);
    if (*out != NULL) return INGOT_OK;
    return error_set(error, INGOT_FORMAT, "the metallib is well-formed, and Metal does not take it: %.600s", metal_reason(o, nserror));
}

/* ---- Its function ------------------------------------------------------------------------------------------ */

ingot_status metal_function_load(metal_device *d, const rt_source *source, metal_id *out, ingot_error *error)
{
    const metal_objc *o = &d->objc;
    metal_id library = NULL;
    *out = NULL;
    ingot_status status = source->format == RT_FORMAT_METAL ? compile_text(d, source, &library, error)
                                                            : take_data(d, source, &library, error);
    if (status != INGOT_OK) return status;
    metal_label(o, library, "%s", source->kernel);
    metal_id name = metal_string_new(o, source->kernel, strlen(source->kernel));
    metal_id function = name != NULL ? metal_new_function(o, library, name) : NULL;
    metal_release(o, name);
    metal_release(o, library); /* the function holds it */
    if (function == NULL) {
        return error_set(error, INGOT_FORMAT, "the %s defines no kernel of this name",
                         source->format == RT_FORMAT_METAL ? "text" : "metallib");
    }
    if (metal_function_type(o, function) != FUNCTION_KERNEL) {
        metal_release(o, function);
        return error_set(error, INGOT_FORMAT, "its function of this name is no kernel");
    }
    metal_label(o, function, "%s", source->kernel);
    *out = function;
    return INGOT_OK;
}
