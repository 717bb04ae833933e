/* A profile as a table and as JSON. */
#include "cli/msl_profile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

uint64_t msl_profile_weight(const ingot_profile_row *row)
{
    return row->instructions + row->lines * 4 + row->conflicts;
}

uint32_t msl_profile_groups(const msl_run *r, size_t *bytes)
{
    ingot_metal_limits limits;
    ingot_metal_device_limits(r->text.device, &limits);
    *bytes = ingot_metal_pipeline_static_threadgroup_memory_length(r->pipeline);
    for (size_t i = 0; i < MSL_MOST_LENGTHS; i++) *bytes += r->lengths[i];
    return *bytes ? (uint32_t)(limits.max_threadgroup_memory_length / *bytes) : 0;
}

/* The rows of lines, the dearest first. */
static int by_weight(const void *a, const void *b)
{
    const ingot_profile_row *x = a, *y = b;
    uint64_t wx = msl_profile_weight(x), wy = msl_profile_weight(y);
    if (wx != wy) return wx < wy ? 1 : -1;
    return x->line < y->line ? -1 : x->line > y->line;
}

static double share(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

/* The text of a line of the run's own file; "" for headers. */
static void print_line_text(const msl_run *r, const ingot_profile_row *row, cli_bytes *out)
{
    const char *at = r->text.bytes.data ? r->text.bytes.data : "";
    if (strcmp(row->file, r->text.file) != 0) return;
    for (uint32_t line = 1; line < row->line && *at; line++) {
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    at += strspn(at, " \t");
    size_t size = strcspn(at, "\r\n");
    cli_bytes_put(out, at, size < 60 ? size : 60);
}

static void print_row(const msl_run *r, const ingot_profile_row *row, uint64_t all, cli_bytes *out)
{
    cli_bytes_print(out, "%5.1f%% %12" PRIu64 " %5.1f%% %9" PRIu64 " %10" PRIu64, share(msl_profile_weight(row), all),
                    row->instructions, share(row->threads, row->instructions * 32), row->accesses,
                    row->device_bytes + row->threadgroup_bytes);
    if (row->lines)
        cli_bytes_print(out, " %7.2fx", (double)row->lines / (double)(row->least_lines ? row->least_lines : 1));
    else
        cli_bytes_print(out, " %8s", "");
    cli_bytes_print(out, " %9" PRIu64 " %9" PRIu64 " %8" PRIu64 "  %5u  ", row->conflicts, row->divergent, row->barriers,
                    row->line);
    print_line_text(r, row, out);
    cli_bytes_text(out, "\n");
}

static void print_occupancy(const msl_run *r, cli_bytes *out)
{
    size_t bytes;
    uint32_t groups = msl_profile_groups(r, &bytes);
    uint64_t threads = (uint64_t)r->threads[0] * r->threads[1] * r->threads[2];
    cli_bytes_print(out, "occupancy: %" PRIu64 " threads a threadgroup in %" PRIu64 " simdgroups", threads, (threads + 31) / 32);
    if (threads % 32) cli_bytes_print(out, ", the last with %" PRIu64 " of 32", threads % 32);
    cli_bytes_print(out, "; %zu bytes of threadgroup memory", bytes);
    if (groups) cli_bytes_print(out, ", which let %u threadgroups share 32 KiB", groups);
    cli_bytes_text(out, "\n");
}

void msl_profile_table(const msl_run *r, cli_bytes *out)
{
    size_t count = ingot_profile_count(r->profile), lines = 0;
    ingot_profile_row *rows = cli_pool_new(&r->c->pool, count + 1, sizeof *rows);
    uint64_t all = 0;
    for (size_t i = 0; i < count; i++) {
        if (ingot_profile_row_at(r->profile, i, &rows[lines]) != INGOT_OK || rows[lines].column) continue;
        all += msl_profile_weight(&rows[lines++]);
    }
    qsort(rows, lines, sizeof *rows, by_weight);
    cli_bytes_text(out, "  cost instructions active  accesses      bytes    lines conflicts divergent barriers   line\n");
    for (size_t i = 0; i < lines; i++) print_row(r, &rows[i], all, out);
    print_occupancy(r, out);
}

static void json_row(const ingot_profile_row *row, cli_json *j)
{
    cli_json_object(j, NULL);
    cli_json_string(j, "file", row->file);
    cli_json_int(j, "line", row->line);
    if (row->column) cli_json_int(j, "column", row->column);
    cli_json_int(j, "instructions", (int64_t)row->instructions);
    cli_json_int(j, "active_threads", (int64_t)row->threads);
    cli_json_int(j, "accesses", (int64_t)row->accesses);
    cli_json_int(j, "device_bytes", (int64_t)row->device_bytes);
    cli_json_int(j, "threadgroup_bytes", (int64_t)row->threadgroup_bytes);
    cli_json_int(j, "lines", (int64_t)row->lines);
    cli_json_int(j, "least_lines", (int64_t)row->least_lines);
    cli_json_int(j, "bank_conflicts", (int64_t)row->conflicts);
    cli_json_int(j, "branches", (int64_t)row->branches);
    cli_json_int(j, "divergent", (int64_t)row->divergent);
    cli_json_int(j, "barriers", (int64_t)row->barriers);
    if (row->column) {
        cli_json_string(j, "memory", row->memory);
        cli_json_string(j, "space", row->is_threadgroup ? "threadgroup" : "device");
        cli_json_bool(j, "write", row->is_write);
        cli_json_int(j, "access_bytes", row->bytes);
        cli_json_row(j, "offsets");
        for (unsigned k = 0; k < 32; k++) {
            if (row->active >> k & 1) cli_json_int(j, NULL, row->offset[k]);
            else cli_json_string(j, NULL, NULL);
        }
        cli_json_end(j);
    }
    cli_json_end(j);
}

void msl_profile_json(const msl_run *r, cli_json *j)
{
    size_t bytes;
    uint32_t groups = msl_profile_groups(r, &bytes);
    cli_json_object(j, "profile");
    for (int accesses = 0; accesses < 2; accesses++) {
        cli_json_array(j, accesses ? "accesses" : "lines");
        ingot_profile_row row;
        for (size_t i = 0; ingot_profile_row_at(r->profile, i, &row) == INGOT_OK; i++) {
            if ((row.column != 0) == accesses) json_row(&row, j);
        }
        cli_json_end(j);
    }
    cli_json_int(j, "threadgroup_memory", (int64_t)bytes);
    if (groups) cli_json_int(j, "threadgroups_in_32_kib", groups);
    cli_json_end(j);
}
