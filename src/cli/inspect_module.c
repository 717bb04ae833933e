/* A module's functions and kernels, as text and as JSON. */
#include "cli/inspect.h"

#include <stdio.h>
#include <string.h>

static void print_param(const ingot_param_info *p, cli_bytes *out)
{
    char dtype[40];
    ingot_dtype_print(p->dtype, dtype);
    cli_bytes_print(out, "%s: %s", p->name, p->kind == INGOT_PARAM_POINTER ? "pointer" : dtype);
    if (p->kind != INGOT_PARAM_TENSOR) return;
    cli_bytes_text(out, "[");
    for (size_t d = 0; d < p->ndim; d++) cli_bytes_print(out, "%s%s", d ? ", " : "", p->shape[d]);
    cli_bytes_print(out, "]%s%s", p->is_read ? " read" : "", p->is_written ? " written" : "");
}

static void print_function(const ingot_module *module, const char *name, cli_bytes *out)
{
    size_t count = ingot_module_param_count(module, name);
    cli_bytes_print(out, "\nfunction %s\n", name);
    for (size_t i = 0; i < count; i++) {
        ingot_param_info info;
        if (ingot_module_param(module, name, i, &info) != INGOT_OK) continue;
        cli_bytes_text(out, "  ");
        print_param(&info, out);
        cli_bytes_text(out, "\n");
    }
}

/* "handle" for a buffer, else the dtype. */
static void arg_type(const ingot_kernel_info *k, size_t i, char out[40])
{
    if (k->arg_types[i].code == kDLOpaqueHandle)
        snprintf(out, 40, "handle");
    else
        ingot_dtype_print(k->arg_types[i], out);
}

static void print_kernel(const ingot_kernel_info *k, cli_bytes *out)
{
    char dtype[40];
    cli_bytes_print(out, "\nkernel %s\n  arguments:", k->name);
    for (size_t i = 0; i < k->arg_count; i++) {
        arg_type(k, i, dtype);
        cli_bytes_text(out, i ? ", " : " ");
        if (k->arg_names) cli_bytes_print(out, "%s: ", k->arg_names[i]);
        cli_bytes_text(out, dtype);
    }
    cli_bytes_text(out, "\n  launch:");
    for (size_t i = 0; i < k->launch_tag_count; i++)
        cli_bytes_print(out, "%s%s", i ? ", " : " ", k->launch_tags[i]);
    cli_bytes_print(out, "\n  payload: %zu bytes, %s\n", k->payload_size,
                    ingot_payload_kind(k->payload, k->payload_size));
}

void inspect_module_text(const ingot_module *module, cli_bytes *out)
{
    size_t functions = ingot_module_function_count(module),
           kernels = ingot_module_kernel_count(module);
    cli_bytes_print(
        out, "format: %s%s\nfunctions: %zu\nkernels: %zu\n", ingot_module_format(module),
        ingot_module_is_fallback(module) ? " (codegen only: it cannot be launched)" : "", functions,
        kernels);
    for (size_t i = 0; i < functions; i++)
        print_function(module, ingot_module_function_name(module, i), out);
    for (size_t i = 0; i < kernels; i++) {
        ingot_kernel_info info;
        if (ingot_module_kernel(module, i, &info) == INGOT_OK) print_kernel(&info, out);
    }
}

static const char *param_kind(ingot_param_kind kind)
{
    switch (kind) {
    case INGOT_PARAM_TENSOR: return "tensor";
    case INGOT_PARAM_SCALAR: return "scalar";
    case INGOT_PARAM_POINTER: return "pointer";
    }
    return "pointer";
}

static void json_param(const ingot_param_info *p, cli_json *j)
{
    char dtype[40];
    ingot_dtype_print(p->dtype, dtype);
    cli_json_object(j, NULL);
    cli_json_string(j, "name", p->name);
    cli_json_string(j, "kind", param_kind(p->kind));
    cli_json_string(j, "dtype", dtype);
    if (p->kind == INGOT_PARAM_TENSOR) {
        cli_json_row(j, "shape");
        for (size_t d = 0; d < p->ndim; d++) cli_json_string(j, NULL, p->shape[d]);
        cli_json_end(j);
        cli_json_bool(j, "read", p->is_read != 0);
        cli_json_bool(j, "written", p->is_written != 0);
    }
    cli_json_end(j);
}

static void json_function(const ingot_module *module, const char *name, cli_json *j)
{
    cli_json_object(j, NULL);
    cli_json_string(j, "name", name);
    cli_json_array(j, "params");
    size_t count = ingot_module_param_count(module, name);
    for (size_t i = 0; i < count; i++) {
        ingot_param_info info;
        if (ingot_module_param(module, name, i, &info) == INGOT_OK) json_param(&info, j);
    }
    cli_json_end(j);
    cli_json_end(j);
}

void inspect_kernel_json(const ingot_kernel_info *k, cli_json *j)
{
    char dtype[40];
    cli_json_string(j, "name", k->name);
    cli_json_array(j, "arguments");
    for (size_t i = 0; i < k->arg_count; i++) {
        arg_type(k, i, dtype);
        cli_json_object(j, NULL);
        cli_json_string(j, "name", k->arg_names ? k->arg_names[i] : NULL);
        cli_json_string(j, "dtype", dtype);
        cli_json_end(j);
    }
    cli_json_end(j);
    cli_json_row(j, "launch");
    for (size_t i = 0; i < k->launch_tag_count; i++) cli_json_string(j, NULL, k->launch_tags[i]);
    cli_json_end(j);
    cli_json_int(j, "payload_bytes", (int64_t)k->payload_size);
    cli_json_string(j, "payload_kind", ingot_payload_kind(k->payload, k->payload_size));
}

void inspect_module_json(const ingot_module *module, cli_json *j)
{
    cli_json_string(j, "format", ingot_module_format(module));
    cli_json_bool(j, "fallback", ingot_module_is_fallback(module) != 0);
    cli_json_array(j, "functions");
    size_t count = ingot_module_function_count(module);
    for (size_t i = 0; i < count; i++)
        json_function(module, ingot_module_function_name(module, i), j);
    cli_json_end(j);
    cli_json_array(j, "kernels");
    count = ingot_module_kernel_count(module);
    for (size_t i = 0; i < count; i++) {
        ingot_kernel_info info;
        if (ingot_module_kernel(module, i, &info) != INGOT_OK) continue;
        cli_json_object(j, NULL);
        inspect_kernel_json(&info, j);
        cli_json_end(j);
    }
    cli_json_end(j);
}
