/* labels: quick thread */
/* The native device: which there are, what they can do, how launches are batched and timed, pipelines kept, files. */
#define _XOPEN_SOURCE 700 /* mkstemp */

#include "native_test.h"

#include <stdio.h>
#include <unistd.h>

static void test_describe(void **state)
{
    (void)state;
    set_up((double_options){.devices = 2});
    ingot_device *device = open_device("native", 0);
    ingot_device_info info;
    assert_int_equal(ingot_device_describe(device, &info), INGOT_OK);
    assert_string_equal(info.kind, "native");
    assert_string_equal(info.name, "Test double GPU 1"); /* the system's default one, though it stands second in the list */
    assert_string_equal(info.families, "apple8 mac2 common3 metal3");
    assert_int_equal(info.id, 0);
    assert_true(info.unified_memory);
    assert_int_equal(info.max_buffer_bytes, 1 << 28);
    assert_int_equal(info.max_threadgroup_bytes, 32768);
    assert_int_equal(info.max_threads, 1024);
    assert_int_equal(info.max_threads_axis[2], 1024);
    ingot_device_release(device);
    device = open_device("metal", 1); /* a native one is the best there is */
    assert_int_equal(ingot_device_describe(device, &info), INGOT_OK);
    assert_string_equal(info.kind, "native");
    assert_string_equal(info.name, "Test double GPU 0");
    assert_int_equal(info.id, 1);
    ingot_device_release(device);
    ingot_error error = {0};
    fails_with(ingot_device_open("native", 2, 0, NULL, &device, &error), INGOT_NOT_FOUND, &error, "there are 2 native Metal devices; number 2");
    fails_with(ingot_device_open("metal", 2, 0, NULL, &device, &error), INGOT_NOT_FOUND, &error, "there are 2 native");
    fails_with(ingot_device_open("native", -1, 0, NULL, &device, &error), INGOT_NOT_FOUND, &error, "number -1");
    assert_int_equal(ingot_device_describe(NULL, &info), INGOT_INVALID_ARGUMENT);
    tear_down();
}

/* Without a GPU, "native" says why, and "metal" is the software device. */
static void test_no_device(void **state)
{
    (void)state;
    set_up((double_options){0});
    ingot_device *device;
    ingot_error error = {0};
    double_inject(DOUBLE_NO_DEVICE, 1);
    fails_with(ingot_device_open("native", 0, 0, NULL, &device, &error), INGOT_UNSUPPORTED, &error, "the system has no default device");
    double_inject(DOUBLE_NO_DEVICE, 1);
    device = open_device("metal", 0);
    assert_string_equal(ingot_device_name(device), "Ingot software Metal device");
    ingot_device_release(device);
    tear_down();
}

/* What systems of before had: the same results, without the newer questions. */
static void test_old_system(void **state)
{
    (void)state;
    set_up((double_options){.old = 1, .discrete = 1});
    ingot_module *m = compile_with(add_one, NULL);
    runner r = run_open(m);
    ingot_error error = {0};
    check(call_add_one(&r, &error), &error);
    expect_added(&r);
    ingot_device_info info;
    assert_int_equal(ingot_device_describe(r.device, &info), INGOT_OK);
    assert_string_equal(info.families, "");
    assert_false(info.unified_memory);
    assert_int_equal(info.max_buffer_bytes, 1 << 28);
    assert_int_equal(info.max_threadgroup_bytes, 16352);
    assert_string_equal(double_compile_options(), "language 0 math 0 functions 0");
    fails_with(ingot_device_archive_open(r.device, "x", &error), INGOT_UNSUPPORTED, &error, "no binary archives");
    fails_with(ingot_device_capture_start(r.device, "x", &error), INGOT_UNSUPPORTED, &error, "cannot capture to a file");
    run_close(&r);
    ingot_module_release(m);
    tear_down();
}

/* ---- Batches ------------------------------------------------------------------------------------------------ */

static void test_batches(void **state)
{
    (void)state;
    set_up((double_options){0});
    ingot_module *m = compile_with(add_one, NULL);
    runner r = run_open(m);
    ingot_error error = {0};
    check(call_add_one(&r, &error), &error);
    for (int i = 0; i < 9; ++i) check(call_add_one(&r, &error), &error);
    assert_int_equal(double_count("commit"), 0); /* nothing is sent off before somebody waits */
    expect_added(&r);
    assert_int_equal(double_count("commit"), 1);
    assert_int_equal(double_count("computeCommandEncoder"), 1);
    assert_int_equal(double_count("dispatchThreadgroups:threadsPerThreadgroup:"), 10);
    for (int i = 0; i < 65; ++i) check(call_add_one(&r, &error), &error);
    assert_int_equal(double_count("commit"), 2); /* or a batch is full */
    check(ingot_stream_sync(r.stream, &error), &error);
    assert_int_equal(double_count("commit"), 3);
    /* More batches than may be under way at once. */
    for (int i = 0; i < 64 * 12; ++i) check(call_add_one(&r, &error), &error);
    check(ingot_stream_sync(r.stream, &error), &error);
    assert_int_equal(double_count("commit"), 15);
    expect_added(&r);
    /* A buffer that is freed while its launch is still to run. */
    check(call_add_one(&r, &error), &error);
    ingot_buffer_release(r.buffers[0]);
    r.buffers[0] = NULL;
    expect_added(&r);
    check(ingot_stream_sync(r.stream, &error), &error);
    run_close(&r);
    ingot_module_release(m);
    tear_down();
}

/* The stand-in's clock: every command takes 10 microseconds, and each launch is a mark and a dispatch. */
typedef struct times {
    int count;
    double start[4], end[4];
} times;

static void note_time(void *user, const char *kernel, double start, double end)
{
    times *t = user;
    assert_string_equal(kernel, "main_kernel");
    assert_true(t->count < 4);
    t->start[t->count] = start;
    t->end[t->count++] = end;
}

static void test_times(void **state)
{
    (void)state;
    set_up((double_options){0});
    ingot_module *m = compile_with(add_one, NULL);
    runner r = run_open(m);
    ingot_error error = {0};
    times t = {0};
    check(call_add_one(&r, &error), &error);
    ingot_stream_on_time(r.stream, note_time, &t); /* the launch of before is not asked about */
    for (int i = 0; i < 3; ++i) check(call_add_one(&r, &error), &error);
    check(ingot_stream_sync(r.stream, &error), &error);
    assert_int_equal(t.count, 3);
    for (int i = 0; i < 3; ++i) {
        double least = 1.00002 + 0.00002 * i;
        assert_true(t.start[i] > least - 1e-9 && t.start[i] < least + 1e-9);
        assert_true(t.end[i] > least + 0.00002 - 1e-9 && t.end[i] < least + 0.00002 + 1e-9);
    }
    ingot_stream_on_time(r.stream, NULL, NULL);
    check(call_add_one(&r, &error), &error);
    check(ingot_stream_sync(r.stream, &error), &error);
    assert_int_equal(t.count, 3);
    run_close(&r);
    ingot_module_release(m);
    tear_down();
}

/* ---- Pipelines -------------------------------------------------------------------------------------------------- */

static const char new_pipeline[] = "newComputePipelineStateWithDescriptor:options:reflection:error:";

static void test_kept(void **state)
{
    (void)state;
    set_up((double_options){.warnings = 1}); /* which come as an error beside a library that is good */
    ingot_compile_options options = INGOT_COMPILE_OPTIONS_INIT;
    ingot_module *m = compile_with(two_kernels, NULL);
    options.target = "{\"kind\": \"metal\", \"math_mode\": \"fast\"}";
    ingot_module *fast = compile_with(two_kernels, &options);
    ingot_device *device = open_device("native", 0);
    ingot_program *one, *two, *three;
    ingot_error error = {0};
    check(ingot_program_load(m, device, &one, &error), &error);
    assert_int_equal(double_count(new_pipeline), 2);
    assert_string_equal(double_compile_options(), "language 0 math 0 functions 1");
    check(ingot_program_load(m, device, &two, &error), &error);
    assert_int_equal(double_count(new_pipeline), 2);
    ingot_program_release(one);
    ingot_program_release(two);
    check(ingot_program_load(m, device, &one, &error), &error); /* kept, though nobody used it */
    assert_int_equal(double_count(new_pipeline), 2);
    check(ingot_program_load(fast, device, &three, &error), &error); /* other arithmetic is another kernel */
    assert_int_equal(double_count(new_pipeline), 4);
    assert_string_equal(double_compile_options(), "language 0 math 2 functions 0");
    ingot_program_release(one);
    ingot_program_release(three);
    ingot_device_release(device);
    ingot_module_release(m);
    ingot_module_release(fast);
    tear_down();
}

/* ---- Files ------------------------------------------------------------------------------------------------------ */

static void load_once(const char *archive, int save)
{
    ingot_module *m = compile_with(two_kernels, NULL);
    ingot_device *device = open_device("native", 0);
    ingot_program *program;
    ingot_error error = {0};
    check(ingot_device_archive_open(device, archive, &error), &error);
    fails_with(ingot_device_archive_open(device, archive, &error), INGOT_EXISTS, &error, "has an archive already");
    check(ingot_program_load(m, device, &program, &error), &error);
    if (save) check(ingot_device_archive_save(device, &error), &error);
    ingot_program_release(program);
    ingot_device_release(device);
    ingot_module_release(m);
}

static char *text_of(const char *path)
{
    static char text[512];
    FILE *f = fopen(path, "rb");
    text[f != NULL ? fread(text, 1, sizeof text - 1, f) : 0] = '\0';
    if (f != NULL) fclose(f);
    return text;
}

static void test_archive(void **state)
{
    (void)state;
    set_up((double_options){0});
    char path[] = "/tmp/ingot-archive-XXXXXX";
    int made = mkstemp(path);
    assert_true(made >= 0);
    assert_int_equal(close(made) | remove(path), 0);
    ingot_error error = {0};
    ingot_device *device = open_device("native", 0);
    fails_with(ingot_device_archive_save(device, &error), INGOT_NOT_FOUND, &error, "has no archive");
    assert_int_equal(ingot_device_archive_open(device, NULL, &error), INGOT_INVALID_ARGUMENT);
    ingot_device_release(device);
    load_once(path, 0);
    assert_string_equal(text_of(path), ""); /* only _save writes */
    load_once(path, 1);
    assert_string_equal(text_of(path), "an archive of the test double\nmain_kernel\nmain_kernel_1\n");
    load_once(path, 1);
    assert_string_equal(text_of(path), "an archive of the test double\nmain_kernel\nmain_kernel_1\n");
    /* A file that is none, and faults of Metal's. */
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs("something else", f);
    fclose(f);
    device = open_device("native", 0);
    fails_with(ingot_device_archive_open(device, path, &error), INGOT_FORMAT, &error, "Metal does not take it as an archive: Invalid file");
    assert_int_equal(remove(path), 0);
    check(ingot_device_archive_open(device, path, &error), &error);
    double_inject(DOUBLE_WRITE_ERROR, 1);
    fails_with(ingot_device_archive_save(device, &error), INGOT_IO, &error, "You don't have permission");
    double_inject(DOUBLE_ARCHIVE_ERROR, 1);
    ingot_module *m = compile_with(add_one, NULL);
    ingot_program *program;
    check(ingot_program_load(m, device, &program, &error), &error); /* it runs all the same */
    fails_with(ingot_device_archive_save(device, &error), INGOT_RUNTIME, &error, "could not put every pipeline");
    ingot_program_release(program);
    ingot_module_release(m);
    ingot_device_release(device);
    device = open_device("emu", 0);
    fails_with(ingot_device_archive_open(device, path, &error), INGOT_UNSUPPORTED, &error, "keeps no compiled kernels");
    assert_int_equal(ingot_device_archive_save(device, &error), INGOT_UNSUPPORTED);
    ingot_device_release(device);
    tear_down();
}

static void test_capture(void **state)
{
    (void)state;
    ingot_error error = {0};
    set_up((double_options){0});
    ingot_device *device = open_device("native", 0);
    fails_with(ingot_device_capture_start(device, "x.gputrace", &error), INGOT_UNSUPPORTED, &error, "METAL_CAPTURE_ENABLED=1");
    ingot_device_release(device);
    tear_down();
    set_up((double_options){.may_capture = 1});
    device = open_device("native", 0);
    fails_with(ingot_device_capture_stop(device, &error), INGOT_NOT_FOUND, &error, "no capture of this device runs");
    check(ingot_device_capture_start(device, "x.gputrace", &error), &error);
    fails_with(ingot_device_capture_start(device, "y.gputrace", &error), INGOT_EXISTS, &error, "runs already");
    check(ingot_device_capture_stop(device, &error), &error);
    double_inject(DOUBLE_CAPTURE_ERROR, 1);
    fails_with(ingot_device_capture_start(device, "z.gputrace", &error), INGOT_RUNTIME, &error, "z.gputrace: the capture does not start");
    check(ingot_device_capture_start(device, "z.gputrace", &error), &error);
    ingot_device_release(device); /* ends it */
    device = open_device("emu", 0);
    fails_with(ingot_device_capture_start(device, "x", &error), INGOT_UNSUPPORTED, &error, "has no captures");
    assert_int_equal(ingot_device_capture_stop(device, &error), INGOT_UNSUPPORTED);
    ingot_device_release(device);
    tear_down();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_describe), cmocka_unit_test(test_no_device), cmocka_unit_test(test_old_system),
        cmocka_unit_test(test_batches),  cmocka_unit_test(test_times),     cmocka_unit_test(test_kept),
        cmocka_unit_test(test_archive),  cmocka_unit_test(test_capture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
