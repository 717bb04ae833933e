/* Running kernels with checks in tests, and asking what was found. */
#ifndef TESTS_UNIT_CHECK_HELP_H
#define TESTS_UNIT_CHECK_HELP_H

#include "emu_help.h"

/* Runs kernel `k` of the text with the checks; what was found. The text's first line is line 3. */
static inline emu_findings check_run(const char *body, const emu_case *c, unsigned checks)
{
    emu_library *l = emu_text(body);
    emu_findings found = emu_findings_make(NULL, 0);
    emu_launch launch = emu_launch_of(l, "k", c);
    launch.checks = checks;
    launch.findings = &found;
    ingot_error error;
    if (emu_run(&launch, &error) != INGOT_OK) fail_msg("%s", error.message);
    emu_library_free(l);
    return found;
}

static inline void check_show(const emu_findings *found, const char *why)
{
    buf text = buf_make(&mem_default);
    for (size_t i = 0; i < found->n; ++i) emu_finding_render(&found->at[i], false, &text);
    fail_msg("%s; found %zu:\n%.*s", why, found->n, (int)text.n, text.n != 0 ? text.p : "");
    buf_free(&text);
}

/* All checks on: nothing may be found. */
static inline void check_clean(const char *body, const emu_case *c)
{
    emu_findings found = check_run(body, c, EMU_CHECK_ALL);
    if (found.n != 0) check_show(&found, "nothing was to be found");
    emu_findings_free(&found);
}

/* What a test expects of the one finding. */
typedef struct check_want {
    emu_rule rule;
    uint32_t first, second; /* lines; second 0: none */
    const char *buffer;     /* NULL: not looked at */
    int64_t element;
} check_want;

/* Exactly one finding, and this. It stays for further questions: free it. */
static inline emu_findings check_found(const char *body, const emu_case *c, unsigned checks, const check_want *want)
{
    emu_findings found = check_run(body, c, checks);
    if (found.n != 1) check_show(&found, "one was to be found");
    const emu_finding *f = &found.at[0];
    const bool fits = f->rule == want->rule && f->first.line == want->first && f->second.line == want->second &&
                      (want->buffer == NULL || (strcmp(f->buffer, want->buffer) == 0 && f->element == want->element)) &&
                      f->fix[0] != '\0' && f->check == emu_rule_check(want->rule);
    if (!fits) check_show(&found, "another was to be found");
    return found;
}

static inline void check_finds(const char *body, const emu_case *c, unsigned checks, const check_want *want)
{
    emu_findings found = check_found(body, c, checks, want);
    emu_findings_free(&found);
}

#endif
