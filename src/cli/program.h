/* A program's text with what its options say, ready to compile: shared by the verbs that take a
 * script. */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

#include "cli/json.h"
#include "cli/verb.h"

/* Ids of the options in script_options.def, which a verb that compiles scripts has in its table. */
enum {
    CLI_OPTION_BEFORE_PROGRAM = CLI_OPTION_PROGRAM - 1,
#define CLI_OPTION(ID, LETTER, MANY, NAME, VALUE, HELP) ID,
#include "cli/script_options.def"
#undef CLI_OPTION
};

typedef struct cli_program {
    cli *c;
    const char *file; /* for messages */
    cli_bytes text;
    ingot_definition *definitions;
    size_t definition_count;
    const char *module, *target, *command, *format;
    unsigned kernels;      /* that the command has been run for */
    bool errors;           /* a diagnostic said already what is wrong */
    cli_json *diagnostics; /* an open array that diagnostics go to; NULL: standard error */
    /* The IR after each pass; NULL: not wanted. */
    void (*on_pass)(void *user, unsigned index, const char *pass, const char *text, size_t size);
    void *on_pass_user;
    bool verify;
} cli_program;

/* True for bytes that begin as an .ingot file does. */
bool cli_is_module(const cli_bytes *bytes);

/* Reads the definitions and options among the words. An exit code; other than CLI_GOOD after a
 * message. */
int cli_program_options(cli *c, const cli_words *words, cli_program *out);

/* Reads the file. An exit code. */
int cli_program_read(cli_program *p, const char *file);

/* Compiles to a module, or as far as `what` needs. An exit code; diagnostics are out by then. */
int cli_program_compile(cli_program *p, ingot_module **out);
int cli_program_emit(cli_program *p, ingot_emit what, ingot_text **out);

#endif
