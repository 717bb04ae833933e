/* What infer_regions says of blocks that say nothing: regions worked out by hand. */
#include "front_help.h"
#include "pass/pass.h"

static const char head[] = "from tvm.script import tirx as T\n@T.prim_func\ndef main(A: T.Buffer((64, 32), \"float32\"), "
                           "B: T.Buffer((64,), \"float32\")):\n    for i in range(64):\n";

typedef struct inferring {
    reading *r;
    pass_target target;
    buf out;
} inferring;

static void infer(void *user)
{
    inferring *i = user;
    pass_context cx = {.mem = &i->r->mem, .diags = &i->r->diags, .target = &i->target};
    pass_options options = {.verify = true, .stop_after = "infer_regions"};
    const ir_module *m = pass_run(&cx, i->r->module, &options);
    assert_non_null(m);
    ir_print_module(&i->r->mem, m, &i->out);
}

/* The block of `body` reads and writes as said. */
static void expect(const char *body, const char *reads, const char *writes)
{
    buf text = buf_make(NULL);
    buf_printf(&text, "%s%s", head, body);
    inferring i = {.r = script_good(buf_view(&text), (front_options){0}), .target = PASS_TARGET_DEFAULT, .out = buf_make(NULL)};
    assert_true(arena_guard(&i.r->mem, infer, &i));
    buf_char(&i.out, '\0');
    char line[200];
    (void)snprintf(line, sizeof line, "T.reads(%s)\n", reads);
    if (strstr(i.out.p, line) == NULL) fail_msg("expected %s in\n%s", line, i.out.p);
    (void)snprintf(line, sizeof line, "T.writes(%s)\n", writes);
    if (strstr(i.out.p, line) == NULL) fail_msg("expected %s in\n%s", line, i.out.p);
    buf_free(&i.out);
    buf_free(&text);
    script_free(i.r);
}

static void elements(void **state)
{
    (void)state;
    expect("        with T.sblock(\"b\"):\n            v = T.axis.spatial(64, i)\n            B[v] = A[v, 3] * 2.0 + A[v, 5]\n",
           "A[v, 3:6]", "B[v]");
}

/* An inner loop of 4 rounds: columns 2 * 0 + 1 to 2 * 3 + 1. */
static void inner_loop(void **state)
{
    (void)state;
    expect("        with T.sblock(\"b\"):\n            v = T.axis.spatial(64, i)\n            for k in range(4):\n"
           "                B[v] = B[v] + A[v, 2 * k + 1]\n",
           "B[v], A[v, 1:8]", "B[v]");
}

/* Rows that a loaded value chooses: all of them. */
static void unknown(void **state)
{
    (void)state;
    expect("        with T.sblock(\"b\"):\n            v = T.axis.spatial(64, i)\n            B[v] = A[T.Cast(\"int32\", B[v]), v % 32]\n",
           "B[v], A[0:64, v % 32]", "B[v]");
}

/* What a reduction starts itself is not read. */
static void reduction(void **state)
{
    (void)state;
    expect("        for j in range(32):\n            with T.sblock(\"b\"):\n                v, r = T.axis.remap(\"SR\", [i, j])\n"
           "                with T.init():\n                    B[v] = 0.0\n                B[v] = B[v] + A[v, r]\n",
           "A[v, r]", "B[v]");
}

/* Given regions stay, right or not. */
static void given(void **state)
{
    (void)state;
    expect("        with T.sblock(\"b\"):\n            v = T.axis.spatial(64, i)\n            T.reads(A[0:64, 0:32])\n"
           "            T.writes(B[0:64])\n            B[v] = A[v, 3]\n",
           "A[0:64, 0:32]", "B[0:64]");
}

/* The view of a row stands for the row. */
static void view(void **state)
{
    (void)state;
    expect("        with T.sblock(\"b\"):\n            v = T.axis.spatial(64, i)\n            R = T.match_buffer(A[v, 0:32], (32,))\n"
           "            B[v] = R[7]\n",
           "A[v, 0:32]", "B[v]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(elements),  cmocka_unit_test(inner_loop), cmocka_unit_test(unknown),
                                       cmocka_unit_test(reduction), cmocka_unit_test(given),      cmocka_unit_test(view)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
