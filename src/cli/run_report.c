/* What a run did: the launches, and the buffers that it wrote. */
#include "cli/file.h"
#include "cli/json.h"
#include "cli/run.h"
#include "cli/summary.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { FIRST = 8 };

int run_write_files(run *r)
{
    for (size_t i = 0; i < r->param_count; i++) {
        run_param *p = &r->params[i];
        if (!p->out) continue;
        DLDataType dtype = p->info.dtype;
        size_t ndim = p->info.ndim;
        if (dtype.lanes > 1) { /* vector elements are one more dimension in the file */
            p->shape[ndim++] = dtype.lanes;
            dtype.lanes = 1;
        }
        ingot_text *text = NULL;
        ingot_error error = {INGOT_OK, 0, 0, ""};
        cli_bytes why = {.pool = &r->c->pool};
        if (ingot_array_format(p->data, dtype, p->shape, ndim, &text, &error) != INGOT_OK) {
            cli_bytes_print(&why, "--out %s", p->info.name);
            return cli_library_error(r->c, why.data, &error);
        }
        bool ok = cli_file_write(p->out, ingot_text_data(text), ingot_text_size(text), &why);
        ingot_text_release(text);
        if (!ok) return cli_error(r->c, "--out %s: %s", p->info.name, why.data);
        cli_say(r->c, "wrote %s", p->out);
    }
    return CLI_GOOD;
}

static void print_launch(const run_launch *l, cli_bytes *out)
{
    cli_bytes_print(out,
                    "kernel %s: grid (%" PRIu32 ", %" PRIu32 ", %" PRIu32 "), threadgroup (%" PRIu32
                    ", %" PRIu32 ", %" PRIu32 ")",
                    l->kernel, l->grid[0], l->grid[1], l->grid[2], l->group[0], l->group[1],
                    l->group[2]);
    if (l->threadgroup_bytes)
        cli_bytes_print(out, ", %zu bytes of threadgroup memory", l->threadgroup_bytes);
    if (l->count > 1) cli_bytes_print(out, ", %" PRIu64 " times", l->count);
    cli_bytes_text(out, "\n");
}

void run_print_launches(const run *r, cli_bytes *out)
{
    for (size_t i = 0; i < r->launch_count; i++) print_launch(&r->launches[i], out);
}

static void print_time(const run_time *t, cli_bytes *out)
{
    cli_bytes_print(out, "time of %s: %.3f ms", t->kernel, t->total * 1e3);
    if (t->count > 1)
        cli_bytes_print(out, " in %" PRIu64 " launches, the shortest %.3f ms", t->count,
                        t->least * 1e3);
    cli_bytes_text(out, "\n");
}

static void print_buffer(const run_param *p, cli_bytes *out)
{
    char text[CLI_ELEMENT_TEXT];
    const cli_element *e = &p->element;
    ingot_dtype_print(p->info.dtype, text);
    cli_bytes_print(out, "%s: %s[", p->info.name, text);
    for (size_t d = 0; d < p->info.ndim; d++)
        cli_bytes_print(out, "%s%" PRId64, d ? ", " : "", p->shape[d]);
    cli_bytes_text(out, "]");
    if (e->class == CLI_ELEMENT_NONE) {
        cli_bytes_text(out, "\n");
        return;
    }
    cli_summary s = cli_summarize(e, p->data, p->count);
    if (s.numbers) {
        cli_element_print(e, p->data, s.least, text);
        cli_bytes_print(out, ", min %s", text);
        cli_element_print(e, p->data, s.greatest, text);
        cli_bytes_print(out, ", max %s", text);
        if (isfinite(s.mean))
            snprintf(text, sizeof text, "%.9g", s.mean);
        else
            cli_real_print(s.mean, text);
        cli_bytes_print(out, ", mean %s", text);
    }
    if (s.nans) cli_bytes_print(out, ", %zu NaN", s.nans);
    if (s.infinities) cli_bytes_print(out, ", %zu infinite", s.infinities);
    cli_bytes_text(out, "\n");
    if (p->count) cli_bytes_text(out, "   ");
    for (size_t i = 0; i < p->count && i < FIRST; i++) {
        cli_element_print(e, p->data, i, text);
        cli_bytes_print(out, " %s", text);
    }
    if (p->count) cli_bytes_text(out, p->count > FIRST ? " ...\n" : "\n");
}

static void print_report(const run *r, cli_bytes *out)
{
    run_print_launches(r, out);
    for (size_t i = 0; i < r->time_count; i++) print_time(&r->times[i], out);
    for (size_t i = 0; i < r->param_count; i++) {
        if (run_is_shown(&r->params[i])) print_buffer(&r->params[i], out);
    }
    if (r->result.kind == INGOT_VALUE_INT || r->result.kind == INGOT_VALUE_BOOL)
        cli_bytes_print(out, "result: %" PRId64 "\n",
                        r->result.kind == INGOT_VALUE_INT ? r->result.as.integer
                                                          : (int64_t)r->result.as.boolean);
    if (r->result.kind == INGOT_VALUE_FLOAT) {
        char text[CLI_ELEMENT_TEXT];
        cli_real_print(r->result.as.real, text);
        cli_bytes_print(out, "result: %s\n", text);
    }
}

static void json_triple(cli_json *j, const char *key, const uint32_t v[3])
{
    cli_json_row(j, key);
    for (int i = 0; i < 3; i++) cli_json_int(j, NULL, v[i]);
    cli_json_end(j);
}

static void json_numbers(cli_json *j, const run_param *p)
{
    char text[CLI_ELEMENT_TEXT];
    const cli_element *e = &p->element;
    if (e->class == CLI_ELEMENT_NONE) return;
    cli_summary s = cli_summarize(e, p->data, p->count);
    if (s.numbers) {
        cli_element_print(e, p->data, s.least, text);
        cli_json_number(j, "min", text);
        cli_element_print(e, p->data, s.greatest, text);
        cli_json_number(j, "max", text);
        cli_real_print(s.mean, text);
        cli_json_number(j, "mean", text);
    }
    cli_json_int(j, "nan", (int64_t)s.nans);
    cli_json_int(j, "infinite", (int64_t)s.infinities);
    cli_json_row(j, "first");
    for (size_t i = 0; i < p->count && i < FIRST; i++) {
        cli_element_print(e, p->data, i, text);
        cli_json_number(j, NULL, text);
    }
    cli_json_end(j);
}

static void json_buffer(cli_json *j, const run_param *p)
{
    char dtype[40];
    ingot_dtype_print(p->info.dtype, dtype);
    cli_json_object(j, NULL);
    cli_json_string(j, "name", p->info.name);
    cli_json_string(j, "dtype", dtype);
    cli_json_row(j, "shape");
    for (size_t d = 0; d < p->info.ndim; d++) cli_json_int(j, NULL, p->shape[d]);
    cli_json_end(j);
    json_numbers(j, p);
    cli_json_end(j);
}

static void json_result(cli_json *j, const ingot_value *v)
{
    char text[CLI_ELEMENT_TEXT];
    if (v->kind == INGOT_VALUE_INT) cli_json_int(j, "result", v->as.integer);
    if (v->kind == INGOT_VALUE_BOOL) cli_json_bool(j, "result", v->as.boolean != 0);
    if (v->kind != INGOT_VALUE_FLOAT) return;
    cli_real_print(v->as.real, text);
    cli_json_number(j, "result", text);
}

void run_json_launches(const run *r, cli_json *j)
{
    cli_json_array(j, "launches");
    for (size_t i = 0; i < r->launch_count; i++) {
        const run_launch *l = &r->launches[i];
        cli_json_object(j, NULL);
        cli_json_string(j, "kernel", l->kernel);
        json_triple(j, "grid", l->grid);
        json_triple(j, "threadgroup", l->group);
        cli_json_int(j, "threadgroup_memory", (int64_t)l->threadgroup_bytes);
        cli_json_int(j, "count", (int64_t)l->count);
        cli_json_end(j);
    }
    cli_json_end(j);
}

static void json_seconds(cli_json *j, const char *key, double value)
{
    char text[CLI_ELEMENT_TEXT];
    cli_real_print(value, text);
    cli_json_number(j, key, text);
}

static void json_times(cli_json *j, const run *r)
{
    cli_json_array(j, "times");
    for (size_t i = 0; i < r->time_count; i++) {
        cli_json_object(j, NULL);
        cli_json_string(j, "kernel", r->times[i].kernel);
        cli_json_int(j, "count", (int64_t)r->times[i].count);
        json_seconds(j, "seconds", r->times[i].total);
        json_seconds(j, "least", r->times[i].least);
        cli_json_end(j);
    }
    cli_json_end(j);
}

static void json_report(const run *r, cli_bytes *out)
{
    cli_json j = {.out = out};
    cli_json_object(&j, NULL);
    cli_json_string(&j, "function", r->function);
    cli_json_string(&j, "device", ingot_device_name(r->device));
    run_json_launches(r, &j);
    if (r->timed) json_times(&j, r);
    cli_json_array(&j, "buffers");
    for (size_t i = 0; i < r->param_count; i++) {
        if (run_is_shown(&r->params[i])) json_buffer(&j, &r->params[i]);
    }
    cli_json_end(&j);
    json_result(&j, &r->result);
    cli_json_end(&j);
}

int run_report(run *r, bool json)
{
    cli_bytes out = {.pool = &r->c->pool}, why = {.pool = &r->c->pool};
    if (json)
        json_report(r, &out);
    else
        print_report(r, &out);
    if (cli_file_write("-", out.data, out.size, &why)) return CLI_GOOD;
    return cli_error(r->c, "%s", why.data);
}
