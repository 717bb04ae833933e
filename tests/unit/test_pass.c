/* The pass runner: order, stopping, the hook, errors; and that the table's properties build on each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pass/notes.h"
#include "pass/pass.h"

typedef struct fixture {
    arena mem;
    diag_list diags;
    pass_target target;
    pass_context cx;
    size_t calls;
    const char *last;
} fixture;

static void note(void *user, size_t index, const pass_info *pass, const ir_module *m)
{
    fixture *f = user;
    assert_int_equal(index, f->calls);
    assert_ptr_equal(pass, &pass_list[index]);
    assert_int_equal(m->properties & pass->gives, pass->gives);
    f->calls++;
    f->last = pass->name;
}

static void run_all(void *user)
{
    fixture *f = user;
    ir_module m = {0};
    pass_options o = {.after = note, .user = f};
    const ir_module *out = pass_run(&f->cx, &m, &o);
    assert_non_null(out);
    assert_int_equal(f->calls, pass_count);
    unsigned all = 0;
    for (size_t i = 0; i < pass_count; ++i) all |= pass_list[i].gives;
    assert_int_equal(out->properties, all);
}

static void run_one(void *user)
{
    fixture *f = user;
    ir_module m = {0};
    pass_options o = {.stop_after = "canonicalize_loop", .after = note, .user = f};
    const ir_module *out = pass_run(&f->cx, &m, &o);
    assert_non_null(out);
    assert_int_equal(f->calls, 2);
    assert_string_equal(f->last, "canonicalize_loop");
    assert_int_equal(out->properties, IR_UNIT_LOOPS);
}

static void run_unknown(void *user)
{
    fixture *f = user;
    ir_module m = {0};
    pass_options o = {.stop_after = "no_such_pass", .after = note, .user = f};
    assert_null(pass_run(&f->cx, &m, &o));
    assert_int_equal(f->calls, 0);
    assert_int_equal(f->diags.errors, 1);
    assert_true(str_is(f->diags.first->message, "there is no pass named 'no_such_pass'"));
}

static void warn_twice(void *user)
{
    fixture *f = user;
    assert_false(note_stays(&f->cx, (span){0}, "annotation", STR("x")));
    assert_false(note_stays(&f->cx, (span){0}, "annotation", STR("x")));
    assert_false(note_stays(&f->cx, (span){0}, "annotation", STR("y")));
    assert_int_equal(f->diags.warnings, 2);
}

static void under_guard(void (*body)(void *user))
{
    fixture f = {.target = PASS_TARGET_DEFAULT};
    arena_init(&f.mem, NULL);
    f.diags = (diag_list){.mem = &f.mem};
    f.cx = (pass_context){.mem = &f.mem, .diags = &f.diags, .target = &f.target};
    assert_true(arena_guard(&f.mem, body, &f));
    arena_free(&f.mem);
}

static void runs_every_pass_in_order(void **state)
{
    (void)state;
    under_guard(run_all);
}

static void stops_after_a_pass(void **state)
{
    (void)state;
    under_guard(run_one);
}

static void refuses_an_unknown_pass(void **state)
{
    (void)state;
    under_guard(run_unknown);
}

static void warns_once_a_name(void **state)
{
    (void)state;
    under_guard(warn_twice);
}

/* Every row's needs are given by rows above it, and no name stands twice. */
static void table_builds_up(void **state)
{
    (void)state;
    unsigned given = 0;
    for (size_t i = 0; i < pass_count; ++i) {
        assert_int_equal(pass_list[i].needs & ~given, 0);
        given |= pass_list[i].gives;
        for (size_t j = 0; j < i; ++j) assert_string_not_equal(pass_list[i].name, pass_list[j].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_every_pass_in_order), cmocka_unit_test(stops_after_a_pass),
        cmocka_unit_test(refuses_an_unknown_pass),  cmocka_unit_test(warns_once_a_name),
        cmocka_unit_test(table_builds_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
