/* labels: quick thread */
/* The registry of functions: names, overriding, counting, and use from several threads. */
#include <pthread.h>

#include "ingot_test.h"

static ingot_status answer(void *user, const ingot_value *args, size_t count, ingot_result *result, ingot_error *error)
{
    (void)args;
    (void)count;
    (void)error;
    return ingot_result_set(result, ingot_int(*(const int *)user));
}

static void count_drop(void *user)
{
    ++*(int *)user;
}

static int64_t call(const char *name)
{
    ingot_function *f;
    ingot_owned *out;
    ingot_error error = {0};
    check(ingot_function_get(name, &f, &error), &error);
    check(ingot_function_invoke(f, NULL, 0, &out, &error), &error);
    int64_t v = ingot_owned_value(out).as.integer;
    ingot_owned_release(out);
    ingot_function_release(f);
    return v;
}

static void a_taken_name_needs_override(void **state)
{
    (void)state;
    int one = 1, two = 2;
    ingot_error error = {0};
    assert_int_equal(ingot_function_register("test.f", answer, &one, NULL, 0, &error), INGOT_OK);
    assert_int_equal(ingot_function_register("test.f", answer, &two, NULL, 0, &error), INGOT_EXISTS);
    assert_non_null(strstr(error.message, "test.f"));
    assert_non_null(strstr(error.message, "already registered"));
    assert_int_equal(call("test.f"), 1);
    assert_int_equal(ingot_function_register("test.f", answer, &two, NULL, 1, &error), INGOT_OK);
    assert_int_equal(call("test.f"), 2);
    assert_int_equal(ingot_function_remove("test.f", &error), INGOT_OK);
    assert_int_equal(ingot_function_remove("test.f", &error), INGOT_NOT_FOUND);
    ingot_function *f;
    assert_int_equal(ingot_function_get("test.f", &f, &error), INGOT_NOT_FOUND);
    assert_null(f);
}

static void user_data_is_dropped_after_the_last_use(void **state)
{
    (void)state;
    int drops = 0;
    ingot_function *held;
    assert_int_equal(ingot_function_register("test.d", answer, &drops, count_drop, 0, NULL), INGOT_OK);
    assert_int_equal(ingot_function_get("test.d", &held, NULL), INGOT_OK);
    assert_int_equal(ingot_function_remove("test.d", NULL), INGOT_OK);
    assert_int_equal(drops, 0);
    ingot_function_release(held);
    assert_int_equal(drops, 1);
    /* A refused registration leaves its user data with the caller. */
    assert_int_equal(ingot_function_register("test.d", answer, &drops, count_drop, 0, NULL), INGOT_OK);
    assert_int_equal(ingot_function_register("test.d", answer, &drops, count_drop, 0, NULL), INGOT_EXISTS);
    assert_int_equal(drops, 1);
    assert_int_equal(ingot_function_remove("test.d", NULL), INGOT_OK);
    assert_int_equal(drops, 2);
}

typedef struct names {
    size_t n;
    char first[32];
} names;

static void note_name(void *user, const char *name)
{
    names *seen = user;
    if (seen->n++ == 0) strncpy(seen->first, name, sizeof seen->first - 1);
}

static void names_are_listed_in_order(void **state)
{
    (void)state;
    int zero = 0;
    names seen = {0};
    assert_int_equal(ingot_function_register("test.z", answer, &zero, NULL, 0, NULL), INGOT_OK);
    assert_int_equal(ingot_function_register("test.a", answer, &zero, NULL, 0, NULL), INGOT_OK);
    assert_int_equal(ingot_function_list(note_name, &seen), INGOT_OK);
    assert_int_equal(seen.n, 2);
    assert_string_equal(seen.first, "test.z");
    assert_int_equal(ingot_function_remove("test.z", NULL), INGOT_OK);
    assert_int_equal(ingot_function_remove("test.a", NULL), INGOT_OK);
}

static ingot_status fail_with_words(void *user, const ingot_value *args, size_t count, ingot_result *result,
                                    ingot_error *error)
{
    (void)user;
    (void)args;
    (void)count;
    (void)result;
    strcpy(error->message, "the tool said no");
    return INGOT_CALLBACK;
}

static ingot_status fail_silently(void *user, const ingot_value *args, size_t count, ingot_result *result,
                                  ingot_error *error)
{
    (void)user;
    (void)args;
    (void)count;
    (void)error;
    (void)ingot_result_set(result, ingot_str("half made", 9));
    return INGOT_RUNTIME;
}

static void failures_keep_their_message(void **state)
{
    (void)state;
    ingot_function *f;
    ingot_owned *out;
    ingot_error error = {0};
    assert_int_equal(ingot_function_register("test.fail", fail_with_words, NULL, NULL, 0, NULL), INGOT_OK);
    assert_int_equal(ingot_function_get("test.fail", &f, NULL), INGOT_OK);
    assert_int_equal(ingot_function_invoke(f, NULL, 0, &out, &error), INGOT_CALLBACK);
    assert_null(out);
    assert_string_equal(error.message, "the tool said no");
    ingot_function_release(f);
    assert_int_equal(ingot_function_register("test.fail", fail_silently, NULL, NULL, 1, NULL), INGOT_OK);
    assert_int_equal(ingot_function_get("test.fail", &f, NULL), INGOT_OK);
    assert_int_equal(ingot_function_invoke(f, NULL, 0, &out, &error), INGOT_RUNTIME);
    assert_null(out);
    assert_non_null(strstr(error.message, "without a message"));
    ingot_function_release(f);
    assert_int_equal(ingot_function_remove("test.fail", NULL), INGOT_OK);
}

/* A result is copied: nested tuples come back whole after the callee's storage is gone. */
static ingot_status nested(void *user, const ingot_value *args, size_t count, ingot_result *result, ingot_error *error)
{
    (void)user;
    (void)args;
    (void)count;
    (void)error;
    char text[8] = "payload";
    ingot_value inner[2] = {ingot_bytes(text, 7), ingot_bool(1)};
    ingot_value outer[2] = {ingot_tuple(inner, 2), ingot_float(0.5)};
    ingot_status s = ingot_result_set(result, ingot_tuple(outer, 2));
    memset(text, 'x', sizeof text);
    return s;
}

static void results_are_deep_copies(void **state)
{
    (void)state;
    ingot_function *f;
    ingot_owned *out;
    assert_int_equal(ingot_function_register("test.nested", nested, NULL, NULL, 0, NULL), INGOT_OK);
    assert_int_equal(ingot_function_get("test.nested", &f, NULL), INGOT_OK);
    assert_int_equal(ingot_function_invoke(f, NULL, 0, &out, NULL), INGOT_OK);
    ingot_value v = ingot_owned_value(out);
    assert_int_equal(v.kind, INGOT_VALUE_TUPLE);
    assert_int_equal(v.as.tuple.count, 2);
    ingot_value bytes = v.as.tuple.items[0].as.tuple.items[0];
    assert_int_equal(bytes.kind, INGOT_VALUE_BYTES);
    assert_memory_equal(bytes.as.text.data, "payload", 7);
    assert_true(v.as.tuple.items[0].as.tuple.items[1].as.boolean);
    assert_true(v.as.tuple.items[1].as.real == 0.5);
    ingot_owned_release(out);
    ingot_function_release(f);
    assert_int_equal(ingot_function_remove("test.nested", NULL), INGOT_OK);
}

static void *hammer(void *user)
{
    for (int i = 0; i < 500; ++i) {
        ingot_function *f;
        if (ingot_function_get("test.shared", &f, NULL) == INGOT_OK) {
            ingot_status s = ingot_function_invoke(f, NULL, 0, NULL, NULL);
            ingot_function_release(f);
            if (s != INGOT_OK) return user;
        }
        if (ingot_function_register("test.shared", answer, user, NULL, 1, NULL) != INGOT_OK) return user;
        if (i % 7 == 0) (void)ingot_function_remove("test.shared", NULL);
    }
    return NULL;
}

static void four_threads_may_use_it_at_once(void **state)
{
    (void)state;
    pthread_t threads[4];
    int value = 3;
    for (int i = 0; i < 4; ++i) assert_int_equal(pthread_create(&threads[i], NULL, hammer, &value), 0);
    for (int i = 0; i < 4; ++i) {
        void *failed;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    (void)ingot_function_remove("test.shared", NULL);
}

static void targets_are_read_and_refused_by_name(void **state)
{
    (void)state;
    ingot_target *t;
    ingot_error error = {0};
    int64_t v = 0;
    assert_int_equal(ingot_target_parse("metal", &t, &error), INGOT_OK);
    assert_true(ingot_target_attr(t, "max_num_threads", &v));
    assert_int_equal(v, 256);
    assert_true(ingot_target_attr(t, "max_shared_memory_per_block", &v));
    assert_int_equal(v, 32768);
    assert_true(ingot_target_attr(t, "thread_warp_size", &v));
    assert_int_equal(v, 16);
    assert_true(ingot_target_attr(t, "max_function_args", &v));
    assert_int_equal(v, 31);
    assert_false(ingot_target_attr(t, "no_such", &v));
    assert_string_equal(ingot_target_kind(t), "metal");
    ingot_target_release(t);
    assert_int_equal(ingot_target_parse("apple/m1-gpu", &t, &error), INGOT_OK);
    assert_true(ingot_target_attr(t, "max_threads_per_block", &v));
    assert_int_equal(v, 1024);
    assert_true(ingot_target_attr(t, "thread_warp_size", &v));
    assert_int_equal(v, 32);
    ingot_target_release(t);
    assert_int_equal(ingot_target_parse(" {\"kind\": \"metal\", \"host\": \"c\", \"max_num_threads\": 512}", &t, &error),
                     INGOT_OK);
    assert_true(ingot_target_attr(t, "max_num_threads", &v));
    assert_int_equal(v, 512);
    /* The canonical text reads back as the same target. */
    ingot_target *again;
    assert_int_equal(ingot_target_parse(ingot_target_text(t), &again, &error), INGOT_OK);
    assert_string_equal(ingot_target_text(again), ingot_target_text(t));
    ingot_target_release(again);
    ingot_target_release(t);
    static const char *const bad[][2] = {
        {"cuda", "cuda"},
        {"apple/m9-gpu", "apple/m9-gpu"},
        {"{\"kind\": \"cuda\"}", "cuda"},
        {"{\"kind\": \"metal\", \"warp\": 3}", "warp"},
        {"{\"kind\": \"metal\", \"max_num_threads\": \"many\"}", "max_num_threads"},
        {"{\"kind\": \"metal\", \"max_num_threads\": 0}", "max_num_threads"},
        {"{\"kind\": \"metal\",}", "byte 17"},
        {"{", "JSON"},
        {"", "unknown target"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        assert_int_equal(ingot_target_parse(bad[i][0], &t, &error), INGOT_VALUE);
        assert_null(t);
        if (strstr(error.message, bad[i][1]) == NULL) fail_msg("%s: %s", bad[i][0], error.message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_taken_name_needs_override),
        cmocka_unit_test(user_data_is_dropped_after_the_last_use),
        cmocka_unit_test(names_are_listed_in_order),
        cmocka_unit_test(failures_keep_their_message),
        cmocka_unit_test(results_are_deep_copies),
        cmocka_unit_test(four_threads_may_use_it_at_once),
        cmocka_unit_test(targets_are_read_and_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
