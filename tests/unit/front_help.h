/* Reading scripts in tests: text in, module and messages out. */
#ifndef TESTS_UNIT_FRONT_HELP_H
#define TESTS_UNIT_FRONT_HELP_H

#include "front/script.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

/* One reading of a text. Strings live until script_free. */
typedef struct reading {
    arena mem;
    source_set sources;
    diag_list diags;
    str text;
    front_options options;
    const ir_module *module; /* NULL: there were errors */
    buf printed, messages;
} reading;

static inline void reading_body(void *user)
{
    reading *r = user;
    uint32_t file = source_add(&r->mem, &r->sources, STR("x.py"), r->text);
    r->diags = (diag_list){.mem = &r->mem, .sources = &r->sources};
    r->module = front_parse(&r->mem, &r->sources, file, &r->options, &r->diags);
    if (r->module != NULL) {
        assert_true(ir_verify(&r->mem, &r->diags, r->module, NULL));
        ir_print_module(&r->mem, r->module, &r->printed);
    }
    diag_render_all(&r->diags, false, &r->messages);
    buf_char(&r->messages, '\0');
}

static inline reading *script_read_with(str text, front_options options)
{
    reading *r = calloc(1, sizeof *r);
    assert_non_null(r);
    arena_init(&r->mem, NULL);
    r->text = text;
    r->options = options;
    r->printed = buf_make(NULL);
    r->messages = buf_make(NULL);
    assert_true(arena_guard(&r->mem, reading_body, r));
    return r;
}

static inline reading *script_read(const char *text)
{
    return script_read_with(str_of(text), (front_options){0});
}

static inline void script_free(reading *r)
{
    arena_free(&r->mem);
    buf_free(&r->printed);
    buf_free(&r->messages);
    free(r);
}

/* The text reads without errors and prints to a text that reads and prints the same. */
static inline reading *script_good(str text, front_options options)
{
    reading *r = script_read_with(text, options);
    if (r->module == NULL) fail_msg("%s", r->messages.p);
    reading *again = script_read_with(buf_view(&r->printed), (front_options){0});
    if (again->module == NULL)
        fail_msg("the printed text does not read: %s\n%.*s", again->messages.p,
                 STR_ARG(buf_view(&r->printed)));
    if (!str_eq(buf_view(&r->printed), buf_view(&again->printed))) {
        fail_msg("not a fixed point:\n%.*s\n%.*s", STR_ARG(buf_view(&r->printed)),
                 STR_ARG(buf_view(&again->printed)));
    }
    script_free(again);
    return r;
}

/* A function around the statements, with buffers and scalars to use. */
#define SCRIPT_HEAD                                                                                \
    "from tvm.script import tirx as T\n"                                                           \
    "@T.prim_func\n"                                                                               \
    "def f(A: T.Buffer((16,), \"float32\"), B: T.Buffer((16, 4), \"int32\"), H: T.Buffer((16,), "  \
    "\"float16\"), "                                                                               \
    "C: T.Buffer((16,), \"int8\"), i: T.int32, j: T.int64, x: T.float32, b: T.bool):\n"
enum { SCRIPT_HEAD_LINES = 3 };

static inline char *script_of_body(const char *head, const char *body)
{
    size_t lines = 1;
    for (const char *p = body; *p != '\0'; ++p) lines += *p == '\n';
    char *text = malloc(strlen(head) + strlen(body) + 4 * lines + 2);
    assert_non_null(text);
    char *out = text + sprintf(text, "%s    ", head);
    for (const char *p = body; *p != '\0'; ++p) {
        *out++ = *p;
        if (*p == '\n' && p[1] != '\0') out += sprintf(out, "    ");
    }
    *out++ = '\n';
    *out = '\0';
    return text;
}

#endif
