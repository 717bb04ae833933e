/* What the checks found, as text, JSON or SARIF. */
#ifndef CLI_FINDINGS_H
#define CLI_FINDINGS_H

#include "cli/json.h"
#include "cli/verb.h"

/* Ids of findings_options.def. */
enum {
    FIND_BEFORE = CLI_OPTION_OWN + 199,
#define CLI_OPTION(ID, LETTER, MANY, NAME, VALUE, HELP) ID,
#include "cli/findings_options.def"
#undef CLI_OPTION
};

typedef enum findings_format { FINDINGS_TEXT, FINDINGS_JSON, FINDINGS_SARIF } findings_format;

/* What was checked, and what stands in for a finding where the program could not be run to its end. */
typedef struct findings {
    cli *c;
    findings_format format;
    ingot_checker_options options;
    ingot_checker *checker;
    const char *target; /* whose limits hold; NULL: the device's */
    const char *file;  /* the program's */
    ingot_error stopped; /* a fault or refusal that ended the run; INGOT_OK: none */
} findings;

/* Reads the options and makes the checker: with the checks named ("": all; NULL: none). An exit code. */
int findings_open(findings *f, cli *c, const cli_words *words, const char *checks);
void findings_close(findings *f);

/* True where there is nothing to report. */
bool findings_clean(const findings *f);

/* All of them, with a last line that counts them. */
void findings_text(const findings *f, bool colour, cli_bytes *out);
/* As members of the open object: "findings", "dropped", "error". */
void findings_json(const findings *f, cli_json *j);
/* The whole log. */
void findings_sarif(const findings *f, cli_bytes *out);

#endif
