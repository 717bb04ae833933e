/* For the tests of the MSL front end: one text in, its tree or its complaints out. */
#ifndef TESTS_UNIT_MSLFRONT_HELP_H
#define TESTS_UNIT_MSLFRONT_HELP_H

#include "mslfront/tree.h"
#include "test.h"

#include <string.h>

/* One parse. Made by msl_read, ended by msl_done. */
typedef struct msl_case {
    arena mem;
    source_set sources;
    diag_list diags;
    str text;
    mf_options options;
    mf_unit *unit;
    str dump, complaints;
} msl_case;

static inline void msl_run(void *user)
{
    msl_case *c = user;
    uint32_t file = source_add(&c->mem, &c->sources, STR("t.metal"), c->text);
    c->diags = (diag_list){.mem = &c->mem, .sources = &c->sources};
    c->unit = mf_parse(&c->mem, &c->sources, file, &c->options, &c->diags);
    ingot_allocator hook = arena_hook(&c->mem);
    buf out = buf_make(&hook), errors = buf_make(&hook);
    if (c->unit != NULL) mf_dump(c->unit, &out);
    diag_render_all(&c->diags, false, &errors);
    c->dump = str_copy(&c->mem, buf_view(&out));
    c->complaints = str_copy(&c->mem, buf_view(&errors));
}

static inline void msl_read(msl_case *c, const char *text)
{
    *c = (msl_case){.text = str_of(text), .options = c->options};
    arena_init(&c->mem, NULL);
    assert_true(arena_guard(&c->mem, msl_run, c));
}

static inline void msl_done(msl_case *c)
{
    arena_free(&c->mem);
}

/* The text is accepted. */
static inline void msl_good(const char *text)
{
    msl_case c = {0};
    msl_read(&c, text);
    if (c.unit == NULL) fail_msg("refused:\n%s", c.complaints.p);
    msl_done(&c);
}

/* The text is refused, and the first complaint is "line:column: error: <message>". */
static inline void msl_bad(const char *text, const char *first)
{
    msl_case c = {0};
    msl_read(&c, text);
    assert_null(c.unit);
    str head = {c.complaints.p, strcspn(c.complaints.p, "\n")};
    str want = str_format(&c.mem, "t.metal:%s", first);
    if (!str_eq(head, want)) fail_msg("wanted %s\ngot:\n%s", want.p, c.complaints.p);
    msl_done(&c);
}

/* A kernel with A (device float *), I (device int *), U (device uint *), H (device half *), x, y
 * (float), h (half), i, j (int), u (uint), l (long), v, w (float4), n (int4), b (bool), B (device
 * uchar *) around `body`. */
#define MSL_HEAD                                                                                   \
    "using namespace metal;\n"                                                                     \
    "kernel void k(device float *A, device int *I, device uint *U, device half *H, device uchar "  \
    "*B) {\n"                                                                                      \
    "float x = 1, y = 2; half h = 1.0h; int i = 1, j = 2; uint u = 3; long l = 4; bool b = "       \
    "true;\n"                                                                                      \
    "float4 v = 1, w = 2; int4 n = 3;\n"

/* The dump of the one statement `code` within such a kernel. */
static inline void msl_statement(const char *code, const char *want)
{
    char text[4096];
    snprintf(text, sizeof text, "%s%s\n}\n", MSL_HEAD, code);
    msl_case c = {0};
    msl_read(&c, text);
    if (c.unit == NULL) fail_msg("%s refused:\n%s", code, c.complaints.p);
    const char *body = strstr(c.dump.p, "int4 n = SPLAT<int4>(3)\n");
    assert_non_null(body);
    body = strchr(body, '\n') + 1;
    char got[4096];
    size_t n = 0;
    for (const char *p = body; *p != '\0' && n + 1 < sizeof got; ++p) {
        if (p == body || p[-1] == '\n') p += 4; /* the indentation of the kernel's body */
        got[n++] = *p;
    }
    if (n != 0 && got[n - 1] == '\n') --n;
    got[n] = '\0';
    if (strcmp(got, want) != 0) fail_msg("%s\nwanted: %s\ngot:    %s", code, want, got);
    msl_done(&c);
}

/* `code` in such a kernel is refused with this message first; the column is counted from the
 * statement's begin. */
static inline void msl_refuse(const char *code, const char *column_and_message)
{
    char text[4096], want[1024];
    snprintf(text, sizeof text, "%s%s\n}\n", MSL_HEAD, code);
    snprintf(want, sizeof want, "5:%s", column_and_message);
    msl_bad(text, want);
}

#endif
