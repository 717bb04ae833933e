/* labels: quick */
/* Profiles by the public header: counts worked out by hand. */
#include "ingot_test.h"

static const char text[] = "#include <metal_stdlib>\n"
                           "using namespace metal;\n"
                           "kernel void k(device const float *a [[buffer(0)]], device float *b [[buffer(1)]],\n"
                           "              threadgroup float *t [[threadgroup(0)]], uint i [[thread_index_in_threadgroup]])\n"
                           "{\n"
                           "    b[i] = a[i];\n"                                        /* 6: a line a simdgroup each */
                           "    b[i + 64] = a[i * 32];\n"                              /* 7: a line a thread */
                           "    t[i * 2] = 1.0f;\n"                                    /* 8: two turns of the banks */
                           "    threadgroup_barrier(mem_flags::mem_threadgroup);\n"    /* 9 */
                           "    if ((i & 1) != 0)\n"                                   /* 10: parts every simdgroup */
                           "        b[i + 128] = t[(i * 32) % 2048];\n"                /* 11: 16 threads on one bank */
                           "    if (i >= 32)\n"                                        /* 12: parts none */
                           "        b[i + 192] = t[0];\n"                              /* 13: one word for all */
                           "}\n";

static ingot_profile_row row_at(const ingot_profile *p, uint32_t line, const char *memory)
{
    ingot_profile_row row;
    for (size_t i = 0; ingot_profile_row_at(p, i, &row) == INGOT_OK; ++i)
        if (row.line == line && (memory == NULL ? row.column == 0 : row.column != 0 && strcmp(row.memory, memory) == 0)) return row;
    fail_msg("no row of line %u", line);
    return row;
}

/* Runs the kernel once in one threadgroup of 64. */
static void run(ingot_metal_device *device, ingot_profile *profile)
{
    ingot_error error = {0};
    ingot_metal_library *library;
    ingot_metal_function *function;
    ingot_metal_pipeline *pipeline;
    ingot_metal_buffer *a, *b;
    ingot_metal_queue *queue;
    ingot_metal_command_buffer *work;
    ingot_metal_encoder *e;
    check(ingot_metal_library_create(device, text, strlen(text), NULL, &library, &error), &error);
    check(ingot_metal_function_create(library, "k", NULL, 0, &function, &error), &error);
    check(ingot_metal_pipeline_create(function, &pipeline, &error), &error);
    check(ingot_metal_buffer_create(device, 64 * 32 * 4, &a, &error), &error);
    check(ingot_metal_buffer_create(device, 256 * 4, &b, &error), &error);
    check(ingot_metal_queue_create(device, &queue, &error), &error);
    check(ingot_metal_command_buffer_create(queue, &work, &error), &error);
    check(ingot_metal_command_buffer_profile(work, profile, &error), &error);
    check(ingot_metal_encoder_create(work, &e, &error), &error);
    check(ingot_metal_encoder_set_pipeline(e, pipeline, &error), &error);
    check(ingot_metal_encoder_set_buffer(e, a, 0, 0, &error), &error);
    check(ingot_metal_encoder_set_buffer(e, b, 0, 1, &error), &error);
    check(ingot_metal_encoder_set_threadgroup_memory_length(e, 2048 * 4, 0, &error), &error);
    check(ingot_metal_encoder_dispatch_threadgroups(e, (uint32_t[3]){1, 1, 1}, (uint32_t[3]){64, 1, 1}, &error), &error);
    check(ingot_metal_encoder_end(e, &error), &error);
    check(ingot_metal_command_buffer_commit(work, &error), &error);
    check(ingot_metal_command_buffer_wait(work, &error), &error);
    ingot_metal_encoder_release(e);
    ingot_metal_command_buffer_release(work);
    ingot_metal_queue_release(queue);
    ingot_metal_buffer_release(a);
    ingot_metal_buffer_release(b);
    ingot_metal_pipeline_release(pipeline);
    ingot_metal_function_release(function);
    ingot_metal_library_release(library);
}

static void test_counts(void **state)
{
    (void)state;
    ingot_metal_device *device;
    ingot_profile *p;
    ingot_error error = {0};
    check(ingot_metal_device_create(2, NULL, &device, &error), &error);
    check(ingot_profile_create(NULL, &p, &error), &error);
    run(device, p);
    ingot_profile_row r = row_at(p, 6, "a"); /* 2 simdgroups of 32 floats: a line each */
    assert_int_equal(r.accesses, 2);
    assert_int_equal(r.device_bytes, 256);
    assert_int_equal(r.lines, 2);
    assert_int_equal(r.least_lines, 2);
    assert_int_equal(r.is_write, 0);
    r = row_at(p, 7, "a"); /* each thread 128 bytes from the next */
    assert_int_equal(r.lines, 64);
    assert_int_equal(r.least_lines, 2);
    assert_int_equal(r.touched, 32);
    assert_int_equal(r.active, 0xFFFFFFFF);
    for (int k = 0; k < 32; ++k) assert_int_equal(r.offset[k], k * 128);
    r = row_at(p, 7, "b");
    assert_int_equal(r.lines, 2);
    assert_int_equal(r.is_write, 1);
    r = row_at(p, 8, "t"); /* 64 words over 16 banks a simdgroup of 32: two each, one turn more than needed */
    assert_int_equal(r.turns, 2);
    assert_int_equal(r.conflicts, 2);
    assert_int_equal(r.threadgroup_bytes, 256);
    assert_int_equal(row_at(p, 9, NULL).barriers, 2);
    r = row_at(p, 10, NULL);
    assert_int_equal(r.branches, 2);
    assert_int_equal(r.divergent, 2);
    r = row_at(p, 11, "t"); /* the odd threads' words are all in bank 0 */
    assert_int_equal(r.active, 0xAAAAAAAA);
    assert_int_equal(r.turns, 16);
    assert_int_equal(r.conflicts, 2 * 15);
    r = row_at(p, 12, NULL);
    assert_int_equal(r.branches, 2);
    assert_int_equal(r.divergent, 0);
    r = row_at(p, 13, "t"); /* the second simdgroup alone, one word */
    assert_int_equal(r.accesses, 1);
    assert_int_equal(r.conflicts, 0);
    const size_t rows = ingot_profile_count(p);
    run(device, p); /* a second run adds */
    assert_int_equal(ingot_profile_count(p), rows);
    assert_int_equal(row_at(p, 7, "a").lines, 128);
    assert_int_equal(ingot_profile_row_at(p, rows, &r), INGOT_NOT_FOUND);
    ingot_profile_release(p);
    ingot_profile_release(NULL);
    ingot_metal_device_release(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
