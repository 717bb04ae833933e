/* The compile callback's contract. The words that users of TVM match on are kept: "returned inconsistent
 * formats across kernels", "returned unsupported format", "must return either a payload or a (payload,
 * format) pair, but got a tuple of size N". */
#include "api/callback.h"

#include "api/value.h"
#include "base/error.h"

#define CALLBACK INGOT_METAL_COMPILE_CALLBACK

ingot_status callback_find(const ingot_compile_options *options, callback *out, ingot_error *error)
{
    *out = (callback){0};
    if (options->ignore_callback) return INGOT_OK;
    if (options->compile_kernel != NULL) {
        *out = (callback){.fn = options->compile_kernel, .user = options->compile_kernel_user};
        return INGOT_OK;
    }
    ingot_function *function;
    ingot_status s = ingot_function_get(CALLBACK, &function, error);
    if (s == INGOT_OK) *out = (callback){.fn = ingot_function_forward, .user = function, .held = function};
    return s == INGOT_NOT_FOUND ? INGOT_OK : s;
}

static const char *kind_name(ingot_value_kind kind)
{
    switch (kind) {
    case INGOT_VALUE_NONE: return "None";
    case INGOT_VALUE_BOOL: return "a bool";
    case INGOT_VALUE_INT: return "an int";
    case INGOT_VALUE_FLOAT: return "a float";
    case INGOT_VALUE_STR: return "a str";
    case INGOT_VALUE_BYTES: return "bytes";
    case INGOT_VALUE_TENSOR: return "a tensor";
    case INGOT_VALUE_TUPLE: return "a tuple";
    case INGOT_VALUE_TARGET: return "a target";
    case INGOT_VALUE_OTHER: return "another object";
    }
    return "another object";
}

static bool is_payload(ingot_value v)
{
    return v.kind == INGOT_VALUE_STR || v.kind == INGOT_VALUE_BYTES;
}

static str value_text(ingot_value v)
{
    return (str){v.as.text.data, v.as.text.size};
}

static ingot_status wrong_type(const char *kernel, const char *what, ingot_value got, ingot_error *error)
{
    str type = got.kind == INGOT_VALUE_OTHER ? value_text(got) : str_of(kind_name(got.kind));
    return error_set(error, INGOT_TYPE,
                     CALLBACK " must return either a payload or a (payload, format) pair, but for kernel \"%s\" %s "
                              "%.*s; expected %s",
                     kernel, what, STR_ARG(type),
                     strcmp(what, "its format is") == 0 ? "\"metal\" or \"metallib\"" : "str or bytes");
}

/* What one result means: its payload (borrowed) and the format that it declares. */
static ingot_status read_result(const char *kernel, ingot_value got, str *payload, pack_format *format,
                                ingot_error *error)
{
    ingot_value first = got;
    *format = PACK_METALLIB; /* a bare payload is a compiled one, whatever it looks like */
    if (got.kind == INGOT_VALUE_TUPLE) {
        if (got.as.tuple.count != 2) {
            return error_set(error, INGOT_CALLBACK,
                             CALLBACK " must return either a payload or a (payload, format) pair, but got a tuple of "
                                      "size %zu for kernel \"%s\"",
                             got.as.tuple.count, kernel);
        }
        first = got.as.tuple.items[0];
        ingot_value second = got.as.tuple.items[1];
        if (!is_payload(second)) return wrong_type(kernel, "its format is", second, error);
        if (!pack_format_parse(value_text(second), format)) {
            return error_set(error, INGOT_CALLBACK,
                             CALLBACK " returned unsupported format \"%.*s\"; expected \"metal\" or \"metallib\" "
                                      "(kernel \"%s\")",
                             STR_ARG(value_text(second)), kernel);
        }
        if (!is_payload(first)) return wrong_type(kernel, "its payload is", first, error);
    } else if (!is_payload(got)) {
        return wrong_type(kernel, "it returned", got, error);
    }
    if (first.as.text.size == 0) {
        return error_set(error, INGOT_CALLBACK,
                         CALLBACK " returned an empty payload for kernel \"%s\"; expected MSL text or a compiled "
                                  "library",
                         kernel);
    }
    *payload = value_text(first);
    return INGOT_OK;
}

static ingot_status inconsistent(const callback_kernel *first, pack_format first_format, const callback_kernel *kernel,
                                 pack_format format, ingot_error *error)
{
    return error_set(error, INGOT_CALLBACK,
                     CALLBACK " returned inconsistent formats across kernels: \"%s\" vs \"%s\" (kernel \"%s\" against "
                              "\"%s\"). All kernels of a module share one format: return (payload, \"metal\") or "
                              "(payload, \"metallib\") for every one; a bare payload counts as \"metallib\"",
                     pack_format_text(first_format), pack_format_text(format), first->name.p, kernel->name.p);
}

static ingot_status run_one(const callback *cb, const ingot_target *target, pool *mem, callback_kernel *kernel,
                            pack_format *format, ingot_error *error)
{
    ingot_value args[2] = {ingot_str(kernel->source.p, kernel->source.n), {.kind = INGOT_VALUE_TARGET}};
    args[1].as.target = target;
    ingot_owned *owned;
    ingot_status s = value_invoke(mem->mem, cb->fn, cb->user, args, 2, &owned, error);
    if (s != INGOT_OK) return s;
    str payload;
    s = read_result(kernel->name.p, ingot_owned_value(owned), &payload, format, error);
    if (s == INGOT_OK) {
        kernel->payload = pool_str(mem, payload);
        if (kernel->payload.p == NULL) s = error_no_memory(error);
    }
    ingot_owned_release(owned);
    return s;
}

ingot_status callback_run(const callback *cb, const ingot_target *target, pool *mem, callback_kernel *kernels,
                          size_t count, pack_format *format, ingot_error *error)
{
    *format = PACK_METAL;
    for (size_t i = 0; i < count; ++i) {
        if (cb->fn == NULL) {
            kernels[i].payload = kernels[i].source;
            continue;
        }
        pack_format declared;
        ingot_status s = run_one(cb, target, mem, &kernels[i], &declared, error);
        if (s != INGOT_OK) return s;
        if (i == 0) *format = declared;
        if (declared != *format) return inconsistent(&kernels[0], *format, &kernels[i], declared, error);
    }
    return INGOT_OK;
}
