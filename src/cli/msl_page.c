/* A profile as one HTML page: the source shaded by cost, each memory access drawn. */
#include "cli/msl_profile.h"

#include <inttypes.h>
#include <string.h>

static void html(cli_bytes *out, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        switch (text[i]) {
        case '<': cli_bytes_text(out, "&lt;"); break;
        case '>': cli_bytes_text(out, "&gt;"); break;
        case '&': cli_bytes_text(out, "&amp;"); break;
        case '"': cli_bytes_text(out, "&quot;"); break;
        default: cli_bytes_put(out, &text[i], 1); break;
        }
    }
}

static void print_style(cli_bytes *out)
{
    cli_bytes_text(out,
                   "<style>\n"
                   "body{font:14px/1.45 system-ui,sans-serif;margin:2em;padding:0;color:#1c1e21;"
                   "background:#fff}\n"
                   "h1{font-size:1.4em}h2{font-size:1.1em;margin-top:2em}p{max-width:60em}\n"
                   "table{border-collapse:collapse}th{text-align:right;font-weight:600;padding:2px 7px;white-space:nowrap;border-bottom:1px solid "
                   "#bbb;position:sticky;top:0;background:#fff}\n"
                   "td{text-align:right;padding:1px 7px;font-variant-numeric:tabular-nums;white-space:nowrap}\n"
                   "td.s,th.s{text-align:left;font-family:ui-monospace,monospace;font-size:12.5px;white-space:pre;tab-size:4}\n"
                   "td.n{color:#888}td.bad{color:#b00020;font-weight:600}\n"
                   "figure{margin:1.2em 0;padding:.8em 1em;border:1px solid #ddd;border-radius:6px;max-width:60em;overflow-x:auto}\n"
                   "figcaption{margin-bottom:.6em}code{font-family:ui-monospace,monospace}\n"
                   "svg text{font:11px system-ui,sans-serif;fill:#555}\n"
                   "</style>\n");
}

/* ---- The source ------------------------------------------------------------------------------ */

static void cell(cli_bytes *out, uint64_t value, bool bad)
{
    if (value) cli_bytes_print(out, bad ? "<td class=bad>%" PRIu64 "</td>" : "<td>%" PRIu64 "</td>", value);
    else cli_bytes_text(out, "<td></td>");
}

static void print_costs(cli_bytes *out, const ingot_profile_row *row, uint64_t most, uint64_t all)
{
    uint64_t weight = msl_profile_weight(row);
    cli_bytes_print(out, "<td>%.1f%%</td>", all ? 100.0 * (double)weight / (double)all : 0.0);
    cell(out, row->instructions, false);
    double active = row->instructions ? 100.0 * (double)row->threads / (double)(row->instructions * 32) : 100.0;
    cli_bytes_print(out, active < 99.9 ? "<td class=bad>%.0f%%</td>" : "<td>%.0f%%</td>", active);
    cell(out, row->device_bytes, false);
    if (row->lines) {
        double ratio = (double)row->lines / (double)(row->least_lines ? row->least_lines : 1);
        cli_bytes_print(out, ratio > 1.5 ? "<td class=bad>%.2f&times;</td>" : "<td>%.2f&times;</td>", ratio);
    } else {
        cli_bytes_text(out, "<td></td>");
    }
    cell(out, row->threadgroup_bytes, false);
    cell(out, row->conflicts, true);
    if (row->branches) cli_bytes_print(out, row->divergent ? "<td class=bad>%" PRIu64 " of %" PRIu64 "</td>" : "<td>%" PRIu64
                                                                                                          " of %" PRIu64 "</td>",
                                       row->divergent, row->branches);
    else cli_bytes_text(out, "<td></td>");
    cell(out, row->barriers, false);
    cli_bytes_print(out, "<td class=s style=\"background:rgba(255,120,0,%.3f)\">",
                    most ? 0.75 * (double)weight / (double)most : 0.0);
}

static bool line_row(const msl_run *r, uint32_t line, ingot_profile_row *row)
{
    for (size_t i = 0; ingot_profile_row_at(r->profile, i, row) == INGOT_OK; i++) {
        if (row->line == line && row->column == 0 && strcmp(row->file, r->text.file) == 0) return true;
    }
    return false;
}

static void print_source(const msl_run *r, cli_bytes *out)
{
    uint64_t most = 0, all = 0;
    ingot_profile_row row;
    for (size_t i = 0; ingot_profile_row_at(r->profile, i, &row) == INGOT_OK; i++) {
        if (row.column) continue;
        uint64_t weight = msl_profile_weight(&row);
        most = weight > most ? weight : most;
        all += weight;
    }
    cli_bytes_text(out, "<table><tr><th></th><th>cost</th><th>instructions</th><th>active</th><th>device bytes</th>"
                        "<th>lines</th><th>threadgroup bytes</th><th>conflicts</th><th>divergent</th><th>barriers</th>"
                        "<th class=s>source</th></tr>\n");
    const char *at = r->text.bytes.data ? r->text.bytes.data : "";
    for (uint32_t line = 1; *at; line++) {
        size_t size = strcspn(at, "\n");
        cli_bytes_print(out, "<tr id=L%u><td class=n>%u</td>", line, line);
        if (line_row(r, line, &row)) print_costs(out, &row, most, all);
        else cli_bytes_text(out, "<td></td><td></td><td></td><td></td><td></td><td></td><td></td><td></td><td></td><td class=s>");
        html(out, at, size && at[size - 1] == '\r' ? size - 1 : size);
        cli_bytes_text(out, "</td></tr>\n");
        at += size + (at[size] == '\n');
    }
    cli_bytes_text(out, "</table>\n");
}

/* ---- The accesses ----------------------------------------------------------------------------- */

/* A colour for each thread, from blue to red. */
static unsigned hue(unsigned thread)
{
    return 220 - thread * 220 / 31;
}

enum { CELL = 13, GAP = 1, MOST_LINES = 16 };

static void draw_word(cli_bytes *out, unsigned x, unsigned y, int thread)
{
    if (thread < 0)
        cli_bytes_print(out, "<rect x=%u y=%u width=%d height=%d fill=\"#eee\"/>", x, y, CELL - GAP, CELL - GAP);
    else
        cli_bytes_print(out, "<rect x=%u y=%u width=%d height=%d fill=\"hsl(%u 70%% 55%%)\"><title>thread %d</title></rect>", x,
                        y, CELL - GAP, CELL - GAP, hue((unsigned)thread), thread);
}

/* The first thread that touches the word; -1 for none. */
static int toucher(const ingot_profile_row *row, int64_t word)
{
    for (int k = 0; k < 32; k++) {
        if ((row->active >> k & 1) && row->offset[k] < (word + 1) * 4 && row->offset[k] + (int64_t)row->bytes > word * 4)
            return k;
    }
    return -1;
}

/* The lines of 128 bytes that are touched, in the order of the threads; up to MOST_LINES of them. */
static unsigned lines_of(const ingot_profile_row *row, int64_t out[MOST_LINES])
{
    unsigned n = 0;
    for (unsigned k = 0; k < 32; k++) {
        if (!(row->active >> k & 1) || row->offset[k] < 0) continue;
        for (int64_t line = row->offset[k] / 128; line <= (row->offset[k] + (int64_t)row->bytes - 1) / 128; line++) {
            unsigned i = 0;
            while (i < n && out[i] != line) i++;
            if (i == n && n < MOST_LINES) out[n++] = line;
        }
    }
    return n;
}

/* Each touched line of memory a row of 32 words, coloured by the thread that takes it. */
static void draw_lines(cli_bytes *out, const ingot_profile_row *row)
{
    int64_t lines[MOST_LINES];
    unsigned n = lines_of(row, lines);
    cli_bytes_print(out, "<svg width=%d height=%u role=img>", 32 * CELL + 90, n * (CELL + 3) + 4);
    for (unsigned i = 0; i < n; i++) {
        unsigned y = i * (CELL + 3) + 2;
        cli_bytes_print(out, "<text x=76 y=%u text-anchor=end>byte %" PRId64 "</text>", y + 10, lines[i] * 128);
        for (unsigned w = 0; w < 32; w++) draw_word(out, 84 + w * CELL, y, toucher(row, lines[i] * 32 + w));
    }
    cli_bytes_text(out, "</svg>\n");
}

/* The 32 banks as columns: a word that one has to give is a square, coloured by its thread. */
static void draw_banks(cli_bytes *out, const ingot_profile_row *row)
{
    unsigned height[32] = {0}, tallest = row->turns < 32 ? row->turns : 32;
    cli_bytes_print(out, "<svg width=%d height=%u role=img>", 32 * CELL + 90, tallest * CELL + 20);
    cli_bytes_print(out, "<text x=76 y=%u text-anchor=end>banks</text>", tallest * CELL + 14);
    for (unsigned b = 0; b < 32; b += 8)
        cli_bytes_print(out, "<text x=%u y=%u>%u</text>", 84 + b * CELL, tallest * CELL + 14, b);
    for (unsigned k = 0; k < 32; k++) {
        if (!(row->active >> k & 1) || row->offset[k] < 0) continue;
        for (int64_t w = row->offset[k] / 4; w <= (row->offset[k] + (int64_t)row->bytes - 1) / 4; w++) {
            unsigned bank = (unsigned)(w % 32);
            if (toucher(row, w) != (int)k || height[bank] >= tallest) continue; /* a word that two take is given once */
            height[bank]++;
            draw_word(out, 84 + bank * CELL, (tallest - height[bank]) * CELL, (int)k);
        }
    }
    cli_bytes_text(out, "</svg>\n");
}

static void print_access(const ingot_profile_row *row, cli_bytes *out)
{
    cli_bytes_print(out, "<figure><figcaption><a href=\"#L%u\">%u:%u</a> %s of <code>", row->line, row->line, row->column,
                    row->is_write ? "write" : "read");
    html(out, row->memory, strlen(row->memory));
    cli_bytes_print(out, "</code>, %u bytes a thread, %" PRIu64 " times: ", row->bytes, row->accesses);
    if (row->is_threadgroup)
        cli_bytes_print(out, "at worst %u turn%s of the banks, %" PRIu64 " more than needed in all", row->turns,
                        row->turns == 1 ? "" : "s", row->conflicts);
    else
        cli_bytes_print(out, "at worst %u line%s of 128 bytes, %.2f times the fewest in all", row->touched,
                        row->touched == 1 ? "" : "s", (double)row->lines / (double)(row->least_lines ? row->least_lines : 1));
    cli_bytes_text(out, "</figcaption>\n");
    if (row->is_threadgroup) draw_banks(out, row);
    else draw_lines(out, row);
    if (row->touched > MOST_LINES) cli_bytes_print(out, "<p>and %u more lines</p>\n", row->touched - MOST_LINES);
    cli_bytes_text(out, "</figure>\n");
}

void msl_profile_page(const msl_run *r, cli_bytes *out)
{
    const uint32_t *g = r->grid, *t = r->threads;
    size_t bytes;
    uint32_t groups = msl_profile_groups(r, &bytes);
    const char *kernel = ingot_metal_function_name(r->function);
    cli_bytes_text(out, "<!DOCTYPE html>\n<html lang=en><meta charset=utf-8><title>");
    html(out, kernel, strlen(kernel));
    cli_bytes_text(out, "</title>\n");
    print_style(out);
    cli_bytes_text(out, "<h1>Profile of <code>");
    html(out, kernel, strlen(kernel));
    cli_bytes_text(out, "</code> in <code>");
    html(out, r->text.file, strlen(r->text.file));
    cli_bytes_print(out, "</code></h1>\n<p>%s (%u, %u, %u), threadgroups of (%u, %u, %u) threads, %zu bytes of threadgroup memory",
                    r->by_threads ? "Threads" : "Grid", g[0], g[1], g[2], t[0], t[1], t[2], bytes);
    if (groups) cli_bytes_print(out, ", which let %u threadgroups share 32 KiB", groups);
    cli_bytes_text(out, ".</p>\n<p>An instruction counts once for each simdgroup with an active thread. <b>Lines</b> are the "
                        "128-byte lines of device memory that were touched, as a multiple of the fewest that could hold the "
                        "bytes; <b>conflicts</b> the turns that the 32 banks of threadgroup memory took beyond the fewest. "
                        "<b>Cost</b>, the shade, weighs a line of memory as four instructions. This is a count of what was "
                        "done, not a time.</p>\n");
    print_source(r, out);
    cli_bytes_text(out, "<h2>Accesses</h2>\n<p>Where the threads of the simdgroup that was worst off went; a colour a thread, from "
                        "<span style=\"color:hsl(220 70% 55%)\">0</span> to <span style=\"color:hsl(0 70% 55%)\">31</span>, a "
                        "square a word.</p>\n");
    ingot_profile_row row;
    for (size_t i = 0; ingot_profile_row_at(r->profile, i, &row) == INGOT_OK; i++) {
        if (row.column && strcmp(row.file, r->text.file) == 0) print_access(&row, out);
    }
    cli_bytes_text(out, "</html>\n");
}
