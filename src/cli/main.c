/* The command `ingot`: finds the verb, reads its options by its table, and runs it. */
#include "cli/file.h"
#include "cli/help.h"
#include "cli/verb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "compile", or "msl run" of two words; *rest is what follows. NULL where there is none. */
static const cli_verb *find_verb(char **args, char ***rest)
{
    for (const cli_verb *const *v = cli_verbs; *v; v++) {
        const char *name = (*v)->name, *blank = strchr(name, ' ');
        size_t first = blank ? (size_t)(blank - name) : strlen(name);
        if (strlen(args[0]) != first || strncmp(args[0], name, first) != 0) continue;
        if (blank && (!args[1] || strcmp(args[1], blank + 1) != 0)) continue;
        *rest = args + (blank ? 2 : 1);
        return *v;
    }
    return NULL;
}

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* The nearest verb to what was typed, of one word or two. */
static const char *suggest_verb(cli *c, const char *typed)
{
    size_t count = 1;
    for (const cli_verb *const *v = cli_verbs; *v; v++) count++;
    const char **names = cli_pool_new(&c->pool, count, sizeof *names);
    names[0] = "help";
    for (size_t i = 1; i < count; i++) names[i] = cli_verbs[i - 1]->name;
    return cli_suggest(typed, names, count);
}

static int refuse_verb(cli *c, char **args)
{
    if (args[0][0] == '-') return cli_usage(c, "unknown option '%s'", args[0]);
    cli_bytes typed = {.pool = &c->pool}, group = {.pool = &c->pool};
    bool in_group = cli_help_group(args[0], &group);
    if (in_group && !args[1]) return cli_usage(c, "'%s' needs a command: 'ingot %s --help' lists them", args[0], args[0]);
    cli_bytes_text(&typed, args[0]);
    if (in_group) cli_bytes_print(&typed, " %s", args[1]);
    const char *near = suggest_verb(c, typed.data);
    if (near) return cli_usage(c, "unknown command '%s'; did you mean '%s'?", typed.data, near);
    return cli_usage(c, "unknown command '%s'", typed.data);
}

/* Colours on standard error by --color, NO_COLOR and what standard error is. */
static bool choose_colour(const char *when, bool *colour)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    *colour = isatty(STDERR_FILENO) && !(no && *no) && !(term && strcmp(term, "dumb") == 0);
    if (!when || strcmp(when, "auto") == 0) return true;
    *colour = strcmp(when, "always") == 0;
    return *colour || strcmp(when, "never") == 0;
}

static int print_text(cli *c, const cli_bytes *text)
{
    cli_bytes why = {.pool = &c->pool};
    if (cli_file_write("-", text->data, text->size, &why)) return CLI_GOOD;
    return cli_error(c, "%s", why.data);
}

/* `ingot help [VERB]`. */
static int help(cli *c, char **args)
{
    cli_bytes text = {.pool = &c->pool};
    char **rest = args;
    const cli_verb *verb = NULL;
    if (args[0]) {
        if (!args[1] && cli_help_group(args[0], &text)) return print_text(c, &text);
        verb = find_verb(args, &rest);
        if (!verb) return refuse_verb(c, args);
        if (rest[0]) return cli_usage(c, "'help' takes one command: '%s' is one too many", rest[0]);
    }
    if (verb)
        cli_help_verb(verb, &text);
    else
        cli_help_all(&text);
    return print_text(c, &text);
}

static int run_verb(cli *c, const cli_verb *verb, char **args)
{
    cli_words words;
    cli_bytes why = {.pool = &c->pool};
    c->verb = verb;
    if (!cli_options_parse(verb->options, args, &c->pool, &words, &why))
        return cli_usage(c, "%s", why.data);
    if (cli_words_value(&words, CLI_OPTION_HELP)) {
        cli_bytes text = {.pool = &c->pool};
        cli_help_verb(verb, &text);
        return print_text(c, &text);
    }
    const char *when = cli_words_value(&words, CLI_OPTION_COLOR);
    if (!choose_colour(when, &c->colour))
        return cli_usage(c, "--color is auto, always or never, not '%s'", when);
    c->verbose = cli_words_value(&words, CLI_OPTION_VERBOSE) != NULL;
    int code = verb->run(c, &words);
    cli_progress_end(&c->progress);
    return code;
}

static int run(cli *c, char **args)
{
    choose_colour(NULL, &c->colour);
    cli_bytes text = {.pool = &c->pool};
    if (!args[0]) {
        cli_help_all(&text);
        cli_message(c, text.data);
        return CLI_USAGE;
    }
    if (strcmp(args[0], "--version") == 0) {
        cli_bytes_print(&text, "ingot %s\n", ingot_version());
        return print_text(c, &text);
    }
    if (is_help(args[0])) return help(c, args + 1);
    if (args[1] && !args[2] && is_help(args[1]) && cli_help_group(args[0], &text)) return print_text(c, &text);
    if (strcmp(args[0], "help") == 0) return help(c, args + 1);
    char **rest;
    const cli_verb *verb = find_verb(args, &rest);
    return verb ? run_verb(c, verb, rest) : refuse_verb(c, args);
}

int main(int argc, char **argv)
{
    cli c = {0};
    int code = run(&c, argc ? argv + 1 : argv);
    cli_pool_free(&c.pool);
    return code;
}
