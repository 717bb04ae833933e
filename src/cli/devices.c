/* `ingot devices`: the kinds of device there are. */
#include "cli/file.h"
#include "cli/json.h"
#include "cli/verb.h"

#include <inttypes.h>
#include <string.h>

#define VERB_OPTIONS "cli/devices_options.def"
#include "cli/option_table.def"

static void print_device(const char *kind, const ingot_device_info *info, cli_bytes *out)
{
    cli_bytes_print(out, "%s:%d  %s\n", kind, info->id, info->name);
    cli_bytes_print(out, "    a threadgroup: %" PRIu32 " threads (%" PRIu32 " x %" PRIu32 " x %" PRIu32
                    " at most), %zu bytes of memory\n",
                    info->max_threads, info->max_threads_axis[0], info->max_threads_axis[1],
                    info->max_threads_axis[2], info->max_threadgroup_bytes);
    cli_bytes_print(out, "    buffers: up to %zu bytes, %s\n", info->max_buffer_bytes,
                    info->unified_memory ? "shared with the CPU" : "the GPU's own");
    if (info->families[0] != '\0') cli_bytes_print(out, "    families: %s\n", info->families);
}

static void json_device(const char *kind, const ingot_device_info *info, cli_json *j)
{
    cli_json_object(j, NULL);
    cli_json_string(j, "kind", kind);
    cli_json_int(j, "id", info->id);
    cli_json_string(j, "name", info->name);
    cli_json_string(j, "runs_on", info->kind);
    cli_json_string(j, "families", info->families);
    cli_json_bool(j, "unified_memory", info->unified_memory != 0);
    cli_json_int(j, "max_threads", info->max_threads);
    cli_json_row(j, "max_threads_axis");
    for (int i = 0; i < 3; i++) cli_json_int(j, NULL, info->max_threads_axis[i]);
    cli_json_end(j);
    cli_json_int(j, "max_threadgroup_bytes", (int64_t)info->max_threadgroup_bytes);
    cli_json_int(j, "max_buffer_bytes", (int64_t)info->max_buffer_bytes);
    cli_json_end(j);
}

static int run(cli *c, const cli_words *words)
{
    static const char *const kinds[] = {"metal", "emu", "null"};
    if (cli_words_plain(words, 0))
        return cli_usage(c, "'devices' takes no file: '%s'", cli_words_plain(words, 0));
    cli_bytes text = {.pool = &c->pool}, list = {.pool = &c->pool}, why = {.pool = &c->pool};
    cli_json json = {.out = &list};
    cli_json_array(&json, NULL);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        /* Only GPUs come in numbers. */
        bool more = true;
        for (int id = 0; more; id++) {
            ingot_device *device = NULL;
            ingot_error error = {INGOT_OK, 0, 0, ""};
            ingot_device_info info = {0};
            ingot_status status = ingot_device_open(kinds[i], id, 1, NULL, &device, &error);
            if (status == INGOT_NOT_FOUND) break;
            if (status != INGOT_OK) return cli_library_error(c, kinds[i], &error);
            (void)ingot_device_describe(device, &info);
            print_device(kinds[i], &info, &text);
            json_device(kinds[i], &info, &json);
            more = strcmp(info.kind, "native") == 0;
            ingot_device_release(device);
        }
    }
    cli_json_end(&json);
    const cli_bytes *out = cli_words_value(words, DEVICES_JSON) ? &list : &text;
    if (cli_file_write("-", out->data, out->size, &why)) return CLI_GOOD;
    return cli_error(c, "%s", why.data);
}

const cli_verb cli_verb_devices = {
    .name = "devices",
    .arguments = "[OPTION]...",
    .summary = "List the devices that programs can run on.",
    .options = options,
    .run = run,
};
