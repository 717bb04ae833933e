/* What the tests of the native device share: the stand-in for Apple's libraries, set up and asked. */
#ifndef TESTS_NATIVE_TEST_H
#define TESTS_NATIVE_TEST_H

#define INGOT_TEST_NATIVE
#include "../api/ingot_test.h"
#include "../double/double.h"

/* A fresh system for a test. */
static inline void set_up(double_options options)
{
    double_setup(&options);
}

/* Nothing was said against the messages, and nothing is left over. */
static inline void tear_down(void)
{
    assert_string_equal(double_report(), "");
}

static inline ingot_device *open_device(const char *kind, int id)
{
    ingot_device *device;
    ingot_error error = {0};
    check(ingot_device_open(kind, id, 1, NULL, &device, &error), &error);
    return device;
}

/* The message of a call that has to fail with this status. */
static inline void fails_with(ingot_status got, ingot_status status, const ingot_error *error, const char *words)
{
    if (got != status || strstr(error->message, words) == NULL) {
        fail_msg("%d \"%s\", expected %d \"%s\"", (int)got, error->message, (int)status, words);
    }
}

/* add_one on 1024 floats, started and not waited for. */
static inline ingot_status call_add_one(runner *r, ingot_error *error)
{
    if (r->count == 0) {
        float in[1024];
        for (int i = 0; i < 1024; ++i) in[i] = (float)i;
        (void)run_tensor(r, type_f32, 1024, in);
        (void)run_tensor(r, type_f32, 1024, NULL);
    }
    ingot_value values[2] = {ingot_tensor(&r->tensors[0]), ingot_tensor(&r->tensors[1])};
    return ingot_program_call(r->program, NULL, values, 2, r->stream, NULL, error);
}

static inline void expect_added(runner *r)
{
    float out[1024];
    run_read(r, 1, out);
    for (int i = 0; i < 1024; ++i) assert_true(out[i] == (float)i + 1.0F);
}

#endif
