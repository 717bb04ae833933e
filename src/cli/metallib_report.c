/* What is in a metallib, as text and as JSON. */
#include "cli/metallib.h"

#include <stdio.h>

/* Lower-case hexadecimal digits of `size` bytes, with a NUL. */
static void hex(const unsigned char *bytes, size_t size, char *out)
{
    for (size_t i = 0; i < size; i++) snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

/* "6d2f...-....-4...-....-............" as RFC 4122 prints it. */
static void print_uuid(const unsigned char uuid[16], char out[37])
{
    char digits[33];
    hex(uuid, 16, digits);
    snprintf(out, 37, "%.8s-%.4s-%.4s-%.4s-%.12s", digits, digits + 8, digits + 12, digits + 16, digits + 20);
}

static void print_header(const ingot_metallib_info *info, cli_bytes *out)
{
    cli_bytes_print(out, "format %u.%u.%u, %s for %s", info->format[0], info->format[1], info->format[2], info->file_type,
                    info->platform);
    if (info->os[0]) cli_bytes_print(out, " %u.%u.%u", info->os[0], info->os[1], info->os[2]);
    if (info->is_stub) cli_bytes_text(out, ", a stub");
    cli_bytes_print(out, "\nsize %zu bytes, %zu function%s\n", info->size, info->function_count,
                    info->function_count == 1 ? "" : "s");
    char uuid[37];
    if (info->uuid) {
        print_uuid(info->uuid, uuid);
        cli_bytes_print(out, "UUID %s\n", uuid);
    }
    if (info->install_name) cli_bytes_print(out, "name %s\n", info->install_name);
    if (info->link_options) cli_bytes_print(out, "sources: %zu archive(s); linked by: %s\n", info->source_count, info->link_options);
}

static void print_function(const ingot_metallib_function *f, cli_bytes *out)
{
    char hash[65];
    hex(f->hash, 32, hash);
    cli_bytes_print(out, "\n%s %s\n  AIR %u.%u, Metal %u.%u\n  module: %zu bytes, SHA-256 %s\n", f->type, f->name, f->air[0],
                    f->air[1], f->language[0], f->language[1], f->module_size, hash);
    if (f->source_file) cli_bytes_print(out, "  source: %s:%u\n", f->source_file, f->source_line);
    for (size_t i = 0; i < f->constant_count; i++) {
        const ingot_metallib_constant *k = &f->constants[i];
        cli_bytes_print(out, "  function constant %u: %s %s%s\n", k->index, k->type, k->name, k->active ? "" : " (unused)");
    }
}

void metallib_print(const ingot_metallib *library, cli_bytes *out)
{
    ingot_metallib_info info;
    ingot_metallib_describe(library, &info);
    print_header(&info, out);
    ingot_metallib_function f;
    for (size_t i = 0; ingot_metallib_function_at(library, i, &f) == INGOT_OK; i++) print_function(&f, out);
}

static void version_json(cli_json *out, const char *key, const uint16_t *parts, size_t count)
{
    char text[24];
    int n = snprintf(text, sizeof text, "%u.%u", parts[0], parts[1]);
    if (count == 3) snprintf(text + n, sizeof text - (size_t)n, ".%u", parts[2]);
    cli_json_string(out, key, text);
}

static void function_json(const ingot_metallib_function *f, cli_json *out)
{
    char hash[65];
    hex(f->hash, 32, hash);
    cli_json_object(out, NULL);
    cli_json_string(out, "name", f->name);
    cli_json_string(out, "type", f->type);
    version_json(out, "air", f->air, 2);
    version_json(out, "metal", f->language, 2);
    cli_json_int(out, "module_bytes", (int64_t)f->module_size);
    cli_json_string(out, "sha256", hash);
    cli_json_string(out, "source_file", f->source_file);
    cli_json_int(out, "source_line", f->source_line);
    cli_json_bool(out, "has_source", f->has_source != 0);
    cli_json_bool(out, "has_reflection", f->has_reflection != 0);
    cli_json_array(out, "constants");
    for (size_t i = 0; i < f->constant_count; i++) {
        cli_json_object(out, NULL);
        cli_json_string(out, "name", f->constants[i].name);
        cli_json_string(out, "type", f->constants[i].type);
        cli_json_int(out, "index", f->constants[i].index);
        cli_json_bool(out, "active", f->constants[i].active != 0);
        cli_json_end(out);
    }
    cli_json_end(out);
    cli_json_end(out);
}

void metallib_json(const ingot_metallib *library, cli_json *out)
{
    ingot_metallib_info info;
    ingot_metallib_describe(library, &info);
    version_json(out, "format", info.format, 3);
    cli_json_string(out, "file_type", info.file_type);
    cli_json_string(out, "platform", info.platform);
    version_json(out, "oldest_system", info.os, 3);
    cli_json_bool(out, "stub", info.is_stub != 0);
    char uuid[37] = "";
    if (info.uuid) print_uuid(info.uuid, uuid);
    cli_json_string(out, "uuid", info.uuid ? uuid : NULL);
    cli_json_string(out, "name", info.install_name);
    cli_json_int(out, "sources", (int64_t)info.source_count);
    cli_json_array(out, "functions");
    ingot_metallib_function f;
    for (size_t i = 0; ingot_metallib_function_at(library, i, &f) == INGOT_OK; i++) function_json(&f, out);
    cli_json_end(out);
}
