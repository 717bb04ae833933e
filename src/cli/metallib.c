/* Reading and writing the files of `ingot metallib`. */
#include "cli/metallib.h"

#include "cli/file.h"

#include <string.h>

static bool is_fat(const cli_bytes *bytes)
{
    return strcmp(ingot_payload_kind(bytes->data, bytes->size), "Metal fat binary") == 0;
}

/* "2  AIR (a metallib), 5120 bytes" for each slice. */
static void list_slices(const cli_bytes *file, size_t count, cli_bytes *out)
{
    ingot_fat_slice slice;
    for (size_t i = 0; i < count; i++) {
        if (ingot_fat_slice_at(file->data, file->size, i, &slice, NULL) != INGOT_OK) continue;
        cli_bytes_print(out, "\n  %zu: %s, %zu bytes", i, slice.what, slice.size);
    }
}

static bool holds_metallib(const ingot_fat_slice *slice)
{
    return strcmp(ingot_payload_kind(slice->bytes, slice->size), "metallib") == 0;
}

/* The slice that is meant, into *out. */
static int pick_slice(cli *c, const char *slice, metallib_file *file, ingot_fat_slice *out)
{
    ingot_error error = {INGOT_OK, 0, 0, ""};
    ingot_fat_slice at;
    ingot_status status;
    size_t found = 0;
    while ((status = ingot_fat_slice_at(file->bytes.data, file->bytes.size, file->slices, &at, &error)) == INGOT_OK) {
        if (holds_metallib(&at)) {
            *out = at;
            found++;
        }
        file->slices++;
    }
    if (status != INGOT_NOT_FOUND) return cli_library_error(c, file->name, &error);
    cli_bytes list = {.pool = &c->pool};
    list_slices(&file->bytes, file->slices, &list);
    uint64_t index = 0;
    if (slice) {
        if (!cli_parse_count(slice, 0, UINT32_MAX, &index)) return cli_usage(c, "--slice is a whole number, not '%s'", slice);
        if (index < file->slices && ingot_fat_slice_at(file->bytes.data, file->bytes.size, (size_t)index, out, &error) == INGOT_OK)
            return CLI_GOOD;
        return cli_error(c, "%s: no slice %s; its slices are%s", file->name, slice, list.size ? list.data : " none");
    }
    if (found == 1) return CLI_GOOD;
    return cli_error(c, "%s: a Metal fat binary with %zu metallibs: pick one with --slice%s", file->name, found,
                     list.size ? list.data : "");
}

int metallib_open(cli *c, const char *name, const char *slice, metallib_file *out)
{
    *out = (metallib_file){.name = name, .bytes = {.pool = &c->pool}};
    cli_bytes why = {.pool = &c->pool};
    ingot_error error = {INGOT_OK, 0, 0, ""};
    if (!cli_file_read(name, &out->bytes, &why)) return cli_error(c, "%s", why.data);
    ingot_fat_slice part = {.bytes = out->bytes.data, .size = out->bytes.size};
    if (is_fat(&out->bytes)) {
        int code = pick_slice(c, slice, out, &part);
        if (code != CLI_GOOD) return code;
    } else if (slice) {
        return cli_usage(c, "%s is no fat binary: leave --slice out", name);
    }
    if (ingot_metallib_read(part.bytes, part.size, NULL, &out->library, &error) == INGOT_OK) return CLI_GOOD;
    return cli_library_error(c, name, &error);
}

int metallib_save(cli *c, const ingot_metallib *library, const char *path)
{
    if (!path) return cli_usage(c, "where to? Give -o FILE (or -o - for standard output)");
    if (cli_file_is_terminal(path)) return cli_usage(c, "standard output is a terminal and a metallib is no text: use a pipe or a file");
    ingot_error error = {INGOT_OK, 0, 0, ""};
    ingot_text *text = NULL;
    cli_bytes why = {.pool = &c->pool};
    if (ingot_metallib_write(library, &text, &error) != INGOT_OK) return cli_library_error(c, path, &error);
    bool good = cli_file_write(path, ingot_text_data(text), ingot_text_size(text), &why);
    ingot_text_release(text);
    return good ? CLI_GOOD : cli_error(c, "%s", why.data);
}
