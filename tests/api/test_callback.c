/* The compile callback's contract: every form a result may have, and what the user is told of the others. */
#include "ingot_test.h"

enum { MOST_CALLS = 8 };

/* A callback that gives prepared results and keeps what it was given. */
typedef struct script {
    ingot_value results[MOST_CALLS];
    size_t calls;
    char sources[MOST_CALLS][2048];
    char kinds[MOST_CALLS][16];
    int echo; /* results[i] kind NONE in a pair's or bare payload's place stands for the source */
} script;

static ingot_status play(void *user, const ingot_value *args, size_t count, ingot_result *result, ingot_error *error)
{
    (void)error;
    script *s = user;
    size_t i = s->calls++;
    assert_int_equal(count, 2);
    assert_int_equal(args[0].kind, INGOT_VALUE_STR);
    assert_int_equal(args[1].kind, INGOT_VALUE_TARGET);
    assert_true(args[0].as.text.size < sizeof s->sources[i]);
    memcpy(s->sources[i], args[0].as.text.data, args[0].as.text.size);
    strcpy(s->kinds[i], ingot_target_kind(args[1].as.target));
    if (!s->echo) return ingot_result_set(result, s->results[i]);
    ingot_value v = s->results[i];
    if (v.kind == INGOT_VALUE_NONE) return ingot_result_set(result, args[0]);
    ingot_value pair[2] = {args[0], v.as.tuple.items[1]};
    return ingot_result_set(result, ingot_tuple(pair, 2));
}

typedef struct seen {
    size_t warnings;
    char text[4096];
} seen;

static void note(void *user, const ingot_diagnostic *d)
{
    seen *s = user;
    if (d->severity == INGOT_SEVERITY_WARNING) ++s->warnings;
    strncat(s->text, d->message, sizeof s->text - strlen(s->text) - 1);
}

static ingot_status build(const char *text, script *s, seen *found, ingot_module **module, ingot_error *error)
{
    ingot_compile_options options = INGOT_COMPILE_OPTIONS_INIT;
    options.compile_kernel = play;
    options.compile_kernel_user = s;
    options.on_diagnostic = note;
    options.user = found;
    return ingot_compile(text, strlen(text), &options, module, error);
}

#define TEXT(s) ingot_str(s, sizeof(s) - 1)

static void without_a_callback_payloads_are_text(void **state)
{
    (void)state;
    ingot_module *m = compile_with(add_one, NULL);
    ingot_kernel_info k;
    assert_string_equal(ingot_module_format(m), "metal");
    assert_int_equal(ingot_module_kernel_count(m), 1);
    assert_int_equal(ingot_module_kernel(m, 0, &k), INGOT_OK);
    assert_string_equal(k.name, "main_kernel");
    assert_int_equal(k.payload_size, k.source_size);
    assert_memory_equal(k.payload, k.source, k.source_size);
    ingot_module_release(m);
}

static void a_registered_callback_is_used_and_removed(void **state)
{
    (void)state;
    ingot_value pair[2] = {ingot_none(), TEXT("metal")};
    script s = {.results = {ingot_tuple(pair, 2), ingot_tuple(pair, 2)}, .echo = 1};
    assert_int_equal(ingot_function_register(INGOT_METAL_COMPILE_CALLBACK, play, &s, NULL, 0, NULL), INGOT_OK);
    ingot_module *m = compile_with(add_one, NULL);
    assert_int_equal(s.calls, 1);
    assert_non_null(strstr(s.sources[0], "kernel void main_kernel("));
    assert_string_equal(s.kinds[0], "metal");
    assert_string_equal(ingot_module_format(m), "metal");
    ingot_module_release(m);
    assert_int_equal(ingot_function_remove(INGOT_METAL_COMPILE_CALLBACK, NULL), INGOT_OK);
    m = compile_with(add_one, NULL);
    assert_int_equal(s.calls, 1);
    ingot_module_release(m);
}

static void a_bare_result_is_a_metallib(void **state)
{
    (void)state;
    script s = {.results = {TEXT("compiled bytes")}};
    seen found = {0};
    ingot_module *m;
    assert_int_equal(build(add_one, &s, &found, &m, NULL), INGOT_OK);
    assert_string_equal(ingot_module_format(m), "metallib");
    ingot_kernel_info k;
    assert_int_equal(ingot_module_kernel(m, 0, &k), INGOT_OK);
    assert_int_equal(k.payload_size, 14);
    assert_memory_equal(k.payload, "compiled bytes", 14);
    /* The source can still be inspected. */
    assert_non_null(strstr(k.source, "kernel void main_kernel("));
    ingot_module_release(m);
}

static void text_labelled_metallib_is_named(void **state)
{
    (void)state;
    script s = {.echo = 1};
    seen found = {0};
    ingot_module *m;
    ingot_error error = {0};
    assert_int_equal(build(add_one, &s, &found, &m, &error), INGOT_OK);
    assert_int_equal(found.warnings, 1);
    assert_non_null(strstr(found.text, "main_kernel"));
    assert_non_null(strstr(found.text, "MSL text"));
    ingot_device *device;
    ingot_program *program;
    assert_int_equal(ingot_device_open(TEST_DEVICE, 0, 1, NULL, &device, NULL), INGOT_OK);
    assert_int_not_equal(ingot_program_load(m, device, &program, &error), INGOT_OK);
    assert_null(program);
    assert_non_null(strstr(error.message, "main_kernel"));
    assert_non_null(strstr(error.message, "MSL text"));
    ingot_device_release(device);
    ingot_module_release(m);
}

static void pairs_declare_the_format(void **state)
{
    (void)state;
    ingot_value metal[2] = {TEXT("text"), TEXT("metal")}, lib[2] = {ingot_bytes("MTLB", 4), TEXT("metallib")};
    script s = {.results = {ingot_tuple(metal, 2), ingot_tuple(metal, 2)}};
    seen found = {0};
    ingot_module *m;
    assert_int_equal(build(two_kernels, &s, &found, &m, NULL), INGOT_OK);
    assert_int_equal(s.calls, 2);
    assert_string_equal(ingot_module_format(m), "metal");
    assert_int_equal(found.warnings, 0);
    ingot_module_release(m);
    s = (script){.results = {ingot_tuple(lib, 2), ingot_tuple(lib, 2)}};
    assert_int_equal(build(two_kernels, &s, &found, &m, NULL), INGOT_OK);
    assert_string_equal(ingot_module_format(m), "metallib");
    assert_int_equal(found.warnings, 2); /* four bytes are no whole file */
    ingot_module_release(m);
}

/* One rejection: the script, the results of the calls, how many calls happened, what the message holds. */
static void rejected(const char *text, const ingot_value *results, size_t calls, const char *const *pieces)
{
    script s = {0};
    memcpy(s.results, results, calls * sizeof *results);
    seen found = {0};
    ingot_error error = {0};
    ingot_module *m;
    assert_int_not_equal(build(text, &s, &found, &m, &error), INGOT_OK);
    assert_null(m);
    assert_int_equal(s.calls, calls);
    assert_int_equal(found.warnings, 0);
    for (size_t i = 0; pieces[i] != NULL; ++i) {
        if (strstr(error.message, pieces[i]) == NULL) fail_msg("no '%s' in: %s", pieces[i], error.message);
    }
}

#define PIECES(...) ((const char *const[]){__VA_ARGS__, NULL})

static void mixed_formats_are_rejected_in_both_orders(void **state)
{
    (void)state;
    ingot_value metal[2] = {TEXT("text"), TEXT("metal")}, lib[2] = {TEXT("text"), TEXT("metallib")};
    ingot_value bare_first[2] = {TEXT("text"), ingot_tuple(metal, 2)};
    rejected(two_kernels, bare_first, 2,
             PIECES("returned inconsistent formats across kernels: \"metallib\" vs \"metal\"", "main_kernel_1"));
    ingot_value bare_last[2] = {ingot_tuple(metal, 2), TEXT("text")};
    rejected(two_kernels, bare_last, 2,
             PIECES("returned inconsistent formats across kernels: \"metal\" vs \"metallib\"", "main_kernel_1"));
    ingot_value pairs[2] = {ingot_tuple(lib, 2), ingot_tuple(metal, 2)};
    rejected(two_kernels, pairs, 2, PIECES("inconsistent formats across kernels: \"metallib\" vs \"metal\""));
}

static void other_results_are_rejected_by_name(void **state)
{
    (void)state;
    ingot_value air[2] = {TEXT("text"), TEXT("air")}, three[3] = {TEXT("a"), TEXT("metal"), TEXT("b")};
    ingot_value number[2] = {ingot_int(3), TEXT("metal")}, no_format[2] = {TEXT("a"), ingot_none()};
    ingot_value empty_pair[2] = {TEXT(""), TEXT("metal")};
    ingot_value v = ingot_tuple(air, 2);
    rejected(add_one, &v, 1,
             PIECES("returned unsupported format \"air\"; expected \"metal\" or \"metallib\"", "main_kernel"));
    v = ingot_tuple(three, 3);
    rejected(add_one, &v, 1,
             PIECES("must return either a payload or a (payload, format) pair, but got a tuple of size 3", "main_kernel"));
    v = ingot_tuple(three, 1);
    rejected(add_one, &v, 1, PIECES("but got a tuple of size 1"));
    v = ingot_tuple(three, 0);
    rejected(add_one, &v, 1, PIECES("but got a tuple of size 0"));
    v = ingot_none();
    rejected(add_one, &v, 1, PIECES("None", "main_kernel", "(payload, format) pair"));
    v = ingot_int(7);
    rejected(add_one, &v, 1, PIECES("an int", "main_kernel"));
    v = ingot_tuple(number, 2);
    rejected(add_one, &v, 1, PIECES("payload", "an int", "main_kernel"));
    v = ingot_tuple(no_format, 2);
    rejected(add_one, &v, 1, PIECES("format", "None", "\"metal\" or \"metallib\""));
    v = TEXT("");
    rejected(add_one, &v, 1, PIECES("empty payload", "main_kernel"));
    v = ingot_tuple(empty_pair, 2);
    rejected(add_one, &v, 1, PIECES("empty payload", "main_kernel"));
    v = (ingot_value){.kind = INGOT_VALUE_OTHER, .as.text = {"numpy.ndarray", 13}};
    rejected(add_one, &v, 1, PIECES("numpy.ndarray", "main_kernel"));
}

static ingot_status refuse(void *user, const ingot_value *args, size_t count, ingot_result *result, ingot_error *error)
{
    (void)user;
    (void)args;
    (void)count;
    (void)result;
    strcpy(error->message, "xcrun: error: unable to find utility \"metal\"");
    return INGOT_CALLBACK;
}

static void a_failing_callback_speaks_for_itself(void **state)
{
    (void)state;
    ingot_compile_options options = INGOT_COMPILE_OPTIONS_INIT;
    options.compile_kernel = refuse;
    ingot_module *m;
    ingot_error error = {0};
    assert_int_equal(ingot_compile(add_one, strlen(add_one), &options, &m, &error), INGOT_CALLBACK);
    assert_null(m);
    assert_string_equal(error.message, "xcrun: error: unable to find utility \"metal\"");
}

/* A callback may call Ingot again, and change the registry. */
static ingot_status reenter(void *user, const ingot_value *args, size_t count, ingot_result *result, ingot_error *error)
{
    (void)count;
    (void)error;
    ingot_compile_options options = INGOT_COMPILE_OPTIONS_INIT;
    options.ignore_callback = 1;
    ingot_module *inner = compile_with(two_kernels, &options);
    *(size_t *)user += ingot_module_kernel_count(inner);
    ingot_module_release(inner);
    assert_int_equal(ingot_function_remove(INGOT_METAL_COMPILE_CALLBACK, NULL), INGOT_OK);
    ingot_value pair[2] = {args[0], TEXT("metal")};
    return ingot_result_set(result, ingot_tuple(pair, 2));
}

static void a_callback_may_call_ingot_again(void **state)
{
    (void)state;
    size_t inner = 0;
    assert_int_equal(ingot_function_register(INGOT_METAL_COMPILE_CALLBACK, reenter, &inner, NULL, 0, NULL), INGOT_OK);
    ingot_module *m = compile_with(add_one, NULL);
    assert_int_equal(inner, 2);
    assert_string_equal(ingot_module_format(m), "metal");
    ingot_module_release(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_callback_payloads_are_text),
        cmocka_unit_test(a_registered_callback_is_used_and_removed),
        cmocka_unit_test(a_bare_result_is_a_metallib),
        cmocka_unit_test(text_labelled_metallib_is_named),
        cmocka_unit_test(pairs_declare_the_format),
        cmocka_unit_test(mixed_formats_are_rejected_in_both_orders),
        cmocka_unit_test(other_results_are_rejected_by_name),
        cmocka_unit_test(a_failing_callback_speaks_for_itself),
        cmocka_unit_test(a_callback_may_call_ingot_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
