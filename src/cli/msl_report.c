/* What a kernel's run left in its buffers. */
#include "cli/file.h"
#include "cli/msl_profile.h"
#include "cli/summary.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FIRST = 8, A_LINE = 8 };

static const void *data_of(const msl_buffer *b)
{
    return ingot_metal_buffer_contents(b->buffer);
}

int msl_write_files(msl_run *r)
{
    for (size_t i = 0; i < r->buffer_count; i++) {
        msl_buffer *b = &r->buffers[i];
        if (!b->out) continue;
        DLDataType type = b->dtype.bits ? b->dtype : (DLDataType){kDLUInt, 8, 1};
        int64_t all = (int64_t)b->bytes;
        ingot_text *text = NULL;
        ingot_error error = {INGOT_OK, 0, 0, ""};
        cli_bytes why = {.pool = &r->c->pool};
        const int64_t *shape = b->dtype.bits ? b->shape : &all;
        if (ingot_array_format(data_of(b), type, shape, b->dtype.bits ? b->ndim : 1, &text, &error) != INGOT_OK) {
            cli_bytes_print(&why, "--out %s", b->info.name);
            return cli_library_error(r->c, why.data, &error);
        }
        bool ok = cli_file_write(b->out, ingot_text_data(text), ingot_text_size(text), &why);
        ingot_text_release(text);
        if (!ok) return cli_error(r->c, "--out %s: %s", b->info.name, why.data);
        cli_say(r->c, "wrote %s", b->out);
    }
    if (!r->profile || !*r->page) return CLI_GOOD;
    cli_bytes page = {.pool = &r->c->pool}, why = {.pool = &r->c->pool};
    msl_profile_page(r, &page);
    if (!cli_file_write(r->page, page.data, page.size, &why)) return cli_error(r->c, "--profile: %s", why.data);
    cli_say(r->c, "wrote %s", r->page);
    return CLI_GOOD;
}

static bool is_shown(const msl_buffer *b)
{
    bool member = b->info.kind == INGOT_METAL_ARGUMENT_VALUE;
    return b->buffer && !member && (b->info.is_written || b->print_all || b->out);
}

static void print_elements(const msl_buffer *b, cli_bytes *out)
{
    char text[CLI_ELEMENT_TEXT];
    size_t most = b->print_all ? b->count : FIRST;
    for (size_t i = 0; i < b->count && i < most; i++) {
        cli_element_print(&b->element, data_of(b), i, text);
        cli_bytes_print(out, "%s %s", i % A_LINE ? "" : i ? "\n   " : "   ", text);
    }
    if (b->count) cli_bytes_text(out, b->count > most ? " ...\n" : "\n");
}

static void print_buffer(const msl_buffer *b, cli_bytes *out)
{
    char text[CLI_ELEMENT_TEXT];
    if (b->at.of) cli_bytes_print(out, "%s: ", b->info.name);
    else cli_bytes_print(out, "%s [[buffer(%u)]]: ", b->info.name, b->info.index);
    if (b->element.class == CLI_ELEMENT_NONE) {
        cli_bytes_print(out, "%zu bytes of %s\n", b->bytes, b->info.type);
        return;
    }
    ingot_dtype_print(b->dtype, text);
    cli_bytes_print(out, "%s[", text);
    for (size_t d = 0; d < b->ndim; d++) cli_bytes_print(out, "%s%" PRId64, d ? ", " : "", b->shape[d]);
    cli_bytes_text(out, "]");
    cli_summary s = cli_summarize(&b->element, data_of(b), b->count);
    if (s.numbers) {
        cli_element_print(&b->element, data_of(b), s.least, text);
        cli_bytes_print(out, ", min %s", text);
        cli_element_print(&b->element, data_of(b), s.greatest, text);
        cli_bytes_print(out, ", max %s", text);
        snprintf(text, sizeof text, "%.9g", s.mean);
        cli_bytes_print(out, ", mean %s", text);
    }
    if (s.nans) cli_bytes_print(out, ", %zu NaN", s.nans);
    if (s.infinities) cli_bytes_print(out, ", %zu infinite", s.infinities);
    cli_bytes_text(out, "\n");
    print_elements(b, out);
}

static void print_launch(const msl_run *r, cli_bytes *out)
{
    uint32_t indirect[3];
    const uint32_t *g = r->grid, *t = r->threads;
    if (r->grid_in) g = memcpy(indirect, (const char *)data_of(r->grid_in) + r->grid_offset, sizeof indirect);
    cli_bytes_print(out, "kernel %s: grid (%u, %u, %u)%s, threadgroup (%u, %u, %u)\n",
                    ingot_metal_function_name(r->function), g[0], g[1], g[2], r->by_threads ? " threads" : "", t[0], t[1],
                    t[2]);
}

static void json_triple(cli_json *j, const char *key, const uint32_t v[3])
{
    cli_json_row(j, key);
    for (int i = 0; i < 3; i++) cli_json_int(j, NULL, v[i]);
    cli_json_end(j);
}

static void json_elements(const msl_buffer *b, cli_json *j)
{
    char text[CLI_ELEMENT_TEXT];
    cli_summary s = cli_summarize(&b->element, data_of(b), b->count);
    if (s.numbers) {
        cli_element_print(&b->element, data_of(b), s.least, text);
        cli_json_number(j, "min", text);
        cli_element_print(&b->element, data_of(b), s.greatest, text);
        cli_json_number(j, "max", text);
        cli_real_print(s.mean, text);
        cli_json_number(j, "mean", text);
    }
    cli_json_int(j, "nan", (int64_t)s.nans);
    cli_json_int(j, "infinite", (int64_t)s.infinities);
    cli_json_row(j, b->print_all ? "values" : "first");
    for (size_t i = 0; i < b->count && (b->print_all || i < FIRST); i++) {
        cli_element_print(&b->element, data_of(b), i, text);
        cli_json_number(j, NULL, text);
    }
    cli_json_end(j);
}

static void json_buffer(const msl_buffer *b, cli_json *j)
{
    char dtype[40] = "";
    cli_json_object(j, NULL);
    cli_json_string(j, "name", b->info.name);
    if (!b->at.of) cli_json_int(j, "buffer", b->info.index);
    if (b->element.class != CLI_ELEMENT_NONE) {
        ingot_dtype_print(b->dtype, dtype);
        cli_json_string(j, "dtype", dtype);
        cli_json_row(j, "shape");
        for (size_t d = 0; d < b->ndim; d++) cli_json_int(j, NULL, b->shape[d]);
        cli_json_end(j);
        json_elements(b, j);
    } else {
        cli_json_string(j, "type", b->info.type);
        cli_json_int(j, "bytes", (int64_t)b->bytes);
    }
    cli_json_end(j);
}

static void json_report(const msl_run *r, cli_bytes *out)
{
    cli_json json = {.out = out}, *j = &json;
    cli_json_object(j, NULL);
    cli_json_string(j, "file", r->text.file);
    cli_json_string(j, "kernel", ingot_metal_function_name(r->function));
    json_triple(j, r->by_threads ? "grid_threads" : "grid", r->grid);
    json_triple(j, "threadgroup", r->threads);
    if (r->find.options.seed) cli_json_int(j, "order", (int64_t)r->find.options.seed);
    if (r->seed || r->find.options.seed) cli_json_int(j, "seed", (int64_t)r->seed);
    if (!r->check_only) {
        cli_json_array(j, "buffers");
        for (size_t i = 0; i < r->buffer_count; i++) {
            if (is_shown(&r->buffers[i])) json_buffer(&r->buffers[i], j);
        }
        cli_json_end(j);
    }
    if (r->profile) msl_profile_json(r, j);
    if (r->checked) findings_json(&r->find, j);
    cli_json_end(j);
}

int msl_report(msl_run *r)
{
    cli_bytes out = {.pool = &r->c->pool}, why = {.pool = &r->c->pool};
    switch (r->find.format) {
    case FINDINGS_SARIF: findings_sarif(&r->find, &out); break;
    case FINDINGS_JSON: json_report(r, &out); break;
    case FINDINGS_TEXT:
        if (r->checked) findings_text(&r->find, false, &out);
        print_launch(r, &out);
        if (r->checked && findings_clean(&r->find)) cli_bytes_text(&out, "no findings\n");
        if (r->find.options.seed)
            cli_bytes_print(&out, "to run it again: --order %" PRIu64 " --seed %" PRIu64 "\n", r->find.options.seed, r->seed);
        for (size_t i = 0; !r->check_only && i < r->buffer_count; i++) {
            if (is_shown(&r->buffers[i])) print_buffer(&r->buffers[i], &out);
        }
        if (r->profile) msl_profile_table(r, &out);
        break;
    }
    if (!cli_file_write("-", out.data, out.size, &why)) return cli_error(r->c, "%s", why.data);
    return r->checked && !findings_clean(&r->find) ? CLI_INPUT : CLI_GOOD;
}
