/* docs/language.md ends in tables of every name of the language and of all annotations, made from the tables of the front end, the
 * IR and the passes: a row of theirs without one of the page's is an error, and the reverse; UPDATE=1 writes the page's end anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "ir/ir.h"

static const char path[] = "docs/language.md";
static const char marker[] = "\n## Every name\n";
static const char intro[] =
    "\nFrom the tables `src/front/names.def`, `src/ir/builtins.def` and `src/ir/scopes.def`; a test compares. `x=` may be left out, `*x` are\n"
    "all further ones. What Metal has under the same meaning is named; the rest is lowered, as [math.md](math.md) and\n"
    "[passes.md](passes.md) tell.\n\n"
    "| name | arguments | in Metal |\n|---|---|---|\n";

typedef struct row {
    const char *space, *name, *handler, *parameters;
} row;

static const row names[] = {
#define SCRIPT_SPACE(space, name, leads_to)
#define SCRIPT_NAME(space, name, handler, info, parameters) {#space, name, #handler, parameters},
#include "front/names.def"
#undef SCRIPT_SPACE
#undef SCRIPT_NAME
};

/* How a program writes a space's names; a space not listed is a module of its name in small letters. */
static void print_prefix(buf *out, const char *space)
{
    static const char *const spellings[][2] = {{"T", "T."},     {"I", "I."},      {"AXIS", "T.axis."},     {"METAL", "T.metal."},
                                               {"METHOD", "e."}, {"BUILTIN", ""}, {"TIRX", "tvm.tirx."}, {"SCRIPT", "tvm.script."}};
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; ++i) {
        if (strcmp(spellings[i][0], space) != 0) continue;
        buf_text(out, spellings[i][1]);
        return;
    }
    for (const char *p = space; *p != '\0'; ++p) buf_char(out, (char)(*p | 0x20));
    buf_char(out, '.');
}

/* "a b? *c" as "a, b=, *c". */
static void print_parameters(buf *out, const char *text)
{
    for (const char *p = text; *p != '\0'; ++p) {
        if (*p == ' ') buf_text(out, ", ");
        else if (*p == '?') buf_char(out, '=');
        else buf_char(out, *p);
    }
}

static const ir_builtin_info *builtin(const char *name)
{
    ir_builtin fn = ir_builtin_find(str_of(name));
    return fn != IR_FN_COUNT ? &ir_builtins[fn] : NULL;
}

static void print_row(buf *out, const char *space, const char *name, const char *parameters, const char *metal)
{
    buf_text(out, "| `");
    print_prefix(out, space);
    buf_printf(out, "%s` | ", name);
    if (parameters[0] != '\0') {
        buf_char(out, '`');
        print_parameters(out, parameters);
        buf_text(out, "` ");
    }
    buf_char(out, '|');
    if (metal != NULL && metal[0] != '\0') buf_printf(out, " `%s`", metal);
    buf_text(out, " |\n");
}

static void print_names(buf *out)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        const row *r = &names[i];
        char full[96];
        (void)snprintf(full, sizeof full, "%s%s", strcmp(r->space, "METAL") == 0 ? "metal." : "", r->name);
        bool is_function = strcmp(r->space, "T") == 0 || strcmp(r->space, "METAL") == 0;
        const ir_builtin_info *info = is_function ? builtin(full) : NULL;
        const char *metal = info != NULL ? info->msl : NULL;
        if (strcmp(r->handler, "fn_refused") == 0) print_row(out, r->space, r->name, r->parameters, "refused by name");
        else print_row(out, r->space, r->name, r->parameters, metal);
    }
}

static bool is_named(const char *name)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        const char *space = strcmp(names[i].space, "METAL") == 0 ? "metal." : "";
        size_t n = strlen(space);
        bool fits = (strcmp(names[i].space, "T") == 0 || n != 0) && strncmp(name, space, n) == 0;
        if (fits && strcmp(name + n, names[i].name) == 0) return true;
    }
    return false;
}

/* Builtins whose arguments have no names. */
static void print_builtins(buf *out)
{
    for (size_t i = 0; i < IR_FN_COUNT; ++i) {
        const ir_builtin_info *b = &ir_builtins[i];
        if (is_named(b->name)) continue;
        char arguments[64];
        if (b->least == b->most) (void)snprintf(arguments, sizeof arguments, "%u", b->least);
        else (void)snprintf(arguments, sizeof arguments, "%u to %u", b->least, b->most);
        buf_printf(out, "| `T.%s` | %s |", b->name, arguments);
        if (b->msl[0] != '\0') buf_printf(out, " `%s`", b->msl);
        buf_text(out, " |\n");
    }
}

static void print_scopes(buf *out)
{
    static const char *const what[] = {
#define IR_SCOPE(NAME, text, says) says,
#include "ir/scopes.def"
#undef IR_SCOPE
    };
    for (int i = 0; i < IR_SCOPE_COUNT; ++i) {
        buf_printf(out, "| `scope=\"%s\"` | | %s |\n", ir_scope_text((ir_scope)i), what[i]);
    }
}

/* What becomes of annotations and attributes. */
static void print_notes(buf *out)
{
    static const struct {
        const char *key, *use, *what;
    } notes[] = {
#define NOTE(key, use, what) {key, #use, what},
#include "pass/notes.def"
#undef NOTE
    };
    static const char *const uses[][2] = {
        {"KEPT", "honoured"}, {"DROPPED", "left out"}, {"HINT", "named in a warning"}, {"REFUSED", "refused by name"}};
    buf_text(out, "\n## Annotations and attributes\n\nOf loops, blocks and `T.attr`, from the table `src/pass/notes.def`. One that is not here "
                  "is named in a warning. Of those that\nask for what is not done the last column says what is so instead; for the others, what "
                  "they say.\n\n| key | is | |\n|---|---|---|\n");
    for (size_t i = 0; i < sizeof notes / sizeof *notes; ++i) {
        const char *use = NULL;
        for (size_t k = 0; k < sizeof uses / sizeof *uses; ++k) {
            if (strcmp(uses[k][0], notes[i].use) == 0) use = uses[k][1];
        }
        assert_non_null(use);
        buf_printf(out, "| `%s` | %s | %s |\n", notes[i].key, use, notes[i].what);
    }
}

static void read_page(buf *out)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char chunk[4096];
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, f)) > 0;) buf_bytes(out, chunk, n);
    fclose(f);
    buf_char(out, '\0');
}

static void page_is_current(void **state)
{
    (void)state;
    buf want = buf_make(NULL), page = buf_make(NULL);
    buf_text(&want, marker);
    buf_text(&want, intro);
    print_names(&want);
    print_builtins(&want);
    print_scopes(&want);
    print_notes(&want);
    read_page(&page);
    char *end = strstr(page.p, marker);
    const char *update = getenv("UPDATE");
    if (update != NULL && strcmp(update, "1") == 0) {
        FILE *f = fopen(path, "wb");
        assert_non_null(f);
        size_t before = end != NULL ? (size_t)(end - page.p) : page.n - 1;
        fwrite(page.p, 1, before, f);
        fwrite(want.p, 1, want.n, f);
        fclose(f);
    } else {
        buf_char(&want, '\0');
        assert_non_null(end);
        assert_string_equal(end, want.p);
    }
    buf_free(&want);
    buf_free(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(page_is_current)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
