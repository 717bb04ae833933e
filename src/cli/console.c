/* Messages on standard error, and small helpers that verbs share. */
#define _POSIX_C_SOURCE 200809L
#include "cli/verb.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__GNUC__)
__attribute__((format(printf, 4, 0)))
#endif
static void
print_line(cli *c, const char *kind, const char *escape, const char *format, va_list args)
{
    cli_progress_hold(&c->progress);
    fputs("ingot: ", stderr);
    if (kind) {
        if (c->colour) fputs(escape, stderr);
        fputs(kind, stderr);
        fputs(c->colour ? ":\033[0m " : ": ", stderr);
    }
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    cli_progress_release(&c->progress);
}

int cli_error(cli *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_line(c, "error", "\033[1;31m", format, args);
    va_end(args);
    return CLI_INPUT;
}

int cli_usage(cli *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_line(c, "error", "\033[1;31m", format, args);
    va_end(args);
    fprintf(stderr, "Try 'ingot %s%s--help'.\n", c->verb ? c->verb->name : "", c->verb ? " " : "");
    return CLI_USAGE;
}

int cli_library_error(cli *c, const char *about, const ingot_error *error)
{
    const char *text = error->message[0] ? error->message : ingot_status_text(error->status);
    if (about)
        cli_error(c, "%s: %s", about, text);
    else
        cli_error(c, "%s", text);
    return error->status == INGOT_INTERNAL ? CLI_INTERNAL : CLI_INPUT;
}

void cli_say(cli *c, const char *format, ...)
{
    if (!c->verbose) return;
    va_list args;
    va_start(args, format);
    print_line(c, NULL, NULL, format, args);
    va_end(args);
}

void cli_message(cli *c, const char *text)
{
    size_t size = strlen(text);
    cli_progress_hold(&c->progress);
    fputs(text, stderr);
    if (size == 0 || text[size - 1] != '\n') fputc('\n', stderr);
    cli_progress_release(&c->progress);
}

const char *cli_one_plain(cli *c, const cli_words *words, const char *what)
{
    const char *word = cli_words_plain(words, 0), *second = cli_words_plain(words, 1);
    if (!word) {
        cli_usage(c, "'%s' needs %s", c->verb->name, what);
        return NULL;
    }
    if (second) {
        cli_usage(c, "'%s' takes one file: '%s' is one too many", c->verb->name, second);
        return NULL;
    }
    return word;
}

bool cli_parse_count(const char *text, uint64_t low, uint64_t high, uint64_t *out)
{
    if (text[0] < '0' || text[0] > '9')
        return false; /* strtoull would skip blanks and take signs */
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno || *end || value < low || value > high) return false;
    *out = value;
    return true;
}

double cli_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
