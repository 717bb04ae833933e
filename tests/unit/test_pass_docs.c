/* docs/passes.md says what the table of passes says; UPDATE=1 writes it anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buf.h"
#include "pass/pass.h"

static const char head[] =
    "# The lowering pipeline\n"
    "\n"
    "The rows of `src/pass/passes.def`, in the order in which they run. Each pass is the file of its name in `src/pass/`,\n"
    "whose head says what it does, why, and what it leaves alone, with an example. *Needs* and *gives* are properties of the\n"
    "module (`ir_property` in `src/ir/ir.h`): what must hold before, and what holds from then on; `ir_verify` checks them\n"
    "between passes. Rows in *italics* see the whole module at once, every other is about one function at a time and runs over\n"
    "one after the other. `ingot compile --dump-passes DIR` writes the program after every pass.\n"
    "\n"
    "| # | pass | needs | gives | why |\n"
    "|--:|---|---|---|---|\n";

/* "IR_A | IR_B" as "A, B"; "0" as nothing. */
static void print_properties(buf *out, const char *text)
{
    for (const char *p = text; *p != '\0'; ++p) {
        if (strncmp(p, "IR_", 3) == 0) {
            p += 2;
        } else if (strncmp(p, " | ", 3) == 0) {
            buf_text(out, ", ");
            p += 2;
        } else if (strcmp(p, "0") != 0) {
            buf_char(out, *p);
        }
    }
}

static void print_row(buf *out, int number, const char *name, const char *fn, const char *const *properties, const char *reason)
{
    const char *mark = pass_list[number - 1].whole ? "*" : "";
    buf_printf(out, "| %d | %s%s%s", number, mark, name, mark);
    if (strcmp(name, fn) != 0) buf_printf(out, " (%s again)", fn);
    buf_text(out, " | ");
    print_properties(out, properties[0]);
    buf_text(out, " | ");
    print_properties(out, properties[1]);
    buf_printf(out, " | %s |\n", reason);
}

static void document_is_current(void **state)
{
    (void)state;
    buf want = buf_make(NULL), have = buf_make(NULL);
    buf_text(&want, head);
    int number = 0;
#define PASS(name, needs, gives, reason) print_row(&want, ++number, #name, #name, (const char *const[]){#needs, #gives}, reason);
#define PASS_AGAIN(name, fn, needs, gives, reason) print_row(&want, ++number, #name, #fn, (const char *const[]){#needs, #gives}, reason);
#define PASS_MODULE(name, needs, gives, reason) PASS(name, needs, gives, reason)
#include "pass/passes.def"
#undef PASS
#undef PASS_MODULE
#undef PASS_AGAIN
    assert_int_equal(number, pass_count);
    const char *update = getenv("UPDATE");
    bool write = update != NULL && strcmp(update, "1") == 0;
    FILE *f = fopen("docs/passes.md", write ? "wb" : "rb");
    assert_non_null(f);
    if (write) {
        fwrite(want.p, 1, want.n, f);
    } else {
        char chunk[4096];
        size_t n;
        while ((n = fread(chunk, 1, sizeof chunk, f)) > 0) buf_bytes(&have, chunk, n);
        buf_char(&want, '\0');
        buf_char(&have, '\0');
        assert_string_equal(have.p, want.p);
    }
    fclose(f);
    buf_free(&want);
    buf_free(&have);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(document_is_current)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
