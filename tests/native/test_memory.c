/* Memory of the native device: shared with the CPU or the GPU's own, ranges of any bytes, and buffers from elsewhere. */
#include "native_test.h"

/* What the bytes must be, kept beside the buffer. */
typedef struct pair {
    ingot_buffer *buffer;
    unsigned char *bytes;
    size_t size;
} pair;

static pair make_pair(runner *r, size_t size)
{
    pair p = {.size = size, .bytes = calloc(size, 1)};
    ingot_error error = {0};
    assert_non_null(p.bytes);
    check(ingot_buffer_create(r->device, size, &p.buffer, &error), &error);
    return p;
}

static void free_pair(pair *p)
{
    ingot_buffer_release(p->buffer);
    free(p->bytes);
}

static void expect(runner *r, const pair *p)
{
    ingot_error error = {0};
    unsigned char *got = malloc(p->size);
    assert_non_null(got);
    check(ingot_buffer_read(p->buffer, 0, got, p->size, r->stream, &error), &error);
    for (size_t i = 0; i < p->size; ++i) {
        if (got[i] != p->bytes[i]) fail_msg("byte %zu is %d, expected %d", i, got[i], p->bytes[i]);
    }
    free(got);
}

static void write_both(runner *r, pair *p, size_t offset, size_t size, unsigned seed)
{
    ingot_error error = {0};
    for (size_t i = 0; i < size; ++i) p->bytes[offset + i] = (unsigned char)((offset + i) * 7 + seed);
    check(ingot_buffer_write(p->buffer, offset, p->bytes + offset, size, r->stream, &error), &error);
}

static void copy_both(runner *r, pair *to, size_t to_offset, const pair *from, size_t from_offset, size_t size)
{
    ingot_error error = {0};
    check(ingot_buffer_copy(to->buffer, to_offset, from->buffer, from_offset, size, r->stream, &error), &error);
    memmove(to->bytes + to_offset, from->bytes + from_offset, size);
}

static runner open_runner(void)
{
    runner r = {0};
    ingot_error error = {0};
    r.device = open_device("native", 0);
    check(ingot_stream_create(r.device, &r.stream, &error), &error);
    return r;
}

/* Every offset within a word, at either end, in all three ways. */
static void exercise(double_options options)
{
    set_up(options);
    runner r = open_runner();
    pair a = make_pair(&r, 67), b = make_pair(&r, 300);
    expect(&r, &a); /* zeros */
    write_both(&r, &a, 0, 67, 1);
    write_both(&r, &b, 0, 300, 2);
    for (size_t start = 0; start < 5; ++start) {
        for (size_t size = 1; size < 9; ++size) {
            write_both(&r, &a, start, size, (unsigned)(3 + start + size));
            expect(&r, &a);
            copy_both(&r, &b, 17 + start, &a, 3, size);      /* between buffers */
            copy_both(&r, &b, 100, &a, 4 * start, 4 * size); /* the same in whole words */
            copy_both(&r, &b, start, &b, 3, 40 + size);      /* over itself, either way */
            copy_both(&r, &b, 4 * start, &b, 8, 40);
            expect(&r, &b);
            ingot_error error = {0};
            unsigned char part[9] = {0};
            check(ingot_buffer_read(b.buffer, start, part, size, r.stream, &error), &error);
            assert_memory_equal(part, b.bytes + start, size);
            assert_int_equal(part[size], 0);
        }
    }
    write_both(&r, &a, 66, 1, 9);
    expect(&r, &a);
    free_pair(&a);
    free_pair(&b);
    run_close(&r);
    tear_down();
}

static void test_shared(void **state)
{
    (void)state;
    exercise((double_options){0});
    assert_int_equal(double_count("copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:"), 0);
}

static void test_private(void **state)
{
    (void)state;
    exercise((double_options){.discrete = 1});
    assert_true(double_count("copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:") > 0);
    exercise((double_options){.discrete = 1, .old = 1});
}

/* More than is staged at a time, beginning within a word. */
static void test_large(void **state)
{
    (void)state;
    set_up((double_options){.discrete = 1});
    runner r = open_runner();
    pair a = make_pair(&r, ((size_t)33 << 20) + 5);
    write_both(&r, &a, 3, ((size_t)33 << 20) + 1, 11);
    expect(&r, &a);
    free_pair(&a);
    run_close(&r);
    tear_down();
}

static void test_programs(void **state)
{
    (void)state;
    set_up((double_options){.discrete = 1});
    ingot_module *m = compile_with(add_one, NULL);
    runner r = run_open(m);
    ingot_error error = {0};
    check(call_add_one(&r, &error), &error);
    expect_added(&r);
    ingot_device_info info;
    assert_int_equal(ingot_device_describe(r.device, &info), INGOT_OK);
    assert_false(info.unified_memory);
    run_close(&r);
    ingot_module_release(m);
    tear_down();
}

/* ---- Buffers as others know them ------------------------------------------------------------------------------ */

/* A tensor's `data` may be the MTLBuffer. */
static void test_handles(void **state)
{
    (void)state;
    set_up((double_options){0});
    ingot_module *m = compile_with(add_one, NULL);
    runner r = run_open(m);
    ingot_error error = {0};
    check(call_add_one(&r, &error), &error);
    for (size_t i = 0; i < 2; ++i) {
        void *handle = ingot_buffer_handle(r.buffers[i]);
        assert_ptr_not_equal(handle, r.buffers[i]);
        r.tensors[i].data = handle;
    }
    check(call_add_one(&r, &error), &error);
    expect_added(&r);
    /* What was a handle is none once its buffer is gone. */
    ingot_buffer_release(r.buffers[0]);
    r.buffers[0] = NULL;
    ingot_status got = call_add_one(&r, &error);
    fails_with(got, INGOT_VALUE, &error, "a live buffer of the program's device");
    assert_null(ingot_buffer_handle(NULL));
    run_close(&r);
    ingot_module_release(m);
    tear_down();
    ingot_device *device = open_device("emu", 0);
    ingot_buffer *b, *other;
    check(ingot_buffer_create(device, 16, &b, &error), &error);
    assert_ptr_equal(ingot_buffer_handle(b), b);
    fails_with(ingot_buffer_adopt(device, b, &other, &error), INGOT_UNSUPPORTED, &error, "no buffers but its own");
    ingot_buffer_release(b);
    ingot_device_release(device);
}

static void adopt(int private_storage)
{
    set_up((double_options){0});
    ingot_module *m = compile_with(add_one, NULL);
    runner r = run_open(m);
    ingot_error error = {0};
    void *foreign = double_foreign_buffer(4099, private_storage); /* ends within a word */
    ingot_buffer *b, *again;
    check(ingot_buffer_adopt(r.device, foreign, &b, &error), &error);
    assert_int_equal(ingot_buffer_size(b), 4099);
    assert_int_equal(double_references(foreign), 2);
    assert_ptr_equal(ingot_buffer_handle(b), foreign);
    check(ingot_buffer_adopt(r.device, foreign, &again, &error), &error);
    assert_ptr_equal(again, b);
    assert_int_equal(double_references(foreign), 2);
    float in[1024], out[1024];
    for (int i = 0; i < 1024; ++i) in[i] = (float)(2 * i);
    check(ingot_buffer_write(b, 0, in, sizeof in, r.stream, &error), &error);
    check(call_add_one(&r, &error), &error);
    r.tensors[0].data = foreign;
    check(call_add_one(&r, &error), &error);
    run_read(&r, 1, out);
    for (int i = 0; i < 1024; ++i) assert_true(out[i] == (float)(2 * i + 1));
    ingot_status tail = ingot_buffer_read(b, 4097, out, 1, r.stream, &error);
    if (private_storage) fails_with(tail, INGOT_UNSUPPORTED, &error, "the last 3 bytes of a buffer of 4099 bytes");
    else check(tail, &error);
    ingot_buffer_release(again);
    check(call_add_one(&r, &error), &error); /* the other still holds it */
    check(ingot_stream_sync(r.stream, &error), &error);
    ingot_buffer_release(b);
    assert_int_equal(double_references(foreign), 1);
    double_drop(foreign);
    assert_int_equal(ingot_buffer_adopt(r.device, NULL, &b, &error), INGOT_INVALID_ARGUMENT);
    run_close(&r);
    ingot_module_release(m);
    tear_down();
}

static void test_adopted(void **state)
{
    (void)state;
    adopt(0);
    adopt(1);
    set_up((double_options){.devices = 2});
    ingot_device *device = open_device("native", 0); /* the second of the list: not where the buffer is */
    ingot_error error = {0};
    ingot_buffer *b;
    void *foreign = double_foreign_buffer(64, 0);
    fails_with(ingot_buffer_adopt(device, foreign, &b, &error), INGOT_VALUE, &error, "belongs to another Metal device");
    assert_null(b);
    assert_int_equal(double_references(foreign), 1);
    double_drop(foreign);
    ingot_device_release(device);
    tear_down();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shared),   cmocka_unit_test(test_private), cmocka_unit_test(test_large),
        cmocka_unit_test(test_programs), cmocka_unit_test(test_handles), cmocka_unit_test(test_adopted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
