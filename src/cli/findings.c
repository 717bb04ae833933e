/* Options of checks, and findings as text and JSON. */
#include "cli/findings.h"

#include <inttypes.h>
#include <string.h>

static int take_format(findings *f, const char *text)
{
    static const char *const names[] = {"text", "json", "sarif"};
    for (unsigned i = 0; i < 3; i++) {
        if (strcmp(names[i], text) != 0) continue;
        f->format = (findings_format)i;
        return CLI_GOOD;
    }
    return cli_usage(f->c, "--format is text, json or sarif, not '%s'", text);
}

/* A random order is drawn from what differs from run to run. */
static int take_order(findings *f, const char *text)
{
    if (!text) return CLI_GOOD;
    if (strcmp(text, "random") == 0) {
        double now = cli_seconds();
        uint64_t bits;
        memcpy(&bits, &now, sizeof bits);
        f->options.seed = (bits * UINT64_C(0x9e3779b97f4a7c15) >> 33) + 1;
        return CLI_GOOD;
    }
    if (cli_parse_count(text, 1, UINT64_MAX, &f->options.seed)) return CLI_GOOD;
    return cli_usage(f->c, "--order: '%s' is no number from 1 on, nor 'random'", text);
}

int findings_open(findings *f, cli *c, const cli_words *words, const char *checks)
{
    const char *most = cli_words_value(words, FIND_MOST),
               *format = cli_words_value(words, FIND_FORMAT);
    f->c = c;
    f->options = (ingot_checker_options)INGOT_CHECKER_OPTIONS_INIT;
    if (!checks) f->options.checks = 0;
    if (take_order(f, cli_words_value(words, FIND_ORDER)) != CLI_GOOD) return CLI_USAGE;
    uint64_t count = 0;
    if (format && take_format(f, format) != CLI_GOOD) return CLI_USAGE;
    if (checks && *checks && ingot_check_parse(checks, &f->options.checks, &f->stopped) != INGOT_OK)
        return cli_usage(c, "%s", f->stopped.message);
    if (most && !cli_parse_count(most, 1, 100000, &count))
        return cli_usage(c, "--max-findings: '%s' is no number from 1 to 100000", most);
    f->options.max_findings = (size_t)count;
    f->options.target = f->target;
    if (ingot_checker_create(&f->options, NULL, &f->checker, &f->stopped) == INGOT_OK) return CLI_GOOD;
    return cli_library_error(c, NULL, &f->stopped);
}

void findings_close(findings *f)
{
    ingot_checker_release(f->checker);
}

bool findings_clean(const findings *f)
{
    return ingot_checker_count(f->checker) == 0 && f->stopped.status == INGOT_OK;
}

void findings_text(const findings *f, bool colour, cli_bytes *out)
{
    size_t count = ingot_checker_count(f->checker);
    for (size_t i = 0; i < count; i++) {
        ingot_finding one;
        ingot_text *text = NULL;
        if (ingot_checker_finding(f->checker, i, &one) != INGOT_OK) continue;
        if (ingot_finding_format(&one, colour, &text, NULL) == INGOT_OK)
            cli_bytes_put(out, ingot_text_data(text), ingot_text_size(text));
        ingot_text_release(text);
        cli_bytes_text(out, "\n");
    }
    if (f->stopped.status != INGOT_OK) cli_bytes_print(out, "error: %s\n", f->stopped.message);
    uint64_t dropped = ingot_checker_dropped(f->checker);
    if (count) cli_bytes_print(out, "%zu finding%s", count, count == 1 ? "" : "s");
    if (dropped) cli_bytes_print(out, ", and %" PRIu64 " more that are not shown", dropped);
    if (count) cli_bytes_text(out, "\n");
}

static void json_triple(cli_json *j, const char *key, const uint32_t v[3])
{
    cli_json_row(j, key);
    for (int i = 0; i < 3; i++) cli_json_int(j, NULL, v[i]);
    cli_json_end(j);
}

static void json_place(cli_json *j, const char *key, const ingot_place *p)
{
    if (p->line == 0) return;
    cli_json_object(j, key);
    cli_json_string(j, "file", p->file);
    cli_json_int(j, "line", p->line);
    cli_json_int(j, "column", p->column);
    cli_json_int(j, "end_column", p->end_column);
    cli_json_string(j, "text", p->text);
    if (p->has_thread) {
        json_triple(j, "thread", p->thread);
        json_triple(j, "threadgroup", p->threadgroup);
        cli_json_int(j, "simdgroup", p->simdgroup);
        cli_json_int(j, "lane", p->lane);
    }
    cli_json_end(j);
}

static void json_finding(cli_json *j, const ingot_finding *f)
{
    cli_json_object(j, NULL);
    cli_json_string(j, "check", ingot_check_name(f->check));
    cli_json_string(j, "rule", f->rule);
    cli_json_string(j, "kernel", f->kernel);
    cli_json_string(j, "message", f->message);
    cli_json_string(j, "fix", f->fix);
    json_place(j, "place", &f->first);
    json_place(j, "other_place", &f->second);
    if (f->memory != INGOT_MEMORY_NONE) {
        cli_json_object(j, "memory");
        cli_json_string(j, "name", f->buffer);
        if (f->memory == INGOT_MEMORY_BUFFER) cli_json_int(j, "buffer", f->index);
        if (f->memory == INGOT_MEMORY_LENGTH) cli_json_int(j, "threadgroup", f->index);
        if (f->size) {
            cli_json_int(j, "byte", f->byte);
            cli_json_int(j, "element", f->element);
            cli_json_int(j, "access_bytes", f->size);
            cli_json_int(j, "bytes", (int64_t)f->memory_size);
            cli_json_int(j, "distance", f->distance);
        }
        cli_json_end(j);
    }
    cli_json_int(j, "times", (int64_t)f->times);
    cli_json_end(j);
}

void findings_json(const findings *f, cli_json *j)
{
    cli_json_array(j, "findings");
    for (size_t i = 0; i < ingot_checker_count(f->checker); i++) {
        ingot_finding one;
        if (ingot_checker_finding(f->checker, i, &one) == INGOT_OK) json_finding(j, &one);
    }
    cli_json_end(j);
    cli_json_int(j, "dropped", (int64_t)ingot_checker_dropped(f->checker));
    cli_json_string(j, "error", f->stopped.status != INGOT_OK ? f->stopped.message : NULL);
}
