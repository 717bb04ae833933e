/* Findings as a SARIF 2.1.0 log, for the tools of code hosts. */
#include "cli/findings.h"

#include <string.h>

/* The path as a URI: what may not stand in one is escaped. */
static void json_uri(cli_json *j, const char *path)
{
    cli_bytes uri = {.pool = j->out->pool};
    for (const unsigned char *at = (const unsigned char *)path; *at; at++) {
        bool plain = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9') ||
                     strchr("-._~/", *at);
        cli_bytes_print(&uri, plain ? "%c" : "%%%02X", *at);
    }
    cli_json_string(j, "uri", uri.data ? uri.data : "");
}

static void json_message(cli_json *j, const char *key, const char *text)
{
    cli_json_object(j, key);
    cli_json_string(j, "text", text);
    cli_json_end(j);
}

static void json_region(cli_json *j, const ingot_place *p)
{
    cli_json_object(j, "region");
    cli_json_int(j, "startLine", p->line);
    cli_json_int(j, "startColumn", p->column);
    if (p->end_column > p->column) cli_json_int(j, "endColumn", p->end_column);
    if (p->text && *p->text) json_message(j, "snippet", p->text);
    cli_json_end(j);
}

/* A location; the place's file, or (line 0) the program as a whole. */
static void json_location(cli_json *j, const ingot_place *p, const char *file, const char *note)
{
    cli_json_object(j, NULL);
    cli_json_object(j, "physicalLocation");
    cli_json_object(j, "artifactLocation");
    json_uri(j, p->line ? p->file : file);
    cli_json_end(j);
    if (p->line) json_region(j, p);
    cli_json_end(j);
    if (note) json_message(j, "message", note);
    cli_json_end(j);
}

static void print_thread(const ingot_place *p, cli_bytes *out)
{
    if (p->has_thread)
        cli_bytes_print(out, "thread (%u, %u, %u) of threadgroup (%u, %u, %u), simdgroup %u, lane %u", p->thread[0],
                        p->thread[1], p->thread[2], p->threadgroup[0], p->threadgroup[1], p->threadgroup[2],
                        p->simdgroup, p->lane);
    else
        cli_bytes_text(out, "the other place");
}

static void json_result(cli_json *j, const findings *f, const ingot_finding *one, size_t rule)
{
    cli_bytes text = {.pool = j->out->pool}, other = {.pool = j->out->pool};
    cli_bytes_print(&text, "kernel '%s': %s. ", one->kernel, one->message);
    if (one->first.has_thread) {
        print_thread(&one->first, &text);
        cli_bytes_text(&text, ". ");
    }
    cli_bytes_text(&text, one->fix);
    cli_json_object(j, NULL);
    cli_json_string(j, "ruleId", one->rule);
    cli_json_int(j, "ruleIndex", (int64_t)rule);
    cli_json_string(j, "level", one->check == INGOT_CHECK_NUMERICS ? "warning" : "error");
    json_message(j, "message", text.data);
    cli_json_array(j, "locations");
    json_location(j, &one->first, f->file, NULL);
    cli_json_end(j);
    if (one->second.line) {
        print_thread(&one->second, &other);
        cli_json_array(j, "relatedLocations");
        json_location(j, &one->second, f->file, other.data);
        cli_json_end(j);
    }
    if (one->times > 0) cli_json_int(j, "occurrenceCount", (int64_t)one->times);
    cli_json_end(j);
}

/* Every rule there is: results name theirs by its place in the list. */
static void json_rules(cli_json *j)
{
    ingot_rule r;
    cli_json_array(j, "rules");
    for (size_t i = 0; ingot_check_rule(i, &r); i++) {
        cli_json_object(j, NULL);
        cli_json_string(j, "id", r.name);
        json_message(j, "shortDescription", ingot_check_text(r.check));
        json_message(j, "help", r.fix);
        cli_json_object(j, "properties");
        cli_json_row(j, "tags");
        cli_json_string(j, NULL, ingot_check_name(r.check));
        cli_json_end(j);
        cli_json_end(j);
        cli_json_end(j);
    }
    cli_json_end(j);
}

static size_t rule_index(const char *name)
{
    ingot_rule r;
    size_t i = 0;
    while (ingot_check_rule(i, &r) && strcmp(r.name, name) != 0) i++;
    return i;
}

static void json_invocation(cli_json *j, const findings *f)
{
    cli_json_array(j, "invocations");
    cli_json_object(j, NULL);
    cli_json_bool(j, "executionSuccessful", f->stopped.status == INGOT_OK);
    if (f->stopped.status != INGOT_OK) {
        ingot_place p = {.file = f->file, .line = 0};
        cli_json_array(j, "toolExecutionNotifications");
        cli_json_object(j, NULL);
        cli_json_string(j, "level", "error");
        json_message(j, "message", f->stopped.message);
        cli_json_array(j, "locations");
        json_location(j, &p, f->file, NULL);
        cli_json_end(j);
        cli_json_end(j);
        cli_json_end(j);
    }
    cli_json_end(j);
    cli_json_end(j);
}

void findings_sarif(const findings *f, cli_bytes *out)
{
    cli_json json = {.out = out}, *j = &json;
    cli_json_object(j, NULL);
    cli_json_string(j, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    cli_json_string(j, "version", "2.1.0");
    cli_json_array(j, "runs");
    cli_json_object(j, NULL);
    cli_json_object(j, "tool");
    cli_json_object(j, "driver");
    cli_json_string(j, "name", "ingot");
    cli_json_string(j, "version", ingot_version());
    json_rules(j);
    cli_json_end(j);
    cli_json_end(j);
    cli_json_string(j, "columnKind", "unicodeCodePoints");
    json_invocation(j, f);
    cli_json_array(j, "results");
    for (size_t i = 0; i < ingot_checker_count(f->checker); i++) {
        ingot_finding one;
        if (ingot_checker_finding(f->checker, i, &one) == INGOT_OK) json_result(j, f, &one, rule_index(one.rule));
    }
    cli_json_end(j);
    cli_json_end(j);
    cli_json_end(j);
    cli_json_end(j);
}
