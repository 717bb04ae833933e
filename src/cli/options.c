/* Reads a command line by a table of options, and prints the table as help. */
#include "cli/options.h"

#include <string.h>

typedef struct reader {
    const cli_option *table;
    char **args;
    cli_pool *pool;
    cli_words *out;
    cli_bytes *why;
} reader;

/* How an option is called in messages: by its long name where it has one. */
static void print_name(const cli_option *option, cli_bytes *out)
{
    if (option->name)
        cli_bytes_print(out, "--%s", option->name);
    else
        cli_bytes_print(out, "-%c", option->letter);
}

static bool already(const cli_words *words, const cli_option *option)
{
    for (size_t i = 0; i < words->count; i++) {
        if (words->items[i].option == option) return true;
    }
    return false;
}

static bool add(reader *r, const cli_option *option, const char *text)
{
    cli_words *words = r->out;
    if (option && !option->many && already(words, option)) {
        cli_bytes_text(r->why, "option '");
        print_name(option, r->why);
        cli_bytes_text(r->why, "' is given twice");
        return false;
    }
    words->items =
        cli_pool_resize(r->pool, words->items, (words->count + 1) * sizeof *words->items);
    words->items[words->count++] = (cli_word){option, text};
    return true;
}

static const cli_option *find_long(const cli_option *table, const char *name, size_t size)
{
    for (; table->id; table++) {
        if (table->name && strlen(table->name) == size && memcmp(table->name, name, size) == 0)
            return table;
    }
    return NULL;
}

static const cli_option *find_letter(const cli_option *table, char letter)
{
    for (; table->id; table++) {
        if (table->letter && table->letter == letter) return table;
    }
    return NULL;
}

/* "unknown option '--emti'; did you mean '--emit'?" */
static bool refuse_unknown(reader *r, const char *name, size_t size)
{
    size_t count = 0;
    const char *names[64];
    for (const cli_option *o = r->table; o->id && count < 64; o++) {
        if (o->name) names[count++] = o->name;
    }
    const char *word = cli_pool_text(r->pool, name, size);
    const char *near = cli_suggest(word, names, count);
    cli_bytes_print(r->why, "unknown option '--%s'", word);
    if (near) cli_bytes_print(r->why, "; did you mean '--%s'?", near);
    return false;
}

static bool refuse(reader *r, const cli_option *option, const char *what)
{
    cli_bytes_text(r->why, "option '");
    print_name(option, r->why);
    cli_bytes_print(r->why, "' %s", what);
    if (option->value) cli_bytes_print(r->why, ": %s", option->value);
    return false;
}

/* Takes the next argument as the option's value. */
static bool take_value(reader *r, const cli_option *option)
{
    if (!*r->args) return refuse(r, option, "needs a value");
    return add(r, option, *r->args++);
}

static bool read_long(reader *r, const char *arg)
{
    const char *equals = strchr(arg, '=');
    size_t size = equals ? (size_t)(equals - arg) : strlen(arg);
    const cli_option *option = find_long(r->table, arg, size);
    if (!option) return refuse_unknown(r, arg, size);
    if (option->value && option->value[0] == '[') return add(r, option, equals ? equals + 1 : NULL);
    if (option->value) return equals ? add(r, option, equals + 1) : take_value(r, option);
    return equals ? refuse(r, option, "takes no value") : add(r, option, NULL);
}

/* "-v", "-vv", "-ofile", "-o file", "-o=file" is "=file": as the other compilers read it. */
static bool read_letters(reader *r, const char *letters)
{
    for (; *letters; letters++) {
        const cli_option *option = find_letter(r->table, *letters);
        if (!option) {
            cli_bytes_print(r->why, "unknown option '-%c'", *letters);
            return false;
        }
        if (option->value) return letters[1] ? add(r, option, letters + 1) : take_value(r, option);
        if (!add(r, option, NULL)) return false;
    }
    return true;
}

bool cli_options_parse(const cli_option *table, char **args, cli_pool *pool, cli_words *out,
                       cli_bytes *why)
{
    reader r = {table, args, pool, out, why};
    *out = (cli_words){0};
    bool options = true;
    while (*r.args) {
        const char *arg = *r.args++;
        bool ok = true;
        if (!options || arg[0] != '-' || arg[1] == '\0')
            ok = add(&r, NULL, arg);
        else if (strcmp(arg, "--") == 0)
            options = false;
        else if (arg[1] == '-')
            ok = read_long(&r, arg + 2);
        else
            ok = read_letters(&r, arg + 1);
        if (!ok) return false;
    }
    return true;
}

const char *cli_words_value(const cli_words *words, int id)
{
    for (size_t i = 0; i < words->count; i++) {
        const cli_word *word = &words->items[i];
        if (word->option && word->option->id == id) return word->text ? word->text : "";
    }
    return NULL;
}

const char *cli_words_plain(const cli_words *words, size_t n)
{
    for (size_t i = 0; i < words->count; i++) {
        if (!words->items[i].option && n-- == 0) return words->items[i].text;
    }
    return NULL;
}

/* Wraps `text` at 80 columns, each line indented by 8. */
static void print_wrapped(const char *text, cli_bytes *out)
{
    size_t column = 0;
    while (*text) {
        size_t size = strcspn(text, " ");
        if (column == 0 || column + 1 + size > 79) {
            cli_bytes_text(out, column ? "\n        " : "        ");
            column = 8;
        } else {
            cli_bytes_text(out, " ");
            column++;
        }
        cli_bytes_put(out, text, size);
        column += size;
        text += size;
        text += strspn(text, " ");
    }
    cli_bytes_text(out, "\n");
}

void cli_options_help(const cli_option *table, cli_bytes *out)
{
    for (; table->id; table++) {
        cli_bytes_text(out, "  ");
        if (table->letter) cli_bytes_print(out, "-%c", table->letter);
        if (table->letter && table->value && !table->name)
            cli_bytes_print(out, " %s", table->value);
        if (table->letter && table->name) cli_bytes_text(out, ", ");
        if (table->name)
            cli_bytes_print(out, table->value ? table->value[0] == '[' ? "--%s%s" : "--%s %s" : "--%s", table->name,
                            table->value);
        cli_bytes_text(out, table->many ? "  (may be repeated)\n" : "\n");
        print_wrapped(table->help, out);
    }
}
