/* `ingot devices`: the kinds of device there are. */
#include "cli/file.h"
#include "cli/json.h"
#include "cli/verb.h"

enum {
    BEFORE = CLI_OPTION_OWN - 1,
#define CLI_OPTION(ID, LETTER, MANY, NAME, VALUE, HELP) ID,
#include "cli/devices_options.def"
#undef CLI_OPTION
};

static const cli_option options[] = {
#define CLI_OPTION(ID, LETTER, MANY, NAME, VALUE, HELP) {ID, LETTER, MANY, NAME, VALUE, HELP},
#include "cli/devices_options.def"
#include "cli/verb_options.def"
#undef CLI_OPTION
    {0},
};

static int run(cli *c, const cli_words *words)
{
    static const char *const kinds[] = {"metal", "emu", "null"};
    if (cli_words_plain(words, 0))
        return cli_usage(c, "'devices' takes no file: '%s'", cli_words_plain(words, 0));
    cli_bytes text = {.pool = &c->pool}, list = {.pool = &c->pool}, why = {.pool = &c->pool};
    cli_json json = {.out = &list};
    cli_json_array(&json, NULL);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        ingot_device *device = NULL;
        ingot_error error = {INGOT_OK, 0, 0, ""};
        if (ingot_device_open(kinds[i], 0, 0, NULL, &device, &error) != INGOT_OK) {
            if (error.status == INGOT_NOT_FOUND) continue;
            return cli_library_error(c, kinds[i], &error);
        }
        cli_bytes_print(&text, "%s:0  %s\n", kinds[i], ingot_device_name(device));
        cli_json_object(&json, NULL);
        cli_json_string(&json, "kind", kinds[i]);
        cli_json_int(&json, "id", 0);
        cli_json_string(&json, "name", ingot_device_name(device));
        cli_json_end(&json);
        ingot_device_release(device);
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
